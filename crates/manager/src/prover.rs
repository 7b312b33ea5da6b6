//! Provers: who answers jobs. A [`Local`] prover is a session of this program: first, where the game evaluates
//! positions and a threshold asks for it, a heuristic search, and then a solver with the likely question first.
//!
//! A search of the job's position as its own root rests on no line of play, so what it proves is a fact about the
//! position. Where a report says otherwise it is marked, and never becomes one.

use crate::job::{Gleaned, Job, Outcome};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use zermelo_any::{AnyGame, AnySession, By, Common, How, Opening};
use zermelo_game::{Bounds, Limits, Question};

/// One who answers jobs, one at a time.
pub trait Prover {
    /// Answers a job, or ends early when `cancel` is set. What goes wrong is part of the outcome.
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> Outcome;
}

/// Makes a prover in the thread that will use it, and hands it to whoever wants one there.
pub type Maker = Arc<dyn Fn(&mut dyn FnMut(&mut dyn Prover)) + Send + Sync>;

/// A tenth of a job's limits is for the heuristic search.
const SHARE: u32 = 10;
/// The heuristic search goes so deep at most.
const PLIES: u32 = 30;
/// An audit may take so many times the limits of a job.
const PATIENCE: u32 = 4;

/// A solver of this program.
pub struct Local<'g> {
    game: &'g dyn AnyGame,
    rules: String,
    how: How,
    second: How,
    /// One session for each solver, so that none uses what the other's table holds.
    sessions: [Box<dyn AnySession + 'g>; 2],
    /// Others whose table is to be shared, until that is done.
    team: Option<Arc<Team>>,
}

impl<'g> Local<'g> {
    /// A prover by a solver. It audits by another one: df-pn's work by alpha-beta or, where positions come back and alpha-beta
    /// decides little, by PN2; any other's by df-pn.
    #[must_use]
    pub fn new(game: &'g dyn AnyGame, how: How) -> Local<'g> {
        let second = How::new(match how.by {
            By::Dfpn if game.cycles().is_some() => By::Pn2,
            By::Dfpn => By::AlphaBeta,
            _ => By::Dfpn,
        });
        let rules = crate::store::about(game).rules;
        let sessions = [game.session(), game.session()];
        Local { game, rules, how, second, sessions, team: None }
    }

    fn answer(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> Result<Outcome, String> {
        let start = Instant::now();
        if job.rules != self.rules {
            return Err(format!("the job is about other rules of {}", self.game.name()));
        }
        if let Some(team) = self.team.take() {
            let make = || self.game.common(&self.how, job.memory, team.provers);
            if let Some(common) = team.table.get_or_init(make) {
                self.sessions[0].join(common);
            }
        }
        let how = if job.audit { self.second } else { self.how };
        let session = &mut self.sessions[usize::from(job.audit)];
        session.set_position(&job.position).map_err(|e| e.to_string())?;
        let mut limits = Limits { cancel: Some(cancel.clone()), ..job.limits() };
        let mut outcome = Outcome {
            id: job.id,
            solver: name(&how),
            lo: job.lo,
            hi: job.hi,
            tried: true,
            ..Outcome::default()
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
            let opening = Opening { known: job.known(), first };
            let report = session.solve_from(&opening, &how, &limits).map_err(|error| {
                format!("{error} was told by {}, at {}", name(&how), job.position)
            })?;
            (outcome.lo, outcome.hi) = (report.bounds.lo, report.bounds.hi);
            outcome.hangs = report.rests_on_history;
            outcome.nodes += report.stats.nodes;
            let open = first.filter(|q| q.answer(report.bounds).is_none());
            let open = open.or_else(|| Question::halving(report.bounds)).filter(|_| !job.audit);
            if let Some(question) = open {
                outcome.asked = Some(question.at_least);
                let values = self.game.values();
                let worth = |g: &zermelo_any::Gleaned| g.bounds != values || g.numbers.is_some();
                let mut all = session.glean(question);
                // Where df-pn is one of two, its numbers say little of what the two can do together.
                if how.by != By::Dfpn {
                    all.iter_mut().for_each(|gleaned| gleaned.numbers = None);
                }
                outcome.moves = all.into_iter().filter(worth).map(told).collect();
            }
        }
        if let Some(damage) = self.game.damage() {
            return Err(format!("the database is damaged: {damage}"));
        }
        outcome.micros = start.elapsed().as_micros() as u64;
        Ok(outcome)
    }
}

/// The solver that proves most games of this kind with the least effort: df-pn where positions come back, alpha-beta and
/// df-pn by turns elsewhere.
#[must_use]
pub fn usual(game: &dyn AnyGame) -> By {
    if game.cycles().is_some() { By::Dfpn } else { By::Auto }
}

/// What a search says of a move.
fn told(gleaned: zermelo_any::Gleaned) -> Gleaned {
    let zermelo_any::Gleaned { position, bounds: Bounds { lo, hi }, numbers } = gleaned;
    let [yes, no] = match numbers {
        Some(numbers) if !numbers.contains(&u32::MAX) => numbers.map(Some),
        _ => [None; 2],
    };
    Gleaned { position, lo, hi, yes, no }
}

/// A solver in words.
fn name(how: &How) -> String {
    format!("zermelo {} {}", env!("CARGO_PKG_VERSION"), how.by.word())
}

impl Prover for Local<'_> {
    fn prove(&mut self, job: &Job, cancel: &Arc<AtomicBool>) -> Outcome {
        self.answer(job, cancel).unwrap_or_else(|error| Outcome::failed(job, error))
    }
}

/// A maker of such provers, of which so many work at a time. Where alpha-beta or df-pn take part they share the
/// tables: what one of them has found out the others need not find out again. (Second opinions share nothing.)
pub fn local(game: Arc<dyn AnyGame>, how: How, provers: usize) -> Maker {
    let team = Arc::new(Team { provers, table: OnceLock::new() });
    Arc::new(move |use_it| {
        let mut prover = Local::new(&*game, how);
        prover.team = Some(team.clone()).filter(|_| provers > 1);
        use_it(&mut prover);
    })
}

/// Provers that share a table, made when the first job says how much memory there is.
struct Team {
    provers: usize,
    table: OnceLock<Option<Common>>,
}
