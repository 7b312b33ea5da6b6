//! Certificates: boards are solved by alpha-beta, their proofs written and checked, one row each, in user CPU seconds.
//! `scripts/bench-proofs.sh` does the same with the command itself, for any game; this compiles a handful of games only.
//!
//! ```text
//! cargo bench -p zermelo-search --bench proofs                      the rows of up to some seconds
//! cargo bench -p zermelo-search --bench proofs -- --all             also those of minutes
//! cargo bench -p zermelo-search --bench proofs -- "connect4 5x6"    other boards
//! cargo bench -p zermelo-search --bench proofs -- --memory 256 --check-memory 64 --block 65536 --leaves 16 --deepening "nogo 5x4"
//! ```

mod cpu;

use cpu::user_seconds;
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{Certificate, Claim, Provenance, RuleBook, StrategySource, WriteLimits};
use zermelo_certificate::{check, write};
use zermelo_game::{Bounds, Game, Knowledge, Limits, Notation, Player};
use zermelo_games::atarigo::{AtariGo, AtariGoKnowledge};
use zermelo_games::clobber::{Clobber, ClobberKnowledge};
use zermelo_games::connect4::{Connect4, Connect4Knowledge};
use zermelo_games::domineering::{Domineering, DomineeringKnowledge, Way};
use zermelo_games::nogo::{NoGo, NoGoKnowledge};
use zermelo_games::through::{Knights, Pawns, Through, ThroughKnowledge};
use zermelo_search::alphabeta::{Config, Solver};

/// The rows of BENCHMARKS.md, and which of them take more than some seconds.
const ROWS: &[(&str, bool)] = &[
    ("atarigo 5x5", false),
    ("atarigo 6x5", false),
    ("nogo 7x3", false),
    ("nogo 5x4", false),
    ("breakthrough 5x5", false),
    ("breakthrough 4x5 misere", false),
    ("knightthrough 6x6", false),
    ("domineering 6x6", false),
    ("domineering 6x6 misere", false),
    ("clobber 5x4", false),
    ("connect4 4x6", false),
    ("connect4 5x6", false),
    ("connect4 6x6", false),
    ("nogo 5x5", true),
    ("knightthrough 5x5 misere", true),
    ("connect4 6x7", true),
];

struct Bench {
    config: Config,
    memory: u64,
    check_memory: u64,
    layout: StrategyLayout,
}

impl Bench {
    fn row<R: Notation, K: Knowledge<R>>(&self, name: &str, rules: &R, knowledge: &K) {
        let (game, book) = (Game::new(rules, knowledge), RuleBook::new(rules, None));
        let limits = Limits { memory: self.memory, ..Limits::default() };
        let start = user_seconds();
        let mut solver = Solver::new(game, self.config.clone(), limits.clone());
        let root = game.start();
        let report = solver.solve(&root, &|_| {});
        let solved = user_seconds();
        let Bounds { lo, hi } = report.bounds;
        assert!(lo == hi, "{name} is not solved: {}", report.bounds);
        let mut certificate = Certificate::new(
            game.full_name(),
            game.position_text(&root),
            self.layout.search,
            Provenance::default(),
        );
        let claims =
            [(Player::First, lo > game.values().lo), (Player::Second, lo < game.values().hi)];
        let mut searched = 0;
        for (claimant, _) in claims.into_iter().filter(|c| c.1) {
            let claim = Claim { claimant, value: lo };
            let mut strategy = solver.strategy_source(lo, limits.clone());
            let answers = write(book, &root, claim, self.layout, &mut strategy, &WriteLimits::NONE);
            searched += strategy.searched();
            certificate.add(claim, answers.unwrap_or_else(|e| panic!("{name}: {e}")));
        }
        let written = user_seconds();
        let bytes = certificate.bytes().len();
        drop(solver);
        let limits =
            check::CheckLimits { memory: self.check_memory, ..check::CheckLimits::default() };
        let checked = check(book, &certificate, &limits).unwrap_or_else(|e| panic!("{name}: {e}"));
        let done = user_seconds();
        let positions = checked.positions;
        println!(
            "| {name} | {lo} | {:.2} | {} | {:.2} | {searched} | {positions} | {bytes} | {:.2} | {:.2} | {:.1} |",
            solved - start,
            report.stats.nodes,
            written - solved,
            bytes as f64 / positions as f64,
            done - written,
            positions as f64 / (done - written) / 1e6,
        );
    }

    fn open(&self, name: &str) {
        let mut words = name.split(' ');
        let (game, size) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let misere = words.any(|word| word == "misere");
        let size = size.split_once('x').and_then(|(r, c)| Some((r.parse().ok()?, c.parse().ok()?)));
        let (rows, cols): (u32, u32) = size.unwrap_or_else(|| panic!("{name}: no size"));
        let small = 2 * rows * cols < 64;
        // Opens a board and does its row.
        macro_rules! row {
            ($rules:expr, $knowledge:ident) => {{
                let rules = $rules;
                self.row(name, &rules, &$knowledge::new(&rules));
            }};
        }
        match game {
            "connect4" if rows == 6 => row!(Connect4::<6>::new(rows, cols), Connect4Knowledge),
            "connect4" => row!(Connect4::<0>::new(rows, cols), Connect4Knowledge),
            "nogo" if small => row!(NoGo::<u64>::new(rows, cols), NoGoKnowledge),
            "atarigo" if small => row!(AtariGo::<u64>::new(rows, cols), AtariGoKnowledge),
            "clobber" if small => row!(Clobber::<u64>::new(rows, cols), ClobberKnowledge),
            "breakthrough" if small => {
                row!(Through::<Pawns, u64>::new(rows, cols, misere), ThroughKnowledge)
            }
            "knightthrough" if small => {
                row!(Through::<Knights, u64>::new(rows, cols, misere), ThroughKnowledge)
            }
            "knightthrough" => {
                row!(Through::<Knights, u128>::new(rows, cols, misere), ThroughKnowledge)
            }
            "domineering" if rows * cols < 64 => row!(
                Domineering::<u64, u64>::new(rows, cols, Way::Upright, misere),
                DomineeringKnowledge
            ),
            _ => panic!("{name} is not among the games of this benchmark"),
        }
    }
}

fn main() {
    let (mut all, mut memory, mut check_memory) = (false, 4u64 << 30, 4u64 << 30);
    let (mut config, mut layout, mut boards) =
        (Config::default(), StrategyLayout::default(), Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = |what: &str| -> u64 {
            let number = args.next().and_then(|n| n.parse().ok());
            number.unwrap_or_else(|| panic!("{arg} needs a number of {what}"))
        };
        match arg.as_str() {
            "--bench" => {}
            "--all" => all = true,
            "--deepening" => config.deepening = true,
            "--smaller" => layout.smaller = true,
            "--block" => layout.block = number("positions"),
            "--leaves" => layout.search = number("positions") as u32,
            "--memory" => memory = number("MiB") << 20,
            "--check-memory" => check_memory = number("MiB") << 20,
            _ => boards.push(arg),
        }
    }
    if boards.is_empty() {
        boards = ROWS.iter().filter(|row| all || !row.1).map(|row| row.0.to_owned()).collect();
    }
    println!(
        "| board | value | solve s | nodes | write s | searched again | positions | bytes | a position | check s | M positions/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let bench = Bench { config, memory, check_memory, layout };
    boards.iter().for_each(|board| bench.open(board));
}
