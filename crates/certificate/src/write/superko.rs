//! Writing down a strategy that depends on the line of play: one block, in the order of the walk of [`crate::superko`].

use super::{WriteFailure, WriteLimits};
use crate::format::{Answers, StrategyAnswer};
use crate::rule_book::{BoardBook, RuleBook};
use crate::superko::{AnswerSource, SuperkoWalk};
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation, StrategySource};

/// Asks a source for answers, and keeps them.
struct Recorder<'a, R: Notation> {
    book: RuleBook<'a, R>,
    source: &'a mut dyn StrategySource<R>,
    limits: &'a WriteLimits<'a>,
    answers: Answers,
    failure: Option<WriteFailure>,
    claim: Claim,
}

impl<R: Notation> AnswerSource<R> for Recorder<'_, R> {
    fn answer(
        &mut self,
        p: &R::Position,
        boards: &[R::Key],
        moves: &MoveList<R::Move>,
    ) -> Result<StrategyAnswer, String> {
        let chosen = self.source.choose_after(p, boards);
        let positions = self.answers.positions;
        let go_on = || self.limits.go_on(&*self.source, positions);
        let goes_on = !positions.is_multiple_of(1 << 8) || go_on();
        let Some(at) = chosen.and_then(|m| moves.iter().position(|o| o == m)) else {
            let (claim, position) = (self.claim.words(), self.book.text(p));
            let stopped = !go_on();
            let no_move = WriteFailure::NoMove { claim, position };
            self.failure = Some(if stopped { WriteFailure::Stopped } else { no_move });
            return Err(String::new());
        };
        if !goes_on {
            self.failure = Some(WriteFailure::Stopped);
            return Err(String::new());
        }
        self.answers.push(StrategyAnswer::Play(at));
        self.answers.positions += 1;
        Ok(StrategyAnswer::Play(at))
    }
}

/// Writes the strategy that keeps a claim from `root`, a position without a line.
pub(super) fn write<R: Notation>(
    book: RuleBook<R>,
    boards: BoardBook<R>,
    root: &R::Position,
    claim: Claim,
    source: &mut dyn StrategySource<R>,
    limits: &WriteLimits,
) -> Result<Vec<Answers>, WriteFailure> {
    let answers = Answers { starts: vec![book.text(root)], ..Answers::default() };
    let recorder = Recorder { book, source, limits, answers, failure: None, claim };
    let mut walk = SuperkoWalk::new(book, boards, claim, recorder);
    if let Err(position) = walk.from(root) {
        let claim = claim.words();
        return Err(walk.source.failure.unwrap_or(WriteFailure::Broken { claim, position }));
    }
    Ok(vec![walk.source.answers])
}
