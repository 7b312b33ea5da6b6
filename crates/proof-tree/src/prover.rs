//! Provers: who answers jobs. A [`Local`] prover is a session of this program: first, where the game evaluates
//! positions and a threshold asks for it, a heuristic search, and then a solver with the likely question first.
//!
//! A search of the job's position as its own root rests on no line of play, so what it proves is a fact about the
//! position. Where a report says otherwise it is marked, and never becomes one.

use crate::job::{ChildReport, Job, JobOutcome, same_game};
use crate::source::Giver;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use zermelo_erased::{
    AnyGame, AnySession, ChildResult, EngineConfig, EngineId, InitialBounds, SharedTables,
};
use zermelo_game::{Bounds, Contradiction, Identity, Limits, Question};

/// One who answers jobs, one at a time.
pub trait Prover {
    /// Answers a job, or ends early when `cancel` is set. What goes wrong is part of the outcome.
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> JobOutcome;
}

/// Makes a prover and hands it to whoever will use it.
type Make = dyn Fn(&mut dyn FnMut(&mut dyn Prover)) + Send + Sync;

/// Makes provers, each in the thread that will use it, and says whose they are.
#[derive(Clone)]
pub struct Maker {
    giver: Giver,
    make: Arc<Make>,
}

impl Maker {
    /// A maker of engines of ours. Each must answer audits by another engine than the one that is audited.
    pub fn engines(
        make: impl Fn(&mut dyn FnMut(&mut dyn Prover)) + Send + Sync + 'static,
    ) -> Maker {
        Maker { giver: Giver::Engine, make: Arc::new(make) }
    }

    /// A maker of provers that are not ours, by the name that we give them.
    pub fn outsiders(
        giver: Giver,
        make: impl Fn(&mut dyn FnMut(&mut dyn Prover)) + Send + Sync + 'static,
    ) -> Maker {
        Maker { giver, make: Arc::new(make) }
    }

    /// Whose provers these are.
    #[must_use]
    pub fn giver(&self) -> &Giver {
        &self.giver
    }

    /// Makes a prover, and hands it over.
    pub fn make(&self, use_it: &mut dyn FnMut(&mut dyn Prover)) {
        (self.make)(use_it);
    }
}

/// A tenth of a job's limits is for the heuristic search.
const SHARE: u32 = 10;
/// The heuristic search goes so deep at most.
const PLIES: u32 = 30;
/// An audit may take so many times the limits of a job.
const PATIENCE: u32 = 4;

/// A solver of this program.
pub struct Local<'g> {
    game: &'g dyn AnyGame,
    identity: Identity,
    config: EngineConfig,
    /// One session for each engine, so that none uses what the other's table holds.
    sessions: [Box<dyn AnySession + 'g>; 2],
    /// Others whose tables are to be shared, until that is done.
    team: Option<Arc<Team>>,
}

impl<'g> Local<'g> {
    /// A prover by an engine. It audits by one that took no part in what is audited ([`auditor`]).
    #[must_use]
    pub fn new(game: &'g dyn AnyGame, config: EngineConfig) -> Local<'g> {
        let sessions = [game.session(), game.session()];
        Local { game, identity: game.identity(), config, sessions, team: None }
    }

    fn answer(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> Result<JobOutcome, String> {
        let start = Instant::now();
        same_game(&job.identity(), &self.identity)?;
        if let Some(team) = self.team.take() {
            let make = || self.game.shared_tables(&self.config, job.memory, team.provers);
            if let Some(tables) = team.tables.get_or_init(make) {
                self.sessions[0].share(tables);
            }
        }
        let config = match (job.audit, &job.audited) {
            (false, _) => self.config.clone(),
            (true, Some(name)) => EngineConfig::new(auditor(self.game, name)),
            (true, None) => EngineConfig::new(EngineId::for_jobs(&self.game.features())),
        };
        let session = &mut self.sessions[usize::from(job.audit)];
        session.set_position(&job.position).map_err(|e| e.to_string())?;
        let mut limits = Limits { cancel: Some(cancel.clone()), ..job.limits() };
        let mut outcome = JobOutcome {
            id: job.id,
            solver: name(&config),
            lo: job.lo,
            hi: job.hi,
            tried: true,
            ..JobOutcome::default()
        };
        if let Some(threshold) = job.threshold {
            let share = Limits {
                time: limits.time.map(|t| t / SHARE),
                nodes: limits.nodes.map(|n| n / u64::from(SHARE)),
                ..limits.clone()
            };
            if let Some(opinion) = session.opinion(PLIES, &share) {
                (outcome.score, outcome.nodes) = (Some(opinion.score), opinion.nodes);
                outcome.tried = opinion.score.abs() < threshold.saturating_mul(2);
                limits.time = limits
                    .time
                    .map(|t| t.saturating_sub(start.elapsed()).max(Duration::from_millis(1)));
            }
        }
        if outcome.tried {
            if job.audit {
                limits.time = limits.time.map(|t| t * PATIENCE);
                limits.nodes = limits.nodes.map(|n| n * u64::from(PATIENCE));
            }
            let first = job.first.map(|at_least| Question { at_least });
            let initial = InitialBounds { known: job.known(), first };
            let report = match session.solve_from(&initial, &config, &limits) {
                Ok(report) => report,
                // The manager sees that this does not go with what it knows.
                Err(Contradiction(found, _)) => {
                    (outcome.lo, outcome.hi) = (found.lo, found.hi);
                    return Ok(outcome);
                }
            };
            (outcome.lo, outcome.hi) = (report.bounds.lo, report.bounds.hi);
            outcome.path_dependent = report.rests_on_history;
            outcome.nodes += report.stats.nodes;
            let open = first.filter(|q| q.answer(report.bounds).is_none());
            let open = open.or_else(|| Question::halving(report.bounds)).filter(|_| !job.audit);
            if let Some(question) = open {
                outcome.asked = Some(question.at_least);
                let values = self.game.values();
                let says_something =
                    |child: &ChildResult| child.bounds != values || child.numbers.is_some();
                let mut all = session.child_results(question);
                // Where df-pn is one of two, its numbers say little of what the two can do together.
                if config.id() != EngineId::Dfpn {
                    all.iter_mut().for_each(|child| child.numbers = None);
                }
                outcome.moves = all.into_iter().filter(says_something).map(child_report).collect();
            }
        }
        if let Some(damage) = self.game.damage() {
            return Err(format!("the database is damaged: {damage}"));
        }
        outcome.micros = start.elapsed().as_micros() as u64;
        Ok(outcome)
    }
}

/// An engine that took no part in what another one has found: alpha-beta or df-pn, whichever does more in such games, or
/// PN2 where both took part.
#[must_use]
pub fn auditor(game: &dyn AnyGame, audited: &str) -> EngineId {
    let took_part = |id: EngineId| {
        let mut engines = audited.split_whitespace().filter_map(EngineId::named);
        engines.any(|other| other.is_kin_of(id))
    };
    let order = match game.features().cyclic {
        true => [EngineId::Dfpn, EngineId::Pn2, EngineId::AlphaBeta],
        false => [EngineId::AlphaBeta, EngineId::Dfpn, EngineId::Pn2],
    };
    let suits = |id: &EngineId| !took_part(*id) && game.accepts(&EngineConfig::new(*id)).is_ok();
    order.into_iter().find(suits).unwrap_or(EngineId::Minimax)
}

/// What a search says of a move, for an outcome.
fn child_report(child: ChildResult) -> ChildReport {
    let ChildResult { position, bounds: Bounds { lo, hi }, numbers } = child;
    let [yes, no] = match numbers {
        Some(numbers) if !numbers.contains(&u32::MAX) => numbers.map(Some),
        _ => [None; 2],
    };
    ChildReport { position, lo, hi, yes, no }
}

/// An engine in words.
fn name(config: &EngineConfig) -> String {
    format!("zermelo {} {}", env!("CARGO_PKG_VERSION"), config.id().word())
}

impl Prover for Local<'_> {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> JobOutcome {
        self.answer(job, cancel).unwrap_or_else(|error| JobOutcome::failed(job, error))
    }
}

/// A maker of such provers, of which so many work at a time. Where alpha-beta or df-pn take part they share the
/// tables: what one of them has found out the others need not find out again. (Second opinions share nothing.)
pub fn local(game: Arc<dyn AnyGame>, config: EngineConfig, provers: usize) -> Maker {
    let team = Arc::new(Team { provers, tables: OnceLock::new() });
    Maker::engines(move |use_it| {
        let mut prover = Local::new(&*game, config.clone());
        prover.team = Some(team.clone()).filter(|_| provers > 1);
        use_it(&mut prover);
    })
}

/// Provers that share tables, made when the first job says how much memory there is.
struct Team {
    provers: usize,
    tables: OnceLock<Option<SharedTables>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_auditor_took_no_part() {
        let open = |name: &str| {
            zermelo_erased::Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}"))
        };
        let (acyclic, cyclic) = (open("nogo 3x3"), open("checkers 4x4"));
        for (audited, there, here) in [
            ("auto", EngineId::Pn2, EngineId::Pn2),
            ("dfpn", EngineId::AlphaBeta, EngineId::Pn2),
            ("alphabeta", EngineId::Dfpn, EngineId::Dfpn),
            ("pn2", EngineId::AlphaBeta, EngineId::Dfpn),
            ("ab-tt", EngineId::Dfpn, EngineId::Dfpn),
            ("minimax", EngineId::AlphaBeta, EngineId::Dfpn),
        ] {
            let name = format!("zermelo 0.1.0 {audited}");
            assert_eq!(auditor(&*acyclic, &name), there, "{audited}");
            assert_eq!(auditor(&*cyclic, &name), here, "{audited}");
        }
    }
}
