//! A certificate as people read it: the main line, how long the opponent can hold out, the first plies with
//! pictures.

use crate::check::{self, CheckSummary};
use crate::format::{Certificate, ClaimProof, Refusal};
use crate::rule_book::RuleBook;
use crate::strategy::StrategyTable;
use zermelo_game::Claim;
use zermelo_game::{MoveList, MoveMark, Notation, Tone};

/// The most moves that a claimant makes in a row.
const MOVES_AT_ONCE: usize = 50;

/// How much to explain.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// Replies of the opponent up to this depth.
    pub replies: u32,
    /// The most positions that are shown.
    pub positions: usize,
}

impl Default for Detail {
    fn default() -> Detail {
        Detail { replies: 2, positions: 2_000 }
    }
}

/// What people may want to know of a certificate that holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// What the check found.
    pub checked: CheckSummary,
    /// Each claim, in the order of the file.
    pub claims: Vec<ClaimExplanation>,
}

/// What people may want to know of a claim.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimExplanation {
    /// The claim.
    pub claim: Claim,
    /// The plies within which it says that play ends, if it says so.
    pub within: Option<u32>,
    /// Positions of the claimant.
    pub positions: u64,
    /// Plies to the end, if the opponent holds out as long as it can; where play is endless, with each cycle counted once.
    pub longest: u32,
    /// Whether play along the strategy can repeat positions for ever.
    pub endless: bool,
    /// Such a line.
    pub line: Vec<String>,
    /// The first plies of the strategy.
    pub tree: Branch,
}

impl ClaimExplanation {
    /// The plies of the longest play along the strategy from the position of the claim; `None` where it is endless. Where
    /// boards must not be repeated it is no longer than that. The number that
    /// [`CheckSummary::longest`] has where the check knows it.
    #[must_use]
    pub fn longest_play(&self) -> Option<u32> {
        (!self.endless).then_some(self.longest)
    }
}

/// A position, and what can happen next.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// The opponent's move that led here; none at the root, or where the claimant begins.
    pub reply: Option<String>,
    /// The claimant's answer; none where the game is over or the opponent is to move at the root.
    pub answer: Option<String>,
    /// The board before the answer, with the answer marked.
    pub picture: String,
    /// Plies that the opponent can still hold out.
    pub longest: u32,
    /// What the opponent can do, as far as it is shown.
    pub branches: Vec<Branch>,
    /// How many replies are not shown.
    pub more: usize,
}

/// Bytes for the strategy of each claim.
pub(crate) fn memory_per_claim(certificate: &Certificate, limits: &check::CheckLimits) -> u64 {
    let left = limits.memory.saturating_sub(certificate.held());
    left / certificate.header.claims.len().max(1) as u64
}

/// Checks a certificate of a game and explains it. The database of the book is the one at hand, for a certificate that
/// depends on one.
pub fn explain<R: Notation>(
    book: RuleBook<R>,
    certificate: &Certificate,
    limits: &check::CheckLimits,
    detail: &Detail,
) -> Result<Explanation, Refusal> {
    let checked = check::check(book, certificate, limits)?;
    let book = check::applicable(book, certificate);
    let memory = memory_per_claim(certificate, limits);
    let explain = |part: usize| match book.superko() {
        Some(_) => outline(book, certificate, part, checked.longest[part].unwrap_or(0)),
        None => explain_claim(book, certificate, part, detail, memory),
    };
    let claims = (0..certificate.header.claims.len()).map(explain).collect::<Result<_, _>>()?;
    Ok(Explanation { checked, claims })
}

/// What is said of a strategy that depends on the line of play: its size.
fn outline<R: Notation>(
    book: RuleBook<R>,
    certificate: &Certificate,
    part: usize,
    longest: u32,
) -> Result<ClaimExplanation, Refusal> {
    let header = &certificate.header;
    let root = book.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
    let ClaimProof { positions, .. } = header.claims[part];
    let tree = Branch {
        reply: None,
        answer: None,
        picture: book.picture(&root).to_svg(),
        longest,
        branches: Vec::new(),
        more: 0,
    };
    let claim = header.claims[part].claim();
    let (within, line) = (header.claims[part].within, Vec::new());
    Ok(ClaimExplanation { claim, within, positions, longest, endless: false, line, tree })
}

fn explain_claim<R: Notation>(
    book: RuleBook<R>,
    certificate: &Certificate,
    part: usize,
    detail: &Detail,
    memory: u64,
) -> Result<ClaimExplanation, Refusal> {
    let header = &certificate.header;
    let root = book.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
    let strategy = StrategyTable::read(book, certificate, part, memory)?;
    let mut left = detail.positions;
    let narrator = Narrator { book, strategy: &strategy };
    Ok(ClaimExplanation {
        claim: strategy.claim,
        within: header.claims[part].within,
        positions: header.claims[part].positions,
        longest: strategy.longest(book, &root),
        endless: strategy.endless,
        line: narrator.line(&root),
        tree: narrator.branch(&root, None, detail.replies, &mut left),
    })
}

/// A strategy, and the rules to follow it by.
struct Narrator<'s, R: Notation> {
    book: RuleBook<'s, R>,
    strategy: &'s StrategyTable<R>,
}

impl<R: Notation> Narrator<'_, R> {
    fn answer(&self, p: &R::Position) -> Option<R::Move> {
        self.strategy.answer(self.book, p)
    }

    fn longest(&self, p: &R::Position) -> u32 {
        self.strategy.longest(self.book, p)
    }

    /// A line in which the opponent holds out as long as it can.
    fn line(&self, root: &R::Position) -> Vec<String> {
        let book = self.book;
        let mut p = *root;
        let mut line = Vec::new();
        let longest = self.longest(root);
        while book.outcome(&p).is_none() && (line.len() as u32) < longest {
            let hardest = || {
                let mut moves = MoveList::new();
                book.moves(&p, &mut moves);
                // The first of the hardest.
                moves.iter().rev().max_by_key(|&m| self.longest(&book.play(&p, m)))
            };
            let mine = book.turn(&p) == self.strategy.claim.claimant;
            let Some(m) = (if mine { self.answer(&p) } else { hardest() }) else { break };
            line.push(book.move_text(&p, m));
            p = book.play(&p, m);
        }
        line
    }

    fn branch(
        &self,
        p: &R::Position,
        reply: Option<String>,
        replies: u32,
        left: &mut usize,
    ) -> Branch {
        let book = self.book;
        *left = left.saturating_sub(1);
        let answer = |p: &R::Position| match book.outcome(p) {
            None if book.turn(p) == self.strategy.claim.claimant => self.answer(p),
            _ => None,
        };
        // In some graphs the claimant may move several times in a row, and could do so in a cycle.
        let (mut next, mut answers) = (*p, Vec::new());
        while let Some(m) = answer(&next).filter(|_| answers.len() < MOVES_AT_ONCE) {
            answers.push(book.move_text(&next, m));
            next = book.play(&next, m);
        }
        let place = answer(p).and_then(|m| book.footprint(p, m));
        let marks = place.map(|place| MoveMark { place, tone: Tone::Win }).into_iter().collect();
        let mut branch = Branch {
            reply,
            answer: (!answers.is_empty()).then(|| answers.join(" ")),
            picture: book.picture(p).with_marks(marks).to_svg(),
            longest: self.longest(p),
            branches: Vec::new(),
            more: 0,
        };
        if book.outcome(&next).is_some() || answer(&next).is_some() {
            return branch;
        }
        let mut moves = MoveList::new();
        book.moves(&next, &mut moves);
        for m in moves.iter() {
            if replies == 0 || *left == 0 {
                branch.more += 1;
                continue;
            }
            let text = book.move_text(&next, m);
            let after = book.play(&next, m);
            branch.branches.push(self.branch(&after, Some(text), replies - 1, left));
        }
        branch
    }
}
