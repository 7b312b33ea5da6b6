//! The server, asked through its router: no port, no client.

mod analysis;
mod api;
mod batch;
mod book;
mod certify;
mod jobs;
mod malformed;
mod memory;
mod openapi;
mod page;
mod proofs;
mod public;
mod sources;
mod stores;
mod truth;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tower::ServiceExt;
use zermelo_explorer::{App, RequestLimits, ServerConfig, api as web};

/// The name by which it is asked.
pub(crate) const HOST: &str = "127.0.0.1:7878";

/// A server and what one can ask of it.
struct Server {
    pub(crate) router: Router,
    pub(crate) app: Arc<App>,
}

/// An answer.
struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|e| {
            panic!("{e}: {} {}", self.status, String::from_utf8_lossy(&self.bytes))
        })
    }

    pub(crate) fn good(&self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.json());
        self.json()
    }
}

/// A certificate that is kept in the repository.
fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../proofcheck/golden").join(name)
}

impl Server {
    pub(crate) fn new(config: ServerConfig) -> Server {
        let app = App::new(&config).unwrap();
        app.check_proofs(&AtomicBool::new(false));
        Server { router: web::router(app.clone()), app }
    }

    pub(crate) fn plain() -> Server {
        Server::new(ServerConfig::default())
    }

    pub(crate) fn with_limits(limits: RequestLimits) -> Server {
        Server::new(ServerConfig { limits, ..ServerConfig::default() })
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, bytes }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = Request::get(path).header(header::HOST, HOST);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        let request = Request::delete(path).header(header::HOST, HOST);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        let request = Request::post(path).header(header::HOST, HOST);
        let request = request.header(header::CONTENT_TYPE, "application/json");
        self.send(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    /// Waits until a job is over.
    pub(crate) async fn finish(&self, id: u64) -> Value {
        loop {
            let whole = self.get(&format!("/api/v1/jobs/{id}")).await.good();
            if ["done", "failed"].contains(&whole["job"]["state"].as_str().unwrap()) {
                return whole;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// A path with words after the question mark.
fn path(route: &str, words: &[(&str, &str)]) -> String {
    let escaped = |text: &str| -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
        let each = |b: u8| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") };
        text.bytes().map(each).collect()
    };
    let words: Vec<String> = words.iter().map(|(k, v)| format!("{k}={}", escaped(v))).collect();
    format!("/api/v1/{route}?{}", words.join("&"))
}
