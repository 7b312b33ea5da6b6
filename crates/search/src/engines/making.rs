//! How an engine is made: what it needs of a game, what it is made from, and how it uses abilities that few games have.

use crate::engine::Engine;
use crate::loops::InnerLoops;
use crate::options::Options;
use crate::proofnumber::lambda;
use crate::{portfolio, superko};
use std::fmt;
use zermelo_game::{
    Ablation, BySuperko, Game, Knowledge, Limits, Rules, Superko, SuperkoKnowledge, Threats,
};

/// What a game must have for an engine, and what it may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Positions have values of their own: the rule of repetition has a fixed value.
    pub own_values: bool,
    /// The game says what a pass would be ([`Threats`]).
    pub threats: bool,
    /// It searches games in which boards must not be repeated ([`Superko`]), too.
    pub superko: bool,
    /// Parts of the knowledge can be left out ([`Ablation`]).
    pub ablation: bool,
}

impl Needs {
    /// What engines have in common that keep values by position.
    pub const TABLE: Needs =
        Needs { own_values: true, threats: false, superko: false, ablation: true };
    /// What engines have in common that know their line.
    pub const LINE: Needs = Needs { own_values: false, ..Needs::TABLE };
}

/// What matters of a game for the choice of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// The value of a repetition depends on the line, so that positions have no values of their own.
    pub path_dependent: bool,
    /// Positions can repeat, with a fixed value.
    pub cyclic: bool,
    /// Boards must not be repeated.
    pub superko: bool,
    /// The game says what a pass would be.
    pub threats: bool,
}

/// What an engine is made from.
pub struct Make<'m, 'g, R: Rules, K: Knowledge<R>> {
    /// The game.
    pub game: Game<'g, R, K>,
    /// The inner loops of alpha-beta and df-pn for it; not needed by other engines.
    pub loops: Option<InnerLoops<'g, R, K>>,
    /// What is left out of the knowledge; engines that learn an order of moves leave that out too.
    pub ablation: Ablation,
    /// The memory for tables.
    pub limits: &'m Limits,
    /// How rare abilities of the game are used.
    pub abilities: Abilities<R, K>,
    /// Tables that others use at the same time.
    pub shared: Option<&'m portfolio::PortfolioTables<R::Key>>,
}

/// What a game can do besides, as far as engines use it.
pub struct Abilities<R: Rules, K: 'static> {
    /// Its boards must not be repeated.
    pub superko: Option<&'static dyn SuperkoEngines<R, K>>,
    /// It says what a pass would be.
    pub threats: Option<&'static dyn ThreatEngines<R, K>>,
}

impl<R: Rules, K> Clone for Abilities<R, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Rules, K> Copy for Abilities<R, K> {}

impl<R: Rules, K> Default for Abilities<R, K> {
    fn default() -> Self {
        Abilities { superko: None, threats: None }
    }
}

/// Makes engines for games under superko: a row of the catalogue records it. The only implementation is [`BySuperko`].
pub trait SuperkoEngines<R: Rules, K>: Sync {
    /// Alpha-beta for such a game.
    fn alphabeta<'g>(
        &self,
        game: Game<'g, R, K>,
        seed: u64,
        limits: &Limits,
    ) -> Box<dyn Engine<R> + 'g>
    where
        K: Knowledge<R>;
}

impl<R: Superko, K: SuperkoKnowledge<R>> SuperkoEngines<R, K> for BySuperko {
    fn alphabeta<'g>(
        &self,
        game: Game<'g, R, K>,
        seed: u64,
        limits: &Limits,
    ) -> Box<dyn Engine<R> + 'g> {
        Box::new(superko::Solver::new(game, seed, limits.clone()))
    }
}

/// Makes engines that search by threats: a row of the catalogue records it. The only implementation is [`ByThreats`].
pub trait ThreatEngines<R: Rules, K>: Sync {
    /// Lambda search.
    fn lambda<'g>(
        &self,
        game: Game<'g, R, K>,
        config: &lambda::Config,
        limits: &Limits,
    ) -> Box<dyn Engine<R> + 'g>
    where
        K: Knowledge<R>;
}

/// Engines for rules that implement [`Threats`].
pub struct ByThreats;

impl<R: Threats, K: Knowledge<R>> ThreatEngines<R, K> for ByThreats {
    fn lambda<'g>(
        &self,
        game: Game<'g, R, K>,
        config: &lambda::Config,
        limits: &Limits,
    ) -> Box<dyn Engine<R> + 'g> {
        Box::new(lambda::Solver::new(game, config.clone(), limits.memory))
    }
}

/// The settings of an engine, which make it.
pub trait EngineSettings: Options + PartialEq + fmt::Debug {
    /// What it needs of a game.
    const NEEDS: Needs;

    /// The searches that it is made of. An engine never audits another one that it has one in common with.
    const METHODS: &'static [&'static str];

    /// Whether it is compiled for each game, as the last third of speed matters. Without it: once for all games of a
    /// [shape](zermelo_game::boxed::BoxShape), which makes it a little slower, and programs much smaller.
    const PER_GAME: bool = false;

    /// The engine. The game has what it [needs](Self::NEEDS).
    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g>;
}
