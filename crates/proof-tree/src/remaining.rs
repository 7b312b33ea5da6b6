//! What remains to be proved, for those who watch a proof: the line that the manager would follow, and the positions that
//! are open.
//!
//! Proof numbers are those of the manager's last scheduling. It writes them for the root, two moves deep, and along
//! the line that it would follow; elsewhere they are older or missing, so nothing here goes farther than that.

use crate::ProofTreeFailure;
use crate::graph::Id;
use crate::missing::questions;
use crate::view::{PositionRow, StoreSnapshot};
use rustc_hash::FxHashSet;
use zermelo_game::{Bounds, Player, Question};

/// Numbers are fresh so many moves from the root.
const FRESH: usize = 2;
/// A line ends here at the latest.
const DEEP: usize = 400;

/// What somebody wants to show: that the answer to a question is yes, or that it is no.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Goal {
    /// The question.
    pub question: Question,
    /// The player whose goal it is. The first player's answer is yes.
    pub claimant: Player,
}

/// A position that has to be proved for a goal.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenPosition {
    /// The moves from the root.
    pub path: Vec<String>,
    /// The position.
    pub row: PositionRow,
}

/// What would reach a goal.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Remaining {
    /// The line that the manager would follow now.
    pub line: Vec<String>,
    /// Positions that, all proved, prove the goal; those at the end of the line first.
    pub open: Vec<OpenPosition>,
    /// Whether there are more of them.
    pub more: bool,
}

impl Goal {
    /// The goals that are open where this is known, the numbers of which are written.
    #[must_use]
    pub fn open(values: Bounds, known: Bounds) -> Vec<Goal> {
        let goal = |question: Question| Goal {
            question,
            claimant: if question.at_least == 1 { Player::First } else { Player::Second },
        };
        questions(values, known).into_iter().map(goal).collect()
    }

    /// The goal in words.
    #[must_use]
    pub fn words(&self, values: Bounds) -> String {
        match (self.claimant, values.lo >= -1 && values.hi <= 1) {
            (Player::First, _) => "the first player wins".into(),
            (Player::Second, true) => "the second player wins".into(),
            (Player::Second, false) => {
                format!("the value is at most {}", self.question.at_least - 1)
            }
        }
    }

    /// The numbers of a position for this goal.
    #[must_use]
    pub fn numbers(&self, row: &PositionRow) -> Option<[u32; 2]> {
        row.numbers[self.claimant.index()]
    }

    fn is_open(&self, row: &PositionRow) -> bool {
        let likely = self.numbers(row).is_some_and(|[pn, dn]| pn == 0 || dn == 0);
        self.question.answer(row.bounds).is_none() && !likely
    }

    /// Which of the moves the manager would follow: the one that leaves the player to move the least to do.
    #[must_use]
    pub fn next(&self, turn: Player, moves: &[(String, PositionRow)]) -> Option<usize> {
        let key = |(at, (_, row)): (usize, &(String, PositionRow))| {
            let [pn, dn] = self.numbers(row).filter(|_| self.is_open(row))?;
            Some((if turn == self.claimant { [pn, dn] } else { [dn, pn] }, at))
        };
        moves.iter().enumerate().filter_map(key).min().map(|(_, at)| at)
    }
}

impl StoreSnapshot {
    /// What would reach a goal at a position: the part of the tree with fresh numbers, down to where it is open.
    pub fn remaining(
        &self,
        root: &PositionRow,
        goal: Goal,
        most: usize,
    ) -> Result<Remaining, ProofTreeFailure> {
        let mut walk = RemainingWalk {
            snapshot: self,
            goal,
            most,
            seen: FxHashSet::default(),
            out: Remaining::default(),
        };
        walk.go(root.clone(), Vec::new(), true)?;
        Ok(walk.out)
    }
}

/// The walk that collects what is missing.
struct RemainingWalk<'v> {
    snapshot: &'v StoreSnapshot,
    goal: Goal,
    most: usize,
    seen: FxHashSet<Id>,
    out: Remaining,
}

impl RemainingWalk<'_> {
    fn go(
        &mut self,
        row: PositionRow,
        path: Vec<String>,
        on_line: bool,
    ) -> Result<(), ProofTreeFailure> {
        if !self.seen.insert(row.id) {
            return Ok(());
        }
        if self.out.open.len() >= self.most {
            self.out.more = true;
            return Ok(());
        }
        let fresh = on_line && path.len() < DEEP || path.len() < FRESH;
        let mut moves = match fresh && row.expanded {
            true => self.snapshot.moves(row.id, DEEP)?,
            false => Vec::new(),
        };
        moves.retain(|(_, child)| self.goal.is_open(child));
        let Some(next) = self.goal.next(row.turn, &moves) else {
            if on_line {
                self.out.line.clone_from(&path);
            }
            self.out.open.push(OpenPosition { path, row });
            return Ok(());
        };
        // One move of the claimant is enough; the other's moves must all be answered.
        let first = moves.remove(next);
        let others = if row.turn == self.goal.claimant { Vec::new() } else { moves };
        for (at, (mv, child)) in std::iter::once(first).chain(others).enumerate() {
            let mut path = path.clone();
            path.push(mv);
            self.go(child, path, on_line && at == 0)?;
        }
        Ok(())
    }
}
