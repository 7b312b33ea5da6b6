//! The numbers with which a proof-number search begins, by experiment with df-pn (`BENCHMARKS.md`).
//!
//! Who has few moves is soon shown to lose, and a reply that is forced is one move. Beyond that the two sets
//! of pieces differ: with pawns a piece more is worth four moves, and the order of moves says nothing
//! that helps (it was found for alpha-beta, where waiting moves do well); with knights and in the misere games
//! the order does help, and pieces do not.

use super::ThroughKnowledge;
use crate::stones::Stones;
use crate::through::{PieceSteps, Through};
use zermelo_game::{Bits, Key};

/// What a pawn more is worth, in moves.
const PAWN: i32 = 4;
/// What a move costs for each one that stands before it.
const PLACE: u32 = 4;

impl<S: PieceSteps, K: Key> ThroughKnowledge<S, K> {
    /// The numbers of an open position; `place` moves stand before the one that led to it.
    #[inline(always)]
    pub(super) fn effort(
        &self,
        rules: &Through<S, K>,
        up: bool,
        p: &Stones,
        place: u32,
    ) -> (u32, u32) {
        let allowed = match rules.misere {
            true => !rules.far[usize::from(up)],
            false => self.worth_trying(rules, up, p),
        };
        let ends = |i| (rules.ends(up, p.me, p.you, i) & allowed).count();
        let moves = (0..S::STEPS.len()).map(ends).sum::<u32>();
        if rules.misere || S::CONTROL {
            return (1, moves + PLACE * place);
        }
        let lead = p.me.count() as i32 - p.you.count() as i32;
        let (phi, delta) = (PAWN - PAWN * lead, PAWN + PAWN * lead + moves as i32);
        (phi.max(1) as u32, delta.max(1) as u32)
    }
}
