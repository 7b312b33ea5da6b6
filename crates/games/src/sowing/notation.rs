//! Sowing games in text: positions as `3,3,3/3,3,3 0-0 first`, pits as letters.

use super::{Board, Ring, Sowing, Variant};
use zermelo_game::{Footprint, Notation, ParseError, Picture, Player};

impl<V: Variant> Notation for Sowing<V> {
    fn name(&self) -> String {
        let flag = match self.variant.flag() {
            "" => String::new(),
            flag => format!(" {flag}"),
        };
        format!("{} {}x{}{flag}", V::NAME, self.board.pits, self.board.seeds_a_pit())
    }

    fn rules_text(&self) -> String {
        self.variant.rules_text(&self.board)
    }

    fn move_text(&self, _: &Ring, m: u8) -> String {
        if self.is_pass(m) { "pass".into() } else { Board::pit_name(m.into()) }
    }

    fn why_illegal(&self, p: &Ring, text: &str) -> Option<String> {
        if text.eq_ignore_ascii_case("pass") {
            return Some(match V::PASSES {
                true => "nobody passes unless the other player moves again".into(),
                false => "there is no passing".into(),
            });
        }
        let names = || (0..self.board.pits).map(Board::pit_name);
        let Some(pit) = names().position(|name| name.eq_ignore_ascii_case(text)) else {
            let letter = text.len() == 1 && text.bytes().all(|b| b.is_ascii_alphabetic());
            let last = Board::pit_name(self.board.pits - 1);
            return letter.then(|| format!("there is no pit {text}: pits are a to {last}"));
        };
        Some(match p.pits[pit] {
            _ if Self::must_pass(p) => {
                "the other player moves again: the only move is to pass".into()
            }
            0 => format!("pit {} is empty", Board::pit_name(pit)),
            _ => format!(
                "the other player has no seeds, and pit {} brings none over",
                Board::pit_name(pit)
            ),
        })
    }

    fn position_text(&self, p: &Ring) -> String {
        self.board.text(p)
    }

    fn parse_position(&self, text: &str) -> Result<Ring, ParseError> {
        self.board.parse(text, V::PASSES)
    }

    fn picture(&self, p: &Ring) -> Picture {
        self.board.picture(p)
    }

    fn footprint(&self, p: &Ring, m: u8) -> Option<Footprint> {
        (!self.is_pass(m)).then(|| self.board.footprint(p, m.into()))
    }
}

impl Board {
    /// The pits and stores of both players, first and second.
    pub(super) fn absolute<'r>(&self, p: &'r Ring) -> ([&'r [u8]; 2], [u8; 2]) {
        let (mine, yours) = p.pits[..2 * self.pits].split_at(self.pits);
        match p.turn {
            Player::First => ([mine, yours], p.stores),
            Player::Second => ([yours, mine], [p.stores[1], p.stores[0]]),
        }
    }

    /// The pits of both players in the order in which each sows, the stores and the turn: `3,3,3/3,3,3 0-0 first`, with
    /// `pass` behind it where the player has to.
    #[must_use]
    pub fn text(&self, p: &Ring) -> String {
        let ([first, second], stores) = self.absolute(p);
        let list = |pits: &[u8]| pits.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        let waits = if p.waits { " pass" } else { "" };
        let (first, second) = (list(first), list(second));
        format!("{first}/{second} {}-{} {}{waits}", stores[0], stores[1], p.turn)
    }

    /// Reads what [`text`](Self::text) writes.
    pub fn parse(&self, text: &str, may_wait: bool) -> Result<Ring, ParseError> {
        let mut reader = Reader { text, chars: text.chars().collect(), at: 0, left: self.seeds };
        let mut ring = Ring { turn: Player::First, ..self.start() };
        for i in 0..2 * self.pits {
            if i > 0 {
                reader.sign(if i == self.pits { '/' } else { ',' }, self.pits)?;
            }
            ring.pits[i] = reader.seeds()?;
        }
        reader.sign(' ', self.pits)?;
        ring.stores[0] = reader.seeds()?;
        reader.sign('-', self.pits)?;
        let at = reader.at;
        ring.stores[1] = reader.seeds()?;
        if reader.left > 0 {
            let expected = format!("{} seeds in all: {} are missing", self.seeds, reader.left);
            return Err(ParseError::new("position", text, at, expected));
        }
        reader.sign(' ', self.pits)?;
        let rest: String = reader.chars[reader.at..].iter().collect();
        match (rest.as_str(), may_wait) {
            ("first", _) => Ok(ring),
            ("second", _) => Ok(self.swapped(&ring)),
            ("first pass", true) => Ok(Ring { waits: true, ..ring }),
            ("second pass", true) => Ok(Ring { waits: true, ..self.swapped(&ring) }),
            (_, false) => Err(reader.error("'first' or 'second' to move".into())),
            (_, true) => {
                Err(reader.error("'first' or 'second' to move, and then ' pass' or nothing".into()))
            }
        }
    }

    /// The name of a pit for its owner: `a` is sown from first.
    #[must_use]
    pub fn pit_name(pit: usize) -> String {
        char::from(b'a' + pit as u8).to_string()
    }
}

/// Reads numbers of seeds and the signs between them.
struct Reader<'t> {
    text: &'t str,
    chars: Vec<char>,
    at: usize,
    /// How many seeds are not yet placed.
    left: u32,
}

impl Reader<'_> {
    fn error(&self, expected: String) -> ParseError {
        ParseError::new("position", self.text, self.at, expected)
    }

    fn seeds(&mut self) -> Result<u8, ParseError> {
        let digits = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let number: String = self.chars[self.at..self.at + digits].iter().collect();
        match number.parse::<u32>() {
            // No other way to write the same number, and no more seeds than there are.
            Ok(n) if n <= self.left && n.to_string() == number => {
                self.at += digits;
                self.left -= n;
                Ok(n as u8)
            }
            _ => Err(self.error(format!("a number of seeds, at most {}", self.left))),
        }
    }

    fn sign(&mut self, sign: char, pits: usize) -> Result<(), ParseError> {
        if self.chars.get(self.at) == Some(&sign) {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(match sign {
            ',' => format!("',' and {pits} pits a side"),
            '/' => format!("'/' after {pits} pits"),
            '-' => "'-' between the stores".into(),
            _ => "a blank".into(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_texts_show_the_place() {
        let board = Board::new(2, 3);
        assert!(board.parse("3,3/0,6 0-0 second pass", true).is_ok());
        for (text, column) in [
            ("", 1),
            ("3,3", 4),
            ("3,3,3/3 0-0 first", 4),
            ("3,3/3,13 0-0 first", 7),
            ("3,3/3,3 1-0 first", 9),
            ("3,3/3,2 0-0 first", 11),
            ("3,3/3,03 0-0 first", 7),
            ("3,3/3,3 0:0 first", 10),
            ("3,3/3,3 0-0 third", 13),
            ("3,3/3,3 0-0 first pass", 13),
        ] {
            assert_eq!(board.parse(text, false).unwrap_err().column(), column, "{text}");
        }
    }
}
