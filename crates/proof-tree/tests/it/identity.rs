//! Which game a store is about: its full name and the version of its rules, whatever the rules are called in words. The
//! store of format 3 in `tests/stores` was made by the last program that wrote that format, with `prove nogo 3x4
//! --nodes-per-job 5 --by dfpn --time 30ms`: a proof that is not finished. It is kept as it is, for ever.

use crate::{open, prove, small, truth};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;
use zermelo_erased::{AnyGame, EngineConfig, EngineId, Opened};
use zermelo_game::{
    Bounds, Footprint, Images, Knowledge, MoveList, Notation, ParseError, Picture, Player, Rules,
    Value, conformance,
};
use zermelo_games::nogo::{NoGo, NoGoKnowledge};
use zermelo_proof_tree::maintenance::LoadedStore;
use zermelo_proof_tree::prover::local;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::view::StoreSnapshot;
use zermelo_proof_tree::{Job, ProofTreeFailure, maintenance};

const GAME: &str = "nogo 3x4";

/// NoGo with rules in other words, and of some version.
struct Reworded {
    rules: NoGo<u64>,
    version: u32,
}

impl Reworded {
    fn new(version: u32) -> Reworded {
        Reworded { rules: NoGo::new(3, 4), version }
    }

    fn open(version: u32) -> Arc<dyn AnyGame> {
        let rules = Reworded::new(version);
        let knowledge = RewordedKnowledge::new(&rules);
        let game: Box<dyn AnyGame> = Opened::new(rules, knowledge).into();
        Arc::from(game)
    }
}

type Position = <NoGo<u64> as Rules>::Position;

impl Rules for Reworded {
    type Position = Position;
    type Move = u8;
    type Key = u64;

    fn start(&self) -> Position {
        self.rules.start()
    }
    fn turn(&self, p: &Position) -> Player {
        self.rules.turn(p)
    }
    fn outcome(&self, p: &Position) -> Option<Value> {
        self.rules.outcome(p)
    }
    fn moves(&self, p: &Position, out: &mut MoveList<u8>) {
        self.rules.moves(p, out);
    }
    fn play(&self, p: &Position, m: u8) -> Position {
        self.rules.play(p, m)
    }
    fn key(&self, p: &Position) -> u64 {
        self.rules.key(p)
    }
    fn key_bits(&self) -> u32 {
        self.rules.key_bits()
    }
    fn code(&self, m: u8) -> usize {
        self.rules.code(m)
    }
    fn codes(&self) -> usize {
        self.rules.codes()
    }
    fn images(&self, p: &Position) -> Images<Position> {
        self.rules.images(p)
    }
}

impl Notation for Reworded {
    fn name(&self) -> String {
        self.rules.name()
    }
    fn rules_text(&self) -> String {
        "Go where nothing is ever captured. Who cannot move loses.".into()
    }
    fn rules_version(&self) -> u32 {
        self.version
    }
    fn move_text(&self, p: &Position, m: u8) -> String {
        self.rules.move_text(p, m)
    }
    fn position_text(&self, p: &Position) -> String {
        self.rules.position_text(p)
    }
    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        self.rules.parse_position(text)
    }
    fn picture(&self, p: &Position) -> Picture {
        self.rules.picture(p)
    }
    fn footprint(&self, p: &Position, m: u8) -> Option<Footprint> {
        self.rules.footprint(p, m)
    }
}

/// What is known of NoGo, for the same game in other words.
struct RewordedKnowledge(NoGoKnowledge);

impl RewordedKnowledge {
    fn new(reworded: &Reworded) -> RewordedKnowledge {
        RewordedKnowledge(NoGoKnowledge::new(&reworded.rules))
    }
}

impl Knowledge<Reworded> for RewordedKnowledge {
    fn prunes_candidates(&self) -> bool {
        Knowledge::<NoGo<u64>>::prunes_candidates(&self.0)
    }
    fn first_candidate_wins(&self) -> bool {
        Knowledge::<NoGo<u64>>::first_candidate_wins(&self.0)
    }
    fn canonical(&self, game: &Reworded, p: &Position) -> Position {
        self.0.canonical(&game.rules, p)
    }
    fn static_bounds(&self, game: &Reworded, p: &Position) -> Bounds {
        self.0.static_bounds(&game.rules, p)
    }
    fn candidate_moves(&self, game: &Reworded, p: &Position, out: &mut MoveList<u8>) -> Value {
        self.0.candidate_moves(&game.rules, p, out)
    }
    fn leaf_numbers(&self, game: &Reworded, p: &Position, place: u32) -> Option<(u32, u32)> {
        self.0.leaf_numbers(&game.rules, p, place)
    }
    fn plies_left(&self, game: &Reworded, p: &Position) -> u32 {
        self.0.plies_left(&game.rules, p)
    }
}

/// A copy of the kept store.
fn kept() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores/format-3/proof.sqlite");
    fs::copy(kept, file(folder.path())).unwrap();
    folder
}

/// A finished store of today.
fn fresh(game: &Arc<dyn AnyGame>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    prove(game, folder.path(), small(12), None).unwrap();
    folder
}

fn file(dir: &Path) -> PathBuf {
    dir.join("proof.sqlite")
}

/// All of its bytes that last.
fn bytes(dir: &Path) -> Vec<u8> {
    fs::read(file(dir)).unwrap()
}

fn meta(dir: &Path, key: &str) -> Option<String> {
    let sql = Connection::open(file(dir)).unwrap();
    sql.query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0)).ok()
}

fn format(dir: &Path) -> i32 {
    let sql = Connection::open(file(dir)).unwrap();
    sql.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

/// All facts.
fn lines(dir: &Path) -> String {
    let mut out = Vec::new();
    maintenance::export(dir, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_kept_store_of_format_3_is_read_and_not_changed() {
    let (game, folder) = (open(GAME), kept());
    let before = bytes(folder.path());
    let info = maintenance::info(folder.path()).unwrap();
    assert_eq!((info.nodes, info.facts, info.edges), (104, 24, 111));
    assert_eq!((&*info.game, info.rules_version), (GAME, 1));
    assert_eq!(maintenance::check(folder.path(), &*game).unwrap(), 104);
    let facts = LoadedStore::load(folder.path(), &*game).unwrap();
    assert_eq!(facts.root().unwrap(), ("..../..../.... first", Bounds::new(-1, 1)));
    let view = StoreSnapshot::open(folder.path()).unwrap();
    assert_eq!(view.counts().unwrap(), [104, 24]);
    assert_eq!(view.about().identity, game.identity());
    view.expect(&*game).unwrap();
    drop(view);
    assert_eq!(lines(folder.path()).lines().count(), 24);
    assert_eq!(bytes(folder.path()), before);
}

#[test]
fn a_kept_store_of_format_3_goes_on() {
    let game = open(GAME);
    let value = truth(&*game, None);
    for by_compacting in [false, true] {
        let folder = kept();
        let before = lines(folder.path());
        let noted =
            ["game", "rules", "salt", "values"].map(|key| meta(folder.path(), key).unwrap());
        match by_compacting {
            true => drop(maintenance::compact(folder.path()).unwrap()),
            false => drop(ProofTree::open(game.clone(), folder.path(), None).unwrap()),
        }
        assert_eq!((format(folder.path()), lines(folder.path())), (4, before.clone()));
        // The digest stays for the record, and the same facts are audited as before.
        let now = ["game", "rules", "salt", "values"].map(|key| meta(folder.path(), key).unwrap());
        assert_eq!((now, meta(folder.path(), "rules_version").as_deref()), (noted, Some("1")));
        maintenance::check(folder.path(), &*game).unwrap();
        let found = prove(&game, folder.path(), small(12), None).unwrap();
        assert_eq!(found.bounds, value);
        assert!(found.status.jobs > 0 && found.status.facts > 24, "it was not finished");
        assert!(lines(folder.path()).starts_with(&before), "nothing is lost");
        maintenance::check(folder.path(), &*game).unwrap();
    }
}

#[test]
fn rules_may_be_reworded() {
    let rules = Reworded::new(1);
    conformance::check(&rules, &RewordedKnowledge::new(&rules));
    let (game, reworded) = (open(GAME), Reworded::open(1));
    assert_ne!(game.rules(), reworded.rules());
    let value = truth(&*game, None);
    let half = tempfile::tempdir().unwrap();
    drop(ProofTree::open(game.clone(), half.path(), None).unwrap());
    for folder in [kept(), half, fresh(&game)] {
        maintenance::check(folder.path(), &*reworded).unwrap();
        LoadedStore::load(folder.path(), &*reworded).unwrap();
        StoreSnapshot::open(folder.path()).unwrap().expect(&*reworded).unwrap();
        let found = prove(&reworded, folder.path(), small(12), None).unwrap();
        assert_eq!(found.bounds, value);
        // And back again.
        let found = prove(&game, folder.path(), small(12), None).unwrap();
        assert_eq!((found.bounds, found.status.jobs), (value, 0));
        maintenance::check(folder.path(), &*game).unwrap();
    }
}

/// What all who ask a store for its facts say of this game.
fn refusals(dir: &Path, game: &Arc<dyn AnyGame>) -> Vec<String> {
    let before = bytes(dir);
    let all: [Result<(), ProofTreeFailure>; 5] = [
        ProofTree::open(game.clone(), dir, None).map(drop),
        LoadedStore::load(dir, &**game).map(drop),
        maintenance::check(dir, &**game).map(drop),
        maintenance::forget(dir, &**game, "zermelo 0.1.0 dfpn").map(drop),
        StoreSnapshot::open(dir).and_then(|view| view.expect(&**game)),
    ];
    assert_eq!(bytes(dir), before, "who is refused changes nothing");
    all.map(|found| found.unwrap_err().to_string()).to_vec()
}

#[test]
fn other_versions_of_the_rules_are_refused() {
    let (game, raised) = (open(GAME), Reworded::open(2));
    for folder in [kept(), fresh(&game)] {
        for why in refusals(folder.path(), &raised) {
            for part in [
                "rules version 1 of nogo 3x4",
                "plays by version 2",
                "Prove anew in another folder",
            ] {
                assert!(why.contains(part), "{why}");
            }
        }
        assert_eq!(maintenance::info(folder.path()).unwrap().rules_version, 1);
    }
    let folder = fresh(&raised);
    assert_eq!(maintenance::info(folder.path()).unwrap().rules_version, 2);
    maintenance::check(folder.path(), &*raised).unwrap();
    for why in refusals(folder.path(), &game) {
        for part in ["rules version 2 of nogo 3x4", "plays by version 1", "a newer program"] {
            assert!(why.contains(part), "{why}");
        }
    }
}

#[test]
fn a_kept_store_of_another_game_is_not_changed() {
    let folder = kept();
    for why in refusals(folder.path(), &open("nogo 3x3")) {
        assert!(why.contains("a store of nogo 3x4, not of nogo 3x3"), "{why}");
    }
    assert_eq!(format(folder.path()), 3);
}

#[test]
fn damage_of_a_store_of_format_3_is_refused() {
    let game = open(GAME);
    for damage in [
        "DELETE FROM meta WHERE key = 'rules'",
        "UPDATE meta SET value = 'x' WHERE key = 'rules'",
        "DELETE FROM meta WHERE key = 'game'",
        "DELETE FROM meta WHERE key = 'values'",
        "UPDATE meta SET value = '-1 2' WHERE key = 'values'",
    ] {
        let folder = kept();
        Connection::open(file(folder.path())).unwrap().execute_batch(damage).unwrap();
        for why in refusals(folder.path(), &game) {
            assert!(
                why.contains("lacks its") || why.contains("bad rules") || why.contains("values"),
                "{why}"
            );
        }
        let compacted = maintenance::compact(folder.path());
        assert_eq!(compacted.is_ok(), damage.contains("-1 2"), "{damage}");
    }
}

#[test]
fn provers_compare_versions_and_no_words() {
    let (game, reworded) = (open(GAME), Reworded::open(1));
    let ask = |game: &Arc<dyn AnyGame>, version: &str| {
        let job = format!(
            r#"{{"id":1,"game":"{GAME}","rules":"5c0e",{version}"position":"..../..../.... first","lo":-1,"hi":1,"memory":1048576}}"#
        );
        let job: Job = serde_json::from_str(&job).unwrap();
        let mut outcome = None;
        let none = Arc::new(AtomicBool::new(false));
        let maker = local(game.clone(), EngineConfig::new(EngineId::AlphaBeta), 1);
        maker.make(&mut |prover| outcome = Some(prover.prove(&job, &none)));
        outcome.unwrap()
    };
    let value = truth(&*game, None);
    // A manager that names no version is older than these.
    for version in ["", "\"rules_version\":1,"] {
        for game in [&game, &reworded] {
            let outcome = ask(game, version);
            assert_eq!((outcome.error, Bounds::new(outcome.lo, outcome.hi)), (None, value));
        }
        let why = ask(&Reworded::open(2), version).error.unwrap();
        assert!(why.contains("are version 1, ours version 2"), "{why}");
    }
    let why = ask(&game, "\"rules_version\":2,").error.unwrap();
    assert!(why.contains("are version 2, ours version 1"), "{why}");
}

#[test]
fn a_store_does_not_become_one_of_another_game_or_version() {
    let damage = |sql: &str, game: &Arc<dyn AnyGame>| {
        let folder = fresh(&open(GAME));
        Connection::open(file(folder.path())).unwrap().execute_batch(sql).unwrap();
        for why in refusals(folder.path(), game) {
            assert!(why.contains("game, rules version or values were changed"), "{sql}: {why}");
        }
        assert!(
            maintenance::info(folder.path()).is_err()
                && maintenance::compact(folder.path()).is_err()
        );
    };
    damage("UPDATE meta SET value = 'nogo 4x3' WHERE key = 'game'", &open("nogo 4x3"));
    damage("UPDATE meta SET value = '2' WHERE key = 'rules_version'", &Reworded::open(2));
    damage("UPDATE meta SET value = '-2 2' WHERE key = 'values'", &open(GAME));
}
