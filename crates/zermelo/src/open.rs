//! From words to a game and a position, with errors that show the place.

use crate::cli::Where;
use std::fmt;
use zermelo_any::{AnyGame, AnySession};
use zermelo_game::ParseError;

/// The user asked for something that does not exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

impl From<ParseError> for Usage {
    fn from(error: ParseError) -> Usage {
        Usage(error.to_string())
    }
}

/// Opens the game these words name.
pub fn game(words: &[String]) -> Result<Box<dyn AnyGame>, Usage> {
    let text = words.join(" ");
    zermelo_any::open(&text).map_err(|error| wrong_name(&text, &error))
}

/// The error of a name that opens nothing, with the game that was probably meant.
#[must_use]
pub fn wrong_name(text: &str, error: &ParseError) -> Usage {
    let name = text.split_whitespace().next().unwrap_or_default();
    let tip = nearest(name).map(|n| format!("\n\ntip: there is a game '{n}'"));
    Usage(format!("{error}{}", tip.unwrap_or_default()))
}

/// The game that was probably meant, if the name is none itself.
fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let names = zermelo_games::entries().iter().map(|entry| entry.name);
    if names.clone().any(|n| n == name) {
        return None;
    }
    names
        .map(|n| (strsim::jaro_winkler(n, &name), n))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, n)| n)
}

/// A session at the position that `--position` and `--moves` describe.
pub fn session<'g>(
    game: &'g dyn AnyGame,
    place: &Where,
) -> Result<Box<dyn AnySession + 'g>, Usage> {
    let mut session = game.session();
    if let Some(text) = &place.position {
        session.set_position(text)?;
    }
    if let Some(moves) = &place.moves {
        play_all(&mut *session, moves)?;
    }
    Ok(session)
}

/// Plays moves separated by blanks or commas. An error shows the place in the whole text.
fn play_all(session: &mut dyn AnySession, moves: &str) -> Result<(), ParseError> {
    for word in moves.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()) {
        session.play(word).map_err(|error| {
            let byte = word.as_ptr() as usize - moves.as_ptr() as usize;
            let before = moves[..byte].chars().count();
            ParseError::new("move", moves, before + error.at, error.expected)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn misspelt_games_are_recognised() {
        assert_eq!(nearest("tictacto"), Some("tictactoe"));
        assert_eq!(nearest("TicTacToe"), None);
        assert_eq!(nearest("zzz"), None);
        let error = game(&words("tiktaktoe")).err().unwrap();
        assert!(
            error.0.contains("column 1") && error.0.contains("tip: there is a game 'tictactoe'")
        );
        assert!(!game(&words("mnk 3x3")).err().unwrap().0.contains("tip"));
    }

    #[test]
    fn moves_follow_the_position() {
        let game = game(&words("tictactoe")).unwrap();
        let place = |position: Option<&str>, moves: Option<&str>| {
            let (position, moves) = (position.map(str::to_owned), moves.map(str::to_owned));
            session(&*game, &Where { game: vec![], position, moves }).map(|s| s.position())
        };
        assert_eq!(place(None, Some("a1, B2")).unwrap(), ".../.o./x.. first");
        assert_eq!(place(Some("x../.../... second"), Some("a1")).unwrap(), "x../.../o.. first");
        let error = place(None, Some("a1 b2 a4 c1")).unwrap_err();
        assert!(error.0.starts_with("bad move at column 8: found '4'"), "{}", error.0);
        let error = place(None, Some("a1 a1")).unwrap_err();
        assert!(error.0.contains("  a1 a1\n"), "{}", error.0);
    }
}
