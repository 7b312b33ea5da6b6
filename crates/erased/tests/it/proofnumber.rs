//! The proof-number family against plain minimax on random positions of every game, and against the labels
//! of retrograde analysis on random trees, acyclic and cyclic graphs: every rule of numbers, limits of a few
//! nodes, memory for next to none. The worked examples of the literature, number by number.

use crate::agree::{ALL_MINIMAX_NODES, LEAST, random_game};
use crate::graphs::recipe;
use crate::{boards, tuned};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;
use zermelo_game::conformance::rounds;
use zermelo_game::{
    Bounds, Game, Knowledge, Limits, Notation, Player, Question, Report, Rules, Stop,
};
use zermelo_games::Visitor;
use zermelo_games::graph::{
    AnyGraph, GraphGame, GraphKnowledge, labels, random_cyclic, random_dag, random_tree,
};
use zermelo_games::mnk::{Mnk, MnkKnowledge};
use zermelo_search::options::Thousandths;
use zermelo_search::proofnumber::dfpn::{self, Dfpn, ReplacementPolicy};
use zermelo_search::proofnumber::leaf::Leaf;
use zermelo_search::proofnumber::numbers::{INF, SumRule, Tie};
use zermelo_search::proofnumber::tree::{ProofNumberTree, ROOT};
use zermelo_search::proofnumber::view::QuestionView;
use zermelo_search::proofnumber::{self, pn2, pns, pp};
use zermelo_search::{minimax, portfolio};

const RULES: [SumRule; 7] = [
    SumRule::Sum,
    SumRule::Weak,
    SumRule::Top(1, Tie::Greater),
    SumRule::Top(3, Tie::Less),
    SumRule::Top(2, Tie::Order),
    SumRule::Rate(2, Tie::Greater),
    SumRule::Rate(5, Tie::Less),
];

fn numbers(round: usize) -> pns::Config {
    let leaf = [Leaf::One, Leaf::Mobility, Leaf::Own][round / 7 % 3];
    pns::Config { rule: RULES[round % 7], leaf }
}

fn dfpn(numbers: pns::Config, round: usize) -> dfpn::Config {
    dfpn::Config {
        rule: numbers.rule,
        leaf: numbers.leaf,
        playouts: [0, 0, 30][round % 3],
        seed: round as u64,
        room: [ReplacementPolicy::Bucket, ReplacementPolicy::Sweep][round / 2 % 2],
        epsilon: Thousandths([0, 250, 1000][round % 3]),
        simulation: [0, 3, 50][round / 4 % 3],
        table_entries: (round % 5 == 4).then_some(100),
        ..dfpn::Config::default()
    }
}

/// Solves by one of the engines, each with several settings.
fn solve<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    round: usize,
    limits: &Limits,
) -> (String, Report<R::Move>) {
    let numbers = numbers(round / 6);
    match round % 6 {
        0 => {
            let mut prover = pns::Pns::new(numbers);
            let report = proofnumber::solve(game, p, limits, &|_| {}, &mut prover);
            (format!("pns {numbers:?}"), report)
        }
        1 => {
            let size =
                [pn2::SecondTreeSize::Equal, pn2::SecondTreeSize::Logistic { a: 200, b: 50 }]
                    [round / 12 % 2];
            let config = pn2::Config { numbers, size };
            let mut prover = pn2::Pn2::new(config);
            let report = proofnumber::solve(game, p, limits, &|_| {}, &mut prover);
            (format!("{config:?}"), report)
        }
        2 => {
            let mut prover = pp::Pp::new(pp::Config);
            ("pp".into(), proofnumber::solve(game, p, limits, &|_| {}, &mut prover))
        }
        3 | 4 => {
            let config = dfpn(numbers, round / 6);
            let report = Dfpn::new(game, config.clone(), limits.clone()).solve(p, &|_| {});
            (format!("{config:?}"), report)
        }
        _ => {
            let config = portfolio::Config { dfpn: dfpn(numbers, round / 6), ..Default::default() };
            let report = portfolio::Solver::new(game, config, limits.clone()).solve(p, &|_| {});
            ("auto".into(), report)
        }
    }
}

/// Compares the engines on so many random positions of a game.
struct Compare {
    positions: usize,
    seed: u64,
}

impl Visitor for Compare {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) {
        let tuned = tuned(knowledge);
        let game = Game::new(&rules, &tuned);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let (mut compared, mut left) = (0, rounds(ALL_MINIMAX_NODES));
        for games in 0.. {
            assert!(games < 20_000, "{}: no position is small enough", game.name());
            for p in random_game(&rules, &mut rng) {
                let few = Limits { nodes: Some(2_000), ..Limits::default() };
                let truth = minimax::solve(&rules, &p, &few, &|_| {});
                left = left.saturating_sub(truth.stats.nodes);
                if truth.stop != Stop::Solved {
                    continue;
                }
                let value = truth.bounds;
                let limits = Limits { memory: 1 << 22, ..Limits::default() };
                let (by, found) = solve(game, &p, compared, &limits);
                let what = format!("{} {} by {by}", game.name(), game.position_text(&p));
                assert_eq!((found.stop, found.bounds), (Stop::Solved, value), "{what}");
                check_best(game, &p, &found, value, &what);
                // With limits: nothing wrong, and nothing beyond them.
                let nodes = 1 + compared as u64 % 50;
                let tiny = Limits { nodes: Some(nodes), ..Limits::default() };
                let (_, found) = solve(game, &p, compared / 3, &tiny);
                assert!(found.bounds.contains(value.lo), "{what}, {nodes} nodes");
                assert!(found.stats.nodes <= nodes, "{what}: {} nodes", found.stats.nodes);
                let memory = 1 << (compared % 14);
                let small = Limits { memory, nodes: Some(20_000), ..Limits::default() };
                let (by, found) = solve(game, &p, compared / 3, &small);
                assert!(found.bounds.contains(value.lo), "{what}, {memory} bytes");
                // A root or two there must be.
                let bytes = found.stats.table_bytes;
                assert!(bytes <= memory.max(512), "{what}: {bytes} of {memory} bytes by {by}");
                compared += 1;
                if compared == self.positions || left == 0 && compared >= LEAST {
                    return;
                }
            }
        }
    }
}

/// The line is legal, and its first move keeps the value.
fn check_best<R: Notation, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    found: &Report<R::Move>,
    value: Bounds,
    what: &str,
) {
    let mut q = *p;
    for &m in &found.line {
        let mut list = zermelo_game::MoveList::new();
        assert!(game.outcome(&q).is_none(), "{what}: a move after the end");
        game.moves(&q, &mut list);
        assert!(list.iter().any(|o| o == m), "{what}: illegal move");
        q = game.play(&q, m);
    }
    assert_eq!(found.best, found.line.first().copied());
    match found.best {
        Some(best) => {
            // Minimax did not look at this move if another won.
            let limits = Limits { nodes: R::CYCLIC.then_some(20_000), ..Limits::default() };
            let after = minimax::solve(game.rules(), &game.play(p, best), &limits, &|_| {});
            let known = after.stop == Stop::Solved;
            assert!(!known || after.bounds == value, "{what}: {}", game.move_text(p, best));
            assert!(known || R::CYCLIC, "{what}: minimax has no limit here");
        }
        // What hangs on the line is not always kept with its move.
        None => assert!(R::CYCLIC || game.static_bounds(p).is_exact(), "{what}: no move"),
    }
}

#[test]
fn every_game() {
    let boards = boards::of_every_game(&[
        (
            "go",
            "boards must not be repeated, and then proof-number search refuses: a test of how.rs",
        ),
        ("graph", "below are random ones of each kind, and lines.rs has those of boards.txt"),
    ]);
    boards::each(&boards, |board, number| {
        let positions = boards::share(&boards, board, rounds(4_000));
        let compare = Compare { positions, seed: 31 + number };
        zermelo_games::open(board, compare).unwrap_or_else(|e| panic!("{e}"));
    });
}

/// EngineConfig many graphs of each kind.
fn graphs() -> Range<u64> {
    0..rounds(10_000)
}

/// Solves some nodes of a graph by all engines.
fn check<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>, seed: u64) {
    let truth = labels(graph);
    let knowledge = GraphKnowledge::new(graph);
    for (i, node) in graph.nodes().step_by(7).take(2).chain([graph.start()]).enumerate() {
        let value = Bounds::exact(truth[node.0 as usize]);
        for engine in 0..4 {
            let round = seed as usize * 4 + engine + 8 * i;
            let nodes = if CYCLIC { 2_000 } else { u64::MAX };
            let limits = Limits { nodes: Some(nodes), memory: 1 << 22, ..Limits::default() };
            let (by, found) = solve(Game::new(graph, &knowledge), &node, round, &limits);
            let what = format!("graph {seed}, {}, by {by}", graph.position_text(&node));
            assert!(found.bounds.contains(value.lo), "{what}: {}", found.bounds);
            if !CYCLIC {
                assert_eq!((found.stop, found.bounds), (Stop::Solved, value), "{what}");
            }
            if let (true, Some(best)) = (found.stop == Stop::Solved && !CYCLIC, found.best) {
                let after = truth[graph.play(&node, best).0 as usize];
                assert_eq!(after, value.lo, "{what}");
            }
        }
    }
}

#[test]
fn trees() {
    graphs().for_each(|s| check(&random_tree(&recipe(s, 60)), s));
}

#[test]
fn acyclic_graphs() {
    graphs().for_each(|s| check(&random_dag(&recipe(s, 30)), s));
}

#[test]
fn cyclic_graphs() {
    graphs().for_each(|s| check(&random_cyclic(&recipe(s, 12)), s));
}

/// The tree of figure 3 in Kishimoto and Mueller's chapter on game solvers, and the step of its figure 4. The
/// moves to d and e are listed so that the search comes by it.
const FIGURE: &str = "a first: b c; b second: e d; c second: f g h; e first: i j k; i second = -1;
    d first: p q r; f first: w; g first: w; h first: w; j second: v; k second: v;
    p second: v; q second: v; r second: v; w second: v; v first = 1";

/// The numbers of named nodes, first player's view.
fn shown<const CYCLIC: bool>(
    graph: &GraphGame<CYCLIC>,
    tree: &ProofNumberTree<GraphGame<CYCLIC>, (), pns::Config>,
    names: &str,
) -> Vec<(u32, u32)> {
    let find = |name: &str| {
        (0..tree.extent() as u32).find(|&n| graph.position_text(tree.position(n)) == name)
    };
    let numbers = |name: &str| {
        let n = find(name).unwrap();
        let mark = tree.mark(n);
        match graph.turn(tree.position(n)) {
            Player::First => (mark.phi, mark.delta),
            Player::Second => (mark.delta, mark.phi),
        }
    };
    names.split(' ').map(numbers).collect()
}

#[test]
fn the_figures_of_the_chapter_on_game_solvers() {
    let Ok(AnyGraph::Acyclic(graph)) = AnyGraph::parse(FIGURE) else { panic!("no graph") };
    let view = QuestionView::new(Game::bare(&graph), Question { at_least: 1 });
    let mut tree = ProofNumberTree::new(view, &graph.start(), pns::Config::default(), 1000).kept();
    for (most_proving, a) in [("a", (1, 2)), ("b", (1, 2)), ("c", (2, 2)), ("e", (2, 2))] {
        assert_eq!(graph.position_text(tree.position(tree.most_proving())), most_proving);
        tree.step().unwrap();
        assert_eq!(shown(&graph, &tree, "a"), [a], "after {most_proving}");
    }
    // Figure 3.
    assert_eq!(
        shown(&graph, &tree, "a b c d e f g h i j k"),
        [(2, 2), (2, 1), (3, 1), (1, 1), (1, 2), (1, 1), (1, 1), (1, 1), (INF, 0), (1, 1), (1, 1)]
    );
    // Figure 4: the most-proving node is d, by way of b; d, b and a change.
    assert_eq!(graph.position_text(tree.position(tree.most_proving())), "d");
    tree.step().unwrap();
    assert_eq!(shown(&graph, &tree, "a b d e c"), [(2, 3), (2, 2), (1, 3), (1, 2), (3, 1)]);
}

/// What the lecture on combinatorial search says of the most-proving node: with the value true it makes
/// the root's proof number one less, with false the disproof number.
#[test]
fn the_most_proving_node_serves_both_players() {
    let (mut proved, mut disproved) = (0, 0);
    for seed in 0..2_000 {
        let graph = random_tree(&recipe(seed, 60));
        let view = QuestionView::new(Game::bare(&graph), Question { at_least: 1 });
        let root = graph.start();
        let mut tree = ProofNumberTree::new(view, &root, pns::Config::default(), 1000).kept();
        let numbers = |tree: &ProofNumberTree<GraphGame<false>, (), pns::Config>| match (
            graph.turn(&root),
            tree.mark(ROOT),
        ) {
            (Player::First, n) => (n.phi, n.delta),
            (Player::Second, n) => (n.delta, n.phi),
        };
        while tree.answer().is_none() {
            let (leaf, before) = (tree.most_proving(), numbers(&tree));
            tree.step().unwrap();
            let (after, won) = (numbers(&tree), tree.mark(leaf).solved());
            let won = won.map(|w| w == (graph.turn(tree.position(leaf)) == Player::First));
            match won {
                Some(true) => {
                    assert_eq!(after.0, before.0 - 1, "graph {seed}");
                    proved += 1;
                }
                Some(false) => {
                    assert_eq!(after.1, before.1 - 1, "graph {seed}");
                    disproved += 1;
                }
                None => {}
            }
        }
    }
    assert!(proved > 1000 && disproved > 1000, "{proved} {disproved}");
}

/// A full pool ends the search with the reason, and blocks that were given back are used again.
#[test]
fn memory_is_obeyed_and_used_again() {
    let rules = Mnk::<u64>::new(4, 4, 4);
    let knowledge = MnkKnowledge::new(&rules);
    let game = Game::new(&rules, &knowledge);
    let mut stops = Vec::new();
    for bits in 10..24 {
        let limits = Limits { memory: 1 << bits, ..Limits::default() };
        let mut prover = pns::Pns::new(pns::Config::default());
        let p = game.parse_position("xo../.x../..o./.... first").unwrap();
        let found = proofnumber::solve(game, &p, &limits, &|_| {}, &mut prover);
        assert!(found.stats.table_bytes <= limits.memory);
        // More nodes were made than memory has room for at once.
        if found.stop == Stop::Solved && stops.last() == Some(&Stop::OutOfMemory) {
            let bytes = ProofNumberTree::<Mnk<u64>, MnkKnowledge, pns::Config>::NODE as u64;
            assert!(found.stats.evaluations * bytes > limits.memory);
        }
        stops.push(found.stop);
    }
    assert_eq!(stops.first(), Some(&Stop::OutOfMemory));
    assert_eq!(stops.last(), Some(&Stop::Solved));
}
