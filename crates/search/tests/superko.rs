//! Games in which boards must not be repeated, against brute force: rules and history, nothing else.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;
use zermelo_game::{
    Bits, Bounds, BySuperko, Game, History, Key, Limits, MoveList, Notation, Rules, Stop, Superko,
    SuperkoRule, Value,
};
use zermelo_games::cells::{CellSet, WideKey, WideSet};
use zermelo_games::go::{Go, GoKnowledge};
use zermelo_search::superko::Solver;

/// Which boards must not be repeated.
fn superko<R: Superko>() -> SuperkoRule<R> {
    Some(&BySuperko)
}

/// The value for the player to move, by all lines of play, cut off only by the window. `boards` are all
/// that have stood; `None` if the budget is spent.
fn brute<R: Superko>(
    go: &R,
    p: &R::Position,
    boards: &mut HashSet<R::Key>,
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
    let moves: Vec<R::Move> = list.iter().collect();
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

fn truth<R: Superko>(go: &R, history: &History<R>, p: &R::Position, budget: u64) -> Option<Value> {
    let mut boards: HashSet<R::Key> = history.boards().iter().copied().collect();
    let all = go.values().hi;
    let value = brute(go, p, &mut boards, -all, all, &mut { budget }, 300)?;
    Some(value * go.turn(p).sign())
}

/// Random games, each position of which is solved both ways, with its history and without.
fn compare<K: Key + Bits, B: CellSet>(go: &Go<K, B>, positions: u32, budget: u64) -> [u32; 2] {
    let game = Game::new(go, &GoKnowledge);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(go.key_bits().into());
    let (mut compared, mut rested, mut round) = (0, 0, 0u64);
    while compared < positions {
        round += 1;
        assert!(round < 100_000, "no position is small enough");
        // Tables that hold everything, and tables that hold next to nothing.
        let memory = [1 << 22, 1 << 16, 1 << 11][round as usize % 3];
        let limits = Limits { memory: memory * K::WORDS as u64, ..Limits::default() };
        let mut solver = Solver::new(game, round % 2, limits);
        let mut p = go.start();
        let mut history = History::of(go, superko(), &p);
        let passes = rng.random_range(0..4);
        for _ in 0..rng.random_range(1..120) {
            let mut list = MoveList::new();
            history.moves(go, &p, &mut list);
            // Few passes, so that games get long.
            let mut m = list.scored()[rng.random_range(0..list.len())].mv;
            if list.len() > 1 && rng.random_range(0..4) >= passes {
                m = list.scored()[rng.random_range(0..list.len() - 1)].mv;
            }
            p = go.play(&p, m);
            history.push(go, &p);
            if go.outcome(&p).is_some() {
                break;
            }
            for history in [&history, &History::of(go, superko(), &p)] {
                let Some(value) = truth(go, history, &p, budget) else { continue };
                assert!(game.bounds_after(history, &p).contains(value), "claims of {p:?}");
                assert!(game.static_bounds(&p).contains(value), "static bounds of {p:?}");
                let found = solver.solve(history, &p, &|_| {});
                let what = || format!("{} {} after {history:?}", go.name(), go.position_text(&p));
                assert_eq!(found.stop, Stop::Solved, "{}", what());
                assert_eq!(found.bounds, Bounds::exact(value), "{}", what());
                if !found.rests_on_history {
                    let alone = truth(go, &History::of(go, superko(), &p), &p, budget * 4);
                    assert!(alone.is_none_or(|v| v == value), "{}: hidden history", what());
                }
                let budget = if compared % 32 == 0 { budget } else { 0 };
                check_line(go, history, &p, &found.line, value, budget);
                compared += 1;
                rested += u32::from(found.rests_on_history);
            }
        }
    }
    [compared, rested]
}

/// The line keeps the rules and ends with the value, which every position along it has after what led there, where brute
/// force can tell.
fn check_line<R: Superko>(
    go: &R,
    history: &History<R>,
    p: &R::Position,
    line: &[R::Move],
    value: Value,
    budget: u64,
) {
    let (mut history, mut p) = (history.clone(), *p);
    for &m in line {
        let mut list = MoveList::new();
        history.moves(go, &p, &mut list);
        assert!(list.iter().any(|o| o == m), "illegal move in the line");
        p = go.play(&p, m);
        history.push(go, &p);
        let found = if budget > 0 { truth(go, &history, &p, budget) } else { None };
        assert!(found.is_none_or(|found| found == value), "{found:?} along {line:?} after {m:?}");
    }
    if line.len() < 100 {
        assert_eq!(go.outcome(&p), Some(value), "the line ends otherwise");
    }
}

/// The boards of b1 d1 a1 forbid first to take two stones back, and turn a win into a loss.
#[test]
fn a_history_can_change_the_value() {
    let go = Go::<u64>::new(1, 4, None);
    let mut p = go.start();
    let mut history = History::of(&go, superko(), &p);
    for word in ["b1", "d1", "a1"] {
        p = go.play(&p, go.parse_move(&p, word).unwrap());
        history.push(&go, &p);
    }
    let mut solver = Solver::new(Game::new(&go, &GoKnowledge), 0, Limits::default());
    for _ in 0..2 {
        let found = solver.solve(&history, &p, &|_| {});
        assert_eq!((found.bounds, found.rests_on_history), (Bounds::exact(-4), true));
        let found = solver.solve(&History::of(&go, superko(), &p), &p, &|_| {});
        assert_eq!((found.bounds, found.rests_on_history), (Bounds::exact(4), false));
    }
}

macro_rules! compare {
    ($board:ty, $($test:ident: $rows:literal $cols:literal $komi:expr, $positions:literal, $budget:literal;)+) => {$(
        #[test]
        fn $test() {
            let go = <$board>::new($rows, $cols, $komi);
            let [compared, rested] = compare(&go, $positions, $budget);
            println!("{compared} positions, {rested} of them rest on their history");
        }
    )+};
}

compare! {
    Go<u64>,
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

// The same with the types of large boards.
compare! {
    Go<WideKey, WideSet>,
    wide_one_by_five: 1 5 None, 500, 20_000;
    wide_two_by_three: 2 3 Some(2_000), 500, 20_000;
    wide_three_by_three: 3 3 None, 200, 20_000;
}

/// Boards that no word holds. All that is open is who takes a stone in the corner.
#[test]
fn ends_of_games_on_large_boards() {
    for (rows, cols) in [(6, 7), (9, 9), (19, 19)] {
        let go = Go::<WideKey, WideSet>::new(rows, cols, None);
        // The first player holds all but the top row but for two eyes, the second has two stones in a corner.
        let full = "x".repeat(cols as usize);
        let eyes = format!(".x.{}", "x".repeat(cols as usize - 3));
        let top = format!("oo.x{}", ".".repeat(cols as usize - 4));
        let mut lines = vec![top, eyes];
        lines.resize(rows as usize, full);
        let p = go.parse_position(&format!("{} second", lines.join("/"))).unwrap();
        let history = History::of(&go, superko(), &p);
        let game = Game::new(&go, &GoKnowledge);
        let mut solver = Solver::new(game, 0, Limits::default());
        let found = solver.solve(&history, &p, &|_| {});
        assert_eq!(found.stop, Stop::Solved);
        assert_eq!(found.bounds, Bounds::exact((rows * cols) as Value), "{}", go.name());
        check_line(&go, &history, &p, &found.line, (rows * cols) as Value, 0);
    }
}
