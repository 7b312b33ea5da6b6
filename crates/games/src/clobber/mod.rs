//! Clobber: a stone takes an opposing neighbour by moving onto it; who cannot move loses.
//! Albert, Grossman, Nowakowski and Wolfe, *An introduction to Clobber* (Integers 5(2), 2005).
//!
//! If one player can move so can the other, from the other end of the same pair. The stones fall
//! into groups that never meet again, since a move only empties cells; [`knowledge`] makes use of
//! that.

pub mod groups;
pub mod knowledge;
pub mod values;

use crate::nogo::{fits, size_usage};
use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, Stones, fits_u64};
use crate::symmetry::Symmetry;
use groups::Groups;
use std::sync::Arc;
use zermelo_game::{
    Bits, Bounds, Footprint, Game, Grid, Images, Key, MoveList, ParseError, Picture, Player, Style,
    Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "clobber",
    usage: "clobber ROWSxCOLS",
    example: "clobber 4x5",
    summary: "move onto an opposing neighbour; who cannot move loses",
};

/// Opens `clobber ROWSxCOLS`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let [rows, cols] = args.need_size(&size_usage("5x4"), fits)?;
    args.end(ENTRY.usage)?;
    Ok(if fits_u64(rows, cols) {
        visitor.visit(Clobber::<u64>::new(rows, cols))
    } else {
        visitor.visit(Clobber::<u128>::new(rows, cols))
    })
}

/// Clobber on a board, from the chequered start.
#[derive(Clone, Debug)]
pub struct Clobber<K> {
    board: Board<K>,
    symmetry: Symmetry,
    groups: Arc<Groups>,
}

/// A move: four times the cell it leaves, and 0 to 3 for up, down, right, left.
pub type Step = u8;

/// The set one step away in direction `dir`.
#[inline(always)]
fn shift(grid: &Grid<u64>, set: u64, dir: u8) -> u64 {
    match dir {
        0 => grid.north(set),
        1 => grid.south(set),
        2 => grid.east(set),
        _ => grid.west(set),
    }
}

impl<K: Key> Clobber<K> {
    /// The game on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Clobber<K> {
        let board = Board::new(rows, cols);
        let symmetry = Symmetry::new(&board.grid);
        let groups = Arc::new(Groups::new(&board.grid, groups::most(rows * cols)));
        Clobber { board, symmetry, groups }
    }

    /// The cell a move leaves and the one it goes to, as sets.
    #[inline(always)]
    fn ends(&self, m: Step) -> (u64, u64) {
        let from = 1u64 << (m / 4);
        (from, shift(&self.board.grid, from, m % 4))
    }
}

impl<K: Key> Game for Clobber<K> {
    type Position = Stones;
    type Move = Step;
    type Key = K;

    fn name(&self) -> String {
        format!("clobber {}x{}", self.board.grid.rows(), self.board.grid.cols())
    }

    fn rules(&self) -> String {
        "The board starts full, in the colours of a chess board; the first player has the stones of \
         the colour of a1. A move takes an opposing stone that is next to an own one, up, down, left \
         or right, by moving onto it. There is no passing: who cannot move loses."
            .into()
    }

    fn start(&self) -> Stones {
        let grid = &self.board.grid;
        let even = |c: u32| (c / grid.cols() + c % grid.cols()).is_multiple_of(2);
        let first = grid.full().cells().filter(|&c| even(c)).fold(0, |s, c| s | 1 << c);
        Stones::new(first, grid.full() & !first, Player::First)
    }

    fn turn(&self, p: &Stones) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Stones) -> Option<Value> {
        (self.board.grid.neighbours(p.me) & p.you == 0).then_some(-p.turn.sign())
    }

    fn moves(&self, p: &Stones, out: &mut MoveList<Step>) {
        let grid = &self.board.grid;
        // A stone can go up if the cell above, moved down, is its own.
        for (dir, back) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            let from = p.me & shift(grid, p.you, back);
            from.cells().for_each(|c| out.push(4 * c as u8 + dir));
        }
    }

    #[inline]
    fn play(&self, p: &Stones, m: Step) -> Stones {
        let (from, to) = self.ends(m);
        Stones { me: p.me ^ from ^ to, you: p.you ^ to, turn: p.turn }.swapped()
    }

    fn key(&self, p: &Stones) -> K {
        self.board.key(p)
    }

    #[inline]
    fn class(&self, p: &Stones) -> K {
        self.board.key(&self.symmetry.canonical(p))
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits()
    }

    fn code(&self, m: Step) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        4 * self.board.grid.cells() as usize
    }

    /// From and to: `a1b1`.
    fn move_text(&self, _: &Stones, m: Step) -> String {
        let (from, to) = self.ends(m);
        let grid = &self.board.grid;
        grid.cell_name(from.lowest()) + &grid.cell_name(to.lowest())
    }

    fn position_text(&self, p: &Stones) -> String {
        self.board.text(p)
    }

    fn parse_position(&self, text: &str) -> Result<Stones, ParseError> {
        self.board.parse(text)
    }

    fn picture(&self, p: &Stones) -> Picture {
        self.board.picture(p, Style::Squares)
    }

    fn footprint(&self, _: &Stones, m: Step) -> Option<Footprint> {
        let (from, to) = self.ends(m);
        Some(Footprint::step(from.lowest(), to.lowest()))
    }

    fn images(&self, p: &Stones) -> Images<Stones> {
        self.symmetry.images(p)
    }

    #[inline]
    fn canonical(&self, p: &Stones) -> Stones {
        let image = self.symmetry.canonical(p);
        let normal = knowledge::normal(&self.board.grid, &self.groups, &image);
        if normal == image { image } else { self.symmetry.canonical(&normal) }
    }

    #[inline]
    fn static_bounds(&self, p: &Stones) -> Bounds {
        knowledge::bounds(&self.board.grid, &self.groups, p)
    }

    #[inline]
    fn relevant(&self, p: &Stones, out: &mut MoveList<Step>) -> Value {
        knowledge::relevant(&self.board.grid, p, out)
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes a
    /// third of the nodes).
    #[inline]
    fn leaf_numbers(&self, p: &Stones, place: u32) -> Option<(u32, u32)> {
        let moves = |dir| (p.me & shift(&self.board.grid, p.you, dir)).count();
        Some((1, (0..4).map(moves).sum::<u32>() + 2 * place))
    }

    /// Every move takes a stone, and the last one standing takes nothing.
    fn plies_left(&self, p: &Stones) -> u32 {
        p.all().count().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::conformance;

    #[test]
    fn conforms() {
        for (rows, cols) in [(1, 1), (1, 6), (2, 3), (3, 3), (4, 4), (5, 4), (5, 5)] {
            conformance::check(&Clobber::<u64>::new(rows, cols));
        }
        conformance::check(&Clobber::<u128>::new(6, 7));
    }

    #[test]
    fn the_start_is_chequered_and_moves_take() {
        let game = Clobber::<u64>::new(2, 3);
        let start = game.start();
        assert_eq!(game.position_text(&start), "oxo/xox first");
        let m = game.parse_move(&start, "a1b1").unwrap();
        assert_eq!(game.position_text(&game.play(&start, m)), "oxo/.xx second");
        assert!(game.parse_move(&start, "b1a1").is_err(), "not the first player's stone");
        let over = game.parse_position("x.o/.x. second").unwrap();
        assert_eq!(game.outcome(&over), Some(1));
    }
}
