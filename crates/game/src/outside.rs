//! Text from outside: what files, provers and clients say, before it is shown to people.
//!
//! A terminal obeys control characters: a name with an escape sequence in it can erase the line above, print a false
//! verdict or change the title of the window. Characters that change the direction of writing or have no width do
//! the same more quietly. [`printable`] is the only way by which such text reaches a terminal, a log or an
//! error message. The command line passes all it prints through [`terminal`] as well, so that a piece of text that
//! somebody forgot to escape does no harm, and JSON through [`json`]. (The explorer's page shows text as text.)

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// No more than this many characters of one piece of text from outside are shown.
pub const SHOWN: usize = 2_000;

/// Text from outside in a form that is safe to show: every character that is not plainly visible is written as its
/// escape, and very long text is cut with a note of its length.
///
/// ```
/// use zermelo_game::outside::printable;
/// assert_eq!(printable("zermelo 0.1"), "zermelo 0.1");
/// assert_eq!(printable("x\u{1b}[2Jproved\n"), "x\\u{1b}[2Jproved\\n");
/// assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| !is_hidden(c))
}

/// As [`printable`], for text of several lines (diagnostics, pictures): line feeds stay.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| c == '\n' || !is_hidden(c))
}

/// The name of a file in a form that is safe to show: whoever packs an archive chooses the names in it.
#[must_use]
pub fn path(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

/// What is about to be written to a terminal: escaped but for line feeds and, where colours are in use, for those that we
/// use ourselves. It is the last line of defence: text from outside has gone through [`printable`] before.
#[must_use]
pub fn terminal(text: &str, colours: bool) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || !is_hidden(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let long = if colours { colour(rest) } else { 0 };
        if long > 0 {
            out += &rest[..long];
            rest = &rest[long..];
            continue;
        }
        match c == '\n' || !is_hidden(c) {
            true => out.push(c),
            false => out.extend(c.escape_default()),
        }
        rest = &rest[c.len_utf8()..];
    }
    Cow::Owned(out)
}

/// The length of the colour that the text begins with: `ESC [ n ; n m` with numbers for plain, bold, faint and the
/// foreground colours red to cyan. None of them hides anything.
fn colour(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\u{1b}[") else { return 0 };
    let Some((codes, _)) = codes.split_once('m') else { return 0 };
    let harmless =
        |code: &str| matches!(code, "0" | "1" | "2" | "31" | "32" | "33" | "34" | "35" | "36");
    if codes.split(';').all(harmless) { codes.len() + 3 } else { 0 }
}

/// JSON text in which every character that is not plainly visible is escaped. (Such characters stand in strings only,
/// and those below a blank are escaped by every writer of JSON.)
#[must_use]
pub fn json(text: String) -> String {
    if !text.chars().any(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn escape(text: &str, visible: impl Fn(char) -> bool) -> Cow<'_, str> {
    let short = text.len() <= SHOWN || text.chars().nth(SHOWN).is_none();
    if short && text.chars().all(&visible) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(2 * SHOWN));
    for c in text.chars().take(SHOWN) {
        match visible(c) {
            true => out.push(c),
            false => out.extend(c.escape_default()),
        }
    }
    if !short {
        let _ = write!(out, "... ({} bytes in all)", text.len());
    }
    Cow::Owned(out)
}

/// Control characters (C0, DEL, C1), separators of lines, marks of direction, characters without width, and
/// private or tag characters that a font may draw as anything.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        for c in (0..0x300).chain(0x2000..0x2100).chain(0xe0000..0xe0100).filter_map(char::from_u32)
        {
            let text = format!("a{c}b");
            let shown = printable(&text);
            let plain = |c: char| !c.is_control() && !is_hidden(c);
            assert!(shown.chars().all(plain), "{:x}", c as u32);
            assert_eq!(shown == text, plain(c), "{:x}", c as u32);
        }
    }

    #[test]
    fn ordinary_text_of_any_language_stays() {
        for text in ["", "prover 1.0, df-pn", "Žižka €5", "囲碁", "▲△ ½ × →"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
        assert_eq!(printable_lines("bad\n  ^\r"), "bad\n  ^\\r");
    }

    #[test]
    fn only_our_own_colours_reach_a_terminal() {
        for plain in ["", "a\nb", "\u{1b}[1mbold\u{1b}[0m", "\u{1b}[32;1m+\u{1b}[0m"] {
            assert_eq!(terminal(plain, true), plain);
        }
        for (raw, shown) in [
            ("\u{1b}[8mhidden", "\\u{1b}[8mhidden"),
            ("\u{1b}[1;8mhidden", "\\u{1b}[1;8mhidden"),
            ("\u{1b}[m", "\\u{1b}[m"),
            ("\u{1b}[2K\rproved", "\\u{1b}[2K\\rproved"),
            ("\u{1b}", "\\u{1b}"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("\u{1b}[1", "\\u{1b}[1"),
        ] {
            assert_eq!(terminal(raw, true), shown);
        }
        assert_eq!(terminal("\u{1b}[1mbold\n", false), "\\u{1b}[1mbold\n");
    }

    #[test]
    fn json_says_the_same_in_visible_characters() {
        let escaped = json("{\"a\":\"x\u{9b}\u{202e}\u{e0001}y\"}".into());
        assert_eq!(escaped, "{\"a\":\"x\\u009b\\u202e\\udb40\\udc01y\"}");
        assert_eq!(json("{}".into()), "{}");
    }

    #[test]
    fn long_text_is_cut() {
        let long = "x".repeat(SHOWN + 1);
        let shown = printable(&long);
        assert!(shown.ends_with("... (2001 bytes in all)") && shown.len() < SHOWN + 40);
        assert_eq!(printable(&long[1..]), &long[1..]);
    }
}
