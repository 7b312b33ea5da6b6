//! Domineering: one player stands dominoes upright, the other lays them flat; who cannot move loses
//! (misere: wins).
//!
//! A position is the set of cells that some domino can still cover, kept twice: row by row and
//! column by column. Seen in the second order an upright domino is two neighbouring bits, just as a
//! flat one is in the first, so all knowledge is written once, for one player, and serves the other
//! on the turned board. A cell whose neighbours are all covered can never be covered itself; it is
//! struck out as soon as that happens, which leaves the tree of the game as it is and lets more
//! positions meet.

mod knowledge;
mod loose;
mod misere;
mod strips;
mod sums;

use crate::registry::{Args, Entry, Visitor};
use std::marker::PhantomData;
use zermelo_game::{
    Bits, Bounds, Cell, Footprint, Game, Grid, Images, Key, MoveList, ParseError, Picture, Player,
    Style, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "domineering",
    usage: "domineering ROWSxCOLS [misere] [horizontal]",
    example: "domineering 8x8",
    summary: "dominoes, upright against flat; who cannot move loses",
};

/// The most cells a board may have: one bit each and the turn in 128 bits.
const MAX_CELLS: u32 = 127;

/// Opens `domineering ROWSxCOLS [misere] [horizontal]`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = format!("ROWSxCOLS, up to {MAX_CELLS} cells, such as 8x8");
    let fits =
        |[rows, cols]: [u32; 2]| (1..=MAX_CELLS).contains(&rows.checked_mul(cols).unwrap_or(0));
    let [rows, cols] = args.need_size(&usage, fits)?;
    let misere = args.flag("misere");
    let first = if args.flag("horizontal") { Way::Flat } else { Way::Upright };
    args.end(ENTRY.usage)?;
    Ok(match rows * cols {
        ..64 => visitor.visit(Domineering::<u64, u64>::new(rows, cols, first, misere)),
        64 => visitor.visit(Domineering::<u64, u128>::new(rows, cols, first, misere)),
        _ => visitor.visit(Domineering::<u128, u128>::new(rows, cols, first, misere)),
    })
}

/// How a player puts dominoes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Over two cells of one column.
    Upright,
    /// Over two cells of one row.
    Flat,
}

/// The cells that some domino can still cover, in both orders, and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position<B> {
    /// Row by row, as in [`Grid`].
    rows: B,
    /// The same cells column by column.
    cols: B,
    /// The player to move.
    turn: Player,
}

/// A domino: the lower or left one of its cells, plus `FLAT` if it lies.
pub type Domino = u8;

const FLAT: Domino = 128;

/// Domineering on a board of bits `B`, with keys `K`.
#[derive(Clone, Debug)]
pub struct Domineering<B, K> {
    /// The board, row by row.
    grid: Grid<B>,
    /// The board turned over its diagonal: row by row what is column by column in `grid`.
    turned: Grid<B>,
    /// How the first player puts dominoes.
    first: Way,
    misere: bool,
    strips: Option<&'static strips::Strips>,
    turned_strips: Option<&'static strips::Strips>,
    /// The cells of every domino, row by row and column by column.
    covers: Vec<[B; 2]>,
    /// The upright domino at every place found by [`places`](Self::places).
    upright: Vec<Domino>,
    /// How far every place, of flat and of upright dominoes, is from the border.
    inside: [Vec<i32>; 2],
    key: PhantomData<K>,
}

impl<B: Bits, K: Key> Domineering<B, K> {
    /// The game on `rows` x `cols`.
    ///
    /// # Panics
    /// If the board does not fit `B`, or its positions `K`.
    #[must_use]
    pub fn new(rows: u32, cols: u32, first: Way, misere: bool) -> Domineering<B, K> {
        assert!(rows * cols < K::BITS, "{rows}x{cols} needs longer keys");
        let (grid, turned) = (Grid::new(rows, cols), Grid::new(cols, rows));
        let (strips, turned_strips) = (strips::Strips::of(cols), strips::Strips::of(rows));
        let mut game = Domineering {
            grid,
            turned,
            first,
            misere,
            strips,
            turned_strips,
            covers: vec![[B::EMPTY; 2]; 256],
            upright: Vec::new(),
            inside: [Vec::new(), Vec::new()],
            key: PhantomData,
        };
        for place in 0..rows * cols {
            game.upright.push((place % rows * cols + place / rows) as Domino);
            game.inside[0].push(inside(place, rows, cols));
            game.inside[1].push(inside(place, cols, rows));
            for m in [place as Domino, place as Domino | FLAT] {
                for cell in game.cells(m).into_iter().filter(|&cell| cell < rows * cols) {
                    let cover = [B::cell(cell), B::cell(game.turn_cell(cell))];
                    let covers = &mut game.covers[usize::from(m)];
                    *covers = [covers[0] | cover[0], covers[1] | cover[1]];
                }
            }
        }
        game
    }

    /// How a player puts dominoes.
    #[inline(always)]
    fn way(&self, player: Player) -> Way {
        if (player == Player::First) == (self.first == Way::Upright) {
            Way::Upright
        } else {
            Way::Flat
        }
    }

    /// The number in the column order of a cell.
    #[inline(always)]
    fn turn_cell(&self, cell: u32) -> u32 {
        cell % self.grid.cols() * self.grid.rows() + cell / self.grid.cols()
    }

    /// The position with these free cells, less those that no domino can cover.
    fn position(&self, free: B, turn: Player) -> Position<B> {
        let rows = usable(&self.grid, free);
        let mut cols = B::EMPTY;
        for cell in rows.cells() {
            cols |= B::cell(self.turn_cell(cell));
        }
        Position { rows, cols, turn }
    }

    /// The lower or left cells of all dominoes that a player can put: in the order of rows for flat
    /// dominoes, in the order of columns for upright ones.
    #[inline(always)]
    fn places(&self, p: &Position<B>, way: Way) -> B {
        match way {
            Way::Upright => pairs(&self.turned, p.cols),
            Way::Flat => pairs(&self.grid, p.rows),
        }
    }

    /// The domino at a place found by [`places`](Self::places).
    #[inline(always)]
    fn domino(&self, place: u32, way: Way) -> Domino {
        match way {
            Way::Upright => self.upright[place as usize],
            Way::Flat => place as Domino | FLAT,
        }
    }

    /// How far a place found by [`places`](Self::places) is from the border: below 128.
    #[inline(always)]
    fn inside(&self, place: u32, way: Way) -> i32 {
        self.inside[usize::from(way == Way::Upright)][place as usize]
    }

    /// The two cells of a domino, lower or left one first.
    #[inline(always)]
    fn cells(&self, m: Domino) -> [u32; 2] {
        let cell = u32::from(m & !FLAT);
        [cell, cell + if m & FLAT == 0 { self.grid.cols() } else { 1 }]
    }

    /// The key of a board, row by row.
    #[inline(always)]
    fn key_of(&self, free: B, turn: Player) -> K {
        let key = free.wide() | (turn.index() as u128) << self.grid.cells();
        K::join(key as u64, (key >> 64) as u64, 64 % K::BITS)
    }

    /// The image with the smallest board.
    #[inline]
    fn least_image(&self, p: &Position<B>) -> Position<B> {
        let rows = self.grid.flip_rows(p.rows);
        let cols = self.grid.flip_cols(p.rows);
        let both = self.grid.flip_cols(rows);
        let least = p.rows.min(rows).min(cols.min(both));
        if least == p.rows {
            *p
        } else if least == rows {
            Position { rows, cols: self.turned.flip_cols(p.cols), turn: p.turn }
        } else if least == cols {
            Position { rows: cols, cols: self.turned.flip_rows(p.cols), turn: p.turn }
        } else {
            let turned = self.turned.flip_rows(self.turned.flip_cols(p.cols));
            Position { rows: both, cols: turned, turn: p.turn }
        }
    }

    fn flip_rows(&self, p: &Position<B>) -> Position<B> {
        let (rows, cols) = (self.grid.flip_rows(p.rows), self.turned.flip_cols(p.cols));
        Position { rows, cols, turn: p.turn }
    }

    fn flip_cols(&self, p: &Position<B>) -> Position<B> {
        let (rows, cols) = (self.grid.flip_cols(p.rows), self.turned.flip_rows(p.cols));
        Position { rows, cols, turn: p.turn }
    }
}

/// How far the domino along a row, by its left cell, is from the border: the row first, then the place in
/// the row.
fn inside(place: u32, rows: u32, cols: u32) -> i32 {
    let (row, col) = (place / cols, place % cols);
    let along = col.min((cols - 1 - col).saturating_sub(1));
    (row.min(rows - 1 - row).min(15) * 8 + along.min(7)) as i32
}

/// The cells of `free` whose right neighbour is free too.
#[inline(always)]
fn pairs<B: Bits>(grid: &Grid<B>, free: B) -> B {
    free & grid.west(free)
}

/// The cells of `free` with a free neighbour.
#[inline(always)]
fn usable<B: Bits>(grid: &Grid<B>, free: B) -> B {
    free & grid.neighbours(free)
}

impl<B: Bits, K: Key> Game for Domineering<B, K> {
    type Position = Position<B>;
    type Move = Domino;
    type Key = K;

    const SIFTED: bool = true;

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

    fn rules(&self) -> String {
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

    fn start(&self) -> Position<B> {
        self.position(self.grid.full(), Player::First)
    }

    #[inline(always)]
    fn turn(&self, p: &Position<B>) -> Player {
        p.turn
    }

    #[inline]
    fn outcome(&self, p: &Position<B>) -> Option<Value> {
        let stuck = self.places(p, self.way(p.turn)).is_empty();
        stuck.then_some(if self.misere { p.turn.sign() } else { -p.turn.sign() })
    }

    #[inline]
    fn moves(&self, p: &Position<B>, out: &mut MoveList<Domino>) {
        let way = self.way(p.turn);
        self.places(p, way).cells().for_each(|place| out.push(self.domino(place, way)));
    }

    #[inline]
    fn play(&self, p: &Position<B>, m: Domino) -> Position<B> {
        let [rows, cols] = self.covers[usize::from(m)];
        Position {
            rows: usable(&self.grid, p.rows & !rows),
            cols: usable(&self.turned, p.cols & !cols),
            turn: p.turn.other(),
        }
    }

    #[inline(always)]
    fn key(&self, p: &Position<B>) -> K {
        self.key_of(p.rows, p.turn)
    }

    #[inline]
    fn class(&self, p: &Position<B>) -> K {
        let rows = self.grid.flip_rows(p.rows);
        let cols = self.grid.flip_cols(p.rows);
        let both = self.grid.flip_cols(rows);
        self.key_of(p.rows.min(rows).min(cols.min(both)), p.turn)
    }

    fn key_bits(&self) -> u32 {
        self.grid.cells() + 1
    }

    #[inline(always)]
    fn code(&self, m: Domino) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        256
    }

    fn move_text(&self, _: &Position<B>, m: Domino) -> String {
        self.cells(m).map(|c| self.grid.cell_name(c)).join("-")
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

    /// The mirror images. Turning a square board over its diagonal swaps the players and is no
    /// symmetry of this kind.
    fn images(&self, p: &Position<B>) -> Images<Position<B>> {
        let mut images = Images::new();
        images.push(*p);
        images.push(self.flip_rows(p));
        images.push(self.flip_cols(p));
        images.push(self.flip_rows(&self.flip_cols(p)));
        images
    }

    /// The image with the smallest board, with loose moves in their places.
    #[inline]
    fn canonical(&self, p: &Position<B>) -> Position<B> {
        self.gathered(p).unwrap_or_else(|| self.least_image(p))
    }

    #[inline]
    fn static_bounds(&self, p: &Position<B>) -> Bounds {
        self.known(p)
    }

    #[inline]
    fn sure_move(&self, p: &Position<B>, _: Value) -> Option<Domino> {
        self.sure(p)
    }

    #[inline]
    fn relevant(&self, p: &Position<B>, out: &mut MoveList<Domino>) -> Value {
        self.worth_trying(p, out)
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes a
    /// third of the nodes on 7x7; a look at the other's moves adds nothing).
    #[inline]
    fn leaf_numbers(&self, p: &Position<B>, place: u32) -> Option<(u32, u32)> {
        Some((1, self.places(p, self.way(p.turn)).count() + 2 * place))
    }

    #[inline]
    fn plies_left(&self, p: &Position<B>) -> u32 {
        p.rows.count() / 2
    }

    #[inline]
    fn hasty_plies(&self) -> u32 {
        // On 8x8 asking everywhere saves a third of the nodes and costs a fifth more time.
        if self.misere { 6 } else { 20 }
    }
}

#[cfg(test)]
mod tests;
