//! `zermelo solve --batch`: many positions of a game, a line of JSON for each.
//!
//! ```text
//! lines (a thread reads) -> window -> workers, each with a series of its own -> the first thread writes, in order
//! ```
//!
//! Each position is solved by one thread, which keeps its tables for the next one ([`Series`]), and has a stack that is
//! deep enough for all searches, so that none needs a thread of its own. `lines` reads, `results` writes and goes on,
//! `window` bounds what is held in between.

mod lines;
mod results;
mod window;

use crate::cli::SolveArgs;
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::solve::{self, Run};
use crate::units::{grouped, rounded, time};
use crate::{End, distance, out};
use anyhow::Context;
use clap::Args;
use console::Term;
use lines::{Line, LineError, Lines};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use results::{Outcome, Results, Same, Tally};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use window::Window;
use zermelo_erased::{
    AnyGame, Catalogue, EngineConfig, MoveValues, Series, SharedTables, with_room,
};
use zermelo_game::{Limits, Stop, outside};
use zermelo_lab::run::cpu_time;

/// How often the live line changes, and how often those who wait look for a signal.
const LOOK: Duration = Duration::from_millis(100);
/// Several threads share their tables once they have searched so many nodes. Tables that are shared have their full size from the
/// start: to clear them takes a second for each gigabyte, which short searches are better off without.
const SHARE_FROM: u64 = 20_000_000;

/// `zermelo solve --batch`
#[derive(Args, Debug)]
#[command(next_help_heading = "Many positions")]
pub struct BatchArgs {
    /// Solve the positions of a file, one on each line, and print a line of JSON for each; - for standard input
    #[arg(long = "batch", value_name = "FILE")]
    #[arg(conflicts_with_all = ["position", "moves", "proof", "svg"])]
    pub file: Option<PathBuf>,

    /// With --batch: write the results into this file, which is not there yet
    #[arg(long, value_name = "FILE", requires = "file")]
    pub out: Option<PathBuf>,

    /// With --out: go on with a file of results that was cut short
    #[arg(long, requires = "out")]
    pub resume: bool,

    /// With --batch: forget all between two positions, so that each is solved as if it were alone
    #[arg(long, requires = "file")]
    pub cold: bool,
}

/// What help says of it.
pub const HELP: &str = r##"With --batch, each line is a position, if it can be read as one, else moves from the start;
"moves: d d d" says that it is moves, and {"position": "...", "moves": "..."} names one or both.
Empty lines and lines that begin with # are left out. For every other line there is a line of
JSON, in the same order and written at once, with the fields of --json and before them input_line
(its number) and input (what it says). A line that cannot be read has error in their place
(message, what, column, expected), and the next one is solved.

--time and --nodes hold for each position. --threads is how many positions are solved at the same
time, each by one thread; --memory is for all of them. What was searched before stays in the
tables: it changes nodes, and which of several good moves is named, but no value; --cold is
without. With --out FILE --resume the complete lines of FILE stay, if they answer the same input,
and the rest is solved. Ctrl-C writes what is finished, with stop "interrupted" where a search was
cut short. Exit code 1 if lines could not be read, else 3 if positions stay open."##;

/// Solves the positions of a file.
pub fn run(catalogue: &Catalogue, args: &SolveArgs, file: &Path) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let search = &args.search;
    let game = search.open(catalogue, &args.start)?;
    let engine = search.engine_with(None)?;
    let threads = search.threads.map_or(engine.threads(), usize::from);
    let engine = engine.with_if_any("threads", 1);
    game.accepts(&engine).map_err(Usage)?;
    let limits = search.limits(args.time, &interrupt);
    // Half of it is for tables that are shared later.
    let parts = if threads > 1 { 2 * threads as u64 } else { 1 };
    let limits = Limits { memory: limits.memory / parts, ..limits };

    let mut lines = Lines::open(file)?;
    if args.distance {
        distance::refuse_without(&*game)?;
    }
    let same = Same { game: game.name(), values: args.values, distance: args.distance };
    let (results, kept) = match &args.batch.out {
        None => (Results::Stdout, Tally::default()),
        Some(out) if args.batch.resume => Results::resume(out, &same, &mut lines)?,
        Some(out) => (Results::create(out)?, Tally::default()),
    };
    let batch = Batch {
        game: &*game,
        name: same.game,
        engine,
        limits,
        values: args.values,
        distance: args.distance,
        cold: args.batch.cold,
        threads,
        share_from: SHARE_FROM,
        searched: 0.into(),
        shared: OnceLock::new(),
        interrupt: &interrupt,
    };
    // A live line among the results would spoil both.
    let silent = args.batch.out.is_none() && Term::stdout().is_term();
    let mut writer = Writer::new(results, kept, !silent);
    let (cpu, unread) = (cpu_time(), Arc::default());
    batch.solve(lines, &unread, &mut writer)?;
    let tally = writer.close(cpu_time().saturating_sub(cpu), args.batch.out.is_some())?;
    solve::refuse_damage(&*game)?;
    let unread = unread.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(error) = unread {
        let file = if out::is_stdout(file) { "standard input".into() } else { outside::path(file) };
        return Err(error).with_context(|| format!("cannot read {file}"));
    }
    if interrupt.came() && tally.interrupted > 0 {
        return Ok(End::Unsolved);
    }
    match tally.bad {
        0 if tally.open == 0 => Ok(End::Done),
        0 => Ok(End::Unsolved),
        1 => anyhow::bail!("one line has no answer, see its error"),
        bad => anyhow::bail!("{} lines have no answer, see their errors", grouped(bad)),
    }
}

/// A line that waits to be solved.
struct Job {
    /// The number of its result.
    number: u64,
    line: Line,
    /// What the window has it down for.
    bytes: usize,
}

/// A result that waits to be written.
struct Answer {
    number: u64,
    json: String,
    outcome: Outcome,
    nodes: u64,
    bytes: usize,
}

/// What all workers do alike.
struct Batch<'b> {
    game: &'b dyn AnyGame,
    name: String,
    engine: EngineConfig,
    limits: Limits,
    values: bool,
    distance: bool,
    cold: bool,
    threads: usize,
    /// After how many nodes threads share their tables.
    share_from: u64,
    /// How many there were.
    searched: AtomicU64,
    shared: OnceLock<Option<SharedTables>>,
    interrupt: &'b Interrupt,
}

impl<'b> Batch<'b> {
    /// Solves what is left of the lines. Where they cannot be read to the end, `unread` says why.
    fn solve(
        &self,
        lines: Lines,
        unread: &Arc<Mutex<Option<io::Error>>>,
        writer: &mut Writer,
    ) -> anyhow::Result<()> {
        let window = Arc::new(Window::default());
        let (to_workers, jobs) = mpsc::channel();
        let (to_writer, answers) = mpsc::channel();
        // Nobody waits for this one: reading may take for ever.
        let reader = (window.clone(), unread.clone());
        thread::spawn(move || read(lines, &reader.0, &to_workers, &reader.1));
        let jobs = Mutex::new(jobs);
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let (jobs, to_writer) = (&jobs, to_writer.clone());
                scope.spawn(move || with_room(move || self.work(jobs, &to_writer)));
            }
            drop(to_writer);
            let written = writer.write_all(&answers, &window);
            if written.is_err() {
                // Nobody wants the rest.
                self.interrupt.flag().store(true, Relaxed);
            }
            written
        })
    }

    /// Solves one position after the other, until there are no more or a signal comes.
    fn work(&self, jobs: &Mutex<Receiver<Job>>, to_writer: &Sender<Answer>) {
        let series = || if self.cold { Series::cold(self.game) } else { Series::new(self.game) };
        let (mut mine, mut alone) = (series(), self.threads > 1 && !self.cold);
        loop {
            let next = {
                let jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
                if self.interrupt.came() {
                    return;
                }
                jobs.recv_timeout(LOOK)
            };
            let Job { number, line, bytes } = match next {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if alone && self.searched.load(Relaxed) >= self.share_from {
                alone = false;
                let Limits { memory, .. } = self.limits;
                let make = || self.game.shared_tables(&self.engine, memory, self.threads);
                self.shared.get_or_init(make).iter().for_each(|tables| mine.share(tables.clone()));
            }
            let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&mut mine, &line)));
            let (json, outcome, nodes) = answer.unwrap_or_else(|_| {
                // Nothing that it has in its tables counts.
                (mine, alone) = (series(), false);
                self.bad(&line, &LineError::new("solver", "the solver failed: a fault of ours"))
            });
            self.searched.fetch_add(nodes, Relaxed);
            if to_writer.send(Answer { number, json, outcome, nodes, bytes }).is_err() {
                return;
            }
        }
    }

    /// The answer to a line: its JSON, how it ended, and what it took.
    fn answer(&self, series: &mut Series<'b>, line: &Line) -> (String, Outcome, u64) {
        let place = match &line.text {
            Ok(text) => lines::place(self.game, text),
            Err(error) => Err(error.clone()),
        };
        let place = match place {
            Ok(place) => place,
            Err(error) => return self.bad(line, &error),
        };
        let session = series.at(place);
        let (cpu, clock) = (thread_time(), Instant::now());
        let found = match self.values {
            true => session.solve_moves(&self.engine, &self.limits, &|_| {}),
            false => Ok(MoveValues {
                report: session.solve(&self.engine, &self.limits, &|_| {}),
                moves: Vec::new(),
            }),
        };
        let mut found = match found {
            Ok(found) => found,
            Err(error) => return self.bad(line, &LineError::new("solver", error.to_string())),
        };
        let distance = match self.distance {
            true => distance::measure(session, &mut found, &self.engine, &self.limits, &|_, _| {}),
            false => None,
        };
        let line_end = session.complete_line(&mut found.report, &self.limits);
        let stop = distance.as_ref().map_or(found.report.stop, |answer| answer.stop);
        let outcome = match stop {
            Stop::Solved => Outcome::Solved,
            Stop::Interrupted => Outcome::Interrupted,
            _ => Outcome::Open,
        };
        let run = Run {
            game: self.name.clone(),
            all: self.game.values(),
            engine: self.engine.clone(),
            limits: self.limits.clone(),
            elapsed: clock.elapsed(),
            cpu: thread_time().saturating_sub(cpu),
            report: found.report,
            measured: self.distance,
            distance,
            line_end,
            proof: None,
            no_proof: None,
            values: self.values.then_some(found.moves),
        };
        let input = line.input().unwrap_or_default();
        let solved = Solved { input_line: line.number, input, found: run.json(session) };
        (json(&solved), outcome, run.report.stats.nodes)
    }

    fn bad(&self, line: &Line, error: &LineError) -> (String, Outcome, u64) {
        let bad = Bad { input_line: line.number, input: line.input(), error };
        (json(&bad), Outcome::Bad, 0)
    }
}

#[derive(Serialize)]
struct Solved<'a, T> {
    input_line: u64,
    input: &'a str,
    #[serde(flatten)]
    found: T,
}

#[derive(Serialize)]
struct Bad<'a> {
    input_line: u64,
    input: Option<&'a str>,
    error: &'a LineError,
}

/// A value on a line.
fn json(value: &impl Serialize) -> String {
    outside::json(serde_json::to_string(value).expect("names are text")) + "\n"
}

/// User CPU time of this thread so far.
fn thread_time() -> Duration {
    match getrusage(UsageWho::RUSAGE_THREAD) {
        Ok(usage) => Duration::from_micros(usage.user_time().num_microseconds().unsigned_abs()),
        Err(_) => Duration::ZERO,
    }
}

/// Reads all lines and hands them on.
fn read(
    mut lines: Lines,
    window: &Window,
    to_workers: &Sender<Job>,
    unread: &Mutex<Option<io::Error>>,
) {
    for number in 0.. {
        let line = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => {
                *unread.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                return;
            }
        };
        let bytes = line.input().map_or(0, str::len);
        window.enter(bytes);
        if to_workers.send(Job { number, line, bytes }).is_err() {
            return;
        }
    }
}

/// Writes results in the order of the input.
struct Writer {
    results: Results,
    /// Those that were there already.
    kept: u64,
    tally: Tally,
    nodes: u64,
    /// The number of the next one to be written, and those that must wait for it.
    next: u64,
    waiting: BTreeMap<u64, Answer>,
    live: Option<Live>,
    begun: Instant,
    shown: Instant,
}

impl Writer {
    fn new(results: Results, tally: Tally, live: bool) -> Writer {
        let now = Instant::now();
        Writer {
            results,
            kept: tally.all(),
            tally,
            nodes: 0,
            next: 0,
            waiting: BTreeMap::new(),
            live: live.then(Live::new),
            begun: now,
            shown: now,
        }
    }

    /// Writes all that comes, as soon as its turn has come.
    fn write_all(&mut self, answers: &Receiver<Answer>, window: &Window) -> anyhow::Result<()> {
        loop {
            match answers.recv_timeout(LOOK) {
                Ok(answer) => {
                    // Whatever is there already goes with it.
                    for answer in std::iter::once(answer).chain(answers.try_iter()) {
                        self.waiting.insert(answer.number, answer);
                    }
                    self.write(window)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.shown.elapsed() >= LOOK {
                self.shown = Instant::now();
                if let Some(live) = &self.live {
                    live.say(&format!("solving {}", self.words()));
                }
            }
        }
    }

    fn write(&mut self, window: &Window) -> anyhow::Result<()> {
        let mut text = String::new();
        let mut held = Vec::new();
        while let Some(answer) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.nodes += answer.nodes;
            self.tally.add(answer.outcome);
            text += &answer.json;
            held.push(answer.bytes);
        }
        if !text.is_empty() {
            self.results.write(&text)?;
        }
        held.into_iter().for_each(|bytes| window.leave(bytes));
        Ok(())
    }

    /// How far it is.
    fn words(&self) -> String {
        let Tally { open, bad, interrupted, .. } = self.tally;
        let here = self.tally.all() - self.kept;
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        let mut words = match self.tally.all() {
            1 => "1 position".into(),
            all => format!("{} positions", grouped(all)),
        };
        words +=
            &format!(" in {} ({}/s)", time(self.begun.elapsed()), rounded(here as f64 / seconds));
        for (count, what) in [
            (self.kept, "from before"),
            (open, "open"),
            (interrupted, "interrupted"),
            (bad, "without answer"),
        ] {
            if count > 0 {
                words += &format!(", {} {what}", grouped(count));
            }
        }
        words + &format!(", {} nodes", rounded(self.nodes as f64))
    }

    /// Says what it came to, where somebody may see it and nothing else says so.
    fn close(mut self, cpu: Duration, into_file: bool) -> anyhow::Result<Tally> {
        self.live = None;
        if into_file || Term::stderr().is_term() {
            out::note(&format!("{}, CPU {}", self.words(), time(cpu)));
        }
        self.results.close()?;
        Ok(self.tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it says of all positions after two moves of Connect Four, and how many nodes it took.
    fn solved(threads: usize, share_from: u64) -> (Vec<serde_json::Value>, u64) {
        let game = Catalogue::standard().open("connect4 4x5").unwrap();
        let columns = ["a", "b", "c", "d", "e"];
        let text: String =
            columns.iter().flat_map(|a| columns.map(|b| format!("{a} {b}\n"))).collect();
        let file = std::env::temp_dir()
            .join(format!("zermelo-batch-{}-{threads}-{share_from}", std::process::id()));
        let interrupt = Interrupt::listen().unwrap();
        let batch = Batch {
            game: &*game,
            name: game.name(),
            engine: EngineConfig::default(),
            limits: Limits { memory: 16 << 20, ..Limits::default() },
            values: false,
            distance: false,
            cold: false,
            threads,
            share_from,
            searched: 0.into(),
            shared: OnceLock::new(),
            interrupt: &interrupt,
        };
        let results = Results::create(&file).unwrap();
        let mut writer = Writer::new(results, Tally::default(), false);
        batch.solve(Lines::of(io::Cursor::new(text)), &Arc::default(), &mut writer).unwrap();
        let nodes = writer.nodes;
        assert_eq!(batch.shared.get().is_some(), share_from == 0 && threads > 1);
        assert_eq!(writer.close(Duration::ZERO, false).unwrap().solved, 25);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let value = |line: &str| {
            let found: serde_json::Value = serde_json::from_str(line).unwrap();
            ["input_line", "input", "position", "lo", "hi"]
                .iter()
                .map(|n| found[*n].clone())
                .collect()
        };
        (text.lines().map(value).collect(), nodes)
    }

    #[test]
    fn threads_that_share_tables_say_the_same() {
        let (values, nodes) = solved(1, 0);
        assert_eq!(values.len(), 25);
        for (threads, share_from) in [(3, u64::MAX), (3, 0)] {
            let found = solved(threads, share_from);
            assert_eq!(found.0, values);
            assert!(found.1 > 0 && nodes > 0);
        }
    }
}
