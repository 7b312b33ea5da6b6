//! Awari (oware): sow, and take what makes two or three; the ring of six pits with four seeds each was solved by Romein
//! and Bal (2003) with a database of all positions.
//!
//! Play without captures can go on for ever, and then both share what is in play.

use crate::registry::Visitor;
use crate::sowing::{self, Board, Ring, Sowing, SowingKnowledge, Sown, Variant};
use zermelo_game::{Args, GameEntry, ParseError};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "awari",
    usage: "awari PITSxSEEDS [noslam]",
    example: "awari 3x2",
    summary: "sow seeds around the board and take twos and threes; the score counts",
    help: "PITS is how many pits each player has, SEEDS how many seeds are in each. noslam: a move that would \
           take all seeds of the opponent takes none.",
};

/// Opens `awari PITSxSEEDS [noslam]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let ([pits, seeds], noslam) = sowing::read(args, &ENTRY, "noslam")?;
    Ok(visitor.visit_rare_numbered(Awari::new(pits, seeds, !noslam), SowingKnowledge))
}

/// Awari.
pub type Awari = Sowing<AwariVariant>;

/// What makes a sowing game Awari.
#[derive(Clone, Debug)]
pub struct AwariVariant {
    /// Whether a move may take all seeds of the opponent; if not it takes none.
    slam: bool,
}

impl Awari {
    /// The game with so many pits a side and so many seeds in each. `slam`: whether a move may take all seeds of the opponent; if
    /// not it takes none.
    #[must_use]
    pub fn new(pits: u32, seeds: u32, slam: bool) -> Awari {
        Sowing::with(AwariVariant { slam }, pits, seeds)
    }
}

impl Variant for AwariVariant {
    const NAME: &'static str = "awari";
    const PASSES: bool = false;
    const CYCLIC: bool = true;

    fn flag(&self) -> &'static str {
        if self.slam { "" } else { "noslam" }
    }

    fn rules_text(&self, board: &Board) -> String {
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
             in play. A player to move without seeds ends the game too, and the other one wins what is in play. A repeated position \
             ends the game, and both share what is in play. The value is the first player's seeds less the \
             second's.",
            board.pits,
            board.seeds_a_pit(),
        )
    }

    #[inline]
    fn pits(&self, board: &Board, p: &Ring) -> impl Iterator<Item = usize> {
        let m = board.pits;
        let hungry = board.sides(p)[1] == 0;
        // A seed gets over to the other side if there are as many as steps.
        let reach = move |i: usize| if hungry { (m - i) as u8 } else { 1 };
        (0..m).filter(move |&i| p.pits[i] >= reach(i))
    }

    #[inline]
    fn sow(&self, board: &Board, p: &Ring, pit: usize) -> Sown {
        let m = board.pits;
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
        let ring = if !self.slam && board.sides(&ring)[1] == 0 { sown } else { ring };
        Sown { ring, again: false }
    }

    /// The player to move has no seeds, or cannot bring any over to an empty side.
    #[inline]
    fn over(&self, board: &Board, p: &Ring, [mine, _]: [u32; 2]) -> bool {
        mine == 0 || self.pits(board, p).next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimax_oracle;
    use zermelo_game::conformance::{Effort, Kit};
    use zermelo_game::{MoveList, Notation, Rules, Sliced, slice_laws};

    #[test]
    fn conforms() {
        let effort = Effort { games: 30, plies: 100, minimax_nodes: 1_000, seed: 1913 };
        for (pits, seeds) in [(1, 2), (2, 1), (2, 2), (3, 2), (6, 4)] {
            for slam in [true, false] {
                let game = Awari::new(pits, seeds, slam);
                Kit::new(&game, &SowingKnowledge).effort(effort.clone()).assert();
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
                let kept = minimax_oracle::scores(&game, slice)[&slice][place as usize];
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
                assert!(minimax_oracle::compare_scores(&game) > 20, "{}", game.name());
            }
        }
    }
}
