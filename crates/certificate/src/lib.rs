//! Certificates: files that prove who wins, and the checker that trusts nothing else.
//!
//! A certificate claims that the value of a position is at least (or at most) so much, and holds a
//! *strategy* for the player who keeps that claim, the claimant: one move at each of its positions. The
//! checker plays that move against every reply until the game is over, and sees whether the claim was
//! kept. It needs the rules of the game and nothing else: no search, no table, no knowledge; this crate
//! depends on no solver. So a solver that is wrong cannot produce a certificate that passes.
//!
//! - [`mod@format`]: the file; `header.rs` its header, `blocks.rs` its blocks, read piece by piece.
//! - [`rule_book`]: what the checker may ask of a game.
//! - [`mod@check`]: the checker.
//! - [`leaf`]: positions that the checker searches itself.
//! - [`bounded`]: claims with length, that play ends within so many plies; `height_map.rs` what their walk keeps.
//! - `superko.rs`: the walk where boards must not be repeated.
//! - [`mod@write`]: how a strategy is written down, whoever knows the moves.
//! - [`mod@explain`] and [`page`]: a strategy as people read it.
//! - [`walk`]: any position of a strategy on request.

#![forbid(unsafe_code)]

mod blocks;
pub mod bounded;
pub mod check;
pub mod explain;
pub mod format;
mod header;
mod height_map;
mod key_set;
pub mod leaf;
pub mod page;
pub mod rule_book;
mod strategy;
mod superko;
mod visited_map;
pub mod walk;
pub mod write;

pub use check::{CheckSummary, check};
pub use explain::explain;
pub use format::{Certificate, Provenance, Refusal};
pub use rule_book::{RuleBook, TerminalOracle};
pub use walk::Walk;
pub use write::{WriteFailure, WriteLimits, write, write_within};
pub use zermelo_game::{Claim, StrategySource};
