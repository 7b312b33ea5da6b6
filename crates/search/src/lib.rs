//! Solvers that search forward, generic over [`zermelo_game::Game`].
//!
//! - [`minimax`]: the rules and nothing else; the oracle every other engine is tested against.
//! - [`alphabeta`]: negamax with a transposition table, for one or more threads.
//! - [`superko`]: the same for games in which no board may come back.
//! - [`any`]: games whose type is forgotten.
//! - [`table`]: the transposition table.
//! - [`watch`]: limits, obeyed.

pub mod alphabeta;
pub mod any;
pub mod minimax;
pub mod superko;
pub mod table;
pub mod watch;

/// The worked example of `CONTRIBUTING.md`, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
