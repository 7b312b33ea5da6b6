//! Stones that nobody can capture, and what they are worth.
//!
//! **Alive.** After Benson (*Life in the game of Go*, 1976), with a stronger condition: a region (of
//! connected points without stones of one colour) is *vital* to a block of that colour if every
//! point of it, empty or not, is beside the block. A set of blocks, each with two vital regions that are
//! bordered by blocks of the set only, is alive: its owner may pass for ever. For the opponent would
//! have to fill a region; its last empty point is a liberty of the block, and the block has another in
//! the other region, so the stone that fills it has no liberty and takes nothing: suicide.
//!
//! **Settled.** Let `S` be the alive stones and `K` a part of the rest of the board (connected
//! points) of which every point is beside a stone of `S`. `K` holds no stone of the owner, as that
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

use super::{Go, Position, captured};
use crate::cells::{CellNumber, CellSet, Stack};
use zermelo_game::{
    Bits, Bounds, Grid, Guard, GuardedClaim, Key, Knowledge, MoveList, Player, Rules, Superko,
    SuperkoKnowledge, Value,
};

/// What is known of Go: alive stones and settled parts, canonical positions and an order of moves.
#[derive(Clone, Copy, Default, Debug)]
pub struct GoKnowledge;

impl<K: Key + Bits, B: CellSet> Knowledge<Go<K, B>> for GoKnowledge {
    fn canonical(&self, go: &Go<K, B>, p: &Position<B>) -> Position<B> {
        self.canonical_with_transform(go, p).0
    }

    fn static_bounds(&self, go: &Go<K, B>, p: &Position<B>) -> Bounds {
        match go.outcome(p) {
            Some(value) => Bounds::exact(value),
            None => {
                let score = certain(go.grid(), p);
                Bounds { lo: go.worth(score.lo), hi: go.worth(score.hi) }
            }
        }
    }

    fn candidate_moves(
        &self,
        go: &Go<K, B>,
        p: &Position<B>,
        out: &mut MoveList<B::Cell>,
    ) -> Value {
        order(go.grid(), p, go.legal(p), out);
        go.values().seen_by(p.stones.turn).lo
    }
}

impl<K: Key + Bits, B: CellSet> SuperkoKnowledge<Go<K, B>> for GoKnowledge {
    fn claim(&self, go: &Go<K, B>, p: &Position<B>, claimant: Player) -> GuardedClaim<K> {
        let sign = claimant.sign();
        match go.outcome(p) {
            Some(value) => GuardedClaim { value: value * sign, guard: Guard::NONE },
            None => {
                let GuardedClaim { value, guard: Guard { all, any } } =
                    claim(go.grid(), p, claimant);
                let guard = Guard { all: all.cast(), any: any.cast() };
                GuardedClaim { value: go.worth(value * sign) * sign, guard }
            }
        }
    }

    #[inline]
    fn canonical_with_transform(&self, go: &Go<K, B>, p: &Position<B>) -> (Position<B>, u8) {
        let (_, mut which) = go.symmetry.smallest(go.board(p));
        if p.ko != Position::<B>::NO_KO {
            // The board may have symmetries of its own that move the ko.
            let images = 0..go.symmetry.count();
            which = images
                .min_by_key(|&i| {
                    let image = go.symmetry.image(i, go.board(p));
                    (image, go.symmetry.image(i, p.ko_set().cast()))
                })
                .unwrap_or(which);
        }
        (go.image(p, which), which)
    }

    #[inline]
    fn canonical_board(&self, go: &Go<K, B>, board: K) -> K {
        go.symmetry.smallest(board).0
    }

    #[inline]
    fn map_board(&self, go: &Go<K, B>, board: K, symmetry: u8, inverse: bool) -> K {
        if inverse {
            go.symmetry.preimage(symmetry, board)
        } else {
            go.symmetry.image(symmetry, board)
        }
    }
}

/// The connected parts of a set.
#[inline(always)]
fn parts<B: Bits>(grid: &Grid<B>, mut set: B) -> impl Iterator<Item = B> {
    std::iter::from_fn(move || {
        let seed = set.lowest_alone();
        (!seed.is_empty()).then(|| {
            let part = grid.flood(seed, set);
            set &= !part;
            part
        })
    })
}

/// The alive stones among `stones`.
#[must_use]
pub fn alive<B: CellSet>(grid: &Grid<B>, stones: B) -> B {
    let beside = grid.neighbours(stones);
    let (mut regions, mut may_be_vital) = (B::List::default(), 0);
    for region in parts(grid, grid.full() & !stones) {
        regions.push(region);
        may_be_vital += u32::from((region & !beside).is_empty());
    }
    if may_be_vital < 2 {
        return B::EMPTY;
    }
    let mut blocks = B::List::default();
    parts(grid, stones).for_each(|block| blocks.push((block, grid.neighbours(block))));
    loop {
        let before = blocks.len();
        let mut lost = B::EMPTY;
        blocks.retain(|&mut (_, beside)| {
            let keep = regions.iter().filter(|&&r| (r & !beside).is_empty()).count() >= 2;
            lost |= if keep { B::EMPTY } else { beside };
            keep
        });
        if blocks.len() == before {
            return blocks.iter().fold(B::EMPTY, |all, &(b, _)| all | b);
        }
        regions.retain(|r| (*r & lost).is_empty());
    }
}

/// What one side has for certain.
struct Side<B: CellSet> {
    /// The alive stones.
    alive: B,
    /// Settled parts of one point, together.
    eyes: B,
    /// Larger settled parts.
    rooms: B::List<B>,
}

impl<B: CellSet> Side<B> {
    fn of(grid: &Grid<B>, stones: B) -> Side<B> {
        let alive = alive(grid, stones);
        let (mut eyes, mut rooms) = (B::EMPTY, B::List::default());
        if !alive.is_empty() {
            let beside = grid.neighbours(alive);
            for part in parts(grid, grid.full() & !alive) {
                match part {
                    _ if !(part & !beside).is_empty() => {}
                    _ if part.without_lowest().is_empty() => eyes |= part,
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
    fn claim(&self, cells: u32, unclean: B) -> GuardedClaim<B> {
        let mut mine = self.alive | self.eyes;
        let (mut any, mut neutral) = (B::EMPTY, 0);
        for &room in self.rooms.iter() {
            if (room & unclean).is_empty() {
                mine |= room;
                any |= room;
            } else {
                neutral += 1;
            }
        }
        let mine = mine.count();
        let value = mine as Value - (cells - mine - neutral) as Value;
        GuardedClaim { value, guard: Guard { all: self.alive, any } }
    }
}

/// The score, as far as it is certain after every history.
#[must_use]
pub fn certain<B: CellSet>(grid: &Grid<B>, p: &Position<B>) -> Bounds {
    let score = |player| Side::of(grid, p.stones.of(player)).certain(grid.cells());
    Bounds::new(score(Player::First), -score(Player::Second))
}

/// The score that a player has at least where the history does not meet the guard.
#[must_use]
pub fn claim<B: CellSet>(grid: &Grid<B>, p: &Position<B>, claimant: Player) -> GuardedClaim<B> {
    // Who is not to move after a pass has just passed.
    let may_end = p.passes == 1 && p.stones.turn != claimant;
    let unclean = if may_end { p.stones.of(claimant.other()) } else { B::EMPTY };
    Side::of(grid, p.stones.of(claimant)).claim(grid.cells(), unclean)
}

/// All moves, in an order that helps: captures and escapes, then liberties and the centre; one's own
/// eyes and passing last.
pub fn order<B: CellSet>(grid: &Grid<B>, p: &Position<B>, legal: B, out: &mut MoveList<B::Cell>) {
    let (me, you) = (p.stones.me, p.stones.you);
    for m in legal.cells() {
        let stone = B::cell(m);
        let now = me | stone;
        let taken = captured(grid, stone, now, you);
        let empty = grid.full() & !(now | (you & !taken));
        let block = grid.flood(stone, now);
        let liberties = (grid.neighbours(block) & empty).count() as i32;
        let beside = grid.neighbours(stone);
        let mut score = liberties.min(5) + beside.count() as i32;
        if !taken.is_empty() {
            score += 8 + 2 * taken.count() as i32;
        }
        if liberties == 1 && taken.count() <= 1 {
            score -= 8;
        }
        let mut left = beside & you & !taken;
        while !left.is_empty() {
            let other = grid.flood(left.lowest_alone(), you);
            left &= !other;
            score += match (grid.neighbours(other) & empty).count() {
                1 => 4,
                2 => 2,
                _ => 1,
            };
        }
        if (beside & !me).is_empty() {
            score -= 20;
        }
        // Coarse, so that what the search learns decides among moves that look alike.
        out.push_scored(B::Cell::of(m), score >> 2);
    }
    out.push_scored(B::Cell::MAX, -4);
}
