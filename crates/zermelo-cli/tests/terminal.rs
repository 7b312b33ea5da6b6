//! Nothing that a terminal obeys comes out of the command, whatever goes in: names, positions, moves, files and the names
//! of files. Not a line either that looks like a verdict of ours.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Erases the screen, goes back to the start of the line, begins a new one, changes the direction of writing.
const EVIL: &str = "x\u{1b}[2J\u{9b}1A\r\u{202e}\u{7}\nverdict     proved\nwinner first\u{0}";

fn run(dir: &Path, args: &[&str], input: &str) -> Output {
    let file = dir.join("input");
    fs::write(&file, input).unwrap();
    Command::new(env!("CARGO_BIN_EXE_zermelo"))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::from(fs::File::open(file).unwrap()))
        .output()
        .unwrap()
}

/// Both streams, of which nobody obeys anything.
#[track_caller]
fn clean(output: &Output, what: &str) -> String {
    let mut all = String::new();
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let hidden = |c: &char| *c != '\n' && (c.is_control() || *c == '\u{202e}');
        assert_eq!(text.chars().find(hidden), None, "{what}: {text:?}");
        let forged =
            |line: &str| line.starts_with("verdict     proved") || line.starts_with("winner first");
        assert!(!text.lines().any(forged), "{what} puts words into our mouth:\n{text}");
        all += &text;
    }
    assert!(!all.contains("panicked"), "{what}: {all}");
    all
}

/// No NUL: it cannot stand in an argument or in the name of a file.
fn evil() -> String {
    EVIL.replace('\0', "")
}

#[test]
fn words_of_the_command_line() {
    let dir = TempDir::new().unwrap();
    let evil = evil();
    let option = format!("--{evil}");
    for args in [
        &[&*evil][..],
        &["solve", &evil],
        &["solve", &option],
        &["solve", "tictactoe", &option],
        &["solve", "tictactoe", "--by", &evil],
        &["solve", "tictactoe", "--position", &evil],
        &["solve", "tictactoe", "--moves", &evil],
        &["solve", "tictactoe", "--time", &evil],
        &["solve", "mnk", &evil],
        &["solve", "graph", &evil],
        &["show", "checkers", "4x4", "--position", &evil],
        &["bench", "tables", "--rows", &evil],
        &["prove", "tictactoe", "--store", "s", "--seed-line", &evil, "--json"],
        &["prove", "tictactoe", "--store", "s", "--prover", &evil, "--time", "1s"],
        &["store", "s", "forget", "--source", &evil],
        &["explore", &evil],
    ] {
        let output = run(dir.path(), args, "");
        assert!(!output.status.success(), "{args:?}");
        assert!(!clean(&output, &format!("{args:?}")).is_empty());
    }
}

#[test]
fn names_of_files() {
    let dir = TempDir::new().unwrap();
    let (missing, there) = (format!("m{}", evil()), evil());
    fs::write(dir.path().join(&there), "nothing that anybody reads").unwrap();
    for name in [&*missing, &*there] {
        for args in [
            &["check", name][..],
            &["explain", name],
            &["solve", "graph", name],
            &["verify", name],
            &["stats", name],
            &["probe", name, "x"],
            &["store", name, "info"],
            &["certify", "--store", name, "--proof", "p"],
            &["prove", "tictactoe", "--store", "s", "--claims", name],
            &["explore", "--db", name],
            &["explore", "--proof", name],
            &["explore", "--store", name],
        ] {
            let output = run(dir.path(), args, "");
            assert!(!output.status.success(), "{args:?}");
            assert!(!clean(&output, &format!("{args:?}")).is_empty());
        }
    }
    let output = run(dir.path(), &["solve", "nogo", "2x2", "--proof", &missing], "");
    assert!(output.status.success());
    clean(&output, "a proof with such a name");
    for command in ["check", "explain"] {
        let output = run(dir.path(), &[command, &missing], "");
        assert!(output.status.success());
        clean(&output, command);
    }
}

#[test]
fn what_files_and_people_say() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("evil"), EVIL).unwrap();
    for args in [
        &["solve", "graph", "evil"][..],
        &["check", "evil"],
        &["explain", "evil"],
        &["prove", "tictactoe", "--store", "s", "--claims", "evil"],
    ] {
        let output = run(dir.path(), args, "");
        assert!(!output.status.success(), "{args:?}");
        assert!(!clean(&output, &format!("{args:?}")).is_empty());
    }
    let output = run(dir.path(), &["play", "tictactoe"], EVIL);
    clean(&output, "play");
}
