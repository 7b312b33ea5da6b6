//! The solvers on all games. One program, because compiling every solver for every game is what takes
//! the time.

mod agree;
mod graphs;
mod proofnumber;
mod values;
