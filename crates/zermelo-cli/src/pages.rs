//! `zermelo completions` and `zermelo man`: made from the definition of the command line.

use crate::cli::Cli;
use crate::{End, help, out};
use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use zermelo_erased::{Catalogue, Row};
use zermelo_game::outside;

/// Prints completions for a shell: of commands, options, engines and the games of the catalogue.
pub fn completions(catalogue: &Catalogue, shell: Shell) -> anyhow::Result<End> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut with_games(catalogue), program(), &mut text);
    out::document(&String::from_utf8(text)?)?;
    Ok(End::Done)
}

/// The command line with the names of the games as values of GAME. Other values are right, too, so it is not for parsing.
fn with_games(catalogue: &Catalogue) -> Command {
    let value =
        |row: &Row| PossibleValue::new(row.name().to_owned()).help(row.summary_text().to_owned());
    let names: Vec<PossibleValue> = catalogue.rows().iter().map(value).collect();
    Cli::command().mut_subcommands(|command| {
        command.mut_args(|arg| match arg.get_id() == "game" {
            true => arg.value_parser(PossibleValuesParser::new(names.clone())),
            false => arg,
        })
    })
}

/// The name of this program: of games of other people's it is another one.
fn program() -> String {
    let first = std::env::args_os().next().map(PathBuf::from);
    let name = first.as_deref().and_then(Path::file_name).and_then(OsStr::to_str);
    // Scripts are made of it.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.filter(|name| name.chars().all(is_plain)).unwrap_or("zermelo").to_owned()
}

/// Prints the manual page, or writes one for each command into a folder.
pub fn man(folder: Option<&Path>) -> anyhow::Result<End> {
    if let Some(folder) = folder {
        fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(for_paper(), folder))
            .with_context(|| format!("cannot write manual pages to {}", outside::path(folder)))?;
        return Ok(End::Done);
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(for_paper()).render(&mut text)?;
    out::document(&String::from_utf8(text)?)?;
    Ok(End::Done)
}

/// The command line for manual pages, which break lines themselves.
fn for_paper() -> Command {
    help::fitted(Cli::command(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of other people's are completed as well.
    #[test]
    fn completions_know_the_games_of_the_catalogue() {
        let chomp = Row::new("chomp", |args| Catalogue::standard().open(args.text()));
        let catalogue = Catalogue::standard().with(chomp.summary("bites"));
        // Fish is told the values of options only.
        for shell in [Shell::Bash, Shell::Zsh] {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut with_games(&catalogue), "zermelo", &mut text);
            let text = String::from_utf8(text).unwrap();
            for word in ["chomp", "knightthrough", "dfpn"] {
                assert!(text.contains(word), "{shell}: {word}");
            }
        }
    }
}
