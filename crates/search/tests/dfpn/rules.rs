//! Rules of repetition under which values depend on the line: df-pn (and minimax and proof-number search)
//! against a few lines that carry their line.

use super::{INTERACTIONS, config, for_each_seed, recipe};
use zermelo_game::{Bounds, Game, Limits, Notation, Repetition, Rules, Stop, Value};
use zermelo_games::graph::{AnyGraph, GraphGame, GraphNode, Recipe, random_cyclic, under};
use zermelo_search::proofnumber::dfpn::Dfpn;
use zermelo_search::proofnumber::{self, pn2, pns};
use zermelo_search::{minimax, montecarlo};

/// The value of `p` below a line, by the rules alone.
fn along(graph: &GraphGame<true>, line: &mut Vec<GraphNode>, p: GraphNode) -> Value {
    if let Some(value) = graph.outcome(&p) {
        return value;
    }
    line.push(p);
    let sign = graph.turn(&p).sign();
    let values = graph.successors(p).filter_map(|next| {
        let value = match line.iter().position(|q| *q == next) {
            Some(at) => {
                let plies = line.len() - at;
                graph.repeated(&next, plies)?
            }
            None => along(graph, line, next),
        };
        Some(value * sign)
    });
    let best = values.max().map(|value| value * sign);
    line.pop();
    best.or(graph.repetition().stuck()).expect("a value")
}

/// Solves some nodes of a small graph under a rule of repetition.
fn check_under(rule: fn(&GraphGame<true>, u64) -> Repetition, seed: u64) {
    let recipe = Recipe { moves: 2 + seed as u32 / 8 % 3, ..recipe(seed, 4 + seed as u32 % 6) };
    let graph = random_cyclic(&recipe);
    let graph = under(&graph, rule(&graph, seed));
    let config = config(seed);
    let limits = Limits { memory: 1 << 15, nodes: Some(2_000_000), ..Limits::default() };
    let game = Game::bare(&graph);
    let mut solver = Dfpn::new(game, config.clone(), limits.clone());
    for node in [graph.start(), GraphNode(seed as u32 / 6 % graph.len() as u32)] {
        let value = along(&graph, &mut Vec::new(), node);
        let found = solver.solve(&node, &|_| {});
        let turn = graph.turn(&node);
        let (seen, worst) = (found.bounds.seen_by(turn), graph.values().seen_by(turn).lo);
        let text = || format!("graph {seed}, {}, {config:?}:\n{graph}", graph.position_text(&node));
        assert_eq!(found.stop, Stop::Solved, "{}", text());
        assert_eq!(found.bounds, Bounds::exact(value), "{}", text());
        match found.best {
            Some(m) => {
                let after = along(&graph, &mut vec![node], graph.play(&node, m));
                assert_eq!(after, value, "best move {m} of {}", text());
            }
            // Somebody who loses all may have nothing to say, nobody else.
            None => assert!(
                graph.outcome(&node).is_some() || seen.value() == Some(worst),
                "no move of {}",
                text()
            ),
        }
        if seed.is_multiple_of(16) {
            let plain = minimax::solve(&graph, &node, &limits, &|_| {});
            assert_eq!(plain.bounds, Bounds::exact(value), "{}", text());
            let few = Limits { nodes: Some(2_000), ..limits.clone() };
            let mut pns = pns::Pns::new(pns::Config::default());
            let tree = proofnumber::solve(game, &node, &few, &|_| {}, &mut pns);
            assert!(tree.bounds.contains(value), "pns {} {}", tree.bounds, text());
            let mut pn2 = pn2::Pn2::new(pn2::Config::default());
            let tree = proofnumber::solve(game, &node, &few, &|_| {}, &mut pn2);
            assert!(tree.bounds.contains(value), "pn2 {} {}", tree.bounds, text());
            let sampling = montecarlo::Config { seed, plies: 50, ..Default::default() };
            let few = Limits { nodes: Some(300), ..limits.clone() };
            let sampled = montecarlo::solve(game, &node, &sampling, &few, &|_| {});
            assert!(sampled.bounds.contains(value), "playouts {} {}", sampled.bounds, text());
        }
    }
}

#[test]
fn cyclic_graphs_where_the_repeater_loses() {
    for_each_seed(|s| check_under(|_, _| Repetition::Loses, s));
}

#[test]
fn cyclic_graphs_by_the_parity_of_the_cycle() {
    for_each_seed(|s| check_under(|_, _| Repetition::Parity, s));
}

#[test]
fn cyclic_graphs_without_repetition() {
    let stuck = |graph: &GraphGame<true>, seed: u64| {
        let Bounds { lo, hi } = graph.values();
        Repetition::Forbidden([lo, 0, hi][seed as usize / 3 % 3])
    };
    for_each_seed(|s| check_under(stuck, s));
}

/// The examples of the literature, under every rule.
#[test]
fn results_are_not_carried_from_one_path_to_another_under_any_rule() {
    for (text, _) in INTERACTIONS {
        let AnyGraph::Cyclic(graph) = AnyGraph::parse(text).unwrap() else { panic!("no cycle") };
        for rule in [
            Repetition::Worth(0),
            Repetition::Loses,
            Repetition::Parity,
            Repetition::Forbidden(-1),
            Repetition::Forbidden(0),
            Repetition::Forbidden(1),
        ] {
            let graph = under(&graph, rule);
            for seed in 0..30 {
                let mut solver = Dfpn::new(Game::bare(&graph), config(seed), Limits::default());
                for node in graph.nodes().skip(seed as usize % 5) {
                    let value = along(&graph, &mut Vec::new(), node);
                    let found = solver.solve(&node, &|_| {}).bounds;
                    assert_eq!(found, Bounds::exact(value), "{node:?} of\n{graph}");
                }
            }
        }
    }
}

/// One graph, one value a rule: the second player comes back to `a` for a draw, if it may.
#[test]
fn the_rule_decides() {
    for (rule, value) in [("0", 0), ("-1", -1), ("loses", 1), ("parity", 1), ("forbidden 0", 1)] {
        let text =
            format!("repetition {rule}; a first: b c; b second: a d; d first = 1; c second = -1");
        let AnyGraph::Cyclic(graph) = AnyGraph::parse(&text).unwrap() else { panic!("no cycle") };
        assert_eq!(along(&graph, &mut Vec::new(), graph.start()), value, "{rule}");
        let mut solver = Dfpn::new(Game::bare(&graph), config(1), Limits::default());
        assert_eq!(solver.solve(&graph.start(), &|_| {}).bounds, Bounds::exact(value), "{rule}");
    }
}
