//! A chess position with few men, its legal moves and its moves backwards.
//!
//! A position is a short sorted list of men in place of bitboards: with at most six men everything is a
//! loop over a handful of them. Where a man attacks comes from the tables of `cozy-chess`. A
//! right to take en passant is kept only where such a move is legal, so that two positions with the same moves are
//! equal.

use arrayvec::ArrayVec;
use cozy_chess::{
    BitBoard, Color, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};
use std::ops::ControlFlow;
use zermelo_game::{Bits, Player};

/// The most men beside the kings.
pub const MAX_MEN: usize = 4;

/// No pawn may be taken en passant.
pub(super) const NO_FILE: u8 = 8;

/// The kinds of men beside the king, by number.
pub(super) const PAWN: usize = 0;
pub(super) const KNIGHT: usize = 1;
pub(super) const BISHOP: usize = 2;
pub(super) const ROOK: usize = 3;
pub(super) const QUEEN: usize = 4;

/// The letters of the kinds.
pub(super) const LETTERS: [char; 5] = ['P', 'N', 'B', 'R', 'Q'];

/// A man: owner, kind and square in ten bits; 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub struct Man(u16);

impl Man {
    #[inline(always)]
    pub(super) fn new(owner: Player, kind: usize, square: u8) -> Man {
        Man(((owner.index() * 5 + kind + 1) << 6) as u16 | u16::from(square))
    }

    #[inline(always)]
    fn is_there(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    pub(super) fn owner(self) -> Player {
        Player::from_index(usize::from(self.0 >= 6 << 6))
    }

    #[inline(always)]
    pub(super) fn kind(self) -> usize {
        let code = usize::from(self.0 >> 6) - 1;
        if code >= 5 { code - 5 } else { code }
    }

    #[inline(always)]
    pub(super) fn square(self) -> u8 {
        (self.0 & 63) as u8
    }

    /// Owner and kind as a number, apart from 0 for no man.
    #[inline(always)]
    pub(super) fn code(self) -> u16 {
        self.0 >> 6
    }

    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        self.0.into()
    }

    #[inline(always)]
    fn moved(self, square: u8) -> Man {
        Man(self.0 & !63 | u16::from(square))
    }

    /// The squares that the man attacks.
    #[inline(always)]
    fn attacks(self, occupied: u64) -> u64 {
        let from = Square::index(self.square().into());
        let blockers = BitBoard(occupied);
        match self.kind() {
            PAWN => get_pawn_attacks(from, colour(self.owner())).0,
            KNIGHT => get_knight_moves(from).0,
            BISHOP => get_bishop_moves(from, blockers).0,
            ROOK => get_rook_moves(from, blockers).0,
            _ => get_bishop_moves(from, blockers).0 | get_rook_moves(from, blockers).0,
        }
    }
}

#[inline(always)]
fn colour(player: Player) -> Color {
    match player {
        Player::First => Color::White,
        Player::Second => Color::Black,
    }
}

#[inline(always)]
fn king_attacks(square: u8) -> u64 {
    get_king_moves(Square::index(square.into())).0
}

/// From which square, to which, and what a pawn becomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The square the man leaves.
    pub from: u8,
    /// The square it goes to.
    pub to: u8,
    /// The number of the kind a pawn becomes; 0 for every other move.
    pub(super) becomes: u8,
}

/// The men on the board, whose turn it is, and a right to take en passant.
///
/// Squares are numbered from `a1` along the rows. White is the first player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Largest first, none last: equal positions look alike.
    pub(super) men: [Man; MAX_MEN],
    pub(super) kings: [u8; 2],
    /// The file of the pawn that may be taken en passant.
    pub(super) passed: u8,
    pub(super) turn: Player,
}

impl Position {
    pub(super) fn new(kings: [u8; 2], men: &[Man], turn: Player) -> Position {
        let mut sorted = [Man::default(); MAX_MEN];
        sorted[..men.len()].copy_from_slice(men);
        sort(&mut sorted);
        Position { men: sorted, kings, passed: NO_FILE, turn }
    }

    /// The men beside the kings.
    #[inline(always)]
    pub(super) fn men(&self) -> impl Iterator<Item = Man> + '_ {
        self.men.iter().copied().take_while(|m| m.is_there())
    }

    #[inline(always)]
    fn of(&self, player: Player) -> impl Iterator<Item = Man> + '_ {
        self.men().filter(move |m| m.owner() == player)
    }

    #[inline(always)]
    fn king(&self, player: Player) -> u8 {
        self.kings[player.index()]
    }

    #[inline(always)]
    pub(super) fn occupied(&self) -> u64 {
        let kings = 1 << self.kings[0] | 1 << self.kings[1];
        self.men().fold(kings, |set, m| set | 1 << m.square())
    }

    #[inline(always)]
    pub(super) fn has_pawns(&self) -> bool {
        self.men().any(|m| m.kind() == PAWN)
    }

    /// The position with every square replaced by another, without a right to take en passant.
    #[inline(always)]
    pub(super) fn map(&self, f: impl Fn(u8) -> u8) -> Position {
        let mut men = self.men;
        men.iter_mut().filter(|m| m.is_there()).for_each(|m| *m = m.moved(f(m.square())));
        sort(&mut men);
        Position { men, kings: self.kings.map(f), passed: NO_FILE, ..*self }
    }

    /// Left and right exchanged.
    #[inline(always)]
    pub(super) fn mirrored(&self) -> Position {
        let passed = if self.passed == NO_FILE { NO_FILE } else { 7 - self.passed };
        Position { passed, ..self.map(|s| s ^ 7) }
    }

    /// The same position with the colours exchanged.
    #[inline(always)]
    pub(super) fn recoloured(&self) -> Position {
        let mut men = self.men;
        for m in men.iter_mut().filter(|m| m.is_there()) {
            *m = Man::new(m.owner().other(), m.kind(), m.square() ^ 56);
        }
        sort(&mut men);
        let kings = [self.kings[1] ^ 56, self.kings[0] ^ 56];
        Position { men, kings, passed: self.passed, turn: self.turn.other() }
    }

    /// Whether the square of a king is attacked by men of its opponent, on a board with these squares occupied. What
    /// stands on `taken` is gone.
    #[inline(always)]
    fn attacked(&self, square: u8, by: Player, occupied: u64, taken: Option<u8>) -> bool {
        king_attacks(self.king(by)).has(square.into())
            || self
                .of(by)
                .any(|m| Some(m.square()) != taken && m.attacks(occupied).has(square.into()))
    }

    /// Whether the king of the player to move is in check.
    pub(super) fn in_check(&self) -> bool {
        self.attacked(self.king(self.turn), self.turn.other(), self.occupied(), None)
    }

    /// Whether the player who has just moved left the king in check, or the kings touch.
    pub(super) fn is_illegal(&self) -> bool {
        let moved = self.turn.other();
        self.attacked(self.king(moved), self.turn, self.occupied(), None)
    }

    /// The squares that the man of the player to move on this one attacks.
    pub(super) fn attacks_from(&self, from: u8) -> u64 {
        match self.of(self.turn).find(|m| m.square() == from) {
            Some(man) => man.attacks(self.occupied()),
            None => king_attacks(from),
        }
    }

    /// The squares to which that man can go on a board with these squares occupied, own men and checks apart.
    pub(super) fn targets(&self, from: u8, occupied: u64) -> u64 {
        let Some(man) = self.of(self.turn).find(|m| m.square() == from) else {
            return king_attacks(from);
        };
        if man.kind() != PAWN {
            return man.attacks(occupied);
        }
        let passed = self.passed_square().map_or(0, |s| 1 << s);
        man.attacks(occupied) & (occupied | passed) | pushes(self.turn, from, occupied)
    }

    /// Whether the own king is safe after a move that takes what stands on `taken`.
    #[inline(always)]
    fn is_safe(&self, from: u8, to: u8, taken: Option<u8>, occupied: u64) -> bool {
        let mut after = occupied & !(1 << from);
        if let Some(square) = taken {
            after &= !(1 << square);
        }
        let king = self.king(self.turn);
        let king = if king == from { to } else { king };
        !self.attacked(king, self.turn.other(), after | 1 << to, taken)
    }

    /// The square behind the pawn that has just gone two squares.
    #[inline(always)]
    fn passed_square(&self) -> Option<u8> {
        let rank = if self.turn == Player::First { 40 } else { 16 };
        (self.passed != NO_FILE).then_some(rank + self.passed)
    }

    /// Calls `f` with every legal move until it breaks.
    #[inline(always)]
    pub(super) fn legal(&self, mut f: impl FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()> {
        let (me, occupied) = (self.turn, self.occupied());
        let mine = self.of(me).fold(1 << self.king(me), |set, m| set | 1 << m.square());
        let king = self.king(me);
        for to in (king_attacks(king) & !mine).cells() {
            let to = to as u8;
            let taken = occupied.has(to.into()).then_some(to);
            if self.is_safe(king, to, taken, occupied) {
                f(Move { from: king, to, becomes: 0 })?;
            }
        }
        // A man that is not the only one between its king and an attacker may go anywhere.
        let in_check = self.attacked(king, me.other(), occupied, None);
        for man in self.of(me) {
            let from = man.square();
            let bound = in_check || self.attacked(king, me.other(), occupied & !(1 << from), None);
            let mut targets = man.attacks(occupied) & !mine;
            if man.kind() == PAWN {
                let passed = self.passed_square().map_or(0, |s| 1 << s);
                targets = targets & (occupied | passed) | pushes(me, from, occupied);
            }
            for to in targets.cells() {
                let to = to as u8;
                let taken = if occupied.has(to.into()) {
                    Some(to)
                } else if man.kind() == PAWN && from & 7 != to & 7 {
                    Some(from & 56 | to & 7)
                } else {
                    None
                };
                // En passant two men leave at once.
                let bound = bound || taken.is_some_and(|square| square != to);
                if bound && !self.is_safe(from, to, taken, occupied) {
                    continue;
                }
                if man.kind() == PAWN && !(8..56).contains(&to) {
                    for becomes in KNIGHT as u8..=QUEEN as u8 {
                        f(Move { from, to, becomes })?;
                    }
                } else {
                    f(Move { from, to, becomes: 0 })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether the player to move has a legal move.
    pub(super) fn has_move(&self) -> bool {
        self.legal(|_| ControlFlow::Break(())).is_break()
    }

    /// The position after a legal move.
    #[inline]
    pub(super) fn after(&self, m: Move) -> Position {
        let me = self.turn;
        let mut next = Position { passed: NO_FILE, turn: me.other(), ..*self };
        let mut taken = m.to;
        let mut jumped = false;
        if self.king(me) == m.from {
            next.kings[me.index()] = m.to;
        } else if let Some(i) = self.men().position(|o| o.square() == m.from) {
            let man = self.men[i];
            if man.kind() == PAWN {
                if Some(m.to) == self.passed_square() && m.from & 7 != m.to & 7 {
                    taken = m.from & 56 | m.to & 7;
                }
                jumped = m.from.abs_diff(m.to) == 16;
            }
            let kind = if m.becomes > 0 { m.becomes.into() } else { man.kind() };
            next.men[i] = Man::new(me, kind, m.to);
        }
        let other = me.other();
        let gone = self.men().position(|o| o.owner() == other && o.square() == taken);
        if let Some(i) = gone {
            next.men[i] = Man::default();
        }
        sort(&mut next.men);
        if jumped {
            next.passed = m.to & 7;
            next.drop_idle_right();
        }
        next
    }

    /// Drops a right to take en passant that no legal move uses.
    pub(super) fn drop_idle_right(&mut self) {
        let Some(to) = self.passed_square() else { return };
        let taken = if self.turn == Player::First { to - 8 } else { to + 8 };
        let occupied = self.occupied();
        let used = self.of(self.turn).any(|m| {
            m.kind() == PAWN
                && m.attacks(occupied).has(to.into())
                && self.is_safe(m.square(), to, Some(taken), occupied)
        });
        if !used {
            self.passed = NO_FILE;
        }
    }

    /// Gives the right to take the pawn of this file en passant, if it can have gone two squares
    /// just now and such a move is legal.
    pub(super) fn with_passed(&self, file: u8) -> Option<Position> {
        let mut q = Position { passed: file, ..*self };
        if !q.passed_pawn_fits() {
            return None;
        }
        q.drop_idle_right();
        (q.passed == file).then_some(q)
    }

    /// Whether a pawn stands where the right to take en passant says, and nothing behind it.
    pub(super) fn passed_pawn_fits(&self) -> bool {
        let Some(behind) = self.passed_square() else { return true };
        let (pawn, start) = match self.turn {
            Player::First => (behind - 8, behind + 8),
            Player::Second => (behind + 8, behind - 8),
        };
        let there = Man::new(self.turn.other(), PAWN, pawn);
        let free = self.occupied() & (1 << behind | 1 << start) == 0;
        free && self.men().any(|m| m == there)
    }

    /// Adds the positions from which a move that takes nothing and promotes nothing may have led here.
    pub(super) fn before(&self, out: &mut Vec<Position>) {
        if self.men().next().is_none() {
            return; // with bare kings the game was over
        }
        let (moved, occupied) = (self.turn.other(), self.occupied());
        let back = Position { passed: NO_FILE, turn: moved, ..*self };
        // The pawn that may be taken en passant moved last.
        if let Some(behind) = self.passed_square() {
            let (pawn, start) = match moved {
                Player::First => (behind + 8, behind - 8),
                Player::Second => (behind - 8, behind + 8),
            };
            if let Some(i) = self.men().position(|m| m.square() == pawn) {
                back.with_man(i, start).add_with_rights(out);
            }
            return;
        }
        for from in (king_attacks(self.king(moved)) & !occupied).cells() {
            let mut q = back;
            q.kings[moved.index()] = from as u8;
            q.add_with_rights(out);
        }
        for (i, man) in self.men().enumerate().filter(|(_, m)| m.owner() == moved) {
            let from = if man.kind() == PAWN {
                unpushes(moved, man.square(), occupied)
            } else {
                man.attacks(occupied) & !occupied
            };
            for from in from.cells() {
                // Two squares at once, and a right to take the pawn would stand.
                let jumped = man.kind() == PAWN && man.square().abs_diff(from as u8) == 16;
                if !jumped || self.with_passed(man.square() & 7).is_none() {
                    back.with_man(i, from as u8).add_with_rights(out);
                }
            }
        }
    }

    fn with_man(&self, i: usize, square: u8) -> Position {
        let mut q = *self;
        q.men[i] = q.men[i].moved(square);
        sort(&mut q.men);
        q
    }

    /// Adds the position, if it is legal, without and with every right to take en passant that it may have.
    fn add_with_rights(&self, out: &mut Vec<Position>) {
        if self.is_illegal() {
            return;
        }
        out.push(*self);
        if !self.has_pawns() {
            return;
        }
        let rank = if self.turn == Player::First { 4 } else { 3 };
        let pawns: ArrayVec<u8, MAX_MEN> = self
            .of(self.turn.other())
            .filter(|m| m.kind() == PAWN && m.square() >> 3 == rank)
            .map(|m| m.square() & 7)
            .collect();
        out.extend(pawns.into_iter().filter_map(|file| self.with_passed(file)));
    }
}

/// Largest first.
#[inline(always)]
fn sort(men: &mut [Man; MAX_MEN]) {
    for i in 1..MAX_MEN {
        let mut j = i;
        while j > 0 && men[j - 1] < men[j] {
            men.swap(j - 1, j);
            j -= 1;
        }
    }
}

/// Where a pawn can go without taking.
#[inline(always)]
fn pushes(owner: Player, from: u8, occupied: u64) -> u64 {
    let pawn = 1u64 << from;
    match owner {
        Player::First => {
            let one = pawn << 8 & !occupied;
            one | (one & 0xff << 16) << 8 & !occupied
        }
        Player::Second => {
            let one = pawn >> 8 & !occupied;
            one | (one & 0xff << 40) >> 8 & !occupied
        }
    }
}

/// Where a pawn can have come from without taking.
#[inline(always)]
fn unpushes(owner: Player, to: u8, occupied: u64) -> u64 {
    let pawn = 1u64 << to;
    match owner {
        Player::First => {
            let one = pawn >> 8 & !occupied & !0xff;
            one | (one & 0xff << 16) >> 8 & !occupied
        }
        Player::Second => {
            let one = pawn << 8 & !occupied & !(0xff << 56);
            one | (one & 0xff << 40) << 8 & !occupied
        }
    }
}
