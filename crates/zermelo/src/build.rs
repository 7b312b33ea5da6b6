//! `zermelo build`: endgame databases and strong solutions.

use crate::cli::{EXIT_CODES, Means};
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{bytes, grouped, rounded, time};
use crate::work::{self, FarmArgs};
use crate::{End, machine, open, out};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use zermelo_any::{Building, Built, Order, Unopened, What};
use zermelo_endgame::build::Step;
use zermelo_endgame::{Estimate, Failure, Progress};
use zermelo_game::Bounds;
use zermelo_lab::run::cpu_time;

/// `zermelo build`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Games with endgames (checkers, chess, kalah, awari, morris) are built slice by slice, by pieces: one file for each
slice, and all moves backwards from the end. Any other game is solved from the start, with all positions that can be
reached, in one file. A run may be ended at any moment, even by kill -9: the same command goes on where it was.

Slices that do not fit into --memory are worked out in pieces on disk, if the game can take moves back and has no scores.
Values are wins, draws and losses, or scores. With --distance also in how many plies the game ends.

With --farm the slices are worked out by others (zermelo work), as many at a time as do not rest on each other, and come
back as files with their digests; the folder is the same to the byte. See docs/prove.md.

Examples:
  zermelo build checkers 8x8 --pieces 5 --estimate --out db     what would it take?
  zermelo build checkers 8x8 --pieces 4 --out db --threads 2
  zermelo build chess KRK --distance --out krk
  zermelo build connect4 4x5 --out connect4                     a strong solution
  zermelo build checkers 8x8 --pieces 6 --out db --farm nats://127.0.0.1:4222

With --json, one object on one line: game, files, kept (files that were there), places, seconds, cpu_seconds, and with
--estimate memory, disk and scratch (bytes) and seconds alone, judged by a sample. For a whole game: positions, kept (one for all its
images), value.

{EXIT_CODES}"))]
pub struct BuildArgs {
    /// The game and its parameters, without quotes: checkers 8x8 (see `zermelo games`)
    #[arg(required = true, value_name = "GAME")]
    pub game: Vec<String>,

    /// The folder for the files; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Positions with at most so many pieces (men, seeds) [default: as many as the game has]
    #[arg(long, value_name = "N")]
    pub pieces: Option<u32>,

    /// Keep the plies to the end of the game, too: larger files
    #[arg(long)]
    pub distance: bool,

    /// Say what it would take, and do nothing
    #[arg(long)]
    pub estimate: bool,

    /// Threads and memory.
    #[command(flatten)]
    pub means: Means,

    /// Let workers elsewhere build (`zermelo work`): nats://host:port/name, tls://user:password@host/name
    #[arg(long, value_name = "URL", conflicts_with_all = ["threads", "memory", "estimate"])]
    pub farm: Option<String>,

    /// What opens the farm's gate.
    #[command(flatten)]
    pub gate: FarmArgs,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize, Default)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    scratch: Option<u64>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds: Option<f64>,
}

/// Builds what the arguments say, slice by slice or from the start.
pub fn run(args: &BuildArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let name = args.game.join(" ");
    let live = Live::new();
    let show = |building: Building| match building {
        Building::Slices(progress) => live.say(&line(progress)),
        Building::Whole(known) => live.say(&format!("{} positions", grouped(known))),
    };
    let order = Order {
        pieces: args.pieces,
        distance: args.distance,
        threads: args.means.threads.into(),
        memory: args.means.memory(),
        cancel: &cancel,
        progress: &show,
    };
    let unopened = |error| -> anyhow::Error {
        match error {
            Unopened::Name(error) => open::wrong_name(&name, &error).into(),
            Unopened::Database(failure) => failure.into(),
        }
    };
    match zermelo_any::estimate(&name, &args.out, &order).map_err(unopened)? {
        Some((name, estimate)) if args.estimate => return say_estimate(name, args, &estimate),
        Some((_, estimate)) => refuse_full_disk(args, &estimate)?,
        None if args.estimate || args.pieces.is_some() => {
            let what = if args.estimate { "--estimate" } else { "--pieces" };
            let why = "is for games that are built by pieces; this one is solved from its start";
            return Err(Usage(format!("{what} {why}")).into());
        }
        None => {}
    }
    let (cpu, since) = (cpu_time(), Instant::now());
    let built = match &args.farm {
        Some(farm) => work::build(farm, &args.gate, &name, &args.out, &order, &live),
        None => zermelo_any::build(&name, &args.out, &order).map_err(anyhow::Error::from),
    };
    let (cpu, wall) = (cpu_time().saturating_sub(cpu), since.elapsed());
    drop(live);
    let error = match built {
        Ok(built) => return say_built(args, built, wall, cpu),
        Err(error) => error.downcast::<Unopened>(),
    };
    match error {
        Ok(Unopened::Database(Failure::Interrupted)) => {
            let dir = args.out.display();
            eprintln!(
                "interrupted: what is finished stays in {dir}, the same command goes on from there"
            );
            Ok(End::Unsolved)
        }
        Ok(error) => Err(unopened(error)),
        Err(error) => Err(error),
    }
}

fn refuse_full_disk(args: &BuildArgs, estimate: &Estimate) -> Result<(), Failure> {
    match machine::free_disk(&args.out) {
        Some(free) if free < estimate.disk.saturating_add(estimate.scratch) => {
            let (need, free) = (bytes(estimate.disk), bytes(free));
            let more = match estimate.scratch {
                0 => String::new(),
                some => format!(" and {} on the way, as the memory allowed is small", bytes(some)),
            };
            let why = format!("the files take about {need}{more}, the disk has {free} left");
            Err(Failure::Refused(why))
        }
        _ => Ok(()),
    }
}

/// Prints what a build would take.
fn say_estimate(name: String, args: &BuildArgs, estimate: &Estimate) -> anyhow::Result<End> {
    let Estimate { files: [files, kept], places, memory, disk, scratch, seconds } = *estimate;
    if args.json {
        out::print_json(&BuiltJson {
            game: name,
            files,
            kept: kept as u64,
            places: Some(places),
            memory: Some(memory),
            disk: Some(disk),
            scratch: Some(scratch),
            seconds,
            ..Default::default()
        })?;
        return Ok(End::Done);
    }
    let mut text = format!("{}\n", out::bold(name));
    text += &out::field("files", &format!("{files} to be written, {kept} are there"));
    text += &out::field("places", &grouped(places));
    text += &out::field("memory", &format!("{}, for the largest group of slices", bytes(memory)));
    text += &out::field("disk", &format!("about {}", bytes(disk)));
    if scratch > 0 {
        let limit = bytes(args.means.memory());
        text += &out::field(
            "",
            &format!("and about {} on the way, to do with {limit} of memory", bytes(scratch)),
        );
    }
    let took = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    text += &out::field("time", &format!("about {}, {} threads", time(took), args.means.threads));
    out::print(&text)?;
    Ok(End::Done)
}

/// Prints what was made.
fn say_built(args: &BuildArgs, built: Built, wall: Duration, cpu: Duration) -> anyhow::Result<End> {
    let (seconds, cpu_seconds) = (wall.as_secs_f64(), Some(cpu.as_secs_f64()));
    let mut text = format!("{}\n", out::bold(&built.game));
    let json = match built.what {
        What::Slices(made) => {
            let dir = args.out.display();
            let files = format!("{} written to {dir}, {} were there", made.written, made.kept);
            text += &out::field("files", &files);
            let speed = rounded(made.places as f64 / seconds.max(1e-6));
            text += &out::field("places", &format!("{}, {speed}/s", grouped(made.places)));
            BuiltJson {
                files: made.written,
                kept: made.kept as u64,
                places: Some(made.places),
                ..Default::default()
            }
        }
        What::Whole(header) => {
            let (positions, kept) = (grouped(header.positions), grouped(header.kept));
            text += &out::field("positions", &format!("{positions}, of which {kept} are kept"));
            let verdict = out::verdict(Bounds::exact(header.value), built.values);
            text += &out::field("value", &verdict);
            BuiltJson {
                files: 1,
                kept: header.kept,
                positions: Some(header.positions),
                value: Some(header.value),
                ..Default::default()
            }
        }
    };
    if args.json {
        out::print_json(&BuiltJson { game: built.game, seconds, cpu_seconds, ..json })?;
        return Ok(End::Done);
    }
    text += &out::field("time", &format!("{}, CPU {}", time(wall), time(cpu)));
    out::print(&text)?;
    Ok(End::Done)
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
