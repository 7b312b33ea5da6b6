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
    holds(&stderr("perft mnk 99x99x3 --depth 1", 2), &["column 5", "63 cells"]);
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
    holds(&stderr("show tictactoe --moves a1|a1", 2), &["bad move at column 5"]);
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
    for by in ["pns", "pn2", "pp"] {
        let wrong = |options: &str| stderr(&format!("solve tictactoe --by {by} {options}"), 2);
        holds(&wrong("--threads 2"), &["more than one thread", by]);
        holds(&wrong("--without knowledge"), &["left out", by]);
        holds(&wrong("--playouts 10"), &["playouts", by]);
        holds(&stderr(&format!("solve go 2x2 --by {by}"), 2), &[by, "no board may come back"]);
    }
    holds(&stderr("solve", 2), &["GAME"]);
    holds(&stderr("perft tictactoe", 2), &["--depth"]);
    holds(&stderr("slove tictactoe", 2), &["solve"]);
    holds(&stderr("play tictactoe --as third", 2), &["first", "second"]);
    holds(&stderr("", 2), &["Usage"]);
}

#[test]
fn threats_need_a_pass() {
    holds(&stderr("solve nogo 3x3 --by lambda", 2), &["lambda", "nogo 3x3", "pass"]);
    holds(&stderr("solve tictactoe --by lambda --playouts 10", 2), &["playouts", "lambda"]);
}
