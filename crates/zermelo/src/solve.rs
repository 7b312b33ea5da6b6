//! `zermelo solve`: who wins, how, and at what cost.

use crate::cli::{ByArg, Effort, Part, SolveArgs};
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{bytes, grouped, rounded, time};
use crate::{End, machine, open, out, proof};
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};
use zermelo_any::{self as any, AnyGame, AnySession, How, MoveValue, MoveValues};
use zermelo_game::{Bounds, Level, Limits, Mark, Picture, Player, Report, Stop};
use zermelo_lab::run::cpu_time;
use zermelo_proof::Failure;
use zermelo_proof::write::Layout;

impl Effort {
    /// The solver and its settings.
    #[must_use]
    pub fn how(&self) -> How {
        let asks_for_alphabeta = self.deepening
            || self.playouts.is_some()
            || self.table_entries.is_some()
            || !self.without.is_empty();
        let default = if asks_for_alphabeta { ByArg::Alphabeta } else { ByArg::Auto };
        let mut how = How::new(self.by.unwrap_or(default).into());
        (how.threads, how.seed) = (self.threads.into(), self.seed);
        how.deepening |= self.deepening;
        how.playouts = self.playouts.unwrap_or(how.playouts);
        how.table_entries = self.table_entries.or(how.table_entries);
        for part in &self.without {
            match part {
                Part::Knowledge => how.without.knowledge = true,
                Part::Symmetry => how.without.symmetry = true,
                Part::Order => how.without.order = true,
            }
        }
        how
    }

    /// What it may spend.
    #[must_use]
    pub fn limits(&self, time: Option<Duration>, interrupt: &Interrupt) -> Limits {
        let memory = self.all_memory() - self.database_memory();
        Limits { time, nodes: self.nodes, memory, cancel: Some(interrupt.flag()) }
    }

    fn all_memory(&self) -> u64 {
        self.memory.unwrap_or_else(machine::default_memory)
    }

    /// The part of the memory that goes to a database.
    fn database_memory(&self) -> u64 {
        if self.db.is_some() { self.all_memory() / 4 } else { 0 }
    }

    /// The game that these words name, with the database if there is one.
    pub fn open(&self, words: &[String]) -> anyhow::Result<Box<dyn AnyGame>> {
        let Some(dir) = &self.db else { return Ok(open::game(words)?) };
        if self.by == Some(ByArg::Minimax) {
            return Err(Usage("minimax asks no database: it goes by the rules alone".into()).into());
        }
        let name = words.join(" ");
        any::open_with(&name, dir, self.database_memory()).map_err(|error| match error {
            any::Unopened::Name(error) => open::wrong_name(&name, &error).into(),
            any::Unopened::Database(failure) => failure.into(),
        })
    }
}

/// Fails if a search has met damage in a database.
pub fn refuse_damage(game: &dyn AnyGame) -> anyhow::Result<()> {
    match game.damage() {
        None => Ok(()),
        Some(damage) => Err(anyhow::anyhow!(
            "the database is damaged (`zermelo verify` tells more), nothing was taken from there: {damage}"
        )),
    }
}

/// Solves a position.
pub fn run(args: &SolveArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let game = args.effort.open(&args.place.game)?;
    let mut session = open::session(&*game, &args.place)?;
    let how = args.effort.how();
    how.fits(&*game).map_err(Usage)?;
    let limits = args.effort.limits(args.time, &interrupt);

    let (cpu, clock) = (cpu_time(), Instant::now());
    let found = search(&mut *session, &how, &limits, args.values)?;
    let mut run = Run {
        game: game.name(),
        all: game.values(),
        how,
        limits,
        elapsed: clock.elapsed(),
        cpu: cpu_time().saturating_sub(cpu),
        report: found.report,
        proof: None,
        values: args.values.then_some(found.moves),
    };

    let picture = session.picture().with_marks(run.marks(&*session));
    let svg_only = args.svg.as_deref().is_some_and(out::is_stdout);
    // The answer first: a file that cannot be written must not cost it.
    if !args.json && !svg_only {
        out::print(&run.text(&*session, &picture))?;
    }
    let layout = Layout { search: args.leaves, smaller: args.smaller, ..Layout::default() };
    let proof =
        args.proof.as_deref().map_or(Ok(None), |file| run.prove(file, layout, &mut *session));
    match (&proof, args.json) {
        (Ok(Some(written)), false) if !svg_only => {
            out::print(&out::field("proof", &written.words()))?
        }
        (Ok(written), true) => run.proof = written.clone(),
        _ => {}
    }
    if args.json {
        out::print_json(&run.json(&*session))?;
    }
    if let Some(file) = &args.svg {
        out::svg(file, &picture)?;
    }
    refuse_damage(&*game)?;
    match proof {
        Err(error) if error.downcast_ref() == Some(&Failure::Stopped) => {
            eprintln!("{error}");
            Ok(End::Unsolved)
        }
        Err(error) => Err(error),
        Ok(_) if run.report.stop == Stop::Solved => Ok(End::Done),
        Ok(_) => Ok(End::Unsolved),
    }
}

/// Asks about the position and, if wanted, about its moves, under a live line.
fn search(
    session: &mut dyn AnySession,
    how: &How,
    limits: &Limits,
    values: bool,
) -> anyhow::Result<MoveValues> {
    let live = Live::new();
    let observer = |progress: &_| live.show(progress);
    Ok(if values {
        session.solve_moves(how, limits, &observer)?
    } else {
        MoveValues { report: session.solve(how, limits, &observer), moves: Vec::new() }
    })
}

/// A finished run and all there is to tell about it.
struct Run {
    game: String,
    all: Bounds,
    how: How,
    limits: Limits,
    elapsed: Duration,
    cpu: Duration,
    report: Report<String>,
    proof: Option<proof::Written>,
    values: Option<Vec<MoveValue>>,
}

impl Run {
    /// Writes a certificate of what is known, if anything is.
    fn prove(
        &self,
        file: &Path,
        layout: Layout,
        session: &mut dyn AnySession,
    ) -> anyhow::Result<Option<proof::Written>> {
        if self.report.bounds == self.all {
            return Ok(None);
        }
        let limits = self.limits.after(&self.report.stats).map_err(|_| Failure::Stopped)?;
        proof::write(file, session, &self.report, &self.how, layout, &limits, self.cpu).map(Some)
    }

    /// Marks for the picture: all moves whose values were asked for, else the best one.
    fn marks(&self, session: &dyn AnySession) -> Vec<Mark> {
        match (&self.values, &self.report.best) {
            (Some(values), _) => values.iter().filter_map(MoveValue::mark).collect(),
            (None, Some(best)) => {
                let tone = any::tone(self.report.bounds, session.turn());
                session.place(best).map(|place| Mark { place, tone }).into_iter().collect()
            }
            (None, None) => Vec::new(),
        }
    }

    fn text(&self, session: &dyn AnySession, picture: &Picture) -> String {
        let Report { bounds, best, line, stop, level, rests_on_history, by: by_whom, stats } =
            &self.report;
        let over = session.outcome().is_some();
        let mut text = format!("{}, ", out::bold(&self.game));
        text += &if over { "the game is over".into() } else { out::to_move(session.turn()) };
        text += &format!("\n\n{}\n", out::board(picture));
        if let Some(values) = &self.values {
            text += &(list(values) + if values.is_empty() { "" } else { "\n" });
        }
        text += &format!("{}\n\n", out::bold(out::verdict(*bounds, self.all) + "."));

        let none = || if over { "none: the game is over".into() } else { "not known".into() };
        text += &out::field("best move", &best.clone().unwrap_or_else(none));
        if !line.is_empty() {
            text += &out::field("line", &line.join(" "));
        }
        text += &out::field("solution", describe(*level));
        if *rests_on_history {
            let note = "the value may rest on boards that stood before and may not come back";
            text += &out::field("history", note);
        }
        let (by, seed) = (self.how.by.word(), self.how.seed);
        let threads = match self.how.threads {
            1 => "1 thread".into(),
            n => format!("{n} threads"),
        };
        let mut search = format!("{by}, {threads}, seed {seed}");
        if let Some(by) = by_whom {
            search += &format!(", solved by {by}");
        }
        let without = self.how.without.words();
        if !without.is_empty() {
            search += &format!(", without {}", without.join(", "));
        }
        text += &out::field("search", &search);
        if stats.playouts > 0 {
            let playouts = format!("{} in {}", grouped(stats.playouts), time(stats.playout_time));
            text += &out::field("playouts", &playouts);
        }
        let speed = rounded(stats.nodes as f64 / self.elapsed.as_secs_f64().max(1e-6));
        let nodes = format!(
            "{} ({speed}/s), evaluations {}",
            grouped(stats.nodes),
            grouped(stats.evaluations)
        );
        text += &out::field("nodes", &nodes);
        text += &out::field("time", &format!("{}, CPU {}", time(self.elapsed), time(self.cpu)));
        let table = match stats.table_bytes {
            0 => "none".into(),
            used => {
                let full = f64::from(stats.table_permille) / 10.0;
                format!("{} of {}, {full:.1} % full", bytes(used), bytes(self.limits.memory))
            }
        };
        text += &out::field("table", &table);
        let stop_text = match stop {
            Stop::Solved => "solved".into(),
            early if bounds.is_exact() => format!("{}: not every move is known", early.word()),
            early => format!("{}: not solved", early.word()),
        };
        text + &out::field("stop", &stop_text)
    }

    fn json(&self, session: &dyn AnySession) -> SolveJson<'_> {
        let Report { bounds, best, line, stop, level, rests_on_history, by, stats } = &self.report;
        SolveJson {
            game: &self.game,
            position: session.position(),
            winner: bounds.winner().map(|winner| match winner {
                Some(Player::First) => "first",
                Some(Player::Second) => "second",
                None => "draw",
            }),
            lo: bounds.lo,
            hi: bounds.hi,
            best_move: best.as_deref(),
            line,
            solver: self.how.by.word(),
            solved_by: *by,
            level: level.map(Level::word),
            rests_on_history: *rests_on_history,
            nodes: stats.nodes,
            evaluations: stats.evaluations,
            seconds: self.elapsed.as_secs_f64(),
            cpu_seconds: self.cpu.as_secs_f64(),
            table_bytes: stats.table_bytes,
            threads: self.how.threads,
            seed: self.how.seed,
            stop: stop.word(),
            playouts: (stats.playouts > 0).then_some(stats.playouts),
            playout_seconds: (stats.playouts > 0).then_some(stats.playout_time.as_secs_f64()),
            without: self.how.without.words(),
            proof: self.proof.as_ref(),
            values: self.values.as_ref().map(|values| {
                let json = |v: &MoveValue| ValueJson {
                    mv: v.mv.clone(),
                    lo: v.bounds.lo,
                    hi: v.bounds.hi,
                };
                values.iter().map(json).collect()
            }),
        }
    }
}

/// Moves by what they do, best first, and one line for each kind.
#[must_use]
pub fn list(values: &[MoveValue]) -> String {
    let mut kinds: Vec<_> = values.iter().map(|v| v.tone).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut text = String::new();
    for tone in kinds.into_iter().rev() {
        let moves: Vec<String> =
            values.iter().filter(|v| v.tone == tone).map(describe_move).collect();
        let label = match tone {
            zermelo_game::Tone::Open => "open",
            known => out::verb(known),
        };
        text += &out::field(&format!("{} {label}", tone.sign()), &moves.join(" "));
    }
    text
}

/// A move, with its value where the sign does not tell it.
fn describe_move(value: &MoveValue) -> String {
    let Bounds { lo, hi } = value.bounds;
    if lo >= -1 && hi <= 1 && (lo == hi || hi - lo == 2) {
        value.mv.clone()
    } else {
        format!("{} ({})", value.mv, value.bounds)
    }
}

fn describe(level: Option<Level>) -> &'static str {
    match level {
        None => "none",
        Some(Level::UltraWeak) => "ultra-weak: the value of the position",
        Some(Level::Weak) => "weak: the value, and a strategy from the position",
        Some(Level::Strong) => "strong: the value and a strategy of every position that can arise",
    }
}

#[derive(Serialize)]
struct SolveJson<'a> {
    game: &'a str,
    position: String,
    winner: Option<&'static str>,
    lo: i16,
    hi: i16,
    best_move: Option<&'a str>,
    line: &'a [String],
    solver: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    solved_by: Option<&'static str>,
    level: Option<&'static str>,
    rests_on_history: bool,
    nodes: u64,
    evaluations: u64,
    seconds: f64,
    cpu_seconds: f64,
    table_bytes: u64,
    threads: usize,
    seed: u64,
    stop: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    playouts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playout_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a proof::Written>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<ValueJson>>,
}

#[derive(Serialize)]
struct ValueJson {
    #[serde(rename = "move")]
    mv: String,
    lo: i16,
    hi: i16,
}
