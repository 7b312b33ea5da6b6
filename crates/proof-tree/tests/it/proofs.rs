//! Values by the manager against those of other solvers.

use crate::{open, prove, prove_by, small, truth};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256StarStar as Rng;
use zermelo_erased::{AnyGame, EngineConfig, EngineId};
use zermelo_proof_tree::claims::{self, MoveClaim};
use zermelo_proof_tree::external::{GRACE, Voice, external};
use zermelo_proof_tree::manager::ManagerObserver;
use zermelo_proof_tree::prover::local;
use zermelo_proof_tree::transport::Threads;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{Manager, ManagerConfig, ProofTreeFailure, Status, maintenance};

/// A position after some random moves.
fn wander(game: &dyn AnyGame, rng: &mut Rng, plies: usize) -> String {
    let mut session = game.session();
    for _ in 0..rng.random_range(0..plies) {
        let moves = session.moves();
        if moves.is_empty() {
            break;
        }
        session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
    }
    session.position()
}

#[test]
fn values_agree_with_other_solvers() {
    let mut rng = Rng::seed_from_u64(1);
    // Cyclic ones, one with an evaluation, one with scores, wins and draws.
    for (name, plies, nodes, count) in [
        ("checkers 4x4", 6, 3, 12),
        ("checkers 4x6", 12, 60, 6),
        ("morris 3", 10, 30, 4),
        ("nogo 3x4", 4, 5, 6),
        ("tictactoe", 5, 3, 8),
        ("domineering 4x4 misere", 4, 5, 6),
        ("kalah 2x2", 6, 20, 4),
        ("connect4 4x4", 4, 100, 4),
    ] {
        let game = open(name);
        for _ in 0..count {
            let position = wander(&*game, &mut rng, plies);
            let folder = tempfile::tempdir().unwrap();
            let found = prove(&game, folder.path(), small(nodes), Some(&position));
            let found = found.unwrap_or_else(|e| panic!("{name} {position}: {e}"));
            assert_eq!(found.bounds, truth(&*game, Some(&position)), "{name} {position}");
            maintenance::check(folder.path(), &*game)
                .unwrap_or_else(|e| panic!("{name} {position}: {e}"));
        }
    }
}

#[test]
fn any_solver_can_prove() {
    let game = open("nogo 3x4");
    for (engine, nodes) in [
        (EngineId::Auto, 12),
        (EngineId::AlphaBeta, 12),
        (EngineId::Pns, 12),
        (EngineId::Minimax, 100_000),
    ] {
        // Two of them share a table, where the solver has one.
        for provers in [1, 2] {
            let folder = tempfile::tempdir().unwrap();
            let maker = local(game.clone(), EngineConfig::new(engine), provers);
            let found =
                prove_by(&game, folder.path(), small(nodes), &maker, provers, None).unwrap();
            assert_eq!(found.bounds, truth(&*game, None), "{engine:?}");
            let info = maintenance::info(folder.path()).unwrap();
            assert!(
                info.sources.iter().any(|(name, ..)| name.ends_with(engine.word())),
                "{info:?}"
            );
        }
    }
}

#[test]
fn a_program_can_prove() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prover.py");
    let game = open("tictactoe");
    let folder = tempfile::tempdir().unwrap();
    let quiet = || Voice::new(|line| panic!("{line}"));
    let maker = external(vec!["python3".into(), sample.into()], GRACE, quiet()).unwrap();
    let found = prove_by(&game, folder.path(), small(50), &maker, 1, None).unwrap();
    assert_eq!(found.bounds, truth(&*game, None));
    let info = maintenance::info(folder.path()).unwrap();
    assert!(info.sources.iter().any(|(name, ..)| name.contains("prover.py 1 minimax")), "{info:?}");
    // One that is not there is noticed at once.
    let error = external(vec!["/no/such/program".into()], GRACE, quiet()).err().unwrap();
    assert!(error.to_string().contains("cannot start /no/such/program"), "{error}");
}

#[derive(Default)]
struct Ears(Vec<String>, Vec<Status>);

impl ManagerObserver for Ears {
    fn status(&mut self, status: &Status) {
        self.1.push(status.clone());
    }
    fn warn(&mut self, words: &str) {
        self.0.push(words.into());
    }
}

#[test]
fn lines_are_worked_from_their_end_and_false_claims_withdrawn() {
    let game = open("connect4 4x4");
    let folder = tempfile::tempdir().unwrap();
    let tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let maker = local(game.clone(), EngineConfig::new(EngineId::Dfpn), 1);
    let mut threads = Threads::new(2, &maker);
    let mut ears = Ears::default();
    let mut manager = Manager::new(tree, small(100), &mut threads, &mut ears);
    // A draw: no move wins.
    let start = game.session().position();
    let claims = claims::parse(&format!("{start} ; b\n")).unwrap();
    manager.claim(&claims).unwrap();
    let line = ["b", "b", "b"].map(str::to_owned);
    let found = manager.prove(None, &line).unwrap();
    assert_eq!(found.bounds, truth(&*game, None));
    drop(manager);
    assert!(ears.0.iter().any(|w| w.contains("refuted and withdrawn: b in")), "{:?}", ears.0);
    let last = ears.1.last().unwrap();
    assert!(last.jobs > 0 && last.share() > 0.1 && last.provers.len() == 2, "{last:?}");
    assert!(last.line(game.values()).contains("positions"), "{last:?}");
    let info = maintenance::info(folder.path()).unwrap();
    assert_eq!((info.claims, info.roots.len()), ([1, 1], 1));
    drop(threads);
    // Another root uses what the first has found: this position was proved on the way.
    let mut session = game.session();
    session.play("b").unwrap();
    let found = prove(&game, folder.path(), small(100), Some(&session.position())).unwrap();
    assert_eq!(found.status.jobs, 0);
    assert_eq!(found.bounds, truth(&*game, Some(&session.position())));
    // A move that is none is an error of the reader.
    let bad = MoveClaim { position: start, mv: "z".into(), line: 1 };
    let tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let mut threads = Threads::new(1, &maker);
    let mut nobody = ();
    let error = Manager::new(tree, small(9), &mut threads, &mut nobody).claim(&[bad]).unwrap_err();
    assert!(matches!(error, ProofTreeFailure::Text(_)), "{error}");
}

#[test]
fn thresholds_grow_until_all_is_proof() {
    let game = open("checkers 4x6");
    let value = truth(&*game, None);
    for thresholds in [[20, 20, 400], [100, 100, 400], [1, 0, 0]] {
        let folder = tempfile::tempdir().unwrap();
        let config = ManagerConfig { thresholds, ..small(2_000) };
        let found = prove(&game, folder.path(), config, None).unwrap();
        assert_eq!(found.bounds, value, "{thresholds:?}");
        assert!(found.bounds.is_exact() && found.status.jobs > 1);
    }
}

#[test]
fn games_with_path_dependent_values_are_refused() {
    for name in ["go 2x2", "graph repetition loses; a first: b; b second: a"] {
        let Ok(game) = zermelo_erased::Catalogue::standard().open(name) else {
            panic!("{name} opens")
        };
        let folder = tempfile::tempdir().unwrap();
        let error = ProofTree::open(game.into(), folder.path(), None).err().unwrap();
        assert!(matches!(error, ProofTreeFailure::Refused(_)), "{error}");
        assert!(error.to_string().contains("depends on the moves that led to it"), "{error}");
    }
}
