//! The gallery, and a game by name.

use super::{Query, Trouble, aside};
use crate::Shared;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use zermelo_any::By;

#[derive(Serialize)]
pub struct GamesJson {
    games: Vec<EntryJson>,
    databases: Vec<DatabaseJson>,
    proofs: usize,
    solvers: Vec<&'static str>,
    limits: LimitsJson,
    version: &'static str,
}

#[derive(Serialize)]
struct EntryJson {
    name: &'static str,
    usage: &'static str,
    example: &'static str,
    summary: &'static str,
}

#[derive(Serialize)]
struct DatabaseJson {
    id: usize,
    name: String,
    game: String,
    damage: Option<String>,
}

#[derive(Serialize)]
struct LimitsJson {
    batch: usize,
    jobs: usize,
    running: usize,
    job_seconds: f64,
    plies: usize,
}

/// All games, and what else is on the shelf.
pub async fn games(State(app): State<Shared>) -> Json<GamesJson> {
    let entry = |e: &zermelo_games::Entry| EntryJson {
        name: e.name,
        usage: e.usage,
        example: e.example,
        summary: e.summary,
    };
    let database = |(id, d): (usize, &crate::library::Shelved)| DatabaseJson {
        id,
        name: d.name.clone(),
        game: d.game.name(),
        damage: d.game.damage().map(|damage| damage.why),
    };
    let limits = &app.limits;
    Json(GamesJson {
        games: zermelo_games::entries().iter().map(entry).collect(),
        databases: app.library.databases.iter().enumerate().map(database).collect(),
        proofs: app.library.proofs.len(),
        solvers: By::ALL.map(By::word).to_vec(),
        limits: LimitsJson {
            batch: limits.batch,
            jobs: limits.jobs,
            running: limits.running,
            job_seconds: limits.job_time.as_secs_f64(),
            plies: limits.plies,
        },
        version: env!("CARGO_PKG_VERSION"),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameQuery {
    game: String,
}

#[derive(Serialize)]
pub struct GameJson {
    game: String,
    rules: String,
    values: RangeJson,
    start: String,
    /// Whether no board may come back, so that a position is not all there is to know.
    superko: bool,
    /// In the order in which they are asked.
    databases: Vec<NamedJson>,
    proofs: Vec<usize>,
    stores: Vec<usize>,
}

#[derive(Serialize)]
struct NamedJson {
    id: usize,
    name: String,
}

#[derive(Serialize)]
struct RangeJson {
    lo: i16,
    hi: i16,
}

/// A game.
pub async fn game(
    State(app): State<Shared>,
    Query(query): Query<GameQuery>,
) -> Result<Json<GameJson>, Trouble> {
    // Stores may have to be read.
    aside(move || about(&app, &query.game)).await
}

fn about(app: &Shared, name: &str) -> Result<GameJson, Trouble> {
    let game = super::open(app, name)?;
    let (name, all) = (game.name(), game.values());
    let proofs = app.library.proofs.iter().enumerate();
    Ok(GameJson {
        rules: game.rules(),
        values: RangeJson { lo: all.lo, hi: all.hi },
        start: game.session().position(),
        superko: game.superko(),
        databases: app
            .library
            .databases_of(&name)
            .map(|(id, database)| NamedJson { id, name: database.name.clone() })
            .collect(),
        proofs: proofs.filter(|(_, proof)| proof.game == name).map(|(n, _)| n).collect(),
        stores: app.library.lines_of(&name).into_iter().map(|(n, _)| n).collect(),
        game: name,
    })
}
