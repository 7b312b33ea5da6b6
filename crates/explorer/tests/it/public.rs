//! A server that everybody may use: limits for each client, health, metrics.

use crate::{HOST, Server};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use zermelo_explorer::api::Client;
use zermelo_explorer::{RequestLimits, ServerConfig};

fn public() -> ServerConfig {
    let limits = RequestLimits { jobs_of_client: Some(2), ..RequestLimits::public() };
    ServerConfig { limits, public: true, ..ServerConfig::default() }
}

/// A request of the client with this last figure in its address.
fn of(client: u8, method: &str, path: &str, body: &str) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header(header::HOST, "example.org");
    let request = request.header(header::CONTENT_TYPE, "application/json");
    let mut request = request.body(Body::from(body.to_owned())).unwrap();
    request.extensions_mut().insert(Client(Some([10, 0, 0, client].into())));
    request
}

fn endless(moves: &str) -> String {
    json!({ "game": "nogo 7x7", "by": "dfpn", "moves": moves, "seconds": 60 }).to_string()
}

#[tokio::test]
async fn no_client_has_all_searches() {
    let server = Server::new(public());
    let start = async |client, moves: &str| {
        server.send(of(client, "POST", "/api/v1/jobs", &endless(moves))).await
    };
    for moves in ["a1", "a2"] {
        assert_eq!(start(1, moves).await.status, StatusCode::ACCEPTED);
    }
    let refused = start(1, "a3").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers[header::RETRY_AFTER], "1");
    // Others have their own; what is searched already costs nobody anything.
    assert_eq!(start(2, "a3").await.status, StatusCode::ACCEPTED);
    let joined = start(1, "a3").await.good();
    assert_eq!(joined["askers"], 2);
    server.app.jobs.stop_all();
}

#[tokio::test]
async fn nobody_stops_what_others_want() {
    let server = Server::new(public());
    let job = server.send(of(1, "POST", "/api/v1/jobs", &endless(""))).await.good();
    let id = job["id"].as_u64().unwrap();
    let path = format!("/api/v1/jobs/{id}");
    for (method, path) in [
        ("DELETE", path.clone()),
        ("DELETE", format!("{path}?all=true")),
        ("POST", format!("{path}/pause")),
        ("POST", format!("{path}/resume")),
    ] {
        let answer = server.send(of(2, method, &path, "")).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}");
    }
    server.send(of(1, "POST", &format!("{path}/pause"), "")).await.good();
    server.send(of(1, "POST", &format!("{path}/resume"), "")).await.good();
    server.send(of(2, "POST", "/api/v1/jobs", &endless(""))).await.good();
    let paused = server.send(of(1, "POST", &format!("{path}/pause"), "")).await;
    assert_eq!(paused.status, StatusCode::FORBIDDEN, "the other one does not wait");
    server.send(of(1, "DELETE", &format!("{path}?all=true"), "")).await.good();
    assert!(!server.app.jobs.get(id).unwrap().is_stopping(), "the other one wants it still");
    server.send(of(2, "DELETE", &path, "")).await.good();
    assert!(server.app.jobs.get(id).unwrap().is_stopping());
}

#[tokio::test]
async fn a_client_that_opens_many_boards_keeps_the_last_analyses() {
    let server = Server::new(public());
    let mut ids = Vec::new();
    for moves in ["", "a1", "a2", "a3", "a4", "a5"] {
        let order = json!({ "game": "nogo 7x7", "by": "dfpn", "moves": moves, "automatic": true });
        let job = server.send(of(1, "POST", "/api/v1/jobs", &order.to_string())).await.good();
        ids.push(job["id"].as_u64().unwrap());
    }
    let stopping = |id: &u64| server.app.jobs.get(*id).unwrap().is_stopping();
    let stopped: Vec<bool> = ids.iter().map(stopping).collect();
    assert_eq!(stopped, [true, true, false, false, false, false]);
    server.app.jobs.stop_all();
}

#[tokio::test]
async fn a_proxy_says_who_asks() {
    for (behind_proxy, expected) in
        [(true, StatusCode::ACCEPTED), (false, StatusCode::TOO_MANY_REQUESTS)]
    {
        let server = Server::new(ServerConfig { behind_proxy, ..public() });
        let mut last = StatusCode::OK;
        for (n, moves) in ["a1", "a2", "a3"].into_iter().enumerate() {
            let mut request = of(1, "POST", "/api/v1/jobs", &endless(moves));
            // What the client writes itself stands before what the proxy adds.
            let named = format!("10.9.9.9, 10.0.1.{n}");
            request.headers_mut().insert("x-forwarded-for", named.parse().unwrap());
            last = server.send(request).await.status;
        }
        assert_eq!(last, expected);
        server.app.jobs.stop_all();
    }
}

#[tokio::test]
async fn health_and_metrics() {
    let server = Server::plain();
    let health = server.get("/healthz").await;
    assert_eq!((health.status, &health.bytes[..]), (StatusCode::OK, &b"ok\n"[..]));
    server.get("/nowhere").await;
    let id = server.post("/api/v1/jobs", r#"{"game":"kalah 2x2"}"#).await.good()["id"].clone();
    server.finish(id.as_u64().unwrap()).await;
    let metrics = server.get("/metrics").await;
    assert_eq!(metrics.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = String::from_utf8(metrics.bytes).unwrap();
    let value = |name: &str| -> f64 {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("zermelo_{name} ")));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
    };
    assert_eq!(value("answers_total{status=\"4xx\"}"), 1.0);
    assert!(value("answers_total{status=\"2xx\"}") >= 3.0);
    assert_eq!((value("jobs_started_total"), value("jobs{state=\"done\"}")), (1.0, 1.0));
    assert!(value("facts") >= 1.0);
    assert_eq!(value("answer_seconds_bucket{le=\"+Inf\"}"), value("answer_seconds_count"));
    assert_eq!((value("streams"), value("requests")), (0.0, 1.0), "this request is one");
    // The lines of a family stand together below its type, as the format asks.
    let mut family = "";
    for line in text.lines() {
        match line.strip_prefix("# TYPE ") {
            Some(named) => family = named.split(' ').next().unwrap(),
            None => assert!(line.starts_with(family) || line.starts_with("# HELP"), "{line}"),
        }
    }
    server.app.ending.send_replace(true);
    assert_eq!(server.get("/healthz").await.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_public_server_has_a_name() {
    let ask = |host: &str| {
        Request::get("/api/v1/jobs").header(header::HOST, host).body(Body::empty()).unwrap()
    };
    let server = Server::new(public());
    for host in ["example.org", HOST] {
        let answer = server.send(ask(host)).await;
        assert_eq!(
            (answer.status, answer.json()),
            (StatusCode::OK, json!({ "jobs": Value::Array(Vec::new()) }))
        );
    }
    assert_eq!(
        Server::plain().send(ask("example.org")).await.status,
        StatusCode::MISDIRECTED_REQUEST
    );
}
