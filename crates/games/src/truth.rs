//! Knowledge against plain minimax on random positions, for the tests of games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;
use zermelo_game::{Bounds, Game, MoveList, Value};

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
