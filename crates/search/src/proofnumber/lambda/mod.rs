//! Lambda search (Thomsen 2000) with proof numbers (Yoshizoe, Kishimoto and Mueller 2007): wins by
//! threats, for games in which a pass is thinkable.
//!
//! One player, the *attacker*, tries to win by moves that threaten something. How much a move threatens
//! is measured by letting the other player, the *defender*, pass:
//!
//! - An attack of order 0 succeeds where the attacker wins with one move (or where the knowledge of the
//!   game sees the win: knowledge lowers orders).
//! - An attack of order n succeeds where one of a lower order does, or where the attacker has a move
//!   that threatens to attack with order n - 1, were the defender to pass, and that wins against every
//!   reply by an attack of order n at most.
//!
//! A ladder is of order 1 (every move an atari), a net of order 2 (every move threatens a ladder). In
//! games of k in a row, order 1 is threat-space search (Allis, van den Herik and Huntjens 1993): every
//! move of the attacker makes a direct threat. Most moves threaten nothing, so an attack of low order is
//! a narrow tree on the widest board.
//!
//! **Every claim is sound.** A success claims that the attacker wins, and passes have no part in that
//! claim: they only choose which moves of the attacker are tried. By induction over the tree of a
//! success: at its leaves the rules or true bounds say that the attacker has won; where the attacker
//! moves, it has a move that leads to a won position; and where the defender moves, *every* legal reply
//! leads to one, or is worth no more, as [`Knowledge::candidate_moves`] keeps values exactly. So
//! a position in which any move is a burden (zugzwang) cannot fool it, as it would fool a search that
//! takes the value of a pass for a bound. A failure claims nothing: there may be a win by
//! quiet moves, or by threats of a higher order.
//!
//! **Proof numbers.** A position is searched for one order after another (`search`); the pass
//! is the first reply of the defender, and only when it is refuted, so that the move is known to threaten
//! something, are the real replies looked at. Replies that do not meet a direct threat need no search
//! each: knowledge of which do lists only these as candidates. Numbers are kept in one table for each
//! order, as keys have no room for it.

mod line;
mod search;

use super::dfpn::record::NumbersCodec;
use super::numbers::SumRule;
use super::view::QuestionView;
use crate::engine::{Engine, Observer, Task};
use crate::engines::{EngineSettings, Make, Needs};
use crate::options::Thousandths;
use crate::table::Table;
use crate::watch::Watch;
use search::Search;
use zermelo_game::{
    Bounds, Game, Knowledge, Level, Limits, Player, Question, Report, Rules, Stats, Stop, Threats,
};

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How numbers of children add up.
    pub rule: SumRule,
    /// By which part the threshold of a child exceeds the number of its best rival.
    pub epsilon: Thousandths,
}

impl Default for Config {
    fn default() -> Config {
        Config { rule: SumRule::Sum, epsilon: Thousandths(250) }
    }
}

crate::options!(Config {
    "sum" = rule: "how the numbers of children add up: weak numbers, dynamic widening (TOP, RATE)",
    "epsilon" = epsilon: "by which part the threshold of a child exceeds the number of its rival (1 + epsilon)",
});

impl EngineSettings for Config {
    const NEEDS: Needs = Needs { threats: true, ablation: false, ..Needs::TABLE };
    const METHODS: &'static [&'static str] = &["lambda"];

    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        let threats = make.abilities.threats.expect("a game that says what a pass would be");
        threats.lambda(make.game, self, make.limits)
    }
}

/// What came of an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackOutcome<M> {
    /// The least order with which the attacker was found to win; `None` says nothing.
    pub won: Option<u32>,
    /// If it wins, play by the proof; the defender makes the moves that were hardest to refute.
    pub line: Vec<M>,
    /// Why the search ended: [`Stop::Solved`] where the attacker wins, [`Stop::Exhausted`] where it
    /// has no attack of the orders allowed.
    pub stop: Stop,
    /// What it cost.
    pub stats: Stats,
}

/// The tables of one attacker, one for each order from 1.
type Tables<R> = Vec<Table<<R as Rules>::Key, NumbersCodec>>;

/// A lambda searcher. It keeps its tables between calls.
pub struct Solver<'g, R: Threats, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    config: Config,
    memory: u64,
    tables: [Tables<R>; 2],
}

impl<'g, R: Threats, K: Knowledge<R>> Solver<'g, R, K> {
    /// A solver for `game` with tables of at most `memory` bytes.
    #[must_use]
    pub fn new(game: Game<'g, R, K>, config: Config, memory: u64) -> Solver<'g, R, K> {
        assert!(!R::CYCLIC && !R::SUPERKO, "lambda search needs a game without repetitions");
        Solver { game, config, memory, tables: [Vec::new(), Vec::new()] }
    }

    /// Does `attacker` win by threats of at most this order? Either player may be to move. The limit of
    /// memory is that of the solver.
    pub fn attack(
        &mut self,
        p: &R::Position,
        attacker: Player,
        max_order: u32,
        limits: &Limits,
    ) -> AttackOutcome<R::Move> {
        let watch = Watch::new(limits.clone());
        let mut outcome = self.attempt(p, attacker, max_order, &watch);
        outcome.stats.elapsed = watch.elapsed();
        outcome
    }

    /// What both players' attacks say of a position, first the attack of the player to move.
    pub fn solve(&mut self, p: &R::Position, max_order: u32, limits: &Limits) -> Report<R::Move> {
        let watch = Watch::new(limits.clone());
        let turn = self.game.turn(p);
        let mut bounds = self.game.static_bounds(p);
        let (mut stats, mut line, mut stop) = (Stats::default(), Vec::new(), Stop::Solved);
        for attacker in [turn, turn.other()] {
            if bounds.is_exact() {
                break;
            }
            let outcome = self.attempt(p, attacker, max_order, &watch);
            stats.merge(&outcome.stats);
            stop = outcome.stop;
            if outcome.won.is_some() {
                let mut seen = bounds.seen_by(attacker);
                seen.lo = seen.lo.max(WIN);
                bounds = seen.seen_by(attacker);
                line = outcome.line;
                break;
            }
        }
        let solved = bounds.is_exact();
        stats.elapsed = watch.elapsed();
        Report {
            bounds,
            best: line.first().copied(),
            line,
            // A win by an unknown score is not the whole value.
            stop: match stop {
                _ if solved => Stop::Solved,
                Stop::Solved => Stop::Exhausted,
                stop => stop,
            },
            level: solved.then_some(Level::Weak),
            rests_on_history: false,
            by: None,
            stats,
        }
    }

    /// What the tables know of a position: successes of either attacker. Failures say nothing.
    #[must_use]
    pub fn known(&self, p: &R::Position) -> Bounds {
        let (game, turn) = (self.game, self.game.turn(p));
        let key = game.key(&game.canonical(p));
        let mut bounds = game.values();
        for attacker in [Player::First, Player::Second] {
            let entries = self.tables[attacker.index()].iter().filter_map(|table| table.get(key));
            if entries.into_iter().any(|e| e.numbers.solved() == Some(turn == attacker)) {
                let seen = bounds.seen_by(attacker);
                bounds = Bounds { lo: seen.lo.max(WIN), ..seen }.seen_by(attacker);
                break;
            }
        }
        bounds
    }

    fn attempt(
        &mut self,
        p: &R::Position,
        attacker: Player,
        max_order: u32,
        watch: &Watch,
    ) -> AttackOutcome<R::Move> {
        let game = self.game;
        let mut outcome = AttackOutcome {
            won: None,
            line: Vec::new(),
            stop: Stop::Exhausted,
            stats: Stats::default(),
        };
        if self.tables(attacker, max_order).is_none() {
            outcome.stop = Stop::OutOfMemory;
            return outcome;
        }
        let question = match attacker {
            Player::First => Question { at_least: WIN },
            Player::Second => Question { at_least: 1 - WIN },
        };
        let view = QuestionView::new(game, question);
        let tables = &mut self.tables[attacker.index()];
        let mut search = Search::new(view, attacker, tables, watch, &self.config);
        for order in 0..=max_order {
            if search.wins(p, order) {
                outcome.won = Some(order);
                outcome.line = search.line(p, order);
                outcome.stop = Stop::Solved;
                break;
            }
            if let Some(stop) = watch.stopped() {
                outcome.stop = stop;
                break;
            }
        }
        outcome.stats = search.finish();
        outcome
    }

    /// Sees to it that there are tables for so many orders. The memory is shared by the orders of both
    /// attackers alike; a call for more orders than before starts anew.
    fn tables(&mut self, attacker: Player, orders: u32) -> Option<()> {
        let wanted = orders.max(1) as usize;
        let there = self.tables[attacker.index()].len();
        if there >= wanted {
            return Some(());
        }
        if there > 0 {
            self.tables = [Vec::new(), Vec::new()];
        }
        let other = self.tables[attacker.other().index()].len();
        if other > wanted {
            return self.tables(attacker, other as u32);
        }
        if other > 0 && other < wanted {
            self.tables = [Vec::new(), Vec::new()];
        }
        let bytes = self.memory / (2 * wanted as u64);
        let table = |_| Table::of(NumbersCodec::new(self.game), self.game.key_bits(), bytes);
        self.tables[attacker.index()] = (0..wanted).map(table).collect::<Option<_>>()?;
        Some(())
    }
}

/// What the attacker is after, as it sees values.
const WIN: zermelo_game::Value = 1;

/// The highest order of threats that the engine tries.
const ORDERS: u32 = 4;

impl<R: Threats, K: Knowledge<R>> Engine<R> for Solver<'_, R, K> {
    /// Every task begins with empty tables.
    fn solve(&mut self, task: &Task<R>, _: Observer<R::Move>) -> Report<R::Move> {
        self.tables = [Vec::new(), Vec::new()];
        Solver::solve(self, task.position, ORDERS, task.limits)
    }

    fn known(&self, p: &R::Position) -> Option<Bounds> {
        Some(Solver::known(self, p))
    }
}
