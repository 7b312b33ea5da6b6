//! What is known of graphs.

use super::{GraphGame, GraphNode};
use zermelo_game::Knowledge;

/// What is known of a graph: how many moves lead from a node to a leaf at most. For graphs with cycles it says nothing.
#[derive(Clone, Debug)]
pub struct GraphKnowledge {
    /// The longest way from each node to a leaf; empty where there are cycles.
    heights: Vec<u32>,
}

impl GraphKnowledge {
    /// For this graph.
    #[must_use]
    pub fn new<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>) -> GraphKnowledge {
        let heights = if CYCLIC { Vec::new() } else { graph.draft.heights().unwrap_or_default() };
        GraphKnowledge { heights }
    }
}

impl<const CYCLIC: bool> Knowledge<GraphGame<CYCLIC>> for GraphKnowledge {
    fn plies_left(&self, _: &GraphGame<CYCLIC>, p: &GraphNode) -> u32 {
        self.heights.get(p.0 as usize).copied().unwrap_or(u32::MAX)
    }
}
