//! The strategy of a certificate in memory: what the claimant does at each of its positions, how long the opponent
//! can hold out there, and how much of the strategy lies below.
//!
//! Positions are met by many ways; to say how much lies below one, each is counted where a walk from the root
//! meets it first, and nowhere else. So the parts of a position add up to it.

use crate::format::{Answer, Certificate, Claim, Reader, Refusal, name};
use crate::leaf::Search;
use crate::rules::Rules;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use zermelo_game::Game;

/// What the claimant does at a position, by classes of positions.
pub(crate) struct Node<K> {
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

/// A strategy at hand.
pub(crate) struct Strategy<G: Game> {
    pub claim: Claim,
    pub nodes: FxHashMap<G::Key, Node<G::Key>>,
}

/// A position of the walk that measures.
struct Visit<G: Game> {
    position: G::Position,
    parent: Option<G::Key>,
    /// Whether all below has been measured.
    done: bool,
}

impl<G: Game> Strategy<G> {
    /// The strategy of a claim of a certificate that has been checked.
    pub fn read(
        rules: Rules<G>,
        certificate: &Certificate,
        part: usize,
    ) -> Result<Strategy<G>, Refusal> {
        let header = &certificate.header;
        let root = rules.parse(&header.position).map_err(|e| Refusal::Header(e.to_string()))?;
        let claim = header.claims[part].claim();
        let mut strategy = Strategy { claim, nodes: FxHashMap::default() };
        let answers = certificate.answers(part)?;
        for (i, block) in answers.iter().enumerate() {
            let place = name(&header.claims[part], i);
            strategy
                .follow(rules, &block.starts, &block.symbols, header.search)
                .ok_or(Refusal::Wrong { place, why: "its walks cannot be followed".into() })?;
        }
        strategy.measure(rules, &root);
        Ok(strategy)
    }

    /// The walks of a block.
    fn follow(
        &mut self,
        rules: Rules<G>,
        starts: &[String],
        symbols: &[u8],
        search: u32,
    ) -> Option<()> {
        let mut leaf = Search::new(rules, self.claim, search);
        let mut answers = Reader::new(symbols);
        let mut met = FxHashSet::default();
        for start in starts {
            let mut stack = vec![rules.parse(start).ok()?];
            while let Some(p) = stack.pop() {
                if rules.outcome(&p).is_some() {
                    continue;
                }
                let moves = rules.moves(&p);
                if rules.turn(&p) != self.claim.claimant {
                    stack.extend(moves.iter().rev().map(|m| rules.play(&p, m)));
                    continue;
                }
                let class = rules.class(&p);
                if !met.insert(class) {
                    continue;
                }
                match answers.next()? {
                    Answer::PutOff => {}
                    Answer::Search => self.search(rules, p, &mut leaf)?,
                    Answer::Play(at) => {
                        let next = rules.play(&p, moves.iter().nth(at)?);
                        self.nodes.insert(class, node(rules.class(&next), false));
                        stack.push(next);
                    }
                }
            }
        }
        Some(())
    }

    /// The moves that a search finds below a position that was left to it, where none is known.
    fn search(&mut self, rules: Rules<G>, p: G::Position, leaf: &mut Search<G>) -> Option<()> {
        let mut stack = vec![p];
        while let Some(p) = stack.pop() {
            if rules.outcome(&p).is_some() {
                continue;
            }
            if rules.turn(&p) != self.claim.claimant {
                stack.extend(rules.moves(&p).iter().map(|m| rules.play(&p, m)));
                continue;
            }
            if let Entry::Vacant(place) = self.nodes.entry(rules.class(&p)) {
                let next = rules.play(&p, leaf.search(&p).by?);
                place.insert(node(rules.class(&next), true));
                stack.push(next);
            }
        }
        Some(())
    }

    /// The claimant's move. Several may lead to images of the same position: any of them will do.
    pub fn answer(&self, rules: Rules<G>, p: &G::Position) -> Option<G::Move> {
        let next = self.nodes.get(&rules.class(p))?.next;
        let moves = rules.moves(p);
        moves.iter().find(|&m| rules.class(&rules.play(p, m)) == next)
    }

    /// Finds out for every position how long the opponent can hold out, and how much lies below. Circles, where
    /// they are allowed, count once.
    fn measure(&mut self, rules: Rules<G>, root: &G::Position) {
        // Children first: a position is measured when it is met for the second time.
        let mut stack = vec![Visit::<G> { position: *root, parent: None, done: false }];
        let mut begun = FxHashSet::default();
        while let Some(Visit { position: p, parent, done }) = stack.pop() {
            if rules.outcome(&p).is_some() {
                continue;
            }
            if rules.turn(&p) != self.claim.claimant {
                let after = |m| Visit { position: rules.play(&p, m), parent, done: false };
                stack.extend(rules.moves(&p).iter().rev().map(after));
                continue;
            }
            let class = rules.class(&p);
            if !done && !begun.insert(class) {
                continue;
            }
            let Some(m) = self.answer(rules, &p) else { continue };
            let next = rules.play(&p, m);
            if done {
                let longest = self.longest(rules, &next) + 1;
                let mut size = 0;
                if let Some(node) = self.nodes.get_mut(&class) {
                    (node.longest, node.parent) = (longest, parent);
                    size = node.size;
                }
                if let Some(above) = parent.and_then(|parent| self.nodes.get_mut(&parent)) {
                    above.size += size;
                }
            } else {
                stack.push(Visit { position: p, parent, done: true });
                stack.push(Visit { position: next, parent: Some(class), done: false });
            }
        }
    }

    /// Plies to the end, if the opponent holds out as long as it can.
    pub fn longest(&self, rules: Rules<G>, p: &G::Position) -> u32 {
        if rules.outcome(p).is_some() {
            return 0;
        }
        if rules.turn(p) == self.claim.claimant {
            return self.nodes.get(&rules.class(p)).map_or(0, |node| node.longest);
        }
        let after = |m| 1 + self.longest(rules, &rules.play(p, m));
        rules.moves(p).iter().map(after).max().unwrap_or(0)
    }

    /// Whether the claim is proved at a position: the strategy has a move there, or it keeps the claim after every
    /// reply.
    pub fn covers(&self, rules: Rules<G>, p: &G::Position) -> bool {
        if let Some(value) = rules.outcome(p) {
            return self.claim.is_kept_by(value);
        }
        if rules.turn(p) == self.claim.claimant {
            return self.nodes.contains_key(&rules.class(p));
        }
        rules.moves(p).iter().all(|m| self.covers(rules, &rules.play(p, m)))
    }
}

fn node<K>(next: K, searched: bool) -> Node<K> {
    Node { next, longest: 0, searched, size: 1, parent: None }
}
