//! Several sources about one position: who answers, and what is said when two of them cannot both be right.

use crate::{Server, golden, path};
use serde_json::{Value, json};
use zermelo_erased::{BuildOrder, Catalogue};
use zermelo_explorer::ServerConfig;
use zermelo_explorer::facts::Subject;
use zermelo_game::Bounds;

const START: &str = ".../.../... first";

/// Lets the server believe that a search has found this.
fn lie(server: &Server, game: &str, position: &str, value: i16) {
    let opened = Catalogue::standard().open(game).unwrap();
    let mut session = opened.session();
    session.set_position(position).unwrap();
    let subject = Subject::position(true, position, &session.canonical());
    server.app.facts.put(game, &subject, Bounds::exact(value), None, 7);
}

async fn position(server: &Server, game: &str, position: &str) -> Value {
    server.get(&path("position", &[("game", game), ("position", position)])).await.good()
}

/// Who says what of whom, and that nothing is known.
fn both(found: &Value) -> [(String, i64); 2] {
    assert_eq!(found["value"], json!({ "lo": null, "hi": null }), "{found}");
    assert_eq!((&found["reason"], &found["distance"]), (&Value::Null, &Value::Null));
    let said = found["contradiction"].as_array().unwrap_or_else(|| panic!("{found}"));
    [0, 1].map(|i| {
        let value = &said[i]["value"];
        let value = value["lo"].as_i64().or(value["hi"].as_i64()).unwrap();
        (said[i]["reason"]["by"].as_str().unwrap().to_owned(), value)
    })
}

fn said(by: &str, value: i64) -> (String, i64) {
    (by.to_owned(), value)
}

#[tokio::test]
async fn a_database_and_a_search_that_disagree_are_both_named() {
    let dir = crate::api::strong("tictactoe");
    let databases = vec![dir.path().to_owned()];
    let server = Server::new(ServerConfig { databases, ..ServerConfig::default() });
    assert_eq!(position(&server, "tictactoe", START).await["contradiction"], Value::Null);
    lie(&server, "tictactoe", START, 1);
    let found = position(&server, "tictactoe", START).await;
    assert_eq!(both(&found), [said("database", 0), said("search", 1)]);
    assert_eq!(found["contradiction"][0]["reason"]["database"], 0);
    assert_eq!(found["contradiction"][1]["reason"]["nodes"], 7);
    assert_eq!((&found["best"], &found["tone"]), (&json!([]), &json!("open")));
    // The same in a probe, and of a move.
    let body = json!({ "game": "tictactoe", "positions": [START] }).to_string();
    let probed = server.post("/api/v1/probe", &body).await.good();
    assert_eq!(both(&probed["answers"][0]), [said("database", 0), said("search", 1)]);
    lie(&server, "tictactoe", "x../.../... second", -1);
    let found = position(&server, "tictactoe", START).await;
    let mv = found["moves"].as_array().unwrap().iter().find(|m| m["move"] == "a3").unwrap();
    assert_eq!(both(mv), [said("database", 0), said("search", -1)]);
    assert_eq!(mv["tone"], "open");
}

#[tokio::test]
async fn two_searches_and_a_position_against_its_moves() {
    let server = Server::plain();
    lie(&server, "tictactoe", START, 0);
    lie(&server, "tictactoe", START, 1);
    let found = position(&server, "tictactoe", START).await;
    assert_eq!(both(&found), [said("search", 0), said("search", 1)]);
    // The position is said to be lost, a move to be a win.
    let server = Server::plain();
    lie(&server, "tictactoe", START, -1);
    lie(&server, "tictactoe", ".../.x./... second", 1);
    let found = position(&server, "tictactoe", START).await;
    assert_eq!(both(&found), [said("search", -1), said("search", 1)]);
    let of = |i: usize| &found["contradiction"][i]["of"];
    assert_eq!((of(0), of(1)), (&json!("position"), &json!("moves")));
}

#[tokio::test]
async fn certificates_and_stores_are_sources_like_any_other() {
    let dir = tempfile::tempdir().unwrap();
    crate::stores::grow("tictactoe", dir.path(), 2_000, 100_000);
    let config = |proof: bool| ServerConfig {
        proofs: if proof { vec![golden("tictactoe.proof")] } else { Vec::new() },
        stores: vec![dir.path().to_owned()],
        ..ServerConfig::default()
    };
    let server = Server::new(config(true));
    assert_eq!(position(&server, "tictactoe", START).await["value"], json!({ "lo": 0, "hi": 0 }));
    lie(&server, "tictactoe", START, 1);
    let found = position(&server, "tictactoe", START).await;
    assert_eq!(both(&found), [said("certificate", 0), said("search", 1)]);
    let server = Server::new(config(false));
    let game = server.get(&path("game", &[("game", "tictactoe")])).await.good();
    assert_eq!(game["stores"], json!([0]));
    let found = position(&server, "tictactoe", START).await;
    assert_eq!((&found["reason"]["by"], &found["reason"]["store"]), (&json!("store"), &json!(0)));
    lie(&server, "tictactoe", START, 1);
    let found = position(&server, "tictactoe", START).await;
    assert_eq!(both(&found), [said("store", 0), said("search", 1)]);
}

#[tokio::test]
async fn of_two_databases_of_a_game_the_first_that_knows_answers() {
    let dirs = [2, 4].map(|pieces| {
        let dir = tempfile::tempdir().unwrap();
        let order = BuildOrder {
            pieces: Some(pieces),
            distance: true,
            threads: 1,
            memory: 1 << 28,
            cancel: &false.into(),
            progress: &|_| {},
        };
        let game = Catalogue::standard().open("checkers 4x4").unwrap();
        game.build(dir.path(), &order).map(drop).unwrap();
        dir
    });
    let other = crate::api::strong("tictactoe");
    let all = [dirs[0].path(), other.path(), dirs[1].path()];
    let databases = all.iter().map(|dir| (*dir).to_owned()).collect();
    let server = Server::new(ServerConfig { databases, ..ServerConfig::default() });
    let games = server.get("/api/v1/games").await.good();
    assert_eq!(games["databases"].as_array().unwrap().len(), 3);
    let game = server.get(&path("game", &[("game", "checkers 4x4")])).await.good();
    let ids: Vec<_> = game["databases"].as_array().unwrap().iter().map(|d| &d["id"]).collect();
    assert_eq!(ids, [&json!(0), &json!(2)]);
    for (text, id) in [("B:WK7:BK2", 0), ("B:W7,8:B1,2", 2)] {
        let found = position(&server, "checkers 4x4", text).await;
        assert_eq!(found["reason"]["database"], id, "{found}");
        assert!(found["contradiction"].is_null(), "{found}");
        assert!(found["moves"].as_array().unwrap().iter().all(|m| m["tone"] != "open"), "{found}");
    }
    assert_eq!(position(&server, "tictactoe", START).await["reason"]["database"], 1);
}
