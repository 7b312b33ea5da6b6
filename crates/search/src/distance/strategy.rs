//! Moves from a search for distances: lines of play to the end, and strategies for certificates.

use super::{DistanceSolver, KnownDistance, Run};
use crate::watch::Watch;
use zermelo_game::{
    Bounds, Knowledge, Limits, MoveList, Player, Rules, Stats, StrategySource, Value,
};

impl<R: Rules, K: Knowledge<R>> DistanceSolver<'_, R, K> {
    /// Best play from a position of known distance: to the end, or to where a limit strikes.
    pub(super) fn line(
        &mut self,
        p: &R::Position,
        run: &Run<R>,
        stats: &mut Stats,
    ) -> Vec<R::Move> {
        let (mut p, mut line) = (*p, Vec::new());
        while self.game.outcome(&p).is_none() {
            let Some(m) = self.best_move(&p, run, stats) else { break };
            line.push(m);
            p = self.game.play(&p, m);
        }
        line
    }

    /// A move after which the distance is one ply less: the fastest of the attacker, the most stubborn of the defender. `None`
    /// if a limit struck, or the attacker does not win.
    fn best_move(&mut self, p: &R::Position, run: &Run<R>, stats: &mut Stats) -> Option<R::Move> {
        let distance = self.bounds_of(p, run, stats);
        let plies = distance.value().filter(|&plies| 0 < plies && plies < self.never)?;
        let attacks = self.game.turn(p) == run.attacker;
        let mut list = MoveList::new();
        self.game.moves(p, &mut list);
        // The move beside the bounds in the table is tried first.
        let (q, key) = self.normal(p);
        let table = self.tables[run.attacker.index()].as_ref()?;
        let hint = table.get(key).and_then(|e| e.best).filter(|_| q == *p);
        let first = list.iter().find(|&m| Some(self.game.code(m)) == hint);
        let moves: Vec<R::Move> =
            first.into_iter().chain(list.iter().filter(|m| Some(*m) != first)).collect();
        moves.into_iter().find(|&m| {
            let next = self.game.play(p, m);
            match self.distance_within(&next, plies - 1, attacks, run, stats) {
                Some(found) if attacks => found.hi < plies,
                Some(found) => found.lo >= plies - 1,
                None => false,
            }
        })
    }

    /// What is known of a distance once it is settled whether it is at most `plies` (for the attacker's move) or at least that
    /// (for the defender's).
    fn distance_within(
        &mut self,
        p: &R::Position,
        plies: Value,
        attacks: bool,
        run: &Run<R>,
        stats: &mut Stats,
    ) -> Option<Bounds> {
        if self.avoided.contains(&self.game.key(p)) {
            return Some(Bounds::exact(self.never));
        }
        if let Some(value) = self.game.outcome(p) {
            let won = value * run.attacker.sign() > 0;
            return Some(Bounds::exact(if won { 0 } else { self.never }));
        }
        if !attacks && plies == 0 {
            return Some(Bounds { lo: 0, hi: self.never });
        }
        let (q, key) = self.normal(p);
        let within = if attacks { plies } else { plies - 1 };
        self.ask(&q, key, within as u16, run, stats)
    }

    /// The fastest wins of a player as a strategy, within limits for all searches together. The same position always gets the same
    /// distance, so that distances fall along every line.
    pub fn strategy<'s>(
        &'s mut self,
        attacker: Player,
        limits: &Limits,
        known: Option<KnownDistance<'s, R>>,
    ) -> DistanceStrategy<'s, R, K>
    where
        Self: 's,
    {
        let watch = Watch::new(limits.clone());
        DistanceStrategy { solver: self, watch, attacker, known, stats: Stats::default() }
    }
}

/// The fastest wins of a player.
pub struct DistanceStrategy<'s, R: Rules, K: Knowledge<R>> {
    solver: &'s mut (dyn BestMove<R, K> + 's),
    watch: Watch,
    attacker: Player,
    known: Option<KnownDistance<'s, R>>,
    stats: Stats,
}

/// A [`DistanceSolver`] whose game may live longer than its user.
trait BestMove<R: Rules, K> {
    fn best_move_of(&mut self, p: &R::Position, run: &Run<R>, stats: &mut Stats)
    -> Option<R::Move>;
}

impl<R: Rules, K: Knowledge<R>> BestMove<R, K> for DistanceSolver<'_, R, K> {
    fn best_move_of(
        &mut self,
        p: &R::Position,
        run: &Run<R>,
        stats: &mut Stats,
    ) -> Option<R::Move> {
        self.best_move(p, run, stats)
    }
}

impl<R: Rules, K: Knowledge<R>> StrategySource<R> for DistanceStrategy<'_, R, K> {
    fn choose(&mut self, p: &R::Position, _: R::Key, _: &MoveList<R::Move>) -> Option<R::Move> {
        let DistanceStrategy { attacker, known, .. } = *self;
        let run = Run { deep: false, watch: &self.watch, attacker, known, observer: &|_, _| {} };
        self.solver.best_move_of(p, &run, &mut self.stats)
    }

    fn is_stopped(&self) -> bool {
        self.watch.stopped().is_some()
    }

    fn searched(&self) -> u64 {
        self.stats.nodes
    }
}
