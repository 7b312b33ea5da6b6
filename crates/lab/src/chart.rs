//! A picture of the tables: seconds on a logarithmic axis, a row for each board.

use crate::tables::{Comparison, Figure};
use std::fmt::Write;

const LEFT: f64 = 190.0;
const WIDTH: f64 = 620.0;
const TOP: f64 = 46.0;
const STEP: f64 = 26.0;
/// The axis runs from a millisecond to a day and a bit.
const FROM: f64 = -3.0;
const TO: f64 = 5.0;

/// The comparisons of our own solver as SVG: published seconds by algorithm, ours, and a line from
/// ours to the quickest of theirs.
#[must_use]
pub fn svg(comparisons: &[Comparison]) -> String {
    let bottom = TOP + STEP * comparisons.len() as f64;
    let (width, height) = (LEFT + WIDTH + 30.0, bottom + 62.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\">Seconds to solve, one core</text>\n"
    );
    for power in FROM as i32..=TO as i32 {
        let x = place(10f64.powi(power));
        let label = label(power);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{label}</text>",
            bottom + 18.0
        );
    }
    for (i, c) in comparisons.iter().enumerate() {
        let y = TOP + STEP * (i as f64 + 0.5);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 10.0,
            y + 4.5,
            c.row.game
        );
        let ours = place(c.record.cpu_seconds);
        if let (Some(best), true) = (c.row.best(), c.record.solved) {
            let x = place(best);
            let _ = writeln!(
                out,
                "<line x1=\"{ours:.1}\" y1=\"{y:.1}\" x2=\"{x:.1}\" y2=\"{y:.1}\" stroke=\"#1a7f5a\" \
                 stroke-width=\"2\" stroke-opacity=\"0.35\"/>"
            );
        }
        for p in &c.row.published {
            let (seconds, fill) = match p.seconds {
                Figure::Took(seconds) => (seconds, "#888"),
                Figure::Over(seconds) => (seconds, "none"),
                Figure::Lost => continue,
            };
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"#888\">\
                 <title>{}: {}{seconds} s</title></circle>",
                place(seconds),
                p.algorithm,
                if fill == "none" { "more than " } else { "" },
            );
        }
        let fill = if c.record.solved { "#1a7f5a" } else { "none" };
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{fill}\" stroke=\"#1a7f5a\">\
             <title>{}: {:.3} s</title></rect>",
            ours - 5.0,
            y - 5.0,
            c.record.method,
            c.record.cpu_seconds,
        );
    }
    let y = bottom + 44.0;
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"#1a7f5a\"/>\
         <text x=\"{:.1}\" y=\"{y:.1}\">zermelo (user CPU)</text>\
         <circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#888\"/>\
         <text x=\"{:.1}\" y=\"{y:.1}\">published, one for each algorithm; hollow: stopped unsolved</text>\n</svg>",
        y - 9.5,
        LEFT + 16.0,
        LEFT + 170.0,
        y - 4.5,
        LEFT + 182.0,
    );
    out
}

/// A power of ten of seconds, from milliseconds on, as an axis names it.
pub(crate) fn label(power: i32) -> String {
    match power {
        ..0 => format!("{} ms", 10i32.pow((3 + power) as u32)),
        _ => format!("{} s", 10i32.pow(power as u32)),
    }
}

/// Where a number of seconds lies on the axis.
fn place(seconds: f64) -> f64 {
    let power = seconds.max(1e-9).log10().clamp(FROM, TO);
    LEFT + WIDTH * (power - FROM) / (TO - FROM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example;
    use crate::tables::rows;
    use zermelo_erased::EngineId;

    #[test]
    fn the_axis_is_logarithmic() {
        let step = place(10.0) - place(1.0);
        assert!((place(100.0) - place(10.0) - step).abs() < 1e-9);
        assert_eq!((place(0.0), place(1e9)), (LEFT, LEFT + WIDTH));
    }

    #[test]
    fn every_row_has_its_marks() {
        let rows = rows().unwrap();
        let record = |game: &str| example(game, "alphabeta", 1, 0.5);
        let all: Vec<_> = rows
            .iter()
            .map(|row| Comparison::new(row, EngineId::AlphaBeta, record(&row.game)))
            .collect();
        let text = svg(&all);
        assert_eq!(text.matches("<rect x=").count(), rows.len() + 1);
        assert!(text.contains("ab-tt-mc: 74.77 s") && text.contains("pn2: more than 86400 s"));
        assert!(text.ends_with("</svg>\n"));
    }
}
