//! What alpha-beta takes away from a Monte-Carlo search: which positions were visited how often, and
//! the weights of moves everywhere else.

use super::policy::Policy;
use rustc_hash::FxHashMap;
use zermelo_game::Key;

/// A node with more playouts than this knows its moves well.
pub const ENOUGH: u32 = 100;

/// Advice on the order of moves.
#[derive(Clone, Debug)]
pub struct MovePrior<K> {
    visits: FxHashMap<K, u32>,
    weights: Vec<i16>,
}

impl<K: Key> MovePrior<K> {
    /// Weights are kept in this part of one.
    pub const UNITS: f32 = 128.0;

    pub(super) fn new(visits: FxHashMap<K, u32>, policy: &Policy) -> MovePrior<K> {
        let weights = policy.weights().iter().map(|w| (w * Self::UNITS) as i16).collect();
        MovePrior { visits, weights }
    }

    /// Playouts that came through a canonical position, where it or a parent of it is well known.
    #[inline]
    pub fn visits(&self, key: K) -> u32 {
        self.visits.get(&key).copied().unwrap_or(0)
    }

    /// The weight of a pattern, between -5120 and 5120.
    #[inline]
    pub fn weight(&self, pattern: usize) -> i32 {
        self.weights[pattern].into()
    }
}
