//! Whether a store is sound: everything in it is read again, and nothing in it is taken for granted. What no check can know
//! is whether a prover told the truth.

use crate::ProofTreeFailure;
use crate::maintenance::LoadedStore;
use crate::numbers::MOST;
use crate::source::SourceKind;
use crate::store::{self, Store};
use rusqlite::OptionalExtension;
use std::path::Path;
use zermelo_erased::AnyGame;
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Value};

/// Rows that cannot be, by table: what is wrong, a query for the first such row, and since which format there is such a
/// table. `:lo` and `:hi` are the range of values, `:most` is the largest proof number.
const IMPOSSIBLE: [(&str, &str, i32); 13] = [
    (
        "position {} is damaged",
        "SELECT id FROM node WHERE NOT (typeof(position) = 'text' AND turn IN (0, 1) \
         AND typeof(lo) = 'integer' AND typeof(hi) = 'integer' AND typeof(floor) = 'integer' \
         AND lo BETWEEN :lo AND hi AND hi <= :hi AND floor BETWEEN :lo AND :hi \
         AND typeof(score) = 'integer' AND pn BETWEEN 0 AND 4294967295 AND dn BETWEEN 0 AND 4294967295 \
         AND marks BETWEEN 0 AND 7 AND coalesce(threshold, 1) > 0 \
         AND typeof(nodes) = 'integer' AND nodes >= 0 AND typeof(micros) = 'integer' AND micros >= 0) LIMIT 1",
        2,
    ),
    (
        "position {} was told numbers that cannot be",
        "SELECT id FROM node WHERE asked IS NOT NULL AND NOT (asked > :lo AND asked <= :hi \
         AND coalesce(yes, 0) BETWEEN 1 AND :most AND coalesce(no, 0) BETWEEN 1 AND :most) \
         OR asked IS NULL AND (yes IS NOT NULL OR no IS NOT NULL) LIMIT 1",
        2,
    ),
    (
        "position {} has proof numbers that cannot be",
        "SELECT id FROM node WHERE (pn_win IS NULL) <> (dn_win IS NULL) OR (pn_loss IS NULL) <> (dn_loss IS NULL) \
         OR coalesce(pn_win, 0) NOT BETWEEN 0 AND 4294967295 OR coalesce(dn_win, 0) NOT BETWEEN 0 AND 4294967295 \
         OR coalesce(pn_loss, 0) NOT BETWEEN 0 AND 4294967295 OR coalesce(dn_loss, 0) NOT BETWEEN 0 AND 4294967295 LIMIT 1",
        2,
    ),
    (
        "fact {} has no source",
        "SELECT id FROM fact WHERE source NOT IN (SELECT id FROM source) LIMIT 1",
        2,
    ),
    ("source {} has no name", "SELECT id FROM source WHERE name = '' LIMIT 1", 2),
    (
        "root {} is no position",
        "SELECT node FROM root WHERE node NOT IN (SELECT id FROM node) OR typeof(seq) <> 'integer' OR seq < 1 \
         OR (SELECT count(*) FROM root AS other WHERE other.seq = root.seq) > 1 LIMIT 1",
        2,
    ),
    (
        "a claim is about position {}, which is none",
        "SELECT node FROM claim WHERE node NOT IN (SELECT id FROM node) OR withdrawn NOT IN (0, 1) LIMIT 1",
        2,
    ),
    (
        "row {} of how far the proof was is damaged",
        "SELECT rowid FROM moment WHERE NOT (root IN (SELECT id FROM node) AND typeof(time) IN ('real', 'integer') \
         AND lo BETWEEN :lo AND hi AND hi <= :hi AND nodes >= 0 AND settled BETWEEN 0 AND nodes AND facts >= 0 \
         AND frontier >= 0 AND jobs >= 0 AND seconds >= 0 AND visited >= 0 AND work >= 0) LIMIT 1",
        2,
    ),
    (
        "prover {} does what cannot be",
        "SELECT slot FROM prover WHERE slot < 0 OR typeof(since) NOT IN ('real', 'integer') LIMIT 1",
        2,
    ),
    (
        "fact {} has an audit that cannot be",
        "SELECT id FROM fact WHERE coalesce(audit, 1) NOT IN (1, 2) LIMIT 1",
        3,
    ),
    (
        "failures are noted of position {}, which is none, or too few",
        "SELECT node FROM failure WHERE node NOT IN (SELECT id FROM node) OR typeof(tries) <> 'integer' \
         OR tries NOT BETWEEN 1 AND 4294967295 LIMIT 1",
        3,
    ),
    (
        "a fact that was withdrawn is about position {}, and cannot be",
        "SELECT node FROM withdrawn WHERE NOT (node IN (SELECT id FROM node) AND source IN (SELECT id FROM source) \
         AND lo BETWEEN :lo AND hi AND hi <= :hi) LIMIT 1",
        3,
    ),
    (
        "source {} has no giver",
        "SELECT id FROM source WHERE giver = '' OR (kind = 'rules') <> (name = 'rules' AND giver = 'rules') LIMIT 1",
        3,
    ),
];

/// Checks a store: the file, every row's range, all facts' checksums, contradictions, every expanded position's moves and
/// every claim's against the rules, and that whatever is written as known follows from facts. Says how many positions it has
/// looked at.
pub fn check(dir: &Path, game: &dyn AnyGame) -> Result<u64, ProofTreeFailure> {
    let store = Store::read(dir)?;
    let sound: Option<String> =
        store.sql().query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).optional()?;
    if sound.as_deref() != Some("ok") {
        let why = sound.unwrap_or_default();
        return Err(store.wrong(format!("damaged: {}", printable(&why))));
    }
    store.about()?;
    store.expect(&store::about(game))?;
    rows(&store, game.values())?;
    let facts = LoadedStore::load(dir, game)?;
    claims(&store, game)?;
    positions(&store, &facts, game)
}

/// Ranges, and numbers that name nothing.
fn rows(store: &Store, Bounds { lo, hi }: Bounds) -> Result<(), ProofTreeFailure> {
    for (why, query, _) in IMPOSSIBLE.iter().filter(|(.., since)| *since <= store.format()) {
        let mut query = store.sql().prepare(query)?;
        for (name, value) in [(":lo", i64::from(lo)), (":hi", hi.into()), (":most", MOST.into())] {
            if let Some(at) = query.parameter_index(name)? {
                query.raw_bind_parameter(at, value)?;
            }
        }
        if let Some(row) = query.raw_query().next()? {
            let number: i64 = row.get(0)?;
            return Err(store.wrong(why.replace("{}", &number.to_string())));
        }
    }
    if store.format() >= 3 {
        let mut query = store.sql().prepare("SELECT id, kind FROM source")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            if SourceKind::named(row.get_ref(1)?.as_str().unwrap_or_default()).is_none() {
                let id: i64 = row.get(0)?;
                return Err(store.wrong(format!("source {id} is of no kind")));
            }
        }
    }
    Ok(())
}

/// Claims are legal moves.
fn claims(store: &Store, game: &dyn AnyGame) -> Result<(), ProofTreeFailure> {
    let query = "SELECT position, move FROM claim JOIN node ON node.id = claim.node";
    let mut query = store.sql().prepare(query)?;
    let mut rows = query.query([])?;
    let mut session = game.session();
    while let Some(row) = rows.next()? {
        let (position, mv): (String, String) = (row.get(0)?, row.get(1)?);
        session.set_position(&position)?;
        if session.play(&mv).is_err() {
            let (mv, position) = (printable(&mv), printable(&position));
            return Err(store
                .wrong(format!("it is claimed that {mv} wins in {position}, which is no move")));
        }
    }
    Ok(())
}

/// Positions and their moves, against the rules.
fn positions(
    store: &Store,
    facts: &LoadedStore,
    game: &dyn AnyGame,
) -> Result<u64, ProofTreeFailure> {
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
        let (text, known) = (facts.names.text(id), facts.graph.node(id).bounds);
        let shown = printable(text);
        if written.lo > known.lo || written.hi < known.hi {
            let why = format!("{written} is written of {shown}, but only {known} follows");
            return Err(store.wrong(why));
        }
        let expansion = game.expand(Some(text))?;
        let here = &expansion.here;
        if here.position != text || here.turn.index() != usize::from(turn) {
            return Err(store.wrong(format!("{shown} is no position of {}", game.name())));
        }
        if known.meet(here.bounds).is_err() {
            let why =
                format!("{known} follows for {shown}, which the rules say is {}", here.bounds);
            return Err(store.wrong(why));
        }
        looked += 1;
        if marks & 1 == 0 {
            continue;
        }
        let listed: Vec<(String, u32)> = moves
            .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        let same = listed.len() == expansion.moves.len()
            && listed.iter().zip(&expansion.moves).all(|((mv, child), (text, after))| {
                mv == text && facts.names.text(*child) == after.position
            });
        // With another database more may be known without search, and fewer moves are candidates.
        let unknown = here.bounds.is_exact();
        if !unknown && (!same || here.bounds.seen_by(here.turn).lo * here.turn.sign() != floor) {
            let why = format!("the moves of {shown} are not those of {}", game.name());
            return Err(store.wrong(why));
        }
    }
    Ok(looked)
}
