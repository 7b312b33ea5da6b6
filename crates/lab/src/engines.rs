//! All engines on a common suite: who solves how much, and at what cost?

use crate::chart::label;
use crate::run::{Case, RunRecord};
use crate::tables::{grouped, seconds};
use std::fmt::Write;
use zermelo_erased::{EngineConfig, EngineId};

/// The engines that are compared; the last is the portfolio.
pub const ENGINES: [EngineId; 7] = [
    EngineId::AlphaBeta,
    EngineId::Dfpn,
    EngineId::Pn2,
    EngineId::Pns,
    EngineId::Pp,
    EngineId::MonteCarlo,
    EngineId::Auto,
];

/// Times below this, in seconds, are not compared: they are all noise and preparation.
const NOISE: f64 = 0.05;

/// The positions, as names of games.
#[must_use]
pub fn suite() -> Vec<&'static str> {
    let lines = include_str!("../data/suite.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn case(game: &str, id: EngineId) -> Case {
    Case { game: game.to_owned(), engine: EngineConfig::new(id) }
}

/// All runs, position by position.
#[must_use]
pub fn cases(positions: &[&str]) -> Vec<Case> {
    positions.iter().flat_map(|game| ENGINES.map(|id| case(game, id))).collect()
}

/// What every engine did with one position, in the order of [`ENGINES`].
#[derive(Debug)]
pub struct EngineRow<'r> {
    /// The position.
    pub game: &'r str,
    /// The runs.
    pub runs: [Option<&'r RunRecord>; ENGINES.len()],
}

/// The runs by position. `find` gives the record of a case.
pub fn rows<'r>(
    positions: &[&'r str],
    find: impl Fn(&Case) -> Option<&'r RunRecord>,
) -> Vec<EngineRow<'r>> {
    let runs = |game: &str| ENGINES.map(|id| find(&case(game, id)));
    positions.iter().map(|game| EngineRow { game, runs: runs(game) }).collect()
}

fn solved(run: Option<&RunRecord>) -> Option<&RunRecord> {
    run.filter(|record| record.solved)
}

/// How many times the quicker of its members the portfolio took, at worst, and where.
#[must_use]
pub fn worst_of_auto<'r>(rows: &[EngineRow<'r>]) -> Option<(f64, &'r str)> {
    let times = rows.iter().filter_map(|row| {
        let time = |i: usize| solved(row.runs[i]).map(|r| r.cpu_seconds.max(NOISE));
        let members = [time(0), time(1)].into_iter().flatten();
        let best = members.fold(f64::INFINITY, f64::min);
        let auto = time(ENGINES.len() - 1)?;
        best.is_finite().then_some((auto / best, row.game))
    });
    times.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Nodes and user seconds of every engine, a line for each position, and how many each solved.
#[must_use]
pub fn markdown(rows: &[EngineRow]) -> String {
    let mut text = String::from("| position | value |");
    ENGINES.iter().for_each(|id| text += &format!(" {} |", id.word()));
    text += &format!("\n|{}\n", "---|".repeat(ENGINES.len() + 2));
    for row in rows {
        let value =
            row.runs.iter().find_map(|run| solved(*run)).map_or("open".into(), RunRecord::value);
        let _ = write!(text, "| {} | {value} |", row.game);
        for run in row.runs {
            text += &match run {
                None => " |".into(),
                Some(r) if r.solved => {
                    format!(" {} in {} s |", grouped(r.nodes), seconds(r.cpu_seconds))
                }
                Some(r) => format!(" {} |", r.stop),
            };
        }
        text.push('\n');
    }
    text += "| **solved** | |";
    for i in 0..ENGINES.len() {
        let runs = rows.iter().filter_map(|row| solved(row.runs[i]));
        let (count, time) = runs.fold((0, 0.0), |(n, t), r| (n + 1, t + r.cpu_seconds));
        let _ = write!(text, " {count} in {} s |", seconds(time));
    }
    text.push('\n');
    if let Some((times, game)) = worst_of_auto(rows) {
        let _ = write!(
            text,
            "\nThe portfolio took at worst {times:.2} times as long as the quicker of its members \
             ({game}; times below {NOISE} s count as {NOISE} s).\n"
        );
    }
    text
}

const LEFT: f64 = 60.0;
const WIDTH: f64 = 640.0;
const TOP: f64 = 46.0;
const HEIGHT: f64 = 320.0;
/// The axis runs from a millisecond to a hundred seconds.
const FROM: f64 = -3.0;
const TO: f64 = 2.0;
const COLOURS: [&str; ENGINES.len()] =
    ["#1a7f5a", "#b5521b", "#6f4fa3", "#2f6db5", "#a8327a", "#8a7a1f", "#222222"];

/// How many positions each engine solves within how many seconds.
#[must_use]
pub fn svg(rows: &[EngineRow]) -> String {
    let (width, height) = (LEFT + WIDTH + 150.0, TOP + HEIGHT + 50.0);
    let place = |seconds: f64| {
        LEFT + WIDTH * (seconds.max(1e-9).log10().clamp(FROM, TO) - FROM) / (TO - FROM)
    };
    let up = |count: usize| TOP + HEIGHT * (1.0 - count as f64 / rows.len().max(1) as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\">Positions solved within so many \
         seconds, one core</text>\n"
    );
    for power in FROM as i32..=TO as i32 {
        let x = place(10f64.powi(power));
        let label = label(power);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{label}</text>",
            TOP + HEIGHT,
            TOP + HEIGHT + 18.0
        );
    }
    for count in (0..=rows.len()).step_by(10) {
        let y = up(count);
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#eee\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{count}</text>",
            LEFT + WIDTH,
            LEFT - 8.0,
            y + 4.5
        );
    }
    let mut ends = Vec::new();
    for (i, id) in ENGINES.iter().enumerate() {
        let runs = rows.iter().filter_map(|row| solved(row.runs[i]));
        let mut times: Vec<f64> = runs.map(|r| r.cpu_seconds).collect();
        times.sort_by(f64::total_cmp);
        let mut path = format!("M{LEFT:.1},{:.1}", up(0));
        for (n, &time) in times.iter().enumerate() {
            let _ = write!(path, " H{:.1} V{:.1}", place(time), up(n + 1));
        }
        let _ = write!(path, " H{:.1}", LEFT + WIDTH);
        let dash = if *id == EngineId::Auto { " stroke-dasharray=\"6 3\"" } else { "" };
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{dash}><title>{}: {}</title></path>",
            COLOURS[i],
            id.word(),
            times.len()
        );
        ends.push((times.len(), i));
    }
    // Names at the ends of the lines, kept apart.
    ends.sort();
    let mut low = f64::INFINITY;
    for (count, i) in ends {
        let y = (up(count) + 4.5).min(low - 15.0);
        low = y;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{}\">{} ({count})</text>",
            LEFT + WIDTH + 8.0,
            COLOURS[i],
            ENGINES[i].word(),
        );
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example;

    #[test]
    fn the_suite_opens() {
        let suite = suite();
        assert_eq!(suite.len(), 60);
        for name in suite {
            let game =
                zermelo_erased::Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(game.name(), name);
            for case in cases(&[name]) {
                assert_eq!(game.accepts(&case.engine), Ok(()), "{name}");
            }
        }
    }

    #[test]
    fn a_table_and_a_picture() {
        let runs = [
            example("tictactoe", "alphabeta", 1, 0.1),
            example("tictactoe", "dfpn", 1, 0.3),
            RunRecord { solved: false, ..example("tictactoe", "pns", 1, 1.0) },
            example("tictactoe", "auto", 1, 0.15),
        ];
        let find = |case: &Case| runs.iter().find(|r| r.method == case.method());
        let rows = rows(&["tictactoe"], find);
        let text = markdown(&rows);
        assert!(text.contains("| 1,000 in 0.10 s | 1,000 in 0.30 s |"), "{text}");
        assert!(text.contains("1.50 times as long"), "{text}");
        assert!(text.contains("| **solved** | | 1 in 0.10 s | 1 in 0.30 s | 0 in"), "{text}");
        let picture = svg(&rows);
        assert_eq!(picture.matches("<path").count(), ENGINES.len());
        assert!(picture.contains("auto (1)") && picture.contains("pns (0)"));
    }
}
