//! Proofs in many pieces by the command: stopped and resumed, looked after, certified.

mod common;
use common::{holds, json, run, stderr, stdout, text, zermelo};
use std::path::Path;

fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("tree").to_str().unwrap().to_owned();
    (folder, name)
}

#[test]
fn a_proof_goes_on_and_ends_in_a_certificate() {
    let (folder, store) = folder();
    let words = format!("prove nogo 3x4 --store {store} --nodes-per-job 12");
    let first = json(&format!("{words} --time 1ms --json"), 3);
    assert_eq!(
        (&first["winner"], &first["lo"], &first["hi"]),
        (&serde_json::Value::Null, &(-1).into(), &1.into())
    );
    let found = json(&format!("{words} --threads 2 --audit 10% --json"), 0);
    assert_eq!((&found["winner"], &found["hi"]), (&"second".into(), &(-1).into()));
    assert!(found["jobs"].as_u64() > Some(3) && found["facts"].as_u64() > Some(3), "{found}");
    holds(&stdout(&words, 0), &["The second player wins.", "facts", "jobs", "proved"]);

    holds(&stdout(&format!("store {store} info"), 0), &["nogo 3x4", "value -1", "auto"]);
    let info = json(&format!("store {store} info --json"), 0);
    assert_eq!(info["roots"][0][1], -1);
    holds(&stdout(&format!("store {store} check"), 0), &["sound"]);
    let lines = stdout(&format!("store {store} export"), 0);
    assert_eq!(lines.lines().count() as u64, info["facts"].as_u64().unwrap());
    let line: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert!(line["position"].is_string() && line["source"].is_string(), "{line}");
    run(&format!("store {store} compact"), 0);

    let proof = folder.path().join("nogo.proof");
    let file = proof.to_str().unwrap();
    let written = json(&format!("certify --store {store} --proof {file} --json"), 0);
    assert!(written["positions"].as_u64() > Some(0), "{written}");
    assert_eq!(json(&format!("check {file} --json"), 0)["proved"], true);

    // What is there is not written over unless that is wanted.
    let before = std::fs::read(&proof).unwrap();
    for words in [format!("certify --store {store}"), "solve nogo 2x2".to_owned()] {
        let error = stderr(&format!("{words} --proof {file}"), 2);
        holds(&error, &["nogo.proof is there already", "--force"]);
        assert_eq!(std::fs::read(&proof).unwrap(), before);
    }
    run(&format!("solve nogo 2x2 --proof {file} --force"), 0);
    assert_ne!(std::fs::read(&proof).unwrap(), before);
    run(&format!("certify --store {store} --proof {file} --force"), 0);
    assert_eq!(json(&format!("check {file} --json"), 0)["proved"], true);
    run("solve nogo 2x2 --proof /dev/null", 0);
}

#[test]
fn a_small_proof_is_many_jobs_unless_their_size_is_fixed() {
    let (_folder, store) = folder();
    let found = json(&format!("prove breakthrough 5x5 --store {store} --json"), 0);
    assert_eq!(found["winner"], "second");
    for (key, least) in [("jobs", 20), ("facts", 20), ("nodes", 100)] {
        assert!(found[key].as_u64() >= Some(least), "{key}: {found}");
    }
    let fixed = json(
        &format!(
            "prove breakthrough 5x5 --store {store}1 --nodes-per-job 100M --time-per-job 100s --json"
        ),
        0,
    );
    assert_eq!(fixed["jobs"], 1);
}

#[test]
fn a_store_is_as_large_as_its_files_also_after_a_kill() {
    let (_folder, store) = folder();
    let words = format!("prove nogo 5x5 --store {store} --nodes-per-job 100");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_zermelo"))
        .args(words.split(' '))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let file = |name: &str| Path::new(&store).join(name);
    let size = |name: &str| std::fs::metadata(file(name)).map_or(0, |m| m.len());
    let since = std::time::Instant::now();
    let facts = || {
        let output = zermelo(&format!("store {store} info --json")).output().unwrap();
        let info: serde_json::Value = serde_json::from_str(&text(&output.stdout)).ok()?;
        info["facts"].as_u64()
    };
    while facts().unwrap_or(0) == 0 && since.elapsed() < common::PATIENCE {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let beside = size("proof.sqlite-wal") + size("proof.sqlite-shm");
    let sum = size("proof.sqlite") + beside;
    assert!(beside > 0);
    let info = json(&format!("store {store} info --json"), 0);
    assert_eq!((&info["bytes"], &info["log_bytes"]), (&sum.into(), &beside.into()));
    // The log may have been taken into the file by that, never more.
    holds(&stdout(&format!("store {store} info"), 0), &["size"]);
    let now = json(&format!("store {store} info --json"), 0);
    assert!(now["bytes"].as_u64() >= Some(size("proof.sqlite")));
}

#[test]
fn databases_lines_and_claims_help() {
    let (folder, store) = folder();
    let db = folder.path().join("db").to_str().unwrap().to_owned();
    run(&format!("build checkers 4x4 --pieces 2 --out {db}"), 0);
    let claims = folder.path().join("claims");
    std::fs::write(&claims, "B:W7,8:B1,2 ; 1-3\n").unwrap();
    let claims = claims.to_str().unwrap();
    let words = format!(
        "prove checkers 4x4 --store {store} --db {db} --nodes-per-job 20 --claims {claims} --seed-line 1-3"
    );
    let output = run(&format!("{words} --json"), 0);
    let found: serde_json::Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(found["lo"], found["hi"]);
    let alone = json("solve checkers 4x4 --by dfpn --json", 0);
    assert_eq!(alone["lo"], found["lo"]);
    holds(&stdout(&format!("store {store} info"), 0), &["database", "claims"]);
    holds(&stdout(&format!("store {store} check --db {db}"), 0), &["sound"]);
}

#[test]
fn provers_are_engines_with_options() {
    let (_folder, store) = folder();
    let words = format!("prove nogo 3x4 --store {store} --nodes-per-job 12");
    let found = json(&format!("{words} --by dfpn:sum=weak,epsilon=1/8 --json"), 0);
    assert_eq!(found["winner"], "second");
    holds(&stdout(&format!("store {store} info"), 0), &["dfpn"]);
}

#[test]
fn a_program_can_be_a_prover() {
    let (_folder, store) = folder();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prover.py");
    let mut command = zermelo(&format!("prove tictactoe --store {store} --json"));
    let output = command.arg("--prover").arg(format!("python3 {sample}")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    holds(&text(&output.stdout), &["\"winner\":\"draw\""]);
}

/// A program as prover: the words for `--prover`, with the body of its loop over jobs.
fn program(folder: &Path, name: &str, body: &str) -> String {
    let file = folder.join(name);
    let text = format!(
        "import json, sys, os\nfor line in sys.stdin:\n    job = json.loads(line)\n    {body}\n"
    );
    std::fs::write(&file, text).unwrap();
    format!("python3|{}", file.display())
}

const LIE: &str = r#"print(json.dumps({"id": job["id"], "solver": "zermelo 0.1.0 dfpn", "lo": 1, "hi": 1}), flush=True)"#;

#[test]
fn a_liar_is_found_by_others_and_what_it_said_is_withdrawn() {
    let (folder, store) = folder();
    let liar = program(folder.path(), "liar.py", LIE);
    let words = format!("prove tictactoe --store {store}");
    let lie = format!("{words} --prover {liar}");
    let error = stderr(&format!("{lie} --audit 100%"), 1);
    holds(
        &error,
        &["contradiction", "program python3 ", "liar.py", "our engine zermelo", "is wrong"],
    );
    let info = json(&format!("store {store} info --json"), 0);
    assert_eq!((&info["facts"], &info["withdrawn"]), (&0.into(), &1.into()));
    // Believed, as nobody audits; but a run with audits has them done, and until then nothing is called done.
    assert_eq!(json(&format!("{lie} --json"), 0)["winner"], "first");
    let stopped = json(&format!("{words} --audit 100% --time 0s --json"), 3);
    assert_eq!((&stopped["stop"], &stopped["audited"][2]), (&"out of time".into(), &1.into()));
    holds(&stdout(&format!("{words} --audit 100% --time 0s"), 3), &["before all audits were done"]);
    holds(&stderr(&format!("{lie} --audit 100%"), 1), &["liar.py"]);
    // A second program can audit. It is not trusted either.
    assert_eq!(json(&format!("{lie} --json"), 0)["winner"], "first");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prover.py");
    let error = stderr(&format!("{words} --audit 100% --auditor python3|{sample}"), 1);
    holds(&error, &["liar.py", "prover.py", "Nobody can know which of them is wrong"]);
    // The same command goes on to the truth.
    let honest = format!("{words} --prover python3|{sample} --audit 100%");
    let found = json(&format!("{honest} --json"), 0);
    assert_eq!(
        (&found["winner"], &found["audited"]),
        (&"draw".into(), &serde_json::json!([1, 0, 0]))
    );
    holds(&stdout(&format!("store {store} check"), 0), &["sound"]);
    // Nobody audits who was not told to.
    holds(&stderr(&format!("{words} --auditor x"), 2), &["--audit"]);
}

#[test]
fn provers_that_fail_end_a_run_with_a_reason() {
    let (folder, store) = folder();
    let error = stderr(&format!("prove tictactoe --store {store} --prover /no/such|x"), 2);
    holds(&error, &["cannot start /no/such"]);
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(!Path::new(&store).exists());
    // It dies on every job: three tries each, twelve in a row, few words.
    let mortal =
        program(folder.path(), "mortal.py", "sys.stderr.write('\\x1b[2Jproved'); os.abort()");
    let words = format!("prove tictactoe --store {store} --prover {mortal} --prover-only");
    let output = run(&words, 3);
    holds(&text(&output.stdout), &["Not solved", "failures   12 jobs", "times in", "SIGABRT"]);
    let said = text(&output.stderr);
    holds(&said, &["try 1 of 3", "python3: \\u{1b}[2Jproved"]);
    assert!(said.lines().count() < 50 && !said.contains('\u{1b}'), "{said}");
    let output = run(&format!("{words} --json"), 3);
    let found: serde_json::Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(
        (&found["stop"], &found["winner"]),
        (&"provers fail".into(), &serde_json::Value::Null)
    );
    holds(found["reason"].as_str().unwrap(), &["mortal.py failed 12 times in a row", "SIGABRT"]);
    // An engine of ours takes over, unless that is forbidden.
    let output = run(&words.replace(" --prover-only", ""), 0);
    holds(&text(&output.stdout), &["A draw.", "proved"]);
    holds(&text(&output.stderr), &["an engine of ours goes on alone"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let (_folder, store) = folder();
    holds(
        &stderr(&format!("prove go 3x3 --store {store}"), 2),
        &["depends on the moves that led to it"],
    );
    assert!(!Path::new(&store).exists());
    holds(&stderr(&format!("prove nogo 3x3 --store {store} --by lambda"), 2), &["lambda"]);
    let error = stderr(&format!("prove nogo 3x3 --store {store} --by pns:threads=2"), 2);
    holds(&error, &["expected an option of pns (sum"]);
    assert!(!Path::new(&store).exists());
    holds(&stderr(&format!("prove nogo 3x3 --store {store} --seed-line z9"), 2), &["bad move"]);
    run(&format!("prove nogo 3x3 --store {store}"), 0);
    holds(&stderr(&format!("prove nogo 3x4 --store {store}"), 1), &["a store of nogo 3x3"]);
    holds(&stderr(&format!("store {store}/none info"), 1), &["no store here"]);
    holds(&stderr(&format!("store {store} info --out x"), 2), &["--out goes with export"]);
    holds(&stderr(&format!("store {store} info --source x"), 2), &["--source goes with forget"]);
    holds(&stderr(&format!("store {store} forget"), 2), &["--source"]);
    holds(&stderr(&format!("store {store} forget --source x"), 2), &["no fact by"]);
    let error = stderr(&format!("prove nogo 3x3 --store {store} --claims /dev/zero"), 1);
    holds(&error, &["larger than"]);
    let file = Path::new(&store).join("proof.sqlite");
    std::fs::write(file, "nonsense").unwrap();
    run(&format!("store {store} info"), 1);
}
