//! Engines that search forward, generic over rules and knowledge ([`zermelo_game::Game`]).
//!
//! - [`engine`]: what all engines have in common; [`engines`]: the table of them; [`mod@options`]: their settings as text.
//! - [`minimax`]: the rules and nothing else; the oracle every other engine is tested against.
//! - [`alphabeta`]: negamax with a transposition table, for one or more threads.
//! - [`montecarlo`]: tree search with playouts by a learned policy, alone or as a teacher of move order.
//! - [`heuristic`]: a search to a limited depth, by evaluations: an opinion, not a proof.
//! - [`portfolio`]: alpha-beta and df-pn by turns, for those who do not want to choose.
//! - [`proofnumber`]: solvers that work where the least is left to be proved.
//! - [`superko`]: alpha-beta for games in which boards must not be repeated.
//! - [`table`]: the transposition table.
//! - [`threads`]: stacks that are deep enough.
//! - [`watch`]: limits, obeyed.

pub mod alphabeta;
pub(crate) mod choice;
pub mod distance;
pub mod engine;
pub mod engines;
pub mod heuristic;
pub mod loops;
pub mod minimax;
pub mod montecarlo;
pub mod options;
pub mod portfolio;
pub mod proofnumber;
pub mod superko;
pub mod table;
pub mod threads;
pub mod unboxed;
pub mod watch;
