//! Every reader of outside text, for every game of the registry: nothing makes it panic, and what it
//! accepts is sound.

use proptest::prelude::*;
use std::sync::LazyLock;
use zermelo_game::{Game, Knowledge, MoveList, Notation};
use zermelo_games::{Visitor, entries, open};

/// What a reader must do with a text, whatever it is.
struct Feed<'t> {
    text: &'t str,
}

impl Visitor for Feed<'_> {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) {
        let game = Game::new(&rules, &knowledge);
        let start = game.start();
        for word in game.split_moves(self.text) {
            assert!(
                !word.is_empty() && self.text.as_bytes().as_ptr_range().contains(&word.as_ptr())
            );
            read_move(&rules, &start, word);
        }
        read_move(&rules, &start, self.text);
        match game.parse_position(self.text) {
            Err(error) => {
                assert!(error.at <= self.text.chars().count(), "{error}");
                let _ = error.to_string();
            }
            Ok(p) => {
                let written = game.position_text(&p);
                assert_eq!(game.parse_position(&written), Ok(p), "{}: {written}", game.name());
                let (known, all) = (game.static_bounds(&p), game.values());
                assert!(all.contains(known.lo) && all.contains(known.hi) && known.lo <= known.hi);
                if game.outcome(&p).is_some() {
                    return assert!(known.is_exact(), "{}: {written}", game.name());
                }
                let (mut moves, mut candidates) = (MoveList::new(), MoveList::new());
                game.moves(&p, &mut moves);
                assert!(!moves.is_empty(), "{}: {written}", game.name());
                if !known.is_exact() {
                    game.candidate_moves(&p, &mut candidates);
                }
                for m in candidates.iter() {
                    assert!(moves.iter().any(|o| o == m), "{}: {written}", game.name());
                }
                for m in moves.iter() {
                    let next = game.play(&p, m);
                    let _ = (game.outcome(&next), game.static_bounds(&next), game.canonical(&next));
                    let text = game.move_text(&p, m);
                    assert_eq!(game.parse_move(&p, &text), Ok(m), "{}: {written}", game.name());
                    assert_eq!(game.split_moves(&text), [&*text], "{}: {written}", game.name());
                    read_move(&rules, &start, &text);
                    read_move(&rules, &next, &text);
                }
                let _ = (game.plies_left(&p), game.key(&p), game.picture(&p).to_text());
            }
        }
    }
}

/// Reads a move, legal or not: an error is about a place in the text, and one with a reason lists the legal moves all the same.
fn read_move<R: Notation>(rules: &R, p: &R::Position, text: &str) {
    match rules.parse_move(p, text) {
        Ok(m) => {
            let mut list = MoveList::new();
            rules.expand(p, &mut list);
            assert!(list.iter().any(|o| o == m), "{}: {text}", rules.name());
        }
        Err(error) => {
            assert!(error.at <= text.chars().count() && error.input == text, "{error}");
            assert!(error.reason.as_ref().is_none_or(|reason| !reason.is_empty()), "{error}");
            let _ = error.to_string();
        }
    }
}

/// The text of the position after some moves.
struct Walk<'w> {
    choices: &'w [usize],
}

impl Visitor for Walk<'_> {
    type Output = String;

    fn visit<R: Notation, K: Knowledge<R>>(self, game: R, _: K) -> String {
        let mut p = game.start();
        for &choice in self.choices {
            let mut list = MoveList::new();
            if game.outcome(&p).is_some() {
                break;
            }
            game.moves(&p, &mut list);
            p = game.play(&p, list.scored()[choice % list.len()].mv);
        }
        game.position_text(&p)
    }
}

/// The examples of the catalogue, the same with other sizes, and both with `misere`.
fn names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(all_names);
    &NAMES
}

fn all_names() -> Vec<String> {
    let mut names = Vec::new();
    names.extend(
        [
            "chess KPKP",
            "chess KBNKQ",
            "chess 6",
            "kalah 2x3 noempty",
            "kalah 6x4",
            "awari 6x4",
            "awari 2x2 noslam",
            "morris 6",
            "morris 9",
            "mnk 15x15x5",
            "mnk 19x19x6",
            "atarigo 9x9",
            "nogo 19x19",
            "clobber 9x9",
            "loa 8x8",
            "go 6x7",
            "go 19x19 komi 7.5",
        ]
        .map(String::from),
    );
    for entry in entries() {
        names.push(entry.example.to_owned());
        for rest in ["3x3", "4x2", "4x5", "5x4", "6x6", "2x7", "4x4x3", "2", "7"] {
            names.push(format!("{} {rest}", entry.name));
            names.push(format!("{} {rest} misere", entry.name));
        }
    }
    names.retain(|name| open(name, Walk { choices: &[] }).is_ok());
    names
}

/// Replaces a few characters.
fn damage(text: &str, at: usize, cut: usize, new: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    chars.splice(at..(at + cut).min(chars.len()), new.chars());
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_texts(which in any::<prop::sample::Index>(), text in "\\PC{0,60}", board in "[xo.#/ |0-9a-h-]{0,40}( first| second)?", fen in "[KQRBNPkqrbnp1-8/]{0,40}( w - -| b - -)?") {
        let name = which.get(names());
        open(name, Feed { text: &text }).unwrap();
        open(name, Feed { text: &board }).unwrap();
        open("chess 6", Feed { text: &fen }).unwrap();
    }

    #[test]
    fn damaged_positions(
        which in any::<prop::sample::Index>(),
        choices in prop::collection::vec(0usize..1000, 0..12),
        at in 0usize..200,
        cut in 0usize..3,
        new in "[xo.#/ 0-9a-hKQRBNPkqrnpw|,-]{0,2}",
    ) {
        let name = which.get(names());
        let text = open(name, Walk { choices: &choices }).unwrap();
        open(name, Feed { text: &text }).unwrap();
        open(name, Feed { text: &damage(&text, at, cut, &new) }).unwrap();
        open(name, Feed { text: &damage(&text, at, new.chars().count(), &new) }).unwrap();
    }

    #[test]
    fn names_of_games(which in any::<prop::sample::Index>(), text in "\\PC{0,40}", at in 0usize..60, cut in 0usize..4, new in "[a-z0-9x ;:=.-]{0,4}") {
        let _ = open(&text, Walk { choices: &[] });
        let entry = which.get(entries());
        for name in [
            format!("{} {text}", entry.name),
            damage(entry.example, at, cut, &new),
            format!("{} {new}", entry.example),
        ] {
            if let Err(error) = open(&name, Walk { choices: &[] }) {
                prop_assert!(error.at <= error.input.chars().count(), "{}", error);
            }
        }
    }
}
