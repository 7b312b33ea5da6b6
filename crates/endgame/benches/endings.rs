//! What a database saves a forward search: checkers positions of 8 to 10 pieces with databases of 2 to 5 pieces and without.
//!
//! ```text
//! cargo bench -p zermelo-endgame --bench endings -- [--dir DIR] [--nodes N] [--pieces N] [--random N]
//! ```
//!
//! Positions are those of `crates/lab/data/endings.txt`, from our own play and decided by five pieces, and so many (20) of
//! each size that random play comes to. A search may take so many nodes (100,000). Values that are known are compared, and no
//! two databases may contradict each other. `--dir` holds a database, or gets one; `--pieces` (5) is the largest that is used.
//! Prints Markdown: how many positions are solved, nodes over those that are solved with and without, and nodes in all.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zermelo_endgame::{BuildConfig, Database, build};
use zermelo_game::{
    Ablation, Bounds, Game, Limits, MoveList, Notation, Oracle, Rules, Tuned, Value,
};
use zermelo_games::checkers::{Checkers, CheckersKnowledge, Position};
use zermelo_search::alphabeta;
use zermelo_search::proofnumber::dfpn;

/// A database of which only the slices with so many pieces are used.
struct Few {
    database: Arc<Database<Checkers>>,
    pieces: u32,
}

impl Oracle<Checkers> for Few {
    fn probe(&self, game: &Checkers, p: &Position) -> Bounds {
        if size(p) > self.pieces {
            return game.values();
        }
        self.database.probe(game, p).unwrap_or_else(|damage| panic!("{damage}"))
    }
}

/// A position and its value, if that is known.
type Ending = (Position, Option<Value>);

fn size(p: &Position) -> u32 {
    (p.own | p.other).count_ones()
}

/// Positions from our own play, with their values for black.
fn from_play(game: &Checkers) -> Vec<Ending> {
    let lines = include_str!("../../lab/data/endings.txt").lines();
    let read = |line: &str| {
        let words: Vec<&str> = line.split(';').map(str::trim).collect();
        let p = game.parse_position(words[2]).expect("a position");
        (p, Some(words[3].parse().expect("a value")))
    };
    lines.filter(|line| !line.starts_with('#') && !line.is_empty()).map(read).collect()
}

/// Positions that random play comes to, on even terms or a piece apart, with a choice of moves; always the same.
fn at_random(game: &Checkers, each: usize) -> Vec<Ending> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2007);
    let mut found = Vec::new();
    for pieces in 8..=10 {
        let wanted = found.len() + each;
        while found.len() < wanted {
            let (mut p, mut moves) = (game.start(), MoveList::new());
            game.moves(&p, &mut moves);
            while size(&p) > pieces && game.outcome(&p).is_none() {
                let all: Vec<_> = moves.iter().collect();
                p = game.play(&p, all[rng.random_range(0..all.len())]);
                moves.clear();
                game.moves(&p, &mut moves);
            }
            let even = p.own.count_ones().abs_diff(p.other.count_ones()) <= 1;
            if size(&p) == pieces && even && moves.iter().count() > 1 {
                found.push((p, None));
            }
        }
    }
    found
}

/// Knowledge of checkers, perhaps with a database.
type WithDatabase = Tuned<Checkers, CheckersKnowledge>;

/// Nodes of a search, and what it found.
fn search(
    name: &str,
    game: Game<Checkers, WithDatabase>,
    p: &Position,
    most: u64,
) -> (u64, Bounds) {
    let limits = Limits { nodes: Some(most), memory: 256 << 20, ..Limits::default() };
    let report = match name {
        "df-pn" => dfpn::Dfpn::new(game, dfpn::Config::default(), limits).solve(p, &|_| {}),
        _ => {
            let config = alphabeta::Config { deepening: true, ..alphabeta::Config::default() };
            alphabeta::Solver::new(game, config, limits).solve(p, &|_| {})
        }
    };
    (report.stats.nodes, report.bounds)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|w| w != "--bench").collect();
    let option = |name: &str| words.windows(2).find(|w| w[0] == name).map(|w| w[1].clone());
    let number = |name: &str, or: u64| option(name).map_or(or, |n| n.parse().expect("a number"));
    let (most, pieces) = (number("--nodes", 100_000), number("--pieces", 5) as u32);
    let own = tempfile::tempdir().expect("a folder");
    let dir = option("--dir").map_or(own.path().to_owned(), PathBuf::from);
    let game = Checkers::new(8, 8);
    let config = BuildConfig { pieces, threads: 2, ..BuildConfig::default() };
    build(&game, Path::new(&dir), &config).unwrap_or_else(|e| panic!("{e}"));
    let database = Database::open(&game, &dir, 1 << 30).unwrap_or_else(|e| panic!("{e}"));
    let database = Arc::new(database);
    let plain = || Tuned::new(Arc::new(CheckersKnowledge), Ablation::NOTHING);
    let mut knowledge = vec![("none".to_owned(), plain())];
    for pieces in 2..=pieces {
        let few = Few { database: database.clone(), pieces };
        knowledge.push((format!("{pieces} pieces"), plain().with_oracle(&game, Arc::new(few))));
    }
    let random = at_random(&game, number("--random", 20) as usize);
    for (from, all) in [("our own play", from_play(&game)), ("random play", random)] {
        for name in ["alpha-beta", "df-pn"] {
            println!("\nPositions from {from}, {name}:\n");
            println!(
                "| pieces, positions | database | solved | where solved without: without | with | all nodes |"
            );
            println!("|---|---|---|---|---|---|");
            for count in 8..=10 {
                let here: Vec<Ending> =
                    all.iter().filter(|e| size(&e.0) == count).copied().collect();
                table(name, &game, &knowledge, &here, most);
            }
        }
    }
}

/// The rows of positions of one size.
fn table(
    name: &str,
    rules: &Checkers,
    knowledge: &[(String, WithDatabase)],
    endings: &[Ending],
    most: u64,
) {
    let row = |knowledge: &WithDatabase| {
        let game = Game::new(rules, knowledge);
        endings.iter().map(|(p, _)| search(name, game, p, most)).collect()
    };
    let rows: Vec<Vec<(u64, Bounds)>> = knowledge.iter().map(|(_, k)| row(k)).collect();
    for (n, (p, value)) in endings.iter().enumerate() {
        let known = value.map_or(Bounds::new(-1, 1), Bounds::exact);
        let all = rows.iter().try_fold(known, |known, row| known.meet(row[n].1));
        assert!(all.is_ok(), "they contradict each other on {}", rules.position_text(p));
    }
    let solved = |row: &[(u64, Bounds)], n: usize| row[n].1.is_exact();
    for ((what, _), row) in knowledge.iter().zip(&rows) {
        let both = || (0..row.len()).filter(|n| solved(&rows[0], *n) && solved(row, *n));
        let sum = |row: &[(u64, Bounds)]| both().map(|n| row[n].0).sum::<u64>();
        println!(
            "| {}, {} | {what} | {} | {} ({} positions) | {} | {} |",
            size(&endings[0].0),
            endings.len(),
            (0..row.len()).filter(|n| solved(row, *n)).count(),
            sum(&rows[0]),
            both().count(),
            sum(row),
            row.iter().map(|(nodes, _)| nodes).sum::<u64>()
        );
    }
}
