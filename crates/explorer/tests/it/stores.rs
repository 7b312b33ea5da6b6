//! Stores of a manager: what is told of them while they grow and afterwards, and bad ones.

use crate::{Server, path};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use zermelo_erased::{EngineConfig, EngineId};
use zermelo_explorer::{App, ServeFailure, ServerConfig};
use zermelo_game::{Bounds, Identity};
use zermelo_proof_tree::prover::local;
use zermelo_proof_tree::store::About;
use zermelo_proof_tree::transport::Threads;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{Manager, ManagerConfig as Order, Store};

/// Works on a game with jobs of so many nodes, until it is solved or has so many positions.
pub fn grow(name: &str, dir: &Path, nodes: u64, until: u64) {
    let game: Arc<dyn zermelo_erased::AnyGame> =
        Arc::from(zermelo_erased::Catalogue::standard().open(name).unwrap());
    let maker = local(game.clone(), EngineConfig::new(EngineId::Dfpn), 1);
    loop {
        let tree = ProofTree::open(game.clone(), dir, None).unwrap();
        let mut threads = Threads::new(2, &maker);
        let time = Some(Duration::from_millis(100));
        let order =
            Order { nodes: Some(nodes), millis: None, memory: 1 << 20, time, ..Order::default() };
        let found = Manager::new(tree, order, &mut threads, &mut ()).prove(None, &[]).unwrap();
        if found.bounds.is_exact() || found.status.nodes >= until {
            return;
        }
    }
}

fn with(dirs: &[&Path]) -> Server {
    let stores = dirs.iter().map(|dir| (*dir).to_owned()).collect();
    Server::new(ServerConfig { stores, ..ServerConfig::default() })
}

fn node(store: u64, id: &Value) -> String {
    path(&format!("stores/{store}/node"), &[("id", &id.to_string())])
}

#[tokio::test]
async fn a_proof_that_is_not_finished_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    grow("nogo 5x5", dir.path(), 1, 60);
    let server = with(&[dir.path()]);
    let store = server.get("/api/v1/stores").await.good()["stores"][0].clone();
    assert_eq!((&store["running"], &store["trouble"]), (&json!(false), &Value::Null));
    let about = &store["about"];
    assert_eq!(
        (&about["game"], &about["value"]),
        (&json!("nogo 5x5"), &json!({ "lo": null, "hi": null }))
    );
    let nodes = about["nodes"].as_u64().unwrap();
    assert!(nodes >= 60 && about["settled"].as_u64().unwrap() < nodes);

    let whole = server.get("/api/v1/stores/0").await.good();
    assert_eq!(whole["store"], store);
    let root = &whole["roots"][0]["id"];
    let claims = whole["claims"].as_array().unwrap();
    let words: Vec<&str> = claims.iter().filter_map(|claim| claim["words"].as_str()).collect();
    assert_eq!(words, ["the first player wins", "the second player wins"]);
    for claim in claims {
        assert!(claim["numbers"]["proof"].as_u64().unwrap() > 0, "{claim}");
        // The line goes through the tree, and ends where the manager has not looked farther.
        let mut at = root.clone();
        for mv in claim["line"].as_array().unwrap() {
            let here = server.get(&node(0, &at)).await.good();
            let step = here["moves"].as_array().unwrap().iter().find(|step| step["move"] == *mv);
            let step = step.unwrap_or_else(|| panic!("{mv} in {here}"));
            assert_eq!(step["settled"], false);
            at = step["id"].clone();
        }
        let part = &claim["parts"][0];
        assert_eq!(part["id"], at, "{claim}");
        assert_eq!(part["path"], claim["line"]);
        assert_ne!(at, *root);
    }
    let samples = whole["samples"].as_array().unwrap();
    assert!(!samples.is_empty());
    for pair in samples.windows(2) {
        let at = |sample: &Value, name: &str| sample[name].as_f64().unwrap();
        assert!(at(&pair[0], "seconds") <= at(&pair[1], "seconds"));
        assert!(at(&pair[0], "nodes") <= at(&pair[1], "nodes"));
    }
}

#[tokio::test]
async fn a_finished_proof_is_told_from_its_root_to_its_facts() {
    let dir = tempfile::tempdir().unwrap();
    grow("tictactoe", dir.path(), 20, u64::MAX);
    let server = with(&[dir.path()]);
    let whole = server.get("/api/v1/stores/0").await.good();
    let value = zermelo_erased::Catalogue::standard().open("tictactoe").unwrap().session().solve(
        &EngineConfig::new(EngineId::AlphaBeta),
        &Default::default(),
        &|_| {},
    );
    let wanted = json!({ "lo": value.bounds.lo, "hi": value.bounds.hi });
    assert_eq!(whole["store"]["about"]["value"], wanted);
    assert_eq!((&whole["claims"], &whole["provers"]), (&json!([]), &json!([])));

    // Below the root there are facts, each with who said it.
    let (mut left, mut facts, mut seen) = (vec![whole["roots"][0]["id"].clone()], 0, 0);
    while let Some(id) = left.pop() {
        let here = server.get(&node(0, &id)).await.good();
        assert_eq!(here["picture"]["kind"], "board");
        for fact in here["facts"].as_array().unwrap() {
            assert!(!fact["source"].as_str().unwrap().is_empty());
            facts += 1;
        }
        let moves = here["moves"].as_array().unwrap();
        assert_eq!(moves.is_empty(), here["expanded"] == false);
        if seen < 200 {
            left.extend(moves.iter().map(|step| step["id"].clone()));
        }
        assert!(moves.iter().all(|step| step["place"]["to"].is_u64()));
        seen += 1;
    }
    assert!(facts > 0 && seen > 1);
    let words = [("id", &*whole["roots"][0]["id"].to_string()), ("depth", "2")];
    let map = server.get(&path("stores/0/map", &words)).await.good();
    let parts = map["parts"].as_array().unwrap();
    let sum: f64 = parts.iter().map(|part| part["seconds"].as_f64().unwrap()).sum();
    assert!(!parts.is_empty() && sum <= map["seconds"].as_f64().unwrap() + 1e-6);
}

#[tokio::test]
async fn a_run_at_work_is_seen_and_not_disturbed() {
    let dir = tempfile::tempdir().unwrap();
    grow("tictactoe", dir.path(), 5, 10);
    let server = with(&[dir.path()]);
    let running =
        async || server.get("/api/v1/stores").await.good()["stores"][0]["running"].clone();
    assert_eq!(running().await, false);
    let game: Arc<dyn zermelo_erased::AnyGame> =
        Arc::from(zermelo_erased::Catalogue::standard().open("tictactoe").unwrap());
    let tree = ProofTree::open(game.clone(), dir.path(), None).unwrap();
    assert_eq!(running().await, true);
    server.get("/api/v1/stores/0").await.good();
    drop(tree);
    assert_eq!(running().await, false);
    ProofTree::open(game, dir.path(), None).unwrap();
}

#[tokio::test]
async fn bad_requests_are_told() {
    let dir = tempfile::tempdir().unwrap();
    grow("tictactoe", dir.path(), 5, 10);
    let server = with(&[dir.path()]);
    for (bad, status) in [
        ("/api/v1/stores/1", StatusCode::NOT_FOUND),
        ("/api/v1/stores/x", StatusCode::NOT_FOUND),
        ("/api/v1/stores/0/node", StatusCode::BAD_REQUEST),
        ("/api/v1/stores/0/node?id=-1", StatusCode::BAD_REQUEST),
        ("/api/v1/stores/0/node?id=first", StatusCode::BAD_REQUEST),
        ("/api/v1/stores/0/node?id=4000000000", StatusCode::NOT_FOUND),
        ("/api/v1/stores/0/node?id=0&file=x", StatusCode::BAD_REQUEST),
        ("/api/v1/stores/0/map?id=4000000000", StatusCode::NOT_FOUND),
        ("/api/v1/stores/0/map?id=0&depth=99", StatusCode::BAD_REQUEST),
    ] {
        let answer = server.get(bad).await;
        assert_eq!(answer.status, status, "{bad}");
        assert!(answer.json()["error"]["message"].is_string());
    }
    let nowhere =
        ServerConfig { stores: vec![dir.path().join("nowhere")], ..ServerConfig::default() };
    assert!(matches!(App::new(&nowhere), Err(ServeFailure::Store { .. })));
}

#[tokio::test]
async fn stores_by_other_rules_are_told_and_not_believed() {
    let folders = [1, 2].map(|rules_version| {
        let dir = tempfile::tempdir().unwrap();
        let identity = Identity { game: "tictactoe".into(), rules_version };
        let about = About { identity, values: Bounds::new(-1, 1) };
        Store::open(dir.path(), &about).unwrap().commit().unwrap();
        dir
    });
    let board = path("game", &[("game", "tictactoe")]);
    let good = with(&[folders[0].path()]);
    assert_eq!(good.get(&board).await.good()["stores"], json!([0]));
    let dir = &folders[1];
    let server = with(&[dir.path()]);
    assert_eq!(server.get(&board).await.good()["stores"], json!([]));
    let all = server.get("/api/v1/stores").await.good();
    let trouble = all["stores"][0]["trouble"].as_str().unwrap();
    assert!(trouble.contains("rules version 2") && trouble.contains("version 1"), "{trouble}");
    for what in ["", "/node?id=0", "/map?id=0"] {
        let answer = server.get(&format!("/api/v1/stores/0{what}")).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(answer.json()["error"]["message"].as_str().unwrap().contains("rules version 2"));
    }
}

#[tokio::test]
async fn damage_is_told_and_never_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let (good, empty, noise) =
        (dir.path().join("good"), dir.path().join("empty"), dir.path().join("noise"));
    for dir in [&good, &empty, &noise] {
        std::fs::create_dir(dir).unwrap();
    }
    grow("tictactoe", &good, 20, u64::MAX);
    std::fs::write(noise.join("proof.sqlite"), b"no database at all".repeat(500)).unwrap();
    // Everything into one file.
    zermelo_proof_tree::maintenance::compact(&good).unwrap();
    let content = std::fs::read(good.join("proof.sqlite")).unwrap();
    let server = with(&[&good, &empty, &noise]);
    let all = server.get("/api/v1/stores").await.good();
    let troubles: Vec<bool> = all["stores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|store| store["trouble"].is_string())
        .collect();
    assert_eq!(troubles, [false, true, true]);
    assert!(!all.to_string().contains(&*dir.path().to_string_lossy()), "paths are not told");
    for n in [1, 2] {
        for what in ["", "/node?id=0", "/map?id=0"] {
            let answer = server.get(&format!("/api/v1/stores/{n}{what}")).await;
            assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
            assert!(answer.json()["error"]["message"].as_str().unwrap().contains("cannot be read"));
        }
    }
    // Bytes of every kind in every page, and a file that ends early.
    let mut told = 0;
    for at in (0..content.len()).step_by(997) {
        let mut bad = content.clone();
        let end = (at + 60).min(bad.len());
        bad[at..end].fill(0xa5);
        if at % 2 == 0 {
            bad.truncate(at);
        }
        std::fs::write(noise.join("proof.sqlite"), bad).unwrap();
        for what in ["", "/node?id=0", "/node?id=7", "/map?id=0"] {
            let answer = server.get(&format!("/api/v1/stores/2{what}")).await;
            let fine = [200, 404, 503].contains(&answer.status.as_u16());
            assert!(fine, "{at} {what}: {}", answer.status);
            told += u32::from(answer.status == StatusCode::SERVICE_UNAVAILABLE);
        }
        server.get("/api/v1/stores").await.good();
    }
    assert!(told > 0);
    assert!(!Store::at_work(&noise));
}
