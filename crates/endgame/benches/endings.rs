//! What a database saves a forward search: checkers positions of 8 to 10 pieces with databases of 2 to 5 pieces and without.
//!
//! ```text
//! cargo bench -p zermelo-endgame --bench endings -- [--dir DIR] [--nodes N] [--pieces N]
//! ```
//!
//! The positions are those of `crates/lab/data/endings.txt`, with their values. A search may take so many nodes (200,000); every
//! value that it finds is compared. `--dir` holds a database of 5 pieces, or gets one; `--pieces` is the largest that is used.
//! Prints Markdown: how many positions of each size are solved, and nodes over those that all databases of the row's search solve
//! and, in the last columns, over all.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use zermelo_endgame::{Config, Database, build};
use zermelo_game::{Bounds, Game, Limits, Oracle, Value};
use zermelo_games::checkers::{Checkers, Position};
use zermelo_search::alphabeta;
use zermelo_search::altered::{Altered, Without};
use zermelo_search::proofnumber::dfpn;

/// A database of which only the slices with so many pieces are used.
struct Few {
    database: Arc<Database<Checkers>>,
    pieces: u32,
}

impl Oracle<Checkers> for Few {
    fn probe(&self, game: &Checkers, p: &Position) -> Bounds {
        if (p.own | p.other).count_ones() > self.pieces {
            return game.values();
        }
        self.database.probe(game, p).unwrap_or_else(|damage| panic!("{damage}"))
    }
}

/// Positions with their values for black.
fn positions(game: &Checkers) -> Vec<(Position, Value)> {
    let lines = include_str!("../../lab/data/endings.txt").lines();
    let read = |line: &str| {
        let words: Vec<&str> = line.split(';').map(str::trim).collect();
        let p = game.parse_position(words[2]).expect("a position");
        (p, words[3].parse().expect("a value"))
    };
    lines.filter(|line| !line.starts_with('#') && !line.is_empty()).map(read).collect()
}

/// Nodes of a search and whether it found the value.
fn search(name: &str, game: &Altered<Checkers>, p: &Position, most: u64) -> (u64, Bounds) {
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
    let (most, pieces) = (number("--nodes", 200_000), number("--pieces", 5) as u32);
    let own = tempfile::tempdir().expect("a folder");
    let dir = option("--dir").map_or(own.path().to_owned(), PathBuf::from);
    let game = Checkers::new(8, 8);
    let config = Config { pieces, threads: 2, ..Config::default() };
    build(&game, Path::new(&dir), &config).unwrap_or_else(|e| panic!("{e}"));
    let database = Database::open(&game, &dir, 1 << 30).unwrap_or_else(|e| panic!("{e}"));
    let (game, database) = (Arc::new(game), Arc::new(database));
    let plain = || Altered::new(game.clone(), Without::NOTHING);
    let mut games = vec![("none".to_owned(), plain())];
    for pieces in 2..=pieces {
        let few = Few { database: database.clone(), pieces };
        games.push((format!("{pieces} pieces"), plain().with_oracle(Arc::new(few))));
    }
    let all = positions(&game);
    for name in ["alpha-beta", "df-pn"] {
        println!(
            "\n| {name}: pieces, positions | database | solved | nodes where all solve | nodes |"
        );
        println!("|---|---|---|---|---|");
        for count in 8..=10 {
            let here = |p: &&(Position, Value)| (p.0.own | p.0.other).count_ones() == count;
            let here: Vec<_> = all.iter().filter(here).collect();
            let rows: Vec<Vec<(u64, bool)>> = games
                .iter()
                .map(|(_, game)| {
                    let one = |(p, value): &&(Position, Value)| {
                        let (nodes, bounds) = search(name, game, p, most);
                        assert!(bounds.contains(*value), "{bounds} for {}", game.position_text(p));
                        (nodes, bounds.is_exact())
                    };
                    here.iter().map(one).collect()
                })
                .collect();
            let common = |n: usize| rows.iter().all(|row| row[n].1);
            for ((what, _), row) in games.iter().zip(&rows) {
                let solved = row.iter().filter(|(_, solved)| *solved).count();
                let both = (0..row.len()).filter(|n| common(*n));
                let (shared, ours) = (both.clone().count(), both.map(|n| row[n].0).sum::<u64>());
                let nodes: u64 = row.iter().map(|(nodes, _)| nodes).sum();
                println!(
                    "| {count}, {} | {what} | {solved} | {ours} ({shared} positions) | {nodes} |",
                    here.len()
                );
            }
        }
    }
}
