//! Alpha-beta and df-pn by turns: a solver that needs no choice.
//!
//! Which of the two is faster differs from game to game and from position to position by factors of
//! ten and more, and nobody can tell beforehand. So each works for a while in turn, with all threads, and
//! keeps its tables: whatever the better one needs alone, the two of them mostly need no more than
//! twice that. Turns grow by a tenth, so that little is lost by starting again and the worse one has
//! never had much more than its share by the end. They are measured in positions looked at, not in
//! seconds, so that a search with one thread is the same every time.
//!
//! They share what they prove: df-pn writes its dear results into the table of alpha-beta and looks
//! there for positions that it meets for the first time.

use crate::alphabeta;
use crate::proofnumber::dfpn;
use crate::table::Table;
use std::sync::Arc;
use std::time::Instant;
use zermelo_game::{Bounds, Game, History, Level, Limits, Progress, Report, Stats, Stop};

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// How alpha-beta does.
    pub alphabeta: alphabeta::Config,
    /// How df-pn does.
    pub dfpn: dfpn::Config,
}

/// The first turn, in positions looked at: some tenths of a second, in which alpha-beta settles most of what is easy for
/// either, and a df-pn that is as quick would only have cost time.
const FIRST_TURN: f64 = 6_000_000.0;
/// The same where positions can come back. There df-pn is mostly far ahead, and has the first turn.
const FIRST_TURN_CYCLIC: f64 = 200_000.0;
/// The part of a turn that the second of the two gets: more often than not the first is the one that solves, and a position
/// costs df-pn, which is the second in most games, up to two and a half times as much.
const SECOND_PART: f64 = 0.35;
/// By how much the next turn is longer.
const GROWTH: f64 = 1.1;

/// Where searches are reported to.
type Observer<'o, M> = &'o (dyn Fn(&Progress<M>) + Sync);

/// The solver. It keeps its tables between calls.
pub struct Solver<'g, G: Game> {
    game: &'g G,
    limits: Limits,
    team: Team<'g, G>,
}

/// Tables for several solvers of one game that work at the same time: alpha-beta's and df-pn's, if there are such.
pub struct Common<K> {
    /// See [`alphabeta::common`].
    pub alphabeta: Option<Arc<Table<K>>>,
    /// See [`dfpn::Common`].
    pub dfpn: Option<Arc<dfpn::Common<K>>>,
}

/// Who works.
enum Team<'g, G: Game> {
    Both(Box<(alphabeta::Solver<'g, G>, dfpn::Dfpn<'g, G>)>),
    /// Where no board may come back.
    AlphaBeta(Box<alphabeta::Solver<'g, G>>),
    /// Where a repetition has no fixed value.
    Dfpn(Box<dfpn::Dfpn<'g, G>>),
}

/// One of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Who {
    AlphaBeta,
    Dfpn,
}

/// What one of the two has done so far.
#[derive(Clone, Copy, Default)]
struct Account {
    nodes: u64,
    looked_at: u64,
}

impl Account {
    /// How many nodes make up a turn of so many positions.
    fn nodes_for(&self, turn: f64) -> u64 {
        let a_node = (self.looked_at as f64 / self.nodes.max(1) as f64).max(1.0);
        (turn / a_node).ceil() as u64
    }

    fn add(&mut self, stats: &Stats) {
        self.nodes += stats.nodes;
        self.looked_at += stats.nodes + stats.evaluations;
    }
}

impl<'g, G: Game> Solver<'g, G> {
    /// A solver for `game` with tables of at most `limits.memory` together.
    #[must_use]
    pub fn new(game: &'g G, config: Config, limits: Limits) -> Solver<'g, G> {
        let hangs = G::CYCLIC && game.repetition().fixed().is_none();
        let team = if G::SUPERKO {
            let alphabeta = alphabeta::Solver::new(game, config.alphabeta, limits.clone());
            Team::AlphaBeta(Box::new(alphabeta))
        } else if hangs {
            Team::Dfpn(Box::new(dfpn::Dfpn::new(game, config.dfpn, limits.clone())))
        } else {
            let part = Limits { memory: limits.memory / 2, ..limits.clone() };
            let dfpn = dfpn::Dfpn::new(game, config.dfpn, part.clone());
            let alphabeta = alphabeta::Solver::new(game, config.alphabeta, part);
            Team::Both(Box::new((alphabeta, dfpn)))
        };
        Solver { game, limits, team }
    }

    /// The same with tables that other solvers of the game use at the same time in place of its own.
    #[must_use]
    pub fn sharing(mut self, common: &Common<G::Key>) -> Solver<'g, G> {
        if let Team::Both(both) = self.team {
            let (mut alphabeta, mut dfpn) = *both;
            if let Some(table) = &common.alphabeta {
                alphabeta = alphabeta.sharing(table.clone());
            }
            if let Some(tables) = &common.dfpn {
                dfpn = dfpn.sharing(tables.clone());
            }
            self.team = Team::Both(Box::new((alphabeta, dfpn)));
        }
        self
    }

    /// Other limits for the searches to come; the memory stays as it is.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Limits { memory: self.limits.memory, ..limits };
    }

    /// The alpha-beta solver, whose table has what both have proved, where it takes part.
    pub fn alphabeta(&mut self) -> Option<&mut alphabeta::Solver<'g, G>> {
        match &mut self.team {
            Team::Both(both) => Some(&mut both.0),
            Team::AlphaBeta(alphabeta) => Some(alphabeta),
            Team::Dfpn(_) => None,
        }
    }

    /// The same to look at.
    #[must_use]
    pub fn alphabeta_table(&self) -> Option<&alphabeta::Solver<'g, G>> {
        match &self.team {
            Team::Both(both) => Some(&both.0),
            Team::AlphaBeta(alphabeta) => Some(alphabeta),
            Team::Dfpn(_) => None,
        }
    }

    /// The df-pn solver, where it takes part.
    #[must_use]
    pub fn dfpn(&self) -> Option<&dfpn::Dfpn<'g, G>> {
        match &self.team {
            Team::Both(both) => Some(&both.1),
            Team::Dfpn(dfpn) => Some(dfpn),
            Team::AlphaBeta(_) => None,
        }
    }

    /// Solves a position. What the tables know from earlier calls is used.
    pub fn solve(&mut self, p: &G::Position, observer: Observer<G::Move>) -> Report<G::Move> {
        self.solve_after(&History::of(self.game, p), p, observer)
    }

    /// Solves the last position of a line of play, for games in which no board may come back.
    pub fn solve_after(
        &mut self,
        history: &History,
        p: &G::Position,
        observer: Observer<G::Move>,
    ) -> Report<G::Move> {
        let start = Instant::now();
        let (alphabeta, dfpn) = match &mut self.team {
            Team::Both(both) => (&mut both.0, &mut both.1),
            Team::AlphaBeta(alphabeta) => {
                alphabeta.set_limits(self.limits.clone());
                return alphabeta.solve_after(history, p, observer);
            }
            Team::Dfpn(dfpn) => {
                dfpn.set_limits(self.limits.clone());
                let report = dfpn.solve(p, observer);
                let by = (report.stop == Stop::Solved).then_some("dfpn");
                return Report { by, ..report };
            }
        };
        let mut total = Stats::default();
        let mut accounts = [Account::default(); 2];
        let mut bounds = self.game.values();
        let (mut turn, order) = match G::CYCLIC {
            true => (FIRST_TURN_CYCLIC, [Who::Dfpn, Who::AlphaBeta]),
            false => (FIRST_TURN, [Who::AlphaBeta, Who::Dfpn]),
        };
        let mut out_of_memory = [false; 2];
        let mut last = None;
        loop {
            for who in order {
                if out_of_memory[who as usize] {
                    continue;
                }
                let limits = match self.limits.after(&total) {
                    Ok(limits) => limits,
                    Err(stop) => return unsolved(bounds, stop, total, last),
                };
                let account = &mut accounts[who as usize];
                let alone = out_of_memory[1 - who as usize];
                let part = if who == order[1] { SECOND_PART } else { 1.0 };
                let budget = if alone { u64::MAX } else { account.nodes_for(turn * part) };
                let nodes = Some(limits.nodes.map_or(budget, |nodes| nodes.min(budget)));
                let limits = Limits { nodes, ..limits };
                let observer = |progress: &Progress<G::Move>| {
                    let mut stats = total;
                    stats.merge(&progress.stats);
                    stats.elapsed = start.elapsed();
                    let (line, proof) = (progress.line.clone(), progress.proof);
                    observer(&Progress { bounds, stats, line, proof });
                };
                let mut report = match who {
                    Who::AlphaBeta => {
                        alphabeta.set_limits(limits);
                        alphabeta.solve_after(history, p, &observer)
                    }
                    Who::Dfpn => {
                        dfpn.set_limits(limits);
                        dfpn.solve_with(p, &observer, alphabeta.table())
                    }
                };
                account.add(&report.stats);
                let bytes = total.table_bytes.max(report.stats.table_bytes);
                total.merge(&report.stats);
                (total.elapsed, total.table_bytes) = (start.elapsed(), bytes);
                bounds = match bounds.meet(report.bounds) {
                    Ok(both) => both,
                    Err(error) => panic!("{error}, at {}", self.game.position_text(p)),
                };
                if report.stop == Stop::Solved {
                    report.by = Some(match who {
                        Who::AlphaBeta => "alphabeta",
                        Who::Dfpn => "dfpn",
                    });
                    report.stats = total;
                    return report;
                }
                match report.stop {
                    Stop::OutOfNodes | Stop::Stalled => {}
                    Stop::OutOfMemory => out_of_memory[who as usize] = true,
                    stop => return unsolved(bounds, stop, total, report.best),
                }
                if out_of_memory == [true; 2] {
                    return unsolved(bounds, Stop::OutOfMemory, total, report.best);
                }
                last = report.best.or(last);
            }
            turn *= GROWTH;
        }
    }
}

/// What is known when a limit strikes. The two may have settled the value together.
fn unsolved<M: Copy>(bounds: Bounds, stop: Stop, stats: Stats, best: Option<M>) -> Report<M> {
    let solved = bounds.is_exact();
    Report {
        bounds,
        best,
        line: best.into_iter().collect(),
        stop: if solved { Stop::Solved } else { stop },
        level: solved.then_some(Level::UltraWeak),
        rests_on_history: false,
        by: None,
        stats,
    }
}
