//! Checking a claim of a game in which boards must not be repeated: one block, in the order of the walk of [`crate::superko`].

use super::CheckSummary;
use super::claim::ClaimCheck;
use crate::blocks::AnswerReader;
use crate::format::{self, Refusal, StrategyAnswer};
use crate::rule_book::BoardBook;
use crate::superko::{AnswerSource, SuperkoWalk};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use zermelo_game::{MoveList, Notation};

/// The answers of a block.
struct Written<'a> {
    reader: AnswerReader<'a>,
    cancel: Option<&'a AtomicBool>,
}

impl<R: Notation> AnswerSource<R> for Written<'_> {
    fn answer(
        &mut self,
        _: &R::Position,
        _: &[R::Key],
        _: &MoveList<R::Move>,
    ) -> Result<StrategyAnswer, String> {
        if self.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
            return Err(String::new());
        }
        self.reader.next().ok_or_else(|| "there are not enough answers".into())
    }
}

impl<R: Notation> ClaimCheck<'_, R> {
    /// Walks where boards must not be repeated. Returns the plies of the longest play, at most.
    pub(super) fn along_lines(
        &self,
        boards: BoardBook<R>,
        checked: &mut CheckSummary,
    ) -> Result<u32, Refusal> {
        let name = format::name(self.proof, 0);
        let wrong = |why: String| Refusal::Wrong { place: name.clone(), why };
        let [block] = &self.proof.blocks[..] else {
            return Err(wrong("where boards must not be repeated there is one block".into()));
        };
        let [start] = &block.starts[..] else {
            return Err(wrong("where boards must not be repeated there is one start".into()));
        };
        let p = self.book.parse(start).map_err(|e| wrong(e.to_string()))?;
        let cancel = self.limits.cancel;
        let source = Written { reader: AnswerReader::new(self.packed[0], cancel), cancel };
        let mut walk = SuperkoWalk::new(self.book, boards, self.proof.claim(), source);
        walk.memory = self.limits.memory;
        let walked = walk.from(&p).map_err(|why| match (cancel, walk.kept > walk.memory) {
            (Some(cancel), _) if cancel.load(Relaxed) => Refusal::Stopped,
            (_, true) => Refusal::Limit(why),
            _ => wrong(why),
        });
        let SuperkoWalk { source: Written { reader, .. }, .. } = walk;
        let longest = reader.finish(walked, &name)?;
        if walk.positions != block.positions {
            return Err(wrong("it does not hold as many positions as stated".into()));
        }
        checked.positions += walk.positions;
        checked.looked_at += walk.looked_at;
        checked.ends += walk.ends;
        checked.depth = checked.depth.max(walk.depth);
        checked.passes += 1;
        Ok(longest)
    }
}
