//! Chess endings of up to four men solved by the plainest means, to compare databases with: rules on a board of 64
//! squares, a table with a number for every way to place the men, and layers of plies by forward moves alone. It shares nothing
//! with the program under test, neither rules nor numbers nor method, and needs no crate:
//!
//!     rustc -O --edition 2024 -o oracle oracle.rs
//!     oracle compare KQKR distance PROGRAM probe FOLDER --batch -    every position against the program's answers
//!     oracle compare KQKR values PROGRAM probe FOLDER --batch -      the same without distances
//!     oracle moves                                    for FENs on standard input the legal moves, for scripts/endings/moves.py
//!
//! The number at a position is for the side to move: `d` for a mate in `d` plies, `-d - 1` for being mated in `d`, 0 for what
//! is open or a draw. The white king is kept on the files a to d by mirroring, and in a triangle of ten squares where
//! there are no pawns; nothing else is done about symmetry. A position with a capture en passant has no number
//! in the table: its moves are looked up each time.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, ExitCode, Stdio};
use std::rc::Rc;

const KING: u8 = 0;
const QUEEN: u8 = 1;
const ROOK: u8 = 2;
const BISHOP: u8 = 3;
const KNIGHT: u8 = 4;
const PAWN: u8 = 5;
const LETTERS: [char; 6] = ['K', 'Q', 'R', 'B', 'N', 'P'];

const ILLEGAL: i16 = i16::MIN;
/// A draw that no layer will change: stalemate.
const STALEMATE: i16 = i16::MAX;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Man {
    white: bool,
    kind: u8,
}

/// The men and their squares; the white king first, then the black one.
#[derive(Clone, Copy, Debug)]
struct Position {
    white: bool,
    count: usize,
    men: [Man; 4],
    at: [u8; 4],
    /// The square that a pawn has just gone over.
    passed: Option<u8>,
}

const NOBODY: Man = Man { white: true, kind: KING };

fn file(square: u8) -> i32 {
    i32::from(square % 8)
}

fn rank(square: u8) -> i32 {
    i32::from(square / 8)
}

fn square(file: i32, rank: i32) -> Option<u8> {
    ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| (rank * 8 + file) as u8)
}

const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const ASKEW: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const ALL: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

/// Directions of a man, and whether it goes on along them.
fn steps(kind: u8) -> (&'static [(i32, i32)], bool) {
    match kind {
        KING => (&ALL, false),
        QUEEN => (&ALL, true),
        ROOK => (&STRAIGHT, true),
        BISHOP => (&ASKEW, true),
        KNIGHT => (&JUMPS, false),
        _ => (&[], false),
    }
}

fn forward(white: bool) -> i32 {
    if white { 1 } else { -1 }
}

/// A move: from, to, and what a pawn becomes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Move(u8, u8, Option<u8>);

impl Position {
    fn on(&self, square: u8) -> Option<usize> {
        (0..self.count).find(|&i| self.at[i] == square)
    }

    fn king(&self, white: bool) -> u8 {
        self.at[usize::from(!white)]
    }

    /// Whether a man attacks a square.
    fn attacks(&self, i: usize, target: u8) -> bool {
        let (man, from) = (self.men[i], self.at[i]);
        let (x, y) = (file(target) - file(from), rank(target) - rank(from));
        if x == 0 && y == 0 {
            return false;
        }
        match man.kind {
            KING => x.abs() <= 1 && y.abs() <= 1,
            KNIGHT => x.abs() * y.abs() == 2,
            PAWN => y == forward(man.white) && x.abs() == 1,
            kind => {
                let straight = x == 0 || y == 0;
                let askew = x.abs() == y.abs();
                let fits = straight && kind != BISHOP || askew && kind != ROOK;
                let between = x.abs().max(y.abs());
                let clear = |n: i32| {
                    let (x, y) = (file(from) + n * x.signum(), rank(from) + n * y.signum());
                    self.on((y * 8 + x) as u8).is_none()
                };
                fits && (1..between).all(clear)
            }
        }
    }

    fn in_check(&self, white: bool) -> bool {
        let king = self.king(white);
        (0..self.count).any(|i| self.men[i].white != white && self.attacks(i, king))
    }

    /// Men on squares of their own, pawns where they may stand, and no king that could be taken.
    fn legal(&self) -> bool {
        let men = || 0..self.count;
        men().all(|i| men().all(|j| i == j || self.at[i] != self.at[j]))
            && men().all(|i| self.men[i].kind != PAWN || (1..7).contains(&rank(self.at[i])))
            && !self.in_check(!self.white)
    }

    fn play(&self, Move(from, to, becomes): Move) -> Position {
        let mut next = Position { white: !self.white, passed: None, ..*self };
        let Some(i) = self.on(from) else { unreachable!("a man moves") };
        let pawn = self.men[i].kind == PAWN;
        let mut taken = self.on(to);
        if pawn && taken.is_none() && file(from) != file(to) {
            taken = self.on((rank(from) * 8 + file(to)) as u8);
        }
        next.at[i] = to;
        if let Some(kind) = becomes {
            next.men[i].kind = kind;
        }
        if pawn && (rank(from) - rank(to)).abs() == 2 {
            next.passed = Some((from + to) / 2);
        }
        if let Some(j) = taken {
            next.count -= 1;
            for k in j..next.count {
                (next.men[k], next.at[k]) = (next.men[k + 1], next.at[k + 1]);
            }
        }
        next
    }

    /// Calls for each legal move until it is told to stop.
    fn each_move(&self, mut call: impl FnMut(Move, Position) -> bool) {
        let mut go_on = |m: Move| {
            let next = self.play(m);
            next.in_check(self.white) || call(m, next)
        };
        for i in (0..self.count).filter(|&i| self.men[i].white == self.white) {
            let (from, man) = (self.at[i], self.men[i]);
            let (x, y) = (file(from), rank(from));
            if man.kind == PAWN {
                let ahead = forward(self.white);
                let last = if self.white { 7 } else { 0 };
                let first = if self.white { 1 } else { 6 };
                let mut targets = Vec::with_capacity(4);
                let one = square(x, y + ahead).filter(|s| self.on(*s).is_none());
                targets.extend(one);
                let two = square(x, y + 2 * ahead).filter(|s| self.on(*s).is_none());
                if one.is_some() && y == first {
                    targets.extend(two);
                }
                for to in [-1, 1].into_iter().filter_map(|side| square(x + side, y + ahead)) {
                    let enemy = self.on(to).is_some_and(|j| self.men[j].white != self.white);
                    if enemy || self.passed == Some(to) {
                        targets.push(to);
                    }
                }
                for to in targets {
                    let becomes: &[Option<u8>] = match rank(to) == last {
                        true => &[Some(QUEEN), Some(ROOK), Some(BISHOP), Some(KNIGHT)],
                        false => &[None],
                    };
                    for kind in becomes {
                        if !go_on(Move(from, to, *kind)) {
                            return;
                        }
                    }
                }
                continue;
            }
            let (directions, far) = steps(man.kind);
            for (dx, dy) in directions {
                for n in 1.. {
                    let Some(to) = square(x + n * dx, y + n * dy) else { break };
                    let there = self.on(to);
                    if there.is_some_and(|j| self.men[j].white == self.white) {
                        break;
                    }
                    if !go_on(Move(from, to, None)) {
                        return;
                    }
                    if there.is_some() || !far {
                        break;
                    }
                }
            }
        }
    }

    /// Whether there is a legal capture en passant.
    fn has_passed(&self) -> bool {
        let mut found = false;
        if let Some(passed) = self.passed {
            self.each_move(|Move(from, to, _), _| {
                let pawn = self.on(from).is_some_and(|i| self.men[i].kind == PAWN);
                found = pawn && to == passed && file(from) != file(to);
                !found
            });
        }
        found
    }

    fn map(&self, f: impl Fn(u8) -> u8) -> Position {
        Position { at: self.at.map(&f), passed: self.passed.map(&f), ..*self }
    }

    /// Black for white.
    fn recoloured(&self) -> Position {
        let mut new = self.map(|s| s ^ 56);
        new.white = !new.white;
        new.men.iter_mut().for_each(|man| man.white = !man.white);
        new.men.swap(0, 1);
        new.at.swap(0, 1);
        new
    }

    fn fen(&self) -> String {
        let mut text = String::with_capacity(48);
        for y in (0..8).rev() {
            let mut empty = 0;
            for x in 0..8 {
                let Some(i) = self.on(y * 8 + x) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text.push((b'0' + empty) as char);
                    empty = 0;
                }
                let letter = LETTERS[usize::from(self.men[i].kind)];
                text.push(if self.men[i].white { letter } else { letter.to_ascii_lowercase() });
            }
            if empty > 0 {
                text.push((b'0' + empty) as char);
            }
            if y > 0 {
                text.push('/');
            }
        }
        text += if self.white { " w - " } else { " b - " };
        text += &self.passed.map_or("-".into(), name);
        text
    }

    fn parse(fen: &str) -> Position {
        let words: Vec<&str> = fen.split(' ').collect();
        let mut found = Vec::new();
        for (row, y) in words[0].split('/').zip((0..8u8).rev()) {
            let mut x = 0;
            for c in row.chars() {
                match c.to_digit(10) {
                    Some(empty) => x += empty as u8,
                    None => {
                        let letter = c.to_ascii_uppercase();
                        let kind = LETTERS.iter().position(|l| *l == letter).expect("a man") as u8;
                        found.push((Man { white: c.is_ascii_uppercase(), kind }, y * 8 + x));
                        x += 1;
                    }
                }
            }
        }
        found.sort_by_key(|(man, _)| (man.kind != KING, !man.white));
        let (mut men, mut at) = ([NOBODY; 4], [0; 4]);
        for (i, (man, square)) in found.iter().enumerate() {
            (men[i], at[i]) = (*man, *square);
        }
        let passed = words[3].as_bytes();
        let passed = (passed[0] != b'-').then(|| passed[0] - b'a' + (passed[1] - b'1') * 8);
        Position { white: words[1] == "w", count: found.len(), men, at, passed }
    }
}

fn name(square: u8) -> String {
    format!("{}{}", (b'a' + square % 8) as char, square / 8 + 1)
}

/// The numbers of all positions with these men.
struct Table {
    men: Vec<Man>,
    pawns: bool,
    numbers: Vec<i16>,
}

/// The white king's squares.
fn king_squares(pawns: bool) -> Vec<u8> {
    (0..64).filter(|&s| file(s) < 4 && (pawns || rank(s) <= file(s))).collect()
}

/// Brings the white king to one of its squares.
fn turned(p: &Position, pawns: bool) -> Position {
    let mut p = *p;
    if file(p.at[0]) > 3 {
        p = p.map(|s| s ^ 7);
    }
    if !pawns && rank(p.at[0]) > 3 {
        p = p.map(|s| s ^ 56);
    }
    if !pawns && rank(p.at[0]) > file(p.at[0]) {
        p = p.map(|s| s / 8 + s % 8 * 8);
    }
    p
}

impl Table {
    /// The number of a position that is turned.
    fn index(&self, p: &Position) -> usize {
        // With pawns rank and file of the left half, without the triangle of ten.
        let (x, y) = (file(p.at[0]) as usize, rank(p.at[0]) as usize);
        let king = if self.pawns { y * 4 + x } else { x * (x + 1) / 2 + y };
        let kings = if self.pawns { 32 } else { 10 };
        let start = usize::from(!p.white) * kings + king;
        p.at[1..p.count].iter().fold(start, |n, square| n * 64 + usize::from(*square))
    }

    fn position(&self, white: bool, squares: &[u8]) -> Position {
        let (mut men, mut at) = ([NOBODY; 4], [0; 4]);
        men[..self.men.len()].copy_from_slice(&self.men);
        at[..squares.len()].copy_from_slice(squares);
        Position { white, count: squares.len(), men, at, passed: None }
    }

    /// All legal positions without a capture en passant.
    fn each(&self, mut call: impl FnMut(usize, Position)) {
        let count = self.men.len();
        for king in king_squares(self.pawns) {
            for rest in 0..1usize << (6 * (count - 1)) {
                let mut squares = [king, 0, 0, 0];
                (1..count).for_each(|i| squares[i] = (rest >> (6 * (i - 1)) & 63) as u8);
                for white in [true, false] {
                    let p = self.position(white, &squares[..count]);
                    if p.legal() {
                        call(self.index(&p), p);
                    }
                }
            }
        }
    }
}

/// Men in the order in which tables have them.
fn sorted(men: &[Man]) -> Vec<Man> {
    let mut men = men.to_vec();
    men.sort_by_key(|man| (man.kind != KING, !man.white, man.kind));
    men
}

fn weight(men: &[Man], white: bool) -> Vec<u8> {
    let mut kinds: Vec<u8> =
        men.iter().filter(|m| m.white == white && m.kind != KING).map(|m| PAWN - m.kind).collect();
    kinds.sort_unstable_by(|a, b| b.cmp(a));
    kinds
}

/// Tables are kept for one of two colours: white has more men, or stronger ones.
fn exchanged(men: &[Man]) -> bool {
    let (white, black) = (weight(men, true), weight(men, false));
    (white.len(), white) < (black.len(), black)
}

#[derive(Default)]
struct Oracle {
    tables: HashMap<Vec<Man>, Rc<Table>>,
}

impl std::hash::Hash for Man {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u8(self.kind * 2 + u8::from(self.white));
    }
}

impl Oracle {
    /// What is known of a position; `own` is a table in the making.
    fn number(&self, p: &Position, own: Option<&Table>) -> i16 {
        if p.count == 2 {
            return 0;
        }
        if p.has_passed() {
            return self.by_moves(p, own);
        }
        if let Some(table) = own.filter(|table| table.men == p.men[..p.count]) {
            return plain(table.numbers[table.index(&turned(p, table.pawns))]);
        }
        let p = if exchanged(&p.men[..p.count]) { p.recoloured() } else { *p };
        let mut order: Vec<usize> = (0..p.count).collect();
        order.sort_by_key(|&i| (p.men[i].kind != KING, !p.men[i].white, p.men[i].kind));
        let (mut men, mut at) = (p.men, p.at);
        for (to, &from) in order.iter().enumerate() {
            (men[to], at[to]) = (p.men[from], p.at[from]);
        }
        let p = Position { men, at, ..p };
        let table = match own.filter(|table| table.men == p.men[..p.count]) {
            Some(own) => own,
            None => &self.tables[&p.men[..p.count]],
        };
        plain(table.numbers[table.index(&turned(&p, table.pawns))])
    }

    fn by_moves(&self, p: &Position, own: Option<&Table>) -> i16 {
        let (mut win, mut longest, mut holds, mut moves) = (i16::MAX, 0, false, 0);
        p.each_move(|_, next| {
            moves += 1;
            match self.number(&next, own) {
                0 => holds = true,
                lost if lost < 0 => win = win.min(-lost),
                won => longest = longest.max(won),
            }
            true
        });
        match (moves, win, holds) {
            (0, ..) => unreachable!("a capture en passant is a move"),
            (_, i16::MAX, true) => 0,
            (_, i16::MAX, false) => -(longest + 1) - 1,
            (_, win, _) => win,
        }
    }

    /// Makes the table of these men after those that its moves lead to.
    fn solve(&mut self, men: &[Man]) {
        let men = sorted(men);
        if men.len() == 2 || self.tables.contains_key(&men) {
            return;
        }
        let mut later = Vec::new();
        for i in 2..men.len() {
            later.push([&men[..i], &men[i + 1..]].concat());
            if men[i].kind == PAWN {
                for kind in [QUEEN, ROOK, BISHOP, KNIGHT] {
                    let mut promoted = men.clone();
                    promoted[i].kind = kind;
                    // By capture, too: that is a position with fewer men of the new kinds.
                    for j in (2..men.len()).filter(|&j| j != i) {
                        later.push([&promoted[..j], &promoted[j + 1..]].concat());
                    }
                    later.push(promoted);
                }
            }
        }
        for men in later {
            let men = match exchanged(&men) {
                true => men.iter().map(|m| Man { white: !m.white, ..*m }).collect(),
                false => men,
            };
            self.solve(&men);
        }
        let table = self.layers(men.clone());
        self.tables.insert(men, Rc::new(table));
    }

    fn layers(&self, men: Vec<Man>) -> Table {
        let pawns = men.iter().any(|man| man.kind == PAWN);
        let size = 2 * king_squares(pawns).len() << (6 * (men.len() - 1));
        let mut table = Table { men, pawns, numbers: vec![ILLEGAL; size] };
        // Layer 0: mates. What is open is looked at in each layer.
        let (mut open, mut ends) = (Vec::new(), Vec::new());
        table.each(|n, p| {
            let mut moves = false;
            p.each_move(|_, _| {
                moves = true;
                false
            });
            match (moves, p.in_check(p.white)) {
                (true, _) => open.push((n, p)),
                (false, true) => ends.push((n, -1)),
                (false, false) => ends.push((n, STALEMATE)),
            }
        });
        open.iter().for_each(|(n, _)| table.numbers[*n] = 0);
        ends.iter().for_each(|(n, end)| table.numbers[*n] = *end);
        // Tables that are done have their own longest mates, after which nothing new comes from them.
        let most =
            |table: &Rc<Table>| table.numbers.iter().filter(|n| **n < STALEMATE).max().copied();
        let enough = self.tables.values().filter_map(most).max().unwrap_or(0) + 2;
        let bare =
            [true, false].map(|white| table.men.iter().filter(|m| m.white == white).count() == 1);
        let mut quiet = 0;
        for layer in 1.. {
            let mut new = Vec::new();
            for (n, p) in &open {
                if layer % 2 == 1 && !bare[usize::from(!p.white)] && self.wins(p, layer, &table) {
                    new.push((*n, layer));
                }
                if layer % 2 == 0 && !bare[usize::from(p.white)] && self.loses(p, layer, &table) {
                    new.push((*n, -layer - 1));
                }
            }
            new.iter().for_each(|(n, number)| table.numbers[*n] = *number);
            if !new.is_empty() {
                open.retain(|(n, _)| table.numbers[*n] == 0);
            }
            quiet = if new.is_empty() { quiet + 1 } else { 0 };
            if quiet >= 2 && layer > enough {
                break;
            }
        }
        table
    }

    fn wins(&self, p: &Position, layer: i16, table: &Table) -> bool {
        let mut found = false;
        p.each_move(|_, next| {
            found = self.number(&next, Some(table)) == -layer;
            !found
        });
        found
    }

    fn loses(&self, p: &Position, layer: i16, table: &Table) -> bool {
        let mut all = true;
        p.each_move(|_, next| {
            all = (1..layer).contains(&self.number(&next, Some(table)));
            all
        });
        all
    }
}

fn plain(number: i16) -> i16 {
    assert!(number != ILLEGAL, "a legal move leads to an illegal position");
    if number == STALEMATE { 0 } else { number }
}

fn material(text: &str) -> Vec<Man> {
    let mut white = false;
    let men = text.chars().map(|c| {
        let kind = LETTERS.iter().position(|l| *l == c).expect("material such as KQKR") as u8;
        white = if kind == KING { !white } else { white };
        Man { white, kind }
    });
    sorted(&men.collect::<Vec<_>>())
}

/// Value for white and plies, as the program prints them.
fn answer(p: &Position, number: i16, distances: bool) -> (i32, Option<i32>) {
    let (value, plies) = match i32::from(number) {
        0 => (0, None),
        n if n > 0 => (1, Some(n)),
        n => (-1, Some(-n - 1)),
    };
    (if p.white { value } else { -value }, plies.filter(|_| distances))
}

/// Compares all positions with a program that reads FENs and answers line by line. Says what was compared.
fn compare(text: &str, distances: bool, program: &[String]) -> Result<String, String> {
    let mut men = material(text);
    // The table has the stronger side as white; KPKR is asked for as it is called.
    let other = exchanged(&men);
    if other {
        men.iter_mut().for_each(|man| man.white = !man.white);
        men = sorted(&men);
    }
    let mut oracle = Oracle::default();
    oracle.solve(&men);
    let table = oracle.tables[&men].clone();
    let mut positions = 0u64;
    let (mut counts, mut longest) = ([0u64; 3], [None::<(i32, String)>, None]);
    let mut passed = Vec::new();
    let mut run = Command::new(&program[0])
        .args(&program[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let (send, wanted) = std::sync::mpsc::sync_channel::<Vec<(i32, Option<i32>)>>(64);
    let answers = BufReader::with_capacity(1 << 20, run.stdout.take().expect("a pipe"));
    let reader = std::thread::spawn(move || -> Result<u64, String> {
        let (mut lines, mut read) = (answers.lines(), 0);
        for (value, plies) in wanted.iter().flatten() {
            let line = lines.next().ok_or("too few answers")?.map_err(|e| e.to_string())?;
            let mut words = line.splitn(3, ' ');
            let right = words.next() == Some(value.to_string().as_str())
                && words.next() == Some(plies.map_or("-".into(), |d| d.to_string()).as_str());
            if !right {
                return Err(format!("\"{line}\", but it is {value} in {plies:?}"));
            }
            read += 1;
        }
        match lines.next() {
            None => Ok(read),
            Some(_) => Err("too many answers".into()),
        }
    });
    let mut to = BufWriter::with_capacity(1 << 20, run.stdin.take().expect("a pipe"));
    let mut batch = Vec::new();
    let failed = Cell::new(false);
    let mut ask = |p: &Position, number: i16| {
        // Every seventh with the colours exchanged.
        let shown = if (positions % 7 == 3) != other { p.recoloured() } else { *p };
        positions += 1;
        if writeln!(to, "{}", shown.fen()).is_err() {
            failed.set(true);
        }
        batch.push(answer(&shown, number, distances));
        if batch.len() == 4096 && send.send(std::mem::take(&mut batch)).is_err() {
            failed.set(true);
        }
    };
    table.each(|n, p| {
        if failed.get() {
            return;
        }
        let number = plain(table.numbers[n]);
        counts[(number.signum() + 1) as usize] += 1;
        let plies = i32::from(number);
        let side = &mut longest[usize::from(p.white == other)];
        if plies > 0 && side.as_ref().is_none_or(|(most, _)| plies > *most) {
            *side = Some((plies, if other { p.recoloured() } else { p }.fen()));
        }
        ask(&p, number);
        // What comes after a pawn's two steps, where it may be taken.
        p.each_move(|_, next| {
            if next.has_passed() {
                passed.push(next);
            }
            true
        });
    });
    let captures = passed.len();
    passed.iter().for_each(|p| ask(p, oracle.number(p, None)));
    drop(send.send(batch));
    drop(send);
    let flushed = to.flush();
    drop(to);
    let read = reader.join().expect("it does not panic")?;
    let status = run.wait().map_err(|e| e.to_string())?;
    if flushed.is_err() || !status.success() || read != positions {
        return Err(format!("the program ended early: {status}"));
    }
    let [lost, drawn, won] = counts;
    let mates = longest.map(|mate| {
        mate.map_or("-".to_owned(), |(plies, fen)| format!("{} ({fen})", plies.div_euclid(2) + 1))
    });
    Ok(format!(
        "{text} {}: {positions} positions agree ({won} won, {drawn} drawn, {lost} lost, {captures} with a capture en \
         passant); longest mates in moves: white {}, black {}",
        if distances { "distance" } else { "values" },
        mates[0],
        mates[1]
    ))
}

fn moves() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let p = Position::parse(&line);
        let mut all = Vec::new();
        p.each_move(|Move(from, to, becomes), _| {
            let kind = becomes.map(|k| LETTERS[usize::from(k)].to_ascii_lowercase());
            all.push(name(from) + &name(to) + &kind.map_or(String::new(), String::from));
            true
        });
        all.sort();
        println!("{}", all.join(" "));
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["moves"] => moves(),
        ["compare", material, kind, _, ..] => {
            match compare(material, kind == "distance", &args[3..]) {
                Ok(words) => println!("{words}"),
                Err(words) => {
                    eprintln!("{material} DIFFERS: {words}");
                    return ExitCode::FAILURE;
                }
            }
        }
        _ => {
            eprintln!(
                "usage: oracle compare KQKR distance|values PROGRAM ...; oracle moves < FENS"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
