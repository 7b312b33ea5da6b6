//! Who said something. What a program or a machine calls itself proves nothing: it could use the name of one of our
//! engines, or another name for every job. So every fact carries a name that we give, under which all that came from
//! there can be found and withdrawn, and how far it is to be trusted.

use std::sync::Arc;
use zermelo_game::outside::printable;

/// The name of the rules as a source, which is what the rules and a database say without search.
pub const RULES: &str = "rules";
/// So much is kept of what a program calls itself.
const NAME: usize = 200;

/// How far a source is to be trusted, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SourceKind {
    /// A program or a machine that is not ours.
    Outside,
    /// Written by a version of this program that did not note who it was. It may have been anybody.
    Unknown,
    /// An engine of ours, in this process.
    Engine,
    /// The rules of the game, what they say without search, and the database.
    Rules,
}

impl SourceKind {
    /// The word that stands for it in a store.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            SourceKind::Outside => "outside",
            SourceKind::Unknown => "unknown",
            SourceKind::Engine => "engine",
            SourceKind::Rules => "rules",
        }
    }

    /// What such a word stands for.
    #[must_use]
    pub fn named(word: &str) -> Option<SourceKind> {
        let all = [SourceKind::Outside, SourceKind::Unknown, SourceKind::Engine, SourceKind::Rules];
        all.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether it is one of us.
    #[must_use]
    pub const fn is_ours(self) -> bool {
        matches!(self, SourceKind::Engine | SourceKind::Rules)
    }
}

/// The source of a fact.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FactSource {
    /// How far it is to be trusted.
    pub kind: SourceKind,
    /// The name that we give: all facts of one giver can be withdrawn together.
    pub giver: String,
    /// That name and, of outsiders, what it calls itself.
    pub name: String,
}

impl FactSource {
    /// The rules.
    #[must_use]
    pub fn rules() -> FactSource {
        FactSource { kind: SourceKind::Rules, giver: RULES.into(), name: RULES.into() }
    }

    /// An engine of ours, by its name.
    #[must_use]
    pub fn engine(name: &str) -> FactSource {
        FactSource { kind: SourceKind::Engine, giver: name.into(), name: name.into() }
    }

    /// It in words, for people.
    #[must_use]
    pub fn words(&self) -> String {
        let name = printable(&self.name);
        match self.kind {
            SourceKind::Rules => "the rules".into(),
            SourceKind::Engine => format!("our engine {name}"),
            SourceKind::Outside => name.into_owned(),
            SourceKind::Unknown => format!("{name} (noted by an earlier version)"),
        }
    }
}

/// Who answers jobs, as we know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Giver {
    /// An engine of ours, in this process: what it calls itself is true.
    Engine,
    /// Somebody else, under a name that we give.
    Outside(Arc<str>),
}

impl Giver {
    /// A program that is started by this command.
    #[must_use]
    pub fn program(command: &[String]) -> Giver {
        Giver::Outside(format!("program {}", command.join(" ")).into())
    }

    /// The name that we give.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Giver::Engine => "our engine",
            Giver::Outside(name) => name,
        }
    }

    /// The source of what was said by one that calls itself so.
    #[must_use]
    pub fn source(&self, said: &str) -> FactSource {
        match self {
            Giver::Engine => FactSource::engine(said),
            Giver::Outside(giver) => {
                let end = said.char_indices().nth(NAME).map_or(said.len(), |(at, _)| at);
                let (giver, said) = (giver.to_string(), printable(&said[..end]));
                let name = format!("{giver}, as \"{said}\"");
                FactSource { kind: SourceKind::Outside, giver, name }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outsiders_do_not_choose_their_names() {
        let giver = Giver::program(&["liar".into(), "-x".into()]);
        let source = giver.source("zermelo 0.1.0 dfpn\u{1b}[2J");
        assert_eq!((source.kind, &*source.giver), (SourceKind::Outside, "program liar -x"));
        assert_eq!(source.name, "program liar -x, as \"zermelo 0.1.0 dfpn\\u{1b}[2J\"");
        assert!(giver.source(&"é".repeat(500)).name.len() < 500);
        assert_eq!(Giver::Engine.source("zermelo 0.1.0 dfpn").kind, SourceKind::Engine);
    }

    #[test]
    fn kinds_are_ordered_by_trust() {
        assert!(
            SourceKind::Outside < SourceKind::Engine && SourceKind::Unknown < SourceKind::Engine
        );
        assert!(SourceKind::Engine < SourceKind::Rules);
        for kind in
            [SourceKind::Outside, SourceKind::Unknown, SourceKind::Engine, SourceKind::Rules]
        {
            assert_eq!(SourceKind::named(kind.word()), Some(kind));
        }
        assert_eq!(SourceKind::named("x"), None);
    }
}
