//! The format of the file: how it is made, recognised and brought up to date. Each of these is one transaction, so a run that
//! is killed leaves what was there before or what is there afterwards. An empty file, and one that an earlier version of this
//! program left without its meta data (it wrote them in a second transaction), are finished by the next run.
//!
//! A store that is refused, because it is about another game or other rules, is left as it is.

use super::{About, Store, about_sum};
use crate::ProofTreeFailure;
use rusqlite::OptionalExtension;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use zermelo_game::Bounds;
use zermelo_game::identity::{FIRST, Identity};
use zermelo_game::outside::printable;

/// The format of the file.
pub(crate) const FORMAT: i32 = 4;
/// The oldest that can be read without being brought up to date.
const READABLE: i32 = 2;
const APPLICATION: i32 = 0x5a50_5431;
/// Since format 4, the version of the rules.
const VERSION: &str = "rules_version";
/// Since format 4, the checksum of game, version and values.
const SUM: &str = "sum";
/// Up to format 3, in place of both: the digest of the rules in words.
const WORDS: &str = "rules";

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
  source INTEGER NOT NULL, sum INTEGER NOT NULL, audit INTEGER);
CREATE INDEX fact_node ON fact(node);
CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL, database TEXT NOT NULL, kind TEXT NOT NULL,
  giver TEXT NOT NULL, UNIQUE(name, database, kind, giver));
CREATE TABLE root(node INTEGER PRIMARY KEY, seq INTEGER NOT NULL);
CREATE TABLE claim(node INTEGER NOT NULL, move TEXT NOT NULL, withdrawn INTEGER NOT NULL, PRIMARY KEY(node)) WITHOUT ROWID;
CREATE TABLE moment(time REAL NOT NULL, root INTEGER NOT NULL, threshold INTEGER, nodes INTEGER NOT NULL,
  settled INTEGER NOT NULL, facts INTEGER NOT NULL, frontier INTEGER NOT NULL, jobs INTEGER NOT NULL,
  seconds REAL NOT NULL, lo INTEGER NOT NULL, hi INTEGER NOT NULL,
  pn_win INTEGER, dn_win INTEGER, pn_loss INTEGER, dn_loss INTEGER,
  visited INTEGER NOT NULL DEFAULT 0, work REAL NOT NULL DEFAULT 0);
CREATE TABLE prover(slot INTEGER PRIMARY KEY, position TEXT NOT NULL, since REAL NOT NULL);
CREATE TABLE failure(node INTEGER NOT NULL, prover TEXT NOT NULL, tries INTEGER NOT NULL,
  PRIMARY KEY(node, prover)) WITHOUT ROWID;
CREATE TABLE withdrawn(node INTEGER NOT NULL, lo INTEGER NOT NULL, hi INTEGER NOT NULL, source INTEGER NOT NULL,
  time REAL NOT NULL);
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

/// What makes a store of format 2 one of format 3. Who the sources were nobody noted.
const FROM_2: &str = "
ALTER TABLE fact ADD COLUMN audit INTEGER;
CREATE TABLE source_3(id INTEGER PRIMARY KEY, name TEXT NOT NULL, database TEXT NOT NULL, kind TEXT NOT NULL,
  giver TEXT NOT NULL, UNIQUE(name, database, kind, giver));
INSERT INTO source_3 SELECT id, name, database, CASE name WHEN 'rules' THEN 'rules' ELSE 'unknown' END, name FROM source;
DROP TABLE source;
ALTER TABLE source_3 RENAME TO source;
CREATE TABLE failure(node INTEGER NOT NULL, prover TEXT NOT NULL, tries INTEGER NOT NULL,
  PRIMARY KEY(node, prover)) WITHOUT ROWID;
CREATE TABLE withdrawn(node INTEGER NOT NULL, lo INTEGER NOT NULL, hi INTEGER NOT NULL, source INTEGER NOT NULL,
  time REAL NOT NULL);
";

/// A number that nobody can guess: which facts are audited depends on it, and a liar must not know.
fn salt() -> String {
    // The seeds of a hash table come from the system.
    let draw = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", draw(), draw())
}

impl Store {
    /// Brings the file up to date, or makes a new store of it if there is nothing in it.
    pub(super) fn renew(&mut self, about: Option<&About>) -> Result<(), ProofTreeFailure> {
        let found = match self.is_empty()? {
            true => None,
            false => Some(self.number()?),
        };
        let older = match found {
            Some(1..FORMAT) if !self.lacks_meta()? => Some(self.written()?),
            _ => None,
        };
        let steps = match found {
            None if about.is_some() => Some(SCHEMA.to_owned()),
            Some(1) => Some(format!("{FROM_1}{FROM_2}")),
            Some(2) => Some(FROM_2.to_owned()),
            // Only the meta data differ.
            Some(3) => Some(String::new()),
            _ => None,
        };
        if let Some(steps) = &steps {
            self.begin()?;
            self.sql.execute_batch(steps).map_err(|e| self.broken(&e))?;
            self.sql.pragma_update(None, "application_id", APPLICATION)?;
            self.sql.pragma_update(None, "user_version", FORMAT)?;
        }
        let noted = match (&older, about) {
            (Some(older), _) => Some(older),
            (None, Some(about)) if self.lacks_meta()? => Some(about),
            _ => None,
        };
        if let Some(about) = noted {
            let Bounds { lo, hi } = about.values;
            self.set("game", &about.identity.game)?;
            self.set(VERSION, &about.identity.rules_version.to_string())?;
            self.set("values", &format!("{lo} {hi}"))?;
            self.set(SUM, &about_sum(about))?;
        }
        // What is audited must not change with the format.
        if steps.is_some() && self.get("salt")?.is_none() {
            self.set("salt", &salt())?;
        }
        self.commit()?;
        if !self.is_empty()? {
            self.format = self.number()?;
        }
        Ok(())
    }

    /// Whether there is nothing in the file: a run that has just begun was killed.
    pub(super) fn is_empty(&self) -> Result<bool, ProofTreeFailure> {
        let count = |query| self.sql.query_row(query, [], |row| row.get::<_, i64>(0));
        let tables = count("SELECT count(*) FROM sqlite_schema").map_err(|e| self.broken(&e))?;
        let marks = ["user_version", "application_id"];
        let marked = marks.iter().any(|name| {
            self.sql.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).ok() != Some(0)
        });
        Ok(tables == 0 && !marked)
    }

    /// Whether a store lacks its meta data because a run of an earlier version was killed before it wrote them: then there
    /// is no position in it.
    fn lacks_meta(&self) -> Result<bool, ProofTreeFailure> {
        for key in ["game", WORDS, VERSION, "values"] {
            if self.get(key)?.is_some() {
                return Ok(false);
            }
        }
        let mut lacking = true;
        for table in ["node", "fact"] {
            let query = format!("SELECT count(*) FROM {table}");
            let rows = self.sql.query_row(&query, [], |row| row.get::<_, i64>(0));
            lacking &= rows.map_err(|e| self.broken(&e))? == 0;
        }
        Ok(lacking)
    }

    /// The number of the file's format.
    fn number(&self) -> Result<i32, ProofTreeFailure> {
        let pragma = |name| self.sql.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        match (pragma("user_version"), pragma("application_id")) {
            (Ok(format), Ok(APPLICATION)) => Ok(format),
            (Ok(_), Ok(_)) => Err(self.wrong("not a store of a proof".into())),
            (Err(e), _) | (_, Err(e)) => Err(self.broken(&e)),
        }
    }

    /// Refuses a file that is no store, before anything about it is changed.
    pub(super) fn recognise(&mut self) -> Result<(), ProofTreeFailure> {
        if self.is_empty()? {
            return Ok(());
        }
        self.format = self.number()?;
        match self.format {
            1..=FORMAT => Ok(()),
            format => Err(self.wrong(format!("format {format}, this program knows {FORMAT}"))),
        }
    }

    /// What the store is about.
    pub fn about(&self) -> Result<About, ProofTreeFailure> {
        if !self.is_empty()? && self.number()? < READABLE {
            let why = format!(
                "format {}, this program reads {READABLE} to {FORMAT}: going on with the proof, or \
                 `zermelo store DIR compact`, brings it up to date",
                self.number()?
            );
            return Err(self.wrong(why));
        }
        self.written()
    }

    /// The same for every format that was ever written.
    pub(super) fn written(&self) -> Result<About, ProofTreeFailure> {
        if self.is_empty()? {
            let why = "nothing is in it yet: a run has just begun, or was killed when it had. The same \
                       `zermelo prove` goes on";
            return Err(self.wrong(why.into()));
        }
        let format = self.number()?;
        if !(1..=FORMAT).contains(&format) {
            return Err(self.wrong(format!("format {format}, this program knows {FORMAT}")));
        }
        let lacks = |key: &str| match self.lacks_meta() {
            Ok(true) => {
                "a run was killed while it made the store; the same `zermelo prove` goes on".into()
            }
            _ => format!("it lacks its {key}"),
        };
        let get = |key: &str| self.get(key)?.ok_or_else(|| self.wrong(lacks(key)));
        let bad = |key: &str, text: &str| self.wrong(format!("bad {key} '{}'", printable(text)));
        let values = get("values")?;
        let parse = || -> Option<Bounds> {
            let (lo, hi) = values.split_once(' ')?;
            let (lo, hi) = (lo.parse().ok()?, hi.parse().ok()?);
            (lo <= hi).then_some(Bounds { lo, hi })
        };
        let values = parse().ok_or_else(|| bad("values", &values))?;
        let game = get("game")?;
        if format < 4 {
            // The words may have changed since, so there is nothing to compare the digest with.
            let digest = get(WORDS)?;
            let sound = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
            if !sound {
                return Err(bad(WORDS, &digest));
            }
            return Ok(About { identity: Identity { game, rules_version: FIRST }, values });
        }
        let version = get(VERSION)?;
        let number = version.parse().ok().filter(|number: &u32| *number >= FIRST);
        let rules_version = number.ok_or_else(|| bad(VERSION, &version))?;
        let about = About { identity: Identity { game, rules_version }, values };
        match get(SUM)? == about_sum(&about) {
            true => Ok(about),
            false => {
                Err(self.wrong("damaged: its game, rules version or values were changed".into()))
            }
        }
    }

    /// Refuses a store of another game, or by other rules, before anything about it is changed.
    pub(crate) fn expect(&self, about: &About) -> Result<(), ProofTreeFailure> {
        if self.is_empty()? || self.lacks_meta()? {
            return Ok(());
        }
        let found = self.written()?;
        let Identity { game, rules_version: ours } = &about.identity;
        let theirs = found.identity.rules_version;
        let why = if found.identity.game != *game {
            format!("a store of {}, not of {}", printable(&found.identity.game), printable(game))
        } else if theirs < *ours {
            format!(
                "made by rules version {theirs} of {game}, this program plays by version {ours}: what it holds may be \
                 wrong now. Prove anew in another folder, or go on with a program of version {theirs}",
                game = printable(game)
            )
        } else if theirs > *ours {
            format!(
                "made by rules version {theirs} of {game}, this program plays by version {ours}, which is older: go on \
                 with a newer program, or prove anew in another folder",
                game = printable(game)
            )
        } else if found.values != about.values {
            format!("its values lie in {}, those of the game in {}", found.values, about.values)
        } else {
            return Ok(());
        };
        Err(self.wrong(why))
    }

    /// A line of the table of meta data.
    pub fn get(&self, key: &str) -> Result<Option<String>, ProofTreeFailure> {
        let query = "SELECT value FROM meta WHERE key = ?";
        let found = self.sql.query_row(query, [key], |row| row.get(0)).optional();
        found.map_err(|e| self.broken(&e))
    }
}
