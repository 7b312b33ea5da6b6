//! NoGo: Go in which nobody may capture. Who cannot move loses.
//!
//! A point that is illegal for a player stays so. If a stone there would capture, it takes the last
//! liberty of a block that can grow nowhere else; if it would be suicide, all blocks around it have
//! no other liberty either, and none of them can ever get one. So both sides only ever lose points,
//! a point that is illegal for both stays empty for ever, and the blocks beside it are safe for ever.
//! [`endgame`] makes use of that.

pub mod endgame;
pub mod knowledge;
mod notation;
pub mod view;

use crate::blocks::Liberties;
use crate::cells::{CellSet, WideKey, WideSet};
use crate::registry::Visitor;
use crate::stones::{Board, Stones, Width, fits, size_usage, stones_methods};
use crate::symmetry::Symmetry;
pub use knowledge::NoGoKnowledge;
use zermelo_game::{Args, GameEntry, Key, ParseError, Rules};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "nogo",
    usage: "nogo ROWSxCOLS",
    example: "nogo 4x4",
    summary: "Go without captures; who cannot move loses",
    help: "ROWSxCOLS is the board.",
};

/// Opens `nogo ROWSxCOLS`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let [rows, cols] = args.need_size(&size_usage("5x4"), fits)?;
    args.end(ENTRY.usage)?;
    Ok(match Width::of(rows, cols) {
        Width::U64 => visit(NoGo::<u64>::new(rows, cols), visitor),
        Width::U128 => visit_wide(NoGo::<u128>::new(rows, cols), visitor),
        Width::Wide => {
            let rules = NoGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = NoGoKnowledge::new(&rules);
            visitor.visit_wide(rules, knowledge)
        }
    })
}

fn visit<K: Key, V: Visitor>(rules: NoGo<K>, visitor: V) -> V::Output {
    let knowledge = NoGoKnowledge::new(&rules);
    visitor.visit(rules, knowledge)
}

fn visit_wide<K: Key, V: Visitor>(rules: NoGo<K>, visitor: V) -> V::Output {
    let knowledge = NoGoKnowledge::new(&rules);
    visitor.visit_wide(rules, knowledge)
}

/// NoGo on a board.
#[derive(Clone, Debug)]
pub struct NoGo<K, B = u64> {
    board: Board<K, B>,
    symmetry: Symmetry<B>,
}

impl<K: Key, B: CellSet> NoGo<K, B> {
    /// The game on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> NoGo<K, B> {
        let board = Board::new(rows, cols);
        let symmetry = Symmetry::new(&board.grid);
        NoGo { board, symmetry }
    }

    /// The points on which the player to move may put a stone.
    #[inline]
    fn legal(&self, p: &Stones<B>) -> B {
        let grid = &self.board.grid;
        let empty = self.board.empty(p);
        let [mine, yours] = [p.me, p.you].map(|stones| Liberties::of(grid, stones, empty));
        view::legal(grid, empty, mine, yours)[0]
    }
}

impl<K: Key, B: CellSet> Rules for NoGo<K, B> {
    type Position = Stones<B>;
    type Move = B::Cell;
    type Key = K;

    stones_methods!(start, turn, outcome, moves, expand, play);
    stones_methods!(key, key_bits, images, symmetry_key, code, codes, map_move_code);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimax_oracle;
    use crate::widths;
    use zermelo_game::conformance::{self, Effort, Kit};
    use zermelo_game::{Game, MoveList, Notation};

    fn check<K: Key, B: CellSet>(rules: &NoGo<K, B>) {
        conformance::check(rules, &NoGoKnowledge::new(rules));
    }

    fn compare(rows: u32, cols: u32, games: u32) -> u32 {
        let rules = NoGo::<u64>::new(rows, cols);
        minimax_oracle::compare(&rules, &NoGoKnowledge::new(&rules), games, 9)
    }

    #[test]
    fn conforms() {
        for (rows, cols) in [(1, 1), (1, 2), (2, 3), (3, 3), (4, 4), (5, 4), (3, 7)] {
            check(&NoGo::<u64>::new(rows, cols));
        }
        check(&NoGo::<u128>::new(7, 9));
    }

    #[test]
    fn wide_boards_conform() {
        let effort = Effort { games: 10, ..Effort::default() };
        for (rows, cols) in [(1, 3), (3, 3), (5, 5)] {
            let rules = NoGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = NoGoKnowledge::new(&rules);
            Kit::new(&rules, &knowledge).effort(effort.clone()).assert();
        }
        for (rows, cols, plies) in [(9, 9, 12), (19, 19, 8), (3, 100, 10)] {
            let rules = NoGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = NoGoKnowledge::new(&rules);
            let starts = [vec![rules.start()], widths::late(&rules, 4, plies)].concat();
            let effort = Effort { games: 5, plies: 10, ..effort.clone() };
            Kit::new(&rules, &knowledge).effort(effort).starts(starts).assert();
        }
    }

    #[test]
    fn wide_boards_are_as_narrow_ones() {
        for (rows, cols) in [(1, 1), (2, 3), (4, 4), (5, 6), (7, 7), (1, 16), (7, 9)] {
            let narrow = NoGo::<u128>::new(rows, cols);
            let wide = NoGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = (NoGoKnowledge::new(&narrow), NoGoKnowledge::new(&wide));
            let (narrow, wide) = (Game::new(&narrow, &knowledge.0), Game::new(&wide, &knowledge.1));
            widths::compare(narrow, wide, 20);
        }
    }

    #[test]
    fn knowledge_agrees_with_minimax() {
        let mut compared = 0;
        for rows in 1..=4 {
            for cols in rows..=7 {
                let games = if rows * cols < 10 { 60 } else { 250 };
                compared += compare(rows, cols, games);
            }
        }
        compared += compare(5, 5, 1000);
        assert!(compared > 25_000, "{compared}");
    }

    #[test]
    fn neither_capture_nor_suicide() {
        let game = NoGo::<u64>::new(3, 3);
        for (text, moves) in [
            // b1 would capture a1 for second and is suicide for first.
            (".../oo./x.o first", "a3 b3 c3 c2"),
            (".../oo./x.o second", "a3 b3 c3 c2"),
            // An own block with a second liberty makes b1 legal.
            ("o../xx./x.o second", "b3 c3 c2 b1"),
        ] {
            let p = game.parse_position(text).unwrap();
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            let mut got: Vec<String> = list.iter().map(|m| game.move_text(&p, m)).collect();
            let mut want: Vec<&str> = moves.split(' ').collect();
            got.sort();
            want.sort();
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn positions_that_cannot_be() {
        let game = NoGo::<u64>::new(3, 3);
        for (text, column) in [("xo./o../... first", 1), ("xo./xo./xo. second", 1), ("... ", 4)] {
            let error = game.parse_position(text).unwrap_err();
            assert_eq!(error.column(), column, "{text}: {error}");
        }
    }
}
