//! `zermelo completions` and `zermelo man`: made from the definition of the command line.

use crate::cli::Cli;
use crate::{End, out};
use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use std::fs;
use std::path::Path;

/// Prints completions for a shell.
pub fn completions(shell: Shell) -> anyhow::Result<End> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "zermelo", &mut text);
    out::print(&String::from_utf8(text)?)?;
    Ok(End::Done)
}

/// Prints the manual page, or writes one for each command into a folder.
pub fn man(folder: Option<&Path>) -> anyhow::Result<End> {
    if let Some(folder) = folder {
        fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .with_context(|| format!("cannot write manual pages to {}", folder.display()))?;
        return Ok(End::Done);
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    out::print(&String::from_utf8(text)?)?;
    Ok(End::Done)
}
