//! `zermelo verify`, `zermelo stats` and `zermelo probe`: what is in a database, and whether it is right.

use crate::cli::{ProbeArgs, StatsArgs, VerifyArgs};
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{bytes, grouped, rounded, time};
use crate::{End, machine, out};
use anyhow::Context;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use zermelo_endgame::folder::{self, Kind};
use zermelo_endgame::format::Coding;
use zermelo_endgame::reachable::{self, Strong};
use zermelo_endgame::{Database, Failure, Probe, Verified};
use zermelo_game::{Bounds, Game, MoveList, Player, Sliced};
use zermelo_games::{SlicedVisitor, Visitor};
use zermelo_lab::run::cpu_time;

/// Hands a folder's game to a visitor, by slices or as a whole.
fn visit<T, V>(dir: &Path, visitor: V) -> anyhow::Result<T>
where
    V: SlicedVisitor<Output = anyhow::Result<T>> + Visitor<Output = anyhow::Result<T>>,
{
    let unknown = |error| Failure::Refused(format!("{}: {error}", dir.display()));
    match folder::kind(dir)? {
        Kind::Reachable(name) => zermelo_games::open(&name, visitor).map_err(unknown)?,
        Kind::Slices(name) => match zermelo_games::open_sliced(&name, visitor).map_err(unknown)? {
            Ok(done) => done,
            Err(_) => Err(Failure::Refused(format!("{name} has no slices")).into()),
        },
    }
}

#[derive(Serialize)]
struct VerifiedJson {
    verified: bool,
    refusal: Option<String>,
    files: Option<usize>,
    positions: Option<u64>,
    seconds: f64,
    cpu_seconds: f64,
}

struct Verify<'a> {
    args: &'a VerifyArgs,
    cancel: &'a AtomicBool,
}

impl Verify<'_> {
    fn memory(&self) -> u64 {
        self.args.memory.unwrap_or_else(machine::default_memory)
    }
}

impl SlicedVisitor for Verify<'_> {
    type Output = anyhow::Result<Verified>;

    fn visit<G: Sliced>(self, game: G) -> anyhow::Result<Verified> {
        let live = Live::new();
        let show = |progress: &zermelo_endgame::verify::Progress| {
            let [done, all] = progress.places.map(grouped);
            live.say(&format!("verifying {}: {done} of {all} places", progress.slices.join(" ")));
        };
        let config = zermelo_endgame::verify::Config {
            threads: self.args.threads.into(),
            memory: self.memory(),
            cancel: Some(self.cancel),
            progress: Some(&show),
        };
        Ok(zermelo_endgame::verify(&game, &self.args.dir, &config)?)
    }
}

impl Visitor for Verify<'_> {
    type Output = anyhow::Result<Verified>;

    fn visit<G: Game>(self, game: G) -> anyhow::Result<Verified> {
        let strong = Strong::open(&game, &self.args.dir)?;
        let config = reachable::Config {
            memory: self.memory(),
            cancel: Some(self.cancel),
            ..reachable::Config::default()
        };
        Ok(Verified { files: 1, positions: strong.verify(&game, &config)? })
    }
}

/// Verifies a database.
pub fn verify(args: &VerifyArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let (cpu, since) = (cpu_time(), Instant::now());
    let found = visit(&args.dir, Verify { args, cancel: &cancel });
    let (cpu, wall) = (cpu_time().saturating_sub(cpu), since.elapsed());
    let (verified, refusal) = match found {
        Ok(verified) => (Some(verified), None),
        Err(error) => match error.downcast::<Failure>()? {
            Failure::Damage(damage) => (None, Some(damage.to_string())),
            Failure::Interrupted => {
                eprintln!("interrupted: not verified");
                return Ok(End::Unsolved);
            }
            failure => return Err(failure.into()),
        },
    };
    let end = if refusal.is_some() { End::Refused } else { End::Done };
    if args.json {
        out::print_json(&VerifiedJson {
            verified: verified.is_some(),
            refusal,
            files: verified.map(|v| v.files),
            positions: verified.map(|v| v.positions),
            seconds: wall.as_secs_f64(),
            cpu_seconds: cpu.as_secs_f64(),
        })?;
        return Ok(end);
    }
    let mut text = format!("{}\n", out::bold(args.dir.display()));
    if let Some(Verified { files, positions }) = verified {
        text += &out::field("entries", &format!("{} in {files} files", grouped(positions)));
        let speed = rounded(positions as f64 / wall.as_secs_f64().max(1e-6));
        text += &out::field("time", &format!("{}, CPU {}, {speed}/s", time(wall), time(cpu)));
    }
    text +=
        &out::field("verdict", &refusal.map_or("verified".into(), |why| format!("REFUSED: {why}")));
    out::print(&text)?;
    Ok(end)
}

#[derive(Serialize)]
struct StatsJson {
    game: String,
    coding: &'static str,
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
fn contents(dir: &Path) -> Result<StatsJson, Failure> {
    let (game, coding, slices) = match folder::kind(dir)? {
        Kind::Reachable(game) => {
            let (h, bytes) = reachable::header(dir)?;
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
            (game, "all", vec![slice])
        }
        Kind::Slices(game) => {
            let mut headers = folder::slices(dir)?;
            headers.sort_by_key(|(h, _)| (h.pieces.iter().sum::<u32>(), h.slice.clone()));
            let coding = match headers[0].0.coding {
                Coding::Wdl => "wdl",
                Coding::Distance => "distance",
                Coding::Score => "score",
            };
            let slice = |(h, bytes): (zermelo_endgame::format::Header, u64)| SliceJson {
                name: h.slice,
                pieces: h.pieces,
                positions: h.positions,
                wins: h.wins,
                draws: h.draws,
                losses: h.losses,
                longest: h.longest.map(|l| l.plies),
                bytes,
            };
            (game, coding, headers.into_iter().map(slice).collect())
        }
    };
    let positions = slices.iter().map(|s: &SliceJson| s.positions).sum();
    let bytes = slices.iter().map(|s| s.bytes).sum();
    Ok(StatsJson { game, coding, positions, bytes, slices })
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
    let width = stats.slices.iter().map(|s| s.name.len()).max().unwrap_or(0).max(5);
    let row = |name: &str, numbers: [String; 5], size: &str| {
        let numbers = numbers.map(|n| format!("{n:>15}")).join("");
        format!("{name:<width$}{numbers}{size:>12}\n")
    };
    text += "\n";
    let head = ["positions", "wins", "draws", "losses", "longest"].map(str::to_owned);
    text += &row("slice", head, "bytes");
    for s in &stats.slices {
        let longest = s.longest.map_or("-".into(), |plies| format!("{plies} plies"));
        let [positions, wins, draws, losses] =
            [s.positions, s.wins, s.draws, s.losses].map(grouped);
        text += &row(&s.name, [positions, wins, draws, losses, longest], &grouped(s.bytes));
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
pub fn probe(args: &ProbeArgs) -> anyhow::Result<End> {
    visit(&args.dir, Ask { args })
}

struct Ask<'a> {
    args: &'a ProbeArgs,
}

impl SlicedVisitor for Ask<'_> {
    type Output = anyhow::Result<End>;

    fn visit<G: Sliced>(self, game: G) -> anyhow::Result<End> {
        let memory = self.args.memory.unwrap_or_else(machine::default_memory);
        let database = Database::open(&game, &self.args.dir, memory)?;
        answer(&game, &database, self.args)
    }
}

impl Visitor for Ask<'_> {
    type Output = anyhow::Result<End>;

    fn visit<G: Game>(self, game: G) -> anyhow::Result<End> {
        let strong = Strong::open(&game, &self.args.dir)?;
        answer(&game, &strong, self.args)
    }
}

/// The value and the distance of a position.
fn look<G: Game>(
    game: &G,
    database: &dyn Probe<G>,
    p: &G::Position,
) -> Result<(Bounds, Option<u32>), zermelo_endgame::Damage> {
    let bounds = database.probe(game, p)?;
    let distance = database.entry(game, p)?.and_then(|entry| entry.distance);
    Ok((bounds, distance))
}

fn winner(bounds: Bounds) -> Option<String> {
    bounds.winner().map(|winner| winner.map_or("draw".into(), |player: Player| player.to_string()))
}

fn answer<G: Game>(game: &G, database: &dyn Probe<G>, args: &ProbeArgs) -> anyhow::Result<End> {
    if let Some(file) = &args.batch {
        return batch(game, database, file, args.json);
    }
    let p = match args.position.is_empty() {
        true => game.start(),
        false => game.parse_position(&args.position.join(" ")).map_err(Usage::from)?,
    };
    let (bounds, distance) = look(game, database, &p)?;
    let mut list = MoveList::new();
    if game.outcome(&p).is_none() {
        game.moves(&p, &mut list);
    }
    let mut moves = Vec::new();
    for m in list.iter() {
        let (Bounds { lo, hi }, distance) = look(game, database, &game.play(&p, m))?;
        moves.push(MoveJson { mv: game.move_text(&p, m), lo, hi, distance });
    }
    let end = if bounds.is_exact() { End::Done } else { End::Unsolved };
    if args.json {
        out::print_json(&ProbeJson {
            game: game.name(),
            position: game.position_text(&p),
            lo: bounds.lo,
            hi: bounds.hi,
            winner: winner(bounds),
            distance,
            moves: Some(moves),
        })?;
        return Ok(end);
    }
    let mut text = format!("{}, {}\n\n", out::bold(game.name()), out::to_move(game.turn(&p)));
    text += &out::board(&game.picture(&p));
    text.push('\n');
    let plies = |d: Option<u32>| d.map_or(String::new(), |d| format!(" in {d} plies"));
    text += &out::field("verdict", &(out::verdict(bounds, game.values()) + &plies(distance)));
    let turn = game.turn(&p);
    // The best first, and of wins the shortest.
    moves.sort_by_key(|m| {
        let seen = Bounds::new(m.lo, m.hi).seen_by(turn);
        let plies = i64::from(m.distance.unwrap_or(0));
        (-seen.lo, -seen.hi, if seen.lo > 0 { plies } else { -plies })
    });
    for m in &moves {
        let verdict = out::verdict(Bounds::new(m.lo, m.hi), game.values());
        text += &out::field(&m.mv, &(verdict + &plies(m.distance)));
    }
    out::print(&text)?;
    Ok(end)
}

/// One line for each line.
fn batch<G: Game>(
    game: &G,
    database: &dyn Probe<G>,
    file: &Path,
    json: bool,
) -> anyhow::Result<End> {
    let source: Box<dyn BufRead> = match out::is_stdout(file) {
        true => Box::new(io::stdin().lock()),
        false => {
            let open =
                File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
            Box::new(BufReader::new(open))
        }
    };
    let mut to = BufWriter::new(io::stdout().lock());
    let mut end = End::Done;
    for (n, line) in source.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let parsed = game.parse_position(line.trim());
        let p = parsed.map_err(|e| Usage(format!("line {}: {e}", n + 1)))?;
        let (bounds, distance) = look(game, database, &p)?;
        if !bounds.is_exact() {
            end = End::Unsolved;
        }
        let position = game.position_text(&p);
        if json {
            let Bounds { lo, hi } = bounds;
            let (game, winner) = (game.name(), winner(bounds));
            let row = ProbeJson { game, position, lo, hi, winner, distance, moves: None };
            writeln!(to, "{}", serde_json::to_string(&row)?)?;
        } else {
            let plies = distance.map_or("-".into(), |d| d.to_string());
            writeln!(to, "{bounds} {plies} {position}")?;
        }
    }
    to.flush()?;
    Ok(end)
}
