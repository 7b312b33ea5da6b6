//! What every request passes through: who it is meant for, whether there is room for it, and the headers of the answer.

use crate::Shared;
use crate::api::Trouble;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Scripts, styles and pictures from here and nowhere else, nothing inline, no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Room for a number of guests.
#[derive(Clone, Debug)]
pub struct Room {
    inside: Arc<AtomicUsize>,
    most: usize,
}

/// A guest; there is room for another one when it goes.
#[derive(Debug)]
pub struct Guest(Arc<AtomicUsize>);

impl Drop for Guest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Room {
    /// Room for so many.
    #[must_use]
    pub fn new(most: usize) -> Room {
        Room { inside: Arc::default(), most }
    }

    /// Lets one in, if there is room.
    #[must_use]
    pub fn enter(&self) -> Option<Guest> {
        let guest = Guest(self.inside.clone());
        // Counted before the guest can leave again.
        (guest.0.fetch_add(1, Ordering::Relaxed) < self.most).then_some(guest)
    }
}

/// Whether a request is meant for a server on this machine. A page from elsewhere can make its own name mean this
/// machine; the name then stands in the request.
fn is_local(host: Option<&HeaderValue>) -> bool {
    let Some(host) = host.and_then(|host| host.to_str().ok()) else { return true };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The middleware.
pub async fn gate(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let mut answer = if app.local_only && !is_local(request.headers().get(header::HOST)) {
        let why = "this server answers only to the names of this machine (localhost, 127.0.0.1)";
        Trouble::new(StatusCode::MISDIRECTED_REQUEST, why).into_response()
    } else {
        match app.room.enter() {
            Some(_guest) => next.run(request).await,
            None => Trouble::overload("too many requests at once").into_response(),
        }
    };
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
    fn room_is_given_back() {
        let room = Room::new(1);
        let guest = room.enter();
        assert!(guest.is_some() && room.enter().is_none() && room.enter().is_none());
        drop(guest);
        assert!(room.enter().is_some());
    }

    #[test]
    fn names_of_this_machine() {
        let local = |text: &'static str| is_local(Some(&HeaderValue::from_static(text)));
        for good in
            ["localhost", "LocalHost:7878", "127.0.0.1:1", "[::1]:7878", "[::1]", "127.3.2.1"]
        {
            assert!(local(good), "{good}");
        }
        for bad in ["example.org", "localhost.example.org:7878", "10.0.0.1", "", "127.0.0.1.nip.io"]
        {
            assert!(!local(bad), "{bad}");
        }
    }
}
