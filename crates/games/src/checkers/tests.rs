use super::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashSet;
use zermelo_game::conformance::{Effort, Kit};
use zermelo_game::{Game, Notation, Sliced, slice_laws};

fn texts(game: &Checkers, p: &Position) -> Vec<String> {
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    let mut texts: Vec<String> = list.iter().map(|m| game.move_text(p, m)).collect();
    texts.sort();
    texts
}

fn moves_of(game: &Checkers, text: &str) -> Vec<String> {
    texts(game, &game.parse_position(text).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn keeps_the_laws() {
    for (rows, cols) in [(4, 4), (4, 6), (6, 4), (6, 6), (8, 8)] {
        let effort = Effort { games: 30, plies: 150, ..Effort::default() };
        Kit::new(&Checkers::new(rows, cols), &CheckersKnowledge).effort(effort).assert();
    }
}

#[test]
fn the_start_and_its_moves() {
    let game = Checkers::new(8, 8);
    let leaf_numbers = |p, place| Game::new(&game, &CheckersKnowledge).leaf_numbers(p, place);
    let start = game.start();
    let text = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
    assert_eq!(game.position_text(&start), text);
    assert_eq!(texts(&game, &start), ["10-14", "10-15", "11-15", "11-16", "12-16", "9-13", "9-14"]);
    assert_eq!(leaf_numbers(&start, 3), Some((1, 7)), "so many have to fail");
    let take = game.parse_position("B:W6,7:B1,2,12").unwrap();
    assert_eq!(leaf_numbers(&take, 0), Some((1, texts(&game, &take).len() as u32)));
    let next = game.play(&start, game.parse_move(&start, "11-15").unwrap());
    assert_eq!(
        texts(&game, &next),
        ["21-17", "22-17", "22-18", "23-18", "23-19", "24-19", "24-20"]
    );
}

#[test]
fn captures() {
    let game = Checkers::new(8, 8);
    // Forced, to the end, and free to choose among captures.
    assert_eq!(moves_of(&game, "B:W18,26:B15,1"), ["15x31"]);
    assert_eq!(moves_of(&game, "B:W18,26,10:B15,7"), ["15x31", "7x30"]);
    // Men do not take backward, kings do.
    assert_eq!(moves_of(&game, "B:W10:B15"), ["15-18", "15-19"]);
    assert_eq!(moves_of(&game, "B:W10:BK15"), ["15x6"]);
    // Crowning ends the move, though a king could jump on.
    assert_eq!(moves_of(&game, "B:W25,26:B21"), ["21x30"]);
    assert_eq!(moves_of(&game, "B:W25,26:BK21"), ["21x23"]);
    // Two ways to one square are told apart by all their squares.
    assert_eq!(moves_of(&game, "B:W6,7,14,15:B2"), ["2x11x18", "2x9x18"]);
    let p = game.parse_position("B:W6,7,14,15:B2").unwrap();
    assert_eq!(game.parse_move(&p, "2x18").unwrap_err().column(), 5);
    assert_eq!(game.parse_move(&p, "2x11x18").unwrap().taken, 1 << 6 | 1 << 14);
    // Round a ring and back to the start, one way or the other: one move.
    let ring = game.parse_position("B:W6,7,14,15:BK2").unwrap();
    assert_eq!(texts(&game, &ring), ["2x2"]);
    for text in ["2x2", "2x9x18x11x2", "2X11X18X9X2"] {
        let after = game.play(&ring, game.parse_move(&ring, text).unwrap());
        assert_eq!((after.own, game.outcome(&after)), (0, Some(1)));
    }
}

#[test]
fn the_end() {
    let game = Checkers::new(8, 8);
    let outcome = |text: &str| game.outcome(&game.parse_position(text).unwrap());
    assert_eq!(outcome("B:W9:B"), Some(-1));
    assert_eq!(outcome("W:W:B1"), Some(1));
    // A man in front of two that back each other up.
    assert_eq!(outcome("B:W27,28,31:B24"), Some(-1));
    assert_eq!(outcome("B:WK32:BK1"), None);
}

#[test]
fn errors_show_the_place() {
    let game = Checkers::new(8, 8);
    for (text, column) in [
        ("", 1),
        ("x:W1:B2", 1),
        ("B", 2),
        ("B:W21", 6),
        ("B:Q21:B1", 3),
        ("B:W21,33:B1", 7),
        ("B:W21,:B1", 7),
        ("B:W21:B21", 8),
        ("B:W1:B2", 4),
        ("B:W21:B32", 8),
        ("B:W21:W22", 7),
        ("B:W21:B1:B2", 10),
        ("B:W+1:B2", 4),
    ] {
        assert_eq!(game.parse_position(text).unwrap_err().column(), column, "{text}");
    }
    let start = game.start();
    for (text, column) in [("", 1), ("11", 1), ("11-99", 4), ("11-14", 1), ("11-15-19", 1)] {
        assert_eq!(game.parse_move(&start, text).unwrap_err().column(), column, "{text}");
    }
    assert_eq!(
        game.parse_position("w:bK1,2:wk30").map(|p| game.position_text(&p)).unwrap(),
        "W:WK30:BK1,2"
    );
}

/// A random position with so many pieces.
fn random(game: &Checkers, rng: &mut Xoshiro256PlusPlus, pieces: u32) -> Position {
    let b = &game.board;
    let [mut own, mut other, mut kings] = [0u32; 3];
    while (own | other).count_ones() < pieces {
        let square = 1 << rng.random_range(0..32);
        if square & b.all == 0 || square & (own | other) != 0 {
            continue;
        }
        let (mine, king) = (rng.random_bool(0.5), rng.random_bool(0.5));
        *(if mine { &mut own } else { &mut other }) |= square;
        if king || square & if mine { b.far } else { b.near } != 0 {
            kings |= square;
        }
    }
    Position { own, other, kings, turn: Player::from_index(rng.random_range(0..2)) }
}

#[test]
fn few_moves_are_alike() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let game = Checkers::new(8, 8);
    let (mut most, mut longest) = (0, 0);
    for n in 0..300_000 {
        let mut p = random(&game, &mut rng, 2 + n % 16);
        if n % 3 == 0 {
            // One king among many enemies.
            let king = p.own & p.own.wrapping_neg();
            p = Position { own: king, other: p.other | p.own ^ king, kings: p.kings | king, ..p };
        }
        let mut list = MoveList::new();
        game.moves(&p, &mut list);
        most = most.max(list.iter().map(|m| m.nth).max().unwrap_or(0));
        game.takes(&p, |path, _| longest = longest.max(path.len()));
        let codes: HashSet<usize> = list.iter().map(|m| game.code(m)).collect();
        assert_eq!(codes.len(), list.len());
    }
    assert!((1..ALIKE as u8).contains(&most) && (5..=10).contains(&longest), "{most} {longest}");
}

#[test]
fn places_and_positions() {
    for (rows, cols, pieces) in [(8, 8, 3), (6, 6, 4), (4, 4, 5), (4, 6, 4), (8, 4, 4)] {
        let game = Checkers::new(rows, cols);
        let mut seen = HashSet::new();
        for slice in game.groups(pieces).into_iter().flatten() {
            assert!(seen.insert(slice), "{slice:?} twice");
            assert!(game.places(slice) > 0);
            for place in 0..game.places(slice) {
                let Some(p) = game.at(slice, place) else { continue };
                assert_eq!(game.place(&p), Some((slice, place)));
                let text = game.position_text(&p);
                assert_eq!(game.parse_position(&text), Ok(p), "{text}");
                // The same seen by the other player.
                let mirrored = Position { turn: Player::Second, ..p };
                assert_eq!(game.place(&mirrored), Some((slice, place)));
            }
        }
    }
    let game = Checkers::new(8, 8);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    for n in 0..100_000 {
        let p = random(&game, &mut rng, 2 + n % 14);
        if let Some((slice, place)) = game.place(&p) {
            let back = game.at(slice, place).map(|q| Position { turn: p.turn, ..q });
            assert_eq!(back, Some(p));
        }
    }
}

#[test]
fn counts_of_positions() {
    let game = Checkers::new(8, 8);
    let mut counts = [0u64; 5];
    for slice in game.groups(4).into_iter().flatten() {
        let all = game.pieces(slice).iter().sum::<u32>() as usize;
        counts[all] +=
            (0..game.places(slice)).filter(|p| game.at(slice, *p).is_some()).count() as u64;
    }
    // 6,972, 261,224 and 7,092,774 positions are published for both players to move, with those where one
    // side has no pieces left.
    assert_eq!(counts[2..4], [3_488, 196_032]);
}

#[test]
fn moves_and_predecessors() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
    for (rows, cols) in [(8, 8), (6, 6), (4, 4), (4, 8)] {
        let game = Checkers::new(rows, cols);
        for n in 0..60_000 {
            let p = random(&game, &mut rng, 2 + n % 6);
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            for m in list.iter() {
                let next = game.play(&p, m);
                let stays = next.kings.count_ones() == p.kings.count_ones() && m.taken == 0;
                let mut back = Vec::new();
                game.predecessors(&next, &mut back);
                assert_eq!(back.contains(&p), stays, "{}", game.position_text(&p));
            }
            let mut back = Vec::new();
            game.predecessors(&p, &mut back);
            for before in back {
                let mut list = MoveList::new();
                game.moves(&before, &mut list);
                assert!(list.iter().any(|m| game.play(&before, m) == p));
            }
        }
    }
}

#[test]
fn keeps_the_laws_of_slices() {
    for (rows, cols, pieces, stride) in [(8, 8, 4, 97), (6, 6, 4, 7), (4, 6, 4, 1)] {
        let checked = slice_laws::check(&Checkers::new(rows, cols), pieces, stride);
        assert!(checked.inside > 10_000 && checked.strays == 0, "{checked:?}");
    }
}
