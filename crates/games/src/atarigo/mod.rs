//! Atarigo, or first-capture Go: who first takes the last liberty of a block wins.
//!
//! The game ends with the capturing move, so captured stones are never lifted: a position in which a
//! block of the player to move has no liberty is a finished game. [`knowledge`] reads one capture
//! ahead, which already leaves few moves in most positions.

pub mod knowledge;

use crate::blocks::{Liberties, dead};
use crate::nogo::{fits, size_usage};
use crate::registry::{Args, Entry, Visitor};
use crate::stones::{Board, Stones, fits_u64};
use crate::symmetry::Symmetry;
use zermelo_game::{
    Bits, Bounds, Footprint, Game, Images, Key, MoveList, ParseError, Picture, Player, Style, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "atarigo",
    usage: "atarigo ROWSxCOLS",
    example: "atarigo 5x5",
    summary: "Go in which the first capture wins",
};

/// Opens `atarigo ROWSxCOLS`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let [rows, cols] = args.need_size(&size_usage("5x5"), fits)?;
    args.end(ENTRY.usage)?;
    Ok(if fits_u64(rows, cols) {
        visitor.visit(AtariGo::<u64>::new(rows, cols))
    } else {
        visitor.visit(AtariGo::<u128>::new(rows, cols))
    })
}

/// Atarigo on a board.
#[derive(Clone, Debug)]
pub struct AtariGo<K> {
    board: Board<K>,
    symmetry: Symmetry,
    places: knowledge::Places,
}

impl<K: Key> AtariGo<K> {
    /// The game on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> AtariGo<K> {
        let board = Board::new(rows, cols);
        let symmetry = Symmetry::new(&board.grid);
        AtariGo { places: knowledge::Places::new(&board.grid), board, symmetry }
    }

    /// The points on which the player to move may put a stone: those where it has a liberty, and
    /// those where it captures. Empty also where the player to move has been captured.
    #[inline]
    fn legal(&self, p: &Stones) -> u64 {
        let grid = &self.board.grid;
        let empty = grid.full() & !p.all();
        if dead(grid, p.me, empty) != 0 {
            return 0;
        }
        let [mine, yours] = [p.me, p.you].map(|stones| Liberties::of(grid, stones, empty));
        (grid.neighbours(empty) & empty) | mine.spare | yours.last
    }
}

impl<K: Key> Game for AtariGo<K> {
    type Position = Stones;
    type Move = u8;
    type Key = K;

    const SIFTED: bool = true;
    const NAMED_WINS: bool = true;
    const THREATS: bool = true;

    fn name(&self) -> String {
        format!("atarigo {}x{}", self.board.grid.rows(), self.board.grid.cols())
    }

    fn rules(&self) -> String {
        "The players put stones on empty points in turn. Stones of one colour that are linked along \
         the lines form a block; its liberties are the empty points beside it. Who takes the last \
         liberty of an opposing block has captured it and wins at once, even if the stone played has \
         no liberty itself. Otherwise a move may not leave the own block without a liberty (suicide). \
         There is no passing: a player without a legal move loses."
            .into()
    }

    fn start(&self) -> Stones {
        Stones::new(0, 0, Player::First)
    }

    fn turn(&self, p: &Stones) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Stones) -> Option<Value> {
        (self.legal(p) == 0).then_some(-p.turn.sign())
    }

    fn moves(&self, p: &Stones, out: &mut MoveList<u8>) {
        self.legal(p).cells().for_each(|c| out.push(c as u8));
    }

    #[inline]
    fn expand(&self, p: &Stones, out: &mut MoveList<u8>) -> Option<Value> {
        let legal = self.legal(p);
        legal.cells().for_each(|c| out.push(c as u8));
        (legal == 0).then_some(-p.turn.sign())
    }

    #[inline]
    fn play(&self, p: &Stones, m: u8) -> Stones {
        Stones { me: p.me | 1 << m, ..*p }.swapped()
    }

    fn key(&self, p: &Stones) -> K {
        self.board.key(p)
    }

    #[inline]
    fn class(&self, p: &Stones) -> K {
        self.board.key(&self.symmetry.canonical(p))
    }

    #[inline]
    fn code_here(&self, p: &Stones, class: K, code: usize) -> Option<usize> {
        match self.board.key(p) == class {
            true => Some(code),
            false => self.symmetry.cell_before(p, code as u32).map(|cell| cell as usize),
        }
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits()
    }

    fn code(&self, m: u8) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.board.grid.cells() as usize
    }

    /// The point, the player and what stands on the four points around it.
    #[inline]
    fn pattern(&self, p: &Stones, m: u8) -> usize {
        let grid = &self.board.grid;
        let cell = 1u64 << m;
        let around = [grid.north(cell), grid.south(cell), grid.east(cell), grid.west(cell)];
        let kind = |near: u64| match (near & grid.full(), near & p.me, near & p.you) {
            (0, ..) => 0, // off the board
            (_, 0, 0) => 1,
            (_, 0, _) => 2,
            _ => 3,
        };
        around.iter().fold(usize::from(m) * 2 + p.turn.index(), |sum, &near| 4 * sum + kind(near))
    }

    fn patterns(&self) -> usize {
        self.codes() << 9
    }

    fn move_text(&self, _: &Stones, m: u8) -> String {
        self.board.grid.cell_name(m.into())
    }

    fn position_text(&self, p: &Stones) -> String {
        self.board.text(p)
    }

    /// A block without a liberty belongs to the player to move, who has just been captured; the
    /// capturing stone may have no liberty either. If only the player who has just moved has such
    /// a block, that move was suicide.
    fn parse_position(&self, text: &str) -> Result<Stones, ParseError> {
        let p = self.board.parse(text)?;
        let grid = &self.board.grid;
        let empty = grid.full() & !p.all();
        if dead(grid, p.me, empty) != 0 {
            return Ok(p);
        }
        match self.board.first_in_text(dead(grid, p.you, empty)) {
            Some(at) => {
                let expected = format!(
                    "a block with a liberty, or '{}' to move: only a player to move is captured",
                    p.turn.other()
                );
                Err(ParseError::new("position", text, at, expected))
            }
            None => Ok(p),
        }
    }

    fn picture(&self, p: &Stones) -> Picture {
        self.board.picture(p, Style::Crossings)
    }

    fn footprint(&self, _: &Stones, m: u8) -> Option<Footprint> {
        Some(Footprint::at(m.into()))
    }

    fn images(&self, p: &Stones) -> Images<Stones> {
        self.symmetry.images(p)
    }

    #[inline]
    fn canonical(&self, p: &Stones) -> Stones {
        self.symmetry.canonical(p)
    }

    #[inline]
    fn static_bounds(&self, p: &Stones) -> Bounds {
        knowledge::bounds(&self.board.grid, p)
    }

    #[inline]
    fn sure_move(&self, p: &Stones, _: Value) -> Option<u8> {
        knowledge::sure(&self.board.grid, p)
    }

    #[inline]
    fn relevant(&self, p: &Stones, out: &mut MoveList<u8>) -> Value {
        knowledge::relevant(&self.board.grid, &self.places, p, out)
    }

    #[inline]
    fn pass(&self, p: &Stones) -> Option<Stones> {
        Some(p.swapped())
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes a
    /// half to a third of the nodes; counted liberties or points of one's own add nothing).
    #[inline]
    fn leaf_numbers(&self, p: &Stones, place: u32) -> Option<(u32, u32)> {
        Some((1, self.legal(p).count() + 2 * place))
    }

    fn plies_left(&self, p: &Stones) -> u32 {
        (self.board.grid.full() & !p.all()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::conformance;

    #[test]
    fn conforms() {
        for (rows, cols) in [(1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (4, 4), (5, 5)] {
            conformance::check(&AtariGo::<u64>::new(rows, cols));
        }
        conformance::check(&AtariGo::<u128>::new(7, 9));
    }

    #[test]
    fn knowledge_agrees_with_minimax() {
        let mut compared = 0;
        for rows in 1..=4 {
            for cols in rows..=7 {
                let games = if rows * cols < 10 { 100 } else { 400 };
                compared += crate::truth::compare(&AtariGo::<u64>::new(rows, cols), games, 9);
            }
        }
        compared += crate::truth::compare(&AtariGo::<u64>::new(5, 5), 1500, 10);
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
