//! What games with two kinds of stones on one board share: the position, its key, text and picture,
//! and the methods of [`Rules`](zermelo_game::Rules) and [`Notation`](zermelo_game::Notation) that follow from them
//! (`stones_methods!`).

use crate::cells::CellSet;
use std::marker::PhantomData;
use zermelo_game::{Bits, Cell, Grid, Images, Key, ParseError, Picture, Player, Style};

/// The stones of both sides and whose turn it is. Seen by the player to move, so that `play` swaps
/// the sides and rules are written once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stones<B = u64> {
    /// The stones of the player to move.
    pub me: B,
    /// The stones of the opponent.
    pub you: B,
    /// The player to move.
    pub turn: Player,
}

impl<B: Bits> Stones<B> {
    /// The position with these stones of the first and the second player.
    #[must_use]
    pub fn new(first: B, second: B, turn: Player) -> Stones<B> {
        match turn {
            Player::First => Stones { me: first, you: second, turn },
            Player::Second => Stones { me: second, you: first, turn },
        }
    }

    /// An empty board, the first player to move.
    #[must_use]
    #[inline(always)]
    pub fn none() -> Stones<B> {
        Stones::new(B::EMPTY, B::EMPTY, Player::First)
    }

    /// The position after the player to move has put a stone on an empty cell.
    #[must_use]
    #[inline(always)]
    pub fn put(&self, cell: u32) -> Stones<B> {
        Stones { me: self.me | B::cell(cell), ..*self }.swapped()
    }

    /// The stones of one player.
    #[must_use]
    #[inline(always)]
    pub fn of(&self, player: Player) -> B {
        if player == self.turn { self.me } else { self.you }
    }

    /// All stones.
    #[must_use]
    #[inline(always)]
    pub fn all(&self) -> B {
        self.me | self.you
    }

    /// The same stones with the other player to move.
    #[must_use]
    #[inline(always)]
    pub fn swapped(&self) -> Stones<B> {
        Stones { me: self.you, you: self.me, turn: self.turn.other() }
    }

    /// The position with every bitboard replaced by its image.
    #[must_use]
    #[inline(always)]
    pub fn map(&self, f: impl Fn(B) -> B) -> Stones<B> {
        Stones { me: f(self.me), you: f(self.you), turn: self.turn }
    }
}

/// A board for [`Stones`], with keys of type `K`: with sets of 64 cells `u64` for up to 31, `u128` for up to 63, and
/// [`WideKey`](crate::cells::WideKey) with [`WideSet`](crate::cells::WideSet).
#[derive(Clone, Copy, Debug)]
pub struct Board<K, B = u64> {
    /// The shape.
    pub grid: Grid<B>,
    key: PhantomData<K>,
}

/// The most cells of a board whose keys have 128 bits: two bits each and the turn.
pub const MAX_CELLS: u32 = 63;

/// The most cells of any board: 19 x 19.
pub const MAX_WIDE_CELLS: u32 = 361;

/// What a size must look like, for errors.
pub(crate) fn size_usage(example: &str) -> String {
    format!("ROWSxCOLS of at most {MAX_WIDE_CELLS} cells, such as {example}")
}

/// Whether a board may have this size.
pub(crate) fn fits([rows, cols]: [u32; 2]) -> bool {
    (1..=MAX_WIDE_CELLS).contains(&rows.checked_mul(cols).unwrap_or(0))
}

/// The types that a board needs: the smallest that suffice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Keys and sets of 64 bits.
    U64,
    /// Keys of 128 bits, sets of 64.
    U128,
    /// [`WideKey`](crate::cells::WideKey) and [`WideSet`](crate::cells::WideSet).
    Wide,
}

impl Width {
    /// Those of a board of at most [`MAX_WIDE_CELLS`] cells.
    #[must_use]
    pub fn of(rows: u32, cols: u32) -> Width {
        match rows * cols {
            0..=31 => Width::U64,
            32..=MAX_CELLS => Width::U128,
            _ => Width::Wide,
        }
    }
}

/// Twice the distance from a cell to the middle of its board, in steps.
#[must_use]
pub fn from_middle<B: Bits>(grid: &Grid<B>, cell: u32) -> i32 {
    let (row, col) = ((cell / grid.cols()) as i32, (cell % grid.cols()) as i32);
    let (rows, cols) = (grid.rows() as i32, grid.cols() as i32);
    (2 * row - rows + 1).abs() + (2 * col - cols + 1).abs()
}

impl<K: Key, B: CellSet> Board<K, B> {
    /// A board of this shape.
    ///
    /// # Panics
    /// If keys of type `K` cannot tell its positions apart.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Board<K, B> {
        assert!(2 * rows * cols < K::BITS, "{rows}x{cols} needs longer keys");
        assert!(rows * cols < B::CELLS, "{rows}x{cols} needs wider sets");
        Board { grid: Grid::new(rows, cols), key: PhantomData }
    }

    /// The cells without a stone.
    #[must_use]
    #[inline(always)]
    pub fn empty(&self, p: &Stones<B>) -> B {
        self.grid.full() & !p.all()
    }

    /// The number of bits of keys.
    #[must_use]
    pub fn key_bits(&self) -> u32 {
        2 * self.grid.cells() + 1
    }

    /// The stones of the player to move, then those of the other, then the turn.
    #[must_use]
    #[inline(always)]
    pub fn key(&self, p: &Stones<B>) -> K {
        let cells = self.grid.cells();
        K::join(p.me, p.you | B::of(p.turn.index() as u64) << cells, cells)
    }

    /// The board as text, `x` for the first player and `o` for the second.
    #[must_use]
    pub fn text(&self, p: &Stones<B>) -> String {
        let (first, second) = (p.of(Player::First), p.of(Player::Second));
        self.grid.write(p.turn, |cell| match (first.has(cell), second.has(cell)) {
            (true, _) => 'x',
            (_, true) => 'o',
            _ => '.',
        })
    }

    /// Reads what [`text`](Self::text) writes.
    pub fn parse(&self, text: &str) -> Result<Stones<B>, ParseError> {
        let (mut first, mut second) = (B::EMPTY, B::EMPTY);
        let turn = self.grid.read(text, ".xo", |cell, c| {
            match c {
                'x' => first |= B::cell(cell),
                'o' => second |= B::cell(cell),
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
    pub fn first_in_text(&self, cells: B) -> Option<usize> {
        cells.cells().map(|c| self.text_column(c)).min()
    }

    /// A picture of the board.
    #[must_use]
    pub fn picture(&self, p: &Stones<B>, style: Style) -> Picture {
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
    pub fn images(&self, p: &Stones<B>) -> Images<Stones<B>> {
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

/// Writes the named methods of `Rules` or `Notation` that games of stones have in common. It stands in the `impl` block of
/// the trait and lists what it writes; all other methods are written by hand beside it:
///
/// ```ignore
/// impl<K: Key, B: CellSet> Rules for NoGo<K, B> {
///     type Position = Stones<B>;
///     type Move = B::Cell;
///     type Key = K;
///
///     stones_methods!(turn, key, key_bits, images, symmetry_key, code);
///     // ...
/// }
/// ```
///
/// Positions are [`Stones`], and the rules have a field `board: Board<K, B>`. That is all these need:
///
/// - of `Rules`: `turn`, `key`, `key_bits`, and `code` of moves that are numbers;
/// - of `Notation`: `name("nogo")` with the size behind it, `position_text`, `parse_position` where every board is a
///   position, and `picture(Style::Squares)`.
///
/// With a field `symmetry: Symmetry<B>`, all symmetries of the rectangle:
///
/// - of `Rules`: `images`, `symmetry_key`.
///
/// Where a move puts a stone on an empty cell and is the number of that cell (`B::Cell`):
///
/// - of `Rules`: `start`, `play`, `code`, `codes`; with a field `symmetry` also `map_move_code`;
/// - of `Notation`: `move_text`, `footprint`.
///
/// Where such a player has lost who has no move, and `fn legal(&self, p: &Stones<B>) -> B` gives the cells:
///
/// - of `Rules`: `outcome`, `moves`, `expand`.
macro_rules! stones_methods {
    ($($method:ident $(($($argument:tt)*))?),* $(,)?) => {
        $($crate::stones::stones_method!($method $(($($argument)*))?);)*
    };
}

/// One of [`stones_methods`].
macro_rules! stones_method {
    // ---- Rules: stones on a board -------------------------------------------------------------
    (turn) => {
        #[inline(always)]
        fn turn(&self, p: &Self::Position) -> ::zermelo_game::Player {
            p.turn
        }
    };
    (key) => {
        #[inline(always)]
        fn key(&self, p: &Self::Position) -> Self::Key {
            self.board.key(p)
        }
    };
    (key_bits) => {
        fn key_bits(&self) -> u32 {
            self.board.key_bits()
        }
    };
    (code) => {
        #[inline(always)]
        fn code(&self, m: Self::Move) -> usize {
            m.into()
        }
    };
    // ---- Rules: all symmetries of the rectangle ------------------------------------------------
    (images) => {
        fn images(&self, p: &Self::Position) -> ::zermelo_game::Images<Self::Position> {
            self.symmetry.images(p)
        }
    };
    (symmetry_key) => {
        #[inline]
        fn symmetry_key(&self, p: &Self::Position) -> Self::Key {
            self.board.key(&self.symmetry.canonical(p))
        }
    };
    // ---- Rules: a move is the cell of the new stone --------------------------------------------
    (start) => {
        fn start(&self) -> Self::Position {
            $crate::stones::Stones::none()
        }
    };
    (play) => {
        #[inline(always)]
        fn play(&self, p: &Self::Position, m: Self::Move) -> Self::Position {
            p.put($crate::cells::CellNumber::number(m))
        }
    };
    (codes) => {
        fn codes(&self) -> usize {
            self.board.grid.cells() as usize
        }
    };
    (map_move_code) => {
        #[inline]
        fn map_move_code(
            &self,
            p: &Self::Position,
            symmetry_key: Self::Key,
            code: usize,
        ) -> Option<usize> {
            match self.board.key(p) == symmetry_key {
                true => Some(code),
                false => self.symmetry.cell_before(p, code as u32).map(|cell| cell as usize),
            }
        }
    };
    // ---- Rules: who has no legal cell has lost -------------------------------------------------
    (outcome) => {
        fn outcome(&self, p: &Self::Position) -> Option<::zermelo_game::Value> {
            ::zermelo_game::Bits::is_empty(self.legal(p)).then_some(-p.turn.sign())
        }
    };
    (moves) => {
        fn moves(&self, p: &Self::Position, out: &mut ::zermelo_game::MoveList<Self::Move>) {
            ::zermelo_game::Bits::cells(self.legal(p))
                .for_each(|c| out.push($crate::cells::CellNumber::of(c)));
        }
    };
    (expand) => {
        #[inline]
        fn expand(
            &self,
            p: &Self::Position,
            out: &mut ::zermelo_game::MoveList<Self::Move>,
        ) -> Option<::zermelo_game::Value> {
            let legal = self.legal(p);
            ::zermelo_game::Bits::cells(legal)
                .for_each(|c| out.push($crate::cells::CellNumber::of(c)));
            ::zermelo_game::Bits::is_empty(legal).then_some(-p.turn.sign())
        }
    };
    // ---- Notation ------------------------------------------------------------------------------
    (name($game:literal)) => {
        fn name(&self) -> String {
            let grid = &self.board.grid;
            format!(concat!($game, " {}x{}"), grid.rows(), grid.cols())
        }
    };
    (position_text) => {
        fn position_text(&self, p: &Self::Position) -> String {
            self.board.text(p)
        }
    };
    (parse_position) => {
        fn parse_position(&self, text: &str) -> Result<Self::Position, ::zermelo_game::ParseError> {
            self.board.parse(text)
        }
    };
    (picture($style:expr)) => {
        fn picture(&self, p: &Self::Position) -> ::zermelo_game::Picture {
            self.board.picture(p, $style)
        }
    };
    (move_text) => {
        fn move_text(&self, _: &Self::Position, m: Self::Move) -> String {
            self.board.grid.cell_name($crate::cells::CellNumber::number(m))
        }
    };
    (footprint) => {
        fn footprint(
            &self,
            _: &Self::Position,
            m: Self::Move,
        ) -> Option<::zermelo_game::Footprint> {
            Some(::zermelo_game::Footprint::at($crate::cells::CellNumber::number(m)))
        }
    };
}

pub(crate) use {stones_method, stones_methods};
