//! What every request passes through: who it is meant for, whether there is room for it, and the headers of the answer.

use crate::SharedApp;
use crate::access_log::Access;
use crate::api::{ApiError, Client};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

/// Scripts, styles and pictures from here and nowhere else, nothing inline, no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Where a proxy says who asks.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// So many at the same time.
#[derive(Clone, Debug)]
pub struct Capacity {
    held: Arc<AtomicUsize>,
    most: usize,
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub struct Permit(Arc<AtomicUsize>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Capacity {
    /// So many.
    #[must_use]
    pub fn new(most: usize) -> Capacity {
        Capacity { held: Arc::default(), most }
    }

    /// One more, if that is not too many.
    #[must_use]
    pub fn enter(&self) -> Option<Permit> {
        let permit = Permit(self.held.clone());
        // Counted before the permit can be dropped.
        (permit.0.fetch_add(1, Ordering::Relaxed) < self.most).then_some(permit)
    }

    /// How many are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

/// The host that a request is meant for: exactly one `Host` (RFC 9112, section 3.2), and where the target names a host
/// as well, the same one. A request without a name could come from anywhere, and one with two means different things
/// to different readers.
fn host(request: &Request) -> Result<&str, &'static str> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err("a request needs exactly one Host header");
    };
    let host = host.to_str().map_err(|_| "the Host header is not plain text")?;
    match request.uri().authority() {
        Some(named) if !named.as_str().eq_ignore_ascii_case(host) => {
            Err("the Host header and the address of the request name different hosts")
        }
        _ => Ok(host),
    }
}

/// Whether a host is a name of this machine. A page from elsewhere can make its own name mean this machine; the name
/// then stands in the request.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Who asks: the other end of the connection, or the one whom a proxy there names last. What stands before that in the header, the
/// client may have written itself.
fn client(app: &SharedApp, request: &Request) -> Client {
    let connected = request.extensions().get::<Client>().copied().unwrap_or(Client(None));
    if !app.behind_proxy {
        return connected;
    }
    let named = request.headers().get_all(FORWARDED_FOR).iter().next_back();
    let last = named.and_then(|value| value.to_str().ok()?.rsplit(',').next());
    let address = last.and_then(|text| text.trim().parse().ok());
    Client(address.or(connected.0))
}

/// The answer, or the reason why there is none.
async fn answer(app: &SharedApp, request: Request, next: Next) -> Result<Response, ApiError> {
    let host = host(&request).map_err(|why| ApiError::new(StatusCode::BAD_REQUEST, why))?;
    if app.local_only && !is_local(host) {
        let why = "this server answers only to the names of this machine (localhost, 127.0.0.1)";
        return Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, why));
    }
    let Some(_permit) = app.requests.enter() else {
        return Err(ApiError::overload("too many requests at once"));
    };
    let late = |_| ApiError::new(StatusCode::REQUEST_TIMEOUT, "the request took too long");
    tokio::time::timeout(app.limits.answer, next.run(request)).await.map_err(late)
}

/// The middleware.
pub async fn guard(State(app): State<SharedApp>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let client = client(&app, &request);
    request.extensions_mut().insert(client);
    let asked = app.log.as_ref().map(|log| (log, request.method().clone(), request.uri().clone()));
    let mut answer = answer(&app, request, next).await.unwrap_or_else(IntoResponse::into_response);
    let (status, took) = (answer.status().as_u16(), begun.elapsed());
    app.metrics.answered(status, took);
    if let Some((log, method, uri)) = asked {
        let target = uri.path_and_query().map_or("", |target| target.as_str());
        let (at, method) = (SystemTime::now(), method.as_str());
        log.put(&Access { at, client: client.0, method, target, status, took });
    }
    let headers = answer.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_is_given_back() {
        let capacity = Capacity::new(1);
        let permit = capacity.enter();
        assert!(permit.is_some() && capacity.enter().is_none() && capacity.enter().is_none());
        drop(permit);
        assert!(capacity.enter().is_some());
    }

    #[test]
    fn names_of_this_machine() {
        for good in
            ["localhost", "LocalHost:7878", "127.0.0.1:1", "[::1]:7878", "[::1]", "127.3.2.1"]
        {
            assert!(is_local(good), "{good}");
        }
        for bad in ["example.org", "localhost.example.org:7878", "10.0.0.1", "", "127.0.0.1.nip.io"]
        {
            assert!(!is_local(bad), "{bad}");
        }
    }

    #[test]
    fn a_request_names_one_host() {
        let asked = |uri: &str, hosts: &[&str]| {
            let request = hosts.iter().fold(Request::get(uri), |r, h| r.header(header::HOST, *h));
            host(&request.body(axum::body::Body::empty()).unwrap()).map(str::to_owned).ok()
        };
        assert_eq!(asked("/", &["localhost:1"]).as_deref(), Some("localhost:1"));
        let whole = "http://localhost:1/";
        assert_eq!(asked(whole, &["LOCALHOST:1"]).as_deref(), Some("LOCALHOST:1"));
        assert_eq!(asked("/", &[]), None);
        assert_eq!(asked("/", &["localhost", "localhost"]), None);
        assert_eq!(asked("/", &["localhost", "example.org"]), None);
        assert_eq!(asked("http://example.org/", &["localhost"]), None);
        assert_eq!(asked(whole, &[]), None);
    }
}
