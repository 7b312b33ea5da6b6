//! What is missing, on random graphs with cycles and random facts, against plain fixed points by iteration.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256StarStar as Rng;
use zermelo_game::{Bounds, Player, Question, Value};
use zermelo_proof_tree::graph::{Id, ProofGraph, ProofNode};
use zermelo_proof_tree::missing::{QuestionStatus, missing};

/// A random graph: moves, turns, and what is worth what at the ends.
struct Case {
    turn: Vec<Player>,
    moves: Vec<Vec<usize>>,
    /// The worth of ends.
    ends: Vec<Value>,
    cycles: Value,
}

fn draw(rng: &mut Rng) -> Case {
    let n = rng.random_range(2..9);
    let turn = (0..n).map(|_| Player::from_index(rng.random_range(0..2))).collect();
    let moves = (0..n)
        .map(|_| {
            let count = [0, 1, 2, 2, 3][rng.random_range(0..5)];
            (0..count).map(|_| rng.random_range(0..n)).collect()
        })
        .collect();
    let ends = (0..n).map(|_| rng.random_range(-1..2)).collect();
    Case { turn, moves, ends, cycles: rng.random_range(-1..2) }
}

impl Case {
    /// The values of all positions where the ends marked `open` count as `worth`: by iterating from the worth of a
    /// cycle, once upwards and once downwards. Who is above what going round is worth got there by force.
    fn values(&self, worth: &dyn Fn(usize) -> Value) -> Vec<Value> {
        let n = self.turn.len();
        let sweep = |start: Value| {
            let mut values: Vec<Value> =
                (0..n).map(|i| if self.moves[i].is_empty() { worth(i) } else { start }).collect();
            for _ in 0..3 * n {
                for i in 0..n {
                    let after = self.moves[i].iter().map(|&c| values[c]);
                    let best = match self.turn[i] {
                        Player::First => after.max(),
                        Player::Second => after.min(),
                    };
                    values[i] = best.unwrap_or(values[i]);
                }
            }
            values
        };
        // From below the least values that can be forced, from above the largest.
        let (least, most) = (sweep(-1), sweep(1));
        (0..n).map(|i| self.cycles.clamp(least[i], most[i])).collect()
    }

    /// The graph, with the ends that are known.
    fn graph(&self, known: &[bool]) -> ProofGraph {
        let values = Bounds::new(-1, 1);
        let mut graph = ProofGraph::new(values, Some(self.cycles));
        for &turn in &self.turn {
            graph.add(ProofNode::new(turn, values, 0, (1, 1)));
        }
        for (i, moves) in self.moves.iter().enumerate() {
            let mut children: Vec<Id> = moves.iter().map(|&c| c as Id).collect();
            children.sort_unstable();
            children.dedup();
            if !children.is_empty() {
                graph.expand(i as Id, -self.turn[i].sign(), &children).unwrap();
            }
        }
        for (i, _) in known.iter().enumerate().filter(|(_, known)| **known) {
            graph.learn(i as Id, Bounds::exact(self.ends[i])).unwrap();
        }
        graph
    }
}

#[test]
fn what_is_missing_on_a_hundred_thousand_graphs() {
    let mut rng = Rng::seed_from_u64(7);
    let mut seen = [0; 3];
    for _ in 0..100_000 {
        let case = draw(&mut rng);
        let n = case.turn.len();
        let is_end = |i: usize| case.moves[i].is_empty();
        let known: Vec<bool> = (0..n).map(|i| is_end(i) && rng.random_bool(0.7)).collect();
        let graph = case.graph(&known);
        let worth =
            |open: Value| move |i: usize, k: &[bool], e: &[Value]| if k[i] { e[i] } else { open };
        // What holds whatever the open ends are worth is settled, and nothing else is.
        let (low, high) = (worth(-1), worth(1));
        let least = case.values(&|i| low(i, &known, &case.ends));
        let most = case.values(&|i| high(i, &known, &case.ends));
        let all: Vec<bool> = (0..n).map(is_end).collect();
        let full = case.graph(&all);
        for at_least in [0, 1] {
            let question = Question { at_least };
            for root in 0..n {
                let answer = missing(&graph, root as Id, question, None, 100);
                match &answer {
                    QuestionStatus::Proved => assert!(least[root] >= at_least),
                    QuestionStatus::Disproved => assert!(most[root] < at_least),
                    QuestionStatus::Work(leaves) => {
                        assert!(least[root] < at_least && most[root] >= at_least);
                        assert!(!leaves.is_empty());
                        assert!(leaves.iter().all(|&l| is_end(l as usize) && !known[l as usize]));
                    }
                }
                seen[match answer {
                    QuestionStatus::Proved => 0,
                    QuestionStatus::Disproved => 1,
                    QuestionStatus::Work(_) => 2,
                }] += 1;
                // More facts never unprove, and all of them tell everything.
                let later = missing(&full, root as Id, question, None, 100);
                assert!(!matches!(later, QuestionStatus::Work(_)));
                assert!(matches!(answer, QuestionStatus::Work(_)) || answer == later);
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 50_000), "{seen:?}");
}

#[test]
fn likely_values_count_within_a_threshold_only() {
    let values = Bounds::new(-1, 1);
    let mut graph = ProofGraph::new(values, None);
    let root = graph.add(ProofNode::new(Player::First, values, 0, (1, 1)));
    let leaves = [0, 1].map(|_| graph.add(ProofNode::new(Player::Second, values, 10, (1, 1))));
    graph.expand(root, -1, &leaves).unwrap();
    let win = Question { at_least: 1 };
    assert_eq!(missing(&graph, root, win, Some(100), 9), QuestionStatus::Work(leaves.to_vec()));
    graph.judge(leaves[1], 150);
    assert_eq!(missing(&graph, root, win, Some(100), 9), QuestionStatus::Proved);
    // Now it is the better leaf to look at.
    assert_eq!(missing(&graph, root, win, Some(200), 1), QuestionStatus::Work(vec![leaves[1]]));
    assert!(matches!(missing(&graph, root, win, None, 9), QuestionStatus::Work(_)));
    graph.learn(leaves[1], Bounds::exact(-1)).unwrap();
    assert_eq!(missing(&graph, root, win, Some(100), 9), QuestionStatus::Work(vec![leaves[0]]));
}

#[test]
fn many_leaves_at_a_time_lie_apart() {
    let values = Bounds::new(-1, 1);
    let mut graph = ProofGraph::new(values, None);
    let root = graph.add(ProofNode::new(Player::First, values, 0, (1, 1)));
    let mut level = vec![root];
    for depth in 0..3 {
        let turn = if depth % 2 == 0 { Player::Second } else { Player::First };
        let mut next = Vec::new();
        for &id in &level {
            let children: Vec<Id> =
                (0..5).map(|_| graph.add(ProofNode::new(turn, values, 0, (1, 1)))).collect();
            graph.expand(id, graph.node(id).floor, &children).unwrap();
            next.extend(children);
        }
        level = next;
    }
    let question = Question { at_least: 1 };
    let QuestionStatus::Work(mut leaves) = missing(&graph, root, question, None, 100) else {
        panic!("not settled")
    };
    let again = missing(&graph, root, question, None, 100);
    assert_eq!(again, QuestionStatus::Work(leaves.clone()));
    leaves.sort_unstable();
    leaves.dedup();
    assert_eq!(leaves.len(), 100);
}
