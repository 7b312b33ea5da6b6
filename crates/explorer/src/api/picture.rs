//! Pictures on the wire: a board or a diagram that the page draws, with places that moves name.

use super::player;
use serde::Serialize;
use zermelo_game::diagram::{Content, Diagram, Spot};
use zermelo_game::picture::{Cell, Style};
use zermelo_game::{Footprint, Picture};

/// Where a move happens.
#[derive(Clone, Copy, Serialize)]
pub struct PlaceJson {
    from: Option<u32>,
    to: u32,
    takes: Option<u32>,
}

impl From<Footprint> for PlaceJson {
    fn from(place: Footprint) -> PlaceJson {
        PlaceJson { from: place.from, to: place.to, takes: place.takes }
    }
}

/// A picture to be drawn by the page, or text.
#[derive(Serialize)]
pub struct PictureJson {
    kind: &'static str,
    rows: Option<u32>,
    cols: Option<u32>,
    style: Option<&'static str>,
    /// From the lower left: "." empty, "x" and "o" stones, "X" and "O" kings, "#" covered, otherwise a figure.
    cells: Option<Vec<String>>,
    /// What moves call the cells, empty for those without a name; nothing where columns and rows name them.
    names: Option<Vec<String>>,
    diagram: Option<DiagramJson>,
    text: Option<String>,
}

#[derive(Serialize)]
struct DiagramJson {
    width: u32,
    height: u32,
    ground: bool,
    spots: Vec<SpotJson>,
    lines: Vec<LineJson>,
    labels: Vec<LabelJson>,
}

/// A spot. Which of the last five are there depends on its kind.
#[derive(Serialize)]
struct SpotJson {
    kind: &'static str,
    x: u32,
    y: u32,
    wide: u32,
    high: u32,
    name: String,
    /// What stands on a point, as in `cells`.
    cell: Option<String>,
    /// Seeds, or men in hand.
    count: Option<u32>,
    /// Who moves at a node, or whose hand it is.
    player: Option<&'static str>,
    /// Whether a node is the position.
    here: bool,
    value: Option<i16>,
}

#[derive(Serialize)]
struct LineJson {
    from: u32,
    to: u32,
    arrow: bool,
    bend: u32,
}

#[derive(Serialize)]
struct LabelJson {
    x: u32,
    y: u32,
    text: String,
}

fn cell(cell: Cell) -> String {
    match cell {
        Cell::Empty => ".".into(),
        Cell::First => "x".into(),
        Cell::Second => "o".into(),
        Cell::FirstKing => "X".into(),
        Cell::SecondKing => "O".into(),
        Cell::Covered => "#".into(),
        Cell::Piece { figure, .. } => figure.to_string(),
    }
}

fn spot(spot: &Spot) -> SpotJson {
    let Spot { x, y, wide, high, ref name, content } = *spot;
    let mut json = SpotJson {
        kind: "point",
        x,
        y,
        wide,
        high,
        name: name.clone(),
        cell: None,
        count: None,
        player: None,
        here: false,
        value: None,
    };
    match content {
        Content::Point(piece) => json.cell = Some(cell(piece)),
        Content::Pit(seeds) => (json.kind, json.count) = ("pit", Some(seeds)),
        Content::Store(seeds) => (json.kind, json.count) = ("store", Some(seeds)),
        Content::Hand { owner, men } => {
            (json.kind, json.count, json.player) = ("hand", Some(men), Some(player(owner)));
        }
        Content::Node { turn, here, value } => {
            (json.kind, json.player) = ("node", Some(player(turn)));
            (json.here, json.value) = (here, value);
        }
    }
    json
}

impl From<&Diagram> for DiagramJson {
    fn from(diagram: &Diagram) -> DiagramJson {
        let line = |line: &zermelo_game::diagram::DiagramLine| LineJson {
            from: line.from,
            to: line.to,
            arrow: line.arrow,
            bend: line.bend,
        };
        let label =
            |(x, y, text): &(u32, u32, String)| LabelJson { x: *x, y: *y, text: text.clone() };
        DiagramJson {
            width: diagram.width,
            height: diagram.height,
            ground: diagram.ground,
            spots: diagram.spots.iter().map(spot).collect(),
            lines: diagram.lines.iter().map(line).collect(),
            labels: diagram.labels.iter().map(label).collect(),
        }
    }
}

impl From<&Picture> for PictureJson {
    fn from(picture: &Picture) -> PictureJson {
        let none = PictureJson {
            kind: "text",
            rows: None,
            cols: None,
            style: None,
            cells: None,
            names: None,
            diagram: None,
            text: None,
        };
        match picture {
            Picture::Text(_) => PictureJson { text: Some(picture.to_text()), ..none },
            Picture::Diagram(diagram) => PictureJson {
                kind: "diagram",
                diagram: Some(diagram.into()),
                text: Some(picture.to_text()),
                ..none
            },
            Picture::Board { rows, cols, style, cells, names, .. } => PictureJson {
                kind: "board",
                rows: Some(*rows),
                cols: Some(*cols),
                style: Some(match style {
                    Style::Squares => "squares",
                    Style::Chequered => "chequered",
                    Style::Crossings => "crossings",
                }),
                cells: Some(cells.iter().map(|piece| cell(*piece)).collect()),
                names: Some(names.clone()).filter(|names| !names.is_empty()),
                ..none
            },
        }
    }
}
