//! What is known of a Clobber position without search.

use super::groups::Groups;
use crate::stones::Stones;
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Grid, MoveList, Value};

/// The position without the stones that can neither move nor be taken any more, without groups whose
/// value is zero, and without pairs of groups that are each other's negative.
#[inline]
pub fn normal(grid: &Grid<u64>, groups: &Groups, p: &Stones) -> Stones {
    let seeds = (grid.neighbours(p.me) & p.you) | (grid.neighbours(p.you) & p.me);
    let live = grid.flood(seeds, p.all());
    let mut p = p.map(|b| b & live);
    let mut rest = live;
    let mut kept: ArrayVec<(u64, u16), 32> = ArrayVec::new();
    while rest != 0 {
        let group = grid.flood(rest & rest.wrapping_neg(), rest);
        rest &= !group;
        if group.count() <= groups.most {
            let value = groups.value(grid, p.me & group, p.you & group);
            if value == 0 {
                p = p.map(|b| b & !group);
            } else if let Some(i) = kept.iter().position(|k| k.1 == groups.facts(value).negative) {
                let gone = group | kept.swap_remove(i).0;
                p = p.map(|b| b & !gone);
            } else {
                kept.push((group, value));
            }
        }
    }
    p
}

/// Bounds by the sum of the groups' facts, where all of them are in the table.
#[inline]
pub fn bounds(grid: &Grid<u64>, groups: &Groups, p: &Stones) -> Bounds {
    let open = Bounds::new(-1, 1);
    let mut rest = p.all();
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

/// All moves, ordered.
#[inline]
pub fn relevant(grid: &Grid<u64>, p: &Stones, out: &mut MoveList<u8>) -> Value {
    static W: std::sync::LazyLock<Vec<i32>> = std::sync::LazyLock::new(|| {
        std::env::var("W").map_or(vec![0, 0, 0, 0, 0, 0, 0,0,0], |s| s.split(',').map(|x| x.parse().unwrap()).collect())
    });
    let w = &*W;
    let n = |b: u64| b.count() as i32;
    for (dir, back) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
        let from = p.me & super::shift(grid, p.you, back);
        for c in from.cells() {
            let f = 1u64 << c;
            let t = super::shift(grid, f, dir);
            let (nf, nt) = (grid.neighbours(f), grid.neighbours(t));
            let (me, you) = (p.me & !f | t, p.you & !t);
            let mut score = w[0] * n(nf & p.me) + w[1] * n(nf & p.you) + w[2] * n(nt & p.me) + w[3] * n(nt & p.you) + w[4] * n(nf) + w[5] * n(nt);
            let pm = grid.neighbours(you) & me;
            let py = grid.neighbours(me) & you;
            score += w[6] * n(pm) + w[7] * n(py);
            score += w[8] * n(grid.flood(pm | py, me | you));
            out.push_scored(4 * c as u8 + dir, score);
        }
    }
    -1
}
