//! The places next to a position: what a builder of databases asks most, without making positions.
//!
//! A step changes one of the four sets of a position, so most of the number of a place is worked out once for all
//! steps. Kings of the player who has moved are the last of the four numbers: their steps change nothing else. Captures and crowning,
//! which leave the group, take the long way.

use super::index::{Index, Slice, ranked, without};
use super::{Checkers, Position, board::DIRECTIONS};
use zermelo_game::Next;

/// The four sets of a position, on the squares that the board has.
struct Sets {
    own_men: u32,
    own_kings: u32,
    other_men: u32,
    other_kings: u32,
}

impl Sets {
    #[inline(always)]
    fn slice(&self) -> Slice {
        let Sets { own_men, own_kings, other_men, other_kings } = *self;
        [own_men, own_kings, other_men, other_kings].map(|set| set.count_ones() as u8)
    }
}

/// Each square of a set, as a set of its own.
#[inline(always)]
fn each(mut set: u32, mut what: impl FnMut(u32)) {
    while set != 0 {
        let one = set & set.wrapping_neg();
        set ^= one;
        what(one);
    }
}

impl Checkers {
    #[inline(always)]
    fn sets(&self, p: &Position) -> Sets {
        let squeezed = |set| self.board.squeezed(set);
        Sets {
            own_men: squeezed(p.own & !p.kings),
            own_kings: squeezed(p.own & p.kings),
            other_men: squeezed(p.other & !p.kings),
            other_kings: squeezed(p.other & p.kings),
        }
    }

    /// The places that moves lead to.
    #[inline]
    pub(super) fn after(&self, p: &Position, out: &mut Vec<Next<Slice>>) {
        if self.can_take(p) {
            self.takes(p, |path, taken| {
                let (from, to) = (1 << path[0], 1 << path[path.len() - 1]);
                let king = p.kings & from != 0 || to & self.board.far != 0;
                let kings = p.kings & !(from | taken) | if king { to } else { 0 };
                let next = self.handed_over(p.own ^ from | to, p.other & !taken, kings, p.turn);
                // Who has no piece left has lost.
                let next = self.numbered(&next);
                out.push(next.map_or(Next::Over(-1), |(slice, at)| Next::Place(slice, at)));
            });
        } else {
            // As the other player sees it, to whom the men come up the board.
            self.steps_after(&self.handed_over(p.own, p.other, p.kings, p.turn), out);
        }
    }

    #[inline(always)]
    fn steps_after(&self, now: &Position, out: &mut Vec<Next<Slice>>) {
        let b = &self.board;
        let empty = b.all & !(now.own | now.other);
        let sets = self.sets(now);
        let Sets { own_men, own_kings, other_men, other_kings } = sets;
        let slice = sets.slice();
        let Index { width, .. } = self.index;
        let [_, c, kings, d] = self.index.radices(slice);
        let place = |other_men: u32, other_kings: u32| {
            let men = own_men | other_men;
            let place = ranked(own_men) * c + ranked(other_men >> width);
            let place = place * kings + ranked(without(own_kings, men));
            place * d + ranked(without(other_kings, men | own_kings))
        };
        if other_kings != 0 {
            let gone = own_men | other_men | own_kings;
            let packed = without(other_kings, gone);
            let base = place(other_men, other_kings) - ranked(packed);
            for direction in DIRECTIONS {
                each(b.step(now.other & now.kings, direction) & empty, |end| {
                    let start = b.step(end, 3 - direction);
                    let change = without(b.squeezed(start | end), gone);
                    out.push(Next::Place(slice, base + ranked(packed ^ change)));
                });
            }
        }
        if other_men != 0 {
            for direction in [2, 3] {
                each(b.step(now.other & !now.kings, direction) & empty, |end| {
                    let change = b.step(end, 3 - direction) | end;
                    if end & b.near == 0 {
                        let place = place(other_men ^ b.squeezed(change), other_kings);
                        out.push(Next::Place(slice, place));
                        return;
                    }
                    let (other, kings) = (now.other ^ change, now.kings | end);
                    let crowned = self.numbered(&Position { other, kings, ..*now });
                    out.push(crowned.map_or(Next::Nowhere, |(slice, at)| Next::Place(slice, at)));
                });
            }
        }
    }

    /// The places that steps come from, some of which have a capture, so that the step was not allowed.
    #[inline]
    pub(super) fn before(&self, p: &Position, out: &mut Vec<(Slice, u64)>) {
        let b = &self.board;
        let now = self.handed_over(p.own, p.other, p.kings, p.turn);
        let empty = b.all & !(now.own | now.other);
        let sets = self.sets(&now);
        let Sets { own_men, own_kings, other_men, other_kings } = sets;
        let slice = sets.slice();
        let Index { width, .. } = self.index;
        let [_, c, kings, d] = self.index.radices(slice);
        let others = ranked(other_men >> width);
        let place = |men_number: u64, men: u32, own_kings: u32| {
            let place = men_number * kings + ranked(without(own_kings, men));
            place * d + ranked(without(other_kings, men | own_kings))
        };
        let (number, men) = (ranked(own_men) * c + others, own_men | other_men);
        for direction in DIRECTIONS {
            each(b.step(now.own & now.kings, direction) & empty, |start| {
                let change = b.squeezed(start | b.step(start, 3 - direction));
                out.push((slice, place(number, men, own_kings ^ change)));
            });
        }
        // A man has come from above.
        for direction in [2, 3] {
            each(b.step(now.own & !now.kings, direction) & empty, |start| {
                let change = b.squeezed(start | b.step(start, 3 - direction));
                let number = ranked(own_men ^ change) * c + others;
                out.push((slice, place(number, men ^ change, own_kings)));
            });
        }
    }
}
