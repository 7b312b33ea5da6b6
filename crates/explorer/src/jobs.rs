//! Searches that run in the server: each in a thread of its own, by turns, with limits, and open to be watched.

use crate::facts::FindingCache;
use crate::library::OpenGame;
use crate::limits::RequestLimits;
use crate::scheduler::{Scheduler, Turns};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use zermelo_erased::{EngineConfig, EngineId, MoveValue, PlayedMove, open_session};
use zermelo_game::{Bounds, Progress, Report, Stats, Stop};

/// Points of a run's charts. When there are more, every second one is left out from then on.
const SAMPLES: usize = 400;

/// What is to be searched.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The position it starts from as text; the game's start if there is none.
    pub position: Option<String>,
    /// The moves from there.
    pub moves: Option<String>,
    /// The engine as the client names it.
    pub by: String,
    /// The engine with all its settings.
    pub engine: EngineConfig,
    /// Whether every move is to be solved.
    pub values: bool,
    /// Whether the perfect player is to choose a move, in the game that the moves are.
    pub play: bool,
    /// How long it may run; its waiting does not count.
    pub time: Duration,
    /// How many nodes it may search.
    pub nodes: Option<u64>,
}

/// How far a job has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobState {
    /// It waits for its first turn.
    Waiting,
    /// It has begun.
    Running,
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
            JobState::Done => "done",
            JobState::Failed => "failed",
        }
    }
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
}

/// A job.
pub struct SearchJob {
    /// Its number.
    pub id: u64,
    /// The game.
    pub game: OpenGame,
    /// The position that is searched, as the game writes it.
    pub position: String,
    /// What was asked for.
    pub request: SearchRequest,
    cancel: Arc<AtomicBool>,
    sender: watch::Sender<Arc<Snapshot>>,
    samples: Mutex<Samples>,
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

    /// Asks it to end.
    pub fn stop(&self) {
        self.cancel.store(true, Relaxed);
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

/// There are too many jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany;

/// All jobs.
pub struct Jobs {
    jobs: Mutex<VecDeque<Arc<SearchJob>>>,
    last: AtomicU64,
    scheduler: Arc<Scheduler>,
    facts: Arc<FindingCache>,
    limits: RequestLimits,
}

impl Jobs {
    /// None yet.
    #[must_use]
    pub fn new(limits: &RequestLimits, facts: Arc<FindingCache>) -> Jobs {
        let scheduler = Arc::new(Scheduler::new(limits.running));
        Jobs { jobs: Mutex::default(), last: 0.into(), scheduler, facts, limits: limits.clone() }
    }

    fn jobs(&self) -> MutexGuard<'_, VecDeque<Arc<SearchJob>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that can be looked at, the oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<SearchJob>> {
        self.jobs().iter().cloned().collect()
    }

    /// The job of this number.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<Arc<SearchJob>> {
        self.jobs().iter().find(|job| job.id == id).cloned()
    }

    /// Starts a job. The request has been checked: its position and moves can be read.
    pub fn start(
        &self,
        game: OpenGame,
        position: String,
        request: SearchRequest,
    ) -> Result<Arc<SearchJob>, TooMany> {
        let mut jobs = self.jobs();
        let alive = jobs.iter().filter(|job| !job.now().state.is_over()).count();
        if alive >= self.limits.jobs {
            return Err(TooMany);
        }
        let over = |job: &Arc<SearchJob>| job.now().state.is_over();
        while jobs.len() - alive >= self.limits.kept.max(1) {
            let Some(at) = jobs.iter().position(over) else { break };
            jobs.remove(at);
        }
        let waiting = Snapshot {
            state: JobState::Waiting,
            stop: None,
            bounds: game.values(),
            best: None,
            line: Vec::new(),
            stats: Stats::default(),
            proof: None,
            moves: None,
            by: None,
        };
        let job = Arc::new(SearchJob {
            id: self.last.fetch_add(1, Relaxed) + 1,
            game,
            position,
            request,
            cancel: Arc::default(),
            sender: watch::Sender::new(Arc::new(waiting)),
            samples: Mutex::default(),
        });
        jobs.push_back(job.clone());
        let run = Run::new(job.clone(), self.scheduler.clone(), self.facts.clone(), &self.limits);
        // A machine that gives no more threads is an overload like any other.
        match std::thread::Builder::new().name(format!("job {}", job.id)).spawn(|| run.run()) {
            Ok(_) => Ok(job),
            Err(_) => {
                jobs.pop_back();
                Err(TooMany)
            }
        }
    }

    /// Turns of somebody else, between those of the jobs.
    pub fn turns(&self) -> Turns {
        let who = self.last.fetch_add(1, Relaxed) + 1;
        Turns::new(self.scheduler.clone(), who, self.limits.turn)
    }

    /// Asks all to end.
    pub fn stop_all(&self) {
        self.jobs().iter().for_each(|job| job.stop());
    }
}

/// A job at work.
struct Run {
    job: Arc<SearchJob>,
    facts: Arc<FindingCache>,
    memory: u64,
    turns: Turns,
    out_of_time: AtomicBool,
}

impl Run {
    fn new(
        job: Arc<SearchJob>,
        scheduler: Arc<Scheduler>,
        facts: Arc<FindingCache>,
        limits: &RequestLimits,
    ) -> Run {
        let turns = Turns::new(scheduler, job.id, limits.turn);
        Run { job, facts, memory: limits.job_memory, turns, out_of_time: false.into() }
    }

    /// Whether it is to go on.
    fn wanted(&self) -> bool {
        !self.job.cancel.load(Relaxed)
    }

    fn run(self) {
        if !self.turns.wait(|| self.wanted()) {
            return self.job.publish(|now| {
                (now.state, now.stop) = (JobState::Done, Some(Stop::Interrupted));
            });
        }
        self.job.publish(|now| now.state = JobState::Running);
        let searched = catch_unwind(AssertUnwindSafe(|| self.search()));
        let ran = self.turns.ran();
        self.turns.end();
        match searched {
            Ok(Some((report, moves))) => self.close(report, moves, ran),
            // A solver that contradicts itself, or a panic: nothing that it said counts.
            Ok(None) | Err(_) => self.job.publish(|now| {
                now.bounds = self.job.game.values();
                (now.state, now.stop, now.best) = (JobState::Failed, None, None);
                now.stats.elapsed = ran;
            }),
        }
    }

    fn search(&self) -> Option<(Report<String>, Option<Vec<MoveValue>>)> {
        let request = &self.job.request;
        let (position, moves) = (request.position.as_deref(), request.moves.as_deref());
        let (mut session, _) = open_session(&*self.job.game, position, moves).ok()?;
        let limits = zermelo_game::Limits {
            // The clock of a solver does not stop while it waits: ours counts. Where a solver calls no
            // observer it never waits either.
            time: (request.engine.id() == EngineId::Lambda).then_some(request.time),
            nodes: request.nodes,
            memory: self.memory,
            cancel: Some(self.job.cancel.clone()),
        };
        let observer = |progress: &Progress<String>| self.look(progress);
        if request.play {
            let PlayedMove { mv, bounds, stop, stats, .. } =
                session.choose(&request.engine, &limits, &observer)?;
            let report = Report {
                bounds,
                best: Some(mv.clone()),
                line: vec![mv],
                stop,
                level: None,
                rests_on_history: false,
                by: None,
                stats,
            };
            return Some((report, None));
        }
        if request.values {
            let found = session.solve_moves(&request.engine, &limits, &observer).ok()?;
            return Some((found.report, Some(found.moves)));
        }
        Some((session.solve(&request.engine, &limits, &observer), None))
    }

    /// Called some ten times a second by the search.
    fn look(&self, progress: &Progress<String>) {
        let mut stats = progress.stats;
        stats.elapsed = self.turns.ran();
        if stats.elapsed >= self.job.request.time {
            self.out_of_time.store(true, Relaxed);
            self.job.cancel.store(true, Relaxed);
        }
        self.job.sample(&stats, progress.bounds, progress.proof);
        self.job.publish(|now| {
            (now.bounds, now.stats, now.proof) = (progress.bounds, stats, progress.proof);
            if !progress.line.is_empty() {
                now.line = progress.line.clone();
            }
        });
        // If it is stopped meanwhile the search sees that itself.
        self.turns.give_way(|| self.wanted());
    }

    fn close(&self, report: Report<String>, moves: Option<Vec<MoveValue>>, ran: Duration) {
        let job = &self.job;
        let mut stats = report.stats;
        stats.elapsed = ran;
        let nodes = stats.nodes;
        let game = &job.game;
        if game.has_own_values() {
            self.remember(&job.position, report.bounds, nodes);
            let mut session = game.session();
            if session.set_position(&job.position).is_ok() {
                for m in moves.iter().flatten().filter(|m| m.bounds != game.values()) {
                    if session.play(&m.mv).is_ok() {
                        self.remember(&session.position(), m.bounds, nodes);
                        session.take_back();
                    }
                }
            }
        }
        job.sample(&stats, report.bounds, None);
        let late = self.out_of_time.load(Relaxed) && report.stop == Stop::Interrupted;
        job.publish(|now| {
            *now = Snapshot {
                state: JobState::Done,
                stop: Some(if late { Stop::OutOfTime } else { report.stop }),
                bounds: report.bounds,
                best: report.best,
                // What it was looking at last is no line of play.
                line: report.line,
                stats,
                proof: now.proof,
                moves,
                by: report.by,
            };
        });
    }

    fn remember(&self, position: &str, bounds: Bounds, nodes: u64) {
        if bounds != self.job.game.values() {
            self.facts.put(&self.job.game.name(), position, bounds, nodes);
        }
    }
}
