//! Writing and reading the file; its byte map stands at the top of the parent module. Nothing here knows a game.

use super::graph::{Graph, Positions};
use crate::format::{Longest, RULES};
use crate::{Damage, Failure, folder};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use zermelo_game::Value;

/// The name of the file.
pub const FILE: &str = "all.positions";
const MAGIC: &[u8; 8] = b"allpos1\n";
const HEADER_AT: usize = 44;
const INDEX_ENTRY: usize = 36;
/// Positions in a block.
const BLOCK: u64 = 1024;
const LEVEL: i32 = 15;

/// What the file says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The game, as the registry opens it.
    pub game: String,
    /// The version of its rules.
    pub rules: u32,
    /// Positions in the file, one for all its images.
    pub kept: u64,
    /// Positions in all.
    pub positions: u64,
    /// Those that the player to move wins, draws, loses, images counted apart.
    pub wins: u64,
    /// See there.
    pub draws: u64,
    /// See there.
    pub losses: u64,
    /// The value of the start, from the first player's point of view.
    pub value: Value,
    /// Whether there are distances.
    pub distance: bool,
    /// The most plies that a win takes, where there are distances.
    pub longest: Option<crate::format::Longest>,
    /// Positions in a block.
    pub block: u64,
    /// BLAKE3 of the index.
    pub index: String,
    /// Length of what follows the header.
    pub rest: u64,
}

/// All that goes into a file.
pub(super) struct Contents<'a> {
    pub game: String,
    pub positions: &'a dyn Positions,
    pub graph: &'a Graph,
    /// For the first player, by number.
    pub values: Vec<Value>,
    /// Plies to the end, by number, where they are to be kept.
    pub plies: Option<Vec<u32>>,
}

impl Contents<'_> {
    /// The header without what is known only when the blocks are made.
    fn header(&self, order: &[u32]) -> Header {
        let mut header = Header {
            game: self.game.clone(),
            rules: RULES,
            kept: order.len() as u64,
            positions: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            value: self.values[0],
            distance: self.plies.is_some(),
            longest: None,
            block: BLOCK,
            index: String::new(),
            rest: 0,
        };
        let mut longest: Option<(u32, u32)> = None;
        for &n in order {
            let images = self.positions.images(n);
            let value = self.graph.seen(n as usize, self.values[n as usize]);
            header.positions += images;
            *match value.signum() {
                1 => &mut header.wins,
                0 => &mut header.draws,
                _ => &mut header.losses,
            } += images;
            if let Some(plies) = &self.plies
                && value > 0
                && longest.is_none_or(|(most, _)| plies[n as usize] > most)
            {
                longest = Some((plies[n as usize], n));
            }
        }
        let told = |(plies, n)| Longest { plies, position: self.positions.text(n) };
        header.longest = longest.map(told);
        header
    }

    /// Writes the file, which appears when it is complete.
    pub fn write(&self, path: &Path) -> Result<Header, Failure> {
        let mut order: Vec<u32> = (0..self.values.len() as u32).collect();
        let key = |n: u32| self.positions.key(n);
        order.sort_unstable_by_key(|n| key(*n));
        let mut header = self.header(&order);
        let (mut index, mut body) = (Vec::new(), Vec::new());
        let io = |e| Failure::io(path, e);
        let mut press = zstd::bulk::Compressor::new(LEVEL).map_err(io)?;
        for block in order.chunks(BLOCK as usize) {
            let mut plain = Vec::new();
            let mut last = key(block[0]);
            for &n in block {
                leb(&mut plain, key(n) - last);
                last = key(n);
            }
            for &n in block {
                leb(&mut plain, crate::format::folded(self.values[n as usize]).into());
            }
            for plies in
                self.plies.iter().flat_map(|plies| block.iter().map(|&n| plies[n as usize]))
            {
                leb(&mut plain, plies.wrapping_add(1).into());
            }
            let bytes = press.compress(&plain).map_err(io)?;
            index.extend(key(block[0]).to_le_bytes());
            index.extend((bytes.len() as u32).to_le_bytes());
            index.extend(&blake3::hash(&bytes).as_bytes()[..16]);
            body.extend(bytes);
        }
        header.index = blake3::hash(&index).to_hex().to_string();
        header.rest = (index.len() + body.len()) as u64;
        let text = serde_json::to_vec(&header).expect("a header is plain data");
        let mut file = MAGIC.to_vec();
        file.extend((text.len() as u32).to_le_bytes());
        file.extend(blake3::hash(&text).as_bytes());
        file.extend(text);
        file.extend(index);
        file.extend(body);
        folder::write(path, |to| to.write_all(&file))?;
        Ok(header)
    }
}

fn leb(out: &mut Vec<u8>, mut number: u128) {
    while number > 127 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn unleb(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0u128;
    for shift in (0..127).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u128::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

/// The header of the file in a folder, and the file's length.
pub fn header(dir: &Path) -> Result<(Header, u64), Failure> {
    let path = dir.join(FILE);
    let file = fs::read(&path).map_err(|e| Failure::io(&path, e))?;
    let (header, _) = read_header(&path, &file)?;
    Ok((header, file.len() as u64))
}

/// The game that a file belongs to.
pub(crate) fn game_of(path: &Path) -> Result<String, Failure> {
    let file = fs::read(path).map_err(|e| Failure::io(path, e))?;
    Ok(read_header(path, &file)?.0.game)
}

/// The header, and where it ends.
fn read_header(path: &Path, file: &[u8]) -> Result<(Header, usize), Damage> {
    let damaged = |why: &str| Err(Damage::new(path, why));
    if file.len() < HEADER_AT || &file[..8] != MAGIC {
        return damaged("it does not start as such a file does");
    }
    let long = u32::from_le_bytes([file[8], file[9], file[10], file[11]]) as usize;
    let Some(text) = file.get(HEADER_AT..HEADER_AT.saturating_add(long)) else {
        return damaged("the file is too short");
    };
    if blake3::hash(text).as_bytes() != &file[12..HEADER_AT] {
        return damaged("the header does not match its checksum");
    }
    let header: Header = serde_json::from_slice(text)
        .map_err(|e| Damage::new(path, &format!("the header cannot be read: {e}")))?;
    if header.block == 0 || header.rest != (file.len() - HEADER_AT - long) as u64 {
        return damaged("its length is wrong");
    }
    Ok((header, HEADER_AT + long))
}

/// A block: its keys, values and distances.
type Block = (Vec<u128>, Vec<Value>, Vec<u32>);

/// A file that is read.
#[derive(Debug)]
pub(super) struct Reader {
    pub path: PathBuf,
    pub header: Header,
    file: Vec<u8>,
    /// For each block its first key, where it is and how long, and its checksum.
    index: Vec<(u128, usize, usize, [u8; 16])>,
    blocks: Vec<OnceLock<Block>>,
}

impl Reader {
    /// Opens the file of a folder, which must be of this game.
    pub fn open(game: &str, dir: &Path) -> Result<Reader, Failure> {
        let path = dir.join(FILE);
        let file = fs::read(&path).map_err(|e| Failure::io(&path, e))?;
        let (header, at) = read_header(&path, &file)?;
        let damaged = |why: String| Err(Damage::new(&path, &why).into());
        if header.game != game || header.rules != RULES {
            let (name, rules) = (&header.game, header.rules);
            return damaged(format!("it belongs to {name}, by version {rules} of the rules"));
        }
        let blocks = header.kept.div_ceil(header.block) as usize;
        let Some(raw) = file.get(at..at.saturating_add(blocks.saturating_mul(INDEX_ENTRY))) else {
            return damaged("the index does not fit the file".into());
        };
        if blake3::hash(raw).to_hex().as_str() != header.index {
            return damaged("the index does not match its checksum".into());
        }
        let (mut offset, mut index) = (at + raw.len(), Vec::new());
        for entry in raw.chunks_exact(INDEX_ENTRY) {
            let key = u128::from_le_bytes(entry[..16].try_into().expect("sixteen bytes"));
            let long = u32::from_le_bytes(entry[16..20].try_into().expect("four bytes")) as usize;
            index.push((key, offset, long, entry[20..].try_into().expect("sixteen bytes")));
            offset += long;
        }
        if offset != file.len() {
            return damaged("the blocks do not fill the file".into());
        }
        let blocks = (0..blocks).map(|_| OnceLock::new()).collect();
        Ok(Reader { path, header, file, index, blocks })
    }

    /// What a block holds; read once.
    fn block(&self, n: usize) -> Result<&Block, Damage> {
        if let Some(block) = self.blocks[n].get() {
            return Ok(block);
        }
        let (first, at, long, checksum) = self.index[n];
        let damaged = |why: &str| Damage::new(&self.path, &format!("block {n}: {why}"));
        let bytes = &self.file[at..at + long];
        if blake3::hash(bytes).as_bytes()[..16] != checksum {
            return Err(damaged("does not match its checksum"));
        }
        let count = (self.header.kept - n as u64 * self.header.block).min(self.header.block);
        let read = || -> Option<Block> {
            let plain = crate::format::unzip(bytes, count as usize * 45)?;
            let (mut rest, mut key) = (plain.as_slice(), first);
            let (mut keys, mut values, mut plies) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..count {
                key = key.checked_add(unleb(&mut rest)?)?;
                keys.push(key);
            }
            for _ in 0..count {
                values.push(crate::format::unfolded(u16::try_from(unleb(&mut rest)?).ok()?));
            }
            for _ in 0..if self.header.distance { count } else { 0 } {
                plies.push(u32::try_from(unleb(&mut rest)?).ok()?);
            }
            rest.is_empty().then_some((keys, values, plies))
        };
        let block = read().ok_or_else(|| damaged("cannot be unpacked"))?;
        Ok(self.blocks[n].get_or_init(|| block))
    }

    /// The value for the first player and the distance of the position with this key; `None` if there is none.
    pub fn find(&self, key: u128) -> Result<Option<(Value, Option<u32>)>, Damage> {
        let Some(n) = self.index.partition_point(|(first, ..)| *first <= key).checked_sub(1) else {
            return Ok(None);
        };
        let (keys, values, plies) = self.block(n)?;
        let at = |i: usize| (values[i], plies.get(i).and_then(|d| d.checked_sub(1)));
        Ok(keys.binary_search(&key).ok().map(at))
    }
}
