//! The values of small groups of Clobber stones.
//!
//! A group is a connected set of stones of both colours. What happens in one does not touch the
//! others, so a position is the sum of its groups. All groups of up to a few stones are valued once;
//! what a search asks of a value is four small numbers (see [`ValueFacts`]), and sums of those decide
//! many positions outright. (Griebel and Uiterwijk, *Combining combinatorial game theory with an
//! alpha-beta solver for Clobber*, BNAIC 2016, show what a table of values saves.)

use super::values::{ValueId, Values, ZERO};
use crate::cells::CellSet;
use crate::stones::Stones;
use crate::symmetry::Symmetry;
use rustc_hash::FxHashMap;
use zermelo_game::{Bits, Grid, Player};

/// What is kept of a value, Left being the player to move. With *up* the game in which Left moves to
/// 0 and Right to star, and *star* the one in which both move to 0, the value is at least
/// `at_least[k]` ups and `k` stars, and at most `at_most[k]` ups and `k` stars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueFacts {
    /// Ups below the value, without and with a star.
    pub at_least: [i8; 2],
    /// Ups above the value, without and with a star.
    pub at_most: [i8; 2],
    /// Whether Left, moving first, wins.
    pub wins: bool,
    /// The number of the same value with the sides exchanged.
    pub negative: u16,
}

/// A set of cells in the lower left corner of the board, and where its colourings start.
#[derive(Clone, Copy, Debug)]
struct Slot<B> {
    cells: B,
    start: u32,
}

/// The table of one board.
#[derive(Debug)]
pub struct Groups<B = u64> {
    /// The most stones of a group in the table.
    pub most: u32,
    /// The sets of cells, hashed; unused slots hold the empty set.
    slots: Vec<Slot<B>>,
    /// For each set and each colouring of it the number of its value; 0 is zero.
    values: Vec<u16>,
    /// By the number of a value.
    facts: Vec<ValueFacts>,
}

/// How many stones pay for their table: some milliseconds of work for seven; eight took 21 ms on 2x8.
#[must_use]
pub fn most(cells: u32) -> u32 {
    if cells < 24 { cells.min(7) } else { 8 }
}

/// The slot where the search for a set starts. The multiplier is that of [`zermelo_game::key`].
#[inline(always)]
fn hash<B: Bits>(cells: B, slots: usize) -> usize {
    // A group has few stones, so those of one word differ little from another's: its place counts.
    let spread =
        |word: usize| cells.word(word).wrapping_mul(0x9E37_79B9_7F4A_7C15 + 2 * word as u64);
    let sum = (0..B::WORDS).fold(0u64, |sum, word| sum.wrapping_add(spread(word)));
    (sum >> 32) as usize & (slots - 1)
}

/// How far a set must be shifted down to lie in the lower left corner.
#[inline(always)]
fn corner<B: Bits>(grid: &Grid<B>, cells: B) -> u32 {
    let mut shift = 0;
    while ((cells >> shift) & grid.row(0)).is_empty() {
        shift += grid.cols();
    }
    let low = cells >> shift;
    let mut col = 0;
    while (low & grid.col(col)).is_empty() {
        col += 1;
    }
    shift + col
}

/// The bits of `set` at the cells of `cells`, pushed together.
#[inline(always)]
fn extract<B: Bits>(set: B, cells: B) -> usize {
    let (mut out, mut bit) = (0, 1);
    let mut rest = cells;
    while !rest.is_empty() {
        let low = rest.lowest_alone();
        if !(set & low).is_empty() {
            out |= bit;
        }
        bit <<= 1;
        rest ^= low;
    }
    out
}

impl<B: CellSet> Groups<B> {
    /// Values all groups of up to `most` stones on this board.
    #[must_use]
    pub fn new(grid: &Grid<B>, most: u32) -> Groups<B> {
        let mut builder = Builder::new();
        let sets = connected(grid, most);
        let slots = (sets.len() * 2).next_power_of_two();
        let mut groups = Groups {
            most,
            slots: vec![Slot { cells: B::EMPTY, start: 0 }; slots],
            values: Vec::new(),
            facts: Vec::new(),
        };
        let mut numbers: FxHashMap<ValueId, u16> = FxHashMap::default();
        let mut ids_seen: Vec<ValueId> = Vec::new();
        let mut images: FxHashMap<u64, Vec<u16>> = FxHashMap::default();
        for cells in sets {
            let mut i = hash(cells, slots);
            while !groups.slots[i].cells.is_empty() {
                i = (i + 1) & (slots - 1);
            }
            groups.slots[i] = Slot { cells, start: groups.values.len() as u32 };
            let (image, places) = smallest_image(grid, cells);
            let values = images.entry(image).or_insert_with(|| {
                let ids = subsets(image).map(|me| builder.value(me, image & !me));
                let number = |id| {
                    let next = ids_seen.len() as u16;
                    *numbers.entry(id).or_insert_with(|| {
                        ids_seen.push(id);
                        next
                    })
                };
                ids.map(number).collect()
            });
            // The colouring of the image that goes with each colouring of the set.
            let mut there = vec![0usize; 1 << places.len()];
            for i in 1..there.len() {
                there[i] = there[i & (i - 1)] | 1 << places[i.trailing_zeros() as usize];
            }
            groups.values.extend(there.iter().map(|&i| values[i]));
        }
        let ladder = builder.ladder(most as i8);
        groups.facts = ids_seen.iter().map(|&id| builder.facts(id, &ladder, &numbers)).collect();
        groups
    }

    /// The number of the value of a group of at most [`most`](Self::most) stones; 0 is zero.
    #[must_use]
    #[inline]
    pub fn value(&self, grid: &Grid<B>, me: B, you: B) -> u16 {
        let shift = corner(grid, me | you);
        let cells = (me | you) >> shift;
        let mut i = hash(cells, self.slots.len());
        while self.slots[i].cells != cells {
            i = (i + 1) & (self.slots.len() - 1);
        }
        self.values[self.slots[i].start as usize + extract(me >> shift, cells)]
    }

    /// What is known of a value.
    #[must_use]
    #[inline]
    pub fn facts(&self, value: u16) -> &ValueFacts {
        &self.facts[usize::from(value)]
    }
}

/// The smallest image of a set on the board of a [`Builder`], and for each cell of the set, in rising
/// order, its place among the cells of the image.
fn smallest_image<B: Bits>(grid: &Grid<B>, set: B) -> (u64, Vec<usize>) {
    let cells: Vec<(u32, u32)> = set.cells().map(|c| (c / grid.cols(), c % grid.cols())).collect();
    let images = (0..8).map(|i| {
        let turn = |&(r, c): &(u32, u32)| {
            let (r, c) = if i & 1 == 0 { (r, c) } else { (c, r) };
            let r = if i & 2 == 0 { r } else { SIDE - 1 - r };
            (r, if i & 4 == 0 { c } else { SIDE - 1 - c })
        };
        let turned: Vec<(u32, u32)> = cells.iter().map(turn).collect();
        let row = turned.iter().map(|t| t.0).min().unwrap_or(0);
        let col = turned.iter().map(|t| t.1).min().unwrap_or(0);
        let at: Vec<u32> = turned.iter().map(|t| (t.0 - row) * SIDE + t.1 - col).collect();
        (at.iter().fold(0u64, |s, c| s | 1 << c), at)
    });
    let (image, at) = images.min_by_key(|(image, _)| *image).unwrap_or_default();
    let places = at.iter().map(|&c| (image & (u64::cell(c) - 1)).count() as usize).collect();
    (image, places)
}

/// All connected sets of up to `most` cells, moved to the corner.
fn connected<B: Bits>(grid: &Grid<B>, most: u32) -> Vec<B> {
    let mut all: Vec<B> = vec![B::cell(0)];
    let mut last = all.clone();
    for size in 1..most {
        let mut next: Vec<B> = Vec::new();
        for &set in &last {
            // The set may have to move up or right to make room for a cell below or to the left.
            for set in [set, grid.north(set), grid.east(set)] {
                if set.count() == size {
                    for c in (grid.neighbours(set) & !set).cells() {
                        let grown = set | B::cell(c);
                        next.push(grown >> corner(grid, grown));
                    }
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        all.extend_from_slice(&next);
        last = next;
    }
    all
}

/// All subsets of a set, in the order of [`extract`]: they count upwards.
fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let now = next?;
        let after = now.wrapping_sub(set) & set;
        next = (after != 0).then_some(after);
        Some(now)
    })
}

/// The side of the board on which groups are valued: large enough for any of them.
const SIDE: u32 = 8;

/// Values groups on a board of its own, so that all symmetries are at hand.
struct Builder {
    grid: Grid<u64>,
    symmetry: Symmetry,
    values: Values,
    /// By the smallest image, colours exchanged or not.
    known: FxHashMap<(u64, u64), ValueId>,
}

impl Builder {
    fn new() -> Builder {
        let grid = Grid::new(SIDE, SIDE);
        let (symmetry, known) = (Symmetry::new(&grid), FxHashMap::default());
        Builder { grid, symmetry, values: Values::new(), known }
    }

    /// The value of a group.
    fn value(&mut self, me: u64, you: u64) -> ValueId {
        if me == 0 || you == 0 {
            return ZERO;
        }
        let mut best = (u64::MAX, u64::MAX);
        let mut swapped = false;
        for image in self.symmetry.images(&Stones::new(me, you, Player::First)) {
            let shift = corner(&self.grid, image.all());
            let (me, you) = (image.me >> shift, image.you >> shift);
            let pair = (me.min(you), me.max(you));
            if pair < best {
                (best, swapped) = (pair, you < me);
            }
        }
        let id = match self.known.get(&best) {
            Some(&id) => id,
            None => {
                let lefts = self.options(best.0, best.1, false);
                let rights = self.options(best.1, best.0, true);
                let id = self.values.canonical(lefts, rights);
                self.known.insert(best, id);
                id
            }
        };
        if swapped { self.values.negative(id) } else { id }
    }

    /// The values after each move of the first colour.
    fn options(&mut self, mover: u64, other: u64, swap: bool) -> Vec<ValueId> {
        let mut out = Vec::new();
        for from in mover.cells() {
            for to in (self.grid.neighbours(1 << from) & other).cells() {
                let (a, b) = (mover & !(1 << from) | 1 << to, other & !(1 << to));
                let (me, you) = if swap { (b, a) } else { (a, b) };
                out.push(self.total(me, you));
            }
        }
        out
    }

    /// The sum of the groups.
    fn total(&mut self, me: u64, you: u64) -> ValueId {
        let mut rest = me | you;
        let mut sum = ZERO;
        while rest != 0 {
            let group = self.grid.flood(rest & rest.wrapping_neg(), rest);
            rest &= !group;
            let value = self.value(me & group, you & group);
            sum = self.values.sum(sum, value);
        }
        sum
    }

    /// From `-n` to `n` ups, without and with a star.
    fn ladder(&mut self, n: i8) -> Vec<(i8, [ValueId; 2])> {
        let v = &mut self.values;
        let star = v.canonical(vec![ZERO], vec![ZERO]);
        let up = v.canonical(vec![ZERO], vec![star]);
        let down = v.negative(up);
        let mut ladder = vec![(0, [ZERO, star])];
        for (step, one) in [(1, up), (-1, down)] {
            let mut last = [ZERO, star];
            for i in 1..=n {
                last = last.map(|id| v.sum(id, one));
                ladder.push((i * step, last));
            }
        }
        ladder.sort_unstable();
        ladder
    }

    fn facts(
        &mut self,
        id: ValueId,
        ladder: &[(i8, [ValueId; 2])],
        numbers: &FxHashMap<ValueId, u16>,
    ) -> ValueFacts {
        let v = &mut self.values;
        let mut f = ValueFacts {
            at_least: [-FAR; 2],
            at_most: [FAR; 2],
            wins: !v.at_most(id, ZERO),
            negative: numbers[&v.negative(id)],
        };
        for &(n, ups) in ladder {
            for (k, up) in ups.into_iter().enumerate() {
                if v.at_most(up, id) {
                    f.at_least[k] = n;
                }
                if f.at_most[k] == FAR && v.at_most(id, up) {
                    f.at_most[k] = n;
                }
            }
        }
        f
    }
}

/// So many ups stand for "no bound".
const FAR: i8 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `xxo` as a group in the corner, row by row from the bottom.
    fn read(groups: &Groups, grid: &Grid<u64>, rows: &str) -> ValueFacts {
        let (mut me, mut you) = (0, 0);
        for (r, row) in rows.split('/').enumerate() {
            for (c, glyph) in row.chars().enumerate() {
                let cell = 1u64 << grid.at(r as u32, c as u32);
                me |= if glyph == 'x' { cell } else { 0 };
                you |= if glyph == 'o' { cell } else { 0 };
            }
        }
        *groups.facts(groups.value(grid, me, you))
    }

    #[test]
    fn small_groups_have_their_known_values() {
        let grid = Grid::<u64>::new(4, 6);
        let groups = Groups::new(&grid, 6);
        for (rows, at_least, at_most, wins) in [
            ("x", [0, -2], [0, 2], false),     // zero
            ("xo", [-2, 0], [2, 0], true),     // star
            ("xxo", [1, -1], [1, 3], true),    // up
            ("xoo", [-1, -3], [-1, 1], false), // down
            ("x./xo", [1, -1], [1, 3], true),  // up round a corner
        ] {
            let facts = read(&groups, &grid, rows);
            let got = (facts.at_least, facts.at_most, facts.wins);
            assert_eq!(got, (at_least, at_most, wins), "{rows}");
        }
    }

    #[test]
    fn values_do_not_depend_on_the_place() {
        let grid = Grid::<u64>::new(4, 6);
        let groups = Groups::new(&grid, 5);
        let (me, you) = (1 << 7 | 1 << 8, 1 << 13 | 1 << 14);
        assert_eq!(groups.value(&grid, me, you), groups.value(&grid, me >> 7, you >> 7));
        let negative = groups.facts(groups.value(&grid, me, you)).negative;
        assert_eq!(groups.value(&grid, you, me), negative);
    }
}
