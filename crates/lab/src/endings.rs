//! What an endgame database saves a search from the start of it: checkers positions with some pieces more than it
//! holds, solved with and without it.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::fmt::Write;
use zermelo_any::{AnyGame, How};
use zermelo_game::{Limits, Report};

/// Positions with so many pieces that random play comes to, on even terms or one piece apart, with a choice of moves;
/// the same for the same seed.
///
/// # Panics
/// If `game` is not checkers: pieces are counted in its text.
#[must_use]
pub fn positions(game: &dyn AnyGame, pieces: usize, count: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    let mut session = game.session();
    while found.len() < count {
        while session.take_back().is_some() {}
        loop {
            let [white, black] = count_pieces(&session.position());
            let moves = session.moves();
            if white + black <= pieces || moves.is_empty() {
                if white + black == pieces && white.abs_diff(black) <= 1 && moves.len() > 1 {
                    found.push(session.position());
                }
                break;
            }
            session.play(&moves[rng.random_range(0..moves.len())]).expect("a legal move");
        }
    }
    found
}

/// The pieces of white and of black in a position such as `W:W21,K3:B1`.
pub(crate) fn count_pieces(text: &str) -> [usize; 2] {
    // Each side begins with its letter, and may have nothing more.
    let count = |side: &str| side[1..].split(',').filter(|piece| !piece.is_empty()).count();
    let mut sides = text.split(':').skip(1).map(count);
    let mut next = || sides.next().expect("checkers writes both sides");
    [next(), next()]
}

/// A position solved without and with a database.
pub struct Row {
    /// Its pieces.
    pub pieces: usize,
    /// The position.
    pub position: String,
    /// Without and with.
    pub reports: [Report<String>; 2],
}

/// Solves a position without and with.
pub fn compare(games: [&dyn AnyGame; 2], position: &str, how: &How, limits: &Limits) -> Row {
    let reports = games.map(|game| {
        let mut session = game.session();
        session.set_position(position).expect("a position of the game");
        session.solve(how, limits, &|_| {})
    });
    let pieces = count_pieces(position).iter().sum();
    Row { pieces, position: position.to_owned(), reports }
}

/// The table, and sums by number of pieces.
#[must_use]
pub fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "| pieces | positions | solved without | with | nodes where both solved: without | with | fewer by |\n|---|---|---|---|---|---|---|\n",
    );
    let mut kinds: Vec<usize> = rows.iter().map(|row| row.pieces).collect();
    kinds.dedup();
    for pieces in kinds {
        let rows = || rows.iter().filter(|row| row.pieces == pieces);
        let solved = |i: usize| rows().filter(|r| r.reports[i].bounds.is_exact()).count();
        let both = || rows().filter(|r| r.reports.iter().all(|r| r.bounds.is_exact()));
        let nodes = |i: usize| both().map(|r| r.reports[i].stats.nodes).sum::<u64>();
        let (without, with) = (nodes(0), nodes(1));
        let factor = without as f64 / with.max(1) as f64;
        let (count, [a, b]) = (rows().count(), [solved(0), solved(1)]);
        let _ =
            writeln!(out, "| {pieces} | {count} | {a} | {b} | {without} | {with} | {factor:.1} |");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_any::{By, open};

    #[test]
    fn positions_and_sums() {
        assert_eq!(count_pieces("W:W21,K3:B1"), [2, 1]);
        assert_eq!(count_pieces("B:W:B1,2"), [0, 2]);
        let game = open("checkers 4x4").unwrap();
        let found = positions(&*game, 3, 4, 7);
        assert_eq!(found, positions(&*game, 3, 4, 7));
        let limits = Limits { memory: 1 << 20, ..Limits::default() };
        let how = How::new(By::Dfpn);
        let rows: Vec<Row> =
            found.iter().map(|p| compare([&*game, &*game], p, &how, &limits)).collect();
        let table = markdown(&rows);
        assert!(table.contains("| 3 | 4 | 4 | 4 |") && table.contains("| 1.0 |"), "{table}");
    }
}
