//! Chess positions by number, for databases.
//!
//! A slice is the material, seen by the player to move, who is white at a place. Its places are all ways to put the kings
//! and then each kind of men on the board. Without pawns the king of the player to move stands in the
//! triangle a1, d1, d4 and, if that king is on the diagonal, the other one not above it: 462 ways. Where both are on the diagonal
//! the two images are both numbered, and the one with the smaller number counts. With pawns the king stands on the left
//! half, 1,806 ways, and no two places are images. Men of one kind are a combination of squares, ranked in the
//! combinatorial number system (Knuth, The Art of Computer Programming 4A, 7.2.1.3), pawns among their 48 squares.
//!
//! **En passant.** A position with a legal capture en passant is another position than the same men without it, so
//! it has a place of its own behind the others: the kings, one of 14 pairs of a pawn that has just
//! gone two squares and a pawn beside it that may take it (the one on the left if there are two), and
//! then the other men as before. That is no more than 14 places in 2,304 of a slice with a pawn a side.

use super::notation::Material;
use super::position::{MAX_MEN, Man, NO_FILE, PAWN, Position};
use super::{Chess, to_triangle, transposed};
use arrayvec::ArrayVec;
use cozy_chess::{Square, get_king_moves};
use zermelo_game::{Player, Sliced};

/// A numbering of the ways to place two kings.
struct Kings<const N: usize> {
    /// The number of each way: of the player to move, the other.
    number: [[u16; 64]; 64],
    ways: [[u8; 2]; N],
}

impl<const N: usize> Kings<N> {
    const fn new(pawns: bool) -> Kings<N> {
        let mut kings = Kings { number: [[u16::MAX; 64]; 64], ways: [[0; 2]; N] };
        let (mut next, mut me) = (0, 0u8);
        while me < 64 {
            let (file, rank) = (me & 7, me >> 3);
            let mut you = 0u8;
            while file < 4 && (pawns || rank <= file) && you < 64 {
                let near = get_king_moves(Square::index_const(me as usize)).0 >> you & 1 == 1;
                let image = !pawns && file == rank && you >> 3 > you & 7;
                if you != me && !near && !image {
                    kings.number[me as usize][you as usize] = next as u16;
                    kings.ways[next] = [me, you];
                    next += 1;
                }
                you += 1;
            }
            me += 1;
        }
        assert!(next == N);
        kings
    }
}

static PAWNLESS: Kings<462> = Kings::new(false);
static WITH_PAWNS: Kings<1806> = Kings::new(true);

/// The pairs of a pawn that may be taken en passant and one beside it: its file, and that of the taker.
const PAIRS: u64 = 14;

const fn pair_number(passed: u8, taker: u8) -> u64 {
    if taker < passed { (passed - 1) as u64 } else { 7 + passed as u64 }
}

const fn pair(number: u64) -> (u8, u8) {
    let n = number as u8;
    if n < 7 { (n + 1, n) } else { (n - 7, n - 6) }
}

/// The ranks, counted from 0, of a black pawn that has gone two squares.
const PASSED_RANK: u8 = 4;

/// The number of ways to choose `k` of `n`, for `k` up to [`MAX_MEN`].
const fn choose(n: u64, k: u64) -> u64 {
    let (mut out, mut i) = (1, 0);
    while i < k {
        if i >= n {
            return 0;
        }
        out = out * (n - i) / (i + 1);
        i += 1;
    }
    out
}

static CHOOSE: [[u64; MAX_MEN + 1]; 65] = {
    let mut table = [[0; MAX_MEN + 1]; 65];
    let mut n = 0;
    while n <= 64 {
        let mut k = 0;
        while k <= MAX_MEN {
            table[n][k] = choose(n as u64, k as u64);
            k += 1;
        }
        n += 1;
    }
    table
};

/// How many squares a kind may stand on, and the lowest.
#[inline(always)]
fn squares(kind: usize) -> (usize, u8) {
    if kind == PAWN { (48, 8) } else { (64, 0) }
}

/// The number of the ways to place men.
fn ways(material: &Material) -> u64 {
    material
        .0
        .iter()
        .flat_map(|side| side.iter().enumerate())
        .fold(1, |product, (kind, &n)| product * CHOOSE[squares(kind).0][usize::from(n)])
}

/// How many places a slice has without and with a right to take en passant.
fn sizes(slice: &Material) -> (u64, u64) {
    if slice.pawns() == 0 {
        return (PAWNLESS.ways.len() as u64 * ways(slice), 0);
    }
    let kings = WITH_PAWNS.ways.len() as u64;
    let [mine, yours] = slice.0.map(|side| side[PAWN]);
    let passed = if mine > 0 && yours > 0 { kings * PAIRS * ways(&without_pair(slice)) } else { 0 };
    (kings * ways(slice), passed)
}

/// The material without a pawn a side.
fn without_pair(slice: &Material) -> Material {
    Material(slice.0.map(|mut side| {
        side[PAWN] -= 1;
        side
    }))
}

/// The men's number, which come sorted, largest first.
#[inline(always)]
fn rank(kings: u64, men: impl Iterator<Item = Man>) -> u64 {
    let mut men = men.peekable();
    let mut number = kings;
    while let Some(&first) = men.peek() {
        let mut group: ArrayVec<u8, MAX_MEN> = ArrayVec::new();
        while let Some(m) = men.next_if(|m| m.code() == first.code()) {
            group.push(m.square());
        }
        let (n, lowest) = squares(first.kind());
        let among: u64 = group
            .iter()
            .enumerate()
            .map(|(i, s)| CHOOSE[usize::from(s - lowest)][group.len() - i])
            .sum();
        number = number * CHOOSE[n][group.len()] + among;
    }
    number
}

/// The men of a number, and the number of the kings' way.
fn unrank(mut number: u64, material: &Material, men: &mut ArrayVec<Man, MAX_MEN>) -> u64 {
    // The last group was counted in last: the first player's pawns, as codes fall.
    for (side, player) in [Player::First, Player::Second].into_iter().enumerate() {
        for kind in 0..5 {
            let count = usize::from(material.0[side][kind]);
            if count == 0 {
                continue;
            }
            let (n, lowest) = squares(kind);
            let mut among = number % CHOOSE[n][count];
            number /= CHOOSE[n][count];
            if count == 1 {
                men.push(Man::new(player, kind, among as u8 + lowest));
                continue;
            }
            let mut square = n;
            for left in (1..=count).rev() {
                square -= 1;
                while CHOOSE[square][left] > among {
                    square -= 1;
                }
                among -= CHOOSE[square][left];
                men.push(Man::new(player, kind, square as u8 + lowest));
            }
        }
    }
    number
}

/// The place of a position without pawns whose first king is in the triangle.
#[inline(always)]
fn pawnless_place(p: &Position) -> u64 {
    let number = PAWNLESS.number[usize::from(p.kings[0])][usize::from(p.kings[1])];
    rank(number.into(), p.men())
}

impl Sliced for Chess {
    type Slice = Material;

    const PREDECESSORS: bool = true;

    fn groups(&self, pieces: u32) -> Vec<Vec<Material>> {
        let most = pieces.min(self.men()).saturating_sub(2);
        let mut groups = Vec::new();
        let mut counts = [0u8; 10];
        loop {
            let material = Material([0, 1].map(|s| std::array::from_fn(|k| counts[s * 5 + k])));
            let swapped = material.swapped();
            let admitted = self.admits(&material) || self.admits(&swapped);
            if material.men() <= most && material <= swapped && admitted {
                let mut group = vec![material, swapped];
                group.dedup();
                groups.push(group);
            }
            // The next counts: an odometer on which no more men than allowed are shown.
            let Some(i) = (0..10).find(|&i| {
                let rest: u32 = counts[i..].iter().map(|n| u32::from(*n)).sum();
                rest < most
            }) else {
                break;
            };
            counts[..i].fill(0);
            counts[i] += 1;
        }
        // Captures leave fewer men, promotions fewer pawns.
        groups.sort_by_key(|g| (g[0].men(), g[0].pawns(), g[0]));
        groups
    }

    /// Measured of endings with three men: 5.4 to 8.8 (docs/databases.md).
    fn distance_factor(&self, pieces: u32) -> Option<f32> {
        Some(if pieces.min(self.men()) < 3 { 1.0 } else { 5.4 })
    }

    fn slice_name(&self, slice: Material) -> String {
        format!("{}-{}", slice.side_text(0), slice.side_text(1))
    }

    fn pieces(&self, slice: Material) -> [u32; 2] {
        slice.0.map(|side| 1 + side.iter().map(|n| u32::from(*n)).sum::<u32>())
    }

    fn places(&self, slice: Material) -> u64 {
        let (plain, passed) = sizes(&slice);
        plain + passed
    }

    fn place(&self, p: &Position) -> Option<(Material, u64)> {
        let p = if p.turn == Player::First { *p } else { p.recoloured() };
        let slice = Material::of(&p);
        if !self.admits(&slice) && !self.admits(&slice.swapped()) {
            return None;
        }
        if slice.pawns() == 0 {
            let mut q = p.map(to_triangle(p.kings[0]));
            let [me, you] = q.kings;
            let mut place = u64::MAX;
            if me & 7 == me >> 3 {
                if you >> 3 > you & 7 {
                    q = q.map(transposed);
                } else if you >> 3 == you & 7 {
                    place = pawnless_place(&q.map(transposed));
                }
            }
            return Some((slice, place.min(pawnless_place(&q))));
        }
        let p = if p.kings[0] & 7 > 3 { p.mirrored() } else { p };
        let kings: u64 = WITH_PAWNS.number[usize::from(p.kings[0])][usize::from(p.kings[1])].into();
        if p.passed == NO_FILE {
            return Some((slice, rank(kings, p.men())));
        }
        let pawn = |player, file| Man::new(player, PAWN, PASSED_RANK * 8 + file);
        let passed = pawn(Player::Second, p.passed);
        let left = p.passed.checked_sub(1).map(|file| pawn(Player::First, file));
        let taker = p.men().find(|m| Some(*m) == left);
        let taker = taker.unwrap_or(pawn(Player::First, p.passed + 1));
        let pair = pair_number(p.passed, taker.square() & 7);
        let others = p.men().filter(|m| *m != passed && *m != taker);
        Some((slice, sizes(&slice).0 + rank(kings * PAIRS + pair, others)))
    }

    fn at(&self, slice: Material, place: u64) -> Option<Position> {
        let plain = sizes(&slice).0;
        let mut men = ArrayVec::new();
        if slice.pawns() == 0 {
            let kings = PAWNLESS.ways[unrank(place, &slice, &mut men) as usize];
            let p = legal(kings, &men)?;
            let unique = kings.iter().any(|k| k & 7 != k >> 3)
                || pawnless_place(&p) <= pawnless_place(&p.map(transposed));
            return unique.then_some(p);
        }
        if place < plain {
            let kings = WITH_PAWNS.ways[unrank(place, &slice, &mut men) as usize];
            return legal(kings, &men);
        }
        let number = unrank(place - plain, &without_pair(&slice), &mut men);
        let (passed, taker) = pair(number % PAIRS);
        men.push(Man::new(Player::Second, PAWN, PASSED_RANK * 8 + passed));
        men.push(Man::new(Player::First, PAWN, PASSED_RANK * 8 + taker));
        let p = legal(WITH_PAWNS.ways[(number / PAIRS) as usize], &men)?.with_passed(passed)?;
        // A pawn on the left of the passed one is the taker, if both sides have one.
        (self.place(&p) == Some((slice, place))).then_some(p)
    }

    fn predecessors(&self, p: &Position, out: &mut Vec<Position>) {
        p.before(out);
    }
}

/// The position, white to move, if no two men share a square and the black king is not in check.
#[inline(always)]
fn legal(kings: [u8; 2], men: &[Man]) -> Option<Position> {
    let mut seen = 1u64 << kings[0] | 1 << kings[1];
    for m in men {
        if seen >> m.square() & 1 == 1 {
            return None;
        }
        seen |= 1 << m.square();
    }
    let p = Position::new(kings, men, Player::First);
    (!p.is_illegal()).then_some(p)
}
