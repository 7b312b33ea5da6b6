//! A certificate that has been checked, to be walked through: any position of its strategy by the moves that lead
//! there, and what it proves of any position.

use crate::check::{self, CheckSummary};
use crate::explain;
use crate::format::{Certificate, Refusal};
use crate::rule_book::RuleBook;
use crate::strategy::StrategyTable;
use std::sync::Arc;
use zermelo_game::Claim;
use zermelo_game::{
    Bounds, Footprint, MoveList, Notation, ParseError, Picture, Player, SuperkoRule, Value,
};

/// A checked certificate, for any number of threads.
pub trait Walk: Send + Sync {
    /// What the check found.
    fn checked(&self) -> &CheckSummary;
    /// The claims, in the order of the file.
    fn claims(&self) -> Vec<Claim>;
    /// A position of the strategy of a claim, by the moves of both players from the root. `None` if there is no such
    /// claim, or if the strategy does not go there. Fails if a move cannot be read.
    fn at(&self, claim: usize, moves: &[&str]) -> Result<Option<StrategyPosition>, ParseError>;
    /// What is proved of a position: all values where nothing is.
    fn known(&self, position: &str) -> Result<Bounds, ParseError>;
}

/// A position of a strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct StrategyPosition {
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
    /// What comes next: the claimant's one move, or all of the opponent's. Empty where the strategy depends on the
    /// line of play and cannot be entered in its middle.
    pub steps: Vec<StrategyMove>,
}

/// A move of a strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct StrategyMove {
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

/// Checks a certificate of a game and opens it. It must not depend on a database. `superko` is as in [`RuleBook::new`].
pub fn open<R: Notation>(
    rules: Arc<R>,
    superko: SuperkoRule<R>,
    certificate: &Certificate,
    limits: &check::CheckLimits,
) -> Result<Box<dyn Walk>, Refusal> {
    let book = RuleBook::new(&*rules, superko);
    let checked = check::check(book, certificate, limits)?;
    let memory = explain::memory_per_claim(certificate, limits);
    let header = &certificate.header;
    let root = book.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
    let read = |part: usize| {
        let claim = header.claims[part].claim();
        match book.superko() {
            Some(_) => Ok(StrategyTable::new(claim, 0)),
            None => StrategyTable::read(book, certificate, part, memory),
        }
    };
    let parts = (0..header.claims.len()).map(read).collect::<Result<_, _>>()?;
    let sizes = header.claims.iter().map(|part| part.positions).collect();
    Ok(Box::new(Walker { rules, superko, root, parts, sizes, checked }))
}

struct Walker<R: Notation> {
    rules: Arc<R>,
    superko: SuperkoRule<R>,
    root: R::Position,
    parts: Vec<StrategyTable<R>>,
    /// Positions of the claims, as the file states them.
    sizes: Vec<u64>,
    checked: CheckSummary,
}

impl<R: Notation> Walker<R> {
    fn book(&self) -> RuleBook<'_, R> {
        RuleBook::new(&*self.rules, self.superko)
    }

    /// The claimant's last position above a move, and positions that are first met after it from there.
    fn weight(&self, part: &StrategyTable<R>, p: &R::Position, above: Option<R::Key>) -> u64 {
        let book = self.book();
        if book.outcome(p).is_some() {
            return 0;
        }
        if book.turn(p) == part.claim.claimant {
            let node = part.nodes.get(&book.symmetry_key(p)).filter(|node| node.parent == above);
            return node.map_or(0, |node| node.size);
        }
        let mut met = Vec::new();
        let mut moves = MoveList::new();
        book.moves(p, &mut moves);
        let each = moves.iter().map(|m| {
            let next = book.play(p, m);
            let key = book.symmetry_key(&next);
            let new = !met.contains(&key);
            met.push(key);
            if new { self.weight(part, &next, above) } else { 0 }
        });
        each.sum()
    }

    fn spot(&self, claim: usize, p: &R::Position, above: Option<R::Key>) -> StrategyPosition {
        let (book, part, size) = (self.book(), &self.parts[claim], self.sizes[claim]);
        let (outcome, turn) = (book.outcome(p), book.turn(p));
        let mine = turn == part.claim.claimant;
        let node = part.nodes.get(&book.symmetry_key(p)).filter(|_| mine && outcome.is_none());
        let here = if node.is_some() { Some(book.symmetry_key(p)) } else { above };
        let mut steps: Vec<StrategyMove> = Vec::new();
        let mut met = Vec::new();
        let moves: Vec<R::Move> = match (outcome, mine) {
            _ if self.superko.is_some() => Vec::new(),
            (Some(_), _) => Vec::new(),
            (None, true) => part.answer(book, p).into_iter().collect(),
            (None, false) => {
                let mut moves = MoveList::new();
                book.moves(p, &mut moves);
                moves.iter().collect()
            }
        };
        for m in moves {
            let next = book.play(p, m);
            let (outcome, key) = (book.outcome(&next), book.symmetry_key(&next));
            let theirs = book.turn(&next) != part.claim.claimant;
            let answer = match outcome {
                None if !theirs => part.answer(book, &next),
                _ => None,
            };
            let new = !met.contains(&key);
            met.push(key);
            let positions = if new { self.weight(part, &next, here) } else { 0 };
            steps.push(StrategyMove {
                mv: book.move_text(p, m),
                place: book.footprint(p, m),
                answer: answer.map(|m| book.move_text(&next, m)),
                longest: part.longest(book, &next),
                positions,
                outcome,
                searched: !theirs && part.nodes.get(&key).is_some_and(|node| node.searched),
            });
        }
        let positions = match self.superko {
            Some(_) => size,
            None => node.map_or_else(|| steps.iter().map(|s| s.positions).sum(), |n| n.size),
        };
        let longest = match self.superko {
            Some(_) => self.checked.longest[claim].unwrap_or(0),
            None => part.longest(book, p),
        };
        StrategyPosition {
            position: book.text(p),
            turn,
            outcome,
            picture: book.picture(p),
            longest,
            positions,
            searched: node.is_some_and(|node| node.searched),
            steps,
        }
    }
}

impl<R: Notation> Walk for Walker<R> {
    fn checked(&self) -> &CheckSummary {
        &self.checked
    }

    fn claims(&self) -> Vec<Claim> {
        self.parts.iter().map(|part| part.claim).collect()
    }

    fn at(&self, claim: usize, moves: &[&str]) -> Result<Option<StrategyPosition>, ParseError> {
        let Some(part) = self.parts.get(claim) else { return Ok(None) };
        if self.superko.is_some() && !moves.is_empty() {
            return Ok(None);
        }
        let book = self.book();
        let (mut p, mut above) = (self.root, None);
        for text in moves {
            if book.outcome(&p).is_some() {
                return Ok(None);
            }
            let m = book.parse_move(&p, text)?;
            if book.turn(&p) == part.claim.claimant {
                let key = book.symmetry_key(&p);
                let kept = part.answer(book, &p).is_some_and(|answer| answer == m);
                if !kept {
                    return Ok(None);
                }
                above = Some(key);
            }
            p = book.play(&p, m);
        }
        Ok(Some(self.spot(claim, &p, above)))
    }

    fn known(&self, position: &str) -> Result<Bounds, ParseError> {
        let book = self.book();
        let p = book.parse(position)?;
        let mut known = book.values();
        if self.superko.is_some() {
            return Ok(known);
        }
        for part in self.parts.iter().filter(|part| part.covers(book, &p)) {
            match part.claim.claimant {
                Player::First => known.lo = known.lo.max(part.claim.value),
                Player::Second => known.hi = known.hi.min(part.claim.value),
            }
        }
        Ok(known)
    }
}
