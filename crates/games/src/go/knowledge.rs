//! Stones that nobody can capture, and what they are worth.
//!
//! **Alive.** After Benson (*Life in the game of Go*, 1976), with a stronger condition: a region (of
//! points without stones of one colour that hang together) is *vital* to a block of that colour if every
//! point of it, empty or not, is beside the block. A set of blocks, each with two vital regions that are
//! bordered by blocks of the set only, is alive: its owner may pass for ever. For the opponent would
//! have to fill a region; its last empty point is a liberty of the block, and the block has another in
//! the other region, so the stone that fills it has no liberty and takes nothing: suicide.
//!
//! **Settled.** Let `S` be the alive stones and `K` a part of the rest of the board (points that hang
//! together) of which every point is beside a stone of `S`. `K` holds no stone of the owner, as that
//! would belong to `S`. The owner gets all of `K`: whenever a stone of the opponent stands in such a
//! part, put a stone on any empty point of that part (there is one: the opponent's stone has a liberty).
//! 1. The move is no suicide: it is beside `S`, which keeps a liberty in another vital region.
//! 2. `S` with the new stone is alive. If `K` was vital to a block, so is each part that is left of it,
//!    and one is left, as there was a stone of the opponent; a part without an empty point was captured
//!    and is empty now.
//! 3. What is left of `K` is beside alive stones, so this goes on until no stone of the opponent is left
//!    there; each move adds a stone that stays, so it ends.
//! 4. Superko: each of these moves makes a board with more of the owner's stones in `S` and the settled
//!    parts than all boards since the claim. It can only have stood *before*, with all of `S` and a stone
//!    in a settled part. That is the guard of the claim.
//!
//! The owner then passes, unless there is such a stone, and the game ends only when there is none.
//! With one exception: if the owner has passed just before, the opponent can end the game at once.
//! Then parts with a stone of the opponent do not count.
//!
//! **Certain**, whatever the history: the owner always passes. `S` stays, the opponent can never play
//! on a settled part of one point, and never fills a larger one.

use super::{PASS, Position, captured};
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Claim, Grid, Guard, MoveList, Player, Value};

/// Parts of a board of up to 25 points.
type Parts = ArrayVec<u64, 25>;

fn parts(grid: &Grid<u64>, mut set: u64) -> Parts {
    let mut parts = Parts::new();
    while set != 0 {
        let part = grid.flood(set & set.wrapping_neg(), set);
        parts.push(part);
        set &= !part;
    }
    parts
}

/// The alive stones among `stones`.
#[must_use]
pub fn alive(grid: &Grid<u64>, stones: u64) -> u64 {
    let beside = grid.neighbours(stones);
    let mut regions = parts(grid, grid.full() & !stones);
    let may_be_vital = |r: &&u64| **r & !beside == 0;
    if regions.iter().filter(may_be_vital).count() < 2 {
        return 0;
    }
    let mut blocks: ArrayVec<(u64, u64), 25> =
        parts(grid, stones).iter().map(|&b| (b, grid.neighbours(b))).collect();
    loop {
        let before = blocks.len();
        let mut lost = 0;
        blocks.retain(|&mut (_, beside)| {
            let keep = regions.iter().filter(|r| **r & !beside == 0).count() >= 2;
            lost |= if keep { 0 } else { beside };
            keep
        });
        if blocks.len() == before {
            return blocks.iter().fold(0, |all, (b, _)| all | b);
        }
        regions.retain(|r| *r & lost == 0);
    }
}

/// What one side has for certain.
struct Side {
    /// The alive stones.
    alive: u64,
    /// Settled parts of one point, together.
    eyes: u64,
    /// Larger settled parts.
    rooms: Parts,
}

impl Side {
    fn of(grid: &Grid<u64>, stones: u64) -> Side {
        let alive = alive(grid, stones);
        let (mut eyes, mut rooms) = (0, Parts::new());
        if alive != 0 {
            let beside = grid.neighbours(alive);
            for part in parts(grid, grid.full() & !alive) {
                match part {
                    _ if part & !beside != 0 => {}
                    _ if part.without_lowest() == 0 => eyes |= part,
                    _ => rooms.push(part),
                }
            }
        }
        Side { alive, eyes, rooms }
    }

    /// The score it has at least, whatever the history.
    fn certain(&self, cells: u32) -> Value {
        let mine = (self.alive | self.eyes).count();
        let theirs = cells - mine - self.rooms.len() as u32;
        mine as Value - theirs as Value
    }

    /// The score it has at least if it may play in its rooms that hold none of `unclean`.
    fn claim(&self, cells: u32, unclean: u64) -> Claim {
        let mut mine = self.alive | self.eyes;
        let (mut any, mut neutral) = (0, 0);
        for room in &self.rooms {
            if room & unclean == 0 {
                mine |= room;
                any |= room;
            } else {
                neutral += 1;
            }
        }
        let mine = mine.count();
        let value = mine as Value - (cells - mine - neutral) as Value;
        Claim { value, guard: Guard { all: self.alive as u32, any: any as u32 } }
    }
}

/// The score, as far as it is certain after every history.
#[must_use]
pub fn certain(grid: &Grid<u64>, p: &Position) -> Bounds {
    let score = |player| Side::of(grid, p.stones.of(player)).certain(grid.cells());
    Bounds::new(score(Player::First), -score(Player::Second))
}

/// The score that a player has at least where the history does not meet the guard.
#[must_use]
pub fn claim(grid: &Grid<u64>, p: &Position, claimant: Player) -> Claim {
    // Who is not to move after a pass has just passed.
    let may_end = p.passes == 1 && p.stones.turn != claimant;
    let unclean = if may_end { p.stones.of(claimant.other()) } else { 0 };
    Side::of(grid, p.stones.of(claimant)).claim(grid.cells(), unclean)
}

/// All moves, in an order that helps: captures and escapes, then liberties and the centre; one's own
/// eyes and passing last.
pub fn order(grid: &Grid<u64>, p: &Position, legal: u64, out: &mut MoveList<u8>) {
    let (me, you) = (p.stones.me, p.stones.you);
    for m in legal.cells() {
        let stone = 1u64 << m;
        let now = me | stone;
        let taken = captured(grid, stone, now, you);
        let empty = grid.full() & !(now | (you & !taken));
        let block = grid.flood(stone, now);
        let liberties = (grid.neighbours(block) & empty).count() as i32;
        let beside = grid.neighbours(stone);
        let mut score = liberties.min(5) + beside.count() as i32;
        if taken != 0 {
            score += 8 + 2 * taken.count() as i32;
        }
        if liberties == 1 && taken.count() <= 1 {
            score -= 8;
        }
        let mut left = beside & you & !taken;
        while left != 0 {
            let other = grid.flood(left & left.wrapping_neg(), you);
            left &= !other;
            score += match (grid.neighbours(other) & empty).count() {
                1 => 4,
                2 => 2,
                _ => 1,
            };
        }
        if beside & !me == 0 {
            score -= 20;
        }
        // Coarse, so that what the search learns decides among moves that look alike.
        out.push_scored(m as u8, score >> 2);
    }
    out.push_scored(PASS, -4);
}
