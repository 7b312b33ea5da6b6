//! Strategies that get somewhere, where positions can come back.
//!
//! A win may not rest on repetition, so the claimant needs moves that lead to the end along no circle.
//! Positions are listed, and the ends that keep the claim are propagated backwards, each position with the
//! number of steps it is from them: a move to a position with a smaller number is progress. (The attractor of games
//! on graphs.) First only one move of the claimant is followed at each of its positions, then all that are known to
//! keep the claim. If these go round in circles, somebody has forgotten what a proof rested on: the positions without
//! progress are proved anew, as often as that helps. At last all moves there are are followed.

use crate::format::Claim;
use crate::rules::Rules;
use crate::write::{Advisor, Failure};
use rustc_hash::FxHashMap;
use zermelo_game::{Game, MoveList};

/// For each position, by its class, the steps to the end.
pub(crate) struct Steps<'g, G: Game> {
    rules: Rules<'g, G>,
    steps: FxHashMap<G::Key, u32>,
}

/// So often positions are listed along known moves.
const ROUNDS: usize = 40;
/// So many positions are proved anew before they are listed again.
const RENEWED: usize = 200;

/// Which moves of the claimant are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    One,
    Known,
    All,
}

impl<'g, G: Game> Steps<'g, G> {
    /// Finds progress from a position on.
    pub(crate) fn towards(
        rules: Rules<'g, G>,
        root: &G::Position,
        claim: Claim,
        advisor: &mut dyn Advisor<G>,
    ) -> Result<Steps<'g, G>, Failure> {
        let mut width = Width::One;
        for _ in 0..ROUNDS {
            let Some(mut graph) = Graph::list(rules, root, claim, advisor, width)? else { break };
            let steps = graph.steps();
            if steps.contains_key(&rules.class(root)) {
                return Ok(Steps { rules, steps });
            }
            if width == Width::Known {
                let stuck = graph.positions.iter().filter(|p| {
                    rules.turn(p) == claim.claimant && !steps.contains_key(&rules.class(p))
                });
                if stuck.take(RENEWED).filter(|p| advisor.renew(p)).count() == 0 {
                    break;
                }
            }
            width = Width::Known;
        }
        let graph = Graph::list(rules, root, claim, advisor, Width::All)?;
        Ok(Steps { rules, steps: graph.map_or_else(FxHashMap::default, |mut graph| graph.steps()) })
    }
}

/// Positions, and from where they are reached.
struct Graph<G: Game> {
    positions: Vec<G::Position>,
    classes: Vec<G::Key>,
    parents: Vec<Vec<u32>>,
    /// How many children must be settled before a position is.
    missing: Vec<usize>,
    /// Ends that keep the claim.
    ready: Vec<u32>,
}

impl<G: Game> Graph<G> {
    /// All positions that can be reached; `None` where no move is known to keep the claim.
    fn list(
        rules: Rules<G>,
        root: &G::Position,
        claim: Claim,
        advisor: &mut dyn Advisor<G>,
        width: Width,
    ) -> Result<Option<Graph<G>>, Failure> {
        let mut numbers = FxHashMap::default();
        numbers.insert(rules.class(root), 0u32);
        let mut graph = Graph {
            positions: vec![*root],
            classes: vec![rules.class(root)],
            parents: vec![Vec::new()],
            missing: Vec::new(),
            ready: Vec::new(),
        };
        // Besides what is kept of each position, it stands in a map and among the parents of some.
        let bytes = size_of::<G::Position>() + 3 * size_of::<G::Key>() + 80;
        let most = advisor.room() / bytes as u64;
        let (mut list, mut chosen) = (MoveList::new(), Vec::new());
        while graph.missing.len() < graph.positions.len() {
            let at = graph.missing.len();
            if at % (1 << 12) == 0 && !advisor.goes_on(0) {
                return Err(Failure::Stopped);
            }
            if graph.positions.len() as u64 > most {
                return match width {
                    Width::All => Err(Failure::Circles(graph.positions.len())),
                    _ => Ok(None),
                };
            }
            let p = graph.positions[at];
            if let Some(value) = rules.expand(&p, &mut list) {
                graph.missing.push(usize::MAX);
                if claim.is_kept_by(value) {
                    graph.ready.push(at as u32);
                }
                continue;
            }
            let mine = rules.turn(&p) == claim.claimant;
            chosen.clear();
            let class = graph.classes[at];
            match (mine, width) {
                (true, Width::One) => chosen.extend(advisor.advise(&p, class, &list)),
                (true, Width::Known) => {
                    advisor.others(&p, &mut chosen);
                    if chosen.is_empty() {
                        chosen.extend(advisor.advise(&p, class, &list));
                    }
                }
                _ => chosen.extend(list.iter()),
            }
            if chosen.is_empty() {
                return match advisor.goes_on(0) {
                    true => Ok(None),
                    false => Err(Failure::Stopped),
                };
            }
            graph.missing.push(if mine { 1 } else { chosen.len() });
            for &m in &chosen {
                let child = rules.play(&p, m);
                let (class, new) = (rules.class(&child), graph.positions.len() as u32);
                let number = *numbers.entry(class).or_insert(new);
                if number == new {
                    graph.positions.push(child);
                    graph.classes.push(class);
                    graph.parents.push(Vec::new());
                }
                graph.parents[number as usize].push(at as u32);
            }
        }
        Ok(Some(graph))
    }

    /// The steps of every position from which the end can be forced.
    fn steps(&mut self) -> FxHashMap<G::Key, u32> {
        let mut steps = FxHashMap::default();
        let mut count = 0;
        while !self.ready.is_empty() {
            let mut later = Vec::new();
            for n in self.ready.drain(..) {
                steps.insert(self.classes[n as usize], count);
                for &parent in &self.parents[n as usize] {
                    let missing = &mut self.missing[parent as usize];
                    if *missing == 0 || *missing == usize::MAX {
                        continue;
                    }
                    *missing -= 1;
                    if *missing == 0 {
                        later.push(parent);
                    }
                }
            }
            self.ready = later;
            count += 1;
        }
        steps
    }
}

impl<G: Game> Advisor<G> for Steps<'_, G> {
    fn advise(
        &mut self,
        p: &G::Position,
        class: G::Key,
        moves: &MoveList<G::Move>,
    ) -> Option<G::Move> {
        let own = *self.steps.get(&class)?;
        moves.iter().find(|&m| {
            let class = self.rules.class(&self.rules.play(p, m));
            self.steps.get(&class).is_some_and(|&steps| steps < own)
        })
    }
}
