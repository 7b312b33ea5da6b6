//! Positions by number: what a game says to have an endgame database.

use crate::{Bounds, MoveList, Notation, Value};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

/// Where a move leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Next<S> {
    /// To a place.
    Place(S, u64),
    /// To the end of the game, which no slice holds; worth this to the player who would be to move.
    Over(Value),
    /// To a position that belongs to no slice, though the game goes on.
    Nowhere,
}

/// A game whose positions can be numbered, slice by slice.
///
/// A slice is a set of positions that belong together, such as all with the same pieces. Moves stay in a
/// group of slices or lead into groups that were built before, so that a database grows group by group.
/// A place stands for a position *seen by the player to move*: images share it, and so do positions
/// that differ in colours only, where the game is the same for both players.
pub trait Sliced: Notation {
    /// What names a slice: for most games how many pieces of each kind the player to move has and how many the
    /// other one.
    type Slice: Copy + Ord + Hash + Debug + Send + Sync + 'static;

    /// Whether [`predecessors`](Self::predecessors) is there. Without it builders sweep through all positions again and again.
    const PREDECESSORS: bool = false;

    /// Whether moves within the group and [`places_before`](Self::places_before) fit each other exactly: no two moves of a
    /// position lead to the same place, and each place from which a move leads to `p` is added once, and no others but
    /// [noisy](Self::noisy) ones. Then builders need not play a move again to make sure.
    const EXACT: bool = false;

    /// All slices of positions with at most so many pieces (seeds, stones), in groups, each after those
    /// that its moves lead into. A slice that stands for the other side of the same pieces is in the same
    /// group. Slices without positions are left out.
    fn groups(&self, pieces: u32) -> Vec<Vec<Self::Slice>>;

    /// Whether lines of play from a group may come to a slice of an earlier one: builders that have only the files of
    /// those slices at hand can work the group out. Saying yes too often costs time, saying no too often stops a
    /// build. Without it: they may come to all earlier slices.
    fn rests_on(&self, group: &[Self::Slice], earlier: Self::Slice) -> bool {
        let _ = (group, earlier);
        true
    }

    /// The name of a slice, good for a file: letters, digits, `-`.
    fn slice_name(&self, slice: Self::Slice) -> String;

    /// How many pieces the player to move has there, and how many the other one.
    fn pieces(&self, slice: Self::Slice) -> [u32; 2];

    /// How many times the bytes a database of at most so many pieces takes with distances, compared with one without, as measured:
    /// builders keep distances unless told otherwise where it is no more than four. Without it: nobody has measured, and
    /// they are kept.
    fn distance_factor(&self, pieces: u32) -> Option<f32> {
        let _ = pieces;
        None
    }

    /// How many places a slice has. Some may be empty.
    fn places(&self, slice: Self::Slice) -> u64;

    /// Where a position is kept; `None` for those that belong to no slice (too many pieces, a finished game that no
    /// slice holds).
    fn place(&self, p: &Self::Position) -> Option<(Self::Slice, u64)>;

    /// The position at a place, as a rule with the first player to move; `None` where the place is empty:
    /// two pieces on one cell, an image of another position, a position that the rules cannot handle.
    fn at(&self, slice: Self::Slice, place: u64) -> Option<Self::Position>;

    /// Whether files need not hold the value of this position, because all its moves lead into earlier groups and a
    /// probe can work it out from there. Leaving out what is hard to compress (in checkers all positions in which
    /// a capture is forced) makes files smaller and probes of such positions slower. Without it: every
    /// value is in the file.
    #[inline]
    fn noisy(&self, p: &Self::Position) -> bool {
        let _ = p;
        false
    }

    /// The range of what is kept at the places of a slice, seen by the player to move. Without it: all values of the
    /// game (which then has the same for both players).
    fn kept_values(&self, slice: Self::Slice) -> Bounds {
        let _ = slice;
        self.values()
    }

    /// The value of a position *for the player to move* where `kept` is kept at its place. A database keeps one value for all
    /// positions of a place; where their values differ, as scores do that count what was won on the
    /// way, this says how. Never falls as `kept` rises, unless it never rises. Without it: what is kept is the value.
    fn value_of(&self, p: &Self::Position, kept: Value) -> Value {
        let _ = p;
        kept
    }

    /// What is kept at the place of a position that is worth `value` for the player to move: undoes
    /// [`value_of`](Self::value_of), and comes with it.
    fn kept_for(&self, p: &Self::Position, value: Value) -> Value {
        let _ = p;
        value
    }

    /// Adds every position of the group from which one move leads to `p` or to an image of it. May add the same one
    /// twice, and others: builders play the moves to make sure.
    fn predecessors(&self, p: &Self::Position, out: &mut Vec<Self::Position>) {
        let _ = (p, out);
    }
    /// Adds where the moves of a position lead that is not over. Two moves out of the group may be added as one, or one of them
    /// twice. Without it the moves are played; a game that has something faster is compared with that by
    /// [`slice_laws`](crate::slice_laws). (`moves` is room to work in.)
    #[inline]
    fn places_after(
        &self,
        p: &Self::Position,
        moves: &mut MoveList<Self::Move>,
        out: &mut Vec<Next<Self::Slice>>,
    ) {
        moves.clear();
        self.moves(p, moves);
        for m in moves.iter() {
            let next = self.play(p, m);
            out.push(match self.place(&next) {
                Some((slice, place)) => Next::Place(slice, place),
                None => match self.outcome(&next) {
                    Some(value) => Next::Over(value * self.turn(&next).sign()),
                    None => Next::Nowhere,
                },
            });
        }
    }

    /// Adds the places of the positions that [`predecessors`](Self::predecessors) adds, and may add noisy ones.
    #[inline]
    fn places_before(
        &self,
        p: &Self::Position,
        before: &mut Vec<Self::Position>,
        out: &mut Vec<(Self::Slice, u64)>,
    ) {
        before.clear();
        self.predecessors(p, before);
        out.extend(before.iter().filter_map(|q| self.place(q)));
    }

    /// Shows what is [at](Self::at) some places, in order: for games in which the next place is easier to find than any.
    #[inline]
    fn walk<E>(
        &self,
        slice: Self::Slice,
        places: Range<u64>,
        mut show: impl FnMut(u64, Option<Self::Position>) -> Result<(), E>,
    ) -> Result<(), E> {
        places.into_iter().try_for_each(|place| show(place, self.at(slice, place)))
    }
}
