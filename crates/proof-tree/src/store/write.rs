//! What is written to a store while a proof goes on. Rows wait in a transaction until somebody says that they shall last.

use super::{EXPANDED, JUDGED, Store, TRIED, fact_sum, unix_time};
use crate::ProofTreeFailure;
use crate::graph::{Id, ProofNode};
use crate::source::FactSource;
use rusqlite::{OptionalExtension, params};
use std::time::Duration;
use zermelo_erased::NodeInfo;
use zermelo_game::{Bounds, Value};

/// No position costs more than this.
const EFFORT: u64 = 1 << 61;

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
    pub fn source(&mut self, source: &FactSource, database: &str) -> Result<i64, ProofTreeFailure> {
        let FactSource { kind, giver, name } = source;
        let row = [name, database, kind.word(), giver];
        let query =
            "SELECT id FROM source WHERE name = ? AND database = ? AND kind = ? AND giver = ?";
        let found = self.sql.prepare_cached(query)?.query_row(row, |row| row.get(0)).optional()?;
        if let Some(id) = found {
            return Ok(id);
        }
        self.begin()?;
        let insert = "INSERT INTO source(name, database, kind, giver) VALUES(?, ?, ?, ?)";
        self.sql.execute(insert, row)?;
        Ok(self.sql.last_insert_rowid())
    }

    /// Adds a position.
    pub fn add_node(&mut self, id: Id, info: &NodeInfo) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let NodeInfo { position, turn, bounds, score, numbers } = info;
        let floor = ProofNode::new(*turn, *bounds, 0, (1, 1)).floor;
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
    pub fn expand(
        &mut self,
        id: Id,
        floor: Value,
        moves: &[(String, Id)],
    ) -> Result<(), ProofTreeFailure> {
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

    /// Adds a fact; its number.
    pub fn add_fact(
        &mut self,
        node: Id,
        position: &str,
        bounds: Bounds,
        source: i64,
    ) -> Result<i64, ProofTreeFailure> {
        self.begin()?;
        self.next_fact += 1;
        let (id, sum) = (self.next_fact, fact_sum(self.next_fact, position, bounds, source));
        self.sql
            .prepare_cached(
                "INSERT INTO fact(id, node, lo, hi, source, sum) VALUES(?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![id, node, bounds.lo, bounds.hi, source, sum])?;
        Ok(id)
    }

    /// Writes what an audit has found of a fact: it is confirmed, or could not be decided.
    pub fn set_audit(&mut self, fact: i64, confirmed: bool) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let query = "UPDATE fact SET audit = ? WHERE id = ?";
        self.sql.prepare_cached(query)?.execute([if confirmed { 1 } else { 2 }, fact])?;
        Ok(())
    }

    /// Writes how often jobs about a position have failed with a prover.
    pub fn set_tries(
        &mut self,
        node: Id,
        prover: &str,
        tries: u32,
    ) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let query = "INSERT OR REPLACE INTO failure VALUES(?, ?, ?)";
        self.sql.prepare_cached(query)?.execute(params![node, prover, tries])?;
        Ok(())
    }

    /// How often jobs have failed with a prover, by position.
    pub fn tries(&self, prover: &str) -> Result<Vec<(Id, u32)>, ProofTreeFailure> {
        let mut query = self.sql.prepare("SELECT node, tries FROM failure WHERE prover = ?")?;
        let rows = query.query_map([prover], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many facts there are.
    #[must_use]
    pub fn facts(&self) -> u64 {
        self.next_fact as u64
    }

    /// Writes what is known of a position by now.
    pub fn set_bounds(&mut self, id: Id, bounds: Bounds) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let query = "UPDATE node SET lo = ?, hi = ? WHERE id = ?";
        self.sql.prepare_cached(query)?.execute(params![bounds.lo, bounds.hi, id])?;
        Ok(())
    }

    /// Writes what a prover did with a position.
    pub fn set_effort(
        &mut self,
        id: Id,
        node: &ProofNode,
        threshold: Option<i32>,
        nodes: u64,
        micros: u64,
    ) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let judged = if node.judged() { JUDGED } else { 0 };
        let marks = judged | if node.tried() { TRIED } else { 0 };
        self.sql
            .prepare_cached(
                // A sum that is too large would become a number with a fraction.
                "UPDATE node SET score = ?1, marks = marks | ?2, threshold = ?3, \
                 nodes = min(nodes, ?7) + ?4, micros = min(micros, ?7) + ?5 WHERE id = ?6",
            )?
            .execute(params![
                node.score,
                marks,
                threshold,
                nodes.min(EFFORT) as i64,
                micros.min(EFFORT) as i64,
                id,
                EFFORT as i64
            ])?;
        Ok(())
    }

    /// Writes proof numbers, for readers: of a win of the first player, or of the second.
    pub fn set_numbers(
        &mut self,
        id: Id,
        win: bool,
        numbers: [u32; 2],
    ) -> Result<(), ProofTreeFailure> {
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
    ) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let query = "UPDATE node SET asked = ?, yes = ?, no = ? WHERE id = ?";
        self.sql.prepare_cached(query)?.execute(params![at_least, yes, no, id])?;
        Ok(())
    }

    /// Remembers a root.
    pub fn add_root(&mut self, id: Id) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let query =
            "INSERT OR REPLACE INTO root VALUES(?, (SELECT coalesce(max(seq), 0) + 1 FROM root))";
        self.sql.execute(query, [id])?;
        Ok(())
    }

    /// The root that was asked for last.
    pub fn last_root(&self) -> Result<Option<Id>, ProofTreeFailure> {
        let query = "SELECT node FROM root ORDER BY seq DESC LIMIT 1";
        Ok(self.sql.query_row(query, [], |row| row.get(0)).optional()?)
    }

    /// Remembers a claim, or that it was withdrawn.
    pub fn set_claim(
        &mut self,
        node: Id,
        mv: &str,
        withdrawn: bool,
    ) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let query = "INSERT OR REPLACE INTO claim VALUES(?, ?, ?)";
        self.sql.execute(query, params![node, mv, withdrawn])?;
        Ok(())
    }

    /// Writes how far the proof is.
    pub fn add_moment(&mut self, moment: &Moment) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        let Moment { root, threshold, counts, frontier, jobs, seconds, bounds, .. } = *moment;
        let [nodes, settled, facts] = counts.map(|n| n.min(EFFORT) as i64);
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
                moment.visited.min(EFFORT) as i64,
                moment.work
            ])?;
        Ok(())
    }

    /// Writes what the provers do now.
    pub fn set_provers(
        &mut self,
        doing: &[Option<(String, Duration)>],
    ) -> Result<(), ProofTreeFailure> {
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
