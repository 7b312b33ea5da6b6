//! Games whose positions come back, in which minimax seldom ends: every solver against databases, on random positions, and
//! solvers that ask the database, which know at once.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_erased::{BuildOrder, Catalogue, EngineConfig, EngineId};
use zermelo_game::{Limits, Stop};

/// Nodes a solver may spend on a position.
const NODES: u64 = 5_000;

/// Plays random moves and compares, where the database knows the position. Solvers may give up, but must not be
/// wrong. Returns how many of their answers were exact.
fn compare(name: &str, dir: &Path, seed: u64, games: u32) -> u32 {
    let plain = Catalogue::standard().open(name).unwrap();
    let asking = plain.with_databases(&[dir], 1 << 24, true).unwrap();
    let mut rng = Rng::seed_from_u64(seed);
    let mut exact = 0;
    for round in 0..games {
        let mut session = plain.session();
        for _ in 0..rng.random_range(0..40) {
            let moves = session.moves();
            if moves.is_empty() {
                break;
            }
            session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
        }
        let mut known = asking.session();
        known.set_position(&session.position()).unwrap();
        let by = [
            EngineId::AlphaBeta,
            EngineId::Dfpn,
            EngineId::Auto,
            EngineId::Pns,
            EngineId::MonteCarlo,
        ][round as usize % 5];
        let what = format!("{name} {} by {by:?}", session.position());
        let limits = Limits { nodes: Some(NODES), memory: 1 << 22, ..Limits::default() };
        let Some(value) = known.probe().unwrap().bounds.value() else { continue };
        let truth = known.solve(&EngineConfig::new(by), &limits, &|_| {});
        assert_eq!((truth.stop, truth.bounds.value()), (Stop::Solved, Some(value)), "{what}");
        assert_eq!(truth.stats.nodes, 0, "{what}");
        let found = session.solve(&EngineConfig::new(by), &limits, &|_| {});
        assert!(found.bounds.contains(value), "{what}: {} is {value}", found.bounds);
        exact += u32::from(found.bounds.is_exact());
    }
    assert_eq!(asking.damage(), None);
    exact
}

/// Makes a database and compares; at least so many answers must be exact.
fn agrees(name: &str, pieces: Option<u32>, games: u32, exact: u32) {
    let folder = tempfile::tempdir().unwrap();
    let order = BuildOrder {
        pieces,
        distance: false,
        threads: 2,
        memory: 1 << 30,
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
    };
    Catalogue::standard().open(name).unwrap().build(folder.path(), &order).unwrap();
    let found = compare(name, folder.path(), 1, games);
    assert!(found >= exact, "{name}: {found} of {games} exact");
}

#[test]
fn whole_games() {
    agrees("loa 3x4", None, 1_000, 500);
    agrees("mnk 3x4x3", None, 500, 500);
}

#[test]
fn slices() {
    agrees("morris 3", None, 500, 50);
    agrees("checkers 4x4", None, 1_000, 500);
    agrees("checkers 4x6", Some(5), 1_000, 100);
}
