//! (m,n,k) games: k in a row on a board of m x n; tic-tac-toe is (3,3,3).
//!
//! A win is one in which the player who has just moved completes a line, so only the opponent's
//! stones need a look. A player who can complete a line does so; a player facing two such cells of
//! the opponent has lost, facing one must take it: those rules settle most lines two plies early.
//! A player without a line that is free of enemy stones cannot win any more.
//!
//! Lines are never looked at one by one: all lines of a direction are known by the cell they start
//! from, and the stones shifted along the direction count their stones side by side.

use crate::cells::{CellNumber, CellSet, WideKey, WideSet};
use crate::illegal;
use crate::registry::Visitor;
use crate::stones::{Board, MAX_WIDE_CELLS, Stones, Width, fits, stones_methods};
use crate::symmetry::Symmetry;
use zermelo_game::{
    Args, Bits, Bounds, DistanceFacts, GameEntry, Key, Knowledge, LastMover, MoveList, Notation,
    ParseError, Rules, Style, Threats, Value,
};

/// The catalogue's line for tic-tac-toe.
pub const TICTACTOE: GameEntry = GameEntry {
    name: "tictactoe",
    usage: "tictactoe",
    example: "tictactoe",
    summary: "three in a row on three by three",
    help: "",
};

/// The catalogue's line for (m,n,k) games.
pub const MNK: GameEntry = GameEntry {
    name: "mnk",
    usage: "mnk ROWSxCOLSxLINE",
    example: "mnk 5x6x4",
    summary: "the first with so many in a row wins; a full board is a draw",
    help: "ROWSxCOLS is the board, LINE how many in a row win.",
};

/// Opens `tictactoe`.
pub fn open_tictactoe<V: Visitor>(args: Args, visitor: V) -> Result<V::Output, ParseError> {
    args.end(TICTACTOE.usage)?;
    Ok(visit(Mnk::<u64>::new(3, 3, 3), visitor))
}

/// Opens `mnk ROWSxCOLSxLINE`.
pub fn open<V: Visitor>(mut args: Args, visitor: V) -> Result<V::Output, ParseError> {
    let usage = format!("ROWSxCOLSxLINE of at most {MAX_WIDE_CELLS} cells, such as 5x6x4");
    let fits = |[rows, cols, line]: [u32; 3]| fits([rows, cols]) && line >= 1;
    let [rows, cols, line] = args.need_size(&usage, fits)?;
    args.end(MNK.usage)?;
    Ok(match Width::of(rows, cols) {
        Width::U64 => visit(Mnk::<u64>::new(rows, cols, line), visitor),
        Width::U128 => visit_wide(Mnk::<u128>::new(rows, cols, line), visitor),
        Width::Wide => {
            let rules = Mnk::<WideKey, WideSet>::new(rows, cols, line);
            let knowledge = MnkKnowledge::new(&rules);
            visitor.visit_wide_threats(rules, knowledge)
        }
    })
}

fn visit<K: Key, V: Visitor>(rules: Mnk<K>, visitor: V) -> V::Output {
    let knowledge = MnkKnowledge::new(&rules);
    visitor.visit_threats(rules, knowledge)
}

fn visit_wide<K: Key, V: Visitor>(rules: Mnk<K>, visitor: V) -> V::Output {
    let knowledge = MnkKnowledge::new(&rules);
    visitor.visit_wide_threats(rules, knowledge)
}

/// An (m,n,k) game.
#[derive(Clone, Debug)]
pub struct Mnk<K, B = u64> {
    board: Board<K, B>,
    symmetry: Symmetry<B>,
    line: u32,
    /// The lines of each direction: across, up, and the two diagonals.
    lines: Lines<B>,
}

/// Four sets of cells, one for each direction, which processors shift and combine at once.
type Four<B> = [B; 4];

/// All lines, by direction.
#[derive(Clone, Copy, Debug)]
struct Lines<B> {
    /// From a cell of a line to the next. As long as a word, as processors want it.
    steps: Four<u64>,
    /// The first cells of the lines; none where no line fits.
    starts: Four<B>,
    /// Cells of a line; 1 where none fits at all, so that nobody counts far for nothing.
    length: u32,
}

/// What `f` makes of each direction.
#[inline(always)]
fn each<B>(f: impl FnMut(usize) -> B) -> Four<B> {
    std::array::from_fn(f)
}

/// All four sets together.
#[inline(always)]
fn union<B: Bits>(sets: Four<B>) -> B {
    (sets[0] | sets[1]) | (sets[2] | sets[3])
}

impl<K: Key, B: CellSet> Mnk<K, B> {
    /// The game of `line` in a row on `rows` x `cols`.
    #[must_use]
    pub fn new(rows: u32, cols: u32, line: u32) -> Mnk<K, B> {
        let board = Board::<K, B>::new(rows, cols);
        let g = &board.grid;
        let mut lines = Lines { steps: [0; 4], starts: [B::EMPTY; 4], length: 1 };
        // A single stone is a line in one direction: once is enough.
        let all = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let all = if line == 1 { &all[..1] } else { &all[..] };
        for (d, &(up, right)) in all.iter().enumerate() {
            let reach = i64::from(line) - 1;
            let fits = |cell: &u32| {
                let row = i64::from(cell / cols) + up * reach;
                let col = i64::from(cell % cols) + right * reach;
                row < i64::from(rows) && (0..i64::from(cols)).contains(&col)
            };
            let starts = g.full().cells().filter(fits).fold(B::EMPTY, |s, c| s | B::cell(c));
            if !starts.is_empty() {
                lines.steps[d] = (up * i64::from(cols) + right) as u64;
                (lines.starts[d], lines.length) = (starts, line);
            }
        }
        let symmetry = Symmetry::new(g);
        Mnk { board, symmetry, line, lines }
    }

    /// Whether these stones hold a line. Runs of one stone, two, four and so on, and then the length
    /// that is left.
    #[inline(always)]
    fn has_line(&self, stones: B) -> bool {
        let Lines { steps, starts, length: whole } = &self.lines;
        let (mut run, mut length) = ([stones; 4], 1);
        while 2 * length <= *whole {
            run = each(|d| run[d] & run[d].down(u64::from(length) * steps[d]));
            length *= 2;
        }
        let left = u64::from(whole - length);
        !union(each(|d| run[d] & run[d].down(left * steps[d]) & starts[d])).is_empty()
    }
}

impl<K: Key, B: CellSet> Rules for Mnk<K, B> {
    type Position = Stones<B>;
    type Move = B::Cell;
    type Key = K;

    stones_methods!(start, turn, play, key, key_bits, images, symmetry_key, code, codes);

    fn outcome(&self, p: &Stones<B>) -> Option<Value> {
        if self.has_line(p.you) {
            Some(-p.turn.sign())
        } else {
            (p.all() == self.board.grid.full()).then_some(0)
        }
    }

    fn moves(&self, p: &Stones<B>, out: &mut MoveList<B::Cell>) {
        self.board.empty(p).cells().for_each(|c| out.push(B::Cell::of(c)));
    }
}

impl<K: Key, B: CellSet> Threats for Mnk<K, B> {
    #[inline]
    fn pass(&self, p: &Stones<B>) -> Option<Stones<B>> {
        Some(p.swapped())
    }
}

impl<K: Key, B: CellSet> Notation for Mnk<K, B> {
    stones_methods!(move_text, position_text, picture(Style::Squares), footprint);

    fn name(&self) -> String {
        let g = &self.board.grid;
        if (g.rows(), g.cols(), self.line) == (3, 3, 3) {
            return "tictactoe".into();
        }
        format!("mnk {}x{}x{}", g.rows(), g.cols(), self.line)
    }

    fn why_illegal(&self, p: &Stones<B>, text: &str) -> Option<String> {
        let grid = &self.board.grid;
        illegal::taken(grid, p, grid.cell_named(text)?)
    }

    fn rules_text(&self) -> String {
        format!(
            "The players put stones on empty cells in turn. Who first has {} or more in a row \
             (across, up or diagonally) wins; a full board without such a line is a draw.",
            self.line
        )
    }

    fn parse_position(&self, text: &str) -> Result<Stones<B>, ParseError> {
        let p = self.board.parse(text)?;
        if self.has_line(p.me) {
            let at = text.chars().count() - p.turn.to_string().len();
            let expected = format!("'{}': the other side has a line already", p.turn.other());
            return Err(ParseError::new("position", text, at, expected));
        }
        Ok(p)
    }
}

/// What is known of an (m,n,k) game, with the numbers for the order of moves on one board.
#[derive(Clone, Debug)]
pub struct MnkKnowledge<B: CellSet = u64> {
    /// The number of lines through each cell: large in the middle.
    centre: B::Table<u8>,
}

impl<B: CellSet> MnkKnowledge<B> {
    /// What is known of this game.
    #[must_use]
    pub fn new<K: Key>(rules: &Mnk<K, B>) -> MnkKnowledge<B> {
        let lines = &rules.lines;
        let mut centre = B::table(0);
        for cell in rules.board.grid.full().cells() {
            let through = |d: usize| {
                let starts = |i: &u32| {
                    let start = cell.checked_sub(i * lines.steps[d] as u32);
                    start.is_some_and(|start| lines.starts[d].has(start))
                };
                (0..lines.length).filter(starts).count()
            };
            centre[cell as usize] = (0..4).map(through).sum::<usize>() as u8;
        }
        MnkKnowledge { centre }
    }
}

/// What a new threat is worth beside the lines through a cell, and what it is worth to keep the
/// opponent from one.
const THREAT: i32 = 8;
const DENIAL: i32 = 4;

/// The empty cells on which these stones would complete a line, and those on which they would
/// threaten to: the empty cells of lines that lack one stone, and of lines that lack two and
/// hold no stone of the opponent.
#[inline(always)]
fn wanted<K: Key, B: CellSet>(rules: &Mnk<K, B>, stones: B, empty: B) -> (B, B) {
    let steps = &rules.lines.steps;
    // Lines by how many of the cells so far hold no stone: none, one, two. In the last two
    // cases those cells are empty, or the line is dropped.
    let (mut full, mut lack1, mut lack2) = (rules.lines.starts, [B::EMPTY; 4], [B::EMPTY; 4]);
    let (mut s, mut e) = ([stones; 4], [empty; 4]);
    for _ in 0..rules.lines.length {
        lack2 = each(|d| (lack2[d] & s[d]) | (lack1[d] & e[d]));
        lack1 = each(|d| (lack1[d] & s[d]) | (full[d] & e[d]));
        full = each(|d| full[d] & s[d]);
        (s, e) = (each(|d| s[d].down(steps[d])), each(|d| e[d].down(steps[d])));
    }
    let (mut one, mut two) = ([B::EMPTY; 4], [B::EMPTY; 4]);
    for _ in 0..rules.lines.length {
        (one, two) = (each(|d| one[d] | lack1[d]), each(|d| two[d] | lack2[d]));
        (lack1, lack2) = (each(|d| lack1[d].up(steps[d])), each(|d| lack2[d].up(steps[d])));
    }
    (union(one) & empty, union(two) & empty)
}

impl<K: Key, B: CellSet> Knowledge<Mnk<K, B>> for MnkKnowledge<B> {
    fn distance_facts(&self, _: &Mnk<K, B>) -> DistanceFacts {
        DistanceFacts { last_mover: LastMover::Winner, ..DistanceFacts::default() }
    }

    #[inline]
    fn canonical(&self, rules: &Mnk<K, B>, p: &Stones<B>) -> Stones<B> {
        rules.symmetry.canonical(p)
    }

    #[inline]
    fn static_bounds(&self, rules: &Mnk<K, B>, p: &Stones<B>) -> Bounds {
        let seen = |lo, hi| Bounds { lo, hi }.seen_by(p.turn);
        if rules.has_line(p.you) {
            return seen(-1, -1);
        }
        let empty = rules.board.empty(p);
        let (threats, _) = wanted(rules, p.you, empty);
        let (chances, _) = wanted(rules, p.me, empty);
        if !chances.is_empty() {
            return seen(1, 1);
        }
        if !threats.without_lowest().is_empty() {
            return seen(-1, -1);
        }
        // Who has no line left that is free of enemy stones cannot win. With a threat about, there
        // is such a line.
        let you_may = !threats.is_empty() || rules.has_line(p.you | empty);
        let me_may = rules.has_line(p.me | empty);
        seen(if you_may { -1 } else { 0 }, if me_may { 1 } else { 0 })
    }

    /// Where the opponent threatens to complete a line, every other move loses. Otherwise new
    /// threats come first, then cells where the opponent would make one, then those on many lines.
    #[inline]
    fn candidate_moves(
        &self,
        rules: &Mnk<K, B>,
        p: &Stones<B>,
        out: &mut MoveList<B::Cell>,
    ) -> Value {
        let empty = rules.board.empty(p);
        let (threats, yours) = wanted(rules, p.you, empty);
        let (_, mine) = wanted(rules, p.me, empty);
        let useful = if threats.is_empty() { empty } else { threats };
        for cell in useful.cells() {
            let score = i32::from(self.centre[cell as usize])
                + if mine.has(cell) { THREAT } else { 0 }
                + if yours.has(cell) { DENIAL } else { 0 };
            out.push_scored(B::Cell::of(cell), score);
        }
        -1
    }

    /// So many moves have to fail, and those that stand late in the order mostly take more (df-pn takes half of
    /// the nodes on 4x5x4; counted threats add nothing).
    #[inline]
    fn leaf_numbers(&self, rules: &Mnk<K, B>, p: &Stones<B>, place: u32) -> Option<(u32, u32)> {
        Some((1, self.plies_left(rules, p) + 2 * place))
    }

    #[inline(always)]
    fn plies_left(&self, rules: &Mnk<K, B>, p: &Stones<B>) -> u32 {
        rules.board.empty(p).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widths;
    use zermelo_game::conformance::{Effort, Kit};
    use zermelo_game::{Game, Player};

    fn check<K: Key, B: CellSet>(rules: &Mnk<K, B>) {
        Kit::new(rules, &MnkKnowledge::new(rules)).threats().assert();
    }

    #[test]
    fn conforms() {
        check(&Mnk::<u64>::new(3, 3, 3));
        check(&Mnk::<u64>::new(4, 5, 3));
        check(&Mnk::<u128>::new(6, 6, 4));
        check(&Mnk::<u64>::new(1, 4, 5));
    }

    #[test]
    fn wide_boards_conform() {
        let effort = Effort { games: 10, ..Effort::default() };
        for (rows, cols, line) in [(3, 3, 3), (4, 5, 3), (1, 4, 5)] {
            let rules = Mnk::<WideKey, WideSet>::new(rows, cols, line);
            let knowledge = MnkKnowledge::new(&rules);
            Kit::new(&rules, &knowledge).threats().effort(effort.clone()).assert();
        }
        for (rows, cols, line) in [(9, 9, 5), (15, 15, 5), (19, 19, 19), (3, 100, 2), (1, 361, 180)]
        {
            let rules = Mnk::<WideKey, WideSet>::new(rows, cols, line);
            let knowledge = MnkKnowledge::new(&rules);
            let starts = [vec![rules.start()], widths::late(&rules, 4, 6)].concat();
            let effort = Effort { games: 5, plies: 8, ..effort.clone() };
            Kit::new(&rules, &knowledge).threats().effort(effort).starts(starts).assert();
        }
    }

    #[test]
    fn wide_boards_are_as_narrow_ones() {
        for (rows, cols, line) in [
            (3, 3, 3),
            (1, 4, 5),
            (4, 5, 3),
            (5, 5, 1),
            (6, 6, 4),
            (7, 9, 5),
            (4, 15, 2),
            (9, 7, 7),
        ] {
            let narrow = Mnk::<u128>::new(rows, cols, line);
            let wide = Mnk::<WideKey, WideSet>::new(rows, cols, line);
            let knowledge = (MnkKnowledge::new(&narrow), MnkKnowledge::new(&wide));
            let (narrow, wide) = (Game::new(&narrow, &knowledge.0), Game::new(&wide, &knowledge.1));
            widths::compare(narrow, wide, 20);
        }
    }

    /// Lines in all directions across the words of a wide set, and threats on them.
    #[test]
    fn lines_on_large_boards() {
        let game = Mnk::<WideKey, WideSet>::new(19, 19, 5);
        let grid = game.board.grid;
        let knowledge = MnkKnowledge::new(&game);
        let known = Game::new(&game, &knowledge);
        for (up, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            for cell in 0..361 {
                let place = |i: i32| (cell / 19 + i * up, cell % 19 + i * right);
                let on_board = |(row, col): &(i32, i32)| *row < 19 && (0..19).contains(col);
                let line = (0..5).map(place).filter(on_board).collect::<Vec<_>>();
                let stones = line.iter().fold(WideSet::EMPTY, |set, &(row, col)| {
                    set | WideSet::cell(grid.at(row as u32, col as u32))
                });
                let p = Stones::new(stones, WideSet::EMPTY, Player::Second);
                assert_eq!(game.outcome(&p), (line.len() == 5).then_some(1), "{line:?}");
                if line.len() == 5 {
                    // Four of them, and the first player to move: won.
                    let p = Stones::new(stones.without_lowest(), WideSet::EMPTY, Player::First);
                    assert_eq!(known.static_bounds(&p), Bounds::exact(1), "{line:?}");
                }
            }
        }
    }

    #[test]
    fn lines_do_not_wrap() {
        let game = Mnk::<u64>::new(3, 3, 3);
        for (text, outcome) in [
            ("xxx/oo./... second", Some(1)),
            ("ooo/xx./x.. first", Some(-1)),
            ("..x/.x./x.. second", Some(1)),
            ("x../.x./..x second", Some(1)),
            (".xx/x../... second", None),
            ("xx./..x/... second", None),
            ("xox/xox/oxo second", Some(0)),
        ] {
            let p = game.parse_position(text).unwrap();
            assert_eq!(game.outcome(&p), outcome, "{text}");
        }
    }
}
