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
fn a_program_can_be_a_prover() {
    let (_folder, store) = folder();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prover.py");
    let mut command = zermelo(&format!("prove tictactoe --store {store} --json"));
    let output = command.arg("--prover").arg(format!("python3 {sample}")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    holds(&text(&output.stdout), &["\"winner\":\"draw\""]);
}

#[test]
fn what_cannot_be_is_refused() {
    let (_folder, store) = folder();
    holds(&stderr(&format!("prove go 3x3 --store {store}"), 2), &["hangs on how it came about"]);
    assert!(!Path::new(&store).exists());
    holds(&stderr(&format!("prove nogo 3x3 --store {store} --by lambda"), 2), &["lambda"]);
    holds(&stderr(&format!("prove nogo 3x3 --store {store} --seed-line z9"), 2), &["bad move"]);
    run(&format!("prove nogo 3x3 --store {store}"), 0);
    holds(&stderr(&format!("prove nogo 3x4 --store {store}"), 1), &["a store of nogo 3x3"]);
    holds(&stderr(&format!("store {store}/none info"), 1), &["no store here"]);
    holds(&stderr(&format!("store {store} info --out x"), 2), &["--out goes with export"]);
    holds(&stderr(&format!("store {store} info --source x"), 2), &["--source goes with forget"]);
    holds(&stderr(&format!("store {store} forget"), 2), &["--source"]);
    holds(&stderr(&format!("store {store} forget --source x"), 2), &["no fact by"]);
    let file = Path::new(&store).join("proof.sqlite");
    std::fs::write(file, "nonsense").unwrap();
    run(&format!("store {store} info"), 1);
}
