//! Breakthrough (Dan Troyka, 2000): pawns that step forward and take diagonally.

use super::{Step, Steps};
use crate::registry::{Args, Entry, Visitor};
use zermelo_game::ParseError;

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "breakthrough",
    usage: "breakthrough ROWSxCOLS [misere]",
    example: "breakthrough 5x4",
    summary: "pawns race to the far row and take diagonally",
};

/// The pieces of Breakthrough.
#[derive(Clone, Copy, Debug)]
pub struct Pawns;

impl Steps for Pawns {
    const GAME: &'static str = "breakthrough";
    // With two columns or more a diagonal step exists on every cell that is not in the last row.
    const STEPS: &'static [Step] =
        &[Step::taking(1, -1), Step::taking(1, 1), Step { rows: 1, cols: 0, takes: false }];
    const CONTROL: bool = false;
    const RULE: &'static str = "A piece moves one row forward: straight onto an empty cell, or \
                                diagonally onto an empty cell or taking an enemy piece. Taking \
                                is never forced.";
}

/// Opens `breakthrough ROWSxCOLS [misere]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    super::open::<Pawns, V>(args, &ENTRY, visitor)
}
