use super::*;
use crate::widths;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::conformance::{Effort, Kit};
use zermelo_game::{BySuperko, Game, History, Notation};

#[test]
fn conforms() {
    for (rows, cols, komi, games) in [
        (1, 1, None, 20),
        (1, 2, None, 20),
        (1, 5, None, 20),
        (2, 2, None, 20),
        (2, 3, Some(1500), 20),
        (3, 3, None, 10),
        (3, 4, None, 5),
        (4, 4, None, 5),
        (5, 5, None, 5),
        (1, 25, None, 5),
    ] {
        // Random games wander for long; most of what they meet is alike.
        let effort = Effort { games, plies: 100, minimax_nodes: 1_000, ..Effort::default() };
        let go = Go::<u64>::new(rows, cols, komi);
        Kit::new(&go, &GoKnowledge).superko().effort(effort).assert();
    }
}

#[test]
fn wide_boards_conform() {
    let wide = Go::<WideKey, WideSet>::new;
    let effort = Effort { games: 5, plies: 60, minimax_nodes: 1_000, ..Effort::default() };
    for (rows, cols, komi) in [(1, 2, None), (2, 3, Some(1500)), (3, 3, None), (5, 6, None)] {
        let go = wide(rows, cols, komi);
        Kit::new(&go, &GoKnowledge).superko().effort(effort.clone()).assert();
    }
    // Large boards: a few plies of the beginning, and the ends of games in which nobody passes early.
    for (rows, cols) in [(19, 19), (9, 9), (7, 50)] {
        let go = wide(rows, cols, Some(7500));
        let effort = Effort { games: 2, plies: 3, ..effort.clone() };
        Kit::new(&go, &GoKnowledge).superko().effort(effort).assert();
    }
    for (rows, cols) in [(19, 19), (6, 6), (2, 100)] {
        let go = wide(rows, cols, None);
        let effort = Effort { games: 4, plies: 6, ..effort.clone() };
        let starts = (0..4).map(|seed| crowded(&go, seed)).collect();
        Kit::new(&go, &GoKnowledge).superko().effort(effort).starts(starts).assert();
    }
}

/// A position after so many random moves, none of them a pass while there is another, as there are points.
fn crowded<K: Key + Bits, B: CellSet>(go: &Go<K, B>, seed: u64) -> Position<B> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut p = go.start();
    let mut history = History::of(go, Some(&BySuperko), &p);
    for _ in 0..go.grid().cells() {
        let mut list = MoveList::new();
        history.moves(go, &p, &mut list);
        // The pass comes last.
        let m = list.scored()[rng.random_range(0..list.len().max(2) - 1)].mv;
        p = go.play(&p, m);
        history.push(go, &p);
        if go.outcome(&p).is_some() {
            return go.start();
        }
    }
    p
}

#[test]
fn wide_boards_are_as_narrow_ones() {
    for (rows, cols) in [(1, 1), (1, 5), (2, 2), (2, 3), (3, 3), (3, 4), (5, 5), (4, 7), (2, 14)] {
        let narrow = Go::<u64>::new(rows, cols, None);
        let wide = Go::<WideKey, WideSet>::new(rows, cols, None);
        let (narrow, wide) = (Game::new(&narrow, &GoKnowledge), Game::new(&wide, &GoKnowledge));
        widths::compare_superko(narrow, wide, 20);
    }
}

/// Two eyes in the corner of a large board, and a ko in another.
#[test]
fn large_boards_have_life_and_ko() {
    let go = Go::<WideKey, WideSet>::new(19, 19, None);
    let row = |text: &str| format!("{text}{}", ".".repeat(19 - text.len()));
    let rows = |top: &[&str]| {
        let empty = (top.len()..19).map(|_| row("")).collect::<Vec<_>>();
        [top.iter().map(|text| row(text)).collect::<Vec<_>>(), empty].concat().join("/")
    };
    let alive = go.parse_position(&format!("{} second", rows(&[".x.x", "xxxx"]))).unwrap();
    let game = Game::new(&go, &GoKnowledge);
    // Eight points are certain: six stones and two eyes.
    let bounds = game.static_bounds(&alive);
    assert_eq!((bounds.lo, bounds.hi), (8 - (361 - 8), 361));
    let text = format!("{} first", rows(&[".xo", "xo.o", ".xo"]));
    let p = go.parse_position(&text).unwrap();
    let q = go.play(&p, go.parse_move(&p, "c18").unwrap());
    let ko = format!("{} second ko b18", rows(&[".xo", "x.xo", ".xo"]));
    assert_eq!(go.position_text(&q), ko);
    assert_eq!(go.parse_position(&ko), Ok(q));
    assert_eq!(go.board_before(&q), Some(go.board(&p)));
    assert!(go.parse_move(&q, "b18").is_err());
    assert!(go.parse_move(&q, "s19").is_ok() && go.parse_move(&q, "t1").is_err());
}

fn moves(go: &Go, text: &str) -> String {
    let p = go.parse_position(text).unwrap();
    let mut list = MoveList::new();
    go.moves(&p, &mut list);
    let mut texts: Vec<String> = list.iter().map(|m| go.move_text(&p, m)).collect();
    texts.sort();
    texts.join(" ")
}

#[test]
fn captures_suicide_and_ko() {
    let go = Go::<u64>::new(3, 3, None);
    // c1 would be suicide for second; first may fill its own eye.
    assert_eq!(moves(&go, ".../.xx/.x. second"), "a1 a2 a3 b3 c3 pass");
    assert_eq!(moves(&go, ".../.xx/.x. first"), "a1 a2 a3 b3 c1 c3 pass");
    // a1 takes two stones.
    let p = go.parse_position("x../oox/.ox second").unwrap();
    let q = go.play(&go.play(&p, Go::<u64>::PASS), 0);
    assert_eq!(go.position_text(&q), "x../oox/xox second");
    // Taking a ko forbids taking back, until another move.
    let go = Go::<u64>::new(3, 4, None);
    let p = go.parse_position(".xo./xo.o/.xo. first").unwrap();
    let q = go.play(&p, go.parse_move(&p, "c2").unwrap());
    assert_eq!(go.position_text(&q), ".xo./x.xo/.xo. second ko b2");
    assert_eq!(go.parse_position(&go.position_text(&q)), Ok(q));
    assert_eq!(go.board_before(&q), Some(go.board(&p)));
    assert!(go.parse_move(&q, "b2").is_err());
    let r = go.play(&go.play(&q, Go::<u64>::PASS), Go::<u64>::PASS);
    assert_eq!(go.position_text(&r), ".xo./x.xo/.xo. second over");
}

/// The history forbids what the ko does not: taking two stones back would leave the first board.
#[test]
fn boards_are_not_repeated() {
    let go = Go::<u64>::new(1, 4, None);
    let mut p = go.start();
    let mut history = History::of(&go, Some(&BySuperko), &p);
    for word in "b1 d1 a1 c1".split(' ') {
        p = go.play(&p, go.parse_move(&p, word).unwrap());
        history.push(&go, &p);
    }
    assert_eq!(go.position_text(&p), "..oo first");
    let legal = |history: &History<Go>| {
        let mut list = MoveList::new();
        history.moves(&go, &p, &mut list);
        list.iter().map(|m| go.move_text(&p, m)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(legal(&History::of(&go, Some(&BySuperko), &p)), "a1 b1 pass");
    assert_eq!(legal(&history), "a1 pass");
}

#[test]
fn scores_are_areas() {
    let go = Go::<u64>::new(3, 4, None);
    for (text, score) in [
        ("..../..../.... first", 0),
        ("..../.x../.... first", 12),
        (".xo./.xo./.xo. first", 0),
        (".x.o/.x.o/.x.o second", 3),
        (".xo./xx.o/.xo. second", 1),
    ] {
        assert_eq!(go.score(&go.parse_position(text).unwrap().stones), score, "{text}");
    }
}

#[test]
fn two_vital_regions_make_life() {
    let go = Go::<u64>::new(3, 5, None);
    let check = |text: &str, certain: (Value, Value), claimed: (Value, Value)| {
        let p = go.parse_position(text).unwrap();
        let b = Game::new(&go, &GoKnowledge).static_bounds(&p);
        assert_eq!((b.lo, b.hi), certain, "{text}");
        let b = [Player::First, Player::Second]
            .map(|c| Game::new(&go, &GoKnowledge).claim(&p, c).value);
        assert_eq!((b[0], -b[1]), claimed, "{text}");
    };
    // No eyes; one eye and an open side; two eyes.
    check("...../.x.../..... first", (-15, 15), (-15, 15));
    check(".x.../xx.../..... first", (-15, 15), (-15, 15));
    check(".x.../xx.../.x... first", (-3, 15), (-3, 15));
    // A stone of the opponent in a larger part: all of it is claimed, unless the game may end.
    check(".xxxx/xx.o./.xxxx first", (10, 15), (15, 15));
    check(".xxxx/xx.o./.xxxx second passed", (10, 15), (10, 15));
}

#[test]
fn komi_decides() {
    for (komi, text, value) in [(500, "komi 0.5", 1), (9000, "komi 9", 0), (9500, "komi 9.5", -1)] {
        let go = Go::<u64>::new(3, 3, Some(komi));
        assert_eq!(go.name(), format!("go 3x3 {text}"));
        let p = go.parse_position(".../.x./... first over").unwrap();
        assert_eq!(go.outcome(&p), Some(value));
    }
    for (word, komi) in [("8.5", 8500), ("-0.25", -250), ("7", 7000), ("0", 0)] {
        assert_eq!(notation::read_komi(word), Some(komi));
        assert_eq!(notation::write_komi(komi), word);
    }
    for word in ["", ".", "8.", ".5", "1e3", "--1", "1.2345", "99999"] {
        assert_eq!(notation::read_komi(word), None, "{word}");
    }
}

#[test]
fn errors_show_the_place() {
    let go = Go::<u64>::new(2, 3, None);
    for (text, column) in [
        ("xo./o.. first", 1),
        (".../... third", 9),
        (".../... first ko", 15),
        (".../... first ko b1", 18),
        (".../... first passed ", 15),
    ] {
        let error = go.parse_position(text).unwrap_err();
        assert_eq!(error.column(), column, "{text}: {error}");
    }
}
