//! What is known of the value of a position, from where, and what follows from all of it together.
//!
//! Each source (the rules, theory, a database, a certificate, a store, a search) states what it knows as [`Evidence`]. A
//! [`Ledger`] takes down all of it, also when the first entry has said enough: where two entries cannot both be true, one
//! source is wrong and nobody can say which. Then nothing is known, and the ledger names both ([`Conflict`]).

use crate::{Bounds, Player};

/// What one source says of the value of a position. `S` names the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evidence<S> {
    /// The value lies between these, from the first player's point of view.
    pub bounds: Bounds,
    /// Plies to the end of the game, where the source tells.
    pub distance: Option<u32>,
    /// Who says it.
    pub source: S,
}

impl<S> Evidence<S> {
    /// Bounds, from a source.
    #[must_use]
    pub const fn new(bounds: Bounds, source: S) -> Evidence<S> {
        Evidence { bounds, distance: None, source }
    }

    /// The same with plies to the end of the game.
    #[must_use]
    pub fn at_distance(self, distance: Option<u32>) -> Evidence<S> {
        Evidence { distance, ..self }
    }

    /// The same with a source as another list of sources names it.
    #[must_use]
    pub fn map_source<T>(self, name: impl FnOnce(S) -> T) -> Evidence<T> {
        let Evidence { bounds, distance, source } = self;
        Evidence { bounds, distance, source: name(source) }
    }
}

/// Two entries of a ledger that cannot both be true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict<S> {
    /// The earlier one.
    pub one: Evidence<S>,
    /// The later one.
    pub other: Evidence<S>,
}

/// What follows from the entries of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding<S> {
    /// The value lies between these; the full range where nothing is known.
    pub bounds: Bounds,
    /// Plies to the end of the game, where a source tells.
    pub distance: Option<u32>,
    /// The source of the entry that made the bounds what they are; `None` where nothing is known.
    pub source: Option<S>,
    /// Two entries that cannot both be true. Then nothing is known.
    pub conflict: Option<Conflict<S>>,
}

impl<S: Copy> Finding<S> {
    /// Nothing is known of a value in this range.
    #[must_use]
    pub const fn nothing(all: Bounds) -> Finding<S> {
        Finding { bounds: all, distance: None, source: None, conflict: None }
    }

    /// What was found as evidence for someone else, if anything is known.
    #[must_use]
    pub fn evidence(&self) -> Option<Evidence<S>> {
        let Finding { bounds, distance, source, .. } = *self;
        source.map(|source| Evidence { bounds, distance, source })
    }

    /// The same with sources as another list of sources names them.
    #[must_use]
    pub fn map_source<T>(self, name: impl Fn(S) -> T) -> Finding<T> {
        let Finding { bounds, distance, source, conflict } = self;
        let conflict = conflict.map(|Conflict { one, other }| Conflict {
            one: one.map_source(&name),
            other: other.map_source(&name),
        });
        Finding { bounds, distance, source: source.map(&name), conflict }
    }
}

/// What all sources say of the value of one position.
#[derive(Clone, Debug)]
pub struct Ledger<S> {
    all: Bounds,
    entries: Vec<Evidence<S>>,
    finding: Finding<S>,
}

impl<S: Copy> Ledger<S> {
    /// A ledger without entries about a value in this range.
    #[must_use]
    pub const fn new(all: Bounds) -> Ledger<S> {
        Ledger { all, entries: Vec::new(), finding: Finding::nothing(all) }
    }

    /// Enters what a source says. What says nothing is not entered.
    pub fn enter(&mut self, evidence: Evidence<S>) {
        if evidence.bounds == self.all && !self.all.is_exact() {
            return;
        }
        let now = &mut self.finding;
        match now.bounds.meet(evidence.bounds) {
            _ if now.conflict.is_some() => {}
            Ok(bounds) => {
                if bounds != now.bounds || now.source.is_none() {
                    (now.bounds, now.source) = (bounds, Some(evidence.source));
                }
                // Also where somebody else knew the value before.
                now.distance = now.distance.or(evidence.distance);
            }
            Err(_) => {
                // Of intervals that have nothing in common, two have nothing in common.
                let against = |other: &&Evidence<S>| other.bounds.meet(evidence.bounds).is_err();
                let one = self.entries.iter().find(against);
                let conflict = one.map(|&one| Conflict { one, other: evidence });
                *now = Finding { conflict, ..Finding::nothing(self.all) };
            }
        }
        self.entries.push(evidence);
    }

    /// Enters what was found elsewhere: what is known, or the two entries that contradict each other.
    pub fn enter_finding(&mut self, finding: &Finding<S>) {
        finding.evidence().into_iter().for_each(|evidence| self.enter(evidence));
        if let Some(Conflict { one, other }) = finding.conflict {
            self.enter(one);
            self.enter(other);
        }
    }

    /// What follows from all entries.
    #[must_use]
    pub fn finding(&self) -> Finding<S> {
        self.finding
    }
}

/// The bounds of a position by those of its moves, as many as there are: it is worth its best move to the player who makes
/// it. `None` where there is no move.
#[must_use]
pub fn best_of_moves(turn: Player, moves: impl IntoIterator<Item = Bounds>) -> Option<Bounds> {
    let best =
        |sum: Bounds, next: Bounds| Bounds { lo: sum.lo.max(next.lo), hi: sum.hi.max(next.hi) };
    let seen = moves.into_iter().map(|bounds| bounds.seen_by(turn)).reduce(best);
    seen.map(|seen| seen.seen_by(turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Bounds = Bounds { lo: -1, hi: 1 };

    fn says(source: &'static str, lo: i16, hi: i16) -> Evidence<&'static str> {
        Evidence::new(Bounds::new(lo, hi), source)
    }

    #[test]
    fn entries_are_merged() {
        let mut ledger = Ledger::new(ALL);
        assert_eq!(ledger.finding(), Finding::nothing(ALL));
        ledger.enter(says("theory", -1, 0));
        ledger.enter(says("nobody", -1, 1));
        ledger.enter(says("database", 0, 0).at_distance(Some(7)));
        ledger.enter(says("search", 0, 1));
        let found = ledger.finding();
        assert_eq!((found.bounds, found.source), (Bounds::exact(0), Some("database")));
        assert_eq!((found.distance, found.conflict), (Some(7), None));
        let mut other = Ledger::new(ALL);
        other.enter_finding(&found);
        assert_eq!(other.finding(), found);
    }

    #[test]
    fn a_distance_may_come_after_the_value() {
        let mut ledger = Ledger::new(ALL);
        ledger.enter(says("search", 1, 1));
        ledger.enter(says("book", 1, 1).at_distance(Some(41)));
        let found = ledger.finding();
        assert_eq!((found.source, found.distance), (Some("search"), Some(41)));
    }

    #[test]
    fn two_that_cannot_both_be_true_are_named() {
        let mut ledger = Ledger::new(ALL);
        ledger.enter(says("theory", -1, 0));
        ledger.enter(says("database", 0, 0));
        // Theory and certificate could both be right; the database is the one that is against it.
        ledger.enter(says("certificate", -1, -1));
        ledger.enter(says("search", 0, 0));
        let found = ledger.finding();
        assert_eq!((found.bounds, found.source), (ALL, None));
        let Conflict { one, other } = found.conflict.unwrap();
        assert_eq!((one.source, other.source), ("database", "certificate"));
        let mut later = Ledger::new(ALL);
        later.enter_finding(&found);
        assert_eq!(later.finding().conflict, found.conflict);
        let lengths = found.map_source(str::len).conflict.unwrap();
        assert_eq!((lengths.one.source, lengths.other.source), (8, 11));
    }

    #[test]
    fn a_position_is_worth_its_best_move() {
        let moves = [Bounds::new(-1, 0), Bounds::new(0, 1)];
        assert_eq!(best_of_moves(Player::First, moves), Some(Bounds::new(0, 1)));
        assert_eq!(best_of_moves(Player::Second, moves), Some(Bounds::new(-1, 0)));
        assert_eq!(best_of_moves(Player::First, []), None);
    }
}
