//! The numbers of a leaf, before anything below it was looked at.
//!
//! One and one is what the definition asks for. But a leaf with many moves takes more to disprove for the player
//! to move, and a move that the game thinks little of takes more to prove for the player who makes it:
//! numbers that say so from the start (df-pn+, Nagai 2002) save the search from finding out at every leaf.

use super::numbers::{MOST, Number, Numbers};
use zermelo_game::{Game, Knowledge, MoveList, Rules};

/// How leaves start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Leaf {
    /// With one and one.
    #[default]
    One,
    /// With one, and the number of moves of the player to move: so many have to fail (Allis 1994).
    Mobility,
    /// As the game says ([`Game::leaf_numbers`]); with one and one where it says nothing.
    Own,
}

/// The numbers of a leaf, seen by the player to move. So many moves stand before the one that led there.
#[inline(always)]
pub fn leaf_numbers<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    place: u32,
    leaf: Leaf,
) -> Numbers {
    let (phi, delta) = match leaf {
        Leaf::One => (1, 1),
        Leaf::Mobility => (1, mobility(game, p)),
        Leaf::Own => own(game, p, place),
    };
    Numbers::open(phi, delta)
}

/// What the game says. A function of its own, as a pair comes back in registers: what a game returns is wider, and to
/// read it from where it was just written in parts made processors wait, for a tenth of the time of a search.
#[inline(never)]
fn own<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    place: u32,
) -> (Number, Number) {
    let (phi, delta) = game.leaf_numbers(p, place).unwrap_or((1, 1));
    (phi.clamp(1, MOST), delta.clamp(1, MOST))
}

/// The number of moves.
#[inline(never)]
fn mobility<R: Rules, K: Knowledge<R>>(game: Game<R, K>, p: &R::Position) -> Number {
    let mut list = MoveList::new();
    if game.outcome(p).is_none() {
        game.moves(p, &mut list);
    }
    (list.len() as u32).clamp(1, MOST)
}
