//! Certificates of games with keys of more than 128 bits: the same answers as with short keys, and they are checked.

use std::collections::HashMap;
use zermelo_certificate::check::{CheckLimits, check};
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{
    Certificate, Claim, Provenance, RuleBook, StrategySource, WriteLimits, write,
};
use zermelo_game::{MoveList, Notation, Player, Rules, Value};
use zermelo_games::clobber::Clobber;
use zermelo_games::graph::{GraphNode, Recipe, labels, random_cyclic};
use zermelo_games::mnk::Mnk;
use zermelo_games::widened::Widened;

/// The values of positions, by their texts.
type Values = HashMap<String, Value>;

/// The value of an acyclic game's position, and of all that come after it.
fn value<R: Notation>(rules: &R, p: &R::Position, values: &mut Values) -> Value {
    if let Some(value) = rules.outcome(p) {
        return value;
    }
    let text = rules.position_text(p);
    if let Some(value) = values.get(&text) {
        return *value;
    }
    let (mut list, sign) = (MoveList::new(), rules.turn(p).sign());
    rules.moves(p, &mut list);
    let best = list.iter().map(|m| value(rules, &rules.play(p, m), values) * sign).max();
    values.insert(text, best.unwrap() * sign);
    best.unwrap() * sign
}

/// Plays the first move that keeps a claim.
struct First<'a, R> {
    rules: &'a R,
    claim: Claim,
    values: &'a Values,
}

impl<R: Notation> First<'_, R> {
    fn keeps(&self, p: &R::Position, m: R::Move) -> bool {
        let next = self.rules.play(p, m);
        let known = self.values.get(&self.rules.position_text(&next)).copied();
        known.or(self.rules.outcome(&next)).is_some_and(|value| self.claim.is_kept_by(value))
    }
}

impl<R: Notation> StrategySource<R> for First<'_, R> {
    fn choose(&mut self, p: &R::Position, _: R::Key, moves: &MoveList<R::Move>) -> Option<R::Move> {
        moves.iter().find(|&m| self.keeps(p, m))
    }

    fn alternatives(&mut self, p: &R::Position, out: &mut Vec<R::Move>) {
        let mut moves = MoveList::new();
        self.rules.moves(p, &mut moves);
        out.extend(moves.iter().filter(|&m| self.keeps(p, m)));
    }
}

/// The answers of a certificate, and how many positions the checker has met.
fn prove<R: Notation>(rules: &R, claim: Claim, values: &Values) -> (Vec<Vec<u8>>, u64) {
    let (book, start) = (RuleBook::new(rules, None), rules.start());
    let mut source = First { rules, claim, values };
    let layout = StrategyLayout { block: 50, ..StrategyLayout::default() };
    let answers = write(book, &start, claim, layout, &mut source, &WriteLimits::NONE).unwrap();
    let symbols = answers.iter().map(|block| block.symbols.to_vec()).collect();
    let (name, text) = (rules.full_name(), rules.position_text(&start));
    let mut certificate = Certificate::new(name, text, 50, Provenance::default());
    certificate.add(claim, answers);
    (symbols, check(book, &certificate, &CheckLimits::default()).unwrap().positions)
}

/// Both sides of a value are proved; returns by how many positions.
fn same<R: Notation>(make: impl Fn() -> R, values: &Values, value: Value) -> u64 {
    let (own, mut positions) = (make().key_bits(), 0);
    for claimant in [Player::First, Player::Second] {
        let claim = Claim { claimant, value };
        let short = prove(&make(), claim, values);
        positions += short.1;
        for at in [0, 64, 300, 576 - own] {
            let long = Widened::<R, 9>::new(make(), 576, |bit| at + bit);
            assert_eq!(prove(&long, claim, values), short, "bits from {at}");
        }
        let long = Widened::<R, 3>::new(make(), 140, |bit| 139 - own + bit);
        assert_eq!(prove(&long, claim, values), short);
    }
    positions
}

#[test]
fn long_keys_make_the_same_certificates() {
    let mut values = Values::new();
    let game = || Mnk::<u64>::new(3, 3, 3);
    let worth = value(&game(), &game().start(), &mut values);
    assert!(same(game, &values, worth) > 50);
    let mut values = Values::new();
    let game = || Clobber::<u128>::new(3, 4);
    let worth = value(&game(), &game().start(), &mut values);
    assert!(same(game, &values, worth) > 50);
}

#[test]
fn cyclic_games_too() {
    let mut positions = 0;
    for seed in 0..20 {
        let recipe = Recipe { seed, nodes: 150, moves: 4, ..Recipe::default() };
        let graph = || random_cyclic(&recipe);
        let labels = labels(&graph());
        let text = |node: &GraphNode| graph().position_text(node);
        let values = graph().nodes().map(|n| (text(&n), labels[n.0 as usize])).collect();
        positions += same(graph, &values, labels[graph().start().0 as usize]);
    }
    assert!(positions > 300, "{positions}");
}
