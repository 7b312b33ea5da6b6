//! The slices of a group while they are worked out: a cell and a mark for each place.
//!
//! In games of wins, draws and losses a cell holds `d + 1` for a win in `d` plies, `-d - 1` for a loss in
//! `d` plies and 0 for what is open, and at the end for draws. Plies are counted to the end of the game where distances are
//! asked for; else until the line leaves the group or ends. In games with scores a cell is the score.

use crate::build::{BuildConfig, BuildProgress, BuildStep, RunPart};
use crate::database::{Database, DatabaseEntry};
use crate::large::LargeArray;
use crate::{DatabaseFailure, work};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU8, AtomicU16, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use zermelo_game::{MoveList, Next, Sliced, Value};

/// Places that are worked on at a time by one thread.
pub(crate) const CHUNK: u64 = 4096;
/// Places that share a note of when they are due.
pub(crate) const BATCH: u64 = 64;
/// Bytes that a place takes while it is worked out.
pub(crate) const PLACE_BYTES: u64 = 3;
/// Further bytes where scores are worked out.
pub(crate) const SCORE_BYTES: u64 = 2;

/// Marks up to this count the moves within the group that do not lose yet. (Counting too few is safe: then a place is
/// looked at again.)
pub(crate) const MOST: u8 = 252;
/// A place that is left out of the file.
pub(crate) const NOISY: u8 = 253;
/// A place without a position.
pub(crate) const EMPTY: u8 = 254;
/// A place that cannot be lost.
pub(crate) const SAFE: u8 = 255;

/// A slice of the group.
pub(crate) struct GroupPart<S> {
    pub slice: S,
    pub places: u64,
}

/// Cells and marks of some places of a part, one after the other: of all of them, or of so many as are in memory at a time.
pub(crate) struct Segment {
    /// The first place; a whole number of chunks.
    pub from: u64,
    pub cells: LargeArray<AtomicI16>,
    pub marks: LargeArray<AtomicU8>,
    /// For each batch the number of plies of the next layer that has cells in it.
    pub next: Vec<AtomicU16>,
}

impl Segment {
    pub fn new(from: u64, places: u64) -> Segment {
        Segment {
            from,
            cells: LargeArray::new(places),
            marks: LargeArray::new(places),
            next: (0..places.div_ceil(BATCH)).map(|_| AtomicU16::new(u16::MAX)).collect(),
        }
    }

    #[inline(always)]
    pub fn cell(&self, place: u64) -> &AtomicI16 {
        &self.cells[(place - self.from) as usize]
    }

    #[inline(always)]
    pub fn mark(&self, place: u64) -> &AtomicU8 {
        &self.marks[(place - self.from) as usize]
    }

    /// Fetches what is known of a place into the cache.
    #[inline(always)]
    pub fn fetch(&self, place: u64, cell: bool) {
        let n = (place - self.from) as usize;
        self.marks.fetch(n);
        if cell {
            self.cells.fetch(n);
        }
    }

    /// Decides a cell, and sees to it that its batch is looked at when its layer comes.
    #[inline(always)]
    pub fn set(&self, place: u64, to: i16) {
        self.cell(place).store(to, Ordering::Relaxed);
        let next = &self.next[((place - self.from) / BATCH) as usize];
        // A batch that is due then stays so: only those due in the present layer are dealt with.
        if next.load(Ordering::Relaxed) != plies_of(to) {
            next.fetch_min(plies_of(to), Ordering::AcqRel);
        }
    }

    /// The notes of the batches of a chunk.
    #[inline(always)]
    pub fn next_in(&self, chunk: usize) -> &[AtomicU16] {
        let (each, first) = ((CHUNK / BATCH) as usize, (self.from / CHUNK) as usize);
        let from = (chunk - first) * each;
        &self.next[from..(from + each).min(self.next.len())]
    }

    /// When a chunk is due, and how many of its batches then.
    pub fn due(&self, chunk: usize) -> (u16, usize) {
        let next = || self.next_in(chunk).iter().map(|next| next.load(Ordering::Relaxed));
        let first = next().min().unwrap_or(u16::MAX);
        (first, next().filter(|next| *next == first).count())
    }

    /// The chunks of a part that lie in this segment, as numbers of part and chunk.
    pub fn chunks(&self, part: usize) -> Vec<(usize, usize)> {
        let first = (self.from / CHUNK) as usize;
        let count = self.cells.len().div_ceil(CHUNK as usize);
        (first..first + count).map(|chunk| (part, chunk)).collect()
    }
}

/// Where a move leads.
pub(crate) enum To {
    /// To a place of the group.
    Inside(usize, u64),
    /// To a position whose value is known.
    Outside(DatabaseEntry),
}

/// The buffers of a thread.
pub(crate) struct Hand<R: Sliced> {
    pub moves: MoveList<R::Move>,
    pub before: Vec<R::Position>,
    pub inside: Vec<(usize, u64)>,
    pub after: Vec<Next<R::Slice>>,
    pub places: Vec<(R::Slice, u64)>,
    /// Places that wait for update of one that is decided like this, while they are fetched into the cache.
    pub waiting: (i16, Vec<(R::Slice, u64)>),
    /// Slices of other groups that moves lead to.
    pub sources: Vec<R::Slice>,
}

impl<R: Sliced> Hand<R> {
    pub fn new() -> Hand<R> {
        Hand {
            moves: MoveList::new(),
            before: Vec::new(),
            inside: Vec::new(),
            after: Vec::new(),
            places: Vec::new(),
            waiting: (0, Vec::new()),
            sources: Vec::new(),
        }
    }
}

/// All that is needed to work out a group.
pub(crate) struct Group<'a, R: Sliced> {
    pub rules: &'a R,
    pub database: &'a Database<R>,
    pub config: &'a BuildConfig<'a>,
    pub parts: Vec<GroupPart<R::Slice>>,
    /// The whole of each part, where memory allows.
    pub segments: Vec<Segment>,
    /// Set when there is no point in going on.
    pub stop: AtomicBool,
    failure: Mutex<Option<DatabaseFailure>>,
    /// Places dealt with in this pass.
    done: AtomicU64,
    /// Places that sweeps have gone over.
    pub swept: AtomicU64,
    run: RunPart,
    step: Mutex<BuildStep>,
    /// Since when this step lasts, and how long those before took: first look, layers, writing.
    clock: Mutex<(Instant, [Duration; 3])>,
    /// When progress was told last, in milliseconds since the start.
    told: AtomicU64,
}

/// Milliseconds between reports on the way.
const TELL: u64 = 100;

impl<'a, R: Sliced> Group<'a, R> {
    pub fn new(
        rules: &'a R,
        database: &'a Database<R>,
        config: &'a BuildConfig<'a>,
        slices: &[R::Slice],
        run: RunPart,
    ) -> Group<'a, R> {
        let part = |&slice: &R::Slice| GroupPart { slice, places: rules.places(slice) };
        Group {
            rules,
            database,
            config,
            parts: slices.iter().map(part).collect(),
            segments: Vec::new(),
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
            done: AtomicU64::new(0),
            swept: AtomicU64::new(0),
            run,
            step: Mutex::new(BuildStep::First),
            clock: Mutex::new((Instant::now(), [Duration::ZERO; 3])),
            told: AtomicU64::new(0),
        }
    }

    /// Allocates memory for all places.
    pub fn in_memory(mut self) -> Self {
        self.segments = self.parts.iter().map(|part| Segment::new(0, part.places)).collect();
        self
    }

    /// A step begins.
    pub fn tell(&self, step: BuildStep) {
        self.spent();
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = step;
        self.done.store(0, Ordering::Relaxed);
        self.report();
    }

    /// How long first look, layers and writing have taken.
    pub fn spent(&self) -> [Duration; 3] {
        let n = match *self.step.lock().unwrap_or_else(PoisonError::into_inner) {
            BuildStep::First => 0,
            BuildStep::Layer(_) => 1,
            BuildStep::Write => 2,
        };
        let (since, spent) = &mut *self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        spent[n] += since.elapsed();
        *since = Instant::now();
        *spent
    }

    /// Tells how far it is, if somebody wants to know and has not just been told.
    fn report(&self) {
        let Some(progress) = self.config.progress else { return };
        let elapsed = self.run.since.elapsed();
        let now = elapsed.as_millis() as u64;
        let told = self.told.load(Ordering::Relaxed);
        let mine = self.told.compare_exchange(told, now, Ordering::Relaxed, Ordering::Relaxed);
        if (told > 0 && now < told + TELL) || mine.is_err() {
            return;
        }
        let RunPart { group, places, .. } = self.run;
        let here = self.parts.iter().map(|part| part.places).sum();
        let rate = places[0] as f64 / elapsed.as_secs_f64();
        let left = (places[0] > 0 && elapsed.as_secs() > 0)
            .then(|| Duration::from_secs_f64((places[1] - places[0]) as f64 / rate));
        progress(&BuildProgress {
            slices: self.parts.iter().map(|part| self.rules.slice_name(part.slice)).collect(),
            group,
            step: *self.step.lock().unwrap_or_else(PoisonError::into_inner),
            done: [self.done.load(Ordering::Relaxed), here],
            places,
            elapsed,
            left,
        });
    }

    /// All chunks, as numbers of part and chunk.
    pub fn chunks(&self) -> Vec<(usize, usize)> {
        self.segments.iter().enumerate().flat_map(|(n, segment)| segment.chunks(n)).collect()
    }

    /// Does something for each of these chunks; `work` gets the part's number, the chunk's and its places.
    pub fn each(
        &self,
        chunks: &[(usize, usize)],
        work: impl Fn(&mut Hand<R>, usize, usize, Range<u64>) -> Result<(), DatabaseFailure> + Sync,
    ) -> Result<Vec<Hand<R>>, DatabaseFailure> {
        self.each_by(self.config.threads, chunks, work)
    }

    /// The same by so many threads.
    pub fn each_by(
        &self,
        threads: usize,
        chunks: &[(usize, usize)],
        work: impl Fn(&mut Hand<R>, usize, usize, Range<u64>) -> Result<(), DatabaseFailure> + Sync,
    ) -> Result<Vec<Hand<R>>, DatabaseFailure> {
        let hands = work::share(threads, chunks.len(), &self.stop, Hand::new, |hand, n| {
            let (part, chunk) = chunks[n];
            let from = chunk as u64 * CHUNK;
            let places = from..(from + CHUNK).min(self.parts[part].places);
            let count = places.end - places.start;
            if let Err(failure) = work(hand, part, chunk, places) {
                self.fail(failure);
            }
            self.done.fetch_add(count, Ordering::Relaxed);
            self.report();
            if self.config.cancelled() {
                self.fail(DatabaseFailure::Interrupted);
            }
        });
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(failure) => Err(failure),
            None => Ok(hands),
        }
    }

    fn fail(&self, failure: DatabaseFailure) {
        self.stop.store(true, Ordering::Relaxed);
        let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(failure);
    }

    /// The number of the part that holds a slice.
    #[inline(always)]
    pub fn part(&self, slice: R::Slice) -> Option<usize> {
        self.parts.iter().position(|part| part.slice == slice)
    }

    /// The number of the part that holds a slice; if there is none, the slice is noted.
    #[inline(always)]
    pub fn inside(&self, slice: R::Slice, sources: Option<&mut Vec<R::Slice>>) -> Option<usize> {
        let part = self.part(slice);
        if part.is_none()
            && let Some(sources) = sources
            && !sources.contains(&slice)
        {
            sources.push(slice);
        }
        part
    }

    /// Where a move leads: into the group, or to what is known from elsewhere. For wins, draws and losses, which are the same
    /// for all positions of a place.
    #[inline(always)]
    pub fn find(
        &self,
        next: Next<R::Slice>,
        sources: Option<&mut Vec<R::Slice>>,
    ) -> Result<To, DatabaseFailure> {
        let entry = match next {
            Next::Place(slice, place) => {
                if let Some(part) = self.inside(slice, sources) {
                    return Ok(To::Inside(part, place));
                }
                self.database.entry_at(self.rules, slice, place)?
            }
            Next::Over(value) => Some(DatabaseEntry { value, distance: None }),
            Next::Nowhere => None,
        };
        entry.map(To::Outside).ok_or_else(|| {
            let name = match next {
                Next::Place(slice, _) => self.rules.slice_name(slice),
                _ => "none".into(),
            };
            DatabaseFailure::Refused(format!(
                "a move of {} leads out of it to a slice that was not built before: {name}",
                self.rules.slice_name(self.parts[0].slice)
            ))
        })
    }

    /// The same for a position, and with scores.
    #[inline(always)]
    pub fn find_position(
        &self,
        p: &R::Position,
        sources: Option<&mut Vec<R::Slice>>,
    ) -> Result<To, DatabaseFailure> {
        if let Some((slice, place)) = self.rules.place(p)
            && let Some(part) = self.inside(slice, sources)
        {
            return Ok(To::Inside(part, place));
        }
        match self.database.entry(self.rules, p)? {
            Some(entry) => Ok(To::Outside(entry)),
            None => Err(DatabaseFailure::Refused(format!(
                "a move leads to \"{}\", which belongs to no slice that was built before",
                self.rules.position_text(p)
            ))),
        }
    }

    /// The plies of a way out: counted on where distances are asked for.
    #[inline(always)]
    pub fn plies(&self, entry: DatabaseEntry) -> Result<u16, DatabaseFailure> {
        match self.config.distance {
            false => Ok(0),
            true => u16::try_from(entry.distance.unwrap_or(0)).map_err(|_| too_long()),
        }
    }
}

/// The slices that the work of all threads depends on.
pub(crate) fn sources<R: Sliced>(hands: Vec<Hand<R>>) -> Vec<R::Slice> {
    let mut sources: Vec<R::Slice> = hands.into_iter().flat_map(|hand| hand.sources).collect();
    sources.sort();
    sources.dedup();
    sources
}

/// A line of more than 32,000 plies.
pub(crate) fn too_long() -> DatabaseFailure {
    DatabaseFailure::Refused("a win takes more plies than fit a cell (32,766)".into())
}

/// A win or loss as a cell.
#[inline(always)]
pub(crate) fn cell(value: Value, plies: u16) -> Result<i16, DatabaseFailure> {
    let size = i16::try_from(plies).ok().and_then(|p| p.checked_add(1)).ok_or_else(too_long)?;
    Ok(if value > 0 { size } else { -size })
}

/// The plies of a cell that is not 0.
#[inline(always)]
pub(crate) fn plies_of(cell: i16) -> u16 {
    cell.unsigned_abs() - 1
}
