//! PN2 (Allis 1994; Breuker 1998): proof-number search whose leaves are searched by proof-number search.
//!
//! A tree holds far fewer nodes than a search visits in the time one is willing to wait. So at each leaf of
//! the first tree a second one is grown, and thrown away but for the children of the leaf with their
//! numbers: what the first tree holds is worth as much as if it were many times larger. [`SecondTreeSize`] says
//! how large the second tree may become; the memory limit holds for both together.

use super::numbers::Numbers;
use super::pns::{self, cost};
use super::tree::{Full, ProofNumberTree, ROOT};
use super::view::QuestionView;
use super::{Forgetful, ProverConfig, ProverRun, QuestionAnswer, QuestionProver};
use crate::engine::Engine;
use crate::engines::{EngineSettings, Make, Needs};
use crate::watch::Meter;
use zermelo_game::{Knowledge, Progress, Rules, Stats, Stop};

/// How large the second tree may become, by the size of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SecondTreeSize {
    /// As large as the first (Allis 1994).
    #[default]
    Equal,
    /// A share of `1 / (1 + exp((a - x) / b))` of the first tree's `x` nodes: little while the first tree is
    /// small, nearly all as it fills the memory (Breuker 1998).
    Logistic {
        /// The first tree's nodes at which the share is a half.
        a: u64,
        /// How slowly it rises.
        b: u64,
    },
}

impl SecondTreeSize {
    /// Nodes of the second tree beside a first tree of `first` nodes.
    #[must_use]
    pub fn nodes(self, first: usize) -> usize {
        match self {
            SecondTreeSize::Equal => first,
            SecondTreeSize::Logistic { a, b } => {
                let (x, a, b) = (first as f64, a as f64, b as f64);
                (x / (1.0 + f64::exp((a - x) / b))) as usize
            }
        }
    }
}

/// How to search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Config {
    /// The numbers of both trees.
    pub numbers: pns::Config,
    /// How large the second tree may become.
    pub size: SecondTreeSize,
}

crate::options!(Config {
    "sum" = numbers.rule: "how the numbers of children add up: weak numbers, dynamic widening (TOP, RATE)",
    "leaf" = numbers.leaf: "the numbers of new leaves: one, by the number of moves, or as the game says",
    "size" = size: "how large the second tree may become: as the first, or a logistic part of it (Breuker)",
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

/// PN2.
#[derive(Debug)]
pub struct Pn2<R: Rules> {
    config: Config,
    past: Vec<R::Position>,
    stats: Stats,
    promising: Option<R::Move>,
}

impl<R: Rules> Pn2<R> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(config: Config) -> Pn2<R> {
        Pn2 { config, past: Vec::new(), stats: Stats::default(), promising: None }
    }

    /// The same below a line that went through these positions, oldest first: coming back to one of them is a
    /// repetition.
    #[must_use]
    pub fn below(self, past: &[R::Position]) -> Pn2<R> {
        Pn2 { past: past.to_vec(), ..self }
    }
}

impl<R: Rules, K: Knowledge<R>> ProverConfig<R, K> for Config {
    type Prover = Pn2<R>;

    fn prover(&self, past: &[R::Position]) -> Pn2<R> {
        Pn2::new(*self).below(past)
    }
}

/// Both trees, and how many nodes they may have together.
struct Pair<'g, R: Rules, K: Knowledge<R>> {
    first: ProofNumberTree<'g, R, K, pns::Config>,
    second: ProofNumberTree<'g, R, K, pns::Config>,
    size: SecondTreeSize,
    limit: usize,
}

impl<R: Rules, K: Knowledge<R>> Pair<'_, R, K> {
    /// Searches the most promising leaf of the first tree; false if the watch says stop.
    fn step(&mut self, meter: &mut Meter) -> Result<bool, Full> {
        let leaf = self.first.descend();
        let wanted = self.size.nodes(self.first.live());
        let room = self.limit.saturating_sub(self.first.capacity());
        let may = wanted.min(room);
        if self.second.capacity() > may {
            self.second.shrink(may);
        }
        self.second.set_limit(may);
        let past = if R::CYCLIC { self.first.ancestors(leaf) } else { Vec::new() };
        let before = self.second.expanded();
        self.second.restart(self.first.position(leaf), past.get(1..).unwrap_or(&[]));
        while self.second.answer().is_none() {
            if !meter.enter() {
                return Ok(false);
            }
            if self.second.step().is_err() {
                break;
            }
        }
        if let Some(numbers) = self.second.answer() {
            self.first.take_line(leaf, &self.second);
            self.first.settle(leaf, numbers, self.second.expanded() - before);
        } else if self.second.is_expanded(ROOT) {
            self.hand_over(leaf)?;
        } else {
            // No room for a second tree: its first step is the first tree's.
            self.make_room();
            self.first.expand(leaf)?;
        }
        self.first.back_up(leaf);
        Ok(true)
    }

    /// Gives the leaf the children of the second tree's root.
    fn hand_over(&mut self, leaf: u32) -> Result<(), Full> {
        let second = &self.second;
        let children: Vec<(R::Move, R::Position, Numbers)> = second
            .children(ROOT)
            .filter_map(|c| second.move_to(c).map(|m| (m, *second.position(c), second.mark(c))))
            .collect();
        let floor = second.floor(ROOT);
        if self.first.extent() + children.len() > self.first.capacity() {
            self.make_room();
        }
        self.first.add_children(leaf, floor, children.into_iter())
    }

    /// Gives the second tree's memory to the first.
    fn make_room(&mut self) {
        self.second.shrink(0);
        self.first.set_limit(self.limit);
    }
}

impl<R: Rules, K: Knowledge<R>> QuestionProver<R, K> for Pn2<R> {
    fn ask(
        &mut self,
        view: &QuestionView<R, K>,
        p: &R::Position,
        run: &ProverRun<R>,
    ) -> Option<QuestionAnswer<R::Move>> {
        let limit =
            (run.watch.memory() / ProofNumberTree::<R, K, pns::Config>::NODE as u64) as usize;
        // The second tree always has a root.
        let limit = limit.saturating_sub(1);
        let Config { numbers, size } = self.config;
        let mut pair = Pair {
            first: ProofNumberTree::below(*view, &self.past, p, numbers, limit),
            second: ProofNumberTree::new(*view, p, numbers, 1),
            size,
            limit,
        };
        let mut meter = Meter::new(run.watch);
        let before = self.stats;
        while pair.first.answer().is_none() {
            match pair.step(&mut meter) {
                Ok(true) => {}
                Ok(false) => break,
                Err(Full) => {
                    run.watch.stop(Stop::OutOfMemory);
                    break;
                }
            }
            if run.watch.time_to_show() {
                let stats = cost(&before, &[&pair.first, &pair.second], run);
                let (bounds, line, proof) = (run.known, pair.first.line(), pair.first.proof());
                (run.observer)(&Progress { bounds, stats, line, proof });
            }
        }
        drop(meter);
        self.stats = cost(&before, &[&pair.first, &pair.second], run);
        let line = pair.first.line();
        self.promising = line.first().copied();
        pair.first.answer().map(|numbers| QuestionAnswer { numbers, line })
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn promising(&self) -> Option<R::Move> {
        self.promising
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(SecondTreeSize::Equal.nodes(1000), 1000);
        let size = SecondTreeSize::Logistic { a: 1000, b: 100 };
        assert_eq!(size.nodes(1000), 500);
        assert!(size.nodes(1) == 0 && size.nodes(3000) >= 2999);
    }
}
