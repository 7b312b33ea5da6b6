//! Problems on a wide board: [hunts](crate::hunt) in which the hunter captures by force.
//!
//! On 11x11 one point in five holds a stone of the hunter and one in five a stone of the other player. The target
//! is a block of 4 to 12 stones with two or three liberties, and the fight is a close one: two of the hunter's blocks beside the target
//! or more have no more than two liberties, so that an atari has several replies. Such a position is kept if a
//! [*selective*](crate::hunt::HuntKnowledge::SELECTIVE) hunter, who has only promising moves, is found to win within [`LOOK`] nodes by
//! at least one of the [`JUDGES`], and settled by none within [`EASY`]. Such a win is one on the whole board, too,
//! where hunter and target have all moves; how hard it is to find there, the choice does not ask. No judge
//! has more say than another.

use crate::hunt::{Hunt, HuntKnowledge, read};
use crate::table::config;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use zermelo_game::{Bits, Bounds, Game, Grid, Limits, Notation, Player, Rules, Stop};
use zermelo_search::proofnumber::dfpn::Dfpn;
use zermelo_search::proofnumber::numbers::{SumRule, Tie};

/// The problems, as [`Problem::line`] writes them.
const PROBLEMS: &str = include_str!("captures.txt");

/// The board is a square of so many rows.
const SIZE: u32 = 11;
/// How many points in a hundred hold a stone of the hunter and of the other player.
const STREWN: [u32; 2] = [20, 20];
/// Nodes within which some judge finds the win, and none settles it.
const LOOK: u64 = 4_000;
const EASY: u64 = 1_000;
/// The rules that judge.
const JUDGES: [SumRule; 4] = [
    SumRule::Sum,
    SumRule::Top(10, Tie::Order),
    SumRule::Top(5, Tie::Order),
    SumRule::Top(2, Tie::Order),
];
/// Bytes for a table.
const MEMORY: u64 = 1 << 26;

/// A position in which the hunter, who is to move, wins.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The hunt, which starts with the position.
    pub game: Hunt,
}

impl Problem {
    /// The value of the position.
    #[must_use]
    pub fn value(&self) -> Bounds {
        Bounds::exact(1)
    }

    /// Whether it is one to keep.
    #[must_use]
    pub fn is_fit(&self) -> bool {
        let game = Game::new(&self.game, &HuntKnowledge::SELECTIVE);
        let found = |rule: &SumRule, nodes| {
            let limits = Limits { nodes: Some(nodes), memory: MEMORY, ..Limits::default() };
            let report = Dfpn::new(game, config(*rule), limits).solve(&game.start(), &|_| {});
            (report.stop == Stop::Solved).then_some(report.bounds)
        };
        JUDGES.iter().all(|rule| found(rule, EASY).is_none())
            && JUDGES.iter().any(|rule| found(rule, LOOK) == Some(self.value()))
    }

    /// The problem as a line: size, target, position.
    #[must_use]
    pub fn line(&self) -> String {
        let text = self.game.position_text(&self.game.start());
        let board = text.split(' ').next().unwrap_or_default();
        format!("{} {board}", self.game.name().trim_start_matches("hunt "))
    }

    /// Reads a line.
    #[must_use]
    pub fn read(line: &str) -> Option<Problem> {
        let (size, rest) = line.split_once(' ')?;
        let (target, board) = rest.split_once(' ')?;
        let (rows, cols) = size.split_once('x')?;
        let grid = Grid::<u128>::new(rows.parse().ok()?, cols.parse().ok()?);
        let (_, given) = read(&grid, &format!("{board} {}", Player::First)).ok()?;
        let target = (0..grid.cells()).find(|&c| grid.cell_name(c) == target)?;
        Some(Problem { game: Hunt::new(grid.rows(), grid.cols(), given, target)? })
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
    let strewn = std::iter::repeat_with(move || strewn(&mut rng)).flatten();
    strewn.filter(Problem::is_fit)
}

/// A target with stones around it, if that makes a close fight.
fn strewn(rng: &mut Xoshiro256PlusPlus) -> Option<Problem> {
    let grid = Grid::<u128>::new(SIZE, SIZE);
    let at = rng.random_range(0..grid.cells());
    let mut target = 1u128 << at;
    for _ in 1..rng.random_range(4..=12) {
        let next: Vec<u32> = (grid.neighbours(target) & !target).cells().collect();
        target |= 1 << next[rng.random_range(0..next.len())];
    }
    let beside = grid.neighbours(target);
    let mut given = [0, target];
    for cell in (grid.full() & !target).cells() {
        let draw = rng.random_range(0..100);
        if draw < STREWN[0] {
            given[0] |= 1 << cell;
        } else if draw < STREWN[0] + STREWN[1] && !beside.has(cell) {
            given[1] |= 1 << cell;
        }
    }
    let game = Hunt::new(SIZE, SIZE, given, at)?;
    let p = game.start();
    let weak = game.attackers(&p).filter(|liberties| liberties.count() <= 2).count();
    let fit = (2..=3).contains(&game.liberties(&p).count()) && weak >= 2;
    fit.then_some(Problem { game })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_problems_are_what_they_say() {
        let problems = problems();
        assert!((20..=200).contains(&problems.len()));
        let lines: HashSet<String> = problems.iter().map(Problem::line).collect();
        assert_eq!(lines.len(), problems.len());
        for problem in &problems {
            assert!(PROBLEMS.lines().any(|line| line == problem.line()));
            let game = Game::new(&problem.game, &HuntKnowledge::ALL_MOVES);
            assert!(!game.static_bounds(&game.start()).is_exact());
        }
        assert!(problems[0].is_fit());
    }

    #[test]
    fn problems_are_made_again() {
        let first = |seed| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            std::iter::repeat_with(|| strewn(&mut rng)).flatten().next().unwrap().line()
        };
        let line = first(7);
        assert_eq!(Problem::read(&line).unwrap().line(), line);
        assert_eq!(first(7), line);
        assert_ne!(first(8), line);
    }
}
