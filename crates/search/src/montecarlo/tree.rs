//! The Monte-Carlo tree: positions with counts of playouts, and which of them are settled.
//!
//! **Nodes are keyed by the plain position**, not by the canonical one: statistics of moves (AMAF) and
//! the policy speak of places on the board, and a walk that turned the board at every step would mix
//! them up. Symmetry is used where it costs nothing: of moves that lead to the same canonical
//! position a node keeps one. Transpositions share a node.
//!
//! **The value of a move** is that of GRAVE (generalized rapid action value estimation, Cazenave 2015):
//! the mean of its own playouts, mixed with how the move did whenever it was played later (all moves
//! as first, AMAF), taken from the closest ancestor with enough playouts to say so.
//!
//! **Settled nodes** (MCTS-Solver, Winands and others 2008). A node is settled when the question asked
//! has an answer there: by the game's static bounds, by a settled child that suits the player to move,
//! or because every child that could is settled the other way. Answers only ever come from answers
//! that were there before, so each is a proof from the ends of lines upwards, in graphs with cycles
//! too: the side it favours can follow falling distances to those ends and never repeats.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::mem::size_of;
use zermelo_game::{Bounds, Game, Knowledge, MoveList, Player, Question, Rules, Value};

/// No node, no block.
pub const NONE: u32 = u32::MAX;
/// Playouts after which a node starts to count moves played later. Most nodes never get there.
const COUNT_FROM: u32 = 8;

/// A move of a node.
#[derive(Clone, Copy, Debug)]
pub struct Edge<M> {
    pub mv: M,
    /// Its code and player, for counts of moves played later.
    pub code: u32,
    /// Its pattern, for the policy.
    pub pattern: u32,
    /// The node it leads to, [`NONE`] before the first visit.
    pub child: u32,
    pub playouts: u32,
    /// Those that suited the player who moves.
    pub wins: u32,
}

/// A position of the tree.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutNode<P> {
    pub position: P,
    pub turn: Player,
    /// Whether the value is at least what the question asks for, once that is known.
    pub answer: Option<bool>,
    /// Where it is known: the value is at least this, or at most this (first player's view). Often
    /// says more than the question asked.
    pub bound: Value,
    /// What the moves that are not among the edges are worth at most, to the player to move.
    floor: Value,
    pub playouts: u32,
    /// Its moves, a range of the tree's edges; empty before the node is expanded, and where it was
    /// settled at once.
    pub edges: (u32, u32),
    pub expanded: bool,
    /// Where its counts of moves played later start, or [`NONE`].
    later: u32,
}

/// Playouts in which a move was played later, and those that suited the one who played it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct MoveCount {
    /// Playouts with the move.
    pub playouts: u32,
    /// Those that suited the one who played it.
    pub wins: u32,
}

/// The value of a move by GRAVE: `own` counts of the move, `later` counts of the reference ancestor.
/// A move nobody has ever played comes first.
#[must_use]
#[inline]
pub fn value(own: MoveCount, later: MoveCount, bias: f32) -> f32 {
    let (n, amaf) = (own.playouts as f32, later.playouts as f32);
    let mean = own.wins as f32 / n;
    let rapid = later.wins as f32 / amaf;
    match (own.playouts, later.playouts) {
        (0, 0) => f32::INFINITY,
        (0, _) => rapid,
        (_, 0) => mean,
        _ => {
            let share = amaf / (amaf + n + bias * amaf * n);
            (1.0 - share) * mean + share * rapid
        }
    }
}

/// The tree of one question.
pub struct PlayoutTree<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    pub question: Question,
    pub nodes: Vec<PlayoutNode<R::Position>>,
    pub edges: Vec<Edge<R::Move>>,
    later: Vec<MoveCount>,
    index: FxHashMap<R::Key, u32>,
    /// Codes of both players.
    codes: usize,
    memory: u64,
    /// For [`expand`](Self::expand): the order of moves, and the positions after them.
    order: Vec<(Reverse<i32>, usize)>,
    seen: Vec<R::Key>,
}

impl<'g, R: Rules, K: Knowledge<R>> PlayoutTree<'g, R, K> {
    /// A tree of the one position, not yet expanded. It is settled if the game says so.
    pub fn new(
        game: Game<'g, R, K>,
        root: R::Position,
        question: Question,
        memory: u64,
    ) -> PlayoutTree<'g, R, K> {
        let codes = 2 * game.codes();
        let mut tree = PlayoutTree {
            game,
            question,
            nodes: Vec::new(),
            edges: Vec::new(),
            later: Vec::new(),
            index: FxHashMap::default(),
            codes,
            memory,
            order: Vec::new(),
            seen: Vec::new(),
        };
        tree.add(root);
        let known = game.static_bounds(&root);
        if let Some(answer) = question.answer(known) {
            tree.settle(0, answer, if answer { known.lo } else { known.hi });
        }
        tree.count_later(0);
        tree
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let index = self.index.capacity() * (size_of::<(R::Key, u32)>() + 1);
        let nodes = self.nodes.capacity() * size_of::<PlayoutNode<R::Position>>();
        let edges = self.edges.capacity() * size_of::<Edge<R::Move>>();
        (index + nodes + edges + self.later.capacity() * size_of::<MoveCount>()) as u64
    }

    /// Whether there is no room for more. Vectors double when they grow, so this comes early.
    pub fn is_full(&self) -> bool {
        2 * self.bytes() > self.memory
    }

    /// Allows so many bytes from now on.
    pub fn allow(&mut self, memory: u64) {
        self.memory = memory;
    }

    /// Gives back what only a search needs: the counts.
    pub fn finish(&mut self) {
        self.later = Vec::new();
        self.nodes.shrink_to_fit();
        self.edges.shrink_to_fit();
    }

    /// What is known of a position, with the playouts that went there.
    pub fn known(&self, p: &R::Position) -> Option<(Bounds, u32)> {
        let node = &self.nodes[*self.index.get(&self.game.key(p))? as usize];
        Some((self.bounds(node)?, node.playouts))
    }

    fn bounds(&self, node: &PlayoutNode<R::Position>) -> Option<Bounds> {
        let all = self.game.values();
        Some(match node.answer? {
            true => Bounds { lo: node.bound, ..all },
            false => Bounds { hi: node.bound, ..all },
        })
    }

    fn add(&mut self, position: R::Position) -> u32 {
        let at = self.nodes.len() as u32;
        self.nodes.push(PlayoutNode {
            position,
            turn: self.game.turn(&position),
            answer: None,
            bound: 0,
            floor: Value::MIN,
            playouts: 0,
            edges: (0, 0),
            expanded: false,
            later: NONE,
        });
        self.index.insert(self.game.key(&position), at);
        at
    }

    /// The node of a position, made if there is room; [`NONE`] otherwise.
    pub fn find_or_add(&mut self, position: R::Position) -> u32 {
        match self.index.get(&self.game.key(&position)) {
            Some(&at) => at,
            None if self.is_full() => NONE,
            None => self.add(position),
        }
    }

    /// The least value, seen by `player`, that answers the question in its favour.
    pub fn goal(&self, player: Player) -> Value {
        match player {
            Player::First => self.question.at_least,
            Player::Second => 1 - self.question.at_least,
        }
    }

    /// Whether an answer suits a player.
    #[inline]
    pub fn suits(answer: bool, player: Player) -> bool {
        answer == (player == Player::First)
    }

    fn settle(&mut self, at: u32, answer: bool, bound: Value) {
        let node = &mut self.nodes[at as usize];
        (node.answer, node.bound) = (Some(answer), bound);
    }

    /// Settles a node all of whose edges lead to answers that do not suit the player to move.
    fn settle_by_all(&mut self, at: u32) {
        let PlayoutNode { turn, floor, .. } = self.nodes[at as usize];
        let seen = |e: &Edge<R::Move>| self.nodes[e.child as usize].bound * turn.sign();
        let best = self.edges_of(at).iter().map(seen).fold(floor, Value::max);
        self.settle(at, turn == Player::Second, best * turn.sign());
    }

    /// Makes the moves of a node that is not settled, most promising first; settles it if it can.
    /// Returns whether it is settled.
    pub fn expand(&mut self, at: u32) -> bool {
        let game = self.game;
        let PlayoutNode { position: p, turn, .. } = self.nodes[at as usize];
        let goal = self.goal(turn);
        let mut list = MoveList::new();
        let mut floor = game.candidate_moves(&p, &mut list);
        let start = self.edges.len();
        self.nodes[at as usize].expanded = true;
        let mut succeeds = floor >= goal;
        self.order.clear();
        self.order.extend(list.scored().iter().enumerate().map(|(i, s)| (Reverse(s.score), i)));
        self.order.sort_unstable();
        self.seen.clear();
        for &(_, i) in &self.order {
            if succeeds {
                break;
            }
            let mv = list.scored()[i].mv;
            let next = game.canonical(&game.play(&p, mv));
            let key = game.key(&next);
            if self.seen.contains(&key) {
                continue;
            }
            self.seen.push(key);
            if !game.prunes_candidates() {
                let known = game.static_bounds(&next).seen_by(turn);
                if known.lo >= goal {
                    (succeeds, floor) = (true, known.lo);
                }
                if known.hi < goal {
                    floor = floor.max(known.hi);
                    continue;
                }
            }
            self.edges.push(Edge {
                mv,
                code: (2 * game.code(mv) + turn.index()) as u32,
                pattern: game.pattern(&p, mv) as u32,
                child: NONE,
                playouts: 0,
                wins: 0,
            });
        }
        if succeeds {
            self.edges.truncate(start);
            self.settle(at, turn == Player::First, floor * turn.sign());
        }
        let node = &mut self.nodes[at as usize];
        node.edges = (start as u32, self.edges.len() as u32);
        node.floor = floor;
        if !succeeds && self.edges.len() == start {
            self.settle_by_all(at);
        }
        self.nodes[at as usize].answer.is_some()
    }

    /// The moves of a node.
    pub fn edges_of(&self, at: u32) -> &[Edge<R::Move>] {
        let (start, end) = self.nodes[at as usize].edges;
        &self.edges[start as usize..end as usize]
    }

    /// The answer at the end of an edge.
    #[inline]
    pub fn answer_after(&self, edge: &Edge<R::Move>) -> Option<bool> {
        if edge.child == NONE { None } else { self.nodes[edge.child as usize].answer }
    }

    /// The move to look at next, as its number among all edges, by the counts of `reference`. Settles
    /// the node, and returns `None`, if its children say enough.
    pub fn select(&mut self, at: u32, reference: u32, bias: f32) -> Option<u32> {
        let node = &self.nodes[at as usize];
        let later = self.nodes[reference as usize].later as usize;
        let (start, end) = node.edges;
        let (mut best, mut best_value) = (None, f32::NEG_INFINITY);
        for i in start..end {
            let edge = &self.edges[i as usize];
            match self.answer_after(edge) {
                Some(answer) if Self::suits(answer, node.turn) => {
                    let bound = self.nodes[edge.child as usize].bound;
                    self.settle(at, answer, bound);
                    return None;
                }
                Some(_) => continue,
                None => {}
            }
            let own = MoveCount { playouts: edge.playouts, wins: edge.wins };
            let value = value(own, self.later[later + edge.code as usize], bias);
            if value > best_value {
                (best, best_value) = (Some(i), value);
            }
        }
        if best.is_none() {
            self.settle_by_all(at);
        }
        best
    }

    /// Whether a node's counts of moves played later are worth asking.
    #[inline]
    pub fn is_reference(&self, at: u32, playouts: u32) -> bool {
        let node = &self.nodes[at as usize];
        node.playouts >= playouts && node.later != NONE
    }

    fn count_later(&mut self, at: u32) {
        self.nodes[at as usize].later = self.later.len() as u32;
        self.later.resize(self.later.len() + self.codes, MoveCount::default());
    }

    /// Counts a playout that went through a node: the codes of the moves played from there on, each
    /// once, and how it ended.
    pub fn count(&mut self, at: u32, codes: &[u32], answer: bool) {
        let node = &mut self.nodes[at as usize];
        node.playouts += 1;
        if node.later == NONE && node.playouts >= COUNT_FROM && !self.is_full() {
            self.count_later(at);
        }
        let start = self.nodes[at as usize].later;
        if start == NONE {
            return;
        }
        let counts = &mut self.later[start as usize..][..self.codes];
        for &code in codes {
            let count = &mut counts[code as usize];
            count.playouts += 1;
            count.wins += u32::from(Self::suits(answer, Player::from_index(code as usize & 1)));
        }
    }

    /// Counts a playout that took an edge.
    pub fn count_edge(&mut self, edge: u32, turn: Player, answer: bool) {
        let edge = &mut self.edges[edge as usize];
        edge.playouts += 1;
        edge.wins += u32::from(Self::suits(answer, turn));
    }

    /// How often each position was visited, over all that look the same: those with more than
    /// `enough` playouts and their children.
    pub fn visits(&self, enough: u32) -> FxHashMap<R::Key, u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut visits: FxHashMap<R::Key, u32> = FxHashMap::default();
        let mut add = |at: usize| {
            let node = &self.nodes[at];
            if !std::mem::replace(&mut seen[at], true) && node.playouts > 0 {
                let key = self.game.key(&self.game.canonical(&node.position));
                *visits.entry(key).or_default() += node.playouts;
            }
        };
        for (at, node) in self.nodes.iter().enumerate().filter(|(_, n)| n.playouts > enough) {
            add(at);
            for edge in &self.edges[node.edges.0 as usize..node.edges.1 as usize] {
                if edge.child != NONE {
                    add(edge.child as usize);
                }
            }
        }
        visits
    }

    /// The positions the tree has settled, with what is known of their values.
    pub fn settled(&self) -> impl Iterator<Item = (&R::Position, Bounds)> {
        self.nodes.iter().filter_map(|n| Some((&n.position, self.bounds(n)?)))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Ten playouts of its own with 6 wins, forty later with 30, bias 0.01: the share of the later ones
    /// is 40 / (40 + 10 + 4) = 20/27, the value 7/27 * 0.6 + 20/27 * 0.75.
    #[test]
    fn grave_by_hand() {
        let own = MoveCount { playouts: 10, wins: 6 };
        let later = MoveCount { playouts: 40, wins: 30 };
        let found = value(own, later, 0.01);
        assert!((found - (7.0 * 0.6 + 20.0 * 0.75) / 27.0).abs() < 1e-6, "{found}");
        let none = MoveCount::default();
        assert_eq!(value(own, none, 0.01), 0.6);
        assert_eq!(value(none, later, 0.01), 0.75);
        assert!(value(none, none, 0.01) > 1.0, "the unknown comes first");
    }
}
