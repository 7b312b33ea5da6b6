//! What can be said of a normal game without search, and in which order moves are tried.
//!
//! Bounds come from cutting the board into strips ([`sums`](super::sums)).
//! [`candidate_moves`](Knowledge::candidate_moves) judges all children from sums that are kept below and
//! above every row, so that a move costs the few rows that it changes. Moves are ordered by how many
//! dominoes both sides can still put, with a premium on those that nobody can take away, as in
//! Bullock's Obsequi ("Domineering: solving large combinatorial search spaces", 2002).

use super::loose::{alike, gathered};
use super::strips::Strips;
use super::sums::{MAX_ROWS, NOTHING, UprightBoard};
use super::{Domineering, Domino, Position, Way, misere, pairs};
use arrayvec::ArrayVec;
use zermelo_game::{
    Bits, Bounds, DistanceFacts, Grid, Key, Knowledge, LastMover, MoveList, Rules, Value,
};

/// What is known of Domineering, with tables for one board.
#[derive(Clone, Debug)]
pub struct DomineeringKnowledge {
    /// The strips along the rows, of two rows each; `None` where they are too wide for a table.
    strips: Option<&'static Strips>,
    /// The same of the turned board.
    turned_strips: Option<&'static Strips>,
    /// How far every place, of flat and of upright dominoes, is from the border.
    inside: [Vec<i32>; 2],
}

impl DomineeringKnowledge {
    /// What is known of the game on this board.
    #[must_use]
    pub fn new<B: Bits, K: Key>(rules: &Domineering<B, K>) -> DomineeringKnowledge {
        let (rows, cols) = (rules.grid.rows(), rules.grid.cols());
        let places = 0..rows * cols;
        DomineeringKnowledge {
            strips: Strips::of(cols),
            turned_strips: Strips::of(rows),
            inside: [
                places.clone().map(|place| inside(place, rows, cols)).collect(),
                places.map(|place| inside(place, cols, rows)).collect(),
            ],
        }
    }

    /// How far a place found by [`places`](Domineering::places) is from the border: below 128.
    #[inline(always)]
    fn inside(&self, place: u32, way: Way) -> i32 {
        self.inside[usize::from(way == Way::Upright)][place as usize]
    }

    /// The sides of the player to move and of the other.
    #[inline(always)]
    fn sides<'g, B: Bits, K: Key>(
        &self,
        rules: &'g Domineering<B, K>,
        p: &Position<B>,
    ) -> Option<[UprightBoard<'g, B>; 2]> {
        let upright = UprightBoard { grid: &rules.grid, strips: self.strips?, free: p.rows };
        let flat = UprightBoard { grid: &rules.turned, strips: self.turned_strips?, free: p.cols };
        Some(match rules.way(p.turn) {
            Way::Upright => [upright, flat],
            Way::Flat => [flat, upright],
        })
    }
}

/// How far the domino along a row, by its left cell, is from the border: the row first, then the place in
/// the row.
fn inside(place: u32, rows: u32, cols: u32) -> i32 {
    let (row, col) = (place / cols, place % cols);
    let along = col.min((cols - 1 - col).saturating_sub(1));
    (row.min(rows - 1 - row).min(15) * 8 + along.min(7)) as i32
}

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

/// The dominoes along the rows of this board that are no better than another one, which stays.
///
/// Let a, b, c be neighbours in a row, a the end of its run, and nothing free above or below c. Then
/// the domino on a and b is at least as good as the one on b and c: the latter leaves a, of use to
/// nobody but the other player, in place of c, of use to nobody but its owner; and to take away what
/// only the other can use, or to add what only oneself can use, never hurts. Dominoes at the end
/// of a run are beaten in this way only in a run of three cells, where each may beat the other.
#[inline(always)]
fn beaten<B: Bits>(grid: &Grid<B>, free: B) -> B {
    let across = free & grid.south(free);
    let alone = free & !(across | grid.north(across));
    let (start, end) = (free & !grid.east(free), free & !grid.west(free));
    let by_left = grid.east(start) & grid.west(alone);
    let by_right = alone & grid.west(free & grid.west(end)) & !(start & grid.west(by_left));
    by_left | by_right
}

/// A player to move who is ahead by this much, in eighths of a move, may well have a move that wins
/// by the sums: the most promising ones are tried.
const HOPE: i16 = 24;

/// How many. With one there are 2 % more nodes on 8x8, with all some 3 % fewer for many times the sums.
const TRIES: usize = 2;

/// One who is ahead by less than this is likely to lose: its moves are pruned. The moves of others are
/// not, as mostly the first one will do.
const FEAR: i16 = 4;

/// How many replies to a move are tried.
const REPLIES: usize = 1;

/// For boards too wide for strips: all moves, in order.
fn worth_counting<B: Bits, K: Key>(
    rules: &Domineering<B, K>,
    p: &Position<B>,
    out: &mut MoveList<Domino>,
) -> Value {
    let way = rules.way(p.turn);
    let (grid, free) = match way {
        Way::Upright => (&rules.turned, p.cols),
        Way::Flat => (&rules.grid, p.rows),
    };
    for place in pairs(grid, free).cells() {
        let left = free & !(B::cell(place) | B::cell(place + 1));
        out.push_scored(rules.domino(place, way), promise(grid, left));
    }
    -1
}

impl<B: Bits, K: Key> Knowledge<Domineering<B, K>> for DomineeringKnowledge {
    #[inline(always)]
    fn prunes_candidates(&self) -> bool {
        true
    }

    fn distance_facts(&self, rules: &Domineering<B, K>) -> DistanceFacts {
        let last_mover = if rules.misere { LastMover::Loser } else { LastMover::Winner };
        DistanceFacts { canonical_keeps_distance: false, last_mover }
    }

    /// The image with the smallest board, with loose moves in their places.
    #[inline]
    fn canonical(&self, rules: &Domineering<B, K>, p: &Position<B>) -> Position<B> {
        gathered(rules, p).unwrap_or_else(|| rules.least_image(p))
    }

    fn static_bounds(&self, rules: &Domineering<B, K>, p: &Position<B>) -> Bounds {
        if let Some(value) = rules.outcome(p) {
            return Bounds::exact(value);
        }
        if rules.misere {
            return misere::static_bounds(rules, p);
        }
        let Some([me, you]) = self.sides(rules, p) else { return rules.values() };
        if me.total().wins_first() {
            Bounds::exact(p.turn.sign())
        } else if you.total().wins_second() {
            Bounds::exact(-p.turn.sign())
        } else {
            rules.values()
        }
    }

    /// A move after which the sums still win, where they win for the player to move: of those the one that leaves the
    /// other the fewest places, so that the game is over soon.
    fn proving_move(&self, rules: &Domineering<B, K>, p: &Position<B>, _: Value) -> Option<Domino> {
        if rules.misere {
            return misere::proving_move(rules, p);
        }
        let [me, you] = self.sides(rules, p)?;
        let mut below = [NOTHING; MAX_ROWS];
        me.all_below(&mut below);
        if !me.total_of(&below).wins_first() {
            return None;
        }
        let (rows, tall) = (me.grid.rows(), me.grid.cols());
        let mut tries: ArrayVec<(i32, u32), 128> = ArrayVec::new();
        for place in pairs(you.grid, you.free).cells() {
            let left = you.free & !(B::cell(place) | B::cell(place + 1));
            let count = |set: B| set.count() as i32;
            let (theirs, mine) = (left & you.grid.south(left), pairs(you.grid, left));
            tries.push((64 * count(theirs) - count(mine), place));
        }
        tries.sort_unstable();
        let wins = |&(_, place): &(i32, u32)| {
            let (row, cell) = (place % rows, me.grid.at(place % rows, place / rows));
            let free = me.free & !(B::cell(cell) | B::cell(cell + tall));
            me.changed_alone(&below, free, row, row + 1).wins_second()
        };
        let place = tries.into_iter().find(wins)?.1;
        Some(rules.domino(place, rules.way(p.turn)))
    }

    /// Leaves out those that lose because the other wins when moving, by the sums or
    /// by one of a few replies after which the sums decide; stops at a move that wins.
    fn candidate_moves(
        &self,
        rules: &Domineering<B, K>,
        p: &Position<B>,
        out: &mut MoveList<Domino>,
    ) -> Value {
        if rules.misere {
            return misere::candidate_moves(rules, p, out);
        }
        let Some([me, you]) = self.sides(rules, p) else {
            return worth_counting(rules, p, out);
        };
        let way = rules.way(p.turn);
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
            out.push(rules.domino(places.lowest(), way));
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
        // Equal promises are tried from the border inwards, not by history: on 8x8 0.63 million nodes
        // against 0.91 from one corner on, 1.26 from another, 2.2 from the middle outwards. (Without
        // order among them, 1.19; on 7x7, 6x8 and 7x9 the border is best, too, by 2 to 25 %.)
        let mut tries: ArrayVec<(i32, u32), 128> = ArrayVec::new();
        for place in
            (places & !(beaten(you.grid, you.free) | alike(you.grid, you.free, false))).cells()
        {
            let score = 128 * promise(you.grid, after(place)) - self.inside(place, way);
            tries.push((score, place));
        }
        if ahead >= FEAR {
            if ahead >= HOPE {
                tries.sort_unstable_by_key(|&(score, _)| -score);
                let wins = |&&(_, place): &&(i32, u32)| {
                    let (row, col) = (place % rows, place / rows);
                    let cell = me.grid.at(row, col);
                    let free = me.free & !(B::cell(cell) | B::cell(cell + me.grid.cols()));
                    me.changed_alone(&below, free, row, row + 1).wins_second()
                };
                if let Some(&(_, place)) = tries.iter().take(TRIES).find(wins) {
                    out.push(rules.domino(place, way));
                    return 1;
                }
            }
            tries
                .iter()
                .for_each(|&(score, place)| out.push_scored(rules.domino(place, way), score));
            return -1;
        }
        let below = your_below;
        you.all_above(&below, &mut above);
        let cut = you.cut(&below, &above, yours.best_lane());
        // Replies to try: what settled other moves, then the best ones had I passed.
        let mut replies: ArrayVec<u32, REPLIES> = ArrayVec::new();
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
        for &(score, place) in &tries {
            let row = place / rows;
            let free = after(place);
            if you.cut_changed(&cut, free, row, row).wins_first()
                || you.changed(&below, &above, free, row, row).wins_first()
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
            out.push_scored(rules.domino(place, way), score);
        }
        -1
    }

    #[inline]
    fn plies_left(&self, _: &Domineering<B, K>, p: &Position<B>) -> u32 {
        p.rows.count() / 2
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes a
    /// third of the nodes on 7x7; a look at the other's moves adds nothing).
    #[inline]
    fn leaf_numbers(
        &self,
        rules: &Domineering<B, K>,
        p: &Position<B>,
        place: u32,
    ) -> Option<(u32, u32)> {
        Some((1, rules.places(p, rules.way(p.turn)).count() + 2 * place))
    }

    #[inline]
    fn lazy_expansion_plies(&self, rules: &Domineering<B, K>) -> u32 {
        // On 8x8 asking everywhere saves a third of the nodes and costs a fifth more time.
        if rules.misere { 6 } else { 20 }
    }
}
