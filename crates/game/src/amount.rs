//! Numbers in sentences: `1 position`, `12,345 positions`.

/// A number in groups of three digits: `12,345,678`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many of something, which is named in the singular.
///
/// ```
/// use zermelo_game::amount::counted;
/// assert_eq!(counted(1, "ply"), "1 ply");
/// assert_eq!(counted(0, "ply"), "0 plies");
/// assert_eq!(counted(12_345, "position"), "12,345 positions");
/// ```
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    let noun = if number == 1 { noun.to_owned() } else { plural(noun) };
    format!("{} {noun}", grouped(number))
}

/// The plural of a noun, as far as our nouns need rules.
fn plural(noun: &str) -> String {
    let consonant = |stem: &&str| !stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match (noun.strip_suffix('y').filter(consonant), noun.strip_suffix("leaf")) {
        (Some(stem), _) => format!("{stem}ies"),
        (_, Some(stem)) => format!("{stem}leaves"),
        _ if noun.ends_with(['s', 'x', 'h']) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(12_345_678), "12,345,678");
    }

    #[test]
    fn one_is_singular() {
        for (noun, many) in [
            ("position", "positions"),
            ("entry", "entries"),
            ("ply", "plies"),
            ("reply", "replies"),
            ("play", "plays"),
            ("open leaf", "open leaves"),
            ("guess", "guesses"),
            ("branch", "branches"),
        ] {
            assert_eq!(counted(1, noun), format!("1 {noun}"));
            assert_eq!(counted(2, noun), format!("2 {many}"));
            assert_eq!(counted(0, noun), format!("0 {many}"));
        }
    }
}
