//! What the manager of proofs and the builder of databases share: tasks in flight, and what comes back.
//!
//! Tasks wait here and not on the server, or only a few for each prover are in flight, so that the manager can still change its
//! mind. A task that seems lost is published again; whichever answer comes first counts.

use crate::wire::{Answer, Kind, LEASE, Made, Order, Reply, Sign, Task, Wire, patiently, read};
use crate::{Address, Trouble};
use async_nats::jetstream::Message;
use futures_util::StreamExt;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use zermelo_manager::Outcome;

/// Jobs in flight for each prover.
const WINDOW: usize = 3;
/// A prover that was silent for so long is gone.
pub const GONE: Duration = Duration::from_secs(5);
/// How often overdue tasks are looked for.
const TICK: Duration = Duration::from_millis(500);
/// What a task may take for good luck beside its own time: a few leases that end, a server that comes back.
const GRACE: Duration = Duration::from_secs(60);

/// The way to the workers.
pub struct Office {
    pub runtime: Runtime,
    pub wire: Wire,
    pub shared: Arc<Shared>,
    pub answers: Receiver<Said>,
}

/// What a worker has said.
pub enum Said {
    /// Of a job of this run, once.
    Outcome(Outcome),
    /// Of a group, perhaps of another run or for the second time. To be acknowledged by whoever takes it.
    Made { made: Made, ours: bool, message: Box<Message> },
}

pub struct Shared {
    /// This run: what belongs to another is thrown away, unless it is of use all the same.
    pub run: String,
    state: Mutex<State>,
    pub news: Notify,
}

#[derive(Default)]
pub struct State {
    /// When all was to end.
    pub cancelled: Option<Instant>,
    pub waiting: VecDeque<Task>,
    pub flying: HashMap<u64, Flight>,
    /// What each prover does, and when it was heard of.
    pub provers: BTreeMap<String, (Sign, Instant)>,
    /// Whether the server holds fewer tasks than are in flight.
    lost: bool,
}

pub struct Flight {
    pub task: Task,
    /// When it was published, or heard of last.
    since: Instant,
    tries: u32,
}

impl Flight {
    /// Whether it may be lost. How long a group takes nobody knows; it is when the server has lost tasks and nobody
    /// works on this one.
    fn overdue(&self, lost: bool) -> bool {
        match &self.task {
            Task::Job(job) => {
                let time = Duration::from_millis(job.millis.unwrap_or(60_000)) * 4 + GRACE;
                self.since.elapsed() > time
            }
            Task::Group(_) => lost && self.since.elapsed() > GRACE,
        }
    }
}

impl State {
    /// Forgets the signs of those that are gone.
    pub fn present(&mut self) -> usize {
        self.provers.retain(|_, (_, heard)| heard.elapsed() < GONE);
        self.provers.len()
    }
}

impl Shared {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task to be published, with the number of the try.
    fn next(&self) -> Option<(Task, u32)> {
        let mut state = self.state();
        let lost = state.lost;
        if let Some(flight) = state.flying.values_mut().find(|flight| flight.overdue(lost)) {
            (flight.since, flight.tries) = (Instant::now(), flight.tries + 1);
            return Some((flight.task.clone(), flight.tries));
        }
        let full = state.flying.len() >= WINDOW * state.present().max(1);
        if full && matches!(state.waiting.front(), Some(Task::Job(_))) {
            return None;
        }
        let task = state.waiting.pop_front()?;
        let flight = Flight { task: task.clone(), since: Instant::now(), tries: 0 };
        state.flying.insert(task.id(), flight);
        Some((task, 0))
    }

    /// Whether a group has not been heard of for a while.
    fn worried(&self) -> bool {
        let state = self.state();
        let quiet = |flight: &Flight| matches!(flight.task, Task::Group(_)) && flight.overdue(true);
        state.flying.values().any(quiet)
    }

    /// A sign of life says what is worked on.
    fn heard(&self, sign: Sign) {
        let mut state = self.state();
        if let Some((doing, _)) = &sign.doing {
            for flight in state.flying.values_mut() {
                if matches!(&flight.task, Task::Group(group) if group.slices.join(" ") == *doing) {
                    flight.since = Instant::now();
                }
            }
        }
        let known = state.provers.insert(sign.prover.clone(), (sign, Instant::now()));
        drop(state);
        if known.is_none() {
            self.news.notify_one();
        }
    }
}

impl Office {
    /// Opens the farm's gate for a new run: tasks of earlier runs are thrown away, and what was said of their jobs.
    pub fn open(address: &Address, keep_answers: bool) -> Result<Office, Trouble> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let wire = runtime.block_on(Wire::connect(address))?;
        runtime.block_on(async {
            patiently(|| wire.purge(Kind::Jobs)).await;
            if !keep_answers {
                patiently(|| wire.purge(Kind::Outcomes)).await;
            }
        });
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let run = format!("{nanos:x}-{:x}", std::process::id());
        let shared = Arc::new(Shared { run, state: Mutex::default(), news: Notify::new() });
        let (send, answers) = channel();
        runtime.spawn(publish(wire.clone(), shared.clone()));
        runtime.spawn(receive(wire.clone(), shared.clone(), send));
        runtime.spawn(listen(wire.clone(), shared.clone()));
        Ok(Office { runtime, wire, shared, answers })
    }

    /// Offers a task to whoever is free.
    pub fn offer(&self, task: Task) {
        self.shared.state().waiting.push_back(task);
        self.shared.news.notify_one();
    }

    /// Tasks that no worker has begun are taken from the server, the workers are asked to end theirs.
    pub fn cancel(&self) {
        self.shared.state().cancelled.get_or_insert_with(Instant::now);
        let (wire, shared) = (self.wire.clone(), self.shared.clone());
        self.runtime.block_on(async {
            let _ = tokio::time::timeout(LEASE, wire.purge(Kind::Jobs)).await;
            wire.say("cancel", &shared.run).await;
        });
    }
}

/// Keeps the window of tasks in flight filled.
async fn publish(wire: Wire, shared: Arc<Shared>) {
    loop {
        while let Some((task, tries)) = shared.next() {
            let number = format!("{}-{}-{tries}", shared.run, task.id());
            wire.publish(Kind::Jobs, &number, &Order { run: shared.run.clone(), task }).await;
        }
        let _ = tokio::time::timeout(TICK, shared.news.notified()).await;
        if shared.worried() {
            let held = wire.count(Kind::Jobs).await;
            let mut state = shared.state();
            state.lost = held.is_ok_and(|held| held < state.flying.len() as u64);
        }
    }
}

/// Hands on what workers say.
async fn receive(wire: Wire, shared: Arc<Shared>, send: Sender<Said>) {
    loop {
        let consumer = patiently(|| wire.consumer(Kind::Outcomes)).await;
        let Ok(mut batch) =
            consumer.fetch().max_messages(100).expires(Duration::from_millis(900)).messages().await
        else {
            tokio::time::sleep(TICK).await;
            continue;
        };
        while let Some(Ok(message)) = batch.next().await {
            let mut acknowledge = true;
            // A reply that cannot be read says nothing; its task will be overdue.
            let said = read::<Reply>(&message).ok().and_then(|Reply { run, answer }| {
                let ours = run == shared.run;
                let expected = |id: u64| ours && shared.state().flying.remove(&id).is_some();
                match answer {
                    Answer::Outcome(outcome) => {
                        expected(outcome.id).then_some(Said::Outcome(outcome))
                    }
                    Answer::Made(made) => {
                        let ours = expected(made.id);
                        acknowledge = false;
                        Some(Said::Made { made, ours, message: Box::new(message.clone()) })
                    }
                }
            });
            if let Some(said) = said {
                shared.news.notify_one();
                if send.send(said).is_err() {
                    return;
                }
            }
            if acknowledge {
                let _ = tokio::time::timeout(LEASE, message.ack()).await;
            }
        }
    }
}

/// Listens for signs of life.
async fn listen(wire: Wire, shared: Arc<Shared>) {
    let subject = wire.subject("sign");
    let mut signs = patiently(|| wire.client.subscribe(subject.clone())).await;
    while let Some(message) = signs.next().await {
        if let Ok(sign) = serde_json::from_slice::<Sign>(&message.payload) {
            shared.heard(sign);
        }
    }
}

impl Drop for Office {
    /// What is left on the server would be done for nobody.
    fn drop(&mut self) {
        let wire = self.wire.clone();
        self.runtime.block_on(async {
            let _ = tokio::time::timeout(Duration::from_secs(2), wire.purge(Kind::Jobs)).await;
            let _ = tokio::time::timeout(Duration::from_secs(1), wire.client.flush()).await;
        });
    }
}
