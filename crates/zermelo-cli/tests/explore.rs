//! `zermelo explore`: it serves, says where, and ends when it is told to.

mod common;

use clap::Parser;
use common::run;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use zermelo_cli::cli::Cli;

/// Starts the explorer on a free port; returns its address and the first line it prints.
fn explore(args: &[&str]) -> (Child, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zermelo"))
        .arg("explore")
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
    (child, address, line)
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_serves_until_it_is_interrupted() {
    let (mut child, address, line) = explore(&["--listen", "127.0.0.1:0", "nogo", "5x5"]);
    assert!(line.contains("/#/nogo+5x5"), "{line}");
    assert!(get(&address, "/").contains("<title>Zermelo</title>"));
    assert!(get(&address, "/api/v1/position?game=nogo+5x5").contains("\"turn\":\"first\""));
    // A stream that is still open does not keep it.
    let body = r#"{"game":"nogo 7x7"}"#;
    let mut order = TcpStream::connect(&address).unwrap();
    let head = format!(
        "POST /api/v1/jobs HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    order.write_all((head + body).as_bytes()).unwrap();
    let mut answer = [0; 12];
    order.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 202");
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET /api/v1/jobs/1/events HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
    stream.read_exact(&mut answer).unwrap();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(TcpStream::connect(&address).is_err());
}

#[test]
fn it_is_loud_when_others_can_reach_it() {
    let (mut child, _, _) = explore(&["--listen", "0.0.0.0:0"]);
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    assert!(child.wait().unwrap().success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("Everybody who reaches this machine can use it"), "{said}");
}

#[test]
fn a_public_server_answers_to_its_name_logs_and_ends_at_sigterm() {
    let args = ["--public", "--proxy", "--log", "--listen", "127.0.0.1:0"];
    let (mut child, address, _) = explore(&args);
    let mut stream = TcpStream::connect(&address).unwrap();
    let ask = "GET /healthz HTTP/1.1\r\nhost: example.org\r\nx-forwarded-for: 10.0.0.7\r\nconnection: close\r\n\r\n";
    stream.write_all(ask.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"), "{answer}");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    assert!(child.wait().unwrap().success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains(r#" 10.0.0.7 "GET /healthz" 200 "#), "{said}");
    assert!(!said.contains("Everybody who reaches this machine"), "{said}");
}

/// The commands of `deploy/` are ones that this program understands.
#[test]
fn what_is_deployed_is_a_command() {
    let deploy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/");
    let read = |name: &str| std::fs::read_to_string(format!("{deploy}{name}")).unwrap();
    let (unit, docker) = (read("zermelo.service"), read("Dockerfile"));
    let line = |text: &str, begin: &str| -> String {
        let line = text.lines().find_map(|line| line.strip_prefix(begin));
        line.unwrap_or_else(|| panic!("no {begin}")).to_owned()
    };
    let list =
        |text: &str, begin| -> Vec<String> { serde_json::from_str(&line(text, begin)).unwrap() };
    let unit: Vec<String> =
        line(&unit, "ExecStart=").split_whitespace().map(str::to_owned).collect();
    let docker = [list(&docker, "ENTRYPOINT "), list(&docker, "CMD ")].concat();
    for words in [unit, docker] {
        assert!(words.iter().any(|word| word == "--public"), "{words:?}");
        Cli::try_parse_from(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    }
}

#[test]
fn what_cannot_be_served_is_wrong_usage() {
    for args in ["--db nowhere", "--proof Cargo.toml", "--store nowhere", "shogi", "--listen here"]
    {
        run(&format!("explore {args}"), 2);
    }
}
