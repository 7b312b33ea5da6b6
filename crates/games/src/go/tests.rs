use super::*;
use zermelo_game::History;
use zermelo_game::conformance::{self, Effort};

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
        let go = Go::new(rows, cols, komi);
        conformance::check_with(&go, &effort).unwrap_or_else(|broken| panic!("{broken}"));
    }
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
    let go = Go::new(3, 3, None);
    // c1 would be suicide for second; first may fill its own eye.
    assert_eq!(moves(&go, ".../.xx/.x. second"), "a1 a2 a3 b3 c3 pass");
    assert_eq!(moves(&go, ".../.xx/.x. first"), "a1 a2 a3 b3 c1 c3 pass");
    // a1 takes two stones.
    let p = go.parse_position("x../oox/.ox second").unwrap();
    let q = go.play(&go.play(&p, PASS), 0);
    assert_eq!(go.position_text(&q), "x../oox/xox second");
    // Taking a ko forbids taking back, until another move.
    let go = Go::new(3, 4, None);
    let p = go.parse_position(".xo./xo.o/.xo. first").unwrap();
    let q = go.play(&p, go.parse_move(&p, "c2").unwrap());
    assert_eq!(go.position_text(&q), ".xo./x.xo/.xo. second ko b2");
    assert_eq!(go.parse_position(&go.position_text(&q)), Ok(q));
    assert_eq!(go.board_before(&q), Some(go.board(&p)));
    assert!(go.parse_move(&q, "b2").is_err());
    let r = go.play(&go.play(&q, PASS), PASS);
    assert_eq!(go.position_text(&r), ".xo./x.xo/.xo. second over");
}

/// The history forbids what the ko does not: taking two stones back would leave the first board.
#[test]
fn boards_do_not_come_back() {
    let go = Go::new(1, 4, None);
    let mut p = go.start();
    let mut history = History::of(&go, &p);
    for word in "b1 d1 a1 c1".split(' ') {
        p = go.play(&p, go.parse_move(&p, word).unwrap());
        history.push(&go, &p);
    }
    assert_eq!(go.position_text(&p), "..oo first");
    let legal = |history: &History| {
        let mut list = MoveList::new();
        history.moves(&go, &p, &mut list);
        list.iter().map(|m| go.move_text(&p, m)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(legal(&History::of(&go, &p)), "a1 b1 pass");
    assert_eq!(legal(&history), "a1 pass");
}

#[test]
fn scores_are_areas() {
    let go = Go::new(3, 4, None);
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
    let go = Go::new(3, 5, None);
    let check = |text: &str, certain: (Value, Value), claimed: (Value, Value)| {
        let p = go.parse_position(text).unwrap();
        let b = go.static_bounds(&p);
        assert_eq!((b.lo, b.hi), certain, "{text}");
        let b = [Player::First, Player::Second].map(|c| go.claim(&p, c).value);
        assert_eq!((b[0], -b[1]), claimed, "{text}");
    };
    // No eyes; one eye and an open side; two eyes.
    check("...../.x.../..... first", (-15, 15), (-15, 15));
    check(".x.../xx.../..... first", (-15, 15), (-15, 15));
    check(".x.../xx.../.x... first", (-3, 15), (-3, 15));
    // A stone of the opponent in a larger part: all of it is claimed, unless the game may end.
    check(".xxxx/xx.o./.xxxx first", (9, 15), (15, 15));
    check(".xxxx/xx.o./.xxxx second passed", (9, 15), (9, 15));
}

#[test]
fn komi_decides() {
    for (komi, text, value) in [(500, "komi 0.5", 1), (9000, "komi 9", 0), (9500, "komi 9.5", -1)] {
        let go = Go::new(3, 3, Some(komi));
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
    let go = Go::new(2, 3, None);
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
