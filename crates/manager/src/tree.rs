//! The tree as a whole: the graph in memory, the texts of its positions, and the store that outlives them. Whatever
//! changes one changes all, so that a restart finds the same.

use crate::Failure;
use crate::graph::{Clash, Graph, Id, Node};
use crate::names::Names;
use crate::numbers::MOST;
use crate::store::{self, RULES, Store};
use std::path::Path;
use std::sync::Arc;
use zermelo_any::{AnyGame, Glance};
use zermelo_game::{Bounds, Value};

/// A tree of positions of a game.
pub struct Tree {
    game: Arc<dyn AnyGame>,
    graph: Graph,
    names: Names,
    store: Store,
    /// The digest of the database, or nothing.
    database: String,
    rules: i64,
}

impl Tree {
    /// Opens the store of a folder, or makes it, and loads all that is in it. `database` is the digest of the database
    /// that the game was opened with.
    pub fn open(
        game: Arc<dyn AnyGame>,
        dir: &Path,
        database: Option<&str>,
    ) -> Result<Tree, Failure> {
        refuse_lines(&*game)?;
        let mut store = Store::open(dir, &store::about(&*game))?;
        let (mut graph, mut names) = (Graph::new(game.values(), game.cycles()), Names::default());
        store.load(&mut graph, &mut names)?;
        let database = database.unwrap_or_default().to_owned();
        store.set("database", &database)?;
        let rules = store.source(RULES, &database)?;
        store.commit()?;
        Ok(Tree { game, graph, names, store, database, rules })
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Arc<dyn AnyGame> {
        &self.game
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The store.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// How many facts there are.
    #[must_use]
    pub fn facts(&self) -> u64 {
        self.store.facts()
    }

    /// The text of a position.
    #[must_use]
    pub fn text(&self, id: Id) -> &str {
        self.names.text(id)
    }

    /// The position of a canonical text.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Id> {
        self.names.find(text)
    }

    /// The position that stands for this text, or for the start; added if it is new.
    pub fn position(&mut self, text: Option<&str>) -> Result<Id, Failure> {
        let glance = self.game.look(text)?.here;
        self.node(&glance)
    }

    /// The position of a glance; added if it is new.
    fn node(&mut self, glance: &Glance) -> Result<Id, Failure> {
        if let Some(id) = self.names.find(&glance.position) {
            return Ok(id);
        }
        let id = self.names.add(&glance.position);
        let Glance { turn, bounds, score, numbers, .. } = glance;
        // Floors come with the moves.
        let node = Node::new(*turn, self.graph.values, score.unwrap_or(0), *numbers);
        self.graph.add(node);
        let whole = Glance { bounds: self.graph.values, ..glance.clone() };
        self.store.add_node(id, &whole)?;
        self.learn(id, *bounds, None)?;
        Ok(id)
    }

    /// Adds a fact, if it says more than is known, and all that follows from it. `source` is who said so; `None` for the
    /// rules. Says whether it was news.
    pub fn learn(&mut self, id: Id, told: Bounds, source: Option<&str>) -> Result<bool, Failure> {
        let known = self.graph.node(id).bounds;
        let both = match known.meet(told) {
            Ok(both) => both,
            Err(_) => {
                let clash = Clash { node: id, known, told, by_moves: false };
                return Err(self.contradiction(&clash, source.unwrap_or(RULES)));
            }
        };
        if both == known {
            return Ok(false);
        }
        let number = match source {
            None => self.rules,
            Some(name) => self.store.source(name, &self.database)?,
        };
        self.store.add_fact(id, self.names.text(id), told, number)?;
        let found = self.graph.learn(id, told);
        found.map_err(|clash| self.contradiction(&clash, source.unwrap_or(RULES)))?;
        self.write_news()?;
        Ok(true)
    }

    /// Adds what follows from what is known without being a fact by itself: positions that are settled by going round.
    pub fn conclude(&mut self, all: impl Iterator<Item = (Id, Bounds)>) -> Result<(), Failure> {
        for (id, bounds) in all {
            let found = self.graph.learn(id, bounds);
            found.map_err(|clash| self.contradiction(&clash, "what follows from going round"))?;
        }
        self.write_news()
    }

    fn write_news(&mut self) -> Result<(), Failure> {
        for id in self.graph.news() {
            self.store.set_bounds(id, self.graph.node(id).bounds)?;
        }
        Ok(())
    }

    /// A contradiction with the names of all who had a part in it. Everything that was learned before it is kept.
    fn contradiction(&mut self, clash: &Clash, source: &str) -> Failure {
        let mut failure = self.store.named(clash, &self.names);
        if let Failure::Contradiction(words) = &mut failure {
            *words += &format!("; the last word came from {source}");
            if clash.by_moves {
                for &child in self.graph.children(clash.node) {
                    for fact in self.store.facts_of(child).unwrap_or_default() {
                        let (position, store::Fact { id, bounds, source }) =
                            (self.names.text(child), fact);
                        *words += &format!("; fact {id} by {source} about {position}: {bounds}");
                    }
                }
            }
        }
        let _ = self.store.commit();
        failure
    }

    /// Gives a position its moves, unless it has them or its value is known.
    pub fn expand(&mut self, id: Id) -> Result<(), Failure> {
        let node = self.graph.node(id);
        if node.expanded() || node.bounds.is_exact() {
            return Ok(());
        }
        let look = self.game.look(Some(self.names.text(id)))?;
        if look.here.position != self.names.text(id) {
            let why = format!(
                "{} is written {} after it is read",
                self.names.text(id),
                look.here.position
            );
            return Err(Failure::Refused(why));
        }
        self.learn(id, look.here.bounds, None)?;
        if self.graph.node(id).bounds.is_exact() {
            return Ok(());
        }
        let turn = look.here.turn;
        let floor = look.here.bounds.seen_by(turn).lo * turn.sign();
        let mut moves = Vec::with_capacity(look.moves.len());
        for (mv, after) in look.moves {
            moves.push((mv, self.node(&after)?));
        }
        self.store.expand(id, floor, &moves)?;
        let children: Vec<Id> = moves.iter().map(|(_, child)| *child).collect();
        let found = self.graph.expand(id, floor, &children);
        found.map_err(|clash| self.contradiction(&clash, RULES))?;
        self.write_news()
    }

    /// The positions along a line of moves from a position or from the start, that one first; added where they are new.
    pub fn line(&mut self, from: Option<&str>, moves: &[String]) -> Result<Vec<Id>, Failure> {
        let game = self.game.clone();
        let mut session = game.session();
        if let Some(text) = from {
            session.set_position(text)?;
        }
        let mut ids = vec![self.position(Some(&session.position()))?];
        for mv in moves {
            session.play(mv)?;
            ids.push(self.position(Some(&session.position()))?);
        }
        Ok(ids)
    }

    /// Writes down how far a prover is with a question about a position that is open.
    pub fn number(&mut self, id: Id, at_least: Value, numbers: [u32; 2]) -> Result<(), Failure> {
        if numbers.iter().any(|n| !(1..MOST).contains(n)) {
            return Ok(());
        }
        self.graph.number(id, at_least, numbers);
        self.store.set_told(id, at_least, numbers)
    }

    /// Writes down what a prover did with a position.
    pub fn tried(
        &mut self,
        id: Id,
        outcome: &crate::Outcome,
        threshold: Option<i32>,
    ) -> Result<(), Failure> {
        if let Some(score) = outcome.score {
            self.graph.judge(id, score);
        }
        if outcome.tried {
            self.graph.try_once(id);
        }
        let node = *self.graph.node(id);
        self.store.set_effort(id, &node, threshold, outcome.nodes, outcome.micros)
    }
}

/// Proofs in pieces need positions that have values of their own.
pub fn refuse_lines(game: &dyn AnyGame) -> Result<(), Failure> {
    if game.superko() || game.hangs_on_line() {
        return Err(Failure::Refused(format!(
            "{} cannot be proved in pieces: what a position is worth there hangs on how it came about, so no fact about \
             it can be kept (`zermelo solve` can be asked)",
            game.name()
        )));
    }
    Ok(())
}
