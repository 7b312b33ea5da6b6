//! Writing a strategy down.
//!
//! The walk is the checker's ([`check`](mod@crate::check)), except that the moves come from someone who knows them, the
//! [`StrategySource`]. When a block has its number of positions, what the walk still meets is put off to others;
//! the next block starts from there, unless it has been proved meanwhile.
//!
//! - `writer.rs`: this walk. `odds.rs`: which positions are worth a search that may be left to the checker.
//! - `progress.rs`: strategies that reach the end of the game where positions can be repeated.
//! - `superko.rs`: strategies that depend on the line of play.
//! - `bounded.rs`: strategies of which play ends within so many plies.
//!
//! **Memory.** Of all positions that are met the keys are kept, 8 or 16 bytes each or more, a byte beside, and between a half and
//! twice of it again for free places between them (`visited_map.rs`), no more than [`WriteLimits::memory`] allows. Answers
//! take a byte each.

mod bounded;
mod odds;
mod progress;
mod superko;
mod writer;

use crate::format::Answers;
use crate::rule_book::RuleBook;
pub use bounded::write_within;
use writer::Writer;
use zermelo_game::Claim;
use zermelo_game::{Notation, StrategySource};

/// Positions of the claimant in a block: few enough for a walk to find its way in a small memory, and
/// for several threads to have something to do.
pub const BLOCK: u64 = 1 << 20;

/// How a strategy is laid out in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StrategyLayout {
    /// Positions of the claimant in a block.
    pub block: u64,
    /// Where no more positions than this have to be looked at, the search is left to the checker.
    pub search: u32,
    /// Whether moves are chosen that ask for few positions that are not there already, as far as a look at
    /// the replies tells.
    pub smaller: bool,
}

impl Default for StrategyLayout {
    /// Nothing is left to the checker: that makes files smaller and checks longer (BENCHMARKS.md), and files
    /// are small.
    fn default() -> StrategyLayout {
        StrategyLayout { block: BLOCK, search: 0, smaller: false }
    }
}

/// Limits of writing, and a callback that reports progress.
#[derive(Clone, Copy)]
pub struct WriteLimits<'l> {
    /// Bytes for the positions that are proved, and to find a strategy that reaches the end of the game.
    pub memory: u64,
    /// Called from time to time with the number of positions written; false stops the work.
    pub keep_going: &'l dyn Fn(u64) -> bool,
}

impl WriteLimits<'_> {
    /// No limits.
    pub const NONE: WriteLimits<'static> = WriteLimits { memory: u64::MAX, keep_going: &|_| true };

    /// Whether the work goes on: nobody stops it, and no limit of the source has struck.
    fn go_on<R: Notation>(&self, source: &dyn StrategySource<R>, positions: u64) -> bool {
        (self.keep_going)(positions) && !source.is_stopped()
    }
}

/// Why a strategy could not be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteFailure {
    /// The source knows no move.
    #[error("no move is known that keeps the claim \"{claim}\" at {position}")]
    NoMove {
        /// The claim.
        claim: String,
        /// The position.
        position: String,
    },
    /// The game ends with another value.
    #[error("the claim \"{claim}\" does not hold: the game is over at {position}")]
    Broken {
        /// The claim.
        claim: String,
        /// The position.
        position: String,
    },
    /// The strategy repeats a position, and should be over within some plies.
    #[error("the strategy for the claim \"{claim}\" runs in a circle at {position}")]
    Circle {
        /// The claim.
        claim: String,
        /// The position.
        position: String,
    },
    /// The strategy takes longer than is claimed.
    #[error(
        "the strategy for the claim \"{claim}\" takes more than {within} plies: a line goes on at {position}"
    )]
    TooLong {
        /// The claim.
        claim: String,
        /// The plies claimed.
        within: u32,
        /// A position at which play is not over in time.
        position: String,
    },
    /// What the source was told contradicts what it has proved.
    #[error("the facts contradict each other: {0}")]
    Contradiction(String),
    /// A win would have to be found among too many positions.
    #[error(
        "no way to win without circles was found among {0} positions, for which there was memory"
    )]
    Cycles(usize),
    /// There are too many positions.
    #[error("the proof has more than {0} positions, for which there was memory")]
    Memory(u64),
    /// The work was stopped.
    #[error("stopped before the proof was written")]
    Stopped,
    /// The game has no certificates.
    #[error("{0}")]
    Unsupported(String),
}

/// Writes the strategy that keeps a claim from `root`.
pub fn write<R: Notation>(
    book: RuleBook<R>,
    root: &R::Position,
    claim: Claim,
    layout: StrategyLayout,
    source: &mut dyn StrategySource<R>,
    limits: &WriteLimits,
) -> Result<Vec<Answers>, WriteFailure> {
    if let Some(boards) = book.superko() {
        return superko::write(book, boards, root, claim, source, limits);
    }
    match claim.allows_cycles(book.repetition()) {
        Some(true) => return Writer::new(book, claim, layout, source, limits).all(root),
        Some(false) => {}
        None => {
            return Err(WriteFailure::Unsupported("positions have no values of their own".into()));
        }
    }
    let mut steps = progress::StepsToEnd::towards(book, root, claim, source, limits)?;
    let one_block = StrategyLayout { block: u64::MAX, ..layout };
    Writer::new(book, claim, one_block, &mut steps, limits).all(root)
}

/// Whether there are certificates of the game; if not, why.
pub fn has_certificates<R: Notation>(book: RuleBook<R>) -> Result<(), WriteFailure> {
    if book.repetition().is_some_and(|rule| rule.fixed().is_none()) {
        return Err(WriteFailure::Unsupported(format!(
            "there are no certificates yet for {}, where values depend on the line of play",
            book.name()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::format::{Certificate, Provenance};
    use zermelo_game::{Knowledge, MoveList, Player};
    use zermelo_games::Visitor;

    /// Plays the first move there is.
    struct FirstMove;

    impl<R: Notation> StrategySource<R> for FirstMove {
        fn choose(
            &mut self,
            _: &R::Position,
            _: R::Key,
            moves: &MoveList<R::Move>,
        ) -> Option<R::Move> {
            moves.iter().next()
        }
    }

    /// Writes that the value is at least the smallest there is, and checks it.
    struct Write {
        block: u64,
        memory: u64,
    }

    impl Visitor for Write {
        type Output = Result<u64, WriteFailure>;

        fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> Self::Output {
            let Write { block, memory } = self;
            let (root, book) = (rules.start(), RuleBook::new(&rules, None));
            let claim = Claim { claimant: Player::First, value: -1 };
            let layout = StrategyLayout { block, ..StrategyLayout::default() };
            let limits = WriteLimits { memory, ..WriteLimits::NONE };
            let answers = write(book, &root, claim, layout, &mut FirstMove, &limits)?;
            let text = rules.position_text(&root);
            let mut certificate = Certificate::new(rules.name(), text, 0, Provenance::default());
            certificate.add(claim, answers);
            let checked = check::check(book, &certificate, &check::CheckLimits::default());
            Ok(checked.expect("every play keeps the claim").positions)
        }
    }

    #[test]
    fn blocks_share_out_the_positions_within_the_memory_given() {
        let write =
            |block, memory| zermelo_games::open("mnk 3x4x4", Write { block, memory }).unwrap();
        for block in [1, 7, 100, BLOCK] {
            assert!(write(block, u64::MAX).is_ok_and(|n| n > 100), "blocks of {block}");
        }
        assert!(matches!(write(7, 1_000), Err(WriteFailure::Memory(_))));
        assert!(write(BLOCK, 1_000).is_ok(), "one block needs no list of others");
    }
}
