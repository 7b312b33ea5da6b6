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

mod file;
mod graph;

pub(crate) use file::game_of;
pub use file::{FILE, Header, header};

use crate::{Damage, Entry, Failure, folder};
use file::{Contents, Reader};
use graph::{Graph, Positions, explore, least};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use zermelo_game::{Bounds, Game, Key, Value};

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

/// Finds all positions, solves them and writes the file. Does nothing if it is there already.
pub fn build<G: Game>(game: &G, dir: &Path, config: &Config) -> Result<Header, Failure> {
    let rest = rest_value(game)?;
    let refuse = |why: &str| Err(Failure::Refused(format!("{}: {why}", game.name())));
    if config.distance && rest != 0 {
        return refuse("a repetition that wins is no end to which plies could be counted");
    }
    if config.distance && !crate::database::is_wdl(game) {
        return refuse("games with scores have no distances");
    }
    folder::prepare(dir)?;
    let path = dir.join(FILE);
    if path.exists() {
        let there = Reader::open(&game.full_name(), dir)?;
        if there.header.distance == config.distance {
            return Ok(there.header);
        }
        let why = "holds a database with another kind of distances";
        return Err(Failure::Refused(format!("{} {why}", dir.display())));
    }
    let (positions, graph) = explore(game, config)?;
    let back = graph.back();
    let values = graph.values(rest, &back);
    let plies = config.distance.then(|| graph.distances(&values, &back));
    drop(back);
    let game = game.full_name();
    Contents { game, positions: &positions, graph: &graph, values, plies }.write(&path)
}

/// The strong solution of a game, from its file.
#[derive(Debug)]
pub struct Strong {
    file: Reader,
}

impl Strong {
    /// Opens the file of a folder.
    pub fn open<G: Game>(game: &G, dir: &Path) -> Result<Strong, Failure> {
        Ok(Strong { file: Reader::open(&game.full_name(), dir)? })
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.file.header
    }

    /// The value of a position for the player to move; `None` if it cannot be reached from the start.
    pub fn entry<G: Game>(&self, game: &G, p: &G::Position) -> Result<Option<Entry>, Damage> {
        let found = self.file.find(game.key(&least(game, p)).wide())?;
        let sign = game.turn(p).sign();
        Ok(found.map(|(value, distance)| Entry { value: value * sign, distance }))
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
        let (positions, graph) = explore(game, config)?;
        self.compare(&positions, &graph, rest)
    }

    fn compare(
        &self,
        positions: &dyn Positions,
        graph: &Graph,
        rest: Value,
    ) -> Result<u64, Failure> {
        let Reader { path, header, .. } = &self.file;
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
        // Well-founded: from what a repetition is worth, everything comes to what the file says.
        let values = graph.values(rest, &graph.back());
        match (0..values.len()).find(|&n| graph.seen(n, values[n]) != said[n].0) {
            Some(n) => wrong(n, "has a value that rests on nothing"),
            None => Ok(header.kept),
        }
    }
}
