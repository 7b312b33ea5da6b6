//! Sessions from text: positions, lists of moves in each game's own notation, games that a position names.

use zermelo_erased::{Catalogue, open_session};

#[test]
fn moves_follow_the_position() {
    let game = Catalogue::standard().open("tictactoe").unwrap();
    let open = |position, moves| {
        open_session(&*game, position, moves).map(|(session, played)| (session.position(), played))
    };
    let (position, played) = open(None, Some("a1, B2")).unwrap();
    assert_eq!((position.as_str(), played), (".../.o./x.. first", vec!["a1".into(), "b2".into()]));
    let (position, _) = open(Some("x../.../... second"), Some("a1")).unwrap();
    assert_eq!(position, "x../.../o.. first");
    assert_eq!(open(None, Some(" ,\n")).unwrap(), open(None, None).unwrap());
}

#[test]
fn errors_show_the_place_in_the_whole_list() {
    let game = Catalogue::standard().open("tictactoe").unwrap();
    let error = |position, moves| open_session(&*game, position, moves).err().unwrap();
    let found = error(None, Some("a1 b2 a4 c1"));
    assert_eq!((found.what, found.column()), ("move", 8));
    assert!(found.to_string().starts_with("bad move at column 8: found '4'"), "{found}");
    let found = error(None, Some("a1 a1"));
    assert!(found.to_string().contains("  a1 a1\n"), "{found}");
    assert_eq!(error(Some("x.o"), Some("a1")).what, "position");
    assert_eq!(found.reason.as_deref(), Some("a1 is taken"));
    assert!(found.to_string().contains("column 4: a1 is taken; expected a legal move"), "{found}");
}

#[test]
fn games_have_their_own_lists() {
    let open = |name: &str, moves: &str| {
        let game = Catalogue::standard().open(name).unwrap();
        open_session(&*game, None, Some(moves)).map(|(_, played)| played.join(" "))
    };
    for moves in ["444", "4 4 4", "ddd", "d d d", "4,d d", "Dd\n4"] {
        assert_eq!(open("connect4", moves).as_deref(), Ok("d d d"), "{moves}");
    }
    let full = open("connect4", "12, 4444444").unwrap_err();
    assert_eq!((full.column(), full.reason.as_deref()), (11, Some("column 4 is full")));
    assert_eq!(open("connect4", "44x4").unwrap_err().column(), 1);
    let pdn = "[Event \"\u{e9}\"] 1. 11-15 {a, b} 23-19 2. 8-11! 22-17 *";
    assert_eq!(open("checkers", pdn).as_deref(), Ok("11-15 23-19 8-11 22-17"));
    let wrong = open("checkers", &pdn.replace("8-11", "8-12")).unwrap_err();
    assert_eq!((wrong.column(), wrong.reason.as_deref()), (38, Some("there is a piece on 12")));
    assert_eq!(open("chess KRK", "1. Ra4 Kd7 2. Ra7+ *").as_deref(), Ok("a1a4 e8d7 a4a7"));
}

#[test]
fn a_position_names_the_game() {
    let ours = Catalogue::standard();
    let name =
        |words: &str, position: Option<&str>| ours.open_at(words, position).map(|game| game.name());
    let fen = Some("8/8/8/8/8/1k6/8/K1Q5 w - - 0 1");
    assert_eq!(name("chess", fen).as_deref(), Ok("chess KQK"));
    assert_eq!(name(" Chess ", fen).as_deref(), Ok("chess KQK"));
    assert_eq!(name("chess 4", fen).as_deref(), Ok("chess 4"));
    assert_eq!(name("connect4", Some("x")).as_deref(), Ok("connect4 6x7"));
    let error = name("chess", None).unwrap_err();
    assert!(error.expected.contains("a position is given"), "{error}");
    let error = name("chess", Some("8/8 w - -")).unwrap_err();
    assert_eq!((error.what, error.column()), ("position", 4));
}
