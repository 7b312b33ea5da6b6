//! The Morris boards as pictures.

use super::layout::MorrisBoard;
use zermelo_game::diagram::{Content, Diagram, DiagramLine, Spot};
use zermelo_game::{Bits, Cell, Player};

/// From the edge to the first point.
const EDGE: u32 = 42;
/// Room for the men in hand.
const HANDS: u32 = 44;

impl MorrisBoard {
    /// The board with the men of both players, and those in their hands. Its spots are the points and both hands.
    #[must_use]
    pub fn diagram(&self, men: [u32; 2], hands: [u8; 2], turn: Player) -> Diagram {
        let step = match self.span {
            3 => 76,
            5 => 56,
            _ => 48,
        };
        let last = self.span as u32 - 1;
        let side = 2 * EDGE + last * step;
        let on = |point: usize| match men.map(|set| set >> point & 1) {
            [1, _] => Cell::First,
            [_, 1] => Cell::Second,
            _ => Cell::Empty,
        };
        let place = |x: usize, y: usize| (EDGE + x as u32 * step, EDGE + (last - y as u32) * step);
        let point = |(i, &(x, y)): (usize, &(usize, usize))| {
            let (x, y) = place(x, y);
            let content = Content::Point(on(i));
            Spot { x, y, wide: 21, high: 21, name: self.name(i), content }
        };
        let hand = |owner: Player| Spot {
            x: side / 4 + owner.index() as u32 * side / 2,
            y: side + HANDS / 2 - 8,
            wide: side / 4 - 10,
            high: 14,
            name: format!("{owner}'s hand"),
            content: Content::Hand { owner, men: hands[owner.index()].into() },
        };
        let mut lines = Vec::new();
        for from in 0..self.points {
            for to in u64::from(self.next[from]).cells().filter(|to| *to > from as u32) {
                lines.push(DiagramLine { from: from as u32, to, arrow: false, bend: 0 });
            }
        }
        let letters = (0..self.span).map(|c| {
            let letter = char::from(b'a' + c as u8).to_string();
            (place(c, 0).0, side - EDGE / 3, letter)
        });
        let numbers = (0..self.span).map(|r| (EDGE / 3, place(0, r).1, (r + 1).to_string()));
        let board = self.draw(|point| match on(point) {
            Cell::First => 'x',
            Cell::Second => 'o',
            _ => '.',
        });
        Diagram {
            text: format!("{board}\nin hand: x {}, o {}; {turn} to move", hands[0], hands[1]),
            width: side,
            height: side + HANDS,
            ground: true,
            spots: self
                .spots
                .iter()
                .enumerate()
                .map(point)
                .chain([Player::First, Player::Second].map(hand))
                .collect(),
            lines,
            labels: letters.chain(numbers).collect(),
            ..Diagram::default()
        }
    }

    /// The board drawn with lines, one character a point.
    #[must_use]
    pub fn draw(&self, glyph: impl Fn(usize) -> char) -> String {
        let size = 2 * self.span - 1;
        let mut canvas = vec![vec![' '; size]; size];
        for (a, &(x, y)) in self.spots.iter().enumerate() {
            for b in u64::from(self.next[a]).cells() {
                let (x2, y2) = self.spots[b as usize];
                let sign = match (x2 as i32 - x as i32, y2 as i32 - y as i32) {
                    (_, 0) => '-',
                    (0, _) => '|',
                    (dx, dy) if dx * dy > 0 => '/',
                    _ => '\\',
                };
                let steps = 2 * x.abs_diff(x2).max(y.abs_diff(y2));
                for i in 1..steps {
                    let between =
                        |from: usize, to: usize| (from * 2 * (steps - i) + to * 2 * i) / steps;
                    canvas[between(y, y2)][between(x, x2)] = sign;
                }
            }
        }
        for (point, &(x, y)) in self.spots.iter().enumerate() {
            canvas[2 * y][2 * x] = glyph(point);
        }
        let mut out = String::new();
        for (row, line) in canvas.iter().enumerate().rev() {
            let name = if row % 2 == 0 { char::from(b'1' + (row / 2) as u8) } else { ' ' };
            out += format!("{name} {}", line.iter().collect::<String>()).trim_end();
            out.push('\n');
        }
        let letters = (0..self.span).map(|c| char::from(b'a' + c as u8).to_string());
        out + "  " + &letters.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture() {
        let text = "\
3 .-.-.
  |\\|/|
2 .-.-.
  |/|\\|
1 .-.-.
  a b c";
        assert_eq!(MorrisBoard::grid().draw(|_| '.'), text);
        assert_eq!(MorrisBoard::rings(3).name(0), "a1");
        assert_eq!(MorrisBoard::rings(3).name(20), "e5");
    }

    #[test]
    fn a_diagram_has_all_points_lines_and_men() {
        for (layout, lines) in
            [(MorrisBoard::grid(), 16), (MorrisBoard::rings(2), 20), (MorrisBoard::rings(3), 32)]
        {
            let drawn = layout.diagram([0b11, 0b100], [1, 2], Player::First);
            assert_eq!((drawn.lines.len(), drawn.spots.len()), (lines, layout.points + 2));
            let cell = |i: usize| drawn.spots[i].content;
            assert_eq!(cell(1), Content::Point(Cell::First));
            assert_eq!(cell(2), Content::Point(Cell::Second));
            assert_eq!(cell(3), Content::Point(Cell::Empty));
            let second = Content::Hand { owner: Player::Second, men: 2 };
            assert_eq!(drawn.spots.last().unwrap().content, second);
            for spot in &drawn.spots {
                assert!(spot.x + spot.wide <= drawn.width && spot.y + spot.high <= drawn.height);
                assert!(spot.x >= spot.wide && spot.y >= spot.high);
            }
        }
    }
}
