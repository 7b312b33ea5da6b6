//! Endgame databases: the backward half of solving.
//!
//! Positions must have values of their own. Games in which boards must not be repeated ([`Superko`](zermelo_game::Superko))
//! are refused by [`reachable`]; their positions cannot be numbered by slices either: no game may be both
//! [`Sliced`] and under superko.
//!
//! A game that numbers its positions slice by slice ([`Sliced`]) can be solved from the end: [`build`](mod@build) works
//! out the value of every position of a slice after those of the slices its moves lead into, and writes one file for
//! each. Any other game that is small enough is solved from the start: [`reachable`] finds all its positions first.
//!
//! - [`format`](mod@format): the file of a slice, byte by byte.
//! - [`retro`], [`scores`]: values of a group of slices, by layers of plies or by sweeps. `retro_on_disk`, `spill`: the
//!   former for groups that do not fit into memory.
//! - [`build`](mod@build): slice after slice, going on where an earlier run was ended, however it ended.
//! - [`database`]: probing, by any number of threads. A missing file is "unknown", a damaged one an error,
//!   and nothing in between.
//! - [`verify`](mod@verify): every entry again from its successors, by forward moves alone.
//! - [`distances`]: what a distance is, and when databases keep them. [`forecast`]: what a build would take.
//! - [`farmed`]: a build in groups that others work out.
//! - [`folder`]: what lies in a folder of files. [`manifest`]: the list of those that belong to it, written last.

pub mod build;
mod cache;
pub mod database;
pub mod distances;
mod encode;
pub mod farmed;
pub mod folder;
pub mod forecast;
pub mod format;
pub mod group;
mod large;
pub mod manifest;
pub mod reachable;
pub mod retro;
mod retro_on_disk;
pub mod scores;
mod seal;
pub mod slice_file;
mod spill;
pub mod verify;
pub mod work;

use std::path::{Path, PathBuf};
use zermelo_game::{Bounds, Notation, Sliced};

pub use build::{BuildConfig, BuildProgress, Estimate, build, estimate};
pub use database::{Database, DatabaseEntry};
pub use distances::{DistanceChoice, DistanceReason};
pub use forecast::{Basis, Forecast};
pub use manifest::Listing;
pub use verify::{Verified, verify};

/// Something that can be asked about positions, by any number of threads: a database of slices, or a strong
/// solution.
pub trait Probe<R: Notation>: Send + Sync {
    /// What is known of a position, from the first player's point of view. Unknown is the full range.
    fn probe(&self, rules: &R, p: &R::Position) -> Result<Bounds, Damage>;

    /// The value for the player to move, with its distance; `None` if it is not known.
    fn entry(&self, rules: &R, p: &R::Position) -> Result<Option<DatabaseEntry>, Damage>;

    /// Why nothing is known of a position of which nothing is, in words.
    fn why_unknown(&self, rules: &R, p: &R::Position) -> String;
}

impl<R: Sliced> Probe<R> for Database<R> {
    fn probe(&self, rules: &R, p: &R::Position) -> Result<Bounds, Damage> {
        Database::probe(self, rules, p)
    }

    fn entry(&self, rules: &R, p: &R::Position) -> Result<Option<DatabaseEntry>, Damage> {
        Database::entry(self, rules, p)
    }

    fn why_unknown(&self, rules: &R, p: &R::Position) -> String {
        Database::why_unknown(self, rules, p)
    }
}

impl<R: Notation> Probe<R> for reachable::Strong<R::Key> {
    fn probe(&self, rules: &R, p: &R::Position) -> Result<Bounds, Damage> {
        reachable::Strong::probe(self, rules, p)
    }

    fn entry(&self, rules: &R, p: &R::Position) -> Result<Option<DatabaseEntry>, Damage> {
        reachable::Strong::entry(self, rules, p)
    }

    fn why_unknown(&self, _: &R, _: &R::Position) -> String {
        "it cannot be reached from the start, and the database has what can be reached alone".into()
    }
}

/// Why a file cannot be trusted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {why}", zermelo_game::outside::path(file))]
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
pub enum DatabaseFailure {
    /// A file is damaged, or is none of ours.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The operating system reports an error.
    #[error("{}: {error}", zermelo_game::outside::path(path))]
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

impl DatabaseFailure {
    /// The operating system reports an error.
    pub(crate) fn io(path: &Path, error: std::io::Error) -> DatabaseFailure {
        DatabaseFailure::Io { path: path.to_owned(), error }
    }
}
