//! `zermelo build`: endgame databases and strong solutions.

use crate::cli::{EXIT_CODES, ResourceArgs};
use crate::estimate::{self, ForecastJson};
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
use zermelo_endgame::build::BuildStep;
use zermelo_endgame::{BuildProgress, DatabaseFailure, DistanceChoice, DistanceReason, Estimate};
use zermelo_erased::{BuildOrder, Building, BuiltDatabase, BuiltGame, Catalogue};
use zermelo_game::{Bounds, counted};
use zermelo_lab::run::cpu_time;

/// `zermelo build`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Games whose positions are numbered (such as checkers, chess, awari) are built slice by slice, by pieces: one file for each
slice, and all moves backwards from the end. Any other game is solved from the start, with all positions that can be
reached, in one file. A run may be ended at any moment, even by kill -9: the same command goes on where it was.
The last thing written is manifest.jsonl, the list of all files with their digests: with it, a file that is missing is noticed.
Where an older database is complete, the command checks its checksums and adds the manifest.

Slices that do not fit into --memory are worked out in pieces on disk, if the game can take moves back and has no scores.
Values are wins, draws and losses, or scores. Wins and losses are kept with their distance, the plies to the end of the game
when the winner plays for speed and the loser resists, where that takes at most four times the bytes: in all that can be
reached of a small game, in morris and small checkers, not in chess and large checkers, where --distance asks for it
(docs/databases.md has the figures). Games with scores have no distances. A folder that holds a database is gone on with as
it was begun.

With --farm the slices are worked out by others (zermelo work), as many at a time as do not rest on each other, and come
back as files with their digests; the folder is the same to the byte. See docs/prove.md.

Examples:
  zermelo build checkers 8x8 --pieces 5 --estimate              what would it take?
  zermelo build checkers 8x8 --pieces 4 --out db --threads 2
  zermelo build chess KRK --distance --out krk
  zermelo build connect4 4x5 --out connect4                     a strong solution
  zermelo build connect4 5x6 --estimate                         would it fit?
  zermelo build checkers 8x8 --pieces 6 --out db --farm nats://127.0.0.1:4222

With --json, one object on one line: game, files, kept (files that were there), places, distance (whether distances are
kept), seconds, cpu_seconds. For a whole game: positions, kept (one for all its images), value. With --estimate positions,
memory, disk and scratch (bytes), disk_plain and disk_distance (bytes without distances and with them, or null), basis (trial,
partial trial, sample or most keys: docs/databases.md), positions_within and disk_within (as many times more or less; null
where the figure is a bound) and seconds.

{EXIT_CODES}"))]
pub struct BuildArgs {
    /// The game and its parameters, without quotes: checkers 8x8 (see `zermelo games`)
    #[arg(required = true, value_name = "GAME")]
    pub game: Vec<String>,

    /// The folder for the files; made if it is not there. An estimate needs none
    #[arg(long, value_name = "DIR", required_unless_present = "estimate")]
    pub out: Option<PathBuf>,

    /// Positions with at most so many pieces (men, seeds) [default: as many as the game has]
    #[arg(long, value_name = "N")]
    pub pieces: Option<u32>,

    /// Keep distances, the plies to the end of the game, also where they make files much larger
    #[arg(long)]
    pub distance: bool,

    /// Keep no distances
    #[arg(long, conflicts_with = "distance")]
    pub plain: bool,

    /// Say what it would take, and do nothing
    #[arg(long)]
    pub estimate: bool,

    /// Threads and memory.
    #[command(flatten)]
    pub resources: ResourceArgs,

    /// Let workers elsewhere build (`zermelo work`): nats://host:port/name, tls://user:password@host/name
    #[arg(long, value_name = "URL", conflicts_with_all = ["threads", "memory", "estimate"])]
    pub farm: Option<String>,

    /// How to log in to the farm.
    #[command(flatten)]
    pub access: FarmArgs,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// What is said with `--json`.
#[derive(Serialize, Default)]
pub(crate) struct BuiltJson {
    pub game: String,
    pub files: usize,
    pub kept: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i16>,
    pub distance: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch: Option<u64>,
    #[serde(flatten)]
    pub forecast: Option<ForecastJson>,
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
}

impl BuildArgs {
    /// The folder for the files. An estimate without one is of a build from nothing, so no files may be there.
    fn folder(&self) -> PathBuf {
        let none = || std::env::temp_dir().join(format!("zermelo-nothing-{}", std::process::id()));
        self.out.clone().unwrap_or_else(none)
    }
}

/// Builds what the arguments say, slice by slice or from the start.
pub fn run(catalogue: &Catalogue, args: &BuildArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let game = open::game(catalogue, &args.game)?;
    let folder = args.folder();
    let live = Live::new();
    let show = |building: Building| match building {
        Building::Slices(progress) => live.say(&line(progress)),
        Building::Whole(known) => live.say(&counted(known, "position")),
    };
    let choice = match (args.distance, args.plain) {
        (false, false) => Some(game.default_distance(&folder, args.pieces)),
        _ => None,
    };
    let distance = choice.map_or(args.distance, |choice| choice.keep);
    let order = BuildOrder {
        pieces: args.pieces,
        distance,
        threads: args.resources.threads.into(),
        memory: args.resources.memory(),
        cancel: &cancel,
        progress: &show,
    };
    match game.estimate(&folder, &order)? {
        None if args.pieces.is_some() => {
            let why = "is for games that are built by pieces; this one is solved from its start";
            return Err(Usage(format!("--pieces {why}")).into());
        }
        _ if args.estimate => {
            live.say("building a small part on trial");
            let forecast = game.forecast(&folder, &order)?;
            drop(live);
            return estimate::say(&*game, args, distance, &forecast);
        }
        Some(estimate) => refuse_full_disk(args, &estimate)?,
        None => {}
    }
    let (cpu, since) = (cpu_time(), Instant::now());
    let built = match &args.farm {
        Some(farm) => work::build(farm, &args.access, &*game, &folder, &order, &live),
        None => game.build(&folder, &order).map_err(anyhow::Error::from),
    };
    let (cpu, wall) = (cpu_time().saturating_sub(cpu), since.elapsed());
    drop(live);
    let error = match built {
        Ok(built) => return say_built(args, built, (distance, choice), [wall, cpu]),
        Err(error) => error.downcast::<DatabaseFailure>(),
    };
    match error {
        Ok(DatabaseFailure::Interrupted) => {
            let dir = zermelo_game::outside::path(&args.folder());
            out::note(&format!(
                "interrupted: what is finished stays in {dir}, the same command goes on from there"
            ));
            Ok(End::Unsolved)
        }
        Ok(error) => Err(error.into()),
        Err(error) => Err(error),
    }
}

fn refuse_full_disk(args: &BuildArgs, estimate: &Estimate) -> Result<(), DatabaseFailure> {
    match machine::free_disk(&args.folder()) {
        Some(free) if free < estimate.disk.saturating_add(estimate.scratch) => {
            let (need, free) = (bytes(estimate.disk), bytes(free));
            let more = match estimate.scratch {
                0 => String::new(),
                some => format!(" and {} on the way, as the memory allowed is small", bytes(some)),
            };
            let why = format!("the files take about {need}{more}, the disk has {free} left");
            Err(DatabaseFailure::Refused(why))
        }
        _ => Ok(()),
    }
}

/// Whether distances are kept, and why.
fn distances(keep: bool, choice: Option<DistanceChoice>) -> String {
    let reason = choice.map(|choice| choice.reason);
    match (keep, reason) {
        (true, Some(DistanceReason::Folder)) => "kept, as in the files that were there".into(),
        (true, _) => "kept: plies to the end of the game".into(),
        (false, None) => "left out".into(),
        (false, Some(DistanceReason::Scores)) => "none: games with scores have no distances".into(),
        (false, Some(DistanceReason::RepetitionWins)) => {
            "none: a repetition that wins is no end to count to".into()
        }
        (false, Some(DistanceReason::Folder)) => "left out, as in the files that were there".into(),
        (false, Some(DistanceReason::Measured(factor))) => {
            format!(
                "left out, as they would take about {factor:.0} times the bytes: --distance keeps them"
            )
        }
        (false, Some(DistanceReason::NotMeasured)) => "left out".into(),
    }
}

/// Prints what was made.
fn say_built(
    args: &BuildArgs,
    built: BuiltGame,
    (distance, choice): (bool, Option<DistanceChoice>),
    [wall, cpu]: [Duration; 2],
) -> anyhow::Result<End> {
    let (seconds, cpu_seconds) = (wall.as_secs_f64(), Some(cpu.as_secs_f64()));
    let mut text = format!("{}\n", out::bold(&built.game));
    let json = match built.what {
        BuiltDatabase::Slices(made) => {
            let dir = zermelo_game::outside::path(&args.folder());
            let written = counted(made.written as u64, "file");
            let files = format!("{written} written to {dir}, {} there already", made.kept);
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
        BuiltDatabase::Whole(header) => {
            let (positions, kept) = (grouped(header.positions), grouped(header.kept));
            text += &out::field("positions", &format!("{positions}, kept: {kept}"));
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
        out::print_json(&BuiltJson { game: built.game, distance, seconds, cpu_seconds, ..json })?;
        return Ok(End::Done);
    }
    text += &out::field("distances", &distances(distance, choice));
    text += &out::field("time", &format!("{}, CPU {}", time(wall), time(cpu)));
    out::print(&text)?;
    Ok(End::Done)
}

/// The live line.
fn line(progress: &BuildProgress) -> String {
    let BuildProgress { slices, group: [n, all], step, done: [done, here], elapsed, .. } = progress;
    let percent = |done: u64, all: u64| 100.0 * done as f64 / all.max(1) as f64;
    let step = match step {
        BuildStep::First => format!("first look {:.0} %", percent(*done, *here)),
        BuildStep::Layer(n) => format!("layer {n}"),
        BuildStep::Write => "writing".to_owned(),
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
