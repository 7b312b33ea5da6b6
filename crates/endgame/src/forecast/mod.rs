//! What a build would take, before it is begun.
//!
//! - *Slices* ([`slices`]): places are counted, positions among them by a sample. The groups with the fewest pieces are built on
//!   trial in a folder of their own, with distances and without; where these are all, the bytes are exact, and elsewhere the
//!   others are taken to need as much for each place.
//! - *All that can be reached* ([`reachable`]): positions are explored up to a limit. Where these are all, everything is worked out
//!   on trial and exact but for the time. Beyond it positions are counted by a sample of lines of play (Knuth, *Estimating the
//!   efficiency of backtrack programs*, 1975), in which a position counts as one part of as many as there are ways to it. As not all
//!   ways are found, this is a bound, near where stones are put anywhere and far elsewhere. Where positions can repeat, lines have no end and
//!   nothing better is known than another bound: no more positions than keys.

pub mod reachable;
pub mod slices;

/// How the figures were found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Basis {
    /// All of it was built on trial: only the time may differ.
    Trial,
    /// The groups with the fewest pieces were: so many places of all.
    PartialTrial([u64; 2]),
    /// Positions were sampled by lines of play, which is a bound but for chance.
    Sample {
        /// The standard error, as a part of their number.
        error: f64,
        /// So many were found before the trial was ended.
        found: u64,
    },
    /// There are no more keys; so many positions were found before the trial was ended.
    MostKeys(u64),
}

/// What a build would take.
#[derive(Clone, PartialEq, Debug)]
pub struct Forecast {
    /// Files to be written, and files that are there already.
    pub files: [usize; 2],
    /// Places to be worked out, where a game is built by slices.
    pub places: Option<u64>,
    /// Positions.
    pub positions: u64,
    /// Those that are kept, one for all its images, where all that can be reached is built.
    pub kept: Option<u64>,
    /// Bytes on disk without distances and with them; `None` for what the game cannot have.
    pub bytes: [Option<u64>; 2],
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes on disk on the way.
    pub scratch: u64,
    /// Seconds.
    pub seconds: f64,
    /// How this was found.
    pub basis: Basis,
}

impl Forecast {
    /// Within how many times more or less the bytes are, by what was measured of such forecasts (`docs/databases.md`);
    /// `None` where they are a bound.
    #[must_use]
    pub fn bytes_within(&self) -> Option<f64> {
        match self.basis {
            Basis::Trial => Some(1.0),
            Basis::PartialTrial(_) => Some(3.0),
            Basis::Sample { .. } | Basis::MostKeys(_) => None,
        }
    }

    /// The same of positions.
    #[must_use]
    pub fn positions_within(&self) -> Option<f64> {
        match self.basis {
            Basis::Trial => Some(1.0),
            Basis::PartialTrial(_) => Some(1.05),
            Basis::Sample { .. } | Basis::MostKeys(_) => None,
        }
    }
}

/// Random numbers for samples, the same every time (Vigna's SplitMix64).
pub(crate) struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// A number from 0 to 1.
    pub fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
