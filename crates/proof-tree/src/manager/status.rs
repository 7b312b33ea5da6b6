//! How far a proof is: for the observer, and in the store.

use super::Manager;
use crate::ProofTreeFailure;
use crate::graph::Id;
use crate::progress::{Status, seconds};
use crate::store::Moment;
use std::time::Duration;
use zermelo_game::Bounds;

/// How often the store is told to remember.
const COMMIT: Duration = Duration::from_millis(1_000);
/// The most rows that wait for that.
const ROWS: usize = 20_000;

impl Manager<'_> {
    pub(super) fn commit(&mut self, now: bool) -> Result<(), ProofTreeFailure> {
        if now || self.since(self.committed) >= COMMIT || self.tree.store().pending() > ROWS {
            self.tree.store().commit()?;
            self.committed = self.transport.now();
        }
        Ok(())
    }

    /// Reports to the observer and the store how far it is, once a second.
    pub(super) fn report_status(&mut self, root: Id) -> Result<(), ProofTreeFailure> {
        if self.reported_at.is_some_and(|at| self.since(at) < Duration::from_secs(1)) {
            return self.commit(false);
        }
        self.reported_at = Some(self.transport.now());
        let status = self.status(root);
        let doing = self.transport.doing();
        let moment = Moment {
            root,
            threshold: status.threshold,
            counts: [status.nodes, status.settled, status.facts],
            frontier: status.frontier,
            jobs: status.jobs,
            seconds: status.seconds,
            bounds: status.bounds(),
            numbers: [status.win, status.loss],
            visited: status.visited,
            work: status.work,
        };
        let store = self.tree.store();
        store.add_moment(&moment)?;
        store.set_provers(&doing)?;
        self.observer.status(&status);
        self.commit(true)
    }

    pub(super) fn status(&self, root: Id) -> Status {
        let graph = self.tree.graph();
        let Bounds { lo, hi } = graph.node(root).bounds;
        Status {
            position: self.tree.text(root).to_owned(),
            lo,
            hi,
            threshold: self.threshold,
            nodes: graph.len() as u64,
            settled: graph.settled() as u64,
            facts: self.tree.facts(),
            region: self.region[0],
            frontier: self.region[1],
            win: self.numbers[0],
            loss: self.numbers[1],
            jobs: self.done[0],
            proved: self.done[1],
            visited: self.done[2],
            work: self.work.as_secs_f64(),
            overhead: self.overhead.as_secs_f64(),
            audited: self.audits.counts(),
            failed: self.failed_so_far(),
            seconds: self.since(self.start).as_secs_f64(),
            provers: seconds(self.transport.doing()),
        }
    }
}
