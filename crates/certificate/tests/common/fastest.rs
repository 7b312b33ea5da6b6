//! The plainest source of fastest moves: all positions are listed, and those from which a claim can be kept with the game over
//! within 0, 1, 2, ... plies are found one number after the other. It works where positions can repeat, too.

use std::collections::HashMap;
use zermelo_certificate::{Claim, StrategySource};
use zermelo_game::{MoveList, Notation};

/// Knows for every position within how many plies the claimant can end the game with the claim kept.
pub struct Fastest<'r, R: Notation> {
    rules: &'r R,
    claim: Claim,
    plies: HashMap<R::Key, u32>,
}

impl<'r, R: Notation> Fastest<'r, R> {
    /// Lists what can be reached from a position; `None` if there is more than this.
    pub fn new(rules: &'r R, root: &R::Position, claim: Claim, most: usize) -> Option<Self> {
        let (mut all, mut numbers) = (vec![*root], HashMap::from([(rules.key(root), 0)]));
        let mut after: Vec<Vec<usize>> = Vec::new();
        let mut list = MoveList::new();
        while let Some(p) = all.get(after.len()).copied() {
            list.clear();
            if rules.outcome(&p).is_none() {
                rules.moves(&p, &mut list);
            }
            let children = list.iter().map(|m| {
                let next = rules.play(&p, m);
                *numbers.entry(rules.key(&next)).or_insert_with(|| {
                    all.push(next);
                    all.len() - 1
                })
            });
            after.push(children.collect());
            if all.len() > most {
                return None;
            }
        }
        let ends = |p| u32::from(!rules.outcome(p).is_some_and(|value| claim.is_kept_by(value)));
        let mut plies: Vec<Option<u32>> = all.iter().map(|p| (ends(p) == 0).then_some(0)).collect();
        for n in 1.. {
            let within = |i: &usize| plies[*i].is_some_and(|plies| plies < n);
            let reached = |i: &usize| match rules.turn(&all[*i]) == claim.claimant {
                true => after[*i].iter().any(within),
                false => !after[*i].is_empty() && after[*i].iter().all(within),
            };
            let new: Vec<usize> =
                (0..all.len()).filter(|&i| plies[i].is_none()).filter(reached).collect();
            if new.is_empty() {
                break;
            }
            new.into_iter().for_each(|i| plies[i] = Some(n));
        }
        let plies = all.iter().zip(plies).filter_map(|(p, n)| Some((rules.key(p), n?)));
        Some(Fastest { rules, claim, plies: plies.collect() })
    }

    /// The plies to the end with the claim kept, if it can be kept in this way.
    pub fn plies(&self, p: &R::Position) -> Option<u32> {
        self.plies.get(&self.rules.key(p)).copied()
    }
}

impl<R: Notation> StrategySource<R> for Fastest<'_, R> {
    fn choose(&mut self, p: &R::Position, _: R::Key, moves: &MoveList<R::Move>) -> Option<R::Move> {
        assert_eq!(self.rules.turn(p), self.claim.claimant);
        let plies = |m: &R::Move| self.plies(&self.rules.play(p, *m));
        moves
            .iter()
            .filter_map(|m| Some((plies(&m)?, m)))
            .min_by_key(|(plies, _)| *plies)
            .map(|m| m.1)
    }
}
