//! Depth-first proof-number search (Nagai 2002): what one thread does at each node.
//!
//! The search goes down to a most-proving node and stays below a node as long as its numbers are below
//! two thresholds; all numbers are kept in the table, so that a node can be left and taken up again.
//!
//! **Results that depend on the path.** where positions can repeat, a line that does so ends with the
//! value of a repetition. A result is a fact if it rests on no repetition of a position above its own
//! node ([`FREE`]); only facts are kept in the table as solved (using them below other lines keeps the
//! root right, as the side that can force more than the repetition can do so along falling distances
//! to its goal). Other results are known to the parent, as long as it is on the path, and kept as
//! [twins](super::twins) with the positions that they rest on: so the graph-history interaction cannot
//! occur (after Kishimoto and Mueller 2004).
//!
//! **Values that depend on the line.** Under other rules of repetition a result is a fact only if it rests
//! on no repetition at all, and on no move that was forbidden. Such facts are used below any line,
//! though one of them may not hold there. The root is right all the same: the facts for one side
//! are nodes from which it forces its goal along falling distances. Where a line first enters one of
//! them none of the nodes ahead is behind it, so there the fact holds, and it decides whatever lies
//! below. Nor can the other side be shown to win there: a claim that it wins at such a node rests on
//! the line having been at one with a smaller distance, by induction, and at the first there is none.
//! Other results are twins, with what their proofs ask of a line.
//!
//! **Endless loops.** On a cyclic graph plain df-pn may go round forever, as numbers feed each other
//! along the cycle (Kishimoto and Mueller 2008). With [`Loops::Old`](super::Loops::Old), children that
//! were met no farther from the root than their parent do not count in sums (df-pn(r), Kishimoto
//! 2005). A watchdog counts visits since one of them last found something new.

use super::expand::Decided;
use super::presence::word;
use super::record::{NumbersCodec, NumbersEntry};
use super::twins::PathBasis;
use super::{Loops, Shared};
use crate::proofnumber::numbers::{
    ChildChoice, INF, MOST, NUMBER_BITS, Number, Numbers, Term, plus,
};
use crate::proofnumber::view::ChildMove;
use crate::table::{Table, TableEntry};
use std::sync::atomic::Ordering::Relaxed;
use zermelo_game::{Bounds, Knowledge, Player, Progress, Rules, Stats, Stop, Value};

/// A result that rests on nothing but the position.
pub const FREE: i32 = i32::MAX;
/// Where to unwind to: nowhere.
const STAY: i32 = i32::MAX;
/// Where to unwind to: out of the search.
pub const OUT: i32 = -1;
/// So many visits without anything new are nothing strange.
const CALM: u64 = 128;
/// Results that took 2 to this power nodes are worth telling others.
const SHARED_WORK: u32 = 5;
/// How often, in nodes, a thread tells the others where it is.
const TELL: u64 = 64;
/// After so many nodes below a child, other threads may have news of its siblings.
const NEWS: u64 = 32;
/// How often, in polls, the ancestors are looked up.
const LOOK_UP: u32 = 2;

/// What more is known of a child where positions can repeat.
#[derive(Clone)]
pub(super) struct PathInfo<K> {
    /// What a result rests on that the table must not hold; [`FREE`] if none does.
    pub rests_on: i32,
    /// Whether it was met no farther from the root than its parent.
    pub old: bool,
    /// What a result asks of the line.
    pub basis: PathBasis<K>,
}

/// A node of the path, with the thresholds it has to stay below.
pub(super) struct PathNode<K> {
    pub key: K,
    pub phi: Number,
    pub delta: Number,
}

/// What a thread has found out.
pub struct RootNumbers<M> {
    /// The numbers of the root, which are solved; `None` when the search was stopped or is to start again.
    pub numbers: Option<Numbers>,
    /// The move that decided it.
    pub best: Option<M>,
    pub stats: Stats,
}

/// A thread at work.
pub struct Worker<'w, R: Rules, K: Knowledge<R>> {
    pub(super) shared: &'w Shared<'w, R, K>,
    /// Which of the threads this is.
    number: usize,
    pub stats: Stats,
    /// Nodes since the last report to the watch, and how many may come before the next.
    pub(super) fresh: u64,
    pub(super) quota: u64,
    polls: u32,
    /// Slots filled since the last report to the table.
    pub(super) filled: u64,
    /// Visits since something new was found.
    pub(super) idle: u64,
    /// The children of all nodes on the path; where positions can repeat, with what depends on them.
    pub(super) children: Vec<ChildMove<R>>,
    pub(super) path_infos: Vec<PathInfo<R::Key>>,
    pub(super) path: Vec<PathNode<R::Key>>,
    /// Whether repetition has a fixed value, or there is none.
    pub(super) fixed: bool,
    /// What the last result asks of the line.
    pub(super) basis: PathBasis<R::Key>,
    pub unwind: i32,
    /// The numbers of the root as they were last made up.
    root: Numbers,
    /// Whose turn it is there.
    turn: Player,
    /// The move that decided the last node that was solved.
    pub best: Option<R::Move>,
}

impl<'w, R: Rules, K: Knowledge<R>> Worker<'w, R, K> {
    pub fn new(
        shared: &'w Shared<'w, R, K>,
        number: usize,
        history: &[R::Key],
    ) -> Worker<'w, R, K> {
        let outside = |&key: &R::Key| PathNode { key, phi: INF, delta: INF };
        Worker {
            shared,
            number,
            stats: Stats::default(),
            fresh: 0,
            quota: shared.run.watch.spend(0),
            polls: 0,
            filled: 0,
            idle: 0,
            children: Vec::with_capacity(4096),
            path_infos: Vec::new(),
            path: history.iter().map(outside).collect(),
            fixed: !R::CYCLIC || shared.view.game.repetition().fixed().is_some(),
            basis: PathBasis::new(),
            unwind: STAY,
            root: Numbers::ONE,
            turn: Player::First,
            best: None,
        }
    }

    /// Searches until the root is solved.
    pub fn run(mut self, root: &R::Position) -> RootNumbers<R::Move> {
        let key = self.shared.view.game.key(root);
        let mut numbers = Numbers::ONE;
        self.turn = self.shared.view.game.turn(root);
        while numbers.solved().is_none() && self.unwind == STAY {
            (numbers, _) = self.visit(root, key, 0, INF, INF);
        }
        self.report();
        let numbers = (self.unwind == STAY).then_some(numbers);
        RootNumbers { numbers, best: self.best, stats: self.stats }
    }

    /// Reports to watch, table and observer. Returns whether to go on.
    #[cold]
    fn poll(&mut self) -> bool {
        self.report();
        let shared = self.shared;
        self.quota = shared.run.watch.spend(0);
        if self.quota == 0 || shared.phase.load(Relaxed) != super::RUN {
            self.unwind = OUT;
            return false;
        }
        if shared.table.wants_to_grow() || shared.collects() && shared.table.wants_a_sweep() {
            shared.phase.store(super::MAKE_ROOM, Relaxed);
            self.unwind = OUT;
            return false;
        }
        if shared.run.watch.time_to_show() {
            let mut stats = *shared.before;
            stats.merge(&self.stats);
            stats.nodes = shared.run.watch.nodes();
            (stats.table_bytes, stats.table_permille) =
                (shared.table.bytes(), shared.table.permille());
            stats.elapsed = shared.run.watch.elapsed();
            let proof = Some(self.root.seen_by_first(self.turn));
            let (bounds, line) = (shared.run.known, Vec::new());
            (shared.run.observer)(&Progress { bounds, stats, line, proof });
        }
        self.polls += 1;
        if shared.threads > 1 && self.polls.is_multiple_of(LOOK_UP) {
            let done = |step: &PathNode<R::Key>| {
                shared.table.get(step.key).is_some_and(|known| {
                    known.numbers.phi >= step.phi || known.numbers.delta >= step.delta
                })
            };
            if let Some(ply) = self.path.iter().position(done) {
                self.unwind = ply as i32;
                return false;
            }
        }
        true
    }

    fn report(&mut self) {
        self.stats.nodes += self.fresh;
        self.shared.run.watch.spend(self.fresh);
        self.shared.table.count(self.filled);
        (self.fresh, self.filled) = (0, 0);
    }

    /// Searches below `p` until its numbers reach a threshold. Returns them, with what a result rests
    /// on. `p` is canonical, open, and not on the path.
    fn visit(
        &mut self,
        p: &R::Position,
        key: R::Key,
        distance: u32,
        most_phi: Number,
        most_delta: Number,
    ) -> (Numbers, i32) {
        let stopped = (Numbers::ONE, FREE);
        if self.fresh >= self.quota && !self.poll() {
            return stopped;
        }
        self.fresh += 1;
        let before = self.stats.nodes + self.fresh;
        let shared = self.shared;
        let met = if R::CYCLIC { shared.table.get(key) } else { None };
        let distance = met.map_or(distance, |known| known.note.min(distance));
        let ply = self.path.len();
        self.stats.depth = self.stats.depth.max(ply as u32);
        self.idle += 1;
        if self.idle > shared.patience {
            shared.run.watch.stop(Stop::Stalled);
            self.unwind = OUT;
            return stopped;
        }
        self.path.push(PathNode { key, phi: most_phi, delta: most_delta });
        if shared.threads > 1 && self.fresh.is_multiple_of(TELL) {
            shared.boards[self.number].write(self.path.iter().map(|step| step.key));
        }
        let base = self.children.len();
        let (numbers, rests_on, best) = match self.expand(p, distance) {
            Err(Decided { numbers, rests_on, best }) => (numbers, rests_on, best),
            Ok(floor) => self.descend(p, base, floor, distance, most_phi, most_delta),
        };
        self.children.truncate(base);
        if R::CYCLIC {
            self.path_infos.truncate(base);
        }
        self.path.truncate(ply);
        if self.unwind != STAY {
            if self.unwind == ply as i32 {
                // Another thread got this far; the parent looks again.
                self.unwind = STAY;
                let known = shared.table.get(key).map_or(Numbers::ONE, |known| known.numbers);
                return (known, FREE);
            }
            if self.unwind != OUT || numbers.solved().is_some() {
                return stopped;
            }
        }
        let inside = R::CYCLIC && self.fixed && rests_on >= ply as i32;
        let rests_on = if inside { FREE } else { rests_on };
        let solved = numbers.solved().is_some();
        if R::CYCLIC && solved && rests_on != FREE {
            self.keep_twin(key, numbers);
        }
        if solved {
            self.best = best;
        }
        if !solved || rests_on == FREE {
            if met.is_none_or(|known| solved && known.numbers.solved().is_none()) {
                self.idle = 0;
            }
            let work = (self.stats.nodes + self.fresh - before + 1).ilog2();
            let note = match best {
                _ if R::CYCLIC => distance.min(NumbersCodec::MOST_DISTANCE),
                Some(mv) => shared.fields.note(shared.view.game.code(mv) as u32 + 1),
                None => 0,
            };
            self.stats.stores += 1;
            let known = NumbersEntry { numbers, work, note };
            self.filled += u64::from(shared.table.put(key, &known));
            if let Some(facts) = shared.run.facts
                && solved
                && work >= SHARED_WORK
            {
                self.share(facts, p, key, &known, best);
            }
        }
        (numbers, rests_on)
    }

    /// Adds a solved position to the facts of another engine.
    #[cold]
    fn share(
        &self,
        facts: &Table<R::Key>,
        p: &R::Position,
        key: R::Key,
        known: &NumbersEntry,
        best: Option<R::Move>,
    ) {
        let game = self.shared.view.game;
        let value = known.numbers.value;
        let all = game.values().seen_by(game.turn(p));
        let old = facts.get(key);
        let before = old.map_or(all, |e| Bounds { lo: e.lo, hi: e.hi });
        let now = match known.numbers.solved() {
            Some(true) => Bounds { lo: value, hi: all.hi },
            _ => Bounds { lo: all.lo, hi: value },
        };
        let both = match before.meet(now) {
            Ok(both) => both,
            Err(error) => panic!("{error}, at {:?}", p),
        };
        let best = best.map(|mv| game.code(mv)).or(old.and_then(|e| e.best));
        let work = known.work.max(old.map_or(0, |e| e.work));
        let entry = TableEntry { lo: both.lo, hi: both.hi, best, work, depth: 0 };
        facts.count(u64::from(facts.put(key, &entry)));
    }

    /// The children from `base` on, as sums see them.
    #[inline(always)]
    fn terms(&self, base: usize) -> impl ExactSizeIterator<Item = Term> + Clone {
        let old = move |i: usize| R::CYCLIC && self.path_infos[base + i].old;
        let children = self.children[base..].iter().enumerate();
        children.map(move |(i, c)| Term { numbers: c.numbers, old: old(i) })
    }

    /// Goes to the most promising child until a threshold is reached.
    #[inline]
    fn descend(
        &mut self,
        p: &R::Position,
        base: usize,
        floor: Value,
        distance: u32,
        most_phi: Number,
        most_delta: Number,
    ) -> (Numbers, i32, Option<R::Move>) {
        let rule = self.shared.rule;
        loop {
            let mut choice = rule.choose(self.terms(base));
            match choice.numbers.solved() {
                Some(true) => {
                    let mut rests_on = FREE;
                    if R::CYCLIC {
                        let info = &self.path_infos[base + choice.best];
                        (self.basis, rests_on) = (info.basis.clone(), info.rests_on);
                    }
                    return (choice.numbers, rests_on, Some(self.children[base + choice.best].mv));
                }
                Some(false) => {
                    let rests_on = if R::CYCLIC { self.rest_of_all(base) } else { FREE };
                    let value = choice.numbers.value.max(floor);
                    return (Numbers::lost(value), rests_on, None);
                }
                None => {}
            }
            let Numbers { phi, delta, .. } = choice.numbers;
            if base == 0 {
                self.root = choice.numbers;
            }
            if phi >= most_phi || delta >= most_delta {
                return (choice.numbers, FREE, Some(self.children[base + choice.best].mv));
            }
            if self.shared.threads > 1 {
                choice = self.apart(base, choice, most_phi);
            }
            let child = &self.children[base + choice.best];
            let next_phi = match most_delta {
                INF => INF,
                _ if choice.counted => {
                    (most_delta - delta).saturating_add(child.numbers.phi).min(MOST)
                }
                _ => most_delta,
            };
            let beyond = self.shared.beyond(choice.second).max(child.numbers.delta + 1);
            let slack = self.slack();
            let next_phi = plus(next_phi, slack);
            let next_delta = plus(most_phi.min(beyond), slack);
            let (position, key) = (child.position, child.key);
            let at = base + choice.best;
            let before = self.stats.nodes + self.fresh;
            let (numbers, rests_on) =
                self.visit(&position, key, distance + 1, next_phi, next_delta);
            if self.unwind != STAY {
                // What was found so far is kept.
                return (choice.numbers, FREE, Some(self.children[at].mv));
            }
            self.children[at].numbers = numbers;
            if R::CYCLIC {
                self.path_infos[at].rests_on = rests_on;
                if rests_on != FREE {
                    self.path_infos[at].basis = self.basis.clone();
                }
            }
            // In most games moves of one position never lead to one another; where they do the news comes later.
            let spent = self.stats.nodes + self.fresh - before;
            if R::CYCLIC || self.shared.threads > 1 && spent >= NEWS {
                let table = self.shared.table;
                for child in &self.children[base..] {
                    table.prefetch(table.spread(child.key));
                }
                for i in base..self.children.len() {
                    if i != at {
                        self.look_again(i, distance);
                    }
                }
            }
            if !R::CYCLIC && numbers.phi == 0 && self.shared.simulation > 0 {
                self.simulate(p, base, at);
            }
        }
    }

    /// What is added to thresholds after many visits have found nothing new, or so many that the table
    /// must have forgotten most of them: more and more, so that the search ends up going to the end
    /// of each line, which is sure to solve any finite graph.
    #[inline(always)]
    fn slack(&self) -> Number {
        if !R::CYCLIC || !matches!(self.shared.loops, Loops::Control | Loops::Both) {
            return 0;
        }
        let forgotten = (self.stats.nodes + self.fresh) >> self.shared.forgetting;
        let doublings = self.idle / CALM + forgotten;
        match doublings {
            0 => 0,
            n if n > u64::from(NUMBER_BITS) => INF,
            n => 1 << (n - 1),
        }
    }

    /// Another child, where other threads are at work below the best one: their presence counts as if
    /// they had made it dearer already (virtual numbers, Kaneko 2010, Pawlewicz and Hayward 2013).
    #[inline]
    fn apart(&self, base: usize, choice: ChildChoice, most_phi: Number) -> ChildChoice {
        let Shared { boards, .. } = self.shared;
        let ply = self.path.len() - 1;
        let here = word(self.path[ply].key);
        let others = boards.iter().enumerate().filter(|(i, _)| *i != self.number);
        // The children below which they are.
        let below = others.filter_map(|(_, board)| board.after(ply, here));
        if below.clone().next().is_none() {
            return choice;
        }
        self.avoid(base, choice, most_phi, below)
    }

    /// The best child where others are below these.
    #[cold]
    fn avoid(
        &self,
        base: usize,
        choice: ChildChoice,
        most_phi: Number,
        below: impl Iterator<Item = u64> + Clone,
    ) -> ChildChoice {
        let children = &self.children[base..];
        // Made up anew as often as it is asked for: a list of them would cost more than the search.
        let terms = self.terms(base).zip(children).map(|(mut term, c)| {
            let numbers = &mut term.numbers;
            if numbers.solved().is_none() {
                let child = word(c.key);
                let crowd = below.clone().filter(|w| *w == child).count() as u32;
                let dearer = crowd.min(255) * (1 + numbers.delta / 4).min(MOST / 256);
                numbers.delta = plus(numbers.delta, dearer);
            }
            term
        });
        let other = self.shared.rule.choose(terms);
        match children[other.best].numbers.delta < most_phi {
            true => ChildChoice { numbers: choice.numbers, ..other },
            false => choice,
        }
    }
}
