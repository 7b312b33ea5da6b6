//! Checkers positions that come about in sensible play: along well-known openings, both sides played by our own program
//! (heuristic alpha-beta within a number of nodes), at the moments when so many pieces are left. `data/endings.txt` keeps
//! some of them with their values.

use crate::endings::count_pieces;
use anyhow::{Context, bail};
use zermelo_any::AnyGame;
use zermelo_game::{Limits, Value};

/// Openings of English checkers by the names that books give them, black first.
pub const OPENINGS: [(&str, &str); 10] = [
    ("Old Faithful", "11-15 23-19 8-11 22-17 4-8 17-13 15-18"),
    ("Cross", "11-15 23-18 8-11 27-23 4-8"),
    ("Single Corner", "11-15 22-18 15x22 25x18"),
    ("Laird and Lady", "11-15 23-19 8-11 22-17 9-13 17-14"),
    ("Ayrshire Lassie", "11-15 24-20 8-11 28-24"),
    ("Defiance", "11-15 23-19 9-14 27-23"),
    ("Fife", "11-15 23-19 9-14 22-17 5-9"),
    ("Souter", "11-15 23-19 9-14 22-17 6-9"),
    ("Glasgow", "11-15 23-19 8-11 22-17 11-16"),
    ("Dyke", "11-15 22-17 15-19"),
];

/// The longest game that is played.
const PLIES: usize = 200;
/// The deepest search.
const DEPTH: u32 = 30;

/// A position of the suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The opening it comes from.
    pub opening: String,
    /// How many pieces are left.
    pub pieces: usize,
    /// The position.
    pub position: String,
    /// Its value; not known before it is proved.
    pub value: Option<Value>,
}

/// Plays on from an opening, so many nodes a move, and stops at positions with `most` pieces and fewer, down to `least`:
/// the first without a capture for each number of pieces, and the one two moves later.
pub fn play(
    game: &dyn AnyGame,
    (name, moves): (&str, &str),
    nodes: u64,
    [least, most]: [usize; 2],
) -> anyhow::Result<Vec<Ending>> {
    let mut session = game.session();
    for word in moves.split(' ') {
        session.play(word).with_context(|| format!("in {name}"))?;
    }
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut found: Vec<Ending> = Vec::new();
    let mut since = 0;
    for _ in 0..PLIES {
        let (position, legal) = (session.position(), session.moves());
        let pieces = count_pieces(&position).iter().sum();
        if legal.len() > 1 && legal.iter().all(|m| !m.contains('x')) && pieces <= most {
            let before = found.iter().filter(|e| e.pieces == pieces).count();
            if before == 0 || (before == 1 && since >= 4) {
                let opening = name.to_owned();
                found.push(Ending { opening, pieces, position, value: None });
                since = 0;
            }
        }
        since += 1;
        let best = session.opinion(DEPTH, &limits).and_then(|opinion| opinion.best);
        let Some(best) = best.filter(|_| pieces > least) else { break };
        session.play(&best)?;
    }
    Ok(found)
}

/// Reads lines `opening ; position ; value`, where the value may be missing.
pub fn parse(text: &str) -> anyhow::Result<Vec<Ending>> {
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let parts: Vec<&str> = line.split(';').map(str::trim).collect();
        let [opening, position, ref rest @ ..] = parts[..] else {
            bail!("line {}: expected 'opening ; position ; value', found '{line}'", i + 1)
        };
        let value = match rest {
            [] => None,
            [value] => Some(value.parse().with_context(|| format!("line {}", i + 1))?),
            _ => bail!("line {}: more than three parts in '{line}'", i + 1),
        };
        let pieces = count_pieces(position).iter().sum();
        all.push(Ending { opening: opening.into(), pieces, position: position.into(), value });
    }
    Ok(all)
}
