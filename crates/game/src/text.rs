//! Errors of reading what people write: they show where, and what would be right.

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
}

impl ParseError {
    /// An error at character `at` (from 0) of `input`.
    pub fn new(
        what: &'static str,
        input: &str,
        at: usize,
        expected: impl Into<String>,
    ) -> ParseError {
        ParseError { what, input: input.to_owned(), at, expected: expected.into() }
    }

    /// The column for people, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.at + 1
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = match self.input.chars().nth(self.at) {
            Some(c) => format!("{c:?}"),
            None => "the end".to_owned(),
        };
        write!(
            f,
            "bad {} at column {}: found {}, expected {}",
            self.what,
            self.column(),
            found,
            self.expected
        )?;
        // A one-line input is shown with a mark under the place.
        if !self.input.is_empty() && !self.input.contains(['\n', '\r']) {
            write!(f, "\n  {}\n  {}^", self.input, " ".repeat(self.at))?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseError {}
