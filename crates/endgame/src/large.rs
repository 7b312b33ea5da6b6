//! Long lists of atomic numbers on huge pages: places are looked up all over them, and with small pages most of the time
//! would go into finding the page (a third of a build of 6 pieces of checkers).

use memmap2::MmapMut;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::{AtomicI16, AtomicU8, AtomicU64};

/// An atomic number for which bytes of 0 are the number 0.
///
/// # Safety
/// Every pattern of bytes must be a number, and it may need to be aligned to a page at most.
pub(crate) unsafe trait Plain: Send + Sync {}

// SAFETY: they are as their integers in memory.
unsafe impl Plain for AtomicU8 {}
// SAFETY: the same.
unsafe impl Plain for AtomicI16 {}
// SAFETY: the same.
unsafe impl Plain for AtomicU64 {}

/// Numbers, all 0 at first.
pub(crate) struct LargeArray<T: Plain> {
    memory: MmapMut,
    count: usize,
    of: PhantomData<T>,
}

impl<T: Plain> LargeArray<T> {
    /// # Panics
    /// If there is not so much memory, as a vector does.
    pub fn new(count: u64) -> LargeArray<T> {
        let count = usize::try_from(count).expect("fewer than there are addresses");
        let bytes = count.checked_mul(size_of::<T>()).expect("fewer than there are addresses");
        let memory = MmapMut::map_anon(bytes.max(1)).expect("there is memory");
        #[cfg(target_os = "linux")]
        if bytes >= 4 << 20 {
            // A refusal costs speed, nothing else.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        LargeArray { memory, count, of: PhantomData }
    }

    /// Fetches a number into the cache.
    #[inline(always)]
    pub fn fetch(&self, n: usize) {
        zermelo_game::fetch(&self[n]);
    }
}

impl<T: Plain> Deref for LargeArray<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is large enough for so many, starts with a page, lives as long as `self`, holds numbers whatever
        // its bytes are, and is never written but through them.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn begins_with_nothing_and_keeps() {
        for count in [0, 1, 5000, 3 << 20] {
            let list: LargeArray<AtomicI16> = LargeArray::new(count);
            assert_eq!(list.len() as u64, count);
            assert!(list.iter().all(|n| n.load(Relaxed) == 0));
            for (i, n) in list.iter().enumerate() {
                list.fetch(i);
                n.store(i as i16, Relaxed);
            }
            assert!(list.iter().enumerate().all(|(i, n)| n.load(Relaxed) == i as i16));
        }
    }
}
