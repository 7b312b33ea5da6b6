//! How jobs get to provers and outcomes back: a few methods, so that the manager need not know whether its provers are
//! threads or machines. The manager's store is the only truth: a job or an outcome that is lost on the way costs
//! time and nothing else, and one that comes twice is noticed by its number.
//!
//! [`Threads`] is the transport inside one process.

use crate::job::{Job, JobOutcome};
use crate::prover::Maker;
use crate::source::Giver;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a prover does now: the position, and for how long already.
pub type Doing = Option<(String, Duration)>;

/// Who is to answer a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Desk {
    /// The provers.
    Provers,
    /// Somebody who audits them. A job for this desk says so (`audit`).
    Auditors,
    /// Engines of ours, where the provers are not ours.
    Engines,
}

/// What came back, and from whom.
#[derive(Clone, PartialEq, Debug)]
pub struct JobAnswer {
    /// What was found.
    pub outcome: JobOutcome,
    /// Who found it, as we know it.
    pub giver: Giver,
}

/// The way to the provers.
pub trait Transport {
    /// Offers a job to whoever is free at a desk.
    fn offer(&mut self, job: Job, desk: Desk);
    /// Whether there is anybody at a desk.
    fn has(&self, desk: Desk) -> bool;
    /// Who the provers are.
    fn giver(&self) -> Giver;
    /// The next answer, if one comes within this time.
    fn take(&mut self, wait: Duration) -> Option<JobAnswer>;
    /// Takes back the jobs that nobody has begun; their numbers.
    fn withdraw(&mut self) -> Vec<u64>;
    /// What each prover does: as many entries as there are provers.
    fn doing(&self) -> Vec<Doing>;
    /// How many provers there are.
    fn provers(&self) -> usize {
        self.doing().len()
    }
    /// The time, as the provers have it: another one than ours only where they are simulated.
    fn now(&self) -> Instant {
        Instant::now()
    }
    /// Asks all provers to end what they do. Their outcomes still come.
    fn cancel(&mut self);
}

/// What the threads share.
struct TransportState {
    queue: Mutex<Queue>,
    news: Condvar,
    cancel: Arc<AtomicBool>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    doing: Vec<Option<(String, Instant)>>,
    closed: bool,
}

impl TransportState {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; `None` when there will be no more.
    fn next(&self, slot: usize) -> Option<Job> {
        let mut queue = self.queue();
        queue.doing[slot] = None;
        loop {
            if queue.closed {
                return None;
            }
            if let Some(job) = queue.jobs.pop_front() {
                queue.doing[slot] = Some((job.position.clone(), Instant::now()));
                return Some(job);
            }
            queue = self.news.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Provers that are threads of this process.
pub struct Threads {
    shared: Arc<TransportState>,
    giver: Giver,
    outcomes: Receiver<JobOutcome>,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts so many provers, each with what `maker` makes.
    #[must_use]
    pub fn new(count: usize, maker: &Maker) -> Threads {
        let doing = vec![None; count];
        let queue = Mutex::new(Queue { doing, ..Queue::default() });
        let shared =
            Arc::new(TransportState { queue, news: Condvar::new(), cancel: Arc::default() });
        let (send, outcomes) = channel();
        let start = |slot| {
            let (shared, maker, send) = (shared.clone(), maker.clone(), send.clone());
            std::thread::spawn(move || work(slot, &shared, &maker, &send))
        };
        let threads = (0..count).map(start).collect();
        Threads { shared, giver: maker.giver().clone(), outcomes, threads }
    }
}

/// The life of a prover's thread. A prover that panics costs its job one try, and is made anew.
fn work(slot: usize, shared: &TransportState, maker: &Maker, send: &Sender<JobOutcome>) {
    let mut ended = false;
    while !ended {
        maker.make(&mut |prover| {
            loop {
                let Some(job) = shared.next(slot) else {
                    ended = true;
                    return;
                };
                let found = catch_unwind(AssertUnwindSafe(|| prover.prove(&job, &shared.cancel)));
                let panicked = found.is_err();
                let outcome = found.unwrap_or_else(|panic| {
                    let words = panic.downcast_ref::<String>().map(String::as_str);
                    let words = words.or(panic.downcast_ref::<&str>().copied());
                    JobOutcome::failed(
                        &job,
                        format!("panic: {}", words.unwrap_or("without a word")),
                    )
                });
                if send.send(outcome).is_err() {
                    ended = true;
                }
                if ended || panicked {
                    return;
                }
            }
        });
    }
}

impl Transport for Threads {
    fn offer(&mut self, job: Job, _: Desk) {
        self.shared.queue().jobs.push_back(job);
        self.shared.news.notify_one();
    }

    /// Engines of ours audit each other. Outsiders do not audit themselves.
    fn has(&self, desk: Desk) -> bool {
        match desk {
            Desk::Provers => true,
            Desk::Auditors => self.giver == Giver::Engine,
            Desk::Engines => false,
        }
    }

    fn giver(&self) -> Giver {
        self.giver.clone()
    }

    fn take(&mut self, wait: Duration) -> Option<JobAnswer> {
        let outcome = self.outcomes.recv_timeout(wait).ok()?;
        Some(JobAnswer { outcome, giver: self.giver.clone() })
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.shared.queue().jobs.drain(..).map(|job| job.id).collect()
    }

    fn provers(&self) -> usize {
        self.threads.len()
    }

    fn doing(&self) -> Vec<Doing> {
        let queue = self.shared.queue();
        queue
            .doing
            .iter()
            .map(|d| d.as_ref().map(|(p, since)| (p.clone(), since.elapsed())))
            .collect()
    }

    fn cancel(&mut self) {
        self.shared.cancel.store(true, Relaxed);
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.shared.queue().closed = true;
        self.cancel();
        self.shared.news.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
