//! Bounds and move order.

use super::{Domineering, Domino, Position};
use zermelo_game::{Bits, Bounds, Game, Key, MoveList, Value};

impl<B: Bits, K: Key> Domineering<B, K> {
    pub(super) fn known(&self, p: &Position<B>) -> Bounds {
        self.outcome(p).map_or_else(|| self.values(), Bounds::exact)
    }

    pub(super) fn worth_trying(&self, p: &Position<B>, out: &mut MoveList<Domino>) -> Value {
        self.moves(p, out);
        -1
    }
}
