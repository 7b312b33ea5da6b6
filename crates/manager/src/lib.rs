//! The proof-tree manager: proofs too large for one search and one memory, in the way in which checkers was solved
//! (Schaeffer, Björnsson, Burch, Kishimoto, Müller, Lake, Lu and Sutphen, *Solving Checkers*, 2005), for any game whose
//! positions have values of their own.
//!
//! A tree of positions lies on disk ([`store`]); its compact form in memory is the [`graph`]; [`tree`] holds both. A pure function,
//! [`missing`](missing::missing), says of a root either that it is settled or which leaves to look at next, by
//! proof numbers ([`numbers`]). Leaves are jobs ([`job`]) for provers ([`prover`], [`external`]) behind a
//! [`transport`], and what they find are facts, which only get sharper. [`manager`] is the loop around all that;
//! [`claims`] are moves to be tried first, [`tend`] looks after a store, [`view`]
//! shows one that grows, and [`finish`] what it lacks.

pub mod claims;
pub mod external;
pub mod finish;
pub mod graph;
pub mod job;
pub mod manager;
pub mod missing;
mod names;
pub mod numbers;
pub mod progress;
pub mod prover;
pub mod store;
pub mod tend;
pub mod transport;
pub mod tree;
pub mod view;

pub use job::{Job, Outcome};
pub use manager::{Config, Manager, Settled};
pub use progress::Status;
pub use store::Store;

use graph::Clash;
use std::path::PathBuf;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The game cannot be proved this way.
    #[error("{0}")]
    Refused(String),
    /// A position or a move was not understood.
    #[error(transparent)]
    Text(#[from] zermelo_game::ParseError),
    /// The store belongs to something else, or is damaged.
    #[error("{file}: {why}")]
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
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
    /// Two facts cannot both be true. Nobody can say which is wrong, so the proof ends here.
    #[error("a contradiction: {0}")]
    Contradiction(String),
    /// A prover failed, or said what it may not say.
    #[error("a prover failed: {0}")]
    Prover(String),
}

impl From<Clash> for Failure {
    fn from(clash: Clash) -> Failure {
        Failure::Contradiction(clash.to_string())
    }
}
