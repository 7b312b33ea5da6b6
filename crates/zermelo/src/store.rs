//! `zermelo store` and `zermelo certify`: what becomes of the tree that `zermelo prove` keeps.

use crate::cli::EXIT_CODES;
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::units::{self, Memory, Time, bytes, grouped, rounded};
use crate::{End, machine, out, proof, prove};
use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zermelo_any::AnyGame;
use zermelo_game::Limits;
use zermelo_manager::Failure;
use zermelo_manager::store::Store;
use zermelo_manager::tend::{self, Facts, Info};
use zermelo_proof::write::Layout;
use zermelo_proof::{Failure as Unwritten, Made};

/// `zermelo store`
#[derive(Args, Debug)]
#[command(after_help = format!("\
info     how much is known, by whom, of which roots; also while a proof is going on
check    the file, every fact's checksum, contradictions, the moves of every position by the rules, and that
         whatever is written as known follows from facts
export   all facts as lines of JSON: position, lo, hi, source, database
compact  make the file as small as it can be
forget   take back all facts of a --source that is believed no more, as `info` names it

The store is an SQLite file, DIR/proof.sqlite, which other programs can read at any time.

Examples:
  zermelo store nogo.tree info
  zermelo store six.tree check --db six.db
  zermelo store nogo.tree export --out facts.jsonl
  zermelo store nogo.tree forget --source \"myprover 2.1\"

{EXIT_CODES}"))]
pub struct StoreArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// What to do
    #[arg(value_enum, value_name = "WHAT", default_value = "info")]
    pub what: What,

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
pub enum What {
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
The strategy is read from the facts of the store; what they do not tell is searched again.

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
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(zermelo_proof::leaf::MOST)))]
    pub leaves: u32,

    /// Memory for tables: 512M, 4G [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    pub memory: Option<Memory>,

    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub time: Option<Time>,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// The game of a store.
fn game(dir: &Path, db: Option<&Path>) -> anyhow::Result<Arc<dyn AnyGame>> {
    let about = Store::read(dir)?.about()?;
    Ok(prove::game(&[about.game], db)?.0)
}

/// Looks after a store.
pub fn run(args: &StoreArgs) -> anyhow::Result<End> {
    let dir = &args.dir;
    if args.what != What::Export && args.out != Path::new("-") {
        return Err(Usage("--out goes with export".into()).into());
    }
    if !matches!(args.what, What::Check | What::Forget) && args.db.is_some() {
        return Err(Usage("--db goes with check and forget".into()).into());
    }
    if args.what != What::Forget && args.source.is_some() {
        return Err(Usage("--source goes with forget".into()).into());
    }
    match args.what {
        What::Info => {
            let info = tend::info(dir)?;
            match args.json {
                true => out::print_json(&info)?,
                false => out::print(&words(&info))?,
            }
        }
        What::Check => return check(args),
        What::Export => export(dir, &args.out)?,
        What::Compact => {
            let [before, after] = tend::compact(dir)?;
            match args.json {
                true => out::print_json(&Compacted { before, after })?,
                false => out::print(&format!("{} before, {} now\n", bytes(before), bytes(after)))?,
            }
        }
        What::Forget => {
            let source = args.source.as_deref().unwrap_or_default();
            let forgotten = tend::forget(dir, &*game(dir, args.db.as_deref())?, source);
            let forgotten = forgotten.map_err(prove::explain)?;
            match args.json {
                true => out::print_json(&Forgotten { forgotten })?,
                false => out::print(&format!("{} facts taken back\n", grouped(forgotten)))?,
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

fn check(args: &StoreArgs) -> anyhow::Result<End> {
    let game = game(&args.dir, args.db.as_deref())?;
    let found = tend::check(&args.dir, &*game);
    let refusal = match &found {
        Ok(_) => None,
        Err(
            e @ (Failure::Store { .. }
            | Failure::Contradiction(_)
            | Failure::Text(_)
            | Failure::Sql(_)),
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
            out::print(&format!("sound: {} positions\n", grouped(positions.unwrap_or(0))))?;
        }
        (false, Some(why)) => out::print(&format!("REFUSED: {why}\n"))?,
    }
    Ok(if refusal.is_none() { End::Done } else { End::Refused })
}

fn export(dir: &Path, file: &Path) -> anyhow::Result<()> {
    let mut target: Box<dyn Write> = match out::is_stdout(file) {
        true => Box::new(io::stdout().lock()),
        false => Box::new(
            File::create(file).with_context(|| format!("cannot write {}", file.display()))?,
        ),
    };
    let mut target = BufWriter::new(&mut target);
    match tend::export(dir, &mut target) {
        // Whoever read the lines has seen enough.
        Err(Failure::Io(_, error)) => return Err(error.into()),
        other => other?,
    };
    target.flush()?;
    Ok(())
}

fn words(info: &Info) -> String {
    let mut text = format!("{}\n\n", out::bold(&info.game));
    for (position, lo, hi) in &info.roots {
        let known = if lo == hi { format!("{lo}") } else { format!("{lo}..{hi}") };
        text += &out::field("root", &format!("{position}: value {known}"));
    }
    let share = 100.0 * info.settled as f64 / info.nodes.max(1) as f64;
    let tree = format!(
        "{} positions, {share:.1} % settled, {} with moves, {} moves",
        grouped(info.nodes),
        grouped(info.expanded),
        grouped(info.edges)
    );
    text += &out::field("tree", &tree);
    text += &out::field("facts", &grouped(info.facts));
    for (name, database, count) in &info.sources {
        let with =
            if database.is_empty() { String::new() } else { format!(", database {database:.12}") };
        text += &out::field("source", &format!("{name}{with}: {}", grouped(*count)));
    }
    if info.claims[0] > 0 {
        let [all, withdrawn] = info.claims;
        text += &out::field("claims", &format!("{all}, {withdrawn} withdrawn"));
    }
    let work = format!("{} positions visited in {:.1} s", rounded(info.visited as f64), info.work);
    text += &out::field("work", &work);
    text + &out::field("file", &bytes(info.bytes))
}

/// Writes a certificate.
pub fn certify(args: &CertifyArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let game = game(&args.store, args.db.as_deref())?;
    let facts = Facts::load(&args.store, &*game)?;
    let Some((root, known)) = facts.root() else {
        return Err(Usage(format!("{}: no root was asked for yet", args.store.display())).into());
    };
    if known == game.values() {
        eprintln!("nothing is known of {root} yet");
        return Ok(End::Unsolved);
    }
    let info = tend::info(&args.store)?;
    let limits = Limits {
        time: args.time,
        nodes: None,
        memory: args.memory.unwrap_or_else(machine::default_memory),
        cancel: Some(interrupt.flag()),
    };
    let made = Made {
        solver: "manager".into(),
        options: format!("{} facts in a tree of {} positions", info.facts, info.nodes),
        nodes: info.visited,
        seconds: [info.work, 0.0],
        ..proof::made_now()
    };
    let layout = Layout { search: args.leaves, ..Layout::default() };
    let mut session = game.session();
    session.set_position(root)?;
    let tell = |text: &str| facts.known(text);
    let written = proof::write_by(&args.proof, layout, made, &mut |say, made| {
        session.certify_from(known, &tell, layout, &limits, say, made)
    });
    let written = match written {
        Err(error) if error.downcast_ref() == Some(&Unwritten::Stopped) => {
            eprintln!("{error}");
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
