//! What is known of a Clobber position without search.
//!
//! A position is the sum of its groups ([`super::groups`]), so its value in the sense of Conway is
//! the sum of theirs, and replacing a part by one of equal value changes nothing: neither who wins
//! nor, since all lines of play end, anything else. Hence:
//!
//! - a group of one colour is zero, and so is any group whose value in the table is zero;
//! - two groups whose values are each other's negatives sum to zero;
//! - if every group lies between known numbers of ups (and a star), so does the sum. Ups add, and
//!   two stars cancel. `n` ups are positive for `n > 0` and zero for `n = 0`; `n` ups and a star are
//!   positive for `n > 1`, negative for `n < -1`, and a win for the player to move in between.

use super::groups::{Groups, most};
use super::{Clobber, shift};
use crate::cells::{CellNumber, CellSet, Stack};
use crate::stones::Stones;
use zermelo_game::{Bits, Bounds, DistanceFacts, Grid, Key, Knowledge, LastMover, MoveList, Value};

/// What is known of Clobber on a board: the values of small groups, and an order of moves.
#[derive(Debug)]
pub struct ClobberKnowledge<B = u64> {
    groups: Groups<B>,
}

impl<B: CellSet> ClobberKnowledge<B> {
    /// For this game. It takes some milliseconds.
    #[must_use]
    pub fn new<K: Key>(clobber: &Clobber<K, B>) -> ClobberKnowledge<B> {
        let grid = &clobber.board.grid;
        ClobberKnowledge { groups: Groups::new(grid, most(grid.cells())) }
    }
}

impl<K: Key, B: CellSet> Knowledge<Clobber<K, B>> for ClobberKnowledge<B> {
    fn distance_facts(&self, _: &Clobber<K, B>) -> DistanceFacts {
        DistanceFacts { canonical_keeps_distance: false, last_mover: LastMover::Winner }
    }

    #[inline]
    fn canonical(&self, clobber: &Clobber<K, B>, p: &Stones<B>) -> Stones<B> {
        let image = clobber.symmetry.canonical(p);
        let normal = normal(&clobber.board.grid, &self.groups, &image);
        if normal == image { image } else { clobber.symmetry.canonical(&normal) }
    }

    #[inline]
    fn static_bounds(&self, clobber: &Clobber<K, B>, p: &Stones<B>) -> Bounds {
        bounds(&clobber.board.grid, &self.groups, p)
    }

    #[inline]
    fn candidate_moves(
        &self,
        clobber: &Clobber<K, B>,
        p: &Stones<B>,
        out: &mut MoveList<B::Cell>,
    ) -> Value {
        ordered_moves(&clobber.board.grid, p, out);
        -1
    }

    /// The number of moves that have to fail; those that stand late in the order mostly take more (df-pn takes a
    /// third of the nodes).
    #[inline]
    fn leaf_numbers(
        &self,
        clobber: &Clobber<K, B>,
        p: &Stones<B>,
        place: u32,
    ) -> Option<(u32, u32)> {
        let moves = |dir| (p.me & shift(&clobber.board.grid, p.you, dir)).count();
        Some((1, (0..4).map(moves).sum::<u32>() + 2 * place))
    }

    /// Every move takes a stone, and the last one left takes nothing.
    fn plies_left(&self, _: &Clobber<K, B>, p: &Stones<B>) -> u32 {
        p.all().count().saturating_sub(1)
    }
}

/// The position without stones that can neither move nor be taken any more, without groups whose
/// value is zero, and without pairs of groups that are each other's negative.
#[inline]
fn normal<B: CellSet>(grid: &Grid<B>, groups: &Groups<B>, p: &Stones<B>) -> Stones<B> {
    let mut rest = live(grid, p);
    let mut p = p.map(|b| b & rest);
    let mut kept: B::List<(B, u16)> = B::List::default();
    while !rest.is_empty() {
        let group = grid.flood(rest.lowest_alone(), rest);
        rest &= !group;
        if group.count() > groups.most {
            continue;
        }
        let value = groups.value(grid, p.me & group, p.you & group);
        let negative = groups.facts(value).negative;
        if value == 0 {
            p = p.map(|b| b & !group);
        } else if let Some(i) = kept.iter().position(|k| k.1 == negative) {
            let gone = group | kept.swap_remove(i).0;
            p = p.map(|b| b & !gone);
        } else {
            kept.push((group, value));
        }
    }
    p
}

/// The stones of groups that hold both colours.
#[inline]
fn live<B: Bits>(grid: &Grid<B>, p: &Stones<B>) -> B {
    let facing = (grid.neighbours(p.me) & p.you) | (grid.neighbours(p.you) & p.me);
    grid.flood(facing, p.all())
}

/// Bounds by the sum of the groups' facts, where all of them are in the table. One group alone is
/// decided by its value.
#[inline]
fn bounds<B: CellSet>(grid: &Grid<B>, groups: &Groups<B>, p: &Stones<B>) -> Bounds {
    let open = Bounds::new(-1, 1);
    let mut rest = p.all();
    // An odd number of stars is out of reach before the first group.
    let (mut low, mut high) = ([0i32, -1000], [0i32, 1000]);
    let (mut count, mut wins) = (0, false);
    while !rest.is_empty() {
        let group = grid.flood(rest.lowest_alone(), rest);
        rest &= !group;
        let (me, you) = (p.me & group, p.you & group);
        if me.is_empty() || you.is_empty() {
            continue;
        }
        if group.count() > groups.most {
            return open;
        }
        let facts = groups.facts(groups.value(grid, me, you));
        let (l, h) = (facts.at_least.map(i32::from), facts.at_most.map(i32::from));
        low = [(low[0] + l[0]).max(low[1] + l[1]), (low[0] + l[1]).max(low[1] + l[0])];
        high = [(high[0] + h[0]).min(high[1] + h[1]), (high[0] + h[1]).min(high[1] + h[0])];
        (count, wins) = (count + 1, facts.wins);
    }
    if low[0] >= 1 || low[1] >= -1 || (count == 1 && wins) {
        Bounds::exact(p.turn.sign())
    } else if high[0] <= 0 || high[1] <= -2 || count == 1 {
        Bounds::exact(-p.turn.sign())
    } else {
        open
    }
}

/// All moves. First those that leave many opposing stones behind without a neighbour, land among own
/// stones and in the middle, and leave few pairs to fight over: numbers found by trying, on boards
/// of 16 to 21 cells.
#[inline]
fn ordered_moves<B: CellSet>(grid: &Grid<B>, p: &Stones<B>, out: &mut MoveList<B::Cell>) {
    let n = |set: B| set.count() as i32;
    for (dir, back) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
        for c in (p.me & shift(grid, p.you, back)).cells() {
            let from = B::cell(c);
            let to = shift(grid, from, dir);
            let (left, reached) = (grid.neighbours(from), grid.neighbours(to));
            let next = Stones { me: p.me ^ from ^ to, you: p.you ^ to, turn: p.turn };
            let targets = grid.neighbours(next.me) & next.you;
            let score = 26 * n(left & p.you)
                + 18 * n(reached & p.me)
                + 5 * n(reached & p.you)
                + 8 * n(reached)
                - 10 * n(targets)
                - 3 * n(live(grid, &next));
            out.push_scored(B::Cell::of(4 * c + dir), score);
        }
    }
}
