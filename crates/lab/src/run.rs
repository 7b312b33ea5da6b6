//! One measured run.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use zermelo_any::{How, Observer};
use zermelo_game::{Bounds, Limits, ParseError, Player, Stop};

/// A game to solve from its start, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The game's name with its parameters.
    pub game: String,
    /// The solver and its settings.
    pub how: How,
}

impl Case {
    /// The solver's name, and its settings where they differ from its own: `alphabeta, deepening`.
    #[must_use]
    pub fn method(&self) -> String {
        let (how, own) = (&self.how, How::new(self.how.by));
        let mut words = vec![how.by.word().to_owned()];
        if how.deepening != own.deepening {
            words.push("deepening".into());
        }
        if how.playouts != own.playouts {
            words.push(format!("{} playouts", how.playouts));
        }
        if how.without != own.without {
            words.push(format!("without {}", how.without.words().join(" and ")));
        }
        if let (Some(entries), true) = (how.table_entries, how.table_entries != own.table_entries) {
            words.push(format!("{entries} entries"));
        }
        if how.threads != own.threads {
            words.push(format!("{} threads", how.threads));
        }
        words.join(", ")
    }

    /// Solves the game, or tries to.
    pub fn run(&self, limits: &Limits, observer: Observer) -> Result<Record, ParseError> {
        let (cpu, clock) = (cpu_time(), Instant::now());
        let game = zermelo_any::open(&self.game)?;
        let report = game.session().solve(&self.how, limits, observer);
        Ok(Record {
            game: game.name(),
            method: self.method(),
            scores: game.values().hi > 1,
            lo: report.bounds.lo,
            hi: report.bounds.hi,
            solved: report.stop == Stop::Solved,
            stop: report.stop.word().into(),
            best: report.best,
            nodes: report.stats.nodes,
            evaluations: report.stats.evaluations,
            playouts: report.stats.playouts,
            playout_seconds: report.stats.playout_time.as_secs_f64(),
            cpu_seconds: cpu_time().saturating_sub(cpu).as_secs_f64(),
            seconds: clock.elapsed().as_secs_f64(),
            table_bytes: report.stats.table_bytes,
            limit_seconds: limits.time.map(|time| time.as_secs_f64()),
            version: env!("CARGO_PKG_VERSION").into(),
        })
    }
}

/// What a run found and cost.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The game's name with its parameters.
    pub game: String,
    /// See [`Case::method`].
    pub method: String,
    /// Whether values are scores, not just wins, draws and losses.
    pub scores: bool,
    /// The value is at least this.
    pub lo: i16,
    /// The value is at most this.
    pub hi: i16,
    /// Whether the value is known.
    pub solved: bool,
    /// Why the search ended.
    pub stop: String,
    /// The best first move, if it is known.
    pub best: Option<String>,
    /// Positions the search entered.
    pub nodes: u64,
    /// Positions judged by the game's knowledge without being entered.
    pub evaluations: u64,
    /// Monte-Carlo playouts before the search.
    pub playouts: u64,
    /// Wall-clock time of the playouts, part of `seconds`.
    pub playout_seconds: f64,
    /// User CPU time of the whole run, playouts and the building of tables included.
    pub cpu_seconds: f64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Size of the transposition table at the end.
    pub table_bytes: u64,
    /// The time limit, if there was one.
    pub limit_seconds: Option<f64>,
    /// The program's version.
    pub version: String,
}

impl Record {
    /// The bounds in a word: `first`, `second`, `draw`, a score, or `open`.
    #[must_use]
    pub fn value(&self) -> String {
        let bounds = Bounds { lo: self.lo, hi: self.hi };
        match (bounds.winner(), bounds.value()) {
            (_, Some(score)) if self.scores => score.to_string(),
            _ if !self.solved => "open".into(),
            (Some(Some(Player::First)), _) => "first".into(),
            (Some(Some(Player::Second)), _) => "second".into(),
            (Some(None), _) => "draw".into(),
            (None, _) => "open".into(),
        }
    }
}

/// User CPU time of this process so far, over all threads.
#[must_use]
pub fn cpu_time() -> Duration {
    match getrusage(UsageWho::RUSAGE_SELF) {
        Ok(usage) => Duration::from_micros(usage.user_time().num_microseconds().unsigned_abs()),
        Err(_) => Duration::ZERO,
    }
}

#[cfg(test)]
pub(crate) fn example(game: &str, method: &str, value: i16, cpu_seconds: f64) -> Record {
    Record {
        game: game.into(),
        method: method.into(),
        scores: false,
        lo: value,
        hi: value,
        solved: true,
        stop: "solved".into(),
        best: Some("a1".into()),
        nodes: 1_000,
        evaluations: 2_000,
        playouts: 0,
        playout_seconds: 0.0,
        cpu_seconds,
        seconds: cpu_seconds,
        table_bytes: 1 << 20,
        limit_seconds: None,
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_any::By;

    #[test]
    fn methods_have_names() {
        let mut case = Case { game: "tictactoe".into(), how: How::default() };
        assert_eq!(case.method(), "alphabeta");
        case.how.deepening = true;
        case.how.without.symmetry = true;
        case.how.without.order = true;
        assert_eq!(case.method(), "alphabeta, deepening, without symmetry and order");
        let how = How { playouts: 500, ..How::new(By::AbTtMc) };
        assert_eq!(Case { how, ..case }.method(), "ab-tt-mc, 500 playouts");
    }

    #[test]
    fn a_run_tells_value_and_cost() {
        let case = Case { game: "nogo 3x3".into(), how: How::default() };
        let limits = Limits { memory: 1 << 20, ..Limits::default() };
        let record = case.run(&limits, &|_| {}).unwrap();
        assert_eq!((record.value().as_str(), record.solved), ("first", true));
        assert!(record.nodes > 0 && record.seconds > 0.0);
        let stopped = case.run(&Limits { nodes: Some(1), ..limits }, &|_| {}).unwrap();
        assert_eq!((stopped.value().as_str(), stopped.solved), ("open", false));
        assert!(Case { game: "nogo 3y3".into(), ..case }.run(&Limits::default(), &|_| {}).is_err());
    }

    #[test]
    fn cpu_time_grows() {
        let before = cpu_time();
        let mut x = 1u64;
        while cpu_time() == before {
            (0..100_000).for_each(|i| x = std::hint::black_box(x.wrapping_mul(i | 1)));
        }
        assert!(cpu_time() > before);
    }
}
