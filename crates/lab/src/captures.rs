//! Problems on wide boards: Atarigo positions in which the player to move captures something by force.
//!
//! They come from random games without gross blunders: the first position of a game in which lambda
//! search finds a win that the knowledge of the game does not see, by a line of at least five plies.
//! Each is verified by a second engine, alpha-beta, which knows nothing of threats and has to find the
//! same value. No engine that is measured on them has a say in the choice.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use zermelo_game::{Bounds, Game, Limits, MoveList, Stop};
use zermelo_games::atarigo::AtariGo;
use zermelo_games::stones::Stones;
use zermelo_search::alphabeta;
use zermelo_search::proofnumber::lambda;

/// The problems, as [`line`] writes them.
const PROBLEMS: &str = include_str!("../data/captures.txt");

/// The boards: no larger one fits a word.
const SIZES: [(u32, u32); 4] = [(7, 7), (7, 8), (8, 7), (7, 9)];
/// The highest order of threats. With the knowledge of the game, nets are of order 1, too.
const ORDERS: u32 = 1;
/// Nodes that looking for a win may take, and making sure of one.
const LOOK: u64 = 2_000;
const SURE: u64 = 500_000;
/// The shortest line of a problem, in plies.
const SHORTEST: usize = 5;
/// The fewest stones: a lone stone in a corner is no problem.
const STONES: u32 = 6;
/// The memory of a verifier.
const MEMORY: u64 = 1 << 28;

/// A position in which the player to move wins by a capture.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The game, with the size of the board.
    pub game: Arc<AtariGo<u128>>,
    /// The position.
    pub position: Stones,
    /// The order of the attack.
    pub order: u32,
}

impl Problem {
    /// The value of the position.
    #[must_use]
    pub fn value(&self) -> Bounds {
        Bounds::exact(self.position.turn.sign())
    }

    /// Whether alpha-beta finds the win, too.
    ///
    /// # Panics
    /// If it finds another value.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        let limits = Limits { nodes: Some(SURE), memory: MEMORY, ..Limits::default() };
        let mut solver = alphabeta::Solver::new(&*self.game, alphabeta::Config::default(), limits);
        let report = solver.solve(&self.position, &|_| {});
        let agrees = report.bounds == self.value();
        assert!(agrees || report.stop != Stop::Solved, "{}: {}", self.line(), report.bounds);
        agrees
    }

    /// The problem as a line: size, order, position.
    #[must_use]
    pub fn line(&self) -> String {
        let name = self.game.name();
        let size = name.rsplit(' ').next().unwrap_or(&name);
        format!("{size} {} {}", self.order, self.game.position_text(&self.position))
    }

    /// Reads a line.
    #[must_use]
    pub fn read(line: &str) -> Option<Problem> {
        let (size, rest) = line.split_once(' ')?;
        let (order, text) = rest.split_once(' ')?;
        let (rows, cols) = size.split_once('x')?;
        let game = AtariGo::new(rows.parse().ok()?, cols.parse().ok()?);
        let position = game.parse_position(text).ok()?;
        Some(Problem { game: Arc::new(game), position, order: order.parse().ok()? })
    }
}

/// The problems we ship.
///
/// # Panics
/// If the file is broken.
#[must_use]
pub fn problems() -> Vec<Problem> {
    let lines = PROBLEMS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Problem::read(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

/// Makes problems without end, the same for the same seed.
pub fn generate(seed: u64) -> impl Iterator<Item = Problem> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let games = (0..).map(move |i| {
        let (rows, cols) = SIZES[i % SIZES.len()];
        from_a_game(AtariGo::new(rows, cols), &mut rng)
    });
    games.flatten()
}

fn from_a_game(game: AtariGo<u128>, rng: &mut Xoshiro256PlusPlus) -> Option<Problem> {
    let mut p = game.start();
    let mut solver = lambda::Solver::new(&game, lambda::Config::default(), MEMORY);
    let found = loop {
        if game.static_bounds(&p).is_exact() {
            return None;
        }
        let limits = Limits { nodes: Some(LOOK), ..Limits::default() };
        let found = solver.attack(&p, game.turn(&p), ORDERS, &limits);
        if found.won.is_some() {
            break found;
        }
        let mut list = MoveList::new();
        game.relevant(&p, &mut list);
        if list.is_empty() {
            return None;
        }
        p = game.play(&p, list.scored()[rng.random_range(0..list.len())].mv);
    };
    let fit = found.line.len() >= SHORTEST && p.all().count_ones() >= STONES;
    let order = found.won.filter(|_| fit)?;
    let problem = Problem { game: Arc::new(game), position: p, order };
    problem.is_verified().then_some(problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_problems_are_what_they_say() {
        let problems = problems();
        assert!((60..=100).contains(&problems.len()));
        let lines: HashSet<String> = problems.iter().map(Problem::line).collect();
        assert_eq!(lines.len(), problems.len());
        for problem in &problems {
            assert!(PROBLEMS.lines().any(|line| line == problem.line()));
            assert!(!problem.game.static_bounds(&problem.position).is_exact());
        }
    }

    #[test]
    fn a_problem_is_won_by_both_engines() {
        for problem in problems().iter().step_by(20) {
            assert!(problem.is_verified(), "{}", problem.line());
            let mut solver = lambda::Solver::new(&*problem.game, lambda::Config::default(), MEMORY);
            let position = &problem.position;
            let found = solver.attack(position, position.turn, ORDERS, &Limits::default());
            assert_eq!(found.won, Some(problem.order), "{}", problem.line());
        }
    }
}
