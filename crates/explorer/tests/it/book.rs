//! The book that comes with the program: what it says is true, as far as that is cheap to prove, and boards open with it.
//! (`scripts/make-book --verify` proves all of it.)

use crate::{Server, path};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use zermelo_erased::{Catalogue, EngineConfig, EngineId};
use zermelo_explorer::book::{Book, ours};
use zermelo_explorer::facts::Subject;
use zermelo_game::distance::winner_of;
use zermelo_game::{Bounds, Limits, best_of_moves};

/// What a position of the book may cost here.
const NODES: u64 = 200_000;

#[test]
fn it_is_small_and_every_entry_can_be_looked_up() {
    let sections = ours();
    let text = zermelo_explorer::book::write(&sections);
    assert!(text.len() <= 300_000, "{}", text.len());
    let book = Book::new(sections.clone());
    for section in &sections {
        let game = Catalogue::standard().open(&section.identity.game).unwrap();
        assert_eq!(game.identity(), section.identity, "by rules of today");
        let game = game.into();
        let opened = book.of(&game).unwrap();
        let texts = if game.canonical_keeps_distance() { 1 } else { 2 };
        // Of positions that are the same one is listed.
        assert!((section.entries.len()..=texts * section.entries.len()).contains(&opened.len()));
        for entry in &section.entries {
            assert!(game.values().contains(entry.value), "{} {}", section.identity, entry.moves);
        }
    }
}

#[test]
fn what_is_cheap_to_prove_is_proved_again() {
    let limits = Limits { nodes: Some(NODES), memory: 64 << 20, ..Limits::default() };
    let engine = EngineConfig::new(EngineId::Auto);
    let (mut values, mut distances) = (0, 0);
    for section in ours() {
        let game = Catalogue::standard().open(&section.identity.game).unwrap();
        for entry in &section.entries {
            let moves = game.split_moves(&entry.moves);
            let mut session = game.session();
            moves.iter().for_each(|mv| _ = session.play(mv).unwrap());
            let found = match (session.outcome(), game.has_own_values() || moves.is_empty()) {
                (Some(value), _) => Bounds::exact(value),
                (None, true) => session.solve(&engine, &limits, &|_| {}).bounds,
                (None, false) => {
                    let mv = session.take_back().unwrap();
                    session.solve_move(&mv, &engine, &limits, &|_| {}).unwrap().bounds
                }
            };
            let what = format!("{} after '{}'", section.identity.game, entry.moves);
            assert!(found.contains(entry.value), "{what}: {found:?}");
            values += usize::from(found.is_exact());
            let Some(plies) = entry.distance else { continue };
            let winner = winner_of(Bounds::exact(entry.value)).expect("a distance is one of a win");
            let found = session.distance(winner, 1, &limits, &|_, _| {}).unwrap().plies;
            assert!(
                found.lo <= plies && found.hi.is_none_or(|hi| hi >= plies),
                "{what}: {found:?}"
            );
            distances += usize::from(found.value().is_some());
        }
    }
    assert!(values >= 50 && distances >= 20, "{values} values, {distances} distances");
}

/// A position is worth its best move, and a win is as long as the shortest, a loss as the longest: that ties the entries of
/// Connect Four to each other, which are not cheap.
#[test]
fn the_plies_agree_with_each_other() {
    let mut compared = 0;
    for section in ours() {
        let game = Catalogue::standard().open(&section.identity.game).unwrap();
        if !game.has_own_values() {
            continue;
        }
        let keeps = game.canonical_keeps_distance();
        let mut known: BTreeMap<String, (i16, Option<u32>)> = BTreeMap::new();
        let mut session = game.session();
        for entry in &section.entries {
            while session.take_back().is_some() {}
            game.split_moves(&entry.moves).iter().for_each(|mv| _ = session.play(mv).unwrap());
            known.insert(session.canonical(), (entry.value, entry.distance.filter(|_| keeps)));
        }
        for entry in &section.entries {
            while session.take_back().is_some() {}
            game.split_moves(&entry.moves).iter().for_each(|mv| _ = session.play(mv).unwrap());
            let moves = session.survey().moves;
            let after: Option<Vec<_>> = moves.iter().map(|m| known.get(&m.canonical)).collect();
            let Some(after) = after.filter(|after| !after.is_empty()) else { continue };
            let turn = session.turn();
            let best = best_of_moves(turn, after.iter().map(|(value, _)| Bounds::exact(*value)));
            assert_eq!(
                best,
                Some(Bounds::exact(entry.value)),
                "{} {}",
                section.identity,
                entry.moves
            );
            compared += 1;
            let winner = winner_of(Bounds::exact(entry.value));
            let keep = after.iter().filter(|(value, _)| *value == entry.value);
            let plies: Option<Vec<u32>> = keep.map(|(_, distance)| *distance).collect();
            if let (Some(plies), Some(winner), Some(own)) = (plies, winner, entry.distance) {
                let next = if winner == turn { plies.iter().min() } else { plies.iter().max() };
                assert_eq!(
                    next.map(|next| next + 1),
                    Some(own),
                    "{} {}",
                    section.identity,
                    entry.moves
                );
            }
        }
    }
    assert!(compared >= 5, "{compared}");
}

#[tokio::test]
async fn connect_four_opens_with_values_and_distances() {
    let server = Server::plain();
    let here = server.get(&path("position", &[("game", "connect4 6x7")])).await.good();
    assert_eq!((&here["value"], &here["distance"]), (&json!({ "lo": 1, "hi": 1 }), &json!(41)));
    assert_eq!((&here["reason"]["by"], &here["best"]), (&json!("book"), &json!(["d"])));
    let told: Vec<(Value, Value)> = here["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["tone"].clone(), m["distance"].clone()))
        .collect();
    // Mirrored positions are the same.
    let [loss_a, loss_b] = [39, 41].map(|plies| (json!("loss"), json!(plies)));
    let draw = (json!("draw"), Value::Null);
    let win = (json!("win"), json!(40));
    let expected = [&loss_a, &loss_b, &draw, &win, &draw, &loss_b, &loss_a];
    assert_eq!(told.iter().collect::<Vec<_>>(), expected);
    // There is nothing to analyse.
    let order = json!({ "game": "connect4 6x7", "automatic": true });
    let job = server.post("/api/v1/jobs", &order.to_string()).await.good();
    assert_eq!(
        (&job["state"], &job["nodes"], &job["best"]),
        (&json!("done"), &json!(0), &json!("d"))
    );
    // The perfect player knows it, too.
    let order = json!({ "game": "connect4 6x7", "play": true });
    let job = server.post("/api/v1/jobs", &order.to_string()).await.good();
    assert_eq!((&job["state"], &job["best"]), (&json!("done"), &json!("d")));
}

#[tokio::test]
async fn games_whose_values_depend_on_the_line_have_entries_for_lines() {
    let server = Server::plain();
    let here = server.get(&path("position", &[("game", "awari 3x2")])).await.good();
    assert_eq!((&here["value"], &here["best"]), (&json!({ "lo": 3, "hi": 3 }), &json!(["b"])));
    assert!(here["moves"].as_array().unwrap().iter().all(|m| m["reason"]["by"] == "book"));
}

#[test]
fn a_book_by_other_rules_is_not_believed() {
    let mut sections = ours();
    let game: Arc<_> = Catalogue::standard().open("connect4 6x7").unwrap().into();
    assert!(Book::new(sections.clone()).of(&game).is_some());
    sections.iter_mut().for_each(|section| section.identity.rules_version += 1);
    assert!(Book::new(sections).of(&game).is_none());
    let subject = Subject::line("start", ["a"]);
    assert_eq!(Book::new(ours()).of(&game).unwrap().look_up(&subject, game.values(), ()), None);
}
