//! A printed line keeps the value at every step: every solver by its name, with many settings, on random positions of every
//! game, against plain minimax at each position along the line; and the value of each move against plain minimax
//! after it. Random graphs and rules of repetition are in `search/tests/lines.rs`.
//!
//! `ZERMELO_TESTS=full` takes five times as many positions, `ZERMELO_TORTURE=N` N times as many.

mod boards;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use zermelo_erased::{
    AnyGame, AnySession, Catalogue, EngineConfig, EngineId, InitialBounds, MoveValues,
};
use zermelo_game::Ablation;
use zermelo_game::conformance::rounds;
use zermelo_game::{Bounds, Limits, ParseError, Player, Question, Report, Stop, Value};

fn open(name: &str) -> Result<Box<dyn AnyGame>, ParseError> {
    Catalogue::standard().open(name)
}

/// Nodes minimax may spend on a position; positions that need more are passed over.
const MINIMAX_NODES: u64 = 4_000;

/// The settings of one solver by the round; `None` where the game has no such solver.
fn how(game: &dyn AnyGame, by: EngineId, round: u64) -> Option<EngineConfig> {
    let own = EngineConfig::new(by);
    let playouts = own.number("playouts").min(40);
    let plain = own.with_if_any("seed", round % 5).with_if_any("playouts", playouts);
    let mut how = plain.clone();
    if round.is_multiple_of(4) {
        how = how.with_if_any("threads", 2);
    }
    let playouts = [0, 40][round as usize / 2 % 2];
    let entries = if round.is_multiple_of(5) { "200" } else { "none" };
    let ablation = Ablation::numbered(round as usize % 8);
    how = match by {
        EngineId::AlphaBeta => {
            let deepening = if round.is_multiple_of(3) { "yes" } else { "no" };
            let how = how.with("deepening", deepening).with("playouts", playouts);
            let how = how.with("table-entries", entries).without(ablation);
            // As in the source, or with what it did not do.
            let (table, cutoff) =
                if round.is_multiple_of(7) { ("0", "never") } else { ("3", "own") };
            how.with("table-plies", table).with("cutoff-plies", cutoff)
        }
        EngineId::Dfpn => {
            how.with("playouts", playouts).with("table-entries", entries).without(ablation)
        }
        _ if own_ablation(by) => how.without(ablation),
        _ => how,
    };
    [how, plain].into_iter().find(|how| game.accepts(how).is_ok())
}

/// Engines that are tried on parts of the knowledge. (Those of the source have none.)
fn own_ablation(by: EngineId) -> bool {
    matches!(
        by,
        EngineId::MonteCarlo | EngineId::Auto | EngineId::Pns | EngineId::Pn2 | EngineId::Pp
    )
}

/// What plain minimax says of the position of a session, and of its moves if wanted.
fn truth(session: &mut dyn AnySession) -> Option<Value> {
    let few = Limits { nodes: Some(MINIMAX_NODES), ..Limits::default() };
    session.solve(&EngineConfig::new(EngineId::Minimax), &few, &|_| {}).bounds.value()
}

fn true_moves(session: &mut dyn AnySession) -> Option<MoveValues> {
    let few = Limits { nodes: Some(20 * MINIMAX_NODES), ..Limits::default() };
    let found = session.solve_moves(&EngineConfig::new(EngineId::Minimax), &few, &|_| {}).unwrap();
    (found.report.stop == Stop::Solved).then_some(found)
}

fn seen(value: Value, turn: Player) -> Value {
    value * turn.sign()
}

/// What a report says agrees with itself.
fn check_report(report: &Report<String>, value: Value, what: &str) {
    let exact = report.bounds.is_exact();
    assert!(report.bounds.contains(value), "{what}: {} is {value}", report.bounds);
    assert_eq!(report.best.as_ref(), report.line.first(), "{what}");
    assert_eq!(report.stop == Stop::Solved, exact, "{what}: {report:?}");
    assert_eq!(report.level.is_some(), exact, "{what}: {report:?}");
    assert!(exact || report.line.len() <= 1, "{what}: a line that is not proved: {report:?}");
}

/// Every position along the line has the value of the first, where minimax can tell. Returns how many it could.
fn check_line(
    game: &dyn AnyGame,
    session: &mut dyn AnySession,
    report: &Report<String>,
    value: Value,
    what: &str,
) -> u64 {
    check_report(report, value, what);
    let Bounds { lo, hi } = report.bounds;
    let turn = session.turn();
    if game.features().path_dependent {
        // There the moves of a position have values in the line that goes through it; the rest is in `search`.
        let (Some(best), Some(moves)) = (&report.best, true_moves(session)) else { return 0 };
        let after = moves.moves.iter().find(|m| m.mv == *best).expect("a legal move");
        let after = after.bounds.value().expect("solved");
        let keeps =
            if lo == hi { after == value } else { seen(after, turn) >= seen_lo(report, turn) };
        assert!(keeps, "{what}: {best} is worth {after}: {report:?}");
        return 1;
    }
    let (mut known, mut played) = (0, 0);
    for mv in &report.line {
        session.play(mv).unwrap_or_else(|e| panic!("{what}: {e} in {report:?}"));
        played += 1;
        let Some(after) = session.outcome().or_else(|| truth(session)) else { continue };
        known += 1;
        let keeps =
            if lo == hi { after == value } else { seen(after, turn) >= seen_lo(report, turn) };
        assert!(keeps, "{what}: {after} after {played} of {:?}: {report:?}", report.line);
    }
    (0..played).for_each(|_| drop(session.take_back()));
    known
}

fn seen_lo(report: &Report<String>, turn: Player) -> Value {
    report.bounds.seen_by(turn).lo
}

/// The values of all moves are exact, or the report says that it was stopped.
fn check_moves(
    game: &dyn AnyGame,
    session: &mut dyn AnySession,
    found: &MoveValues,
    value: Value,
    what: &str,
) {
    check_report_of_moves(found, value, what);
    let truths = if game.features().path_dependent { true_moves(session) } else { None };
    for m in &found.moves {
        let after = match &truths {
            Some(truths) => truths.moves.iter().find(|t| t.mv == m.mv).unwrap().bounds.value(),
            None if game.features().path_dependent => None,
            None => {
                session.play(&m.mv).unwrap();
                let after = session.outcome().or_else(|| truth(session));
                session.take_back();
                after
            }
        };
        let Some(after) = after else { continue };
        assert!(m.bounds.contains(after), "{what}: {m:?} is worth {after}");
    }
}

/// All that is said of the moves and of the position hangs together.
fn check_report_of_moves(found: &MoveValues, value: Value, what: &str) {
    let MoveValues { report, moves } = found;
    assert!(report.bounds.contains(value), "{what}: {} is {value}", report.bounds);
    let exact = report.bounds.is_exact();
    let all = moves.iter().all(|m| m.bounds.is_exact());
    assert_eq!(report.stop == Stop::Solved, exact && all, "{what}: {found:?}");
    assert_eq!(report.level.is_some(), exact, "{what}: {found:?}");
    assert_eq!(report.best.as_ref(), report.line.first(), "{what}: {found:?}");
    if let Some(best) = &report.best
        && exact
    {
        let best = moves.iter().find(|m| m.mv == *best).expect("a legal move");
        assert_eq!(best.bounds, report.bounds, "{what}: {found:?}");
    }
}

/// What the test has done.
#[derive(Default, Debug)]
struct Count {
    positions: u64,
    solved: u64,
    stopped: u64,
    moves: u64,
    open: u64,
}

/// Random positions of a game from the ends of random games backwards, each asked of some solvers.
fn lines_of(name: &str, seed: u64, positions: u64) -> Count {
    let game = open(name).unwrap_or_else(|e| panic!("{e}"));
    let mut rng = Rng::seed_from_u64(seed);
    let mut count = Count::default();
    let mut round = seed;
    for _ in 0..60 * positions {
        let mut session = game.session();
        let mut plies = 0;
        while plies < 150 && session.outcome().is_none() {
            let moves = session.moves();
            session.play(&moves[rng.random_range(0..moves.len())]).unwrap();
            plies += 1;
        }
        for _ in 0..=plies.min(20) {
            if session.outcome().is_none() {
                let Some(value) = truth(&mut *session) else { break };
                count.positions += 1;
                for by in EngineId::ALL.iter().copied().skip(round as usize % 3).step_by(3) {
                    ask(&*game, &mut *session, by, round, value, &mut count);
                }
                round += 1;
                if count.positions >= positions {
                    return count;
                }
            }
            session.take_back();
        }
    }
    count
}

/// Asks one solver about a position, without limits and with few nodes, and about its moves.
fn ask(
    game: &dyn AnyGame,
    session: &mut dyn AnySession,
    by: EngineId,
    round: u64,
    value: Value,
    count: &mut Count,
) {
    let Some(how) = how(game, by, round) else { return };
    let memory = [1 << 12, 1 << 16, 1 << 22][round as usize / 3 % 3];
    for nodes in [4_000, 1 + round * 7 % 60] {
        let limits = Limits { nodes: Some(nodes), memory, ..Limits::default() };
        let (name, position) = (game.name(), session.position());
        let what = format!("{name}, {position}, {how:?}, {limits:?}");
        let report = session.solve(&how, &limits, &|_| {});
        count.moves += check_line(game, session, &report, value, &what);
        match report.bounds.is_exact() {
            true => count.solved += 1,
            false => count.stopped += 1,
        }
        if round.is_multiple_of(3) {
            let found = session.solve_moves(&how, &limits, &|_| {}).unwrap();
            count.open += u64::from(found.report.stop != Stop::Solved);
            check_moves(game, session, &found, value, &what);
        }
        if round % 3 == 1 && game.has_own_values() {
            let all = game.values();
            let known = [Bounds::new(value, all.hi), Bounds::new(all.lo, value)];
            let first = Some(Question { at_least: value });
            let opening = InitialBounds { known: known[round as usize % 2], first };
            let report = session.solve_from(&opening, &how, &limits).unwrap();
            if report.bounds.is_exact() {
                count.moves += check_line(game, session, &report, value, &what);
            } else {
                check_report(&report, value, &what);
            }
        }
    }
}

#[test]
fn every_position_along_a_line_has_the_value_of_the_first() {
    let torture = std::env::var("ZERMELO_TORTURE").ok().and_then(|n| n.parse().ok());
    let positions = rounds(60) * torture.unwrap_or(1);
    let (mut total, mut barren) = (Count::default(), Vec::new());
    let games = boards::of_every_game(&[(
        "morris",
        "plain minimax sees no end of it within its nodes; it/databases.rs compares with databases",
    )]);
    for (seed, name) in games.iter().enumerate() {
        let count = lines_of(name, seed as u64, positions);
        println!("{name}: {count:?}");
        if count.solved == 0 {
            barren.push(*name);
        }
        total.solved += count.solved;
        total.stopped += count.stopped;
        total.moves += count.moves;
        total.positions += count.positions;
    }
    println!("{total:?}");
    assert!(barren.is_empty(), "too wide for minimax: {barren:?}");
    assert!(total.positions > positions * games.len() as u64 / 2, "{total:?}");
    assert!(total.stopped > 0 && total.moves > total.positions, "{total:?}");
}

/// The report of the tests: a draw whose line lost.
#[test]
fn monte_carlo_plays_a_draw_to_its_end() {
    let game = open("connect4 2x6").unwrap();
    for seed in 0..24 {
        let how = EngineConfig::new(EngineId::MonteCarlo).with("seed", seed);
        let mut session = game.session();
        let report = session.solve(&how, &Limits::default(), &|_| {});
        assert_eq!(report.bounds, Bounds::exact(0));
        assert!(report.line.len() >= 4, "seed {seed}: {:?}", report.line);
        let few = Limits::default();
        for mv in &report.line {
            session.play(mv).unwrap();
            let after = session.solve(&EngineConfig::new(EngineId::AlphaBeta), &few, &|_| {});
            assert_eq!(after.bounds, Bounds::exact(0), "seed {seed}: {mv} of {:?}", report.line);
        }
    }
}

/// Where a repetition has a fixed value, a move is worth the position after it. To go on from n1 by going back to n0 would
/// end a line that went through n0 at once, with -1; but n1 by itself is worth 0, whoever is asked.
#[test]
fn positions_with_values_of_their_own_keep_them_below_others() {
    let text = "graph repetition -1; n0 first: n1 n2; n1 second: n0 n4 n3; n2 second: n3 n5; \
                n3 first = 1; n4 first = 1; n5 first = 0";
    let game = open(text).unwrap();
    let limits = Limits { nodes: Some(10_000), ..Limits::default() };
    for &by in EngineId::ALL {
        let how = EngineConfig::new(by);
        if game.accepts(&how).is_err() {
            continue;
        }
        let found = game.session().solve_moves(&how, &limits, &|_| {}).unwrap();
        let open = found.report.stop != Stop::Solved;
        assert!(!open || by == EngineId::MonteCarlo, "{by:?}: {found:?}");
        for moved in &found.moves {
            let right = moved.bounds == Bounds::exact(0);
            assert!(right || open && moved.bounds.contains(0), "{by:?}: {moved:?}");
        }
    }
}

/// Each rule of repetition gives each move its value in the line that goes through the position.
#[test]
fn moves_have_exact_values_where_positions_can_repeat() {
    let limits = Limits { memory: 1 << 22, ..Limits::default() };
    let awari = open("awari 2x2").unwrap();
    let found =
        awari.session().solve_moves(&EngineConfig::new(EngineId::Auto), &limits, &|_| {}).unwrap();
    let values: Vec<_> = found.moves.iter().map(|m| (&*m.mv, m.bounds)).collect();
    assert_eq!(values, [("a", Bounds::exact(2)), ("b", Bounds::exact(8))]);
    assert_eq!(found.report.stop, Stop::Solved);
    // `a` is asked about, and a player who repeats it is bound by the rule. By itself `b` is worth 0 where a repetition
    // loses, as it is the first player who comes back to it; below `a` it is the second who comes back to `a`.
    let cycle = "a first: b; b second: a c; c first = 0";
    for (rule, below, alone) in
        [("0", 0, 0), ("1", 0, 0), ("-1", -1, -1), ("loses", 0, -1), ("parity", 0, 0)]
    {
        let game = open(&format!("graph repetition {rule}; {cycle}")).unwrap();
        for by in [
            EngineId::Auto,
            EngineId::Minimax,
            EngineId::Dfpn,
            EngineId::Pns,
            EngineId::Pn2,
            EngineId::Pp,
        ] {
            let mut session = game.session();
            let found = session.solve_moves(&EngineConfig::new(by), &limits, &|_| {}).unwrap();
            assert_eq!(found.moves[0].bounds, Bounds::exact(below), "{rule} by {by:?}");
            assert_eq!(found.report.bounds, Bounds::exact(below), "{rule} by {by:?}");
            session.play("b").unwrap();
            let found = session.solve(&EngineConfig::new(by), &limits, &|_| {});
            assert_eq!(found.bounds, Bounds::exact(alone), "{rule} by {by:?}");
        }
    }
}
