//! The symmetries of a board of [`Stones`], fast enough for every node.
//!
//! A mirror image swaps pairs of cells that lie equally far apart, and one *delta swap* exchanges any
//! number of pairs of one distance in six instructions (Warren, *Hacker's Delight*, 7-3). A board of
//! five columns is mirrored by two of them. Both colours of a board of up to 32 cells travel
//! together in one word.

use crate::stones::Stones;
use arrayvec::ArrayVec;
use zermelo_game::{Grid, Images};

/// Exchanges the bits of `mask` with those `shift` above them, in both halves of a packed word.
#[derive(Clone, Copy, Debug)]
struct Swap {
    shift: u32,
    mask: u64,
}

/// Swaps by twos, which saves half of the loop; one that is missing changes nothing.
type Swaps = ArrayVec<[Swap; 2], 4>;

/// So many swaps as there are.
fn by_twos(swaps: impl Iterator<Item = Swap>) -> Swaps {
    let swaps: ArrayVec<Swap, 8> = swaps.collect();
    let none = Swap { shift: 0, mask: 0 };
    swaps.chunks(2).map(|two| [two[0], two.get(1).copied().unwrap_or(none)]).collect()
}

#[inline(always)]
fn apply(swaps: &Swaps, mut x: u64) -> u64 {
    for two in swaps {
        for s in two {
            let t = ((x >> s.shift) ^ x) & s.mask;
            x ^= t | t << s.shift;
        }
    }
    x
}

/// The symmetries of one board: four of a rectangle, eight of a square.
#[derive(Clone, Debug)]
pub struct Symmetry {
    rows: Swaps,
    cols: Swaps,
    /// `None` where the board is not square.
    diagonal: Option<Swaps>,
    /// Whether both colours fit one word.
    packed: bool,
}

impl Symmetry {
    /// The symmetries of this board, which must have fewer than 64 cells and at most 16 rows and
    /// columns for the longer side to be mirrored; longer boards are mirrored along the other.
    #[must_use]
    pub fn new(grid: &Grid<u64>) -> Symmetry {
        let (rows, cols) = (grid.rows(), grid.cols());
        let packed = grid.cells() <= 32;
        let wide = |mask: u64| if packed { mask | mask << 32 } else { mask };
        let mirror = |n: u32, step: u32, line: &dyn Fn(u32) -> u64| -> Swaps {
            if n > 16 {
                return Swaps::new();
            }
            let pairs = (0..n / 2).map(|i| (i, n - 1 - i));
            by_twos(pairs.map(|(a, b)| Swap { shift: (b - a) * step, mask: wide(line(a)) }))
        };
        let diagonal = (rows == cols && rows <= 8).then(|| {
            // Cell (r, r + k) changes places with (r + k, r), which lies k * (cols - 1) above.
            let line = |k: u32| (0..cols - k).fold(0, |m, r| m | 1u64 << grid.at(r, r + k));
            by_twos((1..cols).map(|k| Swap { shift: k * (cols - 1), mask: wide(line(k)) }))
        });
        Symmetry {
            rows: mirror(rows, cols, &|r| grid.row(r)),
            cols: mirror(cols, 1, &|c| grid.col(c)),
            diagonal,
            packed,
        }
    }

    /// The position and its images; some may be equal.
    #[must_use]
    pub fn images(&self, p: &Stones) -> Images<Stones> {
        let mut images = Images::new();
        images.push(*p);
        let map = |q: &Stones, swaps: &Swaps| {
            if self.packed { unpack(apply(swaps, pack(q)), q) } else { q.map(|b| apply(swaps, b)) }
        };
        images.push(map(p, &self.rows));
        images.push(map(p, &self.cols));
        images.push(map(&images[1], &self.cols));
        if let Some(diagonal) = &self.diagonal {
            for i in 0..4 {
                images.push(map(&images[i], diagonal));
            }
        }
        images
    }

    /// The image of a packed board, or of two packed sets of points, under the symmetry at this place
    /// of [`images`](Self::images). Only for boards of up to 32 cells.
    #[must_use]
    #[inline]
    pub fn image(&self, which: u8, mut x: u64) -> u64 {
        if which & 1 != 0 {
            x = apply(&self.rows, x);
        }
        if which & 2 != 0 {
            x = apply(&self.cols, x);
        }
        match &self.diagonal {
            Some(diagonal) if which & 4 != 0 => apply(diagonal, x),
            _ => x,
        }
    }

    /// The same under the inverse: the mirrors undo themselves, in the opposite order.
    #[must_use]
    #[inline]
    pub fn preimage(&self, which: u8, mut x: u64) -> u64 {
        if which & 4 != 0
            && let Some(diagonal) = &self.diagonal
        {
            x = apply(diagonal, x);
        }
        if which & 2 != 0 {
            x = apply(&self.cols, x);
        }
        if which & 1 != 0 { apply(&self.rows, x) } else { x }
    }

    /// The smallest image of a packed board and the symmetry that leads to it.
    #[must_use]
    #[inline]
    pub fn smallest(&self, x: u64) -> (u64, u8) {
        let rows = apply(&self.rows, x);
        let mut images = [x, rows, apply(&self.cols, x), apply(&self.cols, rows), 0, 0, 0, 0];
        let mut known = 4;
        if let Some(diagonal) = &self.diagonal {
            (0..4).for_each(|i| images[i + 4] = apply(diagonal, images[i]));
            known = 8;
        }
        let mut best = (x, 0);
        for (i, &image) in images.iter().enumerate().take(known).skip(1) {
            if image < best.0 {
                best = (image, i as u8);
            }
        }
        best
    }

    /// The cell of a board that becomes this one where the board becomes [canonical](Self::canonical). `None` for boards
    /// of more than 32 cells.
    #[must_use]
    #[inline]
    pub fn cell_before(&self, p: &Stones, cell: u32) -> Option<u32> {
        self.packed.then(|| self.preimage(self.smallest(pack(p)).1, 1 << cell).trailing_zeros())
    }

    /// How many symmetries there are.
    #[must_use]
    pub fn count(&self) -> u8 {
        if self.diagonal.is_some() { 8 } else { 4 }
    }

    /// The image with the smallest stones, those of the opponent compared first.
    #[must_use]
    #[inline]
    pub fn canonical(&self, p: &Stones) -> Stones {
        if !self.packed {
            let images = self.images(p);
            return images.into_iter().min_by_key(|q| (q.you, q.me)).unwrap_or(*p);
        }
        // One image at a time from another would wait for each; these are made side by side.
        let x = pack(p);
        let (rows, cols) = (apply(&self.rows, x), apply(&self.cols, x));
        let both = apply(&self.cols, rows);
        let mut best = x.min(rows).min(cols.min(both));
        if let Some(diagonal) = &self.diagonal {
            let [a, b, c, d] = [x, rows, cols, both].map(|image| apply(diagonal, image));
            best = best.min(a.min(b).min(c.min(d)));
        }
        unpack(best, p)
    }
}

#[inline(always)]
fn pack(p: &Stones) -> u64 {
    p.me | p.you << 32
}

#[inline(always)]
fn unpack(x: u64, p: &Stones) -> Stones {
    Stones { me: x & 0xFFFF_FFFF, you: x >> 32, turn: p.turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stones::Board;
    use zermelo_game::Player;

    #[test]
    fn images_are_those_of_the_plain_board() {
        for (rows, cols) in [(1, 1), (1, 7), (2, 3), (4, 5), (5, 5), (4, 8), (6, 6), (7, 9)] {
            let board = Board::<u128>::new(rows, cols);
            let symmetry = Symmetry::new(&board.grid);
            let me = 0x9E37_79B9_7F4A_7C15 & board.grid.full();
            let you = 0xBB67_AE85_84CA_A73B & board.grid.full() & !me;
            let p = Stones::new(me, you, Player::First);
            let plain = board.images(&p);
            assert_eq!(symmetry.images(&p), plain, "{rows}x{cols}");
            let canonical = symmetry.canonical(&p);
            assert!(plain.contains(&canonical));
            assert!(plain.iter().all(|q| symmetry.canonical(q) == canonical));
            if rows * cols <= 32 {
                for (i, q) in plain.iter().enumerate() {
                    assert_eq!(symmetry.image(i as u8, pack(&p)), pack(q), "{rows}x{cols}, {i}");
                    assert_eq!(symmetry.preimage(i as u8, pack(q)), pack(&p), "{rows}x{cols}, {i}");
                }
                let (best, which) = symmetry.smallest(pack(&p));
                assert_eq!(Some(best), plain.iter().map(pack).min());
                assert_eq!(best, symmetry.image(which, pack(&p)));
                for cell in 0..rows * cols {
                    let before = symmetry.cell_before(&p, cell).expect("a small board");
                    assert_eq!(symmetry.image(which, 1 << before), 1 << cell);
                }
            }
        }
    }

    #[test]
    fn long_boards_keep_one_mirror() {
        let board = Board::<u128>::new(2, 30);
        let symmetry = Symmetry::new(&board.grid);
        let p = Stones::new(0b1011, 0b100, Player::Second);
        let images = symmetry.images(&p);
        assert!(images.iter().all(|q| symmetry.canonical(q) == symmetry.canonical(&p)));
    }
}
