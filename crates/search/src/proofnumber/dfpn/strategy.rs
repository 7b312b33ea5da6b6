//! A strategy by df-pn: moves that keep a claim, from its tables and by further searches.

use super::{Config, Dfpn};
use crate::engine::KnownBounds;
use crate::proofnumber::InitialBounds;
use crate::table::Table;
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Instant;
use zermelo_game::{
    Bounds, Claim, Contradiction, Game, Knowledge, Limits, MoveList, Player, Question, Rules,
    Stats, StrategySource, Value,
};

/// Df-pn asked about one claim, within limits for all searches together.
pub struct DfpnStrategy<'s, 'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    dfpn: &'s mut Dfpn<'g, R, K>,
    facts: Option<KnownBounds<'s, R>>,
    /// Facts that df-pn looks up while it searches, and adds to.
    table: Option<Arc<Table<R::Key>>>,
    limits: Limits,
    claim: Claim,
    /// Proves again from nothing.
    afresh: Dfpn<'g, R, K>,
    spent: Stats,
    since: Instant,
    stopped: bool,
    contradiction: OnceCell<(Contradiction, R::Position)>,
}

/// Who has proved something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownBy {
    Dfpn,
    Others,
}

impl<'g, R: Rules, K: Knowledge<R>> Dfpn<'g, R, K> {
    /// A player who keeps a claim that was proved, within these limits for all searches that are needed. `facts` is what someone
    /// else has proved, and `table` a table of facts to be used while searching.
    pub fn strategy_source<'s>(
        &'s mut self,
        claim: Claim,
        limits: Limits,
        facts: Option<KnownBounds<'s, R>>,
        table: Option<Arc<Table<R::Key>>>,
    ) -> DfpnStrategy<'s, 'g, R, K> {
        let quarter = Limits { memory: limits.memory / 4, ..limits.clone() };
        DfpnStrategy {
            game: self.game,
            afresh: Dfpn::with_loops(self.game, self.loops.clone(), Config::default(), quarter),
            dfpn: self,
            facts,
            table,
            limits,
            claim,
            spent: Stats::default(),
            since: Instant::now(),
            stopped: false,
            contradiction: OnceCell::new(),
        }
    }
}

impl<R: Rules, K: Knowledge<R>> DfpnStrategy<'_, '_, R, K> {
    /// Whether it is known without search that a position keeps the claim, and by whom.
    fn keeps(&self, p: &R::Position) -> Option<KnownBy> {
        let known = [self.dfpn.known(p), self.afresh.known(p)];
        let own = known
            .into_iter()
            .fold(self.game.static_bounds(p), |sum, known| self.meet(p, sum, known));
        let both = self.facts.as_ref().map_or(own, |facts| self.meet(p, own, facts(p)));
        let by = if self.is_kept(own) { KnownBy::Dfpn } else { KnownBy::Others };
        self.is_kept(both).then_some(by)
    }

    /// Both bounds together; the first alone if they contradict each other, which is noted.
    fn meet(&self, p: &R::Position, sum: Bounds, told: Bounds) -> Bounds {
        sum.meet(told).unwrap_or_else(|error| {
            self.contradiction.get_or_init(|| (error, *p));
            sum
        })
    }

    fn is_kept(&self, bounds: Bounds) -> bool {
        let worst = if self.claim.claimant == Player::First { bounds.lo } else { bounds.hi };
        self.claim.is_kept_by(worst)
    }

    /// Asks df-pn, or a second one that does not know the first one's facts, whether the claim is kept at a position of the
    /// claimant, and how.
    fn ask(&mut self, p: &R::Position, afresh: bool) -> Option<R::Move> {
        let Ok(limits) = self.limits.after(&self.spent) else {
            self.stopped = true;
            return None;
        };
        // At least the value, or less than one more: what lies beyond is of no interest here.
        let (all, value) = (self.game.values(), self.claim.value);
        let at_least = if self.claim.claimant == Player::First { value } else { value + 1 };
        let beside = |value: Value| value.clamp(all.lo, all.hi);
        let known = Bounds::new(beside(at_least - 1), beside(at_least));
        let initial = InitialBounds { known, first: Some(Question { at_least }) };
        let dfpn = match afresh {
            true => &mut self.afresh,
            false => &mut *self.dfpn,
        };
        dfpn.set_limits(limits);
        let table = self.table.as_deref().filter(|_| !afresh);
        let report = dfpn.solve_from(p, &initial, &|_| {}, table);
        let elapsed = self.spent.elapsed + report.stats.elapsed;
        self.spent.merge(&report.stats);
        self.spent.elapsed = elapsed;
        self.stopped |= report.bounds.lo < report.bounds.hi;
        report.best.filter(|_| self.is_kept(report.bounds))
    }
}

impl<R: Rules, K: Knowledge<R>> StrategySource<R> for DfpnStrategy<'_, '_, R, K> {
    fn choose(&mut self, p: &R::Position, _: R::Key, moves: &MoveList<R::Move>) -> Option<R::Move> {
        let mut told = None;
        for m in moves.iter() {
            match self.keeps(&self.game.play(p, m)) {
                // What others have proved may lead round in circles together with what df-pn has proved.
                Some(KnownBy::Dfpn) => return Some(m),
                Some(KnownBy::Others) => told = told.or(Some(m)),
                None => {}
            }
        }
        told.or_else(|| self.ask(p, false))
    }

    fn alternatives(&mut self, p: &R::Position, out: &mut Vec<R::Move>) {
        let mut list = MoveList::new();
        self.game.moves(p, &mut list);
        out.extend(list.iter().filter(|&m| self.keeps(&self.game.play(p, m)).is_some()));
    }

    fn reprove(&mut self, p: &R::Position) -> bool {
        self.ask(p, true).is_some()
    }

    fn is_stopped(&self) -> bool {
        let late = self.limits.time.is_some_and(|time| self.since.elapsed() >= time);
        self.stopped || late
    }

    fn searched(&self) -> u64 {
        self.spent.nodes
    }

    fn contradiction(&self) -> Option<(Contradiction, R::Position)> {
        self.contradiction.get().copied()
    }
}
