//! The proof-number family: solvers that answer one question at a time and always work where the
//! least is left to be done (Allis 1994, after McAllester's conspiracy numbers).
//!
//! [`numbers`] holds the arithmetic, [`leaf`] the numbers to begin with, [`view`] a game seen through a
//! question. An engine is a [`Prover`]: it answers one question; [`solve`] asks as many as the value needs.
//! [`dfpn`] goes depth-first with a table; [`pns`], [`pn2`] and [`pp`] share a [`tree`] that is kept in memory.

pub mod dfpn;
pub mod lambda;
pub mod leaf;
pub mod numbers;
pub mod pn2;
pub mod pns;
pub mod pp;
pub mod tree;
pub mod view;

use crate::table::Table;
use crate::watch::Watch;
use numbers::Numbers;
use view::View;
use zermelo_game::{
    Bounds, Game, Level, Limits, MoveList, Player, Progress, Question, Report, Stats, Stop, Value,
};

/// Where searches are reported to.
pub type Observer<'o, M> = &'o (dyn Fn(&Progress<M>) + Sync);

/// A search that is going on: its limits, and what is known of the position so far.
pub struct Run<'r, G: Game> {
    /// The limits; all nodes are reported to it.
    pub watch: &'r Watch,
    /// Told how the search goes, about ten times a second ([`Watch::time_to_show`]).
    pub observer: Observer<'r, G::Move>,
    /// What is known of the position so far, first player's view.
    pub known: Bounds,
    /// Facts that another engine shares: a prover may use them and add its own.
    pub facts: Option<&'r Table<G::Key>>,
}

/// What a prover found out about a position.
#[derive(Clone, Debug)]
pub struct Answer<M> {
    /// Solved numbers, seen by the player to move.
    pub numbers: Numbers,
    /// A line of play that begins with a move that keeps what was proved; where nothing is to be
    /// kept, with the one that was hardest to refute. The proving side keeps to its proof all along.
    pub line: Vec<M>,
}

/// An engine that answers questions.
pub trait Prover<G: Game> {
    /// Answers the question of `view` about a position that its static bounds leave open; `None` when
    /// the watch says stop or the memory is full (then the watch has been told so).
    fn ask(&mut self, view: &View<G>, p: &G::Position, run: &Run<G>) -> Option<Answer<G::Move>>;

    /// What all questions so far have cost.
    fn stats(&self) -> Stats;

    /// The move that looks best so far, for a question that was not answered.
    fn promising(&self) -> Option<G::Move>;
}

/// Asks a prover as many questions as the value of the position needs.
pub fn solve<G: Game>(
    game: &G,
    p: &G::Position,
    limits: &Limits,
    observer: Observer<G::Move>,
    prover: &mut dyn Prover<G>,
) -> Report<G::Move> {
    solve_with(game, p, limits, observer, prover, None)
}

/// The same with the facts of another engine.
pub fn solve_with<G: Game>(
    game: &G,
    p: &G::Position,
    limits: &Limits,
    observer: Observer<G::Move>,
    prover: &mut dyn Prover<G>,
    facts: Option<&Table<G::Key>>,
) -> Report<G::Move> {
    assert!(!G::SUPERKO, "no board may come back in {}: its values hang on the line", game.name());
    let watch = Watch::new(limits.clone());
    let turn = game.turn(p);
    let mut bounds = game.static_bounds(p);
    // Lines for what the player to move was shown to get, and to be held to.
    let (mut kept, mut held) = (None, Vec::new());
    while let Some(question) = Question::halving(bounds) {
        let view = View::new(game, question);
        let run = Run { watch: &watch, observer, known: bounds, facts };
        let Some(Answer { numbers, line }) = prover.ask(&view, p, &run) else { break };
        let seen = bounds.seen_by(turn);
        let found = match numbers.solved() {
            Some(true) => Bounds { lo: numbers.value, ..seen },
            Some(false) => Bounds { hi: numbers.value, ..seen },
            None => unreachable!("an answer is solved"),
        };
        bounds = match bounds.meet(found.seen_by(turn)) {
            Ok(both) => both,
            Err(error) => panic!("{error}, at {}", game.position_text(p)),
        };
        match numbers.solved() {
            Some(true) => kept = Some(line),
            _ => held = line,
        }
    }
    let solved = bounds.is_exact();
    let seen = bounds.seen_by(turn);
    // Where values hang on the line, a child by itself says nothing.
    let hangs = G::CYCLIC && game.repetition().fixed().is_none();
    if solved && !hangs && kept.is_none() && seen.lo != game.values().seen_by(turn).lo {
        let run = Run { watch: &watch, observer, known: bounds, facts };
        kept = keeping(game, p, seen.lo, &run, prover).map(|m| vec![m]);
    }
    let line = match kept {
        _ if !solved => prover.promising().into_iter().collect(),
        // Who replies in it may have given something away, unless there was nothing left to give.
        Some(mut line) => {
            if seen.lo != game.values().seen_by(turn).hi {
                line.truncate(1);
            }
            line
        }
        None if seen.lo == game.values().seen_by(turn).lo => held,
        None => Vec::new(),
    };
    let mut stats = prover.stats();
    stats.elapsed = watch.elapsed();
    Report {
        bounds,
        best: line.first().copied(),
        line,
        stop: match watch.stopped() {
            _ if solved => Stop::Solved,
            stop => stop.unwrap_or(Stop::OutOfMemory),
        },
        level: solved.then_some(Level::Weak),
        rests_on_history: false,
        by: None,
        stats,
    }
}

/// A move with which the player to move keeps a value that the static bounds of `p` promise it: they do not
/// say how.
fn keeping<G: Game>(
    game: &G,
    p: &G::Position,
    value: Value,
    run: &Run<G>,
    prover: &mut dyn Prover<G>,
) -> Option<G::Move> {
    if game.outcome(p).is_some() {
        return None;
    }
    let at_least = match game.turn(p) {
        Player::First => value,
        Player::Second => 1 - value,
    };
    let view = View::new(game, Question { at_least });
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    let judged = |m: G::Move| view.judge(&game.play(p, m)).map(|numbers| numbers.solved());
    let open = || list.iter().filter(|&m| judged(m).is_none());
    let mut wins = |m: &G::Move| {
        let answer = prover.ask(&view, &game.play(p, *m), run);
        answer.is_some_and(|a| a.numbers.solved() == Some(false))
    };
    list.iter().find(|&m| judged(m) == Some(Some(false))).or_else(|| open().find(|m| wins(m)))
}
