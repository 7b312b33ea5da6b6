//! Product propagation (Stern, Herbrich and Graepel 2007; Saffidine and Cazenave 2013): best-first on a
//! [`tree`](super::tree), with probabilities in place of proof numbers.
//!
//! A leaf is even; a position is lost for the player to move if all positions behind its moves are won
//! for the opponent, as if these were independent. In both players' turns that is one formula,
//!
//! ```text
//! P(won, n) = 1 - product of P(won, c)
//! ```
//!
//! and the search goes where the opponent is least likely to win. Probabilities only guide: a node is
//! solved by its children or by the game, never because a probability was rounded to 0 or 1.

use super::Forgetful;
use super::numbers::Numbers;
use super::pns::BestFirst;
use super::tree::{BackupRule, NodeMark};
use super::view::QuestionView;
use crate::engine::Engine;
use crate::engines::{EngineSettings, Make, Needs};
use zermelo_game::{Knowledge, Rules, Value};

/// Product propagation.
pub type Pp<R> = BestFirst<R, Config>;

/// How to search: there is nothing to choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config;

crate::options!(Config {});

impl EngineSettings for Config {
    const NEEDS: Needs = Needs::LINE;
    const METHODS: &'static [&'static str] = &["proof-number tree"];

    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        Box::new(Forgetful::new(make.game, *self))
    }
}

/// How likely the player to move is to reach its goal. Both probabilities are kept, for the smaller of them
/// would be lost in the other's rounding.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Odds {
    /// That it does.
    pub won: f64,
    /// That it does not.
    pub lost: f64,
    /// Whether it does, where that is certain, and what it gets at least or at most.
    known: Option<(bool, Value)>,
}

impl Odds {
    const EVEN: Odds = Odds { won: 0.5, lost: 0.5, known: None };
}

impl NodeMark for Odds {
    fn known(numbers: Numbers) -> Odds {
        let won = numbers.phi == 0;
        let chance = |sure: bool| if sure { 1.0 } else { 0.0 };
        Odds { won: chance(won), lost: chance(!won), known: Some((won, numbers.value)) }
    }

    #[inline]
    fn solved(&self) -> Option<Numbers> {
        self.known.map(|(won, value)| match won {
            true => Numbers::won(value),
            false => Numbers::lost(value),
        })
    }
}

impl BackupRule for Config {
    type Mark = Odds;

    fn leaf<R: Rules, K: Knowledge<R>>(
        &self,
        _: &QuestionView<R, K>,
        _: &R::Position,
        _: u32,
    ) -> Odds {
        Odds::EVEN
    }

    fn choose(&self, children: &[Odds]) -> (Odds, usize) {
        let (mut best, mut least) = (None, f64::INFINITY);
        let (mut lost, mut log) = (1.0, 0.0);
        let mut value = Value::MIN;
        for (i, child) in children.iter().enumerate() {
            match child.known {
                Some((false, value)) => return (Odds::known(Numbers::won(-value)), i),
                Some((true, other)) => value = value.max(-other),
                None => {
                    if best.is_none() || child.won < least {
                        (best, least) = (Some(i), child.won);
                    }
                    lost *= child.won;
                    log += (-child.lost).ln_1p();
                }
            }
        }
        match best {
            None => (Odds::known(Numbers::lost(value)), 0),
            Some(best) => {
                let won = if lost < 0.5 { 1.0 - lost } else { -f64::exp_m1(log) };
                (Odds { won, lost, known: None }, best)
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn open(won: f64) -> Odds {
        Odds { won, lost: 1.0 - won, known: None }
    }

    #[test]
    fn probabilities_are_those_of_the_papers() {
        // A max node over 1/2 and 1/4 (the second player moves there): 1 - (1 - 1/2)(1 - 1/4).
        let (max, best) = Config.choose(&[open(0.5), open(0.75)]);
        assert!((max.won - 0.625).abs() < 1e-12 && (max.lost - 0.375).abs() < 1e-12);
        assert_eq!(best, 0);
        // A min node over 1/2 and 1/4 (the first player moves there): 1/8 for the first player.
        let (min, best) = Config.choose(&[open(0.5), open(0.25)]);
        assert!((min.lost - 0.125).abs() < 1e-12);
        assert_eq!(best, 1);
    }

    #[test]
    fn rounding_solves_nothing() {
        let tiny = Odds { won: 1.0, lost: 1e-300, known: None };
        let (mark, best) = Config.choose(&[Odds::known(Numbers::won(1)), tiny]);
        assert_eq!((mark.solved(), best), (None, 1));
        assert!((mark.won / 1e-300 - 1.0).abs() < 1e-9);
        let gone = Odds { won: 1.0, lost: 0.0, known: None };
        let (mark, best) = Config.choose(&[Odds::known(Numbers::won(1)), gone, gone]);
        assert_eq!((mark.solved(), best), (None, 1));
        let gone = Odds { won: 0.0, lost: 1.0, known: None };
        assert_eq!(Config.choose(&[gone]).0.solved(), None);
    }

    #[test]
    fn solved_children() {
        let lost = Odds::known(Numbers::won(2));
        let (mark, best) = Config.choose(&[lost, open(0.9), Odds::known(Numbers::lost(-3))]);
        assert_eq!((mark.solved(), best), (Some(Numbers::won(3)), 2));
        let (mark, _) = Config.choose(&[lost, Odds::known(Numbers::won(1))]);
        assert_eq!(mark.solved(), Some(Numbers::lost(-1)));
    }
}
