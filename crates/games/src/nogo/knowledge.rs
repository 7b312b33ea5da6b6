//! What is known of a NoGo position without search, and in which order moves are tried.
//!
//! All moves of a node are looked at: where both sides may play afterwards follows from the liberties
//! before, and tells whether so few points are left that the game is decided
//! ([`endgame`]).
//!
//! **Order.** What counts is how many points only I may play, how many only the opponent, and how
//! many both: each of mine is a move in hand. Away from the edge, not beside own stones but
//! diagonally from them, is where such points come from. The numbers come from two steps: a
//! logistic regression of won moves against lost ones, on some thousand positions of 20 to 25 points
//! of which half are still empty, and then coordinate descent on nodes, on the boards of 18 to 21
//! points (3x6, 4x5 and 3x7, both ways round) and on two positions of 5x5 with five stones.

use super::endgame::{self, Endgame};
use super::view::View;
use crate::stones::Stones;
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Grid, MoveList, Value};

/// Numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The points diagonally beside each point.
    diagonal: [u64; 64],
    /// What each point is worth by its place.
    place: [i32; 64],
}

impl Weights {
    /// The numbers for a board of this shape.
    #[must_use]
    pub fn new(grid: &Grid<u64>) -> Weights {
        let (mut diagonal, mut place) = ([0; 64], [0; 64]);
        for c in grid.full().cells() {
            let (above, below) = (grid.north(1 << c), grid.south(1 << c));
            diagonal[c as usize] = grid.east(above | below) | grid.west(above | below);
            place[c as usize] = match grid.neighbours(1 << c).count() {
                0..=2 => -36,
                3 => -10,
                _ => 0,
            };
        }
        Weights { diagonal, place }
    }
}

/// Bounds without search: the end of the game, and the last few points.
#[inline]
pub fn bounds(grid: &Grid<u64>, p: &Stones) -> Bounds {
    let view = View::of(grid, p);
    if view.legal[0] == 0 {
        return Bounds::exact(-p.turn.sign());
    }
    match last_points(grid, &view) {
        Some(e) if e.winner(0).is_some() => Bounds::exact(p.turn.sign()),
        Some(_) => Bounds::exact(-p.turn.sign()),
        None => Bounds::new(-1, 1),
    }
}

/// The last few points, if no more are left.
#[inline(always)]
fn last_points(grid: &Grid<u64>, view: &View) -> Option<Endgame> {
    let open = view.legal[0] | view.legal[1];
    if open.count() > endgame::MOST {
        return None;
    }
    let [mine, yours] = view.blocks.each_ref().map(|b| b.iter());
    Endgame::new(grid, open, view.empty & !open, mine, yours)
}

/// A move that wins among the last few points.
#[inline]
pub fn sure(grid: &Grid<u64>, p: &Stones) -> Option<u8> {
    let view = View::of(grid, p);
    let point = last_points(grid, &view)?.tightest()?;
    let open = view.legal[0] | view.legal[1];
    Some((0..point).fold(open, |rest, _| rest.without_lowest()).lowest() as u8)
}

/// A move that leaves few open points.
struct Late {
    cell: u32,
    score: i32,
    open: u64,
}

/// The moves that the last few points do not decide, or the win if one of those does.
#[inline]
pub fn relevant(grid: &Grid<u64>, weights: &Weights, p: &Stones, out: &mut MoveList<u8>) -> Value {
    let n = |set: u64| set.count() as i32;
    let now = View::of(grid, p);
    let touched = grid.neighbours(p.me);
    let mut late: ArrayVec<Late, 64> = ArrayVec::new();
    for cell in now.legal[0].cells() {
        let [me, you] = now.legal_after(grid, 1 << cell);
        if you == 0 {
            return won(cell, out);
        }
        let (both, mine, yours) = (n(me & you), n(me & !you), n(you & !me));
        let score = 21 * mine - 31 * yours - 8 * both
            + 7 * n(weights.diagonal[cell as usize] & p.me)
            - 27 * (touched >> cell & 1) as i32
            + weights.place[cell as usize];
        if (both + mine + yours) as u32 > endgame::MOST {
            out.push_scored(cell as u8, score);
        } else {
            late.push(Late { cell, score, open: me | you });
        }
    }
    // The best first, for one win is enough; and an answer that refutes one move is tried first
    // against the next.
    let mut answer = 0;
    while !late.is_empty() {
        let best =
            (1..late.len()).fold(0, |b, i| if late[i].score > late[b].score { i } else { b });
        let Late { cell, score, open } = late.swap_remove(best);
        match after(grid, &now, 1 << cell, open).map(|e| e.winner(rank(open, answer))) {
            Some(Some(point)) => {
                let rest = (0..point).fold(open, |rest, _| rest.without_lowest());
                answer = rest & rest.wrapping_neg();
            }
            Some(None) => return won(cell, out),
            None => out.push_scored(cell as u8, score),
        }
    }
    -1
}

#[inline]
fn won(cell: u32, out: &mut MoveList<u8>) -> Value {
    out.clear();
    out.push(cell as u8);
    1
}

/// The point of an endgame that one cell is; 0 if it is none of the open ones.
#[inline(always)]
fn rank(open: u64, cell: u64) -> u64 {
    if open & cell == 0 { 0 } else { 1 << (open & (cell - 1)).count() }
}

/// The endgame after a stone on `cell`, seen by the opponent.
#[inline(always)]
fn after(grid: &Grid<u64>, now: &View, cell: u64, open: u64) -> Option<Endgame> {
    let joined = now.blocks[0].joined(cell, grid.neighbours(cell) & now.empty);
    let mine = now.blocks[0].iter().filter(|l| l & cell == 0).chain([joined]);
    let yours = now.blocks[1].iter().map(|l| l & !cell);
    Endgame::new(grid, open, now.empty & !cell & !open, yours, mine)
}
