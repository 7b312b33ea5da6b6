//! What both sides share: names on the server, streams, messages, and patience.

use crate::{Address, Trouble};
use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType};
use async_nats::jetstream::{Context, Message, new, publish::PublishAck};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::future::{Future, IntoFuture};
use std::time::Duration;
use zermelo_manager::{Job, Outcome};

/// A lease ends so long after the last word about it.
pub const LEASE: Duration = Duration::from_secs(6);
/// How often life is told of.
pub const PULSE: Duration = Duration::from_millis(1000);
/// Between tries.
const PAUSE: Duration = Duration::from_millis(300);
/// The server recognises a message that is published again for so long.
const RECOGNISED: Duration = Duration::from_secs(600);

/// A task on its way.
#[derive(Clone, Serialize, Deserialize)]
pub struct Order {
    /// The run of the manager it belongs to.
    pub run: String,
    #[serde(flatten)]
    pub task: Task,
}

/// What workers do.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Prove a position.
    Job(Job),
    /// Work out a group of slices of a database.
    Group(Group),
}

impl Task {
    pub fn id(&self) -> u64 {
        match self {
            Task::Job(job) => job.id,
            Task::Group(group) => group.id,
        }
    }
}

/// A group of slices to be worked out.
#[derive(Clone, Serialize, Deserialize)]
pub struct Group {
    /// Its number among the tasks.
    pub id: u64,
    /// The game, as the registry opens it.
    pub game: String,
    /// What stands for its rules, and the version of the program: the same bytes are made by the same program.
    pub rules: String,
    pub version: String,
    /// The most pieces of the database, and whether distances are kept.
    pub pieces: Option<u32>,
    pub distance: bool,
    /// Its number among the groups.
    pub number: usize,
    /// The names of its slices.
    pub slices: Vec<String>,
    /// The files it is worked out from.
    pub needs: Vec<Slice>,
}

/// The file of a slice among the objects of the farm, where its digest is its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Slice {
    pub name: String,
    /// The BLAKE3 of the whole file.
    pub digest: String,
}

/// What became of a task, on its way.
#[derive(Serialize, Deserialize)]
pub struct Reply {
    pub run: String,
    #[serde(flatten)]
    pub answer: Answer,
}

/// What workers say.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Outcome(Outcome),
    Made(Made),
}

/// A group that was worked out, or why it was not.
#[derive(Serialize, Deserialize)]
pub struct Made {
    /// The number of the task.
    pub id: u64,
    pub rules: String,
    pub slices: Vec<Slice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
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
pub enum Kind {
    Jobs,
    Outcomes,
}

impl Wire {
    /// Connects and makes the streams where they are not there.
    pub async fn connect(address: &Address) -> Result<Wire, Trouble> {
        let unreached =
            |why: String| Trouble::Unreached { address: address.shown().to_owned(), why };
        let options = address.options().await?;
        let client =
            options.connect(address.server()).await.map_err(|e| unreached(e.to_string()))?;
        let wire = Wire { js: new(client.clone()), client, farm: address.name().to_owned() };
        for kind in [Kind::Jobs, Kind::Outcomes] {
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

    fn config(&self, kind: Kind) -> Config {
        let (name, subject) = match kind {
            Kind::Jobs => ("JOBS", "job"),
            Kind::Outcomes => ("OUTCOMES", "outcome"),
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

    async fn stream(&self, kind: Kind) -> Result<async_nats::jetstream::stream::Stream, String> {
        self.js.get_or_create_stream(self.config(kind)).await.map_err(|e| e.to_string())
    }

    /// Throws away what is in a stream.
    pub async fn purge(&self, kind: Kind) -> Result<(), String> {
        let stream = self.stream(kind).await?;
        stream.purge().into_future().await.map(|_| ()).map_err(|e| e.to_string())
    }

    /// How many messages a stream holds: those that wait, and those that were given out and are not acknowledged.
    pub async fn count(&self, kind: Kind) -> Result<u64, String> {
        let mut stream = self.stream(kind).await?;
        stream.info().await.map(|info| info.state.messages).map_err(|e| e.to_string())
    }

    /// The one consumer of a stream, which all that read it share. Made again if the server has lost it.
    pub async fn consumer(&self, kind: Kind) -> Result<Consumer<pull::Config>, String> {
        let config = pull::Config {
            durable_name: Some("zermelo".into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: LEASE,
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        let stream = self.stream(kind).await?;
        stream.get_or_create_consumer("zermelo", config).await.map_err(|e| e.to_string())
    }

    /// Publishes until the server has it on file. A message of the same number is kept once.
    pub async fn publish<T: Serialize>(&self, kind: Kind, number: &str, message: &T) {
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
