//! Monte-Carlo tree search with GRAVE and a learned playout policy, as a solver by itself and as a
//! teacher of move order for alpha-beta (Cazenave, Monte Carlo Game Solver, 2020).
//!
//! A search answers one [`Question`]. Each round walks down the tree to a position that is not in it
//! yet, adds it, and plays the game to its end with moves drawn by the policy; whether the result is
//! at least what the question asks for is counted on the way back, and the winner's moves are
//! learned from. Nodes whose answer is certain are settled and not visited again; when the root is
//! settled the question is answered, and that is a proof (`tree` says why).
//!
//! `policy` holds the weights of moves, `tree` the nodes, `guide` what alpha-beta takes away.
//!
//! **Games that repeat.** A line that comes back to one of its positions ends there, in the tree by
//! the rule of the game; a playout is cut off after [`Config::plies`] and counted as a repetition.
//! Both only count, neither ever settles a node: they can mislead the order, not the answer. So a
//! search by itself may never settle a position whose value rests on repetition; give it a limit.

mod guide;
pub mod policy;
mod tree;

pub use guide::{ENOUGH, Guide};
pub use tree::{Count, value};

use crate::alphabeta::Observer;
use crate::watch::Watch;
use policy::Policy;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tree::{NONE, Node, Tree};
use zermelo_game::{
    Bounds, Game, Level, Limits, MoveList, Player, Progress, Question, Report, Stats, Stop, Value,
};

/// How to search.
#[derive(Clone, Debug)]
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

/// Solves a position by Monte-Carlo tree search alone. Nodes are positions whose moves were made, in
/// the tree and in playouts. Not for games in which no board may come back: a settled node would hang on
/// the line that led to it.
pub fn solve<G: Game>(
    game: &G,
    p: &G::Position,
    config: &Config,
    limits: &Limits,
    observer: Observer<G::Move>,
) -> Report<G::Move> {
    assert!(!G::SUPERKO, "{} forbids boards to come back", game.name());
    let watch = Watch::new(limits.clone());
    let turn = game.turn(p);
    let mut bounds = game.static_bounds(p);
    let mut stats = Stats::default();
    let mut stop = Stop::Solved;
    // What the player to move should do, by the last question that it liked the answer of.
    let (mut line, mut liked) = (Vec::new(), false);
    while let Some(question) = Question::halving(bounds) {
        let mut search = Search::new(game, p, question, config, limits.memory);
        search.run(&watch, u64::MAX, true, &mut |search| {
            let mut stats = stats;
            search.add_to(&mut stats);
            (stats.nodes, stats.elapsed) = (watch.nodes(), watch.elapsed());
            observer(&Progress { bounds, stats, line: search.line(), proof: None });
        });
        search.add_to(&mut stats);
        match search.answer() {
            Some(answer) => {
                let likes = answer == (turn == Player::First);
                if likes || !liked {
                    (line, liked) = (search.line(), likes);
                }
                let bound = search.tree.nodes[0].bound;
                if answer {
                    bounds.lo = bound;
                } else {
                    bounds.hi = bound;
                }
            }
            None => {
                stop = watch.stopped().unwrap_or(Stop::OutOfMemory);
                if line.is_empty() {
                    line = search.line();
                }
                break;
            }
        }
    }
    if line.is_empty() {
        line.extend(first_move(game, p, bounds));
    }
    stats.nodes = watch.nodes();
    stats.elapsed = watch.elapsed();
    stats.playout_time = stats.elapsed;
    Report {
        bounds,
        best: line.first().copied(),
        line,
        stop,
        level: bounds.is_exact().then_some(Level::Weak),
        rests_on_history: false,
        by: None,
        stats,
    }
}

/// A move that keeps at least `bounds.lo`, seen by the player to move, by static bounds; any move if
/// all do.
fn first_move<G: Game>(game: &G, p: &G::Position, bounds: Bounds) -> Option<G::Move> {
    if game.outcome(p).is_some() {
        return None;
    }
    let turn = game.turn(p);
    let goal = bounds.seen_by(turn).lo;
    let mut list = MoveList::new();
    game.moves(p, &mut list);
    let keeps = |m: &G::Move| game.static_bounds(&game.play(p, *m)).seen_by(turn).lo >= goal;
    let any = (goal == game.values().seen_by(turn).lo).then(|| list.iter().next()).flatten();
    list.iter().find(keeps).or(any)
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
pub struct Search<'g, G: Game> {
    game: &'g G,
    config: Config,
    tree: Tree<'g, G>,
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

impl<'g, G: Game> Search<'g, G> {
    /// A search that has not begun, with a tree of at most `memory` bytes.
    #[must_use]
    pub fn new(
        game: &'g G,
        root: &G::Position,
        question: Question,
        config: &Config,
        memory: u64,
    ) -> Search<'g, G> {
        let round = Round { seen: vec![0; 2 * game.codes()], ..Round::default() };
        Search {
            game,
            config: config.clone(),
            tree: Tree::new(game, *root, question, memory),
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
    pub fn guide(&self) -> Guide<G::Key> {
        Guide::new(self.tree.visits(guide::ENOUGH), &self.policy)
    }

    /// The positions that are settled, with what is known of them.
    pub fn settled(&self) -> impl Iterator<Item = (&G::Position, Bounds)> {
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
            let Node { answer, expanded, turn, position, .. } = self.tree.nodes[at as usize];
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
                let child = self.tree.find_or_add(next);
                if child == NONE {
                    return self.playout(next, watch);
                }
                self.tree.edges[edge as usize].child = child;
                at = child;
            } else {
                at = chosen.child;
            }
            if G::CYCLIC && self.round.path.iter().any(|&(node, _)| node == at) {
                return Some(self.endless());
            }
        }
    }

    /// Plays by the policy until the game tells the answer.
    fn playout(&mut self, mut p: G::Position, watch: &Watch) -> Option<bool> {
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
            if Tree::<G>::suits(answer, ply.player) {
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
    pub(crate) fn line(&self) -> Vec<G::Move> {
        let mut line = Vec::new();
        let mut at = 0;
        loop {
            let node = &self.tree.nodes[at as usize];
            let best = self.tree.edges_of(at).iter().rev().max_by_key(|e| {
                let won = self.tree.answer_after(e).map(|a| Tree::<G>::suits(a, node.turn));
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
    use zermelo_games::mnk::Mnk;

    fn search(game: &Mnk<u64>, seed: u64, playouts: u64) -> Search<'_, Mnk<u64>> {
        let config = Config { seed, ..Config::default() };
        let question = Question { at_least: 1 };
        let mut search = Search::new(game, &game.start(), question, &config, 1 << 28);
        search.run(&Watch::new(Limits::default()), playouts, false, &mut |_| {});
        search
    }

    #[test]
    fn the_same_seed_gives_the_same_search() {
        let game = Mnk::new(5, 5, 4);
        let found = [1, 1, 2].map(|seed| {
            let search = search(&game, seed, 2_000);
            let edges: Vec<_> =
                search.tree.edges_of(0).iter().map(|e| (e.playouts, e.wins)).collect();
            (edges, search.policy.weights().to_vec(), search.line())
        });
        assert_eq!(found[0], found[1]);
        assert_ne!(found[0].1, found[2].1);
    }

    #[test]
    fn counts_add_up() {
        let game = Mnk::new(4, 5, 4);
        let search = search(&game, 0, 3_000);
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
        let game = Mnk::<u64>::new(3, 3, 3);
        let report = solve(&game, &game.start(), &Config::default(), &Limits::default(), &|_| {});
        assert_eq!((report.bounds, report.stop), (Bounds::exact(0), Stop::Solved));
        assert!(report.best.is_some() && report.stats.playouts > 0);
    }

    /// A game without draws that is lost needs no question about draws.
    #[test]
    fn a_loss_is_one_question() {
        let game = zermelo_games::nogo::NoGo::<u64>::new(3, 4);
        let config = Config::default();
        let mut search =
            Search::new(&game, &game.start(), Question { at_least: 1 }, &config, 1 << 28);
        search.run(&Watch::new(Limits::default()), u64::MAX, false, &mut |_| {});
        assert_eq!((search.answer(), search.bound()), (Some(false), Some(-1)));
        assert!(search.settled().all(|(_, bounds)| bounds.is_exact()));
        let report = solve(&game, &game.start(), &config, &Limits::default(), &|_| {});
        assert_eq!(report.stats.playouts, search.playouts());
    }

    #[test]
    fn limits_are_obeyed() {
        let game = Mnk::<u64>::new(5, 5, 4);
        let limits = Limits { nodes: Some(3_000), ..Limits::default() };
        let report = solve(&game, &game.start(), &Config::default(), &limits, &|_| {});
        assert_eq!((report.stop, report.stats.nodes), (Stop::OutOfNodes, 3_000));
        assert!(report.best.is_some());
        let limits = Limits { memory: 1 << 16, ..Limits::default() };
        let report = solve(&game, &game.start(), &Config::default(), &limits, &|_| {});
        assert_eq!(report.stop, Stop::OutOfMemory);
        assert!(report.stats.table_bytes <= 1 << 16);
    }
}
