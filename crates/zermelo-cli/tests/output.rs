//! What the commands print.

mod common;
use common::{holds, json, run, stderr, stdout, text, zermelo};
use serde_json::{Value, json};
use zermelo_cli::Catalogue;
use zermelo_erased::{EngineConfig, EngineId};

#[test]
fn games_lists_every_game() {
    let list = stdout("games", 0).split_whitespace().collect::<Vec<_>>().join(" ");
    let catalogue = Catalogue::standard();
    for row in catalogue.rows() {
        holds(&list, &[row.usage_text(), row.summary_text()]);
    }
    let list = json("games --json", 0);
    assert_eq!(list.as_array().unwrap().len(), catalogue.rows().len());
    assert_eq!(list[0]["name"], catalogue.rows()[0].name());
}

#[test]
fn every_example_of_the_catalogue_is_shown() {
    for row in Catalogue::standard().rows() {
        for example in row.examples() {
            holds(&stdout(&format!("show {example}"), 0), &["position", "turn", "moves"]);
        }
    }
}

#[test]
fn show_tells_rules_position_turn_and_moves() {
    let shown = stdout("show tictactoe --moves b2|a1", 0);
    holds(
        &shown,
        &[
            "3 or more in a row",
            "2  .  x  .\n1  o  .  .\n   a  b  c\n",
            "position   .../.x./o.. first\n",
            "turn       first player to move\n",
            "moves      b1 c1 a2 c2 a3 b3 c3 (7)\n",
        ],
    );
    let over = stdout("show tictactoe --position xxx/oo./...|second", 0);
    holds(&over, &["the game is over: the first player wins"]);
    assert!(!over.contains("moves "));
    let shown = json("show tictactoe --moves b2,a1 --json", 0);
    assert_eq!(shown["position"], ".../.x./o.. first");
    assert_eq!(shown["moves"].as_array().unwrap().len(), 7);
}

#[test]
fn solve_tells_who_wins_and_how() {
    holds(
        &stdout("solve tictactoe", 0),
        &[
            "A draw.",
            "best move",
            "line ",
            "solution   weak",
            "nodes ",
            "/s)",
            "CPU ",
            "table ",
            "stop       solved\n",
        ],
    );
    holds(&stdout("solve mnk 4x4x3", 0), &["The first player wins."]);
    holds(&stdout("solve tictactoe --moves a1|b1", 0), &["The first player wins."]);
    holds(&stdout("solve tictactoe --moves a1|b1|c1|a2|a3|b2|b3", 0), &["The second player wins."]);
    let over = stdout("solve tictactoe --position xxx/oo./...|second", 0);
    holds(&over, &["The first player wins.", "none: the game is over"]);
}

#[test]
fn solve_by_minimax_agrees() {
    for game in ["tictactoe", "mnk 2x4x3", "mnk 3x3x2", "go 1x3", "go 1x3 --moves a1|b1"] {
        let (a, b) = (
            json(&format!("solve {game} --json"), 0),
            json(&format!("solve {game} --by minimax --json"), 0),
        );
        assert_eq!((&a["winner"], &a["lo"], &a["hi"]), (&b["winner"], &b["lo"], &b["hi"]));
        assert_eq!((&a["solver"], &b["solver"]), (&json!("auto"), &json!("minimax")));
    }
}

/// The moves that led to a position can forbid what would save it.
#[test]
fn solve_says_when_the_value_rests_on_the_history() {
    let alone = stdout("solve go 1x4 --position xx.o|second", 0);
    holds(&alone, &["The first player wins by 4."]);
    assert!(!alone.contains("history"));
    let after = stdout("solve go 1x4 --moves b1|d1|a1", 0);
    holds(&after, &["The second player wins by 4.", "history    the value may rest on"]);
    assert_eq!(json("solve go 1x4 --moves b1|d1|a1 --json", 0)["rests_on_history"], true);
    // Taking both stones back would leave the board of the first move.
    holds(&stdout("show go 1x4 --moves b1|d1|a1|c1", 0), &["moves      a1 pass (2)\n"]);
    let error = stderr("show go 1x4 --moves b1|d1|a1|c1|b1", 2);
    holds(&error, &["column 13", "a move that repeats no board (a1 pass)"]);
}

#[test]
fn every_named_solver_agrees() {
    for by in ["montecarlo", "ab-tt", "id-ab-tt", "ab-tt-mc", "id-ab-tt-mc"] {
        let playouts = if by.ends_with("-mc") { "--playouts 100" } else { "" };
        let words = format!("solve mnk 3x4x3 --moves a1|b2 --by {by} {playouts} --json");
        let found = json(&words, 0);
        assert_eq!(found["winner"], json("solve mnk 3x4x3 --moves a1|b2 --json", 0)["winner"]);
        assert_eq!(found["solver"], by);
        assert_eq!(found["playouts"].is_u64(), by.ends_with("mc") || by == "montecarlo", "{by}");
        assert_eq!(found["without"].is_array(), by.contains("tt"), "{by}");
    }
}

#[test]
fn engines_lists_every_engine() {
    let list = stdout("engines", 0);
    let words = list.split_whitespace().collect::<Vec<_>>().join(" ");
    for id in EngineId::ALL {
        assert!(list.lines().any(|line| line.starts_with(&format!("{} ", id.word()))), "{list}");
        holds(&words, &[id.summary()]);
    }
    holds(&words, &["needs: threats, own values, no superko", "zermelo engines dfpn"]);
    let list = json("engines --json", 0);
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    let all: Vec<&str> = EngineId::ALL.iter().map(|id| id.word()).collect();
    assert_eq!(names, all);
    let of = |name: &str| &list[names.iter().position(|&n| n == name).unwrap()];
    assert_eq!(of("auto")["needs"], json!([]));
    assert_eq!(of("alphabeta")["needs"], json!(["own values"]));
    assert_eq!(of("lambda")["needs"], json!(["threats", "own values", "no superko"]));
    assert_eq!((&of("minimax")["options"], &of("pp")["engine"]), (&json!([]), &json!("pp")));
}

#[test]
fn engines_tells_the_options_of_one() {
    let page = stdout("engines dfpn", 0);
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let engine = EngineConfig::new(EngineId::Dfpn);
    holds(&words, &[EngineId::Dfpn.summary(), "no superko: boards may be repeated"]);
    for option in engine.options() {
        assert!(page.lines().any(|line| line.starts_with(&format!("{} ", option.name))), "{page}");
        let value =
            format!("{} default {}; values: {}", option.help, option.default, option.values);
        holds(&words, &[&value]);
    }
    holds(&stdout("engines minimax", 0), &["needs      nothing", "options    none"]);
    // What is set is told beside what the engine has by itself.
    let page = stdout("engines dfpn:sum=weak,threads=2", 0);
    holds(&page, &["dfpn:threads=2,sum=weak\n", "here weak, default sum;", "here 2, default 1;"]);
    let found = json("engines alphabeta:threads=2 --json", 0);
    assert_eq!(
        (&found["name"], &found["engine"]),
        (&json!("alphabeta"), &json!("alphabeta:threads=2"))
    );
    assert_eq!(found["needs"], json!(["own values", "no superko"]));
    let threads = &found["options"][0];
    assert_eq!(
        (&threads["name"], &threads["value"], &threads["default"], &threads["values"]),
        (&json!("threads"), &json!("2"), &json!("1"), &json!("1 to 1024"))
    );
    assert!(threads["help"].as_str().unwrap().contains("threads"));
    holds(&stderr("engines magic", 2), &["column 1", "an engine: auto, minimax"]);
    holds(&stderr("engines pp:sum=weak", 2), &["expected an option of pp (without)"]);
}

#[test]
fn engines_take_options_where_they_are_named() {
    let solve = |words: &str| json(&format!("solve {words} --json"), 0);
    let plain = solve("clobber 3x4 --by dfpn");
    let other = solve("clobber 3x4 --by dfpn:leaf=one");
    assert_eq!(plain["winner"], other["winner"]);
    assert_ne!(plain["nodes"], other["nodes"], "another search");
    assert_eq!((&other["solver"], &other["engine"]), (&json!("dfpn"), &json!("dfpn:leaf=one")));
    assert_eq!(plain["engine"], "dfpn");
    // What is a default is not told.
    assert_eq!(solve("tictactoe --by dfpn:leaf=own,threads=1")["engine"], "dfpn");
    // Options of the command set those of the engine, and count more.
    let text = solve("nogo 3x4 --by alphabeta:without=symmetry+order,seed=3");
    let words = solve("nogo 3x4 --by alphabeta:without=symmetry,seed=5 --without order --seed 3");
    for key in ["nodes", "engine", "without", "seed"] {
        assert_eq!(text[key], words[key], "{key}");
    }
    assert_eq!(text["engine"], "alphabeta:seed=3,without=symmetry+order");
    let threads = solve("nogo 3x4 --by dfpn:playouts=50 --threads 2");
    assert_eq!((&threads["threads"], &threads["seed"]), (&json!(2), &json!(0)));
    assert_eq!(threads["engine"], "dfpn:threads=2,playouts=50");
    assert_eq!(solve("nogo 3x3 --deepening")["engine"], "alphabeta:deepening=yes");
    assert_eq!(solve("nogo 3x3 --by pns")["seed"], 0);
    let told = stdout("solve nogo 3x3 --by pns:sum=weak --without order", 0);
    holds(&told, &["search     pns, 1 thread, seed 0, sum=weak, without order\n"]);
}

#[test]
fn threats_are_proofs_or_nothing() {
    let won = json("solve mnk 4x4x3 --by lambda --json", 0);
    assert_eq!((&won["winner"], &won["solver"]), (&"first".into(), &"lambda".into()));
    assert_eq!(won["stop"], "solved");
    let none = stdout("solve tictactoe --by lambda", 3);
    holds(&none, &["lambda", "exhausted: not solved"]);
}

#[test]
fn playouts_are_told_apart_from_nodes() {
    let words = "solve atarigo 4x4 --playouts 500 --seed 5 --json";
    let (a, b) = (json(words, 0), json(words, 0));
    assert_eq!((&a["nodes"], &a["playouts"]), (&b["nodes"], &b["playouts"]), "seeded");
    assert!(a["playouts"].as_u64().unwrap() <= 500);
    assert!(a["playout_seconds"].as_f64().unwrap() <= a["seconds"].as_f64().unwrap());
    assert!(json("solve atarigo 4x4 --json", 0).get("playouts").is_none());
    holds(&stdout("solve atarigo 4x4 --playouts 50", 0), &["playouts   50 in "]);
}

#[test]
fn parts_of_a_game_can_be_left_out() {
    let whole = json("solve nogo 3x4 --json", 0);
    let mut nodes = whole["nodes"].as_u64().unwrap();
    for without in ["symmetry", "symmetry,knowledge", "symmetry,knowledge,order"] {
        let part = json(&format!("solve nogo 3x4 --without {without} --json"), 0);
        assert_eq!(part["winner"], whole["winner"], "without {without}");
        assert_eq!(part["without"].as_array().unwrap().len(), without.split(',').count());
        assert!(part["nodes"].as_u64().unwrap() > nodes, "without {without}");
        nodes = part["nodes"].as_u64().unwrap();
    }
    holds(&stdout("solve nogo 3x3 --without order", 0), &["seed 0, without order\n"]);
    holds(&stderr("solve nogo 3x3 --without luck", 2), &["luck", "knowledge, symmetry, order"]);
    let small = json("solve nogo 3x4 --without symmetry,knowledge --table-entries 256 --json", 0);
    assert_eq!(small["winner"], whole["winner"]);
    assert!(small["table_bytes"].as_u64().unwrap() <= 256 * 8);
}

#[test]
fn the_json_of_solve_has_its_keys() {
    let solved = json("solve tictactoe --moves b2 --json --seed 7", 0);
    let mut keys: Vec<&str> = solved.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "best_move",
            "best_proved",
            "cpu_seconds",
            "engine",
            "evaluations",
            "game",
            "hi",
            "level",
            "line",
            "line_end",
            "lo",
            "nodes",
            "position",
            "rests_on_history",
            "seconds",
            "seed",
            "solved_by",
            "solver",
            "stop",
            "table_bytes",
            "threads",
            "winner"
        ]
    );
    let expected = json!({
        "game": "tictactoe", "position": ".../.x./... second", "winner": "draw", "lo": 0, "hi": 0,
        "solver": "auto", "engine": "auto:seed=7", "solved_by": "alphabeta", "level": "weak", "threads": 1, "seed": 7,
        "stop": "solved"
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&solved[key], value, "{key}");
    }
    assert!(solved["nodes"].as_u64().unwrap() > 0);
    assert!(solved["seconds"].as_f64().unwrap() > 0.0 && solved["cpu_seconds"].is_f64());
    assert_eq!(solved["line"][0], solved["best_move"]);
    assert_eq!(solved["line"].as_array().unwrap().len(), 8, "a drawn line goes to the end");
}

#[test]
fn values_stand_on_the_picture_and_in_a_list() {
    holds(
        &stdout("solve tictactoe --moves a1 --values", 0),
        &[
            "3  -  -  -\n2  -  =  -\n1  x  -  -\n",
            "= draws    b2\n",
            "- loses    b1 c1 a2 c2 a3 b3 c3\n",
        ],
    );
    let solved = json("solve tictactoe --moves a1 --values --json", 0);
    let values = solved["values"].as_array().unwrap();
    assert_eq!(values.len(), 8);
    let of = |mv: &str| values.iter().find(|v| v["move"] == mv).unwrap();
    assert_eq!(of("b2"), &json!({"move": "b2", "lo": 0, "hi": 0}));
    assert_eq!(of("b1"), &json!({"move": "b1", "lo": 1, "hi": 1}));
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let nodes = |words: &str| json(words, 0)["nodes"].clone();
    let words = "solve mnk 4x4x4 --position x.../.o../..../....|first --seed 3 --json --memory 16M";
    assert_eq!(nodes(words), nodes(words));
}

#[test]
fn perft_counts_lines() {
    holds(
        &stdout("perft tictactoe --depth 12", 0),
        &["127,872", "200,448", "games finished in 10 plies or less: 255,168\n", "nodes/s"],
    );
    let counts = json("perft tictactoe --depth 3 --divide --json", 0);
    let lines: Vec<&Value> =
        counts["plies"].as_array().unwrap().iter().map(|p| &p["lines"]).collect();
    assert_eq!(lines, [&json!(1), &json!(9), &json!(72), &json!(504)]);
    assert_eq!(counts["divide"][0], json!({"move": "a1", "lines": 56}));
    assert_eq!(counts["stop"], "done");
    holds(&stdout("perft tictactoe --depth 2 --divide", 0), &["c3         8\n"]);
}

#[test]
fn pictures_go_to_files_and_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.svg");
    zermelo("solve tictactoe --moves a1 --values --svg").arg(&file).assert().success();
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("font-weight").count(), 8, "one mark for every move");
    let svg = stdout("show tictactoe --svg -", 0);
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    // The answer is printed even if the file cannot be written.
    let failed =
        zermelo("solve tictactoe --svg").arg(folder.path().join("no/such.svg")).output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    holds(&text(&failed.stdout), &["A draw."]);
    holds(&text(&failed.stderr), &["error: cannot write", "such.svg"]);
}

#[test]
fn pipes_get_no_colours_and_no_progress() {
    for words in
        ["games", "show tictactoe", "solve mnk 3x4x3 --values", "perft tictactoe --depth 6"]
    {
        let output = run(words, 0);
        assert_eq!(text(&output.stderr), "");
        assert!(!text(&output.stdout).contains('\x1b'), "{words}");
    }
    assert!(!stderr("solve chess", 2).contains('\x1b'));
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        holds(&stdout(&format!("completions {shell}"), 0), &["zermelo", "perft", "deepening"]);
    }
    holds(&stdout("completions bash", 0), &["id-ab-tt-mc"]);
    holds(&stdout("man", 0), &[".TH zermelo", "Exit codes", "solve"]);
    let folder = tempfile::tempdir().unwrap();
    zermelo("man --out").arg(folder.path()).assert().success();
    let page = std::fs::read_to_string(folder.path().join("zermelo-solve.1")).unwrap();
    holds(&page, &["Exit codes", "cpu_seconds", "memory"]);
}

#[test]
fn help_has_examples_and_exit_codes() {
    holds(&stdout("--help", 0), &["Examples:", "Exit codes:", "3  stopped"]);
    holds(
        &stdout("solve --help", 0),
        &[
            "Examples:",
            "Exit codes:",
            "half of what is free",
            "[default: 1]",
            "ab-tt-mc",
            "--without",
        ],
    );
    holds(&stdout("engines --help", 0), &["Examples:", "zermelo engines dfpn", "--json"]);
    holds(&stdout("--version", 0), &["zermelo "]);
}
