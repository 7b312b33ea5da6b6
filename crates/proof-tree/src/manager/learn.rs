//! What comes back from provers: facts, scores, numbers, failures.

use super::Manager;
use crate::ProofTreeFailure;
use crate::graph::Id;
use crate::job::{ChildReport, Job, JobOutcome};
use crate::source::{FactSource, Giver, SourceKind};
use crate::transport::JobAnswer;
use std::time::Duration;
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Value};

/// Scores beyond this say no more.
const SCORE: i32 = 1 << 30;
/// No job takes longer than this, in microseconds.
const MICROS: u64 = 1 << 50;
/// So many names of outsiders are kept; who uses more is known by the name that we give.
const NAMES: usize = 32;

impl Manager<'_> {
    /// What a job found that was cut short: its bounds are true, but that it failed says nothing.
    pub(super) fn record_late(&mut self, answer: JobAnswer) -> Result<(), ProofTreeFailure> {
        let JobAnswer { outcome, giver } = answer;
        let Some(out) = self.forget(outcome.id) else { return Ok(()) };
        if let Some(audit) = out.audits {
            self.audits.again(audit);
        } else if outcome.error.is_none()
            && !outcome.path_dependent
            && self.nonsense(&outcome).is_none()
        {
            let source = self.source(&giver, &outcome.solver);
            self.tree.learn(out.node, self.proved(&out.job, &outcome), Some(&source))?;
            self.check_claims()?;
        }
        Ok(())
    }

    /// Why an outcome cannot be, if it says so by itself.
    fn nonsense(&self, outcome: &JobOutcome) -> Option<String> {
        let values = self.tree.graph().values;
        let wrong = |lo: Value, hi: Value| lo > hi || !values.contains(lo) || !values.contains(hi);
        let JobOutcome { lo, hi, moves, .. } = outcome;
        if wrong(*lo, *hi) {
            return Some(format!("it says {lo}..{hi}, which cannot be"));
        }
        let of_move = moves.iter().find(|found| wrong(found.lo, found.hi))?;
        let ChildReport { position, lo, hi, .. } = of_move;
        Some(format!("it says {lo}..{hi} of {}, which cannot be", printable(position)))
    }

    /// What an outcome proves of its position. What the job said already its prover has not shown, and perhaps it is
    /// false: it is no part of the fact.
    fn proved(&self, job: &Job, outcome: &JobOutcome) -> Bounds {
        let values = self.tree.graph().values;
        Bounds {
            lo: if outcome.lo > job.lo { outcome.lo } else { values.lo },
            hi: if outcome.hi < job.hi { outcome.hi } else { values.hi },
        }
    }

    /// The source of what was said by one who calls itself so.
    fn source(&mut self, giver: &Giver, said: &str) -> FactSource {
        let source = giver.source(said);
        if source.kind == SourceKind::Outside && !self.names.contains(&source) {
            if self.names.len() >= NAMES {
                return FactSource {
                    name: format!("{}, under many names", giver.name()),
                    ..source
                };
            }
            self.names.insert(source.clone());
        }
        source
    }

    /// Withdraws a claim whose move does not win.
    pub(super) fn check_claims(&mut self) -> Result<(), ProofTreeFailure> {
        if self.claims.is_empty() {
            return Ok(());
        }
        let refuted: Vec<(Id, Id)> = self
            .claims
            .iter()
            .map(|(&at, &child)| (at, child))
            .filter(|&(at, child)| {
                let graph = self.tree.graph();
                graph.node(child).bounds.seen_by(graph.node(at).turn()).hi <= 0
            })
            .collect();
        for (at, child) in refuted {
            self.claims.remove(&at);
            let mv = self.claimed.remove(&at).unwrap_or_default();
            let (shown, to) = (printable(&mv), self.tree.text(child));
            let words = format!(
                "a claim is refuted and withdrawn: {shown} in {} does not win (it leads to {to})",
                self.tree.text(at)
            );
            self.tree.store().set_claim(at, &mv, true)?;
            self.observer.warn(&words);
        }
        Ok(())
    }

    /// Learns from an answer.
    pub(super) fn record(&mut self, answer: JobAnswer) -> Result<(), ProofTreeFailure> {
        let JobAnswer { mut outcome, giver } = answer;
        let Some(out) = self.forget(outcome.id) else { return Ok(()) };
        if let Some(error) = outcome.error.take().or_else(|| self.nonsense(&outcome)) {
            return self.failed(out, &error);
        }
        let source = self.source(&giver, &outcome.solver);
        if out.audits.is_some() {
            return self.audited(out, &outcome, source);
        }
        self.succeeded(out.desk);
        outcome.score = outcome.score.map(|score| score.clamp(-SCORE, SCORE));
        self.done[0] += 1;
        self.done[2] = self.done[2].saturating_add(outcome.nodes);
        let work = Duration::from_micros(outcome.micros.min(MICROS));
        self.work = self.work.saturating_add(work);
        self.tree.tried(out.node, &outcome, self.threshold)?;
        if !outcome.path_dependent {
            self.believe(out.node, self.proved(&out.job, &outcome), &source)?;
        }
        let node = self.tree.graph().node(out.node);
        if node.bounds.is_exact() {
            self.done[1] += 1;
        } else if outcome.tried && self.threshold.is_none_or(|t| node.score.abs() < t) {
            self.tree.expand(out.node)?;
            if !outcome.path_dependent {
                self.learn_of_children(out.node, &outcome, &source)?;
            }
        }
        Ok(())
    }

    /// Learns a fact, and perhaps has it proved again by somebody else.
    fn believe(
        &mut self,
        node: Id,
        told: Bounds,
        source: &FactSource,
    ) -> Result<(), ProofTreeFailure> {
        let fact = self.tree.learn(node, told, Some(source))?;
        self.check_claims()?;
        if let Some(fact) = fact {
            self.perhaps_audit(fact, node, told, source);
        }
        Ok(())
    }

    /// Takes over what a job that failed has found out about the moves of its position: what it proved of them, and how
    /// far it is with those that are open.
    fn learn_of_children(
        &mut self,
        node: Id,
        outcome: &JobOutcome,
        source: &FactSource,
    ) -> Result<(), ProofTreeFailure> {
        for ChildReport { position, lo, hi, yes, no } in &outcome.moves {
            let child = self.tree.find(position);
            // What is no move of the position was not asked for.
            let Some(child) = child.filter(|c| self.tree.graph().children(node).contains(c)) else {
                continue;
            };
            self.believe(child, Bounds { lo: *lo, hi: *hi }, source)?;
            if let (Some(at_least), Some(yes), Some(no)) = (outcome.asked, *yes, *no) {
                self.tree.number(child, at_least, [yes, no])?;
            }
        }
        Ok(())
    }
}
