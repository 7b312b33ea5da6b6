//! Names, texts and pictures of checkers. Positions and moves are written as draughts players write them.
//!
//! Squares have numbers, from the top left. `11-15` is a step, `22x15x8` a capture; `22x8` will do where
//! only one capture leads there. A position is `B:W21,22,K30:B1,2`: whose turn it is (black, the first player, or
//! white), then the pieces of each side, kings with a K. The FEN tag of PDN is read as a position, and the movetext of PDN as a
//! list of moves.

use super::board::DIRECTIONS;
use super::{Checkers, Move, Path, Position};
use crate::illegal::belongs;
use zermelo_game::{
    Cell, Footprint, MoveList, Notation, ParseError, Picture, Player, Rules, Style, movetext,
};

impl Notation for Checkers {
    fn name(&self) -> String {
        format!("checkers {}x{}", self.board.rows, 2 * self.board.width)
    }

    fn rules_text(&self) -> String {
        let men = (self.board.rows - 2) / 2 * self.board.width;
        format!(
            "English draughts on the dark squares. Each side has {men} men, which step diagonally forward; the \
             first player (black) has the top of the board and the small numbers and moves down. A piece \
             takes an enemy piece next to it by jumping to the empty square behind it, forward only for men. \
             Who can take must take, and jump on with the same piece as long as it can, but is free to choose among \
             captures, also of fewer pieces. A man that reaches the last row becomes a king, which steps and \
             jumps backward too; that ends the move. Who cannot move, with or without pieces left, has lost. \
             A position that comes back makes a draw. Captures that end on the same square and take the same \
             pieces are one move. Squares have numbers, from the top left: 11-15 is a step, 22x15 a capture, and where two \
             captures have the same ends all squares are named, 22x15x8. Positions are written B:W21,K30:B1,2 (black to \
             move); the FEN tag and the moves of PDN are read, too."
        )
    }

    /// The shortest form that tells the move from all others.
    fn move_text(&self, p: &Position, m: Move) -> String {
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
    fn parse_move(&self, p: &Position, text: &str) -> Result<Move, ParseError> {
        let mut list = MoveList::new();
        if self.outcome(p).is_some() {
            return Err(ParseError::new("move", text, 0, "no move: the game is over"));
        }
        self.moves(p, &mut list);
        let error = |at: usize, expected: String| {
            let error = ParseError::new("move", text, at, expected);
            match self.why_illegal(p, text) {
                Some(reason) => error.because(reason),
                None => error,
            }
        };
        let legal = || {
            let texts: Vec<String> = list.iter().map(|m| self.move_text(p, m)).collect();
            format!("a legal move ({})", texts.join(" "))
        };
        let wanted = self.path(p.turn, text).map_err(|at| error(at, legal()))?;
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
            _ => Err(error(0, legal())),
        }
    }

    fn why_illegal(&self, p: &Position, text: &str) -> Option<String> {
        if text.starts_with('[') {
            return Some("a FEN tag is a position, not a move".into());
        }
        let number = |square: u8| self.board.number(self.absolute_square(p.turn, square));
        let wanted = match self.path(p.turn, text) {
            Ok(path) => path,
            Err(at) => {
                let digits: String =
                    text.chars().skip(at).take_while(char::is_ascii_digit).collect();
                let last = self.board.squares();
                return (!digits.is_empty())
                    .then(|| format!("there is no square {digits}: squares are 1 to {last}"));
            }
        };
        let [from, .., to] = *wanted.as_slice() else {
            return Some("a move has two squares or more, such as 11-15".into());
        };
        let (start, end) = (1u32 << from, 1u32 << to);
        if start & p.other != 0 {
            return Some(belongs(&format!("the piece on {}", number(from)), p.turn.other()));
        } else if start & p.own == 0 {
            return Some(format!("there is no piece on {}", number(from)));
        }
        if self.can_take(p) {
            let (mut starts, mut goes_on) = (false, None);
            self.takes(p, |path, _| {
                starts |= path[0] == from;
                if path.starts_with(&wanted) {
                    goes_on = Some(self.join(p.turn, path, "x"));
                }
            });
            return Some(match goes_on {
                Some(whole) => format!("the piece must jump on: {whole}"),
                None if starts => "who can take must take, and no capture goes so".into(),
                None => "who can take must take, and another piece can".into(),
            });
        }
        let king = start & p.kings != 0;
        let beside = DIRECTIONS.into_iter().find(|&d| self.board.step(start, d) == end);
        Some(match beside {
            _ if end & (p.own | p.other) != 0 => format!("there is a piece on {}", number(to)),
            Some(2..) if !king => "men go forward only".into(),
            Some(_) if wanted.len() == 2 => return None,
            _ if wanted.len() > 2 || text.contains(['x', 'X', ':']) => {
                "there is nothing to take that way".into()
            }
            _ => format!("{} and {} are not diagonal neighbours", number(from), number(to)),
        })
    }

    /// A list of moves, or the movetext of PDN.
    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        movetext::recorded(text)
    }

    fn position_text(&self, p: &Position) -> String {
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

    /// Reads a position, or a FEN tag of PDN with one.
    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let (before, fen) = movetext::fen(text);
        self.parse_fen(fen).map_err(|error| error.within(text, before))
    }

    fn picture(&self, p: &Position) -> Picture {
        let [first, second, kings] = self.absolute(p);
        let (mut cells, mut numbers) = ([Cell::Empty; 64], [None; 64]);
        for square in (0..32).filter(|s| self.board.all >> s & 1 == 1) {
            let has = |set: u32| set >> square & 1 == 1;
            let cell = self.board.cell(square) as usize;
            numbers[cell] = Some(self.board.number(square));
            cells[cell] = match (has(first), has(second), has(kings)) {
                (true, _, false) => Cell::First,
                (true, _, true) => Cell::FirstKing,
                (_, true, false) => Cell::Second,
                (_, true, true) => Cell::SecondKing,
                _ => Cell::Empty,
            };
        }
        let (rows, cols) = (self.board.rows, 2 * self.board.width);
        Picture::board(rows, cols, Style::Chequered, |cell| cells[cell as usize])
            .with_names(|cell| numbers[cell as usize].map_or(String::new(), |n| n.to_string()))
    }

    fn footprint(&self, p: &Position, m: Move) -> Option<Footprint> {
        let cell = |square| self.board.cell(self.absolute_square(p.turn, square));
        Some(Footprint::step(cell(m.from), cell(m.to)))
    }
}

impl Checkers {
    /// The squares of a move as the player to move sees them, or the character at which there is none.
    fn path(&self, turn: Player, text: &str) -> Result<Vec<u8>, usize> {
        let (mut path, mut at) = (Vec::new(), 0);
        for word in text.split(['-', 'x', 'X', ':']) {
            let plain =
                !word.is_empty() && word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
            let square = word.parse().ok().filter(|_| plain).and_then(|n| self.board.square(n));
            let square = square.ok_or(at)?;
            path.push(match turn {
                Player::First => square as u8,
                Player::Second => self.board.turned(1 << square).trailing_zeros() as u8,
            });
            at += word.chars().count() + 1;
        }
        Ok(path)
    }

    /// Reads a position; the sides may come in any order, a full stop at the end means nothing.
    fn parse_fen(&self, text: &str) -> Result<Position, ParseError> {
        let error =
            |at: usize, expected: &str| Err(ParseError::new("position", text, at, expected));
        let text = text.strip_suffix('.').unwrap_or(text);
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
                let read = |number: &str| {
                    let plain = !number.is_empty()
                        && number.len() <= 2
                        && number.bytes().all(|b| b.is_ascii_digit());
                    let number: Option<u32> = number.parse().ok().filter(|_| plain);
                    number.filter(|n| self.board.square(*n).is_some())
                };
                let (first, last) = number.split_once('-').unwrap_or((number, number));
                let (Some(first), Some(last)) = (read(first), read(last)) else {
                    let squares = self.board.squares();
                    return error(at, &format!("a square from 1 to {squares}, kings with a K"));
                };
                if first > last {
                    return error(at, "the smaller square first");
                }
                for square in (first..=last).filter_map(|n| self.board.square(n)) {
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
                }
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

    /// The squares of a move as numbers, joined by `-` or `x`.
    fn join(&self, turn: Player, squares: &[u8], by: &str) -> String {
        let number = |&s: &u8| self.board.number(self.absolute_square(turn, s)).to_string();
        squares.iter().map(number).collect::<Vec<_>>().join(by)
    }
}
