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

use super::groups::Groups;
use super::shift;
use crate::stones::Stones;
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Grid, MoveList, Value};

/// The position without stones that can neither move nor be taken any more, without groups whose
/// value is zero, and without pairs of groups that are each other's negative.
#[inline]
pub fn normal(grid: &Grid<u64>, groups: &Groups, p: &Stones) -> Stones {
    let mut rest = live(grid, p);
    let mut p = p.map(|b| b & rest);
    // A group has two stones at least.
    let mut kept: ArrayVec<(u64, u16), 32> = ArrayVec::new();
    while rest != 0 {
        let group = grid.flood(rest & rest.wrapping_neg(), rest);
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
fn live(grid: &Grid<u64>, p: &Stones) -> u64 {
    let facing = (grid.neighbours(p.me) & p.you) | (grid.neighbours(p.you) & p.me);
    grid.flood(facing, p.all())
}

/// Bounds by the sum of the groups' facts, where all of them are in the table. One group alone is
/// decided by its value.
#[inline]
pub fn bounds(grid: &Grid<u64>, groups: &Groups, p: &Stones) -> Bounds {
    let open = Bounds::new(-1, 1);
    let mut rest = p.all();
    // An odd number of stars is out of reach before the first group.
    let (mut low, mut high) = ([0i32, -1000], [0i32, 1000]);
    let (mut count, mut wins) = (0, false);
    while rest != 0 {
        let group = grid.flood(rest & rest.wrapping_neg(), rest);
        rest &= !group;
        let (me, you) = (p.me & group, p.you & group);
        if me == 0 || you == 0 {
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
pub fn relevant(grid: &Grid<u64>, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let n = |set: u64| set.count() as i32;
    for (dir, back) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
        for c in (p.me & shift(grid, p.you, back)).cells() {
            let from = 1u64 << c;
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
            out.push_scored(4 * c as u8 + dir, score);
        }
    }
    -1
}
