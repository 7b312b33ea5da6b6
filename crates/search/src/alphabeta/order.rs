//! What a thread learns about the order of moves: killers and history.
//!
//! A game's own score goes first; among moves with equal scores, a killer (a move that cut at the
//! same ply before) goes before the others, which are ranked by history: a move that cuts after `i`
//! others have failed gains `i`, and each of those loses one (as in Tromp's Fhourstones).
//!
//! After Monte-Carlo playouts the game's score still goes first. Among moves with equal scores, where the
//! playouts know the position well, those they visited most come first; elsewhere the learned weight
//! of a move's pattern is added to its history. Visits before scores, or weights on the scale of
//! scores, were tried and cost nodes wherever a game has a good order of its own (NoGo 5x4: 1.3 M
//! nodes against 3.5 M); where a game has none, all scores are equal and this is the order of
//! Cazenave's Monte Carlo Game Solver (2020).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::Player;

/// History is kept within this distance of zero.
const MAX_HISTORY: i32 = 0x3FFF;
/// What a killer gains; less than one point of a game's score.
const KILLER: i32 = 0x7FFF;
/// Scores of games beyond this are cut down to it.
const MAX_SCORE: i32 = 0x3FFF;

/// The largest share of visits; with [`MAX_HISTORY`] less than one point of a game's score.
pub const MAX_SHARE: i32 = 0x7FFE;

/// What playouts say about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advice {
    /// Its share of the visits, in a position that is known well.
    Share(i32),
    /// The weight of its pattern.
    Weight(i32),
}

/// The order of one thread.
#[derive(Clone, Debug)]
pub struct Order {
    history: [Vec<i32>; 2],
    killers: Vec<[u32; 2]>,
}

impl Order {
    /// Knows nothing yet. A seed other than 0 starts with small random preferences.
    #[must_use]
    pub fn new(codes: usize, seed: u64) -> Order {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut start = || match seed {
            0 => vec![0; codes],
            _ => (0..codes).map(|_| rng.random_range(0..16)).collect(),
        };
        Order { history: [start(), start()], killers: Vec::new() }
    }

    /// Forgets the killers: they belong to the plies of one search.
    pub fn forget_killers(&mut self) {
        self.killers.clear();
    }

    /// The rank of a move: one that the table hints at comes first; else the game's score counts, then
    /// what was learned.
    #[inline(always)]
    pub fn rank(&self, hinted: bool, player: Player, ply: usize, code: u32, score: i32) -> i32 {
        if hinted {
            return i32::MAX;
        }
        let killer = self.killers.get(ply).is_some_and(|k| k.contains(&code));
        (score.clamp(-MAX_SCORE, MAX_SCORE) << 16)
            + self.history[player.index()][code as usize]
            + if killer { KILLER } else { 0 }
    }

    /// The rank of a move that playouts taught something about: the game's score first; then, where the
    /// position was visited often, the share of the visits that the move got (in units of
    /// [`MAX_SHARE`]); elsewhere the weight of its pattern beside what was learned here.
    #[inline(always)]
    pub fn taught(&self, player: Player, ply: usize, code: u32, score: i32, advice: Advice) -> i32 {
        let history = self.history[player.index()][code as usize];
        let learned = match advice {
            Advice::Share(share) if share > 0 => MAX_HISTORY + 1 + share,
            Advice::Share(_) => history,
            Advice::Weight(weight) => {
                let killer = self.killers.get(ply).is_some_and(|k| k.contains(&code));
                let sum = (history + weight).clamp(-MAX_HISTORY, MAX_HISTORY);
                sum + if killer { KILLER } else { 0 }
            }
        };
        (score.clamp(-MAX_SCORE, MAX_SCORE) << 16) + learned
    }

    /// A move has cut, after `failed` others did not.
    #[inline(always)]
    pub fn cut(
        &mut self,
        player: Player,
        ply: usize,
        code: u32,
        failed: impl ExactSizeIterator<Item = u32>,
    ) {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [u32::MAX; 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != code {
            *killers = [code, killers[0]];
        }
        let history = &mut self.history[player.index()];
        let gain = failed.len() as i32;
        if gain == 0 {
            return;
        }
        for other in failed {
            let h = &mut history[other as usize];
            *h = (*h - 1).max(-MAX_HISTORY);
        }
        let h = &mut history[code as usize];
        *h = (*h + gain).min(MAX_HISTORY);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn scores_outrank_killers_and_killers_outrank_history() {
        let mut order = Order::new(4, 0);
        for _ in 0..100_000 {
            order.cut(Player::First, 9, 3, [1, 2].into_iter());
        }
        order.cut(Player::First, 5, 2, std::iter::empty());
        let rank = |code, score| order.rank(false, Player::First, 5, code, score);
        assert!(rank(3, 0) > rank(0, 0) && rank(0, 0) > rank(1, 0));
        assert!(rank(2, 0) > rank(3, 0), "a killer goes before history");
        assert!(rank(1, 1) > rank(2, 0), "a score goes before both");
        assert_eq!(order.rank(true, Player::First, 5, 1, -9), i32::MAX, "a hint goes before all");
        assert_eq!(order.rank(false, Player::Second, 1, 3, 0), 0, "players learn apart");
    }

    #[test]
    fn scores_outrank_visits_and_visits_outrank_the_rest() {
        let mut order = Order::new(4, 0);
        for _ in 0..100_000 {
            order.cut(Player::First, 5, 3, [1, 2].into_iter());
        }
        let rank = |code, score, advice| order.taught(Player::First, 5, code, score, advice);
        let (share, weight) = (Advice::Share, Advice::Weight);
        assert!(rank(1, 0, share(2)) > rank(1, 0, share(1)));
        assert!(rank(1, 0, share(1)) > rank(3, 0, share(0)), "visited before learned");
        assert!(rank(1, 1, share(0)) > rank(3, 0, share(MAX_SHARE)), "scores before visits");
        assert!(rank(0, 0, weight(9)) > rank(0, 0, weight(-9)));
        assert!(rank(1, 1, weight(-5120)) > rank(3, 0, weight(5120)), "scores before weights");
    }
}
