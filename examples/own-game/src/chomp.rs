//! Chomp: a bar of chocolate, whose lower left square is poisoned.
//!
//! A move bites off a square and everything above it and to the right of it. Who has to eat the poison loses. Whoever
//! begins wins on every bar but the single square: if the bite of the upper right corner did not win, some answer to
//! it would, and that answer could have been the first bite (Gale, "A curious Nim-type game", 1974). Where to bite is
//! known of few bars.

use zermelo_cli::{Opened, Row};
use zermelo_game::{
    Args, Bits, Bounds, Cell, Footprint, Grid, Knowledge, MoveList, Notation, ParseError, Picture,
    Player, Rules, Style, Value,
};

/// Chomp on a bar of so many rows and columns (eight of each at the most).
pub struct Chomp {
    grid: Grid<u64>,
}

/// The squares that are left, and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bar {
    left: u64,
    turn: Player,
}

impl Chomp {
    /// A whole bar.
    pub fn new(rows: u32, cols: u32) -> Chomp {
        Chomp { grid: Grid::new(rows, cols) }
    }

    /// What stands in the catalogue: a name, how it is listed, and what opens it.
    pub fn row() -> Row {
        let open = |mut args: Args| {
            let fits = |[rows, cols]: [u32; 2]| (1..=8).contains(&rows) && (1..=8).contains(&cols);
            let [rows, cols] = args.need_size("ROWSxCOLS, from 1x1 to 8x8", fits)?;
            args.end("chomp ROWSxCOLS")?;
            Ok(Opened::new(Chomp::new(rows, cols), ChompKnowledge))
        };
        Row::new("chomp", open)
            .usage("chomp ROWSxCOLS")
            .example("chomp 4x5")
            .summary("bite off squares of a bar of chocolate; who eats the poisoned one loses")
            .help("ROWSxCOLS is the bar.")
    }

    /// The square and everything above it and to the right of it.
    fn bite(&self, square: u32) -> u64 {
        let mut area = u64::cell(square);
        loop {
            let grown = area | self.grid.north(area) | self.grid.east(area);
            if grown == area {
                return area;
            }
            area = grown;
        }
    }
}

/// The rules: all that a checker of proofs trusts.
impl Rules for Chomp {
    type Position = Bar;
    type Move = u8; // a square
    type Key = u128; // 64 squares and the turn do not fit 64 bits

    fn start(&self) -> Bar {
        Bar { left: self.grid.full(), turn: Player::First }
    }
    fn turn(&self, p: &Bar) -> Player {
        p.turn
    }
    fn outcome(&self, p: &Bar) -> Option<Value> {
        // Nothing left: the opponent has eaten the poison, so the player to move has won.
        (p.left == 0).then_some(p.turn.sign())
    }
    fn moves(&self, p: &Bar, out: &mut MoveList<u8>) {
        p.left.cells().for_each(|square| out.push(square as u8));
    }
    fn play(&self, p: &Bar, m: u8) -> Bar {
        Bar { left: p.left & !self.bite(m.into()), turn: p.turn.other() }
    }

    // Identity: different positions have different keys, different moves different codes.
    fn key(&self, p: &Bar) -> u128 {
        u128::from(p.left) << 1 | p.turn.index() as u128
    }
    fn key_bits(&self) -> u32 {
        self.grid.cells() + 1
    }
    fn code(&self, m: u8) -> usize {
        m.into()
    }
    fn codes(&self) -> usize {
        self.grid.cells() as usize
    }
}

/// Names, texts and pictures. Every method has a default: `impl Notation for Chomp {}` is enough to begin with.
impl Notation for Chomp {
    fn name(&self) -> String {
        format!("chomp {}x{}", self.grid.rows(), self.grid.cols())
    }
    fn rules_text(&self) -> String {
        "Bite off a square with all that is above and right of it; who eats a1 loses.".into()
    }
    fn move_text(&self, _: &Bar, m: u8) -> String {
        self.grid.cell_name(m.into())
    }
    fn position_text(&self, p: &Bar) -> String {
        self.grid.write(p.turn, |square| if p.left.has(square) { '#' } else { '.' })
    }
    fn parse_position(&self, text: &str) -> Result<Bar, ParseError> {
        let mut left = 0;
        let turn = self.grid.read(text, "#.", |square, c| {
            left |= u64::from(c == '#') << square;
            true
        })?;
        // Nothing can be left above or to the right of a bite.
        let gone = self.grid.full() & !left;
        if (self.grid.north(gone) | self.grid.east(gone)) & left != 0 {
            return Err(ParseError::new("position", text, 0, "steps that fall to the right"));
        }
        Ok(Bar { left, turn })
    }
    fn picture(&self, p: &Bar) -> Picture {
        Picture::board(self.grid.rows(), self.grid.cols(), Style::Squares, |square| {
            if p.left.has(square) { Cell::Covered } else { Cell::Empty }
        })
    }
    fn footprint(&self, _: &Bar, m: u8) -> Option<Footprint> {
        Some(Footprint::at(m.into()))
    }
}

/// What solvers are told beside the rules. All of it is optional, and `()` is no knowledge.
pub struct ChompKnowledge;

impl Knowledge<Chomp> for ChompKnowledge {
    fn static_bounds(&self, chomp: &Chomp, p: &Bar) -> Bounds {
        match p.left {
            0 => Bounds::exact(p.turn.sign()),
            1 => Bounds::exact(-p.turn.sign()), // only the poison is left
            _ => chomp.values(),
        }
    }
    fn candidate_moves(&self, _: &Chomp, p: &Bar, out: &mut MoveList<u8>) -> Value {
        // Eating the poison loses, and is never better than another move.
        (p.left & !1).cells().for_each(|square| out.push(square as u8));
        -1
    }
    fn plies_left(&self, _: &Chomp, p: &Bar) -> u32 {
        p.left.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::conformance;

    /// One call checks all laws on random games: keys, codes, texts, symmetries, and what the game claims to know against
    /// plain minimax. A game that breaks a law is told which one.
    #[test]
    fn it_keeps_the_laws() {
        for (rows, cols) in [(1, 1), (1, 8), (3, 4), (4, 5), (8, 8)] {
            conformance::check(&Chomp::new(rows, cols), &ChompKnowledge);
        }
    }
}
