//! Monte-Carlo tree search with GRAVE and a learned playout policy, as a solver by itself and as a
//! teacher of move order for alpha-beta (Cazenave, Monte Carlo Game Solver, 2020).
//!
//! A search answers one [`Question`]. Each round walks down the tree to a position that is not in it
//! yet, adds it, and plays the game to its end with moves drawn by the policy; whether the result is
//! at least what the question asks for is counted on the way back, and the winner's moves are
//! learned from. Nodes whose answer is certain are settled and not visited again; when the root is
//! settled the question is answered, and that is a proof (`tree` says why).
//!
//! `policy` holds the weights of moves, `tree` the nodes, `line` reads best play from them, `move_prior` is what alpha-beta takes
//! away.
//!
//! **Games that repeat.** A line that comes back to one of its positions ends there, in the tree by
//! the rule of the game; a playout is cut off after [`Config::plies`] and counted as a repetition.
//! Both only count, neither ever settles a node: they can mislead the order, not the answer. So a
//! search by itself may never settle a position whose value rests on repetition; give it a limit.

mod line;
mod move_prior;
pub mod policy;
mod tree;

pub use line::Proofs;
pub use move_prior::{ENOUGH, MovePrior};
pub use tree::{MoveCount, value};

use crate::engine::{Engine, Observer, Task};
use crate::engines::{EngineSettings, Make, Needs};
use crate::watch::Watch;
use policy::Policy;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tree::{NONE, PlayoutNode, PlayoutTree};
use zermelo_game::{
    Bounds, Game, Knowledge, Level, Limits, MoveList, Player, Progress, Question, Report, Rules,
    Stats, Stop, Value,
};

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The seed of the playouts. The same seed gives the same search.
    pub seed: u64,
    /// Playouts an ancestor must have for its counts of later moves to be used.
    pub reference: u32,
    /// How fast a move's own playouts outweigh those counts.
    pub bias: f32,
    /// How much is learned from a move of the winner.
    pub alpha: f32,
    /// A playout longer than this ends as a repetition. Only games that repeat get there.
    pub plies: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config { seed: 0, reference: 50, bias: 1e-5, alpha: 1.0, plies: 1000 }
    }
}

crate::options!(Config {
    "seed" = seed: "the seed of the playouts: the same seed gives the same search",
    "reference" = reference: "playouts that an ancestor must have for its counts of later moves to be used (GRAVE)",
});

impl EngineSettings for Config {
    const NEEDS: Needs = Needs::LINE;
    const METHODS: &'static [&'static str] = &["Monte-Carlo"];

    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        Box::new(Solver::new(make.game, self.clone()))
    }
}

/// Monte-Carlo tree search as an engine. What it has proved last stays in its trees.
pub struct Solver<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    config: Config,
    proofs: Option<Proofs<'g, R, K>>,
}

impl<'g, R: Rules, K: Knowledge<R>> Solver<'g, R, K> {
    /// An engine for a game.
    #[must_use]
    pub fn new(game: Game<'g, R, K>, config: Config) -> Solver<'g, R, K> {
        Solver { game, config, proofs: None }
    }
}

impl<R: Rules, K: Knowledge<R>> Engine<R> for Solver<'_, R, K> {
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move> {
        self.proofs = None;
        let Task { position, past, limits, .. } = *task;
        let (report, proofs) =
            solve_and_keep(self.game, past, position, &self.config, limits, observer);
        self.proofs = Some(proofs);
        report
    }

    fn known(&self, p: &R::Position) -> Option<Bounds> {
        Some(self.proofs.as_ref()?.known(p))
    }
}

/// Solves a position by Monte-Carlo tree search alone. Nodes are positions whose moves were made, in
/// the tree and in playouts. Not for games in which boards must not be repeated: a settled node would depend on
/// the line that led to it.
pub fn solve<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    config: &Config,
    limits: &Limits,
    observer: Observer<R::Move>,
) -> Report<R::Move> {
    solve_along(game, &[], p, config, limits, observer)
}

/// The same below a line that went through the positions of `past`, where the value of a repetition depends on the line:
/// nothing that is settled rests on a move back to one of them.
pub fn solve_along<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    past: &[R::Position],
    p: &R::Position,
    config: &Config,
    limits: &Limits,
    observer: Observer<R::Move>,
) -> Report<R::Move> {
    solve_and_keep(game, past, p, config, limits, observer).0
}

/// The same, with the trees that answered the questions, which know moves that keep the value.
pub fn solve_and_keep<'g, R: Rules, K: Knowledge<R>>(
    game: Game<'g, R, K>,
    past: &[R::Position],
    p: &R::Position,
    config: &Config,
    limits: &Limits,
    observer: Observer<R::Move>,
) -> (Report<R::Move>, Proofs<'g, R, K>) {
    assert!(!R::SUPERKO, "boards must not be repeated in this game: values depend on the line");
    let watch = Watch::new(limits.clone());
    let mut bounds = game.static_bounds(p);
    let mut stats = Stats::default();
    let mut stop = Stop::Solved;
    let mut proofs = Proofs::new(game);
    // A move that keeps what was proved last for the player to move, and what looked best to a question that was not
    // answered.
    let (mut kept, mut favourite) = (None, None);
    while let Some(question) = Question::halving(bounds) {
        let memory = limits.memory.saturating_sub(proofs.bytes());
        let mut search = Search::new(game, p, question, config, memory).below(past);
        let mut show = |search: &Search<R, K>| {
            let mut stats = stats;
            search.add_to(&mut stats);
            (stats.nodes, stats.elapsed) = (watch.nodes(), watch.elapsed());
            observer(&Progress { bounds, stats, line: search.line(), proof: None });
        };
        search.run(&watch, u64::MAX, true, &mut show);
        if search.answer().is_none() && search.tree.is_full() && proofs.bytes() > 0 {
            // An answer is worth more than a long line.
            proofs.forget();
            search.tree.allow(limits.memory);
            search.run(&watch, u64::MAX, true, &mut show);
        }
        search.add_to(&mut stats);
        stats.table_bytes = stats.table_bytes.max(proofs.bytes() + search.tree.bytes());
        match search.answer() {
            Some(answer) => {
                let bound = search.tree.nodes[0].bound;
                if answer {
                    bounds.lo = bound;
                } else {
                    bounds.hi = bound;
                }
                proofs.keep(answer, search.tree);
                if answer == (game.turn(p) == Player::First) {
                    kept = proofs.keeping(p, bounds);
                }
            }
            None => {
                stop = watch.stopped().unwrap_or(Stop::OutOfMemory);
                favourite = search.line().first().copied();
                break;
            }
        }
    }
    let line = match bounds.value() {
        Some(value) => {
            let mut line = proofs.line(p, value);
            if line.is_empty() {
                // The tree may have made room for the next question.
                line.extend(kept);
            }
            // Playouts never settle a repetition, so this might not end where positions can repeat.
            if line.is_empty() && !R::CYCLIC {
                proofs.forget();
                line.extend(keeping(game, p, value, config, &watch, &mut stats));
            }
            line
        }
        None => kept.or_else(|| proofs.choice(p, bounds, favourite)).into_iter().collect(),
    };
    stats.nodes = watch.nodes();
    stats.elapsed = watch.elapsed();
    stats.playout_time = stats.elapsed;
    let report = Report {
        bounds,
        best: line.first().copied(),
        line,
        stop,
        level: bounds.is_exact().then_some(Level::Weak),
        rests_on_history: false,
        by: None,
        stats,
    };
    (report, proofs)
}

/// A move with which the player to move keeps a value that the static bounds of `p` promise: they do not say how.
fn keeping<R: Rules, K: Knowledge<R>>(
    game: Game<R, K>,
    p: &R::Position,
    value: Value,
    config: &Config,
    watch: &Watch,
    stats: &mut Stats,
) -> Option<R::Move> {
    if game.outcome(p).is_some() {
        return None;
    }
    let turn = game.turn(p);
    // At least the value, or less than one more.
    let at_least = if turn == Player::First { value } else { value + 1 };
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    for m in list.iter() {
        let next = game.play(p, m);
        let mut search = Search::new(game, &next, Question { at_least }, config, watch.memory());
        search.run(watch, u64::MAX, true, &mut |_| {});
        search.add_to(stats);
        if search.answer()? == (turn == Player::First) {
            return Some(m);
        }
    }
    None
}

/// A ply of the present round.
#[derive(Clone, Copy, Debug)]
struct Ply {
    player: Player,
    code: u32,
    pattern: u32,
    /// The patterns of all moves there, a range of `Round::patterns`.
    moves: (u32, u32),
}

/// What a round writes down. Kept between rounds, so that none allocates.
#[derive(Default, Debug)]
struct Round {
    /// Nodes of the tree with the edge taken there.
    path: Vec<(u32, u32)>,
    plies: Vec<Ply>,
    patterns: Vec<u32>,
    /// Codes played from some ply on, each once, and in which round each was seen last.
    codes: Vec<u32>,
    seen: Vec<u64>,
}

/// The search for the answer to one question.
pub struct Search<'g, R: Rules, K: Knowledge<R>> {
    game: Game<'g, R, K>,
    config: Config,
    tree: PlayoutTree<'g, R, K>,
    /// Positions that a line here has been at, in canonical form.
    past: Vec<R::Position>,
    policy: Policy,
    rng: Xoshiro256PlusPlus,
    round: Round,
    playouts: u64,
    deepest: usize,
    /// Positions since the last report to the watch, and how many may come before the next.
    fresh: u64,
    quota: u64,
    /// Whether positions are nodes in the watch's sense.
    counted: bool,
}

impl<'g, R: Rules, K: Knowledge<R>> Search<'g, R, K> {
    /// A search that has not begun, with a tree of at most `memory` bytes.
    #[must_use]
    pub fn new(
        game: Game<'g, R, K>,
        root: &R::Position,
        question: Question,
        config: &Config,
        memory: u64,
    ) -> Search<'g, R, K> {
        let round = Round { seen: vec![0; 2 * game.codes()], ..Round::default() };
        Search {
            game,
            config: config.clone(),
            tree: PlayoutTree::new(game, *root, question, memory),
            past: Vec::new(),
            policy: Policy::new(game.patterns()),
            rng: Xoshiro256PlusPlus::seed_from_u64(config.seed),
            round,
            playouts: 0,
            deepest: 0,
            fresh: 0,
            quota: 0,
            counted: false,
        }
    }

    /// The same below a line that went through these positions.
    #[must_use]
    pub fn below(self, past: &[R::Position]) -> Search<'g, R, K> {
        Search { past: past.iter().map(|q| self.game.canonical(q)).collect(), ..self }
    }

    /// The answer, once the root is settled.
    #[must_use]
    pub fn answer(&self) -> Option<bool> {
        self.tree.nodes[0].answer
    }

    /// The same as a bound in the direction of the answer (first player's view).
    #[must_use]
    pub fn bound(&self) -> Option<Value> {
        let root = &self.tree.nodes[0];
        root.answer.map(|_| root.bound)
    }

    /// Playouts so far.
    #[must_use]
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// What alpha-beta takes away.
    #[must_use]
    pub fn prior(&self) -> MovePrior<R::Key> {
        MovePrior::new(self.tree.visits(move_prior::ENOUGH), &self.policy)
    }

    /// The positions that are settled, with what is known of them.
    pub fn settled(&self) -> impl Iterator<Item = (&R::Position, Bounds)> {
        self.tree.settled()
    }

    /// Plays rounds until the root is settled, so many are done, or the watch says stop; if
    /// `counted`, positions count as nodes for the watch, and a full tree ends the search.
    pub fn run(
        &mut self,
        watch: &Watch,
        playouts: u64,
        counted: bool,
        show: &mut dyn FnMut(&Self),
    ) {
        (self.counted, self.fresh) = (counted, 0);
        self.quota = watch.spend(0);
        let end = self.playouts.saturating_add(playouts);
        while self.answer().is_none() && self.playouts < end && self.quota > 0 {
            if counted && self.tree.is_full() {
                break;
            }
            self.round(watch);
            if self.playouts.is_multiple_of(1024) && watch.time_to_show() {
                show(self);
            }
        }
        if counted && self.quota > 0 {
            watch.spend(self.fresh);
        }
    }

    /// Counts a position; false if the watch says stop.
    #[inline]
    fn enter(&mut self, watch: &Watch) -> bool {
        if self.fresh >= self.quota {
            self.quota = watch.spend(if self.counted { self.fresh } else { 0 });
            self.fresh = 0;
        }
        self.fresh += 1;
        self.quota > 0
    }

    /// One round: down the tree, a playout, and back.
    fn round(&mut self, watch: &Watch) {
        self.round.path.clear();
        self.round.plies.clear();
        self.round.patterns.clear();
        let Some(answer) = self.descend(watch) else { return };
        self.playouts += 1;
        self.deepest = self.deepest.max(self.round.plies.len());
        self.learn(answer);
        self.count(answer);
    }

    /// Walks down the tree and on to the end of a game; says whether the value there is at least what
    /// the question asks for. `None` if the watch says stop.
    fn descend(&mut self, watch: &Watch) -> Option<bool> {
        let (mut at, mut reference) = (0, 0);
        loop {
            if !self.enter(watch) {
                return None;
            }
            let PlayoutNode { answer, expanded, turn, position, .. } = self.tree.nodes[at as usize];
            if answer.is_some() {
                return answer;
            }
            if !expanded {
                if self.tree.expand(at) {
                    return self.tree.nodes[at as usize].answer;
                }
                self.round.path.push((at, NONE));
                return self.playout(position, watch);
            }
            if self.tree.is_reference(at, self.config.reference) {
                reference = at;
            }
            let Some(edge) = self.tree.select(at, reference, self.config.bias) else {
                return self.tree.nodes[at as usize].answer;
            };
            self.round.path.push((at, edge));
            let (start, end) = self.tree.nodes[at as usize].edges;
            let edges = &self.tree.edges;
            let from = self.round.patterns.len() as u32;
            let all = &edges[start as usize..end as usize];
            self.round.patterns.extend(all.iter().map(|e| e.pattern));
            let chosen = edges[edge as usize];
            let moves = (from, self.round.patterns.len() as u32);
            let (code, pattern) = (chosen.code, chosen.pattern);
            self.round.plies.push(Ply { player: turn, code, pattern, moves });
            if chosen.child == NONE {
                let next = self.game.play(&position, chosen.mv);
                if R::CYCLIC
                    && !self.past.is_empty()
                    && self.past.contains(&self.game.canonical(&next))
                {
                    return Some(self.endless());
                }
                let child = self.tree.find_or_add(next);
                if child == NONE {
                    return self.playout(next, watch);
                }
                self.tree.edges[edge as usize].child = child;
                at = child;
            } else {
                at = chosen.child;
            }
            if R::CYCLIC && self.round.path.iter().any(|&(node, _)| node == at) {
                return Some(self.endless());
            }
        }
    }

    /// Plays by the policy until the game tells the answer.
    fn playout(&mut self, mut p: R::Position, watch: &Watch) -> Option<bool> {
        let game = self.game;
        let mut list = MoveList::new();
        while self.round.plies.len() < self.config.plies {
            // Exact where the game is over, and often long before.
            let answer = self.tree.question.answer(game.static_bounds(&p));
            if answer.is_some() {
                return answer;
            }
            if !self.enter(watch) {
                return None;
            }
            list.clear();
            game.moves(&p, &mut list);
            let player = game.turn(&p);
            let from = self.round.patterns.len();
            self.round.patterns.extend(list.iter().map(|m| game.pattern(&p, m) as u32));
            let patterns = &self.round.patterns[from..];
            let pick = self.policy.draw(patterns, &mut self.rng);
            let (m, pattern) = (list.scored()[pick].mv, patterns[pick]);
            let code = (2 * game.code(m) + player.index()) as u32;
            let moves = (from as u32, self.round.patterns.len() as u32);
            self.round.plies.push(Ply { player, code, pattern, moves });
            p = game.play(&p, m);
        }
        Some(self.endless())
    }

    /// What a round counts for that comes back to where it was. It settles nothing, so a guess will do
    /// where the rule has no fixed value.
    fn endless(&self) -> bool {
        let (rule, Bounds { lo, hi }) = (self.game.repetition(), self.game.values());
        let value = rule.fixed().or(rule.stuck()).unwrap_or(lo.midpoint(hi));
        value >= self.tree.question.at_least
    }

    /// Learns from the moves of the player the round ended well for.
    fn learn(&mut self, answer: bool) {
        for ply in &self.round.plies {
            if PlayoutTree::<R, K>::suits(answer, ply.player) {
                let moves = &self.round.patterns[ply.moves.0 as usize..ply.moves.1 as usize];
                self.policy.note(ply.pattern, moves, self.config.alpha);
            }
        }
        self.policy.adapt();
    }

    /// Counts the round at all nodes it came through, last first, and settles those it can.
    fn count(&mut self, answer: bool) {
        let Round { path, plies, codes, seen, .. } = &mut self.round;
        codes.clear();
        let mut next = plies.len();
        for (ply, &(at, edge)) in path.iter().enumerate().rev() {
            while next > ply {
                next -= 1;
                let code = plies[next].code;
                if seen[code as usize] != self.playouts {
                    seen[code as usize] = self.playouts;
                    codes.push(code);
                }
            }
            self.tree.count(at, codes, answer);
            if edge != NONE {
                let turn = self.tree.nodes[at as usize].turn;
                self.tree.count_edge(edge, turn, answer);
                // A child that was settled just now may settle this node.
                if self.tree.answer_after(&self.tree.edges[edge as usize]).is_some() {
                    let _ = self.tree.select(at, 0, self.config.bias);
                }
            }
        }
    }

    /// The moves the tree has looked at most, settled ones first.
    pub(crate) fn line(&self) -> Vec<R::Move> {
        let mut line = Vec::new();
        let mut at = 0;
        loop {
            let node = &self.tree.nodes[at as usize];
            let best = self.tree.edges_of(at).iter().rev().max_by_key(|e| {
                let won =
                    self.tree.answer_after(e).map(|a| PlayoutTree::<R, K>::suits(a, node.turn));
                (won == Some(true), e.playouts)
            });
            match best {
                Some(edge) if line.len() < 100 => {
                    line.push(edge.mv);
                    if edge.child == NONE {
                        return line;
                    }
                    at = edge.child;
                }
                _ => return line,
            }
        }
    }

    pub(crate) fn add_to(&self, stats: &mut Stats) {
        stats.playouts += self.playouts;
        stats.depth = stats.depth.max(self.deepest as u32);
        stats.table_bytes = stats.table_bytes.max(self.tree.bytes());
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use zermelo_games::mnk::{Mnk, MnkKnowledge};
    use zermelo_games::nogo::{NoGo, NoGoKnowledge};

    type MnkGame<'g> = Game<'g, Mnk<u64>, MnkKnowledge>;

    fn search(game: MnkGame, seed: u64, playouts: u64) -> Search<Mnk<u64>, MnkKnowledge> {
        let config = Config { seed, ..Config::default() };
        let question = Question { at_least: 1 };
        let mut search = Search::new(game, &game.start(), question, &config, 1 << 28);
        search.run(&Watch::new(Limits::default()), playouts, false, &mut |_| {});
        search
    }

    #[test]
    fn the_same_seed_gives_the_same_search() {
        let rules = Mnk::<u64>::new(5, 5, 4);
        let knowledge = MnkKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let found = [1, 1, 2].map(|seed| {
            let search = search(game, seed, 2_000);
            let edges: Vec<_> =
                search.tree.edges_of(0).iter().map(|e| (e.playouts, e.wins)).collect();
            (edges, search.policy.weights().to_vec(), search.line())
        });
        assert_eq!(found[0], found[1]);
        assert_ne!(found[0].1, found[2].1);
    }

    #[test]
    fn counts_add_up() {
        let rules = Mnk::<u64>::new(4, 5, 4);
        let knowledge = MnkKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let search = search(game, 0, 3_000);
        let root = &search.tree.nodes[0];
        let edges = search.tree.edges_of(0);
        // The first round expands the root and takes no edge.
        assert_eq!(root.playouts, 3_000);
        assert_eq!(edges.iter().map(|e| e.playouts).sum::<u32>(), 2_999);
        assert!(edges.iter().all(|e| e.wins <= e.playouts));
        assert!(edges.len() <= 6, "moves that look the same are one");
        assert_eq!(search.playouts(), 3_000);
    }

    #[test]
    fn tic_tac_toe_is_solved() {
        let rules = Mnk::<u64>::new(3, 3, 3);
        let knowledge = MnkKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let report = solve(game, &game.start(), &Config::default(), &Limits::default(), &|_| {});
        assert_eq!((report.bounds, report.stop), (Bounds::exact(0), Stop::Solved));
        assert!(report.best.is_some() && report.stats.playouts > 0);
    }

    /// A game without draws that is lost needs no question about draws.
    #[test]
    fn a_loss_is_one_question() {
        let rules = NoGo::<u64>::new(3, 4);
        let knowledge = NoGoKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let config = Config::default();
        let mut search =
            Search::new(game, &game.start(), Question { at_least: 1 }, &config, 1 << 28);
        search.run(&Watch::new(Limits::default()), u64::MAX, false, &mut |_| {});
        assert_eq!((search.answer(), search.bound()), (Some(false), Some(-1)));
        assert!(search.settled().all(|(_, bounds)| bounds.is_exact()));
        let report = solve(game, &game.start(), &config, &Limits::default(), &|_| {});
        assert_eq!(report.stats.playouts, search.playouts());
    }

    #[test]
    fn limits_are_obeyed() {
        let rules = Mnk::<u64>::new(5, 5, 4);
        let knowledge = MnkKnowledge::new(&rules);
        let game = Game::new(&rules, &knowledge);
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        let report = solve(game, &game.start(), &Config::default(), &limits, &|_| {});
        assert_eq!((report.stop, report.stats.nodes), (Stop::OutOfNodes, 3_000));
        assert!(report.best.is_some());
        let limits = Limits { memory: 1 << 16, ..Limits::default() };
        let report = solve(game, &game.start(), &Config::default(), &limits, &|_| {});
        assert_eq!(report.stop, Stop::OutOfMemory);
        assert!(report.stats.table_bytes <= 1 << 16);
    }
}
