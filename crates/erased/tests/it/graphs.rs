//! Alpha-beta and Monte-Carlo tree search on random trees, acyclic and cyclic graphs with invented leaves, where nothing can be
//! tuned: against the labels of retrograde analysis, and against plain minimax where that is quick.

use std::ops::Range;
use zermelo_erased::{EngineConfig, EngineId};
use zermelo_game::conformance::rounds;
use zermelo_game::{Bounds, Game, Limits, Notation, Rules, Stop};
use zermelo_games::graph::{
    GraphGame, GraphKnowledge, Recipe, labels, random_cyclic, random_dag, random_tree,
};
use zermelo_search::alphabeta::{Config, Solver};
use zermelo_search::{minimax, montecarlo};

/// EngineConfig many graphs of each kind.
fn graphs() -> Range<u64> {
    0..rounds(4_000)
}

pub(crate) fn recipe(seed: u64, nodes: u32) -> Recipe {
    let reach = [1, 1, 3][seed as usize % 3];
    let values = Bounds::new(-reach, reach);
    Recipe { seed, nodes, moves: 2 + seed as u32 % 4, values, draws: seed.is_multiple_of(2) }
}

/// Solves some nodes of a graph with one solver, so that its table serves all of them. Returns how
/// many minimax confirmed.
fn check<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>, seed: u64) -> u32 {
    let truth = labels(graph);
    let knowledge = GraphKnowledge::new(graph);
    let game = Game::new(graph, &knowledge);
    let config = Config {
        threads: if seed.is_multiple_of(16) { 2 } else { 1 },
        deepening: seed.is_multiple_of(5),
        seed: seed % 2,
        playouts: if seed.is_multiple_of(4) { 20 } else { 0 },
        learning: !seed.is_multiple_of(7),
        table_entries: seed.is_multiple_of(6).then_some(64),
        table_plies: 0,
        cutoff_plies: Some(0),
    };
    let memory = if seed.is_multiple_of(3) { 1 << 9 } else { 1 << 16 };
    let mut solver = Solver::new(game, config, Limits { memory, ..Limits::default() });
    let sampling = montecarlo::Config { seed, reference: 5, plies: 50, ..Default::default() };
    let mut confirmed = 0;
    for node in graph.nodes().step_by(1 + seed as usize % 7).take(6).chain([graph.start()]) {
        let value = Bounds::exact(truth[node.0 as usize]);
        let found = solver.solve(&node, &|_| {});
        assert_eq!(found.stop, Stop::Solved, "graph {seed}");
        assert_eq!(found.bounds, value, "graph {seed}, {}", graph.position_text(&node));
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        // Playouts never settle a repetition: they go on to the limit.
        let few = Limits { nodes: Some(if CYCLIC { 300 } else { 3_000 }), ..Limits::default() };
        let sampled = montecarlo::solve(game, &node, &sampling, &few, &|_| {});
        assert!(sampled.bounds.contains(value.lo), "graph {seed}: {} by playouts", sampled.bounds);
        assert!(CYCLIC || sampled.stop == Stop::Solved, "graph {seed}");
        let plain = minimax::solve(graph, &node, &limits, &|_| {});
        if plain.stop == Stop::Solved {
            assert_eq!(plain.bounds, value, "graph {seed}, {}", graph.position_text(&node));
            confirmed += 1;
        }
    }
    confirmed
}

#[test]
fn trees() {
    let confirmed: u32 = graphs().map(|s| check(&random_tree(&recipe(s, 60)), s)).sum();
    assert!(u64::from(confirmed) > graphs().end);
}

#[test]
fn acyclic_graphs() {
    let confirmed: u32 = graphs().map(|s| check(&random_dag(&recipe(s, 40)), s)).sum();
    assert!(u64::from(confirmed) > graphs().end);
}

#[test]
fn cyclic_graphs() {
    let confirmed: u32 = graphs().map(|s| check(&random_cyclic(&recipe(s, 16)), s)).sum();
    assert!(u64::from(confirmed) > graphs().end);
}

/// Positions may have thousands of moves: more than fit into a list on the stack.
#[test]
fn thousands_of_moves() {
    const SAVES: usize = 1_700;
    let moves = 0..3_000;
    let mut text = String::from("a first:");
    moves.clone().for_each(|i| text += &format!(" b{i}"));
    // One ends in a draw, one goes on to a loss, the others are lost.
    for i in moves {
        text += &match i {
            0 => "; b0 second: c; c first = -1".to_owned(),
            SAVES => format!("; b{i} second = 0"),
            _ => format!("; b{i} second = -1"),
        };
    }
    let game = zermelo_erased::Catalogue::standard().open(&format!("graph {text}")).unwrap();
    for &id in EngineId::ALL {
        let engine = EngineConfig::new(id).with_if_any("playouts", 0);
        if game.accepts(&engine).is_err() {
            continue;
        }
        let mut session = game.session();
        let limits = Limits { nodes: Some(100_000), memory: 1 << 22, ..Limits::default() };
        let report = session.solve(&engine, &limits, &|_| {});
        let what = format!("{} {:?}", id.word(), report.stop);
        assert!(report.bounds.contains(0), "{what}");
        if report.stop == Stop::Solved {
            assert_eq!(report.best.as_deref(), Some("b1700"), "{what}");
        } else {
            assert_eq!(id, EngineId::MonteCarlo, "{what}");
        }
    }
}
