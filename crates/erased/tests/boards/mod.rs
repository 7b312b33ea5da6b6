//! The boards of tests that are about every game: `boards.txt`, held against the catalogue.
//!
//! A test names the rows that it leaves out, each with the reason; there is no other way to leave one out. A game that is
//! added to the catalogue and has no board in the file breaks all of these tests.
#![allow(dead_code)] // each test uses its own part

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use zermelo_erased::Catalogue;

/// The boards of every row of the catalogue but those that are left out: `(row, reason)`.
#[track_caller]
pub fn of_every_game(left_out: &[(&str, &str)]) -> Vec<&'static str> {
    let boards: Vec<&'static str> =
        include_str!("boards.txt").lines().filter(|line| !line.starts_with('#')).collect();
    let catalogue = Catalogue::standard();
    for row in catalogue.rows() {
        let found = boards.iter().any(|board| row_of(board) == row.name());
        assert!(found, "boards.txt has no board of {}", row.name());
    }
    for (row, reason) in left_out {
        assert!(catalogue.row(row).is_some(), "{row} is left out, but no game");
        assert!(reason.split(' ').count() > 3, "{row} is left out without a reason");
    }
    let wanted = |board: &&str| !left_out.iter().any(|(row, _)| *row == row_of(board));
    boards.into_iter().filter(wanted).collect()
}

/// The row that opens a board.
pub fn row_of(board: &str) -> &str {
    board.split(' ').next().unwrap_or_default()
}

/// How many of `total` cases for each row fall to this board of it.
pub fn share(boards: &[&str], board: &str, total: u64) -> usize {
    let of_row = boards.iter().filter(|other| row_of(other) == row_of(board)).count();
    total as usize / of_row + 1
}

/// Does something with every board, on all processors. `number` is the place of the board among them, for seeds.
pub fn each(boards: &[&str], job: impl Fn(&str, u64) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((number, board)) = {
            let number = next.fetch_add(1, Relaxed);
            boards.get(number).map(|board| (number, board))
        } {
            job(board, number as u64);
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..processors).for_each(|_| drop(scope.spawn(work))));
}
