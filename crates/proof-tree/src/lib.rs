//! The proof-tree manager: proofs too large for one search and one memory, in the way in which checkers was solved
//! (Schaeffer, Björnsson, Burch, Kishimoto, Müller, Lake, Lu and Sutphen, *Solving Checkers*, 2005), for any game whose
//! positions have values of their own.
//!
//! A tree of positions lies on disk ([`store`]); its compact form in memory is the [`graph`]; [`tree`] holds both. A pure function,
//! [`missing`](missing::missing), says of a root either that it is settled or which leaves to look at next, by
//! proof numbers ([`numbers`]). Leaves are jobs ([`job`]) for provers ([`prover`], [`external`]) behind a
//! [`transport`], and what they find are facts, which only get sharper. [`manager`] is the loop around all that;
//! [`claims`] are moves to be tried first, [`maintenance`] reports on, exports and compacts a store, [`mod@check`] reads all of it
//! again, [`view`] shows one that grows, and [`remaining`] what is left to prove.
//!
//! Provers from outside are not trusted. Each fact has a [`source`] by a name that we give; engines of ours stand
//! beside outsiders ([`guarded`]), audit what they say and take over where they fail; a
//! [`contradiction`] names who said what, and withdraws what the liar has said.

pub mod check;
pub mod claims;
pub mod contradiction;
pub mod external;
pub mod graph;
pub mod guarded;
pub mod job;
pub mod maintenance;
pub mod manager;
pub mod missing;
mod names;
pub mod numbers;
pub mod progress;
pub mod prover;
pub mod remaining;
pub mod source;
pub mod store;
pub mod transport;
pub mod tree;
pub mod view;

pub use contradiction::ContradictionReport;
pub use job::{Job, JobOutcome};
pub use manager::{Manager, ManagerConfig, RunEnding, Settled};
pub use progress::Status;
pub use store::Store;

use std::path::PathBuf;
use zermelo_game::outside::path;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum ProofTreeFailure {
    /// The game cannot be proved this way.
    #[error("{0}")]
    Refused(String),
    /// A position or a move was not understood.
    #[error(transparent)]
    Text(#[from] zermelo_game::ParseError),
    /// The store belongs to something else, or is damaged.
    #[error("{}: {why}", path(file))]
    Store {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// SQLite failed.
    #[error("the store failed: {0}")]
    Sql(#[from] rusqlite::Error),
    /// A file could not be read or written.
    #[error("{}: {}", path(.0), .1)]
    Io(PathBuf, std::io::Error),
    /// Statements that cannot all be true: the proof ends here.
    #[error("a contradiction: {0}")]
    Contradiction(Box<ContradictionReport>),
}
