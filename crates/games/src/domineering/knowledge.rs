//! What can be said of a normal game without search, and in which order moves are tried.
//!
//! **Cutting.** A player who promises never to play across some line only hurts itself. So let the
//! owner of upright dominoes ("Left") cut the board along lines between rows: the other's dominoes
//! never cross such a line, and what remains is a sum of strips, each a small game whose walls are
//! tabulated ([`strips`](super::strips)). What Left can get from the sum, Left can get from the board.
//! On the turned board the same holds for the other player.
//!
//! The cut need not be straight. A *run* is a maximal row of free cells; each run goes with the row
//! above it or with the row below, and a line is cut wherever two runs do not go with each other.
//! A strip is made of the runs of one row that go up and those of the next that go down. The best cut
//! is found by going from row to row, keeping the best sum for each way of sharing out the runs of
//! the last row; for each temperature on its own, for each may have its own cut.
//!
//! **Deciding a sum.** At temperature t let r be the sum of the right walls, and l the same with the
//! left wall in place of the right one for one of the strips.
//!
//! - If r > t, Left wins when the other moves: after any move, in a strip whose right wall is at
//!   most the new left wall plus t, there is l > 0.
//! - If l > 0, Left wins when moving. If the left wall of the strip is above its right wall, some
//!   move there gives up no more than t: r > t afterwards. If all strips are at their masts, the
//!   same holds at the highest temperature at which some strip is not, as masts do not change up
//!   to there; and if there is none all strips are whole numbers with a sum above 0.
//!
//! By induction both hold to the end of the game, where the other is the one who cannot move. This
//! is the strategy of answering where the other has moved (*thermostrat* in *Winning Ways*), taken
//! down to temperature -1. Lachmann, Moore and Rapaport ("Who wins Domineering on rectangular
//! boards?", 2000) settle whole boards by cutting them into strips that are games of known value.
//!
//! **Sifting.** [`relevant`](zermelo_game::Game::relevant) judges all children from sums that are
//! kept below and above every row, so that a move costs the few rows that it changes. Moves are
//! ordered by how many dominoes both sides can still put, with a premium on those that nobody can
//! take away, as in Bullock's Obsequi ("Domineering: solving large combinatorial search spaces",
//! 2002).

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

    /// How far the owner is ahead when the other moves.
    #[inline(always)]
    fn margin(&self) -> i16 {
        (0..TEMPS).fold(i16::MIN, |best, k| best.max(self.0[k] - TEMP[k]))
    }

    /// Whether the owner of the strips wins when moving.
    #[inline(always)]
    fn wins_first(&self) -> bool {
        self.lead() > 0
    }

    /// The lane in which the owner is ahead most when moving.
    #[inline(always)]
    fn best_lane(&self) -> usize {
        (TEMPS..2 * TEMPS).max_by_key(|&k| self.0[k]).unwrap_or(TEMPS)
    }

    /// How far the owner is ahead when moving.
    #[inline(always)]
    fn lead(&self) -> i16 {
        (0..TEMPS).fold(i16::MIN, |best, k| best.max(self.0[TEMPS + k]))
    }
}

/// The best sums for each way to share out a row.
#[derive(Clone, Copy)]
struct Layer {
    shares: Shares,
    sums: [Sum; SHARES],
}

const NOTHING: Layer = Layer { shares: Shares::NONE, sums: [ZERO; SHARES] };

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
    /// The cells of one row.
    #[inline(always)]
    fn row(&self, free: B, row: u32) -> u16 {
        let cols = self.grid.cols();
        (free >> (row * cols)).wide() as u16 & ((1 << cols) - 1)
    }

    /// The ways to share out a row of the board.
    #[inline(always)]
    fn shares(&self, row: u32) -> Shares {
        let above = if row + 1 == self.grid.rows() { 0 } else { self.row(self.free, row + 1) };
        let below = if row == 0 { 0 } else { self.row(self.free, row - 1) };
        self.strips.shares(below, self.row(self.free, row), above)
    }

    /// The first row: the sums of the strips below, that is of what goes down.
    #[inline(always)]
    fn bottom(&self, row: u16, shares: Shares, out: &mut Layer) {
        out.shares = shares;
        for (&up, sum) in shares.ways().iter().zip(&mut out.sums) {
            *sum = ZERO.plus(self.strips.walls(0, row & !up));
        }
    }

    /// The last row: the sums of the strips above, that is of what goes up.
    #[inline(always)]
    fn top(&self, shares: Shares, out: &mut Layer) {
        out.shares = shares;
        for (&up, sum) in shares.ways().iter().zip(&mut out.sums) {
            *sum = ZERO.plus(self.strips.walls(up, 0));
        }
    }

    /// From the best sums below a row to those below the next row.
    #[inline(always)]
    fn up(&self, below: &Layer, next: u16, shares: Shares, out: &mut Layer) {
        out.shares = shares;
        for (&up, sum) in shares.ways().iter().zip(&mut out.sums) {
            let mut best = WORST;
            for (&lower, sum) in below.shares.ways().iter().zip(&below.sums) {
                best = best.max(sum.plus(self.strips.walls(lower, next & !up)));
            }
            *sum = best;
        }
    }

    /// From the best sums above a row to those above the row before.
    #[inline(always)]
    fn down(&self, above: &Layer, row: u16, shares: Shares, out: &mut Layer) {
        out.shares = shares;
        for (&up, sum) in shares.ways().iter().zip(&mut out.sums) {
            let mut best = WORST;
            for (&upper, sum) in above.shares.ways().iter().zip(&above.sums) {
                best = best.max(sum.plus(self.strips.walls(up, row & !upper)));
            }
            *sum = best;
        }
    }

    /// The best sum, from those below and above a row.
    #[inline(always)]
    fn meet(below: &Layer, above: &Layer) -> Sum {
        (0..below.shares.ways().len())
            .fold(WORST, |best, i| best.max(below.sums[i].join(above.sums[i])))
    }

    /// The best sums below every row.
    #[inline(never)]
    fn all_below(&self, out: &mut [Layer; MAX_ROWS]) {
        self.bottom(self.row(self.free, 0), self.shares(0), &mut out[0]);
        for r in 1..self.grid.rows() {
            let (done, rest) = out.split_at_mut(r as usize);
            let row = self.row(self.free, r);
            self.up(&done[r as usize - 1], row, self.shares(r), &mut rest[0]);
        }
    }

    /// The best sums above every row, from those below for the shares.
    #[inline(never)]
    fn all_above(&self, below: &[Layer; MAX_ROWS], out: &mut [Layer; MAX_ROWS]) {
        let last = self.grid.rows() as usize - 1;
        self.top(below[last].shares, &mut out[last]);
        for r in (0..last).rev() {
            let (rest, done) = out.split_at_mut(r + 1);
            let row = self.row(self.free, r as u32 + 1);
            self.down(&done[0], row, below[r].shares, &mut rest[r]);
        }
    }

    /// The best sum, from the sums below the last row.
    #[inline(always)]
    fn total_of(&self, below: &[Layer; MAX_ROWS]) -> Sum {
        let last = &below[self.grid.rows() as usize - 1];
        let mut top = NOTHING;
        self.top(last.shares, &mut top);
        Self::meet(last, &top)
    }

    /// The best sum.
    fn total(&self) -> Sum {
        let mut below = [NOTHING; MAX_ROWS];
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
        let after = Side { free, ..*self };
        let (mut here, mut next) = (NOTHING, NOTHING);
        let (row, shares) = (self.row(free, from), after.shares(from));
        if from == 0 {
            self.bottom(row, shares, &mut here);
        } else {
            self.up(&below[from as usize - 1], row, shares, &mut here);
        }
        for r in from + 1..=to {
            self.up(&here, self.row(free, r), after.shares(r), &mut next);
            here = next;
        }
        if to + 1 == self.grid.rows() {
            self.top(here.shares, &mut next);
            Self::meet(&here, &next)
        } else {
            let above = &above[to as usize + 1];
            self.up(&here, self.row(self.free, to + 1), above.shares, &mut next);
            Self::meet(&next, above)
        }
    }
}

/// One cut of a board, with the walls of its strips. Most moves that leave a decided sum do so with the
/// cut of the position before; only the strips they touch need a look.
struct Cut {
    /// What goes up of each row.
    up: [u16; MAX_ROWS],
    /// The walls of the strip below each row, and above the last.
    walls: [Walls; MAX_ROWS + 1],
    /// The sum of all right walls.
    right: [i16; TEMPS],
    /// The largest excess of a left wall over the right one, of the strips below each row ...
    excess_below: [[i16; TEMPS]; MAX_ROWS + 1],
    /// ... and of the strips above it.
    excess_above: [[i16; TEMPS]; MAX_ROWS + 1],
}

/// Adds the walls to the sum of right walls, and to the largest excess.
#[inline(always)]
fn gather(walls: &Walls, right: &mut [i16; TEMPS], excess: &mut [i16; TEMPS]) {
    for k in 0..TEMPS {
        right[k] += i16::from(walls[k]);
        excess[k] = excess[k].max(i16::from(walls[TEMPS + k]) - i16::from(walls[k]));
    }
}

impl<B: Bits> Side<'_, B> {
    /// The cut that is best in one lane of sums.
    fn cut(&self, below: &[Layer; MAX_ROWS], above: &[Layer; MAX_ROWS], lane: usize) -> Cut {
        let rows = self.grid.rows() as usize;
        let mut cut = Cut {
            up: [0; MAX_ROWS],
            walls: [[0; 2 * TEMPS]; MAX_ROWS + 1],
            right: [0; TEMPS],
            excess_below: [[0; TEMPS]; MAX_ROWS + 1],
            excess_above: [[0; TEMPS]; MAX_ROWS + 1],
        };
        let (mut lower, mut excess) = (0, [0; TEMPS]);
        for r in 0..rows {
            let row = self.row(self.free, r as u32);
            let (below, above) = (&below[r], &above[r]);
            let ways = below.shares.ways();
            let best = (0..ways.len()).max_by_key(|&i| below.sums[i].join(above.sums[i]).0[lane]);
            cut.up[r] = best.map_or(0, |i| ways[i]);
            cut.excess_below[r] = excess;
            cut.walls[r] = *self.strips.walls(lower, row & !cut.up[r]);
            gather(&cut.walls[r], &mut cut.right, &mut excess);
            lower = cut.up[r];
        }
        cut.walls[rows] = *self.strips.walls(lower, 0);
        gather(&cut.walls[rows], &mut cut.right, &mut excess);
        let (mut excess, mut unused) = ([0; TEMPS], [0; TEMPS]);
        for r in (0..rows).rev() {
            cut.excess_above[r + 1] = excess;
            gather(&cut.walls[r + 1], &mut unused, &mut excess);
        }
        cut
    }

    /// The sum of the cut after the rows `from` to `to` have become those of `free`.
    #[inline(always)]
    fn cut_changed(&self, cut: &Cut, free: B, from: u32, to: u32) -> Sum {
        let rows = self.grid.rows();
        let (first, last) = (from as usize, to as usize);
        let mut right = cut.right;
        let mut excess = [0; TEMPS];
        for k in 0..TEMPS {
            excess[k] = cut.excess_below[first][k].max(cut.excess_above[last + 1][k]);
        }
        for walls in &cut.walls[first..=last + 1] {
            for k in 0..TEMPS {
                right[k] -= i16::from(walls[k]);
            }
        }
        let mut lower = if from == 0 { 0 } else { cut.up[first - 1] };
        for r in from..=to {
            let row = self.row(free, r);
            let up = cut.up[r as usize] & row;
            gather(self.strips.walls(lower, row & !up), &mut right, &mut excess);
            lower = up;
        }
        let upper =
            if to + 1 == rows { 0 } else { self.row(self.free, to + 1) & !cut.up[last + 1] };
        gather(self.strips.walls(lower, upper), &mut right, &mut excess);
        let mut sum = ZERO;
        for k in 0..TEMPS {
            sum.0[k] = right[k];
            sum.0[TEMPS + k] = right[k] + excess[k];
        }
        sum
    }
}

/// How promising a position is for the one who lays dominoes along the rows of this board: places of
/// its own, fewer of the other's, and places that the other cannot touch.
#[inline(always)]
fn promise<B: Bits>(grid: &Grid<B>, free: B) -> i32 {
    let across = free & grid.south(free);
    let alone = free & !(across | grid.north(across));
    let count = |set: B| set.count() as i32;
    let w = weights();
    let lone = pairs(grid, free);
    let theirs = free & !(lone | grid.east(lone));
    count(lone) * w[0] - count(across) * w[1]
        + count(pairs(grid, alone)) * w[2]
        + super::misere::count_at(grid, alone, 2) * w[3]
        - count(theirs & grid.south(theirs)) * w[4]
}

/// hope
const HOPE: i16 = 14;
const FEAR: i16 = 8;

/// How many replies are tried statically.
const REPLIES: usize = 2;

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

    /// Static bounds.
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

    /// Relevant moves. Leaves out those that lose because the other wins when moving, by the sums or
    /// by one of a few replies after which the sums decide; stops at a move that wins.
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
        let mut below = [NOTHING; MAX_ROWS];
        let mut above = [NOTHING; MAX_ROWS];
        let mut your_below = [NOTHING; MAX_ROWS];
        me.all_below(&mut below);
        let mine = me.total_of(&below);
        if mine.wins_first() {
            out.push(self.domino(places.lowest(), way));
            return 1;
        }
        you.all_below(&mut your_below);
        let yours = you.total_of(&your_below);
        if yours.wins_second() {
            return -1;
        }
        let ahead = mine.lead() - yours.margin();
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
        if ahead >= HOPE {
            me.all_above(&below, &mut above);
            let cut = me.cut(&below, &above, mine.best_lane());
            let wins = |place: u32| {
                let (row, col) = (place % rows, place / rows);
                let cell = me.grid.at(row, col);
                let free = me.free & !(B::cell(cell) | B::cell(cell + me.grid.cols()));
                me.cut_changed(&cut, free, row, row + 1).wins_second()
                    || me.changed(&below, &above, free, row, row + 1).wins_second()
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
        let below = your_below;
        you.all_above(&below, &mut above);
        let cut = you.cut(&below, &above, yours.best_lane());
        // Replies to try: what settled other moves, then the best ones had I passed.
        let mut replies: ArrayVec<u32, REPLIES> = ArrayVec::new();
        if ahead < FEAR {
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
            if you.cut_changed(&cut, free, row, row).wins_first()
                || (ahead < FEAR && you.changed(&below, &above, free, row, row).wins_first())
            {
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
            if let Some(i) = replies.iter().position(|&reply| settles(reply)) {
                replies[..=i].rotate_right(1);
                continue;
            }
            out.push_scored(self.domino(place, way), score);
        }
        -1
    }
}

fn weights() -> &'static [i32] {
    static W: std::sync::OnceLock<Vec<i32>> = std::sync::OnceLock::new();
    W.get_or_init(|| {
        std::env::var("W")
            .map_or(vec![2, 1, 4, 0, 2], |s| s.split(',').map(|x| x.parse().unwrap()).collect())
    })
}
