//! Breakthrough (Dan Troyka, 2000): pawns that step forward and take diagonally.

use super::{PieceStep, PieceSteps};
use crate::registry::Visitor;
use zermelo_game::{Args, GameEntry, ParseError};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "breakthrough",
    usage: "breakthrough ROWSxCOLS [misere]",
    example: "breakthrough 5x4",
    summary: "pawns race to the far row and take diagonally",
    help: "ROWSxCOLS is the board. misere: who reaches the far row loses.",
};

/// The pieces of Breakthrough.
#[derive(Clone, Copy, Debug)]
pub struct Pawns;

impl PieceSteps for Pawns {
    const GAME: &'static str = "breakthrough";
    // With two columns or more a diagonal step exists on every cell that is not in the last row.
    const STEPS: &'static [PieceStep] = &[
        PieceStep::taking(1, -1),
        PieceStep::taking(1, 1),
        PieceStep { rows: 1, cols: 0, takes: false },
    ];
    const CONTROL: bool = false;
    const RARE: bool = false;
    const RULE: &'static str = "A piece moves one row forward: straight onto an empty cell, or \
                                diagonally onto an empty cell or taking an enemy piece. Taking \
                                is never forced.";
}

/// Opens `breakthrough ROWSxCOLS [misere]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    super::open::<Pawns, V>(args, &ENTRY, visitor)
}
