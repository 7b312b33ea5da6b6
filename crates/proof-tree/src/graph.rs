//! The tree in memory: positions by number, what is known of each, and their moves. It is a graph, as lines meet and
//! positions can repeat. No text and no files here.
//!
//! What is known of a position is what it was told ([`ProofGraph::learn`]) and what follows from its moves: the player to
//! move has the best of them, or the position's `floor`, which is what the moves not listed are worth. Bounds
//! follow one step at a time and never depend on a line of play, so they are true of every position by itself,
//! also on cycles. What only follows from going round in circles is found by [`missing`](crate::missing).

use std::fmt;
use zermelo_game::{Bounds, Player, Value};

/// The number of a position.
pub type Id = u32;

const NONE: u32 = u32::MAX;
/// Bits of a position's marks.
const SECOND: u8 = 1;
const EXPANDED: u8 = 2;
const JUDGED: u8 = 4;
const TRIED: u8 = 8;

/// A position of the graph.
#[derive(Clone, Copy, Debug)]
pub struct ProofNode {
    /// What is known of its value.
    pub bounds: Bounds,
    /// What moves that are not listed are worth, first player's view.
    pub floor: Value,
    marks: u8,
    /// Who stands better; 0 in games that do not say.
    pub score: i32,
    /// What there seems to be to do to show that the player to move reaches its goal, and that it does not.
    pub numbers: (u32, u32),
    /// What a prover said last of how far it is: about which question, and what is left to be done for yes and for no.
    pub told: Option<(Value, [u32; 2])>,
    first_child: u32,
    children: u16,
    first_parent: u32,
}

impl ProofNode {
    /// A position without moves so far.
    #[must_use]
    pub fn new(turn: Player, bounds: Bounds, score: i32, numbers: (u32, u32)) -> ProofNode {
        let floor = bounds.seen_by(turn).lo * turn.sign();
        let marks = if turn == Player::First { 0 } else { SECOND };
        let (first_child, children, first_parent) = (0, 0, NONE);
        ProofNode {
            bounds,
            floor,
            marks,
            score,
            numbers,
            told: None,
            first_child,
            children,
            first_parent,
        }
    }

    /// Whose turn it is.
    #[must_use]
    pub const fn turn(&self) -> Player {
        if self.marks & SECOND == 0 { Player::First } else { Player::Second }
    }

    /// Whether its moves are in the graph.
    #[must_use]
    pub const fn expanded(&self) -> bool {
        self.marks & EXPANDED != 0
    }

    /// Whether its score is that of a search, which may count as a likely value.
    #[must_use]
    pub const fn judged(&self) -> bool {
        self.marks & JUDGED != 0
    }

    /// Whether a prover has tried to prove its value.
    #[must_use]
    pub const fn tried(&self) -> bool {
        self.marks & TRIED != 0
    }
}

/// Knowledge that contradicts other knowledge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clash {
    /// The position.
    pub node: Id,
    /// What was known of it.
    pub known: Bounds,
    /// What came.
    pub told: Bounds,
    /// Whether that came from its moves.
    pub by_moves: bool,
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clash { node, known, told, by_moves } = self;
        let how = if *by_moves { "what is known of its moves makes it" } else { "it was told" };
        write!(f, "the value of position {node} is known to lie in {known}, but {how} {told}")
    }
}

impl std::error::Error for Clash {}

/// Positions and moves.
pub struct ProofGraph {
    /// The range of values.
    pub values: Bounds,
    /// The value of a repetition; `None` where positions cannot repeat.
    pub cycles: Option<Value>,
    nodes: Vec<ProofNode>,
    children: Vec<Id>,
    /// A position from which a move leads here, and where the next one of them stands.
    parents: Vec<(Id, u32)>,
    /// Positions of which more is known than before.
    news: Vec<Id>,
    /// Positions whose value is known.
    settled: usize,
    /// Whether anything was found to be neither the best nor the worst.
    between: bool,
}

impl ProofGraph {
    /// An empty graph.
    #[must_use]
    pub fn new(values: Bounds, cycles: Option<Value>) -> ProofGraph {
        let (nodes, children, parents) = (Vec::new(), Vec::new(), Vec::new());
        let (news, settled, between) = (Vec::new(), 0, false);
        ProofGraph { values, cycles, nodes, children, parents, news, settled, between }
    }

    /// The same positions and moves, of which nothing is known yet.
    #[must_use]
    pub(crate) fn cleared(&self) -> ProofGraph {
        let mut nodes = self.nodes.clone();
        nodes.iter_mut().for_each(|node| node.bounds = self.values);
        let (children, parents) = (self.children.clone(), self.parents.clone());
        let settled = if self.values.is_exact() { nodes.len() } else { 0 };
        ProofGraph { nodes, children, parents, news: Vec::new(), settled, between: false, ..*self }
    }

    /// How many positions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A position.
    #[must_use]
    pub fn node(&self, id: Id) -> &ProofNode {
        &self.nodes[id as usize]
    }

    /// Where the moves of a position lead, in their order.
    #[must_use]
    pub fn children(&self, id: Id) -> &[Id] {
        let node = self.node(id);
        let start = node.first_child as usize;
        &self.children[start..start + usize::from(node.children)]
    }

    /// The positions from which a move leads to this one.
    pub fn parents(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let mut next = self.node(id).first_parent;
        std::iter::from_fn(move || {
            let &(parent, rest) = self.parents.get(next as usize)?;
            next = rest;
            Some(parent)
        })
    }

    /// Adds a position; its number is the next one.
    pub fn add(&mut self, node: ProofNode) -> Id {
        self.settled += usize::from(node.bounds.is_exact());
        self.nodes.push(node);
        self.nodes.len() as Id - 1
    }

    /// Gives a position its moves, all of them at once, and works out what follows.
    /// `floor` is what moves that are not listed are worth, first player's view.
    pub fn expand(&mut self, id: Id, floor: Value, children: &[Id]) -> Result<(), Clash> {
        self.link(id, floor, children);
        self.follow(vec![id])
    }

    /// The same without working anything out: for many at a time, before [`follow_all`](Self::follow_all).
    pub fn link(&mut self, id: Id, floor: Value, children: &[Id]) {
        let node = &mut self.nodes[id as usize];
        debug_assert!(!node.expanded(), "a position is expanded once");
        node.floor = floor;
        node.first_child = self.children.len() as u32;
        node.children = children.len() as u16;
        node.marks |= EXPANDED;
        self.children.extend_from_slice(children);
        for &child in children {
            let child = &mut self.nodes[child as usize];
            self.parents.push((id, child.first_parent));
            child.first_parent = self.parents.len() as u32 - 1;
        }
    }

    /// Another opinion on a position, by a search.
    pub fn judge(&mut self, id: Id, score: i32) {
        let node = &mut self.nodes[id as usize];
        (node.score, node.marks) = (score, node.marks | JUDGED);
    }

    /// What a prover says of how far it is with a position.
    pub fn number(&mut self, id: Id, at_least: Value, numbers: [u32; 2]) {
        self.nodes[id as usize].told = Some((at_least, numbers));
    }

    /// Remembers that a prover has tried.
    pub fn try_once(&mut self, id: Id) {
        self.nodes[id as usize].marks |= TRIED;
    }

    /// Forgets that: somebody else may try.
    pub(crate) fn untry(&mut self, id: Id) {
        self.nodes[id as usize].marks &= !TRIED;
    }

    /// Adds what is known of a position, and works out what follows.
    pub fn learn(&mut self, id: Id, told: Bounds) -> Result<(), Clash> {
        if self.tell(id, told)? { self.follow_above(id) } else { Ok(()) }
    }

    /// The same without working anything out.
    pub fn tell(&mut self, id: Id, told: Bounds) -> Result<bool, Clash> {
        let known = self.node(id).bounds;
        let both =
            known.meet(told).map_err(|_| Clash { node: id, known, told, by_moves: false })?;
        if both != known {
            self.sharpen(id, both);
        }
        Ok(both != known)
    }

    fn sharpen(&mut self, id: Id, bounds: Bounds) {
        self.nodes[id as usize].bounds = bounds;
        self.news.push(id);
        self.settled += usize::from(bounds.is_exact());
        let Bounds { lo, hi } = self.values;
        self.between |= [bounds.lo, bounds.hi].iter().any(|v| *v != lo && *v != hi);
    }

    /// Whether it is known of any position that its value is neither the best nor the worst, or on which side of such a
    /// value it lies. In games without draws that never comes about.
    #[must_use]
    pub fn between(&self) -> bool {
        self.between
    }

    /// How many positions have a value that is known.
    #[must_use]
    pub fn settled(&self) -> usize {
        self.settled
    }

    /// The positions of which more has become known since this was asked last, each once, in order.
    pub fn news(&mut self) -> Vec<Id> {
        let mut news = std::mem::take(&mut self.news);
        news.sort_unstable();
        news.dedup();
        news
    }

    /// Works out what follows everywhere.
    pub fn follow_all(&mut self) -> Result<(), Clash> {
        let all = (0..self.nodes.len() as Id).filter(|&id| self.node(id).expanded()).collect();
        self.follow(all)
    }

    fn follow_above(&mut self, id: Id) -> Result<(), Clash> {
        let above = self.parents(id).collect();
        self.follow(above)
    }

    /// What follows for a position from its moves.
    fn of_moves(&self, id: Id) -> Bounds {
        let node = self.node(id);
        let turn = node.turn();
        let floor = node.floor * turn.sign();
        let best = self.children(id).iter().fold(Bounds::exact(floor), |best, &child| {
            let seen = self.node(child).bounds.seen_by(turn);
            Bounds { lo: best.lo.max(seen.lo), hi: best.hi.max(seen.hi) }
        });
        best.seen_by(turn)
    }

    /// Works out these positions again, and all that depend on what changes.
    fn follow(&mut self, mut open: Vec<Id>) -> Result<(), Clash> {
        while let Some(id) = open.pop() {
            let (known, told) = (self.node(id).bounds, self.of_moves(id));
            let Ok(both) = known.meet(told) else {
                return Err(Clash { node: id, known, told, by_moves: true });
            };
            if both != known {
                self.sharpen(id, both);
                open.extend(self.parents(id));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(turn: Player) -> ProofNode {
        ProofNode::new(turn, Bounds::new(-1, 1), 0, (1, 1))
    }

    #[test]
    fn bounds_follow_from_moves() {
        let mut graph = ProofGraph::new(Bounds::new(-1, 1), None);
        let root = graph.add(node(Player::First));
        let [a, b] = [0, 1].map(|_| graph.add(node(Player::Second)));
        graph.expand(root, -1, &[a, b]).unwrap();
        graph.learn(a, Bounds::new(-1, 0)).unwrap();
        assert_eq!(graph.node(root).bounds, Bounds::new(-1, 1));
        graph.learn(b, Bounds::exact(0)).unwrap();
        assert_eq!(graph.node(root).bounds, Bounds::exact(0));
        assert_eq!(graph.news(), [root, a, b]);
        assert!(graph.news().is_empty());
        assert_eq!(graph.parents(a).collect::<Vec<_>>(), [root]);
        let clash = graph.learn(a, Bounds::exact(1)).unwrap_err();
        assert_eq!((clash.node, clash.by_moves), (a, false));
    }

    #[test]
    fn moves_that_contradict_their_position_are_noticed() {
        let mut graph = ProofGraph::new(Bounds::new(-1, 1), Some(0));
        let root = graph.add(node(Player::Second));
        let child = graph.add(node(Player::First));
        graph.learn(root, Bounds::exact(1)).unwrap();
        graph.expand(root, 1, &[child]).unwrap();
        let clash = graph.learn(child, Bounds::exact(-1)).unwrap_err();
        assert_eq!((clash.node, clash.by_moves), (root, true));
        assert!(clash.to_string().contains("position 0"), "{clash}");
    }

    #[test]
    fn a_floor_counts_as_a_move() {
        let mut graph = ProofGraph::new(Bounds::new(-1, 1), None);
        let root = graph.add(ProofNode::new(Player::First, Bounds::new(0, 1), 0, (1, 1)));
        let child = graph.add(node(Player::Second));
        graph.expand(root, 0, &[child]).unwrap();
        graph.learn(child, Bounds::exact(-1)).unwrap();
        assert_eq!(graph.node(root).bounds, Bounds::exact(0));
    }
}
