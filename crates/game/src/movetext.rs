//! Lists of moves as people write them, split into moves: words, or the movetext of recorded games.
//!
//! Recorded games of chess (PGN) and of draughts (PDN) have one form: tags in brackets, then moves, with their numbers, comments in
//! braces or from a semicolon to the end of the line, variations in parentheses, marks of a comment (`$3`, `!?`) and the result between or behind
//! them. [`recorded`] leaves all of that out. What it cannot leave out without changing the game it passes on as a word, which is
//! then no legal move: a bracket that is not closed, a tag that sets up a position (`FEN`, which is to be given as the
//! position), and a result with more moves behind it.

/// The words of a list, which are separated by blanks or commas.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

/// The moves of a recorded game in PGN or PDN.
///
/// ```
/// use zermelo_game::movetext::recorded;
/// let text = "[Event \"Club\"]\n1. 11-15 {the usual} 23-19 2.8-11! (2. 9-14) 22-17 1/2-1/2";
/// assert_eq!(recorded(text), ["11-15", "23-19", "8-11", "22-17"]);
/// ```
#[must_use]
pub fn recorded(text: &str) -> Vec<&str> {
    let (mut moves, mut result) = (Vec::new(), None);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (part, after) = match c {
            '{' | '(' | '[' => match closed(rest) {
                Some(end) => (kept_tag(&rest[..end]), &rest[end..]),
                None => (Some(rest), ""),
            },
            ';' => (None, rest.find('\n').map_or("", |end| &rest[end..])),
            c if c.is_whitespace() || c == ',' => (None, &rest[c.len_utf8()..]),
            c => {
                let ends = |(_, c): &(usize, char)| c.is_whitespace() || ",;{(".contains(*c);
                let end = rest.char_indices().skip(1).find(ends);
                let end = end.map_or(rest.len(), |(i, _)| i).max(c.len_utf8());
                (Some(bare(&rest[..end])).filter(|word| !word.is_empty()), &rest[end..])
            }
        };
        rest = after;
        match part {
            None => {}
            Some(word) if is_result(word) && result.is_none() => result = Some(word),
            Some(word) => {
                moves.extend(result.take());
                moves.push(word);
            }
        }
    }
    moves
}

/// Where the bracket ends that begins the text: comments end at the first closing brace, variations contain each other and comments,
/// tags contain texts in quotes.
fn closed(text: &str) -> Option<usize> {
    let (mut depth, mut comment, mut quoted, mut escaped) = (0u32, false, false, false);
    let tag = text.starts_with('[');
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '}' if comment => comment = false,
            _ if comment => {}
            '\\' if quoted => escaped = true,
            '"' if tag => quoted = !quoted,
            _ if quoted => {}
            ']' if tag => return Some(i + 1),
            _ if tag => {}
            '{' => comment = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !tag && !comment && depth == 0 {
            return Some(i + c.len_utf8());
        }
    }
    None
}

/// A tag that sets up a position. Whatever else is in brackets says nothing of the moves.
fn kept_tag(bracket: &str) -> Option<&str> {
    let name = bracket.strip_prefix('[')?.split(|c: char| c.is_whitespace() || c == '"').next()?;
    name.eq_ignore_ascii_case("FEN").then_some(bracket)
}

/// The word without the number of a move before it and without marks of praise or blame; nothing if it is a mark itself.
fn bare(word: &str) -> &str {
    if word.strip_prefix('$').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) {
        return "";
    }
    let numbered = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let word = if numbered.starts_with('.') { numbered.trim_start_matches('.') } else { word };
    word.trim_end_matches(['!', '?'])
}

fn is_result(word: &str) -> bool {
    ["*", "1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1"].contains(&word)
}

/// The position in a FEN tag such as `[FEN "B:W18:B15"]`, and how many characters stand before it; a text that is no such tag is
/// the position itself.
#[must_use]
pub fn fen(text: &str) -> (usize, &str) {
    let inside = || {
        let rest = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
        let value =
            rest.get(..3).filter(|tag| tag.eq_ignore_ascii_case("fen")).map(|_| &rest[3..])?;
        value.trim().strip_prefix('"')?.strip_suffix('"')
    };
    match inside() {
        Some(fen) => {
            let byte = fen.as_ptr() as usize - text.as_ptr() as usize;
            (text[..byte].chars().count(), fen)
        }
        None => (0, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_moves_is_left_out() {
        for (text, moves) in [
            ("", vec![]),
            ("1. Kd4 Kb7 2. Qxb7# 1-0", vec!["Kd4", "Kb7", "Qxb7#"]),
            ("1.Kd4,Kb7", vec!["Kd4", "Kb7"]),
            ("12... Kb7 13.Kc5 *", vec!["Kb7", "Kc5"]),
            ("a { b, (c} d (e (f {)} g) h) i", vec!["a", "d", "i"]),
            ("a;b c\nd{e}f", vec!["a", "d", "f"]),
            ("[A \"x ] \\\" y\"] [B \"\"] a $12 b!? c! ??", vec!["a", "b", "c"]),
            ("[FENCE \"1\"] é1 1/2-1/2", vec!["é1"]),
        ] {
            assert_eq!(recorded(text), moves, "{text}");
        }
    }

    #[test]
    fn what_changes_the_game_stays_as_a_word() {
        assert_eq!(recorded("a {b c"), ["a", "{b c"]);
        assert_eq!(recorded("a (b {)} c"), ["a", "(b {)} c"]);
        assert_eq!(recorded("a [b"), ["a", "[b"]);
        assert_eq!(recorded("[FEN \"B:W1:B2\"] a"), ["[FEN \"B:W1:B2\"]", "a"]);
        assert_eq!(recorded("a 1-0 b *"), ["a", "1-0", "b"], "a second game");
        assert_eq!(recorded("a ) b ] } c"), ["a", ")", "b", "]", "}", "c"]);
    }

    #[test]
    fn positions_may_stand_in_a_tag() {
        assert_eq!(fen("[FEN \"B:W18:B15\"]"), (6, "B:W18:B15"));
        assert_eq!(fen(" [ fen\"\" ] "), (7, ""));
        for plain in ["", "B:W18:B15", "[FEN x]", "[FEN \"x", "[F\u{e9}N \"x\"]", "[FENS \"x\"]"] {
            assert_eq!(fen(plain), (0, plain));
        }
    }

    #[test]
    fn plain_lists_are_words() {
        let text = " a1, b2,,c3\n11-15\t22x15 ";
        assert_eq!(words(text).collect::<Vec<_>>(), ["a1", "b2", "c3", "11-15", "22x15"]);
        assert_eq!(recorded(text), ["a1", "b2", "c3", "11-15", "22x15"]);
    }
}
