//! What a thread learns about the order of moves: killers and history.
//!
//! A game's own score goes first; among moves with equal scores, a killer (a move that cut at the
//! same ply before) goes before the others, which are ranked by history: a move that cuts after `i`
//! others have failed gains `i`, and each of those loses one (as in Tromp's Fhourstones).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::Player;

/// History is kept within this distance of zero.
const MAX_HISTORY: i32 = 0x3FFF;
/// What a killer gains; less than one point of a game's score.
const KILLER: i32 = 0x7FFF;
/// Scores of games beyond this are cut down to it.
const MAX_SCORE: i32 = 0x3FFF;

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

    /// The rank of a move: the game's score first, then what was learned.
    #[inline(always)]
    pub fn rank(&self, player: Player, ply: usize, code: u32, score: i32) -> i32 {
        let killer = self.killers.get(ply).is_some_and(|k| k.contains(&code));
        (score.clamp(-MAX_SCORE, MAX_SCORE) << 16)
            + self.history[player.index()][code as usize]
            + if killer { KILLER } else { 0 }
    }

    /// TEMP
    #[inline(always)]
    pub fn taught(
        &self,
        player: Player,
        ply: usize,
        code: u32,
        score: i32,
        weight: i32,
        visits: u32,
    ) -> i32 {
        static MODE: std::sync::OnceLock<i32> = std::sync::OnceLock::new();
        let mode = *MODE.get_or_init(|| std::env::var("MODE").map_or(0, |s| s.parse().unwrap()));
        if visits > 0 && mode & 8 == 0 {
            return 0x4000_0000 + visits as i32;
        }
        let rank = self.rank(player, ply, code, score);
        match mode & 7 {
            0 => rank,
            1 => rank - self.history[player.index()][code as usize] + weight,
            2 => rank + weight,
            3 => rank + (weight << 6),
            4 => rank + (weight << 8),
            5 => rank + (weight << 10),
            6 => (weight << 15) + self.history[player.index()][code as usize],
            _ => rank + (weight << 12),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_outrank_killers_and_killers_outrank_history() {
        let mut order = Order::new(4, 0);
        for _ in 0..100_000 {
            order.cut(Player::First, 9, 3, [1, 2].into_iter());
        }
        order.cut(Player::First, 5, 2, std::iter::empty());
        let rank = |code, score| order.rank(Player::First, 5, code, score);
        assert!(rank(3, 0) > rank(0, 0) && rank(0, 0) > rank(1, 0));
        assert!(rank(2, 0) > rank(3, 0), "a killer goes before history");
        assert!(rank(1, 1) > rank(2, 0), "a score goes before both");
        assert_eq!(order.rank(Player::Second, 1, 3, 0), 0, "players learn apart");
    }
}
