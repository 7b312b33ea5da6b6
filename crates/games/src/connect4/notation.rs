//! Names, texts and pictures of Connect Four. Text and pictures use a board that counts its cells row by row.

use super::{Connect4, Position};
use crate::stones::{Board, Stones};
use zermelo_game::grid::col_name;
use zermelo_game::{Bits, Footprint, Notation, ParseError, Picture, Player, Rules, Style};
use zermelo_game::{movetext, notation};

impl<const ROWS: u32> Connect4<ROWS> {
    /// The cells of a set of the row-major grid that text and pictures use.
    fn of_grid(&self, set: u64) -> u64 {
        set.cells().fold(0, |b, c| b | 1 << (c % self.cols * self.stride() + c / self.cols))
    }

    /// The cell of that grid.
    fn grid_cell(&self, cell: u32) -> u32 {
        cell % self.stride() * self.cols + cell / self.stride()
    }

    /// The same set on that grid.
    fn to_grid(&self, set: u64) -> u64 {
        set.cells().fold(0, |b, c| b | 1 << self.grid_cell(c))
    }

    fn board(&self) -> Board<u128> {
        Board::new(self.rows, self.cols)
    }

    /// The column of a letter or, from 1 on, of a number.
    fn column_named(&self, text: &str) -> Option<u32> {
        let is =
            |col: &u32| col_name(*col).eq_ignore_ascii_case(text) || (*col + 1).to_string() == text;
        (0..self.cols).find(is)
    }

    fn stones(&self, p: &Position) -> Stones {
        Stones { me: self.to_grid(p.me), you: self.to_grid(p.you()), turn: self.turn(p) }
    }
}

impl<const ROWS: u32> Notation for Connect4<ROWS> {
    fn name(&self) -> String {
        format!("connect4 {}x{}", self.rows, self.cols)
    }

    fn rules_text(&self) -> String {
        format!(
            "The players drop stones in turn into one of {} columns of {} cells, where they come \
             to rest on the stones below. Who first has four or more in a row (across, up or \
             diagonally) wins; a full board without such a line is a draw. A move is written as \
             the letter of its column, and also read as the column's number, from 1 on. {}",
            self.cols,
            self.rows,
            match self.cols {
                ..=9 => "Moves may be joined: ddd and 444 are three moves.",
                10..=26 => {
                    "Letters may be joined: ddd is three moves. Numbers may not, as 12 is the twelfth column."
                }
                _ => "Blanks or commas stand between moves.",
            }
        )
    }

    fn move_text(&self, _: &Position, m: u8) -> String {
        col_name(u32::from(m) / self.stride())
    }

    /// A letter or a number.
    fn parse_move(&self, p: &Position, text: &str) -> Result<u8, ParseError> {
        let name = self.column_named(text).map(col_name);
        let read = notation::parse_listed(self, p, name.as_deref().unwrap_or(text));
        read.map_err(|error| {
            // The column as it was written.
            let reason = error.reason.as_ref().and_then(|_| self.why_illegal(p, text));
            ParseError { input: text.into(), reason, ..error }
        })
    }

    fn why_illegal(&self, _: &Position, text: &str) -> Option<String> {
        if self.column_named(text).is_some() {
            return Some(format!("column {text} is full"));
        }
        let all = |is: fn(&u8) -> bool| text.bytes().all(|b| is(&b));
        let plain = !text.is_empty() && text.len() <= 2;
        let looks = plain && (all(u8::is_ascii_digit) || all(u8::is_ascii_alphabetic));
        let last = col_name(self.cols - 1);
        looks.then(|| {
            format!("there is no column {text}: columns are a to {last}, or 1 to {}", self.cols)
        })
    }

    /// `ddd` and `444` are three moves each, where a letter or digit is always a whole column: a board of more than nine
    /// columns has numbers of two digits, which are then one move.
    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut moves = Vec::new();
        for word in movetext::words(text) {
            let joined = match word.as_bytes() {
                bytes if bytes.iter().all(u8::is_ascii_digit) => self.cols <= 9,
                bytes => bytes.iter().all(u8::is_ascii_alphabetic) && self.cols <= 26,
            };
            match joined {
                true => moves.extend((0..word.len()).map(|i| &word[i..=i])),
                false => moves.push(word),
            }
        }
        moves
    }

    fn position_text(&self, p: &Position) -> String {
        self.board().text(&self.stones(p))
    }

    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let board = self.board();
        let read = board.parse(text)?;
        let error = |at: usize, expected: String| ParseError::new("position", text, at, expected);
        let p = Position {
            me: self.of_grid(read.me),
            all: self.of_grid(read.me) | self.of_grid(read.you),
        };
        // Highest first, as the text runs; a stone stands on the bottom row or on another stone.
        let floating = p.all & !self.bottom & !(p.all << 1);
        if let Some(cell) =
            floating.cells().map(|c| self.grid_cell(c)).max_by_key(|c| c / self.cols)
        {
            let below = board.grid.cell_name(cell - self.cols);
            let expected = format!("'.': a stone needs one below it, and {below} is empty");
            return Err(error(board.text_column(cell), expected));
        }
        let turn_at = text.chars().count() - read.turn.to_string().len();
        let [x, o] = [Player::First, Player::Second].map(|player| read.of(player).count());
        if x != o + read.turn.index() as u32 {
            let expected = if x == o {
                "'first': there are as many 'x' as 'o'".to_owned()
            } else if x == o + 1 {
                "'second': there is one 'x' more than 'o'".to_owned()
            } else {
                format!("as many 'x' as 'o' (first to move) or one more (second), not {x} and {o}")
            };
            return Err(error(turn_at, expected));
        }
        if self.has_four(p.me) {
            let expected = "a position in which the player to move has no four in a row yet";
            return Err(error(turn_at, expected.to_owned()));
        }
        Ok(p)
    }

    fn picture(&self, p: &Position) -> Picture {
        self.board().picture(&self.stones(p), Style::Squares)
    }

    fn footprint(&self, _: &Position, m: u8) -> Option<Footprint> {
        Some(Footprint::at(self.grid_cell(m.into())))
    }
}
