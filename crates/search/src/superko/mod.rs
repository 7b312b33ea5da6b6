//! Alpha-beta for games in which no board may come back (positional superko), with one thread.
//!
//! There the value of a position hangs on the line that led to it, so that a table of values would be
//! wrong. What the table holds instead are proofs in short: who can claim how much, and what the proof
//! rests on (`basis`). A fact is used after another history only where that shows that the same proof
//! holds there; otherwise the position is searched again, its children being likely to be known.
//! `search` answers one question, `facts` is the table.

mod basis;
mod facts;
mod search;

use crate::alphabeta::to_front;
use crate::alphabeta::{Config, Observer, order::Order};
use crate::threads;
use crate::watch::Watch;
use facts::Facts;
use search::{Horizon, Search};
use zermelo_game::{
    Bounds, Game, History, Level, Limits, MoveList, Player, Question, Report, Stats, Stop, Value,
};

/// Stack of the search thread: lines can get long. Only what is used is ever touched.
const STACK: usize = 1 << 30;
/// The longest line of best play that is written out.
const MAX_LINE: usize = 100;

/// What a solver keeps between calls.
pub struct Engine {
    /// `None` if the memory limit does not hold the smallest table.
    facts: Option<Facts>,
    order: Order,
}

impl Engine {
    /// An engine for `game` with a table of at most `memory` bytes.
    ///
    /// # Panics
    /// If keys are longer than 64 bits: cut off, they would confuse positions.
    pub fn new<G: Game>(game: &G, config: &Config, memory: u64) -> Engine {
        assert!(game.key_bits() <= 64, "{}: the table keeps keys of 64 bits", game.name());
        let order = Order::new(game.codes(), config.seed);
        Engine { facts: Facts::new(memory), order }
    }

    /// Solves `p`, the last position of a line of play.
    pub fn solve<G: Game>(
        &mut self,
        game: &G,
        limits: &Limits,
        history: &History,
        p: &G::Position,
        observer: Observer<G::Move>,
    ) -> Report<G::Move> {
        let watch = Watch::new(limits.clone());
        let report = |asking: Asking<G>| asking.report(history, p);
        let nothing = || nothing(game, Stop::OutOfMemory);
        self.asking(game, &watch, history, p, observer, report).unwrap_or_else(nothing)
    }

    /// A move of `p`, the last position of a line, after which the value is kept; `None` if there is none, or
    /// the watch says stop.
    pub fn keeping_move<G: Game>(
        &mut self,
        game: &G,
        watch: &Watch,
        history: &History,
        p: &G::Position,
        value: Value,
    ) -> Option<G::Move> {
        let work = |mut asking: Asking<G>| asking.keeping_move(history, p, value);
        self.asking(game, watch, history, p, &|_| {}, work).flatten().map(|(m, _)| m)
    }

    /// Asks questions in a thread of their own; `None` if there is no memory for them.
    fn asking<G: Game, T: Send>(
        &mut self,
        game: &G,
        watch: &Watch,
        history: &History,
        p: &G::Position,
        observer: Observer<G::Move>,
        work: impl FnOnce(Asking<G>) -> T + Send,
    ) -> Option<T> {
        let facts = self.facts.as_mut()?;
        let order = &mut self.order;
        order.forget_killers();
        Some(threads::deep(STACK, || {
            let known = history.bounds(game, p);
            let search = Search::new(game, facts, order, watch, observer, known);
            work(Asking { game, search, rests: usize::MAX })
        }))
    }
}

fn nothing<G: Game>(game: &G, stop: Stop) -> Report<G::Move> {
    Report {
        bounds: game.values(),
        best: None,
        line: Vec::new(),
        stop,
        level: None,
        rests_on_history: false,
        by: None,
        stats: Stats::default(),
    }
}

/// A series of questions.
struct Asking<'s, G: Game> {
    game: &'s G,
    search: Search<'s, G>,
    /// The first board of the history that an answer about the root rests on.
    rests: usize,
}

impl<G: Game> Asking<'_, G> {
    fn report(mut self, history: &History, p: &G::Position) -> Report<G::Move> {
        let bounds = self.bounds(history, p);
        let by_itself = History::of(self.game, p).boards().len();
        let rests_on_history = self.rests < history.boards().len() - by_itself;
        let line = match bounds.value() {
            Some(value) => self.best_line(history, p, value),
            None => self.promising(history, p).into_iter().collect(),
        };
        let solved = bounds.is_exact();
        let watch = self.search.watch;
        let stop = if solved { Some(Stop::Solved) } else { watch.stopped() };
        let facts = &self.search.facts;
        let (table_bytes, table_permille) = (facts.bytes(), facts.permille());
        let elapsed = watch.elapsed();
        Report {
            bounds,
            best: line.first().copied(),
            line,
            stop: stop.unwrap_or(Stop::Interrupted),
            level: solved.then_some(Level::Weak),
            rests_on_history,
            by: None,
            stats: Stats { table_bytes, table_permille, elapsed, ..self.search.stats },
        }
    }

    /// Asks until the value is known or the watch says stop.
    fn bounds(&mut self, history: &History, p: &G::Position) -> Bounds {
        let mut bounds = history.bounds(self.game, p);
        while let Some(question) = Question::halving(bounds) {
            self.search.known = bounds;
            let Some((value, rests)) = self.ask(history, p, question.at_least) else { break };
            self.rests = self.rests.min(rests);
            if value >= question.at_least {
                bounds.lo = bounds.lo.max(value);
            } else {
                bounds.hi = bounds.hi.min(value);
            }
            assert!(bounds.lo <= bounds.hi, "contradiction at {}", self.game.position_text(p));
        }
        bounds
    }

    /// Whether the value is at least so much: a bound on the right side of it (first player's view), and
    /// the first board of the history that it rests on. `None` when stopped.
    fn ask(
        &mut self,
        history: &History,
        p: &G::Position,
        at_least: Value,
    ) -> Option<(Value, usize)> {
        if self.game.outcome(p).is_some() {
            return Some((self.game.static_bounds(p).lo, usize::MAX));
        }
        let turn = self.game.turn(p);
        let beta = if turn == Player::First { at_least } else { 1 - at_least };
        // Lines that lead nowhere are long here, and proofs short: deepen step by step.
        for depth in (1..).step_by(2) {
            // The last move within the horizon is the prover's.
            for (prover, depth) in [(turn, depth), (turn.other(), depth + 1)] {
                let horizon = Horizon { depth, prover };
                let found = self.search.run(history, p, beta, horizon)?;
                if found.solid {
                    return Some((found.value * turn.sign(), found.rests));
                }
            }
        }
        None
    }

    /// A line of play from `p` in which both sides keep the value. What the table has lost is searched
    /// again; all but the first move may cost as much as the value did, and the line ends there.
    fn best_line(&mut self, history: &History, p: &G::Position, value: Value) -> Vec<G::Move> {
        let (mut history, mut p) = (history.clone(), *p);
        let mut line = Vec::new();
        while self.game.outcome(&p).is_none() && line.len() < MAX_LINE {
            let Some((m, next)) = self.keeping_move(&history, &p, value) else { break };
            if line.is_empty() {
                self.search.allowance = 2 * self.search.stats.nodes + 10_000;
            }
            line.push(m);
            history.push(self.game, &next);
            p = next;
        }
        line
    }

    /// A move after which the value is the same: one that ends the game, else the first that does in the
    /// order of the search.
    fn keeping_move(
        &mut self,
        history: &History,
        p: &G::Position,
        value: Value,
    ) -> Option<(G::Move, G::Position)> {
        let game = self.game;
        let turn = game.turn(p);
        // At least `value` for the player to move.
        let at_least = if turn == Player::First { value } else { value + 1 };
        let keeps = |found: Value| (found >= at_least) == (turn == Player::First);
        let moves = self.in_order(history, p);
        for &(m, next) in &moves {
            if game.outcome(&next).is_some_and(keeps) {
                return Some((m, next));
            }
        }
        if value * turn.sign() == game.values().seen_by(turn).lo {
            // Nothing is left to lose.
            return moves.first().copied();
        }
        for (m, next) in moves {
            let mut after = history.clone();
            after.push(game, &next);
            let (found, _) = self.ask(&after, &next, at_least)?;
            if keeps(found) {
                return Some((m, next));
            }
        }
        None
    }

    fn promising(&self, history: &History, p: &G::Position) -> Option<G::Move> {
        self.in_order(history, p).first().map(|(m, _)| *m)
    }

    /// The legal moves with what they lead to, most promising first.
    fn in_order(&self, history: &History, p: &G::Position) -> Vec<(G::Move, G::Position)> {
        let game = self.game;
        let mut list = MoveList::new();
        if game.outcome(p).is_none() {
            game.relevant(p, &mut list);
        }
        list.sort();
        let mut moves: Vec<_> = list.iter().map(|m| (m, game.play(p, m))).collect();
        moves.retain(|(_, next)| history.allows(game, p, next));
        to_front(&mut moves, |(_, next)| self.search.is_favourite(p, next));
        moves
    }
}
