//! `zermelo explore`: a page to look at solved games, play the perfect player and let positions be solved.

use crate::interrupt::Interrupt;
use crate::open::{self, Usage};
use crate::units::{self, Memory, Time};
use crate::{End, machine, out};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use zermelo_erased::Catalogue;
use zermelo_explorer::{RequestLimits, ServerConfig};

/// `zermelo explore`
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zermelo explore                               all games, on http://127.0.0.1:7878
  zermelo explore connect4 5x5                  begin with this one
  zermelo explore checkers --db db              with the values of a database
  zermelo explore --proof nogo.proof            walk through a proof
  zermelo explore --store b.tree                watch a proof grow
  zermelo explore --listen 127.0.0.1:0          on any free port
  zermelo explore --public --proxy --log        for everybody, behind a proxy (deploy/ has a unit)

It is a server for yourself: it listens on this machine only, unless --listen says otherwise.")]
pub struct ExploreArgs {
    /// The game to begin with, without quotes: nogo 5x5 [default: a gallery of all games]
    #[arg(value_name = "GAME", allow_negative_numbers = true)]
    pub game: Vec<String>,

    /// A folder made by `zermelo build`; may be given more than once, and of two of one game the first that knows answers
    #[arg(long, value_name = "DIR")]
    pub db: Vec<PathBuf>,

    /// A certificate made by `zermelo solve --proof`; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub proof: Vec<PathBuf>,

    /// A folder of `zermelo prove --store`, also while the proof goes on; may be given more than once
    #[arg(long, value_name = "DIR")]
    pub store: Vec<PathBuf>,

    /// The address and port to listen on; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    pub listen: SocketAddr,

    /// Searches that run at the same time; others take turns with them [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub searches: Option<u16>,

    /// The longest a search may run [default: 10m; 1m with --public]
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub time: Option<Time>,

    /// Memory for databases, certificates and tables: 512M, 4G
    /// [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    pub memory: Option<Memory>,

    /// Serve everybody: 4 searches a client, automatic analyses of 30 seconds, 64 connections a client, and any name of the
    /// server
    #[arg(long)]
    pub public: bool,

    /// A proxy stands before the server: the last address of its X-Forwarded-For is the client's
    #[arg(long)]
    pub proxy: bool,

    /// Write a line for each request to the standard error
    #[arg(long)]
    pub log: bool,
}

/// Serves until it is interrupted.
pub fn run(catalogue: &Catalogue, args: &ExploreArgs) -> anyhow::Result<End> {
    let first = match args.game.is_empty() {
        true => String::new(),
        false => open::game(catalogue, &args.game)?.name(),
    };
    let interrupt = Interrupt::listen()?;
    let memory = args.memory.unwrap_or_else(machine::default_memory);
    let mut limits = match args.public {
        true => RequestLimits::public(),
        false => RequestLimits::default(),
    };
    if let Some(time) = args.time {
        limits.job_time = time;
        limits.analysis_time = limits.analysis_time.min(time);
    }
    if args.proxy {
        // All connections are those of the proxy.
        limits.connections_of_client = None;
    }
    if let Some(searches) = args.searches {
        limits.running = searches.into();
        limits.jobs = limits.jobs.max(limits.running);
    }
    // Half for what is served, half for all searches together.
    limits.job_memory = (memory / 2 / limits.jobs as u64).max(16 << 20);
    let config = ServerConfig {
        catalogue: catalogue.clone(),
        listen: args.listen,
        databases: args.db.clone(),
        proofs: args.proof.clone(),
        stores: args.store.clone(),
        memory: memory / 2,
        limits,
        public: args.public,
        behind_proxy: args.proxy,
        log: args.log,
        stop: interrupt.flag(),
    };
    if !args.public && !args.listen.ip().is_loopback() {
        let words = format!("it listens on {}, not on loopback.", args.listen);
        out::alarm("Everybody who reaches this machine can use it", &words);
    }
    let served = zermelo_explorer::serve(&config, |address| {
        let page = first.replace(' ', "+");
        let hash = if page.is_empty() { String::new() } else { format!("#/{page}") };
        let _ = out::print(&format!("The explorer is open at http://{address}/{hash}\n"));
        out::remark("Ctrl-C ends it.");
    });
    served.map_err(|failure| match failure {
        failure @ (zermelo_explorer::ServeFailure::Database(_)
        | zermelo_explorer::ServeFailure::Proof { .. }
        | zermelo_explorer::ServeFailure::Store { .. }) => {
            anyhow::Error::from(Usage(failure.to_string()))
        }
        failure => failure.into(),
    })?;
    Ok(End::Done)
}
