//! The board of sowing games: pits in a ring, two stores, and their numbers.
//!
//! A ring with a given number of seeds is a composition of that number. Compositions are ranked without gaps by the bars between the
//! parts, in the combinatorial number system. The same numbers serve as keys, where the stores are two more
//! parts and all seeds are counted, and as places of a database, where only the seeds in play count.

use super::{MAX_PITS, MAX_SEEDS};
use zermelo_game::{Player, Value};

/// The pits of both players, their stores and whose turn it is, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ring {
    /// The own pits in the order of sowing, then those of the opponent; the rest is 0.
    pub pits: [u8; 2 * MAX_PITS],
    /// The seeds won by the player to move and by the other.
    pub stores: [u8; 2],
    /// The player to move.
    pub turn: Player,
    /// Whether the player to move has to pass, as the other one has another move.
    pub waits: bool,
}

impl Ring {
    /// What the player to move has won so far, less what the other has.
    #[must_use]
    #[inline(always)]
    pub fn ahead(&self) -> Value {
        Value::from(self.stores[0]) - Value::from(self.stores[1])
    }
}

/// How many ways there are to choose `k` of `n`, up to what the largest ring needs.
static CHOOSE: [[u64; PARTS]; 110] = {
    let mut table = [[0; PARTS]; 110];
    let mut n = 0;
    while n < 110 {
        table[n][0] = 1;
        let mut k = 1;
        while k < PARTS {
            table[n][k] = if n == 0 { 0 } else { table[n - 1][k - 1] + table[n - 1][k] };
            k += 1;
        }
        n += 1;
    }
    table
};

/// The most parts of a composition: all pits and both stores.
const PARTS: usize = 2 * MAX_PITS + 2;

/// How many ways there are to put so many seeds into so many parts.
#[must_use]
pub fn compositions(seeds: u32, parts: usize) -> u64 {
    CHOOSE[seeds as usize + parts - 1][parts - 1]
}

/// The number of a composition, whose last part may be left out.
#[inline]
fn rank(parts: impl Iterator<Item = u8>) -> u64 {
    let (mut bar, mut rank) = (0, 0);
    for (j, part) in parts.enumerate() {
        bar += usize::from(part);
        rank += CHOOSE[bar + j][j + 1];
    }
    rank
}

/// The shape of a board and how many seeds there are in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// Pits a side.
    pub pits: usize,
    /// All seeds.
    pub seeds: u32,
}

impl Board {
    /// A board with so many pits a side and so many seeds in each.
    ///
    /// # Panics
    /// If that is more than [`MAX_PITS`] or [`MAX_SEEDS`]. Registries check sizes before.
    #[must_use]
    pub fn new(pits: u32, seeds: u32) -> Board {
        assert!((1..=MAX_PITS as u32).contains(&pits) && (1..=MAX_SEEDS).contains(&seeds));
        Board { pits: pits as usize, seeds: 2 * pits * seeds }
    }

    /// How many seeds are in each pit at the start.
    #[must_use]
    pub fn seeds_a_pit(&self) -> usize {
        self.seeds as usize / (2 * self.pits)
    }

    /// The same number of seeds in every pit.
    #[must_use]
    pub fn start(&self) -> Ring {
        let mut pits = [0; 2 * MAX_PITS];
        pits[..2 * self.pits].fill(self.seeds_a_pit() as u8);
        Ring { pits, stores: [0; 2], turn: Player::First, waits: false }
    }

    /// The seeds in the pits of the player to move, and in those of the other.
    #[must_use]
    #[inline]
    pub fn sides(&self, p: &Ring) -> [u32; 2] {
        let sum = |pits: &[u8]| pits.iter().map(|n| u32::from(*n)).sum();
        [sum(&p.pits[..self.pits]), sum(&p.pits[self.pits..2 * self.pits])]
    }

    /// The same board seen by the other player, who is to move.
    #[must_use]
    #[inline]
    pub fn swapped(&self, p: &Ring) -> Ring {
        let mut pits = p.pits;
        pits[..2 * self.pits].rotate_left(self.pits);
        Ring { pits, stores: [p.stores[1], p.stores[0]], turn: p.turn.other(), waits: false }
    }

    /// An injective key.
    #[must_use]
    #[inline]
    pub fn key(&self, p: &Ring) -> u64 {
        let parts = p.pits[..2 * self.pits].iter().copied().chain([p.stores[0]]);
        rank(parts) << 2 | (p.turn.index() as u64) << 1 | u64::from(p.waits)
    }

    /// Keys are below 2 to this power.
    #[must_use]
    pub fn key_bits(&self) -> u32 {
        66 - compositions(self.seeds, 2 * self.pits + 2).leading_zeros()
    }

    /// How many ways there are to put so many seeds into the pits.
    #[must_use]
    pub fn places(&self, seeds: u32) -> u64 {
        compositions(seeds, 2 * self.pits)
    }

    /// The number of the pits among those with as many seeds.
    #[must_use]
    #[inline]
    pub fn place(&self, p: &Ring) -> u64 {
        rank(p.pits[..2 * self.pits - 1].iter().copied())
    }

    /// The pits with a number, so many seeds among them, the first player to move. The seeds that are gone are shared, an odd
    /// one goes to the player to move.
    #[must_use]
    pub fn at(&self, seeds: u32, mut place: u64) -> Ring {
        let mut pits = [0; 2 * MAX_PITS];
        let last = 2 * self.pits - 1;
        let mut above = seeds as usize + last;
        for j in (0..last).rev() {
            let mut bar = above - 1;
            while CHOOSE[bar][j + 1] > place {
                bar -= 1;
            }
            place -= CHOOSE[bar][j + 1];
            pits[j + 1] = (above - bar - 1) as u8;
            above = bar;
        }
        pits[0] = above as u8;
        let gone = self.seeds - seeds;
        let stores = [gone.div_ceil(2) as u8, (gone / 2) as u8];
        Ring { pits, stores, turn: Player::First, waits: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_gaps() {
        for (pits, most) in [(1, 9), (2, 7), (3, 5), (6, 3)] {
            let board = Board::new(pits, MAX_SEEDS);
            for seeds in 0..=most {
                for place in 0..board.places(seeds) {
                    let p = board.at(seeds, place);
                    assert_eq!(board.sides(&p).iter().sum::<u32>(), seeds);
                    assert_eq!(board.place(&p), place);
                    let back = board.parse(&board.text(&p), false);
                    assert_eq!(back, Ok(p));
                }
            }
        }
        let full = Board::new(6, 4);
        assert_eq!(full.places(48), 279_871_768_995);
        assert!(Board::new(6, 8).key_bits() <= 64);
    }
}
