//! The manager's side: a [`Transport`] whose provers are elsewhere.
//!
//! Jobs wait here and not on the server: only a few for each prover are in flight, so that the manager can still change
//! its mind. A job without an outcome after a good while is published again; whichever outcome comes first counts.

use crate::wire::{Kind, LEASE, Order, Reply, Sign, Wire, patiently, read};
use crate::{Address, Trouble};
use futures_util::StreamExt;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use zermelo_manager::transport::{Doing, Transport};
use zermelo_manager::{Job, Outcome};

/// Jobs in flight for each prover.
const WINDOW: usize = 3;
/// A prover that was silent for so long is gone.
const GONE: Duration = Duration::from_secs(5);
/// What is waited for outcomes when all is to end.
const PARTING: Duration = Duration::from_secs(3);
/// How often overdue jobs are looked for.
const TICK: Duration = Duration::from_millis(500);
/// What a job may take for good luck beside its own time: a few leases that end, a server that comes back.
const GRACE: Duration = Duration::from_secs(60);

/// Provers that take their jobs from a farm.
pub struct Farm {
    runtime: Runtime,
    wire: Wire,
    shared: Arc<Shared>,
    outcomes: Receiver<Outcome>,
}

struct Shared {
    /// This run of the manager: what belongs to another is thrown away.
    run: String,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    /// When all was to end.
    cancelled: Option<Instant>,
    waiting: VecDeque<Job>,
    flying: HashMap<u64, Flight>,
    /// What each prover does, and when it was heard of.
    provers: BTreeMap<String, (Sign, Instant)>,
}

struct Flight {
    job: Job,
    since: Instant,
    tries: u32,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job to be published, with the number of the try.
    fn next(&self) -> Option<(Job, u32)> {
        let mut state = self.state();
        let overdue = |flight: &&mut Flight| {
            let time = Duration::from_millis(flight.job.millis.unwrap_or(60_000)) * 4 + GRACE;
            flight.since.elapsed() > time
        };
        if let Some(flight) = state.flying.values_mut().find(overdue) {
            (flight.since, flight.tries) = (Instant::now(), flight.tries + 1);
            return Some((flight.job.clone(), flight.tries));
        }
        let provers = state.provers.values().filter(|(_, heard)| heard.elapsed() < GONE).count();
        if state.flying.len() >= WINDOW * provers.max(1) {
            return None;
        }
        let job = state.waiting.pop_front()?;
        let flight = Flight { job: job.clone(), since: Instant::now(), tries: 0 };
        state.flying.insert(job.id, flight);
        Some((job, 0))
    }
}

impl Farm {
    /// Opens the farm's gate for a new run: jobs and outcomes of earlier runs are thrown away.
    pub fn open(address: &Address) -> Result<Farm, Trouble> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let wire = runtime.block_on(Wire::connect(address))?;
        runtime.block_on(async {
            patiently(|| wire.purge(Kind::Jobs)).await;
            patiently(|| wire.purge(Kind::Outcomes)).await;
        });
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let run = format!("{nanos:x}-{:x}", std::process::id());
        let shared = Arc::new(Shared { run, state: Mutex::default(), news: Notify::new() });
        let (send, outcomes) = channel();
        runtime.spawn(publish(wire.clone(), shared.clone()));
        runtime.spawn(receive(wire.clone(), shared.clone(), send));
        runtime.spawn(listen(wire.clone(), shared.clone()));
        Ok(Farm { runtime, wire, shared, outcomes })
    }
}

/// Keeps the window of jobs in flight filled.
async fn publish(wire: Wire, shared: Arc<Shared>) {
    loop {
        while let Some((job, tries)) = shared.next() {
            let number = format!("{}-{}-{tries}", shared.run, job.id);
            wire.publish(Kind::Jobs, &number, &Order { run: shared.run.clone(), job }).await;
        }
        let _ = tokio::time::timeout(TICK, shared.news.notified()).await;
    }
}

/// Hands outcomes to the manager, each once.
async fn receive(wire: Wire, shared: Arc<Shared>, send: Sender<Outcome>) {
    loop {
        let consumer = patiently(|| wire.consumer(Kind::Outcomes)).await;
        let Ok(mut batch) =
            consumer.fetch().max_messages(100).expires(Duration::from_millis(900)).messages().await
        else {
            tokio::time::sleep(TICK).await;
            continue;
        };
        while let Some(Ok(message)) = batch.next().await {
            // A reply that cannot be read says nothing; its job will be overdue.
            let reply = read::<Reply>(&message).ok().filter(|reply| reply.run == shared.run);
            let expected =
                |reply: &Reply| shared.state().flying.remove(&reply.outcome.id).is_some();
            if let Some(reply) = reply.filter(expected) {
                shared.news.notify_one();
                if send.send(reply.outcome).is_err() {
                    return;
                }
            }
            let _ = tokio::time::timeout(LEASE, message.ack()).await;
        }
    }
}

/// Listens for signs of life.
async fn listen(wire: Wire, shared: Arc<Shared>) {
    let subject = wire.subject("sign");
    let mut signs = patiently(|| wire.client.subscribe(subject.clone())).await;
    while let Some(message) = signs.next().await {
        if let Ok(sign) = serde_json::from_slice::<Sign>(&message.payload) {
            let mut state = shared.state();
            let known = state.provers.insert(sign.prover.clone(), (sign, Instant::now()));
            drop(state);
            if known.is_none() {
                shared.news.notify_one();
            }
        }
    }
}

impl Transport for Farm {
    fn offer(&mut self, job: Job) {
        self.shared.state().waiting.push_back(job);
        self.shared.news.notify_one();
    }

    fn take(&mut self, wait: Duration) -> Option<Outcome> {
        let Some(since) = self.shared.state().cancelled else {
            return self.outcomes.recv_timeout(wait).ok();
        };
        let left = PARTING.saturating_sub(since.elapsed());
        if let Ok(outcome) = self.outcomes.recv_timeout(left.min(wait)) {
            return Some(outcome);
        }
        if left > wait {
            return None;
        }
        let mut state = self.shared.state();
        let id = *state.flying.keys().next()?;
        let flight = state.flying.remove(&id)?;
        Some(Outcome::failed(&flight.job, "ended before it was begun"))
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.shared.state().waiting.drain(..).map(|job| job.id).collect()
    }

    fn doing(&self) -> Vec<Doing> {
        let mut state = self.shared.state();
        state.provers.retain(|_, (_, heard)| heard.elapsed() < GONE);
        let doing = |(sign, heard): &(Sign, Instant)| {
            let (position, millis) = sign.doing.clone()?;
            Some((position, Duration::from_millis(millis) + heard.elapsed()))
        };
        state.provers.values().map(doing).collect()
    }

    /// Jobs that no worker has begun are taken from the server, the workers are asked to end theirs. What has not come
    /// back after a moment is given up.
    fn cancel(&mut self) {
        self.shared.state().cancelled.get_or_insert_with(Instant::now);
        let (wire, shared) = (self.wire.clone(), self.shared.clone());
        self.runtime.block_on(async {
            let _ = tokio::time::timeout(LEASE, wire.purge(Kind::Jobs)).await;
            wire.say("cancel", &shared.run).await;
        });
    }
}

impl Drop for Farm {
    /// What is left on the server would be done for nobody.
    fn drop(&mut self) {
        let wire = self.wire.clone();
        self.runtime.block_on(async {
            let _ = tokio::time::timeout(Duration::from_secs(2), wire.purge(Kind::Jobs)).await;
            let _ = tokio::time::timeout(Duration::from_secs(1), wire.client.flush()).await;
        });
    }
}
