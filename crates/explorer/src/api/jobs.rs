//! Searches: start one, look at it, watch it, stop it.

use super::picture::PlaceJson;
use super::{ApiError, Body, Path, ValueJson, fits, open_game_at, open_position, tone_word};
use crate::SharedApp;
use crate::jobs::{ChartSample, SearchJob, SearchRequest, Snapshot};
use crate::middleware::Permit;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use zermelo_erased::{EngineConfig, MoveValue};
use zermelo_game::Bounds;

/// Seconds a job may run if nothing is said.
const USUAL_SECONDS: f64 = 60.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobRequestJson {
    game: String,
    position: Option<String>,
    moves: Option<String>,
    /// An engine as text, such as `dfpn:sum=weak`.
    by: Option<String>,
    #[serde(default)]
    values: bool,
    /// The move of the perfect player.
    #[serde(default)]
    play: bool,
    seconds: Option<f64>,
    nodes: Option<u64>,
    seed: Option<u64>,
}

#[derive(Serialize)]
pub struct JobJson {
    id: u64,
    game: String,
    position: String,
    by: String,
    values: bool,
    state: &'static str,
    stop: Option<&'static str>,
    solved: bool,
    value: ValueJson,
    best: Option<String>,
    line: Vec<String>,
    engine: Option<&'static str>,
    seconds: f64,
    nodes: u64,
    nodes_per_second: Option<f64>,
    depth: u32,
    table_permille: u32,
    table_bytes: u64,
    proof_numbers: Option<NumbersJson>,
    moves: Option<Vec<MoveValueJson>>,
}

/// A number is null where the search counts it as infinite.
#[derive(Serialize)]
struct NumbersJson {
    proof: Option<u32>,
    disproof: Option<u32>,
}

#[derive(Serialize)]
struct MoveValueJson {
    #[serde(rename = "move")]
    mv: String,
    value: ValueJson,
    tone: &'static str,
    place: Option<PlaceJson>,
}

#[derive(Serialize)]
struct SampleJson {
    seconds: f64,
    nodes: u64,
    table_permille: u32,
    value: ValueJson,
    proof_numbers: Option<NumbersJson>,
}

#[derive(Serialize)]
pub struct WholeJobJson {
    job: JobJson,
    samples: Vec<SampleJson>,
}

#[derive(Serialize)]
pub struct JobsJson {
    jobs: Vec<JobJson>,
}

fn numbers(numbers: Option<[Option<u32>; 2]>) -> Option<NumbersJson> {
    numbers.map(|[proof, disproof]| NumbersJson { proof, disproof })
}

impl JobJson {
    fn new(job: &SearchJob, now: &Snapshot) -> JobJson {
        let all = job.game.values();
        let seconds = now.stats.elapsed.as_secs_f64();
        let moved = |m: &MoveValue| MoveValueJson {
            mv: m.mv.clone(),
            value: ValueJson::new(m.bounds, all),
            tone: tone_word(m.tone),
            place: m.place.map(PlaceJson::from),
        };
        JobJson {
            id: job.id,
            game: job.game.name(),
            position: job.position.clone(),
            by: job.request.by.clone(),
            values: job.request.values,
            state: now.state.word(),
            stop: now.stop.map(|stop| stop.word()),
            solved: now.state.is_over() && now.bounds.is_exact(),
            value: ValueJson::new(now.bounds, all),
            best: now.best.clone(),
            line: now.line.clone(),
            engine: now.by,
            seconds,
            nodes: now.stats.nodes,
            nodes_per_second: (seconds > 0.0).then(|| now.stats.nodes as f64 / seconds),
            depth: now.stats.depth,
            table_permille: now.stats.table_permille,
            table_bytes: now.stats.table_bytes,
            proof_numbers: numbers(now.proof),
            moves: now.moves.as_ref().map(|moves| moves.iter().map(moved).collect()),
        }
    }
}

fn sample(sample: &ChartSample, all: Bounds) -> SampleJson {
    let ChartSample { seconds, nodes, table_permille, bounds, proof } = *sample;
    let value = ValueJson::new(bounds, all);
    SampleJson { seconds, nodes, table_permille, value, proof_numbers: numbers(proof) }
}

/// All jobs, the oldest first.
pub async fn list(State(app): State<SharedApp>) -> Json<JobsJson> {
    let jobs = app.jobs.all();
    Json(JobsJson { jobs: jobs.iter().map(|job| JobJson::new(job, &job.now())).collect() })
}

/// The engine of a text; the portfolio if there is none. It has one thread: jobs take turns, and one that waits must not go on
/// in other threads.
pub(super) fn engine(app: &SharedApp, text: Option<&str>) -> Result<EngineConfig, ApiError> {
    let Some(text) = text else { return Ok(EngineConfig::default()) };
    fits(app, "engine", text)?;
    let engine: EngineConfig = text.parse()?;
    match engine.threads() {
        1 => Ok(engine),
        _ => Err(ApiError::bad("a search of this server has one thread: leave out 'threads'")),
    }
}

/// A time that a search may take, if none is said the usual one.
pub(super) fn time(
    app: &SharedApp,
    name: &str,
    seconds: Option<f64>,
    usual: f64,
) -> Result<Duration, ApiError> {
    let most = app.limits.job_time.as_secs_f64();
    let seconds = seconds.unwrap_or(usual.min(most));
    if !(seconds > 0.0 && seconds <= most) {
        return Err(ApiError::bad(format!("{name} must be more than 0 and at most {most}")));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Starts a job.
pub async fn start(
    State(app): State<SharedApp>,
    Body(ordered): Body<JobRequestJson>,
) -> Result<(StatusCode, Json<JobJson>), ApiError> {
    let game = open_game_at(&app, &ordered.game, ordered.position.as_deref())?;
    let engine = engine(&app, ordered.by.as_deref())?;
    let by = engine.to_string();
    let engine = match ordered.seed {
        Some(seed) => engine.with_if_any("seed", seed),
        None => engine,
    };
    game.accepts(&engine).map_err(ApiError::bad)?;
    let time = time(&app, "seconds", ordered.seconds, USUAL_SECONDS)?;
    let start = ordered.position.filter(|text| !text.trim().is_empty());
    let (session, _) = open_position(&app, &game, start.as_deref(), ordered.moves.as_deref())?;
    let position = session.position();
    if ordered.play && ordered.values {
        return Err(ApiError::bad("play and values are two questions: ask for one of them"));
    }
    if session.outcome().is_some() {
        return Err(ApiError::bad("the game is over: there is nothing to search"));
    }
    drop(session);
    let request = SearchRequest {
        position: start,
        moves: ordered.moves,
        by,
        engine,
        values: ordered.values,
        play: ordered.play,
        time,
        nodes: ordered.nodes,
    };
    match app.jobs.start(game, position, request) {
        Ok(job) => Ok((StatusCode::ACCEPTED, Json(JobJson::new(&job, &job.now())))),
        Err(_) => Err(ApiError::overload(format!(
            "{} searches wait or run already; try again when one is over",
            app.limits.jobs
        ))),
    }
}

fn find(app: &SharedApp, id: u64) -> Result<Arc<SearchJob>, ApiError> {
    app.jobs.get(id).ok_or_else(|| ApiError::missing(format!("there is no job {id}")))
}

/// A job, with the points of its charts.
pub async fn show(
    State(app): State<SharedApp>,
    Path(id): Path<u64>,
) -> Result<Json<WholeJobJson>, ApiError> {
    let job = find(&app, id)?;
    let all = job.game.values();
    let samples = job.samples().iter().map(|s| sample(s, all)).collect();
    Ok(Json(WholeJobJson { job: JobJson::new(&job, &job.now()), samples }))
}

/// Stops a job. What it has proved stays.
pub async fn stop(
    State(app): State<SharedApp>,
    Path(id): Path<u64>,
) -> Result<Json<JobJson>, ApiError> {
    let job = find(&app, id)?;
    job.stop();
    Ok(Json(JobJson::new(&job, &job.now())))
}

/// One who watches.
struct Watcher {
    job: Arc<SearchJob>,
    changes: watch::Receiver<Arc<Snapshot>>,
    ending: watch::Receiver<bool>,
    first: bool,
    over: bool,
    _permit: Permit,
}

impl Watcher {
    /// The next event; none when the job is over and that was told, or the server ends.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Watcher)> {
        if self.over {
            return None;
        }
        if !self.first {
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                _ = self.ending.wait_for(|ending| *ending) => return None,
            }
        }
        self.first = false;
        let now = self.changes.borrow_and_update().clone();
        self.over = now.state.is_over();
        let name = if self.over { "done" } else { "progress" };
        let data = serde_json::to_string(&JobJson::new(&self.job, &now)).ok()?;
        Some((Ok(Event::default().event(name).data(data)), self))
    }
}

/// Tells how a job goes on, until it is over: events `progress`, then `done`.
pub async fn events(
    State(app): State<SharedApp>,
    Path(id): Path<u64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let job = find(&app, id)?;
    let permit = app.streams.enter();
    let _permit = permit.ok_or_else(|| ApiError::overload("too many streams are open"))?;
    let (changes, ending) = (job.watch(), app.ending.subscribe());
    let watcher = Watcher { job, changes, ending, first: true, over: false, _permit };
    Ok(Sse::new(stream::unfold(watcher, Watcher::next)).keep_alive(KeepAlive::default()))
}
