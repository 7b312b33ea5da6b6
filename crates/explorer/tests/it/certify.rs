//! Certificates that are made by the server.

use crate::{Server, golden, path};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;
use zermelo_certificate::Certificate;
use zermelo_certificate::check::CheckLimits;
use zermelo_erased::Catalogue;
use zermelo_explorer::{RequestLimits, ServerConfig};

async fn make(server: &Server, body: Value) -> u64 {
    let answer = server.post("/api/v1/proofs", &body.to_string()).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.json());
    answer.json()["id"].as_u64().unwrap()
}

/// Waits until it is proved, refused or failed.
async fn finish(server: &Server, id: u64) -> Value {
    loop {
        let proof = server.get(&format!("/api/v1/proofs/{id}")).await.good();
        let at_work =
            ["searching", "writing", "checking"].contains(&proof["state"].as_str().unwrap());
        assert_eq!(at_work && proof["state"] != "checking", proof["progress"].is_object());
        if !at_work {
            return proof;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_position_gets_a_certificate_that_any_checker_accepts() {
    let server = Server::new(ServerConfig {
        proofs: vec![golden("nogo-4x4.proof")],
        ..ServerConfig::default()
    });
    for (game, moves) in [
        ("connect4 4x5", "b"),
        ("nogo 3x3", ""),
        ("breakthrough 4x4", ""),
        ("clobber 3x4", ""),
        ("kalah 2x2", "a"),
        ("go 2x2", ""),
        ("chess KRK", ""),
    ] {
        let id = make(&server, json!({ "game": game, "moves": moves })).await;
        let proof = finish(&server, id).await;
        assert_eq!(
            (&proof["state"], &proof["refusal"]),
            (&json!("proved"), &Value::Null),
            "{game}"
        );
        assert_eq!((&proof["made_here"], &proof["game"]), (&json!(true), &json!(game)));
        assert!(proof["claims"].as_array().is_some_and(|claims| !claims.is_empty()), "{game}");
        let root = server.get(&format!("/api/v1/proofs/{id}/node")).await.good();
        let here = server.get(&path("position", &[("game", game), ("moves", moves)])).await.good();
        assert_eq!((&root["position"], &proof["position"]), (&here["position"], &here["position"]));
        let file = server.get(&format!("/api/v1/proofs/{id}/file")).await;
        assert_eq!(file.status, StatusCode::OK);
        let named = file.headers["content-disposition"].to_str().unwrap().to_owned();
        assert!(
            named.starts_with("attachment; filename=\"") && named.ends_with(".proof\""),
            "{named}"
        );
        assert_eq!(proof["bytes"], json!(file.bytes.len()));
        let certificate = Certificate::read(&file.bytes).unwrap();
        Catalogue::standard().walk(&certificate, &CheckLimits::default()).unwrap();
        // It is there: nobody makes it again.
        assert_eq!(make(&server, json!({ "game": game, "position": here["position"] })).await, id);
    }
    // So is one that was given.
    assert_eq!(make(&server, json!({ "game": "nogo 4x4" })).await, 0);
    let given = server.get("/api/v1/proofs/0").await.good();
    assert_eq!((&given["made_here"], &given["progress"]), (&json!(false), &Value::Null));
    assert_eq!(server.get("/api/v1/proofs/0/file").await.status, StatusCode::NOT_FOUND);
    assert_eq!(server.delete("/api/v1/proofs/0").await.status, StatusCode::FORBIDDEN);
    // What it proves is known of positions.
    let here = server.get(&path("position", &[("game", "nogo 3x3")])).await.good();
    assert_eq!((&here["known"], &here["reason"]["by"]), (&json!("exact"), &json!("certificate")));
}

#[tokio::test]
async fn what_cannot_be_proved_says_why() {
    let server = Server::plain();
    let id = make(&server, json!({ "game": "nogo 7x7", "seconds": 0.2 })).await;
    let proof = finish(&server, id).await;
    assert_eq!((&proof["state"], &proof["claims"]), (&json!("failed"), &json!([])));
    assert!(proof["refusal"].as_str().unwrap().contains("out of time"), "{proof}");
    assert_eq!(
        server.get(&format!("/api/v1/proofs/{id}/node")).await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        server.get(&format!("/api/v1/proofs/{id}/file")).await.status,
        StatusCode::NOT_FOUND
    );
    // It may be tried again.
    assert_ne!(make(&server, json!({ "game": "nogo 7x7", "seconds": 0.2 })).await, id);
    for (body, says) in [
        (r#"{"game":"awari 2x2"}"#, "values depend on the line of play"),
        (r#"{"game":"tictactoe","moves":"a1 a2 b1 b2 c1"}"#, "the game is over"),
        (r#"{"game":"tictactoe","seconds":0}"#, "seconds must be"),
        (r#"{"game":"tictactoe","moves":"q9"}"#, "column 1"),
    ] {
        let answer = server.post("/api/v1/proofs", body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(says), "{body}: {message}");
    }
}

#[tokio::test]
async fn the_newest_are_kept_and_numbers_mean_one_for_ever() {
    let server = Server::with_limits(RequestLimits {
        made_proofs: 2,
        making: 1,
        ..RequestLimits::default()
    });
    let mut ids = Vec::new();
    for moves in ["a1", "b1", "b2"] {
        let id = make(&server, json!({ "game": "tictactoe", "moves": moves })).await;
        finish(&server, id).await;
        while server.app.making.held() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        ids.push(id);
    }
    assert_eq!(ids, [0, 1, 2]);
    assert_eq!(server.get("/api/v1/proofs/0").await.status, StatusCode::NOT_FOUND);
    server.delete("/api/v1/proofs/2").await.good();
    assert_eq!(server.get("/api/v1/proofs/2").await.status, StatusCode::NOT_FOUND);
    let id = make(&server, json!({ "game": "nogo 7x7", "seconds": 500 })).await;
    assert_eq!(id, 3);
    let full = server.post("/api/v1/proofs", r#"{"game":"nogo 6x6"}"#).await;
    assert_eq!(full.status, StatusCode::SERVICE_UNAVAILABLE);
    // Who forgets one that is being made ends the work.
    server.delete("/api/v1/proofs/3").await.good();
    while server.app.making.held() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
