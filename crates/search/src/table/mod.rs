//! The transposition table: exact keys, cache-line buckets, shared by threads without locks.
//!
//! **Exact without storing the key.** Keys of `K` bits are spread by a bijection
//! ([`Key::mix`]). The top `n` bits of the result choose one of 2^n buckets, and the other `K - n`
//! bits, the *remainder*, are stored: bucket and remainder together are the key, so two positions are
//! never confused. Most games fit remainder and data into 8 bytes; `bucket.rs` shows the layout.
//!
//! **Replacement** keeps work: a new entry takes an empty slot, else the slot with the smallest
//! subtree (its logarithm is the field `work`).
//!
//! **Growth.** The table starts small, so that small problems stay in the cache, and doubles while it
//! fills. Bucket `i` splits into `2i` and `2i+1` by the top bit of the remainder: one pass from the
//! end, in place. Nobody may probe meanwhile ([`Table::grow`] takes `&mut self`).

mod bucket;

use bucket::{Bucket, Layout};
pub use bucket::{Entry, Fields, Record, WORK_BITS};
use memmap2::{MmapMut, MmapOptions};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use zermelo_game::{Key, Value, fetch};

/// What a table has to hold.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bits of a key.
    pub key_bits: u32,
    /// Values lie between minus this and this.
    pub max_value: Value,
    /// Moves have codes below this.
    pub codes: usize,
    /// Bits of depth; 0 where no search has a horizon.
    pub depth_bits: u32,
}

/// The first size, in buckets: 256 KiB.
const FIRST_BITS: u32 = 12;
/// A table that would need a larger first size for narrow slots gets wide ones: 128 MiB.
const NARROW_FIRST_BITS: u32 = 17;
/// From here on the system is asked for huge pages: 2 MiB.
const HUGE_BITS: u32 = 15;

/// A transposition table for keys of type `K`.
pub struct Table<K, R = Fields> {
    memory: MmapMut,
    layout: Layout<R>,
    key_bits: u32,
    /// 2 to this power is the number of buckets in use, and the most there may be.
    bits: u32,
    max_bits: u32,
    /// Slots in use, as reported by [`count`](Self::count).
    filled: AtomicU64,
    key: PhantomData<K>,
}

impl<K: Key> Table<K> {
    /// A table that uses at most `bytes`. `None` if not even the smallest fits, or the system does
    /// not give the memory.
    #[must_use]
    pub fn new(shape: &Shape, bytes: u64) -> Option<Table<K>> {
        Table::of(Fields::new(shape), shape.key_bits, bytes)
    }

    /// A table of fixed size with at most so many entries (and bytes), in which a new entry always
    /// replaces whatever is in the way, as in a table without buckets.
    #[must_use]
    pub fn fixed(shape: &Shape, entries: u64, bytes: u64) -> Option<Table<K>> {
        let mut table = Table::bounded(Fields::new(shape), shape.key_bits, entries, bytes)?;
        table.layout.replace_always = true;
        Some(table)
    }
}

impl<K: Key, R: Record> Table<K, R> {
    /// A table of such records for keys of so many bits, that uses at most `bytes`.
    #[must_use]
    pub fn of(record: R, key_bits: u32, bytes: u64) -> Option<Table<K, R>> {
        let max_bits = (bytes / 64).checked_ilog2()?.min(key_bits).min(40);
        // The bucket's number must leave a remainder that fits beside the data in so many words,
        // and must take a bit at least from a key that fills its type.
        let least = |words: u32| {
            let spill = (key_bits + record.end()).saturating_sub(64 * words);
            spill.max(u32::from(key_bits == K::BITS))
        };
        let words = if least(1) <= max_bits.min(NARROW_FIRST_BITS) {
            1
        } else if least(2) <= max_bits {
            2
        } else {
            3
        };
        if least(words) > max_bits {
            return None;
        }
        let bits = FIRST_BITS.max(least(words)).min(max_bits);
        // Pages are handed out by the system when they are first touched.
        let memory = MmapOptions::new().len(64 << max_bits).map_anon().ok()?;
        let table = Table {
            memory,
            layout: Layout { record, words: words as usize, replace_always: false },
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
        let buckets = (entries / probe.layout.slot_starts().len() as u64).checked_ilog2()?;
        let mut table = Table::<K, R>::of(record, key_bits, bytes.min(64 << buckets))?;
        table.bits = table.max_bits;
        table.ask_for_huge_pages();
        Some(table)
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        64 << self.bits
    }

    /// Slots there are.
    #[must_use]
    pub fn slots(&self) -> u64 {
        (self.layout.slot_starts().len() as u64) << self.bits
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

    #[inline(always)]
    fn buckets(&self) -> &[Bucket] {
        // SAFETY: the mapping holds 2^max_bits buckets, is page-aligned and starts as zeroes, which
        // are valid atomics; all access goes through the atomics, and the slice lives as long as the
        // mapping. A boxed slice would be safe, but could neither reserve room to grow in place nor
        // ask for huge pages (26.6 against 39.9 ns a probe at 4 GiB).
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), 1 << self.bits) }
    }

    /// A key as the table spreads it.
    #[must_use]
    #[inline(always)]
    pub fn spread(&self, key: K) -> K {
        key.mix(self.key_bits)
    }

    /// The bucket of a spread key and the remainder.
    #[inline(always)]
    fn place(&self, spread: K) -> (usize, u128) {
        spread.split(self.key_bits - self.bits)
    }

    /// Fetches the bucket of a [spread](Self::spread) key into the cache.
    #[inline(always)]
    pub fn prefetch(&self, spread: K) {
        fetch(&self.buckets()[self.place(spread).0]);
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
        let low = self.layout.find(&self.buckets()[at], rest)?;
        Some(self.layout.record.unpack(low))
    }

    /// Writes what is known of a position, over what was known before. Returns whether an empty slot
    /// was taken.
    #[inline(always)]
    pub fn put(&self, key: K, entry: &R::Entry) -> bool {
        let (at, rest) = self.place(self.spread(key));
        self.layout.put(&self.buckets()[at], rest, self.layout.record.pack(entry))
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
        let starts = self.layout.slot_starts();
        let mut count = [0u64; 1 << WORK_BITS];
        let used = |low: u64| low & 1 == 1;
        for bucket in self.buckets() {
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
        for bucket in self.buckets() {
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
        if self.bits >= HUGE_BITS {
            // A refusal costs speed, nothing else.
            let _ = self.memory.advise_range(memmap2::Advice::HugePage, 0, 64 << self.bits);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const SHAPE: Shape = Shape { key_bits: 20, max_value: 1, codes: 9, depth_bits: 0 };

    fn entry(x: u64) -> Entry {
        let lo = (x % 3) as Value - 1;
        let best = (x.is_multiple_of(5)).then_some((x % 9) as usize);
        Entry { lo, hi: lo.max((x / 3 % 3) as Value - 1), best, work: (x % 60) as u32, depth: 0 }
    }

    #[test]
    fn a_sweep_takes_what_was_cheap() {
        let mut table = Table::<u64>::new(&Shape { key_bits: 40, ..SHAPE }, 1 << 14).unwrap();
        let entry = |work| Entry { lo: 0, hi: 1, best: None, work, depth: 0 };
        let work = |k: u64| (k % 10) as u32;
        for k in 0..1000 {
            table.count(u64::from(table.put(k, &entry(work(k)))));
        }
        let kept = |table: &Table<u64>| (0..1000).filter(|&k| table.get(k).is_some()).count();
        let before = kept(&table);
        let cheap: Vec<u64> = (0..1000).filter(|&k| work(k) < 3).collect();
        let gone = table.sweep(500) as usize;
        assert_eq!(gone, before.div_ceil(2));
        assert_eq!(kept(&table), before - gone);
        assert!(cheap.iter().all(|&k| table.get(k).is_none()));
        assert!((0..1000).filter(|&k| work(k) > 6).all(|k| table.get(k).is_some()));
        assert_eq!(u64::from(table.permille()), (before - gone) as u64 * 1000 / table.slots());
    }

    /// Fills a table, growing it, and checks that it only ever tells what was put.
    fn never_wrong<K: Key>(shape: Shape, bytes: u64, key: impl Fn(u64) -> K) {
        let mut table = Table::<K>::new(&shape, bytes).unwrap();
        let mut truth = HashMap::new();
        let mut x = 12345u64;
        let mut hits = 0;
        for i in 0..if cfg!(miri) { 600 } else { 300_000 } {
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
        never_wrong::<u64>(Shape { key_bits: 49, ..SHAPE }, 1 << 22, |x| (x & 0xFFFF) << 33);
        never_wrong::<u128>(Shape { key_bits: 52, ..SHAPE }, 1 << 21, |x| {
            u128::from(x & 0x3FFFF) << 30
        });
    }

    #[test]
    fn wide_tables_are_never_wrong() {
        let shape = Shape { key_bits: 128, codes: 300, max_value: 64, depth_bits: 8 };
        never_wrong::<u128>(shape, 64 << 14, |x| u128::from(x & 0x3FFFF) << 110);
        let shape = Shape { key_bits: 100, ..shape };
        never_wrong::<u128>(shape, 64 << 14, |x| u128::from(x & 0x3FFFF) << 82);
        never_wrong::<u64>(Shape { key_bits: 64, ..SHAPE }, 64 << 10, |x| (x & 0x3FFFF) << 44);
    }

    #[test]
    fn small_key_spaces_are_indexed_directly() {
        let table = Table::<u64>::new(&Shape { key_bits: 5, ..SHAPE }, 1 << 30).unwrap();
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
        let of = |work| Entry { work, ..entry(0) };
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
        let of = |work| Entry { work, ..entry(0) };
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
        let wide = Shape { key_bits: 100, ..SHAPE };
        assert_eq!(Table::<u128>::fixed(&wide, 100, 1 << 20).unwrap().slots(), 96);
    }

    #[test]
    fn a_full_table_never_grows() {
        let table = Table::<u64>::new(&Shape { key_bits: 40, ..SHAPE }, 1 << 19).unwrap().full();
        assert_eq!(table.bytes(), 1 << 19);
        table.count(table.slots());
        assert!(!table.wants_to_grow());
        let of = |work| Entry { work, ..entry(0) };
        table.put(1, &of(50));
        for k in 2..200_000 {
            table.put(k, &of(1));
        }
        assert_eq!(table.get(1), Some(of(50)), "work is kept");
    }

    #[test]
    fn too_little_memory_is_refused() {
        assert!(Table::<u64>::new(&SHAPE, 63).is_none());
        assert!(Table::<u64>::new(&Shape { key_bits: 64, ..SHAPE }, 64).is_none());
    }

    /// Threads write entries that tell their own key; nobody may ever read another key's.
    #[test]
    fn threads_never_see_a_torn_entry() {
        let shape = Shape { key_bits: 128, codes: 1 << 16, max_value: 1, depth_bits: 0 };
        let table = Table::<u128>::new(&shape, 64 << 6).unwrap();
        assert_eq!(table.layout.words, 3);
        let rounds = if cfg!(miri) { 100 } else { 300_000u64 };
        std::thread::scope(|s| {
            for t in 0..3u64 {
                let table = &table;
                s.spawn(move || {
                    let mut x = t + 1;
                    for _ in 0..rounds {
                        x = x
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963);
                        let n = x >> 33 & 0x3FF;
                        // Keys that differ only in the high or only in the low half.
                        let key = u128::from(n & 31) << 100 | u128::from(n >> 5);
                        if x >> 50 & 1 == 0 {
                            let best = Some(n as usize);
                            table.put(key, &Entry { lo: 0, hi: 1, best, work: 3, depth: 0 });
                        } else if let Some(e) = table.get(key) {
                            assert_eq!(e.best, Some(n as usize));
                        }
                    }
                });
            }
        });
    }
}
