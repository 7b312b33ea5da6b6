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
mod notation;
mod strips;
mod sums;

use crate::registry::Visitor;
pub use knowledge::DomineeringKnowledge;
use std::marker::PhantomData;
use zermelo_game::{
    Args, Bits, GameEntry, Grid, Images, Key, MoveList, ParseError, Player, Rules, Value,
};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "domineering",
    usage: "domineering ROWSxCOLS [misere] [horizontal]",
    example: "domineering 8x8",
    summary: "dominoes, upright against flat; who cannot move loses",
    help: "ROWSxCOLS is the board. misere: who cannot move wins. horizontal: the first player is the one who \
           lays dominoes flat.",
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
        ..64 => visit(Domineering::<u64, u64>::new(rows, cols, first, misere), visitor),
        64 => visit_wide(Domineering::<u64, u128>::new(rows, cols, first, misere), visitor),
        _ => visit_wide(Domineering::<u128, u128>::new(rows, cols, first, misere), visitor),
    })
}

fn visit<B: Bits, K: Key, V: Visitor>(rules: Domineering<B, K>, visitor: V) -> V::Output {
    let knowledge = DomineeringKnowledge::new(&rules);
    visitor.visit(rules, knowledge)
}

fn visit_wide<B: Bits, K: Key, V: Visitor>(rules: Domineering<B, K>, visitor: V) -> V::Output {
    let knowledge = DomineeringKnowledge::new(&rules);
    visitor.visit_wide(rules, knowledge)
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
    /// The cells of every domino, row by row and column by column.
    covers: Vec<[B; 2]>,
    /// The upright domino at every place found by [`places`](Self::places).
    upright: Vec<Domino>,
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
        let mut game = Domineering {
            grid,
            turned,
            first,
            misere,
            covers: vec![[B::EMPTY; 2]; 256],
            upright: Vec::new(),
            key: PhantomData,
        };
        for place in 0..rows * cols {
            game.upright.push((place % rows * cols + place / rows) as Domino);
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

    /// The two cells of a domino, lower or left one first.
    #[inline(always)]
    fn cells(&self, m: Domino) -> [u32; 2] {
        let cell = u32::from(m & !FLAT);
        [cell, cell + if m & FLAT == 0 { self.grid.cols() } else { 1 }]
    }

    /// The key of a board, row by row.
    #[inline(always)]
    fn key_of(&self, free: B, turn: Player) -> K {
        K::join(free, B::of(turn.index() as u64), self.grid.cells())
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

impl<B: Bits, K: Key> Rules for Domineering<B, K> {
    type Position = Position<B>;
    type Move = Domino;
    type Key = K;

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

    #[inline]
    fn symmetry_key(&self, p: &Position<B>) -> K {
        let rows = self.grid.flip_rows(p.rows);
        let cols = self.grid.flip_cols(p.rows);
        let both = self.grid.flip_cols(rows);
        self.key_of(p.rows.min(rows).min(cols.min(both)), p.turn)
    }
}

#[cfg(test)]
mod tests;
