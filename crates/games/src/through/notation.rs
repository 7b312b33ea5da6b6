//! Names, texts and pictures of races.

use super::{Move, PieceSteps, TAKES, Through, origin};
use crate::illegal;
use crate::stones::{Stones, stones_methods};
use zermelo_game::{Bits, Footprint, Key, Notation, ParseError, Player, Style};

impl<S: PieceSteps, K: Key> Notation for Through<S, K> {
    stones_methods!(position_text, picture(Style::Chequered));

    fn name(&self) -> String {
        let g = &self.board.grid;
        let misere = if self.misere { " misere" } else { "" };
        format!("{} {}x{}{misere}", S::GAME, g.rows(), g.cols())
    }

    fn rules_text(&self) -> String {
        let (arrives, stuck) =
            if self.misere { ("loses", "has won") } else { ("wins", "has lost") };
        format!(
            "Each side has two rows of pieces; the first player (x) moves up from the bottom, the \
             second (o) down. {} Who reaches the far row {arrives}. A player who is to move and \
             cannot, with or without pieces left, {stuck}.",
            S::RULE
        )
    }

    /// `a2-b3`, or `a2xb3` where a piece is taken.
    fn move_text(&self, _: &Stones, m: Move) -> String {
        let g = &self.board.grid;
        let sign = if m & TAKES == 0 { '-' } else { 'x' };
        format!("{}{sign}{}", g.cell_name(origin(m)), g.cell_name(self.target(m)))
    }

    fn why_illegal(&self, p: &Stones, text: &str) -> Option<String> {
        let grid = &self.board.grid;
        let (from, sign, to) = illegal::two_cells(grid, text)?;
        if let Some(reason) = illegal::not_own(grid, p, from) {
            return Some(reason);
        }
        let [a, b] = [from, to].map(|cell| grid.cell_name(cell));
        let up = p.turn == Player::First;
        let step = (0..S::STEPS.len()).find(|&i| self.shifted(up, 1 << from, i).has(to));
        let Some(step) = step else {
            let forward = if up { "up" } else { "down" };
            return Some(format!("no step {forward} the board leads from {a} to {b}"));
        };
        let takes = p.you.has(to);
        Some(match S::STEPS[step].takes {
            _ if p.me.has(to) => format!("{b} holds a piece of your own"),
            false if takes => format!("{b} is taken, and a step straight ahead takes nothing"),
            _ if sign != Some(if takes { 'x' } else { '-' }) => {
                illegal::wrong_sign(takes, [&a, &b])
            }
            _ => return None,
        })
    }

    fn parse_position(&self, text: &str) -> Result<Stones, ParseError> {
        let p = self.board.parse(text)?;
        let (first, second) = (p.of(Player::First), p.of(Player::Second));
        let both = first & self.far[1] != 0 && second & self.far[0] != 0;
        if both {
            let at = self.board.text_column((second & self.far[0]).lowest());
            let expected = "no 'o' in the bottom row: x has reached the top row already";
            return Err(ParseError::new("position", text, at, expected));
        }
        Ok(p)
    }

    fn footprint(&self, _: &Stones, m: Move) -> Option<Footprint> {
        Some(Footprint::step(origin(m), self.target(m)))
    }
}
