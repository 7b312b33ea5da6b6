//! Whatever comes in, what comes out is an answer or a reason, never a failure of the server.

use crate::{Server, golden, path};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use zermelo_explorer::api::ROUTES;

#[tokio::test]
async fn malformed_input_is_told_with_its_place() {
    let server = Server::plain();
    for (words, what, column) in [
        (vec![("game", "")], "game", 1),
        (vec![("game", "shogi")], "game", 1),
        (vec![("game", "mnk 3x3")], "game", 5),
        (vec![("game", "nogo 99x99")], "game", 6),
        (vec![("game", "tictactoe"), ("position", "x.o/.q./... first")], "position", 6),
        (vec![("game", "tictactoe"), ("position", "x.o")], "position", 4),
        (vec![("game", "tictactoe"), ("moves", "a1 b2 a4")], "move", 8),
        (vec![("game", "tictactoe"), ("moves", "a1 a1")], "move", 4),
        (vec![("game", "graph /etc/passwd")], "game", 18),
        (vec![("game", "GRAPH ../../Cargo.toml")], "game", 23),
        (vec![("game", "tictactoe"), ("position", "\u{1F600}")], "position", 1),
    ] {
        for route in ["position", "picture.svg"] {
            let answer = server.get(&path(route, &words)).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{words:?}");
            let error = &answer.json()["error"];
            assert_eq!(
                (&error["what"], &error["column"]),
                (&json!(what), &json!(column)),
                "{words:?}"
            );
            assert!(error["expected"].is_string());
        }
    }
    for bad in [
        "/api/v1/position",
        "/api/v1/position?game=tictactoe&colour=red",
        "/api/v1/position?game=tictactoe&game=nogo",
        "/api/v1/position?game=%ff%fe",
        "/api/v1/proofs/0/node?claim=x",
    ] {
        let status = server.get(bad).await.status;
        assert!(status.is_client_error(), "{bad}: {status}");
    }
}

/// Words that parsers find hard to swallow, and those that they like.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "tictactoe", "nogo 4x4", "connect4 4x4", "chess KRK", "kalah 2x2", "checkers 4x4", "go 3x3", "morris 3",
            "awari 3x2", "domineering 3x3 misere", "loa 4x4", "clobber 2x3", "mnk 3x3x3", "atarigo 3x3",
            "graph a first: b; b second = 1", "breakthrough 4x3", "knightthrough 5x3", "first", "second",
            "x.o/.../... first", ".../.../... second", "a1", "a1-b2", "b", "1", "-1", "99999999999999999999",
            "auto", "dfpn", "minimax", "dfpn:sum=weak", "alphabeta:playouts=9M,table-entries=1", "null", "\"", "{}", "[]", "../../etc/passwd", "%00", "K1 k8 w", "W:W1:B2",
        ]).prop_map(str::to_owned),
        1 => ".{0,24}",
        1 => "[a-h1-8xo./ :;=,KQRkqr-]{0,40}",
    ]
}

fn body() -> impl Strategy<Value = String> {
    let field = prop::sample::select(vec![
        "game",
        "position",
        "moves",
        "positions",
        "by",
        "values",
        "seconds",
        "nodes",
        "seed",
        "extra",
    ]);
    let value = prop_oneof![
        4 => word().prop_map(serde_json::Value::from),
        1 => any::<i64>().prop_map(serde_json::Value::from),
        1 => Just(json!(true)),
        1 => Just(json!(0.05)),
        1 => Just(json!(null)),
        1 => prop::collection::vec(word(), 0..4).prop_map(serde_json::Value::from),
    ];
    let object = prop::collection::vec((field, value), 0..5).prop_map(|fields| {
        let fields: serde_json::Map<_, _> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        serde_json::Value::from(fields).to_string()
    });
    prop_oneof![4 => object, 1 => ".{0,60}"]
}

/// A request of any route, mostly with a body and words that nearly fit.
fn request() -> impl Strategy<Value = (String, String, String)> {
    let route = prop::sample::select(ROUTES.to_vec());
    let names = prop::sample::select(vec!["game", "position", "moves", "claim", "depth", "id"]);
    let words = prop::collection::vec((names, word()), 0..4);
    (route, words, body(), word(), any::<bool>()).prop_map(
        |((method, route), words, body, id, zero)| {
            let words: Vec<(&str, &str)> = words.iter().map(|(k, v)| (*k, v.as_str())).collect();
            let whole = path("", &words);
            let query = whole.split_once('?').map_or("", |(_, query)| query);
            let id = path("", &[("", &id)])
                .split_once('=')
                .map_or(String::new(), |(_, id)| id.to_owned());
            let route = route.replace("{id}", if zero { "0" } else { &id });
            (method.to_uppercase(), format!("{route}?{query}"), body)
        },
    )
}

#[test]
fn nothing_brings_the_server_down() {
    let store = tempfile::tempdir().unwrap();
    crate::stores::grow("tictactoe", store.path(), 20, 1_000);
    let database = crate::api::strong("tictactoe");
    let config = zermelo_explorer::ServerConfig {
        databases: vec![database.path().to_owned()],
        proofs: vec![golden("tictactoe.proof")],
        stores: vec![store.path().to_owned()],
        limits: zermelo_explorer::RequestLimits {
            job_time: std::time::Duration::from_millis(20),
            job_memory: 1 << 20,
            ..Default::default()
        },
        ..Default::default()
    };
    let server = Server::new(config);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The same requests every time; five times as many where all tests are wanted.
    let cases = zermelo_game::conformance::rounds(3_000) as u32;
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"explorers read what strangers sa");
    let mut runner = TestRunner::new_with_rng(config, rng);
    let run = runner.run(&request(), |(method, path, body)| {
        let request = Request::builder()
            .header(axum::http::header::HOST, crate::HOST)
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(&path)
            .header("content-type", "application/json")
            .body(Body::from(body));
        let Ok(request) = request else { return Ok(()) };
        let answer = runtime.block_on(server.send(request));
        let meant = answer.status == StatusCode::SERVICE_UNAVAILABLE;
        prop_assert!(
            !answer.status.is_server_error() || meant,
            "{method} {path}: {}",
            answer.status
        );
        if !answer.status.is_success() {
            prop_assert!(answer.json()["error"]["message"].is_string());
        }
        Ok(())
    });
    server.app.jobs.stop_all();
    run.unwrap_or_else(|e| panic!("{e}"));
}
