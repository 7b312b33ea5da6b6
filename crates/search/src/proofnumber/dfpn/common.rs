//! Tables that several solvers of one game use at the same time, each for a position of its own: what one of them has
//! found out the others need not find out again.
//!
//! The tables hold facts, and numbers that say where to look; each search is right whatever the others write. They have
//! their full size from the start, as nobody could stop all the others while a table grows.

use super::record::NumbersCodec;
use crate::table::Table;
use std::sync::{Arc, Mutex, PoisonError};
use zermelo_game::{Game, Key, Knowledge, Rules, Value};

/// How the memory of a solver is shared out: what each question gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MemoryShares {
    /// A value is found by so many questions at most.
    pub questions: usize,
    /// Bytes of a table.
    pub table: u64,
    /// Bytes for results that depend on the line.
    pub twins: u64,
}

impl MemoryShares {
    pub fn of<R: Rules, K: Knowledge<R>>(
        game: Game<R, K>,
        memory: u64,
        twins: bool,
    ) -> MemoryShares {
        let values = game.values();
        let questions = ((values.hi - values.lo) as u64 + 1).next_power_of_two().ilog2().max(1);
        let bytes = memory / u64::from(questions);
        let twins = if R::CYCLIC && twins { bytes / 4 } else { 0 };
        MemoryShares { questions: questions as usize, table: bytes - twins, twins }
    }
}

/// A table, and the question that it is for.
pub(super) type Asked<Q> = (Value, Arc<Table<Q, NumbersCodec>>);

/// The tables. Each is made when its question is first asked.
pub struct QuestionTables<Q> {
    fields: NumbersCodec,
    key_bits: u32,
    shares: MemoryShares,
    tables: Mutex<Vec<Asked<Q>>>,
}

impl<Q: Key> QuestionTables<Q> {
    /// Tables of at most so many bytes together. `None` for scores, where there are more questions than tables: a solver
    /// that goes from one to the other forgets the tables of the first, which others may still use.
    #[must_use]
    pub fn new<R: Rules<Key = Q>, K: Knowledge<R>>(
        game: Game<R, K>,
        bytes: u64,
    ) -> Option<Arc<QuestionTables<Q>>> {
        let values = game.values();
        // Each solver has its own room for results that depend on its line.
        let shares = MemoryShares::of(game, bytes, true);
        let (fields, key_bits) = (NumbersCodec::new(game), game.key_bits());
        let all = (values.hi - values.lo) as usize <= shares.questions;
        all.then(|| Arc::new(QuestionTables { fields, key_bits, shares, tables: Mutex::default() }))
    }

    /// The table for a question; `None` if there is no memory for it.
    pub(super) fn table(&self, at_least: Value) -> Option<Arc<Table<Q, NumbersCodec>>> {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = tables.iter().find(|(t, _)| *t == at_least) {
            return Some(table.clone());
        }
        let table = Table::of(self.fields, self.key_bits, self.shares.table)?;
        tables.push((at_least, Arc::new(table.full())));
        tables.last().map(|(_, table)| table.clone())
    }
}
