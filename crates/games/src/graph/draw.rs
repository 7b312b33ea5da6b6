//! Drawing a graph in layers: circles where the first player moves (OR), squares for the second (AND),
//! values at leaves, moves that do not go one layer down as curves.

use super::{Draft, Kind};
use std::collections::VecDeque;
use std::fmt::Write;
use zermelo_game::Player;

/// Graphs with more nodes are drawn only around the current one.
const DRAWN: usize = 150;

impl Draft {
    /// The graph as an SVG document, with a ring around one node.
    pub(super) fn draw(&self, current: u32) -> String {
        let root = if self.nodes.len() <= DRAWN { self.start } else { current };
        let layers = self.layers(root, current);
        let mut place = vec![None; self.nodes.len()];
        let widest = layers.iter().map(Vec::len).max().unwrap_or(1);
        let (width, height) = (widest * 80 + 40, layers.len() * 90 + 30);
        for (y, layer) in layers.iter().enumerate() {
            let margin = (width - layer.len() * 80) / 2;
            for (x, &node) in layer.iter().enumerate() {
                place[node as usize] = Some((margin + x * 80 + 40, y * 90 + 45));
            }
        }
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n<defs><marker \
             id=\"tip\" viewBox=\"0 0 8 8\" refX=\"26\" refY=\"4\" markerWidth=\"7\" \
             markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker>\
             </defs>\n"
        );
        let drawn = || (0..self.nodes.len()).filter_map(|i| place[i].map(|at| (i, at)));
        for (i, (x, y)) in drawn() {
            for (tx, ty) in self.nodes[i].moves().iter().filter_map(|&to| place[to as usize]) {
                // A curve bends to the right of its direction, so that there and back stay apart.
                let bend = if ty == y + 90 { 0 } else { 45 };
                let (cx, cy) = ((x + tx) / 2 + bend, (y + ty) / 2);
                let _ = writeln!(
                    out,
                    "<path d=\"M{x} {y}Q{cx} {cy} {tx} {ty}\" fill=\"none\" stroke=\"#555\" \
                     marker-end=\"url(#tip)\"/>"
                );
            }
        }
        for (i, (x, y)) in drawn() {
            let node = &self.nodes[i];
            let stroke = if i == current as usize { "#c0392b" } else { "#222" };
            let wide = if i == current as usize { 4 } else { 1 };
            let _ = match node.turn {
                Player::First => writeln!(
                    out,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"17\" fill=\"#f4ead2\" stroke=\"{stroke}\" \
                     stroke-width=\"{wide}\"/>"
                ),
                Player::Second => writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"32\" height=\"32\" fill=\"#dfe7ee\" \
                     stroke=\"{stroke}\" stroke-width=\"{wide}\"/>",
                    x - 16,
                    y - 16
                ),
            };
            let name = escape(&node.name);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{}\">{name}</text>", y + 4);
            if let Kind::Leaf(value) = node.kind {
                let y = y + 32;
                let _ = writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{y}\" font-weight=\"bold\">{value:+}</text>"
                );
            }
        }
        out + "</svg>\n"
    }

    /// The nodes by their distance from `root`, at most [`DRAWN`] of them, with `current` in any case.
    fn layers(&self, root: u32, current: u32) -> Vec<Vec<u32>> {
        let mut layers: Vec<Vec<u32>> = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let (mut queue, mut count) = (VecDeque::from([(root, 0)]), 0);
        seen[root as usize] = true;
        while let Some((node, depth)) = queue.pop_front() {
            if layers.len() == depth {
                layers.push(Vec::new());
            }
            layers[depth].push(node);
            for &to in self.nodes[node as usize].moves() {
                if !seen[to as usize] && count + 1 < DRAWN {
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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
