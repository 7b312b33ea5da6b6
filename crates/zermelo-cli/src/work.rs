//! `zermelo work`: provers for a proof that is managed elsewhere, or builders of a database; and the way to them.

use crate::cli::EXIT_CODES;
use crate::engines::EngineParser;
use crate::units::{self, Memory, Time};
use clap::Args;
use std::path::PathBuf;
use zermelo_erased::EngineConfig;

/// How to log in to a farm.
#[derive(Args, Debug)]
pub struct FarmArgs {
    /// A file of credentials for the farm, as NATS has them
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,

    /// The certificate (PEM) of the authority that has signed the farm's; switches TLS on
    #[arg(long, value_name = "FILE")]
    pub authority: Option<PathBuf>,
}

/// `zermelo work`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Takes jobs from a NATS server (with JetStream) to which others send them: zermelo prove GAME --store DIR --farm URL, or
zermelo build GAME --out DIR --farm URL. Any number of workers may come and go; one that is killed costs the time of its
jobs. A worker whose version of the rules or whose databases are not theirs refuses to work.

Slices of a database are built one group at a time, with all threads, in a folder of its own (see --scratch) that takes
as much as the files the group rests on, and is removed in the end; by kill -9 it stays.

Examples:
  nats-server -js                                                   on one machine
  zermelo prove nogo 5x5 --store nogo.tree --farm nats://127.0.0.1:4222
  zermelo work --farm nats://127.0.0.1:4222 --threads 2             as often as you like
  zermelo work --farm tls://me:secret@farm.example.org/six --db six.db
  zermelo build checkers 8x8 --pieces 6 --out db --farm nats://127.0.0.1:4222

{EXIT_CODES}"))]
pub struct WorkArgs {
    /// The farm: nats://host:port/name, tls://user:password@host/name
    #[arg(long = "farm", value_name = "URL")]
    pub address: String,

    /// How to log in to it.
    #[command(flatten)]
    pub access: FarmArgs,

    /// The database that the manager's jobs name, if they do
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// How many provers work at a time, or threads that build together
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,

    /// Memory for building slices: 512M, 4G [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    pub memory: Option<Memory>,

    /// Where slices are built, in a folder of the worker's own [default: the system's folder for such files]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,

    /// The engine that provers use, perhaps with options: dfpn:threads=2 (see `zermelo engines`)
    /// [default: dfpn where positions can repeat, elsewhere auto]
    #[arg(long, value_name = "ENGINE", value_parser = EngineParser)]
    pub by: Option<EngineConfig>,

    /// A program that proves, with its arguments, instead of an engine of ours
    #[arg(long, value_name = "COMMAND", conflicts_with = "by")]
    pub prover: Option<String>,

    /// How late the --prover may be with an answer, besides four times the time for a job
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, default_value = "10s")]
    pub grace: Time,
}

#[cfg(not(feature = "farm"))]
pub use without::{build, farm, run};

#[cfg(not(feature = "farm"))]
mod without {
    use super::{FarmArgs, WorkArgs};
    use crate::End;
    use crate::open::Usage;
    use crate::progress::Live;
    use std::path::Path;
    use zermelo_erased::{AnyGame, BuildOrder, BuiltGame, Catalogue};
    use zermelo_proof_tree::transport::Transport;

    fn refuse<T>() -> anyhow::Result<T> {
        let words = "this program was built without farms; with them: \
                     cargo install --path crates/zermelo-cli --features farm";
        Err(Usage(words.into()).into())
    }

    /// The provers of a farm.
    pub fn farm(_: &str, _: &FarmArgs) -> anyhow::Result<Box<dyn Transport>> {
        refuse()
    }

    /// Builds a database by a farm.
    pub fn build(
        _: &str,
        _: &FarmArgs,
        _: &dyn AnyGame,
        _: &Path,
        _: &BuildOrder,
        _: &Live,
    ) -> anyhow::Result<BuiltGame> {
        refuse()
    }

    /// Works for a farm.
    pub fn run(_: &Catalogue, _: &WorkArgs) -> anyhow::Result<End> {
        refuse()
    }
}

#[cfg(feature = "farm")]
pub use with::{build, farm, run};

#[cfg(feature = "farm")]
mod with {
    use super::{FarmArgs, WorkArgs};
    use crate::interrupt::Interrupt;
    use crate::open::Usage;
    use crate::progress::Live;
    use crate::prove::{engine_for_jobs, program, with_database};
    use crate::units::time;
    use crate::{End, machine, out};
    use std::path::Path;
    use std::sync::Mutex;
    use std::time::Duration;
    use zermelo_erased::{AnyGame, BuildOrder, BuiltGame, Catalogue};
    use zermelo_farm::{Address, BuildObserver, Crew, Farm, FarmFailure, Standing};
    use zermelo_game::{Identity, counted};
    use zermelo_proof_tree::Job;
    use zermelo_proof_tree::job::same_game;
    use zermelo_proof_tree::prover::{Maker, local};
    use zermelo_proof_tree::transport::Transport;

    fn address(text: &str, access: &FarmArgs) -> anyhow::Result<Address> {
        let address = Address::parse(text, access.credentials.clone(), access.authority.clone());
        let address = address.map_err(|error| match error {
            FarmFailure::Address(words) => Usage(words).into(),
            other => anyhow::Error::from(other),
        })?;
        if let Some(words) = address.warning() {
            out::alarm("WARNING", &words);
        }
        Ok(address)
    }

    /// The provers of a farm.
    pub fn farm(text: &str, access: &FarmArgs) -> anyhow::Result<Box<dyn Transport>> {
        Ok(Box::new(Farm::open(&address(text, access)?)?))
    }

    /// Shows how a build goes; warnings stay.
    struct Show<'l>(&'l Live);

    impl BuildObserver for Show<'_> {
        fn standing(&self, standing: &Standing) {
            let Standing { groups: [done, all], places, out, doing, elapsed } = standing;
            let work: Vec<&str> = doing.iter().flatten().map(String::as_str).collect();
            let mut line = format!(
                "{}  {done} of {all} groups, {out} offered, {}: {}",
                time(*elapsed),
                counted(doing.len() as u64, "worker"),
                if work.is_empty() { "at rest".into() } else { work.join(", ") }
            );
            if places[0] > 0 && elapsed.as_secs() > 0 {
                let rest = places[1].saturating_sub(places[0]) as f64 / places[0] as f64;
                let left = elapsed.mul_f64(rest).max(Duration::from_secs(1));
                line += &format!("  about {} left", time(left));
            }
            self.0.say(&line);
        }

        fn warn(&self, words: &str) {
            out::warn(words);
        }
    }

    /// Builds a database by a farm.
    pub fn build(
        text: &str,
        access: &FarmArgs,
        game: &dyn AnyGame,
        dir: &Path,
        order: &BuildOrder,
        live: &Live,
    ) -> anyhow::Result<BuiltGame> {
        let built = zermelo_farm::build(&address(text, access)?, game, dir, order, &Show(live));
        built.map_err(|error| match error {
            FarmFailure::Build(error) => error.into(),
            other => other.into(),
        })
    }

    /// A game that was opened for a job.
    struct Opened {
        identity: Identity,
        database: Option<String>,
        maker: Maker,
    }

    impl Opened {
        fn new(
            catalogue: &Catalogue,
            args: &WorkArgs,
            program: Option<&Maker>,
            job: &Job,
        ) -> Result<Opened, String> {
            let game = catalogue.open_foreign(&job.game).map_err(|e| e.to_string())?;
            let (game, database) =
                with_database(game, args.db.as_deref()).map_err(|e| format!("{e:#}"))?;
            let identity = game.identity();
            let engine = args.by.clone().unwrap_or_else(|| engine_for_jobs(&*game));
            game.accepts(&engine)?;
            let maker = match program {
                Some(program) => program.clone(),
                None => local(game, engine, args.threads.into()),
            };
            Ok(Opened { identity, database, maker })
        }

        /// Whether this is what a job is about.
        fn fits(&self, job: &Job) -> Result<(), String> {
            same_game(&job.identity(), &self.identity)?;
            if job.database == self.database {
                return Ok(());
            }
            let name = |d: &Option<String>| d.clone().unwrap_or("none".into());
            let (theirs, ours) = (name(&job.database), name(&self.database));
            Err(format!("their database is {theirs}, ours {ours} (see --db)"))
        }
    }

    /// Works for a farm.
    pub fn run(catalogue: &Catalogue, args: &WorkArgs) -> anyhow::Result<End> {
        let interrupt = Interrupt::listen()?;
        let stop = interrupt.flag();
        let address = address(&args.address, &args.access)?;
        let program =
            args.prover.as_ref().map(|command| program(command, args.grace)).transpose()?;
        let opened: Mutex<Option<Opened>> = Mutex::default();
        let open = |job: &Job| {
            let mut opened = opened.lock().unwrap_or_else(|e| e.into_inner());
            if opened.as_ref().is_none_or(|o| o.fits(job).is_err()) {
                *opened = Some(Opened::new(catalogue, args, program.as_ref(), job)?);
            }
            let opened = opened.as_ref().expect("was just opened");
            opened.fits(job).map(|()| opened.maker.clone())
        };
        let machine = nix::unistd::gethostname().unwrap_or_default();
        let name = format!("{}-{}", machine.to_string_lossy(), std::process::id());
        out::remark(&format!("worker {name} of the farm {}; Ctrl-C ends it", address.shown()));
        let scratch = args.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let crew = Crew {
            scratch: scratch.join(format!("zermelo-work-{name}")),
            name,
            provers: args.threads.into(),
            catalogue,
            open: &open,
            memory: args.memory.unwrap_or_else(machine::default_memory),
            stop: &stop,
        };
        let done = zermelo_farm::work(&address, &crew)?;
        let jobs = counted(done.jobs, "job");
        out::remark(&format!("{jobs} done, {} set aside", done.poison));
        Ok(End::Done)
    }
}
