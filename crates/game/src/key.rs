//! Exact keys: injective encodings of a position as a number.
//!
//! A key is not a hash. Two positions of one game never share a key, so a table that stores keys
//! can never confuse them. Tables spread keys with [`Key::mix`], a bijection, and may therefore
//! drop the bits that the slot's index already tells.

use crate::Words;
use crate::boxed::BoxStorage;

/// An unsigned integer that serves as a key: `u64` where it suffices, else `u128`, else [`Wide`](crate::Wide).
pub trait Key: Words {
    /// How many bits the type has.
    const BITS: u32 = 64 * Self::WORDS as u32;

    /// Memory that is enough for the positions of such keys, where their type is [forgotten](crate::boxed).
    type Room: BoxStorage;

    /// A bijection on the numbers of `bits` bits that spreads them evenly: the top bits of the
    /// result depend on all bits of the key.
    #[must_use]
    fn mix(self, bits: u32) -> Self;

    /// The key itself if it is below 2^128, else a hash of it: spreads keys, and never tells them apart.
    #[must_use]
    fn digest(self) -> u128;

    /// The bits from `at` upwards, as far as they fit, and those below; `at` is less than [`BITS`](Self::BITS).
    #[must_use]
    fn split(self, at: u32) -> (usize, Self);

    /// `low` with `high` above its lowest `shift` bits: packs two bitboards. Bits beyond [`BITS`](Self::BITS) are lost.
    #[must_use]
    fn join<B: Words>(low: B, high: B, shift: u32) -> Self;
}

// Multipliers: odd, from the fractional digits of the golden ratio and of the square root of 3.
pub(crate) const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
pub(crate) const ROOT3: u128 = 0xBB67_AE85_84CA_A73B_2573_4E7F_1F0D_6B4D;

impl Key for u64 {
    type Room = [u64; 3];

    #[inline(always)]
    fn mix(self, bits: u32) -> u64 {
        // Multiplying by an odd number and xor-ing a right shift are bijections modulo 2^bits.
        let mask = u64::MAX >> (64 - bits);
        let half = bits.div_ceil(2);
        let mut x = self;
        x ^= x >> half;
        x = x.wrapping_mul((GOLDEN >> 64) as u64 | 1) & mask;
        x ^= x >> half;
        x = x.wrapping_mul((ROOT3 >> 64) as u64 | 1) & mask;
        x ^ (x >> half)
    }

    #[inline(always)]
    fn digest(self) -> u128 {
        u128::from(self)
    }

    #[inline(always)]
    fn split(self, at: u32) -> (usize, u64) {
        ((self >> at) as usize, self & ((1 << at) - 1))
    }

    #[inline(always)]
    fn join<B: Words>(low: B, high: B, shift: u32) -> u64 {
        low.word(0) | high.word(0) << shift
    }
}

impl Key for u128 {
    type Room = [u128; 3];

    #[inline(always)]
    fn mix(self, bits: u32) -> u128 {
        let mask = u128::MAX >> (128 - bits);
        let half = bits.div_ceil(2);
        let mut x = self;
        x ^= x >> half;
        x = x.wrapping_mul(GOLDEN | 1) & mask;
        x ^= x >> half;
        x = x.wrapping_mul(ROOT3 | 1) & mask;
        x ^ (x >> half)
    }

    #[inline(always)]
    fn digest(self) -> u128 {
        self
    }

    #[inline(always)]
    fn split(self, at: u32) -> (usize, u128) {
        ((self >> at) as usize, self & ((1 << at) - 1))
    }

    #[inline(always)]
    fn join<B: Words>(low: B, high: B, shift: u32) -> u128 {
        low.low() | high.low() << shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn mixing_is_a_bijection() {
        for bits in [1, 2, 3, 7, 10, 13] {
            let all: HashSet<u64> = (0..1u64 << bits).map(|k| k.mix(bits)).collect();
            assert_eq!(all.len(), 1 << bits);
            assert!(all.iter().all(|&k| k < 1 << bits));
            let all: HashSet<u128> = (0..1u128 << bits).map(|k| k.mix(bits)).collect();
            assert_eq!(all.len(), 1 << bits);
            assert!(all.iter().all(|&k| k < 1 << bits));
        }
    }

    #[test]
    fn top_bits_are_spread() {
        // Keys that differ in low bits only must not crowd into few buckets.
        for bits in [40, 49, 64] {
            let buckets: HashSet<u64> = (0..1024u64).map(|k| k.mix(bits) >> (bits - 10)).collect();
            assert!(buckets.len() > 550, "{bits} bits: {}", buckets.len());
        }
        let buckets: HashSet<u128> = (0..1024u128).map(|k| (k << 70).mix(100) >> 90).collect();
        assert!(buckets.len() > 550, "{}", buckets.len());
    }
}
