//! The live line of a running search, on a terminal only.
//!
//! The cursor waits on the line below it. So the `^C` that a terminal echoes spoils nothing, and a
//! run that is killed without a chance to say anything leaves the last state as a line of its own.

use crate::units::{rounded, time};
use console::{Term, truncate_str};
use std::io;
use std::sync::{Mutex, PoisonError};
use zermelo_game::Progress;

/// The line; it vanishes when the search is over.
#[derive(Debug)]
pub struct Live {
    /// `None` where there is no terminal to draw on.
    term: Option<Term>,
    drawn: Mutex<bool>,
}

impl Live {
    /// A line on standard error, or none where that is not a terminal.
    #[must_use]
    pub fn new() -> Live {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let term = Some(Term::stderr()).filter(|term| term.is_term() && !dumb);
        Live { term, drawn: Mutex::new(false) }
    }

    /// Shows how far the search is.
    pub fn show(&self, progress: &Progress<String>) {
        if self.term.is_some() {
            self.say(&line(progress));
        }
    }

    /// Shows some words.
    pub fn say(&self, words: &str) {
        if let Some(term) = &self.term {
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

fn line(progress: &Progress<String>) -> String {
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
    out += &format!("  value {}", progress.bounds);
    if !progress.line.is_empty() {
        out += &format!("  {}", progress.line.join(" "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use zermelo_game::{Bounds, Stats};

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
        let line = line(&Progress {
            bounds: Bounds::new(-1, 1),
            stats,
            line: vec!["b2".into(), "a1".into()],
            proof: None,
        });
        assert_eq!(
            line,
            "searching 3.00 s  30.0 million nodes  10.0 million/s  depth 17  table 12 %  value -1..1  b2 a1"
        );
    }
}
