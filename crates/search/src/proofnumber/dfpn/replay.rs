//! Results that hang on the line: what they rest on, how they are kept, and how the proof of one is replayed
//! below another line. Only called where positions can come back.

use super::Shared;
use super::worker::{Child, FREE, Step, Worker};
use crate::proofnumber::numbers::{INF, Numbers};
use crate::proofnumber::view::{Expansion, Reply};
use arrayvec::ArrayVec;
use zermelo_game::{Game, Value};

/// Nodes that the replay of a proof may take.
const REPLAY: u32 = 200;

impl<G: Game> Worker<'_, G> {
    /// What the loss of a node rests on: whatever its children rest on.
    pub(super) fn rest_of_all(&mut self, base: usize) -> i32 {
        let mut all = Some(ArrayVec::new());
        let mut first = FREE;
        for (child, basis) in self.children[base..].iter().zip(&self.bases[base..]) {
            if child.rests_on == FREE {
                continue;
            }
            first = first.min(child.rests_on);
            all = all.zip(basis.as_ref()).and_then(|(mut all, basis)| {
                for key in basis {
                    if !all.contains(key) {
                        all.try_push(*key).ok()?;
                    }
                }
                Some(all)
            });
        }
        self.basis = all;
        first
    }

    /// Keeps the result of a node that rests on the line, below which it stands.
    #[cold]
    pub(super) fn keep_twin(&mut self, key: G::Key, numbers: Numbers) {
        let Some(twins) = self.shared.twins else { return };
        let new = if self.fixed {
            let Some(basis) = &mut self.basis else { return };
            basis.retain(|k| *k != key);
            twins.put(key, basis, numbers)
        } else {
            let line: Vec<G::Key> = self.path.iter().map(|step| step.key).collect();
            twins.put(key, &line, numbers)
        };
        if new {
            self.idle = 0;
        }
    }

    /// Tries to settle an open child by results that were found below other lines.
    pub(super) fn replay(&mut self, i: usize) {
        let Child { position, key, numbers, rests_on, .. } = self.children[i];
        let Some(twins) = self.shared.twins else { return };
        if numbers.solved().is_some() || rests_on != FREE {
            return;
        }
        for wins in [true, false] {
            if !twins.hints_at(key, wins) {
                continue;
            }
            let mut left = REPLAY;
            if let Some(value) = self.replayed(&position, key, wins, &mut left) {
                let numbers = if wins { Numbers::won(value) } else { Numbers::lost(value) };
                (self.children[i].numbers, self.children[i].rests_on) = (numbers, 0);
                return;
            }
        }
    }

    /// What the player to move at `p`, which is not on the path, gets at least (or at most, if it is to
    /// lose) below the present line: by facts, by results for this very line, and by the moves of
    /// results found below other lines.
    fn replayed(
        &mut self,
        p: &G::Position,
        key: G::Key,
        wins: bool,
        left: &mut u32,
    ) -> Option<Value> {
        let Shared { view, table, twins, .. } = *self.shared;
        let twins = twins?;
        let known = table.get(key).map(|known| known.numbers).filter(|n| n.solved().is_some());
        let known =
            known.or_else(|| Some(twins.find(key, self.path.iter().map(|step| step.key))?.0));
        if let Some(numbers) = known {
            return (numbers.solved() == Some(wins)).then_some(numbers.value);
        }
        if *left == 0 || !twins.hints_at(key, wins) {
            return None;
        }
        *left -= 1;
        self.fresh += 1;
        let (ply, base) = (self.path.len(), self.replies.len());
        self.path.push(Step { key, phi: INF, delta: INF });
        let mut replies = std::mem::take(&mut self.replies);
        let expansion = view.expand(p, &mut replies);
        self.stats.evaluations += (replies.len() - base) as u64;
        let range = base..replies.len();
        self.replies = replies;
        let value = match expansion {
            Expansion::Decided(numbers) => {
                (numbers.solved() == Some(wins)).then_some(numbers.value)
            }
            Expansion::Open { floor } => self.replayed_moves(p, range, floor, wins, left),
        };
        self.replies.truncate(base);
        self.path.truncate(ply);
        if let Some(value) = value {
            let numbers = if wins { Numbers::won(value) } else { Numbers::lost(value) };
            self.keep_twin(key, numbers);
        }
        value
    }

    /// The same by the moves of `p`, the last position of the path.
    fn replayed_moves(
        &mut self,
        p: &G::Position,
        range: std::ops::Range<usize>,
        floor: Value,
        wins: bool,
        left: &mut u32,
    ) -> Option<Value> {
        let view = self.shared.view;
        let (mut best, mut allowed) = (floor, 0);
        for i in range {
            let Reply { position, numbers, .. } = self.replies[i];
            let key = view.game.key(&position);
            let reply = if numbers.solved().is_some() {
                Some(numbers)
            } else if let Some(at) = self.behind(key) {
                match view.repeated(&position, self.path.len() - at) {
                    None => continue,
                    known => known,
                }
            } else {
                let value = self.replayed(&position, key, !wins, left);
                value.map(|v| if wins { Numbers::lost(v) } else { Numbers::won(v) })
            };
            allowed += 1;
            match reply.filter(|n| n.solved() == Some(!wins)) {
                Some(numbers) if wins => return Some(-numbers.value),
                Some(numbers) => best = best.max(-numbers.value),
                None if wins => {}
                None => return None,
            }
        }
        if allowed == 0 {
            let stuck = view.stuck(p)?;
            return (stuck.solved() == Some(wins)).then_some(stuck.value);
        }
        (!wins).then_some(best)
    }
}
