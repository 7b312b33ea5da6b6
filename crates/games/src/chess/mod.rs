//! Chess with few men: endings by the names of the literature, `chess KRK`.
//!
//! White is the first player. The position and its moves are in `position`, names and FEN in `notation`, SAN in `san`, what solvers are told in
//! `knowledge`, the numbers of positions for databases in `index`. The values are win, draw and loss: there is no rule of fifty moves, and
//! a repeated position is a draw, so that a win is a mate that can be forced.

mod index;
mod knowledge;
mod notation;
mod position;
mod san;
#[cfg(test)]
mod tests;

pub use knowledge::ChessKnowledge;
pub use notation::Material;
pub(crate) use notation::name_of;
pub use position::{MAX_MEN, Man, Move, Position};

use crate::registry::Visitor;
use arrayvec::ArrayVec;
use position::{KNIGHT, PAWN, QUEEN};
use std::ops::ControlFlow;
use zermelo_game::{Args, GameEntry, Images, MoveList, ParseError, Player, Rules, Value};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "chess",
    usage: "chess MATERIAL (such as KRK or KQKR) | chess MEN (3 to 6, any material)",
    example: "chess KRK",
    summary: "chess endings with up to six men",
    help: "MATERIAL is the men of white and then those of black, either beginning with the king, in the letters \
           K, Q, R, B, N, P. MEN is how many men there are, of whatever kind.",
};

/// The most men with the kings.
const MOST: u32 = MAX_MEN as u32 + 2;

/// Opens `chess KRK` or `chess 4`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = "the material, white first, such as KRK or KPKP (up to 6 men), or the number of men, 3 to 6; \
                 or nothing where a position is given, --position FEN";
    let any = args.size(usage, |[men]: [u32; 1]| (3..=MOST).contains(&men))?;
    let game = if let Some([men]) = any {
        Chess::any(men)
    } else {
        let end = args.text().chars().count();
        let (at, word) = args.word().ok_or_else(|| args.error_at(end, usage))?;
        Chess::new(Material::parse(word).ok_or_else(|| args.error_at(at, usage))?)
    };
    args.end(ENTRY.usage)?;
    Ok(visitor.visit_rare_numbered(game, ChessKnowledge))
}

/// Endings with some material and whatever comes of it, or with any material of so many men.
#[derive(Clone, Debug)]
pub struct Chess {
    /// The material of the start.
    material: Material,
    /// Whether any material of no more men is allowed, too.
    any: bool,
}

impl Chess {
    /// The ending with this material.
    ///
    /// # Panics
    /// If there are more than six men.
    #[must_use]
    pub fn new(material: Material) -> Chess {
        assert!(material.men() + 2 <= MOST, "too many men");
        Chess { material, any: false }
    }

    /// Endings with at most so many men of any kind, 3 to 6; starts with pawns on both sides.
    ///
    /// # Panics
    /// If there are more than six men.
    #[must_use]
    pub fn any(men: u32) -> Chess {
        let mut material = Material::default();
        (2..men).for_each(|i| material.0[i as usize % 2][PAWN] += 1);
        Chess { any: true, ..Chess::new(material) }
    }

    /// Whether positions with this material belong to the game.
    fn admits(&self, material: &Material) -> bool {
        if self.any {
            material.men() <= self.material.men()
        } else {
            self.material.leads_to(material)
        }
    }

    fn men(&self) -> u32 {
        self.material.men() + 2
    }
}

/// The files on which the start puts men of each kind.
const FILES: [[u8; MAX_MEN]; 5] =
    [[4, 3, 5, 2], [1, 6, 2, 5], [5, 2, 6, 1], [0, 7, 1, 6], [3, 2, 5, 6]];

impl Rules for Chess {
    type Position = Position;
    type Move = Move;
    type Key = u64;

    const CYCLIC: bool = true;

    fn start(&self) -> Position {
        let mut taken = 1u64 << 4 | 1 << 60;
        let mut men: ArrayVec<Man, MAX_MEN> = ArrayVec::new();
        for player in [Player::First, Player::Second] {
            for kind in (PAWN..=QUEEN).rev() {
                for _ in 0..self.material.0[player.index()][kind] {
                    let rank = if kind == PAWN { 1 } else { 0 };
                    let rank = if player == Player::First { rank } else { 7 - rank };
                    // Every kind may find its files taken by another, but not all files.
                    let files = FILES[kind].into_iter().chain(0..8);
                    let square = files.map(|f| rank * 8 + f).find(|s| taken >> s & 1 == 0);
                    let Some(square) = square else { unreachable!("at most four men on a rank") };
                    taken |= 1 << square;
                    men.push(Man::new(player, kind, square));
                }
            }
        }
        Position::new([4, 60], &men, Player::First)
    }

    #[inline(always)]
    fn turn(&self, p: &Position) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Position) -> Option<Value> {
        if p.men().next().is_none() {
            return Some(0);
        }
        if p.has_move() {
            return None;
        }
        Some(if p.in_check() { -p.turn.sign() } else { 0 })
    }

    fn moves(&self, p: &Position, out: &mut MoveList<Move>) {
        let _ = p.legal(|m| {
            out.push(m);
            ControlFlow::Continue(())
        });
    }

    #[inline]
    fn play(&self, p: &Position, m: Move) -> Position {
        p.after(m)
    }

    /// The kings, the turn, the file of a pawn that may be taken en passant, ten bits a man.
    #[inline]
    fn key(&self, p: &Position) -> u64 {
        let mut key = 0;
        for m in &p.men[..self.material.men() as usize] {
            key = key << 10 | m.bits();
        }
        key = key << 12 | u64::from(p.kings[0]) << 6 | u64::from(p.kings[1]);
        (key << 4 | u64::from(p.passed)) << 1 | p.turn.index() as u64
    }

    fn key_bits(&self) -> u32 {
        17 + 10 * self.material.men()
    }

    /// Moves by their squares; promotions, which start on one of two ranks, by file, direction and kind.
    #[inline]
    fn code(&self, m: Move) -> usize {
        let (from, to) = (usize::from(m.from), usize::from(m.to));
        if m.becomes == 0 {
            return from * 64 + to;
        }
        let direction = (to & 7) + 1 - (from & 7);
        64 * 64 + ((from & 7) * 3 + direction) * 4 + usize::from(m.becomes) - KNIGHT
    }

    fn codes(&self) -> usize {
        64 * 64 + 8 * 3 * 4
    }

    /// Left and right may be exchanged; without pawns all eight symmetries of the board keep the moves.
    fn images(&self, p: &Position) -> Images<Position> {
        let mut images = Images::new();
        images.push(*p);
        images.push(p.mirrored());
        if !p.has_pawns() {
            for i in 0..2 {
                images.push(images[i].map(|s| s ^ 56));
            }
            for i in 0..4 {
                images.push(images[i].map(transposed));
            }
        }
        images
    }
}

/// Rank and file exchanged.
#[inline(always)]
fn transposed(square: u8) -> u8 {
    square >> 3 | (square & 7) << 3
}

/// The symmetry that brings a square into the triangle a1, d1, d4.
#[inline(always)]
fn to_triangle(square: u8) -> impl Fn(u8) -> u8 {
    let flip = if square & 7 > 3 { 7 } else { 0 } | if square >> 3 > 3 { 56 } else { 0 };
    let square = square ^ flip;
    let turn = square >> 3 > square & 7;
    move |s| if turn { transposed(s ^ flip) } else { s ^ flip }
}
