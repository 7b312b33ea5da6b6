//! All that is known of a position, from all sources: rules, theory, databases, certificates, stores, the book, searches.
//!
//! Every source is asked, also where the first has said enough, and what they say is entered in a [`Ledger`]: where two
//! cannot both be right, the value is unknown and both are named.

use crate::SharedApp;
use crate::book::GameBook;
use crate::facts::{SearchFinding, Subject};
use crate::library::{OpenGame, StoreValues};
use std::sync::Arc;
use zermelo_certificate::Walk;
use zermelo_erased::StaticSource;
use zermelo_game::{Bounds, Evidence, Finding, Ledger};

/// Where the explorer's evidence comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EvidenceSource {
    /// The game is over.
    Rules,
    /// The knowledge about the game.
    Theory,
    /// A database: its number among those that are served.
    Database(usize),
    /// A certificate of this number.
    Certificate(usize),
    /// A store of this number.
    Store(usize),
    /// The book that comes with the program.
    Book,
    /// A search of so many nodes.
    Search(u64),
}

impl EvidenceSource {
    /// A source of a session. The numbers are those of the game's databases among all that are served.
    #[must_use]
    pub fn of_session(source: StaticSource, databases: &[usize]) -> EvidenceSource {
        match source {
            StaticSource::Rules => EvidenceSource::Rules,
            StaticSource::Theory => EvidenceSource::Theory,
            StaticSource::Database(n) => {
                EvidenceSource::Database(databases.get(n).copied().unwrap_or(n))
            }
        }
    }
}

/// All sources about a game.
pub struct Sources<'a> {
    app: &'a SharedApp,
    /// The name of the game.
    pub name: String,
    /// The range of its values.
    pub all: Bounds,
    /// Whether positions have values of their own.
    pub own_values: bool,
    /// The numbers of its databases.
    databases: Vec<usize>,
    proofs: Vec<(usize, Arc<dyn Walk>)>,
    stores: Vec<(usize, Arc<StoreValues>)>,
    book: Option<Arc<GameBook>>,
}

impl<'a> Sources<'a> {
    /// Those about a game.
    #[must_use]
    pub fn of(app: &'a SharedApp, game: &'a OpenGame) -> Sources<'a> {
        let (name, own_values) = (game.name(), game.has_own_values());
        let stores = match own_values {
            true => app.library.store_values(&game.identity()),
            false => Vec::new(),
        };
        Sources {
            app,
            all: game.values(),
            own_values,
            databases: app.library.databases_of(&name).map(|(n, _)| n).collect(),
            proofs: app.library.proved(&name),
            stores,
            book: app.library.book.of(game),
            name,
        }
    }

    /// What was searched of these.
    pub fn searched<'p>(&self, subjects: impl Iterator<Item = &'p Subject>) -> Vec<SearchFinding> {
        self.app.facts.get(&self.name, subjects)
    }

    /// All that is known of a position: by the session, by what was searched, and from everything else. What is known of
    /// lines of play counts where they are the subject.
    #[must_use]
    pub fn ledger(
        &self,
        known: Finding<StaticSource>,
        position: &str,
        subject: &Subject,
        searched: &SearchFinding,
    ) -> Ledger<EvidenceSource> {
        let mut ledger = Ledger::new(self.all);
        let name = |source| EvidenceSource::of_session(source, &self.databases);
        ledger.enter_finding(&known.map_source(name));
        for (n, proof) in &self.proofs {
            if let Ok(bounds) = proof.known(position) {
                ledger.enter(Evidence::new(bounds, EvidenceSource::Certificate(*n)));
            }
        }
        // A tree holds one of all positions that are the same to solvers. There are none where only lines have values.
        for (n, values) in &self.stores {
            if let Some(bounds) = values.get(subject.value_key()) {
                ledger.enter(Evidence::new(*bounds, EvidenceSource::Store(*n)));
            }
        }
        if let Some(book) = &self.book {
            let told = book.look_up(subject, self.all, EvidenceSource::Book);
            told.into_iter().for_each(|evidence| ledger.enter(evidence));
        }
        ledger.enter_finding(searched);
        ledger
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::Conflict;

    #[test]
    fn databases_have_the_numbers_of_the_server() {
        let name = |source| EvidenceSource::of_session(source, &[2, 5]);
        assert_eq!(name(StaticSource::Database(1)), EvidenceSource::Database(5));
        assert_eq!(name(StaticSource::Theory), EvidenceSource::Theory);
        let all = Bounds::new(-1, 1);
        let mut ledger = Ledger::new(all);
        ledger.enter(Evidence::new(Bounds::exact(0), StaticSource::Database(0)));
        ledger.enter(Evidence::new(Bounds::exact(1), StaticSource::Database(1)));
        let mut ours = Ledger::new(all);
        ours.enter_finding(&ledger.finding().map_source(name));
        let Some(Conflict { one, other }) = ours.finding().conflict else { panic!("a conflict") };
        assert_eq!(one.source, EvidenceSource::Database(2));
        assert_eq!(other.source, EvidenceSource::Database(5));
    }

    #[test]
    fn two_that_cannot_both_be_right_are_named() {
        let says = |source, lo, hi| Evidence::new(Bounds::new(lo, hi), source);
        let mut ledger = Ledger::new(Bounds::new(-1, 1));
        ledger.enter(says(EvidenceSource::Theory, -1, 0));
        ledger.enter(says(EvidenceSource::Database(0), 0, 0));
        assert_eq!(ledger.finding().bounds, Bounds::exact(0));
        assert_eq!(ledger.finding().source, Some(EvidenceSource::Database(0)));
        // The theory and the certificate could both be right; the database is the one that is against it.
        ledger.enter(says(EvidenceSource::Certificate(3), -1, -1));
        ledger.enter(says(EvidenceSource::Search(9), 0, 0));
        let Finding { bounds, source, conflict: Some(Conflict { one, other }), .. } =
            ledger.finding()
        else {
            panic!("a conflict")
        };
        assert_eq!((bounds, source), (Bounds::new(-1, 1), None));
        assert_eq!(one.source, EvidenceSource::Database(0));
        assert_eq!(other.source, EvidenceSource::Certificate(3));
    }
}
