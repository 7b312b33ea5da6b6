//! Databases by the command: built, gone on with, verified, told, probed, refused.

mod common;
use common::{holds, json, run, stderr, stdout, text, zermelo};
use std::fs;

#[test]
fn checkers_from_end_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("db");
    let db = dir.to_str().unwrap();
    let guess = json(&format!("build checkers 8x8 --pieces 3 --out {db} --estimate --json"), 0);
    assert_eq!((&guess["files"], &guess["kept"]), (&16.into(), &0.into()));
    assert!(guess["memory"].as_u64() > Some(0) && guess["seconds"].as_f64() > Some(0.0));
    assert!(!dir.exists(), "an estimate writes nothing");
    let first = json(&format!("build checkers --pieces 2 --out {db} --json"), 0);
    assert_eq!(first["files"], 4);
    let built = json(&format!("build checkers 8x8 --pieces 3 --out {db} --threads 2 --json"), 0);
    assert_eq!((&built["files"], &built["kept"]), (&12.into(), &4.into()));

    let stats = json(&format!("stats {db} --json"), 0);
    let slices = stats["slices"].as_array().unwrap();
    assert_eq!((slices.len(), &stats["positions"]), (16, &199_520.into()));
    let kings = slices.iter().find(|s| s["name"] == "m0k1-m0k1").unwrap();
    for (key, wanted) in [("positions", 992), ("wins", 230), ("draws", 654), ("losses", 108)] {
        assert_eq!(kings[key], wanted, "{key}");
    }
    assert_eq!((&kings["pieces"], &kings["longest"]), (&serde_json::json!([1, 1]), &11.into()));
    holds(&stdout(&format!("stats {db}"), 0), &["checkers 8x8", "199,520", "m2k0-m0k1", "bytes"]);

    let sound = json(&format!("verify {db} --json"), 0);
    assert_eq!((&sound["verified"], &sound["positions"]), (&true.into(), &199_520.into()));

    let win = json(&format!("probe {db} B:WK14:BK1,K2 --json"), 0);
    assert_eq!((&win["lo"], &win["winner"]), (&1.into(), &"first".into()));
    assert_eq!(win["moves"].as_array().unwrap().len(), 4);
    holds(&stdout(&format!("probe {db} W:WK14:BK1,K2"), 0), &["The first player wins", "14-18"]);
    let open = json(&format!("probe {db} B:WK14,K32:BK1,K2 --json"), 3);
    assert_eq!((&open["lo"], &open["hi"], &open["winner"]), (&(-1).into(), &1.into(), &().into()));
    holds(&stderr(&format!("probe {db} B:WK14:B32"), 2), &["bad position at column"]);

    let list = "B:WK14:BK1,K2\n\nB:WK32:BK1\n";
    let piped = zermelo(&format!("probe {db} --batch -")).write_stdin(list).output().unwrap();
    assert_eq!(text(&piped.stdout), "1 - B:WK14:BK1,K2\n0 - B:WK32:BK1\n");
    let file = folder.path().join("list.txt");
    fs::write(&file, "B:WK14:BK1,K2\nnonsense\n").unwrap();
    let output = run(&format!("probe {db} --batch {}", file.display()), 2);
    holds(&text(&output.stderr), &["line 2: bad position"]);

    // A damaged file is refused by all.
    let slice = dir.join("m0k1-m0k1.slice");
    let mut bytes = fs::read(&slice).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&slice, bytes).unwrap();
    let refused = json(&format!("verify {db} --json"), 4);
    assert_eq!(refused["verified"], false);
    holds(refused["refusal"].as_str().unwrap(), &["m0k1-m0k1.slice", "checksum"]);
    holds(&stderr(&format!("probe {db} B:WK32:BK1"), 1), &["m0k1-m0k1.slice", "checksum"]);
}

#[test]
fn whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().to_str().unwrap();
    let built = json(&format!("build connect4 4x4 --out {db} --json"), 0);
    assert_eq!((&built["positions"], &built["value"]), (&161_029.into(), &0.into()));
    holds(&stdout(&format!("verify {db}"), 0), &["verified"]);
    let stats = json(&format!("stats {db} --json"), 0);
    assert_eq!(stats["slices"][0]["positions"], 161_029);
    let start = json(&format!("probe {db} --json"), 0);
    assert_eq!((&start["winner"], start["moves"].as_array().unwrap().len()), (&"draw".into(), 4));
}

#[test]
fn distances_and_scores() {
    let folder = tempfile::tempdir().unwrap();
    let dir = |name: &str| folder.path().join(name).display().to_string();
    run(&format!("build chess KRK --distance --out {}", dir("krk")), 0);
    let stats = json(&format!("stats {} --json", dir("krk")), 0);
    assert_eq!(stats["coding"], "distance");
    // The longest mate takes 16 moves of white, 31 plies.
    let longest = stats["slices"].as_array().unwrap().iter().filter_map(|s| s["longest"].as_u64());
    assert_eq!(longest.max(), Some(31));
    run(&format!("verify {}", dir("krk")), 0);
    run(&format!("build kalah 3x2 --out {}", dir("kalah")), 0);
    let start = json(&format!("probe {} --json", dir("kalah")), 0);
    assert_eq!((&start["lo"], &start["hi"]), (&4.into(), &4.into()));
    holds(
        &stderr(&format!("build kalah 3x2 --distance --out {}", dir("other")), 1),
        &["games with scores have no distances"],
    );
}

#[test]
fn refusals() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("db").display().to_string();
    let error = stderr(&format!("build awari 6x4 --pieces 12 --memory 20M --out {db}"), 1);
    holds(&error, &["error:", "MiB of memory, allowed are 20 MiB"]);
    holds(&stderr(&format!("build go 2x2 --out {db}"), 1), &["no board may come back"]);
    holds(&stderr(&format!("build checkres --out {db}"), 2), &["tip: there is a game 'checkers'"]);
    holds(&stderr(&format!("build tictactoe --pieces 3 --out {db}"), 2), &["--pieces"]);
    holds(&stderr(&format!("stats {}", folder.path().display()), 1), &["no database here"]);
    holds(&stderr("verify /nowhere/at/all", 1), &["/nowhere/at/all"]);
}

#[test]
fn solvers_ask_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (whole, ends) = (path("whole"), path("ends"));
    run(&format!("build connect4 4x4 --out {whole}"), 0);
    let found = json(&format!("solve connect4 4x4 --db {whole} --values --json"), 0);
    assert_eq!((&found["winner"], &found["nodes"]), (&"draw".into(), &0.into()));
    let without = stderr(&format!("solve connect4 4x4 --db {whole} --by minimax"), 2);
    holds(&without, &["minimax asks no database"]);
    holds(&stderr(&format!("solve tictactoe --db {whole}"), 1), &["it belongs to connect4 4x4"]);

    run(&format!("build checkers 8x8 --pieces 3 --out {ends}"), 0);
    let solve = |by: &str| {
        format!("solve checkers 8x8 --db {ends} --by {by} --json --position W:WK1,K2,22:BK30,7")
    };
    for by in ["auto", "alphabeta", "dfpn"] {
        let found = json(&solve(by), 0);
        assert_eq!(
            (&found["winner"], &found["stop"]),
            (&"second".into(), &"solved".into()),
            "{by}"
        );
    }
    for file in fs::read_dir(&ends).unwrap() {
        let file = file.unwrap().path();
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
    }
    let output = run(&format!("{} --time 2s", solve("alphabeta")), 1);
    holds(&text(&output.stderr), &["the database is damaged", "nothing was taken from there"]);
}
