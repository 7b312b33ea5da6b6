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
use crate::choice::choice;
use crate::engine::{BoxedStrategy, Engine, KnownBounds, Observer, Task, together};
use crate::engines::{EngineSettings, Make, Needs};
use crate::loops::{InnerLoops, NO_LOOPS};
use crate::options::{OptionInfo, Options};
use crate::proofnumber::dfpn;
use crate::table::Table;
use std::sync::Arc;
use std::time::Instant;
use zermelo_game::{
    Bounds, Claim, Game, Knowledge, Level, Limits, MoveList, Progress, Question, Report, Rules,
    Stats, Stop,
};

/// How to search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    /// How alpha-beta does.
    pub alphabeta: alphabeta::Config,
    /// How df-pn does.
    pub dfpn: dfpn::Config,
}

/// What both have alike.
const COMMON: [&str; 2] = ["threads", "seed"];

impl Options for Config {
    fn list(&self) -> Vec<OptionInfo> {
        let all = self.alphabeta.list().into_iter();
        all.filter(|option| COMMON.contains(&option.name)).collect()
    }

    fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        COMMON.contains(&name).then_some(())?;
        let set = self.alphabeta.set(name, value)?;
        Some(set.and_then(|()| self.dfpn.set(name, value).unwrap_or(Ok(()))))
    }

    fn get(&self, name: &str) -> Option<String> {
        if COMMON.contains(&name) { self.alphabeta.get(name) } else { None }
    }
}

impl EngineSettings for Config {
    /// Where positions have no values of their own it is df-pn alone.
    const NEEDS: Needs = Needs { superko: true, ..Needs::LINE };
    const METHODS: &'static [&'static str] = &["alpha-beta", "df-pn"];

    #[inline(never)]
    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        if let Some(superko) = make.abilities.superko {
            return superko.alphabeta(make.game, self.alphabeta.seed, make.limits);
        }
        let mut config = self.clone();
        config.alphabeta.learning &= !make.ablation.order;
        let loops = make.loops.expect(NO_LOOPS);
        let mut solver = Solver::with_loops(make.game, loops, config, make.limits.clone());
        if let Some(shared) = make.shared {
            solver = solver.sharing(shared);
        }
        Box::new(solver)
    }
}

/// The first turn, in positions looked at: some tenths of a second, in which alpha-beta settles most of what is easy for
/// either, and a df-pn that is as quick would only have cost time.
const FIRST_TURN: f64 = 6_000_000.0;
/// The same where positions can repeat. There df-pn is mostly far ahead, and has the first turn.
const FIRST_TURN_CYCLIC: f64 = 200_000.0;
/// The part of a turn that the second of the two gets: more often than not the first is the one that solves, and a position
/// costs df-pn, which is the second in most games, up to two and a half times as much.
const SECOND_PART: f64 = 0.35;
/// By how much the next turn is longer.
const GROWTH: f64 = 1.1;

/// The solver. It keeps its tables between calls.
pub struct Solver<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    limits: Limits,
    team: Team<'g, R, K>,
}

/// Tables for several solvers of one game that work at the same time: alpha-beta's and df-pn's, if there are such.
pub struct PortfolioTables<K> {
    /// See [`alphabeta::common`].
    pub alphabeta: Option<Arc<Table<K>>>,
    /// See [`dfpn::QuestionTables`].
    pub dfpn: Option<Arc<dfpn::QuestionTables<K>>>,
}

/// Who works.
enum Team<'g, R: Rules, K: Knowledge<R>> {
    Both(Box<(alphabeta::Solver<'g, R, K>, dfpn::Dfpn<'g, R, K>)>),
    /// Where a repetition has no fixed value.
    Dfpn(Box<dfpn::Dfpn<'g, R, K>>),
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

impl<'g, R: Rules, K: Knowledge<R>> Solver<'g, R, K> {
    /// A solver for `game` with tables of at most `limits.memory` together.
    ///
    /// # Panics
    /// If boards must not be repeated: [`superko`](crate::superko) searches such games.
    #[must_use]
    pub fn new(game: Game<'g, R, K>, config: Config, limits: Limits) -> Solver<'g, R, K> {
        Solver::with_loops(game, InnerLoops::own(), config, limits)
    }

    /// The same with these inner loops.
    #[must_use]
    pub fn with_loops(
        game: Game<'g, R, K>,
        loops: InnerLoops<'g, R, K>,
        config: Config,
        limits: Limits,
    ) -> Solver<'g, R, K> {
        assert!(!R::SUPERKO, "boards must not be repeated in this game: values depend on the line");
        let path_dependent = R::CYCLIC && game.repetition().fixed().is_none();
        let team = if path_dependent {
            let dfpn = dfpn::Dfpn::with_loops(game, loops, config.dfpn, limits.clone());
            Team::Dfpn(Box::new(dfpn))
        } else {
            let part = Limits { memory: limits.memory / 2, ..limits.clone() };
            let dfpn = dfpn::Dfpn::with_loops(game, loops.clone(), config.dfpn, part.clone());
            let alphabeta = alphabeta::Solver::with_loops(game, loops, config.alphabeta, part);
            Team::Both(Box::new((alphabeta, dfpn)))
        };
        Solver { game, limits, team }
    }

    /// The same with tables that other solvers of the game use at the same time in place of its own.
    #[must_use]
    pub fn sharing(mut self, common: &PortfolioTables<R::Key>) -> Solver<'g, R, K> {
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

    /// Solves a position. What the tables know from earlier calls is used.
    pub fn solve(&mut self, p: &R::Position, observer: Observer<R::Move>) -> Report<R::Move> {
        self.solve_along(&[], p, observer)
    }

    /// The same below a line that went through the positions of `past`, oldest first, where the value of a repetition
    /// depends on the line.
    pub fn solve_along(
        &mut self,
        past: &[R::Position],
        p: &R::Position,
        observer: Observer<R::Move>,
    ) -> Report<R::Move> {
        let start = Instant::now();
        let (alphabeta, dfpn) = match &mut self.team {
            Team::Both(both) => (&mut both.0, &mut both.1),
            Team::Dfpn(dfpn) => {
                dfpn.set_limits(self.limits.clone());
                let report = dfpn.solve_along(past, p, observer);
                let by = (report.stop == Stop::Solved).then_some("dfpn");
                return Report { by, ..report };
            }
        };
        let mut total = Stats::default();
        let mut accounts = [Account::default(); 2];
        let mut bounds = self.game.values();
        let (mut turn, order) = match R::CYCLIC {
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
                    Err(stop) => {
                        let known = |q: &R::Position| shared(alphabeta, dfpn, q);
                        return unsolved(self.game, p, bounds, stop, total, last, known);
                    }
                };
                let account = &mut accounts[who as usize];
                let alone = out_of_memory[1 - who as usize];
                let part = if who == order[1] { SECOND_PART } else { 1.0 };
                let budget = if alone { u64::MAX } else { account.nodes_for(turn * part) };
                let nodes = Some(limits.nodes.map_or(budget, |nodes| nodes.min(budget)));
                let limits = Limits { nodes, ..limits };
                let observer = |progress: &Progress<R::Move>| {
                    let mut stats = total;
                    stats.merge(&progress.stats);
                    stats.elapsed = start.elapsed();
                    let (line, proof) = (progress.line.clone(), progress.proof);
                    observer(&Progress { bounds, stats, line, proof });
                };
                let mut report = match who {
                    Who::AlphaBeta => {
                        alphabeta.set_limits(limits);
                        alphabeta.solve(p, &observer)
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
                    Err(error) => panic!("{error}, at {:?}", p),
                };
                if report.stop == Stop::Solved {
                    report.by = Some(match who {
                        Who::AlphaBeta => "alphabeta",
                        Who::Dfpn => "dfpn",
                    });
                    report.stats = total;
                    return report;
                }
                last = report.best.or(last);
                match report.stop {
                    Stop::OutOfNodes | Stop::Stalled => {}
                    Stop::OutOfMemory if !alone => out_of_memory[who as usize] = true,
                    stop => {
                        let known = |q: &R::Position| shared(alphabeta, dfpn, q);
                        return unsolved(self.game, p, bounds, stop, total, last, known);
                    }
                }
            }
            turn *= GROWTH;
        }
    }
}

impl<R: Rules, K: Knowledge<R>> Engine<R> for Solver<'_, R, K> {
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move> {
        self.set_limits(task.limits.clone());
        self.solve_along(task.past, task.position, observer)
    }

    fn known(&self, p: &R::Position) -> Option<Bounds> {
        Some(match &self.team {
            Team::Both(both) => together(both.0.known(p), both.1.known(p), p),
            Team::Dfpn(dfpn) => dfpn.known(p),
        })
    }

    fn numbers(&self, p: &R::Position, question: Question) -> Option<[u32; 2]> {
        match &self.team {
            Team::Both(both) => Engine::numbers(&both.1, p, question),
            Team::Dfpn(dfpn) => Engine::numbers(&**dfpn, p, question),
        }
    }

    /// Alpha-beta reads from its table and searches for what is missing; where positions can repeat df-pn does. Each looks up
    /// what the other has proved.
    fn strategy<'s>(
        &'s mut self,
        claim: Claim,
        limits: &Limits,
        facts: Option<KnownBounds<'s, R>>,
    ) -> Option<BoxedStrategy<'s, R>> {
        let (alphabeta, dfpn) = match &mut self.team {
            Team::Both(both) => (&mut both.0, &mut both.1),
            Team::Dfpn(dfpn) => return dfpn.strategy(claim, limits, facts),
        };
        let also = |own: Bounds, facts: &Option<KnownBounds<'s, R>>, p: &R::Position| {
            facts.as_ref().map_or(own, |facts| together(own, facts(p), p))
        };
        if R::CYCLIC {
            let table = alphabeta.lend_table();
            let alphabeta = &*alphabeta;
            let all: KnownBounds<'s, R> = Box::new(move |p| also(alphabeta.known(p), &facts, p));
            return Some(Box::new(dfpn.strategy_source(claim, limits.clone(), Some(all), table)));
        }
        let dfpn = &*dfpn;
        let all: Option<KnownBounds<'s, R>> = match dfpn.is_blank() {
            true => facts,
            false => Some(Box::new(move |p| also(dfpn.known(p), &facts, p))),
        };
        Some(Box::new(alphabeta.strategy_source(claim.value, limits.clone()).with(all)))
    }
}

/// What the two know of a position, without a search.
fn shared<R: Rules, K: Knowledge<R>>(
    alphabeta: &alphabeta::Solver<R, K>,
    dfpn: &dfpn::Dfpn<R, K>,
    p: &R::Position,
) -> Bounds {
    let known = alphabeta.known(p);
    known.meet(dfpn.known(p)).unwrap_or(known)
}

/// What is known when a limit strikes. The two may have settled the value together; then a move is named that one of
/// them has shown to keep it, if there is one.
fn unsolved<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    bounds: Bounds,
    stop: Stop,
    stats: Stats,
    favourite: Option<R::Move>,
    known: impl Fn(&R::Position) -> Bounds,
) -> Report<R::Move> {
    let solved = bounds.is_exact();
    let turn = game.turn(p);
    let (lo, least) = (bounds.seen_by(turn).lo, game.values().seen_by(turn).lo);
    let mut list = MoveList::new();
    if game.outcome(p).is_none() {
        game.moves(p, &mut list);
    }
    let after = |m| (m, known(&game.play(p, m)).seen_by(turn));
    let keeps = |m: &R::Move| lo == least || after(*m).1.lo >= lo;
    let best = choice(list.iter().map(after), lo, least, favourite);
    let best = best.filter(|m| !solved || keeps(m));
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
