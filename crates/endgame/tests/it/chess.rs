//! Chess endings of up to four men: built, verified, and compared with the longest mates of the literature.
//! (`scripts/check-endings` compares every position with a solver that shares nothing with this one.)

use crate::{pieces, torture};
use std::path::Path;
use zermelo_endgame::format::{Longest, SliceHeader};
use zermelo_endgame::{Database, build, folder, verify};
use zermelo_game::{Bounds, Notation, Rules, Sliced};
use zermelo_games::chess::{Chess, Material};

/// Endings by lines of `mates.txt`: material, longest mates of white and of black in moves.
fn endings() -> Vec<(String, [Option<u32>; 2])> {
    let text = include_str!("mates.txt");
    let text = if torture() > 1 { text } else { text.split("\n# ----").next().unwrap() };
    let read = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        (words[0].to_owned(), [words[1].parse().ok(), words[2].parse().ok()])
    };
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(read).collect()
}

fn game(name: &str) -> Chess {
    Chess::new(Material::parse(name).unwrap())
}

fn header(dir: &Path, slice: &str) -> SliceHeader {
    let headers = folder::slices(dir).unwrap();
    headers.into_iter().find(|(h, _)| h.slice == slice).unwrap().0
}

#[test]
fn longest_mates_are_those_of_the_literature() {
    let mut others = Vec::new();
    for (name, mates) in endings() {
        let (game, dir) = (game(&name), tempfile::tempdir().unwrap());
        build(&game, dir.path(), &pieces(4, 2, true)).unwrap();
        verify(&game, dir.path(), &Default::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        // Seen by the side to move, with white to move and with black.
        let (start, _) = game.place(&game.start()).unwrap();
        for (slice, moves) in [start, start.swapped()].into_iter().zip(mates) {
            let longest = header(dir.path(), &game.slice_name(slice)).longest;
            let plies = longest.map(|longest| longest.plies);
            if plies != moves.map(|moves| 2 * moves - 1) {
                others.push(format!("{name}: {plies:?} plies, not {moves:?} moves"));
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

/// The literature counts to conversion, too: 31 moves until the rook falls in KQKR, 19 until the pawn is promoted in KPK.
#[test]
fn endings_of_unequal_sides_without_distances() {
    // Without distances verifying takes as many passes as the longest win has plies.
    let all = [("KBKN", 1), ("KPK", 37), ("KQKR", 61)];
    for (name, plies) in all.into_iter().take(if torture() > 1 { 3 } else { 2 }) {
        let (game, dir) = (game(name), tempfile::tempdir().unwrap());
        build(&game, dir.path(), &pieces(4, 2, false)).unwrap();
        verify(&game, dir.path(), &Default::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (start, _) = game.place(&game.start()).unwrap();
        let longest = header(dir.path(), &game.slice_name(start)).longest.unwrap();
        assert_eq!(longest.plies, plies, "{name}");
        // Whatever a header names can be asked for.
        let database = Database::open(&game, dir.path(), 1 << 20).unwrap();
        for (header, _) in folder::slices(dir.path()).unwrap() {
            if let Some(Longest { position, .. }) = header.longest {
                let p = game.parse_position(&position).unwrap();
                let value = Bounds::exact(1).seen_by(game.turn(&p));
                assert_eq!(database.probe(&game, &p), Ok(value), "{position}");
            }
        }
    }
}
