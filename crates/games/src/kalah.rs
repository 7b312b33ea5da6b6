//! Kalah(m,n): m pits a side with n seeds each, solved for small m and n by Irving, Donkers and Uiterwijk (2000).

use crate::registry::Visitor;
use crate::sowing::{self, Board, Ring, Sowing, SowingKnowledge, Sown, Variant};
use zermelo_game::{Args, GameEntry, ParseError};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "kalah",
    usage: "kalah PITSxSEEDS [noempty]",
    example: "kalah 4x3",
    summary: "sow seeds around the board; moves again and captures; the score counts",
    help: "PITS is how many pits each player has, SEEDS how many seeds are in each. noempty: a last seed in an \
           own empty pit wins nothing where the pit opposite is empty.",
};

/// Opens `kalah PITSxSEEDS [noempty]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let ([pits, seeds], noempty) = sowing::read(args, &ENTRY, "noempty")?;
    Ok(visitor.visit_rare_numbered(Kalah::new(pits, seeds, !noempty), SowingKnowledge))
}

/// Kalah.
pub type Kalah = Sowing<KalahVariant>;

/// What makes a sowing game Kalah.
#[derive(Clone, Debug)]
pub struct KalahVariant {
    /// Whether a last seed in an empty own pit is won even if the pit opposite is empty.
    empty_capture: bool,
}

impl Kalah {
    /// The game with so many pits a side and so many seeds in each. `empty_capture`: whether a last seed in an empty own pit is won
    /// even if the pit opposite is empty.
    #[must_use]
    pub fn new(pits: u32, seeds: u32, empty_capture: bool) -> Kalah {
        Sowing::with(KalahVariant { empty_capture }, pits, seeds)
    }
}

impl Variant for KalahVariant {
    const NAME: &'static str = "kalah";
    const PASSES: bool = true;
    const CYCLIC: bool = false;

    fn flag(&self) -> &'static str {
        if self.empty_capture { "" } else { "noempty" }
    }

    fn rules_text(&self, board: &Board) -> String {
        let empty = if self.empty_capture {
            "even if that pit is empty"
        } else {
            "if that pit is not empty (otherwise nothing is won)"
        };
        format!(
            "Each player has {} pits with {} seeds each and a store. A move takes all seeds of an own pit and sows them one by one against \
             the clock, into the own store too but not into the other's; the pit itself is sown as well after a whole round. A last seed in the \
             own store gives another move: the opponent's only move is then to pass. A last seed in an own pit that was empty is won together with the seeds \
             of the pit opposite, {empty}. The game is over as soon as all pits of either player are empty; what is left is \
             won by the player on whose side it lies. The value is the first player's seeds less the second's.",
            board.pits,
            board.seeds_a_pit(),
        )
    }

    #[inline]
    fn pits(&self, board: &Board, p: &Ring) -> impl Iterator<Item = usize> {
        (0..board.pits).filter(|i| p.pits[*i] > 0)
    }

    #[inline]
    fn sow(&self, board: &Board, p: &Ring, pit: usize) -> Sown {
        let m = board.pits;
        let mut ring = *p;
        let mut left = std::mem::take(&mut ring.pits[pit]);
        let mut at = pit;
        while left > 0 {
            at += 1;
            left -= 1;
            if at == m {
                // The own store lies between the own pits and the other's.
                ring.stores[0] += 1;
                if left == 0 {
                    return Sown { ring, again: true };
                }
                left -= 1;
            } else if at == 2 * m {
                at = 0;
            }
            ring.pits[at] += 1;
        }
        let opposite = 2 * m - 1 - at;
        let takes = at < m && ring.pits[at] == 1 && (self.empty_capture || ring.pits[opposite] > 0);
        if takes {
            ring.stores[0] += ring.pits[opposite] + 1;
            (ring.pits[at], ring.pits[opposite]) = (0, 0);
        }
        Sown { ring, again: false }
    }

    #[inline]
    fn over(&self, _: &Board, _: &Ring, sides: [u32; 2]) -> bool {
        sides.contains(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimax_oracle;
    use zermelo_game::{Notation, Rules, conformance, slice_laws};

    #[test]
    fn conforms() {
        for (pits, seeds) in [(1, 2), (2, 2), (3, 3), (6, 4)] {
            conformance::check(&Kalah::new(pits, seeds, true), &SowingKnowledge);
            conformance::check(&Kalah::new(pits, seeds, false), &SowingKnowledge);
        }
    }

    #[test]
    fn a_round_ends_in_its_pit() {
        let play_by = |empty: bool, text: &str, m: &str| {
            let game = Kalah::new(2, 3, empty);
            let p = game.parse_position(text).unwrap();
            game.position_text(&game.play(&p, game.parse_move(&p, m).unwrap()))
        };
        let play = |text: &str, m: &str| play_by(true, text, m);
        // Five seeds go round past the own store; the last falls into the pit they came from and wins what lies opposite.
        assert_eq!(play("5,1/3,3 0-0 first", "a"), "0,2/4,0 6-0 second");
        // Three seeds go past the store: no seed for the store of the opponent.
        assert_eq!(play("0,4/3,3 2-0 first", "b"), "0,0/4,0 8-0 second");
        // The last seed in the store: the opponent passes.
        assert_eq!(play("1,1/5,5 0-0 first", "b"), "1,0/5,5 1-0 second pass");
        assert_eq!(play("1,0/5,5 1-0 second pass", "pass"), "1,0/5,5 1-0 first");
        // An empty capture, with and without.
        assert_eq!(play("1,0/9,0 1-1 first", "a"), "0,0/0,0 11-1 second");
        assert_eq!(play("1,0/0,9 1-1 first", "a"), "0,0/0,9 2-1 second");
        assert_eq!(play_by(false, "1,0/0,9 1-1 first", "a"), "0,1/0,9 1-1 second");
    }

    /// The tables of Irving, Donkers and Uiterwijk for one to three pits say who wins; the scores are those of a
    /// program that shares nothing with this one, which finds their winners.
    #[test]
    fn published_values() {
        for (pits, seeds, with, without) in [
            (1, 1, 0, 0),
            (1, 2, -2, -2),
            (1, 3, 6, 6),
            (1, 4, -2, -2),
            (1, 5, 2, 2),
            (1, 6, 0, 0),
            (2, 1, 2, 2),
            (2, 2, -2, -2),
            (2, 3, -2, -2),
            (2, 4, -12, -10),
            (2, 5, 6, 6),
            (2, 6, 8, 8),
            (3, 1, 0, 0),
            (3, 2, 4, 4),
            (3, 3, 2, 2),
            (3, 4, 2, 2),
            (4, 2, 6, 6),
            (4, 3, 8, 6),
        ] {
            for (empty, value) in [(true, with), (false, without)] {
                let game = Kalah::new(pits, seeds, empty);
                let found = minimax_oracle::kept_value(&game, &game.start());
                assert_eq!(found, value, "{}", game.name());
            }
        }
    }

    #[test]
    fn what_is_kept_gives_the_value() {
        for empty in [true, false] {
            let game = Kalah::new(2, 2, empty);
            slice_laws::check(&game, 8, 1);
            assert!(minimax_oracle::compare_kept(&game, 2_000) > 8_000);
            let game = Kalah::new(3, 2, empty);
            slice_laws::check(&game, 12, 7);
            assert!(minimax_oracle::compare_kept(&game, 3_000) > 20_000);
        }
    }
}
