//! Writing down a strategy of which play ends within so many plies: one block, in the order of the walk of [`crate::bounded`].

use super::{WriteFailure, WriteLimits};
use crate::bounded::{BoundedAnswers, BoundedFault, BoundedWalk};
use crate::format::{Answers, StrategyAnswer};
use crate::height_map::HeightMap;
use crate::rule_book::RuleBook;
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation, StrategySource};

/// So many positions have room at first.
const FIRST: usize = 1 << 10;

/// Asks a source for moves, and keeps them.
struct Recorder<'a, R: Notation> {
    book: RuleBook<'a, R>,
    claim: Claim,
    source: &'a mut dyn StrategySource<R>,
    limits: &'a WriteLimits<'a>,
    answers: Answers,
}

impl<R: Notation> BoundedAnswers<R> for Recorder<'_, R> {
    type Failure = WriteFailure;

    fn answer(
        &mut self,
        p: &R::Position,
        key: R::Key,
        moves: &MoveList<R::Move>,
    ) -> Result<usize, WriteFailure> {
        let chosen = self.source.choose(p, key, moves);
        self.answers.positions += 1;
        let count = self.answers.positions;
        let go_on = || self.limits.go_on(&*self.source, count);
        if count.is_multiple_of(1 << 12) && !go_on() {
            return Err(WriteFailure::Stopped);
        }
        let Some(at) = chosen.and_then(|m| moves.iter().position(|o| o == m)) else {
            let (claim, position) = (self.claim.words(), self.book.text(p));
            return Err(match go_on() {
                true => WriteFailure::NoMove { claim, position },
                false => WriteFailure::Stopped,
            });
        };
        self.answers.push(StrategyAnswer::Play(at));
        Ok(at)
    }
}

/// Writes the strategy that keeps a claim from `root` and ends play within so many plies, to be
/// [added](crate::Certificate::add_within) to a certificate. The moves of the source have to be the fastest ones: it is asked about each
/// position once, whatever the ply at which it is met first, and if a line turns out to be longer nothing is written.
pub fn write_within<R: Notation>(
    book: RuleBook<R>,
    root: &R::Position,
    claim: Claim,
    within: u32,
    source: &mut dyn StrategySource<R>,
    limits: &WriteLimits,
) -> Result<Answers, WriteFailure> {
    if book.superko().is_some() {
        let why = "where boards must not be repeated no certificate has a length".into();
        return Err(WriteFailure::Unsupported(why));
    }
    super::has_certificates(book)?;
    // The checker goes by the rules alone.
    let book = book.with_database(None);
    let answers = Answers { starts: vec![book.text(root)], ..Answers::default() };
    let recorder = Recorder { book, claim, source, limits, answers };
    let met = HeightMap::new(FIRST).ok_or(WriteFailure::Memory(0))?;
    let mut walk = BoundedWalk::new(book, (claim, within), recorder, met, limits.memory);
    let walked = walk.from(root);
    let Recorder { answers, .. } = walk.source;
    let (claim, text) = (claim.words(), |p| book.text(&p));
    match walked {
        Ok(_) => Ok(answers),
        Err(BoundedFault::Ends(p, _)) => Err(WriteFailure::Broken { claim, position: text(p) }),
        Err(BoundedFault::Circle(p)) => Err(WriteFailure::Circle { claim, position: text(p) }),
        Err(BoundedFault::TooLong(p)) => {
            Err(WriteFailure::TooLong { claim, within, position: text(p) })
        }
        Err(BoundedFault::Memory) => Err(WriteFailure::Memory(answers.positions)),
        Err(BoundedFault::Answer(failure)) => Err(failure),
    }
}
