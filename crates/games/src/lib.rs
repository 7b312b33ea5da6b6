//! The games: one file or folder each, with rules, notation, picture and, apart, knowledge for
//! solvers. [`registry`] opens a game by name and lists what exists.

pub mod connect4;
pub mod domineering;
pub mod mnk;
pub mod registry;
pub mod stones;

pub use registry::{Args, Entry, Visitor, entries, open};
