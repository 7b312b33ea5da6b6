//! The program `zermelo`: the command line with our games.

use std::process::ExitCode;
use zermelo_cli::Catalogue;

fn main() -> ExitCode {
    zermelo_cli::run(Catalogue::standard())
}
