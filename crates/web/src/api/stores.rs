//! Stores of a manager: proofs that may still be going on. Every request opens the file anew, to read and never to write,
//! and looks at it as it is at that moment.

use super::picture::{PictureJson, PlaceJson};
use super::{Path, Query, Trouble, ValueJson, aside, player, tone_word};
use crate::Shared;
use crate::library::Kept;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use zermelo_any::tone;
use zermelo_game::Bounds;
use zermelo_manager::finish::Claim;
use zermelo_manager::view::{Area, Row, Sample, View, told};
use zermelo_manager::{Failure, Store};

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
    line: Vec<String>,
    parts: Vec<PartJson>,
    more: bool,
}

#[derive(Serialize)]
struct PartJson {
    path: Vec<String>,
    id: u32,
    position: String,
    expanded: bool,
    tried: bool,
    numbers: Option<NumbersJson>,
}

#[derive(Serialize)]
struct DoingJson {
    prover: u32,
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
pub struct NodeJson {
    id: u32,
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
    source: String,
}

#[derive(Serialize)]
struct StepJson {
    #[serde(rename = "move")]
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
    path: Vec<String>,
    id: u32,
    seconds: f64,
    settled: bool,
    parts: Vec<AreaJson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeQuery {
    id: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapQuery {
    id: u32,
    depth: Option<usize>,
}

/// What is wrong with a store. Where the file lies is nobody's business.
fn words(failure: Failure) -> String {
    match failure {
        Failure::Store { why, .. } => why,
        Failure::Io(_, error) => error.to_string(),
        other => other.to_string(),
    }
}

/// A store that cannot be read now may be one that can be read later.
fn unreadable(failure: Failure) -> Trouble {
    let words = format!("the store cannot be read: {}", words(failure));
    Trouble::new(StatusCode::SERVICE_UNAVAILABLE, words)
}

fn find(app: &Shared, id: usize) -> Result<&Kept, Trouble> {
    let store = app.library.stores.get(id);
    store.ok_or_else(|| Trouble::missing(format!("there is no store {id}")))
}

fn numbers(pair: Option<[u32; 2]>) -> Option<NumbersJson> {
    pair.map(|[pn, dn]| NumbersJson { proof: told(pn), disproof: told(dn) })
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

fn about(view: &View) -> Result<(AboutJson, Vec<Row>), Failure> {
    let (roots, all) = (view.roots(ROOTS)?, view.about().values);
    let [nodes, facts] = view.counts()?;
    let root = roots.first();
    let about = AboutJson {
        game: view.about().game.clone(),
        position: root.map(|row| row.position.clone()),
        value: ValueJson::new(root.map_or(all, |row| row.bounds), all),
        nodes,
        settled: view.settled()?,
        facts,
    };
    Ok((about, roots))
}

/// All stores.
pub async fn list(State(app): State<Shared>) -> Result<Json<StoresJson>, Trouble> {
    aside(move || {
        let glance = |(id, kept): (usize, &Kept)| {
            let (about, trouble) = match View::open(&kept.dir).and_then(|view| about(&view)) {
                Ok((about, _)) => (Some(about), None),
                Err(failure) => (None, Some(words(failure))),
            };
            let running = Store::at_work(&kept.dir);
            StoreJson { id, name: kept.name.clone(), running, trouble, about }
        };
        Ok(StoresJson { stores: app.library.stores.iter().enumerate().map(glance).collect() })
    })
    .await
}

fn claim(view: &View, root: &Row, claim: Claim) -> Result<ClaimJson, Failure> {
    let found = view.finish(root, claim, PARTS)?;
    let parts = found.parts.into_iter().map(|part| PartJson {
        path: part.path,
        id: part.row.id,
        expanded: part.row.expanded,
        tried: part.row.tried,
        numbers: numbers(claim.numbers(&part.row)),
        position: part.row.position,
    });
    Ok(ClaimJson {
        words: claim.words(view.about().values),
        claimant: player(claim.claimant),
        numbers: numbers(claim.numbers(root)),
        line: found.line,
        parts: parts.collect(),
        more: found.more,
    })
}

fn sample(sample: Sample) -> SampleJson {
    let Sample { at, threshold, counts: [nodes, settled, facts], frontier, jobs, .. } = sample;
    let [win, loss] = sample.numbers.map(numbers);
    let Sample { visited, work, .. } = sample;
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

fn whole(id: usize, kept: &Kept) -> Result<WholeJson, Failure> {
    // Before the file is looked at: what it says after a run has ended is the last word.
    let running = Store::at_work(&kept.dir);
    let view = View::open(&kept.dir)?;
    let all = view.about().values;
    let (about, roots) = about(&view)?;
    let samples: Vec<SampleJson> = view.samples(SAMPLES)?.into_iter().map(sample).collect();
    let last = samples.last();
    let root = roots.first();
    let open = root.map(|root| Claim::open(all, root.bounds)).unwrap_or_default();
    let claims = root.into_iter().flat_map(|root| open.iter().map(move |&c| (root, c)));
    let provers = if running { view.provers(PROVERS)? } else { Vec::new() };
    Ok(WholeJson {
        threshold: last.and_then(|sample| sample.threshold),
        frontier: last.map_or(0, |sample| sample.frontier),
        jobs: last.map_or(0, |sample| sample.jobs),
        claims: claims.map(|(root, c)| claim(&view, root, c)).collect::<Result<_, _>>()?,
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
            name: kept.name.clone(),
            running,
            trouble: None,
            about: Some(about),
        },
    })
}

/// A store: how far it is, what is missing, who does what.
pub async fn show(
    State(app): State<Shared>,
    Path(id): Path<usize>,
) -> Result<Json<WholeJson>, Trouble> {
    aside(move || whole(id, find(&app, id)?).map_err(unreadable)).await
}

fn step(mv: String, row: Row, mover: zermelo_game::Player, all: Bounds) -> StepJson {
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
    State(app): State<Shared>,
    Path(id): Path<usize>,
    Query(query): Query<NodeQuery>,
) -> Result<Json<NodeJson>, Trouble> {
    aside(move || {
        let view = View::open(&find(&app, id)?.dir).map_err(unreadable)?;
        let row = view.row(query.id).map_err(unreadable)?;
        let row = row.ok_or_else(|| Trouble::missing(format!("no position {}", query.id)))?;
        let all = view.about().values;
        let strange = |e: zermelo_game::ParseError| {
            let words = format!("the store cannot be read: {e}");
            Trouble::new(StatusCode::SERVICE_UNAVAILABLE, words)
        };
        let game = app.library.game(&view.about().game).map_err(strange)?;
        let mut session = game.session();
        session.set_position(&row.position).map_err(strange)?;
        let moves = view.moves(row.id, MOVES + 1).map_err(unreadable)?;
        let more = moves.len() > MOVES;
        let moves = moves.into_iter().take(MOVES).map(|(mv, child)| {
            let mut step = step(mv, child, row.turn, all);
            step.place = session.place(&step.mv).map(PlaceJson::from);
            step
        });
        let fact = |fact: zermelo_manager::store::Fact| FactJson {
            value: ValueJson::new(fact.bounds, all),
            source: fact.source,
        };
        let facts = view.facts_of(row.id).map_err(unreadable)?;
        Ok(NodeJson {
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
    State(app): State<Shared>,
    Path(id): Path<usize>,
    Query(query): Query<MapQuery>,
) -> Result<Json<AreaJson>, Trouble> {
    let most = app.limits.map_depth;
    let depth = query.depth.unwrap_or(3);
    if depth > most {
        return Err(Trouble::bad(format!("a map has at most {most} levels")));
    }
    aside(move || {
        let view = View::open(&find(&app, id)?.dir).map_err(unreadable)?;
        let found = view.map(query.id, depth, app.limits.map_cells as u64).map_err(unreadable)?;
        let found = found.ok_or_else(|| Trouble::missing(format!("no position {}", query.id)))?;
        Ok(area(found))
    })
    .await
}
