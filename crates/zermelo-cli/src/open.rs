//! From words to a game and a position, with errors that show the place.

use crate::cli::PositionArgs;
use std::fmt;
use zermelo_erased::{AnyGame, AnySession, Catalogue, Row, open_session};
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

/// The user has typed a text that cannot be read: a [`Usage`] error with a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadInput {
    /// What was expected, and where.
    pub error: ParseError,
    /// What may help.
    tip: Option<String>,
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        self.tip.iter().try_for_each(|tip| write!(f, "\n\ntip: {tip}"))
    }
}

impl std::error::Error for BadInput {}

impl From<ParseError> for BadInput {
    fn from(error: ParseError) -> BadInput {
        BadInput { error, tip: None }
    }
}

/// Opens the game these words name. An error names the game that was probably meant.
pub fn game(catalogue: &Catalogue, words: &[String]) -> Result<Box<dyn AnyGame>, BadInput> {
    game_of(catalogue, words, None)
}

/// The same where a position is given, which may say what the words leave open.
pub fn game_at(catalogue: &Catalogue, start: &PositionArgs) -> Result<Box<dyn AnyGame>, BadInput> {
    game_of(catalogue, &start.game, start.position.as_deref())
}

fn game_of(
    catalogue: &Catalogue,
    words: &[String],
    position: Option<&str>,
) -> Result<Box<dyn AnyGame>, BadInput> {
    let text = words.join(" ");
    catalogue.open_at(&text, position).map_err(|error| {
        let name = text.split_whitespace().next().unwrap_or_default();
        let tip = match catalogue.row(name) {
            Some(row) => Some(format!("`zermelo games {}` tells what may follow", row.name())),
            None => nearest(catalogue, name).map(|name| format!("there is a game '{name}'")),
        };
        BadInput { error, tip }
    })
}

/// The game that was probably meant, if the name is none itself.
fn nearest<'c>(catalogue: &'c Catalogue, name: &str) -> Option<&'c str> {
    let name = name.to_ascii_lowercase();
    if catalogue.row(&name).is_some() {
        return None;
    }
    let names = catalogue.rows().iter().map(Row::name);
    names
        .map(|n| (strsim::jaro_winkler(n, &name), n))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, n)| n)
}

/// A session at the position that `--position` and `--moves` describe.
pub fn session<'g>(
    game: &'g dyn AnyGame,
    start: &PositionArgs,
) -> Result<Box<dyn AnySession + 'g>, BadInput> {
    let (session, _) = open_session(game, start.position.as_deref(), start.moves.as_deref())?;
    Ok(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn misspelt_games_are_recognised() {
        let ours = Catalogue::standard();
        assert_eq!(nearest(&ours, "tictacto"), Some("tictactoe"));
        assert_eq!(nearest(&ours, "TicTacToe"), None);
        assert_eq!(nearest(&ours, "zzz"), None);
        let error = |text: &str| game(&ours, &words(text)).err().unwrap().to_string();
        let misspelt = error("tiktaktoe");
        assert!(misspelt.contains("column 1"), "{misspelt}");
        assert!(misspelt.ends_with("\n\ntip: there is a game 'tictactoe'"), "{misspelt}");
        assert!(error("mnk 3x3").ends_with("\n\ntip: `zermelo games mnk` tells what may follow"));
        assert!(!error("zzz").contains("tip"));
    }

    #[test]
    fn moves_follow_the_position() {
        let game = game(&Catalogue::standard(), &words("tictactoe")).unwrap();
        let place = |position: Option<&str>, moves: Option<&str>| {
            let (position, moves) = (position.map(str::to_owned), moves.map(str::to_owned));
            session(&*game, &PositionArgs { game: vec![], position, moves }).map(|s| s.position())
        };
        assert_eq!(place(None, Some("a1, B2")).unwrap(), ".../.o./x.. first");
        assert_eq!(place(Some("x../.../... second"), Some("a1")).unwrap(), "x../.../o.. first");
        let error = place(None, Some("a1 b2 a4 c1")).unwrap_err().to_string();
        assert!(error.starts_with("bad move at column 8: found '4'"), "{error}");
        let error = place(None, Some("a1 a1")).unwrap_err().to_string();
        assert!(error.starts_with("bad move at column 4: a1 is taken;"), "{error}");
        assert!(error.contains("  a1 a1\n"), "{error}");
    }
}
