//! One bucket of a transposition table: a cache line, or some for long keys, and how it is read and written by threads.
//!
//! ```text
//! narrow bucket, 64 bytes: 8 slots of one word         wide bucket, 64 bytes: 3 slots of two words
//! +------+------+------+------+-- ... --+              (or 2 of three, for keys of up to 128 bits)
//! | slot | slot | slot | slot |         |              +-----+-------+-----+------+-- ... --+
//! +------+------+------+------+-- ... --+              | seq | spare | low | high |         |
//!                                                      +-----+-------+-----+------+-- ... --+
//!
//! long bucket, for keys of more than 128 bits: 3 slots of w words, in (1 + 3w) / 8 cache lines, rounded up
//! +-----+-----+-----+-----+-----+-----+-----+-------+-------+-------+-------+
//! | seq | low | low | low | tag | tag | tag | w - 2 | w - 2 | w - 2 | spare |
//! +-----+-----+-----+-----+-----+-----+-----+-------+-------+-------+-------+
//!
//! low word of a slot:  used 1 | lo v | hi v | best c | work 6 | depth d | remainder, low bits
//! high words:          the other bits of the remainder
//! tag:                 the last high word but one (or the only one): its bits are spread, and most of them are used
//!                      however large the table; the other high words follow from the seventh word on, slot by slot
//! ```
//!
//! `v` bits hold a value, `c` bits a move's code plus one, `d` bits a depth (only where a search with
//! a horizon needs it). A narrow slot is one atomic word and cannot be torn. A wide or long bucket carries a
//! sequence number: odd while a thread writes; a reader that sees it change has seen nothing. A writer
//! that finds it odd gives up its write, so nobody ever waits. The first cache line of a long bucket tells which slot holds a
//! key, if any; the others are only read to make sure.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, fence};
use std::sync::atomic::Ordering;
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, fence};
use zermelo_game::{Value, Words};

/// What a table knows of a position, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The value is at least this.
    pub lo: Value,
    /// The value is at most this.
    pub hi: Value,
    /// The code of the move that was best.
    pub best: Option<usize>,
    /// Logarithm (base 2) of the nodes it took.
    pub work: u32,
    /// The depth it was searched to, in tables with a depth; otherwise 0.
    pub depth: u32,
}

/// A cache line.
#[repr(align(64))]
pub struct Bucket(pub [AtomicU64; 8]);

/// Bits of the logarithm of work.
pub const WORK_BITS: u32 = 6;

/// How the entries of a table are written as bits, beside the remainder of their keys.
pub trait EntryCodec: Copy + Send + Sync {
    /// What the table knows of a position.
    type Entry: Copy;

    /// Bits of data, the lowest (always set) included; at most 60. The remainder comes behind them.
    fn end(&self) -> u32;

    /// An entry as bits below [`end`](Self::end), the lowest one set.
    fn pack(&self, entry: &Self::Entry) -> u64;

    /// The entry back from its bits; those from [`end`](Self::end) on mean nothing.
    fn unpack(&self, data: u64) -> Self::Entry;

    /// What to write over an older entry of the same position. Without it: the new one.
    #[inline(always)]
    fn over(&self, old: u64, new: u64) -> u64 {
        let _ = old;
        new
    }

    /// How dear the entry with these bits is: the logarithm of the work it took.
    fn work(&self, data: u64) -> u32;
}

/// The places of the fields in a slot, counted in bits from the lowest.
#[derive(Clone, Copy, Debug)]
pub struct BoundsCodec {
    value_bits: u32,
    code_bits: u32,
    best_at: u32,
    work_at: u32,
    depth_at: u32,
    end: u32,
    offset: Value,
}

impl BoundsCodec {
    /// The fields that this shape needs.
    #[must_use]
    pub fn new(shape: &super::TableShape) -> BoundsCodec {
        let value_bits = u32::BITS - (2 * shape.max_value as u32).leading_zeros();
        let code_bits = usize::BITS - shape.codes.leading_zeros();
        let best_at = 1 + 2 * value_bits;
        let work_at = best_at + code_bits;
        let depth_at = work_at + WORK_BITS;
        let end = depth_at + shape.depth_bits;
        assert!(end <= 60, "values, move codes and depths need {end} bits");
        BoundsCodec {
            value_bits,
            code_bits,
            best_at,
            work_at,
            depth_at,
            end,
            offset: shape.max_value,
        }
    }
}

impl EntryCodec for BoundsCodec {
    type Entry = TableEntry;

    #[inline(always)]
    fn end(&self) -> u32 {
        self.end
    }

    #[inline(always)]
    fn pack(&self, e: &TableEntry) -> u64 {
        let lo = (e.lo + self.offset) as u64;
        let hi = (e.hi + self.offset) as u64;
        debug_assert!(e.lo <= e.hi && lo.max(hi) >> self.value_bits == 0, "{e:?}");
        debug_assert!(e.best.is_none_or(|b| (b + 1) >> self.code_bits == 0), "{e:?}");
        debug_assert!(e.work >> WORK_BITS == 0 && e.depth >> (self.end - self.depth_at) == 0);
        1 | lo << 1
            | hi << (1 + self.value_bits)
            | e.best.map_or(0, |b| b as u64 + 1) << self.best_at
            | u64::from(e.work) << self.work_at
            | u64::from(e.depth) << self.depth_at
    }

    #[inline(always)]
    fn unpack(&self, data: u64) -> TableEntry {
        let take = |at: u32, bits: u32| data >> at & ((1 << bits) - 1);
        let best = take(self.best_at, self.code_bits);
        TableEntry {
            lo: take(1, self.value_bits) as Value - self.offset,
            hi: take(1 + self.value_bits, self.value_bits) as Value - self.offset,
            best: (best as usize).checked_sub(1),
            work: self.work(data),
            depth: take(self.depth_at, self.end - self.depth_at) as u32,
        }
    }

    #[inline(always)]
    fn work(&self, data: u64) -> u32 {
        (data >> self.work_at & ((1 << WORK_BITS) - 1)) as u32
    }
}

/// How the slots of a table's buckets lie.
#[derive(Clone, Copy, Debug)]
pub struct BucketLayout<R> {
    pub record: R,
    /// Words of a slot: 1, 2 or 3, in a long bucket 2 or more.
    pub words: usize,
    /// Whether each position has one slot of its bucket, and takes it from whoever is there.
    pub replace_always: bool,
}

impl<R: EntryCodec> BucketLayout<R> {
    /// The words at which the slots of a bucket start.
    #[inline(always)]
    pub fn slot_starts(&self) -> &'static [usize] {
        match self.words {
            1 => &[0, 1, 2, 3, 4, 5, 6, 7],
            2 => &[2, 4, 6],
            _ => &[2, 5],
        }
    }

    /// The low word of a remainder, marked as used but without data, and the high words.
    #[inline(always)]
    pub fn signature(&self, rest: u128) -> (u64, u128) {
        // By halves: `end` lies between 1 and 60, and the upper half of a short key is nothing.
        let (end, low, up) = (self.record.end(), rest as u64, (rest >> 64) as u64);
        let spare = 64 - end;
        (low << end | 1, u128::from(low >> spare | up << end) | u128::from(up >> spare) << 64)
    }

    /// The high words of a wide slot.
    #[inline(always)]
    pub fn high(&self, bucket: &Bucket, slot: usize) -> u128 {
        let high = u128::from(bucket.0[slot + 1].load(Ordering::Relaxed));
        match self.words {
            3 => high | u128::from(bucket.0[slot + 2].load(Ordering::Relaxed)) << 64,
            _ => high,
        }
    }

    /// Whether a low word is used and its part of the remainder is that of `wanted`.
    #[inline(always)]
    fn matches(&self, low: u64, wanted: u64) -> bool {
        (low ^ wanted) & (u64::MAX << self.record.end() | 1) == 0
    }

    /// The low word of the slot that holds this remainder.
    #[inline(always)]
    pub fn find(&self, bucket: &Bucket, rest: u128) -> Option<u64> {
        if self.words == 1 { self.find_narrow(bucket, rest) } else { self.find_wide(bucket, rest) }
    }

    /// Writes data for this remainder; returns whether an empty slot was taken.
    #[inline(always)]
    pub fn put(&self, bucket: &Bucket, rest: u128, data: u64) -> bool {
        if self.words == 1 {
            self.put_narrow(bucket, rest, data)
        } else {
            self.put_wide(bucket, rest, data)
        }
    }

    #[inline(always)]
    fn find_narrow(&self, bucket: &Bucket, rest: u128) -> Option<u64> {
        let (wanted, _) = self.signature(rest);
        bucket.0.iter().map(|s| s.load(Ordering::Relaxed)).find(|&low| self.matches(low, wanted))
    }

    #[inline(always)]
    fn find_wide(&self, bucket: &Bucket, rest: u128) -> Option<u64> {
        let before = bucket.0[0].load(Ordering::Acquire);
        if before & 1 == 1 {
            return None;
        }
        let (wanted, high) = self.signature(rest);
        let low = match self.words {
            2 => self.find_in([2, 4, 6], bucket, wanted, high),
            _ => self.find_in([2, 5], bucket, wanted, high),
        }?;
        fence(Ordering::Acquire);
        (bucket.0[0].load(Ordering::Relaxed) == before).then_some(low)
    }

    /// The low word of the one of these wide slots that holds a remainder with these words.
    #[inline(always)]
    fn find_in<const N: usize>(
        &self,
        slots: [usize; N],
        bucket: &Bucket,
        wanted: u64,
        high: u128,
    ) -> Option<u64> {
        for slot in slots {
            // The high words tell most keys apart.
            let second = bucket.0[slot + 1].load(Ordering::Relaxed);
            if second != high as u64 || N == 2 && self.high(bucket, slot) != high {
                continue;
            }
            let low = bucket.0[slot].load(Ordering::Relaxed);
            if self.matches(low, wanted) {
                return Some(low);
            }
        }
        None
    }

    /// What it costs to replace an entry: nothing for an empty slot, else its work.
    #[inline(always)]
    fn loss(&self, low: u64) -> u32 {
        if low & 1 == 0 { 0 } else { 1 + self.record.work(low) }
    }

    /// The slots that a new entry with this remainder may take.
    #[inline(always)]
    fn choice<'s, T>(&self, slots: &'s [T], rest: u128) -> &'s [T] {
        match self.replace_always {
            false => slots,
            true => std::slice::from_ref(&slots[rest as usize % slots.len()]),
        }
    }

    #[inline(always)]
    fn put_narrow(&self, bucket: &Bucket, rest: u128, mut data: u64) -> bool {
        let (wanted, _) = self.signature(rest);
        let (mut victim, mut least) = (&bucket.0[0], u32::MAX);
        for slot in self.choice(&bucket.0, rest) {
            let low = slot.load(Ordering::Relaxed);
            if self.matches(low, wanted) {
                (victim, least, data) = (slot, 1, self.record.over(low, data));
                break;
            }
            if self.loss(low) < least {
                (victim, least) = (slot, self.loss(low));
            }
        }
        victim.store(wanted | data, Ordering::Relaxed);
        least == 0
    }

    #[inline(always)]
    fn put_wide(&self, bucket: &Bucket, rest: u128, mut data: u64) -> bool {
        let seq = bucket.0[0].load(Ordering::Relaxed);
        let take =
            || bucket.0[0].compare_exchange(seq, seq + 1, Ordering::Acquire, Ordering::Relaxed);
        if seq & 1 == 1 || take().is_err() {
            return false;
        }
        fence(Ordering::Release);
        let (wanted, high) = self.signature(rest);
        let (mut victim, mut least) = (2, u32::MAX);
        for &slot in self.choice(self.slot_starts(), rest) {
            let low = bucket.0[slot].load(Ordering::Relaxed);
            if self.matches(low, wanted) && self.high(bucket, slot) == high {
                (victim, least, data) = (slot, 1, self.record.over(low, data));
                break;
            }
            if self.loss(low) < least {
                (victim, least) = (slot, self.loss(low));
            }
        }
        bucket.0[victim].store(wanted | data, Ordering::Relaxed);
        bucket.0[victim + 1].store(high as u64, Ordering::Relaxed);
        if self.words == 3 {
            bucket.0[victim + 2].store((high >> 64) as u64, Ordering::Relaxed);
        }
        bucket.0[0].store(seq + 2, Ordering::Release);
        least == 0
    }
}

/// The words at which the slots of a long bucket start: their low words.
pub const LONG_STARTS: &[usize] = &[1, 2, 3];

/// The cache lines of a long bucket whose slots have so many words.
#[inline(always)]
pub const fn long_lines(words: usize) -> usize {
    (1 + LONG_STARTS.len() * words).div_ceil(8)
}

/// The word of a long bucket at an index.
#[inline(always)]
pub fn word_at(lines: &[Bucket], index: usize) -> &AtomicU64 {
    &lines[index / 8].0[index % 8]
}

/// Long buckets: several cache lines, and slots of any number of words.
impl<R: EntryCodec> BucketLayout<R> {
    /// Which word of a slot is the tag.
    #[inline(always)]
    fn tag(&self) -> usize {
        (self.words - 2).max(1)
    }

    /// Where a word of a slot lies, counted from the start of the bucket.
    #[inline(always)]
    pub fn long_index(&self, slot: usize, word: usize) -> usize {
        let (slots, tag) = (LONG_STARTS.len(), self.tag());
        match word {
            0 => 1 + slot,
            _ if word == tag => 1 + slots + slot,
            _ => 1 + 2 * slots + slot * (self.words - 2) + word - 1 - usize::from(word > tag),
        }
    }

    /// A word of the slot for a remainder: its bits come behind those of the data, which are 0 here.
    #[inline(always)]
    fn long_word<K: Words>(&self, rest: K, word: usize) -> u64 {
        let end = self.record.end();
        let below = if word == 0 { 0 } else { rest.word(word - 1) };
        rest.word(word) << end | below >> (64 - end)
    }

    /// The low word of a remainder, marked as used, and the tag.
    #[inline(always)]
    fn long_signature<K: Words>(&self, rest: K) -> (u64, u64) {
        (self.long_word(rest, 0) | 1, self.long_word(rest, self.tag()))
    }

    /// Whether a slot, used with this low word, holds the remainder with this signature.
    #[inline(always)]
    fn holds<K: Words>(
        &self,
        lines: &[Bucket],
        slot: usize,
        low: u64,
        (wanted, tag): (u64, u64),
        rest: K,
    ) -> bool {
        let same = |word: usize| {
            let there = word_at(lines, self.long_index(slot, word)).load(Ordering::Relaxed);
            there == self.long_word(rest, word)
        };
        // The tag tells nearly all keys apart.
        lines[0].0[1 + LONG_STARTS.len() + slot].load(Ordering::Relaxed) == tag
            && self.matches(low, wanted)
            && (1..self.words).all(|word| word == self.tag() || same(word))
    }

    /// The low word of the slot that holds this remainder.
    #[inline]
    pub fn find_long<K: Words>(&self, lines: &[Bucket], rest: K) -> Option<u64> {
        let seq = &lines[0].0[0];
        let before = seq.load(Ordering::Acquire);
        if before & 1 == 1 {
            return None;
        }
        let signature = self.long_signature(rest);
        let low = LONG_STARTS.iter().enumerate().find_map(|(slot, &start)| {
            let low = lines[0].0[start].load(Ordering::Relaxed);
            self.holds(lines, slot, low, signature, rest).then_some(low)
        })?;
        fence(Ordering::Acquire);
        (seq.load(Ordering::Relaxed) == before).then_some(low)
    }

    /// Writes data for this remainder; returns whether an empty slot was taken.
    #[inline]
    pub fn put_long<K: Words>(&self, lines: &[Bucket], rest: K, mut data: u64) -> bool {
        let number = &lines[0].0[0];
        let seq = number.load(Ordering::Relaxed);
        let take = || number.compare_exchange(seq, seq + 1, Ordering::Acquire, Ordering::Relaxed);
        if seq & 1 == 1 || take().is_err() {
            return false;
        }
        fence(Ordering::Release);
        let signature = self.long_signature(rest);
        let only = signature.1 as usize % LONG_STARTS.len();
        let (mut victim, mut least) = (0, u32::MAX);
        for (slot, &start) in LONG_STARTS.iter().enumerate() {
            if self.replace_always && slot != only {
                continue;
            }
            let low = lines[0].0[start].load(Ordering::Relaxed);
            if self.holds(lines, slot, low, signature, rest) {
                (victim, least, data) = (slot, 1, self.record.over(low, data));
                break;
            }
            if self.loss(low) < least {
                (victim, least) = (slot, self.loss(low));
            }
        }
        for word in 0..self.words {
            let low = if word == 0 { data | 1 } else { 0 };
            word_at(lines, self.long_index(victim, word))
                .store(self.long_word(rest, word) | low, Ordering::Relaxed);
        }
        number.store(seq + 2, Ordering::Release);
        least == 0
    }

    /// Moves the entries of a long bucket to the halves of it, by this bit of the remainder, which is taken away. The first
    /// half may be the bucket itself.
    pub fn split_long(&self, from: &[Bucket], halves: [&[Bucket]; 2], bit: u32) {
        let bit = bit + self.record.end();
        let (place, mask) = (bit as usize / 64, 1 << (bit % 64));
        let read = |slot, word| word_at(from, self.long_index(slot, word)).load(Ordering::Relaxed);
        let mut used = [0; 2];
        for slot in 0..LONG_STARTS.len() {
            if read(slot, 0) & 1 == 0 {
                continue;
            }
            let half = usize::from(read(slot, place) & mask != 0);
            for word in 0..self.words {
                let bits = read(slot, word) & if word == place { !mask } else { u64::MAX };
                word_at(halves[half], self.long_index(used[half], word))
                    .store(bits, Ordering::Relaxed);
            }
            used[half] += 1;
        }
        for (half, used) in halves.into_iter().zip(used) {
            LONG_STARTS[used..].iter().for_each(|&at| half[0].0[at].store(0, Ordering::Relaxed));
            half[0].0[0].store(0, Ordering::Relaxed);
        }
    }
}

/// Every order in which two writers and a reader can meet in a wide or long bucket, by the model checker:
/// `RUSTFLAGS="--cfg loom" cargo test -p zermelo-search --lib loom`.
#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;
    use zermelo_game::Wide;

    #[test]
    fn a_reader_never_sees_a_torn_long_slot() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let shape =
                super::super::TableShape { key_bits: 150, max_value: 1, codes: 60, depth_bits: 0 };
            let layout =
                BucketLayout { record: BoundsCodec::new(&shape), words: 3, replace_always: false };
            let lines: Arc<Vec<Bucket>> = Arc::new(
                (0..long_lines(3))
                    .map(|_| Bucket(std::array::from_fn(|_| AtomicU64::new(0))))
                    .collect(),
            );
            let entry = |n| TableEntry { lo: 0, hi: 1, best: Some(n), work: 1, depth: 0 };
            // The two keys share the low word and the tag, and differ in the last word.
            let key = |n: usize| Wide([0, 0, n as u64 + 1]);
            assert_eq!(layout.long_word(key(1), 0), layout.long_word(key(0), 0));
            assert_eq!(
                layout.long_word(key(1), layout.tag()),
                layout.long_word(key(0), layout.tag())
            );
            for n in [8, 9] {
                let data = layout.record.pack(&TableEntry { work: 50, ..entry(n) });
                layout.put_long(&lines, key(n), data);
            }
            let writers: Vec<_> = (0..2)
                .map(|n| {
                    let lines = lines.clone();
                    let data = layout.record.pack(&entry(n));
                    thread::spawn(move || layout.put_long(&lines, key(n), data))
                })
                .collect();
            let reader = thread::spawn(move || {
                if let Some(low) = layout.find_long(&lines, key(1)) {
                    assert_eq!(layout.record.unpack(low), entry(1));
                }
            });
            for writer in writers {
                assert!(writer.join().is_ok());
            }
            assert!(reader.join().is_ok());
        });
    }

    #[test]
    fn a_reader_never_sees_a_torn_slot() {
        let mut model = loom::model::Builder::new();
        // Torn reads show with two; three keeps the run short.
        model.preemption_bound = Some(3);
        model.check(move || {
            let shape =
                super::super::TableShape { key_bits: 100, max_value: 1, codes: 60, depth_bits: 0 };
            let layout =
                BucketLayout { record: BoundsCodec::new(&shape), words: 2, replace_always: false };
            let bucket = Arc::new(Bucket(std::array::from_fn(|_| AtomicU64::new(0))));
            let entry = |n| TableEntry { lo: 0, hi: 1, best: Some(n), work: 1, depth: 0 };
            // The two keys share the low word and differ in the high one.
            let key = |n: usize| (n as u128 + 1) << 60;
            // Two slots hold entries that nobody replaces, so that both writers want the third.
            for n in [8, 9] {
                layout.put(
                    &bucket,
                    key(n),
                    layout.record.pack(&TableEntry { work: 50, ..entry(n) }),
                );
            }
            let writers: Vec<_> = (0..2)
                .map(|n| {
                    let bucket = bucket.clone();
                    let data = layout.record.pack(&entry(n));
                    thread::spawn(move || layout.put(&bucket, key(n), data))
                })
                .collect();
            let reader = thread::spawn(move || {
                if let Some(low) = layout.find(&bucket, key(1)) {
                    assert_eq!(layout.record.unpack(low), entry(1));
                }
            });
            for writer in writers {
                assert!(writer.join().is_ok());
            }
            assert!(reader.join().is_ok());
        });
    }
}
