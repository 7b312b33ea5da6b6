//! The vocabulary of Zermelo: what a game is, and what is known of a position.
//!
//! Start with [`Game`]: its documentation shows a complete game and says for each optional method
//! what is lost without it. Then call [`conformance::check`] in a test; it plays random games and
//! names the law that is broken.
//!
//! - [`Player`], [`Value`], [`Bounds`], [`Question`]: values and honest intervals.
//! - [`Limits`], [`Stop`], [`Report`], [`Stats`], [`Progress`], [`Level`]: what goes into a search
//!   and what comes out.
//! - [`Repetition`]: what it means that a position comes back.
//! - [`History`], [`Claim`], [`Guard`]: lines of play in which no board may come back.
//! - [`MoveList`], [`Bits`], [`Grid`], [`Key`]: the material fast games are made of.
//! - [`Sliced`], [`Oracle`]: positions by number, for endgame databases, and what is known from them.
//! - [`Picture`], [`diagram::Diagram`], [`ParseError`]: talking with people.

pub mod bits;
pub mod bounds;
pub mod conformance;
pub mod diagram;
pub mod fetch;
pub mod game;
pub mod grid;
pub mod key;
pub mod limits;
pub mod moves;
pub mod oracle;
pub mod picture;
pub mod player;
pub mod repetition;
pub mod report;
pub mod slice_laws;
pub mod slices;
pub mod superko;
pub mod text;

pub use bits::Bits;
pub use bounds::{Bounds, Contradiction, Question, Value};
pub use fetch::fetch;
pub use game::{Game, Images};
pub use grid::Grid;
pub use key::Key;
pub use limits::{Limits, Stop};
pub use moves::{MAX_MOVES, MoveList, Scored, sort_by_score};
pub use oracle::Oracle;
pub use picture::{Cell, Footprint, Mark, Picture, Style, Tone};
pub use player::Player;
pub use repetition::Repetition;
pub use report::{Level, Progress, Report, Stats};
pub use slices::{Next, Sliced};
pub use superko::{Claim, Guard, History};
pub use text::ParseError;
