//! Three, Six and Nine Men's Morris: put men on points, then move them; three in a line are a mill.
//!
//! Nine Men's Morris was solved by Gasser (1996) with databases of all positions after the opening, 28 subspaces by the number
//! of men; it is a draw. The boards are in `layout`, the numbers of positions for databases in `index`.

mod draw;
mod index;
mod layout;

pub use index::Men;
pub use layout::{Layout, MAX_POINTS};

use crate::registry::{Args, Entry, Visitor};
use std::sync::OnceLock;
use zermelo_game::{Bits, Footprint, Game, Images, MoveList, ParseError, Picture, Player, Value};

/// The catalogue's line.
pub const ENTRY: Entry = Entry {
    name: "morris",
    usage: "morris MEN [fly | nofly] (3, 6 or 9 men)",
    example: "morris 3",
    summary: "Three, Six and Nine Men's Morris: mills win, or take a man",
};

/// Reads the words after the name.
pub(crate) fn read(mut args: Args) -> Result<Morris, ParseError> {
    let usage = "the number of men, 3, 6 or 9";
    let [men] = args.need_size(usage, |[men]: [u32; 1]| [3, 6, 9].contains(&men))?;
    let (fly, nofly) = (args.flag("fly"), args.flag("nofly"));
    args.end(ENTRY.usage)?;
    if fly && nofly {
        return Err(args.error_at(args.text().chars().count(), "'fly' or 'nofly', not both"));
    }
    let fly = if fly || nofly { fly } else { Morris::flies_by_default(men) };
    Ok(Morris::new(men, fly))
}

/// Opens `morris MEN [fly | nofly]`.
pub fn open<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    Ok(visitor.visit(read(args)?))
}

/// One of the Morris games.
#[derive(Clone, Debug)]
pub struct Morris {
    men: u8,
    /// Whether a player with three men may move them to any free point.
    fly: bool,
    layout: Layout,
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

    /// The men of the first and of the second player, and those in their hands.
    fn absolute(&self) -> ([u32; 2], [u8; 2]) {
        match self.turn {
            Player::First => ([self.me, self.you], self.hands),
            Player::Second => ([self.you, self.me], [self.hands[1], self.hands[0]]),
        }
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
            3 => Layout::grid(),
            6 => Layout::rings(2),
            9 => Layout::rings(3),
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

impl Game for Morris {
    type Position = Position;
    type Move = Move;
    type Key = u64;

    const CYCLIC: bool = true;

    fn name(&self) -> String {
        let men = self.men;
        let fly = match (self.fly, Self::flies_by_default(men.into())) {
            (true, false) => " fly",
            (false, true) => " nofly",
            _ => "",
        };
        format!("morris {men}{fly}")
    }

    fn rules(&self) -> String {
        let men = self.men;
        let fly = if self.fly {
            "a player with three men on the board may move one to any free point"
        } else {
            "also with three men"
        };
        let mills = if self.mill_wins() {
            "Who gets three men in a line (across, up or along a long diagonal) wins. Men move along the same lines."
        } else {
            "Who gets three men in a line of the board takes a man of the opponent that is in no mill, or any if all are; \
             two mills at once take one man. Who is left with fewer than three men, on the board and in hand, loses."
        };
        format!(
            "Each player has {men} men. The players put them on free points in turn; when all of its men are on the board a \
             player moves one along a line to a free point beside it, {fly}. {mills} Who cannot move loses. \
             A position that comes back is a draw."
        )
    }

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

    fn move_text(&self, _: &Position, m: Move) -> String {
        let name = |point: u8| self.layout.name(point.into());
        let mut text = if m.from == NONE { String::new() } else { name(m.from) + "-" };
        text += &name(m.to);
        if m.takes != NONE {
            text = text + "x" + &name(m.takes);
        }
        text
    }

    fn position_text(&self, p: &Position) -> String {
        let ([first, second], hands) = p.absolute();
        let glyph = |point: usize| match (first >> point & 1, second >> point & 1) {
            (1, _) => 'x',
            (_, 1) => 'o',
            _ => '.',
        };
        let ring = if self.men == 3 { 3 } else { 8 };
        let mut text = String::new();
        for point in 0..self.layout.points {
            if point > 0 && point % ring == 0 {
                text.push('/');
            }
            text.push(glyph(point));
        }
        format!("{text} {}-{} {}", hands[0], hands[1], p.turn)
    }

    fn parse_position(&self, text: &str) -> Result<Position, ParseError> {
        let error =
            |at: usize, expected: String| Err(ParseError::new("position", text, at, expected));
        let ring = if self.men == 3 { 3 } else { 8 };
        let mut chars = text.chars();
        let (mut men, mut at) = ([0u32; 2], 0);
        for point in 0..self.layout.points {
            if point > 0 && point % ring == 0 {
                if chars.next() != Some('/') {
                    return error(at, format!("'/' after {ring} points"));
                }
                at += 1;
            }
            match chars.next() {
                Some('x') => men[0] |= 1 << point,
                Some('o') => men[1] |= 1 << point,
                Some('.') => {}
                _ => {
                    let name = self.layout.name(point);
                    return error(at, format!("point {name} as one of 'x', 'o', '.'"));
                }
            }
            at += 1;
        }
        let rest: String = chars.collect();
        let most = [0, 1].map(|i| u32::from(self.men).checked_sub(men[i].count_ones()));
        let [Some(first), Some(second)] = most else {
            return error(0, format!("at most {} men a side", self.men));
        };
        for turn in [Player::First, Player::Second] {
            for hands in (0..=first).flat_map(|a| (0..=second).map(move |b| [a, b])) {
                if rest == format!(" {}-{} {turn}", hands[0], hands[1]) {
                    let hands = hands.map(|h| h as u8);
                    let p = Position { me: men[0], you: men[1], hands, turn: Player::First };
                    return Ok(if turn == Player::First { p } else { p.swapped() });
                }
            }
        }
        let expected = format!(
            "' A-B TURN': men in hand, up to {first} and {second}, and 'first' or 'second' to move"
        );
        error(at, expected)
    }

    fn picture(&self, p: &Position) -> Picture {
        let (men, hands) = p.absolute();
        Picture::Diagram(self.layout.diagram(men, hands, p.turn))
    }

    fn footprint(&self, _: &Position, m: Move) -> Option<Footprint> {
        let some = |point: u8| (point != NONE).then_some(u32::from(point));
        Some(Footprint { from: some(m.from), to: m.to.into(), takes: some(m.takes) })
    }

    /// The eight symmetries of the square; there are eight more for rings, which only `canonical` uses.
    fn images(&self, p: &Position) -> Images<Position> {
        (0..8).map(|s| self.map(p, s)).collect()
    }

    #[inline]
    fn canonical(&self, p: &Position) -> Position {
        let mut best = (p.me, p.you);
        for s in 1..self.layout.symmetries() {
            let me = self.layout.image(s, p.me);
            if me <= best.0 {
                best = best.min((me, self.layout.image(s, p.you)));
            }
        }
        Position { me: best.0, you: best.1, ..*p }
    }

    /// All moves, mills first.
    #[inline]
    fn relevant(&self, p: &Position, out: &mut MoveList<Move>) -> Value {
        self.each_move(p, |m| {
            out.push_scored(m, i32::from(m.takes != NONE));
            false
        });
        -1
    }
}

#[cfg(test)]
mod tests;
