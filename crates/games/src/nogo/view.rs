//! What the rules say of a NoGo position: who may play where.

use crate::blocks::{Blocks, Liberties};
use crate::cells::CellSet;
use crate::stones::Stones;
use zermelo_game::{Bits, Grid};

/// A position with what each side may play. Sides: 0 is the player to move.
#[derive(Clone, Debug)]
pub struct LegalView<B: CellSet> {
    /// The points without a stone.
    pub empty: B,
    /// Where each side may play.
    pub legal: [B; 2],
    /// The blocks of each side.
    pub blocks: [Blocks<B>; 2],
}

/// Where each side may play: not on the opponent's last liberties, and where there is a liberty left,
/// an empty neighbour or one of a block that has another.
#[inline(always)]
pub(crate) fn legal<B: Bits>(
    grid: &Grid<B>,
    empty: B,
    mine: Liberties<B>,
    yours: Liberties<B>,
) -> [B; 2] {
    let room = grid.neighbours(empty);
    [(room | mine.spare) & empty & !yours.last, (room | yours.spare) & empty & !mine.last]
}

impl<B: CellSet> LegalView<B> {
    /// Looks at a position.
    #[inline(always)]
    pub fn of(grid: &Grid<B>, p: &Stones<B>) -> LegalView<B> {
        let empty = grid.full() & !p.all();
        let mut view = LegalView {
            empty,
            legal: [B::EMPTY; 2],
            blocks: [Blocks::of(grid, p.me, empty), Blocks::of(grid, p.you, empty)],
        };
        let [mine, yours] = [view.blocks[0].liberties(), view.blocks[1].liberties()];
        view.legal = legal(grid, empty, mine, yours);
        view
    }

    /// Where each side may play after a stone of mine on `cell`, a legal point; sides keep their
    /// places.
    #[inline(always)]
    pub fn legal_after(&self, grid: &Grid<B>, cell: B) -> [B; 2] {
        let (mut mine, mut yours) = (Liberties::NONE, Liberties::NONE);
        let mut joined = grid.neighbours(cell) & self.empty;
        for l in self.blocks[0].iter() {
            let joins = (l & cell).all_if_any();
            joined |= l & joins;
            mine.add(l & !joins);
        }
        mine.add(joined & !cell);
        self.blocks[1].iter().for_each(|l| yours.add(l & !cell));
        legal(grid, self.empty & !cell, mine, yours)
    }
}
