//! Names, texts and pictures of NoGo.

use super::NoGo;
use crate::blocks::dead;
use crate::cells::CellSet;
use crate::illegal;
use crate::stones::{Stones, stones_methods};
use zermelo_game::{Key, Notation, ParseError, Style};

impl<K: Key, B: CellSet> Notation for NoGo<K, B> {
    stones_methods!(name("nogo"), move_text, position_text, picture(Style::Crossings), footprint);

    fn rules_text(&self) -> String {
        "The players put stones on empty points in turn. Stones of one colour that are linked along \
         the lines form a block; its liberties are the empty points beside it. A move may not take \
         the last liberty of any block, the opponent's (capture) or one's own (suicide). There is no \
         passing: who cannot move loses."
            .into()
    }

    fn why_illegal(&self, p: &Stones<B>, text: &str) -> Option<String> {
        let grid = &self.board.grid;
        let point = grid.cell_named(text)?;
        if let Some(taken) = illegal::taken(grid, p, point) {
            return Some(taken);
        }
        let (name, empty) = (grid.cell_name(point), self.board.empty(p) & !B::cell(point));
        let captured = dead(grid, p.you, empty);
        if !captured.is_empty() {
            let block = grid.cell_name(captured.lowest());
            return Some(format!(
                "{name} is the last liberty of the block of {block}: no captures"
            ));
        }
        let suicide = !dead(grid, p.me | B::cell(point), empty).is_empty();
        suicide.then(|| format!("a stone on {name} would leave its block no liberty: no suicide"))
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, ParseError> {
        let p = self.board.parse(text)?;
        let dead = |stones| dead(&self.board.grid, stones, self.board.empty(&p));
        match self.board.first_in_text(dead(p.me) | dead(p.you)) {
            Some(at) => {
                let expected = "a block with a liberty: nothing is ever captured";
                Err(ParseError::new("position", text, at, expected))
            }
            None => Ok(p),
        }
    }
}
