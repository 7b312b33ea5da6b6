//! Scores that lead a proof: the evaluation of checkers and the search by it, through a session.

use crate::open;
use zermelo_erased::SURE;
use zermelo_game::Limits;

#[test]
fn scores_are_sensible() {
    let game = open("checkers 8x8");
    let score = |text: &str| game.expand(Some(text)).unwrap().here.score.unwrap();
    let search = |text: &str, depth, nodes| {
        let mut session = game.session();
        session.set_position(text).unwrap();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        session.opinion(depth, &limits).unwrap()
    };
    let start = game.session().position();
    assert!(score(&start).abs() < 10);
    let seen = search(&start, 6, 1_000_000);
    assert!(seen.score.abs() < 60 && seen.depth == 6 && seen.best.is_some(), "{seen:?}");
    // Pieces count most, and both sides alike.
    assert!(score("B:W32,31:B1,2,3") > 90 && score("W:W32,31:B1,2,3") > 90);
    assert!(score("B:WK18,31:B1,2") < -30);
    assert_eq!(score("B:W32,30:B1,6"), -score("W:W27,32:B1,3"));
    assert!(score("B:W32:BK14") > score("B:W32:BK4"));
    assert!(score("B:W32:BK14,K15") - 140 > score("B:W32:BK14"));
    // Captures are played to their end: black takes two men, though the evaluation says that it is behind.
    let seen = search("B:W10,19,30:B6,1", 1, 1_000_000);
    assert!(score("B:W10,19,30:B6,1") < 0 && seen.score > 50, "{seen:?}");
    // Certain wins are found, for either side, and limits obeyed.
    assert!(search("B:W13:B9,K6", 20, 1_000_000).score > SURE);
    assert!(search("W:WK27,24:B20", 20, 1_000_000).score < -SURE);
    let seen = search(&start, 60, 1000);
    assert!(seen.nodes <= 1000 && seen.depth >= 3, "{seen:?}");
    assert!(open("nogo 3x3").session().opinion(3, &Limits::default()).is_none());
}
