//! The [`Rules`] trait: what a game is.
//!
//! Three things make a game, and they are kept apart:
//!
//! - *Rules* ([`Rules`]): all that a checker of proofs trusts.
//! - *Notation* ([`Notation`](crate::Notation)): how people and files see positions and moves.
//! - *Knowledge* ([`Knowledge`](crate::Knowledge)): advice and lemmas for solvers, in a value of its own beside the rules.
//!
//! Rules never call knowledge. Rare abilities are subtraits: positions by number ([`Sliced`](crate::Sliced)), threats by
//! passing ([`Threats`]), boards that must not be repeated ([`Superko`](crate::Superko)).

use crate::{Bounds, Key, MoveList, Player, Repetition, Value};
use arrayvec::ArrayVec;
use std::fmt::Debug;

/// The symmetric images of a position, itself first.
pub type Images<P> = ArrayVec<P, 8>;

/// The rules of a two-player game of perfect information in which the players move in turn.
///
/// The value that implements this trait is the game with its parameters (board size, variant); positions are small `Copy`
/// values. Eight methods are required. Each of the others says what is lost without it. Values are always from the
/// *first* player's point of view unless a method says "for the player to move".
///
/// A whole game, one heap of counters from which the players take one to three in turn and the one
/// who takes the last wins:
///
/// ```
/// use zermelo_game::*;
///
/// struct Heap(u64);
///
/// impl Rules for Heap {
///     type Position = (u64, Player);
///     type Move = u64;
///     type Key = u64;
///
///     fn start(&self) -> (u64, Player) { (self.0, Player::First) }
///     fn turn(&self, p: &(u64, Player)) -> Player { p.1 }
///     fn outcome(&self, p: &(u64, Player)) -> Option<Value> {
///         (p.0 == 0).then_some(-p.1.sign()) // the player to move has lost
///     }
///     fn moves(&self, p: &(u64, Player), out: &mut MoveList<u64>) {
///         (1..=p.0.min(3)).for_each(|n| out.push(n));
///     }
///     fn play(&self, p: &(u64, Player), n: u64) -> (u64, Player) { (p.0 - n, p.1.other()) }
///     fn key(&self, p: &(u64, Player)) -> u64 { p.0 * 2 + p.1.index() as u64 }
///     fn code(&self, n: u64) -> usize { n as usize }
///     fn codes(&self) -> usize { 4 }
/// }
///
/// impl Notation for Heap {} // the defaults will do to begin with
///
/// conformance::check(&Heap(21), &()); // every law, on random games; `()` is no knowledge
/// ```
pub trait Rules: Send + Sync + 'static {
    /// A position, with whose turn it is. Small and `Copy`: a few machine words.
    type Position: Copy + Eq + Debug + Send + Sync + 'static;
    /// A move. Often a cell number.
    type Move: Copy + Eq + Debug + Send + Sync + 'static;
    /// The integer that holds a key: `u64` where [`key_bits`](Self::key_bits) allows it.
    type Key: Key;

    /// Whether a position can be repeated along a line of play. If so, [`repetition`](Self::repetition) says what becomes of
    /// a line that does so.
    const CYCLIC: bool = false;

    /// Whether boards must not be repeated, so that the legal moves depend on the line of play. If so, the rules implement
    /// [`Superko`](crate::Superko), a row enables it, and solvers and checkers that do not know the line refuse the game.
    const SUPERKO: bool = false;

    // ---- Required ---------------------------------------------------------------------------

    /// The starting position.
    fn start(&self) -> Self::Position;

    /// Whose turn it is. Turns alternate: [`play`](Self::play) always hands over.
    fn turn(&self, p: &Self::Position) -> Player;

    /// The value of a position where the game is over, `None` where it goes on. A player who
    /// cannot move has lost (or whatever the rules say), so that is an outcome too.
    fn outcome(&self, p: &Self::Position) -> Option<Value>;

    /// Adds all legal moves of a position that is not over, each once; there is at least one.
    /// `out` comes empty.
    fn moves(&self, p: &Self::Position, out: &mut MoveList<Self::Move>);

    /// The position after a legal move.
    #[must_use]
    fn play(&self, p: &Self::Position, m: Self::Move) -> Self::Position;

    /// An injective encoding of the position, turn included. Two positions that a search can meet
    /// never share a key: proofs rest on it.
    fn key(&self, p: &Self::Position) -> Self::Key;

    /// A number below [`codes`](Self::codes) that tells the moves of one position apart and is the
    /// same for "the same" move in other positions. Tables of history, killers and stored best
    /// moves use it.
    fn code(&self, m: Self::Move) -> usize;

    /// One more than the largest code.
    fn codes(&self) -> usize;

    // ---- Optional: keys and symmetry ---------------------------------------------------------

    /// Keys are below 2 to this power. Fewer bits make smaller table entries. Without it: as many as the type holds.
    #[inline]
    fn key_bits(&self) -> u32 {
        Self::Key::BITS
    }

    /// [`outcome`](Self::outcome), and where the game is not over [`moves`](Self::moves) too. Without it: one
    /// after the other, which finds out twice what both need.
    #[inline]
    fn expand(&self, p: &Self::Position, out: &mut MoveList<Self::Move>) -> Option<Value> {
        let outcome = self.outcome(p);
        if outcome.is_none() {
            self.moves(p, out);
        }
        outcome
    }

    /// The position and its images under the symmetries that keep turn, moves and value.
    /// Without it: no symmetry is used; with all eight of a square, up to eight times fewer
    /// positions.
    fn images(&self, p: &Self::Position) -> Images<Self::Position> {
        let mut images = Images::new();
        images.push(*p);
        images
    }

    /// The key of one of the [`images`](Self::images), the same for all of them: what a checker of proofs
    /// remembers of a position. Without it: the smallest, which is right but slow.
    #[inline]
    fn symmetry_key(&self, p: &Self::Position) -> Self::Key {
        let own = self.key(p);
        self.images(p).iter().map(|image| self.key(image)).fold(own, Ord::min)
    }

    /// The code of the move of `p` that is, in the image with the key `symmetry_key` (that of
    /// [`symmetry_key`](Self::symmetry_key)), the one with this code. `None` where it is not at hand: who reads a strategy
    /// from a table then tries all moves. Without it: known where `p` is that image.
    #[inline]
    fn map_move_code(
        &self,
        p: &Self::Position,
        symmetry_key: Self::Key,
        code: usize,
    ) -> Option<usize> {
        (self.key(p) == symmetry_key).then_some(code)
    }

    // ---- Optional: values and repetition ---------------------------------------------------

    /// The range of possible values. Without it: -1 (second wins) to +1 (first wins).
    fn values(&self) -> Bounds {
        Bounds::new(-1, 1)
    }

    /// The rule for a line that repeats one of its own positions. Only asked where
    /// [`CYCLIC`](Self::CYCLIC) says that this can happen. Without it: a draw.
    ///
    /// Where it is not a fixed value, positions have no value of their own. Then
    /// [knowledge](crate::Knowledge) must hold after every line of play: static bounds too, all moves are candidates, every
    /// position is canonical, and only solvers that know their line can be asked.
    fn repetition(&self) -> Repetition {
        Repetition::Worth(0)
    }

    /// What a position is worth as it stands, where [`Repetition::Stands`] is the rule; the same for all positions
    /// of a cycle. Without it: nothing for either player.
    fn standing(&self, p: &Self::Position) -> Value {
        let _ = p;
        0
    }

    /// The value of a line that repeats `p` after so many plies; `None` if the last move is not allowed.
    /// Follows from the methods above.
    fn repeated(&self, p: &Self::Position, plies: usize) -> Option<Value> {
        self.repetition().value(self.values(), self.turn(p), plies, || self.standing(p))
    }
}

/// Rules that say what a pass would be, so that threats can be found out: what a player could do who moved twice.
///
/// A row of the catalogue enables it. Without it: no lambda search.
pub trait Threats: Rules {
    /// The same board with the other player to move, as if the player to move had passed. It may be a position that play never
    /// reaches, but one that all methods can handle; passing twice gives the position back. Only asked where the game is not
    /// over. `None` where it is not known. No position is ever repeated in such a game.
    fn pass(&self, p: &Self::Position) -> Option<Self::Position>;
}
