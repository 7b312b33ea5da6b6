//! Games whose type is forgotten.
//!
//! Solvers are compiled for each game; a command line, a server or a script does not know at
//! compile time which game it will be asked about. A [`Catalogue`] opens a game by name as an [`AnyGame`], and
//! its [`session`](AnyGame::session) is a board one can sit at: it holds a position, plays moves
//! given as text, and asks any solver about it. [`AnyCertificates`] and [`AnyDatabases`] are what can be done with proofs and
//! databases of a game. Only text, numbers and pictures cross this border,
//! and it is crossed once a question, never inside a search.
//!
//! Inside, a game is [boxed](zermelo_game::boxed), so that sessions and most of what they do are compiled once for many games.
//! `native` holds what is compiled for each game: fast engines, the checker, slices. That happens here for our games, and where a
//! [`Row`] is made for other people's.

mod build;
mod catalogue;
mod certificates;
mod database;
mod evidence;
mod game;
mod growth;
mod native;
mod node_info;
mod open;
mod series;
mod session;
mod slices;

pub use build::{AnyDatabases, BuildOrder, Building, BuiltDatabase, BuiltGame};
pub use catalogue::{Catalogue, Opened, Row};
pub use certificates::AnyCertificates;
pub use database::Folder;
pub use evidence::{StaticSource, Survey, SurveyedMove};
pub use growth::{Change, Growth, GrowthStep, Twig, TwigState};
pub use node_info::{ChildResult, Expansion, NodeInfo};
pub use open::{open_session, split_moves};
pub use series::{Series, open_text};
pub use session::certify::CertificateRequest;
pub use zermelo_game::{Evidence, Finding};
pub use zermelo_search::alphabeta::{SOURCE_ENTRIES, SOURCE_PLAYOUTS};
pub use zermelo_search::engines::{EngineConfig, EngineId, Features};
pub use zermelo_search::heuristic::{CERTAIN, Opinion, SURE};
pub use zermelo_search::options::OptionInfo;
pub use zermelo_search::proofnumber::InitialBounds;
pub use zermelo_search::threads::with_room;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zermelo_certificate::{Certificate, WriteFailure};
use zermelo_endgame::Damage;
use zermelo_game::{
    Bounds, Contradiction, Footprint, Identity, Limits, MoveMark, ParseError, Picture, Player,
    Plies, Progress, Question, Report, Stats, Stop, Tone, Value,
};

/// Called some ten times a second while a search runs, with moves as text.
pub type Observer<'a> = &'a (dyn Fn(&Progress<String>) + Sync);

/// Some game.
pub trait AnyGame: AnyCertificates + AnyDatabases + Send + Sync {
    /// The name with all parameters: `nogo 5x5`.
    fn name(&self) -> String;
    /// The name under which the same game opens anywhere.
    fn full_name(&self) -> String;
    /// The rules in a few sentences.
    fn rules(&self) -> String;
    /// The full name and the version of the rules.
    fn identity(&self) -> Identity;
    /// The range of possible values.
    fn values(&self) -> Bounds;
    /// What matters for the choice of an engine.
    fn features(&self) -> Features;
    /// The value of a repetition, where positions can repeat and it is always the same.
    fn cycle_value(&self) -> Option<Value>;
    /// Whether it evaluates positions, for heuristic search.
    fn evaluated(&self) -> bool;
    /// Expands a position, or the start. What it says is only true where positions have values of their own.
    fn expand(&self, position: Option<&str>) -> Result<Expansion, ParseError>;
    /// Whether positions have values of their own: no board is forbidden by what stood before (superko), and the value of a
    /// repetition does not depend on the line of play.
    fn has_own_values(&self) -> bool {
        let Features { superko, path_dependent, .. } = self.features();
        !superko && !path_dependent
    }
    /// Whether wins of a player have distances: not in score games, nor where a repetition may be worth a win or depends on the
    /// line of play.
    fn has_distances(&self, winner: Player) -> bool;
    /// Whether positions with the same [canonical text](AnySession::canonical) have the same distance. They always have the same value,
    /// where positions have values of their own.
    fn canonical_keeps_distance(&self) -> bool;
    /// Whether an engine with its settings can search it; if not, what is to be changed. Sessions are not to be asked
    /// otherwise.
    fn accepts(&self, config: &EngineConfig) -> Result<(), String> {
        config.fits(&self.name(), &self.features())
    }
    /// The moves in a list, which are parts of it: words between blanks or commas, and what else the game's notation knows
    /// ([`Notation::split_moves`](zermelo_game::Notation::split_moves)).
    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str>;
    /// A new session at the starting position.
    fn session(&self) -> Box<dyn AnySession + '_>;
    /// Tables for so many sessions that search at the same time by the same engine, each with so much memory: see
    /// [`AnySession::share`]. `None` if that engine has no use for them, or the memory is too small.
    fn shared_tables(
        &self,
        config: &EngineConfig,
        memory: u64,
        sessions: usize,
    ) -> Option<SharedTables>;
    /// Damage of the database that searches have met; there nothing was taken from it.
    fn damage(&self) -> Option<Damage>;
}

/// A position of some game, with the moves that led to it and the solvers' tables.
pub trait AnySession {
    /// Forgets the moves and puts up the position this text describes.
    fn set_position(&mut self, text: &str) -> Result<(), ParseError>;
    /// The position as text.
    fn position(&self) -> String;
    /// The position as one text for all positions that are the same to solvers, as [`AnyGame::expand`] writes it.
    fn canonical(&self) -> String;
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
    /// What is known of the position and of its moves without any search.
    fn survey(&self) -> Survey;
    /// From now on alpha-beta and df-pn share their tables with other sessions of the game: what one of them proves all of
    /// them know.
    ///
    /// # Panics
    /// If the tables are of another game.
    fn share(&mut self, tables: &SharedTables);
    /// Asks a solver about the position. Tables are kept for the next question.
    fn solve(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Report<String>;
    /// The same from what is known already, and with a question that is asked first. Only df-pn has use for that;
    /// other solvers begin from nothing, and what is known is added to what they find. Fails if the two contradict
    /// each other.
    fn solve_from(
        &mut self,
        initial: &InitialBounds,
        config: &EngineConfig,
        limits: &Limits,
    ) -> Result<Report<String>, Contradiction>;
    /// What the tables of the solver that was asked last hold of the positions after the moves worth a look (those of
    /// [`AnyGame::expand`]): what a search that failed has found out all the same. Nothing by engines without tables.
    fn child_results(&self, question: Question) -> Vec<ChildResult>;
    /// An opinion on the position, by a search of at most so many plies: nothing is proved by it. `None` in games
    /// that do not evaluate positions.
    fn opinion(&mut self, depth: u32, limits: &Limits) -> Option<Opinion<String>>;
    /// Asks a solver about the position and about every move: what play comes to that goes on from it, the position it is
    /// made in being part of the line. (Where the value of a repetition depends on the line, the position after a
    /// move may be worth something else when it is asked about by itself.) The limits hold for all of it together; the
    /// report says `Solved` only if the value of every move is exact. Fails only if the solver contradicts itself.
    fn solve_moves(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Result<MoveValues, Contradiction>;
    /// Asks a solver about one move, as [`solve_moves`](Self::solve_moves) does about each: the report is about the position after it,
    /// its line begins there.
    fn solve_move(
        &mut self,
        mv: &str,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Result<Report<String>, ParseError>;
    /// Finds out how soon a player wins, who was shown to win. `None` in games in which wins have no distances: score games, and
    /// where a repetition may be worth a win, or depends on the line of play.
    fn distance(
        &mut self,
        winner: Player,
        threads: usize,
        limits: &Limits,
        observer: DistanceObserver,
    ) -> Option<DistanceAnswer>;
    /// Finds out the same of each move whose value is known to be a win or a loss. The limits hold for all of them together.
    fn measure_moves(
        &mut self,
        found: &mut MoveValues,
        threads: usize,
        limits: &Limits,
        observer: DistanceObserver,
    );
    /// Makes the line of a report fit to be shown, and says how it ends. In a won game it never repeats a position; where positions
    /// can repeat it is the shortest, if a search of little more work finds it (which the report's costs do not count).
    fn complete_line(&mut self, report: &mut Report<String>, limits: &Limits) -> LineEnd;
    /// The move of the perfect player in the game that the moves of this session are: who has won makes progress, who has lost
    /// resists. The limits hold for each search that it makes. `None` if the game is over or no move is allowed.
    fn choose(
        &mut self,
        config: &EngineConfig,
        limits: &Limits,
        observer: Observer,
    ) -> Option<PlayedMove>;
    /// Whether the last move of the session has repeated one of its positions: the value of that line by the game's rule of
    /// repetition, or `Some(None)` where the rule does not allow the move.
    fn repetition(&self) -> Option<Option<Value>>;
    /// Writes a certificate of what an engine has found out about the position. Its tables are used if it
    /// was the last one asked, within the same memory.
    fn certify(
        &mut self,
        known: Bounds,
        config: &EngineConfig,
        request: CertificateRequest,
    ) -> Result<Certificate, WriteFailure>;
    /// What the database keeps of the position; nothing is known without one.
    fn probe(&self) -> Result<Evidence<StaticSource>, Damage>;
    /// Why the database knows nothing of the position, in words; `None` if it knows something, or there is none.
    fn why_unknown(&self) -> Result<Option<String>, Damage>;
    /// What the database keeps of the positions after each legal move.
    fn probe_moves(&self) -> Result<Vec<(String, Evidence<StaticSource>)>, Damage>;
    /// A certificate from what others have found out: `facts` says what is known of the position of such a text, as
    /// [`Expansion`] writes it. What is not known is searched.
    fn certify_from(
        &mut self,
        known: Bounds,
        facts: &dyn Fn(&str) -> Bounds,
        request: CertificateRequest,
    ) -> Result<Certificate, WriteFailure>;
    /// Watches how a solver's tree grows from the position in so many steps. Fails, saying why, where it
    /// cannot be watched.
    fn grow(&self, engine: EngineId, steps: usize) -> Result<Growth, String>;
    /// Counts the lines of play of exactly `depth` plies; `None` if `cancel` was set meanwhile.
    fn perft(&self, depth: u32, cancel: &AtomicBool) -> Option<Perft>;
}

/// Called while a search for a distance runs.
pub type DistanceObserver<'o> = zermelo_search::distance::DistanceObserver<'o>;

/// How soon a win comes. See [`zermelo_search::distance::DistanceReport`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DistanceAnswer {
    /// What is proved of the distance.
    pub plies: Plies,
    /// Whether the player wins; `None` while that is open.
    pub wins: Option<bool>,
    /// Best play to the end, where the distance is known.
    pub line: Vec<String>,
    /// Why the search ended.
    pub stop: Stop,
    /// What it cost.
    pub stats: Stats,
}

/// How a line of play ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// With the end of the game.
    GameOver,
    /// With a repeated position, which ends the game.
    Repetition,
    /// At a position that a database knows, perhaps with the plies to the end.
    Database(Option<u32>),
    /// At a position whose value the game's knowledge tells.
    Knowledge,
    /// Where no further move is proved to keep the value.
    Open,
}

/// Why the perfect player makes a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayReason {
    /// By the distances of a database.
    Database,
    /// By a search for the distance.
    Distance,
    /// By a strategy without cycles, as a certificate contains it.
    Strategy,
    /// It keeps the value.
    Value,
    /// The value is not known.
    Guess,
}

/// A move of the perfect player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: String,
    /// What is known of the position before it.
    pub bounds: Bounds,
    /// The plies from there to the end, where that is known.
    pub distance: Option<Plies>,
    /// Why it was chosen.
    pub reason: PlayReason,
    /// Why the search for the value ended, and what it cost.
    pub stop: Stop,
    /// See `stop`.
    pub stats: Stats,
}

/// Tables that sessions of a game share.
#[derive(Clone)]
pub struct SharedTables {
    pub(crate) game: String,
    pub(crate) tables: Arc<dyn Any + Send + Sync>,
}

/// What is known of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The move.
    pub mv: String,
    /// The value of the position after it.
    pub bounds: Bounds,
    /// The plies to the end of the game, this one included, where that was [asked](AnySession::measure_moves).
    pub distance: Option<Plies>,
    /// The same in a word, for the player who makes the move.
    pub tone: Tone,
    /// Where it happens in the picture.
    pub place: Option<Footprint>,
}

impl MoveValue {
    /// The mark for the picture, if the move has a place there.
    #[must_use]
    pub fn mark(&self) -> Option<MoveMark> {
        self.place.map(|place| MoveMark { place, tone: self.tone })
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
