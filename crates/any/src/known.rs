//! What is known of a position and of its moves without any search: by the rules, by what the game knows of itself, and
//! from its database.

use crate::database::Databases;
use crate::tone;
use zermelo_game::{Bounds, Footprint, Game, Player, Tone};

/// Where knowledge comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The game is over.
    Rules,
    /// The game's own knowledge, which has a proof in words.
    Theory,
    /// A database: its number among those of the game.
    Database(usize),
}

impl Source {
    /// A word for reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Source::Rules => "rules",
            Source::Theory => "theory",
            Source::Database(_) => "database",
        }
    }
}

/// What one source says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said {
    /// Who says it.
    pub source: Source,
    /// What it says of the value.
    pub bounds: Bounds,
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
    /// Two sources that cannot both be right: one of them is wrong, nobody can say which, and nothing is known.
    pub clash: Option<[Said; 2]>,
}

impl Told {
    fn nothing(all: Bounds) -> Told {
        Told { bounds: all, distance: None, source: None, clash: None }
    }
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

/// What is known of a position by itself: all sources are asked, so that a wrong one is found out.
pub(crate) fn known<G: Game>(game: &G, databases: Option<&Databases<G>>, p: &G::Position) -> Told {
    let all = game.values();
    if let Some(value) = game.outcome(p) {
        let (bounds, source) = (Bounds::exact(value), Some(Source::Rules));
        return Told { bounds, distance: Some(0), source, clash: None };
    }
    let mut told = Told::nothing(all);
    let mut heard: Vec<Said> = Vec::new();
    let mut hear = |told: &mut Told, said: Said, distance: Option<u32>| {
        match told.bounds.meet(said.bounds) {
            _ if told.clash.is_some() => {}
            Ok(bounds) if bounds != told.bounds => {
                (told.bounds, told.source) = (bounds, Some(said.source));
                told.distance = told.distance.or(distance);
            }
            Ok(_) => {}
            Err(_) => {
                // Of intervals that have nothing in common, two have nothing in common.
                let other = heard.iter().find(|other| other.bounds.meet(said.bounds).is_err());
                *told = Told::nothing(all);
                told.clash = other.map(|other| [*other, said]);
            }
        }
        heard.push(said);
    };
    for (n, known) in databases.into_iter().flat_map(|databases| databases.each(game, p)) {
        let said = Said { source: Source::Database(n), bounds: known.bounds };
        hear(&mut told, said, known.distance);
    }
    let own = game.static_bounds(p);
    if own != all {
        hear(&mut told, Said { source: Source::Theory, bounds: own }, None);
    }
    told
}

/// What the moves of a position say of it: it is worth its best move, to the player who makes it.
pub(crate) fn with_moves(known: Told, moves: &[ToldMove], turn: Player, all: Bounds) -> Told {
    let seen = |m: &ToldMove| m.known.bounds.seen_by(turn);
    let (Some(lo), Some(hi)) =
        (moves.iter().map(|m| seen(m).lo).max(), moves.iter().map(|m| seen(m).hi).max())
    else {
        return known;
    };
    let told = Bounds::new(lo, hi).seen_by(turn);
    let best = moves.iter().find(|m| seen(m).lo == lo && m.known.source.is_some());
    let source = best.and_then(|m| m.known.source).map_or(Source::Theory, |source| match source {
        Source::Rules => Source::Theory,
        source => source,
    });
    match (known.bounds.meet(told), known.source) {
        (Ok(bounds), _) if known.clash.is_some() || bounds == known.bounds => known,
        (Ok(bounds), _) => Told { bounds, source: Some(source), ..known },
        (Err(_), own) => {
            let own = Said { source: own.unwrap_or(Source::Theory), bounds: known.bounds };
            let clash = Some([own, Said { source, bounds: told }]);
            Told { clash, ..Told::nothing(all) }
        }
    }
}

/// A move with what is known of it.
pub(crate) fn known_move<G: Game>(
    game: &G,
    databases: Option<&Databases<G>>,
    p: &G::Position,
    m: G::Move,
) -> ToldMove {
    let next = game.play(p, m);
    let known = known(game, databases, &next);
    ToldMove {
        mv: game.move_text(p, m),
        place: game.footprint(p, m),
        after: game.position_text(&next),
        tone: tone(known.bounds, game.turn(p)),
        known,
    }
}
