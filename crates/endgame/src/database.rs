//! Probing: the value of a position from the files of a folder.
//!
//! Blocks are read when they are first asked for, checked, unpacked and kept, as long as they fit the
//! memory that was allowed. Any number of threads may probe. A slice without a file is unknown; a block that does not match its checksum is an error, whatever it
//! seems to say.

use crate::cache::{Cache, Held};
use crate::folder::{self, SLICE};
use crate::format::{self, Coding, SliceHeader};
use crate::manifest::{Listing, Manifest, check_identity};
use crate::slice_file::SliceFile;
use crate::{BuildConfig, Damage, DatabaseFailure, work};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Identity, MoveList, Notation, Sliced, Value};

/// What a database says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DatabaseEntry {
    /// Its value for the player to move.
    pub value: Value,
    /// Plies to the end of the game, for wins and losses in databases with distances.
    pub distance: Option<u32>,
}

/// The files of a folder.
#[derive(Debug)]
pub struct Database<R: Sliced> {
    dir: PathBuf,
    slices: FxHashMap<R::Slice, usize>,
    files: Vec<SliceFile>,
    manifest: Option<Manifest>,
    listing: Listing,
    /// Bytes for blocks.
    limit: u64,
    cache: OnceLock<Cache>,
}

impl<R: Sliced> Database<R> {
    /// Opens all slices of a folder: those that its manifest lists must be there. `memory` bounds the bytes of blocks that
    /// are kept.
    pub fn open(rules: &R, dir: &Path, memory: u64) -> Result<Database<R>, DatabaseFailure> {
        Database::open_as(rules, dir, memory, true)
    }

    /// The same for a build, which makes what is missing.
    pub(crate) fn open_unfinished(
        rules: &R,
        dir: &Path,
        memory: u64,
    ) -> Result<Database<R>, DatabaseFailure> {
        Database::open_as(rules, dir, memory, false)
    }

    fn open_as(
        rules: &R,
        dir: &Path,
        memory: u64,
        whole: bool,
    ) -> Result<Database<R>, DatabaseFailure> {
        let mut database = Database::empty(dir, memory);
        let (mut heads, mut found) = (Vec::new(), BTreeMap::new());
        for path in folder::files(dir, SLICE)? {
            let head = folder::open(&path)?;
            let listed = head.listed();
            found.insert(listed.name.clone(), listed);
            heads.push(head);
        }
        database.manifest = Manifest::read(dir)?;
        if let Some(manifest) = &database.manifest {
            manifest.check_game(dir, &Identity::of(rules))?;
            database.listing = manifest.compare(dir, &found, whole)?;
        }
        let pieces = heads.iter().map(|head| head.header.all_pieces()).max().unwrap_or(0);
        let names: FxHashMap<String, R::Slice> = rules
            .groups(pieces)
            .into_iter()
            .flatten()
            .map(|slice| (rules.slice_name(slice), slice))
            .collect();
        for head in heads {
            let slice = names.get(&head.header.slice).copied();
            // Before anything is read whose size the header tells.
            fit(rules, slice, &head.header, &head.path)?;
            database.add(rules, slice, SliceFile::with_head(head)?)?;
        }
        database.check_sources()?;
        // No more memory than all blocks take.
        let blocks: u64 = database.files.iter().map(|file| file.header.blocks()).sum();
        database.limit = memory.min(blocks * format::BLOCK_BYTES as u64);
        Ok(database)
    }

    pub(crate) fn empty(dir: &Path, memory: u64) -> Database<R> {
        Database {
            dir: dir.to_owned(),
            slices: FxHashMap::default(),
            files: Vec::new(),
            manifest: None,
            listing: Listing::NoManifest,
            limit: memory,
            cache: OnceLock::new(),
        }
    }

    /// Adds a file after a look at what it is.
    pub(crate) fn add(
        &mut self,
        rules: &R,
        slice: Option<R::Slice>,
        file: SliceFile,
    ) -> Result<(), DatabaseFailure> {
        let slice = fit(rules, slice, &file.header, &file.path)?;
        let coding = file.header.coding;
        if let Some(other) = self.files.first().filter(|o| o.header.coding != coding) {
            let why = format!(
                "it says other things of positions than {}",
                zermelo_game::outside::path(&other.path)
            );
            return Err(Damage::new(&file.path, &why).into());
        }
        self.slices.insert(slice, self.files.len());
        self.files.push(file);
        Ok(())
    }

    /// Checks that files were built from the files that are here.
    pub(crate) fn check_sources(&self) -> Result<(), Damage> {
        let digests: FxHashMap<&str, &str> =
            self.files.iter().map(|f| (f.header.slice.as_str(), f.digest.as_str())).collect();
        for file in &self.files {
            for source in &file.header.sources {
                if digests.get(source.slice.as_str()).is_some_and(|d| *d != source.digest) {
                    let why =
                        format!("it was built from another file {}", printable(&source.slice));
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
    pub fn files(&self) -> &[SliceFile] {
        &self.files
    }

    /// The manifest, if there is one.
    #[must_use]
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Whether the manifest lists the files.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.listing
    }

    /// The file of a slice.
    #[must_use]
    pub fn file(&self, slice: R::Slice) -> Option<&SliceFile> {
        self.slices.get(&slice).map(|&n| &self.files[n])
    }

    /// The most pieces for which there is a file.
    #[must_use]
    pub fn most_pieces(&self) -> u32 {
        self.files.iter().map(|f| f.header.all_pieces()).max().unwrap_or(0)
    }

    /// Why nothing is known of a position: in which slice it belongs, and why that is not here.
    pub fn why_unknown(&self, rules: &R, p: &R::Position) -> String {
        let Some((slice, _)) = rules.place(p) else {
            return "its pieces are none that the game's databases are made for".into();
        };
        let [own, other] = rules.pieces(slice);
        let (pieces, most) = (own.saturating_add(other), self.most_pieces());
        let name = rules.slice_name(slice);
        if pieces > most {
            return format!(
                "it has {pieces} pieces, and the database has positions of {most} at most"
            );
        }
        match self.file(slice) {
            None => format!("it belongs to the slice {name}, which is not there"),
            Some(_) => format!(
                "the slice {name} leaves it out, and not all that its moves lead to is there"
            ),
        }
    }

    /// Changes the memory for blocks. Those that are kept are forgotten.
    pub(crate) fn set_memory(&mut self, memory: u64) {
        (self.limit, self.cache) = (memory, OnceLock::new());
        for file in &mut self.files {
            file.held.iter_mut().for_each(|held| *held = Held::default());
        }
    }

    /// The blocks in memory.
    #[inline(always)]
    fn cache(&self) -> &Cache {
        self.cache.get_or_init(|| Cache::new(self.limit))
    }

    /// What is known of a position, from the first player's point of view. Unknown is the full range.
    pub fn probe(&self, rules: &R, p: &R::Position) -> Result<Bounds, Damage> {
        let all = rules.values();
        if let Some(entry) = self.stored_entry(rules, p)? {
            return Ok(Bounds::exact(entry.value).seen_by(rules.turn(p)));
        }
        if let Some(value) = rules.outcome(p) {
            return Ok(Bounds::exact(value));
        }
        if !self.left_out(rules, p) {
            return Ok(all);
        }
        // All moves lead into slices with smaller numbers, so this comes to an end.
        let (turn, mut moves) = (rules.turn(p), MoveList::new());
        rules.moves(p, &mut moves);
        let mut best: Option<Bounds> = None;
        for m in moves.iter() {
            let after = self.probe(rules, &rules.play(p, m))?.seen_by(turn);
            best =
                Some(best.map_or(after, |b| Bounds::new(b.lo.max(after.lo), b.hi.max(after.hi))));
        }
        Ok(best.unwrap_or(all).seen_by(turn))
    }

    /// The value of a position for the player to move, with its distance; `None` if it is not known.
    pub fn entry(&self, rules: &R, p: &R::Position) -> Result<Option<DatabaseEntry>, Damage> {
        if let Some(entry) = self.stored_entry(rules, p)? {
            return Ok(Some(entry));
        }
        if let Some(value) = rules.outcome(p) {
            let value = value * rules.turn(p).sign();
            // Beside files that tell no distances an end tells none either.
            let tells = self.files.first().is_none_or(|f| f.header.coding == Coding::Distance);
            return Ok(Some(DatabaseEntry { value, distance: (tells && value != 0).then_some(0) }));
        }
        if !self.left_out(rules, p) {
            return Ok(None);
        }
        let mut moves = MoveList::new();
        rules.moves(p, &mut moves);
        let mut best = None;
        for m in moves.iter() {
            let Some(after) = self.entry(rules, &rules.play(p, m))? else { return Ok(None) };
            best = better(best, after);
        }
        Ok(best)
    }

    /// What is kept at a place, without a distance for ends of the game that no file holds; `None` if it is not known.
    /// Only for games in which what is kept is the value.
    #[inline]
    pub(crate) fn entry_at(
        &self,
        rules: &R,
        slice: R::Slice,
        place: u64,
    ) -> Result<Option<DatabaseEntry>, Damage> {
        let Some(&n) = self.slices.get(&slice) else { return Ok(None) };
        let file = &self.files[n];
        if let Some(whole) = file.whole.get() {
            return file.decode(format::symbol(whole, file.header.width, place as usize)).map(Some);
        }
        match rules.at(slice, place) {
            Some(p) => self.entry(rules, &p),
            None => Ok(None),
        }
    }

    /// Keeps all values of a file in memory, as far as it can: those that are left out are worked out.
    pub(crate) fn unfold(
        &self,
        rules: &R,
        slice: R::Slice,
        config: &BuildConfig,
    ) -> Result<(), DatabaseFailure> {
        let Some(file) = self.file(slice) else { return Ok(()) };
        let SliceHeader { width, quiet, .. } = file.header;
        let (stop, failure) = (AtomicBool::new(false), Mutex::new(None));
        let one = |n: usize| -> Result<Option<Vec<u8>>, DatabaseFailure> {
            let packed = file.read_block(n)?;
            if !quiet {
                return Ok(Some(packed));
            }
            let from = n as u64 * file.header.block;
            let mut symbols = Vec::new();
            let mut known = true;
            rules.walk(slice, from..from + file.header.block_places(n as u64), |place, p| {
                symbols.push(match p {
                    Some(p) if rules.noisy(&p) => {
                        let entry = self.entry(rules, &p)?;
                        known &= entry.is_some();
                        entry.map(|entry| file.encode(entry))
                    }
                    _ => Some(format::symbol(&packed, width, (place - from) as usize)),
                });
                Ok::<(), DatabaseFailure>(())
            })?;
            Ok(known.then(|| format::pack(width, symbols.into_iter())))
        };
        let blocks = file.header.blocks() as usize;
        let made = work::share(config.threads, blocks, &stop, Vec::new, |out, n| {
            let done = if config.cancelled() { Err(DatabaseFailure::Interrupted) } else { one(n) };
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
    fn left_out(&self, rules: &R, p: &R::Position) -> bool {
        let slice = rules.place(p).and_then(|(slice, _)| self.file(slice));
        slice.is_some_and(|file| file.header.quiet) && rules.noisy(p)
    }

    /// The entry in the file, if it holds one.
    #[inline]
    fn stored_entry(&self, rules: &R, p: &R::Position) -> Result<Option<DatabaseEntry>, Damage> {
        let Some((slice, place)) = rules.place(p) else { return Ok(None) };
        let Some(&n) = self.slices.get(&slice) else { return Ok(None) };
        let file = &self.files[n];
        let symbol = match file.whole.get() {
            Some(whole) => format::symbol(whole, file.header.width, place as usize),
            None if file.header.quiet && rules.noisy(p) => return Ok(None),
            None => self.symbol(n, place)?,
        };
        let entry = file.decode(symbol)?;
        Ok(Some(DatabaseEntry { value: rules.value_of(p, entry.value), ..entry }))
    }

    #[inline]
    fn symbol(&self, n: usize, place: u64) -> Result<u16, Damage> {
        let file = &self.files[n];
        let width = file.header.width;
        let block = (place >> file.shift) as usize;
        let at = (place & (file.header.block - 1)) as usize;
        let cache = self.cache();
        if let Some(bytes) = cache.get(&file.held[block], format::byte_of(width, at)) {
            return Ok(format::symbol_in(bytes, width, at));
        }
        let packed = file.read_block(block)?;
        let held = |n: u32, block: u32| &self.files[n as usize].held[block as usize];
        cache.put((n as u32, block as u32), &packed, held);
        Ok(format::symbol(&packed, width, at))
    }
}

/// Whether a header is that of a slice of this game, and of which.
pub(crate) fn fit<R: Sliced>(
    rules: &R,
    slice: Option<R::Slice>,
    header: &SliceHeader,
    path: &Path,
) -> Result<R::Slice, Damage> {
    let damaged = |why: &str| Err(Damage::new(path, why));
    if let Err(why) = check_identity(&header.game, header.rules, &Identity::of(rules)) {
        return damaged(&why);
    }
    let Some(slice) = slice else {
        let name = printable(&header.slice);
        return damaged(&format!("{} has no slice {name}", rules.full_name()));
    };
    if header.pieces != rules.pieces(slice) || header.places != rules.places(slice) {
        return damaged("its size is not that of the slice");
    }
    if is_wdl(rules) == (header.coding == Coding::Score) {
        return damaged("its symbols are not those of the game");
    }
    Ok(slice)
}

/// Whether a game knows wins, draws and losses only.
pub(crate) fn is_wdl<R: Notation>(rules: &R) -> bool {
    let Bounds { lo, hi } = rules.values();
    lo >= -1 && hi <= 1
}

/// The better of what was known and what a move that leads to `after` gives.
fn better(best: Option<DatabaseEntry>, after: DatabaseEntry) -> Option<DatabaseEntry> {
    let new = DatabaseEntry { value: -after.value, distance: after.distance.map(|d| d + 1) };
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
            DatabaseEntry { distance, ..best }
        }
    })
}
