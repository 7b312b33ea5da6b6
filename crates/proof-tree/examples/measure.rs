//! What the manager costs: the figures of `BENCHMARKS.md`.
//!
//! `measure prove GAME WORDS.. -- THREADS MILLIS NODES MEMORY SECONDS [FIRST STEP LAST] [SOLVER] [fresh] [plain] [apart]` proves a game's start
//! and prints one line of JSON (`fresh`: every job has an empty table, as if it were the first of its worker; `plain`: what jobs
//! that failed have learned of their moves is thrown away; `apart`: provers share no table);
//! `measure facts N DIR` makes a store of so many facts and loads it; `measure missing N` asks what is missing in a tree of so
//! many positions.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use zermelo_erased::{AnyGame, EngineConfig, EngineId, NodeInfo};
use zermelo_game::{Bounds, Player, Question};
use zermelo_proof_tree::graph::{Clash, ProofGraph, ProofNode};
use zermelo_proof_tree::missing::Region;
use zermelo_proof_tree::numbers::{LeafSelection, RegionNumbers};
use zermelo_proof_tree::prover::{Local, Maker, Prover, local};
use zermelo_proof_tree::source::FactSource;
use zermelo_proof_tree::store::{self, Store};
use zermelo_proof_tree::transport::Threads;
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{Job, JobOutcome, Manager, ManagerConfig, ProofTreeFailure};

fn main() -> Result<(), ProofTreeFailure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("prove") => prove(&args[1..]),
        Some("facts") if args.len() == 3 => {
            facts(args[1].parse().expect("a number"), Path::new(&args[2]))
        }
        Some("missing") if args.len() == 2 => {
            missing(args[1].parse().expect("a number")).expect("no contradiction");
            Ok(())
        }
        _ => panic!("prove, facts or missing"),
    }
}

fn prove(args: &[String]) -> Result<(), ProofTreeFailure> {
    let split = args.iter().position(|word| word == "--").expect("--");
    let (words, numbers): (Vec<&String>, Vec<&String>) =
        args[split + 1..].iter().partition(|w| w.starts_with(char::is_alphabetic));
    let numbers: Vec<u64> = numbers.iter().map(|n| n.parse().expect("a number")).collect();
    let [fresh, plain, apart] =
        ["fresh", "plain", "apart"].map(|word| words.iter().any(|w| *w == word));
    let engine = EngineId::ALL.iter().copied().find(|id| words.iter().any(|w| *w == id.word()));
    let [threads, millis, nodes, memory, seconds] = numbers[..5] else { panic!("five numbers") };
    let game: Arc<dyn AnyGame> =
        Arc::from(zermelo_erased::Catalogue::standard().open(&args[..split].join(" "))?);
    let mut config = ManagerConfig {
        millis: (millis > 0).then_some(millis),
        nodes: (nodes > 0).then_some(nodes),
        memory,
        time: Some(Duration::from_secs(seconds)),
        ..ManagerConfig::default()
    };
    if let [first, step, last] = numbers[5..] {
        config.thresholds = [first, step, last].map(|n| n as i32);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let tree = ProofTree::open(game.clone(), folder.path(), None)?;
    let engine = EngineConfig::new(engine.unwrap_or(EngineId::Dfpn));
    let maker: Maker = match plain || fresh {
        false => local(game, engine, if apart { 1 } else { threads as usize }),
        true => Maker::engines(move |use_it| {
            let prover = Local::new(&*game, engine.clone());
            let engine = engine.clone();
            use_it(&mut Forgetful { game: &*game, engine, prover, fresh, plain });
        }),
    };
    let mut provers = Threads::new(threads as usize, &maker);
    let mut nobody = ();
    let found = Manager::new(tree, config, &mut provers, &mut nobody).prove(None, &[])?;
    println!("{}", serde_json::to_string(&found.status).unwrap_or_default());
    Ok(())
}

/// A prover that forgets what it has learned, or keeps it to itself.
struct Forgetful<'g> {
    game: &'g dyn AnyGame,
    engine: EngineConfig,
    prover: Local<'g>,
    fresh: bool,
    plain: bool,
}

impl Prover for Forgetful<'_> {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> JobOutcome {
        let mut outcome = self.prover.prove(job, cancel);
        if self.fresh {
            self.prover = Local::new(self.game, self.engine.clone());
        }
        if self.plain {
            outcome.moves.clear();
        }
        outcome
    }
}

/// A tree in which every position has five moves, and the leaves of some of them are known.
fn facts(count: u32, dir: &Path) -> Result<(), ProofTreeFailure> {
    let game: Arc<dyn AnyGame> = Arc::from(zermelo_erased::Catalogue::standard().open("nogo 5x5")?);
    let clock = Instant::now();
    let mut store = Store::open(dir, &store::about(&*game))?;
    let source = store.source(&FactSource::engine("measure"), "")?;
    let name =
        |id: u32| format!("{id:025b} {}", if id.is_multiple_of(2) { "first" } else { "second" });
    // Depths alternate, so turns do.
    let mut depth = vec![0u8];
    for id in 0..count {
        if id > 0 {
            depth.push(depth[(id as usize - 1) / 5] + 1);
        }
        let turn = Player::from_index(usize::from(depth[id as usize] % 2));
        let info = NodeInfo {
            position: name(id),
            turn,
            bounds: game.values(),
            score: None,
            numbers: (1, 1),
        };
        store.add_node(id, &info)?;
        // One leaf in three stays open; the others are good for either side.
        if u64::from(id) * 5 + 1 >= u64::from(count) && id % 3 > 0 {
            let value = if id % 3 == 1 { 1 } else { -1 };
            store.add_fact(id, &info.position, Bounds::exact(value), source)?;
        } else {
            store.add_fact(id, &info.position, game.values(), source)?;
        }
        if store.pending() > 200_000 {
            store.commit()?;
        }
    }
    for id in 0..count {
        let first = u64::from(id) * 5 + 1;
        let moves: Vec<(String, u32)> = (first..first + 5)
            .filter(|&child| child < u64::from(count))
            .map(|child| (String::from("m"), child as u32))
            .collect();
        if !moves.is_empty() {
            let worst = if depth[id as usize].is_multiple_of(2) { -1 } else { 1 };
            store.expand(id, worst, &moves)?;
        }
        if store.pending() > 200_000 {
            store.commit()?;
        }
    }
    store.add_root(0)?;
    store.commit()?;
    let bytes = std::fs::metadata(store.file()).map(|m| m.len()).unwrap_or(0);
    drop(store);
    println!("made {count} facts in {:.1} s, {bytes} bytes", clock.elapsed().as_secs_f64());
    let clock = Instant::now();
    let tree = ProofTree::open(game, dir, None)?;
    println!("loaded in {:.1} s", clock.elapsed().as_secs_f64());
    drop(tree);
    Ok(())
}

/// A tree in which every position has five moves, and one leaf in ten is known, half of them for either side.
fn missing(count: u32) -> Result<(), Clash> {
    let values = Bounds::new(-1, 1);
    let mut graph = ProofGraph::new(values, Some(0));
    let mut depth = vec![0u8];
    for id in 0..count {
        if id > 0 {
            depth.push(depth[(id as usize - 1) / 5] + 1);
        }
        let turn = Player::from_index(usize::from(depth[id as usize] % 2));
        graph.add(ProofNode::new(turn, values, 0, (1, 1 + id % 7)));
    }
    for id in 0..count {
        let first = u64::from(id) * 5 + 1;
        let children: Vec<u32> =
            (first..first + 5).filter(|&c| c < u64::from(count)).map(|c| c as u32).collect();
        if !children.is_empty() {
            let worst = -graph.node(id).turn().sign();
            graph.link(id, worst, &children);
        } else if id.is_multiple_of(10) {
            graph.tell(id, Bounds::exact(if id.is_multiple_of(20) { 1 } else { -1 }))?;
        }
    }
    let clock = Instant::now();
    graph.follow_all()?;
    println!("all bounds of {count} positions in {:.2} s", clock.elapsed().as_secs_f64());
    let clock = Instant::now();
    let region = Region::new(&graph, 0, Question { at_least: 1 }, None);
    let took = clock.elapsed().as_secs_f64();
    println!("a region of {} in {took:.2} s, answer {:?}", region.len(), region.answer());
    let clock = Instant::now();
    let mut numbers = RegionNumbers::new(&graph, region, None);
    println!("its numbers in {:.2} s, root {:?}", clock.elapsed().as_secs_f64(), numbers.root());
    let clock = Instant::now();
    let picks = numbers.choose(&graph, &LeafSelection { most: 1000, ..LeafSelection::default() });
    println!("{} leaves in {:.2} s", picks.len(), clock.elapsed().as_secs_f64());
    Ok(())
}
