//! All of Zermelo for a game that it does not know: `own-game solve "chomp 4x5"`, and likewise show, check, build,
//! verify, probe, prove, certify, play and explore.
//!
//! The game is in `chomp.rs`; the rest is the one line below.

mod chomp;

use chomp::Chomp;
use std::process::ExitCode;
use zermelo_cli::Catalogue;

fn main() -> ExitCode {
    zermelo_cli::run(Catalogue::standard().with(Chomp::row()))
}
