//! Exact keys: injective encodings of a position in at most 128 bits.
//!
//! A key is not a hash. Two positions of one game never share a key, so a table that stores keys
//! can never confuse them. Tables spread keys with [`Key::mix`], a bijection, and may therefore
//! drop the bits that the slot's index already tells.

use std::fmt::Debug;
use std::hash::Hash;

/// An unsigned integer that serves as a key: `u64` where it suffices, `u128` otherwise.
pub trait Key: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// How many bits the type has.
    const BITS: u32;

    /// A bijection on the numbers of `bits` bits that spreads them evenly: the top bits of the
    /// result depend on all bits of the key.
    #[must_use]
    fn mix(self, bits: u32) -> Self;

    /// The key as the widest integer.
    #[must_use]
    fn wide(self) -> u128;

    /// The bits from `at` upwards, and those below; `at` is less than [`BITS`](Self::BITS).
    #[must_use]
    fn split(self, at: u32) -> (usize, u128);

    /// `low` with `high` above its lowest `shift` bits: packs two bitboards.
    #[must_use]
    fn join(low: u64, high: u64, shift: u32) -> Self;
}

// Multipliers: odd, from the fractional digits of the golden ratio and of the square root of 3.
const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
const ROOT3: u128 = 0xBB67_AE85_84CA_A73B_2573_4E7F_1F0D_6B4D;

impl Key for u64 {
    const BITS: u32 = 64;

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
    fn wide(self) -> u128 {
        u128::from(self)
    }

    #[inline(always)]
    fn split(self, at: u32) -> (usize, u128) {
        ((self >> at) as usize, u128::from(self & ((1 << at) - 1)))
    }

    #[inline(always)]
    fn join(low: u64, high: u64, shift: u32) -> u64 {
        low | high << shift
    }
}

impl Key for u128 {
    const BITS: u32 = 128;

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
    fn wide(self) -> u128 {
        self
    }

    #[inline(always)]
    fn split(self, at: u32) -> (usize, u128) {
        ((self >> at) as usize, self & ((1 << at) - 1))
    }

    #[inline(always)]
    fn join(low: u64, high: u64, shift: u32) -> u128 {
        u128::from(low) | u128::from(high) << shift
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
