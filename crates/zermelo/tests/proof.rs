//! Certificates by the command: written, checked by both checkers, told, refused.

mod common;
use common::{holds, json, run, stderr, stdout, text};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Another hand's checker.
const FOREIGN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proofcheck/zermelo_check.py");
/// Certificates that are kept.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proofcheck/golden");

/// What the foreign checker says of some files: whether all are proofs, and its words.
fn foreign(files: &[&Path]) -> (bool, String) {
    let output = Command::new("python3").arg(FOREIGN).args(files).output().expect("python3 runs");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
    (output.status.success(), text(&output.stdout))
}

#[test]
fn both_checkers_accept_what_was_written_and_neither_what_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let games = [
        "tictactoe",
        "mnk 3x4x3",
        "connect4 4x4",
        "domineering 4x4",
        "domineering 3x5 horizontal",
        "domineering 4x4 misere",
        "nogo 3x4",
        "atarigo 3x4",
        "breakthrough 4x3",
        "breakthrough 4x3 misere",
        "knightthrough 5x4",
        "knightthrough 4x4 misere",
        "clobber 3x4",
        "go 3x2",
        "graph repetition|0;|a|first:|b|c;|b|second:|a|d;|d|first|=|1;|c|second|=|-1",
    ];
    for (i, game) in games.iter().enumerate() {
        let by = ["auto", "alphabeta", "dfpn", "pns"][i % 4];
        let file = folder.path().join(format!("{i}.proof"));
        let name = file.to_str().unwrap();
        let leaves = [0, 5, 50][i % 3];
        let words = format!("solve {game} --by {by} --json --proof {name} --leaves {leaves}");
        let found = json(&words, 0);
        assert!(found["proof"]["positions"].as_u64() > Some(0), "{found}");
        let said = json(&format!("check {name} --json"), 0);
        assert_eq!(said["proved"], true, "{said}");
        assert_eq!(said["positions"], found["proof"]["positions"]);
        let (accepted, words) = foreign(&[&file]);
        assert!(accepted, "{game}: {words}");
        let mut bytes = std::fs::read(&file).unwrap();
        let at = bytes.len() - 1 - i % 8;
        bytes[at] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let said = json(&format!("check {name} --json"), 4);
        assert_eq!((&said["proved"], said["refusal"].is_string()), (&false.into(), true));
        let (accepted, words) = foreign(&[&file]);
        assert!(!accepted, "{game}: {words}");
    }
}

#[test]
fn kept_certificates_still_hold() {
    let files: Vec<_> = std::fs::read_dir(GOLDEN).unwrap().map(|f| f.unwrap().path()).collect();
    assert!(files.len() >= 10);
    let names: Vec<_> = files.iter().map(|f| f.to_str().unwrap().replace(' ', "|")).collect();
    let said = stdout(&format!("check --threads 2 {}", names.join(" ")), 0);
    assert_eq!(said.matches("verdict").count(), files.len());
    let files: Vec<&Path> = files.iter().map(|f| f.as_path()).collect();
    let (accepted, words) = foreign(&files);
    assert!(accepted, "{words}");
}

#[test]
fn what_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let name = file.to_str().unwrap();
    holds(
        &stdout(&format!("solve tictactoe --proof {name}"), 0),
        &["A draw.", "proof", "positions"],
    );
    let said = stdout(&format!("check {name}"), 0);
    holds(&said, &["value >= 0 and value <= 0", "verdict    proved", "bytes a position"]);
    let said = stdout(&format!("check {name} --memory 100"), 3);
    holds(&said, &["not checked", "MiB on 1 threads"]);
    let told = stdout(&format!("explain {name}"), 0);
    holds(&told, &["kept by    the first player", "resistance 9 plies at most", "line"]);
    let page = stdout(&format!("explain {name} --out - --replies 1"), 0);
    holds(&page, &["<h1>tictactoe</h1>", "<svg", "more replies"]);
    let told = json(&format!("explain {name} --json"), 0);
    assert_eq!(told["claims"][0]["longest"], 9);
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let name = file.to_str().unwrap();
    holds(&stderr(&format!("check {name}"), 1), &["cannot read", "a.proof"]);
    std::fs::write(&file, "something else").unwrap();
    holds(&stdout(&format!("check {name}"), 4), &["REFUSED", "not a certificate"]);
    holds(&stderr(&format!("explain {name}"), 4), &["refused", "not a certificate"]);
    let graph = "graph repetition|loses;|a|first:|b;|b|second:|a|c;|c|first|=|1";
    let output = run(&format!("solve {graph} --proof {name}"), 1);
    holds(&text(&output.stderr), &["no certificates yet for graph"]);
    run("solve tictactoe --proof /proc/nowhere/a.proof", 1);
}

/// Killed at any moment, the command leaves no file or a whole one.
#[test]
fn killed_while_writing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let name = file.to_str().unwrap();
    let program = assert_cmd::cargo::cargo_bin!("zermelo");
    let mut whole = 0;
    for delay in 0..40 {
        let words = ["solve", "connect4", "4x4", "--proof", name];
        let mut child = Command::new(program).args(words).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(delay * delay / 10));
        child.kill().unwrap();
        child.wait().unwrap();
        if file.exists() {
            stdout(&format!("check {name}"), 0);
            std::fs::remove_file(&file).unwrap();
            whole += 1;
        }
    }
    // Whatever the machine did, the file of one that is left alone is there.
    run(&format!("solve connect4 4x4 --proof {name}"), 0);
    stdout(&format!("check {name}"), 0);
    assert!(!file.with_added_extension("part").exists(), "after {whole} whole files");
}

/// What is smaller says by how much, what is left to the checker is searched, and both checkers agree.
#[test]
fn smaller_files_and_searches() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (plain, small) = (place("plain.proof"), place("small.proof"));
    let solve = "solve connect4 4x5 --by alphabeta --json --proof";
    let before = json(&format!("{solve} {plain}"), 0);
    let after = json(&format!("{solve} {small} --smaller --leaves 50"), 0);
    let (before, after) = (&before["proof"], &after["proof"]);
    assert!(before["plain"].is_null());
    assert!(after["positions"].as_u64() < after["plain"].as_u64(), "{after}");
    assert!(after["bytes"].as_u64() < before["bytes"].as_u64(), "{before} {after}");
    let said = json(&format!("check {small} --json"), 0);
    assert!(said["searched"].as_u64() > Some(0), "{said}");
    let (accepted, words) = foreign(&[Path::new(&small)]);
    assert!(accepted, "{words}");
    holds(&stdout(&format!("explain {small}"), 0), &["resistance", "line"]);
    let said = stdout(&format!("solve connect4 4x4 --proof {small} --smaller"), 0);
    let said: Vec<&str> = said.split_whitespace().collect();
    holds(&said.join(" "), &["% less than"]);
    holds(&stderr("solve tictactoe --smaller", 2), &["--proof"]);
}
