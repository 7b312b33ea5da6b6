//! `zermelo build`: endgame databases and strong solutions.

use crate::cli::BuildArgs;
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{bytes, grouped, rounded, time};
use crate::{End, machine, open, out};
use serde::Serialize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use zermelo_endgame::build::Step;
use zermelo_endgame::{Estimate, Failure, Progress, reachable};
use zermelo_game::{Bounds, Game, Sliced};
use zermelo_games::{SlicedVisitor, Visitor};
use zermelo_lab::run::cpu_time;

#[derive(Serialize)]
struct BuiltJson {
    game: String,
    files: usize,
    kept: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<u64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds: Option<f64>,
}

/// Builds what the arguments say, slice by slice or from the start.
pub fn run(args: &BuildArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let name = args.game.join(" ");
    let cancel = interrupt.flag();
    let job = || Job { args, cancel: &cancel };
    let wrong = |error| open::wrong_name(&name, &error);
    let end = match zermelo_games::open_sliced(&name, job()).map_err(wrong)? {
        Ok(end) => end,
        Err(job) => zermelo_games::open(&name, job).map_err(wrong)?,
    };
    match end {
        Err(error) if matches!(error.downcast_ref(), Some(Failure::Interrupted)) => {
            let dir = args.out.display();
            eprintln!(
                "interrupted: what is finished stays in {dir}, the same command goes on from there"
            );
            Ok(End::Unsolved)
        }
        end => end,
    }
}

struct Job<'a> {
    args: &'a BuildArgs,
    cancel: &'a AtomicBool,
}

impl Job<'_> {
    fn memory(&self) -> u64 {
        self.args.memory.unwrap_or_else(machine::default_memory)
    }

    /// Prints what a build would take.
    fn say_estimate(&self, name: String, estimate: &Estimate) -> anyhow::Result<End> {
        let Estimate { files: [files, kept], places, memory, disk, seconds } = *estimate;
        if self.args.json {
            out::print_json(&BuiltJson {
                game: name,
                files,
                kept: kept as u64,
                places: Some(places),
                positions: None,
                value: None,
                memory: Some(memory),
                disk: Some(disk),
                seconds,
                cpu_seconds: None,
            })?;
            return Ok(End::Done);
        }
        let mut text = format!("{}\n", out::bold(name));
        text += &out::field("files", &format!("{files} to be written, {kept} are there"));
        text += &out::field("places", &grouped(places));
        text +=
            &out::field("memory", &format!("{}, for the largest group of slices", bytes(memory)));
        text += &out::field("disk", &format!("about {}", bytes(disk)));
        let threads = self.args.threads;
        let took = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        text += &out::field("time", &format!("about {}, {threads} threads", time(took)));
        out::print(&text)?;
        Ok(End::Done)
    }
}

impl SlicedVisitor for Job<'_> {
    type Output = anyhow::Result<End>;

    fn visit<G: Sliced>(self, game: G) -> anyhow::Result<End> {
        let (args, live) = (self.args, Live::new());
        let show = |progress: &Progress| live.say(&line(progress));
        let config = zermelo_endgame::Config {
            pieces: args.pieces.unwrap_or(u32::MAX),
            distance: args.distance,
            threads: args.threads.into(),
            memory: self.memory(),
            cancel: Some(self.cancel),
            progress: Some(&show),
        };
        let estimate = zermelo_endgame::estimate(&game, &args.out, &config)?;
        if args.estimate {
            return self.say_estimate(game.name(), &estimate);
        }
        if let Some(free) = machine::free_disk(&args.out).filter(|free| *free < estimate.disk) {
            let (need, free) = (bytes(estimate.disk), bytes(free));
            let why = format!("the files take about {need}, the disk has {free} left");
            return Err(Failure::Refused(why).into());
        }
        let (cpu, since) = (cpu_time(), Instant::now());
        let built = zermelo_endgame::build(&game, &args.out, &config)?;
        let (cpu, wall) = (cpu_time().saturating_sub(cpu), since.elapsed());
        drop(live);
        if args.json {
            out::print_json(&BuiltJson {
                game: game.name(),
                files: built.written,
                kept: built.kept as u64,
                places: Some(built.places),
                positions: None,
                value: None,
                memory: None,
                disk: None,
                seconds: wall.as_secs_f64(),
                cpu_seconds: Some(cpu.as_secs_f64()),
            })?;
            return Ok(End::Done);
        }
        let mut text = format!("{}\n", out::bold(game.name()));
        let dir = args.out.display();
        let files = format!("{} written to {dir}, {} were there", built.written, built.kept);
        text += &out::field("files", &files);
        let speed = rounded(built.places as f64 / wall.as_secs_f64().max(1e-6));
        text += &out::field("places", &format!("{}, {speed}/s", grouped(built.places)));
        text += &out::field("time", &format!("{}, CPU {}", time(wall), time(cpu)));
        out::print(&text)?;
        Ok(End::Done)
    }
}

impl Visitor for Job<'_> {
    type Output = anyhow::Result<End>;

    fn visit<G: Game>(self, game: G) -> anyhow::Result<End> {
        let (args, live) = (self.args, Live::new());
        if args.estimate || args.pieces.is_some() {
            let what = if args.estimate { "--estimate" } else { "--pieces" };
            let why = "is for games that are built by pieces; this one is solved from its start";
            return Err(Usage(format!("{what} {why}")).into());
        }
        let show = |known: u64| live.say(&format!("{} positions", grouped(known)));
        let config = reachable::Config {
            distance: args.distance,
            memory: self.memory(),
            cancel: Some(self.cancel),
            progress: Some(&show),
        };
        let (cpu, since) = (cpu_time(), Instant::now());
        let header = reachable::build(&game, &args.out, &config)?;
        let (cpu, wall) = (cpu_time().saturating_sub(cpu), since.elapsed());
        drop(live);
        if args.json {
            out::print_json(&BuiltJson {
                game: game.name(),
                files: 1,
                kept: header.kept,
                places: None,
                positions: Some(header.positions),
                value: Some(header.value),
                memory: None,
                disk: None,
                seconds: wall.as_secs_f64(),
                cpu_seconds: Some(cpu.as_secs_f64()),
            })?;
            return Ok(End::Done);
        }
        let mut text = format!("{}\n", out::bold(game.name()));
        let (positions, kept) = (grouped(header.positions), grouped(header.kept));
        text += &out::field("positions", &format!("{positions}, of which {kept} are kept"));
        text += &out::field("value", &out::verdict(Bounds::exact(header.value), game.values()));
        text += &out::field("time", &format!("{}, CPU {}", time(wall), time(cpu)));
        out::print(&text)?;
        Ok(End::Done)
    }
}

/// The live line.
fn line(progress: &Progress) -> String {
    let Progress { slices, group: [n, all], step, done: [done, here], elapsed, .. } = progress;
    let percent = |done: u64, all: u64| 100.0 * done as f64 / all.max(1) as f64;
    let step = match step {
        Step::First => format!("first look {:.0} %", percent(*done, *here)),
        Step::Layer(n) => format!("layer {n}"),
        Step::Write => "writing".to_owned(),
    };
    let mut out = format!("{}  group {n} of {all}, {}: {step}", time(*elapsed), slices.join(" "));
    if let Some(left) = progress.left {
        out += &format!(
            "  {:.0} % done, about {} left",
            percent(progress.places[0], progress.places[1]),
            time(left)
        );
    }
    out
}
