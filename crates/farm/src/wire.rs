//! What both sides share: names on the server, streams, messages, and patience.

use crate::{Address, FarmFailure};
use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType};
use async_nats::jetstream::{Context, Message, new, publish::PublishAck};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::future::{Future, IntoFuture};
use std::time::Duration;
use zermelo_game::Identity;
use zermelo_proof_tree::job::first;
use zermelo_proof_tree::{Job, JobOutcome};

/// A lease ends so long after the last word about it.
pub const LEASE: Duration = Duration::from_secs(6);
/// How often life is told of.
pub const PULSE: Duration = Duration::from_millis(1000);
/// Between tries.
const PAUSE: Duration = Duration::from_millis(300);
/// The server recognises a message that is published again for so long.
const RECOGNISED: Duration = Duration::from_secs(600);

/// The consumer of a stream.
const CONSUMER: &str = "zermelo";

/// A task on its way.
#[derive(Clone, Serialize, Deserialize)]
pub struct TaskEnvelope {
    /// The run of the manager it belongs to.
    pub run: String,
    #[serde(flatten)]
    pub task: FarmTask,
}

/// What workers do.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FarmTask {
    /// Prove a position.
    Job(Job),
    /// Work out a group of slices of a database.
    Group(GroupTask),
}

impl FarmTask {
    pub fn id(&self) -> u64 {
        match self {
            FarmTask::Job(job) => job.id,
            FarmTask::Group(group) => group.id,
        }
    }

    /// What a worker says that it does while it works on it.
    pub fn shown(&self) -> String {
        match self {
            FarmTask::Job(job) => job.position.clone(),
            FarmTask::Group(group) => group.slices.join(" "),
        }
    }
}

/// A group of slices to be worked out.
#[derive(Clone, Serialize, Deserialize)]
pub struct GroupTask {
    /// Its number among the tasks.
    pub id: u64,
    /// The game, as the catalogue opens it.
    pub game: String,
    /// The version of its rules; a builder that does not send it is older, and its rules are version 1.
    #[serde(default = "first")]
    pub rules_version: u32,
    /// What stood for the rules before there were versions: workers of that time compare it. Others ignore it.
    #[serde(default)]
    pub rules: String,
    /// The version of the program: the same bytes are made by the same program.
    pub version: String,
    /// The most pieces of the database, and whether distances are kept.
    pub pieces: Option<u32>,
    pub distance: bool,
    /// Its number among the groups.
    pub number: usize,
    /// The names of its slices.
    pub slices: Vec<String>,
    /// The files it is worked out from.
    pub needs: Vec<SliceObject>,
}

impl GroupTask {
    /// The game that it is about, by which version of its rules.
    pub fn identity(&self) -> Identity {
        Identity { game: self.game.clone(), rules_version: self.rules_version }
    }
}

/// The file of a slice among the objects of the farm, where its digest is its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SliceObject {
    pub name: String,
    /// The BLAKE3 of the whole file.
    pub digest: String,
}

/// What became of a task, on its way.
#[derive(Serialize, Deserialize)]
pub struct FarmReply {
    pub run: String,
    #[serde(flatten)]
    pub answer: TaskResult,
}

/// What workers say.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskResult {
    Outcome(JobOutcome),
    Made(Made),
}

/// A group that was worked out, or why it was not.
#[derive(Serialize, Deserialize)]
pub struct Made {
    /// The number of the task.
    pub id: u64,
    /// The game and the version of its rules, as in the group. Workers that are older than versions of rules send neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_version: Option<u32>,
    /// As in the group, for builders that are older.
    #[serde(default)]
    pub rules: String,
    pub slices: Vec<SliceObject>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Made {
    /// Whether it was made of this game; `digest` is what an older worker sends back in its place.
    pub fn is_of(&self, identity: &Identity, digest: &str) -> bool {
        match (&self.game, self.rules_version) {
            (Some(game), Some(version)) => {
                (game, version) == (&identity.game, identity.rules_version)
            }
            (None, None) => self.rules == digest,
            _ => false,
        }
    }
}

/// A sign of life of a prover.
#[derive(Clone, Serialize, Deserialize)]
pub struct Sign {
    /// Its name, which no other has.
    pub prover: String,
    /// The position at hand, and for how many milliseconds already.
    pub doing: Option<(String, u64)>,
}

/// A connection to a farm.
#[derive(Clone)]
pub struct Wire {
    pub client: Client,
    pub js: Context,
    pub farm: String,
}

/// The two streams.
#[derive(Clone, Copy)]
pub enum StreamKind {
    Jobs,
    Outcomes,
}

impl Wire {
    /// Connects and makes the streams where they are not there.
    pub async fn connect(address: &Address) -> Result<Wire, FarmFailure> {
        let unreached =
            |why: String| FarmFailure::Unreached { address: address.shown().to_owned(), why };
        let options = address.options().await?;
        let client =
            options.connect(address.server()).await.map_err(|e| unreached(e.to_string()))?;
        let wire = Wire { js: new(client.clone()), client, farm: address.name().to_owned() };
        for kind in [StreamKind::Jobs, StreamKind::Outcomes] {
            wire.stream(kind).await.map_err(|e| {
                unreached(format!("{e} (JetStream has to be switched on: nats-server -js)"))
            })?;
        }
        Ok(wire)
    }

    /// A subject of this farm.
    pub fn subject(&self, what: &str) -> String {
        format!("zermelo.{}.{what}", self.farm)
    }

    fn config(&self, kind: StreamKind) -> Config {
        let (name, subject) = match kind {
            StreamKind::Jobs => ("JOBS", "job"),
            StreamKind::Outcomes => ("OUTCOMES", "outcome"),
        };
        Config {
            name: format!("ZERMELO_{}_{name}", self.farm),
            subjects: vec![self.subject(subject)],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            duplicate_window: RECOGNISED,
            ..Config::default()
        }
    }

    async fn stream(
        &self,
        kind: StreamKind,
    ) -> Result<async_nats::jetstream::stream::Stream, String> {
        self.js.get_or_create_stream(self.config(kind)).await.map_err(|e| e.to_string())
    }

    /// Throws away what is in a stream.
    pub async fn purge(&self, kind: StreamKind) -> Result<(), String> {
        let stream = self.stream(kind).await?;
        stream.purge().into_future().await.map(|_| ()).map_err(|e| e.to_string())
    }

    /// How many messages a stream holds: those that wait, and those that were given out and are not acknowledged.
    pub async fn count(&self, kind: StreamKind) -> Result<u64, String> {
        let mut stream = self.stream(kind).await?;
        stream.info().await.map(|info| info.state.messages).map_err(|e| e.to_string())
    }

    /// The one consumer of a stream, which all that read it share. Made again if the server has lost it.
    pub async fn consumer(&self, kind: StreamKind) -> Result<Consumer<pull::Config>, String> {
        let config = pull::Config {
            durable_name: Some(CONSUMER.into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: LEASE,
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        let stream = self.stream(kind).await?;
        stream.get_or_create_consumer(CONSUMER, config).await.map_err(|e| e.to_string())
    }

    /// Deletes the consumer of a stream. The next reader creates a new one, which gets all messages that were not acknowledged.
    pub async fn drop_consumer(&self, kind: StreamKind) -> Result<(), String> {
        let stream = self.stream(kind).await?;
        stream.delete_consumer(CONSUMER).await.map(|_| ()).map_err(|e| e.to_string())
    }

    /// Publishes until the server has it on file. A message of the same number is kept once.
    pub async fn publish<T: Serialize>(&self, kind: StreamKind, number: &str, message: &T) {
        let subject = self.config(kind).subjects.remove(0);
        let bytes = serde_json::to_vec(message).expect("plain data");
        patiently(|| async {
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("Nats-Msg-Id", number);
            let sent = self.js.publish_with_headers(subject.clone(), headers, bytes.clone().into());
            let ack = sent.await.map_err(|e| e.to_string())?;
            let ack: PublishAck = ack.into_future().await.map_err(|e| e.to_string())?;
            Ok::<_, String>(ack)
        })
        .await;
    }

    /// Says something that nobody keeps. If it is lost, it is lost.
    pub async fn say<T: Serialize>(&self, what: &str, message: &T) {
        let bytes = serde_json::to_vec(message).expect("plain data");
        let _ = self.client.publish(self.subject(what), bytes.into()).await;
        let _ = self.client.flush().await;
    }
}

/// Reads a message.
pub fn read<T: DeserializeOwned>(message: &Message) -> Result<T, String> {
    serde_json::from_slice(&message.payload).map_err(|e| e.to_string())
}

/// Tries again until it succeeds.
pub async fn patiently<T, E: Display, F: Future<Output = Result<T, E>>>(
    mut attempt: impl FnMut() -> F,
) -> T {
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As programs sent them that are older than versions of rules.
    #[test]
    fn older_builders_and_workers_are_understood() {
        let group = r#"{"id":1,"game":"checkers 4x4","rules":"d","version":"0.1.0","pieces":2,"distance":false,
            "number":0,"slices":["a"],"needs":[]}"#;
        let group: GroupTask = serde_json::from_str(group).unwrap();
        let ours = Identity { game: "checkers 4x4".into(), rules_version: 1 };
        assert_eq!(group.identity(), ours);
        let raised = Identity { rules_version: 2, ..ours.clone() };
        let read = |text: &str| serde_json::from_str::<Made>(text).unwrap();
        // What an older worker sends back is what it was sent.
        let old = read(r#"{"id":1,"rules":"d","slices":[]}"#);
        assert!(old.is_of(&ours, "d") && !old.is_of(&ours, "another") && !old.is_of(&raised, "e"));
        let new = |game: &str, version: u32| {
            read(&format!(
                r#"{{"id":1,"game":"{game}","rules_version":{version},"rules":"d","slices":[]}}"#
            ))
        };
        assert!(new("checkers 4x4", 1).is_of(&ours, "words that were changed"));
        assert!(!new("checkers 4x4", 1).is_of(&raised, "d"));
        assert!(!new("checkers 6x6", 1).is_of(&ours, "d"));
        assert!(!read(r#"{"id":1,"rules_version":1,"rules":"d","slices":[]}"#).is_of(&ours, "d"));
    }
}
