//! Searches that run in the server: each in a thread of its own, by turns, with limits, and open to be watched.
//!
//! There is one search for a question: who asks for what is being searched already joins those who wait for it. A search ends when
//! it is solved, when its limits are spent, and when nobody wants it any more: those who asked have taken that back, or, if it is
//! an automatic analysis of a board, nobody has looked at it for a while. `run` is what a search does.

mod analysis;
mod run;

use crate::facts::FindingCache;
use crate::findings::{Findings, Place};
use crate::library::OpenGame;
use crate::limits::RequestLimits;
use crate::scheduler::{Scheduler, Turns};
use run::Run;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use zermelo_erased::{EngineConfig, MoveValue};
use zermelo_game::{Bounds, Footprint, Stats, Stop};

/// Points of a run's charts. When there are more, every second one is left out from then on.
const SAMPLES: usize = 400;
/// How often a client is counted that asks again for the same search.
const ASKED_AGAIN: usize = 16;
/// Analyses of boards of one client, on a server that everybody may use.
const OWN_ANALYSES: usize = 4;

/// Who asks: an address, where there is one.
pub type Client = Option<IpAddr>;

/// What is to be searched.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The position it starts from, as the game writes it.
    pub start: String,
    /// The moves from there, as the game writes them.
    pub played: Vec<String>,
    /// The position after them.
    pub position: String,
    /// The engine as the client names it.
    pub by: String,
    /// The engine with all its settings.
    pub engine: EngineConfig,
    /// Whether every move is to be solved.
    pub values: bool,
    /// Whether the perfect player is to choose a move, in the game that the moves are.
    pub play: bool,
    /// Whether it is the analysis of a board: all that can be found out of the position and its moves, by and by.
    pub automatic: bool,
    /// How long it may run; its waiting does not count.
    pub time: Duration,
    /// How many nodes it may search.
    pub nodes: Option<u64>,
    /// What an analysis begins with: what is known of the moves.
    pub known: Vec<KnownMove>,
}

/// What is known of a move before it is searched.
#[derive(Clone, PartialEq, Debug)]
pub struct KnownMove {
    /// The move.
    pub mv: String,
    /// The position after it, as one text for all that are the same to solvers.
    pub canonical: String,
    /// Its value.
    pub bounds: Bounds,
    /// The plies to the end from the position after it.
    pub distance: Option<u32>,
    /// Where it happens in the picture.
    pub place: Option<Footprint>,
}

impl KnownMove {
    /// Those of a position.
    #[must_use]
    pub fn of(findings: Findings) -> Vec<KnownMove> {
        let known =
            |(m, found): (zermelo_erased::SurveyedMove, zermelo_game::Finding<_>)| KnownMove {
                mv: m.mv,
                canonical: m.canonical,
                bounds: found.bounds,
                distance: found.distance,
                place: m.place,
            };
        findings.moves.into_iter().map(known).collect()
    }
}

/// How far a job has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobState {
    /// It waits for its first turn.
    Waiting,
    /// It has begun.
    Running,
    /// Somebody has paused it.
    Paused,
    /// It is over: solved, stopped or out of something.
    Done,
    /// The solver failed. A fault of ours.
    Failed,
}

impl JobState {
    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, JobState::Done | JobState::Failed)
    }

    /// A word for the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            JobState::Waiting => "waiting",
            JobState::Running => "running",
            JobState::Paused => "paused",
            JobState::Done => "done",
            JobState::Failed => "failed",
        }
    }
}

/// How a job ended, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All that was asked is known.
    Solved,
    /// Somebody stopped it, or the server ended.
    Stopped,
    /// Its time is spent.
    TimedOut,
    /// Its nodes are spent, or its memory.
    Limited,
    /// The engine has tried all that it may.
    Unsolved,
    /// Nobody looked at it any more.
    Abandoned,
    /// A fault of ours.
    Failed,
}

impl Ending {
    /// A word for the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Ending::Solved => "solved",
            Ending::Stopped => "stopped",
            Ending::TimedOut => "timed_out",
            Ending::Limited => "limited",
            Ending::Unsolved => "unsolved",
            Ending::Abandoned => "abandoned",
            Ending::Failed => "failed",
        }
    }

    /// Why an engine stopped, where nobody had left.
    fn of(stop: Stop) -> Ending {
        match stop {
            Stop::Solved => Ending::Solved,
            Stop::OutOfTime => Ending::TimedOut,
            Stop::OutOfNodes | Stop::OutOfMemory => Ending::Limited,
            Stop::Interrupted => Ending::Stopped,
            Stop::Stalled | Stop::Exhausted => Ending::Unsolved,
        }
    }
}

/// What an analysis is about to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The value of the position.
    Position,
    /// Those of its moves.
    Moves,
    /// How soon wins come.
    Distances,
}

impl Phase {
    /// A word for the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Phase::Position => "position",
            Phase::Moves => "moves",
            Phase::Distances => "distances",
        }
    }
}

/// What an analysis may spend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Budget {
    /// The number of the step, from 1.
    pub step: u32,
    /// What may be spent by its end.
    pub time: Duration,
    /// By the end of the last one.
    pub most: Duration,
}

/// A point of a run's charts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChartSample {
    /// Seconds it had run.
    pub seconds: f64,
    /// Nodes until then.
    pub nodes: u64,
    /// Share of the table in use, 0 to 1000.
    pub table_permille: u32,
    /// What was proved.
    pub bounds: Bounds,
    /// Proof and disproof number of the root.
    pub proof: Option<[Option<u32>; 2]>,
}

/// A job as it is seen at some moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// How far it is.
    pub state: JobState,
    /// Why it ended.
    pub stop: Option<Stop>,
    /// What is proved.
    pub bounds: Bounds,
    /// The best move so far, where one is known.
    pub best: Option<String>,
    /// What it looks at, or best play when it is over.
    pub line: Vec<String>,
    /// What it has cost; the time is what it has run.
    pub stats: Stats,
    /// Proof and disproof number of the root.
    pub proof: Option<[Option<u32>; 2]>,
    /// The moves with their values, when they were asked for and are known.
    pub moves: Option<Vec<MoveValue>>,
    /// Which of several engines settled it.
    pub by: Option<&'static str>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// The plies to the end, where that was found out.
    pub distance: Option<u32>,
    /// What an analysis is at.
    pub phase: Option<Phase>,
    /// What it may spend.
    pub budget: Option<Budget>,
}

impl Snapshot {
    fn waiting(all: Bounds) -> Snapshot {
        Snapshot {
            state: JobState::Waiting,
            stop: None,
            bounds: all,
            best: None,
            line: Vec::new(),
            stats: Stats::default(),
            proof: None,
            moves: None,
            by: None,
            ending: None,
            distance: None,
            phase: None,
            budget: None,
        }
    }
}

/// A job.
pub struct SearchJob {
    /// Its number.
    pub id: u64,
    /// The game.
    pub game: OpenGame,
    /// What was asked for.
    pub request: SearchRequest,
    /// Ends the search at hand.
    cancel: Arc<AtomicBool>,
    /// Ends the job.
    stopped: AtomicBool,
    control: Mutex<Control>,
    changed: Condvar,
    sender: watch::Sender<Arc<Snapshot>>,
    samples: Mutex<Samples>,
}

/// What others decide about a job.
struct Control {
    /// How long it may run.
    time: Duration,
    /// Who wants it.
    askers: Vec<Client>,
    /// Since when it is paused.
    paused: Option<Instant>,
    /// When somebody looked at it last.
    looked: Instant,
    abandoned: bool,
}

#[derive(Default)]
struct Samples {
    kept: Vec<ChartSample>,
    /// Every so many-th is kept, and how many came since the last one.
    every: usize,
    since: usize,
}

impl Samples {
    fn push(&mut self, sample: ChartSample) {
        self.since += 1;
        if self.since < self.every {
            return;
        }
        self.since = 0;
        self.kept.push(sample);
        if self.kept.len() > SAMPLES {
            let mut at = 0;
            self.kept.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.every = self.every.max(1) * 2;
        }
    }
}

impl SearchJob {
    /// As it is now.
    #[must_use]
    pub fn now(&self) -> Arc<Snapshot> {
        self.sender.borrow().clone()
    }

    /// Tells of every change from now on.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.sender.subscribe()
    }

    /// The points of its charts.
    #[must_use]
    pub fn samples(&self) -> Vec<ChartSample> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).kept.clone()
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it.
    pub fn stop(&self) {
        // In this order: a search clears the second one, and looks at the first one after that.
        self.stopped.store(true, SeqCst);
        self.cancel.store(true, SeqCst);
        self.changed.notify_all();
    }

    /// Ends it because nobody is interested.
    fn abandon(&self) {
        self.control().abandoned = true;
        self.stop();
    }

    /// Whether it was asked to end.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    /// Whether this client asked for it.
    #[must_use]
    pub fn is_wanted_by(&self, client: Client) -> bool {
        self.control().askers.contains(&client)
    }

    /// Whether nobody else did.
    #[must_use]
    pub fn is_wanted_only_by(&self, client: Client) -> bool {
        self.control().askers.iter().all(|asker| *asker == client)
    }

    /// How many want it.
    #[must_use]
    pub fn askers(&self) -> usize {
        self.control().askers.len()
    }

    /// How long it may run.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.control().time
    }

    /// One more wants it, for so long.
    fn join(&self, client: Client, time: Duration) {
        let mut control = self.control();
        // Who asks again and again does not fill the memory.
        if control.askers.iter().filter(|asker| **asker == client).count() < ASKED_AGAIN {
            control.askers.push(client);
        }
        control.time = control.time.max(time);
        control.looked = Instant::now();
    }

    /// One who asked wants it no longer; it ends when nobody is left.
    pub fn leave(&self, client: Client) {
        let mut control = self.control();
        if let Some(at) = control.askers.iter().position(|asker| *asker == client) {
            control.askers.swap_remove(at);
        }
        let left = control.askers.is_empty();
        drop(control);
        if left {
            self.stop();
        }
    }

    /// Lets it wait, or go on.
    pub fn pause(&self, paused: bool) {
        let mut control = self.control();
        control.paused = paused.then(|| control.paused.unwrap_or_else(Instant::now));
        control.looked = Instant::now();
        drop(control);
        self.changed.notify_all();
    }

    /// Whether it is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.control().paused.is_some()
    }

    /// Somebody looks at it.
    pub fn look(&self) {
        self.control().looked = Instant::now();
    }

    /// Whether somebody watches it, or looked not so long ago.
    fn is_watched(&self, alone: Duration) -> bool {
        self.sender.receiver_count() > 0 || self.control().looked.elapsed() < alone
    }

    fn publish(&self, change: impl FnOnce(&mut Snapshot)) {
        self.sender.send_modify(|now| change(Arc::make_mut(now)));
    }

    fn sample(&self, stats: &Stats, bounds: Bounds, proof: Option<[Option<u32>; 2]>) {
        let (nodes, table_permille) = (stats.nodes, stats.table_permille);
        let seconds = stats.elapsed.as_secs_f64();
        let sample = ChartSample { seconds, nodes, table_permille, bounds, proof };
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
    }
}

/// Why a job is not started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There are too many jobs.
    TooMany,
    /// This client has too many.
    TooManyOfClient,
}

/// All jobs.
pub struct Jobs {
    jobs: Mutex<VecDeque<Arc<SearchJob>>>,
    last: AtomicU64,
    begun: AtomicU64,
    scheduler: Arc<Scheduler>,
    facts: Arc<FindingCache>,
    limits: RequestLimits,
}

impl Jobs {
    /// None yet.
    #[must_use]
    pub fn new(limits: &RequestLimits, facts: Arc<FindingCache>) -> Jobs {
        let scheduler = Arc::new(Scheduler::new(limits.running));
        Jobs {
            jobs: Mutex::default(),
            last: 0.into(),
            begun: 0.into(),
            scheduler,
            facts,
            limits: limits.clone(),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, VecDeque<Arc<SearchJob>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that can be looked at, the oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<SearchJob>> {
        self.jobs().iter().cloned().collect()
    }

    /// How many were begun.
    #[must_use]
    pub fn started(&self) -> u64 {
        self.begun.load(SeqCst)
    }

    /// The job of this number.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<Arc<SearchJob>> {
        self.jobs().iter().find(|job| job.id == id).cloned()
    }

    /// Those that wait or run and are about a place.
    #[must_use]
    pub fn about(&self, place: &Place) -> Vec<Arc<SearchJob>> {
        let jobs = self.jobs();
        let alive = jobs.iter().filter(|job| !job.is_stopping() && !job.now().state.is_over());
        let mut alive = alive.peekable();
        if alive.peek().is_none() {
            return Vec::new();
        }
        let (name, position) = (place.game.name(), place.session.position());
        let superko = place.game.features().superko;
        let here = |job: &&Arc<SearchJob>| {
            let SearchRequest { start, played, .. } = &job.request;
            job.request.position == position
                && job.game.name() == name
                && (!superko || (start == place.start && played == place.played))
        };
        alive.filter(here).cloned().collect()
    }

    /// Starts a job, or joins one that has the same question. The request has been checked: its position and moves can be read.
    pub fn start(
        &self,
        game: OpenGame,
        request: SearchRequest,
        client: Client,
    ) -> Result<Arc<SearchJob>, Refused> {
        let mut jobs = self.jobs();
        let alive = |job: &&Arc<SearchJob>| !job.is_stopping() && !job.now().state.is_over();
        let same = |job: &&Arc<SearchJob>| {
            job.game.name() == game.name() && same_question(&*game, &job.request, &request)
        };
        if let Some(job) = jobs.iter().filter(alive).find(same) {
            job.join(client, request.time);
            return Ok(job.clone());
        }
        if request.automatic {
            self.make_room(&jobs, client)?;
        }
        if jobs.iter().filter(alive).count() >= self.limits.jobs {
            return Err(Refused::TooMany);
        }
        if let Some(most) = self.limits.jobs_of_client {
            let mine = jobs.iter().filter(alive).filter(|job| job.is_wanted_by(client));
            if mine.filter(|job| !job.request.automatic).count() >= most && !request.automatic {
                return Err(Refused::TooManyOfClient);
            }
        }
        let job = self.enter(&mut jobs, game, request, client);
        let run = Run::new(job.clone(), self.scheduler.clone(), self.facts.clone(), &self.limits);
        // A machine that gives no more threads is an overload like any other.
        match std::thread::Builder::new().name(format!("job {}", job.id)).spawn(|| run.run()) {
            Ok(_) => {
                self.begun.fetch_add(1, SeqCst);
                Ok(job)
            }
            Err(_) => {
                jobs.pop_back();
                Err(Refused::TooMany)
            }
        }
    }

    /// A job that is over: everything that it was to find out is known.
    pub fn known(
        &self,
        game: OpenGame,
        request: SearchRequest,
        client: Client,
        found: impl FnOnce(&mut Snapshot),
    ) -> Arc<SearchJob> {
        let job = self.enter(&mut self.jobs(), game, request, client);
        job.publish(|now| {
            (now.state, now.stop, now.ending) =
                (JobState::Done, Some(Stop::Solved), Some(Ending::Solved));
            found(now);
        });
        job
    }

    fn enter(
        &self,
        jobs: &mut VecDeque<Arc<SearchJob>>,
        game: OpenGame,
        request: SearchRequest,
        client: Client,
    ) -> Arc<SearchJob> {
        // What nobody ordered does not push out what somebody did.
        let ordered = |request: &SearchRequest| !request.automatic && !request.play;
        let kept = if ordered(&request) { self.limits.kept } else { self.limits.kept / 4 }.max(1);
        let over = |job: &Arc<SearchJob>| {
            ordered(&job.request) == ordered(&request) && job.now().state.is_over()
        };
        while jobs.iter().filter(|job| over(job)).count() >= kept {
            let Some(at) = jobs.iter().position(over) else { break };
            jobs.remove(at);
        }
        let control = Control {
            time: request.time,
            askers: vec![client],
            paused: None,
            looked: Instant::now(),
            abandoned: false,
        };
        let job = Arc::new(SearchJob {
            id: self.last.fetch_add(1, SeqCst) + 1,
            sender: watch::Sender::new(Arc::new(Snapshot::waiting(game.values()))),
            game,
            request,
            cancel: Arc::default(),
            stopped: false.into(),
            control: Mutex::new(control),
            changed: Condvar::new(),
            samples: Mutex::default(),
        });
        jobs.push_back(job.clone());
        job
    }

    /// Gives up the analysis that nobody has looked at for longest, if there are too many; of a client who has as many as it may have,
    /// its own oldest.
    fn make_room(&self, jobs: &VecDeque<Arc<SearchJob>>, client: Client) -> Result<(), Refused> {
        let alive = |job: &&Arc<SearchJob>| {
            job.request.automatic && !job.is_stopping() && !job.now().state.is_over()
        };
        if self.limits.jobs_of_client.is_some() {
            let own = || jobs.iter().filter(alive).filter(|job| job.is_wanted_only_by(client));
            if own().count() >= OWN_ANALYSES {
                let oldest = own().min_by_key(|job| job.control().looked);
                oldest.into_iter().for_each(|job| job.abandon());
            }
        }
        if jobs.iter().filter(alive).count() < self.limits.analyses {
            return Ok(());
        }
        let unwatched = jobs.iter().filter(alive).filter(|job| !job.is_watched(Duration::ZERO));
        let oldest = unwatched.min_by_key(|job| job.control().looked);
        oldest.ok_or(Refused::TooMany)?.abandon();
        Ok(())
    }

    /// Turns of somebody else, between those of the jobs.
    pub fn turns(&self) -> Turns {
        let who = self.last.fetch_add(1, SeqCst) + 1;
        Turns::new(self.scheduler.clone(), who, self.limits.turn)
    }

    /// Asks all to end.
    pub fn stop_all(&self) {
        self.jobs().iter().for_each(|job| job.stop());
    }
}

/// Whether two requests about a game ask the same.
fn same_question(
    game: &dyn zermelo_erased::AnyGame,
    one: &SearchRequest,
    other: &SearchRequest,
) -> bool {
    let asks = |r: &SearchRequest| (r.values, r.play, r.automatic, r.nodes);
    // A player may have to know what was played, and where boards must not be repeated every search does.
    let features = game.features();
    let by_line = features.superko || (one.play && (features.cyclic || features.path_dependent));
    let line = |r: &SearchRequest| by_line.then(|| (r.start.clone(), r.played.clone()));
    one.position == other.position
        && asks(one) == asks(other)
        && one.engine == other.engine
        && line(one) == line(other)
}
