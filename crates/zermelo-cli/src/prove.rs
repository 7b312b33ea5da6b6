//! `zermelo prove`: a proof in many pieces, with its tree on disk.

use crate::cli::{EXIT_CODES, PositionArgs};
use crate::engines::EngineParser;
use crate::interrupt::Interrupt;
use crate::open::{self, Usage};
use crate::progress::Live;
use crate::units::{self, Count, Memory, Time, grouped, rounded, time};
use crate::work::{self, FarmArgs};
use crate::{End, out, settings};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use zermelo_endgame::folder;
use zermelo_erased::{AnyGame, Catalogue, EngineConfig, EngineId};
use zermelo_game::{Bounds, Player, counted};
use zermelo_lab::run::cpu_time;
use zermelo_proof_tree::external::Voice;
use zermelo_proof_tree::guarded::Guarded;
use zermelo_proof_tree::manager::{JobGrowth, ManagerObserver};
use zermelo_proof_tree::prover::{Maker, local};
use zermelo_proof_tree::source::Giver;
use zermelo_proof_tree::transport::{Threads, Transport};
use zermelo_proof_tree::tree::ProofTree;
use zermelo_proof_tree::{
    Manager, ManagerConfig, ProofTreeFailure, RunEnding, Settled, Status, claims, external,
};

/// `zermelo prove`
#[derive(Args, Debug)]
#[command(after_help = format!("\
A tree of positions is kept in a folder. Provers, one for each thread, get one leaf at a time; what they prove is a
fact, and a leaf that they cannot settle is taken apart into its moves. Jobs are small at first and grow with the proof, up to
a second each. The run may end at any moment, even by
kill -9: the same command goes on where it was. docs/prove.md tells more, docs/prover.md how other programs can be provers.

Provers that are not ours (--prover, --farm) are not trusted. --audit has so many of their facts proved again by an engine of
ours, or by --auditor. A contradiction ends the run (1) with both sides named, and what the liar has said is withdrawn. A
position on which a prover fails three times goes to an engine of ours, or, with --prover-only, is set aside: its moves
are looked at instead. When 12 jobs in a row have failed for each prover, provers are asked no more; when nobody is left, the
run ends with the reason (3).

Examples:
  zermelo prove nogo 5x5 --store nogo.tree --threads 2
  zermelo build checkers 6x6 --pieces 4 --out six.db
  zermelo prove checkers 6x6 --store six.tree --db six.db --seed-line \"6-9 14-12\"
  zermelo prove breakthrough 5x5 --store b.tree --memory-per-job 64M --audit 5%
  zermelo prove tictactoe --store t.tree --prover \"python3 examples/prover.py\" --audit 100%
  zermelo prove nogo 5x5 --store nogo.tree --farm nats://127.0.0.1:4222    see zermelo work --help
  zermelo store nogo.tree info
  zermelo certify --store nogo.tree --proof nogo.proof

With --json, one object on one line at the end: game, winner (first, second, draw or null), position, lo, hi, threshold, nodes
(positions of the tree), settled, facts, region and frontier (positions and open leaves that matter), win and loss (proof and
disproof numbers, or null), jobs, proved, visited (positions that provers visited), work (their seconds), overhead (the
manager's), audited (facts confirmed, not decided, not audited), failed (jobs that failed, positions set aside), seconds,
provers (what each does), stop (proved, out of time, interrupted, provers fail), reason (of the last, or null), cpu_seconds.

{EXIT_CODES}"))]
pub struct ProveArgs {
    /// The game and the position.
    #[command(flatten)]
    pub start: PositionArgs,

    /// The folder of the tree; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub store: PathBuf,

    /// A folder made by `zermelo build`: what it knows of positions is not searched
    #[arg(long, value_name = "DIR")]
    pub db: Option<PathBuf>,

    /// How many provers work at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,

    /// Let workers elsewhere prove (`zermelo work`): nats://host:port/name, tls://user:password@host/name
    #[arg(long, value_name = "URL", conflicts_with_all = ["threads", "by", "prover"])]
    pub farm: Option<String>,

    /// How to log in to the farm.
    #[command(flatten)]
    pub access: FarmArgs,

    /// The engine that provers use, perhaps with options: dfpn:threads=2 (see `zermelo engines`)
    /// [default: dfpn where positions can repeat, elsewhere auto]
    #[arg(long, value_name = "ENGINE", value_parser = EngineParser)]
    pub by: Option<EngineConfig>,

    /// A program that proves, with its arguments, instead of an engine of ours
    #[arg(long, value_name = "COMMAND", conflicts_with = "by")]
    pub prover: Option<String>,

    /// Never ask an engine of ours about positions on which the provers fail
    #[arg(long)]
    pub prover_only: bool,

    /// How late the --prover or --auditor may be with an answer, besides four times the time for a job
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, default_value = "10s")]
    pub grace: Time,

    /// Moves of good play from the position: the position at their end is proved first, then the one before
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub seed_line: Option<String>,

    /// Lines 'position ; move': moves that are said to win, to be tried first
    #[arg(long, value_name = "FILE")]
    pub claims: Option<PathBuf>,

    /// Memory for the tables of each prover (alpha-beta's is one for all)
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory, default_value = "64M")]
    pub memory_per_job: Memory,

    /// Time for a job
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, default_value = "1s")]
    pub time_per_job: Time,

    /// Positions that a job may visit, besides its time: 1000, 500k, 10M [default: 1000 at first, then a quarter of all
    /// that were visited so far; no limit for --prover and --farm]
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    pub nodes_per_job: Option<Count>,

    /// Stop after this time: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub time: Option<Time>,

    /// Prove this part of all facts again, by an engine of ours that took no part in them
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "0%")]
    pub audit: u32,

    /// A program that audits, with its arguments, instead of an engine of ours
    #[arg(long, value_name = "COMMAND", requires = "audit")]
    pub auditor: Option<String>,

    /// In games that evaluate positions: the first threshold outside which scores count as likely values, by how much it
    /// grows at least, and the last one. 0,0,0 for proof alone
    #[arg(long, value_name = "FIRST,STEP,LAST", value_parser = thresholds, default_value = "100,100,400")]
    pub thresholds: [i32; 3],

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

/// Reads `5%` as thousandths.
fn percent(text: &str) -> Result<u32, String> {
    let expected = "expected a part such as 5% or 0.5%, at most 100%";
    let number: f64 = text.trim().trim_end_matches('%').trim().parse().map_err(|_| expected)?;
    if (0.0..=100.0).contains(&number) {
        Ok((number * 10.0).round() as u32)
    } else {
        Err(expected.into())
    }
}

/// Reads three numbers.
fn thresholds(text: &str) -> Result<[i32; 3], String> {
    let expected = "expected three numbers such as 100,100,400";
    let numbers: Result<Vec<i32>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    let numbers = numbers.map_err(|_| expected)?;
    match numbers[..] {
        [first, step, last] if numbers.iter().all(|n| (0..=1_000_000).contains(n)) => {
            Ok([first, step, last])
        }
        _ => Err(expected.into()),
    }
}

/// A game with the database of a folder, if there is one, and the digest of that.
pub fn with_database(
    game: Box<dyn AnyGame>,
    db: Option<&Path>,
) -> anyhow::Result<(Arc<dyn AnyGame>, Option<String>)> {
    let Some(dir) = db else { return Ok((game.into(), None)) };
    let memory = crate::machine::default_memory() / 4;
    let game = game.with_databases(&[dir], memory, true)?;
    Ok((game.into(), Some(folder::digest(dir)?)))
}

/// The engine for jobs about this game, unless another one is named.
pub fn engine_for_jobs(game: &dyn AnyGame) -> EngineConfig {
    EngineId::for_jobs(&game.features()).into()
}

/// Wrong words are the user's affair, everything else is a failure.
pub fn explain(failure: ProofTreeFailure) -> anyhow::Error {
    match failure {
        ProofTreeFailure::Refused(_) | ProofTreeFailure::Text(_) => {
            Usage(failure.to_string()).into()
        }
        ProofTreeFailure::Contradiction(found) if !found.withdrawn.is_empty() => {
            anyhow::anyhow!("a contradiction: {found}\nThe same command goes on from there.")
        }
        ProofTreeFailure::Contradiction(_) => {
            let advice = "who knows which of them is wrong can take back what it said: \
                          zermelo store DIR forget --source NAME";
            anyhow::anyhow!("{failure}\n{advice}")
        }
        other => other.into(),
    }
}

/// Shows how it goes on a terminal; warnings stay.
struct Show {
    live: Live,
    /// The values that the game can have.
    all: Bounds,
}

impl ManagerObserver for Show {
    fn status(&mut self, status: &Status) {
        self.live.say(&status.line(self.all));
    }

    fn warn(&mut self, words: &str) {
        out::warn(words);
    }
}

/// Proves a position.
pub fn run(catalogue: &Catalogue, args: &ProveArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let game = open::game_at(catalogue, &args.start)?;
    let (game, database) = with_database(game, args.db.as_deref())?;
    zermelo_proof_tree::tree::refuse_lines(&*game).map_err(explain)?;
    let position = open::session(&*game, &args.start)?.position();
    let engine = args.by.clone().unwrap_or_else(|| engine_for_jobs(&*game));
    game.accepts(&engine).map_err(Usage)?;
    let threads = usize::from(args.threads);
    let maker = match &args.prover {
        Some(command) => program(command, args.grace)?,
        None => local(game.clone(), engine, threads),
    };
    let auditor = args.auditor.as_ref().map(|command| program(command, args.grace)).transpose()?;
    let line: Vec<String> = args
        .seed_line
        .iter()
        .flat_map(|line| line.split(|c: char| c.is_whitespace() || c == ','))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let claims = args.claims.as_deref().map_or(Ok(Vec::new()), claims::read).map_err(explain)?;
    let config = ManagerConfig {
        nodes: args.nodes_per_job,
        millis: Some(args.time_per_job.as_millis() as u64),
        memory: args.memory_per_job,
        growth: args.nodes_per_job.is_none().then(JobGrowth::default),
        thresholds: args.thresholds,
        audit: args.audit,
        database: database.clone(),
        cancel: Some(interrupt.flag()),
        time: args.time,
    };
    let cpu = cpu_time();
    let tree = ProofTree::open(game.clone(), &args.store, database.as_deref()).map_err(explain)?;
    let provers: Box<dyn Transport> = match &args.farm {
        Some(address) => work::farm(address, &args.access)?,
        None => Box::new(Threads::new(threads, &maker)),
    };
    let mut provers = guard(args, &game, provers, auditor);
    let mut show = Show { live: Live::new(), all: game.values() };
    let mut manager = Manager::new(tree, config, &mut *provers, &mut show);
    manager.claim(&claims).map_err(explain)?;
    let found = manager.prove(Some(&position), &line).map_err(explain)?;
    drop(manager);
    drop((show, provers));
    let cpu = cpu_time().saturating_sub(cpu);
    match args.json {
        true => out::print_json(&ProveJson::new(&game.name(), &found, cpu))?,
        false => out::print(&text(&*game, &position, &found, cpu))?,
    }
    Ok(if found.ending == RunEnding::Proved { End::Done } else { End::Unsolved })
}

/// A program that proves. What it writes to standard error is shown as notes.
pub fn program(command: &str, grace: Time) -> anyhow::Result<Maker> {
    let command = command.split_whitespace().map(str::to_owned).collect();
    external::external(command, grace, Voice::new(out::note)).map_err(explain)
}

/// Provers with those beside them who audit what they say and take over where they fail, if they are not ours.
fn guard(
    args: &ProveArgs,
    game: &Arc<dyn AnyGame>,
    provers: Box<dyn Transport>,
    auditor: Option<Maker>,
) -> Box<dyn Transport> {
    let outside = provers.giver() != Giver::Engine;
    if !outside && auditor.is_none() {
        return provers;
    }
    // A farm's workers are elsewhere: the whole machine is free.
    let threads = match args.farm {
        Some(_) => std::thread::available_parallelism().map_or(1, usize::from),
        None => args.threads.into(),
    };
    let ours = || Threads::new(threads, &local(game.clone(), engine_for_jobs(&**game), threads));
    let engines = (outside && !args.prover_only).then(ours);
    let auditors = match auditor {
        Some(maker) => Some(Threads::new(threads, &maker)),
        None => (args.audit > 0 && engines.is_none()).then(ours),
    };
    Box::new(Guarded::new(provers, engines, auditors))
}

fn text(game: &dyn AnyGame, position: &str, found: &Settled, cpu: Duration) -> String {
    let status = &found.status;
    let verdict = out::verdict(found.bounds, game.values()) + ".";
    if settings::is_quiet() {
        return verdict + "\n";
    }
    let mut text = format!("{}\n\n", out::bold(game.name()));
    text += &format!("{}\n\n", out::bold(verdict));
    text += &out::field("position", position);
    let tree = format!(
        "{}, {:.1} % settled, {}",
        counted(status.nodes, "position"),
        100.0 * status.share(),
        counted(status.facts, "fact")
    );
    text += &out::field("tree", &tree);
    if !found.bounds.is_exact() {
        let pair =
            |p: Option<[u32; 2]>| p.map_or("settled".into(), |[pn, dn]| format!("{pn}/{dn}"));
        let open = format!(
            "{}, proof numbers: first wins {}, second wins {}, threshold {}",
            counted(status.frontier, "leaf"),
            pair(status.win),
            pair(status.loss),
            status.threshold.map_or("none".into(), |t| t.to_string())
        );
        text += &out::field("open", &open);
    }
    let jobs = format!(
        "{}, {} settled at once, {} positions visited",
        grouped(status.jobs),
        grouped(status.proved),
        rounded(status.visited as f64)
    );
    text += &out::field("jobs", &jobs);
    if status.failed != [0; 2] {
        let [failed, aside] = status.failed;
        let (failed, aside) = (counted(failed, "job"), counted(aside, "position"));
        text += &out::field("failures", &format!("{failed}, {aside} set aside"));
    }
    if status.audited != [0; 3] {
        let [confirmed, open, not] = status.audited.map(grouped);
        let words = format!("{confirmed} confirmed, {open} not decided, {not} not audited");
        text += &out::field("audit", &words);
    }
    let spent = |seconds: f64| time(Duration::from_secs_f64(seconds));
    let took = format!(
        "{}, provers {}, manager {}, CPU {}",
        spent(status.seconds),
        spent(status.work),
        spent(status.overhead),
        time(cpu)
    );
    text += &out::field("time", &took);
    let stop = match &found.ending {
        RunEnding::Proved => "proved".to_owned(),
        RunEnding::ProversFail(why) => format!("stopped: {why}"),
        other if found.bounds.is_exact() => {
            format!(
                "stopped before all audits were done ({}): the same command goes on",
                other.word()
            )
        }
        other => format!("stopped ({}): the same command goes on", other.word()),
    };
    text + &out::field("stop", &stop)
}

#[derive(Serialize)]
struct ProveJson<'a> {
    game: &'a str,
    winner: Option<&'static str>,
    #[serde(flatten)]
    status: &'a Status,
    stop: &'static str,
    reason: Option<&'a str>,
    cpu_seconds: f64,
}

impl<'a> ProveJson<'a> {
    fn new(game: &'a str, found: &'a Settled, cpu: Duration) -> ProveJson<'a> {
        ProveJson {
            game,
            winner: winner(found.bounds),
            status: &found.status,
            stop: found.ending.word(),
            reason: match &found.ending {
                RunEnding::ProversFail(why) => Some(why),
                _ => None,
            },
            cpu_seconds: cpu.as_secs_f64(),
        }
    }
}

/// Who wins, in a word.
pub fn winner(bounds: Bounds) -> Option<&'static str> {
    bounds.winner().map(|winner| match winner {
        Some(Player::First) => "first",
        Some(Player::Second) => "second",
        None => "draw",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_thresholds() {
        assert_eq!((percent("5%"), percent("0.5 %"), percent("100")), (Ok(50), Ok(5), Ok(1000)));
        assert!(percent("101%").is_err() && percent("-1").is_err() && percent("x").is_err());
        assert_eq!(thresholds("100, 50,400"), Ok([100, 50, 400]));
        assert!(
            thresholds("1,2").is_err()
                && thresholds("1,2,x").is_err()
                && thresholds("-1,2,3").is_err()
        );
    }
}
