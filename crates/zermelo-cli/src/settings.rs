//! What holds for everything a run prints: `--quiet`, `--color` and `--json`.
//!
//! They are set once, before a command begins, and asked wherever something is printed.

use clap::ValueEnum;
use std::env;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);
static JSON: AtomicBool = AtomicBool::new(false);

/// When to print in colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless the variable NO_COLOR is set
    #[default]
    Auto,
    /// Everywhere, pipes and files included
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// The choice in these arguments, of which nothing else is read: errors in them are coloured, too.
    #[must_use]
    pub fn early(args: &[OsString]) -> Color {
        let words: Vec<&str> = before_dashes(args).filter_map(|word| word.to_str()).collect();
        let joined = words.iter().rev().find_map(|word| word.strip_prefix("--color="));
        let apart = words.windows(2).rev().find(|pair| pair[0] == "--color").map(|pair| pair[1]);
        let choice = joined.or(apart).map(|word| Color::from_str(word, false));
        choice.and_then(Result::ok).unwrap_or_default()
    }

    /// Prints like this from now on.
    pub fn apply(self) {
        // An empty NO_COLOR means nothing (no-color.org).
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let on = match self {
            Color::Auto if !refused => return,
            Color::Auto | Color::Never => false,
            Color::Always => true,
        };
        console::set_colors_enabled(on);
        console::set_colors_enabled_stderr(on);
    }
}

impl From<Color> for clap::ColorChoice {
    fn from(color: Color) -> clap::ColorChoice {
        match color {
            Color::Auto => clap::ColorChoice::Auto,
            Color::Always => clap::ColorChoice::Always,
            Color::Never => clap::ColorChoice::Never,
        }
    }
}

/// Whether `--json` is among these arguments, of which nothing else is read.
#[must_use]
pub fn early_json(args: &[OsString]) -> bool {
    before_dashes(args).any(|word| word == "--json")
}

/// The arguments up to `--`.
fn before_dashes(args: &[OsString]) -> impl Iterator<Item = &OsString> {
    args.iter().take_while(|word| *word != "--")
}

/// Prints only answers from now on: see [`is_quiet`].
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Prints errors as JSON from now on.
pub fn set_json(json: bool) {
    JSON.store(json, Ordering::Relaxed);
}

/// Whether no progress and no remarks are wanted, only the answer.
#[must_use]
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Whether errors are printed as JSON.
#[must_use]
pub fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn choices_are_seen_before_anything_is_parsed() {
        for (line, color) in [
            ("zermelo games", Color::Auto),
            ("zermelo --color never games", Color::Never),
            ("zermelo games --color=always", Color::Always),
            ("zermelo games --color sometimes", Color::Auto),
            ("zermelo games --color", Color::Auto),
            ("zermelo games -- --color never", Color::Auto),
        ] {
            assert_eq!(Color::early(&args(line)), color, "{line}");
        }
        assert!(early_json(&args("zermelo slove x --json")));
        assert!(!early_json(&args("zermelo solve x -- --json")));
    }
}
