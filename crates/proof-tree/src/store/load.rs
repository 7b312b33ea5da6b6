//! What is read back from a store: all of it, as a graph, or the facts about one position. Nothing is believed: whatever
//! cannot be is an error that names the row.

use super::{EXPANDED, JUDGED, MARKS, Store, StoredFact, TRIED, fact_sum};
use crate::ProofTreeFailure;
use crate::contradiction::{ContradictionReport, Light, Statement, TOLD};
use crate::graph::{Clash, Id, ProofGraph, ProofNode};
use crate::names::Names;
use crate::source::{FactSource, SourceKind};
use rusqlite::Row;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use zermelo_game::{Bounds, Player, Value};

/// A contradiction tells so many statements of each source, and looks for them at so many positions.
const OF_EACH: usize = 3;
const SEEN: usize = 10_000;

/// A fact as it stands in the table.
#[derive(Clone, Copy)]
pub(crate) struct LoadedFact {
    pub(crate) id: i64,
    pub(crate) node: Id,
    pub(crate) bounds: Bounds,
    pub(crate) source: i64,
    /// Whether an audit has looked at it.
    pub(crate) audited: bool,
}

/// Reads a source from four columns: name, database, kind, giver.
fn source(row: &Row, at: usize) -> rusqlite::Result<(FactSource, String)> {
    let unknown = || "an unknown source".to_owned();
    let text = |i| -> rusqlite::Result<Option<String>> { row.get(at + i) };
    let kind = text(2)?.and_then(|word| SourceKind::named(&word)).unwrap_or(SourceKind::Unknown);
    let (name, giver) = (text(0)?.unwrap_or_else(unknown), text(3)?.unwrap_or_else(unknown));
    Ok((FactSource { kind, giver, name }, text(1)?.unwrap_or_default()))
}

impl Store {
    /// The columns of a source. In format 2 it had a name only.
    pub(crate) fn source_columns(&self) -> &'static str {
        match self.format {
            ..=2 => {
                "source.name, source.database, \
                 CASE source.name WHEN 'rules' THEN 'rules' ELSE 'unknown' END, source.name"
            }
            _ => "source.name, source.database, source.kind, source.giver",
        }
    }

    /// The facts about a position.
    pub fn facts_of(&self, node: Id) -> Result<Vec<StoredFact>, ProofTreeFailure> {
        let columns = self.source_columns();
        let query = format!(
            "SELECT fact.id, lo, hi, {columns} FROM fact \
             LEFT JOIN source ON source.id = fact.source WHERE node = ? ORDER BY fact.id"
        );
        let mut query = self.sql.prepare_cached(&query)?;
        let facts = query.query_map([node], |row| {
            let (source, database) = source(row, 3)?;
            let bounds = Bounds { lo: row.get(1)?, hi: row.get(2)? };
            Ok(StoredFact { id: row.get(0)?, bounds, source, database })
        })?;
        Ok(facts.collect::<Result<_, _>>()?)
    }

    /// All sources by their numbers.
    pub(crate) fn sources(&self) -> Result<Vec<(i64, FactSource)>, ProofTreeFailure> {
        let query = format!("SELECT {}, id FROM source ORDER BY id", self.source_columns());
        let mut query = self.sql.prepare(&query)?;
        let all = query.query_map([], |row| Ok((row.get(4)?, source(row, 0)?.0)))?;
        Ok(all.collect::<Result<_, _>>()?)
    }

    /// Loads everything: positions, moves and facts, and what follows from them.
    pub(crate) fn load(
        &mut self,
        graph: &mut ProofGraph,
        names: &mut Names,
    ) -> Result<(), ProofTreeFailure> {
        let text = |e| self.unreadable(e);
        let values = graph.values;
        let mut linked = Vec::new();
        {
            let query = "SELECT id, position, turn, score, pn, dn, marks, floor, asked, yes, no FROM node \
                 ORDER BY id";
            let mut query = self.sql.prepare(query).map_err(text)?;
            let mut rows = query.query([]).map_err(text)?;
            while let Some(row) = rows.next().map_err(text)? {
                let mut read = || -> rusqlite::Result<_> {
                    let position = row.get_ref(1)?.as_str()?;
                    let turn = Player::from_index(usize::from(row.get::<_, u8>(2)?));
                    let mut node =
                        ProofNode::new(turn, values, row.get(3)?, (row.get(4)?, row.get(5)?));
                    node.floor = row.get(7)?;
                    let asked: Option<Value> = row.get(8)?;
                    node.told = match asked {
                        Some(at_least) => Some((at_least, [row.get(9)?, row.get(10)?])),
                        None => None,
                    };
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
                if !values.contains(node.floor) || marks & !MARKS != 0 {
                    return Err(self.wrong(format!("position {id} is damaged")));
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
        let mut count = 0;
        self.each_fact(values, names, &mut |entry| {
            count = entry.id;
            graph
                .tell(entry.node, entry.bounds)
                .map(drop)
                .map_err(|clash| self.named(&clash, graph, names))
        })?;
        graph.follow_all().map_err(|clash| self.named(&clash, graph, names))?;
        graph.news();
        self.next_fact = count;
        Ok(())
    }

    fn unreadable(&self, error: rusqlite::Error) -> ProofTreeFailure {
        match error {
            rusqlite::Error::SqliteFailure(..) => self.broken(&error),
            other => self.wrong(format!("a row that cannot be: {other}")),
        }
    }

    /// Reads all facts in order. One that cannot be is an error.
    pub(crate) fn each_fact(
        &self,
        values: Bounds,
        names: &Names,
        take: &mut dyn FnMut(LoadedFact) -> Result<(), ProofTreeFailure>,
    ) -> Result<(), ProofTreeFailure> {
        let audit = if self.format < 3 { "NULL" } else { "audit" };
        let query = format!("SELECT id, node, lo, hi, source, sum, {audit} FROM fact ORDER BY id");
        let mut query = self.sql.prepare(&query).map_err(|e| self.unreadable(e))?;
        let mut rows = query.query([]).map_err(|e| self.unreadable(e))?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(|e| self.unreadable(e))? {
            let read = || -> rusqlite::Result<_> {
                let bounds = Bounds { lo: row.get(2)?, hi: row.get(3)? };
                let audit: Option<i64> = row.get(6)?;
                Ok((row.get(0)?, row.get(1)?, bounds, row.get(4)?, row.get::<_, i64>(5)?, audit))
            };
            let (id, node, bounds, source, sum, audit): (i64, i64, _, _, _, _) =
                read().map_err(|e| self.unreadable(e))?;
            count += 1;
            let node = Id::try_from(node).ok().filter(|&node| (node as usize) < names.len());
            let fits = values.contains(bounds.lo) && values.contains(bounds.hi);
            let Some(node) = node.filter(|&node| {
                id == count
                    && fits
                    && bounds.lo <= bounds.hi
                    && fact_sum(id, names.text(node), bounds, source) == sum
            }) else {
                return Err(self.wrong(format!("fact {id} is damaged")));
            };
            take(LoadedFact { id, node, bounds, source, audited: audit.is_some() })?;
        }
        Ok(())
    }

    fn load_edges(
        &self,
        graph: &mut ProofGraph,
        expanded: &[(Id, Value)],
        text: &dyn Fn(rusqlite::Error) -> ProofTreeFailure,
    ) -> Result<(), ProofTreeFailure> {
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

    /// What is said of a position.
    pub(crate) fn statements(&self, node: Id, names: &Names) -> Vec<Statement> {
        let position = names.text(node);
        let told = |fact: StoredFact| {
            let StoredFact { bounds, source, .. } = fact;
            Statement { position: position.to_owned(), bounds, source }
        };
        self.facts_of(node).unwrap_or_default().into_iter().map(told).collect()
    }

    /// A contradiction with what is said of the position and, as far as that is part of it, of those that it leads to.
    pub(crate) fn contradiction(
        &self,
        clash: &Clash,
        graph: &ProofGraph,
        names: &Names,
    ) -> ContradictionReport {
        let mut statements: Vec<Statement> = Vec::new();
        let mut seen = FxHashSet::from_iter([clash.node]);
        let mut open = VecDeque::from([clash.node]);
        while let Some(id) = open.pop_front().filter(|_| statements.len() < TOLD) {
            for new in self.statements(id, names) {
                // A few of each, so that both sides are heard.
                let same = statements.iter().filter(|old| old.source == new.source).count();
                if same < OF_EACH {
                    statements.push(new);
                }
            }
            // What is said of a position itself is enough, unless its moves say otherwise.
            let enough = !statements.is_empty() && !clash.by_moves;
            if !enough && seen.len() < SEEN {
                let children = graph.children(id).iter().copied();
                open.extend(children.filter(|&child| seen.insert(child)));
            }
        }
        statements.truncate(TOLD);
        ContradictionReport {
            position: names.text(clash.node).to_owned(),
            light: if clash.by_moves { Light::Moves } else { Light::Told },
            known: clash.known,
            told: clash.told,
            statements,
            withdrawn: Vec::new(),
        }
    }

    /// The same as an error.
    pub(crate) fn named(
        &self,
        clash: &Clash,
        graph: &ProofGraph,
        names: &Names,
    ) -> ProofTreeFailure {
        ProofTreeFailure::Contradiction(Box::new(self.contradiction(clash, graph, names)))
    }
}
