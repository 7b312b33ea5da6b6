//! The live line of a running search, on a terminal only.
//!
//! The cursor waits on the line below it. So the `^C` that a terminal echoes spoils nothing, and a
//! run that is killed without a chance to say anything leaves the last state as a line of its own.

use crate::settings;
use crate::units::{rounded, time};
use console::{Term, truncate_str};
use std::io;
use std::sync::{Mutex, PoisonError};
use zermelo_game::outside::printable;
use zermelo_game::{Bounds, Progress};

/// The line; it vanishes when the search is over.
#[derive(Debug)]
pub struct Live {
    /// `None` where there is no terminal to draw on.
    term: Option<Term>,
    drawn: Mutex<bool>,
    /// The values that the game can have, if they are known.
    all: Option<Bounds>,
}

impl Live {
    /// A line on standard error, or none where that is not a terminal or nobody wants one (`--quiet`).
    #[must_use]
    pub fn new() -> Live {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = !dumb && !settings::is_quiet();
        let term = Some(Term::stderr()).filter(|term| wanted && term.is_term());
        Live { term, drawn: Mutex::new(false), all: None }
    }

    /// The same for a search of a game that can have these values.
    #[must_use]
    pub fn of(all: Bounds) -> Live {
        let mut live = Live::new();
        live.all = Some(all);
        live
    }

    /// Shows how far the search is.
    pub fn show(&self, progress: &Progress<String>) {
        if self.term.is_some() {
            self.say(&line(progress, self.all));
        }
    }

    /// Shows some words.
    pub fn say(&self, words: &str) {
        if let Some(term) = &self.term {
            let words = &*printable(words);
            // A line that wraps could not be cleared.
            let width = usize::from(term.size().1).saturating_sub(1);
            // Nothing is lost if a terminal cannot be written to.
            let _ = self.redraw(term, Some(&truncate_str(words, width, "...")));
        }
    }

    fn redraw(&self, term: &Term, line: Option<&str>) -> io::Result<()> {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if *drawn {
            term.clear_line()?;
            term.clear_last_lines(1)?;
        }
        *drawn = line.is_some();
        line.map_or(Ok(()), |line| term.write_line(line))
    }
}

impl Default for Live {
    fn default() -> Live {
        Live::new()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(term) = &self.term {
            let _ = self.redraw(term, None);
        }
    }
}

fn line(progress: &Progress<String>, all: Option<Bounds>) -> String {
    let stats = &progress.stats;
    let speed = stats.nodes as f64 / stats.elapsed.as_secs_f64().max(1e-3);
    let mut out = format!(
        "searching {}  {} nodes  {}/s  depth {}",
        time(stats.elapsed),
        rounded(stats.nodes as f64),
        rounded(speed),
        stats.depth
    );
    if stats.table_bytes > 0 {
        let percent = f64::from(stats.table_permille) / 10.0;
        out += &format!("  table {percent:.0} %");
    }
    out += &match progress.bounds {
        bounds if all == Some(bounds) => "  nothing known yet".to_owned(),
        bounds => format!("  value {bounds}"),
    };
    if !progress.line.is_empty() {
        out += &format!("  {}", progress.line.join(" "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use zermelo_game::Stats;

    #[test]
    fn the_line_holds_what_one_wants_to_know() {
        let stats = Stats {
            nodes: 30_000_000,
            depth: 17,
            table_bytes: 1,
            table_permille: 123,
            elapsed: Duration::from_secs(3),
            ..Stats::default()
        };
        let all = Some(Bounds::new(-1, 1));
        let line = |bounds| {
            let line = vec!["b2".into(), "a1".into()];
            super::line(&Progress { bounds, stats, line, proof: None }, all)
        };
        assert_eq!(
            line(Bounds::new(0, 1)),
            "searching 3.00 s  30.0 million nodes  10.0 million/s  depth 17  table 12 %  value 0..1  b2 a1"
        );
        assert!(line(Bounds::new(-1, 1)).ends_with("  nothing known yet  b2 a1"));
    }
}
