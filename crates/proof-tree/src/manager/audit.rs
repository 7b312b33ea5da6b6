//! Audits: facts that are proved again by somebody else, who took no part in them. Which facts are chosen depends on their
//! positions and on a random number of the store, so that a restart chooses the same ones and a liar cannot know.
//!
//! What an audit has found of a fact stands in the store. A run begins with the facts that it would have had audited and
//! that never were, because an earlier run had no audits or was ended before they were done; and it does not end before
//! all audits are.

use super::{Manager, Out};
use crate::ProofTreeFailure;
use crate::graph::Id;
use crate::job::{Job, JobOutcome};
use crate::source::{FactSource, SourceKind};
use crate::transport::Desk;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use zermelo_game::Bounds;
use zermelo_game::outside::printable;

/// An audit is given out so often.
const TRIES: u32 = 3;
/// Audits that are out, for each prover.
const WINDOW: usize = 4;
/// So many failures are told one by one.
const TOLD: u64 = 5;

/// A fact that is to be audited.
pub(super) struct Audit {
    fact: i64,
    node: Id,
    claimed: Bounds,
    source: FactSource,
    tries: u32,
}

/// All of them.
#[derive(Default)]
pub(super) struct Audits {
    queue: VecDeque<Audit>,
    /// Those that are out.
    pub(super) out: usize,
    /// The random number of the store.
    salt: String,
    confirmed: u64,
    undecided: u64,
    failed: u64,
}

impl Audits {
    /// How many are not done.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len() + self.out
    }

    /// Facts that were confirmed, that could not be decided, and that were not audited (yet).
    pub(super) fn counts(&self) -> [u64; 3] {
        [self.confirmed, self.undecided, self.failed + self.waiting() as u64]
    }

    /// One that is to be offered again.
    pub(super) fn again(&mut self, audit: Audit) {
        self.queue.push_front(audit);
    }
}

impl Manager<'_> {
    /// Whether a fact about a position is one of those that are audited.
    fn is_drawn(&self, position: &str) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.audits.salt.as_bytes()).update(position.as_bytes());
        let draw = hasher.finalize();
        let draw = u32::from_le_bytes(draw.as_bytes()[..4].try_into().unwrap_or_default());
        draw % 1000 < self.config.audit
    }

    /// Finds the facts that wait for an audit since earlier runs.
    pub(super) fn load_audits(&mut self) -> Result<(), ProofTreeFailure> {
        self.audits.queue.clear();
        if self.config.audit == 0 {
            return Ok(());
        }
        self.audits.salt = self.tree.store().get("salt")?.unwrap_or_default();
        let sources: FxHashMap<i64, FactSource> =
            self.tree.store().sources()?.into_iter().collect();
        for fact in self.tree.entries()?.into_iter().filter(|fact| !fact.audited) {
            let source =
                sources.get(&fact.source).filter(|source| source.kind != SourceKind::Rules);
            if let Some(source) = source {
                self.perhaps_audit(fact.id, fact.node, fact.bounds, source);
            }
        }
        Ok(())
    }

    /// Has a fact audited, if it is drawn.
    pub(super) fn perhaps_audit(
        &mut self,
        fact: i64,
        node: Id,
        claimed: Bounds,
        source: &FactSource,
    ) {
        if self.config.audit == 0 || !self.is_drawn(self.tree.text(node)) {
            return;
        }
        match self.transport.has(Desk::Auditors) {
            true => {
                let audit = Audit { fact, node, claimed, source: source.clone(), tries: 0 };
                self.audits.queue.push_back(audit);
            }
            false => self.audits.failed += 1,
        }
    }

    /// Offers audits that wait.
    pub(super) fn offer_audits(&mut self) {
        let most = WINDOW * self.transport.provers().max(1);
        while self.audits.out < most {
            let Some(audit) = self.audits.queue.pop_front() else { break };
            let values = self.tree.graph().values;
            let ours = matches!(audit.source.kind, SourceKind::Engine | SourceKind::Unknown);
            let job = Job {
                audit: true,
                audited: ours.then(|| audit.source.name.clone()),
                lo: values.lo,
                hi: values.hi,
                threshold: None,
                first: None,
                ..self.job(audit.node, values.hi)
            };
            self.offer(job, audit.node, Desk::Auditors, Some(audit));
        }
    }

    /// Nothing came of an audit.
    pub(super) fn audit_failed(
        &mut self,
        audit: Audit,
        error: &str,
    ) -> Result<(), ProofTreeFailure> {
        let tries = audit.tries + 1;
        if tries < TRIES {
            self.audits.again(Audit { tries, ..audit });
            return Ok(());
        }
        self.audits.failed += 1;
        if self.audits.failed <= TOLD {
            let (position, error) = (printable(self.tree.text(audit.node)), printable(error));
            self.observer.warn(&format!("{position} is not audited: {error}"));
        }
        Ok(())
    }

    /// Takes the outcome of an audit.
    pub(super) fn audited(
        &mut self,
        out: Out,
        outcome: &JobOutcome,
        auditor: FactSource,
    ) -> Result<(), ProofTreeFailure> {
        let Some(Audit { fact, node, claimed, source, .. }) = out.audits else { return Ok(()) };
        let found = Bounds { lo: outcome.lo, hi: outcome.hi };
        let fixed = !outcome.path_dependent;
        if fixed && found.meet(claimed).is_err() {
            return Err(self.tree.refute(node, (claimed, source), (found, auditor)));
        }
        if fixed && self.tree.graph().node(node).bounds.meet(found).is_err() {
            self.tree.learn(node, found, Some(&auditor))?;
        }
        let confirmed = fixed && found.lo >= claimed.lo && found.hi <= claimed.hi;
        match confirmed {
            true => self.audits.confirmed += 1,
            false => self.audits.undecided += 1,
        }
        self.tree.store().set_audit(fact, confirmed)
    }
}
