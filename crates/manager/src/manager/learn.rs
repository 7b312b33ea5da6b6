//! What comes back from provers: facts, scores, numbers, failures.

use super::{Manager, Out};
use crate::Failure;
use crate::graph::Id;
use crate::job::{Gleaned, Job, Outcome};
use std::time::Duration;
use zermelo_game::Bounds;

/// Jobs are given out so often before they are set aside.
const TRIES: u32 = 3;

impl Manager<'_> {
    /// What a job found that was cut short: its bounds are true, but that it failed says nothing.
    pub(super) fn record_late(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let Some(out) = self.forget(outcome.id) else { return Ok(()) };
        if outcome.error.is_none() && out.audits.is_none() && !outcome.hangs {
            self.learn(out.node, Bounds { lo: outcome.lo, hi: outcome.hi }, &outcome.solver)?;
        }
        Ok(())
    }

    fn learn(&mut self, node: Id, told: Bounds, solver: &str) -> Result<bool, Failure> {
        let Bounds { lo, hi } = told;
        let values = self.tree.graph().values;
        if lo > hi || !values.contains(lo) || !values.contains(hi) {
            let position = self.tree.text(node);
            let words = format!("{solver} says {lo}..{hi} of {position}, which cannot be");
            return Err(Failure::Prover(words));
        }
        let news = self.tree.learn(node, told, Some(solver))?;
        self.check_claims()?;
        Ok(news)
    }

    /// Withdraws a claim whose move does not win.
    pub(super) fn check_claims(&mut self) -> Result<(), Failure> {
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
            let (mv, to) = (self.claimed.remove(&at).unwrap_or_default(), self.tree.text(child));
            let words = format!(
                "a claim is refuted and withdrawn: {mv} in {} does not win (it leads to {to})",
                self.tree.text(at)
            );
            self.tree.store().set_claim(at, &mv, true)?;
            self.observer.warn(&words);
        }
        Ok(())
    }

    /// Learns from an outcome.
    pub(super) fn record(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let Some(out) = self.forget(outcome.id) else { return Ok(()) };
        if let Some(error) = &outcome.error {
            return self.failed(out, error);
        }
        if let Some((source, claimed)) = out.audits {
            return self.audit(out.node, &source, claimed, &outcome);
        }
        self.done[0] += 1;
        self.done[2] += outcome.nodes;
        self.work += Duration::from_micros(outcome.micros);
        self.tree.tried(out.node, &outcome, self.threshold)?;
        if !outcome.hangs {
            let told = Bounds { lo: outcome.lo, hi: outcome.hi };
            self.believe(out.node, told, &outcome.solver, &out.job)?;
        }
        let node = self.tree.graph().node(out.node);
        if node.bounds.is_exact() {
            self.done[1] += 1;
        } else if outcome.tried && self.threshold.is_none_or(|t| node.score.abs() < t) {
            self.tree.expand(out.node)?;
            if !outcome.hangs {
                self.glean(out.node, &outcome, &out.job)?;
            }
        }
        Ok(())
    }

    /// Learns a fact, and perhaps has it proved again by another solver.
    fn believe(&mut self, node: Id, told: Bounds, solver: &str, job: &Job) -> Result<(), Failure> {
        let news = self.learn(node, told, solver)?;
        // The choice hangs on the position, so that a liar cannot know it and a restart makes the same.
        let position = self.tree.text(node);
        let draw = blake3::hash(position.as_bytes());
        let draw = u32::from_le_bytes(draw.as_bytes()[..4].try_into().unwrap_or_default()) % 1000;
        if news && draw < self.config.audit {
            let values = self.tree.graph().values;
            let job = Job {
                audit: true,
                position: position.to_owned(),
                lo: values.lo,
                hi: values.hi,
                threshold: None,
                first: None,
                ..job.clone()
            };
            self.offer(job, node, 0, Some((solver.to_owned(), told)));
        }
        Ok(())
    }

    /// Takes over what a job that failed has found out about the moves of its position: what it proved of them, and how
    /// far it is with those that are open.
    fn glean(&mut self, node: Id, outcome: &Outcome, job: &Job) -> Result<(), Failure> {
        for Gleaned { position, lo, hi, yes, no } in &outcome.moves {
            let child = self.tree.find(position);
            // What is no move of the position was not asked for.
            let Some(child) = child.filter(|c| self.tree.graph().children(node).contains(c)) else {
                continue;
            };
            self.believe(child, Bounds { lo: *lo, hi: *hi }, &outcome.solver, job)?;
            if let (Some(at_least), Some(yes), Some(no)) = (outcome.asked, *yes, *no) {
                self.tree.number(child, at_least, [yes, no])?;
            }
        }
        Ok(())
    }

    /// A prover failed: somebody else may try, and in the end the position is taken apart.
    fn failed(&mut self, out: Out, error: &str) -> Result<(), Failure> {
        if self.stopped() {
            return Ok(());
        }
        let position = self.tree.text(out.node).to_owned();
        let tries = out.tries + 1;
        self.observer
            .warn(&format!("job {} about {position} failed, try {tries}: {error}", out.job.id));
        if error.contains("cannot lie in") {
            return Err(Failure::Contradiction(error.to_owned()));
        }
        if tries < TRIES {
            self.offer(out.job, out.node, tries, out.audits);
            return Ok(());
        }
        if out.audits.is_some() {
            self.audited[1] += 1;
            return Ok(());
        }
        self.observer.warn(&format!("{position} is set aside: its moves are looked at instead"));
        if self.tree.graph().node(out.node).tried() {
            return Err(Failure::Prover(error.to_owned()));
        }
        let outcome = Outcome { tried: true, ..Outcome::default() };
        self.tree.tried(out.node, &outcome, self.threshold)?;
        self.tree.expand(out.node)
    }

    fn audit(
        &mut self,
        node: Id,
        source: &str,
        claimed: Bounds,
        outcome: &Outcome,
    ) -> Result<(), Failure> {
        let found = Bounds { lo: outcome.lo, hi: outcome.hi };
        if found.meet(claimed).is_err() {
            return Err(Failure::Contradiction(format!(
                "an audit of {}: {source} says {claimed}, but {} says {found}",
                self.tree.text(node),
                outcome.solver
            )));
        }
        let confirmed = found.lo >= claimed.lo && found.hi <= claimed.hi;
        self.audited[usize::from(!confirmed)] += 1;
        Ok(())
    }
}
