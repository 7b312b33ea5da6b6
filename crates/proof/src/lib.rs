//! Certificates: files that prove who wins, and the checker that believes nothing else.
//!
//! A certificate claims that the value of a position is at least (or at most) so much, and holds a
//! *strategy* for the player who keeps that claim, the claimant: one move at each of its positions. The
//! checker plays that move against every reply until the game is over, and sees whether the claim was
//! kept. It needs the rules of the game and nothing else: no search, no table, no knowledge; this crate
//! depends on no solver. So a solver that is wrong cannot produce a certificate that passes.
//!
//! - [`mod@format`]: the file.
//! - [`mod@check`]: the checker.
//! - [`leaf`]: positions that the checker searches itself.
//! - [`mod@write`]: how a strategy is written down, whoever knows the moves.
//! - [`mod@explain`] and [`page`]: a strategy as people read it.
//! - [`opened`]: any position of a strategy on request.
//! - [`rules`]: what the checker may ask of a game.

#![forbid(unsafe_code)]

pub mod check;
pub mod explain;
pub mod format;
pub mod leaf;
mod line;
mod marks;
mod met;
pub mod opened;
pub mod page;
mod progress;
pub mod rules;
mod strategy;
pub mod write;

pub use check::{Checked, check};
pub use explain::explain;
pub use format::{Certificate, Claim, Made, Refusal};
pub use opened::Opened;
pub use write::{Advisor, Failure, write};
