//! What the tests of the command share.
#![allow(dead_code)] // each test file uses its own part

pub mod farm;

use assert_cmd::Command;
use serde_json::Value;
use std::process::Output;
use std::time::Duration;

/// Nothing here takes long; a test that takes this long hangs.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// The program with these words as arguments; `|` stands for a blank inside one.
pub fn zermelo(words: &str) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("zermelo");
    command.args(words.split(' ').filter(|w| !w.is_empty()).map(|w| w.replace('|', " ")));
    command.timeout(PATIENCE);
    command
}

/// Runs it and looks at the exit code.
pub fn run(words: &str, code: i32) -> Output {
    let output = zermelo(words).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words}\n{}", text(&output.stderr));
    output
}

/// What it prints.
pub fn stdout(words: &str, code: i32) -> String {
    text(&run(words, code).stdout)
}

/// What it complains about.
pub fn stderr(words: &str, code: i32) -> String {
    let output = run(words, code);
    assert_eq!(text(&output.stdout), "", "{words}: errors go to standard error only");
    text(&output.stderr)
}

/// Its one line of JSON.
pub fn json(words: &str, code: i32) -> Value {
    let output = run(words, code);
    assert_eq!(text(&output.stderr), "", "{words}: nothing on standard error in a pipe");
    let out = text(&output.stdout);
    assert_eq!(out.lines().count(), 1, "one line: {out}");
    serde_json::from_str(&out).unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Fails with the whole text unless it holds all parts.
#[track_caller]
pub fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}
