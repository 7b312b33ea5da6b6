//! Writing a strategy down.
//!
//! The walk is the checker's ([`check`](mod@crate::check)), only that the moves come from someone who knows
//! them, the [`Advisor`]. When a block has its number of positions, what the walk still meets is put off;
//! the next block starts from there, unless it has been proved meanwhile.

use crate::format::{Answers, Claim};
use crate::progress;
use crate::rules::Rules;
use rustc_hash::FxHashSet;
use zermelo_game::Game;

/// Positions of the claimant in a block: few enough for a walk to find its way in a small memory, and
/// for several threads to have something to do.
pub const BLOCK: u64 = 1 << 18;

/// Someone who knows a move that keeps the claim.
pub trait Advisor<G: Game> {
    /// A move of `p`, where the claimant is to move; `None` if none keeps the claim, or the work was
    /// stopped.
    fn advise(&mut self, p: &G::Position) -> Option<G::Move>;

    /// Called now and then with the number of positions written; false stops the work.
    fn goes_on(&mut self, positions: u64) -> bool {
        let _ = positions;
        true
    }
}

/// Why a strategy could not be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The advisor knows no move.
    #[error("no move is known that keeps the claim \"{claim}\" at {position}")]
    NoMove {
        /// The claim.
        claim: String,
        /// The position.
        position: String,
    },
    /// The game ends otherwise.
    #[error("the claim \"{claim}\" does not hold: the game is over at {position}")]
    Broken {
        /// The claim.
        claim: String,
        /// The position.
        position: String,
    },
    /// The work was stopped.
    #[error("stopped before the proof was written")]
    Stopped,
    /// The game has no certificates.
    #[error("{0}")]
    Unsupported(String),
}

/// Writes the strategy that keeps a claim from `root`, in blocks of so many positions.
pub fn write<G: Game>(
    game: &G,
    root: &G::Position,
    claim: Claim,
    block: u64,
    advisor: &mut dyn Advisor<G>,
) -> Result<Vec<Answers>, Failure> {
    has_certificates(game)?;
    let rules = Rules::of(game);
    if claim.allows_circles(rules.repetition()) == Some(true) {
        return Writer::new(rules, claim, block.max(1), advisor).all(root);
    }
    let mut steps = progress::Steps::towards(rules, root, claim);
    Writer::new(rules, claim, u64::MAX, &mut steps).all(root)
}

/// Whether a strategy of the game can be written down by positions; if not, why.
pub fn has_certificates<G: Game>(game: &G) -> Result<(), Failure> {
    if G::SUPERKO || G::CYCLIC && game.repetition().fixed().is_none() {
        let why = "where values hang on the line of play";
        let name = game.name();
        return Err(Failure::Unsupported(format!(
            "there are no certificates yet for {name}, {why}"
        )));
    }
    Ok(())
}

struct Writer<'w, G: Game> {
    rules: Rules<'w, G>,
    claim: Claim,
    block: u64,
    advisor: &'w mut dyn Advisor<G>,
    /// What earlier blocks prove.
    done: FxHashSet<G::Key>,
    /// What this block has met, and what of it has a move.
    met: FxHashSet<G::Key>,
    proved: Vec<G::Key>,
    /// What was put off.
    pending: Vec<G::Position>,
    positions: u64,
}

impl<'w, G: Game> Writer<'w, G> {
    fn new(
        rules: Rules<'w, G>,
        claim: Claim,
        block: u64,
        advisor: &'w mut dyn Advisor<G>,
    ) -> Writer<'w, G> {
        Writer {
            rules,
            claim,
            block,
            advisor,
            done: FxHashSet::default(),
            met: FxHashSet::default(),
            proved: Vec::new(),
            pending: Vec::new(),
            positions: 0,
        }
    }

    fn all(mut self, root: &G::Position) -> Result<Vec<Answers>, Failure> {
        let mut blocks = vec![Answers::default()];
        self.walk(*root, &mut blocks[0])?;
        loop {
            // A block is filled with walks from what was put off.
            if blocks.last().is_none_or(|b| b.positions >= self.block) && !self.pending.is_empty() {
                blocks.push(Answers::default());
                self.done.extend(self.proved.drain(..));
                self.met.clear();
            }
            let Some(p) = self.pending.pop() else {
                blocks.retain(|b| !b.starts.is_empty());
                return Ok(blocks);
            };
            let class = self.rules.class(&p);
            if self.done.contains(&class) || self.met.contains(&class) {
                continue;
            }
            if let Some(block) = blocks.last_mut() {
                self.walk(p, block)?;
            }
        }
    }

    /// Walks from a position; its answers go to the end of a block.
    fn walk(&mut self, start: G::Position, out: &mut Answers) -> Result<(), Failure> {
        out.starts.push(self.rules.text(&start));
        let mut stack = vec![start];
        while let Some(p) = stack.pop() {
            if let Some(value) = self.rules.outcome(&p) {
                if !self.claim.is_kept_by(value) {
                    let (claim, position) = (self.claim.words(), self.rules.text(&p));
                    return Err(Failure::Broken { claim, position });
                }
                continue;
            }
            let moves = self.rules.moves(&p);
            if self.rules.turn(&p) != self.claim.claimant {
                stack.extend(moves.iter().rev().map(|m| self.rules.play(&p, m)));
                continue;
            }
            let key = self.rules.class(&p);
            if !self.met.insert(key) {
                continue;
            }
            if out.positions >= self.block || self.done.contains(&key) {
                out.push(0);
                if !self.done.contains(&key) {
                    self.pending.push(p);
                }
                continue;
            }
            let advice = self.advisor.advise(&p);
            let Some(at) = advice.and_then(|m| moves.iter().position(|o| o == m)) else {
                if !self.advisor.goes_on(self.positions) {
                    return Err(Failure::Stopped);
                }
                let (claim, position) = (self.claim.words(), self.rules.text(&p));
                return Err(Failure::NoMove { claim, position });
            };
            self.proved.push(key);
            out.push(at + 1);
            out.positions += 1;
            self.positions += 1;
            if self.positions.is_multiple_of(1 << 12) && !self.advisor.goes_on(self.positions) {
                return Err(Failure::Stopped);
            }
            stack.push(self.rules.play(&p, moves.scored()[at].mv));
        }
        Ok(())
    }
}
