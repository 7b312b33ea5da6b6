//! All that is known of a position, from all sources: rules, theory, databases, certificates, stores, searches.
//!
//! Every source is asked, also where the first has said enough: where two cannot both be right, one of them is wrong and
//! nobody here can say which. Then the value is unknown, and both are named.

use crate::Shared;
use crate::facts::Remembered;
use crate::library::{Game, Lines};
use std::sync::Arc;
use zermelo_any::{Source, Told};
use zermelo_game::Bounds;
use zermelo_proof::Opened;

/// Who says something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The game is over.
    Rules,
    /// The game's own knowledge.
    Theory,
    /// A database of this number.
    Database(usize),
    /// A certificate of this number.
    Certificate(usize),
    /// A store of this number.
    Store(usize),
    /// A search of so many nodes.
    Search(u64),
}

/// What somebody says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said {
    /// Who.
    pub reason: Reason,
    /// What.
    pub bounds: Bounds,
    /// Whether it was said of the moves, and follows for the position.
    pub by_moves: bool,
}

/// What follows from all that is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// What is known; nothing where there is a clash.
    pub bounds: Bounds,
    /// Who said the last of it.
    pub reason: Option<Reason>,
    /// Two that cannot both be right.
    pub clash: Option<[Said; 2]>,
}

/// Hears one after the other.
#[derive(Clone, Debug)]
pub struct Hearing {
    all: Bounds,
    heard: Vec<Said>,
    verdict: Verdict,
}

impl Hearing {
    /// Nothing is said yet of a value in this range.
    #[must_use]
    pub fn new(all: Bounds) -> Hearing {
        let verdict = Verdict { bounds: all, reason: None, clash: None };
        Hearing { all, heard: Vec::new(), verdict }
    }

    /// Hears one more.
    pub fn hear(&mut self, said: Said) {
        let now = &mut self.verdict;
        match now.bounds.meet(said.bounds) {
            _ if now.clash.is_some() => {}
            Ok(bounds) if bounds != now.bounds => {
                (now.bounds, now.reason) = (bounds, Some(said.reason));
            }
            Ok(_) => {}
            Err(_) => {
                // Of intervals that have nothing in common, two have nothing in common.
                let other = self.heard.iter().find(|other| other.bounds.meet(said.bounds).is_err());
                let clash = other.map(|other| [*other, said]);
                *now = Verdict { bounds: self.all, reason: None, clash };
            }
        }
        self.heard.push(said);
    }

    /// What follows.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// What is on the shelf about a game.
pub struct Lore<'a> {
    app: &'a Shared,
    game: &'a Game,
    /// The name of the game.
    pub name: String,
    /// The range of its values.
    pub all: Bounds,
    /// Whether positions have a value of their own.
    pub settled: bool,
    /// The numbers of its databases.
    databases: Vec<usize>,
    proofs: Vec<(usize, Arc<dyn Opened>)>,
    stores: Vec<(usize, Arc<Lines>)>,
}

impl<'a> Lore<'a> {
    /// About a game.
    #[must_use]
    pub fn of(app: &'a Shared, game: &'a Game) -> Lore<'a> {
        let name = game.name();
        let settled = !game.superko() && !game.hangs_on_line();
        Lore {
            app,
            game,
            all: game.values(),
            settled,
            databases: app.library.databases_of(&name).map(|(n, _)| n).collect(),
            proofs: app.library.proved(&name),
            stores: if settled { app.library.lines_of(&name) } else { Vec::new() },
            name,
        }
    }

    /// What was searched of these positions.
    pub fn facts<'p>(&self, positions: impl Iterator<Item = &'p str>) -> Vec<Remembered> {
        match self.settled {
            true => self.app.facts.get(&self.name, positions),
            false => positions.map(|_| Remembered::default()).collect(),
        }
    }

    /// All that is said of a position.
    #[must_use]
    pub fn hear(&self, known: &Told, position: &str, facts: &Remembered) -> Hearing {
        let mut hearing = Hearing::new(self.all);
        let mut hear = |reason, bounds| hearing.hear(Said { reason, bounds, by_moves: false });
        let reason = |source: Source| match source {
            Source::Rules => Reason::Rules,
            Source::Theory => Reason::Theory,
            Source::Database(n) => Reason::Database(self.databases.get(n).copied().unwrap_or(n)),
        };
        if let Some(source) = known.source {
            hear(reason(source), known.bounds);
        }
        for said in known.clash.iter().flatten() {
            hear(reason(said.source), said.bounds);
        }
        for (n, proof) in &self.proofs {
            if let Ok(bounds) = proof.known(position) {
                hear(Reason::Certificate(*n), bounds);
            }
        }
        if !self.stores.is_empty()
            && let Ok(look) = self.game.look(Some(position))
        {
            // A tree holds one of all positions that are the same to solvers.
            for (n, lines) in &self.stores {
                if let Some(bounds) = lines.get(&look.here.position) {
                    hear(Reason::Store(*n), *bounds);
                }
            }
        }
        for fact in facts.iter() {
            hear(Reason::Search(fact.nodes), fact.bounds);
        }
        hearing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_cannot_both_be_right_are_named() {
        let said = |reason, lo, hi| Said { reason, bounds: Bounds::new(lo, hi), by_moves: false };
        let mut hearing = Hearing::new(Bounds::new(-1, 1));
        hearing.hear(said(Reason::Theory, -1, 0));
        hearing.hear(said(Reason::Database(0), 0, 0));
        assert_eq!(hearing.verdict().bounds, Bounds::exact(0));
        assert_eq!(hearing.verdict().reason, Some(Reason::Database(0)));
        // The theory and the certificate could both be right; the database is the one that is against it.
        hearing.hear(said(Reason::Certificate(3), -1, -1));
        hearing.hear(said(Reason::Search(9), 0, 0));
        let Verdict { bounds, reason, clash: Some([one, other]) } = hearing.verdict() else {
            panic!("a clash")
        };
        assert_eq!((bounds, reason), (Bounds::new(-1, 1), None));
        assert_eq!((one.reason, other.reason), (Reason::Database(0), Reason::Certificate(3)));
    }
}
