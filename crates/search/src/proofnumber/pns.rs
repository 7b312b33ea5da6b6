//! Proof-number search (Allis, van der Meulen and van den Herik 1994): best-first on a
//! [`ProofNumberTree`], with the numbers of [`numbers`](super::numbers).
//!
//! The leaf that is worked on is a most-proving one: if the player to move there reaches its goal, the
//! proof number of the root falls, and if it does not, the disproof number does.

use super::leaf::{Leaf, leaf_numbers};
use super::numbers::{Numbers, SumRule, Term};
use super::tree::{BackupRule, ProofNumberTree};
use super::view::QuestionView;
use super::{Forgetful, ProverConfig, ProverRun, QuestionAnswer, QuestionProver};
use crate::engine::Engine;
use crate::engines::{EngineSettings, Make, Needs};
use crate::watch::Meter;
use zermelo_game::{Knowledge, Progress, Rules, Stats, Stop};

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// How the numbers of children make up those of their parent.
    pub rule: SumRule,
    /// The numbers of open leaves.
    pub leaf: Leaf,
}

crate::options!(Config {
    "sum" = rule: "how the numbers of children add up: weak numbers, dynamic widening (TOP, RATE)",
    "leaf" = leaf: "the numbers of new leaves: one, by the number of moves, or as the game says",
});

impl EngineSettings for Config {
    const NEEDS: Needs = Needs::LINE;
    const METHODS: &'static [&'static str] = &["proof-number tree"];

    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        Box::new(Forgetful::new(make.game, *self))
    }
}

impl BackupRule for Config {
    type Mark = Numbers;

    #[inline]
    fn leaf<R: Rules, K: Knowledge<R>>(
        &self,
        view: &QuestionView<R, K>,
        p: &R::Position,
        place: u32,
    ) -> Numbers {
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
pub type Pns<R> = BestFirst<R, Config>;

/// A tree for each question, which grows until it is answered.
#[derive(Debug)]
pub struct BestFirst<R: Rules, S: BackupRule> {
    rule: S,
    past: Vec<R::Position>,
    stats: Stats,
    promising: Option<R::Move>,
}

impl<R: Rules, S: BackupRule> BestFirst<R, S> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(rule: S) -> BestFirst<R, S> {
        BestFirst { rule, past: Vec::new(), stats: Stats::default(), promising: None }
    }

    /// The same below a line that went through these positions, oldest first: coming back to one of them is a
    /// repetition.
    #[must_use]
    pub fn below(self, past: &[R::Position]) -> BestFirst<R, S> {
        BestFirst { past: past.to_vec(), ..self }
    }
}

impl<R: Rules, K: Knowledge<R>, S: BackupRule + Clone> QuestionProver<R, K> for BestFirst<R, S> {
    fn ask(
        &mut self,
        view: &QuestionView<R, K>,
        p: &R::Position,
        run: &ProverRun<R>,
    ) -> Option<QuestionAnswer<R::Move>> {
        let limit = run.watch.memory() / ProofNumberTree::<R, K, S>::NODE as u64;
        let mut tree =
            ProofNumberTree::below(*view, &self.past, p, self.rule.clone(), limit as usize);
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
        tree.answer().map(|numbers| QuestionAnswer { numbers, line })
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn promising(&self) -> Option<R::Move> {
        self.promising
    }
}

impl<R: Rules, K: Knowledge<R>, S: BackupRule + Clone> ProverConfig<R, K> for S {
    type Prover = BestFirst<R, S>;

    fn prover(&self, past: &[R::Position]) -> BestFirst<R, S> {
        BestFirst::new(self.clone()).below(past)
    }
}

/// What trees have cost, after what was spent before.
pub(super) fn cost<R: Rules, K: Knowledge<R>, S: BackupRule>(
    before: &Stats,
    trees: &[&ProofNumberTree<R, K, S>],
    run: &ProverRun<R>,
) -> Stats {
    let mut stats = *before;
    let bytes =
        trees.iter().map(|t| t.capacity() * ProofNumberTree::<R, K, S>::NODE).sum::<usize>() as u64;
    stats.nodes += trees.iter().map(|t| t.expanded()).sum::<u64>();
    stats.evaluations += trees.iter().map(|t| t.judged()).sum::<u64>();
    stats.depth = stats.depth.max(trees.iter().map(|t| t.deepest()).sum());
    stats.table_bytes = stats.table_bytes.max(bytes);
    stats.table_permille = (bytes * 1000 / run.watch.memory().max(1)).min(1000) as u32;
    stats.elapsed = run.watch.elapsed();
    stats
}
