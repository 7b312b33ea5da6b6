//! The vocabulary of Zermelo: what a game is, and what is known of a position.
//!
//! Start with [`Rules`]: its documentation shows a complete game and says for each optional method
//! what is lost without it. [`Notation`] is how people see the game, [`Knowledge`] what helps solvers, [`Game`] rules and
//! knowledge together. Then call [`conformance::check`] in a test; it plays random games and
//! names the law that is broken.
//!
//! - [`Player`], [`Value`], [`Bounds`], [`Question`]: values and honest intervals.
//! - [`Limits`], [`Stop`], [`Report`], [`Stats`], [`Progress`], [`Level`]: what goes into a search
//!   and what comes out.
//! - [`Repetition`]: what it means that a position is repeated.
//! - [`Superko`], [`History`], [`GuardedClaim`]: lines of play in which no board may be repeated.
//! - [`Threats`], [`Ablation`], [`Tuned`]: what a pass would be; knowledge without some of its parts, or with an oracle.
//! - [`MoveList`], [`Bits`], [`Grid`], [`Key`], [`Wide`]: the material fast games are made of.
//! - [`Boxed`]: games behind a pointer, which share the code that is compiled for them.
//! - [`Evidence`], [`Ledger`]: what sources say of a value, merged, with contradictions as a type.
//! - [`Plies`], [`LastMover`]: how many plies a win takes.
//! - [`Claim`], [`StrategySource`]: what is claimed of a value, and moves that keep it.
//! - [`Sliced`], [`Oracle`]: positions by number, for endgame databases, and what is known from them.
//! - [`Picture`], [`diagram::Diagram`], [`ParseError`]: talking with people.
//! - [`counted`]: numbers in sentences.
//! - [`GameEntry`], [`Args`]: how a game is listed, and the words of its name; [`Identity`]: what files and messages compare.
//! - [`outside`], [`mod@file`]: text and files from outside, within limits and safe to show.

pub mod amount;
pub mod bits;
pub mod bounds;
pub mod boxed;
pub mod conformance;
pub mod diagram;
pub mod distance;
pub mod entry;
pub mod evidence;
pub mod fetch;
pub mod file;
pub mod grid;
pub mod identity;
pub mod inline;
pub mod key;
pub mod knowledge;
pub mod limits;
pub mod moves;
pub mod movetext;
pub mod notation;
pub mod oracle;
pub mod outside;
pub mod picture;
pub mod player;
pub mod repetition;
pub mod report;
pub mod rules;
pub mod slice_laws;
pub mod slices;
pub mod strategy;
pub mod superko;
pub mod text;
pub mod tuned;
pub mod wide;
pub mod words;

pub use amount::counted;
pub use bits::Bits;
pub use bounds::{Bounds, Contradiction, Question, Value};
pub use boxed::{Boxed, BoxedKnowledge};
pub use distance::{DistanceFacts, LONGEST_DISTANCE, LastMover, Plies, Soon};
pub use entry::{Args, GameEntry};
pub use evidence::{Conflict, Evidence, Finding, Ledger, best_of_moves};
pub use fetch::fetch;
pub use grid::Grid;
pub use identity::Identity;
pub use inline::InlineVec;
pub use key::Key;
pub use knowledge::{Game, Knowledge};
pub use limits::{Limits, Stop};
pub use moves::{INLINE_MOVES, MAX_MOVES, MoveList, Scored, sort_by_score};
pub use notation::Notation;
pub use oracle::Oracle;
pub use picture::{Cell, Footprint, MoveMark, Picture, Style, Tone};
pub use player::Player;
pub use repetition::Repetition;
pub use report::{Level, Progress, Report, Stats};
pub use rules::{Images, Rules, Threats};
pub use slices::{Next, Sliced};
pub use strategy::{Claim, StrategySource};
pub use superko::{
    Boards, BySuperko, Guard, GuardedClaim, History, Superko, SuperkoKnowledge, SuperkoRule,
};
pub use text::ParseError;
pub use tuned::{Ablation, Tuned};
pub use wide::Wide;
pub use words::Words;
