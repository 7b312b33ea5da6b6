//! Morris positions by number, for databases.
//!
//! A slice is how many men both players have in hand and on the board. Captures and men from the hand lead into other
//! slices, so play stays in a slice only when all men are on the board. The places are all images of the own
//! men that are smallest among their images (16 for rings, 8 for the grid), times the ways to put the other men on
//! the points that are left. Where the own men have symmetries of their own, several ways are images, and the one with the
//! smallest number counts.

use super::{Morris, Position, points};
use zermelo_game::{Player, Sliced};

/// Men in hand and on the board, of the player to move and the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Men {
    /// In hand.
    pub hands: [u8; 2],
    /// On the board.
    pub board: [u8; 2],
}

impl Men {
    fn swapped(&self) -> Men {
        let swap = |[a, b]: [u8; 2]| [b, a];
        Men { hands: swap(self.hands), board: swap(self.board) }
    }

    fn total(&self) -> u32 {
        self.hands.iter().chain(&self.board).map(|n| u32::from(*n)).sum()
    }
}

/// How many ways there are to choose `k` of `n`.
fn choose(n: u32, k: u32) -> u64 {
    (0..u64::from(k)).fold(1, |c, i| c * u64::from(n).saturating_sub(i) / (i + 1))
}

/// The number of a set of points among those of its size, with the points of `gone` left out.
#[inline]
fn rank(set: u32, gone: u32) -> u64 {
    (1..).zip(points(set)).fold(0, |rank, (k, point)| {
        let below = gone & ((1 << point) - 1);
        rank + choose(point as u32 - below.count_ones(), k)
    })
}

/// The set of `count` points with a number, where those of `gone` are left out.
fn unrank(mut number: u64, count: u32, gone: u32, points: usize) -> u32 {
    let free: Vec<u32> = (0..points as u32).filter(|p| gone >> p & 1 == 0).collect();
    let (mut set, mut at) = (0, free.len());
    for k in (1..=count).rev() {
        at -= 1;
        while choose(at as u32, k) > number {
            at -= 1;
        }
        number -= choose(at as u32, k);
        set |= 1 << free[at];
    }
    set
}

impl Morris {
    /// The sets of so many points that are smallest among their images, in order.
    fn sets(&self, count: u8) -> &[u32] {
        self.sets[usize::from(count)].get_or_init(|| {
            let smallest = |set: &u32| {
                (1..self.layout.symmetries()).all(|s| self.layout.image(s, *set) >= *set)
            };
            let mut sets = Vec::new();
            let mut set: u32 = (1 << count) - 1;
            // The next larger number with as many bits, by Gosper.
            while set <= self.layout.full() {
                if smallest(&set) {
                    sets.push(set);
                }
                if set == 0 {
                    break;
                }
                let low = set & set.wrapping_neg();
                let ripple = set + low;
                set = (((ripple ^ set) >> 2) / low) | ripple;
            }
            sets
        })
    }

    /// Whether positions with these men can come up: nobody has put down more than one man more than the other, nor
    /// fewer than three men in all.
    fn holds(&self, men: &Men) -> bool {
        let Men { hands: [mine, yours], board } = *men;
        let in_turn = mine == yours || mine == yours + 1;
        let removed = [0, 1].map(|i| self.men.checked_sub(men.hands[i] + board[i]));
        let lost = |i: usize| {
            removed[i].is_none_or(|n| if self.men == 3 { n > 0 } else { n + 3 > self.men })
        };
        in_turn && !lost(0) && !lost(1)
    }

    fn men(p: &Position) -> Men {
        Men { hands: p.hands, board: [p.me, p.you].map(|set| set.count_ones() as u8) }
    }
}

impl Sliced for Morris {
    type Slice = Men;

    const PREDECESSORS: bool = true;

    fn groups(&self, pieces: u32) -> Vec<Vec<Men>> {
        let mut groups = Vec::new();
        let upto = 0..=self.men;
        for (mine, yours) in upto.clone().flat_map(|a| upto.clone().map(move |b| (a, b))) {
            for (a, b) in upto.clone().flat_map(|a| upto.clone().map(move |b| (a, b))) {
                let men = Men { hands: [mine, yours], board: [a, b] };
                if !self.holds(&men) || men.total() > pieces {
                    continue;
                }
                if mine + yours > 0 {
                    groups.push(vec![men]);
                } else if a <= b {
                    let mut group = vec![men, men.swapped()];
                    group.dedup();
                    groups.push(group);
                }
            }
        }
        let order = |men: &Men| (men.hands[0] + men.hands[1], men.total(), *men);
        groups.sort_by_key(|group| order(&group[0]));
        groups
    }

    /// Measured of all positions with three and six men (docs/databases.md); nobody has with nine.
    fn distance_factor(&self, _: u32) -> Option<f32> {
        match self.men {
            ..=3 => Some(1.1),
            4..=6 => Some(4.0),
            _ => None,
        }
    }

    fn slice_name(&self, men: Men) -> String {
        let [mine, yours] = men.board;
        let name = format!("{mine}-{yours}");
        match men.hands {
            [0, 0] => name,
            [a, b] => format!("{name}-hand-{a}-{b}"),
        }
    }

    fn pieces(&self, men: Men) -> [u32; 2] {
        [0, 1].map(|i| u32::from(men.hands[i] + men.board[i]))
    }

    fn places(&self, men: Men) -> u64 {
        let [mine, yours] = men.board;
        let free = self.layout.points as u32 - u32::from(mine);
        self.sets(mine).len() as u64 * choose(free, yours.into())
    }

    fn place(&self, p: &Position) -> Option<(Men, u64)> {
        let men = Self::men(p);
        if !self.holds(&men) {
            return None;
        }
        let images = 0..self.layout.symmetries();
        let me = images.clone().map(|s| self.layout.image(s, p.me)).min()?;
        let same = images.filter(|s| self.layout.image(*s, p.me) == me);
        let number = same.map(|s| rank(self.layout.image(s, p.you), me)).min()?;
        let set = self.sets(men.board[0]).binary_search(&me).ok()?;
        let ways = choose(self.layout.points as u32 - me.count_ones(), men.board[1].into());
        Some((men, set as u64 * ways + number))
    }

    fn at(&self, men: Men, place: u64) -> Option<Position> {
        let [mine, yours] = men.board;
        let ways = choose(self.layout.points as u32 - u32::from(mine), yours.into());
        let me = self.sets(mine)[(place / ways) as usize];
        let number = place % ways;
        let you = unrank(number, yours.into(), me, self.layout.points);
        let image_of = |s: usize| {
            (self.layout.image(s, me) == me).then(|| rank(self.layout.image(s, you), me))
        };
        let smallest = (1..self.layout.symmetries()).filter_map(image_of).all(|n| n >= number);
        smallest.then_some(Position { me, you, hands: men.hands, turn: Player::First })
    }

    /// Only where all men are on the board do moves stay in a group, and only those that close no mill.
    fn predecessors(&self, p: &Position, out: &mut Vec<Position>) {
        if p.hands != [0; 2] {
            return;
        }
        let free = self.free(p);
        for to in points(p.you) {
            let others = p.you & !(1 << to);
            if self.layout.in_mill(to, others) && !self.mill_wins() {
                continue;
            }
            for from in points(self.reach(to, p.you, free)) {
                let q = Position { you: others | 1 << from, ..*p }.swapped();
                // In Three Men's Morris a mill had ended the game.
                if self.decided(&q).is_none() {
                    out.push(q);
                }
            }
        }
    }
}
