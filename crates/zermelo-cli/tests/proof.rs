//! Certificates by the command: written, checked by both checkers, told, refused.

mod common;
use common::{holds, json, run, stderr, stdout, text};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use zermelo_certificate::format::{self, Base};
use zermelo_certificate::{Certificate, Provenance};
use zermelo_game::outside::printable;

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
        "checkers 6x4",
        "chess KQK",
        "kalah 3x3",
        "kalah 3x2 noempty",
        "morris 3 fly",
        "loa 4x4",
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
    holds(&said, &["not checked: the header needs 1 MiB of memory, allowed are 0 MiB"]);
    let said = stdout(&format!("check {name} --memory 100K"), 3);
    holds(&said, &["not checked: a block of", "on 1 threads needs 1 MiB"]);
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
    let output = run(&format!("solve {graph} --proof {name} --force"), 1);
    holds(&text(&output.stderr), &["no certificates yet for graph"]);
    run("solve tictactoe --proof /proc/nowhere/a.proof", 1);
}

/// What stands in the way of a proof is said before the search, which would take for ever here.
#[test]
fn what_prevents_a_proof_is_said_first() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    for (file, why) in [
        (format!("{dir}/none/a.proof"), "the folder"),
        (dir.to_owned(), "it is a folder"),
        ("/proc/nowhere/a.proof".to_owned(), "the folder"),
    ] {
        let said = stderr(&format!("solve connect4 6x7 --proof {file}"), 1);
        holds(&said, &["cannot write", why]);
    }
    let said = stderr(&format!("solve awari 3x4 --proof {dir}/a.proof"), 1);
    holds(&said, &["there are no certificates yet for awari"]);
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0);
}

/// A search that ends early says that there is no proof, and why.
#[test]
fn no_proof_is_told_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let solve = format!("solve connect4 6x7 --nodes 100 --proof {}", file.display());
    holds(&stdout(&solve, 3), &["proof", "none was written: the position is not solved"]);
    let said = json(&format!("{solve} --json"), 3);
    assert!(said["proof"].is_null() && said.as_object().unwrap().contains_key("proof"), "{said}");
    assert!(said["no_proof"].as_str().unwrap().contains("not solved"), "{said}");
    assert!(!file.exists());
    let said = json(&format!("solve tictactoe --json --proof {}", file.display()), 0);
    assert!(said["proof"].is_object() && said["no_proof"].is_null(), "{said}");
    let said = json("solve tictactoe --json", 0);
    assert!(!said.as_object().unwrap().contains_key("proof"), "{said}");
}

/// `check` and `explain` give the same number of plies for the same file, by whatever way its walk goes.
#[test]
fn both_commands_agree_on_the_longest_play() {
    let folder = tempfile::tempdir().unwrap();
    let krk = folder.path().join("krk.proof");
    // Positions are met again on longer lines here: the walk is less deep than play can be long.
    json(&format!("solve chess KRK --json --proof {}", krk.display()), 0);
    let golden = std::fs::read_dir(GOLDEN).unwrap().map(|f| f.unwrap().path());
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../certificate/tests/files");
    let kept = std::fs::read_dir(kept).unwrap().map(|f| f.unwrap().path());
    let (mut deeper, mut count) = (0, 0);
    for file in golden.chain(kept).chain([krk]) {
        let name = file.to_str().unwrap();
        let checked = json(&format!("check {name} --json --longest"), 0);
        let told = json(&format!("explain {name} --json"), 0);
        let told = told["claims"].as_array().unwrap().iter().map(|claim| {
            // A draw may be kept by repeating positions for ever.
            let endless = claim["longest_play"].is_null();
            assert!(endless || claim["longest"] == claim["longest_play"], "{name}");
            claim["longest_play"].clone()
        });
        let told: Vec<_> = told.collect();
        assert_eq!(checked["longest_play"].as_array(), Some(&told), "{name}");
        let longest = told.iter().filter_map(|plies| plies.as_u64()).max();
        deeper += usize::from(longest > checked["depth"].as_u64());
        count += 1;
    }
    assert!(deeper >= 2 && count > 15, "{deeper} of {count}");
}

/// A claim with length is told in words, and both checkers name its plies.
#[test]
fn lengths_are_told() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../certificate/tests/files/version-3.proof");
    let said = stdout(&format!("check {file}"), 0);
    let lines = ["value >= 1 within 7 plies", "The first player wins within 7 plies"];
    holds(&said, &lines);
    holds(&said, &["longest    7 plies", "verdict    proved"]);
    holds(&stdout(&format!("explain {file}"), 0), &lines);
    let said = json(&format!("check {file} --json"), 0);
    assert_eq!((&said["within"][0], &said["longest_play"][0]), (&7.into(), &7.into()));
    let (accepted, words) = foreign(&[Path::new(file)]);
    assert!(accepted && words.contains("within 7 plies"), "{words}");
}

/// A proof about a game that nobody knows here is neither proved nor refused: both checkers say so with a code of its own.
#[test]
fn unknown_games_are_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let golden = std::fs::read(format!("{GOLDEN}/tictactoe.proof")).unwrap();
    let mut proof = Certificate::read(&golden).unwrap();
    proof.header.game = "hyperchess 8x8".into();
    std::fs::write(&file, proof.bytes()).unwrap();
    let name = file.display();
    let said = stdout(&format!("check {name}"), 5);
    holds(&said, &["verdict    cannot check: the game \"hyperchess\" is not known here"]);
    let said = json(&format!("check {name} --json"), 5);
    assert_eq!((&said["verdict"], &said["proved"]), (&"cannot check".into(), &false.into()));
    holds(&stderr(&format!("explain {name}"), 5), &["cannot check", "hyperchess"]);
    let run = Command::new("python3").arg(FOREIGN).arg(&file).output().unwrap();
    assert_eq!(run.status.code(), Some(5));
    holds(&text(&run.stdout), &["cannot check: unknown game hyperchess 8x8"]);
    // What is refused comes first, whatever the order of the files.
    std::fs::write(folder.path().join("b.proof"), "no proof").unwrap();
    let other = folder.path().join("b.proof");
    stdout(&format!("check {} {name}", other.display()), 4);
    stdout(&format!("check {name} {}", other.display()), 4);
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
    let said = stdout(&format!("solve connect4 4x4 --proof {small} --smaller --force"), 0);
    let said: Vec<&str> = said.split_whitespace().collect();
    holds(&said.join(" "), &["% less than"]);
    holds(&stderr("solve tictactoe --smaller", 2), &["--proof"]);
}

/// Headers changed at random, lengths and digests made to fit: both checkers are of one mind about each. With
/// `ZERMELO_TORTURE=N` in the environment there are N times as many.
#[test]
fn both_checkers_read_headers_alike() {
    let torture = std::env::var("ZERMELO_TORTURE").map_or(1, |n| n.parse().expect("a number"));
    let compare = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proofcheck/compare.py");
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("python3")
        .args([compare, "--count", &(2_500 * torture).to_string(), "--seed", &torture.to_string()])
        .arg("--keep")
        .arg(folder.path())
        .arg(assert_cmd::cargo::cargo_bin!("zermelo"))
        .output()
        .expect("python3 runs");
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    // 1234 proved, 1266 refused, 0 disagreements
    let counts: Vec<u64> = said.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(counts[0] > 500 * torture && counts[1] > 500 * torture && counts[2] == 0, "{said}");
}

/// A file that is no certificate, or one of more bytes than there is memory, with so much address space as any run needs.
#[test]
fn files_are_read_within_limits() {
    let folder = tempfile::tempdir().unwrap();
    let program = assert_cmd::cargo::cargo_bin!("zermelo");
    let limited = |words: &str| {
        let script = format!("ulimit -v 300000; exec {words}");
        Command::new("sh").args(["-c", &script]).output().expect("sh runs")
    };
    let said = |output: Output, code: i32| {
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    // 600 MiB of which nothing is on the disk, as one block of a certificate.
    let mut header =
        Certificate::read(&std::fs::read(format!("{GOLDEN}/tictactoe.proof")).unwrap())
            .unwrap()
            .header;
    header.claims.truncate(1);
    header.claims[0].blocks.truncate(1);
    header.claims[0].blocks[0].bytes = 600 << 20;
    let large = folder.path().join("large.proof");
    let head = sealed(&serde_json::to_string(&header).unwrap());
    std::fs::write(&large, &head).unwrap();
    let file = std::fs::File::options().write(true).open(&large).unwrap();
    file.set_len(head.len() as u64 + (600 << 20)).unwrap();
    let (program, large) = (program.display(), large.display());
    let words = said(limited(&format!("{program} check --memory 64M {large}")), 4);
    holds(&words, &["is damaged: its SHA-256"]);
    holds(&said(limited(&format!("python3 {FOREIGN} {large}")), 1), &["the digest is wrong"]);
    let words = said(limited(&format!("{program} check --memory 64M /dev/zero")), 4);
    holds(&words, &["REFUSED: not a certificate"]);
    holds(&said(limited(&format!("python3 {FOREIGN} /dev/zero")), 1), &["no certificate"]);
    let output = limited(&format!("{program} explain /dev/zero"));
    assert_eq!(output.status.code(), Some(4));
    // A pipe holds a certificate as well as a file does.
    let golden = format!("{GOLDEN}/go-3x3.proof");
    let words =
        said(limited(&format!("cat {golden} | {program} check --memory 64M /dev/stdin")), 0);
    holds(&words, &["verdict    proved"]);
    holds(&said(limited(&format!("cat {golden} | python3 {FOREIGN} /dev/stdin")), 0), &["proved"]);
    let output = limited(&format!("cat /dev/zero | {program} check /dev/stdin"));
    assert_eq!(output.status.code(), Some(4));
}

/// A file with this header, whose digest is right, and no blocks.
fn sealed(header: &str) -> Vec<u8> {
    [&format::head(header.as_bytes()), header.as_bytes()].concat()
}

/// What a terminal obeys, and lines that look like a verdict.
const EVIL: &str = "a\u{1b}[2K\u{1b}[8m\r\nproved\n  proved\r           proved \u{9b}2J\u{7f}\u{202e}\u{feff}\u{fe0f} \
    and a good many words so that the line has to be broken, that is to say here: proved, or else there: proved \
    verdict    proved proved proved proved proved proved proved proved proved proved proved proved";

/// Whether there is nothing but visible characters in what was printed, and no line that begins with "proved".
#[track_caller]
fn is_plain(output: &Output, what: &str) {
    for out in [text(&output.stdout), text(&output.stderr)] {
        for line in out.lines() {
            let pieces = line.as_bytes().chunks(1_000).map(String::from_utf8_lossy);
            assert!(pieces.into_iter().all(|p| printable(&p) == p), "{what}: {out:?}");
            let line = line.trim_start();
            let verdict = line.strip_prefix("verdict").map_or(line, str::trim_start);
            assert!(!verdict.starts_with("proved"), "{what}:\n{out}");
        }
    }
}

/// Runs both checkers on a file in all their ways.
#[track_caller]
fn all_that_is_said(file: &Path, what: &str) {
    let program = assert_cmd::cargo::cargo_bin!("zermelo");
    for words in [&["check"][..], &["check", "--json"], &["explain"], &["explain", "--json"]] {
        let output = Command::new(program).args(words).arg(file).output().unwrap();
        assert_ne!(output.status.code(), Some(0), "{what}");
        is_plain(&output, what);
    }
    for words in [&[][..], &["--json"]] {
        let output = Command::new("python3").arg(FOREIGN).args(words).arg(file).output().unwrap();
        assert_ne!(output.status.code(), Some(0), "{what}");
        is_plain(&output, what);
    }
}

#[test]
fn a_file_cannot_talk_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let good =
        Certificate::read(&std::fs::read(format!("{GOLDEN}/tictactoe.proof")).unwrap()).unwrap();
    let evil = || EVIL.to_owned();
    for field in ["game", "position", "by", "database", "starts", "sha256", "graph", "node"] {
        let mut bad = good.clone();
        let Provenance { by, solver, options, .. } = &mut bad.header.made;
        (*by, *solver, *options) = (evil(), evil(), evil());
        let header = &mut bad.header;
        match field {
            "game" => header.game = evil(),
            "position" => header.position = evil(),
            "by" => header.claims[0].value = 1,
            "database" => header.database = Some(Base { name: evil(), digest: evil() }),
            "starts" => header.claims[0].blocks[0].starts[0] = evil(),
            "sha256" => header.claims[0].blocks[0].sha256 = evil(),
            "graph" => header.game = format!("graph {EVIL}; b = 1"),
            _ => {
                // A name of a node may hold what is no white space.
                header.game = "graph a\u{1b}[8mproved first: b\u{7f}; b\u{7f} second = -1".into();
                header.position = "a\u{1b}[8mproved".into();
                header
                    .claims
                    .iter_mut()
                    .for_each(|p| p.blocks[0].starts = vec!["a\u{1b}[8mproved".into()]);
            }
        }
        std::fs::write(&file, bad.bytes()).unwrap();
        all_that_is_said(&file, field);
    }
    // What is quoted in errors about JSON, and short lines of its own.
    let json = serde_json::to_string(&good.header).unwrap();
    let evil = serde_json::to_string(EVIL).unwrap();
    for (old, new) in [
        ("\"search\":", format!("{evil}:1,\"search\":")),
        ("\"claimant\":\"first\"", format!("\"claimant\":{evil}")),
        ("\"rules\":1", format!("\"rules\":{evil}")),
        ("\"rules\":1", "\"rules\":1,\"proved\":1".into()),
        ("\".../.../... first\"", "\"proved\"".into()),
        ("\"tictactoe\"", "\"proved\"".into()),
    ] {
        assert!(json.contains(old), "{old}");
        std::fs::write(&file, sealed(&json.replacen(old, &new, 1))).unwrap();
        all_that_is_said(&file, &new);
    }
    std::fs::write(&file, b"proved").unwrap();
    all_that_is_said(&file, "no certificate");
    let named = folder.path().join("a\u{1b}[2K\nproved");
    std::fs::write(&named, b"proved").unwrap();
    all_that_is_said(&named, "the name of the file");
    std::fs::remove_file(&named).unwrap();
    all_that_is_said(&named, "the name of no file");
}

/// Names of nodes may hold nearly anything: a proof that holds is told in visible characters, and its page is a page.
#[test]
fn an_explanation_has_visible_characters_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.proof");
    let page = folder.path().join("a.html");
    let (name, out) = (file.to_str().unwrap(), page.to_str().unwrap());
    // A control character does not even come into a graph; what turns the text around does.
    let node = "<script>\u{202e}\"'&amp";
    let game = format!("graph|a|first:|{node}|c;|{node}|second:|d;|c|second|=|-1;|d|first|=|1");
    run(&format!("solve {game} --proof {name}"), 0);
    for words in [
        format!("check {name} --json"),
        format!("explain {name} --out {out}"),
        format!("explain {name} --json"),
    ] {
        let output = run(&words, 0);
        is_plain(&output, &words);
    }
    let said = stdout(&format!("check {name}"), 0);
    holds(&said, &["<script>\\u{202e}"]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.lines().all(|line| printable(line) == line || line.len() > 1_000), "{page:?}");
    assert!(!page.contains('\u{202e}'));
    assert!(!page.contains("<script>") && page.contains("&lt;script&gt;"), "{page}");
}
