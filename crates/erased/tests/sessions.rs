//! Sessions, limits and solvers by name.

use std::sync::atomic::AtomicBool;
use zermelo_certificate::Provenance;
use zermelo_certificate::check::CheckLimits;
use zermelo_certificate::write::StrategyLayout;
use zermelo_erased::*;
use zermelo_game::{
    Bounds, Limits, MoveList, Notation, ParseError, Player, Rules, Stop, Tone, Value,
};

fn open(name: &str) -> Result<Box<dyn AnyGame>, ParseError> {
    Catalogue::standard().open(name)
}

use zermelo_game::Ablation;

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
    let minimax = EngineConfig::new(EngineId::Minimax);
    for position in [
        "..../..../..x. second",
        "o.../.x../.... first",
        "ox../.xo./.... first",
        "x..o/..../x.o. second",
    ] {
        let mut session = game.session();
        session.set_position(position).unwrap();
        let limits = Limits { memory: 1 << 20, ..Limits::default() };
        let found =
            session.solve_moves(&EngineConfig::new(EngineId::AlphaBeta), &limits, &|_| {}).unwrap();
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
    for by in EngineId::ALL.iter().copied().filter(|by| *by != EngineId::Lambda) {
        let how = EngineConfig::new(by).with_if_any("playouts", 0);
        let limits = Limits { nodes: Some(5_000), memory: 1 << 20, ..Limits::default() };
        let found = game.session().solve_moves(&how, &limits, &|_| {}).unwrap();
        assert_eq!(found.report.stop, Stop::OutOfNodes);
        assert!(found.report.stats.nodes <= 5_000);
        assert!(found.moves.iter().all(|m| m.tone == Tone::Open));
    }
}

#[test]
fn solvers_are_found_by_name() {
    for &by in EngineId::ALL {
        assert_eq!(EngineId::named(by.word()), Some(by));
    }
    assert_eq!(EngineId::named("pn3"), None);
    assert_eq!(EngineConfig::new(EngineId::AbTtMc).number("playouts"), SOURCE_PLAYOUTS);
    assert_eq!(EngineConfig::new(EngineId::IdAbTt).ablation(), Ablation::ALL);
}

#[test]
fn all_solvers_agree() {
    let limits = Limits { memory: 1 << 26, ..Limits::default() };
    let game = tictactoe();
    for (moves, value) in [("a1 a2", 1), ("a1 b2", 0), ("b1 a3 b3 b2 c1", -1)] {
        for by in EngineId::ALL.iter().copied().filter(|by| *by != EngineId::Lambda) {
            let mut session = game.session();
            moves.split(' ').for_each(|m| drop(session.play(m).unwrap()));
            let own = EngineConfig::new(by);
            let playouts = own.number("playouts").min(30);
            let how = own.with_if_any("playouts", playouts);
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
    let how = EngineConfig::new(EngineId::Lambda);
    let game = tictactoe();
    assert!(game.accepts(&how).is_ok());
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
        let error = open(name).unwrap().accepts(&how).unwrap_err();
        assert!(error.contains("lambda") && error.contains(name), "{error}");
    }
}

#[test]
fn df_pn_can_be_taught() {
    let game = open("atarigo 4x4").unwrap();
    let how = EngineConfig::new(EngineId::Dfpn).with("playouts", 200).with("seed", 1);
    assert!(game.accepts(&how).is_ok());
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
fn graphs_whose_values_depend_on_the_line() {
    const CYCLE: &str = "a first: b c; b second: a d; d first = 1; c second = -1";
    let limits = Limits { nodes: Some(100_000), memory: 1 << 20, ..Limits::default() };
    for (rule, value) in [("0", 0), ("loses", 1), ("parity", 1), ("forbidden 0", 1)] {
        let game = open(&format!("graph repetition {rule}; {CYCLE}")).unwrap();
        for &by in EngineId::ALL {
            let how = EngineConfig::new(by);
            if let Err(why) = game.accepts(&how) {
                let no_threats = by == EngineId::Lambda && why.contains("a pass");
                let path_dependent = rule != "0" && why.contains("depends on the line");
                assert!(no_threats || path_dependent, "{rule} {by:?}: {why}");
                continue;
            }
            let mut session = game.session();
            let found = session.solve_moves(&how, &limits, &|_| {}).unwrap();
            assert!(found.report.bounds.contains(value), "{rule} {by:?}: {}", found.report.bounds);
            let playouts = by == EngineId::MonteCarlo;
            assert!(playouts || found.report.stop == Stop::Solved, "{rule} {by:?}");
        }
        assert_eq!(game.accepts(&EngineConfig::new(EngineId::Auto)), Ok(()));
        let alphabeta = game.accepts(&EngineConfig::new(EngineId::AlphaBeta));
        assert_eq!(alphabeta.is_ok(), rule == "0");
    }
}

/// A heap of counters whose positions and moves take more room than those of our games.
struct Spacious<const ROOM: usize, const MOVE: usize>;

impl<const ROOM: usize, const MOVE: usize> Rules for Spacious<ROOM, MOVE> {
    type Position = (u8, Player, [u8; ROOM]);
    type Move = [u8; MOVE];
    type Key = u64;

    fn start(&self) -> Self::Position {
        (9, Player::First, [7; ROOM])
    }

    fn turn(&self, p: &Self::Position) -> Player {
        p.1
    }

    fn outcome(&self, p: &Self::Position) -> Option<Value> {
        (p.0 == 0).then_some(-p.1.sign())
    }

    fn moves(&self, p: &Self::Position, out: &mut MoveList<Self::Move>) {
        (1..=p.0.min(3)).for_each(|n| out.push([n; MOVE]));
    }

    fn play(&self, p: &Self::Position, m: Self::Move) -> Self::Position {
        (p.0 - m[MOVE - 1], p.1.other(), p.2)
    }

    fn key(&self, p: &Self::Position) -> u64 {
        u64::from(p.0) * 2 + p.1.index() as u64
    }

    fn code(&self, m: Self::Move) -> usize {
        m[0].into()
    }

    fn codes(&self) -> usize {
        4
    }
}

impl<const ROOM: usize, const MOVE: usize> Notation for Spacious<ROOM, MOVE> {
    fn name(&self) -> String {
        format!("spacious{ROOM}")
    }
}

/// Whatever the size of positions and moves, and whether engines are shared or not: solved, certified and checked.
#[test]
fn games_of_every_size() {
    fn row<const ROOM: usize, const MOVE: usize>(shared: bool) -> Row {
        let name = Spacious::<ROOM, MOVE>.name();
        Row::new(&name, move |_| {
            let opened = Opened::new(Spacious::<ROOM, MOVE>, ());
            Ok(if shared { opened.with_shared_engines() } else { opened.into() })
        })
    }
    for row in [row::<3, 1>(true), row::<60, 1>(false), row::<300, 20>(true)] {
        let name = row.name().to_owned();
        let catalogue = Catalogue::empty().with(row);
        let game = catalogue.open(&name).unwrap();
        for by in ["auto", "pns", "minimax"] {
            let mut session = game.session();
            let config = by.parse().unwrap();
            let report = session.solve(&config, &Limits::default(), &|_| {});
            assert_eq!(report.bounds, Bounds::exact(1), "{name} by {by}");
            let request = CertificateRequest {
                layout: StrategyLayout::default(),
                within: None,
                limits: &Limits::default(),
                written: &|_| {},
                provenance: Provenance::default(),
            };
            let certificate = session.certify(report.bounds, &config, request).unwrap();
            let checked = catalogue.check(&certificate, &CheckLimits::default(), None);
            assert!(checked.is_ok(), "{name} by {by}");
        }
    }
}
