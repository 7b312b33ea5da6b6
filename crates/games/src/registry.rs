//! Games by name: `nogo 5x5`, `breakthrough 5x5 misere`.
//!
//! A name becomes a type here and nowhere else: [`open`] reads the words, builds the game, and
//! hands it to a [`Visitor`], whose generic method is compiled for every game there is.

use crate::through::{breakthrough, knightthrough};
use crate::{
    atarigo, awari, checkers, chess, clobber, connect4, domineering, go, graph, kalah, loa, mnk,
    morris, nogo,
};
use zermelo_game::{Game, ParseError, Sliced};

/// What to do with a game once its type is known.
pub trait Visitor {
    /// What comes out.
    type Output;
    /// Called once, with the opened game.
    fn visit<G: Game>(self, game: G) -> Self::Output;
}

/// What to do with a game whose positions are numbered.
pub trait SlicedVisitor {
    /// What comes out.
    type Output;
    /// Called once, with the opened game.
    fn visit<G: Sliced>(self, game: G) -> Self::Output;
}

/// A line of the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The word that opens it.
    pub name: &'static str,
    /// What may follow.
    pub usage: &'static str,
    /// A name that works.
    pub example: &'static str,
    /// The game in a few words.
    pub summary: &'static str,
}

/// All games.
#[must_use]
pub fn entries() -> &'static [Entry] {
    &[
        mnk::TICTACTOE,
        mnk::MNK,
        connect4::ENTRY,
        domineering::ENTRY,
        nogo::ENTRY,
        atarigo::ENTRY,
        go::ENTRY,
        clobber::ENTRY,
        checkers::ENTRY,
        breakthrough::ENTRY,
        knightthrough::ENTRY,
        chess::ENTRY,
        kalah::ENTRY,
        awari::ENTRY,
        morris::ENTRY,
        loa::ENTRY,
        graph::ENTRY,
    ]
}

/// Opens a game by name and hands it to the visitor.
///
/// ```
/// use zermelo_game::Game;
/// struct Name;
/// impl zermelo_games::Visitor for Name {
///     type Output = String;
///     fn visit<G: Game>(self, game: G) -> String { game.name() }
/// }
/// assert_eq!(zermelo_games::open("mnk 4x5x3", Name).unwrap(), "mnk 4x5x3");
/// let error = zermelo_games::open("mnk 4x5", Name).unwrap_err();
/// assert_eq!(error.column(), 5);
/// ```
pub fn open<V: Visitor>(text: &str, visitor: V) -> Result<V::Output, ParseError> {
    let args = Args::new(text);
    let name = args.name().to_ascii_lowercase();
    match name.as_str() {
        "tictactoe" => mnk::open_tictactoe(args, visitor),
        "mnk" => mnk::open(args, visitor),
        "connect4" => connect4::open(args, visitor),
        "chess" => chess::open(args, visitor),
        "kalah" => kalah::open(args, visitor),
        "awari" => awari::open(args, visitor),
        "morris" => morris::open(args, visitor),
        "loa" => loa::open(args, visitor),
        "breakthrough" => breakthrough::open(args, visitor),
        "graph" => graph::open(args, visitor),
        "knightthrough" => knightthrough::open(args, visitor),
        "nogo" => nogo::open(args, visitor),
        "atarigo" => atarigo::open(args, visitor),
        "go" => go::open(args, visitor),
        "clobber" => clobber::open(args, visitor),
        "checkers" => checkers::open(args, visitor),
        "domineering" => domineering::open(args, visitor),
        _ => {
            let names: Vec<&str> = entries().iter().map(|e| e.name).collect();
            Err(args.error_at(0, format!("a game: {}", names.join(", "))))
        }
    }
}

/// Opens a game whose positions are numbered slice by slice and hands it to the visitor; gives the visitor back
/// where the positions of that game are not.
pub fn open_sliced<V: SlicedVisitor>(
    text: &str,
    visitor: V,
) -> Result<Result<V::Output, V>, ParseError> {
    let args = Args::new(text);
    let name = args.name().to_ascii_lowercase();
    Ok(Ok(match name.as_str() {
        "checkers" => visitor.visit(checkers::read(args)?),
        "chess" => visitor.visit(chess::read(args)?),
        "kalah" => visitor.visit(kalah::read(args)?),
        "awari" => visitor.visit(awari::read(args)?),
        "morris" => visitor.visit(morris::read(args)?),
        _ => return Ok(Err(visitor)),
    }))
}

/// The words of a game's name, with their places for error messages.
#[derive(Clone, Debug)]
pub struct Args<'a> {
    text: &'a str,
    name: &'a str,
    /// The words after the name that nobody has taken yet, each with the character it starts at.
    words: Vec<(usize, &'a str)>,
}

impl<'a> Args<'a> {
    /// Splits a name at blanks.
    #[must_use]
    pub fn new(text: &'a str) -> Args<'a> {
        let mut words = text.split_whitespace().map(|w| {
            let byte = w.as_ptr() as usize - text.as_ptr() as usize;
            (text[..byte].chars().count(), w)
        });
        let name = words.next().map_or("", |(_, w)| w);
        Args { text, name, words: words.collect() }
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Name;
    impl Visitor for Name {
        type Output = String;
        fn visit<G: Game>(self, game: G) -> String {
            game.name()
        }
    }

    #[test]
    fn every_example_opens_under_its_own_name() {
        for entry in entries() {
            let name = open(entry.example, Name).unwrap_or_else(|e| panic!("{e}"));
            assert!(name.starts_with(entry.name), "{name}");
            assert_eq!(open(&name, Name).as_ref(), Ok(&name), "names open what they name");
        }
    }

    #[test]
    fn errors_show_the_place() {
        for (text, column) in [
            ("", 1),
            ("shogi", 1),
            ("chess", 6),
            ("chess KRX", 7),
            ("chess 9", 7),
            ("mnk", 4),
            ("mnk 3x3", 5),
            ("mnk 3x3x3 4", 11),
            ("mnk 0x3x3", 5),
            ("mnk 99x99x3", 5),
            ("tictactoe misere", 11),
        ] {
            assert_eq!(open(text, Name).unwrap_err().column(), column, "{text}");
        }
    }
}
