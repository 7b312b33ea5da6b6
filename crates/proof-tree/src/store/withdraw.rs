//! Facts that are believed no more: they leave the table of facts for that of what was withdrawn, where they stay for the
//! record. Nothing follows from them any more, and their positions may be proved anew.

use super::{Store, TRIED, fact_sum, unix_time};
use crate::ProofTreeFailure;
use rusqlite::params;
use zermelo_game::Bounds;

/// So many facts are numbered anew at a time.
const CHUNK: i64 = 10_000;

impl Store {
    /// Withdraws all facts of these sources; those that stay are numbered anew, as no number may be missing. How many are
    /// gone. What is written of positions as known is for the caller to bring up to date.
    pub(crate) fn withdraw(&mut self, sources: &[i64]) -> Result<u64, ProofTreeFailure> {
        self.begin()?;
        let mut gone = 0;
        for &source in sources {
            // Somebody else may try to prove them.
            let untried = format!(
                "UPDATE node SET marks = marks & ~{TRIED} WHERE id IN (SELECT node FROM fact WHERE source = ?)"
            );
            self.sql.execute(&untried, [source])?;
            self.sql.execute(
                "INSERT INTO withdrawn SELECT node, lo, hi, source, ?2 FROM fact WHERE source = ?1",
                params![source, unix_time()],
            )?;
            gone += self.sql.execute("DELETE FROM fact WHERE source = ?", [source])? as u64;
        }
        if gone > 0 {
            self.number_anew()?;
        }
        Ok(gone)
    }

    fn number_anew(&mut self) -> Result<(), ProofTreeFailure> {
        let (mut last, mut next) = (0, 0);
        loop {
            let query = "SELECT fact.id, position, fact.lo, fact.hi, source FROM fact \
                         JOIN node ON node.id = fact.node WHERE fact.id > ? ORDER BY fact.id LIMIT ?";
            let mut query = self.sql.prepare_cached(query)?;
            let row = |row: &rusqlite::Row| -> rusqlite::Result<(i64, String, Bounds, i64)> {
                let bounds = Bounds { lo: row.get(2)?, hi: row.get(3)? };
                Ok((row.get(0)?, row.get(1)?, bounds, row.get(4)?))
            };
            let rows = query.query_map([last, CHUNK], row)?.collect::<Result<Vec<_>, _>>()?;
            let Some((end, ..)) = rows.last() else { break };
            last = *end;
            let mut update =
                self.sql.prepare_cached("UPDATE fact SET id = ?, sum = ? WHERE id = ?")?;
            for (id, position, bounds, source) in rows {
                next += 1;
                if id != next {
                    update.execute([next, fact_sum(next, &position, bounds, source), id])?;
                }
            }
        }
        self.next_fact = next;
        Ok(())
    }
}
