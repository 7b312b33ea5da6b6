//! The live line of a running search, on a terminal only.

use crate::units::{rounded, time};
use console::{Term, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use zermelo_game::Progress;

/// The line; it vanishes when the search is over.
pub struct Live {
    bar: ProgressBar,
}

impl Live {
    /// A line on standard error, or none where that is not a terminal.
    #[must_use]
    pub fn new() -> Live {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style.tick_chars("|/-\\ "));
        }
        Live { bar }
    }

    /// Shows how far the search is.
    pub fn show(&self, progress: &Progress<String>) {
        if !self.bar.is_hidden() {
            // Room for the spinner and for the ^C that a terminal echoes: a line that wraps could
            // not be cleared.
            let width = usize::from(Term::stderr().size().1).saturating_sub(6);
            self.bar.set_message(truncate_str(&line(progress), width, "...").into_owned());
            self.bar.tick();
        }
    }
}

impl Default for Live {
    fn default() -> Live {
        Live::new()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn line(progress: &Progress<String>) -> String {
    let stats = &progress.stats;
    let speed = stats.nodes as f64 / stats.elapsed.as_secs_f64().max(1e-3);
    let mut out = format!(
        "{}  {} nodes  {}/s  depth {}",
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
        });
        assert_eq!(
            line,
            "3.00 s  30.0 million nodes  10.0 million/s  depth 17  table 12 %  value -1..1  b2 a1"
        );
    }
}
