//! Printing: standard output and standard error, files, and pictures in colour where there is a terminal.
//!
//! Nothing else in this crate writes to a terminal, and nothing that a terminal obeys gets through but our own colours
//! (`zermelo_game::outside`).

use crate::settings;
use crate::units::bytes;
use anyhow::Context;
use console::{Style, StyledObject, style};
use std::io::{self, Write};
use std::path::Path;
use zermelo_game::file::write_whole;
use zermelo_game::{Bounds, Picture, Player, Tone, outside};

/// Width of running text.
const WIDTH: usize = 80;

/// Writes text for people to standard output, at once.
pub fn print(text: &str) -> anyhow::Result<()> {
    document(&outside::terminal(text, console::colors_enabled()))
}

/// Says something on standard error. Further lines are indented, so that none of them, whatever is quoted there, can
/// look like a line of ours.
pub fn note(words: &str) {
    let words = outside::terminal(words, console::colors_enabled_stderr());
    let mut text = String::with_capacity(words.len() + 8);
    for (i, line) in words.lines().enumerate() {
        text += match i {
            0 => "",
            _ if line.starts_with("  ") => "\n",
            _ => "\n  ",
        };
        text += line;
    }
    // Nobody is left to be told if that fails.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Says something on standard error that is neither a warning nor an answer: nothing of it under `--quiet`.
pub fn remark(words: &str) {
    if !settings::is_quiet() {
        note(words);
    }
}

/// Writes an error as JSON to standard error, on one line.
pub fn error_json(value: &impl serde::Serialize) {
    if let Ok(text) = serde_json::to_string(value) {
        // Nobody is left to be told if that fails.
        let _ = writeln!(io::stderr().lock(), "{}", outside::json(text));
    }
}

/// A warning, on standard error.
pub fn warn(words: &str) {
    note(&format!("warning: {words}"));
}

/// A warning that nobody should overlook.
pub fn alarm(word: &str, words: &str) {
    note(&format!("{} {words}", style(format!("{word}:")).for_stderr().red().bold()));
}

/// Writes a document of ours to standard output, to the byte.
pub fn document(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a value as JSON on one line.
pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    document(&(outside::json(serde_json::to_string(value)?) + "\n"))
}

/// Whether a file name stands for standard output.
#[must_use]
pub fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Writes a picture as SVG to a file, or to standard output for `-`.
pub fn svg(file: &Path, picture: &Picture) -> anyhow::Result<()> {
    write(file, &picture.to_svg())
}

/// Writes text to a file, or to standard output for `-`.
pub fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    if is_stdout(file) {
        return document(text);
    }
    let written = write_whole(file, |out| out.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write {}", outside::path(file)))
}

/// A file that was written, and its size.
#[must_use]
pub fn written(file: &Path) -> String {
    let size = file.metadata().map_or(String::new(), |file| format!(", {}", bytes(file.len())));
    format!("{}{size}", outside::path(file))
}

/// The picture as text, in colour on a terminal.
#[must_use]
pub fn board(picture: &Picture) -> String {
    let text = picture.to_text();
    let Picture::Board { rows, .. } = picture else { return text };
    if !console::colors_enabled() {
        return text;
    }
    let paint = |c: char| match c {
        'x' | 'X' => style(c).cyan().bold().to_string(),
        'o' | 'O' => style(c).yellow().bold().to_string(),
        '+' => good(c).to_string(),
        '-' => bad(c).to_string(),
        '=' => style(c).blue().bold().to_string(),
        '.' | '?' => style(c).dim().to_string(),
        _ => c.to_string(),
    };
    let mut out = String::new();
    for (i, line) in text.lines().enumerate() {
        // The last line names the columns, perhaps x and o among them.
        if i < *rows as usize {
            out.extend(line.chars().map(paint));
        } else {
            out += line;
        }
        out.push('\n');
    }
    out
}

fn good<T>(text: T) -> StyledObject<T> {
    Style::new().green().bold().apply_to(text)
}

fn bad<T>(text: T) -> StyledObject<T> {
    Style::new().red().bold().apply_to(text)
}

/// A headline.
pub fn bold<T>(text: T) -> StyledObject<T> {
    Style::new().bold().apply_to(text)
}

/// A word that stands back.
pub fn dim<T>(text: T) -> StyledObject<T> {
    Style::new().dim().apply_to(text)
}

/// A line of a table: a word and what it says, wrapped and indented.
#[must_use]
pub fn field(word: &str, text: &str) -> String {
    wide_field(word, 10, text)
}

/// The same with so much room for the word.
#[must_use]
pub fn wide_field(word: &str, width: usize, text: &str) -> String {
    let mut out = String::new();
    for (i, line) in wrapped(text, WIDTH - width - 1).lines().enumerate() {
        let label = if i == 0 { word } else { "" };
        out += &format!("{} {line}\n", dim(format!("{label:<width$}")));
    }
    out
}

/// A paragraph with lines of the usual width.
#[must_use]
pub fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH) + "\n"
}

/// Breaks text at blanks. Words that do not fit stay whole.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let mut used = 0;
        for word in line.split_whitespace() {
            let long = word.chars().count();
            if used > 0 && used + 1 + long > width {
                out.push('\n');
                used = 0;
            } else if used > 0 {
                out.push(' ');
                used += 1;
            }
            out += word;
            used += long;
        }
    }
    out
}

/// Who wins, in a sentence without its full stop; `all` are the values the game can have.
#[must_use]
pub fn verdict(bounds: Bounds, all: Bounds) -> String {
    let plain = all.lo >= -1 && all.hi <= 1;
    let by = match bounds.value() {
        Some(value) if !plain => format!(" by {}", value.unsigned_abs()),
        None if bounds.winner().is_some() => {
            let least = bounds.lo.unsigned_abs().min(bounds.hi.unsigned_abs());
            format!(" by {least} at least")
        }
        _ => String::new(),
    };
    match bounds.winner() {
        Some(Some(player)) => format!("The {player} player wins{by}"),
        Some(None) => "A draw".into(),
        None if bounds == all => "Not solved: nothing is known yet".into(),
        None => {
            let known = match (bounds.lo, bounds.hi) {
                (0, _) => "the first player has at least a draw",
                (_, 0) => "the second player has at least a draw",
                _ => "positive: the first player wins",
            };
            let Bounds { lo, hi } = bounds;
            format!("Not solved: the value lies between {lo} and {hi} ({known})")
        }
    }
}

/// What a move does, as a verb.
#[must_use]
pub const fn verb(tone: Tone) -> &'static str {
    match tone {
        Tone::Win => "wins",
        Tone::Draw => "draws",
        Tone::Loss => "loses",
        Tone::Open => "is not known",
    }
}

/// Which player's turn it is, in words.
#[must_use]
pub fn to_move(player: Player) -> String {
    format!("{player} player to move")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let plain = Bounds::new(-1, 1);
        assert_eq!(verdict(Bounds::exact(1), plain), "The first player wins");
        assert_eq!(verdict(Bounds::exact(-1), plain), "The second player wins");
        assert_eq!(verdict(Bounds::exact(0), plain), "A draw");
        assert_eq!(verdict(Bounds::exact(-7), Bounds::new(-9, 9)), "The second player wins by 7");
        let some = |lo, hi| verdict(Bounds::new(lo, hi), Bounds::new(-9, 9));
        assert_eq!(some(2, 8), "The first player wins by 2 at least");
        assert_eq!(some(-9, -3), "The second player wins by 3 at least");
        assert_eq!(
            verdict(Bounds::new(0, 1), plain),
            "Not solved: the value lies between 0 and 1 (the first player has at least a draw)"
        );
        assert_eq!(verdict(plain, plain), "Not solved: nothing is known yet");
        assert_eq!(some(-9, 9), "Not solved: nothing is known yet");
        assert_eq!(
            some(-1, 1),
            "Not solved: the value lies between -1 and 1 (positive: the first player wins)"
        );
    }

    #[test]
    fn text_is_wrapped() {
        assert_eq!(wrapped("one two three", 7), "one two\nthree");
        assert_eq!(wrapped("enormous a", 3), "enormous\na");
        assert_eq!(wrapped("", 3), "");
    }
}
