//! `zermelo tree`: a page that steps through the growth of a search tree.

use crate::cli::PositionArgs;
use crate::open::Usage;
use crate::{End, open, out};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use zermelo_erased::{Catalogue, EngineId};
use zermelo_game::{counted, outside};
use zermelo_lab::page;

/// `zermelo tree`
#[derive(Args, Debug)]
#[command(after_help = "\
One HTML file with everything in it: open it in a browser, step with the arrow keys. Squares are nodes where
the first player moves, circles where the second does; numbers are from the first player's view.

Examples:
  zermelo tree tictactoe --by pns --steps 40
  zermelo tree tictactoe --position \"xox/o.x/..o first\" --by alphabeta --out endgame.html
  zermelo tree atarigo 4x4 --by pp --steps 100 --out - > tree.html
  zermelo tree tictactoe --by dfpn --steps 60       with the thresholds of df-pn")]
pub struct TreeArgs {
    /// The game and the position.
    #[command(flatten)]
    pub start: PositionArgs,

    /// The engine to watch
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = Watched::Pns)]
    pub by: Watched,

    /// How many steps
    #[arg(long, value_name = "N", default_value_t = 40)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=2000))]
    pub steps: u16,

    /// The file to write; - for standard output [default: the game's name, in this folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The engines that can be watched. They are drawn as in textbooks, so they take no options here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Watched {
    /// Plain alpha-beta as in textbooks, with its windows and cuts
    Alphabeta,
    /// Proof-number search, with proof and disproof numbers
    Pns,
    /// The same with second trees, which are not shown
    Pn2,
    /// Product propagation, with probabilities
    Pp,
    /// Plain depth-first proof-number search, with its thresholds in brackets
    Dfpn,
}

impl From<Watched> for EngineId {
    fn from(by: Watched) -> EngineId {
        match by {
            Watched::Alphabeta => EngineId::AlphaBeta,
            Watched::Pns => EngineId::Pns,
            Watched::Pn2 => EngineId::Pn2,
            Watched::Pp => EngineId::Pp,
            Watched::Dfpn => EngineId::Dfpn,
        }
    }
}

/// The longest file name that is made from a game's name.
const LONGEST: usize = 60;

/// Writes the page.
pub fn run(catalogue: &Catalogue, args: &TreeArgs) -> anyhow::Result<End> {
    let game = open::game_at(catalogue, &args.start)?;
    let session = open::session(&*game, &args.start)?;
    let growth = session.grow(args.by.into(), args.steps.into()).map_err(Usage)?;
    let file = args.out.clone().unwrap_or_else(|| file_name(&game.name()));
    out::write(&file, &page::html(&growth))?;
    if !out::is_stdout(&file) {
        let steps = counted(growth.steps.len() as u64 - 1, "step");
        let nodes = counted(growth.nodes.len() as u64, "node");
        out::print(&format!("{}: {steps}, {nodes}\n", outside::path(&file)))?;
    }
    Ok(End::Done)
}

/// The game's name as the name of a page.
fn file_name(game: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = game.chars().map(plain).take(LONGEST).collect();
    PathBuf::from(name + ".html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_the_game() {
        assert_eq!(file_name("go 3x3 komi 8.5"), PathBuf::from("go-3x3-komi-8.5.html"));
        assert_eq!(file_name("graph ../a; b = 1").to_str().unwrap().matches('/').count(), 0);
    }
}
