//! Problems on wide boards: [hunts](crate::hunt) in which the hunter captures by force.
//!
//! A target of one to three stones on a board of 9x9 to 11x11, stones of both players strewn around it
//! and, thinner, over the rest of the board; kept if a *selective* solver, whose hunter plays only near the
//! target, finds a win within some nodes but not at once. Such a win is one on the whole board, too, where
//! hunter and target have all moves; how hard it is to find there, the choice does not ask. The
//! selective solver is df-pn with plain sums.

use crate::hunt::Hunt;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use zermelo_game::{Bits, Bounds, Game, Grid, Limits, Player};
use zermelo_search::proofnumber::dfpn::{Config, Dfpn};

/// The problems, as [`Problem::line`] writes them.
const PROBLEMS: &str = include_str!("../data/captures.txt");

/// The boards are squares of so many rows.
const SIZES: [u32; 3] = [9, 10, 11];
/// Stones within so many steps of the target lie closer.
const NEAR: usize = 4;
/// How many points in a hundred hold a stone of the hunter and of the other player: near the target, and
/// elsewhere.
const NEARBY: [u32; 2] = [20, 10];
const ELSEWHERE: [u32; 2] = [5, 10];
/// Nodes that the selective solver takes, at least and at most.
const HARD: u64 = 1_000;
const LOOK: u64 = 6_000;
/// Its memory.
const MEMORY: u64 = 1 << 26;

/// A position in which the hunter, who is to move, wins.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The hunt, which starts with the position.
    pub game: Arc<Hunt>,
}

impl Problem {
    /// The value of the position.
    #[must_use]
    pub fn value(&self) -> Bounds {
        Bounds::exact(1)
    }

    /// The nodes in which the selective solver finds the win, if it does.
    #[must_use]
    pub fn is_won(&self) -> Option<u64> {
        let game = self.game.selective();
        let limits = Limits { nodes: Some(LOOK), memory: MEMORY, ..Limits::default() };
        let report = Dfpn::new(&game, Config::default(), limits).solve(&game.start(), &|_| {});
        (report.bounds == self.value()).then_some(report.stats.nodes)
    }

    /// The problem as a line: size, target, position.
    #[must_use]
    pub fn line(&self) -> String {
        let text = self.game.position_text(&self.game.start());
        format!("{} {text}", self.game.name().trim_start_matches("hunt "))
    }

    /// Reads a line.
    #[must_use]
    pub fn read(line: &str) -> Option<Problem> {
        let (size, rest) = line.split_once(' ')?;
        let (target, text) = rest.split_once(' ')?;
        let (rows, cols) = size.split_once('x')?;
        let grid = Grid::<u128>::new(rows.parse().ok()?, cols.parse().ok()?);
        let mut given = [0; 2];
        let read = grid.read(text, ".xo", |cell, glyph| {
            match glyph {
                'x' => given[0] |= 1 << cell,
                'o' => given[1] |= 1 << cell,
                _ => {}
            }
            true
        });
        let target = (0..grid.cells()).find(|&c| grid.cell_name(c) == target)?;
        let game = Hunt::new(grid.rows(), grid.cols(), given, target)?;
        (read == Ok(Player::First)).then(|| Problem { game: Arc::new(game) })
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
    let mut sizes = SIZES.into_iter().cycle();
    let mut size = sizes.next().unwrap_or(SIZES[0]);
    std::iter::repeat_with(move || {
        let problem = strewn(size, &mut rng)?;
        let fit = problem.is_won().is_some_and(|nodes| nodes >= HARD);
        size = if fit { sizes.next()? } else { size };
        fit.then_some(problem)
    })
    .flatten()
}

/// A target with stones around it, if that makes a hunt: the target has two liberties at least, other
/// blocks of its side three, those of the hunter two.
fn strewn(size: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Problem> {
    let grid = Grid::<u128>::new(size, size);
    let at = rng.random_range(0..grid.cells());
    let mut target = 1u128 << at;
    for _ in 0..rng.random_range(0..3) {
        let next: Vec<u32> = (grid.neighbours(target) & !target).cells().collect();
        target |= 1 << next[rng.random_range(0..next.len())];
    }
    let beside = grid.neighbours(target);
    let near = (0..NEAR).fold(target, |near, _| near | grid.neighbours(near));
    let mut given = [0, target];
    for cell in (grid.full() & !target).cells() {
        let [mine, yours] = if near.has(cell) { NEARBY } else { ELSEWHERE };
        let draw = rng.random_range(0..100);
        if draw < mine {
            given[0] |= 1 << cell;
        } else if draw < mine + yours && !beside.has(cell) {
            given[1] |= 1 << cell;
        }
    }
    let game = Hunt::new(size, size, given, at)?;
    let p = game.start();
    let fit = game.liberties_of_target(&p).count() >= 2
        && game.weakest(&p, Player::Second) >= 3
        && game.weakest(&p, Player::First) >= 2;
    fit.then(|| Problem { game: Arc::new(game) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_problems_are_what_they_say() {
        let problems = problems();
        assert!((40..=100).contains(&problems.len()));
        let lines: HashSet<String> = problems.iter().map(Problem::line).collect();
        assert_eq!(lines.len(), problems.len());
        for problem in &problems {
            assert!(PROBLEMS.lines().any(|line| line == problem.line()));
            assert!(!problem.game.static_bounds(&problem.game.start()).is_exact());
        }
        for problem in problems.iter().step_by(8) {
            assert!(problem.is_won().is_some_and(|nodes| nodes >= HARD), "{}", problem.line());
        }
    }

    #[test]
    fn problems_are_made_again() {
        let first = generate(7).next().unwrap().line();
        assert_eq!(Problem::read(&first).unwrap().line(), first);
        assert_eq!(generate(7).next().unwrap().line(), first);
    }
}
