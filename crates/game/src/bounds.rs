//! What is known of a position: values, honest intervals, and questions about them.

use crate::Player;
use std::fmt;

/// The value of a position from the first player's point of view. Win/loss games use -1 and +1,
/// games with draws also 0, score games a range.
pub type Value = i16;

/// What is known of a value: it lies between `lo` and `hi`, both included. Unknown is the full
/// range of the game, never a magic number.
///
/// ```
/// use zermelo_game::Bounds;
/// let at_least_a_draw = Bounds::new(0, 1);
/// let at_most_a_draw = Bounds::new(-1, 0);
/// assert_eq!(at_least_a_draw.meet(at_most_a_draw).unwrap().value(), Some(0));
/// assert!(Bounds::exact(1).meet(at_most_a_draw).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The value is at least this.
    pub lo: Value,
    /// The value is at most this.
    pub hi: Value,
}

impl Bounds {
    /// The interval from `lo` to `hi`.
    #[must_use]
    pub const fn new(lo: Value, hi: Value) -> Bounds {
        debug_assert!(lo <= hi);
        Bounds { lo, hi }
    }

    /// The interval of a known value.
    #[must_use]
    pub const fn exact(value: Value) -> Bounds {
        Bounds { lo: value, hi: value }
    }

    /// Whether only one value is left.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.lo == self.hi
    }

    /// The value, if only one is left.
    #[must_use]
    pub const fn value(self) -> Option<Value> {
        if self.is_exact() { Some(self.lo) } else { None }
    }

    /// Whether the interval holds this value.
    #[must_use]
    pub const fn contains(self, value: Value) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Both facts together. Two intervals that do not meet contradict each other: one of them was
    /// wrong, and nobody can say which.
    pub fn meet(self, other: Bounds) -> Result<Bounds, Contradiction> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        if lo <= hi { Ok(Bounds { lo, hi }) } else { Err(Contradiction(self, other)) }
    }

    /// The same knowledge as `player` sees it: unchanged for the first player, mirrored for the
    /// second. Applying it twice gives the interval back.
    #[must_use]
    pub const fn seen_by(self, player: Player) -> Bounds {
        match player {
            Player::First => self,
            Player::Second => Bounds { lo: -self.hi, hi: -self.lo },
        }
    }

    /// Who wins, if that is settled: `None` while it is open, `Some(None)` for a draw.
    #[must_use]
    pub const fn winner(self) -> Option<Option<Player>> {
        if self.lo > 0 {
            Some(Some(Player::First))
        } else if self.hi < 0 {
            Some(Some(Player::Second))
        } else if self.lo == 0 && self.hi == 0 {
            Some(None)
        } else {
            None
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "{}..{}", self.lo, self.hi),
        }
    }
}

/// Two pieces of knowledge about one position that cannot both be true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction(pub Bounds, pub Bounds);

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the value cannot lie in {} and in {}", self.0, self.1)
    }
}

impl std::error::Error for Contradiction {}

/// *Is the value at least `at_least`?* What every boolean AND/OR solver answers. An exact value is
/// one or more questions: a draw is "at least 0: yes" and "at least 1: no".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// The threshold, from the first player's point of view.
    pub at_least: Value,
}

impl Question {
    /// The question that halves what is open; `None` when the value is known.
    #[must_use]
    pub const fn halving(open: Bounds) -> Option<Question> {
        if open.is_exact() {
            None
        } else {
            Some(Question { at_least: (open.lo + open.hi).div_euclid(2) + 1 })
        }
    }

    /// The answer, if these bounds give one.
    #[must_use]
    pub const fn answer(self, known: Bounds) -> Option<bool> {
        if known.lo >= self.at_least {
            Some(true)
        } else if known.hi < self.at_least {
            Some(false)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_always_narrows() {
        for lo in -5..=5 {
            for hi in lo..=5 {
                let open = Bounds::new(lo, hi);
                match Question::halving(open) {
                    None => assert!(open.is_exact()),
                    Some(q) => {
                        assert!(lo < q.at_least && q.at_least <= hi, "{open}: {q:?}");
                        assert_eq!(q.answer(open), None);
                        assert_eq!(q.answer(Bounds::exact(q.at_least)), Some(true));
                        assert_eq!(q.answer(Bounds::exact(q.at_least - 1)), Some(false));
                    }
                }
            }
        }
    }

    #[test]
    fn seeing_twice_is_seeing_once() {
        let b = Bounds::new(-1, 3);
        assert_eq!(b.seen_by(Player::Second), Bounds::new(-3, 1));
        assert_eq!(b.seen_by(Player::Second).seen_by(Player::Second), b);
    }

    #[test]
    fn winners() {
        assert_eq!(Bounds::new(1, 5).winner(), Some(Some(Player::First)));
        assert_eq!(Bounds::new(-5, -1).winner(), Some(Some(Player::Second)));
        assert_eq!(Bounds::exact(0).winner(), Some(None));
        assert_eq!(Bounds::new(0, 1).winner(), None);
    }
}
