//! `zermelo solve`: who wins, how, and at what cost.

use crate::cli::{PositionArgs, SearchArgs, SolveArgs};
use crate::engines::other_options;
use crate::interrupt::Interrupt;
use crate::open::Usage;
use crate::progress::Live;
use crate::units::{bytes, grouped, rounded, time};
use crate::{End, batch, distance, machine, open, out, preflight, proof, settings};
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};
use zermelo_certificate::WriteFailure;
use zermelo_certificate::write::StrategyLayout;
use zermelo_erased::{
    AnyGame, AnySession, Catalogue, DistanceAnswer, EngineConfig, EngineId, LineEnd, MoveValue,
    MoveValues,
};
use zermelo_game::{
    Bounds, Level, Limits, MoveMark, Picture, Player, Plies, Report, Stop, counted,
};
use zermelo_lab::run::cpu_time;

impl SearchArgs {
    /// The engine with its options. The message for one that it does not have names those that it has.
    pub fn engine(&self) -> Result<EngineConfig, Usage> {
        self.engine_with(self.threads)
    }

    /// The same with so many threads, if that is said.
    pub fn engine_with(&self, threads: Option<u16>) -> Result<EngineConfig, Usage> {
        let asks_for_alphabeta = self.deepening
            || self.playouts.is_some()
            || self.table_entries.is_some()
            || !self.without.is_empty();
        let default = if asks_for_alphabeta { EngineId::AlphaBeta } else { EngineId::DEFAULT };
        let mut engine = self.by.clone().unwrap_or_else(|| default.into());
        let left_out = engine.ablation().words().into_iter();
        let left_out: Vec<&str> = left_out.chain(self.without.iter().map(|p| p.word())).collect();
        let options = [
            ("threads", threads.map(|n| n.to_string())),
            ("seed", self.seed.map(|n| n.to_string())),
            ("deepening", self.deepening.then(|| "yes".into())),
            ("playouts", self.playouts.map(|n| n.to_string())),
            ("table-entries", self.table_entries.map(|n| n.to_string())),
            ("without", (!self.without.is_empty()).then(|| left_out.join("+"))),
        ];
        for (name, value) in options {
            if let Some(value) = value {
                engine.set(name, &value).map_err(|error| Usage(error.to_string()))?;
            }
        }
        Ok(engine)
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

    /// The game that the words name, with the database if there is one.
    pub fn open(
        &self,
        catalogue: &Catalogue,
        start: &PositionArgs,
    ) -> anyhow::Result<Box<dyn AnyGame>> {
        let game = open::game_at(catalogue, start)?;
        let Some(dir) = &self.db else { return Ok(game) };
        if self.by.as_ref().is_some_and(|engine| engine.id() == EngineId::Minimax) {
            return Err(Usage("minimax asks no database: it goes by the rules alone".into()).into());
        }
        Ok(game.with_databases(&[dir], self.database_memory(), true)?)
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
pub fn run(catalogue: &Catalogue, args: &SolveArgs) -> anyhow::Result<End> {
    if let Some(file) = &args.batch.file {
        return batch::run(catalogue, args, file);
    }
    let interrupt = Interrupt::listen()?;
    if let Some(file) = &args.proof {
        proof::keep_what_is_there(file, args.force)?;
    }
    let game = args.search.open(catalogue, &args.start)?;
    let mut session = open::session(&*game, &args.start)?;
    let engine = args.search.engine()?;
    game.accepts(&engine).map_err(Usage)?;
    if args.distance {
        distance::refuse_without(&*game)?;
    }
    let limits = args.search.limits(args.time, &interrupt);
    if let Some(file) = &args.proof {
        preflight::proof(file, &*game)?;
    }

    let (cpu, clock) = (cpu_time(), Instant::now());
    let live = Live::of(game.values());
    let mut found = search(&mut *session, &engine, &limits, args.values, &live)?;
    drop(live);
    let distance = match args.distance {
        true => {
            let live = Live::new();
            let say = |plies, stats: &_| live.say(&distance::progress(plies, stats));
            distance::measure(&mut *session, &mut found, &engine, &limits, &say)
        }
        false => None,
    };
    let line_end = session.complete_line(&mut found.report, &limits);
    let mut run = Run {
        game: game.name(),
        all: game.values(),
        engine,
        limits,
        elapsed: clock.elapsed(),
        cpu: cpu_time().saturating_sub(cpu),
        report: found.report,
        measured: args.distance,
        distance,
        line_end,
        proof: None,
        no_proof: None,
        values: args.values.then_some(found.moves),
    };

    let picture = session.picture().with_marks(run.marks(&*session));
    let svg_only = args.svg.as_deref().is_some_and(out::is_stdout);
    // The answer first: a file that cannot be written must not cost it.
    if !args.json && !svg_only {
        out::print(&run.text(&*session, &picture))?;
    }
    let layout =
        StrategyLayout { search: args.leaves, smaller: args.smaller, ..StrategyLayout::default() };
    let proof =
        args.proof.as_deref().map_or(Ok(None), |file| run.prove(file, layout, &mut *session));
    match &proof {
        Ok(Some(written)) => run.proof = Some(written.clone()),
        Ok(None) if args.proof.is_some() => run.no_proof = Some(run.nothing_to_prove().into()),
        Ok(None) => {}
        Err(error) => run.no_proof = Some(format!("{error:#}")),
    }
    if !args.json && !svg_only {
        match (&run.proof, &run.no_proof) {
            (Some(written), _) => out::print(&out::field("proof", &written.words()))?,
            // What has failed is told as an error.
            (None, Some(why)) if proof.is_ok() => {
                out::print(&out::field("proof", &format!("none was written: {why}")))?
            }
            _ => {}
        }
    }
    if args.json {
        out::print_json(&run.json(&*session))?;
    }
    if let Some(file) = &args.svg {
        out::svg(file, &picture)?;
    }
    refuse_damage(&*game)?;
    match proof {
        Err(error) if error.downcast_ref() == Some(&WriteFailure::Stopped) => {
            out::note(&error.to_string());
            Ok(End::Unsolved)
        }
        Err(error) => Err(error),
        Ok(_) if run.report.stop == Stop::Solved && run.distances_are_known() => Ok(End::Done),
        Ok(_) => Ok(End::Unsolved),
    }
}

/// Asks about the position and, if wanted, about its moves, under a live line.
fn search(
    session: &mut dyn AnySession,
    engine: &EngineConfig,
    limits: &Limits,
    values: bool,
    live: &Live,
) -> anyhow::Result<MoveValues> {
    let observer = |progress: &_| live.show(progress);
    Ok(if values {
        session.solve_moves(engine, limits, &observer)?
    } else {
        MoveValues { report: session.solve(engine, limits, &observer), moves: Vec::new() }
    })
}

/// A finished run and all there is to tell about it.
pub(crate) struct Run {
    pub(crate) game: String,
    pub(crate) all: Bounds,
    pub(crate) engine: EngineConfig,
    pub(crate) limits: Limits,
    pub(crate) elapsed: Duration,
    pub(crate) cpu: Duration,
    pub(crate) report: Report<String>,
    /// Whether distances were asked for, and how soon the winner wins, where somebody does.
    pub(crate) measured: bool,
    pub(crate) distance: Option<DistanceAnswer>,
    pub(crate) line_end: LineEnd,
    pub(crate) proof: Option<proof::WrittenProof>,
    /// Why there is no proof, where one was asked for.
    pub(crate) no_proof: Option<String>,
    pub(crate) values: Option<Vec<MoveValue>>,
}

impl Run {
    /// Writes a certificate of what is known, if anything is.
    fn prove(
        &self,
        file: &Path,
        layout: StrategyLayout,
        session: &mut dyn AnySession,
    ) -> anyhow::Result<Option<proof::WrittenProof>> {
        if self.report.bounds == self.all {
            return Ok(None);
        }
        let limits = self.limits.after(&self.report.stats).map_err(|_| WriteFailure::Stopped)?;
        let (engine, within) = (&self.engine, self.plies().and_then(Plies::value));
        proof::write(file, session, &self.report, engine, layout, within, &limits, self.cpu)
            .map(Some)
    }

    /// What is known of the distance, where that was asked.
    fn plies(&self) -> Option<Plies> {
        self.distance.as_ref().map(|answer| answer.plies)
    }

    /// Why all of it ended: solved only if the distance is known that was asked for.
    fn stop(&self) -> Stop {
        let open = self.distance.as_ref().map(|answer| answer.stop);
        match (self.report.stop, open) {
            (Stop::Solved, Some(stop)) => stop,
            (stop, _) => stop,
        }
    }

    /// Whether no distance that was asked for is open.
    fn distances_are_known(&self) -> bool {
        let moves = self.values.iter().flatten().filter_map(|value| value.distance);
        self.plies().into_iter().chain(moves).all(|plies| plies.value().is_some())
    }

    /// Why no certificate says what is known.
    fn nothing_to_prove(&self) -> &'static str {
        match self.report.stop {
            Stop::Solved => "every game ends with this value",
            _ => "the position is not solved, and nothing is known yet",
        }
    }

    /// Marks for the picture: all moves whose values were asked for, else the best one.
    fn marks(&self, session: &dyn AnySession) -> Vec<MoveMark> {
        match (&self.values, &self.report.best) {
            (Some(values), _) => values.iter().filter_map(MoveValue::mark).collect(),
            (None, Some(best)) => {
                let tone = zermelo_erased::tone(self.report.bounds, session.turn());
                session.place(best).map(|place| MoveMark { place, tone }).into_iter().collect()
            }
            (None, None) => Vec::new(),
        }
    }

    /// What was asked for, and nothing else.
    fn answer(&self) -> String {
        let values = self.values.as_ref().map_or(String::new(), |values| list(values, self.all));
        let verdict = out::verdict(self.report.bounds, self.all);
        format!("{values}{verdict}{}.\n", distance::in_plies(self.plies()))
    }

    fn text(&self, session: &dyn AnySession, picture: &Picture) -> String {
        let Report { bounds, best, line, stop, level, rests_on_history, by: by_whom, stats } =
            &self.report;
        if settings::is_quiet() {
            return self.answer();
        }
        let over = session.outcome().is_some();
        let mut text = format!("{}, ", out::bold(&self.game));
        text += &if over { "the game is over".into() } else { out::to_move(session.turn()) };
        text += &format!("\n\n{}\n", out::board(picture));
        if let Some(values) = &self.values {
            text += &(list(values, self.all) + if values.is_empty() { "" } else { "\n" });
        }
        let verdict = out::verdict(*bounds, self.all) + &distance::in_plies(self.plies());
        text += &format!("{}\n\n", out::bold(verdict + "."));

        let none = || if over { "none: the game is over".into() } else { "not known".into() };
        // What a search would play that has not proved anything is no best move.
        let label = if bounds.is_exact() || best.is_none() { "best move" } else { "first try" };
        text += &out::field(label, &best.clone().unwrap_or_else(none));
        if bounds.is_exact() && !line.is_empty() {
            text += &out::field("line", &line.join(" "));
            text += &distance::end_field(self.line_end);
        }
        text += &out::field("solution", describe(*level));
        if *rests_on_history {
            let note = "the value may rest on boards that stood before and must not be repeated";
            text += &out::field("history", note);
        }
        let (by, seed) = (self.engine.id().word(), self.engine.seed());
        let threads = counted(self.engine.threads() as u64, "thread");
        let mut search = format!("{by}, {threads}, seed {seed}");
        for option in other_options(&self.engine) {
            search += &format!(", {option}");
        }
        if let Some(by) = by_whom {
            search += &format!(", solved by {by}");
        }
        let without = self.engine.ablation().words();
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
        if let Some(answer) = &self.distance {
            text += &out::field("how soon", &counted(answer.stats.nodes, "node"));
        }
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
            Stop::Solved if self.stop() == Stop::Solved => "solved".into(),
            Stop::Solved => format!("{}: won, but how soon is not solved", self.stop().word()),
            early if bounds.is_exact() => {
                let open = self.values.iter().flatten().filter(|v| !v.bounds.is_exact());
                let open: Vec<&str> = open.map(|v| &*v.mv).collect();
                format!("{}: not every move is known: {}", early.word(), open.join(" "))
            }
            early if bounds.winner().is_some() => {
                format!("{}: won, but by how much is not solved", early.word())
            }
            early => format!("{}: not solved", early.word()),
        };
        text + &out::field("stop", &stop_text)
    }

    pub(crate) fn json(&self, session: &dyn AnySession) -> SolveJson<'_> {
        let Report { bounds, best, line, level, rests_on_history, by, stats, .. } = &self.report;
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
            distance: self.measured.then(|| self.plies().and_then(Plies::value)),
            distance_bounds: self.plies().map(|plies| (plies.lo, plies.hi)),
            distance_nodes: self.distance.as_ref().map(|answer| answer.stats.nodes),
            best_move: best.as_deref(),
            best_proved: bounds.is_exact() && best.is_some(),
            line,
            line_end: distance::end_word(self.line_end),
            solver: self.engine.id().word(),
            engine: self.engine.to_string(),
            solved_by: *by,
            level: level.map(Level::word),
            rests_on_history: *rests_on_history,
            nodes: stats.nodes,
            evaluations: stats.evaluations,
            seconds: self.elapsed.as_secs_f64(),
            cpu_seconds: self.cpu.as_secs_f64(),
            table_bytes: stats.table_bytes,
            threads: self.engine.threads(),
            seed: self.engine.seed(),
            stop: self.stop().word(),
            playouts: (stats.playouts > 0).then_some(stats.playouts),
            playout_seconds: (stats.playouts > 0).then_some(stats.playout_time.as_secs_f64()),
            without: self.engine.ablation().words(),
            proof: match (&self.proof, &self.no_proof) {
                (None, None) => None,
                (written, _) => Some(written.as_ref()),
            },
            no_proof: self.no_proof.as_deref(),
            values: self.values.as_ref().map(|values| {
                let json = |v: &MoveValue| ValueJson {
                    mv: v.mv.clone(),
                    lo: v.bounds.lo,
                    hi: v.bounds.hi,
                    distance: v.distance.map(Plies::value),
                    distance_bounds: v.distance.map(|plies| (plies.lo, plies.hi)),
                };
                values.iter().map(json).collect()
            }),
        }
    }
}

/// Moves by what they do, best first, and one line for each kind. `all` are the values that the game can have.
#[must_use]
pub fn list(values: &[MoveValue], all: Bounds) -> String {
    let mut kinds: Vec<_> = values.iter().map(|v| v.tone).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut text = String::new();
    for tone in kinds.into_iter().rev() {
        let mut same: Vec<&MoveValue> = values.iter().filter(|v| v.tone == tone).collect();
        distance::best_first(&mut same);
        let moves: Vec<String> = same.into_iter().map(|v| describe_move(v, all)).collect();
        let label = match tone {
            zermelo_game::Tone::Open => "open",
            known => out::verb(known),
        };
        text += &out::field(&format!("{} {label}", tone.sign()), &moves.join(" "));
    }
    text
}

/// A move, with its value where the sign does not tell it.
fn describe_move(value: &MoveValue, all: Bounds) -> String {
    let is_plain = all == Bounds::new(-1, 1) && value.bounds.is_exact();
    if let Some(plies) = value.distance {
        format!("{} ({})", value.mv, distance::plies(plies))
    } else if is_plain || value.bounds == all {
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
pub(crate) struct SolveJson<'a> {
    game: &'a str,
    position: String,
    winner: Option<&'static str>,
    lo: i16,
    hi: i16,
    /// Only where it was asked; null where it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance_bounds: Option<(u32, Option<u32>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance_nodes: Option<u64>,
    best_move: Option<&'a str>,
    best_proved: bool,
    line: &'a [String],
    line_end: &'static str,
    solver: &'static str,
    engine: String,
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
    proof: Option<Option<&'a proof::WrittenProof>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_proof: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<ValueJson>>,
}

#[derive(Serialize)]
struct ValueJson {
    #[serde(rename = "move")]
    mv: String,
    lo: i16,
    hi: i16,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance_bounds: Option<(u32, Option<u32>)>,
}
