//! `zermelo solve --batch`: order, bad lines, limits, signals, and going on after a kill at any moment.

mod common;
use common::farm::Running;
use common::{PATIENCE, holds, json, run, stderr, text, zermelo};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Moves of games of Connect Four on four rows of five, drawn from a seed, none of them over.
fn games(count: usize) -> Vec<String> {
    let mut x = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let mut draw = move || {
        let mut heights = [0; 5];
        let plies = 2 + random() % 6;
        let mut moves = Vec::new();
        while (moves.len() as u64) < plies {
            let column = (random() % 5) as usize;
            // No three of a kind in a column, so that these games do not end so soon.
            if heights[column] < 2 {
                heights[column] += 1;
                moves.push(["a", "b", "c", "d", "e"][column]);
            }
        }
        moves.join(" ")
    };
    let over = |moves: &String| moves.len() > 11;
    std::iter::repeat_with(&mut draw).filter(|moves| !over(moves)).take(count).collect()
}

struct Place {
    dir: TempDir,
}

impl Place {
    fn new(input: &str) -> Place {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("in"), input).unwrap();
        Place { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn words(&self, game: &str, more: &str) -> String {
        let at = |name: &str| self.path(name).display().to_string();
        let more = more.replace("OUT", &at("out"));
        format!("solve {game} --batch {} --memory 64M {more}", at("in"))
    }

    fn solve(&self, game: &str, more: &str, code: i32) -> Vec<Value> {
        lines(&run(&self.words(game, more), code).stdout)
    }

    fn out(&self) -> Vec<u8> {
        fs::read(self.path("out")).unwrap_or_default()
    }
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = text(bytes);
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same without what a clock says.
fn timeless(lines: Vec<Value>) -> Vec<Value> {
    let plain = |mut line: Value| {
        for name in ["seconds", "cpu_seconds"] {
            line.as_object_mut().unwrap().remove(name);
        }
        line
    };
    lines.into_iter().map(plain).collect()
}

/// What neither clock nor tables change.
fn values(lines: &[Value]) -> Vec<Value> {
    let names = ["input_line", "input", "position", "winner", "lo", "hi", "stop", "level", "error"];
    lines.iter().map(|line| names.iter().map(|name| line[*name].clone()).collect()).collect()
}

#[test]
fn a_batch_agrees_with_single_runs_in_every_order_of_threads() {
    let games = games(60);
    let place = Place::new(&(games.join("\n") + "\n"));
    let one = place.solve("connect4 4x5", "", 0);
    assert_eq!(one.len(), 60);
    for (n, line) in one.iter().enumerate() {
        assert_eq!((&line["input_line"], &line["input"]), (&json!(n + 1), &json!(games[n])));
    }
    let cold = timeless(place.solve("connect4 4x5", "--cold", 0));
    assert_eq!(values(&one), values(&cold));
    for threads in [2, 3, 8] {
        let more = format!("--threads {threads}");
        assert_eq!(values(&place.solve("connect4 4x5", &more, 0)), values(&one));
        let more = format!("--threads {threads} --cold --memory 512M");
        let words = place.words("connect4 4x5", &more).replace("--memory 64M ", "");
        assert_eq!(timeless(lines(&run(&words, 0).stdout)), cold);
    }
    // Alone it is the same to the last field; its moves keep the value.
    for n in [0, 7, 31, 59] {
        let words = format!(
            "solve connect4 4x5 --memory 64M --json --moves {}",
            games[n].replace(' ', "|")
        );
        let mut alone = json(&words, 0);
        for name in ["input_line", "input"] {
            alone[name] = cold[n][name].clone();
        }
        assert_eq!(timeless(vec![alone])[0], cold[n]);
        if let Some(best) = one[n]["best_move"].as_str() {
            let words =
                format!("solve connect4 4x5 --json --moves {}|{best}", games[n].replace(' ', "|"));
            assert_eq!(json(&words, 0)["lo"], one[n]["lo"], "{words}");
        }
    }
    // Warm tables save work.
    let nodes = |all: &[Value]| all.iter().map(|line| line["nodes"].as_u64().unwrap()).sum::<u64>();
    assert!(nodes(&one) < nodes(&cold), "{} {}", nodes(&one), nodes(&cold));
}

#[test]
fn other_engines_games_and_values() {
    let place = Place::new("moves:\na1\n");
    for (game, more) in [
        ("go 2x2", "--threads 2"),
        ("tictactoe", "--by minimax --threads 2"),
        ("tictactoe", "--by pns --values"),
        ("graph repetition loses; a1 first: b c; b second: a1 d; d first = 1; c second = -1", ""),
    ] {
        let start = zermelo("")
            .args(["solve"])
            .args(game.split(' '))
            .args(more.split(' ').filter(|w| !w.is_empty() && *w != "--threads" && *w != "2"))
            .arg("--json")
            .output()
            .unwrap();
        let start: Value = serde_json::from_slice(&start.stdout).unwrap();
        let found = place.solve(game, more, 0);
        assert_eq!(found.len(), 2);
        for name in ["game", "position", "winner", "lo", "hi", "solver", "engine", "values"] {
            assert_eq!(found[0][name], start[name], "{game} {name}");
        }
    }
}

#[test]
fn bad_lines_are_told_and_the_rest_is_solved() {
    let long = "a ".repeat(40 << 10);
    let input = format!(
        "# games\n\na b\na q\n{{\"moves\": \"b b\"}}\n{{\"move\": \"b\"}}\n{long}\n   \n.x.../...../...../..... second\n\u{1b}[2J"
    );
    let place = Place::new(&input);
    fs::OpenOptions::new()
        .append(true)
        .open(place.path("in"))
        .unwrap()
        .write_all(b"\n\xff\nc")
        .unwrap();
    let output = run(&place.words("connect4 4x5", "--threads 2"), 1);
    holds(&text(&output.stderr), &["error: 6 lines have no answer"]);
    assert!(!text(&output.stdout).contains('\u{1b}'));
    let found = lines(&output.stdout);
    let numbers: Vec<_> = found.iter().map(|line| line["input_line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [3, 4, 5, 6, 7, 9, 10, 11, 12]);
    let errors: Vec<_> =
        found.iter().map(|line| (&line["error"]["what"], &line["error"]["column"])).collect();
    let none = (&Value::Null, &Value::Null);
    let (m, l, p) = (json!("move"), json!("line"), json!("position"));
    assert_eq!((errors[0], errors[2], errors[8]), (none, none, none));
    assert_eq!(errors[1], (&m, &json!(3)));
    assert_eq!((errors[3].0, errors[4], errors[7]), (&l, (&l, &Value::Null), (&l, &Value::Null)));
    assert_eq!(errors[5].0, &p, "a stone without one below it");
    assert_eq!(errors[6].1, &json!(1));
    assert_eq!((&found[4]["input"], &found[7]["input"]), (&Value::Null, &Value::Null));
    assert_eq!(found[6]["input"], "\u{1b}[2J");
    assert!(found[1]["error"]["expected"].as_str().unwrap().contains('e'));
}

#[test]
fn wrong_use() {
    let place = Place::new("a\n");
    let words = |more: &str| place.words("connect4 4x5", more);
    for (more, parts) in [
        ("--position x", &["--position", "cannot be used with"][..]),
        ("--moves a", &["--moves"]),
        ("--proof p", &["--proof"]),
        ("--resume", &["--out"]),
        ("--by lambda", &["lambda"]),
        ("--by pns:speed=9", &["pns"]),
    ] {
        holds(&stderr(&words(more), 2), parts);
    }
    holds(&stderr("solve connect4 4x5 --out x", 2), &["--batch"]);
    holds(&stderr("solve connect4 4x5 --batch missing.txt", 1), &["cannot read missing.txt"]);
    run(&words("--out OUT"), 0);
    let before = place.out();
    holds(&stderr(&words("--out OUT"), 2), &["out is there already", "--resume"]);
    assert_eq!(place.out(), before);
    for (more, why) in [
        ("--resume --values --out OUT", "line 1 was made without --values"),
        ("--resume --out /dev/null", "no file to go on with"),
    ] {
        let code = if more.contains("null") { 2 } else { 1 };
        holds(&stderr(&words(more), code), &[why]);
    }
    holds(
        &stderr(&words("--resume --out OUT").replace("4x5", "4x4"), 1),
        &["cannot go on with", "line 1 is about connect4 4x5, not about connect4 4x4"],
    );
    fs::write(place.path("in"), "b\n").unwrap();
    holds(&stderr(&words("--resume --out OUT"), 1), &["another input", "(a)", "says: b"]);
    assert_eq!(place.out(), before, "nothing is lost");
}

#[test]
fn limits_hold_for_each_position() {
    let place = Place::new("moves:\na1\n\nb2 b3\n");
    let found = place.solve("mnk 7x9x5", "--nodes 500", 3);
    assert_eq!(found.len(), 3);
    for line in &found {
        assert_eq!((&line["stop"], &line["winner"]), (&json!("out of nodes"), &Value::Null));
        let nodes = line["nodes"].as_u64().unwrap();
        assert!(nodes > 100 && nodes <= 500);
    }
    let found = place.solve("mnk 7x9x5", "--time 100ms --threads 2 --values", 3);
    assert!(found.iter().all(|line| line["stop"] == "out of time" && line["values"].is_array()));
}

fn start(words: &str, stdin: Stdio) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("zermelo"))
        .args(words.split(' ').filter(|word| !word.is_empty()))
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn each_result_comes_as_soon_as_it_is_there() {
    let mut child = start("solve tictactoe --batch - --threads 2 --memory 64M", Stdio::piped());
    let mut input = child.stdin.take().unwrap();
    let mut results = BufReader::new(child.stdout.take().unwrap());
    for moves in ["a1", "b2", "nonsense", "c3 b2"] {
        writeln!(input, "{moves}").unwrap();
        let mut line = String::new();
        results.read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["input"], moves);
    }
    drop(input);
    assert_eq!(Running(child).end(), Some(1), "one line is bad");
}

#[test]
fn input_without_end_is_not_held() {
    // A line without end, and lines without end whose reader has left.
    let endless = stderr("solve tictactoe --batch /dev/zero", 1);
    holds(&endless, &["cannot read /dev/zero", "line 1 does not end within"]);
    let mut lines = Command::new("yes").arg("a1").stdout(Stdio::piped()).spawn().unwrap();
    let input = Stdio::from(lines.stdout.take().unwrap());
    let mut child = Running(start("solve tictactoe --batch - --threads 2 --memory 64M", input));
    let mut results = BufReader::new(child.0.stdout.take().unwrap());
    let mut line = String::new();
    results.read_line(&mut line).unwrap();
    let pages = |child: &Running| -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", child.0.id())).unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        size.trim().trim_end_matches("kB").trim().parse().unwrap()
    };
    sleep(Duration::from_millis(500));
    assert!(pages(&child) < 300_000, "{} KiB", pages(&child));
    drop(results);
    assert_eq!(child.end(), Some(0), "whoever read it has seen enough");
    let _ = lines.kill();
    let _ = lines.wait();
}

/// Waits until a file has so many bytes, or the process has ended.
fn await_bytes(child: &mut Running, file: &Path, bytes: usize) {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && !child.has_ended() {
        if fs::metadata(file).is_ok_and(|there| there.len() as usize >= bytes) {
            return;
        }
        sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_batch_that_is_killed_goes_on() {
    let place = Place::new(&(games(300).join("\n") + "\nq\n"));
    let more = "--cold --threads 2 --out OUT";
    let words = place.words("connect4 4x5", more);
    run(&words, 1);
    let whole = timeless(lines(&place.out()));
    assert_eq!(whole.len(), 301);
    let size = place.out().len();
    let resume = format!("{words} --resume");
    let mut kept = Vec::new();
    for part in [0, 1, 3, 6, 9] {
        fs::remove_file(place.path("out")).unwrap();
        let mut child = Running(start(&words, Stdio::null()));
        await_bytes(&mut child, &place.path("out"), size * part / 10);
        child.kill();
        kept.push(place.out().len());
        // Killed again while it goes on.
        let mut child = Running(start(&resume, Stdio::null()));
        let more = place.out().len() + size / 10;
        await_bytes(&mut child, &place.path("out"), more);
        child.kill();
        run(&resume, 1);
        assert_eq!(timeless(lines(&place.out())), whole, "killed at {kept:?} of {size}");
    }
    // Torn at every byte of some lines: what was complete stays to the byte.
    let complete = place.out();
    let size = complete.len(); // Times have other lengths in every run.
    for cut in (size - 300..size).step_by(23).chain([1, 500, size]) {
        fs::write(place.path("out"), &complete[..cut]).unwrap();
        run(&resume, 1);
        assert_eq!(timeless(lines(&place.out())), whole);
        let kept = complete[..cut].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        assert_eq!(place.out()[..kept], complete[..kept]);
    }
    // Without --cold moves may differ, values may not.
    fs::write(place.path("out"), &complete[..size / 2]).unwrap();
    run(&resume.replace("--cold ", ""), 1);
    assert_eq!(values(&lines(&place.out())), values(&whole));
}

#[test]
#[cfg(target_os = "linux")]
fn two_batches_do_not_write_to_one_file() {
    let place = Place::new("moves:\n");
    let words = place.words("mnk 7x9x5", "--out OUT");
    let child = Running(start(&words, Stdio::null()));
    let (begun, pid) = (Instant::now(), format!(" {} ", child.0.id()));
    while !fs::read_to_string("/proc/locks").unwrap().contains(&pid) {
        assert!(begun.elapsed() < PATIENCE, "it never locks its file");
        sleep(Duration::from_millis(5));
    }
    let error = stderr(&format!("{words} --resume --nodes 1"), 1);
    holds(&error, &["another batch is writing to it"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_leaves_what_is_finished() {
    // The second one takes for ever.
    let won = "........./........./........./........./........./ooo....../xxxx..... first";
    let place = Place::new(&format!("{won}\nmoves:\n{won}\n{won}\n"));
    for threads in [1, 2] {
        let _ = fs::remove_file(place.path("out"));
        let words = place.words("mnk 7x9x5", &format!("--out OUT --threads {threads}"));
        let mut child = Running(start(&words, Stdio::null()));
        await_bytes(&mut child, &place.path("out"), 10);
        sleep(Duration::from_millis(300));
        kill(Pid::from_raw(child.0.id().try_into().unwrap()), Signal::SIGINT).unwrap();
        assert_eq!(child.end(), Some(3));
        let found = lines(&place.out());
        let stops: Vec<_> = found.iter().map(|line| line["stop"].as_str().unwrap()).collect();
        assert!(stops.len() >= 2 && (threads > 1 || stops.len() == 2), "{stops:?}");
        assert_eq!(stops, ["solved", "interrupted", "solved", "solved"][..stops.len()]);
        // Whoever goes on solves again what was interrupted.
        let output = run(&format!("{words} --resume --nodes 1000"), 3);
        holds(&text(&output.stderr), &["4 positions in", "1 from before, 1 open"]);
        let found = lines(&place.out());
        let stops: Vec<_> = found.iter().map(|line| line["stop"].as_str().unwrap()).collect();
        assert_eq!(stops, ["solved", "out of nodes", "solved", "solved"]);
    }
}
