//! How soon a win comes, and players who use it, as people see them.

mod common;
use common::{holds, json, run, stderr, stdout, text, zermelo};

const KRK: &str = "solve chess KRK --position 8/8/8/8/4k3/8/8/K6R|w|-|-|0|1";

#[test]
fn a_distance_is_told() {
    let said = stdout(&format!("{KRK} --distance"), 0);
    // The longest win of rook and king is mate in 16, and this is one of the longer ones.
    holds(&said, &["The first player wins in 29 plies."]);
    assert!(!said.contains("line end"), "the line goes on to mate:\n{said}");
    let said = json(&format!("{KRK} --distance --json"), 0);
    assert_eq!((&said["distance"], &said["distance_bounds"]), (&29.into(), &[29, 29][..].into()));
    assert_eq!(said["line"].as_array().unwrap().len(), 29);
    assert_eq!((&said["line_end"], &said["best_proved"]), (&"game over".into(), &true.into()));
    // Without it nothing is said of distances; a draw has none.
    let said = json("solve tictactoe --json", 0);
    assert!(said.get("distance").is_none());
    let said = json("solve tictactoe --distance --json", 0);
    assert!(said["distance"].is_null() && said.get("distance").is_some());
}

#[test]
fn each_move_has_a_distance() {
    let moves = "solve tictactoe --moves|a1|b1";
    let said = stdout("solve tictactoe --moves a1|b1 --values --distance", 0);
    holds(&said, &["The first player wins in 5 plies.", "wins     ", "(in 5 plies)"]);
    let said = json("solve tictactoe --moves a1|b1 --values --distance --json", 0);
    let values = said["values"].as_array().unwrap();
    for value in values {
        assert_eq!(
            value.get("distance").is_some(),
            value["lo"] != 0 || value["hi"] != 0,
            "{moves}"
        );
    }
    let best = values.iter().filter(|v| v["lo"] == 1).map(|v| v["distance"].as_u64().unwrap());
    assert_eq!(best.min(), Some(5));
}

#[test]
fn a_stopped_search_tells_bounds() {
    let said = run(&format!("{KRK} --distance --nodes 140k --json"), 3);
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&said["lo"], &said["distance"]), (&1.into(), &serde_json::Value::Null));
    assert!(said["distance_bounds"][0].as_u64() <= Some(29), "{said}");
    assert_ne!(said["stop"], "solved");
}

#[test]
fn games_of_points_have_no_distance() {
    let said = stderr("solve kalah 2x2 --distance", 2);
    holds(&said, &["kalah 2x2 has no distances", "played for points", "--distance"]);
}

/// What an unsolved search would play is no best move.
#[test]
fn the_first_try_is_called_so() {
    let said = stdout("solve connect4 --nodes 2000", 3);
    holds(&said, &["first try"]);
    assert!(!said.contains("best move"), "{said}");
    assert_eq!(json("solve connect4 --nodes 2000 --json", 3)["best_proved"], false);
}

#[test]
fn a_certificate_has_the_distance() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mate.proof");
    let file = file.to_str().unwrap();
    let mate = "solve chess KRK --position 7k/8/5K2/8/8/8/8/R7|w|-|-|0|1";
    run(&format!("{mate} --distance --proof {file}"), 0);
    let said = stdout(&format!("check {file}"), 0);
    holds(&said, &["within 3 plies"]);
}

/// Plays to the end, every move of the person being what `hint` says or the first that is legal.
fn game(words: &str, input: &str) -> String {
    let output = zermelo(words).write_stdin(input).output().unwrap();
    assert!(output.status.success(), "{words}\n{}", text(&output.stderr));
    text(&output.stdout)
}

/// The side that has won wins in the time that it says, whatever is played against it.
#[test]
fn recorded_games_end_as_the_rules_say() {
    let win = "I win in";
    for (start, moves) in [
        // The king goes to and fro as long as it can.
        ("play chess KRK --as second --position 7k/8/5K2/8/8/8/8/R7|w|-|-|0|1", &["h8h7"][..]),
        ("play chess KQK --as second --position 7k/8/5K2/8/8/8/8/Q7|w|-|-|0|1", &["h8g8", "h8h7"]),
        ("play checkers --as first --position W:WK1,K2:BK30", &[]),
    ] {
        let mut input: Vec<String> = moves.iter().map(|mv| (*mv).to_owned()).collect();
        // Then whatever is legal: `moves` lists it, and the next line of input is the first of the list.
        for _ in 0..60 {
            let said = game(start, &(input.join("\n") + "\nmoves\n"));
            assert!(said.contains(win), "{start}\n{said}");
            if said.contains("You have lost.") {
                break;
            }
            assert!(!said.contains("repeat"), "{start}\n{said}");
            let list = said.rsplit("your move> moves").next().unwrap();
            let words: Vec<&str> = list.split_whitespace().collect();
            let at = words.iter().position(|word| *word == "moves").expect("a list of moves");
            input.push(words[at + 1].to_owned());
        }
        let said = game(start, &(input.join("\n") + "\n"));
        holds(&said, &["You have lost."]);
        assert!(!said.contains("draw"), "{said}");
    }
}

/// A repetition ends the game by the game's own rule.
#[test]
fn a_repetition_ends_the_game() {
    let start = "play graph|repetition|0;|a|first:|b;|b|second:|a|c;|c|first:|b|d;|d|second|=|1";
    let said = game(&format!("{start} --as second"), "a\n");
    holds(&said, &["A draw by repetition."]);
}
