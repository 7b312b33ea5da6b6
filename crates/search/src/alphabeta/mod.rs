//! Alpha-beta in negamax form with a transposition table, for one or more threads.
//!
//! An exact value is a short series of questions ("at least 1?"), each answered by a search with the
//! narrowest window; what is proved along the way stays in the table, so the next question starts
//! where the last one ended. A search that is stopped reports the bounds it has.
//!
//! `worker` holds the search, `order` what it learns about moves, `pulse` what it does between nodes,
//! `marks` how threads keep apart, `line` and `keeper` how best play and whole strategies are read from
//! the table afterwards.

mod keeper;
mod line;
mod marks;
pub(crate) mod order;
mod pulse;
mod worker;

pub use keeper::{Facts, Keeper};

use crate::montecarlo::{self, Guide};
use crate::superko::Engine;
use crate::table::{Entry, Shape, Table};
use crate::threads::{self, Work};
use crate::watch::Watch;
use marks::Marks;
use order::Order;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use worker::{DONE, GROW, Horizon, RUN, Settings, Shared, Task, Worker};
use zermelo_game::{
    Bounds, Game, History, Level, Limits, Player, Progress, Question, Report, Stats, Stop, Value,
};

/// How to search.
#[derive(Clone, Debug)]
pub struct Config {
    /// Threads that share the table. One thread searches the same nodes every time; several do not.
    /// Games in which no board may come back are searched by one, deepening always.
    pub threads: usize,
    /// Small random preferences among moves that seem equal; 0 for none.
    pub seed: u64,
    /// Searches with growing depth limits until the question is answered, instead of to the end at
    /// once. Finds short wins without getting lost, at the price of repeated work.
    pub deepening: bool,
    /// Monte-Carlo playouts before the search, for each question; they teach it the order of moves,
    /// and what they settle goes into the table.
    pub playouts: u64,
    /// Whether to learn the order of moves on the way: killers and history.
    pub learning: bool,
    /// A table of so many entries at most, in which the newer always replaces the older, instead of
    /// one that grows to the limit of memory and keeps what was dear.
    pub table_entries: Option<u64>,
    /// Positions with at most this many plies left are searched without the table.
    pub table_plies: u32,
    /// Children are looked up before the first is searched (enhanced transposition cut-offs) where
    /// more than this many plies are left, or than the game [says](Game::hasty_plies).
    pub cutoff_plies: Option<u32>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            threads: 1,
            seed: 0,
            deepening: false,
            playouts: 0,
            learning: true,
            table_entries: None,
            table_plies: 3,
            cutoff_plies: None,
        }
    }
}

/// Stack of a search thread. Only what is used is ever touched.
const STACK: usize = 1 << 30;
/// Searches of no more plies need no stack of their own. (A thread takes longer to start than most searches for what the table
/// has lost.)
const SHALLOW: u32 = 24;
/// Slots for marks of nodes under search.
const MARKS: usize = 1 << 12;
/// Bits of depth in tables of searches with a horizon.
const DEPTH_BITS: u32 = 10;

/// Where searches are reported to.
pub type Observer<'o, M> = &'o (dyn Fn(&Progress<M>) + Sync);

/// An alpha-beta solver. It keeps its table and what it has learned about moves between calls.
pub struct Solver<'g, G: Game> {
    game: &'g G,
    config: Config,
    limits: Limits,
    /// `None` if the memory limit does not hold the smallest table. One that others share has its full size.
    table: Option<Arc<Table<G::Key>>>,
    horizons: Option<[Table<G::Key>; 2]>,
    /// The question to which the entries there belong, by its threshold.
    horizon_question: Option<Value>,
    orders: Vec<Order>,
    /// What playouts taught, for each question (by its threshold).
    guides: Vec<(Value, Guide<G::Key>)>,
    stats: Stats,
    /// Whether all that the table holds was found by searches of this solver without horizon, so that the move beside a
    /// lower bound is the one that gave it.
    own: bool,
    /// Does the work where no board may come back; there are no other tables then.
    superko: Option<Engine>,
}

impl<'g, G: Game> Solver<'g, G> {
    /// A solver for `game` with tables of at most `limits.memory`.
    ///
    /// # Panics
    /// If the rule of repetition is another than a fixed value. The table keeps values by position, and
    /// then there are none.
    #[must_use]
    pub fn new(game: &'g G, config: Config, limits: Limits) -> Solver<'g, G> {
        let _ = repetition(game);
        let superko =
            if G::SUPERKO { Some(Engine::new(game, &config, limits.memory)) } else { None };
        let shape = shape(game);
        let part = |shape: &Shape, part: u64| match config.table_entries {
            None => Table::new(shape, limits.memory / part),
            Some(entries) => Table::fixed(shape, entries / part, limits.memory / part),
        };
        let (table, horizons) = if G::SUPERKO {
            (None, None)
        } else if config.deepening {
            let deep = Shape { depth_bits: DEPTH_BITS, ..shape };
            (part(&shape, 2), part(&deep, 4).zip(part(&deep, 4)).map(|(a, b)| [a, b]))
        } else {
            (part(&shape, 1), None)
        };
        let own = !config.deepening;
        let orders = vec![Order::new(game.codes(), config.seed); config.threads.max(1)];
        Solver {
            game,
            config,
            limits,
            table: table.map(Arc::new),
            horizons,
            horizon_question: None,
            orders,
            guides: Vec::new(),
            stats: Stats::default(),
            own,
            superko,
        }
    }

    /// Other limits for the searches to come; the memory stays as it is.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Limits { memory: self.limits.memory, ..limits };
    }

    /// The same with a table from [`common`] that other solvers of the game use at the same time, instead of its own. It
    /// holds facts about positions and nothing else, so each is right whatever the others do.
    #[must_use]
    pub fn sharing(mut self, common: Arc<Table<G::Key>>) -> Solver<'g, G> {
        if self.table.is_some() {
            self.table = Some(common);
            self.own = false;
        }
        self
    }

    /// The table, for others to read and add facts to between searches.
    pub(crate) fn table(&mut self) -> Option<&Table<G::Key>> {
        self.own = false;
        self.table.as_deref()
    }

    /// Solves a position. What the table knows from earlier calls is used.
    pub fn solve(&mut self, p: &G::Position, observer: Observer<G::Move>) -> Report<G::Move> {
        self.solve_after(&History::of(self.game, p), p, observer)
    }

    /// Solves the last position of a line of play, for games in which no board may come back. To all
    /// others the history is nothing.
    pub fn solve_after(
        &mut self,
        history: &History,
        p: &G::Position,
        observer: Observer<G::Move>,
    ) -> Report<G::Move> {
        // The constant keeps this from being compiled for all other games.
        if G::SUPERKO
            && let Some(engine) = &mut self.superko
        {
            return engine.solve(self.game, &self.limits, history, p, observer);
        }
        self.stats = Stats::default();
        self.orders.iter_mut().for_each(Order::forget_killers);
        let watch = Watch::new(self.limits.clone());
        let run = Run { watch: &watch, observer, asked: *p };
        let bounds = self.bounds_of(&run, p, &[]);
        let line = match bounds.value() {
            Some(value) => self.best_line(&run, p, value),
            None => self.promising(p).into_iter().collect(),
        };
        let solved = bounds.is_exact();
        let stop = if solved { None } else { watch.stopped() };
        let mut stats = self.stats;
        stats.elapsed = watch.elapsed();
        if let Some(table) = &self.table {
            (stats.table_bytes, stats.table_permille) = (table.bytes(), table.permille());
        }
        Report {
            bounds,
            best: line.first().copied(),
            line,
            stop: if solved { Stop::Solved } else { stop.unwrap_or(Stop::OutOfMemory) },
            level: solved.then_some(Level::Weak),
            rests_on_history: false,
            by: None,
            stats,
        }
    }

    /// Asks questions until the value is known or the watch says stop.
    fn bounds_of(&mut self, run: &Run<G>, p: &G::Position, history: &[G::Key]) -> Bounds {
        let turn = self.game.turn(p);
        let mut bounds = self.known(p);
        while let Some(question) = Question::halving(bounds) {
            let taught = self.learn(run, p, bounds, question);
            let found = taught.or_else(|| self.ask(run, p, history, bounds, question));
            let Some(answer) = found else { break };
            // The answer is a bound in the direction of the question.
            if answer >= question.at_least {
                bounds.lo = answer;
            } else {
                bounds.hi = answer;
            }
            assert!(bounds.lo <= bounds.hi, "contradiction: {bounds:?} for {turn}");
        }
        bounds
    }

    /// Runs playouts for a question that none were run for yet. Returns its answer, as
    /// [`ask`](Self::ask) does, if they settle it.
    fn learn(
        &mut self,
        run: &Run<G>,
        p: &G::Position,
        bounds: Bounds,
        question: Question,
    ) -> Option<Value> {
        let Question { at_least } = question;
        if self.config.playouts == 0 || self.guides.iter().any(|(t, _)| *t == at_least) {
            return None;
        }
        let start = run.watch.elapsed();
        // The tree is gone before the table grows.
        let tables = self.table.as_deref().into_iter().chain(self.horizons.iter().flatten());
        let memory = self.limits.memory.saturating_sub(tables.map(Table::bytes).sum());
        let config = montecarlo::Config { seed: self.config.seed, ..Default::default() };
        let mut search = montecarlo::Search::new(self.game, p, question, &config, memory);
        let before = self.stats;
        search.run(run.watch, self.config.playouts, false, &mut |search| {
            let mut stats = before;
            search.add_to(&mut stats);
            stats.elapsed = run.watch.elapsed();
            (run.observer)(&Progress { bounds, stats, line: search.line(), proof: None });
        });
        self.stats.playouts += search.playouts();
        self.stats.playout_time += run.watch.elapsed() - start;
        self.guides.push((at_least, search.guide()));
        for (q, facts) in search.settled() {
            self.keep(q, facts);
        }
        search.bound()
    }

    /// Writes a fact (first player's view) into the table, beside what it knows already.
    fn keep(&mut self, p: &G::Position, facts: Bounds) {
        self.own = false;
        let Some(table) = &self.table else { return };
        let key = self.game.key(&self.game.canonical(p));
        let old = table.get(key);
        let mut seen = facts.seen_by(self.game.turn(p));
        if let Some(e) = old {
            seen = match seen.meet(Bounds { lo: e.lo, hi: e.hi }) {
                Ok(both) => both,
                Err(error) => panic!("{error}, at {}", self.game.position_text(p)),
            };
        }
        let (best, work) = old.map_or((None, 0), |e| (e.best, e.work));
        let entry = Entry { lo: seen.lo, hi: seen.hi, best, work, depth: 0 };
        table.count(u64::from(table.put(key, &entry)));
    }

    /// What rules, knowledge and table say of a position without a search.
    #[must_use]
    pub fn known(&self, p: &G::Position) -> Bounds {
        let bounds = self.game.static_bounds(p);
        if bounds.is_exact() {
            return bounds;
        }
        let canonical = self.game.canonical(p);
        let entry = self.table.as_ref().and_then(|t| t.get(self.game.key(&canonical)));
        match entry {
            Some(e) => {
                let known = Bounds { lo: e.lo, hi: e.hi }.seen_by(self.game.turn(p));
                match bounds.meet(known) {
                    Ok(both) => both,
                    Err(error) => panic!("{error}, at {}", self.game.position_text(p)),
                }
            }
            _ => bounds,
        }
    }

    /// Answers one question: a value at least as large as asked is a lower bound, a smaller one an
    /// upper bound (first player's view). `None` when stopped.
    fn ask(
        &mut self,
        run: &Run<G>,
        p: &G::Position,
        history: &[G::Key],
        known: Bounds,
        question: Question,
    ) -> Option<Value> {
        let turn = self.game.turn(p);
        let window = Bounds { lo: question.at_least - 1, hi: question.at_least }.seen_by(turn);
        let root = self.game.canonical(p);
        let Question { at_least } = question;
        let (alpha, beta) = (window.lo, window.hi);
        let task = Task { root, history, at_least, alpha, beta, horizon: None };
        let seen = |value: Value| value * turn.sign();
        if !self.config.deepening {
            return self.search(run, known, &task).map(|(value, _)| seen(value));
        }
        // What rests on a horizon was found for one question, and serves no other.
        if self.horizon_question.replace(at_least) != Some(at_least) {
            self.horizons.iter_mut().flatten().for_each(Table::clear);
        }
        for depth in 1..1 << DEPTH_BITS {
            // What lies beyond the horizon counts against the question, then for it.
            for (side, value) in [question.at_least - 1, question.at_least].into_iter().enumerate()
            {
                let task = Task { horizon: Some(Horizon { depth, value, side }), ..task };
                let (value, is_fact) = self.search(run, known, &task)?;
                if is_fact {
                    return Some(seen(value));
                }
            }
        }
        self.search(run, known, &task).map(|(value, _)| seen(value))
    }

    /// Runs all threads on a task until one has the answer or the watch says stop; grows the table
    /// when they ask for it.
    fn search(&mut self, run: &Run<G>, known: Bounds, task: &Task<G>) -> Option<(Value, bool)> {
        loop {
            let guide = self.guides.iter().find(|(t, _)| *t == task.at_least).map(|(_, g)| g);
            let marks = if self.config.threads > 1 { MARKS } else { 0 };
            let shared = Shared {
                game: self.game,
                table: self.table.as_deref()?,
                horizons: self.horizons.as_ref(),
                watch: run.watch,
                observer: run.observer,
                asked: run.asked,
                known,
                guide,
                settings: Settings {
                    table_plies: self.config.table_plies,
                    cutoff_plies: self.config.cutoff_plies.unwrap_or(self.game.hasty_plies()),
                    learning: self.config.learning,
                },
                phase: AtomicU8::new(RUN),
                marks: Marks::new(marks, self.game.key_bits()),
            };
            let shallow = self.game.plies_left(&task.root) <= SHALLOW;
            let found = Mutex::new((None, &mut self.stats));
            let work = |order| -> Work {
                let (shared, found) = (&shared, &found);
                Box::new(move || {
                    let (answer, stats) = Worker::new(shared, order).run(task);
                    let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
                    found.1.merge(&stats);
                    if answer.is_some() {
                        shared.phase.store(DONE, Relaxed);
                        found.0 = answer;
                    }
                })
            };
            let works = self.orders.iter_mut().map(work).collect();
            threads::all(if shallow { None } else { Some(STACK) }, works);
            let (answer, _) = found.into_inner().unwrap_or_else(|e| e.into_inner());
            let phase = shared.phase.load(Relaxed);
            drop(shared);
            for table in self.horizons.iter_mut().flatten().filter(|t| t.wants_to_grow()) {
                table.grow(self.config.threads.max(1));
            }
            if answer.is_some() {
                return answer;
            }
            if run.watch.stopped().is_some() || phase != GROW {
                return None;
            }
            // Only one's own asks for it.
            Arc::get_mut(self.table.as_mut()?)?.grow(self.config.threads.max(1));
        }
    }
}

fn shape<G: Game>(game: &G) -> Shape {
    let values = game.values();
    Shape {
        key_bits: game.key_bits(),
        max_value: values.lo.abs().max(values.hi.abs()),
        codes: game.codes(),
        depth_bits: 0,
    }
}

/// A table of at most so many bytes for several solvers of one game at the same time.
#[must_use]
pub fn common<G: Game>(game: &G, bytes: u64) -> Option<Arc<Table<G::Key>>> {
    Some(Arc::new(Table::new(&shape(game), bytes)?.full()))
}

/// Puts the first item of this kind before all others, which keep their order.
pub(crate) fn to_front<T>(items: &mut [T], is: impl Fn(&T) -> bool) {
    let found = items.iter().position(is).unwrap_or(0);
    (1..=found).rev().for_each(|i| items.swap(i - 1, i));
}

/// What the searches of one call share.
struct Run<'r, G: Game> {
    watch: &'r Watch,
    observer: Observer<'r, G::Move>,
    asked: G::Position,
}

/// The value of a repetition, where there can be any.
fn repetition<G: Game>(game: &G) -> Value {
    if !G::CYCLIC {
        return 0;
    }
    let value = game.repetition().fixed();
    value.unwrap_or_else(|| panic!("{}: values hang on the line of play", game.name()))
}

/// A value as `player` sees it.
fn seen_by(value: Value, player: Player) -> Value {
    value * player.sign()
}
