//! PN2 (Allis 1994; Breuker 1998): proof-number search whose leaves are searched by proof-number search.
//!
//! A tree holds far fewer nodes than a search visits in the time one is willing to wait. So at each leaf of
//! the first tree a second one is grown, and thrown away but for the children of the leaf with their
//! numbers: what the first tree holds is worth as much as if it were many times larger. [`Size`] says
//! how large the second tree may become; the memory limit holds for both together.

use super::numbers::Numbers;
use super::pns::{self, cost};
use super::tree::{Full, ROOT, Tree};
use super::view::View;
use super::{Answer, Prover, Run};
use crate::watch::Meter;
use zermelo_game::{Game, Progress, Stats, Stop};

/// How large the second tree may become, by the size of the first.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Size {
    /// As large as the first (Allis 1994).
    #[default]
    Equal,
    /// A share of `1 / (1 + exp((a - x) / b))` of the first tree's `x` nodes: little while the first tree is
    /// small, nearly all as it fills the memory (Breuker 1998).
    Logistic {
        /// The first tree's nodes at which the share is a half.
        a: f64,
        /// How slowly it rises.
        b: f64,
    },
}

impl Size {
    /// Nodes of the second tree beside a first tree of `first` nodes.
    #[must_use]
    pub fn nodes(self, first: usize) -> usize {
        match self {
            Size::Equal => first,
            Size::Logistic { a, b } => {
                let x = first as f64;
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
    pub size: Size,
}

/// PN2.
#[derive(Debug)]
pub struct Pn2<G: Game> {
    config: Config,
    stats: Stats,
    promising: Option<G::Move>,
}

impl<G: Game> Pn2<G> {
    /// A search that has not begun.
    #[must_use]
    pub fn new(config: Config) -> Pn2<G> {
        Pn2 { config, stats: Stats::default(), promising: None }
    }
}

/// Both trees, and how many nodes they may have together.
struct Pair<'g, G: Game> {
    first: Tree<'g, G, pns::Config>,
    second: Tree<'g, G, pns::Config>,
    size: Size,
    limit: usize,
}

impl<G: Game> Pair<'_, G> {
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
        let past = if G::CYCLIC { self.first.ancestors(leaf) } else { Vec::new() };
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
        let children: Vec<(G::Move, G::Position, Numbers)> = second
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

impl<G: Game> Prover<G> for Pn2<G> {
    fn ask(&mut self, view: &View<G>, p: &G::Position, run: &Run<G>) -> Option<Answer<G::Move>> {
        let limit = (run.watch.memory() / Tree::<G, pns::Config>::NODE as u64) as usize;
        // The second tree always has a root.
        let limit = limit.saturating_sub(1);
        let Config { numbers, size } = self.config;
        let mut pair = Pair {
            first: Tree::new(*view, p, numbers, limit),
            second: Tree::new(*view, p, numbers, 1),
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
        pair.first.answer().map(|numbers| Answer { numbers, line })
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn promising(&self) -> Option<G::Move> {
        self.promising
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(Size::Equal.nodes(1000), 1000);
        let size = Size::Logistic { a: 1000.0, b: 100.0 };
        assert_eq!(size.nodes(1000), 500);
        assert!(size.nodes(1) == 0 && size.nodes(3000) >= 2999);
    }
}
