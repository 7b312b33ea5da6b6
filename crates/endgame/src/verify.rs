//! Verifying: every entry again from its successors, by forward moves alone.
//!
//! A database is right if its files are what they say, and if for each group of slices, after those that it rests on:
//!
//! 1. every entry is the best of what its moves lead to, and so are the counts in the header;
//! 2. wins and losses are well-founded: each can be worked out from ends of the game and other groups in finitely many
//!    steps. Without this, positions could call themselves won because of each other for ever.
//!
//! With distances one look at each entry shows both, as a win in `d` plies must have a loss in `d - 1` behind it. Without,
//! values are worked out once more: everything starts as a draw (as 0), and entries whose value is not yet
//! what the file says are looked at again until nothing changes. What then differs from the file is not well-founded. Draws
//! (zeros) need no foundation: by the first rule both players can keep to them for ever.
//!
//! Nothing here takes a move back. Every entry is compared with what its moves lead to, played one by one; only the sweeps of
//! the second rule ask for the places after a position, as the builder does. The number of plies of the longest win is compared where files hold distances; in
//! others its position must be a win.

use crate::database::{Database, Stored, is_wdl};
use crate::folder::SLICE;
use crate::format::{self, Coding, Header};
use crate::{Damage, Entry, Failure, work};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI16, Ordering::Relaxed};
use zermelo_game::{MoveList, Next, Sliced, Value};

/// Places that are looked at by a thread at a time.
const CHUNK: u64 = 4096;

/// How to verify.
pub struct Config<'a> {
    /// Threads.
    pub threads: usize,
    /// Bytes for values and blocks.
    pub memory: u64,
    /// Set by others to end the run.
    pub cancel: Option<&'a AtomicBool>,
    /// Told before each group how far it is.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl Default for Config<'_> {
    fn default() -> Self {
        Config { threads: 1, memory: 4 << 30, cancel: None, progress: None }
    }
}

/// How far it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The slices of the group that comes next.
    pub slices: Vec<String>,
    /// Places that are verified, and all.
    pub places: [u64; 2],
}

/// What was found to be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Files.
    pub files: usize,
    /// Entries, one for each position.
    pub positions: u64,
}

/// Verifies all files of a folder. The first thing that is wrong is a [`Failure::Damage`].
pub fn verify<G: Sliced>(game: &G, dir: &Path, config: &Config) -> Result<Verified, Failure> {
    let database = Database::open(game, dir, config.memory / 16)?;
    if database.files().is_empty() {
        let why = format!("{}: no file named *.{SLICE} here", dir.display());
        return Err(Failure::Refused(why));
    }
    let all = database.files().iter().map(|f| f.header.places).sum();
    let mut verified = Verified { files: 0, positions: 0 };
    let mut places = 0;
    let mut room = config.memory / 16 * 3;
    for group in game.groups(database.most_pieces()) {
        let files: Vec<(G::Slice, &Stored)> =
            group.iter().filter_map(|s| Some((*s, database.file(*s)?))).collect();
        if let Some((_, file)) = files.first().filter(|_| files.len() < group.len()) {
            return Err(Damage::new(&file.path, "other slices of its group are missing").into());
        }
        if files.is_empty() {
            continue;
        }
        if let Some(progress) = config.progress {
            let slices = group.iter().map(|s| game.slice_name(*s)).collect();
            progress(&Progress { slices, places: [places, all] });
        }
        for (_, file) in &files {
            check_sources(&database, file)?;
        }
        let here: u64 = files.iter().map(|(_, f)| f.header.places).sum();
        let (need, mib) = (here * 4 + config.memory / 4, |bytes: u64| bytes.div_ceil(1 << 20));
        if need > config.memory {
            let (need, allowed) = (mib(here * 4 * 4 / 3), mib(config.memory));
            let why = format!("verifying takes {need} MiB of memory, allowed are {allowed} MiB");
            return Err(Failure::Refused(why));
        }
        let check = Check::new(game, &database, config, &files)?;
        check.run()?;
        // What is verified is looked up by later groups.
        for Part { file, said, .. } in check.parts {
            let bytes = file.header.packed_bytes(file.header.places) as u64;
            if bytes <= room {
                room -= bytes;
                file.set_whole(whole(&file.header, &said));
            }
        }
        verified.files += files.len();
        verified.positions += files.iter().map(|(_, f)| f.header.positions).sum::<u64>();
        places += here;
    }
    Ok(verified)
}

/// Every file that a file was built from must be here, and be the same.
fn check_sources<G: Sliced>(database: &Database<G>, file: &Stored) -> Result<(), Damage> {
    for source in &file.header.sources {
        let found = database.files().iter().find(|f| f.header.slice == source.slice);
        if found.is_none_or(|f| f.digest != source.digest) {
            let why = format!("the file {} that it was built from is not here", source.slice);
            return Err(Damage::new(&file.path, &why));
        }
    }
    Ok(())
}

/// A slice under examination.
struct Part<'a, S> {
    slice: S,
    file: &'a Stored,
    /// What the file says: a cell as in [`crate::group`] with distances, else the value.
    said: Vec<i16>,
    /// What is worked out without distances.
    found: Vec<AtomicI16>,
}

/// A value that is none: of places without a position.
const NONE: i16 = i16::MIN;

struct Check<'a, G: Sliced> {
    game: &'a G,
    wdl: bool,
    database: &'a Database<G>,
    config: &'a Config<'a>,
    parts: Vec<Part<'a, G::Slice>>,
    /// The first failure, by part and place.
    first: Mutex<Option<(usize, u64, Failure)>>,
    stop: AtomicBool,
}

impl<'a, G: Sliced> Check<'a, G> {
    /// Unpacks the files of a group; what they leave out is worked out from other groups.
    fn new(
        game: &'a G,
        database: &'a Database<G>,
        config: &'a Config<'a>,
        files: &[(G::Slice, &'a Stored)],
    ) -> Result<Check<'a, G>, Failure> {
        let mut parts = Vec::new();
        for &(slice, file) in files {
            let places = file.header.places as usize;
            // With distances a single look at each place will do.
            let settled = file.header.coding == Coding::Distance;
            let found = if settled { Vec::new() } else { vec![NONE; places] };
            let found = found.into_iter().map(AtomicI16::new).collect();
            parts.push(Part { slice, file, said: vec![NONE; places], found });
        }
        let (first, stop) = (Mutex::new(None), AtomicBool::new(false));
        let wdl = is_wdl(game);
        let mut check = Check { game, wdl, database, config, parts, first, stop };
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
    fn unpack(&self, n: usize, block: usize) -> Result<Vec<(i16, bool)>, Failure> {
        let (game, Part { slice, file, .. }) = (self.game, &self.parts[n]);
        let packed = file.read_block(block)?;
        let Header { width, coding, quiet, .. } = file.header;
        let (from, mut said) = (block as u64 * file.header.block, Vec::new());
        let mut moves = MoveList::new();
        game.walk(*slice, from..from + file.header.block_places(block as u64), |place, p| {
            said.push(match p {
                None => (NONE, false),
                Some(p) if quiet && game.loud(&p) => {
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
            Ok::<(), Failure>(())
        })?;
        Ok(said)
    }

    fn run(&self) -> Result<(), Failure> {
        self.each(|moves, n, places| {
            let Part { slice, file, .. } = self.parts[n];
            let quiet = file.header.quiet;
            self.game.walk(slice, places, |place, p| {
                // What the file leaves out has been worked out already.
                let Some(p) = p.filter(|p| !(quiet && self.game.loud(p))) else { return Ok(()) };
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
        (0..self.parts.len()).try_for_each(|n| self.counts(n).map_err(Failure::from))
    }

    /// Works out values from nothing, as far as they are not what the file says.
    fn settle(&self) -> Result<(), Failure> {
        loop {
            let changes = AtomicBool::new(false);
            self.each(|moves, n, places| {
                let Part { said, found, slice, .. } = &self.parts[n];
                let mut after = Vec::new();
                for place in places {
                    let now = found[place as usize].load(Relaxed);
                    if now == said[place as usize] {
                        continue;
                    }
                    let Some(p) = self.game.at(*slice, place) else { continue };
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
        moves: &mut MoveList<G::Move>,
        p: &G::Position,
        inside: impl Fn(&Part<G::Slice>, u64) -> i16,
    ) -> Result<i16, Failure> {
        let (game, distances) = (self.game, self.parts[0].file.header.coding == Coding::Distance);
        if let Some(value) = game.outcome(p) {
            let value = game.kept_for(p, value * game.turn(p).sign());
            return Ok(if distances { cell(value, 0) } else { value });
        }
        moves.clear();
        game.moves(p, moves);
        let mut best: Option<Entry> = None;
        for m in moves.iter() {
            let next = game.play(p, m);
            let place = game.place(&next);
            let part = place.and_then(|(slice, place)| {
                Some((self.parts.iter().find(|part| part.slice == slice)?, place))
            });
            let entry = match (part, place) {
                (Some((part, place)), _) => match inside(part, place) {
                    NONE => {
                        let text = game.position_text(&next);
                        let why = format!("a move leads to \"{text}\", whose place is empty");
                        return Err(Damage::new(&part.file.path, &why).into());
                    }
                    0 => Entry { value: game.value_of(&next, 0), distance: None },
                    c if distances => {
                        Entry { value: c.signum(), distance: Some(u32::from(c.unsigned_abs()) - 1) }
                    }
                    c => Entry { value: game.value_of(&next, c), distance: None },
                },
                (None, Some((slice, place))) if self.wdl => {
                    let known = self.database.entry_at(game, slice, place)?;
                    known.ok_or_else(|| self.unknown(&next))?
                }
                _ => self.database.entry(game, &next)?.ok_or_else(|| self.unknown(&next))?,
            };
            let new = Entry { value: -entry.value, distance: entry.distance.map(|d| d + 1) };
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
        let Entry { value, distance } = best.unwrap_or(Entry { value: 0, distance: None });
        let value = game.kept_for(p, value);
        Ok(if distances { cell(value, distance.unwrap_or(0)) } else { value })
    }

    /// What the moves of a position make it by what is found so far, in games of wins, draws and losses. The first look has
    /// played all moves; here it will do to ask for their places.
    fn best_place(
        &self,
        moves: &mut MoveList<G::Move>,
        after: &mut Vec<Next<G::Slice>>,
        p: &G::Position,
    ) -> Result<i16, Failure> {
        let game = self.game;
        if let Some(value) = game.outcome(p) {
            return Ok(value * game.turn(p).sign());
        }
        after.clear();
        game.places_after(p, moves, after);
        let mut best = -1;
        for next in after {
            let value = match *next {
                Next::Place(slice, place) => {
                    match self.parts.iter().find(|part| part.slice == slice) {
                        Some(part) => part.found[place as usize].load(Relaxed),
                        None => match self.database.entry_at(game, slice, place)? {
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

    fn unknown(&self, p: &G::Position) -> Damage {
        let text = self.game.position_text(p);
        let why = format!("a move leads to \"{text}\", of which no file tells");
        Damage::new(&self.parts[0].file.path, &why)
    }

    /// The counts of the header.
    fn counts(&self, n: usize) -> Result<(), Damage> {
        let Part { file, said, slice, .. } = &self.parts[n];
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
        let (top, place) = said
            .iter()
            .enumerate()
            .filter(|(_, c)| **c > 0)
            .fold((0, None), |(top, at), (i, c)| if *c > top { (*c, Some(i)) } else { (top, at) });
        let longest = header.longest.as_ref();
        let there = longest.map(|l| {
            let p = self.game.parse_position(&l.position).ok()?;
            let (s, place) = self.game.place(&p)?;
            (s == *slice).then(|| said[place as usize])
        });
        let fine = match (header.coding, there) {
            (Coding::Score, _) => longest.is_none(),
            (_, None) => place.is_none(),
            (Coding::Distance, Some(c)) => {
                c == Some(top) && longest.is_some_and(|l| cell(1, l.plies) == top)
            }
            (Coding::Wdl, Some(c)) => c == Some(1),
        };
        if fine { Ok(()) } else { Err(Damage::new(&file.path, "the longest win is another one")) }
    }

    /// Does something for all places, by chunks.
    fn each(
        &self,
        work: impl Fn(&mut MoveList<G::Move>, usize, Range<u64>) -> Result<(), Failure> + Sync,
    ) -> Result<(), Failure> {
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
    fn fail(&self, part: usize, place: u64, failure: Failure) {
        self.stop.store(true, Relaxed);
        let mut first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if first.as_ref().is_none_or(|(p, at, _)| (part, place) < (*p, *at)) {
            *first = Some((part, place, failure));
        }
    }

    fn heed(&self) {
        if self.config.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
            self.fail(usize::MAX, u64::MAX, Failure::Interrupted);
        }
    }

    fn verdict(&self) -> Result<(), Failure> {
        let mut first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        first.take().map_or(Ok(()), |(_, _, failure)| Err(failure))
    }

    /// Something is wrong with an entry.
    fn wrong(&self, n: usize, place: u64, why: &str) -> Damage {
        let part = &self.parts[n];
        let text = self.game.at(part.slice, place).map(|p| self.game.position_text(&p));
        let text = text.unwrap_or_else(|| format!("place {place}"));
        Damage::new(&part.file.path, &format!("wrong entry: \"{text}\" is called {why}"))
    }

    /// A cell or value, for people.
    fn words(&self, cell: i16) -> String {
        if !is_wdl(self.game) {
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
fn whole(header: &Header, said: &[i16]) -> Box<[u8]> {
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
