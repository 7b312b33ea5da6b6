//! Bitboards of two widths for one game: [`CellSet`] says what depends on the width beside the set itself.
//!
//! Boards of up to 63 cells live in a `u64`, and their moves are bytes. All larger ones live in a [`WideSet`], whatever their
//! size: each width is compiled for every solver there is.

use arrayvec::ArrayVec;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{DerefMut, IndexMut};
use zermelo_game::{Bits, Wide};

/// The set of cells of a board that does not fit a word.
pub type WideSet = Wide<6>;

/// The key of a position on such a board: two bits a cell, and some for the rest.
pub type WideKey = Wide<12>;

/// A bitboard with the types that go with its width.
pub trait CellSet: Bits {
    /// The number of a cell, in moves. There is room for two bits more, or for a number that is no cell.
    type Cell: CellNumber;
    /// One item for each cell, by its number.
    type Table<T: Copy + Debug + Send + Sync + 'static>: IndexMut<usize, Output = T>
        + Clone
        + Debug
        + Send
        + Sync
        + 'static;
    /// Room for half as many items as there are cells: so many parts of a board do not touch each other.
    type List<T: Clone + Debug>: Stack<T>;

    /// A table with this item everywhere.
    fn table<T: Copy + Debug + Send + Sync + 'static>(item: T) -> Self::Table<T>;

    /// The set moved up by so many cells. Processors shift several words at once by distances of the same length.
    fn up(self, by: u64) -> Self;

    /// The set moved down by so many cells.
    fn down(self, by: u64) -> Self;
}

/// An unsigned integer that numbers cells.
pub trait CellNumber: Copy + Eq + Ord + Hash + Debug + Into<usize> + Send + Sync + 'static {
    /// The first cell.
    const ZERO: Self;
    /// The largest number: never a cell.
    const MAX: Self;

    /// This number, which must not be too large.
    #[must_use]
    fn of(number: u32) -> Self;

    /// The number.
    #[must_use]
    fn number(self) -> u32;
}

/// A list of limited length that allocates nothing.
pub trait Stack<T>: Default + Clone + Debug + DerefMut<Target = [T]> {
    /// Adds an item.
    ///
    /// # Panics
    /// If there is no room for it.
    fn push(&mut self, item: T);

    /// Takes an item out and puts the last one in its place.
    fn swap_remove(&mut self, index: usize) -> T;

    /// Keeps the items of which `keep` is true, in their order.
    fn retain(&mut self, keep: impl FnMut(&mut T) -> bool);
}

impl<T: Clone + Debug, const N: usize> Stack<T> for ArrayVec<T, N> {
    #[inline(always)]
    fn push(&mut self, item: T) {
        ArrayVec::push(self, item);
    }

    #[inline(always)]
    fn swap_remove(&mut self, index: usize) -> T {
        ArrayVec::swap_remove(self, index)
    }

    #[inline(always)]
    fn retain(&mut self, keep: impl FnMut(&mut T) -> bool) {
        ArrayVec::retain(self, keep);
    }
}

macro_rules! cell_number {
    ($t:ty) => {
        impl CellNumber for $t {
            const ZERO: $t = 0;
            const MAX: $t = <$t>::MAX;

            #[inline(always)]
            fn of(number: u32) -> $t {
                number as $t
            }

            #[inline(always)]
            fn number(self) -> u32 {
                self.into()
            }
        }
    };
}

cell_number!(u8);
cell_number!(u16);

macro_rules! cell_set {
    ($t:ty, $cell:ty, $by:ty) => {
        impl CellSet for $t {
            type Cell = $cell;
            type Table<T: Copy + Debug + Send + Sync + 'static> = [T; <$t as Bits>::CELLS as usize];
            type List<T: Clone + Debug> = ArrayVec<T, { <$t as Bits>::CELLS as usize / 2 }>;

            #[inline(always)]
            fn table<T: Copy + Debug + Send + Sync + 'static>(item: T) -> Self::Table<T> {
                [item; <$t as Bits>::CELLS as usize]
            }

            #[inline(always)]
            fn up(self, by: u64) -> $t {
                self << (by as $by)
            }

            #[inline(always)]
            fn down(self, by: u64) -> $t {
                self >> (by as $by)
            }
        }
    };
}

cell_set!(u64, u8, u64);
cell_set!(WideSet, u16, u32);
