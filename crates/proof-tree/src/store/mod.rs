//! The tree on disk: one SQLite file, `DIR/proof.sqlite`, that other programs may read while a proof is going on
//! (write-ahead log, full sync). Format 4, in `user_version`; `application_id` is `0x5a50_5431`. `write` adds rows, `load` reads
//! them back, `withdraw` takes facts back, `format` makes the file.
//!
//! A store is about a game by its full name and the version of its rules ([`Identity`]), never about words. Up to format 3 it
//! was a digest of the rules in words, which cannot be compared any more once these are reworded. Such a store counts as one
//! of rules version 1: while there were such formats no game of ours changed its rules, and a game that does so raises its
//! version. The digest stays where it is, for the record.
//!
//! Format 2 had no kinds and givers of sources, no audits, failures and withdrawn facts; format 1 had, besides, no proof
//! numbers over time, none told by provers, and no index of facts. Whoever opens an older store for writing brings it up to
//! date, in one transaction; readers read formats 2 and 3 as they are, and change nothing. What a query finds in a store of
//! format 2 it finds in one of format 4. A program that knows older formats only refuses a newer one by its number.
//!
//! | table | row |
//! |---|---|
//! | `meta` | `key`, `value`: `game` (its full name, as the catalogue opens it), `rules_version` (a number from 1 on), `rules` (only in stores that were begun before format 4: the BLAKE3 of the name, a line feed and the rules in words at that time), `values` (`lo hi`), `sum` (the BLAKE3 of game, version and values, with a line feed after each but the last), `program` (the last version that wrote), `database` (the digest of the last one used), `salt` (a random number: which facts are audited depends on it) |
//! | `node` | `id` (0, 1, 2, ...; never reused), `position` (canonical text), `turn` (0: first player), `lo`, `hi` (all that is known of the value: facts and what follows), `floor` (what moves that are not in `edge` are worth), `score` (positive: first player stands better), `pn`, `dn` (numbers of the game for a leaf), `asked`, `yes`, `no` (the question *at least so much?* about which a prover last told how far it is, and its numbers: what is left to be shown for yes, and for no), `marks` (1 expanded, 2 judged by a search, 4 proof tried), `threshold` (when judged), `nodes`, `micros` (effort), and as of the last look `pn_win`, `dn_win`, `pn_loss`, `dn_loss` (proof numbers of "the first player wins" and of "the second player wins"; of the root, two moves deep, and of the line that the manager would follow; elsewhere old ones or none) |
//! | `edge` | `parent`, `ord` (the most promising first), `move` (text), `child`; the candidate moves of an expanded node |
//! | `fact` | `id`, `node`, `lo`, `hi`, `source`, `sum` (of these, see `fact_sum`); never changed, unless all of a source are taken back; `audit` (1 confirmed, 2 not decided, null: not audited) |
//! | `source` | `id`, `name` (solver, version, settings; `rules` for static knowledge; of outsiders, who they are and what they call themselves), `database` (digest, or empty), `kind` (`rules`, `engine`: one of ours; `outside`; `unknown`: noted by an earlier version), `giver` (the name that we give: what one giver said is withdrawn together) |
//! | `failure` | `node`, `prover` (a giver), `tries`: how often jobs about the position have failed |
//! | `withdrawn` | `node`, `lo`, `hi`, `source`, `time` (Unix): facts that are believed no more, for the record |
//! | `root` | `node`, `seq`: positions that somebody wanted to be proved |
//! | `claim` | `node`, `move`, `withdrawn` (0 or 1): moves to be tried first |
//! | `moment` | `time` (Unix), and how far the proof was: `root`, `threshold`, `nodes`, `settled`, `facts`, `frontier`, `jobs`, `seconds`, `lo`, `hi`, the root's `pn_win`, `dn_win`, `pn_loss`, `dn_loss` (null where that question is settled, or was not looked at yet), `visited` and `work` (positions that provers have visited in this run, and their seconds) |
//! | `prover` | `slot`, `position`, `since` (Unix): what each prover does now |
//!
//! `lo` and `hi` of a node are there for readers; whoever loads a store starts from the facts and works out again what
//! follows from them.

mod format;
mod load;
mod withdraw;
mod write;

use format::FORMAT;
pub(crate) use load::LoadedFact;
pub use write::Moment;

use crate::ProofTreeFailure;
use crate::source::FactSource;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zermelo_erased::AnyGame;
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Identity};

/// The file.
pub const FILE: &str = "proof.sqlite";
/// What SQLite adds to its name for the files beside it: the write-ahead log, its index, and the journal of a change of format.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// The file that a run at work keeps locked.
const LOCK: &str = "lock";
/// How often it is tried again.
const TRIES: usize = 10;

/// Bits of `node.marks`.
pub(crate) const EXPANDED: u8 = 1;
pub(crate) const JUDGED: u8 = 2;
pub(crate) const TRIED: u8 = 4;
/// All of them.
pub(crate) const MARKS: u8 = EXPANDED | JUDGED | TRIED;

/// A store that is open for writing, and nobody else's.
pub struct Store {
    sql: Connection,
    file: PathBuf,
    /// Held as long as the store is open; `None` for readers.
    _lock: Option<File>,
    /// The number of its format.
    format: i32,
    /// Whether a transaction is open.
    open: bool,
    next_fact: i64,
    /// Rows written since the last commit.
    pending: usize,
}

/// A row of the table of facts, with its source in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredFact {
    /// Its number.
    pub id: i64,
    /// What it says.
    pub bounds: Bounds,
    /// Who said it.
    pub source: FactSource,
    /// The digest of the database that was used, or nothing.
    pub database: String,
}

impl StoredFact {
    /// Who said it, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let name = printable(&self.source.name);
        match self.database.get(..12).or(Some(&*self.database).filter(|db| !db.is_empty())) {
            Some(digest) => format!("{name} with database {}", printable(digest)),
            None => name.into_owned(),
        }
    }
}

/// What a store is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// The game and the version of its rules.
    pub identity: Identity,
    /// The range of its values.
    pub values: Bounds,
}

/// The checksum of what a store is about.
fn about_sum(about: &About) -> String {
    let Identity { game, rules_version } = &about.identity;
    let Bounds { lo, hi } = about.values;
    blake3::hash(format!("{game}\n{rules_version}\n{lo} {hi}").as_bytes()).to_hex().to_string()
}

/// The checksum of a fact.
fn fact_sum(id: i64, position: &str, bounds: Bounds, source: i64) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&id.to_le_bytes()).update(position.as_bytes());
    hasher.update(&bounds.lo.to_le_bytes()).update(&bounds.hi.to_le_bytes());
    hasher.update(&source.to_le_bytes());
    i64::from_le_bytes(hasher.finalize().as_bytes()[..8].try_into().unwrap_or_default())
}

/// Seconds since 1970.
pub(crate) fn unix_time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

impl Store {
    /// Opens the store of a folder for writing, or makes it.
    pub fn open(dir: &Path, about: &About) -> Result<Store, ProofTreeFailure> {
        let mut store = Store::locked(dir)?;
        store.expect(about)?;
        store.renew(Some(about))?;
        store.about()?;
        store.set("program", env!("CARGO_PKG_VERSION"))?;
        Ok(store)
    }

    /// Opens the store of a folder for writing, if there is one: about this game or, without one, whatever it is about.
    pub(crate) fn reopen(dir: &Path, about: Option<&About>) -> Result<Store, ProofTreeFailure> {
        Store::found(dir)?;
        let mut store = Store::locked(dir)?;
        store.written()?;
        about.map_or(Ok(()), |about| store.expect(about))?;
        store.renew(None)?;
        store.about()?;
        Ok(store)
    }

    /// The file of a folder, for nobody else to write.
    fn locked(dir: &Path) -> Result<Store, ProofTreeFailure> {
        fs::create_dir_all(dir).map_err(|e| ProofTreeFailure::Io(dir.into(), e))?;
        let lock_file = dir.join(LOCK);
        let lock =
            File::create(&lock_file).map_err(|e| ProofTreeFailure::Io(lock_file.clone(), e))?;
        // Whoever asks whether a run is at work holds the lock for a moment.
        let mut locked = lock.try_lock().is_ok();
        for _ in 0..TRIES {
            if locked {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            locked = lock.try_lock().is_ok();
        }
        if !locked {
            let why = "another run is at work on this store".to_owned();
            return Err(ProofTreeFailure::Store { file: dir.into(), why });
        }
        let file = dir.join(FILE);
        let sql = Connection::open(&file)?;
        let mut store = Store::new(sql, file, Some(lock));
        store.sql.busy_timeout(Duration::from_secs(30))?;
        store.recognise()?;
        store.settings().map_err(|e| store.broken(&e))?;
        Ok(store)
    }

    fn new(sql: Connection, file: PathBuf, lock: Option<File>) -> Store {
        Store { sql, file, _lock: lock, format: FORMAT, open: false, next_fact: 0, pending: 0 }
    }

    /// The file of a folder, if there is one.
    fn found(dir: &Path) -> Result<PathBuf, ProofTreeFailure> {
        let file = dir.join(FILE);
        if !file.is_file() {
            let why = format!("no store here (no {FILE}); `zermelo prove` makes one");
            return Err(ProofTreeFailure::Store { file: dir.into(), why });
        }
        Ok(file)
    }

    /// Opens the store of a folder to look at it, also while somebody writes.
    pub fn read(dir: &Path) -> Result<Store, ProofTreeFailure> {
        let file = Store::found(dir)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let sql = Connection::open_with_flags(&file, flags)?;
        sql.busy_timeout(Duration::from_secs(10))?;
        let mut store = Store::new(sql, file, None);
        store.recognise()?;
        store.about()?;
        Ok(store)
    }

    /// Whether a run is at work on the store of a folder.
    #[must_use]
    pub fn at_work(dir: &Path) -> bool {
        let held = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        File::open(dir.join(LOCK)).is_ok_and(held)
    }

    fn settings(&self) -> rusqlite::Result<()> {
        self.sql.pragma_update(None, "journal_mode", "WAL")?;
        self.sql.pragma_update(None, "synchronous", "FULL")?;
        self.sql.pragma_update(None, "cache_size", -64_000)?;
        self.sql.set_prepared_statement_cache_capacity(32);
        Ok(())
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The number of its format.
    pub(crate) fn format(&self) -> i32 {
        self.format
    }

    pub(crate) fn sql(&self) -> &Connection {
        &self.sql
    }

    pub(crate) fn wrong(&self, why: String) -> ProofTreeFailure {
        ProofTreeFailure::Store { file: self.file.clone(), why }
    }

    fn broken(&self, error: &rusqlite::Error) -> ProofTreeFailure {
        self.wrong(format!("cannot be read: {error}"))
    }

    /// Writes a line of the table of meta data.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ProofTreeFailure> {
        self.begin()?;
        self.sql.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", [key, value])?;
        Ok(())
    }

    /// Opens a transaction unless one is open.
    fn begin(&mut self) -> Result<(), ProofTreeFailure> {
        if !self.open {
            self.sql.execute_batch("BEGIN IMMEDIATE")?;
            self.open = true;
        } else if self.sql.is_autocommit() {
            // SQLite ends a transaction by itself when a write fails. What is written after that would be half of it.
            return Err(self
                .wrong("a write has failed, and all since the last commit is taken back".into()));
        }
        self.pending += 1;
        Ok(())
    }

    /// Makes everything written so far last.
    pub fn commit(&mut self) -> Result<(), ProofTreeFailure> {
        if self.open {
            self.sql.execute_batch("COMMIT")?;
            (self.open, self.pending) = (false, 0);
        }
        Ok(())
    }

    /// Takes back everything written since the last commit.
    pub(crate) fn roll_back(&mut self) -> Result<(), ProofTreeFailure> {
        if self.open && !self.sql.is_autocommit() {
            self.sql.execute_batch("ROLLBACK")?;
        }
        (self.open, self.pending) = (false, 0);
        Ok(())
    }

    /// Positions that provers have visited so far, in all runs.
    pub fn visited(&self) -> Result<u64, ProofTreeFailure> {
        let sum = self.sql.query_row("SELECT sum(nodes) FROM node", [], |row| row.get(0));
        Ok(sum.map(|sum: Option<i64>| sum.unwrap_or(0) as u64)?)
    }

    /// How many rows wait for a commit.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending
    }
}

/// Bytes of the store of a folder: of its file, and of the files that SQLite keeps beside it.
#[must_use]
pub fn sizes(dir: &Path) -> [u64; 2] {
    let size = |name: String| fs::metadata(dir.join(name)).map_or(0, |m| m.len());
    [size(FILE.into()), BESIDE.iter().map(|end| size(format!("{FILE}{end}"))).sum()]
}

/// What a store of this game is about.
#[must_use]
pub fn about(game: &dyn AnyGame) -> About {
    About { identity: game.identity(), values: game.values() }
}
