//! Distances against labels by sweeps over all positions that can be reached, which know nothing but the rules.

use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use zermelo_game::conformance::rounds;
use zermelo_game::{Ablation, MoveList, Notation, StrategySource, Tuned};
use zermelo_games::graph::{GraphGame, GraphKnowledge, Recipe, random_cyclic, random_dag};
use zermelo_games::{Visitor, open};

/// More positions are not swept.
const MOST: usize = 150_000;

/// All positions that can be reached from some position, with their distances for one player.
struct Swept<R: Rules> {
    numbers: FxHashMap<R::Key, usize>,
    positions: Vec<R::Position>,
    distances: Vec<Option<u32>>,
}

/// `None` if there are too many. Who comes to one of the positions that are avoided does not win.
fn sweep<R: Rules>(
    rules: &R,
    start: &R::Position,
    winner: Player,
    avoided: &FxHashSet<R::Key>,
) -> Option<Swept<R>> {
    let mut numbers = FxHashMap::from_iter([(rules.key(start), 0)]);
    let (mut positions, mut children) = (vec![*start], Vec::new());
    while children.len() < positions.len() {
        let p = positions[children.len()];
        let mut list = MoveList::new();
        if rules.outcome(&p).is_none() {
            rules.moves(&p, &mut list);
        }
        let mut to = Vec::new();
        for m in list.iter() {
            let next = rules.play(&p, m);
            to.push(*numbers.entry(rules.key(&next)).or_insert_with(|| {
                positions.push(next);
                positions.len() - 1
            }));
        }
        children.push(to);
        if positions.len() > MOST {
            return None;
        }
    }
    let won = |p| rules.outcome(p).is_some_and(|value| value * winner.sign() > 0);
    let mut distances: Vec<Option<u32>> = positions.iter().map(|p| won(p).then_some(0)).collect();
    for sweep in 1.. {
        let found: Vec<usize> = (0..positions.len())
            .filter(|&i| distances[i].is_none() && !children[i].is_empty())
            .filter(|&i| !avoided.contains(&rules.key(&positions[i])))
            .filter(|&i| {
                let mut each = children[i].iter().map(|&c| distances[c].is_some());
                if rules.turn(&positions[i]) == winner { each.any(|w| w) } else { each.all(|w| w) }
            })
            .collect();
        if found.is_empty() {
            break;
        }
        found.into_iter().for_each(|i| distances[i] = Some(sweep));
    }
    Some(Swept { numbers, positions, distances })
}

impl<R: Notation> Swept<R> {
    fn distance(&self, rules: &R, p: &R::Position) -> Option<u32> {
        self.distances[self.numbers[&rules.key(p)]]
    }
}

fn known_to<R: Rules, K: Knowledge<R>>(
    solver: &mut DistanceSolver<R, K>,
    p: &R::Position,
    winner: Player,
    limits: &Limits,
) -> DistanceReport<R::Move> {
    solver.solve(p, winner, limits, None, &|_, _| {})
}

/// Compares some positions. Returns how many wins were among them.
fn compare<R: Notation, K: Knowledge<R>>(
    rules: &R,
    knowledge: &K,
    start: &R::Position,
    seed: u64,
) -> usize {
    let game = Game::new(rules, knowledge);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut wins = 0;
    for winner in [Player::First, Player::Second] {
        if !has_distances(rules, winner) {
            continue;
        }
        let swept = |avoided: &FxHashSet<R::Key>| {
            sweep(rules, start, winner, avoided).unwrap_or_else(|| panic!("{}", rules.name()))
        };
        let mut truth = swept(&FxHashSet::default());
        // Some positions are no way to a win in every other case.
        let mut avoided = Vec::new();
        if seed % 2 == 1 {
            let any = |_| truth.positions[rng.random_range(0..truth.positions.len())];
            avoided = (0..1 + seed / 2 % 4).map(any).collect();
            avoided.retain(|p| rules.outcome(p).is_none() && p != start);
        }
        let keys: FxHashSet<R::Key> = avoided.iter().map(|p| rules.key(p)).collect();
        if !avoided.is_empty() {
            truth = swept(&keys);
        }
        let memory = [1 << 9, 1 << 14, 1 << 22][seed as usize % 3];
        let threads = if seed.is_multiple_of(5) { 2 } else { 1 };
        let mut solver = DistanceSolver::new(game, threads, memory).avoiding(&avoided);
        for round in 0..12 {
            let p = match round {
                0 => *start,
                _ => truth.positions[rng.random_range(0..truth.positions.len())],
            };
            if keys.contains(&rules.key(&p)) {
                continue;
            }
            let expected = truth.distance(rules, &p);
            let text = || format!("{}: \"{}\" for {winner}", rules.name(), rules.position_text(&p));
            // A search that is stopped says nothing wrong.
            let few = Limits { nodes: Some(rng.random_range(1..40)), ..Limits::default() };
            let early = known_to(&mut solver, &p, winner, &few);
            let within = |d: u32| early.plies.lo <= d && early.plies.hi.is_none_or(|hi| d <= hi);
            assert!(expected.is_none_or(within), "{}: {early:?}, not {expected:?}", text());
            assert!(early.wins.is_none_or(|wins| wins == expected.is_some()), "{}", text());
            // Where nobody wins and positions can repeat, the search would go on to the longest distance there is.
            let some = if expected.is_none() && R::CYCLIC { Some(300) } else { None };
            let limits = Limits { nodes: some, ..Limits::default() };
            let report = known_to(&mut solver, &p, winner, &limits);
            let Some(expected) = expected else {
                assert_ne!(report.wins, Some(true), "{}", text());
                assert!(R::CYCLIC || report.wins == Some(false), "{}", text());
                continue;
            };
            wins += 1;
            assert_eq!(report.plies.value(), Some(expected), "{}: {report:?}", text());
            assert_eq!((report.wins, report.stop), (Some(true), Stop::Solved), "{}", text());
            assert_eq!(report.line.len(), expected as usize, "{}: the line", text());
            let mut q = p;
            for (ply, &m) in report.line.iter().enumerate() {
                let left = truth.distance(rules, &q);
                assert_eq!(left, Some(expected - ply as u32), "{}: ply {ply}", text());
                q = rules.play(&q, m);
            }
            assert_eq!(truth.distance(rules, &q), Some(0), "{}: the end", text());
            // Strategies play as fast at every position.
            if rules.turn(&p) == winner && expected > 0 {
                let mut list = MoveList::new();
                rules.moves(&p, &mut list);
                let mut strategy = solver.strategy(winner, &Limits::default(), None);
                let m = strategy.choose(&p, rules.symmetry_key(&p), &list).expect("a move");
                let next = truth.distance(rules, &rules.play(&p, m));
                assert_eq!(next, Some(expected - 1), "{}: the strategy", text());
            }
        }
    }
    wins
}

/// With all knowledge and without some of it, from random positions of a game by name.
struct Compare {
    plies: u32,
    seed: u64,
}

impl Visitor for Compare {
    type Output = usize;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> usize {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut p = rules.start();
        for _ in 0..self.plies {
            let mut list = MoveList::new();
            rules.moves(&p, &mut list);
            let next = rules.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
            if rules.outcome(&next).is_none() {
                p = next;
            }
        }
        let knowledge = Arc::new(knowledge);
        let tuned = |n| Tuned::new(knowledge.clone(), Ablation::numbered(n));
        compare(&rules, &tuned(0), &p, self.seed)
            + compare(&rules, &tuned(self.seed as usize % 8), &p, self.seed + 1)
    }
}

#[test]
fn distances_of_games() {
    for (name, plies) in [
        ("tictactoe", 0),
        ("mnk 3x4x3", 4),
        ("mnk 4x4x4", 8),
        ("connect4 4x4", 6),
        ("connect4 5x4", 9),
        ("connect4 4x5", 10),
        ("connect4 6x7", 31),
        ("domineering 4x4", 1),
        ("domineering 4x5 misere", 3),
        ("domineering 5x5", 8),
        ("nogo 3x4", 4),
        ("atarigo 3x3", 2),
        ("clobber 3x4", 1),
        ("clobber 4x5", 8),
        ("breakthrough 4x3", 2),
        ("breakthrough 4x3 misere", 2),
        ("knightthrough 4x3", 1),
        ("knightthrough 4x3 misere", 2),
        ("loa 3x4", 2),
        ("checkers 4x4", 0),
        ("morris 3", 3),
    ] {
        let wins: usize = (0..rounds(15).max(3))
            .map(|seed| open(name, Compare { plies, seed }).unwrap_or_else(|e| panic!("{e}")))
            .sum();
        assert!(wins > 0, "{name}: nobody won");
    }
}

#[test]
fn distances_in_random_graphs() {
    let recipe = |seed: u64| Recipe {
        seed,
        nodes: 10 + (seed % 7) as u32 * 9,
        moves: 2 + seed as u32 % 4,
        values: Bounds::new(-1, 1),
        draws: seed.is_multiple_of(2),
    };
    let (mut acyclic, mut cyclic) = (0, 0);
    for seed in 0..rounds(500) {
        let graph: GraphGame<false> = random_dag(&recipe(seed));
        acyclic += compare(&graph, &GraphKnowledge::new(&graph), &graph.start(), seed);
        let graph: GraphGame<true> = random_cyclic(&recipe(seed));
        cyclic += compare(&graph, &(), &graph.start(), seed);
    }
    assert!(acyclic > 200 && cyclic > 200, "{acyclic} and {cyclic} wins");
}

#[test]
fn who_may_win_by_repeating_has_no_distance() {
    let graph = |text: &str| match zermelo_games::graph::AnyGraph::parse(text) {
        Ok(zermelo_games::graph::AnyGraph::Cyclic(graph)) => graph,
        _ => panic!("{text}"),
    };
    let repeats = graph("repetition 1; a first: b; b second: a c; c first = 1");
    assert!(!has_distances(&repeats, Player::First) && has_distances(&repeats, Player::Second));
    let loses = graph("repetition loses; a first: b; b second: a c; c first = 1");
    assert!(!has_distances(&loses, Player::First) && !has_distances(&loses, Player::Second));
}
