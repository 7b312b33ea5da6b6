//! The explorer: one server for a page and a JSON interface, to look at solved games, play the perfect player, let
//! positions be solved, walk through certificates and watch proofs grow.
//!
//! - [`library`]: games, databases, certificates and stores.
//! - [`sources`]: all that is known of a position, and who contradicts whom.
//! - [`findings`]: what that says of a position and its moves.
//! - [`jobs`], [`scheduler`]: searches, and how they share the machine.
//! - [`facts`], [`record`]: what they proved.
//! - [`book`]: proved values that come with the program.
//! - [`census`]: small games as a whole, in numbers.
//! - [`certify`]: certificates that are made here.
//! - [`batch`]: searches of many positions, answered one by one.
//! - [`api`]: the interface, described in `openapi.json`; a test compares both.
//! - [`page`]: the page, built from `web/` at the top of the repository.
//! - [`connections`], [`middleware`], [`limits`]: what a client may do.
//! - [`access_log`], [`metrics`]: what the server has done.
//!
//! Answers to single positions take some ten microseconds and are given where the request is read; what may take longer
//! goes to threads for that, and searches have threads of their own. Nothing of this crate is used by a solver.

#![forbid(unsafe_code)]

pub mod access_log;
pub mod api;
pub mod batch;
pub mod book;
pub mod census;
pub mod certify;
pub mod connections;
pub mod facts;
pub mod findings;
pub mod jobs;
pub mod library;
pub mod limits;
pub mod metrics;
pub mod middleware;
pub mod page;
pub mod record;
pub mod scheduler;
pub mod sources;

use crate::access_log::AccessLog;
use crate::census::Censuses;
use crate::jobs::Jobs;
use crate::library::Library;
pub use crate::limits::RequestLimits;
use crate::metrics::Metrics;
use crate::middleware::Capacity;
use facts::FindingCache;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use zermelo_erased::Catalogue;
use zermelo_game::outside::path;

/// How often the flag that ends the server is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long requests that have begun may take when the server ends.
const LAST_ORDERS: Duration = Duration::from_secs(2);

/// What to serve, and where.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The games there are.
    pub catalogue: Catalogue,
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
    pub limits: RequestLimits,
    /// Whether the server is for everybody: it then answers to any name, also where it listens on loopback.
    pub public: bool,
    /// Whether a proxy before it says who asks (`X-Forwarded-For`).
    pub behind_proxy: bool,
    /// Whether a line is written to the standard error for each request.
    pub log: bool,
    /// Set it from anywhere to end the server.
    pub stop: Arc<AtomicBool>,
}

impl Default for ServerConfig {
    /// On loopback, with nothing but our games.
    fn default() -> ServerConfig {
        ServerConfig {
            catalogue: Catalogue::standard(),
            listen: ([127, 0, 0, 1], 7878).into(),
            databases: Vec::new(),
            proofs: Vec::new(),
            stores: Vec::new(),
            memory: 1 << 30,
            limits: RequestLimits::default(),
            public: false,
            behind_proxy: false,
            log: false,
            stop: Arc::default(),
        }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeFailure {
    /// A database cannot be used.
    #[error("{0}")]
    Database(String),
    /// A certificate cannot be read.
    #[error("{}: {why}", path(file))]
    Proof {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// There is no folder for a store.
    #[error("{}: {why}", path(dir))]
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
    pub facts: Arc<FindingCache>,
    /// What clients may do.
    pub limits: RequestLimits,
    /// Requests that are worked on.
    pub requests: Capacity,
    /// Streams of progress that are open.
    pub streams: Capacity,
    /// Batches that wait or run.
    pub batches: Capacity,
    /// Small games, in numbers.
    pub censuses: Censuses,
    /// Certificates that are being made.
    pub making: Capacity,
    /// Whether only names of this machine are answered to.
    pub local_only: bool,
    /// Whether a proxy says who asks.
    pub behind_proxy: bool,
    /// A line for each request.
    pub log: Option<AccessLog>,
    /// Counters.
    pub metrics: Metrics,
    /// Says when streams are to end.
    pub ending: watch::Sender<bool>,
    proofs: Vec<PathBuf>,
    memory: u64,
}

/// A handle to it.
pub type SharedApp = Arc<App>;

impl App {
    /// Opens what is to be served.
    pub fn new(config: &ServerConfig) -> Result<SharedApp, ServeFailure> {
        let ServerConfig { memory, limits, .. } = config;
        let facts = Arc::new(FindingCache::new(limits.facts));
        Ok(Arc::new(App {
            library: Library::new(config)?,
            jobs: Jobs::new(limits, facts.clone()),
            facts,
            limits: limits.clone(),
            requests: Capacity::new(limits.requests),
            streams: Capacity::new(limits.streams),
            batches: Capacity::new(limits.batches),
            censuses: Censuses::new(limits.census, limits.censuses),
            making: Capacity::new(limits.making),
            local_only: config.listen.ip().is_loopback() && !config.public,
            behind_proxy: config.behind_proxy,
            log: config.log.then(|| AccessLog::to(std::io::stderr())).transpose()?,
            metrics: Metrics::default(),
            ending: watch::Sender::new(false),
            proofs: config.proofs.clone(),
            memory: *memory,
        }))
    }

    /// Checks the certificates, in this thread.
    pub fn check_proofs(&self, cancel: &AtomicBool) {
        self.library.check(&self.proofs, self.memory, cancel);
    }
}

/// Serves until [`ServerConfig::stop`] is set. `ready` is told the address when requests can come.
pub fn serve(config: &ServerConfig, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeFailure> {
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
        let failed = |e| ServeFailure::Listen(config.listen, e);
        let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        let ended = {
            let (app, stop) = (app.clone(), config.stop.clone());
            async move {
                while !stop.load(Relaxed) {
                    tokio::time::sleep(LOOK).await;
                }
                app.jobs.stop_all();
                app.library.stop_making();
                app.censuses.stop();
                app.ending.send_replace(true);
            }
        };
        let mut ending = app.ending.subscribe();
        let router = api::router(app.clone());
        let server = connections::serve(listener, router, &config.limits, app.ending.subscribe());
        // A client that does not let go must not keep the server alive.
        let late = async {
            let _ = ending.wait_for(|ending| *ending).await;
            tokio::time::sleep(LAST_ORDERS).await;
        };
        tokio::spawn(ended);
        tokio::select! {
            () = server => {}
            () = late => {}
        }
        Ok(())
    });
    // Also where the address could not be had.
    cancel.store(true, Relaxed);
    app.jobs.stop_all();
    app.library.stop_making();
    app.censuses.stop();
    runtime.shutdown_timeout(LAST_ORDERS);
    if let Some(log) = &app.log {
        log.finish(LAST_ORDERS);
    }
    let _ = checker.join();
    served
}
