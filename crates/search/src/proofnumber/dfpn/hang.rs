//! Results that hang on the line: what they ask of it, and how they are kept. Only called where positions
//! can come back.

use super::twins::Basis;
use super::worker::{FREE, Hold, Worker};
use crate::proofnumber::numbers::Numbers;
use zermelo_game::Game;

impl<G: Game> Worker<'_, G> {
    /// What the loss of a node rests on: whatever its children rest on.
    pub(super) fn rest_of_all(&mut self, base: usize) -> i32 {
        let mut first = FREE;
        self.basis = Basis::new();
        for Hold { rests_on, basis, .. } in &self.holds[base..] {
            if *rests_on != FREE {
                first = first.min(*rests_on);
                self.basis.join(basis);
            }
        }
        first
    }

    /// Keeps the result of a node that rests on the line, below which it stands.
    #[cold]
    pub(super) fn keep_twin(&mut self, key: G::Key, numbers: Numbers) {
        self.basis.pass(key);
        let Some(twins) = self.shared.twins else { return };
        let line = self.path.iter().map(|step| step.key);
        if twins.put(key, line, &self.basis, numbers) {
            self.idle = 0;
        }
    }
}
