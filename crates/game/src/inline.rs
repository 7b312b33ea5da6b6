//! Lists that live on the stack as long as they are short, which nearly all are.

use arrayvec::ArrayVec;
use std::ops::{Deref, DerefMut};

/// A list of which the first `N` items need no memory of their own. One that becomes longer moves to the heap.
#[derive(Clone, Debug)]
pub struct InlineVec<T, const N: usize> {
    short: ArrayVec<T, N>,
    /// All items, once there are more than `N`.
    long: Vec<T>,
}

impl<T: Copy, const N: usize> InlineVec<T, N> {
    /// An empty list.
    #[must_use]
    #[inline(always)]
    pub const fn new() -> Self {
        InlineVec { short: ArrayVec::new_const(), long: Vec::new() }
    }

    /// Adds an item.
    #[inline(always)]
    pub fn push(&mut self, item: T) {
        if self.short.try_push(item).is_err() {
            self.push_long(item);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_long(&mut self, item: T) {
        if self.long.is_empty() {
            self.long.reserve(4 * N);
            self.long.extend_from_slice(&self.short);
        }
        self.long.push(item);
    }

    /// Forgets all items.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.short.clear();
        self.long.clear();
    }

    /// Keeps the first `n` items.
    #[inline]
    pub fn truncate(&mut self, n: usize) {
        if n > N {
            self.long.truncate(n);
        } else {
            // The long list may have changed since it was copied.
            if !self.long.is_empty() {
                self.short.clear();
                self.short.extend(self.long.drain(..).take(n));
            }
            self.short.truncate(n);
        }
    }
}

impl<T: Copy, const N: usize> Default for InlineVec<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Deref for InlineVec<T, N> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        if self.long.is_empty() { &self.short } else { &self.long }
    }
}

impl<T, const N: usize> DerefMut for InlineVec<T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        if self.long.is_empty() { &mut self.short } else { &mut self.long }
    }
}

impl<T: Copy, const N: usize> FromIterator<T> for InlineVec<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::new();
        items.into_iter().for_each(|item| list.push(item));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_what_vectors_are() {
        for n in [0, 1, 3, 4, 5, 17] {
            let (mut list, mut vec) = (InlineVec::<usize, 4>::new(), Vec::new());
            for i in 0..n {
                list.push(i);
                vec.push(i);
                assert_eq!(*list, vec[..]);
            }
            list.iter_mut().for_each(|i| *i *= 3);
            vec.iter_mut().for_each(|i| *i *= 3);
            for keep in [20, 9, 5, 4, 2] {
                list.truncate(keep);
                vec.truncate(keep);
                assert_eq!(*list, vec[..], "{n} to {keep}");
                assert_eq!(*list.clone(), vec[..]);
            }
            list.push(7);
            vec.push(7);
            assert_eq!(*list, vec[..]);
            list.clear();
            assert!(list.is_empty());
            assert_eq!(
                *vec.into_iter().collect::<InlineVec<usize, 4>>(),
                *(0..n.min(2)).map(|i| 3 * i).chain([7]).collect::<Vec<_>>()
            );
        }
    }
}
