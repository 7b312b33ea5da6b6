//! Df-pn, told as in a textbook: on a tree, where every node keeps its numbers, so that each step shows the
//! thresholds below which the search stays at a node before it goes back to the parent.
//!
//! With phi and delta as the player to move sees them, a child gets what its parent's delta leaves it for its phi,
//! and for its delta the smaller of its parent's phi and one more than that of the best sibling (Nagai 2002).
//! Nodes on the way to where the search stands carry their thresholds in brackets: they are left when
//! the proof number reaches the first or the disproof number the second.

use super::{Change, Eyes, Growth, GrowthStep, NODES, Written, begin, change, counted, verdict};
use crate::EngineId;
use zermelo_game::{Game, Knowledge, Notation, Player};
use zermelo_search::proofnumber::numbers::{INF, Number, Numbers, SumRule, Term, plus};
use zermelo_search::proofnumber::pns;
use zermelo_search::proofnumber::tree::{ProofNumberTree, ROOT};
use zermelo_search::proofnumber::view::QuestionView;

/// Df-pn at work.
struct Telling<'g, R: Notation, K: Knowledge<R>> {
    tree: ProofNumberTree<'g, R, K, pns::Config>,
    eyes: Eyes<'g, R, K, Numbers>,
    growth: Growth,
    /// The nodes from the root to where the search stands, with their thresholds, seen by the player to move.
    path: Vec<(u32, Numbers)>,
    /// Nodes whose thresholds were shown last.
    shown: Vec<u32>,
    /// Steps still to be told.
    left: usize,
}

/// Tells so many steps.
pub(super) fn told<R: Notation, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    steps: usize,
) -> Growth {
    let (growth, question) = begin(game, p, EngineId::Dfpn);
    let view = QuestionView::new(game, question);
    let mut tree = ProofNumberTree::new(view, p, pns::Config::default(), NODES).kept();
    if let Some(numbers) = view.judge(p) {
        tree.settle(ROOT, numbers, 0);
    }
    let eyes = Eyes::new(game, view, p);
    let (path, shown) = (Vec::new(), Vec::new());
    let mut telling = Telling { tree, eyes, growth, path, shown, left: steps + 1 };
    telling.tell(ROOT, "The root, before anything is done.".into());
    if telling.tree.answer().is_none() {
        let _ = telling.visit(ROOT, Numbers::open(INF, INF));
    }
    telling.growth
}

impl<R: Notation, K: Knowledge<R>> Telling<'_, R, K> {
    fn name(&self, n: u32) -> String {
        match &*self.growth.nodes[n as usize].mv {
            "" => "The root".into(),
            mv => mv.into(),
        }
    }

    fn turn(&self, n: u32) -> Player {
        self.growth.nodes[n as usize].turn
    }

    /// Takes one of the steps that are left; `None` if there is none.
    fn tell(&mut self, focus: u32, mut text: String) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let mut changes = self.eyes.look(&self.tree, &mut self.growth.nodes);
        let plain = |n: u32| change(n as usize, &self.tree.mark(n), self.turn(n));
        let left = self.shown.iter().filter(|n| self.path.iter().all(|(m, _)| m != *n));
        changes.extend(left.map(|&n| plain(n)));
        changes.extend(self.path.iter().map(|(n, most)| {
            let Change { node, label, state } = plain(*n);
            let label = format!("{label} [{}]", most.written(self.turn(*n)));
            Change { node, label, state }
        }));
        self.shown = self.path.iter().map(|(n, _)| *n).collect();
        if let Some(answer) = self.tree.answer()
            && !self.growth.steps.is_empty()
        {
            text += verdict(answer, self.turn(ROOT));
        }
        let nodes = self.growth.nodes.len();
        self.growth.steps.push(GrowthStep { text, focus: focus as usize, nodes, changes });
        Some(())
    }

    /// Works below a node until its numbers reach a threshold; `None` when no step is left.
    fn visit(&mut self, n: u32, most: Numbers) -> Option<()> {
        self.path.push((n, most));
        let name = self.name(n);
        let thresholds = most.written(self.turn(n));
        if !self.tree.is_expanded(n) {
            self.tree.expand(n).ok()?;
            self.update(n);
            let moves = counted(self.tree.children(n).len(), "child", "children");
            let what = match self.tree.mark(n).solved() {
                Some(_) => "is decided by its moves".into(),
                None => format!("gets {moves}"),
            };
            self.tell(n, format!("{name} is entered with thresholds {thresholds} and {what}."))?;
        } else {
            self.tell(n, format!("{name} is entered again with thresholds {thresholds}."))?;
        }
        let mut went = false;
        while let Some((best, second)) = self.update(n) {
            let Numbers { phi, delta, .. } = self.tree.mark(n);
            if phi >= most.phi || delta >= most.delta {
                break;
            }
            let child = self.tree.children(n).start + best as u32;
            let below = self.tree.mark(child);
            let next = Numbers::open(
                if most.delta == INF { INF } else { most.delta - delta + below.phi },
                most.phi.min(plus(second, 1)),
            );
            self.visit(child, next)?;
            went = true;
        }
        self.path.pop();
        if went {
            let numbers = self.tree.mark(n).written(self.turn(n));
            let why = match self.tree.mark(n).solved() {
                Some(_) => "is solved".into(),
                None => format!("reaches a threshold ({thresholds})"),
            };
            let to = self.path.last().map_or(ROOT, |(n, _)| *n);
            self.tell(to, format!("{name}, now {numbers}, {why}."))?;
        }
        Some(())
    }

    /// Makes up the numbers of a node from its children; the child to go to and the second smallest
    /// number, where it is open.
    fn update(&mut self, n: u32) -> Option<(usize, Number)> {
        if self.tree.mark(n).solved().is_some() {
            return None;
        }
        let tree = &self.tree;
        let terms: Vec<Term> =
            tree.children(n).map(|c| Term { numbers: tree.mark(c), old: false }).collect();
        let mut choice = SumRule::Sum.choose(terms.iter().copied());
        if choice.numbers.solved() == Some(false) {
            choice.numbers.value = choice.numbers.value.max(tree.floor(n));
        }
        self.tree.settle(n, choice.numbers, 1);
        choice.numbers.solved().is_none().then_some((choice.best, choice.second))
    }
}
