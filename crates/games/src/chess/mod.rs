//! Chess with few men: endings by the names of the literature, `chess KRK`.
//!
//! White is the first player. The position and its moves are in `position`, names and FEN in `notation`, the numbers of positions
//! for databases in `index`. The values are win, draw and loss: there is no rule of fifty moves, and a position that
//! comes back is a draw, so that a win is a mate that can be forced.

mod index;
mod notation;
mod position;
#[cfg(test)]
mod tests;

pub use notation::Material;
pub use position::{MAX_MEN, Man, Move, Position};

use crate::registry::{Args, Entry, Visitor};
use arrayvec::ArrayVec;
use notation::square_name;
use position::{BISHOP, KNIGHT, LETTERS, PAWN, QUEEN};
use std::ops::ControlFlow;
use zermelo_game::{
    Bounds, Cell, Footprint, Game, Images, MoveList, ParseError, Picture, Player, Style, Value,
};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "chess",
    usage: "chess MATERIAL (such as KRK or KQKR) | chess MEN (3 to 6, any material)",
    example: "chess KRK",
    summary: "chess endings with up to six men",
};

/// The most men with the kings.
const MOST: u32 = MAX_MEN as u32 + 2;

/// Reads the words after the name.
pub(crate) fn read(mut args: Args) -> Result<Chess, ParseError> {
    let usage = "the material, white first, such as KRK or KPKP (up to 6 men), or the number of men, 3 to 6";
    let any = args.size(usage, |[men]: [u32; 1]| (3..=MOST).contains(&men))?;
    let game = if let Some([men]) = any {
        Chess::any(men)
    } else {
        let end = args.text().chars().count();
        let (at, word) = args.word().ok_or_else(|| args.error_at(end, usage))?;
        Chess::new(Material::parse(word).ok_or_else(|| args.error_at(at, usage))?)
    };
    args.end(ENTRY.usage)?;
    Ok(game)
}

/// Opens `chess KRK` or `chess 4`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    Ok(visitor.visit(read(args)?))
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

impl Game for Chess {
    type Position = Position;
    type Move = Move;
    type Key = u64;

    const CYCLIC: bool = true;

    fn name(&self) -> String {
        if self.any {
            return format!("chess {}", self.men());
        }
        format!("chess {}{}", self.material.side_text(0), self.material.side_text(1))
    }

    fn rules(&self) -> String {
        let material = if self.any {
            format!("any material of up to {} men", self.men())
        } else {
            format!("{} against {}", self.material.side_text(0), self.material.side_text(1))
        };
        format!(
            "Chess by the laws of FIDE with {material}: mate wins, stalemate is a draw. White is the first player. There \
             is no castling and no rule of fifty or seventy-five moves; a position that comes back is a draw, and so \
             are bare kings; other positions in which nobody can mate are played on. En passant and promotion to queen, rook, bishop or knight are as usual; a right to take \
             en passant counts only where such a move is legal. The start has the kings on e1 and e8 and the \
             other men on their side's first two ranks, white to move."
        )
    }

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

    fn move_text(&self, _: &Position, m: Move) -> String {
        let mut text = square_name(m.from) + &square_name(m.to);
        if m.becomes > 0 {
            text.push(LETTERS[usize::from(m.becomes)].to_ascii_lowercase());
        }
        text
    }

    fn position_text(&self, p: &Position) -> String {
        notation::fen(p)
    }

    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let p = notation::parse_fen(text, self.men() as usize)?;
        if self.admits(&Material::of(&p)) {
            return Ok(p);
        }
        let sides = [self.material.side_text(0), self.material.side_text(1)];
        let expected = format!("what can come of {} against {}", sides[0], sides[1]);
        Err(ParseError::new("position", text, 0, expected))
    }

    fn picture(&self, p: &Position) -> Picture {
        Picture::board(8, 8, Style::Chequered, |cell| match notation::letter_at(p, cell as u8) {
            Some(text) => Cell::Piece { text, figure: figure(text) },
            None => Cell::Empty,
        })
    }

    fn footprint(&self, _: &Position, m: Move) -> Option<Footprint> {
        Some(Footprint::step(m.from.into(), m.to.into()))
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

    /// The white king on the left half, or in a triangle of ten squares; on its diagonal the smaller key.
    #[inline]
    fn canonical(&self, p: &Position) -> Position {
        if p.has_pawns() {
            return if p.kings[0] & 7 > 3 { p.mirrored() } else { *p };
        }
        let q = p.map(to_triangle(p.kings[0]));
        if q.kings[0] & 7 != q.kings[0] >> 3 {
            return q;
        }
        let r = q.map(transposed);
        if self.key(&q) <= self.key(&r) { q } else { r }
    }

    /// A bare king cannot win; nor can anyone where the other side has a single knight or bishop, with which there is no mate.
    #[inline]
    fn static_bounds(&self, p: &Position) -> Bounds {
        if let Some(value) = self.outcome(p) {
            return Bounds::exact(value);
        }
        let bare = |player| p.men().all(|m| m.owner() != player);
        let minor = |m: Man| m.kind() == KNIGHT || m.kind() == BISHOP;
        let alone = p.men().count() == 1 && p.men().all(minor);
        let may = |player| Value::from(!alone && !bare(player));
        Bounds::new(-may(Player::Second), may(Player::First))
    }

    /// All moves; promotions and captures first.
    #[inline]
    fn relevant(&self, p: &Position, out: &mut MoveList<Move>) -> Value {
        let occupied = p.occupied();
        let _ = p.legal(|m| {
            let takes = (occupied >> m.to & 1) as i32;
            out.push_scored(m, 2 * takes + i32::from(usize::from(m.becomes) == QUEEN));
            ControlFlow::Continue(())
        });
        -1
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

/// The figure that shows a man in print.
fn figure(letter: char) -> char {
    const FIGURES: [(char, char); 12] = [
        ('K', '♔'),
        ('Q', '♕'),
        ('R', '♖'),
        ('B', '♗'),
        ('N', '♘'),
        ('P', '♙'),
        ('k', '♚'),
        ('q', '♛'),
        ('r', '♜'),
        ('b', '♝'),
        ('n', '♞'),
        ('p', '♟'),
    ];
    FIGURES.iter().find(|(l, _)| *l == letter).map_or(letter, |(_, f)| *f)
}
