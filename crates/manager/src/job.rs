//! What goes to a prover and what comes back: one position at a time, as text. Both are lines of JSON for provers in
//! other programs and on other machines; `docs/prover.md` describes them.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use zermelo_game::{Bounds, Limits, Value};

/// A position to be proved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Its number; the outcome bears the same.
    pub id: u64,
    /// The game, as the registry opens it.
    pub game: String,
    /// The digest of its rules ([`rules_digest`]): a prover that knows others must refuse.
    pub rules: String,
    /// The digest of the database that may be asked, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// The position.
    pub position: String,
    /// What is known of its value already: it is at least this ...
    pub lo: Value,
    /// ... and at most this.
    pub hi: Value,
    /// The question to begin with: is the value at least so much?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Value>,
    /// With a threshold, a score by a heuristic search is wanted; if it lies outside twice the threshold, nothing
    /// more is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<i32>,
    /// Whether this is to be done by the prover's second solver, to find out whether the first told the truth.
    #[serde(default)]
    pub audit: bool,
    /// Positions that a search may visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds that it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// Bytes that its tables may take.
    pub memory: u64,
}

impl Job {
    /// What is known of the position.
    #[must_use]
    pub fn known(&self) -> Bounds {
        Bounds { lo: self.lo, hi: self.hi }
    }

    /// The limits for a search.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let time = self.millis.map(Duration::from_millis);
        Limits { time, nodes: self.nodes, memory: self.memory, cancel: None }
    }
}

/// What a prover says.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of the job.
    pub id: u64,
    /// The solver that was used, with its version and what of its settings matters.
    pub solver: String,
    /// What is proved of the position's value: it is at least this ...
    pub lo: Value,
    /// ... and at most this.
    pub hi: Value,
    /// Who stands better, by a heuristic search, in the units of the game's evaluation; positive for the first player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// Whether a proof was tried: a position that stays open after that is taken apart.
    #[serde(default = "yes")]
    pub tried: bool,
    /// Whether the bounds may hang on how the position came about: then they are no fact.
    #[serde(default)]
    pub hangs: bool,
    /// Positions visited.
    #[serde(default)]
    pub nodes: u64,
    /// Microseconds it took.
    #[serde(default)]
    pub micros: u64,
    /// Where the position stayed open: the question that was not answered, *is the value at least this?*
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Value>,
    /// And what was found out about its moves all the same, of those that the manager lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Gleaned>,
    /// Why nothing came of it. The job is given to somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a prover found out about a move of a position that it could not settle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Gleaned {
    /// The position after it.
    pub position: String,
    /// What is proved of its value: it is at least this ...
    pub lo: Value,
    /// ... and at most this.
    pub hi: Value,
    /// How much seems left to be done to show that the answer to the question is yes there ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes: Option<u32>,
    /// ... and that it is no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no: Option<u32>,
}

fn yes() -> bool {
    true
}

impl Outcome {
    /// A job that failed.
    #[must_use]
    pub fn failed(job: &Job, error: impl Into<String>) -> Outcome {
        let (id, lo, hi) = (job.id, job.lo, job.hi);
        Outcome { id, lo, hi, error: Some(error.into()), ..Outcome::default() }
    }
}

/// What stands for the rules of a game: the BLAKE3 of its name and of its rules in words.
#[must_use]
pub fn rules_digest(name: &str, rules: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(name.as_bytes()).update(b"\n").update(rules.as_bytes());
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_and_outcomes_are_short_lines() {
        let job = Job {
            id: 7,
            game: "tictactoe".into(),
            rules: "r".into(),
            database: None,
            position: ".../.../... first".into(),
            lo: -1,
            hi: 1,
            first: Some(1),
            threshold: None,
            audit: false,
            nodes: None,
            millis: Some(1500),
            memory: 1 << 20,
        };
        let line = serde_json::to_string(&job).unwrap();
        assert!(!line.contains("threshold") && !line.contains('\n'), "{line}");
        assert_eq!(serde_json::from_str::<Job>(&line).unwrap(), job);
        assert_eq!(job.limits().time, Some(Duration::from_millis(1500)));
        let said: Outcome =
            serde_json::from_str(r#"{"id":7,"solver":"me","lo":0,"hi":0}"#).unwrap();
        assert!(said.tried && said.error.is_none() && !said.hangs);
        assert!(serde_json::from_str::<Outcome>(r#"{"id":7}"#).is_err());
    }
}
