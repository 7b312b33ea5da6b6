//! Farms with a real nats-server: workers, the manager and the server are killed without warning, and what is proved is
//! the same. Workers with other rules or databases are turned away, liars are caught.
#![cfg(feature = "farm")]

mod common;
use common::farm::{Farm, Running, facts_of, json, run, serve};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::net::TcpListener;
use std::thread::sleep;
use std::time::Duration;

/// A game that takes some thousand jobs of 100 positions.
const GAME: [&str; 2] = ["breakthrough", "5x4"];

#[test]
fn killed_workers_managers_and_servers() {
    let mut farm = Farm::new();
    let mut workers =
        [farm.work(&["--by", "dfpn"], "w0.log"), farm.work(&["--by", "dfpn"], "w1.log")].map(Some);
    let mut manager = farm.manage(&GAME, "tree", &[]);
    let store = farm.path("tree");
    // One of the workers dies in the middle of its jobs, and another comes.
    let facts = || facts_of(&store);
    farm.wait_for("facts", facts, 5, &mut manager);
    workers[0].take().unwrap().kill();
    workers[0] = Some(farm.work(&["--by", "dfpn", "--threads", "2"], "w2.log"));
    // The server dies and comes back.
    let seen = facts();
    farm.server.kill();
    sleep(Duration::from_millis(300));
    farm.server = serve(farm.dir.path(), farm.port);
    farm.wait_for("facts", facts, seen + 5, &mut manager);
    // The manager dies and goes on.
    let seen = facts();
    manager.kill();
    assert!(facts() >= seen, "nothing is lost");
    let mut manager = farm.manage(&GAME, "tree", &[]);
    assert_eq!(manager.end(), Some(0), "{}", farm.all_said());
    let found: serde_json::Value = serde_json::from_str(farm.said("manager.log").trim()).unwrap();
    let alone = json(&run(&["solve", GAME[0], GAME[1], "--json"]));
    assert_eq!(found["winner"], alone["winner"]);
    // The store holds together, and a certificate comes of it that needs no belief.
    let store = store.to_str().unwrap();
    let check = run(&["store", store, "check"]);
    assert!(check.status.success(), "{check:?}");
    let proof = farm.path("proof");
    let proof = proof.to_str().unwrap();
    let certified = run(&["certify", "--store", store, "--proof", proof]);
    assert!(certified.status.success(), "{certified:?}");
    assert!(run(&["check", proof]).status.success());
}

/// A prover that says of every position that the first player wins, and would answer audits as it should.
const LIAR: &str = r#"
import json, sys
source = open(sys.argv[1]).read()
exec(source[: source.index("for line in sys.stdin")])
for line in sys.stdin:
    job = json.loads(line)
    outcome = answer(job)
    if not job["audit"]:
        outcome.update(lo=1, hi=1, solver="liar")
    print(json.dumps(outcome), flush=True)
"#;

#[test]
fn a_worker_that_lies() {
    let farm = Farm::new();
    std::fs::write(farm.path("liar.py"), LIAR).unwrap();
    let honest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prover.py");
    let lies = format!("python3 {} {honest}", farm.path("liar.py").display());
    let mut liar = farm.work(&["--prover", &lies], "liar.log");
    // The manager audits by itself: no worker is asked whether it told the truth, nor another that may be its friend.
    let mut manager = farm.manage(&["tictactoe"], "audited", &["--audit", "100%"]);
    assert_eq!(manager.end(), Some(1), "{}", farm.all_said());
    let said = farm.said("manager.log");
    assert!(said.contains("contradiction") && said.contains("liar.py"), "{said}");
    assert!(said.contains("our engine") && said.contains("farm that is wrong"), "{said}");
    liar.kill();
    // What the farm said is taken back, and without the liar the proof goes on to the truth: nothing false is left.
    let audited = farm.path("audited");
    let audited = audited.to_str().unwrap();
    let info = json(&run(&["store", audited, "info", "--json"]));
    assert!(info["facts"] == 0 && info["withdrawn"].as_u64() > Some(0), "{info}");
    let worker = farm.work(&[], "w.log");
    let mut manager = farm.manage(&["tictactoe"], "audited", &["--audit", "100%"]);
    assert_eq!(manager.end(), Some(0), "{}", farm.all_said());
    let found: serde_json::Value = serde_json::from_str(farm.said("manager.log").trim()).unwrap();
    assert_eq!(found["winner"], "draw");
    assert!(run(&["store", audited, "check"]).status.success());
    let exported = run(&["store", audited, "export"]);
    let exported = String::from_utf8(exported.stdout).unwrap();
    assert!(!exported.is_empty() && !exported.contains("liar"), "{exported}");
    for line in exported.lines() {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        let position = fact["position"].as_str().unwrap();
        let truth = json(&run(&["solve", "tictactoe", "--position", position, "--json"]));
        let (value, number) =
            (truth["lo"].as_i64().unwrap(), |key: &str| fact[key].as_i64().unwrap());
        assert!(truth["winner"].is_string(), "{truth}");
        assert!((number("lo")..=number("hi")).contains(&value), "{line}, but it is {value}");
    }
    drop(worker);
    let mut liar = farm.work(&["--prover", &lies], "liar.log");
    // Nobody looks: the lie is believed, and no certificate comes of it.
    let mut manager = farm.manage(&["tictactoe"], "believed", &[]);
    assert_eq!(manager.end(), Some(0), "{}", farm.all_said());
    let found: serde_json::Value = serde_json::from_str(farm.said("manager.log").trim()).unwrap();
    assert_eq!(found["winner"], "first");
    liar.kill();
    let (store, proof) = (farm.path("believed"), farm.path("proof"));
    let (store, proof) = (store.to_str().unwrap(), proof.to_str().unwrap());
    let certified = run(&["certify", "--store", store, "--proof", proof]);
    let passed = certified.status.success() && run(&["check", proof]).status.success();
    assert!(!passed, "nobody can certify a lie: {certified:?}");
}

#[test]
fn other_databases_are_refused() {
    let farm = Farm::new();
    let db = farm.path("db");
    let built = run(&["build", "checkers", "4x4", "--pieces", "2", "--out", db.to_str().unwrap()]);
    assert!(built.status.success(), "{built:?}");
    let mut stranger = farm.work(&[], "w.log");
    let game = ["checkers", "4x4"];
    let _manager = farm.manage(&game, "tree", &["--db", db.to_str().unwrap()]);
    assert_eq!(stranger.end(), Some(1), "{}", farm.said("w.log"));
    let said = farm.said("w.log");
    assert!(said.contains("their database is") && said.contains("--db"), "{said}");
    // One with the same database does the work.
    let _worker = farm.work(&["--db", db.to_str().unwrap()], "w2.log");
    let mut manager = _manager;
    assert_eq!(manager.end(), Some(0), "{}", farm.all_said());
}

#[test]
fn a_server_that_is_not_there_and_addresses_that_are_none() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = run(&["work", "--farm", &format!("nats://{free}")]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("no answer from"), "{nobody:?}");
    let wrong = run(&["work", "--farm", "http://example.org"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("such as nats://"), "{wrong:?}");
}

/// An authority and a certificate that it has signed for this machine, in PEM: the authority, the certificate, its key.
fn certificates() -> [String; 3] {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned()];
    let server = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    [authority.pem(), server.pem(), key.serialize_pem()]
}

#[test]
fn a_farm_behind_tls_and_a_password() {
    let mut farm = Farm::new();
    farm.server.kill();
    let names = ["authority.pem", "server.pem", "key.pem"];
    for (name, pem) in names.iter().zip(certificates()) {
        std::fs::write(farm.path(name), pem).unwrap();
    }
    let conf = r#"authorization { user: "me", password: "secret" }
        tls { cert_file: "server.pem", key_file: "key.pem" }"#;
    let folder = farm.dir.path().to_str().unwrap();
    let conf = conf.replace("file: \"", &format!("file: \"{folder}/"));
    std::fs::write(farm.path("server.conf"), conf).unwrap();
    farm.server = serve(farm.dir.path(), farm.port);
    let authority = farm.path("authority.pem");
    let gate = ["--authority", authority.to_str().unwrap()];
    let at = |user: &str| format!("tls://{user}127.0.0.1:{}/test", farm.port);
    let work = |user: &str, gate: &[&str], log: &str| -> Running {
        farm.start(&[&["work", "--farm", &at(user)], gate].concat(), log)
    };
    // Who does not know the password, or cannot tell that the server is the right one, does not come in.
    for (user, gate, log) in [
        ("me:guess@", &gate[..], "guess.log"),
        ("", &gate, "none.log"),
        ("me:secret@", &[], "blind.log"),
    ] {
        assert_eq!(work(user, gate, log).end(), Some(1), "{}", farm.said(log));
        assert!(!farm.said(log).contains("secret"), "{}", farm.said(log));
    }
    let _worker = work("me:secret@", &gate, "w.log");
    let store = farm.path("tree");
    let prove =
        ["prove", "tictactoe", "--store", store.to_str().unwrap(), "--farm", &at("me:secret@")];
    let mut manager = farm.start(&[&prove[..], &gate, &["--json"]].concat(), "manager.log");
    assert_eq!(manager.end(), Some(0), "{}", farm.all_said());
    let found: serde_json::Value = serde_json::from_str(farm.said("manager.log").trim()).unwrap();
    assert_eq!(found["winner"], "draw");
}
