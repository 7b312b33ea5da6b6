//! Df-pn on explicit graphs, where nothing can be tuned: random trees, acyclic and cyclic graphs against
//! the labels of retrograde analysis, by every rule and with tables of every size; and the graphs of
//! the literature on which it goes wrong or astray.

use zermelo_game::{Bounds, Game, Limits, Stop};
use zermelo_games::graph::{Graph, Recipe, labels, random_cyclic, random_dag, random_tree};
use zermelo_search::proofnumber::dfpn::{Config, Dfpn, Loops, Room};
use zermelo_search::proofnumber::leaf::Leaf;
use zermelo_search::proofnumber::numbers::{SumRule, Tie};

/// How many graphs of each kind.
const GRAPHS: u64 = 100_000;

fn recipe(seed: u64, nodes: u32) -> Recipe {
    let reach = [1, 1, 3][seed as usize % 3];
    let values = Bounds::new(-reach, reach);
    Recipe { seed, nodes, moves: 2 + seed as u32 % 4, values, draws: seed.is_multiple_of(2) }
}

fn config(seed: u64) -> Config {
    let rules = [
        SumRule::Sum,
        SumRule::Weak,
        SumRule::Top(1, Tie::Greater),
        SumRule::Top(2, Tie::Less),
        SumRule::Rate(2, Tie::Order),
    ];
    Config {
        threads: if seed.is_multiple_of(64) { 2 } else { 1 },
        rule: rules[seed as usize % rules.len()],
        leaf: [Leaf::One, Leaf::Mobility, Leaf::Game][seed as usize / 5 % 3],
        loops: [Loops::Control, Loops::Both][seed as usize / 4 % 2],
        room: [Room::Bucket, Room::Sweep][seed as usize / 2 % 2],
        epsilon: [0, 250][seed as usize / 3 % 2],
        table_entries: seed.is_multiple_of(7).then_some(16),
        patience: 1 << 20,
    }
}

/// Solves some nodes of a graph with one solver, so that its tables serve all of them.
fn check<const CYCLIC: bool>(graph: &Graph<CYCLIC>, seed: u64) {
    let truth = labels(graph);
    let config = config(seed);
    let limits = Limits { memory: 1 << 16, nodes: Some(2_000_000), ..Limits::default() };
    let mut solver = Dfpn::new(graph, config.clone(), limits);
    for node in graph.nodes().step_by(1 + seed as usize % 7).take(3).chain([graph.start()]) {
        let value = Bounds::exact(truth[node.0 as usize]);
        let found = solver.solve(&node, &|_| {});
        let text = graph.position_text(&node);
        assert_eq!(found.stop, Stop::Solved, "graph {seed}, {text}, {config:?}");
        assert_eq!(found.bounds, value, "graph {seed}, {text}, {config:?}");
        if let Some(m) = found.best {
            let after = truth[graph.play(&node, m).0 as usize];
            assert!(CYCLIC || after == value.lo, "graph {seed}, {text}: best move {m:?}");
        }
    }
}

#[test]
fn trees() {
    (0..GRAPHS).for_each(|s| check(&random_tree(&recipe(s, 30)), s));
}

#[test]
fn acyclic_graphs() {
    (0..GRAPHS).for_each(|s| check(&random_dag(&recipe(s, 30)), s));
}

#[test]
fn cyclic_graphs() {
    (0..GRAPHS).for_each(|s| check(&random_cyclic(&recipe(s, 20)), s));
}
