//! The Morris games in text: `xx....../.o..ooo./........ 7-5 first` is the board ring by ring, the men in hand and the turn.

use super::{Morris, Move, NONE, Position};
use crate::illegal::belongs;
use zermelo_game::{Footprint, Notation, ParseError, Picture, Player};

impl Position {
    /// The men of the first and of the second player, and those in their hands.
    fn absolute(&self) -> ([u32; 2], [u8; 2]) {
        match self.turn {
            Player::First => ([self.me, self.you], self.hands),
            Player::Second => ([self.you, self.me], [self.hands[1], self.hands[0]]),
        }
    }
}

impl Notation for Morris {
    fn name(&self) -> String {
        let men = self.men;
        let fly = match (self.fly, Self::flies_by_default(men.into())) {
            (true, false) => " fly",
            (false, true) => " nofly",
            _ => "",
        };
        format!("morris {men}{fly}")
    }

    fn rules_text(&self) -> String {
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
             A repeated position is a draw."
        )
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

    fn why_illegal(&self, p: &Position, text: &str) -> Option<String> {
        let point = |name: &str| {
            (0..self.layout.points).find(|&i| self.layout.name(i).eq_ignore_ascii_case(name))
        };
        let lower = text.to_ascii_lowercase();
        let (step, takes) = match lower.split_once('x') {
            Some((step, takes)) => (step, Some(point(takes)?)),
            None => (&*lower, None),
        };
        let (from, to) = match step.split_once('-') {
            Some((from, to)) => (Some(point(from)?), point(to)?),
            None => (None, point(step)?),
        };
        let name = |point: usize| self.layout.name(point);
        let (free, has) = (self.free(p), |set: u32, point: usize| set >> point & 1 == 1);
        match (p.hands[0], from) {
            (0, None) => {
                return Some("your hand is empty: a man on the board moves, such as a1-d1".into());
            }
            (1.., Some(_)) => {
                return Some(format!("you have men in hand, which come first: {}", name(to)));
            }
            _ => {}
        }
        if let Some(from) = from {
            if has(p.you, from) {
                return Some(belongs(&name(from), p.turn.other()));
            } else if !has(p.me, from) {
                return Some(format!("{} is empty", name(from)));
            }
        }
        if !has(free, to) {
            return Some(format!("{} is taken", name(to)));
        }
        if let Some(from) = from.filter(|&from| !has(self.reach(from, p.me, free), to)) {
            return Some(format!("{} is not beside {}", name(to), name(from)));
        }
        let others = p.me & !from.map_or(0, |from| 1 << from);
        let mill = !self.mill_wins() && self.layout.in_mill(to, others) && p.you != 0;
        match (mill, takes) {
            (false, Some(_)) if self.mill_wins() => {
                Some("a mill wins here and takes nothing".into())
            }
            (false, Some(_)) => Some("the move makes no mill, so it takes nothing".into()),
            (true, None) => {
                Some(format!("the move makes a mill and takes a man: {step}x and its point"))
            }
            (true, Some(taken)) if !has(p.you, taken) => {
                Some(format!("there is no man of the other side on {}", name(taken)))
            }
            (true, Some(taken)) => (!has(self.loose(p.you), taken)).then(|| {
                format!("the man on {} is in a mill, and others are in none", name(taken))
            }),
            (false, None) => None,
        }
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
}
