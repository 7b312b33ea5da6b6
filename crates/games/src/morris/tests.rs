//! Facts about the Morris games.

use super::*;
use crate::minimax_oracle::retrograde;
use rustc_hash::FxHashSet;
use zermelo_game::conformance::{Effort, Kit};
use zermelo_game::{Notation, Sliced, slice_laws};

#[test]
fn conforms() {
    let effort = Effort { games: 20, plies: 100, minimax_nodes: 500, seed: 1913 };
    for men in [3, 6, 9] {
        for fly in [true, false] {
            let game = Morris::new(men, fly);
            Kit::new(&game, &MorrisKnowledge).effort(effort.clone()).assert();
        }
    }
}

#[test]
fn places_and_moves_backwards() {
    let checked = slice_laws::check(&Morris::new(3, false), 6, 1);
    assert_eq!(checked.strays, 0);
    let checked = slice_laws::check(&Morris::new(3, true), 6, 1);
    assert_eq!(checked.strays, 0);
    for fly in [true, false] {
        assert_eq!(slice_laws::check(&Morris::new(6, fly), 12, 4001).strays, 0);
    }
    assert_eq!(slice_laws::check(&Morris::new(9, true), 8, 1009).strays, 0);
}

fn count(game: &Morris, men: Men) -> u64 {
    (0..game.places(men)).filter(|place| game.at(men, *place).is_some()).count() as u64
}

/// The subspaces of Gasser (1996), "Solving Nine Men's Morris", both sides to move together. (That of three against three
/// is counted there with further symmetries of flying men.)
#[test]
fn subspaces_of_nine_mens_morris() {
    let game = Morris::new(9, true);
    let men = |a, b| Men { hands: [0, 0], board: [a, b] };
    assert_eq!(count(&game, men(4, 3)) + count(&game, men(3, 4)), 1_520_796);
    assert_eq!(count(&game, men(4, 4)), 3_225_597);
}

#[test]
fn mills_take_men_outside_mills() {
    let game = Morris::new(9, true);
    let texts = |text: &str| -> Vec<String> {
        let p = game.parse_position(text).unwrap();
        let mut list = MoveList::new();
        game.moves(&p, &mut list);
        list.iter().map(|m| game.move_text(&p, m)).collect()
    };
    // The mill a1, d1, g1 takes d2 but none of the mill of b6, d6 and f6.
    let moves = texts("xx....../.o..ooo./........ 7-5 first");
    assert!(moves.contains(&"g1xd2".to_owned()), "{moves:?}");
    assert!(!moves.iter().any(|m| m == "g1" || m == "g1xd6"), "{moves:?}");
    // If all are in mills, any may be taken.
    let moves = texts("xx....../....ooo./........ 7-6 first");
    assert!(moves.contains(&"g1xd6".to_owned()), "{moves:?}");
    // Three men fly.
    let moves = texts("x..x...x/....ooo./........ 0-0 first");
    assert_eq!(moves.iter().filter(|m| m.starts_with("a1-")).count(), 18);
}

#[test]
fn damaged_texts_show_the_place() {
    let game = Morris::new(6, false);
    for (text, column) in [
        ("", 1),
        ("......../....... 6-6 first", 17),
        ("........ ........ 6-6 first", 9),
        ("x......./........ 6-6 first", 18),
        ("x......./........ 5-6 third", 18),
        ("xxxxxxx./........ 5-6 first", 1),
        ("x.....q./........ 5-6 first", 7),
    ] {
        assert_eq!(game.parse_position(text).unwrap_err().column(), column, "{text}");
    }
}

/// The values of a program that shares nothing with this one, with the numbers of positions, wins and losses of the player to
/// move among those that play reaches (colours and turns aside).
#[test]
fn three_mens_morris_is_solved() {
    for (fly, value, counts) in [(false, 1, [3870, 2161, 773]), (true, 0, [3870, 2278, 820])] {
        let game = Morris::new(3, fly);
        let solved = retrograde(&game, 6);
        let (mut seen, mut todo) = (FxHashSet::default(), vec![game.start()]);
        let mut found = [0; 3];
        while let Some(p) = todo.pop() {
            if !seen.insert((p.me, p.you, p.hands)) {
                continue;
            }
            let (slice, place) = game.place(&p).unwrap();
            let entry = solved[&slice][place as usize].unwrap();
            found[0] += 1;
            found[1] += usize::from(entry.value > 0);
            found[2] += usize::from(entry.value < 0);
            if p == game.start() {
                assert_eq!(entry.value, value, "{}", game.name());
            }
            let mut list = MoveList::new();
            if game.outcome(&p).is_none() {
                game.moves(&p, &mut list);
            }
            todo.extend(list.iter().map(|m| game.play(&p, m)));
        }
        assert_eq!(found, counts, "{}", game.name());
    }
}
