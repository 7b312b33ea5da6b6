//! The loop: take outcomes, learn from them, say what is missing, offer jobs.
//!
//! The root's value is asked for by two questions at once, *does the first player win* and *does the second* (score
//! games: by one question after the other). In games that evaluate positions a threshold begins small: scores
//! outside it count as if they were proved, so that effort goes first where the value is in doubt. When all questions
//! are answered within a threshold it grows, and in the end only facts count. A leaf that a prover could not settle
//! within its limits is taken apart into its moves. Everything that matters is in the store before it is relied on,
//! so a run may end at any moment.
//!
//! Here is the loop; `look` says what is missing and makes jobs of it, `learn` takes what comes back, `tell` says how far
//! it is.

mod learn;
mod look;
mod tell;

use crate::Failure;
use crate::claims::Claim;
use crate::graph::Id;
use crate::job::{Job, rules_digest};
use crate::progress::Status;
use crate::transport::Transport;
use crate::tree::Tree;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_game::Bounds;

/// How to prove.
#[derive(Clone, Debug)]
pub struct Config {
    /// What a job may take: nodes, time, memory.
    pub nodes: Option<u64>,
    /// See there.
    pub millis: Option<u64>,
    /// See there, in bytes.
    pub memory: u64,
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

impl Default for Config {
    fn default() -> Config {
        Config {
            nodes: None,
            millis: Some(1_000),
            memory: 64 << 20,
            thresholds: [100, 100, 400],
            audit: 0,
            database: None,
            cancel: None,
            time: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// What is proved of the root.
    pub bounds: Bounds,
    /// How far it is.
    pub status: Status,
}

/// Whoever wants to know how it goes: called about once a second, and with every warning.
pub trait Observer {
    /// How far it is.
    fn status(&mut self, status: &Status);
    /// Something that somebody should know.
    fn warn(&mut self, words: &str);
}

/// Nobody.
impl Observer for () {
    fn status(&mut self, _: &Status) {}
    fn warn(&mut self, _: &str) {}
}

/// A job that is out.
struct Out {
    job: Job,
    node: Id,
    tries: u32,
    /// Who said what is to be audited.
    audits: Option<(String, Bounds)>,
}

/// A proof that is going on.
pub struct Manager<'m> {
    tree: Tree,
    config: Config,
    transport: &'m mut dyn Transport,
    observer: &'m mut dyn Observer,
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
    told: Option<Instant>,
    /// What the last look found.
    region: [u64; 2],
    numbers: [Option<[u32; 2]>; 2],
    looked: Duration,
    /// When that was, and whether anything has come back since.
    looked_at: Option<Instant>,
    news: bool,
    done: [u64; 3],
    work: Duration,
    overhead: Duration,
    audited: [u64; 2],
}

impl<'m> Manager<'m> {
    /// A manager for a tree, with these provers.
    pub fn new(
        tree: Tree,
        config: Config,
        transport: &'m mut dyn Transport,
        observer: &'m mut dyn Observer,
    ) -> Manager<'m> {
        let game = tree.game();
        let rules = rules_digest(&game.full_name(), &game.rules());
        let plain = game.values().lo >= -1 && game.values().hi <= 1;
        let threshold = (game.evaluated() && plain && config.thresholds[0] <= config.thresholds[2])
            .then_some(config.thresholds[0].max(1));
        let now = transport.now();
        Manager {
            tree,
            config,
            transport,
            observer,
            rules,
            next_job: 1,
            out: FxHashMap::default(),
            busy: FxHashSet::default(),
            claims: FxHashMap::default(),
            claimed: FxHashMap::default(),
            threshold,
            start: now,
            committed: now,
            told: None,
            region: [0; 2],
            numbers: [None; 2],
            looked: Duration::ZERO,
            looked_at: None,
            news: false,
            done: [0; 3],
            work: Duration::ZERO,
            overhead: Duration::ZERO,
            audited: [0; 2],
        }
    }

    /// The tree.
    pub fn tree(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// Takes over claims. One whose move is not worth a look in its position is withdrawn at once.
    pub fn claim(&mut self, claims: &[Claim]) -> Result<(), Failure> {
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
                let Claim { position, mv, line } = claim;
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
    pub fn prove(&mut self, position: Option<&str>, line: &[String]) -> Result<Settled, Failure> {
        let roots = self.tree.line(position, line)?;
        let root = roots[0];
        self.tree.store().add_root(root)?;
        let first = self.threshold;
        let mut end = Ok(());
        for &root in roots.iter().rev() {
            self.threshold = first;
            end = self.settle(root);
            if end.is_err() || self.stopped() {
                break;
            }
        }
        let kept = self.tree.store().set_provers(&[]).and_then(|()| self.tree.store().commit());
        end?;
        kept?;
        let status = self.status(root);
        self.observer.status(&status);
        Ok(Settled { bounds: self.tree.graph().node(root).bounds, status })
    }

    /// The time that has passed since then.
    fn since(&self, then: Instant) -> Duration {
        self.transport.now().saturating_duration_since(then)
    }

    fn stopped(&self) -> bool {
        self.config.cancel.as_ref().is_some_and(|c| c.load(Relaxed))
            || self.config.time.is_some_and(|time| self.since(self.start) >= time)
    }

    /// Works on one root until its value is known.
    fn settle(&mut self, root: Id) -> Result<(), Failure> {
        let mut calm = false;
        loop {
            if self.stopped() {
                return self.end();
            }
            let provers = self.transport.provers().max(1);
            let settled = self.tree.graph().node(root).bounds.is_exact();
            if settled && !calm {
                self.calm();
                calm = true;
            }
            if settled && self.out.values().all(|out| out.audits.is_none()) {
                return self.end();
            }
            let clock = self.transport.now();
            if !settled && self.wants_a_look(provers) {
                self.look(root, provers)?;
                self.overhead += self.since(clock);
                if self.tree.graph().node(root).bounds.is_exact() {
                    continue;
                }
            }
            let wait = Duration::from_millis(100);
            let first = self.transport.take(wait);
            let clock = self.transport.now();
            let mut next = first;
            while let Some(outcome) = next {
                self.record(outcome)?;
                self.news = true;
                next = self.transport.take(Duration::ZERO);
            }
            self.tell(root)?;
            self.overhead += self.since(clock);
        }
    }

    /// Takes back jobs that nobody has begun, except audits: they may not be the best choice any more.
    fn calm(&mut self) {
        let withdrawn = self.transport.withdraw();
        let outs: Vec<Out> = withdrawn.into_iter().filter_map(|id| self.forget(id)).collect();
        for out in outs.into_iter().filter(|out| out.audits.is_some()) {
            self.offer(out.job, out.node, out.tries, out.audits);
        }
    }

    /// Ends all jobs, and learns what they have found.
    fn end(&mut self) -> Result<(), Failure> {
        for id in self.transport.withdraw() {
            self.forget(id);
        }
        let stopped = self.stopped();
        if stopped {
            self.transport.cancel();
        }
        // Those that run go on with what is left of the proof, or end soon.
        while stopped && !self.out.is_empty() {
            match self.transport.take(Duration::from_secs(60)) {
                Some(outcome) => self.record_late(outcome)?,
                None => break,
            }
        }
        self.tree.store().commit()
    }

    fn forget(&mut self, job: u64) -> Option<Out> {
        let out = self.out.remove(&job)?;
        if out.audits.is_none() {
            self.busy.remove(&out.node);
        }
        Some(out)
    }

    fn offer(&mut self, mut job: Job, node: Id, tries: u32, audits: Option<(String, Bounds)>) {
        job.id = self.next_job;
        self.next_job += 1;
        if audits.is_none() {
            self.busy.insert(node);
        }
        self.out.insert(job.id, Out { job: job.clone(), node, tries, audits });
        self.transport.offer(job);
    }
}
