//! The explorer: one server for a page and a JSON interface, to look at solved games, play the perfect player, let
//! positions be solved, walk through certificates and watch proofs grow.
//!
//! - [`library`]: games, databases, certificates and stores.
//! - [`lore`]: all that is known of a position, and who contradicts whom.
//! - [`jobs`], [`turns`], [`facts`]: searches, how they share the machine, what they proved.
//! - [`api`]: the interface, described in `openapi.json`; a test compares both.
//! - [`page`]: the page, built from `web/` at the top of the repository.
//! - [`gate`], [`limits`]: what a client may do.
//!
//! Answers to single positions take some ten microseconds and are given where the request is read; what may take longer
//! goes to threads for that, and searches have threads of their own. Nothing of this crate is used by a solver.

#![forbid(unsafe_code)]

pub mod api;
pub mod facts;
pub mod gate;
pub mod jobs;
pub mod library;
pub mod limits;
pub mod lore;
pub mod page;
pub mod turns;

use crate::gate::Room;
use crate::jobs::Jobs;
use crate::library::Library;
pub use crate::limits::Limits;
use facts::Facts;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How often the flag that ends the server is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long requests that have begun may take when the server ends.
const LAST_ORDERS: Duration = Duration::from_secs(2);

/// What to serve, and where.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Folders of databases.
    pub databases: Vec<PathBuf>,
    /// Files of certificates.
    pub proofs: Vec<PathBuf>,
    /// Folders of stores, in which proofs may be going on.
    pub stores: Vec<PathBuf>,
    /// Bytes of each database that are kept unpacked, and for checking certificates.
    pub memory: u64,
    /// What clients may do.
    pub limits: Limits,
    /// Set it from anywhere to end the server.
    pub stop: Arc<AtomicBool>,
}

impl Default for Config {
    /// On loopback, with nothing but the games.
    fn default() -> Config {
        Config {
            listen: ([127, 0, 0, 1], 7878).into(),
            databases: Vec::new(),
            proofs: Vec::new(),
            stores: Vec::new(),
            memory: 1 << 30,
            limits: Limits::default(),
            stop: Arc::default(),
        }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A database cannot be used.
    #[error("{0}")]
    Database(String),
    /// A certificate cannot be read.
    #[error("{}: {why}", file.display())]
    Proof {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// There is no folder for a store.
    #[error("{}: {why}", dir.display())]
    Store {
        /// The folder.
        dir: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The system gives no threads.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

/// What all requests share.
pub struct App {
    /// Games, databases, certificates, stores.
    pub library: Library,
    /// Searches.
    pub jobs: Jobs,
    /// What they proved.
    pub facts: Arc<Facts>,
    /// What clients may do.
    pub limits: Limits,
    /// Requests that are worked on.
    pub room: Room,
    /// Streams of progress that are open.
    pub streams: Room,
    /// Whether only names of this machine are answered to.
    pub local_only: bool,
    /// Says when streams are to end.
    pub ending: watch::Sender<bool>,
    proofs: Vec<PathBuf>,
    memory: u64,
}

/// A handle to it.
pub type Shared = Arc<App>;

impl App {
    /// Opens what is to be served.
    pub fn new(config: &Config) -> Result<Shared, Failure> {
        let Config { databases, proofs, stores, memory, limits, .. } = config;
        let facts = Arc::new(Facts::new(limits.facts));
        Ok(Arc::new(App {
            library: Library::new(databases, proofs, stores, *memory, limits)?,
            jobs: Jobs::new(limits, facts.clone()),
            facts,
            limits: limits.clone(),
            room: Room::new(limits.requests),
            streams: Room::new(limits.streams),
            local_only: config.listen.ip().is_loopback(),
            ending: watch::Sender::new(false),
            proofs: proofs.clone(),
            memory: *memory,
        }))
    }

    /// Checks the certificates, in this thread.
    pub fn check_proofs(&self, cancel: &AtomicBool) {
        self.library.check(&self.proofs, self.memory, cancel);
    }
}

/// Serves until [`Config::stop`] is set. `ready` is told the address when requests can come.
pub fn serve(config: &Config, ready: impl FnOnce(SocketAddr)) -> Result<(), Failure> {
    let app = App::new(config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let cancel = config.stop.clone();
    let checker = {
        let (app, cancel) = (app.clone(), cancel.clone());
        std::thread::Builder::new()
            .name("certificates".into())
            .spawn(move || app.check_proofs(&cancel))?
    };
    let served = runtime.block_on(async {
        let failed = |e| Failure::Listen(config.listen, e);
        let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        let ended = {
            let (app, stop) = (app.clone(), config.stop.clone());
            async move {
                while !stop.load(Relaxed) {
                    tokio::time::sleep(LOOK).await;
                }
                app.jobs.stop_all();
                app.ending.send_replace(true);
            }
        };
        let (told, mut ending) = (app.clone(), app.ending.subscribe());
        let server = axum::serve(listener, api::router(told)).with_graceful_shutdown(ended);
        // A client that does not let go must not keep the server alive.
        let late = async {
            let _ = ending.wait_for(|ending| *ending).await;
            tokio::time::sleep(LAST_ORDERS).await;
        };
        tokio::select! {
            done = server.into_future() => done.map_err(Failure::from),
            () = late => Ok(()),
        }
    });
    // Also where the address could not be had.
    cancel.store(true, Relaxed);
    app.jobs.stop_all();
    runtime.shutdown_timeout(LAST_ORDERS);
    let _ = checker.join();
    served
}
