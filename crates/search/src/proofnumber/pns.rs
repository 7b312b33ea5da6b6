//! Proof-number search (Allis, van der Meulen and van den Herik 1994): best-first on a
//! [`Tree`], with the numbers of [`numbers`](super::numbers).
//!
//! The leaf that is worked on is a most-proving one: if the player to move there reaches its goal, the
//! proof number of the root falls, and if it does not, the disproof number does.

use super::leaf::{Leaf, leaf_numbers};
use super::numbers::{Numbers, SumRule, Term};
use super::tree::{Rule, Tree};
use super::view::View;
use super::{Answer, Prover, Run};
use crate::watch::Meter;
use zermelo_game::{Game, Progress, Stats, Stop};

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// How the numbers of children make up those of their parent.
    pub rule: SumRule,
    /// The numbers of open leaves.
    pub leaf: Leaf,
}

impl Rule for Config {
    type Mark = Numbers;

    #[inline]
    fn leaf<G: Game>(&self, view: &View<G>, p: &G::Position, place: u32) -> Numbers {
        leaf_numbers(view.game, p, place, self.leaf)
    }

    #[inline]
    fn choose(&self, children: &[Numbers]) -> (Numbers, usize) {
        let terms = children.iter().map(|&numbers| Term { numbers, old: false });
        let choice = self.rule.choose(terms);
        (choice.numbers, choice.best)
    }
}

/// Proof-number search.
pub type Pns<G> = BestFirst<G, Config>;

/// A tree for each question, which grows until it is answered.
#[derive(Debug)]
pub struct BestFirst<G: Game, R: Rule> {
    rule: R,
    stats: Stats,
    promising: Option<G::Move>,
}

impl<G: Game, R: Rule> BestFirst<G, R> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(rule: R) -> BestFirst<G, R> {
        BestFirst { rule, stats: Stats::default(), promising: None }
    }
}

impl<G: Game, R: Rule + Clone> Prover<G> for BestFirst<G, R> {
    fn ask(&mut self, view: &View<G>, p: &G::Position, run: &Run<G>) -> Option<Answer<G::Move>> {
        let limit = run.watch.memory() / Tree::<G, R>::NODE as u64;
        let mut tree = Tree::new(*view, p, self.rule.clone(), limit as usize);
        let mut meter = Meter::new(run.watch);
        let before = self.stats;
        while tree.answer().is_none() && meter.enter() {
            if tree.step().is_err() {
                run.watch.stop(Stop::OutOfMemory);
                break;
            }
            if tree.expanded().is_multiple_of(1024) && run.watch.time_to_show() {
                let stats = cost(&before, &[&tree], run);
                let (bounds, line, proof) = (run.known, tree.line(), tree.proof());
                (run.observer)(&Progress { bounds, stats, line, proof });
            }
        }
        drop(meter);
        self.stats = cost(&before, &[&tree], run);
        let line = tree.line();
        self.promising = line.first().copied();
        tree.answer().map(|numbers| Answer { numbers, line })
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn promising(&self) -> Option<G::Move> {
        self.promising
    }
}

/// What trees have cost, after what was spent before.
pub(super) fn cost<G: Game, R: Rule>(before: &Stats, trees: &[&Tree<G, R>], run: &Run<G>) -> Stats {
    let mut stats = *before;
    let bytes = trees.iter().map(|t| t.capacity() * Tree::<G, R>::NODE).sum::<usize>() as u64;
    stats.nodes += trees.iter().map(|t| t.expanded()).sum::<u64>();
    stats.evaluations += trees.iter().map(|t| t.judged()).sum::<u64>();
    stats.depth = stats.depth.max(trees.iter().map(|t| t.deepest()).sum());
    stats.table_bytes = stats.table_bytes.max(bytes);
    stats.table_permille = (bytes * 1000 / run.watch.memory().max(1)).min(1000) as u32;
    stats.elapsed = run.watch.elapsed();
    stats
}
