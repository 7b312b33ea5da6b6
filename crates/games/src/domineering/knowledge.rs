//! What can be said of a normal game without search, and in which order moves are tried.
//!
//! WORDS

use super::strips::{SHARES, Shares, Strips, TEMP, TEMPS, Walls};
use super::{Domineering, Domino, Position, Way, pairs};
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Game, Grid, Key, MoveList, Value};

/// Sums of walls, lanes as in [`Walls`]: right walls only, then with one left wall among them.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Sum([i16; 2 * TEMPS]);

const ZERO: Sum = Sum([0; 2 * TEMPS]);
const WORST: Sum = Sum([i16::MIN / 4; 2 * TEMPS]);

impl Sum {
    #[inline(always)]
    fn max(self, other: Sum) -> Sum {
        let mut out = ZERO;
        for k in 0..2 * TEMPS {
            out.0[k] = self.0[k].max(other.0[k]);
        }
        out
    }

    /// With one more strip.
    #[inline(always)]
    fn plus(self, walls: &Walls) -> Sum {
        let mut out = ZERO;
        for k in 0..2 * TEMPS {
            let keep = self.0[k] + i16::from(walls[k % TEMPS]);
            let here = self.0[k % TEMPS] + i16::from(walls[k]);
            out.0[k] = keep.max(here);
        }
        out
    }

    /// Two sums over different strips together.
    #[inline(always)]
    fn join(self, other: Sum) -> Sum {
        let mut out = ZERO;
        for k in 0..2 * TEMPS {
            let left = self.0[k] + other.0[k % TEMPS];
            let right = self.0[k % TEMPS] + other.0[k];
            out.0[k] = left.max(right);
        }
        out
    }

    /// Whether the owner of the strips wins when the other moves.
    #[inline(always)]
    fn wins_second(&self) -> bool {
        (0..TEMPS).any(|k| self.0[k] > TEMP[k])
    }

    /// Whether the owner of the strips wins when moving.
    #[inline(always)]
    fn wins_first(&self) -> bool {
        self.lead() > 0
    }

    /// How far the owner is ahead when moving.
    #[inline(always)]
    fn lead(&self) -> i16 {
        (0..TEMPS).fold(i16::MIN, |best, k| best.max(self.0[TEMPS + k]))
    }
}

/// The best sums for each share of a row.
type Layer = [Sum; SHARES];

/// The most rows of a board for which there are strips.
const MAX_ROWS: usize = 10;

/// The board as the owner of upright dominoes sees it.
#[derive(Clone, Copy)]
struct Side<'g, B> {
    grid: &'g Grid<B>,
    strips: &'static Strips,
    free: B,
}

impl<B: Bits> Side<'_, B> {
    #[inline(always)]
    fn row(&self, free: B, row: u32) -> u16 {
        let cols = self.grid.cols();
        (free >> (row * cols)).wide() as u16 & ((1 << cols) - 1)
    }

    /// The best sums of the strips below the first row.
    #[inline(always)]
    fn bottom(&self, row: u16, out: &mut Layer) {
        for (&share, out) in self.strips.shares(row).iter().zip(out) {
            *out = ZERO.plus(self.strips.walls(0, row & !share));
        }
    }

    /// The best sums of the strips above the last row.
    #[inline(always)]
    fn top(&self, row: u16, out: &mut Layer) {
        for (&share, out) in self.strips.shares(row).iter().zip(out) {
            *out = ZERO.plus(self.strips.walls(share, 0));
        }
    }

    /// From the best sums below a row to those below the next row.
    #[inline(always)]
    fn up(&self, below: &Layer, shares: &Shares, next: u16, out: &mut Layer) {
        for (&share, out) in self.strips.shares(next).iter().zip(out) {
            let mut best = WORST;
            for (&lower, sum) in shares.iter().zip(below) {
                best = best.max(sum.plus(self.strips.walls(lower, next & !share)));
            }
            *out = best;
        }
    }

    /// From the best sums above a row to those above the row before.
    #[inline(always)]
    fn down(&self, above: &Layer, row: u16, before: u16, out: &mut Layer) {
        for (&share, out) in self.strips.shares(before).iter().zip(out) {
            let mut best = WORST;
            for (&upper, sum) in self.strips.shares(row).iter().zip(above) {
                best = best.max(sum.plus(self.strips.walls(share, row & !upper)));
            }
            *out = best;
        }
    }

    #[inline(always)]
    fn meet(shares: &Shares, below: &Layer, above: &Layer) -> Sum {
        (0..shares.len()).fold(WORST, |best, i| best.max(below[i].join(above[i])))
    }

    /// The best sums below every row.
    #[inline(never)]
    fn all_below(&self, out: &mut [Layer; MAX_ROWS]) {
        let mut row = self.row(self.free, 0);
        self.bottom(row, &mut out[0]);
        for r in 1..self.grid.rows() as usize {
            let next = self.row(self.free, r as u32);
            let (done, rest) = out.split_at_mut(r);
            self.up(&done[r - 1], self.strips.shares(row), next, &mut rest[0]);
            row = next;
        }
    }

    /// The best sums above every row.
    #[inline(never)]
    fn all_above(&self, out: &mut [Layer; MAX_ROWS]) {
        let last = self.grid.rows() as usize - 1;
        let mut row = self.row(self.free, last as u32);
        self.top(row, &mut out[last]);
        for r in (0..last).rev() {
            let before = self.row(self.free, r as u32);
            let (rest, done) = out.split_at_mut(r + 1);
            self.down(&done[0], row, before, &mut rest[r]);
            row = before;
        }
    }

    /// The best sum, from the sums below the last row.
    #[inline(always)]
    fn total_of(&self, below: &[Layer; MAX_ROWS]) -> Sum {
        let last = self.grid.rows() - 1;
        let row = self.row(self.free, last);
        let mut top = [ZERO; SHARES];
        self.top(row, &mut top);
        Self::meet(self.strips.shares(row), &below[last as usize], &top)
    }

    /// The best sum.
    fn total(&self) -> Sum {
        let mut below = [[ZERO; SHARES]; MAX_ROWS];
        self.all_below(&mut below);
        self.total_of(&below)
    }

    /// The best sum after the rows `from` to `to` have become those of `free`.
    #[inline(never)]
    fn changed(
        &self,
        below: &[Layer; MAX_ROWS],
        above: &[Layer; MAX_ROWS],
        free: B,
        from: u32,
        to: u32,
    ) -> Sum {
        let strips = self.strips;
        let mut row = self.row(free, from);
        let (mut here, mut next_layer) = ([ZERO; SHARES], [ZERO; SHARES]);
        if from == 0 {
            self.bottom(row, &mut here);
        } else {
            let before = self.row(self.free, from - 1);
            self.up(&below[from as usize - 1], strips.shares(before), row, &mut here);
        }
        for r in from + 1..=to {
            let next = self.row(free, r);
            self.up(&here, strips.shares(row), next, &mut next_layer);
            (here, row) = (next_layer, next);
        }
        if to + 1 == self.grid.rows() {
            self.top(row, &mut next_layer);
            Self::meet(strips.shares(row), &here, &next_layer)
        } else {
            let next = self.row(self.free, to + 1);
            let shares = strips.shares(next);
            self.up(&here, strips.shares(row), next, &mut next_layer);
            Self::meet(shares, &next_layer, &above[to as usize + 1])
        }
    }
}

/// How promising a position is for the one who lays dominoes along the rows of this board.
#[inline(always)]
fn promise<B: Bits>(grid: &Grid<B>, free: B) -> i32 {
    let across = free & grid.south(free);
    let alone = free & !(across | grid.north(across));
    let count = |set: B| set.count() as i32;
    2 * count(pairs(grid, free)) - count(across) + 4 * count(pairs(grid, alone))
}

/// A player this far behind (in eighths of a move, with the move) hardly ever wins by its next one.
const HOPE: i16 = -12;

/// How many replies are tried statically.
const REPLIES: usize = 4;

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
            return self.known_misere(p);
        }
        let Some([me, you]) = self.sides(p) else { return self.values() };
        if me.total().wins_first() {
            Bounds::exact(p.turn.sign())
        } else if you.total().wins_second() {
            Bounds::exact(-p.turn.sign())
        } else {
            self.values()
        }
    }

    /// For boards too wide for strips: all moves, in order.
    fn worth_counting(&self, p: &Position<B>, out: &mut MoveList<Domino>) -> Value {
        let way = self.way(p.turn);
        let (grid, free) = match way {
            Way::Upright => (&self.turned, p.cols),
            Way::Flat => (&self.grid, p.rows),
        };
        for place in pairs(grid, free).cells() {
            let left = free & !(B::cell(place) | B::cell(place + 1));
            out.push_scored(self.domino(place, way), promise(grid, left));
        }
        -1
    }

    pub(super) fn worth_trying(&self, p: &Position<B>, out: &mut MoveList<Domino>) -> Value {
        if self.misere {
            return self.worth_trying_misere(p, out);
        }
        let Some([me, you]) = self.sides(p) else {
            return self.worth_counting(p, out);
        };
        let way = self.way(p.turn);
        let places = pairs(you.grid, you.free);
        if places.is_empty() {
            return -1;
        }
        let mut below = [[ZERO; SHARES]; MAX_ROWS];
        let mut above = [[ZERO; SHARES]; MAX_ROWS];
        me.all_below(&mut below);
        let lead = me.total_of(&below).lead();
        if lead > 0 {
            out.push(self.domino(places.lowest(), way));
            return 1;
        }
        let rows = me.grid.rows();
        let after = |place: u32| you.free & !(B::cell(place) | B::cell(place + 1));
        let mut tries: ArrayVec<(i32, u32), 128> = ArrayVec::new();
        let (mut best, mut best_score) = (0, i32::MIN);
        for place in places.cells() {
            let score = promise(you.grid, after(place));
            if score > best_score {
                (best, best_score) = (place, score);
            }
            tries.push((score, place));
        }
        if lead >= HOPE {
            me.all_above(&mut above);
            let wins = |place: u32| {
                let (row, col) = (place % rows, place / rows);
                let cell = me.grid.at(row, col);
                let free = me.free & !(B::cell(cell) | B::cell(cell + me.grid.cols()));
                me.changed(&below, &above, free, row, row + 1).wins_second()
            };
            let winner = if wins(best) {
                Some(best)
            } else {
                tries.iter().map(|t| t.1).find(|&place| place != best && wins(place))
            };
            if let Some(place) = winner {
                out.push(self.domino(place, way));
                return 1;
            }
        }
        you.all_below(&mut below);
        if you.total_of(&below).wins_second() {
            return -1;
        }
        you.all_above(&mut above);
        // Replies to try: what settled other moves, then the best ones had I passed.
        let mut replies: ArrayVec<u32, REPLIES> = ArrayVec::new();
        if lead < HOPE {
            let mut scores: ArrayVec<i32, REPLIES> = ArrayVec::new();
            for place in pairs(me.grid, me.free).cells() {
                let score = promise(me.grid, me.free & !(B::cell(place) | B::cell(place + 1)));
                let rank = scores.iter().take_while(|&&s| s >= score).count();
                if rank < REPLIES {
                    if replies.is_full() {
                        replies.pop();
                        scores.pop();
                    }
                    replies.insert(rank, place);
                    scores.insert(rank, score);
                }
            }
        }
        for &(score, place) in &tries {
            let row = place / rows;
            let free = after(place);
            if you.changed(&below, &above, free, row, row).wins_first() {
                continue;
            }
            let settles = |reply: u32| {
                let tall = you.grid.rows();
                let (r, c) = (reply % tall, reply / tall);
                let cell = you.grid.at(r, c);
                let cells = B::cell(cell) | B::cell(cell + you.grid.cols());
                free & cells == cells
                    && you
                        .changed(&below, &above, free & !cells, row.min(r), row.max(r + 1))
                        .wins_second()
            };
            if lead < HOPE {
                if let Some(i) = replies.iter().position(|&reply| settles(reply)) {
                    replies[..=i].rotate_right(1);
                    continue;
                }
            }
            out.push_scored(self.domino(place, way), score);
        }
        -1
    }
}
