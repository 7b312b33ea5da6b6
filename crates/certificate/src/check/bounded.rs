//! Checking a claim with length: one block, in the order of the walk of [`crate::bounded`].

use super::CheckSummary;
use super::claim::ClaimCheck;
use crate::blocks::{self, AnswerReader};
use crate::bounded::{BoundedAnswers, BoundedFault, BoundedWalk};
use crate::format::{self, Refusal, StrategyAnswer};
use crate::height_map::HeightMap;
use crate::rule_book::RuleBook;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use zermelo_game::{MoveList, Notation};

/// The answers of a block.
struct Written<'a, R: Notation> {
    book: RuleBook<'a, R>,
    reader: AnswerReader<'a>,
    count: u64,
    cancel: Option<&'a AtomicBool>,
}

impl<R: Notation> BoundedAnswers<R> for Written<'_, R> {
    /// In words; none if the check was stopped.
    type Failure = String;

    #[inline]
    fn answer(
        &mut self,
        p: &R::Position,
        _: R::Key,
        moves: &MoveList<R::Move>,
    ) -> Result<usize, String> {
        self.count += 1;
        if self.count.is_multiple_of(1 << 12) && self.cancel.is_some_and(|flag| flag.load(Relaxed))
        {
            return Err(String::new());
        }
        let of = moves.len();
        match self.reader.next() {
            Some(StrategyAnswer::Play(at)) if at < of => Ok(at),
            Some(StrategyAnswer::Play(at)) => {
                Err(format!("the answer for {} is move {} of {of}", self.book.text(p), at + 1))
            }
            Some(_) => Err(format!(
                "there must be a move at {}: a claim with a length leaves nothing open",
                self.book.text(p)
            )),
            None => Err(format!("there is no answer for {}", self.book.text(p))),
        }
    }
}

impl<R: Notation> ClaimCheck<'_, R> {
    /// Checks that the claim is kept and that play ends within so many plies, and adds what was found. Returns the plies of the
    /// longest play.
    pub(super) fn within(&self, within: u32, checked: &mut CheckSummary) -> Result<u32, Refusal> {
        let name = format::name(self.proof, 0);
        let wrong = |why: String| Refusal::Wrong { place: name.clone(), why };
        if self.book.superko().is_some() {
            let why = "where boards must not be repeated no claim has a length";
            return Err(wrong(why.into()));
        }
        if self.book.database().is_some() {
            return Err(wrong("a claim with a length does not rest on a database".into()));
        }
        let [block] = &self.proof.blocks[..] else {
            return Err(wrong("a claim with a length has one block".into()));
        };
        let [start] = &block.starts[..] else {
            return Err(wrong("a claim with a length has one start".into()));
        };
        let p = self.book.parse(start).map_err(|e| wrong(e.to_string()))?;
        // Every position that is met takes an answer, which takes a byte; a few more for the visits that are not over.
        let most = block.most();
        let needed = HeightMap::<R::Key>::bytes_for(most)
            .saturating_add(most.saturating_mul(2 * size_of::<R::Key>() as u64))
            .saturating_add(blocks::READER_BYTES);
        if needed > self.limits.memory {
            let what = format!("a block of {most} answers with heights");
            return Err(Refusal::needs(&what, needed, self.limits.memory));
        }
        let met = usize::try_from(most).ok().and_then(HeightMap::new);
        let no_memory = || Refusal::Limit(format!("there is no memory for {most} positions"));
        let met = met.ok_or_else(no_memory)?;
        let cancel = self.limits.cancel;
        let reader = AnswerReader::new(self.packed[0], cancel);
        let source = Written { book: self.book, reader, count: 0, cancel };
        let claim = (self.proof.claim(), within);
        let mut walk = BoundedWalk::new(self.book, claim, source, met, u64::MAX);
        let walked = walk.from(&p).map_err(|fault| {
            let text = |p| self.book.text(&p);
            match fault {
                _ if cancel.is_some_and(|flag| flag.load(Relaxed)) => Refusal::Stopped,
                BoundedFault::Ends(p, value) => {
                    wrong(format!("the game ends with the value {value} at {}", text(p)))
                }
                BoundedFault::Circle(p) => {
                    wrong(format!("the strategy runs in a circle at {}", text(p)))
                }
                BoundedFault::TooLong(p) => {
                    wrong(format!("a line of play goes on after {within} plies: see {}", text(p)))
                }
                BoundedFault::Memory => no_memory(),
                BoundedFault::Answer(why) => wrong(why),
            }
        });
        let BoundedWalk { source, positions, looked_at, ends, .. } = walk;
        let longest = source.reader.finish(walked, &name)?;
        if positions != block.positions {
            return Err(wrong("it does not hold as many positions as stated".into()));
        }
        checked.positions += positions;
        checked.looked_at += looked_at;
        checked.ends += ends;
        checked.depth = checked.depth.max(longest);
        checked.passes += 1;
        Ok(longest)
    }
}
