//! Asking engines about the position of a session.

use super::Session;
use super::text::{in_words, texts};
use crate::node_info::ChildResult;
use crate::{EngineConfig, Observer};
use zermelo_game::boxed::{BoxShape, ByteMove, BytePosition};
use zermelo_game::{
    Bounds, Boxed, Contradiction, History, Level, Limits, MoveList, Notation, Progress, Question,
    Report, Rules, Stop,
};
use zermelo_search::engine::{Engine, Task};
use zermelo_search::engines::{Abilities, ByThreats, Make};
use zermelo_search::proofnumber::InitialBounds;

/// An engine with its tables, and what it was made for.
pub(super) struct Seat<'g, S: BoxShape> {
    config: EngineConfig,
    pub(super) memory: u64,
    pub(super) engine: Box<dyn Engine<Boxed<S>> + 'g>,
}

/// The last position of a line: what comes before it, where that matters.
pub(super) struct LinePosition<'p, S: BoxShape> {
    pub(super) past: &'p [BytePosition<S>],
    pub(super) position: &'p BytePosition<S>,
    pub(super) history: &'p History<Boxed<S>>,
}

impl<'g, S: BoxShape> Session<'g, S> {
    /// An engine with these settings.
    fn engine(&self, config: &EngineConfig, limits: &Limits) -> Box<dyn Engine<Boxed<S>> + 'g> {
        let game = self.game;
        // The condition is constant: no other engines are compiled where boards must not be repeated.
        if const { S::SUPERKO } {
            return game.native.engine(config, limits);
        }
        if config.is_per_game() {
            return game.native.engine(config, limits);
        }
        let shared = self.shared.as_deref().filter(|_| config.shares_tables());
        let threats = game.native.inner().threats().then_some(&ByThreats as _);
        let make = Make {
            game: game.without(config.ablation()),
            loops: Some(game.native.loops(config.ablation())),
            ablation: config.ablation(),
            limits,
            abilities: Abilities { superko: None, threats },
            shared,
        };
        config.engine_for_all(make).expect("an engine that is not compiled for each game")
    }

    /// Asks an engine about a position.
    pub(super) fn ask(
        &mut self,
        place: &LinePosition<S>,
        initial: Option<&InitialBounds>,
        config: &EngineConfig,
        limits: &Limits,
        observer: &(dyn Fn(&Progress<ByteMove<S>>) + Sync),
    ) -> Report<ByteMove<S>> {
        let LinePosition { past, position, history } = *place;
        let task = Task { position, past, history, initial, limits };
        let same = |seat: &Seat<S>| seat.config == *config && seat.memory == limits.memory;
        if let Some(seat) = self.seat.as_mut().filter(|seat| same(seat)) {
            return seat.engine.solve(&task, observer);
        }
        let mut engine = self.engine(config, limits);
        // The tables of the engine before stay where the new one has none.
        if !engine.is_forgetful() {
            self.seat = None;
        }
        let report = engine.solve(&task, observer);
        if !engine.is_forgetful() {
            self.seat = Some(Seat { config: config.clone(), memory: limits.memory, engine });
        }
        report
    }

    /// Asks about the position of the session.
    pub(super) fn solve_here(
        &mut self,
        config: &EngineConfig,
        initial: Option<&InitialBounds>,
        limits: &Limits,
        observer: Observer,
    ) -> Report<String> {
        let (rules, p, history) = (self.rules(), self.now, self.history.clone());
        let place = LinePosition { past: &[], position: &p, history: &history };
        let report = self.ask(&place, initial, config, limits, &|progress| {
            let line = texts(rules, &p, &progress.line);
            let Progress { bounds, stats, proof, .. } = *progress;
            observer(&Progress { bounds, stats, line, proof });
        });
        in_words(rules, &p, report)
    }

    /// The same from what is known already, which becomes part of the answer.
    pub(super) fn solve_from_bounds(
        &mut self,
        initial: &InitialBounds,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Result<Report<String>, Contradiction> {
        let mut report = self.solve_here(config, Some(initial), limits, &|_| {});
        let found = report.bounds;
        report.bounds = found.meet(initial.known)?;
        if report.bounds != found && report.bounds.is_exact() {
            // The value follows from both together; which moves keep it does not.
            (report.stop, report.level) = (Stop::Solved, Some(Level::UltraWeak));
            (report.best, report.line) = (None, Vec::new());
        }
        Ok(report)
    }

    /// What the tables of the engine that was asked last hold of the positions after the candidate moves.
    pub(super) fn results_of_moves(&self, question: Question) -> Vec<ChildResult> {
        let game = self.game.whole();
        let Some(Seat { engine, .. }) = &self.seat else { return Vec::new() };
        if !self.game.has_own_values() || engine.known(&self.now).is_none() {
            return Vec::new();
        }
        let p = game.canonical(&self.now);
        let mut list = MoveList::new();
        if game.outcome(&p).is_none() {
            game.candidate_moves(&p, &mut list);
        }
        let mut all: Vec<ChildResult> = Vec::new();
        for m in list.iter() {
            let after = game.canonical(&game.play(&p, m));
            let position = game.position_text(&after);
            if all.iter().any(|other| other.position == position) {
                continue;
            }
            let bounds: Bounds = engine.known(&after).unwrap_or_else(|| game.values());
            let numbers = engine.numbers(&after, question);
            all.push(ChildResult { position, bounds, numbers });
        }
        all
    }
}
