//! The program does with its own game whatever Zermelo does with ours.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program with these words as arguments.
fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-game"));
    command.args(words).stdin(Stdio::null());
    command
}

/// What it prints, where it ends with this code.
#[track_caller]
fn run(words: &[&str], code: i32) -> String {
    let Output { status, stdout, stderr } = program(words).output().unwrap();
    let said = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(code), "{words:?}\n{said}");
    said
}

#[track_caller]
fn holds(text: &str, part: &str) {
    assert!(text.contains(part), "{part:?} is missing in:\n{text}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn it_is_listed_beside_ours() {
    let list = run(&["games"], 0);
    holds(&list, "chomp ROWSxCOLS");
    holds(&list, "connect4");
    let page = run(&["games", "chomp"], 0);
    for part in ["ROWSxCOLS is the bar.", "from 1x1 to 8x8", "zermelo solve chomp 4x5"] {
        holds(&page, part);
    }
    for part in ["chomp", "_own__game"] {
        holds(&run(&["completions", "bash"], 0), part);
    }
    holds(&run(&["show", "chomp", "2x3"], 0), "who eats a1 loses");
    holds(&run(&["solve", "chomp", "9x9"], 2), "from 1x1 to 8x8");
    holds(&run(&["solve", "chonp", "4x5"], 2), "there is a game 'chomp'");
}

#[test]
fn it_is_solved_by_every_engine() {
    for engine in ["auto", "minimax", "alphabeta", "montecarlo", "pns", "pn2", "pp", "dfpn"] {
        holds(&run(&["solve", "chomp", "3x4", "--by", engine], 0), "The first player wins.");
    }
    // Of the twelve first moves one wins.
    let values = run(&["solve", "chomp", "3x4", "--values"], 0);
    holds(&values, "wins     c2\n");
    holds(&run(&["solve", "chomp", "1x1"], 0), "The second player wins.");
}

#[test]
fn what_it_proves_is_checked() {
    let dir = tempfile::tempdir().unwrap();
    let proof = dir.path().join("chomp.proof");
    run(&["solve", "chomp", "4x5", "--proof", text(&proof)], 0);
    holds(&run(&["check", text(&proof)], 0), "proved");
    holds(&run(&["explain", text(&proof)], 0), "chomp 4x5");
    // One byte of it is another: it proves nothing.
    let mut bytes = std::fs::read(&proof).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&proof, bytes).unwrap();
    run(&["check", text(&proof)], 4);
}

#[test]
fn it_has_databases() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("chomp");
    run(&["build", "chomp", "3x4", "--distance", "--out", text(&base)], 0);
    holds(&run(&["verify", text(&base)], 0), "verified");
    holds(&run(&["probe", text(&base)], 0), "The first player wins in 8 plies");
    holds(&run(&["solve", "chomp", "3x4", "--db", text(&base)], 0), "The first player wins.");
}

#[test]
fn it_is_proved_with_a_store() {
    let dir = tempfile::tempdir().unwrap();
    let (store, proof) = (dir.path().join("chomp.tree"), dir.path().join("chomp.proof"));
    let prove = ["prove", "chomp", "4x5", "--store", text(&store), "--nodes-per-job", "50"];
    holds(&run(&prove, 0), "The first player wins");
    run(&["store", text(&store), "check"], 0);
    run(&["certify", "--store", text(&store), "--proof", text(&proof)], 0);
    holds(&run(&["check", text(&proof)], 0), "proved");
}

#[test]
fn it_is_played() {
    let mut game = program(&["play", "chomp", "2x3", "--as", "second"]);
    let mut game = game.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // There is no hurry to eat the poison, but it is a move.
    game.stdin.take().unwrap().write_all(b"a1\n").unwrap();
    let said = String::from_utf8(game.wait_with_output().unwrap().stdout).unwrap();
    holds(&said, "You have lost.");
}

#[test]
fn it_is_explored() {
    let mut explorer = program(&["explore", "--listen", "127.0.0.1:0", "chomp", "4x5"]);
    let mut explorer = explorer.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(explorer.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let path = "/api/v1/position?game=chomp+4x5";
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    explorer.kill().unwrap();
    explorer.wait().unwrap();
    holds(&answer, "HTTP/1.1 200");
    holds(&answer, "\"turn\":\"first\"");
}

/// What `CONTRIBUTING.md` shows is what is compiled here.
#[test]
fn the_page_shows_this_program() {
    let page = include_str!("../../../CONTRIBUTING.md");
    let program = include_str!("../src/main.rs");
    let main = &program[program.find("fn main").unwrap()..];
    assert!(page.contains(main), "CONTRIBUTING.md should show:\n{main}");
}
