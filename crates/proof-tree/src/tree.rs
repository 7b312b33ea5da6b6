//! The tree as a whole: the graph in memory, the texts of its positions, and the store that outlives them. Whatever
//! changes one changes all, so that a restart finds the same. What is told and cannot be true ends in a contradiction,
//! for which `blame` finds the liar.

mod blame;

use crate::ProofTreeFailure;
use crate::contradiction::{ContradictionReport, Light, Statement};
use crate::graph::{Clash, Id, ProofGraph, ProofNode};
use crate::names::Names;
use crate::numbers::MOST;
use crate::source::FactSource;
use crate::store::{self, Store};
use std::path::Path;
use std::sync::Arc;
use zermelo_erased::{AnyGame, NodeInfo};
use zermelo_game::{Bounds, Value};

/// A tree of positions of a game.
pub struct ProofTree {
    game: Arc<dyn AnyGame>,
    graph: ProofGraph,
    names: Names,
    store: Store,
    /// The digest of the database, or nothing.
    database: String,
    rules: i64,
}

impl ProofTree {
    /// Opens the store of a folder, or makes it, and loads all that is in it. `database` is the digest of the database
    /// that the game was opened with.
    pub fn open(
        game: Arc<dyn AnyGame>,
        dir: &Path,
        database: Option<&str>,
    ) -> Result<ProofTree, ProofTreeFailure> {
        refuse_lines(&*game)?;
        let mut store = Store::open(dir, &store::about(&*game))?;
        let (mut graph, mut names) =
            (ProofGraph::new(game.values(), game.cycle_value()), Names::default());
        store.load(&mut graph, &mut names)?;
        let database = database.unwrap_or_default().to_owned();
        store.set("database", &database)?;
        let rules = store.source(&FactSource::rules(), &database)?;
        store.commit()?;
        Ok(ProofTree { game, graph, names, store, database, rules })
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Arc<dyn AnyGame> {
        &self.game
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &ProofGraph {
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
    pub fn position(&mut self, text: Option<&str>) -> Result<Id, ProofTreeFailure> {
        let info = self.game.expand(text)?.here;
        self.node(&info)
    }

    /// The position that this is about; added if it is new.
    fn node(&mut self, info: &NodeInfo) -> Result<Id, ProofTreeFailure> {
        if let Some(id) = self.names.find(&info.position) {
            return Ok(id);
        }
        let id = self.names.add(&info.position);
        let NodeInfo { turn, bounds, score, numbers, .. } = info;
        // Floors come with the moves.
        let node = ProofNode::new(*turn, self.graph.values, score.unwrap_or(0), *numbers);
        self.graph.add(node);
        let whole = NodeInfo { bounds: self.graph.values, ..info.clone() };
        self.store.add_node(id, &whole)?;
        self.learn(id, *bounds, None)?;
        Ok(id)
    }

    /// Adds a fact, if it says more than is known, and all that follows from it. `source` is who said so; `None` for the
    /// rules. The number of the fact, if it was news.
    pub fn learn(
        &mut self,
        id: Id,
        told: Bounds,
        source: Option<&FactSource>,
    ) -> Result<Option<i64>, ProofTreeFailure> {
        let known = self.graph.node(id).bounds;
        let Ok(both) = known.meet(told) else {
            let clash = Clash { node: id, known, told, by_moves: false };
            let teller = source.cloned().unwrap_or_else(FactSource::rules);
            return Err(self.contradiction(&clash, Some((id, told, teller)), false));
        };
        if both == known {
            return Ok(None);
        }
        let number = match source {
            None => self.rules,
            Some(source) => self.store.source(source, &self.database)?,
        };
        let fact = self.store.add_fact(id, self.names.text(id), told, number)?;
        if let Err(clash) = self.graph.learn(id, told) {
            let teller = source.cloned().unwrap_or_else(FactSource::rules);
            return Err(self.contradiction(&clash, Some((id, told, teller)), true));
        }
        self.write_news()?;
        Ok(Some(fact))
    }

    /// Adds what follows from what is known without being a fact by itself: positions that are settled by going round.
    pub fn conclude(
        &mut self,
        all: impl Iterator<Item = (Id, Bounds)>,
    ) -> Result<(), ProofTreeFailure> {
        for (id, bounds) in all {
            let found = self.graph.learn(id, bounds);
            found.map_err(|clash| self.contradiction(&clash, None, true))?;
        }
        self.write_news()
    }

    fn write_news(&mut self) -> Result<(), ProofTreeFailure> {
        for id in self.graph.news() {
            self.store.set_bounds(id, self.graph.node(id).bounds)?;
        }
        Ok(())
    }

    /// The end of a contradiction: what the liar has said is withdrawn. `teller` is who had the last word, of what;
    /// `kept` whether that is a fact of the store already.
    fn contradiction(
        &mut self,
        clash: &Clash,
        teller: Option<(Id, Bounds, FactSource)>,
        kept: bool,
    ) -> ProofTreeFailure {
        let mut found = self.store.contradiction(clash, &self.graph, &self.names);
        if let Some(last) = self.statement(teller.as_ref()) {
            found.statements.retain(|statement| *statement != last);
            found.statements.push(last);
        }
        self.blame(found, teller.filter(|_| !kept))
    }

    fn statement(&self, teller: Option<&(Id, Bounds, FactSource)>) -> Option<Statement> {
        let (id, bounds, source) = teller?.clone();
        Some(Statement { position: self.names.text(id).to_owned(), bounds, source })
    }

    /// An audit has found something else than a fact says.
    pub fn refute(
        &mut self,
        id: Id,
        claim: (Bounds, FactSource),
        found: (Bounds, FactSource),
    ) -> ProofTreeFailure {
        let tellers = [(id, claim.0, claim.1), (id, found.0, found.1)];
        let statements = tellers.iter().filter_map(|teller| self.statement(Some(teller))).collect();
        let [(_, known, _), auditor] = tellers;
        let contradiction = ContradictionReport {
            position: self.names.text(id).to_owned(),
            light: Light::Audit,
            known,
            told: auditor.1,
            statements,
            withdrawn: Vec::new(),
        };
        self.blame(contradiction, Some(auditor))
    }

    /// Gives a position its moves, unless it has them or its value is known.
    pub fn expand(&mut self, id: Id) -> Result<(), ProofTreeFailure> {
        let node = self.graph.node(id);
        if node.expanded() || node.bounds.is_exact() {
            return Ok(());
        }
        let expansion = self.game.expand(Some(self.names.text(id)))?;
        if expansion.here.position != self.names.text(id) {
            let why = format!(
                "{} is written {} after it is read",
                self.names.text(id),
                expansion.here.position
            );
            return Err(ProofTreeFailure::Refused(why));
        }
        self.learn(id, expansion.here.bounds, None)?;
        if self.graph.node(id).bounds.is_exact() {
            return Ok(());
        }
        let turn = expansion.here.turn;
        let floor = expansion.here.bounds.seen_by(turn).lo * turn.sign();
        let mut moves = Vec::with_capacity(expansion.moves.len());
        for (mv, after) in expansion.moves {
            moves.push((mv, self.node(&after)?));
        }
        self.store.expand(id, floor, &moves)?;
        let children: Vec<Id> = moves.iter().map(|(_, child)| *child).collect();
        let found = self.graph.expand(id, floor, &children);
        found.map_err(|clash| self.contradiction(&clash, None, true))?;
        self.write_news()
    }

    /// The positions along a line of moves from a position or from the start, that one first; added where they are new.
    pub fn line(
        &mut self,
        from: Option<&str>,
        moves: &[String],
    ) -> Result<Vec<Id>, ProofTreeFailure> {
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
    pub fn number(
        &mut self,
        id: Id,
        at_least: Value,
        numbers: [u32; 2],
    ) -> Result<(), ProofTreeFailure> {
        let Bounds { lo, hi } = self.graph.values;
        if numbers.iter().any(|n| !(1..MOST).contains(n)) || !(lo + 1..=hi).contains(&at_least) {
            return Ok(());
        }
        self.graph.number(id, at_least, numbers);
        self.store.set_told(id, at_least, numbers)
    }

    /// Writes down what a prover did with a position.
    pub fn tried(
        &mut self,
        id: Id,
        outcome: &crate::JobOutcome,
        threshold: Option<i32>,
    ) -> Result<(), ProofTreeFailure> {
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
pub fn refuse_lines(game: &dyn AnyGame) -> Result<(), ProofTreeFailure> {
    if game.has_own_values() {
        return Ok(());
    }
    Err(ProofTreeFailure::Refused(format!(
        "{} cannot be proved in pieces: the value of a position there depends on the moves that led to it, so no fact \
         about it can be kept (use `zermelo solve`)",
        game.name()
    )))
}
