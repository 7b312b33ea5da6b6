//! Distances: how many plies a win takes when the winner plays for speed and the loser resists.
//!
//! A distance belongs to a position and to the player who wins there. It is exact where a win does not depend on a repetition:
//! "can this player win within n plies?" is a question about a finite tree, as n falls with every ply, and whoever goes
//! by falling distances never repeats a position. A game whose repetitions are worth a win to a player has no distances for
//! that player.
//!
//! What a game knows about values (static bounds, candidate moves) says nothing about speed, with one exception: a position
//! that cannot be won is not won within n plies either. What it may say besides is here.

use crate::Bounds;

/// The longest distance that is told. A win that takes longer is one without a known distance.
pub const LONGEST_DISTANCE: u16 = 4000;

/// Which player makes the last move of a won game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum LastMover {
    /// It may be either.
    #[default]
    Either,
    /// The winner, always: four in a row, mate, a player without a move. Then the distance of a position is odd where
    /// the winner is to move.
    Winner,
    /// The loser, always: misere games. Then it is even there.
    Loser,
}

impl LastMover {
    /// The smallest distance from `plies` on that a win can have, at a position where the winner is to move or not.
    #[must_use]
    #[inline(always)]
    pub const fn at_least(self, plies: u16, winner_moves: bool) -> u16 {
        match self {
            LastMover::Either => plies,
            LastMover::Winner => plies + (plies & 1 ^ winner_moves as u16),
            LastMover::Loser => plies + (plies & 1 ^ !winner_moves as u16),
        }
    }

    /// The largest distance up to `plies` that a win can have there.
    #[must_use]
    #[inline(always)]
    pub const fn at_most(self, plies: u16, winner_moves: bool) -> u16 {
        let more = self.at_least(plies, winner_moves) - plies;
        plies.saturating_sub(more)
    }
}

/// What always holds of the distances of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DistanceFacts {
    /// Whether the [canonical position](crate::Knowledge::canonical) has the distance of the position, as an image has.
    /// Knowledge that clears away what no longer matters keeps the value only.
    pub canonical_keeps_distance: bool,
    /// Who makes the last move.
    pub last_mover: LastMover,
}

impl Default for DistanceFacts {
    fn default() -> Self {
        DistanceFacts { canonical_keeps_distance: true, last_mover: LastMover::Either }
    }
}

/// What a glance tells of the distance, for the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Soon {
    /// Nothing.
    Open,
    /// It wins in exactly so many plies.
    Wins(u16),
    /// It loses in exactly so many plies.
    Loses(u16),
}

/// What is known of a distance, in plies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Plies {
    /// At least so many.
    pub lo: u32,
    /// At most so many, if that is known.
    pub hi: Option<u32>,
}

impl Plies {
    /// Nothing is known.
    pub const UNKNOWN: Plies = Plies { lo: 0, hi: None };

    /// A known distance.
    #[must_use]
    pub const fn exactly(plies: u32) -> Plies {
        Plies { lo: plies, hi: Some(plies) }
    }

    /// The distance, if it is known.
    #[must_use]
    pub fn value(self) -> Option<u32> {
        self.hi.filter(|hi| *hi == self.lo)
    }

    /// The same, one ply earlier in the game.
    #[must_use]
    pub fn before(self) -> Plies {
        Plies { lo: self.lo + 1, hi: self.hi.map(|hi| hi + 1) }
    }
}

/// The player for whom `bounds` are a win, if it is settled that they are for one.
#[must_use]
pub fn winner_of(bounds: Bounds) -> Option<crate::Player> {
    bounds.winner().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_a_parity() {
        use LastMover::{Either, Loser, Winner};
        let all = |who: LastMover, moves| [0, 1, 2, 3].map(|n| who.at_least(n, moves));
        assert_eq!(all(Either, true), [0, 1, 2, 3]);
        assert_eq!(all(Winner, true), [1, 1, 3, 3]);
        assert_eq!(all(Winner, false), [0, 2, 2, 4]);
        assert_eq!(all(Loser, true), [0, 2, 2, 4]);
        assert_eq!(all(Loser, false), [1, 1, 3, 3]);
        assert_eq!([3, 4].map(|n| Winner.at_most(n, true)), [3, 3]);
        assert_eq!([3, 4].map(|n| Loser.at_most(n, true)), [2, 4]);
    }

    #[test]
    fn plies_are_known_or_not() {
        assert_eq!(Plies::exactly(4).before(), Plies::exactly(5));
        assert_eq!(Plies { lo: 3, hi: Some(4) }.value(), None);
        assert_eq!(Plies { lo: 3, hi: None }.value(), None);
        assert_eq!(Plies::exactly(7).value(), Some(7));
    }
}
