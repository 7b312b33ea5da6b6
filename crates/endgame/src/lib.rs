//! Endgame databases: the backward half of solving.
//!
//! A game that numbers its positions slice by slice ([`Sliced`]) can be solved from the end: [`build`](mod@build) works
//! out the value of every position of a slice after those of the slices its moves lead into, and writes one file for
//! each. Any other game that is small enough is solved from the start: [`reachable`] finds all its positions first.
//!
//! - [`format`](mod@format): the file of a slice, byte by byte.
//! - [`retro`], [`scores`]: values of a group of slices, by layers of plies or by sweeps. `pieces`: the former for groups that do not
//!   fit into memory.
//! - [`build`](mod@build): slice after slice, going on where an earlier run was ended, however it ended.
//! - [`database`]: probing, by any number of threads. A missing file is "unknown", a damaged one an error,
//!   and nothing in between.
//! - [`verify`](mod@verify): every entry again from its successors, by forward moves alone.
//! - [`farmed`]: a build in pieces that others work out.
//! - [`folder`]: what lies in a folder of files.

pub mod build;
mod cache;
pub mod database;
mod encode;
pub mod farmed;
pub mod folder;
pub mod format;
pub mod group;
mod large;
mod pieces;
pub mod reachable;
pub mod retro;
pub mod scores;
mod shelf;
pub mod verify;
pub mod work;

use std::path::{Path, PathBuf};
use zermelo_game::{Bounds, Game, Sliced};

pub use build::{Config, Estimate, Progress, build, estimate};
pub use database::{Database, Entry};
pub use verify::{Verified, verify};

/// Something that can be asked about positions, by any number of threads: a database of slices, or a strong
/// solution.
pub trait Probe<G: Game>: Send + Sync {
    /// What is known of a position, from the first player's point of view. Unknown is the full range.
    fn probe(&self, game: &G, p: &G::Position) -> Result<Bounds, Damage>;

    /// The value for the player to move, with its distance; `None` if it is not known.
    fn entry(&self, game: &G, p: &G::Position) -> Result<Option<Entry>, Damage>;
}

impl<G: Sliced> Probe<G> for Database<G> {
    fn probe(&self, game: &G, p: &G::Position) -> Result<Bounds, Damage> {
        Database::probe(self, game, p)
    }

    fn entry(&self, game: &G, p: &G::Position) -> Result<Option<Entry>, Damage> {
        Database::entry(self, game, p)
    }
}

impl<G: Game> Probe<G> for reachable::Strong {
    fn probe(&self, game: &G, p: &G::Position) -> Result<Bounds, Damage> {
        reachable::Strong::probe(self, game, p)
    }

    fn entry(&self, game: &G, p: &G::Position) -> Result<Option<Entry>, Damage> {
        reachable::Strong::entry(self, game, p)
    }
}

/// Why a file cannot be believed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {why}", file.display())]
pub struct Damage {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl Damage {
    /// Something is wrong with a file.
    #[must_use]
    pub fn new(file: &Path, why: &str) -> Damage {
        Damage { file: file.to_owned(), why: why.to_owned() }
    }
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file is damaged, or is none of ours.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The system says no.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It does not fit, or makes no sense.
    #[error("{0}")]
    Refused(String),
    /// Somebody asked to stop.
    #[error("interrupted; what is finished stays")]
    Interrupted,
}

impl Failure {
    /// The system says no.
    pub(crate) fn io(path: &Path, error: std::io::Error) -> Failure {
        Failure::Io { path: path.to_owned(), error }
    }
}
