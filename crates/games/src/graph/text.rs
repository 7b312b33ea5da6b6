//! Reading and writing graphs as text.

use super::{Draft, Kind, MAX_DEGREE, Vertex};
use std::collections::HashMap;
use std::fmt::{self, Write};
use std::path::Path;
use std::{fs, io};
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, ParseError, Player, Repetition, Value, file};

/// Why a text is no graph, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 0.
    pub column: usize,
    /// What would have been right there.
    pub expected: String,
}

impl Flaw {
    /// The error to show for a file with this text.
    #[must_use]
    pub fn in_file(&self, file: &str, text: &str) -> ParseError {
        let line = text.lines().nth(self.line - 1).unwrap_or("");
        let expected = format!("{} (line {} of {})", self.expected, self.line, printable(file));
        ParseError::new("graph", line, self.column, expected)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: expected {}", self.line, self.column + 1, self.expected)
    }
}

impl std::error::Error for Flaw {}

/// The most bytes of a file. What is made of them takes up to twenty times as many in memory.
const LARGEST: u64 = 16 << 20;

/// Reads a file that may hold a graph. Devices and pipes are not read: they may never end, or never begin.
pub(super) fn read(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    file::read_text(path, LARGEST)
}

/// The first control character of a text, which says that it is something else than text.
fn hidden(text: &str) -> Option<Flaw> {
    let strange = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    text.split('\n').enumerate().find_map(|(number, line)| {
        let column = line.chars().position(strange)?;
        let expected = "text without control characters".into();
        Some(Flaw { line: number + 1, column, expected })
    })
}

/// Values a graph may have: small enough that a sum of two fits.
const LIMIT: Value = 10_000;

/// Words that cannot be names.
const RESERVED: [&str; 5] = ["first", "second", "start", "values", "repetition"];

/// A word, or one of the signs `:` and `=`, and where it stands.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    line: usize,
    column: usize,
}

impl Token<'_> {
    fn expected<T>(&self, what: impl Into<String>) -> Result<T, Flaw> {
        Err(Flaw { line: self.line, column: self.column, expected: what.into() })
    }

    fn name(&self) -> Result<String, Flaw> {
        if [":", "="].contains(&self.text) || RESERVED.contains(&self.text) {
            return self.expected(format!("the name of a node (not {})", RESERVED.join(", ")));
        }
        Ok(self.text.to_owned())
    }

    fn value(&self) -> Result<Value, Flaw> {
        match self.text.parse() {
            Ok(value) if (-LIMIT..=LIMIT).contains(&value) => Ok(value),
            _ => self.expected(format!("a number from {} to {LIMIT}", -LIMIT)),
        }
    }
}

/// The statements of a text, each with the place where it ends.
fn statements(text: &str) -> Vec<(Vec<Token<'_>>, Token<'_>)> {
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("");
        let mut column = 0;
        for statement in code.split(';') {
            let mut tokens = Vec::new();
            let mut word: Option<(usize, usize)> = None; // byte and column of its start
            let token = |from: usize, to: usize, column| Token {
                text: &statement[from..to],
                line: number + 1,
                column,
            };
            for (byte, c) in statement.char_indices() {
                let sign = c == ':' || c == '=';
                if sign || c.is_whitespace() {
                    tokens.extend(word.take().map(|(from, at)| token(from, byte, at)));
                    if sign {
                        tokens.push(token(byte, byte + 1, column));
                    }
                } else if word.is_none() {
                    word = Some((byte, column));
                }
                column += 1;
            }
            let len = statement.len();
            tokens.extend(word.map(|(from, at)| token(from, len, at)));
            out.push((tokens, token(len, len, column)));
            column += 1;
        }
    }
    out
}

impl Draft {
    /// Reads a graph.
    pub(super) fn parse(text: &str) -> Result<Draft, Flaw> {
        if let Some(flaw) = hidden(text) {
            return Err(flaw);
        }
        let mut values: Option<Bounds> = None;
        let mut repetition: Option<(Repetition, Token)> = None;
        let mut start: Option<Token> = None;
        let mut nodes: Vec<Vertex> = Vec::new();
        let mut index: HashMap<String, u32> = HashMap::new();
        // What can only be checked once all nodes are known: the places of moves and leaf values.
        let mut places: Vec<Vec<Token>> = Vec::new();
        for (tokens, end) in statements(text) {
            let at = |i: usize| tokens.get(i).copied().unwrap_or(end);
            let nothing_after = |i: usize| match tokens.get(i) {
                Some(token) => token.expected("nothing more in this line"),
                None => Ok(()),
            };
            let once = |fresh: bool| match fresh {
                true => Ok(()),
                false => at(0).expected(format!("no second line '{}'", at(0).text)),
            };
            match at(0).text {
                "" => {}
                "repetition" => {
                    once(repetition.is_none())?;
                    let (rule, last) = match at(1).text {
                        "loses" => (Repetition::Loses, 1),
                        "parity" => (Repetition::Parity, 1),
                        "forbidden" if at(2).text.is_empty() => {
                            return at(2)
                                .expected("the value where a player is left without a move");
                        }
                        "forbidden" => (Repetition::Forbidden(at(2).value()?), 2),
                        _ => match at(1).value() {
                            Ok(value) => (Repetition::Worth(value), 1),
                            Err(flaw) => {
                                let rules = "loses, parity or forbidden VALUE";
                                return at(1).expected(format!("{}, {rules}", flaw.expected));
                            }
                        },
                    };
                    repetition = Some((rule, at(last)));
                    nothing_after(last + 1)?;
                }
                "values" => {
                    once(values.is_none())?;
                    let (lo, hi) = (at(1).value()?, at(2).value()?);
                    if lo > hi {
                        return at(2).expected(format!("a number from {lo}"));
                    }
                    values = Some(Bounds::new(lo, hi));
                    nothing_after(3)?;
                }
                "start" => {
                    once(start.is_none())?;
                    if at(1).text.is_empty() {
                        return at(1).expected("the name of a node");
                    }
                    start = Some(at(1));
                    nothing_after(2)?;
                }
                _ => {
                    let name = at(0).name()?;
                    let turn = match at(1).text {
                        "first" => Player::First,
                        "second" => Player::Second,
                        _ => return at(1).expected("'first' or 'second': whose turn it is"),
                    };
                    if index.insert(name.clone(), nodes.len() as u32).is_some() {
                        return at(0).expected(format!("another name: there is a node {name}"));
                    }
                    let kind = match at(2).text {
                        "=" => {
                            nothing_after(4)?;
                            places.push(vec![at(3)]);
                            Kind::Leaf(at(3).value()?)
                        }
                        ":" => {
                            let to = tokens[3..].to_vec();
                            if to.is_empty() {
                                return end.expected("the nodes its moves lead to");
                            }
                            if to.len() > MAX_DEGREE {
                                return to[MAX_DEGREE].expected(format!("{MAX_DEGREE} at most"));
                            }
                            places.push(to);
                            Kind::Inner(Vec::new())
                        }
                        _ => return at(2).expected("':' and the moves, or '=' and the value"),
                    };
                    nodes.push(Vertex { name, turn, kind });
                }
            }
        }
        let whole = Token { text: "", line: 1, column: 0 };
        if nodes.is_empty() {
            return whole.expected("at least one node, such as: a first = 1");
        }
        let values = values.unwrap_or(Bounds::new(-1, 1));
        let in_range = |value: Value, token: &Token| match values.contains(value) {
            true => Ok(()),
            false => token.expected(format!("a value from {} to {}", values.lo, values.hi)),
        };
        let find = |token: &Token| match index.get(token.text) {
            Some(&node) => Ok(node),
            None => token.expected("a node of the graph"),
        };
        if let Some((Repetition::Worth(value) | Repetition::Forbidden(value), token)) = &repetition
        {
            in_range(*value, token)?;
        }
        let start = start.as_ref().map_or(Ok(0), find)?;
        for (i, places) in places.iter().enumerate() {
            if let Kind::Leaf(value) = nodes[i].kind {
                in_range(value, &places[0])?;
                continue;
            }
            let mut moves: Vec<u32> = Vec::new();
            for token in places {
                let to = find(token)?;
                let (from, turn) = (&nodes[i].name, nodes[i].turn.other());
                if nodes[to as usize].turn != turn {
                    return token.expected(format!(
                        "a node where it is {turn}'s turn: the edge {from} -> {} does not hand over",
                        token.text
                    ));
                }
                if moves.contains(&to) {
                    return token.expected(format!(
                        "each edge once: {from} -> {} is there already",
                        token.text
                    ));
                }
                moves.push(to);
            }
            nodes[i].kind = Kind::Inner(moves);
        }
        let draft = Draft { values, repetition: repetition.map(|r| r.0), start, nodes };
        if draft.repetition.is_none()
            && let Some((from, nth)) = draft.closing_edge()
        {
            let (token, from) = (places[from as usize][nth], &draft.nodes[from as usize].name);
            return token.expected(format!(
                "no cycle, or a line such as 'repetition 0': the edge {from} -> {} closes one",
                token.text
            ));
        }
        Ok(draft)
    }

    /// The graph as text, with `end` after each line but the last.
    pub(super) fn to_text(&self, end: &str) -> String {
        let mut lines = Vec::new();
        lines.extend(self.repetition.map(|rule| match rule {
            Repetition::Worth(value) => format!("repetition {value}"),
            Repetition::Loses => "repetition loses".to_owned(),
            Repetition::Parity => "repetition parity".to_owned(),
            Repetition::Forbidden(value) => format!("repetition forbidden {value}"),
            Repetition::Stands => unreachable!("a graph has no such rule"),
        }));
        if self.values != Bounds::new(-1, 1) {
            lines.push(format!("values {} {}", self.values.lo, self.values.hi));
        }
        if self.start != 0 {
            lines.push(format!("start {}", self.nodes[self.start as usize].name));
        }
        lines.extend((0..self.nodes.len() as u32).map(|i| self.describe(i)));
        lines.join(end)
    }

    /// The line of one node.
    pub(super) fn describe(&self, node: u32) -> String {
        let node = &self.nodes[node as usize];
        let mut line = format!("{} {}", node.name, node.turn);
        let _ = match &node.kind {
            Kind::Leaf(value) => write!(line, " = {value}"),
            Kind::Inner(to) => {
                line.push(':');
                to.iter().try_for_each(|&to| write!(line, " {}", self.nodes[to as usize].name))
            }
        };
        line
    }
}

impl<const CYCLIC: bool> fmt::Display for super::GraphGame<CYCLIC> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.draft.to_text("\n"))
    }
}
