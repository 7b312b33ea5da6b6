//! `zermelo store` and `zermelo certify`: what becomes of the tree that `zermelo prove` keeps.

use crate::cli::EXIT_CODES;
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::units::{self, Memory, Time, bytes, grouped, rounded};
use crate::{End, machine, out, proof, prove};
use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{Provenance, WriteFailure};
use zermelo_erased::{AnyGame, Catalogue};
use zermelo_game::file::write_whole;
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Limits, counted};
use zermelo_proof_tree::ProofTreeFailure;
use zermelo_proof_tree::maintenance::{self, Info, LoadedStore};
use zermelo_proof_tree::store::Store;

/// `zermelo store`
#[derive(Args, Debug)]
#[command(after_help = format!("\
info     how much is known, by whom, of which roots, and how large the store is (proof.sqlite and SQLite's log beside it,
         which holds the latest facts until a run ends in order); also while a proof is going on
check    the file, the range of every value, every fact's checksum, contradictions, the moves of every position by the
         rules, and that whatever is written as known follows from facts
export   all facts as lines of JSON: position, lo, hi, source, database
compact  make the file as small as it can be
forget   take back all facts of a --source that is believed no more, as `info` names it; those of \"program COMMAND\" and
         of \"farm\" whatever that has called itself

The store is an SQLite file, DIR/proof.sqlite, which other programs can read at any time.

Examples:
  zermelo store nogo.tree info
  zermelo store six.tree check --db six.db
  zermelo store nogo.tree export --out facts.jsonl
  zermelo store nogo.tree forget --source \"program myprover -x\"

{EXIT_CODES}"))]
pub struct StoreArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// What to do
    #[arg(value_enum, value_name = "WHAT", default_value = "info")]
    pub what: StoreAction,

    /// With check and forget: the database that the proof used
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// With forget: whose facts are to be taken back
    #[arg(long, value_name = "NAME", required_if_eq("what", "forget"))]
    pub source: Option<String>,

    /// With export: the file to write; - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// What to do with a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StoreAction {
    /// Say what is in it
    Info,
    /// Check all of it
    Check,
    /// Write its facts as lines of JSON
    Export,
    /// Make its file smaller
    Compact,
    /// Take back what a source has said
    Forget,
}

/// `zermelo certify`
#[derive(Args, Debug)]
#[command(after_help = format!("\
The strategy is read from the facts of the store; what they do not tell is searched again. A file that is there already is
not written over (2) unless --force says so.

Examples:
  zermelo certify --store nogo.tree --proof nogo.proof
  zermelo check nogo.proof

{EXIT_CODES}"))]
pub struct CertifyArgs {
    /// The folder of the tree
    #[arg(long, value_name = "DIR")]
    pub store: PathBuf,

    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub proof: PathBuf,

    /// The database that the proof used: the certificate names it and ends where it knows the value
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// Leave positions to the checker that it can search by looking at so many at most
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(zermelo_certificate::leaf::MOST)))]
    pub leaves: u32,

    /// Memory for tables: 512M, 4G [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    pub memory: Option<Memory>,

    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub time: Option<Time>,

    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// The game of a store.
fn game(catalogue: &Catalogue, dir: &Path, db: Option<&Path>) -> anyhow::Result<Arc<dyn AnyGame>> {
    let about = Store::read(dir)?.about()?;
    let game = catalogue.open_foreign(&about.identity.game).map_err(Usage::from)?;
    Ok(prove::with_database(game, db)?.0)
}

/// Looks after a store.
pub fn run(catalogue: &Catalogue, args: &StoreArgs) -> anyhow::Result<End> {
    let dir = &args.dir;
    if args.what != StoreAction::Export && args.out != Path::new("-") {
        return Err(Usage("--out goes with export".into()).into());
    }
    if !matches!(args.what, StoreAction::Check | StoreAction::Forget) && args.db.is_some() {
        return Err(Usage("--db goes with check and forget".into()).into());
    }
    if args.what != StoreAction::Forget && args.source.is_some() {
        return Err(Usage("--source goes with forget".into()).into());
    }
    match args.what {
        StoreAction::Info => {
            let info = maintenance::info(dir)?;
            match args.json {
                true => out::print_json(&info)?,
                false => out::print(&words(catalogue, &info))?,
            }
        }
        StoreAction::Check => return check(catalogue, args),
        StoreAction::Export => export(dir, &args.out)?,
        StoreAction::Compact => {
            let [before, after] = maintenance::compact(dir)?;
            match args.json {
                true => out::print_json(&Compacted { before, after })?,
                false => out::print(&format!("{} before, {} now\n", bytes(before), bytes(after)))?,
            }
        }
        StoreAction::Forget => {
            let source = args.source.as_deref().unwrap_or_default();
            let forgotten =
                maintenance::forget(dir, &*game(catalogue, dir, args.db.as_deref())?, source);
            let forgotten = forgotten.map_err(prove::explain)?;
            match args.json {
                true => out::print_json(&Forgotten { forgotten })?,
                false => out::print(&format!("{} taken back\n", counted(forgotten, "fact")))?,
            }
        }
    }
    Ok(End::Done)
}

#[derive(Serialize)]
struct Forgotten {
    forgotten: u64,
}

#[derive(Serialize)]
struct Compacted {
    before: u64,
    after: u64,
}

#[derive(Serialize)]
struct Checked {
    sound: bool,
    positions: Option<u64>,
    refusal: Option<String>,
}

fn check(catalogue: &Catalogue, args: &StoreArgs) -> anyhow::Result<End> {
    let game = game(catalogue, &args.dir, args.db.as_deref())?;
    let found = maintenance::check(&args.dir, &*game);
    let refusal = match &found {
        Ok(_) => None,
        Err(
            e @ (ProofTreeFailure::Store { .. }
            | ProofTreeFailure::Contradiction(_)
            | ProofTreeFailure::Text(_)
            | ProofTreeFailure::Sql(_)),
        ) => Some(e.to_string()),
        Err(_) => None,
    };
    if let (Err(error), None) = (&found, &refusal) {
        return Err(anyhow::anyhow!("{error}"));
    }
    let positions = found.ok();
    match (args.json, &refusal) {
        (true, _) => {
            out::print_json(&Checked {
                sound: refusal.is_none(),
                positions,
                refusal: refusal.clone(),
            })?;
        }
        (false, None) => {
            out::print(&format!("sound: {}\n", counted(positions.unwrap_or(0), "position")))?;
        }
        (false, Some(why)) => out::print(&format!("REFUSED: {why}\n"))?,
    }
    Ok(if refusal.is_none() { End::Done } else { End::Refused })
}

fn export(dir: &Path, file: &Path) -> anyhow::Result<()> {
    if out::is_stdout(file) {
        let mut target = BufWriter::new(io::stdout().lock());
        return match maintenance::export(dir, &mut target) {
            // Whoever read the lines has seen enough.
            Err(ProofTreeFailure::Io(_, error)) => Err(error.into()),
            Err(other) => Err(other.into()),
            Ok(_) => Ok(target.flush()?),
        };
    }
    let mut failed = None;
    let written = write_whole(file, |file| {
        let mut target = BufWriter::new(file);
        match maintenance::export(dir, &mut target) {
            Ok(_) => target.flush(),
            Err(ProofTreeFailure::Io(_, error)) => Err(error),
            Err(other) => {
                failed = Some(other);
                Err(io::ErrorKind::Other.into())
            }
        }
    });
    match failed {
        Some(failure) => Err(failure.into()),
        None => {
            written.with_context(|| format!("cannot write {}", zermelo_game::outside::path(file)))
        }
    }
}

fn words(catalogue: &Catalogue, info: &Info) -> String {
    let all = catalogue.open_foreign(&info.game).ok().map(|game| game.values());
    let mut text = format!("{}\n\n", out::bold(printable(&info.game)));
    text += &out::field("rules", &format!("version {}", info.rules_version));
    for (position, lo, hi) in &info.roots {
        let known = match (Bounds { lo: *lo, hi: *hi }) {
            bounds if all == Some(bounds) => "nothing is known yet".into(),
            bounds => format!("value {bounds}"),
        };
        text += &out::field("root", &format!("{}: {known}", printable(position)));
    }
    let share = 100.0 * info.settled as f64 / info.nodes.max(1) as f64;
    let tree = format!(
        "{}, {share:.1} % settled, {} with moves, {}",
        counted(info.nodes, "position"),
        grouped(info.expanded),
        counted(info.edges, "move")
    );
    text += &out::field("tree", &tree);
    let withdrawn = match info.withdrawn {
        0 => String::new(),
        n => format!(", {} withdrawn", grouped(n)),
    };
    text += &out::field("facts", &(grouped(info.facts) + &withdrawn));
    for (name, database, count) in &info.sources {
        let with =
            if database.is_empty() { String::new() } else { format!(", database {database:.12}") };
        let source = format!("{}: {}", printable(&(name.clone() + &with)), grouped(*count));
        text += &out::field("source", &source);
    }
    if info.claims[0] > 0 {
        let [all, withdrawn] = info.claims;
        text += &out::field("claims", &format!("{all}, {withdrawn} withdrawn"));
    }
    let work = format!("{} positions visited in {:.1} s", rounded(info.visited as f64), info.work);
    text += &out::field("work", &work);
    let log = match info.log_bytes {
        0 => String::new(),
        some => format!(
            ", of which {} are SQLite's log beside the file (proof.sqlite-wal, -shm), as a run is at work or was killed",
            bytes(some)
        ),
    };
    text + &out::field("size", &(bytes(info.bytes) + &log))
}

/// Writes a certificate.
pub fn certify(catalogue: &Catalogue, args: &CertifyArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    proof::keep_what_is_there(&args.proof, args.force)?;
    let game = game(catalogue, &args.store, args.db.as_deref())?;
    let facts = LoadedStore::load(&args.store, &*game)?;
    let Some((root, known)) = facts.root() else {
        return Err(Usage(format!(
            "{}: no root was asked for yet",
            zermelo_game::outside::path(&args.store)
        ))
        .into());
    };
    if known == game.values() {
        out::note(&format!("nothing is known of {root} yet"));
        return Ok(End::Unsolved);
    }
    let info = maintenance::info(&args.store)?;
    let limits = Limits {
        time: args.time,
        nodes: None,
        memory: args.memory.unwrap_or_else(machine::default_memory),
        cancel: Some(interrupt.flag()),
    };
    let provenance = Provenance {
        solver: "manager".into(),
        options: format!(
            "{} in a tree of {}",
            counted(info.facts, "fact"),
            counted(info.nodes, "position")
        ),
        nodes: info.visited,
        seconds: [info.work, 0.0],
        ..proof::provenance_now()
    };
    let layout = StrategyLayout { search: args.leaves, ..StrategyLayout::default() };
    let mut session = game.session();
    session.set_position(root)?;
    let fact = |text: &str| facts.known(text);
    let written = proof::write_by(&args.proof, layout, &limits, provenance, |request| {
        session.certify_from(known, &fact, request)
    });
    let written = match written {
        Err(error) if error.downcast_ref() == Some(&WriteFailure::Stopped) => {
            out::note(&error.to_string());
            return Ok(End::Unsolved);
        }
        other => other?,
    };
    match args.json {
        true => out::print_json(&written)?,
        false => out::print(&out::field("proof", &written.words()))?,
    }
    Ok(if known.is_exact() { End::Done } else { End::Unsolved })
}
