//! A job at work: one search, or the analysis of a board, by turns with the other jobs.

use super::analysis::Analysis;
use super::{Ending, JobState, SearchJob, Snapshot};
use crate::facts::FindingCache;
use crate::limits::RequestLimits;
use crate::record::Recorder;
use crate::scheduler::{Scheduler, Turns};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use zermelo_erased::{
    AnySession, EngineId, MoveValue, PlayReason, PlayedMove, open_session, with_room,
};
use zermelo_game::{Bounds, Limits, Progress, Report, Stats, Stop};

/// How often a paused job looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// A job at work.
pub(super) struct Run {
    pub job: Arc<SearchJob>,
    pub facts: Arc<FindingCache>,
    pub memory: u64,
    pub turns: Turns,
    /// How long the first step of an analysis is.
    pub step: Duration,
    /// How long it goes on when nobody looks, and how long it may be paused.
    alone: Duration,
    paused: Duration,
    /// The time is up.
    late: AtomicBool,
}

/// What a search found: the report, the moves if they were asked for, and the distance.
pub(super) type Found = (Report<String>, Option<Vec<MoveValue>>, Option<u32>);

impl Run {
    pub fn new(
        job: Arc<SearchJob>,
        scheduler: Arc<Scheduler>,
        facts: Arc<FindingCache>,
        limits: &RequestLimits,
    ) -> Run {
        let turns = Turns::new(scheduler, job.id, limits.turn);
        Run {
            job,
            facts,
            memory: limits.job_memory,
            turns,
            step: limits.analysis_step,
            alone: limits.alone,
            paused: limits.paused,
            late: false.into(),
        }
    }

    /// Whether it is to go on.
    pub fn wanted(&self) -> bool {
        if self.job.request.automatic && !self.job.is_watched(self.alone) {
            self.job.abandon();
        }
        !self.job.is_stopping()
    }

    pub fn run(self) {
        if !self.turns.wait(|| self.wanted()) {
            let ending = self.ending(Stop::Interrupted);
            return self.job.publish(|now| {
                (now.state, now.stop) = (JobState::Done, Some(Stop::Interrupted));
                now.ending = Some(ending);
            });
        }
        self.job.publish(|now| now.state = JobState::Running);
        let searched = catch_unwind(AssertUnwindSafe(|| with_room(|| self.search())));
        let ran = self.turns.ran();
        self.turns.end();
        match searched {
            Ok(Some(found)) => self.close(found, ran),
            // A solver that contradicts itself, or a panic: nothing that it said counts.
            Ok(None) | Err(_) => self.job.publish(|now| {
                now.bounds = self.job.game.values();
                (now.state, now.stop, now.best) = (JobState::Failed, None, None);
                (now.moves, now.distance, now.ending) = (None, None, Some(Ending::Failed));
                now.stats.elapsed = ran;
            }),
        }
    }

    fn search(&self) -> Option<Found> {
        let (job, request) = (&self.job, &self.job.request);
        let (mut session, _) =
            open_session(&*job.game, Some(&request.start), Some(&request.played.join(" "))).ok()?;
        if request.automatic {
            return Analysis::new(self, session).run();
        }
        let limits = Limits {
            // The clock of a solver does not stop while it waits: ours counts. Where a solver calls no
            // observer it never waits either.
            time: (request.engine.id() == EngineId::Lambda).then_some(request.time),
            nodes: request.nodes,
            memory: self.memory,
            cancel: Some(job.cancel.clone()),
        };
        let recorder = self.recorder(request.play);
        let told = Mutex::new(job.game.values());
        let observer = |progress: &Progress<String>| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            self.look(progress, &Stats::default(), job.time());
            // What is proved on the way is known at once. The perfect player looks at other positions, too.
            if *told != progress.bounds && !request.play {
                *told = progress.bounds;
                self.note(&recorder, progress.bounds, progress.stats.nodes);
            }
        };
        if request.play {
            let played = session.choose(&request.engine, &limits, &observer)?;
            self.remember_played(&recorder, &mut *session, &played);
            let PlayedMove { mv, bounds, stop, stats, distance, .. } = played;
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
            return Some((report, None, distance.and_then(|plies| plies.value())));
        }
        if request.values {
            let found = session.solve_moves(&request.engine, &limits, &observer).ok()?;
            recorder.report(&mut *session, &[], &found.report);
            for m in &found.moves {
                if session.play(&m.mv).is_ok() {
                    let after = [m.mv.clone()];
                    recorder.note(&*session, &after, m.bounds, None, found.report.stats.nodes);
                    session.take_back();
                }
            }
            return Some((found.report, Some(found.moves), None));
        }
        let report = session.solve(&request.engine, &limits, &observer);
        recorder.report(&mut *session, &[], &report);
        Some((report, None, None))
    }

    /// Where what is proved is taken down. Where the line of play counts, a search begins one at its position, unless boards
    /// must not be repeated; the perfect player looks at the whole game.
    pub fn recorder(&self, in_game: bool) -> Recorder<'_> {
        let (game, request) = (&self.job.game, &self.job.request);
        let (start, moves) = match in_game || game.features().superko {
            true => (request.start.clone(), request.played.clone()),
            false => (request.position.clone(), Vec::new()),
        };
        Recorder::new(&self.facts, game, start, moves)
    }

    /// Takes down what is proved of the position.
    fn note(&self, recorder: &Recorder, bounds: Bounds, nodes: u64) {
        let mut session = self.job.game.session();
        if session.set_position(&self.job.request.position).is_ok() {
            recorder.note(&*session, &[], bounds, None, nodes);
        }
    }

    /// Takes down what the perfect player has found out.
    fn remember_played(
        &self,
        recorder: &Recorder,
        session: &mut dyn AnySession,
        played: &PlayedMove,
    ) {
        let nodes = played.stats.nodes;
        let measured = matches!(played.reason, PlayReason::Database | PlayReason::Distance);
        let plies = played.distance.and_then(|plies| plies.value()).filter(|_| measured);
        recorder.note(session, &[], played.bounds, plies, nodes);
        if played.bounds.is_exact() && session.play(&played.mv).is_ok() {
            let after = [played.mv.clone()];
            let left = plies.and_then(|plies| plies.checked_sub(1));
            recorder.note(session, &after, played.bounds, left, nodes);
            session.take_back();
        }
    }

    /// Called some ten times a second by a search. `before` is what was spent on earlier ones.
    pub fn look(&self, progress: &Progress<String>, before: &Stats, until: Duration) {
        let mut stats = *before;
        stats.merge(&progress.stats);
        stats.elapsed = self.turns.ran();
        self.watch_clock(until);
        self.job.sample(&stats, progress.bounds, progress.proof);
        self.job.publish(|now| {
            (now.bounds, now.stats, now.proof) = (progress.bounds, stats, progress.proof);
            if !progress.line.is_empty() {
                now.line.clone_from(&progress.line);
            }
        });
        self.wait();
    }

    /// Ends the search at hand when its time is over.
    pub fn watch_clock(&self, until: Duration) {
        if self.turns.ran() >= until {
            self.late.store(true, SeqCst);
            self.job.cancel.store(true, SeqCst);
        }
    }

    /// Before another search of the same job: the time of the last one may be over, and that of the job is not. False if the job is to
    /// end.
    pub fn next_search(&self) -> bool {
        self.late.store(false, SeqCst);
        self.job.cancel.store(false, SeqCst);
        self.wanted()
    }

    /// Waits where the job is paused, or others are to have their turns.
    pub fn wait(&self) {
        let job = &self.job;
        if job.is_paused() && self.wanted() {
            self.turns.end();
            job.publish(|now| now.state = JobState::Paused);
            self.wait_while_paused();
            self.turns.wait(|| self.wanted());
            job.publish(|now| now.state = JobState::Running);
        } else {
            // If it is stopped meanwhile the search sees that itself.
            self.turns.give_way(|| self.wanted());
        }
    }

    fn wait_while_paused(&self) {
        let job = &self.job;
        let mut control = job.control();
        while let Some(since) = control.paused.filter(|_| !job.is_stopping()) {
            if since.elapsed() >= self.paused {
                control.abandoned = true;
                drop(control);
                return job.stop();
            }
            let waited = job.changed.wait_timeout(control, LOOK);
            control = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn ending(&self, stop: Stop) -> Ending {
        match stop {
            Stop::Interrupted if self.job.control().abandoned => Ending::Abandoned,
            stop => Ending::of(stop),
        }
    }

    fn close(&self, (report, moves, distance): Found, ran: Duration) {
        let job = &self.job;
        let mut stats = report.stats;
        stats.elapsed = ran;
        job.sample(&stats, report.bounds, None);
        let late = self.late.load(SeqCst) && !job.is_stopping();
        let stop = match report.stop {
            Stop::Interrupted if late => Stop::OutOfTime,
            stop => stop,
        };
        let ending = self.ending(stop);
        job.publish(|now| {
            *now = Snapshot {
                state: JobState::Done,
                stop: Some(stop),
                bounds: report.bounds,
                best: report.best,
                // What it was looking at last is no line of play.
                line: report.line,
                stats,
                proof: now.proof,
                moves,
                by: report.by,
                ending: Some(ending),
                distance,
                phase: now.phase,
                budget: now.budget,
            };
        });
    }
}
