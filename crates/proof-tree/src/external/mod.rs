//! Provers that are programs of their own: jobs go to their standard input and outcomes come from their standard
//! output, one JSON object a line (`docs/prover.md`).
//!
//! Such a program may do anything: die, be silent, write without end, talk nonsense, lie. Whatever it does costs its job
//! one try, and it is started anew; `process.rs` holds what it may cost us in memory and on the terminal. What it claims is
//! a fact under a name that we give.

mod process;

use crate::ProofTreeFailure;
use crate::job::{Job, JobOutcome};
use crate::prover::{Maker, Prover};
use crate::source::Giver;
pub use process::{LINE, Voice};
use process::{OutputLine, Running, Sent};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use zermelo_game::outside::printable;

/// How late an answer may be, unless somebody says otherwise.
pub const GRACE: Duration = Duration::from_secs(10);
/// An answer may take so many times the time of its job, besides.
const PATIENCE: u32 = 4;
/// How often a job that runs looks up.
const LOOK: Duration = Duration::from_millis(50);
/// So much of a line is shown.
const SHOWN: usize = 200;

/// A program that proves.
pub struct External {
    kind: Arc<Program>,
    running: Option<Running>,
}

/// How it is started.
struct Program {
    command: Vec<String>,
    grace: Duration,
    voice: Voice,
    /// The first one, which was started to see whether that is possible.
    first: Mutex<Option<Running>>,
}

impl External {
    fn new(kind: Arc<Program>) -> External {
        External { kind, running: None }
    }

    fn answer(&mut self, job: &Job, cancel: &AtomicBool) -> Result<JobOutcome, String> {
        let Program { command, grace, voice, first } = &*self.kind;
        let name = &command[0];
        let running = match self.running.take() {
            Some(running) => running,
            None => match first.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(running) => running,
                None => Running::start(command, voice)?,
            },
        };
        let line = serde_json::to_string(job).map_err(|e| e.to_string())? + "\n";
        match running.send(line) {
            Sent::Yes => {}
            Sent::Busy => return Err(format!("{name} does not read its jobs")),
            Sent::Ended => return Err(format!("{name} {}", running.end())),
        }
        let limit = job.millis.map(|ms| Duration::from_millis(ms) * PATIENCE + *grace);
        let start = Instant::now();
        let said = loop {
            match running.lines.recv_timeout(LOOK) {
                Ok(OutputLine::Text(line)) => break line,
                Ok(OutputLine::Bad(why)) => return Err(format!("{name}: {why}")),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{name} {}", running.end()));
                }
                Err(RecvTimeoutError::Timeout) if cancel.load(Relaxed) => {
                    return Err("interrupted".into());
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(limit) = limit.filter(|limit| start.elapsed() > *limit) {
                        return Err(format!("{name} has not answered for {limit:.1?}"));
                    }
                }
            }
        };
        let outcome: JobOutcome = serde_json::from_str(&said).map_err(|e| {
            let end = said.char_indices().nth(SHOWN).map_or(said.len(), |(at, _)| at);
            let dots = if end < said.len() { "..." } else { "" };
            let said = printable(&said[..end]);
            format!("{name} answers '{said}{dots}', which is no outcome: {e}")
        })?;
        if outcome.id != job.id {
            return Err(format!("{name} answers job {}, not {}", outcome.id, job.id));
        }
        self.running = Some(running);
        Ok(outcome)
    }
}

impl Prover for External {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> JobOutcome {
        // After a failure the program is gone, whatever it was in the middle of: the next job begins afresh.
        self.answer(job, cancel).unwrap_or_else(|error| JobOutcome::failed(job, error))
    }
}

/// A maker of such provers. The first is started at once; a program that cannot be started is an error. `grace` is how late
/// an answer may be, `voice` what becomes of what it writes to standard error.
pub fn external(
    command: Vec<String>,
    grace: Duration,
    voice: Voice,
) -> Result<Maker, ProofTreeFailure> {
    let first = Running::start(&command, &voice).map_err(ProofTreeFailure::Refused)?;
    let giver = Giver::program(&command);
    let kind = Arc::new(Program { command, grace, voice, first: Mutex::new(Some(first)) });
    Ok(Maker::outsiders(giver, move |use_it| use_it(&mut External::new(kind.clone()))))
}
