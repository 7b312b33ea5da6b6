//! Memory that will be looked at soon.

/// Asks for the cache line where this lies, and does not wait for it: a look at memory far from the cache takes some 100 ns,
/// in which there is other work to do.
#[inline(always)]
pub fn fetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on the cache. Without it walks through proofs wait for each place they
        // look at (BENCHMARKS.md).
        unsafe { _mm_prefetch(std::ptr::from_ref(place).cast(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_changes() {
        let places = [1u64, 2, 3];
        places.iter().for_each(super::fetch);
        assert_eq!(places, [1, 2, 3]);
    }
}
