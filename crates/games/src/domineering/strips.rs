//! Thermographs of strips two rows high, for the owner of upright dominoes ("Left").
//!
//! Any set of free cells in two rows is a small game of its own. How much it is worth in a sum of
//! games is told by its thermograph (Conway; Berlekamp, Conway and Guy, *Winning Ways*, chapter 6):
//! for a temperature t, the tax on every move, the *left wall* is what Left gets by moving first and
//! the *right wall* what is left to Left if the other does. With r the right wall and l the left
//! one,
//!
//! - l(G) is the largest r(G') - t over Left's moves and r(G) the smallest l(G') + t over Right's, as
//!   long as l > r;
//! - from the temperature on where they meet, both stay at the *mast*, the value there: nobody pays
//!   more tax than a move brings.
//!
//! Temperatures begin at -1, where the tax is a gift that makes up for the move used, and all values
//! are whole: there l and r tell who makes the last move. If l <= r already at -1, the game equals the
//! whole number nearest to 0 between them and the mast is there.
//!
//! Walls are computed at steps of an eighth. If they meet between two steps, the mast is at least the
//! right wall before and the left one behind, and the larger of the two is taken; as a wall grows
//! with the walls it is made from, all that is kept is true or too small for Left, never too large.

use std::sync::OnceLock;

/// How many temperatures are kept.
pub const TEMPS: usize = 4;

/// The temperatures, in eighths of a move. More of them decide hardly any more positions.
pub const TEMP: [i16; TEMPS] = [-4, 0, 4, 8];

/// The right walls at the temperatures, then the left walls, in eighths of a move.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct Walls(pub [i16; 2 * TEMPS]);

/// The widest strips for which there is a table, of sixteen million bytes.
const WIDEST: u32 = 10;

/// The ways to share out the runs of a row between the rows above and below: for each, the cells
/// that go with the row above. Eight ways save an eighth of the nodes and no time.
pub type Shares = [u16; SHARES];

/// How many ways are kept.
pub const SHARES: usize = 4;

/// The runs of a row, and zeroes.
type Runs = [u16; 8];

/// What is known of all strips of one width.
#[derive(Debug)]
pub struct Strips {
    width: u32,
    /// Indexed by the free cells, lower row first.
    walls: Vec<Walls>,
    /// Indexed by the free cells of a row.
    runs: Vec<Runs>,
}

impl Strips {
    /// The strips of a width, made when first asked for; `None` if it is too wide for a table.
    pub fn of(width: u32) -> Option<&'static Strips> {
        static ALL: [OnceLock<Strips>; WIDEST as usize + 1] =
            [const { OnceLock::new() }; WIDEST as usize + 1];
        let strips = ALL.get(width as usize)?;
        Some(strips.get_or_init(|| Strips {
            width,
            walls: walls(width),
            runs: (0..1 << width).map(runs).collect(),
        }))
    }

    /// The walls of the strip with these free cells.
    #[inline(always)]
    pub fn walls(&self, lower: u16, upper: u16) -> &Walls {
        &self.walls[usize::from(lower) | usize::from(upper) << self.width]
    }

    /// The ways to share out a row between the rows below and above. A run that meets no free cell
    /// above is best left to the row below, where it can only add moves for the owner of the strips,
    /// and the other way round: only runs between free cells give a choice. The first of them goes
    /// its own way, the others go together. Ways are repeated where there are fewer.
    #[inline(always)]
    pub fn shares(&self, below: u16, row: u16, above: u16) -> Shares {
        let (mut up, mut choice) = (0, 0);
        for run in self.runs[usize::from(row)] {
            let meets = |other: u16| if run & other == 0 { 0 } else { run };
            up |= meets(above) & !meets(below);
            choice |= meets(above) & meets(below);
        }
        let first = choice & !(choice + (choice & choice.wrapping_neg()));
        [up, up | first, up | choice & !first, up | choice]
    }
}

/// The runs of a row.
fn runs(row: usize) -> Runs {
    let mut runs = Runs::default();
    let mut left = row;
    for run in &mut runs {
        let lowest = left & left.wrapping_neg();
        *run = (left & !(left + lowest)) as u16;
        left &= !usize::from(*run);
    }
    runs
}

/// The temperatures at which walls are computed: from -1 in steps of an eighth.
const FINE: usize = 32;

type Fine = [i8; FINE];

/// The walls of all strips of a width. Moves lead to smaller numbers, so one pass suffices.
fn walls(width: u32) -> Vec<Walls> {
    let count = 1usize << (2 * width);
    let row = (1usize << width) - 1;
    let not_last = row >> 1 | (row >> 1) << width;
    let mut all: Vec<[Fine; 2]> = Vec::with_capacity(count);
    for free in 0..count {
        let (mut left, mut right) = ([i8::MIN; FINE], [i8::MAX; FINE]);
        let upright = free & (free >> width);
        let flat = free & (free >> 1) & not_last;
        let mut rest = upright;
        while rest != 0 {
            let cell = rest & rest.wrapping_neg();
            rest ^= cell;
            let wall = &all[free & !(cell | cell << width)][0];
            for k in 0..FINE {
                left[k] = left[k].max(wall[k] - (k as i8 - 8));
            }
        }
        rest = flat;
        while rest != 0 {
            let cell = rest & rest.wrapping_neg();
            rest ^= cell;
            let wall = &all[free & !(cell | cell << 1)][1];
            for k in 0..FINE {
                right[k] = right[k].min(wall[k] + (k as i8 - 8));
            }
        }
        let least = if upright == 0 { i8::MIN } else { left[0] };
        let most = if flat == 0 { i8::MAX } else { right[0] };
        if least <= most {
            all.push([[0.clamp(least, most); FINE]; 2]);
            continue;
        }
        if let Some(k) = (1..FINE).find(|&k| left[k] <= right[k]) {
            let mast = right[k - 1].max(left[k]);
            left[k..].fill(mast);
            right[k..].fill(mast);
        }
        all.push([right, left]);
    }
    let pick = |[right, left]: &[Fine; 2]| {
        let mut out = Walls([0; 2 * TEMPS]);
        for (i, t) in TEMP.iter().enumerate() {
            out.0[i] = right[(t + 8) as usize].into();
            out.0[TEMPS + i] = left[(t + 8) as usize].into();
        }
        out
    };
    all.iter().map(pick).collect()
}
