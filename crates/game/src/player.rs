//! The two players.

use std::fmt;

/// One of the two players. `First` moves first from the starting position; values are always
/// written from its point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Player {
    /// The player who moves first from the start; wants a large value.
    First,
    /// The other one; wants a small value.
    Second,
}

impl Player {
    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// 0 for the first player, 1 for the second: an index into tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The player of an [`index`](Self::index): 0 is `First`, anything else `Second`.
    #[must_use]
    pub const fn from_index(index: usize) -> Player {
        if index == 0 { Player::First } else { Player::Second }
    }

    /// +1 for the first player, -1 for the second: turns a value seen by this player into one
    /// seen by the first, and back.
    #[must_use]
    pub const fn sign(self) -> i16 {
        match self {
            Player::First => 1,
            Player::Second => -1,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Player::First => "first",
            Player::Second => "second",
        })
    }
}
