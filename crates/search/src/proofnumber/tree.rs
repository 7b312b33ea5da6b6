//! Best-first search on a tree that is kept in memory: what [`pns`](super::pns), [`pn2`](super::pn2) and
//! [`pp`](super::pp) share.
//!
//! Each round goes down to the most promising leaf, adds its children, and takes their marks back up. What
//! a mark is and how those of children make up that of their parent is for a [`BackupRule`] to say. Three
//! things keep it quick and small (Allis 1994, section 2.3):
//!
//! - The way up ends at the first node whose mark stays as it was, for then nothing changes above; and
//!   the next way down starts there.
//! - What lies below a solved node is given back. While half of the memory is free, one child is kept,
//!   the winner's move or the reply that was hardest to refute, and so a line of play.
//! - Children lie in one block, their marks in an array apart: the way up reads nothing else.
//!
//! Trees know no transpositions. Where a position can be repeated ([`Rules::CYCLIC`]), a node whose
//! position stands among its ancestors is worth what a repetition is worth; as each node has only one way to it,
//! this is exact.

use super::numbers::Numbers;
use super::view::{ChildMove, ChildrenVerdict, QuestionView};
use std::fmt::Debug;
use zermelo_game::{INLINE_MOVES, Knowledge, MoveList, Rules, Value};

/// What is noted of a node, seen by the player to move.
pub trait NodeMark: Copy + PartialEq + Debug {
    /// The mark of a solved node.
    fn known(numbers: Numbers) -> Self;
    /// The solution, if it is one.
    fn solved(&self) -> Option<Numbers>;
    /// As proof numbers, if it is made of such.
    fn numbers(&self) -> Option<Numbers> {
        None
    }
}

impl NodeMark for Numbers {
    fn known(numbers: Numbers) -> Numbers {
        numbers
    }

    #[inline(always)]
    fn solved(&self) -> Option<Numbers> {
        Numbers::solved(self).map(|_| *self)
    }

    fn numbers(&self) -> Option<Numbers> {
        Some(*self)
    }
}

/// How leaves are marked, and parents.
pub trait BackupRule {
    /// What is noted of a node.
    type Mark: NodeMark;

    /// The mark of a position that its static bounds leave open. So many moves stand before the one that
    /// led there.
    fn leaf<R: Rules, K: Knowledge<R>>(
        &self,
        view: &QuestionView<R, K>,
        p: &R::Position,
        place: u32,
    ) -> Self::Mark;

    /// The mark of a node with these children, of which there is at least one, and the child to go to:
    /// an open one, or where the node is won, one that wins.
    fn choose(&self, children: &[Self::Mark]) -> (Self::Mark, usize);
}

/// The number of the root.
pub const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// How a node is linked to others.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The parent; in a block that is not in use, the next such block.
    parent: u32,
    /// The first child.
    first: u32,
    /// Nodes expanded below, with itself: 0 before it is expanded, 1 while it is open.
    size: u32,
    /// Moves without a child are worth at most this to the player to move.
    floor: Value,
    /// How many children there are.
    count: u16,
    /// The child to go to.
    best: u16,
}

/// The position of a node, and the move that led there (none to the root).
#[derive(Clone, Copy, Debug)]
struct Place<P, M> {
    position: P,
    mv: Option<M>,
}

type PlaceOf<R> = Place<<R as Rules>::Position, <R as Rules>::Move>;

/// The pool is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// A tree that grows.
pub struct ProofNumberTree<'g, R: Rules, K: Knowledge<R>, S: BackupRule> {
    view: QuestionView<'g, R, K>,
    rule: S,
    /// Whether solved subtrees stay, to be looked at. Then numbers of nodes never change.
    keep: bool,
    marks: Vec<S::Mark>,
    links: Vec<Link>,
    places: Vec<PlaceOf<R>>,
    /// Blocks that are not in use, by their length.
    free: Vec<u32>,
    /// Nodes in use, and how many there may be.
    live: usize,
    limit: usize,
    /// From here the next way down starts: no node above would go elsewhere.
    at: u32,
    /// How deep the search is, and the deepest it has been.
    depth: u32,
    deepest: u32,
    /// The root as the caller gave it, and the positions that led to it.
    origin: R::Position,
    past: Vec<R::Position>,
    replies: Vec<ChildMove<R>>,
    /// Blocks to be given back, and whether what they cost is still to be counted.
    blocks: Vec<(u32, u16, bool)>,
    expanded: u64,
    judged: u64,
}

impl<'g, R: Rules, K: Knowledge<R>, S: BackupRule> ProofNumberTree<'g, R, K, S> {
    /// Bytes a node takes.
    pub const NODE: usize = size_of::<S::Mark>() + size_of::<Link>() + size_of::<PlaceOf<R>>();

    /// A tree of one node, which its static bounds leave open, that grows to at most `limit` nodes.
    #[must_use]
    pub fn new(
        view: QuestionView<'g, R, K>,
        p: &R::Position,
        rule: S,
        limit: usize,
    ) -> ProofNumberTree<'g, R, K, S> {
        ProofNumberTree::below(view, &[], p, rule, limit)
    }

    /// The same below a line that went through these positions, oldest first.
    #[must_use]
    pub fn below(
        view: QuestionView<'g, R, K>,
        past: &[R::Position],
        p: &R::Position,
        rule: S,
        limit: usize,
    ) -> ProofNumberTree<'g, R, K, S> {
        let mut tree = ProofNumberTree {
            view,
            rule,
            keep: false,
            marks: Vec::new(),
            links: Vec::new(),
            places: Vec::new(),
            free: vec![NONE; INLINE_MOVES + 1],
            live: 0,
            limit: 0,
            at: ROOT,
            depth: 0,
            deepest: 0,
            origin: *p,
            past: Vec::new(),
            replies: Vec::new(),
            blocks: Vec::new(),
            expanded: 0,
            judged: 0,
        };
        tree.set_limit(limit);
        let past: Vec<_> = past.iter().rev().map(|q| view.game.canonical(q)).collect();
        tree.restart(p, &past);
        tree
    }

    /// The same, with nothing ever given back: numbers of nodes stay, in the order of their making.
    #[must_use]
    pub fn kept(self) -> ProofNumberTree<'g, R, K, S> {
        ProofNumberTree { keep: true, ..self }
    }

    /// A tree for the same question with the position of a node for its root.
    #[must_use]
    pub fn beside(&self, n: u32, limit: usize) -> ProofNumberTree<'g, R, K, S>
    where
        S: Clone,
    {
        ProofNumberTree::new(self.view, self.position(n), self.rule.clone(), limit)
    }

    /// Forgets all nodes and begins with another position, which `past` (canonical positions, the latest first) led to.
    /// Costs so far stay.
    pub fn restart(&mut self, p: &R::Position, past: &[R::Position]) {
        self.marks.clear();
        self.links.clear();
        self.places.clear();
        self.free.fill(NONE);
        self.past.clear();
        self.past.extend_from_slice(past);
        // Where positions come back, all are compared in canonical form.
        let position = if R::CYCLIC { self.view.game.canonical(p) } else { *p };
        self.marks.reserve_exact(1);
        self.links.reserve_exact(1);
        self.places.reserve_exact(1);
        self.marks.push(self.rule.leaf(&self.view, &position, 0));
        self.links.push(Link { parent: NONE, first: 0, size: 0, floor: 0, count: 0, best: 0 });
        self.places.push(Place { position, mv: None });
        (self.origin, self.live, self.at, self.depth) = (*p, 1, ROOT, 0);
    }

    /// Allows so many nodes, at least one; those that are there stay.
    pub fn set_limit(&mut self, nodes: usize) {
        self.limit = nodes.clamp(1, NONE as usize - 1);
    }

    /// Gives back memory beyond so many nodes. To be called before [`restart`](Self::restart).
    pub fn shrink(&mut self, nodes: usize) {
        self.marks.truncate(nodes);
        self.links.truncate(nodes);
        self.places.truncate(nodes);
        self.marks.shrink_to(nodes);
        self.links.shrink_to(nodes);
        self.places.shrink_to(nodes);
    }

    /// Nodes there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.links.capacity()
    }

    /// Nodes in use.
    #[must_use]
    pub fn live(&self) -> usize {
        self.live
    }

    /// Nodes in use and blocks given back.
    #[must_use]
    pub fn extent(&self) -> usize {
        self.links.len()
    }

    /// Nodes expanded so far, over all roots.
    #[must_use]
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// Positions judged so far, over all roots.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// The longest way down so far.
    #[must_use]
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    // ---- Looking at nodes ------------------------------------------------------------------

    /// The mark of a node.
    #[must_use]
    #[inline(always)]
    pub fn mark(&self, n: u32) -> S::Mark {
        self.marks[n as usize]
    }

    /// The solution of the root, once it has one.
    #[must_use]
    #[inline]
    pub fn answer(&self) -> Option<Numbers> {
        self.marks[0].solved()
    }

    /// Proof and disproof number of the root, if marks are such.
    #[must_use]
    pub fn proof(&self) -> Option<[Option<u32>; 2]> {
        let numbers = self.marks[0].numbers()?;
        Some(numbers.seen_by_first(self.view.game.turn(self.position(ROOT))))
    }

    /// The position of a node, in canonical form.
    #[must_use]
    pub fn position(&self, n: u32) -> &R::Position {
        &self.places[n as usize].position
    }

    /// The move that led to a node, in the form that its parent's position has.
    #[must_use]
    pub fn move_to(&self, n: u32) -> Option<R::Move> {
        self.places[n as usize].mv
    }

    /// The parent of a node.
    #[must_use]
    pub fn parent(&self, n: u32) -> Option<u32> {
        Some(self.links[n as usize].parent).filter(|&p| p != NONE)
    }

    /// The children of a node.
    #[must_use]
    pub fn children(&self, n: u32) -> std::ops::Range<u32> {
        let link = &self.links[n as usize];
        link.first..link.first + u32::from(link.count)
    }

    /// What moves without a child are worth at most to the player to move.
    #[must_use]
    pub fn floor(&self, n: u32) -> Value {
        self.links[n as usize].floor
    }

    /// Whether the moves of a node were made.
    #[must_use]
    pub fn is_expanded(&self, n: u32) -> bool {
        self.links[n as usize].size > 0
    }

    /// The positions from a node upwards, the past of the root included.
    #[must_use]
    pub fn ancestors(&self, n: u32) -> Vec<R::Position> {
        let above = std::iter::successors(Some(n), |&n| self.parent(n));
        above.map(|n| *self.position(n)).chain(self.past.iter().copied()).collect()
    }

    // ---- Growing ---------------------------------------------------------------------------

    /// The leaf to work on next. Not to be asked of a tree whose root is solved.
    #[must_use]
    pub fn most_proving(&self) -> u32 {
        let mut n = self.at;
        while let Some(next) = self.next(n) {
            n = next;
        }
        n
    }

    #[inline(always)]
    fn next(&self, n: u32) -> Option<u32> {
        let link = &self.links[n as usize];
        (link.count > 0).then_some(link.first + u32::from(link.best))
    }

    /// Goes down to the leaf to work on, which [`back_up`](Self::back_up) has to be told of later.
    #[inline]
    pub fn descend(&mut self) -> u32 {
        let mut n = self.at;
        while let Some(next) = self.next(n) {
            n = next;
            self.depth += 1;
        }
        self.deepest = self.deepest.max(self.depth);
        n
    }

    /// Works on the most promising leaf.
    pub fn step(&mut self) -> Result<(), Full> {
        let leaf = self.descend();
        self.expand(leaf)?;
        self.back_up(leaf);
        Ok(())
    }

    /// Adds the children of a leaf, or solves it. Its parents do not know yet.
    pub fn expand(&mut self, n: u32) -> Result<(), Full> {
        let p = *self.position(n);
        let mut replies = std::mem::take(&mut self.replies);
        replies.clear();
        let expansion = self.view.expand(&p, &mut replies, |_| {}, |_, _| Numbers::ONE);
        self.judged += replies.len() as u64;
        let added = match expansion {
            ChildrenVerdict::Decided(numbers) => {
                let added = match self.keep {
                    true => self.add_replies(n, numbers.value, &replies),
                    false => Ok(()),
                };
                self.marks[n as usize] = S::Mark::known(numbers);
                added
            }
            ChildrenVerdict::Open { floor, .. } => {
                if R::CYCLIC && self.view.game.repetition().stuck().is_some() {
                    let past = self.ancestors(n);
                    replies.retain(|r| !past.contains(&r.position));
                }
                if replies.is_empty()
                    && let Some(stuck) = self.view.stuck(&p)
                {
                    self.marks[n as usize] = S::Mark::known(stuck);
                }
                self.add_replies(n, floor, &replies)
            }
        };
        if added.is_ok() {
            self.expanded += 1;
            self.links[n as usize].size = 1;
        }
        self.replies = replies;
        added
    }

    fn add_replies(&mut self, n: u32, floor: Value, replies: &[ChildMove<R>]) -> Result<(), Full> {
        let first = self.attach(n, floor, replies.len())?;
        let past = if R::CYCLIC { self.ancestors(n) } else { Vec::new() };
        let view = self.view;
        let repeated = |p: &R::Position| {
            let back = past.iter().position(|q| q == p)?;
            view.repeated(p, back + 1)
        };
        for (child, r) in (first..).zip(replies) {
            let mark = match Numbers::solved(&r.numbers) {
                Some(_) => S::Mark::known(r.numbers),
                None => match repeated(&r.position) {
                    Some(numbers) => S::Mark::known(numbers),
                    None => self.rule.leaf(&self.view, &r.position, child - first),
                },
            };
            self.fill(child, n, r.mv, r.position, mark);
        }
        Ok(())
    }

    /// Gives a leaf children that were found elsewhere.
    pub fn add_children(
        &mut self,
        n: u32,
        floor: Value,
        children: impl ExactSizeIterator<Item = (R::Move, R::Position, S::Mark)>,
    ) -> Result<(), Full> {
        let first = self.attach(n, floor, children.len())?;
        for (child, (mv, position, mark)) in (first..).zip(children) {
            self.fill(child, n, mv, position, mark);
        }
        self.links[n as usize].size = 1;
        Ok(())
    }

    /// Makes room for the children of a leaf.
    fn attach(&mut self, n: u32, floor: Value, count: usize) -> Result<u32, Full> {
        let first = if count == 0 { 0 } else { self.allocate(count).ok_or(Full)? };
        let link = &mut self.links[n as usize];
        (link.first, link.count, link.floor) = (first, count as u16, floor);
        Ok(first)
    }

    fn fill(&mut self, n: u32, parent: u32, mv: R::Move, position: R::Position, mark: S::Mark) {
        let i = n as usize;
        self.marks[i] = mark;
        self.links[i] = Link { parent, first: 0, size: 0, floor: 0, count: 0, best: 0 };
        self.places[i] = Place { position, mv: Some(mv) };
    }

    /// Tells a leaf how it was solved elsewhere, at what cost.
    pub fn settle(&mut self, n: u32, numbers: Numbers, cost: u64) {
        self.marks[n as usize] = S::Mark::known(numbers);
        self.links[n as usize].size = cost.clamp(1, u64::from(u32::MAX)) as u32;
    }

    /// Takes over the line of a tree that solved a leaf's position: the winner's move for the root in
    /// any case, the rest while half of the memory is free.
    pub fn take_line(&mut self, leaf: u32, other: &ProofNumberTree<R, K, S>) {
        let (mut n, mut from) = (leaf, ROOT);
        while other.links[from as usize].count > 0 && (2 * self.live < self.limit || n == ROOT) {
            let won = other.mark(from).solved().is_some_and(|s| s.phi == 0);
            let best = u32::from(other.links[from as usize].best);
            from = if won { other.links[from as usize].first + best } else { other.hardest(from) };
            let Place { position, mv } = other.places[from as usize];
            let child = mv.map(|mv| (mv, position, other.mark(from)));
            if self.add_children(n, 0, child.into_iter()).is_err() {
                return;
            }
            n = self.links[n as usize].first;
            self.links[n as usize].size = other.links[from as usize].size;
        }
    }

    /// Takes the marks of new children up as far as something changes.
    pub fn back_up(&mut self, leaf: u32) {
        let mut n = leaf;
        loop {
            let i = n as usize;
            let Link { first, count, floor, parent, .. } = self.links[i];
            // Only the leaf may be solved already.
            if self.marks[i].solved().is_none() {
                let children = &self.marks[first as usize..first as usize + usize::from(count)];
                let (mut mark, best) = self.rule.choose(children);
                let solved = mark.solved();
                if let Some(lost) = solved
                    && lost.delta == 0
                    && lost.value < floor
                {
                    mark = S::Mark::known(Numbers::lost(floor));
                }
                self.links[i].best = best as u16;
                if mark == self.marks[i] {
                    self.at = n;
                    return;
                }
                self.marks[i] = mark;
                if solved.is_some() && !self.keep {
                    self.collapse(n);
                }
            }
            if parent == NONE {
                self.at = ROOT;
                return;
            }
            n = parent;
            self.depth -= 1;
        }
    }

    // ---- Memory ----------------------------------------------------------------------------

    /// A block of nodes in a row.
    fn allocate(&mut self, long: usize) -> Option<u32> {
        if long >= self.free.len() {
            self.free.resize(long + 1, NONE);
        }
        let first = if self.free[long] != NONE {
            self.unlink(long)
        } else if self.grow(long) {
            (self.links.len() - long) as u32
        } else {
            let longer = (long + 1..self.free.len()).find(|&l| self.free[l] != NONE)?;
            let first = self.unlink(longer);
            self.link(first + long as u32, longer - long);
            first
        };
        self.live += long;
        Some(first)
    }

    fn unlink(&mut self, long: usize) -> u32 {
        let first = self.free[long];
        self.free[long] = self.links[first as usize].parent;
        first
    }

    fn link(&mut self, first: u32, long: usize) {
        self.links[first as usize].parent = self.free[long];
        self.free[long] = first;
    }

    /// Makes the arrays longer; false if they may not be. They are enlarged in steps, and large ones are
    /// moved by the system without a copy, so that the limit holds meanwhile.
    fn grow(&mut self, by: usize) -> bool {
        let wanted = self.links.len() + by;
        if wanted > self.limit {
            return false;
        }
        if wanted > self.links.capacity() {
            let room = (wanted + wanted / 4 + 64).min(self.limit) - self.links.len();
            let reserved = self.marks.try_reserve_exact(room).is_ok()
                && self.places.try_reserve_exact(room).is_ok()
                && self.links.try_reserve_exact(room).is_ok();
            if !reserved {
                return false;
            }
        }
        let (mark, link, place) = (self.marks[0], self.links[0], self.places[0]);
        self.marks.resize(wanted, mark);
        self.links.resize(wanted, link);
        self.places.resize(wanted, place);
        true
    }

    /// Gives back what lies below a solved node, but for a line while there is room.
    fn collapse(&mut self, n: u32) {
        let Link { first, count, best, .. } = self.links[n as usize];
        if count == 0 {
            return;
        }
        let won = self.marks[n as usize].solved().is_some_and(|s| s.phi == 0);
        let chosen = if won { first + u32::from(best) } else { self.hardest(n) };
        let keeps = 2 * self.live < self.limit;
        let mut size = 1_u32;
        self.blocks.push((first, count, true));
        while let Some((from, count, counts)) = self.blocks.pop() {
            for i in from..from + u32::from(count) {
                let link = self.links[i as usize];
                size = size.saturating_add(if counts { link.size } else { 0 });
                if link.count > 0 && !(keeps && i == chosen) {
                    // The size of a solved node contains that of its line already.
                    let open = self.marks[i as usize].solved().is_none();
                    self.blocks.push((link.first, link.count, open));
                }
            }
            if from != first {
                self.release(from, count);
            }
        }
        let link = &mut self.links[n as usize];
        (link.size, link.best) = (size, 0);
        if !keeps {
            link.count = 0;
            self.release(first, count);
            return;
        }
        link.count = 1;
        let (to, from) = (first as usize, chosen as usize);
        self.marks[to] = self.marks[from];
        self.links[to] = self.links[from];
        self.places[to] = self.places[from];
        for child in self.children(first) {
            self.links[child as usize].parent = first;
        }
        if count > 1 {
            self.release(first + 1, count - 1);
        }
    }

    fn release(&mut self, first: u32, count: u16) {
        self.live -= usize::from(count);
        self.link(first, count.into());
    }

    /// The child that took most work.
    fn hardest(&self, n: u32) -> u32 {
        let size = |&i: &u32| self.links[i as usize].size;
        self.children(n).rev().max_by_key(size).unwrap_or(n)
    }

    // ---- Lines -----------------------------------------------------------------------------

    /// The moves to go to: the proof's where nodes are solved, with the replies that were hardest to
    /// refute; the most promising where they are open.
    #[must_use]
    pub fn line(&self) -> Vec<R::Move> {
        let game = self.view.game;
        let (mut n, mut p) = (ROOT, self.origin);
        let mut line = Vec::new();
        loop {
            let Link { first, count, best, .. } = self.links[n as usize];
            let solved = self.mark(n).solved();
            if count == 0 {
                // The game may end by a repetition here.
                if R::CYCLIC && self.ancestors(n).iter().skip(1).any(|q| q == self.position(n)) {
                    return line;
                }
                if let Some(won) = solved.filter(|s| s.phi == 0) {
                    line.extend(self.winning(&p, won.value));
                } else if line.is_empty() && solved.is_some() && game.outcome(&p).is_none() {
                    let mut list = MoveList::new();
                    game.moves(&p, &mut list);
                    let forbids = R::CYCLIC && game.repetition().stuck().is_some();
                    let back = |m| self.past.contains(&game.canonical(&game.play(&p, m)));
                    line.extend(list.iter().find(|&m| !forbids || !back(m)));
                }
                return line;
            }
            let lost = solved.is_some_and(|s| s.delta == 0);
            n = if lost { self.hardest(n) } else { first + u32::from(best) };
            let Some(m) = self.view.way(&p, self.position(n)) else { return line };
            line.push(m);
            p = game.play(&p, m);
        }
    }

    /// A move that gets `value`, which is more than the goal asks for or just that, by what is known without search.
    fn winning(&self, p: &R::Position, value: Value) -> Option<R::Move> {
        let game = self.view.game;
        if game.outcome(p).is_some() {
            return None;
        }
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        let wins = |m: &R::Move| {
            let judged = self.view.judge(&game.play(p, *m));
            judged.is_some_and(|numbers| numbers.delta == 0 && -numbers.value >= value)
        };
        list.iter().find(wins)
    }
}
