//! Sessions from text: a position and the moves after it, as people and clients write them.

use crate::{AnyGame, AnySession};
use zermelo_game::ParseError;

pub use zermelo_game::movetext::words as split_moves;

/// A session at a position (the start if there is none) after some moves, which the game's notation tells apart
/// ([`AnyGame::split_moves`]), and these moves as the game writes them. An error about a move shows the place in the whole list.
pub fn open_session<'g>(
    game: &'g dyn AnyGame,
    position: Option<&str>,
    moves: Option<&str>,
) -> Result<(Box<dyn AnySession + 'g>, Vec<String>), ParseError> {
    let mut session = game.session();
    if let Some(text) = position {
        session.set_position(text)?;
    }
    let list = moves.unwrap_or_default();
    let play = |word: &str| {
        session.play(word).map_err(|error| {
            let byte = word.as_ptr() as usize - list.as_ptr() as usize;
            error.within(list, list[..byte].chars().count())
        })
    };
    let played = game.split_moves(list).into_iter().map(play).collect::<Result<_, _>>()?;
    Ok((session, played))
}
