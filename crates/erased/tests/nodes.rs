//! Golden node counts: what every engine finds on the boards of `nodes.txt`, and with how many nodes.
//!
//! A search with one thread and a fixed seed visits the same nodes on every machine, so a change to a search shows
//! here as a difference, whether it was meant or not. `ZERMELO_BLESS=1 cargo test -p zermelo-erased --test nodes` writes the
//! file anew; the commit that does so says why the counts change.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use zermelo_erased::{AnyGame, Catalogue, EngineConfig, EngineId};
use zermelo_game::{Limits, Stop};

/// The file, relative to the folder of the crate, where tests run.
const FILE: &str = "tests/nodes.txt";

// What all searches have in common. The head of the file repeats it.
const SEED: u64 = 1;
const MEMORY: u64 = 16 << 20;
const NODES: u64 = 10_000;
/// Playouts of the engines that teach themselves with playouts: far fewer than their default, which takes seconds.
const PLAYOUTS: u64 = 200;

/// A board of the file: `GAME`, or `GAME | POSITION`, and after `@` how many nodes an engine may search there, and perhaps
/// which engines search it.
#[derive(Debug, PartialEq)]
struct Board<'t> {
    game: &'t str,
    position: Option<&'t str>,
    nodes: u64,
    engines: Vec<EngineId>,
}

impl Board<'_> {
    fn parse(line: &str) -> Board<'_> {
        let (what, special) = line.rsplit_once('@').unwrap_or((line, ""));
        let mut words = special.split_whitespace();
        let nodes = words.next().map_or(NODES, |n| n.parse().expect("a number of nodes"));
        let named: Vec<EngineId> =
            words.map(|word| EngineId::named(word).unwrap_or_else(|| panic!("{word}"))).collect();
        let engines = if named.is_empty() { EngineId::ALL.to_vec() } else { named };
        let (game, position) = match what.split_once('|') {
            Some((game, position)) => (game, Some(position.trim())),
            None => (what, None),
        };
        Board { game: game.trim(), position, nodes, engines }
    }

    fn open(&self) -> Box<dyn AnyGame> {
        Catalogue::standard().open(self.game).unwrap_or_else(|e| panic!("{e}"))
    }

    /// What an engine finds, and what that costs: value, nodes, evaluations, playouts, and why it stopped if that was not
    /// the solution; `-` if it does not support the game.
    fn solve(&self, game: &dyn AnyGame, by: EngineId) -> String {
        let own = EngineConfig::new(by);
        let playouts = own.number("playouts").min(PLAYOUTS);
        let engine = own.with_if_any("seed", SEED).with_if_any("playouts", playouts);
        if game.accepts(&engine).is_err() {
            return "-".into();
        }
        let mut session = game.session();
        if let Some(position) = self.position {
            session.set_position(position).unwrap_or_else(|e| panic!("{e}"));
        }
        let limits = Limits { nodes: Some(self.nodes), memory: MEMORY, ..Limits::default() };
        let report = session.solve(&engine, &limits, &|_| {});
        let stop = match report.stop {
            Stop::Solved => String::new(),
            stop => format!("  {}", stop.word()),
        };
        let (value, stats) = (report.bounds.to_string(), report.stats);
        let (nodes, evaluations, playouts) = (stats.nodes, stats.evaluations, stats.playouts);
        format!("{value:<8}{nodes:>8}{evaluations:>9}{playouts:>7}{stop}")
    }

    /// A line for each engine.
    fn lines(&self) -> Vec<String> {
        let game = self.open();
        let line = |by: EngineId| format!("  {:<12}{}", by.word(), self.solve(&*game, by));
        self.engines.iter().copied().map(line).collect()
    }
}

/// Whether a line of the file names a board: neither comment nor empty, and not indented as results are.
fn is_board(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(['#', ' '])
}

/// The boards of the file, each with the lines of results below it.
fn boards(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut boards: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if is_board(line) {
            boards.push((line, Vec::new()));
        } else if line.starts_with(' ') {
            boards.last_mut().expect("results belong to a board").1.push(line);
        }
    }
    boards
}

/// The file with these results in place of its own; comments and empty lines stay.
fn rewritten(text: &str, results: &[Vec<String>]) -> String {
    let mut results = results.iter();
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.starts_with(' ')) {
        writeln!(out, "{line}").unwrap();
        if is_board(line) {
            let lines = results.next().expect("results for every board");
            lines.iter().for_each(|line| writeln!(out, "{line}").unwrap());
        }
    }
    out
}

/// The name of the engine at the beginning of a line of results.
fn engine(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// What differs on a board, a few lines for each engine.
fn differences(board: &str, was: &[&str], is: &[String]) -> Vec<String> {
    let rest = |line: &str| line.trim_start()[engine(line).len()..].trim().to_owned();
    let find = |lines: &[&str], name: &str| {
        lines.iter().find(|l| engine(l) == name).map_or("nothing".into(), |l| rest(l))
    };
    let is: Vec<&str> = is.iter().map(String::as_str).collect();
    let mut names: Vec<&str> = is.iter().copied().map(engine).collect();
    let gone: Vec<&str> = was.iter().copied().map(engine).filter(|n| !names.contains(n)).collect();
    names.extend(gone);
    let pairs = names.into_iter().map(|name| (name, find(was, name), find(&is, name)));
    let changed = pairs.filter(|(_, was, is)| was != is);
    // The text of a graph is long.
    let board = match board.char_indices().nth(70) {
        Some((end, _)) => format!("{} ...", &board[..end]),
        None => board.to_owned(),
    };
    changed.map(|(by, was, is)| format!("{board}, {by}\n  was {was}\n  is  {is}")).collect()
}

/// What all engines find on all boards.
fn search_all(text: &str) -> Vec<Vec<String>> {
    boards(text).iter().map(|(line, _)| Board::parse(line).lines()).collect()
}

#[test]
fn node_counts_are_as_written() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let results = search_all(&text);
    if std::env::var_os("ZERMELO_BLESS").is_some() {
        std::fs::write(FILE, rewritten(&text, &results)).unwrap();
        return;
    }
    let boards = boards(&text);
    let compared = boards.iter().zip(&results);
    let changed: Vec<String> =
        compared.flat_map(|((line, was), is)| differences(line, was, is)).collect();
    let count = changed.len();
    let changed = changed.join("\n");
    assert!(
        count == 0,
        "{count} results differ from {FILE}:\n{changed}\nIf that is intended: ZERMELO_BLESS=1 cargo test -p \
         zermelo-erased --test nodes, and say why in the commit message."
    );
}

/// Every game of the catalogue, every rule of repetition, every engine on nearly all boards, and some runs of each engine
/// that end with an answer.
#[test]
fn nothing_is_left_out() {
    if std::env::var_os("ZERMELO_BLESS").is_some() {
        // The file is being written again.
        return;
    }
    let text = include_str!("nodes.txt");
    let boards = boards(text);
    let games: BTreeSet<&str> =
        boards.iter().map(|(line, _)| line.split_whitespace().next().unwrap()).collect();
    let rows: Vec<String> =
        Catalogue::standard().rows().iter().map(|row| row.name().to_owned()).collect();
    assert_eq!(games, rows.iter().map(String::as_str).collect());
    for rule in ["repetition 0", "repetition loses", "repetition parity", "repetition forbidden"] {
        assert!(boards.iter().any(|(line, _)| line.contains(rule)), "{rule}");
    }
    let by_all = boards.iter().filter(|(line, _)| Board::parse(line).engines == EngineId::ALL);
    assert!(by_all.count() >= 35);
    for &by in EngineId::ALL {
        let solved = boards.iter().filter(|(_, lines)| {
            let words = |line: &&&str| line.split_whitespace().count() == 5;
            lines.iter().filter(words).any(|line| engine(line) == by.word())
        });
        let engine = by.word();
        assert!(solved.count() >= 3, "{engine} solves fewer than three boards of {FILE}");
    }
}

/// The comparison must be able to fail: a changed count, a changed value, a missing and a superfluous engine.
#[test]
fn differences_are_found_out() {
    let is = ["  auto        0  12".to_owned(), "  dfpn        1  7".to_owned()];
    let changed = |was: &[&str]| differences("tictactoe", was, &is);
    assert_eq!(changed(&["  auto  0    12", "  dfpn        1  7"]).len(), 1);
    assert!(changed(&[&is[0], &is[1]]).is_empty());
    assert_eq!(changed(&[&is[0]]), ["tictactoe, dfpn\n  was nothing\n  is  1  7"]);
    assert_eq!(changed(&[&is[0], "  dfpn        0  7"]).len(), 1);
    let more = changed(&[&is[0], &is[1], "  pns  -"]);
    assert_eq!(more, ["tictactoe, pns\n  was -\n  is  nothing"]);
}

/// A file is written as it is read: comments stay, results are exchanged.
#[test]
fn files_are_rewritten() {
    let text = "# Head\n\ntictactoe\n  auto  0\n\n# More\ngo 2x2 | .x/.. second @ 500\n";
    let results = [vec!["  auto  1".to_owned()], vec!["  auto  2".to_owned()]];
    let new = rewritten(text, &results);
    let wanted =
        "# Head\n\ntictactoe\n  auto  1\n\n# More\ngo 2x2 | .x/.. second @ 500\n  auto  2\n";
    assert_eq!(new, wanted);
    assert_eq!(boards(&new)[1], ("go 2x2 | .x/.. second @ 500", vec!["  auto  2"]));
    let board = Board {
        game: "go 2x2",
        position: Some(".x/.. second"),
        nodes: 500,
        engines: EngineId::ALL.to_vec(),
    };
    assert_eq!(Board::parse(boards(&new)[1].0), board);
    let few = vec![EngineId::Auto, EngineId::Dfpn];
    assert_eq!(
        Board::parse("go 2x2 | .x/.. second @ 500 auto dfpn"),
        Board { engines: few, ..board }
    );
}
