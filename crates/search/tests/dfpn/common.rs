//! Solvers at different nodes of one graph, which use the same tables at the same time.

use super::{config, graphs, recipe};
use std::sync::Arc;
use zermelo_game::{Bounds, Game, Knowledge, Limits, Notation, Rules, Stop};
use zermelo_games::graph::{GraphGame, GraphKnowledge, labels, random_cyclic, random_dag};
use zermelo_search::proofnumber::dfpn::{Config, Dfpn, QuestionTables, ReplacementPolicy};

/// Two threads go through all nodes, one from the front and one from the back, and meet in between.
fn check<const CYCLIC: bool, K: Knowledge<GraphGame<CYCLIC>>>(
    game: Game<GraphGame<CYCLIC>, K>,
    seed: u64,
) {
    let graph = game.rules();
    let truth = labels(graph);
    let limits = Limits { memory: 1 << 16, nodes: Some(2_000_000), ..Limits::default() };
    let config =
        Config { threads: 1, room: ReplacementPolicy::Bucket, table_entries: None, ..config(seed) };
    let common = QuestionTables::new(game, 1 << 13);
    assert_eq!(common.is_some(), graph.values().hi == 1, "scores are not shared");
    let Some(common) = common else { return };
    let work = |back: bool| {
        let mut solver = Dfpn::new(game, config.clone(), limits.clone()).sharing(common.clone());
        let mut nodes: Vec<_> = graph.nodes().collect();
        if back {
            nodes.reverse();
        }
        for node in nodes {
            let found = solver.solve(&node, &|_| {});
            let text = graph.position_text(&node);
            assert_eq!(found.stop, Stop::Solved, "graph {seed}, {text}, {config:?}");
            let value = Bounds::exact(truth[node.0 as usize]);
            assert_eq!(found.bounds, value, "graph {seed}, {text}, {config:?}");
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| work(true));
        work(false);
        other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    assert_eq!(Arc::strong_count(&common), 1);
}

#[test]
fn solvers_that_share_tables_are_right() {
    for seed in 0..graphs() / 50 {
        let (acyclic, cyclic) = (random_dag(&recipe(seed, 30)), random_cyclic(&recipe(seed, 20)));
        check(Game::new(&acyclic, &GraphKnowledge::new(&acyclic)), seed);
        check(Game::bare(&cyclic), seed);
    }
}
