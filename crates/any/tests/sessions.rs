//! Sessions, limits and solvers by name.

use std::sync::atomic::AtomicBool;
use zermelo_any::*;
use zermelo_game::{Bounds, Limits, Stop, Tone};
use zermelo_search::altered::Without;

fn tictactoe() -> Box<dyn AnyGame> {
    open("mnk 3x3x3").unwrap()
}

#[test]
fn moves_are_played_and_taken_back() {
    let game = tictactoe();
    let mut session = game.session();
    assert_eq!(session.play("B2").unwrap(), "b2");
    assert_eq!(session.position(), ".../.x./... second");
    assert_eq!(session.moves().len(), 8);
    assert_eq!(session.play("b2").unwrap_err().what, "move");
    assert_eq!(session.take_back().as_deref(), Some("b2"));
    assert_eq!(session.take_back(), None);
    session.set_position("xx./oo./... first").unwrap();
    session.play("c3").unwrap();
    assert_eq!((session.outcome(), session.moves()), (Some(1), vec![]));
    assert_eq!(session.set_position("xx./oo./..").unwrap_err().what, "position");
}

#[test]
fn every_move_has_the_value_of_the_position_after_it() {
    let game = open("mnk 3x4x3").unwrap();
    let minimax = How { by: By::Minimax, ..How::default() };
    for position in [
        "..../..../..x. second",
        "o.../.x../.... first",
        "ox../.xo./.... first",
        "x..o/..../x.o. second",
    ] {
        let mut session = game.session();
        session.set_position(position).unwrap();
        let limits = Limits { memory: 1 << 20, ..Limits::default() };
        let found = session.solve_moves(&How::default(), &limits, &|_| {}).unwrap();
        assert_eq!(found.moves.len(), session.moves().len());
        for value in found.moves {
            session.play(&value.mv).unwrap();
            let truth = session.solve(&minimax, &limits, &|_| {});
            session.take_back();
            assert_eq!(value.bounds, truth.bounds, "{} in {position}", value.mv);
            assert_eq!(value.tone, tone(truth.bounds, session.turn()));
            assert!(value.mark().is_some());
        }
    }
}

#[test]
fn limits_hold_for_all_moves_together() {
    let game = open("mnk 7x7x5").unwrap();
    // A search for threats may end before its limits.
    for by in By::ALL.into_iter().filter(|by| *by != By::Lambda) {
        let how = How { by, ..How::default() };
        let limits = Limits { nodes: Some(5_000), memory: 1 << 20, ..Limits::default() };
        let found = game.session().solve_moves(&how, &limits, &|_| {}).unwrap();
        assert_eq!(found.report.stop, Stop::OutOfNodes);
        assert!(found.report.stats.nodes <= 5_000);
        assert!(found.moves.iter().all(|m| m.tone == Tone::Open));
    }
}

#[test]
fn solvers_are_found_by_name() {
    for by in By::ALL {
        assert_eq!(By::named(by.word()), Some(by));
    }
    assert_eq!(By::named("pn3"), None);
    assert_eq!(How::new(By::AbTtMc).playouts, SOURCE_PLAYOUTS);
    assert_eq!(How::new(By::IdAbTt).without, Without::ALL);
}

#[test]
fn all_solvers_agree() {
    let limits = Limits { memory: 1 << 26, ..Limits::default() };
    let game = tictactoe();
    for (moves, value) in [("a1 a2", 1), ("a1 b2", 0), ("b1 a3 b3 b2 c1", -1)] {
        for by in By::ALL.into_iter().filter(|by| *by != By::Lambda) {
            let mut session = game.session();
            moves.split(' ').for_each(|m| drop(session.play(m).unwrap()));
            let how = How { playouts: How::new(by).playouts.min(30), ..How::new(by) };
            let found = session.solve(&how, &limits, &|_| {});
            assert_eq!(found.bounds, Bounds::exact(value), "{moves} by {}", by.word());
            assert_eq!(found.stop, Stop::Solved);
            let all = session.solve_moves(&how, &limits, &|_| {}).unwrap();
            let best = all.moves.iter().find(|m| Some(&m.mv) == found.best.as_ref());
            assert_eq!(best.unwrap().bounds, found.bounds, "{moves} by {}", by.word());
        }
    }
}

#[test]
fn threats_win_or_say_nothing() {
    let limits = Limits { memory: 1 << 24, ..Limits::default() };
    let how = How::new(By::Lambda);
    let game = tictactoe();
    assert!(how.fits(&*game).is_ok());
    for (moves, bounds, stop) in
        [("a1 a2", Bounds::exact(1), Stop::Solved), ("a1 b2", Bounds::new(-1, 1), Stop::Exhausted)]
    {
        let mut session = game.session();
        moves.split(' ').for_each(|m| drop(session.play(m).unwrap()));
        let found = session.solve(&how, &limits, &|_| {});
        assert_eq!((found.bounds, found.stop), (bounds, stop), "{moves}");
        assert_eq!(found.best.is_some(), bounds.is_exact());
    }
    for name in ["nogo 3x3", "go 2x2"] {
        let error = how.fits(&*open(name).unwrap()).unwrap_err();
        assert!(error.contains("lambda") && error.contains(name), "{error}");
    }
}

#[test]
fn df_pn_can_be_taught() {
    let game = open("atarigo 4x4").unwrap();
    let how = How { playouts: 200, seed: 1, ..How::new(By::Dfpn) };
    assert!(how.fits(&*game).is_ok());
    let limits = Limits { memory: 1 << 26, ..Limits::default() };
    let found = [0, 1].map(|_| game.session().solve(&how, &limits, &|_| {}));
    assert_eq!((found[0].bounds, found[0].stats.playouts), (Bounds::exact(-1), 200));
    assert_eq!(found[0].stats.nodes, found[1].stats.nodes, "the same seed, the same search");
}

#[test]
fn tic_tac_toe_has_255168_games() {
    let game = tictactoe();
    let count = |depth| game.session().perft(depth, &AtomicBool::new(false)).unwrap();
    let lines: Vec<u64> = (0..=10).map(|depth| count(depth).lines).collect();
    assert_eq!(lines, [1, 9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872, 0]);
    assert_eq!((0..=9).map(|depth| count(depth).finished).sum::<u64>(), 255_168);
    assert_eq!(game.session().perft(9, &AtomicBool::new(true)), None);
}

#[test]
fn graphs_whose_values_hang_on_the_line() {
    const CYCLE: &str = "a first: b c; b second: a d; d first = 1; c second = -1";
    let limits = Limits { nodes: Some(100_000), memory: 1 << 20, ..Limits::default() };
    for (rule, value) in [("0", 0), ("loses", 1), ("parity", 1), ("forbidden 0", 1)] {
        let game = open(&format!("graph repetition {rule}; {CYCLE}")).unwrap();
        for by in By::ALL {
            let how = How { by, ..How::new(by) };
            if let Err(why) = how.fits(&*game) {
                let no_threats = by == By::Lambda && why.contains("a pass");
                let hangs = rule != "0" && why.contains("hangs on the line");
                assert!(no_threats || hangs, "{rule} {by:?}: {why}");
                continue;
            }
            let mut session = game.session();
            let found = session.solve_moves(&how, &limits, &|_| {}).unwrap();
            assert!(found.report.bounds.contains(value), "{rule} {by:?}: {}", found.report.bounds);
            let playouts = by == By::MonteCarlo;
            assert!(playouts || found.report.stop == Stop::Solved, "{rule} {by:?}");
        }
        assert_eq!(How::new(By::Auto).fits(&*game), Ok(()));
        assert_eq!(How::new(By::AlphaBeta).fits(&*game).is_ok(), rule == "0");
    }
}
