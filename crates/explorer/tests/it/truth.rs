//! What is shown without a search must be true: it is compared with minimax along random games.

use zermelo_erased::{Catalogue, EngineConfig, EngineId};
use zermelo_game::Limits;

#[test]
fn what_is_known_without_a_search_is_true() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let mut compared = 0;
    for name in [
        "tictactoe",
        "mnk 3x4x3",
        "connect4 4x4",
        "domineering 4x4",
        "domineering 3x4 misere",
        "nogo 3x3",
        "atarigo 3x3",
        "clobber 3x3",
        "breakthrough 4x3",
        "knightthrough 5x3 misere",
        "kalah 2x2",
        "awari 2x2",
        "loa 3x3",
        "checkers 4x4",
        "morris 3",
        "go 2x2",
    ] {
        let game = Catalogue::standard().open(name).unwrap_or_else(|e| panic!("{e}"));
        for _ in 0..8 {
            let mut session = game.session();
            // Some games need not end.
            for _ in 0..40 {
                let survey = session.survey();
                let moves = session.moves();
                assert_eq!(
                    survey.moves.iter().map(|m| &m.mv).collect::<Vec<_>>(),
                    moves.iter().collect::<Vec<_>>()
                );
                if let Some(value) = session.outcome() {
                    assert_eq!(
                        survey.known.bounds.value(),
                        Some(value),
                        "{name} {}",
                        session.position()
                    );
                    break;
                }
                let report = session.solve(&EngineConfig::new(EngineId::Minimax), &limits, &|_| {});
                if let Some(value) = report.bounds.value() {
                    let at = session.position();
                    assert!(
                        survey.known.bounds.contains(value),
                        "{name} {at}: {value}, {:?}",
                        survey.known
                    );
                    compared += 1;
                }
                let n = random(moves.len());
                session.play(&moves[n]).unwrap();
                assert_eq!(survey.moves[n].after, session.position());
            }
        }
    }
    assert!(compared > 300, "{compared}");
}
