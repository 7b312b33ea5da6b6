//! The file of a slice, version 1. All numbers are little-endian.
//!
//! ```text
//! at        bytes   what
//!  0        8       "endgame\n"
//!  8        4       version of the format: 1
//! 12        4       length of the header, H
//! 16        32      BLAKE3 of the header
//! 48        H       the header: one JSON object (`SliceHeader`)
//! 48 + H    20 N    the index, for each of N blocks: its length (4 bytes), the first 16 bytes of its BLAKE3
//! then              the blocks, one after the other; the file ends with the last
//! ```
//!
//! The header holds the BLAKE3 of the index, so every byte is under a checksum: that of its block, of the
//! index or of the header. The *digest* of a file is the BLAKE3 of its first 48 + H bytes, which
//! stands for all of it; files that a slice was built from are listed with their digests.
//!
//! Limits: a header has 64 MiB at most, an index 1 GiB, a block 8 KiB; a longer one is refused before memory is taken for it.
//!
//! The places of a slice are cut into blocks of `block` places each, the last may have fewer. A block of one byte
//! stands for places that all hold this symbol. Any other is a zstd frame (RFC 8878) of packed symbols:
//!
//! - `wdl`: four places a byte, the first in the lowest two bits; 0 draw, 1 win, 2 loss for the player to move;
//! - `distance` and `score`: one or two bytes a place (`width`), of the number `2 n` for `n >= 0` and
//!   `-2 n - 1` for `n < 0`. A score is `n` itself. With distances a win in `d` plies is `d + 1`, a loss
//!   in `d` plies `-d - 1`, a draw 0.
//!
//! Places without a position, and noisy ones where the header says that they are left out, hold whatever compresses
//! best. Nobody may read them.
//!
//! **Why this coding.** BENCHMARKS.md compares ways to pack. Filling the places that do not matter saves 45 of 100 bytes;
//! packing four or five places to a byte, or none, makes no difference to zstd; larger blocks save little and are
//! slow to read.

use crate::Damage;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::Path;

const MAGIC: &[u8; 8] = b"endgame\n";
/// The version of the format.
pub const VERSION: u32 = 1;
/// The header starts here.
pub(crate) const HEADER_AT: usize = 48;
/// A header of more than this is refused.
pub(crate) const MAX_HEADER: usize = 64 << 20;
/// An index of more bytes is refused: it stands for 800 thousand million places.
pub(crate) const MAX_INDEX: u64 = 1 << 30;
/// A block of more bytes is refused: what does not compress grows by a few bytes only.
pub(crate) const MAX_BLOCK: u32 = 2 * BLOCK_BYTES as u32;
/// Bytes of an index entry.
pub(crate) const INDEX_ENTRY: usize = 20;
/// Bytes of a block before compression. Small blocks are quick to read, large ones compress better.
pub(crate) const BLOCK_BYTES: usize = 4096;
/// A higher level takes longer and saves next to nothing.
const LEVEL: i32 = 15;

/// What the symbols of a file say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coding {
    /// Win, draw or loss.
    Wdl,
    /// The same, and in how many plies.
    Distance,
    /// A number of points.
    Score,
}

/// A win that takes as long as any.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Longest {
    /// How many plies: to the end of the game in files with distances, else until the pieces change (the line leaves the
    /// group of slices) or the game ends.
    pub plies: u32,
    /// The first such position.
    pub position: String,
}

/// A file that a slice was built from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// The slice.
    pub slice: String,
    /// The file's digest.
    pub digest: String,
}

/// What a file says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceHeader {
    /// The game, as the registry opens it.
    pub game: String,
    /// The version of its rules (`Notation::rules_version`).
    pub rules: u32,
    /// The slice.
    pub slice: String,
    /// Pieces of the player to move and of the other one.
    pub pieces: [u32; 2],
    /// What the symbols say.
    pub coding: Coding,
    /// Bytes of a symbol; 0 where four share a byte.
    pub width: u32,
    /// Places, some of them empty.
    pub places: u64,
    /// Places that hold a position.
    pub positions: u64,
    /// Positions that the player to move wins.
    pub wins: u64,
    /// Drawn positions.
    pub draws: u64,
    /// Positions that the player to move loses.
    pub losses: u64,
    /// The longest win; `None` without wins, and with scores.
    pub longest: Option<Longest>,
    /// Whether noisy positions are left out.
    pub quiet: bool,
    /// Places in a block.
    pub block: u64,
    /// BLAKE3 of the index.
    pub index: String,
    /// Length of the whole file, less the header's: `48 + H` is to be added.
    pub rest: u64,
    /// The files it was built from.
    pub sources: Vec<SourceFile>,
}

impl SliceHeader {
    /// The pieces of both sides.
    #[must_use]
    pub fn all_pieces(&self) -> u32 {
        self.pieces[0].saturating_add(self.pieces[1])
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.places.div_ceil(self.block.max(1))
    }

    /// How many places block `n` has.
    #[must_use]
    pub fn block_places(&self, n: u64) -> u64 {
        (self.places - n * self.block).min(self.block)
    }

    /// Bytes of so many packed symbols.
    #[must_use]
    pub fn packed_bytes(&self, places: u64) -> usize {
        packed_bytes(self.width, places)
    }
}

/// Bytes of so many packed symbols.
pub(crate) fn packed_bytes(width: u32, places: u64) -> usize {
    match width {
        0 => places.div_ceil(4) as usize,
        width => places as usize * width as usize,
    }
}

/// Places in a block of symbols of this width.
pub(crate) fn places_of_block(width: u32) -> u64 {
    match width {
        0 => BLOCK_BYTES as u64 * 4,
        width => BLOCK_BYTES as u64 / u64::from(width),
    }
}

/// The symbols of loss, draw and win.
pub(crate) const WDL: [u16; 3] = [2, 0, 1];

/// The symbol at a place of a packed block.
#[inline(always)]
pub(crate) fn symbol(packed: &[u8], width: u32, place: usize) -> u16 {
    match width {
        0 => u16::from(packed[place / 4] >> (place % 4 * 2) & 3),
        1 => packed[place].into(),
        _ => u16::from_le_bytes([packed[2 * place], packed[2 * place + 1]]),
    }
}

/// The first byte of a packed block that a symbol is in.
#[inline(always)]
pub(crate) fn byte_of(width: u32, place: usize) -> usize {
    match width {
        0 => place / 4,
        width => place * width as usize,
    }
}

/// The symbol in this byte and the next.
#[inline(always)]
pub(crate) fn symbol_in(bytes: [u8; 2], width: u32, place: usize) -> u16 {
    match width {
        0 => u16::from(bytes[0] >> (place % 4 * 2) & 3),
        1 => bytes[0].into(),
        _ => u16::from_le_bytes(bytes),
    }
}

/// A number as a symbol: small ones of either sign are small.
#[inline(always)]
pub(crate) fn folded(number: i16) -> u16 {
    (number << 1 ^ number >> 15) as u16
}

/// Undoes [`folded`].
#[inline(always)]
pub(crate) fn unfolded(symbol: u16) -> i16 {
    (symbol >> 1) as i16 ^ -((symbol & 1) as i16)
}

/// Packs symbols; a place that does not matter (`None`) gets the symbol before it.
pub(crate) fn pack(width: u32, symbols: impl Iterator<Item = Option<u16>>) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(BLOCK_BYTES);
    let mut open: Vec<Option<u16>> = symbols.collect();
    // Those before the first that matters get the first.
    let mut last = open.iter().flatten().next().copied().unwrap_or(0);
    for symbol in &mut open {
        last = *symbol.get_or_insert(last);
    }
    let symbols = open.into_iter().flatten();
    match width {
        0 => {
            let (mut byte, mut filled) = (0u8, 0);
            for symbol in symbols {
                byte |= (symbol as u8) << (2 * filled);
                filled += 1;
                if filled == 4 {
                    out.push(byte);
                    (byte, filled) = (0, 0);
                }
            }
            if filled > 0 {
                out.push(byte);
            }
        }
        1 => out.extend(symbols.map(|s| s as u8)),
        _ => out.extend(symbols.flat_map(u16::to_le_bytes)),
    }
    out
}

/// Compresses blocks, one after the other.
pub(crate) struct Press(zstd::bulk::Compressor<'static>);

impl Press {
    pub fn new() -> std::io::Result<Press> {
        let mut press = zstd::bulk::Compressor::new(LEVEL)?;
        press.include_contentsize(false)?;
        press.include_checksum(false)?;
        Ok(Press(press))
    }

    /// The block's bytes in the file.
    pub fn block(&mut self, width: u32, symbols: &[Option<u16>]) -> std::io::Result<Vec<u8>> {
        let mut known = symbols.iter().flatten();
        let first = known.next().copied().unwrap_or(0);
        if first < 256 && known.all(|s| *s == first) {
            return Ok(vec![first as u8]);
        }
        self.0.compress(&pack(width, symbols.iter().copied()))
    }
}

/// The index, entry by entry.
#[derive(Default)]
pub(crate) struct BlockIndex {
    entries: Vec<u8>,
    body: u64,
}

impl BlockIndex {
    pub fn push(&mut self, block: &[u8]) {
        self.entries.extend((block.len() as u32).to_le_bytes());
        self.entries.extend(&blake3::hash(block).as_bytes()[..16]);
        self.body += block.len() as u64;
    }

    /// All of the file that stands before the blocks.
    pub fn front(self, header: &mut SliceHeader) -> Vec<u8> {
        header.index = blake3::hash(&self.entries).to_hex().to_string();
        header.rest = self.entries.len() as u64 + self.body;
        let text = serde_json::to_vec(header).expect("a header is plain data");
        let mut front = Vec::with_capacity(HEADER_AT + text.len() + self.entries.len());
        front.extend(MAGIC);
        front.extend(VERSION.to_le_bytes());
        front.extend((text.len() as u32).to_le_bytes());
        front.extend(blake3::hash(&text).as_bytes());
        front.extend(text);
        front.extend(self.entries);
        front
    }
}

/// Checks the first 48 bytes; returns the length of the header.
pub(crate) fn read_preface(path: &Path, preface: &[u8; HEADER_AT]) -> Result<usize, Damage> {
    let damaged = |why: &str| Err(Damage::new(path, why));
    if &preface[..8] != MAGIC {
        return damaged("it does not start as a database file does");
    }
    let number = |at: usize| {
        u32::from_le_bytes([preface[at], preface[at + 1], preface[at + 2], preface[at + 3]])
    };
    if number(8) != VERSION {
        return damaged(&format!(
            "version {} of the format, this program reads {VERSION}",
            number(8)
        ));
    }
    match number(12) as usize {
        long if long > MAX_HEADER => {
            damaged(&format!("a header of {long} bytes, {MAX_HEADER} is the most that is read"))
        }
        long => Ok(long),
    }
}

/// Reads the header; the preface has been checked.
pub(crate) fn read_header(
    path: &Path,
    preface: &[u8; HEADER_AT],
    text: &[u8],
) -> Result<SliceHeader, Damage> {
    if blake3::hash(text).as_bytes() != &preface[16..48] {
        return Err(Damage::new(path, "the header does not match its checksum"));
    }
    let header: SliceHeader = serde_json::from_slice(text)
        .map_err(|e| Damage::new(path, &format!("the header cannot be read: {e}")))?;
    let width = match header.coding {
        Coding::Wdl => 0..=0,
        _ => 1..=2,
    };
    let counted = header.wins.checked_add(header.draws).and_then(|n| n.checked_add(header.losses));
    let sound = width.contains(&header.width)
        && header.block == places_of_block(header.width)
        && header.places > 0
        && header.positions <= header.places
        && counted == Some(header.positions);
    match sound {
        true => Ok(header),
        false => Err(Damage::new(path, "the header contradicts itself")),
    }
}

/// The digest of a file, from its first bytes.
pub(crate) fn digest(preface: &[u8; HEADER_AT], text: &[u8]) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(preface).update(text);
    hash.finalize().to_hex().to_string()
}

/// Undoes [`Press::block`]: packed symbols of so many places.
pub(crate) fn unpress(header: &SliceHeader, block: &[u8], places: u64) -> Option<Vec<u8>> {
    let bytes = header.packed_bytes(places);
    if let [constant] = *block {
        return Some(match header.width {
            0 => vec![(constant & 3) * 0b0101_0101; bytes],
            1 => vec![constant; bytes],
            _ => [constant, 0].repeat(places as usize),
        });
    }
    let plain = unzip(block, bytes)?;
    (plain.len() == bytes).then_some(plain)
}

/// Undoes zstd, if no more than so many bytes come out.
pub(crate) fn unzip(frame: &[u8], most: usize) -> Option<Vec<u8>> {
    thread_local! {
        // Making one takes longer than reading a block.
        static UNZIP: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
    }
    UNZIP.with_borrow_mut(|unzip| {
        if unzip.is_none() {
            *unzip = zstd::bulk::Decompressor::new().ok();
        }
        unzip.as_mut()?.decompress(frame, most).ok()
    })
}

/// The file with another symbol at a place and all checksums right: for tests that a wrong entry is found out. `None`
/// if that changes nothing or does not fit.
#[doc(hidden)]
#[must_use]
pub fn forge(stored: &crate::slice_file::SliceFile, place: u64, to: u16) -> Option<Vec<u8>> {
    let mut header = stored.header.clone();
    let mut press = Press::new().ok()?;
    let (mut index, mut blocks) = (BlockIndex::default(), Vec::new());
    for n in 0..header.blocks() {
        let packed = stored.read_block(n as usize).ok()?;
        let from = n * header.block;
        let mut symbols: Vec<Option<u16>> = (0..header.block_places(n))
            .map(|i| Some(symbol(&packed, header.width, i as usize)))
            .collect();
        if let Some(old) = place.checked_sub(from).and_then(|i| symbols.get_mut(i as usize)) {
            if *old == Some(to) || (header.width == 1 && to > 255) {
                return None;
            }
            *old = Some(to);
        }
        let block = press.block(header.width, &symbols).ok()?;
        index.push(&block);
        blocks.extend(block);
    }
    let mut file = index.front(&mut header);
    file.extend(blocks);
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fold() {
        for n in [i16::MIN, -300, -2, -1, 0, 1, 2, 77, i16::MAX] {
            assert_eq!(unfolded(folded(n)), n);
        }
        assert_eq!([0, -1, 1, -2, 2].map(folded), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn blocks_come_back() {
        let mut press = Press::new().unwrap();
        let header = |width| SliceHeader {
            game: String::new(),
            rules: 1,
            slice: String::new(),
            pieces: [0; 2],
            coding: Coding::Wdl,
            width,
            places: 1,
            positions: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            longest: None,
            quiet: false,
            block: 1,
            index: String::new(),
            rest: 0,
            sources: Vec::new(),
        };
        for width in [0, 1, 2] {
            for most in [1, 3, 200, 60_000u16] {
                let most = if width == 0 {
                    most.min(3)
                } else if width == 1 {
                    most.min(256)
                } else {
                    most
                };
                for places in [1u64, 5, 1000, 1003] {
                    let symbols: Vec<Option<u16>> = (0..places)
                        .map(|i| (i % 7 != 3).then(|| (i as u16).wrapping_mul(40_503) % most))
                        .collect();
                    let block = press.block(width, &symbols).unwrap();
                    let plain = unpress(&header(width), &block, places).unwrap();
                    for (i, wanted) in symbols.iter().enumerate() {
                        assert!(wanted.is_none_or(|w| symbol(&plain, width, i) == w));
                    }
                }
            }
        }
    }
}
