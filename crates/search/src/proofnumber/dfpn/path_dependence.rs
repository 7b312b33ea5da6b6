//! Results that depend on the line: what they ask of it, and how they are kept. Only called where positions
//! can come back.

use super::twins::PathBasis;
use super::worker::{FREE, PathInfo, Worker};
use crate::proofnumber::numbers::Numbers;
use zermelo_game::{Knowledge, Rules};

impl<R: Rules, K: Knowledge<R>> Worker<'_, R, K> {
    /// What the loss of a node rests on: whatever its children rest on.
    pub(super) fn rest_of_all(&mut self, base: usize) -> i32 {
        let mut first = FREE;
        self.basis = PathBasis::new();
        for PathInfo { rests_on, basis, .. } in &self.path_infos[base..] {
            if *rests_on != FREE {
                first = first.min(*rests_on);
                self.basis.join(basis);
            }
        }
        first
    }

    /// Keeps the result of a node that rests on the line, below which it stands.
    #[cold]
    pub(super) fn keep_twin(&mut self, key: R::Key, numbers: Numbers) {
        self.basis.pass(key);
        let Some(twins) = self.shared.twins else { return };
        let line = self.path.iter().map(|step| step.key);
        if twins.put(key, line, &self.basis, numbers) {
            self.idle = 0;
        }
    }
}
