//! Writing and reading the file; its byte map stands at the top of the parent module. Nothing here knows a game.

use super::graph::{Graph, Positions};
use crate::format::{Longest, MAX_HEADER, MAX_INDEX};
use crate::manifest::{Listed, check_identity};
use crate::{Damage, DatabaseFailure, folder};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use zermelo_game::{Identity, Key, Value};

/// The name of the file.
pub const FILE: &str = "all.positions";
/// Version 1, where keys have 16 bytes in the index, and version 2, where they have more.
const MAGIC: [&[u8; 8]; 2] = [b"allpos1\n", b"allpos2\n"];
const HEADER_AT: usize = 44;
/// Bytes of a key in the index of a file of version 1.
const KEY_BYTES: u32 = 16;
/// The most bytes of a key that are read.
const MAX_KEY_BYTES: u32 = 1 << 10;
/// Bytes of an entry of the index beside the key.
const INDEX_ENTRY: u64 = 20;
/// Positions in a block.
const BLOCK: u64 = 1024;
/// The most positions of a block that are read.
const MAX_BLOCK: u64 = 1 << 16;
const LEVEL: i32 = 15;

/// What the file says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachableHeader {
    /// The game, as the registry opens it.
    pub game: String,
    /// The version of its rules.
    pub rules: u32,
    /// Positions in the file, one for all its images.
    pub kept: u64,
    /// Positions in all.
    pub positions: u64,
    /// Those that the player to move wins; images are counted apart here and below.
    pub wins: u64,
    /// Those that are drawn.
    pub draws: u64,
    /// Those that the player to move loses.
    pub losses: u64,
    /// The value of the start, from the first player's point of view.
    pub value: Value,
    /// Whether there are distances.
    pub distance: bool,
    /// The most plies that a win takes, where there are distances.
    pub longest: Option<crate::format::Longest>,
    /// Positions in a block.
    pub block: u64,
    /// Bytes of a key in the index, where these are not 16.
    #[serde(default = "usual_key_bytes", skip_serializing_if = "is_usual")]
    pub key_bytes: u32,
    /// BLAKE3 of the index.
    pub index: String,
    /// Length of what follows the header.
    pub rest: u64,
}

fn usual_key_bytes() -> u32 {
    KEY_BYTES
}

fn is_usual(key_bytes: &u32) -> bool {
    *key_bytes == KEY_BYTES
}

/// Bytes of a key of so many bits in the index.
pub(super) fn key_bytes(key_bits: u32) -> u32 {
    (8 * key_bits.div_ceil(64)).max(KEY_BYTES)
}

impl ReachableHeader {
    /// Bytes of the index.
    fn index_bytes(&self) -> u64 {
        let blocks = self.kept.div_ceil(self.block);
        blocks.saturating_mul(INDEX_ENTRY + u64::from(self.key_bytes))
    }

    /// The most bytes that a position takes before compression: a difference of keys, a value and a distance in LEB128.
    fn entry_bytes(&self) -> u64 {
        (8 * u64::from(self.key_bytes)).div_ceil(7) + 3 + 5
    }
}

/// All that goes into a file.
pub(super) struct Contents<'a, K> {
    pub identity: Identity,
    pub key_bits: u32,
    pub positions: &'a dyn Positions<K>,
    pub graph: &'a Graph,
    /// For the first player, by number.
    pub values: Vec<Value>,
    /// Plies to the end, by number, where they are to be kept.
    pub plies: Option<Vec<u32>>,
}

impl<K: Key> Contents<'_, K> {
    /// The header without what is known only when the blocks are made.
    fn header(&self, order: &[u32]) -> ReachableHeader {
        let mut header = ReachableHeader {
            game: self.identity.game.clone(),
            rules: self.identity.rules_version,
            kept: order.len() as u64,
            positions: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            value: self.values[0],
            distance: self.plies.is_some(),
            longest: None,
            block: BLOCK,
            key_bytes: key_bytes(self.key_bits),
            index: String::new(),
            rest: 0,
        };
        for &n in order {
            let images = self.positions.images(n);
            let value = self.graph.seen(n as usize, self.values[n as usize]);
            header.positions += images;
            *match value.signum() {
                1 => &mut header.wins,
                0 => &mut header.draws,
                _ => &mut header.losses,
            } += images;
        }
        if let Some(plies) = &self.plies {
            let won = |n: u32| self.graph.seen(n as usize, self.values[n as usize]) > 0;
            let wins = order.iter().filter(|n| won(**n)).map(|&n| (n, plies[n as usize]));
            header.longest = longest(self.positions, wins);
        }
        header
    }

    /// Writes the file, which appears when it is complete.
    pub fn write(&self, path: &Path) -> Result<(), DatabaseFailure> {
        let (_, file) = self.encode().map_err(|e| DatabaseFailure::io(path, e))?;
        folder::write(path, |to| to.write_all(&file))
    }

    /// The header and the whole file.
    pub fn encode(&self) -> std::io::Result<(ReachableHeader, Vec<u8>)> {
        let mut order: Vec<u32> = (0..self.values.len() as u32).collect();
        let key = |n: u32| self.positions.key(n);
        order.sort_unstable_by_key(|n| key(*n));
        let mut header = self.header(&order);
        let (mut index, mut body) = (Vec::new(), Vec::new());
        let mut press = zstd::bulk::Compressor::new(LEVEL)?;
        for block in order.chunks(BLOCK as usize) {
            let mut plain = Vec::new();
            let mut last = key(block[0]);
            for &n in block {
                leb(&mut plain, difference(key(n), last));
                last = key(n);
            }
            for &n in block {
                leb(&mut plain, u64::from(crate::format::folded(self.values[n as usize])));
            }
            for plies in
                self.plies.iter().flat_map(|plies| block.iter().map(|&n| plies[n as usize]))
            {
                leb(&mut plain, u64::from(plies.wrapping_add(1)));
            }
            let bytes = press.compress(&plain)?;
            for word in 0..header.key_bytes as usize / 8 {
                index.extend(key(block[0]).word(word).to_le_bytes());
            }
            index.extend((bytes.len() as u32).to_le_bytes());
            index.extend(&blake3::hash(&bytes).as_bytes()[..16]);
            body.extend(bytes);
        }
        header.index = blake3::hash(&index).to_hex().to_string();
        header.rest = (index.len() + body.len()) as u64;
        let text = serde_json::to_vec(&header).expect("a header is plain data");
        let mut file = MAGIC[usize::from(!is_usual(&header.key_bytes))].to_vec();
        file.extend((text.len() as u32).to_le_bytes());
        file.extend(blake3::hash(&text).as_bytes());
        file.extend(text);
        file.extend(index);
        file.extend(body);
        Ok((header, file))
    }
}

/// The longest of wins in so many plies; of several the one that comes first.
pub(super) fn longest<K: Key>(
    positions: &dyn Positions<K>,
    wins: impl Iterator<Item = (u32, u32)>,
) -> Option<Longest> {
    let later = |(first, most), (n, plies)| if plies > most { (n, plies) } else { (first, most) };
    let (n, plies) = wins.reduce(later)?;
    Some(Longest { plies, position: positions.text(n) })
}

/// The smaller number taken from the larger.
fn difference<K: Key>(larger: K, smaller: K) -> K {
    let mut borrow = false;
    K::from_words(|i| {
        let (word, one) = larger.word(i).overflowing_sub(smaller.word(i));
        let (word, other) = word.overflowing_sub(borrow.into());
        borrow = one | other;
        word
    })
}

/// The sum, if it is a number of this type.
fn sum<K: Key>(a: K, b: K) -> Option<K> {
    let mut carry = false;
    let sum = K::from_words(|i| {
        let (word, one) = a.word(i).overflowing_add(b.word(i));
        let (word, other) = word.overflowing_add(carry.into());
        carry = one | other;
        word
    });
    (!carry).then_some(sum)
}

fn leb<K: Key>(out: &mut Vec<u8>, number: K) {
    let groups = (number.width() as usize).div_ceil(7).max(1);
    for group in 0..groups {
        let (word, at) = (7 * group / 64, 7 * group % 64);
        let above = number.word(word + 1) << 1 << (63 - at);
        let bits = (number.word(word) >> at | above) as u8 & 127;
        out.push(if group + 1 < groups { bits | 128 } else { bits });
    }
}

/// `None` if the number does not fit the type.
fn unleb<K: Key>(bytes: &mut &[u8]) -> Option<K> {
    let most = (K::BITS as usize).div_ceil(7);
    let last = bytes.iter().take(most).position(|byte| *byte < 128)?;
    let groups;
    (groups, *bytes) = bytes.split_at(last + 1);
    let width = 7 * last as u32 + groups[last].checked_ilog2().map_or(0, |top| top + 1);
    let group = |n: usize| groups.get(n).map_or(0, |byte| u64::from(byte & 127));
    // No more than ten groups of seven bits overlap with a word.
    let word = |i: usize| {
        let (first, at) = (64 * i / 7, 64 * i % 7);
        (1..10).fold(group(first) >> at, |word, n| {
            let place = 7 * n - at;
            if place < 64 { word | group(first + n) << place } else { word }
        })
    };
    (width <= K::BITS).then(|| K::from_words(word))
}

/// The header of the file in a folder, and the file's length.
pub fn header(dir: &Path) -> Result<(ReachableHeader, u64), DatabaseFailure> {
    let head = Head::read(&dir.join(FILE))?;
    Ok((head.header, head.bytes))
}

/// What a manifest says of the file in a folder.
pub(crate) fn listed(dir: &Path) -> Result<Listed, DatabaseFailure> {
    Ok(Head::read(&dir.join(FILE))?.listed())
}

/// A file whose header has been read.
struct Head {
    file: File,
    header: ReachableHeader,
    /// Where the header ends.
    end: u64,
    bytes: u64,
    digest: String,
}

impl Head {
    fn read(path: &Path) -> Result<Head, DatabaseFailure> {
        let io = |e| DatabaseFailure::io(path, e);
        let damaged = |why: &str| Err(Damage::new(path, why).into());
        let mut file = folder::regular(path)?;
        let bytes = file.metadata().map_err(io)?.len();
        let mut preface = [0; HEADER_AT];
        if bytes < HEADER_AT as u64 {
            return damaged("the file is too short");
        }
        file.read_exact(&mut preface).map_err(io)?;
        let Some(version) = MAGIC.iter().position(|magic| preface[..8] == magic[..]) else {
            return damaged("it does not start as such a file does");
        };
        let long = u32::from_le_bytes([preface[8], preface[9], preface[10], preface[11]]) as usize;
        let end = (HEADER_AT + long) as u64;
        if bytes < end {
            return damaged("the file is too short");
        }
        if long > MAX_HEADER {
            let why = format!("a header of {long} bytes, {MAX_HEADER} is the most that is read");
            return damaged(&why);
        }
        let mut text = vec![0; long];
        file.read_exact(&mut text).map_err(io)?;
        if blake3::hash(&text).as_bytes() != &preface[12..] {
            return damaged("the header does not match its checksum");
        }
        let header: ReachableHeader = serde_json::from_slice(&text)
            .map_err(|e| Damage::new(path, &format!("the header cannot be read: {e}")))?;
        if !(1..=MAX_BLOCK).contains(&header.block) || header.rest != bytes - end {
            return damaged("its length is wrong");
        }
        if !header.key_bytes.is_multiple_of(8)
            || !(KEY_BYTES..=MAX_KEY_BYTES).contains(&header.key_bytes)
            || is_usual(&header.key_bytes) != (version == 0)
        {
            return damaged("the length of its keys is wrong");
        }
        let digest = blake3::Hasher::new().update(&preface).update(&text).finalize();
        Ok(Head { file, header, end, bytes, digest: digest.to_hex().to_string() })
    }

    fn listed(&self) -> Listed {
        Listed { name: FILE.into(), bytes: self.bytes, digest: self.digest.clone() }
    }
}

/// A block: its keys, values and distances.
type Block<K> = (Vec<K>, Vec<Value>, Vec<u32>);

/// A block in its file.
#[derive(Debug)]
struct BlockLocation<K> {
    /// The key of its first position.
    first: K,
    offset: u64,
    bytes: usize,
    checksum: [u8; 16],
}

/// A file that is read, block by block as they are asked for.
#[derive(Debug)]
pub(super) struct BlockReader<K> {
    pub path: PathBuf,
    pub header: ReachableHeader,
    pub listed: Listed,
    file: File,
    index: Vec<BlockLocation<K>>,
    blocks: Vec<OnceLock<Block<K>>>,
}

impl<K: Key> BlockReader<K> {
    /// Opens the file of a folder, which must be of this game, with keys of so many bits.
    pub fn open(
        game: &Identity,
        key_bits: u32,
        dir: &Path,
    ) -> Result<BlockReader<K>, DatabaseFailure> {
        let path = dir.join(FILE);
        let head = Head::read(&path)?;
        let listed = head.listed();
        let Head { file, header, end, bytes, .. } = head;
        let damaged = |why: String| Err(Damage::new(&path, &why).into());
        if let Err(why) = check_identity(&header.game, header.rules, game) {
            return damaged(why);
        }
        if header.key_bytes != key_bytes(key_bits) {
            return damaged(format!(
                "keys of {} bytes, not {}",
                header.key_bytes,
                key_bytes(key_bits)
            ));
        }
        let (blocks, size) = (header.kept.div_ceil(header.block), header.index_bytes());
        if size > MAX_INDEX {
            let why = format!("an index of {size} bytes, {MAX_INDEX} is the most that is read");
            return damaged(why);
        }
        if size > header.rest {
            return damaged("the index does not fit the file".into());
        }
        let mut raw = vec![0; size as usize];
        file.read_exact_at(&mut raw, end).map_err(|e| DatabaseFailure::io(&path, e))?;
        if blake3::hash(&raw).to_hex().as_str() != header.index {
            return damaged("the index does not match its checksum".into());
        }
        let (mut offset, mut index) = (end + size, Vec::new());
        let key_bytes = header.key_bytes as usize;
        for (n, entry) in raw.chunks_exact(key_bytes + INDEX_ENTRY as usize).enumerate() {
            let (key, entry) = entry.split_at(key_bytes);
            let words = key.as_chunks().0;
            let word = |i: usize| words.get(i).map_or(0, |word| u64::from_le_bytes(*word));
            if (K::WORDS..words.len()).any(|i| word(i) != 0) {
                return damaged(format!("block {n} has a key of more than {} bits", K::BITS));
            }
            let first = K::from_words(word);
            let long = u32::from_le_bytes(entry[..4].try_into().expect("four bytes"));
            // What does not compress grows by a few bytes.
            let most = header.block * (header.entry_bytes() + 1) + 64;
            if u64::from(long) > most {
                return damaged(format!("block {n} has {long} bytes, {most} is the most"));
            }
            let checksum = entry[4..].try_into().expect("sixteen bytes");
            index.push(BlockLocation { first, offset, bytes: long as usize, checksum });
            offset += u64::from(long);
        }
        if offset != bytes {
            return damaged("the blocks do not fill the file".into());
        }
        let blocks = (0..blocks).map(|_| OnceLock::new()).collect();
        Ok(BlockReader { path, header, listed, file, index, blocks })
    }

    /// Reads all blocks, to see whether they match their checksums and can be unpacked.
    pub fn check_blocks(&self) -> Result<(), Damage> {
        (0..self.index.len()).try_for_each(|n| self.read_block(n).map(drop))
    }

    /// What a block holds; read once.
    fn block(&self, n: usize) -> Result<&Block<K>, Damage> {
        if let Some(block) = self.blocks[n].get() {
            return Ok(block);
        }
        let block = self.read_block(n)?;
        Ok(self.blocks[n].get_or_init(|| block))
    }

    fn read_block(&self, n: usize) -> Result<Block<K>, Damage> {
        let BlockLocation { first, offset, bytes, checksum } = self.index[n];
        let damaged = |why: &str| Damage::new(&self.path, &format!("block {n}: {why}"));
        let mut raw = vec![0; bytes];
        self.file.read_exact_at(&mut raw, offset).map_err(|e| damaged(&e.to_string()))?;
        if blake3::hash(&raw).as_bytes()[..16] != checksum {
            return Err(damaged("does not match its checksum"));
        }
        let count = (self.header.kept - n as u64 * self.header.block).min(self.header.block);
        let read = || -> Option<Block<K>> {
            let plain = crate::format::unzip(&raw, (count * self.header.entry_bytes()) as usize)?;
            let (mut rest, mut key) = (plain.as_slice(), first);
            let (mut keys, mut values, mut plies) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..count {
                key = sum(key, unleb(&mut rest)?)?;
                keys.push(key);
            }
            for _ in 0..count {
                values.push(crate::format::unfolded(u16::try_from(unleb::<u64>(&mut rest)?).ok()?));
            }
            for _ in 0..if self.header.distance { count } else { 0 } {
                plies.push(u32::try_from(unleb::<u64>(&mut rest)?).ok()?);
            }
            rest.is_empty().then_some((keys, values, plies))
        };
        read().ok_or_else(|| damaged("cannot be unpacked"))
    }

    /// The value for the first player and the distance of the position with this key; `None` if there is none.
    pub fn find(&self, key: K) -> Result<Option<(Value, Option<u32>)>, Damage> {
        let Some(n) = self.index.partition_point(|block| block.first <= key).checked_sub(1) else {
            return Ok(None);
        };
        let (keys, values, plies) = self.block(n)?;
        let at = |i: usize| (values[i], plies.get(i).and_then(|d| d.checked_sub(1)));
        Ok(keys.binary_search(&key).ok().map(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_game::{Bits, Wide, Words};

    fn reads_what_it_writes<K: Key>(number: K, length: usize) {
        let mut bytes = vec![77];
        leb(&mut bytes, number);
        assert_eq!(bytes.len(), 1 + length, "{number:?}");
        bytes.push(99);
        let mut rest = &bytes[1..];
        assert_eq!(unleb(&mut rest), Some(number));
        assert_eq!(rest, [99]);
    }

    #[test]
    fn numbers_of_any_length_are_read_back() {
        for bit in 0..576 {
            let length = bit as usize / 7 + 1;
            reads_what_it_writes(Wide::<9>::cell(bit), length);
            reads_what_it_writes(Wide::<9>::first(bit + 1), length);
            if bit < 64 {
                reads_what_it_writes(u64::cell(bit), length);
                reads_what_it_writes(u64::first(bit + 1), length);
            }
            if bit < 128 {
                reads_what_it_writes(u128::cell(bit), length);
                reads_what_it_writes(u128::first(bit + 1), length);
            }
        }
        reads_what_it_writes(0u64, 1);
        let mut bytes = Vec::new();
        leb(&mut bytes, 1u128 << 70 | 300);
        assert_eq!(bytes, [0xAC, 0x82, 128, 128, 128, 128, 128, 128, 128, 128, 1]);
        reads_what_it_writes(Wide([0; 9]), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut bytes = Vec::new();
        leb(&mut bytes, 1u128 << 64);
        assert_eq!(unleb::<u64>(&mut &bytes[..]), None);
        assert_eq!(unleb::<u128>(&mut &bytes[..]), Some(1 << 64));
        bytes.clear();
        leb(&mut bytes, Wide::<3>::cell(128));
        assert_eq!(unleb::<u128>(&mut &bytes[..]), None);
        for bytes in [&[][..], &[128], &[255; 30], &[128; 9], &[128; 19]] {
            assert_eq!(unleb::<u64>(&mut &*bytes), None, "{bytes:?}");
            assert_eq!(unleb::<u128>(&mut &*bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn sums_and_differences_carry() {
        let wide = |x: u128| Wide([x as u64, (x >> 64) as u64, 0]);
        for (a, b) in [(5, 3), (1 << 64, 1), (u128::MAX, u64::MAX.into()), (1 << 100, 1 << 99 | 7)]
        {
            assert_eq!(difference(wide(a), wide(b)), wide(a - b));
            assert_eq!(sum(wide(a - b), wide(b)), Some(wide(a)));
            assert_eq!(sum(a - b, b), Some(a));
        }
        assert_eq!(sum(wide(u128::MAX), wide(1)), Some(Wide([0, 0, 1])));
        assert_eq!((sum(u64::MAX, 1), sum(u128::MAX, 1)), (None, None));
        assert_eq!(sum(Wide::<3>::first(192), Wide::of(1)), None);
    }
}
