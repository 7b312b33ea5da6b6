//! The walks of one block.

use super::CheckSummary;
use super::claim::{BlockWalks, ClaimCheck};
use crate::blocks::AnswerReader;
use crate::format::{Refusal, StrategyAnswer};
use crate::key_set::KeySet;
use crate::leaf::LeafSearch;
use crate::rule_book::RuleBook;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation, Value};

impl<R: Notation> BlockWalks<R::Key> for ClaimCheck<'_, R> {
    fn block(&self, i: usize, name: &str) -> Result<BlockResult<R::Key>, Refusal> {
        let block = &self.proof.blocks[i];
        let wrong = |why: String| Refusal::Wrong { place: name.into(), why };
        let (claim, blocks) = (self.proof.claim(), &self.proof.blocks);
        let acyclic = claim.allows_cycles(self.book.repetition()) != Some(true);
        if acyclic && blocks.len() > 1 {
            return Err(wrong("a win where positions can repeat must be one block".into()));
        }
        let most = usize::try_from(block.most()).unwrap_or(usize::MAX);
        let no_memory = |most| Refusal::Limit(format!("there is no memory for {most} positions"));
        let mut walk = BlockWalk {
            book: self.book,
            claim,
            acyclic,
            open: FxHashSet::default(),
            shared: blocks.len() > 1,
            // Every position that is met takes an answer, which takes a byte.
            met: KeySet::new(most).ok_or_else(|| no_memory(most))?,
            answers: AnswerReader::new(self.packed[i], self.limits.cancel),
            stack: Vec::new(),
            list: MoveList::new(),
            found: BlockResult {
                sum: CheckSummary::default(),
                proved: Vec::new(),
                put_off: Vec::new(),
            },
            leaf: LeafSearch::new(self.book, claim, self.search),
            cancel: self.limits.cancel,
        };
        let walked = block.starts.iter().try_for_each(|start| {
            let p = self.book.parse(start).map_err(|e| wrong(e.to_string()))?;
            walk.from(p).map_err(|why| match self.limits.cancel {
                Some(cancel) if cancel.load(Relaxed) => Refusal::Stopped,
                _ => wrong(why),
            })
        });
        let BlockWalk { answers, found, .. } = walk;
        answers.finish(walked, name)?;
        if found.sum.positions != block.positions {
            return Err(wrong("it does not hold as many positions as stated".into()));
        }
        Ok(found)
    }
}

/// What is still to be done.
enum BlockTask<R: Notation> {
    /// To visit a position of the claimant, with its symmetry key and its ply.
    Visit(R::Position, R::Key, u32),
    /// To note that the visit of a position is over.
    Leave(R::Key),
}

/// What the walks of a block have found: counts, and the symmetry keys of positions.
pub(super) struct BlockResult<K> {
    pub sum: CheckSummary,
    pub proved: Vec<K>,
    pub put_off: Vec<K>,
}

/// The walks of one block.
struct BlockWalk<'w, R: Notation> {
    book: RuleBook<'w, R>,
    claim: Claim,
    /// Whether the strategy must not run in a cycle.
    acyclic: bool,
    /// If so, the positions whose visits are not over.
    open: FxHashSet<R::Key>,
    /// Whether others will ask what is proved here.
    shared: bool,
    met: KeySet<R::Key>,
    answers: AnswerReader<'w>,
    stack: Vec<BlockTask<R>>,
    list: MoveList<R::Move>,
    found: BlockResult<R::Key>,
    leaf: LeafSearch<'w, R>,
    cancel: Option<&'w AtomicBool>,
}

impl<R: Notation> BlockWalk<'_, R> {
    fn from(&mut self, start: R::Position) -> Result<(), String> {
        self.look_at(1, 0)?;
        if self.book.turn(&start) == self.claim.claimant {
            self.stack.push(BlockTask::Visit(start, self.book.symmetry_key(&start), 0));
        } else {
            self.replies(&start, 0)?;
        }
        while let Some(task) = self.stack.pop() {
            match task {
                BlockTask::Visit(p, key, ply) => self.answer(&p, key, ply)?,
                BlockTask::Leave(key) => {
                    self.open.remove(&key);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn look_at(&mut self, positions: u64, ply: u32) -> Result<(), String> {
        let before = self.found.sum.looked_at;
        self.found.sum.looked_at += positions;
        self.found.sum.depth = self.found.sum.depth.max(ply);
        if before >> 14 != self.found.sum.looked_at >> 14
            && self.cancel.is_some_and(|cancel| cancel.load(Relaxed))
        {
            return Err(String::new());
        }
        Ok(())
    }

    fn end(&mut self, p: &R::Position, value: Value) -> Result<(), String> {
        self.found.sum.ends += 1;
        self.found.sum.entries += u64::from(self.book.is_database_entry(p));
        match self.claim.is_kept_by(value) {
            true => Ok(()),
            false => Err(format!("the game ends with the value {value} at {}", self.book.text(p))),
        }
    }

    /// Takes note of all replies of the opponent, the first last.
    #[inline]
    fn replies(&mut self, p: &R::Position, ply: u32) -> Result<(), String> {
        if let Some(value) = self.book.expand(p, &mut self.list) {
            return self.end(p, value);
        }
        self.look_at(self.list.len() as u64, ply + 1)?;
        // What comes first on the stack is fetched first, and looked at when its turn comes.
        let first = self.stack.len();
        for m in self.list.iter() {
            let child = self.book.play(p, m);
            let key = self.book.symmetry_key(&child);
            self.met.fetch(self.met.place(key));
            self.stack.push(BlockTask::Visit(child, key, ply + 1));
        }
        self.stack[first..].reverse();
        Ok(())
    }

    /// Visits a position of the claimant. One that has been met is not over: it need not be expanded.
    #[inline]
    fn answer(&mut self, p: &R::Position, key: R::Key, ply: u32) -> Result<(), String> {
        let place = self.met.place(key);
        if self.met.contains(key, place) {
            return match self.acyclic && self.open.contains(&key) {
                false => Ok(()),
                true => Err(format!("the strategy runs in a circle at {}", self.book.text(p))),
            };
        }
        if let Some(value) = self.book.expand(p, &mut self.list) {
            return self.end(p, value);
        }
        let Some(answer) = self.answers.next() else {
            return Err(format!("there is no answer for {}", self.book.text(p)));
        };
        self.met.insert(key, place);
        if answer == StrategyAnswer::PutOff {
            self.found.put_off.push(key);
            return Ok(());
        }
        self.found.sum.positions += 1;
        if self.shared {
            self.found.proved.push(key);
        }
        let StrategyAnswer::Play(at) = answer else {
            return self.search(p, ply);
        };
        let Some(chosen) = self.list.scored().get(at) else {
            let (text, of) = (self.book.text(p), self.list.len());
            return Err(format!("the answer for {text} is move {} of {of}", at + 1));
        };
        let next = self.book.play(p, chosen.mv);
        if self.acyclic {
            self.open.insert(key);
            self.stack.push(BlockTask::Leave(key));
        }
        self.look_at(1, ply + 1)?;
        self.replies(&next, ply + 1)
    }

    /// Searches a position that is left to the checker.
    fn search(&mut self, p: &R::Position, ply: u32) -> Result<(), String> {
        let found = self.leaf.search(p);
        self.found.sum.searched += 1;
        self.found.sum.ends += found.ends;
        self.found.sum.entries += found.entries;
        // The position itself has been counted.
        self.look_at(found.looked_at.saturating_sub(1), ply)?;
        match found.kept {
            Some(true) => Ok(()),
            Some(false) => Err(format!("the claim cannot be kept at {}", self.book.text(p))),
            None => Err(format!("there is too much to search at {}", self.book.text(p))),
        }
    }
}
