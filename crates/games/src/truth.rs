//! Knowledge against plain minimax on random positions, for the tests of games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;
use zermelo_game::{Game, MoveList, Value};

/// The value by the rules alone, each position once.
fn value<G: Game>(game: &G, p: &G::Position, seen: &mut FxHashMap<G::Key, Value>) -> Value {
    if let Some(value) = game.outcome(p) {
        return value;
    }
    if let Some(&value) = seen.get(&game.key(p)) {
        return value;
    }
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    let sign = game.turn(p).sign();
    let values = list.iter().map(|m| value(game, &game.play(p, m), seen) * sign);
    let best = values.max().unwrap_or(-1) * sign;
    seen.insert(game.key(p), best);
    best
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
        let mut seen = FxHashMap::default();
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

fn agree<G: Game>(game: &G, p: &G::Position, seen: &mut FxHashMap<G::Key, Value>) {
    let truth = value(game, p, seen);
    let known = game.static_bounds(p);
    let text = game.position_text(p);
    assert!(known.contains(truth), "{} {text}: {known}, but {truth}", game.name());
    if known.is_exact() && !G::SIFTED {
        return;
    }
    let sign = game.turn(p).sign();
    let mut list = MoveList::new();
    let mut best = game.relevant(p, &mut list);
    for m in list.iter() {
        best = best.max(value(game, &game.play(p, m), seen) * sign);
    }
    assert_eq!(best * sign, truth, "{} {text}: by the relevant moves", game.name());
}
