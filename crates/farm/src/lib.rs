//! The farm: provers on as many machines as one likes, with NATS JetStream between them and the manager.
//!
//! A farm has a name on its server. The manager publishes jobs to the stream `ZERMELO_name_JOBS`, from which each job goes to
//! one worker; it is leased, and goes to another if the worker neither extends nor acknowledges the lease. Outcomes
//! go to the stream `ZERMELO_name_OUTCOMES`. Both lie in files of the server. Two subjects without memory
//! carry signs of life (`zermelo.name.sign`: what each prover does) and the wish to stop (`zermelo.name.cancel`).
//!
//! None of that is trusted to last. The manager's store is the only truth and the streams are a window of jobs in
//! flight: what the server loses is offered again after a while, what comes twice is recognised by its number,
//! and what comes from an earlier run of the manager is thrown away. Every call to the server is tried
//! again until it succeeds, so that the server may be restarted at any moment.
//!
//! The groups of slices of an endgame database are worked out in the same way. Finished files travel through the bucket
//! `ZERMELO_name_SLICES` of the engine's object store, under their digests; the folder of the one who builds is the
//! only truth.
//!
//! [`Farm`] is the manager's side, [`build`](fn@build) that of a database, [`work`] a worker.

mod address;
mod build;
mod dispatcher;
mod farm;
mod objects;
mod wire;
mod worker;
mod workspace;

pub use address::Address;
pub use build::{BuildObserver, Standing, build};
pub use farm::Farm;
pub use worker::{Crew, Open, WorkSummary, work};

/// Why there is no farm.
#[derive(Debug, thiserror::Error)]
pub enum FarmFailure {
    /// The address is not one.
    #[error("{0}")]
    Address(String),
    /// The server does not answer.
    #[error("no answer from {address}: {why}")]
    Unreached {
        /// The server.
        address: String,
        /// Why.
        why: String,
    },
    /// The system has no threads, no sockets or the like.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// The database cannot be built.
    #[error(transparent)]
    Build(#[from] zermelo_endgame::DatabaseFailure),
    /// The workers of a farm cannot work out a group of slices.
    #[error("the farm has failed: {0}")]
    Failed(String),
    /// This worker cannot do the farm's jobs.
    #[error("this worker refuses the farm's jobs: {0}")]
    Refused(String),
}
