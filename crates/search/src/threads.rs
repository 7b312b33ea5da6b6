//! Threads with room for deep recursion, started in one place: a thread is a good deal of code, which would otherwise
//! be compiled for every search of every game.

/// Work for a thread.
pub type Work<'w> = Box<dyn FnOnce() + Send + 'w>;

/// Does all this at the same time, each in a thread with so many bytes of stack, and comes back when all are done.
/// A panic in one of them goes on here. One thing for which any stack will do is done here and now.
///
/// # Panics
/// If the system starts no thread.
pub fn all(stack: Option<usize>, works: Vec<Work>) {
    if stack.is_none() && works.len() == 1 {
        works.into_iter().for_each(|work| work());
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
        let works: Vec<Work> = vec![
            Box::new(|| _ = sum.fetch_add(1, Relaxed)),
            Box::new(|| _ = sum.fetch_add(20, Relaxed)),
            Box::new(|| _ = sum.fetch_add(300, Relaxed)),
        ];
        all(Some(1 << 16), works);
        assert_eq!(sum.load(Relaxed), 321);
        assert_eq!(deep(1 << 16, || 7), 7);
        let panic = || -> Work { Box::new(|| panic!("on purpose")) };
        let caught =
            std::panic::catch_unwind(|| all(Some(1 << 16), vec![panic(), Box::new(|| ())]));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"on purpose"));
    }
}
