//! Best play, read from the table after a search. What the table has lost is searched again.

use super::{Run, Solver, seen_by, to_front};
use crate::choice::choice;
use crate::table::TableEntry;
use zermelo_game::{Bounds, Knowledge, MoveList, Question, Rules, Value};

/// The longest line that is written out.
const MAX_LINE: usize = 1000;

impl<R: Rules, K: Knowledge<R>> Solver<'_, R, K> {
    /// A line of play from `p` in which both sides keep the value. It ends with the game, or where a
    /// limit strikes.
    pub(super) fn best_line(
        &mut self,
        run: &Run<R>,
        p: &R::Position,
        value: Value,
    ) -> Vec<R::Move> {
        let mut line = Vec::new();
        let mut history = Vec::new();
        let mut p = *p;
        while self.game.outcome(&p).is_none() && line.len() < MAX_LINE {
            if R::CYCLIC {
                let key = self.game.key(&self.game.canonical(&p));
                if history.contains(&key) {
                    break;
                }
                history.push(key);
            }
            let Some(m) = self.keeping_move(run, &p, value, &history) else { break };
            line.push(m);
            p = self.game.play(&p, m);
        }
        line
    }

    /// What to play where only these bounds are known: the move the table likes best, else the one the game would try
    /// first, unless it is known to lose what was proved.
    pub(super) fn promising(&self, p: &R::Position, bounds: Bounds) -> Option<R::Move> {
        if self.game.outcome(p).is_some() {
            return None;
        }
        let mut list = MoveList::new();
        if !self.game.static_bounds(p).is_exact() {
            self.game.candidate_moves(p, &mut list);
        }
        let first = || list.scored().iter().rev().max_by_key(|s| s.score).map(|s| s.mv);
        let favourite = self.favourite(p).or_else(first);
        let turn = self.game.turn(p);
        let mut all = MoveList::new();
        self.game.moves(p, &mut all);
        let known = |m| (m, self.known(&self.game.play(p, m)).seen_by(turn));
        let least = self.game.values().seen_by(turn).lo;
        choice(all.iter().map(known), bounds.seen_by(turn).lo, least, favourite)
    }

    /// The move the table likes best, of a position that is not over.
    pub(super) fn favourite(&self, p: &R::Position) -> Option<R::Move> {
        let game = self.game;
        let canonical = game.canonical(p);
        let best = self.table.as_ref()?.get(game.key(&canonical))?.best?;
        let moves = |p: &R::Position| {
            let mut list = MoveList::new();
            game.moves(p, &mut list);
            list
        };
        let best = moves(&canonical).iter().find(|&m| game.code(m) == best)?;
        if canonical == *p {
            return Some(best);
        }
        let wanted = game.canonical(&game.play(&canonical, best));
        moves(p).iter().find(|&m| game.canonical(&game.play(p, m)) == wanted)
    }

    fn entry(&self, key: R::Key) -> Option<TableEntry> {
        self.table.as_ref().and_then(|t| t.get(key))
    }

    fn children(&self, p: &R::Position) -> Vec<Candidate<R>> {
        let mut list = MoveList::new();
        self.game.moves(p, &mut list);
        let candidate = |m| {
            let position = self.game.play(p, m);
            let key = self.game.key(&self.game.canonical(&position));
            Candidate { m, position, key, known: self.known(&position) }
        };
        list.iter().map(candidate).collect()
    }

    /// A move of `p`, whose value is known, after which the value is the same. The winner ends the
    /// game where it can; the loser takes the move that was hardest to refute.
    fn keeping_move(
        &mut self,
        run: &Run<R>,
        p: &R::Position,
        value: Value,
        history: &[R::Key],
    ) -> Option<R::Move> {
        let turn = self.game.turn(p);
        let wanted = seen_by(value, turn);
        let mut children = self.children(p);
        if R::CYCLIC {
            // Moves that keep the value need not get anywhere. A line that comes back to where it was is worth a repetition,
            // whatever its positions are worth, and ends before that if it is another value.
            let back = Bounds::exact(super::repetition(self.game));
            let behind = |c: &Candidate<R>| history.contains(&c.key);
            children.retain(|c| !behind(c) || back == Bounds::exact(value));
            children.iter_mut().filter(|c| behind(c)).for_each(|c| c.known = back);
        }
        let keeps = |c: &Candidate<R>| c.known.seen_by(turn).lo >= wanted;
        let ends = |c: &Candidate<R>| self.game.outcome(&c.position).is_some();
        if let Some(c) = children.iter().find(|c| keeps(c) && ends(c)) {
            return Some(c.m);
        }
        let resistance = |c: &Candidate<R>| self.entry(c.key).map_or(0, |e| e.work);
        if wanted == self.game.values().seen_by(turn).lo {
            let hardest = children.iter().rev().filter(|c| !ends(c)).max_by_key(|c| resistance(c));
            return hardest.or(children.first()).map(|c| c.m);
        }
        let favourite = self.favourite(p);
        let known = children.iter().filter(|c| keeps(c));
        if let Some(c) = known.min_by_key(|c| (Some(c.m) != favourite, resistance(c))) {
            return Some(c.m);
        }
        children.retain(|c| c.known.seen_by(turn).hi >= wanted);
        to_front(&mut children, |c| Some(c.m) == favourite);
        for c in &children {
            // At least `value` for the first player, or less than one more.
            let at_least = if turn.sign() > 0 { value } else { value + 1 };
            let answer = self.ask(run, &c.position, history, c.known, Question { at_least })?;
            if (answer >= at_least) == (turn.sign() > 0) {
                return Some(c.m);
            }
        }
        None
    }
}

/// A move with what is known of the position behind it.
struct Candidate<R: Rules> {
    m: R::Move,
    position: R::Position,
    key: R::Key,
    known: Bounds,
}
