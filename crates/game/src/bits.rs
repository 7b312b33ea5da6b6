//! Bitboards: sets of up to 64 (`u64`), 128 (`u128`) or more ([`Wide`](crate::Wide)) cells.

use crate::Words;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A set of cells, one bit each. Implemented by `u64`, `u128` and [`Wide`](crate::Wide).
///
/// ```
/// use zermelo_game::Bits;
/// let cells = 0b1010_0000u64;
/// assert_eq!(cells.cells().collect::<Vec<_>>(), [5, 7]);
/// ```
pub trait Bits:
    Words
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
{
    /// How many cells it can hold.
    const CELLS: u32 = 64 * Self::WORDS as u32;
    /// The empty set.
    const EMPTY: Self;

    /// The set of one cell.
    #[must_use]
    fn cell(index: u32) -> Self;
    /// The first `n` cells.
    #[must_use]
    fn first(n: u32) -> Self;
    /// How many cells are in the set.
    #[must_use]
    fn count(self) -> u32;
    /// The lowest cell of a set that is not empty.
    #[must_use]
    fn lowest(self) -> u32;
    /// The set without its lowest cell.
    #[must_use]
    fn without_lowest(self) -> Self;

    /// The lowest cell alone; empty for the empty set.
    #[must_use]
    #[inline(always)]
    fn lowest_alone(self) -> Self {
        self ^ self.without_lowest()
    }

    /// The cells below the one cell of this set.
    #[must_use]
    #[inline(always)]
    fn below(self) -> Self {
        Self::first(self.lowest())
    }

    /// All bits if the set is not empty, else none: for choices that no branch predictor can guess.
    #[must_use]
    #[inline(always)]
    fn all_if_any(self) -> Self {
        if self.is_empty() { Self::EMPTY } else { !Self::EMPTY }
    }

    /// Takes the lowest cell out of the set, `None` if it is empty.
    #[inline(always)]
    fn take_lowest(&mut self) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let cell = self.lowest();
        *self = self.without_lowest();
        Some(cell)
    }

    /// Whether the set is empty.
    #[must_use]
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the set holds this cell.
    #[must_use]
    #[inline(always)]
    fn has(self, index: u32) -> bool {
        !(self & Self::cell(index)).is_empty()
    }

    /// The cells of the set, in rising order.
    #[inline(always)]
    fn cells(self) -> Cells<Self> {
        Cells(self)
    }
}

/// The cells of a set, in rising order.
#[derive(Clone, Debug)]
pub struct Cells<B>(B);

impl<B: Bits> Iterator for Cells<B> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        self.0.take_lowest()
    }
}

macro_rules! bits {
    ($t:ty, $n:literal) => {
        impl Bits for $t {
            const EMPTY: $t = 0;

            #[inline(always)]
            fn cell(index: u32) -> $t {
                1 << index
            }
            #[inline(always)]
            fn first(n: u32) -> $t {
                if n == 0 { 0 } else { <$t>::MAX >> ($n - n) }
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn without_lowest(self) -> $t {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn lowest_alone(self) -> $t {
                self & self.wrapping_neg()
            }
            #[inline(always)]
            fn below(self) -> $t {
                self.wrapping_sub(1)
            }
            #[inline(always)]
            fn all_if_any(self) -> $t {
                <$t>::from(self != 0).wrapping_neg()
            }
        }
    };
}

bits!(u64, 64);
bits!(u128, 128);
