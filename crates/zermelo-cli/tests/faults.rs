//! Every write of every file that is kept, made to fail in turn: the process is killed there, the write is torn in
//! two, the disk is full from there on, or that one operation fails. Whatever happens, what is there afterwards is
//! complete or goes on, and comes to the same end as if nothing had happened.
//!
//! `hostile/faults.c` is the disk that fails; it is compiled here and loaded into the real program. With
//! ZERMELO_TORTURE=N larger examples are used.

mod common;

use common::farm::Running;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

const MODES: [&str; 4] = ["kill", "torn", "full", "once"];

/// A program that ends by itself must do so within this time, even if its disk fails.
const PATIENCE: u64 = 120;

/// The library, compiled once.
fn shim() -> &'static Path {
    static SHIM: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, library) = SHIM.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let library = dir.path().join("faults.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/faults.c");
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&library).arg(source);
        let done = cc.arg("-ldl").output().expect("a C compiler (Debian: gcc)");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        (dir, library)
    });
    library
}

fn torture() -> usize {
    std::env::var("ZERMELO_TORTURE").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// A folder in which one experiment after the other is made.
struct Bench {
    dir: TempDir,
}

/// How a run under faults ended.
struct Run {
    output: Output,
    /// Whether there was an operation to strike.
    struck: bool,
}

impl Bench {
    fn new() -> Bench {
        Bench { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The program with these words as arguments; `|` stands for a blank inside one.
    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zermelo"));
        let args = words.split(' ').map(|word| word.replace('|', " "));
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        command
    }

    /// Runs without faults, and must succeed.
    #[track_caller]
    fn good(&self, words: &str, why: &str) -> String {
        String::from_utf8(self.run(words, why).stdout).unwrap()
    }

    /// The same with all that was said.
    #[track_caller]
    fn run(&self, words: &str, why: &str) -> Output {
        let output = self.command(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words} after {why}: {:?}\n{said}", output.status);
        output
    }

    /// Runs with a fault.
    fn faulty(&self, words: &str, fault: &str) -> Run {
        let mark = self.path("struck");
        let _ = fs::remove_file(&mark);
        let (out, err) = (self.path("out.log"), self.path("err.log"));
        let mut command = self.command(words);
        command
            .env("LD_PRELOAD", shim())
            .env("ZERMELO_FAULT", fault)
            .env("ZERMELO_FAULT_MARK", &mark)
            .stdout(fs::File::create(&out).unwrap())
            .stderr(fs::File::create(&err).unwrap());
        let mut child = Running(command.spawn().unwrap());
        let since = std::time::Instant::now();
        let status = loop {
            if let Some(status) = child.0.try_wait().unwrap() {
                break status;
            }
            assert!(since.elapsed().as_secs() < PATIENCE, "{words} with {fault} does not end");
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        let read = |path: &Path| fs::read(path).unwrap();
        let output = Output { status, stdout: read(&out), stderr: read(&err) };
        Run { output, struck: mark.exists() }
    }

    /// Makes every operation of a command fail in turn, in every way. `fresh` sets the stage before each run, `after`
    /// looks at what is left. Returns how many runs there were.
    fn every_write(&self, words: &str, fresh: impl Fn(), after: impl Fn(&str)) -> usize {
        let mut runs = 0;
        for mode in MODES {
            for n in 1.. {
                fresh();
                let fault = format!("{mode}:{n}");
                let run = self.faulty(words, &fault);
                let Output { status, stdout, stderr } = &run.output;
                let said = String::from_utf8_lossy(stderr);
                if !run.struck {
                    assert!(status.success(), "{words} without a fault: {status:?}\n{said}");
                    assert!(n > 2, "{words}: no write was seen; is the library loaded?");
                    break;
                }
                runs += 1;
                if ["kill", "torn"].contains(&mode) {
                    assert_eq!(status.signal(), Some(9), "{words} with {fault}\n{said}");
                } else {
                    // It may go on (a sync of no importance), but it does not die, and if it fails it says why.
                    let code = status.code();
                    assert!(
                        matches!(code, Some(0 | 1 | 3)),
                        "{words}, {fault}: {status:?}\n{said}"
                    );
                    assert!(!said.contains("panicked"), "{words}, {fault}: {said}");
                    let told = !said.trim().is_empty() || !stdout.is_empty();
                    assert!(told, "{words}, {fault}: {status:?} without a word");
                    let left = parts(self.dir.path());
                    assert!(
                        left.is_empty() || mode == "once",
                        "{words}, {fault}: {left:?} is left"
                    );
                }
                after(&fault);
            }
        }
        runs
    }

    fn remove(&self, name: &str) {
        let path = self.path(name);
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

/// Files that are half written.
fn parts(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(parts(&path));
        } else if path.extension() == Some(OsStr::new("part")) {
            found.push(path);
        }
    }
    found
}

/// The names and contents of all files of a folder.
fn content(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn a_store_goes_on_after_a_fault_at_every_write() {
    let bench = Bench::new();
    let (game, jobs) = match torture() {
        1 => ("tictactoe", "300"),
        _ => ("tictactoe", "30"),
    };
    let prove = format!("prove {game} --store s --nodes-per-job {jobs} --json --by alphabeta");
    let runs = bench.every_write(
        &prove,
        || bench.remove("s"),
        |fault| {
            let found = bench.good(&prove, fault);
            assert!(found.contains("\"winner\":\"draw\""), "{fault}: {found}");
            bench.good("store s check", fault);
        },
    );
    assert!(runs > 40, "{runs}");
}

#[test]
fn a_store_survives_its_own_upkeep() {
    let bench = Bench::new();
    bench.good("prove tictactoe --store old --nodes-per-job 100 --by alphabeta", "nothing");
    let fresh = || {
        bench.remove("s");
        fs::create_dir(bench.path("s")).unwrap();
        for (path, bytes) in content(&bench.path("old")) {
            fs::write(bench.path("s").join(path.file_name().unwrap()), bytes).unwrap();
        }
    };
    for upkeep in ["store s compact", "store s export --out s/facts.jsonl"] {
        bench.every_write(upkeep, fresh, |fault| {
            bench.good("store s check", &format!("{upkeep}, {fault}"));
            bench.good(upkeep, fault);
        });
    }
}

/// A store that an older program has made is brought up to date in one step: it is of one format or of the other.
#[test]
fn an_older_store_is_brought_up_to_date_or_as_it_was() {
    let bench = Bench::new();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = kept.join("../proof-tree/tests/stores/format-3/proof.sqlite");
    let fresh = || {
        bench.remove("s");
        fs::create_dir(bench.path("s")).unwrap();
        fs::copy(&kept, bench.path("s/proof.sqlite")).unwrap();
    };
    // The number of the format, as it stands in the file when all has been written there.
    let format = || {
        let bytes = fs::read(bench.path("s/proof.sqlite")).unwrap();
        u32::from_be_bytes(bytes[60..64].try_into().unwrap())
    };
    fresh();
    assert_eq!(format(), 3, "the kept store is kept as it is");
    let prove = "prove nogo 3x4 --store s --nodes-per-job 1000 --json --by dfpn";
    for words in [prove, "store s compact"] {
        let runs = bench.every_write(words, fresh, |fault| {
            bench.good("store s check", &format!("{words}, {fault}"));
            let info = bench.good("store s info --json", fault);
            assert!(info.contains("\"rules_version\":1"), "{fault}: {info}");
            bench.good(words, fault);
            assert_eq!(format(), 4, "{fault}");
            bench.good("store s check", fault);
            let found = bench.good(prove, fault);
            assert!(found.contains("\"winner\":\"second\""), "{fault}: {found}");
        });
        assert!(runs > 10, "{runs}");
    }
}

#[test]
fn a_database_goes_on_after_a_fault_at_every_write() {
    let examples: &[(&str, &str)] = match torture() {
        1 => &[("checkers 4x4 --pieces 2", "slices"), ("tictactoe --distance", "one file")],
        _ => &[
            ("checkers 4x4 --pieces 3", "slices"),
            ("chess KRK --distance", "slices"),
            ("kalah 2x2", "slices"),
            ("connect4 4x4", "one file"),
        ],
    };
    for (game, _) in examples {
        let bench = Bench::new();
        bench.good(&format!("build {game} --out reference"), "nothing");
        let names = |dir: &str| -> Vec<(String, Vec<u8>)> {
            let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
            content(&bench.path(dir)).into_iter().map(|(p, b)| (name(&p), b)).collect()
        };
        let reference = names("reference");
        let build = format!("build {game} --out db");
        let runs = bench.every_write(
            &build,
            || bench.remove("db"),
            |fault| {
                bench.good(&build, fault);
                assert_eq!(names("db"), reference, "{build} after {fault}");
                bench.good("verify db", fault);
            },
        );
        assert!(runs > 10, "{runs}");
    }
}

#[test]
fn a_certificate_is_whole_or_as_before() {
    let bench = Bench::new();
    bench.good("solve tictactoe --proof old.proof", "nothing");
    let old = fs::read(bench.path("old.proof")).unwrap();
    for before in [None, Some(&old)] {
        let fresh = || {
            bench.remove("new.proof");
            bench.remove("new.proof.part");
            if let Some(old) = before {
                fs::write(bench.path("new.proof"), old).unwrap();
            }
        };
        bench.every_write("solve nogo 3x3 --proof new.proof --force", fresh, |fault| {
            let there = fs::read(bench.path("new.proof")).ok();
            if there.is_none() || there.as_ref() == before {
                // Nothing happened.
                assert_eq!(there.as_ref(), before, "{fault}");
            } else {
                let said = bench.good("check new.proof", fault);
                assert!(said.contains("nogo 3x3") && said.contains("proved"), "{fault}: {said}");
            }
            bench.good("solve nogo 3x3 --proof new.proof --force", fault);
        });
    }
}

#[test]
fn a_journal_loses_no_line_that_was_kept() {
    let bench = Bench::new();
    let journal = bench.path("runs/results.jsonl");
    let lines = || fs::read_to_string(&journal).unwrap_or_default();
    let words = match torture() {
        1 => "bench results --rows nogo|1x1 --out runs",
        _ => "bench results --rows nogo|1x --out runs",
    };
    bench.good(words, "nothing");
    let all = lines().lines().count();
    assert!(all >= 5, "{all}");
    bench.every_write(
        words,
        || bench.remove("runs"),
        |fault| {
            let kept = lines().matches('\n').count();
            let output = bench.run(words, fault);
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(said.matches("from the journal").count(), kept, "{fault}: {said}");
            let text = lines();
            assert_eq!(text.lines().count(), all, "{fault}: {text}");
            for line in text.lines() {
                serde_json::from_str::<serde_json::Value>(line).unwrap();
            }
        },
    );
}

#[test]
fn a_batch_goes_on_after_a_fault_at_every_write() {
    let bench = Bench::new();
    fs::write(bench.path("in"), "moves:\na1\n# the middle\nb2\na1 b2\n").unwrap();
    let words = "solve tictactoe --batch in --out out --resume --cold --memory 16M";
    // What a clock says is none of the answer.
    let answers = || -> Vec<serde_json::Value> {
        let text = fs::read_to_string(bench.path("out")).unwrap();
        let answer = |line: &str| {
            let mut answer: serde_json::Value = serde_json::from_str(line).unwrap();
            let fields = answer.as_object_mut().unwrap();
            fields.retain(|name, _| !name.ends_with("seconds"));
            answer
        };
        text.lines().map(answer).collect()
    };
    bench.good(words, "nothing");
    let all = answers();
    assert_eq!(all.len(), 4);
    bench.every_write(
        words,
        || bench.remove("out"),
        |fault| {
            let kept = fs::read(bench.path("out")).unwrap_or_default();
            let complete = kept.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            bench.good(words, fault);
            assert!(fs::read(bench.path("out")).unwrap().starts_with(&kept[..complete]), "{fault}");
            assert_eq!(answers(), all, "{fault}");
        },
    );
}
