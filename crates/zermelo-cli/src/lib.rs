//! The command line of Zermelo, as a library: [`run`] obeys it with the games of a [`Catalogue`]. A program of three
//! lines gives a game of your own all commands; `examples/own-game` is one.
//!
//! It wires the other crates together and holds no logic of games or engines.
//!
//! [`cli`] says what can be typed, [`help`] lays out what is said about it; each command has a file of its own ([`games`], [`show`],
//! [`solve`], [`mod@batch`], [`proof`], [`prove`], [`store`], [`work`], [`build`](mod@build), [`databases`], [`engines`], [`perft`], [`play`], [`tree`], [`explore`], [`mod@bench`], [`pages`]); the rest is shared: opening a game ([`open`]), reading and
//! writing amounts ([`units`]), printing ([`out`], [`settings`]), errors ([`failure`]), the live line ([`progress`]), lines that a person types
//! ([`line_input`]), distances in words ([`distance`]), signals ([`interrupt`]), what can fail before a search ([`preflight`]) and the machine
//! ([`machine`]).

pub mod batch;
pub mod bench;
pub mod build;
mod check_report;
pub mod cli;
pub mod databases;
pub mod distance;
pub mod engines;
mod estimate;
pub mod explore;
pub mod failure;
pub mod games;
pub mod help;
pub mod interrupt;
pub mod line_input;
pub mod machine;
pub mod open;
pub mod out;
pub mod pages;
pub mod perft;
pub mod play;
pub mod preflight;
pub mod progress;
pub mod proof;
pub mod prove;
pub mod settings;
pub mod show;
pub mod solve;
pub mod store;
pub mod tree;
pub mod units;
pub mod work;

use crate::cli::{Cli, Command};
use crate::settings::Color;
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
pub use zermelo_erased::{Catalogue, Opened, Row};
use zermelo_game::outside::printable;

/// Obeys the command line, with the games of a catalogue. This is all of a program:
///
/// ```no_run
/// # use std::process::ExitCode;
/// use zermelo_cli::Catalogue;
///
/// fn main() -> ExitCode {
///     zermelo_cli::run(Catalogue::standard())
/// }
/// ```
#[must_use]
pub fn run(catalogue: Catalogue) -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return failure::refuse(&error),
    };
    match obey(&catalogue, cli) {
        Ok(end) => end.code().into(),
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

/// Reads the command line. An error quotes the arguments, and these may be names of files that others have chosen; so
/// it is made of arguments that are safe to show.
fn parse() -> Result<Cli, clap::Error> {
    let args: Vec<OsString> = std::env::args_os().collect();
    let color = Color::early(&args);
    color.apply();
    settings::set_json(settings::early_json(&args));
    let command = || Cli::command().color(color.into());
    let matches = command().try_get_matches_from(&args).map_err(|error| {
        // Help and errors. Only these need texts that fit the terminal; to wrap them takes four fifths of the time of parsing.
        let shown = args.iter().map(|arg| printable(&arg.to_string_lossy()).into_owned());
        let fitted = help::fitted(command(), Some(help::width()));
        fitted.try_get_matches_from(shown).err().unwrap_or(error)
    })?;
    // Not every command can print JSON.
    let mut inner = &matches;
    while let Some((_, next)) = inner.subcommand() {
        inner = next;
    }
    let json = inner.try_get_one::<bool>("json").ok().flatten().copied();
    let cli = Cli::from_arg_matches(&matches)?;
    settings::set_json(json.unwrap_or(false));
    settings::set_quiet(cli.quiet);
    Ok(cli)
}

/// Runs a command.
fn obey(catalogue: &Catalogue, cli: Cli) -> anyhow::Result<End> {
    match cli.command {
        Command::Games(args) => games::run(catalogue, &args),
        Command::Engines(args) => engines::run(&args),
        Command::Show(args) => show::run(catalogue, &args),
        Command::Solve(args) => solve::run(catalogue, &args),
        Command::Check(args) => proof::check(catalogue, &args),
        Command::Explain(args) => proof::explain(catalogue, &args),
        Command::Build(args) => build::run(catalogue, &args),
        Command::Verify(args) => databases::verify(catalogue, &args),
        Command::Stats(args) => databases::stats(&args),
        Command::Probe(args) => databases::probe(catalogue, &args),
        Command::Prove(args) => prove::run(catalogue, &args),
        Command::Store(args) => store::run(catalogue, &args),
        Command::Certify(args) => store::certify(catalogue, &args),
        Command::Work(args) => work::run(catalogue, &args),
        Command::Perft(args) => perft::run(catalogue, &args),
        Command::Play(args) => play::run(catalogue, &args),
        Command::Tree(args) => tree::run(catalogue, &args),
        Command::Explore(args) => explore::run(catalogue, &args),
        Command::Bench { what } => bench::run(catalogue, &what),
        Command::Completions { shell } => pages::completions(catalogue, shell),
        Command::Man { out } => pages::man(out.as_deref()),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// How a command ended, where it did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Everything that was asked for is known.
    Done,
    /// A limit or a signal came first.
    Unsolved,
    /// A certificate proves nothing, a database is wrong.
    Refused,
    /// A certificate is about a game that is not in the catalogue.
    CannotCheck,
}

impl End {
    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            End::Done => 0,
            End::Unsolved => 3,
            End::Refused => 4,
            End::CannotCheck => 5,
        }
    }
}
