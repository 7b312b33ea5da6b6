//! Makes the explorer's book, `crates/explorer/book.txt`, with our own solver: the values, and the distances of wins, of the
//! first plies of the gallery's games. `scripts/make-book` runs it; it says how.
//!
//! Positions are taken ply after ply, one of all that are the same to solvers, and written as soon as they are proved: whoever stops
//! it loses one position, and it goes on where it was. Tables are kept from one position to the next.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use zermelo_erased::{AnyGame, AnySession, Catalogue, EngineConfig, EngineId, with_room};
use zermelo_explorer::book::{BookEntry, Section, read, write};
use zermelo_game::Limits;
use zermelo_game::distance::winner_of;

/// The games of the book and how many plies of each: those of the gallery that take a moment or more.
const GAMES: &[(&str, usize)] = &[
    ("mnk 5x6x4", 1),
    ("domineering 8x8", 1),
    ("nogo 4x4", 1),
    ("atarigo 5x5", 1),
    ("clobber 4x5", 1),
    ("breakthrough 5x4", 1),
    ("knightthrough 6x6", 1),
    ("kalah 4x3", 1),
    ("awari 3x2", 1),
    ("loa 4x4", 1),
    ("morris 3", 1),
    ("go 3x3", 1),
    ("chess KRK", 0),
    ("connect4 6x7", 6),
];
/// How often the file is written.
const SAVE: Duration = Duration::from_secs(20);

struct Maker {
    file: PathBuf,
    sections: Vec<Section>,
    saved: Instant,
    limits: Limits,
    engine: EngineConfig,
}

impl Maker {
    fn save(&mut self) {
        let new = self.file.with_extension("new");
        std::fs::write(&new, write(&self.sections)).expect("the folder of the book is writable");
        std::fs::rename(&new, &self.file).expect("the book is writable");
        self.saved = Instant::now();
    }

    /// The value of the position of a session, and its distance.
    fn prove(
        &self,
        game: &dyn AnyGame,
        session: &mut dyn AnySession,
    ) -> Option<(i16, Option<u32>)> {
        let value = match session.outcome() {
            Some(value) => value,
            None => session.solve(&self.engine, &self.limits, &|_| {}).bounds.value()?,
        };
        let distance = match winner_of(zermelo_game::Bounds::exact(value)) {
            Some(winner) if game.has_distances(winner) => {
                session.distance(winner, 1, &self.limits, &|_, _| {})?.plies.value()
            }
            _ => None,
        };
        Some((value, distance))
    }

    /// Proves what is missing of a game.
    fn make(&mut self, name: &str, plies: usize) {
        let game = Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}"));
        let identity = game.identity();
        let at = match self.sections.iter().position(|section| section.identity == identity) {
            Some(at) => at,
            None => {
                self.sections.push(Section { identity, entries: Vec::new() });
                self.sections.len() - 1
            }
        };
        let mut known: HashMap<String, BookEntry> =
            self.sections[at].entries.drain(..).map(|e| (e.moves.clone(), e)).collect();
        let mut session = game.session();
        let mut layer: Vec<Vec<String>> = vec![Vec::new()];
        for ply in 0..=plies {
            let (mut next, mut met, begun) = (Vec::new(), HashSet::new(), Instant::now());
            for (n, line) in layer.iter().enumerate() {
                while session.take_back().is_some() {}
                line.iter().for_each(|mv| _ = session.play(mv).expect("a move that was listed"));
                let moves = line.join(" ");
                let entry = known.remove(&moves).or_else(|| {
                    let (value, distance) = match game.has_own_values() || ply == 0 {
                        true => self.prove(&*game, &mut *session)?,
                        false => {
                            // The position before the move is part of the line.
                            let mv = session.take_back()?;
                            let found =
                                session.solve_move(&mv, &self.engine, &self.limits, &|_| {});
                            session.play(&mv).expect("it was played");
                            (found.ok()?.bounds.value()?, None)
                        }
                    };
                    println!(
                        "{name}  {moves}: {value} {distance:?}  {n} of {} at ply {ply}, {:.0?}",
                        layer.len(),
                        begun.elapsed()
                    );
                    Some(BookEntry { moves, value, distance })
                });
                self.sections[at].entries.extend(entry);
                if self.saved.elapsed() > SAVE {
                    // What comes later in the old book is not to be lost.
                    let kept = self.sections[at].entries.len();
                    self.sections[at].entries.extend(known.values().cloned());
                    self.save();
                    self.sections[at].entries.truncate(kept);
                }
                let moves =
                    if session.outcome().is_some() { Vec::new() } else { session.survey().moves };
                for m in moves {
                    let same = if game.has_own_values() {
                        m.canonical
                    } else {
                        format!("{moves:?} {}", m.mv, moves = line)
                    };
                    if met.insert(same) {
                        next.push(line.iter().cloned().chain([m.mv]).collect());
                    }
                }
            }
            layer = next;
        }
        self.sections[at].entries.extend(known.into_values());
        self.save();
    }

    /// Proves all of a book again. False if something is not so.
    fn verify(&self) -> bool {
        let mut holds = true;
        for section in &self.sections {
            let game = Catalogue::standard()
                .open(&section.identity.game)
                .unwrap_or_else(|e| panic!("{e}"));
            holds &= game.identity() == section.identity;
            let mut session = game.session();
            for entry in &section.entries {
                while session.take_back().is_some() {}
                let moves = game.split_moves(&entry.moves);
                moves.iter().for_each(|mv| _ = session.play(mv).expect("a move of the book"));
                let found = match game.has_own_values() || moves.is_empty() {
                    true => self.prove(&*game, &mut *session),
                    false => {
                        let mv = session.take_back().expect("a move");
                        let found = session.solve_move(&mv, &self.engine, &self.limits, &|_| {});
                        found
                            .ok()
                            .and_then(|report| report.bounds.value())
                            .map(|value| (value, None))
                    }
                };
                if found != Some((entry.value, entry.distance)) {
                    println!(
                        "{}  {}: {:?} in the book, {found:?} found",
                        section.identity.game,
                        entry.moves,
                        (entry.value, entry.distance)
                    );
                    holds = false;
                }
            }
            println!("{}: {} positions", section.identity.game, section.entries.len());
        }
        holds
    }
}

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let verify =
        words.iter().position(|word| word == "--verify").map(|at| words.remove(at)).is_some();
    let [file, wanted @ ..] = &words[..] else {
        eprintln!("make-book FILE [--verify] [GAME:PLIES ...]");
        return ExitCode::from(2);
    };
    let file = Path::new(file).to_owned();
    let sections = match std::fs::read_to_string(&file) {
        Ok(text) => read(&text).unwrap_or_else(|e| panic!("{e}")),
        Err(_) => Vec::new(),
    };
    let limits =
        Limits { memory: 4 << 30, time: Some(Duration::from_secs(1800)), ..Limits::default() };
    let engine = EngineConfig::new(EngineId::Auto);
    let mut maker = Maker { file, sections, saved: Instant::now(), limits, engine };
    with_room(|| {
        if verify {
            return match maker.verify() {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            };
        }
        let listed = |word: &String| -> Option<(String, usize)> {
            let (game, plies) = word.rsplit_once(':')?;
            Some((game.to_owned(), plies.parse().ok()?))
        };
        let mut games: Vec<(String, usize)> = wanted.iter().filter_map(listed).collect();
        if games.is_empty() {
            games = GAMES.iter().map(|(game, plies)| ((*game).to_owned(), *plies)).collect();
        }
        for (game, plies) in games {
            maker.make(&game, plies);
        }
        ExitCode::SUCCESS
    })
}
