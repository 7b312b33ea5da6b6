//! Counts of lines of play from the start, one game a line in `perft.txt`.

use zermelo_game::{Game, History, MoveList};
use zermelo_games::Visitor;

/// Counts lines of so many plies.
struct Perft(u32);

fn count<G: Game>(game: &G, p: &G::Position, history: &mut History, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    if game.outcome(p).is_some() {
        return 0;
    }
    let mut list = MoveList::new();
    history.moves(game, p, &mut list);
    let mut sum = 0;
    for m in list.iter() {
        let next = game.play(p, m);
        history.push(game, &next);
        sum += count(game, &next, history, plies - 1);
        history.pop();
    }
    sum
}

impl Visitor for Perft {
    type Output = u64;

    fn visit<G: Game>(self, game: G) -> u64 {
        count(&game, &game.start(), &mut History::of(&game, &game.start()), self.0)
    }
}

#[test]
fn counts_hold() {
    let mut wrong = Vec::new();
    for line in include_str!("perft.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (name, counts) = line.split_once(':').unwrap_or_else(|| panic!("{line}: no colon"));
        for (plies, wanted) in (1..).zip(counts.split_whitespace()) {
            let wanted: u64 = wanted.parse().unwrap_or_else(|_| panic!("{line}: {wanted}"));
            let found =
                zermelo_games::open(name.trim(), Perft(plies)).unwrap_or_else(|e| panic!("{e}"));
            if found != wanted {
                wrong.push(format!("{name}: {found} lines of {plies} plies, not {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
