//! Loose runs: straight rows of free cells that touch no other free cell.
//!
//! Only one player can ever move there, so a loose run is worth a number of moves and nothing else:
//!
//! - in the normal game half its cells, rounded down (the owner wastes none, the other cannot
//!   interfere), and a move of one side cancels a move of the other, as integers do;
//! - in the misere game one move if it has two or three cells, and two moves if it has five: whatever
//!   comes first, two or three neighbours are left, or one and two. Other lengths leave a choice, and
//!   nothing cancels.
//!
//! [`gathered`] puts these moves in places that depend only on their number and
//! on the rest of the board, so that more positions meet: on 8x8 it saves a quarter of all nodes, on
//! misere 6x6 more than half.

use super::{Domineering, Position, Way, pairs, usable};
use zermelo_game::{Bits, Grid, Key};

/// The dominoes along the rows of a board that lie in loose runs, each by its left cell.
pub(super) struct Loose<B> {
    /// As many as the runs are worth, none touching another one of the same run.
    pub worth: B,
    /// All of them.
    pub places: B,
}

/// The loose runs along the rows of this board that are worth a number of moves.
#[inline(always)]
pub(super) fn loose<B: Bits>(grid: &Grid<B>, free: B, misere: bool) -> Loose<B> {
    let across = free & grid.south(free);
    let mut mixed = across | grid.north(across);
    if pairs(grid, free & !mixed).is_empty() {
        return Loose { worth: B::EMPTY, places: B::EMPTY };
    }
    loop {
        let more = mixed | (grid.east(mixed) | grid.west(mixed)) & free;
        if more == mixed {
            break;
        }
        mixed = more;
    }
    let cells = free & !mixed;
    let places = pairs(grid, cells);
    let mut next = places & !grid.east(cells);
    if !misere {
        let mut worth = B::EMPTY;
        while !next.is_empty() {
            worth |= next;
            next = grid.east(grid.east(next)) & places;
        }
        return Loose { worth, places };
    }
    // The places at the ends of runs of two, three and five cells.
    let last = places & !grid.west(places);
    let two = next & last;
    let second = grid.east(next) & places;
    let three = second & last;
    let third = grid.east(second) & places;
    let five = grid.east(third) & last;
    let of_five = grid.west(five);
    let (of_three, first_of_five) = (grid.west(three), grid.west(grid.west(of_five)));
    Loose {
        worth: two | of_three | of_five | first_of_five,
        places: two | three | of_three | five | of_five | grid.west(of_five) | first_of_five,
    }
}

/// The dominoes along the rows of this board that need no look since another one in a loose run is at
/// least as good: they all take one move from the owner, some of them waste another one.
#[inline(always)]
pub(super) fn alike<B: Bits>(grid: &Grid<B>, free: B, misere: bool) -> B {
    let Loose { worth, places } = loose(grid, free, misere);
    worth.cells().next().map_or(B::EMPTY, |one| places & !B::cell(one))
}

/// The position with its loose moves as runs of two at the first places that touch nothing, put
/// one after the other on the smallest image of the rest. `None` if there are none or if they
/// find no room in this way.
///
/// A loose run touches no other free cell, so taking it away and putting as many moves elsewhere
/// gives the same game. The result depends on the rest, up to images, and on the numbers of
/// moves only; it has the same rest and numbers, so it leads to itself, and where there is no
/// room there is none for any image.
#[inline]
pub(super) fn gathered<B: Bits, K: Key>(
    rules: &Domineering<B, K>,
    p: &Position<B>,
) -> Option<Position<B>> {
    let flat = loose(&rules.grid, p.rows, rules.misere).worth;
    let upright = loose(&rules.turned, p.cols, rules.misere).worth;
    if (flat | upright).is_empty() {
        return None;
    }
    let mut rest = *p;
    let moves = [(flat, Way::Flat), (upright, Way::Upright)];
    for (places, way) in moves {
        for place in places.cells() {
            let [rows, cols] = rules.covers[usize::from(rules.domino(place, way))];
            rest.rows &= !rows;
            rest.cols &= !cols;
        }
    }
    rest.rows = usable(&rules.grid, rest.rows);
    rest.cols = usable(&rules.turned, rest.cols);
    let mut all = rules.least_image(&rest);
    let cancel = if rules.misere { 0 } else { flat.count().min(upright.count()) };
    for (places, way) in moves {
        for _ in cancel..places.count() {
            let (grid, taken) = match way {
                Way::Flat => (&rules.grid, all.rows),
                Way::Upright => (&rules.turned, all.cols),
            };
            let room = grid.full() & !(taken | grid.neighbours(taken));
            let place = pairs(grid, room).cells().next()?;
            let [rows, cols] = rules.covers[usize::from(rules.domino(place, way))];
            all.rows |= rows;
            all.cols |= cols;
        }
    }
    Some(all)
}
