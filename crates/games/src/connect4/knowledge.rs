//! What can be said of a Connect Four position without search.

use super::{Connect4, Position};
use zermelo_game::{Bits, Bounds, Game, MoveList, Value};

impl<const ROWS: u32> Connect4<ROWS> {
    /// The number of lines of four through each cell.
    pub(super) fn lines_through(&self) -> [u8; 64] {
        let mut count = [0; 64];
        let s = self.stride();
        for cell in self.cells.cells() {
            for step in [1, s - 1, s, s + 1] {
                let line = (0..4).fold(0u128, |l, i| l | 1 << (cell + i * step));
                if line & !u128::from(self.cells) == 0 {
                    line.cells().for_each(|c| count[c as usize] += 1);
                }
            }
        }
        count
    }

    /// The cells that would complete four in a row with three of these stones, on the board or
    /// not, empty or not: a cell of `stones` itself is among them exactly if it is in a four.
    #[inline(always)]
    pub(super) fn completions(&self, stones: u64) -> u64 {
        let s = self.stride();
        let mut found = (stones << 1) & (stones << 2) & (stones << 3);
        for step in [s - 1, s, s + 1] {
            let above = (stones << step) & (stones << (2 * step));
            found |= above & ((stones << (3 * step)) | (stones >> step));
            let below = (stones >> step) & (stones >> (2 * step));
            found |= below & ((stones >> (3 * step)) | (stones << step));
        }
        found
    }

    #[inline(always)]
    pub(super) fn known(&self, p: &Position) -> Bounds {
        let sign = self.turn(p).sign();
        let you = p.you();
        let threats = self.completions(you);
        if self.has_four(you) {
            return Bounds::exact(-sign);
        }
        if p.all == self.cells {
            return Bounds::exact(0);
        }
        let landings = self.landings(p.all);
        if self.completions(p.me) & landings != 0 {
            return Bounds::exact(sign);
        }
        if self.safe(landings, threats) == 0 {
            return Bounds::exact(-sign);
        }
        Bounds::new(-1, 1)
    }

    /// The landings that do not lose at once.
    #[inline(always)]
    fn safe(&self, landings: u64, threats: u64) -> u64 {
        let forced = landings & threats;
        let must = if forced == 0 {
            landings
        } else if forced & (forced - 1) == 0 {
            forced
        } else {
            0
        };
        must & !((threats & self.cells) >> 1)
    }

    #[inline(always)]
    pub(super) fn list(&self, p: &Position, out: &mut MoveList<u8>) -> Value {
        let threats = self.completions(p.you());
        for cell in self.safe(self.landings(p.all), threats).cells() {
            out.push_scored(cell as u8, 0);
        }
        -1
    }
}
