//! Damage in every region of every file of small databases: `verify` refuses, and a probe refuses or gives the true value.
//!
//! The regions are the parts of each header, the index, every block, and the lines of the manifest. Half of the files are
//! damaged with the manifest beside them, half without, so that what files tell of themselves is tried, too. A share of
//! this is tried by every run of the tests, ZERMELO_TORTURE=N times as much with N.

use crate::{content, pieces, torture};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use zermelo_endgame::reachable::{self, Strong};
use zermelo_endgame::{Database, DatabaseEntry, DatabaseFailure, Probe, build, manifest, verify};
use zermelo_game::{Bounds, MoveList, Notation, Sliced};
use zermelo_games::checkers::Checkers;
use zermelo_games::chess::{Chess, Material};
use zermelo_games::kalah::Kalah;
use zermelo_games::mnk::Mnk;

type Rng = Xoshiro256PlusPlus;
type Answer = (Bounds, Option<DatabaseEntry>);

type Open<R> = fn(&R, &Path) -> Result<Box<dyn Probe<R>>, DatabaseFailure>;

/// A database under attack.
struct Bench<R: Notation> {
    game: R,
    dir: tempfile::TempDir,
    positions: Vec<R::Position>,
    truth: Vec<Answer>,
    open: Open<R>,
    verify: fn(&R, &Path) -> Result<(), DatabaseFailure>,
}

/// Cuts a file into the parts that a reader sees.
fn regions(name: &str, bytes: &[u8]) -> Vec<(String, Range<usize>)> {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    if name == manifest::FILE {
        let mut at = 0;
        let lines = bytes.split_inclusive(|b| *b == b'\n').enumerate().map(|(n, line)| {
            at += line.len();
            (format!("line {}", n + 1), at - line.len()..at)
        });
        return lines.collect();
    }
    // Magic, version, length of the header, its checksum; or without a version.
    let slice = name.ends_with(".slice");
    let (cuts, long_at): (&[usize], usize) =
        if slice { (&[0, 8, 12, 16, 48], 12) } else { (&[0, 8, 12, 44], 8) };
    let (start, entry, length_at) = if slice { (48, 20, 0) } else { (44, 36, 16) };
    let mut regions: Vec<_> =
        cuts.windows(2).map(|cut| (format!("preface {}", cut[0]), cut[0]..cut[1])).collect();
    let index = start + number(long_at);
    regions.push(("header".into(), start..index));
    // The blocks begin where the index ends, and fill the rest.
    let mut lengths = Vec::new();
    let blocks = (1..).find(|&n| {
        lengths.push(number(index + (n - 1) * entry + length_at));
        index + n * entry + lengths.iter().sum::<usize>() == bytes.len()
    });
    let mut at = index + blocks.unwrap() * entry;
    regions.push(("index".into(), index..at));
    for (n, long) in lengths.into_iter().enumerate() {
        regions.push((format!("block {n}"), at..at + long));
        at += long;
    }
    assert_eq!(at, bytes.len());
    regions
}

/// Damages a file somewhere in a region; says how.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, region: &Range<usize>) -> String {
    let at = rng.random_range(region.clone());
    let kind = rng.random_range(0..8);
    match kind {
        0 | 1 => bytes[at] ^= 1 << rng.random_range(0..8),
        2 => bytes[at] = rng.random(),
        3 => bytes[at..region.end].fill(0),
        4 => {
            bytes.remove(at);
        }
        5 => bytes.insert(at, rng.random()),
        6 => bytes.truncate(at),
        _ => {
            // Bytes of another place, as a lost sector leaves them.
            let from = rng.random_range(0..bytes.len());
            let some = rng.random_range(1..=64).min(region.end - at).min(bytes.len() - from);
            bytes.copy_within(from..from + some, at);
        }
    }
    format!("kind {kind} at {at}")
}

impl<R: Notation> Bench<R> {
    fn answers(&self) -> Result<Vec<Answer>, DatabaseFailure> {
        let source = (self.open)(&self.game, self.dir.path())?;
        let ask = |p| Ok((source.probe(&self.game, p)?, source.entry(&self.game, p)?));
        self.positions.iter().map(ask).collect()
    }

    /// Each probe by itself: an error, or the truth.
    fn never_wrong(&self, how: &str) -> usize {
        let Ok(source) = (self.open)(&self.game, self.dir.path()) else { return self.truth.len() };
        let mut refused = 0;
        for (p, truth) in self.positions.iter().zip(&self.truth) {
            match (source.probe(&self.game, p), source.entry(&self.game, p)) {
                (Ok(bounds), Ok(entry)) => {
                    assert_eq!((bounds, entry), *truth, "{how}: {}", self.game.position_text(p));
                }
                _ => refused += 1,
            }
        }
        refused
    }

    fn attack(mut self, seed: u64, rounds: usize) {
        let path = |name: &str| self.dir.path().join(name);
        let sound = content(self.dir.path());
        self.truth = self.answers().unwrap();
        (self.verify)(&self.game, self.dir.path()).unwrap();
        let mut rng = Rng::seed_from_u64(seed);
        let mut tried: HashMap<String, usize> = HashMap::new();
        for (name, bytes) in &sound {
            for (region, range) in regions(name, bytes) {
                for round in 0..rounds {
                    let mut bad = bytes.clone();
                    let how = damage(&mut rng, &mut bad, &range);
                    if bad == *bytes {
                        continue;
                    }
                    let how = format!("{} {name}, {region}, {how}", self.game.name());
                    let alone = round % 2 == 1 && name != manifest::FILE;
                    if alone {
                        fs::remove_file(path(manifest::FILE)).unwrap();
                    }
                    fs::write(path(name), &bad).unwrap();
                    let found = (self.verify)(&self.game, self.dir.path());
                    let error = found.expect_err(&how).to_string();
                    assert!(error.contains(name.as_str()), "{how}: {error}");
                    self.never_wrong(&how);
                    fs::write(path(name), bytes).unwrap();
                    if alone {
                        fs::write(path(manifest::FILE), &sound[manifest::FILE]).unwrap();
                    }
                    *tried.entry(region.split(' ').next().unwrap().into()).or_default() += 1;
                }
            }
        }
        for region in ["preface", "header", "index", "block", "line"] {
            assert!(tried[region] > rounds / 2, "{region}: {tried:?}");
        }
        assert_eq!(self.never_wrong("restored"), 0);
    }
}

/// A database by slices, asked for some positions of each.
fn sliced<R: Sliced>(game: R, most: u32, distance: bool) -> Bench<R> {
    let dir = tempfile::tempdir().unwrap();
    build(&game, dir.path(), &pieces(most, 1, distance)).unwrap();
    let mut positions = Vec::new();
    for slice in game.groups(most).into_iter().flatten() {
        let places = game.places(slice);
        let step = (places / 150).max(1) as usize;
        positions.extend((0..places).step_by(step).filter_map(|place| game.at(slice, place)));
    }
    Bench {
        game,
        dir,
        positions,
        truth: Vec::new(),
        open: |game, dir| Ok(Box::new(Database::open(game, dir, 1 << 20)?)),
        verify: |game, dir| verify(game, dir, &Default::default()).map(drop),
    }
}

/// A whole game in one file.
fn whole<R: Notation>(game: R, distance: bool) -> Bench<R> {
    let dir = tempfile::tempdir().unwrap();
    let config = reachable::ReachableConfig { distance, ..Default::default() };
    reachable::build(&game, None, dir.path(), &config).unwrap();
    // All that two moves lead to.
    let mut positions = vec![game.start()];
    for n in 0..40 {
        let mut moves = MoveList::new();
        game.moves(&positions[n], &mut moves);
        let after: Vec<_> = moves.iter().map(|m| game.play(&positions[n], m)).collect();
        positions.extend(after);
    }
    Bench {
        game,
        dir,
        positions,
        truth: Vec::new(),
        open: |game, dir| Ok(Box::new(Strong::open(game, dir)?)),
        verify: |game, dir| {
            Strong::open(game, dir)?.verify(game, None, &Default::default()).map(drop)
        },
    }
}

#[test]
fn slices_of_checkers() {
    sliced(Checkers::new(4, 4), 2, false).attack(1, 12 * torture());
    sliced(Checkers::new(6, 4), 2, true).attack(2, 12 * torture());
}

#[test]
fn slices_of_chess_and_kalah() {
    let chess = || Chess::new(Material::parse("KNK").unwrap());
    sliced(chess(), 3, false).attack(3, 2 * torture());
    sliced(Kalah::new(2, 2, true), 8, false).attack(4, 2 * torture());
}

#[test]
fn whole_games() {
    whole(Mnk::<u64>::new(3, 3, 3), true).attack(5, 40 * torture());
    whole(Mnk::<u64>::new(2, 3, 2), false).attack(6, 40 * torture());
}
