//! Games, positions and probes.

use crate::{Server, path};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;
use zermelo_erased::{BuildOrder, Catalogue};
use zermelo_explorer::{RequestLimits, ServerConfig};

/// Solves a small game as a whole into a folder.
pub fn strong(name: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let order = BuildOrder {
        pieces: None,
        distance: true,
        threads: 1,
        memory: 1 << 30,
        cancel: &false.into(),
        progress: &|_| {},
    };
    Catalogue::standard().open(name).unwrap().build(dir.path(), &order).map(drop).unwrap();
    dir
}

fn tictactoe() -> (Server, tempfile::TempDir) {
    let dir = strong("tictactoe");
    let databases = vec![dir.path().to_owned()];
    (Server::new(ServerConfig { databases, ..ServerConfig::default() }), dir)
}

#[tokio::test]
async fn the_gallery_lists_games_that_open() {
    let server = Server::plain();
    let games = server.get("/api/v1/games").await.good();
    let list = games["games"].as_array().unwrap();
    assert_eq!(list.len(), Catalogue::standard().rows().len());
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
async fn common_notations_are_read() {
    let server = Server::plain();
    let position = |words: Vec<(&'static str, &'static str)>| path("position", &words);
    let found = server.get(&position(vec![("game", "connect4"), ("moves", "444,d5")])).await;
    assert_eq!(found.json()["error"]["column"], json!(6), "letters and digits are not joined");
    let found =
        server.get(&position(vec![("game", "connect4"), ("moves", "444,dd 5")])).await.good();
    assert_eq!(found["played"], json!(["d", "d", "d", "d", "d", "e"]));
    assert_eq!(found["picture"]["names"], Value::Null);
    let fen = "8/8/8/8/8/1k6/8/K1Q5 w - - 0 1";
    for route in ["game", "position"] {
        let found = server.get(&path(route, &[("game", "chess"), ("position", fen)])).await.good();
        assert_eq!(found["game"], "chess KQK");
    }
    let wrong =
        server.get(&position(vec![("game", "chess"), ("position", fen), ("moves", "Kb2")])).await;
    let error = &wrong.json()["error"];
    assert_eq!(
        (&error["column"], &error["reason"]),
        (&json!(1), &json!("the king would be attacked on b2"))
    );
    let wrong = server.get(&path("game", &[("game", "chess")])).await;
    assert!(wrong.json()["error"]["expected"].as_str().unwrap().contains("position"));
    let pdn = [("game", "checkers"), ("moves", "1. 11-15 {a comment} 23-19 *")];
    let found = server.get(&path("position", &pdn)).await.good();
    assert_eq!(found["played"], json!(["11-15", "23-19"]));
    let names = found["picture"]["names"].as_array().unwrap();
    assert_eq!((&names[0], &names[1], &names[63]), (&json!("29"), &json!(""), &json!("4")));
    assert_eq!(names.len(), 64);
}

#[tokio::test]
async fn what_is_not_known_is_null() {
    let server = Server::plain();
    let found = server.get(&path("position", &[("game", "connect4 7x7")])).await.good();
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
    let limits =
        RequestLimits { batch: 2, text: 100, plies: 3, body: 600, ..RequestLimits::default() };
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
    let server = Server::with_limits(RequestLimits { requests: 1, ..RequestLimits::default() });
    let permit = server.app.requests.enter();
    let answer = server.get("/api/v1/games").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.headers["retry-after"], "1");
    drop(permit);
    server.get("/api/v1/games").await.good();
}

#[tokio::test]
async fn small_games_are_counted_as_a_whole() {
    let server = Server::with_limits(RequestLimits { census: 6_000, ..RequestLimits::default() });
    let ask = async |game: &str| loop {
        let found = server.get(&path("statistics", &[("game", game)])).await;
        // One game is counted after the other.
        let waits =
            found.status == StatusCode::SERVICE_UNAVAILABLE || found.json()["state"] == "counting";
        if !waits {
            break found;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    let found = ask("tictactoe").await.good();
    assert_eq!((&found["census"]["positions"], &found["most"]), (&json!(5_478), &json!(6_000)));
    assert_eq!(found["census"]["first_moves"], json!({ "wins": 0, "draws": 9, "losses": 0 }));
    let found = ask("connect4 4x4").await.good();
    assert_eq!((&found["state"], &found["census"]), (&json!("too_large"), &Value::Null));
    let refused = ask("awari 2x2").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("values of their own"));
}

#[tokio::test]
async fn a_picture_shows_what_is_known_of_the_moves() {
    let server = Server::plain();
    let picture = async |words: &[(&str, &str)]| {
        let answer = server.get(&path("picture.svg", words)).await;
        assert_eq!(answer.status, StatusCode::OK);
        String::from_utf8(answer.bytes).unwrap()
    };
    // x wins at c1, and all else is open.
    let at = [("game", "tictactoe"), ("moves", "a1 a3 b1 b3")];
    let [plain, marked] = ["false", "true"].map(|values| [at[0], at[1], ("values", values)]);
    let (bare, plain, marked) = (picture(&at).await, picture(&plain).await, picture(&marked).await);
    assert_eq!(bare, plain);
    assert!(marked.len() > plain.len(), "{marked}");
}
