//! What can be said of the normal game without search.
//!
//! A *striker* is a piece in the zone from which it reaches its far row in one step. It cannot be
//! blocked: by the property that [`Steps`] demands some taking step leads there, and in a game that
//! goes on no piece of its own side stands on the far row. Hence
//!
//! 1. who is to move and has a striker wins at once;
//! 2. otherwise every enemy striker must be taken now, or it wins: two cannot both be taken, and one
//!    that no piece attacks cannot be taken at all;
//! 3. who is to move, and can put a piece into the zone where the enemy does not attack it, while no
//!    enemy striker is left after that, wins: the enemy has no striker and so does not win with
//!    its answer, cannot take the new striker, and loses to it one move later.

use super::{Move, Steps, Through};
use crate::stones::Stones;
use zermelo_game::{Bits, Key, MoveList, Value};

impl<S: Steps, K: Key> Through<S, K> {
    /// +1 if the player to move certainly wins, -1 if it certainly loses, 0 if nothing is known.
    /// Decides every position in which the game is over.
    #[inline(always)]
    pub(super) fn judge(&self, up: bool, p: &Stones) -> Value {
        let (me, you) = (p.me, p.you);
        if you & self.far[usize::from(!up)] != 0 {
            return -1;
        }
        let zone = self.zone[usize::from(up)];
        if me & (self.far[usize::from(up)] | zone) != 0 {
            return 1;
        }
        let ends = self.reach(up, me, you);
        let strikers = you & self.zone[usize::from(!up)];
        let allowed = if strikers == 0 {
            ends
        } else if strikers.without_lowest() == 0 {
            ends & strikers
        } else {
            0
        };
        if allowed == 0 {
            return -1;
        }
        Value::from(allowed & zone & !self.attacks(!up, you) != 0)
    }

    /// The moves to look at where [`judge`](Self::judge) says nothing: takes of an enemy striker if
    /// there is one (reason 2), otherwise all, captures first.
    #[inline(always)]
    pub(super) fn useful(&self, up: bool, p: &Stones, out: &mut MoveList<Move>) {
        let strikers = p.you & self.zone[usize::from(!up)];
        let allowed = if strikers == 0 { u64::MAX } else { strikers };
        self.list(up, p, allowed, out, |_, _, takes| i32::from(takes));
    }
}
