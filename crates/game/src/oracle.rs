//! What is known of positions from elsewhere: an endgame database, a strong solution, a store of facts.

use crate::{Bounds, Rules};

/// A source that can be asked about positions, by any number of threads.
pub trait Oracle<R: Rules>: Send + Sync {
    /// What is known of a position, from the first player's point of view. Must be true; unknown is the full range.
    fn probe(&self, rules: &R, p: &R::Position) -> Bounds;
}
