//! Games, positions and probes.

use crate::{Server, path};
use axum::http::StatusCode;
use serde_json::{Value, json};
use zermelo_any::{Order, build};
use zermelo_web::{Config, Limits};

/// Solves a small game as a whole into a folder.
pub fn strong(name: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let order = Order {
        pieces: None,
        distance: true,
        threads: 1,
        memory: 1 << 30,
        cancel: &false.into(),
        progress: &|_| {},
    };
    build(name, dir.path(), &order).map(drop).unwrap();
    dir
}

fn tictactoe() -> (Server, tempfile::TempDir) {
    let dir = strong("tictactoe");
    let databases = vec![dir.path().to_owned()];
    (Server::new(Config { databases, ..Config::default() }), dir)
}

#[tokio::test]
async fn the_gallery_lists_games_that_open() {
    let server = Server::plain();
    let games = server.get("/api/v1/games").await.good();
    let list = games["games"].as_array().unwrap();
    assert_eq!(list.len(), zermelo_games::entries().len());
    for entry in list {
        let example = entry["example"].as_str().unwrap();
        let game = server.get(&path("game", &[("game", example)])).await.good();
        assert!(game["game"].as_str().unwrap().starts_with(entry["name"].as_str().unwrap()));
        let picture = server.get(&path("picture.svg", &[("game", example)])).await;
        assert_eq!(picture.headers["content-type"], "image/svg+xml");
        assert!(picture.bytes.starts_with(b"<svg"), "{example}");
        // Every board can be clicked: each move has a place in the picture.
        let found = server.get(&path("position", &[("game", example)])).await.good();
        let picture = &found["picture"];
        let places = picture["cells"].as_array().or(picture["diagram"]["spots"].as_array());
        let places = places.unwrap_or_else(|| panic!("{example}")).len() as u64;
        for m in found["moves"].as_array().unwrap().iter().filter(|m| m["move"] != "pass") {
            assert!(m["place"]["to"].as_u64().unwrap() < places, "{example}: {m}");
        }
    }
}

#[tokio::test]
async fn a_database_gives_every_move_its_value_and_distance() {
    let (server, _dir) = tictactoe();
    let words = [("game", "tictactoe"), ("moves", "a1 b1")];
    let found = server.get(&path("position", &words)).await.good();
    // After corner and the edge beside it, the first player wins.
    assert_eq!(found["value"], json!({ "lo": 1, "hi": 1 }));
    assert_eq!(found["reason"]["by"], "database");
    assert_eq!(found["played"], json!(["a1", "b1"]));
    assert_eq!((&found["turn"], &found["tone"]), (&json!("first"), &json!("win")));
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 7);
    for m in moves {
        assert!(m["value"]["lo"].is_i64() && m["value"]["lo"] == m["value"]["hi"], "{m}");
        assert!(m["tone"] != "open" && m["reason"].is_object() && m["place"]["to"].is_u64(), "{m}");
    }
    let best: Vec<&str> =
        found["best"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let tone = |mv: &str| moves.iter().find(|m| m["move"] == mv).unwrap()["tone"].clone();
    assert!(!best.is_empty() && best.iter().all(|mv| tone(mv) == "win"), "{best:?}");
    let plies = |mv: &str| moves.iter().find(|m| m["move"] == mv).unwrap()["distance"].as_u64();
    assert!(plies(best[0]).is_some() && plies(best[0]) <= plies(best[best.len() - 1]));
    assert_eq!(plies(best[0]).map(|d| d + 1), found["distance"].as_u64());
}

#[tokio::test]
async fn what_is_not_known_is_null() {
    let server = Server::plain();
    let found = server.get(&path("position", &[("game", "connect4 6x7")])).await.good();
    assert_eq!(found["value"], json!({ "lo": null, "hi": null }));
    assert_eq!((&found["reason"], &found["distance"]), (&Value::Null, &Value::Null));
    assert_eq!((&found["best"], &found["tone"]), (&json!([]), &json!("open")));
}

#[tokio::test]
async fn the_end_of_a_game_is_known_by_the_rules() {
    let server = Server::plain();
    let words = [("game", "tictactoe"), ("moves", "a1,a2 b1,b2,c1")];
    let found = server.get(&path("position", &words)).await.good();
    assert_eq!((&found["outcome"], &found["reason"]["by"]), (&json!(1), &json!("rules")));
    assert_eq!((&found["moves"], &found["distance"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn many_positions_at_once() {
    let (server, _dir) = tictactoe();
    let body =
        json!({ "game": "tictactoe", "positions": [".../.../... first", "x.o/.../... first"] });
    let found = server.post("/api/v1/probe", &body.to_string()).await.good();
    assert_eq!(found["answers"][0]["value"], json!({ "lo": 0, "hi": 0 }));
    assert_eq!(found["answers"][1]["value"], json!({ "lo": 1, "hi": 1 }));
    let body =
        json!({ "game": "tictactoe", "positions": [".../.../... first", "xq./.../... first"] });
    let wrong = server.post("/api/v1/probe", &body.to_string()).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    let error = &wrong.json()["error"];
    assert_eq!((&error["index"], &error["column"]), (&json!(1), &json!(2)));
}

#[tokio::test]
async fn limits_are_told() {
    let limits = Limits { batch: 2, text: 100, plies: 3, body: 600, ..Limits::default() };
    let server = Server::with_limits(limits);
    let positions = [".../.../... first"; 3];
    let body = json!({ "game": "tictactoe", "positions": positions }).to_string();
    let many = server.post("/api/v1/probe", &body).await;
    assert_eq!(many.status, StatusCode::BAD_REQUEST);
    assert!(many.json()["error"]["message"].as_str().unwrap().contains("more than 2"));
    let long = server.post("/api/v1/probe", &" ".repeat(700)).await;
    assert_eq!(long.status, StatusCode::PAYLOAD_TOO_LARGE);
    let deep = [("game", "tictactoe"), ("moves", "a1 a2 a3 b1")];
    let deep = server.get(&path("position", &deep)).await;
    assert!(deep.json()["error"]["message"].as_str().unwrap().contains("more than 3 moves"));
    let name = "x".repeat(101);
    let long = server.get(&path("position", &[("game", &name)])).await;
    assert!(long.json()["error"]["message"].as_str().unwrap().contains("longer than 100"));
}

#[tokio::test]
async fn an_overload_is_answered_at_once() {
    let server = Server::with_limits(Limits { requests: 1, ..Limits::default() });
    let guest = server.app.room.enter();
    let answer = server.get("/api/v1/games").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.headers["retry-after"], "1");
    drop(guest);
    server.get("/api/v1/games").await.good();
}
