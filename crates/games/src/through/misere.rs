//! What can be said of the misere game without search: who has only moves to the far row has lost,
//! and otherwise those moves are left out.

use super::{Move, Steps, Through};
use crate::stones::Stones;
use zermelo_game::{Key, MoveList, Value};

impl<S: Steps, K: Key> Through<S, K> {
    /// +1 if the player to move certainly wins, -1 if it certainly loses, 0 if nothing is known.
    /// Decides every position in which the game is over.
    #[inline(always)]
    pub(super) fn judge_misere(&self, up: bool, p: &Stones) -> Value {
        let far = self.far[usize::from(up)];
        if p.you & self.far[usize::from(!up)] != 0 {
            return 1;
        }
        if p.me & far != 0 {
            return -1;
        }
        let ends = self.reach(up, p.me, p.you);
        if ends == 0 {
            return 1;
        }
        if ends & !far == 0 { -1 } else { 0 }
    }

    /// The moves to look at where [`judge_misere`](Self::judge_misere) says nothing: those that do
    /// not lose at once.
    #[inline(always)]
    pub(super) fn useful_misere(&self, up: bool, p: &Stones, out: &mut MoveList<Move>) {
        let far = self.far[usize::from(up)];
        self.list(up, p, !far, out, |_, _, takes| i32::from(takes));
    }
}
