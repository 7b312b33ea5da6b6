//! Knightthrough: Breakthrough with chess knights that go forward only.

use super::{PieceStep, PieceSteps};
use crate::registry::Visitor;
use zermelo_game::{Args, GameEntry, ParseError};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "knightthrough",
    usage: "knightthrough ROWSxCOLS [misere]",
    example: "knightthrough 6x6",
    summary: "knights that only go forward race to the far row",
    help: "ROWSxCOLS is the board. misere: who reaches the far row loses.",
};

/// The pieces of Knightthrough.
#[derive(Clone, Copy, Debug)]
pub struct Knights;

impl PieceSteps for Knights {
    const GAME: &'static str = "knightthrough";
    const STEPS: &'static [PieceStep] = &[
        PieceStep::taking(2, -1),
        PieceStep::taking(2, 1),
        PieceStep::taking(1, -2),
        PieceStep::taking(1, 2),
    ];
    const CONTROL: bool = true;
    const RARE: bool = true;
    const RULE: &'static str = "A piece moves like a chess knight, but forward only: two rows \
                                forward and one column aside, or one row forward and two \
                                columns aside, onto an empty cell or taking an enemy piece. \
                                Taking is never forced.";
}

/// Opens `knightthrough ROWSxCOLS [misere]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    super::open::<Knights, V>(args, &ENTRY, visitor)
}
