//! Knowledge with some of it left out, or with more known than a game knows by itself.
//!
//! [`Tuned`] is the same knowledge for every solver: with less of it ([`Ablation`]), to see what each
//! ingredient saves, or with an [`Oracle`], such as an endgame database, whose answers count as static bounds. The values
//! stay, whatever is left out or added; only the cost changes. These are switches at run time: where nothing is left out or
//! added they cost a branch here and there, so solvers are compiled for tuned knowledge only, once a game.

use crate::knowledge::smallest_image;
use crate::superko::GuardedClaim;
use crate::{
    Bounds, DistanceFacts, Guard, Knowledge, MoveList, Oracle, Player, Rules, Soon, Superko,
    SuperkoKnowledge, Value,
};
use std::sync::Arc;

/// What is left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Ablation {
    /// Static bounds, candidate moves, and canonical positions that are more than an image: every
    /// line is played to its end by the rules.
    pub knowledge: bool,
    /// Symmetry, and whatever else makes different positions one.
    pub symmetry: bool,
    /// The order of moves. (Solvers that learn an order by themselves leave that out too.)
    pub order: bool,
}

impl Ablation {
    /// Nothing is left out.
    pub const NOTHING: Ablation = Ablation { knowledge: false, symmetry: false, order: false };
    /// The bare rules.
    pub const ALL: Ablation = Ablation { knowledge: true, symmetry: true, order: true };

    /// Every combination, by its number.
    #[must_use]
    pub const fn numbered(number: usize) -> Ablation {
        Ablation { knowledge: number & 1 != 0, symmetry: number & 2 != 0, order: number & 4 != 0 }
    }

    /// The number of the combination, 0 to 7.
    #[must_use]
    pub const fn number(self) -> usize {
        self.knowledge as usize + 2 * self.symmetry as usize + 4 * self.order as usize
    }

    /// What is left out, in words.
    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        let all =
            [(self.knowledge, "knowledge"), (self.symmetry, "symmetry"), (self.order, "order")];
        all.into_iter().filter_map(|(left_out, word)| left_out.then_some(word)).collect()
    }
}

/// The score of moves that the knowledge's own list leaves out.
const LAST: i32 = -0x3FFF;

/// Knowledge as it is, or without some of its parts, or with an oracle.
pub struct Tuned<R: Rules, K> {
    knowledge: Arc<K>,
    ablation: Ablation,
    oracle: Option<Arc<dyn Oracle<R>>>,
    /// Nothing is left out, nothing added.
    unchanged: bool,
}

impl<R: Rules, K> Clone for Tuned<R, K> {
    fn clone(&self) -> Self {
        let Tuned { knowledge, ablation, oracle, unchanged } = self;
        let (knowledge, oracle) = (knowledge.clone(), oracle.clone());
        Tuned { knowledge, ablation: *ablation, oracle, unchanged: *unchanged }
    }
}

impl<R: Rules, K: Knowledge<R>> Tuned<R, K> {
    /// The knowledge without these parts.
    #[must_use]
    pub fn new(knowledge: Arc<K>, ablation: Ablation) -> Tuned<R, K> {
        let unchanged = ablation == Ablation::NOTHING;
        Tuned { knowledge, ablation, oracle: None, unchanged }
    }

    /// The same with an oracle to ask.
    ///
    /// # Panics
    /// If positions have no values of their own, so that there is nothing that an oracle could know: where the value of a
    /// repetition depends on the line of play, or boards must not be repeated.
    #[must_use]
    pub fn with_oracle(self, rules: &R, oracle: Arc<dyn Oracle<R>>) -> Tuned<R, K> {
        let fixed = !R::CYCLIC || rules.repetition().fixed().is_some();
        assert!(fixed && !R::SUPERKO, "positions have no values of their own");
        Tuned { oracle: Some(oracle), unchanged: false, ..self }
    }

    /// What the oracle says of a position, if there is one.
    fn told(&self, rules: &R, p: &R::Position) -> Bounds {
        self.oracle.as_ref().map_or_else(|| rules.values(), |oracle| oracle.probe(rules, p))
    }

    #[cold]
    #[inline(never)]
    fn changed_canonical(&self, rules: &R, p: &R::Position) -> R::Position {
        match self.ablation {
            Ablation { symmetry: true, .. } => *p,
            Ablation { knowledge: true, .. } => smallest_image(rules, p),
            _ => self.knowledge.canonical(rules, p),
        }
    }

    #[cold]
    #[inline(never)]
    fn changed_bounds(&self, rules: &R, p: &R::Position) -> Bounds {
        let own = match self.ablation.knowledge {
            true => rules.outcome(p).map_or_else(|| rules.values(), Bounds::exact),
            false => self.knowledge.static_bounds(rules, p),
        };
        if own.is_exact() || self.oracle.is_none() {
            return own;
        }
        match own.meet(self.told(rules, p)) {
            Ok(both) => both,
            Err(error) => panic!("an oracle contradicts the knowledge: {error}, at {p:?}"),
        }
    }

    #[cold]
    #[inline(never)]
    fn changed_candidates(&self, rules: &R, p: &R::Position, out: &mut MoveList<R::Move>) -> Value {
        let Ablation { knowledge, order, .. } = self.ablation;
        if self.prunes_candidates()
            && let Some(value) = self.told(rules, p).value()
        {
            return value * rules.turn(p).sign();
        }
        let floor = if !knowledge {
            self.knowledge.candidate_moves(rules, p, out)
        } else if self.prunes_candidates() {
            prune(rules, p, out)
        } else {
            rules.moves(p, out);
            rules.values().seen_by(rules.turn(p)).lo
        };
        if order {
            out.rescore(|_, _| 0);
        } else if knowledge && out.len() > 1 {
            self.borrow_order(rules, p, out);
        }
        floor
    }

    /// Gives the moves of `out` the scores of the knowledge's own list, where there is one.
    fn borrow_order(&self, rules: &R, p: &R::Position, out: &mut MoveList<R::Move>) {
        if self.knowledge.static_bounds(rules, p).is_exact() {
            return;
        }
        let mut own = MoveList::new();
        self.knowledge.candidate_moves(rules, p, &mut own);
        let score = |m| own.scored().iter().find(|s| s.mv == m).map_or(LAST, |s| s.score);
        out.rescore(|m, _| score(m));
    }
}

/// What [pruned candidates](Knowledge::prunes_candidates) promise, by the rules alone: moves that end the
/// game are not listed but counted in the returned value, and one that wins stands alone.
fn prune<R: Rules>(rules: &R, p: &R::Position, out: &mut MoveList<R::Move>) -> Value {
    let turn = rules.turn(p);
    let range = rules.values().seen_by(turn);
    if let Some(value) = rules.outcome(p) {
        return value * turn.sign();
    }
    let mut all = MoveList::new();
    rules.moves(p, &mut all);
    let mut floor = range.lo;
    for m in all.iter() {
        match rules.outcome(&rules.play(p, m)) {
            None => out.push(m),
            Some(value) => floor = floor.max(value * turn.sign()),
        }
        if floor == range.hi {
            out.clear();
            out.push(m);
            return floor;
        }
    }
    floor
}

impl<R: Rules, K: Knowledge<R>> Knowledge<R> for Tuned<R, K> {
    #[inline(always)]
    fn prunes_candidates(&self) -> bool {
        self.knowledge.prunes_candidates()
    }

    #[inline(always)]
    fn first_candidate_wins(&self) -> bool {
        self.knowledge.first_candidate_wins()
    }

    #[inline(always)]
    fn evaluates(&self) -> bool {
        self.knowledge.evaluates()
    }

    /// Whatever is left out, canonical positions are images then.
    fn distance_facts(&self, rules: &R) -> DistanceFacts {
        let DistanceFacts { canonical_keeps_distance, last_mover } =
            self.knowledge.distance_facts(rules);
        let Ablation { knowledge, symmetry, .. } = self.ablation;
        let canonical_keeps_distance = canonical_keeps_distance || knowledge || symmetry;
        DistanceFacts { canonical_keeps_distance, last_mover }
    }

    #[inline(always)]
    fn distance_moves(
        &self,
        rules: &R,
        p: &R::Position,
        out: &mut MoveList<R::Move>,
    ) -> Option<Soon> {
        match self.ablation {
            Ablation { knowledge: false, order: false, .. } => {
                self.knowledge.distance_moves(rules, p, out)
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn canonical(&self, rules: &R, p: &R::Position) -> R::Position {
        match self.unchanged {
            true => self.knowledge.canonical(rules, p),
            false => self.changed_canonical(rules, p),
        }
    }

    #[inline(always)]
    fn static_bounds(&self, rules: &R, p: &R::Position) -> Bounds {
        match self.unchanged {
            true => self.knowledge.static_bounds(rules, p),
            false => self.changed_bounds(rules, p),
        }
    }

    #[inline(always)]
    fn proving_move(&self, rules: &R, p: &R::Position, value: Value) -> Option<R::Move> {
        match self.ablation.knowledge {
            true => None,
            false => self.knowledge.proving_move(rules, p, value),
        }
    }

    #[inline(always)]
    fn candidate_moves(&self, rules: &R, p: &R::Position, out: &mut MoveList<R::Move>) -> Value {
        match self.unchanged {
            true => self.knowledge.candidate_moves(rules, p, out),
            false => self.changed_candidates(rules, p, out),
        }
    }

    #[inline(always)]
    fn plies_left(&self, rules: &R, p: &R::Position) -> u32 {
        self.knowledge.plies_left(rules, p)
    }

    /// They count candidate moves, and rest on their order.
    #[inline(always)]
    fn leaf_numbers(&self, rules: &R, p: &R::Position, place: u32) -> Option<(u32, u32)> {
        match self.ablation {
            Ablation { knowledge: false, order: false, .. } => {
                self.knowledge.leaf_numbers(rules, p, place)
            }
            _ => None,
        }
    }

    fn evaluate(&self, rules: &R, p: &R::Position) -> i32 {
        self.knowledge.evaluate(rules, p)
    }

    fn forcing(&self, rules: &R, p: &R::Position) -> bool {
        self.knowledge.forcing(rules, p)
    }

    #[inline(always)]
    fn pattern(&self, rules: &R, p: &R::Position, m: R::Move) -> usize {
        self.knowledge.pattern(rules, p, m)
    }

    fn patterns(&self, rules: &R) -> usize {
        self.knowledge.patterns(rules)
    }

    #[inline(always)]
    fn lazy_expansion_plies(&self, rules: &R) -> u32 {
        self.knowledge.lazy_expansion_plies(rules)
    }
}

impl<R: Superko, K: SuperkoKnowledge<R>> SuperkoKnowledge<R> for Tuned<R, K> {
    fn claim(&self, rules: &R, p: &R::Position, claimant: Player) -> GuardedClaim<R::Key> {
        match self.ablation.knowledge {
            false => self.knowledge.claim(rules, p, claimant),
            true => {
                let value = self.static_bounds(rules, p).seen_by(claimant).lo;
                GuardedClaim { value, guard: Guard::NONE }
            }
        }
    }

    fn canonical_with_transform(&self, rules: &R, p: &R::Position) -> (R::Position, u8) {
        match self.ablation.symmetry {
            true => (*p, 0),
            false => self.knowledge.canonical_with_transform(rules, p),
        }
    }

    fn canonical_board(&self, rules: &R, board: R::Key) -> R::Key {
        match self.ablation.symmetry {
            true => board,
            false => self.knowledge.canonical_board(rules, board),
        }
    }

    fn map_board(&self, rules: &R, board: R::Key, symmetry: u8, inverse: bool) -> R::Key {
        match self.ablation.symmetry {
            true => board,
            false => self.knowledge.map_board(rules, board, symmetry, inverse),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_numbered() {
        for number in 0..8 {
            assert_eq!(Ablation::numbered(number).number(), number);
        }
        assert_eq!(Ablation::NOTHING.number(), 0);
        assert_eq!(Ablation::ALL.words(), ["knowledge", "symmetry", "order"]);
    }
}
