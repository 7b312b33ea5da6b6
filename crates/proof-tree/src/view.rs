//! A store as it looks to those who watch: all questions of a reader, answered from one state of the file, also while
//! somebody writes. Nothing here loads a tree; every answer is bounded, however large the store is.

use crate::graph::Id;
use crate::numbers::MOST;
use crate::store::{About, Store, StoredFact, unix_time};
use crate::{ProofTreeFailure, store};
use rusqlite::{OptionalExtension, Row as SqlRow};
use rustc_hash::FxHashSet;
use std::path::Path;
use std::time::Duration;
use zermelo_erased::AnyGame;
use zermelo_game::{Bounds, Player};

/// Tables of more rows than this are not gone through for one answer.
const ROWS: u64 = 300_000;
/// How long a reader waits for a writer.
const PATIENCE: Duration = Duration::from_secs(1);
/// Positions that a map goes through.
const MAPPED: usize = 50_000;
/// The columns of a [`PositionRow`].
const COLUMNS: &str = "node.id, position, turn, lo, hi, score, marks, nodes, micros, \
                       pn_win, dn_win, pn_loss, dn_loss";

/// A store that is looked at.
pub struct StoreSnapshot {
    store: Store,
    about: About,
}

/// A position of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionRow {
    /// Its number.
    pub id: Id,
    /// The position.
    pub position: String,
    /// Who is to move.
    pub turn: Player,
    /// What is known of its value.
    pub bounds: Bounds,
    /// Positive: the first player stands better. `None` where no search has judged it.
    pub score: Option<i32>,
    /// Whether its moves are in the tree.
    pub expanded: bool,
    /// Whether a prover has tried to settle it.
    pub tried: bool,
    /// Positions that provers visited for it, and their microseconds.
    pub nodes: u64,
    /// See there.
    pub micros: u64,
    /// Proof and disproof number of "the first player wins", and of "the second player wins".
    pub numbers: [Option<[u32; 2]>; 2],
}

/// How far a proof was at some time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoreSample {
    /// Seconds of work, over all runs.
    pub at: f64,
    /// The threshold.
    pub threshold: Option<i32>,
    /// Positions, those with a known value, and facts.
    pub counts: [u64; 3],
    /// Open leaves.
    pub frontier: u64,
    /// Jobs done in that run.
    pub jobs: u64,
    /// Proof and disproof number of "the first player wins", and of "the second player wins"; `None` where that was
    /// settled, or not known yet. [`told`] says which are more than can be told.
    pub numbers: [Option<[u32; 2]>; 2],
    /// Positions that provers had visited in that run, and their seconds.
    pub visited: u64,
    /// See there.
    pub work: f64,
}

/// What a prover does.
#[derive(Clone, PartialEq, Debug)]
pub struct ProverActivity {
    /// Which prover.
    pub slot: u32,
    /// The position that it is asked about.
    pub position: String,
    /// For so long, in seconds.
    pub seconds: f64,
}

/// Effort below a position, and how it is shared out among its moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Area {
    /// The moves from the root of the map.
    pub path: Vec<String>,
    /// The position.
    pub id: Id,
    /// Microseconds of provers, here and below; what several moves lead to counts once.
    pub micros: u64,
    /// Whether its value is known.
    pub settled: bool,
    /// The larger parts.
    pub parts: Vec<Area>,
}

/// A number for people: `None` is more than can be told.
#[must_use]
pub fn told(number: u32) -> Option<u32> {
    (number < MOST).then_some(number)
}

/// Two numbers that stand side by side.
fn pair(row: &SqlRow, at: usize) -> rusqlite::Result<Option<[u32; 2]>> {
    let (pn, dn): (Option<u32>, Option<u32>) = (row.get(at)?, row.get(at + 1)?);
    Ok(pn.zip(dn).map(|(pn, dn)| [pn, dn]))
}

fn read(row: &SqlRow, from: usize, values: Bounds) -> rusqlite::Result<PositionRow> {
    let bounds = Bounds { lo: row.get(from + 3)?, hi: row.get(from + 4)? };
    if bounds.lo > bounds.hi || !values.contains(bounds.lo) || !values.contains(bounds.hi) {
        return Err(rusqlite::Error::IntegralValueOutOfRange(from + 3, bounds.lo.into()));
    }
    let (turn, marks): (u8, u8) = (row.get(from + 2)?, row.get(from + 6)?);
    let score: i32 = row.get(from + 5)?;
    Ok(PositionRow {
        id: row.get(from)?,
        position: row.get(from + 1)?,
        turn: if turn == 0 { Player::First } else { Player::Second },
        bounds,
        score: (marks & store::JUDGED != 0).then_some(score),
        expanded: marks & store::EXPANDED != 0,
        tried: marks & store::TRIED != 0,
        nodes: row.get::<_, i64>(from + 7)?.max(0) as u64,
        micros: row.get::<_, i64>(from + 8)?.max(0) as u64,
        numbers: [pair(row, from + 9)?, pair(row, from + 11)?],
    })
}

impl StoreSnapshot {
    /// Opens the store of a folder. All answers are about this moment.
    pub fn open(dir: &Path) -> Result<StoreSnapshot, ProofTreeFailure> {
        let store = Store::read(dir)?;
        store.sql().busy_timeout(PATIENCE)?;
        store.sql().execute_batch("BEGIN")?;
        let about = store.about()?;
        Ok(StoreSnapshot { store, about })
    }

    /// What the store is about.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Refuses a store that is of another game, or by another version of its rules.
    pub fn expect(&self, game: &dyn AnyGame) -> Result<(), ProofTreeFailure> {
        self.store.expect(&store::about(game))
    }

    fn number(&self, query: &str) -> Result<Option<u64>, ProofTreeFailure> {
        let found = self.store.sql().query_row(query, [], |row| row.get::<_, Option<i64>>(0));
        Ok(found.optional()?.flatten().map(|n| n.max(0) as u64))
    }

    /// How many positions, and how many facts.
    pub fn counts(&self) -> Result<[u64; 2], ProofTreeFailure> {
        // Both are numbered without gaps.
        let nodes = self.number("SELECT max(id) + 1 FROM node")?.unwrap_or(0);
        Ok([nodes, self.number("SELECT max(id) FROM fact")?.unwrap_or(0)])
    }

    /// How many positions have a known value; in a large store, as of the last moment that was written.
    pub fn settled(&self) -> Result<u64, ProofTreeFailure> {
        let query = match self.counts()?[0] <= ROWS {
            true => "SELECT count(*) FROM node WHERE lo = hi",
            false => "SELECT settled FROM moment ORDER BY rowid DESC LIMIT 1",
        };
        Ok(self.number(query)?.unwrap_or(0))
    }

    /// The positions that somebody wanted to be proved, the last one first.
    pub fn roots(&self, most: usize) -> Result<Vec<PositionRow>, ProofTreeFailure> {
        let query = format!(
            "SELECT {COLUMNS} FROM root JOIN node ON node.id = root.node ORDER BY seq DESC LIMIT ?"
        );
        let mut query = self.store.sql().prepare(&query)?;
        let rows = query.query_map([most as i64], |row| read(row, 0, self.about.values))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A position by its number.
    pub fn row(&self, id: Id) -> Result<Option<PositionRow>, ProofTreeFailure> {
        let query = format!("SELECT {COLUMNS} FROM node WHERE id = ?");
        Ok(self
            .store
            .sql()
            .query_row(&query, [id], |row| read(row, 0, self.about.values))
            .optional()?)
    }

    /// Positions of which something is known, at most so many, the oldest first.
    pub fn known(&self, most: usize) -> Result<Vec<(String, Bounds)>, ProofTreeFailure> {
        let all = self.about.values;
        let query = "SELECT position, lo, hi FROM node WHERE lo > ? OR hi < ? ORDER BY id LIMIT ?";
        let mut query = self.store.sql().prepare_cached(query)?;
        let rows = query.query_map((all.lo, all.hi, most as i64), |row| {
            Ok((row.get(0)?, Bounds { lo: row.get(1)?, hi: row.get(2)? }))
        })?;
        let rows = rows.collect::<Result<Vec<(String, Bounds)>, _>>()?;
        Ok(rows.into_iter().filter(|(_, bounds)| bounds.lo <= bounds.hi).collect())
    }

    /// The moves of a position, in the order of the tree.
    pub fn moves(
        &self,
        id: Id,
        most: usize,
    ) -> Result<Vec<(String, PositionRow)>, ProofTreeFailure> {
        let query = format!(
            "SELECT move, {COLUMNS} FROM edge JOIN node ON node.id = child \
             WHERE parent = ? ORDER BY ord LIMIT ?"
        );
        let mut query = self.store.sql().prepare_cached(&query)?;
        let rows = query.query_map([i64::from(id), most as i64], |row| {
            Ok((row.get(0)?, read(row, 1, self.about.values)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The facts about a position with their sources.
    pub fn facts_of(&self, id: Id) -> Result<Vec<StoredFact>, ProofTreeFailure> {
        self.store.facts_of(id)
    }

    /// What the provers do.
    pub fn provers(&self, most: usize) -> Result<Vec<ProverActivity>, ProofTreeFailure> {
        let now = unix_time();
        let query = "SELECT slot, position, since FROM prover ORDER BY slot LIMIT ?";
        let mut query = self.store.sql().prepare(query)?;
        let rows = query.query_map([most as i64], |row| {
            let seconds = (now - row.get::<_, f64>(2)?).max(0.0);
            Ok(ProverActivity { slot: row.get(0)?, position: row.get(1)?, seconds })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How far the proof was over time: at most about so many samples, and the last one.
    pub fn samples(&self, most: usize) -> Result<Vec<StoreSample>, ProofTreeFailure> {
        let rows = self.number("SELECT max(rowid) FROM moment")?.unwrap_or(0);
        let step = rows.div_ceil(most.max(1) as u64).max(1);
        let query = "SELECT seconds, threshold, nodes, settled, facts, frontier, jobs, \
                     pn_win, dn_win, pn_loss, dn_loss, visited, work FROM moment WHERE rowid % ?1 = 0 \
                     OR rowid = ?2 ORDER BY rowid";
        let mut query = self.store.sql().prepare(query)?;
        let whole = |row: &SqlRow, at| row.get::<_, i64>(at).map(|n| n.max(0) as u64);
        let samples = query.query_map([step as i64, rows as i64], |row| {
            Ok(StoreSample {
                at: row.get(0)?,
                threshold: row.get(1)?,
                counts: [whole(row, 2)?, whole(row, 3)?, whole(row, 4)?],
                frontier: whole(row, 5)?,
                jobs: whole(row, 6)?,
                numbers: [pair(row, 7)?, pair(row, 9)?],
                visited: whole(row, 11)?,
                work: row.get(12)?,
            })
        })?;
        let mut samples = samples.collect::<Result<Vec<_>, _>>()?;
        // Each run begins with nothing; its clock goes on where the last one stopped.
        let (mut before, mut last) = (0.0, 0.0);
        for sample in &mut samples {
            if sample.at < last {
                before += last;
            }
            last = sample.at;
            sample.at += before;
        }
        Ok(samples)
    }

    /// Where the effort below a position lies: so many levels, and areas of more than one part in `share`. Goes through a
    /// bounded part of the tree, the nearest first.
    pub fn map(&self, id: Id, levels: usize, share: u64) -> Result<Option<Area>, ProofTreeFailure> {
        let Some(root) = self.row(id)? else { return Ok(None) };
        struct Met {
            id: Id,
            parent: usize,
            mv: String,
            micros: u64,
            settled: bool,
            children: Vec<usize>,
        }
        let met = |row: &PositionRow, parent, mv| Met {
            id: row.id,
            parent,
            mv,
            micros: row.micros,
            settled: row.bounds.is_exact(),
            children: Vec::new(),
        };
        let mut seen = FxHashSet::from_iter([id]);
        let mut all = vec![met(&root, 0, String::new())];
        let mut at = 0;
        while at < all.len() && all.len() < MAPPED {
            for (mv, row) in self.moves(all[at].id, MAPPED)? {
                if seen.insert(row.id) {
                    let new = all.len();
                    all.push(met(&row, at, mv));
                    all[at].children.push(new);
                }
            }
            at += 1;
        }
        for at in (1..all.len()).rev() {
            let (parent, micros) = (all[at].parent, all[at].micros);
            all[parent].micros += micros;
        }
        let least = all[0].micros / share.max(1) + 1;
        fn area(all: &[Met], at: usize, path: Vec<String>, levels: usize, least: u64) -> Area {
            let Met { id, micros, settled, children, .. } = &all[at];
            let large = children.iter().filter(|&&c| levels > 0 && all[c].micros >= least);
            let mut parts: Vec<Area> = large
                .map(|&c| {
                    let mut path = path.clone();
                    path.push(all[c].mv.clone());
                    area(all, c, path, levels - 1, least)
                })
                .collect();
            parts.sort_by_key(|part| std::cmp::Reverse(part.micros));
            Area { path, id: *id, micros: *micros, settled: *settled, parts }
        }
        Ok(Some(area(&all, 0, Vec::new(), levels, least)))
    }
}
