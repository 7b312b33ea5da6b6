//! A strategy, read from the table after a search: at every position a move that keeps what was proved.
//! What the table has lost is searched again.

use super::{Run, Solver, seen_by, to_front};
use crate::watch::Watch;
use std::cell::OnceCell;
use zermelo_game::{Bounds, Game, History, Limits, MoveList, Player, Question, Value};

/// Positions with more plies left than this are treated alike.
const PLIES: usize = 128;

/// Knows moves that keep a value.
pub struct Keeper<'s, 'g, G: Game> {
    solver: &'s mut Solver<'g, G>,
    watch: Watch,
    value: Value,
    facts: Option<Facts<'s, G>>,
    clash: OnceCell<String>,
    /// By the plies that are left: whether the game's knowledge, and not the table, told the last move.
    by_knowledge: [bool; PLIES],
    /// Positions that had been searched before.
    before: u64,
}

/// What someone else has proved of a position.
pub type Facts<'f, G> = &'f dyn Fn(&<G as Game>::Position) -> Bounds;

impl<'g, G: Game> Solver<'g, G> {
    /// A player who keeps the value at least (as the first player) or at most (as the second) this, where
    /// a search has proved that it can; within these limits for all its searches together.
    pub fn keeper(&mut self, value: Value, limits: Limits) -> Keeper<'_, 'g, G> {
        Keeper {
            before: self.stats.nodes,
            solver: self,
            watch: Watch::new(limits),
            value,
            facts: None,
            clash: OnceCell::new(),
            by_knowledge: [false; PLIES],
        }
    }
}

impl<'s, G: Game> Keeper<'s, '_, G> {
    /// The same, who also goes by the facts of another solver.
    #[must_use]
    pub fn with(self, facts: Option<Facts<'s, G>>) -> Self {
        Keeper { facts, ..self }
    }

    /// Where the facts contradict what was proved here, if they do.
    #[must_use]
    pub fn clash(&self) -> Option<&str> {
        self.clash.get().map(String::as_str)
    }

    /// What is known of a position. Facts that contradict it are noted, and not believed.
    fn known(&self, p: &G::Position) -> Bounds {
        let known = self.solver.known(p);
        match self.facts {
            Some(facts) if !known.is_exact() => match known.meet(facts(p)) {
                Ok(both) => both,
                Err(error) => {
                    let at = || format!("{error}, at {}", self.solver.game.position_text(p));
                    self.clash.get_or_init(at);
                    known
                }
            },
            _ => known,
        }
    }

    /// Adds the moves of `p` of which it is known, without search, that the value is kept after them.
    pub fn keeping_moves(&self, p: &G::Position, out: &mut Vec<G::Move>) {
        let game = self.solver.game;
        let turn = game.turn(p);
        let wanted = seen_by(self.value, turn);
        let mut list = MoveList::new();
        game.moves(p, &mut list);
        out.extend(
            list.iter().filter(|&m| self.known(&game.play(p, m)).seen_by(turn).lo >= wanted),
        );
    }

    /// The position, whose class is given, will perhaps be asked for soon.
    #[inline]
    pub fn ahead(&self, p: &G::Position, class: G::Key) {
        if let Some(table) = &self.solver.table
            && !self.by_knowledge[self.plies(p)]
        {
            table.prefetch(table.spread(class));
        }
    }

    #[inline]
    fn plies(&self, p: &G::Position) -> usize {
        (self.solver.game.plies_left(p) as usize).min(PLIES - 1)
    }

    /// Positions that were searched because the table did not know them.
    #[must_use]
    pub fn searched(&self) -> u64 {
        self.solver.stats.nodes - self.before
    }

    /// Whether a limit has struck.
    pub fn is_stopped(&self) -> bool {
        self.watch.stopped().is_some()
    }

    /// The same as [`keeping_move`](Self::keeping_move) where no board may come back: these have stood, the
    /// present one last.
    pub fn keeping_move_after(&mut self, p: &G::Position, boards: &[u64]) -> Option<G::Move> {
        if !G::SUPERKO {
            return None;
        }
        let Solver { game, superko, .. } = &mut *self.solver;
        let history = History::from_boards(boards);
        superko.as_mut()?.keeping_move(*game, &self.watch, &history, p, self.value)
    }

    /// A move of `p`, whose class and moves are given, after which the value is kept; `None` if there is none, or a limit
    /// strikes. First what needs no search, the cheapest first: the move by which the value was proved, the one by which the
    /// game's knowledge decides the position, the one the table likes best, any other that is known to do.
    pub fn keeping_move(
        &mut self,
        p: &G::Position,
        class: G::Key,
        moves: &MoveList<G::Move>,
    ) -> Option<G::Move> {
        let game = self.solver.game;
        let turn = game.turn(p);
        let wanted = seen_by(self.value, turn);
        // Who knew the last one so far from the end is asked first.
        let plies = self.plies(p);
        let by_knowledge = self.by_knowledge[plies];
        if !by_knowledge && let Some(m) = self.proving(p, class, moves, wanted) {
            return Some(m);
        }
        if let Some(m) = game.sure_move(p, wanted) {
            self.by_knowledge[plies] = true;
            return Some(m);
        }
        self.by_knowledge[plies] = false;
        if by_knowledge && let Some(m) = self.proving(p, class, moves, wanted) {
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
            let ends = |m: &G::Move| {
                let value = game.outcome(&game.play(p, *m));
                value.is_some_and(|value| seen_by(value, turn) >= wanted)
            };
            let known = list.iter().find(ends).or_else(|| self.known_to_keep(p, &list, wanted));
            if known.is_some() {
                return known;
            }
        } else {
            let others = game.relevant(p, &mut list);
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
        let mut moves: Vec<G::Move> = list.iter().collect();
        to_front(&mut moves, |&m| Some(m) == favourite);
        for m in moves {
            let child = game.play(p, m);
            if self.known(&child).seen_by(turn).hi >= wanted && self.ask(&child, turn)? {
                return Some(m);
            }
        }
        None
    }

    /// The move by which this solver has proved that the value is kept, from the table alone. An entry whose upper bound was never
    /// lowered was written last by a search that found its lower bound, with the move that gave it
    /// ([`Solver::own`] says where that is so); what lies behind the move need not be looked up. What is said of the
    /// image with the key `class` is true of all images.
    #[inline]
    fn proving(
        &self,
        p: &G::Position,
        class: G::Key,
        moves: &MoveList<G::Move>,
        wanted: Value,
    ) -> Option<G::Move> {
        let Solver { game, table, own, .. } = &*self.solver;
        if G::CYCLIC || !G::NAMED_WINS || !own {
            return None;
        }
        let entry = table.as_ref()?.get(class)?;
        if entry.lo < wanted || entry.hi < game.values().seen_by(game.turn(p)).hi {
            return None;
        }
        let code = game.code_here(p, class, entry.best?)?;
        moves.iter().find(|&m| game.code(m) == code)
    }

    /// The move the table likes best, if it is known to keep the value. It is the move of a canonical position: whether it
    /// will do is seen there, before its image is looked for.
    fn stored(&self, p: &G::Position, wanted: Value) -> Option<G::Move> {
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
    fn keeps(&self, p: &G::Position, m: G::Move, wanted: Value) -> bool {
        let game = self.solver.game;
        self.known(&game.play(p, m)).seen_by(game.turn(p)).lo >= wanted
    }

    fn known_to_keep(
        &self,
        p: &G::Position,
        list: &MoveList<G::Move>,
        wanted: Value,
    ) -> Option<G::Move> {
        list.iter().find(|&m| self.keeps(p, m, wanted))
    }

    /// Searches whether a player keeps the value at a position; `None` if a limit strikes.
    fn ask(&mut self, p: &G::Position, player: Player) -> Option<bool> {
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
