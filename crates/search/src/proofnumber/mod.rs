//! The proof-number family: solvers that answer one question at a time and always work where the
//! least is left to be done (Allis 1994, after McAllester's conspiracy numbers).
//!
//! [`numbers`] holds the arithmetic, [`leaf`] the numbers to begin with, [`view`] a game seen through a
//! question. An engine is a [`QuestionProver`]: it answers one question; [`solve`] asks as many as the value needs.
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

use crate::choice::choice;
use crate::engine::{Engine, Observer, Task};
use crate::table::Table;
use crate::watch::Watch;
use numbers::Numbers;
use view::QuestionView;
use zermelo_game::{
    Bounds, Game, Knowledge, Level, Limits, MoveList, Player, Question, Report, Rules, Stats, Stop,
    Value,
};

/// A search that is going on: its limits, and what is known of the position so far.
pub struct ProverRun<'r, R: Rules> {
    /// The limits; all nodes are reported to it.
    pub watch: &'r Watch,
    /// Told how the search goes, about ten times a second ([`Watch::time_to_show`]).
    pub observer: Observer<'r, R::Move>,
    /// What is known of the position so far, first player's view.
    pub known: Bounds,
    /// Facts that another engine shares: a prover may use them and add its own.
    pub facts: Option<&'r Table<R::Key>>,
}

/// What a prover found out about a position.
#[derive(Clone, Debug)]
pub struct QuestionAnswer<M> {
    /// Solved numbers, seen by the player to move.
    pub numbers: Numbers,
    /// A line of play that begins with a move that keeps what was proved; where nothing is to be
    /// kept, with the one that was hardest to refute. The proving side keeps to its proof all along.
    pub line: Vec<M>,
}

/// An engine that answers questions.
pub trait QuestionProver<R: Rules, K: Knowledge<R>> {
    /// Answers the question of `view` about a position that its static bounds leave open; `None` when
    /// the watch says stop or the memory is full (then the watch has been told so).
    fn ask(
        &mut self,
        view: &QuestionView<R, K>,
        p: &R::Position,
        run: &ProverRun<R>,
    ) -> Option<QuestionAnswer<R::Move>>;

    /// What all questions so far have cost.
    fn stats(&self) -> Stats;

    /// The move that looks best so far, for a question that was not answered.
    fn promising(&self) -> Option<R::Move>;
}

/// Asks a prover as many questions as the value of the position needs.
pub fn solve<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    limits: &Limits,
    observer: Observer<R::Move>,
    prover: &mut dyn QuestionProver<R, K>,
) -> Report<R::Move> {
    solve_with(game, p, limits, observer, prover, None)
}

/// The same with the facts of another engine.
pub fn solve_with<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    limits: &Limits,
    observer: Observer<R::Move>,
    prover: &mut dyn QuestionProver<R, K>,
    facts: Option<&Table<R::Key>>,
) -> Report<R::Move> {
    solve_from(game, p, &InitialBounds::new(game), limits, observer, prover, facts)
}

/// What is known of a position before the search, and what is asked first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitialBounds {
    /// What is known: nothing is asked that it tells.
    pub known: Bounds,
    /// The question to begin with, if it is open; then those that halve what is left.
    pub first: Option<Question>,
}

impl InitialBounds {
    /// Nothing known, nothing preferred.
    pub fn new<R: Rules, K: Knowledge<R>>(game: Game<R, K>) -> InitialBounds {
        InitialBounds { known: game.values(), first: None }
    }

    /// The next question after these have been found; `None` when the value is known, or what was known is
    /// refuted.
    fn question(&self, found: Bounds) -> Option<Question> {
        let bounds = found.meet(self.known).ok()?;
        let open = |q: &Question| q.answer(bounds).is_none();
        self.first.filter(open).or_else(|| Question::halving(bounds))
    }

    /// What is known when these have been found, which alone count if they contradict what was known.
    fn with(&self, found: Bounds) -> Bounds {
        found.meet(self.known).unwrap_or(found)
    }
}

/// The same from what is known already. What was known is part of the bounds it reports, unless they contradict it.
pub fn solve_from<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    opening: &InitialBounds,
    limits: &Limits,
    observer: Observer<R::Move>,
    prover: &mut dyn QuestionProver<R, K>,
    facts: Option<&Table<R::Key>>,
) -> Report<R::Move> {
    assert!(!R::SUPERKO, "boards must not be repeated in this game: values depend on the line");
    let watch = Watch::new(limits.clone());
    let turn = game.turn(p);
    let mut bounds = game.static_bounds(p);
    // Lines for what the player to move was shown to get, and to be held to.
    let (mut kept, mut held) = (None, Vec::new());
    while let Some(question) = opening.question(bounds) {
        let view = QuestionView::new(game, question);
        let run = ProverRun { watch: &watch, observer, known: bounds, facts };
        let Some(QuestionAnswer { numbers, line }) = prover.ask(&view, p, &run) else { break };
        let seen = bounds.seen_by(turn);
        let found = match numbers.solved() {
            Some(true) => Bounds { lo: numbers.value, ..seen },
            Some(false) => Bounds { hi: numbers.value, ..seen },
            None => unreachable!("an answer is solved"),
        };
        bounds = match bounds.meet(found.seen_by(turn)) {
            Ok(both) => both,
            Err(error) => panic!("{error}, at {:?}", p),
        };
        match numbers.solved() {
            Some(true) => kept = Some(line),
            _ => held = line,
        }
    }
    let own = bounds.seen_by(turn).lo;
    let bounds = opening.with(bounds);
    let solved = bounds.is_exact();
    let seen = bounds.seen_by(turn);
    // Where values depend on the line, a child by itself says nothing.
    let path_dependent = R::CYCLIC && game.repetition().fixed().is_none();
    let promised = own == seen.lo && own != game.values().seen_by(turn).lo;
    if solved && !path_dependent && kept.is_none() && promised {
        let run = ProverRun { watch: &watch, observer, known: bounds, facts };
        kept = keeping(game, p, seen.lo, &run, prover).map(|m| vec![m]);
    }
    let line = match kept {
        // What was proved binds what looks good to the last question.
        Some(line) if !solved => line.into_iter().take(1).collect(),
        None if !solved => open_choice(game, p, own, prover.promising()).into_iter().collect(),
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

/// What to play where the value is open, and nothing but static bounds says that the player to move gets at least `lo`.
fn open_choice<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    lo: Value,
    favourite: Option<R::Move>,
) -> Option<R::Move> {
    let turn = game.turn(p);
    let mut list = MoveList::new();
    if game.outcome(p).is_none() {
        game.moves(p, &mut list);
    }
    let known = |m| (m, game.static_bounds(&game.play(p, m)).seen_by(turn));
    choice(list.iter().map(known), lo, game.values().seen_by(turn).lo, favourite)
}

/// A move with which the player to move keeps a value that the static bounds of `p` promise it: they do not
/// say how.
fn keeping<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    value: Value,
    run: &ProverRun<R>,
    prover: &mut dyn QuestionProver<R, K>,
) -> Option<R::Move> {
    if game.outcome(p).is_some() {
        return None;
    }
    let at_least = match game.turn(p) {
        Player::First => value,
        Player::Second => 1 - value,
    };
    let view = QuestionView::new(game, Question { at_least });
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    let judged = |m: R::Move| view.judge(&game.play(p, m)).map(|numbers| numbers.solved());
    let open = || list.iter().filter(|&m| judged(m).is_none());
    let mut wins = |m: &R::Move| {
        let answer = prover.ask(&view, &game.play(p, *m), run);
        answer.is_some_and(|a| a.numbers.solved() == Some(false))
    };
    list.iter().find(|&m| judged(m) == Some(Some(false))).or_else(|| open().find(|m| wins(m)))
}

/// The settings of a prover that begins every question from nothing.
pub trait ProverConfig<R: Rules, K: Knowledge<R>> {
    /// The prover.
    type Prover: QuestionProver<R, K>;

    /// One for a line that went through these positions, oldest first.
    fn prover(&self, past: &[R::Position]) -> Self::Prover;
}

/// An engine of provers that begin every question from nothing: pns, pn2 and pp.
pub struct Forgetful<'g, R: Rules, K: Knowledge<R>, C> {
    game: Game<'g, R, K>,
    config: C,
}

impl<'g, R: Rules, K: Knowledge<R>, C: ProverConfig<R, K>> Forgetful<'g, R, K, C> {
    /// An engine for a game.
    #[must_use]
    pub fn new(game: Game<'g, R, K>, config: C) -> Self {
        Forgetful { game, config }
    }
}

impl<R: Rules, K: Knowledge<R>, C: ProverConfig<R, K>> Engine<R> for Forgetful<'_, R, K, C> {
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move> {
        let mut prover = self.config.prover(task.past);
        solve(self.game, task.position, task.limits, observer, &mut prover)
    }

    fn is_forgetful(&self) -> bool {
        true
    }
}
