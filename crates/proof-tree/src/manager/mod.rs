//! The loop: take outcomes, learn from them, say what is missing, offer jobs.
//!
//! The root's value is asked for by two questions at once, *does the first player win* and *does the second* (score
//! games: by one question after the other). In games that evaluate positions a threshold begins small: scores
//! outside it count as if they were proved, so that effort goes first where the value is in doubt. When all questions
//! are answered within a threshold it grows, and in the end only facts count. A leaf that a prover could not settle
//! within its limits is taken apart into its moves. Everything that matters is in the store before it is relied on,
//! so a run may end at any moment.
//!
//! Here is the loop; `schedule` says what is missing and makes jobs of it, `growth` how large they are, `learn` takes the outcomes, `audit` has facts
//! proved again by others, `failures` counts jobs that fail and stops using provers that only fail, `status` says how far
//! the proof is.

mod audit;
mod failures;
mod growth;
mod learn;
mod schedule;
mod status;

use crate::ProofTreeFailure;
use crate::claims::MoveClaim;
use crate::graph::Id;
use crate::job::{Job, rules_digest};
use crate::progress::Status;
use crate::source::FactSource;
use crate::transport::{Desk, Transport};
use crate::tree::ProofTree;
use audit::Audits;
use failures::Failures;
pub use growth::JobGrowth;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Identity};

/// How to prove.
#[derive(Clone, Debug)]
pub struct ManagerConfig {
    /// What a job may take: nodes, time, memory.
    pub nodes: Option<u64>,
    /// See there.
    pub millis: Option<u64>,
    /// See there, in bytes.
    pub memory: u64,
    /// How jobs of engines of ours grow until these limits end them; all jobs have the same limits if `None`.
    pub growth: Option<JobGrowth>,
    /// The first threshold, by how much it grows (it doubles if that is more), and the last one; in units of the game's
    /// evaluation. Means nothing in games that do not evaluate.
    pub thresholds: [i32; 3],
    /// Of a thousand facts, so many are proved again by another solver.
    pub audit: u32,
    /// The digest of the database that jobs may ask.
    pub database: Option<String>,
    /// Ends the run when set.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Ends the run after this time.
    pub time: Option<Duration>,
}

impl Default for ManagerConfig {
    fn default() -> ManagerConfig {
        ManagerConfig {
            nodes: None,
            millis: Some(1_000),
            memory: 64 << 20,
            growth: None,
            thresholds: [100, 100, 400],
            audit: 0,
            database: None,
            cancel: None,
            time: None,
        }
    }
}

/// Why a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnding {
    /// Its value is known, and all audits are done.
    Proved,
    /// [`ManagerConfig::time`] is spent.
    OutOfTime,
    /// [`ManagerConfig::cancel`] was set.
    Interrupted,
    /// The provers fail again and again: the reason in words.
    ProversFail(String),
}

impl RunEnding {
    /// A word for reports and files.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            RunEnding::Proved => "proved",
            RunEnding::OutOfTime => "out of time",
            RunEnding::Interrupted => "interrupted",
            RunEnding::ProversFail(_) => "provers fail",
        }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// Why.
    pub ending: RunEnding,
    /// What is proved of the root.
    pub bounds: Bounds,
    /// How far it is.
    pub status: Status,
}

/// Whoever wants to know how it goes: called about once a second, and with every warning.
pub trait ManagerObserver {
    /// How far it is.
    fn status(&mut self, status: &Status);
    /// Something that somebody should know.
    fn warn(&mut self, words: &str);
}

/// Nobody.
impl ManagerObserver for () {
    fn status(&mut self, _: &Status) {}
    fn warn(&mut self, _: &str) {}
}

/// A job that is out.
struct Out {
    job: Job,
    node: Id,
    desk: Desk,
    /// What is audited.
    audits: Option<audit::Audit>,
}

/// A proof that is going on.
pub struct Manager<'m> {
    tree: ProofTree,
    config: ManagerConfig,
    transport: &'m mut dyn Transport,
    observer: &'m mut dyn ManagerObserver,
    identity: Identity,
    /// For provers that are older than versions of rules.
    rules: String,
    next_job: u64,
    out: FxHashMap<u64, Out>,
    /// Leaves of jobs that are out.
    busy: FxHashSet<Id>,
    claims: FxHashMap<Id, Id>,
    /// Their moves, as they were written.
    claimed: FxHashMap<Id, String>,
    threshold: Option<i32>,
    start: Instant,
    committed: Instant,
    /// When the status was last reported.
    reported_at: Option<Instant>,
    /// What the last scheduling found, and how long it took.
    region: [u64; 2],
    numbers: [Option<[u32; 2]>; 2],
    scheduling: Duration,
    /// When that was, and whether there were outcomes since.
    scheduled_at: Option<Instant>,
    news: bool,
    done: [u64; 3],
    /// Positions that provers have visited in earlier runs.
    visited_before: u64,
    work: Duration,
    overhead: Duration,
    audits: Audits,
    /// Of the provers, and of engines beside them.
    failures: [Failures; 2],
    /// Names that outsiders have used.
    names: FxHashSet<FactSource>,
}

impl<'m> Manager<'m> {
    /// A manager for a tree, with these provers.
    pub fn new(
        tree: ProofTree,
        config: ManagerConfig,
        transport: &'m mut dyn Transport,
        observer: &'m mut dyn ManagerObserver,
    ) -> Manager<'m> {
        let game = tree.game();
        let (identity, rules) = (game.identity(), rules_digest(&**game));
        let plain = game.values().lo >= -1 && game.values().hi <= 1;
        let threshold = (game.evaluated() && plain && config.thresholds[0] <= config.thresholds[2])
            .then_some(config.thresholds[0].max(1));
        let now = transport.now();
        Manager {
            tree,
            config,
            transport,
            observer,
            identity,
            rules,
            next_job: 1,
            out: FxHashMap::default(),
            busy: FxHashSet::default(),
            claims: FxHashMap::default(),
            claimed: FxHashMap::default(),
            threshold,
            start: now,
            committed: now,
            reported_at: None,
            region: [0; 2],
            numbers: [None; 2],
            scheduling: Duration::ZERO,
            scheduled_at: None,
            news: false,
            done: [0; 3],
            visited_before: 0,
            work: Duration::ZERO,
            overhead: Duration::ZERO,
            audits: Audits::default(),
            failures: Default::default(),
            names: FxHashSet::default(),
        }
    }

    /// The tree.
    pub fn tree(&mut self) -> &mut ProofTree {
        &mut self.tree
    }

    /// Takes over claims. One whose move is not worth a look in its position is withdrawn at once.
    pub fn claim(&mut self, claims: &[MoveClaim]) -> Result<(), ProofTreeFailure> {
        for claim in claims {
            let ids = self.tree.line(Some(&claim.position), std::slice::from_ref(&claim.mv))?;
            let (node, child) = (ids[0], ids[1]);
            self.tree.expand(node)?;
            let listed = self.tree.graph().children(node).contains(&child);
            self.tree.store().set_claim(node, &claim.mv, !listed)?;
            if listed {
                self.claims.insert(node, child);
                self.claimed.insert(node, claim.mv.clone());
            } else {
                let MoveClaim { position, mv, line } = claim;
                let (mv, position) = (printable(mv), printable(position));
                self.observer.warn(&format!(
                    "line {line}: {mv} in {position} is not worth a look: the claim is withdrawn"
                ));
            }
        }
        self.check_claims()?;
        Ok(())
    }

    /// Proves a position, or as much of it as the limits allow. With a line of moves, the position at its end comes
    /// first, then the one before, up to the position itself.
    pub fn prove(
        &mut self,
        position: Option<&str>,
        line: &[String],
    ) -> Result<Settled, ProofTreeFailure> {
        let roots = self.tree.line(position, line)?;
        let root = roots[0];
        self.tree.store().add_root(root)?;
        self.visited_before = self.tree.store().visited()?.saturating_sub(self.done[2]);
        self.load_failures()?;
        self.load_audits()?;
        let first = self.threshold;
        let mut end = Ok(());
        for &root in roots.iter().rev() {
            self.threshold = first;
            end = self.settle(root);
            if end.is_err() || self.why_end().is_some() {
                break;
            }
        }
        self.sum_up_failures();
        let store = self.tree.store();
        match end {
            Ok(()) | Err(ProofTreeFailure::Contradiction(_)) => {
                store.set_provers(&[])?;
                store.commit()?;
            }
            // It may have been in the middle of something: what is half written is not kept.
            Err(_) => drop(store.roll_back()),
        }
        end?;
        let status = self.status(root);
        self.observer.status(&status);
        let bounds = self.tree.graph().node(root).bounds;
        let done = bounds.is_exact() && self.audits.waiting() == 0;
        let ending = match self.why_end() {
            Some(why) if !done => why,
            _ => RunEnding::Proved,
        };
        Ok(Settled { ending, bounds, status })
    }

    /// The time that has passed since then.
    fn since(&self, then: Instant) -> Duration {
        self.transport.now().saturating_duration_since(then)
    }

    /// Whether the run is to end because somebody wants it to, or its time is spent.
    fn interrupted(&self) -> bool {
        self.cancelled() || self.config.time.is_some_and(|time| self.since(self.start) >= time)
    }

    fn cancelled(&self) -> bool {
        self.config.cancel.as_ref().is_some_and(|c| c.load(Relaxed))
    }

    /// Why the run is to end before all is known, if it is.
    fn why_end(&self) -> Option<RunEnding> {
        match self.interrupted() {
            true if self.cancelled() => Some(RunEnding::Interrupted),
            true => Some(RunEnding::OutOfTime),
            false => self.nobody_left().map(RunEnding::ProversFail),
        }
    }

    /// Works on one root until its value is known.
    fn settle(&mut self, root: Id) -> Result<(), ProofTreeFailure> {
        let mut calm = false;
        loop {
            let settled = self.tree.graph().node(root).bounds.is_exact();
            match self.why_end() {
                // Audits are others' affair.
                Some(RunEnding::ProversFail(_)) if settled => {}
                Some(_) => return self.end(true),
                None => {}
            }
            let provers = self.transport.provers().max(1);
            if settled && !calm {
                self.calm();
                calm = true;
            }
            self.offer_audits();
            if settled && self.audits.waiting() == 0 {
                return self.end(false);
            }
            let clock = self.transport.now();
            if !settled && self.is_schedule_due(provers) {
                self.schedule(root, provers)?;
                self.overhead += self.since(clock);
                if self.tree.graph().node(root).bounds.is_exact() {
                    continue;
                }
            }
            let wait = Duration::from_millis(100);
            let first = self.transport.take(wait);
            let clock = self.transport.now();
            let mut next = first;
            while let Some(answer) = next {
                self.record(answer)?;
                self.news = true;
                next = self.transport.take(Duration::ZERO);
            }
            self.report_status(root)?;
            self.overhead += self.since(clock);
        }
    }

    /// Takes back jobs that nobody has begun: they may not be the best choice any more. Audits are offered again.
    fn calm(&mut self) {
        for id in self.transport.withdraw() {
            if let Some(audit) = self.forget(id).and_then(|out| out.audits) {
                self.audits.again(audit);
            }
        }
    }

    /// Ends all jobs, and learns what they have found. If the run has to end early, those that are at work are cut short.
    fn end(&mut self, early: bool) -> Result<(), ProofTreeFailure> {
        self.calm();
        if early {
            self.transport.cancel();
        }
        // Those that run go on with what is left of the proof, or end soon.
        while early && !self.out.is_empty() {
            match self.transport.take(Duration::from_secs(60)) {
                Some(answer) => self.record_late(answer)?,
                None => break,
            }
        }
        self.tree.store().commit()
    }

    fn forget(&mut self, job: u64) -> Option<Out> {
        let out = self.out.remove(&job)?;
        if out.audits.is_some() {
            self.audits.out -= 1;
        } else {
            self.busy.remove(&out.node);
        }
        Some(out)
    }

    fn offer(&mut self, mut job: Job, node: Id, desk: Desk, audits: Option<audit::Audit>) {
        job.id = self.next_job;
        self.next_job += 1;
        if audits.is_some() {
            self.audits.out += 1;
        } else {
            self.busy.insert(node);
        }
        self.out.insert(job.id, Out { job: job.clone(), node, desk, audits });
        self.transport.offer(job, desk);
    }
}
