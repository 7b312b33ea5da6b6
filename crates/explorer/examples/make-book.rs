//! Makes the explorer's book, `crates/explorer/book.txt`, with our own solver: the values, and the distances of wins, of the
//! first plies of the gallery's games. `scripts/make-book` runs it; it says how.
//!
//! Positions are taken ply after ply, one of all that are the same to solvers, and written as soon as they are proved: whoever stops
//! it loses a position or two, and it goes on where it was. Tables are kept from one position to the next.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use zermelo_erased::{AnyGame, AnySession, Catalogue, EngineConfig, EngineId, with_room};
use zermelo_explorer::book::{BookEntry, Section, read, write};
use zermelo_game::distance::winner_of;
use zermelo_game::{Bounds, Limits, Value};

/// The games of the book, how many plies of each, and of how many the distances are measured: those of the gallery that take a
/// moment or more.
const GAMES: &[(&str, usize, usize)] = &[
    ("mnk 5x6x4", 1, 1),
    ("nogo 4x4", 1, 1),
    ("atarigo 5x5", 1, 1),
    ("clobber 4x5", 1, 1),
    ("breakthrough 5x4", 1, 1),
    ("knightthrough 6x6", 0, 0),
    ("kalah 4x3", 1, 1),
    ("awari 3x2", 1, 1),
    ("loa 4x4", 1, 1),
    ("morris 3", 1, 1),
    ("go 3x3", 1, 1),
    ("connect4 6x7", 3, 2),
];
/// How often the file is written.
const SAVE: Duration = Duration::from_secs(20);

/// What is proved of a position: its value, and the plies to the end.
type Proved = (Value, Option<u32>);

struct Prover {
    limits: Limits,
    engine: EngineConfig,
}

impl Prover {
    /// The position of a session, after so many moves; its distance if it is to be measured.
    fn prove(
        &self,
        game: &dyn AnyGame,
        session: &mut dyn AnySession,
        plies: usize,
        measured: bool,
    ) -> Option<Proved> {
        let nobody = &|_: &_| {};
        let value = match (session.outcome(), game.has_own_values() || plies == 0) {
            (Some(value), _) => value,
            (None, true) => session.solve(&self.engine, &self.limits, nobody).bounds.value()?,
            (None, false) => {
                // The start is part of the line.
                assert_eq!(plies, 1, "lines of one move");
                let mv = session.take_back()?;
                let found = session.solve_move(&mv, &self.engine, &self.limits, nobody).ok()?;
                session.play(&mv).ok()?;
                found.bounds.value()?
            }
        };
        let winner = winner_of(Bounds::exact(value)).filter(|_| measured);
        let distance = match winner.filter(|winner| game.has_distances(*winner)) {
            Some(winner) => {
                Some(session.distance(winner, 1, &self.limits, &|_, _| {})?.plies.value()?)
            }
            None => None,
        };
        Some((value, distance))
    }
}

/// Whether a distance is missing that a game has.
fn lacks_distance(game: &dyn AnyGame, entry: &BookEntry) -> bool {
    let winner = winner_of(Bounds::exact(entry.value));
    entry.distance.is_none() && winner.is_some_and(|winner| game.has_distances(winner))
}

/// How many moves of a line are known to give something away.
fn errors(line: &[String], known: &BTreeMap<(usize, String), BookEntry>) -> usize {
    let value = |plies: usize| known.get(&(plies, line[..plies].join(" "))).map(|e| e.value);
    let errs = |plies: &usize| match (value(plies - 1), value(*plies)) {
        (Some(before), Some(after)) => before != after,
        _ => false,
    };
    (1..=line.len()).filter(errs).count()
}

struct Maker {
    file: PathBuf,
    sections: Vec<Section>,
    saved: Instant,
    prover: Prover,
}

impl Maker {
    fn save(&mut self) {
        let new = self.file.with_extension("new");
        std::fs::write(&new, write(&self.sections)).expect("the folder of the book is writable");
        std::fs::rename(&new, &self.file).expect("the book is writable");
        self.saved = Instant::now();
    }

    /// Proves what is missing of a game.
    fn make(&mut self, name: &str, plies: usize, measured: usize) {
        let game = Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}"));
        let identity = game.identity();
        let found = self.sections.iter().position(|section| section.identity == identity);
        let at = found.unwrap_or_else(|| {
            self.sections.push(Section { identity, entries: Vec::new() });
            self.sections.len() - 1
        });
        let key = |e: BookEntry| ((e.moves.split_whitespace().count(), e.moves.clone()), e);
        let mut known: BTreeMap<(usize, String), BookEntry> =
            self.sections[at].entries.drain(..).map(key).collect();
        let mut session = game.session();
        let mut layer: Vec<Vec<String>> = vec![Vec::new()];
        for ply in 0..=plies {
            let (mut next, mut met, begun) = (Vec::new(), HashSet::new(), Instant::now());
            for (n, line) in layer.iter().enumerate() {
                while session.take_back().is_some() {}
                line.iter().for_each(|mv| _ = session.play(mv).expect("a move that was listed"));
                let moves = line.join(" ");
                let there = known.get(&(ply, moves.clone()));
                if there.is_none_or(|entry| ply <= measured && lacks_distance(&*game, entry)) {
                    let measure = ply <= measured;
                    let proved = self.prover.prove(&*game, &mut *session, ply, measure);
                    let of = layer.len();
                    println!("{name}  {moves}: {proved:?}  {n} of {of}, {:.0?}", begun.elapsed());
                    let entry = |(value, distance)| BookEntry { moves, value, distance };
                    known.extend(proved.map(|proved| key(entry(proved))));
                    if self.saved.elapsed() > SAVE {
                        self.sections[at].entries = known.values().cloned().collect();
                        self.save();
                    }
                }
                if session.outcome().is_some() {
                    continue;
                }
                for m in session.survey().moves {
                    let same = match game.has_own_values() {
                        true => m.canonical,
                        false => format!("{} {}", line.join(" "), m.mv),
                    };
                    if met.insert(same) {
                        next.push(line.iter().cloned().chain([m.mv]).collect());
                    }
                }
            }
            // Good play first: that is what most people look at, if it is stopped before all is there.
            next.sort_by_key(|line: &Vec<String>| errors(line, &known));
            layer = next;
        }
        self.sections[at].entries = known.into_values().collect();
        self.save();
    }

    /// Proves all of a book again. False if something is not so.
    fn verify(&self) -> bool {
        let mut holds = true;
        for Section { identity, entries } in &self.sections {
            let name = &identity.game;
            let game = Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}"));
            if game.identity() != *identity {
                println!("{name}: the rules are version {} now", game.identity().rules_version);
                holds = false;
            }
            let mut session = game.session();
            for BookEntry { moves, value, distance } in entries {
                while session.take_back().is_some() {}
                let list = game.split_moves(moves);
                list.iter().for_each(|mv| _ = session.play(mv).expect("a move of the book"));
                let (plies, measured) = (list.len(), distance.is_some());
                let found = self.prover.prove(&*game, &mut *session, plies, measured);
                if found != Some((*value, *distance)) {
                    println!("{name}  {moves}: {value} {distance:?} in the book, found {found:?}");
                    holds = false;
                }
            }
            println!("{name}: {} positions", entries.len());
        }
        holds
    }
}

/// A game, and how many plies of it: `connect4 6x7:3:2` with distances of the first two.
fn wanted(word: &str) -> Option<(&str, usize, usize)> {
    let (rest, measured) = word.rsplit_once(':')?;
    let measured = measured.parse().ok()?;
    match rest.rsplit_once(':') {
        Some((game, plies)) => Some((game, plies.parse().ok()?, measured)),
        None => Some((rest, measured, measured)),
    }
}

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let verify = words.iter().position(|word| word == "--verify").map(|at| words.remove(at));
    let games: Option<Vec<_>> = words.iter().skip(1).map(|word| wanted(word)).collect();
    let (Some(file), Some(games)) = (words.first(), games) else {
        eprintln!("make-book FILE [--verify] [GAME:PLIES[:PLIES WITH DISTANCES] ...]");
        return ExitCode::from(2);
    };
    let file = Path::new(file).to_owned();
    let sections = match std::fs::read_to_string(&file) {
        Ok(text) => read(&text).unwrap_or_else(|e| panic!("{e}")),
        Err(_) => Vec::new(),
    };
    let prover = Prover {
        limits: Limits { memory: 4 << 30, ..Limits::default() },
        engine: EngineConfig::new(EngineId::Auto),
    };
    let mut maker = Maker { file, sections, saved: Instant::now(), prover };
    with_room(|| {
        if verify.is_some() {
            return if maker.verify() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        for &(game, plies, measured) in if games.is_empty() { GAMES } else { &games } {
            maker.make(game, plies, measured);
        }
        ExitCode::SUCCESS
    })
}
