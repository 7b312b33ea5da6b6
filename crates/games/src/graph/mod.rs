//! Explicit graphs: a game written down node by node, for examples, fixtures and invented values.
//!
//! One node a line: its name, whose turn it is, and either the nodes its moves lead to or, for a
//! leaf, the value from the first player's point of view. A `#` starts a comment; a `;` may stand
//! for the end of a line.
//!
//! ```text
//! repetition 0       # what becomes of a line that repeats a node; needed where there is a cycle
//! values -1 1        # range of values; -1 1 if left out
//! start a            # the first node if left out
//! a first: b c
//! b second: a d
//! c second = -1
//! d first = 1
//! ```
//!
//! After `repetition` stands the value of such a line, or a rule under which it depends on the line (see
//! [`Repetition`]): `loses` for the player who repeats the node, `parity` of the moves that
//! each player has made since it was left (the first player wins if odd, the second if even), or
//! `forbidden VALUE`, where the move must not be made and a player left without one gets `VALUE`
//! (from the first player's point of view). A line begins with the node that is asked about.
//!
//! A name is a word without `:`, `=`, `;` and `#` that is none of the words above. The nodes of a
//! node's moves differ from each other, and it is the other player's turn there. A graph without
//! a cycle opens as `GraphGame<false>`, one with a cycle as `GraphGame<true>`.
//!
//! The text has no control characters but tabs and line feeds. A file is in UTF-8 and has at most 16 MiB: some half a million nodes.

mod draw;
mod knowledge;
mod labels;
mod notation;
mod random;
#[cfg(test)]
mod tests;
mod text;

pub use knowledge::GraphKnowledge;
pub use labels::labels;
pub use random::{Recipe, random_cyclic, random_dag, random_tree, under};
pub use text::Flaw;

use crate::registry::Visitor;
use std::collections::HashMap;
use std::path::Path;
use zermelo_game::outside::printable;
use zermelo_game::{
    Args, Bounds, GameEntry, MAX_MOVES, MoveList, ParseError, Player, Repetition, Rules, Value,
};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "graph",
    usage: "graph FILE, or graph LINE; LINE; ...",
    example: "graph repetition 0; a first: b c; b second: a d; d first = 1; c second = -1",
    summary: "a game written down node by node",
    help: "\
           FILE is a file with one node a line; instead the lines can be written out with semicolons between them, all of it in quotes \
           because of the shell. A line is the name of a node, whose turn it is, and either the nodes its moves lead to or, of a leaf, its value for the \
           first player: `a first: b c`, `b second: a d`, `d first = 1`. The game begins at the first node, or at NODE where there is a line `start NODE`. \
           Other values than -1, 0 and 1 need a line `values LOWEST HIGHEST`. Where a node can be reached again a line says what becomes of \
           that: `repetition 0` (its value), `repetition loses` (who repeats a node loses), `repetition parity` or `repetition forbidden 0` (no such \
           move; 0 for a player left without one). `#` begins a comment.",
};

/// What a name from outside must look like.
const WRITTEN_OUT: &str = "a graph that is written out: graph LINE; LINE; ...";

/// Opens `graph FILE` or `graph LINE; LINE; ...`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let all = args.text();
    let end = all.chars().count();
    let Some((at, word)) = args.word() else {
        let usage = if args.is_foreign() { WRITTEN_OUT } else { ENTRY.usage };
        return Err(args.error_at(end, usage));
    };
    let (draft, source) = if all.contains([';', '=']) {
        let text: String = all.chars().skip(at).collect();
        let draft = Draft::parse(&text).map_err(|flaw| {
            let place = if flaw.line == 1 { at + flaw.column } else { at };
            args.error_at(place.min(end), flaw.expected)
        })?;
        (draft, None)
    } else if args.is_foreign() {
        return Err(args.error_at(end, WRITTEN_OUT));
    } else {
        args.end(ENTRY.usage)?;
        // The name of the file is part of the game's name, which is shown and kept in many places.
        if printable(word) != word {
            return Err(args.error_at(at, "the name of a file, without control characters"));
        }
        let text = text::read(Path::new(word))
            .map_err(|e| args.error_at(at, format!("a file that can be read ({word}: {e})")))?;
        (Draft::parse(&text).map_err(|flaw| flaw.in_file(word, &text))?, Some(word.to_owned()))
    };
    Ok(if draft.closing_edge().is_some() {
        visitor.visit_rare(GraphGame::<true>::new(draft, source), ())
    } else {
        let graph = GraphGame::<false>::new(draft, source);
        let knowledge = GraphKnowledge::new(&graph);
        visitor.visit_rare(graph, knowledge)
    })
}

/// Either kind of graph, for those who read one from a string.
#[derive(Clone, Debug)]
pub enum AnyGraph {
    /// Without a cycle.
    Acyclic(GraphGame<false>),
    /// With one.
    Cyclic(GraphGame<true>),
}

impl AnyGraph {
    /// Reads a graph.
    pub fn parse(text: &str) -> Result<AnyGraph, Flaw> {
        let draft = Draft::parse(text)?;
        Ok(if draft.closing_edge().is_some() {
            AnyGraph::Cyclic(GraphGame::new(draft, None))
        } else {
            AnyGraph::Acyclic(GraphGame::new(draft, None))
        })
    }
}

/// What stands at a node.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// The nodes its moves lead to.
    Inner(Vec<u32>),
    /// The end of the game.
    Leaf(Value),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Vertex {
    name: String,
    turn: Player,
    kind: Kind,
}

impl Vertex {
    fn moves(&self) -> &[u32] {
        match &self.kind {
            Kind::Inner(to) => to,
            Kind::Leaf(_) => &[],
        }
    }
}

/// A graph that keeps the rules of the format, before it is a game.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Draft {
    values: Bounds,
    repetition: Option<Repetition>,
    start: u32,
    nodes: Vec<Vertex>,
}

impl Draft {
    /// An edge that closes a cycle, as a node and the number of its move; `None` if there is no cycle.
    fn closing_edge(&self) -> Option<(u32, usize)> {
        self.heights().err()
    }

    /// The longest way from each node to a leaf, or an edge that closes a cycle. Depth-first, with a
    /// stack of its own since graphs may be deep.
    fn heights(&self) -> Result<Vec<u32>, (u32, usize)> {
        const OPEN: u32 = u32::MAX;
        let mut heights: Vec<Option<u32>> = vec![None; self.nodes.len()];
        for root in 0..self.nodes.len() as u32 {
            if heights[root as usize].is_some() {
                continue;
            }
            heights[root as usize] = Some(OPEN);
            let mut stack = vec![(root, 0)];
            while let Some((node, next)) = stack.last_mut() {
                let moves = self.nodes[*node as usize].moves();
                match moves.get(*next) {
                    Some(&to) => match heights[to as usize] {
                        Some(OPEN) => return Err((*node, *next)),
                        Some(_) => *next += 1,
                        None => {
                            heights[to as usize] = Some(OPEN);
                            stack.push((to, 0));
                        }
                    },
                    None => {
                        let below = moves.iter().filter_map(|&to| heights[to as usize]).max();
                        heights[*node as usize] = Some(below.map_or(0, |h| h + 1));
                        stack.pop();
                    }
                }
            }
        }
        Ok(heights.into_iter().flatten().collect())
    }
}

/// A position: the number of a node, counted from 0 in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GraphNode(pub u32);

/// A game written down node by node. A move is the number of the successor in its node's line.
#[derive(Clone, Debug)]
pub struct GraphGame<const CYCLIC: bool> {
    draft: Draft,
    /// The file it came from.
    source: Option<String>,
    /// Nodes by name.
    index: HashMap<String, u32>,
    /// The largest number of moves.
    width: usize,
}

impl<const CYCLIC: bool> GraphGame<CYCLIC> {
    fn new(draft: Draft, source: Option<String>) -> GraphGame<CYCLIC> {
        assert!(CYCLIC || draft.closing_edge().is_none(), "a cycle in an acyclic graph");
        let name = |(i, node): (usize, &Vertex)| (node.name.clone(), i as u32);
        let index = draft.nodes.iter().enumerate().map(name).collect();
        let width = draft.nodes.iter().map(|n| n.moves().len()).max().unwrap_or(0);
        GraphGame { draft, source, index, width }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.draft.nodes.len()
    }

    /// Whether there is no node; never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.draft.nodes.is_empty()
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = GraphNode> + use<CYCLIC> {
        (0..self.draft.nodes.len() as u32).map(GraphNode)
    }

    /// The nodes one move away.
    pub fn successors(&self, node: GraphNode) -> impl ExactSizeIterator<Item = GraphNode> + '_ {
        self.vertex(&node).moves().iter().map(|&to| GraphNode(to))
    }

    fn vertex(&self, node: &GraphNode) -> &Vertex {
        &self.draft.nodes[node.0 as usize]
    }
}

impl<const CYCLIC: bool> Rules for GraphGame<CYCLIC> {
    type Position = GraphNode;
    type Move = u16;
    type Key = u64;

    const CYCLIC: bool = CYCLIC;

    fn start(&self) -> GraphNode {
        GraphNode(self.draft.start)
    }

    fn turn(&self, p: &GraphNode) -> Player {
        self.vertex(p).turn
    }

    fn outcome(&self, p: &GraphNode) -> Option<Value> {
        match self.vertex(p).kind {
            Kind::Leaf(value) => Some(value),
            Kind::Inner(_) => None,
        }
    }

    fn moves(&self, p: &GraphNode, out: &mut MoveList<u16>) {
        (0..self.vertex(p).moves().len()).for_each(|i| out.push(i as u16));
    }

    fn play(&self, p: &GraphNode, m: u16) -> GraphNode {
        GraphNode(self.vertex(p).moves()[usize::from(m)])
    }

    fn key(&self, p: &GraphNode) -> u64 {
        p.0.into()
    }

    fn code(&self, m: u16) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.width
    }

    fn key_bits(&self) -> u32 {
        (self.len() as u64).next_power_of_two().ilog2().max(1)
    }

    fn values(&self) -> Bounds {
        self.draft.values
    }

    fn repetition(&self) -> Repetition {
        self.draft.repetition.unwrap_or(Repetition::Worth(0))
    }
}

/// The most moves of a node.
const MAX_DEGREE: usize = MAX_MOVES;
