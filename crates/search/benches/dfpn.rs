//! What df-pn costs, and what its parts are worth: visits a second, two threads beside one, small tables; keeping
//! results that depend on the line, simulation, and rules of counting, on random graphs and on games.
//!
//! ```text
//! cargo bench -p zermelo-search --bench dfpn                all tables
//! cargo bench -p zermelo-search --bench dfpn -- speed       visits a second, table of 1 GB
//! cargo bench -p zermelo-search --bench dfpn -- threads     one thread and two, proofs of many seconds
//! cargo bench -p zermelo-search --bench dfpn -- room        nodes with tables of a part of them
//! cargo bench -p zermelo-search --bench dfpn -- twins       results that depend on the line, cyclic graphs
//! cargo bench -p zermelo-search --bench dfpn -- simulation
//! cargo bench -p zermelo-search --bench dfpn -- counting    a node that is reached in several ways
//! ```
//!
//! Prints Markdown: for sets of graphs, nodes over all that every setting solves, and how many each leaves
//! open; for games, nodes and user seconds.

mod cpu;

use cpu::user_seconds;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;
use zermelo_game::{Bounds, Game, Knowledge, Limits, Notation, Repetition, Rules, Stats, Stop};
use zermelo_games::Visitor;
use zermelo_games::graph::{
    AnyGraph, GraphGame, GraphKnowledge, Recipe, random_cyclic, random_dag, under,
};
use zermelo_search::proofnumber::dfpn::{Config, Dfpn, ReplacementPolicy};
use zermelo_search::proofnumber::numbers::SumRule;

/// Graphs of each kind.
const GRAPHS: u64 = 100;
/// Nodes that a search may take.
const MOST: u64 = 200_000;

/// The nodes a search takes, unless it takes too many.
fn nodes<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>, config: &Config) -> Option<u64> {
    let limits = Limits { memory: 64 << 20, nodes: Some(MOST), ..Limits::default() };
    let knowledge = GraphKnowledge::new(graph);
    let game = Game::new(graph, &knowledge);
    let report = Dfpn::new(game, config.clone(), limits).solve(&graph.start(), &|_| {});
    (report.stop == Stop::Solved).then_some(report.stats.nodes)
}

/// Runs all settings on all graphs and prints a row.
fn compare<const CYCLIC: bool>(
    name: &str,
    graphs: impl Iterator<Item = GraphGame<CYCLIC>>,
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

/// A graph whose moves lead to one of the nodes nearby, with few ends: lines are long and repeat nodes in
/// many ways.
fn strip(seed: u64, nodes: u64, moves: u64, rule: &str) -> GraphGame<true> {
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

/// One game with one setting: what the report says, user seconds and wall seconds.
struct Measure(Config, u64);

impl Visitor for Measure {
    type Output = (Stop, Stats, f64, f64);

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output {
        let game = Game::new(&rules, &knowledge);
        let limits = Limits { memory: 1 << 30, nodes: Some(self.1), ..Limits::default() };
        let (user, wall) = (user_seconds(), Instant::now());
        let report = Dfpn::new(game, self.0, limits).solve(&game.start(), &|_| {});
        (report.stop, report.stats, user_seconds() - user, wall.elapsed().as_secs_f64())
    }
}

fn measure(name: &str, config: Config, most: u64) -> (Stop, Stats, f64, f64) {
    zermelo_games::open(name, Measure(config, most)).unwrap_or_else(|e| panic!("{e}"))
}

/// Visits a second. "Judged" are the positions behind the moves of visited ones.
fn speed() {
    println!("\n| game | nodes | user s | visits/s | judged/s |\n|---|---|---|---|---|");
    for name in [
        "connect4 5x6",
        "connect4 6x6",
        "mnk 4x4x4",
        "mnk 4x5x4",
        "breakthrough 5x4",
        "breakthrough 5x5",
        "knightthrough 6x6",
        "nogo 4x4",
        "nogo 3x6",
        "atarigo 5x5",
        "domineering 7x7",
        "clobber 5x4",
    ] {
        let (_, stats, user, _) = measure(name, Config::default(), u64::MAX);
        let rate = |n: u64| n as f64 / user / 1e6;
        println!(
            "| {name} | {} | {user:.2} | {:.2} M | {:.1} M |",
            stats.nodes,
            rate(stats.nodes),
            rate(stats.evaluations)
        );
    }
}

/// Proofs of many seconds, by one thread and by two.
fn threads() {
    println!(
        "\n| game | one: nodes, user s, wall s | two: nodes, user s, wall s | faster by |\n|---|---|---|---|"
    );
    for name in [
        "nogo 5x4",
        "clobber 5x5",
        "clobber 4x7",
        "breakthrough 6x4",
        "breakthrough 5x6",
        "breakthrough 8x3",
        "connect4 6x7",
        "connect4 8x6",
    ] {
        let run = |threads| measure(name, Config { threads, ..Config::default() }, 60_000_000);
        let [one, two] = [1, 2].map(run);
        let cell = |(stop, stats, user, wall): &(Stop, Stats, f64, f64)| {
            let open = if *stop == Stop::Solved { "" } else { ", open" };
            format!("{}, {user:.1}, {wall:.1}{open}", stats.nodes)
        };
        println!("| {name} | {} | {} | {:.2} |", cell(&one), cell(&two), one.3 / two.3);
    }
}

/// Nodes with tables of a part of them: of three entries times a power of two, whichever is nearest.
fn room() {
    println!("\n| game | no limit | entries: part, x by bucket, x by sweep |\n|---|---|---|");
    for name in [
        "breakthrough 5x4",
        "clobber 5x4",
        "atarigo 5x5",
        "nogo 3x6",
        "mnk 4x5x4",
        "knightthrough 6x6",
    ] {
        let all = measure(name, Config::default(), u64::MAX).1.nodes;
        print!("| {name} | {all} |");
        for part in [2.0, 5.0, 10.0, 20.0, 50.0] {
            let entries = 3 << (all as f64 / part / 3.0).log2().round() as u32;
            print!(" {entries}: 1/{:.1}", all as f64 / entries as f64);
            for room in [ReplacementPolicy::Bucket, ReplacementPolicy::Sweep] {
                let config = Config { room, table_entries: Some(entries), ..Config::default() };
                let (stop, stats, ..) = measure(name, config, 16 * all);
                match stop {
                    Stop::Solved => print!(", x {:.1}", stats.nodes as f64 / all as f64),
                    _ => print!(", not in x 16"),
                }
            }
            print!(" |");
        }
        println!();
    }
}

fn games(names: &[&str], configs: &[Config]) {
    for name in names {
        print!("| {name} |");
        for config in configs {
            let (stop, stats, user, _) = measure(name, config.clone(), 30_000_000);
            let open = if stop == Stop::Solved { "" } else { ", open" };
            print!(" {} in {user:.2} s{open} |", stats.nodes);
        }
        println!();
    }
}

fn simulation() {
    println!("\n| game | off | 5 nodes | 50 nodes |\n|---|---|---|---|");
    let configs = [0, 5, 50].map(|simulation| Config { simulation, ..Config::default() });
    let names = [
        "tictactoe",
        "mnk 4x4x3",
        "mnk 4x4x4",
        "nogo 4x4",
        "nogo 5x4",
        "atarigo 4x5",
        "atarigo 5x5",
        "clobber 4x5",
        "clobber 5x4",
        "breakthrough 5x4",
        "knightthrough 6x6",
        "domineering 6x6",
        "domineering 7x7",
        "connect4 5x5",
        "mnk 4x5x4",
    ];
    games(&names, &configs);
}

/// a(i) -> b(i), c(i) -> a(i + 1), and a leaf below a(n): one leaf, which sums count 2^n times.
/// The chain is won for the first player, who may also go to a tree that is lost, six moves wide for the first
/// player and two for the second.
fn diamonds(n: u32) -> GraphGame<false> {
    let mut text = String::from("root first: a0 t; ");
    let (mut names, mut first) = (vec!["t".to_owned()], false);
    for _ in 0..6 {
        let mut below = Vec::new();
        for name in &names {
            let turn = if first { "first" } else { "second" };
            let children: Vec<_> =
                (0..if first { 6 } else { 2 }).map(|i| format!("{name}{i}")).collect();
            text += &format!("{name} {turn}: {}; ", children.join(" "));
            below.extend(children);
        }
        (names, first) = (below, !first);
    }
    for name in names {
        text += &format!("{name} second = -1; ");
    }
    for i in 0..n {
        let j = i + 1;
        text += &format!("a{i} second: b{i} c{i}; b{i} first: a{j}; c{i} first: a{j};");
    }
    text += &format!("a{n} second: z; z first: y; y second = 1");
    match AnyGraph::parse(&text) {
        Ok(AnyGraph::Acyclic(graph)) => graph,
        other => panic!("no acyclic graph: {:?}", other.err()),
    }
}

fn counting() {
    println!("\n| graphs or game | solved by all | sum | weak |\n|---|---|---|---|");
    let configs = [SumRule::Sum, SumRule::Weak].map(|rule| Config { rule, ..Config::default() });
    for n in [3, 5, 10, 20] {
        let graphs = std::iter::once(diamonds(n));
        compare(&format!("chain of {n} diamonds beside a lost tree"), graphs, &configs);
    }
    for (nodes, moves) in [(100, 3), (1000, 3), (1000, 6), (10_000, 4)] {
        let graphs = (0..GRAPHS).map(|seed| {
            let values = Bounds::new(-1, 1);
            random_dag(&Recipe { seed, nodes, moves, values, draws: false })
        });
        compare(&format!("acyclic, {nodes} nodes, {moves} moves"), graphs, &configs);
    }
    println!("\n| game | sum | weak |\n|---|---|---|");
    let names = [
        "nogo 4x4",
        "clobber 5x4",
        "domineering 7x7",
        "atarigo 5x5",
        "breakthrough 5x4",
        "knightthrough 6x6",
        "connect4 5x5",
        "mnk 4x4x4",
        "mnk 4x5x4",
        "nogo 5x4",
        "breakthrough 5x5",
    ];
    games(&names, &configs);
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let wanted = |word: &str| words.is_empty() || words.iter().any(|w| w == word);
    if wanted("speed") {
        speed();
    }
    if wanted("threads") {
        threads();
    }
    if wanted("room") {
        room();
    }
    if wanted("twins") {
        twins();
    }
    if wanted("simulation") {
        simulation();
    }
    if wanted("counting") {
        counting();
    }
}
