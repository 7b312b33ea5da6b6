//! Three, Six and Nine Men's Morris: put men on points, then move them; three in a line are a mill.
//!
//! Nine Men's Morris was solved by Gasser (1996) with databases of all positions after the opening, 28 subspaces by the number
//! of men; it is a draw. The rules are in this file, the boards in `layout`, texts in `notation`, pictures in `draw`, what solvers are told
//! in `knowledge`, the numbers of positions for databases in `index`.

mod draw;
mod index;
mod knowledge;
mod layout;
mod notation;
#[cfg(test)]
mod tests;

pub use index::Men;
pub use knowledge::MorrisKnowledge;
pub use layout::{MAX_POINTS, MorrisBoard};

use crate::registry::Visitor;
use std::sync::OnceLock;
use zermelo_game::{Args, Bits, GameEntry, Images, MoveList, ParseError, Player, Rules, Value};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "morris",
    usage: "morris MEN [fly | nofly] (3, 6 or 9 men)",
    example: "morris 3",
    summary: "Three, Six and Nine Men's Morris: mills win, or take a man",
    help: "MEN is how many men each player has. fly: with three men left they may go to any free point; nofly: \
           they may not. If neither is said, only nine men fly.",
};

/// Opens `morris MEN [fly | nofly]`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = "the number of men, 3, 6 or 9";
    let [men] = args.need_size(usage, |[men]: [u32; 1]| [3, 6, 9].contains(&men))?;
    let (fly, nofly) = (args.flag("fly"), args.flag("nofly"));
    args.end(ENTRY.usage)?;
    if fly && nofly {
        return Err(args.error_at(args.text().chars().count(), "'fly' or 'nofly', not both"));
    }
    let fly = if fly || nofly { fly } else { Morris::flies_by_default(men) };
    Ok(visitor.visit_rare_numbered(Morris::new(men, fly), MorrisKnowledge))
}

/// One of the Morris games.
#[derive(Clone, Debug)]
pub struct Morris {
    men: u8,
    /// Whether a player with three men may move them to any free point.
    fly: bool,
    layout: MorrisBoard,
    /// For each number of men, the sets of points that stand for their images; made when first asked for.
    sets: [OnceLock<Vec<u32>>; 10],
}

/// The men on the board and in hand, seen by the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(crate) me: u32,
    pub(crate) you: u32,
    /// The men that are still to be put on the board, of the player to move and the other.
    pub(crate) hands: [u8; 2],
    pub(crate) turn: Player,
}

/// From where (nowhere for a man from the hand), to where, and which man of the opponent is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    from: u8,
    to: u8,
    takes: u8,
}

/// No point.
const NONE: u8 = MAX_POINTS as u8;

impl Position {
    #[inline(always)]
    fn swapped(&self) -> Position {
        let hands = [self.hands[1], self.hands[0]];
        Position { me: self.you, you: self.me, hands, turn: self.turn.other() }
    }

    #[inline(always)]
    fn totals(&self) -> [u32; 2] {
        let [mine, yours] = self.hands.map(u32::from);
        [self.me.count_ones() + mine, self.you.count_ones() + yours]
    }
}

#[inline(always)]
fn points(set: u32) -> impl Iterator<Item = usize> {
    u64::from(set).cells().map(|p| p as usize)
}

impl Morris {
    /// The game with three, six or nine men a side.
    ///
    /// # Panics
    /// For other numbers.
    #[must_use]
    pub fn new(men: u32, fly: bool) -> Morris {
        let layout = match men {
            3 => MorrisBoard::grid(),
            6 => MorrisBoard::rings(2),
            9 => MorrisBoard::rings(3),
            _ => panic!("Morris has three, six or nine men"),
        };
        Morris { men: men as u8, fly, layout, sets: Default::default() }
    }

    /// Whether players with three men fly if nobody says: only in Nine Men's Morris.
    fn flies_by_default(men: u32) -> bool {
        men == 9
    }

    /// Three Men's Morris is won by a mill; in the others it takes a man.
    #[inline(always)]
    fn mill_wins(&self) -> bool {
        self.men == 3
    }

    #[inline(always)]
    fn free(&self, p: &Position) -> u32 {
        self.layout.full() & !(p.me | p.you)
    }

    /// Where a man of a player with these men on the board and none in hand can go.
    #[inline(always)]
    fn reach(&self, from: usize, men: u32, free: u32) -> u32 {
        if self.fly && men.count_ones() == 3 { free } else { self.layout.next[from] & free }
    }

    /// The men of the opponent that a mill may take: those in no mill, or all if there are no others.
    #[inline]
    fn loose(&self, you: u32) -> u32 {
        let loose = you & !self.layout.milled(you);
        if loose == 0 { you } else { loose }
    }

    /// Calls `f` with every move, until it returns true, and says whether it did.
    #[inline]
    fn each_move(&self, p: &Position, mut f: impl FnMut(Move) -> bool) -> bool {
        let free = self.free(p);
        let mut step = |from: u8, to: usize, others: u32| {
            let to_byte = to as u8;
            if self.mill_wins() || !self.layout.in_mill(to, others) || p.you == 0 {
                return f(Move { from, to: to_byte, takes: NONE });
            }
            points(self.loose(p.you)).any(|t| f(Move { from, to: to_byte, takes: t as u8 }))
        };
        if p.hands[0] > 0 {
            return points(free).any(|to| step(NONE, to, p.me));
        }
        points(p.me).any(|from| {
            let others = p.me & !(1 << from);
            points(self.reach(from, p.me, free)).any(|to| step(from as u8, to, others))
        })
    }

    /// Whether the player to move has lost, or won, by what is on the board: `Some(-1)` or `Some(1)`.
    #[inline]
    fn decided(&self, p: &Position) -> Option<Value> {
        if self.mill_wins() {
            if self.layout.milled(p.you) != 0 {
                return Some(-1);
            }
            return (self.layout.milled(p.me) != 0).then_some(1);
        }
        let [mine, yours] = p.totals();
        if mine < 3 {
            return Some(-1);
        }
        (yours < 3).then_some(1)
    }

    fn map(&self, p: &Position, symmetry: usize) -> Position {
        let image = |set| self.layout.image(symmetry, set);
        Position { me: image(p.me), you: image(p.you), ..*p }
    }
}

impl Rules for Morris {
    type Position = Position;
    type Move = Move;
    type Key = u64;

    const CYCLIC: bool = true;

    fn start(&self) -> Position {
        Position { me: 0, you: 0, hands: [self.men; 2], turn: Player::First }
    }

    #[inline(always)]
    fn turn(&self, p: &Position) -> Player {
        p.turn
    }

    fn outcome(&self, p: &Position) -> Option<Value> {
        let decided = self.decided(p).or_else(|| (!self.each_move(p, |_| true)).then_some(-1));
        decided.map(|value| value * p.turn.sign())
    }

    fn moves(&self, p: &Position, out: &mut MoveList<Move>) {
        self.each_move(p, |m| {
            out.push(m);
            false
        });
    }

    #[inline]
    fn play(&self, p: &Position, m: Move) -> Position {
        let mut q = *p;
        if m.from == NONE {
            q.hands[0] -= 1;
        } else {
            q.me &= !(1 << m.from);
        }
        q.me |= 1 << m.to;
        if m.takes != NONE {
            q.you &= !(1 << m.takes);
        }
        q.swapped()
    }

    #[inline]
    fn key(&self, p: &Position) -> u64 {
        let hands = u64::from(p.hands[0]) << 4 | u64::from(p.hands[1]);
        let men = u64::from(p.me) << self.layout.points | u64::from(p.you);
        (hands << (2 * self.layout.points) | men) << 1 | p.turn.index() as u64
    }

    fn key_bits(&self) -> u32 {
        9 + 2 * self.layout.points as u32
    }

    fn code(&self, m: Move) -> usize {
        let [from, to, takes] = [m.from, m.to, m.takes].map(usize::from);
        (from * (MAX_POINTS + 1) + takes) * MAX_POINTS + to
    }

    fn codes(&self) -> usize {
        (MAX_POINTS + 1) * (MAX_POINTS + 1) * MAX_POINTS
    }

    /// The eight symmetries of the square; rings have eight more, which only knowledge uses.
    fn images(&self, p: &Position) -> Images<Position> {
        (0..8).map(|s| self.map(p, s)).collect()
    }
}
