//! What all engines have in common: they are asked about the last position of a line of play, and supply the strategy behind
//! their answer.
//!
//! An [`Engine`] is called once a question, never inside a search, so it may stand behind a pointer. What it proves stays in
//! its tables: [`Engine::known`] reads them, and [`Engine::strategy`] gives the moves for a certificate. For an engine that keeps
//! nothing to read moves from, [`searcher`] is one that finds them by search, with the facts of others.

use crate::alphabeta;
use crate::loops::InnerLoops;
use crate::proofnumber::{InitialBounds, dfpn};
use zermelo_game::{
    Bounds, Claim, Game, History, Knowledge, Limits, Progress, Question, Report, Rules,
    StrategySource,
};

/// Where searches are reported to, some ten times a second.
pub type Observer<'o, M> = &'o (dyn Fn(&Progress<M>) + Sync);

/// What someone else has proved of positions.
pub type KnownBounds<'f, R> = Box<dyn Fn(&<R as Rules>::Position) -> Bounds + 'f>;

/// Moves that keep a claim.
pub type BoxedStrategy<'s, R> = Box<dyn StrategySource<R> + 's>;

/// What an engine is asked about.
pub struct Task<'t, R: Rules> {
    /// The last position of a line of play.
    pub position: &'t R::Position,
    /// The positions before it, oldest first. They only make a difference where the value of a repetition depends on the line:
    /// to come to one of them again is a repetition.
    pub past: &'t [R::Position],
    /// The boards of the line, where they must not be repeated.
    pub history: &'t History<R>,
    /// What is known already, and a question that is asked first. Only df-pn has use for that; other engines begin from
    /// nothing.
    pub initial: Option<&'t InitialBounds>,
    /// When to stop. The memory is that for which the engine was made.
    pub limits: &'t Limits,
}

/// An engine, made for one game.
pub trait Engine<R: Rules> {
    /// Solves the position, or finds out as much as the limits allow. Tables from earlier tasks are used.
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move>;

    /// Whether it keeps nothing of what it proves, so that other engines' tables serve certificates better.
    fn is_forgetful(&self) -> bool {
        false
    }

    /// What is known of a position without a search: by what was proved, and is still in a table. `None` by engines that
    /// keep nothing.
    fn known(&self, p: &R::Position) -> Option<Bounds> {
        let _ = p;
        None
    }

    /// How much seems left to be done to show that the answer to a question is yes at a position, and that it is no;
    /// `u32::MAX` where that is impossible. `None` by engines that do not count that, and where nothing is in the table.
    fn numbers(&self, p: &R::Position, question: Question) -> Option<[u32; 2]> {
        let _ = (p, question);
        None
    }

    /// The moves by which a claim that was proved is kept, within limits for all searches that are needed for what tables have
    /// lost. `facts` is what someone else has proved besides. `None` by engines that keep nothing to read moves from.
    fn strategy<'s>(
        &'s mut self,
        claim: Claim,
        limits: &Limits,
        facts: Option<KnownBounds<'s, R>>,
    ) -> Option<BoxedStrategy<'s, R>> {
        let _ = (claim, limits, facts);
        None
    }
}

/// An engine that finds strategies by search: alpha-beta, or df-pn where positions can repeat (alpha-beta's table lacks whatever
/// depends on the line of play there, which may be nearly all).
#[must_use]
pub fn searcher<'g, R: Rules, K: Knowledge<R>>(
    game: Game<'g, R, K>,
    loops: InnerLoops<'g, R, K>,
    threads: usize,
    limits: &Limits,
) -> Box<dyn Engine<R> + 'g> {
    match R::CYCLIC {
        true => {
            let config = dfpn::Config { threads, ..dfpn::Config::default() };
            Box::new(dfpn::Dfpn::with_loops(game, loops, config, limits.clone()))
        }
        false => {
            let config = alphabeta::Config { threads, ..alphabeta::Config::default() };
            Box::new(alphabeta::Solver::with_loops(game, loops, config, limits.clone()))
        }
    }
}

/// What two sources know together.
///
/// # Panics
/// If they contradict each other: then a solver is wrong.
pub(crate) fn together<P: std::fmt::Debug>(one: Bounds, other: Bounds, p: &P) -> Bounds {
    one.meet(other).unwrap_or_else(|error| panic!("{error}, at {p:?}"))
}
