//! How a game is listed, and how the words of its name are read.
//!
//! A *name* is a word and what follows it: `nogo 5x5`, `breakthrough 5x5 misere`. Whoever opens a game takes the words
//! it knows from [`Args`] and refuses the rest, with an error that shows the place.

use crate::ParseError;

/// What a list of games says of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameEntry {
    /// The word that opens it.
    pub name: &'static str,
    /// What may follow.
    pub usage: &'static str,
    /// A name that works.
    pub example: &'static str,
    /// The game in a few words.
    pub summary: &'static str,
    /// What may follow in sentences: what each word means. Limits are told by the errors of whoever opens it.
    pub help: &'static str,
}

/// The words of a game's name, with their places for error messages.
#[derive(Clone, Debug)]
pub struct Args<'a> {
    text: &'a str,
    name: &'a str,
    /// The words after the name that nobody has taken yet, each with the character it starts at.
    words: Vec<(usize, &'a str)>,
    foreign: bool,
}

impl<'a> Args<'a> {
    /// Splits a name at blanks. Somebody has typed it: it may be the name of a file.
    ///
    /// ```
    /// use zermelo_game::Args;
    /// let mut args = Args::new("chomp 4x5 misere");
    /// assert_eq!(args.size("ROWSxCOLS", |_| true), Ok(Some([4, 5])));
    /// assert!(args.flag("misere"));
    /// assert!(args.end("chomp ROWSxCOLS [misere]").is_ok());
    /// ```
    #[must_use]
    pub fn new(text: &'a str) -> Args<'a> {
        // Characters are counted from word to word: a graph that is written out has many.
        let (mut bytes, mut chars) = (0, 0);
        let mut words = text.split_whitespace().map(|w| {
            let start = w.as_ptr() as usize - text.as_ptr() as usize;
            chars += text[bytes..start].chars().count();
            bytes = start;
            (chars, w)
        });
        let name = words.next().map_or("", |(_, w)| w);
        Args { text, name, words: words.collect(), foreign: false }
    }

    /// The same for a name that stands in a file or comes from a client: to open it must not read a file.
    #[must_use]
    pub fn foreign(text: &'a str) -> Args<'a> {
        Args { foreign: true, ..Args::new(text) }
    }

    /// Whether the name comes from a file or a client. Such a name must not make anybody read a file.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// The first word.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Takes the word `flag`, if it is there.
    pub fn flag(&mut self, flag: &str) -> bool {
        let found = self.words.iter().position(|(_, w)| w.eq_ignore_ascii_case(flag));
        found.map(|i| self.words.remove(i)).is_some()
    }

    /// Takes the word `option` and the one after it, which is returned; `None` if the option is not
    /// there. `usage` says in errors what must follow.
    pub fn option(
        &mut self,
        option: &str,
        usage: &str,
    ) -> Result<Option<(usize, &'a str)>, ParseError> {
        let Some(i) = self.words.iter().position(|(_, w)| w.eq_ignore_ascii_case(option)) else {
            return Ok(None);
        };
        if i + 1 == self.words.len() {
            return Err(self.error_at(self.text.chars().count(), usage));
        }
        self.words.remove(i);
        Ok(Some(self.words.remove(i)))
    }

    /// Takes the next word, whatever it is.
    pub fn word(&mut self) -> Option<(usize, &'a str)> {
        if self.words.is_empty() { None } else { Some(self.words.remove(0)) }
    }

    /// Takes the next word that starts with a digit as `N` numbers joined by `x`, such as `5x6`.
    /// `None` if there is none; `usage` says in errors what would be right; `fits` refuses numbers
    /// that are out of range.
    pub fn size<const N: usize>(
        &mut self,
        usage: &str,
        fits: impl Fn([u32; N]) -> bool,
    ) -> Result<Option<[u32; N]>, ParseError> {
        let is_size = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
        let Some(i) = self.words.iter().position(|(_, w)| is_size(w)) else {
            return Ok(None);
        };
        let (at, word) = self.words.remove(i);
        let numbers: Option<Vec<u32>> = word.split(['x', 'X']).map(|n| n.parse().ok()).collect();
        match numbers.and_then(|n| <[u32; N]>::try_from(n).ok()).filter(|n| fits(*n)) {
            Some(size) => Ok(Some(size)),
            None => Err(self.error_at(at, usage)),
        }
    }

    /// Like [`size`](Self::size), where the size may not be left out.
    pub fn need_size<const N: usize>(
        &mut self,
        usage: &str,
        fits: impl Fn([u32; N]) -> bool,
    ) -> Result<[u32; N], ParseError> {
        let end = self.text.chars().count();
        self.size(usage, fits)?.ok_or_else(|| self.error_at(end, usage))
    }

    /// Fails if words are left that nobody took; `usage` says what may follow the name.
    pub fn end(&self, usage: &str) -> Result<(), ParseError> {
        match self.words.first() {
            None => Ok(()),
            Some(&(at, _)) => Err(self.error_at(at, format!("nothing more (usage: {usage})"))),
        }
    }

    /// An error at a character of the name.
    #[must_use]
    pub fn error_at(&self, at: usize, expected: impl Into<String>) -> ParseError {
        ParseError::new("game", self.text, at, expected)
    }
}
