//! Verifying the files of one group.

use super::VerifyConfig;
use crate::database::{Database, is_wdl};
use crate::format::{self, Coding, SliceHeader};
use crate::slice_file::SliceFile;
use crate::{Damage, DatabaseEntry, DatabaseFailure, work};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI16, Ordering::Relaxed};
use zermelo_game::outside::printable;
use zermelo_game::{MoveList, Next, Sliced, Value};

/// Places that are looked at by a thread at a time.
const CHUNK: u64 = 4096;

/// A slice under examination.
pub(super) struct CheckedPart<'a, S> {
    slice: S,
    pub file: &'a SliceFile,
    /// What the file says: a cell as in [`crate::group`] with distances, else the value.
    pub said: Vec<i16>,
    /// What is worked out without distances.
    found: Vec<AtomicI16>,
}

/// A value that is none: of places without a position.
const NONE: i16 = i16::MIN;

/// The files of a group, and what is known of their places.
pub(super) struct GroupCheck<'a, R: Sliced> {
    rules: &'a R,
    wdl: bool,
    database: &'a Database<R>,
    config: &'a VerifyConfig<'a>,
    pub parts: Vec<CheckedPart<'a, R::Slice>>,
    /// The first failure, by part and place.
    first: Mutex<Option<(usize, u64, DatabaseFailure)>>,
    stop: AtomicBool,
}

impl<'a, R: Sliced> GroupCheck<'a, R> {
    /// Unpacks the files of a group; what they leave out is worked out from other groups.
    pub fn new(
        rules: &'a R,
        database: &'a Database<R>,
        config: &'a VerifyConfig<'a>,
        files: &[(R::Slice, &'a SliceFile)],
    ) -> Result<GroupCheck<'a, R>, DatabaseFailure> {
        let mut parts = Vec::new();
        for &(slice, file) in files {
            let places = file.header.places as usize;
            // With distances a single look at each place will do.
            let settled = file.header.coding == Coding::Distance;
            let found = if settled { Vec::new() } else { vec![NONE; places] };
            let found = found.into_iter().map(AtomicI16::new).collect();
            parts.push(CheckedPart { slice, file, said: vec![NONE; places], found });
        }
        let (first, stop) = (Mutex::new(None), AtomicBool::new(false));
        let wdl = is_wdl(rules);
        let mut check = GroupCheck { rules, wdl, database, config, parts, first, stop };
        for n in 0..check.parts.len() {
            let file = check.parts[n].file;
            let blocks = file.header.blocks() as usize;
            let found = work::share(config.threads, blocks, &check.stop, Vec::new, |out, b| {
                match check.unpack(n, b) {
                    Ok(said) => out.push((b, said)),
                    Err(failure) => check.fail(n, b as u64 * file.header.block, failure),
                }
                check.heed();
            });
            check.verdict()?;
            for (b, said) in found.into_iter().flatten() {
                let at = b * file.header.block as usize;
                for (i, (said, sure)) in said.into_iter().enumerate() {
                    check.parts[n].said[at + i] = said;
                    if let Some(found) = check.parts[n].found.get(at + i) {
                        let start = if said == NONE || sure { said } else { 0 };
                        found.store(start, Relaxed);
                    }
                }
            }
        }
        Ok(check)
    }

    /// What a block says of each place, and whether it was worked out here because the file leaves it out.
    fn unpack(&self, n: usize, block: usize) -> Result<Vec<(i16, bool)>, DatabaseFailure> {
        let (rules, CheckedPart { slice, file, .. }) = (self.rules, &self.parts[n]);
        let packed = file.read_block(block)?;
        let SliceHeader { width, coding, quiet, .. } = file.header;
        let (from, mut said) = (block as u64 * file.header.block, Vec::new());
        let mut moves = MoveList::new();
        rules.walk(*slice, from..from + file.header.block_places(block as u64), |place, p| {
            said.push(match p {
                None => (NONE, false),
                Some(p) if quiet && rules.noisy(&p) => {
                    (self.best(&mut moves, &p, |_, _| NONE)?, true)
                }
                Some(_) => {
                    let symbol = format::symbol(&packed, width, (place - from) as usize);
                    let entry = file.decode(symbol)?;
                    let said = match coding {
                        Coding::Distance => cell(entry.value, entry.distance.unwrap_or(0)),
                        _ => entry.value,
                    };
                    (said, false)
                }
            });
            Ok::<(), DatabaseFailure>(())
        })?;
        Ok(said)
    }

    /// Compares every entry with what its moves lead to, and sees that wins and losses are well-founded.
    pub fn run(&self) -> Result<(), DatabaseFailure> {
        self.each(|moves, n, places| {
            let CheckedPart { slice, file, .. } = self.parts[n];
            let quiet = file.header.quiet;
            self.rules.walk(slice, places, |place, p| {
                // What the file leaves out has been worked out already.
                let Some(p) = p.filter(|p| !(quiet && self.rules.noisy(p))) else { return Ok(()) };
                let said = self.parts[n].said[place as usize];
                let right = self.best(moves, &p, |part, place| part.said[place as usize])?;
                if said != right {
                    let why =
                        format!("{}, its moves make it {}", self.words(said), self.words(right));
                    return Err(self.wrong(n, place, &why).into());
                }
                Ok(())
            })
        })?;
        if self.parts[0].file.header.coding != Coding::Distance {
            self.settle()?;
        }
        (0..self.parts.len()).try_for_each(|n| self.counts(n).map_err(DatabaseFailure::from))
    }

    /// Works out values from nothing, as far as they are not what the file says.
    fn settle(&self) -> Result<(), DatabaseFailure> {
        loop {
            let changes = AtomicBool::new(false);
            self.each(|moves, n, places| {
                let CheckedPart { said, found, slice, .. } = &self.parts[n];
                let mut after = Vec::new();
                for place in places {
                    let now = found[place as usize].load(Relaxed);
                    if now == said[place as usize] {
                        continue;
                    }
                    let Some(p) = self.rules.at(*slice, place) else { continue };
                    let best = match self.wdl {
                        true => self.best_place(moves, &mut after, &p)?,
                        false => self.best(moves, &p, |part, place| {
                            part.found[place as usize].load(Relaxed)
                        })?,
                    };
                    if best != now {
                        found[place as usize].store(best, Relaxed);
                        changes.store(true, Relaxed);
                    }
                }
                Ok(())
            })?;
            if !changes.into_inner() {
                break;
            }
        }
        for (n, part) in self.parts.iter().enumerate() {
            let differ = |(said, found): (&i16, &AtomicI16)| *said != found.load(Relaxed);
            if let Some(place) = part.said.iter().zip(&part.found).position(differ) {
                let why = format!(
                    "{}, but that rests on nothing (found: {})",
                    self.words(part.said[place]),
                    self.words(part.found[place].load(Relaxed))
                );
                return Err(self.wrong(n, place as u64, &why).into());
            }
        }
        Ok(())
    }

    /// What the moves of a position make it, where `inside` tells what its group says.
    fn best(
        &self,
        moves: &mut MoveList<R::Move>,
        p: &R::Position,
        inside: impl Fn(&CheckedPart<R::Slice>, u64) -> i16,
    ) -> Result<i16, DatabaseFailure> {
        let (rules, distances) = (self.rules, self.parts[0].file.header.coding == Coding::Distance);
        if let Some(value) = rules.outcome(p) {
            let value = rules.kept_for(p, value * rules.turn(p).sign());
            return Ok(if distances { cell(value, 0) } else { value });
        }
        moves.clear();
        rules.moves(p, moves);
        let mut best: Option<DatabaseEntry> = None;
        for m in moves.iter() {
            let next = rules.play(p, m);
            let place = rules.place(&next);
            let part = place.and_then(|(slice, place)| {
                Some((self.parts.iter().find(|part| part.slice == slice)?, place))
            });
            let entry = match (part, place) {
                (Some((part, place)), _) => match inside(part, place) {
                    NONE => {
                        let text = rules.position_text(&next);
                        let why = format!("a move leads to \"{text}\", whose place is empty");
                        return Err(Damage::new(&part.file.path, &why).into());
                    }
                    0 => DatabaseEntry { value: rules.value_of(&next, 0), distance: None },
                    c if distances => DatabaseEntry {
                        value: c.signum(),
                        distance: Some(u32::from(c.unsigned_abs()) - 1),
                    },
                    c => DatabaseEntry { value: rules.value_of(&next, c), distance: None },
                },
                (None, Some((slice, place))) if self.wdl => {
                    let known = self.database.entry_at(rules, slice, place)?;
                    known.ok_or_else(|| self.unknown(&next))?
                }
                _ => self.database.entry(rules, &next)?.ok_or_else(|| self.unknown(&next))?,
            };
            let new =
                DatabaseEntry { value: -entry.value, distance: entry.distance.map(|d| d + 1) };
            best = Some(match best {
                Some(old) if old.value > new.value => old,
                Some(old)
                    if old.value == new.value
                        && (new.value > 0) != (new.distance < old.distance) =>
                {
                    old
                }
                _ => new,
            });
        }
        let DatabaseEntry { value, distance } =
            best.unwrap_or(DatabaseEntry { value: 0, distance: None });
        let value = rules.kept_for(p, value);
        Ok(if distances { cell(value, distance.unwrap_or(0)) } else { value })
    }

    /// What the moves of a position make it by what is found so far, in games of wins, draws and losses. The first look has
    /// played all moves; here it will do to ask for their places.
    fn best_place(
        &self,
        moves: &mut MoveList<R::Move>,
        after: &mut Vec<Next<R::Slice>>,
        p: &R::Position,
    ) -> Result<i16, DatabaseFailure> {
        let rules = self.rules;
        if let Some(value) = rules.outcome(p) {
            return Ok(value * rules.turn(p).sign());
        }
        after.clear();
        rules.places_after(p, moves, after);
        let mut best = -1;
        for next in after {
            let value = match *next {
                Next::Place(slice, place) => {
                    match self.parts.iter().find(|part| part.slice == slice) {
                        Some(part) => part.found[place as usize].load(Relaxed),
                        None => match self.database.entry_at(rules, slice, place)? {
                            Some(entry) => entry.value,
                            None => return Err(self.unknown(p).into()),
                        },
                    }
                }
                Next::Over(value) => value,
                Next::Nowhere => return Err(self.unknown(p).into()),
            };
            match value {
                NONE => return Err(self.unknown(p).into()),
                value if value < 0 => return Ok(1),
                value => best = best.max(-value),
            }
        }
        Ok(best)
    }

    fn unknown(&self, p: &R::Position) -> Damage {
        let text = self.rules.position_text(p);
        let why = format!("a move leads to \"{text}\", of which no file tells");
        Damage::new(&self.parts[0].file.path, &why)
    }

    /// The counts of the header.
    fn counts(&self, n: usize) -> Result<(), Damage> {
        let CheckedPart { file, said, .. } = &self.parts[n];
        let header = &file.header;
        let mut counts = [0u64; 3];
        for c in said.iter().filter(|c| **c != NONE) {
            counts[(1 - c.signum()) as usize] += 1;
        }
        if counts != [header.wins, header.draws, header.losses] {
            let [wins, draws, losses] = counts;
            let why = format!("the header miscounts: {wins} wins, {draws} draws, {losses} losses");
            return Err(Damage::new(&file.path, &why));
        }
        self.longest(n)
    }

    /// The longest win of the header.
    fn longest(&self, n: usize) -> Result<(), Damage> {
        let CheckedPart { file, said, slice, .. } = &self.parts[n];
        let damaged = |why: &str| Err(Damage::new(&file.path, why));
        let top = said.iter().copied().max().filter(|top| *top > 0);
        let longest = match (&file.header.longest, file.header.coding, top) {
            (None, Coding::Score, _) | (None, _, None) => return Ok(()),
            (Some(longest), Coding::Wdl | Coding::Distance, Some(_)) => longest,
            (None, ..) => return damaged("the longest win is missing"),
            (Some(_), ..) => return damaged("it names a longest win, and there is none"),
        };
        let p = self.rules.parse_position(&longest.position).map_err(|e| {
            let why = format!("the longest win cannot be read: {}", printable(&e.to_string()));
            Damage::new(&file.path, &why)
        })?;
        let place = self.rules.place(&p).filter(|(s, _)| s == slice);
        let there = place.map(|(_, place)| said[place as usize]);
        let fine = match file.header.coding {
            Coding::Distance => there == top && Some(cell(1, longest.plies)) == top,
            _ => there == Some(1),
        };
        if fine { Ok(()) } else { damaged("the longest win is another one") }
    }

    /// Does something for all places, by chunks.
    fn each(
        &self,
        work: impl Fn(&mut MoveList<R::Move>, usize, Range<u64>) -> Result<(), DatabaseFailure> + Sync,
    ) -> Result<(), DatabaseFailure> {
        for n in 0..self.parts.len() {
            let places = self.parts[n].file.header.places;
            let chunks = places.div_ceil(CHUNK) as usize;
            work::share(self.config.threads, chunks, &self.stop, MoveList::new, |moves, chunk| {
                let from = chunk as u64 * CHUNK;
                if let Err(failure) = work(moves, n, from..(from + CHUNK).min(places)) {
                    self.fail(n, from, failure);
                }
                self.heed();
            });
            self.verdict()?;
        }
        Ok(())
    }

    /// Keeps the failure that comes first in the order of places. Chunks are taken in order, so those before it are
    /// finished or at work.
    fn fail(&self, part: usize, place: u64, failure: DatabaseFailure) {
        self.stop.store(true, Relaxed);
        let mut first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if first.as_ref().is_none_or(|(p, at, _)| (part, place) < (*p, *at)) {
            *first = Some((part, place, failure));
        }
    }

    fn heed(&self) {
        if self.config.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
            self.fail(usize::MAX, u64::MAX, DatabaseFailure::Interrupted);
        }
    }

    fn verdict(&self) -> Result<(), DatabaseFailure> {
        let mut first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        first.take().map_or(Ok(()), |(_, _, failure)| Err(failure))
    }

    /// Something is wrong with an entry.
    fn wrong(&self, n: usize, place: u64, why: &str) -> Damage {
        let part = &self.parts[n];
        let text = self.rules.at(part.slice, place).map(|p| self.rules.position_text(&p));
        let text = text.unwrap_or_else(|| format!("place {place}"));
        Damage::new(&part.file.path, &format!("wrong entry: \"{text}\" is called {why}"))
    }

    /// A cell or value, for people.
    fn words(&self, cell: i16) -> String {
        if !is_wdl(self.rules) {
            return cell.to_string();
        }
        let name = ["lost", "drawn", "won"][(cell.signum() + 1) as usize];
        match self.parts[0].file.header.coding {
            Coding::Distance if cell != 0 => format!("{name} in {}", cell.unsigned_abs() - 1),
            _ => name.to_owned(),
        }
    }
}

/// All symbols of a slice.
pub(super) fn whole(header: &SliceHeader, said: &[i16]) -> Box<[u8]> {
    let symbol = |said: &i16| match (header.coding, *said) {
        (_, NONE) => None,
        (Coding::Wdl, said) => Some(format::WDL[(said + 1) as usize]),
        (_, said) => Some(format::folded(said)),
    };
    let pack = |said: &[i16]| format::pack(header.width, said.iter().map(symbol));
    said.chunks(1 << 14).flat_map(pack).collect()
}

/// A win or loss in so many plies. (Files hold no more than fit.)
fn cell(value: Value, plies: u32) -> i16 {
    value.signum() * i16::try_from(plies + 1).unwrap_or(i16::MAX)
}
