//! The squares of a draughts board as bits of a word, and what is next to what.
//!
//! Only the dark squares are used. Square `4 r + k` is the `k`th of row `r` from the top, four a row as on
//! the full board; a smaller board is its upper left part, so that all shifts are constants. Rows 0, 2, 4, 6
//! start with a light square, the others with a dark one:
//!
//! ```text
//!  .  0  .  1  .  2  .  3
//!  4  .  5  .  6  .  7  .
//!  .  8  .  9  . 10  . 11
//! 12  . 13  . 14  . 15  .
//! ```
//!
//! Turning the board by 180 degrees reverses the bits, and on smaller boards shifts them into the corner.

/// Squares of the rows that start with a light square, and of the others.
const EVEN: u32 = 0x0F0F_0F0F;
const ODD: u32 = !EVEN;
/// The first and the last square of each row.
const FIRST: u32 = 0x1111_1111;
const LAST: u32 = FIRST << 3;

/// A direction: `DOWN_LEFT`, `DOWN_RIGHT`, `UP_LEFT`, `UP_RIGHT`.
pub type Direction = usize;
/// All directions; the first two lead forward.
pub const DIRECTIONS: [Direction; 4] = [0, 1, 2, 3];

/// The shape of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// How many rows.
    pub rows: u32,
    /// How many dark squares a row has: half the columns.
    pub width: u32,
    /// All dark squares.
    pub all: u32,
    /// The last row, where men of the player to move are crowned.
    pub far: u32,
    /// The first row, where the other player's men are crowned.
    pub near: u32,
    /// How far a reversed word must be shifted to lie in the upper left corner again.
    turn: u32,
}

impl Board {
    /// A board of so many rows and columns, both even and at most eight.
    ///
    /// # Panics
    /// If they are not.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Board {
        let fits = |n: u32| n.is_multiple_of(2) && (4..=8).contains(&n);
        assert!(fits(rows) && fits(cols), "{rows}x{cols} is no draughts board");
        let width = cols / 2;
        let near = (1 << width) - 1;
        let all = (0..rows).fold(0, |all, row| all | near << (4 * row));
        Board {
            rows,
            width,
            all,
            far: near << (4 * (rows - 1)),
            near,
            turn: 4 * (8 - rows) + 4 - width,
        }
    }

    /// How many dark squares there are.
    #[must_use]
    #[inline(always)]
    pub fn squares(&self) -> u32 {
        self.rows * self.width
    }

    /// The neighbours of a set's squares in a direction.
    #[must_use]
    #[inline(always)]
    pub fn step(&self, set: u32, direction: Direction) -> u32 {
        let shifted = match direction {
            0 => (set & EVEN) << 4 | (set & ODD & !FIRST) << 3,
            1 => (set & EVEN & !LAST) << 5 | (set & ODD) << 4,
            2 => (set & EVEN) >> 4 | (set & ODD & !FIRST) >> 5,
            _ => (set & EVEN & !LAST) >> 3 | (set & ODD) >> 4,
        };
        shifted & self.all
    }

    /// The set turned by 180 degrees.
    #[must_use]
    #[inline(always)]
    pub fn turned(&self, set: u32) -> u32 {
        set.reverse_bits() >> self.turn
    }

    /// The set with the squares that the board lacks squeezed out: bit `n` is square number `n + 1`.
    #[must_use]
    #[inline(always)]
    pub fn squeezed(&self, set: u32) -> u32 {
        match self.width {
            4 => set,
            w => (0..self.rows).fold(0, |out, r| out | (set >> (4 * r) & self.near) << (w * r)),
        }
    }

    /// The set whose squeezed form this is.
    #[must_use]
    #[inline(always)]
    pub fn spread(&self, squeezed: u32) -> u32 {
        match self.width {
            4 => squeezed,
            w => {
                (0..self.rows).fold(0, |out, r| out | (squeezed >> (w * r) & self.near) << (4 * r))
            }
        }
    }

    /// The number that people give a square, from 1 at the top left.
    #[must_use]
    pub fn number(&self, square: u32) -> u32 {
        square / 4 * self.width + square % 4 + 1
    }

    /// The square with a number; `None` if there is none.
    #[must_use]
    pub fn square(&self, number: u32) -> Option<u32> {
        let n = number.checked_sub(1).filter(|n| *n < self.squares())?;
        Some(n / self.width * 4 + n % self.width)
    }

    /// The square's cell in a picture, counted from the lower left.
    #[must_use]
    pub fn cell(&self, square: u32) -> u32 {
        let (row, k) = (square / 4, square % 4);
        (self.rows - 1 - row) * 2 * self.width + 2 * k + (row + 1) % 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometry() {
        for (rows, cols) in [(8, 8), (6, 6), (4, 4), (4, 8), (8, 6), (6, 4)] {
            let board = Board::new(rows, cols);
            assert_eq!(board.all.count_ones(), board.squares());
            assert_eq!(board.turned(board.near), board.far);
            for n in 1..=board.squares() {
                let square = board.square(n).unwrap();
                assert_eq!(board.number(square), n);
                assert_eq!(board.squeezed(1 << square), 1 << (n - 1));
                assert_eq!(board.spread(1 << (n - 1)), 1 << square);
                let turned = board.turned(1 << square).trailing_zeros();
                assert_eq!(board.number(turned), board.squares() + 1 - n);
                // A step changes row and column by one, and the opposite one leads back.
                let place = |s: u32| {
                    let cell = board.cell(s) as i32;
                    (cell / cols as i32, cell % cols as i32)
                };
                for direction in DIRECTIONS {
                    let to = board.step(1 << square, direction);
                    let (y, x) = place(square);
                    let (dy, dx) = [(-1, -1), (-1, 1), (1, -1), (1, 1)][direction];
                    let inside = (0..rows as i32).contains(&(y + dy))
                        && (0..cols as i32).contains(&(x + dx));
                    assert_eq!(to != 0, inside, "{n} {direction}");
                    if inside {
                        assert_eq!(place(to.trailing_zeros()), (y + dy, x + dx));
                        assert_eq!(board.step(to, 3 - direction), 1 << square);
                    }
                }
            }
        }
        assert_eq!(Board::new(8, 8).square(33), None);
        assert_eq!(Board::new(8, 8).square(0), None);
    }
}
