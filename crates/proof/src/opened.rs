//! A certificate that has been checked, open to be walked through: any position of its strategy by the moves that lead
//! there, and what it proves of any position.

use crate::check::{self, Checked};
use crate::format::{Certificate, Claim, Refusal};
use crate::rules::Rules;
use crate::strategy::Strategy;
use zermelo_game::{Bounds, Footprint, Game, ParseError, Picture, Player, Value};
use zermelo_games::Visitor;

/// A checked certificate, for any number of threads.
pub trait Opened: Send + Sync {
    /// What the check found.
    fn checked(&self) -> &Checked;
    /// The claims, in the order of the file.
    fn claims(&self) -> Vec<Claim>;
    /// A position of the strategy of a claim, by the moves of both players from the root. `None` if there is no such
    /// claim, or if the strategy does not go there. Fails if a move cannot be read.
    fn at(&self, claim: usize, moves: &[&str]) -> Result<Option<Spot>, ParseError>;
    /// What is proved of a position: all values where nothing is.
    fn known(&self, position: &str) -> Result<Bounds, ParseError>;
}

/// A position of a strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    /// The position.
    pub position: String,
    /// Whose turn it is.
    pub turn: Player,
    /// The value, if the game is over.
    pub outcome: Option<Value>,
    /// Its picture.
    pub picture: Picture,
    /// Plies that the opponent can still hold out.
    pub longest: u32,
    /// Positions of the claimant that are met first from here on, those that searches of the checker find with them.
    pub positions: u64,
    /// Whether the checker searches here itself.
    pub searched: bool,
    /// Where it goes on: the claimant's one move, or all of the opponent's. Empty where the strategy hangs on the
    /// line of play and cannot be entered in its middle.
    pub steps: Vec<Way>,
}

/// A move of a strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Way {
    /// The move.
    pub mv: String,
    /// Where it happens in the picture.
    pub place: Option<Footprint>,
    /// The claimant's answer, if it is to move then.
    pub answer: Option<String>,
    /// Plies that the opponent can still hold out after it.
    pub longest: u32,
    /// Positions of the claimant that are met first after it. None: they are met elsewhere before.
    pub positions: u64,
    /// The value, if the game is over then.
    pub outcome: Option<Value>,
    /// Whether the checker searches there itself.
    pub searched: bool,
}

/// Checks a certificate and opens it.
pub fn open(certificate: &Certificate, limits: &check::Limits) -> Result<Box<dyn Opened>, Refusal> {
    struct Open<'o>(&'o Certificate, Checked);

    impl Visitor for Open<'_> {
        type Output = Result<Box<dyn Opened>, Refusal>;

        fn visit<G: Game>(self, game: G) -> Self::Output {
            let Open(certificate, checked) = self;
            let header = &certificate.header;
            let root = game.parse_position(&header.position);
            let root = root.map_err(|e| Refusal::Header(e.to_string()))?;
            let read = |part: usize| {
                let claim = header.claims[part].claim();
                match G::SUPERKO {
                    true => Ok(Strategy { claim, nodes: Default::default() }),
                    false => Strategy::read(Rules::of(&game), certificate, part),
                }
            };
            let parts = (0..header.claims.len()).map(read).collect::<Result<_, _>>()?;
            let sizes = header.claims.iter().map(|part| part.positions).collect();
            Ok(Box::new(Walks { game, root, parts, sizes, checked }))
        }
    }

    let checked = check::check(certificate, limits)?;
    match zermelo_games::open(&certificate.header.game, Open(certificate, checked)) {
        Ok(opened) => opened,
        Err(error) => Err(Refusal::Header(error.to_string())),
    }
}

struct Walks<G: Game> {
    game: G,
    root: G::Position,
    parts: Vec<Strategy<G>>,
    /// Positions of the claims, as the file states them.
    sizes: Vec<u64>,
    checked: Checked,
}

impl<G: Game> Walks<G> {
    fn rules(&self) -> Rules<'_, G> {
        Rules::of(&self.game)
    }

    /// The claimant's last position above a move, and positions that are first met after it from there.
    fn weight(&self, part: &Strategy<G>, p: &G::Position, above: Option<G::Key>) -> u64 {
        let rules = self.rules();
        if rules.outcome(p).is_some() {
            return 0;
        }
        if rules.turn(p) == part.claim.claimant {
            let node = part.nodes.get(&rules.class(p)).filter(|node| node.parent == above);
            return node.map_or(0, |node| node.size);
        }
        let mut met = Vec::new();
        let moves = rules.moves(p);
        let each = moves.iter().map(|m| {
            let next = rules.play(p, m);
            let class = rules.class(&next);
            let new = !met.contains(&class);
            met.push(class);
            if new { self.weight(part, &next, above) } else { 0 }
        });
        each.sum()
    }

    fn spot(&self, part: &Strategy<G>, size: u64, p: &G::Position, above: Option<G::Key>) -> Spot {
        let rules = self.rules();
        let (outcome, turn) = (rules.outcome(p), rules.turn(p));
        let mine = turn == part.claim.claimant;
        let node = part.nodes.get(&rules.class(p)).filter(|_| mine && outcome.is_none());
        let here = if node.is_some() { Some(rules.class(p)) } else { above };
        let mut steps: Vec<Way> = Vec::new();
        let mut met = Vec::new();
        let moves: Vec<G::Move> = match (outcome, mine) {
            _ if G::SUPERKO => Vec::new(),
            (Some(_), _) => Vec::new(),
            (None, true) => part.answer(rules, p).into_iter().collect(),
            (None, false) => rules.moves(p).iter().collect(),
        };
        for m in moves {
            let next = rules.play(p, m);
            let (outcome, class) = (rules.outcome(&next), rules.class(&next));
            let theirs = rules.turn(&next) != part.claim.claimant;
            let answer = match outcome {
                None if !theirs => part.answer(rules, &next),
                _ => None,
            };
            let new = !met.contains(&class);
            met.push(class);
            let positions = if new { self.weight(part, &next, here) } else { 0 };
            steps.push(Way {
                mv: rules.move_text(p, m),
                place: self.game.footprint(p, m),
                answer: answer.map(|m| rules.move_text(&next, m)),
                longest: part.longest(rules, &next),
                positions,
                outcome,
                searched: !theirs && part.nodes.get(&class).is_some_and(|node| node.searched),
            });
        }
        let positions = match G::SUPERKO {
            true => size,
            false => node.map_or_else(|| steps.iter().map(|s| s.positions).sum(), |n| n.size),
        };
        let longest = match G::SUPERKO {
            true => self.checked.depth,
            false => part.longest(rules, p),
        };
        Spot {
            position: rules.text(p),
            turn,
            outcome,
            picture: self.game.picture(p),
            longest,
            positions,
            searched: node.is_some_and(|node| node.searched),
            steps,
        }
    }
}

impl<G: Game> Opened for Walks<G> {
    fn checked(&self) -> &Checked {
        &self.checked
    }

    fn claims(&self) -> Vec<Claim> {
        self.parts.iter().map(|part| part.claim).collect()
    }

    fn at(&self, claim: usize, moves: &[&str]) -> Result<Option<Spot>, ParseError> {
        let Some(part) = self.parts.get(claim) else { return Ok(None) };
        if G::SUPERKO && !moves.is_empty() {
            return Ok(None);
        }
        let rules = self.rules();
        let (mut p, mut above) = (self.root, None);
        for text in moves {
            if rules.outcome(&p).is_some() {
                return Ok(None);
            }
            let m = self.game.parse_move(&p, text)?;
            if rules.turn(&p) == part.claim.claimant {
                let class = rules.class(&p);
                let kept = part.answer(rules, &p).is_some_and(|answer| answer == m);
                if !kept {
                    return Ok(None);
                }
                above = Some(class);
            }
            p = rules.play(&p, m);
        }
        Ok(Some(self.spot(part, self.sizes[claim], &p, above)))
    }

    fn known(&self, position: &str) -> Result<Bounds, ParseError> {
        let rules = self.rules();
        let p = rules.parse(position)?;
        let mut known = rules.values();
        if G::SUPERKO {
            return Ok(known);
        }
        for part in self.parts.iter().filter(|part| part.covers(rules, &p)) {
            match part.claim.claimant {
                Player::First => known.lo = known.lo.max(part.claim.value),
                Player::Second => known.hi = known.hi.min(part.claim.value),
            }
        }
        Ok(known)
    }
}
