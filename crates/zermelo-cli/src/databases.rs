//! `zermelo verify`, `zermelo stats` and `zermelo probe`: what is in a database, and whether it is right.

use crate::cli::{EXIT_CODES, ResourceArgs};
use crate::interrupt::Interrupt;
use crate::open::{BadInput, Usage};
use crate::progress::Live;
use crate::units::{self, Memory, bytes, grouped, rounded, time};
use crate::{End, machine, out, settings};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use zermelo_endgame::folder::{self, FolderKind};
use zermelo_endgame::format::Coding;
use zermelo_endgame::verify::{VerifyConfig, VerifyProgress};
use zermelo_endgame::{Damage, DatabaseFailure, Listing, Verified, manifest, reachable};
use zermelo_erased::{AnyGame, AnySession, Catalogue, Evidence};
use zermelo_game::file::read_line;
use zermelo_game::{Bounds, Player, counted, outside};
use zermelo_lab::run::cpu_time;

/// A line of a list of positions has no more bytes.
const MAX_LINE: usize = 1 << 20;

/// `zermelo verify`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Checks all checksums, plays all moves of every position and compares: each entry must be the best of what its moves lead
to, and wins must come to an end. Nothing that built the files is used, but the rules. Names the first entry that is wrong.

The manifest says which files belong to the database: one that is missing, or another one, is refused. A database without a
manifest is verified and said to be unlisted: nobody can say whether a file is missing. `zermelo build` adds the manifest.

With --json, one object on one line: verified, refusal (or null), files, positions, manifest (whether there is one), unlisted
(how many files it does not list), seconds, cpu_seconds.

Example:
  zermelo verify db --threads 2

{EXIT_CODES}"))]
pub struct VerifyArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// Threads and memory.
    #[command(flatten)]
    pub resources: ResourceArgs,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// `zermelo stats`
#[derive(Args, Debug)]
#[command(after_help = format!("\
The last but one column is the longest win of a slice in plies: to the end of the game in databases with distances; in others
to conversion, which is when the pieces change or the game ends, whatever comes first.

With --json, one object on one line: game, coding (wdl, distance, score or all), longest_to (what the plies of the longest
wins count to: end, conversion, or null where there are none), manifest (whether there is one), unlisted (how many files it does not list),
positions, bytes and slices, an array of objects with name, pieces (of the side to move and of the other), positions, wins,
draws, losses (for the side to move), longest (plies of the longest win, or null) and bytes.

Examples:
  zermelo stats db
  zermelo stats db --json

{EXIT_CODES}"))]
pub struct StatsArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// `zermelo probe`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Prints the value of a position and of all its moves. With --batch, one line for each position: its value for the first
player (lo and hi where it is not known), its distance in plies or -, and the position.

A position that is not in the database is said to be outside, with the reason: too many pieces, a slice that is not there,
or no way from the start.

With --json, one object on one line: game, position, lo, hi, winner (first, second, draw or null), distance, outside (why it is
not in the database, or null), moves (an array of move, lo, hi, distance); with --batch one object for each position, without
moves.

Exit code 3 if a position is not in the database, 1 if a file is damaged.

Examples:
  zermelo probe db B:WK14:BK1,K2
  zermelo probe connect4                        the start
  zermelo probe db --batch positions.txt --json

{EXIT_CODES}"))]
pub struct ProbeArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// The position, without quotes, in the form in which `zermelo show` prints it [default: the start]
    #[arg(value_name = "POSITION")]
    pub position: Vec<String>,

    /// Read positions from a file, one a line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    pub batch: Option<PathBuf>,

    /// Memory for blocks: 512M, 4G [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    pub memory: Option<Memory>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct VerifiedJson {
    verified: bool,
    refusal: Option<String>,
    files: Option<usize>,
    positions: Option<u64>,
    manifest: Option<bool>,
    unlisted: Option<usize>,
    seconds: f64,
    cpu_seconds: f64,
}

/// Verifies a database.
pub fn verify(catalogue: &Catalogue, args: &VerifyArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let live = Live::new();
    let show = |progress: &VerifyProgress| {
        let [done, all] = progress.places.map(grouped);
        live.say(&format!("verifying {}: {done} of {all} places", progress.slices.join(" ")));
    };
    let config = VerifyConfig {
        threads: args.resources.threads.into(),
        memory: args.resources.memory(),
        cancel: Some(&cancel),
        progress: Some(&show),
    };
    let (cpu, since) = (cpu_time(), Instant::now());
    let found = catalogue.verify_folder(&args.dir, &config);
    let (cpu, wall) = (cpu_time().saturating_sub(cpu), since.elapsed());
    drop(live);
    let (verified, refusal) = match found {
        Ok(verified) => (Some(verified), None),
        Err(DatabaseFailure::Damage(damage)) => (None, Some(damage.to_string())),
        Err(DatabaseFailure::Interrupted) => {
            out::note("interrupted: not verified");
            return Ok(End::Unsolved);
        }
        Err(error) => return Err(error.into()),
    };
    let end = if refusal.is_some() { End::Refused } else { End::Done };
    let listing = verified.map(|v| (v.listing, v.files));
    if args.json {
        out::print_json(&VerifiedJson {
            verified: verified.is_some(),
            refusal,
            files: verified.map(|v| v.files),
            positions: verified.map(|v| v.positions),
            manifest: listing.map(|(listing, _)| listing != Listing::NoManifest),
            unlisted: listing.map(|(listing, files)| unlisted(listing, files)),
            seconds: wall.as_secs_f64(),
            cpu_seconds: cpu.as_secs_f64(),
        })?;
        return Ok(end);
    }
    if settings::is_quiet() {
        let verdict = if verified.is_some() { "verified" } else { "REFUSED" };
        out::print(&format!("{}: {verdict}\n", outside::path(&args.dir)))?;
        return Ok(end);
    }
    let mut text = format!("{}\n", out::bold(zermelo_game::outside::path(&args.dir)));
    if let Some(Verified { files, positions, listing }) = verified {
        text += &out::field(
            "entries",
            &format!("{} in {}", grouped(positions), counted(files as u64, "file")),
        );
        text += &out::field("manifest", &listed(listing, files));
        let speed = rounded(positions as f64 / wall.as_secs_f64().max(1e-6));
        text += &out::field("time", &format!("{}, CPU {}, {speed}/s", time(wall), time(cpu)));
    }
    text +=
        &out::field("verdict", &refusal.map_or("verified".into(), |why| format!("REFUSED: {why}")));
    out::print(&text)?;
    Ok(end)
}

/// How many of so many files no manifest lists.
fn unlisted(listing: Listing, files: usize) -> usize {
    match listing {
        Listing::NoManifest => files,
        Listing::Listed { unlisted } => unlisted,
    }
}

/// The same in words.
fn listed(listing: Listing, files: usize) -> String {
    match listing {
        Listing::NoManifest => {
            "not listed: it has no manifest, so a missing file would not be noticed (`zermelo build` adds one)".into()
        }
        Listing::Listed { unlisted: 0 } => "all files are listed, and none is missing".into(),
        Listing::Listed { unlisted } => format!(
            "{} listed, none missing; {unlisted} not listed, as their build was not finished",
            counted((files - unlisted) as u64, "file")
        ),
    }
}

#[derive(Serialize)]
struct StatsJson {
    game: String,
    coding: &'static str,
    longest_to: Option<&'static str>,
    manifest: bool,
    unlisted: usize,
    positions: u64,
    bytes: u64,
    slices: Vec<SliceJson>,
}

#[derive(Serialize)]
struct SliceJson {
    name: String,
    pieces: [u32; 2],
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest: Option<u32>,
    bytes: u64,
}

/// What a folder holds.
fn contents(dir: &Path) -> Result<StatsJson, DatabaseFailure> {
    let listing = manifest::check(dir)?;
    let (game, coding, longest_to, slices) = match folder::kind(dir)? {
        FolderKind::Reachable(game) => {
            let (h, bytes) = reachable::header(dir)?;
            let longest_to = h.distance.then_some("end");
            let slice = SliceJson {
                name: "all".into(),
                pieces: [0, 0],
                positions: h.positions,
                wins: h.wins,
                draws: h.draws,
                losses: h.losses,
                longest: h.longest.map(|l| l.plies),
                bytes,
            };
            (game, "all", longest_to, vec![slice])
        }
        FolderKind::Slices(game) => {
            let mut headers = folder::slices(dir)?;
            headers.sort_by_key(|(h, _)| (h.pieces.iter().sum::<u32>(), h.slice.clone()));
            let (coding, longest_to) = match headers[0].0.coding {
                Coding::Wdl => ("wdl", Some("conversion")),
                Coding::Distance => ("distance", Some("end")),
                Coding::Score => ("score", None),
            };
            let slice = |(h, bytes): (zermelo_endgame::format::SliceHeader, u64)| SliceJson {
                name: h.slice,
                pieces: h.pieces,
                positions: h.positions,
                wins: h.wins,
                draws: h.draws,
                losses: h.losses,
                longest: h.longest.map(|l| l.plies),
                bytes,
            };
            (game, coding, longest_to, headers.into_iter().map(slice).collect())
        }
    };
    let (manifest, unlisted) = (listing != Listing::NoManifest, unlisted(listing, slices.len()));
    let positions = slices.iter().map(|s: &SliceJson| s.positions).sum();
    let bytes = slices.iter().map(|s| s.bytes).sum();
    Ok(StatsJson { game, coding, longest_to, manifest, unlisted, positions, bytes, slices })
}

/// Says what is in a database.
pub fn stats(args: &StatsArgs) -> anyhow::Result<End> {
    let stats = contents(&args.dir)?;
    if args.json {
        out::print_json(&stats)?;
        return Ok(End::Done);
    }
    let each = stats.bytes as f64 / stats.positions.max(1) as f64;
    let mut text = format!("{}\n", out::bold(&stats.game));
    text += &out::field("positions", &grouped(stats.positions));
    text += &out::field("size", &format!("{}, {each:.3} bytes a position", bytes(stats.bytes)));
    let listing = match stats.manifest {
        true => Listing::Listed { unlisted: stats.unlisted },
        false => Listing::NoManifest,
    };
    text += &out::field("manifest", &listed(listing, stats.slices.len()));
    let width = stats.slices.iter().map(|s| s.name.len()).max().unwrap_or(0).max(5);
    let row = |name: &str, [a, b, c, d, longest]: [&str; 5], size: &str| {
        format!("{name:<width$}{a:>15}{b:>15}{c:>15}{d:>15}{longest:>28}{size:>12}\n")
    };
    text += "\n";
    // Without distances the builder counts to the end of a slice's own play only.
    let longest = match stats.longest_to {
        Some(to) => format!("longest win to {to}"),
        None => String::new(),
    };
    text += &row("slice", ["positions", "wins", "draws", "losses", &longest], "bytes");
    for s in &stats.slices {
        let longest = match (s.longest, stats.longest_to) {
            (Some(plies), _) => counted(plies.into(), "ply"),
            (None, Some(_)) => "-".into(),
            (None, None) => String::new(),
        };
        let counts = [s.positions, s.wins, s.draws, s.losses].map(grouped);
        let [positions, wins, draws, losses] = counts.each_ref().map(String::as_str);
        text += &row(&s.name, [positions, wins, draws, losses, &longest], &grouped(s.bytes));
    }
    out::print(&text)?;
    Ok(End::Done)
}

#[derive(Serialize)]
struct ProbeJson {
    game: String,
    position: String,
    lo: i16,
    hi: i16,
    winner: Option<String>,
    distance: Option<u32>,
    outside: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveJson>>,
}

#[derive(Serialize)]
struct MoveJson {
    #[serde(rename = "move")]
    mv: String,
    lo: i16,
    hi: i16,
    distance: Option<u32>,
}

/// Looks positions up.
pub fn probe(catalogue: &Catalogue, args: &ProbeArgs) -> anyhow::Result<End> {
    let memory = args.memory.unwrap_or_else(machine::default_memory);
    let game = catalogue.open_folders(&[&args.dir], memory)?;
    let mut session = game.session();
    if let Some(file) = &args.batch {
        return batch(&*game, &mut *session, file, args.json);
    }
    if !args.position.is_empty() {
        session.set_position(&args.position.join(" ")).map_err(BadInput::from)?;
    }
    let Evidence { bounds, distance, .. } = session.probe()?;
    let mut moves = session.probe_moves()?;
    let end = if bounds.is_exact() { End::Done } else { End::Unsolved };
    let outside = session.why_unknown()?;
    if args.json {
        let json = |(mv, Evidence { bounds: Bounds { lo, hi }, distance, .. })| MoveJson {
            mv,
            lo,
            hi,
            distance,
        };
        out::print_json(&ProbeJson {
            moves: Some(moves.into_iter().map(json).collect()),
            ..row(&*game, &*session, bounds, distance)?
        })?;
        return Ok(end);
    }
    let turn = session.turn();
    let mut text = format!("{}, {}\n\n", out::bold(game.name()), out::to_move(turn));
    text += &out::board(&session.picture());
    text.push('\n');
    let verdict = |bounds: Bounds, distance: Option<u32>| {
        let plies = distance.map_or(String::new(), |d| format!(" in {}", counted(d.into(), "ply")));
        out::verdict(bounds, game.values()) + &plies
    };
    if let Some(why) = outside {
        text += &out::field("outside", &format!("the position is not in the database: {why}"));
        // Some moves may lead into it.
        moves.retain(|(_, known)| known.bounds != game.values());
    } else {
        text += &out::field("verdict", &verdict(bounds, distance));
    }
    // The best first, and of wins the shortest.
    moves.sort_by_key(|(_, known)| {
        let seen = known.bounds.seen_by(turn);
        let plies = i64::from(known.distance.unwrap_or(0));
        (-seen.lo, -seen.hi, if seen.lo > 0 { plies } else { -plies })
    });
    for (mv, known) in &moves {
        text += &out::field(mv, &verdict(known.bounds, known.distance));
    }
    out::print(&text)?;
    Ok(end)
}

/// What a position's line of output says, without its moves.
fn row(
    game: &dyn AnyGame,
    session: &dyn AnySession,
    bounds: Bounds,
    distance: Option<u32>,
) -> Result<ProbeJson, Damage> {
    let winner = |winner: Option<Player>| winner.map_or("draw".into(), |p| p.to_string());
    Ok(ProbeJson {
        game: game.name(),
        position: session.position(),
        lo: bounds.lo,
        hi: bounds.hi,
        winner: bounds.winner().map(winner),
        distance,
        outside: session.why_unknown()?,
        moves: None,
    })
}

/// One line for each line.
fn batch(
    game: &dyn AnyGame,
    session: &mut dyn AnySession,
    file: &Path,
    json: bool,
) -> anyhow::Result<End> {
    let mut source: Box<dyn BufRead> = match out::is_stdout(file) {
        true => Box::new(io::stdin().lock()),
        false => {
            let open = File::open(file)
                .with_context(|| format!("cannot read {}", zermelo_game::outside::path(file)))?;
            Box::new(BufReader::new(open))
        }
    };
    let mut to = BufWriter::new(io::stdout().lock());
    let mut end = End::Done;
    for n in 0.. {
        let line = read_line(&mut source, MAX_LINE)
            .with_context(|| format!("{}, line {}", zermelo_game::outside::path(file), n + 1))?;
        let Some(line) = line else { break };
        if line.trim().is_empty() {
            continue;
        }
        let parsed = session.set_position(line.trim());
        parsed.map_err(|e| Usage(format!("line {}: {e}", n + 1)))?;
        let Evidence { bounds, distance, .. } = session.probe()?;
        if !bounds.is_exact() {
            end = End::Unsolved;
        }
        if json {
            let row = row(game, session, bounds, distance)?;
            writeln!(to, "{}", outside::json(serde_json::to_string(&row)?))?;
        } else {
            let plies = distance.map_or("-".into(), |d| d.to_string());
            let position = session.position();
            writeln!(to, "{bounds} {plies} {}", outside::terminal(&position, false))?;
        }
    }
    to.flush()?;
    Ok(end)
}
