//! What is known of checkers without search.

use super::board::DIRECTIONS;
use super::evaluate::judge;
use super::{Checkers, Position};
use zermelo_game::{Bounds, DistanceFacts, Knowledge, LastMover, MoveList, Rules};

/// What is known of checkers: who has won when one side is gone, how many moves must fail, and who stands better.
#[derive(Clone, Copy, Default, Debug)]
pub struct CheckersKnowledge;

impl Knowledge<Checkers> for CheckersKnowledge {
    #[inline(always)]
    fn evaluates(&self) -> bool {
        true
    }

    fn distance_facts(&self, _: &Checkers) -> DistanceFacts {
        DistanceFacts { last_mover: LastMover::Winner, ..DistanceFacts::default() }
    }

    /// A player who has no enemy left and can move has won: the enemy cannot move.
    #[inline]
    fn static_bounds(&self, checkers: &Checkers, p: &Position) -> Bounds {
        match checkers.outcome(p) {
            Some(value) => Bounds::exact(value),
            None if p.other == 0 => Bounds::exact(p.turn.sign()),
            None => checkers.values(),
        }
    }

    /// The number of moves that have to fail: with it df-pn takes six nodes in ten. (A lead in pieces says nothing by
    /// itself, and a little less than nothing beside the moves; numbers that grow with the pieces on the board do harm.
    /// `BENCHMARKS.md` has the figures.)
    #[inline]
    fn leaf_numbers(&self, checkers: &Checkers, p: &Position, _: u32) -> Option<(u32, u32)> {
        if !checkers.can_take(p) {
            return Some((1, count_steps(checkers, p)));
        }
        let mut takes = MoveList::new();
        checkers.list_takes(p, &mut takes);
        Some((1, takes.len() as u32))
    }

    fn evaluate(&self, checkers: &Checkers, p: &Position) -> i32 {
        judge(checkers, p) * i32::from(p.turn.sign())
    }

    fn forcing(&self, checkers: &Checkers, p: &Position) -> bool {
        checkers.can_take(p)
    }
}

/// How many steps there are.
#[inline]
fn count_steps(checkers: &Checkers, p: &Position) -> u32 {
    let (b, empty) = (&checkers.board, checkers.board.all & !(p.own | p.other));
    let pieces = |d| if d < 2 { p.own } else { p.own & p.kings };
    DIRECTIONS.into_iter().map(|d| (b.step(pieces(d), d) & empty).count_ones()).sum()
}
