//! Games with keys of more than 128 bits: every engine finds what it finds with short keys, and as long as its table has room
//! for all, by the same nodes.
//!
//! `ZERMELO_TESTS=full` takes five times as many graphs.

use zermelo_game::conformance::rounds;
use zermelo_game::{
    Bounds, BySuperko, Game, History, Knowledge, Limits, Notation, Rules, Stop, SuperkoRule,
};
use zermelo_games::clobber::{Clobber, ClobberKnowledge};
use zermelo_games::go::{Go, GoKnowledge};
use zermelo_games::graph::{
    AnyGraph, GraphGame, GraphKnowledge, Recipe, labels, random_cyclic, random_dag, random_tree,
};
use zermelo_games::mnk::{Mnk, MnkKnowledge};
use zermelo_games::widened::{Widened, WidenedKnowledge};
use zermelo_search::engine::Task;
use zermelo_search::engines::{Abilities, ByThreats, EngineConfig, Make};
use zermelo_search::loops::InnerLoops;

/// Engines that search the same nodes every time.
const STEADY: &[&str] = &[
    "alphabeta:table-plies=0,cutoff-plies=0",
    "alphabeta:deepening=yes,table-plies=0,seed=3",
    "alphabeta:playouts=50",
    "dfpn",
    "dfpn:sum=weak,simulation=3,playouts=20",
    "auto",
    "pns",
    "pn2",
    "pp",
    "montecarlo:seed=5",
];

/// Engines with several threads, and with tables in which entries are replaced.
const OTHERS: &[&str] = &[
    "alphabeta:threads=2,table-plies=0,cutoff-plies=0",
    "alphabeta:table-entries=64,table-plies=0",
    "alphabeta:deepening=yes,threads=2",
    "dfpn:threads=2",
    "dfpn:table-entries=64",
    "dfpn:gc=smalltree",
    "dfpn:gc=smalltree,threads=2",
    "auto:threads=2",
];

/// Where a bit of a short key stands in a long one of so many bits.
type Spread = fn(u32, u32) -> u32;

/// Longer keys: of how many bits, and where bit `i` of so many goes. Keys differ only in low words, only in high ones, in two
/// that lie far apart, or in all.
const SHAPES: &[(u32, Spread)] = &[
    (130, |i, _| i),
    (130, |i, bits| 130 - bits + i),
    (527, |i, _| i),
    (527, |i, bits| 527 - bits + i),
    (527, |i, bits| if i < bits / 2 { 60 + i } else { 400 + i }),
    (527, |i, bits| i * (526 / bits) + 7),
];

fn widened<R: Rules, const N: usize>(rules: R, shape: usize) -> Widened<R, N> {
    let (key_bits, place) = SHAPES[shape];
    let bits = rules.key_bits();
    Widened::new(rules, key_bits, |i| place(i, bits))
}

/// What an engine has found of the start: the value, nodes, and the best line.
#[derive(Debug)]
struct Found {
    bounds: Bounds,
    stop: Stop,
    nodes: u64,
    line: Vec<usize>,
    /// The bytes of the table, if any.
    table: u64,
}

/// But for the size of the table.
impl PartialEq for Found {
    fn eq(&self, other: &Found) -> bool {
        let all = |found: &Found| (found.bounds, found.stop, found.nodes, found.line.clone());
        all(self) == all(other)
    }
}

/// Asks an engine, with keys as they are or of a shape.
struct Ask<'a> {
    engine: &'a str,
    memory: u64,
    nodes: u64,
    shape: Option<usize>,
}

impl Ask<'_> {
    fn ask<R: Notation, K: Knowledge<R>>(
        &self,
        rules: &R,
        knowledge: &K,
        superko: SuperkoRule<R>,
        abilities: Abilities<R, K>,
    ) -> Found {
        let config: EngineConfig =
            self.engine.parse().unwrap_or_else(|e| panic!("{}: {e}", self.engine));
        let limits = &Limits { memory: self.memory, nodes: Some(self.nodes), ..Limits::default() };
        let (game, ablation) = (Game::new(rules, knowledge), config.ablation());
        let loops = Some(InnerLoops::own());
        let make = Make { game, loops, ablation, limits, abilities, shared: None };
        let mut engine = config.engine(make);
        let position = &rules.start();
        let history = &History::of(rules, superko, position);
        let task = Task { position, past: &[], history, initial: None, limits };
        let report = engine.solve(&task, &|_| {});
        let line = report.line.iter().map(|&m| rules.code(m)).collect();
        let stats = report.stats;
        let (nodes, table) = (stats.nodes, stats.table_bytes);
        Found { bounds: report.bounds, stop: report.stop, nodes, line, table }
    }
}

/// Asks about a game, widened or not, with these abilities.
macro_rules! ask {
    ($ask:ident, $rules:expr, $knowledge:expr, $superko:expr, $($ability:ident: $by:expr)?) => {{
        let rules = $rules;
        let knowledge = $knowledge(&rules);
        match $ask.shape {
            None => $ask.ask(&rules, &knowledge, $superko, Abilities { $($ability: Some(&$by),)? ..Abilities::default() }),
            Some(shape) => {
                let rules: Widened<_, 9> = widened(rules, shape);
                let abilities = Abilities { $($ability: Some(&$by),)? ..Abilities::default() };
                $ask.ask(&rules, &WidenedKnowledge(knowledge), $superko, abilities)
            }
        }
    }};
}

/// Memory for all that small games need.
const ROOMY: u64 = 1 << 26;

/// Opens a game and asks. Only few games: every one takes long to compile with all engines.
fn ask(game: &str, engine: &str, memory: u64, shape: Option<usize>) -> Found {
    // Playouts never settle a repetition: they go on to the limit.
    let nodes = if game.contains("repetition") { 20_000 } else { 1 << 40 };
    ask_within(nodes, game, engine, memory, shape)
}

fn ask_within(nodes: u64, game: &str, engine: &str, memory: u64, shape: Option<usize>) -> Found {
    let ask = Ask { engine, memory, nodes, shape };
    let (name, size) = game.split_once(' ').unwrap();
    let number = |i: usize| -> u32 { size.split('x').nth(i).unwrap().parse().unwrap() };
    match name {
        "graph" => match AnyGraph::parse(size).unwrap() {
            AnyGraph::Acyclic(graph) => ask!(ask, graph, GraphKnowledge::new, None,),
            AnyGraph::Cyclic(graph) => ask!(ask, graph, GraphKnowledge::new, None,),
        },
        "mnk" => {
            let game = Mnk::<u64>::new(number(0), number(1), number(2));
            ask!(ask, game, MnkKnowledge::new, None, threats: ByThreats)
        }
        "clobber" => {
            ask!(ask, Clobber::<u64>::new(number(0), number(1)), ClobberKnowledge::new, None,)
        }
        _ => {
            let game = Go::<u64>::new(number(0), number(1), None);
            ask!(ask, game, |_: &_| GoKnowledge, Some(&BySuperko as _), superko: BySuperko)
        }
    }
}

/// The engine finds the same by the same nodes.
fn same(game: &str, engine: &str, shape: usize) {
    let (short, long) = (ask(game, engine, ROOMY, None), ask(game, engine, ROOMY, Some(shape)));
    assert_eq!(long, short, "{engine}, shape {shape}, {game}");
}

fn graph(seed: u64) -> (String, i16) {
    let reach = [1, 1, 3][seed as usize % 3];
    let recipe = Recipe {
        seed,
        nodes: 150,
        moves: 2 + seed as u32 % 4,
        values: Bounds::new(-reach, reach),
        draws: seed.is_multiple_of(2),
    };
    fn told<const CYCLIC: bool>(graph: &GraphGame<CYCLIC>) -> (String, i16) {
        (graph.full_name(), labels(graph)[graph.start().0 as usize])
    }
    match seed % 3 {
        0 => told(&random_tree(&recipe)),
        1 => told(&random_dag(&recipe)),
        _ => told(&random_cyclic(&recipe)),
    }
}

#[test]
fn graphs_take_the_same_nodes() {
    for seed in 0..rounds(60) {
        let (game, truth) = graph(seed);
        for (i, engine) in STEADY.iter().enumerate() {
            let shape = (seed as usize + i) % SHAPES.len();
            same(&game, engine, shape);
            let found = ask(&game, engine, ROOMY, Some(shape)).bounds;
            assert!(found.contains(truth), "{engine}: {found} is {truth}, {game}");
        }
    }
}

#[test]
fn small_games_take_the_same_nodes() {
    for game in ["mnk 3x3x3", "mnk 3x4x3", "clobber 3x4"] {
        for (i, engine) in STEADY.iter().enumerate() {
            same(game, engine, i % SHAPES.len());
            same(game, engine, (i + 3) % SHAPES.len());
        }
    }
    for shape in 0..SHAPES.len() {
        same("mnk 4x4x3", "lambda", shape);
        same("go 2x2", "alphabeta", shape);
        // The table of proofs replaces some of a larger board.
        let bounds = |shape| ask("go 3x3", "alphabeta", ROOMY, shape).bounds;
        assert_eq!(bounds(Some(shape)), bounds(None), "shape {shape}");
    }
}

#[test]
fn tables_that_are_too_small_cost_nodes_and_nothing_else() {
    for seed in 0..rounds(60) {
        let (game, truth) = graph(seed);
        for (i, engine) in OTHERS.iter().chain(STEADY).enumerate() {
            let shape = (seed as usize + i) % SHAPES.len();
            // From one bucket on.
            let memory = [1 << 8, 1 << 10, 1 << 13, 1 << 22][seed as usize / 3 % 4];
            let found = ask(&game, engine, memory, Some(shape));
            let told = || format!("{engine}: {found:?} is {truth}, {memory} bytes, {game}");
            assert!(found.bounds.contains(truth), "{}", told());
        }
    }
}

#[test]
fn tables_grow() {
    let engines =
        ["alphabeta", "dfpn", "alphabeta:threads=2", "dfpn:threads=2", "dfpn:gc=smalltree", "auto"];
    for (i, engine) in engines.into_iter().enumerate() {
        for memory in [1 << 16, ROOMY] {
            let found = ask("clobber 5x4", engine, memory, Some(i));
            assert_eq!(found.bounds, Bounds::exact(1), "{engine}, {memory} bytes");
        }
        // From 4096 buckets of two or four cache lines on.
        let first = 4096 * if SHAPES[i].0 == 130 { 128 } else { 256 };
        let found = ask_within(100_000, "clobber 6x4", engine, ROOMY, Some(i));
        assert!(found.table > first, "{engine}: {} bytes", found.table);
        assert!(found.bounds.contains(-1), "{engine}: {found:?}");
    }
}
