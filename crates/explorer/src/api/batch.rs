//! Many positions at once: each is solved, and answered by a line of JSON as soon as that is done.

use super::jobs::{engine, time};
use super::{ApiError, Body, ErrorJson, ValueJson, fits, fits_moves, open_game};
use crate::SharedApp;
use crate::batch::{self, BatchAnswer, BatchRequest, NoAnswer, Place, Taker};
use crate::middleware::Permit;
use axum::body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use tokio::sync::{mpsc, watch};
use zermelo_game::outside;
use zermelo_game::{Bounds, Report};

/// Seconds the search of a position may take if nothing is said.
const USUAL_SECONDS: f64 = 10.0;
/// Seconds for all of them together.
const USUAL_TOTAL: f64 = 60.0;
/// Answers that wait to be sent; when there are more, the searches wait.
const AHEAD: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchRequestJson {
    game: String,
    positions: Vec<PlaceJson>,
    by: Option<String>,
    seconds: Option<f64>,
    nodes: Option<u64>,
    total_seconds: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a text, or an object with position, moves or both")]
enum PlaceJson {
    Text(String),
    Parts(PartsJson),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartsJson {
    position: Option<String>,
    moves: Option<String>,
}

/// A line of the answer.
#[derive(Serialize)]
struct LineJson {
    index: usize,
    position: Option<String>,
    value: Option<ValueJson>,
    solved: bool,
    stop: Option<&'static str>,
    best: Option<String>,
    line: Vec<String>,
    engine: Option<&'static str>,
    seconds: f64,
    nodes: u64,
    error: Option<ErrorJson>,
}

impl LineJson {
    fn new(answer: BatchAnswer, all: Bounds) -> LineJson {
        let index = answer.index;
        let none = LineJson {
            index,
            position: None,
            value: None,
            solved: false,
            stop: None,
            best: None,
            line: Vec::new(),
            engine: None,
            seconds: 0.0,
            nodes: 0,
            error: None,
        };
        match answer.found {
            Ok((position, report)) => {
                let Report { bounds, best, line, stop, by, stats, .. } = report;
                LineJson {
                    position: Some(position),
                    value: Some(ValueJson::new(bounds, all)),
                    solved: bounds.is_exact(),
                    stop: Some(stop.word()),
                    best,
                    line,
                    engine: by,
                    seconds: stats.elapsed.as_secs_f64(),
                    nodes: stats.nodes,
                    ..none
                }
            }
            Err(why) => {
                let error = match why {
                    NoAnswer::Unread(error) => ApiError::from(error),
                    NoAnswer::Failed => ApiError::bad("the solver failed: a fault of the server"),
                };
                LineJson { error: Some(*error.at(index).error), ..none }
            }
        }
    }
}

/// Refuses a place that is too long.
fn place(app: &SharedApp, place: PlaceJson) -> Result<Place, ApiError> {
    match place {
        PlaceJson::Text(text) => {
            // It may be either.
            fits_moves(app, &text)?;
            Ok(Place::Text(text))
        }
        PlaceJson::Parts(PartsJson { position, moves }) => {
            let position = position.filter(|text| !text.trim().is_empty());
            position.as_deref().map_or(Ok(()), |text| fits(app, "position", text))?;
            moves.as_deref().map_or(Ok(()), |text| fits_moves(app, text))?;
            Ok(Place::Parts { position, moves })
        }
    }
}

/// One who reads the answer.
struct Reader {
    answers: mpsc::Receiver<BatchAnswer>,
    ending: watch::Receiver<bool>,
    all: Bounds,
    _taker: Taker,
    _permit: Permit,
}

impl Reader {
    /// The next lines; none when all are told, or the server ends.
    async fn next(mut self) -> Option<(Result<String, Infallible>, Reader)> {
        let first = tokio::select! {
            answer = self.answers.recv() => answer?,
            _ = self.ending.wait_for(|ending| *ending) => return None,
        };
        let mut lines = String::new();
        let mut next = Some(first);
        while let Some(answer) = next {
            lines += &outside::json(serde_json::to_string(&LineJson::new(answer, self.all)).ok()?);
            lines.push('\n');
            next = self.answers.try_recv().ok();
        }
        Some((Ok(lines), self))
    }
}

/// Solves positions.
pub async fn batch(
    State(app): State<SharedApp>,
    Body(ordered): Body<BatchRequestJson>,
) -> Result<Response, ApiError> {
    if ordered.positions.len() > app.limits.batch {
        let most = app.limits.batch;
        return Err(ApiError::bad(format!("there are more than {most} positions")));
    }
    let game = open_game(&app, &ordered.game)?;
    let engine = engine(&app, ordered.by.as_deref())?;
    game.accepts(&engine).map_err(ApiError::bad)?;
    let time_all = time(&app, "total_seconds", ordered.total_seconds, USUAL_TOTAL)?;
    let time_each = time(&app, "seconds", ordered.seconds, USUAL_SECONDS)?;
    let places = ordered.positions.into_iter().enumerate();
    let places = places.map(|(i, text)| place(&app, text).map_err(|e| e.at(i)));
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let full = || {
        ApiError::overload(format!(
            "{} batches wait or run already; try again when one is over",
            app.limits.batches
        ))
    };
    let stream_permit = app.streams.enter();
    let _permit = stream_permit.ok_or_else(|| ApiError::overload("too many streams are open"))?;
    let permit = app.batches.enter().ok_or_else(full)?;
    let all = game.values();
    let request = BatchRequest {
        game,
        places,
        engine,
        time_each,
        nodes_each: ordered.nodes,
        time: time_all,
        memory: app.limits.job_memory,
    };
    let (to, answers) = mpsc::channel(AHEAD);
    let started = batch::start(request, app.jobs.turns(), app.facts.clone(), to, permit);
    // A machine that gives no more threads is an overload like any other.
    let _taker = started.map_err(|_| full())?;
    let reader = Reader { answers, ending: app.ending.subscribe(), all, _taker, _permit };
    let lines = body::Body::from_stream(stream::unfold(reader, Reader::next));
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], lines).into_response())
}
