//! What the manager of proofs and the builder of databases share: tasks in flight, and the answers to them.
//!
//! Tasks wait here and not on the server, or only a few for each prover are in flight, so that the manager can still change its
//! mind. A task that seems lost is published again; whichever answer comes first counts.

use crate::wire::{
    FarmReply, FarmTask, LEASE, Made, Sign, StreamKind, TaskEnvelope, TaskResult, Wire, patiently,
    read,
};
use crate::{Address, FarmFailure};
use async_nats::jetstream::Message;
use futures_util::StreamExt;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use zermelo_proof_tree::JobOutcome;

/// Jobs in flight for each prover.
const WINDOW: usize = 3;
/// A prover that was silent for so long is gone.
pub const GONE: Duration = Duration::from_secs(5);
/// How often overdue tasks are looked for.
const TICK: Duration = Duration::from_millis(500);
/// What a task may take beside its own time: some leases may expire, and the server may restart.
const GRACE: Duration = Duration::from_secs(60);
/// If a prover has been idle for so long while tasks are in flight that nobody works on, they are stuck.
const STALL: Duration = if cfg!(test) { Duration::from_secs(2) } else { Duration::from_secs(18) };

/// The way to the workers.
pub struct Dispatcher {
    pub runtime: Runtime,
    pub wire: Wire,
    pub shared: Arc<DispatchShared>,
    pub answers: Receiver<Received>,
}

/// What has come from a worker.
pub enum Received {
    /// Of a job of this run, once.
    Outcome(JobOutcome),
    /// Of a group, perhaps of another run or for the second time. The receiver acknowledges it.
    Made { made: Made, ours: bool, message: Box<Message> },
}

pub struct DispatchShared {
    /// This run: what belongs to another is thrown away, unless it is of use all the same.
    pub run: String,
    state: Mutex<DispatchState>,
    pub news: Notify,
}

#[derive(Default)]
pub struct DispatchState {
    /// When all was to end.
    pub cancelled: Option<Instant>,
    pub waiting: VecDeque<FarmTask>,
    pub flying: HashMap<u64, Flight>,
    /// What each prover does.
    pub provers: BTreeMap<String, Presence>,
    /// Whether the server holds fewer tasks than are in flight.
    lost: bool,
}

/// A prover that was heard of.
pub struct Presence {
    /// Its last sign of life, and when that came.
    pub sign: Sign,
    pub heard: Instant,
    /// Since when it has had nothing to do.
    idle: Option<Instant>,
}

pub struct Flight {
    pub task: FarmTask,
    /// When it was published.
    since: Instant,
    /// When it was published, or somebody said that he works on it.
    seen: Instant,
    tries: u32,
}

impl Flight {
    /// Whether it may be lost. How long a group takes nobody knows; it is when the server has lost tasks and nobody
    /// works on this one.
    fn overdue(&self, lost: bool) -> bool {
        match &self.task {
            FarmTask::Job(job) => {
                let time = Duration::from_millis(job.millis.unwrap_or(60_000)) * 4 + GRACE;
                self.since.elapsed() > time
            }
            FarmTask::Group(_) => lost && self.seen.elapsed() > GRACE,
        }
    }
}

impl DispatchState {
    /// Forgets the signs of those that are gone.
    pub fn present(&mut self) -> usize {
        self.provers.retain(|_, prover| prover.heard.elapsed() < GONE);
        self.provers.len()
    }
}

impl DispatchShared {
    pub fn state(&self) -> MutexGuard<'_, DispatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task to be published, with the number of the try.
    fn next(&self) -> Option<(FarmTask, u32)> {
        let mut state = self.state();
        let lost = state.lost;
        if let Some(flight) = state.flying.values_mut().find(|flight| flight.overdue(lost)) {
            let now = Instant::now();
            (flight.since, flight.seen, flight.tries) = (now, now, flight.tries + 1);
            return Some((flight.task.clone(), flight.tries));
        }
        let full = state.flying.len() >= WINDOW * state.present().max(1);
        if full && matches!(state.waiting.front(), Some(FarmTask::Job(_))) {
            return None;
        }
        let task = state.waiting.pop_front()?;
        let now = Instant::now();
        let flight = Flight { task: task.clone(), since: now, seen: now, tries: 0 };
        state.flying.insert(task.id(), flight);
        Some((task, 0))
    }

    /// Whether a group has not been heard of for a while.
    fn worried(&self) -> bool {
        let state = self.state();
        let quiet =
            |flight: &Flight| matches!(flight.task, FarmTask::Group(_)) && flight.overdue(true);
        state.flying.values().any(quiet)
    }

    /// Whether there are provers with nothing to do, and tasks that nobody works on: the server does not hand them out, or
    /// has given them to a worker that hangs. Says so once in a while.
    fn stalled(&self) -> bool {
        let mut state = self.state();
        state.present();
        let idle = |prover: &Presence| prover.idle.is_some_and(|idle| idle.elapsed() > STALL);
        let stalled = state.provers.values().any(idle)
            && state.flying.values().any(|flight| flight.seen.elapsed() > STALL);
        if stalled {
            state.provers.values_mut().for_each(|prover| prover.idle = None);
        }
        stalled
    }

    /// A sign of life says what is worked on.
    fn heard(&self, sign: Sign) {
        let mut state = self.state();
        let now = Instant::now();
        if let Some((doing, _)) = &sign.doing {
            for flight in state.flying.values_mut() {
                if flight.task.shown() == *doing {
                    flight.seen = now;
                }
            }
        }
        let name = sign.prover.clone();
        let before = state.provers.remove(&name);
        let known = before.is_some();
        let idle = match sign.doing {
            Some(_) => None,
            None => before.and_then(|before| before.idle).or(Some(now)),
        };
        state.provers.insert(name, Presence { sign, heard: now, idle });
        drop(state);
        if !known {
            self.news.notify_one();
        }
    }
}

impl Dispatcher {
    /// Opens the farm for a new run: tasks of earlier runs are thrown away, and what was said of their jobs.
    pub fn open(address: &Address, keep_answers: bool) -> Result<Dispatcher, FarmFailure> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let wire = runtime.block_on(Wire::connect(address))?;
        runtime.block_on(async {
            patiently(|| wire.purge(StreamKind::Jobs)).await;
            if !keep_answers {
                patiently(|| wire.purge(StreamKind::Outcomes)).await;
            }
        });
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let run = format!("{nanos:x}-{:x}", std::process::id());
        let shared = Arc::new(DispatchShared { run, state: Mutex::default(), news: Notify::new() });
        let (send, answers) = channel();
        runtime.spawn(publish(wire.clone(), shared.clone()));
        runtime.spawn(receive(wire.clone(), shared.clone(), send));
        runtime.spawn(listen(wire.clone(), shared.clone()));
        Ok(Dispatcher { runtime, wire, shared, answers })
    }

    /// Offers a task to the next free worker.
    pub fn offer(&self, task: FarmTask) {
        self.shared.state().waiting.push_back(task);
        self.shared.news.notify_one();
    }

    /// Tasks that no worker has begun are taken from the server, the workers are asked to end theirs.
    pub fn cancel(&self) {
        self.shared.state().cancelled.get_or_insert_with(Instant::now);
        let (wire, shared) = (self.wire.clone(), self.shared.clone());
        self.runtime.block_on(async {
            let _ = tokio::time::timeout(LEASE, wire.purge(StreamKind::Jobs)).await;
            wire.say("cancel", &shared.run).await;
        });
    }
}

/// Keeps the window of tasks in flight filled.
async fn publish(wire: Wire, shared: Arc<DispatchShared>) {
    loop {
        while let Some((task, tries)) = shared.next() {
            let number = format!("{}-{}-{tries}", shared.run, task.id());
            wire.publish(
                StreamKind::Jobs,
                &number,
                &TaskEnvelope { run: shared.run.clone(), task },
            )
            .await;
        }
        let _ = tokio::time::timeout(TICK, shared.news.notified()).await;
        if shared.worried() {
            let held = wire.count(StreamKind::Jobs).await;
            let mut state = shared.state();
            state.lost = held.is_ok_and(|held| held < state.flying.len() as u64);
        }
        if shared.stalled() {
            // What was given out is given out again, and a worker's late answer is ignored.
            let _ = wire.drop_consumer(StreamKind::Jobs).await;
        }
    }
}

/// Hands on what workers say.
async fn receive(wire: Wire, shared: Arc<DispatchShared>, send: Sender<Received>) {
    let mut heard = Instant::now();
    loop {
        if heard.elapsed() > STALL {
            // What the server holds and does not hand out it hands out to a new consumer. Some of it may be at hand here:
            // that comes twice.
            heard = Instant::now();
            if wire.count(StreamKind::Outcomes).await.is_ok_and(|held| held > 0) {
                let _ = wire.drop_consumer(StreamKind::Outcomes).await;
            }
        }
        let consumer = patiently(|| wire.consumer(StreamKind::Outcomes)).await;
        let Ok(mut batch) =
            consumer.fetch().max_messages(100).expires(Duration::from_millis(900)).messages().await
        else {
            tokio::time::sleep(TICK).await;
            continue;
        };
        while let Some(Ok(message)) = batch.next().await {
            heard = Instant::now();
            let mut acknowledge = true;
            // A reply that cannot be read says nothing; its task will be overdue.
            let said = read::<FarmReply>(&message).ok().and_then(|FarmReply { run, answer }| {
                let ours = run == shared.run;
                let expected = |id: u64| ours && shared.state().flying.remove(&id).is_some();
                match answer {
                    TaskResult::Outcome(outcome) => {
                        expected(outcome.id).then_some(Received::Outcome(outcome))
                    }
                    TaskResult::Made(made) => {
                        let ours = expected(made.id);
                        acknowledge = false;
                        Some(Received::Made { made, ours, message: Box::new(message.clone()) })
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
async fn listen(wire: Wire, shared: Arc<DispatchShared>) {
    let subject = wire.subject("sign");
    let mut signs = patiently(|| wire.client.subscribe(subject.clone())).await;
    while let Some(message) = signs.next().await {
        if let Ok(sign) = serde_json::from_slice::<Sign>(&message.payload) {
            shared.heard(sign);
        }
    }
}

impl Drop for Dispatcher {
    /// What is left on the server would be done for nobody.
    fn drop(&mut self) {
        let wire = self.wire.clone();
        self.runtime.block_on(async {
            let _ =
                tokio::time::timeout(Duration::from_secs(2), wire.purge(StreamKind::Jobs)).await;
            let _ = tokio::time::timeout(Duration::from_secs(1), wire.client.flush()).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::GroupTask;
    use crate::worker::extend;
    use std::net::{TcpListener, TcpStream};
    use std::process::{Child, Command, Stdio};
    use std::thread::sleep;

    /// Nobody waits longer than this for anything.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// A server that does not outlive its test.
    struct Server {
        process: Child,
        address: Address,
        _dir: tempfile::TempDir,
    }

    impl Server {
        fn start() -> Server {
            let dir = tempfile::tempdir().unwrap();
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut command = Command::new("nats-server");
            command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]);
            let child = command.arg(dir.path()).stderr(Stdio::null()).spawn();
            let child = child.expect("nats-server is installed (Debian: nats-server)");
            let since = Instant::now();
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                assert!(since.elapsed() < PATIENCE, "the server does not answer");
                sleep(Duration::from_millis(20));
            }
            let address = Address::parse(&format!("nats://127.0.0.1:{port}"), None, None);
            Server { process: child, address: address.unwrap(), _dir: dir }
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    fn group(id: u64) -> FarmTask {
        FarmTask::Group(GroupTask {
            id,
            game: "checkers 4x4".into(),
            rules_version: 1,
            rules: String::new(),
            version: "0".into(),
            pieces: Some(2),
            distance: false,
            number: 0,
            slices: vec![format!("slice-{id}")],
            needs: Vec::new(),
        })
    }

    /// Takes all that is in a stream and never acknowledges it; for as long as the runtime lives, the leases are extended.
    async fn hang(wire: &Wire, kind: StreamKind, count: usize) {
        let mut held = 0;
        while held < count {
            let consumer = patiently(|| wire.consumer(kind)).await;
            let mut batch = consumer.fetch().max_messages(count).messages().await.unwrap();
            while let Some(Ok(message)) = batch.next().await {
                tokio::spawn(extend(message));
                held += 1;
            }
        }
    }

    /// A worker takes all tasks and hangs: another one that has nothing to do gets them.
    #[test]
    fn tasks_of_a_worker_that_hangs_are_given_to_an_idle_one() {
        let server = Server::start();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let wire = runtime.block_on(Wire::connect(&server.address)).unwrap();
        let dispatcher = Dispatcher::open(&server.address, true).unwrap();
        for id in [1, 2] {
            dispatcher.offer(group(id));
        }
        runtime.block_on(hang(&wire, StreamKind::Jobs, 2));
        let mut taken = Vec::new();
        let since = Instant::now();
        while taken.len() < 2 {
            assert!(since.elapsed() < PATIENCE, "the tasks stay with the worker that hangs");
            runtime.block_on(async {
                wire.say("sign", &Sign { prover: "idle".into(), doing: None }).await;
                let consumer = patiently(|| wire.consumer(StreamKind::Jobs)).await;
                let fetch = consumer.fetch().max_messages(1).expires(TICK);
                let mut batch = fetch.messages().await.unwrap();
                if let Some(Ok(message)) = batch.next().await {
                    taken.push(read::<TaskEnvelope>(&message).unwrap().task.id());
                    message.double_ack().await.unwrap();
                }
            });
        }
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    }

    /// A manager that has read answers and hangs does not keep them from the next one.
    #[test]
    fn answers_that_are_held_elsewhere_come_all_the_same() {
        let server = Server::start();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let wire = runtime.block_on(Wire::connect(&server.address)).unwrap();
        let made = |id| Made {
            id,
            game: None,
            rules_version: None,
            rules: String::new(),
            slices: Vec::new(),
            error: None,
        };
        runtime.block_on(async {
            let answer = TaskResult::Made(made(7));
            let reply = FarmReply { run: "another".into(), answer };
            wire.publish(StreamKind::Outcomes, "7", &reply).await;
            hang(&wire, StreamKind::Outcomes, 1).await;
        });
        let dispatcher = Dispatcher::open(&server.address, true).unwrap();
        match dispatcher.answers.recv_timeout(PATIENCE) {
            Ok(Received::Made { made, ours, .. }) => assert_eq!((made.id, ours), (7, false)),
            _ => panic!("the answer stays with the manager that hangs"),
        };
    }
}
