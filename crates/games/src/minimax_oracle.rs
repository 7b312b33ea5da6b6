//! Knowledge against plain minimax on random positions, for the tests of games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use zermelo_game::{Bounds, Game, Knowledge, MoveList, Notation, Rules, Sliced, Value};

/// Values that are known already.
pub type ValueMap<R> = FxHashMap<<R as Rules>::Key, Value>;

/// The value by the rules alone, each position once.
pub fn value<R: Notation>(game: &R, p: &R::Position, seen: &mut ValueMap<R>) -> Value {
    if let Some(value) = game.outcome(p) {
        return value;
    }
    if let Some(&value) = seen.get(&game.key(p)) {
        return value;
    }
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    let (sign, range) = (game.turn(p).sign(), game.values().seen_by(game.turn(p)));
    let mut best = range.lo;
    for m in list.iter() {
        best = best.max(value(game, &game.play(p, m), seen) * sign);
        if best == range.hi {
            break;
        }
    }
    seen.insert(game.key(p), best * sign);
    best * sign
}

/// Plays random games and compares static bounds and candidate moves with minimax wherever at most
/// `left` plies are left. Returns how many positions were compared.
///
/// # Panics
/// If they do not agree.
pub fn compare<R: Notation, K: Knowledge<R>>(
    rules: &R,
    knowledge: &K,
    games: u32,
    left: u32,
) -> u32 {
    let game = Game::new(rules, knowledge);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut compared = 0;
    for _ in 0..games {
        let mut seen = ValueMap::<R>::default();
        let mut p = game.start();
        loop {
            if game.plies_left(&p) <= left {
                agree(game, &p, &mut seen);
                compared += 1;
            }
            if game.outcome(&p).is_some() {
                break;
            }
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
        }
    }
    compared
}

/// Compares what is known without search, the moves left out and the proving ones with minimax. Returns what is known.
///
/// # Panics
/// If they do not agree.
pub fn agree<R: Notation, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    seen: &mut ValueMap<R>,
) -> Bounds {
    let rules = game.rules();
    let truth = value(rules, p, seen);
    let text = || format!("{}: {}", game.name(), game.position_text(p));
    let canonical = game.canonical(p);
    assert_eq!(value(rules, &canonical, seen), truth, "{}, the canonical position", text());
    assert_eq!(game.canonical(&canonical), canonical, "{}, canonical twice", text());
    let known = game.static_bounds(p);
    assert!(known.contains(truth), "{}: {known}, but {truth}", text());
    if !known.is_exact() || game.prunes_candidates() {
        let sign = game.turn(p).sign();
        let mut list = MoveList::new();
        let mut best = game.candidate_moves(p, &mut list);
        let range = game.values().seen_by(game.turn(p));
        if game.prunes_candidates()
            && game.first_candidate_wins()
            && best == range.hi
            && game.outcome(p).is_none()
        {
            let named = list.iter().next().map(|m| value(rules, &game.play(p, m), seen) * sign);
            assert_eq!(named, Some(best), "{}, the listed win", text());
        }
        for m in list.iter() {
            best = best.max(value(rules, &game.play(p, m), seen) * sign);
        }
        assert_eq!(best * sign, truth, "{}, by the candidate moves", text());
    }
    if game.outcome(p).is_none() {
        let sign = game.turn(p).sign();
        for wanted in -truth.abs()..=1 {
            if let Some(m) = game.proving_move(p, wanted) {
                let got = value(rules, &game.play(p, m), seen) * sign;
                assert!(got >= wanted, "{}, {}: {got}", text(), game.move_text(p, m));
            }
        }
    }
    known
}

/// What a place of a slice is worth for the player to move, and how many plies from the end if one side wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetrogradeEntry {
    pub value: Value,
    pub plies: u32,
}

/// A place with its slice.
type Spot<R> = (<R as Sliced>::Slice, usize);

/// All slices with at most so many pieces, solved by forward moves and sweeps alone: what nobody can force is a
/// draw. `None` for empty places.
pub fn retrograde<R: Sliced>(
    game: &R,
    pieces: u32,
) -> FxHashMap<R::Slice, Vec<Option<RetrogradeEntry>>> {
    const OPEN: RetrogradeEntry = RetrogradeEntry { value: 0, plies: u32::MAX };
    let mut done: FxHashMap<R::Slice, Vec<Option<RetrogradeEntry>>> = FxHashMap::default();
    for group in game.groups(pieces) {
        for &slice in &group {
            let start = |place| {
                let p = game.at(slice, place)?;
                let over = |v: Value| RetrogradeEntry { value: v * game.turn(&p).sign(), plies: 0 };
                Some(game.outcome(&p).map_or(OPEN, over))
            };
            done.insert(slice, (0..game.places(slice)).map(start).collect());
        }
        // A mate in so many plies is found in that sweep and no other; mates that come out of
        // earlier groups may be longer than the sweeps so far.
        let mut children: Vec<(Spot<R>, Vec<Spot<R>>)> = Vec::new();
        for &slice in &group {
            for place in 0..game.places(slice) {
                let open = done[&slice][place as usize] == Some(OPEN);
                let Some(p) = game.at(slice, place).filter(|_| open) else { continue };
                let mut list = MoveList::new();
                game.moves(&p, &mut list);
                let to = |m| game.place(&game.play(&p, m)).expect("a place");
                let to = list.iter().map(to).map(|(s, at)| (s, at as usize)).collect();
                children.push(((slice, place as usize), to));
            }
        }
        let longest = |done: &FxHashMap<R::Slice, Vec<Option<RetrogradeEntry>>>| {
            let all = done.values().flatten().flatten();
            all.map(|e| e.plies).filter(|&p| p != u32::MAX).max().unwrap_or(0)
        };
        let mut sweep = 1;
        while sweep <= longest(&done) + 1 {
            children.retain(|((slice, place), to)| {
                let entry = |(s, at): &Spot<R>| done[s][*at].expect("a position");
                let in_time = |e: &RetrogradeEntry| e.plies != u32::MAX && e.plies < sweep;
                let wins = to.iter().map(entry).any(|e| e.value < 0 && in_time(&e));
                let loses = to.iter().map(entry).all(|e| e.value > 0 && in_time(&e));
                if wins || loses {
                    let value = if wins { 1 } else { -1 };
                    let found = Some(RetrogradeEntry { value, plies: sweep });
                    done.get_mut(slice).expect("a slice")[*place] = found;
                }
                !wins && !loses
            });
            sweep += 1;
        }
        for &slice in &group {
            for entry in done.get_mut(&slice).expect("a slice").iter_mut().flatten() {
                if *entry == OPEN {
                    entry.plies = 0;
                }
            }
        }
    }
    done
}

/// The value of a position, with what its places keep worked out by recursion: each place once, whatever was won before.
/// For games that never repeat.
pub fn kept_value<R: Sliced>(game: &R, p: &R::Position) -> Value {
    let mut kept = FxHashMap::default();
    value_by_places(game, p, &mut kept) * game.turn(p).sign()
}

/// The value for the player to move.
fn value_by_places<R: Sliced>(
    game: &R,
    p: &R::Position,
    kept: &mut FxHashMap<(R::Slice, u64), Value>,
) -> Value {
    let (slice, place) = game.place(p).expect("a place");
    if let Some(&value) = kept.get(&(slice, place)) {
        return game.value_of(p, value);
    }
    // The position of the place itself, so that its own stores serve as well as any.
    let q = game.at(slice, place).expect("a position");
    let value = match game.outcome(&q) {
        Some(value) => value * game.turn(&q).sign(),
        None => {
            let mut list = MoveList::new();
            game.moves(&q, &mut list);
            let values = list.iter().map(|m| -value_by_places(game, &game.play(&q, m), kept));
            values.max().expect("a move")
        }
    };
    let value = game.kept_for(&q, value);
    assert!(game.kept_values(slice).contains(value), "{}", game.position_text(&q));
    kept.insert((slice, place), value);
    game.value_of(p, value)
}

/// Compares values by places with plain minimax along random games. Returns how many positions were compared.
///
/// # Panics
/// If they do not agree.
pub fn compare_kept<R: Sliced>(game: &R, games: u32) -> u32 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut seen, mut kept, mut compared) = (ValueMap::<R>::default(), FxHashMap::default(), 0);
    for _ in 0..games {
        let mut p = game.start();
        loop {
            let by_places = value_by_places(game, &p, &mut kept) * game.turn(&p).sign();
            let truth = value(game, &p, &mut seen);
            assert_eq!(by_places, truth, "{}: {}", game.name(), game.position_text(&p));
            compared += 1;
            if game.outcome(&p).is_some() {
                break;
            }
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
        }
    }
    compared
}

/// What all places of all slices keep, where positions can repeat and cycles are worth what stands: worked out by sweeps
/// of forward moves, from below, first what a player can force.
pub fn scores<R: Sliced>(game: &R, pieces: u32) -> FxHashMap<R::Slice, Vec<Value>> {
    let mut done: FxHashMap<R::Slice, Vec<Value>> = FxHashMap::default();
    for group in game.groups(pieces) {
        // For each place: how much more than what stands the player to move can force, and how much the other can.
        let mut forced: FxHashMap<R::Slice, Vec<[Value; 2]>> = FxHashMap::default();
        for &slice in &group {
            forced.insert(slice, vec![[0; 2]; game.places(slice) as usize]);
        }
        loop {
            let mut changed = false;
            for &slice in &group {
                for place in 0..game.places(slice) {
                    let Some(p) = game.at(slice, place) else { continue };
                    let sign = game.turn(&p).sign();
                    let stands = game.standing(&p) * sign;
                    let new = match game.outcome(&p) {
                        Some(value) => split(value * sign - stands),
                        None => {
                            let mut list = MoveList::new();
                            game.moves(&p, &mut list);
                            let child = |m| {
                                let q = game.play(&p, m);
                                let (to, at) = game.place(&q).expect("a place");
                                match forced.get(&to) {
                                    Some(inside) => inside[at as usize],
                                    None => {
                                        let kept = done[&to][at as usize];
                                        split(game.value_of(&q, kept) + stands)
                                    }
                                }
                            };
                            let children: Vec<[Value; 2]> = list.iter().map(child).collect();
                            let mine = children.iter().map(|c| c[1]).max().expect("a move");
                            let yours = children.iter().map(|c| c[0]).min().expect("a move");
                            [mine, yours]
                        }
                    };
                    let old = &mut forced.get_mut(&slice).expect("a slice")[place as usize];
                    changed |= *old != new;
                    *old = new;
                }
            }
            if !changed {
                break;
            }
        }
        for (slice, places) in forced {
            let keep = |(place, [mine, yours]): (usize, [Value; 2])| {
                let p = game.at(slice, place as u64).expect("a position");
                let stands = game.standing(&p) * game.turn(&p).sign();
                game.kept_for(&p, stands + mine - yours)
            };
            done.insert(slice, places.into_iter().enumerate().map(keep).collect());
        }
    }
    done
}

/// What a value is above 0 and below it.
fn split(value: Value) -> [Value; 2] {
    [value.max(0), (-value).max(0)]
}

/// Compares [`scores`] with minimax that carries its line, on all places that it settles. Returns how many those are.
///
/// # Panics
/// If they do not agree.
pub fn compare_scores<R: Sliced>(game: &R) -> u32 {
    let mut compared = 0;
    for (slice, kept) in scores(game, u32::MAX) {
        for (place, &kept) in kept.iter().enumerate() {
            let Some(p) = game.at(slice, place as u64) else { continue };
            let value = game.value_of(&p, kept) * game.turn(&p).sign();
            let mut budget = 20_000;
            if let Some(truth) = value_on_line(game, &p, &mut Vec::new(), &mut budget) {
                assert_eq!(value, truth, "{}: {}", game.name(), game.position_text(&p));
                compared += 1;
            }
        }
    }
    compared
}

fn value_on_line<R: Notation>(
    game: &R,
    p: &R::Position,
    line: &mut Vec<R::Position>,
    budget: &mut u32,
) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    if let Some(value) = game.outcome(p) {
        return Some(value);
    }
    if let Some(at) = line.iter().position(|q| q == p) {
        return game.repeated(p, line.len() - at);
    }
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    let sign = game.turn(p).sign();
    line.push(*p);
    let mut best = Value::MIN;
    for m in list.iter() {
        best = best.max(value_on_line(game, &game.play(p, m), line, budget)? * sign);
    }
    line.pop();
    Some(best * sign)
}

/// The values of all positions that play reaches from the start, by sweeps of forward moves; what nobody can force is a
/// draw. For values from -1 to 1.
pub fn reachable<R: Notation>(game: &R) -> FxHashMap<R::Position, Value>
where
    R::Position: Hash,
{
    let mut children: FxHashMap<R::Position, Vec<R::Position>> = FxHashMap::default();
    let mut values: FxHashMap<R::Position, Value> = FxHashMap::default();
    let mut todo = vec![game.start()];
    while let Some(p) = todo.pop() {
        if values.contains_key(&p) || children.contains_key(&p) {
            continue;
        }
        if let Some(value) = game.outcome(&p) {
            values.insert(p, value);
            continue;
        }
        let mut list = MoveList::new();
        game.moves(&p, &mut list);
        let next: Vec<R::Position> = list.iter().map(|m| game.play(&p, m)).collect();
        todo.extend(&next);
        children.insert(p, next);
    }
    loop {
        let before = children.len();
        children.retain(|p, next| {
            let sign = game.turn(p).sign();
            let wins = next.iter().any(|q| values.get(q) == Some(&sign));
            let loses = next.iter().all(|q| values.get(q) == Some(&-sign));
            if wins || loses {
                values.insert(*p, if wins { sign } else { -sign });
            }
            !wins && !loses
        });
        if children.len() == before {
            break;
        }
    }
    values.extend(children.into_keys().map(|p| (p, 0)));
    values
}
