//! Searches: start one, look at it, watch it, stop it.

use super::picture::PlaceJson;
use super::{Body, Path, Trouble, ValueJson, open, sit, tone_word};
use crate::Shared;
use crate::gate::Guest;
use crate::jobs::{Job, Order, Sample, Snapshot};
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
use zermelo_any::{By, How, MoveValue};
use zermelo_game::Bounds;

/// Seconds a job may run if nothing is said.
const USUAL_SECONDS: f64 = 60.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobOrder {
    game: String,
    position: Option<String>,
    moves: Option<String>,
    by: Option<String>,
    #[serde(default)]
    values: bool,
    seconds: Option<f64>,
    nodes: Option<u64>,
    seed: Option<u64>,
}

#[derive(Serialize)]
pub struct JobJson {
    id: u64,
    game: String,
    position: String,
    by: &'static str,
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
    fn new(job: &Job, now: &Snapshot) -> JobJson {
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
            by: job.order.how.by.word(),
            values: job.order.values,
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

fn sample(sample: &Sample, all: Bounds) -> SampleJson {
    let Sample { seconds, nodes, table_permille, bounds, proof } = *sample;
    let value = ValueJson::new(bounds, all);
    SampleJson { seconds, nodes, table_permille, value, proof_numbers: numbers(proof) }
}

/// All jobs, the oldest first.
pub async fn list(State(app): State<Shared>) -> Json<JobsJson> {
    let jobs = app.jobs.all();
    Json(JobsJson { jobs: jobs.iter().map(|job| JobJson::new(job, &job.now())).collect() })
}

/// Starts a job.
pub async fn start(
    State(app): State<Shared>,
    Body(order): Body<JobOrder>,
) -> Result<(StatusCode, Json<JobJson>), Trouble> {
    let game = open(&app, &order.game)?;
    let word = order.by.as_deref().unwrap_or(By::Auto.word());
    let by = By::named(word).ok_or_else(|| {
        let known = By::ALL.map(By::word).join(", ");
        Trouble::bad(format!("there is no solver '{word}'; there are {known}"))
    })?;
    let mut how = How::new(by);
    how.seed = order.seed.unwrap_or(how.seed);
    how.fits(&*game).map_err(Trouble::bad)?;
    let most = app.limits.job_time.as_secs_f64();
    let seconds = order.seconds.unwrap_or(USUAL_SECONDS.min(most));
    if !(seconds > 0.0 && seconds <= most) {
        return Err(Trouble::bad(format!("seconds must be more than 0 and at most {most}")));
    }
    let (session, played) = sit(&app, &game, order.position.as_deref(), order.moves.as_deref())?;
    let position = session.position();
    if session.outcome().is_some() {
        return Err(Trouble::bad("the game is over: there is nothing to search"));
    }
    drop(session);
    let order = Order {
        position: order.position.filter(|text| !text.trim().is_empty()),
        moves: played,
        how,
        values: order.values,
        time: Duration::from_secs_f64(seconds),
        nodes: order.nodes,
    };
    match app.jobs.start(game, position, order) {
        Ok(job) => Ok((StatusCode::ACCEPTED, Json(JobJson::new(&job, &job.now())))),
        Err(_) => Err(Trouble::overload(format!(
            "{} searches wait or run already; try again when one is over",
            app.limits.jobs
        ))),
    }
}

fn find(app: &Shared, id: u64) -> Result<Arc<Job>, Trouble> {
    app.jobs.get(id).ok_or_else(|| Trouble::missing(format!("there is no job {id}")))
}

/// A job, with the points of its charts.
pub async fn show(
    State(app): State<Shared>,
    Path(id): Path<u64>,
) -> Result<Json<WholeJobJson>, Trouble> {
    let job = find(&app, id)?;
    let all = job.game.values();
    let samples = job.samples().iter().map(|s| sample(s, all)).collect();
    Ok(Json(WholeJobJson { job: JobJson::new(&job, &job.now()), samples }))
}

/// Stops a job. What it has proved stays.
pub async fn stop(
    State(app): State<Shared>,
    Path(id): Path<u64>,
) -> Result<Json<JobJson>, Trouble> {
    let job = find(&app, id)?;
    job.stop();
    Ok(Json(JobJson::new(&job, &job.now())))
}

/// One who watches.
struct Watcher {
    job: Arc<Job>,
    changes: watch::Receiver<Arc<Snapshot>>,
    ending: watch::Receiver<bool>,
    first: bool,
    over: bool,
    _guest: Guest,
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
    State(app): State<Shared>,
    Path(id): Path<u64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Trouble> {
    let job = find(&app, id)?;
    let guest = app.streams.enter();
    let _guest = guest.ok_or_else(|| Trouble::overload("too many streams are open"))?;
    let (changes, ending) = (job.watch(), app.ending.subscribe());
    let watcher = Watcher { job, changes, ending, first: true, over: false, _guest };
    Ok(Sse::new(stream::unfold(watcher, Watcher::next)).keep_alive(KeepAlive::default()))
}
