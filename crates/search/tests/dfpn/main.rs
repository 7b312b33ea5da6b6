//! Df-pn on explicit graphs, where nothing can be tuned: random trees, acyclic and cyclic graphs against
//! the labels of retrograde analysis, by every rule and with tables of every size; cyclic graphs under
//! every rule of repetition against minimax that carries its line; and the graphs of the literature on
//! which it goes wrong or astray.

mod common;
mod rules;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zermelo_game::conformance::rounds;
use zermelo_game::{Bounds, Game, Knowledge, Limits, Notation, Rules, Stop};
use zermelo_games::graph::{
    AnyGraph, GraphGame, GraphKnowledge, Recipe, labels, random_cyclic, random_dag, random_tree,
};
use zermelo_search::options::Thousandths;
use zermelo_search::proofnumber::dfpn::{Config, Dfpn, Loops, ReplacementPolicy};
use zermelo_search::proofnumber::leaf::Leaf;
use zermelo_search::proofnumber::numbers::{SumRule, Tie};

/// How many graphs of each kind.
fn graphs() -> u64 {
    rounds(100_000)
}

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
        playouts: [0, 20][seed as usize / 3 % 2],
        seed,
        leaf: [Leaf::One, Leaf::Mobility, Leaf::Own][seed as usize / 5 % 3],
        loops: [Loops::Control, Loops::Both][seed as usize / 4 % 2],
        room: [ReplacementPolicy::Bucket, ReplacementPolicy::Sweep][seed as usize / 2 % 2],
        epsilon: Thousandths([0, 250][seed as usize / 3 % 2]),
        table_entries: seed.is_multiple_of(7).then_some(16),
        twins: !seed.is_multiple_of(3),
        simulation: [0, 0, 4][seed as usize % 3],
        patience: 1 << 20,
        ..Config::default()
    }
}

/// Solves some nodes of a graph with one solver, so that its tables serve all of them.
fn check<const CYCLIC: bool, K: Knowledge<GraphGame<CYCLIC>>>(
    game: Game<GraphGame<CYCLIC>, K>,
    seed: u64,
) {
    let graph = game.rules();
    let truth = labels(graph);
    let config = config(seed);
    let limits = Limits { memory: 1 << 16, nodes: Some(2_000_000), ..Limits::default() };
    let mut solver = Dfpn::new(game, config.clone(), limits);
    for node in graph.nodes().skip(seed as usize % 7).take(1).chain([graph.start()]) {
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

/// The same with what is known of a graph without cycles.
fn check_acyclic(graph: &GraphGame<false>, seed: u64) {
    check(Game::new(graph, &GraphKnowledge::new(graph)), seed);
}

/// Calls `check` with every seed, on two threads.
fn for_each_seed(check: impl Fn(u64) + Sync) {
    let (next, graphs) = (AtomicU64::new(0), graphs());
    let work = || {
        while let seed = next.fetch_add(1, Relaxed)
            && seed < graphs
        {
            check(seed);
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(work);
        work();
        other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

#[test]
fn trees() {
    for_each_seed(|s| check_acyclic(&random_tree(&recipe(s, 30)), s));
}

#[test]
fn acyclic_graphs() {
    for_each_seed(|s| check_acyclic(&random_dag(&recipe(s, 30)), s));
}

#[test]
fn cyclic_graphs() {
    for_each_seed(|s| check(Game::bare(&random_cyclic(&recipe(s, 20))), s));
}

fn solve(text: &str, config: Config) -> (Bounds, Stop, u64) {
    let limits = Limits { nodes: Some(10_000_000), ..Limits::default() };
    let report = match AnyGraph::parse(text).unwrap_or_else(|flaw| panic!("{flaw:?}")) {
        AnyGraph::Acyclic(graph) => {
            let knowledge = GraphKnowledge::new(&graph);
            let game = Game::new(&graph, &knowledge);
            Dfpn::new(game, config, limits).solve(&graph.start(), &|_| {})
        }
        AnyGraph::Cyclic(graph) => {
            Dfpn::new(Game::bare(&graph), config, limits).solve(&graph.start(), &|_| {})
        }
    };
    (report.bounds, report.stop, report.stats.nodes)
}

/// Plain df-pn as in the paper: no cure against loops, no 1 + epsilon.
fn plain() -> Config {
    Config { loops: Loops::Plain, epsilon: Thousandths(0), patience: 10_000, ..Config::default() }
}

/// The acyclic graph on which a visit comes back without having expanded anything (Kishimoto and
/// Mueller, "About the completeness of depth-first proof-number search", 2008, figure 2). Leaves are
/// written with an end of their own, so that nobody knows them before they are visited.
const FIGURE_2: &str = "a first: b c; b second: d e; c second: e; e first: f; f second: g h i;
    d first: d1; g first: g1; h first: h1; i first: i1;
    d1 second = -1; g1 second = -1; h1 second = -1; i1 second = -1";

#[test]
fn figure_2_is_solved() {
    let (bounds, stop, nodes) = solve(FIGURE_2, plain());
    assert_eq!((bounds, stop), (Bounds::exact(-1), Stop::Solved));
    // Eleven visits in the paper's own form of the algorithm.
    assert_eq!(nodes, 11);
}

/// The cyclic graph on which df-pn goes round forever (figure 3 of the same paper).
fn figure_3(leaf: i32) -> String {
    let mut text = String::from(
        "repetition -1; a first: b c; b second: d e; c second: f g; f first: h i; g first: j k;
         h second: l; l first: m n; m second: o; j second: o; o first: h p;",
    );
    for (node, turn, end) in [
        ("d", "first", "second"),
        ("e", "first", "second"),
        ("i", "second", "first"),
        ("k", "second", "first"),
        ("n", "second", "first"),
        ("p", "second", "first"),
    ] {
        text += &format!("{node} {turn}: {node}1; {node}1 {end} = {leaf};");
    }
    text
}

#[test]
fn figure_3_stalls_without_a_cure() {
    for rule in [SumRule::Sum, SumRule::Weak] {
        let (bounds, stop, nodes) = solve(&figure_3(1), Config { rule, ..plain() });
        assert_eq!((bounds, stop), (Bounds::new(-1, 1), Stop::Stalled), "{rule:?}");
        assert!(nodes >= 10_000, "{rule:?}: {nodes}");
    }
}

#[test]
fn figure_3_is_solved_with_one() {
    for (loops, most) in [(Loops::Old, 30), (Loops::Control, 1000), (Loops::Both, 30)] {
        for leaf in [1, -1] {
            let (bounds, stop, nodes) = solve(&figure_3(leaf), Config { loops, ..plain() });
            let value = Bounds::exact(leaf as i16);
            assert_eq!((bounds, stop), (value, Stop::Solved), "{loops:?}");
            assert!(nodes <= most, "{loops:?}: {nodes} visits");
        }
    }
}

/// Graphs on which a search that shares results between paths goes wrong: the line through `b` comes
/// back to `b` or `c`, which is a draw there, but no draw when it is met first on the way through the
/// other. (After Palay 1983; Campbell 1985; Kishimoto and Mueller 2004.)
const INTERACTIONS: [(&str, i16); 5] = [
        ("repetition 0; a first: b c; b second: d; c second: d e; d first: b f; e first = 1; f second: g;
          g first: c2; c2 second = 1", 1),
        ("repetition 0; a first: b c; b second: d; d first: e; e second: d g; g first = -1; c second: f;
          f first: e h; h second = -1", -1),
        ("repetition 0; a first: b; b second: c d; c first: e; d first: e; e second: c d f; f first = 1", 0),
        ("repetition -1; a first: b c; b second: d; c second: d; d first: b e; e second: g f; g first: c; f first = 1", -1),
        ("repetition 1; a first: b c; b second: d; c second: d; d first: b e; e second: g f; g first: c; f first = -1", 1),
];

#[test]
fn results_are_not_carried_from_one_path_to_another() {
    for (text, value) in INTERACTIONS {
        let AnyGraph::Cyclic(graph) = AnyGraph::parse(text).unwrap() else { panic!("no cycle") };
        assert_eq!(labels(&graph)[graph.start().0 as usize], value, "{text}");
        for seed in 0..30 {
            let mut solver = Dfpn::new(Game::bare(&graph), config(seed), Limits::default());
            // In any order, so that the table is full of other paths.
            for node in graph.nodes().skip(seed as usize % 5).step_by(2) {
                let truth = labels(&graph)[node.0 as usize];
                assert_eq!(solver.solve(&node, &|_| {}).bounds, Bounds::exact(truth), "{text}");
            }
            assert_eq!(
                solver.solve(&graph.start(), &|_| {}).bounds,
                Bounds::exact(value),
                "{text}"
            );
        }
    }
}

/// a(i) -> b(i), c(i) -> a(i + 1): as many ways to the leaf as 2 to the number of diamonds.
#[test]
fn a_chain_of_diamonds_takes_a_few_visits_a_diamond() {
    for rule in [SumRule::Sum, SumRule::Weak] {
        for leaf in [1, -1] {
            let mut text = String::new();
            for i in 0..40 {
                let j = i + 1;
                text += &format!("a{i} second: b{i} c{i}; b{i} first: a{j}; c{i} first: a{j};");
            }
            text += &format!("a40 second: z; z first: y; y second = {leaf}");
            let (bounds, stop, nodes) = solve(&text, Config { rule, ..plain() });
            assert_eq!((bounds, stop), (Bounds::exact(leaf), Stop::Solved), "{rule:?}");
            assert!(nodes < 400, "{rule:?}: {nodes} visits");
        }
    }
}
