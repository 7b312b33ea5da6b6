//! Strategies that depend on the line of play: games in which boards must not be repeated (positional superko).
//!
//! There a position has no value of its own, and a move that keeps a claim after one line may be forbidden after
//! another. So the walk carries the boards of its line. What it has proved of a position it may use again after
//! another line only where that proof holds there, word for word. For that each proof remembers two sets of boards:
//!
//! - what it *makes*: the boards after the claimant's moves in it. None of them may have stood before.
//! - what it *needs*: boards before the position that kept a reply of the opponent from being made. All of them
//!   must have stood before.
//!
//! **Why that is enough.** Let a proof of a position hold after some line, and let another line lead to the same
//! position such that it has made none of the boards that the proof makes, and all that it needs. Follow the
//! proof. The boards since the position are the same in both cases. A move of the claimant makes a board
//! that did not stand since then, as it was allowed in the proof, nor before, as it is one that the proof makes. A
//! reply that the proof does not answer was forbidden by a board since the position, which forbids it again, or by one
//! that the proof needs. So the claimant can go on until the game is over, with the same end as in the
//! proof. (Replies that the proof answers may be forbidden now: so much the better.) Lines end, as boards cannot be
//! repeated and two passes end the game.
//!
//! The checker and the writer go the same walk; they differ in where its answers come from ([`AnswerSource`]).

use crate::format::StrategyAnswer;
use crate::rule_book::{BoardBook, RuleBook};
use rustc_hash::{FxHashMap, FxHashSet};
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation};

/// Knows the answers, in the order in which the walk asks for them.
pub(crate) trait AnswerSource<R: Notation> {
    /// The place of the claimant's move in the list of all moves; the boards of the line, the present one last.
    fn answer(
        &mut self,
        p: &R::Position,
        line: &[R::Key],
        moves: &MoveList<R::Move>,
    ) -> Result<StrategyAnswer, String>;
}

/// The proof of a position, as far as others may want to use it.
struct Proof<B> {
    makes: Box<[B]>,
    needs: Box<[B]>,
    /// Plies to the end, at most.
    height: u32,
}

/// What a proof takes besides its boards.
const PROOF_BYTES: u64 = 64;

/// A position of the line whose visit is not over.
struct Frame<R: Notation> {
    board: R::Key,
    /// What is left to visit.
    left: Vec<R::Position>,
    makes: FxHashSet<R::Key>,
    needs: FxHashSet<R::Key>,
    /// The claimant's position, under which the proof is kept.
    key: Option<R::Key>,
    /// Plies to the end, at most, as far as has been visited.
    height: u32,
}

/// A walk through all play against a strategy.
pub(crate) struct SuperkoWalk<'w, R: Notation, S> {
    book: RuleBook<'w, R>,
    boards: BoardBook<'w, R>,
    claim: Claim,
    pub(crate) source: S,
    proofs: FxHashMap<R::Key, Vec<Proof<R::Key>>>,
    frames: Vec<Frame<R>>,
    /// The boards of the line.
    line: Vec<R::Key>,
    list: MoveList<R::Move>,
    /// Bytes for boards, and how many are taken.
    pub(crate) memory: u64,
    pub(crate) kept: u64,
    /// Positions of the claimant with an answer, positions looked at, ends, the longest line.
    pub(crate) positions: u64,
    pub(crate) looked_at: u64,
    pub(crate) ends: u64,
    pub(crate) depth: u32,
}

impl<'w, R: Notation, S: AnswerSource<R>> SuperkoWalk<'w, R, S> {
    pub(crate) fn new(
        book: RuleBook<'w, R>,
        boards: BoardBook<'w, R>,
        claim: Claim,
        source: S,
    ) -> SuperkoWalk<'w, R, S> {
        SuperkoWalk {
            book,
            boards,
            claim,
            source,
            proofs: FxHashMap::default(),
            frames: Vec::new(),
            line: Vec::new(),
            list: MoveList::new(),
            memory: u64::MAX,
            kept: 0,
            positions: 0,
            looked_at: 0,
            ends: 0,
            depth: 0,
        }
    }

    /// Walks from a position that comes without a line. Returns how many plies play along the strategy has at most: a proof
    /// that is used counts with the plies that were visited below it, of which some may be forbidden here.
    pub(crate) fn from(&mut self, start: &R::Position) -> Result<u32, String> {
        self.line.extend(self.boards.board_before(start));
        self.visit(start)?;
        let mut height = 0;
        while let Some(frame) = self.frames.last_mut() {
            match frame.left.pop() {
                Some(next) => self.visit(&next)?,
                None => height = self.leave(),
            }
            if self.kept > self.memory {
                return Err(format!("more than {} MiB of boards", self.memory >> 20));
            }
        }
        Ok(height)
    }

    fn visit(&mut self, p: &R::Position) -> Result<(), String> {
        self.looked_at += 1;
        self.depth = self.depth.max(self.frames.len() as u32);
        let (book, boards) = (self.book, self.boards);
        if let Some(value) = book.expand(p, &mut self.list) {
            self.ends += 1;
            self.note(0);
            return match self.claim.is_kept_by(value) {
                true => Ok(()),
                false => Err(format!("the game ends with the value {value} at {}", book.text(p))),
            };
        }
        let board = boards.board(p);
        let mine = book.turn(p) == self.claim.claimant;
        let key = mine.then(|| book.key(p));
        if let Some(key) = &key
            && self.is_proved(key, board)
        {
            return Ok(());
        }
        self.line.push(board);
        let (mut left, mut makes, mut needs) =
            (Vec::new(), FxHashSet::default(), FxHashSet::default());
        if mine {
            let StrategyAnswer::Play(at) = self.source.answer(p, &self.line, &self.list)? else {
                return Err(format!("there must be a move at {}", book.text(p)));
            };
            let Some(chosen) = self.list.scored().get(at) else {
                let (text, of) = (book.text(p), self.list.len());
                return Err(format!("the answer for {text} is move {} of {of}", at + 1));
            };
            let next = book.play(p, chosen.mv);
            let made = boards.board(&next);
            if made != board {
                if self.line.contains(&made) {
                    return Err(format!("the answer for {} brings a board back", book.text(p)));
                }
                makes.insert(made);
            }
            self.positions += 1;
            left.push(next);
        } else {
            for m in self.list.iter().rev() {
                let next = book.play(p, m);
                let made = boards.board(&next);
                if made != board && self.line.contains(&made) {
                    needs.insert(made);
                } else {
                    left.push(next);
                }
            }
        }
        self.frames.push(Frame { board, left, makes, needs, key, height: 0 });
        Ok(())
    }

    /// The position before the end of the line is at least one ply farther from the end of the game than this one.
    fn note(&mut self, height: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.height = frame.height.max(height.saturating_add(1));
        }
    }

    /// Whether a proof of a position holds after this line; if so the position before makes and needs what
    /// it does.
    fn is_proved(&mut self, key: &R::Key, board: R::Key) -> bool {
        let Some(proofs) = self.proofs.get(key) else { return false };
        let stood = |b: &R::Key| *b == board || self.line.contains(b);
        let holds = |proof: &&Proof<R::Key>| {
            proof.needs.iter().all(stood)
                && self.line.iter().all(|b| proof.makes.binary_search(b).is_err())
        };
        let Some(proof) = proofs.iter().find(holds) else { return false };
        if let Some(frame) = self.frames.last_mut() {
            frame.makes.extend(proof.makes.iter());
            frame.needs.extend(proof.needs.iter());
            frame.height = frame.height.max(proof.height.saturating_add(1));
        }
        true
    }

    /// A visit is over: what it has proved is kept, and passed on to the position before. Returns its height.
    fn leave(&mut self) -> u32 {
        let Some(mut frame) = self.frames.pop() else { return 0 };
        let height = frame.height;
        self.line.pop();
        self.note(height);
        // It stands at the position, whatever the line before.
        frame.needs.remove(&frame.board);
        if let Some(key) = frame.key {
            let sorted = |set: &FxHashSet<R::Key>| {
                let mut list: Vec<R::Key> = set.iter().copied().collect();
                list.sort_unstable();
                list.into_boxed_slice()
            };
            let (makes, needs) = (sorted(&frame.makes), sorted(&frame.needs));
            let proof = Proof { makes, needs, height };
            let boards = proof.makes.len() + proof.needs.len();
            self.kept += (size_of::<R::Key>() * boards) as u64 + PROOF_BYTES;
            self.proofs.entry(key).or_default().push(proof);
        }
        let Some(before) = self.frames.last_mut() else { return height };
        for (mine, theirs) in
            [(&mut frame.makes, &mut before.makes), (&mut frame.needs, &mut before.needs)]
        {
            if mine.len() > theirs.len() {
                std::mem::swap(mine, theirs);
            }
            theirs.extend(mine.drain());
        }
        height
    }
}
