//! Jobs that grow with the proof.
//!
//! A job of ordinary size takes a second. For an easy proof that is all of it in one job, and nothing is seen of a tree; for a
//! hard one much smaller jobs would cost time, as each begins a search, ends it and takes a position apart. So the first jobs
//! are small, and each later one may visit a fixed part of all positions that provers have visited so far, in this run and
//! in earlier ones, until the limit of time ends jobs first. Their number grows with the logarithm of the work: with
//! [`JobGrowth::default`] there are four jobs of the first size, and ten more for each tenfold of the work if all
//! jobs take what they may; more, as those that settle their position end early. Nothing here looks at a clock, so one prover
//! does the same jobs every time, as long as no limit of time ends one. `BENCHMARKS.md` has what other parts cost.

/// How the jobs of engines of ours grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobGrowth {
    /// Positions that the first jobs may visit.
    pub first: u64,
    /// Later ones may visit one part in so many of all that were visited so far.
    pub part: u64,
}

impl Default for JobGrowth {
    fn default() -> JobGrowth {
        JobGrowth { first: 1_000, part: 4 }
    }
}

impl JobGrowth {
    /// What a job may visit after so many positions.
    pub(super) fn nodes(self, visited: u64) -> u64 {
        (visited / self.part.max(1)).max(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_grow_and_stay_few() {
        let growth = JobGrowth::default();
        assert_eq!((growth.nodes(0), growth.nodes(4_000)), (1_000, 1_000));
        assert_eq!(growth.nodes(1_000_000), 250_000);
        assert_eq!(JobGrowth { first: 7, part: 0 }.nodes(100), 100);
        // If every job takes all that it may.
        let jobs_until = |work: u64| {
            let (mut visited, mut jobs) = (0, 0);
            while visited < work {
                visited += growth.nodes(visited);
                jobs += 1;
            }
            jobs
        };
        assert_eq!([1_000_000, 10_000_000, 1_000_000_000].map(jobs_until), [29, 40, 60]);
    }
}
