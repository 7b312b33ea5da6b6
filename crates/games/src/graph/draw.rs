//! Drawing a graph in layers: circles where the first player moves (OR), squares for the second (AND),
//! values at leaves, moves that do not go one layer down as curves.

use super::{Draft, Kind};
use std::collections::VecDeque;
use zermelo_game::diagram::{Content, Diagram, DiagramLine, Spot};

/// Graphs with more nodes are drawn only around the current one.
const DRAWN: usize = 60;
/// From node to node, and from layer to layer.
const STEP: [u32; 2] = [80, 90];
/// Half a node.
const HALF: u32 = 17;

impl Draft {
    /// The graph around a node.
    pub(super) fn draw(&self, current: u32) -> Diagram {
        let layers = self.layers(current);
        let widest = layers.iter().map(Vec::len).max().unwrap_or(1) as u32;
        let (width, height) = (widest * STEP[0] + 40, layers.len() as u32 * STEP[1] + 30);
        let (mut number, mut spots) = (vec![None; self.nodes.len()], Vec::new());
        for (layer, y) in layers.iter().zip(0..) {
            let margin = (width - layer.len() as u32 * STEP[0]) / 2;
            for (&node, x) in layer.iter().zip(0..) {
                let vertex = &self.nodes[node as usize];
                let value = match vertex.kind {
                    Kind::Leaf(value) => Some(value),
                    Kind::Inner(_) => None,
                };
                number[node as usize] = Some(spots.len() as u32);
                spots.push(Spot {
                    x: margin + x * STEP[0] + STEP[0] / 2,
                    y: y * STEP[1] + STEP[1] / 2,
                    wide: HALF,
                    high: HALF,
                    name: vertex.name.clone(),
                    content: Content::Node { turn: vertex.turn, here: node == current, value },
                });
            }
        }
        let mut lines = Vec::new();
        for &node in layers.iter().flatten() {
            for &next in self.nodes[node as usize].moves() {
                if let (Some(from), Some(to)) = (number[node as usize], number[next as usize]) {
                    // A curve bends to the right of its direction, so that there and back stay apart.
                    let down = spots[to as usize].y == spots[from as usize].y + STEP[1];
                    lines.push(DiagramLine {
                        from,
                        to,
                        arrow: true,
                        bend: if down { 0 } else { 45 },
                    });
                }
            }
        }
        let text = self.describe(current);
        Diagram { text, width, height, spots, lines, ..Diagram::default() }
    }

    /// The number of a node in the drawing around another one, if it is there.
    pub(super) fn spot(&self, current: u32, node: u32) -> Option<u32> {
        let at = self.layers(current).iter().flatten().position(|other| *other == node);
        at.map(|at| at as u32)
    }

    /// The nodes to be drawn by their distance from the start, or for large graphs from `current`; that one in any case.
    fn layers(&self, current: u32) -> Vec<Vec<u32>> {
        let root = if self.nodes.len() <= DRAWN { self.start } else { current };
        let mut layers: Vec<Vec<u32>> = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let (mut queue, mut count) = (VecDeque::from([(root, 0)]), 1);
        seen[root as usize] = true;
        while let Some((node, depth)) = queue.pop_front() {
            if layers.len() == depth {
                layers.push(Vec::new());
            }
            layers[depth].push(node);
            for &to in self.nodes[node as usize].moves() {
                if !seen[to as usize] && count < DRAWN {
                    seen[to as usize] = true;
                    count += 1;
                    queue.push_back((to, depth + 1));
                }
            }
        }
        if !seen[current as usize] {
            layers.push(vec![current]); // not reached from the start
        }
        layers
    }
}
