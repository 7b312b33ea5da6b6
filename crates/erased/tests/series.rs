//! Many positions, one after the other.

use zermelo_erased::{AnyGame, Catalogue, EngineConfig, Series, open_session, open_text};
use zermelo_game::{Bounds, Limits};

#[test]
fn a_text_is_a_position_or_moves() {
    let game = Catalogue::standard().open("tictactoe").unwrap();
    let open = |text| open_text(&*game, text).map(|session| session.position());
    assert_eq!(open("x../.../... second").unwrap(), "x../.../... second");
    assert_eq!(open("B2, a1").unwrap(), ".../.x./o.. first");
    let error = |text| open(text).unwrap_err();
    assert_eq!((error("a1 a4").what, error("a1 a4").column()), ("move", 5));
    assert_eq!((error("x../.q. first").what, error("x../.q. first").column()), ("position", 6));
    let neither = error("?");
    assert_eq!((neither.what, neither.column()), ("position", 1));
    assert!(neither.expected.contains("; or moves: "), "{neither}");
}

/// The position after some moves, its value and what it took.
fn solve<'g>(game: &'g dyn AnyGame, series: &mut Series<'g>, moves: &str) -> (String, Bounds, u64) {
    let (place, _) = open_session(game, None, Some(moves)).unwrap();
    let session = series.at(place);
    let report = session.solve(&EngineConfig::default(), &Limits::default(), &|_| {});
    (session.position(), report.bounds, report.stats.nodes)
}

#[test]
fn a_warm_series_agrees_with_a_cold_one() {
    for name in ["connect4 4x5", "go 2x2", "awari 3x2"] {
        let game = Catalogue::standard().open(name).unwrap();
        let (mut warm, mut cold) = (Series::new(&*game), Series::cold(&*game));
        let first = game.session().moves();
        let (mut warm_nodes, mut cold_nodes) = (0, 0);
        for moves in first.iter().chain(&first) {
            let one = solve(&*game, &mut warm, moves);
            let other = solve(&*game, &mut cold, moves);
            assert_eq!((&one.0, one.1), (&other.0, other.1), "{name} {moves}");
            warm_nodes += one.2;
            cold_nodes += other.2;
        }
        // Where values depend on the line of play (Awari) or on boards before it (Go), nothing is kept.
        let saved = warm_nodes < cold_nodes;
        assert!(saved || name != "connect4 4x5", "{name}: {warm_nodes} {cold_nodes}");
    }
}
