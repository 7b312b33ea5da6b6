//! Many positions at once: answers in order, limits, turns, clients that go away.

use crate::{Answer, HOST, Server, path};
use axum::body::{Body, BodyDataStream};
use axum::http::{Request, StatusCode, header};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt;
use zermelo_explorer::RequestLimits;

/// The lines of an answer.
pub fn lines(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, StatusCode::OK, "{}", String::from_utf8_lossy(&answer.bytes));
    let text = std::str::from_utf8(&answer.bytes).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn ask(server: &Server, body: Value) -> Vec<Value> {
    lines(&server.post("/api/v1/batch", &body.to_string()).await)
}

/// The answer to a batch, whose lines are still to come.
async fn stream(server: &Server, body: Value) -> BodyDataStream {
    let request = Request::post("/api/v1/batch").header(header::HOST, HOST);
    let request = request.header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(body.to_string())).unwrap();
    let answer = server.router.clone().oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    answer.into_body().into_data_stream()
}

#[tokio::test]
async fn positions_are_answered_in_their_order() {
    let server = Server::plain();
    let positions = json!([
        "a1 b1", "x.o/.../... first", "a1 a4", { "moves": "b2" },
        { "position": "x../.../... second", "moves": "a1" }, "?", "moves", {},
        "xxx/oo./... second",
    ]);
    let found = ask(&server, json!({ "game": "tictactoe", "positions": positions })).await;
    let indices: Vec<_> = found.iter().map(|line| line["index"].as_u64().unwrap()).collect();
    assert_eq!(indices, (0..9).collect::<Vec<_>>());
    assert_eq!(found[0]["value"], json!({ "lo": 1, "hi": 1 }));
    assert_eq!((&found[0]["solved"], &found[0]["stop"]), (&json!(true), &json!("solved")));
    assert_eq!(found[1]["position"], "x.o/.../... first");
    assert_eq!(found[4]["position"], "x../.../o.. first");
    assert_eq!(found[7]["value"], json!({ "lo": 0, "hi": 0 }), "the start");
    assert_eq!(found[8]["value"], json!({ "lo": 1, "hi": 1 }), "the game is over");
    let error = &found[2]["error"];
    assert_eq!(
        (&error["what"], &error["column"], &error["index"]),
        (&json!("move"), &json!(5), &json!(2))
    );
    assert!(found[5]["error"]["expected"].is_string() && found[5]["value"].is_null());
    // What was solved is remembered.
    let words = [("game", "tictactoe"), ("moves", "a1 b1")];
    let known = server.get(&path("position", &words)).await.good();
    assert_eq!((&known["value"], &known["reason"]["by"]), (&found[0]["value"], &json!("search")));
}

#[tokio::test]
async fn limits_are_told() {
    let limits = RequestLimits { batch: 2, text: 30, plies: 3, ..RequestLimits::default() };
    let server = Server::with_limits(limits);
    for (body, why, index) in [
        (json!({ "game": "tictactoe", "positions": ["", "", ""] }), "more than 2", None),
        (json!({ "game": "tictactoe", "positions": ["", "a1 b1 c1 a2"] }), "3 moves", Some(1)),
        (json!({ "game": "tictactoe", "positions": ["x".repeat(31)] }), "30 characters", Some(0)),
        (
            json!({ "game": "tictactoe", "positions": [{ "position": "x".repeat(31) }] }),
            "30",
            Some(0),
        ),
        (json!({ "game": "tictactoe", "positions": [7] }), "position, moves or both", None),
        (json!({ "game": "tictactoe", "positions": [{ "move": "a1" }] }), "moves or both", None),
        (json!({ "game": "tictactoe" }), "positions", None),
        (json!({ "game": "tictactoe", "positions": [], "by": "pn3" }), "engine", None),
        (
            json!({ "game": "tictactoe", "positions": [], "by": "alphabeta:threads=2" }),
            "one thread",
            None,
        ),
        (json!({ "game": "connect4 4x4", "positions": [], "by": "lambda" }), "lambda", None),
        (json!({ "game": "tictactoe", "positions": [], "seconds": 0 }), "seconds must be", None),
        (
            json!({ "game": "tictactoe", "positions": [], "total_seconds": 1e9 }),
            "total_seconds must",
            None,
        ),
        (json!({ "game": "graph /etc/passwd", "positions": [] }), "graph", None),
    ] {
        let answer = server.post("/api/v1/batch", &body.to_string()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        let error = answer.json()["error"].clone();
        assert!(error["message"].as_str().unwrap().contains(why), "{body}: {error}");
        assert_eq!(error["index"], json!(index), "{body}");
    }
    assert_eq!(
        ask(&server, json!({ "game": "tictactoe", "positions": [] })).await,
        [] as [Value; 0]
    );
    let large = RequestLimits { body: 100, ..RequestLimits::default() };
    let body = json!({ "game": "tictactoe", "positions": ["x".repeat(100)] });
    let answer = Server::with_limits(large).post("/api/v1/batch", &body.to_string()).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn nodes_and_seconds_hold() {
    let server = Server::plain();
    let hard = |more: Value| {
        let mut body = json!({ "game": "nogo 7x7", "by": "dfpn", "positions": ["a1", "b2", "c3"] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    for line in ask(&server, hard(json!({ "nodes": 500 }))).await {
        assert_eq!((&line["stop"], &line["solved"]), (&json!("out of nodes"), &json!(false)));
        assert_eq!(line["value"], json!({ "lo": null, "hi": null }));
        assert!(line["nodes"].as_u64().unwrap() <= 500);
    }
    for limit in [json!({ "seconds": 0.2 }), json!({ "total_seconds": 0.3 })] {
        let found = ask(&server, hard(limit)).await;
        assert!(found.iter().all(|line| line["stop"] == "out of time"), "{found:?}");
        assert_eq!(found.len(), 3);
    }
}

#[tokio::test]
async fn a_batch_takes_turns_and_ends_with_its_client() {
    let limits = RequestLimits {
        running: 1,
        batches: 1,
        turn: Duration::from_millis(50),
        ..RequestLimits::default()
    };
    let server = Server::with_limits(limits);
    let easy_then_hard = json!({
        "game": "nogo 7x7", "by": "dfpn", "positions": ["a1", "b2"], "nodes": 1_000_000_000_000u64,
        "seconds": 500, "total_seconds": 500,
    });
    let endless = stream(&server, easy_then_hard).await;
    // There is no room for another one.
    let small = json!({ "game": "tictactoe", "positions": ["a1"] });
    let answer = server.post("/api/v1/batch", &small.to_string()).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers.contains_key("retry-after"));
    // A job is not kept waiting by it.
    let job = server.post("/api/v1/jobs", r#"{"game":"tictactoe"}"#).await.good();
    let done = server.finish(job["id"].as_u64().unwrap()).await;
    assert_eq!(done["job"]["solved"], true);
    // Its client goes away, and soon there is room.
    drop(endless);
    loop {
        let answer = server.post("/api/v1/batch", &small.to_string()).await;
        if answer.status == StatusCode::OK {
            assert_eq!(lines(&answer)[0]["solved"], true);
            break;
        }
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn lines_come_one_by_one_and_end_with_the_server() {
    let server = Server::plain();
    let start = ".".repeat(7);
    let positions = json!(["a1", format!("{}|first", vec![start; 7].join("/")), "a2"]);
    let body = json!({ "game": "nogo 7x7", "by": "dfpn", "positions": positions, "nodes": 2000 });
    let mut lines = stream(&server, body).await;
    let mut text = Vec::new();
    while let Some(part) = lines.next().await {
        text.extend_from_slice(&part.unwrap());
    }
    assert_eq!(text.iter().filter(|b| **b == b'\n').count(), 3);
    let body = json!({ "game": "nogo 7x7", "by": "dfpn", "positions": ["a1"], "seconds": 500, "total_seconds": 500 });
    let mut lines = stream(&server, body).await;
    server.app.ending.send_replace(true);
    assert!(lines.next().await.is_none());
}

/// A client that does not read keeps its batch waiting, and nobody else.
#[tokio::test]
async fn a_slow_client_holds_no_turn() {
    let limits = RequestLimits { running: 1, ..RequestLimits::default() };
    let server = Server::with_limits(limits);
    let many = json!({ "game": "tictactoe", "positions": vec!["a1"; 1000] });
    let mut unread = stream(&server, many).await;
    let job = server.post("/api/v1/jobs", r#"{"game":"tictactoe"}"#).await.good();
    server.finish(job["id"].as_u64().unwrap()).await;
    let mut count = 0;
    while let Some(part) = unread.next().await {
        count += part.unwrap().iter().filter(|b| **b == b'\n').count();
    }
    assert_eq!(count, 1000);
}
