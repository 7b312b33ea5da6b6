//! What is known of a NoGo position without search, and in which order moves are tried.
//!
//! All moves of a node are looked at: where both sides may play afterwards follows from the liberties
//! before, and tells whether so few points are left that the game is decided
//! ([`endgame`]).
//!
//! **Order.** What counts is how many points only I may play, how many only the opponent, and how
//! many both: each of mine is a move in hand. Away from the edge, not beside own stones but
//! diagonally from them, is where such points come from. The numbers come from two steps: a
//! logistic regression of won moves against lost ones, on some thousand positions of 20 to 25 points
//! of which half are still empty, and then coordinate descent on nodes, on the boards of 18 to 21
//! points (3x6, 4x5 and 3x7, both ways round) and on two positions of 5x5 with five stones.

use super::NoGo;
use super::endgame::{self, Endgame};
use super::view::LegalView;
use crate::cells::{CellNumber, CellSet, Stack};
use crate::stones::Stones;
use zermelo_game::{Bits, Bounds, DistanceFacts, Grid, Key, Knowledge, LastMover, MoveList, Value};

/// What is known of NoGo, with the numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct NoGoKnowledge<B: CellSet = u64> {
    /// The points diagonally beside each point.
    diagonal: B::Table<B>,
    /// What each point is worth by its place.
    place: B::Table<i32>,
}

impl<B: CellSet> NoGoKnowledge<B> {
    /// What is known of the game on this board.
    #[must_use]
    pub fn new<K: Key>(rules: &NoGo<K, B>) -> NoGoKnowledge<B> {
        let grid = &rules.board.grid;
        let (mut diagonal, mut place) = (B::table(B::EMPTY), B::table(0));
        for c in grid.full().cells() {
            let (above, below) = (grid.north(B::cell(c)), grid.south(B::cell(c)));
            diagonal[c as usize] = grid.east(above | below) | grid.west(above | below);
            place[c as usize] = match grid.neighbours(B::cell(c)).count() {
                0..=2 => -36,
                3 => -10,
                _ => 0,
            };
        }
        NoGoKnowledge { diagonal, place }
    }
}

impl<K: Key, B: CellSet> Knowledge<NoGo<K, B>> for NoGoKnowledge<B> {
    #[inline(always)]
    fn prunes_candidates(&self) -> bool {
        true
    }

    #[inline(always)]
    fn first_candidate_wins(&self) -> bool {
        true
    }

    fn distance_facts(&self, _: &NoGo<K, B>) -> DistanceFacts {
        DistanceFacts { last_mover: LastMover::Winner, ..DistanceFacts::default() }
    }

    #[inline]
    fn canonical(&self, rules: &NoGo<K, B>, p: &Stones<B>) -> Stones<B> {
        rules.symmetry.canonical(p)
    }

    /// The end of the game, and the last few points.
    #[inline]
    fn static_bounds(&self, rules: &NoGo<K, B>, p: &Stones<B>) -> Bounds {
        let grid = &rules.board.grid;
        let view = LegalView::of(grid, p);
        if view.legal[0].is_empty() {
            return Bounds::exact(-p.turn.sign());
        }
        match last_points(grid, &view) {
            Some(e) if e.winner(0).is_some() => Bounds::exact(p.turn.sign()),
            Some(_) => Bounds::exact(-p.turn.sign()),
            None => Bounds::new(-1, 1),
        }
    }

    /// A move that wins among the last few points.
    #[inline]
    fn proving_move(&self, rules: &NoGo<K, B>, p: &Stones<B>, _: Value) -> Option<B::Cell> {
        let grid = &rules.board.grid;
        let view = LegalView::of(grid, p);
        let point = last_points(grid, &view)?.tightest()?;
        let open = view.legal[0] | view.legal[1];
        Some(B::Cell::of((0..point).fold(open, |rest, _| rest.without_lowest()).lowest()))
    }

    /// The moves that the last few points do not decide, or the win if one of those does.
    #[inline]
    fn candidate_moves(
        &self,
        rules: &NoGo<K, B>,
        p: &Stones<B>,
        out: &mut MoveList<B::Cell>,
    ) -> Value {
        let grid = &rules.board.grid;
        let n = |set: B| set.count() as i32;
        let now = LegalView::of(grid, p);
        let touched = grid.neighbours(p.me);
        // There are few such moves: one closes its point and at most four beside it, four last liberties of opposing
        // blocks, and the last liberty of the own block.
        let mut late: B::List<Late<B>> = B::List::default();
        for cell in now.legal[0].cells() {
            let [me, you] = now.legal_after(grid, B::cell(cell));
            if you.is_empty() {
                return won(cell, out);
            }
            let (both, mine, yours) = (n(me & you), n(me & !you), n(you & !me));
            let score = 21 * mine - 31 * yours - 8 * both
                + 7 * n(self.diagonal[cell as usize] & p.me)
                - 27 * i32::from(touched.has(cell))
                + self.place[cell as usize];
            if (both + mine + yours) as u32 > endgame::MOST {
                out.push_scored(B::Cell::of(cell), score);
            } else {
                late.push(Late { cell, score, open: me | you });
            }
        }
        // The best first, for one win is enough; and an answer that refutes one move is tried first
        // against the next.
        let mut answer = B::EMPTY;
        while !late.is_empty() {
            let best =
                (1..late.len()).fold(0, |b, i| if late[i].score > late[b].score { i } else { b });
            let Late { cell, score, open } = late.swap_remove(best);
            match after(grid, &now, B::cell(cell), open).map(|e| e.winner(rank(open, answer))) {
                Some(Some(point)) => {
                    let rest = (0..point).fold(open, |rest, _| rest.without_lowest());
                    answer = rest.lowest_alone();
                }
                Some(None) => return won(cell, out),
                None => out.push_scored(B::Cell::of(cell), score),
            }
        }
        -1
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes a
    /// half to a third of the nodes; counted liberties or points of one's own add nothing).
    #[inline]
    fn leaf_numbers(&self, rules: &NoGo<K, B>, p: &Stones<B>, place: u32) -> Option<(u32, u32)> {
        Some((1, rules.legal(p).count() + 2 * place))
    }

    fn plies_left(&self, rules: &NoGo<K, B>, p: &Stones<B>) -> u32 {
        rules.board.empty(p).count()
    }
}

/// A move that leaves few open points.
#[derive(Clone, Debug)]
struct Late<B> {
    cell: u32,
    score: i32,
    open: B,
}

/// The last few points, if no more are left.
#[inline(always)]
fn last_points<B: CellSet>(grid: &Grid<B>, view: &LegalView<B>) -> Option<Endgame> {
    let open = view.legal[0] | view.legal[1];
    if open.count() > endgame::MOST {
        return None;
    }
    let [mine, yours] = view.blocks.each_ref().map(|b| b.iter());
    Endgame::new(grid, open, view.empty & !open, mine, yours)
}

#[inline]
fn won<C: CellNumber>(cell: u32, out: &mut MoveList<C>) -> Value {
    out.clear();
    out.push(C::of(cell));
    1
}

/// The point of an endgame that one cell is; 0 if it is none of the open ones.
#[inline(always)]
fn rank<B: Bits>(open: B, cell: B) -> u64 {
    if (open & cell).is_empty() { 0 } else { 1 << (open & cell.below()).count() }
}

/// The endgame after a stone on `cell`, seen by the opponent.
#[inline(always)]
fn after<B: CellSet>(grid: &Grid<B>, now: &LegalView<B>, cell: B, open: B) -> Option<Endgame> {
    let joined = now.blocks[0].joined(cell, grid.neighbours(cell) & now.empty);
    let mine = now.blocks[0].iter().filter(|&l| (l & cell).is_empty()).chain([joined]);
    let yours = now.blocks[1].iter().map(|l| l & !cell);
    Endgame::new(grid, open, now.empty & !cell & !open, yours, mine)
}
