//! Errors, for people and for programs.
//!
//! People read them on standard error. Under `--json` the last line there is one object, with `error` in words; where a text
//! could not be read also `what` it is, the `column` (from 1) and what was `expected` there. Nothing of an error goes to standard output: what
//! stands there is an answer. Exit codes are the same in both cases.

use crate::open::{BadInput, Usage};
use crate::{out, settings};
use anyhow::Error;
use serde::Serialize;
use std::error::Error as _;
use std::process::ExitCode;
use zermelo_game::ParseError;
use zermelo_game::outside::printable_lines;

/// The exit code for words that mean nothing.
const USAGE: u8 = 2;

#[derive(Serialize)]
struct ErrorJson {
    error: String,
    #[serde(flatten)]
    place: Option<PlaceJson>,
}

/// Where a text cannot be read.
#[derive(Serialize)]
struct PlaceJson {
    what: &'static str,
    column: usize,
    expected: String,
}

/// Says in JSON what is wrong; `place` is where, if it is in a text.
fn say_json(error: &str, place: Option<&ParseError>) {
    let place = place.map(|place| PlaceJson {
        what: place.what,
        column: place.column(),
        expected: place.expected.clone(),
    });
    out::error_json(&ErrorJson { error: error.into(), place });
}

/// Says what is wrong with a run that is over in all other respects, such as a certificate that is refused.
pub fn say(words: &str) {
    match settings::is_json() {
        true => say_json(words, None),
        false => out::note(words),
    }
}

/// Reports why a command failed, and gives the exit code.
#[must_use]
pub fn report(error: &Error) -> ExitCode {
    let input = error.downcast_ref::<BadInput>();
    if settings::is_json() {
        let place = input.map(|bad| &bad.error).or(error.downcast_ref());
        // The place has fields of its own: the text that it is in is not repeated.
        let words = match place {
            Some(place) => place.to_string().lines().next().unwrap_or_default().to_owned(),
            None => format!("{error:#}"),
        };
        say_json(&words, place);
    } else {
        out::alarm("error", &format!("{error:#}"));
    }
    ExitCode::from(if error.is::<Usage>() || input.is_some() { USAGE } else { 1 })
}

/// Reports what is wrong with the command line, and gives the exit code. Help that was asked for comes this way, too.
#[must_use]
pub fn refuse(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && settings::is_json() {
        let text = error.render().to_string();
        // Behind an empty line it says how commands are used.
        let words = text.split("\n\n").next().unwrap_or_default();
        let words = words.strip_prefix("error: ").unwrap_or(words);
        let place = error.source().and_then(|source| source.downcast_ref::<ParseError>());
        let words = if place.is_some() { words.lines().next().unwrap_or_default() } else { words };
        say_json(&printable_lines(words), place);
    } else {
        // Nobody is left to be told if that fails.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}
