//! Whole games through a pipe.

mod common;
use common::{holds, text, zermelo};

/// What is printed when these lines are typed.
fn play(words: &str, typed: &str) -> String {
    let output = zermelo(&format!("play {words}")).write_stdin(typed).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

#[test]
fn a_win_that_slips_is_pointed_out() {
    // x at b2 and a1, o at b1: first to move wins in many ways, but not everywhere.
    let game = play("tictactoe --moves b2|b1|a1|c3", "a3\nquit\n");
    assert!(!game.contains("slip"), "a3 threatens twice:\n{game}");
    let game = play("tictactoe --moves b2|b1|a1|c3", "c2\nquit\n");
    holds(&game, &["c2 lets the win slip: now it is a draw", "would have won.", "I play a2."]);
    let game = play("tictactoe --moves b2|b1", "b3\nquit\n");
    holds(&game, &["b3 lets the win slip"]);
    let game = play("tictactoe --as second --moves a1", "b1\nquit\n");
    holds(&game, &["b1 gives the draw away: now you are lost. b2 would have held it."]);
}

#[test]
fn the_perfect_player_wins_what_is_won() {
    let game = play("mnk 3x4x3 --as second", "a1\nb1\nc1\nd1\na2\nb2\nc2\nd2\na3\nb3\nc3\nd3\n");
    holds(&game, &["You have lost."]);
}

#[test]
fn games_end() {
    let won = play("tictactoe --position xx./oo./...|first", "c3\n");
    holds(&won, &["3  x  x  x\n", "You have won.\n"]);
    let drawn = play("tictactoe --position xox/xoo/.xo|first", "a1\n");
    holds(&drawn, &["You have won."]);
    let drawn = play("tictactoe --position xox/xoo/ox.|first", "c1\n");
    holds(&drawn, &["A draw."]);
}

#[test]
fn hints_and_values() {
    let game = play("tictactoe --moves a1 --as second", "hint\nvalues\nmoves\nquit\n");
    holds(&game, &["b2 draws.\n", "2  -  =  -\n", "= draws    b2\n", "moves      b1 c1"]);
    let game = play("tictactoe --moves a1|b1 --hints", "");
    holds(&game, &["+ wins", "your move>"]);
    let lost = play("tictactoe --moves a1|b1|b2 --as second", "hint\n");
    holds(&lost, &["Every move loses"]);
}

#[test]
fn moves_are_taken_back() {
    let game = play("tictactoe", "back\nb2\nback\nquit\n");
    holds(&game, &["There is nothing to take back.", "--position \".../.../... first\""]);
    let game = play("tictactoe --as second", "back\nquit\n");
    holds(&game, &["There is nothing to take back.", "second\""]);
}

#[test]
fn sides_are_changed() {
    let game = play("tictactoe", "flip\nquit\n");
    holds(&game, &["You are the second player now.", "I play ", "--as second"]);
}

#[test]
fn nonsense_is_answered() {
    let game = play("tictactoe", "xyzzy\nrules\nhelp\n\nB2\n");
    holds(&game, &["bad move at column 1", "3 or more in a row", "hint", "  MOVE", "2  .  x  ."]);
}

#[test]
fn the_end_of_input_is_a_polite_goodbye() {
    let game = play("tictactoe", "b2\n");
    let last = game.lines().last().unwrap();
    assert!(
        last.starts_with("Bye. To go on from here: zermelo play tictactoe --as first --position")
    );
}

#[test]
fn the_perfect_player_is_an_engine_with_options() {
    let game = play("tictactoe --by dfpn:sum=weak --moves b2|b1", "b3\nquit\n");
    holds(&game, &["b3 lets the win slip"]);
}

#[test]
fn short_of_time_it_still_plays() {
    let game = play("mnk 7x9x5 --time 50ms --memory 16M", "d4\nhint\nquit\n");
    holds(&game, &["I play ", "not sure: out of time", "Perhaps "]);
}
