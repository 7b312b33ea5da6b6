//! Strong solutions of small games: all positions that can be reached from the start, and the value of each.
//!
//! Works for any game whose positions have values of their own. Of positions that are images of each other
//! the one with the smallest key is kept. They are found by playing all moves from the start, then solved
//! backwards: a position is looked at again whenever one that a move leads to has changed. Every value starts as what a
//! repetition is worth and only ever moves away from that (the argument is that of [`crate::scores`]), so the order
//! does not matter.
//!
//! # The file, version 1 or 2
//!
//! All numbers are little-endian; LEB128 is seven bits a byte, low bits first, the top bit set in all bytes but the
//! last.
//!
//! ```text
//! at        bytes   what
//!  0        8       "allpos1\n", or "allpos2\n" if keys have more than 128 bits
//!  8        4       length of the header, H
//! 12        32      BLAKE3 of the header
//! 44        H       the header: one JSON object (`ReachableHeader`)
//! 44 + H    36 N    the index, for each of N blocks: its first key (16 bytes, in version 2 as many as `key_bytes` in
//!                   the header), its length (4), the first 16 bytes of its BLAKE3
//! then              the blocks, one after the other; the file ends with the last
//! ```
//!
//! A block is a zstd frame of `block` positions in the order of their keys (the last has the rest): first the
//! differences of keys, from the one before, LEB128 (0 for the first); then the values for the first player, as
//! LEB128 of `2 n` for `n >= 0` and `-2 n - 1` for `n < 0`; then, with distances, the plies to the end of the
//! game, LEB128 of `d + 1` for wins and losses, 0 for others.
//!
//! Limits: a header has 64 MiB at most, an index 1 GiB, a block 65,536 positions of 28 bytes, or more for long keys, which have
//! 1 KiB at most; more is refused before memory is taken for it.

mod file;
mod graph;
mod trial;

pub(crate) use file::listed;
pub use file::{FILE, ReachableHeader, header};
pub(crate) use graph::position_bytes;
pub(crate) use trial::trial;

use crate::manifest::{Listing, Manifest};
use crate::{Damage, DatabaseEntry, DatabaseFailure, folder};
use file::{BlockReader, Contents, longest};
use graph::{Graph, Positions, explore, least};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_game::{Bounds, Identity, Key, Notation, SuperkoRule, Value};

/// How to build.
pub struct ReachableConfig<'a> {
    /// Whether to keep distances.
    pub distance: bool,
    /// Bytes.
    pub memory: u64,
    /// Set by others to end the run.
    pub cancel: Option<&'a AtomicBool>,
    /// Told how many positions are known.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

impl Default for ReachableConfig<'_> {
    fn default() -> Self {
        ReachableConfig { distance: false, memory: 4 << 30, cancel: None, progress: None }
    }
}

/// The value of a repetition; refuses games whose positions have no value of their own.
pub(crate) fn repetition_value<R: Notation>(
    rules: &R,
    superko: SuperkoRule<R>,
) -> Result<Value, DatabaseFailure> {
    let refuse = |why: &str| Err(DatabaseFailure::Refused(format!("{}: {why}", rules.name())));
    if superko.is_some() {
        return refuse("where boards must not be repeated, positions have no value of their own");
    }
    match (R::CYCLIC, rules.repetition().fixed()) {
        (false, _) => Ok(0),
        (true, Some(value)) => Ok(value),
        (true, None) => refuse(
            "the value of a repetition depends on the line, so positions have no value of their own",
        ),
    }
}

/// Finds all positions, solves them and writes the file. Does nothing if it is there already. `superko` is the rule of the game,
/// `None` where boards may be repeated: games that have it are refused, as their positions have no value of their own.
pub fn build<R: Notation>(
    rules: &R,
    superko: SuperkoRule<R>,
    dir: &Path,
    config: &ReachableConfig,
) -> Result<ReachableHeader, DatabaseFailure> {
    let rest = repetition_value(rules, superko)?;
    let refuse = |why: &str| Err(DatabaseFailure::Refused(format!("{}: {why}", rules.name())));
    if config.distance && rest != 0 {
        return refuse("a repetition that wins is no end to which plies could be counted");
    }
    if config.distance && !crate::database::is_wdl(rules) {
        return refuse("games with scores have no distances");
    }
    folder::prepare(dir)?;
    let path = dir.join(FILE);
    let other = |distance: bool| match distance == config.distance {
        true => Ok(()),
        false => {
            let why = "holds a database with another kind of distances";
            Err(DatabaseFailure::Refused(format!("{} {why}", zermelo_game::outside::path(dir))))
        }
    };
    let manifest = Manifest::read(dir)?;
    if let Some(manifest) = &manifest {
        manifest.check_game(dir, &Identity::of(rules))?;
        other(manifest.distance)?;
    }
    if path.exists() {
        let there = reader(rules, dir)?;
        other(there.header.distance)?;
        let listed = manifest.as_ref().and_then(|m| m.file(FILE));
        if listed.is_none() {
            there.check_blocks()?;
        }
        return seal(rules, dir, manifest.as_ref());
    }
    let (positions, graph) = explore(rules, config)?;
    let back = graph.back();
    let values = graph.values(rest, &back);
    let plies = config.distance.then(|| graph.distances(&values, &back));
    drop(back);
    let (identity, key_bits) = (Identity::of(rules), rules.key_bits());
    let positions = &positions;
    Contents { identity, key_bits, positions, graph: &graph, values, plies }.write(&path)?;
    seal(rules, dir, manifest.as_ref())
}

/// Opens the file of a game.
fn reader<R: Notation>(rules: &R, dir: &Path) -> Result<BlockReader<R::Key>, DatabaseFailure> {
    BlockReader::open(&Identity::of(rules), rules.key_bits(), dir)
}

/// Writes the manifest for the file that is there, or compares it with the one that lists it.
fn seal<R: Notation>(
    rules: &R,
    dir: &Path,
    manifest: Option<&Manifest>,
) -> Result<ReachableHeader, DatabaseFailure> {
    let BlockReader { path, header, listed, .. } = reader(rules, dir)?;
    if let Some(manifest) = manifest {
        manifest.check_file(&path, &listed)?;
    }
    let (game, rules, distance) = (header.game.clone(), header.rules, header.distance);
    Manifest { game, rules, pieces: None, distance, files: vec![listed] }.write(dir)?;
    Ok(header)
}

/// The strong solution of a game with keys of type `K`, from its file.
#[derive(Debug)]
pub struct Strong<K> {
    file: BlockReader<K>,
    listing: Listing,
}

impl<K: Key> Strong<K> {
    /// Opens the file of a folder, which must be the one that the manifest lists.
    pub fn open<R: Notation<Key = K>>(rules: &R, dir: &Path) -> Result<Strong<K>, DatabaseFailure> {
        let file = reader(rules, dir)?;
        let mut listing = Listing::NoManifest;
        if let Some(manifest) = Manifest::read(dir)? {
            manifest.check_game(dir, &Identity::of(rules))?;
            let found = [(file.listed.name.clone(), file.listed.clone())].into();
            listing = manifest.compare(dir, &found, true)?;
        }
        Ok(Strong { file, listing })
    }

    /// Whether the manifest lists the file.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.listing
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &ReachableHeader {
        &self.file.header
    }

    /// The value of a position for the player to move; `None` if it cannot be reached from the start.
    pub fn entry<R: Notation<Key = K>>(
        &self,
        rules: &R,
        p: &R::Position,
    ) -> Result<Option<DatabaseEntry>, Damage> {
        let found = self.file.find(rules.key(&least(rules, p)))?;
        let sign = rules.turn(p).sign();
        Ok(found.map(|(value, distance)| DatabaseEntry { value: value * sign, distance }))
    }

    /// What is known of a position, from the first player's point of view.
    pub fn probe<R: Notation<Key = K>>(
        &self,
        rules: &R,
        p: &R::Position,
    ) -> Result<Bounds, Damage> {
        let entry = self.entry(rules, p)?;
        let bounds = entry.map(|e| Bounds::exact(e.value).seen_by(rules.turn(p)));
        Ok(bounds.or(rules.outcome(p).map(Bounds::exact)).unwrap_or(rules.values()))
    }

    /// Recomputes everything from the start by forward moves and compares: every position must be there, no other may be,
    /// and each must be worth what its moves make it, in as many plies. `superko` is as in [`build`].
    pub fn verify<R: Notation<Key = K>>(
        &self,
        rules: &R,
        superko: SuperkoRule<R>,
        config: &ReachableConfig,
    ) -> Result<u64, DatabaseFailure> {
        let rest = repetition_value(rules, superko)?;
        let (positions, graph) = explore(rules, config)?;
        self.compare(&positions, &graph, rest)
    }

    fn compare(
        &self,
        positions: &dyn Positions<K>,
        graph: &Graph,
        rest: Value,
    ) -> Result<u64, DatabaseFailure> {
        let BlockReader { path, header, .. } = &self.file;
        let damaged = |why: String| Err(Damage::new(path, &why).into());
        if graph.len() as u64 != header.kept {
            return damaged(format!("there are {} positions, not {}", graph.len(), header.kept));
        }
        // What the file says, for the player to move.
        let mut said = Vec::new();
        for n in 0..graph.len() {
            match self.file.find(positions.key(n as u32))? {
                Some((value, plies)) => said.push((graph.seen(n, value), plies)),
                None => return damaged(format!("\"{}\" is missing", positions.text(n as u32))),
            }
        }
        let wrong = |n: usize, why: &str| {
            let text = positions.text(n as u32);
            Err(Damage::new(path, &format!("wrong entry: \"{text}\" {why}")).into())
        };
        let mut counts = [0u64; 3];
        for (n, &(claimed, distance)) in said.iter().enumerate() {
            counts[(1 - claimed.signum()) as usize] += positions.images(n as u32);
            let after = || graph.moves(n).iter().map(|&to| said[to as usize]);
            let value = match graph.ends[n] {
                Some(value) => graph.seen(n, value),
                None => after().map(|(value, _)| -value).max().unwrap_or(0),
            };
            if value != claimed {
                return wrong(n, &format!("is worth {value} to the player to move, by its moves"));
            }
            if header.distance && value != 0 {
                let ways = after().filter(|(v, _)| *v == -value).map(|(_, plies)| plies);
                let best = if value > 0 { ways.min() } else { ways.max() };
                if distance != best.map_or(Some(0), |d| d.map(|d| d + 1)) {
                    return wrong(n, "is further from the end, or nearer");
                }
            }
        }
        if counts != [header.wins, header.draws, header.losses]
            || counts.iter().sum::<u64>() != header.positions
            || header.value != graph.seen(0, said[0].0)
        {
            return damaged("the header miscounts".into());
        }
        let wins = said.iter().enumerate().filter(|(_, (value, _))| *value > 0);
        let mut wins: Vec<_> =
            wins.filter_map(|(n, (_, plies))| Some((n as u32, (*plies)?))).collect();
        wins.sort_unstable_by_key(|(n, _)| positions.key(*n));
        if header.longest != longest(positions, wins.into_iter()) {
            return damaged("the longest win is another one".into());
        }
        // Well-founded: from what a repetition is worth, everything comes to what the file says.
        let values = graph.values(rest, &graph.back());
        match (0..values.len()).find(|&n| graph.seen(n, values[n]) != said[n].0) {
            Some(n) => wrong(n, "has a value that rests on nothing"),
            None => Ok(header.kept),
        }
    }
}
