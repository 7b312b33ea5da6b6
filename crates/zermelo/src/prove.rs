//! `zermelo prove`: a proof in many pieces, with its tree on disk.

use crate::cli::{ByArg, EXIT_CODES, Where};
use crate::interrupt::Interrupt;
use crate::open::{self, Usage};
use crate::progress::Live;
use crate::units::{self, Count, Memory, Time, grouped, rounded, time};
use crate::work::{self, FarmArgs};
use crate::{End, out};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use zermelo_any::{self as any, AnyGame, By, How};
use zermelo_endgame::folder;
use zermelo_game::{Bounds, Player};
use zermelo_lab::run::cpu_time;
use zermelo_manager::manager::Observer;
use zermelo_manager::prover::{Maker, local, usual};
use zermelo_manager::transport::{Threads, Transport};
use zermelo_manager::tree::Tree;
use zermelo_manager::{Config, Failure, Manager, Settled, Status, claims, external};

/// `zermelo prove`
#[derive(Args, Debug)]
#[command(after_help = format!("\
A tree of positions is kept in a folder. Provers, one for each thread, get one leaf at a time and a second to prove it; what
they prove is a fact, and a leaf that they cannot settle is taken apart into its moves. The run may end at any moment, even by
kill -9: the same command goes on where it was. docs/prove.md tells more, docs/prover.md how other programs can be provers.

Examples:
  zermelo prove nogo 5x5 --store nogo.tree --threads 2
  zermelo prove checkers 6x6 --store six.tree --db six.db --seed-line \"7-10 12-9\"
  zermelo prove breakthrough 5x5 --store b.tree --memory-per-job 64M --audit 5%
  zermelo prove tictactoe --store t.tree --prover \"python3 examples/prover.py\"
  zermelo prove nogo 5x5 --store nogo.tree --farm nats://127.0.0.1:4222    see zermelo work --help
  zermelo store nogo.tree info
  zermelo certify --store nogo.tree --proof nogo.proof

With --json, one object on one line at the end: game, winner (first, second, draw or null), position, lo, hi, threshold, nodes
(positions of the tree), settled, facts, region and frontier (positions and open leaves that matter), win and loss (proof and
disproof numbers, or null), jobs, proved, visited (positions that provers visited), work (their seconds), overhead (the
manager's), audited (facts confirmed, not decided), seconds, provers (what each does), cpu_seconds.

{EXIT_CODES}"))]
pub struct ProveArgs {
    /// The game and the position.
    #[command(flatten)]
    pub place: Where,

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

    /// What opens the farm's gate.
    #[command(flatten)]
    pub gate: FarmArgs,

    /// The solver that provers use: df-pn where positions can come back, elsewhere auto unless told otherwise
    #[arg(long, value_enum, value_name = "SOLVER")]
    pub by: Option<ByArg>,

    /// A program that proves, with its arguments, instead of a solver of ours
    #[arg(long, value_name = "COMMAND", conflicts_with = "by")]
    pub prover: Option<String>,

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

    /// Positions that a job may visit, besides its time: 1000, 500k, 10M
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    pub nodes_per_job: Option<Count>,

    /// Stop after this time: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub time: Option<Time>,

    /// Prove this part of all facts again, by another solver
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "0%")]
    pub audit: u32,

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
pub fn game(
    words: &[String],
    db: Option<&Path>,
) -> anyhow::Result<(Arc<dyn AnyGame>, Option<String>)> {
    let Some(dir) = db else { return Ok((open::game(words)?.into(), None)) };
    let name = words.join(" ");
    let memory = crate::machine::default_memory() / 4;
    let game = any::open_with(&name, dir, memory).map_err(|error| match error {
        any::Unopened::Name(error) => anyhow::Error::from(open::wrong_name(&name, &error)),
        any::Unopened::Database(failure) => failure.into(),
    })?;
    Ok((game.into(), Some(folder::digest(dir)?)))
}

/// Wrong words are the user's affair, everything else is a failure.
pub fn explain(failure: Failure) -> anyhow::Error {
    match failure {
        Failure::Refused(_) | Failure::Text(_) => Usage(failure.to_string()).into(),
        Failure::Contradiction(_) => {
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
}

impl Observer for Show {
    fn status(&mut self, status: &Status) {
        self.live.say(&status.line());
    }

    fn warn(&mut self, words: &str) {
        eprintln!("warning: {words}");
    }
}

/// Proves a position.
pub fn run(args: &ProveArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let (game, database) = game(&args.place.game, args.db.as_deref())?;
    zermelo_manager::tree::refuse_lines(&*game).map_err(explain)?;
    let position = open::session(&*game, &args.place)?.position();
    let how = How::new(args.by.map_or_else(|| usual(&*game), By::from));
    how.fits(&*game).map_err(Usage)?;
    let maker: Maker = match &args.prover {
        Some(command) => {
            external::external(command.split_whitespace().map(str::to_owned).collect())
        }
        None => local(game.clone(), how, args.threads.into()),
    };
    let line: Vec<String> = args
        .seed_line
        .iter()
        .flat_map(|line| line.split(|c: char| c.is_whitespace() || c == ','))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let claims = args.claims.as_deref().map_or(Ok(Vec::new()), claims::read).map_err(explain)?;
    let config = Config {
        nodes: args.nodes_per_job,
        millis: Some(args.time_per_job.as_millis() as u64),
        memory: args.memory_per_job,
        thresholds: args.thresholds,
        audit: args.audit,
        database: database.clone(),
        cancel: Some(interrupt.flag()),
        time: args.time,
    };
    let cpu = cpu_time();
    let tree = Tree::open(game.clone(), &args.store, database.as_deref()).map_err(explain)?;
    let mut provers: Box<dyn Transport> = match &args.farm {
        Some(address) => work::farm(address, &args.gate)?,
        None => Box::new(Threads::new(args.threads.into(), &maker)),
    };
    let mut show = Show { live: Live::new() };
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
    Ok(if found.bounds.is_exact() { End::Done } else { End::Unsolved })
}

fn text(game: &dyn AnyGame, position: &str, found: &Settled, cpu: Duration) -> String {
    let status = &found.status;
    let mut text = format!("{}\n\n", out::bold(game.name()));
    text += &format!("{}\n\n", out::bold(out::verdict(found.bounds, game.values()) + "."));
    text += &out::field("position", position);
    let tree = format!(
        "{} positions, {:.1} % settled, {} facts",
        grouped(status.nodes),
        100.0 * status.share(),
        grouped(status.facts)
    );
    text += &out::field("tree", &tree);
    if !found.bounds.is_exact() {
        let pair =
            |p: Option<[u32; 2]>| p.map_or("settled".into(), |[pn, dn]| format!("{pn}/{dn}"));
        let open = format!(
            "{} leaves, proof numbers: first wins {}, second wins {}, threshold {}",
            grouped(status.frontier),
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
    if status.audited != [0; 2] {
        let [confirmed, open] = status.audited.map(grouped);
        text += &out::field("audit", &format!("{confirmed} confirmed, {open} not decided"));
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
    let stop = if found.bounds.is_exact() { "proved" } else { "stopped: the same command goes on" };
    text + &out::field("stop", stop)
}

#[derive(Serialize)]
struct ProveJson<'a> {
    game: &'a str,
    winner: Option<&'static str>,
    #[serde(flatten)]
    status: &'a Status,
    cpu_seconds: f64,
}

impl<'a> ProveJson<'a> {
    fn new(game: &'a str, found: &'a Settled, cpu: Duration) -> ProveJson<'a> {
        ProveJson {
            game,
            winner: winner(found.bounds),
            status: &found.status,
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
