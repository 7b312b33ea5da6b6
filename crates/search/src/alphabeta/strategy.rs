//! A strategy, read from the table after a search: at every position a move that keeps what was proved.
//! What the table has lost is searched again.

use super::{Run, Solver, seen_by, to_front};
use crate::engine::KnownBounds;
use crate::watch::Watch;
use std::cell::OnceCell;
use zermelo_game::{
    Bounds, Contradiction, Knowledge, Limits, MoveList, Player, Question, Rules, StrategySource,
    Value,
};

/// Positions with more plies left than this are treated alike.
const PLIES: usize = 128;

/// Knows moves that keep a value.
pub struct AlphaBetaStrategy<'s, 'g, R: Rules, K: Knowledge<R>> {
    solver: &'s mut Solver<'g, R, K>,
    watch: Watch,
    value: Value,
    facts: Option<KnownBounds<'s, R>>,
    contradiction: OnceCell<(Contradiction, R::Position)>,
    /// By the plies that are left: whether the game's knowledge, and not the table, told the last move.
    by_knowledge: [bool; PLIES],
}

impl<'g, R: Rules, K: Knowledge<R>> Solver<'g, R, K> {
    /// A player who keeps the value at least (as the first player) or at most (as the second) this, where
    /// a search has proved that it can; within these limits for all its searches together.
    pub fn strategy_source(
        &mut self,
        value: Value,
        limits: Limits,
    ) -> AlphaBetaStrategy<'_, 'g, R, K> {
        AlphaBetaStrategy {
            solver: self,
            watch: Watch::new(limits),
            value,
            facts: None,
            contradiction: OnceCell::new(),
            by_knowledge: [false; PLIES],
        }
    }
}

impl<'s, R: Rules, K: Knowledge<R>> AlphaBetaStrategy<'s, '_, R, K> {
    /// The same, who also goes by the facts of another solver.
    #[must_use]
    pub fn with(self, facts: Option<KnownBounds<'s, R>>) -> Self {
        AlphaBetaStrategy { facts, ..self }
    }

    /// What is known of a position. Facts that contradict it are noted, and not believed.
    fn known(&self, p: &R::Position) -> Bounds {
        let known = self.solver.known(p);
        match &self.facts {
            Some(facts) if !known.is_exact() => match known.meet(facts(p)) {
                Ok(both) => both,
                Err(error) => {
                    self.contradiction.get_or_init(|| (error, *p));
                    known
                }
            },
            _ => known,
        }
    }

    #[inline]
    fn plies(&self, p: &R::Position) -> usize {
        (self.solver.game.plies_left(p) as usize).min(PLIES - 1)
    }

    /// The move by which this solver has proved that the value is kept, from the table alone. An entry whose upper bound was never
    /// lowered was written last by a search that found its lower bound, with the move that gave it
    /// ([`Solver::own`] says where that is so); what lies behind the move need not be looked up. What is said of the
    /// image with the key `symmetry_key` is true of all images.
    #[inline]
    fn proving(
        &self,
        p: &R::Position,
        symmetry_key: R::Key,
        moves: &MoveList<R::Move>,
        wanted: Value,
    ) -> Option<R::Move> {
        let Solver { game, table, own, .. } = &*self.solver;
        if R::CYCLIC || !game.first_candidate_wins() || !own {
            return None;
        }
        let entry = table.as_ref()?.get(symmetry_key)?;
        if entry.lo < wanted || entry.hi < game.values().seen_by(game.turn(p)).hi {
            return None;
        }
        let code = game.map_move_code(p, symmetry_key, entry.best?)?;
        moves.iter().find(|&m| game.code(m) == code)
    }

    /// The move the table likes best, if it is known to keep the value. It is the move of a canonical position: whether it
    /// will do is seen there, before its image is looked for.
    fn stored(&self, p: &R::Position, wanted: Value) -> Option<R::Move> {
        let game = self.solver.game;
        let canonical = game.canonical(p);
        let best = self.solver.table.as_ref()?.get(game.key(&canonical))?.best?;
        let mut list = MoveList::new();
        game.moves(&canonical, &mut list);
        let best = list.iter().find(|&m| game.code(m) == best)?;
        let next = game.canonical(&game.play(&canonical, best));
        if self.known(&next).seen_by(game.turn(p)).lo < wanted {
            return None;
        }
        if canonical == *p {
            return Some(best);
        }
        list.clear();
        game.moves(p, &mut list);
        list.iter().find(|&m| game.canonical(&game.play(p, m)) == next)
    }

    /// Whether it is known that the value is kept after a move.
    fn keeps(&self, p: &R::Position, m: R::Move, wanted: Value) -> bool {
        let game = self.solver.game;
        self.known(&game.play(p, m)).seen_by(game.turn(p)).lo >= wanted
    }

    fn known_to_keep(
        &self,
        p: &R::Position,
        list: &MoveList<R::Move>,
        wanted: Value,
    ) -> Option<R::Move> {
        list.iter().find(|&m| self.keeps(p, m, wanted))
    }

    /// Searches whether a player keeps the value at a position; `None` if a limit strikes.
    fn ask(&mut self, p: &R::Position, player: Player) -> Option<bool> {
        // At least the value, or less than one more.
        let first = player == Player::First;
        let at_least = if first { self.value } else { self.value + 1 };
        let known = self.known(p);
        let kept = |answer: Value| (answer >= at_least) == first;
        // What is known already need not be asked.
        if known.lo >= at_least || known.hi < at_least {
            return Some(kept(known.lo));
        }
        let run = Run { watch: &self.watch, observer: &|_| {}, asked: *p };
        let answer = self.solver.ask(&run, p, &[], known, Question { at_least })?;
        Some(kept(answer))
    }
}

impl<R: Rules, K: Knowledge<R>> StrategySource<R> for AlphaBetaStrategy<'_, '_, R, K> {
    /// First what needs no search, the cheapest first: the move by which the value was proved, the one by which the
    /// game's knowledge decides the position, the one the table likes best, any other that is known to do.
    fn choose(
        &mut self,
        p: &R::Position,
        symmetry_key: R::Key,
        moves: &MoveList<R::Move>,
    ) -> Option<R::Move> {
        let game = self.solver.game;
        let turn = game.turn(p);
        let wanted = seen_by(self.value, turn);
        // Who knew the last one so far from the end is asked first.
        let plies = self.plies(p);
        let by_knowledge = self.by_knowledge[plies];
        if !by_knowledge && let Some(m) = self.proving(p, symmetry_key, moves, wanted) {
            return Some(m);
        }
        if let Some(m) = game.proving_move(p, wanted) {
            self.by_knowledge[plies] = true;
            return Some(m);
        }
        self.by_knowledge[plies] = false;
        if by_knowledge && let Some(m) = self.proving(p, symmetry_key, moves, wanted) {
            return Some(m);
        }
        if let Some(m) = self.stored(p, wanted) {
            return Some(m);
        }
        let favourite = self.solver.favourite(p);
        let mut list = MoveList::new();
        let decided = game.static_bounds(p).seen_by(turn).lo >= wanted;
        if decided {
            game.moves(p, &mut list);
            // What ends the game at once makes the smallest proof.
            let ends = |m: &R::Move| {
                let value = game.outcome(&game.play(p, *m));
                value.is_some_and(|value| seen_by(value, turn) >= wanted)
            };
            let known = list.iter().find(ends).or_else(|| self.known_to_keep(p, &list, wanted));
            if known.is_some() {
                return known;
            }
        } else {
            let others = game.candidate_moves(p, &mut list);
            list.sort();
            if let Some(m) = self.known_to_keep(p, &list, wanted) {
                return Some(m);
            }
            if others >= wanted {
                list.clear();
                game.moves(p, &mut list);
            }
            if favourite.is_none() {
                self.ask(p, turn)?;
                if let Some(m) = self.stored(p, wanted) {
                    return Some(m);
                }
            }
        }
        let mut moves: Vec<R::Move> = list.iter().collect();
        to_front(&mut moves, |&m| Some(m) == favourite);
        for m in moves {
            let child = game.play(p, m);
            if self.known(&child).seen_by(turn).hi >= wanted && self.ask(&child, turn)? {
                return Some(m);
            }
        }
        None
    }

    fn alternatives(&mut self, p: &R::Position, out: &mut Vec<R::Move>) {
        let game = self.solver.game;
        let turn = game.turn(p);
        let wanted = seen_by(self.value, turn);
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        out.extend(
            list.iter().filter(|&m| self.known(&game.play(p, m)).seen_by(turn).lo >= wanted),
        );
    }

    #[inline]
    fn prefetch(&mut self, p: &R::Position, symmetry_key: R::Key) {
        if let Some(table) = &self.solver.table
            && !self.by_knowledge[self.plies(p)]
        {
            table.prefetch(table.spread(symmetry_key));
        }
    }

    fn is_stopped(&self) -> bool {
        self.watch.stopped().is_some()
    }

    fn searched(&self) -> u64 {
        self.watch.nodes()
    }

    fn contradiction(&self) -> Option<(Contradiction, R::Position)> {
        self.contradiction.get().copied()
    }
}
