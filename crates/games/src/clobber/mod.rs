//! Clobber: a stone takes an opposing neighbour by moving onto it; who cannot move loses.
//! Albert, Grossman, Nowakowski and Wolfe, *An introduction to Clobber* (Integers 5(2), 2005).
//!
//! If one player can move so can the other, from the other end of the same pair. The stones fall
//! into groups that never meet again, since a move only empties cells; [`knowledge`] makes use of
//! that.

pub mod groups;
pub mod knowledge;
mod notation;
pub mod values;

pub use knowledge::ClobberKnowledge;

use crate::cells::{CellNumber, CellSet, WideKey, WideSet};
use crate::registry::Visitor;
use crate::stones::{Board, Stones, Width, fits, size_usage, stones_methods};
use crate::symmetry::Symmetry;
use zermelo_game::{Args, Bits, GameEntry, Grid, Key, MoveList, ParseError, Player, Rules, Value};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "clobber",
    usage: "clobber ROWSxCOLS",
    example: "clobber 4x5",
    summary: "move onto an opposing neighbour; who cannot move loses",
    help: "ROWSxCOLS is the board.",
};

/// Opens `clobber ROWSxCOLS`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let [rows, cols] = args.need_size(&size_usage("5x4"), fits)?;
    args.end(ENTRY.usage)?;
    Ok(match Width::of(rows, cols) {
        Width::U64 => visit(Clobber::<u64>::new(rows, cols), visitor),
        Width::U128 => visit_wide(Clobber::<u128>::new(rows, cols), visitor),
        Width::Wide => {
            let rules = Clobber::<WideKey, WideSet>::new(rows, cols);
            let knowledge = ClobberKnowledge::new(&rules);
            visitor.visit_wide(rules, knowledge)
        }
    })
}

/// Hands the game with its knowledge to the visitor.
fn visit<K: Key, V: Visitor>(rules: Clobber<K>, visitor: V) -> V::Output {
    let knowledge = ClobberKnowledge::new(&rules);
    visitor.visit(rules, knowledge)
}

/// The same on a wide board.
fn visit_wide<K: Key, V: Visitor>(rules: Clobber<K>, visitor: V) -> V::Output {
    let knowledge = ClobberKnowledge::new(&rules);
    visitor.visit_wide(rules, knowledge)
}

/// Clobber on a board, from the chequered start.
#[derive(Clone, Debug)]
pub struct Clobber<K, B = u64> {
    board: Board<K, B>,
    symmetry: Symmetry<B>,
}

/// The set one step away in direction `dir`.
#[inline(always)]
fn shift<B: Bits>(grid: &Grid<B>, set: B, dir: u32) -> B {
    match dir {
        0 => grid.north(set),
        1 => grid.south(set),
        2 => grid.east(set),
        _ => grid.west(set),
    }
}

impl<K: Key, B: CellSet> Clobber<K, B> {
    /// The game on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Clobber<K, B> {
        let board = Board::new(rows, cols);
        let symmetry = Symmetry::new(&board.grid);
        Clobber { board, symmetry }
    }

    /// The cell a move leaves and the one it goes to, as sets.
    #[inline(always)]
    fn ends(&self, m: B::Cell) -> (B, B) {
        let from = B::cell(m.number() / 4);
        (from, shift(&self.board.grid, from, m.number() % 4))
    }
}

impl<K: Key, B: CellSet> Rules for Clobber<K, B> {
    type Position = Stones<B>;
    /// Four times the cell it leaves, and 0 to 3 for up, down, right, left.
    type Move = B::Cell;
    type Key = K;

    stones_methods!(turn, key, key_bits, images, symmetry_key, code);

    fn start(&self) -> Stones<B> {
        let grid = &self.board.grid;
        let even = |c: u32| (c / grid.cols() + c % grid.cols()).is_multiple_of(2);
        let first = grid.full().cells().filter(|&c| even(c)).fold(B::EMPTY, |s, c| s | B::cell(c));
        Stones::new(first, grid.full() & !first, Player::First)
    }

    fn outcome(&self, p: &Stones<B>) -> Option<Value> {
        (self.board.grid.neighbours(p.me) & p.you).is_empty().then_some(-p.turn.sign())
    }

    fn moves(&self, p: &Stones<B>, out: &mut MoveList<B::Cell>) {
        let grid = &self.board.grid;
        // A stone can go up if the cell above, moved down, is its own.
        for (dir, back) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
            let from = p.me & shift(grid, p.you, back);
            from.cells().for_each(|c| out.push(B::Cell::of(4 * c + dir)));
        }
    }

    #[inline]
    fn play(&self, p: &Stones<B>, m: B::Cell) -> Stones<B> {
        let (from, to) = self.ends(m);
        Stones { me: p.me ^ from ^ to, you: p.you ^ to, turn: p.turn }.swapped()
    }

    fn codes(&self) -> usize {
        4 * self.board.grid.cells() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widths;
    use zermelo_game::conformance::{self, Effort, Kit};
    use zermelo_game::{Game, Notation};

    #[test]
    fn conforms() {
        for (rows, cols) in [(1, 1), (1, 6), (2, 3), (3, 3), (4, 4), (5, 4), (5, 5)] {
            let game = Clobber::<u64>::new(rows, cols);
            conformance::check(&game, &ClobberKnowledge::new(&game));
        }
        let game = Clobber::<u128>::new(6, 7);
        conformance::check(&game, &ClobberKnowledge::new(&game));
    }

    #[test]
    fn wide_boards_conform() {
        let effort = Effort { games: 10, ..Effort::default() };
        for (rows, cols) in [(1, 6), (3, 3), (4, 4)] {
            let rules = Clobber::<WideKey, WideSet>::new(rows, cols);
            let knowledge = ClobberKnowledge::new(&rules);
            Kit::new(&rules, &knowledge).effort(effort.clone()).assert();
        }
        for (rows, cols, plies) in [(9, 9, 12), (19, 19, 8)] {
            let rules = Clobber::<WideKey, WideSet>::new(rows, cols);
            let knowledge = ClobberKnowledge::new(&rules);
            let starts = [vec![rules.start()], widths::late(&rules, 4, plies)].concat();
            let effort = Effort { games: 5, plies: 10, ..effort.clone() };
            Kit::new(&rules, &knowledge).effort(effort).starts(starts).assert();
        }
    }

    #[test]
    fn wide_boards_are_as_narrow_ones() {
        for (rows, cols) in [(1, 1), (2, 3), (4, 4), (5, 6), (7, 7), (1, 16)] {
            let narrow = Clobber::<u128>::new(rows, cols);
            let wide = Clobber::<WideKey, WideSet>::new(rows, cols);
            let knowledge = (ClobberKnowledge::new(&narrow), ClobberKnowledge::new(&wide));
            let (narrow, wide) = (Game::new(&narrow, &knowledge.0), Game::new(&wide, &knowledge.1));
            widths::compare(narrow, wide, 20);
        }
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
