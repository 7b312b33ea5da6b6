use super::*;
use crate::minimax_oracle::{ValueMap, agree};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::{Game, Knowledge, Notation, conformance};

fn check<const ROWS: u32>(rules: &Connect4<ROWS>) {
    conformance::check(rules, &Connect4Knowledge::new(rules));
}

#[test]
fn conforms() {
    check(&Connect4::<6>::new(6, 7));
    check(&Connect4::<0>::new(7, 8));
    for (rows, cols) in [(1, 5), (2, 5), (3, 4), (4, 4), (4, 5), (5, 4), (5, 5), (19, 2), (1, 32)] {
        check(&Connect4::<0>::new(rows, cols));
    }
}

#[test]
fn lines_do_not_wrap() {
    let game = Connect4::<0>::new(4, 4);
    for (text, outcome) in [
        ("..../..../ooo./xxxx second", Some(1)),
        ("x.../x.../xo../xoo. second", Some(1)),
        ("x.../x.../ox../oxo. second", None),
        ("...x/..xo/xxoo/xoxo second", Some(1)),
        ("ooxx/xxoo/ooxx/xxoo first", Some(0)),
    ] {
        let p = game.parse_position(text).unwrap();
        assert_eq!(game.outcome(&p), outcome, "{text}");
    }
}

#[test]
fn games_are_counted() {
    // Tromp's numbers of positions by ply on 6x7: https://oeis.org/A212693.
    let game = Connect4::<6>::new(6, 7);
    let mut level = std::collections::HashSet::from([0u64]);
    let mut positions = vec![game.start()];
    for expected in [1, 7, 49, 238, 1120, 4263, 16422] {
        assert_eq!(positions.len(), expected);
        level.clear();
        let mut next = Vec::new();
        for p in &positions {
            let mut list = MoveList::new();
            if game.outcome(p).is_none() {
                game.moves(p, &mut list);
            }
            for m in list.iter() {
                let q = game.play(p, m);
                if level.insert(game.key(&q)) {
                    next.push(q);
                }
            }
        }
        positions = next;
    }
}

#[test]
fn errors_show_the_place() {
    let game = Connect4::<0>::new(4, 5);
    for (text, column) in [
        ("...../..x../...../..... second", 9),
        ("...../..x../..o../..... first", 15),
        ("...../..x../..o../.ox.. first", 0),
        ("...../...../...../..x.. first", 25),
        ("...../...../...../..... second", 25),
        ("...../...../...../o.... second", 25),
        ("...../...../...../o.... first", 25),
        ("x..../x..../x..../xooo. second", 0),
        ("x..../x..../x..../xoooo first", 25),
        ("...../...../...../..q.. first", 21),
    ] {
        let column_of = game.parse_position(text).map_or_else(|e| e.column(), |_| 0);
        assert_eq!(column_of, column, "{text}");
    }
    let p = game.start();
    assert_eq!(game.parse_move(&p, "c").unwrap(), 10);
    assert_eq!(game.parse_move(&p, "f").unwrap_err().column(), 1);
    for name in ["connect4 8x8", "connect4 20x2", "connect4 0x7", "connect4 6x7x4"] {
        assert_eq!(crate::open(name, Name).unwrap_err().column(), 10, "{name}");
    }
    assert_eq!(crate::open("Connect4", Name).unwrap(), "connect4 6x7");
}

struct Name;
impl Visitor for Name {
    type Output = String;
    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, _: K) -> String {
        rules.name()
    }
}

/// Random games that go on as long as they can, so that pairings matter.
#[test]
fn knowledge_is_true_on_long_games() {
    for (rows, cols) in [(4, 4), (4, 5), (5, 4), (5, 5), (3, 6), (7, 4)] {
        let rules = Connect4::<0>::new(rows, cols);
        let knowledge = Connect4Knowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1988);
        let mut seen = ValueMap::<Connect4<0>>::default();
        let mut bounded = 0;
        for _ in 0..300 {
            let mut p = game.start();
            while game.outcome(&p).is_none() {
                if game.plies_left(&p) <= 11 {
                    let known = agree(game, &p, &mut seen);
                    bounded += u32::from(!known.is_exact() && known != game.values());
                }
                let mut list = MoveList::new();
                game.moves(&p, &mut list);
                let mut pick = || game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
                let next = [pick(), pick(), pick(), pick()];
                let open = next.iter().find(|q| !game.static_bounds(q).is_exact());
                p = *open.unwrap_or(&next[0]);
            }
        }
        assert!(bounded > 100, "{}: pairings said something {bounded} times", game.name());
    }
}
