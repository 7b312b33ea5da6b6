//! What a new user meets first: lists, help, errors, colours and completions.

mod common;

use common::{holds, json, run, stderr, stdout, text, zermelo};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use tempfile::TempDir;
use zermelo_cli::Catalogue;

/// Fails if a line is longer than a terminal is wide.
#[track_caller]
fn fits(text: &str, what: &str) {
    let long = text.lines().find(|line| line.chars().count() > 80);
    assert_eq!(long, None, "{what} does not fit 80 columns");
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_not_known_is_not_a_range() {
    for words in [
        "solve nogo 6x6 --nodes 10",
        "solve nogo 6x6 --nodes 10 --values",
        "solve go 4x4 --nodes 10",
    ] {
        let open = stdout(words, 3);
        holds(&open, &["Not solved: nothing is known yet.\n"]);
        assert!(!open.contains("between"), "{open}");
    }
    let open = json("solve nogo 6x6 --nodes 10 --json", 3);
    assert_eq!((&open["lo"], &open["hi"]), (&json!(-1), &json!(1)), "programs get the numbers");
    let folder = TempDir::new().unwrap();
    let store = folder.path().join("tree");
    let prove =
        zermelo("prove nogo 5x5 --time 1ms --nodes-per-job 10 --store").arg(&store).output();
    holds(&text(&prove.unwrap().stdout), &["Not solved: nothing is known yet.\n"]);
    let info = zermelo("store").arg(&store).output().unwrap();
    holds(&text(&info.stdout), &[" first: nothing is known yet\n"]);
}

#[test]
fn games_fit_a_terminal() {
    fits(&stdout("games", 0), "games");
    for row in Catalogue::standard().rows() {
        let page = stdout(&format!("games {}", row.name()), 0);
        // A position is one word, which nothing breaks.
        let breaks = |line: &&str| line.split_whitespace().count() > 2;
        let lines = page.lines().filter(|line| !line.starts_with("example ")).filter(breaks);
        fits(&lines.collect::<Vec<_>>().join("\n"), row.name());
        let words = one_line(&page);
        let parts = ["usage", "position", "repetition", "certificates", "databases", "engines"];
        holds(&page, &parts.map(|word| format!("\n{word} ")).each_ref().map(String::as_str));
        holds(&words, &[&one_line(row.summary_text()), &one_line(row.help_text())]);
        let game = Catalogue::standard().open(row.examples()[0]).unwrap();
        holds(&words, &[&one_line(&game.rules()), &game.session().position()]);
        assert_eq!(page, stdout(&format!("games {}", row.name().to_uppercase()), 0), "any case");
    }
    holds(&stderr("games tictacto", 2), &["column 1", "tip: there is a game 'tictactoe'"]);
    holds(&stderr("games nogo 0x0", 2), &["column 6", "at most 361 cells"]);
}

#[test]
fn games_tells_abilities_engines_and_results() {
    let page = |name: &str| one_line(&stdout(&format!("games {name}"), 0));
    holds(&page("nogo"), &["sizes ROWSxCOLS of at most 361 cells", "positions cannot repeat"]);
    holds(&page("nogo"), &["nogo 5x5: first, as published; 9,539,669 nodes in 15.45 s"]);
    holds(&page("nogo 2x3"), &["nogo 2x3 The players", "position .../... first (the start)"]);
    holds(
        &page("go"),
        &[
            "no board may be repeated",
            "not montecarlo, pns, pn2, pp, dfpn",
            "databases none",
            "certificates yes",
        ],
    );
    holds(&page("awari"), &["depends on the line", "certificates none", "engines cannot ask them"]);
    holds(&page("chess"), &["a repeated position is a draw", "MATERIAL is", "of endings"]);
    holds(
        &page("checkers"),
        &["checkers 6x6: draw; 217,668 nodes in 0.19 s with a database of 6 pieces"],
    );
    assert!(!page("connect4").contains("known "), "RESULTS.md has none");
    let found = json("games mnk 3x3x3 --json", 0);
    for (key, value) in [
        ("name", json!("mnk")),
        ("game", json!("tictactoe")),
        ("position", json!(".../.../... first")),
        ("after", json!(["a1", ".../.../x.. second"])),
        ("lo", json!(-1)),
        ("repetition", json!("none")),
        ("threats", json!(true)),
        ("certificates", json!(true)),
        ("databases", json!("reachable")),
        ("not_by", json!([])),
        ("known", json!([])),
    ] {
        assert_eq!(found[key], value, "{key}");
    }
    assert!(found["engines"].as_array().unwrap().contains(&json!("lambda")));
    let known = &json("games nogo --json", 0)["known"];
    assert!(known.as_array().unwrap().len() > 30);
}

/// The line of the page is typed as it stands.
#[test]
fn graphs_have_help_and_an_example_that_works() {
    holds(
        &one_line(&stdout("games graph", 0)),
        &["in quotes", "`repetition loses`", "`start NODE`"],
    );
    let error = stderr("solve graph", 2);
    holds(&error, &["graph FILE, or graph LINE; LINE; ...", "tip: `zermelo games graph`"]);
    for row in Catalogue::standard().rows() {
        let page = stdout(&format!("games {}", row.name()), 0);
        let line = page.lines().find_map(|line| line.strip_prefix("example ")).unwrap();
        let program = env!("CARGO_BIN_EXE_zermelo");
        let command =
            format!("{program} {} --nodes 10", line.trim().strip_prefix("zermelo ").unwrap());
        let shell = Command::new("sh").args(["-c", &command]).output().unwrap();
        assert!(matches!(shell.status.code(), Some(0 | 3)), "{command}: {}", text(&shell.stderr));
    }
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    for (columns, width) in [("60", 60), ("80", 80), ("300", 100)] {
        for words in
            ["--help", "solve --help", "store --help", "prove --help", "bench tables --help"]
        {
            let output = zermelo(words).env("COLUMNS", columns).output().unwrap();
            let help = text(&output.stdout);
            let long = |line: &&str| line.chars().count() > width && !line.contains("zermelo ");
            assert_eq!(help.lines().find(long), None, "{words} at {columns}");
        }
    }
    holds(
        &stdout("solve --help", 0),
        &["\n  zermelo solve atarigo 5x5 --playouts 10k      Monte-Carlo"],
    );
}

#[test]
fn explain_says_what_it_wrote() {
    let folder = TempDir::new().unwrap();
    let [proof, page] = ["a.proof", "a.html"].map(|name| folder.path().join(name));
    zermelo("solve tictactoe --proof").arg(&proof).assert().success();
    let told = zermelo("explain --out").args([&page, &proof]).output().unwrap();
    let line = text(&told.stdout).lines().last().unwrap_or_default().to_owned();
    let size = fs::metadata(&page).unwrap().len();
    assert!(
        line.starts_with("page ") && line.contains("a.html, ") && line.ends_with("KiB"),
        "{line}"
    );
    let told = zermelo("explain --json --out").args([&page, &proof]).output().unwrap();
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["page"], json!({"file": page, "bytes": size}));
    let lost = folder.path().join("no/a.html");
    let lost = zermelo("explain --json --out").args([&lost, &proof]).output().unwrap();
    assert_eq!(lost.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&lost.stdout).unwrap();
    assert!(told["claims"].is_array() && told.get("page").is_none(), "the answer all the same");
}

/// "1 position", not "1 positions".
#[test]
fn one_is_singular() {
    let folder = TempDir::new().unwrap();
    let [proof, store, db] = ["a.proof", "tree", "db"].map(|name| folder.path().join(name));
    let over = "--position xxx/oo./...|second";
    let mut all = vec![
        stdout("perft tictactoe --depth 1", 0),
        stdout("solve tictactoe --moves a1|b1|c1|a2|a3|b2|b3", 0),
        text(
            &zermelo(&format!("solve tictactoe {over} --proof"))
                .arg(&proof)
                .output()
                .unwrap()
                .stdout,
        ),
        text(&zermelo("check").arg(&proof).output().unwrap().stdout),
        text(&zermelo("explain").arg(&proof).output().unwrap().stdout),
        text(
            &zermelo(&format!("prove tictactoe {over} --store"))
                .arg(&store)
                .output()
                .unwrap()
                .stdout,
        ),
        text(&zermelo("store").arg(&store).output().unwrap().stdout),
        text(&zermelo("build mnk 1x1x1 --out").arg(&db).output().unwrap().stdout),
        text(&zermelo("verify").arg(&db).output().unwrap().stdout),
        text(&zermelo("stats").arg(&db).output().unwrap().stdout),
    ];
    all.push(text(&zermelo("store").arg(&store).arg("check").output().unwrap().stdout));
    for text in all {
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.windows(2) {
            let noun = pair[1].trim_end_matches([',', '.', ')', ';', ':']);
            let plural = noun.len() > 3
                && noun.ends_with('s')
                && noun.chars().all(|c| c.is_ascii_lowercase());
            let verb = ["wins", "draws", "loses"].contains(&noun);
            assert!(pair[0] != "1" || !plural || verb, "{} {noun} in:\n{text}", pair[0]);
        }
    }
}

#[test]
fn quiet_is_the_answer_alone() {
    assert_eq!(stdout("solve nogo 4x4 --quiet", 0), "The second player wins.\n");
    assert_eq!(
        stdout("--quiet solve nogo 6x6 --nodes 10", 3),
        "Not solved: nothing is known yet.\n"
    );
    let values = stdout("solve tictactoe --moves a1 --values --quiet", 0);
    assert_eq!(values, "= draws    b2\n- loses    b1 c1 a2 c2 a3 b3 c3\nA draw.\n");
    let folder = TempDir::new().unwrap();
    let [proof, store] = ["a.proof", "tree"].map(|name| folder.path().join(name));
    let solved = zermelo("solve tictactoe --quiet --proof").arg(&proof).output().unwrap();
    holds(&text(&solved.stdout), &["A draw.\nproof "]);
    let checked = zermelo("check --quiet").arg(&proof).output().unwrap();
    assert_eq!(text(&checked.stdout), format!("{}: proved\n", proof.display()));
    let proved = zermelo("prove tictactoe --quiet --store").arg(&store).output().unwrap();
    assert_eq!((text(&proved.stdout), text(&proved.stderr)), ("A draw.\n".into(), String::new()));
    // Errors are no remarks.
    holds(&stderr("solve shogi --quiet", 2), &["error: bad game"]);
}

#[test]
fn colours_are_chosen() {
    let colour = |words: &str, variable: Option<(&str, &str)>| {
        let mut command = zermelo(words);
        command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR").envs(variable);
        let output = command.output().unwrap();
        (text(&output.stdout) + &text(&output.stderr)).contains('\x1b')
    };
    assert!(!colour("show tictactoe", None), "a pipe");
    assert!(colour("show tictactoe --color always", None));
    assert!(colour("--color=always show tictactoe", Some(("NO_COLOR", "1"))), "asked for");
    assert!(!colour("show tictactoe --color never", Some(("CLICOLOR_FORCE", "1"))));
    assert!(!colour("show tictactoe", Some(("NO_COLOR", "1"))));
    assert!(colour("solve shogi --color always", None), "errors, too");
    assert!(colour("slove --color always", None) && !colour("slove --color never", None));
    holds(&stderr("games --color sometimes", 2), &["--color", "auto", "always", "never"]);
}

#[test]
fn errors_are_json_where_answers_are() {
    let error = |words: &str, code: i32| -> Value {
        let text = stderr(words, code);
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str(&text).unwrap()
    };
    let game = error("solve shogi 3x3 --json", 2);
    assert_eq!((&game["what"], &game["column"]), (&json!("game"), &json!(1)));
    holds(game["error"].as_str().unwrap(), &["bad game at column 1: found 's'"]);
    holds(game["expected"].as_str().unwrap(), &["a game: tictactoe"]);
    let place = |words: &str| {
        let found = error(words, 2);
        (found["what"].as_str().unwrap().to_owned(), found["column"].as_u64().unwrap())
    };
    let at = |what: &str, column| (what.to_owned(), column);
    assert_eq!(place("show nogo 0x0 --json"), at("game", 6));
    assert_eq!(place("solve tictactoe --moves a1|b2|a4 --json"), at("move", 8));
    assert_eq!(place("perft tictactoe --depth 1 --position q --json"), at("position", 1));
    assert_eq!(place("solve tictactoe --by dfpn:sum=most --json"), at("engine", 10));
    for (words, code, part) in [
        ("solve go 2x2 --by dfpn --json", 2, "cannot search go 2x2"),
        ("solve tictactoe --time soon --json", 2, "--time"),
        ("slove --json", 2, "slove"),
        ("solve --json", 2, "<GAME>"),
        ("check /no/such.proof --json", 1, "cannot read"),
        ("stats /no/such/folder --json", 1, "folder"),
    ] {
        let found = error(words, code);
        holds(found["error"].as_str().unwrap(), &[part]);
        assert!(found.get("column").is_none() && found.as_object().unwrap().len() == 1, "{found}");
    }
    // Help is no error.
    holds(&stdout("solve --json --help", 0), &["Usage"]);
}

/// In the shell itself, where there is one.
#[test]
fn bash_completes_games_and_engines() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("zermelo.bash");
    fs::write(&script, stdout("completions bash", 0)).unwrap();
    let complete = |words: &[&str]| {
        let (last, quoted) = (words.len() - 1, words.join("\" \""));
        let program = format!(
            "source {}; COMP_WORDS=(\"{quoted}\"); COMP_CWORD={last}; \
             _zermelo zermelo \"{}\" \"{}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display(),
            words[last],
            words[last - 1]
        );
        let shell = Command::new("bash").args(["--norc", "-c", &program]).output().ok()?;
        Some(text(&shell.stdout))
    };
    let Some(games) = complete(&["zermelo", "solve", "knight"]) else { return };
    assert_eq!(games, "knightthrough\n");
    assert_eq!(complete(&["zermelo", "games", "ch"]).unwrap(), "checkers chess\n");
    assert_eq!(complete(&["zermelo", "solve", "nogo", "--by", "lam"]).unwrap(), "lambda\n");
}

#[test]
fn programs_of_others_complete_their_own_name() {
    let script = run("completions fish", 0);
    holds(&text(&script.stdout), &["complete -c zermelo"]);
}
