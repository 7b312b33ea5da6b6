//! The policy of playouts: a weight for every pattern of move, learned online.
//!
//! Playouts draw moves with probabilities proportional to the exponential of their weights (softmax).
//! After each playout the winner's moves gain and the other moves of the same positions lose (playout
//! policy adaptation with move features, Cazenave 2016): a step along the gradient of the logarithm of
//! the probability that the winner plays as it did.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Weights stay within this distance of 0, so that sums of exponentials neither overflow nor vanish.
/// Learning slows down by itself long before.
const MAX_WEIGHT: f32 = 40.0;

/// Weights of patterns.
#[derive(Clone, Debug)]
pub struct Policy {
    weights: Vec<f32>,
    /// The exponentials of the weights.
    odds: Vec<f32>,
    /// What an adaptation in progress has added to the weights, and where.
    change: Vec<f32>,
    touched: Vec<u32>,
}

impl Policy {
    /// All patterns alike.
    #[must_use]
    pub fn new(patterns: usize) -> Policy {
        Policy {
            weights: vec![0.0; patterns],
            odds: vec![1.0; patterns],
            change: vec![0.0; patterns],
            touched: Vec::new(),
        }
    }

    /// The weight of a pattern.
    #[must_use]
    #[inline]
    pub fn weight(&self, pattern: u32) -> f32 {
        self.weights[pattern as usize]
    }

    /// All weights.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Draws one of the moves with these patterns; there is at least one.
    #[inline]
    pub fn draw(&self, patterns: &[u32], rng: &mut Xoshiro256PlusPlus) -> usize {
        let total: f32 = patterns.iter().map(|&m| self.odds[m as usize]).sum();
        let mut point = rng.random::<f32>() * total;
        for (i, &m) in patterns.iter().enumerate() {
            point -= self.odds[m as usize];
            if point < 0.0 {
                return i;
            }
        }
        patterns.len() - 1 // rounding
    }

    /// Notes that the winner chose `chosen` among moves with these patterns. Nothing changes before
    /// [`adapt`](Self::adapt), so that all notes of a playout are judged by the policy it was played with.
    #[inline]
    pub fn note(&mut self, chosen: u32, patterns: &[u32], alpha: f32) {
        let total: f32 = patterns.iter().map(|&m| self.odds[m as usize]).sum();
        let share = alpha / total;
        self.change[chosen as usize] += alpha;
        for &m in patterns {
            self.change[m as usize] -= share * self.odds[m as usize];
        }
        self.touched.extend_from_slice(patterns);
    }

    /// Makes the noted changes.
    #[inline]
    pub fn adapt(&mut self) {
        for &m in &self.touched {
            let m = m as usize;
            // A pattern may have been touched several times; its change is made once.
            if self.change[m] != 0.0 {
                let weight = &mut self.weights[m];
                *weight = (*weight + self.change[m]).clamp(-MAX_WEIGHT, MAX_WEIGHT);
                self.odds[m] = weight.exp();
                self.change[m] = 0.0;
            }
        }
        self.touched.clear();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn near(found: f32, wanted: f32) {
        assert!((found - wanted).abs() < 1e-4, "{found} instead of {wanted}");
    }

    /// Two positions of the winner, worked out by hand. First it chose 0 among {0, 1, 2}: +1 for 0, then
    /// -1/3 for each. Then 1 among {1, 2}, still under the old policy: +1 for 1, then -1/2 for each.
    #[test]
    fn adaptation_by_hand() {
        let mut policy = Policy::new(4);
        policy.note(0, &[0, 1, 2], 1.0);
        policy.note(1, &[1, 2], 1.0);
        assert_eq!(policy.weights(), [0.0; 4], "a note changes nothing yet");
        policy.adapt();
        near(policy.weight(0), 2.0 / 3.0);
        near(policy.weight(1), 1.0 / 6.0);
        near(policy.weight(2), -5.0 / 6.0);
        near(policy.weight(3), 0.0);

        // Again 0 among {0, 2}: the share of 0 is e^(2/3) / (e^(2/3) + e^(-5/6)) = 0.817574.
        policy.note(0, &[0, 2], 1.0);
        policy.adapt();
        near(policy.weight(0), 2.0 / 3.0 + 1.0 - 0.817_574);
        near(policy.weight(2), -5.0 / 6.0 - 0.182_426);
    }

    #[test]
    fn moves_are_drawn_by_softmax() {
        let mut policy = Policy::new(2);
        policy.weights[1] = 3f32.ln();
        policy.odds[1] = 3.0;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let ones = (0..40_000).filter(|_| policy.draw(&[0, 1], &mut rng) == 1).count();
        assert!((29_500..30_500).contains(&ones), "three in four: {ones}");
    }

    #[test]
    fn weights_stay_finite() {
        let mut policy = Policy::new(3);
        for _ in 0..100_000 {
            policy.note(0, &[0, 1, 2], 10.0);
            policy.adapt();
        }
        assert!(policy.weights().iter().all(|w| w.is_finite() && w.abs() <= MAX_WEIGHT));
        assert!(policy.odds.iter().all(|o| *o > 0.0 && o.is_finite()));
    }
}
