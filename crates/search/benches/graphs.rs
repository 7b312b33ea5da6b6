//! Df-pn on random graphs: what keeping results that hang on the line saves, and what counting a node
//! once for every way to it costs.
//!
//! ```text
//! cargo bench -p zermelo-search --bench graphs                both tables
//! cargo bench -p zermelo-search --bench graphs -- twins
//! cargo bench -p zermelo-search --bench graphs -- counting
//! ```
//!
//! Prints Markdown: nodes over all graphs that every setting solves, and how many each leaves unsolved.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::{Bounds, Game, Limits, Repetition, Stop};
use zermelo_games::graph::{AnyGraph, Graph, Recipe, random_cyclic, under};
use zermelo_search::proofnumber::dfpn::{Config, Dfpn};

/// Graphs of each kind.
const GRAPHS: u64 = 100;
/// Nodes that a search may take.
const MOST: u64 = 200_000;

/// The nodes a search takes, unless it takes too many.
fn nodes<const CYCLIC: bool>(graph: &Graph<CYCLIC>, config: &Config) -> Option<u64> {
    let limits = Limits { memory: 64 << 20, nodes: Some(MOST), ..Limits::default() };
    let report = Dfpn::new(graph, config.clone(), limits).solve(&graph.start(), &|_| {});
    (report.stop == Stop::Solved).then_some(report.stats.nodes)
}

/// Runs all settings on all graphs and prints a row.
fn compare<const CYCLIC: bool>(
    name: &str,
    graphs: impl Iterator<Item = Graph<CYCLIC>>,
    configs: &[Config],
) {
    let mut sums = vec![0; configs.len()];
    let mut open = vec![0; configs.len()];
    let mut common = 0;
    for graph in graphs {
        let found: Vec<Option<u64>> = configs.iter().map(|c| nodes(&graph, c)).collect();
        for (open, found) in open.iter_mut().zip(&found) {
            *open += u32::from(found.is_none());
        }
        if let Some(found) = found.into_iter().collect::<Option<Vec<u64>>>() {
            common += 1;
            sums.iter_mut().zip(found).for_each(|(sum, n)| *sum += n);
        }
    }
    print!("| {name} | {common} |");
    for (sum, open) in sums.iter().zip(open) {
        print!(" {sum}, {open} open |");
    }
    println!();
}

/// A graph whose moves lead to one of the nodes nearby, with few ends: lines are long and come back in
/// many ways.
fn strip(seed: u64, nodes: u64, moves: u64, rule: &str) -> Graph<true> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut text = format!("repetition {rule}");
    let player = |i: u64| if i.is_multiple_of(2) { "first" } else { "second" };
    for i in 0..nodes {
        text += &format!("\nn{i} {}", player(i));
        if i > 0 && rng.random_range(0..12) == 0 {
            text += [" = -1", " = 1"][rng.random_range(0..2)];
            continue;
        }
        text += ":";
        let mut near: Vec<u64> =
            (0..nodes).filter(|j| (i + j) % 2 == 1 && i.abs_diff(*j) < 10).collect();
        for _ in 0..moves.min(near.len() as u64) {
            text += &format!(" n{}", near.swap_remove(rng.random_range(0..near.len())));
        }
    }
    match AnyGraph::parse(&text) {
        Ok(AnyGraph::Cyclic(graph)) => graph,
        other => panic!("no cyclic graph: {:?}", other.err()),
    }
}

fn twins() {
    println!("\n| graphs | solved by all | without twins | with |\n|---|---|---|---|");
    let configs = [false, true].map(|twins| Config { twins, ..Config::default() });
    for (nodes, moves) in [(20, 3), (40, 3), (40, 4), (100, 3), (200, 4)] {
        for rule in ["-1", "0", "loses", "parity", "forbidden 0"] {
            let graphs = (0..GRAPHS).map(|seed| strip(seed, nodes, moves, rule));
            compare(&format!("strip of {nodes}, {moves} moves, {rule}"), graphs, &configs);
        }
    }
    for (nodes, moves) in [(20, 3), (50, 6), (200, 4)] {
        for (name, rule) in [
            ("fixed", None),
            ("loses", Some(Repetition::Loses)),
            ("parity", Some(Repetition::Parity)),
            ("forbidden 0", Some(Repetition::Forbidden(0))),
        ] {
            let graphs = (0..GRAPHS).map(|seed| {
                let values = Bounds::new(-1, 1);
                let recipe = Recipe { seed, nodes, moves, values, draws: true };
                let graph = random_cyclic(&recipe);
                rule.map_or_else(|| graph.clone(), |rule| under(&graph, rule))
            });
            compare(&format!("{nodes} nodes, {moves} moves, {name}"), graphs, &configs);
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let wanted = |word: &str| words.is_empty() || words.iter().any(|w| w == word);
    if wanted("twins") {
        twins();
    }
}
