//! Names, texts and pictures of Domineering.

use super::{Domineering, Domino, Position, Way};
use crate::illegal;
use zermelo_game::{Bits, Cell, Footprint, Key, Notation, ParseError, Picture, Style};

impl<B: Bits, K: Key> Notation for Domineering<B, K> {
    fn name(&self) -> String {
        let mut name = format!("domineering {}x{}", self.grid.rows(), self.grid.cols());
        if self.misere {
            name += " misere";
        }
        if self.first == Way::Flat {
            name += " horizontal";
        }
        name
    }

    fn rules_text(&self) -> String {
        let (first, second) = match self.first {
            Way::Upright => ("stands dominoes upright (vertical)", "lays them flat (horizontal)"),
            Way::Flat => ("lays dominoes flat (horizontal)", "stands them upright (vertical)"),
        };
        let end = if self.misere { "wins (misere play)" } else { "loses" };
        format!(
            "The first player {first}, the second {second}, each over two free cells that are \
             neighbours. Who cannot move {end}. A move is named by its two cells, lower or left one \
             first. Free cells that no domino can cover any more are shown as covered."
        )
    }

    fn move_text(&self, _: &Position<B>, m: Domino) -> String {
        self.cells(m).map(|c| self.grid.cell_name(c)).join("-")
    }

    fn why_illegal(&self, p: &Position<B>, text: &str) -> Option<String> {
        let grid = &self.grid;
        let (from, sign, to) = illegal::two_cells(grid, text)?;
        let [a, b] = [from, to].map(|cell| grid.cell_name(cell));
        if !grid.neighbours(B::cell(from)).has(to) {
            return Some(format!("{a} and {b} are not next to each other"));
        }
        let way = if from % grid.cols() == to % grid.cols() { Way::Upright } else { Way::Flat };
        if way != self.way(p.turn) {
            let (does, not) = match way {
                Way::Flat => ("stands dominoes upright", "flat"),
                Way::Upright => ("lays dominoes flat", "upright"),
            };
            return Some(format!("the {} player {does}, and {text} would be {not}", p.turn));
        }
        match [from, to].into_iter().find(|cell| !p.rows.has(*cell)) {
            Some(cell) => Some(format!("{} is covered", grid.cell_name(cell))),
            None if from > to => Some(format!("the lower or left cell comes first: {b}-{a}")),
            None => (sign != Some('-')).then(|| format!("'-' stands between the cells: {a}-{b}")),
        }
    }

    fn position_text(&self, p: &Position<B>) -> String {
        self.grid.write(p.turn, |cell| if p.rows.has(cell) { '.' } else { '#' })
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, ParseError> {
        let mut free = B::EMPTY;
        let turn = self.grid.read(text, ".#", |cell, glyph| {
            if glyph == '.' {
                free |= B::cell(cell);
            }
            true
        })?;
        Ok(self.position(free, turn))
    }

    fn picture(&self, p: &Position<B>) -> Picture {
        Picture::board(self.grid.rows(), self.grid.cols(), Style::Squares, |cell| {
            if p.rows.has(cell) { Cell::Empty } else { Cell::Covered }
        })
    }

    fn footprint(&self, _: &Position<B>, m: Domino) -> Option<Footprint> {
        let [a, b] = self.cells(m);
        Some(Footprint::step(b, a))
    }
}
