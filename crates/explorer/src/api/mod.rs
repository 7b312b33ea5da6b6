//! The interface under `/api/v1`: one file for each group of routes. `openapi.json` describes all of it.

mod batch;
mod games;
mod jobs;
mod picture;
mod position;
mod probe;
mod proofs;
mod statistics;
mod stores;

use crate::library::OpenGame;
use crate::{SharedApp, middleware, page};
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use std::convert::Infallible;
use zermelo_erased::{AnySession, open_session, split_moves};
use zermelo_game::outside::{printable, printable_lines};
use zermelo_game::{Bounds, ParseError, Player, Tone};

/// The description.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// All routes of the interface, with their methods.
pub const ROUTES: &[(&str, &str)] = &[
    ("get", "/api/v1/openapi.json"),
    ("get", "/api/v1/games"),
    ("get", "/api/v1/game"),
    ("get", "/api/v1/statistics"),
    ("get", "/api/v1/picture.svg"),
    ("get", "/api/v1/position"),
    ("post", "/api/v1/probe"),
    ("post", "/api/v1/batch"),
    ("get", "/api/v1/jobs"),
    ("post", "/api/v1/jobs"),
    ("get", "/api/v1/jobs/{id}"),
    ("delete", "/api/v1/jobs/{id}"),
    ("post", "/api/v1/jobs/{id}/pause"),
    ("post", "/api/v1/jobs/{id}/resume"),
    ("get", "/api/v1/jobs/{id}/events"),
    ("get", "/api/v1/proofs"),
    ("post", "/api/v1/proofs"),
    ("get", "/api/v1/proofs/{id}"),
    ("delete", "/api/v1/proofs/{id}"),
    ("get", "/api/v1/proofs/{id}/file"),
    ("get", "/api/v1/proofs/{id}/node"),
    ("get", "/api/v1/proofs/{id}/map"),
    ("get", "/api/v1/stores"),
    ("get", "/api/v1/stores/{id}"),
    ("get", "/api/v1/stores/{id}/node"),
    ("get", "/api/v1/stores/{id}/map"),
];

/// The server's answers to everything.
pub fn router(app: SharedApp) -> Router {
    let body = app.limits.body;
    let description = || async { ([(header::CONTENT_TYPE, "application/json")], OPENAPI) };
    let mut router = Router::new();
    for (path, ..) in page::FILES {
        router = router.route(path, get(|uri: Uri| async move { page::file(uri.path()) }));
    }
    router
        .route("/api/v1/openapi.json", get(description))
        .route("/api/v1/games", get(games::games))
        .route("/api/v1/game", get(games::game))
        .route("/api/v1/statistics", get(statistics::statistics))
        .route("/api/v1/picture.svg", get(position::picture))
        .route("/api/v1/position", get(position::position))
        .route("/api/v1/probe", post(probe::probe))
        .route("/api/v1/batch", post(batch::batch))
        .route("/api/v1/jobs", get(jobs::list).post(jobs::start))
        .route("/api/v1/jobs/{id}", get(jobs::show).delete(jobs::stop))
        .route("/api/v1/jobs/{id}/pause", post(jobs::pause))
        .route("/api/v1/jobs/{id}/resume", post(jobs::resume))
        .route("/api/v1/jobs/{id}/events", get(jobs::events))
        .route("/api/v1/proofs", get(proofs::list).post(proofs::make))
        .route("/api/v1/proofs/{id}", get(proofs::show).delete(proofs::forget))
        .route("/api/v1/proofs/{id}/file", get(proofs::file))
        .route("/api/v1/proofs/{id}/node", get(proofs::node))
        .route("/api/v1/proofs/{id}/map", get(proofs::map))
        .route("/api/v1/stores", get(stores::list))
        .route("/api/v1/stores/{id}", get(stores::show))
        .route("/api/v1/stores/{id}/node", get(stores::node))
        .route("/api/v1/stores/{id}/map", get(stores::map))
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .fallback(|| async { ApiError::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .method_not_allowed_fallback(|| async {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "this cannot be done here")
        })
        .layer(DefaultBodyLimit::max(body))
        .layer(from_fn_with_state(app.clone(), middleware::guard))
        .with_state(app)
}

/// Whether the server serves: not when it is about to end.
async fn health(State(app): State<SharedApp>) -> Response {
    match *app.ending.borrow() {
        false => "ok\n".into_response(),
        true => (StatusCode::SERVICE_UNAVAILABLE, "ending\n").into_response(),
    }
}

/// What it has done.
async fn metrics(State(app): State<SharedApp>) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text(&app)).into_response()
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: StatusCode,
    error: Box<ErrorJson>,
}

#[derive(Clone, Debug, Serialize)]
struct ErrorJson {
    message: String,
    /// What could not be read: "game", "position", "move" or "engine".
    what: Option<&'static str>,
    /// Where, counted in characters from 1.
    column: Option<usize>,
    expected: Option<String>,
    reason: Option<String>,
    /// Which of several positions.
    index: Option<usize>,
}

#[derive(Serialize)]
struct ErrorAnswerJson<'a> {
    error: &'a ErrorJson,
}

impl ApiError {
    /// An answer with this status.
    pub fn new(status: StatusCode, message: impl Into<String>) -> ApiError {
        let (what, column, expected, reason, index) = (None, None, None, None, None);
        let message = printable_lines(&message.into()).into_owned();
        let error = ErrorJson { message, what, column, expected, reason, index };
        ApiError { status, error: Box::new(error) }
    }

    /// The client asked for what cannot be.
    pub fn bad(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is no such thing.
    pub fn missing(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, message)
    }

    /// Too much at once: the one failure that is meant.
    pub fn overload(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// Too much for one client.
    pub fn too_many(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// The same about one of several positions.
    #[must_use]
    pub fn at(mut self, index: usize) -> ApiError {
        self.error.index = Some(index);
        self
    }
}

impl From<ParseError> for ApiError {
    fn from(error: ParseError) -> ApiError {
        let mut answer = ApiError::bad(error.to_string());
        answer.error.what = Some(error.what);
        answer.error.column = Some(error.column());
        answer.error.expected = Some(error.expected);
        answer.error.reason = error.reason;
        answer
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> ApiError {
        ApiError::bad(rejection.body_text())
    }
}

impl From<PathRejection> for ApiError {
    fn from(_: PathRejection) -> ApiError {
        ApiError::missing("the last part of the path must be a number")
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> ApiError {
        let status = match rejection.status() {
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            status => status,
        };
        ApiError::new(status, rejection.body_text())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut answer =
            (self.status, Json(ErrorAnswerJson { error: &self.error })).into_response();
        let full = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS];
        if full.contains(&self.status) {
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        answer
    }
}

/// The words after the question mark.
pub struct Query<T>(pub T);

/// The number in a path.
pub struct Path<T>(pub T);

/// Who asks: the address that the connection, or the proxy before it, has put beside the request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Client(pub crate::jobs::Client);

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Client, Infallible> {
        Ok(parts.extensions.get::<Client>().copied().unwrap_or(Client(None)))
    }
}

/// A body.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Query<T>, ApiError> {
        Ok(Query(axum::extract::Query::from_request_parts(parts, state).await?.0))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Path<T>, ApiError> {
        Ok(Path(axum::extract::Path::from_request_parts(parts, state).await?.0))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;
    async fn from_request(request: Request, state: &S) -> Result<Body<T>, ApiError> {
        Ok(Body(axum::Json::from_request(request, state).await?.0))
    }
}

/// Text from a certificate or a store, in a form that is safe to show.
fn shown<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&printable(text))
}

/// The same for several pieces.
fn all_shown<S: Serializer>(texts: &[String], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(texts.iter().map(|text| printable(text)))
}

/// A value as an interval. A bound that says nothing is null.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ValueJson {
    lo: Option<i16>,
    hi: Option<i16>,
}

impl ValueJson {
    /// All that is proved of a value of a game with these values: what a source says, or a search so far.
    #[must_use]
    pub fn proved(bounds: Bounds, all: Bounds) -> ValueJson {
        let says = |said: bool, value| (said || bounds.is_exact()).then_some(value);
        ValueJson {
            lo: says(bounds.lo > all.lo, bounds.lo),
            hi: says(bounds.hi < all.hi, bounds.hi),
        }
    }

    /// What is known of a value of a game with these values. Bounds that leave open who wins are no answer, and beside
    /// a bound that is one, the other is told only if it is more than half of what there is.
    #[must_use]
    pub fn new(bounds: Bounds, all: Bounds) -> ValueJson {
        if bounds.is_exact() {
            return ValueJson { lo: Some(bounds.lo), hi: Some(bounds.hi) };
        }
        if !says(bounds, all) {
            return ValueJson { lo: None, hi: None };
        }
        let near = |value: i16, end: i16| i32::from(value).abs() * 2 <= i32::from(end).abs();
        let lo = bounds.lo > all.lo && (bounds.lo >= 0 || near(bounds.lo, all.lo));
        let hi = bounds.hi < all.hi && (bounds.hi <= 0 || near(bounds.hi, all.hi));
        ValueJson { lo: lo.then_some(bounds.lo), hi: hi.then_some(bounds.hi) }
    }
}

/// Whether bounds that leave the value open say anything worth knowing: that a player does not lose. Where one player wins in any
/// case, or all draw, every bound does.
fn says(bounds: Bounds, all: Bounds) -> bool {
    if bounds.is_exact() {
        return true;
    }
    match all.lo < 0 && all.hi > 0 {
        true => bounds.lo >= 0 || bounds.hi <= 0,
        false => bounds != all,
    }
}

/// How much is known, in a word.
#[must_use]
pub fn known_word(bounds: Bounds, all: Bounds) -> &'static str {
    match (bounds.is_exact(), says(bounds, all)) {
        (true, _) => "exact",
        (false, true) => "partly",
        (false, false) => "unknown",
    }
}

/// All that is proved of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct BoundsJson {
    lo: i16,
    hi: i16,
}

impl From<Bounds> for BoundsJson {
    fn from(bounds: Bounds) -> BoundsJson {
        BoundsJson { lo: bounds.lo, hi: bounds.hi }
    }
}

/// Whether values are scores, not only wins, draws and losses.
#[must_use]
pub fn scores(all: Bounds) -> bool {
    all.lo < -1 || all.hi > 1
}

/// The name of a player.
#[must_use]
pub fn player(player: Player) -> &'static str {
    match player {
        Player::First => "first",
        Player::Second => "second",
    }
}

/// The name of a tone.
#[must_use]
pub fn tone_word(tone: Tone) -> &'static str {
    match tone {
        Tone::Win => "win",
        Tone::Draw => "draw",
        Tone::Loss => "loss",
        Tone::Open => "open",
    }
}

/// Does what may take a while in a thread for that.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<Json<T>, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer.map(Json),
        Err(_) => Err(ApiError::overload("the server is ending")),
    }
}

/// Opens a game, refusing names that are too long to be any.
pub fn open_game(app: &SharedApp, name: &str) -> Result<OpenGame, ApiError> {
    fits(app, "game", name)?;
    Ok(app.library.game(name)?)
}

/// The same where a position is given, which may say what the name leaves open: `chess` with a FEN.
pub fn open_game_at(
    app: &SharedApp,
    name: &str,
    position: Option<&str>,
) -> Result<OpenGame, ApiError> {
    fits(app, "game", name)?;
    let position = position.filter(|text| !text.trim().is_empty());
    position.map_or(Ok(()), |text| fits(app, "position", text))?;
    let whole = app.library.catalogue.name_at(name, position)?;
    Ok(app.library.game(whole.as_deref().unwrap_or(name))?)
}

/// Refuses a text that is too long.
pub fn fits(app: &SharedApp, what: &str, text: &str) -> Result<(), ApiError> {
    match text.len() > app.limits.text {
        false => Ok(()),
        true => {
            Err(ApiError::bad(format!("the {what} is longer than {} characters", app.limits.text)))
        }
    }
}

/// Refuses a list of words, the moves of a proof, that is too long.
pub fn fits_moves(app: &SharedApp, text: &str) -> Result<(), ApiError> {
    fits(app, "list of moves", text)?;
    few_moves(app, split_moves(text).count())
}

fn few_moves(app: &SharedApp, moves: usize) -> Result<(), ApiError> {
    let most = app.limits.plies;
    match moves > most {
        false => Ok(()),
        true => Err(ApiError::bad(format!("there are more than {most} moves"))),
    }
}

/// A session at a position, the start where it is blank, and after moves, and these as the game writes them. Both texts are
/// within the limits.
pub fn open_position<'g>(
    app: &SharedApp,
    game: &'g OpenGame,
    position: Option<&str>,
    moves: Option<&str>,
) -> Result<(Box<dyn AnySession + 'g>, Vec<String>), ApiError> {
    let position = position.filter(|text| !text.trim().is_empty());
    position.map_or(Ok(()), |text| fits(app, "position", text))?;
    if let Some(text) = moves {
        fits(app, "list of moves", text)?;
        few_moves(app, game.split_moves(text).len())?;
    }
    Ok(open_session(&**game, position, moves)?)
}

/// The position that a text describes, or the start where it is blank, as the game writes it.
pub fn start_text(game: &OpenGame, position: Option<&str>) -> Result<String, ApiError> {
    let mut session = game.session();
    if let Some(text) = position.filter(|text| !text.trim().is_empty()) {
        session.set_position(text)?;
    }
    Ok(session.position())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_an_answer_where_they_say_who_does_not_lose() {
        let wins = Bounds::new(-1, 1);
        let scores = Bounds::new(-48, 48);
        for (all, lo, hi, word, shown) in [
            (wins, -1, 1, "unknown", [None, None]),
            (wins, 0, 1, "partly", [Some(0), None]),
            (wins, -1, 0, "partly", [None, Some(0)]),
            (wins, 0, 0, "exact", [Some(0), Some(0)]),
            (wins, 1, 1, "exact", [Some(1), Some(1)]),
            (scores, -46, 48, "unknown", [None, None]),
            (scores, -46, 46, "unknown", [None, None]),
            (scores, -3, 4, "unknown", [None, None]),
            (scores, -46, -1, "partly", [None, Some(-1)]),
            (scores, 2, 46, "partly", [Some(2), None]),
            (scores, 2, 6, "partly", [Some(2), Some(6)]),
            (scores, -3, -3, "exact", [Some(-3), Some(-3)]),
            // Somebody wins in any case: every bound says something.
            (Bounds::new(1, 9), 3, 9, "partly", [Some(3), None]),
            (Bounds::new(1, 9), 1, 9, "unknown", [None, None]),
        ] {
            let bounds = Bounds::new(lo, hi);
            assert_eq!(known_word(bounds, all), word, "{bounds:?}");
            let ValueJson { lo, hi } = ValueJson::new(bounds, all);
            assert_eq!([lo, hi], shown, "{bounds:?}");
        }
        let ValueJson { lo, hi } = ValueJson::proved(Bounds::new(-46, 48), scores);
        assert_eq!([lo, hi], [Some(-46), None]);
    }
}
