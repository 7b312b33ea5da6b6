//! Blocks and liberties, for the games that are played with the stones of Go.
//!
//! A block is a set of stones of one colour that hang together orthogonally; its liberties are the
//! empty points beside it. Nearly all blocks of a real position have two liberties or more, and most
//! of these hold a stone that touches two empty points by itself. One flood from all such stones at
//! once settles them together; only what is left is looked at block by block.

use zermelo_game::{Bits, Grid};

/// What the rules ask of one side's blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// The stones of blocks with two liberties or more.
    pub solid: u64,
    /// The last liberties of blocks that have only one.
    pub atari: u64,
    /// The stones of blocks without a liberty.
    pub dead: u64,
}

impl Blocks {
    /// The blocks of `stones`, where `empty` are the empty points.
    #[must_use]
    #[inline]
    pub fn of(grid: &Grid<u64>, stones: u64, empty: u64) -> Blocks {
        let (n, s) = (grid.north(empty), grid.south(empty));
        let (e, w) = (grid.east(empty), grid.west(empty));
        let two = (n & s) | (e & w) | ((n | s) & (e | w));
        let mut solid = grid.flood(two & stones, stones);
        let (mut atari, mut dead) = (0, 0);
        let mut rest = stones & !solid;
        while rest != 0 {
            let block = grid.flood(rest & rest.wrapping_neg(), rest);
            rest &= !block;
            let liberties = grid.neighbours(block) & empty;
            if liberties == 0 {
                dead |= block;
            } else if liberties.without_lowest() == 0 {
                atari |= liberties;
            } else {
                solid |= block;
            }
        }
        Blocks { solid, atari, dead }
    }

    /// Looks again at one block that has gained stones or lost a liberty, but still has one.
    #[inline]
    pub fn change(&mut self, grid: &Grid<u64>, block: u64, empty: u64) {
        let liberties = grid.neighbours(block) & empty;
        if liberties.without_lowest() == 0 {
            self.solid &= !block;
            self.atari |= liberties;
        } else {
            self.solid |= block;
        }
    }

    /// The empty points on which a stone of this side would have a liberty, nothing being captured:
    /// those beside an empty point, and those beside a block that has a liberty to spare.
    #[must_use]
    #[inline]
    pub fn room(&self, grid: &Grid<u64>, empty: u64) -> u64 {
        grid.neighbours(empty | self.solid) & empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn liberties_are_counted_by_block() {
        let grid = Grid::<u64>::new(3, 4);
        // Two stones that share their one liberty b1 are two blocks in atari; the row above has
        // three; the stone in the last corner none.
        let (a1, b1, c1, d1) = (1 << 0, 1 << 1, 1 << 2, 1 << 3);
        let stones = a1 | c1 | d1;
        let empty = b1 | grid.row(2);
        let blocks = Blocks::of(&grid, stones, empty);
        assert_eq!(blocks, Blocks { solid: 0, atari: b1, dead: 0 });
        assert_eq!(blocks.room(&grid, empty), grid.row(2));
        let blocks = Blocks::of(&grid, grid.row(1), empty);
        assert_eq!(blocks, Blocks { solid: grid.row(1), atari: 0, dead: 0 });
        assert_eq!(blocks.room(&grid, empty), empty);
        assert_eq!(Blocks::of(&grid, d1, empty), Blocks { solid: 0, atari: 0, dead: d1 });
    }
}
