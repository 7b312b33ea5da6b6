//! What is known of a position and of its moves without any search: by the rules, by theory, and from databases.

use crate::database::Databases;
use crate::tone;
use zermelo_game::boxed::{BoxShape, ByteMove, BytePosition};
use zermelo_game::{
    Bounds, Boxed, BoxedKnowledge, Evidence, Finding, Footprint, Game, Ledger, Notation, Player,
    Rules, Tone, best_of_moves,
};

/// Where evidence comes from that needs no search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StaticSource {
    /// The game is over.
    Rules,
    /// The knowledge about the game, which has a proof in words.
    Theory,
    /// A database: its number among those of the game.
    Database(usize),
}

impl StaticSource {
    /// A word for reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            StaticSource::Rules => "rules",
            StaticSource::Theory => "theory",
            StaticSource::Database(_) => "database",
        }
    }
}

/// What is known of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SurveyedMove {
    /// The move.
    pub mv: String,
    /// Where it happens in the picture.
    pub place: Option<Footprint>,
    /// The position after it.
    pub after: String,
    /// The same as one text for all positions that are the same to solvers.
    pub canonical: String,
    /// What is known of that.
    pub known: Finding<StaticSource>,
    /// The same in a word, for the player who makes the move.
    pub tone: Tone,
}

/// What is known of a position and of each of its moves without search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    /// The position.
    pub known: Finding<StaticSource>,
    /// Its text, as one for all positions that are the same to solvers.
    pub canonical: String,
    /// Its moves, in the game's own order.
    pub moves: Vec<SurveyedMove>,
}

/// What is known of a position by itself: all sources are asked, so that a wrong one is found out.
pub(crate) fn known<S: BoxShape>(
    game: Game<Boxed<S>, BoxedKnowledge<S>>,
    databases: Option<&Databases<S>>,
    p: &BytePosition<S>,
) -> Finding<StaticSource> {
    let mut ledger = Ledger::new(game.values());
    if let Some(value) = game.outcome(p) {
        ledger.enter(Evidence::new(Bounds::exact(value), StaticSource::Rules).at_distance(Some(0)));
        return ledger.finding();
    }
    for evidence in databases.into_iter().flat_map(|databases| databases.each(game.rules(), p)) {
        ledger.enter(evidence);
    }
    ledger.enter(Evidence::new(game.static_bounds(p), StaticSource::Theory));
    ledger.finding()
}

/// The same with what its moves say of it: it is worth its best move, to the player who makes it.
pub(crate) fn with_moves(
    known: Finding<StaticSource>,
    moves: &[SurveyedMove],
    turn: Player,
    all: Bounds,
) -> Finding<StaticSource> {
    let bounds = best_of_moves(turn, moves.iter().map(|m| m.known.bounds));
    let Some(bounds) = bounds.filter(|_| known.conflict.is_none()) else { return known };
    let best = |m: &&SurveyedMove| m.known.bounds.seen_by(turn).lo == bounds.seen_by(turn).lo;
    let sources = moves.iter().filter(best).filter_map(|m| m.known.source);
    let source = match sources.into_iter().next() {
        // The rules say it of the position after the move.
        None | Some(StaticSource::Rules) => StaticSource::Theory,
        Some(source) => source,
    };
    let mut ledger = Ledger::new(all);
    ledger.enter_finding(&known);
    ledger.enter(Evidence::new(bounds, source));
    ledger.finding()
}

/// A move with what is known of it.
pub(crate) fn surveyed_move<S: BoxShape>(
    game: Game<Boxed<S>, BoxedKnowledge<S>>,
    databases: Option<&Databases<S>>,
    p: &BytePosition<S>,
    m: ByteMove<S>,
) -> SurveyedMove {
    let next = game.play(p, m);
    let known = known(game, databases, &next);
    SurveyedMove {
        mv: game.move_text(p, m),
        place: game.footprint(p, m),
        after: game.position_text(&next),
        canonical: game.position_text(&game.canonical(&next)),
        tone: tone(known.bounds, game.turn(p)),
        known,
    }
}
