//! A position with all that is known of it and of its moves: by the rules, the game's knowledge, databases, certificates,
//! stores and earlier searches. Nothing is searched here.

use super::picture::{PictureJson, PlaceJson};
use super::{ApiError, Query, ValueJson, aside, open_game_at, open_position, player, tone_word};
use crate::SharedApp;
use crate::facts::NOTHING;
use crate::library::OpenGame;
use crate::sources::{EvidenceSource, Sources};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use zermelo_erased::{AnySession, tone};
use zermelo_game::{Bounds, Conflict, Evidence, Finding, Player, best_of_moves};

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
        EvidenceJson { of, value: ValueJson::new(bounds, all), reason: source.into() }
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
    tone: &'static str,
    distance: Option<u32>,
    reason: Option<ReasonJson>,
    contradiction: Option<[EvidenceJson; 2]>,
    /// Moves that are known to keep the value, the best first.
    best: Vec<String>,
    picture: PictureJson,
    moves: Vec<MoveJson>,
}

/// The whole answer about a position.
fn describe(
    app: &SharedApp,
    game: &OpenGame,
    session: &dyn AnySession,
    played: Vec<String>,
) -> PositionJson {
    let sources = Sources::of(app, game);
    let (turn, all) = (session.turn(), sources.all);
    let survey = session.survey();
    let position = session.position();
    let texts = survey.moves.iter().map(|m| m.after.as_str());
    let mut searched =
        sources.searched(std::iter::once(position.as_str()).chain(texts)).into_iter();
    let here = searched.next().unwrap_or(NOTHING);
    let mut ledger = sources.ledger(survey.known, &position, &here);
    let known: Vec<Finding<EvidenceSource>> = survey
        .moves
        .iter()
        .zip(searched)
        .map(|(m, searched)| sources.ledger(m.known, &m.after, &searched).finding())
        .collect();
    let by_itself = ledger.finding();
    // A position is worth its best move; what is known of the moves may say more than what is known of it.
    if sources.own_values {
        by_moves(turn, &known).into_iter().for_each(|evidence| ledger.enter(evidence));
    }
    let found = ledger.finding();
    let contradiction = match by_itself.conflict {
        Some(conflict) => Some(EvidenceJson::both(conflict, all)),
        None => found.conflict.map(|conflict| EvidenceJson::position_and_moves(conflict, all)),
    };
    let kept = survey.moves.iter().zip(&known);
    let best = best(kept.map(|(m, known)| (&*m.mv, known)), found.bounds, turn);
    let moves = survey.moves.into_iter().zip(known).map(|(m, known)| MoveJson {
        mv: m.mv,
        after: m.after,
        value: ValueJson::new(known.bounds, all),
        tone: tone_word(tone(known.bounds, turn)),
        distance: known.distance,
        reason: known.source.map(ReasonJson::from),
        contradiction: known.conflict.map(|conflict| EvidenceJson::both(conflict, all)),
        place: m.place.map(PlaceJson::from),
    });
    PositionJson {
        game: sources.name.clone(),
        position,
        played,
        turn: player(turn),
        outcome: session.outcome(),
        repetition: session.repetition().flatten(),
        value: ValueJson::new(found.bounds, all),
        tone: tone_word(tone(found.bounds, turn)),
        distance: found.distance,
        reason: found.source.map(ReasonJson::from),
        contradiction,
        best,
        picture: PictureJson::from(&session.picture()),
        moves: moves.collect(),
    }
}

/// What is known of the moves, as evidence about the position. The source is one that says it of a best move.
fn by_moves(turn: Player, moves: &[Finding<EvidenceSource>]) -> Option<Evidence<EvidenceSource>> {
    let bounds = best_of_moves(turn, moves.iter().map(|m| m.bounds))?;
    let least = |bounds: Bounds| bounds.seen_by(turn).lo;
    let best = moves.iter().filter(|m| least(m.bounds) == least(bounds));
    // Where there is none, the moves say nothing of the position.
    let source = best.filter_map(|m| m.source).next()?;
    Some(Evidence::new(bounds, source))
}

/// The moves that are known to keep what the player to move is sure of, the best first: short wins, long losses.
fn best<'m>(
    moves: impl Iterator<Item = (&'m str, &'m Finding<EvidenceSource>)>,
    bounds: Bounds,
    turn: Player,
) -> Vec<String> {
    let value = bounds.seen_by(turn);
    if !value.is_exact() {
        return Vec::new();
    }
    let mut keep: Vec<_> =
        moves.filter(|(_, known)| known.bounds.seen_by(turn).lo >= value.lo).collect();
    keep.sort_by_key(|(_, known)| {
        let plies = i64::from(known.distance.unwrap_or(u32::MAX));
        if value.lo > 0 { plies } else { -plies }
    });
    keep.into_iter().map(|(mv, _)| mv.to_owned()).collect()
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
        Ok(describe(app, &game, &*session, played))
    };
    // A store may have to be read.
    match app.library.stores.is_empty() {
        true => look(&app).map(Json),
        false => aside(move || look(&app)).await,
    }
}

/// Its picture, as the command line would draw it.
pub async fn picture(
    State(app): State<SharedApp>,
    Query(place): Query<PositionQuery>,
) -> Result<Response, ApiError> {
    let game = open_game_at(&app, &place.game, place.position.as_deref())?;
    let (session, _) =
        open_position(&app, &game, place.position.as_deref(), place.moves.as_deref())?;
    let svg = session.picture().to_svg();
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}
