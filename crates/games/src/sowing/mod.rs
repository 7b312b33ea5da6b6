//! Sowing games: pits in a ring and two stores. What [`Kalah`](crate::kalah::Kalah) and [`Awari`](crate::awari::Awari) share is
//! written here once.
//!
//! The rules are in this file, the board and the numbers of positions in `board`, texts and pictures in `notation` and `picture`,
//! what solvers are told in `knowledge`, places in a database in `index`. What tells one game from another is its [`Variant`].
//!
//! The value is the first player's seeds less the second's. A player who moves again leaves the other one a single move, to
//! pass, so that turns alternate.

mod board;
mod index;
mod knowledge;
mod notation;
mod picture;

pub use board::{Board, Ring, compositions};
pub use knowledge::SowingKnowledge;

use std::fmt::Debug;
use zermelo_game::{
    Args, Bounds, GameEntry, MoveList, ParseError, Player, Repetition, Rules, Value,
};

/// The most pits a side.
pub const MAX_PITS: usize = 6;
/// The most seeds a pit at the start.
pub const MAX_SEEDS: u32 = 8;

/// Reads `PITSxSEEDS [FLAG]`: the size, and whether the flag is there.
pub(crate) fn read(
    mut args: Args,
    entry: &GameEntry,
    flag: &str,
) -> Result<([u32; 2], bool), ParseError> {
    let example = entry.example.rsplit(' ').next().unwrap_or_default();
    let usage = format!(
        "PITSxSEEDS, up to {MAX_PITS} pits a side with up to {MAX_SEEDS} seeds each, such as {example}"
    );
    let fits = |[pits, seeds]: [u32; 2]| {
        (1..=MAX_PITS as u32).contains(&pits) && (1..=MAX_SEEDS).contains(&seeds)
    };
    let size = args.need_size(&usage, fits)?;
    let flag = args.flag(flag);
    args.end(entry.usage)?;
    Ok((size, flag))
}

/// What tells one sowing game from another.
pub trait Variant: Clone + Debug + Send + Sync + 'static {
    /// The first word of the name.
    const NAME: &'static str;
    /// Whether a player can move again, so that the other one has to pass.
    const PASSES: bool;
    /// Whether positions can repeat. A cycle then ends the game, and both share what is in play.
    const CYCLIC: bool;

    /// The flag at the end of the name, or nothing.
    fn flag(&self) -> &'static str;

    /// The rules in a few sentences.
    fn rules_text(&self, board: &Board) -> String;

    /// The pits from which the player to move may sow, who does not have to pass.
    fn pits(&self, board: &Board, p: &Ring) -> impl Iterator<Item = usize>;

    /// The board after sowing from a pit and capturing.
    fn sow(&self, board: &Board, p: &Ring, pit: usize) -> Sown;

    /// Whether the game is over, where so many seeds are in the pits of the player to move and of the other. One of the two has
    /// none then.
    fn over(&self, board: &Board, p: &Ring, sides: [u32; 2]) -> bool;
}

/// The result of sowing.
pub struct Sown {
    /// Seen by the player who has moved.
    pub ring: Ring,
    /// Whether that player moves again.
    pub again: bool,
}

/// A sowing game. A move is the number of a pit, or the number of pits a side for a pass.
#[derive(Clone, Debug)]
pub struct Sowing<V> {
    board: Board,
    variant: V,
}

impl<V: Variant> Sowing<V> {
    /// The game with so many pits a side and so many seeds in each.
    pub(crate) fn with(variant: V, pits: u32, seeds: u32) -> Sowing<V> {
        Sowing { board: Board::new(pits, seeds), variant }
    }

    /// Whether the player to move has to pass.
    #[inline(always)]
    fn must_pass(p: &Ring) -> bool {
        V::PASSES && p.waits
    }

    #[inline(always)]
    fn is_pass(&self, m: u8) -> bool {
        V::PASSES && m == self.pass_move()
    }

    #[inline(always)]
    fn pass_move(&self) -> u8 {
        self.board.pits as u8
    }
}

impl<V: Variant> Rules for Sowing<V> {
    type Position = Ring;
    type Move = u8;
    type Key = u64;

    const CYCLIC: bool = V::CYCLIC;

    fn start(&self) -> Ring {
        self.board.start()
    }

    #[inline(always)]
    fn turn(&self, p: &Ring) -> Player {
        p.turn
    }

    /// What is left is won by the player on whose side it lies.
    fn outcome(&self, p: &Ring) -> Option<Value> {
        let [mine, yours] = self.board.sides(p);
        if !self.variant.over(&self.board, p, [mine, yours]) {
            return None;
        }
        Some((p.ahead() + mine as Value - yours as Value) * p.turn.sign())
    }

    fn moves(&self, p: &Ring, out: &mut MoveList<u8>) {
        if Self::must_pass(p) {
            return out.push(self.pass_move());
        }
        self.variant.pits(&self.board, p).for_each(|i| out.push(i as u8));
    }

    #[inline]
    fn play(&self, p: &Ring, m: u8) -> Ring {
        if self.is_pass(m) {
            return self.board.swapped(p);
        }
        let Sown { ring, again } = self.variant.sow(&self.board, p, m.into());
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
        self.board.pits + usize::from(V::PASSES)
    }

    fn values(&self) -> Bounds {
        let all = self.board.seeds as Value;
        Bounds::new(-all, all)
    }

    /// Within a cycle nothing is won, so all of its positions are worth the same as they stand.
    fn repetition(&self) -> Repetition {
        if V::CYCLIC { Repetition::Stands } else { Repetition::Worth(0) }
    }

    fn standing(&self, p: &Ring) -> Value {
        p.ahead() * p.turn.sign()
    }
}
