//! The tree on disk: one SQLite file, `DIR/proof.sqlite`, that other programs may read while a proof is going on
//! (write-ahead log, full sync). Format 1, in `user_version`; `application_id` is `0x5a50_5431`.
//!
//! | table | row |
//! |---|---|
//! | `meta` | `key`, `value`: `game` (as the registry opens it), `rules` (their digest), `program` (the last version that wrote), `values` (`lo hi`), `database` (the digest of the last one used) |
//! | `node` | `id` (0, 1, 2, ...; never reused), `position` (canonical text), `turn` (0: first player), `lo`, `hi` (all that is known of the value: facts and what follows), `floor` (what moves that are not in `edge` are worth), `score` (positive: first player stands better), `pn`, `dn` (numbers of the game for a leaf), `marks` (1 expanded, 2 judged by a search, 4 proof tried), `threshold` (when judged), `nodes`, `micros` (effort), and as of the last look `pn_win`, `dn_win`, `pn_loss`, `dn_loss` (proof numbers of "the first player wins" and of "the second player wins"; of the root, two moves deep, and of the line that the manager would follow; elsewhere old ones or none) |
//! | `edge` | `parent`, `ord` (the most promising first), `move` (text), `child`; all moves worth a look of an expanded node |
//! | `fact` | `id`, `node`, `lo`, `hi`, `source`, `sum` (of the row, see `fact_sum`); never changed |
//! | `source` | `id`, `name` (solver, version, settings; `rules` for static knowledge), `database` (digest, or empty) |
//! | `root` | `node`, `seq`: positions that somebody wanted to be proved |
//! | `claim` | `node`, `move`, `withdrawn` (0 or 1): moves to be tried first |
//! | `moment` | `time` (Unix), and how far the proof was: `root`, `threshold`, `nodes`, `settled`, `facts`, `frontier`, `jobs`, `seconds`, `lo`, `hi` |
//! | `prover` | `slot`, `position`, `since` (Unix): what each prover does now |
//!
//! `lo` and `hi` of a node are there for readers; whoever loads a store starts from the facts and works out again what
//! follows from them.

use crate::Failure;
use crate::graph::{Graph, Id, Node};
use crate::names::Names;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use zermelo_any::{AnyGame, Glance};
use zermelo_game::{Bounds, Player, Value};

/// The format of the file.
const FORMAT: i32 = 1;
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
  pn_win INTEGER, dn_win INTEGER, pn_loss INTEGER, dn_loss INTEGER);
CREATE TABLE edge(parent INTEGER NOT NULL, ord INTEGER NOT NULL, move TEXT NOT NULL, child INTEGER NOT NULL,
  PRIMARY KEY(parent, ord)) WITHOUT ROWID;
CREATE TABLE fact(id INTEGER PRIMARY KEY, node INTEGER NOT NULL, lo INTEGER NOT NULL, hi INTEGER NOT NULL,
  source INTEGER NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL, database TEXT NOT NULL, UNIQUE(name, database));
CREATE TABLE root(node INTEGER PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE claim(node INTEGER NOT NULL, move TEXT NOT NULL, withdrawn INTEGER NOT NULL, PRIMARY KEY(node)) WITHOUT ROWID;
CREATE TABLE moment(time REAL NOT NULL, root INTEGER NOT NULL, threshold INTEGER, nodes INTEGER NOT NULL,
  settled INTEGER NOT NULL, facts INTEGER NOT NULL, frontier INTEGER NOT NULL, jobs INTEGER NOT NULL,
  seconds REAL NOT NULL, lo INTEGER NOT NULL, hi INTEGER NOT NULL);
CREATE TABLE prover(slot INTEGER PRIMARY KEY, position TEXT NOT NULL, since REAL NOT NULL);
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
        let mut store =
            Store { sql, file, _lock: Some(lock), open: false, next_fact: 0, pending: 0 };
        store.settings().map_err(|e| store.broken(&e))?;
        let fresh: i64 =
            store.sql.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if fresh == 0 {
            store.make(about)?;
        }
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

    /// Opens the store of a folder to look at it, also while somebody writes.
    pub fn read(dir: &Path) -> Result<Store, Failure> {
        let file = dir.join(FILE);
        if !file.is_file() {
            let why = format!("no store here (no {FILE}); `zermelo prove` makes one");
            return Err(Failure::Store { file: dir.into(), why });
        }
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

    /// What the store is about.
    pub fn about(&self) -> Result<About, Failure> {
        let pragma = |name| self.sql.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let (format, application) = match (pragma("user_version"), pragma("application_id")) {
            (Ok(format), Ok(application)) => (format, application),
            (Err(e), _) | (_, Err(e)) => return Err(self.broken(&e)),
        };
        if application != APPLICATION {
            return Err(self.wrong("not a store of a proof".into()));
        }
        if format != FORMAT {
            return Err(self.wrong(format!("format {format}, this program knows {FORMAT}")));
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
        let Moment { root, threshold, counts, frontier, jobs, seconds, bounds } = *moment;
        let [nodes, settled, facts] = counts.map(|n| n as i64);
        self.sql
            .prepare_cached("INSERT INTO moment VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
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
                bounds.hi
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

    /// The facts about a position.
    pub fn facts_of(&self, node: Id) -> Result<Vec<Fact>, Failure> {
        let query = "SELECT fact.id, lo, hi, source.name, source.database FROM fact \
                     LEFT JOIN source ON source.id = fact.source WHERE node = ? ORDER BY fact.id";
        let mut query = self.sql.prepare(query)?;
        let facts = query.query_map([node], |row| {
            let (name, database): (Option<String>, Option<String>) = (row.get(3)?, row.get(4)?);
            let source = match (name, database) {
                (Some(name), Some(db)) if db.is_empty() => name,
                (Some(name), Some(db)) => {
                    format!("{name} with database {}", &db[..db.len().min(12)])
                }
                _ => "an unknown source".into(),
            };
            Ok(Fact {
                id: row.get(0)?,
                bounds: Bounds { lo: row.get(1)?, hi: row.get(2)? },
                source,
            })
        })?;
        Ok(facts.collect::<Result<_, _>>()?)
    }

    /// Loads everything: positions, moves and facts, and what follows from them.
    pub(crate) fn load(&mut self, graph: &mut Graph, names: &mut Names) -> Result<(), Failure> {
        let text = |e: rusqlite::Error| match e {
            rusqlite::Error::SqliteFailure(..) => self.broken(&e),
            other => self.wrong(format!("a row that cannot be: {other}")),
        };
        let values = graph.values;
        let mut linked = Vec::new();
        {
            let query =
                "SELECT id, position, turn, score, pn, dn, marks, floor FROM node ORDER BY id";
            let mut query = self.sql.prepare(query).map_err(text)?;
            let mut rows = query.query([]).map_err(text)?;
            while let Some(row) = rows.next().map_err(text)? {
                let mut read = || -> rusqlite::Result<_> {
                    let position = row.get_ref(1)?.as_str()?;
                    let turn = Player::from_index(usize::from(row.get::<_, u8>(2)?));
                    let mut node = Node::new(turn, values, row.get(3)?, (row.get(4)?, row.get(5)?));
                    node.floor = row.get(7)?;
                    let marks: u8 = row.get(6)?;
                    Ok((
                        row.get::<_, i64>(0)?,
                        names.find(position),
                        names.add(position),
                        node,
                        marks,
                    ))
                };
                let (id, known, next, node, marks) = read().map_err(text)?;
                if id != i64::from(next) || known.is_some() {
                    return Err(
                        self.wrong(format!("position {id} is out of order, or there twice"))
                    );
                }
                let (floor, score) = (node.floor, node.score);
                graph.add(node);
                if marks & JUDGED != 0 {
                    graph.judge(next, score);
                }
                if marks & TRIED != 0 {
                    graph.try_once(next);
                }
                if marks & EXPANDED != 0 {
                    linked.push((next, floor));
                }
            }
        }
        self.load_edges(graph, &linked, &text)?;
        let known = graph.len() as i64;
        let mut query = self
            .sql
            .prepare("SELECT id, node, lo, hi, source, sum FROM fact ORDER BY id")
            .map_err(text)?;
        let mut rows = query.query([]).map_err(text)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(text)? {
            let read = || -> rusqlite::Result<_> {
                let bounds = Bounds { lo: row.get(2)?, hi: row.get(3)? };
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, i64>(1)?,
                    bounds,
                    row.get(4)?,
                    row.get::<_, i64>(5)?,
                ))
            };
            let (id, node, bounds, source, sum) = read().map_err(text)?;
            count += 1;
            let fits = (0..known).contains(&node)
                && values.contains(bounds.lo)
                && values.contains(bounds.hi);
            if id != count
                || !fits
                || bounds.lo > bounds.hi
                || fact_sum(id, names.text(node as Id), bounds, source) != sum
            {
                return Err(self.wrong(format!("fact {id} is damaged")));
            }
            graph.tell(node as Id, bounds).map_err(|clash| self.named(&clash, names))?;
        }
        drop(rows);
        drop(query);
        graph.follow_all().map_err(|clash| self.named(&clash, names))?;
        graph.news();
        self.next_fact = count;
        Ok(())
    }

    fn load_edges(
        &self,
        graph: &mut Graph,
        expanded: &[(Id, Value)],
        text: &dyn Fn(rusqlite::Error) -> Failure,
    ) -> Result<(), Failure> {
        let known = graph.len() as i64;
        let mut query = self
            .sql
            .prepare("SELECT parent, ord, child FROM edge ORDER BY parent, ord")
            .map_err(text)?;
        let mut rows = query.query([]).map_err(text)?;
        let mut expanded = expanded.iter().copied();
        let mut at: Option<(Id, Value)> = expanded.next();
        let mut children: Vec<Id> = Vec::new();
        while let Some(row) = rows.next().map_err(text)? {
            let read =
                || -> rusqlite::Result<[i64; 3]> { Ok([row.get(0)?, row.get(1)?, row.get(2)?]) };
            let [parent, ord, child] = read().map_err(text)?;
            // Positions whose edges are complete.
            while let Some((id, floor)) = at.filter(|(id, _)| i64::from(*id) < parent) {
                graph.link(id, floor, &children);
                children.clear();
                at = expanded.next();
            }
            if at.is_none_or(|(id, _)| i64::from(id) != parent)
                || ord != children.len() as i64
                || !(0..known).contains(&child)
            {
                return Err(self.wrong(format!("a move of position {parent} is out of place")));
            }
            children.push(child as Id);
        }
        while let Some((id, floor)) = at {
            graph.link(id, floor, &children);
            children.clear();
            at = expanded.next();
        }
        Ok(())
    }

    /// A contradiction in words: the position, and all facts about it with their sources.
    pub(crate) fn named(&self, clash: &crate::graph::Clash, names: &Names) -> Failure {
        let position = names.text(clash.node);
        let mut words = format!("{clash}; it is {position}");
        for fact in self.facts_of(clash.node).unwrap_or_default() {
            words += &format!("; fact {} by {}: {}", fact.id, fact.source, fact.bounds);
        }
        Failure::Contradiction(words)
    }
}

/// What a store of this game is about.
#[must_use]
pub fn about(game: &dyn AnyGame) -> About {
    let name = game.full_name();
    let rules = crate::job::rules_digest(&name, &game.rules());
    About { game: name, rules, values: game.values() }
}
