//! The program: reads the command line, runs the command, and turns its end into an exit code.

use clap::Parser;
use std::io;
use std::process::ExitCode;
use zermelo::cli::{Cli, Command};
use zermelo::open::Usage;
use zermelo::{
    End, bench, build, databases, explore, pages, perft, play, proof, prove, show, solve, store,
    tree, work,
};

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(end) => end.code().into(),
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{} {error:#}", console::style("error:").for_stderr().red().bold());
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// Runs a command.
fn run(cli: Cli) -> anyhow::Result<End> {
    match cli.command {
        Command::Games(args) => show::games(&args),
        Command::Show(args) => show::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Check(args) => proof::check(&args),
        Command::Explain(args) => proof::explain(&args),
        Command::Build(args) => build::run(&args),
        Command::Verify(args) => databases::verify(&args),
        Command::Stats(args) => databases::stats(&args),
        Command::Probe(args) => databases::probe(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Store(args) => store::run(&args),
        Command::Certify(args) => store::certify(&args),
        Command::Work(args) => work::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Bench { what } => bench::run(&what),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man { out } => pages::man(out.as_deref()),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
