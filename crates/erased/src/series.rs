//! Many positions of one game, one after the other, by the same engine: its tables are allocated once, and what they hold of
//! one position helps with the next.
//!
//! What was searched before changes how a position is solved (its nodes, and which of several moves that keep the
//! value is named), never its value. A [cold](Series::cold) series forgets everything in between: it answers as if each position
//! were asked about alone.

use crate::{AnyGame, AnySession, SharedTables, open_session};
use zermelo_game::ParseError;

/// A session at what a text describes: a position, or else moves from the start. The error for a text that is neither is
/// about the one that can be read further.
pub fn open_text<'g>(
    game: &'g dyn AnyGame,
    text: &str,
) -> Result<Box<dyn AnySession + 'g>, ParseError> {
    let position = match open_session(game, Some(text), None) {
        Ok((session, _)) => return Ok(session),
        Err(error) => error,
    };
    match open_session(game, None, Some(text)) {
        Ok((session, _)) => Ok(session),
        Err(moves) if moves.at > position.at => Err(moves),
        Err(moves) if moves.at == position.at => {
            let expected = format!("{}; or moves: {}", position.expected, moves.expected);
            Err(ParseError { expected, ..position })
        }
        Err(_) => Err(position),
    }
}

/// Positions of a game, one after the other.
pub struct Series<'g> {
    session: Box<dyn AnySession + 'g>,
    tables: Option<SharedTables>,
    warm: bool,
}

impl<'g> Series<'g> {
    /// Each position is asked about with what was found out before.
    #[must_use]
    pub fn new(game: &'g dyn AnyGame) -> Series<'g> {
        // Where boards must not be repeated a session is more than its position.
        Series { session: game.session(), tables: None, warm: !game.features().superko }
    }

    /// Each position is asked about as if it were the only one.
    #[must_use]
    pub fn cold(game: &'g dyn AnyGame) -> Series<'g> {
        Series { session: game.session(), tables: None, warm: false }
    }

    /// From now on tables are those that others use at the same time.
    pub fn share(&mut self, tables: SharedTables) {
        self.session.share(&tables);
        self.tables = Some(tables);
    }

    /// The session to ask about a position: that of `place`.
    pub fn at(&mut self, place: Box<dyn AnySession + 'g>) -> &mut (dyn AnySession + 'g) {
        // A game that cannot read what it writes starts anew with every position.
        if !self.warm || self.session.set_position(&place.position()).is_err() {
            self.session = place;
            self.tables.iter().for_each(|tables| self.session.share(tables));
        }
        &mut *self.session
    }
}
