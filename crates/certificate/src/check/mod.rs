//! The checker.
//!
//! A *walk* starts at a position and goes depth first through all play against the claimant's strategy:
//!
//! - Where the game is over, its value must keep the claim.
//! - Where the opponent is to move, all moves are gone through, in the order of the rules.
//! - Where the claimant is to move, nothing is done if this position, or an image of it, has been met
//!   in the block before. Otherwise the next answer is read. 0: the position is proved in another
//!   block. 1: it is searched here and now, and must turn out to keep the claim (`leaf.rs`).
//!   n + 1: play the n-th move, in the order of the rules.
//!
//! A block is the answers of the walks from its starts, one after the other. What a block leaves to others
//! must be proved there: so at the end every position that was put off must be among those that some block
//! has a move for or searches. `block.rs` walks through one block, `claim.rs` through all blocks of a claim.
//!
//! **Why this is a proof.** A search is a proof by itself. The positions with a move are closed under replies: from any of
//! them the claimant's move leads to the end of the game with the claim kept, or, after any reply, to another of
//! them or to one that was searched. Where play always ends that is all. Where it can repeat a position (`CYCLIC`) and such
//! play keeps the claim, it is all, too. Where it does not, the walk must not meet a position that it is still
//! below, and there must be one block only: then the strategy has no cycle, and play along it ends.
//!
//! Where boards must not be repeated, a position has no value of its own: `superko.rs` is the walk for such games.
//! Whether the game is one is decided once for each claim, by [`RuleBook::superko`].
//!
//! A claim with length, that play ends within so many plies, has a walk of its own: [`crate::bounded`].
//!
//! **Databases.** Where a file names an endgame database, play counts as over at all positions that it knows, with the value
//! that it states. It knows all that can be reached from there, so no cycle leads out of it and back.
//!
//! **Memory.** A block's walk needs the positions of the block, and of its answers a piece at a time (`blocks.rs`). Those put
//! off to other blocks are compared by their keys, in several passes over the file if all keys together are more than the
//! memory given.

mod block;
mod bounded;
mod claim;
mod superko;

use crate::format::{Certificate, Refusal};
use crate::rule_book::RuleBook;
use claim::{ClaimCheck, ClaimPasses};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use zermelo_game::{Bounds, Notation, ParseError, Player, Repetition};

/// How to check.
#[derive(Clone, Copy, Debug)]
pub struct CheckLimits<'c> {
    /// Threads, each with a block of its own.
    pub threads: usize,
    /// Bytes for positions.
    pub memory: u64,
    /// Stops the check when set.
    pub cancel: Option<&'c AtomicBool>,
}

impl Default for CheckLimits<'_> {
    fn default() -> Self {
        CheckLimits { threads: 1, memory: 4 << 30, cancel: None }
    }
}

/// What was found to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CheckSummary {
    /// Positions of the claimant that were proved.
    pub positions: u64,
    /// Those of them that were searched.
    pub searched: u64,
    /// Positions looked at, those where the game is over included.
    pub looked_at: u64,
    /// Ends of games.
    pub ends: u64,
    /// Those of them that only a database knows.
    pub entries: u64,
    /// How deep the walk went, in plies from the start of a block. Lines of play may be longer: the walk does not go on below
    /// a position that it has met before, and a block may start in the middle of a line.
    pub depth: u32,
    /// The plies of the longest play along the strategy of each claim from its position, in the order of the file, where the check
    /// finds that out: of claims with length, and where boards must not be repeated (at most so many there, as a move
    /// that was allowed elsewhere may be forbidden). Of others the walk does not know it, as it keeps no heights;
    /// [`explain`](mod@crate::explain) works it out.
    pub longest: [Option<u32>; 2],
    /// Passes over the file.
    pub passes: u32,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// The rule book by which a certificate is checked: with a database only where its header names one.
pub(crate) fn applicable<'g, R: Notation>(
    book: RuleBook<'g, R>,
    certificate: &Certificate,
) -> RuleBook<'g, R> {
    let database = book.database().filter(|_| certificate.header.database.is_some());
    book.with_database(database)
}

/// Checks a certificate of a game. What it claims is true if this returns `Ok`. The database of the book is the one at hand,
/// for a certificate that depends on one; others are checked without it.
pub fn check<R: Notation>(
    book: RuleBook<R>,
    certificate: &Certificate,
    limits: &CheckLimits,
) -> Result<CheckSummary, Refusal> {
    check_claims(&book, certificate, limits)
}

/// A game as the parts of the check see it that do not walk. They are compiled once for all games.
trait CheckedGame {
    fn full_name(&self) -> String;
    fn values(&self) -> Bounds;
    fn repetition(&self) -> Option<Repetition>;
    fn has_superko(&self) -> bool;
    /// The digest of the database at hand, if there is one.
    fn database(&self) -> Option<&str>;
    /// Whether a text describes a position.
    fn parse(&self, text: &str) -> Result<(), ParseError>;
    /// Whether two texts describe the same position.
    fn is_same(&self, text: &str, other: &str) -> bool;
    /// Walks through the blocks of a claim, and adds what is found. Returns the plies of the longest play, where that is known.
    fn walk(
        &self,
        claim: usize,
        certificate: &Certificate,
        limits: &CheckLimits,
        checked: &mut CheckSummary,
    ) -> Result<Option<u32>, Refusal>;
}

impl<R: Notation> CheckedGame for RuleBook<'_, R> {
    fn full_name(&self) -> String {
        RuleBook::full_name(self)
    }

    fn values(&self) -> Bounds {
        RuleBook::values(self)
    }

    fn repetition(&self) -> Option<Repetition> {
        RuleBook::repetition(self)
    }

    fn has_superko(&self) -> bool {
        self.superko().is_some()
    }

    fn database(&self) -> Option<&str> {
        RuleBook::database(self).map(|database| database.digest())
    }

    fn parse(&self, text: &str) -> Result<(), ParseError> {
        RuleBook::parse(self, text).map(drop)
    }

    fn is_same(&self, text: &str, other: &str) -> bool {
        let position = |text| RuleBook::parse(self, text).ok();
        position(text).is_some_and(|p| position(other) == Some(p))
    }

    fn walk(
        &self,
        claim: usize,
        certificate: &Certificate,
        limits: &CheckLimits,
        checked: &mut CheckSummary,
    ) -> Result<Option<u32>, Refusal> {
        let (book, packed) = (applicable(*self, certificate), certificate.packed(claim));
        let (proof, search) = (&certificate.header.claims[claim], certificate.header.search);
        let job = ClaimCheck { book, proof, packed: &packed, search, limits };
        match (proof.within, book.superko()) {
            (Some(within), _) => job.within(within, checked).map(Some),
            (None, Some(boards)) => job.along_lines(boards, checked).map(Some),
            (None, None) => {
                ClaimPasses::<R::Key> { proof, limits, walks: &job }.check(checked)?;
                Ok(None)
            }
        }
    }
}

/// What [`check`] does.
fn check_claims(
    game: &dyn CheckedGame,
    certificate: &Certificate,
    limits: &CheckLimits,
) -> Result<CheckSummary, Refusal> {
    let start = Instant::now();
    let header = &certificate.header;
    let header_wrong = |why: String| Err(Refusal::Header(why));
    match (&header.database, game.database()) {
        (Some(base), None) => {
            return Err(Refusal::Database { base: base.clone(), why: "it is not at hand".into() });
        }
        (Some(base), Some(digest)) if digest != base.digest => {
            let why = format!("the one at hand is another ({digest})");
            return Err(Refusal::Database { base: base.clone(), why });
        }
        (Some(_), Some(_)) if game.has_superko() => {
            return header_wrong("where boards must not be repeated there are no databases".into());
        }
        _ => {}
    }
    if game.repetition().is_some_and(|rule| rule.fixed().is_none()) {
        return header_wrong("there are no certificates yet under this rule of repetition".into());
    }
    if header.game != game.full_name() {
        return header_wrong(format!("the game's name is written {}", game.full_name()));
    }
    game.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
    let claimants: Vec<Player> = header.claims.iter().map(|proof| proof.claimant).collect();
    if !matches!(
        claimants[..],
        [_] | [Player::First, Player::Second] | [Player::Second, Player::First]
    ) {
        return header_wrong("there are one or two claims, of different players".into());
    }
    let mut checked = CheckSummary::default();
    let limits =
        &CheckLimits { memory: limits.memory.saturating_sub(certificate.held()), ..*limits };
    for (i, proof) in header.claims.iter().enumerate() {
        let place = format!("\"{}\"", proof.words());
        let wrong = |why: &str| Err(Refusal::Wrong { place, why: why.into() });
        if !game.values().contains(proof.value) {
            return wrong("the game has no such value");
        }
        if proof.blocks.iter().any(|block| block.starts.is_empty()) {
            return wrong("a block has no start");
        }
        let sum = proof.blocks.iter().fold(0u64, |sum, block| sum.saturating_add(block.positions));
        if sum != proof.positions {
            return wrong("its blocks do not hold as many positions as stated");
        }
        let first = proof.blocks.first().and_then(|block| block.starts.first());
        if !first.is_some_and(|text| game.is_same(text, &header.position)) {
            return wrong("the proof does not start at the position of the claim");
        }
        checked.longest[i] = game.walk(i, certificate, limits, &mut checked)?;
    }
    checked.elapsed = start.elapsed();
    Ok(checked)
}
