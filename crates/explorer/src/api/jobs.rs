//! Searches: start one, look at it, watch it, stop it.

use super::picture::PlaceJson;
use super::{
    ApiError, Body, BoundsJson, Client, Path, Query, ValueJson, aside, fits, known_word,
    open_game_at, open_position, scores, start_text, tone_word,
};
use crate::SharedApp;
use crate::findings::{Findings, Place};
use crate::jobs::{ChartSample, KnownMove, Refused, SearchJob, SearchRequest, Snapshot};
use crate::library::OpenGame;
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
use zermelo_erased::{EngineConfig, MoveValue, tone};
use zermelo_game::{Bounds, Plies};

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
    /// The analysis of a board.
    #[serde(default)]
    automatic: bool,
    seconds: Option<f64>,
    nodes: Option<u64>,
    seed: Option<u64>,
}

#[derive(Serialize)]
pub struct JobJson {
    id: u64,
    game: String,
    /// Where it was begun, and the moves from there to the position.
    start: String,
    played: Vec<String>,
    position: String,
    by: String,
    values: bool,
    play: bool,
    automatic: bool,
    askers: usize,
    state: &'static str,
    stop: Option<&'static str>,
    /// How it ended.
    ending: Option<&'static str>,
    solved: bool,
    value: ValueJson,
    known: &'static str,
    proved: BoundsJson,
    scores: bool,
    distance: Option<u32>,
    best: Option<String>,
    line: Vec<String>,
    engine: Option<&'static str>,
    seconds: f64,
    /// What an analysis is at, and what it may spend.
    phase: Option<&'static str>,
    budget: Option<BudgetJson>,
    nodes: u64,
    nodes_per_second: Option<f64>,
    depth: u32,
    table_permille: u32,
    table_bytes: u64,
    proof_numbers: Option<NumbersJson>,
    moves: Option<Vec<MoveValueJson>>,
}

#[derive(Serialize)]
struct BudgetJson {
    step: u32,
    seconds: f64,
    most: f64,
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
    known: &'static str,
    tone: &'static str,
    /// The plies to the end from the position after it.
    distance: Option<u32>,
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
            known: known_word(m.bounds, all),
            tone: tone_word(m.tone),
            distance: m.distance.and_then(|plies| plies.value()),
            place: m.place.map(PlaceJson::from),
        };
        JobJson {
            id: job.id,
            game: job.game.name(),
            start: job.request.start.clone(),
            played: job.request.played.clone(),
            position: job.request.position.clone(),
            by: job.request.by.clone(),
            values: job.request.values,
            play: job.request.play,
            automatic: job.request.automatic,
            askers: job.askers(),
            state: now.state.word(),
            stop: now.stop.map(|stop| stop.word()),
            ending: now.ending.map(|ending| ending.word()),
            solved: now.state.is_over() && now.bounds.is_exact(),
            value: ValueJson::new(now.bounds, all),
            known: known_word(now.bounds, all),
            proved: BoundsJson::from(now.bounds),
            scores: scores(all),
            distance: now.distance,
            best: now.best.clone(),
            line: now.line.clone(),
            engine: now.by,
            seconds,
            phase: now.phase.map(|phase| phase.word()),
            budget: now.budget.map(|budget| BudgetJson {
                step: budget.step,
                seconds: budget.time.as_secs_f64(),
                most: budget.most.as_secs_f64(),
            }),
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
    // A chart shows all that is proved.
    let value = ValueJson::proved(bounds, all);
    SampleJson { seconds, nodes, table_permille, value, proof_numbers: numbers(proof) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobsQuery {
    game: Option<String>,
    position: Option<String>,
    moves: Option<String>,
    automatic: Option<bool>,
}

/// All jobs, the oldest first, or those of a position that wait or run.
pub async fn list(
    State(app): State<SharedApp>,
    Query(query): Query<JobsQuery>,
) -> Result<Json<JobsJson>, ApiError> {
    let jobs = match &query.game {
        None if query.position.is_some() || query.moves.is_some() => {
            return Err(ApiError::bad("a position is one of a game: name it, too"));
        }
        None => app.jobs.all(),
        Some(name) => {
            let game = open_game_at(&app, name, query.position.as_deref())?;
            let (position, moves) = (query.position.as_deref(), query.moves.as_deref());
            let (session, played) = open_position(&app, &game, position, moves)?;
            let start = start_text(&game, position)?;
            let place = Place { game: &game, session: &*session, start: &start, played: &played };
            let found = app.jobs.about(&place);
            found.iter().for_each(|job| job.look());
            found
        }
    };
    let wanted = |job: &&Arc<SearchJob>| query.automatic.is_none_or(|a| a == job.request.automatic);
    let jobs = jobs.iter().filter(wanted).map(|job| JobJson::new(job, &job.now()));
    Ok(Json(JobsJson { jobs: jobs.collect() }))
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

/// Starts a job, or joins the one that has the same question.
pub async fn start(
    State(app): State<SharedApp>,
    client: Client,
    Body(ordered): Body<JobRequestJson>,
) -> Result<(StatusCode, Json<JobJson>), ApiError> {
    // A store may have to be read.
    let job = match app.library.stores.is_empty() {
        true => begin(&app, client, ordered).map(Json),
        false => aside(move || begin(&app, client, ordered)).await,
    };
    Ok((StatusCode::ACCEPTED, job?))
}

fn begin(app: &SharedApp, client: Client, ordered: JobRequestJson) -> Result<JobJson, ApiError> {
    let game = open_game_at(app, &ordered.game, ordered.position.as_deref())?;
    let engine = engine(app, ordered.by.as_deref())?;
    let by = engine.to_string();
    let engine = match ordered.seed {
        Some(seed) => engine.with_if_any("seed", seed),
        None => engine,
    };
    game.accepts(&engine).map_err(ApiError::bad)?;
    let (usual, most) = match ordered.automatic {
        true => (app.limits.analysis_time.as_secs_f64(), app.limits.analysis_time),
        false => (USUAL_SECONDS, app.limits.job_time),
    };
    let time = time(app, "seconds", ordered.seconds, usual)?.min(most);
    let position = ordered.position.as_deref();
    let (session, played) = open_position(app, &game, position, ordered.moves.as_deref())?;
    let start = start_text(&game, position)?;
    let asked = [ordered.play, ordered.values, ordered.automatic];
    if asked.into_iter().filter(|asked| *asked).count() > 1 {
        let why = "play, values and automatic are three questions: ask for one of them";
        return Err(ApiError::bad(why));
    }
    if ordered.automatic && ordered.nodes.is_some() {
        return Err(ApiError::bad("an automatic analysis has seconds, and no limit of nodes"));
    }
    if session.outcome().is_some() {
        return Err(ApiError::bad("the game is over: there is nothing to search"));
    }
    let place = Place { game: &game, session: &*session, start: &start, played: &played };
    let (mut done, mut known) = (None, Vec::new());
    if ordered.play || ordered.automatic {
        let findings = Findings::of(app, &place);
        if ordered.automatic {
            let complete = findings.is_complete(&game);
            let (here, best) = (findings.here, findings.best.first().cloned());
            known = KnownMove::of(findings);
            done = complete.then_some((here, best));
        } else if leads(&game, &findings) {
            done = findings.best.first().map(|best| (findings.here, Some(best.clone())));
        }
    }
    let turn = session.turn();
    let request = SearchRequest {
        position: session.position(),
        start,
        played,
        by,
        engine,
        values: ordered.values,
        play: ordered.play,
        automatic: ordered.automatic,
        time,
        nodes: ordered.nodes,
        known,
    };
    drop(session);
    if let Some((here, best)) = done {
        let moves = request.automatic.then(|| {
            let told = |m: &KnownMove| MoveValue {
                mv: m.mv.clone(),
                bounds: m.bounds,
                distance: m.distance.map(Plies::exactly),
                tone: tone(m.bounds, turn),
                place: m.place,
            };
            request.known.iter().map(told).collect()
        });
        let job = app.jobs.known(game, request, client.0, |now| {
            (now.bounds, now.distance, now.moves) = (here.bounds, here.distance, moves);
            now.line = best.iter().cloned().collect();
            now.best = best;
        });
        return Ok(JobJson::new(&job, &job.now()));
    }
    match app.jobs.start(game, request, client.0) {
        Ok(job) => Ok(JobJson::new(&job, &job.now())),
        Err(Refused::TooMany) => Err(ApiError::overload(format!(
            "{} searches wait or run already; try again when one is over",
            app.limits.jobs
        ))),
        Err(Refused::TooManyOfClient) => Err(ApiError::too_many(
            "you have as many searches as a client may have here; try again when one is over",
        )),
    }
}

/// Whether the best move that is known leads to the end of a game that is won: where positions can repeat, only distances do.
fn leads(game: &OpenGame, findings: &Findings) -> bool {
    let features = game.features();
    let measured = || {
        let distances = findings.moves.iter().map(|(_, found)| found.distance);
        findings.here.distance.is_some() && distances.into_iter().all(|d| d.is_some())
    };
    game.has_own_values() && (!features.cyclic || measured())
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
    job.look();
    let all = job.game.values();
    let samples = job.samples().iter().map(|s| sample(s, all)).collect();
    Ok(Json(WholeJobJson { job: JobJson::new(&job, &job.now()), samples }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopQuery {
    #[serde(default)]
    all: bool,
}

/// A job that this client may stop or pause: on a public server one that it asked for.
fn own(app: &SharedApp, id: u64, client: Client) -> Result<Arc<SearchJob>, ApiError> {
    let job = find(app, id)?;
    match app.limits.jobs_of_client.is_some() && !job.is_wanted_by(client.0) {
        false => Ok(job),
        true => Err(ApiError::new(StatusCode::FORBIDDEN, "somebody else asked for this search")),
    }
}

/// Stops a job, unless others want it. What it has proved stays.
pub async fn stop(
    State(app): State<SharedApp>,
    client: Client,
    Path(id): Path<u64>,
    Query(query): Query<StopQuery>,
) -> Result<Json<JobJson>, ApiError> {
    let job = own(&app, id, client)?;
    let alone = job.is_wanted_only_by(client.0);
    match query.all && (alone || app.limits.jobs_of_client.is_none()) {
        true => job.stop(),
        false => job.leave(client.0),
    }
    Ok(Json(JobJson::new(&job, &job.now())))
}

/// Lets a job wait.
pub async fn pause(
    State(app): State<SharedApp>,
    client: Client,
    Path(id): Path<u64>,
) -> Result<Json<JobJson>, ApiError> {
    let job = own(&app, id, client)?;
    if app.limits.jobs_of_client.is_some() && !job.is_wanted_only_by(client.0) {
        return Err(ApiError::new(StatusCode::FORBIDDEN, "others want this search, too"));
    }
    job.pause(true);
    Ok(Json(JobJson::new(&job, &job.now())))
}

/// Lets a job go on.
pub async fn resume(
    State(app): State<SharedApp>,
    client: Client,
    Path(id): Path<u64>,
) -> Result<Json<JobJson>, ApiError> {
    let job = own(&app, id, client)?;
    job.pause(false);
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
