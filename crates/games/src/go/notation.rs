//! Positions and komi as text.
//!
//! A position is the board and the turn, then `ko POINT` where the player to move may not take back
//! there, `passed` after one pass, `over` after two: `.xo./x.xo/.xo. second ko b2`.

use super::{Go, NO_KO, PASS, Position};
use crate::blocks::dead;
use crate::stones::Stones;
use zermelo_game::{Bits, Game, ParseError};

pub(super) fn write(go: &Go, p: &Position) -> String {
    let text = go.board.text(&p.stones);
    match (p.passes, p.ko) {
        (0, NO_KO) => text,
        (0, ko) => format!("{text} ko {}", go.grid().cell_name(ko.into())),
        (1, _) => text + " passed",
        _ => text + " over",
    }
}

pub(super) fn read(go: &Go, text: &str) -> Result<Position, ParseError> {
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
            let found = ko.and_then(|ko| with_ko(go, &stones, ko as u8));
            found.ok_or_else(|| error(at + 3, "a point where one stone was just taken in a ko"))
        }
    }
}

/// The position with this ko, if a move can have led to it.
fn with_ko(go: &Go, stones: &Stones, ko: u8) -> Option<Position> {
    let (grid, point) = (go.grid(), 1u64 << ko);
    let taken = super::captured(grid, point, stones.me | point, stones.you);
    if stones.all() & point != 0 || taken.count() != 1 {
        return None;
    }
    let before = Stones { me: stones.me | point, you: stones.you & !taken, turn: stones.turn };
    let empty = grid.full() & !before.all();
    if [before.me, before.you].iter().any(|&s| dead(grid, s, empty) != 0) {
        return None;
    }
    let p = Position { stones: *stones, passes: 0, ko };
    let before = Position::fresh(before.swapped());
    let m = taken.lowest() as u8;
    (go.legal(&before).has(m.into()) && m != PASS && go.play(&before, m) == p).then_some(p)
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
