//! Contradictions: statements about positions that cannot all be true, who made them, and who is to blame.
//!
//! Who lies is found by leaving out what somebody said: if the rest holds together, that one may be the liar. Those
//! who are trusted least are left out first (a program from outside before an engine of ours; never the rules). If one
//! alone is to blame, it is the liar; where several could be, nobody can know which of them it is, and what all of them said
//! is withdrawn. Facts that are withdrawn stay in the store for the record, where no proof uses them.

use crate::source::{FactSource, SourceKind};
use std::fmt;
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, counted};

/// Of so many statements a contradiction tells.
pub(crate) const TOLD: usize = 12;

/// What somebody said of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The position.
    pub position: String,
    /// What was said of its value.
    pub bounds: Bounds,
    /// Who said it.
    pub source: FactSource,
}

/// How a contradiction came to light.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Light {
    /// An audit found something else.
    Audit,
    /// Something was told of a position that does not go with what is known of it.
    Told,
    /// What is known of the moves of a position does not go with what is known of the position.
    Moves,
}

/// What was withdrawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Withdrawn {
    /// Who had said it.
    pub kind: SourceKind,
    /// The name that we gave.
    pub giver: String,
    /// How many facts.
    pub facts: u64,
}

/// Statements that cannot all be true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContradictionReport {
    /// The position where it shows.
    pub position: String,
    /// How it came to light.
    pub light: Light,
    /// What was known of the position.
    pub known: Bounds,
    /// What came.
    pub told: Bounds,
    /// Who said what of the position and of its moves, the last word at the end.
    pub statements: Vec<Statement>,
    /// What was withdrawn because of it: of one who is to blame, or of all who may be. Nothing by those who only read a
    /// store.
    pub withdrawn: Vec<Withdrawn>,
}

impl ContradictionReport {
    /// Who is to blame, if that can be known.
    #[must_use]
    pub fn liar(&self) -> Option<&Withdrawn> {
        match &self.withdrawn[..] {
            [one] => Some(one),
            _ => None,
        }
    }
}

fn who(kind: SourceKind, giver: &str) -> String {
    let (giver, name) = (giver.to_owned(), giver.to_owned());
    FactSource { kind, giver, name }.words()
}

impl fmt::Display for ContradictionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ContradictionReport { light, known, told, statements, withdrawn, .. } = self;
        let position = printable(&self.position);
        match light {
            Light::Audit => write!(f, "an audit of {position} finds {told}, not {known}")?,
            Light::Told => {
                write!(
                    f,
                    "the value of {position} is known to lie in {known}, and was told as {told}"
                )?;
            }
            Light::Moves => write!(
                f,
                "the value of {position} is known to lie in {known}, but its moves make it {told}"
            )?,
        }
        for Statement { position: at, bounds, source } in statements {
            match *at == self.position {
                true => write!(f, "; {} says {bounds}", source.words())?,
                false => write!(f, "; {} says {bounds} of {}", source.words(), printable(at))?,
            }
        }
        match &withdrawn[..] {
            [] => Ok(()),
            [Withdrawn { kind, giver, facts }] => {
                let who = who(*kind, giver);
                write!(
                    f,
                    ". It is {who} that is wrong: what it said is withdrawn ({})",
                    counted(*facts, "fact")
                )
            }
            several => {
                write!(
                    f,
                    ". Nobody can know which of them is wrong: what they said is withdrawn ("
                )?;
                for (i, Withdrawn { kind, giver, facts }) in several.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    let facts = counted(*facts, "fact");
                    write!(f, "{comma}{facts} by {}", who(*kind, giver))?;
                }
                write!(f, ")")
            }
        }
    }
}
