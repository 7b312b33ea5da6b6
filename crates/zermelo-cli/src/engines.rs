//! Engines: how they are named on the command line, and `zermelo engines`, which tells their options.

use crate::{End, out};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};
use serde::Serialize;
use std::ffi::OsStr;
use zermelo_erased::{EngineConfig, EngineId, Features, OptionInfo};
use zermelo_game::ParseError;

/// Reads an engine with its options, such as `dfpn:sum=weak,epsilon=1/8`.
#[derive(Clone, Debug)]
pub struct EngineParser;

impl TypedValueParser for EngineParser {
    type Value = EngineConfig;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<EngineConfig, clap::Error> {
        let parse = |text: &str| text.parse::<EngineConfig>();
        TypedValueParser::parse_ref(&parse, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(names())
    }
}

/// Engines of which each has a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct EngineList(pub Vec<EngineConfig>);

/// Reads engines with commas between them. What follows a comma is an option of the engine before it if it is
/// `NAME=VALUE`: `ab-tt,dfpn:sum=weak,epsilon=1/8,pn2` are three.
#[derive(Clone, Debug)]
pub struct EngineListParser;

impl TypedValueParser for EngineListParser {
    type Value = EngineList;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<EngineList, clap::Error> {
        TypedValueParser::parse_ref(&parse_list, command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(names())
    }
}

/// The names, for help and completions. Other values with options are right, too.
fn names() -> Box<dyn Iterator<Item = PossibleValue>> {
    let value = |id: &EngineId| PossibleValue::new(id.word()).help(id.summary());
    Box::new(EngineId::ALL.iter().map(value))
}

/// See [`EngineListParser`]. An error shows the place in the whole text.
fn parse_list(text: &str) -> Result<EngineList, ParseError> {
    let is_option = |part: &str| part.split(':').next().is_some_and(|name| name.contains('='));
    let mut engines = Vec::new();
    let (mut from, mut to) = (0, 0);
    for part in text.split(',') {
        if to > 0 && !is_option(part) {
            engines.push(from..to - 1);
            from = to;
        }
        to += part.len() + 1;
    }
    engines.push(from..text.len());
    let parse = |range: std::ops::Range<usize>| {
        text[range.clone()].parse().map_err(|error: ParseError| {
            let before = text[..range.start].chars().count();
            ParseError::new("engine", text, before + error.at, error.expected)
        })
    };
    engines.into_iter().map(parse).collect::<Result<_, _>>().map(EngineList)
}

/// The options of an engine that have another value than its own, with this value.
pub fn changed_options(engine: &EngineConfig) -> impl Iterator<Item = (&'static str, String)> {
    let own = EngineConfig::new(engine.id());
    let options = engine.options().into_iter().map(|option| (option.name, option.default));
    options.filter(move |(name, value)| own.get(name).as_ref() != Some(value))
}

/// The same as `NAME=VALUE`, but for those that reports and files name anyway: threads, seed and without.
pub fn other_options(engine: &EngineConfig) -> impl Iterator<Item = String> {
    let named = ["threads", "seed", "without"];
    let others = changed_options(engine).filter(move |(name, _)| !named.contains(name));
    others.map(|(name, value)| format!("{name}={value}"))
}

/// `zermelo engines`
#[derive(Args, Debug)]
#[command(after_help = "\
Wherever an engine can be chosen (--by) it may have options behind a colon, with commas between
them: dfpn:sum=weak,epsilon=1/8. What is not said has its default.

Examples:
  zermelo engines                               all engines
  zermelo engines dfpn                          what df-pn can be told
  zermelo engines alphabeta:threads=2           what that needs of a game
  zermelo solve nogo 4x4 --by dfpn:sum=weak,epsilon=1/8
  zermelo prove nogo 5x5 --store nogo.tree --by pn2:size=logistic/1800000/240000

With --json, one object on one line: name, engine (with its options, as --by takes it), summary,
needs (of threats, own values, no superko, those that it needs of a game) and options, an array of
objects with name, value, default, values (in words) and help. Without a name an array of these.")]
pub struct EnginesArgs {
    /// The engine, perhaps with options: dfpn, dfpn:sum=weak [default: a list of all]
    #[arg(value_name = "ENGINE", value_parser = EngineParser, hide_possible_values = true)]
    pub engine: Option<EngineConfig>,

    /// Print JSON on one line
    #[arg(long)]
    pub json: bool,
}

/// What an engine can need of a game, in a word and in a sentence.
const NEEDS: [(&str, &str); 3] = [
    (
        "threats",
        "the game says what a pass would be, so that there are threats: atarigo and mnk, for example",
    ),
    (
        "own values",
        "positions have values of their own, which does not hold where the value of a repetition depends on the line of \
         play, as in awari",
    ),
    ("no superko", "boards may be repeated, unlike in Go"),
];

/// What the engine with these options needs of a game: some of [`NEEDS`], found out by asking it.
fn needs(engine: &EngineConfig) -> Vec<&'static str> {
    let easy = Features { path_dependent: false, cyclic: false, superko: false, threats: true };
    let hard = [
        Features { threats: false, ..easy },
        Features { path_dependent: true, ..easy },
        Features { superko: true, ..easy },
    ];
    let refused = |features: &Features| engine.fits("a game", features).is_err();
    NEEDS.iter().zip(&hard).filter(|(_, game)| refused(game)).map(|((word, _), _)| *word).collect()
}

#[derive(Serialize)]
struct EngineJson {
    name: &'static str,
    engine: String,
    summary: &'static str,
    needs: Vec<&'static str>,
    options: Vec<OptionJson>,
}

#[derive(Serialize)]
struct OptionJson {
    name: &'static str,
    value: String,
    default: String,
    values: String,
    help: &'static str,
}

impl EngineJson {
    fn new(engine: &EngineConfig) -> EngineJson {
        let own = EngineConfig::new(engine.id());
        let option = |OptionInfo { name, values, default, help }| OptionJson {
            name,
            value: engine.get(name).unwrap_or_default(),
            default,
            values,
            help,
        };
        EngineJson {
            name: engine.id().word(),
            engine: engine.to_string(),
            summary: engine.id().summary(),
            needs: needs(engine),
            options: own.options().into_iter().map(option).collect(),
        }
    }
}

/// Lists the engines, or tells what one of them can be told.
pub fn run(args: &EnginesArgs) -> anyhow::Result<End> {
    let all = EngineId::ALL.iter().map(|&id| EngineJson::new(&id.into()));
    match (&args.engine, args.json) {
        (Some(engine), true) => out::print_json(&EngineJson::new(engine))?,
        (Some(engine), false) => out::print(&page(&EngineJson::new(engine)))?,
        (None, true) => out::print_json(&all.collect::<Vec<_>>())?,
        (None, false) => out::print(&list(&all.collect::<Vec<_>>()))?,
    }
    Ok(End::Done)
}

/// One line or two for each engine.
fn list(engines: &[EngineJson]) -> String {
    let width = engines.iter().map(|engine| engine.name.len()).max().unwrap_or(0) + 1;
    let mut text = String::new();
    for engine in engines {
        let needs = match engine.needs.is_empty() {
            true => String::new(),
            false => format!("\nneeds: {}", engine.needs.join(", ")),
        };
        text += &out::wide_field(engine.name, width, &format!("{}{needs}", engine.summary));
    }
    text += "\n";
    for (word, meaning) in NEEDS {
        text += &out::wide_field(word, width, meaning);
    }
    text + "\nTheir options: zermelo engines dfpn\n     or chosen: zermelo solve nogo 4x4 --by dfpn:sum=weak,epsilon=1/8\n"
}

/// All of one engine.
fn page(engine: &EngineJson) -> String {
    let mut text = format!("{}\n\n{}\n", out::bold(&engine.engine), out::paragraph(engine.summary));
    for (word, meaning) in NEEDS.iter().filter(|(word, _)| engine.needs.contains(word)) {
        text += &out::field("needs", &format!("{word}: {meaning}"));
    }
    if engine.needs.is_empty() {
        text += &out::field("needs", "nothing: it searches every game");
    }
    if engine.options.is_empty() {
        return text + &out::field("options", "none");
    }
    text += "\n";
    let width = engine.options.iter().map(|option| option.name.len()).max().unwrap_or(0) + 1;
    for OptionJson { name, value, default, values, help } in &engine.options {
        let here = if value == default { String::new() } else { format!("here {value}, ") };
        let text_of_option = format!("{help}\n{here}default {default}; values: {values}");
        text += &out::wide_field(name, width, &text_of_option);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_engines_are_taken_apart() {
        let words = |text: &str| -> Vec<String> {
            parse_list(text).unwrap().0.iter().map(ToString::to_string).collect()
        };
        assert_eq!(words("alphabeta"), ["alphabeta"]);
        assert_eq!(words("ab-tt,ab-tt-mc"), ["ab-tt", "ab-tt-mc"]);
        assert_eq!(
            words("ab-tt,dfpn:sum=weak,epsilon=1/8,pn2,dfpn:seed=3"),
            ["ab-tt", "dfpn:sum=weak,epsilon=1/8", "pn2", "dfpn:seed=3"]
        );
        for (text, column) in
            [("", 1), ("ab-tt,", 7), (",ab-tt", 1), ("pn2,dfpn:sum=most", 14), ("pn2,seed=3", 1)]
        {
            assert_eq!(parse_list(text).unwrap_err().column(), column, "{text}");
        }
    }

    #[test]
    fn options_that_differ_are_told() {
        let engine: EngineConfig = "dfpn:threads=2,seed=3,sum=weak,gc=smalltree".parse().unwrap();
        assert_eq!(other_options(&engine).collect::<Vec<_>>(), ["sum=weak", "gc=smalltree"]);
        assert_eq!(changed_options(&engine).count(), 4);
        assert_eq!(changed_options(&EngineId::IdAbTtMc.into()).count(), 0);
    }

    #[test]
    fn needs_are_those_of_the_engine_with_its_options() {
        let needs = |text: &str| needs(&text.parse().unwrap());
        assert!(needs("auto").is_empty() && needs("minimax").is_empty());
        assert_eq!(needs("dfpn"), ["no superko"]);
        assert_eq!(needs("alphabeta"), ["own values"]);
        assert_eq!(needs("alphabeta:threads=2"), ["own values", "no superko"]);
        assert_eq!(needs("lambda"), ["threats", "own values", "no superko"]);
    }
}
