//! Depth-first proof-number search with a transposition table, for one or more threads.
//!
//! `worker` holds the search, `presence` how threads keep apart, `record` what the table keeps, `common` tables for
//! several solvers, `twins` what is kept of results that hang on the line, `line` how the proof is read from the
//! table afterwards, `taught` what playouts before the search are good for.

mod common;
mod expand;
mod hang;
mod line;
mod presence;
pub(super) mod record;
mod simulate;
mod taught;
mod twins;
mod worker;

use super::leaf::Leaf;
use super::numbers::{INF, MOST, Number, Numbers, SumRule};
use super::view::View;
use super::{Answer, Opening, Prover, Run};
use crate::montecarlo::Guide;
use crate::table::Table;
use crate::threads::{self, Work};
pub use common::Common;
use common::{Asked, Shares};
use presence::Board;
use record::Fields;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use twins::Twins;
use worker::Worker;
use zermelo_game::{Game, Limits, Progress, Report, Stats, Stop, Value};

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
    pub room: Room,
    /// Thousandths by which the threshold of a child exceeds the number of its best rival, so that the
    /// search goes to and fro less often (the 1 + epsilon trick, Pawlewicz and Lew 2007).
    pub epsilon: u32,
    /// A table of so many entries at most, instead of one that grows to the limit of memory.
    pub table_entries: Option<u64>,
    /// Whether results that hang on the line are kept, for when their line comes again. Means nothing
    /// where positions cannot come back.
    pub twins: bool,
    /// So many nodes may be spent on each open sibling of a solved child, to try the moves of that proof
    /// there (simulation). Not done where positions can come back.
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
pub enum Room {
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
            room: Room::Bucket,
            epsilon: 250,
            table_entries: None,
            twins: true,
            simulation: 0,
            patience: 1 << 22,
        }
    }
}

/// Stack of a search thread. Only what is used is ever touched.
const STACK: usize = 1 << 30;
/// Lines of so many plies fit any stack.
const SHALLOW: u32 = 100;
/// Thousandths of the entries that a sweep takes. Few at a time: a sweep also takes what the next visits would look up.
const SWEPT: u32 = 100;

const RUN: u8 = 0;
/// The table is to grow or to be swept; all threads come back and start again.
const MAKE_ROOM: u8 = 1;
/// A thread has the answer.
const DONE: u8 = 2;

/// What the threads of one search share.
struct Shared<'s, G: Game> {
    view: &'s View<'s, G>,
    table: &'s Table<G::Key, Fields>,
    /// Only where positions can come back.
    twins: Option<&'s Twins<G::Key>>,
    fields: Fields,
    run: &'s Run<'s, G>,
    /// What the questions before have cost.
    before: &'s Stats,
    rule: SumRule,
    leaf: Leaf,
    /// What playouts taught.
    guide: Option<&'s Guide<G::Key>>,
    loops: Loops,
    room: Room,
    epsilon: u32,
    simulation: u32,
    threads: usize,
    patience: u64,
    /// After 2 to this power visits the table has forgotten much.
    forgetting: u32,
    /// One of [`RUN`], [`MAKE_ROOM`], [`DONE`].
    phase: AtomicU8,
    /// Where each thread is; empty with one thread.
    boards: Vec<Board>,
}

impl<G: Game> Shared<'_, G> {
    fn collects(&self) -> bool {
        self.room == Room::Sweep
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
pub struct Dfpn<'g, G: Game> {
    game: &'g G,
    config: Config,
    limits: Limits,
    tables: Vec<Asked<G::Key>>,
    /// Where tables come from, if not from here.
    common: Option<Arc<Common<G::Key>>>,
    /// Results that hang on the line, for the same questions.
    twins: Vec<Option<Twins<G::Key>>>,
    /// What playouts taught, for each question.
    guides: Vec<(Value, Guide<G::Key>)>,
    stats: Stats,
    best: Option<G::Move>,
}

impl<'g, G: Game> Dfpn<'g, G> {
    /// A solver for `game` with tables of at most `limits.memory`.
    #[must_use]
    pub fn new(game: &'g G, config: Config, limits: Limits) -> Dfpn<'g, G> {
        Dfpn {
            game,
            config,
            limits,
            tables: Vec::new(),
            common: None,
            twins: Vec::new(),
            guides: Vec::new(),
            stats: Stats::default(),
            best: None,
        }
    }

    /// The same with tables that other solvers of the game use at the same time, instead of its own. Where tables are to
    /// be of a fixed size or swept, or values hang on the line, it keeps to its own.
    #[must_use]
    pub fn sharing(mut self, common: Arc<Common<G::Key>>) -> Dfpn<'g, G> {
        let Config { room, table_entries, .. } = self.config;
        if room == Room::Bucket && table_entries.is_none() && !self.hangs() {
            self.common = Some(common);
        }
        self
    }

    /// Other limits for the searches to come; the memory stays as it is.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Limits { memory: self.limits.memory, ..limits };
    }

    /// Solves a position. What the tables know from earlier calls is used, unless the rule of repetition
    /// makes values hang on the line: then a fact of an earlier call may rest on positions that
    /// now belong to the line.
    pub fn solve(
        &mut self,
        p: &G::Position,
        observer: &(dyn Fn(&Progress<G::Move>) + Sync),
    ) -> Report<G::Move> {
        self.solve_with(p, observer, None)
    }

    /// The same with facts that are shared with another engine.
    pub fn solve_with(
        &mut self,
        p: &G::Position,
        observer: &(dyn Fn(&Progress<G::Move>) + Sync),
        facts: Option<&Table<G::Key>>,
    ) -> Report<G::Move> {
        self.solve_from(p, &Opening::new(self.game), observer, facts)
    }

    /// The same from what is known already.
    pub fn solve_from(
        &mut self,
        p: &G::Position,
        opening: &Opening,
        observer: &(dyn Fn(&Progress<G::Move>) + Sync),
        facts: Option<&Table<G::Key>>,
    ) -> Report<G::Move> {
        self.stats = Stats::default();
        self.best = None;
        if self.hangs() {
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

    /// Whether values hang on the line of play.
    fn hangs(&self) -> bool {
        G::CYCLIC && self.game.repetition().fixed().is_none()
    }

    /// The table for a question, made when first asked for. Each gets its share of the memory: a value
    /// is found by so many questions at most.
    fn table(&mut self, at_least: Value) -> Option<usize> {
        if let Some(i) = self.tables.iter().position(|(t, _)| *t == at_least) {
            return Some(i);
        }
        let shares = Shares::of(self.game, self.limits.memory, self.config.twins);
        let fields = Fields::new(self.game).lasting(self.config.room == Room::Sweep);
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
        view: &View<G>,
        run: &Run<G>,
        p: &G::Position,
        history: &[G::Key],
    ) -> Option<(Numbers, Option<G::Move>)> {
        let Some(table) = self.table(view.question.at_least) else {
            run.watch.stop(Stop::OutOfMemory);
            return None;
        };
        self.learn(view, run, p, table);
        let root = self.game.canonical(p);
        let threads = self.config.threads.max(1);
        loop {
            let before = self.stats;
            let shared = Shared {
                view,
                table: &self.tables[table].1,
                twins: self.twins[table].as_ref(),
                fields: Fields::new(self.game),
                run,
                before: &before,
                rule: self.config.rule,
                leaf: self.config.leaf,
                guide: self
                    .guides
                    .iter()
                    .find(|(t, _)| *t == view.question.at_least)
                    .map(|(_, guide)| guide),
                loops: self.config.loops,
                room: self.config.room,
                epsilon: self.config.epsilon,
                simulation: self.config.simulation,
                threads,
                patience: self.config.patience,
                forgetting: self.tables[table].1.slots().ilog2() + 6,
                phase: AtomicU8::new(RUN),
                boards: match threads {
                    1 => Vec::new(),
                    _ => (0..threads).map(|_| Board::new()).collect(),
                },
            };
            let found = Mutex::new((None, &mut self.stats));
            let work = |number: usize| {
                let mut worker = Worker::new(&shared, number, history);
                let numbers = worker.run(&root);
                let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
                found.1.merge(&worker.stats);
                if let Some(numbers) = numbers {
                    shared.phase.store(DONE, Relaxed);
                    found.0 = Some((numbers, worker.best));
                }
            };
            match threads {
                1 => work(0),
                _ => {
                    let work = &work;
                    let each = |number| Box::new(move || work(number)) as Work;
                    threads::all(Some(STACK), (0..threads).map(each).collect());
                }
            }
            let (answer, _) = found.into_inner().unwrap_or_else(|e| e.into_inner());
            let phase = shared.phase.load(Relaxed);
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
                table.sweep(SWEPT);
            }
        }
    }
}

impl<G: Game> Prover<G> for Dfpn<'_, G> {
    fn ask(&mut self, view: &View<G>, p: &G::Position, run: &Run<G>) -> Option<Answer<G::Move>> {
        let Some((numbers, best)) = self.search(view, run, p, &[]) else {
            self.best = self.favourite(view, p);
            return None;
        };
        let line = self.line(view, run, p, numbers, best);
        Some(Answer { numbers, line })
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn promising(&self) -> Option<G::Move> {
        self.best
    }
}
