//! The whole of a small game: every position that can be reached from the start, by the ply at which it is first reached, with
//! its value, and how soon wins come.
//!
//! Positions are counted as the game writes them, mirrored ones apart, as people quote such numbers. All of them are in memory, so
//! there is a bound on how many; a game that has more is given up at once. Values come from the ends backwards: a position is won by
//! the shortest of its wins, and lost when all of its moves are. What is neither is a draw, also where positions repeat for ever.
//! Scores are added up in the same direction, in games that cannot repeat.

use crate::library::OpenGame;
use crate::middleware::{Capacity, Permit};
use crate::scheduler::Turns;
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use zermelo_erased::with_room;
use zermelo_game::{Bounds, Player, Value};

/// Positions between two looks at whether to go on.
const LOOK: usize = 256;

/// The positions of one ply.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Layer {
    /// Positions that are first reached by so many moves.
    pub positions: u64,
    /// Those that the first player wins.
    pub first: u64,
    /// Those that nobody wins.
    pub draws: u64,
    /// Those that the second player wins.
    pub second: u64,
    /// Those at which the game is over.
    pub over: u64,
}

/// What there is of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Census {
    /// Positions.
    pub positions: u64,
    /// By the ply at which they are first reached.
    pub layers: Vec<Layer>,
    /// Wins of the first and of the second player by the plies to the end; none in score games.
    pub distances: Vec<[u64; 2]>,
    /// A position with the longest win.
    pub longest: Option<(u32, String)>,
    /// The value of the start, and the plies to the end where it is won.
    pub start: (Value, Option<u32>),
    /// Moves of the start that win, draw and lose for who makes them.
    pub first_moves: [u64; 3],
    /// Positions by their value.
    pub values: Vec<(Value, u64)>,
}

/// How far a census is.
#[derive(Clone, Debug)]
pub enum CensusState {
    /// So many positions so far.
    Counting(u64),
    /// All of them.
    Done(Arc<Census>),
    /// There are more than are counted.
    TooLarge,
    /// A fault of ours.
    Failed,
}

/// A census that was asked for.
struct Asked {
    counted: AtomicU64,
    state: Mutex<CensusState>,
}

/// All that were asked for.
pub struct Censuses {
    asked: Mutex<VecDeque<(String, Arc<Asked>)>>,
    working: Capacity,
    /// The most positions, and games that are remembered.
    most: usize,
    kept: usize,
    cancel: Arc<AtomicBool>,
}

/// Why there is no census of a game.
#[must_use]
pub fn unsupported(game: &OpenGame) -> Option<&'static str> {
    let features = game.features();
    let scores = game.values() != Bounds::new(-1, 1);
    if !game.has_own_values() {
        Some("positions have no values of their own in this game")
    } else if features.cyclic && (scores || game.cycle_value() != Some(0)) {
        Some("positions can repeat in this game, and that is worth more than a draw")
    } else {
        None
    }
}

impl Censuses {
    /// None yet; each of at most so many positions.
    #[must_use]
    pub fn new(most: usize, kept: usize) -> Censuses {
        let asked = Mutex::default();
        Censuses { asked, working: Capacity::new(1), most, kept, cancel: Arc::default() }
    }

    /// The most positions.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }

    /// Ends all work.
    pub fn stop(&self) {
        self.cancel.store(true, Relaxed);
    }

    /// How far the census of a game is, which is begun if nobody has asked for it before. `None` if others are counted now.
    pub fn of(&self, game: &OpenGame, turns: impl FnOnce() -> Turns) -> Option<CensusState> {
        let name = game.name();
        let mut held = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, asked)) = held.iter().find(|(known, _)| *known == name) {
            let state = asked.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
            return Some(match state {
                CensusState::Counting(_) => CensusState::Counting(asked.counted.load(Relaxed)),
                state => state,
            });
        }
        let permit = self.working.enter()?;
        let asked = Arc::new(Asked {
            counted: AtomicU64::new(0),
            state: Mutex::new(CensusState::Counting(0)),
        });
        let work = Work {
            game: game.clone(),
            asked: asked.clone(),
            most: self.most,
            cancel: self.cancel.clone(),
            turns: turns(),
        };
        let begun = std::thread::Builder::new().name("census".into()).spawn(|| work.run(permit));
        begun.ok()?;
        held.push_back((name, asked));
        while held.len() > self.kept {
            held.pop_front();
        }
        Some(CensusState::Counting(0))
    }
}

struct Work {
    game: OpenGame,
    asked: Arc<Asked>,
    most: usize,
    cancel: Arc<AtomicBool>,
    turns: Turns,
}

impl Work {
    fn run(self, permit: Permit) {
        let wanted = || !self.cancel.load(Relaxed);
        let mut state = CensusState::Failed;
        if self.turns.wait(wanted) {
            let count = || with_room(|| count(&self.game, self.most, |n| self.look(n)));
            state = match catch_unwind(AssertUnwindSafe(count)) {
                Ok(Some(census)) => CensusState::Done(Arc::new(census)),
                Ok(None) if wanted() => CensusState::TooLarge,
                _ => CensusState::Failed,
            };
        }
        self.turns.end();
        *self.asked.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        drop(permit);
    }

    /// False if it is to end.
    fn look(&self, counted: usize) -> bool {
        self.asked.counted.store(counted as u64, Relaxed);
        self.turns.give_way(|| !self.cancel.load(Relaxed));
        !self.cancel.load(Relaxed)
    }
}

/// Positions with their moves, in the order in which they are met.
#[derive(Default)]
struct Graph {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    plies: Vec<u16>,
    turns: Vec<Player>,
    ends: Vec<Option<Value>>,
    /// Where the moves of each begin in `after`, and where the last ones end.
    begin: Vec<usize>,
    after: Vec<u32>,
}

impl Graph {
    fn enter(&mut self, text: &str, ply: u16) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (text, number): (Arc<str>, u32) = (text.into(), self.texts.len() as u32);
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        self.plies.push(ply);
        number
    }

    fn moves(&self, n: usize) -> &[u32] {
        &self.after[self.begin[n]..self.begin[n + 1]]
    }
}

/// What can be reached; `None` if there is more than that, or somebody says no.
fn explore(game: &OpenGame, most: usize, keep_going: impl Fn(usize) -> bool) -> Option<Graph> {
    let mut session = game.session();
    let mut graph = Graph::default();
    graph.enter(&session.position(), 0);
    graph.begin.push(0);
    let mut n = 0;
    while n < graph.texts.len() {
        if n.is_multiple_of(LOOK) && !keep_going(graph.texts.len()) {
            return None;
        }
        let text = graph.texts[n].clone();
        // A game reads what it writes.
        session.set_position(&text).ok()?;
        graph.turns.push(session.turn());
        let end = session.outcome();
        graph.ends.push(end);
        if end.is_none() {
            let ply = graph.plies[n].saturating_add(1);
            for m in session.survey().moves {
                let next = graph.enter(&m.after, ply);
                graph.after.push(next);
            }
            if graph.texts.len() > most {
                return None;
            }
        }
        graph.begin.push(graph.after.len());
        n += 1;
    }
    Some(graph)
}

/// The positions before each: where they begin, and their numbers.
fn before(graph: &Graph) -> (Vec<usize>, Vec<u32>) {
    let mut begin = vec![0; graph.texts.len() + 1];
    graph.after.iter().for_each(|&next| begin[next as usize + 1] += 1);
    for n in 1..begin.len() {
        begin[n] += begin[n - 1];
    }
    let (mut at, mut list) = (begin.clone(), vec![0; graph.after.len()]);
    for n in 0..graph.texts.len() {
        for &next in graph.moves(n) {
            list[at[next as usize]] = n as u32;
            at[next as usize] += 1;
        }
    }
    (begin, list)
}

/// The values of all, and the plies to the end of those that are won.
fn solve(graph: &Graph, scores: bool) -> Vec<(Value, Option<u32>)> {
    let (begin, list) = before(graph);
    let mut found: Vec<Option<(Value, Option<u32>)>> = vec![None; graph.texts.len()];
    // Moves whose values are not known yet; with wins and losses, moves that are not known to lose.
    let mut open: Vec<u32> = (0..graph.texts.len()).map(|n| graph.moves(n).len() as u32).collect();
    let mut best: Vec<Option<Value>> = vec![None; graph.texts.len()];
    let mut queue: VecDeque<u32> = VecDeque::new();
    for (n, end) in graph.ends.iter().enumerate() {
        if let Some(value) = end {
            let plies = (!scores && *value != 0).then_some(0);
            found[n] = Some((*value, plies));
            if scores || *value != 0 {
                queue.push_back(n as u32);
            }
        }
    }
    // In the order of distances: the first win that is found is the shortest, the last loss the longest.
    while let Some(next) = queue.pop_front() {
        let (value, plies) = found[next as usize].expect("it was found");
        for &n in &list[begin[next as usize]..begin[next as usize + 1]] {
            let n = n as usize;
            if found[n].is_some() {
                continue;
            }
            let sign = graph.turns[n].sign();
            let own = value * sign;
            open[n] -= 1;
            best[n] = Some(best[n].map_or(own, |best| best.max(own)));
            let wins = !scores && own > 0;
            if wins || open[n] == 0 {
                let value = best[n].expect("a move was looked at") * sign;
                found[n] = Some((value, plies.map(|plies| plies + 1)));
                queue.push_back(n as u32);
            }
        }
    }
    found.into_iter().map(|found| found.unwrap_or((0, None))).collect()
}

/// All of a game; `None` if it has more positions than that, or `keep_going` says no.
#[must_use]
pub fn count(game: &OpenGame, most: usize, keep_going: impl Fn(usize) -> bool) -> Option<Census> {
    let graph = explore(game, most, keep_going)?;
    let scores = game.values() != Bounds::new(-1, 1);
    let found = solve(&graph, scores);
    let mut layers = vec![Layer::default(); usize::from(*graph.plies.last()?) + 1];
    let mut distances: Vec<[u64; 2]> = Vec::new();
    let mut values: std::collections::BTreeMap<Value, u64> = std::collections::BTreeMap::new();
    let mut longest: Option<(u32, usize)> = None;
    for (n, &(value, plies)) in found.iter().enumerate() {
        let layer = &mut layers[usize::from(graph.plies[n])];
        layer.positions += 1;
        layer.over += u64::from(graph.ends[n].is_some());
        *match value.signum() {
            1 => &mut layer.first,
            0 => &mut layer.draws,
            _ => &mut layer.second,
        } += 1;
        *values.entry(value).or_default() += 1;
        if let Some(plies) = plies {
            let at = plies as usize;
            if distances.len() <= at {
                distances.resize(at + 1, [0; 2]);
            }
            distances[at][usize::from(value < 0)] += 1;
            if longest.is_none_or(|(known, _)| plies > known) {
                longest = Some((plies, n));
            }
        }
    }
    let mut first_moves = [0; 3];
    for &next in graph.moves(0) {
        let own = found[next as usize].0 * graph.turns[0].sign();
        first_moves[(1 - own.signum()) as usize] += 1;
    }
    Some(Census {
        positions: graph.texts.len() as u64,
        layers,
        distances,
        longest: longest.map(|(plies, n)| (plies, graph.texts[n].to_string())),
        start: found[0],
        first_moves,
        values: values.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zermelo_erased::{Catalogue, EngineConfig, EngineId};
    use zermelo_game::Limits;

    fn census(name: &str) -> Census {
        let game: OpenGame = Catalogue::standard().open(name).unwrap().into();
        assert_eq!(unsupported(&game), None, "{name}");
        count(&game, 300_000, |_| true).unwrap()
    }

    #[test]
    fn published_numbers() {
        let found = census("tictactoe");
        assert_eq!((found.positions, found.start), (5_478, (0, None)));
        assert_eq!(found.first_moves, [0, 9, 0]);
        let positions: Vec<u64> = found.layers.iter().map(|layer| layer.positions).collect();
        assert_eq!(positions, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
        // Positions at which x has won, o has won, and full boards without a line.
        let over: u64 = found.layers.iter().map(|layer| layer.over).sum();
        assert_eq!(over, 626 + 316 + 16);
        // John Tromp's number.
        let found = census("connect4 4x4");
        assert_eq!((found.positions, found.start), (161_029, (0, None)));
    }

    /// Every value and every distance, by a solver.
    #[test]
    fn values_and_distances_are_those_of_solvers() {
        for name in [
            "mnk 3x3x3",
            "nogo 3x2",
            "clobber 2x4",
            "breakthrough 4x2",
            "domineering 3x3",
            "checkers 4x4",
            "loa 3x3",
            "kalah 2x1",
        ] {
            let game: OpenGame = Catalogue::standard().open(name).unwrap().into();
            if unsupported(&game).is_some() {
                panic!("{name}");
            }
            let graph = explore(&game, 300_000, |_| true).expect(name);
            let found = solve(&graph, game.values() != Bounds::new(-1, 1));
            let engine = EngineConfig::new(EngineId::Auto);
            let limits = Limits { memory: 16 << 20, ..Limits::default() };
            let mut session = game.session();
            for (n, (value, plies)) in found.iter().enumerate().step_by(found.len() / 300 + 1) {
                session.set_position(&graph.texts[n]).unwrap();
                let report = session.solve(&engine, &limits, &|_| {});
                assert_eq!(report.bounds.value(), Some(*value), "{name} {}", graph.texts[n]);
                if let (Some(plies), None) = (plies, graph.ends[n]) {
                    let winner = if *value > 0 { Player::First } else { Player::Second };
                    let told = session.distance(winner, 1, &limits, &|_, _| {}).unwrap();
                    assert_eq!(told.plies.value(), Some(*plies), "{name} {}", graph.texts[n]);
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_is_given_up() {
        let game: OpenGame = Catalogue::standard().open("connect4 6x7").unwrap().into();
        assert_eq!(count(&game, 1_000, |_| true), None);
        assert_eq!(count(&game, 300_000, |n| n < 500), None);
        for name in ["awari 2x2", "go 2x2"] {
            let game: OpenGame = Catalogue::standard().open(name).unwrap().into();
            assert!(unsupported(&game).is_some(), "{name}");
        }
    }
}
