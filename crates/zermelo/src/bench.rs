//! `zermelo bench`: measurements that can be stopped and go on.

use crate::cli::ByArg;
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{self, Memory, Time};
use crate::{End, machine, out};
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use std::fs;
use std::path::PathBuf;
use zermelo_any::By;
use zermelo_game::Limits;
use zermelo_lab::journal::Journal;
use zermelo_lab::run::{Case, Record};
use zermelo_lab::tables::{self, Comparison, seconds};
use zermelo_lab::{ablations, chart, engines, results};

/// `zermelo bench`
#[derive(Subcommand, Debug)]
pub enum Bench {
    /// Solve the boards of Cazenave's Monte Carlo Game Solver, with his figures beside ours
    #[command(after_help = "\
Runs are kept in DIR/tables.jsonl; a run that was stopped goes on where it was. The table is also
written to DIR/tables.md, all figures to DIR/tables.json, a chart to DIR/tables.svg. Exit code 1 if a value
contradicts a published one, 3 if a row was not solved.

Examples:
  zermelo bench tables                                      every row by our own solver
  zermelo bench tables --rows nogo,atarigo --time 2m        some rows
  zermelo bench tables --rows \"go 3x3\" --by ab-tt,ab-tt-mc  the source's own algorithms")]
    Tables(TablesArgs),
    /// Solve small boards without knowledge, symmetry, order: what does each save?
    #[command(after_help = "Example:\n  zermelo bench ablations --rows nogo --time 1m")]
    Ablations(MeasureArgs),
    /// Solve a suite of 60 positions with every engine: who solves what, at what cost?
    #[command(after_help = "\
Runs are kept in DIR/engines.jsonl; the table and the picture are written to DIR/engines.md and
DIR/engines.svg.

Example:
  zermelo bench engines --rows nogo,atarigo --time 5s")]
    Engines(MeasureArgs),
    /// Solve the boards of RESULTS.md that are not solved yet, and print the page
    #[command(after_help = "\
Runs are kept in DIR/results.jsonl, the page is written to DIR/RESULTS.md.

Example:
  zermelo bench results --rows \"nogo 4x\" --time 5m --out crates/lab/data")]
    Results(MeasureArgs),
}

/// `zermelo bench tables`
#[derive(Args, Debug)]
pub struct TablesArgs {
    /// The solvers: alphabeta is ours; pn2, ab-tt, id-ab-tt, ab-tt-mc, id-ab-tt-mc are the source's
    #[arg(long, value_enum, value_name = "SOLVERS", value_delimiter = ',')]
    #[arg(default_value = "alphabeta")]
    pub by: Vec<ByArg>,

    /// Rows, limits, output.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// What all measurements share.
#[derive(Args, Debug)]
pub struct MeasureArgs {
    /// Only rows whose name contains one of these words; separated by commas
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub rows: Vec<String>,

    /// Stop each run after this time
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, default_value = "10m")]
    pub time: Time,

    /// Memory for tables: 512M, 4G [default: half of what is free, 4G at most]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_memory)]
    pub memory: Option<Memory>,

    /// The folder for runs and tables
    #[arg(long, value_name = "DIR", default_value = "zermelo-bench")]
    pub out: PathBuf,

    /// Run again what has been run before
    #[arg(long)]
    pub again: bool,

    /// Print JSON instead of the table
    #[arg(long)]
    pub json: bool,
}

/// Runs a measurement.
pub fn run(what: &Bench) -> anyhow::Result<End> {
    match what {
        Bench::Tables(args) => tables(args),
        Bench::Ablations(args) => ablations(args),
        Bench::Engines(args) => engines(args),
        Bench::Results(args) => results(args),
    }
}

fn tables(args: &TablesArgs) -> anyhow::Result<End> {
    let measure = &args.measure;
    let rows: Vec<_> = tables::rows()?.into_iter().filter(|r| measure.wants(&r.game)).collect();
    let mut cases = Vec::new();
    for row in &rows {
        let game = zermelo_any::open(&row.game)?;
        for by in args.by.iter().map(|&by| By::from(by)) {
            let case = row.case(by);
            match case.how.fits(&*game) {
                Ok(()) => cases.push((row, by, case)),
                Err(why) => eprintln!("left out: {why}"),
            }
        }
    }
    let mut bench = Lab::open(measure, "tables", cases.len())?;
    let mut found = Vec::new();
    for (row, by, case) in cases {
        match bench.record(&case)? {
            Some(record) => found.push(Comparison::new(row, by, record)),
            None => break,
        }
    }
    let table = tables::markdown(&found) + "\n" + &tables::summary(&found);
    bench.write("tables.md", &table)?;
    bench.write("tables.json", &(serde_json::to_string_pretty(&found)? + "\n"))?;
    let own: Vec<Comparison> = match args.by.iter().any(|&by| By::from(by) == By::AlphaBeta) {
        true => {
            found.iter().filter(|c| c.record.method.starts_with("alphabeta")).cloned().collect()
        }
        false => found.clone(),
    };
    bench.write("tables.svg", &chart::svg(&own))?;
    if measure.json {
        out::print_json(&found)?;
    } else {
        out::print(&table)?;
    }
    if found.iter().any(Comparison::contradicts) {
        bail!("a value contradicts the published one");
    }
    bench.end()
}

fn ablations(args: &MeasureArgs) -> anyhow::Result<End> {
    let boards: Vec<&str> = ablations::BOARDS.into_iter().filter(|b| args.wants(b)).collect();
    let cases = ablations::cases(&boards);
    let mut bench = Lab::open(args, "ablations", cases.len())?;
    let found = all(&mut bench, cases)?;
    let find = |case: &Case| found.iter().find(|(c, _)| c == case).map(|(_, record)| record);
    let table = ablations::markdown(&boards, find);
    bench.write("ablations.md", &table)?;
    finish(args, &bench, &found, &table)
}

fn engines(args: &MeasureArgs) -> anyhow::Result<End> {
    let positions: Vec<&str> = engines::suite().into_iter().filter(|p| args.wants(p)).collect();
    let cases = engines::cases(&positions);
    let mut bench = Lab::open(args, "engines", cases.len())?;
    let found = all(&mut bench, cases)?;
    let find = |case: &Case| found.iter().find(|(c, _)| c == case).map(|(_, record)| record);
    let rows = engines::rows(&positions, find);
    let table = engines::markdown(&rows);
    bench.write("engines.md", &table)?;
    bench.write("engines.svg", &engines::svg(&rows))?;
    finish(args, &bench, &found, &table)
}

/// Runs the cases, or as many as there is leave for.
fn all(bench: &mut Lab, cases: Vec<Case>) -> anyhow::Result<Vec<(Case, Record)>> {
    let mut found = Vec::new();
    for case in cases {
        match bench.record(&case)? {
            Some(record) => found.push((case, record)),
            None => break,
        }
    }
    Ok(found)
}

/// Checks that all runs of a game agree, and prints them.
fn finish(
    args: &MeasureArgs,
    bench: &Lab,
    found: &[(Case, Record)],
    table: &str,
) -> anyhow::Result<End> {
    let records: Vec<&Record> = found.iter().map(|(_, record)| record).collect();
    for record in &records {
        let same = |r: &&&Record| r.game == record.game && r.solved && record.solved;
        if let Some(other) = records.iter().find(|r| same(r) && r.value() != record.value()) {
            bail!(
                "{}: {} by {}, {} by {}",
                record.game,
                record.value(),
                record.method,
                other.value(),
                other.method
            );
        }
    }
    if args.json {
        out::print_json(&records)?;
    } else {
        out::print(table)?;
    }
    bench.end()
}

fn results(args: &MeasureArgs) -> anyhow::Result<End> {
    let boards = results::boards()?;
    let wanted: Vec<_> = boards.iter().filter(|b| args.wants(&b.game)).collect();
    let mut bench = Lab::open(args, "results", wanted.len())?;
    let mut found = Vec::new();
    for board in wanted {
        match bench.record(&board.case())? {
            Some(record) => found.push(record),
            None => break,
        }
    }
    let page = results::page(&boards, bench.journal.records());
    bench.write("RESULTS.md", &page)?;
    if args.json {
        out::print_json(&found)?;
    } else {
        out::print(&page)?;
    }
    if let Some(wrong) = results::contradictions(&boards, bench.journal.records()).first() {
        bail!("{} contradicts the published value", wrong.game);
    }
    bench.end()
}

impl MeasureArgs {
    fn wants(&self, game: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|word| game.contains(word.trim()))
    }
}

/// A measurement under way.
struct Lab<'a> {
    args: &'a MeasureArgs,
    journal: Journal,
    limits: Limits,
    interrupt: Interrupt,
    runs: usize,
    done: usize,
    unsolved: usize,
}

impl<'a> Lab<'a> {
    fn open(args: &'a MeasureArgs, name: &str, runs: usize) -> anyhow::Result<Lab<'a>> {
        if runs == 0 {
            let words = args.rows.join(", ");
            return Err(Usage(format!("no row contains: {words}")).into());
        }
        let memory = args.memory.unwrap_or_else(machine::default_memory);
        let interrupt = Interrupt::listen()?;
        let cancel = Some(interrupt.flag());
        Ok(Lab {
            args,
            journal: Journal::open(&args.out.join(format!("{name}.jsonl")))?,
            limits: Limits { time: Some(args.time), nodes: None, memory, cancel },
            interrupt,
            runs,
            done: 0,
            unsolved: 0,
        })
    }

    /// The record of a case, from the journal or from a run; `None` once interrupted.
    fn record(&mut self, case: &Case) -> anyhow::Result<Option<Record>> {
        self.done += 1;
        let game = zermelo_any::open(&case.game)?.name();
        let limit = Some(self.args.time.as_secs_f64());
        let old = self.journal.settled(&game, &case.method(), limit).filter(|_| !self.args.again);
        let (record, source) = match old {
            Some(record) => (record.clone(), " (from the journal)"),
            None => {
                let live = Live::new();
                let found = case.run(&self.limits, &|progress| live.show(progress))?;
                drop(live);
                if self.interrupt.came() {
                    self.unsolved += 1;
                    return Ok(None);
                }
                self.journal.add(found.clone())?;
                (found, "")
            }
        };
        self.unsolved += usize::from(!record.solved);
        eprintln!(
            "[{}/{}] {}, {}: {}, {} s{source}",
            self.done,
            self.runs,
            record.game,
            record.method,
            record.value(),
            seconds(record.cpu_seconds),
        );
        Ok(Some(record))
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let file = self.args.out.join(name);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    }

    fn end(&self) -> anyhow::Result<End> {
        if self.interrupt.came() {
            eprintln!("interrupted; the same command goes on from here");
        }
        Ok(if self.unsolved == 0 { End::Done } else { End::Unsolved })
    }
}
