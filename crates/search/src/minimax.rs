//! Plain minimax: the rules and nothing else. No table, no cut-offs, no knowledge. It is the oracle
//! that every other engine is tested against, so it must stay too simple to be wrong.

use crate::threads;
use crate::watch::Watch;
use zermelo_game::{
    Bounds, Game, History, Level, Limits, MoveList, Progress, Report, Stats, Stop, Value,
};

/// Where boards may not come back, or lines end only when one does, they get long.
const STACK: usize = 1 << 30;

/// Solves a position by looking at every line of play.
pub fn solve<G: Game>(
    game: &G,
    p: &G::Position,
    limits: &Limits,
    observer: &(dyn Fn(&Progress<G::Move>) + Sync),
) -> Report<G::Move> {
    solve_after(game, &History::of(game, p), p, limits, observer)
}

/// The same after a line of play, whose last position is `p`. Where repetition has a value the line
/// begins with `p` all the same.
pub fn solve_after<G: Game>(
    game: &G,
    history: &History,
    p: &G::Position,
    limits: &Limits,
    observer: &(dyn Fn(&Progress<G::Move>) + Sync),
) -> Report<G::Move> {
    if !G::SUPERKO && !G::CYCLIC {
        return search(game, history, p, limits, observer);
    }
    threads::deep(STACK, || search(game, history, p, limits, observer))
}

fn search<G: Game>(
    game: &G,
    history: &History,
    p: &G::Position,
    limits: &Limits,
    observer: &(dyn Fn(&Progress<G::Move>) + Sync),
) -> Report<G::Move> {
    let watch = Watch::new(limits.clone());
    let mut search = Search {
        game,
        watch: &watch,
        observer,
        nodes: 0,
        quota: 0,
        depth: 0,
        path: Vec::new(),
        history: history.clone(),
    };
    let value = search.value(p);
    // Nothing is recorded that would tell more.
    let rests_on_history = *history != History::of(game, p);
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
            bounds: game.values(),
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

struct Search<'s, G: Game> {
    game: &'s G,
    watch: &'s Watch,
    observer: &'s (dyn Fn(&Progress<G::Move>) + Sync),
    /// Nodes not yet reported to the watch, and how many may follow before the next report.
    nodes: u64,
    quota: u64,
    depth: u32,
    /// The line from the root: each position with the move tried there.
    path: Vec<(G::Position, Option<G::Move>)>,
    /// The boards up to the present position, where they may not come back.
    history: History,
}

impl<G: Game> Search<'_, G> {
    /// The value and the line of best play, last move first; `None` when a limit strikes.
    fn value(&mut self, p: &G::Position) -> Option<(Value, Vec<G::Move>)> {
        if self.nodes >= self.quota {
            self.quota = self.watch.spend(self.nodes);
            self.nodes = 0;
            if self.quota == 0 {
                return None;
            }
            if self.watch.time_to_show() {
                let line = self.path.iter().filter_map(|(_, m)| *m).collect();
                let bounds = self.game.values();
                (self.observer)(&Progress { bounds, stats: self.stats(), line, proof: None });
            }
        }
        self.nodes += 1;
        self.depth = self.depth.max(self.path.len() as u32);
        if let Some(value) = self.game.outcome(p) {
            return Some((value, Vec::new()));
        }
        let mut list = MoveList::new();
        self.history.moves(self.game, p, &mut list);
        let sign = self.game.turn(p).sign();
        let mut best: Option<(Value, Vec<G::Move>)> = None;
        self.path.push((*p, None));
        for m in list.iter() {
            if let Some(last) = self.path.last_mut() {
                last.1 = Some(m);
            }
            let next = self.game.play(p, m);
            let (value, mut line) = match self.came_back(&next) {
                Some(None) => continue,
                Some(Some(value)) => (value, Vec::new()),
                None => {
                    self.history.push(self.game, &next);
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
        best.or(self.game.repetition().stuck().map(|value| (value, Vec::new())))
    }

    /// What it means that the line goes on to `next`: `None` if that is new to it, else the value of
    /// the repetition, if there may be one.
    fn came_back(&self, next: &G::Position) -> Option<Option<Value>> {
        if !G::CYCLIC {
            return None;
        }
        let at = self.path.iter().position(|(q, _)| q == next)?;
        Some(self.game.repeated(next, self.path.len() - at))
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
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
}
