//! Many positions at once: what is known of each, without any search.

use super::position::{ReasonJson, SaidJson, contradiction};
use super::{Body, Trouble, ValueJson, fits, open};
use crate::Shared;
use crate::lore::Lore;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeOrder {
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
    contradiction: Option<[SaidJson; 2]>,
}

/// Looks positions up.
pub async fn probe(
    State(app): State<Shared>,
    Body(order): Body<ProbeOrder>,
) -> Result<Json<ProbeJson>, Trouble> {
    if order.positions.len() > app.limits.batch {
        let most = app.limits.batch;
        return Err(Trouble::bad(format!("there are more than {most} positions")));
    }
    // A thousand positions may take a while; a thread for such things has the time.
    let looked = tokio::task::spawn_blocking(move || look(&app, &order));
    match looked.await {
        Ok(answer) => answer.map(Json),
        Err(_) => Err(Trouble::overload("the server is ending")),
    }
}

fn look(app: &Shared, order: &ProbeOrder) -> Result<ProbeJson, Trouble> {
    let game = open(app, &order.game)?;
    let lore = Lore::of(app, &game);
    let mut session = game.session();
    let mut answers = Vec::new();
    for (i, text) in order.positions.iter().enumerate() {
        fits(app, "position", text).map_err(|e| e.at(i))?;
        session.set_position(text).map_err(|e| Trouble::from(e).at(i))?;
        let known = session.view().known;
        let position = session.position();
        let facts = lore.facts(std::iter::once(position.as_str()))[0];
        let verdict = lore.hear(&known, &position, &facts).verdict();
        answers.push(AnswerJson {
            value: ValueJson::new(verdict.bounds, lore.all),
            distance: known.distance.filter(|_| verdict.clash.is_none()),
            reason: verdict.reason.map(ReasonJson::from),
            contradiction: contradiction(&verdict, lore.all),
            position,
        });
    }
    Ok(ProbeJson { game: game.name(), answers })
}
