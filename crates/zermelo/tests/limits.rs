//! Limits and signals: a run that is cut short says so, tells what it has, and ends with 3.

mod common;
use common::{PATIENCE, holds, json, stdout, text};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A game nobody solves soon.
const HARD: &str = "mnk 7x9x5";

#[test]
fn nodes() {
    holds(
        &stdout(&format!("solve {HARD} --nodes 1000"), 3),
        &["Not solved: the value lies between -1 and 1", "stop       out of nodes: not solved\n"],
    );
    for by in ["minimax", "alphabeta"] {
        let stopped = json(&format!("solve {HARD} --nodes 1000 --by {by} --json"), 3);
        assert_eq!(stopped["stop"], "out of nodes");
        assert_eq!((&stopped["winner"], &stopped["level"]), (&Value::Null, &Value::Null));
        assert_eq!((&stopped["lo"], &stopped["hi"]), (&json!(-1), &json!(1)));
        assert!(stopped["nodes"].as_u64().unwrap() <= 1000);
    }
}

#[test]
fn time() {
    let stopped = json(&format!("solve {HARD} --time 200ms --memory 16M --json"), 3);
    assert_eq!(stopped["stop"], "out of time");
    assert!(stopped["seconds"].as_f64().unwrap() >= 0.2);
    let stopped = json(&format!("solve {HARD} --time 200ms --memory 16M --values --json"), 3);
    assert_eq!(stopped["stop"], "out of time");
    assert_eq!(stopped["values"].as_array().unwrap().len(), 63);
    assert_eq!(json(&format!("solve {HARD} --time 0s --json"), 3)["stop"], "out of time");
}

#[test]
fn memory() {
    let solved = json("solve mnk 3x5x3 --memory 1M --json", 0);
    assert!(solved["table_bytes"].as_u64().unwrap() <= 1 << 20);
    let stopped = json(&format!("solve {HARD} --memory 1M --nodes 100k --json"), 3);
    assert!(stopped["table_bytes"].as_u64().unwrap() <= 1 << 20);
}

#[test]
fn values_that_are_missing_make_a_run_unsolved() {
    // The position is won at once; what the other moves are worth takes longer than this.
    let position = "........./........./........./........./........./ooo....../xxxx.....|first";
    let words = format!("solve {HARD} --position {position} --nodes 2000 --memory 16M");
    assert_eq!(json(&format!("{words} --json"), 0)["winner"], "first");
    let stopped = json(&format!("{words} --json --values"), 3);
    assert_eq!((&stopped["winner"], &stopped["stop"]), (&json!("first"), &json!("out of nodes")));
    let best = stopped["best_move"].as_str().unwrap();
    let values = stopped["values"].as_array().unwrap();
    assert!(values.contains(&json!({"move": best, "lo": 1, "hi": 1})));
    assert!(values.iter().any(|v| v["lo"] == -1 && v["hi"] == 1));
    holds(
        &stdout(&format!("{words} --values"), 3),
        &["The first player wins.", "? open", "not every move is known"],
    );
}

fn start(words: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("zermelo"))
        .args(words.split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the child handles the signal; before that it would just die.
fn await_handler(child: &Child, signal: Signal) {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|l| l.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal as i32 - 1) & 1 == 1 {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("the program never listened to {signal}");
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn signals_end_a_search_politely() {
    for (signal, delay) in [(Signal::SIGINT, 0), (Signal::SIGINT, 700), (Signal::SIGTERM, 300)] {
        let child = start(&format!("solve {HARD} --json --memory 64M"));
        await_handler(&child, signal);
        sleep(Duration::from_millis(delay));
        send(&child, signal);
        let sent = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(sent.elapsed() < Duration::from_secs(60), "ends promptly");
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let stopped: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(stopped["stop"], "interrupted");
    }
    let child = start(&format!("solve {HARD} --memory 64M --threads 2"));
    await_handler(&child, Signal::SIGTERM);
    sleep(Duration::from_millis(300));
    send(&child, Signal::SIGTERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text(&output.stdout).lines().last(), Some("stop       interrupted: not solved"));
}

#[test]
#[cfg(target_os = "linux")]
fn signals_end_perft_with_what_is_counted() {
    let child = start(&format!("perft {HARD} --depth 60"));
    await_handler(&child, Signal::SIGINT);
    sleep(Duration::from_millis(300));
    send(&child, Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).lines().last().unwrap().starts_with("interrupted"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_at_the_prompt_ends_the_program() {
    let mut child = start("play tictactoe");
    let _open = child.stdin.take();
    let mut seen = String::new();
    let mut out = child.stdout.take().unwrap();
    while !seen.contains("your move>") {
        let mut byte = [0];
        assert_eq!(out.read(&mut byte).unwrap(), 1, "{seen}");
        seen.push(byte[0] as char);
    }
    send(&child, Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    holds(&text(&output.stderr), &["interrupted"]);
}

#[test]
fn nobody_listens_to_the_output() {
    for words in [
        "games",
        "show tictactoe",
        "solve tictactoe",
        "perft tictactoe --depth 5",
        "man",
        "play tictactoe",
    ] {
        let mut child = start(words);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{words}");
        assert_eq!(text(&output.stderr), "", "{words}");
    }
}
