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
//! After `repetition` stands the value of such a line, or a rule under which it hangs on the line (see
//! [`Repetition`]): `loses` for the player who comes back to the node, `parity` of the moves that
//! each player has made since it was left (the first player wins if odd, the second if even), or
//! `forbidden VALUE`, where the move may not be made and a player left without one gets `VALUE`
//! (from the first player's point of view). A line begins with the node that is asked about.
//!
//! A name is a word without `:`, `=`, `;` and `#` that is none of the words above. The nodes of a
//! node's moves differ from each other, and it is the other player's turn there. A graph without
//! a cycle opens as `Graph<false>`, one with a cycle as `Graph<true>`.

mod draw;
mod labels;
mod random;
mod text;

pub use labels::labels;
pub use random::{Recipe, random_cyclic, random_dag, random_tree, under};
pub use text::Flaw;

use crate::registry::{Args, Entry, Visitor};
use std::collections::HashMap;
use zermelo_game::{
    Bounds, Footprint, Game, MAX_MOVES, MoveList, ParseError, Picture, Player, Repetition, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "graph",
    usage: "graph FILE, or graph LINE; LINE; ...",
    example: "graph repetition 0; a first: b c; b second: a d; d first = 1; c second = -1",
    summary: "a game written down node by node",
};

/// Opens `graph FILE` or `graph LINE; LINE; ...`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let all = args.text();
    let end = all.chars().count();
    let Some((at, word)) = args.word() else {
        return Err(args.error_at(end, ENTRY.usage));
    };
    let (draft, source) = if all.contains([';', '=']) {
        let text: String = all.chars().skip(at).collect();
        let draft = Draft::parse(&text).map_err(|flaw| {
            let place = if flaw.line == 1 { at + flaw.column } else { at };
            args.error_at(place.min(end), flaw.expected)
        })?;
        (draft, None)
    } else {
        args.end(ENTRY.usage)?;
        let text = std::fs::read_to_string(word)
            .map_err(|e| args.error_at(at, format!("a file that can be read ({word}: {e})")))?;
        (Draft::parse(&text).map_err(|flaw| flaw.in_file(word, &text))?, Some(word.to_owned()))
    };
    Ok(if draft.closing_edge().is_some() {
        visitor.visit(Graph::<true>::new(draft, source))
    } else {
        visitor.visit(Graph::<false>::new(draft, source))
    })
}

/// Either kind of graph, for those who read one from a string.
#[derive(Clone, Debug)]
pub enum AnyGraph {
    /// Without a cycle.
    Acyclic(Graph<false>),
    /// With one.
    Cyclic(Graph<true>),
}

impl AnyGraph {
    /// Reads a graph.
    pub fn parse(text: &str) -> Result<AnyGraph, Flaw> {
        let draft = Draft::parse(text)?;
        Ok(if draft.closing_edge().is_some() {
            AnyGraph::Cyclic(Graph::new(draft, None))
        } else {
            AnyGraph::Acyclic(Graph::new(draft, None))
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
pub struct Node(pub u32);

/// A game written down node by node. A move is the number of the successor in its node's line.
#[derive(Clone, Debug)]
pub struct Graph<const CYCLIC: bool> {
    draft: Draft,
    /// The file it came from.
    source: Option<String>,
    /// Nodes by name.
    index: HashMap<String, u32>,
    /// The longest way to a leaf; empty where there are cycles.
    heights: Vec<u32>,
    /// The largest number of moves.
    width: usize,
}

impl<const CYCLIC: bool> Graph<CYCLIC> {
    fn new(draft: Draft, source: Option<String>) -> Graph<CYCLIC> {
        let heights = if CYCLIC { Vec::new() } else { draft.heights().unwrap_or_default() };
        assert!(CYCLIC || heights.len() == draft.nodes.len(), "a cycle in an acyclic graph");
        let name = |(i, node): (usize, &Vertex)| (node.name.clone(), i as u32);
        let index = draft.nodes.iter().enumerate().map(name).collect();
        let width = draft.nodes.iter().map(|n| n.moves().len()).max().unwrap_or(0);
        Graph { draft, source, index, heights, width }
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
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<CYCLIC> {
        (0..self.draft.nodes.len() as u32).map(Node)
    }

    /// The nodes one move away.
    pub fn successors(&self, node: Node) -> impl ExactSizeIterator<Item = Node> + '_ {
        self.vertex(&node).moves().iter().map(|&to| Node(to))
    }

    fn vertex(&self, node: &Node) -> &Vertex {
        &self.draft.nodes[node.0 as usize]
    }
}

impl<const CYCLIC: bool> Game for Graph<CYCLIC> {
    type Position = Node;
    type Move = u16;
    type Key = u64;

    const CYCLIC: bool = CYCLIC;

    fn name(&self) -> String {
        match &self.source {
            Some(file) => format!("graph {file}"),
            None => self.full_name(),
        }
    }

    fn full_name(&self) -> String {
        format!("graph {}", self.draft.to_text("; "))
    }

    fn rules(&self) -> String {
        let repetition = match self.draft.repetition {
            Some(_) if !CYCLIC => String::new(),
            None => String::new(),
            Some(Repetition::Worth(v)) => format!(" A line that repeats a node is worth {v}."),
            Some(rule) => {
                let rule = match rule {
                    Repetition::Loses => "Who comes back to a node of the line loses".to_owned(),
                    Repetition::Parity => {
                        "A line that comes back to one of its nodes is won by the \
                        first player if each player has made an odd number of moves since, by the \
                        second if even"
                            .to_owned()
                    }
                    Repetition::Stands => unreachable!("a graph has no such rule"),
                    Repetition::Forbidden(v) | Repetition::Worth(v) => format!(
                        "No move may lead back to a node of the line; where a player has no other \
                         move the game ends and is worth {v}"
                    ),
                };
                format!(" {rule}. A line begins with the node that is asked about.")
            }
        };
        format!(
            "The players move along the edges of a graph of {} nodes until a leaf, whose value is \
             given, from {} to {}.{repetition}",
            self.len(),
            self.draft.values.lo,
            self.draft.values.hi
        )
    }

    fn start(&self) -> Node {
        Node(self.draft.start)
    }

    fn turn(&self, p: &Node) -> Player {
        self.vertex(p).turn
    }

    fn outcome(&self, p: &Node) -> Option<Value> {
        match self.vertex(p).kind {
            Kind::Leaf(value) => Some(value),
            Kind::Inner(_) => None,
        }
    }

    fn moves(&self, p: &Node, out: &mut MoveList<u16>) {
        (0..self.vertex(p).moves().len()).for_each(|i| out.push(i as u16));
    }

    fn play(&self, p: &Node, m: u16) -> Node {
        Node(self.vertex(p).moves()[usize::from(m)])
    }

    fn key(&self, p: &Node) -> u64 {
        p.0.into()
    }

    fn key_bits(&self) -> u32 {
        (self.len() as u64).next_power_of_two().ilog2().max(1)
    }

    fn code(&self, m: u16) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.width
    }

    fn move_text(&self, p: &Node, m: u16) -> String {
        self.vertex(&self.play(p, m)).name.clone()
    }

    fn parse_move(&self, p: &Node, text: &str) -> Result<u16, ParseError> {
        let names: Vec<&str> = self.successors(*p).map(|n| &*self.vertex(&n).name).collect();
        match names.iter().position(|name| *name == text) {
            Some(i) => Ok(i as u16),
            None if names.is_empty() => {
                Err(ParseError::new("move", text, 0, "no move: the game is over"))
            }
            None => Err(ParseError::new("move", text, 0, format!("one of {}", names.join(" ")))),
        }
    }

    fn position_text(&self, p: &Node) -> String {
        self.vertex(p).name.clone()
    }

    fn parse_position(&self, text: &str) -> Result<Node, ParseError> {
        self.index.get(text).map(|&i| Node(i)).ok_or_else(|| {
            const SHOWN: usize = 12;
            let names = self.draft.nodes.iter().take(SHOWN).map(|n| &*n.name);
            let more = if self.len() > SHOWN { " ..." } else { "" };
            let names = names.collect::<Vec<_>>().join(" ");
            ParseError::new("position", text, 0, format!("a node: {names}{more}"))
        })
    }

    fn values(&self) -> Bounds {
        self.draft.values
    }

    fn repetition(&self) -> Repetition {
        self.draft.repetition.unwrap_or(Repetition::Worth(0))
    }

    fn picture(&self, p: &Node) -> Picture {
        Picture::Diagram(self.draft.draw(p.0))
    }

    fn footprint(&self, p: &Node, m: u16) -> Option<Footprint> {
        self.draft.spot(p.0, self.play(p, m).0).map(Footprint::at)
    }

    fn plies_left(&self, p: &Node) -> u32 {
        self.heights.get(p.0 as usize).copied().unwrap_or(u32::MAX)
    }
}

/// The most moves of a node.
const MAX_DEGREE: usize = MAX_MOVES;

#[cfg(test)]
mod tests;
