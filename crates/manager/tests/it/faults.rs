//! Runs that end at any moment, stores that are damaged, two at a time.

use crate::{open, prove, small, truth};
use rusqlite::Connection;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use zermelo_any::{By, How};
use zermelo_game::Bounds;
use zermelo_manager::prover::local;
use zermelo_manager::transport::Threads;
use zermelo_manager::tree::Tree;
use zermelo_manager::view::View;
use zermelo_manager::{Config, Failure, Manager, tend};

/// The variable that makes a test of this file the victim of another.
const VICTIM: &str = "ZERMELO_MANAGER_VICTIM";
const GAME: &str = "nogo 4x4";

#[test]
fn runs_that_are_stopped_go_on() {
    let game = open(GAME);
    let value = truth(&*game, None);
    let folder = tempfile::tempdir().unwrap();
    let mut facts = 0;
    let mut runs = 0;
    loop {
        // A little longer each time, or a slow machine would never get anywhere.
        let time = Some(Duration::from_millis(20 + 20 * runs));
        let config = Config { time, ..small(100) };
        let found = prove(&game, folder.path(), config, None).unwrap();
        assert!(found.status.facts >= facts, "nothing is lost");
        assert!(found.bounds.contains(value.lo));
        facts = found.status.facts;
        runs += 1;
        if found.bounds.is_exact() {
            assert_eq!(found.bounds, value);
            break;
        }
        assert!(runs < 2_000);
    }
    assert!(runs > 1);
    tend::check(folder.path(), &*game).unwrap();
}

/// Does nothing unless it was started by the test below.
#[test]
fn victim() {
    let Some(dir) = std::env::var_os(VICTIM) else { return };
    let game = open(GAME);
    prove(&game, Path::new(&dir), small(100), None).unwrap();
}

#[test]
fn kill_9_loses_nothing() {
    let game = open(GAME);
    let value = truth(&*game, None);
    let folder = tempfile::tempdir().unwrap();
    let mut kills = 0;
    for run in 0..200u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["faults::victim", "--exact"])
            .env(VICTIM, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // A little longer each time, until it is done.
        let mut left = 40 + 30 * run;
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if left == 0 {
                break None;
            }
            std::thread::sleep(Duration::from_millis(10));
            left = left.saturating_sub(10);
        };
        if let Some(status) = ended {
            assert!(status.success());
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills > 0);
    let found = prove(&game, folder.path(), small(100), None).unwrap();
    assert_eq!((found.bounds, found.status.jobs), (value, 0), "it was done");
    tend::check(folder.path(), &*game).unwrap();
}

#[test]
fn a_restart_comes_to_the_same_state() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    prove(&game, folder.path(), small(12), None).unwrap();
    let before = lines(folder.path());
    let tree = Tree::open(game.clone(), folder.path(), None).unwrap();
    let states: Vec<Bounds> =
        (0..tree.graph().len() as u32).map(|id| tree.graph().node(id).bounds).collect();
    drop(tree);
    let again = Tree::open(game.clone(), folder.path(), None).unwrap();
    for (id, state) in states.iter().enumerate() {
        assert_eq!(again.graph().node(id as u32).bounds, *state);
    }
    drop(again);
    prove(&game, folder.path(), small(12), None).unwrap();
    assert_eq!(lines(folder.path()), before);
    let [large, small] = tend::compact(folder.path()).unwrap();
    assert!(small <= large && small > 0);
    assert_eq!(lines(folder.path()), before);
}

/// All facts.
fn lines(dir: &Path) -> String {
    let mut out = Vec::new();
    tend::export(dir, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_store_serves_one_run_and_one_game() {
    let game = open("nogo 3x3");
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::open(game.clone(), folder.path(), None).unwrap();
    let error = Tree::open(game.clone(), folder.path(), None).err().unwrap();
    assert!(error.to_string().contains("another run"), "{error}");
    drop(tree);
    let error = Tree::open(open("nogo 3x4"), folder.path(), None).err().unwrap();
    assert!(error.to_string().contains("a store of nogo 3x3, not of nogo 3x4"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    let error = tend::info(empty.path()).unwrap_err();
    assert!(error.to_string().contains("no store here"), "{error}");
}

#[test]
fn damage_is_refused() {
    let game = open("nogo 3x4");
    let change = |sql: &str| -> Result<u64, Failure> {
        let folder = tempfile::tempdir().unwrap();
        prove(&game, folder.path(), small(12), None).unwrap();
        let file = folder.path().join("proof.sqlite");
        Connection::open(&file).unwrap().execute_batch(sql).unwrap();
        let opened = Tree::open(game.clone(), folder.path(), None).map(|_| 0);
        match opened {
            Ok(_) => tend::check(folder.path(), &*game),
            error => error,
        }
    };
    assert!(change("").is_ok());
    for damage in [
        "UPDATE fact SET lo = -lo, hi = -hi WHERE id = 3",
        "UPDATE fact SET node = node + 1 WHERE id = 2",
        "UPDATE fact SET source = 'x' WHERE id = 2",
        "DELETE FROM fact WHERE id = 2",
        "DELETE FROM edge WHERE ord = 1",
        "UPDATE edge SET child = 1000000 WHERE ord = 0",
        "UPDATE edge SET child = 0 WHERE ord = 0",
        "DELETE FROM node WHERE id = 1",
        "UPDATE node SET position = 'nonsense' WHERE id = 1",
        "UPDATE node SET lo = 1, hi = 1 WHERE id = 0; UPDATE node SET lo = -1, hi = -1 WHERE id = 1",
        "PRAGMA user_version = 99",
        "PRAGMA application_id = 1",
        "DELETE FROM meta WHERE key = 'rules'",
        "UPDATE meta SET value = 'x' WHERE key = 'rules'",
        "DROP TABLE fact",
    ] {
        let error = change(damage).err().unwrap_or_else(|| panic!("{damage} was not noticed"));
        assert!(!error.to_string().is_empty());
    }
    // Bytes that are none of SQLite's.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("proof.sqlite"), [7; 5000]).unwrap();
    assert!(Tree::open(game.clone(), folder.path(), None).is_err());
}

#[test]
fn readers_see_a_proof_that_goes_on() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::open(game.clone(), folder.path(), None).unwrap();
    let maker = local(game.clone(), How::new(By::Dfpn), 1);
    let mut threads = Threads::new(1, &maker);
    let mut nobody = ();
    let mut manager = Manager::new(tree, small(12), &mut threads, &mut nobody);
    manager.prove(None, &[]).unwrap();
    // The manager still holds its store.
    let info = tend::info(folder.path()).unwrap();
    assert!(info.facts > 0 && info.settled > 0 && info.bytes > 0, "{info:?}");
    let sql = Connection::open(folder.path().join("proof.sqlite")).unwrap();
    let moments: i64 = sql.query_row("SELECT count(*) FROM moment", [], |row| row.get(0)).unwrap();
    assert!(moments > 0);
}

/// A store as the first format had it.
const TO_1: &str = "DROP INDEX fact_node;
    ALTER TABLE node DROP COLUMN asked; ALTER TABLE node DROP COLUMN yes; ALTER TABLE node DROP COLUMN no;
    ALTER TABLE moment DROP COLUMN pn_win; ALTER TABLE moment DROP COLUMN dn_win;
    ALTER TABLE moment DROP COLUMN pn_loss; ALTER TABLE moment DROP COLUMN dn_loss;
    ALTER TABLE moment DROP COLUMN visited; ALTER TABLE moment DROP COLUMN work;
    PRAGMA user_version = 1";

#[test]
fn an_older_store_is_brought_up_to_date() {
    let game = open("nogo 3x4");
    for by_compacting in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        prove(&game, folder.path(), small(12), None).unwrap();
        let before = lines(folder.path());
        let samples = View::open(folder.path()).unwrap().samples(10).unwrap();
        let last = samples.last().unwrap();
        assert!(last.visited > 0 || last.jobs == 0, "{samples:?}");
        let file = folder.path().join("proof.sqlite");
        Connection::open(&file).unwrap().execute_batch(TO_1).unwrap();
        let error = tend::info(folder.path()).unwrap_err().to_string();
        assert!(error.contains("format 1") && error.contains("compact"), "{error}");
        match by_compacting {
            true => drop(tend::compact(folder.path()).unwrap()),
            false => drop(Tree::open(game.clone(), folder.path(), None).unwrap()),
        }
        assert_eq!(lines(folder.path()), before);
        tend::check(folder.path(), &*game).unwrap();
        let again = View::open(folder.path()).unwrap().samples(10).unwrap();
        assert_eq!(again.len(), samples.len());
        assert!(again.iter().all(|sample| sample.numbers == [None; 2] && sample.visited == 0));
    }
}
