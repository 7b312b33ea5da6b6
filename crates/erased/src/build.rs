//! Databases of a game whose type is forgotten, made and verified: slice by slice where its positions are numbered, from the
//! start where they are not.

use crate::AnyGame;
use crate::game::Erased;
use crate::slices::SliceFolders;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_endgame::farmed::GroupPlan;
use zermelo_endgame::folder::{self, FolderKind};
use zermelo_endgame::reachable::{self, Strong};
use zermelo_endgame::{
    BuildConfig, DatabaseFailure, DistanceChoice, Estimate, Forecast, Verified, distances,
    forecast, verify,
};
use zermelo_game::boxed::BoxShape;
use zermelo_game::{Bounds, Notation, Rules};

/// What was made.
pub struct BuiltGame {
    /// The game.
    pub game: String,
    /// Its range of values.
    pub values: Bounds,
    /// What there is of it now.
    pub what: BuiltDatabase,
}

/// What there is of a game.
pub enum BuiltDatabase {
    /// Slices.
    Slices(zermelo_endgame::build::BuildSummary),
    /// Everything that can be reached from the start.
    Whole(reachable::ReachableHeader),
}

/// How far a build is.
pub enum Building<'a> {
    /// By slices.
    Slices(&'a zermelo_endgame::BuildProgress),
    /// From the start: positions known so far.
    Whole(u64),
}

/// What to make, and with what.
pub struct BuildOrder<'a> {
    /// The most pieces; all if not said. Only for games that are built by slices.
    pub pieces: Option<u32>,
    /// Whether to keep distances.
    pub distance: bool,
    /// Threads.
    pub threads: usize,
    /// Bytes.
    pub memory: u64,
    /// Set by others to end the run.
    pub cancel: &'a AtomicBool,
    /// Told how far it is.
    pub progress: &'a (dyn Fn(Building) + Sync),
}

impl BuildOrder<'_> {
    fn by_slices(&self) -> BuildConfig<'_> {
        BuildConfig {
            pieces: self.pieces.unwrap_or(u32::MAX),
            distance: self.distance,
            threads: self.threads,
            memory: self.memory,
            only: None,
            cancel: Some(self.cancel),
            progress: None,
        }
    }
}

/// Databases of a game.
pub trait AnyDatabases {
    /// Whether its databases are built slice by slice, for up to so many pieces; if not, of all that can be reached from the start.
    fn is_built_by_slices(&self) -> bool;
    /// Builds the database of the game. What is finished is kept, and not made again.
    fn build(&self, dir: &Path, order: &BuildOrder) -> Result<BuiltGame, DatabaseFailure>;
    /// What a build by slices would take; `None` for games that are built from their start.
    fn estimate(&self, dir: &Path, order: &BuildOrder)
    -> Result<Option<Estimate>, DatabaseFailure>;
    /// What a build would take, in more detail: builds a small part on trial, and samples. For every game that can be built.
    fn forecast(&self, dir: &Path, order: &BuildOrder) -> Result<Forecast, DatabaseFailure>;
    /// Whether a build keeps distances unless somebody says: see [`distances`].
    fn default_distance(&self, dir: &Path, pieces: Option<u32>) -> DistanceChoice;
    /// Verifies the database of a folder by forward moves alone.
    fn verify(
        &self,
        dir: &Path,
        config: &verify::VerifyConfig,
    ) -> Result<Verified, DatabaseFailure>;
    /// The same game with the databases of some folders, of which up to `memory` bytes each are kept unpacked: the first
    /// that knows a position answers. With `solvers` those have to be able to use them.
    fn with_databases(
        &self,
        dirs: &[&Path],
        memory: u64,
        solvers: bool,
    ) -> Result<Box<dyn AnyGame>, DatabaseFailure>;
    /// What a build by slices takes, group by group: see [`outline`](zermelo_endgame::farmed::outline). `None` for games
    /// that are built from their start, as one piece.
    fn plan(
        &self,
        dir: &Path,
        order: &BuildOrder,
    ) -> Result<Option<Vec<GroupPlan>>, DatabaseFailure>;
    /// Builds one group, from the files that it rests on.
    fn build_group(
        &self,
        dir: &Path,
        order: &BuildOrder,
        group: usize,
    ) -> Result<(), DatabaseFailure>;
    /// Lets a finished file into a folder: see [`admit`](zermelo_endgame::farmed::admit).
    fn admit(&self, dir: &Path, order: &BuildOrder, finished: &Path)
    -> Result<(), DatabaseFailure>;
    /// Lists the files of a finished build: see [`finish`](zermelo_endgame::farmed::finish).
    fn finish(&self, dir: &Path, order: &BuildOrder) -> Result<(), DatabaseFailure>;
}

impl<S: BoxShape> Erased<S> {
    fn need_slices(&self) -> Result<&dyn SliceFolders, DatabaseFailure> {
        let refused = || DatabaseFailure::Refused(format!("{} has no slices", self.rules.name()));
        self.native.inner().slice_folders().ok_or_else(refused)
    }
}

impl<S: BoxShape> AnyDatabases for Erased<S> {
    fn is_built_by_slices(&self) -> bool {
        self.native.inner().slice_folders().is_some()
    }

    fn build(&self, dir: &Path, order: &BuildOrder) -> Result<BuiltGame, DatabaseFailure> {
        let rules = &*self.rules;
        let what = if let Some(slices) = self.native.inner().slice_folders() {
            let show = |progress: &zermelo_endgame::BuildProgress| {
                (order.progress)(Building::Slices(progress));
            };
            let config = BuildConfig { progress: Some(&show), ..order.by_slices() };
            BuiltDatabase::Slices(slices.build(dir, &config)?)
        } else if order.pieces.is_some() {
            let why = "a number of pieces is for games that are built by pieces";
            return Err(DatabaseFailure::Refused(format!("{}: {why}", rules.name())));
        } else {
            let show = |known: u64| (order.progress)(Building::Whole(known));
            let config = reachable::ReachableConfig {
                distance: order.distance,
                memory: order.memory,
                cancel: Some(order.cancel),
                progress: Some(&show),
            };
            BuiltDatabase::Whole(reachable::build(rules, rules.superko(), dir, &config)?)
        };
        Ok(BuiltGame { game: rules.name(), values: rules.values(), what })
    }

    fn estimate(
        &self,
        dir: &Path,
        order: &BuildOrder,
    ) -> Result<Option<Estimate>, DatabaseFailure> {
        let estimate = |slices: &dyn SliceFolders| slices.estimate(dir, &order.by_slices());
        self.native.inner().slice_folders().map(estimate).transpose()
    }

    fn forecast(&self, dir: &Path, order: &BuildOrder) -> Result<Forecast, DatabaseFailure> {
        let rules = &*self.rules;
        if let Some(slices) = self.native.inner().slice_folders() {
            return slices.forecast(dir, &order.by_slices());
        }
        let config = reachable::ReachableConfig {
            distance: order.distance,
            memory: order.memory,
            cancel: Some(order.cancel),
            progress: None,
        };
        let explore = forecast::reachable::TRIAL;
        forecast::reachable::forecast(rules, rules.superko(), &config, explore)
    }

    fn default_distance(&self, dir: &Path, pieces: Option<u32>) -> DistanceChoice {
        match self.native.inner().slice_folders() {
            Some(slices) => slices.default_distance(dir, pieces.unwrap_or(u32::MAX)),
            None => distances::for_reachable(&*self.rules, dir),
        }
    }

    fn verify(
        &self,
        dir: &Path,
        config: &verify::VerifyConfig,
    ) -> Result<Verified, DatabaseFailure> {
        let rules = &*self.rules;
        if let FolderKind::Slices(_) = folder::kind(dir)? {
            return self.need_slices()?.verify(dir, config);
        }
        let whole = reachable::ReachableConfig {
            memory: config.memory,
            cancel: config.cancel,
            ..reachable::ReachableConfig::default()
        };
        let strong = Strong::open(rules, dir)?;
        let positions = strong.verify(rules, rules.superko(), &whole)?;
        Ok(Verified { files: 1, positions, listing: strong.listing() })
    }

    fn with_databases(
        &self,
        dirs: &[&Path],
        memory: u64,
        solvers: bool,
    ) -> Result<Box<dyn AnyGame>, DatabaseFailure> {
        Ok(Box::new(self.beside(dirs, memory, solvers)?))
    }

    fn plan(
        &self,
        dir: &Path,
        order: &BuildOrder,
    ) -> Result<Option<Vec<GroupPlan>>, DatabaseFailure> {
        let outline = |slices: &dyn SliceFolders| slices.outline(dir, &order.by_slices());
        self.native.inner().slice_folders().map(outline).transpose()
    }

    fn build_group(
        &self,
        dir: &Path,
        order: &BuildOrder,
        group: usize,
    ) -> Result<(), DatabaseFailure> {
        let config = BuildConfig { only: Some(group), ..order.by_slices() };
        self.need_slices()?.build(dir, &config).map(|_| ())
    }

    fn admit(
        &self,
        dir: &Path,
        order: &BuildOrder,
        finished: &Path,
    ) -> Result<(), DatabaseFailure> {
        self.need_slices()?.admit(dir, &order.by_slices(), finished)
    }

    fn finish(&self, dir: &Path, order: &BuildOrder) -> Result<(), DatabaseFailure> {
        self.need_slices()?.finish(dir, &order.by_slices())
    }
}
