//! Best play, read from the trees of the questions that were answered.
//!
//! A value is two answers: it is at least so much, and no more. Each has a tree of its own, in which one side keeps to
//! a proof and the other makes whatever moves were tried, losing ones among them. So a line takes each player's
//! moves from the tree in which that player is the one with the proof, and needs both trees for any value but
//! the best for one side. Both know the positions along it: all replies to a move of a proof are settled, and
//! of replies that look the same both trees keep the same. Where knowledge of the game stands in for a tree the line
//! ends, unless that knowledge names the next move too.

use super::tree::PlayoutTree;
use crate::choice::choice;
use zermelo_game::{Bounds, Game, Knowledge, MoveList, Rules, Value};

/// The longest line that is written out.
const MAX_LINE: usize = 1000;

/// The trees that answered questions: the last that was answered by no, and the last by yes.
pub struct Proofs<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    trees: [Option<PlayoutTree<'g, R, K>>; 2],
}

/// A move with what is known of the position behind it.
struct Candidate<R: Rules> {
    mv: R::Move,
    position: R::Position,
    /// Seen by the player who makes the move.
    seen: Bounds,
    over: bool,
    /// How many of the trees know an answer there, and the playouts that went there.
    met: (usize, u32),
}

impl<'g, R: Rules, K: Knowledge<R>> Proofs<'g, R, K> {
    pub(super) fn new(game: Game<'g, R, K>) -> Proofs<'g, R, K> {
        Proofs { game, trees: [None, None] }
    }

    /// Keeps a tree whose question has this answer. The one before it that had the same said less.
    pub(super) fn keep(&mut self, answer: bool, mut tree: PlayoutTree<'g, R, K>) {
        tree.finish();
        self.trees[usize::from(answer)] = Some(tree);
    }

    pub(super) fn forget(&mut self) {
        self.trees = [None, None];
    }

    pub(super) fn bytes(&self) -> u64 {
        self.trees.iter().flatten().map(PlayoutTree::bytes).sum()
    }

    /// What the trees have settled of a position, where positions have values of their own.
    ///
    /// # Panics
    /// If the trees contradict each other.
    #[must_use]
    pub fn known(&self, p: &R::Position) -> Bounds {
        let known = self.trees.iter().flatten().filter_map(|tree| tree.known(p));
        known.fold(self.game.values(), |sum, (known, _)| match sum.meet(known) {
            Ok(both) => both,
            Err(error) => panic!("{error}, at {:?}", p),
        })
    }

    fn candidates(&self, p: &R::Position) -> Vec<Candidate<R>> {
        let game = self.game;
        let turn = game.turn(p);
        let mut list = MoveList::new();
        if game.outcome(p).is_none() {
            game.moves(p, &mut list);
        }
        let candidate = |mv| {
            let position = game.play(p, mv);
            let mut bounds = game.static_bounds(&position);
            let mut met = (0, 0);
            for (known, playouts) in self.trees.iter().flatten().filter_map(|t| t.known(&position))
            {
                bounds = match bounds.meet(known) {
                    Ok(both) => both,
                    Err(error) => panic!("{error}, at {:?}", &position),
                };
                met = (met.0 + 1, met.1 + playouts);
            }
            let over = game.outcome(&position).is_some();
            Candidate { mv, position, seen: bounds.seen_by(turn), over, met }
        };
        list.iter().map(candidate).collect()
    }

    /// Play from `p`, whose value this is, in which both sides keep it, as far as that is known.
    pub(super) fn line(&self, p: &R::Position, value: Value) -> Vec<R::Move> {
        let game = self.game;
        let (mut line, mut past, mut p) = (Vec::new(), vec![*p], *p);
        while line.len() < MAX_LINE {
            let turn = game.turn(&p);
            let wanted = value * turn.sign();
            // Who has nothing to lose goes on playing; the other ends the game where it can.
            let lost = wanted == game.values().seen_by(turn).lo;
            let mut candidates = self.candidates(&p);
            candidates.retain(|c| c.seen.lo >= wanted && !past.contains(&c.position));
            let best = candidates.into_iter().rev().max_by_key(|c| (c.over != lost, c.met));
            let Some(Candidate { mv, position, .. }) = best else { break };
            line.push(mv);
            // Facts hold below the root. After it, where values depend on the line, they may not.
            if R::CYCLIC && game.repetition().fixed().is_none() {
                break;
            }
            p = position;
            past.push(p);
        }
        line
    }

    /// A move of `p` that is proved to keep what is proved for the player to move.
    pub(super) fn keeping(&self, p: &R::Position, bounds: Bounds) -> Option<R::Move> {
        let lo = bounds.seen_by(self.game.turn(p)).lo;
        let keeps = self.candidates(p).into_iter().rev().filter(|c| c.seen.lo >= lo);
        keeps.max_by_key(|c| (c.over, c.met)).map(|c| c.mv)
    }

    /// What to play at `p`, of which only these bounds are known.
    pub(super) fn choice(
        &self,
        p: &R::Position,
        bounds: Bounds,
        favourite: Option<R::Move>,
    ) -> Option<R::Move> {
        let turn = self.game.turn(p);
        let least = self.game.values().seen_by(turn).lo;
        let moves = self.candidates(p).into_iter().map(|c| (c.mv, c.seen));
        choice(moves, bounds.seen_by(turn).lo, least, favourite)
    }
}
