//! `zermelo tree`: a page that steps through the growth of a search tree.

use crate::cli::TreeArgs;
use crate::open::Usage;
use crate::{End, open, out};
use std::path::PathBuf;
use zermelo_lab::page;

/// The longest file name that is made from a game's name.
const LONGEST: usize = 60;

/// Writes the page.
pub fn run(args: &TreeArgs) -> anyhow::Result<End> {
    let game = open::game(&args.place.game)?;
    let session = open::session(&*game, &args.place)?;
    let growth = session.grow(args.by.into(), args.steps.into()).map_err(Usage)?;
    let file = args.out.clone().unwrap_or_else(|| file_name(&game.name()));
    out::write(&file, &page::html(&growth))?;
    if !out::is_stdout(&file) {
        let steps = growth.steps.len() - 1;
        let nodes = growth.nodes.len();
        out::print(&format!("{}: {steps} steps, {nodes} nodes\n", file.display()))?;
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
