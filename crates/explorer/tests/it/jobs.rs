//! Searches: results, progress, limits, turns.

use crate::{Server, path};
use axum::http::StatusCode;
use serde_json::json;
use std::time::Duration;
use zermelo_explorer::RequestLimits;

/// A search that takes much longer than any test.
const ENDLESS: &str = r#"{"game":"nogo 7x7","by":"dfpn","seconds":500}"#;

async fn start(server: &Server, body: &str) -> u64 {
    let answer = server.post("/api/v1/jobs", body).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.json());
    answer.json()["id"].as_u64().unwrap()
}

#[tokio::test]
async fn a_search_is_solved_and_remembered() {
    let server = Server::plain();
    let id = start(&server, r#"{"game":"tictactoe","moves":"a1 b1","values":true}"#).await;
    let whole = server.finish(id).await;
    let job = &whole["job"];
    assert_eq!((&job["solved"], &job["value"]), (&json!(true), &json!({ "lo": 1, "hi": 1 })));
    assert_eq!(job["moves"].as_array().unwrap().len(), 7);
    assert!(whole["samples"].as_array().is_some_and(|samples| !samples.is_empty()));
    let words = [("game", "tictactoe"), ("position", job["position"].as_str().unwrap())];
    let found = server.get(&path("position", &words)).await.good();
    assert_eq!(found["value"], json!({ "lo": 1, "hi": 1 }));
    let moves = found["moves"].as_array().unwrap();
    assert!(moves.iter().all(|m| m["tone"] != "open"));
    assert!(moves.iter().any(|m| m["reason"]["by"] == "search" && m["reason"]["nodes"].is_u64()));
    assert!(!found["best"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn progress_is_streamed_until_the_end() {
    let server = Server::plain();
    let id = start(&server, ENDLESS).await;
    let stopper = async {
        loop {
            let whole = server.get(&format!("/api/v1/jobs/{id}")).await.good();
            let numbers = &whole["job"]["proof_numbers"];
            if numbers["proof"].is_u64() && numbers["disproof"].is_u64() {
                break server.delete(&format!("/api/v1/jobs/{id}")).await;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let events = format!("/api/v1/jobs/{id}/events");
    let (events, stopped) = tokio::join!(server.get(&events), stopper);
    assert_eq!(stopped.status, StatusCode::OK);
    assert_eq!(events.headers["content-type"], "text/event-stream");
    let text = String::from_utf8(events.bytes).unwrap();
    let names: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("event: ")).collect();
    assert_eq!(names.last(), Some(&"done"));
    assert!(names.contains(&"progress") && names.iter().filter(|n| **n == "done").count() == 1);
    let job = server.finish(id).await["job"].clone();
    assert_eq!((&job["state"], &job["stop"]), (&json!("done"), &json!("interrupted")));
    // A stream of a job that is over tells that and ends.
    let again = server.get(&format!("/api/v1/jobs/{id}/events")).await;
    assert!(String::from_utf8(again.bytes).unwrap().starts_with("event: done"));
}

#[tokio::test]
async fn jobs_end_by_their_limits() {
    let server = Server::plain();
    let timed = start(&server, r#"{"game":"nogo 7x7","by":"dfpn","seconds":0.3}"#).await;
    let counted = start(&server, r#"{"game":"nogo 7x7","by":"dfpn","nodes":5000}"#).await;
    let job = server.finish(timed).await["job"].clone();
    assert_eq!((&job["stop"], &job["ending"]), (&json!("out of time"), &json!("timed_out")));
    let job = server.finish(counted).await["job"].clone();
    assert_eq!((&job["stop"], &job["ending"]), (&json!("out of nodes"), &json!("limited")));
    assert_eq!(job["value"], json!({ "lo": null, "hi": null }));
}

#[tokio::test]
async fn too_many_jobs_are_refused_and_all_get_their_turns() {
    let limits = RequestLimits {
        jobs: 3,
        running: 1,
        turn: Duration::from_millis(50),
        ..RequestLimits::default()
    };
    let server = Server::with_limits(limits);
    let mut ids = Vec::new();
    let endless = |n| ENDLESS.replace("}", &format!(r#","nodes":{}}}"#, 1_u64 << (40 + n)));
    for n in 0..3 {
        ids.push(start(&server, &endless(n)).await);
    }
    let refused = server.post("/api/v1/jobs", &endless(3)).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    // With one at a time, all three make progress.
    for id in &ids {
        loop {
            let whole = server.get(&format!("/api/v1/jobs/{id}")).await.good();
            if whole["job"]["nodes"].as_u64().unwrap() > 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    server.app.jobs.stop_all();
    for id in ids {
        assert_eq!(server.finish(id).await["job"]["stop"], "interrupted");
    }
    let id = start(&server, r#"{"game":"tictactoe"}"#).await;
    assert_eq!(server.finish(id).await["job"]["solved"], true);
}

#[tokio::test]
async fn one_search_for_a_question_shared_by_all_who_ask() {
    let server = Server::plain();
    let order = |more: &str| format!(r#"{{"game":"nogo 7x7","by":"dfpn","seconds":500{more}}}"#);
    let id = start(&server, &order("")).await;
    let again = server.post("/api/v1/jobs", &order(r#","moves":"""#)).await.json();
    assert_eq!((&again["id"], &again["askers"]), (&json!(id), &json!(2)));
    // Other questions have searches of their own.
    let mut ids = vec![id];
    for more in [r#","moves":"a1""#, r#","values":true"#, r#","play":true"#, r#","nodes":99999999"#]
    {
        let id = start(&server, &order(more)).await;
        assert!(!ids.contains(&id), "{more}");
        ids.push(id);
    }
    let by = order("").replace("dfpn", "dfpn:epsilon=1/2");
    assert!(!ids.contains(&start(&server, &by).await));
    // Who opens the position finds those that are about it.
    let words = [("game", "nogo 7x7"), ("moves", "a1")];
    let here = server.get(&path("position", &words)).await.good();
    assert_eq!(here["jobs"], json!([ids[1]]));
    let listed = server.get(&path("jobs", &words)).await.good();
    let listed = listed["jobs"].as_array().unwrap();
    assert_eq!((listed.len(), &listed[0]["id"]), (1, &json!(ids[1])));
    assert_eq!(listed[0]["played"], json!(["a1"]));
    assert_eq!(listed[0]["position"], here["position"]);
    // It goes on as long as somebody wants it.
    let stop = |id: u64, more: &str| format!("/api/v1/jobs/{id}{more}");
    let left = server.delete(&stop(id, "")).await.good();
    assert_eq!((&left["askers"], &left["ending"]), (&json!(1), &json!(null)));
    assert!(!server.app.jobs.get(id).unwrap().is_stopping());
    server.delete(&stop(id, "")).await.good();
    assert_eq!(server.finish(id).await["job"]["ending"], "stopped");
    // A search that is being stopped is joined by nobody.
    let next = start(&server, &order("")).await;
    assert_ne!(next, id);
    start(&server, &order("")).await;
    server.delete(&stop(next, "?all=true")).await.good();
    assert_eq!(server.finish(next).await["job"]["ending"], "stopped");
    server.app.jobs.stop_all();
}

#[tokio::test]
async fn who_joins_may_let_it_run_longer() {
    let server = Server::plain();
    let order = |seconds| format!(r#"{{"game":"nogo 7x7","by":"dfpn","seconds":{seconds}}}"#);
    let id = start(&server, &order(300)).await;
    assert_eq!(start(&server, &order(500)).await, id);
    assert_eq!(start(&server, &order(1)).await, id);
    assert_eq!(server.app.jobs.get(id).unwrap().time(), Duration::from_secs(500));
    server.app.jobs.stop_all();
}

#[tokio::test]
async fn the_list_can_leave_out_analyses_of_boards() {
    let server = Server::plain();
    let analysis = start(&server, r#"{"game":"tictactoe","moves":"a1","automatic":true}"#).await;
    let search = start(&server, r#"{"game":"kalah 2x2"}"#).await;
    server.finish(analysis).await;
    server.finish(search).await;
    let list = async |words: &str| -> Vec<(u64, bool, bool)> {
        let jobs = server.get(&format!("/api/v1/jobs{words}")).await.good();
        let told = |job: &serde_json::Value| {
            let flag = |name: &str| job[name].as_bool().unwrap();
            (job["id"].as_u64().unwrap(), flag("automatic"), flag("scores"))
        };
        jobs["jobs"].as_array().unwrap().iter().map(told).collect()
    };
    assert_eq!(list("").await, [(analysis, true, false), (search, false, true)]);
    assert_eq!(list("?automatic=false").await, [(search, false, true)]);
    assert_eq!(server.get("/api/v1/jobs?moves=a1").await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn orders_that_make_no_sense() {
    let server = Server::plain();
    for (body, says) in [
        (r#"{"game":"tictactoe","by":"magic"}"#, "bad engine at column 1"),
        (r#"{"game":"tictactoe","by":"magic"}"#, "an engine: auto, minimax"),
        (r#"{"game":"tictactoe","by":""}"#, "bad engine at column 1"),
        (r#"{"game":"tictactoe","by":"dfpn:sum=most"}"#, "a value of sum: sum, weak"),
        (r#"{"game":"tictactoe","by":"pp:sum=weak"}"#, "an option of pp (without)"),
        (r#"{"game":"tictactoe","by":"dfpn:threads=2"}"#, "has one thread"),
        (r#"{"game":"tictactoe","seconds":0}"#, "seconds must be"),
        (r#"{"game":"tictactoe","seconds":1e9}"#, "seconds must be"),
        (r#"{"game":"go 3x3","by":"dfpn"}"#, "dfpn cannot search go 3x3"),
        (r#"{"game":"connect4 4x4","by":"lambda"}"#, "lambda cannot search connect4 4x4"),
        (r#"{"game":"tictactoe","moves":"a1 a2 b1 b2 c1"}"#, "the game is over"),
        (r#"{"game":"tictactoe","moves":"a1 a9"}"#, "column 5"),
        (r#"{"game":"tictactoe","threads":4}"#, "threads"),
        (r#"{"game":"tictactoe","values":true,"automatic":true}"#, "three questions"),
        (r#"{"game":"tictactoe","automatic":true,"nodes":9}"#, "no limit of nodes"),
        (r#"{"game":"tictactoe""#, "EOF"),
    ] {
        let answer = server.post("/api/v1/jobs", body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(says), "{body}: {message}");
    }
    for path in ["/api/v1/jobs/99", "/api/v1/jobs/99/events", "/api/v1/jobs/x"] {
        assert_eq!(server.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn engines_are_named_with_their_settings() {
    let server = Server::plain();
    for (engine, shown) in [
        (r#""by":"dfpn:sum=weak""#, "dfpn:sum=weak"),
        (r#""by":"dfpn:threads=1,epsilon=0.25""#, "dfpn"),
        (r#""by":"alphabeta:without=order","seed":7"#, "alphabeta:without=order"),
        // An engine that draws nothing at random has no use for a seed.
        (r#""by":"pns","seed":7"#, "pns"),
        (r#""seed":7"#, "auto"),
    ] {
        let id = start(&server, &format!(r#"{{"game":"tictactoe",{engine}}}"#)).await;
        let job = server.finish(id).await["job"].clone();
        assert_eq!((&job["by"], &job["value"]), (&json!(shown), &json!({ "lo": 0, "hi": 0 })));
    }
    let body = r#"{"game":"tictactoe","by":"dfpn:sum=most"}"#;
    let error = server.post("/api/v1/jobs", body).await.json()["error"].clone();
    assert_eq!((&error["what"], &error["column"]), (&json!("engine"), &json!(10)));
}

#[tokio::test]
async fn old_jobs_are_forgotten() {
    let server = Server::with_limits(RequestLimits { kept: 2, ..RequestLimits::default() });
    for _ in 0..4 {
        let id = start(&server, r#"{"game":"tictactoe","nodes":100}"#).await;
        server.finish(id).await;
    }
    let jobs = server.get("/api/v1/jobs").await.good();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 2);
    assert_eq!(server.get("/api/v1/jobs/1").await.status, StatusCode::NOT_FOUND);
    // What nobody ordered does not push them out.
    for moves in ["a1", "b1", "b2"] {
        let order = format!(r#"{{"game":"tictactoe","moves":"{moves}","automatic":true}}"#);
        let id = start(&server, &order).await;
        server.finish(id).await;
    }
    let jobs = server.get("/api/v1/jobs").await.good();
    let automatic = |job: &serde_json::Value| job["automatic"] == true;
    let jobs = jobs["jobs"].as_array().unwrap();
    assert_eq!((jobs.len(), jobs.iter().filter(|job| automatic(job)).count()), (3, 1));
}

#[tokio::test]
async fn who_asks_again_and_again_is_counted_so_often_at_most() {
    let server = Server::plain();
    for _ in 0..100 {
        start(&server, ENDLESS).await;
    }
    assert!(server.app.jobs.all()[0].askers() < 50);
    server.app.jobs.stop_all();
}
