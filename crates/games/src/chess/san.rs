//! Moves of chess as people write them: SAN (`Kd4`, `Nbd2`, `Qxb7+`, `e8=Q#`), and coordinates with or without a letter and a
//! sign (`c1c2`, `Qc1-c2`, `e7-e8=Q`).
//!
//! Marks of check, mate and praise are not compared. A capture may lack its `x`, but an `x` must capture. Letters of men may be
//! small, except the bishop's, as `bc5` is a pawn's move.

use super::notation::square_name;
use super::position::{LETTERS, Move, PAWN, Position};
use super::{Chess, Man};
use zermelo_game::{Bits, MoveList, ParseError, Player, Rules};

/// What stands on a square: the number of a kind, or this for a king.
const KING: usize = LETTERS.len();

/// What a text says of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct San {
    /// `None` where the squares alone name the move.
    kind: Option<usize>,
    file: Option<u8>,
    rank: Option<u8>,
    takes: bool,
    to: u8,
    becomes: u8,
}

/// The kind that a letter stands for.
fn kind_of(letter: char) -> Option<usize> {
    let upper = letter.to_ascii_uppercase();
    if upper == 'K' { Some(KING) } else { LETTERS.iter().position(|l| *l == upper) }
}

/// The name of a kind.
fn word(kind: usize) -> &'static str {
    ["pawn", "knight", "bishop", "rook", "queen", "king"][kind]
}

impl San {
    fn read(text: &str) -> Option<San> {
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        let (file, rank) = (|c: &char| ('a'..='h').contains(c), |c: &char| ('1'..='8').contains(c));
        let mut chars: Vec<char> = text.chars().collect();
        let letter = chars.first().copied().filter(|c| "KQRBNkqrn".contains(*c));
        if letter.is_some() {
            chars.remove(0);
        }
        let mut becomes = 0;
        if let Some(kind) =
            chars.last().copied().filter(char::is_ascii_alphabetic).and_then(kind_of)
        {
            if kind == PAWN || kind == KING {
                return None;
            }
            becomes = kind as u8;
            chars.pop();
            if chars.last() == Some(&'=') {
                chars.pop();
            }
        }
        let to_rank = chars.pop().filter(rank)?;
        let to_file = chars.pop().filter(file)?;
        let sign = chars.pop_if(|c| "x:X-".contains(*c));
        let from_rank = chars.pop_if(|c| rank(c));
        let from_file = chars.pop_if(|c| file(c));
        let fits =
            chars.is_empty() && (sign != Some('-') || from_file.is_some() && from_rank.is_some());
        let line = |c: char| if c.is_ascii_digit() { c as u8 - b'1' } else { c as u8 - b'a' };
        let kind = match letter {
            Some(letter) => kind_of(letter),
            None if from_file.is_some() && from_rank.is_some() => None,
            None => Some(PAWN),
        };
        fits.then_some(San {
            kind,
            file: from_file.map(line),
            rank: from_rank.map(line),
            takes: sign.is_some_and(|sign| sign != '-'),
            to: line(to_rank) * 8 + line(to_file),
            becomes,
        })
    }

    /// Whether a man of a kind on a square can be the one that moves.
    fn may_be(&self, kind: usize, from: u8) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
            && self.file.is_none_or(|file| file == from & 7)
            && self.rank.is_none_or(|rank| rank == from >> 3)
    }

    /// The legal moves that the text can mean.
    fn moves(&self, game: &Chess, p: &Position) -> Vec<Move> {
        let mut list = MoveList::new();
        if game.outcome(p).is_none() {
            game.moves(p, &mut list);
        }
        let fits = |m: &Move| {
            let kind = kind_at(p, m.from);
            (m.to, m.becomes) == (self.to, self.becomes)
                && kind.is_some_and(|kind| self.may_be(kind, m.from))
                && (!self.takes || takes(p, *m))
        };
        list.iter().filter(fits).collect()
    }
}

/// The kind of the man on a square.
fn kind_at(p: &Position, square: u8) -> Option<usize> {
    match p.kings.contains(&square) {
        true => Some(KING),
        false => man_at(p, square).map(Man::kind),
    }
}

/// The man on a square, apart from kings.
fn man_at(p: &Position, square: u8) -> Option<Man> {
    p.men().find(|m| m.square() == square)
}

/// Who has a man on a square.
fn owner_at(p: &Position, square: u8) -> Option<Player> {
    match p.kings.iter().position(|king| *king == square) {
        Some(i) => Some(Player::from_index(i)),
        None => man_at(p, square).map(Man::owner),
    }
}

/// Whether a legal move takes a man.
fn takes(p: &Position, m: Move) -> bool {
    let pawn = man_at(p, m.from).is_some_and(|man| man.kind() == PAWN);
    p.occupied().has(m.to.into()) || pawn && m.from & 7 != m.to & 7
}

/// A legal move in SAN.
pub(super) fn write(game: &Chess, p: &Position, m: Move) -> String {
    let kind = kind_at(p, m.from).expect("a man moves");
    let name = square_name(m.from);
    let (file, rank) = name.split_at(1);
    let (mut text, takes) = (String::new(), takes(p, m));
    if kind == PAWN {
        text += if takes { file } else { "" };
    } else {
        text.push(if kind == KING { 'K' } else { LETTERS[kind] });
        let short = San {
            kind: Some(kind),
            file: None,
            rank: None,
            takes: false,
            to: m.to,
            becomes: m.becomes,
        };
        let others = short.moves(game, p);
        let alike = |f: fn(u8) -> u8| others.iter().filter(|o| f(o.from) == f(m.from)).count();
        text += match () {
            () if others.len() == 1 => "",
            () if alike(|s| s & 7) == 1 => file,
            () if alike(|s| s >> 3) == 1 => rank,
            () => &name,
        };
    }
    text += if takes { "x" } else { "" };
    text += &square_name(m.to);
    if m.becomes > 0 {
        text.push('=');
        text.push(LETTERS[usize::from(m.becomes)]);
    }
    let next = game.play(p, m);
    if next.in_check() {
        text.push(if next.has_move() { '+' } else { '#' });
    }
    text
}

/// Whether a text begins as the move of a bishop from some rank, as `B4c5`, which read as coordinates would be `b4c5`.
pub(super) fn names_bishops_rank(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('B') && chars.next().is_some_and(|c| c.is_ascii_digit())
}

/// The legal move that the text names, if it is one and only one; an error if several are; `None` if none is.
pub(super) fn read(game: &Chess, p: &Position, text: &str) -> Option<Result<Move, ParseError>> {
    match San::read(text)?.moves(game, p).as_slice() {
        [] => None,
        [m] => Some(Ok(*m)),
        several => {
            let texts: Vec<String> = several.iter().map(|m| write(game, p, *m)).collect();
            let expected = format!("one of them ({})", texts.join(" "));
            let reason = format!("{text} can be several moves");
            Some(Err(ParseError::new("move", text, 0, expected).because(reason)))
        }
    }
}

/// Why the text names no legal move.
pub(super) fn why_illegal(p: &Position, text: &str) -> Option<String> {
    if ["O-O", "0-0", "O-O-O", "0-0-0"].contains(&text.trim_end_matches(['+', '#', '!', '?'])) {
        return Some("there is no castling in these endings".into());
    }
    let san = San::read(text)?;
    let (me, side) = (p.turn, colour(p.turn));
    let to = square_name(san.to);
    // The men that may be meant; the squares they stand on.
    let mine = (0..64).filter(|&s| owner_at(p, s) == Some(me));
    let meant: Vec<(usize, u8)> = mine
        .filter_map(|s| kind_at(p, s).map(|kind| (kind, s)))
        .filter(|&(kind, s)| san.may_be(kind, s))
        .collect();
    if meant.is_empty() {
        return Some(match (san.file, san.rank) {
            (Some(file), Some(rank)) => {
                let square = rank * 8 + file;
                let name = square_name(square);
                match (owner_at(p, square), san.kind) {
                    (None, _) => format!("{name} is empty"),
                    (Some(owner), _) if owner != me => {
                        format!("the man on {name} is {}'s, and {side} is to move", colour(owner))
                    }
                    (_, kind) => format!("there is no {} on {name}", word(kind.unwrap_or(PAWN))),
                }
            }
            _ => format!("{side} has no such {}", word(san.kind.unwrap_or(PAWN))),
        });
    }
    if owner_at(p, san.to) == Some(me) {
        return Some(format!("{to} holds a man of {side}'s own"));
    }
    let occupied = p.occupied();
    let reaches: Vec<(usize, u8)> = meant
        .iter()
        .copied()
        .filter(|&(_, from)| p.targets(from, occupied).has(san.to.into()))
        .collect();
    let Some(&(kind, from)) = reaches.first() else {
        let (kind, from) = meant[0];
        let (name, square) = (word(kind), square_name(from));
        // A board with nothing on it but this man: what cannot be reached there is no move of its kind.
        let near = p.targets(from, 1 << from).has(san.to.into());
        let ahead = kind == PAWN && from & 7 == san.to & 7;
        return Some(match meant.len() {
            1 if kind == PAWN && !ahead && p.attacks_from(from).has(san.to.into()) => {
                format!(
                    "there is nothing to take on {to}, and a pawn goes straight ahead otherwise"
                )
            }
            1 if near => format!("there is a man in the way from {square} to {to}"),
            1 => format!("a {name} does not go from {square} to {to}"),
            _ => format!("no {name} of {side}'s can go to {to}"),
        });
    };
    let m = Move { from, to: san.to, becomes: san.becomes };
    if san.takes && !takes(p, m) {
        return Some(format!("there is nothing to take on {to}"));
    }
    let promotes = kind == PAWN && !(8..56).contains(&san.to);
    match (promotes, san.becomes > 0) {
        (true, false) => return Some(format!("say what the pawn becomes: {to}=Q, =R, =B or =N")),
        (false, true) => return Some("only a pawn on the last rank becomes another man".into()),
        _ => {}
    }
    Some(match (kind, p.in_check()) {
        (KING, _) => format!("the king would be attacked on {to}"),
        (_, true) => "the king is in check, and stays so".into(),
        (_, false) => {
            format!("the man on {} is pinned: the king would be in check", square_name(from))
        }
    })
}

fn colour(player: Player) -> &'static str {
    match player {
        Player::First => "white",
        Player::Second => "black",
    }
}
