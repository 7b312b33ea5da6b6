//! The one implementation behind [`AnyGame`] and [`AnySession`]: the border between games that are
//! types and games that are names.

use crate::certify::{ByAlphaBeta, ByDfpn, Minds, Order, Written, certify};
use crate::database::{Based, Databases};
use crate::growth::grow;
use crate::known::{self, ToldMove, View};
use crate::look::look;
use crate::{
    AnyGame, AnySession, By, Common, Gleaned, Growth, How, Known, Look, MoveValue, MoveValues,
    Observer, Perft, tone,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zermelo_endgame::Damage;
use zermelo_game::{
    Bounds, Contradiction, Footprint, Game, History, Limits, MoveList, ParseError, Picture, Player,
    Progress, Question, Report, Stats, Value,
};
use zermelo_proof::rules::Rules;
use zermelo_proof::write::{Layout, has_certificates};
use zermelo_proof::{Certificate, Failure, Made};
use zermelo_search::altered::{Altered, Without};
use zermelo_search::heuristic::{self, Opinion};
use zermelo_search::proofnumber::{self, Opening, dfpn, lambda, pn2, pns, pp};
use zermelo_search::{alphabeta, minimax, montecarlo, portfolio};

/// The highest order of threats that is tried.
const ORDERS: u32 = 4;

/// A game, whole and without each combination of its parts.
pub(crate) struct Erased<G: Game> {
    game: Arc<G>,
    altered: [Altered<G>; 8],
    database: Option<Arc<Databases<G>>>,
}

impl<G: Game> Erased<G> {
    /// Takes over a game.
    #[must_use]
    pub(crate) fn new(game: G) -> Erased<G> {
        let game = Arc::new(game);
        let altered = |n| Altered::new(game.clone(), Without::numbered(n));
        Erased { altered: std::array::from_fn(altered), game, database: None }
    }

    /// The same with databases to ask; solvers ask them where positions have a value of their own.
    pub(crate) fn asking(self, database: Databases<G>) -> Erased<G> {
        let database = Arc::new(database);
        let altered = match G::SUPERKO || hangs_on_line(&*self.game) {
            true => self.altered,
            false => self.altered.map(|game| game.with_oracle(database.clone())),
        };
        Erased { game: self.game, altered, database: Some(database) }
    }
}

impl<G: Game> AnyGame for Erased<G> {
    fn name(&self) -> String {
        self.game.name()
    }

    fn full_name(&self) -> String {
        self.game.full_name()
    }

    fn rules(&self) -> String {
        self.game.rules()
    }

    fn values(&self) -> Bounds {
        self.game.values()
    }

    fn superko(&self) -> bool {
        G::SUPERKO
    }

    fn hangs_on_line(&self) -> bool {
        hangs_on_line(&*self.game)
    }

    fn cycles(&self) -> Option<Value> {
        if G::CYCLIC { self.game.repetition().fixed() } else { None }
    }

    fn evaluated(&self) -> bool {
        G::EVALUATED
    }

    fn look(&self, position: Option<&str>) -> Result<Look, ParseError> {
        let p = position.map_or_else(|| Ok(self.game.start()), |t| self.game.parse_position(t))?;
        Ok(look(&self.altered[0], &p))
    }

    fn threats(&self) -> bool {
        G::THREATS && self.game.outcome(&self.game.start()).is_none()
    }

    fn session(&self) -> Box<dyn AnySession + '_> {
        Box::new(Session::new(self))
    }

    fn common(&self, how: &How, memory: u64, sessions: usize) -> Option<Common> {
        if !how.shares_tables() || G::SUPERKO || hangs_on_line(&*self.game) {
            return None;
        }
        let (game, memory) = (&self.altered[0], memory * sessions as u64);
        let [alphabeta, dfpn] = match how.by {
            By::Dfpn => [0, memory],
            By::Auto => [memory / 2; 2],
            _ => [memory, 0],
        };
        let alphabeta = alphabeta::common(game, alphabeta);
        let dfpn = if dfpn > 0 { dfpn::Common::new(game, dfpn) } else { None };
        Some(Common {
            game: self.full_name(),
            tables: Arc::new(portfolio::Common { alphabeta, dfpn }),
        })
    }

    fn damage(&self) -> Option<Damage> {
        self.database.as_ref()?.damage()
    }
}

/// Whether the rule of repetition leaves positions no value of their own.
pub(crate) fn hangs_on_line<G: Game>(game: &G) -> bool {
    G::CYCLIC && game.repetition().fixed().is_none()
}

/// The one implementation of [`AnySession`].
pub(crate) struct Session<'g, G: Game> {
    game: &'g G,
    /// The same without each combination of its parts; the first is whole.
    altered: &'g [Altered<G>; 8],
    database: Option<&'g Databases<G>>,
    now: G::Position,
    past: Vec<(G::Position, G::Move)>,
    /// The boards of the line, where they may not come back.
    history: History,
    engine: Option<Engine<'g, G>>,
    /// What other sessions know, too.
    common: Option<Arc<portfolio::Common<G::Key>>>,
    /// What is known before a search, and asked first.
    opening: Option<Opening>,
}

/// A solver with a table, and what it was made for.
struct Engine<'g, G: Game> {
    how: How,
    memory: u64,
    solver: Solver<'g, G>,
}

/// Solvers that keep tables.
enum Solver<'g, G: Game> {
    AlphaBeta(Box<alphabeta::Solver<'g, Altered<G>>>),
    Dfpn(Box<dfpn::Dfpn<'g, Altered<G>>>),
    Auto(Box<portfolio::Solver<'g, Altered<G>>>),
}

impl<'g, G: Game> Session<'g, G> {
    /// A session at the starting position.
    #[must_use]
    pub(crate) fn new(game: &'g Erased<G>) -> Session<'g, G> {
        let Erased { game, altered, database } = game;
        let (now, database) = (game.start(), database.as_deref());
        let history = History::of(&**game, &now);
        let (past, engine, common, opening) = (Vec::new(), None, None, None);
        Session { game, altered, database, now, past, history, engine, common, opening }
    }

    fn legal(&self) -> MoveList<G::Move> {
        let mut list = MoveList::new();
        self.history.moves(self.game, &self.now, &mut list);
        list
    }

    fn look(&self, p: &G::Position) -> Result<Known, Damage> {
        match self.database {
            Some(database) => database.look(self.game, p),
            None => Ok(Known { bounds: self.game.values(), distance: None }),
        }
    }

    /// Reads a move that the rules and the history allow.
    fn read(&self, text: &str) -> Result<G::Move, ParseError> {
        let m = self.game.parse_move(&self.now, text)?;
        if self.history.allows(self.game, &self.now, &self.game.play(&self.now, m)) {
            return Ok(m);
        }
        let texts: Vec<String> =
            self.legal().iter().map(|m| self.game.move_text(&self.now, m)).collect();
        let expected = format!("a move that brings no board back ({})", texts.join(" "));
        Err(ParseError::new("move", text, 0, expected))
    }

    fn ask(
        &mut self,
        p: &G::Position,
        history: &History,
        how: &How,
        limits: &Limits,
        observer: &(dyn Fn(&Progress<G::Move>) + Sync),
    ) -> Report<G::Move> {
        let game = &self.altered[how.without.number()];
        match how.by {
            By::Minimax => return minimax::solve_after(self.game, history, p, limits, observer),
            By::MonteCarlo => {
                let config = montecarlo::Config { seed: how.seed, ..Default::default() };
                return montecarlo::solve(game, p, &config, limits, observer);
            }
            By::Pns => {
                let mut prover = pns::Pns::new(pns::Config::default());
                return proofnumber::solve(game, p, limits, observer, &mut prover);
            }
            By::Pn2 => {
                let mut prover = pn2::Pn2::new(pn2::Config::default());
                return proofnumber::solve(game, p, limits, observer, &mut prover);
            }
            // The constant keeps it from being compiled for all other games.
            By::Lambda => {
                assert!(G::THREATS, "{} knows no threats", self.game.name());
                let config = lambda::Config::default();
                let mut solver = lambda::Solver::new(game, config, limits.memory);
                return solver.solve(p, ORDERS, limits);
            }
            By::Pp => {
                let mut prover = pp::Pp::new(pp::Config);
                return proofnumber::solve(game, p, limits, observer, &mut prover);
            }
            _ => {}
        }
        let common = self.common.as_ref().filter(|_| how.shares_tables());
        self.engine.take_if(|e| e.how != *how || e.memory != limits.memory);
        let engine = self.engine.get_or_insert_with(|| {
            let (config, limits) = (how.config(), limits.clone());
            let memory = limits.memory;
            let dfpn = how.dfpn_config();
            let solver = match how.by {
                By::Dfpn => {
                    let mut solver = dfpn::Dfpn::new(game, dfpn, limits);
                    if let Some(tables) = common.and_then(|c| c.dfpn.clone()) {
                        solver = solver.sharing(tables);
                    }
                    Solver::Dfpn(Box::new(solver))
                }
                By::Auto => {
                    let config = portfolio::Config { alphabeta: config, dfpn };
                    let mut solver = portfolio::Solver::new(game, config, limits);
                    if let Some(common) = common {
                        solver = solver.sharing(common);
                    }
                    Solver::Auto(Box::new(solver))
                }
                _ => {
                    let mut solver = alphabeta::Solver::new(game, config, limits);
                    if let Some(table) = common.and_then(|c| c.alphabeta.clone()) {
                        solver = solver.sharing(table);
                    }
                    Solver::AlphaBeta(Box::new(solver))
                }
            };
            Engine { how: *how, memory, solver }
        });
        match &mut engine.solver {
            Solver::AlphaBeta(solver) => {
                solver.set_limits(limits.clone());
                solver.solve_after(history, p, observer)
            }
            Solver::Dfpn(solver) => {
                solver.set_limits(limits.clone());
                let opening = self.opening.unwrap_or_else(|| Opening::new(game));
                solver.solve_from(p, &opening, observer, None)
            }
            Solver::Auto(solver) => {
                solver.set_limits(limits.clone());
                solver.solve_after(history, p, observer)
            }
        }
    }
}

/// Moves from `p` as text, up to the first that is not legal there: a look at a running search may
/// be blurred.
fn texts<G: Game>(game: &G, p: &G::Position, line: &[G::Move]) -> Vec<String> {
    let mut p = *p;
    let mut out = Vec::new();
    for &m in line {
        let mut list = MoveList::new();
        if game.outcome(&p).is_none() {
            game.moves(&p, &mut list);
        }
        if !list.iter().any(|legal| legal == m) {
            break;
        }
        out.push(game.move_text(&p, m));
        p = game.play(&p, m);
    }
    out
}

fn in_words<G: Game>(game: &G, p: &G::Position, report: Report<G::Move>) -> Report<String> {
    Report {
        bounds: report.bounds,
        best: report.best.map(|m| game.move_text(p, m)),
        line: texts(game, p, &report.line),
        stop: report.stop,
        level: report.level,
        rests_on_history: report.rests_on_history,
        by: report.by,
        stats: report.stats,
    }
}

impl<G: Game> AnySession for Session<'_, G> {
    fn set_position(&mut self, text: &str) -> Result<(), ParseError> {
        self.now = self.game.parse_position(text)?;
        self.past.clear();
        self.history = History::of(self.game, &self.now);
        Ok(())
    }

    fn position(&self) -> String {
        self.game.position_text(&self.now)
    }

    fn turn(&self) -> Player {
        self.game.turn(&self.now)
    }

    fn outcome(&self) -> Option<Value> {
        self.game.outcome(&self.now)
    }

    fn moves(&self) -> Vec<String> {
        self.legal().iter().map(|m| self.game.move_text(&self.now, m)).collect()
    }

    fn play(&mut self, text: &str) -> Result<String, ParseError> {
        let m = self.read(text)?;
        let written = self.game.move_text(&self.now, m);
        self.past.push((self.now, m));
        self.now = self.game.play(&self.now, m);
        self.history.push(self.game, &self.now);
        Ok(written)
    }

    fn take_back(&mut self) -> Option<String> {
        let (before, m) = self.past.pop()?;
        self.now = before;
        self.history.pop();
        Some(self.game.move_text(&before, m))
    }

    fn picture(&self) -> Picture {
        self.game.picture(&self.now)
    }

    fn place(&self, text: &str) -> Option<Footprint> {
        let m = self.read(text).ok()?;
        self.game.footprint(&self.now, m)
    }

    fn view(&self) -> View {
        let (game, p) = (self.game, &self.now);
        let known = known::known(game, self.database, p);
        let moves: Vec<ToldMove> =
            self.legal().iter().map(|m| known::known_move(game, self.database, p, m)).collect();
        // What a position is worth may hang on the line that led to it.
        let known = match G::SUPERKO || hangs_on_line(game) {
            true => known,
            false => known::with_moves(known, &moves, game.turn(p), game.values()),
        };
        View { known, moves }
    }

    fn join(&mut self, common: &Common) {
        let game = self.game.full_name();
        assert_eq!(common.game, game, "a table of another game");
        let tables = common.tables.clone().downcast();
        self.common = Some(tables.expect("a game has one kind of keys"));
        self.engine = None;
    }

    fn solve(&mut self, how: &How, limits: &Limits, observer: Observer) -> Report<String> {
        let (game, p, history) = (self.game, self.now, self.history.clone());
        let report = self.ask(&p, &history, how, limits, &|progress| {
            let line = texts(game, &p, &progress.line);
            let Progress { bounds, stats, proof, .. } = *progress;
            observer(&Progress { bounds, stats, line, proof });
        });
        in_words(game, &p, report)
    }

    fn solve_from(
        &mut self,
        opening: &Opening,
        how: &How,
        limits: &Limits,
    ) -> Result<Report<String>, Contradiction> {
        self.opening = Some(*opening);
        let mut report = self.solve(how, limits, &|_| {});
        self.opening = None;
        report.bounds = report.bounds.meet(opening.known)?;
        Ok(report)
    }

    fn glean(&self, question: Question) -> Vec<Gleaned> {
        let game = &self.altered[0];
        let Some(engine) = &self.engine else { return Vec::new() };
        if G::SUPERKO || hangs_on_line(self.game) {
            return Vec::new();
        }
        // Alpha-beta's table has what both have proved, where they share.
        let (alphabeta, dfpn) = match &engine.solver {
            Solver::AlphaBeta(solver) => (Some(&**solver), None),
            Solver::Dfpn(dfpn) => (None, Some(&**dfpn)),
            Solver::Auto(both) => (both.alphabeta_table(), both.dfpn()),
        };
        let p = game.canonical(&self.now);
        let mut list = MoveList::new();
        if game.outcome(&p).is_none() {
            game.relevant(&p, &mut list);
        }
        let mut all: Vec<Gleaned> = Vec::new();
        for m in list.iter() {
            let after = game.canonical(&game.play(&p, m));
            let position = game.position_text(&after);
            if all.iter().any(|other| other.position == position) {
                continue;
            }
            let facts = [alphabeta.map(|s| s.known(&after)), dfpn.map(|s| s.known(&after))];
            let meet = |sum: Bounds, known| match sum.meet(known) {
                Ok(both) => both,
                Err(error) => panic!("{error}, at {position}"),
            };
            let bounds = facts.into_iter().flatten().fold(game.values(), meet);
            let numbers = dfpn.and_then(|dfpn| dfpn.numbers(&after, question)).map(|numbers| {
                let [yes, no] = numbers.seen_by_first(game.turn(&after));
                [yes.unwrap_or(u32::MAX), no.unwrap_or(u32::MAX)]
            });
            all.push(Gleaned { position, bounds, numbers });
        }
        all
    }

    fn opinion(&mut self, depth: u32, limits: &Limits) -> Option<Opinion<String>> {
        if !G::EVALUATED {
            return None;
        }
        let Opinion { score, best, depth, nodes } =
            heuristic::search(&self.altered[0], &self.now, depth, limits);
        let best = best.map(|m| self.game.move_text(&self.now, m));
        Some(Opinion { score, best, depth, nodes })
    }

    /// No move is worth more than the position, to the player who makes it; so after a lost
    /// position is solved its moves need no search, and the best move never does.
    fn solve_moves(
        &mut self,
        how: &How,
        limits: &Limits,
        observer: Observer,
    ) -> Result<MoveValues, Contradiction> {
        let (game, p) = (self.game, self.now);
        let turn = game.turn(&p);
        let mut report = self.solve(how, limits, observer);
        let (root, all) = (report.bounds, game.values());
        let cap = match turn {
            Player::First => Bounds::new(all.lo, root.hi),
            Player::Second => Bounds::new(root.lo, all.hi),
        };
        let mut moves = Vec::new();
        for m in self.legal().iter() {
            let after = game.play(&p, m);
            let mv = game.move_text(&p, m);
            let mut bounds = self.altered[0].static_bounds(&after).meet(cap)?;
            if root.is_exact() && report.best.as_ref() == Some(&mv) {
                bounds = bounds.meet(root)?;
            }
            let mut history = self.history.clone();
            history.push(game, &after);
            // What a move is worth may hang on the position it is made in.
            if !bounds.is_exact() && !hangs_on_line(game) {
                match limits.after(&report.stats) {
                    Err(stop) => report.stop = stop,
                    Ok(limits) => {
                        let so_far = report.stats;
                        let found = self.ask(&after, &history, how, &limits, &|progress| {
                            let mut line = vec![mv.clone()];
                            line.extend(texts(game, &after, &progress.line));
                            let stats = in_sequence(&so_far, &progress.stats);
                            observer(&Progress { bounds: root, stats, line, proof: None });
                        });
                        bounds = bounds.meet(found.bounds)?;
                        report.stats = in_sequence(&so_far, &found.stats);
                        if !bounds.is_exact() {
                            report.stop = found.stop;
                        }
                    }
                }
            }
            let (tone, place) = (tone(bounds, turn), game.footprint(&p, m));
            moves.push(MoveValue { mv, bounds, tone, place });
        }
        Ok(MoveValues { report, moves })
    }

    fn certify(
        &mut self,
        known: Bounds,
        how: &How,
        layout: Layout,
        limits: &Limits,
        written: Written,
        made: Made,
    ) -> Result<Certificate, Failure> {
        has_certificates(self.game)?;
        let whole = &self.altered[0];
        let engine = self.engine.as_mut().filter(|e| e.how == *how && e.memory == limits.memory);
        let engine = engine.map(|e| &mut e.solver);
        let paper = Paper { game: self.game, database: self.database, p: self.now, known };
        if comes_back::<G>() {
            let mut fresh = None;
            let dfpn = match engine {
                Some(Solver::Dfpn(dfpn)) => &mut **dfpn,
                _ => fresh.insert(dfpn::Dfpn::new(whole, how.dfpn_config(), limits.clone())),
            };
            let mut minds = ByDfpn { game: whole, dfpn, facts: None, limits };
            return paper.write(&mut minds, layout, limits, written, made);
        }
        let config = alphabeta::Config { threads: how.threads, ..Default::default() };
        let (solver, dfpn) = match engine {
            Some(Solver::AlphaBeta(solver)) => (Some(&mut **solver), None),
            Some(Solver::Auto(solver)) => (solver.alphabeta(), None),
            Some(Solver::Dfpn(dfpn)) => (None, Some(&**dfpn)),
            None => (None, None),
        };
        let mut fresh = None;
        let new = || fresh.insert(alphabeta::Solver::new(whole, config, limits.clone()));
        let solver = solver.unwrap_or_else(new);
        let known = dfpn.map(|dfpn| |p: &G::Position| dfpn.known(p));
        let facts = known.as_ref().map(|f| f as &dyn Fn(&G::Position) -> Bounds);
        let mut minds = ByAlphaBeta { solver, facts, limits };
        paper.write(&mut minds, layout, limits, written, made)
    }

    fn probe(&self) -> Result<Known, Damage> {
        self.look(&self.now)
    }

    fn probe_moves(&self) -> Result<Vec<(String, Known)>, Damage> {
        let known = |m| {
            let known = self.look(&self.game.play(&self.now, m))?;
            Ok((self.game.move_text(&self.now, m), known))
        };
        self.legal().iter().map(known).collect()
    }

    fn certify_from(
        &mut self,
        known: Bounds,
        facts: &dyn Fn(&str) -> Bounds,
        layout: Layout,
        limits: &Limits,
        written: Written,
        made: Made,
    ) -> Result<Certificate, Failure> {
        let (game, whole) = (self.game, &self.altered[0]);
        has_certificates(game)?;
        let facts = |p: &G::Position| facts(&game.position_text(&whole.canonical(p)));
        let facts: Option<alphabeta::Facts<Altered<G>>> = Some(&facts);
        let paper = Paper { game, database: self.database, p: self.now, known };
        if comes_back::<G>() {
            let dfpn = &mut dfpn::Dfpn::new(whole, dfpn::Config::default(), limits.clone());
            let mut minds = ByDfpn { game: whole, dfpn, facts, limits };
            return paper.write(&mut minds, layout, limits, written, made);
        }
        let solver = &mut alphabeta::Solver::new(whole, Default::default(), limits.clone());
        let mut minds = ByAlphaBeta { solver, facts, limits };
        paper.write(&mut minds, layout, limits, written, made)
    }

    fn grow(&self, by: By, steps: usize) -> Result<Growth, String> {
        grow(&self.altered[0], &self.now, &self.history, by, steps)
    }

    fn perft(&self, depth: u32, cancel: &AtomicBool) -> Option<Perft> {
        let mut count = Perft::default();
        let mut history = self.history.clone();
        perft(self.game, &self.now, &mut history, depth, cancel, &mut count).then_some(count)
    }
}

/// Whether positions can come back and have values of their own all the same.
const fn comes_back<G: Game>() -> bool {
    G::CYCLIC && !G::SUPERKO
}

/// What a certificate is to be about.
struct Paper<'p, G: Game> {
    game: &'p G,
    database: Option<&'p Databases<G>>,
    p: G::Position,
    known: Bounds,
}

impl<G: Game> Paper<'_, G> {
    /// Writes it. Where there is a database by slices, play counts as over at what it knows.
    fn write(
        &self,
        minds: &mut dyn Minds<G>,
        layout: Layout,
        limits: &Limits,
        written: Written,
        made: Made,
    ) -> Result<Certificate, Failure> {
        let Paper { game, database, p, known } = *self;
        let base = database.and_then(|database| database.base());
        let order = Order { layout, limits, written, made, database: base.cloned() };
        match (database, base) {
            (Some(database), Some(base)) => {
                let based = Based { game, database, digest: &base.digest };
                certify(game, Rules::with(game, Some(&based)), &p, known, minds, order)
            }
            _ => certify(game, Rules::of(game), &p, known, minds, order),
        }
    }
}

/// The cost of one search after another.
fn in_sequence(first: &Stats, then: &Stats) -> Stats {
    let mut sum = *first;
    sum.merge(then);
    sum.elapsed = first.elapsed + then.elapsed;
    sum
}

/// False if it was cancelled.
fn perft<G: Game>(
    game: &G,
    p: &G::Position,
    history: &mut History,
    depth: u32,
    cancel: &AtomicBool,
    count: &mut Perft,
) -> bool {
    count.nodes += 1;
    if count.nodes.is_multiple_of(4096) && cancel.load(Ordering::Relaxed) {
        return false;
    }
    let over = game.outcome(p).is_some();
    if depth == 0 {
        count.lines += 1;
        count.finished += u64::from(over);
    }
    if depth == 0 || over {
        return true;
    }
    let mut list = MoveList::new();
    history.moves(game, p, &mut list);
    list.iter().all(|m| {
        let next = game.play(p, m);
        history.push(game, &next);
        let done = perft(game, &next, history, depth - 1, cancel, count);
        history.pop();
        done
    })
}
