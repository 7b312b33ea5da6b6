//! Names, rules and pictures of graphs. How nodes and moves are drawn is in `draw`, the format in `text`.

use super::{GraphGame, GraphNode};
use zermelo_game::{Footprint, Notation, ParseError, Picture, Repetition, Rules};

impl<const CYCLIC: bool> Notation for GraphGame<CYCLIC> {
    fn name(&self) -> String {
        match &self.source {
            Some(file) => format!("graph {file}"),
            None => self.full_name(),
        }
    }

    fn full_name(&self) -> String {
        format!("graph {}", self.draft.to_text("; "))
    }

    fn rules_text(&self) -> String {
        let repetition = match self.draft.repetition {
            Some(_) if !CYCLIC => String::new(),
            None => String::new(),
            Some(Repetition::Worth(v)) => format!(" A line that repeats a node is worth {v}."),
            Some(rule) => {
                let rule = match rule {
                    Repetition::Loses => "Who repeats a node of the line loses".to_owned(),
                    Repetition::Parity => "A line that repeats one of its nodes is won by the \
                        first player if each player has made an odd number of moves since, by the \
                        second if even"
                        .to_owned(),
                    Repetition::Stands => unreachable!("a graph has no such rule"),
                    Repetition::Forbidden(v) | Repetition::Worth(v) => format!(
                        "No move may lead back to a node of the line; where a player has no other \
                         move the game ends and is worth {v}"
                    ),
                };
                format!(" {rule}. A line begins with the node that is asked about.")
            }
        };
        format!(
            "The players move along the edges of a graph of {} nodes until a leaf, whose value is \
             given, from {} to {}.{repetition}",
            self.len(),
            self.draft.values.lo,
            self.draft.values.hi
        )
    }

    fn move_text(&self, p: &GraphNode, m: u16) -> String {
        self.vertex(&self.play(p, m)).name.clone()
    }

    fn parse_move(&self, p: &GraphNode, text: &str) -> Result<u16, ParseError> {
        let names: Vec<&str> = self.successors(*p).map(|n| &*self.vertex(&n).name).collect();
        match names.iter().position(|name| *name == text) {
            Some(i) => Ok(i as u16),
            None if names.is_empty() => {
                Err(ParseError::new("move", text, 0, "no move: the game is over"))
            }
            None => Err(ParseError::new("move", text, 0, format!("one of {}", names.join(" ")))),
        }
    }

    fn position_text(&self, p: &GraphNode) -> String {
        self.vertex(p).name.clone()
    }

    fn parse_position(&self, text: &str) -> Result<GraphNode, ParseError> {
        self.index.get(text).map(|&i| GraphNode(i)).ok_or_else(|| {
            const SHOWN: usize = 12;
            let names = self.draft.nodes.iter().take(SHOWN).map(|n| &*n.name);
            let more = if self.len() > SHOWN { " ..." } else { "" };
            let names = names.collect::<Vec<_>>().join(" ");
            ParseError::new("position", text, 0, format!("a node: {names}{more}"))
        })
    }

    fn picture(&self, p: &GraphNode) -> Picture {
        Picture::Diagram(self.draft.draw(p.0))
    }

    fn footprint(&self, p: &GraphNode, m: u16) -> Option<Footprint> {
        self.draft.spot(p.0, self.play(p, m).0).map(Footprint::at)
    }
}
