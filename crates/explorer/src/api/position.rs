//! A position with all that is known of it and of its moves: by the rules, the game's knowledge, databases, certificates,
//! stores, the book and earlier searches. Nothing is searched here.

use super::picture::{PictureJson, PlaceJson};
use super::{
    ApiError, BoundsJson, Query, ValueJson, aside, known_word, open_game_at, open_position, player,
    scores, start_text, tone_word,
};
use crate::SharedApp;
use crate::findings::{Findings, Place};
use crate::sources::EvidenceSource;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use zermelo_erased::tone;
use zermelo_game::{Bounds, Conflict, Evidence, MoveMark};

/// Where a position is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionQuery {
    /// The game.
    pub game: String,
    /// The position; the start if there is none.
    pub position: Option<String>,
    /// Moves from there.
    pub moves: Option<String>,
}

/// Why a value is known.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ReasonJson {
    by: &'static str,
    /// Of a search.
    nodes: Option<u64>,
    /// The number of a certificate.
    proof: Option<usize>,
    /// The number of a database.
    database: Option<usize>,
    /// The number of a store.
    store: Option<usize>,
}

impl From<EvidenceSource> for ReasonJson {
    fn from(source: EvidenceSource) -> ReasonJson {
        let none =
            ReasonJson { by: "rules", nodes: None, proof: None, database: None, store: None };
        match source {
            EvidenceSource::Rules => none,
            EvidenceSource::Theory => ReasonJson { by: "theory", ..none },
            EvidenceSource::Database(n) => ReasonJson { by: "database", database: Some(n), ..none },
            EvidenceSource::Certificate(n) => {
                ReasonJson { by: "certificate", proof: Some(n), ..none }
            }
            EvidenceSource::Store(n) => ReasonJson { by: "store", store: Some(n), ..none },
            EvidenceSource::Book => ReasonJson { by: "book", ..none },
            EvidenceSource::Search(nodes) => {
                ReasonJson { by: "search", nodes: Some(nodes), ..none }
            }
        }
    }
}

/// What one of two sources says that cannot both be right.
#[derive(Clone, Copy, Serialize)]
pub struct EvidenceJson {
    /// What it was said of: the position, or its moves.
    of: &'static str,
    value: ValueJson,
    reason: ReasonJson,
}

impl EvidenceJson {
    fn new(evidence: Evidence<EvidenceSource>, all: Bounds, of: &'static str) -> EvidenceJson {
        let Evidence { bounds, source, .. } = evidence;
        EvidenceJson { of, value: ValueJson::proved(bounds, all), reason: source.into() }
    }

    /// Both of them, said of the position.
    #[must_use]
    pub fn both(conflict: Conflict<EvidenceSource>, all: Bounds) -> [EvidenceJson; 2] {
        [conflict.one, conflict.other].map(|evidence| EvidenceJson::new(evidence, all, "position"))
    }

    /// Both of them, the later one said of the moves.
    fn position_and_moves(conflict: Conflict<EvidenceSource>, all: Bounds) -> [EvidenceJson; 2] {
        [
            EvidenceJson::new(conflict.one, all, "position"),
            EvidenceJson::new(conflict.other, all, "moves"),
        ]
    }
}

#[derive(Serialize)]
pub struct MoveJson {
    #[serde(rename = "move")]
    mv: String,
    after: String,
    value: ValueJson,
    known: &'static str,
    tone: &'static str,
    distance: Option<u32>,
    reason: Option<ReasonJson>,
    contradiction: Option<[EvidenceJson; 2]>,
    place: Option<PlaceJson>,
}

#[derive(Serialize)]
pub struct PositionJson {
    game: String,
    position: String,
    played: Vec<String>,
    turn: &'static str,
    outcome: Option<i16>,
    /// What the game ends with if the last of the moves has repeated a position, by the rule of repetition.
    repetition: Option<i16>,
    value: ValueJson,
    known: &'static str,
    /// All that is proved, also where it says nothing worth knowing.
    proved: BoundsJson,
    /// Whether the value is that of the position, or of a line of play.
    scope: &'static str,
    scores: bool,
    tone: &'static str,
    distance: Option<u32>,
    reason: Option<ReasonJson>,
    contradiction: Option<[EvidenceJson; 2]>,
    /// Moves that are known to keep the value, the best first.
    best: Vec<String>,
    /// Searches that wait or run here.
    jobs: Vec<u64>,
    picture: PictureJson,
    moves: Vec<MoveJson>,
}

/// The whole answer about a position.
fn describe(app: &SharedApp, place: &Place) -> PositionJson {
    let Place { game, session, played, .. } = *place;
    let Findings { here, contradiction, moves, best } = Findings::of(app, place);
    let (turn, all) = (session.turn(), game.values());
    let moves = moves.into_iter().map(|(m, known)| MoveJson {
        mv: m.mv,
        after: m.after,
        value: ValueJson::new(known.bounds, all),
        known: known_word(known.bounds, all),
        tone: tone_word(tone(known.bounds, turn)),
        distance: known.distance,
        reason: known.source.map(ReasonJson::from),
        contradiction: known.conflict.map(|conflict| EvidenceJson::both(conflict, all)),
        place: m.place.map(PlaceJson::from),
    });
    PositionJson {
        game: game.name(),
        position: session.position(),
        played: played.to_vec(),
        turn: player(turn),
        outcome: session.outcome(),
        repetition: session.repetition().flatten(),
        value: ValueJson::new(here.bounds, all),
        known: known_word(here.bounds, all),
        proved: BoundsJson::from(here.bounds),
        scope: if game.has_own_values() { "position" } else { "line" },
        scores: scores(all),
        tone: tone_word(tone(here.bounds, turn)),
        distance: here.distance,
        reason: here.source.map(ReasonJson::from),
        contradiction: contradiction.map(|found| match found.of_moves {
            true => EvidenceJson::position_and_moves(found.both, all),
            false => EvidenceJson::both(found.both, all),
        }),
        best,
        jobs: app.jobs.about(place).iter().map(|job| job.id).collect(),
        picture: PictureJson::from(&session.picture()),
        moves: moves.collect(),
    }
}

/// A position.
pub async fn position(
    State(app): State<SharedApp>,
    Query(place): Query<PositionQuery>,
) -> Result<Json<PositionJson>, ApiError> {
    let look = move |app: &SharedApp| {
        let game = open_game_at(app, &place.game, place.position.as_deref())?;
        let (session, played) =
            open_position(app, &game, place.position.as_deref(), place.moves.as_deref())?;
        let start = start_text(&game, place.position.as_deref())?;
        let place = Place { game: &game, session: &*session, start: &start, played: &played };
        Ok(describe(app, &place))
    };
    // A store may have to be read.
    match app.library.stores.is_empty() {
        true => look(&app).map(Json),
        false => aside(move || look(&app)).await,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureQuery {
    game: String,
    position: Option<String>,
    moves: Option<String>,
    /// Whether moves are marked by what is known of them.
    #[serde(default)]
    values: bool,
}

/// Its picture, as the command line would draw it.
pub async fn picture(
    State(app): State<SharedApp>,
    Query(query): Query<PictureQuery>,
) -> Result<Response, ApiError> {
    // A store may have to be read.
    let svg = match query.values && !app.library.stores.is_empty() {
        true => aside(move || drawn(&app, &query)).await?.0,
        false => drawn(&app, &query)?,
    };
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

fn drawn(app: &SharedApp, query: &PictureQuery) -> Result<String, ApiError> {
    let (position, moves) = (query.position.as_deref(), query.moves.as_deref());
    let game = open_game_at(app, &query.game, position)?;
    let (session, played) = open_position(app, &game, position, moves)?;
    let mut picture = session.picture();
    if query.values {
        let start = start_text(&game, position)?;
        let place = Place { game: &game, session: &*session, start: &start, played: &played };
        let turn = session.turn();
        let known = Findings::of(app, &place).moves.into_iter();
        let marks = known.filter(|(_, found)| found.bounds.is_exact()).filter_map(|(m, found)| {
            Some(MoveMark { place: m.place?, tone: tone(found.bounds, turn) })
        });
        picture = picture.with_marks(marks.collect());
    }
    Ok(picture.to_svg())
}
