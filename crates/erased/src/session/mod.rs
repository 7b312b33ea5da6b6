//! The one implementation of [`AnySession`]: a position of a game, with the moves that led there and an engine.
//!
//! `solving` asks engines, `moves` about every move of a position, `distance` how soon a win comes, `player` what to play;
//! `certify` writes certificates, `text` turns moves into words.

pub(crate) mod certify;
mod distance;
mod moves;
mod player;
mod solving;
mod text;

use crate::database::Databases;
use crate::evidence::{self, Survey, SurveyedMove};
use crate::game::Erased;
use crate::growth::{Growth, grow};
use crate::node_info::ChildResult;
use crate::{
    AnySession, CertificateRequest, DistanceAnswer, DistanceObserver, EngineConfig, EngineId,
    Evidence, LineEnd, MoveValues, Observer, Perft, PlayedMove, SharedTables, StaticSource,
};
use distance::{Avoiding, DistanceSeat};
use player::Followed;
use solving::Seat;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zermelo_certificate::{Certificate, WriteFailure};
use zermelo_endgame::Damage;
use zermelo_game::boxed::{BoxShape, ByteMove, BytePosition};
use zermelo_game::{
    Bounds, Boxed, Contradiction, Footprint, History, Limits, MoveList, Notation, ParseError,
    Picture, Player, Question, Report, Rules, Value,
};
use zermelo_search::distance::DistanceReport;
use zermelo_search::heuristic::{self, Opinion};
use zermelo_search::portfolio;
use zermelo_search::proofnumber::InitialBounds;

/// A position of a game, with the moves that led there.
pub(crate) struct Session<'g, S: BoxShape> {
    game: &'g Erased<S>,
    now: BytePosition<S>,
    past: Vec<(BytePosition<S>, ByteMove<S>)>,
    /// The boards of the line, where they must not be repeated.
    history: History<Boxed<S>>,
    /// The engine that was asked last.
    seat: Option<Seat<'g, S>>,
    /// The searcher of distances, once it was asked.
    distances: Option<DistanceSeat<'g, S>>,
    /// The same for the game that was played so far, if the perfect player needed it.
    avoiding: Option<Avoiding<'g, S>>,
    /// The strategy that the perfect player follows.
    followed: Option<Followed>,
    /// What other sessions know, too.
    shared: Option<Arc<portfolio::PortfolioTables<S::Key>>>,
}

impl<'g, S: BoxShape> Session<'g, S> {
    /// A session at the starting position.
    #[must_use]
    pub(crate) fn new(game: &'g Erased<S>) -> Session<'g, S> {
        let now = game.rules.start();
        let history = History::of(&*game.rules, game.rules.superko(), &now);
        Session {
            game,
            now,
            past: Vec::new(),
            history,
            seat: None,
            distances: None,
            avoiding: None,
            followed: None,
            shared: None,
        }
    }

    fn rules(&self) -> &'g Boxed<S> {
        &self.game.rules
    }

    fn databases(&self) -> Option<&'g Databases<S>> {
        self.game.databases.as_deref()
    }

    fn legal(&self) -> MoveList<ByteMove<S>> {
        let mut list = MoveList::new();
        self.history.moves(self.rules(), &self.now, &mut list);
        list
    }

    /// What a database keeps of a position; nothing is known without one.
    fn look_up(&self, p: &BytePosition<S>) -> Result<Evidence<StaticSource>, Damage> {
        match self.databases() {
            Some(databases) => databases.look_up(self.rules(), p),
            None => Ok(Evidence::new(self.rules().values(), StaticSource::Database(0))),
        }
    }

    /// Reads a move that the rules and the history allow.
    fn read(&self, text: &str) -> Result<ByteMove<S>, ParseError> {
        let rules = self.rules();
        let m = rules.parse_move(&self.now, text)?;
        if self.history.allows(rules, &self.now, &rules.play(&self.now, m)) {
            return Ok(m);
        }
        let expected = format!("a move that repeats no board ({})", self.moves().join(" "));
        let reason = format!("the board after {text} stood before (superko)");
        Err(ParseError::new("move", text, 0, expected).because(reason))
    }
}

impl<S: BoxShape> AnySession for Session<'_, S> {
    fn set_position(&mut self, text: &str) -> Result<(), ParseError> {
        self.now = self.rules().parse_position(text)?;
        self.past.clear();
        self.history = History::of(self.rules(), self.rules().superko(), &self.now);
        Ok(())
    }

    fn position(&self) -> String {
        self.rules().position_text(&self.now)
    }

    fn turn(&self) -> Player {
        self.rules().turn(&self.now)
    }

    fn outcome(&self) -> Option<Value> {
        self.rules().outcome(&self.now)
    }

    fn moves(&self) -> Vec<String> {
        self.legal().iter().map(|m| self.rules().move_text(&self.now, m)).collect()
    }

    fn play(&mut self, text: &str) -> Result<String, ParseError> {
        let (rules, m) = (self.rules(), self.read(text)?);
        let written = rules.move_text(&self.now, m);
        self.past.push((self.now, m));
        self.now = rules.play(&self.now, m);
        self.history.push(rules, &self.now);
        Ok(written)
    }

    fn take_back(&mut self) -> Option<String> {
        let (before, m) = self.past.pop()?;
        self.now = before;
        self.history.pop();
        Some(self.rules().move_text(&before, m))
    }

    fn picture(&self) -> Picture {
        self.rules().picture(&self.now)
    }

    fn place(&self, text: &str) -> Option<Footprint> {
        let m = self.read(text).ok()?;
        self.rules().footprint(&self.now, m)
    }

    fn survey(&self) -> Survey {
        let (game, p) = (self.game.whole(), &self.now);
        let known = evidence::known(game, self.databases(), p);
        let survey = |m| evidence::surveyed_move(game, self.databases(), p, m);
        let moves: Vec<SurveyedMove> = self.legal().iter().map(survey).collect();
        // Otherwise the value of a position may depend on the line that led there.
        let known = match self.game.has_own_values() {
            true => evidence::with_moves(known, &moves, game.turn(p), game.values()),
            false => known,
        };
        Survey { known, canonical: self.canonical(), moves }
    }

    fn canonical(&self) -> String {
        self.rules().position_text(&self.game.whole().canonical(&self.now))
    }

    fn share(&mut self, tables: &SharedTables) {
        assert_eq!(tables.game, self.rules().full_name(), "tables of another game");
        let tables = tables.tables.clone().downcast();
        self.shared = Some(tables.expect("a game has one kind of keys"));
        self.seat = None;
    }

    fn solve(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Report<String> {
        self.solve_here(config, None, limits, observer)
    }

    fn solve_from(
        &mut self,
        initial: &InitialBounds,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Result<Report<String>, Contradiction> {
        self.solve_from_bounds(initial, config, limits)
    }

    fn child_results(&self, question: Question) -> Vec<ChildResult> {
        self.results_of_moves(question)
    }

    fn opinion(&mut self, depth: u32, limits: &Limits) -> Option<Opinion<String>> {
        if !self.game.whole().evaluates() {
            return None;
        }
        let opinion = heuristic::search(self.game.whole(), &self.now, depth, limits);
        let Opinion { score, best, depth, nodes } = opinion;
        let best = best.map(|m| self.rules().move_text(&self.now, m));
        Some(Opinion { score, best, depth, nodes })
    }

    fn solve_moves(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Result<MoveValues, Contradiction> {
        self.solve_each_move(config, limits, observer)
    }

    fn solve_move(
        &mut self,
        mv: &str,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Result<Report<String>, ParseError> {
        let m = self.read(mv)?;
        Ok(self.solve_after(m, config, limits, observer))
    }

    fn distance(
        &mut self,
        winner: Player,
        threads: usize,
        limits: &Limits,
        observer: DistanceObserver,
    ) -> Option<DistanceAnswer> {
        let p = self.now;
        let found = self.distance_at(&p, winner, threads, limits, observer)?;
        let line = text::texts(self.rules(), &p, &found.line);
        let DistanceReport { plies, wins, stop, stats, .. } = found;
        Some(DistanceAnswer { plies, wins, line, stop, stats })
    }

    fn measure_moves(
        &mut self,
        found: &mut MoveValues,
        threads: usize,
        limits: &Limits,
        observer: DistanceObserver,
    ) {
        self.measure_each_move(found, threads, limits, observer);
    }

    fn complete_line(&mut self, report: &mut Report<String>, limits: &Limits) -> LineEnd {
        self.complete(report, limits)
    }

    fn choose(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Option<PlayedMove> {
        if self.outcome().is_some() {
            return None;
        }
        self.best_move(config, limits, observer)
    }

    fn repetition(&self) -> Option<Option<Value>> {
        self.repetition_now()
    }

    fn certify(
        &mut self,
        known: Bounds,
        config: &EngineConfig,
        request: CertificateRequest,
    ) -> Result<Certificate, WriteFailure> {
        self.write_certificate(known, Some(config), None, request)
    }

    fn certify_from(
        &mut self,
        known: Bounds,
        facts: &dyn Fn(&str) -> Bounds,
        request: CertificateRequest,
    ) -> Result<Certificate, WriteFailure> {
        self.write_certificate(known, None, Some(facts), request)
    }

    fn probe(&self) -> Result<Evidence<StaticSource>, Damage> {
        self.look_up(&self.now)
    }

    fn why_unknown(&self) -> Result<Option<String>, Damage> {
        let known = self.probe()?.bounds != self.rules().values();
        let Some(databases) = self.databases().filter(|_| !known) else { return Ok(None) };
        Ok(databases.why_unknown(self.rules(), &self.now))
    }

    fn probe_moves(&self) -> Result<Vec<(String, Evidence<StaticSource>)>, Damage> {
        let known = |m| {
            let known = self.look_up(&self.rules().play(&self.now, m))?;
            Ok((self.rules().move_text(&self.now, m), known))
        };
        self.legal().iter().map(known).collect()
    }

    fn grow(&self, engine: EngineId, steps: usize) -> Result<Growth, String> {
        grow(self.game.whole(), &self.now, &self.history, engine, steps)
    }

    fn perft(&self, depth: u32, cancel: &AtomicBool) -> Option<Perft> {
        let mut count = Perft::default();
        let mut history = self.history.clone();
        perft(self.rules(), &self.now, &mut history, depth, cancel, &mut count).then_some(count)
    }
}

/// False if it was cancelled.
fn perft<R: Notation>(
    rules: &R,
    p: &R::Position,
    history: &mut History<R>,
    depth: u32,
    cancel: &AtomicBool,
    count: &mut Perft,
) -> bool {
    count.nodes += 1;
    if count.nodes.is_multiple_of(4096) && cancel.load(Ordering::Relaxed) {
        return false;
    }
    let over = rules.outcome(p).is_some();
    if depth == 0 {
        count.lines += 1;
        count.finished += u64::from(over);
    }
    if depth == 0 || over {
        return true;
    }
    let mut list = MoveList::new();
    history.moves(rules, p, &mut list);
    list.iter().all(|m| {
        let next = rules.play(p, m);
        history.push(rules, &next);
        let done = perft(rules, &next, history, depth - 1, cancel, count);
        history.pop();
        done
    })
}
