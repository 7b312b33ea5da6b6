//! What is remembered of a search: not only the value of the position, but of every position of its line, and what its tables
//! hold of the moves there. So the best move of a position that was solved is known, and the moves after it.

use crate::facts::{FindingCache, Subject};
use crate::library::OpenGame;
use zermelo_erased::AnySession;
use zermelo_game::{Bounds, Question, Report};

/// The most positions of a line that are remembered.
const LONGEST: usize = 400;

/// Takes down what searches of a position prove.
pub struct Recorder<'a> {
    facts: &'a FindingCache,
    game: &'a OpenGame,
    name: String,
    all: Bounds,
    own_values: bool,
    keeps_distance: bool,
    /// Where positions have no values of their own: the line of play that was searched.
    start: String,
    moves: Vec<String>,
}

impl<'a> Recorder<'a> {
    /// For searches of a position of a game. Where positions have no values of their own they are about the line of `moves` from
    /// `start`.
    #[must_use]
    pub fn new(
        facts: &'a FindingCache,
        game: &'a OpenGame,
        start: String,
        moves: Vec<String>,
    ) -> Recorder<'a> {
        Recorder {
            facts,
            game,
            name: game.name(),
            all: game.values(),
            own_values: game.has_own_values(),
            keeps_distance: game.canonical_keeps_distance(),
            start,
            moves,
        }
    }

    /// Takes down what was proved of the position of a session, so many moves after the one that the search began with.
    pub fn note(
        &self,
        session: &dyn AnySession,
        after: &[String],
        bounds: Bounds,
        distance: Option<u32>,
        nodes: u64,
    ) {
        if bounds == self.all && !bounds.is_exact() {
            return;
        }
        let subject = match self.own_values {
            true => {
                let (position, canonical) = (session.position(), session.canonical());
                Subject::position(self.keeps_distance, &position, &canonical)
            }
            false => Subject::line(&self.start, self.moves.iter().chain(after).map(String::as_str)),
        };
        self.facts.put(&self.name, &subject, bounds, distance, nodes);
    }

    /// Takes down the report about the position of a session, so many moves after the one that the search began with. The session
    /// is the one that was asked, and is as it was afterwards.
    pub fn report(&self, session: &mut dyn AnySession, after: &[String], report: &Report<String>) {
        let (bounds, nodes) = (report.bounds, report.stats.nodes);
        self.note(session, after, bounds, None, nodes);
        self.tables(session, nodes);
        if !bounds.is_exact() {
            return;
        }
        // Every position of the line has the value of the first one.
        let line = if report.line.is_empty() { report.best.as_slice() } else { &report.line };
        let mut path = after.to_vec();
        for mv in line.iter().take(LONGEST) {
            if session.play(mv).is_err() {
                break;
            }
            path.push(mv.clone());
            self.note(session, &path, bounds, None, nodes);
            self.tables(session, nodes);
        }
        for _ in after.len()..path.len() {
            session.take_back();
        }
    }

    /// Takes down what the tables hold of the moves of the session's position.
    fn tables(&self, session: &dyn AnySession, nodes: u64) {
        let Some(question) = Question::halving(self.all).filter(|_| self.own_values) else {
            return;
        };
        for child in session.child_results(question) {
            if child.bounds != self.all {
                let subject = Subject::position(true, &child.position, &child.position);
                self.facts.put(&self.name, &subject, child.bounds, None, nodes);
            }
        }
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &OpenGame {
        self.game
    }
}
