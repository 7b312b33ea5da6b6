//! What is said to those who ask for something that is not there: where it is wrong, what would be
//! right, and exit code 2.

mod common;
use common::{holds, stderr};

#[test]
fn wrong_games() {
    holds(&stderr("solve shogi", 2), &["error: bad game at column 1", "tictactoe", "mnk"]);
    holds(&stderr("solve tiktaktoe", 2), &["tip: there is a game 'tictactoe'"]);
    holds(
        &stderr("show mnk 4x5", 2),
        &["bad game at column 5", "ROWSxCOLSxLINE", "  mnk 4x5\n      ^"],
    );
    holds(&stderr("perft mnk 99x99x3 --depth 1", 2), &["column 5", "361 cells"]);
    holds(&stderr("play tictactoe misere", 2), &["bad game at column 11"]);
}

#[test]
fn wrong_positions() {
    let error = stderr("solve tictactoe --position xo./.q./...|first", 2);
    holds(
        &error,
        &["error: bad position at column 6: found 'q'", "\n  xo./.q./... first\n       ^\n"],
    );
    holds(&stderr("solve tictactoe --position xo./.x.", 2), &["column", "found the end"]);
    holds(&stderr("show tictactoe --position ...|first", 2), &["bad position at column 4"]);
    holds(
        &stderr("play tictactoe --position xxx/oo./...|first", 2),
        &["bad position at column 13"],
    );
    holds(
        &stderr("perft tictactoe --depth 1 --position äöü", 2),
        &["bad position at column 1: found 'ä'"],
    );
}

#[test]
fn wrong_moves() {
    let error = stderr("solve tictactoe --moves a1|b2|a4", 2);
    holds(
        &error,
        &["bad move at column 8: found '4'", "a legal move (b1 c1", "  a1 b2 a4\n         ^"],
    );
    let taken = stderr("show tictactoe --moves a1|a1", 2);
    holds(&taken, &["bad move at column 4: a1 is taken; expected a legal move (b1 c1"]);
    holds(
        &stderr("show connect4 --moves 44|d|4444", 2),
        &["bad move at column 9: column 4 is full"],
    );
    let chess = "show chess --position 8/8/8/8/8/1k6/8/K1Q5|w|-|-|0|1 --moves Kb2";
    holds(&stderr(chess, 2), &["bad move at column 1: the king would be attacked on b2"]);
    holds(&stderr("solve chess", 2), &["bad game at column 6", "--position FEN"]);
    let over = "show tictactoe --position xxx/oo./...|second --moves c1";
    holds(&stderr(over, 2), &["bad move at column 1", "the game is over"]);
}

#[test]
fn wrong_options() {
    holds(
        &stderr("solve tictactoe --memory 4Q", 2),
        &["'4Q'", "--memory", "unknown unit 'Q'", "4G"],
    );
    holds(
        &stderr("solve tictactoe --time 10parsecs", 2),
        &["--time", "unknown unit 'parsecs'", "10m"],
    );
    holds(&stderr("solve tictactoe --nodes many", 2), &["--nodes", "500k"]);
    holds(&stderr("solve tictactoe --threads 0", 2), &["--threads"]);
    holds(&stderr("solve tictactoe --by magic", 2), &["minimax", "alphabeta"]);
    for (by, has) in [
        ("pns", "it has sum, leaf, without"),
        ("pn2", "it has sum, leaf, size, without"),
        ("pp", "it has without"),
        ("lambda", "it has sum, epsilon"),
        ("minimax", "it has none"),
    ] {
        let wrong = |option: &str, value: &str| {
            let error = stderr(&format!("solve tictactoe --by {by} --{option} {value}"), 2);
            holds(&error, &[&format!("{by} has no option '{option}': {has}")]);
        };
        wrong("threads", "2");
        wrong("seed", "3");
        wrong("playouts", "10");
        wrong("table-entries", "1k");
        wrong("deepening", "");
        if !has.contains("without") {
            wrong("without", "knowledge");
        }
        if by != "minimax" {
            let error = stderr(&format!("solve go 2x2 --by {by}"), 2);
            let why = if by == "lambda" { "what a pass would be" } else { "must not be repeated" };
            holds(&error, &[by, "cannot search go 2x2", why]);
        }
    }
    let go = stderr("solve go 2x2 --threads 2", 2);
    holds(&go, &["cannot search go 2x2", "threads=2", "alphabeta with one thread"]);
    holds(
        &stderr("solve tictactoe --table-entries 0", 2),
        &["table-entries of alphabeta is none, or a whole number from 1", "not '0'"],
    );
    holds(&stderr("solve", 2), &["GAME"]);
    holds(&stderr("perft tictactoe", 2), &["--depth"]);
    holds(&stderr("slove tictactoe", 2), &["solve"]);
    holds(&stderr("play tictactoe --as third", 2), &["first", "second"]);
    holds(&stderr("", 2), &["Usage"]);
}

/// An engine that is written wrong is shown with what would be right, wherever it stands.
#[test]
fn wrong_engines() {
    for (text, parts) in [
        ("", &["column 1", "an engine: auto, minimax"][..]),
        ("dfpn:", &["column 6", "NAME=VALUE"]),
        ("dfpn:sum=most", &["column 10", "expected a value of sum: sum, weak, topN"]),
        ("dfpn:deepening=yes", &["column 6", "expected an option of dfpn (threads, seed"]),
        ("alphabeta:threads=0", &["column 19", "expected a value of threads: 1 to 1024"]),
        ("alphabeta:without=luck", &["column 19", "nothing, or knowledge, symmetry, order"]),
    ] {
        for command in
            ["solve tictactoe", "play tictactoe", "prove tictactoe --store x", "work --farm x"]
        {
            let error = stderr(&format!("{command} --by={text}"), 2);
            holds(&error, &["--by <ENGINE>"]);
            holds(&error, parts);
        }
    }
    let error = stderr("bench tables --by ab-tt,dfpn:sum=weak,epsilon=9/8,magic", 2);
    holds(&error, &["--by <ENGINES>", "column 33", "an engine: auto"]);
    let error = stderr("bench tables --by ab-tt,dfpn:sum=weak,epsilon=x", 2);
    holds(&error, &["column 29", "a value of epsilon: a number"]);
}

#[test]
fn threats_need_a_pass() {
    holds(&stderr("solve nogo 3x3 --by lambda", 2), &["lambda cannot search nogo 3x3", "pass"]);
    holds(&stderr("solve tictactoe --by lambda --playouts 10", 2), &["playouts", "lambda"]);
}
