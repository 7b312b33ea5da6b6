//! Provers that are programs of their own: jobs go to their standard input and outcomes come from their standard
//! output, one JSON object a line (`docs/prover.md`). What they write to standard error is shown as it is.
//!
//! A program that dies, hangs or talks nonsense costs its job one try and is started anew; what it claims is a fact like
//! any other, so it is worth an audit.

use crate::job::{Job, Outcome};
use crate::prover::{Maker, Prover};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long an answer may be late.
const GRACE: Duration = Duration::from_secs(30);
/// How often a job that runs looks up.
const LOOK: Duration = Duration::from_millis(50);

/// A program that proves.
pub struct External {
    command: Vec<String>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(command: &[String]) -> Result<Running, String> {
        let (program, args) = command.split_first().ok_or("no program was named")?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot start {program}: {e}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{program} has no input or output"));
        };
        let (send, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.take_while(|line| send.send(line.clone()).is_ok()).for_each(drop);
        });
        Ok(Running { child, input, lines })
    }
}

impl External {
    /// A program with its arguments. It is started for the first job.
    #[must_use]
    pub fn new(command: Vec<String>) -> External {
        External { command, running: None }
    }

    fn answer(&mut self, job: &Job, cancel: &AtomicBool) -> Result<Outcome, String> {
        if self.running.is_none() {
            self.running = Some(Running::start(&self.command)?);
        }
        let Some(running) = &mut self.running else { return Err("not running".into()) };
        let line = serde_json::to_string(job).map_err(|e| e.to_string())? + "\n";
        let sent = running.input.write_all(line.as_bytes()).and_then(|()| running.input.flush());
        sent.map_err(|e| format!("{} does not listen: {e}", self.command[0]))?;
        let limit = job.millis.map(|ms| Duration::from_millis(ms) * 4 + GRACE);
        let start = Instant::now();
        let said = loop {
            match running.lines.recv_timeout(LOOK) {
                Ok(line) => break line,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{} has ended", self.command[0]));
                }
                Err(RecvTimeoutError::Timeout) if cancel.load(Relaxed) => {
                    return Err("interrupted".into());
                }
                Err(RecvTimeoutError::Timeout)
                    if limit.is_some_and(|limit| start.elapsed() > limit) =>
                {
                    return Err(format!("{} does not answer", self.command[0]));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        let outcome: Outcome = serde_json::from_str(&said).map_err(|e| {
            format!("{} answers '{said}', which is no outcome: {e}", self.command[0])
        })?;
        match outcome.id == job.id {
            true => Ok(outcome),
            false => Err(format!("{} answers job {}, not {}", self.command[0], outcome.id, job.id)),
        }
    }
}

impl Prover for External {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> Outcome {
        self.answer(job, cancel).unwrap_or_else(|error| {
            // Whatever it was in the middle of, the next job begins afresh.
            self.running = None;
            Outcome::failed(job, error)
        })
    }
}

/// A maker of such provers.
#[must_use]
pub fn external(command: Vec<String>) -> Maker {
    Arc::new(move |use_it| use_it(&mut External::new(command.clone())))
}
