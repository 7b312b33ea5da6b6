//! The benchmarks behind `BENCHMARKS.md`: whole games, solved from the start, one row each.
//!
//! ```text
//! cargo bench -p zermelo-search --bench solve                 the rows of up to some seconds
//! cargo bench -p zermelo-search --bench solve -- --all        also those of minutes
//! cargo bench -p zermelo-search --bench solve -- connect4     rows whose name holds a word
//! cargo bench -p zermelo-search --bench solve -- --threads 2 "nogo 5x5"
//! ```
//!
//! Prints Markdown: nodes, positions judged statically, user CPU seconds, nodes a second, and the
//! published figures beside them.

use std::time::Instant;
use zermelo_game::{Game, Limits, Report};
use zermelo_games::Visitor;
use zermelo_search::alphabeta::{Config, Solver};

struct Row {
    game: &'static str,
    published: &'static str,
    /// Takes more than half a minute.
    long: bool,
}

const fn row(game: &'static str, published: &'static str) -> Row {
    Row { game, published, long: false }
}

const fn long(game: &'static str, published: &'static str) -> Row {
    Row { game, published, long: true }
}

const ROWS: &[Row] = &[
    row("connect4 5x5", ""),
    row("connect4 5x6", ""),
    long("connect4 6x6", "16.2"),
    long("connect4 6x7", "206"),
    row("domineering 6x8", ""),
    row("domineering 7x7", "0.02"),
    row("domineering 8x8", "1.7"),
    row("domineering 8x9 horizontal", "149"),
    row("domineering 6x6 misere", ""),
    row("mnk 4x5x4", ""),
    row("mnk 5x5x4", ""),
    row("mnk 5x6x4", ""),
];

/// User CPU seconds of this process.
fn user_seconds() -> f64 {
    // SAFETY: getrusage fills the struct it is given; all zeroes are a valid one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 / 1e6
}

struct Solve {
    threads: usize,
    memory: u64,
}

impl Visitor for Solve {
    type Output = Report<()>;

    fn visit<G: Game>(self, game: G) -> Report<()> {
        let config = Config { threads: self.threads, ..Config::default() };
        let limits = Limits { memory: self.memory, ..Limits::default() };
        let report = Solver::new(&game, config, limits).solve(&game.start(), &|_| {});
        let Report { bounds, stop, level, stats, .. } = report;
        Report { bounds, best: None, line: Vec::new(), stop, level, stats }
    }
}

fn main() {
    let (mut threads, mut all, mut memory) = (1, false, 4u64 << 30);
    let mut words = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = |what: &str| -> u64 {
            let number = args.next().and_then(|n| n.parse().ok());
            number.unwrap_or_else(|| panic!("{arg} needs a number of {what}"))
        };
        match arg.as_str() {
            "--bench" => {}
            "--all" => all = true,
            "--threads" => threads = number("threads") as usize,
            "--memory" => memory = number("MiB") << 20,
            _ => words.push(arg),
        }
    }
    println!("| game | value | nodes | judged | user s | wall s | Mnodes/s | table | published |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for row in ROWS {
        let named = words.iter().any(|w| row.game.contains(w.as_str()));
        if if words.is_empty() { row.long && !all } else { !named } {
            continue;
        }
        let (user, wall) = (user_seconds(), Instant::now());
        let report = zermelo_games::open(row.game, Solve { threads, memory });
        let report = report.unwrap_or_else(|e| panic!("{e}"));
        let (user, wall) = (user_seconds() - user, wall.elapsed().as_secs_f64());
        println!(
            "| {} | {} | {} | {} | {user:.3} | {wall:.3} | {:.2} | {} MiB | {} |",
            row.game,
            report.bounds,
            report.stats.nodes,
            report.stats.evaluations,
            report.stats.nodes as f64 / user / 1e6,
            report.stats.table_bytes >> 20,
            row.published,
        );
    }
}
