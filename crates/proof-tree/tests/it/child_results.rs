//! What a search that failed says of the moves of its position: true on random graphs, and of use.

use crate::{open, prove, small, truth};
use rustc_hash::FxHashMap;
use zermelo_erased::{EngineConfig, EngineId};
use zermelo_game::{Bounds, Limits, Notation, Question};
use zermelo_games::graph::{GraphGame, Recipe, labels, random_cyclic, random_dag};
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{ManagerConfig, maintenance};

/// Asks about some positions with few nodes; how many facts about moves there were, and how many pairs of numbers.
fn check<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>, seed: u64) -> [u32; 2] {
    let values: FxHashMap<String, i16> = graph
        .nodes()
        .zip(labels(graph))
        .map(|(node, value)| (graph.position_text(&node), value))
        .collect();
    let game = open(&graph.full_name());
    let mut found = [0; 2];
    for engine in [EngineId::Dfpn, EngineId::AlphaBeta, EngineId::Auto] {
        let mut session = game.session();
        for (at, node) in graph.nodes().step_by(3).enumerate() {
            session.set_position(&graph.position_text(&node)).unwrap();
            let nodes = Some(1 + (seed + at as u64) % 9);
            let limits = Limits { nodes, memory: 1 << 12, ..Limits::default() };
            let report = session.solve(&EngineConfig::new(engine), &limits, &|_| {});
            let Some(question) = Question::halving(report.bounds) else { continue };
            for child in session.child_results(question) {
                let value = values[&child.position];
                let Bounds { lo, hi } = child.bounds;
                assert!(
                    (lo..=hi).contains(&value),
                    "graph {seed} by {engine:?}: {} is {value}, not {lo}..{hi}\n{}",
                    child.position,
                    graph.full_name()
                );
                found[0] += u32::from(child.bounds != game.values());
                found[1] += u32::from(child.numbers.is_some());
            }
        }
    }
    found
}

fn recipe(seed: u64, nodes: u32) -> Recipe {
    let reach = [1, 1, 3][seed as usize % 3];
    let values = Bounds::new(-reach, reach);
    Recipe { seed, nodes, moves: 2 + seed as u32 % 4, values, draws: seed.is_multiple_of(2) }
}

#[test]
fn results_of_children_are_true() {
    let mut found = [[0; 2]; 2];
    for seed in 0..500 {
        for (sum, new) in found.iter_mut().zip([
            check(&random_cyclic(&recipe(seed, 24)), seed),
            check(&random_dag(&recipe(seed, 40)), seed),
        ]) {
            (0..2).for_each(|i| sum[i] += new[i]);
        }
    }
    assert!(found.iter().flatten().all(|&n| n > 300), "{found:?}");
}

#[test]
fn jobs_that_fail_leave_numbers_and_facts() {
    let game = open("nogo 4x4");
    let folder = tempfile::tempdir().unwrap();
    let config = ManagerConfig { time: None, ..small(300) };
    let found = prove(&game, folder.path(), config, None).unwrap();
    assert_eq!(found.bounds, truth(&*game, None));
    maintenance::check(folder.path(), &*game).unwrap();
    let tree = ProofTree::open(game.clone(), folder.path(), None).unwrap();
    let nodes = (0..tree.graph().len() as u32).map(|id| tree.graph().node(id));
    let told = nodes.filter(|node| node.told.is_some()).count();
    assert!(told > 10, "{told} positions of {}", tree.graph().len());
    // More is known than jobs have settled.
    assert!(found.status.facts > found.status.proved, "{:?}", found.status);
}
