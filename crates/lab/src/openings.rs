//! Checkers positions that come about in sensible play: along well-known openings, both sides played by our own program
//! (heuristic alpha-beta within a number of nodes), at the moments when so many pieces are left. `data/endings.txt` keeps
//! some of them with their values.

use anyhow::{Context, bail};
use zermelo_erased::AnyGame;
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
pub struct EndingPosition {
    /// The opening it comes from.
    pub opening: String,
    /// The nodes that each move was given.
    pub nodes: u64,
    /// How many pieces are left.
    pub pieces: usize,
    /// The position.
    pub position: String,
    /// Its value; not known before it is proved.
    pub value: Option<Value>,
}

/// The pieces of both sides in a position such as `W:W21,K3:B1`. A side begins with its letter, and may have nothing more.
fn count_pieces(text: &str) -> usize {
    let count = |side: &str| side[1..].split(',').filter(|piece| !piece.is_empty()).count();
    text.split(':').skip(1).map(count).sum()
}

/// Plays on from an opening, so many nodes a move, and stops at positions with `most` pieces and fewer, down to `least`:
/// the first without a capture for each number of pieces, and the one two moves later.
pub fn play(
    game: &dyn AnyGame,
    (name, moves): (&str, &str),
    nodes: u64,
    [least, most]: [usize; 2],
) -> anyhow::Result<Vec<EndingPosition>> {
    let mut session = game.session();
    for word in moves.split(' ') {
        session.play(word).with_context(|| format!("in {name}"))?;
    }
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut found: Vec<EndingPosition> = Vec::new();
    let mut since = 0;
    for _ in 0..PLIES {
        let (position, legal) = (session.position(), session.moves());
        let pieces = count_pieces(&position);
        let quiet = legal.len() > 1 && legal.iter().all(|m| !m.contains('x'));
        if quiet && (least..=most).contains(&pieces) {
            let before = found.iter().filter(|e| e.pieces == pieces).count();
            if before == 0 || (before == 1 && since >= 4) {
                let opening = name.to_owned();
                found.push(EndingPosition { opening, nodes, pieces, position, value: None });
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

/// Reads lines `opening ; nodes ; position ; value`.
pub fn parse(text: &str) -> anyhow::Result<Vec<EndingPosition>> {
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let parts: Vec<&str> = line.split(';').map(str::trim).collect();
        let [opening, nodes, position, value] = parts[..] else {
            bail!("line {}: expected 'opening ; nodes ; position ; value', found '{line}'", i + 1)
        };
        let bad = || format!("line {}: a bad number in '{line}'", i + 1);
        all.push(EndingPosition {
            opening: opening.into(),
            nodes: nodes.parse().with_context(bad)?,
            pieces: count_pieces(position),
            position: position.into(),
            value: Some(value.parse().with_context(bad)?),
        });
    }
    Ok(all)
}

/// The positions of the suite, as compiled into the program.
pub fn suite() -> anyhow::Result<Vec<EndingPosition>> {
    parse(include_str!("../data/endings.txt"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_erased::Catalogue;

    #[test]
    fn pieces_are_counted() {
        assert_eq!(count_pieces("W:W21,K3:B1"), 3);
        assert_eq!(count_pieces("B:W:B1,2"), 2);
    }

    #[test]
    fn openings_are_legal() {
        let game = Catalogue::standard().open("checkers 8x8").unwrap();
        for opening in OPENINGS {
            let found = play(&*game, opening, 30, [8, 12]).unwrap();
            assert!(found.iter().all(|e| (8..=12).contains(&e.pieces)), "{found:?}");
        }
    }

    #[test]
    fn the_suite_is_what_it_says() {
        let all = suite().unwrap();
        assert!(all.len() >= 20, "{}", all.len());
        let mut openings: Vec<&str> = all.iter().map(|e| &*e.opening).collect();
        openings.sort_unstable();
        openings.dedup();
        assert!(openings.len() >= 5, "{openings:?}");
        let game = Catalogue::standard().open("checkers 8x8").unwrap();
        for ending in &all {
            assert!((8..=12).contains(&ending.pieces), "{ending:?}");
            assert!(ending.value.is_some_and(|v| (-1..=1).contains(&v)), "{ending:?}");
            // Longer games are left out, as they take long.
            let Some(opening) = OPENINGS.iter().find(|(name, _)| *name == ending.opening) else {
                panic!("{ending:?}")
            };
            if ending.nodes <= 1_000 {
                let found = play(&*game, *opening, ending.nodes, [8, 12]).unwrap();
                assert!(found.iter().any(|e| e.position == ending.position), "{ending:?}");
            }
        }
        assert!(parse("Cross ; 9 ; B:W32:B1 ; x").is_err() && parse("Cross").is_err());
    }
}
