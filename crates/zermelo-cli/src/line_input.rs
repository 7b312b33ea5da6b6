//! Lines that a person types: with editing and a history on a terminal, plain through a pipe.
//!
//! While a line is edited the terminal sends every key, Ctrl-C included, as a character. A signal that ends the program then
//! has to put the terminal back ([`restore_terminal`]); nobody else would.

use crate::out;
use anyhow::Context;
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use zermelo_game::file;

/// The most bytes of a line of input.
const LONGEST: usize = 64 << 10;

/// The terminal as it was before anything was edited.
static BEFORE: OnceLock<nix::libc::termios> = OnceLock::new();

/// Where lines come from.
pub struct LineInput {
    /// `None` where nobody can edit.
    editor: Option<DefaultEditor>,
}

impl LineInput {
    /// Reads from standard input; with editing if that and standard output are terminals.
    pub fn new() -> anyhow::Result<LineInput> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Ok(LineInput { editor: None });
        }
        if let Ok(state) = tcgetattr(io::stdin()) {
            BEFORE.get_or_init(|| state.into());
        }
        let editor = DefaultEditor::with_config(Config::builder().auto_add_history(true).build());
        Ok(LineInput { editor: Some(editor.context("cannot edit lines on this terminal")?) })
    }

    /// The next line, without blanks around it; `None` at the end of the input, which on a terminal is also Ctrl-C or Ctrl-D. What
    /// comes through a pipe is printed too, so that the output reads like a session at a terminal.
    pub fn read(&mut self, prompt: &str) -> anyhow::Result<Option<String>> {
        let line = match &mut self.editor {
            Some(editor) => edited(editor, prompt)?,
            None => piped(prompt)?,
        };
        if line.is_none() {
            out::print("\n")?;
        }
        Ok(line.map(|line| line.trim().to_owned()))
    }
}

fn edited(editor: &mut DefaultEditor, prompt: &str) -> anyhow::Result<Option<String>> {
    let plain = format!("{prompt} ");
    let styled = format!("{} ", out::bold(prompt));
    match editor.readline(&(plain, styled)) {
        Ok(line) if line.len() > LONGEST => anyhow::bail!("a line of more than {LONGEST} bytes"),
        Ok(line) => Ok(Some(line)),
        Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(None),
        Err(error) => Err(error).context("cannot read a line"),
    }
}

fn piped(prompt: &str) -> anyhow::Result<Option<String>> {
    out::print(&format!("{} ", out::bold(prompt)))?;
    let line = file::read_line(&mut io::stdin().lock(), LONGEST)?;
    if let Some(line) = &line
        && !io::stdin().is_terminal()
    {
        out::print(&format!("{}\n", line.trim()))?;
    }
    Ok(line)
}

/// Puts the terminal back as it was before a line was edited, for those who end the program in the middle of one.
pub fn restore_terminal() {
    if let Some(state) = BEFORE.get() {
        // Nobody is left to be told if that fails.
        let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &Termios::from(*state));
    }
}
