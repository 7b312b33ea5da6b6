//! Atarigo one capture ahead.
//!
//! Four facts, for the player to move ("I"), none of whose blocks has been captured:
//!
//! 1. If an opposing block has one liberty, taking it wins; the rules always allow it.
//! 2. Otherwise nothing can be captured now. If my blocks in atari have two different last
//!    liberties, I lose: a stone on one of them does not touch the other's block (or it would be its
//!    liberty), so that one is captured next.
//! 3. If they have one last liberty in common, every other move loses to the capture, and so does
//!    that one if the block it makes has fewer than two liberties.
//! 4. If I have no block in atari, a move that leaves the block it belongs to with fewer than two
//!    liberties is illegal or loses to the capture. It changes no other block of mine.
//!
//! So only *sound* moves, after which the new block has two liberties or more, need be played, and
//! a player without one has lost.

use super::AtariGo;
use crate::blocks::{Blocks, Liberties};
use crate::cells::{CellNumber, CellSet};
use crate::stones::{Stones, from_middle};
use zermelo_game::{
    Bits, Bounds, DistanceFacts, Grid, Key, Knowledge, LastMover, MoveList, Rules, Value,
};

/// What is known of Atarigo, with the numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct AtariGoKnowledge<B: CellSet = u64> {
    /// What each point is worth by its place: less on the edge, and among equals the nearer to the middle the better.
    places: B::Table<i32>,
}

impl<B: CellSet> AtariGoKnowledge<B> {
    /// What is known of the game on this board.
    #[must_use]
    pub fn new<K: Key>(rules: &AtariGo<K, B>) -> AtariGoKnowledge<B> {
        let grid = &rules.board.grid;
        let mut places = B::table(0);
        for c in grid.full().cells() {
            places[c as usize] = match grid.neighbours(B::cell(c)).count() {
                0..=2 => -14,
                3 => -8,
                _ => 0,
            } * SCALE
                - from_middle(grid, c);
        }
        AtariGoKnowledge { places }
    }
}

/// What one point of the scores below is worth, so that the distance from the middle only breaks ties.
const SCALE: i32 = 16;

impl<K: Key, B: CellSet> Knowledge<AtariGo<K, B>> for AtariGoKnowledge<B> {
    #[inline(always)]
    fn prunes_candidates(&self) -> bool {
        true
    }

    #[inline(always)]
    fn first_candidate_wins(&self) -> bool {
        true
    }

    fn distance_facts(&self, _: &AtariGo<K, B>) -> DistanceFacts {
        DistanceFacts { last_mover: LastMover::Winner, ..DistanceFacts::default() }
    }

    #[inline]
    fn canonical(&self, rules: &AtariGo<K, B>, p: &Stones<B>) -> Stones<B> {
        rules.symmetry.canonical(p)
    }

    /// Facts 1 to 4.
    #[inline]
    fn static_bounds(&self, rules: &AtariGo<K, B>, p: &Stones<B>) -> Bounds {
        let grid = &rules.board.grid;
        match View::of(grid, p).read(grid) {
            Reading::Won(_) => Bounds::exact(p.turn.sign()),
            Reading::Moves(moves) if moves.is_empty() => Bounds::exact(-p.turn.sign()),
            Reading::Moves(_) => Bounds::new(-1, 1),
        }
    }

    /// Fact 1: a move that captures.
    #[inline]
    fn proving_move(&self, rules: &AtariGo<K, B>, p: &Stones<B>, _: Value) -> Option<B::Cell> {
        let last = Liberties::of(&rules.board.grid, p.you, rules.board.empty(p)).last;
        (!last.is_empty()).then(|| B::Cell::of(last.lowest()))
    }

    /// The sound moves; the others lose. One that leaves the opponent without a sound move wins, by the
    /// same facts: a sound stone leaves no block of mine in atari. First those that touch opposing stones
    /// and leave them few liberties, a little earlier if they give atari: numbers found by coordinate
    /// descent on 5x5, 6x4, 4x6, 7x3 and a position of 6x5; ties and the bonus for atari were chosen on 6x5,
    /// 5x6 and 5x5. (A logistic regression that names a winning move first in 93 of 100 positions, where these do
    /// in 77, takes three times the nodes: it prefers long series of ataris, which win, but late.)
    #[inline]
    fn candidate_moves(
        &self,
        rules: &AtariGo<K, B>,
        p: &Stones<B>,
        out: &mut MoveList<B::Cell>,
    ) -> Value {
        let grid = &rules.board.grid;
        let view = View::of(grid, p);
        let moves = match view.read(grid) {
            Reading::Won(c) => {
                out.push(B::Cell::of(c));
                return 1;
            }
            Reading::Moves(moves) => moves,
        };
        let n = |set: B| set.count() as i32;
        let my_reach = grid.neighbours(p.me);
        for c in moves.cells() {
            let cell = B::cell(c);
            let near = grid.neighbours(cell);
            // The opponent's liberties then: last ones, all, those of the blocks beside the stone.
            let (mut last, mut all, mut touched) = (B::EMPTY, B::EMPTY, B::EMPTY);
            for before in view.yours.iter() {
                let l = before & !cell;
                last |= l & !l.without_lowest().all_if_any();
                all |= l;
                touched |= l & (before & cell).all_if_any();
            }
            if !view.answered(grid, cell, last) {
                out.clear();
                out.push(B::Cell::of(c));
                return 1;
            }
            let score = 21 * n(near & p.you) + 3 * n(near & view.empty)
                - 8 * n(all)
                - 4 * n(touched).min(6)
                + n((my_reach | near) & view.empty & !cell)
                + if !last.is_empty() { 14 } else { 0 };
            out.push_scored(B::Cell::of(c), score * SCALE + self.places[c as usize]);
        }
        -1
    }

    fn plies_left(&self, rules: &AtariGo<K, B>, p: &Stones<B>) -> u32 {
        rules.board.empty(p).count()
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes a
    /// half to a third of the nodes; counted liberties or points of one's own add nothing).
    #[inline]
    fn leaf_numbers(&self, rules: &AtariGo<K, B>, p: &Stones<B>, place: u32) -> Option<(u32, u32)> {
        Some((1, rules.legal(p).count() + 2 * place))
    }

    /// The point, the player and what stands on the four points around it.
    #[inline]
    fn pattern(&self, rules: &AtariGo<K, B>, p: &Stones<B>, m: B::Cell) -> usize {
        let grid = &rules.board.grid;
        let cell = B::cell(m.number());
        let around = [grid.north(cell), grid.south(cell), grid.east(cell), grid.west(cell)];
        // 0 off the board, 1 for an empty point, 2 for a stone of the opponent, 3 for one's own.
        let kind = |near: B| {
            if (near & grid.full()).is_empty() {
                0
            } else if !(near & p.me).is_empty() {
                3
            } else {
                1 + usize::from(!(near & p.you).is_empty())
            }
        };
        let centre = m.number() as usize * 2 + p.turn.index();
        around.iter().fold(centre, |sum, &near| 4 * sum + kind(near))
    }

    fn patterns(&self, rules: &AtariGo<K, B>) -> usize {
        rules.codes() << 9
    }
}

/// The position as the player to move sees it.
struct View<B: CellSet> {
    empty: B,
    mine: Blocks<B>,
    yours: Blocks<B>,
    /// Empty points beside two others: a stone there is sound.
    wide: B,
}

impl<B: CellSet> View<B> {
    #[inline(always)]
    fn of(grid: &Grid<B>, p: &Stones<B>) -> View<B> {
        let empty = grid.full() & !p.all();
        let (mine, yours) = (Blocks::of(grid, p.me, empty), Blocks::of(grid, p.you, empty));
        View { empty, mine, yours, wide: wide(grid, empty) }
    }

    /// The moves worth playing, or the move that wins.
    #[inline(always)]
    fn read(&self, grid: &Grid<B>) -> Reading<B> {
        if self.mine.captured() {
            return Reading::Moves(B::EMPTY);
        }
        let targets = self.yours.liberties().last;
        if !targets.is_empty() {
            return Reading::Won(targets.lowest());
        }
        let last = self.mine.liberties().last;
        let sound = |cell: B| {
            let beside = grid.neighbours(cell) & self.empty;
            !self.mine.joined(cell, beside).without_lowest().is_empty()
        };
        if !last.is_empty() {
            let only = last.without_lowest().is_empty() && sound(last);
            return Reading::Moves(if only { last } else { B::EMPTY });
        }
        let mut moves = self.wide;
        for c in (self.empty & !self.wide).cells() {
            if sound(B::cell(c)) {
                moves |= B::cell(c);
            }
        }
        Reading::Moves(moves)
    }

    /// Whether the opponent has a sound move after a sound stone of mine on `cell`. `last` are the
    /// last liberties of the opponent's blocks then.
    #[inline(always)]
    fn answered(&self, grid: &Grid<B>, cell: B, last: B) -> bool {
        let empty = self.empty & !cell;
        let sound = |c: B| {
            let beside = grid.neighbours(c) & empty;
            !(self.yours.joined(c, beside) & !cell).without_lowest().is_empty()
        };
        if !last.is_empty() {
            return last.without_lowest().is_empty() && sound(last);
        }
        !wide(grid, empty).is_empty() || empty.cells().any(|c| sound(B::cell(c)))
    }
}

/// The points of a set beside two others of it.
#[inline(always)]
fn wide<B: Bits>(grid: &Grid<B>, empty: B) -> B {
    let (n, s) = (grid.north(empty), grid.south(empty));
    let (e, w) = (grid.east(empty), grid.west(empty));
    ((n & s) | (e & w) | ((n | s) & (e | w))) & empty
}

/// The moves worth playing, or who wins.
enum Reading<B> {
    /// Fact 1: a move that captures.
    Won(u32),
    /// Facts 2 to 4: the points where it makes sense to play, maybe none.
    Moves(B),
}
