//! Bounds and move order.

use super::strips::{SHARES, Shares, Strips, TEMP, TEMPS, Walls};
use super::{Domineering, Domino, Position, Way, usable};
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Game, Grid, Key, MoveList, Value};

/// Sums of walls: lanes as in [`Walls`], the second half with one left wall in place of a right one.
type Sum = [i16; 2 * TEMPS];

/// The best sums for each share of a row.
type Sums = ArrayVec<Sum, SHARES>;

const ZERO: Sum = [0; 2 * TEMPS];
const WORST: Sum = [i16::MIN / 4; 2 * TEMPS];

#[inline(always)]
fn max(a: Sum, b: Sum) -> Sum {
    let mut out = ZERO;
    for k in 0..2 * TEMPS {
        out[k] = a[k].max(b[k]);
    }
    out
}

/// The sum with one more strip.
#[inline(always)]
fn plus(sum: Sum, walls: Walls) -> Sum {
    let mut out = ZERO;
    for k in 0..TEMPS {
        out[k] = sum[k] + i16::from(walls[k]);
        out[TEMPS + k] =
            (sum[TEMPS + k] + i16::from(walls[k])).max(sum[k] + i16::from(walls[TEMPS + k]));
    }
    out
}

/// Two sums over different strips together.
#[inline(always)]
fn join(a: Sum, b: Sum) -> Sum {
    let mut out = ZERO;
    for k in 0..TEMPS {
        out[k] = a[k] + b[k];
        out[TEMPS + k] = (a[TEMPS + k] + b[k]).max(a[k] + b[TEMPS + k]);
    }
    out
}

/// The board as the owner of upright dominoes sees it.
#[derive(Clone, Copy)]
struct Side<'g, B> {
    grid: &'g Grid<B>,
    strips: &'static Strips,
    free: B,
}

impl<B: Bits> Side<'_, B> {
    #[inline(always)]
    fn row_of(&self, free: B, row: u32) -> u16 {
        let w = self.grid.cols();
        (free >> (row * w)).wide() as u16 & ((1 << w) - 1)
    }

    #[inline(always)]
    fn row(&self, row: u32) -> u16 {
        self.row_of(self.free, row)
    }

    /// From the best sums below a row to those below the next.
    #[inline(always)]
    fn up(&self, sums: &Sums, shares: &Shares, next: u16) -> Sums {
        let mut out = Sums::new();
        for &share in self.strips.shares(next) {
            let mut best = WORST;
            for (&sum, &lower) in sums.iter().zip(shares) {
                best = max(best, plus(sum, self.strips.walls(lower, next & !share)));
            }
            out.push(best);
        }
        out
    }

    /// From the best sums above a row to those above the row before.
    #[inline(always)]
    fn down(&self, sums: &Sums, row: u16, before: u16) -> Sums {
        let mut out = Sums::new();
        let shares = self.strips.shares(row);
        for &share in self.strips.shares(before) {
            let mut best = WORST;
            for (&sum, &upper) in sums.iter().zip(shares) {
                best = max(best, plus(sum, self.strips.walls(share, row & !upper)));
            }
            out.push(best);
        }
        out
    }

    #[inline(always)]
    fn bottom(&self, row: u16) -> Sums {
        let mut out = Sums::new();
        for &share in self.strips.shares(row) {
            out.push(plus(ZERO, self.strips.walls(0, row & !share)));
        }
        out
    }

    #[inline(always)]
    fn top(&self, row: u16) -> Sums {
        let mut out = Sums::new();
        for &share in self.strips.shares(row) {
            out.push(plus(ZERO, self.strips.walls(share, 0)));
        }
        out
    }

    #[inline(always)]
    fn meet(below: &Sums, above: &Sums) -> Sum {
        below.iter().zip(above).fold(WORST, |best, (&a, &b)| max(best, join(a, b)))
    }

    fn total(&self) -> Sum {
        let mut row = self.row(0);
        let mut sums = self.bottom(row);
        for r in 1..self.grid.rows() {
            let next = self.row(r);
            sums = self.up(&sums, self.strips.shares(row), next);
            row = next;
        }
        Self::meet(&sums, &self.top(row))
    }

    fn all_below(&self) -> ArrayVec<Sums, 16> {
        let mut out = ArrayVec::new();
        out.push(self.bottom(self.row(0)));
        for r in 1..self.grid.rows() {
            let next = self.up(&out[r as usize - 1], self.strips.shares(self.row(r - 1)), self.row(r));
            out.push(next);
        }
        out
    }

    /// In falling order of rows.
    fn all_above(&self) -> ArrayVec<Sums, 16> {
        let mut out = ArrayVec::new();
        let n = self.grid.rows();
        out.push(self.top(self.row(n - 1)));
        for r in (0..n - 1).rev() {
            let next = self.down(&out[(n - 2 - r) as usize], self.row(r + 1), self.row(r));
            out.push(next);
        }
        out
    }

    /// The total when the rows from `from` on, `n` of them, are replaced by those of `free`.
    #[inline(always)]
    fn changed<const N: usize>(
        &self,
        below: &ArrayVec<Sums, 16>,
        above: &ArrayVec<Sums, 16>,
        free: B,
        from: u32,
    ) -> Sum {
        let rows = self.grid.rows();
        let mut row = self.row_of(free, from);
        let mut sums = if from == 0 {
            self.bottom(row)
        } else {
            self.up(&below[from as usize - 1], self.strips.shares(self.row(from - 1)), row)
        };
        for r in from + 1..from + N as u32 {
            let next = self.row_of(free, r);
            sums = self.up(&sums, self.strips.shares(row), next);
            row = next;
        }
        let last = from + N as u32 - 1;
        if last + 1 == rows {
            Self::meet(&sums, &self.top(row))
        } else {
            let next = self.row(last + 1);
            let sums = self.up(&sums, self.strips.shares(row), next);
            Self::meet(&sums, &above[(rows - 2 - last) as usize])
        }
    }
}

#[inline(always)]
fn wins_second(sum: &Sum) -> bool {
    (0..TEMPS).any(|k| sum[k] > TEMP[k])
}

#[inline(always)]
fn wins_first(sum: &Sum) -> bool {
    (0..TEMPS).any(|k| sum[TEMPS + k] > 0)
}

impl<B: Bits, K: Key> Domineering<B, K> {
    /// The sides of the player to move and of the other.
    #[inline(always)]
    fn sides(&self, p: &Position<B>) -> Option<[Side<'_, B>; 2]> {
        let upright = Side { grid: &self.grid, strips: self.strips?, free: p.rows };
        let flat = Side { grid: &self.turned, strips: self.turned_strips?, free: p.cols };
        Some(match self.way(p.turn) {
            Way::Upright => [upright, flat],
            Way::Flat => [flat, upright],
        })
    }

    pub(super) fn known(&self, p: &Position<B>) -> Bounds {
        if let Some(value) = self.outcome(p) {
            return Bounds::exact(value);
        }
        if self.misere {
            return self.values();
        }
        let Some([me, you]) = self.sides(p) else { return self.values() };
        if wins_first(&me.total()) {
            Bounds::exact(p.turn.sign())
        } else if wins_second(&you.total()) {
            Bounds::exact(-p.turn.sign())
        } else {
            self.values()
        }
    }

    pub(super) fn worth_trying(&self, p: &Position<B>, out: &mut MoveList<Domino>) -> Value {
        if self.misere {
            self.moves(p, out);
            return -1;
        }
        let Some([me, you]) = self.sides(p) else {
            self.moves(p, out);
            return -1;
        };
        let way = self.way(p.turn);
        let places = self.places(p, way);
        let mut mine: ArrayVec<Sum, 128> = ArrayVec::new();
        let (below, above) = (me.all_below(), me.all_above());
        // Places are in the order of the other's board: turned cells.
        let rows = me.grid.rows();
        for place in places.cells() {
            let (row, col) = (place % rows, place / rows);
            let cell = me.grid.at(row, col);
            let free = me.free & !(B::cell(cell) | B::cell(cell + me.grid.cols()));
            let sum = me.changed::<2>(&below, &above, usable(me.grid, free), row);
            if wins_second(&sum) {
                out.clear();
                out.push(self.domino(place, way));
                return 1;
            }
            mine.push(sum);
        }
        let (below, above) = (you.all_below(), you.all_above());
        for (place, sum) in places.cells().zip(&mine) {
            let col = place / rows;
            let free = you.free & !(B::cell(place) | B::cell(place + 1));
            let his = you.changed::<1>(&below, &above, usable(you.grid, free), col);
            if wins_first(&his) {
                continue;
            }
            let score = sum[0] + sum[1] - his[TEMPS] - his[TEMPS + 1];
            out.push_scored(self.domino(place, way), score.into());
        }
        -1
    }
}
