//! The analysis of a board, which begins when it opens.

use crate::{Server, path};
use serde_json::{Value, json};
use std::time::Duration;
use zermelo_erased::{Catalogue, EngineConfig, EngineId};
use zermelo_explorer::RequestLimits;
use zermelo_game::Limits;

/// An analysis that takes much longer than any test.
const ENDLESS: &str = r#"{"game":"nogo 7x7","by":"dfpn","automatic":true}"#;

async fn start(server: &Server, body: &str) -> Value {
    server.post("/api/v1/jobs", body).await.good()
}

async fn job(server: &Server, id: &Value) -> Value {
    server.get(&format!("/api/v1/jobs/{id}")).await.good()["job"].clone()
}

/// Waits until something is so.
async fn until(server: &Server, id: &Value, what: impl Fn(&Value) -> bool) -> Value {
    loop {
        let now = job(server, id).await;
        if what(&now) {
            return now;
        }
        assert!(now["ending"].is_null(), "{now}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn it_finds_what_a_solver_finds_of_every_move() {
    for name in [
        "mnk 3x4x3",
        "connect4 4x5",
        "domineering 4x4",
        "nogo 3x3",
        "atarigo 3x3",
        "clobber 3x3",
        "breakthrough 4x3",
        "kalah 2x2",
        "awari 2x2",
        "loa 3x3",
        "checkers 4x4",
        "go 2x2",
        "chess KRK",
    ] {
        let game = Catalogue::standard().open(name).unwrap();
        let mut session = game.session();
        let engine = EngineConfig::new(EngineId::Auto);
        let limits = Limits { memory: 64 << 20, ..Limits::default() };
        let mut truth = session.solve_moves(&engine, &limits, &|_| {}).unwrap();
        session.measure_moves(&mut truth, 1, &limits, &|_, _| {});
        let server = Server::plain();
        let id =
            start(&server, &json!({ "game": name, "automatic": true }).to_string()).await["id"]
                .clone();
        let found = server.finish(id.as_u64().unwrap()).await["job"].clone();
        assert_eq!(
            (&found["ending"], &found["automatic"]),
            (&json!("solved"), &json!(true)),
            "{name}"
        );
        let here = server.get(&path("position", &[("game", name)])).await.good();
        assert_eq!(here["value"]["lo"], json!(truth.report.bounds.value()), "{name}");
        assert!(!here["best"].as_array().unwrap().is_empty(), "{name}");
        let moves =
            here["moves"].as_array().unwrap().iter().zip(found["moves"].as_array().unwrap());
        for (told, (shown, listed)) in truth.moves.iter().zip(moves) {
            assert_eq!((&shown["move"], &listed["move"]), (&json!(told.mv), &json!(told.mv)));
            let value = json!({ "lo": told.bounds.lo, "hi": told.bounds.hi });
            assert_eq!((&shown["value"], &listed["value"]), (&value, &value), "{name} {}", told.mv);
            session.play(&told.mv).unwrap();
            let over = session.outcome().map(|_| 0);
            session.take_back();
            let after =
                told.distance.and_then(|plies| plies.value()).map(|plies| plies - 1).or(over);
            for distance in [&shown["distance"], &listed["distance"]] {
                assert_eq!(distance, &json!(after), "{name} {}", told.mv);
            }
        }
        // Nothing is left to be found out.
        let again = start(&server, &json!({ "game": name, "automatic": true }).to_string()).await;
        assert_eq!((&again["state"], &again["nodes"]), (&json!("done"), &json!(0)), "{name}");
        assert_eq!(again["moves"], found["moves"], "{name}");
    }
}

#[tokio::test]
async fn its_budget_grows_up_to_a_limit() {
    let limits =
        RequestLimits { analysis_step: Duration::from_millis(20), ..RequestLimits::default() };
    let server = Server::with_limits(limits);
    let id =
        start(&server, r#"{"game":"nogo 7x7","automatic":true,"seconds":0.5}"#).await["id"].clone();
    let found = server.finish(id.as_u64().unwrap()).await["job"].clone();
    assert_eq!((&found["ending"], &found["known"]), (&json!("timed_out"), &json!("unknown")));
    assert_eq!((&found["budget"]["most"], &found["budget"]["seconds"]), (&json!(0.5), &json!(0.5)));
    assert!(found["budget"]["step"].as_u64().unwrap() > 2, "{found}");
    assert!(found["nodes"].as_u64().unwrap() > 0);
    assert_eq!(found["moves"].as_array().unwrap().len(), 49);
}

#[tokio::test]
async fn it_can_be_paused_and_goes_on() {
    let server = Server::plain();
    let id = start(&server, ENDLESS).await["id"].clone();
    until(&server, &id, |job| job["nodes"].as_u64() > Some(0)).await;
    server.post(&format!("/api/v1/jobs/{id}/pause"), "").await.good();
    let before = until(&server, &id, |job| job["state"] == "paused").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let after = job(&server, &id).await;
    assert_eq!((&after["nodes"], &after["state"]), (&before["nodes"], &json!("paused")));
    server.post(&format!("/api/v1/jobs/{id}/resume"), "").await.good();
    let nodes = before["nodes"].as_u64();
    until(&server, &id, |job| job["state"] == "running" && job["nodes"].as_u64() > nodes).await;
    server.delete(&format!("/api/v1/jobs/{id}")).await.good();
    assert_eq!(server.finish(id.as_u64().unwrap()).await["job"]["ending"], "stopped");
}

#[tokio::test]
async fn a_paused_one_can_be_stopped_and_is_not_kept_for_ever() {
    let limits = RequestLimits { paused: Duration::from_millis(50), ..RequestLimits::default() };
    for (limits, ending) in [(RequestLimits::default(), "stopped"), (limits, "abandoned")] {
        let server = Server::with_limits(limits);
        let id =
            start(&server, r#"{"game":"nogo 7x7","by":"dfpn","seconds":500}"#).await["id"].clone();
        server.post(&format!("/api/v1/jobs/{id}/pause"), "").await.good();
        if ending == "stopped" {
            until(&server, &id, |job| job["state"] == "paused").await;
            server.delete(&format!("/api/v1/jobs/{id}")).await.good();
        }
        assert_eq!(server.finish(id.as_u64().unwrap()).await["job"]["ending"], ending);
    }
}

#[tokio::test]
async fn it_ends_when_nobody_looks_at_it_any_more() {
    let server =
        Server::with_limits(RequestLimits { alone: Duration::ZERO, ..RequestLimits::default() });
    let id = start(&server, ENDLESS).await["id"].as_u64().unwrap();
    let found = server.finish(id).await["job"].clone();
    assert_eq!((&found["ending"], &found["state"]), (&json!("abandoned"), &json!("done")));
    // Who watches keeps it alive; a search that somebody ordered needs nobody.
    let ordered =
        start(&server, r#"{"game":"nogo 7x7","by":"dfpn","seconds":500}"#).await["id"].clone();
    until(&server, &ordered, |job| job["nodes"].as_u64() > Some(100_000)).await;
    server.app.jobs.stop_all();
}

#[tokio::test]
async fn one_that_nobody_looks_at_makes_room() {
    let server = Server::with_limits(RequestLimits { analyses: 2, ..RequestLimits::default() });
    let order = |moves: &str| json!({ "game": "nogo 7x7", "by": "dfpn", "moves": moves, "automatic": true });
    let mut ids = Vec::new();
    for moves in ["", "a1", "a1 c1"] {
        ids.push(start(&server, &order(moves).to_string()).await["id"].as_u64().unwrap());
    }
    assert_eq!(server.finish(ids[0]).await["job"]["ending"], "abandoned");
    assert!(job(&server, &json!(ids[1])).await["ending"].is_null());
    let watched = [1, 2].map(|n| server.app.jobs.get(ids[n]).unwrap().watch());
    let refused = server.post("/api/v1/jobs", &order("c1").to_string()).await;
    assert_eq!(refused.status, axum::http::StatusCode::SERVICE_UNAVAILABLE);
    drop(watched);
    server.app.jobs.stop_all();
}

#[tokio::test]
async fn an_engine_that_gives_up_is_not_asked_for_ever() {
    let server =
        Server::with_limits(RequestLimits { job_memory: 1 << 20, ..RequestLimits::default() });
    for (game, by, ending) in [("mnk 4x4x4", "lambda", "unsolved"), ("nogo 7x7", "pns", "limited")]
    {
        let order = json!({ "game": game, "by": by, "automatic": true });
        let id = start(&server, &order.to_string()).await["id"].clone();
        let found = server.finish(id.as_u64().unwrap()).await["job"].clone();
        assert_eq!((&found["ending"], &found["state"]), (&json!(ending), &json!("done")), "{game}");
    }
}
