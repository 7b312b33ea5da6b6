//! Distances of named positions: scores of public Connect Four solvers, published chess mates.

use std::time::Duration;
use zermelo_erased::{AnySession, Catalogue, EngineConfig, EngineId};
use zermelo_game::{Limits, Player};

/// The plies to the end, counted from the position of the session, and who wins.
fn distance(session: &mut dyn AnySession) -> Option<(Player, u32)> {
    let engine = EngineConfig::new(EngineId::DEFAULT);
    let limits = Limits { memory: 256 << 20, ..Limits::default() };
    let found = session.solve(&engine, &limits, &|_| {});
    let winner = found.bounds.winner().expect("it is solved")?;
    let answer = session.distance(winner, 1, &limits, &|_, _| {}).expect("it has distances");
    let plies = answer.plies.value().expect("it is known");
    assert_eq!((answer.wins, answer.line.len()), (Some(true), plies as usize));
    Some((winner, plies))
}

/// The score of a position with so many stones where `winner` ends the game after so many plies.
fn score(stones: u32, turn: Player, (winner, plies): (Player, u32)) -> i32 {
    // The winner puts the last stone: of all stones half are its own, the odd one is the first player's.
    let own = (stones + plies).div_ceil(2) as i32;
    (22 - own) * if winner == turn { 1 } else { -1 }
}

#[test]
fn connect_four_scores() {
    let game = Catalogue::standard().open("connect4").unwrap();
    let mut session = game.session();
    let mut compared = 0;
    let scores =
        concat!(include_str!("connect4-published.txt"), include_str!("connect4-scores.txt"));
    for line in scores.lines().filter(|line| !line.starts_with('#')) {
        let (columns, expected) = line.split_once(' ').unwrap();
        while session.take_back().is_some() {}
        for column in columns.bytes() {
            session.play(&char::from(column - b'1' + b'a').to_string()).unwrap();
        }
        let (stones, turn) = (columns.len() as u32, session.turn());
        let found = distance(&mut *session).map_or(0, |found| score(stones, turn, found));
        assert_eq!(found, expected.parse::<i32>().unwrap(), "{columns}");
        compared += 1;
    }
    assert!(compared >= 110);
}

/// On which ply games end on other boards, as Steininger's solver has it (github.com/ChristopheSteininger/c4, "Last Move"; its
/// draws end with the board full). Larger boards of that table are in BENCHMARKS.md.
#[test]
fn connect_four_last_moves() {
    let table = [("4x4", None), ("4x5", None), ("4x6", Some((Player::Second, 24))), ("5x4", None)];
    for (board, expected) in table {
        let game = Catalogue::standard().open(&format!("connect4 {board}")).unwrap();
        assert_eq!(distance(&mut *game.session()), expected, "{board}");
    }
}

/// Mates by distance as every textbook has them, in plies.
#[test]
fn chess_mates() {
    for (name, position, winner, plies) in [
        ("chess KQK", "8/8/8/8/8/1k6/8/K1Q5 w - - 0 1", None, 0),
        ("chess KQK", "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", Some(Player::First), 1),
        ("chess KRK", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", Some(Player::First), 1),
        ("chess KRK", "7k/8/5K2/8/8/8/8/R7 w - - 0 1", Some(Player::First), 3),
    ] {
        let game = Catalogue::standard().open(name).unwrap();
        let mut session = game.session();
        session.set_position(position).unwrap();
        let found = distance(&mut *session);
        match winner {
            None => {
                assert!(found.is_some_and(|(winner, plies)| winner == Player::First && plies > 1))
            }
            Some(winner) => assert_eq!(found, Some((winner, plies)), "{position}"),
        }
    }
}

/// A search that is stopped tells how much it knows, and nothing that is wrong.
#[test]
fn a_stopped_search_has_bounds() {
    let game = Catalogue::standard().open("connect4 5x5").unwrap();
    let mut session = game.session();
    for column in ["c", "c", "c", "c", "a", "b"] {
        session.play(column).unwrap();
    }
    let Some((winner, truth)) = distance(&mut *session) else { panic!("a draw") };
    for nodes in [1, 10, 100, 1000, 10_000] {
        let mut fresh = game.session();
        fresh.set_position(&session.position()).unwrap();
        let limits = Limits { nodes: Some(nodes), time: Some(Duration::MAX), ..Limits::default() };
        let answer = fresh.distance(winner, 1, &limits, &|_, _| {}).unwrap();
        assert!(answer.plies.lo <= truth, "{nodes}: {answer:?}");
        assert!(answer.plies.hi.is_none_or(|hi| truth <= hi), "{nodes}: {answer:?}");
    }
}

/// Games of points, and rules of repetition that depend on the line, have none.
#[test]
fn games_without_distances() {
    for (name, has) in [
        ("connect4 4x4", true),
        ("chess KRK", true),
        ("awari 2x2", false),
        ("kalah 2x2", false),
        ("go 2x2", false),
        ("graph repetition loses; a first: b c; b second: a d; d first = 1; c second = -1", false),
    ] {
        let game = Catalogue::standard().open(name).unwrap();
        let any = [Player::First, Player::Second].iter().any(|p| game.has_distances(*p));
        assert_eq!(any, has, "{name}");
        let answer = game.session().distance(Player::First, 1, &Limits::default(), &|_, _| {});
        assert!(has || answer.is_none(), "{name}");
    }
}
