//! Names, texts and pictures of Atarigo.

use super::AtariGo;
use crate::blocks::dead;
use crate::cells::CellSet;
use crate::illegal;
use crate::stones::{Stones, stones_methods};
use zermelo_game::{Key, Notation, ParseError, Style};

impl<K: Key, B: CellSet> Notation for AtariGo<K, B> {
    stones_methods!(
        name("atarigo"),
        move_text,
        position_text,
        picture(Style::Crossings),
        footprint
    );

    fn rules_text(&self) -> String {
        "The players put stones on empty points in turn. Stones of one colour that are linked along \
         the lines form a block; its liberties are the empty points beside it. Who takes the last \
         liberty of an opposing block has captured it and wins at once, even if the stone played has \
         no liberty itself. Otherwise a move may not leave the own block without a liberty (suicide). \
         There is no passing: a player without a legal move loses."
            .into()
    }

    fn why_illegal(&self, p: &Stones<B>, text: &str) -> Option<String> {
        let grid = &self.board.grid;
        let point = grid.cell_named(text)?;
        let suicide = || {
            let name = grid.cell_name(point);
            format!(
                "a stone on {name} would leave its block no liberty and take nothing: no suicide"
            )
        };
        Some(illegal::taken(grid, p, point).unwrap_or_else(suicide))
    }

    /// A block without a liberty belongs to the player to move, who has just been captured; the
    /// capturing stone may have no liberty either. If only the player who has just moved has such
    /// a block, that move was suicide.
    fn parse_position(&self, text: &str) -> Result<Stones<B>, ParseError> {
        let p = self.board.parse(text)?;
        let grid = &self.board.grid;
        let empty = self.board.empty(&p);
        if !dead(grid, p.me, empty).is_empty() {
            return Ok(p);
        }
        match self.board.first_in_text(dead(grid, p.you, empty)) {
            Some(at) => {
                let expected = format!(
                    "a block with a liberty, or '{}' to move: only a player to move is captured",
                    p.turn.other()
                );
                Err(ParseError::new("position", text, at, expected))
            }
            None => Ok(p),
        }
    }
}
