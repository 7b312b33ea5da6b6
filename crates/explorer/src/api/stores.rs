//! Stores of a manager: proofs that may still be going on. Every request opens the file anew, to read and never to write,
//! and looks at it as it is at that moment.

use super::picture::{PictureJson, PlaceJson};
use super::{ApiError, Path, Query, ValueJson, all_shown, aside, player, shown, tone_word};
use crate::SharedApp;
use crate::library::ServedStore;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use zermelo_erased::tone;
use zermelo_game::Bounds;
use zermelo_proof_tree::remaining::Goal;
use zermelo_proof_tree::view::{Area, PositionRow, StoreSample, StoreSnapshot, told};
use zermelo_proof_tree::{ProofTreeFailure, Store};

/// The most roots, moves, provers, samples and missing pieces that are told.
const ROOTS: usize = 20;
const MOVES: usize = 400;
const PROVERS: usize = 256;
const SAMPLES: usize = 400;
const PARTS: usize = 40;

#[derive(Serialize)]
pub struct StoresJson {
    stores: Vec<StoreJson>,
}

/// A store at a glance. Where it cannot be read, `trouble` says why, and the rest is null.
#[derive(Serialize)]
pub struct StoreJson {
    id: usize,
    name: String,
    running: bool,
    trouble: Option<String>,
    about: Option<AboutJson>,
}

#[derive(Serialize)]
struct AboutJson {
    #[serde(serialize_with = "shown")]
    game: String,
    /// The root that was asked for last.
    position: Option<String>,
    value: ValueJson,
    nodes: u64,
    settled: u64,
    facts: u64,
}

#[derive(Serialize)]
pub struct WholeJson {
    store: StoreJson,
    roots: Vec<RootJson>,
    threshold: Option<i32>,
    frontier: u64,
    jobs: u64,
    claims: Vec<ClaimJson>,
    provers: Vec<DoingJson>,
    samples: Vec<SampleJson>,
}

#[derive(Serialize)]
struct RootJson {
    id: u32,
    #[serde(serialize_with = "shown")]
    position: String,
    value: ValueJson,
}

#[derive(Clone, Copy, Serialize)]
struct NumbersJson {
    proof: Option<u32>,
    disproof: Option<u32>,
}

/// What is claimed of the root, and what would show it.
#[derive(Serialize)]
struct ClaimJson {
    words: String,
    claimant: &'static str,
    numbers: Option<NumbersJson>,
    #[serde(serialize_with = "all_shown")]
    line: Vec<String>,
    parts: Vec<PartJson>,
    more: bool,
}

#[derive(Serialize)]
struct PartJson {
    #[serde(serialize_with = "all_shown")]
    path: Vec<String>,
    id: u32,
    #[serde(serialize_with = "shown")]
    position: String,
    expanded: bool,
    tried: bool,
    numbers: Option<NumbersJson>,
}

#[derive(Serialize)]
struct DoingJson {
    prover: u32,
    #[serde(serialize_with = "shown")]
    position: String,
    seconds: f64,
}

#[derive(Serialize)]
struct SampleJson {
    seconds: f64,
    threshold: Option<i32>,
    nodes: u64,
    settled: u64,
    facts: u64,
    frontier: u64,
    jobs: u64,
    /// Of the root.
    win: Option<NumbersJson>,
    loss: Option<NumbersJson>,
    visited: u64,
    work: f64,
}

#[derive(Serialize)]
pub struct StoreNodeJson {
    id: u32,
    #[serde(serialize_with = "shown")]
    position: String,
    turn: &'static str,
    value: ValueJson,
    tone: &'static str,
    score: Option<i32>,
    expanded: bool,
    tried: bool,
    win: Option<NumbersJson>,
    loss: Option<NumbersJson>,
    nodes: u64,
    seconds: f64,
    facts: Vec<FactJson>,
    picture: PictureJson,
    moves: Vec<StepJson>,
    more: bool,
}

#[derive(Serialize)]
struct FactJson {
    value: ValueJson,
    #[serde(serialize_with = "shown")]
    source: String,
}

#[derive(Serialize)]
struct StepJson {
    #[serde(rename = "move")]
    #[serde(serialize_with = "shown")]
    mv: String,
    id: u32,
    place: Option<PlaceJson>,
    value: ValueJson,
    /// For the player who moves.
    tone: &'static str,
    settled: bool,
    expanded: bool,
    tried: bool,
    score: Option<i32>,
    win: Option<NumbersJson>,
    loss: Option<NumbersJson>,
    nodes: u64,
    seconds: f64,
}

#[derive(Serialize)]
pub struct AreaJson {
    #[serde(serialize_with = "all_shown")]
    path: Vec<String>,
    id: u32,
    seconds: f64,
    settled: bool,
    parts: Vec<AreaJson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreNodeQuery {
    id: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreMapQuery {
    id: u32,
    depth: Option<usize>,
}

/// What is wrong with a store. Where the file lies is nobody's business.
fn words(failure: ProofTreeFailure) -> String {
    match failure {
        ProofTreeFailure::Store { why, .. } => why,
        ProofTreeFailure::Io(_, error) => error.to_string(),
        other => other.to_string(),
    }
}

/// A store that cannot be read now may be one that can be read later.
fn unreadable(failure: ProofTreeFailure) -> ApiError {
    let words = format!("the store cannot be read: {}", words(failure));
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, words)
}

fn find(app: &SharedApp, id: usize) -> Result<&ServedStore, ApiError> {
    let store = app.library.stores.get(id);
    store.ok_or_else(|| ApiError::missing(format!("there is no store {id}")))
}

fn numbers(pair: Option<[u32; 2]>) -> Option<NumbersJson> {
    pair.map(|[pn, dn]| NumbersJson { proof: told(pn), disproof: told(dn) })
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

fn about(snapshot: &StoreSnapshot) -> Result<(AboutJson, Vec<PositionRow>), ProofTreeFailure> {
    let (roots, all) = (snapshot.roots(ROOTS)?, snapshot.about().values);
    let [nodes, facts] = snapshot.counts()?;
    let root = roots.first();
    let about = AboutJson {
        game: snapshot.about().identity.game.clone(),
        position: root.map(|row| row.position.clone()),
        value: ValueJson::new(root.map_or(all, |row| row.bounds), all),
        nodes,
        settled: snapshot.settled()?,
        facts,
    };
    Ok((about, roots))
}

/// All stores.
pub async fn list(State(app): State<SharedApp>) -> Result<Json<StoresJson>, ApiError> {
    aside(move || {
        let glance = |(id, served): (usize, &ServedStore)| {
            let (about, trouble) =
                match app.library.snapshot(served).and_then(|snapshot| about(&snapshot)) {
                    Ok((about, _)) => (Some(about), None),
                    Err(failure) => (None, Some(words(failure))),
                };
            let running = Store::at_work(&served.dir);
            StoreJson { id, name: served.name.clone(), running, trouble, about }
        };
        Ok(StoresJson { stores: app.library.stores.iter().enumerate().map(glance).collect() })
    })
    .await
}

fn claim(
    snapshot: &StoreSnapshot,
    root: &PositionRow,
    goal: Goal,
) -> Result<ClaimJson, ProofTreeFailure> {
    let found = snapshot.remaining(root, goal, PARTS)?;
    let parts = found.open.into_iter().map(|part| PartJson {
        path: part.path,
        id: part.row.id,
        expanded: part.row.expanded,
        tried: part.row.tried,
        numbers: numbers(goal.numbers(&part.row)),
        position: part.row.position,
    });
    Ok(ClaimJson {
        words: goal.words(snapshot.about().values),
        claimant: player(goal.claimant),
        numbers: numbers(goal.numbers(root)),
        line: found.line,
        parts: parts.collect(),
        more: found.more,
    })
}

fn sample(sample: StoreSample) -> SampleJson {
    let StoreSample { at, threshold, counts: [nodes, settled, facts], frontier, jobs, .. } = sample;
    let [win, loss] = sample.numbers.map(numbers);
    let StoreSample { visited, work, .. } = sample;
    SampleJson {
        seconds: at,
        threshold,
        nodes,
        settled,
        facts,
        frontier,
        jobs,
        win,
        loss,
        visited,
        work,
    }
}

fn whole(app: &SharedApp, id: usize, served: &ServedStore) -> Result<WholeJson, ProofTreeFailure> {
    // Before the file is looked at: what it says after a run has ended is the last word.
    let running = Store::at_work(&served.dir);
    let snapshot = app.library.snapshot(served)?;
    let all = snapshot.about().values;
    let (about, roots) = about(&snapshot)?;
    let samples: Vec<SampleJson> = snapshot.samples(SAMPLES)?.into_iter().map(sample).collect();
    let last = samples.last();
    let root = roots.first();
    let open = root.map(|root| Goal::open(all, root.bounds)).unwrap_or_default();
    let claims = root.into_iter().flat_map(|root| open.iter().map(move |&goal| (root, goal)));
    let provers = if running { snapshot.provers(PROVERS)? } else { Vec::new() };
    Ok(WholeJson {
        threshold: last.and_then(|sample| sample.threshold),
        frontier: last.map_or(0, |sample| sample.frontier),
        jobs: last.map_or(0, |sample| sample.jobs),
        claims: claims
            .map(|(root, goal)| claim(&snapshot, root, goal))
            .collect::<Result<_, _>>()?,
        provers: provers
            .into_iter()
            .map(|p| DoingJson { prover: p.slot, position: p.position, seconds: p.seconds })
            .collect(),
        samples,
        roots: roots
            .iter()
            .map(|row| RootJson {
                id: row.id,
                position: row.position.clone(),
                value: ValueJson::new(row.bounds, all),
            })
            .collect(),
        store: StoreJson {
            id,
            name: served.name.clone(),
            running,
            trouble: None,
            about: Some(about),
        },
    })
}

/// A store: how far it is, what is missing, who does what.
pub async fn show(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
) -> Result<Json<WholeJson>, ApiError> {
    aside(move || whole(&app, id, find(&app, id)?).map_err(unreadable)).await
}

fn step(mv: String, row: PositionRow, mover: zermelo_game::Player, all: Bounds) -> StepJson {
    StepJson {
        mv,
        id: row.id,
        place: None,
        value: ValueJson::new(row.bounds, all),
        tone: tone_word(tone(row.bounds, mover)),
        settled: row.bounds.is_exact(),
        expanded: row.expanded,
        tried: row.tried,
        score: row.score,
        win: numbers(row.numbers[0]),
        loss: numbers(row.numbers[1]),
        nodes: row.nodes,
        seconds: seconds(row.micros),
    }
}

/// A position of a store, with its moves.
pub async fn node(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
    Query(query): Query<StoreNodeQuery>,
) -> Result<Json<StoreNodeJson>, ApiError> {
    aside(move || {
        let snapshot = app.library.snapshot(find(&app, id)?).map_err(unreadable)?;
        let row = snapshot.row(query.id).map_err(unreadable)?;
        let row = row.ok_or_else(|| ApiError::missing(format!("no position {}", query.id)))?;
        let all = snapshot.about().values;
        let strange = |e: zermelo_game::ParseError| {
            let words = format!("the store cannot be read: {e}");
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, words)
        };
        let game = app.library.game(&snapshot.about().identity.game).map_err(strange)?;
        let mut session = game.session();
        session.set_position(&row.position).map_err(strange)?;
        let moves = snapshot.moves(row.id, MOVES + 1).map_err(unreadable)?;
        let more = moves.len() > MOVES;
        let moves = moves.into_iter().take(MOVES).map(|(mv, child)| {
            let mut step = step(mv, child, row.turn, all);
            step.place = session.place(&step.mv).map(PlaceJson::from);
            step
        });
        let fact = |fact: zermelo_proof_tree::store::StoredFact| FactJson {
            value: ValueJson::new(fact.bounds, all),
            source: fact.words(),
        };
        let facts = snapshot.facts_of(row.id).map_err(unreadable)?;
        Ok(StoreNodeJson {
            id: row.id,
            turn: player(row.turn),
            value: ValueJson::new(row.bounds, all),
            tone: tone_word(tone(row.bounds, row.turn)),
            score: row.score,
            expanded: row.expanded,
            tried: row.tried,
            win: numbers(row.numbers[0]),
            loss: numbers(row.numbers[1]),
            nodes: row.nodes,
            seconds: seconds(row.micros),
            facts: facts.into_iter().map(fact).collect(),
            picture: PictureJson::from(&session.picture()),
            moves: moves.collect(),
            more,
            position: row.position,
        })
    })
    .await
}

fn area(area: Area) -> AreaJson {
    AreaJson {
        path: area.path,
        id: area.id,
        seconds: seconds(area.micros),
        settled: area.settled,
        parts: area.parts.into_iter().map(self::area).collect(),
    }
}

/// Where the effort lies.
pub async fn map(
    State(app): State<SharedApp>,
    Path(id): Path<usize>,
    Query(query): Query<StoreMapQuery>,
) -> Result<Json<AreaJson>, ApiError> {
    let most = app.limits.map_depth;
    let depth = query.depth.unwrap_or(3);
    if depth > most {
        return Err(ApiError::bad(format!("a map has at most {most} levels")));
    }
    aside(move || {
        let snapshot = app.library.snapshot(find(&app, id)?).map_err(unreadable)?;
        let found =
            snapshot.map(query.id, depth, app.limits.map_cells as u64).map_err(unreadable)?;
        let found = found.ok_or_else(|| ApiError::missing(format!("no position {}", query.id)))?;
        Ok(area(found))
    })
    .await
}
