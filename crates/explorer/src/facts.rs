//! What searches of this server have proved, so that a position that was solved once is shown as solved. Only for games
//! whose positions have values of their own.

use crate::sources::EvidenceSource;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use zermelo_game::{Bounds, Evidence, Finding, Ledger, Value};

/// What follows from all searches of a position: of their value, or two that contradict each other.
pub type SearchFinding = Finding<EvidenceSource>;

type Name = (String, String);

/// The range of all values. Which of them a game has makes no difference here.
const ALL: Bounds = Bounds { lo: Value::MIN, hi: Value::MAX };
/// What is known of a position that was not searched.
pub const NOTHING: SearchFinding = Finding::nothing(ALL);

#[derive(Default)]
struct Memory {
    found: HashMap<Name, SearchFinding>,
    /// The names, the oldest first.
    order: VecDeque<Name>,
}

/// Results by game and position. The oldest are forgotten.
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

    /// What is known of each of these positions.
    pub fn get<'a>(
        &self,
        game: &str,
        positions: impl Iterator<Item = &'a str>,
    ) -> Vec<SearchFinding> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.found.is_empty() {
            return positions.map(|_| NOTHING).collect();
        }
        let get = |p: &str| {
            let found = memory.found.get(&(game.to_owned(), p.to_owned()));
            found.copied().unwrap_or(NOTHING)
        };
        positions.map(get).collect()
    }

    /// Remembers what a search of so many nodes has proved.
    pub fn put(&self, game: &str, position: &str, bounds: Bounds, nodes: u64) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Memory { found, order } = &mut *memory;
        let name = (game.to_owned(), position.to_owned());
        let known = found.entry(name.clone()).or_insert_with(|| {
            order.push_back(name);
            NOTHING
        });
        let mut ledger = Ledger::new(ALL);
        ledger.enter_finding(known);
        ledger.enter(Evidence::new(bounds, EvidenceSource::Search(nodes)));
        *known = ledger.finding();
        while order.len() > self.most {
            let oldest = order.pop_front().expect("there is one");
            found.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_meet_and_the_oldest_goes() {
        let facts = FindingCache::new(2);
        let put = |p: &str, lo, hi| facts.put("g", p, Bounds::new(lo, hi), 1);
        let get = |p: &str| facts.get("g", [p].into_iter())[0];
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
}
