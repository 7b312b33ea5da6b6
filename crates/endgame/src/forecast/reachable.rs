//! What a build of all that can be reached would take.
//!
//! # Counting positions by lines of play
//!
//! A line of play is chosen at random, move by move, and carries a weight: how many positions it stands for. Where it goes on
//! from `p` with one of `b` moves to `q`, the weight is multiplied by `b` and divided by the number of ways to come to `q`
//! in one move. So every position of the next ply is counted once, as the ways to it share it: the expected sum of weights
//! after `d` plies is the number of positions after `d` plies. (If positions are counted for each line, as Knuth does for trees, a
//! board of ten stones counts hundreds of times.) Lines are many at a time, and where weights grow apart those that weigh
//! little are given up for copies of those that weigh much.
//!
//! The ways to a position are not known, as rules play forward only. Those are found that exchange the last move with an
//! earlier one of the same player, that make an earlier move later, or that make the player's last two moves in another way. That
//! is nearly all of them where stones are put anywhere (within 1 % in mnk 4x4x4). Where pieces walk, or stones fall on those of
//! the other player, a way may need another order of both players' moves, which is not looked for: then the sample says far
//! too much (Connect Four 4x5: 49 times as much; Breakthrough 5x3: more than there are keys). So does a position that can be reached in different numbers of plies, which
//! counts for each. It never says too little but by chance, so it is a bound.

use super::{Basis, Dice, Forecast};
use crate::DatabaseFailure;
use crate::database::is_wdl;
use crate::reachable::{ReachableConfig, position_bytes, repetition_value, trial};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};
use zermelo_game::{MoveList, Notation, SuperkoRule};

/// Positions that are explored before lines are sampled.
pub const TRIAL: usize = 200_000;
/// Lines at a time.
const LINES: usize = 64;
/// Samples at most, and at least.
const SAMPLES: [usize; 2] = [4, 16];
/// No further sample is begun after this time.
const PATIENCE: Duration = Duration::from_secs(3);
/// Plies after which a line is given up.
const LONGEST: usize = 10_000;
/// All steps of a build take so many times what playing the moves of a position does.
const STEPS: f64 = 3.0;

/// Says what [`build`](crate::reachable::build) would take. `explore`: so many positions are explored on trial, usually [`TRIAL`].
pub fn forecast<R: Notation>(
    rules: &R,
    superko: SuperkoRule<R>,
    config: &ReachableConfig,
    explore: usize,
) -> Result<Forecast, DatabaseFailure> {
    let rest = repetition_value(rules, superko)?;
    let since = Instant::now();
    let distances = is_wdl(rules) && rest == 0;
    let done = trial(rules, rest, config, explore)?;
    if let Some(done) = done.whole {
        return Ok(Forecast {
            files: [1, 0],
            places: None,
            positions: done.positions,
            kept: Some(done.kept),
            bytes: [Some(done.bytes[0]), distances.then_some(done.bytes[1])],
            memory: done.kept * position_bytes(rules) + 16 * done.moves,
            scratch: 0,
            // The file was written twice, and without distances once.
            seconds: since.elapsed().as_secs_f64(),
            basis: Basis::Trial,
        });
    }
    let pace = since.elapsed().as_secs_f64() / done.looked as f64 * STEPS;
    let branching = done.moves as f64 / done.looked as f64;
    let keys = 2f64.powi(rules.key_bits() as i32);
    let (positions, kept, basis) = match R::CYCLIC {
        false => {
            let Sampled { positions, kept, error } = sample(rules);
            let between = |n: f64| n.max(done.found as f64).min(keys);
            let basis = Basis::Sample { error, found: done.found };
            (between(positions), between(kept), basis)
        }
        true => (keys, keys, Basis::MostKeys(done.found)),
    };
    // Gaps between random keys in order, and what values and distances take, by experience.
    let gap = (keys / kept).max(1.0).log2() + 1.44;
    let plain = kept * (gap / 8.0 + 0.15);
    let memory = kept * (position_bytes(rules) as f64 + 16.0 * branching);
    Ok(Forecast {
        files: [1, 0],
        places: None,
        positions: positions as u64,
        kept: Some(kept as u64),
        bytes: [Some(plain as u64), distances.then_some((plain + 0.25 * kept) as u64)],
        memory: memory as u64,
        scratch: 0,
        seconds: pace * kept,
        basis,
    })
}

/// How many positions there are, and how many that are no images of each other.
#[derive(Debug)]
pub struct Sampled {
    /// All of them.
    pub positions: f64,
    /// One for all its images.
    pub kept: f64,
    /// The standard error as a part of the number.
    pub error: f64,
}

/// Counts the positions of a game without repetitions by lines of play.
pub fn sample<R: Notation>(rules: &R) -> Sampled {
    let since = Instant::now();
    let mut found: Vec<[f64; 2]> = Vec::new();
    for seed in 0..SAMPLES[1] {
        if seed >= SAMPLES[0] && since.elapsed() > PATIENCE {
            break;
        }
        found.push(lines(rules, &mut Dice(seed as u64)));
    }
    let count = found.len() as f64;
    let mean = |n: usize| found.iter().map(|sums| sums[n]).sum::<f64>() / count;
    let positions = mean(0);
    let variance = found.iter().map(|sums| (sums[0] - positions).powi(2)).sum::<f64>();
    let error = (variance / (count - 1.0) / count).sqrt() / positions;
    Sampled { positions, kept: mean(1), error }
}

/// A line of play.
struct Walk<R: Notation> {
    positions: Vec<R::Position>,
    moves: Vec<R::Move>,
    weight: f64,
}

impl<R: Notation> Clone for Walk<R> {
    fn clone(&self) -> Self {
        let (positions, moves) = (self.positions.clone(), self.moves.clone());
        Walk { positions, moves, weight: self.weight }
    }
}

impl<R: Notation> Walk<R> {
    fn now(&self) -> R::Position {
        self.positions[self.moves.len()]
    }
}

/// The positions of all plies, and those that are kept, by one sample.
fn lines<R: Notation>(rules: &R, dice: &mut Dice) -> [f64; 2] {
    let first =
        Walk { positions: vec![rules.start()], moves: Vec::new(), weight: 1.0 / LINES as f64 };
    let mut walks: Vec<Walk<R>> = vec![first; LINES];
    let (mut sums, mut moves) = ([0.0; 2], MoveList::new());
    for _ in 0..LONGEST {
        for walk in &walks {
            let images = rules.images(&walk.now());
            let different = (0..images.len()).filter(|&i| !images[..i].contains(&images[i]));
            sums[0] += walk.weight;
            sums[1] += walk.weight / different.count() as f64;
        }
        walks.retain_mut(|walk| {
            let p = walk.now();
            moves.clear();
            if rules.outcome(&p).is_none() {
                rules.moves(&p, &mut moves);
            }
            if moves.is_empty() {
                return false;
            }
            let m = moves.scored()[dice.below(moves.len() as u64) as usize].mv;
            walk.positions.push(rules.play(&p, m));
            walk.moves.push(m);
            walk.weight *= moves.len() as f64 / ways(rules, walk) as f64;
            true
        });
        if walks.is_empty() {
            break;
        }
        thin(&mut walks, dice);
    }
    sums
}

/// Where few lines carry most of the weight, chooses anew: as many of each as its weight says.
fn thin<R: Notation>(walks: &mut Vec<Walk<R>>, dice: &mut Dice) {
    let sum: f64 = walks.iter().map(|walk| walk.weight).sum();
    let squares: f64 = walks.iter().map(|walk| walk.weight * walk.weight).sum();
    if sum * sum / squares > LINES as f64 / 2.0 {
        return;
    }
    let (each, mut chosen) = (sum / LINES as f64, Vec::with_capacity(LINES));
    let mut next = dice.part() * each;
    let mut passed = 0.0;
    for walk in walks.iter() {
        passed += walk.weight;
        while next < passed && chosen.len() < LINES {
            chosen.push(Walk { weight: each, ..walk.clone() });
            next += each;
        }
    }
    if !chosen.is_empty() {
        *walks = chosen;
    }
}

/// In how many ways one comes to the end of a line in its last move: the different positions before it, each with every move
/// that leads there.
fn ways<R: Notation>(rules: &R, walk: &Walk<R>) -> usize {
    let plies = walk.moves.len();
    let (last, before) = (walk.moves[plies - 1], walk.positions[plies - 1]);
    let end = rules.key(&walk.now());
    let turn = rules.turn(&before);
    let mut seen: FxHashSet<R::Key> = FxHashSet::default();
    let mut count = 0;
    let mut moves = MoveList::new();
    // A position that may stand before the end.
    let mut add = |p: &R::Position| {
        if !seen.insert(rules.key(p)) {
            return;
        }
        moves.clear();
        rules.moves(p, &mut moves);
        count += moves.iter().filter(|&m| rules.key(&rules.play(p, m)) == end).count();
    };
    add(&before);
    let own: Vec<usize> =
        (0..plies - 1).filter(|&n| rules.turn(&walk.positions[n]) == turn).collect();
    for (i, &n) in own.iter().enumerate() {
        // The last move in place of an earlier one, which comes last.
        let mut exchanged = walk.moves[n..plies - 1].to_vec();
        exchanged[0] = last;
        if let Some(p) = played(rules, walk.positions[n], &exchanged) {
            add(&p);
        }
        // All later moves of the player one turn earlier.
        if i + 1 < own.len() {
            let mut shifted = walk.moves[n..plies - 1].to_vec();
            for pair in own[i..].windows(2) {
                shifted[pair[0] - n] = walk.moves[pair[1]];
            }
            shifted[own[own.len() - 1] - n] = last;
            if let Some(p) = played(rules, walk.positions[n], &shifted) {
                add(&p);
            }
        }
    }
    // Another last but one move of the player.
    if let Some(&n) = own.last() {
        let mut others = MoveList::new();
        rules.moves(&walk.positions[n], &mut others);
        for m in others.iter() {
            let mut other = walk.moves[n..plies - 1].to_vec();
            other[0] = m;
            if let Some(p) = played(rules, walk.positions[n], &other) {
                add(&p);
            }
        }
    }
    count
}

/// Where these moves lead, if the rules allow them and the game goes on after them.
fn played<R: Notation>(rules: &R, from: R::Position, line: &[R::Move]) -> Option<R::Position> {
    let (mut p, mut moves) = (from, MoveList::new());
    for &m in line {
        moves.clear();
        rules.moves(&p, &mut moves);
        if !moves.iter().any(|other| other == m) {
            return None;
        }
        p = rules.play(&p, m);
        if rules.outcome(&p).is_some() {
            return None;
        }
    }
    Some(p)
}
