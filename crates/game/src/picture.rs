//! Pictures of positions: described once by the game, drawn here as text and as SVG.
//!
//! Marks show what is known of moves, in colour *and* in shape (`+` wins, `-` loses, `=` draws,
//! `?` is open, always for the player to move).

use crate::diagram::Diagram;
use crate::grid::col_name;
use crate::outside::printable;
use std::fmt::Write;

/// What stands on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A stone, pawn or the like of the first player.
    First,
    /// One of the second player.
    Second,
    /// A king of the first player.
    FirstKing,
    /// One of the second player.
    SecondKing,
    /// Covered, and no matter by whom.
    Covered,
    /// A piece of a kind that a plain stone does not show.
    Piece {
        /// The letter for terminals.
        text: char,
        /// The figure in drawings.
        figure: char,
    },
}

/// How cells are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Squares of a board.
    Squares,
    /// Squares in two colours, as on a chess board.
    Chequered,
    /// Crossings of lines, as in Go.
    Crossings,
}

/// What a mark says about a move, for the player to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Tone {
    /// The move loses.
    Loss,
    /// Not known.
    Open,
    /// The move draws.
    Draw,
    /// The move wins.
    Win,
}

impl Tone {
    /// The sign in text pictures.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Tone::Win => '+',
            Tone::Draw => '=',
            Tone::Open => '?',
            Tone::Loss => '-',
        }
    }

    const fn colour(self) -> &'static str {
        match self {
            Tone::Win => "#1b7f4b",
            Tone::Draw => "#b58900",
            Tone::Open => "#777777",
            Tone::Loss => "#c0392b",
        }
    }
}

/// Where a move happens on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint {
    /// The cell a piece leaves, or the other cell a domino covers.
    pub from: Option<u32>,
    /// The cell that names the move.
    pub to: u32,
    /// The piece that the player chooses to take, where moves differ by that.
    pub takes: Option<u32>,
}

impl Footprint {
    /// A move that happens on one cell.
    #[must_use]
    pub const fn at(to: u32) -> Footprint {
        Footprint { from: None, to, takes: None }
    }

    /// A move from a cell to another.
    #[must_use]
    pub const fn step(from: u32, to: u32) -> Footprint {
        Footprint { from: Some(from), to, takes: None }
    }
}

/// A mark on a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveMark {
    /// Where.
    pub place: Footprint,
    /// What it says.
    pub tone: Tone,
}

/// A picture: a board, a drawing with places of its own, or text for games without either.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Picture {
    /// A rectangular board; cells as in [`crate::Grid`], from the lower left.
    Board {
        /// How many rows.
        rows: u32,
        /// How many columns.
        cols: u32,
        /// How to draw it.
        style: Style,
        /// What stands where.
        cells: Vec<Cell>,
        /// What is known of moves.
        marks: Vec<MoveMark>,
        /// What moves call the cells, where that is not column and row: one name a cell, empty for those without. No names at
        /// all otherwise.
        names: Vec<String>,
    },
    /// Plain text.
    Text(String),
    /// A drawing of spots and lines.
    Diagram(Diagram),
}

impl Picture {
    /// A board without marks.
    #[must_use]
    pub fn board(rows: u32, cols: u32, style: Style, cell: impl Fn(u32) -> Cell) -> Picture {
        let cells = (0..rows * cols).map(cell).collect();
        Picture::Board { rows, cols, style, cells, marks: Vec::new(), names: Vec::new() }
    }

    /// The same board with names of its cells, such as the numbers of squares. They are drawn in place of the letters and
    /// numbers at the edge.
    #[must_use]
    pub fn with_names(mut self, name: impl Fn(u32) -> String) -> Picture {
        if let Picture::Board { cells, names, .. } = &mut self {
            *names = (0..cells.len() as u32).map(name).collect();
        }
        self
    }

    /// How many places moves can name in it.
    #[must_use]
    pub fn places(&self) -> usize {
        match self {
            Picture::Board { cells, .. } => cells.len(),
            Picture::Diagram(diagram) => diagram.spots.len(),
            Picture::Text(_) => 0,
        }
    }

    /// Adds marks; text has no place for them.
    #[must_use]
    pub fn with_marks(mut self, new: Vec<MoveMark>) -> Picture {
        match &mut self {
            Picture::Board { marks, .. } => *marks = new,
            Picture::Diagram(diagram) => diagram.marks = new,
            Picture::Text(_) => {}
        }
        self
    }

    /// The picture as lines of text, with coordinates. A marked empty cell shows the best mark of
    /// the moves that go there; an occupied one shows the best mark of the moves that leave it,
    /// beside the piece.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (rows, cols, cells, marks, names) = match self {
            Picture::Text(text) | Picture::Diagram(Diagram { text, .. }) => {
                return format!("{}\n", text.trim_end());
            }
            Picture::Board { rows, cols, cells, marks, names, .. } => {
                (*rows, *cols, cells, marks, names)
            }
        };
        let mut signs: Vec<Option<Tone>> = vec![None; cells.len()];
        for mark in marks {
            let shown = match mark.place.from {
                Some(from) if cells[from as usize] != Cell::Empty => from,
                _ => mark.place.to,
            };
            let sign = &mut signs[shown as usize];
            *sign = (*sign).max(Some(mark.tone));
        }
        if !names.is_empty() {
            return text_with_names(cols, cells, &signs, names);
        }
        let width = rows.to_string().len();
        let mut out = String::new();
        for row in (0..rows).rev() {
            let _ = write!(out, "{:>width$} ", row + 1);
            for col in 0..cols {
                let i = (row * cols + col) as usize;
                let sign = signs[i].map_or(' ', Tone::sign);
                match (cells[i], signs[i]) {
                    (Cell::Empty, Some(tone)) => {
                        let _ = write!(out, " {} ", tone.sign());
                    }
                    _ => {
                        let _ = write!(out, " {}{sign}", glyph(cells[i]));
                    }
                }
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        let _ = write!(out, "{:width$} ", "");
        for col in 0..cols {
            let _ = write!(out, " {:<2}", col_name(col));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    /// The picture as an SVG document that needs nothing else.
    #[must_use]
    pub fn to_svg(&self) -> String {
        match self {
            Picture::Text(text) => text_svg(text),
            Picture::Diagram(diagram) => diagram.to_svg(),
            Picture::Board { rows, cols, style, cells, marks, names } => {
                BoardSvg { rows: *rows, cols: *cols, style: *style }.draw(cells, marks, names)
            }
        }
    }
}

/// What stands on a cell, in text.
fn glyph(cell: Cell) -> char {
    match cell {
        Cell::Empty => '.',
        Cell::First => 'x',
        Cell::Second => 'o',
        Cell::FirstKing => 'X',
        Cell::SecondKing => 'O',
        Cell::Covered => '#',
        Cell::Piece { text, .. } => text,
    }
}

/// A board whose cells have names: the name, then the piece, then the mark. Empty cells without a name are blank.
fn text_with_names(cols: u32, cells: &[Cell], signs: &[Option<Tone>], names: &[String]) -> String {
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    let rows = (0..cells.len()).step_by(cols as usize).rev();
    for row in rows.map(|start| start..start + cols as usize) {
        for i in row {
            let piece =
                if names[i].is_empty() && cells[i] == Cell::Empty { ' ' } else { glyph(cells[i]) };
            let sign = signs[i].map_or(' ', Tone::sign);
            let _ = write!(out, " {:>width$}{piece}{sign}", names[i]);
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

fn text_svg(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let wide = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let (w, h) = (wide * 9 + 20, lines.len() * 18 + 20);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
         height=\"{h}\" font-family=\"monospace\" font-size=\"14\">\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"#fdfcf7\"/>\n"
    );
    for (i, line) in lines.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text x=\"10\" y=\"{}\" xml:space=\"preserve\">{}</text>",
            24 + i * 18,
            escape(line)
        );
    }
    out + "</svg>\n"
}

pub(crate) fn escape(text: &str) -> String {
    // Names of nodes come from outside, and XML has no control characters.
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Side of a cell in SVG units.
const SIDE: u32 = 48;
/// Room for coordinates.
const MARGIN: u32 = 28;

struct BoardSvg {
    rows: u32,
    cols: u32,
    style: Style,
}

impl BoardSvg {
    /// The centre of a cell.
    fn centre(&self, cell: u32) -> (u32, u32) {
        let (row, col) = (cell / self.cols, cell % self.cols);
        (MARGIN + col * SIDE + SIDE / 2, MARGIN / 2 + (self.rows - 1 - row) * SIDE + SIDE / 2)
    }

    fn draw(&self, cells: &[Cell], marks: &[MoveMark], names: &[String]) -> String {
        let (w, h) = (self.cols * SIDE + MARGIN + MARGIN / 2, self.rows * SIDE + MARGIN * 3 / 2);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
             height=\"{h}\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\" \
             dominant-baseline=\"central\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"#fdfcf7\"/>\n"
        );
        self.draw_board(&mut out);
        for (i, cell) in cells.iter().enumerate() {
            self.draw_piece(&mut out, i as u32, *cell);
        }
        for (i, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            self.draw_name(&mut out, i as u32, name);
        }
        for mark in marks {
            self.draw_mark(&mut out, mark);
        }
        if !names.is_empty() {
            return out + "</svg>\n";
        }
        for col in 0..self.cols {
            let (x, y) = (MARGIN + col * SIDE + SIDE / 2, h - MARGIN / 2);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", col_name(col));
        }
        for row in 0..self.rows {
            let (_, y) = self.centre(row * self.cols);
            let _ = writeln!(out, "<text x=\"{}\" y=\"{y}\">{}</text>", MARGIN / 2, row + 1);
        }
        out + "</svg>\n"
    }

    fn draw_board(&self, out: &mut String) {
        for cell in 0..self.rows * self.cols {
            let (x, y) = self.centre(cell);
            let (row, col) = (cell / self.cols, cell % self.cols);
            let half = SIDE / 2;
            if self.style == Style::Crossings {
                let (left, right) =
                    (if col > 0 { half } else { 0 }, if col + 1 < self.cols { half } else { 0 });
                let (up, down) =
                    (if row + 1 < self.rows { half } else { 0 }, if row > 0 { half } else { 0 });
                let _ = writeln!(
                    out,
                    "<path d=\"M{} {y}H{}M{x} {}V{}\" stroke=\"#444\" fill=\"none\"/>",
                    x - left,
                    x + right,
                    y - up,
                    y + down
                );
            } else {
                let dark = self.style == Style::Chequered && (row + col) % 2 == 0;
                let _ = writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{}\" \
                     stroke=\"#444\"/>",
                    x - half,
                    y - half,
                    if dark { "#d8c9a8" } else { "#f4ead2" }
                );
            }
        }
    }

    fn draw_piece(&self, out: &mut String, cell: u32, piece: Cell) {
        let (x, y) = self.centre(cell);
        let _ = match piece {
            Cell::Empty => Ok(()),
            Cell::First => writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"18\" fill=\"#222\" stroke=\"#000\"/>"
            ),
            Cell::Second => writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"18\" fill=\"#fff\" stroke=\"#000\"/>"
            ),
            Cell::FirstKing => writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"18\" fill=\"#222\" stroke=\"#000\"/>\
                 <circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"none\" stroke=\"#fff\" stroke-width=\"3\"/>"
            ),
            Cell::SecondKing => writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"18\" fill=\"#fff\" stroke=\"#000\"/>\
                 <circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"none\" stroke=\"#222\" stroke-width=\"3\"/>"
            ),
            Cell::Covered => writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"44\" height=\"44\" rx=\"5\" fill=\"#5b6b7b\"/>",
                x - 22,
                y - 22
            ),
            Cell::Piece { figure, .. } => {
                writeln!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"38\">{figure}</text>")
            }
        };
    }

    /// A name in the upper left corner of a cell.
    fn draw_name(&self, out: &mut String, cell: u32, name: &str) {
        let (x, y) = self.centre(cell);
        let (x, y, name) = (x - SIDE / 2 + 3, y - SIDE / 2 + 8, escape(name));
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"11\" fill=\"#555\" text-anchor=\"start\">{name}</text>"
        );
    }

    fn draw_mark(&self, out: &mut String, mark: &MoveMark) {
        let at = |cell| {
            let (x, y) = self.centre(cell);
            (f64::from(x), f64::from(y))
        };
        mark_disc(out, mark.tone, at(mark.place.to), mark.place.from.map(at));
    }
}

/// A disc with the sign of the mark; moves with two cells get a line between them, and the
/// disc sits near the end so that several moves to or from one cell stay apart.
pub(crate) fn mark_disc(
    out: &mut String,
    tone: Tone,
    (mut x, mut y): (f64, f64),
    from: Option<(f64, f64)>,
) {
    let (colour, sign) = (tone.colour(), tone.sign());
    if let Some((fx, fy)) = from {
        let _ = writeln!(
            out,
            "<line x1=\"{fx}\" y1=\"{fy}\" x2=\"{x}\" y2=\"{y}\" stroke=\"{colour}\" \
             stroke-width=\"3\" stroke-opacity=\"0.6\"/>"
        );
        (x, y) = ((x * 2.0 + fx) / 3.0, (y * 2.0 + fy) / 3.0);
    }
    let _ = writeln!(
        out,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"9\" fill=\"{colour}\"/>\
         <text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#fff\" font-weight=\"bold\">{sign}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_pieces_and_marks() {
        let cells = [Cell::First, Cell::Empty, Cell::Covered, Cell::Second];
        let picture = Picture::board(2, 2, Style::Squares, |c| cells[c as usize]);
        assert_eq!(picture.to_text(), "2  #  o\n1  x  .\n   a  b\n");
        let place = Footprint::step(0, 1);
        let marked = picture.with_marks(vec![
            MoveMark { place, tone: Tone::Loss },
            MoveMark { place, tone: Tone::Draw },
        ]);
        assert_eq!(marked.to_text(), "2  #  o\n1  x= .\n   a  b\n");
        assert!(marked.to_svg().starts_with("<svg") && marked.to_svg().ends_with("</svg>\n"));
    }

    #[test]
    fn names_stand_for_the_edge() {
        let cells = [Cell::First, Cell::Empty, Cell::Empty, Cell::SecondKing];
        let picture = Picture::board(2, 2, Style::Chequered, |c| cells[c as usize]);
        let names = ["9", "", "", "12"];
        let named = picture.with_names(|c| names[c as usize].into());
        assert_eq!(named.to_text(), "      12O\n  9x\n");
        assert!(named.to_svg().contains(">12</text>") && !named.to_svg().contains(">a</text>"));
        let mark = MoveMark { place: Footprint::step(0, 1), tone: Tone::Win };
        assert_eq!(named.with_marks(vec![mark]).to_text(), "      12O\n  9x+\n");
    }

    #[test]
    fn svg_text_is_escaped() {
        assert!(Picture::Text("a<b & c".into()).to_svg().contains("a&lt;b &amp; c"));
    }
}
