//! The symmetries of a board of [`Stones`], fast enough for every node.
//!
//! A mirror image swaps pairs of cells that lie equally far apart, and one *delta swap* exchanges any
//! number of pairs of one distance in six instructions (Warren, *Hacker's Delight*, 7-3). A board of
//! five columns is mirrored by two of them. Where the cells take at most half of the set's bits, as up to 32
//! do of a `u64`, both colours travel together in one set.

use crate::stones::Stones;
use zermelo_game::{Bits, Grid, Images};

/// Exchanges the bits of `mask` with those `shift` above them, in both halves of a packed set.
#[derive(Clone, Copy, Debug)]
struct Swap<B> {
    shift: u32,
    mask: B,
}

/// The most rows or columns that are mirrored. One word has always had this limit, on which keys depend.
const fn longest<B: Bits>() -> u32 {
    if B::CELLS == 64 { 16 } else { u32::MAX }
}

/// Swaps by twos, which saves half of the loop; one that is missing changes nothing.
type Swaps<B> = Vec<[Swap<B>; 2]>;

/// So many swaps as there are.
fn by_twos<B: Bits>(swaps: impl Iterator<Item = Swap<B>>) -> Swaps<B> {
    let swaps: Vec<Swap<B>> = swaps.collect();
    let none = Swap { shift: 0, mask: B::EMPTY };
    swaps.chunks(2).map(|two| [two[0], two.get(1).copied().unwrap_or(none)]).collect()
}

#[inline(always)]
fn apply<B: Bits>(swaps: &Swaps<B>, mut x: B) -> B {
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
pub struct Symmetry<B = u64> {
    rows: Swaps<B>,
    cols: Swaps<B>,
    /// `None` where the board is not square.
    diagonal: Option<Swaps<B>>,
    /// Whether both colours fit one set.
    packed: bool,
}

impl<B: Bits> Symmetry<B> {
    /// The symmetries of this board. In sets of 64 cells a side of more than 16 cells is not mirrored.
    #[must_use]
    pub fn new(grid: &Grid<B>) -> Symmetry<B> {
        let (rows, cols) = (grid.rows(), grid.cols());
        let packed = grid.cells() <= half::<B>();
        let both = |mask: B| if packed { mask | mask << half::<B>() } else { mask };
        let mirror = |n: u32, step: u32, line: &dyn Fn(u32) -> B| -> Swaps<B> {
            if n > longest::<B>() {
                return Swaps::new();
            }
            let pairs = (0..n / 2).map(|i| (i, n - 1 - i));
            by_twos(pairs.map(|(a, b)| Swap { shift: (b - a) * step, mask: both(line(a)) }))
        };
        let diagonal = (rows == cols && rows <= longest::<B>()).then(|| {
            // Cell (r, r + k) changes places with (r + k, r), which lies k * (cols - 1) above.
            let line = |k: u32| (0..cols - k).fold(B::EMPTY, |m, r| m | B::cell(grid.at(r, r + k)));
            by_twos((1..cols).map(|k| Swap { shift: k * (cols - 1), mask: both(line(k)) }))
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
    pub fn images(&self, p: &Stones<B>) -> Images<Stones<B>> {
        let mut images = Images::new();
        images.push(*p);
        let map = |q: &Stones<B>, swaps: &Swaps<B>| {
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
    /// of [`images`](Self::images). Only for boards that are packed.
    #[must_use]
    #[inline]
    pub fn image(&self, which: u8, mut x: B) -> B {
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
    pub fn preimage(&self, which: u8, mut x: B) -> B {
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
    pub fn smallest(&self, x: B) -> (B, u8) {
        let rows = apply(&self.rows, x);
        let four = [x, rows, apply(&self.cols, x), apply(&self.cols, rows)];
        let mut best = (x, 0);
        let mut try_all = |images: [B; 4], first: u8| {
            for (i, image) in (first..).zip(images) {
                if image < best.0 {
                    best = (image, i);
                }
            }
        };
        try_all(four, 0);
        if let Some(diagonal) = &self.diagonal {
            try_all(four.map(|image| apply(diagonal, image)), 4);
        }
        best
    }

    /// The cell of a board that becomes this one where the board becomes [canonical](Self::canonical). `None` for
    /// boards that are not packed.
    #[must_use]
    #[inline]
    pub fn cell_before(&self, p: &Stones<B>, cell: u32) -> Option<u32> {
        self.packed.then(|| self.preimage(self.smallest(pack(p)).1, B::cell(cell)).lowest())
    }

    /// How many symmetries there are.
    #[must_use]
    pub fn count(&self) -> u8 {
        if self.diagonal.is_some() { 8 } else { 4 }
    }

    /// The image with the smallest stones, those of the opponent compared first.
    #[must_use]
    #[inline]
    pub fn canonical(&self, p: &Stones<B>) -> Stones<B> {
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

/// Half of the bits of a set.
#[inline(always)]
const fn half<B: Bits>() -> u32 {
    B::CELLS / 2
}

#[inline(always)]
fn pack<B: Bits>(p: &Stones<B>) -> B {
    p.me | p.you << half::<B>()
}

#[inline(always)]
fn unpack<B: Bits>(x: B, p: &Stones<B>) -> Stones<B> {
    Stones { me: x & B::first(half::<B>()), you: x >> half::<B>(), turn: p.turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::{CellSet, WideKey, WideSet};
    use crate::stones::Board;
    use zermelo_game::{Key, Player};

    #[test]
    fn images_are_those_of_the_plain_board() {
        for (rows, cols) in [(1, 1), (1, 7), (2, 3), (4, 5), (5, 5), (4, 8), (6, 6), (7, 9)] {
            compare::<u128, u64>(rows, cols);
            compare::<WideKey, WideSet>(rows, cols);
        }
        for (rows, cols) in [(2, 30), (9, 9), (12, 16), (19, 19), (18, 20), (1, 361), (3, 100)] {
            compare::<WideKey, WideSet>(rows, cols);
        }
    }

    fn compare<K: Key, B: CellSet>(rows: u32, cols: u32) {
        let board = Board::<K, B>::new(rows, cols);
        let symmetry = Symmetry::new(&board.grid);
        let random = |seed: u64| B::from_words(|i| (seed + i as u64).mix(64));
        let me = random(0x9E37_79B9_7F4A_7C15) & board.grid.full();
        let you = random(0xBB67_AE85_84CA_A73B) & board.grid.full() & !me;
        let p = Stones::new(me, you, Player::First);
        let plain = board.images(&p);
        assert_eq!(symmetry.images(&p), plain, "{rows}x{cols}");
        let canonical = symmetry.canonical(&p);
        assert!(plain.contains(&canonical));
        assert!(plain.iter().all(|q| symmetry.canonical(q) == canonical));
        if 2 * rows * cols <= B::CELLS {
            for (i, q) in plain.iter().enumerate() {
                assert_eq!(symmetry.image(i as u8, pack(&p)), pack(q), "{rows}x{cols}, {i}");
                assert_eq!(symmetry.preimage(i as u8, pack(q)), pack(&p), "{rows}x{cols}, {i}");
            }
            let (best, which) = symmetry.smallest(pack(&p));
            assert_eq!(Some(best), plain.iter().map(pack).min());
            assert_eq!(best, symmetry.image(which, pack(&p)));
            for cell in 0..rows * cols {
                let before = symmetry.cell_before(&p, cell).expect("a small board");
                assert_eq!(symmetry.image(which, B::cell(before)), B::cell(cell));
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
