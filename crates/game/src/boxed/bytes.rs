//! Values whose type is known at run time only, kept in a few words without an allocation.

use crate::Player;
use std::any::TypeId;
use std::fmt;
use std::mem::MaybeUninit;

mod sealed {
    pub trait Sealed {}
    impl<const N: usize> Sealed for [u64; N] {}
    impl<const N: usize> Sealed for [u128; N] {}
}

/// Memory for a value of any type that fits: an array of integers, which has no padding, so that copies keep every byte.
pub trait BoxStorage: sealed::Sealed + Copy + Send + Sync + 'static {}
impl<const N: usize> BoxStorage for [u64; N] {}
impl<const N: usize> BoxStorage for [u128; N] {}

/// What is put into a [`Bytes`]: positions and moves.
pub trait Item: Copy + Eq + fmt::Debug + Send + Sync + 'static {}
impl<T: Copy + Eq + fmt::Debug + Send + Sync + 'static> Item for T {}

/// A value whose type is known at run time only, with a player's name on it that can be read without knowing the type.
#[derive(Clone, Copy)]
pub struct Bytes<W: BoxStorage> {
    room: MaybeUninit<W>,
    kind: &'static Kind<W>,
}

/// A type, what can be done with its values, and the player's name: each name has a kind of its own, so that it takes no room.
struct Kind<W: BoxStorage> {
    id: TypeId,
    equal: fn(&Bytes<W>, &Bytes<W>) -> bool,
    debug: fn(&Bytes<W>, &mut fmt::Formatter) -> fmt::Result,
    player: Player,
}

impl<W: BoxStorage> Bytes<W> {
    #[inline(always)]
    fn kind<T: Item>(player: Player) -> &'static Kind<W> {
        const fn kind<W: BoxStorage, T: Item>(player: Player) -> Kind<W> {
            Kind {
                id: TypeId::of::<T>(),
                equal: |a, b| a.get::<T>() == b.get::<T>(),
                debug: |a, f| a.get::<T>().fmt(f),
                player,
            }
        }
        match player {
            Player::First => const { &kind::<W, T>(Player::First) },
            Player::Second => const { &kind::<W, T>(Player::Second) },
        }
    }

    /// Whether there is room for values of a type.
    #[must_use]
    pub const fn holds<T: Item>() -> bool {
        size_of::<T>() <= size_of::<W>() && align_of::<T>() <= align_of::<W>()
    }

    /// Forgets the type of a value, and puts a player's name on it.
    ///
    /// # Panics
    /// If there is no [room](Self::holds) for it.
    #[must_use]
    #[inline(always)]
    pub fn new<T: Item>(value: T, player: Player) -> Bytes<W> {
        assert!(Self::holds::<T>(), "no room for {}", std::any::type_name::<T>());
        let mut room = MaybeUninit::<W>::uninit();
        // SAFETY: the pointer is to memory of our own, large enough and aligned for a `T` as just asserted.
        unsafe { room.as_mut_ptr().cast::<T>().write(value) };
        Bytes { room, kind: Self::kind::<T>(player) }
    }

    /// The player whose name is on it.
    #[must_use]
    #[inline(always)]
    pub fn player(&self) -> Player {
        self.kind.player
    }

    /// The value.
    ///
    /// # Panics
    /// If it has another type: it is from another game.
    #[must_use]
    #[inline(always)]
    pub fn get<T: Item>(&self) -> &T {
        if self.kind.id != TypeId::of::<T>() {
            other_type::<T>();
        }
        // SAFETY: the type is that of the value that `new`, the only maker, has written, asserting size and alignment.
        // `T` is `Copy`, and moving the room about has copied all bytes of it, as no `BoxStorage` has padding. That `T` is `Send`,
        // `Sync` and `'static` makes it right that `Bytes` is.
        unsafe { &*self.room.as_ptr().cast::<T>() }
    }
}

#[cold]
#[inline(never)]
fn other_type<T>() -> ! {
    panic!("a position or move of another game, not a {}", std::any::type_name::<T>())
}

impl<W: BoxStorage> PartialEq for Bytes<W> {
    fn eq(&self, other: &Self) -> bool {
        (self.kind.equal)(self, other)
    }
}

impl<W: BoxStorage> Eq for Bytes<W> {}

impl<W: BoxStorage> fmt::Debug for Bytes<W> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (self.kind.debug)(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Take {
        third: bool,
        counters: u32,
    }

    fn take(counters: u32) -> Bytes<[u64; 1]> {
        Bytes::new(Take { third: false, counters }, Player::First)
    }

    #[test]
    fn bytes_are_compared_and_shown_by_their_type() {
        assert_eq!(take(1), take(1));
        assert_ne!(take(1), take(2));
        assert_eq!(format!("{:?}", take(3)), "Take { third: false, counters: 3 }");
        // Pointers keep what they point to.
        let text: Bytes<[u64; 2]> = Bytes::new("a text", Player::First);
        let copy = text;
        assert_eq!(*copy.get::<&str>(), "a text");
    }

    #[test]
    #[should_panic(expected = "of another game")]
    fn bytes_of_another_type_are_refused() {
        let _ = *take(1).get::<u64>();
    }

    #[test]
    #[should_panic(expected = "of another game")]
    fn values_of_different_types_are_not_compared() {
        let _ = take(1) == Bytes::new(1u64, Player::First);
    }

    #[test]
    #[should_panic(expected = "no room for u128")]
    fn what_is_too_large_is_refused() {
        let _: Bytes<[u64; 1]> = Bytes::new(1u128, Player::First);
    }
}
