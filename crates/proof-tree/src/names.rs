//! Which text belongs to which number: all positions of a graph, one after the other in one buffer, and a table of
//! their numbers by hash. Whoever asks is answered by the text itself, never by the hash alone.

use crate::graph::Id;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Texts by number, and numbers by text.
#[derive(Default)]
pub(crate) struct Names {
    buffer: String,
    /// Where each text ends.
    ends: Vec<u64>,
    table: HashTable<Id>,
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn slice<'n>(buffer: &'n str, ends: &[u64], id: Id) -> &'n str {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &buffer[start as usize..ends[id] as usize]
}

impl Names {
    /// The text of a number.
    pub(crate) fn text(&self, id: Id) -> &str {
        slice(&self.buffer, &self.ends, id)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a text.
    pub(crate) fn find(&self, text: &str) -> Option<Id> {
        self.table.find(hash(text), |&id| self.text(id) == text).copied()
    }

    /// Adds a text that is not there; its number is the next one.
    pub(crate) fn add(&mut self, text: &str) -> Id {
        let id = self.ends.len() as Id;
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len() as u64);
        let (buffer, ends) = (&self.buffer, &self.ends);
        self.table.insert_unique(hash(text), id, |&other| hash(slice(buffer, ends, other)));
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_again() {
        let mut names = Names::default();
        for n in 0..5_000 {
            assert_eq!(names.find(&format!("p{n}")), None);
            assert_eq!(names.add(&format!("p{n}")), n);
        }
        assert_eq!((names.find("p4321"), names.text(17)), (Some(4321), "p17"));
        assert_eq!(names.find("p"), None);
    }
}
