//! Names, texts and pictures of Clobber.

use super::Clobber;
use crate::cells::CellSet;
use crate::illegal;
use crate::stones::{Stones, stones_methods};
use zermelo_game::{Footprint, Key, Notation, Style};

impl<K: Key, B: CellSet> Notation for Clobber<K, B> {
    stones_methods!(name("clobber"), position_text, parse_position, picture(Style::Squares));

    fn rules_text(&self) -> String {
        "The board starts full, in the colours of a chess board; the first player has the stones of \
         the colour of a1. A move takes an opposing stone that is next to an own one, up, down, left \
         or right, by moving onto it. There is no passing: who cannot move loses."
            .into()
    }

    /// From and to: `a1b1`.
    fn move_text(&self, _: &Stones<B>, m: B::Cell) -> String {
        let (from, to) = self.ends(m);
        let grid = &self.board.grid;
        grid.cell_name(from.lowest()) + &grid.cell_name(to.lowest())
    }

    fn why_illegal(&self, p: &Stones<B>, text: &str) -> Option<String> {
        let grid = &self.board.grid;
        let (from, sign, to) = illegal::two_cells(grid, text)?;
        if let Some(reason) = illegal::not_own(grid, p, from) {
            return Some(reason);
        }
        let [a, b] = [from, to].map(|cell| grid.cell_name(cell));
        if !grid.neighbours(B::cell(from)).has(to) {
            return Some(format!("{a} and {b} are not next to each other"));
        }
        Some(match (p.me.has(to), p.you.has(to), sign) {
            (true, ..) => format!("the stone on {b} is your own"),
            (_, false, _) => format!("{b} is empty: a move takes a stone"),
            (.., Some(sign)) => format!("a move is written without '{sign}': {a}{b}"),
            (.., None) => return None,
        })
    }

    fn footprint(&self, _: &Stones<B>, m: B::Cell) -> Option<Footprint> {
        let (from, to) = self.ends(m);
        Some(Footprint::step(from.lowest(), to.lowest()))
    }
}
