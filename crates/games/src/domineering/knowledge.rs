//! What can be said of a normal game without search, and in which order moves are tried.
//!
//! Bounds come from cutting the board into strips ([`sums`](super::sums)).
//! [`relevant`](zermelo_game::Game::relevant) judges all children from sums that are kept below and
//! above every row, so that a move costs the few rows that it changes. Moves are ordered by how many
//! dominoes both sides can still put, with a premium on those that nobody can take away, as in
//! Bullock's Obsequi ("Domineering: solving large combinatorial search spaces", 2002).

use super::sums::{MAX_ROWS, NOTHING, Side};
use super::{Domineering, Domino, Position, Way, pairs};
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Bounds, Game, Grid, Key, MoveList, Value};

/// How promising a position is for the one who lays dominoes along the rows of this board: places of
/// its own, fewer of the other's, and places that the other cannot touch.
#[inline(always)]
fn promise<B: Bits>(grid: &Grid<B>, free: B) -> i32 {
    let across = free & grid.south(free);
    let alone = free & !(across | grid.north(across));
    let count = |set: B| set.count() as i32;
    let lying = pairs(grid, free);
    let theirs = free & !(lying | grid.east(lying));
    2 * count(lying) - count(across) + 4 * count(pairs(grid, alone))
        - 2 * count(theirs & grid.south(theirs))
}

/// A player to move who is ahead by this much, in eighths of a move, may well have a move that wins
/// by the sums: all of them are tried.
const HOPE: i16 = 24;

/// One who is ahead by less than this is likely to lose: its moves are sifted with more care.
const FEAR: i16 = 4;

/// How many replies to a move are tried.
const REPLIES: usize = 1;

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
            // Some move wins; the one listed only stands for it.
            out.push(self.domino(places.lowest(), way));
            return 1;
        }
        you.all_below(&mut your_below);
        let yours = you.total_of(&your_below);
        if yours.wins_second() {
            return -1;
        }
        // Which kind of node this is decides where work pays; what is left undone is only a chance to
        // cut, never a fact.
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
