use super::*;
use crate::minimax_oracle::{ValueMap, agree};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::conformance::{Effort, Kit};
use zermelo_game::{Bounds, Game, Knowledge, Notation};

/// A visitor that runs conformance.
struct Conforms;

impl Visitor for Conforms {
    type Output = ();
    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) {
        let effort = Effort { games: 25, minimax_nodes: 1_000, ..Effort::default() };
        Kit::new(&rules, &knowledge).effort(effort).assert();
    }
}

#[test]
fn conforms() {
    for game in ["breakthrough", "knightthrough"] {
        for size in ["4x2", "4x4", "5x3", "5x4", "4x5", "6x6", "9x7"] {
            for misere in ["", " misere"] {
                crate::open(&format!("{game} {size}{misere}"), Conforms).unwrap();
            }
        }
    }
}

/// The number of move sequences of a given length.
fn perft<R: Rules>(game: &R, p: &R::Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if game.outcome(p).is_some() {
        return 0;
    }
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    list.iter().map(|m| perft(game, &game.play(p, m), depth - 1)).sum()
}

#[test]
fn move_counts() {
    // By hand: on 5x5 three pawns have three moves each and the two at the edge two.
    let game = Through::<Pawns, u64>::new(5, 5, false);
    assert_eq!(perft(&game, &game.start(), 1), 13);
    // Ten moves on four columns, and as many answers since nothing has met.
    let game = Through::<Pawns, u64>::new(6, 4, false);
    assert_eq!(perft(&game, &game.start(), 2), 100);
    // Knights on 6x6: ten steps of two rows for each of the rows a1..f1 (onto row 3) and a2..f2
    // (onto row 4), eight of one row from row 2; those from row 1 end on own pieces.
    let game = Through::<Knights, u128>::new(6, 6, false);
    assert_eq!(perft(&game, &game.start(), 1), 28);
}

fn facts<S: PieceSteps>(rows: u32, cols: u32, misere: bool, facts: &[(&str, Bounds)]) {
    let rules = Through::<S, u64>::new(rows, cols, misere);
    let knowledge = ThroughKnowledge::new(&rules);
    let game = Game::new(&rules, &knowledge);
    for (text, known) in facts {
        let p = game.parse_position(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(game.static_bounds(&p), *known, "{} : {text}", game.name());
    }
}

#[test]
fn what_is_known_without_search() {
    let (first, second, open) = (Bounds::exact(1), Bounds::exact(-1), Bounds::new(-1, 1));
    facts::<Pawns>(
        5,
        3,
        false,
        &[
            ("..x/.../o../.../... second", first), // has arrived
            ("..x/.../o../.../... first", first),
            ("ooo/.x./.../.../... first", first),  // arrives now
            ("ooo/.../.../x.o/x.x first", second), // a striker that cannot be taken
            ("ooo/.../x../..o/xxx first", open),   // one that can
            ("ooo/.../x../o.o/xxx first", second), // two strikers
            ("..o/.../x../.../xx. first", first),  // steps into the zone unseen
            ("o.o/.../.../.../... first", second), // nothing left to move
            ("xox/.../.../.../... second", first),
        ],
    );
    facts::<Pawns>(
        5,
        3,
        true,
        &[
            ("..x/.../o../.../... second", second),
            ("ooo/.x./.../.../... first", second), // must arrive
            ("ooo/.x./.../.../x.. first", open),
            ("o.o/.../.../.../... first", first), // nothing left to move
        ],
    );
}

#[test]
fn a_knight_can_be_stuck() {
    // On three columns a knight on b3 of four rows has no step: two rows are too many, two
    // columns as well.
    let game = Through::<Knights, u64>::new(4, 3, false);
    let p = game.parse_position("ooo/.x./.../... first").unwrap();
    assert_eq!(game.outcome(&p), Some(-1));
    let game = Through::<Knights, u64>::new(4, 3, true);
    assert_eq!(game.outcome(&p), Some(1));
}

#[test]
fn errors_show_the_place() {
    let game = Through::<Pawns, u64>::new(4, 2, false);
    for (text, column) in [
        ("x./../../.o first", 11),
        ("x./../../.o. first", 12),
        ("x./../.. first", 9),
        ("xq/../../.. first", 2),
    ] {
        assert_eq!(game.parse_position(text).unwrap_err().column(), column, "{text}");
    }
    for (text, column) in [
        ("breakthrough", 13),
        ("breakthrough 3x3", 14),
        ("knightthrough 8x8", 15),
        ("knightthrough 6x6 miser", 19),
        ("breakthrough 4x1", 14),
    ] {
        assert_eq!(crate::open(text, Conforms).unwrap_err().column(), column, "{text}");
    }
    let error = game.parse_move(&game.start(), "a2-a3").unwrap_err();
    assert_eq!(error.column(), 1);
    assert!(error.reason.unwrap().starts_with("a3 is taken"));
}

/// Compares what is known without search, and the moves left out, with minimax by the rules alone.
struct Truth {
    /// Positions to draw at random; all there are if `None`.
    random: Option<u32>,
}

impl Visitor for Truth {
    type Output = u32;
    fn visit<R: Notation, K: Knowledge<R>>(self, rules: R, knowledge: K) -> u32 {
        let g = Game::new(&rules, &knowledge);
        let mut seen = ValueMap::<R>::default();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        let template = g.position_text(&g.start());
        let cells = template.chars().filter(|c| "xo.".contains(*c)).count() as u32;
        let mut checked = 0;
        for n in 0..self.random.unwrap_or_else(|| 2 * 3u32.pow(cells)) {
            let mut code = n / 2;
            let sparse = rng.random_range(3..9);
            let mut cell = |c| match c {
                'x' | 'o' | '.' if self.random.is_some() => {
                    char::from(b"xo......."[rng.random_range(0..sparse)])
                }
                'x' | 'o' | '.' => {
                    let digit = code % 3;
                    code /= 3;
                    char::from(b"xo."[digit as usize])
                }
                c => c,
            };
            let board: String =
                template.split(' ').next().unwrap().chars().map(&mut cell).collect();
            let text = format!("{board} {}", Player::from_index(n as usize % 2));
            let Ok(p) = g.parse_position(&text) else { continue };
            agree(g, &p, &mut seen);
            checked += 1;
        }
        checked
    }
}

fn truth(sizes: &[&str], random: Option<u32>) {
    for size in sizes {
        for game in ["breakthrough", "knightthrough"] {
            for misere in ["", " misere"] {
                let name = format!("{game} {size}{misere}");
                let checked = crate::open(&name, Truth { random }).unwrap();
                assert!(checked > 1000, "{name}: only {checked} positions");
            }
        }
    }
}

#[test]
fn knowledge_is_true_in_every_position_of_small_boards() {
    truth(&["4x2", "5x2"], None);
    truth(&["4x3", "4x4", "5x3"], Some(2_000));
}

#[test]
fn knowledge_is_true_on_random_positions() {
    truth(&["6x2", "7x2", "5x3", "6x3", "4x4", "5x4", "4x5"], Some(20_000));
}
