//! Games without some of their parts (knowledge, symmetry, order) have the same values: alpha-beta and Monte-Carlo
//! search on what is left, against minimax.

mod boards;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use zermelo_erased::{AnyGame, AnySession, Catalogue, EngineConfig, EngineId};
use zermelo_game::Ablation;
use zermelo_game::conformance::rounds;
use zermelo_game::{Limits, ParseError, Stop};

fn open(name: &str) -> Result<Box<dyn AnyGame>, ParseError> {
    Catalogue::standard().open(name)
}

/// Nodes minimax may spend on a position; positions that need more are passed over.
const MINIMAX_NODES: u64 = 4_000;

/// Plays a random game to its end; returns how many plies it had.
fn play_out(session: &mut dyn AnySession, rng: &mut Rng) -> usize {
    let mut plies = 0;
    while session.outcome().is_none() && plies < 150 {
        let moves = session.moves();
        session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
        plies += 1;
    }
    plies
}

/// The line is legal, and ends with the value or, where positions can repeat, goes on.
fn check_line(session: &mut dyn AnySession, line: &[String], value: i16, ends: bool, what: &str) {
    for mv in line {
        session.play(mv).unwrap_or_else(|e| panic!("{what}: {e}"));
    }
    let end = session.outcome();
    assert!(end == Some(value) || end.is_none() && !ends, "{what}: {end:?} after {line:?}");
    line.iter().for_each(|_| drop(session.take_back()));
}

#[test]
fn parts_of_games_have_the_same_values() {
    let boards = boards::of_every_game(&[]);
    boards::each(&boards, |board, seed| {
        compare(board, seed, boards::share(&boards, board, rounds(5_000)));
    });
}

/// The first of these solvers that the game has: all choices of alpha-beta, without them, df-pn.
fn solver(game: &dyn AnyGame, round: usize) -> EngineConfig {
    let without = Ablation::numbered(1 + round % 7);
    let plain = EngineConfig::new(EngineId::AlphaBeta).without(without);
    // As in the source, or with what it did not do.
    let (table, cutoff) = if round.is_multiple_of(2) { ("3", "own") } else { ("0", "never") };
    let full = plain
        .clone()
        .with("deepening", if round % 4 == 3 { "yes" } else { "no" })
        .with("playouts", [0, 100][round / 3 % 2])
        .with("threads", if round % 8 == 5 { 2 } else { 1 })
        .with("table-plies", table)
        .with("cutoff-plies", cutoff);
    let dfpn = EngineConfig::new(EngineId::Dfpn).without(without);
    let found = [full, plain, dfpn].into_iter().find(|how| game.accepts(how).is_ok());
    found.unwrap_or_else(|| panic!("no solver for {}", game.name()))
}

fn compare(name: &str, seed: u64, positions: usize) {
    let game = open(name).unwrap();
    let ends = game.cycle_value().is_none() && !game.features().path_dependent;
    let mut rng = Rng::seed_from_u64(seed);
    let mut compared = 0;
    // Of games that end only by chance few rounds give a position that is small enough.
    for round in 0..20 * positions {
        let mut session = game.session();
        let how = solver(&*game, round);
        let montecarlo = EngineConfig::new(EngineId::MonteCarlo).without(how.ablation());
        let plies = play_out(&mut *session, &mut rng);
        for _ in 0..plies.min(30) {
            let few = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
            let truth = session.solve(&EngineConfig::new(EngineId::Minimax), &few, &|_| {}).bounds;
            let Some(value) = truth.value() else { break };
            let what = format!("{name} {} {how:?}", session.position());
            let memory = [1 << 12, 1 << 20][round % 2];
            let limits = Limits { memory, ..Limits::default() };
            let found = session.solve(&how, &limits, &|_| {});
            if found.stop == Stop::Solved {
                assert_eq!(found.bounds, truth, "{what}");
                check_line(&mut *session, &found.line, value, ends, &what);
            } else {
                assert_eq!((found.stop, memory), (Stop::OutOfMemory, 1 << 12), "{what}");
            }
            if game.accepts(&montecarlo).is_ok() {
                let limits = Limits { nodes: Some(2_000), ..Limits::default() };
                let found = session.solve(&montecarlo, &limits, &|_| {});
                assert!(found.bounds.contains(value), "{what}: {}", found.bounds);
            }
            session.take_back();
            compared += 1;
            if compared == positions {
                return;
            }
        }
    }
    assert!(compared > 0, "{name}: no position is small enough for minimax");
}
