//! The last points of a NoGo game, solved by a search of their own.
//!
//! With few open points left (points that somebody may still play) nothing counts but which of them
//! lie side by side and which are liberties of which block. All of it fits a few words: a block is
//! the set of its liberties, a byte with one bit for each open point, and the blocks of a side are
//! the bytes of one word, so that a move changes all of them at once. Immortal blocks (see
//! [`super::knowledge`]) need no bytes: it is enough to know beside which points one of them lies.

use zermelo_game::{Bits, Grid};

/// The most open points: one bit of each byte is needed to keep bytes apart.
pub const MOST: u32 = 7;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// The last open points. Sides: 0 is the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Endgame {
    /// The points that are still empty.
    points: u64,
    /// The blocks of each side that are not immortal; 0 is an unused byte.
    blocks: [u64; 2],
    /// The points where a stone of each side is immortal at once.
    safe: [u64; 2],
}

/// All bytes or-ed together.
#[inline(always)]
fn fold(x: u64) -> u64 {
    let x = x | x >> 32;
    let x = x | x >> 16;
    (x | x >> 8) & 0x7F
}

/// 0x7F in every byte that is not 0; bytes are below 0x80.
#[inline(always)]
fn used(x: u64) -> u64 {
    let high = (x + 0x7F * ONES) & HIGH;
    high - (high >> 7)
}

/// The neighbours of each point: byte `i` for point `i`.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours(u64);

impl Neighbours {
    #[inline(always)]
    fn of(self, points: u64) -> u64 {
        // Byte i keeps bit i.
        let spread = (points * ONES) & 0x0040_2010_0804_0201;
        fold(self.0 & used(spread))
    }
}

impl Endgame {
    /// The endgame of a position with at most [`MOST`] open points; `None` if it has too many blocks.
    /// `holes` are empty points on which nobody may play, blocks are given by their liberties.
    #[inline]
    pub fn new(
        grid: &Grid<u64>,
        open: u64,
        holes: u64,
        mine: impl Iterator<Item = u64>,
        yours: impl Iterator<Item = u64>,
    ) -> Option<(Endgame, Neighbours)> {
        let mut bits = [0u8; 64];
        let mut k = 0;
        for c in open.cells() {
            bits[c as usize] = 1 << k;
            k += 1;
        }
        let squeeze = |set: u64| set.cells().fold(0, |s, c| s | u64::from(bits[c as usize]));
        let mut neighbours = 0;
        for (i, c) in open.cells().enumerate() {
            neighbours |= squeeze(grid.neighbours(1 << c) & open) << (8 * i);
        }
        let beside = squeeze(grid.neighbours(holes) & open);
        // Every move may make one more block.
        let most = 8 - (k + 1) / 2;
        let [mine, yours] = [
            Endgame::side(mine, holes, open, most, squeeze)?,
            Endgame::side(yours, holes, open, most, squeeze)?,
        ];
        let endgame = Endgame {
            points: Bits::first(k),
            blocks: [mine.0, yours.0],
            safe: [mine.1 | beside, yours.1 | beside],
        };
        Some((endgame, Neighbours(neighbours)))
    }

    /// The mortal blocks of a side, and the points beside its immortal ones.
    #[inline(always)]
    fn side(
        blocks: impl Iterator<Item = u64>,
        holes: u64,
        open: u64,
        most: u32,
        squeeze: impl Fn(u64) -> u64,
    ) -> Option<(u64, u64)> {
        let (mut bytes, mut safe, mut n) = (0, 0, 0);
        for liberties in blocks {
            if liberties & holes != 0 {
                safe |= liberties & open;
            } else {
                if n == most {
                    return None;
                }
                bytes |= squeeze(liberties) << (8 * n);
                n += 1;
            }
        }
        Some((bytes, squeeze(safe)))
    }

    /// Where each side may play.
    #[inline(always)]
    fn legal(&self, near: Neighbours) -> [u64; 2] {
        let room = near.of(self.points);
        let mut atari = [0; 2];
        let mut solid = [0; 2];
        for i in 0..2 {
            let b = self.blocks[i];
            let many = used(b & ((b | HIGH) - ONES));
            atari[i] = fold(b & !many);
            solid[i] = fold(b & many);
        }
        let of = |i: usize| self.points & (room | self.safe[i] | solid[i]) & !atari[1 - i];
        [of(0), of(1)]
    }

    /// After a stone of the player to move on point `at`, a legal one; the sides change places.
    #[inline(always)]
    fn play(&self, near: Neighbours, at: u32) -> Endgame {
        let bit = 1 << at;
        let points = self.points & !bit;
        let [mine, yours] = self.blocks;
        let yours = yours & !(bit * ONES);
        let joined = used(mine & (bit * ONES));
        let liberties = (fold(mine & joined) | near.0 >> (8 * at)) & points;
        let mut mine = mine & !joined;
        let mut safe = self.safe;
        if safe[0] & bit != 0 {
            safe[0] |= liberties;
        } else {
            // The lowest unused byte.
            let free = HIGH & !(mine + 0x7F * ONES);
            mine |= liberties << (free.trailing_zeros() - 7);
        }
        Endgame { points, blocks: [yours, mine], safe: [safe[1], safe[0]] }
    }

    /// Whether the player to move wins: a point to play, if so. `first` is tried first.
    #[inline]
    pub fn winner(&self, near: Neighbours, first: u64) -> Option<u32> {
        let [me, you] = self.legal(near);
        if me == 0 {
            return None;
        }
        let (contested, own) = (me & you, me & !you);
        for set in [me & first, contested & !first, own & !first] {
            for at in set.cells() {
                let next = self.play(near, at);
                let [you, me] = next.legal(near);
                if !next.wins(near, you, me) {
                    return Some(at);
                }
            }
        }
        None
    }

    /// Whether the player to move wins, given where both may play. Points that both want first.
    fn wins(&self, near: Neighbours, me: u64, you: u64) -> bool {
        if me == 0 || you == 0 {
            return me != 0;
        }
        for set in [me & you, me & !you] {
            for at in set.cells() {
                let next = self.play(near, at);
                let [you, me] = next.legal(near);
                if !next.wins(near, you, me) {
                    return true;
                }
            }
        }
        false
    }
}
