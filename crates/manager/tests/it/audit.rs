//! Liars, and facts that contradict each other.

use crate::{open, prove, prove_by, small, truth};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zermelo_any::{AnyGame, By, How};
use zermelo_game::{Bounds, Limits};
use zermelo_manager::prover::{Local, Maker, Prover};
use zermelo_manager::tend::{self, Facts};
use zermelo_manager::tree::Tree;
use zermelo_manager::{Config, Failure, Job, Outcome};

/// Says the opposite of what it finds.
struct Liar<'g>(Local<'g>);

impl Prover for Liar<'_> {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> Outcome {
        let mut outcome = self.0.prove(job, cancel);
        if !job.audit && outcome.lo == outcome.hi {
            (outcome.lo, outcome.hi) = (-outcome.lo, -outcome.hi);
            outcome.solver = "liar".into();
        }
        outcome
    }
}

fn liars(game: &Arc<dyn AnyGame>) -> Maker {
    let game = game.clone();
    Arc::new(move |use_it| use_it(&mut Liar(Local::new(&*game, How::new(By::Dfpn)))))
}

#[test]
fn audits_find_liars() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let config = Config { audit: 1000, ..small(12) };
    let error = prove_by(&game, folder.path(), config, &liars(&game), 2, None).unwrap_err();
    let words = error.to_string();
    assert!(words.contains("audit") || words.contains("contradiction"), "{words}");
    assert!(words.contains("liar"), "both are named: {words}");
    // Honest ones pass.
    let folder = tempfile::tempdir().unwrap();
    let config = Config { audit: 1000, ..small(12) };
    let found = prove(&game, folder.path(), config, None).unwrap();
    assert_eq!(found.bounds, truth(&*game, None));
    assert!(found.status.audited[0] > 3, "{:?}", found.status);
    // Also where positions come back.
    let game = open("checkers 4x6");
    let folder = tempfile::tempdir().unwrap();
    let config = Config { audit: 1000, ..small(2_000) };
    let found = prove(&game, folder.path(), config, None).unwrap();
    assert!(found.status.audited[0] > 3, "{:?}", found.status);
}

#[test]
fn what_a_liar_said_is_taken_back() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let config = Config { audit: 1000, ..small(12) };
    prove_by(&game, folder.path(), config, &liars(&game), 2, None).unwrap_err();
    let error = tend::forget(folder.path(), &*game, "nobody").unwrap_err();
    assert!(error.to_string().contains("no fact by"), "{error}");
    assert!(tend::forget(folder.path(), &*game, "liar").unwrap() > 0);
    tend::check(folder.path(), &*game).unwrap();
    let found = prove(&game, folder.path(), small(12), None).unwrap();
    assert_eq!(found.bounds, truth(&*game, None));
    tend::check(folder.path(), &*game).unwrap();
    let mut lines = Vec::new();
    tend::export(folder.path(), &mut lines).unwrap();
    for line in String::from_utf8(lines).unwrap().lines() {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        let value = truth(&*game, fact["position"].as_str());
        let number = |key: &str| fact[key].as_i64().unwrap() as i16;
        assert!(value.lo >= number("lo") && value.hi <= number("hi"), "{line}, but {value}");
        assert_ne!(fact["source"], "liar");
    }
}

#[test]
fn certificates_find_liars_that_no_audit_met() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let found = prove_by(&game, folder.path(), small(100_000), &liars(&game), 1, None).unwrap();
    let value = truth(&*game, None);
    assert_ne!(found.bounds, value);
    let facts = Facts::load(folder.path(), &*game).unwrap();
    let (root, claimed) = facts.root().unwrap();
    assert_eq!(claimed, found.bounds);
    let mut session = game.session();
    session.set_position(root).unwrap();
    let known = |text: &str| facts.known(text);
    let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        session.certify_from(
            claimed,
            &known,
            Default::default(),
            &Limits::default(),
            &|_| {},
            Default::default(),
        )
    }));
    assert!(written.is_err() || written.unwrap().is_err(), "nobody can certify a lie");
}

#[test]
fn contradictions_name_both_sides() {
    let game = open("tictactoe");
    let folder = tempfile::tempdir().unwrap();
    let mut tree = Tree::open(game.clone(), folder.path(), None).unwrap();
    let root = tree.position(None).unwrap();
    tree.learn(root, Bounds::exact(1), Some("solver one")).unwrap();
    let error = tree.learn(root, Bounds::exact(0), Some("solver two")).unwrap_err();
    let words = error.to_string();
    assert!(matches!(error, Failure::Contradiction(_)), "{words}");
    assert!(words.contains("solver one") && words.contains("solver two"), "{words}");
    assert!(words.contains(".../.../... first"), "{words}");
    drop(tree);
    // Also where the other side are the moves.
    let folder = tempfile::tempdir().unwrap();
    let mut tree = Tree::open(game.clone(), folder.path(), None).unwrap();
    let root = tree.position(None).unwrap();
    tree.learn(root, Bounds::exact(0), Some("solver one")).unwrap_or_else(|e| panic!("{e}"));
    let other = tree.position(Some("x../.../... second")).unwrap();
    tree.expand(other).unwrap();
    let child = tree.graph().children(other)[0];
    tree.learn(other, Bounds::new(0, 1), Some("solver one")).unwrap();
    let words = tree.learn(child, Bounds::exact(-1), Some("solver two")).unwrap_err().to_string();
    assert!(words.contains("solver one") && words.contains("solver two"), "{words}");
}
