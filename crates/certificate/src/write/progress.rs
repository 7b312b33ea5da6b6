//! Strategies that reach the end of the game where positions can be repeated.
//!
//! A win must not depend on repetition, so the claimant needs moves that lead to the end without a cycle.
//! Positions are listed, and the ends that keep the claim are propagated backwards, each position with the
//! number of steps it is from them: a move to a position with a smaller number is progress. (The attractor of games
//! on graphs.) First only one move of the claimant is followed at each of its positions, then all that are known to
//! keep the claim. If these run in cycles, what is known of some positions was proved of each by the other: the positions
//! without progress are proved again, as often as that helps. In the end all moves there are are followed.

use super::{WriteFailure, WriteLimits};
use crate::rule_book::RuleBook;
use rustc_hash::FxHashMap;
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation, StrategySource};

/// The steps to the end from each position, by its symmetry key.
pub(crate) struct StepsToEnd<'g, R: Notation> {
    book: RuleBook<'g, R>,
    steps: FxHashMap<R::Key, u32>,
}

/// How often positions are listed along known moves.
const ROUNDS: usize = 40;
/// How many positions are proved again before they are listed again.
const REPROVED: usize = 200;

/// Which moves of the claimant are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    One,
    Known,
    All,
}

impl<'g, R: Notation> StepsToEnd<'g, R> {
    /// Finds progress from a position on.
    pub(crate) fn towards(
        book: RuleBook<'g, R>,
        root: &R::Position,
        claim: Claim,
        source: &mut dyn StrategySource<R>,
        limits: &WriteLimits,
    ) -> Result<StepsToEnd<'g, R>, WriteFailure> {
        let mut width = Width::One;
        for _ in 0..ROUNDS {
            let Some(mut graph) = MoveGraph::list(book, root, claim, source, limits, width)? else {
                break;
            };
            let steps = graph.steps();
            if steps.contains_key(&book.symmetry_key(root)) {
                return Ok(StepsToEnd { book, steps });
            }
            if width == Width::Known {
                let stuck = graph.positions.iter().filter(|p| {
                    book.turn(p) == claim.claimant && !steps.contains_key(&book.symmetry_key(p))
                });
                if stuck.take(REPROVED).filter(|p| source.reprove(p)).count() == 0 {
                    break;
                }
            }
            width = Width::Known;
        }
        let graph = MoveGraph::list(book, root, claim, source, limits, Width::All)?;
        Ok(StepsToEnd {
            book,
            steps: graph.map_or_else(FxHashMap::default, |mut graph| graph.steps()),
        })
    }
}

/// Positions, and from where they are reached.
struct MoveGraph<R: Notation> {
    positions: Vec<R::Position>,
    keys: Vec<R::Key>,
    parents: Vec<Vec<u32>>,
    /// How many children must be settled before a position is.
    missing: Vec<usize>,
    /// Ends that keep the claim.
    ready: Vec<u32>,
}

impl<R: Notation> MoveGraph<R> {
    /// All positions that can be reached; `None` where no move is known to keep the claim.
    fn list(
        book: RuleBook<R>,
        root: &R::Position,
        claim: Claim,
        source: &mut dyn StrategySource<R>,
        limits: &WriteLimits,
        width: Width,
    ) -> Result<Option<MoveGraph<R>>, WriteFailure> {
        let mut numbers = FxHashMap::default();
        numbers.insert(book.symmetry_key(root), 0u32);
        let mut graph = MoveGraph {
            positions: vec![*root],
            keys: vec![book.symmetry_key(root)],
            parents: vec![Vec::new()],
            missing: Vec::new(),
            ready: Vec::new(),
        };
        // Besides what is kept of each position, it stands in a map and among the parents of some.
        let bytes = size_of::<R::Position>() + 3 * size_of::<R::Key>() + 80;
        let most = limits.memory / bytes as u64;
        let (mut list, mut chosen) = (MoveList::new(), Vec::new());
        while graph.missing.len() < graph.positions.len() {
            let at = graph.missing.len();
            if at % (1 << 12) == 0 && !limits.go_on(&*source, 0) {
                return Err(WriteFailure::Stopped);
            }
            if graph.positions.len() as u64 > most {
                return match width {
                    Width::All => Err(WriteFailure::Cycles(graph.positions.len())),
                    _ => Ok(None),
                };
            }
            let p = graph.positions[at];
            if let Some(value) = book.expand(&p, &mut list) {
                graph.missing.push(usize::MAX);
                if claim.is_kept_by(value) {
                    graph.ready.push(at as u32);
                }
                continue;
            }
            let mine = book.turn(&p) == claim.claimant;
            chosen.clear();
            let key = graph.keys[at];
            match (mine, width) {
                (true, Width::One) => chosen.extend(source.choose(&p, key, &list)),
                (true, Width::Known) => {
                    source.alternatives(&p, &mut chosen);
                    if chosen.is_empty() {
                        chosen.extend(source.choose(&p, key, &list));
                    }
                }
                _ => chosen.extend(list.iter()),
            }
            if chosen.is_empty() {
                return match limits.go_on(&*source, 0) {
                    true => Ok(None),
                    false => Err(WriteFailure::Stopped),
                };
            }
            graph.missing.push(if mine { 1 } else { chosen.len() });
            for &m in &chosen {
                let child = book.play(&p, m);
                let (key, new) = (book.symmetry_key(&child), graph.positions.len() as u32);
                let number = *numbers.entry(key).or_insert(new);
                if number == new {
                    graph.positions.push(child);
                    graph.keys.push(key);
                    graph.parents.push(Vec::new());
                }
                graph.parents[number as usize].push(at as u32);
            }
        }
        Ok(Some(graph))
    }

    /// The steps of every position from which the end can be forced.
    fn steps(&mut self) -> FxHashMap<R::Key, u32> {
        let mut steps = FxHashMap::default();
        let mut count = 0;
        while !self.ready.is_empty() {
            let mut later = Vec::new();
            for n in self.ready.drain(..) {
                steps.insert(self.keys[n as usize], count);
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

impl<R: Notation> StrategySource<R> for StepsToEnd<'_, R> {
    fn choose(
        &mut self,
        p: &R::Position,
        key: R::Key,
        moves: &MoveList<R::Move>,
    ) -> Option<R::Move> {
        let own = *self.steps.get(&key)?;
        moves.iter().find(|&m| {
            let key = self.book.symmetry_key(&self.book.play(p, m));
            self.steps.get(&key).is_some_and(|&steps| steps < own)
        })
    }
}
