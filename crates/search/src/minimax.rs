//! Plain minimax: the rules and nothing else. No table, no cut-offs, no knowledge. It is the oracle
//! that every other engine is tested against, so it must stay too simple to be wrong.

use crate::engine::{Engine, Observer, Task};
use crate::engines::{EngineSettings, Make, Needs};
use crate::threads;
use crate::watch::Watch;
use zermelo_game::{
    Bounds, History, Knowledge, Level, Limits, MoveList, Progress, Report, Rules, Stats, Stop,
    Value,
};

/// Lines can get long: in graphs, and where boards must not be repeated.
const STACK: usize = 1 << 30;
/// Lines of more plies would not fit into the large one.
const LONGEST: usize = 250_000;

/// Solves a position by looking at every line of play.
pub fn solve<R: Rules>(
    rules: &R,
    p: &R::Position,
    limits: &Limits,
    observer: &(dyn Fn(&Progress<R::Move>) + Sync),
) -> Report<R::Move> {
    solve_along(rules, &History::free(), &[], p, limits, observer)
}

/// The same after a line of play. `history` has the boards of the line where boards must not be repeated; `p` is its last
/// position. `past` are the positions of the line before `p`, oldest first, in games where the value of a repetition depends on
/// the line: to come to one of them again is a repetition.
pub fn solve_along<R: Rules>(
    rules: &R,
    history: &History<R>,
    past: &[R::Position],
    p: &R::Position,
    limits: &Limits,
    observer: &(dyn Fn(&Progress<R::Move>) + Sync),
) -> Report<R::Move> {
    assert_eq!(
        R::SUPERKO,
        history.rule().is_some(),
        "the history knows which boards are forbidden"
    );
    threads::deep(STACK, || search(rules, history, past, p, limits, observer))
}

fn search<R: Rules>(
    rules: &R,
    history: &History<R>,
    past: &[R::Position],
    p: &R::Position,
    limits: &Limits,
    observer: &(dyn Fn(&Progress<R::Move>) + Sync),
) -> Report<R::Move> {
    let watch = Watch::new(limits.clone());
    let mut search = Search {
        rules,
        watch: &watch,
        observer,
        nodes: 0,
        quota: 0,
        depth: 0,
        past: past.len(),
        path: past.iter().map(|p| (*p, None)).collect(),
        history: history.clone(),
    };
    let value = search.value(p);
    // Nothing is recorded that would tell more.
    let rests_on_history = *history != History::of(rules, history.rule(), p) || !past.is_empty();
    watch.spend(search.nodes);
    let stats = search.stats();
    match value {
        Some((value, line)) => Report {
            bounds: Bounds::exact(value),
            best: line.last().copied(),
            line: line.into_iter().rev().collect(),
            stop: Stop::Solved,
            level: Some(Level::Weak),
            rests_on_history,
            by: None,
            stats,
        },
        None => Report {
            bounds: rules.values(),
            best: None,
            line: Vec::new(),
            stop: watch.stopped().unwrap_or(Stop::Interrupted),
            level: None,
            rests_on_history,
            by: None,
            stats,
        },
    }
}

struct Search<'s, R: Rules> {
    rules: &'s R,
    watch: &'s Watch,
    observer: &'s (dyn Fn(&Progress<R::Move>) + Sync),
    /// Nodes not yet reported to the watch, and how many may follow before the next report.
    nodes: u64,
    quota: u64,
    depth: u32,
    /// How many positions of the line stand before the root.
    past: usize,
    /// The line to here: each position with the move tried there, none before the root.
    path: Vec<(R::Position, Option<R::Move>)>,
    /// The boards up to the present position, where they must not be repeated.
    history: History<R>,
}

impl<R: Rules> Search<'_, R> {
    /// The value and the line of best play, last move first; `None` when a limit strikes.
    fn value(&mut self, p: &R::Position) -> Option<(Value, Vec<R::Move>)> {
        if self.nodes >= self.quota {
            self.quota = self.watch.spend(self.nodes);
            self.nodes = 0;
            if self.quota == 0 {
                return None;
            }
            if self.watch.time_to_show() {
                let line = self.path.iter().filter_map(|(_, m)| *m).collect();
                let bounds = self.rules.values();
                (self.observer)(&Progress { bounds, stats: self.stats(), line, proof: None });
            }
        }
        if self.path.len() > LONGEST {
            self.watch.stop(Stop::OutOfMemory);
            return None;
        }
        self.nodes += 1;
        self.depth = self.depth.max((self.path.len() - self.past) as u32);
        if let Some(value) = self.rules.outcome(p) {
            return Some((value, Vec::new()));
        }
        let mut list = MoveList::new();
        self.history.moves(self.rules, p, &mut list);
        let sign = self.rules.turn(p).sign();
        let mut best: Option<(Value, Vec<R::Move>)> = None;
        self.path.push((*p, None));
        for m in list.iter() {
            if let Some(last) = self.path.last_mut() {
                last.1 = Some(m);
            }
            let next = self.rules.play(p, m);
            let (value, mut line) = match self.repeats(&next) {
                Some(None) => continue,
                Some(Some(value)) => (value, Vec::new()),
                None => {
                    self.history.push(self.rules, &next);
                    let found = self.value(&next)?;
                    self.history.pop();
                    found
                }
            };
            if best.as_ref().is_none_or(|(b, _)| value * sign > b * sign) {
                line.push(m);
                best = Some((value, line));
            }
        }
        self.path.pop();
        best.or(self.rules.repetition().stuck().map(|value| (value, Vec::new())))
    }

    /// What it means that the line goes on to `next`: `None` if that is new to it, else the value of
    /// the repetition, if there may be one.
    fn repeats(&self, next: &R::Position) -> Option<Option<Value>> {
        if !R::CYCLIC {
            return None;
        }
        let at = self.path.iter().position(|(q, _)| q == next)?;
        Some(self.rules.repeated(next, self.path.len() - at))
    }

    fn stats(&self) -> Stats {
        Stats {
            nodes: self.watch.nodes(),
            depth: self.depth,
            elapsed: self.watch.elapsed(),
            ..Stats::default()
        }
    }
}

/// There is nothing to choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config;

crate::options!(Config {});

impl EngineSettings for Config {
    const NEEDS: Needs = Needs { superko: true, ablation: false, ..Needs::LINE };
    const METHODS: &'static [&'static str] = &["minimax"];
    const PER_GAME: bool = true;

    fn engine<'g, R: Rules, K: Knowledge<R>>(
        &self,
        make: Make<'_, 'g, R, K>,
    ) -> Box<dyn Engine<R> + 'g> {
        Box::new(Minimax::new(make.game.rules()))
    }
}

/// Minimax as an engine.
pub struct Minimax<'g, R: Rules> {
    rules: &'g R,
}

impl<'g, R: Rules> Minimax<'g, R> {
    /// An engine for these rules.
    #[must_use]
    pub fn new(rules: &'g R) -> Minimax<'g, R> {
        Minimax { rules }
    }
}

impl<R: Rules> Engine<R> for Minimax<'_, R> {
    fn solve(&mut self, task: &Task<R>, observer: Observer<R::Move>) -> Report<R::Move> {
        let Task { position, past, history, limits, .. } = *task;
        solve_along(self.rules, history, past, position, limits, observer)
    }

    fn is_forgetful(&self) -> bool {
        true
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use zermelo_games::graph::AnyGraph;
    use zermelo_games::mnk::Mnk;

    #[test]
    fn tic_tac_toe_is_a_draw_in_549946_nodes() {
        let game = Mnk::<u64>::new(3, 3, 3);
        let report = solve(&game, &game.start(), &Limits::default(), &|_| {});
        assert_eq!(report.bounds, Bounds::exact(0));
        assert_eq!(report.stats.nodes, 549_946);
        assert_eq!(report.line.len(), 9);
    }

    #[test]
    fn limits_are_obeyed() {
        let game = Mnk::<u64>::new(3, 3, 3);
        let limits = Limits { nodes: Some(1000), ..Limits::default() };
        let report = solve(&game, &game.start(), &limits, &|_| {});
        assert_eq!((report.stop, report.stats.nodes), (Stop::OutOfNodes, 1000));
        assert_eq!(report.bounds, Bounds::new(-1, 1));
    }

    /// A node after the other, the last one a win.
    fn chain(nodes: usize) -> Report<u16> {
        let turn = |i: usize| ["first", "second"][i % 2];
        let mut text: String =
            (1..nodes).map(|i| format!("n{} {}: n{i}; ", i - 1, turn(i - 1))).collect();
        text += &format!("n{} {} = 1", nodes - 1, turn(nodes - 1));
        let Ok(AnyGraph::Acyclic(graph)) = AnyGraph::parse(&text) else { panic!("no graph") };
        solve(&graph, &graph.start(), &Limits::default(), &|_| {})
    }

    #[test]
    fn long_lines_do_not_overflow_the_stack() {
        let report = chain(200_001);
        assert_eq!((report.bounds, report.line.len()), (Bounds::exact(1), 200_000));
        let report = chain(300_001);
        assert_eq!((report.bounds, report.stop), (Bounds::new(-1, 1), Stop::OutOfMemory));
    }
}
