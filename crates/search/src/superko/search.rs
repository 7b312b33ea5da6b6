//! The search of one question, where boards must not be repeated: is the value at least `beta` for the
//! player to move? Every answer is somebody's claim and comes with what its proof rests on.
//!
//! A search has a depth limit and a *prover*, who has failed where the limit strikes. Such failures are no
//! answers (not `solid`) and only say that this prover needs more depth; they are shared among histories
//! freely. Deeper searches try again, so a wrong guess there costs time and never a value.

use super::basis::{LineBoard, SuperkoBasis};
use super::facts::{ProofTable, SuperkoFact, hash};
use crate::alphabeta::order::Order;
use crate::watch::Watch;
use zermelo_game::{
    Bits, Bounds, Game, GuardedClaim, History, Key, MoveList, Player, Progress, Stats, Superko,
    SuperkoKnowledge, Value, superko,
};

/// Rests on no board above.
const FREE: usize = usize::MAX;
/// Counters by hash, to see quickly that a board is not in the line.
const COUNTERS: usize = 1 << 12;

/// An answer: the value for the player to move is at least `value` if that is `beta` or more, at most
/// `value` otherwise.
#[derive(Clone, Copy, Debug)]
pub struct SuperkoResult<B> {
    pub value: Value,
    /// Whether it is proved; otherwise it rests on the horizon.
    pub solid: bool,
    /// What the proof rests on.
    basis: SuperkoBasis<B>,
    /// The first board of the line that it needs.
    pub rests: usize,
}

/// A depth limit: beyond it the prover has failed.
#[derive(Clone, Copy, Debug)]
pub struct Horizon {
    pub depth: u32,
    pub prover: Player,
}

/// A child of a node under search.
#[derive(Clone, Copy)]
struct Child<R: Superko> {
    position: R::Position,
    key: R::Key,
    symmetry: u8,
    seen: LineBoard<R::Key>,
    /// Whether the move leaves the board as it is.
    stays: bool,
    code: u32,
    rank: i32,
    mv: R::Move,
}

/// A search at work.
pub struct Search<'s, R: Superko, K: SuperkoKnowledge<R>> {
    pub game: Game<'s, R, K>,
    pub facts: &'s mut ProofTable<R::Key>,
    pub order: &'s mut Order,
    pub watch: &'s Watch,
    pub observer: &'s (dyn Fn(&Progress<R::Move>) + Sync),
    /// What is known of the value that was asked for, for the observer.
    pub known: Bounds,
    pub stats: Stats,
    /// Nodes after which to stop, apart from what the watch says.
    pub allowance: u64,
    fresh: u64,
    quota: u64,
    /// The boards of the line, the present one last.
    line: Vec<LineBoard<R::Key>>,
    counters: Vec<u16>,
    /// The moves from the root.
    moves: Vec<R::Move>,
    children: Vec<Child<R>>,
    horizon: Horizon,
    /// The number of this run.
    epoch: u16,
    stopped: bool,
}

impl<'s, R: Superko, K: SuperkoKnowledge<R>> Search<'s, R, K> {
    pub fn new(
        game: Game<'s, R, K>,
        facts: &'s mut ProofTable<R::Key>,
        order: &'s mut Order,
        watch: &'s Watch,
        observer: &'s (dyn Fn(&Progress<R::Move>) + Sync),
        known: Bounds,
    ) -> Search<'s, R, K> {
        Search {
            game,
            facts,
            order,
            watch,
            observer,
            known,
            stats: Stats::default(),
            allowance: u64::MAX,
            fresh: 0,
            quota: watch.spend(0),
            line: Vec::with_capacity(256),
            counters: vec![0; COUNTERS],
            moves: Vec::with_capacity(256),
            children: Vec::with_capacity(1024),
            horizon: Horizon { depth: 0, prover: Player::First },
            epoch: 0,
            stopped: false,
        }
    }

    /// Answers the question about `p`, the last position of the history; `None` if stopped.
    pub fn run(
        &mut self,
        history: &History<R>,
        p: &R::Position,
        beta: Value,
        horizon: Horizon,
    ) -> Option<SuperkoResult<R::Key>> {
        self.line.clear();
        self.counters.fill(0);
        self.moves.clear();
        self.children.clear();
        (self.horizon, self.epoch) = (horizon, self.facts.next_epoch());
        let (canonical, symmetry) = self.game.canonical_with_transform(p);
        for &board in history.boards() {
            self.push(LineBoard { board, hash: hash(self.game.canonical_board(board)) });
        }
        let key = self.game.key(&canonical);
        let found = self.search(p, key, symmetry, horizon.depth, beta);
        self.watch.spend(self.fresh);
        self.stats.nodes += self.fresh;
        (self.fresh, self.quota) = (0, self.watch.spend(0));
        (!self.stopped).then_some(found)
    }

    /// Whether the table likes the move from `p` to `next` best.
    pub fn is_favourite(&self, p: &R::Position, next: &R::Position) -> bool {
        let key = |p: &R::Position| self.game.key(&self.game.canonical_with_transform(p).0);
        self.facts.get(key(p)).is_some_and(|slot| slot.hint == hint_of(key(next)))
    }

    fn push(&mut self, seen: LineBoard<R::Key>) {
        self.counters[counter(seen.hash)] += 1;
        self.line.push(seen);
    }

    fn pop(&mut self) {
        if let Some(seen) = self.line.pop() {
            self.counters[counter(seen.hash)] -= 1;
        }
    }

    /// The last place at which a board stands in the line.
    #[inline]
    fn find(&self, seen: &LineBoard<R::Key>) -> Option<usize> {
        if self.counters[counter(seen.hash)] == 0 {
            return None;
        }
        self.line.iter().rposition(|s| s.board == seen.board)
    }

    /// Whether a proof for `claimant`, found after another history, is one after the present line; if
    /// so, the first place that it rests on. `past` is the line without the position's own board.
    fn holds(
        &self,
        basis: &SuperkoBasis<R::Key>,
        claimant: Player,
        past: &[LineBoard<R::Key>],
    ) -> Option<usize> {
        if past.iter().any(|seen| basis.meets(seen, claimant)) {
            return None;
        }
        let mut rests = FREE;
        for need in basis.needs() {
            rests = rests.min(past.iter().rposition(|s| s.board == need)?);
        }
        Some(rests)
    }

    /// What the table knows of a position with the player `turn` to move, if it answers the question.
    fn known(
        &self,
        key: R::Key,
        symmetry: u8,
        turn: Player,
        beta: Value,
        past: &[LineBoard<R::Key>],
    ) -> Known<R::Key> {
        let Some(slot) = self.facts.get(key) else {
            return Known { answer: None, hint: 0, failed: 0 };
        };
        let mut answer = None;
        for claimant in [turn, turn.other()] {
            let Some(fact) = &slot.facts[claimant.index()] else { continue };
            let value = if claimant == turn { fact.value } else { -fact.value };
            if (claimant == turn) != (value >= beta) {
                continue;
            }
            let basis = fact.basis.mapped(self.game, symmetry, true);
            if let Some(rests) = self.holds(&basis, claimant, past) {
                answer = Some(SuperkoResult { value, solid: true, basis, rests });
                break;
            }
        }
        Known { answer, hint: slot.hint, failed: slot.failed_in(self.epoch) }
    }

    /// Answers the question. The board of `p` is on top of the line.
    fn search(
        &mut self,
        p: &R::Position,
        key: R::Key,
        symmetry: u8,
        depth: u32,
        beta: Value,
    ) -> SuperkoResult<R::Key> {
        let give_up = SuperkoResult {
            value: beta - 1,
            solid: false,
            basis: SuperkoBasis::free(),
            rests: FREE,
        };
        if self.fresh >= self.quota && !self.poll() {
            return give_up;
        }
        self.fresh += 1;
        self.stats.depth = self.stats.depth.max(self.moves.len() as u32);
        let game = self.game;
        let turn = game.turn(p);
        let own = self.line.len() - 1;

        self.stats.probes += 1;
        // A pass leaves the board twice.
        let twice = own > 0 && self.line[own - 1].board == self.line[own].board;
        let past = &self.line[..own - usize::from(twice)];
        let known = self.known(key, symmetry, turn, beta, past);
        if let Some(found) = known.answer {
            self.stats.hits += 1;
            return found;
        }
        if depth == 0 || known.failed >= depth {
            let value = if turn == self.horizon.prover { beta - 1 } else { beta };
            return SuperkoResult { value, ..give_up };
        }

        let before = self.stats.nodes + self.fresh;
        let base = self.children.len();
        let (mut found, hint) = self.answer(p, turn, depth, beta, known.hint);
        self.children.truncate(base);
        if self.stopped {
            return give_up;
        }
        let work = (self.stats.nodes + self.fresh - before + 1).ilog2() as u8;
        if !found.solid {
            self.facts.put_failed(key, self.epoch, depth, hint, work);
            return found;
        }
        // The position's own board stands in every history, and where a ko tells it, the one before.
        let from = own - usize::from(game.board_before(p).is_some());
        if found.rests >= from {
            found.rests = FREE;
            found.basis.settle_all();
        } else {
            let line = &self.line;
            found.basis.settle(|b| line[from..].iter().any(|s| s.board == b));
        }
        let claimant = if found.value >= beta { turn } else { turn.other() };
        if found.basis.can_be_kept() {
            self.stats.stores += 1;
            let value = if claimant == turn { found.value } else { -found.value };
            let basis = found.basis.mapped(game, symmetry, false);
            self.facts.put(key, claimant.index(), SuperkoFact { value, basis }, hint, work);
        }
        found
    }

    /// Makes the children and searches them. Returns the answer and the hint of the best move.
    fn answer(
        &mut self,
        p: &R::Position,
        turn: Player,
        depth: u32,
        beta: Value,
        hint: u32,
    ) -> (SuperkoResult<R::Key>, u32) {
        let (game, ply) = (self.game, self.moves.len());
        let own = self.line[self.line.len() - 1];
        if depth == 1 && turn == self.horizon.prover {
            return self.last_move(p, turn, beta, own);
        }
        let base = self.children.len();
        let mut list = MoveList::new();
        // What the opponent claims if no move reaches `beta`.
        let floor = game.candidate_moves(p, &mut list);
        let mut claim =
            SuperkoResult { value: floor, solid: true, basis: SuperkoBasis::free(), rests: FREE };
        self.stats.evaluations += list.len() as u64;
        for scored in list.scored() {
            let position = game.play(p, scored.mv);
            let (canonical, symmetry) = game.canonical_with_transform(&position);
            let seen =
                LineBoard { board: game.board(&position), hash: hash(game.board(&canonical)) };
            let stays = seen.board == own.board;
            if !stays && let Some(at) = self.find(&seen) {
                claim.basis.need(seen.board);
                claim.rests = claim.rests.min(at);
                continue;
            }
            let key = game.key(&canonical);
            match self.judge(&position, turn, beta) {
                Some(mut found) if found.value >= beta => {
                    if !stays {
                        found.basis.make(seen);
                    }
                    return (found, hint_of(key));
                }
                Some(found) => {
                    claim.add(&found);
                    continue;
                }
                None => {}
            }
            let code = game.code(scored.mv) as u32;
            let hinted = hint == hint_of(key);
            let rank = self.order.rank(hinted, turn, ply, code, scored.score);
            let mv = scored.mv;
            self.children.push(Child { position, key, symmetry, seen, stays, code, rank, mv });
        }
        if self.children.len() > base + 1
            && let Some(answer) = self.look_up(turn, base, beta, &mut claim)
        {
            return answer;
        }
        self.descend(turn, depth, beta, base, claim)
    }

    /// The prover's last move before the horizon: one after which it has its claim without search.
    fn last_move(
        &mut self,
        p: &R::Position,
        turn: Player,
        beta: Value,
        own: LineBoard<R::Key>,
    ) -> (SuperkoResult<R::Key>, u32) {
        let game = self.game;
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        self.stats.evaluations += list.len() as u64;
        for m in list.iter() {
            let position = game.play(p, m);
            let board = game.board(&position);
            let stays = board == own.board;
            let Some(mut found) = self.claimed(&position, turn, turn, beta) else { continue };
            let (canonical, _) = game.canonical_with_transform(&position);
            let seen = LineBoard { board, hash: hash(game.board(&canonical)) };
            if !stays {
                if self.find(&seen).is_some() {
                    continue;
                }
                found.basis.make(seen);
            }
            return (found, hint_of(game.key(&canonical)));
        }
        (
            SuperkoResult {
                value: beta - 1,
                solid: false,
                basis: SuperkoBasis::free(),
                rests: FREE,
            },
            0,
        )
    }

    /// What can be said of a child without search, if it answers the question of its parent, at which
    /// `turn` is to move.
    #[inline]
    fn judge(
        &self,
        child: &R::Position,
        turn: Player,
        beta: Value,
    ) -> Option<SuperkoResult<R::Key>> {
        let claimed = |claimant| self.claimed(child, claimant, turn, beta);
        claimed(turn).or_else(|| claimed(turn.other()))
    }

    /// The same by the claim of one player.
    #[inline]
    fn claimed(
        &self,
        child: &R::Position,
        claimant: Player,
        turn: Player,
        beta: Value,
    ) -> Option<SuperkoResult<R::Key>> {
        let GuardedClaim { value, guard } = self.game.claim(child, claimant);
        let answers = |value: Value| if claimant == turn { value >= beta } else { -value < beta };
        let found = |value: Value, basis| {
            let value = if claimant == turn { value } else { -value };
            Some(SuperkoResult { value, solid: true, basis, rests: FREE })
        };
        if !answers(value) {
            return None;
        }
        let meets = |s: &LineBoard<R::Key>| guard.meets(superko::stones(s.board, claimant));
        if guard.any.is_empty() || !self.line.iter().any(meets) {
            return found(value, SuperkoBasis::of_guard(guard));
        }
        let certain = self.game.static_bounds(child).seen_by(claimant).lo;
        if answers(certain) { found(certain, SuperkoBasis::free()) } else { None }
    }

    /// Looks the children up in the table. Drops those that it answers; returns the answer where one of
    /// them decides.
    fn look_up(
        &mut self,
        turn: Player,
        base: usize,
        beta: Value,
        claim: &mut SuperkoResult<R::Key>,
    ) -> Option<(SuperkoResult<R::Key>, u32)> {
        self.stats.probes += (self.children.len() - base) as u64;
        let mut kept = base;
        for i in base..self.children.len() {
            let child = &self.children[i];
            // The board of this position is part of the line, unless the child has it as its own.
            let past = &self.line[..self.line.len() - usize::from(child.stays)];
            let known = self.known(child.key, child.symmetry, turn.other(), 1 - beta, past);
            if let Some(found) = known.answer {
                self.stats.hits += 1;
                let mut found = SuperkoResult { value: -found.value, ..found };
                if found.value >= beta {
                    if !child.stays {
                        found.basis.make(child.seen);
                    }
                    return Some((found, hint_of(child.key)));
                }
                claim.add(&found);
                continue;
            }
            self.children.swap(kept, i);
            kept += 1;
        }
        self.children.truncate(kept);
        None
    }

    /// Searches the children from `base` on.
    fn descend(
        &mut self,
        turn: Player,
        depth: u32,
        beta: Value,
        base: usize,
        mut claim: SuperkoResult<R::Key>,
    ) -> (SuperkoResult<R::Key>, u32) {
        let (end, ply) = (self.children.len(), self.moves.len());
        let mut hint = 0;
        for next in base..end {
            let pick = (next + 1..end).fold(next, |b, i| {
                if self.children[i].rank > self.children[b].rank { i } else { b }
            });
            self.children.swap(next, pick);
            let Child { position, key, symmetry, seen, stays, code, mv, .. } = self.children[next];
            self.push(seen);
            self.moves.push(mv);
            // The prover needs one good move and tries the less likely with less depth; the opponent's
            // must all be answered. Odd costs leave the last move to the prover.
            let likely = if turn == self.horizon.prover { (next - base) as u32 / 2 } else { 0 };
            let cost = 1 + 2 * likely;
            let below = self.search(&position, key, symmetry, depth.saturating_sub(cost), 1 - beta);
            self.moves.pop();
            self.pop();
            if self.stopped {
                return (claim, 0);
            }
            let mut found = SuperkoResult { value: -below.value, ..below };
            if found.value >= beta {
                let failed = self.children[base..next].iter().map(|c| c.code);
                self.order.cut(turn, ply, code, failed);
                if !stays {
                    found.basis.make(seen);
                }
                return (found, hint_of(key));
            }
            if found.value > claim.value || !found.solid {
                hint = hint_of(key);
            }
            claim.add(&found);
        }
        (claim, hint)
    }

    /// Reports, and finds out whether to go on. On `false` the search unwinds.
    #[cold]
    fn poll(&mut self) -> bool {
        self.quota = self.watch.spend(self.fresh);
        self.stats.nodes += self.fresh;
        self.fresh = 0;
        if self.watch.time_to_show() {
            let stats = Stats {
                nodes: self.watch.nodes(),
                elapsed: self.watch.elapsed(),
                table_bytes: self.facts.bytes(),
                table_permille: self.facts.permille(),
                ..self.stats
            };
            let line = self.moves.iter().copied().take(12).collect();
            (self.observer)(&Progress { bounds: self.known, stats, line, proof: None });
        }
        self.stopped = self.quota == 0 || self.stats.nodes >= self.allowance;
        !self.stopped
    }
}

impl<B: Bits> SuperkoResult<B> {
    /// Adds the answer for another move: the opponent's claim must answer all of them.
    #[inline]
    fn add(&mut self, other: &SuperkoResult<B>) {
        self.value = self.value.max(other.value);
        self.solid &= other.solid;
        self.rests = self.rests.min(other.rests);
        self.basis.add(&other.basis);
    }
}

/// What the table knows of a position.
struct Known<B> {
    answer: Option<SuperkoResult<B>>,
    hint: u32,
    /// The depth with which the prover has failed there in this run.
    failed: u32,
}

/// What to remember of a key to try the move that leads there first; never 0.
#[inline(always)]
fn hint_of<K: Key>(key: K) -> u32 {
    (hash(key) >> 20) as u32 | 1
}

#[inline(always)]
fn counter(hash: u64) -> usize {
    hash as usize % COUNTERS
}
