//! What a checker may ask of a game: the rules, and which positions are the same.
//!
//! [`Game`] also offers solvers knowledge: bounds, relevant moves, normal forms. None of it can be reached
//! through [`Rules`], so no check can rest on it.

use zermelo_game::{Bounds, Game, MoveList, ParseError, Player, Repetition, Value};

/// The rules of a game, and nothing else of it.
pub struct Rules<'g, G>(&'g G);

impl<G> Clone for Rules<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Rules<'_, G> {}

impl<'g, G: Game> Rules<'g, G> {
    /// The rules of a game.
    #[must_use]
    pub fn of(game: &'g G) -> Rules<'g, G> {
        Rules(game)
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn turn(&self, p: &G::Position) -> Player {
        self.0.turn(p)
    }

    /// The values that games can have.
    #[must_use]
    pub fn values(&self) -> Bounds {
        self.0.values()
    }

    /// The value, if the game is over.
    #[inline]
    #[must_use]
    pub fn outcome(&self, p: &G::Position) -> Option<Value> {
        self.0.outcome(p)
    }

    /// All legal moves of a position that is not over, in the order the format counts them.
    #[must_use]
    pub fn moves(&self, p: &G::Position) -> MoveList<G::Move> {
        let mut list = MoveList::new();
        self.0.moves(p, &mut list);
        list
    }

    /// The value, if the game is over; otherwise the moves take the place of what is in the list.
    #[inline]
    pub fn expand(&self, p: &G::Position, out: &mut MoveList<G::Move>) -> Option<Value> {
        out.clear();
        self.0.expand(p, out)
    }

    /// The position after a move.
    #[inline]
    #[must_use]
    pub fn play(&self, p: &G::Position, m: G::Move) -> G::Position {
        self.0.play(p, m)
    }

    /// A number that a position shares with its images under the symmetries of the game, and with no
    /// other.
    #[inline]
    #[must_use]
    pub fn class(&self, p: &G::Position) -> G::Key {
        self.0.class(p)
    }

    /// A number that no other position has.
    #[inline]
    #[must_use]
    pub fn key(&self, p: &G::Position) -> G::Key {
        self.0.key(p)
    }

    /// What may not come back, where boards may not.
    #[inline]
    #[must_use]
    pub fn board(&self, p: &G::Position) -> u64 {
        self.0.board(p)
    }

    /// The board before, where the position tells it.
    #[must_use]
    pub fn board_before(&self, p: &G::Position) -> Option<u64> {
        self.0.board_before(p)
    }

    /// What becomes of play that comes back to a position; `None` where none can.
    #[must_use]
    pub fn repetition(&self) -> Option<Repetition> {
        G::CYCLIC.then(|| self.0.repetition())
    }

    /// The position a text describes.
    pub fn parse(&self, text: &str) -> Result<G::Position, ParseError> {
        self.0.parse_position(text)
    }

    /// A position as text.
    #[must_use]
    pub fn text(&self, p: &G::Position) -> String {
        self.0.position_text(p)
    }

    /// A move as text.
    #[must_use]
    pub fn move_text(&self, p: &G::Position, m: G::Move) -> String {
        self.0.move_text(p, m)
    }
}
