//! Maintenance of a store: what is in it, its facts as lines, sources that are believed no more, and smaller files.
//! ([`check`](mod@crate::check) says whether it is sound.)

use crate::ProofTreeFailure;
use crate::graph::ProofGraph;
use crate::missing::go_round;
use crate::names::Names;
use crate::source::FactSource;
use crate::store::{self, Store};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use zermelo_erased::AnyGame;
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Value};

pub use crate::check::check;

/// What is in a store.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Info {
    /// The game.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
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
    /// Facts that were withdrawn, because whoever said them is believed no more.
    pub withdrawn: u64,
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
    /// Bytes of the store on disk: of its file and of what SQLite keeps beside it.
    pub bytes: u64,
    /// Those beside it: the write-ahead log, in which the latest facts are as long as a run is at work or after it was killed.
    pub log_bytes: u64,
}

/// Says what is in a store.
pub fn info(dir: &Path) -> Result<Info, ProofTreeFailure> {
    // Before it is opened, as SQLite makes a file beside it for readers.
    let [bytes, log_bytes] = store::sizes(dir);
    let store = Store::read(dir)?;
    let sql = store.sql();
    let count = |query: &str| -> Result<u64, ProofTreeFailure> {
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
        game: about.identity.game,
        rules_version: about.identity.rules_version,
        program: store.get("program")?.unwrap_or_default(),
        nodes: count("SELECT count(*) FROM node")?,
        settled: count("SELECT count(*) FROM node WHERE lo = hi")?,
        expanded: count("SELECT count(*) FROM node WHERE marks & 1")?,
        edges: count("SELECT count(*) FROM edge")?,
        facts: count("SELECT count(*) FROM fact")?,
        withdrawn: match store.format() {
            ..=2 => 0,
            _ => count("SELECT count(*) FROM withdrawn")?,
        },
        sources,
        roots,
        claims: [
            count("SELECT count(*) FROM claim")?,
            count("SELECT count(*) FROM claim WHERE withdrawn")?,
        ],
        visited: count("SELECT sum(nodes) FROM node")?,
        work: micros as f64 / 1e6,
        bytes: bytes + log_bytes,
        log_bytes,
    })
}

/// A store in memory, to ask about positions.
pub struct LoadedStore {
    pub(crate) graph: ProofGraph,
    pub(crate) names: Names,
    root: Option<u32>,
}

impl LoadedStore {
    /// Loads a store, with all that follows from its facts.
    pub fn load(dir: &Path, game: &dyn AnyGame) -> Result<LoadedStore, ProofTreeFailure> {
        let mut store = Store::read(dir)?;
        store.about()?;
        store.expect(&store::about(game))?;
        let root = store.last_root()?;
        let (mut graph, mut names) =
            (ProofGraph::new(game.values(), game.cycle_value()), Names::default());
        store.load(&mut graph, &mut names)?;
        go_round(&mut graph).map_err(|clash| store.named(&clash, &graph, &names))?;
        Ok(LoadedStore { graph, names, root })
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

/// Writes all facts as lines of JSON: position, lo, hi, source, database.
pub fn export(dir: &Path, out: &mut dyn Write) -> Result<u64, ProofTreeFailure> {
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
        let io = |e: std::io::Error| ProofTreeFailure::Io(store.file().into(), e);
        serde_json::to_writer(&mut *out, &line).map_err(|e| io(e.into()))?;
        out.write_all(b"\n").map_err(io)?;
        count += 1;
    }
    Ok(count)
}

/// Takes back all that a source has said, such as a prover that was found to lie: all facts under this name, or of a giver of this
/// name, whatever it called itself. How many facts are gone. What followed from them is open again, and will be proved
/// anew.
pub fn forget(dir: &Path, game: &dyn AnyGame, name: &str) -> Result<u64, ProofTreeFailure> {
    let mut store = Store::reopen(dir, Some(&store::about(game)))?;
    let named = |source: &FactSource| source.name == name || source.giver == name;
    let sources = store.sources()?.into_iter().filter(|(_, source)| named(source));
    let gone = store.withdraw(&sources.map(|(id, _)| id).collect::<Vec<i64>>())?;
    if gone == 0 {
        let why = format!("there is no fact by \"{}\" (`info` names all sources)", printable(name));
        return Err(ProofTreeFailure::Refused(why));
    }
    // If what is left does not hold together either, nothing is changed.
    let (mut graph, mut names) =
        (ProofGraph::new(game.values(), game.cycle_value()), Names::default());
    store.load(&mut graph, &mut names)?;
    for id in 0..graph.len() as u32 {
        store.set_bounds(id, graph.node(id).bounds)?;
    }
    store.commit()?;
    Ok(gone)
}

/// Makes the files of a store as small as they can be: the bytes before and after, those beside the file among them.
pub fn compact(dir: &Path) -> Result<[u64; 2], ProofTreeFailure> {
    let size = || store::sizes(dir).into_iter().sum();
    let before = size();
    let mut store = Store::reopen(dir, None)?;
    store.commit()?;
    store.sql().execute_batch(
        "PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE);",
    )?;
    // Who closes the store last removes what is beside it.
    drop(store);
    Ok([before, size()])
}
