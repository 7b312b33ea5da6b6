//! Alpha-beta in negamax form with a transposition table, for one or more threads.
//!
//! An exact value is a short series of questions ("at least 1?"), each answered by a search with the
//! narrowest window; what is proved along the way stays in the table, so the next question starts
//! where the last one ended. A search that is stopped reports the bounds it has.
//!
//! `worker` holds the search, `order` what it learns about moves, `poll` what it does between nodes,
//! `busy_nodes` how threads keep apart, `line` and `strategy` how best play and whole strategies are read from
//! the table afterwards.

mod busy_nodes;
mod line;
pub(crate) mod order;
mod poll;
mod strategy;
pub(crate) mod worker;

pub use strategy::AlphaBetaStrategy;

use crate::engine::{BoxedStrategy, Engine, KnownBounds, Observer, Task, together};
use crate::engines::{EngineSettings, Make, Needs};
use crate::loops::{InnerLoops, NO_LOOPS};
use crate::montecarlo::{self, MovePrior};
use crate::proofnumber::dfpn::{self, Dfpn};
use crate::table::{Table, TableEntry, TableShape};
use crate::threads::{self, ThreadWork};
use crate::watch::Watch;
use busy_nodes::BusyNodes;
use order::Order;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use worker::{DONE, GROW, Horizon, RUN, RootSearch, SearchSettings, Shared};
use zermelo_game::{
    Bounds, Claim, Game, Knowledge, Level, Limits, Player, Progress, Question, Report, Rules,
    Stats, Stop, Value,
};

/// How to search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Threads that share the table. One thread searches the same nodes every time; several do not.
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
    /// more than this many plies are left, or than the game [says](Game::lazy_expansion_plies).
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

crate::options!(Config {
    "threads" = threads: "threads that search together; one gives the same search every time",
    "seed" = seed: "small random preferences among moves that seem equal; 0 for none",
    "deepening" = deepening: "whether to deepen step by step: slower, but finds short wins first",
    "playouts" = playouts: "Monte-Carlo playouts before the search, which teach the order of moves",
    "learning" = learning: "whether to learn the order of moves on the way: killers and history",
    "table-entries" = table_entries: "a table of so many entries in which the newer replaces the older",
    "table-plies" = table_plies: "positions with at most so many plies left are searched without the table",
    "cutoff-plies" = cutoff_plies: "children are looked up first where more plies are left: own (as the game says) or a number",
});

/// Entries of the table in Cazenave's experiments, where a new entry always replaced an old one (he
/// counts one less).
pub const SOURCE_ENTRIES: u64 = 1 << 20;
/// Playouts of the engines named `-mc` if nothing else is said: what the source used for NoGo 7x3. It
/// used up to 10 million on larger boards.
pub const SOURCE_PLAYOUTS: u64 = 100_000;

impl Config {
    /// As in Cazenave's *Monte Carlo Game Solver* (2020): its table, whatever is near the end in it, and no
    /// children looked up before the first is searched. With no knowledge, symmetry, order of the game, killers or history
    /// ([`zermelo_game::Ablation::ALL`]) that is the algorithm of its tables. As our alpha-beta looks at every child before it
    /// enters one, moves that win at once come first there too; the source's other rules of thumb for the order
    /// at Atarigo and in the races are not copied.
    #[must_use]
    pub fn source(deepening: bool, playouts: u64) -> Config {
        Config {
            deepening,
            playouts,
            table_entries: Some(SOURCE_ENTRIES),
            table_plies: 0,
            cutoff_plies: Some(u32::MAX),
            ..Config::default()
        }
    }
}

impl EngineSettings for Config {
    const NEEDS: Needs = Needs { superko: true, ..Needs::TABLE };
    const METHODS: &'static [&'static str] = &["alpha-beta"];

    #[inline(never)]
    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        if let Some(superko) = make.abilities.superko {
            return superko.alphabeta(make.game, self.seed, make.limits);
        }
        let learning = self.learning && !make.ablation.order;
        let config = Config { learning, ..self.clone() };
        let loops = make.loops.expect(NO_LOOPS);
        let mut solver = Solver::with_loops(make.game, loops, config, make.limits.clone());
        if let Some(table) = make.shared.and_then(|shared| shared.alphabeta.clone()) {
            solver = solver.sharing(table);
        }
        Box::new(solver)
    }
}

/// Stack of a search thread. Only what is used is ever touched.
const STACK: usize = 1 << 30;
/// Searches of no more plies need no stack of their own. (A thread takes longer to start than most searches for what the table
/// has lost.)
const SHALLOW: u32 = 24;
/// Slots for marks of nodes under search.
const BUSY_NODES: usize = 1 << 12;
/// Bits of depth in tables of searches with a horizon.
const DEPTH_BITS: u32 = 10;

/// An alpha-beta solver. It keeps its table and what it has learned about moves between calls.
pub struct Solver<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    loops: InnerLoops<'g, R, K>,
    config: Config,
    limits: Limits,
    /// `None` if the memory limit does not hold the smallest table. One that others share has its full size.
    table: Option<Arc<Table<R::Key>>>,
    horizons: Option<[Table<R::Key>; 2]>,
    /// The question to which the entries there belong, by its threshold.
    horizon_question: Option<Value>,
    orders: Vec<Order>,
    /// What playouts taught, for each question (by its threshold).
    priors: Vec<(Value, MovePrior<R::Key>)>,
    stats: Stats,
    /// Whether all that the table holds was found by searches of this solver without horizon, so that the move beside a
    /// lower bound is the one that gave it.
    own: bool,
    /// Finds strategies where positions can repeat: the table lacks whatever depends on the line of play there.
    companion: Option<Box<Dfpn<'g, R, K>>>,
}

impl<'g, R: Rules, K: Knowledge<R>> Solver<'g, R, K> {
    /// A solver for `game` with tables of at most `limits.memory`.
    ///
    /// # Panics
    /// If positions have no values of their own, which the table keeps: where the value of a repetition depends on the line of
    /// play, or boards must not be repeated ([`superko`](crate::superko) searches such games).
    #[must_use]
    pub fn new(game: Game<'g, R, K>, config: Config, limits: Limits) -> Solver<'g, R, K> {
        Solver::with_loops(game, InnerLoops::own(), config, limits)
    }

    /// The same with these inner loops.
    #[must_use]
    pub fn with_loops(
        game: Game<'g, R, K>,
        loops: InnerLoops<'g, R, K>,
        config: Config,
        limits: Limits,
    ) -> Solver<'g, R, K> {
        let _ = repetition(game);
        assert!(!R::SUPERKO, "boards must not be repeated in this game: values depend on the line");
        let shape = shape(game);
        let part = |shape: &TableShape, part: u64| match config.table_entries {
            None => Table::new(shape, limits.memory / part),
            Some(entries) => Table::fixed(shape, entries / part, limits.memory / part),
        };
        let (table, horizons) = if config.deepening {
            let deep = TableShape { depth_bits: DEPTH_BITS, ..shape };
            (part(&shape, 2), part(&deep, 4).zip(part(&deep, 4)).map(|(a, b)| [a, b]))
        } else {
            (part(&shape, 1), None)
        };
        let own = !config.deepening;
        let orders = vec![Order::new(game.codes(), config.seed); config.threads.max(1)];
        Solver {
            game,
            loops,
            config,
            limits,
            table: table.map(Arc::new),
            horizons,
            horizon_question: None,
            orders,
            priors: Vec::new(),
            stats: Stats::default(),
            own,
            companion: None,
        }
    }

    /// Other limits for the searches to come; the memory stays as it is.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Limits { memory: self.limits.memory, ..limits };
    }

    /// The same with a table from [`common`] that other solvers of the game use at the same time, instead of its own. It
    /// holds facts about positions and nothing else, so each is right whatever the others do.
    #[must_use]
    pub fn sharing(mut self, common: Arc<Table<R::Key>>) -> Solver<'g, R, K> {
        if self.table.is_some() {
            self.table = Some(common);
            self.own = false;
        }
        self
    }

    /// The table, for another solver to read and add facts to while this one does not search. It must be let go of before
    /// this one searches again, or the table cannot grow.
    pub fn lend_table(&mut self) -> Option<Arc<Table<R::Key>>> {
        self.own = false;
        self.table.clone()
    }

    /// The table, for others to read and add facts to between searches.
    pub(crate) fn table(&mut self) -> Option<&Table<R::Key>> {
        self.own = false;
        self.table.as_deref()
    }

    /// Solves a position. What the table knows from earlier calls is used.
    pub fn solve(&mut self, p: &R::Position, observer: Observer<R::Move>) -> Report<R::Move> {
        self.stats = Stats::default();
        self.orders.iter_mut().for_each(Order::forget_killers);
        let watch = Watch::new(self.limits.clone());
        let run = Run { watch: &watch, observer, asked: *p };
        let bounds = self.bounds_of(&run, p, &[]);
        let line = match bounds.value() {
            Some(value) => self.best_line(&run, p, value),
            None => self.promising(p, bounds).into_iter().collect(),
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
    fn bounds_of(&mut self, run: &Run<R>, p: &R::Position, history: &[R::Key]) -> Bounds {
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
        run: &Run<R>,
        p: &R::Position,
        bounds: Bounds,
        question: Question,
    ) -> Option<Value> {
        let Question { at_least } = question;
        if self.config.playouts == 0 || self.priors.iter().any(|(t, _)| *t == at_least) {
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
        self.priors.push((at_least, search.prior()));
        for (q, facts) in search.settled() {
            self.keep(q, facts);
        }
        search.bound()
    }

    /// Writes a fact (first player's view) into the table, beside what it knows already.
    fn keep(&mut self, p: &R::Position, facts: Bounds) {
        self.own = false;
        let Some(table) = &self.table else { return };
        let key = self.game.key(&self.game.canonical(p));
        let old = table.get(key);
        let mut seen = facts.seen_by(self.game.turn(p));
        if let Some(e) = old {
            seen = match seen.meet(Bounds { lo: e.lo, hi: e.hi }) {
                Ok(both) => both,
                Err(error) => panic!("{error}, at {:?}", p),
            };
        }
        let (best, work) = old.map_or((None, 0), |e| (e.best, e.work));
        let entry = TableEntry { lo: seen.lo, hi: seen.hi, best, work, depth: 0 };
        table.count(u64::from(table.put(key, &entry)));
    }

    /// What rules, knowledge and table say of a position without a search.
    #[must_use]
    pub fn known(&self, p: &R::Position) -> Bounds {
        known(self.game, self.table.as_deref(), p)
    }

    /// Answers one question: a value at least as large as asked is a lower bound, a smaller one an
    /// upper bound (first player's view). `None` when stopped.
    fn ask(
        &mut self,
        run: &Run<R>,
        p: &R::Position,
        history: &[R::Key],
        known: Bounds,
        question: Question,
    ) -> Option<Value> {
        let turn = self.game.turn(p);
        let window = Bounds { lo: question.at_least - 1, hi: question.at_least }.seen_by(turn);
        let root = self.game.canonical(p);
        let Question { at_least } = question;
        let (alpha, beta) = (window.lo, window.hi);
        let task = RootSearch { root, history, at_least, alpha, beta, horizon: None };
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
                let task = RootSearch { horizon: Some(Horizon { depth, value, side }), ..task };
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
    fn search(
        &mut self,
        run: &Run<R>,
        known: Bounds,
        task: &RootSearch<R>,
    ) -> Option<(Value, bool)> {
        loop {
            let prior = self.priors.iter().find(|(t, _)| *t == task.at_least).map(|(_, g)| g);
            let busy = if self.config.threads > 1 { BUSY_NODES } else { 0 };
            let busy = BusyNodes::new(busy, self.game.key_bits());
            let phase = AtomicU8::new(RUN);
            let shared = Shared {
                game: self.game,
                table: self.table.as_deref()?,
                horizons: self.horizons.as_ref(),
                watch: run.watch,
                observer: run.observer,
                asked: run.asked,
                known,
                prior,
                settings: SearchSettings {
                    table_plies: self.config.table_plies,
                    cutoff_plies: self
                        .config
                        .cutoff_plies
                        .unwrap_or(self.game.lazy_expansion_plies()),
                    learning: self.config.learning,
                },
                phase: &phase,
                busy: &busy,
            };
            let shallow = self.game.plies_left(&task.root) <= SHALLOW;
            let found = Mutex::new((None, &mut self.stats));
            let work = |order| -> ThreadWork {
                let (loops, shared, found) = (&self.loops, &shared, &found);
                Box::new(move || {
                    let (answer, stats) = loops.alphabeta(shared, order, task);
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
            let phase = phase.load(Relaxed);
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

fn shape<R: Rules, K: Knowledge<R>>(game: Game<R, K>) -> TableShape {
    let values = game.values();
    TableShape {
        key_bits: game.key_bits(),
        max_value: values.lo.abs().max(values.hi.abs()),
        codes: game.codes(),
        depth_bits: 0,
    }
}

/// What rules, knowledge and a table say of a position without a search.
fn known<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    table: Option<&Table<R::Key>>,
    p: &R::Position,
) -> Bounds {
    let bounds = game.static_bounds(p);
    if bounds.is_exact() {
        return bounds;
    }
    let canonical = game.canonical(p);
    match table.and_then(|table| table.get(game.key(&canonical))) {
        Some(e) => together(bounds, Bounds { lo: e.lo, hi: e.hi }.seen_by(game.turn(p)), p),
        None => bounds,
    }
}

impl<R: Rules, K: Knowledge<R>> Engine<R> for Solver<'_, R, K> {
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move> {
        self.set_limits(task.limits.clone());
        Solver::solve(self, task.position, observer)
    }

    fn known(&self, p: &R::Position) -> Option<Bounds> {
        Some(Solver::known(self, p))
    }

    fn strategy<'s>(
        &'s mut self,
        claim: Claim,
        limits: &Limits,
        facts: Option<KnownBounds<'s, R>>,
    ) -> Option<BoxedStrategy<'s, R>> {
        if !R::CYCLIC {
            return Some(Box::new(self.strategy_source(claim.value, limits.clone()).with(facts)));
        }
        let table = self.lend_table();
        let game = self.game;
        let config = dfpn::Config { threads: self.config.threads, ..dfpn::Config::default() };
        let loops = self.loops.clone();
        let new = || Box::new(Dfpn::with_loops(game, loops, config, limits.clone()));
        let dfpn = self.companion.get_or_insert_with(new);
        let own = table.clone();
        let all: KnownBounds<'s, R> = Box::new(move |p| {
            let own = known(game, own.as_deref(), p);
            facts.as_ref().map_or(own, |facts| together(own, facts(p), p))
        });
        Some(Box::new(dfpn.strategy_source(claim, limits.clone(), Some(all), table)))
    }
}

/// A table of at most so many bytes for several solvers of one game at the same time.
#[must_use]
pub fn common<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    bytes: u64,
) -> Option<Arc<Table<R::Key>>> {
    Some(Arc::new(Table::new(&shape(game), bytes)?.full()))
}

/// Puts the first item of this kind before all others, which keep their order.
pub(crate) fn to_front<T>(items: &mut [T], is: impl Fn(&T) -> bool) {
    let found = items.iter().position(is).unwrap_or(0);
    (1..=found).rev().for_each(|i| items.swap(i - 1, i));
}

/// What the searches of one call share.
struct Run<'r, R: Rules> {
    watch: &'r Watch,
    observer: Observer<'r, R::Move>,
    asked: R::Position,
}

/// The value of a repetition, where there can be any.
fn repetition<R: Rules, K: Knowledge<R>>(game: Game<R, K>) -> Value {
    if !R::CYCLIC {
        return 0;
    }
    let value = game.repetition().fixed();
    value.expect("positions have values of their own")
}

/// A value as `player` sees it.
fn seen_by(value: Value, player: Player) -> Value {
    value * player.sign()
}
