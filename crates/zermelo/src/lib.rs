//! The command line of Zermelo. It wires the rooms of the house together and holds no logic of
//! games or solvers.
//!
//! [`cli`] says what can be typed; each command has a file of its own ([`show`], [`solve`],
//! [`proof`], [`prove`], [`store`], [`work`], [`build`](mod@build), [`databases`], [`perft`], [`play`], [`tree`], [`explore`], [`mod@bench`], [`pages`]); the rest is shared: opening a game ([`open`]), reading and
//! writing amounts ([`units`]), printing ([`out`]), the live line ([`progress`]), signals
//! ([`interrupt`]) and the machine ([`machine`]).

pub mod bench;
pub mod build;
pub mod cli;
pub mod databases;
pub mod explore;
pub mod interrupt;
pub mod machine;
pub mod open;
pub mod out;
pub mod pages;
pub mod perft;
pub mod play;
pub mod progress;
pub mod proof;
pub mod prove;
pub mod show;
pub mod solve;
pub mod store;
pub mod tree;
pub mod units;
pub mod work;

/// How a command ended, where it did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Everything that was asked for is known.
    Done,
    /// A limit or a signal came first.
    Unsolved,
    /// A certificate proves nothing, a database is wrong.
    Refused,
}

impl End {
    /// The exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            End::Done => 0,
            End::Unsolved => 3,
            End::Refused => 4,
        }
    }
}
