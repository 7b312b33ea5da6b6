//! Building: group after group of slices, one file for each slice.
//!
//! A file appears under its name when it is complete and on disk, and never before; so a run may end at any
//! moment, and the next one goes on with the first group that lacks a file. The last thing is the
//! [manifest](crate::manifest), which lists all files. The files are the same to the
//! byte, however often a run was interrupted and whatever the number of threads.

use crate::database::{Database, is_wdl};
use crate::folder::{self, SLICE};
use crate::format::{self, Coding, SliceHeader};
use crate::group::{Group, PLACE_BYTES, SCORE_BYTES};
use crate::slice_file::SliceFile;
use crate::spill::{self, SpillFiles};
use crate::{DatabaseFailure, encode, seal};
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use zermelo_game::{MoveList, Repetition, Sliced};

/// Memory that is asked for beside the cells of a group.
const SPARE: u64 = 16 << 20;
/// Bytes a place takes on disk, by experience: checkers takes a third of the first, chess most of the second.
const DISK: [f64; 3] = [0.1, 0.6, 1.0];

/// Bytes a place takes on disk while its group is worked out there: cells, and messages by experience.
const SCRATCH: u64 = PLACE_BYTES + 8;

/// How to build.
pub struct BuildConfig<'a> {
    /// The most pieces (seeds, stones).
    pub pieces: u32,
    /// Whether to keep distances to the end of the game.
    pub distance: bool,
    /// Threads.
    pub threads: usize,
    /// Bytes for cells and blocks.
    pub memory: u64,
    /// The number of the one group to be built, as [`Sliced::groups`] counts from 0: what it depends on must be there.
    pub only: Option<usize>,
    /// Set by others to end the run.
    pub cancel: Option<&'a AtomicBool>,
    /// Told how far it is.
    pub progress: Option<&'a (dyn Fn(&BuildProgress) + Sync)>,
}

impl Default for BuildConfig<'_> {
    fn default() -> Self {
        BuildConfig {
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

impl BuildConfig<'_> {
    pub(crate) fn cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

/// What is being done to a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuildStep {
    /// Every place is looked at once.
    First,
    /// Positions of so many plies are dealt with, or the sweep with this number is made.
    Layer(u32),
    /// The files are written.
    Write,
}

/// How far a build is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildProgress {
    /// The slices of the group that is worked out.
    pub slices: Vec<String>,
    /// Its number, from 1, and how many there are.
    pub group: [usize; 2],
    /// What is being done.
    pub step: BuildStep,
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
pub struct BuildSummary {
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
    /// Bytes on disk on the way, for a group that does not fit into the memory allowed and is worked out in shards.
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
pub(crate) struct RunPart {
    pub group: [usize; 2],
    pub places: [u64; 2],
    pub since: Instant,
}

/// Refuses games whose positions have no value of their own, and what cannot be built. (No game that numbers its positions by
/// slices is under superko, see the top of the crate.)
pub(crate) fn refuse_unfit<R: Sliced>(
    rules: &R,
    config: &BuildConfig,
) -> Result<(), DatabaseFailure> {
    let refuse = |why: &str| Err(DatabaseFailure::Refused(format!("{}: {why}", rules.name())));
    let fixed = rules.repetition().fixed();
    let stands = rules.repetition() == Repetition::Stands && !is_wdl(rules);
    if R::CYCLIC && fixed.is_none() && !stands {
        return refuse(
            "positions have no value of their own where the value of a repetition depends on the line",
        );
    }
    if is_wdl(rules) && R::CYCLIC && fixed != Some(0) {
        return refuse("only repetitions that make a draw can be dealt with");
    }
    if !is_wdl(rules) && config.distance {
        return refuse("games with scores have no distances");
    }
    Ok(())
}

pub(crate) fn coding<R: Sliced>(rules: &R, config: &BuildConfig) -> Coding {
    match (is_wdl(rules), config.distance) {
        (false, _) => Coding::Score,
        (true, false) => Coding::Wdl,
        (true, true) => Coding::Distance,
    }
}

pub(crate) fn plan<R: Sliced>(
    rules: &R,
    database: &Database<R>,
    config: &BuildConfig,
) -> Result<Plan<R::Slice>, DatabaseFailure> {
    let wanted = coding(rules, config);
    let other = database.files().iter().map(|f| f.header.coding).find(|other| *other != wanted);
    let there = other.map(|other| other == Coding::Distance);
    // A manifest says what there was, even if all files are gone.
    let listed = database.manifest().map(|manifest| manifest.distance);
    let listed = listed.filter(|distance| *distance != (wanted == Coding::Distance));
    if let Some(distance) = there.or(listed) {
        let has = if distance { "distances" } else { "no distances" };
        return Err(DatabaseFailure::Refused(format!(
            "{} holds a database with {has}",
            zermelo_game::outside::path(database.dir())
        )));
    }
    let (mut groups, mut kept) = (rules.groups(config.pieces), 0);
    if groups.is_empty() {
        return Err(DatabaseFailure::Refused(format!(
            "{}: no slice has so few pieces",
            rules.name()
        )));
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
fn count<'s, R: Sliced>(rules: &R, slices: impl Iterator<Item = &'s R::Slice>) -> u64 {
    slices.fold(0, |sum: u64, slice| sum.saturating_add(rules.places(*slice)))
}

fn group_bytes<R: Sliced>(rules: &R, group: &[R::Slice]) -> u64 {
    let places = count(rules, group.iter());
    let each = if is_wdl(rules) { PLACE_BYTES } else { PLACE_BYTES + SCORE_BYTES };
    places.saturating_mul(each)
}

/// Where the cells of a group are while they are worked out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Storage {
    Memory,
    Disk,
}

/// Where the memory allows the cells of a group to be, if anywhere.
fn storage<R: Sliced>(rules: &R, group: &[R::Slice], config: &BuildConfig) -> Option<Storage> {
    if group_bytes(rules, group).saturating_add(SPARE) <= config.memory {
        return Some(Storage::Memory);
    }
    let shards = config.memory.checked_sub(SPARE)?;
    let places = group.iter().map(|slice| rules.places(*slice));
    (is_wdl(rules) && R::PREDECESSORS && spill::fits(places, shards)).then_some(Storage::Disk)
}

/// The slices whose files a build would write.
pub(crate) fn left<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &BuildConfig,
) -> Result<Vec<R::Slice>, DatabaseFailure> {
    let database = match dir.exists() {
        true => Database::open_unfinished(rules, dir, SPARE)?,
        false => Database::empty(dir, SPARE),
    };
    Ok(plan(rules, &database, config)?.groups.into_iter().flatten().collect())
}

/// Says what [`build`] would take. Looks at a few thousand places to see how fast this machine is.
pub fn estimate<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &BuildConfig,
) -> Result<Estimate, DatabaseFailure> {
    refuse_unfit(rules, config)?;
    let database = match dir.exists() {
        true => Database::open_unfinished(rules, dir, SPARE)?,
        false => Database::empty(dir, SPARE),
    };
    let plan = plan(rules, &database, config)?;
    let slices = || plan.groups.iter().flatten();
    let places = count(rules, slices());
    let largest = plan.groups.iter().map(|group| group_bytes(rules, group)).max();
    let memory = largest.unwrap_or(0).saturating_add(SPARE);
    let on_disk = |group: &&Vec<R::Slice>| storage(rules, group, config) == Some(Storage::Disk);
    let scratch = plan.groups.iter().filter(on_disk).map(|group| count(rules, group.iter())).max();
    let scratch = scratch.unwrap_or(0).saturating_mul(SCRATCH);
    let each = DISK[coding(rules, config) as usize];
    let seconds = match slices().max_by_key(|slice| rules.places(**slice)) {
        Some(slice) => pace(rules, *slice) * places as f64 / config.threads.max(1) as f64,
        None => 0.0,
    };
    let files = [slices().count(), plan.kept];
    Ok(Estimate { files, places, memory, disk: (places as f64 * each) as u64, scratch, seconds })
}

/// Seconds a place takes one thread, from playing all moves at some of them.
fn pace<R: Sliced>(rules: &R, slice: R::Slice) -> f64 {
    const SAMPLE: u64 = 1_000;
    const SAMPLES: u64 = 21;
    /// All steps of a build take so many times what playing the moves of a place does.
    const STEPS: f64 = 4.0;
    let places = rules.places(slice);
    let (mut moves, mut sum, mut took) = (MoveList::new(), 0, Vec::new());
    for sample in 0..SAMPLES {
        let since = Instant::now();
        for n in 0..SAMPLE {
            let n = u128::from(n * SAMPLES + sample);
            let place = (n * u128::from(places) / u128::from(SAMPLE * SAMPLES)) as u64;
            let Some(p) = rules.at(slice, place).filter(|p| rules.outcome(p).is_none()) else {
                continue;
            };
            moves.clear();
            rules.moves(&p, &mut moves);
            for m in moves.iter() {
                sum ^= rules.place(&rules.play(&p, m)).map_or(0, |(_, place)| place);
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
fn widest<R: Sliced>(rules: &R, config: &BuildConfig) -> u32 {
    if coding(rules, config) == Coding::Wdl { 0 } else { 2 }
}

/// Bytes for the values of finished slices, which are kept in memory as long as they fit beside any group.
fn value_memory<R: Sliced>(rules: &R, plan: &Plan<R::Slice>, config: &BuildConfig) -> u64 {
    let largest = plan.groups.iter().map(|group| group_bytes(rules, group)).max().unwrap_or(0);
    let left = config.memory.saturating_sub(largest.saturating_add(SPARE));
    if is_wdl(rules) { left / 4 * 3 } else { left / 8 * 3 }
}

/// Builds what is missing in a folder, and lists all files in its manifest.
pub fn build<R: Sliced>(
    rules: &R,
    dir: &Path,
    config: &BuildConfig,
) -> Result<BuildSummary, DatabaseFailure> {
    refuse_unfit(rules, config)?;
    folder::prepare(dir)?;
    let mut database = Database::open_unfinished(rules, dir, SPARE)?;
    let plan = plan(rules, &database, config)?;
    if let Some(group) = plan.groups.iter().find(|group| storage(rules, group, config).is_none()) {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        return Err(DatabaseFailure::Refused(format!(
            "the slice {} takes {} MiB of memory, allowed are {} MiB",
            rules.slice_name(group[0]),
            mib(group_bytes(rules, group).saturating_add(SPARE)),
            mib(config.memory)
        )));
    }
    let all = count(rules, plan.groups.iter().flatten());
    let mut value_memory = value_memory(rules, &plan, config);
    // Scores may keep moves in half of what is left, shards on disk take most of it.
    let spare = |slices: &Vec<R::Slice>| match storage(rules, slices, config) {
        Some(Storage::Memory) if is_wdl(rules) => config.memory - group_bytes(rules, slices),
        Some(Storage::Memory) => (config.memory - group_bytes(rules, slices)) / 2,
        _ => config.memory / 4,
    };
    let least = plan.groups.iter().map(spare).min().unwrap_or(SPARE);
    database.set_memory(least.saturating_sub(value_memory));
    let fits = |slice: &R::Slice, left: &mut u64| {
        let bytes = format::packed_bytes(widest(rules, config), rules.places(*slice)) as u64;
        let fits = bytes <= *left;
        *left -= if fits { bytes } else { 0 };
        fits
    };
    for slice in rules.groups(config.pieces).iter().flatten() {
        if !plan.groups.is_empty()
            && database.file(*slice).is_some()
            && fits(slice, &mut value_memory)
        {
            database.unfold(rules, *slice, config)?;
        }
    }
    let mut built = BuildSummary { kept: plan.kept, ..BuildSummary::default() };
    let mut fresh = FxHashSet::default();
    let since = Instant::now();
    for (n, slices) in plan.groups.iter().enumerate() {
        let run = RunPart { group: [n + 1, plan.groups.len()], places: [built.places, all], since };
        let group = Group::new(rules, &database, config, slices, run);
        let path = |slice| dir.join(rules.slice_name(slice)).with_extension(SLICE);
        let mut wholes = Vec::new();
        let group = match storage(rules, slices, config) {
            Some(Storage::Memory) => {
                let mut group = group.in_memory();
                let sources = match is_wdl(rules) {
                    true => group.solve_wdl()?,
                    false => group.solve_scores()?,
                };
                group.tell(BuildStep::Write);
                for (part, segment) in group.parts.iter().zip(&group.segments) {
                    let mut whole = |each: encode::SegmentVisitor| each(segment);
                    encode::write(&group, part, &sources, &path(part.slice), &mut whole)?;
                }
                wholes = std::mem::take(&mut group.segments);
                group
            }
            _ => {
                let stem = path(slices[0]);
                let mut spill = SpillFiles::new(&stem, &group.parts, config.memory - SPARE);
                let sources = group.solve_on_disk(&mut spill)?;
                group.tell(BuildStep::Write);
                for (n, part) in group.parts.iter().enumerate() {
                    let mut segments = |each: encode::SegmentVisitor| {
                        spill.of_part(n).try_for_each(|shard| each(&spill.load(shard)?))
                    };
                    encode::write(&group, part, &sources, &path(part.slice), &mut segments)?;
                }
                group
            }
        };
        built.spent = std::array::from_fn(|n| built.spent[n] + group.spent()[n]);
        built.swept += group.swept.load(Ordering::Relaxed);
        built.places += group.parts.iter().map(|part| part.places).sum::<u64>();
        drop(group);
        for (n, slice) in slices.iter().enumerate() {
            let file = SliceFile::open(&path(*slice))?;
            seal::check_rebuilt(&database, &file)?;
            fresh.insert(*slice);
            if let Some(segment) = wholes.get(n).filter(|_| fits(slice, &mut value_memory)) {
                let SliceHeader { coding, width, .. } = file.header;
                file.set_whole(encode::whole(coding, width, segment, config.threads));
            }
            database.add(rules, Some(*slice), file)?;
            built.written += 1;
        }
    }
    // Who builds a single group has no database yet.
    if config.only.is_none() {
        seal::seal(rules, &database, config, &fresh)?;
    }
    Ok(built)
}
