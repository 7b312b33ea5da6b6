//! What searches of this server have proved, so that a position that was solved once is shown as solved. Only for games
//! whose positions have a value of their own.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use zermelo_game::Bounds;

/// A result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// What was proved of the value.
    pub bounds: Bounds,
    /// Nodes of the search.
    pub nodes: u64,
}

/// What is remembered of a position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Remembered {
    fact: Option<Fact>,
    /// A result that cannot be right if the other one is: nobody can say which is wrong.
    against: Option<Fact>,
}

impl Remembered {
    /// The results: none, one, or two that contradict each other.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.fact.iter().chain(&self.against)
    }
}

type Name = (String, String);

#[derive(Default)]
struct Memory {
    facts: HashMap<Name, Remembered>,
    /// The names, the oldest first.
    order: VecDeque<Name>,
}

/// Results by game and position. The oldest are forgotten.
pub struct Facts {
    memory: Mutex<Memory>,
    most: usize,
}

impl Facts {
    /// Room for so many.
    #[must_use]
    pub fn new(most: usize) -> Facts {
        Facts { memory: Mutex::default(), most }
    }

    /// What is remembered of each of these positions.
    pub fn get<'a>(&self, game: &str, positions: impl Iterator<Item = &'a str>) -> Vec<Remembered> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.facts.is_empty() {
            return positions.map(|_| Remembered::default()).collect();
        }
        let get = |p: &str| {
            let found = memory.facts.get(&(game.to_owned(), p.to_owned()));
            found.copied().unwrap_or_default()
        };
        positions.map(get).collect()
    }

    /// Remembers a result, if it says more than what is known.
    pub fn put(&self, game: &str, position: &str, fact: Fact) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (game.to_owned(), position.to_owned());
        match memory.facts.get_mut(&name) {
            Some(Remembered { fact: Some(old), against: against @ None }) => {
                match old.bounds.meet(fact.bounds) {
                    Ok(bounds) if bounds != old.bounds => *old = Fact { bounds, ..fact },
                    Ok(_) => {}
                    Err(_) => *against = Some(fact),
                }
            }
            // Two proofs contradict each other, and a third does not mend that.
            Some(_) => {}
            None => {
                let fact = Remembered { fact: Some(fact), against: None };
                memory.facts.insert(name.clone(), fact);
                memory.order.push_back(name);
            }
        }
        while memory.order.len() > self.most {
            let oldest = memory.order.pop_front().expect("there is one");
            memory.facts.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_meet_and_the_oldest_goes() {
        let facts = Facts::new(2);
        let fact = |lo, hi| Fact { bounds: Bounds::new(lo, hi), nodes: 1 };
        let all = |p: &str| -> Vec<Bounds> {
            facts.get("g", [p].into_iter())[0].iter().map(|f| f.bounds).collect()
        };
        let get = |p: &str| all(p).first().copied();
        facts.put("g", "a", fact(0, 1));
        facts.put("g", "a", fact(-1, 0));
        assert_eq!(get("a"), Some(Bounds::exact(0)));
        facts.put("g", "b", fact(1, 1));
        facts.put("g", "c", fact(1, 1));
        assert_eq!((get("a"), get("c")), (None, Some(Bounds::exact(1))));
        facts.put("g", "c", fact(-1, -1));
        facts.put("g", "c", fact(1, 1));
        assert_eq!(all("c"), [Bounds::exact(1), Bounds::exact(-1)], "both are told");
    }
}
