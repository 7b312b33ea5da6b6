//! Games without some of their parts (knowledge, symmetry, order) have the same values: alpha-beta and Monte-Carlo
//! search on what is left, against minimax.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use zermelo_any::{AnySession, By, How, open};
use zermelo_game::conformance::rounds;
use zermelo_game::{Limits, Stop};
use zermelo_search::altered::Without;

/// Nodes minimax may spend on a position; positions that need more are passed over.
const MINIMAX_NODES: u64 = 4_000;

const GAMES: [[&str; 2]; 11] = [
    ["mnk 4x4x3", "mnk 4x5x4"],
    ["connect4 4x5", "connect4"],
    ["domineering 4x4", "domineering 5x6 horizontal"],
    ["domineering 3x3 misere", "domineering 6x6 misere"],
    ["nogo 3x3", "nogo 4x6"],
    ["atarigo 3x3", "atarigo 5x6"],
    ["clobber 3x4", "clobber 6x6"],
    ["breakthrough 5x3", "breakthrough 6x6"],
    ["breakthrough 4x3 misere", "breakthrough 6x6 misere"],
    ["knightthrough 5x4", "knightthrough 6x6"],
    ["knightthrough 4x4 misere", "knightthrough 5x5 misere"],
];

/// Plays a random game to its end; returns how many plies it had.
fn play_out(session: &mut dyn AnySession, rng: &mut Rng) -> usize {
    let mut plies = 0;
    while session.outcome().is_none() {
        let moves = session.moves();
        session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
        plies += 1;
    }
    plies
}

/// The line is legal and ends with the value.
fn check_line(session: &mut dyn AnySession, line: &[String], value: i16, what: &str) {
    for mv in line {
        session.play(mv).unwrap_or_else(|e| panic!("{what}: {e}"));
    }
    assert_eq!(session.outcome(), Some(value), "{what}: {line:?}");
    line.iter().for_each(|_| drop(session.take_back()));
}

#[test]
fn parts_of_games_have_the_same_values() {
    for (seed, names) in GAMES.iter().enumerate() {
        for name in names {
            compare(name, seed as u64, rounds(2_500) as usize);
        }
    }
}

fn compare(name: &str, seed: u64, positions: usize) {
    let game = open(name).unwrap();
    let mut rng = Rng::seed_from_u64(seed);
    let mut compared = 0;
    for round in 0.. {
        let mut session = game.session();
        let mut alphabeta = How::new(By::AlphaBeta);
        alphabeta.without = Without::numbered(1 + round % 7);
        alphabeta.deepening = round % 4 == 3;
        alphabeta.playouts = [0, 100][round / 3 % 2];
        alphabeta.threads = if round % 8 == 5 { 2 } else { 1 };
        alphabeta.tricks = round % 2 == 0;
        let montecarlo = How { without: alphabeta.without, ..How::new(By::MonteCarlo) };
        let plies = play_out(&mut *session, &mut rng);
        for _ in 0..plies.min(30) {
            let few = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
            let truth = session.solve(&How::new(By::Minimax), &few, &|_| {}).bounds;
            let Some(value) = truth.value() else { break };
            let what = format!("{name} {} {alphabeta:?}", session.position());
            let memory = [1 << 12, 1 << 20][round % 2];
            let limits = Limits { memory, ..Limits::default() };
            let found = session.solve(&alphabeta, &limits, &|_| {});
            if found.stop == Stop::Solved {
                assert_eq!(found.bounds, truth, "{what}");
                check_line(&mut *session, &found.line, value, &what);
            } else {
                assert_eq!((found.stop, memory), (Stop::OutOfMemory, 1 << 12), "{what}");
            }
            let limits = Limits { nodes: Some(2_000), ..Limits::default() };
            let found = session.solve(&montecarlo, &limits, &|_| {});
            assert!(found.bounds.contains(value), "{what}: {}", found.bounds);
            session.take_back();
            compared += 1;
            if compared == positions {
                return;
            }
        }
    }
}
