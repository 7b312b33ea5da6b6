//! What can be said of the normal game without search.
//!
//! A *striker* is a piece in the zone from which it reaches its far row in one step. It cannot be
//! blocked: by the property that [`PieceSteps`] demands some taking step leads there, and in a game that
//! goes on no piece of its own side stands on the far row. Hence
//!
//! 1. who is to move and has a striker wins at once;
//! 2. otherwise every enemy striker must be taken now, or it wins: two cannot both be taken, and one
//!    that no piece attacks cannot be taken at all;
//! 3. who is to move, and can put a piece into the zone where the enemy does not attack it, while no
//!    enemy striker is left after that, wins: the enemy has no striker and so does not win with
//!    its answer, cannot take the new striker, and loses to it one move later.
//!
//! The *rim* is the part of the zone in the last row but one. Only pieces that still stand in their
//! own first row attack it, and no piece ever comes back there: a rim cell that is not attacked now
//! is *open* for good. A *runner* is a piece with a taking step to an open rim cell; if it gets
//! there while the enemy has no striker, that is reason 3. (The cell is not closed by a piece of
//! its own side, which would be a striker.) Hence
//!
//! 4. who is to move, and can make a runner on a cell that the enemy does not attack, while no enemy
//!    striker is left and no enemy piece is one step away from its zone, wins: the enemy's
//!    answer neither takes the runner nor makes a striker;
//! 5. who is to move and can neither win by the above nor put a piece into the zone must take every
//!    enemy runner now: any other move leaves the enemy, who will face no striker, reason 3.
//!    Two runners cannot both be taken, and one that cannot be taken decides;
//! 6. who can put a piece into the zone may try that too, but no third kind of move helps against a
//!    runner.

use super::ThroughKnowledge;
use crate::stones::Stones;
use crate::through::{Move, PieceSteps, Through};
use zermelo_game::{Bits, Key, MoveList, Value};

impl<S: PieceSteps, K: Key> ThroughKnowledge<S, K> {
    /// +1 if the player to move certainly wins, -1 if it certainly loses, 0 if nothing is known.
    /// Decides every position in which the game is over.
    #[inline(always)]
    pub(super) fn judge(&self, rules: &Through<S, K>, up: bool, p: &Stones) -> Value {
        let (me, you) = (p.me, p.you);
        if you & rules.far[usize::from(!up)] != 0 {
            return -1;
        }
        let zone = self.zone[usize::from(up)];
        if me & (rules.far[usize::from(up)] | zone) != 0 {
            return 1; // over, or reason 1
        }
        let ends = rules.reach(up, me, you);
        let your_zone = self.zone[usize::from(!up)];
        let strikers = you & your_zone;
        let allowed = if strikers == 0 {
            ends
        } else if strikers.without_lowest() == 0 {
            ends & strikers
        } else {
            0
        };
        if allowed == 0 {
            return -1; // no move, or reason 2
        }
        let safe = !rules.attacks(!up, you);
        if allowed & zone & safe != 0 {
            return 1; // reason 3
        }
        let open = self.rim[usize::from(up)] & safe;
        if allowed & safe & rules.attackers(up, open) != 0 && rules.span(!up, you) & your_zone == 0
        {
            return 1; // reason 4
        }
        if allowed & zone == 0 {
            let runners = self.enemy_runners(rules, up, p);
            if runners != 0 && (runners.without_lowest() != 0 || allowed & runners == 0) {
                return -1; // reason 5
            }
        }
        0
    }

    /// The move of reasons 1, 3 and 4, where one of them decides. Takes are preferred: they leave the enemy fewer replies.
    #[inline(always)]
    pub(super) fn sure(&self, rules: &Through<S, K>, up: bool, p: &Stones) -> Option<Move> {
        let (me, you) = (p.me, p.you);
        let (zone, your_zone) = (self.zone[usize::from(up)], self.zone[usize::from(!up)]);
        if me & zone != 0 {
            return rules.first_to(up, p, rules.far[usize::from(up)]);
        }
        let strikers = you & your_zone;
        let ends = rules.reach(up, me, you);
        let allowed = match strikers {
            0 => ends,
            _ if strikers.without_lowest() == 0 => ends & strikers,
            _ => return None,
        };
        let safe = !rules.attacks(!up, you);
        let mut goals = allowed & zone & safe;
        if goals == 0 && rules.span(!up, you) & your_zone == 0 {
            let open = self.rim[usize::from(up)] & safe;
            goals = allowed & safe & rules.attackers(up, open);
        }
        rules.first_to(up, p, goals & you).or_else(|| rules.first_to(up, p, goals))
    }

    /// Enemy pieces with a taking step to an open cell of their rim.
    #[inline(always)]
    fn enemy_runners(&self, rules: &Through<S, K>, up: bool, p: &Stones) -> u64 {
        let open = self.rim[usize::from(!up)] & !rules.attacks(up, p.me);
        p.you & rules.attackers(!up, open)
    }

    /// Where moves may end that [`useful`](Self::useful) lists.
    #[inline(always)]
    pub(super) fn worth_trying(&self, rules: &Through<S, K>, up: bool, p: &Stones) -> u64 {
        let strikers = p.you & self.zone[usize::from(!up)];
        if strikers != 0 {
            return strikers;
        }
        let runners = self.enemy_runners(rules, up, p);
        let zone = self.zone[usize::from(up)];
        match runners.count() {
            0 => u64::MAX,
            1 => runners | zone,
            _ => zone,
        }
    }

    /// The moves to look at where [`judge`](Self::judge) says nothing: takes of an enemy striker if
    /// there is one (reason 2); takes of the only enemy runner and steps into the zone if there
    /// are runners (reasons 5 and 6); otherwise all.
    ///
    /// Takes come first. Among the rest those far behind do, which was found by experiment and halves
    /// the nodes: waiting keeps what the front has.
    #[inline(always)]
    pub(super) fn useful(
        &self,
        rules: &Through<S, K>,
        up: bool,
        p: &Stones,
        out: &mut MoveList<Move>,
    ) {
        let allowed = self.worth_trying(rules, up, p);
        let advance = &self.advance[usize::from(up)];
        rules.list(up, p, allowed, out, |start, end, takes| {
            let row = i32::from(advance[end.lowest() as usize]);
            let mut score = 32 * i32::from(takes) - 4 * row;
            if S::CONTROL {
                let support = (rules.attackers(up, end) & p.me & !start).count() as i32;
                let against = (rules.attackers(!up, end) & p.you).count() as i32;
                let supported = (rules.attacks(up, start) & p.me).count() as i32;
                score += support - against + supported;
            }
            score
        });
    }
}
