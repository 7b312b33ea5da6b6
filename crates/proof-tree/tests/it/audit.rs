//! Liars, and facts that contradict each other.

use crate::{open, prove, prove_by, prove_guarded, small, truth};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zermelo_erased::{AnyGame, CertificateRequest, EngineConfig, EngineId};
use zermelo_game::{Bounds, Limits};
use zermelo_proof_tree::contradiction::Light;
use zermelo_proof_tree::maintenance::{self, LoadedStore};
use zermelo_proof_tree::prover::{Local, Maker, Prover};
use zermelo_proof_tree::source::{FactSource, Giver, SourceKind};
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{ContradictionReport, Job, JobOutcome, ManagerConfig, ProofTreeFailure};

/// Says the opposite of what it finds.
struct Liar<'g>(Local<'g>);

impl Prover for Liar<'_> {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> JobOutcome {
        let mut outcome = self.0.prove(job, cancel);
        assert!(!job.audit, "nobody audits himself");
        if outcome.lo == outcome.hi {
            (outcome.lo, outcome.hi) = (-outcome.lo, -outcome.hi);
            outcome.solver = "liar".into();
        }
        outcome
    }
}

fn liars(game: &Arc<dyn AnyGame>) -> Maker {
    let game = game.clone();
    let giver = Giver::Outside("a stranger".into());
    Maker::outsiders(giver, move |use_it| {
        use_it(&mut Liar(Local::new(&*game, EngineConfig::new(EngineId::Dfpn))))
    })
}

#[test]
fn audits_find_liars() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let config = ManagerConfig { audit: 1000, ..small(100_000) };
    let error = prove_guarded(&game, folder.path(), config, &liars(&game), 1).unwrap_err();
    let words = error.to_string();
    let ProofTreeFailure::Contradiction(found) = error else { panic!("{words}") };
    assert!(words.contains("a stranger, as \"liar\"") && words.contains("our engine"), "{words}");
    let liar = found.liar().unwrap_or_else(|| panic!("{words}"));
    assert_eq!((&*liar.giver, liar.kind), ("a stranger", SourceKind::Outside));
    assert!(liar.facts > 0 && words.contains("is withdrawn"), "{words}");
    // Honest ones pass.
    let folder = tempfile::tempdir().unwrap();
    let config = ManagerConfig { audit: 1000, ..small(12) };
    let found = prove(&game, folder.path(), config, None).unwrap();
    assert_eq!(found.bounds, truth(&*game, None));
    assert!(found.status.audited[0] > 3, "{:?}", found.status);
    // Also where positions can repeat.
    let game = open("checkers 4x6");
    let folder = tempfile::tempdir().unwrap();
    let config = ManagerConfig { audit: 1000, ..small(2_000) };
    let found = prove(&game, folder.path(), config, None).unwrap();
    assert!(found.status.audited[0] > 3, "{:?}", found.status);
}

#[test]
fn what_a_liar_said_is_taken_back() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    prove_by(&game, folder.path(), small(100_000), &liars(&game), 1, None).unwrap();
    let error = maintenance::forget(folder.path(), &*game, "nobody").unwrap_err();
    assert!(error.to_string().contains("no fact by"), "{error}");
    // By the name that we gave, whatever it called itself.
    assert!(maintenance::forget(folder.path(), &*game, "a stranger").unwrap() > 0);
    assert!(maintenance::info(folder.path()).unwrap().withdrawn > 0, "they stay for the record");
    maintenance::check(folder.path(), &*game).unwrap();
    let found = prove(&game, folder.path(), small(12), None).unwrap();
    assert_eq!(found.bounds, truth(&*game, None));
    maintenance::check(folder.path(), &*game).unwrap();
    let mut lines = Vec::new();
    maintenance::export(folder.path(), &mut lines).unwrap();
    for line in String::from_utf8(lines).unwrap().lines() {
        let fact: serde_json::Value = serde_json::from_str(line).unwrap();
        let value = truth(&*game, fact["position"].as_str());
        let number = |key: &str| fact[key].as_i64().unwrap() as i16;
        assert!(value.lo >= number("lo") && value.hi <= number("hi"), "{line}, but {value}");
        assert!(!fact["source"].as_str().unwrap().contains("liar"), "{fact}");
    }
}

#[test]
fn certificates_find_liars_that_no_audit_met() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let found = prove_by(&game, folder.path(), small(100_000), &liars(&game), 1, None).unwrap();
    let value = truth(&*game, None);
    assert_ne!(found.bounds, value);
    let facts = LoadedStore::load(folder.path(), &*game).unwrap();
    let (root, claimed) = facts.root().unwrap();
    assert_eq!(claimed, found.bounds);
    let mut session = game.session();
    session.set_position(root).unwrap();
    let known = |text: &str| facts.known(text);
    let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let request = CertificateRequest {
            layout: Default::default(),
            within: None,
            limits: &Limits::default(),
            written: &|_| {},
            provenance: Default::default(),
        };
        session.certify_from(claimed, &known, request)
    }));
    assert!(written.is_err() || written.unwrap().is_err(), "nobody can certify a lie");
}

#[test]
fn contradictions_name_both_sides() {
    let game = open("tictactoe");
    let [one, two] = ["solver one", "solver two"].map(FactSource::engine);
    let folder = tempfile::tempdir().unwrap();
    let mut tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let root = tree.position(None).unwrap();
    tree.learn(root, Bounds::exact(1), Some(&one)).unwrap();
    let error = tree.learn(root, Bounds::exact(0), Some(&two)).unwrap_err();
    let words = error.to_string();
    assert!(matches!(error, ProofTreeFailure::Contradiction(_)), "{words}");
    assert!(words.contains("solver one") && words.contains("solver two"), "{words}");
    assert!(words.contains(".../.../... first"), "{words}");
    // Both are engines of ours: nobody can know which is wrong.
    assert!(words.contains("Nobody can know"), "{words}");
    assert_eq!(tree.facts(), 0);
    drop(tree);
    ProofTree::open(game.clone(), folder.path(), None).unwrap();
    // Also where the other side are the moves.
    let folder = tempfile::tempdir().unwrap();
    let mut tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let root = tree.position(None).unwrap();
    tree.learn(root, Bounds::exact(0), Some(&one)).unwrap_or_else(|e| panic!("{e}"));
    let other = tree.position(Some("x../.../... second")).unwrap();
    tree.expand(other).unwrap();
    let child = tree.graph().children(other)[0];
    tree.learn(other, Bounds::new(0, 1), Some(&one)).unwrap();
    let words = tree.learn(child, Bounds::exact(-1), Some(&two)).unwrap_err().to_string();
    assert!(words.contains("solver one") && words.contains("solver two"), "{words}");
}

/// A root with two facts about a move of it: by an outsider that the second player wins, by the other that the first does.
fn told(
    folder: &std::path::Path,
    last: &FactSource,
    first: &FactSource,
) -> Box<ContradictionReport> {
    let game = open("tictactoe");
    let mut tree = ProofTree::open(game.clone(), folder, None).unwrap();
    let innocent = tree.position(Some("x../.../... second")).unwrap();
    tree.learn(innocent, Bounds::new(-1, 0), Some(&FactSource::engine("an innocent"))).unwrap();
    let root = tree.position(None).unwrap();
    tree.expand(root).unwrap();
    tree.learn(root, Bounds::new(0, 1), Some(first)).unwrap();
    for child in tree.graph().children(root).to_vec() {
        match tree.learn(child, Bounds::exact(-1), Some(last)) {
            Ok(_) => {}
            Err(ProofTreeFailure::Contradiction(found)) => {
                drop(tree);
                maintenance::check(folder, &*game).unwrap();
                ProofTree::open(game, folder, None).unwrap();
                return found;
            }
            Err(other) => panic!("{other}"),
        }
    }
    panic!("nobody noticed");
}

#[test]
fn outsiders_are_to_blame_before_engines_and_nobody_for_others() {
    let [engine, other] = ["zermelo a", "zermelo b"].map(FactSource::engine);
    let [liar, second] =
        ["liar", "second"].map(|name| Giver::Outside(name.into()).source("zermelo a"));
    let blamed = |last: &FactSource, first: &FactSource| {
        let folder = tempfile::tempdir().unwrap();
        let found = told(folder.path(), last, first);
        let words = found.to_string();
        assert!(found.statements.iter().any(|s| s.source == *last), "{words}");
        assert!(found.statements.iter().any(|s| s.source == *first), "{words}");
        let mut names: Vec<String> = found.withdrawn.iter().map(|w| w.giver.clone()).collect();
        names.sort();
        (names.join(" "), found.liar().is_some())
    };
    // Whoever came first.
    assert_eq!(blamed(&liar, &engine), ("liar".into(), true));
    assert_eq!(blamed(&engine, &liar), ("liar".into(), true));
    assert_eq!(blamed(&liar, &second), ("liar second".into(), false));
    assert_eq!(blamed(&engine, &other), ("zermelo a zermelo b".into(), false));
}

/// Shows of every position that the first player does not win it, which is true of those it is asked about, and repeats what
/// it was told besides.
struct Half;

impl Prover for Half {
    fn prove(&mut self, job: &Job, _: &Arc<AtomicBool>) -> JobOutcome {
        let solver = "half".into();
        JobOutcome { id: job.id, solver, lo: job.lo, hi: 0, tried: true, ..JobOutcome::default() }
    }
}

#[test]
fn what_follows_from_a_lie_is_no_fact_of_those_who_were_told() {
    // The liar says that the first player does not lose a lost position, and our engine is told so.
    let game = open("tictactoe");
    let lost = Some("x.o/.../o.. first");
    assert_eq!(truth(&*game, lost), Bounds::exact(-1));
    let folder = tempfile::tempdir().unwrap();
    let mut tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let id = tree.position(lost).unwrap();
    let liar = Giver::Outside("liar".into()).source("x");
    tree.learn(id, Bounds::new(0, 1), Some(&liar)).unwrap();
    tree.store().commit().unwrap();
    drop(tree);
    let half = Maker::engines(|use_it| use_it(&mut Half));
    let found = prove_by(&game, folder.path(), small(9), &half, 1, lost).unwrap();
    assert_eq!(found.bounds, Bounds::exact(0), "it is believed");
    assert_eq!(maintenance::forget(folder.path(), &*game, "liar").unwrap(), 1);
    let tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    assert_eq!(tree.graph().node(id).bounds, Bounds::new(-1, 0), "nothing false is left");
    drop(tree);
    let found = prove(&game, folder.path(), small(1_000), lost).unwrap();
    assert_eq!(found.bounds, Bounds::exact(-1));
}

#[test]
fn facts_that_were_not_audited_are_audited_by_the_next_run() {
    let game = open("nogo 3x4");
    let folder = tempfile::tempdir().unwrap();
    let found = prove_guarded(&game, folder.path(), small(100_000), &liars(&game), 1).unwrap();
    assert_ne!(found.bounds, truth(&*game, None));
    assert_eq!(found.status.audited, [0; 3]);
    let config = ManagerConfig { audit: 1000, ..small(100_000) };
    let error = prove_guarded(&game, folder.path(), config, &liars(&game), 1).unwrap_err();
    let words = error.to_string();
    let ProofTreeFailure::Contradiction(found) = error else { panic!("{words}") };
    assert_eq!(found.light, Light::Audit, "{words}");
    assert!(words.contains("an audit of"), "{words}");
    // What an audit has confirmed is not audited again.
    let honest = |audit| {
        let config = ManagerConfig { audit, ..small(100_000) };
        prove(&game, folder.path(), config, None).unwrap().status.audited
    };
    assert_eq!((honest(1000), honest(1000)), ([1, 0, 0], [0; 3]));
}

#[test]
fn without_an_auditor_nothing_is_called_audited() {
    let game = open("tictactoe");
    let folder = tempfile::tempdir().unwrap();
    let config = ManagerConfig { audit: 1000, ..small(1000) };
    let found = prove_by(&game, folder.path(), config, &liars(&game), 1, None).unwrap();
    let [confirmed, undecided, not] = found.status.audited;
    assert_eq!((confirmed, undecided), (0, 0));
    assert!(not > 0);
}
