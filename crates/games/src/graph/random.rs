//! Random graphs with invented values: material for tests, where nothing can be tuned.
//!
//! The same recipe always gives the same graph.

use super::{Draft, GraphGame, Kind, Vertex};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::{Bounds, Player, Repetition, Value};

/// What to make.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The seed.
    pub seed: u64,
    /// About how many nodes; at least one.
    pub nodes: u32,
    /// The most moves of a node; at least one, at most 256.
    pub moves: u32,
    /// The range of values. With -1 and 1 draws occur; see `draws`.
    pub values: Bounds,
    /// Whether a leaf (or a repetition) may be worth 0.
    pub draws: bool,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe { seed: 0, nodes: 100, moves: 4, values: Bounds::new(-1, 1), draws: true }
    }
}

impl Recipe {
    fn rng(&self) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.seed)
    }

    fn value(&self, rng: &mut Xoshiro256PlusPlus) -> Value {
        loop {
            let value = rng.random_range(self.values.lo..=self.values.hi);
            if value != 0 || self.draws || self.values == Bounds::exact(0) {
                return value;
            }
        }
    }

    /// The graph with these moves; nodes without one are leaves.
    fn draft(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        nodes: Vec<(Player, Vec<u32>)>,
        cyclic: bool,
    ) -> Draft {
        let nodes = nodes.into_iter().enumerate().map(|(i, (turn, to))| Vertex {
            name: format!("n{i}"),
            turn,
            kind: if to.is_empty() { Kind::Leaf(self.value(rng)) } else { Kind::Inner(to) },
        });
        let nodes = nodes.collect();
        let repetition = cyclic.then(|| Repetition::Worth(self.value(rng)));
        Draft { values: self.values, repetition, start: 0, nodes }
    }

    /// A graph whose node `i` has moves to nodes that `reach(i)` allows.
    fn wired(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        reach: impl Fn(usize) -> std::ops::Range<usize>,
    ) -> Vec<(Player, Vec<u32>)> {
        let turns: Vec<Player> =
            (0..self.nodes).map(|_| Player::from_index(rng.random_range(0..2))).collect();
        let mut nodes = Vec::new();
        for (i, &turn) in turns.iter().enumerate() {
            let mut others: Vec<u32> =
                reach(i).filter(|&j| turns[j] != turn).map(|j| j as u32).collect();
            let wanted = match i {
                0 => self.moves,
                _ if rng.random_range(0..4) == 0 => 0,
                _ => rng.random_range(1..=self.moves),
            };
            let mut to = Vec::new();
            while to.len() < wanted as usize && !others.is_empty() {
                to.push(others.swap_remove(rng.random_range(0..others.len())));
            }
            nodes.push((turn, to));
        }
        nodes
    }
}

/// A tree.
#[must_use]
pub fn random_tree(recipe: &Recipe) -> GraphGame<false> {
    let mut rng = recipe.rng();
    let mut nodes: Vec<(Player, Vec<u32>)> = vec![(Player::First, Vec::new())];
    let mut leaves = vec![0usize];
    while nodes.len() < recipe.nodes as usize {
        let at = leaves.swap_remove(rng.random_range(0..leaves.len()));
        for _ in 0..rng.random_range(1..=recipe.moves) {
            let (child, turn) = (nodes.len(), nodes[at].0.other());
            nodes[at].1.push(child as u32);
            nodes.push((turn, Vec::new()));
            leaves.push(child);
        }
    }
    GraphGame::new(recipe.draft(&mut rng, nodes, false), None)
}

/// A graph without a cycle in which many moves lead to one node.
#[must_use]
pub fn random_dag(recipe: &Recipe) -> GraphGame<false> {
    let (mut rng, len) = (recipe.rng(), recipe.nodes as usize);
    // Moves go to one of the next few nodes, so that there are long lines.
    let nodes = recipe.wired(&mut rng, |i| i + 1..(i + 1 + 3 * recipe.moves as usize).min(len));
    GraphGame::new(recipe.draft(&mut rng, nodes, false), None)
}

/// A graph in which a move may lead anywhere, and a repetition is worth some value.
#[must_use]
pub fn random_cyclic(recipe: &Recipe) -> GraphGame<true> {
    let (mut rng, len) = (recipe.rng(), recipe.nodes as usize);
    let nodes = recipe.wired(&mut rng, |_| 0..len);
    GraphGame::new(recipe.draft(&mut rng, nodes, true), None)
}

/// The same graph under another rule of repetition.
///
/// # Panics
/// If the rule names a value that is none of the graph's.
#[must_use]
pub fn under(graph: &GraphGame<true>, rule: Repetition) -> GraphGame<true> {
    if let Repetition::Worth(value) | Repetition::Forbidden(value) = rule {
        assert!(graph.draft.values.contains(value), "{value} is no value of the graph");
    }
    GraphGame::new(Draft { repetition: Some(rule), ..graph.draft.clone() }, None)
}
