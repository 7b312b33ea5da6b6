//! Unsigned integers of one or more words of 64 bits: what sets of cells ([`Bits`](crate::Bits)) and keys
//! ([`Key`](crate::Key)) have in common.

use std::fmt::{Debug, Write};
use std::hash::Hash;

/// An unsigned integer of a fixed number of words, ordered as a number. Implemented by `u64`, `u128` and
/// [`Wide`](crate::Wide).
///
/// ```
/// use zermelo_game::{Wide, Words};
/// let number = 0x12_0000_0000_0000_0034u128;
/// assert_eq!([0, 1, 2].map(|i| number.word(i)), [0x34, 0x12, 0]);
/// let wide: Wide<9> = number.cast();
/// assert_eq!(wide.to_hex(), "120000000000000034");
/// assert_eq!(Words::from_hex("120000000000000034"), Some(wide));
/// ```
pub trait Words: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// How many words there are.
    const WORDS: usize;

    /// The word at an index, the lowest first; 0 beyond the last.
    #[must_use]
    fn word(self, index: usize) -> u64;

    /// The number of these words: each index is asked for once, in rising order.
    #[must_use]
    fn from_words(word: impl FnMut(usize) -> u64) -> Self;

    /// The lowest 128 bits.
    #[must_use]
    fn low(self) -> u128;

    /// A number of one word.
    #[must_use]
    #[inline(always)]
    fn of(word: u64) -> Self {
        Self::from_words(|i| if i == 0 { word } else { 0 })
    }

    /// The same number in another type; bits beyond its last are lost.
    #[must_use]
    #[inline(always)]
    fn cast<T: Words>(self) -> T {
        T::from_words(|i| self.word(i))
    }

    /// How many bits the number takes: one more than the index of the highest bit that is set, 0 for 0.
    #[must_use]
    fn width(self) -> u32 {
        let top = (0..Self::WORDS).rev().find(|&i| self.word(i) != 0);
        top.map_or(0, |i| 64 * (i as u32 + 1) - self.word(i).leading_zeros())
    }

    /// The number as text, hexadecimal, without leading zeros.
    #[must_use]
    fn to_hex(self) -> String {
        let top = (0..Self::WORDS).rev().find(|&i| self.word(i) != 0).unwrap_or(0);
        let mut text = format!("{:x}", self.word(top));
        for i in (0..top).rev() {
            write!(text, "{:016x}", self.word(i)).expect("a string takes all text");
        }
        text
    }

    /// Reads a hexadecimal number; `None` if it is not one, or too large.
    #[must_use]
    fn from_hex(text: &str) -> Option<Self> {
        if text.is_empty() || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let digits = text.trim_start_matches('0');
        if digits.len() > 16 * Self::WORDS {
            return None;
        }
        let word = |i: usize| {
            let end = digits.len().saturating_sub(16 * i);
            u64::from_str_radix(&digits[end.saturating_sub(16)..end], 16).unwrap_or(0)
        };
        Some(Self::from_words(word))
    }
}

impl Words for u64 {
    const WORDS: usize = 1;

    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        if index == 0 { self } else { 0 }
    }

    #[inline(always)]
    fn from_words(mut word: impl FnMut(usize) -> u64) -> u64 {
        word(0)
    }

    #[inline(always)]
    fn low(self) -> u128 {
        u128::from(self)
    }
}

impl Words for u128 {
    const WORDS: usize = 2;

    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        match index {
            0 => self as u64,
            1 => (self >> 64) as u64,
            _ => 0,
        }
    }

    #[inline(always)]
    fn from_words(mut word: impl FnMut(usize) -> u64) -> u128 {
        let low = word(0);
        u128::from(low) | u128::from(word(1)) << 64
    }

    #[inline(always)]
    fn low(self) -> u128 {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wide;

    fn reads_what_it_writes<T: Words>(number: T, text: &str) {
        assert_eq!(number.to_hex(), text);
        assert_eq!(T::from_hex(text), Some(number));
        assert_eq!(T::from_hex(&format!("000000000000000000000{text}")), Some(number));
        assert_eq!(T::from_hex(&text.to_uppercase()), Some(number));
    }

    #[test]
    fn hexadecimal_text_is_read_back() {
        reads_what_it_writes(0u64, "0");
        reads_what_it_writes(u64::MAX, "ffffffffffffffff");
        reads_what_it_writes(1u128 << 64, "10000000000000000");
        reads_what_it_writes(0xabc_0000_0000_0000_000du128, "abc000000000000000d");
        reads_what_it_writes(u128::MAX, &"f".repeat(32));
        reads_what_it_writes(Wide([0; 9]), "0");
        reads_what_it_writes(Wide([7, 0, 0, 1]), &format!("1{}7", "0".repeat(47)));
        reads_what_it_writes(Wide([u64::MAX; 9]), &"f".repeat(144));
        for bad in ["", "x", "+1", "-1", "1 ", "0x1", "é"] {
            assert_eq!(u128::from_hex(bad), None, "{bad}");
        }
        assert_eq!(u64::from_hex("10000000000000000"), None);
        assert_eq!(Wide::<9>::from_hex(&"1".repeat(145)), None);
    }

    #[test]
    fn widths_are_those_of_numbers() {
        assert_eq!([0u64, 1, 255, u64::MAX].map(Words::width), [0, 1, 8, 64]);
        assert_eq!([0u128, 1 << 64, u128::MAX].map(Words::width), [0, 65, 128]);
        assert_eq!(
            [Wide([0, 0, 0]), Wide([1, 0, 0]), Wide([9, 9, 4])].map(Words::width),
            [0, 1, 131]
        );
    }

    #[test]
    fn numbers_keep_their_value_in_a_wider_type() {
        let number = 0x0123_4567_89ab_cdef_0011_2233_4455_6677u128;
        assert_eq!(number.cast::<u64>(), number as u64);
        assert_eq!(number.cast::<Wide<3>>().cast::<u128>(), number);
        assert_eq!(number.cast::<Wide<3>>().low(), number);
        assert_eq!(7u64.cast::<Wide<9>>(), Wide::of(7));
        assert_eq!(u128::of(7), 7);
    }
}
