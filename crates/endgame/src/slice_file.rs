//! The file of a slice, opened: its blocks are read and checked one by one, as they are asked for.

use crate::cache::Held;
use crate::database::DatabaseEntry;
use crate::folder::{self, Head};
use crate::format::{self, Coding, INDEX_ENTRY, MAX_BLOCK, MAX_INDEX, SliceHeader};
use crate::manifest::Listed;
use crate::{BuildConfig, Damage, DatabaseFailure, work};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A block in its file.
#[derive(Clone, Copy, Debug)]
struct BlockLocation {
    offset: u64,
    bytes: u32,
    checksum: [u8; 16],
}

/// The file of a slice.
#[derive(Debug)]
pub struct SliceFile {
    /// Its path.
    pub path: PathBuf,
    /// Its header.
    pub header: SliceHeader,
    /// Its digest.
    pub digest: String,
    /// Its length.
    pub bytes: u64,
    file: File,
    index: Vec<BlockLocation>,
    /// Where its blocks are in the cache.
    pub(crate) held: Vec<Held>,
    /// All symbols, those of noisy positions too: what builders and `verify` look up most.
    pub(crate) whole: OnceLock<Box<[u8]>>,
    /// Places of a block are 2 to this power.
    pub(crate) shift: u32,
}

impl SliceFile {
    /// Opens a file and checks its header and its index.
    pub fn open(path: &Path) -> Result<SliceFile, DatabaseFailure> {
        SliceFile::with_head(folder::open(path)?)
    }

    /// Checks the index of a file.
    pub(crate) fn with_head(head: Head) -> Result<SliceFile, DatabaseFailure> {
        let Head { path, file, header, digest, bytes } = head;
        let damaged = |why: &str| Err(Damage::new(&path, why).into());
        let blocks = header.blocks();
        let size = blocks.saturating_mul(INDEX_ENTRY as u64);
        if size > MAX_INDEX {
            let why = format!("an index of {size} bytes, {MAX_INDEX} is the most that is read");
            return damaged(&why);
        }
        if header.rest < size {
            return damaged("the index does not fit the file");
        }
        let at = bytes - header.rest;
        let mut raw = vec![0; size as usize];
        file.read_exact_at(&mut raw, at).map_err(|e| DatabaseFailure::io(&path, e))?;
        if blake3::hash(&raw).to_hex().as_str() != header.index {
            return damaged("the index does not match its checksum");
        }
        let mut offset = at + size;
        let mut index = Vec::with_capacity(blocks as usize);
        for (n, entry) in raw.chunks_exact(INDEX_ENTRY).enumerate() {
            let (long, checksum) = entry.split_at(4);
            let long = u32::from_le_bytes([long[0], long[1], long[2], long[3]]);
            if long > MAX_BLOCK {
                let most = format!("{MAX_BLOCK} is the most that is read");
                return damaged(&format!("block {n} has {long} bytes, {most}"));
            }
            let checksum = checksum.try_into().expect("sixteen bytes");
            index.push(BlockLocation { offset, bytes: long, checksum });
            offset += u64::from(long);
        }
        if offset != bytes {
            return damaged("the blocks do not fill the file");
        }
        let held = (0..blocks).map(|_| Held::default()).collect();
        let shift = header.block.trailing_zeros();
        let whole = OnceLock::new();
        Ok(SliceFile { path, header, digest, bytes, file, index, held, whole, shift })
    }

    /// What a manifest says of it.
    pub(crate) fn listed(&self) -> Listed {
        folder::listed(&self.header, self.bytes, &self.digest)
    }

    /// Reads all blocks, to see whether they match their checksums and can be unpacked.
    pub(crate) fn check_blocks(&self, config: &BuildConfig) -> Result<(), DatabaseFailure> {
        let (stop, failure) = (AtomicBool::new(false), Mutex::new(None));
        let keep = |e: DatabaseFailure| {
            stop.store(true, Ordering::Relaxed);
            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        };
        work::share(
            config.threads,
            self.index.len(),
            &stop,
            || (),
            |(), n| {
                if config.cancelled() {
                    keep(DatabaseFailure::Interrupted);
                } else if let Err(damage) = self.read_block(n) {
                    keep(damage.into());
                }
            },
        );
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Keeps all symbols in memory. They must be right.
    pub(crate) fn set_whole(&self, packed: Box<[u8]>) {
        debug_assert_eq!(packed.len(), self.header.packed_bytes(self.header.places));
        let _ = self.whole.set(packed);
    }

    /// Reads a block from the file: its packed symbols.
    pub fn read_block(&self, n: usize) -> Result<Vec<u8>, Damage> {
        let BlockLocation { offset, bytes, checksum } = self.index[n];
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
    pub(crate) fn decode(&self, symbol: u16) -> Result<DatabaseEntry, Damage> {
        let number = format::unfolded(symbol);
        Ok(match self.header.coding {
            Coding::Wdl if symbol == 3 => return Err(Damage::new(&self.path, "no such symbol: 3")),
            Coding::Wdl => {
                DatabaseEntry { value: [0, 1, -1, 0][usize::from(symbol)], distance: None }
            }
            Coding::Score => DatabaseEntry { value: number, distance: None },
            Coding::Distance => {
                let distance = u32::from(number.unsigned_abs()).checked_sub(1);
                DatabaseEntry { value: number.signum(), distance }
            }
        })
    }

    /// The symbol of a value and its distance.
    pub(crate) fn encode(&self, entry: DatabaseEntry) -> u16 {
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
