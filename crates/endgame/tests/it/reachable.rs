//! Strong solutions of small games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::Path;
use zermelo_endgame::Failure;
use zermelo_endgame::reachable::{Config, FILE, Header, Strong, build};
use zermelo_game::Game;
use zermelo_games::Visitor;
use zermelo_games::graph::{AnyGraph, Recipe, labels, random_cyclic};

/// Builds, verifies, and gives the header.
struct Build<'a>(&'a Path, bool);

impl Visitor for Build<'_> {
    type Output = Result<Header, Failure>;

    fn visit<G: Game>(self, game: G) -> Result<Header, Failure> {
        let config = Config { distance: self.1, ..Config::default() };
        let header = build(&game, self.0, &config)?;
        let strong = Strong::open(&game, self.0)?;
        assert_eq!(strong.verify(&game, &config)?, header.kept);
        assert_eq!(strong.probe(&game, &game.start())?.value(), Some(header.value));
        Ok(header)
    }
}

fn solve(name: &str, distance: bool) -> Result<Header, Failure> {
    let dir = tempfile::tempdir().unwrap();
    zermelo_games::open(name, Build(dir.path(), distance)).unwrap()
}

#[test]
fn known_counts() {
    let header = solve("tictactoe", true).unwrap();
    assert_eq!((header.positions, header.kept, header.value), (5_478, 765, 0));
    assert_eq!(header.longest.map(|l| l.plies), Some(5));
    let header = solve("connect4 4x4", false).unwrap();
    assert_eq!((header.positions, header.value), (161_029, 0));
    let header = solve("domineering 4x4", true).unwrap();
    assert_eq!(header.value, 1);
    let header = solve("checkers 4x4", true).unwrap();
    assert_eq!(header.positions, header.kept);
}

#[test]
fn what_has_no_value_is_refused() {
    let refusal = solve("go 2x2", false).unwrap_err().to_string();
    assert!(refusal.contains("no board may come back"), "{refusal}");
    let parity = "graph repetition parity; a first: b; b second: a c; c first = 1";
    let refusal = solve(parity, false).unwrap_err().to_string();
    assert!(refusal.contains("hangs on the line"), "{refusal}");
    let dir = tempfile::tempdir().unwrap();
    struct Small<'a>(&'a Path);
    impl Visitor for Small<'_> {
        type Output = String;
        fn visit<G: Game>(self, game: G) -> String {
            let config = Config { memory: 1 << 20, ..Config::default() };
            build(&game, self.0, &config).unwrap_err().to_string()
        }
    }
    let refusal = zermelo_games::open("connect4 6x7", Small(dir.path())).unwrap();
    assert!(refusal.contains("1 MiB of memory do not hold more"), "{refusal}");
}

#[test]
fn random_graphs_against_labels() {
    for seed in 0..200 {
        let graph = random_cyclic(&Recipe { seed, nodes: 60, ..Recipe::default() });
        let dir = tempfile::tempdir().unwrap();
        let truth = labels(&graph);
        build(&graph, dir.path(), &Config::default()).unwrap();
        let strong = Strong::open(&graph, dir.path()).unwrap();
        for node in graph.nodes() {
            if let Some(entry) = strong.entry(&graph, &node).unwrap() {
                assert_eq!(
                    entry.value * graph.turn(&node).sign(),
                    truth[node.0 as usize],
                    "{seed}"
                );
            }
        }
        strong.verify(&graph, &Config::default()).unwrap();
    }
    let text = "repetition 0\na first: b\nb second: a c\nc first = -1";
    assert!(matches!(AnyGraph::parse(text), Ok(AnyGraph::Cyclic(_))));
}

#[test]
fn damage_is_found() {
    let dir = tempfile::tempdir().unwrap();
    zermelo_games::open("tictactoe", Build(dir.path(), false)).unwrap().unwrap();
    let path = dir.path().join(FILE);
    let sound = fs::read(&path).unwrap();
    struct Ask<'a>(&'a Path);
    impl Visitor for Ask<'_> {
        type Output = Result<u64, Failure>;
        fn visit<G: Game>(self, game: G) -> Result<u64, Failure> {
            Strong::open(&game, self.0)?.verify(&game, &Config::default())
        }
    }
    let ask = || zermelo_games::open("tictactoe", Ask(dir.path())).unwrap();
    ask().unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    for at in 0..sound.len() {
        let mut bad = sound.clone();
        bad[at] ^= 1 << rng.random_range(0..8);
        fs::write(&path, &bad).unwrap();
        assert!(ask().is_err(), "byte {at}");
    }
    fs::write(&path, &sound[..sound.len() - 1]).unwrap();
    assert!(ask().is_err());
}
