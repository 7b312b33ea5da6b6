//! The examples of the help texts, of README.md and of docs/: all of them are commands, and those that take no time are run.

mod common;

use clap::{Command, CommandFactory};
use common::{text, zermelo};
use std::collections::HashSet;
use tempfile::TempDir;
use zermelo_cli::cli::Cli;

/// Examples with these words are not run here: they take seconds or more, serve, need a farm or a program of the repository, or rest
/// on one that is not run. By hand all of them but those that serve end within a minute on one core.
const NOT_RUN: [&str; 20] = [
    "explore",
    "--farm",
    "examples/prover.py",
    "bench",
    "nogo 5x5",
    "nogo.tree",
    "b.tree",
    "six.",
    "program myprover",
    "ending.proof",
    "positions.txt",
    "games.txt",
    "--batch -",
    "*.proof",
    "large.proof",
    "b.proof",
    "connect4 4x5 --out",
    "ab-tt-mc",
    "--pieces 5",
    "--pieces 6",
];

/// These are run first, as others rest on them.
const FIRST: [&str; 3] = [
    "solve nogo 4x4 --proof nogo.proof",
    "build checkers 8x8 --pieces 4 --out db",
    "build connect4 4x4 --out connect4",
];

/// An example as words, without the program's name.
type Example = Vec<String>;

/// Takes a line of a shell apart, up to a comment, a pipe or another file for its output.
fn words(line: &str) -> Example {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() && !rest.starts_with(['|', '>', '#']) {
        let (word, after) = match rest.strip_prefix('"') {
            Some(inner) => {
                inner.split_once('"').unwrap_or_else(|| panic!("no end of quotes: {line}"))
            }
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

/// The example in a line, if there is one: what stands behind a gap is said of it.
fn example(line: &str) -> Option<Example> {
    let line = line.trim_start();
    let line = line.strip_prefix("cargo run --release -- ").or(line.strip_prefix("zermelo "))?;
    Some(words(line.split("  ").next().unwrap_or_default()))
}

fn of_help(command: &Command, examples: &mut Vec<Example>) {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    examples.extend(help.lines().filter(|line| line.starts_with("  ")).filter_map(example));
    command.get_subcommands().for_each(|inner| of_help(inner, examples));
}

fn all() -> Vec<Example> {
    let mut examples = Vec::new();
    of_help(&Cli::command(), &mut examples);
    assert!(examples.len() > 60, "the help has examples");
    let from_help = examples.len();
    for page in [include_str!("../../../README.md"), include_str!("../../../docs/prove.md")] {
        let mut in_code = false;
        for line in page.lines() {
            in_code ^= line.starts_with("```");
            examples.extend(example(line).filter(|_| in_code));
        }
    }
    assert!(examples.len() > from_help + 20, "README.md has examples");
    examples
}

#[test]
fn every_example_is_a_command() {
    for example in all() {
        let line = ["zermelo".to_owned()].into_iter().chain(example.clone());
        if let Err(error) = Cli::command().try_get_matches_from(line) {
            panic!("zermelo {}: {error}", example.join(" "));
        }
    }
}

#[test]
fn quick_examples_do_what_they_say() {
    let folder = TempDir::new().unwrap();
    let first = FIRST.map(words).into_iter();
    let mut seen = HashSet::new();
    let (mut ran, mut failed) = (0, String::new());
    for mut example in first.chain(all()) {
        let line = example.join(" ");
        if NOT_RUN.iter().any(|part| line.contains(part)) || !seen.insert(line.clone()) {
            continue;
        }
        // Files that are there are not written over.
        let file = example.iter().skip_while(|word| *word != "--proof").nth(1);
        let _ = file.map(|file| std::fs::remove_file(folder.path().join(file)));
        // Nobody waits for a limit that only shows how to set one.
        if let Some(at) = example.iter().position(|word| word == "--time") {
            example[at + 1] = "1s".into();
        }
        let mut command = zermelo("");
        let output = command.args(&example).current_dir(&folder).output().unwrap();
        let code = output.status.code();
        let limited = ["--time", "--by lambda"].iter().any(|part| line.contains(part));
        if code != Some(0) && !(limited && code == Some(3)) {
            failed += &format!("zermelo {line}: {code:?}\n{}", text(&output.stderr));
        }
        ran += 1;
    }
    assert_eq!(failed, "");
    assert!(ran > 30, "{ran} were run");
}
