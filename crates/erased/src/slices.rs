//! What a game can do whose positions are numbered: endgame databases slice by slice. A row of the catalogue enables it
//! ([`Opened::numbered`](crate::Opened::numbered)); without it a game has databases of all that can be reached from its start.

use crate::database::Folder;
use std::path::Path;
use std::sync::Arc;
use zermelo_certificate::TerminalOracle;
use zermelo_endgame::farmed::{self, GroupPlan};
use zermelo_endgame::{
    BuildConfig, Database, DatabaseFailure, DistanceChoice, Estimate, Forecast, Probe, Verified,
    build, distances, estimate, folder, forecast, verify,
};
use zermelo_game::{Notation, Sliced, Value};

/// Folders of slices, made and verified.
pub(crate) trait SliceFolders: Send + Sync {
    fn build(
        &self,
        dir: &Path,
        config: &BuildConfig,
    ) -> Result<zermelo_endgame::build::BuildSummary, DatabaseFailure>;
    fn estimate(&self, dir: &Path, config: &BuildConfig) -> Result<Estimate, DatabaseFailure>;
    fn forecast(&self, dir: &Path, config: &BuildConfig) -> Result<Forecast, DatabaseFailure>;
    fn default_distance(&self, dir: &Path, pieces: u32) -> DistanceChoice;
    fn verify(
        &self,
        dir: &Path,
        config: &verify::VerifyConfig,
    ) -> Result<Verified, DatabaseFailure>;
    fn outline(&self, dir: &Path, config: &BuildConfig) -> Result<Vec<GroupPlan>, DatabaseFailure>;
    fn admit(
        &self,
        dir: &Path,
        config: &BuildConfig,
        finished: &Path,
    ) -> Result<(), DatabaseFailure>;
    fn finish(&self, dir: &Path, config: &BuildConfig) -> Result<(), DatabaseFailure>;
}

/// Slices of a game, opened to be asked.
pub(crate) trait Slices<R: Notation>: SliceFolders {
    fn open(&self, dir: &Path, memory: u64) -> Result<Box<dyn Probe<R>>, DatabaseFailure>;
    /// The database of a folder, as ends of play for the checker; in words why there is none.
    fn oracle(&self, folder: &Folder) -> Result<Box<dyn TerminalOracle<R> + '_>, String>;
}

/// The one implementation, for games of one type.
pub(crate) struct BySlices<R>(pub(crate) Arc<R>);

impl<R: Sliced> SliceFolders for BySlices<R> {
    fn build(
        &self,
        dir: &Path,
        config: &BuildConfig,
    ) -> Result<zermelo_endgame::build::BuildSummary, DatabaseFailure> {
        build(&*self.0, dir, config)
    }

    fn estimate(&self, dir: &Path, config: &BuildConfig) -> Result<Estimate, DatabaseFailure> {
        estimate(&*self.0, dir, config)
    }

    fn forecast(&self, dir: &Path, config: &BuildConfig) -> Result<Forecast, DatabaseFailure> {
        forecast::slices::forecast(&*self.0, dir, config, forecast::slices::TRIAL)
    }

    fn default_distance(&self, dir: &Path, pieces: u32) -> DistanceChoice {
        distances::for_slices(&*self.0, dir, pieces)
    }

    fn verify(
        &self,
        dir: &Path,
        config: &verify::VerifyConfig,
    ) -> Result<Verified, DatabaseFailure> {
        zermelo_endgame::verify(&*self.0, dir, config)
    }

    fn outline(&self, dir: &Path, config: &BuildConfig) -> Result<Vec<GroupPlan>, DatabaseFailure> {
        farmed::outline(&*self.0, dir, config)
    }

    fn admit(
        &self,
        dir: &Path,
        config: &BuildConfig,
        finished: &Path,
    ) -> Result<(), DatabaseFailure> {
        farmed::admit(&*self.0, dir, config, finished)
    }

    fn finish(&self, dir: &Path, config: &BuildConfig) -> Result<(), DatabaseFailure> {
        farmed::finish(&*self.0, dir, config)
    }
}

impl<R: Sliced> Slices<R> for BySlices<R> {
    fn open(&self, dir: &Path, memory: u64) -> Result<Box<dyn Probe<R>>, DatabaseFailure> {
        Ok(Box::new(Database::open(&*self.0, dir, memory)?))
    }

    fn oracle(&self, folder: &Folder) -> Result<Box<dyn TerminalOracle<R> + '_>, String> {
        let Folder { dir, memory } = *folder;
        let database = Database::open(&*self.0, dir, memory).map_err(|e| e.to_string())?;
        let digest = folder::digest(dir).map_err(|e| e.to_string())?;
        Ok(Box::new(Read { rules: &*self.0, database, digest }))
    }
}

/// A database that proofs end at, read from its folder.
struct Read<'g, R: Sliced> {
    rules: &'g R,
    database: Database<R>,
    digest: String,
}

impl<R: Sliced> TerminalOracle<R> for Read<'_, R> {
    fn digest(&self) -> &str {
        &self.digest
    }

    fn value(&self, p: &R::Position) -> Option<Value> {
        let bounds = self.database.probe(self.rules, p).ok()?;
        bounds.is_exact().then_some(bounds.lo)
    }
}
