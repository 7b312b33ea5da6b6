//! The book: proved values of the first moves of some games, and the distances of wins, which come with the program. So the
//! gallery's games open with values at once, also those that take minutes to solve.
//!
//! `scripts/make-book` makes it with our own solver, and proves all of it again with `--verify`; a test does so for entries that
//! are cheap to prove. It is one more source of evidence, never a reason to ask no other.
//!
//! The file is text, a section for each game and in it a line for each position:
//!
//! ```text
//! zermelo book 1
//! game connect4 6x7; rules 1
//! : 1 41                    no moves: the start. The first player wins, in 41 plies
//! d: 1 40
//! d e d: -1 -               the second player wins; how soon is not known
//! ```
//!
//! Before the colon stand moves from the start, after it the value and the plies to the end. Of positions that are the same to
//! solvers one is listed. Where positions have values of their own the value is that of the position, else that of the line.

use crate::facts::Subject;
use crate::library::OpenGame;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use zermelo_erased::AnyGame;
use zermelo_game::{Bounds, Evidence, Identity, Value};

/// The book that comes with the program.
const OURS: &[u8] = include_bytes!("../book.txt");
/// The first line of the file.
const TITLE: &str = "zermelo book 1";

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookEntry {
    /// The moves that lead there from the start, between blanks.
    pub moves: String,
    /// Its value.
    pub value: Value,
    /// The plies to the end, where that is known.
    pub distance: Option<u32>,
}

/// What is known of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Which game, by which rules.
    pub identity: Identity,
    /// Its positions.
    pub entries: Vec<BookEntry>,
}

/// What is wrong with a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} of the book: {why}")]
pub struct BadBook {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
}

/// Reads a book.
pub fn read(text: &str) -> Result<Vec<Section>, BadBook> {
    let mut lines = text.lines().enumerate().map(|(n, line)| (n + 1, line));
    if lines.next().is_none_or(|(_, line)| line != TITLE) {
        return Err(BadBook { line: 1, why: "a book begins with 'zermelo book 1'" });
    }
    let mut sections: Vec<Section> = Vec::new();
    for (line, text) in lines {
        let bad = |why| BadBook { line, why };
        if let Some(game) = text.strip_prefix("game ") {
            let (game, rules) = game.rsplit_once("; rules ").ok_or(bad("no version of rules"))?;
            let rules_version = rules.parse().map_err(|_| bad("no version of rules"))?;
            let identity = Identity { game: game.to_owned(), rules_version };
            sections.push(Section { identity, entries: Vec::new() });
            continue;
        }
        let section = sections.last_mut().ok_or(bad("a position before the first game"))?;
        let (moves, known) = text.split_once(':').ok_or(bad("no colon after the moves"))?;
        let (value, distance) = known.trim().split_once(' ').ok_or(bad("no value and distance"))?;
        let number = || distance.parse().map_err(|_| bad("a distance is a number or '-'"));
        section.entries.push(BookEntry {
            moves: moves.to_owned(),
            value: value.parse().map_err(|_| bad("a value is a number"))?,
            distance: if distance == "-" { None } else { Some(number()?) },
        });
    }
    Ok(sections)
}

/// Writes a book.
#[must_use]
pub fn write(sections: &[Section]) -> String {
    let mut text = format!("{TITLE}\n");
    for Section { identity, entries } in sections {
        let _ = writeln!(text, "game {}; rules {}", identity.game, identity.rules_version);
        for BookEntry { moves, value, distance } in entries {
            let distance = distance.map_or_else(|| "-".to_owned(), |plies| plies.to_string());
            let _ = writeln!(text, "{moves}: {value} {distance}");
        }
    }
    text
}

/// The book that comes with the program.
///
/// # Panics
/// If it cannot be read; a test sees to that.
#[must_use]
pub fn ours() -> Vec<Section> {
    let text = std::str::from_utf8(OURS).expect("the book is text");
    read(text).unwrap_or_else(|e| panic!("{e}"))
}

/// What the book says of a game, ready to be looked up.
#[derive(Debug, Default)]
pub struct GameBook {
    known: HashMap<String, (Value, Option<u32>)>,
}

impl GameBook {
    /// The positions of a section. Entries that cannot be played are left out.
    fn new(game: &dyn AnyGame, section: &Section) -> GameBook {
        let mut known = HashMap::new();
        for BookEntry { moves, value, distance } in &section.entries {
            let Ok((session, played)) = zermelo_erased::open_session(game, None, Some(moves))
            else {
                continue;
            };
            let start = || game.session().position();
            for key in Subject::here(game, &*session, start, &played).keys() {
                known.insert(key.to_owned(), (*value, *distance));
            }
        }
        GameBook { known }
    }

    /// What it says of a position.
    #[must_use]
    pub fn look_up<S>(&self, subject: &Subject, all: Bounds, source: S) -> Option<Evidence<S>> {
        let (value, _) = *self.known.get(subject.value_key())?;
        let distance = self.known.get(subject.distance_key()).and_then(|(_, distance)| *distance);
        let bounds = Bounds::exact(value);
        all.meet(bounds).ok()?;
        Some(Evidence::new(bounds, source).at_distance(distance))
    }

    /// How many texts it knows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether it knows none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

/// All sections, each made ready when its game is first asked for.
pub struct Book {
    sections: Vec<Section>,
    opened: Mutex<HashMap<String, Arc<GameBook>>>,
}

impl Book {
    /// A book of these sections.
    #[must_use]
    pub fn new(sections: Vec<Section>) -> Book {
        Book { sections, opened: Mutex::default() }
    }

    /// What it says of a game, by these very rules.
    #[must_use]
    pub fn of(&self, game: &OpenGame) -> Option<Arc<GameBook>> {
        let identity = game.identity();
        let section = self.sections.iter().find(|section| section.identity == identity)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let book = opened
            .entry(identity.game)
            .or_insert_with(|| Arc::new(GameBook::new(&**game, section)));
        Some(book.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_are_read_as_they_are_written() {
        let text = "zermelo book 1\ngame connect4 6x7; rules 1\n: 1 41\nd e d: -1 -\n";
        let sections = read(text).unwrap();
        assert_eq!(write(&sections), text);
        assert_eq!(sections[0].entries[1].moves, "d e d");
        for (text, line) in [
            ("", 1),
            ("zermelo book 2\n", 1),
            ("zermelo book 1\n: 1 41", 2),
            ("zermelo book 1\ngame tictactoe", 2),
            ("zermelo book 1\ngame tictactoe; rules 1\na1 0 -", 3),
            ("zermelo book 1\ngame tictactoe; rules 1\na1: 0", 3),
            ("zermelo book 1\ngame tictactoe; rules 1\na1: 0 x", 3),
        ] {
            assert_eq!(read(text).map_err(|bad| bad.line), Err(line), "{text}");
        }
    }
}
