//! The solvers on all games. One program in the crate that compiles every solver for every game anyway, as that
//! is what takes the time.

use std::sync::Arc;
use zermelo_game::{Ablation, Knowledge, Rules, Tuned};

mod agree;
mod based;
#[path = "../boards/mod.rs"]
mod boards;
mod catalogue;
mod databases;
mod distances;
mod graphs;
mod limits;
mod opening;
mod proofnumber;
mod values;

/// Knowledge as the crate has compiled all engines for it, so that they are not compiled again.
fn tuned<R: Rules, K: Knowledge<R>>(knowledge: K) -> Tuned<R, K> {
    Tuned::new(Arc::new(knowledge), Ablation::NOTHING)
}
