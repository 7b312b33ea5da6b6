//! A printed line keeps the value at every step: every engine with many settings on random trees, acyclic and cyclic
//! graphs, against labels by retrograde analysis, and under every other rule of repetition against brute force
//! that carries its line. The same for games by name is in `erased/tests/lines.rs`.
//!
//! `ZERMELO_TESTS=full` takes five times as many graphs, `ZERMELO_TORTURE=N` N times as many.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use zermelo_game::conformance::rounds;
use zermelo_game::{
    Bounds, Game, History, Knowledge, Limits, Notation, Repetition, Report, Rules, Stop, Value,
};
use zermelo_games::graph::{
    AnyGraph, GraphGame, GraphKnowledge, GraphNode, Recipe, labels, random_cyclic, random_dag,
    random_tree, under,
};
use zermelo_search::proofnumber::dfpn::{self, Dfpn};
use zermelo_search::proofnumber::{self, InitialBounds, pn2, pns, pp};
use zermelo_search::{alphabeta, minimax, montecarlo, portfolio};

/// The seeds of so many graphs.
fn seeds(full: u64) -> Range<u64> {
    let torture = std::env::var("ZERMELO_TORTURE").ok().and_then(|n| n.parse().ok());
    0..rounds(full) * torture.unwrap_or(1)
}

fn recipe(seed: u64, nodes: u32) -> Recipe {
    let reach = [1, 1, 3][seed as usize % 3];
    let values = Bounds::new(-reach, reach);
    Recipe { seed, nodes, moves: 2 + seed as u32 % 4, values, draws: seed.is_multiple_of(2) }
}

/// The value of a node below a line.
type Truth<'t> = &'t dyn Fn(&[GraphNode], GraphNode) -> Value;

/// An engine that is asked again and again, with what it keeps in between.
type Engine<'g> = (String, Ask<'g>);
/// Asks about a node below a line.
type Ask<'g> = Box<dyn FnMut(&[GraphNode], &GraphNode) -> Report<u16> + 'g>;

/// All engines, with settings by the seed. Those by alpha-beta only where positions have values of their own.
fn engines<'g, const CYCLIC: bool, K: Knowledge<GraphGame<CYCLIC>>>(
    game: Game<'g, GraphGame<CYCLIC>, K>,
    seed: u64,
    nodes: Option<u64>,
) -> Vec<Engine<'g>> {
    let fixed = !CYCLIC || game.repetition().fixed().is_some();
    let memory = [1 << 9, 1 << 12, 1 << 16, 1 << 22][seed as usize / 2 % 4];
    let threads = if seed.is_multiple_of(8) { 2 } else { 1 };
    let entries = seed.is_multiple_of(3).then_some(16 << (seed % 4));
    let playouts = if seed.is_multiple_of(5) { 20 } else { 0 };
    // Playouts never settle a repetition: they go on to the limit.
    let most = nodes.unwrap_or(if CYCLIC { 2_000 } else { 1 << 40 });
    let limits = Limits { memory, nodes: Some(most), ..Limits::default() };
    let roomy = Limits { memory: 1 << 22, ..limits.clone() };
    let alphabeta = alphabeta::Config {
        threads,
        seed,
        deepening: seed.is_multiple_of(4),
        playouts,
        learning: !seed.is_multiple_of(7),
        table_entries: entries,
        table_plies: 0,
        cutoff_plies: Some(0),
    };
    let twins = !seed.is_multiple_of(6);
    let dfpn = dfpn::Config {
        threads,
        seed,
        playouts,
        twins,
        table_entries: entries,
        simulation: [0, 3][seed as usize / 4 % 2],
        ..dfpn::Config::default()
    };
    let both = portfolio::Config { alphabeta: alphabeta.clone(), dfpn: dfpn.clone() };
    let sampling = montecarlo::Config { seed, reference: 5, plies: 50, ..Default::default() };
    let mut all: Vec<(&str, Ask)> = Vec::new();
    if fixed {
        let mut solver = alphabeta::Solver::new(game, alphabeta, limits.clone());
        all.push(("alphabeta", Box::new(move |_, p| solver.solve(p, &|_| {}))));
    }
    let mut solver = Dfpn::new(game, dfpn, limits.clone());
    all.push(("dfpn", Box::new(move |past, p| solver.solve_along(past, p, &|_| {}))));
    let mut solver = portfolio::Solver::new(game, both, limits.clone());
    all.push(("auto", Box::new(move |past, p| solver.solve_along(past, p, &|_| {}))));
    let few = Limits { nodes: Some(most.min(20_000)), ..limits.clone() };
    all.push((
        "minimax",
        Box::new(move |past, p| {
            minimax::solve_along(game.rules(), &History::free(), past, p, &few, &|_| {})
        }),
    ));
    let few = roomy.clone();
    all.push((
        "pns",
        Box::new(move |past, p| {
            let mut prover = pns::Pns::new(pns::Config::default()).below(past);
            proofnumber::solve(game, p, &few, &|_| {}, &mut prover)
        }),
    ));
    let few = limits.clone();
    all.push((
        "pn2",
        Box::new(move |past, p| {
            let mut prover = pn2::Pn2::new(pn2::Config::default()).below(past);
            proofnumber::solve(game, p, &few, &|_| {}, &mut prover)
        }),
    ));
    let few = limits.clone();
    all.push((
        "pp",
        Box::new(move |past, p| {
            let mut prover = pp::Pp::new(pp::Config).below(past);
            proofnumber::solve(game, p, &few, &|_| {}, &mut prover)
        }),
    ));
    let few = roomy.clone();
    all.push((
        "montecarlo",
        Box::new(move |past, p| montecarlo::solve_along(game, past, p, &sampling, &few, &|_| {})),
    ));
    let named = |(name, ask)| (format!("{name}, seed {seed}, limits {limits:?}"), ask);
    all.into_iter().map(named).collect()
}

/// What an engine has given.
#[derive(Default, Debug)]
struct Count {
    solved: u64,
    moves: u64,
    stopped: u64,
    wrong: u64,
    /// What was wrong first.
    first: Option<String>,
}

impl Count {
    /// Notes what a check has found; the graph is told with the first that is wrong.
    fn note<const CYCLIC: bool>(
        &mut self,
        graph: &GraphGame<CYCLIC>,
        what: &str,
        line: (&[GraphNode], GraphNode),
        report: &Report<u16>,
        truth: Truth,
    ) {
        match report.bounds.is_exact() {
            true => self.solved += 1,
            false => self.stopped += 1,
        }
        self.moves += report.line.len() as u64;
        if let Err(error) = check_line(graph, line, report, truth) {
            self.wrong += 1;
            let told = || format!("{error}: {report:?} for {line:?} by {what}, of\n{graph}");
            self.first.get_or_insert_with(told);
        }
    }
}

fn require(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Every position along the line is worth what the first is worth; a search that was stopped gives one move at most, and
/// none that loses what was proved.
fn check_line<const CYCLIC: bool>(
    graph: &GraphGame<CYCLIC>,
    (past, root): (&[GraphNode], GraphNode),
    report: &Report<u16>,
    truth: Truth,
) -> Result<(), String> {
    let Report { bounds, line, best, stop, level, .. } = report;
    let value = truth(past, root);
    require(bounds.contains(value), || format!("{bounds} is {value}"))?;
    require(*best == line.first().copied(), || "best is not the first of the line".into())?;
    require(level.is_some() == bounds.is_exact(), || "the level".into())?;
    require((*stop == Stop::Solved) == bounds.is_exact(), || "the stop".into())?;
    if !bounds.is_exact() {
        require(line.len() <= 1, || "a line that was not proved".into())?;
    }
    let (mut path, mut p) = (past.to_vec(), root);
    for (ply, &m) in line.iter().enumerate() {
        require(usize::from(m) < graph.successors(p).len(), || format!("ply {ply} is illegal"))?;
        path.push(p);
        let turn = graph.turn(&p);
        p = graph.play(&p, m);
        if !bounds.is_exact() {
            let (after, lo) = (truth(&path, p) * turn.sign(), bounds.seen_by(turn).lo);
            require(after >= lo, || format!("the move is worth {after}, and {lo} was proved"))?;
        } else if let Some(at) = path.iter().position(|q| *q == p) {
            let found = graph.repeated(&p, path.len() - at);
            require(found == Some(value), || format!("a bad repetition at ply {ply}"))?;
            require(ply + 1 == line.len(), || "the line goes on after its end".into())?;
        } else {
            let found = truth(&path, p);
            require(found == value, || format!("ply {ply} makes {found} of {value}"))?;
        }
    }
    Ok(())
}

/// All engines at some nodes of a graph, with limits that let them finish and limits that do not.
fn check<const CYCLIC: bool, K: Knowledge<GraphGame<CYCLIC>>>(
    game: Game<GraphGame<CYCLIC>, K>,
    seed: u64,
    truth: Truth,
    counts: &mut Counts,
) {
    let graph = game.rules();
    for nodes in [None, Some(1 + seed * 7 % 40)] {
        for (name, mut ask) in engines(game, seed, nodes) {
            // An engine that contradicts itself panics: say where.
            let mut ask = |past: &[GraphNode], p: &GraphNode| {
                let asked = catch_unwind(AssertUnwindSafe(|| ask(past, p)));
                asked.unwrap_or_else(|_| panic!("{past:?} {p:?} by {name}, of\n{graph}"))
            };
            let count = counts.entry(name.split(',').next().unwrap().to_owned()).or_default();
            let roots = graph.nodes().step_by(1 + seed as usize % 7).take(4);
            for root in roots.chain([graph.start()]) {
                count.note(graph, &name, (&[], root), &ask(&[], &root), truth);
                // A move is asked about below the node it is made in: there its value may depend on that.
                let rule = graph.repetition();
                if CYCLIC && rule.fixed().is_none() {
                    for next in graph.successors(root) {
                        let line: (&[GraphNode], GraphNode) = (&[root], next);
                        count.note(graph, &name, line, &ask(line.0, &next), truth);
                    }
                }
            }
        }
    }
}

type Counts = std::collections::BTreeMap<String, Count>;

/// The engines did what the test is about.
fn report(counts: &Counts, most_solved: &[&str]) {
    for (name, Count { solved, moves, stopped, wrong, .. }) in counts {
        println!("{name}: {solved} solved, {stopped} stopped, {moves} moves, {wrong} wrong");
    }
    let wrong: Vec<&str> = counts.values().filter_map(|count| count.first.as_deref()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for (name, count) in counts {
        assert!(count.solved > 0, "{name} has solved nothing");
        assert!(count.moves > 0, "{name} has given no line");
        if most_solved.contains(&name.as_str()) {
            assert!(count.solved > count.stopped, "{name}: {count:?}");
        }
    }
}

#[test]
fn trees() {
    let mut counts = Counts::new();
    for seed in seeds(600) {
        let graph = random_tree(&recipe(seed, 60));
        let (truth, knowledge) = (labels(&graph), GraphKnowledge::new(&graph));
        let game = Game::new(&graph, &knowledge);
        check(game, seed, &|_, p| truth[p.0 as usize], &mut counts);
    }
    report(&counts, &["alphabeta", "dfpn", "auto", "pns", "pp", "montecarlo"]);
}

#[test]
fn acyclic_graphs() {
    let mut counts = Counts::new();
    for seed in seeds(600) {
        let graph = random_dag(&recipe(seed, 40));
        let (truth, knowledge) = (labels(&graph), GraphKnowledge::new(&graph));
        let game = Game::new(&graph, &knowledge);
        check(game, seed, &|_, p| truth[p.0 as usize], &mut counts);
    }
    report(&counts, &["alphabeta", "dfpn", "auto", "montecarlo"]);
}

#[test]
fn cyclic_graphs() {
    let mut counts = Counts::new();
    for seed in seeds(600) {
        let graph = random_cyclic(&recipe(seed, 16));
        let truth = labels(&graph);
        check(Game::bare(&graph), seed, &|_, p| truth[p.0 as usize], &mut counts);
    }
    report(&counts, &["dfpn", "auto"]);
}

/// The value of `p` below a line, by the rules alone.
fn along(graph: &GraphGame<true>, line: &mut Vec<GraphNode>, p: GraphNode) -> Value {
    if let Some(value) = graph.outcome(&p) {
        return value;
    }
    line.push(p);
    let sign = graph.turn(&p).sign();
    let values = graph.successors(p).filter_map(|next| {
        let value = match line.iter().position(|q| *q == next) {
            Some(at) => graph.repeated(&next, line.len() - at)?,
            None => along(graph, line, next),
        };
        Some(value * sign)
    });
    let best = values.max().map(|value| value * sign);
    line.pop();
    best.or(graph.repetition().stuck()).expect("a value")
}

/// A small graph under each rule of repetition that looks at the line.
fn graphs_by_rule(seed: u64) -> [GraphGame<true>; 3] {
    let recipe = Recipe { moves: 2 + seed as u32 / 8 % 3, ..recipe(seed, 4 + seed as u32 % 6) };
    let graph = random_cyclic(&recipe);
    let Bounds { lo, hi } = graph.values();
    let stuck = Repetition::Forbidden([lo, 0, hi][seed as usize / 3 % 3]);
    [Repetition::Loses, Repetition::Parity, stuck].map(|rule| under(&graph, rule))
}

#[test]
fn rules_that_look_at_the_line() {
    let mut counts = Counts::new();
    for seed in seeds(600) {
        for graph in graphs_by_rule(seed) {
            let truth = |line: &[GraphNode], p| along(&graph, &mut line.to_vec(), p);
            check(Game::bare(&graph), seed, &truth, &mut counts);
        }
    }
    report(&counts, &["dfpn", "auto", "minimax", "pns"]);
}

/// Playouts before df-pn's search settle positions, too: none by a move that the line forbids.
#[test]
fn playouts_know_the_line() {
    let text = "repetition forbidden 0; n0 first: n2 n1; n1 second: n5; n2 second = 1; n4 first = 1; \
                n5 first: n2 n7; n6 first: n1; n7 second: n6 n4";
    let AnyGraph::Cyclic(graph) = AnyGraph::parse(text).unwrap() else { panic!("no cycle") };
    let [n5, n7] = ["n5", "n7"].map(|name| graph.parse_position(name).unwrap());
    assert_eq!(along(&graph, &mut vec![n5], n7), 0);
    for seed in 0..40 {
        let config = dfpn::Config { seed, playouts: 20, ..dfpn::Config::default() };
        let mut solver = Dfpn::new(Game::bare(&graph), config, Limits::default());
        let report = solver.solve_along(&[n5], &n7, &|_| {});
        assert_eq!(report.bounds, Bounds::exact(0), "seed {seed}");
    }
}

/// What is known before the search has part in the value, but puts no move into the line that was not proved.
#[test]
fn known_bounds_make_no_line() {
    let mut count = Count::default();
    for seed in seeds(3_000) {
        let graph = random_dag(&recipe(seed, 40));
        let (truth, knowledge) = (labels(&graph), GraphKnowledge::new(&graph));
        let game = Game::new(&graph, &knowledge);
        let (root, all) = (graph.start(), graph.values());
        let value = truth[0];
        for known in [Bounds::new(value, all.hi), Bounds::new(all.lo, value)] {
            let opening = InitialBounds { known, ..InitialBounds::new(game) };
            let nodes = (seed % 3 == 0).then_some(seed % 17);
            let limits = Limits { memory: 1 << 16, nodes, ..Limits::default() };
            let mut solver = Dfpn::new(game, dfpn::Config::default(), limits);
            let report = solver.solve_from(&root, &opening, &|_| {}, None);
            let what = format!("seed {seed}, {known} known");
            if report.bounds.is_exact() || report.bounds.seen_by(graph.turn(&root)).lo == all.lo {
                count.note(&graph, &what, (&[], root), &report, &|_, p| truth[p.0 as usize]);
            }
        }
    }
    report(&Counts::from([("dfpn".into(), count)]), &["dfpn"]);
}
