//! `zermelo bench`: measurements that can be stopped and go on.

use crate::engines::{EngineList, EngineListParser, changed_options};
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{self, Memory, Time};
use crate::{End, machine, out};
use anyhow::bail;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use zermelo_erased::{Catalogue, EngineConfig, EngineId};
use zermelo_game::Limits;
use zermelo_lab::journal::Journal;
use zermelo_lab::run::{Case, RunRecord};
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
  zermelo bench tables --rows nogo,atarigo --time 10s       some rows by our own solver
  zermelo bench tables --rows breakthrough --by ab-tt,ab-tt-mc --time 10s     the source's own algorithms
  zermelo bench tables --rows atarigo --by dfpn,dfpn:sum=weak --time 10s      with options

Without --rows all rows are solved, which takes minutes.")]
    Tables(TablesArgs),
    /// Solve small boards without knowledge, symmetry, order: what does each save?
    #[command(after_help = "Example:\n  zermelo bench ablations --rows nogo --time 10s")]
    Ablations(MeasureArgs),
    /// Solve a suite of 60 positions with every engine: who solves what, at what cost?
    #[command(after_help = "\
Runs are kept in DIR/engines.jsonl; the table and the picture are written to DIR/engines.md and
DIR/engines.svg.

Example:
  zermelo bench engines --rows nogo --time 1s")]
    Engines(MeasureArgs),
    /// Solve the boards of RESULTS.md that are not solved yet, and print the page
    #[command(after_help = "\
Runs are kept in DIR/results.jsonl, the page is written to DIR/RESULTS.md. Those of the repository are in crates/lab/data.

Example:
  zermelo bench results --rows \"nogo 2x\" --time 10s")]
    Results(MeasureArgs),
}

/// `zermelo bench tables`
#[derive(Args, Debug)]
pub struct TablesArgs {
    /// The engines, separated by commas, perhaps with options (see `zermelo engines`): alphabeta is ours; pn2, ab-tt,
    /// id-ab-tt, ab-tt-mc, id-ab-tt-mc are the source's
    #[arg(long, value_name = "ENGINES", value_parser = EngineListParser, default_value = "alphabeta")]
    pub by: Vec<EngineList>,

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
pub fn run(catalogue: &Catalogue, what: &Bench) -> anyhow::Result<End> {
    match what {
        Bench::Tables(args) => tables(catalogue, args),
        Bench::Ablations(args) => ablations(catalogue, args),
        Bench::Engines(args) => engines(catalogue, args),
        Bench::Results(args) => results(catalogue, args),
    }
}

fn tables(catalogue: &Catalogue, args: &TablesArgs) -> anyhow::Result<End> {
    let measure = &args.measure;
    let rows: Vec<_> = tables::rows()?.into_iter().filter(|r| measure.wants(&r.game)).collect();
    let engines: Vec<&EngineConfig> = args.by.iter().flat_map(|list| &list.0).collect();
    let mut cases = Vec::new();
    for row in &rows {
        let game = catalogue.open(&row.game)?;
        for engine in &engines {
            let mut case = row.case(engine.id());
            // The options of the row, and those that were asked for.
            for (name, value) in changed_options(engine) {
                case.engine.set(name, &value).map_err(|error| Usage(error.to_string()))?;
            }
            match game.accepts(&case.engine) {
                Ok(()) => cases.push((row, engine.id(), case)),
                Err(why) => out::note(&format!("left out: {why}")),
            }
        }
    }
    let mut bench = Lab::open(catalogue, measure, "tables", cases.len())?;
    let mut found = Vec::new();
    for (row, id, case) in cases {
        match bench.record(&case)? {
            Some(record) => found.push(Comparison::new(row, id, record)),
            None => break,
        }
    }
    let table = tables::markdown(&found) + "\n" + &tables::summary(&found);
    bench.write("tables.md", &table)?;
    bench.write("tables.json", &(serde_json::to_string_pretty(&found)? + "\n"))?;
    let own: Vec<Comparison> = match engines.iter().any(|e| e.id() == EngineId::AlphaBeta) {
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

fn ablations(catalogue: &Catalogue, args: &MeasureArgs) -> anyhow::Result<End> {
    let boards: Vec<&str> = ablations::BOARDS.into_iter().filter(|b| args.wants(b)).collect();
    let cases = ablations::cases(&boards);
    let mut bench = Lab::open(catalogue, args, "ablations", cases.len())?;
    let found = all(&mut bench, cases)?;
    let find = |case: &Case| found.iter().find(|(c, _)| c == case).map(|(_, record)| record);
    let table = ablations::markdown(&boards, find);
    bench.write("ablations.md", &table)?;
    finish(args, &bench, &found, &table)
}

fn engines(catalogue: &Catalogue, args: &MeasureArgs) -> anyhow::Result<End> {
    let positions: Vec<&str> = engines::suite().into_iter().filter(|p| args.wants(p)).collect();
    let cases = engines::cases(&positions);
    let mut bench = Lab::open(catalogue, args, "engines", cases.len())?;
    let found = all(&mut bench, cases)?;
    let find = |case: &Case| found.iter().find(|(c, _)| c == case).map(|(_, record)| record);
    let rows = engines::rows(&positions, find);
    let table = engines::markdown(&rows);
    bench.write("engines.md", &table)?;
    bench.write("engines.svg", &engines::svg(&rows))?;
    finish(args, &bench, &found, &table)
}

/// Runs the cases, or as many as there is leave for.
fn all(bench: &mut Lab, cases: Vec<Case>) -> anyhow::Result<Vec<(Case, RunRecord)>> {
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
    found: &[(Case, RunRecord)],
    table: &str,
) -> anyhow::Result<End> {
    let records: Vec<&RunRecord> = found.iter().map(|(_, record)| record).collect();
    for record in &records {
        let same = |r: &&&RunRecord| r.game == record.game && r.solved && record.solved;
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

fn results(catalogue: &Catalogue, args: &MeasureArgs) -> anyhow::Result<End> {
    let boards = results::boards()?;
    let wanted: Vec<_> = boards.iter().filter(|b| args.wants(&b.game)).collect();
    let mut bench = Lab::open(catalogue, args, "results", wanted.len())?;
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
    catalogue: &'a Catalogue,
    args: &'a MeasureArgs,
    journal: Journal,
    limits: Limits,
    interrupt: Interrupt,
    runs: usize,
    done: usize,
    unsolved: usize,
}

impl<'a> Lab<'a> {
    fn open(
        catalogue: &'a Catalogue,
        args: &'a MeasureArgs,
        name: &str,
        runs: usize,
    ) -> anyhow::Result<Lab<'a>> {
        if runs == 0 {
            let words = args.rows.join(", ");
            return Err(Usage(format!("no row contains: {words}")).into());
        }
        let memory = args.memory.unwrap_or_else(machine::default_memory);
        let interrupt = Interrupt::listen()?;
        let cancel = Some(interrupt.flag());
        Ok(Lab {
            catalogue,
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
    fn record(&mut self, case: &Case) -> anyhow::Result<Option<RunRecord>> {
        self.done += 1;
        let game = self.catalogue.open(&case.game)?.name();
        let limit = Some(self.args.time.as_secs_f64());
        let old = self.journal.settled(&game, &case.method(), limit).filter(|_| !self.args.again);
        let (record, source) = match old {
            Some(record) => (record.clone(), " (from the journal)"),
            None => {
                let live = Live::new();
                let found =
                    case.run(self.catalogue, &self.limits, &|progress| live.show(progress))?;
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
        out::remark(&format!(
            "[{}/{}] {}, {}: {}, {} s{source}",
            self.done,
            self.runs,
            record.game,
            record.method,
            record.value(),
            seconds(record.cpu_seconds),
        ));
        Ok(Some(record))
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        out::write(&self.args.out.join(name), text)
    }

    fn end(&self) -> anyhow::Result<End> {
        if self.interrupt.came() {
            out::note("interrupted; the same command goes on from here");
        }
        Ok(if self.unsolved == 0 { End::Done } else { End::Unsolved })
    }
}
