//! Pictures of boards that are no grids: spots anywhere, lines between them. Sowing boards, Morris boards and explicit
//! graphs are drawn this way. Moves name spots by their numbers, as they name cells on a [board](crate::Picture::Board).

use crate::picture::{Cell, MoveMark, escape, mark_disc};
use crate::{Player, Value};
use std::fmt::Write;

/// What a spot is, and what lies there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A point that a piece can stand on.
    Point(Cell),
    /// A pit with seeds in it.
    Pit(u32),
    /// Seeds that a player has won.
    Store(u32),
    /// Pieces that a player can still put on the board.
    Hand {
        /// Whose.
        owner: Player,
        /// How many.
        men: u32,
    },
    /// A node of a graph.
    Node {
        /// Who moves there.
        turn: Player,
        /// Whether it is the position.
        here: bool,
        /// What it is worth, where the game ends.
        value: Option<Value>,
    },
}

/// A place in a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Its middle, from the upper left.
    pub x: u32,
    /// See there.
    pub y: u32,
    /// From its middle to its right edge.
    pub wide: u32,
    /// From its middle to its lower edge.
    pub high: u32,
    /// As moves and positions call it.
    pub name: String,
    /// What is there.
    pub content: Content,
}

/// A line between two spots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagramLine {
    /// The spot it begins at.
    pub from: u32,
    /// The spot it ends at.
    pub to: u32,
    /// Whether it is an arrow.
    pub arrow: bool,
    /// How far it bends to the right of its direction.
    pub bend: u32,
}

/// A drawing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Diagram {
    /// The same for terminals.
    pub text: String,
    /// How wide it is.
    pub width: u32,
    /// How high.
    pub height: u32,
    /// Whether the spots lie on a board.
    pub ground: bool,
    /// The spots by their numbers.
    pub spots: Vec<Spot>,
    /// The lines, below the spots.
    pub lines: Vec<DiagramLine>,
    /// Words at the edge, each around a point.
    pub labels: Vec<(u32, u32, String)>,
    /// What is known of moves.
    pub marks: Vec<MoveMark>,
}

/// Half the width of a node.
const NODE: f64 = 17.0;

impl Diagram {
    /// Where the mark of a move to a spot sits: beside what lies there.
    fn mark_at(&self, spot: u32) -> (f64, f64) {
        let Spot { x, y, wide, content, .. } = self.spots[spot as usize];
        let (x, y) = (f64::from(x), f64::from(y));
        match content {
            Content::Pit(_) | Content::Node { .. } => {
                let off = f64::from(wide) * 0.75;
                (x + off, y - off)
            }
            _ => (x, y),
        }
    }

    /// The drawing as an SVG document that needs nothing else.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (w, h) = (self.width, self.height);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
             height=\"{h}\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\" \
             dominant-baseline=\"central\">\n<rect width=\"{w}\" height=\"{h}\" rx=\"14\" fill=\"{}\"/>\n",
            if self.ground { "#f4ead2" } else { "#fdfcf7" }
        );
        self.lines.iter().for_each(|line| self.draw_line(&mut out, line));
        for (x, y, word) in &self.labels {
            let word = escape(word);
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" fill=\"#776\" font-size=\"12\">{word}</text>"
            );
        }
        self.spots.iter().for_each(|spot| self.draw_spot(&mut out, spot));
        for mark in &self.marks {
            let (x, y) = self.mark_at(mark.place.to);
            let from = mark.place.from.map(|spot| {
                let Spot { x, y, .. } = self.spots[spot as usize];
                (f64::from(x), f64::from(y))
            });
            mark_disc(&mut out, mark.tone, (x, y), from);
        }
        out + "</svg>\n"
    }

    fn draw_line(&self, out: &mut String, line: &DiagramLine) {
        let at = |spot: u32| {
            let Spot { x, y, .. } = self.spots[spot as usize];
            (f64::from(x), f64::from(y))
        };
        let ((x, y), (tx, ty)) = (at(line.from), at(line.to));
        let stroke = if line.arrow { "#666" } else { "#8a744a" };
        let wide = if line.arrow { 1.2 } else { 2.5 };
        if !line.arrow {
            let _ = writeln!(
                out,
                "<path d=\"M{x} {y}L{tx} {ty}\" stroke=\"{stroke}\" stroke-width=\"{wide}\"/>"
            );
            return;
        }
        // A move back to the same node goes round above it.
        let (cx, cy) = if line.from == line.to {
            (x + 36.0, y - 44.0)
        } else {
            let (dx, dy) = (tx - x, ty - y);
            let long = dx.hypot(dy).max(1.0);
            let bend = f64::from(line.bend) / long;
            ((x + tx) / 2.0 - dy * bend, (y + ty) / 2.0 + dx * bend)
        };
        let (dx, dy) = (tx - cx, ty - cy);
        let long = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / long, dy / long);
        let (ex, ey) = (tx - ux * (NODE + 2.0), ty - uy * (NODE + 2.0));
        let path = match line.from == line.to {
            true => format!("M{x} {y}C{:.1} {cy} {cx} {cy} {ex:.1} {ey:.1}", x - 10.0),
            false => format!("M{x} {y}Q{cx:.1} {cy:.1} {ex:.1} {ey:.1}"),
        };
        let (bx, by) = (ex - ux * 8.0, ey - uy * 8.0);
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{wide}\"/>\
             <path d=\"M{ex:.1} {ey:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" fill=\"{stroke}\"/>",
            bx - uy * 4.0,
            by + ux * 4.0,
            bx + uy * 4.0,
            by - ux * 4.0,
        );
    }

    fn draw_spot(&self, out: &mut String, spot: &Spot) {
        let Spot { x, y, wide, high, .. } = *spot;
        let name = escape(&spot.name);
        let _ = match spot.content {
            Content::Point(Cell::Empty) => {
                writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"#8a744a\"/>")
            }
            Content::Point(cell) => {
                let second = matches!(cell, Cell::Second | Cell::SecondKing);
                let fill = if second { "#fff" } else { "#222" };
                let r = wide.saturating_sub(4);
                writeln!(
                    out,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{fill}\" stroke=\"#000\"/>"
                )
            }
            Content::Pit(seeds) | Content::Store(seeds) => {
                let round = if matches!(spot.content, Content::Pit(_)) { wide } else { 18 };
                let _ = writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{round}\" \
                     fill=\"#dcc79b\" stroke=\"#8a744a\"/>",
                    x - wide,
                    y - high,
                    2 * wide,
                    2 * high
                );
                for (dx, dy, r) in seeds_at(seeds, wide, high) {
                    let (x, y) = (f64::from(x) + dx, f64::from(y) + dy);
                    let _ = writeln!(
                        out,
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"#5b4a26\"/>"
                    );
                }
                // Outside of the pit, on the side of the edge that is nearer.
                let line = if 2 * y > self.height { y + high + 13 } else { y - high - 13 };
                let _ = writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{line}\"><tspan fill=\"#776\" font-size=\"12\">{name}</tspan> \
                     <tspan font-weight=\"bold\" font-size=\"16\">{seeds}</tspan></text>"
                );
                Ok(())
            }
            Content::Hand { owner, men } => {
                let fill = if owner == Player::First { "#222" } else { "#fff" };
                let _ = writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{high}\" \
                     fill=\"#e6d6b0\"/>",
                    x - wide,
                    y - high,
                    2 * wide,
                    2 * high
                );
                for (dx, r) in men_at(men, wide) {
                    let _ = writeln!(
                        out,
                        "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"{r:.1}\" fill=\"{fill}\" stroke=\"#000\"/>",
                        f64::from(x) + dx
                    );
                }
                Ok(())
            }
            Content::Node { turn, here, value } => {
                let (stroke, thick) = if here { ("#c0392b", 4) } else { ("#222", 1) };
                let _ = match turn {
                    Player::First => writeln!(
                        out,
                        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{wide}\" fill=\"#f4ead2\" \
                         stroke=\"{stroke}\" stroke-width=\"{thick}\"/>"
                    ),
                    Player::Second => writeln!(
                        out,
                        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#dfe7ee\" \
                         stroke=\"{stroke}\" stroke-width=\"{thick}\"/>",
                        x - wide,
                        y - high,
                        2 * wide,
                        2 * high
                    ),
                };
                let size = (52 / spot.name.chars().count().max(4)).max(5);
                let _ =
                    writeln!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\">{name}</text>");
                if let Some(value) = value {
                    let y = y + high + 11;
                    let _ = writeln!(
                        out,
                        "<text x=\"{x}\" y=\"{y}\" font-weight=\"bold\">{value:+}</text>"
                    );
                }
                Ok(())
            }
        };
    }
}

/// The seeds of a pit around its middle, each with its size: as those of a sunflower, so that any number fills the pit evenly.
fn seeds_at(seeds: u32, wide: u32, high: u32) -> impl Iterator<Item = (f64, f64, f64)> {
    const GOLDEN: f64 = 2.399_963_229_728_653;
    let (wide, high) = (f64::from(wide) - 7.0, f64::from(high) - 7.0);
    let count = f64::from(seeds.max(6));
    let r = (3.4 * (14.0 * wide * high / (400.0 * count)).sqrt()).min(4.2);
    (0..seeds).map(move |i| {
        let i = f64::from(i);
        let (far, angle) = (((i + 0.5) / count).sqrt(), i * GOLDEN);
        (wide * far * angle.cos(), high * far * angle.sin(), r)
    })
}

/// The men of a hand in a row around its middle.
fn men_at(men: u32, wide: u32) -> impl Iterator<Item = (f64, f64)> {
    let step = (2.0 * f64::from(wide) / f64::from(men.max(1) + 1)).min(17.0);
    let first = -step * (f64::from(men) - 1.0) / 2.0;
    (0..men).map(move |i| (first + f64::from(i) * step, (step * 0.45).min(7.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Footprint, Tone};

    #[test]
    fn seeds_stay_in_their_pit() {
        for seeds in [1, 4, 13, 48, 96] {
            for (dx, dy, r) in seeds_at(seeds, 27, 27) {
                assert!(dx.hypot(dy) + r <= 27.0, "{seeds}");
            }
            assert_eq!(seeds_at(seeds, 27, 60).count(), seeds as usize);
        }
    }

    #[test]
    fn a_drawing_shows_spots_lines_names_and_marks() {
        let node = |x, name: &str, turn, value| {
            let content = Content::Node { turn, here: x == 40, value };
            Spot { x, y: 40, wide: 17, high: 17, name: name.into(), content }
        };
        let diagram = Diagram {
            width: 200,
            height: 90,
            spots: vec![
                node(40, "a<b", Player::First, None),
                node(140, "c", Player::Second, Some(-1)),
            ],
            lines: vec![
                DiagramLine { from: 0, to: 1, arrow: true, bend: 0 },
                DiagramLine { from: 0, to: 0, arrow: true, bend: 0 },
            ],
            marks: vec![MoveMark { place: Footprint::at(1), tone: Tone::Loss }],
            ..Diagram::default()
        };
        let svg = diagram.to_svg();
        for part in ["a&lt;b", "<circle", "<rect", ">-1</text>", "Z\" fill=\"#666\"", ">-</text>"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}
