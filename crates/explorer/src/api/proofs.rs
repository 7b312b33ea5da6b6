//! Certificates: what they claim, whether they hold, and their strategies, position by position and as a map of sizes.

use super::jobs::time;
use super::picture::{PictureJson, PlaceJson};
use super::{
    ApiError, Body, Path, Query, aside, fits_moves, open_game_at, open_position, player, says,
    shown,
};
use crate::SharedApp;
use crate::certify::{self, CertifyRequest};
use crate::library::{CheckState, Making, ServedProof};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use zermelo_certificate::walk::{StrategyMove, StrategyPosition};
use zermelo_certificate::{Provenance, Walk};
use zermelo_erased::split_moves;
use zermelo_game::outside::printable_lines;

/// Seconds for searching and writing if nothing is said.
const USUAL_SECONDS: f64 = 60.0;

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
    made_here: bool,
    progress: Option<ProgressJson>,
    bytes: u64,
    claims: Vec<ClaimJson>,
    made: MadeJson,
    checked: Option<CheckedJson>,
}

/// How far it has come that is being made.
#[derive(Serialize)]
struct ProgressJson {
    nodes: u64,
    positions: u64,
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
    let proof = app.library.proof(id);
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
    let mut progress = None;
    let (state, refusal, opened) = match &check_state {
        CheckState::Making(making) => {
            let (state, nodes, positions) = match *making {
                Making::Searching { nodes } => ("searching", nodes, 0),
                Making::Writing { nodes, positions } => ("writing", nodes, positions),
            };
            progress = Some(ProgressJson { nodes, positions });
            (state, None, None)
        }
        CheckState::Unchecked => ("checking", None, None),
        CheckState::Refused(why) => ("refused", Some(printable_lines(why).into_owned()), None),
        CheckState::Failed(why) => ("failed", Some(printable_lines(why).into_owned()), None),
        CheckState::Proved(opened) => ("proved", None, Some(opened)),
    };
    let root = |n: usize| opened.and_then(|opened| opened.at(n, &[]).ok().flatten());
    let header = proof.header();
    let claims = header.iter().flat_map(|header| &header.claims).enumerate();
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
    let made = header.as_ref().map_or_else(Provenance::default, |header| header.made.clone());
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
        position: proof.position.clone(),
        state,
        refusal,
        made_here: proof.made_here,
        progress,
        bytes: proof.size(),
        claims: claims.map(claim).collect(),
        made: MadeJson {
            by: made.by,
            solver: made.solver,
            nodes: made.nodes,
            seconds: made.seconds.iter().sum(),
        },
        checked,
    }
}

/// All certificates.
pub async fn list(State(app): State<SharedApp>) -> Json<ProofsJson> {
    let proofs = app.library.proofs();
    let proofs = proofs.iter().map(|(n, proof)| describe(&app, *n, proof, false));
    Json(ProofsJson { proofs: proofs.collect() })
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
pub struct ProofRequestJson {
    game: String,
    position: Option<String>,
    moves: Option<String>,
    seconds: Option<f64>,
}

/// Makes a certificate of a position, or names the one that it has.
pub async fn make(
    State(app): State<SharedApp>,
    Body(ordered): Body<ProofRequestJson>,
) -> Result<(StatusCode, Json<ProofJson>), ApiError> {
    let open = open_game_at(&app, &ordered.game, ordered.position.as_deref())?;
    let time = time(&app, "seconds", ordered.seconds, USUAL_SECONDS)?;
    let (position, moves) = (ordered.position.as_deref(), ordered.moves.as_deref());
    let (session, _) = open_position(&app, &open, position, moves)?;
    if session.outcome().is_some() {
        return Err(ApiError::bad("the game is over: there is nothing to prove"));
    }
    if open.features().path_dependent {
        return Err(ApiError::bad(
            "this game has no certificates: values depend on the line of play",
        ));
    }
    let position = session.position();
    // A certificate here rests on no database.
    let game = app.library.catalogue.open_foreign(&open.full_name())?;
    let full = || ApiError::overload("too many certificates are being made; try again later");
    let limits = &app.limits;
    let catalogue = app.library.catalogue.clone();
    let request =
        CertifyRequest { catalogue, game, position: position.clone(), time, enough: says };
    let begin = |proof: &Arc<ServedProof>| -> Result<(), ApiError> {
        let permit = app.making.enter().ok_or_else(full)?;
        let turns = app.jobs.turns();
        certify::start(request, proof.clone(), turns, limits, permit).map_err(|_| full())
    };
    let (most, bytes) = (limits.made_proofs, limits.made_bytes);
    let (id, proof) = app.library.make_proof(&open.name(), &position, most, bytes, begin)?;
    Ok((StatusCode::ACCEPTED, Json(describe(&app, id, &proof, false))))
}

/// The file of a certificate that was made here.
pub async fn file(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
) -> Result<Response, ApiError> {
    let proof = find(&app, id)?;
    let whole = proof.file().filter(|_| matches!(proof.check_state(), CheckState::Proved(_)));
    let Some(whole) = whole else {
        let why = match proof.made_here {
            true => "the certificate is not there yet, or could not be made",
            false => "this certificate is a file of the server's owner",
        };
        return Err(ApiError::missing(why));
    };
    let name = format!("attachment; filename=\"{}\"", file_name(&proof.name));
    let kind = (header::CONTENT_TYPE, "application/octet-stream".to_owned());
    Ok(([kind, (header::CONTENT_DISPOSITION, name)], whole).into_response())
}

/// A name that is one everywhere.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    name.chars().map(|c| if plain(c) { c } else { '-' }).collect()
}

/// Forgets a certificate that was made here.
pub async fn forget(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
) -> Result<Json<ProofJson>, ApiError> {
    let proof = find(&app, id)?;
    if app.limits.jobs_of_client.is_some() || !app.library.forget_proof(id) {
        let why =
            "only certificates that were made here can be forgotten, and on a public server none";
        return Err(ApiError::new(StatusCode::FORBIDDEN, why));
    }
    Ok(Json(describe(&app, id, &proof, false)))
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
        CheckState::Making(_) | CheckState::Unchecked => {
            let why = "the certificate is being made or checked; ask again";
            return Err(ApiError::new(StatusCode::CONFLICT, why));
        }
        CheckState::Failed(why) => {
            return Err(ApiError::missing(format!("the certificate could not be made: {why}")));
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
