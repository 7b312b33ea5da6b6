//! Positions and moves of checkers as draughts players write them.
//!
//! Squares have numbers, from the top left. `11-15` is a step, `22x15x8` a capture; `22x8` will do where
//! only one capture leads there. A position is `B:W21,22,K30:B1,2`: whose turn it is (black, the first player, or
//! white), then the pieces of each side, kings with a K.

use super::{Checkers, Move, Path, Position};
use zermelo_game::{Cell, Game, MoveList, ParseError, Picture, Player, Style};

impl Checkers {
    /// The squares of a move as numbers, joined by `-` or `x`.
    fn join(&self, turn: Player, squares: &[u8], by: &str) -> String {
        let number = |&s: &u8| self.board.number(self.absolute_square(turn, s)).to_string();
        squares.iter().map(number).collect::<Vec<_>>().join(by)
    }

    /// The shortest form that tells the move from all others.
    pub(super) fn write_move(&self, p: &Position, m: Move) -> String {
        if m.taken == 0 {
            return self.join(p.turn, &[m.from, m.to], "-");
        }
        let mut list = MoveList::new();
        self.moves(p, &mut list);
        let alike = list.iter().filter(|o| (o.from, o.to) == (m.from, m.to)).count();
        let mut whole = Path::new();
        self.takes(p, |path, taken| {
            let same = (path[0], path[path.len() - 1], taken) == (m.from, m.to, m.taken);
            if same && whole.is_empty() {
                whole = path.clone();
            }
        });
        // Two squares that are the whole path of one capture name that one, and no longer one.
        match alike {
            1 => self.join(p.turn, &[m.from, m.to], "x"),
            _ => self.join(p.turn, &whole, "x"),
        }
    }

    /// Reads a step, a capture with all its squares, or one with start and end where that is enough.
    pub(super) fn read_move(&self, p: &Position, text: &str) -> Result<Move, ParseError> {
        let mut list = MoveList::new();
        if self.outcome(p).is_some() {
            return Err(ParseError::new("move", text, 0, "no move: the game is over"));
        }
        self.moves(p, &mut list);
        let legal = || {
            let texts: Vec<String> = list.iter().map(|m| self.write_move(p, m)).collect();
            format!("a legal move ({})", texts.join(" "))
        };
        let mut wanted: Vec<u8> = Vec::new();
        let mut at = 0;
        for word in text.split(['-', 'x', 'X', ':']) {
            let plain =
                !word.is_empty() && word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
            let square = word.parse().ok().filter(|_| plain).and_then(|n| self.board.square(n));
            let Some(square) = square else {
                return Err(ParseError::new("move", text, at, legal()));
            };
            wanted.push(match p.turn {
                Player::First => square as u8,
                Player::Second => self.board.turned(1 << square).trailing_zeros() as u8,
            });
            at += word.chars().count() + 1;
        }
        let (from, to) = (wanted[0], wanted[wanted.len() - 1]);
        let ends: Vec<Move> = list.iter().filter(|m| (m.from, m.to) == (from, to)).collect();
        let mut exact = None;
        self.takes(p, |path, taken| {
            if path.as_slice() == wanted {
                exact = ends.iter().find(|m| m.taken == taken).copied();
            }
        });
        match (exact, ends.as_slice()) {
            (Some(m), _) => Ok(m),
            (None, [m]) if wanted.len() == 2 => Ok(*m),
            (None, [_, _, ..]) if wanted.len() == 2 => {
                let end = text.chars().count();
                Err(ParseError::new("move", text, end, format!("all squares: {}", legal())))
            }
            _ => Err(ParseError::new("move", text, 0, legal())),
        }
    }

    /// The position as text.
    pub(super) fn write(&self, p: &Position) -> String {
        let [first, second, kings] = self.absolute(p);
        let side = |pieces: u32| {
            let squares = (0..32).filter(|s| pieces >> s & 1 == 1);
            let text = squares.map(|s| {
                let king = if kings >> s & 1 == 1 { "K" } else { "" };
                format!("{king}{}", self.board.number(s))
            });
            text.collect::<Vec<_>>().join(",")
        };
        let turn = if p.turn == Player::First { 'B' } else { 'W' };
        format!("{turn}:W{}:B{}", side(second), side(first))
    }

    /// Reads a position; the sides may come in any order.
    pub(super) fn read(&self, text: &str) -> Result<Position, ParseError> {
        let error =
            |at: usize, expected: &str| Err(ParseError::new("position", text, at, expected));
        let mut parts = text.split(':');
        let turn = match parts.next() {
            Some("B" | "b") => Player::First,
            Some("W" | "w") => Player::Second,
            _ => return error(0, "B or W to move and a colon, such as B:W21,K30:B1,2"),
        };
        let mut at = 2;
        let (mut sides, mut seen, mut kings) = ([0u32; 2], [false; 2], 0u32);
        for part in parts {
            let (side, list) = match part.chars().next() {
                Some('B' | 'b') => (0, &part[1..]),
                Some('W' | 'w') => (1, &part[1..]),
                _ => return error(at, "W or B, then the squares of that side, such as W21,22,K30"),
            };
            if std::mem::replace(&mut seen[side], true) {
                return error(at, "each side once");
            }
            at += 1;
            for word in list.split(',').filter(|_| !list.is_empty()) {
                let number = word.strip_prefix(['K', 'k']).unwrap_or(word);
                let plain = !number.is_empty()
                    && number.len() <= 2
                    && number.bytes().all(|b| b.is_ascii_digit());
                let square = number.parse().ok().filter(|_| plain);
                let Some(square) = square.and_then(|n| self.board.square(n)) else {
                    let squares = self.board.squares();
                    return error(at, &format!("a square from 1 to {squares}, kings with a K"));
                };
                if (sides[0] | sides[1]) >> square & 1 == 1 {
                    return error(at, "each square once");
                }
                let crowned = [self.board.far, self.board.near][side] >> square & 1 == 1;
                if number.len() < word.len() {
                    kings |= 1 << square;
                } else if crowned {
                    return error(at, "a K: men become kings in this row");
                }
                sides[side] |= 1 << square;
                at += word.chars().count() + 1;
            }
            at += usize::from(list.is_empty());
        }
        if seen != [true; 2] {
            return error(
                text.chars().count(),
                "the squares of both sides, such as B:W21,K30:B1,2",
            );
        }
        let turned = |set| self.board.turned(set);
        Ok(match turn {
            Player::First => Position { own: sides[0], other: sides[1], kings, turn },
            Player::Second => {
                let (own, other) = (turned(sides[1]), turned(sides[0]));
                Position { own, other, kings: turned(kings), turn }
            }
        })
    }

    /// The picture.
    pub(super) fn draw(&self, p: &Position) -> Picture {
        let [first, second, kings] = self.absolute(p);
        let mut cells = [Cell::Empty; 64];
        for square in (0..32).filter(|s| (first | second) >> s & 1 == 1) {
            let has = |set: u32| set >> square & 1 == 1;
            cells[self.board.cell(square) as usize] = match (has(first), has(kings)) {
                (true, false) => Cell::First,
                (true, true) => Cell::FirstKing,
                (false, false) => Cell::Second,
                (false, true) => Cell::SecondKing,
            };
        }
        let (rows, cols) = (self.board.rows, 2 * self.board.width);
        Picture::board(rows, cols, Style::Chequered, |cell| cells[cell as usize])
    }
}
