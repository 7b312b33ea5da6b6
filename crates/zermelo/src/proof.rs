//! Certificates: written by `zermelo solve --proof`, checked by `zermelo check`, told by `zermelo explain`.

use crate::cli::{EXIT_CODES, Means};
use crate::interrupt::Interrupt;
use crate::progress::Live;
use crate::units::{bytes, grouped, rounded, time};
use crate::{End, machine, out};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use zermelo_any::{AnySession, Folder, How};
use zermelo_game::{Limits, Report};
use zermelo_lab::run::cpu_time;
use zermelo_proof::check::{self, Checked};
use zermelo_proof::explain::{self, Chapter, Story, Telling};
use zermelo_proof::format::{Base, Header};
use zermelo_proof::write::Layout;
use zermelo_proof::{Certificate, Failure, Made, Refusal, page};

/// `zermelo check`
#[derive(Args, Debug)]
#[command(after_help = format!("\
A certificate is a strategy for the player who keeps a claim. The check plays it against every reply, by the
rules of the game and nothing else. docs/certificate.md describes the file; proofcheck/zermelo_check.py is a
checker by another hand.

Examples:
  zermelo solve connect4 4x5 --proof draw.proof
  zermelo check draw.proof
  zermelo check --threads 2 --json *.proof
  zermelo check --db db ending.proof            a proof that rests on a database: verify that, too (zermelo verify db)

{EXIT_CODES}"))]
pub struct CheckArgs {
    /// The certificates
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The database that they rest on, if they do
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// Threads and memory.
    #[command(flatten)]
    pub means: Means,

    /// Print one JSON object on one line for each file
    #[arg(long)]
    pub json: bool,
}

/// `zermelo explain`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Checks the certificate first, then prints for each claim how large the strategy is, how long the opponent can hold
out, and such a line; with --out also a page with pictures of the first plies.

Examples:
  zermelo explain draw.proof
  zermelo explain draw.proof --out draw.html --replies 3

{EXIT_CODES}"))]
pub struct ExplainArgs {
    /// The certificate
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The database that it rests on, if it does
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// Write a page for a browser; - for standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Show so many replies of the opponent in a row on the page
    #[arg(long, value_name = "N", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=50))]
    pub replies: u32,

    /// Show so many positions at most on the page
    #[arg(long, value_name = "N", default_value_t = 2000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub positions: u32,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// A certificate that has been written.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Written {
    /// The file.
    pub file: String,
    /// Positions of the strategy.
    pub positions: u64,
    /// What there was before it was made smaller, if that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<u64>,
    /// The database that it rests on, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<Base>,
    /// Its length.
    pub bytes: u64,
    /// User CPU seconds it took.
    pub cpu_seconds: f64,
}

impl Written {
    /// For people.
    #[must_use]
    pub fn words(&self) -> String {
        let took = time(Duration::from_secs_f64(self.cpu_seconds));
        let Written { file, positions, plain, .. } = self;
        let saved = |plain: &u64| {
            let percent = 100 * plain.saturating_sub(*positions) / plain.max(&1);
            format!(" ({percent} % less than {})", grouped(*plain))
        };
        let saved = plain.as_ref().map_or(String::new(), saved);
        let positions = grouped(*positions);
        let rests = match &self.database {
            Some(base) => format!(", rests on the database {}", base.name),
            None => String::new(),
        };
        format!("{file}: {positions} positions{saved}{rests}, {}, CPU {took}", bytes(self.bytes))
    }
}

/// Writes a certificate of what was found.
pub fn write(
    file: &Path,
    session: &mut dyn AnySession,
    report: &Report<String>,
    how: &How,
    layout: Layout,
    limits: &Limits,
    solving: Duration,
) -> anyhow::Result<Written> {
    let made = Made {
        solver: how.by.word().into(),
        options: format!("{} threads, {} of memory", how.threads, bytes(limits.memory)),
        nodes: report.stats.nodes,
        seconds: [solving.as_secs_f64(), 0.0],
        seed: how.seed,
        ..made_now()
    };
    write_by(file, layout, made, &mut |say, made| {
        session.certify(report.bounds, how, layout, limits, say, made)
    })
}

/// Who makes a certificate, and when.
#[must_use]
pub fn made_now() -> Made {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Made {
        by: format!("zermelo {}", env!("CARGO_PKG_VERSION")),
        solver: String::new(),
        options: String::new(),
        nodes: 0,
        seconds: [0.0; 2],
        seed: 0,
        plain: 0,
        time: since.as_secs(),
    }
}

/// One who makes a certificate, and says how it goes.
pub type Maker<'m> = &'m mut dyn FnMut(&dyn Fn(u64), Made) -> Result<Certificate, Failure>;

/// Writes the certificate that somebody makes.
pub fn write_by(file: &Path, layout: Layout, made: Made, maker: Maker) -> anyhow::Result<Written> {
    let cpu = cpu_time();
    let live = Live::new();
    let say = |positions: u64| {
        let cost = cpu_time().saturating_sub(cpu);
        live.say(&format!("writing the proof {}  {} positions", time(cost), grouped(positions)));
    };
    let mut certificate = maker(&say, made)?;
    let cpu_seconds = cpu_time().saturating_sub(cpu).as_secs_f64();
    certificate.header.made.seconds[1] = cpu_seconds;
    let content = certificate.bytes();
    // Whoever finds a file under this name finds all of it.
    let part = file.with_added_extension("part");
    let save = fs::write(&part, &content).and_then(|()| fs::rename(&part, file));
    save.with_context(|| format!("cannot write {}", file.display()))?;
    let positions = certificate.header.claims.iter().map(|part| part.positions).sum();
    let file = file.display().to_string();
    let plain = layout.smaller.then_some(certificate.header.made.plain);
    let database = certificate.header.database.take();
    Ok(Written { file, positions, plain, database, bytes: content.len() as u64, cpu_seconds })
}

/// Checks certificates.
pub fn check(args: &CheckArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let mut end = End::Done;
    for file in &args.files {
        let content = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let limits = check::Limits {
            threads: args.means.threads.into(),
            memory: args.means.memory(),
            cancel: Some(&cancel),
        };
        let (cpu, start) = (cpu_time(), Instant::now());
        let certificate = Certificate::read(&content);
        let found = certificate.as_ref().map_err(Clone::clone).and_then(|c| match &args.db {
            Some(dir) => check::check_with(c, &limits, &Folder { dir, memory: limits.memory / 4 }),
            None => check::check(c, &limits),
        });
        let verdict = Verdict {
            file,
            bytes: content.len() as u64,
            certificate: certificate.as_ref().ok(),
            found: &found,
            elapsed: start.elapsed(),
            cpu: cpu_time().saturating_sub(cpu),
        };
        match args.json {
            true => out::print_json(&verdict.json())?,
            false => out::print(&verdict.text())?,
        }
        match found {
            Ok(_) => {}
            Err(Refusal::Stopped) => return Ok(End::Unsolved),
            Err(Refusal::Limit(_)) => end = End::Unsolved,
            Err(_) => end = End::Refused,
        }
    }
    Ok(end)
}

/// Tells the strategy of a certificate.
pub fn explain(args: &ExplainArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let file = &args.file;
    let content = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let limits =
        check::Limits { threads: 1, memory: machine::default_memory(), cancel: Some(&cancel) };
    let telling = Telling { replies: args.replies, positions: args.positions as usize };
    let told = Certificate::read(&content).and_then(|certificate| {
        let story = match &args.db {
            Some(dir) => {
                let folder = Folder { dir, memory: limits.memory / 4 };
                explain::explain_with(&certificate, &limits, &telling, &folder)?
            }
            None => explain::explain(&certificate, &limits, &telling)?,
        };
        Ok((story, certificate))
    });
    let (story, certificate) = match told {
        Ok(told) => told,
        Err(Refusal::Stopped) => return Ok(End::Unsolved),
        Err(refusal) => {
            eprintln!("{}: refused: {refusal}", file.display());
            return Ok(End::Refused);
        }
    };
    let header = &certificate.header;
    let to_stdout = args.out.as_deref().is_some_and(out::is_stdout);
    if args.json {
        out::print_json(&StoryJson::new(header, &story))?;
    } else if !to_stdout {
        let mut text = format!("{}, {}\n", out::bold(&header.game), header.position);
        for Chapter { claim, positions, longest, line, .. } in &story.chapters {
            text += &format!("\n{}\n", out::bold(claim.words()));
            text += &out::field("kept by", &format!("the {} player", claim.claimant));
            text += &out::field("positions", &grouped(*positions));
            text += &out::field("resistance", &format!("{longest} plies at most"));
            text += &out::field("line", &line.join(" "));
        }
        out::print(&text)?;
    }
    if let Some(file) = &args.out {
        out::write(file, &page::html(header, &story))?;
    }
    Ok(End::Done)
}

#[derive(Serialize)]
struct StoryJson<'a> {
    game: &'a str,
    position: &'a str,
    claims: Vec<ChapterJson<'a>>,
}

#[derive(Serialize)]
struct ChapterJson<'a> {
    claim: String,
    claimant: String,
    positions: u64,
    longest: u32,
    line: &'a [String],
}

impl<'a> StoryJson<'a> {
    fn new(header: &'a Header, story: &'a Story) -> StoryJson<'a> {
        let chapter = |chapter: &'a Chapter| ChapterJson {
            claim: chapter.claim.words(),
            claimant: chapter.claim.claimant.to_string(),
            positions: chapter.positions,
            longest: chapter.longest,
            line: &chapter.line,
        };
        let claims = story.chapters.iter().map(chapter).collect();
        StoryJson { game: &header.game, position: &header.position, claims }
    }
}

/// What is to be said of a file.
struct Verdict<'v> {
    file: &'v Path,
    bytes: u64,
    certificate: Option<&'v Certificate>,
    found: &'v Result<Checked, Refusal>,
    elapsed: Duration,
    cpu: Duration,
}

impl Verdict<'_> {
    fn claims(&self) -> Vec<String> {
        let claims = self.certificate.iter().flat_map(|c| &c.header.claims);
        claims.map(|part| part.claim().words()).collect()
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", out::bold(self.file.display()));
        if let Some(certificate) = self.certificate {
            let header = &certificate.header;
            text += &out::field("game", &header.game);
            text += &out::field("position", &header.position);
            text += &out::field("claim", &self.claims().join(" and "));
            let made = &header.made;
            let nodes = grouped(made.nodes);
            text += &out::field("made by", &format!("{}, {}, {nodes} nodes", made.by, made.solver));
        }
        let checked = match self.found {
            Ok(checked) => checked,
            Err(stop @ (Refusal::Limit(_) | Refusal::Stopped)) => {
                return text + &out::field("verdict", &format!("not checked: {stop}"));
            }
            Err(refusal) => return text + &out::field("verdict", &format!("REFUSED: {refusal}")),
        };
        let Checked { positions, searched, looked_at, ends, entries, depth, passes, .. } = *checked;
        let each = self.bytes as f64 / positions.max(1) as f64;
        text += &out::field("file", &format!("{}, {each:.2} bytes a position", bytes(self.bytes)));
        let size = format!(
            "{} positions of the claimant, {} of them searched, {} in all, {} ends, {depth} plies",
            grouped(positions),
            grouped(searched),
            grouped(looked_at),
            grouped(ends)
        );
        text += &out::field("proof", &size);
        if let Some(base) = self.certificate.and_then(|c| c.header.database.as_ref()) {
            let entries = grouped(entries);
            text += &out::field("rests on", &format!("{entries} times an entry of {}", base.name));
            text += &out::field("", &base.digest);
        }
        let speed = rounded(
            looked_at as f64 * f64::from(passes.max(1)) / self.elapsed.as_secs_f64().max(1e-6),
        );
        let took = format!("{}, CPU {}, {speed} positions/s", time(self.elapsed), time(self.cpu));
        text += &out::field("time", &took);
        let rests = self.certificate.is_some_and(|c| c.header.database.is_some());
        text + &out::field(
            "verdict",
            if rests { "proved, if the database is right" } else { "proved" },
        )
    }

    fn json(&self) -> VerdictJson<'_> {
        let header = self.certificate.map(|c| &c.header);
        let checked = self.found.as_ref().ok();
        VerdictJson {
            file: self.file.display().to_string(),
            game: header.map(|h| h.game.as_str()),
            position: header.map(|h| h.position.as_str()),
            claims: self.claims(),
            proved: checked.is_some(),
            refusal: self.found.as_ref().err().map(ToString::to_string),
            bytes: self.bytes,
            positions: checked.map(|c| c.positions),
            searched: checked.map(|c| c.searched),
            looked_at: checked.map(|c| c.looked_at),
            ends: checked.map(|c| c.ends),
            entries: checked.map(|c| c.entries),
            database: header.and_then(|h| h.database.as_ref()),
            depth: checked.map(|c| c.depth),
            seconds: self.elapsed.as_secs_f64(),
            cpu_seconds: self.cpu.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
struct VerdictJson<'a> {
    file: String,
    game: Option<&'a str>,
    position: Option<&'a str>,
    claims: Vec<String>,
    proved: bool,
    refusal: Option<String>,
    bytes: u64,
    positions: Option<u64>,
    searched: Option<u64>,
    looked_at: Option<u64>,
    ends: Option<u64>,
    entries: Option<u64>,
    database: Option<&'a Base>,
    depth: Option<u32>,
    seconds: f64,
    cpu_seconds: f64,
}
