//! One game on narrow and on wide boards, for the tests of games: nobody must see a difference. And positions near the end of
//! large boards, for the conformance kit.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::superko::stones;
use zermelo_game::{
    Bits, BySuperko, Game, History, Knowledge, MoveList, Notation, Player, Rules, Superko,
    SuperkoKnowledge, SuperkoRule, Words,
};

const PLAYERS: [Player; 2] = [Player::First, Player::Second];

/// Plays random games in both widths and compares all that can be seen of each position.
///
/// # Panics
/// If there is a difference.
pub fn compare<R: Notation, K: Knowledge<R>, S: Notation, L: Knowledge<S>>(
    narrow: Game<R, K>,
    wide: Game<S, L>,
    games: u32,
) {
    compare_with(narrow, wide, games, |_, _| {});
    for plies in 1..=3 {
        assert_eq!(lines(narrow.rules(), None, plies), lines(wide.rules(), None, plies));
    }
}

/// The same for games in which boards must not be repeated.
pub fn compare_superko<R, K, S, L>(narrow: Game<R, K>, wide: Game<S, L>, games: u32)
where
    R: Notation + Superko,
    K: SuperkoKnowledge<R>,
    S: Notation + Superko,
    L: SuperkoKnowledge<S>,
{
    compare_with(narrow, wide, games, |p, q| {
        let (board, other) = (narrow.board(p), wide.board(q));
        assert_eq!(halves(board), halves(other));
        assert_eq!(narrow.board_before(p).map(halves), wide.board_before(q).map(halves));
        for player in PLAYERS {
            let (a, b) = (narrow.claim(p, player), wide.claim(q, player));
            assert_eq!(a.value, b.value);
            assert_eq!(a.guard.all.to_hex(), b.guard.all.to_hex());
            assert_eq!(a.guard.any.to_hex(), b.guard.any.to_hex());
        }
        let (a, b) = (narrow.canonical_with_transform(p), wide.canonical_with_transform(q));
        assert_eq!((narrow.position_text(&a.0), a.1), (wide.position_text(&b.0), b.1));
        assert_eq!(halves(narrow.canonical_board(board)), halves(wide.canonical_board(other)));
        for inverse in [false, true] {
            let (a, b) =
                (narrow.map_board(board, a.1, inverse), wide.map_board(other, b.1, inverse));
            assert_eq!(halves(a), halves(b));
        }
    });
    for plies in 1..=4 {
        let count = lines(narrow.rules(), Some(&BySuperko), plies);
        assert_eq!(count, lines(wide.rules(), Some(&BySuperko), plies), "{}", narrow.name());
    }
}

/// The points of each player on a board, as numbers.
fn halves<B: Bits>(board: B) -> [String; 2] {
    PLAYERS.map(|player| stones(board, player).to_hex())
}

/// So many lines of play there are from the start.
fn lines<R: Rules>(rules: &R, superko: SuperkoRule<R>, plies: u32) -> u64 {
    fn count<R: Rules>(r: &R, p: &R::Position, history: &mut History<R>, plies: u32) -> u64 {
        let mut list = MoveList::new();
        history.moves(r, p, &mut list);
        if plies == 1 {
            return list.len() as u64;
        }
        let mut sum = 0;
        for m in list.iter() {
            let next = r.play(p, m);
            history.push(r, &next);
            sum += count(r, &next, history, plies - 1);
            history.pop();
        }
        sum
    }
    let start = rules.start();
    count(rules, &start, &mut History::of(rules, superko, &start), plies)
}

fn compare_with<R: Notation, K: Knowledge<R>, S: Notation, L: Knowledge<S>>(
    narrow: Game<R, K>,
    wide: Game<S, L>,
    games: u32,
    more: impl Fn(&R::Position, &S::Position),
) {
    assert!(S::Key::WORDS > R::Key::WORDS, "{} is not wider", narrow.name());
    assert_eq!(narrow.name(), wide.name());
    assert_eq!(narrow.rules_text(), wide.rules_text());
    assert_eq!(narrow.key_bits(), wide.key_bits());
    assert_eq!(narrow.values(), wide.values());
    assert_eq!((narrow.codes(), narrow.patterns()), (wide.codes(), wide.patterns()));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1913);
    for _ in 0..games {
        let (mut p, mut q) = (narrow.start(), wide.start());
        for _ in 0..100 {
            same_position(narrow, &p, wide, &q);
            more(&p, &q);
            if narrow.outcome(&p).is_some() {
                break;
            }
            let (mut moves, mut others) = (MoveList::new(), MoveList::new());
            narrow.moves(&p, &mut moves);
            wide.moves(&q, &mut others);
            let at = rng.random_range(0..moves.len());
            p = narrow.play(&p, moves.scored()[at].mv);
            q = wide.play(&q, others.scored()[at].mv);
        }
    }
}

fn same_position<R: Notation, K: Knowledge<R>, S: Notation, L: Knowledge<S>>(
    narrow: Game<R, K>,
    p: &R::Position,
    wide: Game<S, L>,
    q: &S::Position,
) {
    let text = narrow.position_text(p);
    assert_eq!(text, wide.position_text(q), "{}", narrow.name());
    let place = || format!("{}: {text}", narrow.name());
    assert_eq!(wide.parse_position(&text).as_ref(), Ok(q), "{}", place());
    assert_eq!(narrow.picture(p), wide.picture(q), "{}", place());
    assert_eq!(narrow.key(p).to_hex(), wide.key(q).to_hex(), "{}", place());
    let (class, other) = (narrow.symmetry_key(p), wide.symmetry_key(q));
    assert_eq!(class.to_hex(), other.to_hex(), "{}", place());
    let images: Vec<String> = narrow.images(p).iter().map(|p| narrow.position_text(p)).collect();
    let others: Vec<String> = wide.images(q).iter().map(|q| wide.position_text(q)).collect();
    assert_eq!(images, others, "{}", place());
    let (image, other_image) = (narrow.canonical(p), wide.canonical(q));
    assert_eq!(narrow.position_text(&image), wide.position_text(&other_image), "{}", place());
    let bounds = narrow.static_bounds(p);
    assert_eq!(bounds, wide.static_bounds(q), "{}", place());
    assert_eq!(narrow.plies_left(p), wide.plies_left(q), "{}", place());
    let (mut moves, mut others) = (MoveList::new(), MoveList::new());
    let (outcome, other_outcome) = (narrow.expand(p, &mut moves), wide.expand(q, &mut others));
    assert_eq!(outcome, other_outcome, "{}", place());
    if outcome.is_some() {
        return;
    }
    assert_eq!(moves.len(), others.len(), "{}", place());
    for (m, n) in moves.iter().zip(others.iter()) {
        assert_eq!(narrow.move_text(p, m), wide.move_text(q, n), "{}", place());
        assert_eq!(narrow.code(m), wide.code(n), "{}", place());
        assert_eq!(narrow.pattern(p, m), wide.pattern(q, n), "{}", place());
        assert_eq!(narrow.footprint(p, m), wide.footprint(q, n), "{}", place());
        assert_eq!(
            narrow.key(&narrow.play(p, m)).to_hex(),
            wide.key(&wide.play(q, n)).to_hex(),
            "{}",
            place()
        );
        // Boards that are not packed in one width may be in the other; then only one of them knows.
        let code = narrow.map_move_code(p, class, narrow.code(m));
        let other_code = wide.map_move_code(q, other, wide.code(n));
        assert!(code.is_none() || other_code.is_none() || code == other_code, "{}", place());
    }
    assert_eq!(narrow.leaf_numbers(p, 3), wide.leaf_numbers(q, 3), "{}", place());
    if bounds.is_exact() {
        let sure = bounds.seen_by(narrow.turn(p)).lo;
        let m = narrow.proving_move(p, sure).map(|m| narrow.code(m));
        assert_eq!(m, wide.proving_move(q, sure).map(|m| wide.code(m)), "{}", place());
    } else {
        let (mut list, mut other_list) = (MoveList::new(), MoveList::new());
        let floor = narrow.candidate_moves(p, &mut list);
        assert_eq!(floor, wide.candidate_moves(q, &mut other_list), "{}", place());
        let list: Vec<_> = list.scored().iter().map(|s| (narrow.code(s.mv), s.score)).collect();
        let others = other_list.scored().iter().map(|s| (wide.code(s.mv), s.score));
        assert_eq!(list, others.collect::<Vec<_>>(), "{}", place());
    }
}

/// Positions so many plies before the end of random games in which nobody ends the game who can avoid it.
pub fn late<R: Rules>(rules: &R, count: u64, plies: usize) -> Vec<R::Position> {
    let game = |seed: u64| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut line = vec![rules.start()];
        loop {
            let p = line[line.len() - 1];
            let mut list = MoveList::new();
            if rules.expand(&p, &mut list).is_some() {
                return line[line.len().saturating_sub(plies + 1)];
            }
            let first = rng.random_range(0..list.len());
            let after = |i: usize| rules.play(&p, list.scored()[(first + i) % list.len()].mv);
            let goes_on = (0..list.len()).map(after).find(|next| rules.outcome(next).is_none());
            line.push(goes_on.unwrap_or_else(|| after(0)));
        }
    };
    (0..count).map(game).collect()
}
