//! How far a proof is: what a person wants to know while it runs, and other programs after it.

use crate::transport::Doing;
use serde::Serialize;
use std::time::Duration;
use zermelo_game::{Bounds, Value, counted};

/// How far a proof is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Status {
    /// The position at hand: the root, or a position of the seeding line.
    pub position: String,
    /// What is proved of it: at least this ...
    pub lo: Value,
    /// ... and at most this.
    pub hi: Value,
    /// Scores outside plus or minus this count as likely values; `None` when only proof counts.
    pub threshold: Option<i32>,
    /// Positions in the tree.
    pub nodes: u64,
    /// Those whose value is known.
    pub settled: u64,
    /// Facts in the store.
    pub facts: u64,
    /// Positions that matter for the open questions, and open leaves among them, as of the last scheduling.
    pub region: u64,
    /// See there.
    pub frontier: u64,
    /// Proof and disproof number of "the first player wins"; `None` when that is settled.
    pub win: Option<[u32; 2]>,
    /// The same of "the second player wins".
    pub loss: Option<[u32; 2]>,
    /// Jobs that are done, in this run.
    pub jobs: u64,
    /// Jobs whose position was settled by them.
    pub proved: u64,
    /// Positions that provers have visited, in this run.
    pub visited: u64,
    /// Seconds of provers' work, all together.
    pub work: f64,
    /// Seconds that the manager spent on itself: looking for work, expanding, writing.
    pub overhead: f64,
    /// Facts that an audit has confirmed, that it could not decide, and that should be audited and were not (yet), in this
    /// run.
    pub audited: [u64; 3],
    /// Jobs that failed in this run, and positions that were set aside because of it.
    pub failed: [u64; 2],
    /// Seconds since the run began.
    pub seconds: f64,
    /// What each prover does: position and seconds.
    pub provers: Vec<Option<(String, f64)>>,
}

impl Status {
    /// What is known of the position at hand.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds { lo: self.lo, hi: self.hi }
    }

    /// The share of the tree that is settled.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.settled as f64 / self.nodes.max(1) as f64
    }

    /// A line for a terminal. `all` are the values that the game can have.
    #[must_use]
    pub fn line(&self, all: Bounds) -> String {
        let pair = |name: &str, numbers: Option<[u32; 2]>| match numbers {
            Some([pn, dn]) => format!("  {name} {pn}/{dn}"),
            None => String::new(),
        };
        let threshold = self.threshold.map_or_else(String::new, |t| format!("  threshold {t}"));
        let value = match self.bounds() {
            bounds if bounds == all => "nothing known yet".into(),
            bounds => format!("value {bounds}"),
        };
        let busy = self.provers.iter().flatten().count();
        format!(
            "proving {:.0} s  {}, {:.0} % settled, {} open{}{}{}  {}, {busy} running  {}",
            self.seconds,
            counted(self.nodes, "position"),
            100.0 * self.share(),
            self.frontier,
            threshold,
            pair("win", self.win),
            pair("loss", self.loss),
            counted(self.jobs, "job"),
            value,
        )
    }
}

/// What the provers do, in seconds.
pub(crate) fn seconds(doing: Vec<Doing>) -> Vec<Option<(String, f64)>> {
    let second = |(position, since): (String, Duration)| (position, since.as_secs_f64());
    doing.into_iter().map(|d| d.map(second)).collect()
}
