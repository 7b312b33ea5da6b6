//! The search itself: what one thread does at each node.
//!
//! 1. Limits.
//! 2. The table.
//! 3. The candidate moves. Every child is made once and judged by the game's static bounds, so that a
//!    child that decides the node is never entered.
//! 4. Enhanced transposition cut-offs (Plaat and others 1996): a child that the table knows to decide
//!    the node decides it.
//! 5. The remaining children, best first, picked one at a time because a cut usually comes early.
//!
//! **Results that depend on the path.** Where positions can repeat, a result may rest on the line that
//! led to it. `depends` is the smallest ply of that line on which the last result rests, [`FREE`] if
//! none. A result is stored only if it rests on nothing above its own node: then it is the value of
//! the position by itself. (Using such values inside other lines keeps the root right: the side that
//! can force more than the repetition value can do so along falling distances to the goal, and such a
//! line never repeats; the other side's claim is the mirror image.) The horizon of a search with a
//! depth limit is treated as a ply above the root: results that rest on it are never stored as facts.
//!
//! **Threads** share the table. A thread marks the nodes near the root that it is searching; others
//! put marked moves off until they have nothing better to do (after ABDADA, Weill 1996, in Kerrigan's
//! simplified form). Every few thousand nodes a thread asks the table whether one of its own ancestors
//! has been settled by another thread, and if so goes straight back there.

use super::busy_nodes::BusyNodes;
use super::order::{Advice, MAX_SHARE, Order};
use crate::montecarlo::{ENOUGH, MovePrior};
use crate::table::{Table, TableEntry};
use crate::watch::Watch;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use zermelo_game::{Bounds, Game, Knowledge, MoveList, Player, Progress, Rules, Stats, Value};

/// A result that rests on nothing but the position.
pub const FREE: i32 = i32::MAX;
/// A result that rests on the horizon.
const HORIZON: i32 = -1;
/// Where to unwind to: nowhere.
const STAY: i32 = i32::MAX;
/// Where to unwind to: out of the search.
pub const OUT: i32 = -1;

/// What the threads of one search share.
pub struct Shared<'s, R: Rules, K: Knowledge<R>> {
    pub game: Game<'s, R, K>,
    pub table: &'s Table<R::Key>,
    /// For searches with a horizon: what they found at which depth, for both horizon values.
    pub horizons: Option<&'s [Table<R::Key>; 2]>,
    pub watch: &'s Watch,
    pub observer: &'s (dyn Fn(&Progress<R::Move>) + Sync),
    /// The position the user asked about, and what is known of it, for the observer.
    pub asked: R::Position,
    pub known: Bounds,
    /// What playouts taught about this question.
    pub prior: Option<&'s MovePrior<R::Key>>,
    pub settings: SearchSettings,
    /// One of [`RUN`], [`GROW`], [`DONE`].
    pub phase: &'s AtomicU8,
    /// Marks of nodes that a thread is searching; empty with one thread.
    pub busy: &'s BusyNodes,
}

pub const RUN: u8 = 0;
/// The table is to grow; all threads come back and start again.
pub const GROW: u8 = 1;
/// A thread has the answer.
pub const DONE: u8 = 2;

/// Choices that do not change during a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchSettings {
    /// Positions with at most this many plies left are not kept in the table.
    pub table_plies: u32,
    /// Children of positions with at most this many plies left are not looked up before the first
    /// of them is searched.
    pub cutoff_plies: u32,
    /// Whether to learn killers and history.
    pub learning: bool,
}

/// One question: the window, seen by the player to move at `root`.
pub struct RootSearch<'t, R: Rules> {
    pub root: R::Position,
    /// Keys of the positions that were played before the root, where they matter.
    pub history: &'t [R::Key],
    /// What the question asks for, first player's view.
    pub at_least: Value,
    pub alpha: Value,
    pub beta: Value,
    /// The depth limit, if there is one.
    pub horizon: Option<Horizon>,
}

/// A depth limit.
#[derive(Clone, Copy, Debug)]
pub struct Horizon {
    pub depth: u32,
    /// What lies beyond is taken for this value (first player's view).
    pub value: Value,
    /// Which of the two tables of results that rest on a horizon to use.
    pub side: usize,
}

/// A child of a node under search.
struct Child<R: Rules> {
    position: R::Position,
    key: R::Key,
    /// The move that is still to be made at `position`; until then `key` is the parent's.
    ahead: Option<R::Move>,
    code: u32,
    rank: i32,
}

/// A node of the current line.
#[derive(Clone, Copy)]
pub struct PathNode<K> {
    pub key: K,
    pub alpha: Value,
    pub beta: Value,
}

/// A thread at work.
pub struct Worker<'w, R: Rules, K: Knowledge<R>> {
    pub(super) shared: &'w Shared<'w, R, K>,
    order: &'w mut Order,
    pub(super) stats: Stats,
    /// Nodes since the last report to the watch, and how many may come before the next.
    pub(super) fresh: u64,
    pub(super) quota: u64,
    /// Slots filled since the last report to the table.
    pub(super) filled: u64,
    pub(super) polls: u32,
    /// The children of all nodes of the current line.
    children: Vec<Child<R>>,
    pub(super) line: Vec<PathNode<R::Key>>,
    depends: i32,
    pub(super) unwind: i32,
    /// Nodes at plies up to this are marked as busy, and how many were since the last report.
    pub(super) marked_ply: i32,
    pub(super) marked: u32,
    /// Values for the player to move lie in these ranges.
    ranges: [Bounds; 2],
    horizon: Option<Horizon>,
}

/// What making the children of a node found.
enum Expansion {
    /// The node is decided.
    Cut(Value, Option<u32>),
    /// At best this much without searching the children that are left.
    Open(Value),
}

impl<'w, R: Rules, K: Knowledge<R>> Worker<'w, R, K> {
    pub fn new(shared: &'w Shared<'w, R, K>, order: &'w mut Order) -> Worker<'w, R, K> {
        let values = shared.game.values();
        Worker {
            shared,
            order,
            stats: Stats::default(),
            fresh: 0,
            quota: shared.watch.spend(0),
            filled: 0,
            polls: 0,
            children: Vec::with_capacity(1024),
            line: Vec::with_capacity(128),
            depends: FREE,
            unwind: STAY,
            marked_ply: 4,
            marked: 0,
            ranges: [values.seen_by(Player::First), values.seen_by(Player::Second)],
            horizon: None,
        }
    }

    /// Answers the question: the value seen by the player to move and whether it is a fact (rests on
    /// no horizon); `None` if the search was stopped.
    pub fn run(mut self, task: &RootSearch<R>) -> (Option<(Value, bool)>, Stats) {
        let key = self.shared.game.key(&task.root);
        let outside = PathNode { key, alpha: 0, beta: 0 };
        self.line.extend(task.history.iter().map(|&key| PathNode { key, ..outside }));
        let ply = self.line.len();
        self.horizon = task.horizon;
        let depth = task.horizon.map_or(0, |horizon| horizon.depth);
        let value = self.search(&task.root, key, ply, depth, task.alpha, task.beta, true);
        self.report();
        let result = (self.unwind == STAY).then_some((value, self.depends != HORIZON));
        (result, self.stats)
    }

    /// The value of `p` for the player to move, as far as the window asks: at least `beta`, at most
    /// `alpha`, or exact. `p` is canonical and not decided by its static bounds. `cut` is a guess that
    /// the first move will do, by which threads divide their work.
    #[allow(clippy::too_many_arguments)]
    fn search(
        &mut self,
        p: &R::Position,
        key: R::Key,
        ply: usize,
        depth: u32,
        mut alpha: Value,
        mut beta: Value,
        cut: bool,
    ) -> Value {
        self.depends = FREE;
        self.line.truncate(ply);
        if self.fresh >= self.quota && !self.poll() {
            return 0;
        }
        self.fresh += 1;
        self.stats.depth = self.stats.depth.max(ply as u32);
        let shared = self.shared;
        let game = shared.game;
        let turn = game.turn(p);
        if R::CYCLIC
            && let Some(at) = self.line[..ply].iter().position(|s| s.key == key)
        {
            self.depends = at as i32;
            return super::repetition(game) * turn.sign();
        }

        let left = game.plies_left(p);
        let keep = left > shared.settings.table_plies;
        let mut known = self.ranges[turn.index()];
        let mut hint = None;
        if keep {
            self.stats.probes += 1;
            if let Some(e) = shared.table.get(key) {
                self.stats.hits += 1;
                if e.lo >= beta {
                    return e.lo;
                }
                if e.hi <= alpha {
                    return e.hi;
                }
                known = Bounds { lo: e.lo, hi: e.hi };
                (alpha, beta, hint) = (alpha.max(e.lo), beta.min(e.hi), e.best);
            }
        }
        if let Some(horizon) = self.horizon {
            if depth == 0 {
                self.depends = HORIZON;
                return horizon.value * turn.sign();
            }
            if let Some(e) = self.horizon_table().and_then(|t| t.get(key)) {
                if e.depth >= depth && (e.lo >= beta || e.hi <= alpha) {
                    self.depends = HORIZON;
                    return if e.lo >= beta { e.lo } else { e.hi };
                }
                hint = hint.or(e.best);
            }
        }

        self.line.push(PathNode { key, alpha, beta });
        let before = self.stats.nodes + self.fresh;
        let mark = self.mark(ply, key);
        let base = self.children.len();
        let lookup = left > shared.settings.cutoff_plies;
        let (value, best, depends) = match self.expand(p, key, turn, ply, hint, alpha, beta, lookup)
        {
            Expansion::Cut(value, code) => (value, code, FREE),
            Expansion::Open(floor) if self.children.len() == base => (floor, None, FREE),
            Expansion::Open(floor) => {
                let found = self.descend(turn, ply, depth, floor, alpha, beta, cut, base);
                self.children.truncate(base);
                unmark(mark);
                match found {
                    Some(found) => found,
                    None if self.unwind == ply as i32 => {
                        // Another thread has settled this node (or the entry is gone again).
                        self.unwind = STAY;
                        return self.search(p, key, ply, depth, alpha, beta, cut);
                    }
                    None => return 0,
                }
            }
        };
        self.children.truncate(base);
        unmark(mark);

        self.depends = if depends >= ply as i32 { FREE } else { depends };
        let work = (self.stats.nodes + self.fresh - before + 1).ilog2();
        // Beside a new lower bound no move stands but the one that gave it: strategies are read from the table.
        let best = best.map(|code| code as usize).or(hint.filter(|_| value < beta));
        let found = if value >= beta {
            Bounds { lo: value, hi: self.ranges[turn.index()].hi }
        } else if value <= alpha {
            Bounds { lo: self.ranges[turn.index()].lo, hi: value }
        } else {
            Bounds::exact(value)
        };
        if self.depends == FREE {
            let Ok(Bounds { lo, hi }) = known.meet(found) else {
                panic!("contradiction: {found} and {known} at {:?}", p);
            };
            if keep {
                self.stats.stores += 1;
                let entry = TableEntry { lo, hi, best, work, depth: 0 };
                self.filled += u64::from(shared.table.put(key, &entry));
            }
        } else if let Some(table) = self.horizon_table() {
            let entry = TableEntry { lo: found.lo, hi: found.hi, best, work, depth };
            table.count(u64::from(table.put(key, &entry)));
        }
        value
    }

    /// Makes the children that need a search and puts them on the stack of children.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn expand(
        &mut self,
        p: &R::Position,
        key: R::Key,
        turn: Player,
        ply: usize,
        hint: Option<usize>,
        mut alpha: Value,
        beta: Value,
        lookup: bool,
    ) -> Expansion {
        let Shared { game, table, prior, .. } = *self.shared;
        let visits = prior.map_or(0, |prior| prior.visits(key));
        let base = self.children.len();
        let mut list = MoveList::new();
        let mut floor = game.candidate_moves(p, &mut list);
        let mut floor_code = None;
        self.stats.evaluations += list.len() as u64;
        if game.prunes_candidates() && floor >= beta {
            let winner = list.iter().next().map(|m| game.code(m) as u32);
            return Expansion::Cut(floor, winner);
        }
        let range = self.ranges[turn.index()];
        let lazy = game.prunes_candidates() && !lookup && prior.is_none();
        for scored in list.scored() {
            let code = game.code(scored.mv) as u32;
            let hinted = hint == Some(code as usize);
            if lazy {
                let rank = self.order.rank(hinted, turn, ply, code, scored.score);
                self.children.push(Child { position: *p, key, ahead: Some(scored.mv), code, rank });
                continue;
            }
            let position = game.canonical(&game.play(p, scored.mv));
            let known = if game.prunes_candidates() {
                range
            } else {
                game.static_bounds(&position).seen_by(turn)
            };
            if known.lo >= beta {
                self.children.truncate(base);
                return Expansion::Cut(known.lo, Some(code));
            }
            if known.lo > floor {
                (floor, floor_code) = (known.lo, Some(code));
                alpha = alpha.max(floor);
            }
            if known.hi <= alpha || known.is_exact() {
                floor = floor.max(known.hi);
                continue;
            }
            let key = game.key(&position);
            table.prefetch(table.spread(key));
            let rank = match prior {
                Some(prior) if !hinted => {
                    let advice = if visits > ENOUGH {
                        let share = u64::from(prior.visits(key)) * MAX_SHARE as u64;
                        Advice::Share((share / u64::from(visits)).min(MAX_SHARE as u64) as i32)
                    } else {
                        Advice::Weight(prior.weight(game.pattern(p, scored.mv)))
                    };
                    self.order.taught(turn, ply, code, scored.score, advice)
                }
                _ => self.order.rank(hinted, turn, ply, code, scored.score),
            };
            self.children.push(Child { position, key, ahead: None, code, rank });
        }
        if floor >= beta {
            self.children.truncate(base);
            return Expansion::Cut(floor, floor_code);
        }
        if lookup && self.children.len() > base + 1 {
            self.stats.probes += (self.children.len() - base) as u64;
            let mut kept = base;
            for i in base..self.children.len() {
                let child = &self.children[i];
                if let Some(e) = table.get(child.key) {
                    self.stats.hits += 1;
                    if -e.hi >= beta {
                        let (value, code) = (-e.hi, child.code);
                        self.children.truncate(base);
                        return Expansion::Cut(value, Some(code));
                    }
                    if -e.lo <= alpha {
                        floor = floor.max(-e.lo);
                        continue;
                    }
                }
                self.children.swap(kept, i);
                kept += 1;
            }
            self.children.truncate(kept);
        }
        Expansion::Open(floor)
    }

    /// Searches the children from `base` on. Returns the value, the best move and what it rests on;
    /// `None` when the search unwinds.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn descend(
        &mut self,
        turn: Player,
        ply: usize,
        depth: u32,
        floor: Value,
        mut alpha: Value,
        beta: Value,
        cut: bool,
        base: usize,
    ) -> Option<(Value, Option<u32>, i32)> {
        let end = self.children.len();
        let (mut best, mut best_code, mut rests_on) = (floor, None, FREE);
        alpha = alpha.max(floor.min(beta - 1));
        let mut put_off = 0;
        let mut next = base;
        while next < end {
            let pick = (next + 1..end).fold(next, |b, i| {
                if self.children[i].rank > self.children[b].rank { i } else { b }
            });
            self.children.swap(next, pick);
            let child = &mut self.children[next];
            if let Some(mv) = child.ahead.take() {
                let game = self.shared.game;
                child.position = game.canonical(&game.play(&child.position, mv));
                child.key = game.key(&child.position);
                self.shared.table.prefetch(self.shared.table.spread(child.key));
            }
            let put_off_already = child.rank == i32::MIN;
            // Where some move should cut, all threads look at the same one together; where every
            // move has to be looked at, each takes another. (Sharing out the later moves of a node
            // that should cut cost 14 % more nodes on Connect Four 6x7 and saved none on Clobber.)
            if !cut && !put_off_already && put_off < end - next {
                let key = child.key;
                if self.marks_at(ply + 1).is_some_and(|m| m.is_marked(key)) {
                    self.children[next].rank = i32::MIN;
                    put_off += 1;
                    continue;
                }
            }
            let child = &self.children[next];
            let (position, key, code) = (child.position, child.key, child.code);
            let value = -self.search(
                &position,
                key,
                ply + 1,
                depth.wrapping_sub(1),
                -beta,
                -alpha,
                next > base || !cut,
            );
            if self.unwind != STAY {
                return None;
            }
            if value > best {
                (best, best_code) = (value, Some(code));
            }
            if value >= beta {
                let failed = self.children[base..next].iter().map(|c| c.code);
                if self.shared.settings.learning {
                    self.order.cut(turn, ply, code, failed);
                }
                return Some((best, best_code, self.depends));
            }
            rests_on = rests_on.min(self.depends);
            alpha = alpha.max(value);
            next += 1;
        }
        Some((best, best_code, rests_on))
    }

    /// Whether nodes at this ply are marked.
    #[inline(always)]
    fn marks_at(&self, ply: usize) -> Option<&'w BusyNodes> {
        let busy = self.shared.busy;
        (!busy.is_empty() && ply as i32 <= self.marked_ply).then_some(busy)
    }

    #[inline(always)]
    fn mark(&mut self, ply: usize, key: R::Key) -> Option<&'w AtomicU64> {
        let busy = self.marks_at(ply)?;
        self.marked += 1;
        busy.mark(key)
    }

    /// The table of results that rest on the present horizon.
    fn horizon_table(&self) -> Option<&'w Table<R::Key>> {
        let side = self.horizon?.side;
        self.shared.horizons.map(|tables| &tables[side])
    }
}

#[inline(always)]
fn unmark(mark: Option<&AtomicU64>) {
    if let Some(slot) = mark {
        slot.store(0, Relaxed);
    }
}
