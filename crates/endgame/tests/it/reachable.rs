//! Strong solutions of small games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::Path;
use zermelo_endgame::DatabaseFailure;
use zermelo_endgame::reachable::{FILE, ReachableConfig, ReachableHeader, Strong, build};
use zermelo_game::{BySuperko, Knowledge, Notation, Rules, Superko, SuperkoKnowledge, SuperkoRule};
use zermelo_games::Visitor;
use zermelo_games::graph::{AnyGraph, Recipe, labels, random_cyclic};
use zermelo_games::mnk::Mnk;
use zermelo_games::widened::Widened;

/// Builds, verifies, and gives the header.
struct Build<'a>(&'a Path, bool);

impl Build<'_> {
    fn build<R: Notation>(
        self,
        rules: &R,
        superko: SuperkoRule<R>,
    ) -> Result<ReachableHeader, DatabaseFailure> {
        let config = ReachableConfig { distance: self.1, ..ReachableConfig::default() };
        let header = build(rules, superko, self.0, &config)?;
        let strong = Strong::open(rules, self.0)?;
        assert_eq!(strong.verify(rules, superko, &config)?, header.kept);
        assert_eq!(strong.probe(rules, &rules.start())?.value(), Some(header.value));
        Ok(header)
    }
}

impl Visitor for Build<'_> {
    type Output = Result<ReachableHeader, DatabaseFailure>;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
        self.build(&rules, None)
    }

    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
        self,
        rules: R,
        _: K,
    ) -> Self::Output {
        self.build(&rules, Some(&BySuperko))
    }
}

fn solve(name: &str, distance: bool) -> Result<ReachableHeader, DatabaseFailure> {
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

/// The same game with keys of so many bits, their own bits at the top.
struct Long<'a>(&'a Path, u32);

impl Visitor for Long<'_> {
    type Output = ReachableHeader;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> ReachableHeader {
        let shift = self.1 - rules.key_bits();
        let long = Widened::<R, 9>::new(rules, self.1, |bit| bit + shift);
        let header = Build(self.0, true).build(&long, None).unwrap();
        // Keys of another length are no keys of this file.
        let other = Widened::<_, 9>::new(long, 576, |bit| bit);
        match self.1.div_ceil(64) {
            9 => assert!(Strong::open(&other, self.0).is_ok()),
            _ => {
                let refusal = Strong::open(&other, self.0).unwrap_err().to_string();
                assert!(refusal.contains("keys of"), "{refusal}");
            }
        }
        header
    }
}

#[test]
fn keys_may_have_any_length() {
    let file = |bits| {
        let dir = tempfile::tempdir().unwrap();
        let header = match bits {
            0 => zermelo_games::open("tictactoe", Build(dir.path(), true)).unwrap().unwrap(),
            _ => zermelo_games::open("tictactoe", Long(dir.path(), bits)).unwrap(),
        };
        (fs::read(dir.path().join(FILE)).unwrap(), header)
    };
    let (short, own) = file(0);
    assert!(short.starts_with(b"allpos1\n"));
    for bits in [70, 128, 129, 192, 500, 527, 576] {
        let (bytes, header) = file(bits);
        let known = |h: &ReachableHeader| {
            (h.kept, h.positions, h.wins, h.draws, h.value, h.longest.clone())
        };
        assert_eq!(known(&header), known(&own), "{bits} bits");
        assert_eq!(bytes.starts_with(b"allpos2\n"), bits > 128, "{bits} bits");
        assert_eq!(header.key_bytes, if bits > 128 { 8 * bits.div_ceil(64) } else { 16 });
    }
}

#[test]
fn damage_to_a_file_with_long_keys_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let game = || Widened::<_, 3>::new(Mnk::<u64>::new(3, 3, 3), 150, |bit| 5 * bit);
    let config = ReachableConfig::default();
    build(&game(), None, dir.path(), &config).unwrap();
    let path = dir.path().join(FILE);
    let sound = fs::read(&path).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    for at in 0..sound.len() {
        let mut bad = sound.clone();
        bad[at] ^= 1 << rng.random_range(0..8);
        fs::write(&path, &bad).unwrap();
        let found =
            Strong::open(&game(), dir.path()).and_then(|s| s.verify(&game(), None, &config));
        assert!(found.is_err(), "byte {at}");
    }
}

#[test]
fn what_has_no_value_is_refused() {
    let refusal = solve("go 2x2", false).unwrap_err().to_string();
    assert!(refusal.contains("boards must not be repeated"), "{refusal}");
    let parity = "graph repetition parity; a first: b; b second: a c; c first = 1";
    let refusal = solve(parity, false).unwrap_err().to_string();
    assert!(refusal.contains("depends on the line"), "{refusal}");
    let dir = tempfile::tempdir().unwrap();
    struct Small<'a>(&'a Path);
    impl Visitor for Small<'_> {
        type Output = String;
        fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> String {
            let config = ReachableConfig { memory: 1 << 20, ..ReachableConfig::default() };
            build(&rules, None, self.0, &config).unwrap_err().to_string()
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
        build(&graph, None, dir.path(), &ReachableConfig::default()).unwrap();
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
        strong.verify(&graph, None, &ReachableConfig::default()).unwrap();
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
        type Output = Result<u64, DatabaseFailure>;
        fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
            Strong::open(&rules, self.0)?.verify(&rules, None, &ReachableConfig::default())
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
