//! What is read back from a store: all of it, as a graph, or the facts about one position. Nothing is believed: whatever
//! cannot be is an error that names the row.

use super::{EXPANDED, Fact, JUDGED, Store, TRIED, fact_sum};
use crate::Failure;
use crate::graph::{Graph, Id, Node};
use crate::names::Names;
use zermelo_game::{Bounds, Player, Value};

impl Store {
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
            let query = "SELECT id, position, turn, score, pn, dn, marks, floor, asked, yes, no FROM node \
                 ORDER BY id";
            let mut query = self.sql.prepare(query).map_err(text)?;
            let mut rows = query.query([]).map_err(text)?;
            while let Some(row) = rows.next().map_err(text)? {
                let mut read = || -> rusqlite::Result<_> {
                    let position = row.get_ref(1)?.as_str()?;
                    let turn = Player::from_index(usize::from(row.get::<_, u8>(2)?));
                    let mut node = Node::new(turn, values, row.get(3)?, (row.get(4)?, row.get(5)?));
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
