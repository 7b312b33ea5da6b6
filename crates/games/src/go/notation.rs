//! Names, texts and pictures of Go.
//!
//! A position is the board and the turn, then `ko POINT` where the player to move must not take back
//! there, `passed` after one pass, `over` after two: `.xo./x.xo/.xo. second ko b2`.

use super::{Go, Position};
use crate::blocks::dead;
use crate::cells::{CellNumber, CellSet};
use crate::illegal;
use crate::stones::Stones;
use zermelo_game::{Bits, Footprint, Key, Notation, ParseError, Picture, Rules, Style};

impl<K: Key + Bits, B: CellSet> Notation for Go<K, B> {
    fn name(&self) -> String {
        let size = format!("go {}x{}", self.grid().rows(), self.grid().cols());
        match self.komi {
            None => size,
            Some(komi) => format!("{size} komi {}", write_komi(komi)),
        }
    }

    fn rules_text(&self) -> String {
        "The players put stones on empty points in turn, or pass. Stones of one colour that are linked \
         along the lines form a block; its liberties are the empty points beside it. A move that takes \
         the last liberty of opposing blocks captures them. A move may not leave one's own block \
         without a liberty (no suicide), and it may not bring back a board that stood before, whoever \
         was to move then (positional superko); passing is always allowed. Two passes in a row end the \
         game. A player's score is the number of points with a stone of their colour and of empty \
         points from which only their colour can be reached (area); all stones that are left on the \
         board count. Without komi the value is the first player's score less the second's; with komi, \
         which is added to the second player's score, it is who has more. A position given as text \
         comes without a history: only its own board, and the board before where it names a ko, \
         must not be repeated. Moves that follow make a history."
            .into()
    }

    fn move_text(&self, _: &Position<B>, m: B::Cell) -> String {
        if m == Self::PASS { "pass".into() } else { self.grid().cell_name(m.number()) }
    }

    fn why_illegal(&self, p: &Position<B>, text: &str) -> Option<String> {
        let grid = self.grid();
        let point = grid.cell_named(text)?;
        let name = grid.cell_name(point);
        if let Some(taken) = illegal::taken(grid, &p.stones, point) {
            return Some(taken);
        }
        Some(match p.ko_set().has(point) {
            true => format!("a stone on {name} would bring back the board before: ko"),
            false => format!("a stone on {name} would leave its block no liberty: no suicide"),
        })
    }

    fn position_text(&self, p: &Position<B>) -> String {
        write(self, p)
    }

    fn parse_position(&self, text: &str) -> Result<Position<B>, ParseError> {
        read(self, text)
    }

    fn picture(&self, p: &Position<B>) -> Picture {
        self.board.picture(&p.stones, Style::Crossings)
    }

    fn footprint(&self, _: &Position<B>, m: B::Cell) -> Option<Footprint> {
        (m != Self::PASS).then_some(Footprint::at(m.number()))
    }
}

fn write<K: Key + Bits, B: CellSet>(go: &Go<K, B>, p: &Position<B>) -> String {
    let text = go.board.text(&p.stones);
    match p.passes {
        0 if p.ko == Position::<B>::NO_KO => text,
        0 => format!("{text} ko {}", go.grid().cell_name(p.ko.number())),
        1 => text + " passed",
        _ => text + " over",
    }
}

fn read<K: Key + Bits, B: CellSet>(go: &Go<K, B>, text: &str) -> Result<Position<B>, ParseError> {
    let error = |at, expected: &str| ParseError::new("position", text, at, expected);
    // The board, the turn, and what follows them.
    let second_blank = text.char_indices().filter(|(_, c)| *c == ' ').nth(1).map(|(i, _)| i);
    let (board, rest) = text.split_at(second_blank.unwrap_or(text.len()));
    let at = board.chars().count() + 1;
    let stones = go.board.parse(board).map_err(|e| error(e.at, &e.expected))?;
    let (grid, empty) = (go.grid(), go.grid().full() & !stones.all());
    let lost = [stones.me, stones.you].map(|s| dead(grid, s, empty));
    if let Some(at) = go.board.first_in_text(lost[0] | lost[1]) {
        return Err(error(at, "a block with a liberty: blocks without one are captured"));
    }
    let p = Position::fresh(stones);
    match rest {
        "" => Ok(p),
        " passed" => Ok(Position { passes: 1, ..p }),
        " over" => Ok(Position { passes: 2, ..p }),
        _ => {
            let Some(name) = rest.strip_prefix(" ko ") else {
                return Err(error(at, "'ko' and a point, 'passed', 'over', or nothing"));
            };
            let ko = (0..grid.cells()).find(|&c| grid.cell_name(c) == name);
            let found = ko.and_then(|ko| with_ko(go, &stones, B::Cell::of(ko)));
            found.ok_or_else(|| error(at + 3, "a point where one stone was just taken in a ko"))
        }
    }
}

/// The position with this ko, if a move can have led to it.
fn with_ko<K: Key + Bits, B: CellSet>(
    go: &Go<K, B>,
    stones: &Stones<B>,
    ko: B::Cell,
) -> Option<Position<B>> {
    let (grid, point) = (go.grid(), B::cell(ko.number()));
    let taken = super::captured(grid, point, stones.me | point, stones.you);
    if !(stones.all() & point).is_empty() || taken.count() != 1 {
        return None;
    }
    let before = Stones { me: stones.me | point, you: stones.you & !taken, turn: stones.turn };
    let empty = grid.full() & !before.all();
    if [before.me, before.you].iter().any(|&s| !dead(grid, s, empty).is_empty()) {
        return None;
    }
    let p = Position { stones: *stones, passes: 0, ko };
    let before = Position::fresh(before.swapped());
    let m = B::Cell::of(taken.lowest());
    (go.legal(&before).has(m.number()) && go.play(&before, m) == p).then_some(p)
}

/// Reads a decimal number with up to three digits after the point, in thousandths.
pub(super) fn read_komi(word: &str) -> Option<i32> {
    let (sign, digits) = word.strip_prefix('-').map_or((1, word), |rest| (-1, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(part) || whole.len() > 4 || part.len() > 3 {
        return None;
    }
    let thousandths: i32 = format!("{part:0<3}").parse().ok()?;
    Some(sign * (whole.parse::<i32>().ok()? * 1000 + thousandths))
}

/// As short as it can be read back.
pub(super) fn write_komi(komi: i32) -> String {
    let sign = if komi < 0 { "-" } else { "" };
    let text = format!("{sign}{}.{:03}", komi.abs() / 1000, komi.abs() % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
