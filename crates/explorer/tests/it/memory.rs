//! What is remembered of searches: everything that they prove.

use crate::{Server, path};
use serde_json::{Value, json};
use zermelo_erased::{Catalogue, EngineConfig, EngineId, open_session};
use zermelo_game::Limits;

/// Searches a position and waits for the answer.
async fn search(server: &Server, body: Value) -> Value {
    let answer = server.post("/api/v1/jobs", &body.to_string()).await.good();
    server.finish(answer["id"].as_u64().unwrap()).await["job"].clone()
}

async fn position(server: &Server, game: &str, moves: &str) -> Value {
    server.get(&path("position", &[("game", game), ("moves", moves)])).await.good()
}

fn exactly(value: i16) -> Value {
    json!({ "lo": value, "hi": value })
}

#[tokio::test]
async fn a_solved_position_has_a_best_move_and_so_has_its_line() {
    for (game, by, value) in [
        ("connect4 4x5", "auto", 0),
        ("connect4 4x6", "alphabeta", -1),
        ("connect4 4x6", "dfpn", -1),
        ("breakthrough 4x4", "dfpn", 0),
        ("domineering 4x4", "auto", 1),
        ("clobber 3x4", "alphabeta", -1),
    ] {
        let server = Server::plain();
        let job = search(&server, json!({ "game": game, "by": by })).await;
        assert_eq!(job["ending"], "solved", "{game}");
        let value = if value == 0 { job["value"].clone() } else { exactly(value) };
        assert_eq!((&job["value"], &job["known"]), (&value, &json!("exact")), "{game}");
        let line: Vec<&str> =
            job["line"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
        assert!(!line.is_empty(), "{game} by {by}");
        for plies in 0..line.len() {
            let here = position(&server, game, &line[..plies].join(" ")).await;
            assert_eq!(here["value"], value, "{game} by {by} after {plies} plies");
            if here["outcome"].is_null() {
                let best = here["best"].as_array().unwrap();
                assert!(best.iter().any(|mv| mv == line[plies]), "{game} by {by}: {best:?}");
            }
        }
        // The loser of a game has no move that is worth more.
        let start = position(&server, game, "").await;
        let first_loses = value == exactly(-1);
        let open = start["moves"].as_array().unwrap().iter().filter(|m| m["known"] != "exact");
        assert!(!first_loses || open.count() == 0, "{game} by {by}");
        // The perfect player knows it without a search.
        let played = search(&server, json!({ "game": game, "play": true })).await;
        assert_eq!((&played["nodes"], &played["value"]), (&json!(0), &value), "{game} by {by}");
        let mv = &played["best"];
        assert!(start["best"].as_array().unwrap().contains(mv), "{game} by {by}: {mv}");
    }
}

#[tokio::test]
async fn what_tables_hold_of_the_moves_is_true() {
    let game = Catalogue::standard().open("connect4 4x5").unwrap();
    for by in ["auto", "alphabeta", "dfpn"] {
        let server = Server::plain();
        search(&server, json!({ "game": "connect4 4x5", "by": by })).await;
        let (mut compared, mut at) = (0, String::new());
        for mv in ["", "a", "b", "c", "b b"] {
            at.replace_range(.., mv);
            let here = position(&server, "connect4 4x5", &at).await;
            for m in here["moves"].as_array().unwrap() {
                let (mut session, _) = open_session(
                    &*game,
                    None,
                    Some(&format!("{at} {}", m["move"].as_str().unwrap())),
                )
                .unwrap();
                let engine = EngineConfig::new(EngineId::AlphaBeta);
                let value =
                    session.solve(&engine, &Limits::default(), &|_| {}).bounds.value().unwrap();
                let [lo, hi] = ["lo", "hi"].map(|end| m["value"][end].as_i64());
                assert!(lo.is_none_or(|lo| lo <= i64::from(value)), "{by}: {at} {m}");
                assert!(hi.is_none_or(|hi| hi >= i64::from(value)), "{by}: {at} {m}");
                compared += usize::from(lo.is_some() || hi.is_some());
            }
        }
        assert!(compared > 4, "{by}: {compared}");
    }
}

#[tokio::test]
async fn a_search_that_is_stopped_is_remembered_as_far_as_it_came() {
    let server = Server::plain();
    let order = |nodes| json!({ "game": "connect4 5x6", "by": "dfpn", "nodes": nodes });
    // One of the two questions of a draw is answered long before the other.
    let mut nodes = 1_000;
    let job = loop {
        let job = search(&server, order(nodes)).await;
        if job["known"] != "unknown" {
            break job;
        }
        nodes += nodes / 4;
    };
    assert_eq!((&job["known"], &job["ending"]), (&json!("partly"), &json!("limited")));
    let here = position(&server, "connect4 5x6", "").await;
    assert_eq!((&here["value"], &here["known"]), (&job["value"], &json!("partly")));
    assert_eq!(here["reason"]["by"], "search");
}

#[tokio::test]
async fn score_games_with_repetition_learn_too() {
    let server = Server::plain();
    let before = position(&server, "awari 2x3", "").await;
    assert_eq!((&before["known"], &before["scope"]), (&json!("unknown"), &json!("line")));
    let job = search(&server, json!({ "game": "awari 2x3" })).await;
    assert_eq!(job["known"], "exact");
    let here = position(&server, "awari 2x3", "").await;
    assert_eq!((&here["value"], &here["reason"]["by"]), (&job["value"], &json!("search")));
    assert_eq!(here["best"], json!([job["best"]]));
    // The line is another question than the position by itself, and keeps its answer.
    let next = position(&server, "awari 2x3", job["best"].as_str().unwrap()).await;
    assert_eq!(next["value"], job["value"]);
    let words = [("game", "awari 2x3"), ("position", next["position"].as_str().unwrap())];
    let alone = server.get(&path("position", &words)).await.good();
    assert_ne!(alone["known"], "exact");
    // Its moves, where it is asked for them.
    let job = search(&server, json!({ "game": "awari 2x3", "values": true })).await;
    let here = position(&server, "awari 2x3", "").await;
    let value = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|m| m["value"].clone()).collect()
    };
    assert_eq!(value(&job["moves"]), value(&here["moves"]));
    assert!(here["moves"].as_array().unwrap().iter().all(|m| m["known"] == "exact"));
}

#[tokio::test]
async fn a_line_under_superko_is_remembered_for_that_line() {
    let server = Server::plain();
    let job = search(&server, json!({ "game": "go 2x2", "moves": "a1", "values": true })).await;
    assert_eq!(job["known"], "exact");
    let here = position(&server, "go 2x2", "a1").await;
    assert_eq!((&here["value"], &here["scope"]), (&job["value"], &json!("line")));
    let words = [("game", "go 2x2"), ("position", here["position"].as_str().unwrap())];
    let alone = server.get(&path("position", &words)).await.good();
    assert_ne!(alone["known"], "exact", "with other boards before it may be worth something else");
}

#[tokio::test]
async fn bounds_that_leave_open_who_wins_are_no_answer() {
    let server = Server::plain();
    let order = json!({ "game": "kalah 6x4", "by": "alphabeta", "nodes": 20_000 });
    let job = search(&server, order).await;
    assert_eq!((&job["known"], &job["scores"]), (&json!("unknown"), &json!(true)));
    assert_eq!(job["value"], json!({ "lo": null, "hi": null }));
    assert!(job["proved"]["lo"].is_i64() && job["proved"]["hi"].is_i64());
    let here = position(&server, "kalah 6x4", "c pass f").await;
    for told in here["moves"].as_array().unwrap().iter().chain([&here]) {
        let [lo, hi] = ["lo", "hi"].map(|end| told["value"][end].as_i64());
        assert!(
            lo.is_some_and(|lo| lo >= 0)
                || hi.is_some_and(|hi| hi <= 0)
                || told["known"] == "unknown"
        );
        assert_eq!((lo, hi) == (None, None), told["known"] == "unknown", "{told}");
    }
}
