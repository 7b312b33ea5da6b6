//! Claims about values, and where the moves come from that keep them.

use crate::{Contradiction, MoveList, Player, Repetition, Rules, Value};

/// What is claimed of the value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Who keeps the claim: the first player that the value is at least `value`, the second that it is
    /// at most that.
    pub claimant: Player,
    /// The value, from the first player's point of view.
    pub value: Value,
}

impl Claim {
    /// Whether play that ends with this value keeps the claim.
    #[inline]
    #[must_use]
    pub fn is_kept_by(&self, value: Value) -> bool {
        match self.claimant {
            Player::First => value >= self.value,
            Player::Second => value <= self.value,
        }
    }

    /// Whether a strategy that keeps the claim may repeat a position for ever; `None` if that cannot
    /// be said of a position by itself.
    #[must_use]
    pub fn allows_cycles(&self, repetition: Option<Repetition>) -> Option<bool> {
        repetition.map_or(Some(true), |rule| rule.fixed().map(|value| self.is_kept_by(value)))
    }

    /// In words: `value >= 1`.
    #[must_use]
    pub fn words(&self) -> String {
        match self.claimant {
            Player::First => format!("value >= {}", self.value),
            Player::Second => format!("value <= {}", self.value),
        }
    }
}

/// A source of moves that keep one claim: what an engine supplies when it has shown that the claim holds, and what the writer
/// of a certificate asks. Nothing it says is believed: the checker of the certificate follows every line to its end.
pub trait StrategySource<R: Rules> {
    /// A move of `p`, where the claimant is to move; `None` if none keeps the claim, or the work was
    /// stopped. Its symmetry key and its moves are given, as the caller has found them out already.
    fn choose(
        &mut self,
        p: &R::Position,
        symmetry_key: R::Key,
        moves: &MoveList<R::Move>,
    ) -> Option<R::Move>;

    /// The same where boards must not be repeated: these have stood, the present one last. Without it: no move is known.
    fn choose_after(&mut self, p: &R::Position, boards: &[R::Key]) -> Option<R::Move> {
        let _ = (p, boards);
        None
    }

    /// Adds other moves that are known to keep the claim, and perhaps that one again. Without it: there are none.
    fn alternatives(&mut self, p: &R::Position, out: &mut Vec<R::Move>) {
        let _ = (p, out);
    }

    /// Proves anew, from nothing, that the claim is kept at `p`: where positions can repeat, two facts may have been proved each
    /// from the other. False if that cannot be done. Without it: it cannot.
    fn reprove(&mut self, p: &R::Position) -> bool {
        let _ = p;
        false
    }

    /// The position with this symmetry key will perhaps be asked for soon: a table can be fetched meanwhile.
    #[inline]
    fn prefetch(&mut self, p: &R::Position, symmetry_key: R::Key) {
        let _ = (p, symmetry_key);
    }

    /// Whether a limit has struck. Without it: there are none.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Positions that were searched because no table knew a move.
    fn searched(&self) -> u64 {
        0
    }

    /// Where facts contradict what was proved, if they do.
    fn contradiction(&self) -> Option<(Contradiction, R::Position)> {
        None
    }
}
