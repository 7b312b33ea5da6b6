//! What the rules say where a line of play repeats one of its own positions.
//!
//! Only a fixed value leaves a position a value of its own. Under every other rule the value of a position
//! depends on the positions that led to it (the graph-history interaction, Palay 1983, Campbell
//! 1985), and a solver must know its line.

use crate::{Bounds, Player, Value};

/// The rule for a line that repeats one of its own positions, turn included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// The line ends with this value.
    Worth(Value),
    /// The line ends, with the worst value for the player who made the last move.
    Loses,
    /// The line ends, with the best value for the first player if each player has made an odd number of
    /// moves since the position stood before, and for the second if even. (As turns alternate both
    /// have made the same number, half the plies of the cycle.)
    Parity,
    /// The move is not allowed. A line in which a player is left without a move ends with this
    /// value. (Where such a player is to lose, the rule is [`Loses`](Self::Loses) in other words: a
    /// move that may not be made and one that loses at once are then worth the same.)
    Forbidden(Value),
    /// The line ends with what the position is worth as it stands, [`Rules::standing`](crate::Rules::standing): what
    /// was won stays won, the rest is shared. Solvers treat it as they do the rules whose value depends on the line.
    Stands,
}

impl Repetition {
    /// The value of every repetition, if that is the rule: then positions have values of their own.
    #[must_use]
    #[inline(always)]
    pub const fn fixed(self) -> Option<Value> {
        match self {
            Repetition::Worth(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a line that comes back, after so many plies, to a position where it is the turn of
    /// `turn`, in a game with these values; `None` if the last move is not allowed. `standing` is what the position
    /// is worth as it stands.
    #[must_use]
    #[inline]
    pub fn value(
        self,
        values: Bounds,
        turn: Player,
        plies: usize,
        standing: impl FnOnce() -> Value,
    ) -> Option<Value> {
        let best_for = |player: Player| match player {
            Player::First => values.hi,
            Player::Second => values.lo,
        };
        match self {
            Repetition::Worth(value) => Some(value),
            // The other player moved last.
            Repetition::Loses => Some(best_for(turn)),
            Repetition::Parity if plies / 2 % 2 == 1 => Some(best_for(Player::First)),
            Repetition::Parity => Some(best_for(Player::Second)),
            Repetition::Forbidden(_) => None,
            Repetition::Stands => Some(standing()),
        }
    }

    /// The value where a player has no move left that is allowed; `None` where all moves are.
    #[must_use]
    #[inline]
    pub const fn stuck(self) -> Option<Value> {
        match self {
            Repetition::Forbidden(value) => Some(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_cycle() {
        let values = Bounds::new(-3, 2);
        let value = |rule: Repetition, turn, plies| rule.value(values, turn, plies, || 1);
        for plies in [2, 4, 6] {
            assert_eq!(value(Repetition::Worth(1), Player::First, plies), Some(1));
            assert_eq!(value(Repetition::Loses, Player::First, plies), Some(2));
            assert_eq!(value(Repetition::Loses, Player::Second, plies), Some(-3));
            let parity = if plies == 4 { -3 } else { 2 };
            assert_eq!(value(Repetition::Parity, Player::First, plies), Some(parity));
            assert_eq!(value(Repetition::Parity, Player::Second, plies), Some(parity));
            assert_eq!(value(Repetition::Forbidden(0), Player::First, plies), None);
            assert_eq!(value(Repetition::Stands, Player::First, plies), Some(1));
        }
        assert_eq!(Repetition::Forbidden(0).stuck(), Some(0));
        assert_eq!(Repetition::Worth(0).stuck(), None);
    }
}
