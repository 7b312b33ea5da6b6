//! What can be said of a misere game without search, and in which order moves are tried.
//!
//! Who cannot move wins, so the players race to use up their own moves. Two counts bound the race,
//! both taken on runs: maximal rows of free cells in the direction of a player's dominoes.
//!
//! - **At least** so many moves a player has to make before it is stuck. A cell without a free
//!   neighbour across is *its own*: the opponent can never cover it. As long as two neighbours of its
//!   own cells are free the player can move. In a segment of k own cells no two neighbours are free
//!   only once (k - 1) / 3 dominoes (rounded up) touch it: each covers at most two cells and leaves
//!   one between it and the next. No domino touches two segments, for there is a cell between them.
//! - **At most** so many moves a player makes if it wishes: (n - 1) / 3, rounded up, in every run
//!   of n cells, whoever else can play there. It leaves the first cell of a run and covers the next
//!   two (of a run of two, both), which makes n into n - 3 and lowers the sum by one. The other's
//!   dominoes take one cell from a run and leave parts of a and b cells with a + b = n - 1, and
//!   floor((a + 1) / 3) + floor((b + 1) / 3) <= floor((n + 1) / 3), which is the same number: they
//!   never raise the sum. Where it is zero no run has two cells, and the player is stuck.
//!
//! A player that is to move wins if its *most* is no larger than the other's *least*: if it is not
//! stuck after k moves of each side then k is less than the *most*, so the other, with k moves
//! made, has not reached its *least* and is not stuck at its turn either. If the other is to
//! move, the *most* has to be smaller than the *least*.

use super::loose::alike;
use super::{Domineering, Domino, Position, Way, pairs};
use zermelo_game::{Bits, Bounds, Grid, Key, MoveList, Rules, Value};

/// How many cells of the runs of `free` stand at the distances 1, 1 + step, ... from the run's start.
#[inline(always)]
fn count_at<B: Bits>(grid: &Grid<B>, free: B, step: u32) -> i32 {
    let mut here = grid.east(free & !grid.east(free)) & free;
    let mut count = 0;
    while !here.is_empty() {
        count += here.count();
        for _ in 0..step {
            here = grid.east(here) & free;
        }
    }
    count as i32
}

/// The least and the most moves of the one whose dominoes lie along the rows of this board.
#[inline(always)]
fn race<B: Bits>(grid: &Grid<B>, free: B) -> (i32, i32) {
    let across = free & grid.south(free);
    let shared = across | grid.north(across);
    let least = count_at(grid, free & !shared, 3);
    (least, count_at(grid, free, 3))
}

/// The boards on which the dominoes of the player to move, and of the other, lie along rows.
#[inline(always)]
fn lying<'g, B: Bits, K: Key>(
    rules: &'g Domineering<B, K>,
    p: &Position<B>,
) -> [(&'g Grid<B>, B); 2] {
    let (flat, upright) = ((&rules.grid, p.rows), (&rules.turned, p.cols));
    match rules.way(p.turn) {
        Way::Upright => [upright, flat],
        Way::Flat => [flat, upright],
    }
}

/// The value for the player to move, if the race is decided.
#[inline(always)]
fn raced<B: Bits, K: Key>(rules: &Domineering<B, K>, p: &Position<B>) -> Option<Value> {
    let [me, you] = lying(rules, p);
    let (my_least, my_most) = race(me.0, me.1);
    let (your_least, your_most) = race(you.0, you.1);
    if my_most <= your_least {
        Some(1)
    } else if your_most < my_least {
        Some(-1)
    } else {
        None
    }
}

/// Static bounds: a race that is decided.
pub(super) fn static_bounds<B: Bits, K: Key>(rules: &Domineering<B, K>, p: &Position<B>) -> Bounds {
    raced(rules, p).map_or(rules.values(), |value| Bounds::exact(value * p.turn.sign()))
}

/// A move that keeps a race that is won: the one that leaves oneself the fewest moves, then the other.
pub(super) fn proving_move<B: Bits, K: Key>(
    rules: &Domineering<B, K>,
    p: &Position<B>,
) -> Option<Domino> {
    if raced(rules, p) != Some(1) {
        return None;
    }
    let way = rules.way(p.turn);
    let count = |(grid, free): (&Grid<B>, B)| pairs(grid, free).count() as i32;
    let keeps = |place: u32| {
        let m = rules.domino(place, way);
        let [you, me] = lying(rules, &rules.play(p, m));
        let my_most = race(me.0, me.1).1;
        (my_most < race(you.0, you.1).0).then(|| (64 * my_most + count(you), m))
    };
    rules.places(p, way).cells().filter_map(keeps).min().map(|(_, m)| m)
}

/// Candidate moves: those that leave the race open, and only one of those in loose runs. As in the normal game, moves that
/// take most from the other and least from oneself come first: they settle the race soonest, though its goal is
/// the opposite (ten times fewer nodes than the opposite order). The weights of one's own race were chosen on 5x6, 6x5,
/// 6x6, 5x7 and 7x5.
pub(super) fn candidate_moves<B: Bits, K: Key>(
    rules: &Domineering<B, K>,
    p: &Position<B>,
    out: &mut MoveList<Domino>,
) -> Value {
    let way = rules.way(p.turn);
    let places = rules.places(p, way);
    if places.is_empty() {
        return 1;
    }
    let [(grid, free), _] = lying(rules, p);
    for place in (places & !alike(grid, free, true)).cells() {
        let m = rules.domino(place, way);
        let next = rules.play(p, m);
        let [you, me] = lying(rules, &next);
        let (my_least, my_most) = race(me.0, me.1);
        let (your_least, your_most) = race(you.0, you.1);
        if your_most <= my_least {
            continue;
        }
        if my_most < your_least {
            out.clear();
            out.push(m);
            return 1;
        }
        let count = |(grid, free): (&Grid<B>, B)| pairs(grid, free).count() as i32;
        out.push_scored(m, count(me) - 2 * count(you) + 2 * (my_least + my_most));
    }
    -1
}
