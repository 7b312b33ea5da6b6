//! Help texts, broken once, for the terminal at hand.
//!
//! The texts behind the options of a command are written in source files, in lines that fit there. [`fitted`] breaks them again
//! for a width, and clap finds nothing left to break:
//!
//! - lines that begin at the margin are running text: they are joined, up to the next empty line;
//! - a line with a gap of two blanks or more is a row of a table: a word or an example, and what is to be said of it.
//!   Lines that begin below what is said go on with it. It is broken below itself; behind an example for which the line is too
//!   short it gets lines of its own;
//! - any other line that begins with a blank stays as it is.

use clap::Command;
use console::Term;
use std::env;

/// No line of help is longer.
const WIDEST: usize = 100;
/// Below this width nothing is broken any more.
const NARROWEST: usize = 30;
/// Blanks before a remark that has lines of its own.
const INDENT: usize = 8;
/// Blanks that separate the two sides of a row.
const GAP: &str = "  ";

/// The width that help is broken for: the terminal's, or COLUMNS where there is none.
#[must_use]
pub fn width() -> usize {
    let terminals = [Term::stdout(), Term::stderr()];
    let terminal = terminals.iter().find_map(Term::size_checked).map(|(_, cols)| cols.into());
    let variable = || env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(variable).unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
}

/// The command with all texts broken for a width; without a width every paragraph is one line, for those who break it
/// themselves.
#[must_use]
pub fn fitted(command: Command, width: Option<usize>) -> Command {
    let long = width.unwrap_or(usize::MAX);
    let after = command.get_after_help().map(|text| broken(&text.to_string(), long));
    let command = match after {
        Some(text) => command.after_help(text),
        None => command,
    };
    // 0 stands for no limit.
    let command = command.term_width(width.unwrap_or(0));
    command.mut_subcommands(|inner| fitted(inner, width))
}

/// A part of a help text.
enum Block {
    /// Running text.
    Paragraph(String),
    /// A row: its left side with the blanks before it, the column where the right side begins, and that.
    Row(String, usize, String),
    /// A line that stays as it is, perhaps empty.
    Line(String),
}

/// Breaks a text at a width.
fn broken(text: &str, width: usize) -> String {
    let mut out = String::new();
    for block in blocks(text) {
        match block {
            Block::Paragraph(text) => push_lines(&mut out, "", &text, width),
            Block::Line(line) => out += &(line + "\n"),
            Block::Row(left, column, right) => {
                let fits = column + right.chars().count() <= width;
                let is_example = left.contains("zermelo ");
                let label = format!("{left:<column$}");
                if fits || (!is_example && column + column <= width) {
                    push_lines(&mut out, &label, &right, width);
                } else {
                    out += &format!("{left}\n");
                    push_lines(&mut out, &" ".repeat(INDENT), &right, width);
                }
            }
        }
    }
    out.trim_end().to_owned()
}

/// Takes a text apart.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines() {
        let inner = line.trim_start();
        let indent = line.chars().count() - inner.chars().count();
        let row = inner.split_once(GAP).map(|(left, right)| (left, right.trim_start()));
        match (blocks.last_mut(), row) {
            (_, Some((left, right))) if !left.is_empty() => {
                let column = line.chars().count() - right.chars().count();
                let left = " ".repeat(indent) + left;
                blocks.push(Block::Row(left, column, right.trim_end().to_owned()));
            }
            (Some(Block::Row(_, column, right)), _) if indent == *column && !inner.is_empty() => {
                *right += " ";
                *right += inner.trim_end();
            }
            (Some(Block::Paragraph(before)), _) if indent == 0 && !inner.is_empty() => {
                *before += " ";
                *before += inner.trim_end();
            }
            _ if indent > 0 || inner.is_empty() => {
                blocks.push(Block::Line(line.trim_end().to_owned()));
            }
            // A heading stays a line of its own.
            _ if inner.ends_with(':') && inner.split(' ').count() <= 2 => {
                blocks.push(Block::Line(inner.to_owned()));
            }
            _ => blocks.push(Block::Paragraph(inner.trim_end().to_owned())),
        }
    }
    blocks
}

/// Adds text broken at blanks: its first line behind a label, the others below it.
fn push_lines(out: &mut String, label: &str, text: &str, width: usize) {
    let column = label.chars().count();
    let mut used = column;
    *out += label;
    for (i, word) in text.split_whitespace().enumerate() {
        let long = word.chars().count();
        if i > 0 && (used + 1).saturating_add(long) > width {
            *out += "\n";
            *out += &" ".repeat(column);
            used = column;
        } else if i > 0 {
            *out += " ";
            used += 1;
        }
        *out += word;
        used += long;
    }
    *out += "\n";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    const TEXT: &str = "\
One two three four
five six.

info     how much there is
         of it
Examples:
  zermelo games        what there is
  zermelo solve \"a b\"
Exit codes:
  0  solved";

    #[test]
    fn paragraphs_are_joined_and_rows_hang() {
        assert_eq!(
            broken(TEXT, 30),
            "One two three four five six.\n\n\
             info     how much there is of\n         it\n\
             Examples:\n  zermelo games\n        what there is\n  zermelo solve \"a b\"\n\
             Exit codes:\n  0  solved"
        );
        assert_eq!(
            broken(TEXT, usize::MAX),
            "One two three four five six.\n\n\
             info     how much there is of it\n\
             Examples:\n  zermelo games        what there is\n  zermelo solve \"a b\"\n\
             Exit codes:\n  0  solved"
        );
    }

    /// Text that is broken twice has short lines within a paragraph: a word that would have fitted stands in the next line.
    #[test]
    fn no_help_is_broken_twice() {
        for width in [60, 80, 100] {
            each(&mut fitted(Cli::command(), Some(width)), &mut |command| {
                let help = command.render_long_help().to_string();
                let lines: Vec<&str> = help.lines().collect();
                for pair in lines.windows(2) {
                    let [line, next] = [pair[0], pair[1]];
                    let is_text =
                        |line: &str| line.starts_with(|c: char| c.is_alphabetic() || c == '-');
                    if !is_text(line) || !is_text(next) || line.ends_with(':') || line.contains(GAP)
                    {
                        continue;
                    }
                    let word = next.split(' ').next().unwrap_or_default().chars().count();
                    let used = line.chars().count();
                    assert!(
                        used + 1 + word > width,
                        "{} at {width}:\n{line}\n{next}",
                        command.get_name()
                    );
                }
                let too_long =
                    |line: &&&str| line.chars().count() > width && !line.contains("zermelo ");
                let long = lines.iter().find(too_long);
                assert!(long.is_none(), "{} at {width}: {long:?}", command.get_name());
            });
        }
    }

    fn each(command: &mut Command, what: &mut impl FnMut(&mut Command)) {
        what(command);
        command.get_subcommands_mut().for_each(|inner| each(inner, what));
    }
}
