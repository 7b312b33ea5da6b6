//! Recorded sessions of `zermelo play`: whole games of the perfect player against an opponent who resists, from `recorded_games/`.
//!
//! A file is what a terminal shows: `$ zermelo play ...` and all that is printed. What was typed stands behind the prompt. `DB` in
//! the first line is a database that is built with the words of a line before it. `ZERMELO_BLESS=1` records them again; the
//! games then have to be read, since other moves are answered by the same words typed.

mod common;
use common::{run, text, zermelo};
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

/// What a session is answered in, however slow the machine is.
const LIMITS: &str = "--time 10m --memory 256M";
const PROMPT: &str = "your move> ";

/// The words of a command as [`zermelo`] takes them: blanks between quotes belong to a word.
fn words(command: &str) -> String {
    let quoted = |(i, part): (usize, &str)| match i % 2 {
        1 => part.replace(' ', "|"),
        _ => part.to_owned(),
    };
    command.split('"').enumerate().map(quoted).collect()
}

/// Plays a recorded session again. Returns what is printed.
fn replay(name: &str) -> String {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recorded_games/{name}.txt"));
    let recorded = fs::read_to_string(&path).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("db");
    let commands: Vec<&str> =
        recorded.lines().filter_map(|l| l.strip_prefix("$ zermelo ")).collect();
    let (play, builds) = commands.split_last().expect("a command");
    for build in builds {
        run(&format!("{build} --quiet").replace("DB", out.to_str().unwrap()), 0);
    }
    let typed: String = recorded
        .lines()
        .filter_map(|line| line.strip_prefix(PROMPT))
        .map(|line| format!("{line}\n"))
        .collect();
    let play = format!("{} {LIMITS}", words(play)).replace("DB", out.to_str().unwrap());
    let output = zermelo(&play).write_stdin(typed).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let head: String = commands.iter().map(|command| format!("$ zermelo {command}\n")).collect();
    let now = head + &printed;
    if std::env::var_os("ZERMELO_BLESS").is_some() {
        fs::write(&path, now).unwrap();
    } else {
        assert_eq!(now, recorded, "{name}: ZERMELO_BLESS=1 records it again");
    }
    printed
}

/// The boards that are shown, which all have the same side to move.
fn boards(printed: &str) -> Vec<String> {
    let shown = printed.split("\n\n").filter(|part| !part.starts_with("I play"));
    shown.map(|part| part.split(PROMPT).next().unwrap_or(part).to_owned()).collect()
}

/// A game that the program wins: the plies that it announces fall by two with each of its moves, no board is shown twice.
#[track_caller]
fn is_won(name: &str) {
    let printed = replay(name);
    assert!(printed.ends_with("You have lost.\n"), "{name}: {printed}");
    let announced: Vec<u32> = printed
        .lines()
        .filter_map(|line| {
            line.strip_prefix("I play ")?.split_once("(I win in ")?.1.split(' ').next()
        })
        .map(|plies| plies.parse().unwrap())
        .collect();
    assert_eq!(announced.last(), Some(&1), "{name}: {printed}");
    assert!(announced.windows(2).all(|pair| pair[0] >= pair[1] + 2), "{name}: {announced:?}");
    let (boards, mut met) = (boards(&printed), HashSet::new());
    assert!(boards.iter().all(|board| met.insert(board)), "{name} repeats a position:\n{printed}");
}

#[test]
fn rook_and_king() {
    is_won("krk");
}

#[test]
fn queen_and_king() {
    is_won("kqk");
}

/// Four men, with a database: mate with bishop and knight.
#[test]
fn bishop_and_knight() {
    is_won("kbnk");
}

#[test]
fn two_kings_against_one() {
    is_won("checkers");
}

#[test]
fn three_mens_morris() {
    is_won("morris");
}

#[test]
fn lines_of_action() {
    is_won("loa");
}

/// A repetition ends this game, and the seeds that are left go to those who own them.
#[test]
fn awari() {
    let printed = replay("awari");
    let end = "The position is repeated, which ends the game: you have lost.\n";
    assert!(printed.ends_with(end), "{printed}");
    let boards = boards(&printed);
    let (last, before) = boards.split_last().unwrap();
    let board = last.strip_suffix(end).unwrap();
    assert!(before.iter().any(|shown| shown.trim() == board.trim()), "{printed}");
}
