//! What is missing for a proof: the pure heart of the manager. From what is known of positions it says whether a
//! question about the root is settled, and if not, which leaves are open. A restart comes to the same state.
//!
//! *Is the value at least t?* is a game on a graph which the first player wins by reaching a position where the answer is
//! yes. A line that goes round for ever is worth the value of a repetition, r: it serves the first player where
//! r is at least t, the second otherwise. Whoever is not served must get somewhere: what it can force is the least set
//! that holds its certain positions and, with them, those of its own turn from which a move leads into the set, and
//! those of the other's turn from which all moves do. Let the open leaves count for this player, too, and
//! whatever still lies outside is settled for the other one, who can stay away for ever. Both sets are found by counting
//! backwards, in time proportional to the moves. (That such games need no memory is why this holds for lines that end at
//! the first repetition as well: the winner's move depends on the position alone.)
//!
//! A *threshold* lets likely values count: a leaf whose score by a search lies outside counts as won or lost. Without
//! one, only facts count.

use crate::graph::{Clash, Id, ProofGraph, ProofNode};
use crate::numbers::{LeafSelection, RegionNumbers};
use zermelo_game::{Bounds, Player, Question};

/// Whether a question is settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuestionStatus {
    /// Yes.
    Proved,
    /// No.
    Disproved,
    /// Not yet: these leaves are worth a look, the most promising first.
    Work(Vec<Id>),
}

/// What is missing to answer a question about the root: at most `most` leaves. With a threshold, likely values count.
#[must_use]
pub fn missing(
    graph: &ProofGraph,
    root: Id,
    question: Question,
    threshold: Option<i32>,
    most: usize,
) -> QuestionStatus {
    let region = Region::new(graph, root, question, threshold);
    match region.answer() {
        Some(true) => QuestionStatus::Proved,
        Some(false) => QuestionStatus::Disproved,
        None => {
            let mut numbers = RegionNumbers::new(graph, region, threshold);
            let choice = LeafSelection { most, ..LeafSelection::default() };
            QuestionStatus::Work(
                numbers.choose(graph, &choice).into_iter().map(|pick| pick.leaf).collect(),
            )
        }
    }
}

/// The questions that are open where this is known: does the first player win, does it get a draw; or half of what is open
/// of a score.
#[must_use]
pub fn questions(values: Bounds, known: Bounds) -> Vec<Question> {
    if values.lo >= -1 && values.hi <= 1 {
        let open = |q: &Question| q.answer(known).is_none();
        return [1, 0].map(|at_least| Question { at_least }).into_iter().filter(open).collect();
    }
    Question::halving(known).into_iter().collect()
}

/// Adds everywhere what follows from going round in circles.
pub fn go_round(graph: &mut ProofGraph) -> Result<(), Clash> {
    let values = graph.values;
    if graph.cycles.is_none() {
        return Ok(());
    }
    for at_least in values.lo + 1..=values.hi {
        let region = Region::whole(graph, Question { at_least });
        for (&id, state) in region.ids.iter().zip(&region.state) {
            match state {
                AnswerState::Yes => graph.learn(id, Bounds { lo: at_least, hi: values.hi })?,
                AnswerState::No => graph.learn(id, Bounds { lo: values.lo, hi: at_least - 1 })?,
                AnswerState::Open => {}
            }
        }
    }
    Ok(())
}

/// What the position itself says: by what is known of it or, within a threshold, by its score.
#[must_use]
pub fn status(node: &ProofNode, question: Question, threshold: Option<i32>) -> Option<bool> {
    question.answer(node.bounds).or_else(|| match threshold {
        Some(limit) if node.judged() && !node.expanded() => match node.score {
            score if score >= limit => Some(true),
            score if score <= -limit => Some(false),
            _ => None,
        },
        _ => None,
    })
}

/// The state of a position of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerState {
    /// Open.
    Open,
    /// The answer is yes.
    Yes,
    /// The answer is no.
    No,
}

/// The positions that the root leads to through positions that do not answer the question by themselves.
pub struct Region {
    /// The question.
    pub question: Question,
    /// The positions, the root first.
    pub ids: Vec<Id>,
    /// The answer for each.
    pub state: Vec<AnswerState>,
    /// Children that belong to the region, one position after the other, and where each position's begin.
    children: Vec<u32>,
    child_start: Vec<u32>,
    /// The same for parents.
    parents: Vec<u32>,
    parent_start: Vec<u32>,
    /// Children that answer the question by themselves: with yes, with no.
    answered: Vec<[u16; 2]>,
    /// Whose turn it is.
    second: Vec<bool>,
    /// Whether it has moves.
    inner: Vec<bool>,
    /// The answer of the root by itself.
    root: Option<bool>,
}

impl Region {
    /// Explores and settles the region below a root.
    #[must_use]
    pub fn new(graph: &ProofGraph, root: Id, question: Question, threshold: Option<i32>) -> Region {
        let own = status(graph.node(root), question, threshold);
        let starts = if own.is_none() { vec![root] } else { Vec::new() };
        Region::from(graph, starts, question, threshold, own)
    }

    /// The region of everything.
    #[must_use]
    pub fn whole(graph: &ProofGraph, question: Question) -> Region {
        let open = |&id: &Id| status(graph.node(id), question, None).is_none();
        let starts = (0..graph.len() as Id).filter(open).collect();
        Region::from(graph, starts, question, None, None)
    }

    fn from(
        graph: &ProofGraph,
        starts: Vec<Id>,
        question: Question,
        threshold: Option<i32>,
        root: Option<bool>,
    ) -> Region {
        const NEW: u32 = u32::MAX;
        let mut place = vec![NEW; graph.len()];
        let mut ids = starts;
        ids.iter().enumerate().for_each(|(i, &id)| place[id as usize] = i as u32);
        let (mut children, mut child_start, mut answered) = (Vec::new(), vec![0], Vec::new());
        let (mut second, mut inner) = (Vec::new(), Vec::new());
        let mut next = 0;
        while let Some(&id) = ids.get(next) {
            let mut settled = [0; 2];
            for &child in graph.children(id) {
                match status(graph.node(child), question, threshold) {
                    Some(yes) => settled[usize::from(!yes)] += 1,
                    None => {
                        let at = &mut place[child as usize];
                        if *at == NEW {
                            *at = ids.len() as u32;
                            ids.push(child);
                        }
                        children.push(*at);
                    }
                }
            }
            answered.push(settled);
            child_start.push(children.len() as u32);
            second.push(graph.node(id).turn() == Player::Second);
            inner.push(graph.node(id).expanded());
            next += 1;
        }
        drop(place);
        let (parents, parent_start) = reversed(&children, &child_start);
        let state = vec![AnswerState::Open; ids.len()];
        let mut region = Region {
            question,
            ids,
            state,
            children,
            child_start,
            parents,
            parent_start,
            answered,
            second,
            inner,
            root,
        };
        region.settle(graph.cycles.map(|worth| worth >= question.at_least));
        region
    }

    /// The answer for the root.
    #[must_use]
    pub fn answer(&self) -> Option<bool> {
        self.root.or_else(|| match self.state.first() {
            Some(AnswerState::Yes) => Some(true),
            Some(AnswerState::No) => Some(false),
            _ => None,
        })
    }

    /// How many positions it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether it has none: the root answers by itself.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Where the moves of a position lead within the region.
    #[must_use]
    pub fn children(&self, at: usize) -> &[u32] {
        &self.children[self.child_start[at] as usize..self.child_start[at + 1] as usize]
    }

    /// The positions of the region from which a move leads here.
    #[must_use]
    pub fn parents(&self, at: usize) -> &[u32] {
        &self.parents[self.parent_start[at] as usize..self.parent_start[at + 1] as usize]
    }

    /// Whether it is the second player's turn.
    #[must_use]
    pub fn second(&self, at: usize) -> bool {
        self.second[at]
    }

    /// Whether it is a leaf.
    #[must_use]
    pub fn is_leaf(&self, at: usize) -> bool {
        !self.inner[at]
    }

    /// How many open leaves it has.
    #[must_use]
    pub fn frontier(&self) -> usize {
        (0..self.len()).filter(|&at| self.is_leaf(at)).count()
    }

    /// Settles what can be settled. `served` is who profits from going round: `Some(true)` for yes.
    fn settle(&mut self, served: Option<bool>) {
        for yes in [true, false] {
            for at in self.forced(yes, false) {
                self.state[at as usize] = if yes { AnswerState::Yes } else { AnswerState::No };
            }
        }
        if let Some(yes) = served {
            let mut within = vec![false; self.len()];
            self.forced(!yes, true).into_iter().for_each(|at| within[at as usize] = true);
            let outside = self.state.iter_mut().zip(within).filter(|(_, within)| !within);
            for (state, _) in outside.filter(|(state, _)| **state == AnswerState::Open) {
                *state = if yes { AnswerState::Yes } else { AnswerState::No };
            }
        }
    }

    /// The positions from which one side forces its answer; with `leaves`, open leaves count for it.
    fn forced(&self, yes: bool, leaves: bool) -> Vec<u32> {
        let side = usize::from(!yes);
        let mut found = Vec::new();
        let mut within = vec![false; self.len()];
        // Children that are not in the set yet, where all of them must be.
        let mut left: Vec<u32> = (0..self.len())
            .map(|at| (self.children(at).len() as u32) + u32::from(self.answered[at][1 - side]))
            .collect();
        for at in 0..self.len() {
            // The first player chooses for yes, the second for no.
            let chooses = self.second[at] != yes;
            let certain = match self.inner[at] {
                false => leaves,
                true if chooses => self.answered[at][side] > 0,
                true => left[at] == 0,
            };
            if certain {
                within[at] = true;
                found.push(at as u32);
            }
        }
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            next += 1;
            for &parent in self.parents(at as usize) {
                let p = parent as usize;
                left[p] -= 1;
                let chooses = self.second[p] != yes;
                if !within[p] && (chooses || left[p] == 0) {
                    within[p] = true;
                    found.push(parent);
                }
            }
        }
        found
    }
}

/// Moves backwards.
fn reversed(children: &[u32], start: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let n = start.len() - 1;
    let mut at = vec![0u32; n + 1];
    children.iter().for_each(|&c| at[c as usize + 1] += 1);
    for i in 0..n {
        at[i + 1] += at[i];
    }
    let ends = at.clone();
    let mut parents = vec![0; children.len()];
    for parent in 0..n {
        for &child in &children[start[parent] as usize..start[parent + 1] as usize] {
            let slot = &mut at[child as usize];
            parents[*slot as usize] = parent as u32;
            *slot += 1;
        }
    }
    (parents, ends)
}
