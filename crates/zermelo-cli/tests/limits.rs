//! Limits and signals: a run that is cut short says so, tells what it has, and ends with 3.

mod common;
use common::{PATIENCE, holds, json, stderr, stdout, text};
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
        &["Not solved: nothing is known yet", "stop       out of nodes: not solved\n"],
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
        &["The first player wins.", "? open", "not every move is known: "],
    );
}

#[test]
fn the_values_of_moves_are_exact_or_the_run_is_unsolved() {
    let solved = json("solve awari 2x2 --values --json", 0);
    let values = json!([{"move": "a", "lo": 2, "hi": 2}, {"move": "b", "lo": 8, "hi": 8}]);
    assert_eq!(solved["values"], values);
    let stopped = stdout("solve awari 3x3 --values --nodes 30 --by pns", 3);
    holds(&stopped, &["? open", "stop       out of nodes"]);
}

/// What is read from a file is text, and no more than is said.
#[test]
fn graph_files_have_limits() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let error = |file: &str| stderr(&format!("show graph {file}"), 2);
    for (file, why) in [
        ("/dev/zero".to_owned(), "it is no regular file"),
        (folder.path().display().to_string(), "it is no regular file"),
        (at("missing"), "No such file"),
    ] {
        holds(&error(&file), &["a file that can be read", &file, why]);
    }
    nix::unistd::mkfifo(&folder.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    holds(&error(&at("pipe")), &["it is no regular file"]);
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("binary", b"a first: b\n\x1b[2Jb = 1\n");
    let told = error(&at("binary"));
    holds(&told, &["column 1: found '\\u{1b}'", "text without control characters (line 2 of"]);
    assert!(!told.contains('\u{1b}'), "{told:?}");
    write("latin", b"\xe9 first: b\nb second = 1\n");
    holds(&error(&at("latin")), &["invalid utf-8 sequence of 1 bytes from index 0"]);
    let large = std::fs::File::create(folder.path().join("large")).unwrap();
    large.set_len(3 << 30).unwrap();
    holds(&error(&at("large")), &[&at("large"), "larger than 16777216 bytes"]);
    write("good", b"# a comment\r\na first:\tb\nb second = 1\n");
    holds(&stdout(&format!("solve graph {}", at("good")), 0), &["The first player wins."]);
}

/// Exit code, words and fields of runs that were cut short at all kinds of places.
#[test]
fn verdicts_exit_codes_and_fields_agree() {
    let games = [
        ("tictactoe", "--moves a1"),
        ("connect4 2x6", ""),
        ("awari 2x2", ""),
        ("kalah 2x3 noempty", ""),
        ("go 1x4", ""),
        ("nogo 3x3", ""),
        ("loa 3x4", ""),
        (
            "graph values -3 3; a first: b c; b second: d e; c second: e f; d first = 3; e first = 2; f first = 3",
            "",
        ),
        ("graph repetition loses; a first: b c; b second: a d; d first = 1; c second = -1", ""),
    ];
    let cuts =
        ["--nodes 1", "--nodes 7", "--nodes 40", "--nodes 3000", "--time 0s", "--memory 64K"];
    let engines = ["auto", "alphabeta", "montecarlo", "pns", "dfpn", "minimax"];
    let (mut solved, mut stopped) = (0, 0);
    for (n, (game, more)) in games.into_iter().enumerate() {
        for (k, cut) in cuts.into_iter().enumerate() {
            let by = engines[(n + k) % engines.len()];
            // Playouts never settle a repetition.
            let few = if cut.starts_with("--nodes") { "" } else { "--nodes 5000" };
            let values = if (n + k) % 2 == 0 { "--values" } else { "" };
            let words = |json: &str| -> Vec<String> {
                let options = format!("{more} --by {by} {cut} {few} {values} {json}");
                let options = options.split(' ').filter(|w| !w.is_empty()).map(str::to_owned);
                ["solve".to_owned()]
                    .into_iter()
                    .chain(game.split(' ').map(str::to_owned))
                    .chain(options)
                    .collect()
            };
            let run = |words: Vec<String>| {
                let mut command = Command::new(assert_cmd::cargo::cargo_bin!("zermelo"));
                command.args(words).output().unwrap()
            };
            let output = run(words("--json"));
            let what = format!("{:?}: {}", words(""), text(&output.stdout));
            let code = output.status.code().unwrap();
            if code == 2 {
                // The engine does not search this game.
                assert!(text(&output.stderr).contains("cannot search"), "{what}");
                continue;
            }
            let found: Value = serde_json::from_slice(&output.stdout).unwrap();
            let [lo, hi] = ["lo", "hi"].map(|side| found[side].as_i64().unwrap());
            let open = |v: &Value| v["lo"] != v["hi"];
            let values = found["values"].as_array();
            let all = lo == hi && !values.is_some_and(|all| all.iter().any(open));
            assert_eq!(code, if all { 0 } else { 3 }, "{what}");
            assert_eq!(found["stop"] == "solved", all, "{what}");
            assert_eq!(found["level"].is_string(), lo == hi, "{what}");
            let winner = match (lo, hi) {
                (1.., _) => json!("first"),
                (_, ..=-1) => json!("second"),
                (0, 0) => json!("draw"),
                _ => Value::Null,
            };
            assert_eq!(found["winner"], winner, "{what}");
            assert_eq!(found["best_move"], found["line"].get(0).cloned().unwrap_or_default());
            if let (Some(values), Some(best), true) =
                (values, found["best_move"].as_str(), lo == hi)
            {
                assert!(values.contains(&json!({"move": best, "lo": lo, "hi": hi})), "{what}");
            }
            // One thread does the same again.
            let output = run(words(""));
            assert_eq!(output.status.code(), Some(code), "{what}");
            let told = text(&output.stdout);
            let says = |words: &str| told.lines().any(|line| line.starts_with(words));
            assert_eq!(says("The first player wins"), winner == "first", "{what}{told}");
            assert_eq!(says("The second player wins"), winner == "second", "{what}{told}");
            assert_eq!(says("A draw."), winner == "draw", "{what}{told}");
            assert_eq!(says("Not solved"), winner.is_null(), "{what}{told}");
            assert_eq!(says("stop       solved"), all, "{what}{told}");
            assert_eq!(says("solution   none"), lo != hi, "{what}{told}");
            match all {
                true => solved += 1,
                false => stopped += 1,
            }
        }
    }
    assert!(solved >= 10 && stopped >= 10, "{solved} {stopped}");
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
