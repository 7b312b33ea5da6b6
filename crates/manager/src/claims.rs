//! Claims: "this move wins, try it first". Lines of a file, `position ; move`; what follows a `#` is a comment. A claim
//! proves nothing. It is withdrawn, with a warning, when the move turns out not to win.

use crate::Failure;
use std::path::Path;

/// A move that is said to win.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The position, as the game reads it.
    pub position: String,
    /// The move.
    pub mv: String,
    /// The line of the file.
    pub line: usize,
}

/// Reads the claims of a text.
pub fn parse(text: &str) -> Result<Vec<Claim>, String> {
    let mut claims = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let parts = content.rsplit_once(';').map(|(p, m)| (p.trim(), m.trim()));
        let Some((position, mv)) = parts.filter(|(p, m)| !p.is_empty() && !m.is_empty()) else {
            return Err(format!("line {}: expected 'position ; move', found '{content}'", i + 1));
        };
        claims.push(Claim { position: position.into(), mv: mv.into(), line: i + 1 });
    }
    Ok(claims)
}

/// Reads the claims of a file.
pub fn read(file: &Path) -> Result<Vec<Claim>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|e| Failure::Io(file.into(), e))?;
    parse(&text).map_err(|why| Failure::Refused(format!("{}: {why}", file.display())))
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
