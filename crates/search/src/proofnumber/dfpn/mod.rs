//! Depth-first proof-number search with a transposition table, for one or more threads.
//!
//! `worker` holds the search, `presence` how threads keep apart, `record` what the table keeps, `common` tables for
//! several solvers, `twins` what is kept of results that depend on the line, `line` how the proof is read from the
//! table afterwards, `playout_prior` what playouts before the search are good for.

mod common;
mod expand;
mod line;
mod path_dependence;
mod playout_prior;
mod presence;
pub(super) mod record;
mod simulate;
mod strategy;
mod twins;
pub(crate) mod worker;

use super::leaf::Leaf;
use super::numbers::{INF, MOST, Number, Numbers, SumRule};
use super::view::QuestionView;
use super::{InitialBounds, ProverRun, QuestionAnswer, QuestionProver};
use crate::engine::{BoxedStrategy, Engine, KnownBounds, Observer, Task};
use crate::engines::{EngineSettings, Make, Needs};
use crate::loops::{InnerLoops, NO_LOOPS};
use crate::montecarlo::MovePrior;
use crate::options::{Fraction, Thousandths};
use crate::table::Table;
use crate::threads::{self, ThreadWork};
pub use common::QuestionTables;
use common::{Asked, MemoryShares};
use presence::ThreadPath;
use record::NumbersCodec;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
pub use strategy::DfpnStrategy;
use twins::Twins;
use worker::RootNumbers;
use zermelo_game::{
    Bounds, Claim, Game, Knowledge, Limits, Progress, Question, Report, Rules, Stats, Stop, Value,
};

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Threads that share the table. One thread searches the same nodes every time; several do not.
    pub threads: usize,
    /// How numbers of children add up.
    pub rule: SumRule,
    /// How leaves start.
    pub leaf: Leaf,
    /// Monte-Carlo playouts before the search, for each question: they put moves in order, and those that they
    /// think little of start with larger numbers.
    pub playouts: u64,
    /// The seed of the playouts.
    pub seed: u64,
    /// What is done against endless loops.
    pub loops: Loops,
    /// What is thrown away when the table is full.
    pub room: ReplacementPolicy,
    /// By which part the threshold of a child exceeds the number of its best rival, so that the
    /// search goes to and fro less often (the 1 + epsilon trick, Pawlewicz and Lew 2007).
    pub epsilon: Thousandths,
    /// The part of the entries that a sweep takes ([`ReplacementPolicy::Sweep`]). Few at a time: a sweep also takes what the next visits
    /// would look up.
    pub swept: Fraction,
    /// A table of so many entries at most, instead of one that grows to the limit of memory.
    pub table_entries: Option<u64>,
    /// Whether results that depend on the line are kept, for when their line comes again. Means nothing
    /// where positions cannot come back.
    pub twins: bool,
    /// So many nodes may be spent on each open sibling of a solved child, to try the moves of that proof
    /// there (simulation). Not done where positions can repeat.
    pub simulation: u32,
    /// So many visits in a row may find nothing new before the search is called stalled.
    pub patience: u64,
}

/// What to do against endless loops on cyclic graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Loops {
    /// Old children do not count in sums: df-pn(r).
    Old,
    /// Thresholds grow while nothing new is found: never stalls.
    #[default]
    Control,
    /// Both.
    Both,
    /// Nothing: the plain algorithm, which may stall.
    Plain,
}

/// What is thrown away when the table is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReplacementPolicy {
    /// In each bucket the entry with the smallest subtree makes room for a new one.
    #[default]
    Bucket,
    /// Now and then, the entries with the smallest subtrees of the whole table (SmallTreeGC).
    Sweep,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            threads: 1,
            rule: SumRule::Sum,
            leaf: Leaf::Own,
            playouts: 0,
            seed: 0,
            loops: Loops::Control,
            room: ReplacementPolicy::Bucket,
            epsilon: Thousandths(250),
            swept: Fraction::permille(100),
            table_entries: None,
            twins: true,
            simulation: 0,
            patience: 1 << 22,
        }
    }
}

crate::options!(Config {
    "threads" = threads: "threads that search together; one gives the same search every time",
    "seed" = seed: "the seed of the playouts",
    "sum" = rule: "how the numbers of children add up: weak numbers, dynamic widening (TOP, RATE)",
    "leaf" = leaf: "the numbers of new leaves: one, by the number of moves, or as the game says",
    "epsilon" = epsilon: "by which part the threshold of a child exceeds the number of its rival (1 + epsilon)",
    "loops" = loops: "what is done against endless loops: growing thresholds (control), df-pn(r) (old), both, nothing",
    "twins" = twins: "whether results that depend on the line of play are kept for when it comes again",
    "simulation" = simulation: "nodes spent on trying a proof on each sibling; 0: no simulation",
    "gc" = room: "what makes room in a full table: the smallest tree of a bucket, or of the table (SmallTreeGC)",
    "gc-fraction" = swept: "the part of the entries that SmallTreeGC takes at a time",
    "playouts" = playouts: "Monte-Carlo playouts before the search, which teach order and leaf numbers",
    "table-entries" = table_entries: "a table of so many entries at most, instead of one that grows",
    "patience" = patience: "visits in a row that may find nothing new before the search is called stalled",
});

impl EngineSettings for Config {
    const NEEDS: Needs = Needs::LINE;
    const METHODS: &'static [&'static str] = &["df-pn"];

    #[inline(never)]
    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        let loops = make.loops.expect(NO_LOOPS);
        let mut solver = Dfpn::with_loops(make.game, loops, self.clone(), make.limits.clone());
        if let Some(tables) = make.shared.and_then(|shared| shared.dfpn.clone()) {
            solver = solver.sharing(tables);
        }
        Box::new(solver)
    }
}

/// Stack of a search thread. Only what is used is ever touched.
const STACK: usize = 1 << 30;
/// Lines of so many plies fit any stack.
const SHALLOW: u32 = 100;

const RUN: u8 = 0;
/// The table is to grow or to be swept; all threads come back and start again.
const MAKE_ROOM: u8 = 1;
/// A thread has the answer.
const DONE: u8 = 2;

/// What the threads of one search share.
pub(crate) struct Shared<'s, R: Rules, K: Knowledge<R>> {
    pub(crate) view: &'s QuestionView<'s, R, K>,
    pub(crate) table: &'s Table<R::Key, NumbersCodec>,
    /// Only where positions can repeat.
    pub(crate) twins: Option<&'s Twins<R::Key>>,
    pub(crate) fields: NumbersCodec,
    pub(crate) run: &'s ProverRun<'s, R>,
    /// What the questions before have cost.
    pub(crate) before: &'s Stats,
    pub(crate) rule: SumRule,
    pub(crate) leaf: Leaf,
    /// What playouts taught.
    pub(crate) prior: Option<&'s MovePrior<R::Key>>,
    pub(crate) loops: Loops,
    pub(crate) room: ReplacementPolicy,
    pub(crate) epsilon: u32,
    pub(crate) simulation: u32,
    pub(crate) threads: usize,
    pub(crate) patience: u64,
    /// After 2 to this power visits the table has forgotten much.
    pub(crate) forgetting: u32,
    /// One of [`RUN`], [`MAKE_ROOM`], [`DONE`].
    pub(crate) phase: &'s AtomicU8,
    /// Where each thread is; empty with one thread.
    pub(crate) boards: &'s [ThreadPath],
}

impl<R: Rules, K: Knowledge<R>> Shared<'_, R, K> {
    fn collects(&self) -> bool {
        self.room == ReplacementPolicy::Sweep
    }

    /// The threshold for a child whose best rival has this number.
    #[inline(always)]
    fn beyond(&self, second: Number) -> Number {
        match second {
            MOST | INF => INF,
            _ => {
                (second + 1 + (u64::from(second) * u64::from(self.epsilon) / 1000) as u32).min(INF)
            }
        }
    }
}

/// A df-pn solver. It keeps its tables between calls, one for each question.
pub struct Dfpn<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    loops: InnerLoops<'g, R, K>,
    config: Config,
    limits: Limits,
    /// The positions of the line before the one that is asked about, where values depend on it.
    past: Vec<R::Position>,
    tables: Vec<Asked<R::Key>>,
    /// Where tables come from, if not from here.
    common: Option<Arc<QuestionTables<R::Key>>>,
    /// Results that depend on the line, for the same questions.
    twins: Vec<Option<Twins<R::Key>>>,
    /// What playouts taught, for each question.
    priors: Vec<(Value, MovePrior<R::Key>)>,
    stats: Stats,
    best: Option<R::Move>,
}

impl<'g, R: Rules, K: Knowledge<R>> Dfpn<'g, R, K> {
    /// A solver for `game` with tables of at most `limits.memory`.
    #[must_use]
    pub fn new(game: Game<'g, R, K>, config: Config, limits: Limits) -> Dfpn<'g, R, K> {
        Dfpn::with_loops(game, InnerLoops::own(), config, limits)
    }

    /// The same with these inner loops.
    #[must_use]
    pub fn with_loops(
        game: Game<'g, R, K>,
        loops: InnerLoops<'g, R, K>,
        config: Config,
        limits: Limits,
    ) -> Dfpn<'g, R, K> {
        Dfpn {
            game,
            loops,
            config,
            limits,
            past: Vec::new(),
            tables: Vec::new(),
            common: None,
            twins: Vec::new(),
            priors: Vec::new(),
            stats: Stats::default(),
            best: None,
        }
    }

    /// The same with tables that other solvers of the game use at the same time, instead of its own. Where tables are to
    /// be of a fixed size or swept, or values depend on the line, it keeps to its own.
    #[must_use]
    pub fn sharing(mut self, common: Arc<QuestionTables<R::Key>>) -> Dfpn<'g, R, K> {
        let Config { room, table_entries, .. } = self.config;
        if room == ReplacementPolicy::Bucket && table_entries.is_none() && !self.path_dependent() {
            self.common = Some(common);
        }
        self
    }

    /// Other limits for the searches to come; the memory stays as it is.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Limits { memory: self.limits.memory, ..limits };
    }

    /// Solves a position. What the tables know from earlier calls is used, unless the rule of repetition
    /// makes values depend on the line: then a fact of an earlier call may rest on positions that
    /// now belong to the line.
    pub fn solve(
        &mut self,
        p: &R::Position,
        observer: &(dyn Fn(&Progress<R::Move>) + Sync),
    ) -> Report<R::Move> {
        self.solve_with(p, observer, None)
    }

    /// The same below a line that went through the positions of `past`, oldest first: coming back to one of them is a
    /// repetition. It makes no difference where repetition has a fixed value.
    pub fn solve_along(
        &mut self,
        past: &[R::Position],
        p: &R::Position,
        observer: &(dyn Fn(&Progress<R::Move>) + Sync),
    ) -> Report<R::Move> {
        if self.path_dependent() {
            self.past = past.to_vec();
        }
        let report = self.solve(p, observer);
        self.past.clear();
        report
    }

    /// The same with facts that are shared with another engine.
    pub fn solve_with(
        &mut self,
        p: &R::Position,
        observer: &(dyn Fn(&Progress<R::Move>) + Sync),
        facts: Option<&Table<R::Key>>,
    ) -> Report<R::Move> {
        self.solve_from(p, &InitialBounds::new(self.game), observer, facts)
    }

    /// The same from what is known already.
    pub fn solve_from(
        &mut self,
        p: &R::Position,
        opening: &InitialBounds,
        observer: &(dyn Fn(&Progress<R::Move>) + Sync),
        facts: Option<&Table<R::Key>>,
    ) -> Report<R::Move> {
        self.stats = Stats::default();
        self.best = None;
        if self.path_dependent() {
            self.tables.clear();
            self.twins.clear();
        }
        let limits = self.limits.clone();
        // A line has no position twice, and there may be few.
        let positions = 1u32.checked_shl(self.game.key_bits()).unwrap_or(u32::MAX);
        let shallow = self.game.plies_left(p).min(positions) <= SHALLOW;
        let mut work = || super::solve_from(self.game, p, opening, &limits, observer, self, facts);
        if shallow { work() } else { threads::deep(STACK, work) }
    }

    /// The keys of the line before the position that is asked about.
    fn behind(&self) -> Vec<R::Key> {
        self.past.iter().map(|q| self.game.key(&self.game.canonical(q))).collect()
    }

    /// Whether values depend on the line of play.
    fn path_dependent(&self) -> bool {
        R::CYCLIC && self.game.repetition().fixed().is_none()
    }

    /// The table for a question, made when first asked for. Each gets its share of the memory: a value
    /// is found by so many questions at most.
    fn table(&mut self, at_least: Value) -> Option<usize> {
        if let Some(i) = self.tables.iter().position(|(t, _)| *t == at_least) {
            return Some(i);
        }
        let shares = MemoryShares::of(self.game, self.limits.memory, self.config.twins);
        let fields =
            NumbersCodec::new(self.game).lasting(self.config.room == ReplacementPolicy::Sweep);
        let bits = self.game.key_bits();
        if self.tables.len() == shares.questions {
            self.tables.remove(0);
            self.twins.remove(0);
        }
        let table = match (&self.common, self.config.table_entries) {
            (Some(common), _) => common.table(at_least)?,
            (None, None) => Arc::new(Table::of(fields, bits, shares.table)?),
            (None, Some(entries)) => Arc::new(Table::bounded(fields, bits, entries, shares.table)?),
        };
        self.tables.push((at_least, table));
        let rule = self.game.repetition();
        self.twins.push((shares.twins > 0).then(|| Twins::new(rule, shares.twins)));
        Some(self.tables.len() - 1)
    }

    /// Searches until `p` is solved; `None` when stopped.
    fn search(
        &mut self,
        view: &QuestionView<R, K>,
        run: &ProverRun<R>,
        p: &R::Position,
        history: &[R::Key],
    ) -> Option<(Numbers, Option<R::Move>)> {
        let Some(table) = self.table(view.question.at_least) else {
            run.watch.stop(Stop::OutOfMemory);
            return None;
        };
        self.learn(view, run, p, table);
        let root = self.game.canonical(p);
        let threads = self.config.threads.max(1);
        loop {
            let before = self.stats;
            let phase = AtomicU8::new(RUN);
            let boards: Vec<ThreadPath> = match threads {
                1 => Vec::new(),
                _ => (0..threads).map(|_| ThreadPath::new()).collect(),
            };
            let shared = Shared {
                view,
                table: &self.tables[table].1,
                twins: self.twins[table].as_ref(),
                fields: NumbersCodec::new(self.game),
                run,
                before: &before,
                rule: self.config.rule,
                leaf: self.config.leaf,
                prior: self
                    .priors
                    .iter()
                    .find(|(t, _)| *t == view.question.at_least)
                    .map(|(_, prior)| prior),
                loops: self.config.loops,
                room: self.config.room,
                epsilon: self.config.epsilon.0,
                simulation: self.config.simulation,
                threads,
                patience: self.config.patience,
                forgetting: self.tables[table].1.slots().ilog2() + 6,
                phase: &phase,
                boards: &boards,
            };
            let found = Mutex::new((None, &mut self.stats));
            let loops = &self.loops;
            let work = |number: usize| {
                let RootNumbers { numbers, best, stats } =
                    loops.dfpn(&shared, number, history, &root);
                let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
                found.1.merge(&stats);
                if let Some(numbers) = numbers {
                    phase.store(DONE, Relaxed);
                    found.0 = Some((numbers, best));
                }
            };
            match threads {
                1 => work(0),
                _ => {
                    let work = &work;
                    let each = |number| Box::new(move || work(number)) as ThreadWork;
                    threads::all(Some(STACK), (0..threads).map(each).collect());
                }
            }
            let (answer, _) = found.into_inner().unwrap_or_else(|e| e.into_inner());
            let phase = phase.load(Relaxed);
            let twins = self.twins[table].as_ref().map_or(0, Twins::bytes);
            let table = &mut self.tables[table].1;
            self.stats.table_bytes = table.bytes() + twins;
            self.stats.table_permille = table.permille();
            if answer.is_some() {
                return answer;
            }
            if phase != MAKE_ROOM {
                return None;
            }
            // Those of others neither grow nor are they swept.
            let table = Arc::get_mut(table)?;
            if table.wants_to_grow() {
                table.grow(threads);
            } else {
                table.sweep(self.config.swept.thousandths());
            }
        }
    }
}

impl<R: Rules, K: Knowledge<R>> QuestionProver<R, K> for Dfpn<'_, R, K> {
    fn ask(
        &mut self,
        view: &QuestionView<R, K>,
        p: &R::Position,
        run: &ProverRun<R>,
    ) -> Option<QuestionAnswer<R::Move>> {
        let past = self.behind();
        let Some((numbers, best)) = self.search(view, run, p, &past) else {
            self.best = self.favourite(view, p);
            return None;
        };
        let line = self.line(view, run, p, numbers, best);
        Some(QuestionAnswer { numbers, line })
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn promising(&self) -> Option<R::Move> {
        self.best
    }
}

impl<R: Rules, K: Knowledge<R>> Engine<R> for Dfpn<'_, R, K> {
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move> {
        self.set_limits(task.limits.clone());
        match task.initial {
            Some(initial) => self.solve_from(task.position, initial, observer, None),
            None => self.solve_along(task.past, task.position, observer),
        }
    }

    fn known(&self, p: &R::Position) -> Option<Bounds> {
        Some(Dfpn::known(self, p))
    }

    fn numbers(&self, p: &R::Position, question: Question) -> Option<[u32; 2]> {
        let numbers = Dfpn::numbers(self, p, question)?;
        Some(numbers.seen_by_first(self.game.turn(p)).map(|n| n.unwrap_or(u32::MAX)))
    }

    fn strategy<'s>(
        &'s mut self,
        claim: Claim,
        limits: &Limits,
        facts: Option<KnownBounds<'s, R>>,
    ) -> Option<BoxedStrategy<'s, R>> {
        // Elsewhere alpha-beta reads strategies from facts faster.
        R::CYCLIC.then(|| Box::new(self.strategy_source(claim, limits.clone(), facts, None)) as _)
    }
}
