//! Certificates: written by `zermelo solve --proof`, checked by `zermelo check`, told by `zermelo explain`.

use crate::check_report::{
    CheckReport, end_of, length_in_words, longest_plays, marked, verdict_of,
};
use crate::cli::{EXIT_CODES, ResourceArgs};
use crate::engines::other_options;
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{bytes, grouped, time};
use crate::{End, failure, machine, out};
use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use zermelo_certificate::check::CheckLimits;
use zermelo_certificate::explain::{ClaimExplanation, Detail, Explanation};
use zermelo_certificate::format::{Base, CertificateHeader};
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{Certificate, Provenance, Refusal, WriteFailure, page};
use zermelo_erased::{AnySession, Catalogue, CertificateRequest, EngineConfig, Folder};
use zermelo_game::outside::{printable, printable_lines};
use zermelo_game::{Limits, Report, counted, file};
use zermelo_lab::run::cpu_time;

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
  zermelo check --longest large.proof           also the plies of the longest play, which takes as long again
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
    pub resources: ResourceArgs,

    /// Say how long play can go on along the strategy, however large it is (of small ones that is said anyway)
    #[arg(long)]
    pub longest: bool,

    /// Print one JSON object on one line for each file
    #[arg(long)]
    pub json: bool,
}

/// `zermelo explain`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Checks the certificate first, then prints for each claim how large the strategy is, how long the opponent can hold
out, and such a line; with --out also a page with pictures of the first plies.

With --json, one object on one line: game, position, claims (an array of claim, claimant, positions, longest, line) and, with --out,
page (file, bytes).

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
pub struct WrittenProof {
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
    /// Positions that were searched again, where the tables did not tell which move keeps the claim.
    pub nodes: u64,
    /// User CPU seconds it took.
    pub cpu_seconds: f64,
}

impl WrittenProof {
    /// For people.
    #[must_use]
    pub fn words(&self) -> String {
        let took = time(Duration::from_secs_f64(self.cpu_seconds));
        let WrittenProof { positions, plain, .. } = self;
        let file = printable(&self.file);
        let saved = |plain: &u64| {
            let percent = 100 * plain.saturating_sub(*positions) / plain.max(&1);
            format!(" ({percent} % less than {})", grouped(*plain))
        };
        let saved = plain.as_ref().map_or(String::new(), saved);
        let positions = counted(*positions, "position");
        let rests = match &self.database {
            Some(base) => format!(", rests on the database {}", printable(&base.name)),
            None => String::new(),
        };
        format!("{file}: {positions}{saved}{rests}, {}, CPU {took}", bytes(self.bytes))
    }
}

/// Writes a certificate of what was found; with `within`, that play ends within so many plies, too.
#[allow(clippy::too_many_arguments)]
pub fn write(
    file: &Path,
    session: &mut dyn AnySession,
    report: &Report<String>,
    engine: &EngineConfig,
    layout: StrategyLayout,
    within: Option<u32>,
    limits: &Limits,
    solving: Duration,
) -> anyhow::Result<WrittenProof> {
    let mut options = vec![
        counted(engine.threads() as u64, "thread"),
        format!("{} of memory", bytes(limits.memory)),
    ];
    options.extend(other_options(engine));
    let provenance = Provenance {
        solver: engine.id().word().into(),
        options: options.join(", "),
        nodes: report.stats.nodes,
        seconds: [solving.as_secs_f64(), 0.0],
        seed: engine.seed(),
        ..provenance_now()
    };
    write_by(file, layout, limits, provenance, |request| {
        session.certify(report.bounds, engine, CertificateRequest { within, ..request })
    })
}

/// Who makes a certificate, and when.
#[must_use]
pub fn provenance_now() -> Provenance {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Provenance {
        by: format!("zermelo {}", env!("CARGO_PKG_VERSION")),
        solver: String::new(),
        options: String::new(),
        nodes: 0,
        writing_nodes: 0,
        seconds: [0.0; 2],
        seed: 0,
        plain: 0,
        time: since.as_secs(),
    }
}

/// Refuses to write over a file that is there, unless that is wanted. Devices and pipes are written to.
pub fn keep_what_is_there(file: &Path, force: bool) -> Result<(), Usage> {
    if force || !file.is_file() {
        return Ok(());
    }
    let file = zermelo_game::outside::path(file);
    Err(Usage(format!("{file} is there already: choose another name, or --force to write over it")))
}

/// Writes the certificate that somebody makes on request, under a live line.
pub fn write_by(
    to: &Path,
    layout: StrategyLayout,
    limits: &Limits,
    provenance: Provenance,
    make: impl FnOnce(CertificateRequest) -> Result<Certificate, WriteFailure>,
) -> anyhow::Result<WrittenProof> {
    let cpu = cpu_time();
    let live = Live::new();
    let say = |positions: u64| {
        let cost = cpu_time().saturating_sub(cpu);
        live.say(&format!("writing the proof {}  {}", time(cost), counted(positions, "position")));
    };
    let mut certificate =
        make(CertificateRequest { layout, within: None, limits, written: &say, provenance })?;
    let cpu_seconds = cpu_time().saturating_sub(cpu).as_secs_f64();
    certificate.header.made.seconds[1] = cpu_seconds;
    // Whoever finds a file under this name finds all of it.
    let mut bytes = 0;
    let save = file::write_whole(to, |out| {
        bytes = certificate.write_to(out)?;
        Ok(())
    });
    save.with_context(|| format!("cannot write {}", zermelo_game::outside::path(to)))?;
    let positions = certificate.header.claims.iter().map(|part| part.positions).sum();
    let file = to.display().to_string();
    let plain = layout.smaller.then_some(certificate.header.made.plain);
    let nodes = certificate.header.made.writing_nodes;
    let database = certificate.header.database.take();
    Ok(WrittenProof { file, positions, plain, database, bytes, nodes, cpu_seconds })
}

/// Checks certificates.
pub fn check(catalogue: &Catalogue, args: &CheckArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let mut worst = End::Done;
    for file in &args.files {
        let memory = args.resources.memory();
        let limits =
            CheckLimits { threads: args.resources.threads.into(), memory, cancel: Some(&cancel) };
        let (cpu, start) = (cpu_time(), Instant::now());
        let certificate = Certificate::open(file, memory);
        let folder = args.db.as_ref().map(|dir| Folder { dir, memory: limits.memory / 4 });
        let found = certificate.as_ref().map_err(Clone::clone);
        let found = found.and_then(|c| catalogue.check(c, &limits, folder.as_ref()));
        if let Err(Refusal::Unreadable(why)) = found {
            bail!("cannot read {}: {why}", shown(file));
        }
        let (elapsed, cpu) = (start.elapsed(), cpu_time().saturating_sub(cpu));
        let longest = match (&certificate, &found) {
            (Ok(certificate), Ok(checked)) => {
                let explain = || {
                    let (none, folder) = (Detail { replies: 0, positions: 0 }, folder.as_ref());
                    catalogue.explain(certificate, &limits, &none, folder)
                };
                longest_plays(certificate, checked, args.longest, explain)
            }
            _ => Vec::new(),
        };
        let report = CheckReport {
            file,
            bytes: certificate.as_ref().map_or(0, Certificate::size),
            certificate: certificate.as_ref().ok(),
            found: &found,
            longest,
            elapsed,
            cpu,
        };
        match args.json {
            true => out::print_json(&report.json())?,
            false => out::print(&report.text())?,
        }
        match found {
            Ok(_) => {}
            Err(Refusal::Stopped) => return Ok(End::Unsolved),
            Err(refusal) => worst = worse(worst, end_of(&refusal)),
        }
    }
    Ok(worst)
}

/// Of two ends the one that people should hear of first.
fn worse(one: End, other: End) -> End {
    let order = [End::Done, End::Unsolved, End::CannotCheck, End::Refused];
    let place = |end| order.iter().position(|&o| o == end);
    if place(other) > place(one) { other } else { one }
}

/// Tells the strategy of a certificate.
pub fn explain(catalogue: &Catalogue, args: &ExplainArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let cancel = interrupt.flag();
    let file = &args.file;
    let limits =
        CheckLimits { threads: 1, memory: machine::default_memory(), cancel: Some(&cancel) };
    let detail = Detail { replies: args.replies, positions: args.positions as usize };
    let found = Certificate::open(file, limits.memory).and_then(|certificate| {
        let folder = args.db.as_ref().map(|dir| Folder { dir, memory: limits.memory / 4 });
        let explanation = catalogue.explain(&certificate, &limits, &detail, folder.as_ref())?;
        Ok((explanation, certificate))
    });
    let (explanation, certificate) = match found {
        Ok(found) => found,
        Err(Refusal::Stopped) => return Ok(End::Unsolved),
        Err(Refusal::Unreadable(why)) => bail!("cannot read {}: {why}", shown(file)),
        Err(refusal) => {
            let why = marked(&refusal.to_string(), 0);
            failure::say(&format!("{}: {}: {why}", shown(file), verdict_of(&refusal)));
            return Ok(end_of(&refusal));
        }
    };
    let header = &certificate.header;
    let to_stdout = args.out.as_deref().is_some_and(out::is_stdout);
    if !args.json && !to_stdout {
        let (game, position) = (printable(&header.game), printable(&header.position));
        let mut text = format!("{}, {position}\n", out::bold(game));
        for (told, proof) in explanation.claims.iter().zip(&header.claims) {
            let ClaimExplanation { claim, positions, longest, line, .. } = told;
            text += &format!("\n{}\n", out::bold(proof.words()));
            text += &out::field("kept by", &format!("the {} player", claim.claimant));
            text += &length_in_words(proof).map_or_else(String::new, |w| out::field("length", &w));
            text += &out::field("positions", &grouped(*positions));
            let resistance = match told.endless {
                false => format!("{} at most", counted(u64::from(*longest), "ply")),
                true => "without end: positions can repeat".into(),
            };
            text += &out::field("resistance", &resistance);
            text += &out::field("line", &printable_lines(&line.join(" ")));
        }
        out::print(&text)?;
    }
    let html: anyhow::Result<()> = args.out.iter().try_for_each(|file| {
        out::write(file, &page::html(header, &explanation))?;
        match args.json || to_stdout {
            true => Ok(()),
            false => out::print(&format!("\n{}", out::field("page", &out::written(file)))),
        }
    });
    // The answer does not depend on whether the page could be written.
    if args.json {
        let page = args.out.as_deref().filter(|_| html.is_ok() && !to_stdout);
        out::print_json(&ExplanationJson::new(header, &explanation, page))?;
    }
    html.map(|()| End::Done)
}

#[derive(Serialize)]
struct ExplanationJson<'a> {
    game: &'a str,
    position: &'a str,
    claims: Vec<ClaimJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<PageJson>,
}

/// The page that was written.
#[derive(Serialize)]
struct PageJson {
    file: String,
    bytes: Option<u64>,
}

#[derive(Serialize)]
struct ClaimJson<'a> {
    claim: String,
    claimant: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<u32>,
    positions: u64,
    longest: u32,
    /// The plies of the longest play; null where play can repeat positions for ever.
    longest_play: Option<u32>,
    line: &'a [String],
}

impl<'a> ExplanationJson<'a> {
    fn new(
        header: &'a CertificateHeader,
        explanation: &'a Explanation,
        page: Option<&Path>,
    ) -> ExplanationJson<'a> {
        let claim = |part: &'a ClaimExplanation| ClaimJson {
            claim: part.claim.words(),
            claimant: part.claim.claimant.to_string(),
            within: part.within,
            positions: part.positions,
            longest: part.longest,
            longest_play: part.longest_play(),
            line: &part.line,
        };
        let claims = explanation.claims.iter().map(claim).collect();
        let page = page.map(|file| PageJson {
            file: file.display().to_string(),
            bytes: file.metadata().ok().map(|file| file.len()),
        });
        ExplanationJson { game: &header.game, position: &header.position, claims, page }
    }
}

/// A file name.
fn shown(file: &Path) -> String {
    zermelo_game::outside::path(file)
}
