//! Provers from outside with others beside them who are not: engines of this process, which take over positions on which
//! the outsiders fail, and auditors, who say whether the outsiders told the truth. Auditors are engines of ours, or
//! a second program that the user has named; never the provers that are audited.

use crate::Job;
use crate::source::Giver;
use crate::transport::{Desk, Doing, JobAnswer, Threads, Transport};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// How often both sides are asked while both work.
const TURN: Duration = Duration::from_millis(5);

/// A way to provers with somebody beside it.
pub struct Guarded {
    provers: Box<dyn Transport>,
    engines: Option<Side>,
    auditors: Option<Side>,
    /// Jobs that are out at the provers.
    out: FxHashSet<u64>,
}

/// Threads beside the provers, and their jobs.
struct Side {
    threads: Threads,
    out: FxHashSet<u64>,
}

impl Side {
    fn offer(&mut self, job: Job, desk: Desk) {
        self.out.insert(job.id);
        self.threads.offer(job, desk);
    }

    fn take(&mut self, wait: Duration) -> Option<JobAnswer> {
        let answer = self.threads.take(wait)?;
        self.out.remove(&answer.outcome.id);
        Some(answer)
    }

    fn withdraw(&mut self) -> Vec<u64> {
        let all = self.threads.withdraw();
        self.out.retain(|id| !all.contains(id));
        all
    }
}

impl Guarded {
    /// Provers with engines of ours beside them, if they may be asked, and with auditors; without auditors the engines
    /// audit.
    #[must_use]
    pub fn new(
        provers: Box<dyn Transport>,
        engines: Option<Threads>,
        auditors: Option<Threads>,
    ) -> Guarded {
        let side = |threads| Side { threads, out: FxHashSet::default() };
        let (engines, auditors) = (engines.map(side), auditors.map(side));
        Guarded { provers, engines, auditors, out: FxHashSet::default() }
    }

    fn sides(&mut self) -> impl Iterator<Item = &mut Side> {
        self.engines.iter_mut().chain(self.auditors.iter_mut())
    }

    /// Whoever is at a desk, beside the provers.
    fn side(&mut self, desk: Desk) -> Option<&mut Side> {
        match desk {
            Desk::Provers => None,
            Desk::Auditors => self.auditors.as_mut().or(self.engines.as_mut()),
            Desk::Engines => self.engines.as_mut(),
        }
    }
}

impl Transport for Guarded {
    fn offer(&mut self, job: Job, desk: Desk) {
        match self.side(desk) {
            Some(side) => side.offer(job, desk),
            None => {
                self.out.insert(job.id);
                self.provers.offer(job, desk);
            }
        }
    }

    fn has(&self, desk: Desk) -> bool {
        match desk {
            Desk::Provers => true,
            Desk::Auditors => {
                self.auditors.is_some() || self.engines.is_some() || self.provers.has(desk)
            }
            Desk::Engines => self.engines.is_some(),
        }
    }

    fn giver(&self) -> Giver {
        self.provers.giver()
    }

    fn take(&mut self, wait: Duration) -> Option<JobAnswer> {
        let start = Instant::now();
        loop {
            let beside = self.sides().find_map(|side| side.take(Duration::ZERO));
            let left = wait.saturating_sub(start.elapsed());
            let busy = self.sides().any(|side| !side.out.is_empty());
            let answer = beside.or_else(|| {
                let answer = self.provers.take(if busy { left.min(TURN) } else { left })?;
                // Nobody answers for others, nor twice.
                self.out.remove(&answer.outcome.id).then_some(answer)
            });
            if answer.is_some() || left.is_zero() {
                return answer;
            }
        }
    }

    fn withdraw(&mut self) -> Vec<u64> {
        let mut all = self.provers.withdraw();
        self.out.retain(|id| !all.contains(id));
        self.sides().for_each(|side| all.extend(side.withdraw()));
        all
    }

    fn doing(&self) -> Vec<Doing> {
        self.provers.doing()
    }

    fn provers(&self) -> usize {
        self.provers.provers()
    }

    fn now(&self) -> Instant {
        self.provers.now()
    }

    fn cancel(&mut self) {
        self.provers.cancel();
        self.sides().for_each(|side| side.threads.cancel());
    }
}
