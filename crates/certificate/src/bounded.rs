//! Claims with length: the claimant keeps its value, and play ends within so many plies, whatever the opponent does.
//!
//! The walk is that of other claims ([`check`](mod@crate::check)), with more that it keeps and less that it allows. The *height* of a
//! position is the number of plies of the longest play from there along the strategy:
//!
//! - 0 where the game is over;
//! - where the opponent is to move, one more than the largest height of a position after one of its moves;
//! - where the claimant is to move, one more than the height of the position after its answer.
//!
//! The walk goes depth first, so the height of a position is known when its visit is over. It is kept with the position; where this one
//! or an image of it is met again, the kept height is taken. A position that is met again while its visit is *not* over
//! would be a cycle: it is refused, also where play that repeats keeps the claim, as such play need not end in time. So there is one
//! block, which starts at the position of the claim, and nothing is put off. Nothing is left to a search either, and no
//! database ends the walk: neither tells how long play goes on.
//!
//! The claim holds if the height of its position is no more than `within`. The walk need not wait for that: it may stop where a line
//! becomes longer, at a position that is not over when no ply is left, or that is met again with a height that is too large.
//!
//! **Why this is a proof.** By induction in the order in which visits end: from a position whose visit is over, and from its images,
//! play along the strategy ends with the claim kept after as many plies as its height at most. No line repeats a position, so
//! no rule of repetition has a say.
//!
//! The checker and the writer share the walk; they differ in where its answers come from (`BoundedAnswers`).

use crate::height_map::{HeightMap, Met};
use crate::rule_book::RuleBook;
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation, Value};

/// Knows the answers, in the order in which the walk asks for them.
pub(crate) trait BoundedAnswers<R: Notation> {
    /// Why there is no answer.
    type Failure;

    /// The place of the claimant's move in the list of all moves, which is there.
    fn answer(
        &mut self,
        p: &R::Position,
        key: R::Key,
        moves: &MoveList<R::Move>,
    ) -> Result<usize, Self::Failure>;
}

/// What is wrong with a strategy.
pub(crate) enum BoundedFault<R: Notation, F> {
    /// The game ends with a value that breaks the claim.
    Ends(R::Position, Value),
    /// The strategy runs in a circle.
    Circle(R::Position),
    /// Play goes on here when it should be over, or may go on for so long.
    TooLong(R::Position),
    /// There is no memory for so many positions.
    Memory,
    /// The source of answers says why.
    Answer(F),
}

/// What is still to be done.
enum Task<R: Notation> {
    /// To visit a position of the claimant, with its symmetry key.
    Visit(R::Position, R::Key),
    /// To note that the visit of a position is over.
    Leave(R::Key),
}

/// The walk from the position of a claim.
pub(crate) struct BoundedWalk<'w, R: Notation, S> {
    book: RuleBook<'w, R>,
    claim: Claim,
    within: u32,
    pub(crate) source: S,
    met: HeightMap<R::Key>,
    /// The most bytes for what is kept, where it grows.
    memory: u64,
    tasks: Vec<Task<R>>,
    /// For each visit that is not over, the first of which stands for the walk itself, the largest height of the positions after it.
    highest: Vec<u32>,
    /// Plies from the start to the first positions of the claimant.
    first: u32,
    list: MoveList<R::Move>,
    pub(crate) positions: u64,
    pub(crate) looked_at: u64,
    pub(crate) ends: u64,
}

type Walked<R, S, T = ()> = Result<T, BoundedFault<R, <S as BoundedAnswers<R>>::Failure>>;

impl<'w, R: Notation, S: BoundedAnswers<R>> BoundedWalk<'w, R, S> {
    /// A walk with room for the positions of a map, and to let it grow within so many bytes.
    pub(crate) fn new(
        book: RuleBook<'w, R>,
        (claim, within): (Claim, u32),
        source: S,
        met: HeightMap<R::Key>,
        memory: u64,
    ) -> BoundedWalk<'w, R, S> {
        BoundedWalk {
            book,
            claim,
            within,
            source,
            met,
            memory,
            tasks: Vec::new(),
            highest: Vec::new(),
            first: 0,
            list: MoveList::new(),
            positions: 0,
            looked_at: 0,
            ends: 0,
        }
    }

    /// Walks from the position of the claim; returns its height.
    pub(crate) fn from(&mut self, start: &R::Position) -> Walked<R, S, u32> {
        self.looked_at += 1;
        self.highest.push(0);
        if self.book.turn(start) == self.claim.claimant {
            self.tasks.push(Task::Visit(*start, self.book.symmetry_key(start)));
        } else {
            self.first = 1;
            if self.replies(start, 0)? {
                return Ok(0);
            }
        }
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(p, key) => self.visit(&p, key)?,
                Task::Leave(key) => {
                    // The claimant's move and the opponent's reply.
                    let height = self.highest.pop().unwrap_or(0).saturating_add(2);
                    self.met.close(key, height);
                    self.note(height);
                }
            }
        }
        Ok(self.first + self.highest[0])
    }

    /// The height of a position after a reply is known.
    #[inline]
    fn note(&mut self, height: u32) {
        if let Some(highest) = self.highest.last_mut() {
            *highest = height.max(*highest);
        }
    }

    fn end(&mut self, p: &R::Position, value: Value) -> Walked<R, S> {
        self.ends += 1;
        match self.claim.is_kept_by(value) {
            true => Ok(()),
            false => Err(BoundedFault::Ends(*p, value)),
        }
    }

    /// Takes note of all replies of the opponent, the first last; true if the game is over.
    #[inline]
    fn replies(&mut self, p: &R::Position, ply: u32) -> Walked<R, S, bool> {
        if let Some(value) = self.book.expand(p, &mut self.list) {
            self.end(p, value)?;
            return Ok(true);
        }
        if ply >= self.within {
            return Err(BoundedFault::TooLong(*p));
        }
        self.looked_at += self.list.len() as u64;
        let first = self.tasks.len();
        for m in self.list.iter() {
            let child = self.book.play(p, m);
            let key = self.book.symmetry_key(&child);
            self.met.fetch(key);
            self.tasks.push(Task::Visit(child, key));
        }
        self.tasks[first..].reverse();
        Ok(false)
    }

    /// Visits a position of the claimant.
    #[inline]
    fn visit(&mut self, p: &R::Position, key: R::Key) -> Walked<R, S> {
        let ply = self.first.saturating_add(2 * (self.highest.len() as u32 - 1));
        match self.met.get(key) {
            Some(Met::Open) => return Err(BoundedFault::Circle(*p)),
            Some(Met::Height(height)) if ply.saturating_add(height) > self.within => {
                return Err(BoundedFault::TooLong(*p));
            }
            Some(Met::Height(height)) => {
                self.note(height);
                return Ok(());
            }
            None => {}
        }
        if let Some(value) = self.book.expand(p, &mut self.list) {
            return self.end(p, value);
        }
        if ply >= self.within {
            return Err(BoundedFault::TooLong(*p));
        }
        let at = self.source.answer(p, key, &self.list).map_err(BoundedFault::Answer)?;
        self.positions += 1;
        if !self.met.open(key) || self.met.bytes() > self.memory {
            return Err(BoundedFault::Memory);
        }
        let next = self.book.play(p, self.list.scored()[at].mv);
        self.looked_at += 1;
        let leave = self.tasks.len();
        self.tasks.push(Task::Leave(key));
        if self.replies(&next, ply + 1)? {
            self.tasks.truncate(leave);
            self.met.close(key, 1);
            self.note(1);
        } else {
            self.highest.push(0);
        }
        Ok(())
    }
}
