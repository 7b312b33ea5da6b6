//! What is known of a NoGo position without search, and in which order moves are tried.
//!
//! All moves of a node are looked at one by one: what each side may play afterwards is cheap to say
//! from what was known before, and tells whether the last points decide ([`super::endgame`]).

use super::endgame::{self, Endgame};
use super::view::View;
use crate::stones::Stones;
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Grid, MoveList, Value};

/// Numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct Weights {
    diagonal: [u64; 64],
    base: [i32; 64],
    w: [i32; 32],
}

impl Weights {
    /// The numbers for a board of this shape.
    #[must_use]
    pub fn new(grid: &Grid<u64>) -> Weights {
        let mut w = [0; 32];
        w[..8].copy_from_slice(&[-8, 21, -25, 3, -13, -4, -20, -26]);
        if let Ok(v) = std::env::var("W") {
            for kv in v.split(',').filter(|s| !s.is_empty()) {
                let (k, v) = kv.split_once('=').unwrap();
                w[k.parse::<usize>().unwrap()] = v.parse().unwrap();
            }
        }
        let (mut diagonal, mut base) = ([0; 64], [0; 64]);
        for c in grid.full().cells() {
            let (above, below) = (grid.north(1 << c), grid.south(1 << c));
            diagonal[c as usize] = grid.east(above | below) | grid.west(above | below);
            base[c as usize] = match grid.neighbours(1 << c).count() {
                0..=2 => w[7],
                3 => w[6],
                _ => 0,
            };
        }
        Weights { diagonal, base, w }
    }
}

/// Bounds without search: the end of the game, and the last few points.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    let view = View::of(grid, p);
    if view.legal[0] == 0 {
        return Bounds::exact(-p.turn.sign());
    }
    let open = view.legal[0] | view.legal[1];
    if open.count() > endgame::MOST {
        return Bounds::new(-1, 1);
    }
    let [mine, yours] = view.blocks.each_ref().map(|b| b.iter());
    match Endgame::new(grid, open, view.empty & !open, mine, yours) {
        Some((e, near)) if e.winner(near, 0).is_some() => Bounds::exact(p.turn.sign()),
        Some(_) => Bounds::exact(-p.turn.sign()),
        None => Bounds::new(-1, 1),
    }
}

/// The moves after which the last few points do not decide yet; the win if they do. First the moves
/// that leave the opponent few points and me many: numbers found by trying, on boards of 15 to 21
/// points.
#[inline]
pub fn relevant(grid: &Grid<u64>, weights: &Weights, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let n = |set: u64| set.count() as i32;
    let now = View::of(grid, p);
    let touched = grid.neighbours(p.me);
    let mut last: ArrayVec<(i32, u32, u64), 63> = ArrayVec::new();
    for c in now.legal[0].cells() {
        let cell = 1u64 << c;
        let [me, you] = now.legal_after(grid, cell);
        if you == 0 {
            out.clear();
            out.push(c as u8);
            return 1;
        }
        let w = &weights.w;
        let has = |set: u64| (set >> c & 1) as i32;
        let (both, mine, yours) = (n(me & you), n(me & !you), n(you & !me));
        let score = w[0] * both + w[1] * mine + w[2] * yours
            + w[3] * n(weights.diagonal[c as usize] & p.me)
            + w[4] * has(touched)
            + w[5] * has(now.legal[1])
            + weights.base[c as usize];
        if (both + mine + yours) as u32 <= endgame::MOST {
            last.push((score, c, me | you));
        } else {
            out.push_scored(c as u8, score);
        }
    }
    let mut reply = 0u64;
    while !last.is_empty() {
        let best = (0..last.len()).fold(0, |b, i| if last[i].0 > last[b].0 { i } else { b });
        let (score, c, open) = last.swap_remove(best);
        let cell = 1 << c;
        let holes = now.empty & !cell & !open;
        let mine = now.blocks[0].iter().filter(|l| l & cell == 0);
        let mine = mine.chain(std::iter::once(now.joined(grid, cell)));
        let yours = now.blocks[1].iter().map(|l| l & !cell);
        match Endgame::new(grid, open, holes, yours, mine) {
            Some((e, near)) => {
                let first = if open & reply == 0 { 0 } else { 1 << (open & reply.wrapping_sub(1)).count() };
                match e.winner(near, first) {
                    Some(at) => {
                        let before = (0..at).fold(open, |rest, _| rest.without_lowest());
                        reply = before & before.wrapping_neg();
                    }
                    None => {
                        out.clear();
                        out.push(c as u8);
                        return 1;
                    }
                }
            }
            None => out.push_scored(c as u8, score),
        }
    }
    -1
}
