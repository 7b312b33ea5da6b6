//! The program: reads the command line, runs the command, and turns its end into an exit code.

use clap::Parser;
use std::io;
use std::process::ExitCode;
use zermelo::cli::Cli;
use zermelo::open::Usage;

fn main() -> ExitCode {
    match zermelo::run(Cli::parse()) {
        Ok(end) => end.code().into(),
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{} {error:#}", console::style("error:").for_stderr().red().bold());
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
