//! Looking after a store: what is in it, whether it is sound, its facts as lines, sources that are believed no more, and smaller
//! files.

use crate::Failure;
use crate::graph::Graph;
use crate::missing::{Region, State};
use crate::names::Names;
use crate::store::{self, Store};
use rusqlite::OptionalExtension;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use zermelo_any::AnyGame;
use zermelo_game::{Bounds, Question, Value};

/// What is in a store.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Info {
    /// The game.
    pub game: String,
    /// The version of the program that wrote last.
    pub program: String,
    /// Positions, those with a known value, and those with moves.
    pub nodes: u64,
    /// See there.
    pub settled: u64,
    /// See there.
    pub expanded: u64,
    /// Moves.
    pub edges: u64,
    /// Facts.
    pub facts: u64,
    /// How many facts each source has: its name, the digest of its database, the count.
    pub sources: Vec<(String, String, u64)>,
    /// The roots, the last one first: the position and what is known of its value.
    pub roots: Vec<(String, Value, Value)>,
    /// Claims, and those that were withdrawn.
    pub claims: [u64; 2],
    /// Positions visited by provers, and their seconds.
    pub visited: u64,
    /// See there.
    pub work: f64,
    /// Size of the file.
    pub bytes: u64,
}

/// Says what is in a store.
pub fn info(dir: &Path) -> Result<Info, Failure> {
    let store = Store::read(dir)?;
    let sql = store.sql();
    let count = |query: &str| -> Result<u64, Failure> {
        Ok(sql.query_row(query, [], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0) as u64)
    };
    let mut query = sql.prepare(
        "SELECT source.name, source.database, count(*) FROM fact JOIN source ON source.id = fact.source \
         GROUP BY source.id ORDER BY 3 DESC",
    )?;
    let sources =
        query.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get::<_, i64>(2)? as u64)))?;
    let sources = sources.collect::<Result<_, _>>()?;
    let mut query = sql.prepare(
        "SELECT position, lo, hi FROM root JOIN node ON node.id = root.node ORDER BY seq DESC",
    )?;
    let roots = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let roots = roots.collect::<Result<_, _>>()?;
    let about = store.about()?;
    let micros = count("SELECT sum(micros) FROM node")?;
    Ok(Info {
        game: about.game,
        program: store.get("program")?.unwrap_or_default(),
        nodes: count("SELECT count(*) FROM node")?,
        settled: count("SELECT count(*) FROM node WHERE lo = hi")?,
        expanded: count("SELECT count(*) FROM node WHERE marks & 1")?,
        edges: count("SELECT count(*) FROM edge")?,
        facts: count("SELECT count(*) FROM fact")?,
        sources,
        roots,
        claims: [
            count("SELECT count(*) FROM claim")?,
            count("SELECT count(*) FROM claim WHERE withdrawn")?,
        ],
        visited: count("SELECT sum(nodes) FROM node")?,
        work: micros as f64 / 1e6,
        bytes: std::fs::metadata(store.file()).map(|m| m.len()).unwrap_or(0),
    })
}

/// A store in memory, to ask about positions.
pub struct Facts {
    graph: Graph,
    names: Names,
    root: Option<u32>,
}

impl Facts {
    /// Loads a store, with all that follows from its facts.
    pub fn load(dir: &Path, game: &dyn AnyGame) -> Result<Facts, Failure> {
        let mut store = Store::read(dir)?;
        let (found, wanted) = (store.about()?, store::about(game));
        if found.rules != wanted.rules {
            let why = format!("its facts were proved by other rules than those of {}", wanted.game);
            return Err(store.wrong(why));
        }
        let root = store.last_root()?;
        let (mut graph, mut names) = (Graph::new(game.values(), game.cycles()), Names::default());
        store.load(&mut graph, &mut names)?;
        let mut facts = Facts { graph, names, root };
        if game.cycles().is_some() {
            facts.go_round().map_err(|clash| store.named(&clash, &facts.names))?;
        }
        Ok(facts)
    }

    /// Adds what follows from going round in circles.
    fn go_round(&mut self) -> Result<(), crate::graph::Clash> {
        let values = self.graph.values;
        for at_least in values.lo + 1..=values.hi {
            let region = Region::whole(&self.graph, Question { at_least });
            for (&id, state) in region.ids.iter().zip(&region.state) {
                match state {
                    State::Yes => self.graph.learn(id, Bounds { lo: at_least, hi: values.hi })?,
                    State::No => {
                        self.graph.learn(id, Bounds { lo: values.lo, hi: at_least - 1 })?
                    }
                    State::Open => {}
                }
            }
        }
        Ok(())
    }

    /// What is known of a position, by its canonical text.
    #[must_use]
    pub fn known(&self, position: &str) -> Bounds {
        let found = self.names.find(position);
        found.map_or(self.graph.values, |id| self.graph.node(id).bounds)
    }

    /// The root that was asked for last, and what is known of it.
    #[must_use]
    pub fn root(&self) -> Option<(&str, Bounds)> {
        let root = self.root.filter(|id| (*id as usize) < self.graph.len())?;
        Some((self.names.text(root), self.graph.node(root).bounds))
    }

    /// How many positions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.graph.is_empty()
    }
}

/// Checks a store: the file, all facts' checksums, contradictions, every expanded position's moves against the rules,
/// and that whatever is written as known follows from facts. Says how many positions it has looked at.
pub fn check(dir: &Path, game: &dyn AnyGame) -> Result<u64, Failure> {
    let store = Store::read(dir)?;
    let sound: Option<String> =
        store.sql().query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).optional()?;
    if sound.as_deref() != Some("ok") {
        return Err(store.wrong(format!("damaged: {}", sound.unwrap_or_default())));
    }
    let facts = Facts::load(dir, game)?;
    let mut query =
        store.sql().prepare("SELECT id, lo, hi, floor, turn, marks FROM node ORDER BY id")?;
    let mut moves =
        store.sql().prepare("SELECT move, child FROM edge WHERE parent = ? ORDER BY ord")?;
    let mut rows = query.query([])?;
    let mut looked = 0;
    while let Some(row) = rows.next()? {
        let id: u32 = row.get(0)?;
        let written = Bounds { lo: row.get(1)?, hi: row.get(2)? };
        let (floor, turn, marks): (Value, u8, u8) = (row.get(3)?, row.get(4)?, row.get(5)?);
        let text = facts.names.text(id);
        let known = facts.graph.node(id).bounds;
        if written.lo > known.lo || written.hi < known.hi {
            return Err(
                store.wrong(format!("{written} is written of {text}, but only {known} follows"))
            );
        }
        let look = game.look(Some(text))?;
        let here = &look.here;
        if here.position != text || here.turn.index() != usize::from(turn) {
            return Err(store.wrong(format!("{text} is no position of {}", game.name())));
        }
        looked += 1;
        if marks & 1 == 0 {
            continue;
        }
        let listed: Vec<(String, u32)> = moves
            .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        let same = listed.len() == look.moves.len()
            && listed.iter().zip(&look.moves).all(|((mv, child), (text, after))| {
                mv == text && facts.names.text(*child) == after.position
            });
        // With another database more may be known without search, and fewer moves worth a look.
        let unknown = here.bounds.is_exact();
        if !unknown && (!same || here.bounds.seen_by(here.turn).lo * here.turn.sign() != floor) {
            return Err(
                store.wrong(format!("the moves of {text} are not those of {}", game.name()))
            );
        }
    }
    Ok(looked)
}

/// Writes all facts as lines of JSON: position, lo, hi, source, database.
pub fn export(dir: &Path, out: &mut dyn Write) -> Result<u64, Failure> {
    #[derive(Serialize)]
    struct Line<'l> {
        position: &'l str,
        lo: Value,
        hi: Value,
        source: &'l str,
        database: &'l str,
    }
    let store = Store::read(dir)?;
    let mut query = store.sql().prepare(
        "SELECT position, fact.lo, fact.hi, source.name, source.database FROM fact \
         JOIN node ON node.id = fact.node JOIN source ON source.id = fact.source ORDER BY fact.id",
    )?;
    let mut rows = query.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let text = |i| row.get_ref(i).and_then(|v| Ok(v.as_str()?));
        let line = Line {
            position: text(0)?,
            lo: row.get(1)?,
            hi: row.get(2)?,
            source: text(3)?,
            database: text(4)?,
        };
        let io = |e: std::io::Error| Failure::Io(store.file().into(), e);
        serde_json::to_writer(&mut *out, &line).map_err(|e| io(e.into()))?;
        out.write_all(b"\n").map_err(io)?;
        count += 1;
    }
    Ok(count)
}

/// Takes back all that a source has said, such as a prover that was found to lie. How many facts are gone. What followed from
/// them is open again, and will be proved anew.
pub fn forget(dir: &Path, game: &dyn AnyGame, source: &str) -> Result<u64, Failure> {
    let mut store = Store::reopen(dir)?;
    let gone = store.forget(source)?;
    if gone == 0 {
        let why = format!("there is no fact by \"{source}\" (`info` names all sources)");
        return Err(Failure::Refused(why));
    }
    // If what is left does not hold together either, nothing is changed.
    let (mut graph, mut names) = (Graph::new(game.values(), game.cycles()), Names::default());
    store.load(&mut graph, &mut names)?;
    for id in 0..graph.len() as u32 {
        store.set_bounds(id, graph.node(id).bounds)?;
    }
    store.commit()?;
    Ok(gone)
}

/// Makes the files of a store as small as they can be: the bytes before and after.
pub fn compact(dir: &Path) -> Result<[u64; 2], Failure> {
    let mut store = Store::reopen(dir)?;
    store.commit()?;
    let size = |store: &Store| std::fs::metadata(store.file()).map(|m| m.len()).unwrap_or(0);
    let before = size(&store);
    store.sql().execute_batch(
        "PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE);",
    )?;
    Ok([before, size(&store)])
}
