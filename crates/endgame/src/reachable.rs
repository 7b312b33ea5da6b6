//! Strong solutions of small games: all positions that can be reached from the start, and the value of each.
//!
//! Works for any game whose positions have values of their own. Of positions that are images of each other
//! the one with the smallest key is kept. They are found by playing all moves from the start, then solved
//! backwards: a position is looked at again whenever one that a move leads to has changed. Every value starts as what a
//! repetition is worth and only ever moves away from that (the argument is that of [`crate::scores`]), so the order
//! does not matter.
//!
//! # The file, version 1
//!
//! All numbers are little-endian; LEB128 is seven bits a byte, low bits first, the top bit set in all bytes but the
//! last.
//!
//! ```text
//! at        bytes   what
//!  0        8       "allpos1\n"
//!  8        4       length of the header, H
//! 12        32      BLAKE3 of the header
//! 44        H       the header: one JSON object (`Header`)
//! 44 + H    36 N    the index, for each of N blocks: its first key (16 bytes), its length (4), the first 16 bytes
//!                   of its BLAKE3
//! then              the blocks, one after the other; the file ends with the last
//! ```
//!
//! A block is a zstd frame of `block` positions in the order of their keys (the last has the rest): first the
//! differences of keys, from the one before, LEB128 (0 for the first); then the values for the first player, as
//! LEB128 of `2 n` for `n >= 0` and `-2 n - 1` for `n < 0`; then, with distances, the plies to the end of the
//! game, LEB128 of `d + 1` for wins and losses, 0 for others.

use crate::format::RULES;
use crate::{Damage, Entry, Failure, folder};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use zermelo_game::{Bounds, Game, Key, MoveList, Value};

/// The name of the file.
pub const FILE: &str = "all.positions";
const MAGIC: &[u8; 8] = b"allpos1\n";
const HEADER_AT: usize = 44;
const INDEX_ENTRY: usize = 36;
/// Positions in a block.
const BLOCK: u64 = 1024;
const LEVEL: i32 = 15;
/// Bytes that a position takes while it is worked out, beside itself and its moves: a slot of the map, twice for
/// growing, and a value.
const SLOT: u64 = 64;

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

/// How to build.
pub struct Config<'a> {
    /// Whether to keep distances.
    pub distance: bool,
    /// Bytes.
    pub memory: u64,
    /// Set by others to end the run.
    pub cancel: Option<&'a AtomicBool>,
    /// Told how many positions are known.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl Default for Config<'_> {
    fn default() -> Self {
        Config { distance: false, memory: 4 << 30, cancel: None, progress: None }
    }
}

/// The image with the smallest key.
fn least<G: Game>(game: &G, p: &G::Position) -> G::Position {
    game.images(p).into_iter().min_by_key(|q| game.key(q)).unwrap_or(*p)
}

/// How many different images a position has.
fn count_images<G: Game>(game: &G, p: &G::Position) -> u64 {
    let images = game.images(p);
    (0..images.len()).filter(|&i| !images[..i].contains(&images[i])).count() as u64
}

/// All positions, and where moves lead.
struct Graph<G: Game> {
    positions: Vec<G::Position>,
    /// Where the moves of a position begin in `to`; one more than there are positions.
    from: Vec<usize>,
    to: Vec<u32>,
}

/// Refuses games whose positions have no value of their own.
fn rest_value<G: Game>(game: &G) -> Result<Value, Failure> {
    let refuse = |why: &str| Err(Failure::Refused(format!("{}: {why}", game.name())));
    if G::SUPERKO {
        return refuse("where no board may come back, positions have no value of their own");
    }
    match (G::CYCLIC, game.repetition().fixed()) {
        (false, _) => Ok(0),
        (true, Some(value)) => Ok(value),
        (true, None) => refuse(
            "what a repetition means hangs on the line, so positions have no value of their own",
        ),
    }
}

impl<G: Game> Graph<G> {
    fn explore(game: &G, config: &Config) -> Result<Graph<G>, Failure> {
        let start = least(game, &game.start());
        let mut numbers: FxHashMap<G::Key, u32> = FxHashMap::default();
        numbers.insert(game.key(&start), 0);
        let mut graph = Graph { positions: vec![start], from: vec![0], to: Vec::new() };
        let (mut moves, mut at) = (MoveList::new(), 0);
        while at < graph.positions.len() {
            let p = graph.positions[at];
            if game.outcome(&p).is_none() {
                moves.clear();
                game.moves(&p, &mut moves);
                for m in moves.iter() {
                    let next = least(game, &game.play(&p, m));
                    let fresh = graph.positions.len();
                    let n = *numbers.entry(game.key(&next)).or_insert(fresh as u32);
                    if n as usize == fresh {
                        graph.positions.push(next);
                    }
                    graph.to.push(n);
                }
            }
            graph.from.push(graph.to.len());
            at += 1;
            if at % 4096 == 0 {
                graph.check(config)?;
            }
        }
        Ok(graph)
    }

    /// Obeys limits and tells how far it is.
    fn check(&self, config: &Config) -> Result<(), Failure> {
        let known = self.positions.len() as u64;
        if let Some(progress) = config.progress {
            progress(known);
        }
        if config.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Failure::Interrupted);
        }
        // Moves are kept twice, forward and backward; vectors grow by doubling.
        let each = SLOT + 2 * (size_of::<G::Position>() + size_of::<G::Key>()) as u64;
        let need = known * each + 16 * self.to.len() as u64;
        if need > config.memory || known > u64::from(u32::MAX) - (1 << 16) {
            return Err(Failure::Refused(format!(
                "there are more than {known} positions, and {} MiB of memory do not hold more",
                config.memory >> 20
            )));
        }
        Ok(())
    }

    fn moves(&self, n: usize) -> &[u32] {
        &self.to[self.from[n]..self.from[n + 1]]
    }

    /// For each position those from which a move leads to it: where they begin, and they.
    fn back(&self) -> (Vec<usize>, Vec<u32>) {
        let mut begin = vec![0usize; self.positions.len() + 1];
        self.to.iter().for_each(|&to| begin[to as usize + 1] += 1);
        for n in 1..begin.len() {
            begin[n] += begin[n - 1];
        }
        let (mut next, mut back) = (begin.clone(), vec![0; self.to.len()]);
        for n in 0..self.positions.len() {
            for &to in self.moves(n) {
                back[next[to as usize]] = n as u32;
                next[to as usize] += 1;
            }
        }
        (begin, back)
    }

    /// The value of every position for the first player.
    fn values(&self, game: &G, rest: Value, back: &(Vec<usize>, Vec<u32>)) -> Vec<Value> {
        let value = |n: usize| game.outcome(&self.positions[n]).unwrap_or(rest);
        let mut values: Vec<Value> = (0..self.positions.len()).map(value).collect();
        // Positions found late are near the end of the game: most are right at the first look.
        let mut open: Vec<u32> = (0..self.positions.len() as u32).collect();
        let mut waits = vec![true; self.positions.len()];
        while let Some(n) = open.pop() {
            let n = n as usize;
            waits[n] = false;
            let sign = game.turn(&self.positions[n]).sign();
            let best = self.moves(n).iter().map(|&to| values[to as usize] * sign).max();
            let Some(best) = best.map(|best| best * sign).filter(|best| *best != values[n]) else {
                continue;
            };
            values[n] = best;
            for &before in &back.1[back.0[n]..back.0[n + 1]] {
                if !std::mem::replace(&mut waits[before as usize], true) {
                    open.push(before);
                }
            }
        }
        values
    }

    /// Plies to the end for wins and losses, by layers; `u32::MAX` for draws.
    fn distances(&self, game: &G, values: &[Value], back: &(Vec<usize>, Vec<u32>)) -> Vec<u32> {
        let count = self.positions.len();
        let won = |n: usize| values[n] * game.turn(&self.positions[n]).sign() > 0;
        let mut plies = vec![u32::MAX; count];
        let mut ways: Vec<u32> = (0..count).map(|n| self.moves(n).len() as u32).collect();
        let mut layer: Vec<u32> = (0..count as u32)
            .filter(|&n| ways[n as usize] == 0 && values[n as usize] != 0)
            .collect();
        layer.iter().for_each(|&n| plies[n as usize] = 0);
        let mut depth = 0;
        while !layer.is_empty() {
            depth += 1;
            let mut next = Vec::new();
            for n in layer.into_iter().map(|n| n as usize) {
                for &before in &back.1[back.0[n]..back.0[n + 1]] {
                    let b = before as usize;
                    if plies[b] != u32::MAX || values[b] != values[n] {
                        continue;
                    }
                    // A win needs one way to a loss, a loss has none but wins.
                    ways[b] -= 1;
                    if won(b) || ways[b] == 0 {
                        plies[b] = depth;
                        next.push(before);
                    }
                }
            }
            layer = next;
        }
        plies
    }
}

/// Finds all positions, solves them and writes the file. Does nothing if it is there already.
pub fn build<G: Game>(game: &G, dir: &Path, config: &Config) -> Result<Header, Failure> {
    let rest = rest_value(game)?;
    if config.distance && rest != 0 {
        let why = "a repetition that wins is no end to which plies could be counted";
        return Err(Failure::Refused(format!("{}: {why}", game.name())));
    }
    if config.distance && !crate::database::is_wdl(game) {
        return Err(Failure::Refused(format!(
            "{}: games with scores have no distances",
            game.name()
        )));
    }
    folder::prepare(dir)?;
    let path = dir.join(FILE);
    if path.exists() {
        let there = Strong::open(game, dir)?;
        if there.header.distance == config.distance {
            return Ok(there.header);
        }
        let why = "holds a database with another kind of distances";
        return Err(Failure::Refused(format!("{} {why}", dir.display())));
    }
    let graph = Graph::explore(game, config)?;
    let back = graph.back();
    let values = graph.values(game, rest, &back);
    let plies = match config.distance {
        true => graph.distances(game, &values, &back),
        false => Vec::new(),
    };
    drop(back);
    let mut order: Vec<u32> = (0..graph.positions.len() as u32).collect();
    let key = |n: u32| game.key(&graph.positions[n as usize]).wide();
    order.sort_unstable_by_key(|n| key(*n));
    let mut header = Header {
        game: game.full_name(),
        rules: RULES,
        kept: graph.positions.len() as u64,
        positions: 0,
        wins: 0,
        draws: 0,
        losses: 0,
        value: values[0],
        distance: config.distance,
        longest: None,
        block: BLOCK,
        index: String::new(),
        rest: 0,
    };
    let mut longest: Option<(u32, u32)> = None;
    for &n in &order {
        let p = &graph.positions[n as usize];
        let images = count_images(game, p);
        header.positions += images;
        *match (values[n as usize] * game.turn(p).sign()).signum() {
            1 => &mut header.wins,
            0 => &mut header.draws,
            _ => &mut header.losses,
        } += images;
        let win = values[n as usize] * game.turn(p).sign() > 0;
        if config.distance && win && longest.is_none_or(|(most, _)| plies[n as usize] > most) {
            longest = Some((plies[n as usize], n));
        }
    }
    header.longest = longest.map(|(plies, n)| crate::format::Longest {
        plies,
        position: game.position_text(&graph.positions[n as usize]),
    });
    let (mut index, mut body) = (Vec::new(), Vec::new());
    let io = |e| Failure::io(&path, e);
    let mut press = zstd::bulk::Compressor::new(LEVEL).map_err(io)?;
    for block in order.chunks(BLOCK as usize) {
        let mut plain = Vec::new();
        let mut last = key(block[0]);
        for &n in block {
            leb(&mut plain, key(n) - last);
            last = key(n);
        }
        block
            .iter()
            .for_each(|&n| leb(&mut plain, crate::format::folded(values[n as usize]).into()));
        if config.distance {
            block.iter().for_each(|&n| leb(&mut plain, plies[n as usize].wrapping_add(1).into()));
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
    folder::write(&path, &file)?;
    Ok(header)
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

/// The strong solution of a game, from its file.
#[derive(Debug)]
pub struct Strong {
    path: PathBuf,
    /// The header.
    pub header: Header,
    file: Vec<u8>,
    /// For each block its first key, where it is and how long, and its checksum.
    index: Vec<(u128, usize, usize, [u8; 16])>,
    blocks: Vec<OnceLock<Block>>,
}

impl Strong {
    /// Opens the file of a folder.
    pub fn open<G: Game>(game: &G, dir: &Path) -> Result<Strong, Failure> {
        let path = dir.join(FILE);
        let file = fs::read(&path).map_err(|e| Failure::io(&path, e))?;
        let (header, at) = read_header(&path, &file)?;
        let damaged = |why: String| Err(Damage::new(&path, &why).into());
        if header.game != game.full_name() || header.rules != RULES {
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
        Ok(Strong { path, header, file, index, blocks })
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

    /// The value of a position for the player to move; `None` if it cannot be reached from the start.
    pub fn entry<G: Game>(&self, game: &G, p: &G::Position) -> Result<Option<Entry>, Damage> {
        let key = game.key(&least(game, p)).wide();
        let Some(n) = self.index.partition_point(|(first, ..)| *first <= key).checked_sub(1) else {
            return Ok(None);
        };
        let (keys, values, plies) = self.block(n)?;
        Ok(keys.binary_search(&key).ok().map(|i| {
            let distance = plies.get(i).and_then(|d| d.checked_sub(1));
            Entry { value: values[i] * game.turn(p).sign(), distance }
        }))
    }

    /// What is known of a position, from the first player's point of view.
    pub fn probe<G: Game>(&self, game: &G, p: &G::Position) -> Result<Bounds, Damage> {
        let entry = self.entry(game, p)?;
        let bounds = entry.map(|e| Bounds::exact(e.value).seen_by(game.turn(p)));
        Ok(bounds.or(game.outcome(p).map(Bounds::exact)).unwrap_or(game.values()))
    }

    /// Recomputes everything from the start by forward moves and compares: every position must be there, no other may be,
    /// and each must be worth what its moves make it, in as many plies.
    pub fn verify<G: Game>(&self, game: &G, config: &Config) -> Result<u64, Failure> {
        let rest = rest_value(game)?;
        let graph = Graph::explore(game, config)?;
        let damaged = |why: String| Err(Damage::new(&self.path, &why).into());
        if graph.positions.len() as u64 != self.header.kept {
            let (found, said) = (graph.positions.len(), self.header.kept);
            return damaged(format!("there are {found} positions, not {said}"));
        }
        let mut said = Vec::new();
        for p in &graph.positions {
            match self.entry(game, p)? {
                Some(entry) => said.push(entry),
                None => return damaged(format!("\"{}\" is missing", game.position_text(p))),
            }
        }
        let wrong = |n: usize, why: &str| {
            let text = game.position_text(&graph.positions[n]);
            Err(Damage::new(&self.path, &format!("wrong entry: \"{text}\" {why}")).into())
        };
        let mut counts = [0u64; 3];
        for (n, p) in graph.positions.iter().enumerate() {
            counts[(1 - said[n].value.signum()) as usize] += count_images(game, p);
            let value = match game.outcome(p) {
                Some(value) => value * game.turn(p).sign(),
                None => {
                    graph.moves(n).iter().map(|&to| -said[to as usize].value).max().unwrap_or(0)
                }
            };
            if value != said[n].value {
                return wrong(n, &format!("is worth {value} to the player to move, by its moves"));
            }
            if self.header.distance && value != 0 {
                let ways = graph.moves(n).iter().map(|&to| said[to as usize]);
                let ways = ways.filter(|e| e.value == -value).map(|e| e.distance);
                let best = if value > 0 { ways.min() } else { ways.max() };
                let right = best.map_or(Some(0), |d| d.map(|d| d + 1));
                if right != said[n].distance {
                    return wrong(n, "is further from the end, or nearer");
                }
            }
        }
        if counts != [self.header.wins, self.header.draws, self.header.losses]
            || counts.iter().sum::<u64>() != self.header.positions
            || Some(self.header.value) != self.probe(game, &game.start())?.value()
        {
            return damaged("the header miscounts".into());
        }
        // Well-founded: from what a repetition is worth, everything comes to what the file says.
        let values = graph.values(game, rest, &graph.back());
        let differs =
            |n: &usize| values[*n] * game.turn(&graph.positions[*n]).sign() != said[*n].value;
        match (0..values.len()).find(differs) {
            Some(n) => wrong(n, "has a value that rests on nothing"),
            None => Ok(self.header.kept),
        }
    }
}
