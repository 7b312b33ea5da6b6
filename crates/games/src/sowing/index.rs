//! Positions of sowing games by number, for databases.
//!
//! What is still to be won does not depend on the stores. So a slice is the number of seeds in play, and a database keeps
//! what the player who sows next still wins, less what the other does. A position in which a player has to pass shares the place
//! of the one that follows.

use super::{Ring, Sowing, Variant};
use zermelo_game::{Bounds, Sliced, Value};

impl<V: Variant> Sliced for Sowing<V> {
    /// The seeds in play.
    type Slice = u32;

    fn groups(&self, pieces: u32) -> Vec<Vec<u32>> {
        (0..=pieces.min(self.board.seeds)).map(|seeds| vec![seeds]).collect()
    }

    fn slice_name(&self, seeds: u32) -> String {
        format!("{seeds}")
    }

    fn pieces(&self, seeds: u32) -> [u32; 2] {
        [seeds, 0]
    }

    fn places(&self, seeds: u32) -> u64 {
        self.board.places(seeds)
    }

    fn place(&self, p: &Ring) -> Option<(u32, u64)> {
        let next;
        let p = if Self::must_pass(p) {
            next = self.board.swapped(p);
            &next
        } else {
            p
        };
        Some((self.board.sides(p).iter().sum(), self.board.place(p)))
    }

    fn at(&self, seeds: u32, place: u64) -> Option<Ring> {
        Some(self.board.at(seeds, place))
    }

    fn kept_values(&self, seeds: u32) -> Bounds {
        Bounds::new(-(seeds as Value), seeds as Value)
    }

    /// A cycle keeps 0.
    fn value_of(&self, p: &Ring, kept: Value) -> Value {
        p.ahead() + if Self::must_pass(p) { -kept } else { kept }
    }

    fn kept_for(&self, p: &Ring, value: Value) -> Value {
        let rest = value - p.ahead();
        if Self::must_pass(p) { -rest } else { rest }
    }
}
