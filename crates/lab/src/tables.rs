//! The tables of Cazenave's *Monte Carlo Game Solver* (2020): published figures, and ours beside them.
//!
//! `data/tables.txt` holds what the source printed, a [`TableRow`] for each board. A record of ours beside
//! its row is a [`Comparison`]; these are printed, written and drawn.

use crate::run::{Case, RunRecord};
use anyhow::{Context, bail};
use serde::Serialize;
use zermelo_erased::{EngineConfig, EngineId};

/// The published tables.
const TABLES: &str = include_str!("../data/tables.txt");

/// A figure as printed.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Figure {
    /// It took this much.
    Took(f64),
    /// It was stopped unsolved after this much.
    Over(f64),
    /// The figure is lost in the text we have.
    Lost,
}

impl Figure {
    fn parse(word: &str) -> Option<Figure> {
        Some(match word.strip_prefix('>') {
            None if word == "?" => Figure::Lost,
            None => Figure::Took(word.parse().ok()?),
            Some(rest) => Figure::Over(rest.parse().ok()?),
        })
    }

    fn text(self, write: impl Fn(f64) -> String) -> String {
        match self {
            Figure::Took(n) => write(n),
            Figure::Over(n) => format!("> {}", write(n)),
            Figure::Lost => "?".into(),
        }
    }
}

/// What the source says of one algorithm.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Published {
    /// The algorithm: `pn2`, `id-ab-tt`, `ab-tt`, `id-ab-tt-mc`, `ab-tt-mc`.
    pub algorithm: String,
    /// Moves played in the search.
    pub moves: Figure,
    /// Seconds.
    pub seconds: Figure,
}

/// A row: a board, who wins, and what each algorithm took.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TableRow {
    /// The game with its parameters, as we open it.
    pub game: String,
    /// Who wins: `first` or `second`.
    pub winner: String,
    /// Whether our own solver deepens step by step on this row.
    pub deepening: bool,
    /// Playouts of our own solver on this row.
    pub playouts: u64,
    /// The source's figures.
    pub published: Vec<Published>,
}

impl TableRow {
    /// The quickest published solution; `None` where its figure is lost.
    #[must_use]
    pub fn best(&self) -> Option<f64> {
        let took = self.published.iter().filter_map(|p| match p.seconds {
            Figure::Took(seconds) => Some(seconds),
            _ => None,
        });
        took.min_by(f64::total_cmp)
    }

    /// Our own solver with this row's settings, or an algorithm of the source.
    #[must_use]
    pub fn case(&self, id: EngineId) -> Case {
        let mut engine = EngineConfig::new(id);
        if id == EngineId::AlphaBeta {
            let deepening = if self.deepening { "yes" } else { "no" };
            engine = engine.with("deepening", deepening).with("playouts", self.playouts);
        }
        Case { game: self.game.clone(), engine }
    }
}

/// All rows of the source.
pub fn rows() -> anyhow::Result<Vec<TableRow>> {
    parse(TABLES)
}

fn parse(text: &str) -> anyhow::Result<Vec<TableRow>> {
    let mut rows: Vec<TableRow> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let bad = || format!("bad table at line {}: '{line}'", i + 1);
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if let Some((game, rest)) = line.split_once(" : ") {
            let mut words = rest.split_whitespace();
            let winner = words.next().filter(|w| ["first", "second"].contains(w));
            let mut row = TableRow {
                game: game.into(),
                winner: winner.with_context(bad)?.into(),
                deepening: false,
                playouts: 0,
                published: Vec::new(),
            };
            while let Some(word) = words.next() {
                match word {
                    "with" => {}
                    "deepening" => row.deepening = true,
                    "playouts" => {
                        row.playouts =
                            words.next().and_then(|n| n.parse().ok()).with_context(bad)?;
                    }
                    _ => bail!(bad()),
                }
            }
            rows.push(row);
        } else {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [algorithm, moves, seconds] = words[..] else { bail!(bad()) };
            rows.last_mut().with_context(bad)?.published.push(Published {
                algorithm: algorithm.into(),
                moves: Figure::parse(moves).with_context(bad)?,
                seconds: Figure::parse(seconds).with_context(bad)?,
            });
        }
    }
    Ok(rows)
}

/// A record beside what was published.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The row.
    pub row: TableRow,
    /// Our run.
    pub record: RunRecord,
    /// The published figures of the same algorithm; for our own solver, of the quickest.
    pub beside: Option<Published>,
    /// How many times fewer seconds, if both solved it.
    pub speedup: Option<f64>,
}

impl Comparison {
    /// Puts a record beside its row.
    #[must_use]
    pub fn new(row: &TableRow, id: EngineId, record: RunRecord) -> Comparison {
        let same = |p: &&Published| p.algorithm == id.word();
        let best = row.best();
        let quickest = |p: &&Published| match p.seconds {
            Figure::Took(seconds) => Some(seconds) == best,
            _ => false,
        };
        let beside = match id {
            EngineId::AlphaBeta => row.published.iter().find(quickest),
            _ => row.published.iter().find(same),
        };
        let speedup = match beside.map(|p| p.seconds) {
            Some(Figure::Took(seconds)) if record.solved => {
                Some(seconds / record.cpu_seconds.max(1e-4))
            }
            _ => None,
        };
        Comparison { row: row.clone(), record, beside: beside.cloned(), speedup }
    }

    /// Whether our value is another than the published one: the worst that can happen.
    #[must_use]
    pub fn contradicts(&self) -> bool {
        self.record.solved && self.record.value() != self.row.winner
    }
}

/// The comparisons as a table in Markdown, with a line of totals for our own solver.
#[must_use]
pub fn markdown(comparisons: &[Comparison]) -> String {
    let mut text = String::from(
        "| game | winner | by | nodes | judged | user s | published: moves | seconds | by | faster |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for c in comparisons {
        let r = &c.record;
        let winner = match (r.solved, c.contradicts()) {
            (false, _) => format!("not solved ({})", r.stop),
            (true, false) => r.value(),
            (true, true) => format!("**{}, published {}**", r.value(), c.row.winner),
        };
        let (moves, seconds, by) = match &c.beside {
            Some(p) => {
                (p.moves.text(|n| grouped(n as u64)), p.seconds.text(seconds), p.algorithm.clone())
            }
            None => ("?".into(), "?".into(), String::new()),
        };
        let faster = c.speedup.map_or(String::new(), |times| match times {
            t if t >= 100.0 => grouped(t.round() as u64),
            t => format!("{t:.1}"),
        });
        text += &format!(
            "| {} | {winner} | {} | {} | {} | {} | {moves} | {seconds} | {by} | {faster} |\n",
            r.game,
            r.method,
            grouped(r.nodes),
            grouped(r.evaluations),
            self::seconds(r.cpu_seconds),
        );
    }
    text
}

/// One line on how it went: rows, contradictions, CPU seconds against the published ones.
#[must_use]
pub fn summary(comparisons: &[Comparison]) -> String {
    let solved: Vec<&Comparison> = comparisons.iter().filter(|c| c.record.solved).collect();
    let ours: f64 = comparisons.iter().map(|c| c.record.cpu_seconds).sum();
    let both = solved.iter().filter(|c| c.speedup.is_some());
    let (theirs, same): (f64, f64) = both.fold((0.0, 0.0), |(theirs, same), c| {
        (
            theirs + c.speedup.unwrap_or(0.0) * c.record.cpu_seconds.max(1e-4),
            same + c.record.cpu_seconds,
        )
    });
    let wrong = comparisons.iter().filter(|c| c.contradicts()).count();
    let mut text = format!(
        "{} of {} runs solved in {} s of CPU time; {} s where the source took {} s.",
        solved.len(),
        comparisons.len(),
        seconds(ours),
        seconds(same),
        seconds(theirs),
    );
    if wrong > 0 {
        text += &format!(" {wrong} CONTRADICT the published winner.");
    }
    text + "\n"
}

/// Seconds with three digits or so.
#[must_use]
pub fn seconds(s: f64) -> String {
    match s {
        s if s < 0.1 => format!("{s:.3}"),
        s if s < 100.0 => format!("{s:.2}"),
        s => grouped(s.round() as u64),
    }
}

/// A number in groups of three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(|g| String::from_utf8_lossy(g)).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example;

    #[test]
    fn the_published_tables_are_read() {
        let rows = rows().unwrap();
        assert_eq!(rows.len(), 15);
        for row in &rows {
            assert!(zermelo_erased::Catalogue::standard().open(&row.game).is_ok(), "{}", row.game);
            assert_eq!(
                zermelo_erased::Catalogue::standard().open(&row.game).unwrap().name(),
                row.game
            );
        }
        let total: f64 = rows.iter().filter_map(TableRow::best).sum();
        assert!((total - 114_800.0).abs() < 500.0, "the source took {total} s in all");
        let nogo = rows.iter().find(|r| r.game == "nogo 5x4").unwrap();
        assert_eq!(nogo.best(), Some(74.77));
        assert_eq!(nogo.published[0].moves, Figure::Over(101_140_000_000.0));
    }

    #[test]
    fn bad_tables_are_refused() {
        for text in ["a 3x3 : third", "  ab-tt 1 2", "a : first\n ab-tt 1", "a : first with x"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn figures_stand_beside_ours() {
        let rows = rows().unwrap();
        let row = rows.iter().find(|r| r.game == "nogo 5x4").unwrap();
        let ours =
            Comparison::new(row, EngineId::AlphaBeta, example("nogo 5x4", "alphabeta", 1, 0.5));
        assert_eq!(ours.beside.as_ref().unwrap().algorithm, "ab-tt-mc");
        assert!((ours.speedup.unwrap() - 149.54).abs() < 0.01);
        assert!(!ours.contradicts());
        let same = Comparison::new(row, EngineId::AbTt, example("nogo 5x4", "ab-tt", -1, 0.5));
        assert_eq!(same.beside.as_ref().unwrap().algorithm, "ab-tt");
        assert!(same.contradicts());
        let text = markdown(&[ours.clone(), same.clone()]);
        assert!(text.contains("| nogo 5x4 | first | alphabeta | 1,000 | 2,000 | 0.50 | 33,850,535 | 74.77 | ab-tt-mc | 150 |"), "{text}");
        assert!(text.contains("**second, published first**"), "{text}");
        assert!(summary(&[ours, same]).contains("1 CONTRADICT"));
    }
}
