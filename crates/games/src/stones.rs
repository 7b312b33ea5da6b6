//! What games with two kinds of stones on one board share: the position, its key, text and picture.

use std::marker::PhantomData;
use zermelo_game::{Bits, Cell, Grid, Images, Key, ParseError, Picture, Player, Style};

/// The stones of both sides and whose turn it is. Seen by the player to move, so that `play` swaps
/// the sides and rules are written once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stones {
    /// The stones of the player to move.
    pub me: u64,
    /// The stones of the opponent.
    pub you: u64,
    /// The player to move.
    pub turn: Player,
}

impl Stones {
    /// The position with these stones of the first and the second player.
    #[must_use]
    pub fn new(first: u64, second: u64, turn: Player) -> Stones {
        match turn {
            Player::First => Stones { me: first, you: second, turn },
            Player::Second => Stones { me: second, you: first, turn },
        }
    }

    /// The stones of one player.
    #[must_use]
    #[inline(always)]
    pub fn of(&self, player: Player) -> u64 {
        if player == self.turn { self.me } else { self.you }
    }

    /// All stones.
    #[must_use]
    #[inline(always)]
    pub fn all(&self) -> u64 {
        self.me | self.you
    }

    /// The same stones with the other player to move.
    #[must_use]
    #[inline(always)]
    pub fn swapped(&self) -> Stones {
        Stones { me: self.you, you: self.me, turn: self.turn.other() }
    }

    /// The position with every bitboard replaced by its image.
    #[must_use]
    #[inline(always)]
    pub fn map(&self, f: impl Fn(u64) -> u64) -> Stones {
        Stones { me: f(self.me), you: f(self.you), turn: self.turn }
    }
}

/// A board for [`Stones`], with keys of type `K`: `u64` for up to 31 cells, `u128` for up to 63.
#[derive(Clone, Copy, Debug)]
pub struct Board<K> {
    /// The shape.
    pub grid: Grid<u64>,
    key: PhantomData<K>,
}

/// The most cells a board of stones may have: two bits each and the turn in 128 bits.
pub const MAX_CELLS: u32 = 63;

/// Whether keys of 64 bits suffice for a board.
#[must_use]
pub fn fits_u64(rows: u32, cols: u32) -> bool {
    2 * rows * cols < 64
}

/// Twice the way from a cell to the middle of its board, in steps.
#[must_use]
pub fn from_middle(grid: &Grid<u64>, cell: u32) -> i32 {
    let (row, col) = ((cell / grid.cols()) as i32, (cell % grid.cols()) as i32);
    let (rows, cols) = (grid.rows() as i32, grid.cols() as i32);
    (2 * row - rows + 1).abs() + (2 * col - cols + 1).abs()
}

impl<K: Key> Board<K> {
    /// A board of this shape.
    ///
    /// # Panics
    /// If keys of type `K` cannot tell its positions apart.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Board<K> {
        assert!(2 * rows * cols < K::BITS, "{rows}x{cols} needs longer keys");
        Board { grid: Grid::new(rows, cols), key: PhantomData }
    }

    /// The number of bits of keys.
    #[must_use]
    pub fn key_bits(&self) -> u32 {
        2 * self.grid.cells() + 1
    }

    /// The stones of the player to move, then those of the other, then the turn.
    #[must_use]
    #[inline(always)]
    pub fn key(&self, p: &Stones) -> K {
        let cells = self.grid.cells();
        K::join(p.me, p.you | (p.turn.index() as u64) << cells, cells)
    }

    /// The board as text, `x` for the first player and `o` for the second.
    #[must_use]
    pub fn text(&self, p: &Stones) -> String {
        let (first, second) = (p.of(Player::First), p.of(Player::Second));
        self.grid.write(p.turn, |cell| match (first.has(cell), second.has(cell)) {
            (true, _) => 'x',
            (_, true) => 'o',
            _ => '.',
        })
    }

    /// Reads what [`text`](Self::text) writes.
    pub fn parse(&self, text: &str) -> Result<Stones, ParseError> {
        let (mut first, mut second) = (0, 0);
        let turn = self.grid.read(text, ".xo", |cell, c| {
            match c {
                'x' => first |= u64::cell(cell),
                'o' => second |= u64::cell(cell),
                _ => {}
            }
            true
        })?;
        Ok(Stones::new(first, second, turn))
    }

    /// Where a cell stands in the text form, counted in characters from 0: for errors about a stone
    /// that cannot be there.
    #[must_use]
    pub fn text_column(&self, cell: u32) -> usize {
        let (rows, cols) = (self.grid.rows(), self.grid.cols());
        ((rows - 1 - cell / cols) * (cols + 1) + cell % cols) as usize
    }

    /// The character of the text form at which the first of these cells stands, for errors about
    /// stones that cannot be there; `None` for the empty set.
    #[must_use]
    pub fn first_in_text(&self, cells: u64) -> Option<usize> {
        cells.cells().map(|c| self.text_column(c)).min()
    }

    /// A picture of the board.
    #[must_use]
    pub fn picture(&self, p: &Stones, style: Style) -> Picture {
        let (first, second) = (p.of(Player::First), p.of(Player::Second));
        Picture::board(self.grid.rows(), self.grid.cols(), style, |cell| {
            match (first.has(cell), second.has(cell)) {
                (true, _) => Cell::First,
                (_, true) => Cell::Second,
                _ => Cell::Empty,
            }
        })
    }

    /// The images under all symmetries of the rectangle: four, or eight of a square.
    #[must_use]
    pub fn images(&self, p: &Stones) -> Images<Stones> {
        let g = &self.grid;
        let mut images = Images::new();
        images.push(*p);
        images.push(p.map(|b| g.flip_rows(b)));
        images.push(p.map(|b| g.flip_cols(b)));
        images.push(p.map(|b| g.flip_cols(g.flip_rows(b))));
        if g.rows() == g.cols() {
            for i in 0..4 {
                let image = images[i].map(|b| g.transpose(b));
                images.push(image);
            }
        }
        images
    }
}
