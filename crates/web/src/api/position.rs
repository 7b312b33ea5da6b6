//! A position with all that is known of it and of its moves: by the rules, the game's knowledge, a database, certificates
//! and earlier searches. Nothing is searched here.

use super::{Query, Trouble, ValueJson, open, player, sit, tone_word};
use crate::Shared;
use crate::facts::Fact;
use crate::library::Game;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use zermelo_any::{AnySession, Told, tone};
use zermelo_game::picture::{Cell, Style};
use zermelo_game::{Bounds, Footprint, Picture, Player};
use zermelo_proof::Opened;

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
}

/// Where a move happens.
#[derive(Clone, Copy, Serialize)]
pub struct PlaceJson {
    from: Option<u32>,
    to: u32,
}

impl From<Footprint> for PlaceJson {
    fn from(place: Footprint) -> PlaceJson {
        PlaceJson { from: place.from, to: place.to }
    }
}

/// A picture: a board to be drawn by the page, or a drawing to be fetched.
#[derive(Serialize)]
pub struct PictureJson {
    kind: &'static str,
    rows: Option<u32>,
    cols: Option<u32>,
    style: Option<&'static str>,
    /// From the lower left: "." empty, "x" and "o" stones, "X" and "O" kings, "#" covered, otherwise a figure.
    cells: Option<Vec<String>>,
    text: Option<String>,
}

impl From<&Picture> for PictureJson {
    fn from(picture: &Picture) -> PictureJson {
        let Picture::Board { rows, cols, style, cells, .. } = picture else {
            let text = Some(picture.to_text());
            let (rows, cols, style, cells) = (None, None, None, None);
            return PictureJson { kind: "drawing", rows, cols, style, cells, text };
        };
        let style = match style {
            Style::Squares => "squares",
            Style::Chequered => "chequered",
            Style::Crossings => "crossings",
        };
        let cell = |cell: &Cell| match cell {
            Cell::Empty => ".".into(),
            Cell::First => "x".into(),
            Cell::Second => "o".into(),
            Cell::FirstKing => "X".into(),
            Cell::SecondKing => "O".into(),
            Cell::Covered => "#".into(),
            Cell::Piece { figure, .. } => figure.to_string(),
        };
        PictureJson {
            kind: "board",
            rows: Some(*rows),
            cols: Some(*cols),
            style: Some(style),
            cells: Some(cells.iter().map(cell).collect()),
            text: None,
        }
    }
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
    /// Moves that are known to keep the value, the best first.
    best: Vec<String>,
    picture: PictureJson,
    moves: Vec<MoveJson>,
}

/// What certificates and searches add to what a game knows.
pub struct Lore<'a> {
    app: &'a Shared,
    name: String,
    all: Bounds,
    proofs: Vec<(usize, Arc<dyn Opened>)>,
    /// Whether positions have a value of their own.
    settled: bool,
}

impl<'a> Lore<'a> {
    /// About a game.
    #[must_use]
    pub fn of(app: &'a Shared, game: &Game) -> Lore<'a> {
        let name = game.name();
        let settled = !game.superko() && !game.hangs_on_line();
        Lore { app, proofs: app.library.proved(&name), name, all: game.values(), settled }
    }

    /// What was searched of these positions.
    pub fn facts<'p>(&self, positions: impl Iterator<Item = &'p str>) -> Vec<Option<Fact>> {
        match self.settled {
            true => self.app.facts.get(&self.name, positions),
            false => positions.map(|_| None).collect(),
        }
    }

    /// All that is known of a position. Where two sources contradict each other the earlier one counts.
    #[must_use]
    pub fn add(
        &self,
        known: &Told,
        position: &str,
        fact: Option<Fact>,
    ) -> (Bounds, Option<ReasonJson>) {
        let mut bounds = known.bounds;
        let by = known.source.map(|source| source.word());
        let mut reason = by.map(|by| ReasonJson { by, nodes: None, proof: None });
        for (n, proof) in &self.proofs {
            if bounds.is_exact() {
                break;
            }
            if let Some(both) = proof.known(position).ok().and_then(|more| bounds.meet(more).ok())
                && both != bounds
            {
                bounds = both;
                reason = Some(ReasonJson { by: "certificate", nodes: None, proof: Some(*n) });
            }
        }
        if let Some(fact) = fact
            && let Ok(both) = bounds.meet(fact.bounds)
            && both != bounds
        {
            bounds = both;
            reason = Some(ReasonJson { by: "search", nodes: Some(fact.nodes), proof: None });
        }
        (bounds, reason)
    }
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
    let (mut bounds, mut reason) =
        lore.add(&view.known, &position, facts.next().expect("one for each"));
    let mut moves = Vec::new();
    let mut kept = Vec::new();
    let mut roof = all.seen_by(turn).lo;
    let mut floor = (roof, None);
    for (m, fact) in view.moves.into_iter().zip(facts) {
        let (bounds, reason) = lore.add(&m.known, &m.after, fact);
        let seen = bounds.seen_by(turn);
        roof = roof.max(seen.hi);
        if seen.lo > floor.0 || floor.1.is_none() {
            floor = (seen.lo, reason);
        }
        kept.push((m.mv.clone(), seen, m.known.distance));
        moves.push(MoveJson {
            mv: m.mv,
            after: m.after,
            value: ValueJson::new(bounds, all),
            tone: tone_word(tone(bounds, turn)),
            distance: m.known.distance,
            reason,
            place: m.place.map(PlaceJson::from),
        });
    }
    // A position is worth its best move; what is known of the moves may say more than what is known of it.
    if lore.settled
        && !moves.is_empty()
        && let Ok(both) = bounds.meet(Bounds::new(floor.0, roof).seen_by(turn))
        && both != bounds
    {
        (bounds, reason) = (both, floor.1.or(reason));
    }
    PositionJson {
        game: lore.name.clone(),
        position,
        played,
        turn: player(turn),
        outcome: session.outcome(),
        value: ValueJson::new(bounds, all),
        tone: tone_word(tone(bounds, turn)),
        distance: view.known.distance,
        reason,
        best: best(kept, bounds, turn),
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
    let game = open(&app, &place.game)?;
    let (session, played) = sit(&app, &game, place.position.as_deref(), place.moves.as_deref())?;
    Ok(Json(describe(&app, &game, &*session, played)))
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
