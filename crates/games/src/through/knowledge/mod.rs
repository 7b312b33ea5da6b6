//! What is known of races without search: of the normal game in `normal`, of the misere game in `misere`. `effort`
//! guides proof-number searches.

mod effort;
mod misere;
mod normal;

use super::{Lane, Move, PieceStep, PieceSteps, Through};
use crate::stones::Stones;
use std::marker::PhantomData;
use zermelo_game::{
    Bits, Bounds, DistanceFacts, Key, Knowledge, LastMover, MoveList, Player, Rules, Value,
};

/// What is known of a race on a board, with tables. It needs one property of the pieces: see [`PieceSteps`].
#[derive(Clone, Debug)]
pub struct ThroughKnowledge<S, K> {
    /// From where a side that moves down, and one that moves up, reaches its far row in one step.
    zone: [u64; 2],
    /// The part of the zone in the last row but one.
    rim: [u64; 2],
    /// The last row but one as seen by the side that moves down, and by the one that moves up.
    last_safe: [u64; 2],
    /// Whether a side that has pieces and has not arrived always has a move.
    always_moves: bool,
    /// The largest sum of rows, counted from a side's own first row, that so many of its pieces can
    /// have before one arrives.
    packed: [u16; 64],
    /// The row of each cell as seen by the side that moves down, and by the one that moves up.
    advance: [[u8; 64]; 2],
    /// Bit `i` of the number of a cell's row, for counting steps that are left.
    row_bits: [u64; 4],
    game: PhantomData<(S, K)>,
}

impl<S: PieceSteps, K: Key> ThroughKnowledge<S, K> {
    /// For this game.
    #[must_use]
    pub fn new(rules: &Through<S, K>) -> Self {
        let (g, far, lanes) = (&rules.board.grid, rules.far, &rules.lanes);
        let (rows, cols) = (g.rows(), g.cols());
        let mut zone = [0; 2];
        for (lane, _) in lanes.iter().zip(S::STEPS).filter(|(_, step)| step.takes) {
            zone[0] |= (far[0] & lane.low) << lane.shift;
            zone[1] |= (far[1] & lane.high) >> lane.shift;
        }
        let rim = [zone[0] & g.row(1), zone[1] & g.row(rows - 2)];
        let last_safe = [g.row(1), g.row(rows - 2)];
        let always_moves = g.full().cells().all(|cell| {
            let one_row = |(step, lane): (&PieceStep, &Lane)| {
                step.takes && step.rows == 1 && lane.low.has(cell)
            };
            far[1].has(cell) || S::STEPS.iter().zip(lanes).any(one_row)
        });
        let mut packed = [0; 64];
        for n in 1..packed.len() {
            let full_rows = (n as u32 - 1) / cols;
            packed[n] = packed[n - 1] + (rows - 2).saturating_sub(full_rows) as u16;
        }
        let (mut row_bits, mut advance) = ([0; 4], [[0; 64]; 2]);
        for cell in g.full().cells() {
            advance[0][cell as usize] = (rows - 1 - cell / cols) as u8;
            advance[1][cell as usize] = (cell / cols) as u8;
            for (i, bits) in row_bits.iter_mut().enumerate() {
                *bits |= u64::from((cell / cols) >> i & 1) << cell;
            }
        }
        let game = PhantomData;
        ThroughKnowledge { zone, rim, last_safe, always_moves, packed, advance, row_bits, game }
    }

    /// The sum of the row numbers of the cells.
    #[inline(always)]
    fn rows_of(&self, set: u64) -> u32 {
        (0..4).map(|i| (set & self.row_bits[i]).count() << i).sum()
    }
}

/// What pieces attack and can reach: only knowledge asks for it.
impl<S: PieceSteps, K: Key> Through<S, K> {
    /// The cells on which `pieces` could take.
    #[inline(always)]
    fn attacks(&self, up: bool, pieces: u64) -> u64 {
        let mut out = 0;
        for (i, step) in S::STEPS.iter().enumerate() {
            if step.takes {
                out |= self.shifted(up, pieces, i);
            }
        }
        out
    }

    /// The cells from which a piece could take on one of `cells`.
    #[inline(always)]
    fn attackers(&self, up: bool, cells: u64) -> u64 {
        self.attacks(!up, cells)
    }

    /// The cells to which `pieces` could go if nothing stood in the way.
    #[inline(always)]
    fn span(&self, up: bool, pieces: u64) -> u64 {
        (0..S::STEPS.len()).fold(0, |set, i| set | self.shifted(up, pieces, i))
    }

    /// The first move that ends in `allowed`.
    #[inline(always)]
    fn first_to(&self, up: bool, p: &Stones, allowed: u64) -> Option<Move> {
        (0..S::STEPS.len()).find_map(|i| {
            let ends = self.ends(up, p.me, p.you, i) & allowed;
            (ends != 0).then(|| self.to(up, p, i, ends.lowest()))
        })
    }
}

impl<S: PieceSteps, K: Key> Knowledge<Through<S, K>> for ThroughKnowledge<S, K> {
    fn distance_facts(&self, rules: &Through<S, K>) -> DistanceFacts {
        let last_mover = if rules.misere { LastMover::Loser } else { LastMover::Winner };
        DistanceFacts { last_mover, ..DistanceFacts::default() }
    }

    #[inline(always)]
    fn canonical(&self, rules: &Through<S, K>, p: &Stones) -> Stones {
        rules.canonical_image(p)
    }

    #[inline]
    fn static_bounds(&self, rules: &Through<S, K>, p: &Stones) -> Bounds {
        let seen = match (p.turn, rules.misere) {
            (Player::First, false) => self.judge(rules, true, p),
            (Player::Second, false) => self.judge(rules, false, p),
            (Player::First, true) => self.judge_misere(rules, true, p),
            (Player::Second, true) => self.judge_misere(rules, false, p),
        };
        match seen {
            0 => rules.values(),
            value => Bounds::exact(value * p.turn.sign()),
        }
    }

    #[inline]
    fn proving_move(&self, rules: &Through<S, K>, p: &Stones, _: Value) -> Option<Move> {
        match (p.turn, rules.misere) {
            (Player::First, false) => self.sure(rules, true, p),
            (Player::Second, false) => self.sure(rules, false, p),
            (Player::First, true) => self.sure_misere(rules, true, p),
            (Player::Second, true) => self.sure_misere(rules, false, p),
        }
    }

    #[inline]
    fn candidate_moves(
        &self,
        rules: &Through<S, K>,
        p: &Stones,
        out: &mut MoveList<Move>,
    ) -> Value {
        match (p.turn, rules.misere) {
            (Player::First, false) => self.useful(rules, true, p, out),
            (Player::Second, false) => self.useful(rules, false, p, out),
            (Player::First, true) => self.useful_misere(rules, true, p, out),
            (Player::Second, true) => self.useful_misere(rules, false, p, out),
        }
        -1
    }

    #[inline]
    fn leaf_numbers(&self, rules: &Through<S, K>, p: &Stones, place: u32) -> Option<(u32, u32)> {
        Some(match p.turn {
            Player::First => self.effort(rules, true, p, place),
            Player::Second => self.effort(rules, false, p, place),
        })
    }

    /// Every move brings a piece at least one row nearer to its far row.
    #[inline]
    fn plies_left(&self, rules: &Through<S, K>, p: &Stones) -> u32 {
        let (first, second) = (p.of(Player::First), p.of(Player::Second));
        let last = rules.board.grid.rows() - 1;
        last * first.count() - self.rows_of(first) + self.rows_of(second)
    }

    /// The code says all: where from, where to, whether it takes, and whose move it is.
    #[inline(always)]
    fn pattern(&self, _: &Through<S, K>, _: &Stones, m: Move) -> usize {
        m.into()
    }

    fn patterns(&self, rules: &Through<S, K>) -> usize {
        rules.codes()
    }
}
