//! Strategies that get somewhere, where positions can come back.
//!
//! A win may not rest on repetition, so the claimant needs moves that lead to the end along no circle.
//! All positions that can be reached are listed, and the ends that keep the claim are propagated
//! backwards, each position with the number of steps it is from them: a move to a position with a
//! smaller number is progress. (The attractor of games on graphs.)

use crate::format::Claim;
use crate::rules::Rules;
use crate::write::Advisor;
use rustc_hash::FxHashMap;
use zermelo_game::Game;

/// For each position of the claimant, by its class, the steps to the end.
pub(crate) struct Steps<'g, G: Game> {
    rules: Rules<'g, G>,
    steps: FxHashMap<G::Key, u32>,
}

impl<'g, G: Game> Steps<'g, G> {
    pub(crate) fn towards(rules: Rules<'g, G>, root: &G::Position, claim: Claim) -> Steps<'g, G> {
        let mut numbers = FxHashMap::default();
        let mut positions = vec![*root];
        numbers.insert(rules.class(root), 0u32);
        let mut parents: Vec<Vec<u32>> = vec![Vec::new()];
        let mut at = 0;
        let mut missing = Vec::new();
        let mut ready = Vec::new();
        while at < positions.len() {
            let p = positions[at];
            let Some(value) = rules.outcome(&p) else {
                let moves = rules.moves(&p);
                // How many children must be settled before this is.
                missing.push(if rules.turn(&p) == claim.claimant { 1 } else { moves.len() });
                for m in moves.iter() {
                    let child = rules.play(&p, m);
                    let new = positions.len() as u32;
                    let number = *numbers.entry(rules.class(&child)).or_insert(new);
                    if number == new {
                        positions.push(child);
                        parents.push(Vec::new());
                    }
                    parents[number as usize].push(at as u32);
                }
                at += 1;
                continue;
            };
            missing.push(usize::MAX);
            if claim.is_kept_by(value) {
                ready.push(at as u32);
            }
            at += 1;
        }
        let mut steps = FxHashMap::default();
        let mut count = 0;
        while !ready.is_empty() {
            let mut later = Vec::new();
            for n in ready.drain(..) {
                steps.insert(rules.class(&positions[n as usize]), count);
                for &parent in &parents[n as usize] {
                    let missing = &mut missing[parent as usize];
                    if *missing == 0 || *missing == usize::MAX {
                        continue;
                    }
                    *missing -= 1;
                    if *missing == 0 {
                        later.push(parent);
                    }
                }
            }
            ready = later;
            count += 1;
        }
        Steps { rules, steps }
    }
}

impl<G: Game> Advisor<G> for Steps<'_, G> {
    fn advise(&mut self, p: &G::Position) -> Option<G::Move> {
        let own = *self.steps.get(&self.rules.class(p))?;
        let moves = self.rules.moves(p);
        moves.iter().find(|&m| {
            let class = self.rules.class(&self.rules.play(p, m));
            self.steps.get(&class).is_some_and(|&steps| steps < own)
        })
    }
}
