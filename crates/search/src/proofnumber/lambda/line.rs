//! A line of play, read from the tables after a success.

use super::search::{Candidate, Search};
use zermelo_game::{Knowledge, Threats};

/// The longest line that is written out.
const MAX_LINE: usize = 1000;

impl<R: Threats, K: Knowledge<R>> Search<'_, R, K> {
    /// A line from `p`, where an attack of this order succeeds. The attacker keeps to the proof, by the
    /// shortest way known, the defender makes the moves that were hardest to refute. What the tables
    /// have lost is searched again; the line is shorter where the search was stopped meanwhile.
    pub(super) fn line(&mut self, p: &R::Position, order: u32) -> Vec<R::Move> {
        let (mut line, mut p) = (Vec::new(), *p);
        while self.view.game.outcome(&p).is_none() && line.len() < MAX_LINE {
            let next = if self.view.game.turn(&p) == self.attacker {
                self.winning(&p, order).or_else(|| self.found_again(&p, order))
            } else {
                let candidates = self.candidates(&p, order);
                candidates.into_iter().rev().max_by_key(|c| (!c.over, c.work))
            };
            let Some(Candidate { mv, position, .. }) = next else { break };
            line.push(mv);
            p = position;
        }
        line
    }

    /// A move of the attacker to a position that is known to be won: one that ends the game, else the
    /// one that took the least work.
    fn winning(&mut self, p: &R::Position, order: u32) -> Option<Candidate<R>> {
        let candidates = self.candidates(p, order).into_iter();
        let won = candidates.filter(|c| c.numbers.solved() == Some(false));
        won.min_by_key(|c| (!c.over, c.work))
    }

    /// The same where the tables have lost it.
    fn found_again(&mut self, p: &R::Position, order: u32) -> Option<Candidate<R>> {
        let game = self.view.game;
        self.best = None;
        (1..=order).find(|&order| self.wins(p, order))?;
        let wanted = game.key(&game.canonical(&game.play(&game.canonical(p), self.best?)));
        self.candidates(p, order).into_iter().find(|c| c.key == wanted)
    }
}
