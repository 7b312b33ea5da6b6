//! The picture of a sowing board: the first player's pits below, those of the second above, sown against the clock, each
//! player's store at the right hand.

use super::{Board, Ring};
use zermelo_game::diagram::{Content, Diagram, Spot};
use zermelo_game::{Footprint, Picture, Player};

/// From pit to pit.
const STEP: u32 = 66;
/// Half a pit, and half a store.
const PIT: u32 = 27;
const STORE: [u32; 2] = [27, 62];
/// From the upper edge to the middle of each row, and of the stores.
const ROWS: [u32; 2] = [62, 146];

impl Board {
    /// The picture of a position. Its spots are the first player's pits, the second's, and both stores.
    #[must_use]
    pub fn picture(&self, p: &Ring) -> Picture {
        let ([first, second], stores) = self.absolute(p);
        let columns = self.pits as u32;
        let left = 2 * STORE[0] + 26;
        let width = 2 * left + columns * STEP;
        let column = |i: usize| left + STEP / 2 + i as u32 * STEP;
        let pit = |x: u32, y: u32, i: usize, seeds: u8| Spot {
            x,
            y,
            wide: PIT,
            high: PIT,
            name: Self::pit_name(i),
            content: Content::Pit(seeds.into()),
        };
        let store = |x: u32, seeds: u8| Spot {
            x,
            y: ROWS[0].midpoint(ROWS[1]),
            wide: STORE[0],
            high: STORE[1],
            name: String::new(),
            content: Content::Store(seeds.into()),
        };
        let last = self.pits - 1;
        let below = first.iter().enumerate().map(|(i, n)| pit(column(i), ROWS[1], i, *n));
        let above = second.iter().enumerate().map(|(i, n)| pit(column(last - i), ROWS[0], i, *n));
        let edge = STORE[0] + 16;
        let spots =
            below.chain(above).chain([store(width - edge, stores[0]), store(edge, stores[1])]);
        Picture::Diagram(Diagram {
            text: self.drawn(p),
            width,
            height: ROWS[0] + ROWS[1],
            ground: true,
            spots: spots.collect(),
            ..Diagram::default()
        })
    }

    /// Where sowing from a pit of the player to move happens.
    #[must_use]
    pub fn footprint(&self, p: &Ring, pit: usize) -> Footprint {
        let side = if p.turn == Player::First { 0 } else { self.pits };
        Footprint::at((side + pit) as u32)
    }

    /// The same for terminals.
    fn drawn(&self, p: &Ring) -> String {
        let ([first, second], stores) = self.absolute(p);
        let row = |cells: Vec<String>| {
            cells.iter().map(|c| format!("{c:>4}")).collect::<String>().trim_end().to_owned()
        };
        let names = |pits: Vec<usize>| row(pits.into_iter().map(Self::pit_name).collect());
        let counts = |pits: Vec<u8>| row(pits.iter().map(u8::to_string).collect());
        let up: Vec<usize> = (0..self.pits).collect();
        let width = 4 * self.pits;
        format!(
            "    {}\n    {}\n{:>3} {:width$} {:>3}\n    {}\n    {}\n{} to move{}",
            names(up.iter().rev().copied().collect()),
            counts(second.iter().rev().copied().collect()),
            stores[1],
            "",
            stores[0],
            counts(first.to_vec()),
            names(up),
            p.turn,
            if p.waits { ", who has to pass" } else { "" },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pits_lie_where_they_are_sown() {
        let board = Board::new(3, 4);
        let p = board.parse("1,2,3/4,5,0 6-3 second", false).unwrap();
        let Picture::Diagram(drawn) = board.picture(&p) else { panic!("a drawing") };
        let seeds = |spot: &Spot| match spot.content {
            Content::Pit(n) | Content::Store(n) => n,
            _ => panic!("{spot:?}"),
        };
        assert_eq!(drawn.spots.iter().map(seeds).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 0, 6, 3]);
        // The second player's first pit is above the first player's last.
        assert!(drawn.spots[3].x == drawn.spots[2].x && drawn.spots[3].y < drawn.spots[2].y);
        // The store of each lies behind the last pit.
        assert!(drawn.spots[6].x > drawn.spots[2].x && drawn.spots[7].x < drawn.spots[5].x);
        assert_eq!(board.footprint(&p, 1), Footprint::at(4));
        let svg = board.picture(&p).to_svg();
        assert_eq!(svg.matches("fill=\"#5b4a26\"").count(), 24, "every seed is drawn");
    }
}
