//! Databases by the command: built, gone on with, verified, told, probed, refused.

mod common;
use common::{holds, json, run, stderr, stdout, text, zermelo};
use std::fs;
use std::path::Path;

#[test]
fn checkers_from_end_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("db");
    let db = dir.to_str().unwrap();
    let guess = json(&format!("build checkers 8x8 --pieces 3 --out {db} --estimate --json"), 0);
    assert_eq!((&guess["basis"], &guess["positions"]), (&"trial".into(), &199_520.into()));
    assert_eq!((&guess["files"], &guess["kept"]), (&16.into(), &0.into()));
    assert!(guess["memory"].as_u64() > Some(0) && guess["seconds"].as_f64() > Some(0.0));
    assert!(!dir.exists(), "an estimate writes nothing");
    let first = json(&format!("build checkers --pieces 2 --plain --out {db} --json"), 0);
    assert_eq!(first["files"], 4);
    let built = json(&format!("build checkers 8x8 --pieces 3 --out {db} --threads 2 --json"), 0);
    assert_eq!((&built["files"], &built["kept"]), (&12.into(), &4.into()));
    assert_eq!((&built["distance"], &guess["distance"]), (&false.into(), &false.into()));

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

    // Without distances, wins are counted to conversion.
    let table = stdout(&format!("stats {db}"), 0);
    holds(&table, &["losses   longest win to conversion", "all files are listed"]);
    assert_eq!((&stats["longest_to"], &stats["manifest"]), (&"conversion".into(), &true.into()));

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
    assert_eq!((longest.max(), &stats["longest_to"]), (Some(31), &"end".into()));
    holds(&stdout(&format!("stats {}", dir("krk")), 0), &["longest win to end"]);
    run(&format!("verify {}", dir("krk")), 0);
    run(&format!("build kalah 3x2 --out {}", dir("kalah")), 0);
    let start = json(&format!("probe {} --json", dir("kalah")), 0);
    assert_eq!((&start["lo"], &start["hi"]), (&4.into(), &4.into()));
    let scores = json(&format!("stats {} --json", dir("kalah")), 0);
    assert_eq!((&scores["coding"], &scores["longest_to"]), (&"score".into(), &().into()));
    assert!(!stdout(&format!("stats {}", dir("kalah")), 0).contains("longest"));
    holds(
        &stderr(&format!("build kalah 3x2 --distance --out {}", dir("other")), 1),
        &["games with scores have no distances"],
    );
}

#[test]
fn missing_files_and_unlisted_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (db, manifest) = (path("db"), path("db/manifest.jsonl"));
    run(&format!("build morris 3 --out {db}"), 0);
    let sound = json(&format!("verify {db} --json"), 0);
    assert_eq!((&sound["manifest"], &sound["unlisted"]), (&true.into(), &0.into()));
    holds(&stdout(&format!("verify {db}"), 0), &["all files are listed, and none is missing"]);
    // The slice of the start: no other file was built from it.
    let start = path("db/0-0-hand-3-3.slice");
    let bytes = fs::read(&start).unwrap();
    fs::remove_file(&start).unwrap();
    let refused = json(&format!("verify {db} --json"), 4);
    assert_eq!((&refused["verified"], &refused["manifest"]), (&false.into(), &().into()));
    let why = ["0-0-hand-3-3.slice: manifest.jsonl lists it, and it is not there"];
    holds(refused["refusal"].as_str().unwrap(), &why);
    for command in ["stats DB", "probe DB", "solve morris 3 --db DB"] {
        holds(&stderr(&command.replace("DB", &db), 1), &why);
    }
    fs::write(&start, bytes).unwrap();
    // Without a manifest nobody can say.
    let listed = fs::read(&manifest).unwrap();
    fs::remove_file(&manifest).unwrap();
    let words = ["not listed: it has no manifest"];
    holds(&stdout(&format!("verify {db}"), 0), &words);
    holds(&stdout(&format!("stats {db}"), 0), &words);
    for command in ["verify", "stats"] {
        let found = json(&format!("{command} {db} --json"), 0);
        assert_eq!((&found["manifest"], &found["unlisted"]), (&false.into(), &7.into()));
    }
    let built = json(&format!("build morris 3 --out {db} --json"), 0);
    assert_eq!((&built["files"], &built["kept"]), (&0.into(), &7.into()));
    assert_eq!(fs::read(&manifest).unwrap(), listed);
    // Files of a build that was not finished.
    let more = path("more");
    run(&format!("build checkers 4x4 --pieces 2 --out {db}/small"), 0);
    run(&format!("build checkers 4x4 --pieces 3 --out {more}"), 0);
    for name in ["m0k1-m0k2", "m0k2-m0k1"] {
        fs::copy(format!("{more}/{name}.slice"), format!("{db}/small/{name}.slice")).unwrap();
    }
    let found = json(&format!("verify {db}/small --json"), 0);
    assert_eq!((&found["files"], &found["unlisted"]), (&6.into(), &2.into()));
    let words =
        stdout(&format!("verify {db}/small"), 0).split_whitespace().collect::<Vec<_>>().join(" ");
    holds(&words, &["4 files listed, none missing; 2 not listed"]);
    fs::write(&manifest, "{}\n").unwrap();
    holds(&stdout(&format!("verify {db}"), 4), &["manifest.jsonl"]);
}

#[test]
fn refusals() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("db").display().to_string();
    let error = stderr(&format!("build awari 6x4 --pieces 12 --memory 20M --out {db}"), 1);
    holds(&error, &["error:", "MiB of memory, allowed are 20 MiB"]);
    holds(&stderr(&format!("build go 2x2 --out {db}"), 1), &["boards must not be repeated"]);
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
    let slice = |path: &Path| path.extension().is_some_and(|extension| extension == "slice");
    let files = fs::read_dir(&ends).unwrap().map(|file| file.unwrap().path());
    for file in files.filter(|path| slice(path)) {
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, bytes).unwrap();
    }
    let output = run(&format!("{} --time 2s", solve("alphabeta")), 1);
    holds(&text(&output.stderr), &["the database is damaged", "nothing was taken from there"]);
}

#[test]
fn distances_are_kept_where_they_are_cheap() {
    let folder = tempfile::tempdir().unwrap();
    let dir = |name: &str| folder.path().join(name).display().to_string();
    for (game, name, kept) in [
        ("tictactoe", "t", true),
        ("connect4 4x4", "c", true),
        ("morris 3", "m", true),
        ("checkers 4x4 --pieces 4", "k", true),
        ("awari 3x2", "a", false),
        ("chess KRK", "r", false),
    ] {
        let out = dir(name);
        let built = json(&format!("build {game} --out {out} --json"), 0);
        assert_eq!(built["distance"], kept, "{game}");
        let end = json(&format!("stats {out} --json"), 0)["longest_to"] == "end";
        assert_eq!(end, kept, "{game}");
        run(&format!("verify {out}"), 0);
    }
    // The file of a folder decides, whatever is asked for by default.
    let plain = dir("plain");
    holds(
        &stdout(&format!("build tictactoe --plain --out {plain}"), 0),
        &["distances", "left out"],
    );
    holds(
        &stdout(&format!("build tictactoe --out {plain}"), 0),
        &["as in the files that were there"],
    );
    holds(&stderr(&format!("build tictactoe --distance --out {plain}"), 1), &["another kind"]);
    holds(&stderr(&format!("build tictactoe --distance --plain --out {plain}"), 2), &["--plain"]);
    // Who asks gets them, and is told where they were left out.
    let words = stdout(&format!("build chess KRK --out {}", dir("r")), 0);
    holds(&words, &["left out, as in the files that were there"]);
    let words = stdout(&format!("build chess KQK --out {}", dir("q")), 0);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    holds(&words, &["left out, as they would take about 5 times", "--distance keeps them"]);
    holds(
        &stdout(&format!("build awari 3x2 --out {}", dir("a")), 0),
        &["games with scores have no"],
    );
    let mate = json(&format!("probe {} --json", dir("t")), 0);
    assert_eq!((&mate["winner"], &mate["distance"]), (&"draw".into(), &().into()));
    let win = json(&format!("probe {} xx./oo./...|first --json", dir("t")), 0);
    assert_eq!((&win["winner"], &win["distance"]), (&"first".into(), &1.into()));
}

#[test]
fn every_build_can_be_estimated() {
    let none = "--estimate";
    // All of it on trial.
    let exact = json(&format!("build tictactoe {none} --json"), 0);
    assert_eq!((&exact["positions"], &exact["kept"]), (&5_478.into(), &765.into()));
    assert_eq!((&exact["basis"], &exact["disk_within"]), (&"trial".into(), &1.0.into()));
    assert!(exact["disk_plain"].as_u64() < exact["disk_distance"].as_u64());
    assert_eq!(exact["disk"], exact["disk_distance"]);
    // By lines of play, a bound.
    let sample = json(&format!("build nogo 4x4 {none} --json"), 0);
    assert_eq!((&sample["basis"], &sample["disk_within"]), (&"sample".into(), &().into()));
    assert!(sample["positions"].as_u64() > sample["kept"].as_u64(), "{sample}");
    holds(&stdout(&format!("build nogo 4x4 {none}"), 0), &["Knuth's method", "without distances"]);
    // Where positions can repeat.
    let bound = json(&format!("build loa 5x5 {none} --json"), 0);
    assert_eq!((&bound["basis"], &bound["disk_within"]), (&"most keys".into(), &().into()));
    holds(&stdout(&format!("build loa 5x5 {none}"), 0), &["at most", "a bound"]);
    // By slices, also of scores.
    let scores = json(&format!("build awari 6x2 --pieces 5 {none} --json"), 0);
    assert_eq!((&scores["disk_distance"], &scores["distance"]), (&().into(), &false.into()));
    let large = json(&format!("build checkers 8x8 --pieces 6 {none} --json"), 0);
    assert_eq!((&large["basis"], &large["files"]), (&"partial trial".into(), &155.into()));
    // What cannot be built is not estimated either.
    holds(&stderr(&format!("build go 2x2 {none}"), 1), &["boards must not be repeated"]);
}

#[test]
fn a_position_outside_is_reported_once_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let dir = |name: &str| folder.path().join(name).display().to_string();
    let (db, whole) = (dir("db"), dir("whole"));
    run(&format!("build checkers 8x8 --pieces 3 --out {db}"), 0);
    run(&format!("build connect4 3x4 --out {whole}"), 0);
    let said = stdout(&format!("probe {db} B:WK14,K32:BK1,K2"), 3);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "it has 4 pieces, and the database has positions of 3 at most";
    holds(&said, &["the position is not in the database", why]);
    assert_eq!(
        (said.matches("not in").count(), said.matches("Not solved").count()),
        (1, 0),
        "{said}"
    );
    let found = json(&format!("probe {db} B:WK14,K32:BK1,K2 --json"), 3);
    assert_eq!(found["outside"], why);
    // A capture leads into the database.
    let said = stdout(&format!("probe {db} B:WK14,K32:BK9,K2"), 3);
    holds(&said, &["not in the database", "9x18"]);
    assert_eq!(
        json(&format!("probe {db} B:WK14:BK1,K2 --json"), 0)["outside"],
        serde_json::Value::Null
    );
    // A slice that is missing from a folder without a manifest.
    fs::remove_file(format!("{db}/manifest.jsonl")).unwrap();
    fs::remove_file(format!("{db}/m0k2-m0k1.slice")).unwrap();
    let said = json(&format!("probe {db} B:WK14:BK1,K2 --json"), 3);
    holds(said["outside"].as_str().unwrap(), &["the slice m0k2-m0k1, which is not there"]);
    // Stones that hang in the air.
    let said = json(&format!("probe {whole} x.x./o.o./x.o.|first --json"), 3);
    holds(said["outside"].as_str().unwrap(), &["cannot be reached from the start"]);
}
