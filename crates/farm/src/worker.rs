//! A worker: takes one job at a time for each of its provers, extends the lease while it works, sends the outcome, and
//! only then gives the job back as done. If it dies in between, another does the job.

use crate::wire::{Kind, LEASE, Order, PULSE, Reply, Sign, Wire, patiently, read};
use crate::{Address, Trouble};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle};
use zermelo_manager::prover::{Maker, Prover};
use zermelo_manager::{Job, Outcome};

/// A job that has come to provers so often without an outcome has killed them.
const TRIES: i64 = 5;
/// How long a worker waits for a job before it looks whether it is to end.
const WAIT: Duration = Duration::from_millis(900);

/// Looks at the first job of a farm, and makes provers for it; or says why this machine cannot do it, because it has
/// other rules or other databases.
pub type Open<'o> = &'o (dyn Fn(&Job) -> Result<Maker, String> + Sync);

/// What a worker has done.
#[derive(Default, Debug)]
pub struct Work {
    /// Jobs with an outcome.
    pub jobs: u64,
    /// Jobs that were set aside because provers had died on them.
    pub poison: u64,
}

/// What the provers of a worker share.
struct Crew<'w> {
    wire: Wire,
    runtime: Handle,
    open: Open<'w>,
    stop: &'w AtomicBool,
    /// Set when one of them refuses: the others would, too.
    refusal: Mutex<Option<String>>,
    done: [AtomicU64; 2],
}

/// What a prover does now.
#[derive(Default)]
struct Desk {
    at: Option<(String, String, Instant)>,
    cancel: Arc<AtomicBool>,
}

type Shared = Arc<Mutex<Desk>>;

/// Works for a farm until `stop` is set. `name` tells this worker from others.
pub fn work(
    address: &Address,
    name: &str,
    provers: usize,
    open: Open,
    stop: &AtomicBool,
) -> Result<Work, Trouble> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let wire = runtime.block_on(Wire::connect(address))?;
    let crew = Crew {
        wire,
        runtime: runtime.handle().clone(),
        open,
        stop,
        refusal: Mutex::default(),
        done: Default::default(),
    };
    std::thread::scope(|scope| {
        for n in 0..provers {
            let (crew, name) = (&crew, format!("{name}-{n}"));
            scope.spawn(move || crew.live(name));
        }
    });
    if let Some(why) = crew.refusal.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(Trouble::Refused(why));
    }
    let [jobs, poison] = crew.done.map(AtomicU64::into_inner);
    Ok(Work { jobs, poison })
}

impl Crew<'_> {
    fn ended(&self) -> bool {
        let refused = || self.refusal.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        self.stop.load(Relaxed) || refused()
    }

    /// The life of a prover.
    fn live(&self, name: String) {
        let desk = Shared::default();
        let tasks = [
            self.runtime.spawn(show(self.wire.clone(), name, desk.clone())),
            self.runtime.spawn(obey(self.wire.clone(), desk.clone())),
        ];
        while let Some((message, order)) = self.next() {
            match (self.open)(&order.job) {
                Ok(maker) => self.serve(&maker, message, order, &desk),
                Err(why) => {
                    // Somebody else may be able to do it.
                    let nak = message.ack_with(AckKind::Nak(Some(PULSE)));
                    let _ = self.runtime.block_on(nak);
                    *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                }
            }
        }
        tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }

    /// Does jobs of one game until one of another comes or all is over. A prover that panics is made anew.
    fn serve(&self, maker: &Maker, message: Message, order: Order, desk: &Shared) {
        let (game, rules) = (order.job.game.clone(), order.job.rules.clone());
        let database = order.job.database.clone();
        let mut next = Some((message, order));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            maker(&mut |prover| {
                while let Some((message, order)) = next.take().or_else(|| self.next()) {
                    let job = &order.job;
                    if (&job.game, &job.rules, &job.database) != (&game, &rules, &database) {
                        let nak = message.ack_with(AckKind::Nak(None));
                        let _ = self.runtime.block_on(nak);
                        return;
                    }
                    self.deal(prover, &message, order, desk);
                }
            });
        }));
        // The job of a prover that panicked is not acknowledged: it comes again, to TRIES provers at most.
        if caught.is_err() {
            desk.lock().unwrap_or_else(PoisonError::into_inner).at = None;
        }
    }

    /// One job, from the lease to its end.
    fn deal(&self, prover: &mut dyn Prover, message: &Message, order: Order, desk: &Shared) {
        let Order { run, job } = order;
        let tries = message.info().map_or(1, |info| info.delivered);
        let outcome = if tries > TRIES {
            self.done[1].fetch_add(1, Relaxed);
            Outcome::failed(&job, format!("{TRIES} provers have died on it"))
        } else {
            let cancel = Arc::<AtomicBool>::default();
            let at = Some((run.clone(), job.position.clone(), Instant::now()));
            *desk.lock().unwrap_or_else(PoisonError::into_inner) =
                Desk { at, cancel: cancel.clone() };
            let extend = self.runtime.spawn(extend(message.clone()));
            let outcome = prover.prove(&job, &cancel);
            extend.abort();
            desk.lock().unwrap_or_else(PoisonError::into_inner).at = None;
            self.done[0].fetch_add(1, Relaxed);
            outcome
        };
        let number = format!("{run}-{}-{tries}-outcome", job.id);
        self.runtime.block_on(async {
            self.wire.publish(Kind::Outcomes, &number, &Reply { run, outcome }).await;
            // If this is lost the job is done twice, and the second outcome ignored.
            let _ = tokio::time::timeout(LEASE, message.double_ack()).await;
        });
    }

    /// The next job; `None` when it is time to go home.
    fn next(&self) -> Option<(Message, Order)> {
        while !self.ended() {
            let found = self.runtime.block_on(async {
                let consumer = patiently_or(self.stop, || self.wire.consumer(Kind::Jobs)).await?;
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
            match read::<Order>(&message) {
                Ok(order) => return Some((message, order)),
                // Nobody can read it: it is taken away.
                Err(_) => drop(self.runtime.block_on(message.ack_with(AckKind::Term))),
            }
        }
        None
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
async fn extend(message: Message) {
    loop {
        tokio::time::sleep(LEASE / 3).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}

/// Tells what a prover does.
async fn show(wire: Wire, prover: String, desk: Shared) {
    loop {
        let doing = {
            let desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
            let told = |(_, p, since): &(String, String, Instant)| {
                (p.clone(), since.elapsed().as_millis() as u64)
            };
            desk.at.as_ref().map(told)
        };
        wire.say("sign", &Sign { prover: prover.clone(), doing }).await;
        tokio::time::sleep(PULSE).await;
    }
}

/// Ends the job at hand when its manager asks for it.
async fn obey(wire: Wire, desk: Shared) {
    let subject = wire.subject("cancel");
    let mut wishes = patiently(|| wire.client.subscribe(subject.clone())).await;
    while let Some(message) = wishes.next().await {
        let run = serde_json::from_slice::<String>(&message.payload).unwrap_or_default();
        let desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
        if desk.at.as_ref().is_some_and(|(of, ..)| *of == run) {
            desk.cancel.store(true, Relaxed);
        }
    }
}
