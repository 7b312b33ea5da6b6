//! Rectangular boards: geometry of bitboards, names of cells, and the text form of a board.
//!
//! A board has `rows` x `cols` cells. Cell `row * cols + col` counts from the lower left corner,
//! so cell 0 is `a1`, the next one `b1`. Sizes are written ROWSxCOLS everywhere.
//!
//! The text form lists the rows from the top, separated by `/`, one character a cell, then a blank
//! and whose turn it is: `xo./.x./... first`.

use crate::{Bits, ParseError, Player};

/// The shape of a board with the masks that moving bits around needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid<B> {
    rows: u32,
    cols: u32,
    full: B,
    /// Column a.
    first_col: B,
    /// The last column.
    last_col: B,
}

impl<B: Bits> Grid<B> {
    /// A board of this shape.
    ///
    /// # Panics
    /// If it is empty or has more cells than `B` holds. Registries check sizes before.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Grid<B> {
        assert!(rows > 0 && cols > 0 && rows * cols <= B::CELLS, "{rows}x{cols} does not fit");
        let mut first_col = B::EMPTY;
        for row in 0..rows {
            first_col |= B::cell(row * cols);
        }
        let full = B::first(rows * cols);
        Grid { rows, cols, full, first_col, last_col: first_col << (cols - 1) }
    }

    /// The number of rows.
    #[must_use]
    #[inline(always)]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    #[inline(always)]
    pub fn cols(&self) -> u32 {
        self.cols
    }

    /// The number of cells.
    #[must_use]
    #[inline(always)]
    pub fn cells(&self) -> u32 {
        self.rows * self.cols
    }

    /// All cells.
    #[must_use]
    #[inline(always)]
    pub fn full(&self) -> B {
        self.full
    }

    /// The cells of one row, counted from 0 at the bottom.
    #[must_use]
    #[inline(always)]
    pub fn row(&self, row: u32) -> B {
        B::first(self.cols) << (row * self.cols)
    }

    /// The cells of one column, counted from 0 at the left.
    #[must_use]
    #[inline(always)]
    pub fn col(&self, col: u32) -> B {
        self.first_col << col
    }

    /// The number of a cell.
    #[must_use]
    #[inline(always)]
    pub fn at(&self, row: u32, col: u32) -> u32 {
        row * self.cols + col
    }

    /// Every cell of the set moved one row up; the top row falls off.
    #[must_use]
    #[inline(always)]
    pub fn north(&self, set: B) -> B {
        (set << self.cols) & self.full
    }

    /// One row down; the bottom row falls off.
    #[must_use]
    #[inline(always)]
    pub fn south(&self, set: B) -> B {
        set >> self.cols
    }

    /// One column to the right; the last column falls off.
    #[must_use]
    #[inline(always)]
    pub fn east(&self, set: B) -> B {
        (set & !self.last_col) << 1
    }

    /// One column to the left; the first column falls off.
    #[must_use]
    #[inline(always)]
    pub fn west(&self, set: B) -> B {
        (set & !self.first_col) >> 1
    }

    /// The orthogonal neighbours of the set's cells (which may hold cells of the set itself).
    #[must_use]
    #[inline(always)]
    pub fn neighbours(&self, set: B) -> B {
        self.north(set) | self.south(set) | self.east(set) | self.west(set)
    }

    /// The cells of `within` that are connected orthogonally to `seed` through `within`.
    #[must_use]
    #[inline(always)]
    pub fn flood(&self, seed: B, within: B) -> B {
        let mut area = seed & within;
        loop {
            let grown = (area | self.neighbours(area)) & within;
            if grown == area {
                return area;
            }
            area = grown;
        }
    }

    /// The set mirrored top to bottom.
    #[must_use]
    #[inline]
    pub fn flip_rows(&self, set: B) -> B {
        let row = B::first(self.cols);
        let mut out = B::EMPTY;
        for r in 0..self.rows {
            out = (out << self.cols) | ((set >> (r * self.cols)) & row);
        }
        out
    }

    /// The set mirrored left to right.
    #[must_use]
    #[inline]
    pub fn flip_cols(&self, set: B) -> B {
        let mut out = B::EMPTY;
        for c in 0..self.cols {
            out |= ((set >> c) & self.first_col) << (self.cols - 1 - c);
        }
        out
    }

    /// The set mirrored along the diagonal through `a1`. Square boards only.
    #[must_use]
    #[inline]
    pub fn transpose(&self, set: B) -> B {
        debug_assert_eq!(self.rows, self.cols);
        let mut out = B::EMPTY;
        for cell in set.cells() {
            out |= B::cell(self.at(cell % self.cols, cell / self.cols));
        }
        out
    }

    /// The name of a cell: column letter and row number, `a1` at the lower left.
    #[must_use]
    pub fn cell_name(&self, cell: u32) -> String {
        format!("{}{}", col_name(cell % self.cols), cell / self.cols + 1)
    }

    /// The cell of a name, whatever the case; `None` if the board has no such cell.
    #[must_use]
    pub fn cell_named(&self, name: &str) -> Option<u32> {
        let (cell, rest) = self.cell_at_start(name)?;
        rest.is_empty().then_some(cell)
    }

    /// The cell whose name begins the text, and the rest of the text.
    #[must_use]
    pub fn cell_at_start<'t>(&self, text: &'t str) -> Option<(u32, &'t str)> {
        let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
        let digits = text[letters..].bytes().take_while(u8::is_ascii_digit).count();
        let (letter, number) = (&text[..letters], &text[letters..letters + digits]);
        let col = (0..self.cols).find(|&col| col_name(col).eq_ignore_ascii_case(letter))?;
        let row = number.parse().ok().and_then(|row: u32| row.checked_sub(1))?;
        let plain = row < self.rows && !number.starts_with('0');
        plain.then(|| (self.at(row, col), &text[letters + digits..]))
    }

    /// Writes a board as text: `glyph` gives the character of each cell.
    pub fn write(&self, turn: Player, glyph: impl Fn(u32) -> char) -> String {
        let mut out = String::new();
        for row in (0..self.rows).rev() {
            for col in 0..self.cols {
                out.push(glyph(self.at(row, col)));
            }
            out.push(if row > 0 { '/' } else { ' ' });
        }
        out + &turn.to_string()
    }

    /// Reads a board written by [`write`](Self::write): `place(cell, glyph)` is called for each
    /// cell and says whether the glyph is one of `glyphs`, which the error lists.
    pub fn read(
        &self,
        text: &str,
        glyphs: &str,
        mut place: impl FnMut(u32, char) -> bool,
    ) -> Result<Player, ParseError> {
        let error = |at, expected: String| Err(ParseError::new("position", text, at, expected));
        let mut chars = text.chars().enumerate().peekable();
        let end = text.chars().count();
        let one_of = glyphs.chars().map(|c| format!("'{c}'")).collect::<Vec<_>>().join(", ");
        for row in (0..self.rows).rev() {
            for col in 0..self.cols {
                match chars.peek().copied() {
                    Some((at, c)) => {
                        if !glyphs.contains(c) || !place(self.at(row, col), c) {
                            return error(
                                at,
                                format!(
                                    "cell {} as one of {one_of} (rows of {} cells)",
                                    self.cell_name(self.at(row, col)),
                                    self.cols
                                ),
                            );
                        }
                        chars.next();
                    }
                    None => {
                        return error(
                            end,
                            format!("{} rows of {} cells, then the turn", self.rows, self.cols),
                        );
                    }
                }
            }
            let (separator, name) = if row > 0 {
                ('/', format!("'/' after {} cells ({} rows of them)", self.cols, self.rows))
            } else {
                (' ', "a blank and then 'first' or 'second' to move".to_owned())
            };
            match chars.next() {
                Some((_, c)) if c == separator => {}
                Some((at, _)) => return error(at, name),
                None => return error(end, name),
            }
        }
        let at = chars.peek().map_or(end, |&(at, _)| at);
        match chars.map(|(_, c)| c).collect::<String>().as_str() {
            "first" => Ok(Player::First),
            "second" => Ok(Player::Second),
            _ => error(at, "'first' or 'second' to move".to_owned()),
        }
    }
}

/// The name of a column: `a` to `z`, then `aa`, `ab` and so on.
#[must_use]
pub fn col_name(col: u32) -> String {
    let letter = char::from(b'a' + (col % 26) as u8);
    if col < 26 { letter.to_string() } else { col_name(col / 26 - 1) + &letter.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_stay_on_the_board() {
        let g = Grid::<u64>::new(3, 4);
        assert_eq!(g.north(g.row(2)), 0);
        assert_eq!(g.south(g.row(0)), 0);
        assert_eq!(g.east(g.col(3)), 0);
        assert_eq!(g.west(g.col(0)), 0);
        assert_eq!(g.north(g.row(0)), g.row(1));
        assert_eq!(g.east(g.col(0)), g.col(1));
        assert_eq!(g.neighbours(1 << g.at(0, 0)), 1 << g.at(0, 1) | 1 << g.at(1, 0));
        assert_eq!(g.flood(1, g.full()), g.full());
        assert_eq!(g.flood(1, g.col(0) | g.col(2)), g.col(0));
    }

    #[test]
    fn flips_are_involutions() {
        let wide = Grid::<u128>::new(9, 9);
        let set = 0x1234_5678_9abc_def0_1357u128 & wide.full();
        for f in [Grid::flip_rows, Grid::flip_cols, Grid::transpose] {
            assert_eq!(f(&wide, f(&wide, set)), set);
        }
        assert_eq!(wide.flip_rows(wide.row(0)), wide.row(8));
        assert_eq!(wide.flip_cols(wide.col(1)), wide.col(7));
        assert_eq!(wide.transpose(wide.col(1)), wide.row(1));
    }

    #[test]
    fn boards_are_read_back_and_errors_show_the_place() {
        let g = Grid::<u64>::new(2, 3);
        let read = |text: &str| {
            let mut stones = 0u64;
            g.read(text, ".x", |cell, c| {
                stones |= u64::from(c == 'x') << cell;
                true
            })
            .map(|turn| (stones, turn))
        };
        let (stones, turn) = read("x../.xx second").unwrap();
        assert_eq!(turn, Player::Second);
        assert_eq!(stones, 0b001_110);
        assert_eq!(g.write(turn, |c| if stones.has(c) { 'x' } else { '.' }), "x../.xx second");
        for (text, column) in [
            ("", 1),
            ("x.", 3),
            ("x.o/.xx first", 3),
            ("x...xx first", 4),
            ("x../.xxx first", 8),
            ("x../.xx", 8),
            ("x../.xx third", 9),
            ("x../.xx first ", 9),
            ("x../éxx first", 5),
        ] {
            assert_eq!(read(text).unwrap_err().column(), column, "{text}");
        }
    }

    #[test]
    fn cells_have_names() {
        let g = Grid::<u64>::new(2, 30);
        for cell in 0..60 {
            assert_eq!(g.cell_named(&g.cell_name(cell)), Some(cell));
        }
        assert_eq!((g.cell_named("AD2"), g.cell_named("b1")), (Some(59), Some(1)));
        for bad in ["", "a", "1", "a0", "a3", "a01", "ae1", "a1 ", "a+1", "é1", "a1b2"] {
            assert_eq!(g.cell_named(bad), None, "{bad}");
        }
        assert_eq!(g.cell_at_start("a1-b2"), Some((0, "-b2")));
        assert_eq!(g.cell_at_start("a1b2"), Some((0, "b2")));
    }

    #[test]
    fn columns_have_names() {
        assert_eq!([0, 25, 26, 27, 52].map(col_name), ["a", "z", "aa", "ab", "ba"]);
    }
}
