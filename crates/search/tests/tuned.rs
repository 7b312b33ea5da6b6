//! Knowledge without some of its parts, or with an oracle: it keeps the laws of knowledge, and values stay.

use std::sync::Arc;
use zermelo_game::conformance::{Effort, Kit};
use zermelo_game::{
    Ablation, Bounds, Game, Knowledge, Limits, Notation, Oracle, Rules, Superko, SuperkoKnowledge,
    Tuned,
};
use zermelo_games::Visitor;
use zermelo_search::alphabeta::{Config, Solver};
use zermelo_search::minimax;

struct Conforms(Ablation);

impl Conforms {
    fn check<R: Notation, K: Knowledge<R>>(&self, kit: Kit<R, K>) {
        let kit = kit.effort(Effort { games: 15, ..Effort::default() });
        let kit = if self.0.symmetry { kit.without_symmetry() } else { kit };
        if let Err(broken) = kit.check() {
            panic!("without {:?}: {broken}", self.0.words());
        }
    }
}

impl Visitor for Conforms {
    type Output = ();

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) {
        let reduced = Tuned::new(Arc::new(knowledge), self.0);
        self.check(Kit::new(&rules, &reduced));
    }

    fn visit_superko<R: Notation + Superko, K: SuperkoKnowledge<R>>(self, rules: R, knowledge: K) {
        let reduced = Tuned::new(Arc::new(knowledge), self.0);
        self.check(Kit::new(&rules, &reduced).superko());
    }
}

#[test]
fn what_is_left_is_still_a_game() {
    for game in [
        "nogo 3x4",
        "domineering 4x5",
        "domineering 4x4 misere",
        "connect4 4x4",
        "clobber 3x3",
        "go 2x2",
    ] {
        for number in 0..8 {
            let visitor = Conforms(Ablation::numbered(number));
            zermelo_games::open(game, visitor).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

/// Knows all positions of at most so many plies.
struct Late<K> {
    knowledge: Arc<K>,
    plies: u32,
}

impl<R: Rules, K: Knowledge<R>> Oracle<R> for Late<K> {
    fn probe(&self, rules: &R, p: &R::Position) -> Bounds {
        match self.knowledge.plies_left(rules, p) <= self.plies {
            true => minimax::solve(rules, p, &Limits::default(), &|_| {}).bounds,
            false => rules.values(),
        }
    }
}

struct Asked;

impl Visitor for Asked {
    type Output = [u64; 2];

    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> [u64; 2] {
        let knowledge = Arc::new(knowledge);
        let nodes = |tuned: &Tuned<R, K>| {
            let game = Game::new(&rules, tuned);
            let mut solver = Solver::new(game, Config::default(), Limits::default());
            let report = solver.solve(&rules.start(), &|_| {});
            (report.bounds, report.stats.nodes)
        };
        let plain = || Tuned::new(knowledge.clone(), Ablation::NOTHING);
        let late = Late { knowledge: knowledge.clone(), plies: 7 };
        let (value, alone) = nodes(&plain());
        let (same, fewer) = nodes(&plain().with_oracle(&rules, Arc::new(late)));
        assert_eq!(value, same, "{}", rules.name());
        assert!(fewer <= alone, "{}: {fewer} nodes, {alone} without", rules.name());
        [fewer, alone]
    }
}

#[test]
fn what_an_oracle_knows_is_not_searched() {
    // In some games the oracle knows only what static bounds know, too.
    let mut saved = 0;
    for game in
        ["mnk 4x4x4", "connect4 4x5", "nogo 4x4", "domineering 5x5", "domineering 5x5 misere"]
    {
        let [fewer, alone] = zermelo_games::open(game, Asked).unwrap_or_else(|e| panic!("{e}"));
        saved += alone - fewer;
    }
    assert!(saved > 0);
}
