//! `zermelo perft`: counts lines of play, to check rules and to time them.

use crate::cli::{EXIT_CODES, PositionArgs};
use crate::interrupt::Interrupt;
use crate::units::{grouped, rounded, time};
use crate::{End, open, out};
use clap::Args;
use serde::Serialize;
use std::time::Instant;
use zermelo_erased::Catalogue;
use zermelo_game::counted;

/// `zermelo perft`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Counts are of lines of play (sequences of moves), not of different positions; \"finished\" are those
that end the game at that very ply.

Examples:
  zermelo perft tictactoe --depth 9
  zermelo perft connect4 --depth 7 --divide

{EXIT_CODES}"))]
pub struct PerftArgs {
    /// The game and the position.
    #[command(flatten)]
    pub start: PositionArgs,

    /// How many plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=200))]
    pub depth: u32,

    /// Count the lines of the full depth after each first move
    #[arg(long)]
    pub divide: bool,

    /// Print one JSON object on one line
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct PerftJson {
    game: String,
    position: String,
    depth: u32,
    plies: Vec<PlyJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<DivideJson>>,
    seconds: f64,
    stop: &'static str,
}

#[derive(Serialize)]
struct PlyJson {
    ply: u32,
    lines: u64,
    finished: u64,
    nodes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct DivideJson {
    #[serde(rename = "move")]
    mv: String,
    lines: u64,
}

/// Counts ply by ply, and prints each as soon as it is known.
pub fn run(catalogue: &Catalogue, args: &PerftArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let game = open::game_at(catalogue, &args.start)?;
    let mut session = open::session(&*game, &args.start)?;
    let (clock, cancel) = (Instant::now(), interrupt.flag());
    let say = |text: String| if args.json { Ok(()) } else { out::print(&text) };

    say(format!("{}, {}\n\n", out::bold(game.name()), out::to_move(session.turn())))?;
    say(format!("{:>4} {:>20} {:>20} {:>10}  speed\n", "ply", "lines", "finished", "time"))?;
    let mut plies = Vec::new();
    for ply in 0..=args.depth {
        let clock = Instant::now();
        let Some(count) = session.perft(ply, &cancel) else { break };
        let elapsed = clock.elapsed();
        let speed = rounded(count.nodes as f64 / elapsed.as_secs_f64().max(1e-6));
        let (lines, finished) = (grouped(count.lines), grouped(count.finished));
        let took = time(elapsed);
        say(format!("{ply:>4} {lines:>20} {finished:>20} {took:>10}  {speed} nodes/s\n"))?;
        plies.push(PlyJson {
            ply,
            lines: count.lines,
            finished: count.finished,
            nodes: count.nodes,
            seconds: elapsed.as_secs_f64(),
        });
        if count.lines == 0 {
            break;
        }
    }
    let games: u64 = plies.iter().map(|ply| ply.finished).sum();
    say(format!(
        "\ngames finished in {} or less: {}\n",
        counted((plies.len() as u64).saturating_sub(1), "ply"),
        grouped(games)
    ))?;

    let mut divide = Vec::new();
    if args.divide && args.depth > 0 {
        say("\n".into())?;
        for mv in session.moves() {
            session.play(&mv)?;
            let count = session.perft(args.depth - 1, &cancel);
            session.take_back();
            let Some(count) = count else { break };
            say(out::field(&mv, &grouped(count.lines)))?;
            divide.push(DivideJson { mv, lines: count.lines });
        }
    }

    let stop = if interrupt.came() { "interrupted" } else { "done" };
    if args.json {
        out::print_json(&PerftJson {
            game: game.name(),
            position: session.position(),
            depth: args.depth,
            plies,
            divide: args.divide.then_some(divide),
            seconds: clock.elapsed().as_secs_f64(),
            stop,
        })?;
    }
    if interrupt.came() {
        say("interrupted: the counts above are complete, deeper ones are missing\n".into())?;
        return Ok(End::Unsolved);
    }
    Ok(End::Done)
}
