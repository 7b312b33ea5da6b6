//! Positions of checkers by number.
//!
//! A slice holds all positions with so many men and kings of the player to move and of the other one. Within it a
//! place is made of four numbers: where the men of the player to move stand (on any square but the
//! last row), where the other men do (any but the first row), where its kings do on the squares that the
//! men leave, and where the other kings do on what then remains. A set of `k` squares is numbered by the
//! combinatorial number system (the sum of `C(square i, i + 1)`, squares ascending), in which the number does not
//! depend on the size of the board, so one list of sets serves for reading all of them.
//! Two men on one square make the only empty places: 3 in 100 for a man against a man.
//!
//! Steps stay in a group of two slices, in which the sides change their roles. Crowning leads to fewer men with as
//! many pieces, captures to fewer pieces. Captures are forced, so a position with one is [noisy](Sliced::noisy).

use super::board::{Board, DIRECTIONS};
use super::{Checkers, Position};
use std::ops::Range;
use std::sync::LazyLock;
use zermelo_game::{MoveList, Next, Player, Sliced};

/// Men and kings of the player to move, men and kings of the other one.
pub type Slice = [u8; 4];

/// Sets of more pieces than this are not kept in a list.
const LISTED: usize = 5;

/// `C(n, k)`.
static BINOMIAL: [[u64; 33]; 33] = binomials();

/// All sets of up to five squares of 32, in the order of their numbers.
static SETS: LazyLock<[Vec<u32>; LISTED + 1]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let count = BINOMIAL[32][k];
        (0..count).map(|rank| unranked_slowly(rank, k)).collect()
    })
});

const fn binomials() -> [[u64; 33]; 33] {
    let mut c = [[0; 33]; 33];
    let mut n = 0;
    while n < 33 {
        c[n][0] = 1;
        let mut k = 1;
        while k <= n {
            c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    c
}

/// The number of a set among those of its size.
#[inline(always)]
pub(super) fn ranked(mut set: u32) -> u64 {
    let (mut rank, mut k) = (0, 1);
    while set != 0 {
        rank += BINOMIAL[set.trailing_zeros() as usize][k];
        set &= set - 1;
        k += 1;
    }
    rank
}

/// The set of `k` squares with a number.
fn unranked_slowly(mut rank: u64, k: usize) -> u32 {
    let mut set = 0;
    for k in (1..=k).rev() {
        let square = (k - 1..32).rev().find(|&s| BINOMIAL[s][k] <= rank).unwrap_or(0);
        rank -= BINOMIAL[square][k];
        set |= 1 << square;
    }
    set
}

/// The set with the squares of `gone` taken out of the board, those above moving down.
#[inline(always)]
pub(super) fn without(set: u32, gone: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    // SAFETY: the program is built for processors that have this instruction.
    return unsafe { std::arch::x86_64::_pext_u32(set, !gone) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    without_slowly(set, gone)
}

/// Undoes [`without`].
#[inline(always)]
fn around(set: u32, gone: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    // SAFETY: the program is built for processors that have this instruction.
    return unsafe { std::arch::x86_64::_pdep_u32(set, !gone) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    around_slowly(set, gone)
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
#[inline(always)]
fn without_slowly(mut set: u32, mut gone: u32) -> u32 {
    while gone != 0 {
        let top = 31 - gone.leading_zeros();
        let below = (1 << top) - 1;
        set = set & below | set >> 1 & !below;
        gone ^= 1 << top;
    }
    set
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
#[inline(always)]
fn around_slowly(mut set: u32, mut gone: u32) -> u32 {
    while gone != 0 {
        let below = (gone & gone.wrapping_neg()) - 1;
        set = set & below | (set & !below) << 1;
        gone &= gone - 1;
    }
    set
}

/// What numbering needs to know of a board.
#[derive(Clone, Debug)]
pub struct Index {
    squares: usize,
    /// Squares of a row: men stand on the others.
    pub(super) width: u32,
    sets: &'static [Vec<u32>; LISTED + 1],
}

impl Index {
    /// For a board.
    #[must_use]
    pub fn new(board: &Board) -> Index {
        Index { squares: board.squares() as usize, width: board.width, sets: &SETS }
    }

    /// How many values each of the four numbers of a place has; the men's first.
    #[inline(always)]
    pub(super) fn radices(&self, [a, b, c, d]: Slice) -> [u64; 4] {
        let men = self.squares - self.width as usize;
        let [a, b, c, d] = [a, b, c, d].map(usize::from);
        let of = |n: usize, k: usize| if k <= n { BINOMIAL[n][k] } else { 0 };
        let free = self.squares.saturating_sub(a + c);
        [of(men, a), of(men, c), of(free, b), of(free.saturating_sub(b), d)]
    }

    #[inline(always)]
    fn unranked(&self, rank: u64, k: u8) -> u32 {
        match self.sets.get(usize::from(k)) {
            Some(sets) => sets[rank as usize],
            None => unranked_slowly(rank, k.into()),
        }
    }
}

impl Checkers {
    /// Slice and place of a position in which both players have pieces.
    #[inline]
    pub(super) fn numbered(&self, p: &Position) -> Option<(Slice, u64)> {
        if p.own == 0 || p.other == 0 {
            return None;
        }
        let squeezed = |set| self.board.squeezed(set);
        let (own_men, own_kings) = (squeezed(p.own & !p.kings), squeezed(p.own & p.kings));
        let (other_men, other_kings) = (squeezed(p.other & !p.kings), squeezed(p.other & p.kings));
        let slice = [own_men, own_kings, other_men, other_kings].map(|set| set.count_ones() as u8);
        let men = own_men | other_men;
        let [_, c, b, d] = self.index.radices(slice);
        let place = ranked(own_men) * c + ranked(other_men >> self.index.width);
        let place = place * b + ranked(without(own_kings, men));
        Some((slice, place * d + ranked(without(other_kings, men | own_kings))))
    }
}

impl Sliced for Checkers {
    type Slice = Slice;

    const PREDECESSORS: bool = true;
    const EXACT: bool = true;

    fn groups(&self, pieces: u32) -> Vec<Vec<Slice>> {
        let pieces = pieces.min(self.board.squares()) as u8;
        let mut groups = Vec::new();
        for all in 2..=pieces {
            for men in 0..=all {
                for own in 1..all {
                    for a in 0..=own.min(men) {
                        let slice = [a, own - a, men - a, (all - own).wrapping_sub(men - a)];
                        let mirrored = [slice[2], slice[3], slice[0], slice[1]];
                        if men - a > all - own || slice < mirrored || self.places(slice) == 0 {
                            continue;
                        }
                        let mut group = vec![slice, mirrored];
                        group.dedup();
                        groups.push(group);
                    }
                }
            }
        }
        groups
    }

    /// Measured (docs/databases.md), and taken to be more than four where there are more pieces than in any measurement.
    /// Values compress better the larger the board is, and distances do not.
    fn distance_factor(&self, pieces: u32) -> Option<f32> {
        Some(match (self.board.squares(), pieces) {
            (_, ..=2) | (..=8, _) => 1.2,
            (..=12, ..=4) => 1.5,
            (..=12, 5) => 2.4,
            (..=12, 6) => 3.1,
            (..=12, _) => 5.0,
            (..=18, 3) => 1.9,
            (..=18, 4) => 2.9,
            (..=18, _) => 8.2,
            (..=24, 3) => 3.0,
            (..=24, _) => 4.8,
            (_, 3) => 4.9,
            _ => 6.5,
        })
    }

    /// No side ever gets a piece or a man, and kings only for its men.
    fn rests_on(&self, group: &[Slice], [a, b, c, d]: Slice) -> bool {
        let fewer = |[m, k]: [u8; 2], [men, kings]: [u8; 2]| m <= men && m + k <= men + kings;
        let comes = |&[e, f, g, h]: &Slice| fewer([a, b], [e, f]) && fewer([c, d], [g, h]);
        group.iter().any(comes)
    }

    fn slice_name(&self, [a, b, c, d]: Slice) -> String {
        format!("m{a}k{b}-m{c}k{d}")
    }

    fn pieces(&self, [a, b, c, d]: Slice) -> [u32; 2] {
        [u32::from(a + b), u32::from(c + d)]
    }

    fn places(&self, slice: Slice) -> u64 {
        // Slices of very many pieces have more places than anybody could count.
        self.index.radices(slice).iter().fold(1, |places: u64, r| places.saturating_mul(*r))
    }

    #[inline]
    fn place(&self, p: &Position) -> Option<(Slice, u64)> {
        self.numbered(p)
    }

    #[inline]
    fn at(&self, slice: Slice, place: u64) -> Option<Position> {
        let [_, c, b, d] = self.index.radices(slice);
        let (place, other_kings) = (place / d, place % d);
        let (place, own_kings) = (place / b, place % b);
        let own_men = self.index.unranked(place / c, slice[0]);
        let other_men = self.index.unranked(place % c, slice[2]) << self.index.width;
        if own_men & other_men != 0 {
            return None;
        }
        let men = own_men | other_men;
        let own_kings = around(self.index.unranked(own_kings, slice[1]), men);
        let other_kings = around(self.index.unranked(other_kings, slice[3]), men | own_kings);
        let spread = |set| self.board.spread(set);
        Some(Position {
            own: spread(own_men | own_kings),
            other: spread(other_men | other_kings),
            kings: spread(own_kings | other_kings),
            turn: Player::First,
        })
    }

    #[inline]
    fn noisy(&self, p: &Position) -> bool {
        self.can_take(p)
    }

    /// Steps taken back, of the player who is not to move. It could not take before its step, or it
    /// would have had to.
    fn predecessors(&self, p: &Position, out: &mut Vec<Position>) {
        let b = &self.board;
        let now = self.handed_over(p.own, p.other, p.kings, p.turn);
        let empty = b.all & !(now.own | now.other);
        for d in DIRECTIONS {
            // A man has come from above.
            let pieces = if d < 2 { now.own & now.kings } else { now.own };
            let mut from = b.step(pieces, d) & empty;
            while from != 0 {
                let start = from & from.wrapping_neg();
                from ^= start;
                let end = b.step(start, 3 - d);
                let king = now.kings & end != 0;
                let before = Position {
                    own: now.own ^ end | start,
                    kings: now.kings & !end | if king { start } else { 0 },
                    ..now
                };
                if !self.can_take(&before) {
                    out.push(before);
                }
            }
        }
    }
    #[inline]
    fn places_after(
        &self,
        p: &Position,
        _: &mut MoveList<super::Move>,
        out: &mut Vec<Next<Slice>>,
    ) {
        self.after(p, out);
    }

    #[inline]
    fn places_before(&self, p: &Position, _: &mut Vec<Position>, out: &mut Vec<(Slice, u64)>) {
        self.before(p, out);
    }

    /// The last number runs fastest: most of a position stays as it is from one place to the next.
    #[inline]
    fn walk<E>(
        &self,
        slice: Slice,
        places: Range<u64>,
        mut show: impl FnMut(u64, Option<Position>) -> Result<(), E>,
    ) -> Result<(), E> {
        let spread = |set| self.board.spread(set);
        let [_, c, b, d] = self.index.radices(slice);
        let mut place = places.start;
        while place < places.end {
            let men = place / (b * d);
            let own_men = self.index.unranked(men / c, slice[0]);
            let other_men = self.index.unranked(men % c, slice[2]) << self.index.width;
            if own_men & other_men != 0 {
                let end = ((men + 1) * b * d).min(places.end);
                (place..end).try_for_each(|place| show(place, None))?;
                place = end;
                continue;
            }
            let men = own_men | other_men;
            let own_kings = around(self.index.unranked(place / d % b, slice[1]), men);
            let (own, gone) = (spread(own_men | own_kings), men | own_kings);
            let end = ((place / d + 1) * d).min(places.end);
            for (place, number) in (place..end).zip(place % d..) {
                let other_kings = around(self.index.unranked(number, slice[3]), gone);
                let p = Position {
                    own,
                    other: spread(other_men | other_kings),
                    kings: spread(own_kings | other_kings),
                    turn: Player::First,
                };
                show(place, Some(p))?;
            }
            place = end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_taken_out_and_put_back() {
        let mut word = 1u32;
        for _ in 0..10_000 {
            let mut next = || {
                word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                word >> 8 ^ word
            };
            let (gone, set) = (next() & next(), next());
            assert_eq!(without(set, gone), without_slowly(set, gone));
            let few = without(set, gone);
            assert_eq!(around(few, gone), around_slowly(few, gone));
            assert_eq!(around(few, gone), set & !gone);
        }
    }
}
