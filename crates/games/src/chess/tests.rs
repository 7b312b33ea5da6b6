//! Facts about chess endings.

use super::*;
use crate::minimax_oracle::retrograde;
use std::collections::BTreeSet;
use zermelo_game::conformance::{Effort, Kit};
use zermelo_game::{Notation, Sliced, slice_laws};

fn open(material: &str) -> Chess {
    Chess::new(Material::parse(material).unwrap())
}

fn slice(material: &str) -> Material {
    Material::parse(material).unwrap()
}

#[test]
fn conforms() {
    // Few lines end by themselves: minimax settles next to none of them, so it need not try for long.
    let effort = Effort { games: 20, plies: 100, minimax_nodes: 500, seed: 1913 };
    let games = ["KRK", "KQKP", "KPKP", "KBNK", "KPPKP", "KQPKRN"].map(open);
    for game in games.iter().chain([&Chess::any(4)]) {
        Kit::new(game, &ChessKnowledge).effort(effort.clone()).assert();
    }
}

#[test]
fn every_material_has_a_start() {
    let mut materials = 0;
    for group in Chess::any(6).groups(6) {
        for material in group {
            let game = Chess::new(material);
            let start = game.start();
            assert_eq!(game.parse_position(&game.position_text(&start)), Ok(start));
            assert_eq!(game.outcome(&start), (material.men() == 0).then_some(0), "{}", game.name());
            assert_eq!(Material::of(&start), material);
            materials += 1;
        }
    }
    // Multisets of at most four men of ten kinds.
    assert_eq!(materials, 1001);
}

/// The moves of `cozy-chess` for the same position.
fn cozy_moves(fen: &str) -> BTreeSet<String> {
    let board: cozy_chess::Board = fen.parse().unwrap();
    let mut moves = BTreeSet::new();
    board.generate_moves(|list| {
        moves.extend(list.into_iter().map(|m| m.to_string()));
        false
    });
    moves
}

#[test]
fn moves_are_those_of_another_generator() {
    let mut compared = 0;
    for material in ["KRK", "KPKP", "KPPKP", "KQKN", "KBNKP", "KPPKPP", "KRPKRP"] {
        let game = Chess::new(slice(material));
        for slice in [slice(material), slice(material).swapped()] {
            let places = game.places(slice);
            // A step that shares no factor with the squares; every fiftieth right to take en passant.
            let plain = (0..places).step_by(((places / 1500) | 1) as usize);
            let passed =
                (places - places / 400..places).step_by(((places / 400 / 1500) | 1) as usize);
            for place in plain.chain(passed) {
                let Some(p) = game.at(slice, place) else { continue };
                let fen = game.position_text(&p);
                let mut list = MoveList::new();
                if p.has_move() {
                    game.moves(&p, &mut list);
                }
                let ours: BTreeSet<String> = list.iter().map(|m| game.move_text(&p, m)).collect();
                // It refuses rights to take en passant after impossible checks, so those are not compared.
                if fen.parse::<cozy_chess::Board>().is_ok() {
                    assert_eq!(ours, cozy_moves(&fen), "{fen}");
                    compared += 1;
                }
                let mirrored = p.recoloured();
                assert_eq!(game.place(&mirrored), Some((slice, place)), "{fen}");
                assert_eq!(mirrored.recoloured(), p);
            }
        }
    }
    assert!(compared > 15_000, "{compared}");
}

#[test]
fn all_places_with_three_men() {
    let checked = slice_laws::check(&Chess::any(3), 3, 1);
    assert_eq!(checked.strays, 0);
    assert!(checked.positions > 350_000, "{checked:?}");
}

#[test]
fn places_with_four_and_five_men() {
    let checked = slice_laws::check(&Chess::any(4), 4, 5003);
    assert_eq!(checked.strays, 0);
    assert!(checked.positions > 15_000, "{checked:?}");
    // The places with a right to take en passant are the last of each slice: all of one, some of another.
    let game = open("KPKP");
    let both = slice("KPKP");
    let places = game.places(both);
    let passed: Vec<Position> =
        (1806 * 48 * 48..places).filter_map(|place| game.at(both, place)).collect();
    assert!(passed.iter().all(|p| p.passed != position::NO_FILE));
    assert!(passed.len() > 15_000, "{} positions", passed.len());
    let checked = slice_laws::check(&open("KPPKP"), 5, 100_003);
    assert_eq!(checked.strays, 0);
}

#[test]
fn a_right_to_take_en_passant_has_its_place() {
    let game = open("KPPKP");
    for fen in [
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/8/1PpP4/8/8/4K3 b - d3 0 1",
        "4k3/8/8/8/1PpP4/8/8/4K3 b - b3 0 1",
        "8/8/8/k1pP4/8/8/8/7K w - c6 0 1",
    ] {
        let p = game.parse_position(fen).unwrap();
        assert_eq!(game.position_text(&p), fen);
        let (slice, place) = game.place(&p).unwrap();
        let q = game.at(slice, place).unwrap();
        assert_eq!(game.place(&q), Some((slice, place)));
        assert_ne!(q.passed, position::NO_FILE, "{fen}");
        let mut before = Vec::new();
        game.predecessors(&p, &mut before);
        assert!(!before.is_empty() && before.iter().all(|q| game.place(q).is_some()), "{fen}");
    }
    // A pawn that may not move along its rank gives no right.
    let game = open("KRPKP");
    let pinned = game.parse_position("8/8/8/k1pP3R/8/8/8/7K w - c6 0 1").unwrap();
    assert_ne!(pinned.passed, position::NO_FILE);
    let game = open("KPKRP");
    let pinned = game.parse_position("7k/8/8/K1Pp3r/8/8/8/8 w - d6 0 1").unwrap();
    assert_eq!(pinned.passed, position::NO_FILE, "both pawns leave the rank");
}

#[test]
fn colours_may_be_exchanged_and_nothing_else() {
    let game = open("KQKR");
    let moved_by = |fen: &str| game.parse_position(fen).map(|p| game.place(&p));
    // The rook's side to move, by both names of the position.
    let black = moved_by("8/8/8/3k4/3r4/8/8/KQ6 b - - 0 1").unwrap();
    assert_eq!(moved_by("kq6/8/8/3R4/3K4/8/8/8 w - - 0 1"), Ok(black));
    assert_eq!(black.unwrap().0, slice("KRKQ"));
    for fen in ["8/8/8/3k4/3r4/3q4/8/K7 b - -", "8/8/8/3k4/4R3/8/8/KQ6 w - -"] {
        let error = moved_by(fen).unwrap_err().to_string();
        assert!(error.contains("KQ against KR, or the same with the colours exchanged"), "{error}");
    }
}

#[test]
fn damaged_fen_shows_the_place() {
    let game = open("KPKP");
    for (text, column) in [
        ("", 1),
        ("8/8/8/8/8/8/8/8 w - -", 16),
        ("4k3/8/8/8/8/8/8/4K2 w - -", 20),
        ("4k3/8/8/8/8/8/8/4K3", 20),
        ("4k3/8/8/8/8/8/8/4K3 x - -", 21),
        ("4k3/8/8/8/8/8/8/4K3 w KQ -", 23),
        ("4k3/8/8/8/8/8/8/4K3 w - e3", 25),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", 31),
        ("4k3/8/8/8/8/8/8/4KK2 w - -", 19),
        ("P3k3/8/8/8/8/8/8/4K3 w - -", 1),
        ("4k3/4P3/PP6/8/8/8/8/4K3 w - -", 10),
        ("4k3/3P4/8/8/8/8/8/4K3 w - -", 23),
        ("8/8/8/3kK3/8/8/8/8 w - -", 20),
        ("4k3/8/QR6/8/8/8/8/4K3 w - -", 1),
    ] {
        assert_eq!(game.parse_position(text).unwrap_err().column(), column, "{text}");
    }
}

/// The counts of Thompson (1986) and of the literature since, black to move: all positions, draws, longest mate in moves.
#[test]
fn rook_and_queen_against_the_bare_king() {
    for (material, draws, longest) in [("KRK", 2_796, 16), ("KQK", 2_896, 10)] {
        let game = open(material);
        let solved = retrograde(&game, 3);
        let black = &solved[&slice(material).swapped()];
        assert_eq!(black.iter().flatten().count(), 28_056);
        assert_eq!(black.iter().flatten().filter(|v| v.value == 0).count(), draws);
        assert_eq!(black.iter().flatten().filter(|v| v.value > 0).count(), 0);
        assert_eq!(black.iter().flatten().map(|v| v.plies).max(), Some(2 * longest));
        let white = &solved[&slice(material)];
        assert_eq!(white.iter().flatten().filter(|v| v.value < 1).count(), 0);
        assert_eq!(white.iter().flatten().map(|v| v.plies).max(), Some(2 * longest - 1));
    }
}

/// A random game in an ending: each move in SAN, in other spellings and as we write it reads back to that move, and no text names two.
#[test]
fn san_is_read_back() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1852);
    let (mut read, mut long, mut mates, mut promotions) = (0, 0, 0, 0);
    for material in
        ["KQQKQQ", "KQQQKN", "KNNKNN", "KBBKBP", "KRRKRP", "KPPKPP", "KPPKNP", "KQNNKB", "KBBBKP"]
    {
        let game = open(material);
        for _ in 0..30 {
            let mut p = random_position(&game, &mut rng);
            for _ in 0..20 {
                let mut list = MoveList::new();
                if game.outcome(&p).is_some() {
                    break;
                }
                game.moves(&p, &mut list);
                let texts: Vec<String> = list.iter().map(|m| san::write(&game, &p, m)).collect();
                for (m, text) in list.iter().zip(&texts) {
                    assert_eq!(texts.iter().filter(|t| *t == text).count(), 1, "{text}");
                    let plain = text.trim_end_matches(['+', '#']).replace('=', "");
                    let squares = game.move_text(&p, m);
                    let (from, to) = squares.split_at(2);
                    let forms = [
                        text,
                        &plain,
                        &format!("{text}!?"),
                        &squares,
                        &squares.to_uppercase(),
                        &format!("{from}-{to}"),
                    ];
                    for form in forms {
                        assert_eq!(
                            game.parse_move(&p, form),
                            Ok(m),
                            "{form} in {}",
                            game.position_text(&p)
                        );
                    }
                    read += 1;
                    long += u32::from(plain.replace('x', "").len() > 3 && !text.contains('='));
                    mates += u32::from(text.ends_with('#'));
                    promotions += u32::from(text.contains('='));
                }
                p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
            }
        }
    }
    assert!(
        read > 50_000 && long > 1_000 && mates > 50 && promotions > 500,
        "{read} {long} {mates} {promotions}"
    );
}

/// A legal position with the material of a game, of which more may be gone.
fn random_position(game: &Chess, rng: &mut rand_xoshiro::Xoshiro256PlusPlus) -> Position {
    use rand::RngExt;
    loop {
        let (mut taken, mut men) = (0u64, Vec::new());
        let mut square = |rng: &mut rand_xoshiro::Xoshiro256PlusPlus, pawn: bool| loop {
            let square = rng.random_range(if pawn { 8..56u8 } else { 0..64u8 });
            if taken >> square & 1 == 0 {
                taken |= 1 << square;
                return square;
            }
        };
        let kings = [square(rng, false), square(rng, false)];
        for player in [Player::First, Player::Second] {
            for kind in PAWN..=QUEEN {
                for _ in 0..game.material.0[player.index()][kind] {
                    men.push(Man::new(player, kind, square(rng, kind == PAWN)));
                }
            }
        }
        let turn = Player::from_index(rng.random_range(0..2));
        let p = Position::new(kings, &men, turn);
        if !p.is_illegal() {
            return p;
        }
    }
}

#[test]
fn san_names_one_move() {
    let game = Chess::any(6);
    let read = |fen: &str, text: &str| {
        let p = game.parse_position(fen).unwrap_or_else(|e| panic!("{e}"));
        game.parse_move(&p, text).map(|m| game.move_text(&p, m))
    };
    // Three queens that reach e1; two knights, one of which is pinned; a text that is SAN and squares at once.
    let queens = "8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1";
    for (text, squares) in
        [("Qh4e1", "h4e1"), ("Qee1", "e4e1"), ("Q1e1", "h1e1"), ("qh4-e1", "h4e1")]
    {
        assert_eq!(read(queens, text).as_deref(), Ok(squares), "{text}");
    }
    let error = read(queens, "Qe1").unwrap_err();
    assert_eq!(error.reason.as_deref(), Some("Qe1 can be several moves"));
    assert_eq!(error.expected, "one of them (Qh4e1 Qee1 Q1e1)");
    assert_eq!(read("4k3/4r3/8/8/8/8/4N3/1N2K3 w - - 0 1", "Nc3").as_deref(), Ok("b1c3"));
    let both = "8/7k/3B4/2p5/1P1B4/8/8/K7 w - - 0 1";
    assert_eq!(read(both, "B4xc5").as_deref(), Ok("d4c5"));
    assert_eq!(read(both, "B4c5").as_deref(), Ok("d4c5"), "a bishop's letter is large");
    assert_eq!(read(both, "b4c5").as_deref(), Ok("b4c5"));
    assert_eq!(read(both, "bxc5").as_deref(), Ok("b4c5"));
    // En passant, promotions of all kinds, mate.
    assert_eq!(read("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", "exd6").as_deref(), Ok("e5d6"));
    for (text, squares) in
        [("e8=Q", "e7e8q"), ("e8N", "e7e8n"), ("e7-e8=r", "e7e8r"), ("e8=B+", "e7e8b")]
    {
        assert_eq!(read("8/4P3/8/8/8/8/k7/4K3 w - - 0 1", text).as_deref(), Ok(squares));
    }
    assert_eq!(read("7k/8/6K1/8/8/8/Q7/8 w - - 0 1", "Qa8#").as_deref(), Ok("a2a8"));
}
