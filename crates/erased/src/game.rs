//! The one implementation of [`AnyGame`]: the border between games that are types and games that are names.

use crate::database::Databases;
use crate::native::{Native, Variants};
use crate::node_info::{Expansion, expand};
use crate::session::Session;
use crate::{AnyGame, AnySession, SharedTables};
use std::sync::Arc;
use zermelo_certificate::RuleBook;
use zermelo_endgame::Damage;
use zermelo_game::boxed::BoxShape;
use zermelo_game::{
    Ablation, Bounds, Boxed, BoxedKnowledge, Game, Identity, Limits, Notation, ParseError, Player,
    Rules, Value,
};
use zermelo_search::distance::has_distances;
use zermelo_search::engine::{Engine, searcher};
use zermelo_search::engines::{EngineConfig, EngineId, Features};
use zermelo_search::portfolio::PortfolioTables;
use zermelo_search::proofnumber::dfpn::QuestionTables;

/// A game: boxed, with each combination of its knowledge left out, what is compiled for it alone, and databases.
pub(crate) struct Erased<S: BoxShape> {
    pub(crate) rules: Arc<Boxed<S>>,
    knowledge: Variants<BoxedKnowledge<S>>,
    pub(crate) native: Arc<dyn Native<S>>,
    pub(crate) databases: Option<Arc<Databases<S>>>,
}

impl<S: BoxShape> Erased<S> {
    /// Takes over a game.
    #[must_use]
    pub(crate) fn new(native: Arc<dyn Native<S>>) -> Erased<S> {
        let (rules, knowledge) = native.inner().boxed();
        Erased { rules: Arc::new(rules), knowledge, native, databases: None }
    }

    /// The same with databases to ask; engines ask them where positions have values of their own.
    pub(crate) fn asking(&self, databases: Databases<S>) -> Erased<S> {
        let databases = Arc::new(databases);
        let native = match self.has_own_values() {
            true => self.native.asking(&databases),
            false => self.native.clone(),
        };
        Erased { databases: Some(databases), ..Erased::new(native) }
    }

    /// The game without some of its knowledge.
    pub(crate) fn without(&self, ablation: Ablation) -> Game<'_, Boxed<S>, BoxedKnowledge<S>> {
        Game::new(&*self.rules, &self.knowledge[ablation.number()])
    }

    /// The game with all that is known about it.
    pub(crate) fn whole(&self) -> Game<'_, Boxed<S>, BoxedKnowledge<S>> {
        self.without(Ablation::NOTHING)
    }

    /// An engine that finds moves for certificates.
    pub(crate) fn searcher<'g>(
        &'g self,
        threads: usize,
        limits: &Limits,
    ) -> Box<dyn Engine<Boxed<S>> + 'g> {
        // The condition is constant: nothing is compiled for the other case.
        if const { S::SUPERKO } {
            self.native.engine(&EngineConfig::new(EngineId::AlphaBeta), limits)
        } else {
            let loops = self.native.loops(Ablation::NOTHING);
            searcher(self.whole(), loops, threads, limits)
        }
    }

    /// What a checker of certificates asks.
    pub(crate) fn rule_book(&self) -> RuleBook<'_, Boxed<S>> {
        RuleBook::new(&self.rules, self.rules.superko())
    }

    /// Whether positions have values of their own, whatever line led there.
    pub(crate) fn has_own_values(&self) -> bool {
        !S::SUPERKO && !path_dependent(&*self.rules)
    }
}

/// Whether the value of a repetition depends on the line of play, which leaves positions no values of their own.
pub(crate) fn path_dependent<R: Notation>(rules: &R) -> bool {
    R::CYCLIC && rules.repetition().fixed().is_none()
}

/// How tables are shared among engines of a kind: bytes for alpha-beta and for df-pn.
fn shares(id: EngineId, memory: u64) -> [u64; 2] {
    match id {
        EngineId::Dfpn => [0, memory],
        EngineId::Auto => [memory / 2; 2],
        _ => [memory, 0],
    }
}

impl<S: BoxShape> AnyGame for Erased<S> {
    fn name(&self) -> String {
        self.rules.name()
    }

    fn full_name(&self) -> String {
        self.rules.full_name()
    }

    fn rules(&self) -> String {
        self.rules.rules_text()
    }

    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.rules.split_moves(text)
    }

    fn identity(&self) -> Identity {
        Identity::of(&*self.rules)
    }

    fn values(&self) -> Bounds {
        self.rules.values()
    }

    fn features(&self) -> Features {
        let goes_on = self.rules.outcome(&self.rules.start()).is_none();
        Features {
            path_dependent: path_dependent(&*self.rules),
            cyclic: self.cycle_value().is_some(),
            superko: S::SUPERKO,
            threats: self.native.inner().threats() && goes_on,
        }
    }

    fn cycle_value(&self) -> Option<Value> {
        if S::CYCLIC { self.rules.repetition().fixed() } else { None }
    }

    fn evaluated(&self) -> bool {
        self.whole().evaluates()
    }

    fn expand(&self, position: Option<&str>) -> Result<Expansion, ParseError> {
        let start = || Ok(self.rules.start());
        let p = position.map_or_else(start, |text| self.rules.parse_position(text))?;
        Ok(expand(self.whole(), &p))
    }

    fn canonical_keeps_distance(&self) -> bool {
        self.whole().distance_facts().canonical_keeps_distance
    }

    fn has_distances(&self, winner: Player) -> bool {
        has_distances(&*self.rules, winner)
    }

    fn session(&self) -> Box<dyn AnySession + '_> {
        Box::new(Session::new(self))
    }

    fn shared_tables(
        &self,
        config: &EngineConfig,
        memory: u64,
        sessions: usize,
    ) -> Option<SharedTables> {
        if !config.shares_tables() || !self.has_own_values() {
            return None;
        }
        let [alphabeta, dfpn] = shares(config.id(), memory * sessions as u64);
        let game = self.whole();
        let tables = PortfolioTables {
            alphabeta: zermelo_search::alphabeta::common(game, alphabeta),
            dfpn: if dfpn > 0 { QuestionTables::new(game, dfpn) } else { None },
        };
        let tables = Arc::new(tables);
        Some(SharedTables { game: self.full_name(), tables })
    }

    fn damage(&self) -> Option<Damage> {
        self.databases.as_ref()?.damage()
    }
}
