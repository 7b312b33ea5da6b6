//! Games whose type is forgotten.
//!
//! Solvers are compiled for each game; a command line, a server or a script does not know at
//! compile time which game it will be asked about. [`erase`] turns a game into an [`AnyGame`], and
//! its [`session`](AnyGame::session) is a board one can sit at: it holds a position, plays moves
//! given as text, and asks any solver about it. Only text, numbers and pictures cross this border,
//! and it is crossed once a question, never inside a search. All games and solvers are compiled here,
//! once for all rooms that need them.

mod build;
mod certify;
mod database;
mod farmed;
mod growth;
mod how;
mod known;
mod look;
mod session;

pub use build::{Building, Built, Order, What, build, estimate, verify_folder};
pub use certify::Written;
pub use database::{Folder, Unopened, open_folder, open_folders, open_with};
pub use farmed::{Plan, admit, build_group, plan};
pub use growth::{Change, Growth, State, Step, Twig};
pub use how::{By, How, SOURCE_ENTRIES, SOURCE_PLAYOUTS};
pub use known::{Said, Source, Told, ToldMove, View};
pub use look::{Glance, Gleaned, Look};
pub use zermelo_search::heuristic::{CERTAIN, Opinion, SURE};
pub use zermelo_search::proofnumber::Opening;

use session::Erased;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zermelo_endgame::Damage;
use zermelo_game::{
    Bounds, Contradiction, Footprint, Game, Limits, Mark, ParseError, Picture, Player, Progress,
    Question, Report, Tone, Value,
};
use zermelo_games::Visitor;
use zermelo_proof::write::Layout;
use zermelo_proof::{Certificate, Failure, Made};

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
    /// See [`Game::full_name`].
    fn full_name(&self) -> String;
    /// See [`Game::rules`].
    fn rules(&self) -> String;
    /// See [`Game::values`].
    fn values(&self) -> Bounds;
    /// See [`Game::SUPERKO`].
    fn superko(&self) -> bool;
    /// Whether the rule of repetition leaves positions no value of their own: see [`Game::repetition`].
    fn hangs_on_line(&self) -> bool;
    /// What it is worth that a position comes back, where that can happen and always has the same value.
    fn cycles(&self) -> Option<Value>;
    /// See [`Game::EVALUATED`].
    fn evaluated(&self) -> bool;
    /// Looks at a position, or at the start. What it says is only true where positions have values of their own:
    /// neither [`superko`](Self::superko) nor [`hangs_on_line`](Self::hangs_on_line).
    fn look(&self, position: Option<&str>) -> Result<Look, ParseError>;
    /// Whether it can be searched by threats ([`By::Lambda`]).
    fn threats(&self) -> bool;
    /// A new session at the starting position.
    fn session(&self) -> Box<dyn AnySession + '_>;
    /// Tables for so many sessions that search at the same time by the same solver, each with so much memory: see
    /// [`AnySession::join`]. `None` if that solver has no use for one, or the memory is too small.
    fn common(&self, how: &How, memory: u64, sessions: usize) -> Option<Common>;
    /// Damage of the database that searches have met; there nothing was taken from it.
    fn damage(&self) -> Option<Damage>;
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
    /// What is known of the position and of its moves without any search.
    fn view(&self) -> View;
    /// From now on alpha-beta and df-pn share their tables with other sessions of the game: what one of them proves all of
    /// them know.
    ///
    /// # Panics
    /// If the tables are of another game.
    fn join(&mut self, common: &Common);
    /// Asks a solver about the position. Tables are kept for the next question.
    fn solve(&mut self, how: &How, limits: &Limits, observer: Observer) -> Report<String>;
    /// The same from what is known already, and with a question that is asked first. Only df-pn has use for that;
    /// other solvers begin from nothing, and what is known is added to what they find. Fails if the two contradict
    /// each other.
    fn solve_from(
        &mut self,
        opening: &Opening,
        how: &How,
        limits: &Limits,
    ) -> Result<Report<String>, Contradiction>;
    /// What the tables of the solver that was asked last hold of the positions after the moves worth a look (those of
    /// [`AnyGame::look`]): what a search that failed has found out all the same. Nothing by solvers without tables.
    fn glean(&self, question: Question) -> Vec<Gleaned>;
    /// An opinion on the position, by a search of at most so many plies: nothing is proved by it. `None` in games
    /// that do not evaluate positions.
    fn opinion(&mut self, depth: u32, limits: &Limits) -> Option<Opinion<String>>;
    /// Asks a solver about the position and about every move. The limits hold for all of it
    /// together. Fails only if the solver contradicts itself.
    fn solve_moves(
        &mut self,
        how: &How,
        limits: &Limits,
        observer: Observer,
    ) -> Result<MoveValues, Contradiction>;
    /// Writes a certificate of what a solver has found out about the position. Its tables are used if it
    /// was the last one asked, with the same settings.
    fn certify(
        &mut self,
        known: Bounds,
        how: &How,
        layout: Layout,
        limits: &Limits,
        written: Written,
        made: Made,
    ) -> Result<Certificate, Failure>;
    /// What the database keeps of the position; nothing is known without one.
    fn probe(&self) -> Result<Known, Damage>;
    /// The same of the positions after each legal move.
    fn probe_moves(&self) -> Result<Vec<(String, Known)>, Damage>;
    /// The same from what others have found out: `facts` says what is known of the position of such a text, as
    /// [`Look`] writes it. What is not known is searched.
    fn certify_from(
        &mut self,
        known: Bounds,
        facts: &dyn Fn(&str) -> Bounds,
        layout: Layout,
        limits: &Limits,
        written: Written,
        made: Made,
    ) -> Result<Certificate, Failure>;
    /// Watches how a solver's tree grows from the position in so many steps. Fails, saying why, where it
    /// cannot be watched.
    fn grow(&self, by: By, steps: usize) -> Result<Growth, String>;
    /// Counts the lines of play of exactly `depth` plies; `None` if `cancel` was set meanwhile.
    fn perft(&self, depth: u32, cancel: &AtomicBool) -> Option<Perft>;
}

/// Tables that sessions of a game share.
#[derive(Clone)]
pub struct Common {
    game: String,
    tables: Arc<dyn Any + Send + Sync>,
}

/// What a database keeps of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its value.
    pub bounds: Bounds,
    /// Plies to the end of the game, where they are kept.
    pub distance: Option<u32>,
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
