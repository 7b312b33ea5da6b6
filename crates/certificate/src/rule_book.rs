//! What a checker may ask of a game: its rules, its notation, and which positions are the same.
//!
//! A [`RuleBook`] is made of [`Rules`](zermelo_game::Rules) and [`Notation`] alone. What solvers are told beside them
//! ([`Knowledge`](zermelo_game::Knowledge): bounds, candidate moves, normal forms) is a value of its own that never gets
//! here, so that no check can depend on it. What a proof may depend on beside the rules is an endgame database that its file
//! names ([`TerminalOracle`]): play counts as over where the database knows the value.
//!
//! The rules can be asked:
//!
//! ```
//! use zermelo_certificate::RuleBook;
//! use zermelo_game::{Notation, Value};
//!
//! fn ask<R: Notation>(book: RuleBook<R>, p: &R::Position) -> Option<Value> {
//!     book.outcome(p)
//! }
//! ```
//!
//! Knowledge cannot, neither of the book nor of the rules that it was made of:
//!
//! ```compile_fail,E0599
//! use zermelo_certificate::RuleBook;
//! use zermelo_game::{Bounds, Notation};
//!
//! fn ask<R: Notation>(book: RuleBook<R>, p: &R::Position) -> Bounds {
//!     book.static_bounds(p)
//! }
//! ```
//!
//! ```compile_fail,E0599
//! use zermelo_certificate::RuleBook;
//! use zermelo_game::{Knowledge, Notation, Value};
//!
//! fn ask<R: Notation>(rules: &R, p: &R::Position, value: Value) -> Option<R::Move> {
//!     rules.proving_move(rules, p, value)
//! }
//! ```

use zermelo_game::{
    Boards, Bounds, Footprint, MoveList, Notation, ParseError, Picture, Player, Repetition,
    SuperkoRule, Value,
};

/// Knows the values of some positions; if it knows that of a position, it knows those of all that can be reached from there.
/// An endgame database.
pub trait TerminalOracle<R: Notation>: Sync {
    /// Identifies all that it says: two oracles with the same digest are the same database.
    fn digest(&self) -> &str;

    /// The value of a position, if it is known. A damaged entry is not known.
    fn value(&self, p: &R::Position) -> Option<Value>;
}

/// The rules of a game, with the rule of superko where it has one, and perhaps a database: all that a check depends on.
/// It is a few references, to be passed around by value.
pub struct RuleBook<'g, R: Notation> {
    rules: &'g R,
    superko: SuperkoRule<R>,
    database: Option<&'g dyn TerminalOracle<R>>,
}

impl<R: Notation> Clone for RuleBook<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Notation> Copy for RuleBook<'_, R> {}

impl<'g, R: Notation> RuleBook<'g, R> {
    /// The rules of a game. Which boards must not be repeated has to be said: `Some(&BySuperko)` where the rules implement
    /// [`Superko`](zermelo_game::Superko), else `None`.
    ///
    /// # Panics
    /// If that is not what the rules say of themselves ([`SUPERKO`](zermelo_game::Rules::SUPERKO)): a check that forgets the
    /// boards would accept what is false.
    #[must_use]
    pub fn new(rules: &'g R, superko: SuperkoRule<R>) -> RuleBook<'g, R> {
        assert_eq!(R::SUPERKO, superko.is_some(), "{}: superko must be told", rules.name());
        RuleBook { rules, superko, database: None }
    }

    /// The same game, which counts as over where this database, if there is one, knows the value.
    #[must_use]
    pub fn with_database(self, database: Option<&'g dyn TerminalOracle<R>>) -> RuleBook<'g, R> {
        RuleBook { database, ..self }
    }

    /// The database, if there is one.
    #[must_use]
    pub fn database(&self) -> Option<&'g dyn TerminalOracle<R>> {
        self.database
    }

    /// Which boards must not be repeated; `None` where any may. In a game with this rule positions have no values of their
    /// own, and every part of this crate treats it by itself (`superko.rs`).
    #[must_use]
    pub fn superko(&self) -> Option<BoardBook<'g, R>> {
        // The constant keeps what follows from being compiled for other games.
        if !R::SUPERKO {
            return None;
        }
        self.superko.map(|boards| BoardBook { rules: self.rules, boards })
    }

    /// Whether play is over at a position by the database and not by the rules; it is over.
    #[must_use]
    pub fn is_database_entry(&self, p: &R::Position) -> bool {
        self.database.is_some() && self.rules.outcome(p).is_none()
    }

    /// The name by which a catalogue opens the game anywhere.
    #[must_use]
    pub fn full_name(&self) -> String {
        self.rules.full_name()
    }

    /// The name with all parameters.
    #[must_use]
    pub fn name(&self) -> String {
        self.rules.name()
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn turn(&self, p: &R::Position) -> Player {
        self.rules.turn(p)
    }

    /// The values that games can have.
    #[must_use]
    pub fn values(&self) -> Bounds {
        self.rules.values()
    }

    /// The value, if the game is over.
    #[inline]
    #[must_use]
    pub fn outcome(&self, p: &R::Position) -> Option<Value> {
        self.rules.outcome(p).or_else(|| self.database?.value(p))
    }

    /// All legal moves of a position that is not over, in the order the format counts them, replace what is in the list. (It is
    /// large: a list that is returned would be copied to the caller.)
    #[inline]
    pub fn moves(&self, p: &R::Position, out: &mut MoveList<R::Move>) {
        out.clear();
        self.rules.moves(p, out);
    }

    /// The value, if the game is over; otherwise the moves replace what is in the list.
    #[inline]
    pub fn expand(&self, p: &R::Position, out: &mut MoveList<R::Move>) -> Option<Value> {
        out.clear();
        if let Some(value) = self.database.and_then(|database| database.value(p)) {
            return Some(value);
        }
        self.rules.expand(p, out)
    }

    /// The position after a move.
    #[inline]
    #[must_use]
    pub fn play(&self, p: &R::Position, m: R::Move) -> R::Position {
        self.rules.play(p, m)
    }

    /// A number that a position shares with its images under the symmetries of the game, and with no
    /// other.
    #[inline]
    #[must_use]
    pub fn symmetry_key(&self, p: &R::Position) -> R::Key {
        self.rules.symmetry_key(p)
    }

    /// A number that no other position has.
    #[inline]
    #[must_use]
    pub fn key(&self, p: &R::Position) -> R::Key {
        self.rules.key(p)
    }

    /// What becomes of a line that repeats a position; `None` where none can.
    #[must_use]
    pub fn repetition(&self) -> Option<Repetition> {
        R::CYCLIC.then(|| self.rules.repetition())
    }

    /// The position that a text describes.
    pub fn parse(&self, text: &str) -> Result<R::Position, ParseError> {
        self.rules.parse_position(text)
    }

    /// The move that a text describes.
    pub fn parse_move(&self, p: &R::Position, text: &str) -> Result<R::Move, ParseError> {
        self.rules.parse_move(p, text)
    }

    /// A position as text.
    #[must_use]
    pub fn text(&self, p: &R::Position) -> String {
        self.rules.position_text(p)
    }

    /// A move as text.
    #[must_use]
    pub fn move_text(&self, p: &R::Position, m: R::Move) -> String {
        self.rules.move_text(p, m)
    }

    /// A picture of a position.
    #[must_use]
    pub fn picture(&self, p: &R::Position) -> Picture {
        self.rules.picture(p)
    }

    /// Where a move happens in the picture, if that is known.
    #[must_use]
    pub fn footprint(&self, p: &R::Position, m: R::Move) -> Option<Footprint> {
        self.rules.footprint(p, m)
    }
}

/// The boards of a game in which none may be repeated.
pub struct BoardBook<'g, R: Notation> {
    rules: &'g R,
    boards: &'static dyn Boards<R>,
}

impl<R: Notation> Clone for BoardBook<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Notation> Copy for BoardBook<'_, R> {}

impl<R: Notation> BoardBook<'_, R> {
    /// What must not be repeated.
    #[inline]
    #[must_use]
    pub fn board(&self, p: &R::Position) -> R::Key {
        self.boards.board(self.rules, p)
    }

    /// The board before a position, where the position tells it.
    #[must_use]
    pub fn board_before(&self, p: &R::Position) -> Option<R::Key> {
        self.boards.board_before(self.rules, p)
    }
}
