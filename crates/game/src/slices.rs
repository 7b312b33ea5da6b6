//! Positions by number: what a game says to have an endgame database.

use crate::{Bounds, Game, Value};
use std::fmt::Debug;
use std::hash::Hash;

/// A game whose positions can be numbered, slice by slice.
///
/// A slice is a set of positions that belong together, such as all with the same pieces. Moves stay in a
/// group of slices or lead into groups that were built before, so that a database grows group by group.
/// A place stands for a position *seen by the player to move*: images share it, and so do positions
/// that differ in colours only, where the game is the same for both players.
pub trait Sliced: Game {
    /// What names a slice: for most games how many pieces of each kind the player to move has and how many the
    /// other one.
    type Slice: Copy + Ord + Hash + Debug + Send + Sync + 'static;

    /// Whether [`unmoves`](Self::unmoves) is there. Without it builders sweep through all positions again and again.
    const UNMOVES: bool = false;

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
    fn loud(&self, p: &Self::Position) -> bool {
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
    fn unmoves(&self, p: &Self::Position, out: &mut Vec<Self::Position>) {
        let _ = (p, out);
    }
}
