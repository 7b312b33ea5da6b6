//! Strategies that hang on the line of play: games in which no board may come back (positional superko).
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
//! proof. (Replies that the proof answers may be forbidden now: so much the better.) Lines end, as boards cannot come
//! back and two passes end the game.

use crate::format::{Answer, Claim};
use crate::rules::Rules;
use rustc_hash::{FxHashMap, FxHashSet};
use zermelo_game::{Game, MoveList};

/// Knows the answers, in the order in which the walk asks for them.
pub(crate) trait Source<G: Game> {
    /// The place of the claimant's move in the list of all moves; the boards of the line, the present one last.
    fn answer(
        &mut self,
        p: &G::Position,
        line: &[u64],
        moves: &MoveList<G::Move>,
    ) -> Result<Answer, String>;
}

/// The proof of a position, as far as others may want to use it.
struct Proof {
    makes: Box<[u64]>,
    needs: Box<[u64]>,
}

/// What a proof takes besides its boards.
const PROOF_BYTES: u64 = 64;

/// A position of the line whose visit is not over.
struct Frame<G: Game> {
    board: u64,
    /// What is left to visit.
    left: Vec<G::Position>,
    makes: FxHashSet<u64>,
    needs: FxHashSet<u64>,
    /// The claimant's position, under which the proof is kept.
    key: Option<G::Key>,
}

/// A walk through all play against a strategy.
pub(crate) struct Walk<'w, G: Game, S> {
    pub(crate) rules: Rules<'w, G>,
    pub(crate) claim: Claim,
    pub(crate) source: S,
    proofs: FxHashMap<G::Key, Vec<Proof>>,
    frames: Vec<Frame<G>>,
    boards: Vec<u64>,
    list: MoveList<G::Move>,
    /// Bytes for boards, and how many are taken.
    pub(crate) memory: u64,
    pub(crate) kept: u64,
    /// Positions of the claimant with an answer, positions looked at, ends, the longest line.
    pub(crate) positions: u64,
    pub(crate) looked_at: u64,
    pub(crate) ends: u64,
    pub(crate) depth: u32,
}

impl<'w, G: Game, S: Source<G>> Walk<'w, G, S> {
    pub(crate) fn new(rules: Rules<'w, G>, claim: Claim, source: S) -> Walk<'w, G, S> {
        Walk {
            rules,
            claim,
            source,
            proofs: FxHashMap::default(),
            frames: Vec::new(),
            boards: Vec::new(),
            list: MoveList::new(),
            memory: u64::MAX,
            kept: 0,
            positions: 0,
            looked_at: 0,
            ends: 0,
            depth: 0,
        }
    }

    /// Walks from a position that comes without a line.
    pub(crate) fn from(&mut self, start: &G::Position) -> Result<(), String> {
        self.boards.extend(self.rules.board_before(start));
        self.visit(start)?;
        while let Some(frame) = self.frames.last_mut() {
            match frame.left.pop() {
                Some(next) => self.visit(&next)?,
                None => self.leave(),
            }
            if self.kept > self.memory {
                return Err(format!("more than {} MiB of boards", self.memory >> 20));
            }
        }
        Ok(())
    }

    fn visit(&mut self, p: &G::Position) -> Result<(), String> {
        self.looked_at += 1;
        self.depth = self.depth.max(self.frames.len() as u32);
        let rules = self.rules;
        if let Some(value) = rules.expand(p, &mut self.list) {
            self.ends += 1;
            return match self.claim.is_kept_by(value) {
                true => Ok(()),
                false => Err(format!("the game ends with the value {value} at {}", rules.text(p))),
            };
        }
        let board = rules.board(p);
        let mine = rules.turn(p) == self.claim.claimant;
        let key = mine.then(|| rules.key(p));
        if let Some(key) = &key
            && self.is_proved(key, board)
        {
            return Ok(());
        }
        self.boards.push(board);
        let (mut left, mut makes, mut needs) =
            (Vec::new(), FxHashSet::default(), FxHashSet::default());
        if mine {
            let Answer::Play(at) = self.source.answer(p, &self.boards, &self.list)? else {
                return Err(format!("there must be a move at {}", rules.text(p)));
            };
            let Some(chosen) = self.list.scored().get(at) else {
                let (text, of) = (rules.text(p), self.list.len());
                return Err(format!("the answer for {text} is move {} of {of}", at + 1));
            };
            let next = rules.play(p, chosen.mv);
            let made = rules.board(&next);
            if made != board {
                if self.boards.contains(&made) {
                    return Err(format!("the answer for {} brings a board back", rules.text(p)));
                }
                makes.insert(made);
            }
            self.positions += 1;
            left.push(next);
        } else {
            for m in self.list.iter().rev() {
                let next = rules.play(p, m);
                let made = rules.board(&next);
                if made != board && self.boards.contains(&made) {
                    needs.insert(made);
                } else {
                    left.push(next);
                }
            }
        }
        self.frames.push(Frame { board, left, makes, needs, key });
        Ok(())
    }

    /// Whether a proof of a position holds after this line; if so the position before makes and needs what
    /// it does.
    fn is_proved(&mut self, key: &G::Key, board: u64) -> bool {
        let Some(proofs) = self.proofs.get(key) else { return false };
        let stood = |b: &u64| *b == board || self.boards.contains(b);
        let holds = |proof: &&Proof| {
            proof.needs.iter().all(stood)
                && self.boards.iter().all(|b| proof.makes.binary_search(b).is_err())
        };
        let Some(proof) = proofs.iter().find(holds) else { return false };
        if let Some(frame) = self.frames.last_mut() {
            frame.makes.extend(proof.makes.iter());
            frame.needs.extend(proof.needs.iter());
        }
        true
    }

    /// A visit is over: what it has proved is kept, and passed on to the position before.
    fn leave(&mut self) {
        let Some(mut frame) = self.frames.pop() else { return };
        self.boards.pop();
        // It stands at the position, whatever the line before.
        frame.needs.remove(&frame.board);
        if let Some(key) = frame.key {
            let sorted = |set: &FxHashSet<u64>| {
                let mut list: Vec<u64> = set.iter().copied().collect();
                list.sort_unstable();
                list.into_boxed_slice()
            };
            let proof = Proof { makes: sorted(&frame.makes), needs: sorted(&frame.needs) };
            self.kept += 8 * (proof.makes.len() + proof.needs.len()) as u64 + PROOF_BYTES;
            self.proofs.entry(key).or_default().push(proof);
        }
        let Some(before) = self.frames.last_mut() else { return };
        for (mine, theirs) in
            [(&mut frame.makes, &mut before.makes), (&mut frame.needs, &mut before.needs)]
        {
            if mine.len() > theirs.len() {
                std::mem::swap(mine, theirs);
            }
            theirs.extend(mine.drain());
        }
    }
}
