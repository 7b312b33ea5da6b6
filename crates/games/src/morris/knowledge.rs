//! What solvers are told about the Morris games.

use super::{Morris, Move, NONE, Position};
use zermelo_game::{DistanceFacts, Knowledge, LastMover, MoveList, Value};

/// What is known about the Morris games: all their symmetries, and which moves to try first.
#[derive(Clone, Copy, Default, Debug)]
pub struct MorrisKnowledge;

impl Knowledge<Morris> for MorrisKnowledge {
    fn distance_facts(&self, _: &Morris) -> DistanceFacts {
        DistanceFacts { last_mover: LastMover::Winner, ..DistanceFacts::default() }
    }

    /// The smallest of all images, with those that put the rings in reverse order.
    #[inline]
    fn canonical(&self, rules: &Morris, p: &Position) -> Position {
        let mut best = (p.me, p.you);
        for s in 1..rules.layout.symmetries() {
            let me = rules.layout.image(s, p.me);
            if me <= best.0 {
                best = best.min((me, rules.layout.image(s, p.you)));
            }
        }
        Position { me: best.0, you: best.1, ..*p }
    }

    /// All moves, mills first.
    #[inline]
    fn candidate_moves(&self, rules: &Morris, p: &Position, out: &mut MoveList<Move>) -> Value {
        rules.each_move(p, |m| {
            out.push_scored(m, i32::from(m.takes != NONE));
            false
        });
        -1
    }
}
