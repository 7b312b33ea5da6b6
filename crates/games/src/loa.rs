//! Lines of Action: bring all of your pieces together.
//!
//! The rules are those of Winands (2004, "Informed Search in Complex Games"): a move that connects both sides at once is a
//! draw, and who cannot move passes. A piece goes as far as there are pieces on its line, so a move changes what
//! others can do far away, and nothing is known of the value without search.

use crate::cells::{CellNumber, CellSet, WideKey, WideSet};
use crate::illegal;
use crate::registry::Visitor;
use crate::stones::{Board, Stones, Width};
use crate::symmetry::Symmetry;
use zermelo_game::{
    Args, Bits, Footprint, GameEntry, Grid, Images, Key, Knowledge, MoveList, Notation, ParseError,
    Picture, Player, Rules, Style, Value,
};

/// The catalogue's line.
pub const ENTRY: GameEntry = GameEntry {
    name: "loa",
    usage: "loa ROWSxCOLS",
    example: "loa 4x4",
    summary: "Lines of Action: who connects all of its pieces wins",
    help: "ROWSxCOLS is the board; 8x8 is the usual one.",
};

/// The fewest and the most rows and columns.
const SIDES: std::ops::RangeInclusive<u32> = 3..=19;

/// Opens `loa ROWSxCOLS`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = "ROWSxCOLS, 3 to 19 each, such as 5x5";
    let fits = |[rows, cols]: [u32; 2]| SIDES.contains(&rows) && SIDES.contains(&cols);
    let [rows, cols] = args.need_size(usage, fits)?;
    args.end(ENTRY.usage)?;
    Ok(match Width::of(rows, cols) {
        Width::U64 => visitor.visit(Loa::<u64>::new(rows, cols), LoaKnowledge),
        Width::U128 => visitor.visit_wide(Loa::<u128>::new(rows, cols), LoaKnowledge),
        Width::Wide => visitor.visit_wide(Loa::<WideKey, WideSet>::new(rows, cols), LoaKnowledge),
    })
}

/// Lines of Action.
#[derive(Clone, Debug)]
pub struct Loa<K, B = u64> {
    board: Board<K, B>,
    symmetry: Symmetry<B>,
    /// The four lines through each cell.
    lines: Vec<[Line<B>; 4]>,
}

/// One of the lines through a cell.
#[derive(Clone, Copy, Debug)]
struct Line<B> {
    /// All cells of the line.
    cells: B,
    /// From a cell of the line to the next.
    step: u32,
    /// How many cells of the line lie behind this one and before it.
    room: [u32; 2],
}

/// From which cell to which; from a cell to itself for a pass, which is written down with cell 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move<C = u8> {
    from: C,
    to: C,
}

impl<C: CellNumber> Move<C> {
    const PASS: Move<C> = Move { from: C::ZERO, to: C::ZERO };
}

impl<K: Key, B: CellSet> Loa<K, B> {
    /// The game on a board of this shape.
    #[must_use]
    pub fn new(rows: u32, cols: u32) -> Loa<K, B> {
        let board = Board::new(rows, cols);
        let lines = (0..rows * cols).map(|cell| {
            [(0, 1), (1, 0), (1, 1), (1, -1)].map(|(up, right)| line(&board.grid, cell, up, right))
        });
        Loa { board, symmetry: Symmetry::new(&board.grid), lines: lines.collect() }
    }

    /// Whether all of these pieces are connected, diagonals included.
    #[inline]
    fn connected(&self, pieces: B) -> bool {
        let g = &self.board.grid;
        let mut group = pieces.lowest_alone();
        loop {
            let wide = group | g.east(group) | g.west(group);
            let grown = (wide | g.north(wide) | g.south(wide)) & pieces;
            if grown == group {
                return group == pieces;
            }
            group = grown;
        }
    }

    /// Calls `f` with every move but the pass.
    #[inline]
    fn each_step(&self, p: &Stones<B>, mut f: impl FnMut(Move<B::Cell>)) {
        for from in p.me.cells() {
            for line in &self.lines[from as usize] {
                let far = (p.all() & line.cells).count();
                for (room, back) in [(line.room[0], true), (line.room[1], false)] {
                    if far > room {
                        continue;
                    }
                    let at =
                        |i: u32| if back { from - i * line.step } else { from + i * line.step };
                    let to = at(far);
                    if !p.me.has(to) && !(1..far).any(|i| p.you.has(at(i))) {
                        f(Move { from: B::Cell::of(from), to: B::Cell::of(to) });
                    }
                }
            }
        }
    }
}

/// The line through a cell in a direction.
fn line<B: Bits>(grid: &Grid<B>, cell: u32, up: i32, right: i32) -> Line<B> {
    let (row, col) = ((cell / grid.cols()) as i32, (cell % grid.cols()) as i32);
    let mut line =
        Line { cells: B::cell(cell), step: (up * grid.cols() as i32 + right) as u32, room: [0; 2] };
    for (side, sign) in [(0, -1), (1, 1)] {
        let place = |i: i32| (row + sign * i * up, col + sign * i * right);
        let on_board = |&(r, c): &(i32, i32)| {
            (0..grid.rows() as i32).contains(&r) && (0..grid.cols() as i32).contains(&c)
        };
        for (r, c) in (1..).map(place).take_while(on_board) {
            line.cells |= B::cell(grid.at(r as u32, c as u32));
            line.room[side] += 1;
        }
    }
    line
}

impl<K: Key, B: CellSet> Rules for Loa<K, B> {
    type Position = Stones<B>;
    type Move = Move<B::Cell>;
    type Key = K;

    const CYCLIC: bool = true;

    fn start(&self) -> Stones<B> {
        let g = &self.board.grid;
        let (rows, cols) = (g.row(0) | g.row(g.rows() - 1), g.col(0) | g.col(g.cols() - 1));
        Stones::new(rows & !cols, cols & !rows, Player::First)
    }

    #[inline(always)]
    fn turn(&self, p: &Stones<B>) -> Player {
        p.turn
    }

    #[inline]
    fn outcome(&self, p: &Stones<B>) -> Option<Value> {
        match (self.connected(p.me), self.connected(p.you)) {
            (false, false) => None,
            (mine, yours) => Some((Value::from(mine) - Value::from(yours)) * p.turn.sign()),
        }
    }

    fn moves(&self, p: &Stones<B>, out: &mut MoveList<Move<B::Cell>>) {
        self.each_step(p, |m| out.push(m));
        if out.is_empty() {
            out.push(Move::PASS);
        }
    }

    #[inline(always)]
    fn play(&self, p: &Stones<B>, m: Move<B::Cell>) -> Stones<B> {
        if m == Move::PASS {
            return p.swapped();
        }
        let (from, to) = (B::cell(m.from.number()), B::cell(m.to.number()));
        Stones { me: p.me & !from | to, you: p.you & !to, turn: p.turn }.swapped()
    }

    #[inline(always)]
    fn key(&self, p: &Stones<B>) -> K {
        self.board.key(p)
    }

    fn key_bits(&self) -> u32 {
        self.board.key_bits()
    }

    /// By both cells; the pass, from a cell to itself, is 0.
    #[inline]
    fn code(&self, m: Move<B::Cell>) -> usize {
        m.from.into() * self.board.grid.cells() as usize + m.to.into()
    }

    fn codes(&self) -> usize {
        (self.board.grid.cells() * self.board.grid.cells()) as usize
    }

    fn images(&self, p: &Stones<B>) -> Images<Stones<B>> {
        self.symmetry.images(p)
    }
}

impl<K: Key, B: CellSet> Notation for Loa<K, B> {
    fn name(&self) -> String {
        format!("loa {}x{}", self.board.grid.rows(), self.board.grid.cols())
    }

    fn rules_text(&self) -> String {
        "Lines of Action. The first player's pieces stand on the bottom and top rows, the second's on the first and last columns, \
         without the corners. A piece moves in a straight line, across, up or diagonally, exactly as many cells as there are pieces of both sides \
         on that line. It may jump over pieces of its own side but not over others, and takes a piece of the other side where it lands. \
         Who has all pieces connected, diagonals included, wins, whoever moved; a single piece is connected. If a move \
         connects both sides at once, it is a draw. Who cannot move passes. A repeated position is a draw."
            .into()
    }

    fn move_text(&self, p: &Stones<B>, m: Move<B::Cell>) -> String {
        if m == Move::PASS {
            return "pass".into();
        }
        let g = &self.board.grid;
        let sign = if p.you.has(m.to.number()) { 'x' } else { '-' };
        format!("{}{sign}{}", g.cell_name(m.from.number()), g.cell_name(m.to.number()))
    }

    fn why_illegal(&self, p: &Stones<B>, text: &str) -> Option<String> {
        let grid = &self.board.grid;
        if text.eq_ignore_ascii_case("pass") {
            return Some("only a player who cannot move passes".into());
        }
        let (from, sign, to) = illegal::two_cells(grid, text)?;
        if let Some(reason) = illegal::not_own(grid, p, from) {
            return Some(reason);
        }
        let [a, b] = [from, to].map(|cell| grid.cell_name(cell));
        let line = self.lines[from as usize].iter().find(|line| line.cells.has(to));
        let Some(line) = line.filter(|_| from != to) else {
            return Some(format!("no line leads from {a} to {b}"));
        };
        let (far, steps) = ((p.all() & line.cells).count(), from.abs_diff(to) / line.step);
        if far != steps {
            return Some(format!(
                "the line from {a} to {b} holds {far} piece{}, and a piece goes as many cells, not {steps}",
                if far == 1 { "" } else { "s" }
            ));
        }
        let between = |i: u32| if to > from { from + i * line.step } else { from - i * line.step };
        let takes = p.you.has(to);
        match (1..far).map(between).find(|&cell| p.you.has(cell)) {
            Some(cell) => {
                Some(format!("the other side's piece on {} is in the way", grid.cell_name(cell)))
            }
            None if p.me.has(to) => Some(format!("{b} holds a piece of your own")),
            None => (sign != Some(if takes { 'x' } else { '-' }))
                .then(|| illegal::wrong_sign(takes, [&a, &b])),
        }
    }

    fn position_text(&self, p: &Stones<B>) -> String {
        self.board.text(p)
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, ParseError> {
        self.board.parse(text)
    }

    fn picture(&self, p: &Stones<B>) -> Picture {
        self.board.picture(p, Style::Squares)
    }

    fn footprint(&self, _: &Stones<B>, m: Move<B::Cell>) -> Option<Footprint> {
        (m != Move::PASS).then_some(Footprint::step(m.from.number(), m.to.number()))
    }
}

/// What is known about Lines of Action: its symmetries, and which moves to try first.
#[derive(Clone, Copy, Default, Debug)]
pub struct LoaKnowledge;

impl<K: Key, B: CellSet> Knowledge<Loa<K, B>> for LoaKnowledge {
    #[inline]
    fn canonical(&self, rules: &Loa<K, B>, p: &Stones<B>) -> Stones<B> {
        rules.symmetry.canonical(p)
    }

    /// All moves; those towards the middle of the own pieces first.
    #[inline]
    fn candidate_moves(
        &self,
        rules: &Loa<K, B>,
        p: &Stones<B>,
        out: &mut MoveList<Move<B::Cell>>,
    ) -> Value {
        let g = &rules.board.grid;
        let place = |cell: u32| [(cell / g.cols()) as i32, (cell % g.cols()) as i32];
        let count = p.me.count() as i32;
        let mut sum = [0; 2];
        for cell in p.me.cells() {
            let [row, col] = place(cell);
            sum = [sum[0] + row, sum[1] + col];
        }
        // Distances are counted in steps times the number of pieces, so that all are whole.
        let far = |cell: B::Cell| {
            let [row, col] = place(cell.number());
            (row * count - sum[0]).abs().max((col * count - sum[1]).abs())
        };
        rules.each_step(p, |m| out.push_scored(m, far(m.from) - far(m.to)));
        if out.is_empty() {
            out.push(Move::PASS);
        }
        -1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimax_oracle;
    use crate::widths;
    use rustc_hash::FxHashSet;
    use zermelo_game::Game;
    use zermelo_game::conformance::{Effort, Kit};

    #[test]
    fn conforms() {
        let effort = Effort { games: 20, plies: 100, minimax_nodes: 1_000, seed: 1913 };
        for (rows, cols) in [(3, 3), (3, 5), (4, 4), (5, 6)] {
            let game = Loa::<u64>::new(rows, cols);
            Kit::new(&game, &LoaKnowledge).effort(effort.clone()).assert();
        }
        let game = Loa::<u128>::new(7, 7);
        Kit::new(&game, &LoaKnowledge).effort(effort.clone()).assert();
    }

    #[test]
    fn wide_boards_conform() {
        let effort = Effort { games: 5, plies: 60, minimax_nodes: 1_000, seed: 1913 };
        for (rows, cols) in [(3, 3), (4, 4), (8, 8), (3, 19)] {
            let game = Loa::<WideKey, WideSet>::new(rows, cols);
            Kit::new(&game, &LoaKnowledge).effort(effort.clone()).assert();
        }
        let game = Loa::<WideKey, WideSet>::new(19, 19);
        let effort = Effort { games: 1, plies: 5, ..effort };
        Kit::new(&game, &LoaKnowledge).effort(effort).assert();
    }

    #[test]
    fn wide_boards_are_as_narrow_ones() {
        for (rows, cols) in [(3, 3), (3, 5), (4, 4), (5, 6), (7, 7), (7, 9)] {
            let narrow = Loa::<u128>::new(rows, cols);
            let wide = Loa::<WideKey, WideSet>::new(rows, cols);
            let (narrow, wide) =
                (Game::new(&narrow, &LoaKnowledge), Game::new(&wide, &LoaKnowledge));
            widths::compare(narrow, wide, 10);
        }
    }

    #[test]
    fn moves_and_ends() {
        let game = Loa::<u64>::new(4, 4);
        let texts = |text: &str| -> Vec<String> {
            let p = game.parse_position(text).unwrap();
            let mut list = MoveList::new();
            game.moves(&p, &mut list);
            let mut texts: Vec<String> = list.iter().map(|m| game.move_text(&p, m)).collect();
            texts.sort_unstable();
            texts
        };
        let all = ["a4-a3", "a4-c2", "a4-c4", "d1-b3", "d1-c1", "d1-d3", "d4-b4", "d4-c3", "d4-d2"];
        assert_eq!(texts("x..x/..../..../...x first"), all);
        // Over the own, not over the other's, and a piece is taken where a move ends.
        assert!(texts("..../x.../..../xx.. first").contains(&"a1-c1".to_owned()));
        assert!(!texts("..../x.../..../xo.. first").contains(&"a1-c1".to_owned()));
        assert!(texts("..../x.../..../x.o. first").contains(&"a1xc1".to_owned()));
        for (text, outcome) in [
            ("x.../.x../..x./o..o first", Some(1)),
            ("x.../.x../..x./o..o second", Some(1)),
            ("x.../.x../..oo/.... second", Some(0)),
            ("x..x/..../..oo/.... first", Some(-1)),
            ("x..x/..../..../o..o first", None),
        ] {
            let p = game.parse_position(text).unwrap();
            assert_eq!(game.outcome(&p), outcome, "{text}");
        }
    }

    /// The values of a program that shares nothing with this one, and the number of positions that play reaches (colours and
    /// turns aside).
    #[test]
    fn values_of_small_boards() {
        for (rows, cols, value, positions) in
            [(3, 3, -1, 346), (3, 4, 1, 30_579), (4, 3, 1, 30_579)]
        {
            let game = Loa::<u64>::new(rows, cols);
            let values = minimax_oracle::reachable(&game);
            assert_eq!(values[&game.start()], value, "{}", game.name());
            let boards: FxHashSet<(u64, u64)> = values.keys().map(|p| (p.me, p.you)).collect();
            assert_eq!(boards.len(), positions, "{}", game.name());
        }
    }
}
