//! Certificates: their strategies step by step, their sizes, what they say of positions, and bad ones.

use crate::{Server, golden, path};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::fs;
use zermelo_explorer::{App, ServeFailure, ServerConfig};

fn with(proofs: &[&str]) -> Server {
    let proofs = proofs.iter().map(|name| golden(name)).collect();
    Server::new(ServerConfig { proofs, ..ServerConfig::default() })
}

fn moves(words: &[String]) -> String {
    words.join(" ")
}

#[tokio::test]
async fn a_certificate_is_checked_and_told() {
    let server = with(&["nogo-4x4.proof", "connect4-4x5-leaves.proof", "go-3x3.proof"]);
    let all = server.get("/api/v1/proofs").await.good();
    for proof in all["proofs"].as_array().unwrap() {
        assert_eq!(
            (&proof["state"], &proof["refusal"]),
            (&json!("proved"), &Value::Null),
            "{proof}"
        );
    }
    let proof = server.get("/api/v1/proofs/0").await.good();
    let claim = &proof["claims"][0];
    assert_eq!(claim["longest"].as_u64(), claim["line"].as_array().map(|line| line.len() as u64));
    assert!(proof["checked"]["ends"].as_u64().unwrap() > 0);
    // Searches of the checker are leaves of their own kind.
    let leaves = server.get("/api/v1/proofs/1").await.good();
    assert!(leaves["checked"]["searched"].as_u64().unwrap() > 0);
    // Where boards must not be repeated, there is the root and nothing else.
    let root = server.get("/api/v1/proofs/2/node").await.good();
    assert_eq!(root["steps"], json!([]));
    assert!(root["positions"].as_u64().unwrap() > 1);
}

#[tokio::test]
async fn parts_add_up() {
    let server = with(&["nogo-4x4.proof"]);
    // A walk of some steps: at each position what follows makes up what is there.
    let mut line: Vec<String> = Vec::new();
    let mut looked = 0;
    loop {
        let node = server.get(&path("proofs/0/node", &[("moves", &moves(&line))])).await.good();
        let steps = node["steps"].as_array().unwrap();
        let below: u64 = steps.iter().map(|s| s["positions"].as_u64().unwrap()).sum();
        let own = u64::from(node["claimant"] == true && node["outcome"].is_null());
        assert_eq!(node["positions"].as_u64().unwrap(), below + own, "{line:?}");
        let Some(step) = steps.iter().max_by_key(|s| s["positions"].as_u64()) else { break };
        if step["positions"] == 0 {
            break;
        }
        let longest = steps.iter().map(|s| s["longest"].as_u64().unwrap()).max().unwrap();
        assert_eq!(node["longest"].as_u64().unwrap(), longest + 1, "{line:?}");
        line.push(step["move"].as_str().unwrap().to_owned());
        looked += 1;
    }
    assert!(looked > 3);
    let map = server.get(&path("proofs/0/map", &[("depth", "3")])).await.good();
    fn check(map: &Value, depth: usize) -> usize {
        let parts = map["parts"].as_array().unwrap();
        let sum: u64 = parts.iter().map(|p| p["positions"].as_u64().unwrap()).sum();
        assert_eq!(map["positions"].as_u64().unwrap(), sum + map["rest"].as_u64().unwrap());
        assert!(depth > 0 || parts.is_empty());
        1 + parts.iter().map(|p| check(p, depth.saturating_sub(1))).sum::<usize>()
    }
    let cells = check(&map, 3);
    assert!((10..=601).contains(&cells), "{cells}");
}

#[tokio::test]
async fn positions_know_what_a_certificate_proves() {
    let server = with(&["nogo-4x4.proof"]);
    let claim = server.get("/api/v1/proofs/0").await.good()["claims"][0].clone();
    let found = server.get(&path("position", &[("game", "nogo 4x4")])).await.good();
    assert_eq!(
        found["reason"],
        json!({ "by": "certificate", "nodes": null, "proof": 0, "database": null, "store": null })
    );
    assert_eq!(found["value"]["lo"], claim["value"]);
    let game = server.get(&path("game", &[("game", "nogo 4x4")])).await.good();
    assert_eq!(game["proofs"], json!([0]));
    let node = server.get("/api/v1/proofs/0/node").await.good();
    if node["claimant"] == true {
        let mv = node["steps"][0]["move"].as_str().unwrap();
        let kept = found["moves"].as_array().unwrap().iter().find(|m| m["move"] == mv).unwrap();
        assert_eq!((&kept["tone"], &kept["reason"]["by"]), (&json!("win"), &json!("certificate")));
    }
}

#[tokio::test]
async fn ways_that_a_strategy_does_not_go() {
    let server = with(&["tictactoe.proof"]);
    for (words, status) in [
        (vec![("claim", "7")], StatusCode::NOT_FOUND),
        (vec![("moves", "q9")], StatusCode::BAD_REQUEST),
        (vec![("claim", "-1")], StatusCode::BAD_REQUEST),
        (vec![("depth", "2")], StatusCode::BAD_REQUEST),
    ] {
        let answer = server.get(&path("proofs/0/node", &words)).await;
        assert_eq!(answer.status, status, "{words:?}");
    }
    assert_eq!(server.get("/api/v1/proofs/1/node").await.status, StatusCode::NOT_FOUND);
    let deep = server.get(&path("proofs/0/map", &[("depth", "99")])).await;
    assert_eq!(deep.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_false_certificate_proves_nothing() {
    // Another claim in the same file: it can be read, and does not hold.
    let file = fs::read(golden("nogo-4x4.proof")).unwrap();
    let mut certificate = zermelo_certificate::Certificate::read(&file).unwrap();
    let part = &mut certificate.header.claims[0];
    part.claimant = part.claimant.other();
    part.value = -part.value;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("false.proof");
    fs::write(&path, certificate.bytes()).unwrap();
    let server = Server::new(ServerConfig { proofs: vec![path], ..ServerConfig::default() });
    let proof = server.get("/api/v1/proofs/0").await.good();
    assert_eq!((&proof["state"], proof["refusal"].is_string()), (&json!("refused"), true));
    assert_eq!(server.get("/api/v1/proofs/0/node").await.status, StatusCode::NOT_FOUND);
    let found = server.get(&crate::path("position", &[("game", "nogo 4x4")])).await.good();
    assert_eq!(found["reason"]["by"], "book", "nothing of it is believed");
}

#[test]
fn what_cannot_be_served_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("none.proof");
    fs::write(&file, b"no certificate").unwrap();
    let proofs = ServerConfig { proofs: vec![file], ..ServerConfig::default() };
    assert!(matches!(App::new(&proofs).err(), Some(ServeFailure::Proof { .. })));
    let databases = vec![dir.path().to_owned()];
    let failure = App::new(&ServerConfig { databases, ..ServerConfig::default() }).err().unwrap();
    assert!(failure.to_string().contains(&dir.path().display().to_string()), "{failure}");
}
