//! The numbers of a leaf, before anything below it was looked at.

use super::numbers::{MOST, Numbers};
use zermelo_game::{Game, MoveList};

/// How leaves start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Leaf {
    /// With one and one.
    #[default]
    One,
    /// With one, and the number of moves of the player to move: so many have to fail (Allis 1994).
    Mobility,
}

/// The numbers of a leaf, seen by the player to move.
#[inline]
pub fn leaf_numbers<G: Game>(game: &G, p: &G::Position, leaf: Leaf) -> Numbers {
    match leaf {
        Leaf::One => Numbers::ONE,
        Leaf::Mobility => {
            let mut list = MoveList::new();
            if game.outcome(p).is_none() {
                game.moves(p, &mut list);
            }
            Numbers::open(1, (list.len() as u32).clamp(1, MOST))
        }
    }
}
