//! Many positions at once: what is known of each, without any search.

use super::position::{EvidenceJson, ReasonJson};
use super::{ApiError, Body, ValueJson, fits, open_game};
use crate::SharedApp;
use crate::facts::Subject;
use crate::sources::Sources;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeRequestJson {
    game: String,
    positions: Vec<String>,
}

#[derive(Serialize)]
pub struct ProbeJson {
    game: String,
    answers: Vec<AnswerJson>,
}

#[derive(Serialize)]
struct AnswerJson {
    position: String,
    value: ValueJson,
    distance: Option<u32>,
    reason: Option<ReasonJson>,
    contradiction: Option<[EvidenceJson; 2]>,
}

/// Looks positions up.
pub async fn probe(
    State(app): State<SharedApp>,
    Body(order): Body<ProbeRequestJson>,
) -> Result<Json<ProbeJson>, ApiError> {
    if order.positions.len() > app.limits.batch {
        let most = app.limits.batch;
        return Err(ApiError::bad(format!("there are more than {most} positions")));
    }
    // A thousand positions may take a while; a thread for such things has the time.
    let looked = tokio::task::spawn_blocking(move || look(&app, &order));
    match looked.await {
        Ok(answer) => answer.map(Json),
        Err(_) => Err(ApiError::overload("the server is ending")),
    }
}

fn look(app: &SharedApp, order: &ProbeRequestJson) -> Result<ProbeJson, ApiError> {
    let game = open_game(app, &order.game)?;
    let sources = Sources::of(app, &game);
    let mut session = game.session();
    let mut answers = Vec::new();
    for (i, text) in order.positions.iter().enumerate() {
        fits(app, "position", text).map_err(|e| e.at(i))?;
        session.set_position(text).map_err(|e| ApiError::from(e).at(i))?;
        let position = session.position();
        let subject = Subject::here(&*game, &*session, || position.clone(), &[]);
        let searched = sources.searched([&subject].into_iter())[0];
        let known = session.survey().known;
        let found = sources.ledger(known, &position, &subject, &searched).finding();
        answers.push(AnswerJson {
            value: ValueJson::new(found.bounds, sources.all),
            distance: found.distance,
            reason: found.source.map(ReasonJson::from),
            contradiction: found.conflict.map(|both| EvidenceJson::both(both, sources.all)),
            position,
        });
    }
    Ok(ProbeJson { game: game.name(), answers })
}
