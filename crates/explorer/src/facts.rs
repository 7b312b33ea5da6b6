//! What searches of this server have proved, so that what was solved once is shown as solved.
//!
//! A fact is about a [`Subject`]: a position where positions have values of their own, so that all that are the same to
//! solvers share it; else a line of play, since with another line the value may be another.

use crate::sources::EvidenceSource;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use zermelo_erased::{AnyGame, AnySession};
use zermelo_game::{Bounds, Evidence, Finding, Ledger, Value};

/// What follows from all searches of a position: of their value, or two that contradict each other.
pub type SearchFinding = Finding<EvidenceSource>;

/// The range of all values. Which of them a game has makes no difference here.
const ALL: Bounds = Bounds { lo: Value::MIN, hi: Value::MAX };
/// What is known of a position that was not searched.
pub const NOTHING: SearchFinding = Finding::nothing(ALL);

/// What a fact is about, as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Subject {
    value: String,
    /// The same for distances, where a position that is the same to solvers may have another one.
    distance: Option<String>,
}

impl Subject {
    /// A position of a game in which positions have values of their own, with its canonical text.
    #[must_use]
    pub fn position(keeps_distance: bool, position: &str, canonical: &str) -> Subject {
        // No position is written with this sign before it.
        let distance = (!keeps_distance && position != canonical).then(|| format!("={position}"));
        Subject { value: canonical.to_owned(), distance }
    }

    /// A line of play from a position.
    #[must_use]
    pub fn line<'m>(start: &str, moves: impl IntoIterator<Item = &'m str>) -> Subject {
        let mut value = format!("{start}:");
        for mv in moves {
            value.push(' ');
            value.push_str(mv);
        }
        Subject { value, distance: None }
    }

    /// The position of a session, or the line that led there from `start`, whichever has a value.
    #[must_use]
    pub fn here(
        game: &dyn AnyGame,
        session: &dyn AnySession,
        start: impl FnOnce() -> String,
        played: &[String],
    ) -> Subject {
        match game.has_own_values() {
            true => Subject::position(
                game.canonical_keeps_distance(),
                &session.position(),
                &session.canonical(),
            ),
            false => Subject::line(&start(), played.iter().map(String::as_str)),
        }
    }

    /// By what values are found.
    #[must_use]
    pub fn value_key(&self) -> &str {
        &self.value
    }

    /// By what distances are found.
    #[must_use]
    pub fn distance_key(&self) -> &str {
        self.distance.as_deref().unwrap_or(&self.value)
    }

    /// Both, or the one that they are.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.value_key()).chain(self.distance.as_deref())
    }
}

#[derive(Default)]
struct Memory {
    /// By game and key.
    found: HashMap<String, HashMap<String, SearchFinding>>,
    /// The names, the oldest first.
    order: VecDeque<(String, String)>,
}

/// Results by game and subject. The oldest are forgotten.
pub struct FindingCache {
    memory: Mutex<Memory>,
    most: usize,
}

impl FindingCache {
    /// Room for so many.
    #[must_use]
    pub fn new(most: usize) -> FindingCache {
        FindingCache { memory: Mutex::default(), most }
    }

    /// What is known of each of these.
    pub fn get<'a>(
        &self,
        game: &str,
        subjects: impl Iterator<Item = &'a Subject>,
    ) -> Vec<SearchFinding> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(found) = memory.found.get(game) else {
            return subjects.map(|_| NOTHING).collect();
        };
        let get = |subject: &Subject| {
            let mut all = found.get(subject.value_key()).copied().unwrap_or(NOTHING);
            if let Some(own) = subject.distance.as_ref().and_then(|key| found.get(key)) {
                all.distance = own.distance;
            }
            all
        };
        subjects.map(get).collect()
    }

    /// How many are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).order.len()
    }

    /// Whether none are.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Remembers what a search of so many nodes has proved, and how soon the win comes if it found that out.
    pub fn put(
        &self,
        game: &str,
        subject: &Subject,
        bounds: Bounds,
        distance: Option<u32>,
        nodes: u64,
    ) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Memory { found, order } = &mut *memory;
        for key in subject.keys() {
            let distance = distance.filter(|_| key == subject.distance_key());
            let of_game = found.entry(game.to_owned()).or_default();
            let known = of_game.entry(key.to_owned()).or_insert_with(|| {
                order.push_back((game.to_owned(), key.to_owned()));
                NOTHING
            });
            let mut ledger = Ledger::new(ALL);
            ledger.enter_finding(known);
            ledger
                .enter(Evidence::new(bounds, EvidenceSource::Search(nodes)).at_distance(distance));
            *known = ledger.finding();
        }
        while order.len() > self.most {
            let (game, key) = order.pop_front().expect("there is one");
            if let Some(of_game) = found.get_mut(&game) {
                of_game.remove(&key);
                if of_game.is_empty() {
                    found.remove(&game);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Subject {
        Subject::position(true, name, name)
    }

    #[test]
    fn facts_meet_and_the_oldest_goes() {
        let facts = FindingCache::new(2);
        let put = |p: &str, lo, hi| facts.put("g", &named(p), Bounds::new(lo, hi), None, 1);
        let get = |p: &str| facts.get("g", [named(p)].iter())[0];
        let known = |p: &str| get(p).evidence().map(|evidence| evidence.bounds);
        put("a", 0, 1);
        put("a", -1, 0);
        assert_eq!(known("a"), Some(Bounds::exact(0)));
        put("b", 1, 1);
        put("c", 1, 1);
        assert_eq!((known("a"), known("c")), (None, Some(Bounds::exact(1))));
        assert_eq!(get("a"), NOTHING);
        put("c", -1, -1);
        put("c", 1, 1);
        let both = get("c").conflict.map(|c| [c.one.bounds, c.other.bounds]);
        assert_eq!(both, Some([Bounds::exact(1), Bounds::exact(-1)]), "both are told");
        assert_eq!(known("c"), None);
    }

    #[test]
    fn a_distance_is_added_to_a_value_and_kept_for_positions_that_have_it() {
        let facts = FindingCache::new(9);
        let get = |subject: &Subject| facts.get("g", [subject].into_iter())[0];
        let won = Bounds::exact(1);
        for (keeps, expected) in [(true, Some(7)), (false, None)] {
            let name = if keeps { "c" } else { "d" };
            let [one, other] = ["p", "q"].map(|p| Subject::position(keeps, p, name));
            facts.put("g", &one, won, None, 5);
            facts.put("g", &one, won, Some(7), 6);
            assert_eq!((get(&one).bounds, get(&one).distance), (won, Some(7)));
            assert_eq!((get(&other).bounds, get(&other).distance), (won, expected));
        }
    }

    #[test]
    fn lines_differ_by_their_moves() {
        let line = |moves: &[&str]| Subject::line("start", moves.iter().copied());
        assert_ne!(line(&["a", "b"]), line(&["b", "a"]));
        assert_ne!(line(&["ab"]), line(&["a", "b"]));
        assert_eq!(line(&[]).keys().count(), 1);
    }
}
