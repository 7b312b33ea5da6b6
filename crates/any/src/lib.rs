//! Games whose type is forgotten.
//!
//! Solvers are compiled for each game; a command line, a server or a script does not know at
//! compile time which game it will be asked about. [`erase`] turns a game into an [`AnyGame`], and
//! its [`session`](AnyGame::session) is a board one can sit at: it holds a position, plays moves
//! given as text, and asks any solver about it. Only text, numbers and pictures cross this border,
//! and it is crossed once a question, never inside a search. All games and solvers are compiled here,
//! once for all rooms that need them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use zermelo_game::{
    Bounds, Contradiction, Footprint, Game, History, Limits, Mark, MoveList, ParseError, Picture,
    Player, Progress, Report, Stats, Stop, Tone, Value,
};
use zermelo_games::Visitor;
use zermelo_search::ablate::{Ablated, Without};
use zermelo_search::{alphabeta, minimax, montecarlo};

/// Called some ten times a second while a search runs, with moves as text.
pub type Observer<'a> = &'a (dyn Fn(&Progress<String>) + Sync);

/// Opens the game of this name, such as `nogo 5x5`.
pub fn open(name: &str) -> Result<Box<dyn AnyGame>, ParseError> {
    struct Erase;

    impl Visitor for Erase {
        type Output = Box<dyn AnyGame>;

        fn visit<G: Game>(self, game: G) -> Box<dyn AnyGame> {
            erase(game)
        }
    }

    zermelo_games::open(name, Erase)
}

/// Forgets the type of a game.
#[must_use]
pub fn erase<G: Game>(game: G) -> Box<dyn AnyGame> {
    Box::new(Erased::new(game))
}

/// Some game.
pub trait AnyGame: Send + Sync {
    /// See [`Game::name`].
    fn name(&self) -> String;
    /// See [`Game::rules`].
    fn rules(&self) -> String;
    /// See [`Game::values`].
    fn values(&self) -> Bounds;
    /// See [`Game::SUPERKO`].
    fn superko(&self) -> bool;
    /// A new session at the starting position.
    fn session(&self) -> Box<dyn AnySession + '_>;
}

/// A position of some game, with the moves that led to it and the solvers' tables.
pub trait AnySession {
    /// Forgets the moves and puts up the position this text describes.
    fn set_position(&mut self, text: &str) -> Result<(), ParseError>;
    /// The position as text.
    fn position(&self) -> String;
    /// Whose turn it is.
    fn turn(&self) -> Player;
    /// The value, if the game is over.
    fn outcome(&self) -> Option<Value>;
    /// All legal moves; none if the game is over.
    fn moves(&self) -> Vec<String>;
    /// Plays a move and returns it as the game writes it.
    fn play(&mut self, text: &str) -> Result<String, ParseError>;
    /// Takes the last move back and returns it; `None` at the position the session began with.
    fn take_back(&mut self) -> Option<String>;
    /// A picture of the position.
    fn picture(&self) -> Picture;
    /// Where a legal move happens in the picture.
    fn place(&self, text: &str) -> Option<Footprint>;
    /// Asks a solver about the position. Tables are kept for the next question.
    fn solve(&mut self, how: &How, limits: &Limits, observer: Observer) -> Report<String>;
    /// Asks a solver about the position and about every move. The limits hold for all of it
    /// together. Fails only if the solver contradicts itself.
    fn solve_moves(
        &mut self,
        how: &How,
        limits: &Limits,
        observer: Observer,
    ) -> Result<MoveValues, Contradiction>;
    /// Counts the lines of play of exactly `depth` plies; `None` if `cancel` was set meanwhile.
    fn perft(&self, depth: u32, cancel: &AtomicBool) -> Option<Perft>;
}

/// The solvers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum By {
    /// Plain minimax, without a table or any knowledge.
    Minimax,
    /// Alpha-beta with a transposition table.
    AlphaBeta,
    /// Monte-Carlo tree search alone.
    MonteCarlo,
    /// Alpha-beta as in Cazenave's Monte Carlo Game Solver (2020).
    AbTt,
    /// The same with iterative deepening.
    IdAbTt,
    /// The same with Monte-Carlo move ordering.
    AbTtMc,
    /// The same with both.
    IdAbTtMc,
}

impl By {
    /// All of them.
    pub const ALL: [By; 7] = [
        By::Minimax,
        By::AlphaBeta,
        By::MonteCarlo,
        By::AbTt,
        By::IdAbTt,
        By::AbTtMc,
        By::IdAbTtMc,
    ];

    /// The name for commands, reports and files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            By::Minimax => "minimax",
            By::AlphaBeta => "alphabeta",
            By::MonteCarlo => "montecarlo",
            By::AbTt => "ab-tt",
            By::IdAbTt => "id-ab-tt",
            By::AbTtMc => "ab-tt-mc",
            By::IdAbTtMc => "id-ab-tt-mc",
        }
    }

    /// The solver of this name.
    #[must_use]
    pub fn named(word: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.word() == word)
    }
}

/// Entries of the table in Cazenave's experiments, where a new entry always replaced an old one (he
/// counts one less).
pub const SOURCE_ENTRIES: u64 = 1 << 20;
/// Playouts of the solvers named `-mc` if nothing else is said: what the source used for NoGo 7x3. It
/// used up to 10 million on larger boards.
pub const SOURCE_PLAYOUTS: u64 = 100_000;

/// Which solver to use, and its settings; a solver ignores settings it does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct How {
    /// The solver.
    pub by: By,
    /// Threads that search together.
    pub threads: usize,
    /// The seed of whatever is drawn at random.
    pub seed: u64,
    /// Whether to deepen step by step.
    pub deepening: bool,
    /// Monte-Carlo playouts that teach alpha-beta the order of moves.
    pub playouts: u64,
    /// What to leave out of the game's help.
    pub without: Without,
    /// A table of so many entries in which the newer replaces the older, instead of one that grows.
    pub table_entries: Option<u64>,
    /// Whether to do what the source did not: keep near ends out of the table, and look up
    /// children before the first is searched.
    pub tricks: bool,
}

impl How {
    /// A solver with its own settings. Those named after the source's tables are alpha-beta with its
    /// table and, besides the table's move, nothing but the rules: no knowledge, symmetry, order of
    /// the game, killers or history. As our alpha-beta looks at every child before it enters one,
    /// moves that win at once come first there too; the source's other rules of thumb for the order
    /// at Atarigo and in the races are not copied.
    #[must_use]
    pub fn new(by: By) -> How {
        let config = alphabeta::Config::default();
        let how = How {
            by,
            threads: config.threads,
            seed: config.seed,
            deepening: config.deepening,
            playouts: config.playouts,
            without: Without::NOTHING,
            table_entries: config.table_entries,
            tricks: true,
        };
        let source = |deepening, playouts| How {
            deepening,
            playouts,
            without: Without::ALL,
            table_entries: Some(SOURCE_ENTRIES),
            tricks: false,
            ..how
        };
        match by {
            By::Minimax | By::AlphaBeta | By::MonteCarlo => how,
            By::AbTt => source(false, 0),
            By::IdAbTt => source(true, 0),
            By::AbTtMc => source(false, SOURCE_PLAYOUTS),
            By::IdAbTtMc => source(true, SOURCE_PLAYOUTS),
        }
    }

    /// Whether these settings mean anything for a game; if not, what is to be changed. Sessions of a game
    /// are not to be asked otherwise.
    pub fn fits(&self, game: &dyn AnyGame) -> Result<(), String> {
        let own = How::new(self.by);
        let plain = How { seed: self.seed, without: self.without, ..How::new(By::AlphaBeta) };
        if !game.superko() || self.by == By::Minimax || *self == plain {
            return Ok(());
        }
        let what = match self.by {
            By::AlphaBeta if self.threads != own.threads => "more than one thread",
            By::AlphaBeta if self.playouts != own.playouts => "playouts",
            By::AlphaBeta if self.deepening => "a choice of deepening",
            By::AlphaBeta => "a table of fixed size",
            by => by.word(),
        };
        let name = game.name();
        Err(format!(
            "{what} cannot be had for {name}, where no board may come back: its solver is alphabeta \
             with one thread, which always deepens step by step"
        ))
    }

    fn config(&self) -> alphabeta::Config {
        let defaults = alphabeta::Config::default();
        let (table_plies, cutoff_plies) = match self.tricks {
            true => (defaults.table_plies, defaults.cutoff_plies),
            false => (0, u32::MAX),
        };
        alphabeta::Config {
            threads: self.threads,
            seed: self.seed,
            deepening: self.deepening,
            playouts: self.playouts,
            learning: !self.without.order,
            table_entries: self.table_entries,
            table_plies,
            cutoff_plies,
        }
    }
}

impl Default for How {
    fn default() -> How {
        How::new(By::AlphaBeta)
    }
}

/// What is known of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The move.
    pub mv: String,
    /// The value of the position after it.
    pub bounds: Bounds,
    /// The same in a word, for the player who makes the move.
    pub tone: Tone,
    /// Where it happens in the picture.
    pub place: Option<Footprint>,
}

impl MoveValue {
    /// The mark for the picture, if the move has a place there.
    #[must_use]
    pub fn mark(&self) -> Option<Mark> {
        self.place.map(|place| Mark { place, tone: self.tone })
    }
}

/// What is known of a position and of each of its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValues {
    /// About the position; what it cost, and why the work ended, is about all of it together.
    pub report: Report<String>,
    /// About the moves, in the game's own order.
    pub moves: Vec<MoveValue>,
}

/// Counts of lines of play.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Perft {
    /// Lines of exactly this length.
    pub lines: u64,
    /// Those of them that end the game.
    pub finished: u64,
    /// Positions made on the way, with these.
    pub nodes: u64,
}

/// What bounds mean to a player.
#[must_use]
pub fn tone(bounds: Bounds, player: Player) -> Tone {
    match bounds.winner() {
        None => Tone::Open,
        Some(None) => Tone::Draw,
        Some(Some(winner)) if winner == player => Tone::Win,
        Some(Some(_)) => Tone::Loss,
    }
}

/// What is left of the limits after this much work, or which of them is spent.
pub fn remaining(limits: &Limits, used: &Stats) -> Result<Limits, Stop> {
    let time = limits.time.map(|time| time.saturating_sub(used.elapsed));
    let nodes = limits.nodes.map(|nodes| nodes.saturating_sub(used.nodes));
    if limits.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
        Err(Stop::Interrupted)
    } else if time == Some(Duration::ZERO) {
        Err(Stop::OutOfTime)
    } else if nodes == Some(0) {
        Err(Stop::OutOfNodes)
    } else {
        Ok(Limits { time, nodes, ..limits.clone() })
    }
}

/// A game, whole and without each combination of its parts.
pub struct Erased<G> {
    game: Arc<G>,
    ablated: [Ablated<G>; 8],
}

impl<G: Game> Erased<G> {
    /// Takes over a game.
    #[must_use]
    pub fn new(game: G) -> Erased<G> {
        let game = Arc::new(game);
        let ablated = |n| Ablated::new(game.clone(), Without::numbered(n));
        Erased { ablated: std::array::from_fn(ablated), game }
    }
}

impl<G: Game> AnyGame for Erased<G> {
    fn name(&self) -> String {
        self.game.name()
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

    fn session(&self) -> Box<dyn AnySession + '_> {
        Box::new(Session::new(self))
    }
}

/// The one implementation of [`AnySession`].
pub struct Session<'g, G: Game> {
    game: &'g G,
    ablated: &'g [Ablated<G>; 8],
    now: G::Position,
    past: Vec<(G::Position, G::Move)>,
    /// The boards of the line, where they may not come back.
    history: History,
    engine: Option<Engine<'g, G>>,
}

/// A solver with a table, and what it was made for.
struct Engine<'g, G: Game> {
    how: How,
    memory: u64,
    solver: Solver<'g, G>,
}

/// Alpha-beta on the game or on part of it.
enum Solver<'g, G: Game> {
    Whole(alphabeta::Solver<'g, G>),
    Part(alphabeta::Solver<'g, Ablated<G>>),
}

impl<'g, G: Game> Session<'g, G> {
    /// A session at the starting position.
    #[must_use]
    pub fn new(game: &'g Erased<G>) -> Session<'g, G> {
        let Erased { game, ablated } = game;
        let now = game.start();
        let history = History::of(&**game, &now);
        Session { game, ablated, now, past: Vec::new(), history, engine: None }
    }

    fn legal(&self) -> MoveList<G::Move> {
        let mut list = MoveList::new();
        self.history.moves(self.game, &self.now, &mut list);
        list
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
        let part = &self.ablated[how.without.number()];
        let whole = how.without == Without::NOTHING;
        match how.by {
            By::Minimax => return minimax::solve_after(self.game, history, p, limits, observer),
            By::MonteCarlo => {
                let config = montecarlo::Config { seed: how.seed, ..Default::default() };
                return match whole {
                    true => montecarlo::solve(self.game, p, &config, limits, observer),
                    false => montecarlo::solve(part, p, &config, limits, observer),
                };
            }
            _ => {}
        }
        self.engine.take_if(|e| e.how != *how || e.memory != limits.memory);
        let engine = self.engine.get_or_insert_with(|| {
            let (config, limits) = (how.config(), limits.clone());
            let memory = limits.memory;
            let solver = match whole {
                true => Solver::Whole(alphabeta::Solver::new(self.game, config, limits)),
                false => Solver::Part(alphabeta::Solver::new(part, config, limits)),
            };
            Engine { how: *how, memory, solver }
        });
        match &mut engine.solver {
            Solver::Whole(solver) => {
                solver.set_limits(limits.clone());
                solver.solve_after(history, p, observer)
            }
            Solver::Part(solver) => {
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

    fn solve(&mut self, how: &How, limits: &Limits, observer: Observer) -> Report<String> {
        let (game, p, history) = (self.game, self.now, self.history.clone());
        let report = self.ask(&p, &history, how, limits, &|progress| {
            let line = texts(game, &p, &progress.line);
            observer(&Progress { bounds: progress.bounds, stats: progress.stats, line });
        });
        in_words(game, &p, report)
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
            let mut bounds = game.static_bounds(&after).meet(cap)?;
            if root.is_exact() && report.best.as_ref() == Some(&mv) {
                bounds = bounds.meet(root)?;
            }
            let mut history = self.history.clone();
            history.push(game, &after);
            if !bounds.is_exact() {
                match remaining(limits, &report.stats) {
                    Err(stop) => report.stop = stop,
                    Ok(limits) => {
                        let so_far = report.stats;
                        let found = self.ask(&after, &history, how, &limits, &|progress| {
                            let mut line = vec![mv.clone()];
                            line.extend(texts(game, &after, &progress.line));
                            let stats = in_sequence(&so_far, &progress.stats);
                            observer(&Progress { bounds: root, stats, line });
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

    fn perft(&self, depth: u32, cancel: &AtomicBool) -> Option<Perft> {
        let mut count = Perft::default();
        let mut history = self.history.clone();
        perft(self.game, &self.now, &mut history, depth, cancel, &mut count).then_some(count)
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

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_games::mnk::Mnk;

    fn tictactoe() -> Box<dyn AnyGame> {
        erase(Mnk::<u64>::new(3, 3, 3))
    }

    #[test]
    fn moves_are_played_and_taken_back() {
        let game = tictactoe();
        let mut session = game.session();
        assert_eq!(session.play("B2").unwrap(), "b2");
        assert_eq!(session.position(), ".../.x./... second");
        assert_eq!(session.moves().len(), 8);
        assert_eq!(session.play("b2").unwrap_err().what, "move");
        assert_eq!(session.take_back().as_deref(), Some("b2"));
        assert_eq!(session.take_back(), None);
        session.set_position("xx./oo./... first").unwrap();
        session.play("c3").unwrap();
        assert_eq!((session.outcome(), session.moves()), (Some(1), vec![]));
        assert_eq!(session.set_position("xx./oo./..").unwrap_err().what, "position");
    }

    #[test]
    fn every_move_has_the_value_of_the_position_after_it() {
        let game = erase(Mnk::<u64>::new(3, 4, 3));
        let minimax = How { by: By::Minimax, ..How::default() };
        for position in [
            "..../..../..x. second",
            "o.../.x../.... first",
            "ox../.xo./.... first",
            "x..o/..../x.o. second",
        ] {
            let mut session = game.session();
            session.set_position(position).unwrap();
            let limits = Limits { memory: 1 << 20, ..Limits::default() };
            let found = session.solve_moves(&How::default(), &limits, &|_| {}).unwrap();
            assert_eq!(found.moves.len(), session.moves().len());
            for value in found.moves {
                session.play(&value.mv).unwrap();
                let truth = session.solve(&minimax, &limits, &|_| {});
                session.take_back();
                assert_eq!(value.bounds, truth.bounds, "{} in {position}", value.mv);
                assert_eq!(value.tone, tone(truth.bounds, session.turn()));
                assert!(value.mark().is_some());
            }
        }
    }

    #[test]
    fn limits_hold_for_all_moves_together() {
        let game = erase(Mnk::<u128>::new(7, 7, 5));
        for by in By::ALL {
            let how = How { by, ..How::default() };
            let limits = Limits { nodes: Some(5_000), memory: 1 << 20, ..Limits::default() };
            let found = game.session().solve_moves(&how, &limits, &|_| {}).unwrap();
            assert_eq!(found.report.stop, Stop::OutOfNodes);
            assert!(found.report.stats.nodes <= 5_000);
            assert!(found.moves.iter().all(|m| m.tone == Tone::Open));
        }
    }

    #[test]
    fn solvers_are_found_by_name() {
        for by in By::ALL {
            assert_eq!(By::named(by.word()), Some(by));
        }
        assert_eq!(By::named("pn3"), None);
        assert_eq!(How::new(By::AbTtMc).playouts, SOURCE_PLAYOUTS);
        assert_eq!(How::new(By::IdAbTt).without, Without::ALL);
    }

    #[test]
    fn all_solvers_agree() {
        let limits = Limits { memory: 1 << 26, ..Limits::default() };
        let game = tictactoe();
        for (moves, value) in [("a1 a2", 1), ("a1 b2", 0), ("b1 a3 b3 b2 c1", -1)] {
            for by in By::ALL {
                let mut session = game.session();
                moves.split(' ').for_each(|m| drop(session.play(m).unwrap()));
                let how = How { playouts: How::new(by).playouts.min(30), ..How::new(by) };
                let found = session.solve(&how, &limits, &|_| {});
                assert_eq!(found.bounds, Bounds::exact(value), "{moves} by {}", by.word());
                assert_eq!(found.stop, Stop::Solved);
                let all = session.solve_moves(&how, &limits, &|_| {}).unwrap();
                let best = all.moves.iter().find(|m| Some(&m.mv) == found.best.as_ref());
                assert_eq!(best.unwrap().bounds, found.bounds, "{moves} by {}", by.word());
            }
        }
    }

    #[test]
    fn what_remains_of_limits() {
        let second = Duration::from_secs(1);
        let limits = Limits { nodes: Some(10), time: Some(second), ..Limits::default() };
        let used = |nodes, elapsed| Stats { nodes, elapsed, ..Stats::default() };
        assert_eq!(remaining(&limits, &used(4, second / 2)).unwrap().nodes, Some(6));
        assert_eq!(remaining(&limits, &used(10, second / 2)).unwrap_err(), Stop::OutOfNodes);
        assert_eq!(remaining(&limits, &used(4, second)).unwrap_err(), Stop::OutOfTime);
    }

    #[test]
    fn tic_tac_toe_has_255168_games() {
        let game = tictactoe();
        let count = |depth| game.session().perft(depth, &AtomicBool::new(false)).unwrap();
        let lines: Vec<u64> = (0..=10).map(|depth| count(depth).lines).collect();
        assert_eq!(lines, [1, 9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872, 0]);
        assert_eq!((0..=9).map(|depth| count(depth).finished).sum::<u64>(), 255_168);
        assert_eq!(game.session().perft(9, &AtomicBool::new(true)), None);
    }
}
