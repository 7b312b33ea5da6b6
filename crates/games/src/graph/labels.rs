//! The value of every node by retrograde analysis: an oracle that shares nothing with the solvers.
//!
//! Take a threshold `t`. If a repetition is worth less than `t`, the first player must *reach* a
//! leaf of at least `t`: the nodes from which it can are the attractor of those leaves, and along the
//! attractor's ranks play never repeats. If a repetition is worth `t` or more, the second player
//! must reach a leaf below `t`, and the first has at least `t` wherever the second cannot: outside
//! the second's attractor the first can always stay outside, so play ends in a leaf of at least `t`
//! or repeats. Either way the answer depends on the node alone, also where a line ends at its first
//! repetition, and the value is the largest `t` that is answered by yes.

use super::{GraphGame, GraphNode};
use zermelo_game::{Player, Rules, Value};

/// The value of every node, in their order, where play without end is worth the graph's repetition.
///
/// # Panics
/// If the graph's rule of repetition is another than a fixed value: then nodes have no value of their own.
#[must_use]
pub fn labels<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>) -> Vec<Value> {
    let values = graph.values();
    let repetition = graph.repetition().fixed().expect("a repetition has a fixed value");
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); graph.len()];
    for node in graph.nodes() {
        for to in graph.successors(node) {
            before[to.0 as usize].push(node.0);
        }
    }
    let mut out = vec![values.lo; graph.len()];
    for t in values.lo + 1..=values.hi {
        let wants = if repetition < t { Player::First } else { Player::Second };
        let target = |v: Value| (v >= t) == (wants == Player::First);
        let won = attractor(graph, &before, wants, target);
        for (value, won) in out.iter_mut().zip(won) {
            if won == (wants == Player::First) {
                *value = t;
            }
        }
    }
    out
}

/// From which nodes `player` can force play into a leaf whose value is a target.
fn attractor<const CYCLIC: bool>(
    graph: &GraphGame<CYCLIC>,
    before: &[Vec<u32>],
    player: Player,
    target: impl Fn(Value) -> bool,
) -> Vec<bool> {
    let mut inside = vec![false; graph.len()];
    // Moves of the other player that still lead elsewhere.
    let mut escapes: Vec<usize> = graph.nodes().map(|n| graph.successors(n).len()).collect();
    let mut fresh: Vec<u32> =
        graph.nodes().filter(|n| graph.outcome(n).is_some_and(&target)).map(|n| n.0).collect();
    fresh.iter().for_each(|&n| inside[n as usize] = true);
    while let Some(node) = fresh.pop() {
        for &from in &before[node as usize] {
            escapes[from as usize] -= 1;
            let mine = graph.turn(&GraphNode(from)) == player;
            if !inside[from as usize] && (mine || escapes[from as usize] == 0) {
                inside[from as usize] = true;
                fresh.push(from);
            }
        }
    }
    inside
}
