//! Kalah(m,n): m pits a side with n seeds each, solved for small m and n by Irving, Donkers and Uiterwijk (2000).
//!
//! The value is the first player's seeds less the second's. A player who moves again leaves the other one a single move, to
//! pass, so that turns alternate. What is still to be won does not depend on what is in the stores, so a
//! database keeps the difference from here on, and a position in which a player has to pass is kept with the one that follows.

use crate::registry::{Args, Entry, Visitor};
use crate::sowing::{self, Board, Ring};
use zermelo_game::{Bounds, Footprint, Game, MoveList, ParseError, Picture, Player, Sliced, Value};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "kalah",
    usage: "kalah PITSxSEEDS [noempty]",
    example: "kalah 4x3",
    summary: "sow seeds around the board; moves again and captures; the score counts",
};

/// Reads the words after the name.
pub(crate) fn read(args: Args) -> Result<Kalah, ParseError> {
    let ([pits, seeds], noempty) = sowing::read(args, &ENTRY, "noempty")?;
    Ok(Kalah::new(pits, seeds, !noempty))
}

/// Opens `kalah PITSxSEEDS [noempty]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    Ok(visitor.visit(read(args)?))
}

/// Kalah.
#[derive(Clone, Debug)]
pub struct Kalah {
    board: Board,
    /// Whether a last seed in an empty own pit is won even if the pit opposite is empty.
    empty_capture: bool,
}

/// What comes of sowing.
struct Sown {
    /// Seen by the player who has moved.
    ring: Ring,
    /// Whether the last seed went into the store.
    again: bool,
}

impl Kalah {
    /// The game with so many pits a side and so many seeds in each.
    #[must_use]
    pub fn new(pits: u32, seeds: u32, empty_capture: bool) -> Kalah {
        Kalah { board: Board::new(pits, seeds), empty_capture }
    }

    #[inline]
    fn sow(&self, p: &Ring, pit: usize) -> Sown {
        let m = self.board.pits;
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

    /// What the player to move has won so far, less what the other has.
    fn ahead(p: &Ring) -> Value {
        Value::from(p.stores[0]) - Value::from(p.stores[1])
    }

    fn pass_move(&self) -> u8 {
        self.board.pits as u8
    }
}

impl Game for Kalah {
    type Position = Ring;
    type Move = u8;
    type Key = u64;

    fn name(&self) -> String {
        let (pits, all) = (self.board.pits, self.board.seeds as usize);
        let empty = if self.empty_capture { "" } else { " noempty" };
        format!("kalah {pits}x{}{empty}", all / (2 * pits))
    }

    fn rules(&self) -> String {
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
            self.board.pits,
            self.board.seeds as usize / (2 * self.board.pits),
        )
    }

    fn start(&self) -> Ring {
        self.board.start()
    }

    #[inline(always)]
    fn turn(&self, p: &Ring) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Ring) -> Option<Value> {
        let [mine, yours] = self.board.sides(p);
        if mine > 0 && yours > 0 {
            return None;
        }
        Some((Self::ahead(p) + mine as Value - yours as Value) * p.turn.sign())
    }

    fn moves(&self, p: &Ring, out: &mut MoveList<u8>) {
        if p.waits {
            return out.push(self.pass_move());
        }
        (0..self.board.pits).filter(|i| p.pits[*i] > 0).for_each(|i| out.push(i as u8));
    }

    #[inline]
    fn play(&self, p: &Ring, m: u8) -> Ring {
        if m == self.pass_move() {
            return self.board.swapped(p);
        }
        let Sown { ring, again } = self.sow(p, m.into());
        Ring { waits: again, ..self.board.swapped(&ring) }
    }

    #[inline]
    fn key(&self, p: &Ring) -> u64 {
        self.board.key(p)
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits()
    }

    #[inline(always)]
    fn code(&self, m: u8) -> usize {
        m.into()
    }

    fn codes(&self) -> usize {
        self.board.pits + 1
    }

    fn move_text(&self, _: &Ring, m: u8) -> String {
        if m == self.pass_move() { "pass".into() } else { Board::pit_name(m.into()) }
    }

    fn position_text(&self, p: &Ring) -> String {
        self.board.text(p)
    }

    fn parse_position(&self, text: &str) -> Result<Ring, ParseError> {
        self.board.parse(text, true)
    }

    fn values(&self) -> Bounds {
        let all = self.board.seeds as Value;
        Bounds::new(-all, all)
    }

    fn picture(&self, p: &Ring) -> Picture {
        self.board.picture(p)
    }

    fn footprint(&self, p: &Ring, m: u8) -> Option<Footprint> {
        (m != self.pass_move()).then(|| self.board.footprint(p, m.into()))
    }

    /// What is won stays won, and no more than what is in play can be won.
    #[inline]
    fn static_bounds(&self, p: &Ring) -> Bounds {
        let [mine, yours] = self.board.sides(p);
        let left = (mine + yours) as Value;
        match self.outcome(p) {
            Some(value) => Bounds::exact(value),
            None => {
                let ahead = Self::ahead(p);
                Bounds::new(ahead - left, ahead + left).seen_by(p.turn)
            }
        }
    }

    /// All moves; those that give another move first, then captures, then pits near the store.
    #[inline]
    fn relevant(&self, p: &Ring, out: &mut MoveList<u8>) -> Value {
        if p.waits {
            out.push(self.pass_move());
        } else {
            for pit in (0..self.board.pits).filter(|i| p.pits[*i] > 0) {
                let Sown { ring, again } = self.sow(p, pit);
                let won = i32::from(ring.stores[0] - p.stores[0]);
                out.push_scored(pit as u8, if again { 1000 } else { 16 * won } + pit as i32);
            }
        }
        self.values().lo
    }
}

impl Sliced for Kalah {
    /// The seeds in play.
    type Slice = u32;

    fn groups(&self, pieces: u32) -> Vec<Vec<u32>> {
        (0..=pieces.min(self.board.seeds)).map(|seeds| vec![seeds]).collect()
    }

    fn slice_name(&self, seeds: u32) -> String {
        format!("{seeds}")
    }

    fn pieces(&self, seeds: u32) -> [u32; 2] {
        [seeds, 0]
    }

    fn places(&self, seeds: u32) -> u64 {
        self.board.places(seeds)
    }

    /// A position in which a player has to pass stands with the one after it.
    fn place(&self, p: &Ring) -> Option<(u32, u64)> {
        let p = if p.waits { self.board.swapped(p) } else { *p };
        Some((self.board.sides(&p).iter().sum(), self.board.place(&p)))
    }

    fn at(&self, seeds: u32, place: u64) -> Option<Ring> {
        Some(self.board.at(seeds, place))
    }

    fn kept_values(&self, seeds: u32) -> Bounds {
        Bounds::new(-(seeds as Value), seeds as Value)
    }

    /// What is kept is what the player who sows next still wins, less what the other does.
    fn value_of(&self, p: &Ring, kept: Value) -> Value {
        Self::ahead(p) + if p.waits { -kept } else { kept }
    }

    fn kept_for(&self, p: &Ring, value: Value) -> Value {
        let rest = value - Self::ahead(p);
        if p.waits { -rest } else { rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth;
    use zermelo_game::{conformance, slice_laws};

    #[test]
    fn conforms() {
        for (pits, seeds) in [(1, 2), (2, 2), (3, 3), (6, 4)] {
            conformance::check(&Kalah::new(pits, seeds, true));
            conformance::check(&Kalah::new(pits, seeds, false));
        }
    }

    #[test]
    fn a_round_comes_back_to_its_pit() {
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
                let found = truth::kept_value(&game, &game.start());
                assert_eq!(found, value, "{}", game.name());
            }
        }
    }

    #[test]
    fn what_is_kept_gives_the_value() {
        for empty in [true, false] {
            let game = Kalah::new(2, 2, empty);
            slice_laws::check(&game, 8, 1);
            assert!(truth::compare_kept(&game, 2_000) > 8_000);
            let game = Kalah::new(3, 2, empty);
            slice_laws::check(&game, 12, 7);
            assert!(truth::compare_kept(&game, 3_000) > 20_000);
        }
    }
}
