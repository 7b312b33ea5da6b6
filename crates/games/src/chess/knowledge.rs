//! What solvers are told about chess endings.

use super::position::{BISHOP, KNIGHT, Man, Move, Position, QUEEN};
use super::{Chess, to_triangle, transposed};
use std::ops::ControlFlow;
use zermelo_game::{Bounds, DistanceFacts, Knowledge, LastMover, MoveList, Player, Rules, Value};

/// What is known about chess endings: symmetries, material that cannot win, and which moves to try first.
#[derive(Clone, Copy, Default, Debug)]
pub struct ChessKnowledge;

impl Knowledge<Chess> for ChessKnowledge {
    fn distance_facts(&self, _: &Chess) -> DistanceFacts {
        DistanceFacts { last_mover: LastMover::Winner, ..DistanceFacts::default() }
    }

    /// The white king on the left half, or in a triangle of ten squares; on its diagonal the smaller key.
    #[inline]
    fn canonical(&self, rules: &Chess, p: &Position) -> Position {
        if p.has_pawns() {
            return if p.kings[0] & 7 > 3 { p.mirrored() } else { *p };
        }
        let q = p.map(to_triangle(p.kings[0]));
        if q.kings[0] & 7 != q.kings[0] >> 3 {
            return q;
        }
        let r = q.map(transposed);
        if rules.key(&q) <= rules.key(&r) { q } else { r }
    }

    /// A bare king cannot win; nor can anyone where the other side has a single knight or bishop, with which there is no mate.
    #[inline]
    fn static_bounds(&self, rules: &Chess, p: &Position) -> Bounds {
        if let Some(value) = rules.outcome(p) {
            return Bounds::exact(value);
        }
        let bare = |player| p.men().all(|m| m.owner() != player);
        let minor = |m: Man| m.kind() == KNIGHT || m.kind() == BISHOP;
        let alone = p.men().count() == 1 && p.men().all(minor);
        let may = |player| Value::from(!alone && !bare(player));
        Bounds::new(-may(Player::Second), may(Player::First))
    }

    /// All moves; promotions and captures first.
    #[inline]
    fn candidate_moves(&self, _: &Chess, p: &Position, out: &mut MoveList<Move>) -> Value {
        let occupied = p.occupied();
        let _ = p.legal(|m| {
            let takes = (occupied >> m.to & 1) as i32;
            out.push_scored(m, 2 * takes + i32::from(usize::from(m.becomes) == QUEEN));
            ControlFlow::Continue(())
        });
        -1
    }
}
