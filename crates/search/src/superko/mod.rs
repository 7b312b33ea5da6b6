//! Alpha-beta for games in which boards must not be repeated (positional superko), with one thread, always deepening.
//!
//! There the value of a position depends on the line that led to it, so that a table of values would be
//! wrong. What the table holds instead are proofs in short: who can claim how much, and what the proof
//! rests on (`basis`). A fact is used after another history only where that shows that the same proof
//! holds there; otherwise the position is searched again, its children being likely to be known.
//! `search` answers one question, `facts` is the table.

mod basis;
mod facts;
mod search;

use crate::alphabeta::order::Order;
use crate::alphabeta::to_front;
use crate::choice::choice;
use crate::engine::{BoxedStrategy, Engine, KnownBounds, Observer, Task};
use crate::threads;
use crate::watch::Watch;
use facts::ProofTable;
use search::{Horizon, Search};
use zermelo_game::{
    Bounds, BySuperko, Claim, Game, History, Level, Limits, MoveList, Player, Question, Report,
    Stats, Stop, StrategySource, Superko, SuperkoKnowledge, Value,
};

/// Stack of the search thread: lines can get long. Only what is used is ever touched.
const STACK: usize = 1 << 30;
/// The longest line of best play that is written out.
const MAX_LINE: usize = 100;

/// The solver. It keeps its table and what it has learned about moves between calls.
pub struct Solver<'g, R: Superko, K: SuperkoKnowledge<R>> {
    game: Game<'g, R, K>,
    limits: Limits,
    /// `None` if the memory limit does not hold the smallest table.
    facts: Option<ProofTable<R::Key>>,
    order: Order,
}

impl<'g, R: Superko, K: SuperkoKnowledge<R>> Solver<'g, R, K> {
    /// A solver for `game` with a table of at most `limits.memory` bytes. The seed is that of the random preferences among moves
    /// that seem equal; 0 for none.
    #[must_use]
    pub fn new(game: Game<'g, R, K>, seed: u64, limits: Limits) -> Solver<'g, R, K> {
        let order = Order::new(game.codes(), seed);
        Solver { game, facts: ProofTable::new(limits.memory), limits, order }
    }

    /// Other limits for the searches to come; the memory stays as it is.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Limits { memory: self.limits.memory, ..limits };
    }

    /// Solves `p`, the last position of a line of play.
    pub fn solve(
        &mut self,
        history: &History<R>,
        p: &R::Position,
        observer: Observer<R::Move>,
    ) -> Report<R::Move> {
        let watch = Watch::new(self.limits.clone());
        let report = |asking: Asking<R, K>| asking.report(history, p);
        let found = self.asking(&watch, history, p, observer, report);
        found.unwrap_or_else(|| nothing(self.game, Stop::OutOfMemory))
    }

    /// Asks questions in a thread of their own; `None` if there is no memory for them.
    fn asking<T: Send>(
        &mut self,
        watch: &Watch,
        history: &History<R>,
        p: &R::Position,
        observer: Observer<R::Move>,
        work: impl FnOnce(Asking<R, K>) -> T + Send,
    ) -> Option<T> {
        let (game, order) = (self.game, &mut self.order);
        let facts = self.facts.as_mut()?;
        order.forget_killers();
        Some(threads::deep(STACK, || {
            let known = game.bounds_after(history, p);
            let search = Search::new(game, facts, order, watch, observer, known);
            work(Asking { game, search, rests: usize::MAX })
        }))
    }
}

impl<R: Superko, K: SuperkoKnowledge<R>> Engine<R> for Solver<'_, R, K> {
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move> {
        self.set_limits(task.limits.clone());
        Solver::solve(self, task.history, task.position, observer)
    }

    fn strategy<'s>(
        &'s mut self,
        claim: Claim,
        limits: &Limits,
        _: Option<KnownBounds<'s, R>>,
    ) -> Option<BoxedStrategy<'s, R>> {
        Some(Box::new(SuperkoStrategy {
            watch: Watch::new(limits.clone()),
            value: claim.value,
            solver: self,
        }))
    }
}

/// Moves that keep a value; what the table has lost is searched again.
struct SuperkoStrategy<'s, 'g, R: Superko, K: SuperkoKnowledge<R>> {
    solver: &'s mut Solver<'g, R, K>,
    watch: Watch,
    value: Value,
}

impl<R: Superko, K: SuperkoKnowledge<R>> StrategySource<R> for SuperkoStrategy<'_, '_, R, K> {
    /// A position by itself has no value here.
    fn choose(&mut self, _: &R::Position, _: R::Key, _: &MoveList<R::Move>) -> Option<R::Move> {
        None
    }

    fn choose_after(&mut self, p: &R::Position, boards: &[R::Key]) -> Option<R::Move> {
        let (watch, value) = (&self.watch, self.value);
        let history = History::from_boards(Some(&BySuperko), boards);
        let work = |mut asking: Asking<R, K>| asking.keeping_move(&history, p, value);
        self.solver.asking(watch, &history, p, &|_| {}, work).flatten().map(|(m, _)| m)
    }

    fn is_stopped(&self) -> bool {
        self.watch.stopped().is_some()
    }

    fn searched(&self) -> u64 {
        self.watch.nodes()
    }
}

fn nothing<R: Superko, K: SuperkoKnowledge<R>>(game: Game<R, K>, stop: Stop) -> Report<R::Move> {
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
struct Asking<'s, R: Superko, K: SuperkoKnowledge<R>> {
    game: Game<'s, R, K>,
    search: Search<'s, R, K>,
    /// The first board of the history that an answer about the root rests on.
    rests: usize,
}

impl<R: Superko, K: SuperkoKnowledge<R>> Asking<'_, R, K> {
    fn report(mut self, history: &History<R>, p: &R::Position) -> Report<R::Move> {
        let bounds = self.bounds(history, p);
        let by_itself = History::of(self.game.rules(), Some(&BySuperko), p).boards().len();
        let rests_on_history = self.rests < history.boards().len() - by_itself;
        let line = match bounds.value() {
            Some(value) => self.best_line(history, p, value),
            None => self.promising(history, p, bounds).into_iter().collect(),
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
    fn bounds(&mut self, history: &History<R>, p: &R::Position) -> Bounds {
        let mut bounds = self.game.bounds_after(history, p);
        while let Some(question) = Question::halving(bounds) {
            self.search.known = bounds;
            let Some((value, rests)) = self.ask(history, p, question.at_least) else { break };
            self.rests = self.rests.min(rests);
            if value >= question.at_least {
                bounds.lo = bounds.lo.max(value);
            } else {
                bounds.hi = bounds.hi.min(value);
            }
            assert!(bounds.lo <= bounds.hi, "contradiction at {:?}", p);
        }
        bounds
    }

    /// Whether the value is at least so much: a bound on the right side of it (first player's view), and
    /// the first board of the history that it rests on. `None` when stopped.
    fn ask(
        &mut self,
        history: &History<R>,
        p: &R::Position,
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
    fn best_line(&mut self, history: &History<R>, p: &R::Position, value: Value) -> Vec<R::Move> {
        let (mut history, mut p) = (history.clone(), *p);
        let mut line = Vec::new();
        while self.game.outcome(&p).is_none() && line.len() < MAX_LINE {
            let Some((m, next)) = self.keeping_move(&history, &p, value) else { break };
            if line.is_empty() {
                self.search.allowance = 2 * self.search.stats.nodes + 10_000;
            }
            line.push(m);
            history.push(self.game.rules(), &next);
            p = next;
        }
        line
    }

    /// A move after which the value is the same: one that ends the game, else the first that does in the
    /// order of the search.
    fn keeping_move(
        &mut self,
        history: &History<R>,
        p: &R::Position,
        value: Value,
    ) -> Option<(R::Move, R::Position)> {
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
            after.push(game.rules(), &next);
            let (found, _) = self.ask(&after, &next, at_least)?;
            if keeps(found) {
                return Some((m, next));
            }
        }
        None
    }

    /// What to play where only these bounds are known.
    fn promising(&self, history: &History<R>, p: &R::Position, bounds: Bounds) -> Option<R::Move> {
        let turn = self.game.turn(p);
        let moves = self.in_order(history, p);
        let known = |&(m, next): &(R::Move, R::Position)| {
            let mut after = history.clone();
            after.push(self.game.rules(), &next);
            (m, self.game.bounds_after(&after, &next).seen_by(turn))
        };
        let least = self.game.values().seen_by(turn).lo;
        let favourite = moves.first().map(|(m, _)| *m);
        choice(moves.iter().map(known), bounds.seen_by(turn).lo, least, favourite)
    }

    /// The legal moves with what they lead to, most promising first.
    fn in_order(&self, history: &History<R>, p: &R::Position) -> Vec<(R::Move, R::Position)> {
        let game = self.game;
        let mut list = MoveList::new();
        if game.outcome(p).is_none() {
            game.candidate_moves(p, &mut list);
        }
        list.sort();
        let mut moves: Vec<_> = list.iter().map(|m| (m, game.play(p, m))).collect();
        moves.retain(|(_, next)| history.allows(game.rules(), p, next));
        to_front(&mut moves, |(_, next)| self.search.is_favourite(p, next));
        moves
    }
}
