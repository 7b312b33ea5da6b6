//! What the rules say of a NoGo position: the liberties of all blocks, and who may play where.
//!
//! The blocks of a position are found once. What a move changes is said without looking for blocks
//! again: the stone joins those that have its point for a liberty, and the opponent's lose it.

use crate::stones::Stones;
use arrayvec::ArrayVec;
use zermelo_game::{Bits, Grid};

/// The most blocks of one side: every second point of the largest board.
const MOST: usize = 32;

/// The blocks of one side, each as the set of its liberties.
#[derive(Clone, Debug)]
pub struct Blocks(ArrayVec<u64, MOST>);

impl Blocks {
    #[inline(always)]
    fn of(grid: &Grid<u64>, stones: u64, empty: u64) -> Blocks {
        let mut blocks = ArrayVec::new_const();
        let mut rest = stones;
        while rest != 0 {
            let block = grid.flood(rest & rest.wrapping_neg(), rest);
            rest &= !block;
            blocks.push(grid.neighbours(block) & empty);
        }
        Blocks(blocks)
    }

    /// The liberties of each block.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

/// All ones if the set is not empty, else 0: for choices that no branch predictor can guess.
#[inline(always)]
fn ones_if(set: u64) -> u64 {
    u64::from(set != 0).wrapping_neg()
}

/// Liberties seen from one side, all blocks together.
#[derive(Clone, Copy, Default, Debug)]
struct Sum {
    /// Last liberties of blocks that have only one.
    last: u64,
    /// Liberties of blocks that have more.
    spare: u64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, liberties: u64) {
        let many = ones_if(liberties.without_lowest());
        self.last |= liberties & !many;
        self.spare |= liberties & many;
    }
}

/// A position with what each side may play. Sides: 0 is the player to move.
#[derive(Clone, Debug)]
pub struct View {
    /// The stones of each side.
    pub stones: [u64; 2],
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
fn legal(grid: &Grid<u64>, empty: u64, mine: Sum, yours: Sum) -> [u64; 2] {
    let room = grid.neighbours(empty);
    [(room | mine.spare) & empty & !yours.last, (room | yours.spare) & empty & !mine.last]
}

impl View {
    /// Looks at a position.
    #[inline(always)]
    pub fn of(grid: &Grid<u64>, p: &Stones) -> View {
        let empty = grid.full() & !p.all();
        let stones = [p.me, p.you];
        let mut view = View {
            stones,
            empty,
            legal: [0; 2],
            blocks: [Blocks::of(grid, p.me, empty), Blocks::of(grid, p.you, empty)],
        };
        let [mut mine, mut yours] = [Sum::default(); 2];
        view.blocks[0].iter().for_each(|l| mine.add(l));
        view.blocks[1].iter().for_each(|l| yours.add(l));
        view.legal = legal(grid, empty, mine, yours);
        view
    }

    /// Whether some block has no liberty, which cannot be: their stones.
    #[must_use]
    pub fn dead(grid: &Grid<u64>, p: &Stones) -> u64 {
        let empty = grid.full() & !p.all();
        let alive = |s: u64| grid.flood(grid.neighbours(empty) & s, s);
        (p.me & !alive(p.me)) | (p.you & !alive(p.you))
    }

    /// The liberties of the block that a stone of mine on `cell` belongs to.
    #[inline(always)]
    pub fn joined(&self, grid: &Grid<u64>, cell: u64) -> u64 {
        let start = grid.neighbours(cell) & self.empty;
        self.blocks[0].iter().fold(start, |all, l| all | (l & ones_if(l & cell))) & !cell
    }

    /// Where each side may play after a stone of mine on `cell`, a legal point; sides keep their
    /// places.
    #[inline(always)]
    pub fn legal_after(&self, grid: &Grid<u64>, cell: u64) -> [u64; 2] {
        let (mut mine, mut yours) = (Sum::default(), Sum::default());
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
