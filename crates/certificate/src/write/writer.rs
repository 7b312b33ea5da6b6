//! The walk that writes a strategy down, block by block.

use super::odds::SearchOdds;
use super::{StrategyLayout, WriteFailure, WriteLimits};
use crate::format::{Answers, StrategyAnswer};
use crate::leaf::{self, LeafSearch};
use crate::rule_book::RuleBook;
use crate::visited_map::VisitedMap;
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation, StrategySource, Value};

/// A position of the claimant that is still to be visited.
struct Visit<R: Notation> {
    position: R::Position,
    key: R::Key,
    ply: u32,
}

/// A strategy that is being written.
pub(super) struct Writer<'w, R: Notation> {
    book: RuleBook<'w, R>,
    claim: Claim,
    block: u64,
    leaf: LeafSearch<'w, R>,
    /// Whether anything is left to the checker.
    searches: bool,
    odds: SearchOdds,
    smaller: bool,
    source: &'w mut dyn StrategySource<R>,
    limits: &'w WriteLimits<'w>,
    list: MoveList<R::Move>,
    stack: Vec<Visit<R>>,
    /// What the block at hand has met, and what is proved.
    visited: VisitedMap<R::Key>,
    /// What was put off, with its ply.
    pending: Vec<(R::Position, u32)>,
    positions: u64,
}

impl<'w, R: Notation> Writer<'w, R> {
    pub(super) fn new(
        book: RuleBook<'w, R>,
        claim: Claim,
        layout: StrategyLayout,
        source: &'w mut dyn StrategySource<R>,
        limits: &'w WriteLimits<'w>,
    ) -> Writer<'w, R> {
        Writer {
            book,
            claim,
            block: layout.block.max(1),
            leaf: LeafSearch::new(book, claim, layout.search.min(leaf::MOST)),
            searches: layout.search > 0,
            odds: SearchOdds::default(),
            smaller: layout.smaller,
            source,
            limits,
            list: MoveList::new(),
            stack: Vec::new(),
            visited: VisitedMap::new(),
            pending: Vec::new(),
            positions: 0,
        }
    }

    /// All blocks of the strategy from `root`.
    pub(super) fn all(mut self, root: &R::Position) -> Result<Vec<Answers>, WriteFailure> {
        let (mut blocks, mut block) = (Vec::new(), Answers::default());
        self.walk(*root, 0, &mut block)?;
        while let Some((p, ply)) = self.pending.pop() {
            // A block is filled with walks from what was put off.
            if block.positions >= self.block {
                blocks.push(std::mem::take(&mut block));
                self.next_block()?;
            }
            let known = self.visited.look(self.book.symmetry_key(&p)).0;
            if !known.proved && !known.met {
                self.walk(p, ply, &mut block)?;
            }
        }
        blocks.push(block);
        blocks.retain(|b| !b.starts.is_empty());
        Ok(blocks)
    }

    /// The block at hand is full.
    fn next_block(&mut self) -> Result<(), WriteFailure> {
        self.visited.next_block();
        match self.visited.bytes() > self.limits.memory {
            true => Err(WriteFailure::Memory(self.positions)),
            false => Ok(()),
        }
    }

    fn goes_on(&self) -> bool {
        self.limits.go_on(&*self.source, self.positions)
    }

    /// Walks from a position; its answers go to the end of a block.
    fn walk(
        &mut self,
        start: R::Position,
        ply: u32,
        out: &mut Answers,
    ) -> Result<(), WriteFailure> {
        out.starts.push(self.book.text(&start));
        if self.book.turn(&start) == self.claim.claimant {
            let key = self.book.symmetry_key(&start);
            self.stack.push(Visit { position: start, key, ply });
        } else {
            self.replies(&start, ply)?;
        }
        while let Some(Visit { position: p, key, ply }) = self.stack.pop() {
            let found = self.visited.look(key);
            let known = found.0;
            if known.met {
                continue;
            }
            // What a block before proves is not over, and not proved again.
            if known.proved {
                self.visited.meet(key, found, false);
                out.push(StrategyAnswer::PutOff);
                continue;
            }
            self.source.prefetch(&p, key);
            if let Some(next) = self.stack.last() {
                self.source.prefetch(&next.position, next.key);
            }
            if let Some(value) = self.book.expand(&p, &mut self.list) {
                self.end(&p, value)?;
                continue;
            }
            let here = out.positions < self.block;
            self.visited.meet(key, found, here);
            if !here {
                out.push(StrategyAnswer::PutOff);
                self.pending.push((p, ply));
                continue;
            }
            let answer = self.answer(&p, key, ply)?;
            out.push(answer);
            out.positions += 1;
            self.positions += 1;
            if self.positions.is_multiple_of(1 << 12) && !self.goes_on() {
                return Err(WriteFailure::Stopped);
            }
            if let StrategyAnswer::Play(at) = answer {
                self.replies(&self.book.play(&p, self.list.scored()[at].mv), ply + 1)?;
            }
        }
        Ok(())
    }

    fn end(&self, p: &R::Position, value: Value) -> Result<(), WriteFailure> {
        if self.claim.is_kept_by(value) {
            return Ok(());
        }
        let (claim, position) = (self.claim.words(), self.book.text(p));
        Err(WriteFailure::Broken { claim, position })
    }

    /// Takes note of all replies of the opponent, the first last.
    #[inline]
    fn replies(&mut self, p: &R::Position, ply: u32) -> Result<(), WriteFailure> {
        if let Some(value) = self.book.expand(p, &mut self.list) {
            return self.end(p, value);
        }
        // What comes first on the stack is fetched first, and looked at when its turn comes.
        let first = self.stack.len();
        for m in self.list.iter() {
            let position = self.book.play(p, m);
            let key = self.book.symmetry_key(&position);
            self.visited.fetch(key);
            self.stack.push(Visit { position, key, ply: ply + 1 });
        }
        self.stack[first..].reverse();
        Ok(())
    }

    /// The answer for a position of the claimant, whose moves are in the list.
    fn answer(
        &mut self,
        p: &R::Position,
        key: R::Key,
        ply: u32,
    ) -> Result<StrategyAnswer, WriteFailure> {
        if self.searches && self.odds.worth_a_try(ply) {
            let short = self.leaf.search(p).kept == Some(true);
            self.odds.learn(ply, short);
            if short {
                return Ok(StrategyAnswer::Search);
            }
        }
        let chosen = self.source.choose(p, key, &self.list).map(|m| match self.smaller {
            true => self.cheapest(p, m),
            false => m,
        });
        if let Some(at) = chosen.and_then(|m| self.list.iter().position(|o| o == m)) {
            return Ok(StrategyAnswer::Play(at));
        }
        if !self.goes_on() {
            return Err(WriteFailure::Stopped);
        }
        let (claim, position) = (self.claim.words(), self.book.text(p));
        Err(WriteFailure::NoMove { claim, position })
    }
}

/// The weight of a new position where the claimant cannot end the game at once; where it can, the weight is 1.
const OPEN: u32 = 8;

impl<R: Notation> Writer<'_, R> {
    /// Of the moves that are known to keep the claim, one that asks for the fewest new positions.
    fn cheapest(&mut self, p: &R::Position, chosen: R::Move) -> R::Move {
        let mut moves = vec![chosen];
        self.source.alternatives(p, &mut moves);
        let mut best = (chosen, self.price(p, chosen, u32::MAX));
        for &m in &moves[1..] {
            if best.1 == 0 {
                break;
            }
            let price = self.price(p, m, best.1);
            if price < best.1 {
                best = (m, price);
            }
        }
        best.0
    }

    /// The new positions that a move asks for, weighted; counting stops at `enough`.
    fn price(&self, p: &R::Position, m: R::Move, enough: u32) -> u32 {
        let book = self.book;
        let next = book.play(p, m);
        if book.outcome(&next).is_some() {
            return 0;
        }
        let mut price = 0;
        let (mut replies, mut moves) = (MoveList::new(), MoveList::new());
        book.moves(&next, &mut replies);
        for reply in replies.iter() {
            let child = book.play(&next, reply);
            let key = book.symmetry_key(&child);
            let known = self.visited.look(key).0;
            if known.met || known.proved || book.outcome(&child).is_some() {
                continue;
            }
            let ends = |m| {
                let value = book.outcome(&book.play(&child, m));
                value.is_some_and(|value| self.claim.is_kept_by(value))
            };
            book.moves(&child, &mut moves);
            price += if moves.iter().any(ends) { 1 } else { OPEN };
            if price >= enough {
                break;
            }
        }
        price
    }
}
