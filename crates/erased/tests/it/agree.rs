//! Alpha-beta against plain minimax on random positions of every game: one thread and two, with and
//! without deepening, with and without playouts, with tables that hold everything and tables that hold
//! next to nothing. Monte-Carlo tree search, too.

use crate::{boards, tuned};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::conformance::rounds;
use zermelo_game::{Game, Knowledge, Limits, MoveList, Notation, Rules, Stop};
use zermelo_games::Visitor;
use zermelo_search::alphabeta::{Config, Solver};
use zermelo_search::{minimax, montecarlo};

/// Nodes minimax may spend on a position; positions that need more are passed over.
const MINIMAX_NODES: u64 = 4_000;

/// Nodes minimax may spend on a board altogether. Games that end only by chance leave few positions that are small enough;
/// with these nodes at least [`LEAST`] are found on every board.
pub(crate) const ALL_MINIMAX_NODES: u64 = 25_000_000;
pub(crate) const LEAST: usize = 20;

/// Compares the solvers on so many random positions of a game.
struct Compare {
    positions: usize,
    seed: u64,
}

impl Visitor for Compare {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) {
        let tuned = tuned(knowledge);
        let game = Game::new(&rules, &tuned);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let memory = [1 << 7, 1 << 12, 1 << 20];
        let (mut compared, mut settled) = (0, 0);
        let (mut barren, mut left) = (0, rounds(ALL_MINIMAX_NODES));
        for round in 0.. {
            let config = Config {
                threads: if round % 8 == 5 { 2 } else { 1 },
                deepening: round % 4 == 3,
                playouts: [0, 100][round / 3 % 2],
                learning: round % 5 != 4,
                table_entries: (round % 7 == 6).then_some(1000),
                seed: round as u64 % 3,
                table_plies: [0, 3][round % 2],
                cutoff_plies: [Some(0), None][round / 2 % 2],
            };
            let limits = Limits { memory: memory[round % 3], ..Limits::default() };
            // A solver lives for some positions, so that what it kept from one serves the next.
            let mut solver = Solver::new(game, config.clone(), limits);
            for p in random_game(&rules, &mut rng) {
                let limits = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
                let truth = minimax::solve(&rules, &p, &limits, &|_| {});
                left = left.saturating_sub(truth.stats.nodes);
                if truth.stop != Stop::Solved {
                    continue;
                }
                let found = solver.solve(&p, &|_| {});
                let text = game.position_text(&p);
                if found.stop == Stop::OutOfMemory {
                    // Tables of 128 bytes do not fit every game.
                    assert!(round % 3 == 0, "{} {text}: out of memory", game.name());
                    break;
                }
                assert_eq!(found.stop, Stop::Solved, "{} {text} {config:?}", game.name());
                assert_eq!(found.bounds, truth.bounds, "{} {text} {config:?}", game.name());
                check_line(&rules, &p, &found.line, truth.bounds.lo);
                let name = game.name();
                let sampling = montecarlo::Config { seed: round as u64, ..Default::default() };
                let limits = Limits { nodes: Some(20_000), ..Limits::default() };
                let found = montecarlo::solve(game, &p, &sampling, &limits, &|_| {});
                assert!(found.bounds.contains(truth.bounds.lo), "{name} {text}: {}", found.bounds);
                settled += usize::from(found.stop == Stop::Solved);
                compared += 1;
                barren = 0;
                if compared == self.positions || left == 0 && compared >= LEAST {
                    // Playouts never settle a repetition.
                    let most = R::CYCLIC || settled * 10 > compared * 9;
                    assert!(most, "{name}: {settled} of {compared} settled");
                    return;
                }
            }
            barren += 1;
            assert!(barren < 200, "{}: no position is small enough for minimax", game.name());
        }
    }
}

/// The positions of one random game, from its end backwards.
pub(crate) fn random_game<R: Rules>(game: &R, rng: &mut Xoshiro256PlusPlus) -> Vec<R::Position> {
    let mut line = vec![game.start()];
    while let Some(p) = line.last()
        && game.outcome(p).is_none()
        && line.len() < 300
    {
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        let m = list.scored()[rng.random_range(0..list.len())].mv;
        line.push(game.play(p, m));
    }
    line.reverse();
    line.truncate(30);
    line
}

/// The line is legal and ends with the value that was claimed, or repeats a position.
fn check_line<R: Notation>(game: &R, p: &R::Position, line: &[R::Move], value: i16) {
    let mut p = *p;
    let mut seen = vec![p];
    for &m in line {
        let mut list = MoveList::new();
        game.moves(&p, &mut list);
        assert!(list.iter().any(|o| o == m), "{}: illegal move in the line", game.name());
        p = game.play(&p, m);
        if seen.contains(&p) {
            assert!(R::CYCLIC);
            return;
        }
        seen.push(p);
    }
    match game.outcome(&p) {
        Some(end) => assert_eq!(end, value, "{}: the line ends otherwise", game.name()),
        None => assert!(R::CYCLIC, "{}: the line ends early", game.name()),
    }
}

/// Rows that others are for.
const ELSEWHERE: [(&str, &str); 3] = [
    ("awari", "alpha-beta cannot search where values depend on the line; proofnumber.rs, lines.rs"),
    (
        "go",
        "boards must not be repeated, so minimax needs the line: search/tests/superko.rs, lines.rs",
    ),
    ("graph", "graphs.rs has random ones of each kind, and lines.rs those of boards.txt"),
];

#[test]
fn every_game() {
    let boards = boards::of_every_game(&ELSEWHERE);
    boards::each(&boards, |board, number| {
        let positions = boards::share(&boards, board, rounds(10_000));
        let compare = Compare { positions, seed: 7 + number };
        zermelo_games::open(board, compare).unwrap_or_else(|e| panic!("{e}"));
    });
}
