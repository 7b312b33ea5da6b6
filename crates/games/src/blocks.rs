//! Blocks and liberties, for the games that are played with the stones of Go.
//!
//! A block is a set of stones of one colour that are connected orthogonally; its liberties are the
//! empty points beside it. Nothing else about a block matters to the rules, so it is kept as the set
//! of its liberties. What a move does is then said without looking at stones: the new one joins
//! the blocks that have its point for a liberty, and the opponent's lose it.

use crate::cells::{CellSet, Stack};
use zermelo_game::{Bits, Grid};

/// The blocks of one side, each as the set of its liberties.
#[derive(Clone, Debug)]
pub struct Blocks<B: CellSet>(B::List<B>);

impl<B: CellSet> Blocks<B> {
    /// The blocks of `stones`, where `empty` are the empty points.
    #[must_use]
    #[inline(always)]
    pub fn of(grid: &Grid<B>, stones: B, empty: B) -> Blocks<B> {
        let mut blocks = B::List::default();
        let mut rest = stones;
        while !rest.is_empty() {
            let block = grid.flood(rest.lowest_alone(), rest);
            rest &= !block;
            blocks.push(grid.neighbours(block) & empty);
        }
        Blocks(blocks)
    }

    /// The liberties of each block.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = B> {
        self.0.iter().copied()
    }

    /// Whether a block has no liberty.
    #[must_use]
    #[inline(always)]
    pub fn captured(&self) -> bool {
        self.0.contains(&B::EMPTY)
    }

    /// The liberties of all blocks, sorted.
    #[must_use]
    #[inline(always)]
    pub fn liberties(&self) -> Liberties<B> {
        let mut liberties = Liberties::NONE;
        self.iter().for_each(|l| liberties.add(l));
        liberties
    }

    /// The liberties of the block that a stone on `cell` makes, `beside` being the empty points
    /// beside it.
    #[must_use]
    #[inline(always)]
    pub fn joined(&self, cell: B, beside: B) -> B {
        self.iter().fold(beside, |all, l| all | (l & (l & cell).all_if_any())) & !cell
    }
}

/// The liberties of one side's blocks together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Liberties<B> {
    /// The last liberties of blocks that have only one.
    pub last: B,
    /// The liberties of blocks that have more: a stone there has one left.
    pub spare: B,
}

impl<B: Bits> Liberties<B> {
    /// Those of no block.
    pub const NONE: Liberties<B> = Liberties { last: B::EMPTY, spare: B::EMPTY };

    /// Those of the blocks of `stones`, where `empty` are the empty points: [`Blocks::liberties`] without
    /// the list of blocks. A block with a stone beside two empty points has two liberties, which is most
    /// blocks: all these are found together, and only the others one by one.
    #[must_use]
    #[inline(always)]
    pub fn of(grid: &Grid<B>, stones: B, empty: B) -> Liberties<B> {
        let (n, s, e, w) =
            (grid.north(empty), grid.south(empty), grid.east(empty), grid.west(empty));
        let two = n & s | e & w | (n | s) & (e | w);
        let many = grid.flood(two, stones);
        let mut liberties = Liberties { last: B::EMPTY, spare: grid.neighbours(many) & empty };
        let mut rest = stones & !many;
        while !rest.is_empty() {
            let block = grid.flood(rest.lowest_alone(), rest);
            rest &= !block;
            liberties.add(grid.neighbours(block) & empty);
        }
        liberties
    }

    /// Adds a block.
    #[inline(always)]
    pub fn add(&mut self, block: B) {
        let many = block.without_lowest().all_if_any();
        self.last |= block & !many;
        self.spare |= block & many;
    }
}

/// The stones of blocks without a liberty.
#[must_use]
pub fn dead<B: Bits>(grid: &Grid<B>, stones: B, empty: B) -> B {
    stones & !grid.flood(grid.neighbours(empty) & stones, stones)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn liberties_are_counted_by_block() {
        let grid = Grid::<u64>::new(3, 4);
        // Two blocks that share their one liberty b1, one of them of two stones.
        let (a1, b1, c1, d1) = (1 << 0, 1 << 1, 1 << 2, 1 << 3);
        let empty = b1 | grid.row(2);
        let blocks = Blocks::of(&grid, a1 | c1 | d1, empty);
        assert_eq!(blocks.iter().collect::<Vec<_>>(), [b1, b1]);
        assert_eq!(blocks.liberties(), Liberties { last: b1, spare: 0 });
        assert_eq!(Liberties::of(&grid, a1 | c1 | d1, empty), blocks.liberties());
        assert_eq!(blocks.joined(b1, 0), 0);
        // On random boards, too.
        let mut random = 1u64;
        for _ in 0..2000 {
            random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            let stones = random >> 40 & grid.full();
            let empty = random >> 20 & grid.full() & !stones;
            let blocks = Blocks::of(&grid, stones, empty);
            assert_eq!(Liberties::of(&grid, stones, empty), blocks.liberties());
        }
        // The row above has five liberties.
        let blocks = Blocks::of(&grid, grid.row(1), empty);
        assert_eq!(blocks.liberties(), Liberties { last: 0, spare: empty });
        assert_eq!(blocks.joined(b1, 0), grid.row(2));
        // The stone in the last corner has none.
        assert!(Blocks::of(&grid, d1, empty).captured());
        assert_eq!(dead(&grid, a1 | d1, empty), d1);
    }
}
