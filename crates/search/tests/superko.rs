//! Games in which no board may come back, against brute force: rules and history, nothing else.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;
use zermelo_game::{Bounds, Game, History, Limits, MoveList, Stop, Value};
use zermelo_games::go::Go;
use zermelo_search::alphabeta::{Config, Solver};

/// The value for the player to move, by all lines of play, cut off only by the window. `boards` are all
/// that have stood; `None` if the budget is spent.
fn brute(
    go: &Go,
    p: &<Go as Game>::Position,
    boards: &mut HashSet<u64>,
    mut alpha: Value,
    beta: Value,
    budget: &mut u64,
    depth: u32,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    let turn = go.turn(p);
    if let Some(value) = go.outcome(p) {
        return Some(value * turn.sign());
    }
    if depth == 0 {
        return None;
    }
    let mut list = MoveList::new();
    go.moves(p, &mut list);
    let mut best = Value::MIN;
    // Passing first: where both pass the game is over soon.
    let moves: Vec<u8> = list.iter().collect();
    for &m in moves.iter().rev() {
        let next = go.play(p, m);
        let board = go.board(&next);
        let stays = board == go.board(p);
        if !stays && !boards.insert(board) {
            continue;
        }
        let value = brute(go, &next, boards, -beta, -alpha, budget, depth - 1);
        if !stays {
            boards.remove(&board);
        }
        best = best.max(-value?);
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    Some(best)
}

fn truth(go: &Go, history: &History, p: &<Go as Game>::Position, budget: u64) -> Option<Value> {
    let mut boards: HashSet<u64> = history.boards().iter().copied().collect();
    let all = go.values().hi;
    let value = brute(go, p, &mut boards, -all, all, &mut { budget }, 300)?;
    Some(value * go.turn(p).sign())
}

/// Random games, each position of which is solved both ways, with its history and without.
fn compare(rows: u32, cols: u32, komi: Option<i32>, positions: u32, budget: u64) -> [u32; 2] {
    let go = Go::new(rows, cols, komi);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(rows * 100 + cols));
    let (mut compared, mut rested, mut round) = (0, 0, 0u64);
    while compared < positions {
        round += 1;
        assert!(round < 100_000, "no position is small enough");
        let config = Config { seed: round % 2, ..Config::default() };
        // Tables that hold everything, and tables that hold next to nothing.
        let memory = [1 << 22, 1 << 16, 1 << 11][round as usize % 3];
        let limits = Limits { memory, ..Limits::default() };
        let mut solver = Solver::new(&go, config, limits);
        let mut p = go.start();
        let mut history = History::of(&go, &p);
        let passes = rng.random_range(0..4);
        for _ in 0..rng.random_range(1..120) {
            let mut list = MoveList::new();
            history.moves(&go, &p, &mut list);
            // Few passes, so that games get long.
            let mut m = list.scored()[rng.random_range(0..list.len())].mv;
            if list.len() > 1 && rng.random_range(0..4) >= passes {
                m = list.scored()[rng.random_range(0..list.len() - 1)].mv;
            }
            p = go.play(&p, m);
            history.push(&go, &p);
            if go.outcome(&p).is_some() {
                break;
            }
            for history in [&history, &History::of(&go, &p)] {
                let Some(value) = truth(&go, history, &p, budget) else { continue };
                assert!(history.bounds(&go, &p).contains(value), "claims of {p:?}");
                assert!(go.static_bounds(&p).contains(value), "static bounds of {p:?}");
                let found = solver.solve_after(history, &p, &|_| {});
                let what = || format!("{} {} after {history:?}", go.name(), go.position_text(&p));
                assert_eq!(found.stop, Stop::Solved, "{}", what());
                assert_eq!(found.bounds, Bounds::exact(value), "{}", what());
                if !found.rests_on_history {
                    let alone = truth(&go, &History::of(&go, &p), &p, budget * 4);
                    assert!(alone.is_none_or(|v| v == value), "{}: hidden history", what());
                }
                check_line(&go, history, &p, &found.line, value);
                compared += 1;
                rested += u32::from(found.rests_on_history);
            }
        }
    }
    [compared, rested]
}

/// The line keeps the rules and ends with the value.
fn check_line(go: &Go, history: &History, p: &<Go as Game>::Position, line: &[u8], value: Value) {
    let (mut history, mut p) = (history.clone(), *p);
    for &m in line {
        let mut list = MoveList::new();
        history.moves(go, &p, &mut list);
        assert!(list.iter().any(|o| o == m), "illegal move in the line");
        p = go.play(&p, m);
        history.push(go, &p);
    }
    if line.len() < 100 {
        assert_eq!(go.outcome(&p), Some(value), "the line ends otherwise");
    }
}

/// The boards of b1 d1 a1 forbid first to take two stones back, and turn a win into a loss.
#[test]
fn a_history_can_change_the_value() {
    let go = Go::new(1, 4, None);
    let mut p = go.start();
    let mut history = History::of(&go, &p);
    for word in ["b1", "d1", "a1"] {
        p = go.play(&p, go.parse_move(&p, word).unwrap());
        history.push(&go, &p);
    }
    let mut solver = Solver::new(&go, Config::default(), Limits::default());
    for _ in 0..2 {
        let found = solver.solve_after(&history, &p, &|_| {});
        assert_eq!((found.bounds, found.rests_on_history), (Bounds::exact(-4), true));
        let found = solver.solve(&p, &|_| {});
        assert_eq!((found.bounds, found.rests_on_history), (Bounds::exact(4), false));
    }
}

macro_rules! compare {
    ($($test:ident: $rows:literal $cols:literal $komi:expr, $positions:literal, $budget:literal;)+) => {$(
        #[test]
        fn $test() {
            let [compared, rested] = compare($rows, $cols, $komi, $positions, $budget);
            println!("{compared} positions, {rested} of them rest on their history");
        }
    )+};
}

compare! {
    one_by_one: 1 1 None, 20, 1_000;
    one_by_two: 1 2 None, 500, 10_000;
    one_by_three: 1 3 None, 3_000, 20_000;
    one_by_four: 1 4 None, 3_000, 20_000;
    one_by_five: 1 5 None, 3_000, 20_000;
    two_by_two: 2 2 None, 3_000, 20_000;
    two_by_three: 2 3 None, 3_000, 20_000;
    two_by_three_komi: 2 3 Some(2_000), 3_000, 20_000;
    two_by_four: 2 4 None, 1_000, 20_000;
    three_by_three: 3 3 None, 1_000, 20_000;
    three_by_four: 3 4 None, 500, 20_000;
}
