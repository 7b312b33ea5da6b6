//! Knowledge against plain minimax on random positions, for the tests of games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;
use zermelo_game::{Bounds, Game, MoveList, Sliced, Value};

/// Values that are known already.
pub type Seen<G> = FxHashMap<<G as Game>::Key, Value>;

/// The value by the rules alone, each position once.
pub fn value<G: Game>(game: &G, p: &G::Position, seen: &mut Seen<G>) -> Value {
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

/// Plays random games and compares static bounds and relevant moves with minimax wherever at most
/// `left` plies are left. Returns how many positions were compared.
///
/// # Panics
/// If they do not agree.
pub fn compare<G: Game>(game: &G, games: u32, left: u32) -> u32 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut compared = 0;
    for _ in 0..games {
        let mut seen = Seen::<G>::default();
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

/// Compares what is known without search, and the moves left out, with minimax. Returns what is known.
///
/// # Panics
/// If they do not agree.
pub fn agree<G: Game>(game: &G, p: &G::Position, seen: &mut Seen<G>) -> Bounds {
    let truth = value(game, p, seen);
    let text = || format!("{}: {}", game.name(), game.position_text(p));
    let canonical = game.canonical(p);
    assert_eq!(value(game, &canonical, seen), truth, "{}, the canonical position", text());
    assert_eq!(game.canonical(&canonical), canonical, "{}, canonical twice", text());
    let known = game.static_bounds(p);
    assert!(known.contains(truth), "{}: {known}, but {truth}", text());
    if !known.is_exact() || G::SIFTED {
        let sign = game.turn(p).sign();
        let mut list = MoveList::new();
        let mut best = game.relevant(p, &mut list);
        for m in list.iter() {
            best = best.max(value(game, &game.play(p, m), seen) * sign);
        }
        assert_eq!(best * sign, truth, "{}, by the relevant moves", text());
    }
    known
}

/// What a place of a slice is worth for the player to move, and how many plies from the end if one side wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub value: Value,
    pub plies: u32,
}

/// All slices with at most so many pieces, solved by forward moves and sweeps alone: what nobody can force is a
/// draw. `None` for empty places.
pub fn retrograde<G: Sliced>(game: &G, pieces: u32) -> FxHashMap<G::Slice, Vec<Option<Entry>>> {
    const OPEN: Entry = Entry { value: 0, plies: u32::MAX };
    let mut done: FxHashMap<G::Slice, Vec<Option<Entry>>> = FxHashMap::default();
    for group in game.groups(pieces) {
        for &slice in &group {
            let start = |place| {
                let p = game.at(slice, place)?;
                let over = |v: Value| Entry { value: v * game.turn(&p).sign(), plies: 0 };
                Some(game.outcome(&p).map_or(OPEN, over))
            };
            done.insert(slice, (0..game.places(slice)).map(start).collect());
        }
        // A mate in so many plies is found in that sweep and no other; mates that come out of
        // earlier groups may be longer than the sweeps so far.
        let mut children: Vec<(G::Slice, usize, Vec<(G::Slice, usize)>)> = Vec::new();
        for &slice in &group {
            for place in 0..game.places(slice) {
                let open = done[&slice][place as usize] == Some(OPEN);
                let Some(p) = game.at(slice, place).filter(|_| open) else { continue };
                let mut list = MoveList::new();
                game.moves(&p, &mut list);
                let to = |m| game.place(&game.play(&p, m)).expect("a place");
                let to = list.iter().map(|m| to(m)).map(|(s, at)| (s, at as usize)).collect();
                children.push((slice, place as usize, to));
            }
        }
        let longest = |done: &FxHashMap<G::Slice, Vec<Option<Entry>>>| {
            let all = done.values().flatten().flatten();
            all.map(|e| e.plies).filter(|&p| p != u32::MAX).max().unwrap_or(0)
        };
        let mut sweep = 1;
        while sweep <= longest(&done) + 1 {
            children.retain(|(slice, place, to)| {
                let entry = |(s, at): &(G::Slice, usize)| done[s][*at].expect("a position");
                let in_time = |e: &Entry| e.plies != u32::MAX && e.plies < sweep;
                let wins = to.iter().map(entry).any(|e| e.value < 0 && in_time(&e));
                let loses = to.iter().map(entry).all(|e| e.value > 0 && in_time(&e));
                if wins || loses {
                    let value = if wins { 1 } else { -1 };
                    let found = Some(Entry { value, plies: sweep });
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
pub fn kept_value<G: Sliced>(game: &G, p: &G::Position) -> Value {
    let mut kept = FxHashMap::default();
    value_by_places(game, p, &mut kept) * game.turn(p).sign()
}

/// The value for the player to move.
fn value_by_places<G: Sliced>(
    game: &G,
    p: &G::Position,
    kept: &mut FxHashMap<(G::Slice, u64), Value>,
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
pub fn compare_kept<G: Sliced>(game: &G, games: u32) -> u32 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut seen, mut kept, mut compared) = (Seen::<G>::default(), FxHashMap::default(), 0);
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
