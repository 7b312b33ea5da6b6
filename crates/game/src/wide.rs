//! Sets and keys of more than 128 bits.

use crate::key::{GOLDEN, ROOT3};
use crate::{Bits, Key, Words};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A number of `N` words, the lowest first: a set of up to `64 * N` cells, or a key of so many bits.
///
/// `u64` and `u128` are faster where they suffice.
///
/// ```
/// use zermelo_game::{Bits, Grid, Wide};
/// let go = Grid::<Wide<6>>::new(19, 19);
/// let corner = Wide::cell(go.at(18, 18));
/// assert_eq!(go.neighbours(corner).cells().collect::<Vec<_>>(), [341, 359]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Wide<const N: usize>(pub [u64; N]);

impl<const N: usize> Wide<N> {
    /// Word by word.
    #[inline(always)]
    fn each(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Wide(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// The words moved so many places up.
    #[inline]
    fn words_up(self, by: usize) -> Self {
        Wide(std::array::from_fn(|i| i.checked_sub(by).map_or(0, |from| self.0[from])))
    }

    /// The words moved so many places down.
    #[inline]
    fn words_down(self, by: usize) -> Self {
        Wide(std::array::from_fn(|i| self.word(i + by)))
    }
}

impl<const N: usize> Words for Wide<N> {
    const WORDS: usize = N;

    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn from_words(word: impl FnMut(usize) -> u64) -> Self {
        Wide(std::array::from_fn(word))
    }

    #[inline(always)]
    fn low(self) -> u128 {
        u128::from(self.word(0)) | u128::from(self.word(1)) << 64
    }
}

impl<const N: usize> Default for Wide<N> {
    #[inline(always)]
    fn default() -> Self {
        Wide([0; N])
    }
}

impl<const N: usize> Hash for Wide<N> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|word| state.write_u64(*word));
    }
}

impl<const N: usize> fmt::Debug for Wide<N> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "0x{}", self.to_hex())
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Ord for Wide<N> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

macro_rules! word_by_word {
    ($($op:ident $method:ident, $assign:ident $assign_method:ident: $f:expr;)*) => {$(
        impl<const N: usize> $op for Wide<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.each(other, $f)
            }
        }
        impl<const N: usize> $assign for Wide<N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = self.each(other, $f);
            }
        }
    )*};
}

word_by_word! {
    BitAnd bitand, BitAndAssign bitand_assign: |a, b| a & b;
    BitOr bitor, BitOrAssign bitor_assign: |a, b| a | b;
    BitXor bitxor, BitXorAssign bitxor_assign: |a, b| a ^ b;
}

impl<const N: usize> Not for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Wide(self.0.map(|word| !word))
    }
}

impl<const N: usize> Shl<u32> for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        debug_assert!(by < 64 * N as u32, "a shift by {by}, of {N} words");
        // Most shifts move cells by less than a row, and need no index that is computed.
        let x = if by < 64 { self } else { self.words_up(by as usize / 64) };
        let by = by % 64;
        Wide(std::array::from_fn(|i| {
            let below = if i == 0 { 0 } else { x.0[i - 1] };
            x.0[i] << by | below >> 1 >> (63 - by)
        }))
    }
}

impl<const N: usize> Shr<u32> for Wide<N> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        debug_assert!(by < 64 * N as u32, "a shift by {by}, of {N} words");
        let x = if by < 64 { self } else { self.words_down(by as usize / 64) };
        let by = by % 64;
        Wide(std::array::from_fn(|i| {
            let above = if i + 1 == N { 0 } else { x.0[i + 1] };
            x.0[i] >> by | above << 1 << (63 - by)
        }))
    }
}

impl<const N: usize> Bits for Wide<N> {
    const EMPTY: Self = Wide([0; N]);

    #[inline(always)]
    fn cell(index: u32) -> Self {
        debug_assert!(index < Self::CELLS, "cell {index}, of {N} words");
        Wide(std::array::from_fn(|i| u64::from(index / 64 == i as u32) << (index % 64)))
    }

    #[inline(always)]
    fn first(n: u32) -> Self {
        debug_assert!(n <= Self::CELLS, "{n} cells, of {N} words");
        Wide(std::array::from_fn(|i| u64::first(n.saturating_sub(64 * i as u32).min(64))))
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    fn lowest(self) -> u32 {
        let at = self.0.iter().position(|word| *word != 0);
        at.map_or(Self::CELLS, |i| 64 * i as u32 + self.0[i].trailing_zeros())
    }

    #[inline(always)]
    fn without_lowest(mut self) -> Self {
        self.take_lowest();
        self
    }

    #[inline(always)]
    fn take_lowest(&mut self) -> Option<u32> {
        let i = self.0.iter().position(|word| *word != 0)?;
        let cell = 64 * i as u32 + self.0[i].trailing_zeros();
        self.0[i] &= self.0[i] - 1;
        Some(cell)
    }

    #[inline(always)]
    fn has(self, index: u32) -> bool {
        debug_assert!(index < Self::CELLS, "cell {index}, of {N} words");
        self.0[index as usize / 64] >> (index % 64) & 1 == 1
    }
}

const ODD: u64 = (GOLDEN >> 64) as u64 | 1;
const ODDER: u64 = (ROOT3 >> 64) as u64 | 1;

/// A hash of a word in the given place; 0 for 0. The high half of the product depends on the word's top bits, which its low half
/// does not carry down.
#[inline(always)]
fn fold(word: u64, place: usize) -> u64 {
    // A multiplier for each place.
    let odd = ODD.wrapping_add(ODDER.wrapping_mul(2 * place as u64));
    let product = u128::from(word ^ word >> 32) * u128::from(odd);
    (product as u64) ^ (product >> 64) as u64
}

/// The sum of hashes of words, without the one at an index.
#[inline(always)]
fn fold_all(words: &[u64], but: usize) -> u64 {
    let words = words.iter().enumerate();
    words.fold(0, |sum, (i, &word)| sum.wrapping_add(if i == but { 0 } else { fold(word, i) }))
}

/// Mixing: the last full word takes in a hash of all others, and is mixed; the top word, which may have few bits, takes in
/// as many bits of a product of it. Each step is a bijection, and both words then depend on all bits.
impl<const N: usize> Key for Wide<N> {
    type Room = [u64; 16];

    #[inline]
    fn mix(mut self, bits: u32) -> Self {
        let top = (bits as usize - 1) / 64;
        match top {
            0 => return Wide::of(self.word(0).mix(bits)),
            1 => return self.low().mix(bits).cast(),
            _ => {}
        }
        let words = &mut self.0[..=top];
        let last = top - 1;
        let mut full = words[last] ^ fold_all(words, last);
        full = (full ^ full >> 32).wrapping_mul(ODD);
        full ^= full >> 32;
        words[last] = full;
        words[top] ^= full.wrapping_mul(ODDER) >> (64 * (top as u32 + 1) - bits);
        self
    }

    #[inline]
    fn digest(self) -> u128 {
        let hash = (2..N).fold(0, |sum: u64, i| sum.wrapping_add(fold(self.0[i], i)));
        self.low() ^ u128::from(hash)
    }

    #[inline]
    fn split(mut self, at: u32) -> (usize, Self) {
        let (place, at) = (at as usize / 64, at % 64);
        let top = self.word(place) >> at | self.word(place + 1) << 1 << (63 - at);
        self.0[place] &= u64::first(at);
        self.0[place + 1..].fill(0);
        (top as usize, self)
    }

    #[inline]
    fn join<B: Words>(low: B, high: B, shift: u32) -> Self {
        low.cast::<Self>() | high.cast::<Self>() << shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Numbers that look random, and some that do not.
    fn numbers() -> Vec<u128> {
        let mut x = 1u128;
        let mut all = vec![0, 1, 2, u64::MAX.into(), 1 << 63, 1 << 64, 1 << 127, u128::MAX];
        for i in 0..200 {
            x = x.wrapping_mul(GOLDEN | 1).wrapping_add(ROOT3);
            all.push(x >> (i % 120));
        }
        all
    }

    fn pair(x: u128) -> Wide<2> {
        x.cast()
    }

    #[test]
    fn two_words_are_a_u128() {
        assert_eq!(<Wide<2> as Bits>::CELLS, 128);
        assert_eq!(<Wide<2> as Key>::BITS, 128);
        let numbers = numbers();
        for &a in &numbers {
            let wide = pair(a);
            assert_eq!(wide.low(), a);
            assert_eq!(!wide, pair(!a));
            assert_eq!(wide.count(), Bits::count(a));
            assert_eq!(wide.lowest(), Bits::lowest(a));
            assert_eq!(wide.is_empty(), a == 0);
            if a != 0 {
                assert_eq!(wide.without_lowest(), pair(Bits::without_lowest(a)));
            }
            assert_eq!(wide.cells().collect::<Vec<_>>(), a.cells().collect::<Vec<_>>());
            assert_eq!(Words::width(wide), Words::width(a));
            assert_eq!(wide.digest(), a);
            assert_eq!(format!("{wide:?}"), format!("{a:#x}"));
            for by in 0..128 {
                assert_eq!(wide << by, pair(a << by), "{a:x} << {by}");
                assert_eq!(wide >> by, pair(a >> by), "{a:x} >> {by}");
                assert_eq!(wide.has(by), a.has(by));
                let (top, rest) = wide.split(by);
                assert_eq!((top, rest.low()), a.split(by), "{a:x} at {by}");
                let (bits, short) = (by + 1, a & u128::first(by + 1));
                let mixed =
                    if bits > 64 { short.mix(bits) } else { (short as u64).mix(bits).into() };
                assert_eq!(pair(short).mix(bits), pair(mixed));
            }
            for &b in &numbers {
                let other = pair(b);
                assert_eq!(wide & other, pair(a & b));
                assert_eq!(wide | other, pair(a | b));
                assert_eq!(wide ^ other, pair(a ^ b));
                assert_eq!(wide.cmp(&other), a.cmp(&b));
                let (mut and, mut or, mut xor) = (wide, wide, wide);
                and &= other;
                or |= other;
                xor ^= other;
                assert_eq!([and, or, xor], [wide & other, wide | other, wide ^ other]);
            }
        }
        for n in 0..=128 {
            assert_eq!(<Wide<2>>::first(n), pair(u128::first(n)));
        }
        assert_eq!(<Wide<2>>::join(5u64, 7, 70), pair(u128::join(5u64, 7, 70)));
        assert_eq!(Wide::default(), pair(0));
    }

    #[test]
    fn shifts_cross_the_borders_of_words() {
        type Nine = Wide<9>;
        let set = [0, 1, 62, 63, 64, 65, 127, 128, 300, 511, 512, 575];
        let of = |cells: &mut dyn Iterator<Item = u32>| {
            cells.fold(Nine::EMPTY, |set, cell| set | Nine::cell(cell))
        };
        let wide = of(&mut set.into_iter());
        assert_eq!(wide.cells().collect::<Vec<_>>(), set);
        assert_eq!(wide.count(), set.len() as u32);
        for by in 0..576 {
            let up = of(&mut set.iter().map(|cell| cell + by).filter(|cell| *cell < 576));
            assert_eq!(wide << by, up, "<< {by}");
            let down = of(&mut set.iter().filter_map(|cell| cell.checked_sub(by)));
            assert_eq!(wide >> by, down, ">> {by}");
            assert_eq!(Nine::first(by), of(&mut (0..by)));
            assert_eq!(wide.has(by), set.contains(&by));
            assert_eq!(Nine::cell(by).lowest(), by);
            assert_eq!(Words::width(Nine::cell(by)), by + 1);
            let (top, rest) = wide.split(by);
            assert_eq!((top as u64, rest), ((wide >> by).word(0), wide & Nine::first(by)));
        }
        assert!(Nine::cell(64) > Nine::cell(63) && Nine::cell(575) > Nine::first(575));
        let joined = Nine::join(Wide([1u64, 2, 3]), Wide([4, 5, 6]), 192);
        assert_eq!(joined, Wide([1, 2, 3, 4, 5, 6, 0, 0, 0]));
    }

    /// The inverse of mixing, for more than 128 bits.
    fn unmix<const N: usize>(mut x: Wide<N>, bits: u32) -> Wide<N> {
        let top = (bits as usize - 1) / 64;
        let mut full = x.0[top - 1];
        x.0[top] ^= full.wrapping_mul(ODDER) >> (64 * (top as u32 + 1) - bits);
        // Newton's iteration doubles the number of bits that are right.
        let step = |y: u64, _| y.wrapping_mul(2u64.wrapping_sub(ODD.wrapping_mul(y)));
        full = (full ^ full >> 32).wrapping_mul((0..6).fold(ODD, step));
        full ^= full >> 32;
        x.0[top - 1] = full ^ fold_all(&x.0[..=top], top - 1);
        x
    }

    #[test]
    fn mixing_is_a_bijection() {
        for bits in [1, 2, 3, 7, 10, 13] {
            let all: HashSet<_> = (0..1u64 << bits).map(|k| Wide::<9>::of(k).mix(bits)).collect();
            assert_eq!(all.len(), 1 << bits);
            assert!(all.iter().all(|&k| Words::width(k) <= bits));
        }
        let mut x = 1u64;
        let mut word = |_| {
            x = x.wrapping_mul(GOLDEN as u64 | 1).wrapping_add(ROOT3 as u64);
            x ^ x >> 29
        };
        for bits in 129..=576 {
            for i in 0..40 {
                let mut key = Wide::<9>::from_words(&mut word) & Wide::first(bits);
                if i % 4 == 0 {
                    key &= Wide::cell(bits - 1) | Wide::first(i * 3);
                }
                let mixed = key.mix(bits);
                assert!(Words::width(mixed) <= bits, "{bits} bits: {mixed:?}");
                assert_eq!(unmix(mixed, bits), key, "{bits} bits");
            }
        }
    }

    #[test]
    fn top_bits_are_spread() {
        // Keys that differ in a few bits only, wherever these are, must not crowd into few buckets.
        for bits in [129, 130, 136, 191, 192, 193, 338, 527, 576] {
            for low in (0..bits - 10).step_by(7).chain([bits - 10]) {
                let key = |k: u64| Wide::<9>::of(k) << low;
                let buckets: HashSet<usize> =
                    (0..1024).map(|k| key(k).mix(bits).split(bits - 10).0).collect();
                assert!(buckets.len() > 550, "{bits} bits, from {low}: {}", buckets.len());
            }
            // The same bits in each of two places: five of each.
            for (a, b) in [(0, 64), (59, 123), (3, bits - 5), (59, bits - 5), (bits - 70, bits - 6)]
            {
                let key = |k: u64| Wide::<9>::of(k >> 5) << a | Wide::of(k & 31) << b;
                let buckets: HashSet<usize> =
                    (0..1024).map(|k| key(k).mix(bits).split(bits - 10).0).collect();
                assert!(buckets.len() > 550, "{bits} bits, {a} and {b}: {}", buckets.len());
            }
        }
    }

    #[test]
    fn boards_are_spread() {
        // All boards with one stone of each player, and with two of one: as many buckets as by chance, or nearly.
        for cells in [70u32, 81, 121, 169, 225, 284] {
            let bits = 2 * cells + 1;
            let stones = |a: u32, b: u32| Wide::<9>::cell(a) | Wide::cell(b);
            let pairs = || (0..cells).flat_map(move |a| (0..a).map(move |b| (a, b)));
            let count = (cells * (cells - 1) / 2) as usize;
            let buckets = count.ilog2();
            let spread = |board: &dyn Fn(u32, u32) -> Wide<9>| {
                let place = |(a, b)| board(a, b).mix(bits).split(bits - buckets).0;
                pairs().map(place).collect::<HashSet<usize>>().len()
            };
            let room = f64::from(1u32 << buckets);
            let expected = room * (1.0 - (-(count as f64) / room).exp());
            for (what, taken) in [
                ("one each", spread(&|a, b| stones(a, cells + b))),
                ("two of one", spread(&|a, b| stones(a, b))),
                ("two of the other", spread(&|a, b| stones(cells + a, cells + b))),
            ] {
                let share = taken as f64 / expected;
                assert!(share > 0.95, "{cells} cells, {what}: {share} of what chance gives");
            }
        }
    }

    #[test]
    fn digests_are_spread() {
        for at in (0..566).step_by(3) {
            let low: HashSet<u64> = (0..1024)
                .map(|k| (Wide::<9>::of(k) << at).mix(576).digest() as u64 >> 44)
                .collect();
            assert!(low.len() > 1000, "from {at}: {}", low.len());
        }
    }
}
