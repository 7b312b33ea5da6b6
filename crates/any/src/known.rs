//! What is known of a position and of its moves without any search: by the rules, by what the game knows of itself, and
//! from its database.

use crate::database::Asked;
use crate::tone;
use zermelo_game::{Bounds, Footprint, Game, Player, Tone};

/// Where knowledge comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The game is over.
    Rules,
    /// The game's own knowledge, which has a proof in words.
    Theory,
    /// The database.
    Database,
}

impl Source {
    /// A word for reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Source::Rules => "rules",
            Source::Theory => "theory",
            Source::Database => "database",
        }
    }
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// Its value.
    pub bounds: Bounds,
    /// Plies to the end of the game, where the database tells.
    pub distance: Option<u32>,
    /// Where this comes from; `None` where nothing is known.
    pub source: Option<Source>,
}

/// What is known of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToldMove {
    /// The move.
    pub mv: String,
    /// Where it happens in the picture.
    pub place: Option<Footprint>,
    /// The position after it.
    pub after: String,
    /// What is known of that.
    pub known: Told,
    /// The same in a word, for the player who makes the move.
    pub tone: Tone,
}

/// What is known of a position and of each of its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The position.
    pub known: Told,
    /// Its moves, in the game's own order.
    pub moves: Vec<ToldMove>,
}

/// What is known of a position by itself. Where a database contradicts the game's own knowledge, one of them is wrong and
/// nothing is told.
pub(crate) fn known<G: Game>(game: &G, database: Option<&dyn Asked<G>>, p: &G::Position) -> Told {
    if let Some(value) = game.outcome(p) {
        let (bounds, source) = (Bounds::exact(value), Some(Source::Rules));
        return Told { bounds, distance: Some(0), source };
    }
    let all = game.values();
    let own = game.static_bounds(p);
    let look = |database: &dyn Asked<G>| match database.look(game, p) {
        Ok(kept) => (kept.bounds, kept.distance),
        // Where a file is damaged nothing is known, and the damage is remembered.
        Err(_) => (database.probe(game, p), None),
    };
    let (told, distance) = database.map_or((all, None), look);
    let Ok(bounds) = own.meet(told) else {
        return Told { bounds: all, distance: None, source: None };
    };
    let source = match () {
        () if told.is_exact() || told != all && told == bounds => Some(Source::Database),
        () if own != all => Some(Source::Theory),
        () => None,
    };
    Told { bounds, distance, source }
}

/// What the moves of a position say of it: it is worth its best move, to the player who makes it.
pub(crate) fn with_moves(known: Told, moves: &[ToldMove], turn: Player) -> Told {
    let seen = |m: &ToldMove| m.known.bounds.seen_by(turn);
    let (Some(lo), Some(hi)) =
        (moves.iter().map(|m| seen(m).lo).max(), moves.iter().map(|m| seen(m).hi).max())
    else {
        return known;
    };
    let Ok(bounds) = known.bounds.meet(Bounds::new(lo, hi).seen_by(turn)) else { return known };
    if bounds == known.bounds {
        return known;
    }
    let best = moves.iter().find(|m| seen(m).lo == lo && m.known.source.is_some());
    let source = best.and_then(|m| m.known.source).map_or(Source::Theory, |source| match source {
        Source::Rules => Source::Theory,
        source => source,
    });
    Told { bounds, source: Some(source), ..known }
}

/// A move with what is known of it.
pub(crate) fn known_move<G: Game>(
    game: &G,
    database: Option<&dyn Asked<G>>,
    p: &G::Position,
    m: G::Move,
) -> ToldMove {
    let next = game.play(p, m);
    let known = known(game, database, &next);
    ToldMove {
        mv: game.move_text(p, m),
        place: game.footprint(p, m),
        after: game.position_text(&next),
        tone: tone(known.bounds, game.turn(p)),
        known,
    }
}
