//! What of a game is compiled for its own types: the inner loops of the engines whose speed matters most, the checker, and slices.
//!
//! Everything else (sessions, certificates written and told, growth, engines around their inner loops) sees the game
//! [boxed](zermelo_game::boxed), so that one more game costs little more than its rules and these loops. [`Compiled`] has them
//! for the game itself, or for all boxed games of a shape: for games that few people search.

use crate::database::{Databases, Folder};
use crate::slices::{SliceFolders, Slices};
use crate::{EngineConfig, EngineId};
use std::path::Path;
use std::sync::Arc;
use zermelo_certificate::check::{self, CheckSummary};
use zermelo_certificate::format::Base;
use zermelo_certificate::{Certificate, Refusal, RuleBook, TerminalOracle};
use zermelo_endgame::{Damage, DatabaseEntry, DatabaseFailure, Probe};
use zermelo_game::boxed::{
    BoxShape, BytePosition, Pass, boxed_knowledge, boxed_with, pack_position,
};
use zermelo_game::{
    Ablation, Bounds, Boxed, BoxedKnowledge, Game, Knowledge, Limits, Notation, Oracle, Rules,
    SuperkoRule, Tuned, Value,
};
use zermelo_search::engine::Engine;
use zermelo_search::engines::{Abilities, Make, SuperkoEngines};
use zermelo_search::loops::InnerLoops;
use zermelo_search::minimax::Minimax;
use zermelo_search::unboxed::Unboxed;

/// A game in all variants of its knowledge, by the number of the [`Ablation`]; the first is whole.
pub(crate) type Variants<T> = [T; 8];

/// A game with its types, as those see it who know the game boxed.
pub(crate) trait Inner<S: BoxShape>: Send + Sync {
    /// The game in its box.
    fn boxed(&self) -> (Boxed<S>, Variants<BoxedKnowledge<S>>);

    /// Whether it can be searched by threats.
    fn threats(&self) -> bool;

    /// Folders of slices, where its positions are numbered.
    fn slice_folders(&self) -> Option<&dyn SliceFolders>;

    /// Slices to be asked; only where there are [folders](Self::slice_folders).
    fn open_slices(
        &self,
        dir: &Path,
        memory: u64,
    ) -> Result<Box<dyn Probe<Boxed<S>>>, DatabaseFailure>;

    /// The database of a certificate that rests on one, where one is at hand.
    fn oracle(
        &self,
        certificate: &Certificate,
        folder: Option<&Folder>,
    ) -> Result<Option<Box<dyn TerminalOracle<Boxed<S>> + '_>>, Refusal>;
}

/// What is compiled for a game.
pub(crate) trait Native<S: BoxShape>: Send + Sync {
    /// The game.
    fn inner(&self) -> &dyn Inner<S>;

    /// The same game whose knowledge includes databases.
    fn asking(&self, databases: &Arc<Databases<S>>) -> Arc<dyn Native<S>>;

    /// The inner loops of alpha-beta and df-pn, for engines that see the game boxed.
    fn loops(&self, ablation: Ablation) -> InnerLoops<'_, Boxed<S>, BoxedKnowledge<S>>;

    /// One of the engines that are compiled for each game; all are, where boards must not be repeated.
    fn engine<'g>(
        &'g self,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Box<dyn Engine<Boxed<S>> + 'g>;

    /// Checks a certificate, with the database of a folder where it rests on one.
    fn check(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        folder: Option<&Folder>,
    ) -> Result<CheckSummary, Refusal>;
}

/// Which rare abilities a game has. A row of the catalogue enables them.
pub(crate) struct RowAbilities<R: Notation, K: Knowledge<R>> {
    /// Its positions are numbered.
    pub(crate) slices: Option<Arc<dyn Slices<R>>>,
    /// It says what a pass would be.
    pub(crate) pass: Option<Pass<R>>,
    /// Its boards must not be repeated.
    pub(crate) superko: SuperkoRule<R>,
    /// The engines for that.
    pub(crate) superko_engines: Option<&'static dyn SuperkoEngines<R, Tuned<R, K>>>,
}

impl<R: Notation, K: Knowledge<R>> Clone for RowAbilities<R, K> {
    fn clone(&self) -> Self {
        RowAbilities { slices: self.slices.clone(), ..*self }
    }
}

impl<R: Notation, K: Knowledge<R>> Default for RowAbilities<R, K> {
    fn default() -> Self {
        RowAbilities { slices: None, pass: None, superko: None, superko_engines: None }
    }
}

/// A game with its types.
pub(crate) struct Typed<R: Notation, K: Knowledge<R>> {
    rules: Arc<R>,
    tuned: Variants<Tuned<R, K>>,
    abilities: RowAbilities<R, K>,
}

impl<R: Notation, K: Knowledge<R>> Typed<R, K> {
    /// Takes over a game.
    ///
    /// # Panics
    /// If its boards must not be repeated and nobody has said so: engines and checkers would come to wrong values.
    pub(crate) fn new(rules: Arc<R>, knowledge: K, abilities: RowAbilities<R, K>) -> Typed<R, K> {
        let told = abilities.superko.is_some();
        assert_eq!(R::SUPERKO, told, "{}: open it with .superko()", rules.name());
        let knowledge = Arc::new(knowledge);
        let tuned = |n| Tuned::new(knowledge.clone(), Ablation::numbered(n));
        Typed { rules, tuned: std::array::from_fn(tuned), abilities }
    }

    fn asking<S: BoxShape<Key = R::Key>>(&self, databases: &Arc<Databases<S>>) -> Typed<R, K> {
        let (rules, _) = Inner::<S>::boxed(self);
        let oracle = Arc::new(BoxedOracle { rules, databases: databases.clone() });
        let tuned = |n: usize| self.tuned[n].clone().with_oracle(&self.rules, oracle.clone());
        Typed {
            rules: self.rules.clone(),
            tuned: std::array::from_fn(tuned),
            abilities: self.abilities.clone(),
        }
    }

    fn game(&self, ablation: Ablation) -> Game<'_, R, Tuned<R, K>> {
        Game::new(&*self.rules, &self.tuned[ablation.number()])
    }

    fn typed_oracle(
        &self,
        certificate: &Certificate,
        folder: Option<&Folder>,
    ) -> Result<Option<Box<dyn TerminalOracle<R> + '_>>, Refusal> {
        let (Some(base), Some(folder)) = (&certificate.header.database, folder) else {
            return Ok(None);
        };
        let Some(slices) = &self.abilities.slices else {
            let name = &certificate.header.game;
            return Err(Refusal::Header(format!("{name} has no endgame databases")));
        };
        let refused = |why| Refusal::Database { base: Base::clone(base), why };
        slices.oracle(folder).map(Some).map_err(refused)
    }
}

impl<R: Notation, K: Knowledge<R>, S: BoxShape<Key = R::Key>> Inner<S> for Typed<R, K> {
    fn boxed(&self) -> (Boxed<S>, Variants<BoxedKnowledge<S>>) {
        let RowAbilities { pass, superko, .. } = self.abilities;
        let (rules, tuned) = (&self.rules, &self.tuned);
        let (boxed, whole) = boxed_with::<R, _, S>(rules.clone(), tuned[0].clone(), pass, superko);
        let variant = |n: usize| match n {
            0 => whole.clone(),
            _ => boxed_knowledge(rules.clone(), tuned[n].clone(), pass, superko),
        };
        (boxed, std::array::from_fn(variant))
    }

    fn threats(&self) -> bool {
        self.abilities.pass.is_some()
    }

    fn slice_folders(&self) -> Option<&dyn SliceFolders> {
        self.abilities.slices.as_deref().map(|slices| slices as _)
    }

    fn open_slices(
        &self,
        dir: &Path,
        memory: u64,
    ) -> Result<Box<dyn Probe<Boxed<S>>>, DatabaseFailure> {
        let Some(slices) = &self.abilities.slices else {
            let why = format!("{} has no slices", self.rules.name());
            return Err(DatabaseFailure::Refused(why));
        };
        let inside = slices.open(dir, memory)?;
        Ok(Box::new(UnboxedProbe { rules: self.rules.clone(), inside }))
    }

    fn oracle(
        &self,
        certificate: &Certificate,
        folder: Option<&Folder>,
    ) -> Result<Option<Box<dyn TerminalOracle<Boxed<S>> + '_>>, Refusal> {
        let oracle = self.typed_oracle(certificate, folder)?;
        Ok(oracle.map(|inside| -> Box<dyn TerminalOracle<Boxed<S>> + '_> {
            Box::new(UnboxedOracle { inside })
        }))
    }
}

// ---- What is compiled ------------------------------------------------------------------------

/// What is compiled for a game: for its own types or, if `SHARED`, for all boxed games of its shape.
pub(crate) struct Compiled<R: Notation, K: Knowledge<R>, S: BoxShape, const SHARED: bool> {
    typed: Typed<R, K>,
    rules: Boxed<S>,
    knowledge: Variants<BoxedKnowledge<S>>,
}

impl<R: Notation, K: Knowledge<R>, S, const SHARED: bool> Compiled<R, K, S, SHARED>
where
    S: BoxShape<Key = R::Key>,
{
    pub(crate) fn new(typed: Typed<R, K>) -> Self {
        let (rules, knowledge) = Inner::<S>::boxed(&typed);
        Compiled { typed, rules, knowledge }
    }

    /// The engine where boards must not be repeated.
    fn under_superko(&self, config: &EngineConfig, limits: &Limits) -> Box<dyn Engine<R> + '_> {
        if config.id() == EngineId::Minimax {
            return Box::new(Minimax::new(&*self.typed.rules));
        }
        let superko = self.typed.abilities.superko_engines.expect("told when it was opened");
        superko.alphabeta(self.typed.game(config.ablation()), config.seed(), limits)
    }
}

/// One of the engines that are compiled for each game.
fn engine<'g, R: Rules, K: Knowledge<R>>(
    game: Game<'g, R, K>,
    config: &EngineConfig,
    limits: &Limits,
) -> Box<dyn Engine<R> + 'g> {
    let (ablation, abilities) = (config.ablation(), Abilities::default());
    let make = Make { game, loops: None, ablation, limits, abilities, shared: None };
    config.engine_per_game(make).expect("an engine that is compiled for games")
}

/// All conditions are constant: nothing is compiled for the other case.
impl<R: Notation, K: Knowledge<R>, S, const SHARED: bool> Native<S> for Compiled<R, K, S, SHARED>
where
    S: BoxShape<Key = R::Key>,
{
    fn inner(&self) -> &dyn Inner<S> {
        &self.typed
    }

    fn asking(&self, databases: &Arc<Databases<S>>) -> Arc<dyn Native<S>> {
        Arc::new(Self::new(self.typed.asking(databases)))
    }

    fn loops(&self, ablation: Ablation) -> InnerLoops<'_, Boxed<S>, BoxedKnowledge<S>> {
        if const { R::SUPERKO } {
            unreachable!("no inner loop knows superko");
        } else if const { SHARED } {
            InnerLoops::own()
        } else {
            InnerLoops::inside(self.typed.game(ablation))
        }
    }

    fn engine<'g>(
        &'g self,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Box<dyn Engine<Boxed<S>> + 'g> {
        let n = config.ablation().number();
        let inside = if const { SHARED } {
            return engine(Game::new(&self.rules, &self.knowledge[n]), config, limits);
        } else if const { R::SUPERKO } {
            self.under_superko(config, limits)
        } else {
            engine(self.typed.game(config.ablation()), config, limits)
        };
        Box::new(Unboxed::new(&*self.typed.rules, self.typed.abilities.superko, inside))
    }

    fn check(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        folder: Option<&Folder>,
    ) -> Result<CheckSummary, Refusal> {
        if const { SHARED } {
            let database = Inner::<S>::oracle(&self.typed, certificate, folder)?;
            let book = RuleBook::new(&self.rules, self.rules.superko());
            check::check(book.with_database(database.as_deref()), certificate, limits)
        } else {
            let database = self.typed.typed_oracle(certificate, folder)?;
            let book = RuleBook::new(&*self.typed.rules, self.typed.abilities.superko);
            check::check(book.with_database(database.as_deref()), certificate, limits)
        }
    }
}

// ---- Databases in the box and out of it --------------------------------------------------------

/// What databases say of boxed positions, for engines that are compiled for the game.
struct BoxedOracle<S: BoxShape> {
    rules: Boxed<S>,
    databases: Arc<Databases<S>>,
}

impl<R: Rules, S: BoxShape<Key = R::Key>> Oracle<R> for BoxedOracle<S> {
    fn probe(&self, rules: &R, p: &R::Position) -> Bounds {
        self.databases.probe(&self.rules, &pack_position::<R, S>(rules, *p))
    }
}

/// Slices of the game in the box.
struct UnboxedProbe<R: Notation> {
    rules: Arc<R>,
    inside: Box<dyn Probe<R>>,
}

impl<R: Notation, S: BoxShape<Key = R::Key>> Probe<Boxed<S>> for UnboxedProbe<R> {
    fn probe(&self, _: &Boxed<S>, p: &BytePosition<S>) -> Result<Bounds, Damage> {
        self.inside.probe(&self.rules, p.get())
    }

    fn entry(&self, _: &Boxed<S>, p: &BytePosition<S>) -> Result<Option<DatabaseEntry>, Damage> {
        self.inside.entry(&self.rules, p.get())
    }

    fn why_unknown(&self, _: &Boxed<S>, p: &BytePosition<S>) -> String {
        self.inside.why_unknown(&self.rules, p.get())
    }
}

/// A database that certificates rest on, of the game in the box.
struct UnboxedOracle<'g, R: Notation> {
    inside: Box<dyn TerminalOracle<R> + 'g>,
}

impl<R: Notation, S: BoxShape<Key = R::Key>> TerminalOracle<Boxed<S>> for UnboxedOracle<'_, R> {
    fn digest(&self) -> &str {
        self.inside.digest()
    }

    fn value(&self, p: &BytePosition<S>) -> Option<Value> {
        self.inside.value(p.get())
    }
}
