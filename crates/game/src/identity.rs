//! The identity of a game: what files and messages name to say which game their values are about. It is the full name and
//! the version of the rules, and nothing else: rules in words may be reworded at any time.

use crate::Notation;
use crate::outside::printable;
use std::fmt;

/// The version of rules that everything is about which was made before there were versions.
pub const FIRST: u32 = 1;

/// Which game, by which version of its rules.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Identity {
    /// [`Notation::full_name`].
    pub game: String,
    /// [`Notation::rules_version`].
    pub rules_version: u32,
}

impl Identity {
    /// That of a game.
    #[must_use]
    pub fn of(game: &impl Notation) -> Identity {
        Identity { game: game.full_name(), rules_version: game.rules_version() }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (rules version {})", printable(&self.game), self.rules_version)
    }
}
