//! A position with all that is known of it and of its moves: by the rules, the game's knowledge, databases, certificates,
//! stores and earlier searches. Nothing is searched here.

use super::picture::{PictureJson, PlaceJson};
use super::{Query, Trouble, ValueJson, aside, open, player, sit, tone_word};
use crate::Shared;
use crate::library::Game;
use crate::lore::{Lore, Reason, Said, Verdict};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use zermelo_any::{AnySession, tone};
use zermelo_game::{Bounds, Player};

/// Where a position is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
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

impl From<Reason> for ReasonJson {
    fn from(reason: Reason) -> ReasonJson {
        let none =
            ReasonJson { by: "rules", nodes: None, proof: None, database: None, store: None };
        match reason {
            Reason::Rules => none,
            Reason::Theory => ReasonJson { by: "theory", ..none },
            Reason::Database(n) => ReasonJson { by: "database", database: Some(n), ..none },
            Reason::Certificate(n) => ReasonJson { by: "certificate", proof: Some(n), ..none },
            Reason::Store(n) => ReasonJson { by: "store", store: Some(n), ..none },
            Reason::Search(nodes) => ReasonJson { by: "search", nodes: Some(nodes), ..none },
        }
    }
}

/// What one of two sources says that cannot both be right.
#[derive(Clone, Copy, Serialize)]
pub struct SaidJson {
    /// What it was said of: the position, or its moves.
    of: &'static str,
    value: ValueJson,
    reason: ReasonJson,
}

/// Both of them.
#[must_use]
pub fn contradiction(verdict: &Verdict, all: Bounds) -> Option<[SaidJson; 2]> {
    let said = |said: Said| SaidJson {
        of: if said.by_moves { "moves" } else { "position" },
        value: ValueJson::new(said.bounds, all),
        reason: said.reason.into(),
    };
    verdict.clash.map(|both| both.map(said))
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
    contradiction: Option<[SaidJson; 2]>,
    place: Option<PlaceJson>,
}

#[derive(Serialize)]
pub struct PositionJson {
    game: String,
    position: String,
    played: Vec<String>,
    turn: &'static str,
    outcome: Option<i16>,
    value: ValueJson,
    tone: &'static str,
    distance: Option<u32>,
    reason: Option<ReasonJson>,
    contradiction: Option<[SaidJson; 2]>,
    /// Moves that are known to keep the value, the best first.
    best: Vec<String>,
    picture: PictureJson,
    moves: Vec<MoveJson>,
}

/// The whole answer about a position.
fn describe(
    app: &Shared,
    game: &Game,
    session: &dyn AnySession,
    played: Vec<String>,
) -> PositionJson {
    let lore = Lore::of(app, game);
    let (turn, all) = (session.turn(), lore.all);
    let view = session.view();
    let position = session.position();
    let texts = view.moves.iter().map(|m| m.after.as_str());
    let mut facts = lore.facts(std::iter::once(position.as_str()).chain(texts)).into_iter();
    let mut hearing = lore.hear(&view.known, &position, &facts.next().unwrap_or_default());
    let mut moves = Vec::new();
    let mut kept = Vec::new();
    let mut roof = all.seen_by(turn).lo;
    let mut floor = (roof, None);
    for (m, facts) in view.moves.into_iter().zip(facts) {
        let verdict = lore.hear(&m.known, &m.after, &facts).verdict();
        let bounds = verdict.bounds;
        let seen = bounds.seen_by(turn);
        roof = roof.max(seen.hi);
        if seen.lo > floor.0 || floor.1.is_none() {
            floor = (seen.lo, verdict.reason);
        }
        let distance = m.known.distance.filter(|_| verdict.clash.is_none());
        kept.push((m.mv.clone(), seen, distance));
        moves.push(MoveJson {
            mv: m.mv,
            after: m.after,
            value: ValueJson::new(bounds, all),
            tone: tone_word(tone(bounds, turn)),
            distance,
            reason: verdict.reason.map(ReasonJson::from),
            contradiction: contradiction(&verdict, all),
            place: m.place.map(PlaceJson::from),
        });
    }
    // A position is worth its best move; what is known of the moves may say more than what is known of it.
    if lore.settled && !moves.is_empty() {
        let bounds = Bounds::new(floor.0, roof).seen_by(turn);
        let reason = floor.1.or(hearing.verdict().reason).unwrap_or(Reason::Theory);
        hearing.hear(Said { reason, bounds, by_moves: true });
    }
    let verdict = hearing.verdict();
    PositionJson {
        game: lore.name.clone(),
        position,
        played,
        turn: player(turn),
        outcome: session.outcome(),
        value: ValueJson::new(verdict.bounds, all),
        tone: tone_word(tone(verdict.bounds, turn)),
        distance: view.known.distance.filter(|_| verdict.clash.is_none()),
        reason: verdict.reason.map(ReasonJson::from),
        contradiction: contradiction(&verdict, all),
        best: best(kept, verdict.bounds, turn),
        picture: PictureJson::from(&session.picture()),
        moves,
    }
}

/// The moves that are known to keep what the player to move is sure of, the best first: short wins, long losses.
fn best(moves: Vec<(String, Bounds, Option<u32>)>, bounds: Bounds, turn: Player) -> Vec<String> {
    let value = bounds.seen_by(turn);
    if !value.is_exact() {
        return Vec::new();
    }
    let mut keep: Vec<_> = moves.into_iter().filter(|(_, seen, _)| seen.lo >= value.lo).collect();
    keep.sort_by_key(|(_, _, distance)| {
        let plies = i64::from(distance.unwrap_or(u32::MAX));
        if value.lo > 0 { plies } else { -plies }
    });
    keep.into_iter().map(|(mv, ..)| mv).collect()
}

/// A position.
pub async fn position(
    State(app): State<Shared>,
    Query(place): Query<Place>,
) -> Result<Json<PositionJson>, Trouble> {
    let look = move |app: &Shared| {
        let game = open(app, &place.game)?;
        let (session, played) = sit(app, &game, place.position.as_deref(), place.moves.as_deref())?;
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
    State(app): State<Shared>,
    Query(place): Query<Place>,
) -> Result<Response, Trouble> {
    let game = open(&app, &place.game)?;
    let (session, _) = sit(&app, &game, place.position.as_deref(), place.moves.as_deref())?;
    let svg = session.picture().to_svg();
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}
