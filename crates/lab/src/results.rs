//! The list of boards we have solved.
//!
//! `data/boards.txt` names the boards and what has been published of them, `data/results.jsonl` is the
//! journal of our runs, `data/proofs.txt` lists proofs made by `zermelo prove`, and `RESULTS.md` is made of these and of
//! nothing else.

use crate::run::{Case, RunRecord};
use crate::tables::{grouped, seconds};
use anyhow::{Context, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use zermelo_erased::{EngineConfig, EngineId};

/// The boards, as compiled into the program.
const BOARDS: &str = include_str!("../data/boards.txt");

/// Proofs by the manager, as compiled into the program.
const PROOFS: &str = include_str!("../data/proofs.txt");

/// The journal of our runs, as compiled into the program.
const JOURNAL: &str = include_str!("../data/results.jsonl");

/// A board or position that we have solved.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KnownResult {
    /// The game with its parameters.
    pub game: String,
    /// The position; `None` for the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The value in a word: see [`RunRecord::value`].
    pub value: String,
    /// What solved it: `search`, or `prove` for a proof piece by piece.
    pub by: &'static str,
    /// The endgame database that it rests on, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Positions that were visited.
    pub nodes: u64,
    /// User CPU seconds; of a proof piece by piece those of its provers.
    pub seconds: f64,
    /// The published value, if we know of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// All that `RESULTS.md` says of the game whose name begins with this word.
pub fn known(name: &str) -> anyhow::Result<Vec<KnownResult>> {
    let is_of = |game: &str| game.split(' ').next() == Some(name);
    let records: Vec<RunRecord> =
        JOURNAL.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let boards = boards()?.into_iter().filter(|board| is_of(&board.game));
    let solved = boards.filter_map(|board| {
        let record = newest(&records, &board)?;
        Some(KnownResult {
            value: record.value(),
            nodes: record.nodes,
            seconds: record.cpu_seconds,
            by: "search",
            database: None,
            position: None,
            published: board.published,
            game: board.game,
        })
    });
    let lines = PROOFS.lines().filter(|line| !line.starts_with('#') && is_of(line));
    let proofs = lines.map(proof).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(solved.chain(proofs).collect())
}

/// A line of the list of proofs.
fn proof(line: &str) -> anyhow::Result<KnownResult> {
    let bad = || format!("bad proof: '{line}'");
    let fields: Vec<&str> = line.split(';').map(str::trim).collect();
    let &[what, database, _, _, value, _, nodes, seconds, ..] = &fields[..] else { bail!(bad()) };
    // The name of a game is two words here, and a test says so.
    let words: Vec<&str> = what.splitn(3, ' ').collect();
    Ok(KnownResult {
        game: words[..words.len().min(2)].join(" "),
        position: words.get(2).map(|text| (*text).to_owned()),
        value: value.into(),
        by: "prove",
        database: (database != "-").then(|| database.to_owned()),
        nodes: nodes.replace(',', "").parse().with_context(bad)?,
        seconds: seconds.parse().with_context(bad)?,
        published: None,
    })
}

/// A board of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedBoard {
    /// The game with its parameters.
    pub game: String,
    /// Whether to deepen step by step.
    pub deepening: bool,
    /// The published value, if we know of one.
    pub published: Option<String>,
}

impl ListedBoard {
    /// The run that solves it.
    #[must_use]
    pub fn case(&self) -> Case {
        let deepening = if self.deepening { "yes" } else { "no" };
        let engine = EngineConfig::new(EngineId::AlphaBeta).with("deepening", deepening);
        Case { game: self.game.clone(), engine }
    }

    /// The kind of game, without the size: `breakthrough misere`.
    #[must_use]
    pub fn kind(&self) -> String {
        let is_size = |w: &&str| w.split_once('x').is_some_and(|(r, _)| r.parse::<u32>().is_ok());
        self.game.split(' ').filter(|w| !is_size(w)).collect::<Vec<_>>().join(" ")
    }

    /// Rows and columns.
    #[must_use]
    pub fn size(&self) -> Option<(u32, u32)> {
        let (rows, cols) = self.game.split(' ').find_map(|w| w.split_once('x'))?;
        Some((rows.parse().ok()?, cols.parse().ok()?))
    }
}

/// The boards of the list.
pub fn boards() -> anyhow::Result<Vec<ListedBoard>> {
    parse(BOARDS)
}

fn parse(text: &str) -> anyhow::Result<Vec<ListedBoard>> {
    let mut boards = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let bad = || format!("bad board at line {}: '{line}'", i + 1);
        let (game, rest) = line.split_once(':').with_context(bad)?;
        let (published, deepening) = match rest.trim().split_once("with deepening") {
            Some((published, "")) => (published.trim(), true),
            None => (rest.trim(), false),
            Some(_) => bail!(bad()),
        };
        boards.push(ListedBoard {
            game: game.trim().into(),
            deepening,
            published: (published != "-").then(|| published.to_owned()),
        });
    }
    Ok(boards)
}

/// Records whose values differ from what was published.
#[must_use]
pub fn contradictions<'r>(boards: &[ListedBoard], records: &'r [RunRecord]) -> Vec<&'r RunRecord> {
    let published = |r: &RunRecord| boards.iter().find(|b| b.game == r.game)?.published.clone();
    let differs = |r: &&RunRecord| r.solved && published(r).is_some_and(|p| p != r.value());
    records.iter().filter(differs).collect()
}

/// The page `RESULTS.md`.
#[must_use]
pub fn page(boards: &[ListedBoard], records: &[RunRecord]) -> String {
    let mut text = String::from(
        "# Results\n\n\
         Boards solved from the start by this program, one thread, made from `crates/lab/data` by `zermelo bench results`. Sizes are\n\
         ROWSxCOLS. \"Published\" is the value we know of from the literature; a dash means that we know of none, not that there is none.\n\
         The cost of a board is what it took when it was last run here: user CPU seconds on one core of a 2.8 GHz Xeon.\n",
    );
    let mut kinds: Vec<String> = boards.iter().map(ListedBoard::kind).collect();
    kinds.dedup();
    for kind in kinds {
        let known: Vec<(&ListedBoard, &RunRecord)> = boards
            .iter()
            .filter(|b| b.kind() == kind)
            .filter_map(|b| Some((b, newest(records, b)?)))
            .collect();
        if known.is_empty() {
            continue;
        }
        text += &format!("\n## {kind}\n\n{}", grid(&known));
        text += "| board | value | first move | nodes | user s | published |\n|---|---|---|---|---|---|\n";
        for (board, r) in known {
            text += &format!(
                "| {} | {} | {} | {} | {} | {} |\n",
                r.game,
                r.value(),
                r.best.as_deref().unwrap_or(""),
                grouped(r.nodes),
                seconds(r.cpu_seconds),
                board.published.as_deref().unwrap_or("-"),
            );
        }
    }
    text + &proofs()
}

/// The proofs that were made piece by piece.
fn proofs() -> String {
    let mut text = String::from(
        "\n## Proofs by the manager\n\n\
         Made by `scripts/make-proofs`: by `zermelo prove` with 64 MiB a prover, with certificates by `zermelo certify` that `zermelo check` has accepted, and most\n\
         once more by a second solver, with the same value. \"Rests on\" is the endgame database whose entries end the proof; \"n pieces\" stands for `zermelo build`\n\
         with that many, verified by `zermelo verify`. Seconds are those of the provers;\n\
         a dash stands where no certificate was written within a minute.\n\n\
         | position | rests on | options | again by | value | jobs | nodes | s | certificate: positions | bytes | check s |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for line in PROOFS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        text += &format!("| {} |\n", fields.join(" | "));
    }
    text
}

/// The newest record that solves a board.
#[must_use]
pub fn newest<'r>(records: &'r [RunRecord], board: &ListedBoard) -> Option<&'r RunRecord> {
    records.iter().rev().find(|r| r.game == board.game && r.solved)
}

/// Who wins, rows down and columns across: 1 for the first player, 2 for the second, = for a draw,
/// other scores as they are. Nothing for a single board.
fn grid(known: &[(&ListedBoard, &RunRecord)]) -> String {
    let mut cells = BTreeMap::new();
    for (board, record) in known {
        if let Some(size) = board.size() {
            let sign = match record.value().as_str() {
                "first" => "1".into(),
                "second" => "2".into(),
                "draw" => "=".into(),
                score => score.to_owned(),
            };
            cells.insert(size, sign);
        }
    }
    let (mut rows, mut cols): (Vec<u32>, Vec<u32>) = cells.keys().copied().unzip();
    for list in [&mut rows, &mut cols] {
        list.sort_unstable();
        list.dedup();
    }
    if cells.len() < 3 {
        return String::new();
    }
    let mut text = String::from("```text\n    ");
    cols.iter().for_each(|col| text += &format!("{col:>4}"));
    for row in &rows {
        text += &format!("\n{row:>4}");
        let cell = |col: &u32| cells.get(&(*row, *col)).map_or("", String::as_str);
        cols.iter().for_each(|col| text += &format!("{:>4}", cell(col)));
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n```\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example;
    use zermelo_erased::Catalogue;
    use zermelo_game::Limits;

    fn records() -> Vec<RunRecord> {
        JOURNAL.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Otherwise boards that are solved would be run again.
    #[test]
    fn records_are_known_by_the_method_of_their_board() {
        let board = |deepening| ListedBoard { game: "nogo 3x3".into(), deepening, published: None };
        let methods = [false, true].map(|deepening| board(deepening).case().method());
        assert_eq!(methods, ["alphabeta", "alphabeta, deepening"]);
        for record in records() {
            assert!(methods.contains(&record.method), "{record:?}");
        }
    }

    #[test]
    fn the_page_is_made_from_the_data() {
        let page = page(&boards().unwrap(), &records());
        let file = include_str!("../../../RESULTS.md");
        assert!(page == file, "RESULTS.md is not what `zermelo bench results` makes of the data");
    }

    /// What programs show of our results is what the page says.
    #[test]
    fn known_results_are_those_of_the_page() {
        let file = include_str!("../../../RESULTS.md");
        let mut shown = 0;
        for row in Catalogue::standard().rows() {
            for known in known(row.name()).unwrap() {
                let KnownResult { game, value, nodes, seconds: spent, published, .. } = known;
                // The list of proofs is printed as it stands, with two decimals.
                let spent = match known.by {
                    "search" => seconds(spent),
                    _ => format!("{spent:.2}"),
                };
                let nodes = grouped(nodes);
                let published = published.unwrap_or("-".into());
                let line = file.lines().find(|line| match (known.by, &known.position) {
                    ("search", _) => {
                        line.starts_with(&format!("| {game} | {value} |"))
                            && line.ends_with(&format!("| {nodes} | {spent} | {published} |"))
                    }
                    (_, position) => {
                        let position = position.iter().map(|text| format!(" {text}"));
                        line.starts_with(&format!("| {game}{} |", String::from_iter(position)))
                            && line.contains(&format!(" | {value} | "))
                            && line.contains(&format!(" | {nodes} | {spent}"))
                    }
                });
                assert!(line.is_some(), "{game}: {value}, {nodes} nodes, {spent} s");
                shown += 1;
            }
        }
        let of_page =
            |line: &&str| line.starts_with("| ") && line.contains(|c: char| c.is_ascii_digit());
        assert_eq!(shown, file.lines().filter(of_page).count(), "every line of the page is shown");
    }

    #[test]
    fn every_proof_has_all_fields() {
        for line in PROOFS.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split(';').map(str::trim).collect();
            let &[what, _, _, _, value, ..] = &fields[..] else { panic!("{line}") };
            assert_eq!(fields.len(), 11, "{line}");
            assert!(matches!(value, "first" | "second" | "draw"), "{line}");
            let words: Vec<&str> = what.split(' ').collect();
            let game = Catalogue::standard().open(&words[..2].join(" ")).unwrap();
            if let Some(position) = words.get(2) {
                game.session().set_position(position).unwrap();
            }
        }
    }

    #[test]
    fn nothing_contradicts_what_is_published() {
        let (boards, records) = (boards().unwrap(), records());
        assert_eq!(contradictions(&boards, &records), Vec::<&RunRecord>::new());
        for board in &boards {
            assert_eq!(Catalogue::standard().open(&board.game).unwrap().name(), board.game);
        }
    }

    /// Solves the cheap part of the list again.
    #[test]
    fn values_are_what_the_list_says() {
        let (records, mut again) = (records(), 0);
        for board in boards().unwrap() {
            let Some(record) = newest(&records, &board).filter(|r| r.nodes < 300_000) else {
                continue;
            };
            let limits = Limits { memory: 1 << 28, ..Limits::default() };
            let found = board.case().run(&Catalogue::standard(), &limits, &|_| {}).unwrap();
            assert_eq!((found.lo, found.hi), (record.lo, record.hi), "{}", board.game);
            again += 1;
        }
        assert!(again > 50, "{again}");
    }

    #[test]
    fn kinds_and_sizes() {
        let board = |game: &str| parse(&format!("{game} : -")).unwrap().remove(0);
        assert_eq!(board("breakthrough 5x4 misere").kind(), "breakthrough misere");
        assert_eq!(board("breakthrough 5x4 misere").size(), Some((5, 4)));
        assert_eq!(board("go 3x4").kind(), "go");
        let deep = parse("knightthrough 7x6 : first with deepening").unwrap().remove(0);
        assert_eq!((deep.deepening, deep.published.as_deref()), (true, Some("first")));
        assert!(parse("nogo 3x3").is_err());
    }

    #[test]
    fn winners_form_a_grid() {
        let boards = parse("nogo 2x2 : -\nnogo 2x3 : second\nnogo 3x3 : first").unwrap();
        let of = |game, value| example(game, "alphabeta", value, 0.01);
        let records = [of("nogo 2x2", 1), of("nogo 2x3", -1), of("nogo 3x3", -1)];
        let page = page(&boards, &records);
        assert!(page.contains("       2   3\n   2   1   2\n   3       2\n"), "{page}");
        assert_eq!(contradictions(&boards, &records), [&records[2]]);
    }
}
