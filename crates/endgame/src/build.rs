//! Building: group after group of slices, one file for each slice.
//!
//! A file appears under its name when it is complete and on disk, and never before; so a run may end at any
//! moment, and the next one goes on with the first group that lacks a file. The files are the same to the
//! byte, however often a run was interrupted and whatever the number of threads.

use crate::database::{Database, Stored, is_wdl};
use crate::folder::{self, SLICE};
use crate::format::{self, Coding, Header};
use crate::group::{Group, PLACE_BYTES, SCORE_BYTES};
use crate::shelf::{self, Shelf};
use crate::{Failure, encode};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use zermelo_game::{MoveList, Repetition, Sliced};

/// Memory that is asked for beside the cells of a group.
const SPARE: u64 = 16 << 20;
/// Bytes a place takes on disk, by experience: checkers takes a third of the first, chess most of the second.
const DISK: [f64; 3] = [0.1, 0.6, 1.0];

/// Bytes a place takes on disk while its group is worked out there: cells, and mail by experience.
const SCRATCH: u64 = PLACE_BYTES + 8;

/// How to build.
pub struct Config<'a> {
    /// The most pieces (seeds, stones).
    pub pieces: u32,
    /// Whether to keep distances to the end of the game.
    pub distance: bool,
    /// Threads.
    pub threads: usize,
    /// Bytes for cells and blocks.
    pub memory: u64,
    /// The number of the one group to be built, as [`Sliced::groups`] counts from 0: what it rests on has to be there.
    pub only: Option<usize>,
    /// Set by others to end the run.
    pub cancel: Option<&'a AtomicBool>,
    /// Told how far it is.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl Default for Config<'_> {
    fn default() -> Self {
        Config {
            pieces: 4,
            distance: false,
            threads: 1,
            memory: 4 << 30,
            only: None,
            cancel: None,
            progress: None,
        }
    }
}

impl Config<'_> {
    pub(crate) fn cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

/// What is being done to a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Every place is looked at once.
    First,
    /// Positions of so many plies are dealt with, or the sweep with this number is made.
    Layer(u32),
    /// The files are written.
    Write,
}

/// How far a build is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The slices of the group at hand.
    pub slices: Vec<String>,
    /// Its number, from 1, and how many there are.
    pub group: [usize; 2],
    /// What is being done.
    pub step: Step,
    /// Places dealt with in this step, and places of the group.
    pub done: [u64; 2],
    /// Places of groups finished in this run, and of all that were to be built.
    pub places: [u64; 2],
    /// Time since the start.
    pub elapsed: Duration,
    /// Time that the other groups will take, judging by those that are finished.
    pub left: Option<Duration>,
}

/// What a build has made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Built {
    /// Files written.
    pub written: usize,
    /// Files that were there already.
    pub kept: usize,
    /// Places worked out.
    pub places: u64,
    /// Time for first looks at all places, for layers or sweeps, and for writing.
    pub spent: [Duration; 3],
    /// Places that sweeps have gone over, each as often as it was.
    pub swept: u64,
}

/// What a build would take.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// Files to be written, and files that are there already.
    pub files: [usize; 2],
    /// Places to be worked out.
    pub places: u64,
    /// Bytes of memory, for the largest group.
    pub memory: u64,
    /// Bytes on disk.
    pub disk: u64,
    /// Bytes on disk on the way, for a group that does not fit into the memory allowed and is worked out in pieces.
    pub scratch: u64,
    /// Seconds.
    pub seconds: f64,
}

/// The part of a plan that is left to do.
pub(crate) struct Plan<S> {
    pub groups: Vec<Vec<S>>,
    pub kept: usize,
}

/// Which run a group belongs to, for reports on the way.
pub(crate) struct Run {
    pub group: [usize; 2],
    pub places: [u64; 2],
    pub since: Instant,
}

pub(crate) fn refuse_unfit<G: Sliced>(game: &G, config: &Config) -> Result<(), Failure> {
    let refuse = |why: &str| Err(Failure::Refused(format!("{}: {why}", game.name())));
    let fixed = game.repetition().fixed();
    let stands = game.repetition() == Repetition::Stands && !is_wdl(game);
    if G::SUPERKO || (G::CYCLIC && fixed.is_none() && !stands) {
        return refuse(
            "positions have no value of their own where it hangs on the line what a repetition means",
        );
    }
    if is_wdl(game) && G::CYCLIC && fixed != Some(0) {
        return refuse("only repetitions that make a draw can be dealt with");
    }
    if !is_wdl(game) && config.distance {
        return refuse("games with scores have no distances");
    }
    Ok(())
}

pub(crate) fn coding<G: Sliced>(game: &G, config: &Config) -> Coding {
    match (is_wdl(game), config.distance) {
        (false, _) => Coding::Score,
        (true, false) => Coding::Wdl,
        (true, true) => Coding::Distance,
    }
}

pub(crate) fn plan<G: Sliced>(
    game: &G,
    database: &Database<G>,
    config: &Config,
) -> Result<Plan<G::Slice>, Failure> {
    let wanted = coding(game, config);
    if let Some(other) = database.files().iter().find(|f| f.header.coding != wanted) {
        let has =
            if other.header.coding == Coding::Distance { "distances" } else { "no distances" };
        return Err(Failure::Refused(format!(
            "{} holds a database with {has}",
            database.dir().display()
        )));
    }
    let (mut groups, mut kept) = (game.groups(config.pieces), 0);
    if groups.is_empty() {
        return Err(Failure::Refused(format!("{}: no slice has so few pieces", game.name())));
    }
    if let Some(n) = config.only {
        groups = groups.into_iter().skip(n).take(1).collect();
    }
    groups.retain(|group| {
        let there = group.iter().all(|slice| database.file(*slice).is_some());
        kept += if there { group.len() } else { 0 };
        !there
    });
    Ok(Plan { groups, kept })
}

/// Places of some slices.
fn count<'s, G: Sliced>(game: &G, slices: impl Iterator<Item = &'s G::Slice>) -> u64 {
    slices.fold(0, |sum: u64, slice| sum.saturating_add(game.places(*slice)))
}

fn group_bytes<G: Sliced>(game: &G, group: &[G::Slice]) -> u64 {
    let places = count(game, group.iter());
    let each = if is_wdl(game) { PLACE_BYTES } else { PLACE_BYTES + SCORE_BYTES };
    places.saturating_mul(each)
}

/// Where the cells of a group are while they are worked out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Memory,
    Disk,
}

/// The way that the memory allows, if there is one.
fn way<G: Sliced>(game: &G, group: &[G::Slice], config: &Config) -> Option<Way> {
    if group_bytes(game, group).saturating_add(SPARE) <= config.memory {
        return Some(Way::Memory);
    }
    let room = config.memory.checked_sub(SPARE)?;
    let places = group.iter().map(|slice| game.places(*slice));
    (is_wdl(game) && G::UNMOVES && shelf::fits(places, room)).then_some(Way::Disk)
}

/// Says what [`build`] would take. Looks at a few thousand places to see how fast this machine is.
pub fn estimate<G: Sliced>(game: &G, dir: &Path, config: &Config) -> Result<Estimate, Failure> {
    refuse_unfit(game, config)?;
    let database = match dir.exists() {
        true => Database::open(game, dir, SPARE)?,
        false => Database::empty(dir, SPARE),
    };
    let plan = plan(game, &database, config)?;
    let slices = || plan.groups.iter().flatten();
    let places = count(game, slices());
    let largest = plan.groups.iter().map(|group| group_bytes(game, group)).max();
    let memory = largest.unwrap_or(0).saturating_add(SPARE);
    let on_disk = |group: &&Vec<G::Slice>| way(game, group, config) == Some(Way::Disk);
    let scratch = plan.groups.iter().filter(on_disk).map(|group| count(game, group.iter())).max();
    let scratch = scratch.unwrap_or(0).saturating_mul(SCRATCH);
    let each = DISK[coding(game, config) as usize];
    let seconds = match slices().max_by_key(|slice| game.places(**slice)) {
        Some(slice) => pace(game, *slice) * places as f64 / config.threads.max(1) as f64,
        None => 0.0,
    };
    let files = [slices().count(), plan.kept];
    Ok(Estimate { files, places, memory, disk: (places as f64 * each) as u64, scratch, seconds })
}

/// Seconds a place takes one thread, from playing all moves at some of them.
fn pace<G: Sliced>(game: &G, slice: G::Slice) -> f64 {
    const SAMPLE: u64 = 1_000;
    const SAMPLES: u64 = 21;
    /// All steps of a build take so many times what playing the moves of a place does.
    const STEPS: f64 = 4.0;
    let places = game.places(slice);
    let (mut moves, mut sum, mut took) = (MoveList::new(), 0, Vec::new());
    for sample in 0..SAMPLES {
        let since = Instant::now();
        for n in 0..SAMPLE {
            let n = u128::from(n * SAMPLES + sample);
            let place = (n * u128::from(places) / u128::from(SAMPLE * SAMPLES)) as u64;
            let Some(p) = game.at(slice, place).filter(|p| game.outcome(p).is_none()) else {
                continue;
            };
            moves.clear();
            game.moves(&p, &mut moves);
            for m in moves.iter() {
                sum ^= game.place(&game.play(&p, m)).map_or(0, |(_, place)| place);
            }
        }
        took.push(since.elapsed());
    }
    std::hint::black_box(sum);
    // The median: others may have had the processor for a while.
    took.sort_unstable();
    took[took.len() / 2].as_secs_f64() / SAMPLE as f64 * STEPS
}

/// The most bytes that a symbol may take, as a file's header says it.
fn widest<G: Sliced>(game: &G, config: &Config) -> u32 {
    if coding(game, config) == Coding::Wdl { 0 } else { 2 }
}

/// Bytes for the values of finished slices, which are kept at hand as long as they fit beside any group.
fn room<G: Sliced>(game: &G, plan: &Plan<G::Slice>, config: &Config) -> u64 {
    let largest = plan.groups.iter().map(|group| group_bytes(game, group)).max().unwrap_or(0);
    let left = config.memory.saturating_sub(largest.saturating_add(SPARE));
    if is_wdl(game) { left / 4 * 3 } else { left / 8 * 3 }
}

/// Builds what is missing in a folder.
pub fn build<G: Sliced>(game: &G, dir: &Path, config: &Config) -> Result<Built, Failure> {
    refuse_unfit(game, config)?;
    folder::prepare(dir)?;
    let mut database = Database::open(game, dir, SPARE)?;
    let plan = plan(game, &database, config)?;
    if let Some(group) = plan.groups.iter().find(|group| way(game, group, config).is_none()) {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        return Err(Failure::Refused(format!(
            "the slice {} takes {} MiB of memory, allowed are {} MiB",
            game.slice_name(group[0]),
            mib(group_bytes(game, group).saturating_add(SPARE)),
            mib(config.memory)
        )));
    }
    let all = count(game, plan.groups.iter().flatten());
    let mut room = room(game, &plan, config);
    // Scores may keep moves in half of what is left, pieces on disk take most of it.
    let spare = |slices: &Vec<G::Slice>| match way(game, slices, config) {
        Some(Way::Memory) if is_wdl(game) => config.memory - group_bytes(game, slices),
        Some(Way::Memory) => (config.memory - group_bytes(game, slices)) / 2,
        _ => config.memory / 4,
    };
    let least = plan.groups.iter().map(spare).min().unwrap_or(SPARE);
    database.set_memory(least.saturating_sub(room));
    let fits = |slice: &G::Slice, room: &mut u64| {
        let bytes = format::packed_bytes(widest(game, config), game.places(*slice)) as u64;
        let fits = bytes <= *room;
        *room -= if fits { bytes } else { 0 };
        fits
    };
    for slice in game.groups(config.pieces).iter().flatten() {
        if !plan.groups.is_empty() && database.file(*slice).is_some() && fits(slice, &mut room) {
            database.unfold(game, *slice, config)?;
        }
    }
    let mut built = Built { kept: plan.kept, ..Built::default() };
    let since = Instant::now();
    for (n, slices) in plan.groups.iter().enumerate() {
        let run = Run { group: [n + 1, plan.groups.len()], places: [built.places, all], since };
        let group = Group::new(game, &database, config, slices, run);
        let path = |slice| dir.join(game.slice_name(slice)).with_extension(SLICE);
        let mut wholes = Vec::new();
        let group = match way(game, slices, config) {
            Some(Way::Memory) => {
                let mut group = group.in_memory();
                let sources = match is_wdl(game) {
                    true => group.solve_wdl()?,
                    false => group.solve_scores()?,
                };
                group.tell(Step::Write);
                for (part, piece) in group.parts.iter().zip(&group.pieces) {
                    let mut whole = |each: encode::Each| each(piece);
                    encode::write(&group, part, &sources, &path(part.slice), &mut whole)?;
                }
                wholes = std::mem::take(&mut group.pieces);
                group
            }
            _ => {
                let stem = path(slices[0]);
                let mut shelf = Shelf::new(&stem, &group.parts, config.memory - SPARE);
                let sources = group.solve_on_disk(&mut shelf)?;
                group.tell(Step::Write);
                for (n, part) in group.parts.iter().enumerate() {
                    let mut pieces = |each: encode::Each| {
                        shelf.of_part(n).try_for_each(|bin| each(&shelf.get(bin)?))
                    };
                    encode::write(&group, part, &sources, &path(part.slice), &mut pieces)?;
                }
                group
            }
        };
        built.spent = std::array::from_fn(|n| built.spent[n] + group.spent()[n]);
        built.swept += group.swept.load(Ordering::Relaxed);
        built.places += group.parts.iter().map(|part| part.places).sum::<u64>();
        drop(group);
        for (n, slice) in slices.iter().enumerate() {
            let file = Stored::open(&path(*slice))?;
            if let Some(piece) = wholes.get(n).filter(|_| fits(slice, &mut room)) {
                let Header { coding, width, .. } = file.header;
                file.set_whole(encode::whole(coding, width, piece, config.threads));
            }
            database.add(game, Some(*slice), file)?;
            built.written += 1;
        }
    }
    Ok(built)
}
