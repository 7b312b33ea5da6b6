//! What solvers are told about sowing games.

use super::{Ring, Sowing, Sown, Variant};
use zermelo_game::{Bounds, Knowledge, MoveList, Rules, Value};

/// What is known about the sowing games.
#[derive(Clone, Copy, Default, Debug)]
pub struct SowingKnowledge;

impl<V: Variant> Knowledge<Sowing<V>> for SowingKnowledge {
    /// What is won stays won, and no more than what is in play can be won, whatever the line was.
    #[inline]
    fn static_bounds(&self, rules: &Sowing<V>, p: &Ring) -> Bounds {
        if let Some(value) = rules.outcome(p) {
            return Bounds::exact(value);
        }
        let left = rules.board.sides(p).iter().sum::<u32>() as Value;
        let ahead = p.ahead();
        Bounds::new(ahead - left, ahead + left).seen_by(p.turn)
    }

    /// All moves; those that give another move first, then captures, then pits that are sown last.
    #[inline]
    fn candidate_moves(&self, rules: &Sowing<V>, p: &Ring, out: &mut MoveList<u8>) -> Value {
        if Sowing::<V>::must_pass(p) {
            out.push(rules.pass_move());
        } else {
            for pit in rules.variant.pits(&rules.board, p) {
                let Sown { ring, again } = rules.variant.sow(&rules.board, p, pit);
                let won = i32::from(ring.stores[0] - p.stores[0]);
                let gain = if again { 1000 } else { 16 * won };
                out.push_scored(pit as u8, gain + pit as i32);
            }
        }
        rules.values().lo
    }
}
