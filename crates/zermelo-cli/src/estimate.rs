//! `zermelo build --estimate`: what a build would take, in words and as JSON.

use crate::build::{BuildArgs, BuiltJson};
use crate::units::{bytes, grouped, rounded, time};
use crate::{End, out};
use serde::Serialize;
use std::time::Duration;
use zermelo_endgame::{Basis, Forecast};
use zermelo_erased::AnyGame;

/// What an estimate says beside that.
#[derive(Serialize)]
pub(crate) struct ForecastJson {
    disk_plain: Option<u64>,
    disk_distance: Option<u64>,
    basis: &'static str,
    positions_within: Option<f64>,
    disk_within: Option<f64>,
}

/// Prints what a build would take.
pub fn say(
    game: &dyn AnyGame,
    args: &BuildArgs,
    distance: bool,
    forecast: &Forecast,
) -> anyhow::Result<End> {
    let Forecast { files: [files, there], places, positions, kept, .. } = *forecast;
    let Forecast { bytes: sizes, memory, scratch, seconds, basis, .. } = *forecast;
    let disk = sizes[usize::from(distance)].or(sizes[0]);
    if args.json {
        out::print_json(&BuiltJson {
            game: game.name(),
            files,
            kept: kept.unwrap_or(there as u64),
            places,
            positions: Some(positions),
            distance,
            memory: Some(memory),
            disk,
            scratch: Some(scratch),
            forecast: Some(ForecastJson {
                disk_plain: sizes[0],
                disk_distance: sizes[1],
                basis: word(basis),
                positions_within: forecast.positions_within(),
                disk_within: forecast.bytes_within(),
            }),
            seconds,
            ..Default::default()
        })?;
        return Ok(End::Done);
    }
    let within = |times: Option<f64>| match times {
        None => "at most ".to_owned(),
        Some(1.0) => String::new(),
        Some(_) => "about ".to_owned(),
    };
    let mut text = format!("{}\n", out::bold(game.name()));
    text += &out::field("files", &format!("{files} to be written, {there} are there"));
    if let Some(places) = places {
        text += &out::field("places", &grouped(places));
    }
    let mut count = format!("{}{}", within(forecast.positions_within()), many(positions));
    if let Some(kept) = kept {
        count += &format!(", of which {} are kept", many(kept));
    }
    text += &out::field("positions", &count);
    let group = if places.is_some() { ", for the largest group of slices" } else { "" };
    // That of slices is known from their places.
    let bound = if places.is_some() { String::new() } else { within(forecast.positions_within()) };
    text += &out::field("memory", &format!("{bound}{}{group}", bytes(memory)));
    let size = |n: usize| sizes[n].map(|size| within(forecast.bytes_within()) + &bytes(size));
    if let Some(size) = size(0) {
        let chosen =
            if distance || sizes[1].is_none() { "" } else { ", as asked for or by default" };
        text += &out::field("disk", &format!("{size} without distances{chosen}"));
    }
    if let Some(size) = size(1) {
        let chosen = if distance { ", as asked for or by default" } else { "" };
        text += &out::field("", &format!("{size} with distances{chosen}"));
    }
    if scratch > 0 {
        let limit = bytes(args.resources.memory());
        text += &out::field(
            "",
            &format!("and about {} on the way, to do with {limit} of memory", bytes(scratch)),
        );
    }
    let took = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let threads = if places.is_some() { args.resources.threads } else { 1 };
    let plural = if threads == 1 { "thread" } else { "threads" };
    text += &out::field("time", &format!("{bound}about {}, {threads} {plural}", time(took)));
    text += &out::field("by", &explained(forecast));
    out::print(&text)?;
    Ok(End::Done)
}

/// A number, rounded where it is a large estimate.
fn many(number: u64) -> String {
    if number < 100_000_000 { grouped(number) } else { rounded(number as f64) }
}

fn word(basis: Basis) -> &'static str {
    match basis {
        Basis::Trial => "trial",
        Basis::PartialTrial(_) => "partial trial",
        Basis::Sample { .. } => "sample",
        Basis::MostKeys(_) => "most keys",
    }
}

/// How an estimate was found, and how far it may be off.
fn explained(forecast: &Forecast) -> String {
    let off = "the time may be three times as much or as little";
    let times = |times: Option<f64>| format!("{:.1}", times.unwrap_or(1.0));
    match forecast.basis {
        Basis::Trial => format!("a trial: all of it was built and thrown away, so only {off}"),
        Basis::PartialTrial([built, all]) => format!(
            "a trial of {} of {} places, those with the fewest pieces; the bytes may be {} times as much or as little, {off}",
            grouped(built),
            grouped(all),
            times(forecast.bytes_within())
        ),
        Basis::Sample { error, found } => format!(
            "a sample of lines of play (Knuth's method, a standard error of {:.0} %), which is a bound: near the truth where stones \
             are put anywhere, far above it where pieces walk or stones fall; {} positions were found and there are more",
            100.0 * error,
            grouped(found)
        ),
        Basis::MostKeys(found) => format!(
            "the number of keys, a bound that is far above the truth: positions can repeat, so lines of play cannot be \
             sampled; {} positions were found and there are more",
            grouped(found)
        ),
    }
}
