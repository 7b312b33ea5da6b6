//! A group that does not fit into memory: its places divided into shards on disk, and the messages between them.
//!
//! Only one shard is in memory at a time. What the places of one mean for those of another is sent as a message of four
//! bytes, and waits on disk until that shard's turn comes. All files end in `.part`: they are of no use to another
//! run, which removes them if this one is killed.

use crate::DatabaseFailure;
use crate::folder::PART;
use crate::group::{GroupPart, PLACE_BYTES, Segment};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

/// A shard has a whole number of these many places, which is a whole number of chunks and of blocks of any width.
const GRAIN: u64 = 16_384;
/// The most shards: each has a buffer for messages.
const MOST_SHARDS: u64 = 4096;
/// Messages that are read at a time.
const BATCH: usize = 1 << 20;

/// Places of a shard, so that one takes half of the memory.
fn shard_places(memory: u64) -> u64 {
    let most = u64::from(u32::MAX >> 1);
    (memory / 2 / PLACE_BYTES).min(most) / GRAIN * GRAIN
}

/// Whether slices of so many places can be worked out in so much memory.
pub(crate) fn fits(places: impl Iterator<Item = u64>, memory: u64) -> bool {
    let size = shard_places(memory);
    size > 0 && places.map(|places| places.div_ceil(size)).sum::<u64>() <= MOST_SHARDS
}

/// What a message says of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Update {
    /// A move leads to a place that is lost: a win.
    Win,
    /// A move leads to a place that is won: one way less.
    Less,
}

/// A message: the highest bit for [`Update::Win`], and the place's number within its shard.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    shard: u32,
    what: u32,
}

/// A part of a slice that is kept on disk.
pub(crate) struct Shard {
    pub part: usize,
    pub from: u64,
    pub places: u64,
    /// The plies of the next layer that has cells here.
    pub due: u16,
    /// Whether there are messages to be read.
    pub has_messages: bool,
}

/// Messages to a shard that are not delivered yet.
#[derive(Default)]
struct Outbox {
    waiting: Vec<u32>,
    written: bool,
}

/// All shards of a group.
pub(crate) struct SpillFiles {
    /// Files are named after the first slice.
    stem: PathBuf,
    size: u64,
    /// The first shard of each part.
    first: Vec<usize>,
    pub shards: Vec<Shard>,
    outboxes: Vec<Mutex<Outbox>>,
    /// Messages to a shard that may wait in memory.
    outbox_size: usize,
}

impl SpillFiles {
    pub fn new<S>(stem: &Path, parts: &[GroupPart<S>], memory: u64) -> SpillFiles {
        let size = shard_places(memory).max(GRAIN);
        let (mut first, mut shards) = (Vec::new(), Vec::new());
        for (part, GroupPart { places, .. }) in parts.iter().enumerate() {
            first.push(shards.len());
            shards.extend((0..*places).step_by(size as usize).map(|from| Shard {
                part,
                from,
                places: size.min(places - from),
                due: u16::MAX,
                has_messages: false,
            }));
        }
        let outbox_size = (memory / 8 / 4 / shards.len().max(1) as u64).clamp(64, 1 << 20) as usize;
        let outboxes = shards.iter().map(|_| Mutex::default()).collect();
        SpillFiles { stem: stem.to_owned(), size, first, shards, outboxes, outbox_size }
    }

    fn path(&self, shard: usize, kind: &str) -> PathBuf {
        self.stem.with_extension(format!("{shard}.{kind}.{PART}"))
    }

    /// Writes the cells and marks of a shard.
    pub fn save(&self, shard: usize, segment: &Segment) -> Result<(), DatabaseFailure> {
        let path = self.path(shard, "cells");
        let save = || -> io::Result<()> {
            let mut file = BufWriter::with_capacity(1 << 18, File::create(&path)?);
            for cell in segment.cells.iter() {
                file.write_all(&cell.load(Relaxed).to_le_bytes())?;
            }
            for mark in segment.marks.iter() {
                file.write_all(&[mark.load(Relaxed)])?;
            }
            file.flush()
        };
        save().map_err(|e| DatabaseFailure::io(&path, e))
    }

    /// Reads the cells and marks of a shard.
    pub fn load(&self, shard: usize) -> Result<Segment, DatabaseFailure> {
        let path = self.path(shard, "cells");
        let Shard { from, places, .. } = self.shards[shard];
        let segment = Segment::new(from, places);
        let load = || -> io::Result<()> {
            let mut file = BufReader::with_capacity(1 << 18, File::open(&path)?);
            for cell in segment.cells.iter() {
                let mut bytes = [0; 2];
                file.read_exact(&mut bytes)?;
                cell.store(i16::from_le_bytes(bytes), Relaxed);
            }
            for mark in segment.marks.iter() {
                let mut byte = [0];
                file.read_exact(&mut byte)?;
                mark.store(byte[0], Relaxed);
            }
            Ok(())
        };
        load().map_err(|e| DatabaseFailure::io(&path, e))?;
        Ok(segment)
    }

    /// The shards of a part.
    pub fn of_part(&self, part: usize) -> std::ops::Range<usize> {
        self.first[part]..self.first.get(part + 1).copied().unwrap_or(self.shards.len())
    }

    /// A message to be sent: an update of a place.
    #[inline(always)]
    pub fn message(&self, part: usize, place: u64, update: Update) -> Message {
        let shard = self.first[part] + (place / self.size) as usize;
        let win = u32::from(update == Update::Win) << 31;
        Message { shard: shard as u32, what: (place % self.size) as u32 | win }
    }

    /// Sends messages; the list is empty afterwards.
    pub fn send(&self, messages: &mut Vec<Message>) -> Result<(), DatabaseFailure> {
        messages.sort_unstable_by_key(|message| message.shard);
        for run in messages.chunk_by(|a, b| a.shard == b.shard) {
            let shard = run[0].shard as usize;
            let mut outbox = self.outboxes[shard].lock().unwrap_or_else(PoisonError::into_inner);
            outbox.waiting.extend(run.iter().map(|message| message.what));
            if outbox.waiting.len() >= self.outbox_size {
                self.write_out(shard, &mut outbox)?;
            }
        }
        messages.clear();
        Ok(())
    }

    fn write_out(&self, shard: usize, outbox: &mut Outbox) -> Result<(), DatabaseFailure> {
        let path = self.path(shard, "outbox");
        let mut save = || -> io::Result<()> {
            let file = File::options().create(true).append(true).open(&path)?;
            let mut file = BufWriter::with_capacity(1 << 16, file);
            for what in outbox.waiting.drain(..) {
                file.write_all(&what.to_le_bytes())?;
            }
            file.flush()
        };
        save().map_err(|e| DatabaseFailure::io(&path, e))?;
        outbox.written = true;
        Ok(())
    }

    /// All that has been sent can be read from now on. Says whether there is any.
    pub fn deliver(&mut self) -> Result<bool, DatabaseFailure> {
        for shard in 0..self.shards.len() {
            let mut outbox = std::mem::take(&mut self.outboxes[shard])
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner);
            if !outbox.waiting.is_empty() {
                self.write_out(shard, &mut outbox)?;
            }
            if outbox.written {
                let (from, to) = (self.path(shard, "outbox"), self.path(shard, "inbox"));
                fs::rename(&from, &to).map_err(|e| DatabaseFailure::io(&from, e))?;
                self.shards[shard].has_messages = true;
            }
        }
        Ok(self.shards.iter().any(|shard| shard.has_messages))
    }

    /// Reads the messages to a shard, a batch of updates and places at a time.
    pub fn read(
        &mut self,
        shard: usize,
        mut each: impl FnMut(&[(Update, u64)]) -> Result<(), DatabaseFailure>,
    ) -> Result<(), DatabaseFailure> {
        let path = self.path(shard, "inbox");
        let io = |e| DatabaseFailure::io(&path, e);
        let mut file = File::open(&path).map_err(io)?;
        let (mut bytes, mut batch) = (Vec::new(), Vec::new());
        loop {
            bytes.clear();
            let mut some = Read::take(&mut file, 4 * BATCH as u64);
            some.read_to_end(&mut bytes).map_err(io)?;
            if bytes.is_empty() {
                break;
            }
            batch.clear();
            batch.extend(bytes.as_chunks::<4>().0.iter().map(|what| {
                let what = u32::from_le_bytes(*what);
                let update = if what >> 31 == 1 { Update::Win } else { Update::Less };
                (update, self.shards[shard].from + u64::from(what & (u32::MAX >> 1)))
            }));
            each(&batch)?;
        }
        self.shards[shard].has_messages = false;
        fs::remove_file(&path).map_err(io)
    }
}

impl Drop for SpillFiles {
    fn drop(&mut self) {
        for shard in 0..self.shards.len() {
            for kind in ["cells", "outbox", "inbox"] {
                // Most are not there; one that stays is removed by the next run.
                let _ = fs::remove_file(self.path(shard, kind));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_and_messages_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let memory = 2 * PLACE_BYTES * GRAIN;
        let parts = [40_000, 10, 16_384].map(|places| GroupPart { slice: (), places });
        assert!(fits(parts.iter().map(|p| p.places), memory));
        assert!(!fits([u64::MAX / 2].into_iter(), memory));
        assert!(!fits([1].into_iter(), memory - 1));
        let mut spill = SpillFiles::new(&dir.path().join("a"), &parts, memory);
        assert_eq!((0..3).map(|n| spill.of_part(n)).collect::<Vec<_>>(), [0..3, 3..4, 4..5]);
        for (n, shard) in spill.shards.iter().enumerate() {
            let segment = Segment::new(shard.from, shard.places);
            let last = shard.from + shard.places - 1;
            segment.set(last, -(n as i16) - 1);
            segment.mark(last).store(n as u8, Relaxed);
            spill.save(n, &segment).unwrap();
            let back = spill.load(n).unwrap();
            assert_eq!(back.cell(last).load(Relaxed), -(n as i16) - 1);
            assert_eq!(back.mark(last).load(Relaxed), n as u8);
        }
        assert!(!spill.deliver().unwrap());
        // More than waits in memory.
        for round in 0..2u64 {
            for place in 0..40_000u64 {
                let update = if place % 3 == round { Update::Win } else { Update::Less };
                spill.send(&mut vec![spill.message(0, place, update)]).unwrap();
            }
            assert!(spill.deliver().unwrap());
            let mut all = Vec::new();
            for shard in 0..spill.shards.len() {
                if spill.shards[shard].has_messages {
                    let add = |batch: &[(Update, u64)]| {
                        all.extend_from_slice(batch);
                        Ok(())
                    };
                    spill.read(shard, add).unwrap();
                }
            }
            assert_eq!(all.len(), 40_000);
            for (n, (update, place)) in all.into_iter().enumerate() {
                assert_eq!(place, n as u64);
                assert_eq!(update == Update::Win, place % 3 == round);
            }
        }
        drop(spill);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
