//! Experiments: what does it cost, beside what others have published?
//!
//! - [`run`]: one measured run, a [`Case`](run::Case) in and a [`RunRecord`](run::RunRecord) out.
//! - [`journal`]: records on disk. A run that was stopped goes on where it was.
//! - [`tables`]: the tables of Cazenave's Monte Carlo Game Solver (2020), with our figures beside.
//! - [`ablations`]: what each ingredient of the search saves.
//! - [`engines`]: all engines on a common suite.
//! - [`openings`]: checkers positions from play along well-known openings.
//! - [`results`]: the list of boards that we have solved.
//! - [`chart`]: a picture of the tables.
//! - [`page`]: a page that steps through the growth of a tree.

pub mod ablations;
pub mod chart;
pub mod engines;
pub mod journal;
pub mod openings;
pub mod page;
pub mod results;
pub mod run;
pub mod tables;
