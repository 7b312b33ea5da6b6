//! Probing: the value of a position from the files of a folder.
//!
//! Blocks are read when they are first asked for, checked, unpacked and kept, as long as they fit the
//! memory that was allowed. Any number of threads may probe. A slice without a file is unknown; a block that does not match its checksum is an error, whatever it
//! seems to say.

use crate::cache::{Cache, Held};
use crate::folder::{self, SLICE};
use crate::format::{self, Coding, HEADER_AT, Header, INDEX_ENTRY, RULES};
use crate::{Config, Damage, Failure, work};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use zermelo_game::{Bounds, Game, MoveList, Sliced, Value};

/// What a database says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its value for the player to move.
    pub value: Value,
    /// Plies to the end of the game, for wins and losses in databases with distances.
    pub distance: Option<u32>,
}

/// A block in its file.
#[derive(Clone, Copy, Debug)]
struct Where {
    offset: u64,
    bytes: u32,
    checksum: [u8; 16],
}

/// The file of a slice.
#[derive(Debug)]
pub struct Stored {
    /// Its path.
    pub path: PathBuf,
    /// Its header.
    pub header: Header,
    /// Its digest.
    pub digest: String,
    /// Its length.
    pub bytes: u64,
    file: File,
    index: Vec<Where>,
    held: Vec<Held>,
    /// All symbols, those of loud positions too: what builders and `verify` look up most.
    whole: OnceLock<Box<[u8]>>,
    /// Places of a block are 2 to this power.
    shift: u32,
}

impl Stored {
    /// Opens a file and checks its header and its index.
    pub fn open(path: &Path) -> Result<Stored, Failure> {
        let (file, header, digest, bytes) = folder::open(path)?;
        let damaged = |why: &str| Err(Damage::new(path, why).into());
        let blocks = header.blocks() as usize;
        if header.rest < (blocks * INDEX_ENTRY) as u64 {
            return damaged("the index does not fit the file");
        }
        let at = bytes - header.rest;
        let mut raw = vec![0; blocks * INDEX_ENTRY];
        file.read_exact_at(&mut raw, at).map_err(|e| Failure::io(path, e))?;
        if blake3::hash(&raw).to_hex().as_str() != header.index {
            return damaged("the index does not match its checksum");
        }
        debug_assert!(at >= HEADER_AT as u64);
        let mut offset = at + raw.len() as u64;
        let mut index = Vec::with_capacity(blocks);
        for entry in raw.chunks_exact(INDEX_ENTRY) {
            let (long, checksum) = entry.split_at(4);
            let long = u32::from_le_bytes([long[0], long[1], long[2], long[3]]);
            let checksum = checksum.try_into().expect("sixteen bytes");
            index.push(Where { offset, bytes: long, checksum });
            offset += u64::from(long);
        }
        if offset != bytes {
            return damaged("the blocks do not fill the file");
        }
        let held = (0..blocks).map(|_| Held::default()).collect();
        let shift = header.block.trailing_zeros();
        let (path, whole) = (path.to_owned(), OnceLock::new());
        Ok(Stored { path, header, digest, bytes, file, index, held, whole, shift })
    }

    /// Keeps all symbols at hand. They must be right.
    pub(crate) fn set_whole(&self, packed: Box<[u8]>) {
        debug_assert_eq!(packed.len(), self.header.packed_bytes(self.header.places));
        let _ = self.whole.set(packed);
    }

    /// Reads a block from the file: its packed symbols.
    pub fn read_block(&self, n: usize) -> Result<Vec<u8>, Damage> {
        let Where { offset, bytes, checksum } = self.index[n];
        let mut raw = vec![0; bytes as usize];
        let first = n as u64 * self.header.block;
        let damaged = |why: &str| {
            let why = format!("block {n} (places from {first}): {why}");
            Damage::new(&self.path, &why)
        };
        self.file.read_exact_at(&mut raw, offset).map_err(|e| damaged(&e.to_string()))?;
        if blake3::hash(&raw).as_bytes()[..16] != checksum {
            return Err(damaged("does not match its checksum"));
        }
        format::unpress(&self.header, &raw, self.header.block_places(n as u64))
            .ok_or_else(|| damaged("cannot be unpacked"))
    }

    /// What a symbol says: the stored value and the distance.
    #[inline(always)]
    pub(crate) fn decode(&self, symbol: u16) -> Result<Entry, Damage> {
        let number = format::unfolded(symbol);
        Ok(match self.header.coding {
            Coding::Wdl if symbol == 3 => return Err(Damage::new(&self.path, "no such symbol: 3")),
            Coding::Wdl => Entry { value: [0, 1, -1, 0][usize::from(symbol)], distance: None },
            Coding::Score => Entry { value: number, distance: None },
            Coding::Distance => {
                let distance = u32::from(number.unsigned_abs()).checked_sub(1);
                Entry { value: number.signum(), distance }
            }
        })
    }
}

impl Stored {
    /// The symbol of a value and its distance.
    fn encode(&self, entry: Entry) -> u16 {
        match self.header.coding {
            Coding::Wdl => format::WDL[(entry.value + 1) as usize],
            Coding::Score => format::folded(entry.value),
            Coding::Distance => {
                let size = entry.distance.map_or(0, |d| i16::try_from(d + 1).unwrap_or(i16::MAX));
                format::folded(entry.value.signum() * size)
            }
        }
    }
}

/// The files of a folder.
#[derive(Debug)]
pub struct Database<G: Sliced> {
    dir: PathBuf,
    slices: FxHashMap<G::Slice, usize>,
    stored: Vec<Stored>,
    /// Bytes for blocks.
    limit: u64,
    cache: OnceLock<Cache>,
}

impl<G: Sliced> Database<G> {
    /// Opens all slices of a folder. `memory` bounds the bytes of blocks that are kept.
    pub fn open(game: &G, dir: &Path, memory: u64) -> Result<Database<G>, Failure> {
        let mut database = Database::empty(dir, memory);
        let mut files = Vec::new();
        for path in folder::files(dir, SLICE)? {
            files.push(Stored::open(&path)?);
        }
        let pieces = files.iter().map(|f| f.header.pieces.iter().sum()).max().unwrap_or(0);
        let names: FxHashMap<String, G::Slice> = game
            .groups(pieces)
            .into_iter()
            .flatten()
            .map(|slice| (game.slice_name(slice), slice))
            .collect();
        for file in files {
            let slice = names.get(&file.header.slice).copied();
            database.add(game, slice, file)?;
        }
        database.check_sources()?;
        // No more room than all blocks take.
        let blocks: u64 = database.stored.iter().map(|file| file.header.blocks()).sum();
        database.limit = memory.min(blocks * format::BLOCK_BYTES as u64);
        Ok(database)
    }

    pub(crate) fn empty(dir: &Path, memory: u64) -> Database<G> {
        Database {
            dir: dir.to_owned(),
            slices: FxHashMap::default(),
            stored: Vec::new(),
            limit: memory,
            cache: OnceLock::new(),
        }
    }

    /// Adds a file after a look at what it is.
    pub(crate) fn add(
        &mut self,
        game: &G,
        slice: Option<G::Slice>,
        file: Stored,
    ) -> Result<(), Failure> {
        let header = &file.header;
        let damaged = |why: String| Err(Damage::new(&file.path, &why).into());
        if header.game != game.full_name() {
            return damaged(format!("it belongs to {}, not to {}", header.game, game.full_name()));
        }
        if header.rules != RULES {
            let Header { rules, .. } = header;
            return damaged(format!("made by version {rules} of the rules, this is {RULES}"));
        }
        let Some(slice) = slice else {
            return damaged(format!("{} has no slice {}", header.game, header.slice));
        };
        if header.pieces != game.pieces(slice) || header.places != game.places(slice) {
            return damaged("its size is not that of the slice".into());
        }
        let wdl = is_wdl(game);
        if wdl == (header.coding == Coding::Score) {
            return damaged("its symbols are not those of the game".into());
        }
        if let Some(other) = self.stored.first().filter(|o| o.header.coding != header.coding) {
            let name = other.path.display();
            return damaged(format!("it says other things of positions than {name}"));
        }
        self.slices.insert(slice, self.stored.len());
        self.stored.push(file);
        Ok(())
    }

    /// Checks that files were built from the files that are here.
    fn check_sources(&self) -> Result<(), Damage> {
        let digests: FxHashMap<&str, &str> =
            self.stored.iter().map(|f| (f.header.slice.as_str(), f.digest.as_str())).collect();
        for file in &self.stored {
            for source in &file.header.sources {
                if digests.get(source.slice.as_str()).is_some_and(|d| *d != source.digest) {
                    let why = format!("it was built from another file {}", source.slice);
                    return Err(Damage::new(&file.path, &why));
                }
            }
        }
        Ok(())
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> &[Stored] {
        &self.stored
    }

    /// The file of a slice.
    #[must_use]
    pub fn file(&self, slice: G::Slice) -> Option<&Stored> {
        self.slices.get(&slice).map(|&n| &self.stored[n])
    }

    /// The most pieces for which there is a file.
    #[must_use]
    pub fn most_pieces(&self) -> u32 {
        self.stored.iter().map(|f| f.header.pieces.iter().sum()).max().unwrap_or(0)
    }

    /// Changes the memory for blocks. Those that are kept are forgotten.
    pub(crate) fn set_memory(&mut self, memory: u64) {
        (self.limit, self.cache) = (memory, OnceLock::new());
        for file in &mut self.stored {
            file.held.iter_mut().for_each(|held| *held = Held::default());
        }
    }

    /// The blocks in memory.
    #[inline(always)]
    fn cache(&self) -> &Cache {
        self.cache.get_or_init(|| Cache::new(self.limit))
    }

    /// What is known of a position, from the first player's point of view. Unknown is the full range.
    pub fn probe(&self, game: &G, p: &G::Position) -> Result<Bounds, Damage> {
        let all = game.values();
        if let Some(entry) = self.stored_entry(game, p)? {
            return Ok(Bounds::exact(entry.value).seen_by(game.turn(p)));
        }
        if let Some(value) = game.outcome(p) {
            return Ok(Bounds::exact(value));
        }
        if !self.left_out(game, p) {
            return Ok(all);
        }
        // All moves lead into slices with smaller numbers, so this comes to an end.
        let (turn, mut moves) = (game.turn(p), MoveList::new());
        game.moves(p, &mut moves);
        let mut best: Option<Bounds> = None;
        for m in moves.iter() {
            let after = self.probe(game, &game.play(p, m))?.seen_by(turn);
            best =
                Some(best.map_or(after, |b| Bounds::new(b.lo.max(after.lo), b.hi.max(after.hi))));
        }
        Ok(best.unwrap_or(all).seen_by(turn))
    }

    /// The value of a position for the player to move, with its distance; `None` if it is not known.
    pub fn entry(&self, game: &G, p: &G::Position) -> Result<Option<Entry>, Damage> {
        if let Some(entry) = self.stored_entry(game, p)? {
            return Ok(Some(entry));
        }
        if let Some(value) = game.outcome(p) {
            let value = value * game.turn(p).sign();
            // Beside files that tell no distances an end tells none either.
            let tells = self.stored.first().is_none_or(|f| f.header.coding == Coding::Distance);
            return Ok(Some(Entry { value, distance: (tells && value != 0).then_some(0) }));
        }
        if !self.left_out(game, p) {
            return Ok(None);
        }
        let mut moves = MoveList::new();
        game.moves(p, &mut moves);
        let mut best = None;
        for m in moves.iter() {
            let Some(after) = self.entry(game, &game.play(p, m))? else { return Ok(None) };
            best = better(best, after);
        }
        Ok(best)
    }

    /// What is kept at a place, without a distance for ends of the game that no file holds; `None` if it is not known.
    /// Only for games in which what is kept is the value.
    #[inline]
    pub(crate) fn entry_at(
        &self,
        game: &G,
        slice: G::Slice,
        place: u64,
    ) -> Result<Option<Entry>, Damage> {
        let Some(&n) = self.slices.get(&slice) else { return Ok(None) };
        let file = &self.stored[n];
        if let Some(whole) = file.whole.get() {
            return file.decode(format::symbol(whole, file.header.width, place as usize)).map(Some);
        }
        match game.at(slice, place) {
            Some(p) => self.entry(game, &p),
            None => Ok(None),
        }
    }

    /// Keeps all values of a file at hand, as far as it can: those that are left out are worked out.
    pub(crate) fn unfold(&self, game: &G, slice: G::Slice, config: &Config) -> Result<(), Failure> {
        let Some(file) = self.file(slice) else { return Ok(()) };
        let Header { width, quiet, .. } = file.header;
        let (stop, failure) = (AtomicBool::new(false), Mutex::new(None));
        let one = |n: usize| -> Result<Option<Vec<u8>>, Failure> {
            let packed = file.read_block(n)?;
            if !quiet {
                return Ok(Some(packed));
            }
            let from = n as u64 * file.header.block;
            let mut symbols = Vec::new();
            let mut known = true;
            game.walk(slice, from..from + file.header.block_places(n as u64), |place, p| {
                symbols.push(match p {
                    Some(p) if game.loud(&p) => {
                        let entry = self.entry(game, &p)?;
                        known &= entry.is_some();
                        entry.map(|entry| file.encode(entry))
                    }
                    _ => Some(format::symbol(&packed, width, (place - from) as usize)),
                });
                Ok::<(), Failure>(())
            })?;
            Ok(known.then(|| format::pack(width, symbols.into_iter())))
        };
        let blocks = file.header.blocks() as usize;
        let made = work::share(config.threads, blocks, &stop, Vec::new, |out, n| {
            let done = if config.cancelled() { Err(Failure::Interrupted) } else { one(n) };
            match done {
                Ok(Some(packed)) => out.push((n, packed)),
                Ok(None) => stop.store(true, Ordering::Relaxed),
                Err(e) => {
                    stop.store(true, Ordering::Relaxed);
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                }
            }
        });
        if let Some(failure) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        let mut made: Vec<(usize, Vec<u8>)> = made.into_iter().flatten().collect();
        if made.len() == blocks {
            made.sort_unstable_by_key(|(n, _)| *n);
            let whole: Vec<u8> = made.into_iter().flat_map(|(_, packed)| packed).collect();
            file.set_whole(whole.into_boxed_slice());
        }
        Ok(())
    }

    /// Whether a position belongs to a slice that is here, but is left out of the file.
    fn left_out(&self, game: &G, p: &G::Position) -> bool {
        let slice = game.place(p).and_then(|(slice, _)| self.file(slice));
        slice.is_some_and(|file| file.header.quiet) && game.loud(p)
    }

    /// The entry in the file, if it holds one.
    #[inline]
    fn stored_entry(&self, game: &G, p: &G::Position) -> Result<Option<Entry>, Damage> {
        let Some((slice, place)) = game.place(p) else { return Ok(None) };
        let Some(&n) = self.slices.get(&slice) else { return Ok(None) };
        let file = &self.stored[n];
        let symbol = match file.whole.get() {
            Some(whole) => format::symbol(whole, file.header.width, place as usize),
            None if file.header.quiet && game.loud(p) => return Ok(None),
            None => self.symbol(n, place)?,
        };
        let entry = file.decode(symbol)?;
        Ok(Some(Entry { value: game.value_of(p, entry.value), ..entry }))
    }

    #[inline]
    fn symbol(&self, n: usize, place: u64) -> Result<u16, Damage> {
        let file = &self.stored[n];
        let width = file.header.width;
        let block = (place >> file.shift) as usize;
        let at = (place & (file.header.block - 1)) as usize;
        let cache = self.cache();
        if let Some(bytes) = cache.get(&file.held[block], format::byte_of(width, at)) {
            return Ok(format::symbol_in(bytes, width, at));
        }
        let packed = file.read_block(block)?;
        let held = |n: u32, block: u32| &self.stored[n as usize].held[block as usize];
        cache.put((n as u32, block as u32), &packed, held);
        Ok(format::symbol(&packed, width, at))
    }
}

/// Whether a game knows wins, draws and losses only.
pub(crate) fn is_wdl<G: Game>(game: &G) -> bool {
    let Bounds { lo, hi } = game.values();
    lo >= -1 && hi <= 1
}

/// The better of what was known and what a move that leads to `after` gives.
fn better(best: Option<Entry>, after: Entry) -> Option<Entry> {
    let new = Entry { value: -after.value, distance: after.distance.map(|d| d + 1) };
    Some(match best {
        None => new,
        Some(best) if new.value > best.value => new,
        Some(best) if new.value < best.value => best,
        // Wins are to be short, losses long.
        Some(best) => {
            let distance = match new.value > 0 {
                true => new.distance.min(best.distance),
                false => new.distance.max(best.distance),
            };
            Entry { distance, ..best }
        }
    })
}
