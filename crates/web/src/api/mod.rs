//! The interface under `/api/v1`: one file for each group of routes. `openapi.json` describes all of it.

mod games;
mod jobs;
mod picture;
mod position;
mod probe;
mod proofs;
mod stores;

use crate::gate::gate;
use crate::library::Game;
use crate::{Shared, page};
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::Serialize;
use zermelo_any::AnySession;
use zermelo_game::{Bounds, ParseError, Player, Tone};

/// The description.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// All routes of the interface, with their methods.
pub const ROUTES: &[(&str, &str)] = &[
    ("get", "/api/v1/openapi.json"),
    ("get", "/api/v1/games"),
    ("get", "/api/v1/game"),
    ("get", "/api/v1/picture.svg"),
    ("get", "/api/v1/position"),
    ("post", "/api/v1/probe"),
    ("get", "/api/v1/jobs"),
    ("post", "/api/v1/jobs"),
    ("get", "/api/v1/jobs/{id}"),
    ("delete", "/api/v1/jobs/{id}"),
    ("get", "/api/v1/jobs/{id}/events"),
    ("get", "/api/v1/proofs"),
    ("get", "/api/v1/proofs/{id}"),
    ("get", "/api/v1/proofs/{id}/node"),
    ("get", "/api/v1/proofs/{id}/map"),
    ("get", "/api/v1/stores"),
    ("get", "/api/v1/stores/{id}"),
    ("get", "/api/v1/stores/{id}/node"),
    ("get", "/api/v1/stores/{id}/map"),
];

/// The server's answers to everything.
pub fn router(app: Shared) -> Router {
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
        .route("/api/v1/picture.svg", get(position::picture))
        .route("/api/v1/position", get(position::position))
        .route("/api/v1/probe", post(probe::probe))
        .route("/api/v1/jobs", get(jobs::list).post(jobs::start))
        .route("/api/v1/jobs/{id}", get(jobs::show).delete(jobs::stop))
        .route("/api/v1/jobs/{id}/events", get(jobs::events))
        .route("/api/v1/proofs", get(proofs::list))
        .route("/api/v1/proofs/{id}", get(proofs::show))
        .route("/api/v1/proofs/{id}/node", get(proofs::node))
        .route("/api/v1/proofs/{id}/map", get(proofs::map))
        .route("/api/v1/stores", get(stores::list))
        .route("/api/v1/stores/{id}", get(stores::show))
        .route("/api/v1/stores/{id}/node", get(stores::node))
        .route("/api/v1/stores/{id}/map", get(stores::map))
        .fallback(|| async { Trouble::new(StatusCode::NOT_FOUND, "there is nothing here") })
        .method_not_allowed_fallback(|| async {
            Trouble::new(StatusCode::METHOD_NOT_ALLOWED, "this cannot be done here")
        })
        .layer(DefaultBodyLimit::max(body))
        .layer(middleware::from_fn_with_state(app.clone(), gate))
        .with_state(app)
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub struct Trouble {
    status: StatusCode,
    error: ErrorJson,
}

#[derive(Clone, Debug, Serialize)]
struct ErrorJson {
    message: String,
    /// What could not be read: "game", "position" or "move".
    what: Option<&'static str>,
    /// Where, counted in characters from 1.
    column: Option<usize>,
    expected: Option<String>,
    /// Which of several positions.
    index: Option<usize>,
}

#[derive(Serialize)]
struct TroubleJson<'a> {
    error: &'a ErrorJson,
}

impl Trouble {
    /// An answer with this status.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Trouble {
        let (what, column, expected, index) = (None, None, None, None);
        let error = ErrorJson { message: message.into(), what, column, expected, index };
        Trouble { status, error }
    }

    /// The client asked for what cannot be.
    pub fn bad(message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is no such thing.
    pub fn missing(message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::NOT_FOUND, message)
    }

    /// Too much at once: the one failure that is meant.
    pub fn overload(message: impl Into<String>) -> Trouble {
        Trouble::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// The same about one of several positions.
    #[must_use]
    pub fn at(mut self, index: usize) -> Trouble {
        self.error.index = Some(index);
        self
    }
}

impl From<ParseError> for Trouble {
    fn from(error: ParseError) -> Trouble {
        let mut trouble = Trouble::bad(error.to_string());
        trouble.error.what = Some(error.what);
        trouble.error.column = Some(error.column());
        trouble.error.expected = Some(error.expected);
        trouble
    }
}

impl From<QueryRejection> for Trouble {
    fn from(rejection: QueryRejection) -> Trouble {
        Trouble::bad(rejection.body_text())
    }
}

impl From<PathRejection> for Trouble {
    fn from(_: PathRejection) -> Trouble {
        Trouble::missing("the last part of the path must be a number")
    }
}

impl From<JsonRejection> for Trouble {
    fn from(rejection: JsonRejection) -> Trouble {
        let status = match rejection.status() {
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            status => status,
        };
        Trouble::new(status, rejection.body_text())
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let mut answer = (self.status, Json(TroubleJson { error: &self.error })).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        answer
    }
}

/// The words after the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Trouble))]
pub struct Query<T>(pub T);

/// The number in a path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Trouble))]
pub struct Path<T>(pub T);

/// A body.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(Trouble))]
pub struct Body<T>(pub T);

/// A value as an interval. A bound that says nothing is null.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ValueJson {
    lo: Option<i16>,
    hi: Option<i16>,
}

impl ValueJson {
    /// What is known of a value of a game with these values.
    #[must_use]
    pub fn new(bounds: Bounds, all: Bounds) -> ValueJson {
        let says = |said: bool, value| (said || bounds.is_exact()).then_some(value);
        ValueJson {
            lo: says(bounds.lo > all.lo, bounds.lo),
            hi: says(bounds.hi < all.hi, bounds.hi),
        }
    }
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

/// Moves from text, separated by blanks or commas.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

/// Does what may take a while in a thread for that.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<Json<T>, Trouble> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer.map(Json),
        Err(_) => Err(Trouble::overload("the server is ending")),
    }
}

/// Opens a game, refusing names that are too long to be any.
pub fn open(app: &Shared, name: &str) -> Result<Game, Trouble> {
    fits(app, "game", name)?;
    Ok(app.library.game(name)?)
}

/// Refuses a text that is too long.
pub fn fits(app: &Shared, what: &str, text: &str) -> Result<(), Trouble> {
    match text.len() > app.limits.text {
        false => Ok(()),
        true => {
            Err(Trouble::bad(format!("the {what} is longer than {} characters", app.limits.text)))
        }
    }
}

/// A session at a position and after moves, and the moves as the game writes them. Errors show the place in the whole
/// text.
pub fn sit<'g>(
    app: &Shared,
    game: &'g Game,
    position: Option<&str>,
    moves: Option<&str>,
) -> Result<(Box<dyn AnySession + 'g>, Vec<String>), Trouble> {
    let mut session = game.session();
    if let Some(text) = position.filter(|text| !text.trim().is_empty()) {
        fits(app, "position", text)?;
        session.set_position(text)?;
    }
    let mut played = Vec::new();
    let Some(text) = moves else { return Ok((session, played)) };
    fits(app, "list of moves", text)?;
    for word in words(text) {
        if played.len() == app.limits.plies {
            return Err(Trouble::bad(format!("there are more than {} moves", app.limits.plies)));
        }
        played.push(session.play(word).map_err(|error| {
            let byte = word.as_ptr() as usize - text.as_ptr() as usize;
            let before = text[..byte].chars().count();
            ParseError::new("move", text, before + error.at, error.expected)
        })?);
    }
    Ok((session, played))
}
