//! How soon a win comes: the number of plies to the end of the game when the winner plays for speed and the loser resists.
//!
//! The search asks "can the attacker win within n plies?" with growing n. That is a question about a finite tree also where
//! positions can repeat, since n falls with every ply: nothing depends on the line of play, and every answer is a fact about
//! the position. The table keeps two numbers for each position, by its exact key: within how many plies a win is refuted and
//! within how many it is proved ([`Bounds`] of the distance). Answers are fail-soft: a refutation tells by how much it
//! misses, so that the next n may be several plies larger.
//!
//! *What values say of distances.* A position that the attacker cannot win refutes every n: static bounds and candidate moves
//! are used for that, and databases of values with them. A position that is known to be won is won within n plies only where
//! the game says that no line is longer, or a database tells the distance. Moves are never left out because another one is as good: it may be
//! slower.
//!
//! *Positions that are avoided.* In a game in which a repetition ends the game, what has been on the board is no way to a win. A
//! solver can be given such positions ([`DistanceSolver::avoiding`]); then it asks within how many plies the attacker wins without
//! them, also a question about a finite tree. Of what is known of values and distances it then uses only what refutes a win
//! (a database tells how many plies it takes at least), and no symmetry, as the image of a position that is avoided is
//! another position.
//!
//! `worker` is the search, `strategy` reads moves from it: lines of play and whole strategies.

mod strategy;
#[cfg(all(test, not(loom)))]
mod tests;
mod worker;

pub use strategy::DistanceStrategy;

use crate::alphabeta::order::Order;
use crate::table::{Table, TableShape};
use crate::threads::{self, ThreadWork};
use crate::watch::Watch;
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use worker::{DONE, GROW, RUN, Shared, Worker};
use zermelo_game::{
    Bounds, DistanceFacts, Game, Knowledge, LONGEST_DISTANCE, Limits, Player, Plies, Rules, Stats,
    Stop, Value,
};

/// Stack of a search thread. Only what is used is ever touched.
const STACK: usize = 1 << 30;
/// Searches of no more plies need no stack of their own.
const SHALLOW: u32 = 24;

/// What someone else (a database) says of the distance of a position that is won.
pub type KnownDistance<'k, R> = &'k (dyn Fn(&<R as Rules>::Position) -> Option<u32> + Sync);

/// Where a running search is reported to: what is known of the distance, and what it has cost.
pub type DistanceObserver<'o> = &'o (dyn Fn(Plies, &Stats) + Sync);

/// What a search for a distance found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DistanceReport<M> {
    /// What is proved of the distance.
    pub plies: Plies,
    /// Whether the attacker wins: `None` while that is open. Where it does not, there is no distance.
    pub wins: Option<bool>,
    /// Where the distance is known: play in which the winner wins as soon as it can and the loser resists as long as it
    /// can, to the end of the game or to where a limit struck.
    pub line: Vec<M>,
    /// Why the search ended.
    pub stop: Stop,
    /// What it cost.
    pub stats: Stats,
}

/// Whether wins of this player have distances: not where it may also win by repeating positions.
#[must_use]
pub fn has_distances<R: Rules>(rules: &R, winner: Player) -> bool {
    if R::SUPERKO || rules.values() != Bounds::new(-1, 1) {
        return false;
    }
    !R::CYCLIC || rules.repetition().fixed().is_some_and(|value| value * winner.sign() <= 0)
}

/// A searcher of distances. It keeps its tables between calls, one for each player who may win.
pub struct DistanceSolver<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    facts: DistanceFacts,
    memory: u64,
    /// What each thread has learned about the order of moves.
    orders: Vec<Order>,
    /// By the attacker. `None` before the first question, or if the memory does not hold the smallest.
    tables: [Option<Table<R::Key>>; 2],
    /// No win takes so many plies: one more than the longest that is told.
    never: Value,
    /// Positions through which no win goes.
    avoided: FxHashSet<R::Key>,
}

impl<'g, R: Rules, K: Knowledge<R>> DistanceSolver<'g, R, K> {
    /// A solver with tables of at most so many bytes for each player.
    ///
    /// # Panics
    /// If wins have no distances in this game for either player (see [`has_distances`]).
    #[must_use]
    pub fn new(game: Game<'g, R, K>, threads: usize, memory: u64) -> DistanceSolver<'g, R, K> {
        let any = [Player::First, Player::Second].map(|player| has_distances(game.rules(), player));
        assert_ne!(any, [false, false], "wins have no distances in this game");
        let order = |thread| Order::new(game.codes(), thread as u64);
        DistanceSolver {
            game,
            facts: game.distance_facts(),
            memory,
            orders: (0..threads.max(1)).map(order).collect(),
            tables: [None, None],
            never: 0,
            avoided: FxHashSet::default(),
        }
    }

    /// The same, where these positions are no way to a win: whoever comes to one of them does not win.
    #[must_use]
    pub fn avoiding(self, positions: &[R::Position]) -> DistanceSolver<'g, R, K> {
        let avoided = positions.iter().map(|p| self.game.key(p)).collect();
        DistanceSolver { avoided, tables: [None, None], ..self }
    }

    /// Finds out how soon the attacker wins, as far as the limits allow.
    pub fn solve(
        &mut self,
        p: &R::Position,
        attacker: Player,
        limits: &Limits,
        known: Option<KnownDistance<R>>,
        observer: DistanceObserver,
    ) -> DistanceReport<R::Move> {
        if self.game.plies_left(p) <= SHALLOW {
            return self.solve_on(false, p, attacker, limits, known, observer);
        }
        threads::deep(STACK, || self.solve_on(true, p, attacker, limits, known, observer))
    }

    /// Whether the attacker takes more than so many plies from a position that is not over, or does not win at all; `None` if a limit
    /// struck first.
    pub fn takes_more(
        &mut self,
        p: &R::Position,
        attacker: Player,
        within: u32,
        limits: &Limits,
        known: Option<KnownDistance<R>>,
    ) -> Option<bool> {
        self.make_tables(p, attacker);
        let watch = Watch::new(limits.clone());
        let run = Run { deep: false, watch: &watch, attacker, known, observer: &|_, _| {} };
        let within = within.min(self.never as u32) as Value;
        let (root, key) = self.normal(p);
        let found = self.ask(&root, key, within as u16, &run, &mut Stats::default())?;
        Some(found.lo > within)
    }

    fn solve_on(
        &mut self,
        deep: bool,
        p: &R::Position,
        attacker: Player,
        limits: &Limits,
        known: Option<KnownDistance<R>>,
        observer: DistanceObserver,
    ) -> DistanceReport<R::Move> {
        let watch = Watch::new(limits.clone());
        let run = Run { deep, watch: &watch, attacker, known, observer };
        let mut stats = Stats::default();
        let bounds = self.bounds_of(p, &run, &mut stats);
        let exact = bounds.is_exact() && bounds.lo < self.never;
        let line = if exact { self.line(p, &run, &mut stats) } else { Vec::new() };
        if let Some(table) = &self.tables[attacker.index()] {
            (stats.table_bytes, stats.table_permille) = (table.bytes(), table.permille());
        }
        stats.elapsed = watch.elapsed();
        let stop = match (bounds.is_exact(), watch.stopped()) {
            (true, _) => Stop::Solved,
            (false, Some(stop)) => stop,
            (false, None) => Stop::OutOfMemory,
        };
        // Beyond the longest distance that is told nothing is known, unless no line is that long.
        let beyond = bounds.lo >= self.never;
        let finite = game_ends(self.game, p);
        DistanceReport {
            plies: self.plies(bounds),
            wins: match bounds.hi < self.never {
                true => Some(true),
                false => (beyond && finite || self.hopeless(p, attacker)).then_some(false),
            },
            line,
            stop: if beyond && !finite { Stop::Exhausted } else { stop },
            stats,
        }
    }

    /// Whether values say that the attacker does not win.
    fn hopeless(&self, p: &R::Position, attacker: Player) -> bool {
        self.game.static_bounds(p).seen_by(attacker).hi <= 0
    }

    fn plies(&self, bounds: Bounds) -> Plies {
        let hi = (bounds.hi < self.never).then_some(bounds.hi as u32);
        Plies { lo: bounds.lo.min(self.never) as u32, hi }
    }

    /// The position that is searched in place of all its images, and its key.
    fn normal(&self, p: &R::Position) -> (R::Position, R::Key) {
        normal(self.game, self.facts, !self.avoided.is_empty(), p)
    }

    /// Distances up to the longest that a line from here, or from the start, can have.
    fn make_tables(&mut self, p: &R::Position, attacker: Player) {
        let game = self.game;
        let longest = game.plies_left(p).max(game.plies_left(&game.start()));
        let never = longest.min(u32::from(LONGEST_DISTANCE)) as Value + 1;
        if never > self.never {
            self.never = never;
            self.tables = [None, None];
        }
        let table = &mut self.tables[attacker.index()];
        if table.is_none() {
            let shape = TableShape {
                key_bits: game.key_bits(),
                max_value: self.never,
                codes: game.codes(),
                depth_bits: 0,
            };
            *table = Table::new(&shape, self.memory);
        }
    }

    /// The bounds of the distance, asking until they meet or the watch says stop.
    fn bounds_of(&mut self, p: &R::Position, run: &Run<R>, stats: &mut Stats) -> Bounds {
        self.make_tables(p, run.attacker);
        let all = Bounds::new(0, self.never);
        if let Some(value) = self.game.outcome(p) {
            let won = value * run.attacker.sign() > 0;
            return Bounds::exact(if won { 0 } else { self.never });
        }
        let (root, key) = self.normal(p);
        let mut bounds = all;
        while !bounds.is_exact() {
            let Some(found) = self.ask(&root, key, bounds.lo as u16, run, stats) else { break };
            bounds = together(bounds, found, &root);
            (run.observer)(self.plies(bounds), &Stats { elapsed: run.watch.elapsed(), ..*stats });
        }
        bounds
    }

    /// Asks whether the attacker wins within so many plies: the distance is at most that, or more. `None` when stopped.
    fn ask(
        &mut self,
        root: &R::Position,
        key: R::Key,
        within: u16,
        run: &Run<R>,
        stats: &mut Stats,
    ) -> Option<Bounds> {
        loop {
            let table = self.tables[run.attacker.index()].as_ref()?;
            let shared = Shared {
                game: self.game,
                facts: self.facts,
                avoided: &self.avoided,
                table,
                watch: run.watch,
                attacker: run.attacker,
                known: run.known,
                observer: run.observer,
                proved: self.plies(Bounds { lo: within as Value, hi: self.never }),
                never: self.never,
                phase: AtomicU8::new(RUN),
            };
            let found = Mutex::new((None, &mut *stats));
            let work = |order| -> ThreadWork {
                let (shared, found) = (&shared, &found);
                Box::new(move || {
                    let (answer, stats) = Worker::new(shared, order).run(root, key, within);
                    let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
                    found.1.merge(&stats);
                    if answer.is_some() {
                        shared.phase.store(DONE, Relaxed);
                        found.0 = answer;
                    }
                })
            };
            let works = self.orders.iter_mut().map(work).collect();
            let here = run.deep || u32::from(within) <= SHALLOW;
            threads::all(if here { None } else { Some(STACK) }, works);
            let (answer, _) = found.into_inner().unwrap_or_else(|e| e.into_inner());
            let phase = shared.phase.load(Relaxed);
            if answer.is_some() {
                return answer;
            }
            if run.watch.stopped().is_some() || phase != GROW {
                return None;
            }
            self.tables[run.attacker.index()].as_mut()?.grow(self.orders.len());
        }
    }
}

/// What all questions about one position have in common.
struct Run<'r, R: Rules> {
    /// Whether there is a large stack already.
    deep: bool,
    watch: &'r Watch,
    attacker: Player,
    known: Option<KnownDistance<'r, R>>,
    observer: DistanceObserver<'r>,
}

/// Whether no line from here is longer than the longest distance that is told.
fn game_ends<R: Rules, K: Knowledge<R>>(game: Game<R, K>, p: &R::Position) -> bool {
    game.plies_left(p) <= u32::from(LONGEST_DISTANCE)
}

/// See [`DistanceSolver::normal`]. `itself`: no image stands for the position.
fn normal<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    facts: DistanceFacts,
    itself: bool,
    p: &R::Position,
) -> (R::Position, R::Key) {
    if itself {
        return (*p, game.key(p));
    }
    if facts.canonical_keeps_distance {
        let q = game.canonical(p);
        return (q, game.key(&q));
    }
    let symmetry_key = game.symmetry_key(p);
    if game.key(p) == symmetry_key {
        return (*p, symmetry_key);
    }
    let images = game.images(p);
    let image = images.iter().find(|q| game.key(q) == symmetry_key);
    (*image.expect("a symmetry key is the key of an image"), symmetry_key)
}

/// Two facts about one distance.
///
/// # Panics
/// If they contradict each other: then a piece of knowledge is wrong.
fn together<P: std::fmt::Debug>(one: Bounds, other: Bounds, p: &P) -> Bounds {
    one.meet(other).unwrap_or_else(|error| panic!("distances: {error}, at {p:?}"))
}
