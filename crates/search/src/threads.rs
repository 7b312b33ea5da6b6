//! Threads with room for deep recursion, started in one place: a thread is a good deal of code, which would otherwise
//! be compiled for every search of every game.
//!
//! To start a thread takes longer than many a search. Whoever asks thousands of short questions does so
//! [`with_room`]: in one thread whose stack is deep enough for the searches themselves.

use std::cell::Cell;

/// Work for a thread.
pub type ThreadWork<'w> = Box<dyn FnOnce() + Send + 'w>;

/// The deepest stack that a search asks for. Only what is used is ever touched.
const ROOM: usize = 1 << 30;
/// What the caller of a search may have used of it.
const CALLER: usize = 16 << 20;

thread_local! {
    /// The bytes of stack that one search may use in this thread.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

/// Does something in a thread in which a search needs no thread of its own.
///
/// # Panics
/// As [`all`].
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    deep(ROOM + CALLER, || {
        LEFT.set(ROOM);
        work()
    })
}

/// Does one thing here, where there is room for it; what it starts in turn finds none.
fn here(work: ThreadWork) {
    struct Restored(usize);
    impl Drop for Restored {
        fn drop(&mut self) {
            LEFT.set(self.0);
        }
    }
    let _room = Restored(LEFT.replace(0));
    work();
}

/// Does all this at the same time, each in a thread with so many bytes of stack, and comes back when all are done.
/// A panic in one of them goes on here. One thing for which the stack at hand will do is done here and now.
///
/// # Panics
/// If the system starts no thread.
pub fn all(stack: Option<usize>, works: Vec<ThreadWork>) {
    if works.len() == 1 && stack.is_none_or(|bytes| bytes <= LEFT.get()) {
        works.into_iter().for_each(here);
        return;
    }
    std::thread::scope(|scope| {
        let start = |work| {
            let builder = std::thread::Builder::new();
            let builder =
                stack.into_iter().fold(builder, |builder, stack| builder.stack_size(stack));
            builder.spawn_scoped(scope, work).expect("the system starts a thread")
        };
        let threads: Vec<_> = works.into_iter().map(start).collect();
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// Does one thing in a thread with so many bytes of stack.
///
/// # Panics
/// As [`all`].
pub fn deep<T: Send>(stack: usize, work: impl FnOnce() -> T + Send) -> T {
    let mut out = None;
    all(Some(stack), vec![Box::new(|| out = Some(work()))]);
    out.expect("a thread that has ended has done its work")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[test]
    fn all_are_done_and_panics_go_on() {
        let sum = AtomicU32::new(0);
        let works: Vec<ThreadWork> = vec![
            Box::new(|| _ = sum.fetch_add(1, Relaxed)),
            Box::new(|| _ = sum.fetch_add(20, Relaxed)),
            Box::new(|| _ = sum.fetch_add(300, Relaxed)),
        ];
        all(Some(1 << 16), works);
        assert_eq!(sum.load(Relaxed), 321);
        assert_eq!(deep(1 << 16, || 7), 7);
        let panic = || -> ThreadWork { Box::new(|| panic!("on purpose")) };
        let caught =
            std::panic::catch_unwind(|| all(Some(1 << 16), vec![panic(), Box::new(|| ())]));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"on purpose"));
    }

    #[test]
    fn room_spares_a_thread_once_at_a_time() {
        let id = || std::thread::current().id();
        let inside = |stack| deep(stack, id);
        assert_ne!(inside(1 << 16), id());
        with_room(|| {
            let here = id();
            assert_eq!(deep(ROOM, id), here);
            assert_ne!(inside(ROOM + 1), here, "more than there is");
            assert_ne!(deep(ROOM, || inside(ROOM)), here, "a search in a search");
            let panic = || deep(ROOM, || -> () { panic!("on purpose") });
            assert!(std::panic::catch_unwind(panic).is_err());
            assert_eq!(inside(ROOM), here, "room is given back");
            let works: Vec<ThreadWork> =
                (0..2).map(|_| -> ThreadWork { Box::new(|| assert_ne!(id(), here)) }).collect();
            all(Some(1 << 16), works);
        });
    }
}
