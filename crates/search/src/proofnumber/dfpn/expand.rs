//! The children of a node, with the numbers that they have when it is entered: most of what a visit costs.
//!
//! First all children are made, and their places in the table are fetched into the cache; then they are judged and
//! weighed as leaves, which gives the cache time; then they are looked up. This is a function of its own, so that the recursion does not carry its lists, and
//! its loops have the registers to themselves.

use super::playout_prior::rank;
use super::record::NumbersEntry;
use super::twins::PathBasis;
use super::worker::{FREE, PathInfo, Worker};
use super::{Loops, Shared};
use crate::proofnumber::leaf::leaf_numbers;
use crate::proofnumber::numbers::{Numbers, plus};
use crate::proofnumber::view::{ChildMove, ChildrenVerdict};
use zermelo_game::{Bounds, INLINE_MOVES, InlineVec, Knowledge, Rules, Value};

/// A node that its moves decide.
pub(super) struct Decided<M> {
    pub numbers: Numbers,
    pub rests_on: i32,
    pub best: Option<M>,
}

impl<R: Rules, K: Knowledge<R>> Worker<'_, R, K> {
    /// Puts the children of `p` that are not lost on the stack, with their numbers; or decides it.
    #[inline(never)]
    pub(super) fn expand(
        &mut self,
        p: &R::Position,
        distance: u32,
    ) -> Result<Value, Decided<R::Move>> {
        let Shared { view, table, prior, leaf, .. } = *self.shared;
        let base = self.children.len();
        let mut spread: InlineVec<R::Key, INLINE_MOVES> = InlineVec::new();
        let met = |key| {
            let key = table.spread(key);
            table.prefetch(key);
            spread.push(key);
        };
        // Most leaves are new to the table; to weigh all of them at once gives it time to be fetched.
        let weigh = |q: &R::Position, place| leaf_numbers(view.game, q, place, leaf);
        let expansion = view.expand(p, &mut self.children, met, weigh);
        let all = self.children.len() - base;
        self.stats.evaluations += all as u64;
        let (mut floor, lost) = match expansion {
            ChildrenVerdict::Open { floor, lost } => (floor, lost),
            ChildrenVerdict::Decided(numbers) => {
                let best = self.children[base..].first().map(|r| r.mv);
                return Err(Decided { numbers, rests_on: FREE, best });
            }
        };
        if let Some(prior) = prior
            && rank(view.game, p, prior, &mut self.children[base..])
        {
            self.teach(base);
            // They stand in another order now.
            let keys = self.children[base..].iter().map(|child| table.spread(child.key));
            spread = keys.collect();
        }
        if lost > 0 {
            floor = floor.max(self.drop_lost(base, &mut spread));
        }
        let (mut probes, mut hits) = (0, 0);
        for (i, &spread) in spread.iter().enumerate() {
            let at = base + i;
            if R::CYCLIC {
                self.path_infos.push(PathInfo {
                    rests_on: FREE,
                    old: false,
                    basis: PathBasis::new(),
                });
                if self.comes_back(at) {
                    continue;
                }
            }
            probes += 1;
            if let Some(known) = table.get_spread(spread) {
                hits += 1;
                self.met(at, &known, distance);
                self.children[at].numbers = known.numbers;
            } else if let Some(numbers) = self.fact(at) {
                self.children[at].numbers = numbers;
            }
            self.find_twin(at);
        }
        self.stats.probes += probes;
        self.stats.hits += hits;
        match self.stuck(p, base, lost) {
            Some(numbers) => {
                let rests_on = self.rest_of_all(base);
                Err(Decided { numbers, rests_on, best: None })
            }
            None => Ok(floor),
        }
    }

    /// Drops the children that are lost, with their spread keys. Returns the best value that one of them has.
    fn drop_lost(&mut self, base: usize, spread: &mut InlineVec<R::Key, INLINE_MOVES>) -> Value {
        let (mut open, mut best) = (0, Value::MIN);
        for i in 0..spread.len() {
            let child = self.children[base + i];
            if child.numbers.phi == 0 {
                best = best.max(-child.numbers.value);
                continue;
            }
            (self.children[base + open], spread[open]) = (child, spread[i]);
            open += 1;
        }
        self.children.truncate(base + open);
        spread.truncate(open);
        best
    }

    /// Gives leaves numbers for moves whose order and scores come from playouts: what they say is added to what it
    /// takes to win by the move.
    #[cold]
    fn teach(&mut self, base: usize) {
        let Shared { view, leaf, .. } = *self.shared;
        for child in &mut self.children[base..] {
            if child.numbers.phi != 0 {
                let start = leaf_numbers(view.game, &child.position, 0, leaf);
                let delta = plus(start.delta, -child.score as u32);
                child.numbers = Numbers { delta, ..start };
            }
        }
    }

    /// What another engine knows of a child.
    #[inline(always)]
    fn fact(&self, i: usize) -> Option<Numbers> {
        let Shared { view, run, .. } = *self.shared;
        let child = &self.children[i];
        let e = run.facts?.get(child.key)?;
        view.numbers(Bounds { lo: e.lo, hi: e.hi }, view.game.turn(&child.position))
    }

    /// Brings the numbers of a child up to date by what the table has learned.
    #[inline(always)]
    pub(super) fn look_again(&mut self, i: usize, distance: u32) {
        if R::CYCLIC && self.path_infos[i].rests_on != FREE {
            return;
        }
        self.stats.probes += 1;
        if let Some(known) = self.shared.table.get(self.children[i].key) {
            self.stats.hits += 1;
            self.children[i].numbers = known.numbers;
            self.met(i, &known, distance);
        }
        self.find_twin(i);
    }

    /// Whether the table has met a child no farther from the root than its parent.
    #[inline(always)]
    fn met(&mut self, i: usize, known: &NumbersEntry, distance: u32) {
        if R::CYCLIC {
            let counts = matches!(self.shared.loops, Loops::Old | Loops::Both);
            self.path_infos[i].old = counts && known.note <= distance;
        }
    }

    /// Gives a child that stands on the path the numbers of a repetition; returns whether it does.
    #[inline(always)]
    fn comes_back(&mut self, i: usize) -> bool {
        let Some(at) = self.behind(self.children[i].key) else { return false };
        let view = self.shared.view;
        let plies = self.path.len() - at;
        let (child, info) = (&mut self.children[i], &mut self.path_infos[i]);
        let turn = view.game.turn(&child.position);
        // A forbidden move is as good as one that loses all, while there is another.
        let forbidden = || Numbers::won(view.game.values().seen_by(turn).hi);
        child.numbers = view.repeated(&child.position, plies).unwrap_or_else(forbidden);
        info.rests_on = at as i32;
        info.basis.need(child.key);
        true
    }

    /// Gives an open child the numbers of a twin whose line this is.
    #[inline(always)]
    fn find_twin(&mut self, i: usize) {
        if R::CYCLIC
            && self.children[i].numbers.solved().is_none()
            && let Some(twins) = self.shared.twins
            && let Some((numbers, basis, at)) =
                twins.find(self.children[i].key, self.path.iter().map(|step| step.key))
        {
            self.children[i].numbers = numbers;
            (self.path_infos[i].basis, self.path_infos[i].rests_on) = (basis, at);
        }
    }

    /// The numbers of a node all of whose moves are forbidden. So many are not, but lose.
    #[inline(always)]
    fn stuck(&self, p: &R::Position, base: usize, lost: usize) -> Option<Numbers> {
        if !R::CYCLIC || self.fixed || lost > 0 {
            return None;
        }
        let numbers = self.shared.view.stuck(p)?;
        let forbidden = |c: &ChildMove<R>| self.behind(c.key).is_some();
        self.children[base..].iter().all(forbidden).then_some(numbers)
    }

    /// Where a position stands on the path.
    #[inline(always)]
    pub(super) fn behind(&self, key: R::Key) -> Option<usize> {
        self.path.iter().position(|step| step.key == key)
    }
}
