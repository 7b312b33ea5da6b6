//! What BENCHMARKS.md says of databases: `cargo bench -p zermelo-endgame --bench build -- [WORDS]`.
//!
//! Words choose rows by parts of their names; without any, the quick ones run. `--threads N` (2), `--dir DIR` keeps the
//! files (and goes on with those that are there). The word `codings` beside a row of checkers compares ways to pack.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zermelo_endgame::{BuildConfig, Database, build, folder, reachable, verify};
use zermelo_game::{Bounds, Knowledge, Notation, Sliced, Value};
use zermelo_games::{SlicedVisitor, Visitor};

/// A name, a game, the pieces, whether with distances, and whether it is quick.
const ROWS: &[(&str, &str, u32, bool, bool)] = &[
    ("checkers-3", "checkers 8x8", 3, false, true),
    ("checkers-4", "checkers 8x8", 4, false, true),
    ("checkers-4-distance", "checkers 8x8", 4, true, true),
    ("checkers-5", "checkers 8x8", 5, false, false),
    ("checkers-6", "checkers 8x8", 6, false, false),
    ("chess-3", "chess 3", 3, true, true),
    ("chess-4", "chess 4", 4, true, false),
    ("kalah-4x3", "kalah 4x3", 24, false, true),
    ("kalah-4x3-noempty", "kalah 4x3 noempty", 24, false, true),
    ("awari-6x4-12", "awari 6x4", 12, false, true),
    ("morris-3", "morris 3", 6, true, true),
    ("morris-6", "morris 6", 12, false, false),
];

/// Published values of the start.
const STARTS: &[(&str, Value)] = &[("kalah-4x3", 8), ("kalah-4x3-noempty", 6), ("morris-3", 1)];

/// How many positions of checkers there are with two, three ... pieces, as Chinook counts them: with one colour only, too.
const CHECKERS: [u64; 5] = [6_972, 261_224, 7_092_774, 148_688_232, 2_503_611_964];

/// Games solved from the start, with the number of positions that is published.
const WHOLE: &[(&str, &str, u64)] =
    &[("connect4-4x4", "connect4 4x4", 161_029), ("connect4-4x5", "connect4 4x5", 3_945_711)];

/// User CPU time of this process.
fn cpu() -> Duration {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF);
    let time = usage.map(|u| u.user_time()).expect("the system tells");
    Duration::from_micros(time.tv_sec() as u64 * 1_000_000 + time.tv_usec() as u64)
}

/// Runs something; wall and CPU seconds.
fn timed<T>(what: impl FnOnce() -> T) -> (T, f64, f64) {
    let (since, before) = (Instant::now(), cpu());
    let out = what();
    (out, since.elapsed().as_secs_f64(), (cpu() - before).as_secs_f64())
}

struct Row<'a> {
    name: &'a str,
    pieces: u32,
    distance: bool,
    threads: usize,
    dir: PathBuf,
}

impl SlicedVisitor for Row<'_> {
    type Output = ();

    fn visit<R: Sliced>(self, game: R) {
        let Row { name, pieces, distance, threads, dir } = self;
        let config =
            BuildConfig { pieces, distance, threads, memory: 8 << 30, ..BuildConfig::default() };
        let guess = zermelo_endgame::estimate(&game, &dir, &config).expect("can be built");
        let (built, wall, user) = timed(|| build(&game, &dir, &config).expect("can be built"));
        let rate = built.places as f64 / wall / 1e6;
        println!(
            "{name}: {} files, {} places, {wall:.1} s, {user:.1} s user (guessed {:.1} s), {rate:.2} million places/s",
            built.written, built.places, guess.seconds
        );
        if built.written > 0 {
            let share = |n: usize| built.spent[n].as_secs_f64() / wall * user;
            let [first, layers, writing] = [share(0), share(1), share(2)];
            println!(
                "  user s: first look {first:.1}, layers or sweeps {layers:.1}, writing {writing:.1}"
            );
            let rate = |places: u64, seconds: f64| places as f64 / seconds * 2.0 / 1e6;
            println!(
                "  million places a second of two cores: first look {:.1}, sweeps {:.1} ({} places)",
                rate(built.places, first),
                rate(built.swept, layers),
                built.swept
            );
        }
        let headers = folder::slices(&dir).expect("readable");
        let positions: u64 = headers.iter().map(|(h, _)| h.positions).sum();
        let bytes: u64 = headers.iter().map(|(_, b)| b).sum();
        let each = bytes as f64 / positions as f64;
        println!(
            "  {positions} positions, {bytes} bytes, {each:.4} a position (guessed {})",
            guess.disk
        );
        for (h, _) in headers
            .iter()
            .filter(|(h, _)| h.pieces.iter().sum::<u32>() <= 3 && name.starts_with("chess"))
        {
            println!(
                "  {} {} wins {} draws {} losses, longest {:?}",
                h.slice, h.wins, h.draws, h.losses, h.longest
            );
        }
        let config =
            verify::VerifyConfig { threads, memory: 8 << 30, ..verify::VerifyConfig::default() };
        let (verified, wall, user) = timed(|| verify::verify(&game, &dir, &config).expect("right"));
        let rate = verified.positions as f64 / wall / 1e6;
        println!("  verified in {wall:.1} s, {user:.1} s user, {rate:.2} million positions/s");
        let p = game.start();
        let database = Database::open(&game, &dir, 1 << 30).expect("readable");
        let start = database.probe(&game, &p).expect("sound");
        println!("  the start: {start}");
        if let Some((_, value)) = STARTS.iter().find(|(row, _)| *row == name) {
            assert_eq!(start, Bounds::exact(*value), "published for {name}");
        }
        probes(&game, &dir);
    }
}

/// Probes of random quiet positions, cached and not.
fn probes<R: Sliced>(game: &R, dir: &Path) {
    let database = Database::open(game, dir, 1 << 30).expect("readable");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let slices: Vec<R::Slice> = game.groups(database.most_pieces()).into_iter().flatten().collect();
    let total: u64 = slices.iter().map(|s| game.places(*s)).sum();
    let mut positions = Vec::new();
    while positions.len() < 200_000 {
        let mut at = rng.random_range(0..total);
        let slice = slices.iter().find(|s| {
            let places = game.places(**s);
            let here = at < places;
            at -= if here { 0 } else { places };
            here
        });
        if let Some(p) = slice.and_then(|s| game.at(*s, at)) {
            positions.push(p);
        }
    }
    let ask = |database: &Database<R>, positions: &[R::Position]| {
        let sum: i64 =
            positions.iter().map(|p| i64::from(database.probe(game, p).expect("sound").lo)).sum();
        std::hint::black_box(sum);
    };
    ask(&database, &positions);
    let (_, _, warm) = timed(|| ask(&database, &positions));
    // A cache of one block: nearly every probe reads and unpacks.
    let cold = Database::open(game, dir, 1).expect("readable");
    let (_, _, read) = timed(|| ask(&cold, &positions[..20_000]));
    println!(
        "  probes of random positions, one thread: {:.2} million/s cached, {:.3} million/s uncached",
        positions.len() as f64 / warm / 1e6,
        0.02 / read
    );
}

struct Whole<'a> {
    name: &'a str,
    published: u64,
    dir: PathBuf,
}

impl Visitor for Whole<'_> {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, game: R, _: K) {
        let config = reachable::ReachableConfig::default();
        let (header, wall, user) =
            timed(|| reachable::build(&game, None, &self.dir, &config).expect("can be built"));
        assert_eq!(header.positions, self.published);
        let bytes = reachable::header(&self.dir).expect("readable").1;
        println!(
            "{}: {} positions, {} kept, value {}, {wall:.1} s, {user:.1} s user, {bytes} bytes",
            self.name, header.positions, header.kept, header.value
        );
        let strong = reachable::Strong::open(&game, &self.dir).expect("readable");
        let (_, wall, user) = timed(|| strong.verify(&game, None, &config).expect("right"));
        println!("  verified in {wall:.1} s, {user:.1} s user");
    }
}

/// Sizes of other ways to pack values: places a block, places a byte, zstd's level, with and without values for places that
/// do not matter.
fn codings<R: Sliced>(game: &R, dir: &Path) {
    let database = Database::open(game, dir, 1 << 30).expect("readable");
    let mut slices: Vec<Vec<Option<u8>>> = Vec::new();
    for slice in game.groups(database.most_pieces()).into_iter().flatten() {
        let symbol = |place| {
            let p = game.at(slice, place)?;
            let entry = database.entry(game, &p).expect("sound").expect("known");
            Some((entry.value + 1) as u8 | if game.noisy(&p) { 4 } else { 0 })
        };
        slices.push((0..game.places(slice)).map(symbol).collect());
    }
    let positions = slices.iter().flatten().flatten().count() as f64;
    println!("packing, bytes a position:");
    for (block, each, level, fill) in [
        (16_384, 4, 15, "all"),
        (16_384, 4, 15, "empty"),
        (16_384, 4, 15, "none"),
        (16_384, 5, 15, "all"),
        (16_384, 1, 15, "all"),
        (4_096, 4, 15, "all"),
        (65_536, 4, 15, "all"),
        (16_384, 4, 3, "all"),
        (16_384, 4, 19, "all"),
    ] {
        let mut press = zstd::bulk::Compressor::new(level).expect("a level");
        let (mut bytes, since) = (0, cpu());
        for symbols in slices.iter().flat_map(|s| s.chunks(block)) {
            let mut last = 0;
            let plain: Vec<u8> = symbols
                .iter()
                .map(|s| {
                    last = match s {
                        None if fill == "none" => 3,
                        None => last,
                        Some(s) if s & 4 != 0 && fill == "all" => last,
                        Some(s) => s & 3,
                    };
                    last
                })
                .collect();
            let base: u8 = if each == 5 { 3 } else { 4 };
            let fold = |places: &[u8]| {
                places.iter().rev().fold(0u8, |b, s| b.wrapping_mul(base) + (s % base))
            };
            let packed: Vec<u8> = plain.chunks(each).map(fold).collect();
            let constant = plain.iter().all(|s| *s == plain[0]);
            bytes += 20 + if constant { 1 } else { press.compress(&packed).expect("packs").len() };
        }
        let (size, took) = (bytes as f64 / positions, (cpu() - since).as_secs_f64());
        println!(
            "  {block} places a block, {each} a byte, level {level}, filled: {fill}: {size:.4}, {took:.1} s"
        );
    }
}

/// Ways to place pieces of one colour only.
fn of_one_colour(pieces: u64) -> u64 {
    let choose = |n: u64, k: u64| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
    (0..=pieces).map(|men| choose(28, men) * choose(32 - men, pieces - men)).sum()
}

/// The counts of checkers that are published, from the files.
fn published(dir: &Path) {
    let headers = folder::slices(dir).expect("readable");
    let most = headers.iter().map(|(h, _)| h.pieces.iter().sum::<u32>()).max().unwrap_or(0);
    for (pieces, all) in (2..=most).zip(CHECKERS) {
        let here = headers.iter().filter(|(h, _)| h.pieces.iter().sum::<u32>() == pieces);
        let positions: u64 = here.map(|(h, _)| h.positions).sum();
        assert_eq!(positions + 2 * of_one_colour(pieces.into()), all, "{pieces} pieces");
    }
    for (pieces, wanted) in [([1, 1], [716, 2_370, 402]), ([1, 2], [2_510, 8_216, 87_290])] {
        let mut sums = [0; 3];
        for (h, _) in headers.iter().filter(|(h, _)| h.pieces == pieces) {
            sums = [sums[0] + h.wins, sums[1] + h.draws, sums[2] + h.losses];
        }
        assert_eq!(sums, wanted);
    }
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|w| w != "--bench").collect();
    let mut option = |name: &str| {
        let at = words.iter().position(|w| w == name)?;
        words.remove(at);
        (at < words.len()).then(|| words.remove(at))
    };
    let threads = option("--threads").and_then(|n| n.parse().ok()).unwrap_or(2);
    let kept = option("--dir").map(PathBuf::from);
    let place = tempfile::tempdir().expect("a folder for files");
    let dir = |name: &str| kept.as_deref().unwrap_or(place.path()).join(name);
    let chosen = |name: &str, quick: bool| match words.is_empty() {
        true => quick,
        false => words.iter().any(|w| w == name),
    };
    for &(name, game, pieces, distance, quick) in ROWS {
        if chosen(name, quick) {
            let row = Row { name, pieces, distance, threads, dir: dir(name) };
            let opened = zermelo_games::open_sliced(game, row).expect("a game");
            assert!(opened.is_ok(), "{game} has slices");
            if game.starts_with("checkers") {
                published(&dir(name));
                if !distance && words.iter().any(|w| w == "codings") {
                    codings(&zermelo_games::checkers::Checkers::new(8, 8), &dir(name));
                }
            }
            if kept.is_none() {
                let _ = fs::remove_dir_all(dir(name));
            }
        }
    }
    for &(name, game, published) in WHOLE {
        if chosen(name, true) {
            let whole = Whole { name, published, dir: dir(name) };
            zermelo_games::open(game, whole).expect("a game");
        }
    }
}
