//! One measured run.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use zermelo_erased::{Catalogue, EngineConfig, Observer};
use zermelo_game::{Bounds, Limits, ParseError, Player, Stop};

/// A game to solve from its start, and by which engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The game's name with its parameters.
    pub game: String,
    /// The engine with its settings.
    pub engine: EngineConfig,
}

impl Case {
    /// The engine's name, and its settings where they differ from its own: `alphabeta, deepening`. Journals know runs by
    /// this text, so it must stay what it is for each setting.
    #[must_use]
    pub fn method(&self) -> String {
        let own = EngineConfig::new(self.engine.id());
        let options = self.engine.options().into_iter();
        let changed =
            options.filter(|option| own.get(option.name).as_ref() != Some(&option.default));
        let mut words: Vec<(usize, String)> =
            changed.map(|option| setting(option.name, &option.default)).collect();
        words.sort_by_key(|&(rank, _)| rank);
        let words = words.into_iter().map(|(_, text)| text);
        std::iter::once(own.id().word().to_owned()).chain(words).collect::<Vec<_>>().join(", ")
    }

    /// Solves the game of a catalogue, or tries to.
    pub fn run(
        &self,
        catalogue: &Catalogue,
        limits: &Limits,
        observer: Observer,
    ) -> Result<RunRecord, ParseError> {
        let (cpu, clock) = (cpu_time(), Instant::now());
        let game = catalogue.open(&self.game)?;
        let report = game.session().solve(&self.engine, limits, observer);
        Ok(RunRecord {
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

/// A setting in words, with its place among others.
fn setting(name: &str, value: &str) -> (usize, String) {
    match (name, value) {
        ("deepening", "yes") => (0, "deepening".into()),
        ("playouts", _) => (1, format!("{value} playouts")),
        ("without", parts) if parts != "nothing" => {
            (2, format!("without {}", parts.replace('+', " and ")))
        }
        ("table-entries", entries) if entries != "none" => (3, format!("{entries} entries")),
        ("threads", _) => (4, format!("{value} threads")),
        _ => (5, format!("{name}={value}")),
    }
}

/// What a run found and cost.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunRecord {
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

impl RunRecord {
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
pub(crate) fn example(game: &str, method: &str, value: i16, cpu_seconds: f64) -> RunRecord {
    RunRecord {
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

    fn case(game: &str, engine: &str) -> Case {
        Case { game: game.into(), engine: engine.parse().unwrap() }
    }

    /// Journals were written with these words.
    #[test]
    fn methods_have_names() {
        for (engine, method) in [
            ("alphabeta", "alphabeta"),
            ("alphabeta:deepening=yes", "alphabeta, deepening"),
            ("alphabeta:playouts=500", "alphabeta, 500 playouts"),
            ("alphabeta:playouts=10k,deepening=yes", "alphabeta, deepening, 10000 playouts"),
            ("alphabeta:without=knowledge", "alphabeta, without knowledge"),
            ("alphabeta:without=symmetry+order", "alphabeta, without symmetry and order"),
            (
                "alphabeta:without=order+symmetry,deepening=yes",
                "alphabeta, deepening, without symmetry and order",
            ),
            (
                "alphabeta:without=knowledge+symmetry+order",
                "alphabeta, without knowledge and symmetry and order",
            ),
            ("alphabeta:playouts=10k,without=order", "alphabeta, 10000 playouts, without order"),
            ("alphabeta:table-entries=4096", "alphabeta, 4096 entries"),
            ("alphabeta:threads=2", "alphabeta, 2 threads"),
            (
                "alphabeta:threads=2,table-entries=64,without=order,playouts=7,deepening=yes",
                "alphabeta, deepening, 7 playouts, without order, 64 entries, 2 threads",
            ),
            ("auto:threads=2", "auto, 2 threads"),
            ("dfpn:threads=2,playouts=500", "dfpn, 500 playouts, 2 threads"),
            ("ab-tt", "ab-tt"),
            ("id-ab-tt-mc", "id-ab-tt-mc"),
            ("ab-tt-mc:playouts=500", "ab-tt-mc, 500 playouts"),
        ] {
            assert_eq!(case("tictactoe", engine).method(), method, "{engine}");
        }
    }

    #[test]
    fn other_settings_are_told_by_name_and_value() {
        for (engine, method) in [
            ("dfpn:epsilon=1/8,sum=weak", "dfpn, sum=weak, epsilon=1/8"),
            ("alphabeta:seed=7,threads=2", "alphabeta, 2 threads, seed=7"),
            ("alphabeta:table-plies=0,learning=no", "alphabeta, learning=no, table-plies=0"),
            ("id-ab-tt:deepening=no", "id-ab-tt, deepening=no"),
            (
                "ab-tt:table-entries=none,without=nothing",
                "ab-tt, table-entries=none, without=nothing",
            ),
        ] {
            assert_eq!(case("tictactoe", engine).method(), method, "{engine}");
        }
    }

    #[test]
    fn a_run_tells_value_and_cost() {
        let ours = Catalogue::standard();
        let case = case("nogo 3x3", "alphabeta");
        let limits = Limits { memory: 1 << 20, ..Limits::default() };
        let record = case.run(&ours, &limits, &|_| {}).unwrap();
        assert_eq!((record.value().as_str(), record.solved), ("first", true));
        assert!(record.nodes > 0 && record.seconds > 0.0);
        let stopped = case.run(&ours, &Limits { nodes: Some(1), ..limits }, &|_| {}).unwrap();
        assert_eq!((stopped.value().as_str(), stopped.solved), ("open", false));
        assert!(
            Case { game: "nogo 3y3".into(), ..case }
                .run(&ours, &Limits::default(), &|_| {})
                .is_err()
        );
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
