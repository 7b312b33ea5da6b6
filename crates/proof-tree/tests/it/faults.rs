//! Runs that end at any moment, stores that are damaged, two at a time.

use crate::{open, prove, small, truth};
use rusqlite::Connection;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use zermelo_erased::{EngineConfig, EngineId};
use zermelo_game::Bounds;
use zermelo_proof_tree::maintenance::LoadedStore;
use zermelo_proof_tree::prover::local;
use zermelo_proof_tree::source::SourceKind;
use zermelo_proof_tree::transport::Threads;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::view::StoreSnapshot;
use zermelo_proof_tree::{Manager, ManagerConfig, ProofTreeFailure, maintenance};

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
        let config = ManagerConfig { time, ..small(100) };
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
    maintenance::check(folder.path(), &*game).unwrap();
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
    maintenance::check(folder.path(), &*game).unwrap();
}

#[test]
fn a_restart_comes_to_the_same_state() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    prove(&game, folder.path(), small(12), None).unwrap();
    let before = lines(folder.path());
    let tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let states: Vec<Bounds> =
        (0..tree.graph().len() as u32).map(|id| tree.graph().node(id).bounds).collect();
    drop(tree);
    let again = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    for (id, state) in states.iter().enumerate() {
        assert_eq!(again.graph().node(id as u32).bounds, *state);
    }
    drop(again);
    prove(&game, folder.path(), small(12), None).unwrap();
    assert_eq!(lines(folder.path()), before);
    let [large, small] = maintenance::compact(folder.path()).unwrap();
    assert!(small <= large && small > 0);
    assert_eq!(lines(folder.path()), before);
}

/// All facts.
fn lines(dir: &Path) -> String {
    let mut out = Vec::new();
    maintenance::export(dir, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_store_serves_one_run_and_one_game() {
    let game = open("nogo 3x3");
    let folder = tempfile::tempdir().unwrap();
    let tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let error = ProofTree::open(game.clone(), folder.path(), None).err().unwrap();
    assert!(error.to_string().contains("another run"), "{error}");
    drop(tree);
    let error = ProofTree::open(open("nogo 3x4"), folder.path(), None).err().unwrap();
    assert!(error.to_string().contains("a store of nogo 3x3, not of nogo 3x4"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    let error = maintenance::info(empty.path()).unwrap_err();
    assert!(error.to_string().contains("no store here"), "{error}");
}

#[test]
fn damage_is_refused() {
    let game = open("nogo 3x4");
    let change = |sql: &str| -> Result<u64, ProofTreeFailure> {
        let folder = tempfile::tempdir().unwrap();
        prove(&game, folder.path(), small(12), None).unwrap();
        let file = folder.path().join("proof.sqlite");
        Connection::open(&file).unwrap().execute_batch(sql).unwrap();
        let opened = ProofTree::open(game.clone(), folder.path(), None).map(|_| 0);
        match opened {
            Ok(_) => maintenance::check(folder.path(), &*game),
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
        "DELETE FROM meta WHERE key = 'rules_version'",
        "UPDATE meta SET value = 'x' WHERE key = 'rules_version'",
        "UPDATE meta SET value = '0' WHERE key = 'rules_version'",
        "UPDATE meta SET value = '-1' WHERE key = 'rules_version'",
        "UPDATE meta SET value = '4294967297' WHERE key = 'rules_version'",
        "UPDATE meta SET value = 'x' WHERE key = 'sum'",
        "DELETE FROM meta WHERE key = 'sum'",
        "DROP TABLE fact",
    ] {
        let error = change(damage).err().unwrap_or_else(|| panic!("{damage} was not noticed"));
        assert!(!error.to_string().is_empty());
    }
    // Bytes that are none of SQLite's.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("proof.sqlite"), [7; 5000]).unwrap();
    assert!(ProofTree::open(game.clone(), folder.path(), None).is_err());
}

#[test]
fn readers_see_a_proof_that_goes_on() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let maker = local(game.clone(), EngineConfig::new(EngineId::Dfpn), 1);
    let mut threads = Threads::new(1, &maker);
    let mut nobody = ();
    let mut manager = Manager::new(tree, small(12), &mut threads, &mut nobody);
    manager.prove(None, &[]).unwrap();
    // The manager still holds its store.
    let info = maintenance::info(folder.path()).unwrap();
    assert!(info.facts > 0 && info.settled > 0 && info.bytes > 0, "{info:?}");
    let sql = Connection::open(folder.path().join("proof.sqlite")).unwrap();
    let moments: i64 = sql.query_row("SELECT count(*) FROM moment", [], |row| row.get(0)).unwrap();
    assert!(moments > 0);
}

/// A store as the second format had it.
const TO_2: &str = "CREATE TABLE source_2(id INTEGER PRIMARY KEY, name TEXT NOT NULL, database TEXT NOT NULL, UNIQUE(name, database));
    INSERT INTO source_2 SELECT id, name, database FROM source;
    DROP TABLE source; ALTER TABLE source_2 RENAME TO source;
    ALTER TABLE fact DROP COLUMN audit; DROP TABLE failure; DROP TABLE withdrawn;
    DELETE FROM meta WHERE key IN ('salt', 'rules_version', 'sum');
    INSERT INTO meta SELECT 'rules', '29f499df0f88385a2fff4ca72fa2706c39282c1d76214206402f7d733f518118' FROM meta WHERE key = 'game';
    PRAGMA user_version = 2";

/// A store of the second format as the first one had it.
const TO_1: &str = "DROP INDEX fact_node;
    ALTER TABLE node DROP COLUMN asked; ALTER TABLE node DROP COLUMN yes; ALTER TABLE node DROP COLUMN no;
    ALTER TABLE moment DROP COLUMN pn_win; ALTER TABLE moment DROP COLUMN dn_win;
    ALTER TABLE moment DROP COLUMN pn_loss; ALTER TABLE moment DROP COLUMN dn_loss;
    ALTER TABLE moment DROP COLUMN visited; ALTER TABLE moment DROP COLUMN work;
    PRAGMA user_version = 1";

/// A finished store with the changes of this SQL.
fn changed(sql: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    prove(&open("nogo 3x4"), folder.path(), small(12), None).unwrap();
    let file = folder.path().join("proof.sqlite");
    Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    folder
}

#[test]
fn an_older_store_is_brought_up_to_date() {
    let game = open("nogo 3x4");
    for by_compacting in [true, false] {
        let folder = changed("");
        let before = lines(folder.path());
        let samples = StoreSnapshot::open(folder.path()).unwrap().samples(10).unwrap();
        let last = samples.last().unwrap();
        assert!(last.visited > 0 || last.jobs == 0, "{samples:?}");
        let file = folder.path().join("proof.sqlite");
        Connection::open(&file).unwrap().execute_batch(&format!("{TO_2}; {TO_1}")).unwrap();
        let error = maintenance::info(folder.path()).unwrap_err().to_string();
        assert!(error.contains("format 1") && error.contains("compact"), "{error}");
        match by_compacting {
            true => drop(maintenance::compact(folder.path()).unwrap()),
            false => drop(ProofTree::open(game.clone(), folder.path(), None).unwrap()),
        }
        assert_eq!(lines(folder.path()), before);
        maintenance::check(folder.path(), &*game).unwrap();
        let again = StoreSnapshot::open(folder.path()).unwrap().samples(10).unwrap();
        assert_eq!(again.len(), samples.len());
        assert!(again.iter().all(|sample| sample.numbers == [None; 2] && sample.visited == 0));
    }
}

#[test]
fn format_2_is_read_as_it_is() {
    let game = open("nogo 3x4");
    let folder = changed(TO_2);
    let format = || -> i32 {
        let sql = Connection::open(folder.path().join("proof.sqlite")).unwrap();
        sql.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    let before = lines(folder.path());
    let info = maintenance::info(folder.path()).unwrap();
    assert!(info.facts > 0 && info.sources.iter().any(|(name, ..)| name.contains("dfpn")));
    maintenance::check(folder.path(), &*game).unwrap();
    let facts = LoadedStore::load(folder.path(), &*game).unwrap();
    assert_eq!(facts.root().unwrap().1, truth(&*game, None));
    let view = StoreSnapshot::open(folder.path()).unwrap();
    let root = &view.roots(1).unwrap()[0];
    let known = (0..view.counts().unwrap()[0]).flat_map(|id| view.facts_of(id as u32).unwrap());
    let kinds: Vec<SourceKind> = known.map(|fact| fact.source.kind).collect();
    assert!(root.bounds.is_exact() && kinds.contains(&SourceKind::Unknown), "{kinds:?}");
    drop(view);
    assert_eq!(format(), 2, "readers change nothing");
    // Whoever goes on brings it up to date, and who said what was not noted then.
    let found =
        prove(&game, folder.path(), ManagerConfig { audit: 1000, ..small(12) }, None).unwrap();
    assert_eq!((found.status.jobs, format()), (0, 4));
    assert!(found.status.audited[0] > 0, "facts of earlier runs are audited");
    assert_eq!(lines(folder.path()), before);
    maintenance::check(folder.path(), &*game).unwrap();
}

#[test]
fn queries_of_format_2_find_the_same_in_format_4() {
    let game = open("nogo 3x4");
    let (old, new) = (changed(TO_2), tempfile::tempdir().unwrap());
    for entry in std::fs::read_dir(old.path()).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), new.path().join(entry.file_name())).unwrap();
    }
    drop(ProofTree::open(game, new.path(), None).unwrap());
    let sql = |dir: &Path| Connection::open(dir.join("proof.sqlite")).unwrap();
    let (old, new) = (sql(old.path()), sql(new.path()));
    let mut tables = old.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    for table in tables.map(Result::unwrap) {
        let query = old.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let quoted = query.column_names().map(|column| format!("quote({column})"));
        let columns = quoted.collect::<Vec<_>>().join(" || ', ' || ");
        let all = |sql: &Connection| -> Vec<String> {
            let query = format!("SELECT {columns} FROM {table}");
            let mut query = sql.prepare(&query).unwrap();
            let rows = query.query_map([], |row| row.get(0)).unwrap();
            let new = ["'salt'", "'rules_version'", "'sum'"];
            let old = |row: &String| !new.iter().any(|key| row.contains(key));
            rows.map(Result::unwrap).filter(old).collect()
        };
        assert_eq!(all(&old), all(&new), "{table}");
    }
}

#[test]
fn stores_that_were_left_while_they_were_made_go_on() {
    let game = open("nogo 3x3");
    let dirs = ["nothing", "empty", "wal", "format 2", "format 3", "format 4"].map(|state| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("proof.sqlite");
        match state {
            "nothing" => std::fs::write(folder.path().join("lock"), "").unwrap(),
            "empty" => std::fs::write(&file, "").unwrap(),
            "wal" => {
                let sql = Connection::open(&file).unwrap();
                sql.pragma_update(None, "journal_mode", "WAL").unwrap();
            }
            // As earlier versions left it: all tables, and nothing in them.
            _ => {
                drop(ProofTree::open(game.clone(), folder.path(), None).unwrap());
                let empty = "DELETE FROM meta; DELETE FROM source; ";
                let more = match state {
                    "format 2" => TO_2,
                    "format 3" => "PRAGMA user_version = 3",
                    _ => "",
                };
                Connection::open(&file).unwrap().execute_batch(&format!("{empty}{more}")).unwrap();
            }
        }
        (state, folder)
    });
    for (state, folder) in dirs {
        let error = maintenance::info(folder.path()).unwrap_err().to_string();
        assert!(error.contains("`zermelo prove`"), "{state}: {error}");
        let error = maintenance::compact(folder.path()).unwrap_err().to_string();
        assert!(error.contains("`zermelo prove`"), "{state}: {error}");
        let found = prove(&game, folder.path(), small(12), None).unwrap();
        assert_eq!(found.bounds, truth(&*game, None), "{state}");
        maintenance::check(folder.path(), &*game).unwrap();
    }
}

#[test]
fn a_file_of_others_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof.sqlite");
    let sql = Connection::open(&file).unwrap();
    sql.execute_batch("CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)").unwrap();
    drop(sql);
    let before = std::fs::read(&file).unwrap();
    let error = ProofTree::open(open("nogo 3x3"), folder.path(), None).err().unwrap();
    assert!(error.to_string().contains("not a store of a proof"), "{error}");
    assert!(maintenance::compact(folder.path()).is_err());
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn what_cannot_be_is_found() {
    let game = open("nogo 3x4");
    for damage in [
        "UPDATE node SET lo = -7 WHERE id = 1",
        "UPDATE node SET hi = 9 WHERE id = 0",
        "UPDATE node SET lo = 1, hi = -1 WHERE id = 0",
        "UPDATE node SET floor = 5 WHERE marks & 1 = 0",
        "UPDATE node SET turn = 2 WHERE id = 3",
        "UPDATE node SET turn = 1 - turn WHERE marks & 1 = 0",
        "UPDATE node SET marks = 8 WHERE id = 3",
        "UPDATE node SET nodes = -1 WHERE id = 3",
        "UPDATE node SET micros = 1e30 WHERE id = 3",
        "UPDATE node SET threshold = -5 WHERE id = 3",
        "UPDATE node SET asked = 7, yes = 1, no = 1 WHERE id = 3",
        "UPDATE node SET asked = 1, yes = 0, no = 1 WHERE id = 3",
        "UPDATE node SET asked = NULL, yes = 3 WHERE id = 3",
        "UPDATE node SET pn_win = -1, dn_win = 1 WHERE id = 0",
        "UPDATE node SET pn_win = NULL, dn_win = 1 WHERE id = 0",
        "UPDATE fact SET lo = -1, hi = 9 WHERE id = 1",
        "DELETE FROM source WHERE name <> 'rules'",
        "UPDATE source SET name = '' WHERE name <> 'rules'",
        "UPDATE source SET kind = 'saint' WHERE name <> 'rules'",
        "UPDATE source SET kind = 'rules' WHERE name <> 'rules'",
        "UPDATE source SET giver = '' WHERE name <> 'rules'",
        "UPDATE fact SET audit = 3 WHERE id = 1",
        "INSERT INTO root VALUES(100000, 99)",
        "INSERT INTO root VALUES(1, -1)",
        "INSERT INTO root VALUES(1, (SELECT seq FROM root))",
        "INSERT INTO claim VALUES(100000, 'a1', 0)",
        "INSERT INTO claim VALUES(0, 'z9', 0)",
        "INSERT INTO claim VALUES(0, 'a1', 2)",
        "UPDATE moment SET lo = -9",
        "UPDATE moment SET nodes = -1",
        "UPDATE moment SET settled = nodes + 1",
        "UPDATE moment SET root = 100000",
        "INSERT INTO prover VALUES(-1, 'x', 0)",
        "INSERT INTO failure VALUES(100000, 'x', 1)",
        "INSERT INTO failure VALUES(0, 'x', -1)",
        "INSERT INTO withdrawn VALUES(0, -9, 9, 1, 0)",
        "INSERT INTO withdrawn VALUES(100000, -1, 1, 1, 0)",
        "UPDATE meta SET value = '-1 2' WHERE key = 'values'",
        "UPDATE meta SET value = '1 -1' WHERE key = 'values'",
    ] {
        let folder = changed(damage);
        let found = maintenance::check(folder.path(), &*game);
        assert!(found.is_err(), "{damage} was not noticed");
    }
}
