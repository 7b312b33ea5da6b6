//! What goes to a prover and what comes back: one position at a time, as text. Both are lines of JSON for provers in
//! other programs and on other machines; `docs/prover.md` describes them.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use zermelo_erased::AnyGame;
use zermelo_game::identity::FIRST;
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Identity, Limits, Value};

/// A position to be proved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Its number; the outcome bears the same.
    pub id: u64,
    /// The game, as the catalogue opens it.
    pub game: String,
    /// The version of its rules: a prover that knows another must refuse. A manager that does not send it is older
    /// than these versions, which is to say that its rules are version 1.
    #[serde(default = "first")]
    pub rules_version: u32,
    /// What stood for the rules before there were versions ([`rules_digest`]), for provers of that time. Others ignore it.
    #[serde(default)]
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
    /// Whether this is to find out whether somebody else told the truth.
    #[serde(default)]
    pub audit: bool,
    /// The engine of ours that is audited: another one must answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audited: Option<String>,
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

    /// The game that it is about, by which version of its rules.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity { game: self.game.clone(), rules_version: self.rules_version }
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
pub struct JobOutcome {
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
    /// Whether the bounds may depend on the moves that led to the position: then they are no fact.
    #[serde(default, rename = "hangs")]
    pub path_dependent: bool,
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
    pub moves: Vec<ChildReport>,
    /// Why nothing came of it. The job is given to somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a prover found out about a move of a position that it could not settle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChildReport {
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

impl JobOutcome {
    /// A job that failed.
    #[must_use]
    pub fn failed(job: &Job, error: impl Into<String>) -> JobOutcome {
        let (id, lo, hi) = (job.id, job.lo, job.hi);
        JobOutcome { id, lo, hi, error: Some(error.into()), ..JobOutcome::default() }
    }
}

/// The version of rules in messages that name none.
#[must_use]
pub fn first() -> u32 {
    FIRST
}

/// What programs compare that are older than versions of rules: the BLAKE3 of the full name, a line feed, and the rules in
/// words. They know no rules but those of version 1, so for a later version it is another number, whatever the words are.
#[must_use]
pub fn rules_digest(game: &dyn AnyGame) -> String {
    let Identity { game: name, rules_version } = game.identity();
    let mut hasher = blake3::Hasher::new();
    hasher.update(name.as_bytes()).update(b"\n").update(game.rules().as_bytes());
    if rules_version > FIRST {
        hasher.update(format!("\nversion {rules_version}").as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Whether somebody's game is ours; in words if it is not.
pub fn same_game(theirs: &Identity, ours: &Identity) -> Result<(), String> {
    if theirs.game != ours.game {
        return Err(format!(
            "their game is {}, ours {}",
            printable(&theirs.game),
            printable(&ours.game)
        ));
    }
    if theirs.rules_version != ours.rules_version {
        return Err(format!(
            "their rules of {} are version {}, ours version {}: programs that work together must be of one version",
            printable(&ours.game),
            theirs.rules_version,
            ours.rules_version
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_and_outcomes_are_short_lines() {
        let job = Job {
            id: 7,
            game: "tictactoe".into(),
            rules_version: 3,
            rules: "r".into(),
            database: None,
            position: ".../.../... first".into(),
            lo: -1,
            hi: 1,
            first: Some(1),
            threshold: None,
            audit: false,
            audited: None,
            nodes: None,
            millis: Some(1500),
            memory: 1 << 20,
        };
        let line = serde_json::to_string(&job).unwrap();
        assert!(!line.contains("threshold") && !line.contains('\n'), "{line}");
        assert_eq!(serde_json::from_str::<Job>(&line).unwrap(), job);
        assert_eq!(job.limits().time, Some(Duration::from_millis(1500)));
        assert_eq!(job.identity().to_string(), "tictactoe (rules version 3)");
        let said: JobOutcome =
            serde_json::from_str(r#"{"id":7,"solver":"me","lo":0,"hi":0}"#).unwrap();
        assert!(said.tried && said.error.is_none() && !said.path_dependent);
        assert!(serde_json::from_str::<JobOutcome>(r#"{"id":7}"#).is_err());
        let line = r#"{"id":7,"solver":"me","lo":0,"hi":0,"tried":true,"hangs":true,"nodes":0,"micros":0}"#;
        let said: JobOutcome = serde_json::from_str(line).unwrap();
        assert!(said.path_dependent);
        assert_eq!(serde_json::to_string(&said).unwrap(), line);
    }

    /// Managers and provers need not be of the same version of the program.
    #[test]
    fn older_managers_and_provers_are_understood() {
        let game = zermelo_erased::Catalogue::standard().open("nogo 3x4").unwrap();
        // As a manager sent it before there were versions of rules: words may have changed since.
        let old = r#"{"id":17,"game":"nogo 3x4","rules":"5c0e","position":"..../..../.... first","lo":-1,"hi":1,"memory":9}"#;
        let job: Job = serde_json::from_str(old).unwrap();
        assert_eq!(job.identity(), Identity { game: "nogo 3x4".into(), rules_version: 1 });
        assert_eq!(same_game(&job.identity(), &game.identity()), Ok(()));
        let newer = Identity { rules_version: 2, ..game.identity() };
        let why = same_game(&job.identity(), &newer).unwrap_err();
        assert!(why.contains("version 1") && why.contains("version 2"), "{why}");
        let why = same_game(&Identity { game: "nogo\n3x3".into(), ..newer.clone() }, &newer);
        assert!(why.unwrap_err().starts_with("their game is nogo\\n3x3, ours nogo 3x4"));
        // A later one may leave the digest out, which is for older provers alone: they find what they always did.
        let later = old.replace(r#""rules":"5c0e""#, r#""rules_version":2"#);
        assert_eq!(serde_json::from_str::<Job>(&later).unwrap().identity(), newer);
        let digest = blake3::hash(format!("nogo 3x4\n{}", game.rules()).as_bytes());
        assert_eq!(rules_digest(&*game), digest.to_hex().to_string());
    }
}
