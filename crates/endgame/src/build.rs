//! Building: group after group of slices, one file for each slice.
//!
//! A file appears under its name when it is complete and on disk, and never before; so a run may end at any
//! moment, and the next one goes on with the first group that lacks a file. The files are the same to the
//! byte, however often a run was interrupted and whatever the number of threads.

use crate::database::{Database, Stored, is_wdl};
use crate::folder::{self, SLICE};
use crate::format::{self, Coding, Header, Longest, Press, RULES, Source};
use crate::group::{EMPTY, Group, LOUD, PLACE_BYTES, Part, SCORE_BYTES, plies_of};
use crate::{Failure, work};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use zermelo_game::{MoveList, Repetition, Sliced};

/// Memory that is asked for beside the cells of a group.
const SPARE: u64 = 16 << 20;
/// Bytes a place takes on disk, by experience: checkers takes a third of the first, chess most of the second.
const DISK: [f64; 3] = [0.1, 0.6, 1.0];

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// Files written.
    pub written: usize,
    /// Files that were there already.
    pub kept: usize,
    /// Places worked out.
    pub places: u64,
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
    /// Seconds.
    pub seconds: f64,
}

/// The part of a plan that is left to do.
struct Plan<S> {
    groups: Vec<Vec<S>>,
    kept: usize,
}

/// Which run a group belongs to, for reports on the way.
pub(crate) struct Run {
    pub group: [usize; 2],
    pub places: [u64; 2],
    pub since: Instant,
}

fn refuse_unfit<G: Sliced>(game: &G, config: &Config) -> Result<(), Failure> {
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

fn coding<G: Sliced>(game: &G, config: &Config) -> Coding {
    match (is_wdl(game), config.distance) {
        (false, _) => Coding::Score,
        (true, false) => Coding::Wdl,
        (true, true) => Coding::Distance,
    }
}

fn plan<G: Sliced>(
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
    let each = DISK[coding(game, config) as usize];
    let seconds = match slices().max_by_key(|slice| game.places(**slice)) {
        Some(slice) => pace(game, *slice) * places as f64 / config.threads.max(1) as f64,
        None => 0.0,
    };
    let files = [slices().count(), plan.kept];
    Ok(Estimate { files, places, memory, disk: (places as f64 * each) as u64, seconds })
}

/// Seconds a place takes one thread, from playing all moves at some of them.
fn pace<G: Sliced>(game: &G, slice: G::Slice) -> f64 {
    const SAMPLE: u64 = 20_000;
    /// All steps of a build take so many times what playing the moves of a place does.
    const STEPS: f64 = 4.0;
    let places = game.places(slice);
    let (since, mut moves, mut sum) = (Instant::now(), MoveList::new(), 0);
    for n in 0..SAMPLE {
        let place = (u128::from(n) * u128::from(places) / u128::from(SAMPLE)) as u64;
        let Some(p) = game.at(slice, place).filter(|p| game.outcome(p).is_none()) else { continue };
        moves.clear();
        game.moves(&p, &mut moves);
        for m in moves.iter() {
            sum ^= game.place(&game.play(&p, m)).map_or(0, |(_, place)| place);
        }
    }
    std::hint::black_box(sum);
    since.elapsed().as_secs_f64() / SAMPLE as f64 * STEPS
}

/// Builds what is missing in a folder.
pub fn build<G: Sliced>(game: &G, dir: &Path, config: &Config) -> Result<Built, Failure> {
    refuse_unfit(game, config)?;
    folder::prepare(dir)?;
    let mut database = Database::open(game, dir, SPARE)?;
    let plan = plan(game, &database, config)?;
    for group in &plan.groups {
        let need = group_bytes(game, group).saturating_add(SPARE);
        if need > config.memory {
            let name = game.slice_name(group[0]);
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            return Err(Failure::Refused(format!(
                "the slice {name} takes {} MiB of memory, allowed are {} MiB",
                mib(need),
                mib(config.memory)
            )));
        }
    }
    let all = count(game, plan.groups.iter().flatten());
    let mut built = Built { written: 0, kept: plan.kept, places: 0 };
    let since = Instant::now();
    for (n, slices) in plan.groups.iter().enumerate() {
        let run = Run { group: [n + 1, plan.groups.len()], places: [built.places, all], since };
        // Scores may keep moves in half of what is left.
        let spare = config.memory - group_bytes(game, slices);
        database.set_memory(if is_wdl(game) { spare } else { spare / 2 });
        let group = Group::new(game, &database, config, slices, run);
        let sources = match is_wdl(game) {
            true => group.solve_wdl()?,
            false => group.solve_scores()?,
        };
        group.tell(Step::Write);
        let mut files = Vec::new();
        for part in &group.parts {
            files.push((part.slice, encode(&group, part, &sources)?));
        }
        for (slice, content) in files {
            let path = dir.join(game.slice_name(slice)).with_extension(SLICE);
            folder::write(&path, &content)?;
        }
        built.places += group.parts.iter().map(|part| part.places).sum::<u64>();
        drop(group);
        for &slice in slices {
            let path = dir.join(game.slice_name(slice)).with_extension(SLICE);
            database.add(game, Some(slice), Stored::open(&path)?)?;
            built.written += 1;
        }
    }
    Ok(built)
}

/// The file of a part that is worked out.
fn encode<G: Sliced>(
    group: &Group<G>,
    part: &Part<G::Slice>,
    sources: &[G::Slice],
) -> Result<Vec<u8>, Failure> {
    let (game, coding) = (group.game, coding(group.game, group.config));
    let cell = |n: usize| part.cells[n].load(Ordering::Relaxed);
    let mark = |n: usize| part.marks[n].load(Ordering::Relaxed);
    let (mut counts, mut quiet, mut longest, mut most) = ([0u64; 3], false, None, 0);
    for n in 0..part.places as usize {
        let (cell, mark) = (cell(n), mark(n));
        if mark == EMPTY {
            continue;
        }
        quiet |= mark == LOUD;
        counts[(1 - cell.signum()) as usize] += 1;
        most = most.max(format::folded(cell));
        if cell > 0 && longest.is_none_or(|(plies, _)| plies_of(cell) > plies) {
            longest = Some((plies_of(cell), n));
        }
    }
    let width = match coding {
        Coding::Wdl => 0,
        _ => 1 + u32::from(most > u16::from(u8::MAX)),
    };
    let longest = longest.filter(|_| coding != Coding::Score).and_then(|(plies, n)| {
        let position = game.position_text(&game.at(part.slice, n as u64)?);
        Some(Longest { plies: plies.into(), position })
    });
    let source = |slice: &G::Slice| {
        let file = group.database.file(*slice)?;
        Some(Source { slice: file.header.slice.clone(), digest: file.digest.clone() })
    };
    let [wins, draws, losses] = counts;
    let mut header = Header {
        game: game.full_name(),
        rules: RULES,
        slice: game.slice_name(part.slice),
        pieces: game.pieces(part.slice),
        coding,
        width,
        places: part.places,
        positions: counts.iter().sum(),
        wins,
        draws,
        losses,
        longest,
        quiet,
        block: format::places_of_block(width),
        index: String::new(),
        rest: 0,
        sources: sources.iter().filter_map(source).collect(),
    };
    let symbol = |n: usize| match (mark(n), coding) {
        (EMPTY | LOUD, _) => None,
        (_, Coding::Wdl) => Some([2, 0, 1][(cell(n).signum() + 1) as usize]),
        _ => Some(format::folded(cell(n))),
    };
    let stop = AtomicBool::new(false);
    let made = work::share(
        group.config.threads,
        header.blocks() as usize,
        &stop,
        || (Press::new(), Vec::new(), Vec::new()),
        |(press, blocks, symbols), n| {
            let from = n as u64 * header.block;
            let places = from..from + header.block_places(n as u64);
            symbols.clear();
            symbols.extend(places.map(|n| symbol(n as usize)));
            if let Ok(press) = press {
                blocks.push((n, press.block(width, symbols)));
            }
        },
    );
    let mut blocks: Vec<Vec<u8>> = vec![Vec::new(); header.blocks() as usize];
    for (press, some, _) in made {
        let path = Path::new(&header.slice);
        press.map_err(|e| Failure::io(path, e))?;
        for (n, block) in some {
            blocks[n] = block.map_err(|e| Failure::io(path, e))?;
        }
    }
    Ok(format::assemble(&mut header, &blocks))
}
