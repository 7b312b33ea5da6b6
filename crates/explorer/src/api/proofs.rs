//! Certificates: what they claim, whether they hold, and their strategies, position by position and as a map of sizes.

use super::picture::{PictureJson, PlaceJson};
use super::{ApiError, Path, Query, aside, fits_moves, player, shown};
use crate::SharedApp;
use crate::library::{CheckState, ServedProof};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use zermelo_certificate::Walk;
use zermelo_certificate::walk::{StrategyMove, StrategyPosition};
use zermelo_erased::split_moves;

#[derive(Serialize)]
pub struct ProofsJson {
    proofs: Vec<ProofJson>,
}

#[derive(Serialize)]
pub struct ProofJson {
    id: usize,
    name: String,
    game: String,
    position: String,
    state: &'static str,
    refusal: Option<String>,
    bytes: u64,
    claims: Vec<ClaimJson>,
    made: MadeJson,
    checked: Option<CheckedJson>,
}

#[derive(Serialize)]
struct ClaimJson {
    words: String,
    claimant: &'static str,
    value: i16,
    positions: u64,
    /// Plies the opponent can hold out; null before the check.
    longest: Option<u32>,
    /// Such a line, as far as it is told.
    line: Vec<String>,
}

#[derive(Serialize)]
struct MadeJson {
    #[serde(serialize_with = "shown")]
    by: String,
    #[serde(serialize_with = "shown")]
    solver: String,
    nodes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct CheckedJson {
    positions: u64,
    searched: u64,
    looked_at: u64,
    ends: u64,
    depth: u32,
    seconds: f64,
}

fn find(app: &SharedApp, id: usize) -> Result<Arc<ServedProof>, ApiError> {
    let proof = app.library.proofs.get(id).cloned();
    proof.ok_or_else(|| ApiError::missing(format!("there is no certificate {id}")))
}

/// A line in which the opponent holds out as long as it can.
fn longest_line(proof: &dyn Walk, claim: usize, most: usize) -> Vec<String> {
    let mut line: Vec<String> = Vec::new();
    while line.len() < most {
        let words: Vec<&str> = line.iter().map(String::as_str).collect();
        let Ok(Some(spot)) = proof.at(claim, &words) else { break };
        // The first of the hardest.
        let Some(next) = spot.steps.into_iter().rev().max_by_key(|way| way.longest) else { break };
        line.push(next.mv);
    }
    line
}

fn describe(app: &SharedApp, id: usize, proof: &ServedProof, whole: bool) -> ProofJson {
    let check_state = proof.check_state();
    let (state, refusal, opened) = match &check_state {
        CheckState::Unchecked => ("checking", None, None),
        CheckState::Refused(why) => ("refused", Some(why.clone()), None),
        CheckState::Proved(opened) => ("proved", None, Some(opened)),
    };
    let root = |n: usize| opened.and_then(|opened| opened.at(n, &[]).ok().flatten());
    let claims = proof.header.claims.iter().enumerate();
    let claim = |(n, part): (usize, &zermelo_certificate::format::ClaimProof)| ClaimJson {
        words: part.claim().words(),
        claimant: player(part.claimant),
        value: part.value,
        positions: part.positions,
        longest: root(n).map(|spot| spot.longest),
        line: match opened {
            Some(opened) if whole => longest_line(&**opened, n, app.limits.plies),
            _ => Vec::new(),
        },
    };
    let made = &proof.header.made;
    let checked = opened.map(|opened| opened.checked()).map(|c| CheckedJson {
        positions: c.positions,
        searched: c.searched,
        looked_at: c.looked_at,
        ends: c.ends,
        depth: c.depth,
        seconds: c.elapsed.as_secs_f64(),
    });
    ProofJson {
        id,
        name: proof.name.clone(),
        game: proof.game.clone(),
        position: proof.header.position.clone(),
        state,
        refusal,
        bytes: proof.bytes,
        claims: claims.map(claim).collect(),
        made: MadeJson {
            by: made.by.clone(),
            solver: made.solver.clone(),
            nodes: made.nodes,
            seconds: made.seconds.iter().sum(),
        },
        checked,
    }
}

/// All certificates.
pub async fn list(State(app): State<SharedApp>) -> Json<ProofsJson> {
    let proofs = app.library.proofs.iter().enumerate();
    Json(ProofsJson { proofs: proofs.map(|(n, proof)| describe(&app, n, proof, false)).collect() })
}

/// A certificate.
pub async fn show(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
) -> Result<Json<ProofJson>, ApiError> {
    let proof = find(&app, id)?;
    aside(move || Ok(describe(&app, id, &proof, true))).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofNodeQuery {
    #[serde(default)]
    claim: usize,
    /// The moves of both players from the position of the claim.
    moves: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofMapQuery {
    #[serde(default)]
    claim: usize,
    moves: Option<String>,
    depth: Option<usize>,
}

#[derive(Serialize)]
pub struct ProofNodeJson {
    position: String,
    turn: &'static str,
    /// Whether it is the turn of the one who keeps the claim.
    claimant: bool,
    outcome: Option<i16>,
    longest: u32,
    positions: u64,
    kind: &'static str,
    picture: PictureJson,
    steps: Vec<StepJson>,
}

#[derive(Serialize)]
struct StepJson {
    #[serde(rename = "move")]
    mv: String,
    answer: Option<String>,
    place: Option<PlaceJson>,
    longest: u32,
    positions: u64,
    outcome: Option<i16>,
    kind: &'static str,
}

/// What a position of a proof is: where the game is over, where the checker searches, where the strategy goes on, or
/// where it goes on as it was told elsewhere.
fn kind(outcome: Option<i16>, searched: bool, positions: u64) -> &'static str {
    match (outcome, searched, positions) {
        (Some(_), ..) => "end",
        (None, true, _) => "search",
        (None, false, 0) => "elsewhere",
        (None, false, _) => "inner",
    }
}

impl From<StrategyMove> for StepJson {
    fn from(way: StrategyMove) -> StepJson {
        StepJson {
            kind: kind(way.outcome, way.searched, way.positions),
            mv: way.mv,
            answer: way.answer,
            place: way.place.map(PlaceJson::from),
            longest: way.longest,
            positions: way.positions,
            outcome: way.outcome,
        }
    }
}

/// A proof that holds, and a position of it.
fn spot(
    app: &SharedApp,
    id: usize,
    claim: usize,
    moves: &str,
) -> Result<(Arc<dyn Walk>, StrategyPosition), ApiError> {
    let proof = find(app, id)?;
    fits_moves(app, moves)?;
    let opened = match proof.check_state() {
        CheckState::Proved(opened) => opened,
        CheckState::Unchecked => {
            return Err(ApiError::new(
                axum::http::StatusCode::CONFLICT,
                "the certificate is being checked; ask again",
            ));
        }
        CheckState::Refused(why) => {
            return Err(ApiError::missing(format!("the certificate was refused: {why}")));
        }
    };
    let path: Vec<&str> = split_moves(moves).collect();
    let spot = opened.at(claim, &path)?;
    let spot = spot.ok_or_else(|| ApiError::missing("the strategy does not go there"))?;
    Ok((opened, spot))
}

/// A position of a certificate, with where it goes on.
pub async fn node(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
    Query(query): Query<ProofNodeQuery>,
) -> Result<Json<ProofNodeJson>, ApiError> {
    let moves = query.moves.unwrap_or_default();
    let (opened, spot) = spot(&app, id, query.claim, &moves)?;
    let claimant = opened.claims()[query.claim].claimant;
    Ok(Json(ProofNodeJson {
        turn: player(spot.turn),
        claimant: spot.turn == claimant,
        outcome: spot.outcome,
        longest: spot.longest,
        positions: spot.positions,
        kind: kind(spot.outcome, spot.searched, spot.positions),
        picture: PictureJson::from(&spot.picture),
        steps: spot.steps.into_iter().map(StepJson::from).collect(),
        position: spot.position,
    }))
}

#[derive(Serialize)]
pub struct MapJson {
    /// The moves from the root of the map, both players'.
    path: Vec<String>,
    positions: u64,
    kind: &'static str,
    parts: Vec<MapJson>,
    /// Positions in parts that are not shown.
    rest: u64,
}

/// Sizes of the parts of a strategy.
pub async fn map(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
    Query(query): Query<ProofMapQuery>,
) -> Result<Json<MapJson>, ApiError> {
    let most = app.limits.map_depth;
    let depth = query.depth.unwrap_or(3);
    if depth > most {
        return Err(ApiError::bad(format!("a map has at most {most} levels")));
    }
    aside(move || {
        let moves = query.moves.unwrap_or_default();
        let (opened, spot) = spot(&app, id, query.claim, &moves)?;
        let start: Vec<String> = split_moves(&moves).map(str::to_owned).collect();
        let cells = app.limits.map_cells;
        Ok(part(&*opened, query.claim, &start, Vec::new(), spot, depth, cells))
    })
    .await
}

/// A position, and the parts below it: at most `room` cells, large parts with more of them. A level is a reply with its
/// answer.
fn part(
    opened: &dyn Walk,
    claim: usize,
    start: &[String],
    path: Vec<String>,
    spot: StrategyPosition,
    depth: usize,
    room: usize,
) -> MapJson {
    let kind = kind(spot.outcome, spot.searched, spot.positions);
    let (positions, mut parts, mut shown) = (spot.positions, Vec::new(), 0);
    let at = |path: &[String]| {
        let all: Vec<&str> = start.iter().chain(path).map(String::as_str).collect();
        opened.at(claim, &all).ok().flatten()
    };
    let mine = opened.claims()[claim].claimant;
    // The claimant's move is no choice: it is gone through.
    let (mut to, mut spot) = (path.clone(), Some(spot).filter(|_| depth > 0));
    while let Some(StrategyPosition { turn, ref steps, .. }) = spot
        && turn == mine
        && steps.len() == 1
    {
        to.push(steps[0].mv.clone());
        spot = at(&to);
    }
    let mut steps = spot.map_or_else(Vec::new, |spot| spot.steps);
    steps.retain(|way| way.positions > 0);
    steps.sort_by_key(|way| std::cmp::Reverse(way.positions));
    steps.truncate(room);
    let more = (room - steps.len()) as u64;
    for way in steps {
        let mut path = to.clone();
        path.push(way.mv);
        if let Some(next) = at(&path) {
            shown += way.positions;
            let room = (more * way.positions / positions.max(1)).min(more) as usize;
            let mut below = part(opened, claim, start, path, next, depth - 1, room);
            below.positions = way.positions;
            parts.push(below);
        }
    }
    MapJson { path, positions, kind, parts, rest: positions.saturating_sub(shown) }
}
