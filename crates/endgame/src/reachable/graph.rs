//! All positions that can be reached from the start by number, and their values. Only finding them is compiled for each
//! game; the rest sees numbers.

use super::ReachableConfig;
use crate::DatabaseFailure;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use zermelo_game::{MoveList, Notation, Value};

/// Bytes that a position takes while it is worked out, beside itself and its moves: a slot of the map, twice for
/// growing, whose turn it is, and two values.
const SLOT: u64 = 80;

/// Where moves lead, from number to number.
pub(super) struct Graph {
    /// Whose turn it is: 1 for the first player, -1 for the second.
    pub signs: Vec<i8>,
    /// The value for the first player, where the game is over.
    pub ends: Vec<Option<Value>>,
    /// Where the moves of a position begin in `to`; one more than there are positions.
    from: Vec<usize>,
    to: Vec<u32>,
}

/// For each position those from which a move leads to it: where they begin, and they.
pub(super) type Back = (Vec<usize>, Vec<u32>);

/// What is to be known of positions beside the graph, by number.
pub(super) trait Positions<K> {
    /// The key.
    fn key(&self, n: u32) -> K;
    /// How many different images it has.
    fn images(&self, n: u32) -> u64;
    /// The position as text.
    fn text(&self, n: u32) -> String;
}

/// All positions of a game, each the least of its images.
pub(super) struct Explored<'g, R: Notation> {
    rules: &'g R,
    positions: Vec<R::Position>,
}

impl<R: Notation> Explored<'_, R> {
    /// How many are known.
    pub fn len(&self) -> usize {
        self.positions.len()
    }
}

impl<R: Notation> Positions<R::Key> for Explored<'_, R> {
    fn key(&self, n: u32) -> R::Key {
        self.rules.key(&self.positions[n as usize])
    }

    fn images(&self, n: u32) -> u64 {
        let images = self.rules.images(&self.positions[n as usize]);
        (0..images.len()).filter(|&i| !images[..i].contains(&images[i])).count() as u64
    }

    fn text(&self, n: u32) -> String {
        self.rules.position_text(&self.positions[n as usize])
    }
}

/// The image with the smallest key.
pub(super) fn least<R: Notation>(rules: &R, p: &R::Position) -> R::Position {
    rules.images(p).into_iter().min_by_key(|q| rules.key(q)).unwrap_or(*p)
}

/// Bytes that a position takes while it is worked out, beside its moves. Vectors grow by doubling.
pub(crate) fn position_bytes<R: Notation>(_: &R) -> u64 {
    SLOT + 2 * (size_of::<R::Position>() + size_of::<R::Key>()) as u64
}

/// Plays all moves from the start.
pub(super) fn explore<'g, R: Notation>(
    rules: &'g R,
    config: &ReachableConfig,
) -> Result<(Explored<'g, R>, Graph), DatabaseFailure> {
    explore_up_to(rules, config, usize::MAX)
}

/// The same until more than so many positions are known. Then the graph has the moves of the first ones only.
pub(super) fn explore_up_to<'g, R: Notation>(
    rules: &'g R,
    config: &ReachableConfig,
    most: usize,
) -> Result<(Explored<'g, R>, Graph), DatabaseFailure> {
    let start = least(rules, &rules.start());
    let mut numbers: FxHashMap<R::Key, u32> = FxHashMap::default();
    numbers.insert(rules.key(&start), 0);
    let mut positions = vec![start];
    let mut graph = Graph { signs: Vec::new(), ends: Vec::new(), from: vec![0], to: Vec::new() };
    let (mut moves, mut at) = (MoveList::new(), 0);
    // Moves are kept twice, forward and backward.
    let each = position_bytes(rules);
    while at < positions.len() && positions.len() <= most {
        let p = positions[at];
        let end = rules.outcome(&p);
        if end.is_none() {
            moves.clear();
            rules.moves(&p, &mut moves);
            for m in moves.iter() {
                let next = least(rules, &rules.play(&p, m));
                let fresh = positions.len();
                let n = *numbers.entry(rules.key(&next)).or_insert(fresh as u32);
                if n as usize == fresh {
                    positions.push(next);
                }
                graph.to.push(n);
            }
        }
        graph.signs.push(rules.turn(&p).sign() as i8);
        graph.ends.push(end);
        graph.from.push(graph.to.len());
        at += 1;
        if at % 4096 == 0 {
            graph.check(positions.len() as u64, each, config)?;
        }
    }
    Ok((Explored { rules, positions }, graph))
}

impl Graph {
    /// Obeys limits and tells how far it is.
    fn check(
        &self,
        known: u64,
        each: u64,
        config: &ReachableConfig,
    ) -> Result<(), DatabaseFailure> {
        if let Some(progress) = config.progress {
            progress(known);
        }
        if config.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(DatabaseFailure::Interrupted);
        }
        let need = known * each + 16 * self.to.len() as u64;
        if need > config.memory || known > u64::from(u32::MAX) - (1 << 16) {
            return Err(DatabaseFailure::Refused(format!(
                "there are more than {known} positions, and {} MiB of memory do not hold more",
                config.memory >> 20
            )));
        }
        Ok(())
    }

    /// How many moves there are.
    pub fn moves_in_all(&self) -> usize {
        self.to.len()
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the moves of a position lead.
    pub fn moves(&self, n: usize) -> &[u32] {
        &self.to[self.from[n]..self.from[n + 1]]
    }

    /// A value for the first player, seen by the player to move, and the other way round.
    pub fn seen(&self, n: usize, value: Value) -> Value {
        value * Value::from(self.signs[n])
    }

    /// Moves backwards.
    pub fn back(&self) -> Back {
        let mut begin = vec![0usize; self.len() + 1];
        self.to.iter().for_each(|&to| begin[to as usize + 1] += 1);
        for n in 1..begin.len() {
            begin[n] += begin[n - 1];
        }
        let (mut next, mut back) = (begin.clone(), vec![0; self.to.len()]);
        for n in 0..self.len() {
            for &to in self.moves(n) {
                back[next[to as usize]] = n as u32;
                next[to as usize] += 1;
            }
        }
        (begin, back)
    }

    /// The value of every position for the first player, where a repetition is worth `rest`.
    pub fn values(&self, rest: Value, back: &Back) -> Vec<Value> {
        let mut values: Vec<Value> = self.ends.iter().map(|end| end.unwrap_or(rest)).collect();
        // Positions found late are near the end of the game: most are right at the first look.
        let mut open: Vec<u32> = (0..self.len() as u32).collect();
        let mut waits = vec![true; self.len()];
        while let Some(n) = open.pop() {
            let n = n as usize;
            waits[n] = false;
            let best = self.moves(n).iter().map(|&to| self.seen(n, values[to as usize])).max();
            let best = best.map(|best| self.seen(n, best));
            let Some(best) = best.filter(|best| *best != values[n]) else { continue };
            values[n] = best;
            for &before in &back.1[back.0[n]..back.0[n + 1]] {
                if !std::mem::replace(&mut waits[before as usize], true) {
                    open.push(before);
                }
            }
        }
        values
    }

    /// Plies to the end for wins and losses, by layers; `u32::MAX` for draws.
    pub fn distances(&self, values: &[Value], back: &Back) -> Vec<u32> {
        let count = self.len();
        let mut plies = vec![u32::MAX; count];
        let mut ways: Vec<u32> = (0..count).map(|n| self.moves(n).len() as u32).collect();
        let mut layer: Vec<u32> = (0..count as u32)
            .filter(|&n| ways[n as usize] == 0 && values[n as usize] != 0)
            .collect();
        layer.iter().for_each(|&n| plies[n as usize] = 0);
        let mut depth = 0;
        while !layer.is_empty() {
            depth += 1;
            let mut next = Vec::new();
            for n in layer.into_iter().map(|n| n as usize) {
                for &before in &back.1[back.0[n]..back.0[n + 1]] {
                    let b = before as usize;
                    if plies[b] != u32::MAX || values[b] != values[n] {
                        continue;
                    }
                    // A win needs one way to a loss, a loss has none but wins.
                    ways[b] -= 1;
                    if self.seen(b, values[b]) > 0 || ways[b] == 0 {
                        plies[b] = depth;
                        next.push(before);
                    }
                }
            }
            layer = next;
        }
        plies
    }
}
