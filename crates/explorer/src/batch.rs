//! Many positions of a game, solved one after the other in a thread of their own, which takes turns with the jobs.
//!
//! Each answer is handed over as soon as it is there. A batch ends when nobody takes them any more, and gives its turn
//! away while it waits for somebody who takes them slowly.

use crate::facts::FindingCache;
use crate::library::OpenGame;
use crate::middleware::Permit;
use crate::record::Recorder;
use crate::scheduler::Turns;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use zermelo_erased::{
    AnySession, EngineConfig, EngineId, Series, open_session, open_text, with_room,
};
use zermelo_game::{Limits, ParseError, Report, Stop};

/// A position to be solved.
#[derive(Clone, Debug)]
pub enum Place {
    /// A position, if it can be read as one, else moves from the start.
    Text(String),
    /// A position (the start if there is none) and moves from there.
    Parts {
        /// The position.
        position: Option<String>,
        /// The moves.
        moves: Option<String>,
    },
}

/// What is to be solved.
pub struct BatchRequest {
    /// The game.
    pub game: OpenGame,
    /// The positions.
    pub places: Vec<Place>,
    /// The engine, with one thread.
    pub engine: EngineConfig,
    /// How long the search of a position may take.
    pub time_each: Duration,
    /// How many nodes it may search.
    pub nodes_each: Option<u64>,
    /// How long all of them may take together; waiting does not count.
    pub time: Duration,
    /// Bytes for tables.
    pub memory: u64,
}

/// Why a position has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// It cannot be read.
    Unread(ParseError),
    /// The solver failed. A fault of ours.
    Failed,
}

/// What was found out about a position.
pub struct BatchAnswer {
    /// Which one, from 0.
    pub index: usize,
    /// The position as the game writes it, and the report; its time is what it ran.
    pub found: Result<(String, Report<String>), NoAnswer>,
}

/// Why a batch, or a search of it, is to end.
#[derive(Clone, Default)]
struct Flags {
    /// Nobody takes answers.
    gone: Arc<AtomicBool>,
    /// The search at hand is to end.
    cancel: Arc<AtomicBool>,
}

/// Whoever holds this takes the answers; the batch ends once it is dropped.
pub struct Taker(Flags);

impl Drop for Taker {
    fn drop(&mut self) {
        // In this order: the batch clears the second one, and looks at the first one after that.
        self.0.gone.store(true, SeqCst);
        self.0.cancel.store(true, SeqCst);
    }
}

/// Starts a batch. Fails if the system gives no thread.
pub fn start(
    request: BatchRequest,
    turns: Turns,
    facts: Arc<FindingCache>,
    to: Sender<BatchAnswer>,
    permit: Permit,
) -> std::io::Result<Taker> {
    let flags = Flags::default();
    let taker = Taker(flags.clone());
    let run = Run { request, turns, facts, to, flags };
    std::thread::Builder::new().name("batch".into()).spawn(move || {
        let _permit = permit;
        with_room(|| run.run());
    })?;
    Ok(taker)
}

/// A batch at work.
struct Run {
    request: BatchRequest,
    turns: Turns,
    facts: Arc<FindingCache>,
    to: Sender<BatchAnswer>,
    flags: Flags,
}

impl Run {
    fn wanted(&self) -> bool {
        !self.flags.gone.load(SeqCst)
    }

    fn run(&self) {
        let mut series = Series::new(&*self.request.game);
        if self.turns.wait(|| self.wanted()) {
            for (index, place) in self.request.places.iter().enumerate() {
                self.turns.give_way(|| self.wanted());
                self.flags.cancel.store(false, SeqCst);
                if !self.wanted() {
                    break;
                }
                let found = catch_unwind(AssertUnwindSafe(|| self.answer(&mut series, place)));
                let found = found.unwrap_or_else(|_| {
                    // Nothing that it has in its tables counts.
                    series = Series::new(&*self.request.game);
                    Err(NoAnswer::Failed)
                });
                if !self.hand_over(BatchAnswer { index, found }) {
                    break;
                }
            }
        }
        self.turns.end();
    }

    /// False if nobody takes it.
    fn hand_over(&self, answer: BatchAnswer) -> bool {
        match self.to.try_send(answer) {
            Ok(()) => true,
            Err(TrySendError::Closed(_)) => false,
            Err(TrySendError::Full(answer)) => {
                self.turns.end();
                self.to.blocking_send(answer).is_ok() && self.turns.wait(|| self.wanted())
            }
        }
    }

    fn answer<'g>(
        &'g self,
        series: &mut Series<'g>,
        place: &Place,
    ) -> Result<(String, Report<String>), NoAnswer> {
        let BatchRequest { game, engine, time_each, nodes_each, time, memory, .. } = &self.request;
        let opened: Result<Box<dyn AnySession + 'g>, ParseError> = match place {
            Place::Text(text) => open_text(&**game, text),
            Place::Parts { position, moves } => {
                open_session(&**game, position.as_deref(), moves.as_deref()).map(|(s, _)| s)
            }
        };
        let session = series.at(opened.map_err(NoAnswer::Unread)?);
        let begun = self.turns.ran();
        let may_take = (*time_each).min(time.saturating_sub(begun));
        // With no time at all it still says what needs no search.
        let at_once = may_take.is_zero().then_some(Duration::ZERO);
        // The clock of a solver does not stop while it waits: ours counts. Where a solver calls no
        // observer it never waits either.
        let unwatched = (engine.id() == EngineId::Lambda).then_some(may_take);
        let limits = Limits {
            time: at_once.or(unwatched),
            nodes: *nodes_each,
            memory: *memory,
            cancel: Some(self.flags.cancel.clone()),
        };
        let late = AtomicBool::new(false);
        let mut report = session.solve(engine, &limits, &|_| {
            if self.turns.ran() - begun >= may_take {
                late.store(true, SeqCst);
                self.flags.cancel.store(true, SeqCst);
            }
            self.turns.give_way(|| self.wanted());
        });
        if late.into_inner() && report.stop == Stop::Interrupted {
            report.stop = Stop::OutOfTime;
        }
        report.stats.elapsed = self.turns.ran() - begun;
        let position = session.position();
        // A search begins a line at its position, unless boards must not be repeated: then nobody asks again.
        if !game.features().superko {
            Recorder::new(&self.facts, game, position.clone(), Vec::new()).report(
                session,
                &[],
                &report,
            );
        }
        Ok((position, report))
    }
}
