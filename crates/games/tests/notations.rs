//! Common notations: recorded games of Connect Four and draughts are read and end as published, and illegal moves are refused with
//! the reason.

use zermelo_game::{Knowledge, Notation, ParseError};
use zermelo_games::{Visitor, open};

/// Plays a list of moves from a position, or from the start.
struct Play<'t> {
    position: Option<&'t str>,
    moves: &'t str,
}

/// The position at the end, its moves as the game writes them, and the value if the game is over.
type Played = (String, Vec<String>, Option<i16>);

impl Visitor for Play<'_> {
    type Output = Result<Played, ParseError>;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
        let mut p = match self.position {
            Some(text) => rules.parse_position(text)?,
            None => rules.start(),
        };
        let mut written = Vec::new();
        for word in rules.split_moves(self.moves) {
            let m = rules.parse_move(&p, word)?;
            written.push(rules.move_text(&p, m));
            p = rules.play(&p, m);
        }
        Ok((rules.position_text(&p), written, rules.outcome(&p)))
    }
}

fn play(name: &str, position: Option<&str>, moves: &str) -> Result<Played, ParseError> {
    open(name, Play { position, moves }).unwrap()
}

/// The first lines of the test sets of Pons ("Solving Connect 4: how to build a perfect AI", 2015), and his examples.
#[test]
fn connect_four_is_read_as_on_public_sites() {
    for (columns, position) in [
        (
            "2252576253462244111563365343671351441",
            "xooox../oxoxxx./xooxoo./xoxoxx./oooxxoo/xxoxxxo second",
        ),
        ("4453", "......./......./......./......./...o.../..oxx.. first"),
    ] {
        let (found, written, outcome) = play("connect4", None, columns).unwrap();
        assert_eq!((found.as_str(), outcome), (position, None));
        let letters = written.concat();
        assert_eq!(letters.len(), columns.len());
        let spaced: Vec<String> = columns.chars().map(String::from).collect();
        let mixed =
            format!("{}, {} {}", &letters[..2], &columns[2..3], letters[3..].to_uppercase());
        for list in [&letters, &spaced.join(" "), &spaced.join(","), &written.join(" "), &mixed] {
            assert_eq!(play("connect4", None, list).unwrap().0, position, "{list}");
        }
    }
    for columns in [
        "7422341735647741166133573473242566",
        "23163416124767223154467471272416755633",
        "65214673556155731566316327373221417",
        "44455554221",
    ] {
        assert_eq!(play("connect4 6x7", None, columns).unwrap().1.len(), columns.len());
    }
}

#[test]
fn numbers_of_two_digits_are_one_column() {
    let moves =
        |name: &str, list: &str| play(name, None, list).map(|(_, moves, _)| moves.join(" "));
    assert!(moves("connect4 5x9", "199i9").is_err(), "letters and digits are not joined");
    assert!(moves("connect4 5x9", "199 i9").unwrap_err().reason.is_none());
    assert_eq!(moves("connect4 5x9", "199 ia"), Ok("a i i i a".into()));
    assert_eq!(moves("connect4 4x12", "12 1 2 ll 10"), Ok("l a b l l j".into()));
    assert!(moves("connect4 4x12", "111").is_err());
    assert_eq!(
        moves("connect4 1x30", "27 z 26 aa").map_err(|e| e.reason),
        Err(Some("column 26 is full".into()))
    );
}

/// Games of Tinsley from 1946, as databases of draughts games have them: steps are written with an x here and there.
#[test]
fn recorded_games_of_draughts_are_read() {
    let games = [
        "[Event \"Ohio State Ty 1946\"]\n[Black \"MF Tinsley\"]\n[White \"M Rex\"]\n[Result \"1/2-1/2\"]\n\
         1. 11-15 23-18 2. 8-11 27-23 3. 4-8 23-19 4. 10x14 19x10 5. 14x23 26x19 6.\n7x14 24-20 7. 6-10 30-26 8. 11-15 28-24 \
         9. 14-18 20-16 10. 18-23 16-11 11.\n23x30 11x4 12. 2-7 4-8 13. 1-6 22-18 14. 15x22 25x18 15. 10x14 18x15 16. 14-18\n\
         29x25 17. 9-13 8-4 18. 13-17 21x14 19. 30x21 15-10 20. 6x15 19x10 21. 21-17\n4-8 22. 18-22 24-19 23. 22-25 32-28 \
         24. 25-30 31-27 25. 30-26 19-16 26. 12x19\n27-24 27. 3x12 10x3 28. 17x10 24x15x6 1/2-1/2",
        "[Event \"US National 1946\"] {drawn} 1. 11-15 23-18 2. 9-14 18x9 3. 5x14 22-17 4. 12-16 24-19 5. 16x23 27x18x9 6. \
         6x13x22 25x18x11 7. 8x15 21-17 8. 4-8 29x25 9. 8-11 28-24 10. 11-16 24-20 11. 16-19 20-16 12. 19x23 26x19 \
         13. 15x24 25-22 14. 10x15 17-13 15. 7-10 16-11 16. 10x14 13-9 17. 24-28 9-5 18. 2-6 31-27 19. 14-18 22-17 \
         20. 18-22 27-23 21. 22-26 23-19 22. 15x24 30x23 23. 24-27 23-18 24. 27-31 18-14 25. 6-9 14-10 26. 9-13 17x14 \
         27. 31-26 14-9 28. 26-22 11-7 29. 22-18 7-2 30. 18x15 10-6 31. 1x10 2-7 32. 10x14 7-10 33. 15x6 9x2 34. 14-18 2-6 \
         35. 3-7 6-9 36. 18-23 9-14 37. 23-26 14-18 26-31 1/2-1/2",
    ];
    for (pdn, plies, end) in
        [(games[0], 56, "B:WK3,6,28:B5,12,K26"), (games[1], 75, "W:W5,K18,32:B7,13,28,K31")]
    {
        let (position, written, outcome) =
            play("checkers", None, pdn).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((written.len(), outcome), (plies, None));
        assert_eq!(position, end);
        // What is written reads back to the same game.
        assert_eq!(play("checkers 8x8", None, &written.join(" ")).unwrap().0, position);
    }
}

#[test]
fn positions_are_read_from_tags() {
    let written =
        |name: &str, text: &str| play(name, Some(text), "").map(|(position, ..)| position);
    let fen = Ok("W:W18,19:B1,5".to_owned());
    for text in
        ["[FEN \"W:W18,19:B1,5\"]", "W:W18,19:B1,5.", "[FEN \"W:B1,5:W18,19.\"]", "W:W18-19:B1,5"]
    {
        assert_eq!(written("checkers", text), fen, "{text}");
    }
    let start = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
    assert_eq!(written("checkers", "B:W21-32:B1-12").as_deref(), Ok(start));
    assert_eq!(written("checkers", "[FEN \"B:W18:B15,33\"]").unwrap_err().column(), 17);
    for text in [
        "B:W5-4:B1",
        "B:W4-:B1",
        "B:W-4:B1",
        "B:W4-5:B5",
        "B:W30-33:B1",
        "B:W18:B15..",
        "B:W29-32:B29",
    ] {
        assert!(written("checkers", text).is_err(), "{text}");
    }
    let fen = "8/8/8/8/8/1k6/8/K1Q5 w - - 0 1";
    assert_eq!(written("chess KQK", &format!("[FEN \"{fen}\"]")).as_deref(), Ok(fen));
    let error = play("checkers", None, "[SetUp \"1\"][FEN \"B:W18:B15\"] 1. 15x22").unwrap_err();
    assert_eq!(error.reason.as_deref(), Some("a FEN tag is a position, not a move"));
    let error = play("chess KQK", Some(fen), "1. Qh1 Kc4 1/2-1/2 2. Qh3").unwrap_err();
    assert_eq!(error.input, "1/2-1/2", "nothing follows a result");
}

/// Lines of `name | position or nothing | moves | part of the reason`.
#[test]
fn illegal_moves_are_refused_with_the_reason() {
    let table = include_str!("illegal.txt");
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut wrong = Vec::new();
    for line in lines {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [name, position, moves, reason] = *parts else { panic!("{line}") };
        let position = Some(position).filter(|text| *text != "-");
        let error = match play(name, position, moves) {
            Ok((position, ..)) => panic!("{line}: plays to {position}"),
            Err(error) => error,
        };
        assert_eq!(error.what, "move", "{line}: {error}");
        let found = error.reason.as_deref().unwrap_or("no reason");
        if found != reason {
            wrong.push(format!("{line}\n    says: {found}"));
        }
        assert!(error.to_string().contains("legal move"), "{error}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
