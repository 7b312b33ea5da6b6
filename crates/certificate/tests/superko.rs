//! Certificates of games in which boards must not be repeated, against brute force that carries its line.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use zermelo_certificate::check::{CheckLimits, check};
use zermelo_certificate::write::StrategyLayout;
use zermelo_certificate::{
    Certificate, Claim, Provenance, Refusal, RuleBook, StrategySource, WriteLimits, write,
};
use zermelo_game::{BySuperko, History, MoveList, Notation, Player, Rules, SuperkoRule, Value};
use zermelo_games::go::Go;

type Position = <Go as Rules>::Position;

const SUPERKO: SuperkoRule<Go> = Some(&BySuperko);

/// The value for the player to move, if it is between alpha and beta; `None` if it takes too long.
fn brute(
    game: &Go,
    p: &Position,
    history: &mut History<Go>,
    (mut alpha, beta): (Value, Value),
    budget: &mut u32,
) -> Option<Value> {
    let sign = game.turn(p).sign();
    if let Some(value) = game.outcome(p) {
        return Some(value * sign);
    }
    *budget = budget.checked_sub(1)?;
    let mut list = MoveList::new();
    history.moves(game, p, &mut list);
    let mut best = Value::MIN;
    for m in list.iter() {
        let next = game.play(p, m);
        history.push(game, &next);
        let value = brute(game, &next, history, (-beta, -alpha), budget);
        history.pop();
        best = best.max(-value?);
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    Some(best)
}

const BUDGET: u32 = 30_000;

/// The value, first player's view.
fn truth(game: &Go, p: &Position, history: &mut History<Go>) -> Option<Value> {
    let value = brute(game, p, history, (-100, 100), &mut BUDGET.clone())?;
    Some(value * game.turn(p).sign())
}

/// Knows moves by brute force, or lies now and then.
struct BruteForce<'g> {
    game: &'g Go,
    claim: Claim,
    lies: f64,
    rng: Rng,
}

impl StrategySource<Go> for BruteForce<'_> {
    fn choose(&mut self, _: &Position, _: <Go as Rules>::Key, _: &MoveList<u8>) -> Option<u8> {
        None
    }

    fn choose_after(&mut self, p: &Position, boards: &[u64]) -> Option<u8> {
        let mut history = History::from_boards(SUPERKO, boards);
        let mut list = MoveList::new();
        history.moves(self.game, p, &mut list);
        if self.rng.random_bool(self.lies) {
            return Some(list.scored()[self.rng.random_range(0..list.len())].mv);
        }
        let keeps = |m: &u8| {
            let next = self.game.play(p, *m);
            history.push(self.game, &next);
            let value = truth(self.game, &next, &mut history);
            history.pop();
            value.is_some_and(|value| self.claim.is_kept_by(value))
        };
        list.iter().find(keeps)
    }
}

/// A position some way into a random game, by itself.
fn wander(game: &Go, rng: &mut Rng) -> Position {
    let mut p = game.start();
    let mut history = History::of(game, SUPERKO, &p);
    for _ in 0..rng.random_range(0..12) {
        let mut list = MoveList::new();
        history.moves(game, &p, &mut list);
        if list.is_empty() {
            break;
        }
        let m = list.scored()[rng.random_range(0..list.len())].mv;
        let next = game.play(&p, m);
        if game.outcome(&next).is_some() {
            break;
        }
        p = next;
        history.push(game, &p);
    }
    p
}

#[test]
fn what_is_true_is_proved_and_nothing_else() {
    let mut rng = Rng::seed_from_u64(7);
    let (mut honest, mut lies, mut mutants, mut still) = (0, 0, 0, 0);
    for (rows, cols) in [(1, 3), (1, 4), (2, 2), (1, 5)] {
        let game = Go::<u64>::new(rows, cols, None);
        for round in 0..300 {
            let p = wander(&game, &mut rng);
            let Some(value) = truth(&game, &p, &mut History::of(&game, SUPERKO, &p)) else {
                continue;
            };
            let claimant = [Player::First, Player::Second][round % 2];
            let claim = Claim { claimant, value };
            let try_claim = |claim: Claim, lies: f64, rng: &mut Rng| {
                let mut source = BruteForce { game: &game, claim, lies, rng: Rng::from_rng(rng) };
                let (book, layout) = (RuleBook::new(&game, SUPERKO), StrategyLayout::default());
                let answers = write(book, &p, claim, layout, &mut source, &WriteLimits::NONE)
                    .map_err(drop)?;
                let (name, text) = (game.full_name(), game.position_text(&p));
                let mut certificate = Certificate::new(name, text, 0, Provenance::default());
                certificate.add(claim, answers);
                Ok::<_, ()>(certificate)
            };
            let checked =
                |c: &Certificate| check(RuleBook::new(&game, SUPERKO), c, &CheckLimits::default());
            if let Ok(certificate) = try_claim(claim, 0.0, &mut rng) {
                let found = checked(&certificate);
                assert!(found.is_ok(), "{} {found:?}", game.position_text(&p));
                honest += 1;
                // Other answers, or claims.
                for _ in 0..10 {
                    let mut blocks = certificate.answers(0).unwrap();
                    let mut changed = claim;
                    let symbols = &mut blocks[0].symbols;
                    match rng.random_range(0..4) {
                        0 => changed.value += claimant.sign(),
                        1 if !symbols.is_empty() => drop(symbols.pop()),
                        _ if !symbols.is_empty() => {
                            let at = rng.random_range(0..symbols.len());
                            symbols[at] = rng.random_range(0..8);
                        }
                        _ => symbols.push(2),
                    }
                    let mut mutant = Certificate::new(
                        game.full_name(),
                        game.position_text(&p),
                        100,
                        Provenance::default(),
                    );
                    mutant.add(changed, blocks);
                    mutants += 1;
                    if checked(&mutant).is_ok() {
                        assert!(changed.is_kept_by(value), "{mutant:?}");
                        still += 1;
                    }
                }
            }
            let better = Claim { value: value + claimant.sign(), ..claim };
            for (claim, share) in [(claim, 0.3), (better, 0.0), (better, 1.0)] {
                if let Ok(certificate) = try_claim(claim, share, &mut rng) {
                    let ok = checked(&certificate).is_ok();
                    assert!(!ok || claim.is_kept_by(value), "{certificate:?}");
                    lies += 1;
                }
            }
        }
    }
    assert!(
        honest > 300 && lies > 50 && mutants > 3000 && still > 10,
        "{honest} {lies} {mutants} {still}"
    );
}

/// What is kept of proofs stays within the limit.
#[test]
fn memory_is_limited() {
    let game = Go::<u64>::new(1, 3, None);
    let value =
        truth(&game, &game.start(), &mut History::of(&game, SUPERKO, &game.start())).unwrap();
    let claim = Claim { claimant: Player::First, value };
    let mut source = BruteForce { game: &game, claim, lies: 0.0, rng: Rng::seed_from_u64(1) };
    let book = RuleBook::new(&game, SUPERKO);
    let (start, none) = (game.start(), WriteLimits::NONE);
    let answers = write(book, &start, claim, StrategyLayout::default(), &mut source, &none);
    let text = game.position_text(&game.start());
    let mut certificate = Certificate::new(game.full_name(), text, 0, Provenance::default());
    certificate.add(claim, answers.unwrap());
    let checked = check(book, &certificate, &CheckLimits::default()).unwrap();
    assert!(checked.positions > 1);
    let small = CheckLimits { memory: 100, ..CheckLimits::default() };
    assert!(matches!(check(book, &certificate, &small), Err(Refusal::Limit(_))));
}
