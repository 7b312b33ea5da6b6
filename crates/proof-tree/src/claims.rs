//! Claims: "this move wins, try it first". Lines of a file, `position ; move`; what follows a `#` is a comment. A claim
//! proves nothing. It is withdrawn, with a warning, when the move turns out not to win.

use crate::ProofTreeFailure;
use std::path::Path;
use zermelo_game::file::read_text;
use zermelo_game::outside::printable;

/// Files of claims have so many bytes at most.
const MOST: u64 = 64 << 20;

/// A move that is said to win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveClaim {
    /// The position, as the game reads it.
    pub position: String,
    /// The move.
    pub mv: String,
    /// The line of the file.
    pub line: usize,
}

/// Reads the claims of a text.
pub fn parse(text: &str) -> Result<Vec<MoveClaim>, String> {
    let mut claims = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let parts = content.rsplit_once(';').map(|(p, m)| (p.trim(), m.trim()));
        let Some((position, mv)) = parts.filter(|(p, m)| !p.is_empty() && !m.is_empty()) else {
            let found = printable(content);
            return Err(format!("line {}: expected 'position ; move', found '{found}'", i + 1));
        };
        claims.push(MoveClaim { position: position.into(), mv: mv.into(), line: i + 1 });
    }
    Ok(claims)
}

/// Reads the claims of a file.
pub fn read(file: &Path) -> Result<Vec<MoveClaim>, ProofTreeFailure> {
    let text = read_text(file, MOST).map_err(|e| ProofTreeFailure::Io(file.into(), e))?;
    parse(&text).map_err(|why| {
        ProofTreeFailure::Refused(format!("{}: {why}", zermelo_game::outside::path(file)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_lines() {
        let claims = parse("# book\n\nx../.../... second ; b2 # the centre\n").unwrap();
        assert_eq!(claims.len(), 1);
        assert_eq!(
            (&*claims[0].position, &*claims[0].mv, claims[0].line),
            ("x../.../... second", "b2", 3)
        );
        assert!(parse("x.. second b2").unwrap_err().starts_with("line 1: expected"));
        assert!(parse("; b2").is_err());
    }
}
