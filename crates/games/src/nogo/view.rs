//! What the rules say of a NoGo position: who may play where.

use crate::blocks::{Blocks, Liberties, ones_if};
use crate::stones::Stones;
use zermelo_game::Grid;

/// A position with what each side may play. Sides: 0 is the player to move.
#[derive(Clone, Debug)]
pub struct View {
    /// The points without a stone.
    pub empty: u64,
    /// Where each side may play.
    pub legal: [u64; 2],
    /// The blocks of each side.
    pub blocks: [Blocks; 2],
}

/// Where each side may play: not on the opponent's last liberties, and where there is a liberty left,
/// an empty neighbour or one of a block that has another.
#[inline(always)]
pub(crate) fn legal(grid: &Grid<u64>, empty: u64, mine: Liberties, yours: Liberties) -> [u64; 2] {
    let room = grid.neighbours(empty);
    [(room | mine.spare) & empty & !yours.last, (room | yours.spare) & empty & !mine.last]
}

impl View {
    /// Looks at a position.
    #[inline(always)]
    pub fn of(grid: &Grid<u64>, p: &Stones) -> View {
        let empty = grid.full() & !p.all();
        let mut view = View {
            empty,
            legal: [0; 2],
            blocks: [Blocks::of(grid, p.me, empty), Blocks::of(grid, p.you, empty)],
        };
        let [mine, yours] = [view.blocks[0].liberties(), view.blocks[1].liberties()];
        view.legal = legal(grid, empty, mine, yours);
        view
    }

    /// Where each side may play after a stone of mine on `cell`, a legal point; sides keep their
    /// places.
    #[inline(always)]
    pub fn legal_after(&self, grid: &Grid<u64>, cell: u64) -> [u64; 2] {
        let (mut mine, mut yours) = (Liberties::default(), Liberties::default());
        let mut joined = grid.neighbours(cell) & self.empty;
        for l in self.blocks[0].iter() {
            let joins = ones_if(l & cell);
            joined |= l & joins;
            mine.add(l & !joins);
        }
        mine.add(joined & !cell);
        self.blocks[1].iter().for_each(|l| yours.add(l & !cell));
        legal(grid, self.empty & !cell, mine, yours)
    }
}
