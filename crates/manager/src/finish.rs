//! What would finish a proof, for those who watch one: the line that the manager would follow, and the positions that are
//! missing.
//!
//! Proof numbers are those of the manager's last look. It writes them for the root, two moves deep, and along
//! the line that it would follow; elsewhere they are older or missing, so nothing here goes farther than that.

use crate::Failure;
use crate::graph::Id;
use crate::missing::questions;
use crate::view::{Row, View};
use rustc_hash::FxHashSet;
use zermelo_game::{Bounds, Player, Question};

/// Numbers are fresh so many moves from the root.
const FRESH: usize = 2;
/// A line ends here at the latest.
const DEEP: usize = 400;

/// What somebody wants to show: that the answer to a question is yes, or that it is no.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The question.
    pub question: Question,
    /// Who gains by it. The first player's answer is yes.
    pub claimant: Player,
}

/// A piece of what is missing for a claim.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The moves from the root.
    pub path: Vec<String>,
    /// The position.
    pub row: Row,
}

/// What would settle a claim.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Finish {
    /// The line that the manager would follow now.
    pub line: Vec<String>,
    /// Positions that, all shown, show the claim; those at the end of the line first.
    pub parts: Vec<Part>,
    /// Whether there are more of them.
    pub more: bool,
}

impl Claim {
    /// The claims that are open where this is known, the numbers of which are written.
    #[must_use]
    pub fn open(values: Bounds, known: Bounds) -> Vec<Claim> {
        let claim = |question: Question| Claim {
            question,
            claimant: if question.at_least == 1 { Player::First } else { Player::Second },
        };
        questions(values, known).into_iter().map(claim).collect()
    }

    /// The claim in words.
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

    /// The numbers of a position for this claim.
    #[must_use]
    pub fn numbers(&self, row: &Row) -> Option<[u32; 2]> {
        row.numbers[self.claimant.index()]
    }

    fn is_open(&self, row: &Row) -> bool {
        let likely = self.numbers(row).is_some_and(|[pn, dn]| pn == 0 || dn == 0);
        self.question.answer(row.bounds).is_none() && !likely
    }

    /// Which of the moves the manager would follow: the one that leaves the player to move the least to do.
    #[must_use]
    pub fn next(&self, turn: Player, moves: &[(String, Row)]) -> Option<usize> {
        let key = |(at, (_, row)): (usize, &(String, Row))| {
            let [pn, dn] = self.numbers(row).filter(|_| self.is_open(row))?;
            Some((if turn == self.claimant { [pn, dn] } else { [dn, pn] }, at))
        };
        moves.iter().enumerate().filter_map(key).min().map(|(_, at)| at)
    }
}

impl View {
    /// What would settle a claim about a position: the part of the tree with fresh numbers, down to where it is open.
    pub fn finish(&self, root: &Row, claim: Claim, most: usize) -> Result<Finish, Failure> {
        let mut walk =
            Walk { view: self, claim, most, seen: FxHashSet::default(), out: Finish::default() };
        walk.go(root.clone(), Vec::new(), true)?;
        Ok(walk.out)
    }
}

/// The walk that collects what is missing.
struct Walk<'v> {
    view: &'v View,
    claim: Claim,
    most: usize,
    seen: FxHashSet<Id>,
    out: Finish,
}

impl Walk<'_> {
    fn go(&mut self, row: Row, path: Vec<String>, on_line: bool) -> Result<(), Failure> {
        if !self.seen.insert(row.id) {
            return Ok(());
        }
        if self.out.parts.len() >= self.most {
            self.out.more = true;
            return Ok(());
        }
        let fresh = on_line && path.len() < DEEP || path.len() < FRESH;
        let mut moves = match fresh && row.expanded {
            true => self.view.moves(row.id, DEEP)?,
            false => Vec::new(),
        };
        moves.retain(|(_, child)| self.claim.is_open(child));
        let Some(next) = self.claim.next(row.turn, &moves) else {
            if on_line {
                self.out.line.clone_from(&path);
            }
            self.out.parts.push(Part { path, row });
            return Ok(());
        };
        // One move of the claimant is enough; the other's moves must all be answered.
        let first = moves.remove(next);
        let others = if row.turn == self.claim.claimant { Vec::new() } else { moves };
        for (at, (mv, child)) in std::iter::once(first).chain(others).enumerate() {
            let mut path = path.clone();
            path.push(mv);
            self.go(child, path, on_line && at == 0)?;
        }
        Ok(())
    }
}
