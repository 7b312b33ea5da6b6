//! Positions that are left to the checker: it searches them itself, by plain minimax.
//!
//! The search knows the rules only, remembers nothing, and goes through moves in their order: at a position of
//! the claimant until one keeps the claim, at one of the opponent through all of them. It looks at no more
//! positions than it is told, this one included, so that a file cannot set a checker to endless work. As
//! every line of it is played to its end, no cycle can hide in it.

use crate::rule_book::RuleBook;
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation};

/// The most positions that a file may ask a checker to look at.
pub const MOST: u32 = 1 << 16;

/// Searches positions, one after the other.
pub(crate) struct LeafSearch<'s, R: Notation> {
    book: RuleBook<'s, R>,
    claim: Claim,
    most: u64,
    list: MoveList<R::Move>,
    /// The moves that are still to be tried along the line, the next ones last.
    moves: Vec<R::Move>,
    line: Vec<Step<R::Position>>,
}

/// A position of the line, and where its moves begin.
struct Step<P> {
    p: P,
    moves: usize,
    mine: bool,
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LeafResult<M> {
    /// Whether the claimant keeps the claim; `None` if there is too much to look at.
    pub(crate) kept: Option<bool>,
    /// The first move of the claimant that does, where it is to move.
    pub(crate) by: Option<M>,
    /// Positions looked at.
    pub(crate) looked_at: u64,
    /// Ends of games among them.
    pub(crate) ends: u64,
    /// Those that a database knows.
    pub(crate) entries: u64,
}

impl<'s, R: Notation> LeafSearch<'s, R> {
    /// Looks at so many positions at most.
    pub(crate) fn new(book: RuleBook<'s, R>, claim: Claim, most: u32) -> LeafSearch<'s, R> {
        let most = most.into();
        LeafSearch { book, claim, most, list: MoveList::new(), moves: Vec::new(), line: Vec::new() }
    }

    /// Whether the claimant keeps the claim at a position.
    pub(crate) fn search(&mut self, root: &R::Position) -> LeafResult<R::Move> {
        let mut found = LeafResult { kept: None, by: None, looked_at: 0, ends: 0, entries: 0 };
        self.moves.clear();
        self.line.clear();
        let mut p = *root;
        loop {
            if found.looked_at == self.most {
                return found;
            }
            found.looked_at += 1;
            if let Some(value) = self.book.expand(&p, &mut self.list) {
                found.ends += 1;
                found.entries += u64::from(self.book.is_database_entry(&p));
                let kept = self.claim.is_kept_by(value);
                // Upwards, as long as this settles the position before.
                loop {
                    let Some(step) = self.line.last() else {
                        found.kept = Some(kept);
                        return found;
                    };
                    let tried = self.moves.pop();
                    if step.mine != kept && self.moves.len() > step.moves {
                        break;
                    }
                    found.by = tried.filter(|_| step.mine && kept);
                    self.moves.truncate(step.moves);
                    self.line.pop();
                }
            } else {
                let mine = self.book.turn(&p) == self.claim.claimant;
                self.line.push(Step { p, moves: self.moves.len(), mine });
                self.moves.extend(self.list.iter().rev());
            }
            let (Some(step), Some(&m)) = (self.line.last(), self.moves.last()) else {
                return found;
            };
            p = self.book.play(&step.p, m);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::Player;
    use zermelo_games::graph::AnyGraph;

    #[test]
    fn counts_in_the_order_of_moves() {
        // a: b loses, c wins; at c both replies have to be looked at.
        let text =
            "a first: b c; b second: d; d first = -1; c second: e f; e first = 1; f first = 1";
        let Ok(AnyGraph::Acyclic(graph)) = AnyGraph::parse(text) else { panic!("no graph") };
        let book = RuleBook::new(&graph, None);
        let claim = Claim { claimant: Player::First, value: 1 };
        let at = |name: &str, claim, most| {
            let p = book.parse(name).unwrap();
            LeafSearch::new(book, claim, most).search(&p)
        };
        let found = at("a", claim, 6);
        assert_eq!((found.kept, found.looked_at, found.ends), (Some(true), 6, 3));
        let a = book.parse("a").unwrap();
        assert_eq!(found.by.map(|m| book.move_text(&a, m)).as_deref(), Some("c"));
        assert_eq!(at("a", claim, 5).kept, None);
        assert_eq!(at("a", claim, 0).kept, None);
        assert_eq!(at("b", claim, 9).kept, Some(false));
        assert_eq!(at("e", claim, 1).kept, Some(true));
        let less = Claim { claimant: Player::Second, value: -1 };
        let found = at("a", less, 9);
        assert_eq!((found.kept, found.looked_at), (Some(false), 6));
        assert_eq!((found.by, at("b", less, 9).by.is_some()), (None, true));
    }
}
