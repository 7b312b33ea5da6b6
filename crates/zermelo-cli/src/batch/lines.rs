//! The input of a batch: a line for each position, read within limits.
//!
//! A line is a position, if it can be read as one, else a list of moves from the start; `moves:` before it says that it is
//! these. A JSON object names one or both: `{"position": "...", "moves": "..."}`. Empty lines and those that
//! begin with `#` are left out. A line that cannot be read is told with its place, and the next one is read.

use crate::out;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use zermelo_erased::{AnyGame, AnySession, open_session, open_text};
use zermelo_game::ParseError;
use zermelo_game::file::read_line;
use zermelo_game::outside::path;

/// Bytes of the longest line that is read.
pub const LONGEST: usize = 64 << 10;
/// A longer one is left out, if its end comes within so many bytes.
const ENDLESS: u64 = 64 << 20;

/// Why a line has no answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LineError {
    /// The whole of it in a sentence.
    pub message: String,
    /// What could not be read: "line", "position" or "move"; "solver" where the fault is ours.
    pub what: &'static str,
    /// Where, counted in characters from 1; of a JSON object, within the text of that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What would have been right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

impl LineError {
    /// Without a place.
    pub fn new(what: &'static str, message: impl Into<String>) -> LineError {
        LineError { message: message.into(), what, column: None, expected: None }
    }
}

impl From<ParseError> for LineError {
    fn from(error: ParseError) -> LineError {
        // The lines below quote the text, which stands beside the error.
        let message = error.to_string().lines().next().unwrap_or_default().to_owned();
        let (what, column) = (error.what, Some(error.column()));
        LineError { message, what, column, expected: Some(error.expected) }
    }
}

/// A line that is not left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its number, from 1; lines that are left out count.
    pub number: u64,
    /// What it says, without blanks around it.
    pub text: Result<String, LineError>,
}

impl Line {
    /// What it says, where it is text.
    pub fn input(&self) -> Option<&str> {
        self.text.as_deref().ok()
    }
}

/// The lines.
pub struct Lines {
    source: Box<dyn BufRead + Send>,
    number: u64,
}

impl Lines {
    /// Those of a file, or of standard input for `-`.
    pub fn open(file: &Path) -> anyhow::Result<Lines> {
        if out::is_stdout(file) {
            return Ok(Lines::of(BufReader::new(io::stdin())));
        }
        let source = File::open(file).with_context(|| format!("cannot read {}", path(file)))?;
        Ok(Lines::of(BufReader::new(source)))
    }

    /// Those of a source.
    pub fn of(source: impl BufRead + Send + 'static) -> Lines {
        Lines { source: Box::new(source), number: 0 }
    }

    /// The next one that is not left out; `None` at the end. Fails where nothing more can be read.
    pub fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let read = read_line(&mut self.source, LONGEST);
            self.number += 1;
            let number = self.number;
            let text = match read {
                Ok(None) => return Ok(None),
                Ok(Some(text)) => {
                    let text = text.trim_start_matches('\u{feff}').trim();
                    if text.is_empty() || text.starts_with('#') {
                        continue;
                    }
                    Ok(text.to_owned())
                }
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    self.skip()?;
                    Err(LineError::new("line", format!("the line is longer than {LONGEST} bytes")))
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    Err(LineError::new("line", format!("the line is no text: {error}")))
                }
                Err(error) => return Err(error),
            };
            return Ok(Some(Line { number, text }));
        }
    }

    /// Goes to the end of the line.
    fn skip(&mut self) -> io::Result<()> {
        let mut left = ENDLESS;
        while left > 0 {
            let bytes = self.source.fill_buf()?;
            let end = bytes.iter().position(|b| *b == b'\n');
            let here = end.map_or(bytes.len(), |at| at + 1);
            if here == 0 {
                return Ok(());
            }
            self.source.consume(here);
            if end.is_some() {
                return Ok(());
            }
            left = left.saturating_sub(here as u64);
        }
        let words = format!("line {} does not end within {ENDLESS} bytes", self.number);
        Err(io::Error::new(io::ErrorKind::FileTooLarge, words))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineJson {
    position: Option<String>,
    moves: Option<String>,
}

/// A session at what a line describes.
pub fn place<'g>(game: &'g dyn AnyGame, text: &str) -> Result<Box<dyn AnySession + 'g>, LineError> {
    if text.starts_with('{') {
        let object: LineJson = serde_json::from_str(text).map_err(|error| LineError {
            column: Some(error.column()),
            expected: Some(OBJECT.into()),
            ..LineError::new("line", format!("bad line: {error}"))
        })?;
        if object.position.is_none() && object.moves.is_none() {
            let expected = Some(OBJECT.into());
            return Err(LineError { expected, ..LineError::new("line", "the object is empty") });
        }
        let opened = open_session(game, object.position.as_deref(), object.moves.as_deref());
        return Ok(opened?.0);
    }
    let Some(moves) = text.strip_prefix("moves:") else { return Ok(open_text(game, text)?) };
    let before = "moves:".len();
    let opened = open_session(game, None, Some(moves));
    Ok(opened.map_err(|e| ParseError::new(e.what, text, before + e.at, e.expected))?.0)
}

/// What an object says.
const OBJECT: &str = r#"{"position": "...", "moves": "..."}, or one of them"#;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, repeat};
    use zermelo_erased::Catalogue;

    fn all(text: &'static [u8]) -> Vec<(u64, Option<String>)> {
        let mut lines = Lines::of(text);
        let next = || lines.next().unwrap().map(|l| (l.number, l.input().map(str::to_owned)));
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn blank_lines_and_comments_are_left_out_and_counted() {
        let text = "\u{feff}# a comment\n\n a1 b1 \r\n\t\n  # another\nb2";
        assert_eq!(all(text.as_bytes()), [(3, Some("a1 b1".into())), (6, Some("b2".into()))]);
        assert_eq!(all(b""), []);
        assert_eq!(
            all(b"a1\n\xff\nb1\n"),
            [(1, Some("a1".into())), (2, None), (3, Some("b1".into()))]
        );
    }

    #[test]
    fn a_line_that_is_too_long_is_left_behind() {
        let long = "x".repeat(3 * LONGEST);
        let just = "y".repeat(LONGEST);
        let text = format!("a1\n{long}\n{just}\nb1\n{long}");
        let mut lines = Lines::of(io::Cursor::new(text));
        let mut next = || lines.next().unwrap().map(|line| (line.number, line.text));
        assert_eq!(next(), Some((1, Ok("a1".into()))));
        let (number, error) = next().unwrap();
        assert_eq!((number, error.unwrap_err().what), (2, "line"));
        assert_eq!(next(), Some((3, Ok(just))));
        assert_eq!(next(), Some((4, Ok("b1".into()))));
        assert!(next().is_some_and(|(number, text)| number == 5 && text.is_err()));
        assert_eq!(next(), None);
        let mut endless = Lines::of(BufReader::new(repeat(b'x').take(u64::MAX)));
        assert_eq!(endless.next().unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_line_is_a_position_or_moves() {
        let game = Catalogue::standard().open("tictactoe").unwrap();
        let at = |text: &str| place(&*game, text).map(|session| session.position());
        for (text, position) in [
            ("x../.../... second", "x../.../... second"),
            ("b2 a1", ".../.x./o.. first"),
            ("moves: b2,a1", ".../.x./o.. first"),
            ("moves:", ".../.../... first"),
            (r#"{"moves": "b2 a1"}"#, ".../.x./o.. first"),
            (r#"{"position": "x../.../... second", "moves": "a1"}"#, "x../.../o.. first"),
        ] {
            assert_eq!(at(text).as_deref(), Ok(position), "{text}");
        }
        for (text, what, column) in [
            ("x../.q./... second", "position", Some(6)),
            ("b2 a4", "move", Some(5)),
            ("moves: b2 a4", "move", Some(12)),
            ("moves: x../.../... second", "move", Some(8)),
            (r#"{"moves": "b2 a4"}"#, "move", Some(5)),
            (r#"{"move": "b2"}"#, "line", Some(7)),
            (r#"{"moves": 7}"#, "line", Some(11)),
            (r#"{"moves": "b2""#, "line", Some(14)),
            ("{}", "line", None),
        ] {
            let error = at(text).unwrap_err();
            assert_eq!((error.what, error.column), (what, column), "{text}: {}", error.message);
            assert!(error.expected.is_some() && !error.message.contains('\n'), "{text}");
        }
    }
}
