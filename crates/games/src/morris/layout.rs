//! The boards of the Morris games: points, lines, mills, names and symmetries.
//!
//! The boards of Six and Nine Men's Morris are rings of eight points, numbered against the clock from the lower left corner, the outermost
//! ring first; the middles of the sides are joined from ring to ring. The board of Three Men's Morris is a grid of
//! three by three with both diagonals.

use zermelo_game::Bits;

/// The most points.
pub const MAX_POINTS: usize = 24;

/// A board.
#[derive(Clone, Debug)]
pub struct MorrisBoard {
    /// How many points there are.
    pub points: usize,
    /// The neighbours of each point.
    pub next: [u32; MAX_POINTS],
    /// The mills through each point, without the point itself.
    pub mills: Vec<Vec<u32>>,
    /// Column and row of each point, from the lower left.
    pub spots: Vec<(usize, usize)>,
    /// How many columns and rows the board spans.
    pub span: usize,
    /// The symmetries: where each point goes, the identity first, those that turn and flip the board next.
    symmetries: Vec<MorrisSymmetry>,
}

/// A symmetry, as tables of what becomes of each byte of a set.
#[derive(Clone, Debug)]
struct MorrisSymmetry([[u32; 256]; 3]);

impl MorrisSymmetry {
    fn new(to: &[usize]) -> MorrisSymmetry {
        let mut tables = [[0; 256]; 3];
        for (byte, table) in tables.iter_mut().enumerate() {
            for (set, image) in table.iter_mut().enumerate() {
                let of = |bit: &usize| to.get(byte * 8 + bit).map_or(0, |to| 1 << to);
                *image = (0..8).filter(|bit| set >> bit & 1 == 1).map(|bit| of(&bit)).sum();
            }
        }
        MorrisSymmetry(tables)
    }

    #[inline(always)]
    fn image(&self, set: u32) -> u32 {
        let [a, b, c] = set.to_le_bytes()[..3] else { unreachable!("four bytes") };
        self.0[0][usize::from(a)] | self.0[1][usize::from(b)] | self.0[2][usize::from(c)]
    }
}

impl MorrisBoard {
    /// The grid of Three Men's Morris.
    #[must_use]
    pub fn grid() -> MorrisBoard {
        let spots: Vec<(usize, usize)> = (0..9).map(|i| (i % 3, i / 3)).collect();
        let line = |a: usize, b: usize, c: usize| [a, b, c];
        let mut lines = vec![line(0, 4, 8), line(2, 4, 6)];
        for i in 0..3 {
            lines.push(line(3 * i, 3 * i + 1, 3 * i + 2));
            lines.push(line(i, i + 3, i + 6));
        }
        MorrisBoard::new(spots, &lines, &[])
    }

    /// Two or three rings.
    #[must_use]
    pub fn rings(rings: usize) -> MorrisBoard {
        // A ring of side 2, 4 or 6 around the middle.
        const ROUND: [(i32, i32); 8] =
            [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)];
        let middle = rings as i32;
        let spots = (0..8 * rings).map(|point| {
            let (x, y) = ROUND[point % 8];
            let far = (rings - point / 8) as i32;
            ((middle + far * x) as usize, (middle + far * y) as usize)
        });
        let mut lines = Vec::new();
        for ring in 0..rings {
            for corner in [0, 2, 4, 6] {
                lines.push([corner, corner + 1, (corner + 2) % 8].map(|i| ring * 8 + i));
            }
        }
        // Three joined middles are a mill too; two are only joined.
        let mut joined = Vec::new();
        for side in [1, 3, 5, 7] {
            if rings == 3 {
                lines.push([side, side + 8, side + 16]);
            } else {
                joined.push([side, side + 8]);
            }
        }
        MorrisBoard::new(spots.collect(), &lines, &joined)
    }

    fn new(spots: Vec<(usize, usize)>, lines: &[[usize; 3]], joined: &[[usize; 2]]) -> MorrisBoard {
        let points = spots.len();
        let span = 1 + spots.iter().map(|s| s.0).max().unwrap_or(0);
        let (mut next, mut mills) = ([0; MAX_POINTS], vec![Vec::new(); points]);
        let steps = lines.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c]]);
        for [a, b] in steps.chain(joined.iter().copied()) {
            next[a] |= 1 << b;
            next[b] |= 1 << a;
        }
        for line in lines {
            let all: u32 = line.iter().map(|p| 1 << p).sum();
            line.iter().for_each(|p| mills[*p].push(all & !(1 << p)));
        }
        let mut layout = MorrisBoard { points, next, mills, spots, span, symmetries: Vec::new() };
        layout.find_symmetries();
        layout
    }

    /// The eight symmetries of the square, and for rings the same with the rings in reverse order.
    fn find_symmetries(&mut self) {
        let last = self.span - 1;
        let spot_to = |turn: usize, (x, y): (usize, usize)| {
            let (x, y) = if turn & 1 == 1 { (last - x, y) } else { (x, y) };
            let (x, y) = if turn & 2 == 2 { (x, last - y) } else { (x, y) };
            if turn & 4 == 4 { (y, x) } else { (x, y) }
        };
        let point_at = |spot| self.spots.iter().position(|s| *s == spot);
        let mut maps: Vec<Vec<usize>> = Vec::new();
        for turn in 0..8 {
            maps.push(self.spots.iter().filter_map(|s| point_at(spot_to(turn, *s))).collect());
        }
        if self.points > 9 {
            let inside_out = |map: &Vec<usize>| {
                map.iter().map(|p| self.points - 8 - p / 8 * 8 + p % 8).collect::<Vec<usize>>()
            };
            maps.extend(maps.iter().map(inside_out).collect::<Vec<_>>());
        }
        self.symmetries = maps.iter().map(|map| MorrisSymmetry::new(map)).collect();
    }

    /// How many symmetries there are.
    #[must_use]
    pub fn symmetries(&self) -> usize {
        self.symmetries.len()
    }

    /// The image of a set of points.
    #[must_use]
    #[inline(always)]
    pub fn image(&self, symmetry: usize, set: u32) -> u32 {
        self.symmetries[symmetry].image(set)
    }

    /// All points.
    #[must_use]
    #[inline(always)]
    pub fn full(&self) -> u32 {
        (1 << self.points) - 1
    }

    /// Whether a stone on this point is in a mill with these stones.
    #[must_use]
    #[inline(always)]
    pub fn in_mill(&self, point: usize, stones: u32) -> bool {
        self.mills[point].iter().any(|mill| stones & mill == *mill)
    }

    /// The stones that are in a mill.
    #[must_use]
    pub fn milled(&self, stones: u32) -> u32 {
        let set = u64::from(stones);
        set.cells().filter(|p| self.in_mill(*p as usize, stones)).map(|p| 1 << p).sum()
    }

    /// The name of a point: column letter and row number.
    #[must_use]
    pub fn name(&self, point: usize) -> String {
        let (x, y) = self.spots[point];
        format!("{}{}", char::from(b'a' + x as u8), y + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_have_their_lines() {
        for (layout, points, edges, mills) in [
            (MorrisBoard::grid(), 9, 16, 8),
            (MorrisBoard::rings(2), 16, 20, 8),
            (MorrisBoard::rings(3), 24, 32, 16),
        ] {
            assert_eq!(layout.points, points);
            let ends: u32 = layout.next.iter().map(|n| n.count_ones()).sum();
            assert_eq!(ends, 2 * edges);
            assert_eq!(layout.mills.iter().map(Vec::len).sum::<usize>(), 3 * mills);
            for s in 0..layout.symmetries() {
                assert_eq!(layout.image(s, layout.full()), layout.full());
                for point in 0..points {
                    let image = layout.image(s, 1 << point).trailing_zeros() as usize;
                    assert_eq!(layout.image(s, layout.next[point]), layout.next[image]);
                    let mut mills: Vec<u32> =
                        layout.mills[point].iter().map(|m| layout.image(s, *m)).collect();
                    let mut wanted = layout.mills[image].clone();
                    mills.sort_unstable();
                    wanted.sort_unstable();
                    assert_eq!(mills, wanted);
                }
            }
        }
        assert_eq!(MorrisBoard::grid().symmetries(), 8);
        assert_eq!(MorrisBoard::rings(3).symmetries(), 16);
    }
}
