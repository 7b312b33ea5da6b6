//! Where to work: proof numbers of a region, and the leaves they lead to. Heuristic only; no answer depends on it.
//!
//! A *yes* number says how much seems left to be done to answer yes, a *no* number the same for no. At leaves they come
//! from the score (the distance to the threshold; the farther behind a side, the more it has to do), from the search that
//! failed to settle the position above, or from the game's leaf numbers. Who chooses needs the least of its children; who does not needs all of them. (The checkers proof divided
//! this sum by the average branching factor. Here that took more jobs on checkers 4x6 and 4x8, not fewer:
//! `BENCHMARKS.md`.) No number is less than what it is made of, so Knuth's generalisation of Dijkstra's
//! algorithm (1977) finds all of them on graphs with cycles, too: the smallest first, each once.
//!
//! Leaves are chosen one at a time by descending to where both numbers are smallest. A leaf that was chosen counts as
//! harder for the next descent (a virtual loss), so that hundreds at a time lie apart.

use crate::graph::{Id, ProofGraph, ProofNode};
use crate::missing::{AnswerState, Region};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use zermelo_game::Player;

/// A proof number.
pub type Number = u32;
/// Cannot be, as far as can be seen.
pub const NEVER: Number = u32::MAX;
/// The largest number of what can be.
pub const MOST: Number = NEVER - 1;
/// Scores in one step of a number.
const STEP: i32 = 10;
/// How far a score is from a draw that has to be won.
const DRAW: i32 = 50;
/// Where there is no threshold, numbers reach so far.
const FAR: i32 = 300;
/// The most harder a leaf that was chosen counts.
const LOSS: Number = 2;

/// What to choose.
#[derive(Clone, Default)]
pub struct LeafSelection<'c> {
    /// At most so many leaves.
    pub most: usize,
    /// Leaves that somebody is at work on.
    pub busy: Option<&'c FxHashSet<Id>>,
    /// Moves to be tried first: a position and one of its children.
    pub claims: Option<&'c FxHashMap<Id, Id>>,
}

/// A leaf that was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The leaf.
    pub leaf: Id,
    /// Whether yes seems easier to show there than no.
    pub likely: bool,
}

/// Numbers of a region.
pub struct RegionNumbers {
    /// The region.
    pub region: Region,
    /// The number of each position: yes, no.
    pub numbers: Vec<[Number; 2]>,
}

/// What a leaf starts with.
#[must_use]
pub fn leaf(node: &ProofNode, at_least: i16, scored: bool, threshold: Option<i32>) -> [Number; 2] {
    if scored {
        let far = threshold.unwrap_or(FAR);
        let score = node.score.clamp(-2 * far, 2 * far) + if at_least > 0 { -DRAW } else { DRAW };
        let steps = |behind: i32| 1 + (behind.max(0) / STEP) as Number;
        return [steps(far - score), steps(far + score)];
    }
    if let Some((_, told)) = node.told.filter(|(asked, _)| *asked == at_least) {
        return told.map(|number| number.clamp(1, MOST));
    }
    let (own, other) = node.numbers;
    match node.turn() {
        Player::First => [own.max(1), other.max(1)],
        Player::Second => [other.max(1), own.max(1)],
    }
}

impl RegionNumbers {
    /// Works out the numbers of all open positions. Scores count if any position has one.
    #[must_use]
    pub fn new(graph: &ProofGraph, region: Region, threshold: Option<i32>) -> RegionNumbers {
        let scored = region.ids.iter().any(|&id| graph.node(id).score != 0);
        let numbers = vec![[MOST; 2]; region.len()];
        let mut all = RegionNumbers { region, numbers };
        for side in [0, 1] {
            all.spread(graph, side, scored, threshold);
        }
        all
    }

    /// The numbers of the root: yes, no.
    #[must_use]
    pub fn root(&self) -> [Number; 2] {
        match self.region.answer() {
            Some(true) => [0, NEVER],
            Some(false) => [NEVER, 0],
            None => self.numbers[0],
        }
    }

    fn spread(&mut self, graph: &ProofGraph, side: usize, scored: bool, threshold: Option<i32>) {
        let region = &self.region;
        let at_least = region.question.at_least;
        let mut done = vec![false; region.len()];
        // Open children that are not done.
        let mut left = vec![0u32; region.len()];
        let mut heap = BinaryHeap::new();
        for at in 0..region.len() {
            if region.state[at] != AnswerState::Open {
                self.numbers[at] = match region.state[at] {
                    AnswerState::Yes => [0, NEVER],
                    _ => [NEVER, 0],
                };
                done[at] = true;
            } else if region.is_leaf(at) {
                let own = leaf(graph.node(region.ids[at]), at_least, scored, threshold);
                heap.push(Reverse((own[side], at as u32)));
            } else {
                let open = |c: &&u32| region.state[**c as usize] == AnswerState::Open;
                left[at] = region.children(at).iter().filter(open).count() as u32;
            }
        }
        while let Some(Reverse((number, at))) = heap.pop() {
            let at = at as usize;
            if done[at] {
                continue;
            }
            done[at] = true;
            self.numbers[at][side] = number;
            for &parent in self.region.parents(at) {
                let p = parent as usize;
                if done[p] {
                    continue;
                }
                left[p] -= 1;
                if self.chooses(p, side) {
                    heap.push(Reverse((number, parent)));
                } else if left[p] == 0 {
                    heap.push(Reverse((self.all_of(p, side), parent)));
                }
            }
        }
    }

    /// Whether the player to move wants this answer.
    fn chooses(&self, at: usize, side: usize) -> bool {
        self.region.second(at) == (side == 1)
    }

    /// The number of a position that needs all its children.
    fn all_of(&self, at: usize, side: usize) -> Number {
        let open = |c: &&u32| self.region.state[**c as usize] == AnswerState::Open;
        let numbers = self.region.children(at).iter().filter(open);
        let sum: u64 = numbers.map(|&c| u64::from(self.numbers[c as usize][side])).sum();
        sum.clamp(1, u64::from(MOST)) as Number
    }

    /// Works a position out again from its children.
    fn update(&mut self, at: usize) {
        for side in [0, 1] {
            let open = |c: &&u32| self.region.state[**c as usize] == AnswerState::Open;
            self.numbers[at][side] = if self.chooses(at, side) {
                let all = self.region.children(at).iter().filter(open);
                all.map(|&c| self.numbers[c as usize][side]).min().unwrap_or(MOST)
            } else {
                self.all_of(at, side)
            };
        }
    }

    /// Chooses leaves.
    pub fn choose(&mut self, graph: &ProofGraph, choice: &LeafSelection) -> Vec<Pick> {
        let mut picks = Vec::new();
        if self.region.answer().is_some() {
            return picks;
        }
        let mut taken = vec![false; self.region.len()];
        if let Some(busy) = choice.busy {
            for (at, taken) in taken.iter_mut().enumerate() {
                *taken = self.region.is_leaf(at) && busy.contains(&self.region.ids[at]);
            }
            let marked: Vec<usize> = (0..taken.len()).filter(|&at| taken[at]).collect();
            marked.into_iter().for_each(|at| self.harder(at));
        }
        let mut path = Vec::new();
        let mut misses = 0;
        while picks.len() < choice.most && misses < choice.most {
            let Some(at) = self.descend(choice, &mut path) else {
                misses += 1;
                continue;
            };
            let numbers = self.numbers[at];
            if taken[at] {
                misses += 1;
            } else {
                taken[at] = true;
                debug_assert!(!graph.node(self.region.ids[at]).expanded());
                picks.push(Pick { leaf: self.region.ids[at], likely: numbers[0] <= numbers[1] });
            }
            self.harder(at);
            path.iter().rev().for_each(|&p| self.update(p));
        }
        // The descents go where others are at work: any leaf will do.
        for (at, _) in taken.iter().enumerate().filter(|(_, taken)| !**taken) {
            if picks.len() >= choice.most {
                break;
            }
            if self.region.is_leaf(at) && self.region.state[at] == AnswerState::Open {
                let [yes, no] = self.numbers[at];
                picks.push(Pick { leaf: self.region.ids[at], likely: yes <= no });
            }
        }
        picks
    }

    fn harder(&mut self, at: usize) {
        for number in &mut self.numbers[at] {
            *number = number.saturating_mul(LOSS).saturating_add(1).min(MOST);
        }
    }

    /// The positions on the way down to the leaf that would be chosen first, if nobody were at work.
    #[must_use]
    pub fn line(&self) -> Vec<usize> {
        let (mut line, mut at) = (Vec::new(), 0);
        while !self.region.is_leaf(at) {
            line.push(at);
            let side = usize::from(self.region.second(at));
            let next = self
                .region
                .children(at)
                .iter()
                .map(|&c| c as usize)
                .filter(|&c| self.region.state[c] == AnswerState::Open && !line.contains(&c));
            let least = next.min_by_key(|&c| (self.numbers[c][side], self.numbers[c][1 - side]));
            let Some(next) = least else { break };
            at = next;
        }
        line
    }

    /// Goes down to a leaf; `path` are the positions above it. `None` if the way leads round in circles: those on it
    /// count as harder.
    fn descend(&mut self, choice: &LeafSelection, path: &mut Vec<usize>) -> Option<usize> {
        path.clear();
        let mut at = 0;
        while !self.region.is_leaf(at) {
            path.push(at);
            // The player to move looks for the least that it has to do.
            let side = usize::from(self.region.second(at));
            let claimed = choice.claims.and_then(|c| c.get(&self.region.ids[at])).copied();
            let next = self.region.children(at).iter().copied().filter(|&c| {
                self.region.state[c as usize] == AnswerState::Open && !path.contains(&(c as usize))
            });
            let key = |c: u32| {
                let numbers = self.numbers[c as usize];
                let first = claimed != Some(self.region.ids[c as usize]);
                (first, numbers[side], numbers[1 - side])
            };
            let Some(next) = next.min_by_key(|&c| key(c)) else {
                self.harder(at);
                path.pop();
                path.iter().rev().for_each(|&p| self.update(p));
                return None;
            };
            at = next as usize;
        }
        Some(at)
    }
}
