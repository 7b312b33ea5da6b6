//! The perfect player wins what is won: in every game in which positions can repeat, from won positions, against random play and
//! against the longest resistance, without a database and with one; within the known distance, and without repeating a
//! position. Lines of won games do not repeat positions either.
//!
//! A thousand games of each; the other tests here play five times as many with `ZERMELO_TESTS=full`.

mod boards;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use zermelo_erased::{
    AnyGame, AnySession, BuildOrder, Catalogue, EngineConfig, EngineId, LineEnd, PlayReason,
};
use zermelo_game::conformance::rounds;
use zermelo_game::{Limits, Player, Stop};

/// Games in which positions can repeat and wins have distances, with a position to begin from (the start if empty), and how many
/// pieces a database of them has (0: none is built here).
const GAMES: [(&str, &str, u32); 8] = [
    ("chess KQK", "", 3),
    ("chess KRK", "", 3),
    ("checkers 4x4", "", 4),
    ("checkers 8x8", "W:WK1,K2:BK30", 0),
    ("checkers 6x6", "W:WK1,K2:BK16", 3),
    ("morris 3", "", 0),
    ("loa 3x4", "", 0),
    (
        "graph repetition 0; a first: b c; b second: a d; c second: a d e; d first: b f; e first = -1; f second = 1",
        "",
        0,
    ),
];

fn limits() -> Limits {
    Limits { memory: 64 << 20, ..Limits::default() }
}

/// How the opponent plays.
#[derive(Clone, Copy, PartialEq)]
enum Opponent {
    Random,
    Resisting,
}

/// Plays on from a position that `winner` has won. Returns the reasons of its moves.
fn play_on(
    game: &dyn AnyGame,
    session: &mut dyn AnySession,
    winner: Player,
    opponent: Opponent,
    rng: &mut Rng,
) -> Vec<PlayReason> {
    let engine = EngineConfig::new(EngineId::DEFAULT);
    let mut met = HashSet::from([session.position()]);
    let mut left: Option<u32> = None;
    let mut reasons = Vec::new();
    let begun = session.position();
    let what = || format!("{} from \"{begun}\"", game.name());
    while session.outcome().is_none() {
        let mv = if session.turn() == winner {
            let played = session.choose(&engine, &limits(), &|_| {}).expect("a move");
            let distance = played.distance.and_then(|plies| plies.value());
            if let (Some(before), Some(now)) = (left, distance) {
                assert!(now <= before, "{}: {now} plies, {before} before", what());
            }
            left = distance.or(left);
            reasons.push(played.reason);
            played.mv
        } else if opponent == Opponent::Resisting {
            session.choose(&engine, &limits(), &|_| {}).expect("a move").mv
        } else {
            let moves = session.moves();
            moves[rng.random_range(0..moves.len())].clone()
        };
        session.play(&mv).expect("a legal move");
        left = left.map(|plies| plies.checked_sub(1).unwrap_or_else(|| panic!("{}: late", what())));
        assert_eq!(session.repetition(), None, "{}: {mv} repeats", what());
        assert!(met.insert(session.position()), "{}: {mv} repeats", what());
    }
    let value = session.outcome().expect("it is over");
    assert!(value * winner.sign() > 0, "{}: {value}", what());
    reasons
}

/// A position after random moves that a player has won, and who.
fn won_position(session: &mut dyn AnySession, from: &str, rng: &mut Rng) -> Option<Player> {
    // On some boards few positions are won: forty in a row that are not come about once in a thousand games.
    for _ in 0..4_000 {
        while session.take_back().is_some() {}
        if !from.is_empty() {
            session.set_position(from).unwrap();
        }
        for _ in 0..rng.random_range(0..12) {
            let moves = session.moves();
            let Some(mv) = moves.get(rng.random_range(0..moves.len().max(1))) else { break };
            session.play(mv).unwrap();
        }
        if session.outcome().is_some() {
            continue;
        }
        let position = session.position();
        session.set_position(&position).unwrap();
        let found = session.solve(&EngineConfig::new(EngineId::DEFAULT), &limits(), &|_| {});
        if let Some(Some(winner)) = found.bounds.winner() {
            return Some(winner);
        }
    }
    None
}

/// The games without a database, with one of values, and with one of distances.
fn with_databases(name: &str, pieces: u32, dir: &std::path::Path) -> Vec<Box<dyn AnyGame>> {
    let open = || Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}"));
    let mut games = vec![open()];
    if pieces > 0 {
        for distance in [false, true] {
            let out = dir.join(format!("{}-{distance}", name.replace(' ', "-")));
            let order = BuildOrder {
                pieces: Some(pieces),
                distance,
                threads: 1,
                memory: 1 << 30,
                cancel: &AtomicBool::new(false),
                progress: &|_| {},
            };
            open().build(&out, &order).unwrap_or_else(|e| panic!("{name}: {e}"));
            games.push(open().with_databases(&[&out], 64 << 20, true).unwrap());
        }
    }
    games
}

#[test]
fn who_has_won_wins() {
    let dir = tempfile::tempdir().unwrap();
    let (played, by_distance) = (AtomicU64::new(0), AtomicU64::new(0));
    let boards: Vec<&str> = GAMES.iter().map(|(name, ..)| *name).collect();
    boards::each(&boards, |name, seed| {
        let (_, from, pieces) = GAMES.iter().find(|(n, ..)| *n == name).unwrap();
        let opened = with_databases(name, *pieces, dir.path());
        let games = 1000_u64.div_ceil(opened.len() as u64);
        for (kind, game) in opened.iter().enumerate() {
            let mut rng = Rng::seed_from_u64(seed);
            let mut session = game.session();
            for round in 0..games {
                let Some(winner) = won_position(&mut *session, from, &mut rng) else {
                    panic!("{name}: nobody wins")
                };
                let opponent = [Opponent::Random, Opponent::Resisting][round as usize % 2];
                let reasons = play_on(&**game, &mut *session, winner, opponent, &mut rng);
                let fast =
                    |r: &&PlayReason| matches!(r, PlayReason::Distance | PlayReason::Database);
                assert_eq!(
                    reasons.iter().filter(fast).count(),
                    reasons.len(),
                    "{name}: {reasons:?}"
                );
                if kind == 2 {
                    assert!(
                        reasons.iter().all(|r| *r == PlayReason::Database),
                        "{name}: {reasons:?}"
                    );
                }
                by_distance.fetch_add(reasons.len() as u64, Relaxed);
                played.fetch_add(1, Relaxed);
            }
        }
    });
    assert!(played.load(Relaxed) >= 1000 * boards.len() as u64, "{played:?} games");
}

/// With so few nodes for a distance that none is found, the player follows a strategy without cycles.
#[test]
fn without_a_distance_a_strategy_is_followed() {
    let game = Catalogue::standard().open("chess KRK").unwrap();
    let mut session = game.session();
    session.set_position("8/8/8/8/4k3/8/8/K6R w - - 0 1").unwrap();
    let engine = EngineConfig::new(EngineId::Dfpn);
    let value = session.solve(&engine, &limits(), &|_| {});
    assert_eq!(value.stop, Stop::Solved);
    // The value and a strategy come from tables; a distance would need more nodes than that.
    let few = Limits { nodes: Some(value.stats.nodes + 2_000), ..limits() };
    let mut met = HashSet::new();
    let (mut by_strategy, mut rng) = (0, Rng::seed_from_u64(7));
    while session.outcome().is_none() {
        assert!(met.insert(session.position()), "{} is repeated", session.position());
        let mv = if session.turn() == Player::First {
            let played = session.choose(&engine, &few, &|_| {}).unwrap();
            by_strategy += u32::from(played.reason == PlayReason::Strategy);
            played.mv
        } else {
            let moves = session.moves();
            moves[rng.random_range(0..moves.len())].clone()
        };
        session.play(&mv).unwrap();
    }
    assert_eq!(session.outcome(), Some(1));
    assert!(by_strategy > 0, "no strategy was needed");
}

/// A player that has followed a strategy for a while, and then has the nodes to find distances, does not walk back into what the game
/// has come through: that would be a draw.
#[test]
fn a_change_from_a_strategy_to_distances_repeats_nothing() {
    let game = Catalogue::standard().open("chess KRK").unwrap();
    let engine = EngineConfig::new(EngineId::Dfpn);
    let mut changed = 0;
    for seed in 0..rounds(40) {
        let mut rng = Rng::seed_from_u64(seed);
        let mut session = game.session();
        session.set_position("8/8/8/8/4k3/8/8/K6R w - - 0 1").unwrap();
        let value = session.solve(&engine, &limits(), &|_| {});
        let few = Limits { nodes: Some(value.stats.nodes + 2_000), ..limits() };
        let by_strategy = rng.random_range(1..12);
        let (mut turns, mut met, mut moves) = (0, HashSet::new(), Vec::new());
        while session.outcome().is_none() {
            let repeats = !met.insert(session.position());
            assert!(!repeats && session.repetition().is_none(), "seed {seed}: {moves:?}");
            let mv = if session.turn() == Player::First {
                let limits = if turns < by_strategy { &few } else { &limits() };
                turns += 1;
                let played = session.choose(&engine, limits, &|_| {}).unwrap();
                let late = turns > by_strategy && played.reason == PlayReason::Distance;
                changed += u32::from(late);
                played.mv
            } else {
                let moves = session.moves();
                moves[rng.random_range(0..moves.len())].clone()
            };
            session.play(&mv).unwrap();
            moves.push(mv);
        }
        assert_eq!(session.outcome(), Some(1), "seed {seed}: {moves:?}");
    }
    assert!(changed > 0, "no game changed from a strategy to distances");
}

/// Won positions in which the winner first wanders about, as people do, and then lets the perfect player go on, against an
/// opponent who goes back to what was on the board wherever that is possible. It would be a draw.
#[test]
fn after_wandering_about_nothing_is_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let reached = AtomicU64::new(0);
    let boards: Vec<&str> = GAMES.iter().map(|(name, ..)| *name).collect();
    boards::each(&boards, |name, seed| {
        let (_, from, pieces) = GAMES.iter().find(|(n, ..)| *n == name).unwrap();
        for game in &with_databases(name, *pieces, dir.path()) {
            let mut rng = Rng::seed_from_u64(300 + seed);
            for _ in 0..rounds(25) {
                let mut session = game.session();
                let Some(winner) = won_position(&mut *session, from, &mut rng) else {
                    panic!("{name}: nobody wins")
                };
                wander(&mut *session, winner, &mut rng);
                let before = session.position();
                let mut moves = Vec::new();
                let mut met = HashSet::from([before.clone()]);
                while session.outcome().is_none() && session.repetition().is_none() {
                    let mv = if session.turn() == winner {
                        let engine = EngineConfig::new(EngineId::DEFAULT);
                        session.choose(&engine, &limits(), &|_| {}).unwrap().mv
                    } else {
                        repeating_move(&mut *session, &mut rng)
                    };
                    session.play(&mv).unwrap();
                    moves.push(mv);
                    reached.fetch_add(u64::from(met.insert(session.position())), Relaxed);
                }
                let end = (session.outcome().map(i16::signum), session.repetition());
                let won = (Some(winner.sign()), None);
                assert_eq!(end, won, "{}: {moves:?} from \"{before}\"", game.name());
            }
        }
    });
    assert!(reached.load(Relaxed) > 100, "{reached:?} positions");
}

/// The fastest win from f goes over a. In a game that has been at a that is a draw by repetition, and another way takes seven plies
/// in place of five.
#[test]
fn the_fastest_way_may_lead_back() {
    let name = "graph repetition 0; a first: b c; b second: d; d first: e; e second = 1; c second: f; \
                f first: g h; g second: a; h second: i; i first: j; j second: k; k first: m; m second: n; \
                n first: l; l second = 1";
    let game = Catalogue::standard().open(name).unwrap();
    let engine = EngineConfig::new(EngineId::DEFAULT);
    let mut session = game.session();
    session.set_position("f").unwrap();
    let fresh = session.choose(&engine, &limits(), &|_| {}).unwrap();
    assert_eq!((&*fresh.mv, fresh.distance.and_then(|d| d.value())), ("g", Some(5)));
    session.set_position("a").unwrap();
    session.play("c").unwrap();
    session.play("f").unwrap();
    for (mv, plies) in [("h", 7), ("j", 5), ("m", 3), ("l", 1)] {
        let played = session.choose(&engine, &limits(), &|_| {}).unwrap();
        let told = (&*played.mv, played.distance.and_then(|d| d.value()), played.reason);
        assert_eq!(told, (mv, Some(plies), PlayReason::Distance));
        session.play(mv).unwrap();
        if session.outcome().is_none() {
            let reply = session.moves().remove(0);
            session.play(&reply).unwrap();
        }
    }
    assert_eq!(session.outcome(), Some(1));
}

/// Up to sixteen random moves after which the winner still wins by the value of the position, and nothing is repeated.
fn wander(session: &mut dyn AnySession, winner: Player, rng: &mut Rng) {
    let engine = EngineConfig::new(EngineId::DEFAULT);
    for _ in 0..rng.random_range(4..16) {
        let moves = session.moves();
        let mv = &moves[rng.random_range(0..moves.len())];
        session.play(mv).unwrap();
        let ends = session.outcome().is_some() || session.repetition().is_some();
        let mut wins = || {
            let found = session.solve(&engine, &limits(), &|_| {}).bounds.winner();
            found == Some(Some(winner))
        };
        if ends || !wins() {
            session.take_back();
        }
    }
}

/// A move back to what was on the board, or after which the winner can go back there, else any.
fn repeating_move(session: &mut dyn AnySession, rng: &mut Rng) -> String {
    let moves = session.moves();
    for mv in &moves {
        session.play(mv).unwrap();
        let repeats = session.repetition().is_some();
        session.take_back();
        if repeats {
            return mv.clone();
        }
    }
    moves[rng.random_range(0..moves.len())].clone()
}

/// Who has lost takes the draw that an opponent allows who goes back and forth.
#[test]
fn the_loser_takes_a_repetition() {
    let game = Catalogue::standard().open("chess KRK").unwrap();
    let engine = EngineConfig::new(EngineId::DEFAULT);
    let mut session = game.session();
    session.set_position("8/8/8/8/4k3/8/8/K6R w - - 0 1").unwrap();
    for round in 0..20 {
        session.play(["h1h2", "h2h1"][round % 2]).unwrap();
        if session.repetition().is_some() {
            break;
        }
        let reply = session.choose(&engine, &limits(), &|_| {}).unwrap();
        session.play(&reply.mv).unwrap();
        if session.repetition().is_some() {
            break;
        }
    }
    assert_eq!(session.repetition(), Some(Some(0)));
}

#[test]
fn lines_of_won_games_do_not_repeat() {
    let lines = AtomicU64::new(0);
    let boards: Vec<&str> = GAMES.iter().map(|(name, ..)| *name).collect();
    boards::each(&boards, |name, seed| {
        let (_, from, _) = GAMES.iter().find(|(n, ..)| *n == name).unwrap();
        let game = Catalogue::standard().open(name).unwrap();
        let (mut rng, mut session) = (Rng::seed_from_u64(99 + seed), game.session());
        for round in 0..rounds(50) {
            let Some(_) = won_position(&mut *session, from, &mut rng) else { panic!("{name}") };
            let by = [EngineId::Auto, EngineId::Dfpn][round as usize % 2];
            let mut report = session.solve(&EngineConfig::new(by), &limits(), &|_| {});
            let end = session.complete_line(&mut report, &limits());
            assert_eq!(report.best.as_ref(), report.line.first(), "{name}");
            let mut met = HashSet::from([session.position()]);
            for mv in &report.line {
                session.play(mv).unwrap();
                assert!(met.insert(session.position()), "{name}: {:?}", report.line);
            }
            assert_eq!(session.outcome().is_some(), end == LineEnd::GameOver, "{name}: {end:?}");
            lines.fetch_add(1, Relaxed);
        }
    });
    assert!(lines.load(Relaxed) >= 50);
}

/// Drawn positions: a move that gives nothing away, and where replies can lose, one after which some do.
#[test]
fn draws_are_kept_and_set_traps() {
    let game = Catalogue::standard().open("tictactoe").unwrap();
    let engine = EngineConfig::new(EngineId::DEFAULT);
    let mut rng = Rng::seed_from_u64(3);
    for round in 0..rounds(100) {
        let mut session = game.session();
        let me = [Player::First, Player::Second][round as usize % 2];
        while session.outcome().is_none() {
            let mv = if session.turn() == me {
                session.choose(&engine, &limits(), &|_| {}).unwrap().mv
            } else {
                let moves = session.moves();
                moves[rng.random_range(0..moves.len())].clone()
            };
            session.play(&mv).unwrap();
        }
        assert!(session.outcome().unwrap() * me.sign() >= 0, "the draw is kept");
    }
}
