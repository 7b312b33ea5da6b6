//! Chess in text: material as `KRPKR`, positions as FEN, squares by name; and in pictures.

use super::position::{LETTERS, MAX_MEN, Man, Move, NO_FILE, PAWN, Position};
use super::{Chess, MOST, san};
use arrayvec::ArrayVec;
use zermelo_game::{
    Cell, Footprint, Notation, ParseError, Picture, Player, Style, movetext, notation,
};

impl Notation for Chess {
    fn name(&self) -> String {
        if self.any {
            return format!("chess {}", self.men());
        }
        format!("chess {}{}", self.material.side_text(0), self.material.side_text(1))
    }

    fn rules_text(&self) -> String {
        let material = if self.any {
            format!("any material of up to {} men", self.men())
        } else {
            format!("{} against {}", self.material.side_text(0), self.material.side_text(1))
        };
        format!(
            "Chess by the laws of FIDE with {material}: mate wins, stalemate is a draw. White is the first player. There \
             is no castling and no rule of fifty or seventy-five moves; a repeated position is a draw, and so \
             are bare kings; other positions in which nobody can mate are played on. En passant and promotion to queen, rook, bishop or knight are as usual; a right to take \
             en passant counts only where such a move is legal. The start has the kings on e1 and e8 and the \
             other men on their side's first two ranks, white to move. Positions are written in FEN, which names the material \
             too; moves by their squares (c1c2, e7e8q), and they are also read in SAN (Qc2, Kxd4, e8=Q+) and from PGN."
        )
    }

    fn move_text(&self, _: &Position, m: Move) -> String {
        let mut text = square_name(m.from) + &square_name(m.to);
        if m.becomes > 0 {
            text.push(LETTERS[usize::from(m.becomes)].to_ascii_lowercase());
        }
        text
    }

    /// Squares, whatever the case, or SAN. Where a text is both (`B4c5`, a bishop from the fourth rank or any man from b4), it is
    /// SAN, if that is a legal move.
    fn parse_move(&self, p: &Position, text: &str) -> Result<Move, ParseError> {
        let listed = notation::parse_listed(self, p, text);
        if listed.is_ok() && !san::names_bishops_rank(text) {
            return listed;
        }
        san::read(self, p, text).unwrap_or(listed)
    }

    fn why_illegal(&self, p: &Position, text: &str) -> Option<String> {
        san::why_illegal(p, text)
    }

    /// A list of moves, or the movetext of PGN.
    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        movetext::recorded(text)
    }

    fn position_text(&self, p: &Position) -> String {
        fen(p)
    }

    /// With the colours exchanged, too: it is the same position to the player to move, and a database numbers its positions
    /// with that player as white.
    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let p = read_fen(text, self.men() as usize)?;
        let material = Material::of(&p);
        if self.admits(&material) || self.admits(&material.swapped()) {
            return Ok(p);
        }
        let sides = [self.material.side_text(0), self.material.side_text(1)];
        let expected = format!(
            "what can come of {} against {}, or the same with the colours exchanged",
            sides[0], sides[1]
        );
        Err(ParseError::new("position", text, 0, expected))
    }

    fn picture(&self, p: &Position) -> Picture {
        Picture::board(8, 8, Style::Chequered, |cell| match letter_at(p, cell as u8) {
            Some(text) => Cell::Piece { text, figure: figure(text) },
            None => Cell::Empty,
        })
    }

    fn footprint(&self, _: &Position, m: Move) -> Option<Footprint> {
        Some(Footprint::step(m.from.into(), m.to.into()))
    }
}

/// How many men of each kind beside the king both players have: first the first player's, or the player's to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub struct Material(pub(super) [[u8; 5]; 2]);

impl Material {
    /// The men of a position.
    #[must_use]
    pub fn of(p: &Position) -> Material {
        let mut material = Material::default();
        p.men().for_each(|m| material.0[m.owner().index()][m.kind()] += 1);
        material
    }

    /// Reads `KRPKR`: the kings, each before the men of its side.
    #[must_use]
    pub fn parse(text: &str) -> Option<Material> {
        let mut material = Material::default();
        let mut side = None;
        for c in text.chars() {
            let c = c.to_ascii_uppercase();
            side = match (c, side) {
                ('K', None) => Some(0),
                ('K', Some(0)) => Some(1),
                (_, Some(side)) => {
                    let kind = LETTERS.iter().position(|l| *l == c)?;
                    let count: &mut u8 = &mut material.0[side][kind];
                    *count += 1;
                    Some(side)
                }
                _ => return None,
            };
            if material.men() > MAX_MEN as u32 {
                return None;
            }
        }
        (side == Some(1)).then_some(material)
    }

    /// How many men there are beside the kings.
    #[must_use]
    pub fn men(&self) -> u32 {
        self.0.iter().flatten().map(|n| u32::from(*n)).sum()
    }

    /// How many pawns there are.
    #[must_use]
    pub fn pawns(&self) -> u32 {
        self.0.iter().map(|side| u32::from(side[PAWN])).sum()
    }

    /// The same seen by the other player.
    #[must_use]
    pub fn swapped(&self) -> Material {
        Material([self.0[1], self.0[0]])
    }

    /// One side's men with the king, queens first: `KRP`.
    #[must_use]
    pub fn side_text(&self, side: usize) -> String {
        let men = (0..5).rev().flat_map(|k| (0..self.0[side][k]).map(move |_| LETTERS[k]));
        std::iter::once('K').chain(men).collect()
    }

    /// Whether captures and promotions can lead from here to `later`.
    #[must_use]
    pub fn leads_to(&self, later: &Material) -> bool {
        self.0.iter().zip(&later.0).all(|(now, then)| {
            let new: u8 = (PAWN + 1..5).map(|k| then[k].saturating_sub(now[k])).sum();
            then[PAWN] + new <= now[PAWN]
        })
    }
}

/// The name of the game that a position belongs to, the stronger side first: what `chess` alone means where a position is
/// given.
pub(crate) fn name_of(position: &str) -> Result<String, ParseError> {
    let material = Material::of(&read_fen(position, MOST as usize)?);
    let worth = |side: usize| -> u32 {
        material.0[side]
            .iter()
            .zip([1, 3, 3, 5, 9])
            .map(|(&count, each)| u32::from(count) * each)
            .sum()
    };
    let material = if worth(1) > worth(0) { material.swapped() } else { material };
    Ok(Chess::new(material).name())
}

/// The name of a square.
pub(super) fn square_name(square: u8) -> String {
    format!("{}{}", char::from(b'a' + (square & 7)), (square >> 3) + 1)
}

/// The man on each square, as FEN writes it.
fn letter_at(p: &Position, square: u8) -> Option<char> {
    if p.kings[0] == square {
        return Some('K');
    }
    if p.kings[1] == square {
        return Some('k');
    }
    p.men().find(|m| m.square() == square).map(|m| match m.owner() {
        Player::First => LETTERS[m.kind()],
        Player::Second => LETTERS[m.kind()].to_ascii_lowercase(),
    })
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

/// The position in FEN.
fn fen(p: &Position) -> String {
    let mut out = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match letter_at(p, rank * 8 + file) {
                None => empty += 1,
                Some(letter) => {
                    if empty > 0 {
                        out += &empty.to_string();
                    }
                    empty = 0;
                    out.push(letter);
                }
            }
        }
        if empty > 0 {
            out += &empty.to_string();
        }
        out.push(if rank > 0 { '/' } else { ' ' });
    }
    let (turn, rank) = match p.turn {
        Player::First => ('w', 40),
        Player::Second => ('b', 16),
    };
    let passed = if p.passed == NO_FILE { "-".into() } else { square_name(rank + p.passed) };
    format!("{out}{turn} - {passed} 0 1")
}

/// Reads FEN, or the FEN tag of PGN.
fn read_fen(text: &str, limit: usize) -> Result<Position, ParseError> {
    let (before, fen) = movetext::fen(text);
    parse_fen(fen, limit).map_err(|error| error.within(text, before))
}

/// Reads FEN. The counters at the end may be left out and mean nothing. `limit` is the most men, kings included.
fn parse_fen(text: &str, limit: usize) -> Result<Position, ParseError> {
    let error = |at: usize, expected: &str| Err(ParseError::new("position", text, at, expected));
    let mut fields = Vec::new();
    let mut at = 0;
    for word in text.split(' ') {
        fields.push((at, word));
        at += word.chars().count() + 1;
    }
    let end = at - 1;
    let field = |i: usize, expected: &str| {
        fields.get(i).copied().ok_or_else(|| ParseError::new("position", text, end, expected))
    };
    let (_, board) = fields[0];
    let (kings, men) = parse_board(text, board, limit)?;
    let (at, turn) = field(1, "' w' or ' b': who is to move")?;
    let turn = match turn {
        "w" => Player::First,
        "b" => Player::Second,
        _ => return error(at, "'w' or 'b': who is to move"),
    };
    let (at, castling) = field(2, "' -': no castling")?;
    if castling != "-" {
        return error(at, "'-': there is no castling in these endings");
    }
    let (at, passed) = field(3, "' -' or the square behind a pawn that may be taken en passant")?;
    let mut p = Position::new(kings, &men, turn);
    if passed != "-" {
        let rank = if turn == Player::First { 40 } else { 16 };
        let file = (0..8).find(|f| square_name(rank + f) == passed);
        p.passed = file.unwrap_or(NO_FILE);
        if file.is_none() || !p.passed_pawn_fits() {
            return error(at, "'-' or the square behind a pawn that has just gone two squares");
        }
        p.drop_idle_right();
    }
    for (i, &(at, word)) in fields.iter().enumerate().skip(4) {
        if i > 5 || word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) {
            return error(at, "the two counters of FEN or nothing");
        }
    }
    if p.is_illegal() {
        let (at, _) = fields[1];
        return error(at, "the other side to move: the king of the side not to move is attacked");
    }
    Ok(p)
}

type Pieces = ([u8; 2], ArrayVec<Man, MAX_MEN>);

fn parse_board(text: &str, board: &str, limit: usize) -> Result<Pieces, ParseError> {
    let error = |at: usize, expected: String| Err(ParseError::new("position", text, at, expected));
    let (mut kings, mut men) = ([None; 2], ArrayVec::new());
    let (mut rank, mut file) = (7u8, 0u8);
    for (at, c) in board.chars().enumerate() {
        let owner = if c.is_ascii_uppercase() { Player::First } else { Player::Second };
        let upper = c.to_ascii_uppercase();
        let kind = LETTERS.iter().position(|l| *l == upper);
        match c {
            '/' if file == 8 && rank > 0 => {
                (rank, file) = (rank - 1, 0);
                continue;
            }
            '1'..='8' if file + (c as u8 - b'0') <= 8 => {
                file += c as u8 - b'0';
                continue;
            }
            _ if file == 8 => return error(at, "'/' after eight squares, or a blank".into()),
            _ if upper == 'K' => {
                let king = &mut kings[owner.index()];
                if king.replace(rank * 8 + file).is_some() {
                    return error(at, "one king a side".into());
                }
            }
            _ => match kind {
                Some(PAWN) if rank == 0 || rank == 7 => {
                    return error(at, "no pawn on the first and the last rank".into());
                }
                Some(_) if men.len() + 2 >= limit => {
                    return error(at, format!("at most {limit} men"));
                }
                Some(kind) => men.push(Man::new(owner, kind, rank * 8 + file)),
                None => return error(at, "one of KQRBNPkqrbnp, or 1 to 8 empty squares".into()),
            },
        }
        file += 1;
    }
    let end = board.chars().count();
    if (rank, file) != (0, 8) {
        return error(end, "eight rows of eight squares, joined by '/'".into());
    }
    match kings {
        [Some(white), Some(black)] => Ok(([white, black], men)),
        _ => error(end, "a king for each side".into()),
    }
}
