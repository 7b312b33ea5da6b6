//! The transposition table: exact keys, cache-line buckets, shared by threads without locks.
//!
//! **Exact without storing the key.** Keys of `K` bits are spread by a bijection
//! ([`Key::mix`]). The top `n` bits of the result choose one of 2^n buckets, and the other `K - n`
//! bits, the *remainder*, are stored: bucket and remainder together are the key, so two positions are
//! never confused. Most games fit remainder and data into 8 bytes, and keys may have any length; `bucket.rs` shows the
//! layout.
//!
//! **Replacement** keeps work: a new entry takes an empty slot, else the slot with the smallest
//! subtree (its logarithm is the field `work`).
//!
//! **Growth.** The table starts small, so that small problems stay in the cache, and doubles while it
//! fills. Bucket `i` splits into `2i` and `2i+1` by the top bit of the remainder: one pass from the
//! end, in place. Nobody may probe meanwhile ([`Table::grow`] takes `&mut self`).

mod bucket;

pub use bucket::{BoundsCodec, EntryCodec, TableEntry, WORK_BITS};
use bucket::{Bucket, BucketLayout, LONG_STARTS, long_lines};
use memmap2::{MmapMut, MmapOptions};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use zermelo_game::{Key, Value, fetch};

/// What a table has to hold.
#[derive(Clone, Copy, Debug)]
pub struct TableShape {
    /// Bits of a key.
    pub key_bits: u32,
    /// Values lie between minus this and this.
    pub max_value: Value,
    /// Moves have codes below this.
    pub codes: usize,
    /// Bits of depth; 0 where no search has a horizon.
    pub depth_bits: u32,
}

/// The first size, in buckets: 256 KiB, or more for long keys.
const FIRST_BITS: u32 = 12;
/// A table that would need a larger first size for narrow slots gets wide ones: 128 MiB.
const NARROW_FIRST_BITS: u32 = 17;
/// From so many bytes on the system is asked for huge pages.
#[cfg(target_os = "linux")]
const HUGE: u64 = 2 << 20;

/// A transposition table for keys of type `K`.
pub struct Table<K, R = BoundsCodec> {
    memory: MmapMut,
    layout: BucketLayout<R>,
    key_bits: u32,
    /// 2 to this power is the number of buckets in use, and the most there may be.
    bits: u32,
    max_bits: u32,
    /// Slots in use, as reported by [`count`](Self::count).
    filled: AtomicU64,
    key: PhantomData<K>,
}

/// Whether keys of so many bits take buckets of several cache lines. Of types with one or two words the compiler knows that
/// they do not.
#[inline(always)]
const fn is_long<K: Key>(key_bits: u32) -> bool {
    K::WORDS > 2 && key_bits > 128
}

impl<K: Key> Table<K> {
    /// A table that uses at most `bytes`. `None` if not even the smallest fits, or the system does
    /// not give the memory.
    #[must_use]
    pub fn new(shape: &TableShape, bytes: u64) -> Option<Table<K>> {
        Table::of(BoundsCodec::new(shape), shape.key_bits, bytes)
    }

    /// A table of fixed size with at most so many entries (and bytes), in which a new entry always
    /// replaces whatever is in the way, as in a table without buckets.
    #[must_use]
    pub fn fixed(shape: &TableShape, entries: u64, bytes: u64) -> Option<Table<K>> {
        let mut table = Table::bounded(BoundsCodec::new(shape), shape.key_bits, entries, bytes)?;
        table.layout.replace_always = true;
        Some(table)
    }
}

impl<K: Key, R: EntryCodec> Table<K, R> {
    /// A table of such records for keys of so many bits, that uses at most `bytes`.
    #[must_use]
    pub fn of(record: R, key_bits: u32, bytes: u64) -> Option<Table<K, R>> {
        let most = |lines: usize| {
            Some((bytes / (64 * lines as u64)).checked_ilog2()?.min(key_bits).min(40))
        };
        // The bucket's number must leave a remainder that fits beside the data in so many words,
        // and must take a bit at least from a key that fills its type.
        let least = |words: usize| {
            let spill = (key_bits + record.end()).saturating_sub(64 * words as u32);
            spill.max(u32::from(key_bits == K::BITS))
        };
        let (words, lines) = if is_long::<K>(key_bits) {
            let first = (key_bits + record.end() - FIRST_BITS).div_ceil(64) as usize;
            let fits = |words: &usize| most(long_lines(*words)).is_some_and(|m| least(*words) <= m);
            let words = (first..first + 2).find(fits)?;
            (words, long_lines(words))
        } else if least(1) <= most(1)?.min(NARROW_FIRST_BITS) {
            (1, 1)
        } else if least(2) <= most(1)? {
            (2, 1)
        } else {
            (3, 1)
        };
        let max_bits = most(lines)?;
        if least(words) > max_bits {
            return None;
        }
        let bits = FIRST_BITS.max(least(words)).min(max_bits);
        // Pages are handed out by the system when they are first touched.
        let memory = MmapOptions::new().len((64 * lines) << max_bits).map_anon().ok()?;
        let table = Table {
            memory,
            layout: BucketLayout { record, words, replace_always: false },
            key_bits,
            bits,
            max_bits,
            filled: AtomicU64::new(0),
            key: PhantomData,
        };
        table.ask_for_huge_pages();
        Some(table)
    }

    /// The same, still empty, with its full size from the start: it never grows, so that any number of solvers may
    /// share it.
    #[must_use]
    pub fn full(mut self) -> Table<K, R> {
        debug_assert_eq!(self.permille(), 0, "what it holds would be lost");
        self.bits = self.max_bits;
        self.ask_for_huge_pages();
        self
    }

    /// A table of fixed size with at most so many entries (and bytes).
    #[must_use]
    pub fn bounded(record: R, key_bits: u32, entries: u64, bytes: u64) -> Option<Table<K, R>> {
        let probe = Table::<K, R>::of(record, key_bits, bytes)?;
        let buckets = (entries / probe.slot_starts().len() as u64).checked_ilog2()?;
        let most = (64 * probe.lines() as u64) << buckets;
        let mut table = Table::<K, R>::of(record, key_bits, bytes.min(most))?;
        table.bits = table.max_bits;
        table.ask_for_huge_pages();
        Some(table)
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (64 * self.lines() as u64) << self.bits
    }

    /// Slots there are.
    #[must_use]
    pub fn slots(&self) -> u64 {
        (self.slot_starts().len() as u64) << self.bits
    }

    /// Share of slots in use, in thousandths, as far as reported.
    #[must_use]
    pub fn permille(&self) -> u32 {
        (self.filled.load(Ordering::Relaxed) * 1000 / self.slots()).min(1000) as u32
    }

    /// Reports slots that were empty before: the `true` answers of [`put`](Self::put).
    pub fn count(&self, filled: u64) {
        self.filled.fetch_add(filled, Ordering::Relaxed);
    }

    /// Whether it is time to [`grow`](Self::grow).
    #[must_use]
    pub fn wants_to_grow(&self) -> bool {
        self.bits < self.max_bits && self.permille() > 600
    }

    /// Whether buckets are long: only for keys of more than 128 bits.
    #[inline(always)]
    fn is_long(&self) -> bool {
        is_long::<K>(self.key_bits)
    }

    /// The cache lines of a bucket.
    #[inline(always)]
    fn lines(&self) -> usize {
        if self.is_long() { long_lines(self.layout.words) } else { 1 }
    }

    /// The words of a bucket's first line at which slots start.
    fn slot_starts(&self) -> &'static [usize] {
        if self.is_long() { LONG_STARTS } else { self.layout.slot_starts() }
    }

    /// The lines of a long bucket.
    #[inline(always)]
    fn long_bucket(&self, at: usize) -> &[Bucket] {
        let lines = self.lines();
        &self.buckets()[at * lines..][..lines]
    }

    /// All cache lines: the buckets, where these are not long.
    #[inline(always)]
    fn buckets(&self) -> &[Bucket] {
        // SAFETY: the mapping holds 2^max_bits buckets, is page-aligned and starts as zeroes, which
        // are valid atomics; all access goes through the atomics, and the slice lives as long as the
        // mapping. A boxed slice would be safe, but could neither reserve room to grow in place nor
        // ask for huge pages (26.6 against 39.9 ns a probe at 4 GiB).
        unsafe {
            std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.lines() << self.bits)
        }
    }

    /// A key as the table spreads it.
    #[must_use]
    #[inline(always)]
    pub fn spread(&self, key: K) -> K {
        key.mix(self.key_bits)
    }

    /// The bucket of a spread key and the remainder.
    #[inline(always)]
    fn place(&self, spread: K) -> (usize, K) {
        spread.split(self.key_bits - self.bits)
    }

    /// Fetches the bucket of a [spread](Self::spread) key into the cache.
    #[inline(always)]
    pub fn prefetch(&self, spread: K) {
        fetch(&self.buckets()[self.place(spread).0 * self.lines()]);
    }

    /// What is known of a position.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, key: K) -> Option<R::Entry> {
        self.get_spread(self.spread(key))
    }

    /// The same for a key that is [spread](Self::spread) already.
    #[must_use]
    #[inline(always)]
    pub fn get_spread(&self, spread: K) -> Option<R::Entry> {
        let (at, rest) = self.place(spread);
        let low = match self.is_long() {
            true => self.layout.find_long(self.long_bucket(at), rest),
            false => self.layout.find(&self.buckets()[at], rest.low()),
        }?;
        Some(self.layout.record.unpack(low))
    }

    /// Writes what is known of a position, over what was known before. Returns whether an empty slot
    /// was taken.
    #[inline(always)]
    pub fn put(&self, key: K, entry: &R::Entry) -> bool {
        let (at, rest) = self.place(self.spread(key));
        let data = self.layout.record.pack(entry);
        match self.is_long() {
            true => self.layout.put_long(self.long_bucket(at), rest, data),
            false => self.layout.put(&self.buckets()[at], rest.low(), data),
        }
    }

    /// Forgets everything, keeps the size.
    pub fn clear(&mut self) {
        for bucket in self.buckets() {
            bucket.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
        self.filled.store(0, Ordering::Relaxed);
    }

    /// Doubles the table; every entry moves to its new bucket. The work is shared by so many threads.
    ///
    /// # Panics
    /// If the table has its full size already.
    pub fn grow(&mut self, threads: usize) {
        assert!(self.bits < self.max_bits, "the table has its full size");
        let old = 1usize << self.bits;
        self.bits += 1;
        self.ask_for_huge_pages();
        // Buckets from `half` to `end` split into those from `end` on, which were empty or have been
        // split already: so all of them can be split at the same time.
        let mut end = old;
        while end > 0 {
            let half = if end > 1 << FIRST_BITS { end / 2 } else { 0 };
            if half == 0 || threads == 1 {
                (half..end).rev().for_each(|i| self.split(i));
            } else {
                let share = (end - half).div_ceil(threads);
                std::thread::scope(|scope| {
                    for first in (half..end).step_by(share) {
                        let table = &*self;
                        let mine = first..end.min(first + share);
                        scope.spawn(move || mine.for_each(|i| table.split(i)));
                    }
                });
            }
            end = half;
        }
    }

    /// Moves the entries of a bucket of the table before it doubled to their new buckets.
    fn split(&self, i: usize) {
        // The remainder's top bit has become the last bit of the bucket's number.
        let top = self.key_bits - self.bits;
        if self.is_long() {
            let halves = [2 * i, 2 * i + 1].map(|at| self.long_bucket(at));
            return self.layout.split_long(self.long_bucket(i), halves, top);
        }
        let end = self.layout.record.end();
        let starts = self.layout.slot_starts();
        let buckets = self.buckets();
        let bucket = &buckets[i];
        let mut halves = [[0u64; 8]; 2];
        let mut used = [0; 2];
        for &slot in starts {
            let low = bucket.0[slot].load(Ordering::Relaxed);
            if low & 1 == 0 {
                continue;
            }
            let high = if self.layout.words == 1 { 0 } else { self.layout.high(bucket, slot) };
            let rest = high << (64 - end) | u128::from(low >> end);
            let half = (rest >> top & 1) as usize;
            let (mark, high) = self.layout.signature(rest & !(1 << top));
            let to = starts[used[half]];
            used[half] += 1;
            halves[half][to] = mark | low & ((1 << end) - 1);
            for word in 1..self.layout.words {
                halves[half][to + word] = (high >> (64 * (word - 1))) as u64;
            }
        }
        for (half, words) in halves.iter().enumerate() {
            for (to, word) in buckets[2 * i + half].0.iter().zip(words) {
                to.store(*word, Ordering::Relaxed);
            }
        }
    }

    /// Whether the table has its full size and is nearly full.
    #[must_use]
    pub fn wants_a_sweep(&self) -> bool {
        self.bits == self.max_bits && self.permille() > 900
    }

    /// Empties the slots of the entries that took the least work, about `permille` of them
    /// (SmallTreeGC, Nagai 1999). Returns how many.
    pub fn sweep(&mut self, permille: u32) -> u64 {
        let (starts, lines) = (self.slot_starts(), self.lines());
        let mut count = [0u64; 1 << WORK_BITS];
        let used = |low: u64| low & 1 == 1;
        for bucket in self.buckets().iter().step_by(lines) {
            for &slot in starts {
                let low = bucket.0[slot].load(Ordering::Relaxed);
                if used(low) {
                    count[self.layout.record.work(low) as usize] += 1;
                }
            }
        }
        let all: u64 = count.iter().sum();
        // All below the edge go, and so many of those on it.
        let (mut quota, mut edge) = ((all * u64::from(permille)).div_ceil(1000), 0);
        let gone = quota;
        while edge + 1 < count.len() && count[edge] < quota {
            quota -= count[edge];
            edge += 1;
        }
        for bucket in self.buckets().iter().step_by(lines) {
            for &slot in starts {
                let low = bucket.0[slot].load(Ordering::Relaxed);
                let work = self.layout.record.work(low) as usize;
                if !used(low) || work > edge || work == edge && quota == 0 {
                    continue;
                }
                quota -= u64::from(work == edge);
                bucket.0[slot].store(0, Ordering::Relaxed);
            }
        }
        self.filled.store(all - gone, Ordering::Relaxed);
        gone
    }

    fn ask_for_huge_pages(&self) {
        #[cfg(target_os = "linux")]
        if self.bytes() >= HUGE {
            // A refusal costs speed, nothing else.
            let _ = self.memory.advise_range(memmap2::Advice::HugePage, 0, self.bytes() as usize);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use zermelo_game::{Wide, Words};

    const SHAPE: TableShape = TableShape { key_bits: 20, max_value: 1, codes: 9, depth_bits: 0 };

    fn entry(x: u64) -> TableEntry {
        let lo = (x % 3) as Value - 1;
        let best = (x.is_multiple_of(5)).then_some((x % 9) as usize);
        TableEntry {
            lo,
            hi: lo.max((x / 3 % 3) as Value - 1),
            best,
            work: (x % 60) as u32,
            depth: 0,
        }
    }

    #[test]
    fn a_sweep_takes_what_was_cheap() {
        let table = Table::<u64>::new(&TableShape { key_bits: 40, ..SHAPE }, 1 << 14).unwrap();
        sweeps(table, |k| k);
        let table = Table::<Wide<9>>::new(&TableShape { key_bits: 540, ..SHAPE }, 1 << 20).unwrap();
        sweeps(table, |k| Wide::of(k) << 530);
    }

    fn sweeps<K: Key>(mut table: Table<K>, key: impl Fn(u64) -> K) {
        let entry = |work| TableEntry { lo: 0, hi: 1, best: None, work, depth: 0 };
        let work = |k: u64| (k % 10) as u32;
        for k in 0..1000 {
            table.count(u64::from(table.put(key(k), &entry(work(k)))));
        }
        let kept = |table: &Table<K>| (0..1000).filter(|&k| table.get(key(k)).is_some()).count();
        let before = kept(&table);
        let cheap: Vec<u64> = (0..1000).filter(|&k| work(k) < 3).collect();
        let gone = table.sweep(500) as usize;
        assert_eq!(gone, before.div_ceil(2));
        assert_eq!(kept(&table), before - gone);
        assert!(cheap.iter().all(|&k| table.get(key(k)).is_none()));
        assert!((0..1000).filter(|&k| work(k) > 6).all(|k| table.get(key(k)).is_some()));
        assert_eq!(u64::from(table.permille()), (before - gone) as u64 * 1000 / table.slots());
    }

    /// Fills a table, growing it, and checks that it only ever tells what was put.
    fn never_wrong<K: Key>(shape: TableShape, bytes: u64, key: impl Fn(u64) -> K) {
        never_wrong_for(300_000, shape, bytes, key);
    }

    fn never_wrong_for<K: Key>(
        rounds: usize,
        shape: TableShape,
        bytes: u64,
        key: impl Fn(u64) -> K,
    ) {
        let mut table = Table::<K>::new(&shape, bytes).unwrap();
        let mut truth = HashMap::new();
        let mut x = 12345u64;
        let mut hits = 0;
        for i in 0..if cfg!(miri) { 600 } else { rounds } {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let k = key(x >> 20);
            if i % 3 == 0 {
                if let Some(found) = table.get(k) {
                    assert_eq!(Some(&found), truth.get(&k));
                    hits += 1;
                }
            } else {
                let filled = table.put(k, &entry(x >> 9));
                table.count(u64::from(filled));
                truth.insert(k, entry(x >> 9));
                assert_eq!(table.get(k), Some(entry(x >> 9)));
                if table.wants_to_grow() {
                    table.grow(1 + i % 4);
                    assert_eq!(table.get(k), Some(entry(x >> 9)));
                }
            }
        }
        assert!(cfg!(miri) || hits > 10, "{hits}");
        table.clear();
        assert!(truth.keys().all(|k| table.get(*k).is_none()));
    }

    #[test]
    fn narrow_tables_are_never_wrong() {
        never_wrong::<u64>(SHAPE, 1 << 10, |x| x & 0xFFFFF);
        never_wrong::<u64>(SHAPE, 1 << 22, |x| x & 0xFFFFF);
        never_wrong::<u64>(TableShape { key_bits: 49, ..SHAPE }, 1 << 22, |x| (x & 0xFFFF) << 33);
        never_wrong::<u128>(TableShape { key_bits: 52, ..SHAPE }, 1 << 21, |x| {
            u128::from(x & 0x3FFFF) << 30
        });
    }

    #[test]
    fn wide_tables_are_never_wrong() {
        let shape = TableShape { key_bits: 128, codes: 300, max_value: 64, depth_bits: 8 };
        never_wrong::<u128>(shape, 64 << 14, |x| u128::from(x & 0x3FFFF) << 110);
        let shape = TableShape { key_bits: 100, ..shape };
        never_wrong::<u128>(shape, 64 << 14, |x| u128::from(x & 0x3FFFF) << 82);
        never_wrong::<u64>(TableShape { key_bits: 64, ..SHAPE }, 64 << 10, |x| (x & 0x3FFFF) << 44);
    }

    #[test]
    fn long_tables_are_never_wrong() {
        let test = |shape, bytes, key: &dyn Fn(u64) -> Wide<9>| {
            never_wrong_for(40_000, shape, bytes, |x| key(x & 0x7FFF));
        };
        let shape = TableShape { key_bits: 527, codes: 300, max_value: 64, depth_bits: 8 };
        for at in [0, 60, 300, 494, 512] {
            // Small, so that entries are replaced, and large, so that it grows.
            test(shape, 1 << 12, &|x| Wide::of(x) << at);
            test(shape, 1 << 24, &|x| Wide::of(x) << at);
        }
        test(shape, 1 << 24, &|x| Wide::of(x & 0xFF) | Wide::of(x & 0x7F00) << 500);
        for key_bits in [129, 130, 140, 150, 170, 191, 192, 193, 320, 447, 513, 576] {
            for shape in [TableShape { key_bits, ..shape }, TableShape { key_bits, ..SHAPE }] {
                test(shape, 1 << 22, &|x| Wide::of(x) << (key_bits - 15));
            }
        }
        let shape = TableShape { key_bits: 192, ..shape };
        never_wrong_for(40_000, shape, 1 << 22, |x| Wide([0, 0, x << 49]));
    }

    #[test]
    fn wide_types_with_short_keys_take_short_buckets() {
        for key_bits in [20, 64, 100, 128] {
            let shape = TableShape { key_bits, ..SHAPE };
            let table = Table::<Wide<9>>::new(&shape, 1 << 22).unwrap();
            assert_eq!(table.lines(), 1);
            assert_eq!(
                table.layout.words,
                Table::<u128>::new(&shape, 1 << 22).unwrap().layout.words
            );
            never_wrong_for(40_000, shape, 1 << 22, |x| {
                Wide::<9>::of(x & 0x7FFF) << (key_bits - 15)
            });
        }
    }

    #[test]
    fn long_buckets_hold_whole_keys() {
        // Words of a slot and lines of a bucket; the slots fill the lines where both numbers are odd.
        for (key_bits, words, lines) in
            [(129, 3, 2), (192, 4, 2), (255, 5, 2), (527, 9, 4), (576, 10, 4)]
        {
            let shape = TableShape { key_bits, codes: 361, max_value: 361, depth_bits: 0 };
            let table = Table::<Wide<9>>::new(&shape, 1 << 20).unwrap();
            assert_eq!((table.layout.words, table.lines()), (words, lines), "{key_bits} bits");
            assert_eq!(table.slots(), 3 * table.bytes() / (64 * lines as u64));
            // The words of the three slots lie apart.
            let mut taken = vec![false; 8 * lines];
            taken[0] = true;
            for (slot, word) in (0..3).flat_map(|s| (0..words).map(move |w| (s, w))) {
                let index = table.layout.long_index(slot, word);
                assert!(!std::mem::replace(&mut taken[index], true), "{key_bits} bits: {index}");
            }
        }
    }

    #[test]
    fn small_key_spaces_are_indexed_directly() {
        let table = Table::<u64>::new(&TableShape { key_bits: 5, ..SHAPE }, 1 << 30).unwrap();
        assert_eq!(table.bytes(), 64 << 5);
        for k in 0..32u64 {
            table.put(k, &entry(k));
        }
        assert!((0..32u64).all(|k| table.get(k) == Some(entry(k))));
    }

    #[test]
    fn work_is_kept() {
        let table = Table::<u64>::new(&SHAPE, 64).unwrap();
        assert_eq!(table.slots(), 8);
        let of = |work| TableEntry { work, ..entry(0) };
        table.put(1, &of(50));
        for k in 2..100u64 {
            table.put(k, &of((k % 7) as u32));
        }
        assert_eq!(table.get(1), Some(of(50)));
    }

    #[test]
    fn a_fixed_table_always_replaces() {
        let table = Table::<u64>::fixed(&SHAPE, 1000, 1 << 20).unwrap();
        assert_eq!(table.slots(), 512);
        assert!(!table.wants_to_grow());
        let of = |work| TableEntry { work, ..entry(0) };
        for k in 0..5000u64 {
            table.put(k, &of(50));
        }
        let kept = (0..5000u64).filter(|k| table.get(*k).is_some()).count();
        assert!((400..=512).contains(&kept), "{kept}");
        for k in 5000..10_000u64 {
            table.put(k, &of(0));
            assert_eq!(table.get(k), Some(of(0)), "the newer replaces the older");
        }
        assert!(Table::<u64>::fixed(&SHAPE, 7, 1 << 20).is_none());
        let wide = TableShape { key_bits: 100, ..SHAPE };
        assert_eq!(Table::<u128>::fixed(&wide, 100, 1 << 20).unwrap().slots(), 96);
        let long =
            Table::<Wide<9>>::fixed(&TableShape { key_bits: 500, ..SHAPE }, 100, 1 << 20).unwrap();
        assert_eq!(long.slots(), 96);
        for k in 0..1000 {
            let key = Wide::of(k) << 490;
            long.put(key, &of(50));
            assert_eq!(long.get(key), Some(of(50)), "the newer replaces the older");
        }
        let kept = (0..1000).filter(|&k| long.get(Wide::of(k) << 490).is_some()).count();
        assert!((80..=96).contains(&kept), "{kept}");
    }

    #[test]
    fn a_full_table_never_grows() {
        let table =
            Table::<u64>::new(&TableShape { key_bits: 40, ..SHAPE }, 1 << 19).unwrap().full();
        assert_eq!(table.bytes(), 1 << 19);
        table.count(table.slots());
        assert!(!table.wants_to_grow());
        let of = |work| TableEntry { work, ..entry(0) };
        table.put(1, &of(50));
        for k in 2..200_000 {
            table.put(k, &of(1));
        }
        assert_eq!(table.get(1), Some(of(50)), "work is kept");
    }

    #[test]
    fn too_little_memory_is_refused() {
        assert!(Table::<u64>::new(&SHAPE, 63).is_none());
        assert!(Table::<u64>::new(&TableShape { key_bits: 64, ..SHAPE }, 64).is_none());
        let long = |bytes| Table::<Wide<9>>::new(&TableShape { key_bits: 500, ..SHAPE }, bytes);
        assert!(long(255).is_none());
        assert_eq!(long(256).map(|table| table.bytes()), Some(256));
        let filled = |bytes| Table::<Wide<9>>::new(&TableShape { key_bits: 576, ..SHAPE }, bytes);
        assert!(
            filled(256).is_none() && filled(512).is_some(),
            "a key of all bits needs two buckets"
        );
    }

    #[test]
    fn threads_never_see_a_torn_entry() {
        let shape = TableShape { key_bits: 128, codes: 1 << 16, max_value: 1, depth_bits: 0 };
        let table = Table::<u128>::new(&shape, 64 << 6).unwrap();
        assert_eq!(table.layout.words, 3);
        never_torn(&table, |high, low| high << 100 | low);
        let table =
            Table::<Wide<9>>::new(&TableShape { key_bits: 527, ..shape }, 256 << 6).unwrap();
        assert_eq!((table.layout.words, table.lines()), (9, 4));
        never_torn(&table, |high, low| high.cast::<Wide<9>>() << 510 | low.cast());
        never_torn(&table, |high, low| high.cast::<Wide<9>>() << 300 | low.cast());
    }

    /// Threads write entries that tell their own key; nobody may ever read another key's.
    fn never_torn<K: Key>(table: &Table<K>, key: impl Fn(u128, u128) -> K + Sync) {
        let rounds = if cfg!(miri) { 100 } else { 300_000u64 };
        std::thread::scope(|s| {
            for t in 0..3u64 {
                let key = &key;
                s.spawn(move || {
                    let mut x = t + 1;
                    for _ in 0..rounds {
                        x = x
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963);
                        let n = x >> 33 & 0x3FF;
                        // Keys that differ only in the high or only in the low half.
                        let key = key(u128::from(n & 31), u128::from(n >> 5));
                        if x >> 50 & 1 == 0 {
                            let best = Some(n as usize);
                            table.put(key, &TableEntry { lo: 0, hi: 1, best, work: 3, depth: 0 });
                        } else if let Some(e) = table.get(key) {
                            assert_eq!(e.best, Some(n as usize));
                        }
                    }
                });
            }
        });
    }
}
