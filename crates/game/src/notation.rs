//! The [`Notation`] trait: how people and files see positions and moves.

use crate::{Footprint, MoveList, ParseError, Picture, Rules, Words, movetext};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Names, texts and pictures of a game. All methods have defaults, so that `impl Notation for MyGame {}` is enough to begin
/// with; each says what the default is.
pub trait Notation: Rules {
    // ---- Identity -----------------------------------------------------------------------------

    /// The name with all parameters, as the catalogue opens it: `nogo 5x5`. Without it: the name of the type in small
    /// letters, which will do for a game without parameters.
    fn name(&self) -> String {
        let path = std::any::type_name::<Self>();
        let end = path.find('<').unwrap_or(path.len());
        path[..end].rsplit("::").next().unwrap_or(path).to_ascii_lowercase()
    }

    /// The name under which a catalogue opens the same game anywhere. Without it: the name, which will do
    /// unless the game was read from a file.
    fn full_name(&self) -> String {
        self.name()
    }

    /// The version of the rules, from 1 on. With [`full_name`](Self::full_name) it is the identity of the game: stores
    /// of proofs, databases and messages to provers name both, and what was made by another version is refused. Raise it
    /// when the rules, the texts of positions or the numbers of positions ([`Sliced`](crate::Sliced)) change so that a
    /// stored value may be wrong; never for wording. Without it: 1.
    fn rules_version(&self) -> u32 {
        1
    }

    /// The rules in a few sentences, and every choice the literature leaves open. They are for people: nothing compares
    /// them, and they may be reworded at any time. Without it: nothing is said.
    fn rules_text(&self) -> String {
        "The rules of this game are not described.".into()
    }

    // ---- Text ---------------------------------------------------------------------------------

    /// A move as people write it; the moves of one position all differ. Without it: its [code](Rules::code).
    fn move_text(&self, p: &Self::Position, m: Self::Move) -> String {
        let _ = p;
        self.code(m).to_string()
    }

    /// A position as text on one line, read back by [`parse_position`](Self::parse_position). Without it: its key as a
    /// hexadecimal number.
    fn position_text(&self, p: &Self::Position) -> String {
        self.key(p).to_hex()
    }

    /// Reads a position. Accepts every position the rules can handle, reachable or not, and
    /// nothing else: bad text gets an error that shows where and what would be right. To be written together with
    /// [`position_text`](Self::position_text). Without it: the position with this key is looked for among those that play can
    /// reach, nearest first, and given up after a million, which is slow and only good for small games.
    fn parse_position(&self, text: &str) -> Result<Self::Position, ParseError> {
        find_by_key(self, text)
    }

    /// Reads a move, in every form that people use for the game; what [`move_text`](Self::move_text) writes among them. Without
    /// it: [`parse_listed`].
    fn parse_move(&self, p: &Self::Position, text: &str) -> Result<Self::Move, ParseError> {
        parse_listed(self, p, text)
    }

    /// Why a text that names no legal move names none: "a1 is taken", "column d is full". It is only asked for such texts, in
    /// positions where the game is not over. `None` if the text does not look like a move of the game. Without it: errors say
    /// where the text stops to look like a legal move, and which moves are legal.
    fn why_illegal(&self, p: &Self::Position, text: &str) -> Option<String> {
        let _ = (p, text);
        None
    }

    /// Splits a list of moves into the moves, which are parts of it, in their order. What the game's notation puts between them
    /// (numbers of moves, comments) is left out. It does not know the position, and leaves bad moves for
    /// [`parse_move`](Self::parse_move) to refuse. Without it: blanks and commas stand between moves.
    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        movetext::words(text).collect()
    }

    // ---- Pictures -----------------------------------------------------------------------------

    /// A picture of the position. Without it: the text form.
    fn picture(&self, p: &Self::Position) -> Picture {
        Picture::Text(self.position_text(p))
    }

    /// Where a move happens in the picture. Without it: marks are listed, not drawn.
    fn footprint(&self, p: &Self::Position, m: Self::Move) -> Option<Footprint> {
        let _ = (p, m);
        None
    }
}

/// Reads a move by comparing the text with every legal move's, whatever the case. Errors give the
/// [reason](Notation::why_illegal), if the game knows one.
pub fn parse_listed<R: Notation + ?Sized>(
    rules: &R,
    p: &R::Position,
    text: &str,
) -> Result<R::Move, ParseError> {
    let mut list = MoveList::new();
    rules.expand(p, &mut list);
    let texts: Vec<String> = list.iter().map(|m| rules.move_text(p, m)).collect();
    match texts.iter().position(|t| t.eq_ignore_ascii_case(text)) {
        Some(i) => return Ok(list.scored()[i].mv),
        None if texts.is_empty() => {
            return Err(ParseError::new("move", text, 0, "no move: the game is over"));
        }
        None => {}
    }
    let expected = format!("a legal move ({})", texts.join(" "));
    Err(match rules.why_illegal(p, text) {
        Some(reason) => ParseError::new("move", text, 0, expected).because(reason),
        None => {
            let at = texts.iter().map(|t| common_prefix(t, text)).max().unwrap_or(0);
            ParseError::new("move", text, at, expected)
        }
    })
}

/// How many positions are looked at to find one by its key.
const SEARCHED: usize = 1_000_000;

/// The position that play can reach whose key is the hexadecimal number in the text.
fn find_by_key<R: Notation + ?Sized>(rules: &R, text: &str) -> Result<R::Position, ParseError> {
    let error = |expected: &str| ParseError::new("position", text, 0, expected);
    let wanted = R::Key::from_hex(text)
        .ok_or_else(|| error("the key of a position, a hexadecimal number"))?;
    let start = rules.start();
    let mut seen: FxHashSet<R::Key> = [rules.key(&start)].into_iter().collect();
    let mut queue = VecDeque::from([start]);
    while let Some(p) = queue.pop_front() {
        if rules.key(&p) == wanted {
            return Ok(p);
        }
        let mut list = MoveList::new();
        rules.expand(&p, &mut list);
        for m in list.iter() {
            let next = rules.play(&p, m);
            if seen.len() < SEARCHED && seen.insert(rules.key(&next)) {
                queue.push_back(next);
            }
        }
    }
    match seen.len() {
        SEARCHED => Err(error(
            "the key of one of the first million positions (the game has no notation of its own)",
        )),
        _ => Err(error("the key of a position that play can reach")),
    }
}

/// How many characters the two texts share at the start, whatever the case.
fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(x, y)| x.eq_ignore_ascii_case(y)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Player, Value};

    /// Ends as soon as three counters are left; they are numbered downwards.
    struct Bare;

    impl Rules for Bare {
        type Position = u64;
        type Move = u64;
        type Key = u64;
        fn start(&self) -> u64 {
            20
        }
        fn turn(&self, p: &u64) -> Player {
            Player::from_index((p % 2) as usize)
        }
        fn outcome(&self, p: &u64) -> Option<Value> {
            (*p <= 3).then_some(self.turn(p).sign())
        }
        fn moves(&self, _: &u64, out: &mut MoveList<u64>) {
            out.push(1);
            out.push(3);
        }
        fn play(&self, p: &u64, m: u64) -> u64 {
            p - m
        }
        fn key(&self, p: &u64) -> u64 {
            *p
        }
        fn code(&self, m: u64) -> usize {
            m as usize
        }
        fn codes(&self) -> usize {
            4
        }
    }

    impl Notation for Bare {}

    #[test]
    fn a_game_without_notation_has_a_name_texts_and_moves() {
        assert_eq!(Bare.name(), "bare");
        assert_eq!(Bare.position_text(&20), "14");
        assert_eq!(Bare.parse_position("14"), Ok(20));
        assert_eq!(Bare.parse_position("11"), Ok(17));
        assert_eq!(Bare.parse_move(&20, "3"), Ok(3));
        let unreachable = Bare.parse_position("15").unwrap_err();
        assert!(unreachable.expected.contains("play can reach"), "{unreachable}");
        assert!(Bare.parse_position("x").is_err());
        assert_eq!(Bare.split_moves("1, 3\n1"), ["1", "3", "1"]);
        let illegal = Bare.parse_move(&20, "4").unwrap_err();
        assert_eq!((illegal.reason.as_deref(), &*illegal.expected), (None, "a legal move (1 3)"));
        crate::conformance::check(&Bare, &());
    }
}
