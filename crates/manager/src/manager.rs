//! The loop: take outcomes, learn from them, say what is missing, offer jobs.
//!
//! The root's value is asked for by two questions at once, *does the first player win* and *does the second* (score
//! games: by one question after the other). In games that evaluate positions a threshold begins small: scores
//! outside it count as if they were proved, so that effort goes first where the value is in doubt. When all questions
//! are answered within a threshold it grows, and in the end only facts count. A leaf that a prover could not settle
//! within its limits is taken apart into its moves. Everything that matters is in the store before it is relied on,
//! so a run may end at any moment.

use crate::Failure;
use crate::claims::Claim;
use crate::graph::Id;
use crate::job::{Job, Outcome, rules_digest};
use crate::missing::{Region, State, questions};
use crate::numbers::{Choice, Numbers, Pick};
use crate::progress::{Status, seconds};
use crate::store::Moment;
use crate::transport::Transport;
use crate::tree::Tree;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_any::SURE;
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

/// Jobs are given out so often before they are set aside.
const TRIES: u32 = 3;
/// Jobs that wait, for each prover.
const QUEUE: usize = 4;
/// Looking for work may take one part of so many.
const LOOKING: f64 = 25.0;
/// How often the store is told to remember.
const COMMIT: Duration = Duration::from_millis(1_000);
/// The most rows that wait for that.
const ROWS: usize = 20_000;

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
        let now = Instant::now();
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

    fn stopped(&self) -> bool {
        self.config.cancel.as_ref().is_some_and(|c| c.load(Relaxed))
            || self.config.time.is_some_and(|time| self.start.elapsed() >= time)
    }

    /// Works on one root until its value is known.
    fn settle(&mut self, root: Id) -> Result<(), Failure> {
        let mut calm = false;
        loop {
            if self.stopped() {
                return self.end();
            }
            let provers = self.transport.doing().len().max(1);
            let settled = self.tree.graph().node(root).bounds.is_exact();
            if settled && !calm {
                self.calm();
                calm = true;
            }
            if settled && self.out.values().all(|out| out.audits.is_none()) {
                return self.end();
            }
            let clock = Instant::now();
            if !settled && self.out.len() < 2 * provers {
                self.look(root, provers)?;
                self.overhead += clock.elapsed();
                if self.tree.graph().node(root).bounds.is_exact() {
                    continue;
                }
            }
            let wait = Duration::from_millis(100);
            let first = self.transport.take(wait);
            let clock = Instant::now();
            let mut next = first;
            while let Some(outcome) = next {
                self.record(outcome)?;
                next = self.transport.take(Duration::ZERO);
            }
            self.tell(root)?;
            self.overhead += clock.elapsed();
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

    /// What a job found that was cut short: its bounds are true, but that it failed says nothing.
    fn record_late(&mut self, outcome: Outcome) -> Result<(), Failure> {
        let Some(out) = self.forget(outcome.id) else { return Ok(()) };
        if outcome.error.is_none() && out.audits.is_none() && !outcome.hangs {
            self.learn(out.node, &outcome)?;
        }
        Ok(())
    }

    fn learn(&mut self, node: Id, outcome: &Outcome) -> Result<bool, Failure> {
        let Outcome { lo, hi, .. } = *outcome;
        let values = self.tree.graph().values;
        if lo > hi || !values.contains(lo) || !values.contains(hi) {
            let position = self.tree.text(node);
            let words =
                format!("{} says {lo}..{hi} of {position}, which cannot be", outcome.solver);
            return Err(Failure::Prover(words));
        }
        let news = self.tree.learn(node, Bounds { lo, hi }, Some(&outcome.solver))?;
        self.check_claims()?;
        Ok(news)
    }

    /// Withdraws a claim whose move does not win.
    fn check_claims(&mut self) -> Result<(), Failure> {
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
    fn record(&mut self, outcome: Outcome) -> Result<(), Failure> {
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
        let news = !outcome.hangs && self.learn(out.node, &outcome)?;
        let node = self.tree.graph().node(out.node);
        if node.bounds.is_exact() {
            self.done[1] += 1;
        } else if outcome.tried && self.threshold.is_none_or(|t| node.score.abs() < t) {
            self.tree.expand(out.node)?;
        }
        // The choice hangs on the position, so that a liar cannot know it and a restart makes the same.
        let draw = blake3::hash(self.tree.text(out.node).as_bytes());
        let draw = u32::from_le_bytes(draw.as_bytes()[..4].try_into().unwrap_or_default()) % 1000;
        if news && draw < self.config.audit {
            let told = Bounds { lo: outcome.lo, hi: outcome.hi };
            let values = self.tree.graph().values;
            let job = Job {
                audit: true,
                lo: values.lo,
                hi: values.hi,
                threshold: None,
                first: None,
                ..out.job
            };
            self.offer(job, out.node, 0, Some((outcome.solver, told)));
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

    fn offer(&mut self, mut job: Job, node: Id, tries: u32, audits: Option<(String, Bounds)>) {
        job.id = self.next_job;
        self.next_job += 1;
        if audits.is_none() {
            self.busy.insert(node);
        }
        self.out.insert(job.id, Out { job: job.clone(), node, tries, audits });
        self.transport.offer(job);
    }

    /// Says what is missing, and offers it to the provers.
    fn look(&mut self, root: Id, provers: usize) -> Result<(), Failure> {
        self.calm();
        let clock = Instant::now();
        loop {
            let bounds = self.tree.graph().node(root).bounds;
            if bounds.is_exact() {
                break;
            }
            let mut open = Vec::new();
            (self.region, self.numbers) = ([0; 2], [None; 2]);
            for question in questions(self.tree.graph().values, bounds) {
                let region = Region::new(self.tree.graph(), root, question, self.threshold);
                if self.threshold.is_none() {
                    self.conclude(&region)?;
                }
                if region.answer().is_none() {
                    self.region[0] = self.region[0].max(region.len() as u64);
                    self.region[1] = self.region[1].max(region.frontier() as u64);
                    open.push(Numbers::new(self.tree.graph(), region, self.threshold));
                }
            }
            if self.tree.graph().node(root).bounds.is_exact() {
                break;
            }
            if open.is_empty() {
                self.grow();
                continue;
            }
            let grown = self.choose(open, provers)?;
            if !grown {
                break;
            }
        }
        self.looked = clock.elapsed();
        self.commit(false)
    }

    /// Keeps what was settled by facts alone.
    fn conclude(&mut self, region: &Region) -> Result<(), Failure> {
        let (values, t) = (self.tree.graph().values, region.question.at_least);
        let settled = region.ids.iter().zip(&region.state).filter_map(|(&id, state)| match state {
            State::Yes => Some((id, Bounds { lo: t, hi: values.hi })),
            State::No => Some((id, Bounds { lo: values.lo, hi: t - 1 })),
            State::Open => None,
        });
        self.tree.conclude(settled)
    }

    /// All questions are answered within the threshold: the next one.
    fn grow(&mut self) {
        let [_, step, last] = self.config.thresholds;
        self.threshold = self.threshold.and_then(|t| {
            let next = (2 * t).max(t + step.max(1));
            (next <= last.min(SURE)).then_some(next)
        });
    }

    /// Chooses leaves of the open questions and makes jobs of them. True if positions were taken apart instead, so that
    /// there is more to choose from.
    fn choose(&mut self, mut open: Vec<Numbers>, provers: usize) -> Result<bool, Failure> {
        let roots: Vec<[u32; 2]> = open.iter().map(Numbers::root).collect();
        for (numbers, &root) in open.iter().zip(&roots) {
            match numbers.region.question.at_least {
                1 => self.numbers[0] = Some(root),
                // That the second player wins is shown by no.
                _ => self.numbers[1] = Some([root[1], root[0]]),
            }
        }
        self.write_numbers(&open)?;
        // A win of one player answers both questions: where that looks nearer, the other can wait.
        if let [win, draw] = roots[..] {
            if win[0] < win[1] {
                open.truncate(1);
            } else if draw[1] < draw[0] {
                open.remove(0);
            }
        }
        let rate = self.done[0] as f64 / self.start.elapsed().as_secs_f64().max(0.1);
        let most = (QUEUE * provers).max((rate * self.looked.as_secs_f64() * LOOKING) as usize);
        let share = most.div_ceil(open.len());
        let mut picks: Vec<(Pick, i16)> = Vec::new();
        for numbers in &mut open {
            let choice = Choice { most: share, busy: Some(&self.busy), claims: Some(&self.claims) };
            let t = numbers.region.question.at_least;
            picks.extend(numbers.choose(self.tree.graph(), &choice).into_iter().map(|p| (p, t)));
        }
        let mut grown = false;
        for (Pick { leaf, .. }, at_least) in picks {
            if self.tree.graph().node(leaf).tried() {
                self.tree.expand(leaf)?;
                grown = true;
            } else if !self.busy.contains(&leaf) {
                let job = self.job(leaf, at_least);
                self.offer(job, leaf, 0, None);
            }
        }
        Ok(grown)
    }

    /// Numbers for readers: of the root and its children, along the line that would be followed, and of the grandchildren.
    fn write_numbers(&mut self, open: &[Numbers]) -> Result<(), Failure> {
        for all in open {
            let region = &all.region;
            let mut shown = vec![0u32];
            for at in all.line() {
                shown.extend(region.children(at));
            }
            for &child in region.children(0) {
                shown.extend(region.children(child as usize));
            }
            for at in shown.into_iter().map(|at| at as usize).take(1000) {
                let [yes, no] = all.numbers[at];
                let (id, store) = (region.ids[at], self.tree.store());
                match region.question.at_least {
                    1 => store.set_numbers(id, true, [yes, no])?,
                    _ => store.set_numbers(id, false, [no, yes])?,
                }
            }
        }
        Ok(())
    }

    fn job(&self, leaf: Id, at_least: i16) -> Job {
        let Bounds { lo, hi } = self.tree.graph().node(leaf).bounds;
        Job {
            id: 0,
            game: self.tree.game().full_name(),
            rules: self.rules.clone(),
            database: self.config.database.clone(),
            position: self.tree.text(leaf).to_owned(),
            lo,
            hi,
            first: Some(at_least),
            threshold: self.threshold,
            audit: false,
            nodes: self.config.nodes,
            millis: self.config.millis,
            memory: self.config.memory,
        }
    }

    fn commit(&mut self, now: bool) -> Result<(), Failure> {
        if now || self.committed.elapsed() >= COMMIT || self.tree.store().pending() > ROWS {
            self.tree.store().commit()?;
            self.committed = Instant::now();
        }
        Ok(())
    }

    /// Tells the observer and the store how far it is, once a second.
    fn tell(&mut self, root: Id) -> Result<(), Failure> {
        if self.told.is_some_and(|told| told.elapsed() < Duration::from_secs(1)) {
            return self.commit(false);
        }
        self.told = Some(Instant::now());
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

    fn status(&self, root: Id) -> Status {
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
            audited: self.audited,
            seconds: self.start.elapsed().as_secs_f64(),
            provers: seconds(self.transport.doing()),
        }
    }
}
