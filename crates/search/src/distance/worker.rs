//! The search itself: can the attacker win within so many plies?
//!
//! At each node: limits; the table; what values say (a position that cannot be won refutes every number of plies); the moves,
//! with the positions after them judged by the rules and by the table before any is entered; then the others, best first. A node
//! where the attacker moves needs one move that wins in time, one where the defender moves needs all of them to lose in time.

use super::{DistanceObserver, KnownDistance, normal, together};
use crate::alphabeta::order::Order;
use crate::table::{Table, TableEntry};
use crate::watch::Watch;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use zermelo_game::{
    Bounds, DistanceFacts, Game, Knowledge, MoveList, Player, Plies, Rules, Soon, Stats, Value,
};

pub const RUN: u8 = 0;
/// The table is to grow; all threads come back and start again.
pub const GROW: u8 = 1;
/// A thread has the answer.
pub const DONE: u8 = 2;

/// Moves that the game's candidates leave out come last.
const LAST: i32 = -0x3FFF;
/// Positions nearer to the horizon are not looked up before the first of them is searched.
const LOOKUP_PLIES: u16 = 3;

/// What the threads of one search share.
pub struct Shared<'s, R: Rules, K: Knowledge<R>> {
    pub game: Game<'s, R, K>,
    pub facts: DistanceFacts,
    /// Positions through which no win goes.
    pub avoided: &'s FxHashSet<R::Key>,
    pub table: &'s Table<R::Key>,
    pub watch: &'s Watch,
    pub attacker: Player,
    pub known: Option<KnownDistance<'s, R>>,
    /// Told what is proved of the root, and what it has cost.
    pub observer: DistanceObserver<'s>,
    pub proved: Plies,
    /// No win takes so many plies.
    pub never: Value,
    /// One of [`RUN`], [`GROW`], [`DONE`].
    pub phase: AtomicU8,
}

/// A child of a node under search.
struct Child<R: Rules> {
    position: R::Position,
    key: R::Key,
    code: u32,
    rank: i32,
}

/// A thread at work.
pub struct Worker<'w, R: Rules, K: Knowledge<R>> {
    shared: &'w Shared<'w, R, K>,
    order: &'w mut Order,
    stats: Stats,
    /// Nodes since the last report to the watch, and how many may come before the next.
    fresh: u64,
    quota: u64,
    filled: u64,
    stopped: bool,
    /// The children of all nodes of the current line.
    children: Vec<Child<R>>,
    /// Scores of moves by their codes, each with the number of the node that wrote it.
    scores: Vec<(u64, i32)>,
    node: u64,
}

/// What the children of a node come to so far.
struct Tally {
    /// Whether the attacker moves here: the smallest distance counts, otherwise the largest.
    attacks: bool,
    bounds: Bounds,
}

impl Tally {
    fn add(&mut self, child: Bounds) {
        let Bounds { lo, hi } = self.bounds;
        self.bounds = match self.attacks {
            true => Bounds { lo: lo.min(child.lo), hi: hi.min(child.hi) },
            false => Bounds { lo: lo.max(child.lo), hi: hi.max(child.hi) },
        };
    }
}

/// What making the children of a node found.
enum Expansion {
    /// The node is decided, by the move with this code.
    Cut(Bounds, Option<u32>),
    /// The children that are left have to be searched.
    Open(Tally),
}

impl<'w, R: Rules, K: Knowledge<R>> Worker<'w, R, K> {
    pub fn new(shared: &'w Shared<'w, R, K>, order: &'w mut Order) -> Worker<'w, R, K> {
        Worker {
            shared,
            order,
            stats: Stats::default(),
            fresh: 0,
            quota: shared.watch.spend(0),
            filled: 0,
            stopped: false,
            children: Vec::with_capacity(1024),
            scores: vec![(0, 0); shared.game.codes()],
            node: 0,
        }
    }

    /// Answers the question; `None` if the search was stopped.
    pub fn run(mut self, p: &R::Position, key: R::Key, within: u16) -> (Option<Bounds>, Stats) {
        let bounds = self.visit(p, key, within, 0);
        self.report();
        ((!self.stopped).then_some(bounds), self.stats)
    }

    fn report(&mut self) {
        self.quota = self.shared.watch.spend(self.fresh);
        self.shared.table.count(self.filled);
        self.stats.nodes += self.fresh;
        (self.fresh, self.filled) = (0, 0);
    }

    /// Reports, and finds out whether to go on.
    #[cold]
    fn poll(&mut self) -> bool {
        self.report();
        let shared = self.shared;
        if shared.phase.load(Relaxed) == RUN && shared.table.wants_to_grow() {
            shared.phase.store(GROW, Relaxed);
        }
        if shared.watch.time_to_show() {
            let (nodes, elapsed) = (shared.watch.nodes(), shared.watch.elapsed());
            let (table_bytes, table_permille) = (shared.table.bytes(), shared.table.permille());
            let stats = Stats { nodes, elapsed, table_bytes, table_permille, ..self.stats };
            (shared.observer)(shared.proved, &stats);
        }
        self.quota > 0 && shared.phase.load(Relaxed) == RUN
    }

    /// A distance as the first that a win can have from `plies` on.
    #[inline(always)]
    fn at_least(&self, plies: i32, attacks: bool) -> Value {
        let Shared { facts, never, .. } = *self.shared;
        let plies = plies.clamp(0, i32::from(never)) as u16;
        (facts.last_mover.at_least(plies, attacks) as Value).min(never)
    }

    /// Bounds of the distance of `p`, which is at most `left`, or more. `p` is its own normal form, and not over.
    fn visit(&mut self, p: &R::Position, key: R::Key, left: u16, ply: usize) -> Bounds {
        let shared = self.shared;
        let (game, never) = (shared.game, shared.never);
        if self.fresh >= self.quota && !self.poll() {
            self.stopped = true;
            return Bounds { lo: 0, hi: never };
        }
        self.fresh += 1;
        self.stats.depth = self.stats.depth.max(ply as u32);
        let turn = game.turn(p);
        let attacks = turn == shared.attacker;
        let in_time = left as Value;
        let mut known = Bounds { lo: self.at_least(1, attacks), hi: never };
        let mut hint = None;
        self.stats.probes += 1;
        if let Some(e) = shared.table.get(key) {
            self.stats.hits += 1;
            known = Bounds { lo: e.lo, hi: e.hi };
            hint = e.best;
            if e.hi <= in_time || e.lo > in_time {
                return known;
            }
        }
        if self.at_least(1, attacks) > in_time {
            return Bounds {
                lo: known.lo.max(self.at_least(i32::from(left) + 1, attacks)),
                ..known
            };
        }
        let before = self.stats.nodes + self.fresh;
        let base = self.children.len();
        let (found, best) = match self.expand(p, turn, left, ply, hint, known) {
            Expansion::Cut(found, best) => (found, best),
            Expansion::Open(tally) => self.descend(turn, left, ply, tally, base),
        };
        self.children.truncate(base);
        if self.stopped {
            return known;
        }
        // Where the move is one of the best is not known after a refutation: the old hint stays.
        let found =
            Bounds { lo: self.at_least(i32::from(found.lo), attacks).min(found.hi), ..found };
        let all = together(known, found, p);
        let work = (self.stats.nodes + self.fresh - before + 1).ilog2();
        let best = best.map(|code| code as usize).or(hint);
        let entry = TableEntry { lo: all.lo, hi: all.hi, best, work, depth: 0 };
        self.stats.stores += 1;
        self.filled += u64::from(shared.table.put(key, &entry));
        all
    }

    /// Judges the position by what is known of values, then makes the children that need a search.
    #[inline]
    fn expand(
        &mut self,
        p: &R::Position,
        turn: Player,
        left: u16,
        ply: usize,
        hint: Option<usize>,
        known: Bounds,
    ) -> Expansion {
        let Shared { game, facts, table, attacker, never, avoided, .. } = *self.shared;
        let attacks = turn == attacker;
        let avoids = !avoided.is_empty();
        let refuted = Expansion::Cut(Bounds::exact(never), None);
        self.stats.evaluations += 1;
        let value = game.static_bounds(p).seen_by(attacker);
        if value.hi <= 0 {
            return refuted;
        }
        let told = (value.lo > 0).then_some(self.shared.known).flatten().and_then(|known| known(p));
        if let Some(plies) = told {
            let plies = plies.min(never as u32) as Value;
            if !avoids {
                return Expansion::Cut(Bounds::exact(plies), None);
            }
            // A win that avoids positions takes no less.
            if plies > left as Value {
                return Expansion::Cut(Bounds { lo: plies, hi: never }, None);
            }
        }
        if value.lo > 0 && !avoids {
            let longest = game.plies_left(p).min(never as u32) as u16;
            let longest = facts.last_mover.at_most(longest, attacks) as Value;
            if longest <= left as Value {
                return Expansion::Cut(Bounds { lo: known.lo, hi: longest }, None);
            }
        }
        let mut list = MoveList::new();
        let soon = if avoids { None } else { game.distance_moves(p, &mut list) };
        match soon {
            Some(Soon::Open) => {}
            Some(Soon::Wins(plies)) if attacks => {
                let code = list.iter().next().map(|m| game.code(m) as u32);
                return Expansion::Cut(Bounds::exact(plies as Value), code);
            }
            Some(Soon::Loses(plies)) if !attacks => {
                return Expansion::Cut(Bounds::exact(plies as Value), None);
            }
            Some(_) => return refuted,
            None => {
                if !self.order_all(p, attacks, value, &mut list) {
                    return refuted;
                }
            }
        }
        let base = self.children.len();
        let none = if attacks { never } else { 0 };
        let mut tally = Tally { attacks, bounds: Bounds::exact(none) };
        for scored in list.scored() {
            let code = game.code(scored.mv) as u32;
            let next = game.play(p, scored.mv);
            let met = || (avoids && avoided.contains(&game.key(&next))).then_some(false);
            match game.outcome(&next).map(|value| value * attacker.sign() > 0).or_else(met) {
                Some(true) if attacks => {
                    self.children.truncate(base);
                    return Expansion::Cut(Bounds::exact(1), Some(code));
                }
                Some(true) => tally.add(Bounds::exact(0)),
                Some(false) if attacks => {}
                Some(false) => {
                    self.children.truncate(base);
                    return Expansion::Cut(Bounds::exact(never), Some(code));
                }
                None if attacks && left == 1 => tally.add(Bounds { lo: 1, hi: never }),
                None => {
                    let (position, key) = normal(game, facts, avoids, &next);
                    table.prefetch(table.spread(key));
                    let hinted = hint == Some(code as usize);
                    let rank = self.order.rank(hinted, turn, ply, code, scored.score);
                    self.children.push(Child { position, key, code, rank });
                }
            }
        }
        if left >= LOOKUP_PLIES && self.children.len() > base + 1 {
            let in_time = left as Value - 1;
            let mut kept = base;
            for i in base..self.children.len() {
                let child = &self.children[i];
                self.stats.probes += 1;
                if let Some(e) = table.get(child.key) {
                    self.stats.hits += 1;
                    let (code, found) = (child.code, Bounds { lo: e.lo, hi: e.hi });
                    if decides(attacks, found, in_time) {
                        self.children.truncate(base);
                        return Expansion::Cut(after(attacks, found, known, never), Some(code));
                    }
                    if found.hi <= in_time || found.lo > in_time {
                        tally.add(found);
                        continue;
                    }
                }
                self.children.swap(kept, i);
                kept += 1;
            }
            self.children.truncate(kept);
        }
        Expansion::Open(tally)
    }

    /// All moves, those that the game holds for candidates first. False if values say that the attacker does not win.
    fn order_all(
        &mut self,
        p: &R::Position,
        attacks: bool,
        value: Bounds,
        list: &mut MoveList<R::Move>,
    ) -> bool {
        let Shared { game, .. } = *self.shared;
        let mut candidates = MoveList::new();
        if game.prunes_candidates() || !value.is_exact() {
            // For the player to move.
            let floor = game.candidate_moves(p, &mut candidates);
            let hopeless = if attacks { candidates.is_empty() && floor <= 0 } else { floor >= 0 };
            if hopeless {
                return false;
            }
        } else if attacks && let Some(m) = game.proving_move(p, 1) {
            candidates.push(m);
        }
        game.moves(p, list);
        self.node += 1;
        for scored in candidates.scored() {
            self.scores[game.code(scored.mv)] = (self.node, scored.score);
        }
        let (node, scores) = (self.node, &self.scores);
        list.rescore(|m, _| match scores[game.code(m)] {
            (writer, score) if writer == node => score,
            _ => LAST,
        });
        true
    }

    /// Searches the children from `base` on: the bounds, and the move that decided.
    #[inline]
    fn descend(
        &mut self,
        turn: Player,
        left: u16,
        ply: usize,
        mut tally: Tally,
        base: usize,
    ) -> (Bounds, Option<u32>) {
        let never = self.shared.never;
        let attacks = tally.attacks;
        let all = Bounds { lo: self.at_least(1, attacks), hi: never };
        let in_time = left as Value - 1;
        let end = self.children.len();
        for next in base..end {
            let pick = (next + 1..end).fold(next, |b, i| {
                if self.children[i].rank > self.children[b].rank { i } else { b }
            });
            self.children.swap(next, pick);
            let Child { position, key, code, .. } = self.children[next];
            let found = self.visit(&position, key, left - 1, ply + 1);
            if self.stopped {
                return (all, None);
            }
            if decides(attacks, found, in_time) {
                let failed = self.children[base..next].iter().map(|c| c.code);
                self.order.cut(turn, ply, code, failed);
                return (after(attacks, found, all, never), Some(code));
            }
            tally.add(found);
        }
        let Bounds { lo, hi } = tally.bounds;
        (Bounds { lo: (lo + 1).min(never), hi: (hi + 1).min(never) }, None)
    }
}

/// Whether a child decides its node: the attacker wins in time there, or the defender, if it is to move, holds out longer.
#[inline(always)]
fn decides(attacks: bool, child: Bounds, in_time: Value) -> bool {
    if attacks { child.hi <= in_time } else { child.lo > in_time }
}

/// What the child that decides its node says of it.
#[inline(always)]
fn after(attacks: bool, child: Bounds, known: Bounds, never: Value) -> Bounds {
    match attacks {
        true => Bounds { lo: known.lo, hi: (child.hi + 1).min(never) },
        false => Bounds { lo: (child.lo + 1).min(never), hi: known.hi },
    }
}
