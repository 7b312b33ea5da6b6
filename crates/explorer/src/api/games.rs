//! The gallery, and a game by name.

use super::{ApiError, Query, aside};
use crate::SharedApp;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use zermelo_erased::{EngineId, Row};

#[derive(Serialize)]
pub struct GamesJson {
    games: Vec<EntryJson>,
    databases: Vec<DatabaseJson>,
    proofs: usize,
    stores: usize,
    solvers: Vec<&'static str>,
    limits: LimitsJson,
    version: &'static str,
}

#[derive(Serialize)]
struct EntryJson {
    name: String,
    usage: String,
    example: String,
    summary: String,
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
    analysis_seconds: f64,
    plies: usize,
    /// Searches of one client, where there is such a limit.
    jobs_of_client: Option<usize>,
    /// Positions of a game that are counted at most.
    census: usize,
}

/// All games, and what else is served.
pub async fn games(State(app): State<SharedApp>) -> Json<GamesJson> {
    let entry = |row: &Row| EntryJson {
        name: row.name().into(),
        usage: row.usage_text().into(),
        example: row.examples()[0].into(),
        summary: row.summary_text().into(),
    };
    let database = |(id, d): (usize, &crate::library::ServedDatabase)| DatabaseJson {
        id,
        name: d.name.clone(),
        game: d.game.name(),
        damage: d.game.damage().map(|damage| damage.why),
    };
    let limits = &app.limits;
    Json(GamesJson {
        games: app.library.catalogue.rows().iter().map(entry).collect(),
        databases: app.library.databases.iter().enumerate().map(database).collect(),
        proofs: app.library.proofs().len(),
        stores: app.library.stores.len(),
        solvers: EngineId::ALL.iter().map(|id| id.word()).collect(),
        limits: LimitsJson {
            batch: limits.batch,
            jobs: limits.jobs,
            running: limits.running,
            job_seconds: limits.job_time.as_secs_f64(),
            analysis_seconds: limits.analysis_time.as_secs_f64(),
            plies: limits.plies,
            jobs_of_client: limits.jobs_of_client,
            census: limits.census,
        },
        version: env!("CARGO_PKG_VERSION"),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameQuery {
    game: String,
    position: Option<String>,
}

#[derive(Serialize)]
pub struct GameJson {
    game: String,
    rules: String,
    values: RangeJson,
    start: String,
    /// Whether boards must not be repeated, so that a position is not all there is to know.
    superko: bool,
    /// Whether positions can repeat.
    repeats: bool,
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
    State(app): State<SharedApp>,
    Query(query): Query<GameQuery>,
) -> Result<Json<GameJson>, ApiError> {
    // Stores may have to be read.
    aside(move || about(&app, &query.game, query.position.as_deref())).await
}

fn about(app: &SharedApp, name: &str, position: Option<&str>) -> Result<GameJson, ApiError> {
    let game = super::open_game_at(app, name, position)?;
    let (name, all) = (game.name(), game.values());
    let proofs = app.library.proofs().into_iter();
    Ok(GameJson {
        rules: game.rules(),
        values: RangeJson { lo: all.lo, hi: all.hi },
        start: game.session().position(),
        superko: game.features().superko,
        repeats: game.features().cyclic || game.features().path_dependent,
        databases: app
            .library
            .databases_of(&name)
            .map(|(id, database)| NamedJson { id, name: database.name.clone() })
            .collect(),
        proofs: proofs.filter(|(_, proof)| proof.game == name).map(|(n, _)| n).collect(),
        stores: app.library.store_values(&game.identity()).into_iter().map(|(n, _)| n).collect(),
        game: name,
    })
}
