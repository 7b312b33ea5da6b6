//! The analysis of a board: the value of the position, then those of its moves one by one, then how soon wins come.
//!
//! What it may spend grows step by step, and each step tries all that is still open, so that what is easy is known first. Tables are
//! kept from one search to the next: a search that was cut off does not begin from nothing. Whatever is proved is told and remembered
//! at once.

use super::run::{Found, Run};
use super::{Budget, KnownMove, Phase};
use crate::findings::at_most;
use crate::record::Recorder;
use std::time::Duration;
use zermelo_erased::{AnySession, EngineId, MoveValue, tone};
use zermelo_game::distance::winner_of;
use zermelo_game::{
    Bounds, Contradiction, Limits, Player, Plies, Progress, Question, Report, Stats, Stop,
    best_of_moves,
};

/// Distances are measured as long as values have taken, and so much longer.
const CHEAP: Duration = Duration::from_secs(2);

/// An analysis at work.
pub(super) struct Analysis<'r> {
    run: &'r Run,
    recorder: Recorder<'r>,
    session: Box<dyn AnySession + 'r>,
    turn: Player,
    all: Bounds,
    own_values: bool,
    bounds: Bounds,
    distance: Option<u32>,
    best: Option<String>,
    line: Vec<String>,
    by: Option<&'static str>,
    moves: Vec<KnownMove>,
    /// What all searches have cost so far.
    spent: Stats,
    budget: Budget,
    phase: Phase,
    /// Whether a search of this step was cut off by its time.
    cut: bool,
    /// Why a search of this step has given up by itself.
    stuck: Option<Stop>,
}

impl<'r> Analysis<'r> {
    /// One of the position of a session, with what is known of its moves.
    pub fn new(run: &'r Run, session: Box<dyn AnySession + 'r>) -> Analysis<'r> {
        let game = &run.job.game;
        Analysis {
            recorder: run.recorder(false),
            turn: session.turn(),
            all: game.values(),
            own_values: game.has_own_values(),
            bounds: game.values(),
            distance: None,
            best: None,
            line: Vec::new(),
            by: None,
            moves: run.job.request.known.clone(),
            spent: Stats::default(),
            budget: Budget { step: 0, time: Duration::ZERO, most: run.job.time() },
            phase: Phase::Position,
            cut: false,
            stuck: None,
            session,
            run,
        }
    }

    /// All of it. `None` if a solver contradicts itself.
    pub fn run(mut self) -> Option<Found> {
        let stop = self.steps().ok()?;
        let report = Report {
            bounds: self.bounds,
            best: self.best.clone(),
            line: std::mem::take(&mut self.line),
            stop,
            level: None,
            rests_on_history: false,
            by: self.by,
            stats: self.spent,
        };
        Some((report, Some(self.told()), self.distance))
    }

    fn steps(&mut self) -> Result<Stop, Contradiction> {
        self.conclude()?;
        let mut step = self.run.step;
        loop {
            let most = self.run.job.time();
            let time = (self.budget.time + step).min(most);
            self.budget = Budget { step: self.budget.step + 1, time, most };
            step *= 4;
            (self.cut, self.stuck) = (false, None);
            self.search_position()?;
            self.search_moves()?;
            let solved = self.bounds.is_exact() && self.moves.iter().all(|m| m.bounds.is_exact());
            if solved {
                self.measure()?;
                return Ok(match self.run.wanted() {
                    true => Stop::Solved,
                    false => Stop::Interrupted,
                });
            }
            if !self.run.wanted() {
                return Ok(Stop::Interrupted);
            }
            if self.run.turns.ran() >= self.run.job.time() {
                return Ok(Stop::OutOfTime);
            }
            // An engine that has given up finds no more with more time.
            if let (Some(stop), false) = (self.stuck, self.cut) {
                return Ok(stop);
            }
        }
    }

    /// For a search until that time of the job's clock.
    fn limits(&self, until: Duration) -> Limits {
        let unwatched = self.run.job.request.engine.id() == EngineId::Lambda;
        Limits {
            // See `Run::search`.
            time: unwatched.then(|| until.saturating_sub(self.run.turns.ran())),
            nodes: None,
            memory: self.run.memory,
            cancel: Some(self.run.job.cancel.clone()),
        }
    }

    fn left(&self) -> Duration {
        self.budget.time.saturating_sub(self.run.turns.ran())
    }

    /// The position by itself. Half of a step is for the moves, as long as some are open.
    fn search_position(&mut self) -> Result<(), Contradiction> {
        if self.bounds.is_exact() || !self.run.next_search() {
            return Ok(());
        }
        self.phase = Phase::Position;
        self.publish();
        let until = self.run.turns.ran() + self.left() / 2;
        let (run, limits, before) = (self.run, self.limits(until), self.spent);
        let engine = &run.job.request.engine;
        let report = self.session.solve(engine, &limits, &|progress| {
            run.look(progress, &before, until);
        });
        self.spend(&report.stats);
        self.ended(report.stop);
        self.recorder.report(&mut *self.session, &[], &report);
        self.bounds = self.bounds.meet(report.bounds)?;
        self.by = report.by.or(self.by);
        if report.bounds.is_exact() {
            let best = self.moves.iter_mut().find(|m| Some(&m.mv) == report.best.as_ref());
            if let Some(best) = best {
                best.bounds = best.bounds.meet(report.bounds)?;
            }
            (self.best, self.line) = (report.best, report.line);
        }
        self.read_tables()?;
        self.conclude()
    }

    /// What the tables hold of the moves.
    fn read_tables(&mut self) -> Result<(), Contradiction> {
        let question = Question::halving(self.all).filter(|_| self.own_values);
        for child in question.map_or_else(Vec::new, |q| self.session.child_results(q)) {
            for m in self.moves.iter_mut().filter(|m| m.canonical == child.position) {
                m.bounds = m.bounds.meet(child.bounds)?;
            }
        }
        Ok(())
    }

    /// The moves whose values are open, the best one first. They share what is left of the step.
    fn search_moves(&mut self) -> Result<(), Contradiction> {
        self.phase = Phase::Moves;
        let mut open: Vec<usize> = (0..self.moves.len()).collect();
        open.sort_by_key(|&at| {
            let m = &self.moves[at];
            let seen = m.bounds.seen_by(self.turn);
            (Some(&m.mv) != self.best.as_ref(), -i32::from(seen.hi), -i32::from(seen.lo))
        });
        for (n, &at) in open.iter().enumerate() {
            if self.moves[at].bounds.is_exact() {
                continue;
            }
            let later = open[n..].iter().filter(|&&at| !self.moves[at].bounds.is_exact()).count();
            let slice = self.left() / later.max(1) as u32;
            if slice.is_zero() || !self.run.next_search() {
                break;
            }
            self.publish();
            let until = self.run.turns.ran() + slice;
            let (run, limits, before, root) =
                (self.run, self.limits(until), self.spent, self.bounds);
            let mv = self.moves[at].mv.clone();
            let engine = &run.job.request.engine;
            let found = self.session.solve_move(&mv, engine, &limits, &|progress| {
                let mut line = vec![mv.clone()];
                line.extend_from_slice(&progress.line);
                let stats = progress.stats;
                // What is proved of the move is not proved of the position.
                run.look(&Progress { bounds: root, stats, line, proof: None }, &before, until);
            });
            // A move that was listed can be read.
            let Ok(report) = found else { continue };
            self.spend(&report.stats);
            self.ended(report.stop);
            if self.session.play(&mv).is_ok() {
                self.recorder.report(&mut *self.session, std::slice::from_ref(&mv), &report);
                self.session.take_back();
            }
            self.moves[at].bounds = self.moves[at].bounds.meet(report.bounds)?;
            self.conclude()?;
        }
        Ok(())
    }

    /// What follows from what is known: a position is worth its best move, no move is worth more, and moves to positions that are the
    /// same are worth the same.
    fn conclude(&mut self) -> Result<(), Contradiction> {
        if self.own_values {
            for at in 0..self.moves.len() {
                let KnownMove { ref canonical, bounds, distance, .. } = self.moves[at].clone();
                let keeps = self.run.job.game.canonical_keeps_distance();
                for other in self.moves.iter_mut().filter(|other| other.canonical == *canonical) {
                    other.bounds = other.bounds.meet(bounds)?;
                    other.distance = other.distance.or(distance.filter(|_| keeps));
                }
            }
        }
        if let Some(best) = best_of_moves(self.turn, self.moves.iter().map(|m| m.bounds)) {
            self.bounds = self.bounds.meet(best)?;
        }
        let cap = at_most(self.turn, self.bounds, self.all);
        for m in &mut self.moves {
            m.bounds = m.bounds.meet(cap)?;
        }
        let proved = self.bounds.seen_by(self.turn).lo;
        let keeps = |m: &&KnownMove| m.bounds.seen_by(self.turn).lo >= proved;
        let favourite = self.moves.iter().find(|m| keeps(m) && Some(&m.mv) == self.best.as_ref());
        if favourite.is_none() && self.bounds.is_exact() {
            self.best = self.moves.iter().find(keeps).map(|m| m.mv.clone());
            self.line = self.best.iter().cloned().collect();
        }
        let nodes = self.spent.nodes;
        self.recorder.note(&*self.session, &[], self.bounds, self.distance, nodes);
        self.publish();
        Ok(())
    }

    /// How soon wins come: of the position, then of its moves.
    fn measure(&mut self) -> Result<(), Contradiction> {
        self.phase = Phase::Distances;
        let until = self.run.turns.ran() * 2 + CHEAP;
        if let (Some(winner), None) = (winner_of(self.bounds), self.distance) {
            self.distance = self.measure_here(winner, until, &[]);
        }
        for at in 0..self.moves.len() {
            let KnownMove { mv, bounds, distance, .. } = self.moves[at].clone();
            let (Some(winner), None) = (winner_of(bounds), distance) else { continue };
            if self.run.turns.ran() >= until || self.session.play(&mv).is_err() {
                break;
            }
            self.moves[at].distance = self.measure_here(winner, until, std::slice::from_ref(&mv));
            self.session.take_back();
            self.conclude()?;
        }
        Ok(())
    }

    /// How soon a player wins at the position of the session, so many moves on.
    fn measure_here(&mut self, winner: Player, until: Duration, after: &[String]) -> Option<u32> {
        if !self.run.job.game.has_distances(winner) || !self.run.next_search() {
            return None;
        }
        self.publish();
        let (run, limits, before, bounds) = (self.run, self.limits(until), self.spent, self.bounds);
        let watch = |_: Plies, stats: &Stats| {
            let progress = Progress { bounds, stats: *stats, line: after.to_vec(), proof: None };
            run.look(&progress, &before, until);
        };
        let found = self.session.distance(winner, 1, &limits, &watch)?;
        self.spend(&found.stats);
        let plies = found.plies.value()?;
        let value = Bounds::exact(winner.sign());
        self.recorder.note(&*self.session, after, value, Some(plies), self.spent.nodes);
        Some(plies)
    }

    /// Notes why a search ended.
    fn ended(&mut self, stop: Stop) {
        match stop {
            Stop::Solved => {}
            Stop::Interrupted | Stop::OutOfTime | Stop::OutOfNodes => self.cut = true,
            Stop::OutOfMemory | Stop::Stalled | Stop::Exhausted => self.stuck = Some(stop),
        }
    }

    fn spend(&mut self, stats: &Stats) {
        self.spent.merge(stats);
        self.spent.elapsed = self.run.turns.ran();
    }

    fn told(&self) -> Vec<MoveValue> {
        let tell = |m: &KnownMove| MoveValue {
            mv: m.mv.clone(),
            bounds: m.bounds,
            distance: m.distance.map(Plies::exactly),
            tone: tone(m.bounds, self.turn),
            place: m.place,
        };
        self.moves.iter().map(tell).collect()
    }

    fn publish(&self) {
        let moves = self.told();
        self.run.job.publish(|now| {
            (now.bounds, now.best, now.distance) = (self.bounds, self.best.clone(), self.distance);
            (now.moves, now.phase, now.budget) = (Some(moves), Some(self.phase), Some(self.budget));
        });
    }
}
