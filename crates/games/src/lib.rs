//! The games: one file or folder each, with rules, notation, picture and, apart, knowledge for
//! solvers. [`registry`] opens a game by name and lists what exists.

pub mod atarigo;
pub mod awari;
pub mod blocks;
pub mod cells;
pub mod checkers;
pub mod chess;
pub mod clobber;
pub mod connect4;
pub mod domineering;
pub mod go;
pub mod graph;
mod illegal;
pub mod kalah;
pub mod loa;
#[cfg(test)]
mod minimax_oracle;
pub mod mnk;
pub mod morris;
pub mod nogo;
pub mod registry;
pub mod sowing;
pub mod stones;
pub mod symmetry;
pub mod through;
pub mod widened;
#[cfg(test)]
mod widths;

pub use registry::{
    SlicedVisitor, Visitor, entries, name_by_position, open, open_args, open_sliced,
};
