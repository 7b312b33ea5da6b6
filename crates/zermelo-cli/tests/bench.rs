//! `zermelo bench`: tables, ablations and results, stopped and taken up again.

mod common;

use common::{holds, run, stdout, text};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("bench").to_str().unwrap().to_owned();
    (folder, out)
}

#[test]
fn published_figures_stand_beside_ours() {
    let (_keep, out) = folder();
    let rows = "knightthrough|6x6,atarigo|5x5";
    let table = stdout(&format!("bench tables --rows {rows} --out {out}"), 0);
    holds(&table, &["| atarigo 5x5 | first | alphabeta |", "3,956,049 | 12.79 | ab-tt-mc |"]);
    holds(&table, &["| knightthrough 6x6 | first | alphabeta |", "s where the source took"]);
    assert_eq!(fs::read_to_string(Path::new(&out).join("tables.md")).unwrap(), table);
    let svg = fs::read_to_string(Path::new(&out).join("tables.svg")).unwrap();
    holds(&svg, &["<svg", "atarigo 5x5", "knightthrough 6x6"]);
    let json = fs::read_to_string(Path::new(&out).join("tables.json")).unwrap();
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    assert_eq!(rows[0]["record"]["lo"], 1);
}

#[test]
fn tables_are_measured_with_options() {
    let (_keep, out) = folder();
    let words = format!("bench tables --rows knightthrough|6x6 --out {out} --json");
    let output = run(&format!("{words} --by alphabeta:seed=3,table-plies=2,alphabeta"), 0);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let methods: Vec<&str> =
        found.as_array().unwrap().iter().map(|c| c["record"]["method"].as_str().unwrap()).collect();
    assert_eq!(methods.len(), 2);
    holds(methods[0], &["alphabeta", "seed=3", "table-plies=2"]);
    assert_eq!(methods[1], "alphabeta");
}

#[test]
fn what_has_been_run_is_not_run_again() {
    let (_keep, out) = folder();
    let words = format!("bench ablations --rows nogo|5x3 --json --out {out}");
    let first = run(&words, 0);
    let second = run(&words, 0);
    assert_eq!(first.stdout, second.stdout, "times and all");
    assert!(!text(&first.stderr).contains("from the journal"));
    assert_eq!(text(&second.stderr).matches("from the journal").count(), 7);
    let third = run(&format!("{words} --again"), 0);
    assert!(!text(&third.stderr).contains("from the journal"));
    holds(&stdout(&words.replace("--json ", ""), 0), &["| nogo 5x3 |", "no knowledge"]);
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let (_keep, out) = folder();
    let args = ["bench", "results", "--rows", "nogo 1x", "--out", &out];
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("zermelo"))
        .args(args)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("[1/"));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL).unwrap();
    child.wait().unwrap();
    let output = run(&format!("bench results --rows nogo|1x --out {out}"), 0);
    assert!(text(&output.stderr).contains("from the journal"));
    holds(&text(&output.stdout), &["## nogo", "| nogo 1x9 | first |"]);
    let page = fs::read_to_string(Path::new(&out).join("RESULTS.md")).unwrap();
    assert_eq!(page, text(&output.stdout));
}

#[test]
fn errors_say_what_is_wrong() {
    let (_keep, out) = folder();
    let error = common::stderr(&format!("bench tables --rows chess --out {out}"), 2);
    holds(&error, &["no row contains: chess"]);
    fs::create_dir_all(&out).unwrap();
    fs::write(Path::new(&out).join("tables.jsonl"), "nonsense\n").unwrap();
    let error = common::stderr(&format!("bench tables --rows nogo --out {out}"), 1);
    holds(&error, &["tables.jsonl: line 1 is damaged"]);
    let error = common::stderr("bench tables --rows nogo --out /proc/nowhere", 1);
    holds(&error, &["cannot open /proc/nowhere/tables.jsonl"]);
    let error = common::stderr("bench tables --rows go|3x3 --time soon", 2);
    holds(&error, &["a time such as"]);
}
