//! Databases against retrograde labels of explicit graphs, which know nothing of places and predecessors.

use crate::pieces;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::fmt::Write;
use zermelo_endgame::reachable::{self, Strong};
use zermelo_endgame::{Database, DatabaseEntry, DatabaseFailure, build, manifest};
use zermelo_game::{Bounds, MoveList, Notation, ParseError, Player, Rules, Sliced, Value};
use zermelo_games::checkers::{Checkers, Position};
use zermelo_games::graph::{AnyGraph, labels};

/// All positions with so many pieces at most, and all that moves lead to.
fn positions(game: &Checkers, most: u32) -> Vec<Position> {
    let mut all = Vec::new();
    for slice in game.groups(most).into_iter().flatten() {
        for place in 0..game.places(slice) {
            if let Some(p) = game.at(slice, place) {
                all.extend([p, Position { turn: Player::Second, ..p }]);
            }
        }
    }
    let mut numbers: HashMap<u128, ()> = all.iter().map(|p| (game.key(p), ())).collect();
    let mut at = 0;
    while at < all.len() {
        let mut list = MoveList::new();
        if game.outcome(&all[at]).is_none() {
            game.moves(&all[at], &mut list);
        }
        for m in list.iter() {
            let next = game.play(&all[at], m);
            if numbers.insert(game.key(&next), ()).is_none() {
                all.push(next);
            }
        }
        at += 1;
    }
    all
}

/// The values by the labels of the graph that the rules span.
fn values(game: &Checkers, all: &[Position]) -> Vec<Value> {
    let numbers: HashMap<u128, usize> =
        all.iter().enumerate().map(|(i, p)| (game.key(p), i)).collect();
    let mut text = String::from("repetition 0\n");
    for (i, p) in all.iter().enumerate() {
        let turn = game.turn(p);
        match game.outcome(p) {
            Some(value) => writeln!(text, "n{i} {turn} = {value}").unwrap(),
            None => {
                let mut list = MoveList::new();
                game.moves(p, &mut list);
                write!(text, "n{i} {turn}:").unwrap();
                for m in list.iter() {
                    write!(text, " n{}", numbers[&game.key(&game.play(p, m))]).unwrap();
                }
                text.push('\n');
            }
        }
    }
    match AnyGraph::parse(&text) {
        Ok(AnyGraph::Cyclic(graph)) => labels(&graph),
        Ok(AnyGraph::Acyclic(graph)) => labels(&graph),
        Err(flaw) => panic!("{flaw:?}"),
    }
}

#[test]
fn small_boards_against_labels() {
    for (rows, cols, most) in [(4, 4, 4), (6, 6, 3), (4, 6, 3), (6, 4, 4)] {
        let game = Checkers::new(rows, cols);
        let all = positions(&game, most);
        let truth = values(&game, &all);
        for distance in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            build(&game, dir.path(), &pieces(most, 2, distance)).unwrap();
            // A cache of one block, and one of all.
            for memory in [4096, 1 << 30] {
                let database = Database::open(&game, dir.path(), memory).unwrap();
                for (p, value) in all.iter().zip(&truth) {
                    let found = database.probe(&game, p).unwrap();
                    assert_eq!(found, Bounds::exact(*value), "{}", game.position_text(p));
                    let entry = database.entry(&game, p).unwrap().unwrap();
                    assert_eq!(entry.value * p.turn.sign(), *value);
                    assert_eq!(entry.distance.is_some(), distance && *value != 0);
                }
            }
        }
        // The cross-check can fail: labels say all three things.
        assert!([-1, 0, 1].iter().all(|v| truth.contains(v)));
    }
}

#[test]
fn distances_by_play() {
    // Whoever wins by the database does so, in as many plies as it says, against replies of every kind.
    let game = Checkers::new(6, 6);
    let dir = tempfile::tempdir().unwrap();
    build(&game, dir.path(), &pieces(3, 2, true)).unwrap();
    let database = Database::open(&game, dir.path(), 1 << 30).unwrap();
    let entry = |p: &Position| database.entry(&game, p).unwrap().unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let all = positions(&game, 3);
    for _ in 0..5_000 {
        let mut p = all[rng.random_range(0..all.len())];
        let DatabaseEntry { value, distance: Some(plies) } = entry(&p) else { continue };
        for played in 0..plies {
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            let moves: Vec<Position> = list.iter().map(|m| game.play(&p, m)).collect();
            let left = plies - played - 1;
            let wins = (value > 0) == (played % 2 == 0);
            p = match wins {
                true => *moves
                    .iter()
                    .find(|q| entry(q) == DatabaseEntry { value: -1, distance: Some(left) })
                    .unwrap(),
                // The one who loses can hold out as long as that, and no longer.
                false => {
                    let longest = moves.iter().map(|q| entry(q).distance.unwrap()).max();
                    assert_eq!(longest, Some(left));
                    *moves.iter().find(|q| entry(q).distance == Some(left)).unwrap()
                }
            };
        }
        assert!(game.outcome(&p).is_some());
    }
}

/// A game in which positions are numbered, on a random graph of both players' nodes: for what checkers lacks, such as
/// terminal draws, groups of many slices, predecessors that say too much or are absent, and scores.
struct Web<const PREDECESSORS: bool> {
    /// For each node its moves; or its value for the player to move.
    nodes: Vec<Result<Vec<u32>, Value>>,
    /// Nodes of slice `s` are those from `s * SLICE` on.
    most: Value,
    version: u32,
}

const SLICE: u32 = 40;

impl<const PREDECESSORS: bool> Web<PREDECESSORS> {
    fn new(seed: u64, slices: u32, most: Value) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut nodes = Vec::new();
        for n in 0..slices * SLICE {
            // Moves stay in the group of two slices, or lead to earlier ones.
            let group = n / SLICE / 2 * 2;
            let end = ((group + 2) * SLICE).min(slices * SLICE);
            nodes.push(match rng.random_range(0..5) {
                0 => Err(rng.random_range(-most..=most)),
                _ => {
                    let mut moves: Vec<u32> = (0..rng.random_range(1..5))
                        .map(|_| match rng.random_bool(0.3) && group > 0 {
                            true => rng.random_range(0..group * SLICE),
                            false => rng.random_range(group * SLICE..end),
                        })
                        .collect();
                    moves.sort_unstable();
                    moves.dedup();
                    Ok(moves)
                }
            });
        }
        Web { nodes, most, version: 1 }
    }
}

impl<const PREDECESSORS: bool> Rules for Web<PREDECESSORS> {
    type Position = (u32, Player);
    type Move = u32;
    type Key = u64;
    const CYCLIC: bool = true;

    fn start(&self) -> (u32, Player) {
        (self.nodes.len() as u32 - 1, Player::First)
    }
    fn turn(&self, p: &(u32, Player)) -> Player {
        p.1
    }
    fn outcome(&self, p: &(u32, Player)) -> Option<Value> {
        self.nodes[p.0 as usize].as_ref().err().map(|v| v * p.1.sign())
    }
    fn moves(&self, p: &(u32, Player), out: &mut MoveList<u32>) {
        self.nodes[p.0 as usize].iter().flatten().for_each(|m| out.push(*m));
    }
    fn play(&self, p: &(u32, Player), m: u32) -> (u32, Player) {
        (m, p.1.other())
    }
    fn key(&self, p: &(u32, Player)) -> u64 {
        u64::from(p.0) * 2 + p.1.index() as u64
    }
    fn key_bits(&self) -> u32 {
        34
    }
    fn code(&self, m: u32) -> usize {
        m as usize
    }
    fn codes(&self) -> usize {
        self.nodes.len()
    }
    fn values(&self) -> Bounds {
        Bounds::new(-self.most, self.most)
    }
}

impl<const PREDECESSORS: bool> Notation for Web<PREDECESSORS> {
    fn name(&self) -> String {
        "web".into()
    }
    fn rules_version(&self) -> u32 {
        self.version
    }
    fn position_text(&self, p: &(u32, Player)) -> String {
        format!("{} {}", p.0, p.1)
    }
    fn parse_position(&self, text: &str) -> Result<(u32, Player), ParseError> {
        let (n, turn) = text.split_once(' ').unwrap();
        let player = if turn == "first" { Player::First } else { Player::Second };
        Ok((n.parse().unwrap(), player))
    }
}

impl<const PREDECESSORS: bool> Sliced for Web<PREDECESSORS> {
    type Slice = u32;
    const PREDECESSORS: bool = PREDECESSORS;

    fn groups(&self, pieces: u32) -> Vec<Vec<u32>> {
        let slices = (self.nodes.len() as u32 / SLICE).min(pieces);
        (0..slices).step_by(2).map(|s| (s..(s + 2).min(slices)).collect()).collect()
    }
    fn slice_name(&self, slice: u32) -> String {
        format!("s{slice}")
    }
    fn pieces(&self, slice: u32) -> [u32; 2] {
        [slice, 1]
    }
    fn places(&self, _: u32) -> u64 {
        // Every third place is empty.
        u64::from(SLICE) * 3 / 2
    }
    fn place(&self, p: &(u32, Player)) -> Option<(u32, u64)> {
        let n = u64::from(p.0 % SLICE);
        Some((p.0 / SLICE, n / 2 * 3 + n % 2))
    }
    fn at(&self, slice: u32, place: u64) -> Option<(u32, Player)> {
        (place % 3 < 2).then(|| (slice * SLICE + (place / 3 * 2 + place % 3) as u32, Player::First))
    }
    fn predecessors(&self, p: &(u32, Player), out: &mut Vec<(u32, Player)>) {
        let group = p.0 / SLICE / 2 * 2;
        for n in group * SLICE..((group + 2) * SLICE).min(self.nodes.len() as u32) {
            let leads = self.nodes[n as usize].as_ref().is_ok_and(|m| m.contains(&p.0));
            // Too much, and twice.
            if leads || n % 7 == 0 {
                out.extend([(n, p.1.other()); 2]);
            }
        }
    }
}

/// Values by iterating as long as it takes, for the player to move.
fn plain<const U: bool>(web: &Web<U>) -> Vec<Value> {
    let mut values = vec![0; web.nodes.len()];
    for _ in 0..web.nodes.len() * 4 * web.most as usize {
        let best = |n: &Result<Vec<u32>, Value>| match n {
            Err(value) => *value,
            Ok(moves) => moves.iter().map(|m| -values[*m as usize]).max().unwrap(),
        };
        let next: Vec<Value> = web.nodes.iter().map(best).collect();
        if next == values {
            return values;
        }
        values = next;
    }
    panic!("no end");
}

fn compare<const U: bool>(seed: u64, most: Value, distance: bool) {
    let web = Web::<U>::new(seed, 5, most);
    let dir = tempfile::tempdir().unwrap();
    let config = pieces(9, 1 + seed as usize % 2, distance);
    build(&web, dir.path(), &config).unwrap();
    let database = Database::open(&web, dir.path(), 1 << 20).unwrap();
    for (n, value) in plain(&web).into_iter().enumerate() {
        for turn in [Player::First, Player::Second] {
            let p = (n as u32, turn);
            let found = database.probe(&web, &p).unwrap();
            assert_eq!(found, Bounds::exact(value * turn.sign()), "seed {seed}, node {n}");
        }
    }
    zermelo_endgame::verify(&web, dir.path(), &Default::default()).unwrap();
}

#[test]
fn random_webs() {
    for seed in 0..60 {
        for distance in [false, true] {
            compare::<true>(seed, 1, distance);
            compare::<false>(seed, 1, distance);
        }
        compare::<false>(seed, 9, false);
        compare::<true>(seed, 300, false);
    }
}

#[test]
fn databases_by_other_rules_are_refused() {
    let [first, second] = [1, 2].map(|version| Web::<true> { version, ..Web::new(7, 4, 1) });
    let refused = |found: Result<(), DatabaseFailure>, made: &Web<true>, ours: &Web<true>| {
        let why = found.unwrap_err().to_string();
        let words = format!(
            "made by version {} of the rules, this program plays by version {}: build it anew",
            made.version, ours.version
        );
        assert!(why.contains(&words), "{why}");
    };
    for (made, ours) in [(&first, &second), (&second, &first)] {
        let (slices, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        build(made, slices.path(), &pieces(9, 1, false)).unwrap();
        reachable::build(made, None, whole.path(), &Default::default()).unwrap();
        // By the manifest first, then by the files themselves.
        for _ in 0..2 {
            Database::open(made, slices.path(), 0).unwrap();
            refused(Database::open(ours, slices.path(), 0).map(drop), made, ours);
            refused(build(ours, slices.path(), &pieces(9, 1, false)).map(drop), made, ours);
            Strong::open(made, whole.path()).unwrap();
            refused(Strong::open(ours, whole.path()).map(drop), made, ours);
            refused(
                reachable::build(ours, None, whole.path(), &Default::default()).map(drop),
                made,
                ours,
            );
            for dir in [&slices, &whole] {
                let _ = std::fs::remove_file(dir.path().join(manifest::FILE));
            }
        }
    }
}
