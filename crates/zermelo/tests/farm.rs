//! Farms with a real nats-server: workers, the manager and the server are killed without warning, and what is proved is
//! the same. Workers with other rules or databases are turned away, liars are caught.
#![cfg(feature = "farm")]

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nobody waits longer than this for anything.
const PATIENCE: Duration = Duration::from_secs(240);

/// A process that does not outlive its test.
struct Running(Child);

impl Running {
    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Its exit code, if it ends by itself.
    fn end(&mut self) -> Option<i32> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().expect("a child") {
                return status.code();
            }
            sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A farm in a folder of its own.
struct Farm {
    dir: tempfile::TempDir,
    port: u16,
    server: Running,
}

fn serve(dir: &Path, port: u16) -> Running {
    let log = File::create(dir.join("server.log")).unwrap();
    let mut command = Command::new("nats-server");
    command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(dir.join("js"));
    let child =
        command.stderr(log).spawn().expect("nats-server is installed (Debian: nats-server)");
    let since = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(since.elapsed() < PATIENCE, "the server does not answer");
        sleep(Duration::from_millis(20));
    }
    Running(child)
}

fn zermelo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zermelo"));
    command.args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    zermelo(args).output().unwrap()
}

impl Farm {
    fn new() -> Farm {
        let dir = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = serve(dir.path(), port);
        Farm { dir, port, server }
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}/test", self.port)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What a process has said.
    fn said(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    fn start(&self, args: &[&str], log: &str) -> Running {
        let log = File::create(self.path(log)).unwrap();
        Running(zermelo(args).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
    }

    fn work(&self, more: &[&str], log: &str) -> Running {
        self.start(&[&["work", "--farm", &self.url()], more].concat(), log)
    }

    fn manage(&self, game: &[&str], store: &str, more: &[&str]) -> Running {
        let store = self.path(store);
        let args = ["--store", store.to_str().unwrap(), "--farm", &self.url(), "--json"];
        let small = ["--nodes-per-job", "100", "--memory-per-job", "4M"];
        self.start(&[&["prove"], game, &args, &small, more].concat(), "manager.log")
    }

    /// Waits until the store has so many facts.
    fn wait_for_facts(&self, store: &str, facts: u64) {
        let store = self.path(store);
        let since = Instant::now();
        while facts_of(&store) < facts {
            assert!(since.elapsed() < PATIENCE, "no facts: {}", self.said("manager.log"));
            sleep(Duration::from_millis(50));
        }
    }
}

fn json(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or(serde_json::Value::Null)
}

fn facts_of(store: &Path) -> u64 {
    let info = run(&["store", store.to_str().unwrap(), "info", "--json"]);
    json(&info)["facts"].as_u64().unwrap_or(0)
}

/// A game that takes more than a thousand jobs of 100 positions.
const GAME: [&str; 2] = ["nogo", "4x4"];

#[test]
fn killed_workers_managers_and_servers() {
    let mut farm = Farm::new();
    let mut workers =
        [farm.work(&["--by", "dfpn"], "w0.log"), farm.work(&["--by", "dfpn"], "w1.log")].map(Some);
    let mut manager = farm.manage(&GAME, "tree", &[]);
    let store = farm.path("tree");
    // One of the workers dies in the middle of its jobs, and another comes.
    farm.wait_for_facts("tree", 5);
    workers[0].take().unwrap().kill();
    workers[0] = Some(farm.work(&["--by", "dfpn", "--threads", "2"], "w2.log"));
    // The server dies and comes back.
    let seen = facts_of(&store);
    farm.server.kill();
    sleep(Duration::from_millis(300));
    farm.server = serve(farm.dir.path(), farm.port);
    farm.wait_for_facts("tree", seen + 5);
    // The manager dies and goes on.
    let seen = facts_of(&store);
    manager.kill();
    assert!(facts_of(&store) >= seen, "nothing is lost");
    let mut manager = farm.manage(&GAME, "tree", &[]);
    assert_eq!(manager.end(), Some(0), "{}", farm.said("manager.log"));
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

/// A prover that says of every position that the first player wins, and answers audits as it should.
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
    // It gets the first job: the honest one comes when its lie is there, or it is found out.
    let mut manager = farm.manage(&["tictactoe"], "audited", &["--audit", "100%"]);
    farm.wait_for_facts("audited", 1);
    let worker = farm.work(&[], "w.log");
    assert_eq!(manager.end(), Some(1), "{}", farm.said("manager.log"));
    let said = farm.said("manager.log");
    assert!(said.contains("contradiction") && said.contains("liar"), "{said}");
    drop(worker);
    // Nobody looks: the lie is believed, and no certificate comes of it.
    let mut manager = farm.manage(&["tictactoe"], "believed", &[]);
    assert_eq!(manager.end(), Some(0), "{}", farm.said("manager.log"));
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
    assert_eq!(manager.end(), Some(0), "{}", farm.said("manager.log"));
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
