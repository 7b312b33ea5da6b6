//! Lambda search: what it claims is true, and what it finds.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use zermelo_game::conformance::rounds;
use zermelo_game::{
    Ablation, Game, Knowledge, Limits, MoveList, Notation, Player, Rules, Stop, Threats, Tuned,
    Value,
};
use zermelo_games::atarigo::{AtariGo, AtariGoKnowledge};
use zermelo_games::mnk::{Mnk, MnkKnowledge};
use zermelo_search::options::Thousandths;
use zermelo_search::proofnumber::dfpn::{self, Dfpn};
use zermelo_search::proofnumber::lambda::{AttackOutcome, Config, Solver};
use zermelo_search::proofnumber::leaf::Leaf;
use zermelo_search::proofnumber::numbers::{SumRule, Tie};

/// The orders tried.
const ORDERS: u32 = 4;

/// The value by the rules alone, each position once.
fn value<R: Rules>(rules: &R, p: &R::Position, seen: &mut FxHashMap<R::Key, Value>) -> Value {
    if let Some(value) = rules.outcome(p) {
        return value;
    }
    if let Some(&value) = seen.get(&rules.key(p)) {
        return value;
    }
    let mut list = MoveList::new();
    rules.moves(p, &mut list);
    let sign = rules.turn(p).sign();
    let mut best = Value::MIN;
    for m in list.iter() {
        best = best.max(value(rules, &rules.play(p, m), seen) * sign);
        if best == 1 {
            break;
        }
    }
    seen.insert(rules.key(p), best * sign);
    best * sign
}

/// Attacks of both players, with and without the knowledge of the game.
struct Tally {
    positions: usize,
    /// Wins there are, and wins found with each order, for the player to move.
    wins: usize,
    found: [[usize; ORDERS as usize + 1]; 2],
}

/// Compares lambda search with the rules on the positions of random games with at most `left` empty
/// cells.
fn compare<R: Notation + Threats, K: Knowledge<R>>(
    rules: &R,
    knowledge: K,
    positions: usize,
    left: u32,
) -> Tally {
    let knowledge = Arc::new(knowledge);
    let without = Ablation { knowledge: true, symmetry: false, order: true };
    let reduced = Tuned::new(knowledge.clone(), without);
    let (game, bare) = (Game::new(rules, &*knowledge), Game::new(rules, &reduced));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2000);
    let mut tally = Tally { positions: 0, wins: 0, found: Default::default() };
    for round in 0.. {
        let sums = [SumRule::Sum, SumRule::Weak, SumRule::Top(3, Tie::Greater)];
        let config = Config { rule: sums[round % 3], epsilon: Thousandths([0, 250][round % 2]) };
        let memory = [1 << 18, 1 << 22][round / 2 % 2];
        let mut rich = Solver::new(game, config.clone(), memory);
        let mut poor = Solver::new(bare, config, memory);
        let mut seen = FxHashMap::default();
        let mut p = game.start();
        while game.outcome(&p).is_none() {
            if game.plies_left(&p) <= left {
                let truth = value(rules, &p, &mut seen);
                check(rules, &mut rich, &p, truth, &mut tally.found[0]);
                check(rules, &mut poor, &p, truth, &mut tally.found[1]);
                tally.wins += usize::from(truth == game.turn(&p).sign());
                tally.positions += 1;
                if tally.positions == positions {
                    return tally;
                }
            }
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
        }
    }
    unreachable!("games end")
}

/// Whatever is claimed is true, and the line shows it.
fn check<R: Notation + Threats, K: Knowledge<R>>(
    game: &R,
    solver: &mut Solver<R, K>,
    p: &R::Position,
    truth: Value,
    found: &mut [usize; ORDERS as usize + 1],
) {
    let text = || format!("{} {}", game.name(), game.position_text(p));
    for attacker in [Player::First, Player::Second] {
        let outcome = solver.attack(p, attacker, ORDERS, &Limits::default());
        let Some(order) = outcome.won else {
            assert_eq!(outcome.stop, Stop::Exhausted, "{}", text());
            continue;
        };
        assert_eq!(outcome.stop, Stop::Solved);
        assert_eq!(truth, attacker.sign(), "{}: {attacker} wins with order {order}?", text());
        let end = outcome.line.iter().fold(*p, |q, &m| {
            let mut list = MoveList::new();
            game.moves(&q, &mut list);
            assert!(list.iter().any(|legal| legal == m), "{}: {:?}", text(), outcome.line);
            game.play(&q, m)
        });
        assert_eq!(game.outcome(&end), Some(truth), "{}: {:?}", text(), outcome.line);
        if attacker == game.turn(p) {
            found[order as usize] += 1;
        }
    }
    let report = solver.solve(p, 2, &Limits::default());
    assert!(report.bounds.contains(truth), "{}: {}", text(), report.bounds);
}

/// Prints what share of the wins was found, and returns it in hundredths, with and without knowledge.
fn shares(name: &str, tally: &Tally) -> [usize; 2] {
    let share =
        |found: &[usize; ORDERS as usize + 1]| 100 * found.iter().sum::<usize>() / tally.wins;
    let Tally { positions, wins, found } = tally;
    let shares = [share(&found[0]), share(&found[1])];
    println!("{name}: {positions} positions, {wins} wins, by order {found:?}: {shares:?} %");
    shares
}

#[test]
fn claims_in_a_row_are_true() {
    let mut checked = 0;
    for (rows, cols, line) in [(3, 3, 3), (3, 4, 3), (4, 4, 3), (4, 4, 4), (3, 5, 4), (2, 6, 3)] {
        let rules = Mnk::<u64>::new(rows, cols, line);
        let knowledge = MnkKnowledge::new(&rules);
        let tally = compare(&rules, knowledge, rounds(2_000) as usize, 9);
        let shares = shares(&format!("{rows}x{cols}x{line}"), &tally);
        assert!(shares.iter().all(|&s| s >= 90), "{shares:?}");
        checked += tally.positions;
    }
    assert!(checked as u64 >= rounds(10_000));
}

#[test]
fn claims_of_captures_are_true() {
    let mut checked = 0;
    for (rows, cols) in [(2, 3), (3, 3), (3, 4), (2, 6), (4, 4), (3, 5)] {
        let rules = AtariGo::<u64>::new(rows, cols);
        let knowledge = AtariGoKnowledge::new(&rules);
        let tally = compare(&rules, knowledge, rounds(2_000) as usize, 9);
        let shares = shares(&format!("atarigo {rows}x{cols}"), &tally);
        assert!(shares[0] >= 50, "{shares:?}");
        checked += tally.positions;
    }
    assert!(checked as u64 >= rounds(10_000));
}

/// Nodes of plain df-pn, or the limit.
fn dfpn_nodes<R: Rules, K: Knowledge<R>>(game: Game<R, K>, p: &R::Position, limit: u64) -> u64 {
    let limits = Limits { nodes: Some(limit), memory: 1 << 26, ..Limits::default() };
    let config = dfpn::Config { leaf: Leaf::One, ..dfpn::Config::default() };
    Dfpn::new(game, config, limits).solve(p, &|_| {}).stats.nodes
}

/// An attack of the first player within so many nodes.
fn attack<R: Threats, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    order: u32,
    nodes: u64,
) -> AttackOutcome<R::Move> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    Solver::new(game, Config::default(), 1 << 26).attack(p, Player::First, order, &limits)
}

#[test]
fn a_ladder_is_of_order_one() {
    let rules = AtariGo::<u128>::new(7, 9);
    let knowledge = Arc::new(AtariGoKnowledge::new(&rules));
    let reduced = Tuned::new(knowledge.clone(), Ablation::ALL);
    let (game, bare) = (Game::new(&rules, &*knowledge), Game::new(&rules, &reduced));
    // Second's stone on c3 is driven up the diagonal to the far edge, an atari with each move.
    let text = "........./........./........./........./.xo....../..xx...../......... first";
    let p = game.parse_position(text).unwrap();
    let found = attack(bare, &p, 1, 1_000);
    assert_eq!(found.won, Some(1));
    assert!(found.line.len() >= 15, "{:?}", found.line);
    let plain = dfpn_nodes(bare, &p, 20_000);
    assert_eq!(plain, 20_000, "it needs more");
    assert!(found.stats.nodes < 1_000);
    // Where the game itself reads one capture ahead, both walk down the ladder and no farther.
    assert!(attack(game, &p, 1, 50).won.is_some());
}

#[test]
fn a_net_is_no_ladder_but_with_knowledge_a_threat_will_do() {
    let rules = AtariGo::<u128>::new(7, 9);
    let knowledge = Arc::new(AtariGoKnowledge::new(&rules));
    let reduced = Tuned::new(knowledge.clone(), Ablation::ALL);
    let (game, bare) = (Game::new(&rules, &*knowledge), Game::new(&rules, &reduced));
    // The ladder of the stone on e4 runs into g6.
    let text = "........./......o../...x...../...xo..../....xx.o./........./......... first";
    let p = game.parse_position(text).unwrap();
    let ladders = attack(bare, &p, 1, 20_000);
    assert_eq!((ladders.won, ladders.stop), (None, Stop::Exhausted));
    let net = attack(game, &p, 1, 1_000);
    assert_eq!(net.won, Some(1));
    assert_eq!(dfpn_nodes(game, &p, 20_000), 20_000, "plain df-pn needs more");
}

#[test]
fn first_players_win_by_threats() {
    // By direct threats; by threats to make two of them at once; not at all: that one is a draw.
    for (rows, cols, line, order, nodes) in
        [(4, 4, 3, Some(1), 100), (5, 6, 4, Some(2), 30_000), (5, 5, 4, None, 20_000)]
    {
        let rules = Mnk::<u128>::new(rows, cols, line);
        let knowledge = MnkKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let found = attack(game, &game.start(), 2, nodes);
        assert_eq!(found.won, order, "{}", game.name());
        if order.is_none() {
            continue;
        }
        let plain = dfpn_nodes(game, &game.start(), 100_000);
        println!("{}: {} nodes, plain df-pn {plain}", game.name(), found.stats.nodes);
        assert!(found.stats.nodes < plain);
    }
}

/// Threat-space search: order 1, on a board on which quiet moves abound.
#[test]
fn direct_threats_are_a_narrow_tree() {
    const WINS: usize = 30;
    let rules = Mnk::<u128>::new(7, 9, 5);
    let knowledge = MnkKnowledge::new(&rules);
    let game = Game::new(&rules, &knowledge);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1993);
    let (mut wins, mut nodes, mut plain) = (0, 0, 0);
    while wins < WINS {
        let mut p = game.start();
        while !game.static_bounds(&p).is_exact() && wins < WINS {
            if game.turn(&p) == Player::First {
                let found = attack(game, &p, 1, 10_000);
                // Not those that are over with the second move.
                if found.won.is_some() && found.line.len() > 5 {
                    wins += 1;
                    nodes += found.stats.nodes;
                    plain += dfpn_nodes(game, &p, 10_000);
                }
            }
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
        }
    }
    println!("{wins} wins by direct threats: {nodes} nodes, plain df-pn {plain} or more");
    assert!(nodes < plain, "{nodes}, {plain}");
}
