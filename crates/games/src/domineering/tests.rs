//! Knowledge against plain minimax.

use super::*;
use crate::minimax_oracle::{ValueMap, agree};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use zermelo_game::{Bounds, Game, Notation, conformance};

type Board = Domineering<u64, u64>;
type Known<'g> = Game<'g, Board, DomineeringKnowledge>;

fn check<B: Bits, K: Key>(rules: &Domineering<B, K>) {
    conformance::check(rules, &DomineeringKnowledge::new(rules));
}

/// Compares knowledge with the truth, and the two orders of a canonical position with each other.
fn compare(game: Known, p: &Position<u64>, seen: &mut ValueMap<Board>) {
    agree(game, p, seen);
    let same = game.canonical(p);
    assert_eq!(game.position(same.rows, same.turn), same, "{}", game.position_text(p));
}

/// Compares on random sets of `cells` free cells.
fn random_positions(rows: u32, cols: u32, misere: bool, count: u32, cells: u32) {
    let rules = Board::new(rows, cols, Way::Upright, misere);
    let knowledge = DomineeringKnowledge::new(&rules);
    let game = Game::new(&rules, &knowledge);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(rows * 100 + cols));
    let mut seen = ValueMap::<Board>::default();
    for _ in 0..count {
        let mut free = game.grid.full();
        while free.count() > cells {
            free &= !u64::cell(rng.random_range(0..rows * cols));
        }
        for turn in [Player::First, Player::Second] {
            let p = game.position(free, turn);
            compare(game, &p, &mut seen);
        }
        if seen.len() > 2_000_000 {
            seen.clear();
        }
    }
}

#[test]
fn knowledge_is_true_on_all_small_positions() {
    for (rows, cols) in [(2, 4), (4, 2), (3, 3), (2, 5), (5, 2), (3, 4), (4, 3), (2, 7), (7, 2)] {
        for misere in [false, true] {
            let rules = Board::new(rows, cols, Way::Upright, misere);
            let knowledge = DomineeringKnowledge::new(&rules);
            let game = Game::new(&rules, &knowledge);
            let mut seen = ValueMap::<Board>::default();
            for free in 0..1u64 << (rows * cols) {
                for turn in [Player::First, Player::Second] {
                    compare(game, &game.position(free, turn), &mut seen);
                }
            }
        }
    }
}

#[test]
fn knowledge_is_true_on_random_positions() {
    let effort = if cfg!(debug_assertions) { 20 } else { 2000 };
    for misere in [false, true] {
        for (rows, cols) in
            [(4, 4), (4, 5), (5, 4), (5, 5), (6, 6), (7, 7), (8, 7), (7, 9), (6, 10)]
        {
            for cells in [12, 16, 20] {
                random_positions(rows, cols, misere, effort, cells);
            }
        }
    }
}

/// Boards that the sums decide before the first move: eight rows of nine columns are four strips of
/// two rows, in each of which the owner of upright dominoes wins when the other moves.
#[test]
fn some_boards_are_decided_at_once() {
    for (rows, cols, first, value) in [
        (8, 9, Way::Flat, -1),
        (8, 9, Way::Upright, 1),
        (9, 8, Way::Upright, -1),
        (9, 8, Way::Flat, 1),
    ] {
        let rules = Domineering::<u128, u128>::new(rows, cols, first, false);
        let knowledge = DomineeringKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        assert_eq!(game.static_bounds(&game.start()), Bounds::exact(value), "{}", game.name());
    }
}

/// Who wins square boards: N, the one to start, or P, the other (Breuker, Uiterwijk and van den
/// Herik, "Solving 8x8 Domineering", 2000).
#[test]
fn squares_have_their_known_winners() {
    let mut seen = HashMap::new();
    for (size, value) in [(1, -1), (2, 1), (3, 1), (4, 1), (5, -1)] {
        for first in [Way::Upright, Way::Flat] {
            seen.clear();
            let rules = Board::new(size, size, first, false);
            let knowledge = DomineeringKnowledge::new(&rules);
            let game = Game::new(&rules, &knowledge);
            let found = pruned(game, &game.canonical(&game.start()), &mut seen);
            assert_eq!(found, value, "{}", game.name());
        }
    }
}

/// The value by candidate moves alone.
fn pruned(game: Known, p: &Position<u64>, seen: &mut HashMap<u64, Value>) -> Value {
    if let Some(&value) = seen.get(&game.key(p)) {
        return value;
    }
    let mut list = MoveList::new();
    let floor = game.candidate_moves(p, &mut list);
    let sign = p.turn.sign();
    let next = |m| pruned(game, &game.canonical(&game.play(p, m)), seen) * sign;
    let best = if floor > 0 { floor } else { list.iter().map(next).fold(floor, Value::max) };
    seen.insert(game.key(p), best * sign);
    best * sign
}

#[test]
fn conforms() {
    for (rows, cols) in [(1, 1), (1, 5), (5, 1), (2, 3), (3, 3), (4, 4), (4, 5), (5, 4)] {
        for first in [Way::Upright, Way::Flat] {
            for misere in [false, true] {
                check(&Domineering::<u64, u64>::new(rows, cols, first, misere));
            }
        }
    }
    check(&Domineering::<u64, u128>::new(8, 8, Way::Upright, false));
    check(&Domineering::<u128, u128>::new(8, 9, Way::Flat, false));
    check(&Domineering::<u128, u128>::new(9, 9, Way::Flat, true));
    check(&Domineering::<u128, u128>::new(1, 127, Way::Flat, false));
    check(&Domineering::<u128, u128>::new(3, 40, Way::Upright, false));
}

#[test]
fn moves_are_named_by_their_cells() {
    let game = Domineering::<u64, u64>::new(2, 3, Way::Upright, false);
    let texts = |text: &str| {
        let p = game.parse_position(text).unwrap();
        let mut list = MoveList::new();
        game.moves(&p, &mut list);
        list.iter().map(|m| game.move_text(&p, m)).collect::<Vec<_>>()
    };
    assert_eq!(texts(".../... first"), ["a1-a2", "b1-b2", "c1-c2"]);
    assert_eq!(texts(".../... second"), ["a1-b1", "b1-c1", "a2-b2", "b2-c2"]);
    assert_eq!(texts(".#./... first"), ["a1-a2", "c1-c2"]);
}

#[test]
fn cells_out_of_reach_are_struck_out() {
    let game = Domineering::<u64, u64>::new(3, 3, Way::Upright, false);
    let p = game.parse_position(".#./#../.## first").unwrap();
    assert_eq!(game.position_text(&p), "##./#../### first");
    let q = game.play(&p, game.parse_move(&p, "c2-c3").unwrap());
    assert_eq!(game.position_text(&q), "###/###/### second");
    assert_eq!(game.outcome(&q), Some(1));
    let misere = Domineering::<u64, u64>::new(3, 3, Way::Upright, true);
    assert_eq!(misere.outcome(&q), Some(-1));
}

#[test]
fn errors_show_the_place() {
    let game = Domineering::<u64, u64>::new(2, 2, Way::Upright, false);
    for (text, column) in [("..", 3), ("..x", 3), ("x./.. first", 1), ("../.. third", 7)] {
        assert_eq!(game.parse_position(text).unwrap_err().column(), column, "{text}");
    }
    let error = game.parse_move(&game.start(), "a1-b1").unwrap_err();
    assert_eq!(error.column(), 1);
    assert!(error.reason.unwrap().contains("the first player stands dominoes upright"));
}
