//! The benchmarks behind `BENCHMARKS.md`: whole games, solved from the start, one row each.
//!
//! ```text
//! cargo bench -p zermelo-search --bench solve                 the rows of up to some seconds
//! cargo bench -p zermelo-search --bench solve -- --all        also those of minutes
//! cargo bench -p zermelo-search --bench solve -- connect4     rows whose name holds a word
//! cargo bench -p zermelo-search --bench solve -- "nogo 3x5"   a game that has no row
//! cargo bench -p zermelo-search --bench solve -- --threads 2 "nogo 5x5"
//! cargo bench -p zermelo-search --bench solve -- --playouts 10000 --seed 1 atarigo
//! cargo bench -p zermelo-search --bench solve -- --no-knowledge --no-symmetry --no-order --entries 1048576 "nogo 4x4"
//! cargo bench -p zermelo-search --bench solve -- --dfpn --rule weak --epsilon 250 --leaf one "clobber 5x4"
//! cargo bench -p zermelo-search --bench solve -- --dfpn --entries 60000 --sweep "knightthrough 6x6"
//! cargo bench -p zermelo-search --bench solve -- --dfpn --simulation 5 "atarigo 5x5"
//! cargo bench -p zermelo-search --bench solve -- --auto "breakthrough 5x5"
//! ```
//!
//! Prints Markdown: nodes, positions judged statically, user CPU seconds, nodes a second, and the
//! published figures beside them.

mod cpu;

use cpu::user_seconds;
use std::sync::Arc;
use std::time::{Duration, Instant};
use zermelo_game::{
    Ablation, BySuperko, Game, History, Knowledge, Limits, Notation, Report, Rules, Superko,
    SuperkoKnowledge, Tuned,
};
use zermelo_games::Visitor;
use zermelo_search::alphabeta::{Config, Solver};
use zermelo_search::options::Thousandths;
use zermelo_search::proofnumber::dfpn::{self, Dfpn};
use zermelo_search::proofnumber::leaf::Leaf;
use zermelo_search::proofnumber::numbers::{SumRule, Tie};
use zermelo_search::{portfolio, superko};

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
    row("domineering 6x6", ""),
    row("domineering 7x7", "Obsequi 13,874 nodes, 0.02 s"),
    row("domineering 8x8", "Obsequi 2.02 M nodes, 1.7 s"),
    long("domineering 8x9 horizontal", "Obsequi 179 M nodes, 149 s"),
    row("domineering 6x6 misere", "study 11.0 M nodes, 13.4 s"),
    row("connect4 5x5", "minimax crate 2.3 s"),
    row("connect4 5x6", "minimax crate not in 147 s"),
    row("connect4 5x7", "Pons 5.3 s"),
    row("connect4 6x6", "Pons 16.2 s"),
    long("connect4 6x7", "Fhourstones 1,480 M nodes, 206 s; Pons 281 s; BitBully 301 s"),
    row("clobber 4x4", ""),
    row("clobber 5x4", "MCGS 2.05 s"),
    row("clobber 5x5", "MCGS not in 148 s"),
    row("nogo 4x4", "study 74 k nodes, 0.09 s"),
    row("nogo 5x4", "SBHSolver 61.9 s; paper 33.9 M moves, 74.77 s; study 0.94 M nodes, 1.29 s"),
    row("nogo 7x3", "paper 35.2 M moves, 49.72 s; study 0.96 M nodes, 1.61 s"),
    row("nogo 5x5", "paper 46,092 M moves, 61,430 s"),
    row("atarigo 6x5", "paper: solved within a day"),
    row("atarigo 5x5", "paper 3.96 M moves, 12.79 s; study 98 k nodes, 0.18 s"),
    row("breakthrough 5x4", ""),
    row("breakthrough 5x5", "paper 3,499 M moves, 9,243 s; study 2.23 M nodes, 0.62 s"),
    row("breakthrough 6x4", "study 5.0 M nodes, 1.88 s"),
    row("breakthrough 4x5 misere", "paper 448 M moves, 1,055 s; study 0.51 M nodes, 0.31 s"),
    row("breakthrough 5x4 misere", "study 1.75 M nodes, 0.52 s"),
    row("knightthrough 6x6", "paper 17.7 M moves, 102.6 s; study 85 k nodes, 0.04 s"),
    long("knightthrough 5x5 misere", "paper 20,376 M moves, 42,425 s; study 38.5 M nodes, 14.8 s"),
    row("go 3x3 komi 8.5", "paper 6,104 moves, 0.16 s"),
    row("go 4x3 komi 3.5", "paper 515.7 s (PN2 43.2 M moves, 620 s)"),
    row("go 3x4", ""),
    row("go 4x4", ""),
    row("tictactoe", ""),
    row("mnk 4x4x4", ""),
    row("mnk 4x5x4", ""),
    long("mnk 5x5x4", ""),
];

#[derive(Clone)]
struct Solve {
    config: Config,
    /// Df-pn in place of alpha-beta.
    dfpn: Option<dfpn::Config>,
    /// Both by turns.
    auto: bool,
    without: Ablation,
    memory: u64,
    time: Option<Duration>,
}

impl Solve {
    fn limits(&self) -> Limits {
        Limits { memory: self.memory, time: self.time, ..Limits::default() }
    }

    fn solve<R: Rules, K: Knowledge<R>>(self, game: Game<R, K>) -> Report<()> {
        let (limits, start) = (self.limits(), game.start());
        without_moves(match self.dfpn {
            Some(dfpn) if self.auto => {
                let config = portfolio::Config { alphabeta: self.config, dfpn };
                portfolio::Solver::new(game, config, limits).solve(&start, &|_| {})
            }
            Some(config) => Dfpn::new(game, config, limits).solve(&start, &|_| {}),
            None => Solver::new(game, self.config, limits).solve(&start, &|_| {}),
        })
    }

    /// Where boards must not be repeated there is one engine.
    fn solve_superko<R: Superko, K: SuperkoKnowledge<R>>(self, game: Game<R, K>) -> Report<()> {
        let (limits, start) = (self.limits(), game.start());
        let history = History::of(game.rules(), Some(&BySuperko), &start);
        let mut solver = superko::Solver::new(game, self.config.seed, limits);
        without_moves(solver.solve(&history, &start, &|_| {}))
    }
}

/// The report without moves, whose type depends on the game.
fn without_moves<M>(report: Report<M>) -> Report<()> {
    let Report { bounds, stop, level, rests_on_history, by, stats, .. } = report;
    Report { bounds, best: None, line: Vec::new(), stop, level, rests_on_history, by, stats }
}

impl Visitor for Solve {
    type Output = Report<()>;

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> Report<()> {
        match self.without {
            Ablation::NOTHING => self.solve(Game::new(&rules, &knowledge)),
            without => {
                let reduced = Tuned::new(Arc::new(knowledge), without);
                self.solve(Game::new(&rules, &reduced))
            }
        }
    }

    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(
        self,
        rules: R,
        knowledge: K,
    ) -> Report<()> {
        match self.without {
            Ablation::NOTHING => self.solve_superko(Game::new(&rules, &knowledge)),
            without => {
                let reduced = Tuned::new(Arc::new(knowledge), without);
                self.solve_superko(Game::new(&rules, &reduced))
            }
        }
    }
}

/// A rule of sums by name: sum, weak, top5, rate10.
fn rule(name: &str) -> SumRule {
    let count =
        |rest: &str| rest.parse().unwrap_or_else(|_| panic!("--rule {name}: a number is missing"));
    match name {
        "sum" => SumRule::Sum,
        "weak" => SumRule::Weak,
        _ => match (name.strip_prefix("top"), name.strip_prefix("rate")) {
            (Some(n), _) => SumRule::Top(count(n), Tie::Greater),
            (_, Some(n)) => SumRule::Rate(count(n), Tie::Greater),
            _ => panic!("--rule needs sum, weak, topN or rateN"),
        },
    }
}

fn main() {
    let (mut all, mut memory, mut time) = (false, 4u64 << 30, None);
    let (mut config, mut without) = (Config::default(), Ablation::NOTHING);
    let (mut is_dfpn, mut auto, mut dfpn) = (false, false, dfpn::Config::default());
    let mut words = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = |what: &str| -> u64 {
            let number = args.next().and_then(|n| n.parse().ok());
            number.unwrap_or_else(|| panic!("{arg} needs a number of {what}"))
        };
        match arg.as_str() {
            "--bench" => {}
            "--dfpn" => is_dfpn = true,
            "--auto" => auto = true,
            "--no-twins" => dfpn.twins = false,
            "--simulation" => dfpn.simulation = number("nodes") as u32,
            "--sweep" => dfpn.room = dfpn::ReplacementPolicy::Sweep,
            "--epsilon" => dfpn.epsilon = Thousandths(number("thousandths") as u32),
            "--leaf" => {
                dfpn.leaf = match args.next().as_deref() {
                    Some("one") => Leaf::One,
                    Some("mobility") => Leaf::Mobility,
                    Some("own") => Leaf::Own,
                    _ => panic!("--leaf needs one, mobility or own"),
                }
            }
            "--rule" => dfpn.rule = rule(&args.next().unwrap_or_default()),
            "--all" => all = true,
            "--threads" => config.threads = number("threads") as usize,
            "--playouts" => config.playouts = number("playouts"),
            "--entries" => config.table_entries = Some(number("entries")),
            "--seed" => config.seed = number("a seed"),
            "--seconds" => time = Some(Duration::from_secs(number("seconds"))),
            "--deepening" => config.deepening = true,
            "--no-knowledge" => without.knowledge = true,
            "--no-symmetry" => without.symmetry = true,
            "--no-order" => (without.order, config.learning) = (true, false),
            "--memory" => memory = number("MiB") << 20,
            _ => words.push(arg),
        }
    }
    dfpn.threads = config.threads;
    (dfpn.playouts, dfpn.seed) = (config.playouts, config.seed);
    dfpn.table_entries = config.table_entries;
    let dfpn = (is_dfpn || auto).then_some(dfpn);
    let solve = Solve { config, dfpn, auto, without, memory, time };
    println!(
        "| game | value | nodes | judged | user s | wall s | Mnodes/s | playouts s | table | published |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let chosen = |row: &&Row| match &words[..] {
        [] => !row.long || all,
        words => words.iter().any(|w| row.game.contains(w.as_str())),
    };
    let mut rows: Vec<(&str, &str)> =
        ROWS.iter().filter(chosen).map(|row| (row.game, row.published)).collect();
    // Any other game can be asked for by its full name.
    let strange = |w: &&String| !ROWS.iter().any(|row| row.game.contains(w.as_str()));
    rows.extend(words.iter().filter(strange).map(|w| (w.as_str(), "")));
    for (game, published) in rows {
        let (user, wall) = (user_seconds(), Instant::now());
        let report = zermelo_games::open(game, solve.clone());
        let report = report.unwrap_or_else(|e| panic!("{e}"));
        let (user, wall) = (user_seconds() - user, wall.elapsed().as_secs_f64());
        println!(
            "| {} | {} | {} | {} | {user:.3} | {wall:.3} | {:.2} | {:.3} | {} MiB | {} |",
            game,
            report.bounds,
            report.stats.nodes,
            report.stats.evaluations,
            report.stats.nodes as f64 / user / 1e6,
            report.stats.playout_time.as_secs_f64(),
            report.stats.table_bytes >> 20,
            published,
        );
    }
}
