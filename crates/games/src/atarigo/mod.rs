//! Atarigo, or first-capture Go: who first takes the last liberty of a block wins.
//!
//! The game ends with the capturing move, so captured stones are never lifted: a position in which a
//! block of the player to move has no liberty is a finished game. [`knowledge`] reads one capture
//! ahead, which already leaves few moves in most positions.

pub mod knowledge;
mod notation;

use crate::blocks::{Liberties, dead};
use crate::cells::{CellSet, WideKey, WideSet};
use crate::registry::Visitor;
use crate::stones::{Board, Stones, Width, fits, size_usage, stones_methods};
use crate::symmetry::Symmetry;
pub use knowledge::AtariGoKnowledge;
use zermelo_game::{Args, GameEntry, Key, ParseError, Rules, Threats};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "atarigo",
    usage: "atarigo ROWSxCOLS",
    example: "atarigo 5x5",
    summary: "Go in which the first capture wins",
    help: "ROWSxCOLS is the board.",
};

/// Opens `atarigo ROWSxCOLS`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let [rows, cols] = args.need_size(&size_usage("5x5"), fits)?;
    args.end(ENTRY.usage)?;
    Ok(match Width::of(rows, cols) {
        Width::U64 => visit(AtariGo::<u64>::new(rows, cols), visitor),
        Width::U128 => visit_wide(AtariGo::<u128>::new(rows, cols), visitor),
        Width::Wide => {
            let rules = AtariGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = AtariGoKnowledge::new(&rules);
            visitor.visit_wide_threats(rules, knowledge)
        }
    })
}

fn visit<K: Key, V: Visitor>(rules: AtariGo<K>, visitor: V) -> V::Output {
    let knowledge = AtariGoKnowledge::new(&rules);
    visitor.visit_threats(rules, knowledge)
}

fn visit_wide<K: Key, V: Visitor>(rules: AtariGo<K>, visitor: V) -> V::Output {
    let knowledge = AtariGoKnowledge::new(&rules);
    visitor.visit_wide_threats(rules, knowledge)
}

/// Atarigo on a board.
#[derive(Clone, Debug)]
pub struct AtariGo<K, B = u64> {
    board: Board<K, B>,
    symmetry: Symmetry<B>,
}

impl<K: Key, B: CellSet> AtariGo<K, B> {
    /// The game on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> AtariGo<K, B> {
        let board = Board::new(rows, cols);
        let symmetry = Symmetry::new(&board.grid);
        AtariGo { board, symmetry }
    }

    /// The points on which the player to move may put a stone: those where it has a liberty, and
    /// those where it captures. Empty also where the player to move has been captured.
    #[inline]
    fn legal(&self, p: &Stones<B>) -> B {
        let grid = &self.board.grid;
        let empty = self.board.empty(p);
        if !dead(grid, p.me, empty).is_empty() {
            return B::EMPTY;
        }
        let [mine, yours] = [p.me, p.you].map(|stones| Liberties::of(grid, stones, empty));
        (grid.neighbours(empty) & empty) | mine.spare | yours.last
    }
}

impl<K: Key, B: CellSet> Rules for AtariGo<K, B> {
    type Position = Stones<B>;
    type Move = B::Cell;
    type Key = K;

    stones_methods!(start, turn, outcome, moves, expand, play);
    stones_methods!(key, key_bits, images, symmetry_key, code, codes, map_move_code);
}

impl<K: Key, B: CellSet> Threats for AtariGo<K, B> {
    #[inline]
    fn pass(&self, p: &Stones<B>) -> Option<Stones<B>> {
        Some(p.swapped())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimax_oracle;
    use crate::widths;
    use zermelo_game::conformance::{Effort, Kit};
    use zermelo_game::{Game, Notation};

    fn check<K: Key, B: CellSet>(rules: &AtariGo<K, B>) {
        Kit::new(rules, &AtariGoKnowledge::new(rules)).threats().assert();
    }

    fn compare(rows: u32, cols: u32, games: u32, left: u32) -> u32 {
        let rules = AtariGo::<u64>::new(rows, cols);
        minimax_oracle::compare(&rules, &AtariGoKnowledge::new(&rules), games, left)
    }

    #[test]
    fn conforms() {
        for (rows, cols) in [(1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (4, 4), (5, 5)] {
            check(&AtariGo::<u64>::new(rows, cols));
        }
        check(&AtariGo::<u128>::new(7, 9));
    }

    #[test]
    fn wide_boards_conform() {
        let effort = Effort { games: 10, ..Effort::default() };
        for (rows, cols) in [(1, 3), (3, 3), (5, 5)] {
            let rules = AtariGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = AtariGoKnowledge::new(&rules);
            Kit::new(&rules, &knowledge).threats().effort(effort.clone()).assert();
        }
        for (rows, cols, plies) in [(9, 9, 12), (19, 19, 8), (3, 100, 10)] {
            let rules = AtariGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = AtariGoKnowledge::new(&rules);
            let starts = [vec![rules.start()], widths::late(&rules, 4, plies)].concat();
            let effort = Effort { games: 5, plies: 10, ..effort.clone() };
            Kit::new(&rules, &knowledge).threats().effort(effort).starts(starts).assert();
        }
    }

    #[test]
    fn wide_boards_are_as_narrow_ones() {
        for (rows, cols) in [(1, 1), (2, 3), (4, 4), (5, 6), (7, 7), (1, 16), (7, 9)] {
            let narrow = AtariGo::<u128>::new(rows, cols);
            let wide = AtariGo::<WideKey, WideSet>::new(rows, cols);
            let knowledge = (AtariGoKnowledge::new(&narrow), AtariGoKnowledge::new(&wide));
            let (narrow, wide) = (Game::new(&narrow, &knowledge.0), Game::new(&wide, &knowledge.1));
            widths::compare(narrow, wide, 20);
        }
    }

    #[test]
    fn knowledge_agrees_with_minimax() {
        let mut compared = 0;
        for rows in 1..=4 {
            for cols in rows..=7 {
                let games = if rows * cols < 10 { 100 } else { 400 };
                compared += compare(rows, cols, games, 9);
            }
        }
        compared += compare(5, 5, 1500, 10);
        assert!(compared > 25_000, "{compared}");
    }

    #[test]
    fn a_capture_is_legal_without_a_liberty_of_its_own() {
        let game = AtariGo::<u64>::new(2, 4);
        // a1 is surrounded by second's stones, but takes the last liberty of all three.
        let p = game.parse_position("oox./.ox. first").unwrap();
        let next = game.play(&p, game.parse_move(&p, "a1").unwrap());
        assert_eq!(game.outcome(&next), Some(1));
        // Here it takes no last liberty and is suicide.
        let p = game.parse_position("xo../.xo. second").unwrap();
        assert!(game.parse_move(&p, "a1").is_ok());
        let p = game.parse_position("x.../.x.. second").unwrap();
        assert!(game.parse_move(&p, "a1").is_err());
    }

    #[test]
    fn finished_games_and_positions_that_cannot_be() {
        let game = AtariGo::<u64>::new(2, 2);
        let captured = game.parse_position("xo/o. first").unwrap();
        assert_eq!(game.outcome(&captured), Some(-1));
        let both = game.parse_position("xo/ox first").unwrap();
        assert_eq!(game.outcome(&both), Some(-1));
        for (text, column) in [("xo/o. second", 1), (".o/ox second", 5), ("xq/.. first", 2)] {
            let error = game.parse_position(text).unwrap_err();
            assert_eq!(error.column(), column, "{text}: {error}");
        }
    }
}
