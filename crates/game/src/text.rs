//! Errors of reading what people write: they show where, and what would be right.

use crate::outside::{printable, printable_lines};
use std::fmt;

/// Why a piece of text was not understood.
///
/// ```
/// use zermelo_game::ParseError;
/// let error = ParseError::new("position", "xo./.q./... first", 5, "'x', 'o' or '.'");
/// assert_eq!(
///     error.to_string(),
///     "bad position at column 6: found 'q', expected 'x', 'o' or '.'\n  \
///      xo./.q./... first\n       ^"
/// );
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// What was read: "position", "move", "game".
    pub what: &'static str,
    /// The whole text.
    pub input: String,
    /// Where it went wrong, counted in characters from 0; the length of the text for "too short".
    pub at: usize,
    /// What would have been right there.
    pub expected: String,
    /// What is wrong with a text that can be read, such as a move that the rules forbid.
    pub reason: Option<String>,
}

impl ParseError {
    /// An error at character `at` (from 0) of `input`.
    pub fn new(
        what: &'static str,
        input: &str,
        at: usize,
        expected: impl Into<String>,
    ) -> ParseError {
        ParseError { what, input: input.to_owned(), at, expected: expected.into(), reason: None }
    }

    /// The same with what is wrong there, which is said in place of the character that was found.
    ///
    /// ```
    /// use zermelo_game::ParseError;
    /// let error = ParseError::new("move", "a1", 0, "a legal move (b1)").because("a1 is taken");
    /// assert_eq!(
    ///     error.to_string(),
    ///     "bad move at column 1: a1 is taken; expected a legal move (b1)\n  a1\n  ^"
    /// );
    /// ```
    #[must_use]
    pub fn because(self, reason: impl Into<String>) -> ParseError {
        ParseError { reason: Some(reason.into()), ..self }
    }

    /// The same error in a longer text, in which `before` characters stand before the one that was read.
    #[must_use]
    pub fn within(self, whole: &str, before: usize) -> ParseError {
        ParseError { input: whole.to_owned(), at: before + self.at, ..self }
    }

    /// The column for people, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.at + 1
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = match (&self.reason, self.input.chars().nth(self.at)) {
            (Some(reason), _) => format!("{};", printable_lines(reason)),
            (None, Some(c)) => format!("found {c:?},"),
            (None, None) => "found the end,".to_owned(),
        };
        let (what, column) = (self.what, self.column());
        let expected = printable_lines(&self.expected);
        write!(f, "bad {what} at column {column}: {wrong} expected {expected}")?;
        // A one-line input is shown with a mark under the place, if it can be shown as it is.
        let plain = printable(&self.input) == self.input;
        if !self.input.is_empty() && plain {
            write!(f, "\n  {}\n  {}^", self.input, " ".repeat(self.at))?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseError {}
