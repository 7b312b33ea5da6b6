//! What a checker may ask of a game: the rules, and which positions are the same.
//!
//! [`Game`] also offers solvers knowledge: bounds, relevant moves, normal forms. None of it can be reached
//! through [`Rules`], so no check can rest on it. What a proof may rest on beside the rules is an endgame
//! database that its file names ([`Ends`]): play counts as over where it knows the value.

use zermelo_game::{Bounds, Game, MoveList, ParseError, Player, Repetition, Sliced, Value};

/// Knows the values of some positions; whatever it knows, it knows of all that can be reached from there. An endgame database.
pub trait Ends<G: Game>: Sync {
    /// What stands for all that it says: whoever has the same digest has the same database.
    fn digest(&self) -> &str;

    /// The value of a position, if it is known. Damage is no knowledge.
    fn value(&self, p: &G::Position) -> Option<Value>;
}

/// One who has databases.
pub trait Library {
    /// What there is for a game; in words, why there is nothing.
    fn of<'d, G: Sliced>(&'d self, game: &'d G) -> Result<Box<dyn Ends<G> + 'd>, String>;
}

/// The rules of a game, and nothing else of it but perhaps a database.
pub struct Rules<'g, G: Game> {
    game: &'g G,
    ends: Option<&'g dyn Ends<G>>,
}

impl<G: Game> Clone for Rules<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Rules<'_, G> {}

impl<'g, G: Game> Rules<'g, G> {
    /// The rules of a game.
    #[must_use]
    pub fn of(game: &'g G) -> Rules<'g, G> {
        Rules { game, ends: None }
    }

    /// The rules of a game that counts as over where its value is known.
    #[must_use]
    pub fn with(game: &'g G, ends: Option<&'g dyn Ends<G>>) -> Rules<'g, G> {
        Rules { game, ends }
    }

    /// Whether play is over here by a database and not by the rules; it is over.
    #[must_use]
    pub fn is_entry(&self, p: &G::Position) -> bool {
        self.ends.is_some() && self.game.outcome(p).is_none()
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn turn(&self, p: &G::Position) -> Player {
        self.game.turn(p)
    }

    /// The values that games can have.
    #[must_use]
    pub fn values(&self) -> Bounds {
        self.game.values()
    }

    /// The value, if the game is over.
    #[inline]
    #[must_use]
    pub fn outcome(&self, p: &G::Position) -> Option<Value> {
        self.game.outcome(p).or_else(|| self.ends?.value(p))
    }

    /// All legal moves of a position that is not over, in the order the format counts them.
    #[must_use]
    pub fn moves(&self, p: &G::Position) -> MoveList<G::Move> {
        let mut list = MoveList::new();
        self.game.moves(p, &mut list);
        list
    }

    /// The value, if the game is over; otherwise the moves take the place of what is in the list.
    #[inline]
    pub fn expand(&self, p: &G::Position, out: &mut MoveList<G::Move>) -> Option<Value> {
        out.clear();
        if let Some(value) = self.ends.and_then(|ends| ends.value(p)) {
            return Some(value);
        }
        self.game.expand(p, out)
    }

    /// The position after a move.
    #[inline]
    #[must_use]
    pub fn play(&self, p: &G::Position, m: G::Move) -> G::Position {
        self.game.play(p, m)
    }

    /// A number that a position shares with its images under the symmetries of the game, and with no
    /// other.
    #[inline]
    #[must_use]
    pub fn class(&self, p: &G::Position) -> G::Key {
        self.game.class(p)
    }

    /// A number that no other position has.
    #[inline]
    #[must_use]
    pub fn key(&self, p: &G::Position) -> G::Key {
        self.game.key(p)
    }

    /// What may not come back, where boards may not.
    #[inline]
    #[must_use]
    pub fn board(&self, p: &G::Position) -> u64 {
        self.game.board(p)
    }

    /// The board before, where the position tells it.
    #[must_use]
    pub fn board_before(&self, p: &G::Position) -> Option<u64> {
        self.game.board_before(p)
    }

    /// What becomes of play that comes back to a position; `None` where none can.
    #[must_use]
    pub fn repetition(&self) -> Option<Repetition> {
        G::CYCLIC.then(|| self.game.repetition())
    }

    /// The position a text describes.
    pub fn parse(&self, text: &str) -> Result<G::Position, ParseError> {
        self.game.parse_position(text)
    }

    /// A position as text.
    #[must_use]
    pub fn text(&self, p: &G::Position) -> String {
        self.game.position_text(p)
    }

    /// A move as text.
    #[must_use]
    pub fn move_text(&self, p: &G::Position, m: G::Move) -> String {
        self.game.move_text(p, m)
    }
}
