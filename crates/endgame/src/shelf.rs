//! A group that does not fit into memory: its places cut into pieces that lie on disk, and the mail between them.
//!
//! Only one piece is in memory at a time. What the places of one mean for those of another is sent as a message of four
//! bytes, and waits on disk until that piece's turn comes. All files end in `.part`: they are of no use to another
//! run, which removes them if this one is killed.

use crate::Failure;
use crate::folder::PART;
use crate::group::{PLACE_BYTES, Part, Piece};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

/// A piece has a whole number of these many places, which is a whole number of chunks and of blocks of any width.
const GRAIN: u64 = 16_384;
/// So many pieces at most: each has a buffer for its mail.
const MOST_PIECES: u64 = 4096;
/// Messages that are read at a time.
const BATCH: usize = 1 << 20;

/// Places of a piece, so that one takes half of the memory.
fn piece_places(memory: u64) -> u64 {
    let most = u64::from(u32::MAX >> 1);
    (memory / 2 / PLACE_BYTES).min(most) / GRAIN * GRAIN
}

/// Whether slices of so many places can be worked out in so much memory.
pub(crate) fn fits(places: impl Iterator<Item = u64>, memory: u64) -> bool {
    let size = piece_places(memory);
    size > 0 && places.map(|places| places.div_ceil(size)).sum::<u64>() <= MOST_PIECES
}

/// What a message says of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// A move leads to a place that is lost: a win.
    Win,
    /// A move leads to a place that is won: one way less.
    Less,
}

/// A message: the highest bit for [`News::Win`], and the place's number within its piece.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    bin: u32,
    what: u32,
}

/// A piece on disk.
pub(crate) struct Bin {
    pub part: usize,
    pub from: u64,
    pub places: u64,
    /// The plies of the next layer that has cells here.
    pub due: u16,
    /// Whether there is mail to be read.
    pub mail: bool,
}

/// Mail on its way to a piece.
#[derive(Default)]
struct Post {
    waiting: Vec<u32>,
    written: bool,
}

/// All pieces of a group.
pub(crate) struct Shelf {
    /// Files are named after the first slice.
    stem: PathBuf,
    size: u64,
    /// The first piece of each part.
    first: Vec<usize>,
    pub bins: Vec<Bin>,
    posts: Vec<Mutex<Post>>,
    /// Messages to a piece that may wait in memory.
    room: usize,
}

impl Shelf {
    pub fn new<S>(stem: &Path, parts: &[Part<S>], memory: u64) -> Shelf {
        let size = piece_places(memory).max(GRAIN);
        let (mut first, mut bins) = (Vec::new(), Vec::new());
        for (part, Part { places, .. }) in parts.iter().enumerate() {
            first.push(bins.len());
            bins.extend((0..*places).step_by(size as usize).map(|from| Bin {
                part,
                from,
                places: size.min(places - from),
                due: u16::MAX,
                mail: false,
            }));
        }
        let room = (memory / 8 / 4 / bins.len().max(1) as u64).clamp(64, 1 << 20) as usize;
        let posts = bins.iter().map(|_| Mutex::default()).collect();
        Shelf { stem: stem.to_owned(), size, first, bins, posts, room }
    }

    fn path(&self, bin: usize, kind: &str) -> PathBuf {
        self.stem.with_extension(format!("{bin}.{kind}.{PART}"))
    }

    /// Puts a piece back.
    pub fn put(&self, bin: usize, piece: &Piece) -> Result<(), Failure> {
        let path = self.path(bin, "cells");
        let save = || -> io::Result<()> {
            let mut file = BufWriter::with_capacity(1 << 18, File::create(&path)?);
            for cell in piece.cells.iter() {
                file.write_all(&cell.load(Relaxed).to_le_bytes())?;
            }
            for mark in piece.marks.iter() {
                file.write_all(&[mark.load(Relaxed)])?;
            }
            file.flush()
        };
        save().map_err(|e| Failure::io(&path, e))
    }

    /// Takes a piece from the shelf.
    pub fn get(&self, bin: usize) -> Result<Piece, Failure> {
        let path = self.path(bin, "cells");
        let Bin { from, places, .. } = self.bins[bin];
        let piece = Piece::new(from, places);
        let load = || -> io::Result<()> {
            let mut file = BufReader::with_capacity(1 << 18, File::open(&path)?);
            for cell in piece.cells.iter() {
                let mut bytes = [0; 2];
                file.read_exact(&mut bytes)?;
                cell.store(i16::from_le_bytes(bytes), Relaxed);
            }
            for mark in piece.marks.iter() {
                let mut byte = [0];
                file.read_exact(&mut byte)?;
                mark.store(byte[0], Relaxed);
            }
            Ok(())
        };
        load().map_err(|e| Failure::io(&path, e))?;
        Ok(piece)
    }

    /// The pieces of a part.
    pub fn of_part(&self, part: usize) -> std::ops::Range<usize> {
        self.first[part]..self.first.get(part + 1).copied().unwrap_or(self.bins.len())
    }

    /// News of a place, to be sent.
    #[inline(always)]
    pub fn message(&self, part: usize, place: u64, news: News) -> Message {
        let bin = self.first[part] + (place / self.size) as usize;
        let win = u32::from(news == News::Win) << 31;
        Message { bin: bin as u32, what: (place % self.size) as u32 | win }
    }

    /// Sends messages; the list is empty afterwards.
    pub fn send(&self, messages: &mut Vec<Message>) -> Result<(), Failure> {
        messages.sort_unstable_by_key(|message| message.bin);
        for run in messages.chunk_by(|a, b| a.bin == b.bin) {
            let bin = run[0].bin as usize;
            let mut post = self.posts[bin].lock().unwrap_or_else(PoisonError::into_inner);
            post.waiting.extend(run.iter().map(|message| message.what));
            if post.waiting.len() >= self.room {
                self.write_out(bin, &mut post)?;
            }
        }
        messages.clear();
        Ok(())
    }

    fn write_out(&self, bin: usize, post: &mut Post) -> Result<(), Failure> {
        let path = self.path(bin, "sent");
        let mut save = || -> io::Result<()> {
            let file = File::options().create(true).append(true).open(&path)?;
            let mut file = BufWriter::with_capacity(1 << 16, file);
            for what in post.waiting.drain(..) {
                file.write_all(&what.to_le_bytes())?;
            }
            file.flush()
        };
        save().map_err(|e| Failure::io(&path, e))?;
        post.written = true;
        Ok(())
    }

    /// All that has been sent can be read from now on. Says whether there is any.
    pub fn deliver(&mut self) -> Result<bool, Failure> {
        for bin in 0..self.bins.len() {
            let mut post = std::mem::take(&mut self.posts[bin])
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner);
            if !post.waiting.is_empty() {
                self.write_out(bin, &mut post)?;
            }
            if post.written {
                let (from, to) = (self.path(bin, "sent"), self.path(bin, "mail"));
                fs::rename(&from, &to).map_err(|e| Failure::io(&from, e))?;
                self.bins[bin].mail = true;
            }
        }
        Ok(self.bins.iter().any(|bin| bin.mail))
    }

    /// Reads the mail of a piece, a batch of news and places at a time.
    pub fn read(
        &mut self,
        bin: usize,
        mut each: impl FnMut(&[(News, u64)]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let path = self.path(bin, "mail");
        let io = |e| Failure::io(&path, e);
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
                let news = if what >> 31 == 1 { News::Win } else { News::Less };
                (news, self.bins[bin].from + u64::from(what & (u32::MAX >> 1)))
            }));
            each(&batch)?;
        }
        self.bins[bin].mail = false;
        fs::remove_file(&path).map_err(io)
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        for bin in 0..self.bins.len() {
            for kind in ["cells", "sent", "mail"] {
                // Most are not there; one that stays is removed by the next run.
                let _ = fs::remove_file(self.path(bin, kind));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_mail_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let memory = 2 * PLACE_BYTES * GRAIN;
        let parts = [40_000, 10, 16_384].map(|places| Part { slice: (), places });
        assert!(fits(parts.iter().map(|p| p.places), memory));
        assert!(!fits([u64::MAX / 2].into_iter(), memory));
        assert!(!fits([1].into_iter(), memory - 1));
        let mut shelf = Shelf::new(&dir.path().join("a"), &parts, memory);
        assert_eq!((0..3).map(|n| shelf.of_part(n)).collect::<Vec<_>>(), [0..3, 3..4, 4..5]);
        for (n, bin) in shelf.bins.iter().enumerate() {
            let piece = Piece::new(bin.from, bin.places);
            let last = bin.from + bin.places - 1;
            piece.set(last, -(n as i16) - 1);
            piece.mark(last).store(n as u8, Relaxed);
            shelf.put(n, &piece).unwrap();
            let back = shelf.get(n).unwrap();
            assert_eq!(back.cell(last).load(Relaxed), -(n as i16) - 1);
            assert_eq!(back.mark(last).load(Relaxed), n as u8);
        }
        assert!(!shelf.deliver().unwrap());
        // More than waits in memory.
        for round in 0..2u64 {
            for place in 0..40_000u64 {
                let news = if place % 3 == round { News::Win } else { News::Less };
                shelf.send(&mut vec![shelf.message(0, place, news)]).unwrap();
            }
            assert!(shelf.deliver().unwrap());
            let mut all = Vec::new();
            for bin in 0..shelf.bins.len() {
                if shelf.bins[bin].mail {
                    let add = |batch: &[(News, u64)]| {
                        all.extend_from_slice(batch);
                        Ok(())
                    };
                    shelf.read(bin, add).unwrap();
                }
            }
            assert_eq!(all.len(), 40_000);
            for (n, (news, place)) in all.into_iter().enumerate() {
                assert_eq!(place, n as u64);
                assert_eq!(news == News::Win, place % 3 == round);
            }
        }
        drop(shelf);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
