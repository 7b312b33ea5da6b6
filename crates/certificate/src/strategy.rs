//! The strategy of a certificate in memory: what the claimant does at each of its positions, how long the opponent
//! can hold out there, and how much of the strategy lies below.
//!
//! Positions are met by many ways; to say how much lies below one, each is counted where a walk from the root
//! meets it first, and nowhere else. So the parts of a position add up to it.

use crate::blocks::AnswerReader;
use crate::format::{Certificate, Refusal, StrategyAnswer, name};
use crate::leaf::LeafSearch;
use crate::rule_book::RuleBook;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use zermelo_game::Claim;
use zermelo_game::{MoveList, Notation};

/// What the claimant does at a position and at its images.
pub(crate) struct StrategyNode<K> {
    /// The position after its move.
    pub next: K,
    /// Plies to the end from here, at most.
    pub longest: u32,
    /// Whether the move was found by a search of the checker.
    pub searched: bool,
    /// Positions of the claimant first met from here on, with this one.
    pub size: u64,
    /// The claimant's position before it on the walk that met it first; none at the first.
    pub parent: Option<K>,
}

/// The strategy of a claim.
pub(crate) struct StrategyTable<R: Notation> {
    pub claim: Claim,
    pub nodes: FxHashMap<R::Key, StrategyNode<R::Key>>,
    /// Whether play along it can repeat a position, so that no line of play is the longest.
    pub endless: bool,
    /// The most positions that there is memory for.
    most: usize,
}

/// Why a walk of a strategy ended early.
enum WalkStop {
    /// It is no walk of a certificate that has been checked.
    Lost,
    /// There are too many positions.
    Full,
}

/// A position of the walk that measures.
struct Visit<R: Notation> {
    position: R::Position,
    parent: Option<R::Key>,
    /// Whether all below has been measured.
    done: bool,
}

impl<R: Notation> StrategyTable<R> {
    /// A strategy without a position, with memory for so many.
    pub fn new(claim: Claim, most: usize) -> StrategyTable<R> {
        StrategyTable { claim, nodes: FxHashMap::default(), endless: false, most }
    }

    /// Bytes for a position: in the map of all, and in the sets of a walk. Each may have memory for more than twice
    /// of what is in it, and is copied when it grows.
    const BYTES: u64 =
        7 * (size_of::<(R::Key, StrategyNode<R::Key>)>() + 2 * size_of::<R::Key>()) as u64 / 2 + 10;

    /// The strategy of a claim of a certificate that has been checked, in so many bytes of memory.
    pub fn read(
        book: RuleBook<R>,
        certificate: &Certificate,
        part: usize,
        memory: u64,
    ) -> Result<StrategyTable<R>, Refusal> {
        let header = &certificate.header;
        let root = book.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
        let claim = &header.claims[part];
        let needs = |positions: u64| {
            let needed = positions.saturating_mul(Self::BYTES);
            Refusal::needs(&format!("a strategy of {positions} positions"), needed, memory)
        };
        let most = memory / Self::BYTES;
        if claim.positions > most {
            return Err(needs(claim.positions));
        }
        let mut strategy =
            StrategyTable::new(claim.claim(), usize::try_from(most).unwrap_or(usize::MAX));
        for (i, packed) in certificate.packed(part).into_iter().enumerate() {
            let place = name(claim, i);
            let mut reader = AnswerReader::new(packed, None);
            let why = "its walks cannot be followed".into();
            let walked = strategy
                .follow(book, &packed.block.starts, &mut reader, header.search)
                .map_err(|stop| match stop {
                    WalkStop::Lost => Refusal::Wrong { place: place.clone(), why },
                    WalkStop::Full => needs(most + 1),
                });
            reader.finish(walked, &place)?;
        }
        strategy.measure(book, &root);
        Ok(strategy)
    }

    /// The walks of a block.
    fn follow(
        &mut self,
        book: RuleBook<R>,
        starts: &[String],
        answers: &mut AnswerReader,
        search: u32,
    ) -> Result<(), WalkStop> {
        let mut leaf = LeafSearch::new(book, self.claim, search);
        let (mut met, mut moves) = (FxHashSet::default(), MoveList::new());
        for start in starts {
            let mut stack = vec![book.parse(start).map_err(|_| WalkStop::Lost)?];
            while let Some(p) = stack.pop() {
                if book.outcome(&p).is_some() {
                    continue;
                }
                book.moves(&p, &mut moves);
                if book.turn(&p) != self.claim.claimant {
                    stack.extend(moves.iter().rev().map(|m| book.play(&p, m)));
                    continue;
                }
                let key = book.symmetry_key(&p);
                if !met.insert(key) {
                    continue;
                }
                if self.nodes.len() > self.most || met.len() > self.most {
                    return Err(WalkStop::Full);
                }
                match answers.next().ok_or(WalkStop::Lost)? {
                    StrategyAnswer::PutOff => {}
                    StrategyAnswer::Search => self.search(book, p, &mut leaf)?,
                    StrategyAnswer::Play(at) => {
                        let m = moves.iter().nth(at).ok_or(WalkStop::Lost)?;
                        let next = book.play(&p, m);
                        self.nodes.insert(key, node(book.symmetry_key(&next), false));
                        stack.push(next);
                    }
                }
            }
        }
        Ok(())
    }

    /// The moves that a search finds below a position that was left to it, where none is known.
    fn search(
        &mut self,
        book: RuleBook<R>,
        p: R::Position,
        leaf: &mut LeafSearch<R>,
    ) -> Result<(), WalkStop> {
        let (mut stack, mut moves) = (vec![p], MoveList::new());
        while let Some(p) = stack.pop() {
            if book.outcome(&p).is_some() {
                continue;
            }
            if book.turn(&p) != self.claim.claimant {
                book.moves(&p, &mut moves);
                stack.extend(moves.iter().map(|m| book.play(&p, m)));
                continue;
            }
            if let Entry::Vacant(place) = self.nodes.entry(book.symmetry_key(&p)) {
                let next = book.play(&p, leaf.search(&p).by.ok_or(WalkStop::Lost)?);
                place.insert(node(book.symmetry_key(&next), true));
                stack.push(next);
            }
            if self.nodes.len() > self.most {
                return Err(WalkStop::Full);
            }
        }
        Ok(())
    }

    /// The claimant's move. Several may lead to images of the same position: any of them will do.
    pub fn answer(&self, book: RuleBook<R>, p: &R::Position) -> Option<R::Move> {
        let next = self.nodes.get(&book.symmetry_key(p))?.next;
        let mut moves = MoveList::new();
        book.moves(p, &mut moves);
        moves.iter().find(|&m| book.symmetry_key(&book.play(p, m)) == next)
    }

    /// Finds out for every position how long the opponent can hold out, and how much lies below. Where the strategy has cycles
    /// it is endless, and they count once.
    fn measure(&mut self, book: RuleBook<R>, root: &R::Position) {
        // Children first: a position is measured when it is met for the second time.
        let mut stack = vec![Visit::<R> { position: *root, parent: None, done: false }];
        let (mut begun, mut moves) = (FxHashSet::default(), MoveList::new());
        while let Some(Visit { position: p, parent, done }) = stack.pop() {
            if book.outcome(&p).is_some() {
                continue;
            }
            if book.turn(&p) != self.claim.claimant {
                let after = |m| Visit { position: book.play(&p, m), parent, done: false };
                book.moves(&p, &mut moves);
                stack.extend(moves.iter().rev().map(after));
                continue;
            }
            let key = book.symmetry_key(&p);
            if !done && !begun.insert(key) {
                // A position has no number of plies yet as long as what is below it is being measured.
                self.endless |= self.nodes.get(&key).is_some_and(|node| node.longest == 0);
                continue;
            }
            let Some(m) = self.answer(book, &p) else { continue };
            let next = book.play(&p, m);
            if done {
                let longest = self.longest(book, &next) + 1;
                let mut size = 0;
                if let Some(node) = self.nodes.get_mut(&key) {
                    (node.longest, node.parent) = (longest, parent);
                    size = node.size;
                }
                if let Some(above) = parent.and_then(|parent| self.nodes.get_mut(&parent)) {
                    above.size += size;
                }
            } else {
                stack.push(Visit { position: p, parent, done: true });
                stack.push(Visit { position: next, parent: Some(key), done: false });
            }
        }
    }

    /// Plies to the end, if the opponent holds out as long as it can.
    pub fn longest(&self, book: RuleBook<R>, p: &R::Position) -> u32 {
        if book.outcome(p).is_some() {
            return 0;
        }
        if book.turn(p) == self.claim.claimant {
            return self.nodes.get(&book.symmetry_key(p)).map_or(0, |node| node.longest);
        }
        let after = |m| 1 + self.longest(book, &book.play(p, m));
        let mut moves = MoveList::new();
        book.moves(p, &mut moves);
        moves.iter().map(after).max().unwrap_or(0)
    }

    /// Whether the claim is proved at a position: the strategy has a move there, or it keeps the claim after every
    /// reply.
    pub fn covers(&self, book: RuleBook<R>, p: &R::Position) -> bool {
        if let Some(value) = book.outcome(p) {
            return self.claim.is_kept_by(value);
        }
        if book.turn(p) == self.claim.claimant {
            return self.nodes.contains_key(&book.symmetry_key(p));
        }
        let mut moves = MoveList::new();
        book.moves(p, &mut moves);
        moves.iter().all(|m| self.covers(book, &book.play(p, m)))
    }
}

fn node<K>(next: K, searched: bool) -> StrategyNode<K> {
    StrategyNode { next, longest: 0, searched, size: 1, parent: None }
}
