//! Solvers that search forward, generic over [`zermelo_game::Game`].
//!
//! - [`minimax`]: the rules and nothing else; the oracle every other engine is tested against.
//! - [`alphabeta`]: negamax with a transposition table, for one or more threads.
//! - [`montecarlo`]: tree search with playouts by a learned policy, alone or as a teacher of move order.
//! - [`altered`]: games with some of what they offer left out, or with an oracle.
//! - [`portfolio`]: alpha-beta and df-pn by turns, for those who do not want to choose.
//! - [`proofnumber`]: solvers that work where the least is left to be proved.
//! - [`superko`]: alpha-beta for games in which no board may come back.
//! - [`table`]: the transposition table.
//! - [`watch`]: limits, obeyed.

pub mod alphabeta;
pub mod altered;
pub mod minimax;
pub mod montecarlo;
pub mod portfolio;
pub mod proofnumber;
pub mod superko;
pub mod table;
pub(crate) mod threads;
pub mod watch;

/// The worked example of `CONTRIBUTING.md`, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
struct Contributing;
