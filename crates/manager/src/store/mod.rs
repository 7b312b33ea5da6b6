//! The tree on disk: one SQLite file, `DIR/proof.sqlite`, that other programs may read while a proof is going on
//! (write-ahead log, full sync). Format 2, in `user_version`; `application_id` is `0x5a50_5431`. `write` adds rows, `load` reads
//! them back. (Format 1 had no proof numbers over time, none told by provers, and no index of facts; whoever opens such a
//! store for writing adds them.)
//!
//! | table | row |
//! |---|---|
//! | `meta` | `key`, `value`: `game` (as the registry opens it), `rules` (their digest), `program` (the last version that wrote), `values` (`lo hi`), `database` (the digest of the last one used) |
//! | `node` | `id` (0, 1, 2, ...; never reused), `position` (canonical text), `turn` (0: first player), `lo`, `hi` (all that is known of the value: facts and what follows), `floor` (what moves that are not in `edge` are worth), `score` (positive: first player stands better), `pn`, `dn` (numbers of the game for a leaf), `asked`, `yes`, `no` (the question *at least so much?* about which a prover last told how far it is, and its numbers: what is left to be shown for yes, and for no), `marks` (1 expanded, 2 judged by a search, 4 proof tried), `threshold` (when judged), `nodes`, `micros` (effort), and as of the last look `pn_win`, `dn_win`, `pn_loss`, `dn_loss` (proof numbers of "the first player wins" and of "the second player wins"; of the root, two moves deep, and of the line that the manager would follow; elsewhere old ones or none) |
//! | `edge` | `parent`, `ord` (the most promising first), `move` (text), `child`; all moves worth a look of an expanded node |
//! | `fact` | `id`, `node`, `lo`, `hi`, `source`, `sum` (of the row, see `fact_sum`); never changed, unless all of a source are taken back |
//! | `source` | `id`, `name` (solver, version, settings; `rules` for static knowledge), `database` (digest, or empty) |
//! | `root` | `node`, `seq`: positions that somebody wanted to be proved |
//! | `claim` | `node`, `move`, `withdrawn` (0 or 1): moves to be tried first |
//! | `moment` | `time` (Unix), and how far the proof was: `root`, `threshold`, `nodes`, `settled`, `facts`, `frontier`, `jobs`, `seconds`, `lo`, `hi`, the root's `pn_win`, `dn_win`, `pn_loss`, `dn_loss` (null where that question is settled, or was not looked at yet), `visited` and `work` (positions that provers have visited in this run, and their seconds) |
//! | `prover` | `slot`, `position`, `since` (Unix): what each prover does now |
//!
//! `lo` and `hi` of a node are there for readers; whoever loads a store starts from the facts and works out again what
//! follows from them.

mod load;
mod write;

pub use write::Moment;

use crate::Failure;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zermelo_any::AnyGame;
use zermelo_game::Bounds;

/// The format of the file.
const FORMAT: i32 = 2;
const APPLICATION: i32 = 0x5a50_5431;
/// The file.
pub const FILE: &str = "proof.sqlite";
/// The file that a run at work keeps locked.
const LOCK: &str = "lock";
/// How often it is tried again.
const TRIES: usize = 10;
/// The source of what the rules and a database say without search.
pub const RULES: &str = "rules";

/// Bits of `node.marks`.
pub(crate) const EXPANDED: u8 = 1;
pub(crate) const JUDGED: u8 = 2;
pub(crate) const TRIED: u8 = 4;

const SCHEMA: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE node(id INTEGER PRIMARY KEY, position TEXT NOT NULL, turn INTEGER NOT NULL,
  lo INTEGER NOT NULL, hi INTEGER NOT NULL, floor INTEGER NOT NULL, score INTEGER NOT NULL,
  pn INTEGER NOT NULL, dn INTEGER NOT NULL, marks INTEGER NOT NULL DEFAULT 0, threshold INTEGER,
  nodes INTEGER NOT NULL DEFAULT 0, micros INTEGER NOT NULL DEFAULT 0,
  pn_win INTEGER, dn_win INTEGER, pn_loss INTEGER, dn_loss INTEGER,
  asked INTEGER, yes INTEGER, no INTEGER);
CREATE TABLE edge(parent INTEGER NOT NULL, ord INTEGER NOT NULL, move TEXT NOT NULL, child INTEGER NOT NULL,
  PRIMARY KEY(parent, ord)) WITHOUT ROWID;
CREATE TABLE fact(id INTEGER PRIMARY KEY, node INTEGER NOT NULL, lo INTEGER NOT NULL, hi INTEGER NOT NULL,
  source INTEGER NOT NULL, sum INTEGER NOT NULL);
CREATE INDEX fact_node ON fact(node);
CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL, database TEXT NOT NULL, UNIQUE(name, database));
CREATE TABLE root(node INTEGER PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE claim(node INTEGER NOT NULL, move TEXT NOT NULL, withdrawn INTEGER NOT NULL, PRIMARY KEY(node)) WITHOUT ROWID;
CREATE TABLE moment(time REAL NOT NULL, root INTEGER NOT NULL, threshold INTEGER, nodes INTEGER NOT NULL,
  settled INTEGER NOT NULL, facts INTEGER NOT NULL, frontier INTEGER NOT NULL, jobs INTEGER NOT NULL,
  seconds REAL NOT NULL, lo INTEGER NOT NULL, hi INTEGER NOT NULL,
  pn_win INTEGER, dn_win INTEGER, pn_loss INTEGER, dn_loss INTEGER,
  visited INTEGER NOT NULL DEFAULT 0, work REAL NOT NULL DEFAULT 0);
CREATE TABLE prover(slot INTEGER PRIMARY KEY, position TEXT NOT NULL, since REAL NOT NULL);
";

/// What makes a store of format 1 one of format 2.
const FROM_1: &str = "
ALTER TABLE node ADD COLUMN asked INTEGER;
ALTER TABLE node ADD COLUMN yes INTEGER;
ALTER TABLE node ADD COLUMN no INTEGER;
ALTER TABLE moment ADD COLUMN pn_win INTEGER;
ALTER TABLE moment ADD COLUMN dn_win INTEGER;
ALTER TABLE moment ADD COLUMN pn_loss INTEGER;
ALTER TABLE moment ADD COLUMN dn_loss INTEGER;
ALTER TABLE moment ADD COLUMN visited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE moment ADD COLUMN work REAL NOT NULL DEFAULT 0;
CREATE INDEX fact_node ON fact(node);
";

/// A store that is open for writing, and nobody else's.
pub struct Store {
    sql: Connection,
    file: PathBuf,
    /// Held as long as the store is open; `None` for readers.
    _lock: Option<File>,
    open: bool,
    next_fact: i64,
    /// Rows written since the last commit.
    pending: usize,
}

/// A row of the table of facts, with its source in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Its number.
    pub id: i64,
    /// What it says.
    pub bounds: Bounds,
    /// Who said it.
    pub source: String,
}

/// What a store is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// The game, as the registry opens it.
    pub game: String,
    /// The digest of its rules.
    pub rules: String,
    /// The range of its values.
    pub values: Bounds,
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
    pub fn open(dir: &Path, about: &About) -> Result<Store, Failure> {
        let mut store = Store::locked(dir)?;
        let tables: i64 =
            store.sql.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables == 0 {
            store.make(about)?;
        }
        store.renew()?;
        let found = store.about()?;
        if (&found.game, &found.rules) != (&about.game, &about.rules) {
            let why = match found.game == about.game {
                true => format!(
                    "its facts were proved by other rules of {} than this program's",
                    found.game
                ),
                false => format!("a store of {}, not of {}", found.game, about.game),
            };
            return Err(store.wrong(why));
        }
        store.set("program", env!("CARGO_PKG_VERSION"))?;
        Ok(store)
    }

    /// Opens the store of a folder for writing, whatever game it is about.
    pub(crate) fn reopen(dir: &Path) -> Result<Store, Failure> {
        Store::found(dir)?;
        let mut store = Store::locked(dir)?;
        store.renew()?;
        store.about()?;
        Ok(store)
    }

    /// The file of a folder, for nobody else to write.
    fn locked(dir: &Path) -> Result<Store, Failure> {
        fs::create_dir_all(dir).map_err(|e| Failure::Io(dir.into(), e))?;
        let lock_file = dir.join(LOCK);
        let lock = File::create(&lock_file).map_err(|e| Failure::Io(lock_file.clone(), e))?;
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
            return Err(Failure::Store { file: dir.into(), why });
        }
        let file = dir.join(FILE);
        let sql = Connection::open(&file)?;
        let store = Store { sql, file, _lock: Some(lock), open: false, next_fact: 0, pending: 0 };
        store.settings().map_err(|e| store.broken(&e))?;
        Ok(store)
    }

    /// The file of a folder, if there is one.
    fn found(dir: &Path) -> Result<PathBuf, Failure> {
        let file = dir.join(FILE);
        if !file.is_file() {
            let why = format!("no store here (no {FILE}); `zermelo prove` makes one");
            return Err(Failure::Store { file: dir.into(), why });
        }
        Ok(file)
    }

    /// Opens the store of a folder to look at it, also while somebody writes.
    pub fn read(dir: &Path) -> Result<Store, Failure> {
        let file = Store::found(dir)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let sql = Connection::open_with_flags(&file, flags)?;
        sql.busy_timeout(Duration::from_secs(10))?;
        let store = Store { sql, file, _lock: None, open: false, next_fact: 0, pending: 0 };
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
        self.sql.busy_timeout(Duration::from_secs(30))?;
        self.sql.pragma_update(None, "journal_mode", "WAL")?;
        self.sql.pragma_update(None, "synchronous", "FULL")?;
        self.sql.pragma_update(None, "cache_size", -64_000)?;
        self.sql.set_prepared_statement_cache_capacity(32);
        Ok(())
    }

    fn make(&mut self, about: &About) -> Result<(), Failure> {
        self.sql.execute_batch("BEGIN")?;
        self.sql.execute_batch(SCHEMA)?;
        self.sql.pragma_update(None, "user_version", FORMAT)?;
        self.sql.pragma_update(None, "application_id", APPLICATION)?;
        self.sql.execute_batch("COMMIT")?;
        self.set("game", &about.game)?;
        self.set("rules", &about.rules)?;
        let Bounds { lo, hi } = about.values;
        self.set("values", &format!("{lo} {hi}"))?;
        self.commit()
    }

    /// The format of the file.
    fn format(&self) -> Result<i32, Failure> {
        let pragma = |name| self.sql.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        match (pragma("user_version"), pragma("application_id")) {
            (Ok(format), Ok(APPLICATION)) => Ok(format),
            (Ok(_), Ok(_)) => Err(self.wrong("not a store of a proof".into())),
            (Err(e), _) | (_, Err(e)) => Err(self.broken(&e)),
        }
    }

    /// Brings an older file up to date.
    fn renew(&mut self) -> Result<(), Failure> {
        if self.format()? == 1 {
            let steps = format!("BEGIN IMMEDIATE; {FROM_1} PRAGMA user_version = {FORMAT}; COMMIT");
            self.sql.execute_batch(&steps).map_err(|e| self.broken(&e))?;
        }
        Ok(())
    }

    /// What the store is about.
    pub fn about(&self) -> Result<About, Failure> {
        match self.format()? {
            FORMAT => {}
            1 => {
                let why = format!(
                    "format 1, this program reads {FORMAT}: going on with the proof, or `zermelo store DIR compact`, \
                     brings it up to date"
                );
                return Err(self.wrong(why));
            }
            format => {
                return Err(self.wrong(format!("format {format}, this program knows {FORMAT}")));
            }
        }
        let get =
            |key: &str| self.get(key)?.ok_or_else(|| self.wrong(format!("it lacks its {key}")));
        let values = get("values")?;
        let parse = || -> Option<Bounds> {
            let (lo, hi) = values.split_once(' ')?;
            let (lo, hi) = (lo.parse().ok()?, hi.parse().ok()?);
            (lo <= hi).then_some(Bounds { lo, hi })
        };
        let values = parse().ok_or_else(|| self.wrong(format!("bad values '{values}'")))?;
        Ok(About { game: get("game")?, rules: get("rules")?, values })
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub(crate) fn sql(&self) -> &Connection {
        &self.sql
    }

    pub(crate) fn wrong(&self, why: String) -> Failure {
        Failure::Store { file: self.file.clone(), why }
    }

    fn broken(&self, error: &rusqlite::Error) -> Failure {
        self.wrong(format!("cannot be read: {error}"))
    }

    /// A line of the table of meta data.
    pub fn get(&self, key: &str) -> Result<Option<String>, Failure> {
        let query = "SELECT value FROM meta WHERE key = ?";
        let found = self.sql.query_row(query, [key], |row| row.get(0)).optional();
        found.map_err(|e| self.broken(&e))
    }

    /// Writes such a line.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        self.begin()?;
        self.sql.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", [key, value])?;
        Ok(())
    }

    /// Opens a transaction unless one is open.
    fn begin(&mut self) -> Result<(), Failure> {
        if !self.open {
            self.sql.execute_batch("BEGIN IMMEDIATE")?;
            self.open = true;
        }
        self.pending += 1;
        Ok(())
    }

    /// Makes everything written so far last.
    pub fn commit(&mut self) -> Result<(), Failure> {
        if self.open {
            self.sql.execute_batch("COMMIT")?;
            (self.open, self.pending) = (false, 0);
        }
        Ok(())
    }

    /// How many rows wait for a commit.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending
    }
}

/// What a store of this game is about.
#[must_use]
pub fn about(game: &dyn AnyGame) -> About {
    let name = game.full_name();
    let rules = crate::job::rules_digest(&name, &game.rules());
    About { game: name, rules, values: game.values() }
}
