//! A worker: takes one job at a time for each of its provers, extends the lease while it works, sends the outcome, and
//! only then gives the job back as done. If it dies in between, another does the job. Groups of slices it works out one
//! at a time, with all its threads: so the first of its provers looks what a farm is about before the others begin.

use crate::wire::{
    FarmReply, FarmTask, GroupTask, LEASE, Made, PULSE, Sign, StreamKind, TaskEnvelope, TaskResult,
    Wire, patiently, read,
};
use crate::workspace::{self, GroupFailure, Workspace};
use crate::{Address, FarmFailure};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle};
use zermelo_erased::Catalogue;
use zermelo_game::Identity;
use zermelo_proof_tree::prover::{Maker, Prover};
use zermelo_proof_tree::source::Giver;
use zermelo_proof_tree::{Job, JobOutcome};

/// A job that has come to provers so often without an outcome has killed them.
const TRIES: i64 = 5;
/// How long a worker waits for a job before it looks whether it is to end.
const WAIT: Duration = Duration::from_millis(900);

/// Looks at the first job of a farm, and makes provers for it; or says why this machine cannot do it, because it has
/// other rules or other databases.
pub type Open<'o> = &'o (dyn Fn(&Job) -> Result<Maker, String> + Sync);

/// What a worker has done.
#[derive(Default, Debug)]
pub struct WorkSummary {
    /// Jobs with an outcome.
    pub jobs: u64,
    /// Jobs that were set aside because provers had died on them.
    pub poison: u64,
}

/// Who works, and with what.
pub struct Crew<'w> {
    /// Tells this worker from others.
    pub name: String,
    /// Provers that work at a time, or threads that build.
    pub provers: usize,
    /// The games it knows.
    pub catalogue: &'w Catalogue,
    /// Makes provers.
    pub open: Open<'w>,
    /// Bytes for building.
    pub memory: u64,
    /// A folder for building; it is made when it is needed, and removed in the end.
    pub scratch: PathBuf,
    /// Set by others to end the work.
    pub stop: &'w AtomicBool,
}

/// What the provers of a worker share.
struct WorkerState<'w> {
    wire: Wire,
    runtime: Handle,
    crew: &'w Crew<'w>,
    workspace: Mutex<Workspace>,
    /// Whether the farm is about proofs.
    proving: AtomicBool,
    /// Set when one of them refuses: the others would, too.
    refusal: Mutex<Option<String>>,
    done: [AtomicU64; 2],
}

/// What a prover does now.
#[derive(Default)]
struct CurrentTask {
    at: Option<(String, String, Instant)>,
    cancel: Arc<AtomicBool>,
}

type SharedTask = Arc<Mutex<CurrentTask>>;

/// Works for a farm until it is to stop.
pub fn work(address: &Address, crew: &Crew) -> Result<WorkSummary, FarmFailure> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let wire = runtime.block_on(Wire::connect(address))?;
    let workspace = Workspace::new(crew.scratch.clone(), crew.provers, crew.memory);
    let state = WorkerState {
        wire,
        runtime: runtime.handle().clone(),
        crew,
        workspace: Mutex::new(workspace),
        proving: AtomicBool::new(false),
        refusal: Mutex::default(),
        done: Default::default(),
    };
    std::thread::scope(|scope| {
        for n in 0..crew.provers {
            let state = &state;
            scope.spawn(move || state.live(n));
        }
    });
    if let Some(why) = state.refusal.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(FarmFailure::Refused(why));
    }
    let [jobs, poison] = state.done.map(AtomicU64::into_inner);
    Ok(WorkSummary { jobs, poison })
}

impl WorkerState<'_> {
    fn ended(&self) -> bool {
        let refused = || self.refusal.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        self.crew.stop.load(Relaxed) || refused()
    }

    /// The life of a prover.
    fn live(&self, n: usize) {
        let current = SharedTask::default();
        while n > 0 && !self.proving.load(Relaxed) && !self.ended() {
            std::thread::sleep(PULSE / 10);
        }
        let name = format!("{}-{n}", self.crew.name);
        let tasks = [
            self.runtime.spawn(show(self.wire.clone(), name, current.clone())),
            self.runtime.spawn(obey(self.wire.clone(), current.clone())),
        ];
        while let Some((message, TaskEnvelope { run, task })) = self.next() {
            self.proving.store(matches!(task, FarmTask::Job(_)), Relaxed);
            let refused = match task {
                FarmTask::Group(group) => match workspace::fits(self.crew.catalogue, &group) {
                    Ok(()) => {
                        self.make(&message, run, &group, &current);
                        None
                    }
                    Err(why) => Some(why),
                },
                FarmTask::Job(job) => match (self.crew.open)(&job) {
                    Ok(maker) => {
                        self.serve(&maker, message.clone(), run, job, &current);
                        None
                    }
                    Err(why) => Some(why),
                },
            };
            if let Some(why) = refused {
                // Somebody else may be able to do it.
                self.decline(&message, Some(PULSE));
                *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
            }
        }
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }

    /// Gives a task back.
    fn decline(&self, message: &Message, after: Option<Duration>) {
        let nak = message.ack_with(AckKind::Nak(after));
        let _ = self.runtime.block_on(nak);
    }

    /// Works out a group of slices.
    fn make(&self, message: &Message, run: String, group: &GroupTask, current: &SharedTask) {
        let tries = message.info().map_or(1, |info| info.delivered);
        let (made, counted) = if tries > TRIES {
            (Err(GroupFailure::Failed(format!("{TRIES} workers have died on it"))), 1)
        } else {
            let cancel = Arc::<AtomicBool>::default();
            let extend = self.runtime.spawn(extend(message.clone()));
            let mut workspace = self.workspace.lock().unwrap_or_else(PoisonError::into_inner);
            let at = Some((run.clone(), group.slices.join(" "), Instant::now()));
            *current.lock().unwrap_or_else(PoisonError::into_inner) =
                CurrentTask { at, cancel: cancel.clone() };
            let done = AtomicBool::new(false);
            let made = std::thread::scope(|scope| {
                // It may take hours: whoever wants to end need not wait.
                scope.spawn(|| {
                    while !done.load(Relaxed) {
                        if self.crew.stop.load(Relaxed) {
                            cancel.store(true, Relaxed);
                        }
                        std::thread::sleep(PULSE / 20);
                    }
                });
                let make = || {
                    workspace.make(self.crew.catalogue, group, &self.wire, &self.runtime, &cancel)
                };
                let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(make));
                done.store(true, Relaxed);
                made.unwrap_or_else(|_| Err(GroupFailure::Failed("panic".into())))
            });
            extend.abort();
            current.lock().unwrap_or_else(PoisonError::into_inner).at = None;
            (made, 0)
        };
        let (slices, error) = match made {
            Ok(slices) => (slices, None),
            Err(GroupFailure::Interrupted) => return self.decline(message, None),
            Err(GroupFailure::Failed(why)) => (Vec::new(), Some(why)),
        };
        self.done[counted].fetch_add(1, Relaxed);
        let GroupTask { id, rules, .. } = group;
        let Identity { game, rules_version } = group.identity();
        let (game, rules_version) = (Some(game), Some(rules_version));
        let made = Made { id: *id, game, rules_version, rules: rules.clone(), slices, error };
        self.reply(message, run, group.id, TaskResult::Made(made));
    }

    /// Sends an answer, and gives the task back as done.
    fn reply(&self, message: &Message, run: String, id: u64, answer: TaskResult) {
        let tries = message.info().map_or(1, |info| info.delivered);
        let number = format!("{run}-{id}-{tries}-outcome");
        self.runtime.block_on(async {
            self.wire.publish(StreamKind::Outcomes, &number, &FarmReply { run, answer }).await;
            // If this is lost the task is done twice, and the second answer ignored.
            let _ = tokio::time::timeout(LEASE, message.double_ack()).await;
        });
    }

    /// Does jobs of one game until one of another comes or all is over. A prover that panics is made anew.
    fn serve(&self, maker: &Maker, message: Message, run: String, job: Job, current: &SharedTask) {
        let (identity, database) = (job.identity(), job.database.clone());
        let mut next = Some((message, TaskEnvelope { run, task: FarmTask::Job(job) }));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            maker.make(&mut |prover| {
                while let Some((message, TaskEnvelope { run, task })) =
                    next.take().or_else(|| self.next())
                {
                    match task {
                        FarmTask::Job(job)
                            if (job.identity(), &job.database) == (identity.clone(), &database) =>
                        {
                            // The manager learns which program it was, not only what that calls itself.
                            let mut named = Named { prover, giver: maker.giver() };
                            self.deal(&mut named, &message, run, job, current);
                        }
                        _ => return self.decline(&message, None),
                    }
                }
            });
        }));
        // The job of a prover that panicked is not acknowledged: it comes again, to TRIES provers at most.
        if caught.is_err() {
            current.lock().unwrap_or_else(PoisonError::into_inner).at = None;
        }
    }

    /// One job, from the lease to its end.
    fn deal(
        &self,
        prover: &mut dyn Prover,
        message: &Message,
        run: String,
        job: Job,
        current: &SharedTask,
    ) {
        let tries = message.info().map_or(1, |info| info.delivered);
        let outcome = if tries > TRIES {
            self.done[1].fetch_add(1, Relaxed);
            JobOutcome::failed(&job, format!("{TRIES} provers have died on it"))
        } else {
            let cancel = Arc::<AtomicBool>::default();
            let at = Some((run.clone(), job.position.clone(), Instant::now()));
            *current.lock().unwrap_or_else(PoisonError::into_inner) =
                CurrentTask { at, cancel: cancel.clone() };
            let extend = self.runtime.spawn(extend(message.clone()));
            let outcome = prover.prove(&job, &cancel);
            extend.abort();
            current.lock().unwrap_or_else(PoisonError::into_inner).at = None;
            self.done[0].fetch_add(1, Relaxed);
            outcome
        };
        let failed = outcome.error.is_some();
        self.reply(message, run, job.id, TaskResult::Outcome(outcome));
        // Or one worker that can do nothing would take all jobs from those who can.
        if failed && !self.ended() {
            std::thread::sleep(PULSE);
        }
    }

    /// The next task; `None` when it is time to go home.
    fn next(&self) -> Option<(Message, TaskEnvelope)> {
        while !self.ended() {
            let found = self.runtime.block_on(async {
                let consumer =
                    patiently_or(self.crew.stop, || self.wire.consumer(StreamKind::Jobs)).await?;
                let batch = consumer.fetch().max_messages(1).expires(WAIT).messages().await;
                match batch {
                    Ok(mut batch) => batch.next().await?.ok(),
                    Err(_) => {
                        tokio::time::sleep(PULSE / 4).await;
                        None
                    }
                }
            });
            let Some(message) = found else { continue };
            match read::<TaskEnvelope>(&message) {
                Ok(order) => return Some((message, order)),
                // Nobody can read it: it is taken away.
                Err(_) => drop(self.runtime.block_on(message.ack_with(AckKind::Term))),
            }
        }
        None
    }
}

/// A prover whose outcomes bear the name that we give it.
struct Named<'n> {
    prover: &'n mut dyn Prover,
    giver: &'n Giver,
}

impl Prover for Named<'_> {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> JobOutcome {
        let outcome = self.prover.prove(job, cancel);
        JobOutcome { solver: self.giver.source(&outcome.solver).name, ..outcome }
    }
}

/// Tries again until it succeeds, or the worker is to end.
async fn patiently_or<T, F: Future<Output = Result<T, String>>>(
    stop: &AtomicBool,
    mut attempt: impl FnMut() -> F,
) -> Option<T> {
    patiently(|| {
        let attempt = attempt();
        async move {
            match attempt.await {
                Ok(done) => Ok(Some(done)),
                Err(_) if stop.load(Relaxed) => Ok(None),
                Err(why) => Err(why),
            }
        }
    })
    .await
}

/// Extends the lease of a job until it is aborted.
pub async fn extend(message: Message) {
    loop {
        tokio::time::sleep(LEASE / 3).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}

/// Tells what a prover does.
async fn show(wire: Wire, prover: String, current: SharedTask) {
    loop {
        let doing = {
            let current = current.lock().unwrap_or_else(PoisonError::into_inner);
            let told = |(_, p, since): &(String, String, Instant)| {
                (p.clone(), since.elapsed().as_millis() as u64)
            };
            current.at.as_ref().map(told)
        };
        wire.say("sign", &Sign { prover: prover.clone(), doing }).await;
        tokio::time::sleep(PULSE).await;
    }
}

/// Ends the job at hand when its manager asks for it.
async fn obey(wire: Wire, current: SharedTask) {
    let subject = wire.subject("cancel");
    let mut wishes = patiently(|| wire.client.subscribe(subject.clone())).await;
    while let Some(message) = wishes.next().await {
        let run = serde_json::from_slice::<String>(&message.payload).unwrap_or_default();
        let current = current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.at.as_ref().is_some_and(|(of, ..)| *of == run) {
            current.cancel.store(true, Relaxed);
        }
    }
}
