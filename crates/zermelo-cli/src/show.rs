//! `zermelo show`: a game and a position.

use crate::cli::ShowArgs;
use crate::{End, open, out};
use serde::Serialize;
use zermelo_erased::Catalogue;

#[derive(Serialize)]
struct ShowJson {
    game: String,
    rules: String,
    position: String,
    turn: String,
    outcome: Option<i16>,
    moves: Vec<String>,
    picture: String,
}

/// Shows a game and a position.
pub fn run(catalogue: &Catalogue, args: &ShowArgs) -> anyhow::Result<End> {
    let game = open::game_at(catalogue, &args.start)?;
    let session = open::session(&*game, &args.start)?;
    let picture = session.picture();
    if let Some(file) = &args.svg {
        out::svg(file, &picture)?;
        if out::is_stdout(file) {
            return Ok(End::Done);
        }
    }
    if args.json {
        out::print_json(&ShowJson {
            game: game.name(),
            rules: game.rules(),
            position: session.position(),
            turn: session.turn().to_string(),
            outcome: session.outcome(),
            moves: session.moves(),
            picture: picture.to_text(),
        })?;
        return Ok(End::Done);
    }
    let moves = session.moves();
    let mut text = format!("{}\n\n", out::bold(game.name()));
    text += &format!("{}\n{}\n", out::paragraph(&game.rules()), out::board(&picture));
    text += &out::field("position", &session.position());
    match session.outcome() {
        Some(value) => {
            let verdict = out::verdict(zermelo_game::Bounds::exact(value), game.values());
            text += &out::field("turn", &format!("the game is over: {}", lower(&verdict)));
        }
        None => {
            text += &out::field("turn", &out::to_move(session.turn()));
            text += &out::field("moves", &format!("{} ({})", moves.join(" "), moves.len()));
        }
    }
    out::print(&text)?;
    Ok(End::Done)
}

/// The sentence inside another one.
fn lower(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
