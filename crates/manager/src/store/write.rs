//! What is written to a store while a proof goes on. Rows wait in a transaction until somebody says that they shall last.

use super::{EXPANDED, JUDGED, Store, TRIED, fact_sum, unix_time};
use crate::Failure;
use crate::graph::{Id, Node};
use rusqlite::{OptionalExtension, params};
use std::time::Duration;
use zermelo_any::Glance;
use zermelo_game::{Bounds, Value};

/// How far a proof is.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The root at hand.
    pub root: Id,
    /// The threshold.
    pub threshold: Option<i32>,
    /// Positions, those with a known value, and facts.
    pub counts: [u64; 3],
    /// Open leaves.
    pub frontier: u64,
    /// Jobs done in this run, and seconds since it began.
    pub jobs: u64,
    /// See there.
    pub seconds: f64,
    /// What is known of the root.
    pub bounds: Bounds,
    /// Proof and disproof number of "the first player wins", and of "the second player wins"; `None` where that is settled.
    pub numbers: [Option<[u32; 2]>; 2],
    /// Positions that provers have visited in this run, and their seconds.
    pub visited: u64,
    /// See there.
    pub work: f64,
}

impl Store {
    /// The number of a source, which is added if it is new.
    pub fn source(&mut self, name: &str, database: &str) -> Result<i64, Failure> {
        let query = "SELECT id FROM source WHERE name = ? AND database = ?";
        if let Some(id) = self
            .sql
            .prepare_cached(query)?
            .query_row([name, database], |row| row.get(0))
            .optional()?
        {
            return Ok(id);
        }
        self.begin()?;
        self.sql.execute("INSERT INTO source(name, database) VALUES(?, ?)", [name, database])?;
        Ok(self.sql.last_insert_rowid())
    }

    /// Adds a position.
    pub fn add_node(&mut self, id: Id, glance: &Glance) -> Result<(), Failure> {
        self.begin()?;
        let Glance { position, turn, bounds, score, numbers } = glance;
        let floor = Node::new(*turn, *bounds, 0, (1, 1)).floor;
        self.sql
            .prepare_cached(
                "INSERT INTO node(id, position, turn, lo, hi, floor, score, pn, dn) \
                 VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                id,
                position,
                turn.index() as u8,
                bounds.lo,
                bounds.hi,
                floor,
                score.unwrap_or(0),
                numbers.0,
                numbers.1
            ])?;
        Ok(())
    }

    /// Gives a position its moves.
    pub fn expand(&mut self, id: Id, floor: Value, moves: &[(String, Id)]) -> Result<(), Failure> {
        self.begin()?;
        let query = "UPDATE node SET marks = marks | ?, floor = ? WHERE id = ?";
        self.sql.prepare_cached(query)?.execute(params![EXPANDED, floor, id])?;
        let mut insert = self.sql.prepare_cached("INSERT INTO edge VALUES(?, ?, ?, ?)")?;
        for (ord, (text, child)) in moves.iter().enumerate() {
            insert.execute(params![id, ord as u32, text, child])?;
        }
        self.pending += moves.len();
        Ok(())
    }

    /// Adds a fact.
    pub fn add_fact(
        &mut self,
        node: Id,
        position: &str,
        bounds: Bounds,
        source: i64,
    ) -> Result<(), Failure> {
        self.begin()?;
        self.next_fact += 1;
        let (id, sum) = (self.next_fact, fact_sum(self.next_fact, position, bounds, source));
        self.sql
            .prepare_cached("INSERT INTO fact VALUES(?, ?, ?, ?, ?, ?)")?
            .execute(params![id, node, bounds.lo, bounds.hi, source, sum])?;
        Ok(())
    }

    /// Takes back all facts of a source; those that stay are numbered anew, as none may be missing. How many are gone.
    pub(crate) fn forget(&mut self, source: &str) -> Result<u64, Failure> {
        const CHUNK: i64 = 10_000;
        const OF: &str = "source IN (SELECT id FROM source WHERE name = ?)";
        self.begin()?;
        // Somebody else may try to prove them.
        let untried = format!(
            "UPDATE node SET marks = marks & ~{TRIED} WHERE id IN (SELECT node FROM fact WHERE {OF})"
        );
        self.sql.execute(&untried, [source])?;
        let gone = self.sql.execute(&format!("DELETE FROM fact WHERE {OF}"), [source])?;
        self.sql.execute("DELETE FROM source WHERE name = ?", [source])?;
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
        Ok(gone as u64)
    }

    /// How many facts there are.
    #[must_use]
    pub fn facts(&self) -> u64 {
        self.next_fact as u64
    }

    /// Writes what is known of a position by now.
    pub fn set_bounds(&mut self, id: Id, bounds: Bounds) -> Result<(), Failure> {
        self.begin()?;
        let query = "UPDATE node SET lo = ?, hi = ? WHERE id = ?";
        self.sql.prepare_cached(query)?.execute(params![bounds.lo, bounds.hi, id])?;
        Ok(())
    }

    /// Writes what a prover did with a position.
    pub fn set_effort(
        &mut self,
        id: Id,
        node: &Node,
        threshold: Option<i32>,
        nodes: u64,
        micros: u64,
    ) -> Result<(), Failure> {
        self.begin()?;
        let judged = if node.judged() { JUDGED } else { 0 };
        let marks = judged | if node.tried() { TRIED } else { 0 };
        self.sql
            .prepare_cached(
                "UPDATE node SET score = ?, marks = marks | ?, threshold = ?, nodes = nodes + ?, \
                 micros = micros + ? WHERE id = ?",
            )?
            .execute(params![node.score, marks, threshold, nodes as i64, micros as i64, id])?;
        Ok(())
    }

    /// Writes proof numbers, for readers: of a win of the first player, or of the second.
    pub fn set_numbers(&mut self, id: Id, win: bool, numbers: [u32; 2]) -> Result<(), Failure> {
        self.begin()?;
        let query = match win {
            true => "UPDATE node SET pn_win = ?, dn_win = ? WHERE id = ?",
            false => "UPDATE node SET pn_loss = ?, dn_loss = ? WHERE id = ?",
        };
        self.sql.prepare_cached(query)?.execute(params![numbers[0], numbers[1], id])?;
        Ok(())
    }

    /// Writes what a prover said of how far it is with a question about a position.
    pub fn set_told(
        &mut self,
        id: Id,
        at_least: Value,
        [yes, no]: [u32; 2],
    ) -> Result<(), Failure> {
        self.begin()?;
        let query = "UPDATE node SET asked = ?, yes = ?, no = ? WHERE id = ?";
        self.sql.prepare_cached(query)?.execute(params![at_least, yes, no, id])?;
        Ok(())
    }

    /// Remembers a root.
    pub fn add_root(&mut self, id: Id) -> Result<(), Failure> {
        self.begin()?;
        let query =
            "INSERT OR REPLACE INTO root VALUES(?, (SELECT coalesce(max(seq), 0) + 1 FROM root))";
        self.sql.execute(query, [id])?;
        Ok(())
    }

    /// The root that was asked for last.
    pub fn last_root(&self) -> Result<Option<Id>, Failure> {
        let query = "SELECT node FROM root ORDER BY seq DESC LIMIT 1";
        Ok(self.sql.query_row(query, [], |row| row.get(0)).optional()?)
    }

    /// Remembers a claim, or that it was withdrawn.
    pub fn set_claim(&mut self, node: Id, mv: &str, withdrawn: bool) -> Result<(), Failure> {
        self.begin()?;
        let query = "INSERT OR REPLACE INTO claim VALUES(?, ?, ?)";
        self.sql.execute(query, params![node, mv, withdrawn])?;
        Ok(())
    }

    /// Writes how far the proof is.
    pub fn add_moment(&mut self, moment: &Moment) -> Result<(), Failure> {
        self.begin()?;
        let Moment { root, threshold, counts, frontier, jobs, seconds, bounds, .. } = *moment;
        let [nodes, settled, facts] = counts.map(|n| n as i64);
        let [win, loss] = moment.numbers.map(|pair| match pair {
            Some([pn, dn]) => (Some(pn), Some(dn)),
            None => (None, None),
        });
        self.sql
            .prepare_cached(
                "INSERT INTO moment VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                unix_time(),
                root,
                threshold,
                nodes,
                settled,
                facts,
                frontier as i64,
                jobs as i64,
                seconds,
                bounds.lo,
                bounds.hi,
                win.0,
                win.1,
                loss.0,
                loss.1,
                moment.visited as i64,
                moment.work
            ])?;
        Ok(())
    }

    /// Writes what the provers do now.
    pub fn set_provers(&mut self, doing: &[Option<(String, Duration)>]) -> Result<(), Failure> {
        self.begin()?;
        self.sql.execute("DELETE FROM prover", [])?;
        for (slot, (position, since)) in
            doing.iter().enumerate().filter_map(|(i, d)| d.as_ref().map(|d| (i, d)))
        {
            let since = unix_time() - since.as_secs_f64();
            self.sql.execute(
                "INSERT INTO prover VALUES(?, ?, ?)",
                params![slot as u32, position, since],
            )?;
        }
        Ok(())
    }
}
