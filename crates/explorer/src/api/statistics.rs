//! The whole of a small game, in numbers.

use super::{ApiError, Query, ValueJson, open_game};
use crate::SharedApp;
use crate::census::{Census, CensusState, unsupported};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use zermelo_game::Bounds;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatisticsQuery {
    game: String,
}

#[derive(Serialize)]
pub struct StatisticsJson {
    game: String,
    state: &'static str,
    /// Positions so far, and the most that are counted.
    counted: u64,
    most: usize,
    census: Option<CensusJson>,
}

#[derive(Serialize)]
struct CensusJson {
    positions: u64,
    layers: Vec<LayerJson>,
    distances: Vec<DistanceJson>,
    longest: Option<LongestJson>,
    value: ValueJson,
    distance: Option<u32>,
    first_moves: FirstMovesJson,
    values: Vec<ValueCountJson>,
}

#[derive(Serialize)]
struct LayerJson {
    ply: usize,
    positions: u64,
    first: u64,
    draws: u64,
    second: u64,
    over: u64,
}

#[derive(Serialize)]
struct DistanceJson {
    plies: usize,
    first: u64,
    second: u64,
}

#[derive(Serialize)]
struct LongestJson {
    plies: u32,
    position: String,
}

/// For the player who makes them.
#[derive(Serialize)]
struct FirstMovesJson {
    wins: u64,
    draws: u64,
    losses: u64,
}

#[derive(Serialize)]
struct ValueCountJson {
    value: i16,
    positions: u64,
}

impl CensusJson {
    fn new(census: &Census, all: Bounds) -> CensusJson {
        let layers = census.layers.iter().enumerate().map(|(ply, layer)| LayerJson {
            ply,
            positions: layer.positions,
            first: layer.first,
            draws: layer.draws,
            second: layer.second,
            over: layer.over,
        });
        let distances = census.distances.iter().enumerate();
        let [wins, draws, losses] = census.first_moves;
        let longest = census.longest.clone();
        CensusJson {
            positions: census.positions,
            layers: layers.collect(),
            distances: distances
                .map(|(plies, &[first, second])| DistanceJson { plies, first, second })
                .collect(),
            longest: longest.map(|(plies, position)| LongestJson { plies, position }),
            value: ValueJson::new(Bounds::exact(census.start.0), all),
            distance: census.start.1,
            first_moves: FirstMovesJson { wins, draws, losses },
            values: census
                .values
                .iter()
                .map(|&(value, positions)| ValueCountJson { value, positions })
                .collect(),
        }
    }
}

/// The statistics of a game, which are counted when they are first asked for.
pub async fn statistics(
    State(app): State<SharedApp>,
    Query(query): Query<StatisticsQuery>,
) -> Result<Json<StatisticsJson>, ApiError> {
    let game = open_game(&app, &query.game)?;
    if let Some(why) = unsupported(&game) {
        return Err(ApiError::bad(format!("there are no statistics: {why}")));
    }
    let state = app.censuses.of(&game, || app.jobs.turns());
    let state = state.ok_or_else(|| ApiError::overload("another game is counted at the moment"))?;
    let most = app.censuses.most();
    let (state, counted, census) = match state {
        CensusState::Counting(counted) => ("counting", counted, None),
        CensusState::Done(census) => ("done", census.positions, Some(census)),
        CensusState::TooLarge => ("too_large", most as u64, None),
        CensusState::Failed => ("failed", 0, None),
    };
    let census = census.map(|census| CensusJson::new(&census, game.values()));
    Ok(Json(StatisticsJson { game: game.name(), state, counted, most, census }))
}
