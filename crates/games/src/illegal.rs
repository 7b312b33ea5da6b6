//! Why a move is not legal: what games with stones on a grid have in common.

use crate::stones::Stones;
use zermelo_game::{Bits, Grid, Player};

/// The two cells of a move such as `a2-b3`, and the sign between them if there is one; `None` if the text is no such move.
pub(crate) fn two_cells<B: Bits>(grid: &Grid<B>, text: &str) -> Option<(u32, Option<char>, u32)> {
    let (from, rest) = grid.cell_at_start(text)?;
    if let Some(to) = grid.cell_named(rest) {
        return Some((from, None, to));
    }
    let sign = rest.chars().next().filter(|c| "-xX:".contains(*c))?;
    Some((from, Some(sign.to_ascii_lowercase()), grid.cell_named(&rest[1..])?))
}

/// That there is a stone on a cell which should be empty.
pub(crate) fn taken<B: Bits>(grid: &Grid<B>, p: &Stones<B>, cell: u32) -> Option<String> {
    p.all().has(cell).then(|| format!("{} is taken", grid.cell_name(cell)))
}

/// That a cell holds no stone of the player to move.
pub(crate) fn not_own<B: Bits>(grid: &Grid<B>, p: &Stones<B>, cell: u32) -> Option<String> {
    let name = grid.cell_name(cell);
    match (p.me.has(cell), p.you.has(cell)) {
        (true, _) => None,
        (false, true) => Some(belongs(&name, p.turn.other())),
        (false, false) => Some(format!("{name} is empty")),
    }
}

/// That what is on a place belongs to the player who is not to move.
pub(crate) fn belongs(place: &str, owner: Player) -> String {
    format!("{place} belongs to the {owner} player, and the {} is to move", owner.other())
}

/// That the sign between two cells should be another one; `takes` says whether a stone is taken on the second.
pub(crate) fn wrong_sign(takes: bool, [from, to]: [&str; 2]) -> String {
    match takes {
        true => format!("there is something to take on {to}: {from}x{to}"),
        false => format!("there is nothing to take on {to}: {from}-{to}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_of_two_cells() {
        let grid = Grid::<u64>::new(4, 4);
        assert_eq!(two_cells(&grid, "a1b2"), Some((0, None, 5)));
        assert_eq!(two_cells(&grid, "A1-B2"), Some((0, Some('-'), 5)));
        assert_eq!(two_cells(&grid, "a1xb2"), Some((0, Some('x'), 5)));
        for bad in ["", "a1", "a1-", "a1--b2", "a1b9", "a1\u{e9}b2", "a1-b2 "] {
            assert_eq!(two_cells(&grid, bad), None, "{bad}");
        }
    }
}
