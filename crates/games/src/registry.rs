//! Our games, by name: `nogo 5x5`, `breakthrough 5x5 misere`.
//!
//! A name becomes a type here and nowhere else: [`open`] reads the first word, the game reads the others, and
//! hands itself to a [`Visitor`], whose generic methods are compiled for every game there is. A game is one row of the list
//! below.

use crate::through::{breakthrough, knightthrough};
use crate::{
    atarigo, awari, checkers, chess, clobber, connect4, domineering, go, graph, kalah, loa, mnk,
    morris, nogo,
};
use zermelo_game::{
    Args, GameEntry, Knowledge, Notation, ParseError, Sliced, Superko, SuperkoKnowledge, Threats,
};

/// What to do with a game once its types are known.
pub trait Visitor: Sized {
    /// What comes out.
    type Output;

    /// Called once, with the rules of the opened game and what is known about them.
    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output;

    /// The same with a game whose positions are numbered, for endgame databases.
    fn visit_numbered<R: Sliced, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output {
        self.visit(rules, knowledge)
    }

    /// The same with a game that says what a pass would be.
    fn visit_threats<R: Notation + Threats, K: Knowledge<R>>(
        self,
        rules: R,
        knowledge: K,
    ) -> Self::Output {
        self.visit(rules, knowledge)
    }

    /// The same with a game that few people search: a program may save room and run it a little slower.
    fn visit_rare<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output {
        self.visit(rules, knowledge)
    }

    /// As [`visit_rare`](Self::visit_rare) and [`visit_numbered`](Self::visit_numbered).
    fn visit_rare_numbered<R: Sliced, K: Knowledge<R>>(
        self,
        rules: R,
        knowledge: K,
    ) -> Self::Output {
        self.visit_numbered(rules, knowledge)
    }

    /// The same with a game on a board for which keys of 64 bits do not suffice. Few people search these.
    fn visit_wide<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Self::Output {
        self.visit(rules, knowledge)
    }

    /// As [`visit_wide`](Self::visit_wide) and [`visit_threats`](Self::visit_threats).
    fn visit_wide_threats<R: Notation + Threats, K: Knowledge<R>>(
        self,
        rules: R,
        knowledge: K,
    ) -> Self::Output {
        self.visit_threats(rules, knowledge)
    }

    /// The same with a game in which boards must not be repeated. Whoever does not override this forgets that rule.
    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
        self,
        rules: R,
        knowledge: K,
    ) -> Self::Output {
        self.visit(rules, knowledge)
    }

    /// As [`visit_wide`](Self::visit_wide) and [`visit_superko`](Self::visit_superko).
    fn visit_wide_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
        self,
        rules: R,
        knowledge: K,
    ) -> Self::Output {
        self.visit_superko(rules, knowledge)
    }
}

/// What to do with a game whose positions are numbered.
pub trait SlicedVisitor {
    /// What comes out.
    type Output;
    /// Called once, with the rules of the opened game.
    fn visit<R: Sliced>(self, rules: R) -> Self::Output;
}

/// Writes down the list of games once: how each is listed, what opens it, and perhaps what tells from a position which game of that
/// kind it belongs to.
macro_rules! games {
    ($($entry:path => $open:path $(; position $name_of:path)?,)*) => {
        /// How the games are listed.
        #[must_use]
        pub fn entries() -> &'static [GameEntry] {
            &[$($entry),*]
        }

        /// Opens the game of these words and hands it to the visitor.
        pub fn open_args<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
            let name = args.name().to_ascii_lowercase();
            $(if name == $entry.name {
                return $open(args, visitor);
            })*
            let names: Vec<&str> = entries().iter().map(|e| e.name).collect();
            Err(args.error_at(0, format!("a game: {}", names.join(", "))))
        }

        /// What reads the whole name of a game from a position, for a game whose first word alone can mean several;
        /// `None` for all others.
        #[must_use]
        pub fn name_by_position(name: &str) -> Option<fn(&str) -> Result<String, ParseError>> {
            $($(if name == $entry.name {
                return Some($name_of);
            })?)*
            None
        }
    };
}

games! {
    mnk::TICTACTOE => mnk::open_tictactoe,
    mnk::MNK => mnk::open,
    connect4::ENTRY => connect4::open,
    domineering::ENTRY => domineering::open,
    nogo::ENTRY => nogo::open,
    atarigo::ENTRY => atarigo::open,
    go::ENTRY => go::open,
    clobber::ENTRY => clobber::open,
    checkers::ENTRY => checkers::open,
    breakthrough::ENTRY => breakthrough::open,
    knightthrough::ENTRY => knightthrough::open,
    chess::ENTRY => chess::open; position chess::name_of,
    kalah::ENTRY => kalah::open,
    awari::ENTRY => awari::open,
    morris::ENTRY => morris::open,
    loa::ENTRY => loa::open,
    graph::ENTRY => graph::open,
}

/// Opens a game by name and hands it to the visitor.
///
/// ```
/// use zermelo_game::{Knowledge, Notation};
/// struct Name;
/// impl zermelo_games::Visitor for Name {
///     type Output = String;
///     fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> String { rules.name() }
/// }
/// assert_eq!(zermelo_games::open("mnk 4x5x3", Name).unwrap(), "mnk 4x5x3");
/// let error = zermelo_games::open("mnk 4x5", Name).unwrap_err();
/// assert_eq!(error.column(), 5);
/// ```
pub fn open<V: Visitor>(text: &str, visitor: V) -> Result<V::Output, ParseError> {
    open_args(Args::new(text), visitor)
}

/// Opens a game whose positions are numbered slice by slice and hands it to the visitor; gives the visitor back
/// where the positions of that game are not.
pub fn open_sliced<V: SlicedVisitor>(
    text: &str,
    visitor: V,
) -> Result<Result<V::Output, V>, ParseError> {
    struct IfNumbered<V>(V);

    impl<V: SlicedVisitor> Visitor for IfNumbered<V> {
        type Output = Result<V::Output, V>;

        fn visit<R: Notation, K: Knowledge<R>>(self, _: R, _: K) -> Self::Output {
            Err(self.0)
        }

        fn visit_numbered<R: Sliced, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
            Ok(self.0.visit(rules))
        }
    }

    open(text, IfNumbered(visitor))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Name;
    impl Visitor for Name {
        type Output = String;
        fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> String {
            rules.name()
        }
    }

    #[test]
    fn every_example_opens_under_its_own_name() {
        for entry in entries() {
            let name = open(entry.example, Name).unwrap_or_else(|e| panic!("{e}"));
            assert!(name.starts_with(entry.name), "{name}");
            assert_eq!(open(&name, Name).as_ref(), Ok(&name), "names open what they name");
        }
    }

    #[test]
    fn positions_name_the_game() {
        let name = |position| name_by_position("chess").unwrap()(position);
        for (fen, game) in [
            ("8/8/8/8/8/1k6/8/K1Q5 w - - 0 1", "chess KQK"),
            ("8/8/8/8/8/2k5/1q6/4K3 w - -", "chess KQK"),
            ("8/8/8/8/4P3/2kr4/8/K7 b - -", "chess KRKP"),
            ("[FEN \"8/8/8/8/8/1k6/8/K1BN4 w - - 0 1\"]", "chess KBNK"),
        ] {
            assert_eq!(name(fen).as_deref(), Ok(game), "{fen}");
            assert_eq!(open(game, Name).as_deref(), Ok(game));
        }
        let error = name("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").unwrap_err();
        assert_eq!((error.column(), &*error.expected), (6, "at most 6 men"));
        assert_eq!(name("[FEN \"x\"]").unwrap_err().column(), 7);
        assert!(name_by_position("nogo").is_none());
    }

    #[test]
    fn errors_show_the_place() {
        for (text, column) in [
            ("", 1),
            ("shogi", 1),
            ("chess", 6),
            ("chess KRX", 7),
            ("chess 9", 7),
            ("mnk", 4),
            ("mnk 3x3", 5),
            ("mnk 3x3x3 4", 11),
            ("mnk 0x3x3", 5),
            ("mnk 99x99x3", 5),
            ("mnk 19x20x5", 5),
            ("nogo 1x362", 6),
            ("atarigo 65536x65537", 9),
            ("clobber 0x4", 9),
            ("loa 8x20", 5),
            ("go 20x19 komi 7.5", 4),
            ("breakthrough 8x8", 14),
            ("tictactoe misere", 11),
        ] {
            assert_eq!(open(text, Name).unwrap_err().column(), column, "{text}");
        }
    }

    #[test]
    fn boards_whose_keys_are_long_are_opened_as_such() {
        struct Width;
        impl Visitor for Width {
            type Output = &'static str;
            fn visit<R: Notation, K: Knowledge<R>>(self, _: R, _: K) -> &'static str {
                "small"
            }
            fn visit_wide<R: Notation, K: Knowledge<R>>(self, _: R, _: K) -> &'static str {
                "wide"
            }
            fn visit_wide_threats<R: Notation + Threats, K: Knowledge<R>>(
                self,
                _: R,
                _: K,
            ) -> &'static str {
                "wide, with threats"
            }
            fn visit_wide_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
                self,
                _: R,
                _: K,
            ) -> &'static str {
                "wide, with superko"
            }
        }
        for (name, width) in [
            ("mnk 5x6x5", "small"),
            ("mnk 7x9x5", "wide, with threats"),
            ("mnk 8x8x5", "wide, with threats"),
            ("mnk 19x19x5", "wide, with threats"),
            ("atarigo 5x6", "small"),
            ("atarigo 7x9", "wide, with threats"),
            ("atarigo 9x9", "wide, with threats"),
            ("atarigo 19x19", "wide, with threats"),
            ("nogo 5x6", "small"),
            ("nogo 9x7", "wide"),
            ("nogo 1x361", "wide"),
            ("clobber 5x6", "small"),
            ("clobber 7x7", "wide"),
            ("clobber 19x19", "wide"),
            ("loa 5x6", "small"),
            ("loa 7x9", "wide"),
            ("loa 8x8", "wide"),
            ("loa 19x19", "wide"),
            ("go 4x7", "small"),
            ("go 6x5", "wide, with superko"),
            ("go 19x19 komi 7.5", "wide, with superko"),
        ] {
            assert_eq!(open(name, Width), Ok(width), "{name}");
            assert_eq!(open(name, Name).as_deref(), Ok(name));
        }
    }

    #[test]
    fn only_people_name_files() {
        for name in ["graph /dev/zero", " GRAPH x", "graph\tx", "graph"] {
            let error = open_args(Args::foreign(name), Name).unwrap_err();
            assert!(error.expected.contains("written out"), "{name}: {error}");
        }
        assert!(open_args(Args::foreign("graph a first: b; b second = 1"), Name).is_ok());
    }
}
