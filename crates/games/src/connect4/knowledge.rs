//! What can be said of a Connect Four position without search.
//!
//! Two kinds of knowledge. *Threats*: an empty cell with which a side would complete a four; those
//! that can be reached now decide a position at once or force the reply, the others say below which
//! cells nobody can play. *Pairings*: who answers every stone with the cell above it decides who
//! gets which cell for the rest of the game (zugzwang). Allis (A Knowledge-based Approach of
//! Connect-Four, 1988) made such rules into proofs by choosing among many of them; here there is
//! one pairing of the whole board, tested at every position.

use super::{Connect4, Position};
use zermelo_game::{
    Bits, Bounds, DistanceFacts, Knowledge, LastMover, MoveList, Rules, Soon, Value,
};

/// A loss, a draw and a win, for the player in question.
const LOSS: Value = -1;
const DRAW: Value = 0;
const WIN: Value = 1;

/// What a new threat is worth beside the lines through a cell (3 to 13 on the usual board), and
/// what it costs to play under a threat of one's own, which lets the opponent stop it.
const THREAT: i32 = 4;
const WASTE: i32 = 8;

/// What is known of Connect Four, with the numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct Connect4Knowledge {
    /// The guard bits.
    guards: u64,
    /// The top row, and every second row below it.
    tops: u64,
    /// For each cell, the number of lines of four through it: large in the middle.
    centre: [u8; 64],
}

impl Connect4Knowledge {
    /// What is known of the game on this board.
    #[must_use]
    pub fn new<const ROWS: u32>(rules: &Connect4<ROWS>) -> Connect4Knowledge {
        let height = rules.rows();
        let row = |r: u32| rules.bottom << r;
        let tops = (0..height).filter(|r| r % 2 == (height - 1) % 2).fold(0, |b, r| b | row(r));
        Connect4Knowledge { guards: row(height), tops, centre: lines_through(rules) }
    }

    /// What `x` is sure of against `o` by a plan that answers every stone, and the cell it begins with if x is to move.
    /// `x_moves` says whether it is x's turn; neither side can win with its next stone.
    ///
    /// *The cells to be played.* In a column where x has a threat, x stops two cells below the
    /// lowest one: when o plays the cell under it, x wins. x itself never plays there. The cells
    /// below that one, or all empty cells of a column without threat, are *played*. (Threats on
    /// landings are no use: o stops them. They are treated as cells like others.)
    ///
    /// *The plan*, with o to move and an even number of played cells, so that an even number of
    /// columns is odd (has an odd number of played cells): if o plays the lowest cell of an odd
    /// column that nobody has touched, x plays the lowest cell of another one, which makes both
    /// even; if o plays elsewhere, x plays the cell above. The answer is always there: at o's turn,
    /// every column that was touched is even, and an even number of odd ones is untouched.
    ///
    /// *What o gets.* Counted from the top of the played part, x has the first cell, o the second,
    /// and so on, except that the lowest cell of an odd column may be anyone's. So o's stones stay
    /// within `os`: its stones now, those second cells, the lowest cells of odd columns, and the
    /// cells under x's threats (where o could win instead of losing). If `os` holds no four, o never
    /// wins: at least a draw. If there is a threat, o runs out of played cells at last and has to
    /// play under it: a win. Otherwise the board fills up, and if x's stones and the cells it is
    /// sure of hold a four, x has won on the way.
    ///
    /// If two columns are odd, o gets only one of their lowest cells: the two cases are tested
    /// apart. If x is to move, the number of played cells has to be odd: x first takes the lowest
    /// cell of an odd column, any that makes the plan work.
    ///
    /// *Parity.* The top of a column that is played to the end is a cell of `tops`, and so is, in
    /// effect, that of a column with a threat on a cell of `tops`. A threat on one of the other
    /// rows shifts its column by one; an odd number of such columns turns the count of played
    /// cells around. This is the odd threat that the first player needs on boards with an even
    /// number of rows. If the count is wrong because of such threats, x ignores one of them.
    #[inline(always)]
    fn by_pairing<const ROWS: u32>(
        &self,
        rules: &Connect4<ROWS>,
        free: &Free,
        x: u64,
        o: u64,
        threats: u64,
        x_moves: bool,
    ) -> (Value, u64) {
        let Free { empty, landings } = *free;
        let mut threats = threats & empty & !landings;
        // The lowest marked cell of each column, its guard bit if there is none.
        let lowest = |set: u64| (set | self.guards) & !((set | self.guards) - rules.bottom);
        let mut shifts = lowest(threats) & rules.cells & !self.tops;
        if (shifts.count_ones() ^ empty.count_ones() ^ u32::from(x_moves)) & 1 != 0 {
            if shifts == 0 {
                return (LOSS, 0);
            }
            let ignored = shifts.lowest();
            threats &= !rules.column(ignored);
            shifts = shifts.without_lowest();
        }
        let xs = shifts.cells().fold(self.tops, |xs, cell| xs ^ rules.column(cell));
        let under = (lowest(threats) & rules.cells) >> 1;
        let stop = under | self.guards;
        let played = (stop - rules.bottom) & !stop & empty;
        let os = o | (played & !xs) | under;
        let odd = played & xs & landings;
        let fails = |odd: u64| rules.has_four(os | odd);
        let first = if x_moves {
            match odd.cells().map(u64::cell).find(|&cell| !fails(odd ^ cell)) {
                Some(cell) => cell,
                None => return (LOSS, 0),
            }
        } else {
            if fails(odd) {
                let one = odd & odd.wrapping_neg();
                if odd.count_ones() != 2 || fails(one) || fails(odd ^ one) {
                    return (LOSS, 0);
                }
            }
            0
        };
        let sure = x | first | (played & xs & !landings);
        (if threats != 0 || rules.has_four(sure) { WIN } else { DRAW }, first)
    }
}

impl<const ROWS: u32> Knowledge<Connect4<ROWS>> for Connect4Knowledge {
    fn distance_facts(&self, _: &Connect4<ROWS>) -> DistanceFacts {
        DistanceFacts { last_mover: LastMover::Winner, ..DistanceFacts::default() }
    }

    #[inline]
    fn canonical(&self, rules: &Connect4<ROWS>, p: &Position) -> Position {
        rules.canonical_image(p)
    }

    /// Cheapest reasons first.
    #[inline]
    fn static_bounds(&self, rules: &Connect4<ROWS>, p: &Position) -> Bounds {
        let turn = rules.turn(p);
        let (me, you) = (p.me, p.you());
        let seen = |lo, hi| Bounds { lo, hi }.seen_by(turn);
        let threats = rules.completions(you);
        if threats & you != 0 {
            return seen(LOSS, LOSS);
        }
        let landings = rules.landings(p.all);
        if landings == 0 {
            return seen(DRAW, DRAW);
        }
        let chances = rules.completions(me);
        if chances & landings != 0 {
            return seen(WIN, WIN);
        }
        if rules.safe(landings, threats) == 0 {
            return seen(LOSS, LOSS);
        }
        let free = Free { empty: rules.cells & !p.all, landings };
        let mut lo = self.by_pairing(rules, &free, me, you, chances, true).0;
        let mut hi = -self.by_pairing(rules, &free, you, me, threats, false).0;
        // Who has no line left that is free of enemy stones cannot win.
        if lo == LOSS && !rules.has_four(you | free.empty) {
            lo = DRAW;
        }
        if hi == WIN && !rules.has_four(me | free.empty) {
            hi = DRAW;
        }
        seen(lo, hi)
    }

    /// A move that keeps what the static bounds promise the player to move, by the same bounds: four in a row at once, or
    /// a step of the plan. Whoever goes by the plan from the start plays above the opponent's stones wherever that makes a
    /// column even, and meets few positions.
    #[inline]
    fn proving_move(&self, rules: &Connect4<ROWS>, p: &Position, value: Value) -> Option<u8> {
        let turn = rules.turn(p);
        let landings = rules.landings(p.all);
        let chances = rules.completions(p.me);
        let wins = chances & landings;
        if wins != 0 {
            return Some(wins.lowest() as u8);
        }
        if self.static_bounds(rules, p).seen_by(turn).lo < value {
            return None;
        }
        let free = Free { empty: rules.cells & !p.all, landings };
        let first = self.by_pairing(rules, &free, p.me, p.you(), chances, true).1;
        // Columns with an odd number of empty cells.
        let odd = landings & self.tops;
        let above = odd & p.you() << 1;
        let keeps = |cell: &u32| {
            self.static_bounds(rules, &rules.play(p, *cell as u8)).seen_by(turn).lo >= value
        };
        let tries = [above, first & !above, odd & !above & !first, landings & !odd & !first];
        tries.into_iter().flat_map(|set| set.cells()).find(keeps).map(|cell| cell as u8)
    }

    /// The moves that do not lose at once: new threats and cells on many lines first. All others
    /// lose, which the returned value says. (Nobody can win at once here, or the static bounds were
    /// exact.)
    #[inline]
    fn candidate_moves(
        &self,
        rules: &Connect4<ROWS>,
        p: &Position,
        out: &mut MoveList<u8>,
    ) -> Value {
        let threats = rules.completions(p.you());
        let free = rules.cells & !p.all;
        let under = (rules.completions(p.me) & free) >> 1;
        for cell in rules.safe(rules.landings(p.all), threats).cells() {
            let chances = rules.completions(p.me | u64::cell(cell)) & free & !threats;
            let score = i32::from(self.centre[cell as usize]) + THREAT * chances.count() as i32
                - if under.has(cell) { WASTE } else { 0 };
            out.push_scored(cell as u8, score);
        }
        LOSS
    }

    /// Four in a row now; or nothing against two threats of the opponent, who then wins with the next stone; else the moves that do
    /// not lose at once, in the order of the candidates. While a column is open some move is legal.
    #[inline]
    fn distance_moves(
        &self,
        rules: &Connect4<ROWS>,
        p: &Position,
        out: &mut MoveList<u8>,
    ) -> Option<Soon> {
        let landings = rules.landings(p.all);
        let wins = rules.completions(p.me) & landings;
        if wins != 0 {
            out.push(wins.lowest() as u8);
            return Some(Soon::Wins(1));
        }
        self.candidate_moves(rules, p, out);
        if out.is_empty() {
            out.push(landings.lowest() as u8);
            return Some(Soon::Loses(2));
        }
        Some(Soon::Open)
    }

    #[inline]
    fn plies_left(&self, rules: &Connect4<ROWS>, p: &Position) -> u32 {
        (rules.cells & !p.all).count_ones()
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes half of
    /// the nodes on 5x5).
    #[inline]
    fn leaf_numbers(&self, rules: &Connect4<ROWS>, p: &Position, place: u32) -> Option<(u32, u32)> {
        Some((1, rules.landings(p.all).count() + 4 * place))
    }
}

/// The number of lines of four through each cell.
fn lines_through<const ROWS: u32>(rules: &Connect4<ROWS>) -> [u8; 64] {
    let mut count = [0; 64];
    let s = rules.stride();
    for cell in rules.cells.cells() {
        for step in [1, s - 1, s, s + 1] {
            let line = (0..4).fold(0u128, |l, i| l | 1 << (cell + i * step));
            if line & !u128::from(rules.cells) == 0 {
                line.cells().for_each(|c| count[c as usize] += 1);
            }
        }
    }
    count
}

/// Sets of cells that only knowledge needs.
impl<const ROWS: u32> Connect4<ROWS> {
    /// The cells that would complete four in a row with three of these stones, be they empty or
    /// not, and some guard bits. There is a stone among them exactly if there is a four already.
    #[inline(always)]
    fn completions(&self, stones: u64) -> u64 {
        // The same for all four directions, so that processors work on all of them at once.
        let steps = self.steps();
        let [a, b, c, d] = std::array::from_fn(|d| {
            let step = steps[d];
            let above = (stones << step) & (stones << (2 * step));
            let below = (stones >> step) & (stones >> (2 * step));
            let up = above & ((stones << (3 * step)) | (stones >> step));
            up | below & ((stones >> (3 * step)) | (stones << step))
        });
        (a | b) | (c | d)
    }

    /// The landings after which the opponent, who has these threats, does not win at once: not
    /// under a threat; and where a threat can be carried out now, only there. Two of them cannot be
    /// stopped.
    #[inline(always)]
    fn safe(&self, landings: u64, threats: u64) -> u64 {
        let now = landings & threats;
        let stopping = match now {
            0 => landings,
            _ if now & (now - 1) == 0 => now,
            _ => 0,
        };
        stopping & !((threats & self.cells) >> 1)
    }

    /// The column of a cell.
    #[inline(always)]
    fn column(&self, cell: u32) -> u64 {
        let s = self.stride();
        ((1u64 << self.rows()) - 1) << (cell / s * s)
    }
}

/// Where stones can still go.
struct Free {
    empty: u64,
    /// Where they can go now.
    landings: u64,
}
