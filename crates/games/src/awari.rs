//! Awari (oware): sow, and take what makes two or three; the ring of six pits with four seeds each was solved by Romein
//! and Bal (2003) with a database of all positions.
//!
//! The value is the first player's seeds less the second's. Play without captures can go on for ever, and then both share what
//! is in play. What is still to be won does not depend on the stores, so a database keeps that, by the number of seeds in
//! play.

use crate::registry::{Args, Entry, Visitor};
use crate::sowing::{self, Board, Ring};
use zermelo_game::{
    Bounds, Footprint, Game, MoveList, ParseError, Picture, Player, Repetition, Sliced, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "awari",
    usage: "awari PITSxSEEDS [noslam]",
    example: "awari 3x2",
    summary: "sow seeds around the board and take twos and threes; the score counts",
};

/// Reads the words after the name.
pub(crate) fn read(args: Args) -> Result<Awari, ParseError> {
    let ([pits, seeds], noslam) = sowing::read(args, &ENTRY, "noslam")?;
    Ok(Awari::new(pits, seeds, !noslam))
}

/// Opens `awari PITSxSEEDS [noslam]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    Ok(visitor.visit(read(args)?))
}

/// Awari.
#[derive(Clone, Debug)]
pub struct Awari {
    board: Board,
    /// Whether a move may take all seeds of the opponent; if not it takes none.
    slam: bool,
}

impl Awari {
    /// The game with so many pits a side and so many seeds in each.
    #[must_use]
    pub fn new(pits: u32, seeds: u32, slam: bool) -> Awari {
        Awari { board: Board::new(pits, seeds), slam }
    }

    /// The board after sowing from a pit and taking, seen by the player who has moved.
    #[inline]
    fn sow(&self, p: &Ring, pit: usize) -> Ring {
        let m = self.board.pits;
        let mut ring = *p;
        let mut left = std::mem::take(&mut ring.pits[pit]);
        let mut at = pit;
        while left > 0 {
            at = if at + 1 == 2 * m { 0 } else { at + 1 };
            if at != pit {
                ring.pits[at] += 1;
                left -= 1;
            }
        }
        let (sown, mut last) = (ring, at);
        while last >= m && (2..=3).contains(&ring.pits[last]) {
            ring.stores[0] += std::mem::take(&mut ring.pits[last]);
            last -= 1;
        }
        if !self.slam && self.board.sides(&ring)[1] == 0 { sown } else { ring }
    }

    /// The pits from which the player to move may sow.
    #[inline]
    fn pits<'r>(&self, p: &'r Ring) -> impl Iterator<Item = usize> + use<'r> {
        let m = self.board.pits;
        let hungry = self.board.sides(p)[1] == 0;
        // A seed gets over to the other side if there are as many as steps.
        let reach = move |i: usize| if hungry { (m - i) as u8 } else { 1 };
        (0..m).filter(move |&i| p.pits[i] >= reach(i))
    }

    /// What the player to move has won so far, less what the other has.
    fn ahead(p: &Ring) -> Value {
        Value::from(p.stores[0]) - Value::from(p.stores[1])
    }
}

impl Game for Awari {
    type Position = Ring;
    type Move = u8;
    type Key = u64;

    const CYCLIC: bool = true;

    fn name(&self) -> String {
        let (pits, all) = (self.board.pits, self.board.seeds as usize);
        format!("awari {pits}x{}{}", all / (2 * pits), if self.slam { "" } else { " noslam" })
    }

    fn rules(&self) -> String {
        let slam = if self.slam {
            "A move may take all seeds of the opponent."
        } else {
            "A move that would take all seeds of the opponent takes none."
        };
        format!(
            "Each player has {} pits with {} seeds each. A move takes all seeds of an own pit and sows them one by one against the clock, \
             passing over the pit they came from. If the last seed makes two or three in a pit of the opponent, they are won, and so are the \
             twos and threes in the opponent's pits just before it, up to the first pit that is neither. {slam} Where \
             the opponent has no seeds, a move must bring some over; if none does, the game is over and the player to move wins what is \
             in play. A player to move without seeds ends the game too, and the other one wins what is in play. A position that comes \
             back ends the game, and both share what is in play. The value is the first player's seeds less the \
             second's.",
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
        if mine > 0 && self.pits(p).next().is_some() {
            return None;
        }
        // One of the sides is empty: who cannot move for want of seeds, or cannot feed the other.
        Some((Self::ahead(p) + mine as Value - yours as Value) * p.turn.sign())
    }

    fn moves(&self, p: &Ring, out: &mut MoveList<u8>) {
        self.pits(p).for_each(|i| out.push(i as u8));
    }

    #[inline]
    fn play(&self, p: &Ring, m: u8) -> Ring {
        self.board.swapped(&self.sow(p, m.into()))
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
        self.board.pits
    }

    fn move_text(&self, _: &Ring, m: u8) -> String {
        Board::pit_name(m.into())
    }

    fn position_text(&self, p: &Ring) -> String {
        self.board.text(p)
    }

    fn parse_position(&self, text: &str) -> Result<Ring, ParseError> {
        self.board.parse(text, false)
    }

    fn values(&self) -> Bounds {
        let all = self.board.seeds as Value;
        Bounds::new(-all, all)
    }

    /// On the way round nothing is won, so all positions of a cycle stand alike.
    fn repetition(&self) -> Repetition {
        Repetition::Stands
    }

    fn standing(&self, p: &Ring) -> Value {
        Self::ahead(p) * p.turn.sign()
    }

    fn picture(&self, p: &Ring) -> Picture {
        self.board.picture(p)
    }

    fn footprint(&self, p: &Ring, m: u8) -> Option<Footprint> {
        Some(self.board.footprint(p, m.into()))
    }

    /// What is won stays won, and no more than what is in play can be won, whatever the line was.
    #[inline]
    fn static_bounds(&self, p: &Ring) -> Bounds {
        if let Some(value) = self.outcome(p) {
            return Bounds::exact(value);
        }
        let left = self.board.sides(p).iter().sum::<u32>() as Value;
        let ahead = Self::ahead(p);
        Bounds::new(ahead - left, ahead + left).seen_by(p.turn)
    }

    /// All moves; captures first, then pits near the opponent's.
    #[inline]
    fn relevant(&self, p: &Ring, out: &mut MoveList<u8>) -> Value {
        for pit in self.pits(p) {
            let won = self.sow(p, pit).stores[0] - p.stores[0];
            out.push_scored(pit as u8, 16 * i32::from(won) + pit as i32);
        }
        self.values().lo
    }
}

impl Sliced for Awari {
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

    fn place(&self, p: &Ring) -> Option<(u32, u64)> {
        Some((self.board.sides(p).iter().sum(), self.board.place(p)))
    }

    fn at(&self, seeds: u32, place: u64) -> Option<Ring> {
        Some(self.board.at(seeds, place))
    }

    fn kept_values(&self, seeds: u32) -> Bounds {
        Bounds::new(-(seeds as Value), seeds as Value)
    }

    /// What is kept is what the player to move still wins, less what the other does; a cycle keeps 0.
    fn value_of(&self, p: &Ring, kept: Value) -> Value {
        Self::ahead(p) + kept
    }

    fn kept_for(&self, p: &Ring, value: Value) -> Value {
        value - Self::ahead(p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth;
    use zermelo_game::conformance::{self, Effort};
    use zermelo_game::slice_laws;

    #[test]
    fn conforms() {
        let effort = Effort { games: 30, plies: 100, minimax_nodes: 1_000, seed: 1913 };
        for (pits, seeds) in [(1, 2), (2, 1), (2, 2), (3, 2), (6, 4)] {
            for slam in [true, false] {
                let game = Awari::new(pits, seeds, slam);
                conformance::check_with(&game, &effort).unwrap_or_else(|broken| panic!("{broken}"));
            }
        }
    }

    #[test]
    fn sowing_and_taking() {
        let play = |slam: bool, text: &str, m: &str| {
            let game = Awari::new(3, 2, slam);
            let p = game.parse_position(text).unwrap();
            game.position_text(&game.play(&p, game.parse_move(&p, m).unwrap()))
        };
        // Two and three are taken backwards until a pit is neither.
        assert_eq!(play(true, "0,0,3/1,2,1 3-2 first", "c"), "0,0,0/0,0,0 10-2 second");
        assert_eq!(play(false, "0,0,3/1,2,1 3-2 first", "c"), "0,0,0/2,3,2 3-2 second");
        assert_eq!(play(true, "1,0,3/1,4,1 2-0 first", "c"), "1,0,0/2,5,0 4-0 second");
        // Own pits are never taken; six seeds pass over their own pit.
        assert_eq!(play(true, "1,6,1/1,1,1 1-0 first", "b"), "2,0,3/2,2,2 1-0 second");
        assert_eq!(play(true, "1,0,2/6,1,1 1-0 second", "a"), "2,1,3/0,3,2 1-0 first");
        // Only the last pit can feed the opponent; where none can the game is over.
        let game = Awari::new(3, 2, true);
        let p = game.parse_position("1,1,1/0,0,0 5-4 first").unwrap();
        let mut list = MoveList::new();
        game.moves(&p, &mut list);
        assert_eq!(list.iter().collect::<Vec<_>>(), [2]);
        let over = |text: &str| game.outcome(&game.parse_position(text).unwrap());
        assert_eq!(over("1,1,0/0,0,0 5-5 first"), Some(2));
        assert_eq!(over("1,1,0/0,0,0 5-5 second"), Some(2));
    }

    /// The scores of a program that shares nothing with this one.
    #[test]
    fn values_of_small_boards() {
        for (pits, seeds, with, without) in [
            (1, 1, 2, 0),
            (1, 2, 0, 0),
            (1, 3, 0, 0),
            (2, 1, 0, 2),
            (2, 2, 8, 6),
            (2, 3, 0, 0),
            (3, 1, 0, 0),
            (3, 2, 3, 6),
        ] {
            for (slam, value) in [(true, with), (false, without)] {
                let game = Awari::new(pits, seeds, slam);
                let (slice, place) = game.place(&game.start()).unwrap();
                let kept = truth::scores(&game, slice)[&slice][place as usize];
                assert_eq!(game.value_of(&game.start(), kept), value, "{}", game.name());
            }
        }
    }

    #[test]
    fn what_is_kept_gives_the_value() {
        for slam in [true, false] {
            for (pits, seeds) in [(1, 3), (2, 1), (2, 2), (3, 1)] {
                let game = Awari::new(pits, seeds, slam);
                slice_laws::check(&game, 2 * pits * seeds, 1);
                assert!(truth::compare_scores(&game) > 20, "{}", game.name());
            }
        }
    }
}
